//! Text score: how much the words of `q` weigh in a business.
//!
//! The score is the sum, over the required clauses, of the impacts of their words (one byte each,
//! computed at build: see [`terms`](crate::snapshot::terms)); of several forms or readings of one
//! word the best counts, of a compound its joined form or the sum of its parts. What matches only
//! as a prefix adds nothing. Every legal form at the end of `q` that the name carries adds
//! [`LEGAL_FORM`], more than any one word, so that `apple inc` ranks names with `Inc` higher.

use crate::ids::DocId;
use crate::query::interpret::{ClauseMatch, Interpretation, asked};
use crate::query::request::Query;
use crate::query::session::Session;
use crate::query::sets::chunk::Chunk;
use crate::query::sets::doc_set::DocSet;
use crate::query::sets::set_expr::SetExpr;
use crate::query::text::{Phrase, QueryWord, Term, TextQuery};
use crate::ranking::{LEGAL_FORM, SCORE_MAX};
use crate::snapshot::Snapshot;
use crate::snapshot::terms::impacts::{ChunkPlaces, Impacts};
use std::borrow::Cow;

/// The text score of one business, by looking it up in every list: what all faster ways must equal.
pub fn text_score(snapshot: &Snapshot, query: &Query, doc: DocId) -> u32 {
    let session = Session::new(snapshot);
    let mut query = asked(&session, query);
    let mut interpretation = Interpretation::new(&session, &query.text);
    if interpretation.plan(&session).is_empty()
        && let Some(at_place) = interpretation.settle(&session, &query)
    {
        interpretation = Interpretation::of_all_words(&session, &at_place.text);
        query = Cow::Owned(at_place);
    }
    Scorer::new(&session, &interpretation, &query.text).score(doc)
}

/// What a text score is made of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ScoreParts {
    /// What each required clause adds.
    pub clauses: Vec<u32>,
    /// What each legal form at the end of `q` adds.
    pub legal_forms: Vec<u32>,
}

impl ScoreParts {
    /// The score.
    pub fn sum(&self) -> u32 {
        self.clauses.iter().chain(&self.legal_forms).sum::<u32>().min(SCORE_MAX)
    }
}

/// Scores businesses, many at a time quickest.
#[derive(Debug)]
pub struct Scorer<'s> {
    clauses: Vec<ClauseScorer<'s>>,
    legal_forms: Vec<SetExpr<'s>>,
    /// Of the businesses of one chunk: their scores, and what an alternative and a word of it add.
    scores: Vec<u32>,
    alternative: Vec<u32>,
    word: Vec<u32>,
}

