//! What a `q` asks for in one collection: contract, section 3, "AND", "Prefix" and "Exclusion".
//!
//! The words of `q` are read against the whole collection, "filters and exclusions aside": which of
//! them match, and what stands for those that do not.

use super::correction::{self, Readings};
use super::text::{Searched, term_matches};
use super::{Oracle, relaxation};
use firmament::analyzer::fold_text;
use firmament::query::text::{Clause, QueryWord, Term, TextQuery};
use std::borrow::Cow;

/// A `q`, clause_match.
#[derive(Clone)]
pub struct Meaning<'q> {
    /// The text as parsed.
    pub q: &'q TextQuery,
    /// What it requires, in order.
    pub required: Vec<Required<'q>>,
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

/// "An article … in front of `q` … is a word like others, and optional if nothing matches with it
/// (tried before correction, place words and relaxation)".
pub fn without_article<'q>(q: &'q TextQuery, oracle: &Oracle) -> Cow<'q, TextQuery> {
    let is_matched = |text: &TextQuery| {
        let meaning = Meaning { q: text, required: required(text), is_relaxed: false };
        oracle.records().iter().any(|record| meaning.matches_all(&record.searched))
    };
    match q.without_article() {
        Some(rest) if !is_matched(q) && is_matched(&rest) => Cow::Owned(rest),
        _ => Cow::Borrowed(q),
    }
}

impl<'q> Meaning<'q> {
    /// Understands a `q` in a collection.
    pub fn of(q: &'q TextQuery, oracle: &Oracle) -> Meaning<'q> {
        let required = required(q);
        let mut meaning = Meaning { q, required, is_relaxed: false };
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
    add_initials(q, &mut required);
    required
}

/// "A maximal run of two to five single letters … in `q` …, with spaces or dots between (`A B C`,
/// `P.K.`), has a joined form as well (`abc`), which may be joined with its neighbour as a plain
/// word may".
fn add_initials(q: &TextQuery, required: &mut [Required<'_>]) {
    let folded = fold_text(q.as_str());
    // The letters of a clause, if it is nothing else.
    let letters = |required: &Required<'_>| -> Option<Vec<QueryWord>> {
        let words: Vec<QueryWord> = match &required.clause.term {
            Term::Word(word) if !required.clause.is_quoted => vec![word.clone()],
            Term::Compound { parts, .. } => {
                let span = required.clause.span.clone();
                let signs = folded[span].chars().filter(|c| !c.is_alphanumeric());
                let words = parts.words.iter().map(|(_, word)| word.clone());
                if signs.clone().count() > 0 && signs.clone().all(|c| c == '.') {
                    words.collect()
                } else {
                    return None;
                }
            }
            _ => return None,
        };
        let is_letter = |word: &QueryWord| {
            word.forms[0].chars().count() == 1 && word.forms[0].chars().all(char::is_alphabetic)
        };
        words.iter().all(is_letter).then_some(words)
    };
    let is_parted = |left: &Required<'_>, right: &Required<'_>| {
        let between = &folded[left.clause.span.end..right.clause.span.start];
        between.chars().all(|c| c == '.' || c.is_whitespace())
    };
    let all: Vec<Option<Vec<QueryWord>>> = required.iter().map(letters).collect();
    for start in 0..all.len() {
        for end in start + 1..=all.len() {
            let is_run = all[start..end].iter().all(Option::is_some)
                && (start + 1..end).all(|at| is_parted(&required[at - 1], &required[at]));
            let go_together = |at: usize| {
                all[at - 1].is_some()
                    && all[at].is_some()
                    && is_parted(&required[at - 1], &required[at])
            };
            let is_maximal =
                (start == 0 || !go_together(start)) && (end == all.len() || !go_together(end));
            let words: Vec<QueryWord> =
                all[start..end].iter().flatten().flatten().cloned().collect();
            if !is_run || !is_maximal || !(2..=5).contains(&words.len()) {
                continue;
            }
            // All stripped, or all expanded.
            let written = |form: fn(&QueryWord) -> &String| -> String {
                words.iter().map(|word| form(word).as_str()).collect()
            };
            let joined =
                [written(|word| &word.forms[0]), written(|word| word.forms.last().unwrap())];
            if end - start > 1 {
                required[start..end].iter_mut().for_each(|it| it.joined.extend(joined.clone()));
            }
            let forms_of = |required: &Required<'_>| {
                required.word().map(|word| word.forms.to_vec()).unwrap_or_default()
            };
            if start > 0 {
                let before = forms_of(&required[start - 1]);
                let both = pairs(&before, &joined);
                required[start - 1..end].iter_mut().for_each(|it| it.joined.extend(both.clone()));
            }
            if end < all.len() {
                let behind = forms_of(&required[end]);
                let both = pairs(&joined, &behind);
                required[start..=end].iter_mut().for_each(|it| it.joined.extend(both.clone()));
            }
        }
    }
}

fn pairs(left: &[String], right: &[String]) -> Vec<String> {
    left.iter().flat_map(|a| right.iter().map(move |b| format!("{a}{b}"))).collect()
}

/// All joined forms of two neighbours, if both are plain words.
fn joined_forms(left: &Required<'_>, right: &Required<'_>) -> Vec<String> {
    let plain = |required: &Required<'_>| {
        required.word().map(|word| word.forms.to_vec()).unwrap_or_default()
    };
    pairs(&plain(left), &plain(right))
}
