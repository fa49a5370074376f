//! The phrase verifier: whether words stand next to each other in a document, by its tokens, after
//! the pre-filter by next words.

use super::matcher::{NameMatch, PhraseMatcher};
use crate::analyzer::TextField;
use crate::ids::DocId;
use crate::query::sets::chunk::Chunk;
use crate::query::sets::doc_set::DocSet;
use crate::query::sets::predicate::Predicate;
use crate::snapshot::Snapshot;
use crate::snapshot::terms::impacts::ChunkPlaces;
use crate::snapshot::terms::next_word::NextWordCursor;
use std::borrow::Cow;

/// Tokens that are read to verify a candidate: those of a document, far from those of the next.
const TOKENS: u64 = 128;

/// Tokens and bytes of the pre-filter that are read for each candidate where there is one, which
/// about one candidate of 16 passes.
const PREFILTERED_TOKENS: u64 = 4 + TOKENS / 16;

/// What is looked for in the tokens of a document.
#[derive(Debug)]
pub struct PhraseVerifier<'s> {
    snapshot: &'s Snapshot,
    /// The words.
    matcher: PhraseMatcher<'s>,
    /// How they must stand.
    place: Place,
    /// What rejects most candidates without reading their tokens.
    followers: Vec<NextWordCursor<'s>>,
}

/// How words must stand in a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// As a phrase in one of these fields.
    Within(&'static [TextField]),
    /// At the start of the name.
    BeginName(NameMatch),
    /// As an alias.
    IsAlias,
}

impl Place {
    /// The fields that are looked at.
    pub fn fields(self) -> &'static [TextField] {
        match self {
            Place::Within(fields) => fields,
            Place::BeginName(_) => &[TextField::Name],
            Place::IsAlias => &[TextField::Alias],
        }
    }
}

impl<'s> PhraseVerifier<'s> {
    /// The check whether the words of `matcher` stand as `place` says. Where one of `followers`
    /// says that what it is of is not followed as the words are, they do not.
    pub fn new(
        snapshot: &'s Snapshot,
        matcher: PhraseMatcher<'s>,
        place: Place,
        followers: Vec<NextWordCursor<'s>>,
    ) -> PhraseVerifier<'s> {
        PhraseVerifier { snapshot, matcher, place, followers }
    }
}

impl Predicate for PhraseVerifier<'_> {
    fn prefilter(&self, key: u16, lows: &Chunk<'_>) -> Chunk<'static> {
        let mut left = lows.to_array();
        for followers in &self.followers {
            let mut passing = Vec::new();
            followers.among(&[(key, 0..left.len())], &left, |number| passing.push(left[number]));
            left = passing;
        }
        Chunk::Array(left)
    }

    fn prefilter_set<'d>(&self, docs: &'d DocSet) -> Cow<'d, DocSet> {
        self.followers.iter().fold(Cow::Borrowed(docs), |left, followers| {
            let chunks: Vec<ChunkPlaces> = left.chunks().collect();
            let (mut passing, mut docs) = (DocSet::default(), left.places());
            followers.among(&chunks, left.lows(), |number| passing.push(docs.doc(number).0));
            Cow::Owned(passing)
        })
    }

    fn announce(&self, docs: &mut dyn Iterator<Item = DocId>) {
        self.snapshot.touch_doc_tokens(docs);
    }

    fn matches(&self, doc: DocId) -> bool {
        let tokens = self.snapshot.doc_tokens(doc);
        match self.place {
            Place::Within(fields) => self.matcher.matches(&tokens, fields),
            Place::BeginName(wanted) => self.matcher.begins_name(&tokens) == Some(wanted),
            Place::IsAlias => self.matcher.is_alias(&tokens),
        }
    }

    fn cost(&self) -> u64 {
        if self.followers.is_empty() { TOKENS } else { PREFILTERED_TOKENS }
    }

    fn describe(&self) -> String {
        let terms = self.snapshot.terms();
        let term_of = |code: Option<u32>| code.and_then(|code| terms.term_of_code(code));
        let codes = self.matcher.sample_codes().into_iter();
        let words: Vec<String> =
            codes.map(|code| term_of(code).unwrap_or_else(|| "?".to_owned())).collect();
        let place = match self.place {
            Place::Within(fields) if fields == TextField::ALL => "in one field".to_owned(),
            Place::Within(fields) => {
                let names: Vec<&str> = fields.iter().map(|field| field.name()).collect();
                format!("in {}", names.join(" or "))
            }
            Place::BeginName(_) => "at the start of the name".to_owned(),
            Place::IsAlias => "as an alias".to_owned(),
        };
        format!("\"{}\" {place}", words.join(" "))
    }
}
