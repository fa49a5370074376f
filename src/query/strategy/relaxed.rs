//! Ranking of relaxed answers: how much of `q` and of the name a business shares.
//!
//! Words weigh by how rare they are. A business is compared with `q` from both sides: the share of
//! `q` that it holds, in its name or, for less, elsewhere; and the share of its name that `q`
//! covers. The product decides: a short name that is all in `q` beats a long one that has the same
//! words among many others. What stands there as it was asked for counts in full; less counts what
//! stands there only as a reading of a misspelt word, as the longer word that the last one begins,
//! or as a word that begins alike (Universität, University): such a word makes nobody a hit, but
//! tells hits apart. A name that stands whole in `q`, and a place that does, count more
//! (`boosts`).

mod akin;
mod boosts;
mod chunk_sums;
mod covering;
mod walk;

use crate::ids::{DocId, TermOrd};
use crate::query::interpret::{ClauseMatch, Interpretation};
use crate::query::request::Query;
use crate::query::session::Session;
use crate::query::sets::doc_set::DocSet;
use crate::query::sets::set_expr::SetExpr;
use crate::query::text::{Phrase, QueryWord, Term, TextQuery};
use crate::snapshot::Snapshot;
use crate::snapshot::answers::name_weights::sharpened;
use crate::snapshot::columns::doc_tokens::{CODE_MIN, Token};
use crate::snapshot::encoding::postings::Postings;
use boosts::{Boosts, WHOLE_NAME_WORDS_MIN};
use covering::Covering;
use fst::automaton::AlwaysMatch;
use rustc_hash::FxHashMap;

// The figures below are chosen on short and other names of companies and organisations, on names as
// authors wrote them, and on names with typing errors. Of 2,257 such queries that were relaxed,
// 1,439 have an answer at the first rank and 1,761 among the first ten; without akin words 1,388
// and 1,730, if readings count in full 1,379 and 1,754, with a sharpness of 1 1,437 and 1,756.

/// What a word that is not in the name but elsewhere counts.
const ELSEWHERE: f64 = 0.4;

/// What a word counts of which only a reading is there, or which is only the start of another one.
const READING: f64 = 0.6;

/// What a business counts whose name `q` covers not at all; one whose name it covers counts 1.
const UNCOVERED: f64 = 0.4;

/// Most occurrences in names of the longer words that a clause begins, if they are gathered: of
/// more, only the stored union is known.
const BEGUN_MAX: usize = 1 << 16;

/// Fixed point of the score.
const ONE: f64 = 1_000_000.0;

/// What one hit of a relaxed query shares with it, by reading its name and looking it up in every
/// list: what the walk over sums must equal. The text score breaks ties.
pub fn relaxed_shares(snapshot: &Snapshot, query: &Query, doc: DocId) -> Shares {
    let session = Session::new(snapshot);
    let mut interpretation = Interpretation::new(&session, &query.text);
    interpretation.settle(&session, query);
    RelaxedScorer::new(&session, &interpretation, &query.text).shares(doc)
}

/// Scores relaxed hits.
#[derive(Debug)]
pub struct RelaxedScorer<'s> {
    snapshot: &'s Snapshot,
    clauses: Vec<WeighedClause<'s>>,
    total: f64,
    /// The words that cover names, by code: those of `q` in all forms, readings, longer and akin
    /// words.
    name_words: FxHashMap<u32, NameWord>,
    covering: Covering<'s>,
    boosts: Boosts<'s>,
}

/// A word of names that `q` covers.
#[derive(Debug)]
struct NameWord {
    ord: TermOrd,
    /// How much of it.
    covers: f64,
    /// The clauses that it is akin to, and what they count if it alone is in the name.
    akin: Vec<(usize, f64)>,
}

impl NameWord {
    /// A word that covers nothing yet.
    fn of(ord: TermOrd) -> NameWord {
        NameWord { ord, covers: 0.0, akin: Vec::new() }
    }
}

/// How much a business and `q` share.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shares {
    /// Of `q`, by weight, from 0 to 1; what is not in the name counts for less.
    pub of_query: f64,
    /// Of the name, by weight and without legal forms at its end, from 0 to 1.
    pub of_name: f64,
    /// The factor that the whole name and the place make, from 1.
    pub boost: f64,
}

