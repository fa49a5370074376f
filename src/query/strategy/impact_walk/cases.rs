//! How a document may hold the clauses of a query, and what its words add then.
//!
//! A clause has several alternatives (forms, readings, a compound and its parts, a longer word), of
//! which the best counts. A case is one alternative for each clause, so that a text score is the
//! sum of what the words of a case add; of each word it is known what it adds at least and at most,
//! by whether the name holds it.

use crate::query::interpret::ClauseMatch;
use crate::query::score::text_score::alternatives;
use crate::query::session::Session;
use crate::query::sets::set_expr::SetExpr;
use crate::query::text::{QueryWord, Term};
use crate::ranking::{LEGAL_FORM, Level, SCORE_MAX};
use crate::snapshot::terms::impacts::Impacts;
use std::cmp::Ordering;
use std::ops::RangeInclusive;

/// Most cases that are told apart: each searches in every block.
const CASES_MAX: usize = 16;

/// How a document may hold all clauses.
pub struct Cases<'s> {
    /// What words add.
    pub lists: Vec<Impacts<'s>>,
    /// What tells documents that match a clause without a word that counts.
    pub plans: Vec<SetExpr<'s>>,
    /// All cases; none if they are too many.
    cases: Vec<Case>,
    num_clauses: usize,
}

/// One alternative for each clause.
#[derive(Clone, Default)]
pub struct Case {
    words: Vec<Word>,
    /// The [plans](Cases::plans) that all documents match.
    plans: Vec<usize>,
    /// What the legal forms that all documents carry add.
    adds: u32,
    /// Is a clause held by a longer word only?
    is_begun: bool,
}

/// A word of a case.
#[derive(Clone)]
struct Word {
    clause: usize,
    /// Its place among [`Cases::lists`].
    list: usize,
    /// How often it counts.
    times: u32,
    /// Is it all of an alternative?
    is_whole: bool,
    /// Is it the only word that counts for the clause, so that a document that holds the clause
    /// holds it?
    is_only: bool,
    place: Place,
}

/// Where a document holds a word.
#[derive(Clone, Copy)]
enum Place {
    Name,
    Elsewhere,
    Anywhere,
}

/// A search for documents.
#[derive(PartialEq, Eq)]
pub enum Scan {
    /// Documents to which the word of a list adds an amount within bounds.
    Impacts(usize, RangeInclusive<u8>),
    /// Documents that match a set expression.
    Members(usize),
}

impl<'s> Cases<'s> {
    /// The cases of some clauses, each with and without every legal form: the documents of `forms` carry one.
    pub fn new(
        session: &Session<'s>,
        clauses: &[ClauseMatch<'s>],
        forms: &[SetExpr<'s>],
    ) -> Cases<'s> {
        let mut all = Cases {
            lists: Vec::new(),
            plans: Vec::new(),
            cases: vec![Case::default()],
            num_clauses: clauses.len(),
        };
        for (clause, clause_match) in clauses.iter().enumerate() {
            let ways = all.of_clause(session, clause, clause_match);
            all.multiply(&ways);
        }
        for form in forms {
            let carried = Case { adds: LEGAL_FORM, ..all.told_by(form.clone()) };
            all.multiply(&[Case::default(), carried]);
        }
        all
    }

    /// Each case with each of some alternatives; none if they become too many.
    fn multiply(&mut self, alternatives: &[Case]) {
        let are_few = self.cases.len() * alternatives.len() <= CASES_MAX;
        self.cases = if are_few { product(&self.cases, alternatives) } else { Vec::new() };
    }

    /// The alternatives of one clause.
    fn of_clause(
        &mut self,
        session: &Session<'s>,
        clause: usize,
        clause_match: &ClauseMatch<'s>,
    ) -> Vec<Case> {
        let is_only = clause_match.only_term(session).is_some();
        let mut ways = Vec::new();
        for alternative in alternatives(session, clause_match) {
            let is_whole = alternative.len() == 1;
            let mut cases = vec![Case::default()];
            for scorer in alternative.into_iter().filter(|word| !word.forms.is_empty()) {
                let times = scorer.times;
                let forms = scorer.forms.into_iter().map(|form| {
                    self.lists.push(form);
                    let list = self.lists.len() - 1;
                    let place = Place::Anywhere;
                    let word = Word { clause, list, times, is_whole, is_only, place };
                    Case { words: vec![word], ..Case::default() }
                });
                cases = product(&cases, &forms.collect::<Vec<_>>());
            }
            // A word that stands nowhere is no alternative.
            ways.extend(cases.into_iter().filter(|case| !case.words.is_empty()));
        }
        // A form that stands nowhere may be matched by a plural, which adds nothing.
        let term = &clause_match.clause.term;
        if words_of(term).any(|word| session.ords(word).count() < word.forms.len()) {
            ways.push(self.told_by(session.term(term)));
        }
        if let Some(prefix) = clause_match.prefix.as_ref().filter(|it| !it.beyond.is_nothing()) {
            ways.push(Case { is_begun: true, ..self.told_by(prefix.beyond.clone()) });
        }
        // What two words are together, counts for the first.
        if let Some(joined) = &clause_match.neighbours[0] {
            ways.push(self.told_by(session.word_joined(joined)));
        }
        ways
    }

    fn told_by(&mut self, plan: SetExpr<'s>) -> Case {
        self.plans.push(plan);
        Case { plans: vec![self.plans.len() - 1], ..Case::default() }
    }

    /// The cases of documents on a level.
    pub fn on_level(&self, level: Level) -> Vec<Case> {
        let all = |place: fn(&Word) -> Place| -> Vec<Case> {
            self.cases.iter().map(|case| case.with(place)).collect()
        };
        match level {
            Level::NameIs | Level::NameStarts | Level::NameHasAll => {
                let mut cases = all(|word| word.placed(word.is_only, Place::Name));
                cases.retain(|case| !case.is_begun);
                cases
            }
            Level::Elsewhere => all(|word| word.placed(word.is_whole, Place::Elsewhere)),
            Level::NameHasAllByPrefix | Level::PhraseElsewhere | Level::PhraseInHostByPrefix
                if self.num_clauses == 1 =>
            {
                all(|word| word.placed(word.is_only, Place::Elsewhere))
            }
            // By the first clause that the name holds. It does not hold them all.
            Level::NameHasSome => {
                let by_first = |first: usize| {
                    self.cases.iter().map(move |case| {
                        case.with(|word| match word.clause.cmp(&first) {
                            Ordering::Equal => word.placed(word.is_only, Place::Name),
                            Ordering::Greater if self.num_clauses > 2 => Place::Anywhere,
                            _ => word.placed(word.is_whole, Place::Elsewhere),
                        })
                    })
                };
                (0..self.num_clauses).flat_map(by_first).collect()
            }
            _ => self.cases.clone(),
        }
    }
}

impl Word {
    /// The place, if it is known by a condition.
    fn placed(&self, is_known: bool, place: Place) -> Place {
        if is_known { place } else { Place::Anywhere }
    }

