//! Looking at relaxed hits, portion by portion, until none that is left can be among the nearest.

use super::common_names::{Bound, CommonNames};
use super::portions::Held;
use super::{RelaxedScorer, Shares, score_of};
use crate::ids::DocId;
use crate::query::check::ANNOUNCED;
use crate::query::cursor::Position;
use crate::query::nearest::{Nearest, Stretch};
use crate::query::plan::Plan;
use crate::query::planner::Planner;
use crate::query::score::Scorer;
use crate::query::shortcut::Shortcut;
use crate::query::text::Term;
use crate::query::understand::{Understanding, Understood};
use crate::snapshot::levels::{LevelGroup, LevelWalk, TermLevels};

/// Businesses of levels that are looked at for each that is wanted, and at least: where filters leave fewer, all are scored.
const LOOKED_AT: usize = 64;
const LOOKED_AT_MIN: usize = 1024;

/// Hits that are looked at, and the nearest of them.
struct Walk<'a, 's> {
    scorer: &'a RelaxedScorer<'s>,
    text: Scorer<'s>,
    is_best_first: bool,
    nearest: Nearest,
    /// Those whose names are read next, each with a score that it does not exceed.
    waiting: Vec<(DocId, u32)>,
    /// What each clause counts in those who wait, one after the other.
    counts: Vec<f64>,
    positions: Vec<(f64, f64)>,
    /// Was anyone left out for what the name weighs?
    is_bounded: bool,
}

impl<'s> RelaxedScorer<'s> {
    /// The nearest of `hits` of what `understanding` means, by score, then by text score, then in the static order.
    /// Hits are looked at in portions, and names read, several at a time, of those only that may be among
    /// the nearest.
    pub fn nearest(
        &self,
        planner: &Planner<'s>,
        understanding: &Understanding<'s>,
        hits: &Plan<'s>,
        text: Scorer<'s>,
        stretch: Stretch,
    ) -> Vec<Position> {
        let mut walk = Walk {
            scorer: self,
            text,
            is_best_first: stretch.is_best_first(),
            nearest: Nearest::new(stretch),
            waiting: Vec::with_capacity(ANNOUNCED),
            counts: Vec::new(),
            positions: Vec::new(),
            is_bounded: false,
        };
        if !walk.is_best_first {
            walk.look_at(hits, None);
            return walk.nearest.into_sorted();
        }
        let common = CommonNames::new(self, planner);
        let mut left = hits.clone();
        for portion in self.portions(planner, understanding) {
            walk.nearest.tighten();
            if !walk.may_be_near(DocId(0), portion.score_max) {
                planner.took(Shortcut::RelaxedPortions);
                break;
            }
            let members = Plan::intersection([portion.members.clone(), left.clone()]);
            match (&portion.held, &common) {
                (Held::Named { clause, most }, Some(common)) => {
                    for (part, bound) in common.parts(self, (*clause, most), members, &left) {
                        walk.look_at(&part, bound.as_ref());
                    }
                }
                (Held::Named { .. }, None) | (Held::Anywhere, _) => walk.look_at(&members, None),
                (&Held::Elsewhere { score_max, only }, _) => {
                    let levels = only.and_then(|only| levels(planner, understanding, only));
                    if levels.is_some_and(|levels| walk.by_levels(levels, &members, score_max)) {
                        planner.took(Shortcut::Levels);
                    } else {
                        walk.score(&members, score_max);
                    }
                }
            }
            left = Plan::difference(left, portion.members);
        }
        if walk.is_bounded {
            planner.took(Shortcut::NameWeights);
        }
        walk.nearest.into_sorted()
    }
}

/// The levels of the term that alone tells whoever holds the clause `only`, if it has any, and who holds two others as one
/// word: nothing else adds to the text score of who holds no other clause. (Parts of compounds and phrases do.)
fn levels<'s>(
    planner: &Planner<'s>,
    understanding: &Understanding<'s>,
    only: usize,
) -> Option<(TermLevels<'s>, Plan<'s>)> {
    let is_word = |understood: &Understood<'_>| {
        matches!(understood.clause.term, Term::Word(_)) && understood.readings.split.is_none()
    };
    let clauses = &understanding.clauses;
    let term = clauses.iter().all(is_word).then(|| clauses[only].only_term(planner))?;
    let joined = clauses.iter().flat_map(|understood| &understood.neighbours).flatten();
    let joined = Plan::union(joined.map(|word| planner.word(word)));
    Some((planner.snapshot().terms().lists(term?).levels()?, joined))
}