impl Shares {
    /// The score: the larger, the more a business shares.
    pub fn score(&self) -> u32 {
        let Shares { of_query, of_name, boost } = self;
        (of_query * (UNCOVERED + (1.0 - UNCOVERED) * of_name) * boost * ONE).round() as u32
    }
}

/// What a clause weighs, and which documents hold it.
#[derive(Debug)]
struct WeighedClause<'s> {
    weight: f64,
    /// Number of its words.
    words: usize,
    /// The documents that hold it in each way, in the order in which ways count.
    sets: Vec<(Held, SetExpr<'s>)>,
    /// Documents with a word in the name that is only a part of the clause: it covers the name.
    partly: SetExpr<'s>,
    /// The most that the clause counts by an akin word.
    akin_max: f64,
    /// What the words of the clause weigh together: a name that holds it as it is written, and by
    /// nothing else that counts, is covered no more than that. No bound where the longer words that
    /// it begins stand in too many names to be told.
    covered_max: f64,
    /// The word, if there is only one that documents hold elsewhere.
    only_term: Option<TermOrd>,
}

/// How a document holds a clause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Held {
    /// In the name as it is written.
    AsWritten,
    /// By another word in the name that counts: of a reading, a longer one, an akin one, the clause
    /// and its neighbour written as one. Some hold it in a further way too, which tells what it
    /// counts beside akin words.
    Nearly,
    /// By a reading or a longer word in the name.
    InName,
    /// Elsewhere as it is written.
    Elsewhere,
    /// Elsewhere by a reading, or as a part of a longer word.
    Otherwise,
}

impl Held {
    /// What a clause counts, akin words aside; nothing by itself for [`Held::Nearly`].
    fn count(self) -> f64 {
        match self {
            Held::AsWritten => 1.0,
            Held::Nearly => 0.0,
            Held::InName => READING,
            Held::Elsewhere => ELSEWHERE,
            Held::Otherwise => ELSEWHERE * READING,
        }
    }

    fn is_in_name(self) -> bool {
        matches!(self, Held::AsWritten | Held::Nearly | Held::InName)
    }
}

impl<'s> WeighedClause<'s> {
    fn new(
        session: &Session<'s>,
        clause_match: &ClauseMatch<'s>,
        akin: &[(TermOrd, f64)],
        begun: Option<&[TermOrd]>,
    ) -> WeighedClause<'s> {
        let (snapshot, terms) = (session.snapshot(), session.snapshot().terms());
        let term = &clause_match.clause.term;
        let has_readings = !clause_match.readings.is_empty();
        let has_neighbours = clause_match.neighbours.iter().any(Option::is_some);
        // Where a clause has no other ways than its own, there is nothing to ask.
        let is_wide = has_readings || clause_match.prefix.is_some() || has_neighbours;
        let only_if = |condition: bool, plan: fn(&ClauseMatch<'s>, &Session<'s>) -> _| {
            if condition { plan(clause_match, session) } else { SetExpr::EMPTY }
        };
        let in_name = SetExpr::union([
            only_if(has_readings, ClauseMatch::in_name_whole),
            clause_match.in_name_as_prefix(),
        ]);
        let near = begun.into_iter().flatten().chain(akin.iter().map(|(ord, _)| ord));
        let nearly = names_with(snapshot, near.copied());
        let joined = clause_match.neighbours.iter().flatten().map(|it| session.word_in_name(it));
        let nearly = SetExpr::union([in_name.clone(), nearly].into_iter().chain(joined));
        let sets = [
            (Held::AsWritten, clause_match.in_name_as_written(session)),
            (Held::Nearly, nearly),
            (Held::InName, in_name),
            (Held::Elsewhere, session.term(term)),
            (Held::Otherwise, only_if(is_wide, ClauseMatch::anywhere)),
        ];
        let split = clause_match.readings.split.iter().flat_map(|split| &split.words);
        let split = split.map(|(_, word)| session.word_in_name(word));
        let parts = (!matches!(term, Term::Word(_))).then(|| session.term_partly_in_name(term));
        let own = own_words(term);
        let covered = own.iter().flat_map(|word| session.ords(word));
        let covered = covered.map(|ord| sharpened(terms.weight_of_code(terms.code(ord))));
        WeighedClause {
            weight: sharpened(weight(session, clause_match)),
            words: term.phrase().words.len(),
            sets: sets.into_iter().filter(|(_, docs)| !docs.is_nothing()).collect(),
            partly: SetExpr::union(split.chain(parts)),
            akin_max: akin.iter().map(|(_, counts)| *counts).fold(0.0, f64::max),
            covered_max: if begun.is_some() { covered.sum() } else { f64::INFINITY },
            only_term: clause_match.only_term(session),
        }
    }

    /// What the clause counts at most in a document that holds it in one way and in none before.
    fn count_max(&self, held: Held) -> f64 {
        match held {
            Held::Nearly => self.akin_max.max(READING),
            held => held.count(),
        }
    }

    /// The documents that hold the clause elsewhere than in the name, and what it weighs there at
    /// most.
    fn elsewhere(&self) -> (f64, SetExpr<'s>) {
        let sets = self.sets.iter().filter(|(held, _)| !held.is_in_name());
        let most = sets.clone().map(|(held, _)| held.count()).fold(0.0, f64::max);
        (self.weight * most, SetExpr::union(sets.map(|(_, docs)| docs.clone())))
    }

    /// What the clause counts in a document, akin words aside.
    fn count(&self, doc: DocId) -> f64 {
        let mut sets = self.sets.iter().filter(|(held, _)| *held != Held::Nearly);
        sets.find(|(_, docs)| docs.contains(doc)).map_or(0.0, |(held, _)| held.count())
    }
}

