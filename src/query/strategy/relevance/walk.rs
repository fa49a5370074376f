//! A walk over the groups of relevance, until a page is full.

use crate::query::cursor::Position;
use crate::query::score::text_score::Scorer;
use crate::query::score::tiers::{Group, PhraseCandidates, Step, TierPartition};
use crate::query::score::top_k::{PageWindow, TopK, nearest};
use crate::query::session::Session;
use crate::query::session::ways::Way;
use crate::query::sets::doc_set::DocSet;
use crate::query::sets::predicate::Predicate;
use crate::query::sets::set_expr::SetExpr;
use crate::query::strategy::choose::{OnLevel, on_level};
use crate::query::strategy::impact_walk::ImpactWalk;
use crate::ranking::Level;
use crate::snapshot::encoding::packed_ints::PackedInts;
use std::cmp::Ordering;

/// Most candidates for a phrase that are kept in one pass over all of them: 24 bytes each, and as
/// many again on the way.
const AHEAD_MAX: usize = 1 << 14;

/// A walk over groups.
pub(crate) struct Walk<'a, 's> {
    pub(crate) session: &'a Session<'s>,
    pub(crate) scorer: Scorer<'s>,
    pub(crate) impacts: ImpactWalk<'s>,
    /// The stored best documents that hold `q` as a phrase, if it is two words whose impacts are
    /// the text score.
    pub(crate) best_of_phrase: Option<PackedInts<'s>>,
    /// Do all hits hold it as a phrase?
    pub(crate) is_phrase: bool,
    pub(crate) stretch: PageWindow,
    pub(crate) found: Vec<Position>,
}

