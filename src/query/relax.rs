//! Ranking of relaxed answers: how much of `q` and of the name a business shares.
//!
//! Words weigh by how rare they are. A business is compared with `q` from both sides: the share of `q` that it
//! holds, in its name or, for less, elsewhere; and the share of its name that `q` covers. The product decides:
//! a short name that is all in `q` beats a long one that has the same words among many others.

use super::plan::{Plan, Planner};
use super::prefix::begun_name_codes;
use super::text::{Phrase, QueryWord};
use super::understand::{Understanding, Understood};
use crate::analyzer::TextField;
use crate::ids::DocId;
use crate::snapshot::Snapshot;
use crate::snapshot::doc_tokens::{CODE_MIN, Token};

/// What a word that is not in the name but elsewhere counts.
const ELSEWHERE: f64 = 0.3;

/// What a business counts whose name `q` covers not at all; one whose name it covers counts 1.
const UNCOVERED: f64 = 0.35;

/// How much more rare words weigh than their rarity says. Chosen on names as authors wrote them and on other names
/// of organisations: with 1 instead, an answer was among the first ten in 59.6 % instead of 60.4 % of the latter.
const SHARPNESS: f64 = 1.25;

/// Fixed point of the score.
const ONE: f64 = 1_000_000.0;

/// Scores relaxed hits.
#[derive(Debug)]
pub struct RelaxedScorer<'s> {
    snapshot: &'s Snapshot,
    clauses: Vec<WeighedClause<'s>>,
    total: f64,
    /// Codes of all words of `q`, in all their forms and readings; sorted.
    codes: Vec<u32>,
}

/// How much a business and `q` share, each from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shares {
    /// Of `q`, by weight; what is not in the name counts for less.
    pub of_query: f64,
    /// Of the name, by weight and without legal forms at its end.
    pub of_name: f64,
}

#[derive(Debug)]
struct WeighedClause<'s> {
    weight: f64,
    in_name: Plan<'s>,
    anywhere: Plan<'s>,
}

impl<'s> RelaxedScorer<'s> {
    /// A scorer for what a relaxed `q` means.
    pub fn new(planner: &Planner<'s>, understanding: &Understanding<'s>) -> RelaxedScorer<'s> {
        let snapshot = planner.snapshot();
        let clauses: Vec<WeighedClause<'s>> = understanding
            .clauses
            .iter()
            .map(|understood| WeighedClause {
                weight: sharpened(weight(snapshot, understood)),
                in_name: understood.in_name(planner),
                anywhere: understood.anywhere(planner),
            })
            .collect();
        let mut codes: Vec<u32> = understanding
            .clauses
            .iter()
            .flat_map(|understood| codes(snapshot, understood))
            .collect();
        codes.sort_unstable();
        codes.dedup();
        let total = clauses.iter().map(|clause| clause.weight).sum::<f64>().max(1.0);
        RelaxedScorer { snapshot, clauses, total, codes }
    }

    /// The score of a hit: the larger, the more it shares.
    pub fn score(&self, doc: DocId) -> u32 {
        let Shares { of_query, of_name } = self.shares(doc);
        (of_query * (UNCOVERED + (1.0 - UNCOVERED) * of_name) * ONE).round() as u32
    }

    /// What the score of a hit is made from.
    pub fn shares(&self, doc: DocId) -> Shares {
        let held: f64 = self
            .clauses
            .iter()
            .map(|clause| {
                if clause.in_name.contains(doc) {
                    clause.weight
                } else if clause.anywhere.contains(doc) {
                    clause.weight * ELSEWHERE
                } else {
                    0.0
                }
            })
            .sum();
        Shares { of_query: held / self.total, of_name: self.covered(doc) }
    }

    /// The share of the name, by weight and without legal forms at its end, that words of `q` cover.
    fn covered(&self, doc: DocId) -> f64 {
        let tokens = self.snapshot.doc_tokens(doc);
        let terms = self.snapshot.terms();
        // For each position its weight, and whether a word of `q` stands there.
        let mut positions: Vec<(f64, bool)> = Vec::new();
        for token in tokens.field(TextField::Name as usize) {
            let is_in_q = |code: u32| self.codes.binary_search(&code).is_ok();
            match token {
                Token::Word(code) => {
                    if positions.len() == tokens.name_core_len as usize {
                        break;
                    }
                    positions.push((sharpened(terms.weight_of_code(code)), is_in_q(code)));
                }
                Token::Gap => positions.push((0.0, false)),
                Token::Alternative(code) => {
                    if let Some((_, covered)) = positions.last_mut() {
                        *covered |= is_in_q(code);
                    }
                }
                Token::Joined { parts, code } => {
                    if is_in_q(code) {
                        let from = positions.len().saturating_sub(parts as usize);
                        positions[from..].iter_mut().for_each(|(_, covered)| *covered = true);
                    }
                }
            }
        }
        let total: f64 = positions.iter().map(|(weight, _)| weight).sum();
        let covered: f64 =
            positions.iter().filter(|(_, covered)| *covered).map(|(weight, _)| weight).sum();
        // An empty sum of floats is -0.
        covered.max(0.0) / total.max(1.0)
    }
}

/// A weight as it counts.
fn sharpened(weight: u32) -> f64 {
    f64::from(weight).powf(SHARPNESS)
}

/// The weight of a clause: that of its words, or of its first reading; a word that stands nowhere weighs as much
/// as one that stands once.
fn weight(snapshot: &Snapshot, understood: &Understood) -> u32 {
    let mut phrase = Phrase::default();
    match understood.readings.words.first() {
        Some(word) => phrase.words.push((0, word.clone())),
        None => phrase.extend(&understood.clause.term),
    }
    phrase.words.iter().map(|(_, word)| word_weight(snapshot, word)).sum()
}

fn word_weight(snapshot: &Snapshot, word: &QueryWord) -> u32 {
    let terms = snapshot.terms();
    let codes = word.forms.iter().filter_map(|form| terms.ord(form)).map(|ord| terms.code(ord));
    let unknown = (256.0 * (1.0 + f64::from(snapshot.num_docs())).ln()) as u32;
    codes.map(|code| terms.weight_of_code(code)).min().unwrap_or(unknown)
}

/// Codes of every word that a clause may mean.
fn codes(snapshot: &Snapshot, understood: &Understood) -> Vec<u32> {
    let terms = snapshot.terms();
    let mut phrase = Phrase::default();
    phrase.extend(&understood.clause.term);
    phrase.words.extend(understood.readings.split.iter().flat_map(|split| split.words.clone()));
    let joined = match &understood.clause.term {
        super::text::Term::Compound { joined, .. } => Some(joined),
        _ => None,
    };
    let words = phrase.words.iter().map(|(_, word)| word);
    let others = understood.neighbours.iter().flatten().chain(&understood.readings.words);
    let forms = words.chain(others).chain(joined).flat_map(|word| &word.forms);
    let mut codes: Vec<u32> =
        forms.filter_map(|form| terms.ord(form)).map(|ord| terms.code(ord)).collect();
    if let (Some(_), super::text::Term::Word(word)) = (&understood.prefix, &understood.clause.term)
    {
        codes.extend(begun_name_codes(snapshot, word));
    }
    debug_assert!(codes.iter().all(|&code| code >= CODE_MIN));
    codes
}
