//! Looking at relaxed hits, portion by portion, until none that is left can be among the nearest.

use super::common_names::{Bound, CommonNames};
use super::{RelaxedScorer, score_of};
use crate::ids::DocId;
use crate::query::check::ANNOUNCED;
use crate::query::cursor::Position;
use crate::query::nearest::{Nearest, Stretch};
use crate::query::plan::Plan;
use crate::query::planner::Planner;
use crate::query::score::Scorer;
use crate::query::shortcut::Shortcut;
use crate::query::understand::Understanding;

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
            match &common {
                Some(common) => {
                    for (part, bound) in common.parts(self, &portion, &left) {
                        walk.look_at(&part, bound.as_ref());
                    }
                }
                None => {
                    let members = Plan::intersection([portion.members.clone(), left.clone()]);
                    walk.look_at(&members, None);
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
