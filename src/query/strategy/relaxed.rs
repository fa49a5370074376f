//! Ranking of relaxed answers: how much of `q` and of the name a business shares.
//!
//! Words weigh by how rare they are. A business is compared with `q` from both sides: the share of
//! `q` that it holds, in its name or, for less, elsewhere; and the share of its name that `q`
//! covers. The product decides: a short name that is all in `q` beats a long one that has the same
//! words among many others. What stands there as it was asked for counts in full; less counts what
//! stands there only as a reading of a misspelt word, as the longer word that the last one begins,
//! or as a word that begins alike (Universität, University): such a word makes nobody a hit, but
//! tells hits apart.

mod akin;
mod common_names;
mod portions;
mod walk;

use crate::ids::{DocId, TermOrd};
use crate::query::interpret::prefix::begun_in_names;
use crate::query::interpret::{ClauseMatch, Interpretation};
use crate::query::session::Session;
use crate::query::sets::set_expr::SetExpr;
use crate::query::text::{Phrase, QueryWord, Term};
use crate::snapshot::Snapshot;
use crate::snapshot::answers::name_weights::sharpened;
use crate::snapshot::columns::doc_tokens::{CODE_MIN, Token};

// The figures below are chosen on short and other names of companies and organisations, on names as
// authors wrote them, and on names with typing errors. Of 2,257 such queries that were relaxed,
// 1,439 have an answer at the first rank and 1,761 among the first ten; without akin words 1,388
// and 1,730, if readings count in full 1,379 and 1,754, with a sharpness of 1 1,437 and 1,756.

/// What a word that is not in the name but elsewhere counts.
const ELSEWHERE: f64 = 0.4;

/// What a word counts of which only a reading is there.
const READING: f64 = 0.6;

/// What a word counts that is there only as the start of another one.
const PREFIX: f64 = 0.6;

/// What a business counts whose name `q` covers not at all; one whose name it covers counts 1.
const UNCOVERED: f64 = 0.4;

/// Fixed point of the score.
const ONE: f64 = 1_000_000.0;

/// Scores relaxed hits.
#[derive(Debug)]
pub struct RelaxedScorer<'s> {
    snapshot: &'s Snapshot,
    clauses: Vec<WeighedClause<'s>>,
    total: f64,
    /// For the codes of all words of `q`, in all forms, readings and akin words: what a word of the
    /// name with that code is covered by; sorted by code.
    cover: Vec<(u32, f64)>,
    /// The terms of these, and for which clauses they cover names; sorted.
    covering: Vec<(TermOrd, Vec<usize>)>,
    /// Code, clause, and what the clause counts if its word is in the name only as the akin word
    /// with that code; sorted.
    akin: Vec<(u32, u32, f64)>,
    /// The most that each clause counts by an akin word.
    akin_max: Vec<f64>,
}

/// How much a business and `q` share, each from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shares {
    /// Of `q`, by weight; what is not in the name counts for less.
    pub of_query: f64,
    /// Of the name, by weight and without legal forms at its end.
    pub of_name: f64,
}

