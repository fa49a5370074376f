//! How one clause of `q` was clause_match.

use super::plan_tree::cardinality;
use super::term_text::{show_phrase, show_term, show_word};
use crate::query::interpret::ClauseMatch;
use crate::query::interpret::prefix::BegunWords;
use crate::query::session::Session;
use crate::query::text::{QueryWord, Term};
use std::ops::Range;

/// One clause and what it was clause_match as.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClauseExplanation {
    /// The clause as it stands in the folded `q`.
    pub text: String,
    /// What kind of clause it is.
    pub kind: ClauseKind,
    /// What is looked up for it: forms, the joined form, the words of a phrase, the labels of a
    /// host.
    pub looked_up: Vec<String>,
    /// Did it stand in quotes?
    pub is_quoted: bool,
    /// Did it end in `*`?
    pub is_starred: bool,
    /// What begins with it, if it may be a prefix.
    pub prefix: Option<PrefixReach>,
    /// What it is together with a neighbour, where names, aliases or hosts hold that.
    pub with_neighbours: Vec<String>,
    /// The words it may have meant.
    pub readings: Vec<String>,
    /// The two words it may have meant.
    pub split: Option<String>,
    /// How many businesses it matches, where that is cheap to say.
    pub businesses: Option<u64>,
}

/// What kind of clause it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClauseKind {
    /// A plain word.
    Word,
    /// Parts joined by signs.
    Compound,
    /// Words in quotes.
    Phrase,
    /// A run of characters of a script without spaces.
    Run,
    /// A host or URL.
    Host,
}

/// What begins with a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrefixReach {
    /// Words of names, aliases and hosts.
    pub words: usize,
    /// Businesses with such a word in their name.
    pub names: u64,
    /// Businesses with such a word in their host.
    pub hosts: u64,
    /// Documents with such a word in an alias.
    pub aliases: u64,
}

impl ClauseExplanation {
    /// Explains a clause of a `q` that folds to `folded`.
    pub fn new<'s>(
        session: &Session<'s>,
        clause_match: &ClauseMatch<'s>,
        folded: &str,
    ) -> ClauseExplanation {
        let clause = &clause_match.clause;
        let Range { start, end } = clause.span;
        let readings = &clause_match.readings;
        let mut with_neighbours: Vec<String> = clause_match
            .neighbours
            .iter()
            .flatten()
            .flat_map(|word| word.forms.iter().cloned())
            .collect();
        with_neighbours.dedup();
        ClauseExplanation {
            text: folded.get(start..end).unwrap_or_default().to_owned(),
            kind: kind(&clause.term, clause.is_quoted),
            looked_up: looked_up(&clause.term),
            is_quoted: clause.is_quoted,
            is_starred: clause.is_starred,
            prefix: match (&clause_match.prefix, &clause.term) {
                (Some(_), Term::Word(word)) => Some(reach(session, word)),
                _ => None,
            },
            with_neighbours,
            readings: readings.words.iter().map(show_word).collect(),
            split: readings.split.as_ref().map(show_phrase),
            businesses: cardinality(&clause_match.anywhere(session), session.snapshot()),
        }
    }
}

fn kind(term: &Term, is_quoted: bool) -> ClauseKind {
    match term {
        Term::Word(_) => ClauseKind::Word,
        Term::Compound { .. } => ClauseKind::Compound,
        Term::Phrase(_) if is_quoted => ClauseKind::Phrase,
        Term::Phrase(_) => ClauseKind::Run,
        Term::Host { .. } => ClauseKind::Host,
    }
}

fn looked_up(term: &Term) -> Vec<String> {
    match term {
        Term::Word(word) => word.forms.to_vec(),
        Term::Compound { joined, parts } => {
            joined.forms.iter().cloned().chain([show_phrase(parts)]).collect()
        }
        Term::Phrase(phrase) => vec![show_phrase(phrase)],
        Term::Host { labels, compound, .. } => {
            let labels: Vec<String> = labels.iter().map(show_term).collect();
            let compound = compound.iter().flat_map(|compound| looked_up(compound));
            [show_term(term), labels.join(" ")].into_iter().chain(compound).collect()
        }
    }
}

fn reach(session: &Session<'_>, word: &QueryWord) -> PrefixReach {
    let begun = BegunWords::of(session, word);
    let codes = begun.name_codes.iter().chain(&begun.host_codes).chain(&begun.alias_codes);
    let mut codes: Vec<u32> = codes.copied().collect();
    codes.sort_unstable();
    codes.dedup();
    PrefixReach {
        words: codes.len(),
        names: begun.names.len(),
        hosts: begun.hosts.len(),
        aliases: begun.aliases.len(),
    }
}