impl Walk<'_, '_> {
    fn may_be_near(&self, doc: DocId, score_max: u32) -> bool {
        let relevance_key = u64::from(score_max) << 16 | 0xffff;
        !self.is_best_first || self.nearest.may_keep(&Position { relevance_key, doc })
    }

    /// Looks at all of a portion. None of its names is covered more than `bound` says.
    fn look_at(&mut self, portion: &Plan<'_>, bound: Option<&Bound>) {
        self.nearest.tighten();
        let weights = self.scorer.snapshot.name_weights();
        portion.for_each(|doc| {
            let (akin_max, of_name_max) = match bound {
                None => (self.scorer.akin_max.as_slice(), 1.0),
                Some(bound) => {
                    let byte = weights.byte(doc);
                    if !self.may_be_near(doc, bound.score_max(byte)) {
                        self.is_bounded = true;
                        return;
                    }
                    (bound.akin_max(), bound.of_name_max(byte))
                }
            };
            let before = self.counts.len();
            self.counts.extend(self.scorer.counts(doc));
            let score_max = self.scorer.score_max(&self.counts[before..], akin_max, of_name_max);
            // Most hits of a union share little, which is told without reading their names.
            if !self.may_be_near(doc, score_max) {
                self.counts.truncate(before);
                return;
            }
            self.waiting.push((doc, score_max));
            if self.waiting.len() == ANNOUNCED {
                self.read();
            }
        });
        self.read();
    }

    /// Scores all of a portion of whose names `q` covers nothing; none exceeds `score_max`.
    fn score(&mut self, portion: &Plan<'_>, score_max: u32) {
        let Walk { scorer, text, nearest, .. } = self;
        portion.for_each_chunk(|key, lows| {
            text.for_each_score(key, lows, |doc, text| {
                let position = |score: u32| Position {
                    relevance_key: u64::from(score) << 16 | u64::from(text),
                    doc,
                };
                if nearest.may_keep(&position(score_max)) {
                    let of_query = scorer.held_by(doc) / scorer.total;
                    nearest.push(position(score_of(&Shares { of_query, of_name: 0.0 })));
                }
            });
        });
    }

    /// The same by the levels of the only term that these hold, if they are found soon: whoever holds it scores `score_max`.
    /// Whoever holds it in another way scores less, and is left out; those who are `joined` too are few, and scored.
    fn by_levels<'s>(
        &mut self,
        (levels, joined): (TermLevels<'_>, Plan<'s>),
        portion: &Plan<'s>,
        score_max: u32,
    ) -> bool {
        let stretch = self.nearest.stretch();
        let are_few = joined.cardinality_max() <= LOOKED_AT_MIN as u64;
        if !stretch.is_from_best() || self.text.has_legal_forms() || !are_few {
            return false;
        }
        let (prefix, mut from) = (u64::from(score_max) << 16, None);
        if let Some(start) = stretch.start {
            // Levels are told apart by one byte.
            match start.relevance_key.checked_sub(prefix) {
                Some(text) if text > u8::MAX.into() => {}
                Some(text) => from = Some((text as u8, start.doc)),
                // They are all before the page.
                None => return false,
            }
        }
        let looked_at = stretch.wanted * LOOKED_AT + LOOKED_AT_MIN;
        let walked = levels.walk(LevelGroup::Elsewhere, LevelWalk::FROM_BEST, from).take(looked_at);
        let members = walked.filter(|&(_, doc)| portion.contains(doc) && !joined.contains(doc));
        let found: Vec<(u8, DocId)> = members.take(stretch.wanted).collect();
        if found.len() < stretch.wanted {
            return false;
        }
        for (impact, doc) in found {
            self.nearest.push(Position { relevance_key: prefix | u64::from(impact), doc });
        }
        self.score(&Plan::intersection([joined, portion.clone()]), score_max);
        true
    }

    /// Reads the names of those who wait.
    fn read(&mut self) {
        self.scorer.snapshot.touch_names(self.waiting.iter().map(|(doc, _)| *doc));
        let (mut waiting, mut counts) =
            (std::mem::take(&mut self.waiting), std::mem::take(&mut self.counts));
        let each = waiting.drain(..).zip(counts.chunks_exact_mut(self.scorer.clauses.len()));
        for ((doc, score_max), counts) in each {
            if self.may_be_near(doc, score_max) {
                let shares = self.scorer.shares_of(doc, counts, &mut self.positions);
                let score = u64::from(score_of(&shares));
                let relevance_key = score << 16 | u64::from(self.text.score(doc));
                self.nearest.push(Position { relevance_key, doc });
            }
        }
        counts.clear();
        (self.waiting, self.counts) = (waiting, counts);
    }
}
