//! What counts more among the hits of a relaxed `q`: the whole name in it, and the place.
//!
//! A name of two words or more that stands in `q`, word by word, is what somebody means who typed
//! it among other words, as in an address or an affiliation; so is a business whose city or country
//! `q` names beside it.

use crate::ids::DocId;
use crate::places::PlaceKind;
use crate::query::interpret::Interpretation;
use crate::query::session::Session;
use crate::query::sets::set_expr::SetExpr;
use crate::query::text::TextQuery;
use crate::snapshot::Snapshot;
use crate::snapshot::columns::doc_tokens::Token;

/// What a whole name adds to a factor of one.
pub const WHOLE_NAME: f64 = 0.5;

/// What the city adds.
const CITY: f64 = 0.2;

/// What the country adds.
const COUNTRY: f64 = 0.1;

/// Fewest words of a name that counts as whole.
pub const WHOLE_NAME_WORDS_MIN: usize = 2;

/// What is known of a `q` to tell boosts of documents.
#[derive(Debug)]
pub struct Boosts<'s> {
    snapshot: &'s Snapshot,
    /// The codes of each position of `q`; none where there is no word.
    words: Vec<Vec<u32>>,
    /// Documents in the cities and in the countries that `q` names, with what each adds.
    places: Vec<(f64, SetExpr<'s>)>,
}

impl<'s> Boosts<'s> {
    /// The boosts that a `q` gives.
    pub fn new(
        session: &Session<'s>,
        interpretation: &Interpretation<'s>,
        text: &TextQuery,
    ) -> Boosts<'s> {
        let snapshot = session.snapshot();
        let phrase = text.ranking_words();
        let mut words = vec![Vec::new(); phrase.width as usize];
        for (at, word) in &phrase.words {
            words[*at as usize].extend(session.ords(word).map(|ord| snapshot.terms().code(ord)));
        }
        let kinds = [(CITY, PlaceKind::City), (COUNTRY, PlaceKind::Country)];
        let there = kinds.map(|(adds, kind)| {
            let names = interpretation.place_names.iter();
            (adds, SetExpr::union(names.map(|name| session.places_of_kind(name, kind))))
        });
        let places = there.into_iter().filter(|(_, docs)| !docs.is_nothing()).collect();
        Boosts { snapshot, words, places }
    }

    /// Is any document at a place that `q` names?
    pub fn has_places(&self) -> bool {
        !self.places.is_empty()
    }

    /// The documents at a place that `q` names.
    pub fn at_places(&self) -> SetExpr<'s> {
        SetExpr::union(self.places.iter().map(|(_, docs)| docs.clone()))
    }

    /// The factor of any document at the most.
    pub fn max(is_at_place: bool, may_be_whole: bool) -> f64 {
        let place = if is_at_place { CITY + COUNTRY } else { 0.0 };
        let name = if may_be_whole { WHOLE_NAME } else { 0.0 };
        1.0 + place + name
    }

    /// The factor of a document by its place alone.
    pub fn of_place(&self, doc: DocId) -> f64 {
        let here = self.places.iter().filter(|(_, docs)| docs.contains(doc));
        1.0 + here.map(|(adds, _)| adds).sum::<f64>()
    }

    /// The factor of a document; `is_covered` says whether `q` covers all of its name.
    pub fn of(&self, doc: DocId, is_covered: bool) -> f64 {
        let is_whole = is_covered && self.has_whole_name(doc);
        self.of_place(doc) + if is_whole { WHOLE_NAME } else { 0.0 }
    }

    /// Does the name stand whole in `q`, without legal forms and article?
    fn has_whole_name(&self, doc: DocId) -> bool {
        let (core, tokens) = self.snapshot.name_tokens(doc);
        let mut name: Vec<Vec<u32>> = Vec::new();
        let mut words = 0;
        tokens.of_core(core, |token, _| match token {
            Token::Word(code) => {
                name.push(vec![code]);
                words += 1;
            }
            Token::Gap => name.push(Vec::new()),
            Token::Alternative(code) => name.last_mut().into_iter().for_each(|it| it.push(code)),
            Token::Joined { .. } => {}
        });
        let is_same = |ours: &Vec<u32>, theirs: &Vec<u32>| {
            ours.iter().any(|code| theirs.contains(code)) || ours.is_empty() && theirs.is_empty()
        };
        words >= WHOLE_NAME_WORDS_MIN
            && self
                .words
                .windows(name.len())
                .any(|q| q.iter().zip(&name).all(|(a, b)| is_same(a, b)))
    }
}