impl<'s> RelaxedScorer<'s> {
    /// A scorer for what a relaxed `q` means.
    pub fn new(
        session: &Session<'s>,
        interpretation: &Interpretation<'s>,
        text: &TextQuery,
    ) -> RelaxedScorer<'s> {
        let snapshot = session.snapshot();
        let terms = snapshot.terms();
        let (mut clauses, mut name_words) = (Vec::new(), FxHashMap::<u32, NameWord>::default());
        let mut cover = |ord, covers, akin: Option<(usize, f64)>| {
            let code = terms.code(ord);
            debug_assert!(code >= CODE_MIN);
            let word = name_words.entry(code).or_insert_with(|| NameWord::of(ord));
            word.covers = word.covers.max(covers);
            word.akin.extend(akin);
        };
        for (number, clause_match) in interpretation.clauses.iter().enumerate() {
            for (ord, covers) in words(session, clause_match) {
                cover(ord, covers, None);
            }
            let akin_words = akin::words(snapshot, &clause_match.clause);
            for &(ord, counts) in &akin_words {
                cover(ord, counts, Some((number, counts)));
            }
            let begun = begun_words(snapshot, clause_match);
            for &ord in &begun {
                cover(ord, READING, None);
            }
            let num_begun = begun.iter().flat_map(|&ord| terms.lists(ord).in_name());
            let is_told = num_begun.map(|list| list.len()).sum::<usize>() <= BEGUN_MAX;
            let begun = is_told.then_some(begun.as_slice());
            clauses.push(WeighedClause::new(session, clause_match, &akin_words, begun));
        }
        let words = name_words.values().map(|word| (word.ord, word.covers));
        let covering = Covering::new(session, words);
        let total = clauses.iter().map(|clause| clause.weight).sum::<f64>().max(1.0);
        let boosts = Boosts::new(session, interpretation, text);
        RelaxedScorer { snapshot, clauses, total, name_words, covering, boosts }
    }

    /// What a hit shares with `q`.
    pub fn shares(&self, doc: DocId) -> Shares {
        let mut counts: Vec<f64> = self.counts(doc).collect();
        self.shares_of(doc, &mut counts, &mut Vec::new())
    }

    fn shares_of(&self, doc: DocId, counts: &mut [f64], positions: &mut Vec<(f64, f64)>) -> Shares {
        let of_name = self.covered(doc, counts, positions);
        let is_covered =
            positions.iter().all(|(weight, covered)| *weight == 0.0 || *covered == 1.0);
        let boost = self.boosts.of(doc, is_covered);
        Shares { of_query: self.held(counts.iter().copied()) / self.total, of_name, boost }
    }

    /// The score of a document that holds so much of `q`, of whose name `q` covers this share, and
    /// that counts so much more.
    fn score_with(&self, held: f64, of_name: f64, boost: f64) -> u32 {
        Shares { of_query: held / self.total, of_name, boost }.score()
    }

    /// What each clause counts by where it stands in a hit, akin words aside.
    fn counts(&self, doc: DocId) -> impl Iterator<Item = f64> {
        self.clauses.iter().map(move |clause| clause.count(doc))
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
        let (core, tokens) = self.snapshot.name_tokens(doc);
        let terms = self.snapshot.terms();
        positions.clear();
        let mut cover = |code: u32| {
            let Some(word) = self.name_words.get(&code) else { return 0.0 };
            for &(clause, akin) in &word.akin {
                counts[clause] = counts[clause].max(akin);
            }
            word.covers
        };
        tokens.of_core(core, |token, places| match token {
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

/// The weight of a clause: that of its words, or of its first reading; a word that stands nowhere
/// weighs as much as one that stands once.
fn weight(session: &Session<'_>, clause_match: &ClauseMatch) -> u32 {
    let phrase = match clause_match.readings.words.first() {
        Some(word) => Phrase::of_word(word.clone()),
        None => clause_match.clause.term.phrase(),
    };
    phrase.words.iter().map(|(_, word)| word_weight(session, word)).sum()
}

fn word_weight(session: &Session<'_>, word: &QueryWord) -> u32 {
    let (snapshot, terms) = (session.snapshot(), session.snapshot().terms());
    let weights = session.ords(word).map(|ord| terms.weight_of_code(terms.code(ord)));
    let unknown = (256.0 * (1.0 + f64::from(snapshot.num_docs())).ln()) as u32;
    weights.min().unwrap_or(unknown)
}

/// The longer words of names that a clause begins, if it may be a prefix.
fn begun_words(snapshot: &Snapshot, clause_match: &ClauseMatch<'_>) -> Vec<TermOrd> {
    let (Some(_), Term::Word(word)) = (&clause_match.prefix, &clause_match.clause.term) else {
        return Vec::new();
    };
    let begun = |form: &String| snapshot.name_words().search(form, AlwaysMatch);
    let mut begun: Vec<String> = word.forms.iter().flat_map(begun).collect();
    begun.retain(|begun| !word.forms.contains(begun));
    snapshot.terms().ords(&begun)
}

/// The documents in whose names any of some words stands.
fn names_with<'s>(snapshot: &'s Snapshot, words: impl Iterator<Item = TermOrd>) -> SetExpr<'s> {
    let lists = words.flat_map(|ord| snapshot.terms().lists(ord).in_name());
    let (few, many): (Vec<_>, Vec<_>) = lists.partition(|list| matches!(list, Postings::Small(_)));
    let mut docs = Vec::new();
    few.iter().for_each(|list| list.push_to(&mut docs));
    let few =
        if docs.is_empty() { SetExpr::EMPTY } else { SetExpr::materialised(DocSet::of(docs)) };
    SetExpr::union(many.into_iter().map(SetExpr::list).chain([few]))
}

/// The words of a term, and the joined form of a compound.
fn own_words(term: &Term) -> Vec<QueryWord> {
    let words = term.phrase().words.into_iter().map(|(_, word)| word);
    words.chain(term.joined().cloned()).collect()
}

/// Every word that a clause may mean, as it is written or read, each with what it covers.
fn words(session: &Session<'_>, clause_match: &ClauseMatch) -> Vec<(TermOrd, f64)> {
    let own = own_words(&clause_match.clause.term);
    let own = own.iter().chain(clause_match.neighbours.iter().flatten()).map(|word| (word, 1.0));
    let split = clause_match.readings.split.iter().flat_map(|split| &split.words);
    let read = clause_match.readings.words.iter().chain(split.map(|(_, word)| word));
    let all = own.chain(read.map(|word| (word, READING)));
    all.flat_map(|(word, covers)| session.ords(word).map(move |ord| (ord, covers))).collect()
}