/// Where a clause stands: the first of `ways` that holds a business says what it counts there.
#[derive(Debug)]
struct WeighedClause<'s> {
    weight: f64,
    ways: [(SetExpr<'s>, f64); 5],
}

impl<'s> RelaxedScorer<'s> {
    /// A scorer for what a relaxed `q` means.
    pub fn new(session: &Session<'s>, interpretation: &Interpretation<'s>) -> RelaxedScorer<'s> {
        let snapshot = session.snapshot();
        let clauses: Vec<WeighedClause<'s>> = interpretation
            .clauses
            .iter()
            .map(|clause_match| {
                // Where a clause has no other ways than its own, there is nothing to ask.
                let has_readings = !clause_match.readings.is_empty();
                let is_wide = has_readings
                    || clause_match.prefix.is_some()
                    || clause_match.neighbours.iter().any(Option::is_some);
                let only_if = |condition: bool, plan: fn(&ClauseMatch<'s>, &Session<'s>) -> _| {
                    if condition { plan(clause_match, session) } else { SetExpr::EMPTY }
                };
                WeighedClause {
                    weight: sharpened(weight(session, clause_match)),
                    ways: [
                        (clause_match.in_name_as_written(session), 1.0),
                        (only_if(has_readings, ClauseMatch::in_name_whole), READING),
                        (clause_match.in_name_as_prefix(), PREFIX),
                        (session.term(&clause_match.clause.term), ELSEWHERE),
                        (only_if(is_wide, ClauseMatch::anywhere), ELSEWHERE * READING),
                    ],
                }
            })
            .collect();
        let terms = snapshot.terms();
        let (mut akin, mut cover, mut meant) = (Vec::new(), Vec::new(), Vec::new());
        for (clause, clause_match) in (0..).zip(&interpretation.clauses) {
            for (ord, covers) in words(session, clause_match) {
                cover.push((terms.code(ord), covers));
                meant.push((ord, clause as usize));
            }
            for (ord, counts) in akin::words(snapshot, &clause_match.clause) {
                akin.push((terms.code(ord), clause, counts));
                cover.push((terms.code(ord), counts));
                meant.push((ord, clause as usize));
            }
            if let (Some(_), Term::Word(word)) = (&clause_match.prefix, &clause_match.clause.term) {
                for ord in begun_in_names(session, word) {
                    cover.push((terms.code(ord), PREFIX));
                    meant.push((ord, clause as usize));
                }
            }
        }
        debug_assert!(cover.iter().all(|&(code, _)| code >= CODE_MIN));
        meant.sort_unstable();
        meant.dedup();
        let covering = meant
            .chunk_by(|a, b| a.0 == b.0)
            .map(|term| (term[0].0, term.iter().map(|(_, clause)| *clause).collect()))
            .collect();
        let mut akin_max = vec![0.0f64; clauses.len()];
        for &(_, clause, counts) in &akin {
            akin_max[clause as usize] = akin_max[clause as usize].max(counts);
        }
        akin.sort_unstable_by_key(|&(code, clause, _)| (code, clause));
        // Of each code the most that it is covered by.
        cover.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        cover.dedup_by_key(|(code, _)| *code);
        let total = clauses.iter().map(|clause| clause.weight).sum::<f64>().max(1.0);
        RelaxedScorer { snapshot, clauses, total, cover, covering, akin, akin_max }
    }

    /// The score of a hit: the larger, the more it shares.
    pub fn score(&self, doc: DocId) -> u32 {
        score_of(&self.shares(doc))
    }

    /// What the score of a hit is made from.
    pub fn shares(&self, doc: DocId) -> Shares {
        let mut counts: Vec<f64> = self.counts(doc).collect();
        self.shares_of(doc, &mut counts, &mut Vec::new())
    }

    /// A score that a hit cannot exceed in which clauses count so much, or as much as an akin word
    /// does, and of whose name `q` covers no more than so much.
    fn score_max(&self, counts: &[f64], akin_max: &[f64], of_name: f64) -> u32 {
        let most = self.held(counts.iter().zip(akin_max).map(|(counts, akin)| counts.max(*akin)));
        // One more, since sums of floats are rounded.
        score_of(&Shares { of_query: most / self.total, of_name }) + 1
    }

    /// What a word of the name with this code is covered by.
    fn cover_of(&self, code: u32) -> f64 {
        let at = self.cover.binary_search_by_key(&code, |&(code, _)| code);
        at.map_or(0.0, |at| self.cover[at].1)
    }

    /// The clauses that the word with this code is akin to, and what they count by it.
    fn akin_of(&self, code: u32) -> impl Iterator<Item = (usize, f64)> {
        let start = self.akin.partition_point(|&(other, ..)| other < code);
        let of_code = self.akin[start..].iter().take_while(move |akin| akin.0 == code);
        of_code.map(|&(_, clause, counts)| (clause as usize, counts))
    }

    fn shares_of(&self, doc: DocId, counts: &mut [f64], positions: &mut Vec<(f64, f64)>) -> Shares {
        let of_name = self.covered(doc, counts, positions);
        Shares { of_query: self.held(counts.iter().copied()) / self.total, of_name }
    }

    /// What each clause counts by where it stands in a hit, akin words aside.
    fn counts(&self, doc: DocId) -> impl Iterator<Item = f64> {
        self.clauses.iter().map(move |clause| {
            clause.ways.iter().find(|(hits, _)| hits.contains(doc)).map_or(0.0, |way| way.1)
        })
    }

    /// The weight of what a hit holds, akin words aside.
    fn held_by(&self, doc: DocId) -> f64 {
        self.held(self.counts(doc))
    }

    /// The weight of clauses that count so much each.
    fn held(&self, counts: impl Iterator<Item = f64>) -> f64 {
        self.clauses.iter().zip(counts).map(|(clause, counts)| clause.weight * counts).sum()
    }

    /// The share of the name, by weight and without legal forms at its end, that words of `q`
    /// cover; raises what the clauses count to what akin words in the name make of them. Uses
    /// `positions` as working space: for each position of the name its weight, and how much of it
    /// words of `q` cover.
    fn covered(&self, doc: DocId, counts: &mut [f64], positions: &mut Vec<(f64, f64)>) -> f64 {
        let (core_len, tokens) = self.snapshot.name_tokens(doc);
        let terms = self.snapshot.terms();
        positions.clear();
        let mut cover = |code: u32| {
            for (clause, akin) in self.akin_of(code) {
                counts[clause] = counts[clause].max(akin);
            }
            self.cover_of(code)
        };
        tokens.of_core(core_len, |token, places| match token {
            Token::Word(code) => {
                positions.push((sharpened(terms.weight_of_code(code)), cover(code)));
            }
            Token::Gap => positions.push((0.0, 0.0)),
            Token::Alternative(code) | Token::Joined { code, .. } => {
                let covers = cover(code);
                let positions = positions[places].iter_mut();
                positions.for_each(|(_, covered)| *covered = covered.max(covers));
            }
        });
        let total: f64 = positions.iter().map(|(weight, _)| weight).sum();
        let covered: f64 = positions.iter().map(|(weight, covered)| weight * covered).sum();
        // An empty sum of floats is -0.
        covered.max(0.0) / total.max(1.0)
    }
}