/// Scores one clause.
#[derive(Debug)]
enum ClauseScorer<'s> {
    /// One word in one form: what most clauses are.
    Word(Impacts<'s>),
    /// The best of these.
    Best(Vec<Alternative<'s>>),
}

impl<'s> ClauseScorer<'s> {
    fn new(alternatives: Vec<Alternative<'s>>) -> ClauseScorer<'s> {
        // The best of one, and the sum of one, is that one.
        let words = || alternatives.iter().flatten();
        if words().map(|word| word.forms.len() * word.times as usize).sum::<usize>() == 1 {
            let mut forms = alternatives.into_iter().flatten().flat_map(|word| word.forms);
            return ClauseScorer::Word(forms.next().expect("there is one"));
        }
        ClauseScorer::Best(alternatives)
    }

    /// What the clause adds to the score of `doc`.
    #[inline]
    fn at(&self, doc: DocId) -> u32 {
        match self {
            ClauseScorer::Word(impacts) => impacts.at(doc),
            ClauseScorer::Best(alternatives) => best(alternatives, doc),
        }
    }
}

/// Words that count together.
pub(crate) type Alternative<'s> = Vec<WordScorer<'s>>;

/// Scores one word of an alternative.
#[derive(Debug)]
pub(crate) struct WordScorer<'s> {
    /// The best of these counts.
    pub(crate) forms: Vec<Impacts<'s>>,
    /// How often the word stands in the alternative (`l.l.c`).
    pub(crate) times: u32,
}

impl<'s> WordScorer<'s> {
    fn new(session: &Session<'s>, word: &QueryWord, times: u32) -> WordScorer<'s> {
        let impacts = |ord| Impacts::of(&session.snapshot().terms().lists(ord));
        WordScorer { forms: session.ords(word).map(impacts).collect(), times }
    }

    fn at(&self, doc: DocId) -> u32 {
        self.forms.iter().map(|form| form.at(doc)).max().unwrap_or(0) * self.times
    }
}

impl<'s> Scorer<'s> {
    /// A scorer for what `text` means.
    pub fn new(
        session: &Session<'s>,
        interpretation: &Interpretation<'s>,
        text: &TextQuery,
    ) -> Scorer<'s> {
        let clauses = interpretation.clauses.iter();
        let legal_forms = text.trailing_forms().iter();
        Scorer {
            clauses: clauses
                .map(|clause_match| ClauseScorer::new(alternatives(session, clause_match)))
                .collect(),
            legal_forms: legal_forms.map(|clause| session.term_in_name(&clause.term)).collect(),
            scores: Vec::new(),
            alternative: Vec::new(),
            word: Vec::new(),
        }
    }

    /// The documents that carry each of the legal forms at the end of `q`.
    pub fn legal_forms(&self) -> &[SetExpr<'s>] {
        &self.legal_forms
    }

    /// The score of `doc`.
    pub fn score(&self, doc: DocId) -> u32 {
        let words: u32 = self.clauses.iter().map(|clause| clause.at(doc)).sum();
        let forms = self.legal_forms.iter().filter(|forms| forms.contains(doc)).count() as u32;
        (words + forms * LEGAL_FORM).min(SCORE_MAX)
    }

    /// Calls `visit` with some businesses of chunk `key` and their scores.
    pub fn for_each_score(&mut self, key: u16, lows: &Chunk<'_>, visit: impl FnMut(DocId, u32)) {
        let lows = lows.to_array();
        self.score_all(&[(key, 0..lows.len())], &lows, visit);
    }

    /// Calls `visit` with all of `hits` and their scores. Most chunks have a few of them, so that
    /// all are scored together.
    pub fn for_each_score_of(&mut self, hits: &DocSet, visit: impl FnMut(DocId, u32)) {
        let chunks: Vec<ChunkPlaces> = hits.chunks().collect();
        self.score_all(&chunks, hits.lows(), visit);
    }

    /// Calls `visit` with some businesses and their scores: one clause after the other is looked up
    /// for all of them. `lows` are their lower halves, those of each of `chunks` at its places.
    fn score_all(
        &mut self,
        chunks: &[ChunkPlaces],
        lows: &[u16],
        mut visit: impl FnMut(DocId, u32),
    ) {
        let Scorer { clauses, legal_forms, scores, alternative, word } = self;
        reset(scores, lows.len());
        for clause in clauses {
            match clause {
                ClauseScorer::Word(impacts) => impacts.add_to(chunks, lows, scores),
                ClauseScorer::Best(alternatives) => {
                    let mut best = vec![0; lows.len()];
                    for words in alternatives {
                        reset(alternative, lows.len());
                        for WordScorer { forms, times } in words {
                            reset(word, lows.len());
                            forms.iter().for_each(|form| form.raise_to(chunks, lows, word));
                            combine(alternative, word, |sum, word| sum + word * *times);
                        }
                        combine(&mut best, alternative, u32::max);
                    }
                    combine(scores, &best, |sum, best| sum + best);
                }
            }
        }
        for (key, places) in chunks {
            let (lows, scores) = (&lows[places.clone()], &mut scores[places.clone()]);
            for forms in &*legal_forms {
                let mut all = lows.iter().zip(&mut *scores);
                forms.chunk_within(*key, Chunk::Slice(lows)).for_each(|carrier| {
                    let carries = all.find(|(low, _)| **low == carrier);
                    carries.into_iter().for_each(|(_, score)| *score += LEGAL_FORM);
                });
            }
            for (&low, &mut score) in lows.iter().zip(scores) {
                visit(DocId(u32::from(*key) << 16 | u32::from(low)), score.min(SCORE_MAX));
            }
        }
    }

    /// The score of `doc` in its parts.
    pub fn parts(&self, doc: DocId) -> ScoreParts {
        let clauses = self.clauses.iter().map(|clause| clause.at(doc));
        let forms = self.legal_forms.iter();
        ScoreParts {
            clauses: clauses.collect(),
            legal_forms: forms.map(|form| u32::from(form.contains(doc)) * LEGAL_FORM).collect(),
        }
    }
}

/// As many zeros.
fn reset(numbers: &mut Vec<u32>, len: usize) {
    numbers.clear();
    numbers.resize(len, 0);
}

/// Puts what two numbers come to in the place of the first, all along.
fn combine(into: &mut [u32], others: &[u32], what: impl Fn(u32, u32) -> u32) {
    into.iter_mut().zip(others).for_each(|(into, &other)| *into = what(*into, other));
}

/// What the best of a clause's alternatives adds.
fn best(alternatives: &[Alternative<'_>], doc: DocId) -> u32 {
    let sum = |words: &Alternative<'_>| -> u32 { words.iter().map(|word| word.at(doc)).sum() };
    alternatives.iter().map(sum).max().unwrap_or(0)
}

/// What a clause may add, of which the most counts.
pub(crate) fn alternatives<'s>(
    session: &Session<'s>,
    clause_match: &ClauseMatch<'s>,
) -> Vec<Alternative<'s>> {
    let mut all = term_alternatives(session, &clause_match.clause.term);
    // The neighbour before has counted what the two are together.
    let joined = clause_match.neighbours[1].iter();
    for word in joined.chain(&clause_match.readings.words) {
        all.push(vec![WordScorer::new(session, word, 1)]);
    }
    all.extend(clause_match.readings.split.iter().map(|phrase| words(session, phrase)));
    all
}

fn term_alternatives<'s>(session: &Session<'s>, term: &Term) -> Vec<Alternative<'s>> {
    match term {
        Term::Word(word) => vec![vec![WordScorer::new(session, word, 1)]],
        Term::Compound { joined, parts } => {
            vec![vec![WordScorer::new(session, joined, 1)], words(session, parts)]
        }
        Term::Phrase(phrase) => vec![words(session, phrase)],
        Term::Host { compound, .. } => {
            let compound = compound.iter().flat_map(|it| term_alternatives(session, it));
            std::iter::once(words(session, &term.phrase())).chain(compound).collect()
        }
    }
}

fn words<'s>(session: &Session<'s>, phrase: &Phrase) -> Alternative<'s> {
    let words = || phrase.words.iter().map(|(_, word)| word);
    let times = |word: &QueryWord| words().filter(|&other| other == word).count() as u32;
    let firsts = words().enumerate().filter(|&(at, word)| !words().take(at).any(|it| it == word));
    firsts.map(|(_, word)| WordScorer::new(session, word, times(word))).collect()
}
