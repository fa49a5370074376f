//! Which fields of a business hold a clause, and how.
//!
//! Postings say that a business matches; the fields are told by its words, with the matchers that
//! check phrases.

use crate::analyzer::TextField;
use crate::ids::DocId;
use crate::query::interpret::ClauseMatch;
use crate::query::interpret::prefix::BegunWords;
use crate::query::phrase::matcher::PhraseMatcher;
use crate::query::session::Session;
use crate::query::text::{Phrase, QueryWord, Term};
use crate::snapshot::Snapshot;
use crate::snapshot::columns::doc_tokens::DocTokens;

const NAME: &[TextField] = &[TextField::Name];
const HOST: &[TextField] = &[TextField::Host];
const ALIAS: &[TextField] = &[TextField::Alias];
const JOINED: &[TextField] = &[TextField::Name, TextField::Host, TextField::Alias];

/// A field that holds a clause.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    /// The field.
    pub field: TextField,
    /// The first way in which it does, in the order of [`How`].
    pub how: How,
}

/// How a field holds a clause.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum How {
    /// The business is on the host that the clause names.
    OnHost,
    /// As it stands in `q`.
    AsWritten,
    /// Written together with a neighbour.
    WithNeighbour(String),
    /// As what it may have meant.
    Reading(String),
    /// As the beginning of a word.
    Prefix,
}

/// All ways in which a clause matches, best first.
pub(super) struct Ways<'s> {
    ways: Vec<Way<'s>>,
    /// The businesses on the host that the clause names.
    on_host: Vec<DocId>,
}

/// One way: every part must stand in some field, by any of its matchers.
struct Way<'s> {
    how: How,
    fields: &'static [TextField],
    parts: Vec<Vec<PhraseMatcher<'s>>>,
}

impl<'s> Ways<'s> {
    /// The ways of a clause.
    pub fn new(session: &Session<'s>, clause_match: &ClauseMatch<'_>) -> Ways<'s> {
        let matcher = |phrase: &Phrase| session.matcher(phrase, &TextField::ALL);
        let of_word = |word: &QueryWord| matcher(&Phrase::of_word(word.clone()));
        let way = |how, fields, matcher| Way { how, fields, parts: vec![vec![matcher]] };
        let term = &clause_match.clause.term;
        let mut ways = vec![Way {
            how: How::AsWritten,
            fields: &TextField::ALL,
            parts: match term {
                Term::Host { labels, .. } => {
                    labels.iter().map(|label| matchers(session, label)).collect()
                }
                term => vec![matchers(session, term)],
            },
        }];
        if let Term::Host { compound: Some(compound), .. } = term {
            let parts = vec![matchers(session, compound)];
            ways.push(Way { how: How::AsWritten, fields: &TextField::ALL, parts });
        }
        for word in clause_match.neighbours.iter().flatten() {
            let how = How::WithNeighbour(word.forms[0].clone());
            ways.push(way(how, JOINED, of_word(word)));
        }
        for word in &clause_match.readings.words {
            let how = How::Reading(word.forms[0].clone());
            ways.push(way(how, &TextField::ALL, of_word(word)));
        }
        if let Some(split) = &clause_match.readings.split {
            let words: Vec<&str> =
                split.words.iter().map(|(_, word)| word.forms[0].as_str()).collect();
            ways.push(way(How::Reading(words.join(" ")), &TextField::ALL, matcher(split)));
        }
        if let (Some(_), Term::Word(word)) = (&clause_match.prefix, term) {
            let words = BegunWords::of(session, word);
            let begun =
                [(&words.name_codes, NAME), (&words.host_codes, HOST), (&words.alias_codes, ALIAS)];
            for (codes, fields) in begun {
                let mut begun = of_word(&QueryWord { forms: [].into() });
                begun.add_codes(0, codes);
                ways.push(way(How::Prefix, fields, begun));
            }
        }
        let on_host = match term {
            Term::Host { name, .. } => session.host(name).doc_set().iter().collect(),
            _ => Vec::new(),
        };
        Ways { ways, on_host }
    }

    /// The fields of a business that hold the clause.
    pub fn held(&self, snapshot: &Snapshot, doc: DocId) -> Vec<Held> {
        let tokens = snapshot.doc_tokens(doc);
        let mut all: Vec<Held> = Vec::new();
        if self.on_host.contains(&doc) {
            all.push(Held { field: TextField::Host, how: How::OnHost });
        }
        for way in &self.ways {
            for field in way.fields_in(&tokens) {
                if all.iter().all(|held| held.field != field) {
                    all.push(Held { field, how: way.how.clone() });
                }
            }
        }
        all.sort_by_key(|held| held.field);
        all
    }
}

impl Way<'_> {
    fn fields_in(&self, tokens: &DocTokens<'_>) -> Vec<TextField> {
        let holds = |part: &[PhraseMatcher<'_>], field: TextField| {
            part.iter().any(|matcher| matcher.matches(tokens, &[field]))
        };
        let holds_somewhere =
            |part: &Vec<PhraseMatcher<'_>>| self.fields.iter().any(|&field| holds(part, field));
        if !self.parts.iter().all(holds_somewhere) {
            return Vec::new();
        }
        let holds_some = |field: &TextField| self.parts.iter().any(|part| holds(part, *field));
        self.fields.iter().copied().filter(holds_some).collect()
    }
}

/// What a term is found by.
fn matchers<'s>(session: &Session<'s>, term: &Term) -> Vec<PhraseMatcher<'s>> {
    let matcher = |phrase: &Phrase| session.matcher(phrase, &TextField::ALL);
    let of_word = |word: &QueryWord| matcher(&Phrase::of_word(word.clone()));
    match term {
        Term::Word(word) => vec![of_word(word)],
        Term::Compound { joined, parts } => vec![of_word(joined), matcher(parts)],
        Term::Phrase(phrase) => vec![matcher(phrase)],
        Term::Host { labels, .. } => {
            labels.iter().flat_map(|label| matchers(session, label)).collect()
        }
    }
}