fn score_of(shares: &Shares) -> u32 {
    let Shares { of_query, of_name } = shares;
    (of_query * (UNCOVERED + (1.0 - UNCOVERED) * of_name) * ONE).round() as u32
}

/// The weight of a clause: that of its words, or of its first reading; a word that stands nowhere
/// weighs as much as one that stands once.
fn weight(session: &Session<'_>, clause_match: &ClauseMatch) -> u32 {
    let mut phrase = Phrase::default();
    match clause_match.readings.words.first() {
        Some(word) => phrase.words.push((0, word.clone())),
        None => phrase.extend(&clause_match.clause.term),
    }
    phrase.words.iter().map(|(_, word)| word_weight(session, word)).sum()
}

fn word_weight(session: &Session<'_>, word: &QueryWord) -> u32 {
    let (snapshot, terms) = (session.snapshot(), session.snapshot().terms());
    let weights = session.ords(word).map(|ord| terms.weight_of_code(terms.code(ord)));
    let unknown = (256.0 * (1.0 + f64::from(snapshot.num_docs())).ln()) as u32;
    weights.min().unwrap_or(unknown)
}

/// Every word that a clause may mean, as it is written or read, each with what it covers.
fn words(session: &Session<'_>, clause_match: &ClauseMatch) -> Vec<(TermOrd, f64)> {
    let mut own = Phrase::default();
    own.extend(&clause_match.clause.term);
    let joined = match &clause_match.clause.term {
        Term::Compound { joined, .. } => Some(joined),
        _ => None,
    };
    let own = own.words.iter().map(|(_, word)| word).chain(joined);
    let own = own.chain(clause_match.neighbours.iter().flatten()).map(|word| (word, 1.0));
    let split = clause_match.readings.split.iter().flat_map(|split| &split.words);
    let read = clause_match.readings.words.iter().chain(split.map(|(_, word)| word));
    let all = own.chain(read.map(|word| (word, READING)));
    all.flat_map(|(word, covers)| session.ords(word).map(move |ord| (ord, covers))).collect()
}
