//! What a `q` asks for in one collection: contract, section 3, "AND", "Prefix" and "Exclusion".
//!
//! The words of `q` are read against the whole collection, "filters and exclusions aside": which of
//! them match, and what stands for those that do not.

use super::correction::{self, Readings};
use super::text::{Searched, term_matches};
use super::{Oracle, relaxation};
use firmament::query::text::{Clause, QueryWord, Term, TextQuery};

/// A `q`, clause_match.
#[derive(Clone)]
pub struct Meaning<'q> {
    /// The text as parsed.
    pub q: &'q TextQuery,
    /// What it requires, in order.
    pub required: Vec<Required<'q>>,
    /// `q` with each corrected word replaced.
    pub corrected: Option<String>,
    /// Did nothing match all words, so that any of them will do?
    pub is_relaxed: bool,
}

/// One of the clauses that must match, with all that stands for it.
#[derive(Clone)]
pub struct Required<'q> {
    /// The clause.
    pub clause: &'q Clause,
    /// The joined forms of it and its left neighbour, and of it and its right neighbour.
    pub joined: Vec<String>,
    /// What a correction makes of it.
    pub readings: Option<Readings>,
}

impl<'q> Meaning<'q> {
    /// Understands a `q` in a collection.
    pub fn of(q: &'q TextQuery, oracle: &Oracle) -> Meaning<'q> {
        let required = required(q);
        let mut meaning = Meaning { q, required, corrected: None, is_relaxed: false };
        correction::correct(&mut meaning, oracle);
        meaning.is_relaxed = relaxation::is_needed(&meaning, oracle);
        meaning
    }

    /// Does a record match, exclusions aside?
    pub fn matches(&self, record: &Searched) -> bool {
        // "Blank `q` is no `q`: everything matches." "Only exclusions: everything except them."
        // "`q` without any word (`!!!`) matches nothing."
        match self.is_relaxed {
            true => relaxation::matches(self, record),
            false => !self.q.is_wordless() && self.matches_all(record),
        }
    }

    /// "every word must match"; "Optional are legal forms at the end of `q`".
    pub fn matches_all(&self, record: &Searched) -> bool {
        self.required.iter().all(|required| required.matches(record))
    }

    /// "`-word`, `-"phrase"`: whole words, any searched field."
    pub fn excludes(&self, record: &Searched) -> bool {
        self.q.excluded().iter().any(|term| term_matches(term, record))
    }
}

impl Required<'_> {
    /// Does a record match?
    pub fn matches(&self, record: &Searched) -> bool {
        self.matches_as_written(record)
            || self.matches_by_prefix(record)
            || self.matches_with_neighbour(record)
            || self.readings.as_ref().is_some_and(|readings| readings.match_in(record))
    }

    /// Does a record match the clause by itself, by whole words?
    pub fn matches_as_written(&self, record: &Searched) -> bool {
        term_matches(&self.clause.term, record)
    }

    /// "also matches as a prefix in name and host"
    pub fn matches_by_prefix(&self, record: &Searched) -> bool {
        self.clause.is_prefix
            && self.word().is_some_and(|word| record.name_and_host().any(|f| f.has_prefix(word)))
    }

    /// "Two neighbouring plain words also match, together, a word of a name or host that is their
    /// joined form"
    pub fn matches_with_neighbour(&self, record: &Searched) -> bool {
        record.name_and_host().any(|field| field.has_any_of(&self.joined))
    }

    /// The plain word that the clause is; quoted words are phrases.
    pub fn word(&self) -> Option<&QueryWord> {
        match &self.clause.term {
            Term::Word(word) if !self.clause.is_quoted => Some(word),
            _ => None,
        }
    }
}

/// The clauses that must match, each with the joined forms of it and its neighbours.
fn required(q: &TextQuery) -> Vec<Required<'_>> {
    let of = |clause| Required { clause, joined: Vec::new(), readings: None };
    let mut required: Vec<Required<'_>> = q.required().iter().map(of).collect();
    for left in 1..required.len() {
        // "neighbouring plain words": "legal forms and exclusions have no neighbours" - legal forms
        // at the end are not among the required clauses, exclusions neither. A starred word is a
        // plain word.
        let joined = joined_forms(&required[left - 1], &required[left]);
        required[left - 1].joined.extend(joined.iter().cloned());
        required[left].joined.extend(joined);
    }
    required
}

/// All joined forms of two neighbours, if both are plain words.
fn joined_forms(left: &Required<'_>, right: &Required<'_>) -> Vec<String> {
    let plain = |required: &Required<'_>| {
        required.word().map(|word| word.forms.clone()).unwrap_or_default()
    };
    let (left, right) = (plain(left), plain(right));
    left.iter().flat_map(|a| right.iter().map(move |b| format!("{a}{b}"))).collect()
}