    /// The least and the most that the word adds each time.
    fn range(&self, lists: &[Impacts<'_>]) -> (u32, u32) {
        let bounds = lists[self.list].bounds();
        let (least, most) = match self.place {
            Place::Name => bounds.in_name,
            Place::Elsewhere => bounds.elsewhere,
            Place::Anywhere => {
                (bounds.in_name.0.min(bounds.elsewhere.0), bounds.in_name.1.max(bounds.elsewhere.1))
            }
        };
        (if self.is_only { least.into() } else { 0 }, most.into())
    }
}

impl Case {
    fn with(&self, place: impl Fn(&Word) -> Place) -> Case {
        let words = self.words.iter().map(|word| Word { place: place(word), ..word.clone() });
        Case { words: words.collect(), ..self.clone() }
    }

    /// Searches each of which finds all documents of the case with some scores. No search finds them
    /// all if there is none; there are no such documents if that is [`None`].
    pub fn scans(&self, lists: &[Impacts<'_>], scores: &RangeInclusive<u32>) -> Option<Vec<Scan>> {
        let ranges = self.words.iter().map(|word| (word, word.range(lists)));
        let (mut least, mut most) = (self.adds, self.adds);
        for (word, (own_least, own_most)) in ranges.clone() {
            least += own_least * word.times;
            most += own_most * word.times;
        }
        if most > SCORE_MAX {
            // Scores are cut off there.
            return Some(Vec::new());
        }
        if least > *scores.end() || most < *scores.start() {
            return None;
        }
        let mut scans: Vec<Scan> = self.plans.iter().map(|&plan| Scan::Members(plan)).collect();
        for (word, (own_least, own_most)) in ranges {
            let others_least = least - own_least * word.times;
            let others_most = most - own_most * word.times;
            let needed = scores.start().saturating_sub(others_most).div_ceil(word.times);
            let lowest = needed.max(own_least);
            let highest = ((scores.end() - others_least) / word.times).min(own_most);
            if lowest > highest {
                return None;
            }
            if lowest > 0 {
                scans.push(Scan::Impacts(word.list, lowest as u8..=highest as u8));
            }
        }
        Some(scans)
    }
}

/// The words of a term, and the joined forms of its compounds.
fn words_of(term: &Term) -> Box<dyn Iterator<Item = &QueryWord> + '_> {
    match term {
        Term::Word(word) => Box::new(std::iter::once(word)),
        Term::Phrase(phrase) => Box::new(phrase.words.iter().map(|(_, word)| word)),
        Term::Compound { joined, parts } => {
            Box::new(std::iter::once(joined).chain(parts.words.iter().map(|(_, word)| word)))
        }
        Term::Host { labels, compound, .. } => {
            let compound = compound.iter().map(|compound| &**compound);
            Box::new(labels.iter().chain(compound).flat_map(words_of))
        }
    }
}

/// All of `cases` with each of some alternatives for one more clause or word.
fn product(cases: &[Case], alternatives: &[Case]) -> Vec<Case> {
    let pairs = cases.iter().flat_map(|case| alternatives.iter().map(move |other| (case, other)));
    pairs
        .map(|(case, other)| Case {
            words: case.words.iter().chain(&other.words).cloned().collect(),
            plans: case.plans.iter().chain(&other.plans).copied().collect(),
            adds: case.adds + other.adds,
            is_begun: case.is_begun || other.is_begun,
        })
        .collect()
}