impl<'s> Walk<'_, 's> {
    /// The page, best group first.
    pub(crate) fn best_first(mut self, mut split: TierPartition<'_, 's>) -> Vec<Position> {
        while !self.is_full()
            && let Some(step) = split.next_step()
        {
            match step {
                Step::Group(group) => self.take(&group),
                Step::Phrase(candidates) => {
                    let members = self.take_candidates(&candidates);
                    if self.is_full() {
                        break;
                    }
                    split.leave_out(&members);
                }
            }
        }
        self.found
    }

    /// The page, worst group first.
    pub(crate) fn worst_first(mut self, mut split: TierPartition<'_, 's>) -> Vec<Position> {
        let mut groups: Vec<Group<'s>> = Vec::new();
        // Worse groups than that of the document at which the walk begins lie behind it.
        while let Some(group) = split.next_group() {
            let is_last = self.begins_within_or_before(group.level);
            groups.push(group);
            if is_last {
                break;
            }
        }
        for group in groups.iter().rev() {
            self.take(group);
            if self.is_full() {
                break;
            }
        }
        self.found
    }

    fn is_full(&self) -> bool {
        self.found.len() >= self.stretch.wanted
    }

    /// What is still wanted.
    fn left(&self) -> PageWindow {
        self.stretch.from(self.stretch.start, self.stretch.wanted - self.found.len())
    }

    /// Does the walk begin beyond the whole level?
    fn is_behind(&self, level: Level) -> bool {
        let beyond = if self.stretch.is_best_first() { Ordering::Less } else { Ordering::Greater };
        self.stretch.start.is_some_and(|start| level.cmp_key(start.relevance_key) == beyond)
    }

    /// Does the walk begin at a document of the level, or of a better one?
    fn begins_within_or_before(&self, level: Level) -> bool {
        self.stretch.start.is_some_and(|start| level.cmp_key(start.relevance_key).is_ge())
    }

    /// Appends the nearest of the candidates that hold the phrase, and says which do, if the page
    /// is not full.
    fn take_candidates(&mut self, candidates: &PhraseCandidates<'s>) -> SetExpr<'s> {
        let level = Level::PhraseElsewhere;
        if self.is_behind(level) {
            return candidates.members();
        }
        // Of stored ones it is known that they hold the phrase, but not in which field.
        let hits = match candidates.may_be_aliases {
            true => candidates.members(),
            false => candidates.hits.clone(),
        };
        if self.take_best_of_phrase(level, &hits) {
            return SetExpr::EMPTY;
        }
        match self.take_checked(level, &candidates.hits, &*candidates.check) {
            // A walk from the first page on has checked all candidates by now.
            Some(members) if self.stretch.start.is_none() => SetExpr::materialised(members),
            _ => candidates.members(),
        }
    }

    /// Appends the nearest members of a group.
    fn take(&mut self, group: &Group<'s>) {
        if self.is_full() || self.is_behind(group.level) {
            return;
        }
        let are_phrase = self.is_phrase || group.level == Level::PhraseElsewhere;
        if are_phrase && self.take_best_of_phrase(group.level, &group.members) {
            return;
        }
        match (on_level(self.session, &group.members), &group.members) {
            (OnLevel::Verified, SetExpr::Filtered { candidates, check, .. }) => {
                self.take_checked(group.level, candidates, &**check);
            }
            (OnLevel::ScoreAll, members) => {
                self.session.took(Way::ScoreAll);
                let left = self.left();
                self.found.extend(nearest(members, group.level, &mut self.scorer, left));
            }
            (_, members) => self.take_by_impacts(group.level, members, None),
        }
    }

    /// Fills the page with those of `hits` among the stored best of the phrase, if they suffice.
    fn take_best_of_phrase(&mut self, level: Level, hits: &SetExpr<'s>) -> bool {
        let Some(best) = self.best_of_phrase else { return false };
        if !self.stretch.is_from_best() {
            return false;
        }
        let left = self.left();
        let start = left.start.map(|start| left.distance(&start));
        let mut found = Vec::with_capacity(left.wanted);
        for doc in best.docs().filter(|&doc| hits.contains(doc)) {
            // Without a start, only the last on the page is asked for its place, behind which the
            // next page begins.
            let is_scored = start.is_some() || found.len() + 1 == left.wanted;
            let score = if is_scored { self.scorer.score(doc) } else { 0 };
            let position = Position { relevance_key: level.key(score), doc };
            if start.is_none_or(|start| left.distance(&position) > start) {
                found.push(position);
            }
            if found.len() == left.wanted {
                self.session.took(Way::TierBest);
                self.found.append(&mut found);
                return true;
            }
        }
        false
    }

    /// Appends the nearest of `members` that pass `check` by bounds of what their words add.
    fn take_by_impacts(
        &mut self,
        level: Level,
        members: &SetExpr<'s>,
        check: Option<&(dyn Predicate + 's)>,
    ) {
        let (session, left) = (self.session, self.left());
        let members = (members, check);
        let found = self.impacts.nearest(session, level, members, left, &mut self.scorer);
        self.found.extend(found);
    }

    /// Appends the nearest of those candidates that turn out to be members: they are asked in
    /// order, until there are enough. Otherwise returns all members that are ahead, if all were
    /// asked.
    fn take_checked(
        &mut self,
        level: Level,
        candidates: &SetExpr<'s>,
        check: &(dyn Predicate + 's),
    ) -> Option<DocSet> {
        let mut members: Vec<u32> = Vec::new();
        let tuning = self.session.tuning();
        // Behind a cursor, few of them are scored.
        let is_within = self.stretch.start_on(level).is_some();
        if is_within && on_level(self.session, candidates) == OnLevel::ImpactWalk {
            self.take_by_impacts(level, candidates, Some(check));
            return None;
        }
        let kept = (tuning.kept_max as usize).clamp(tuning.checked_first, AHEAD_MAX);
        let mut start = self.stretch.start;
        loop {
            let mut ahead = TopK::new(self.stretch.from(start, kept));
            let mut score_all = |left: &mut DocSet| {
                self.scorer.for_each_score_of(left, |doc, score| {
                    let relevance_key = level.key(score);
                    ahead.push(Position { relevance_key, doc });
                });
                left.clear();
            };
            // Of most chunks nobody is left: lists are looked up where somebody is, one after the
            // other.
            let mut left = DocSet::default();
            candidates.for_each_prefiltered(check, |key, lows| {
                left.extend(key, lows);
                if left.len() >= AHEAD_MAX as u64 {
                    score_all(&mut left);
                }
            });
            score_all(&mut left);
            let mut ahead = ahead.into_kept();
            let is_all = ahead.len() < kept;
            let (mut rest, mut asked) = (ahead.as_mut_slice(), tuning.checked_first);
            while !rest.is_empty() {
                let next = asked.min(rest.len());
                if next < rest.len() {
                    rest.select_nth_unstable_by_key(next, |(distance, _)| *distance);
                }
                let (batch, behind) = rest.split_at_mut(next);
                batch.sort_unstable_by_key(|(distance, _)| *distance);
                let batch: Vec<Position> = batch.iter().map(|(_, position)| *position).collect();
                self.take_members(&batch, check, &mut members);
                if self.is_full() {
                    return None;
                }
                start = batch.last().copied();
                rest = behind;
                asked *= 4;
            }
            if is_all {
                // A page is not full of them, so they are few.
                return Some(DocSet::of(members));
            }
        }
    }

    /// Appends those of `batch` that pass the check, until the page is full.
    fn take_members(
        &mut self,
        batch: &[Position],
        check: &(dyn Predicate + 's),
        members: &mut Vec<u32>,
    ) {
        let doc_of = |position: &Position| position.doc;
        check.each_matching(batch, doc_of, |&position| {
            members.push(position.doc.0);
            self.found.push(position);
            !self.is_full()
        });
    }
}
