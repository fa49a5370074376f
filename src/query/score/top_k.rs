//! The nearest positions on one side of a place in a sequence, from candidates in any order.

use super::text_score::Scorer;
use crate::ids::DocId;
use crate::query::cursor::{Position, Side};
use crate::query::request::SortOrder;
use crate::query::sets::evaluate::SELECTED_MAX;
use crate::query::sets::set_expr::SetExpr;
use crate::ranking::Level;

/// Which stretch of a sequence is wanted.
#[derive(Clone, Copy, Debug)]
pub struct PageWindow {
    /// Direction of the sort value.
    pub order: SortOrder,
    /// Direction of the walk.
    pub side: Side,
    /// Where the walk begins; at the end of the sequence if nowhere.
    pub start: Option<Position>,
    /// Most positions that are wanted.
    pub wanted: usize,
}

/// What orders positions in the direction of a walk, smallest first.
pub type Distance = (u64, u32);

impl PageWindow {
    /// The distance of a position.
    pub fn distance(&self, position: &Position) -> Distance {
        let key = match self.order {
            SortOrder::Desc => u64::MAX - position.relevance_key,
            SortOrder::Asc => position.relevance_key,
        };
        match self.side {
            Side::After => (key, position.doc.0),
            Side::Before => (u64::MAX - key, u32::MAX - position.doc.0),
        }
    }

    /// Does the walk go from the best down?
    pub fn is_best_first(&self) -> bool {
        (self.order == SortOrder::Desc) == (self.side == Side::After)
    }

    /// Does it go the way in which the best of something are stored?
    pub fn is_from_best(&self) -> bool {
        self.order == SortOrder::Desc && self.side == Side::After
    }

    /// Where it begins within a level of relevance, if it does.
    pub fn start_on(&self, level: Level) -> Option<Position> {
        self.start.filter(|start| level.cmp_key(start.relevance_key).is_eq())
    }

    /// The stretch that begins at `start`, of at most `wanted`.
    pub fn from(&self, start: Option<Position>, wanted: usize) -> PageWindow {
        PageWindow { start, wanted, ..*self }
    }
}

/// Keeps the nearest of the positions that it is given: as many as are wanted, in bounded space.
#[derive(Debug)]
pub struct TopK {
    stretch: PageWindow,
    start: Option<Distance>,
    kept: Vec<(Distance, Position)>,
    /// Positions from here on are not among the nearest.
    bound: Option<Distance>,
}

impl TopK {
    /// None yet.
    pub fn new(stretch: PageWindow) -> TopK {
        let start = stretch.start.as_ref().map(|start| stretch.distance(start));
        TopK { stretch, start, kept: Vec::new(), bound: None }
    }

    /// Which stretch they are the nearest of.
    pub fn stretch(&self) -> PageWindow {
        self.stretch
    }

    /// One more candidate.
    #[inline]
    pub fn push(&mut self, position: Position) {
        let distance = self.stretch.distance(&position);
        if self.start.is_some_and(|start| distance <= start)
            || self.bound.is_some_and(|bound| distance >= bound)
        {
            return;
        }
        self.kept.push((distance, position));
        if self.kept.len() >= 2 * self.stretch.wanted.max(32) {
            self.tighten();
        }
    }

    /// May a position that is as near as `nearest` be among the nearest? Where it is dear to tell a
    /// position exactly, a bound often does.
    #[inline]
    pub fn may_keep(&self, nearest: &Position) -> bool {
        self.bound.is_none_or(|bound| self.stretch.distance(nearest) < bound)
    }

    /// The relevance key of the first position that is too far, once there is one.
    pub fn bound_key(&self) -> Option<u64> {
        // What turns keys into distances turns these back.
        let turned = |relevance_key| Position { relevance_key, doc: DocId(0) };
        self.bound.map(|(key, _)| self.stretch.distance(&turned(key)).0)
    }

    /// Lets go of what is not among the nearest so far, so that [`may_keep`](Self::may_keep) knows.
    pub fn tighten(&mut self) {
        let wanted = self.stretch.wanted;
        if self.kept.len() > wanted {
            self.kept.select_nth_unstable_by_key(wanted, |(distance, _)| *distance);
            self.bound = Some(self.kept[wanted].0);
            self.kept.truncate(wanted);
        }
    }

    /// The nearest, nearest first.
    pub fn into_sorted(self) -> Vec<Position> {
        let mut kept = self.into_kept();
        kept.sort_unstable_by_key(|(distance, _)| *distance);
        kept.into_iter().map(|(_, position)| position).collect()
    }

    /// The nearest in any order, with their distances.
    pub fn into_kept(mut self) -> Vec<(Distance, Position)> {
        self.tighten();
        self.kept
    }
}

/// The nearest documents of a plan by score, all of them on one level.
pub fn nearest(
    plan: &SetExpr<'_>,
    level: Level,
    scorer: &mut Scorer<'_>,
    stretch: PageWindow,
) -> Vec<Position> {
    let mut nearest = TopK::new(stretch);
    let mut push = |doc, score| {
        nearest.push(Position { relevance_key: level.key(score), doc });
    };
    match plan {
        SetExpr::Materialised(hits) => scorer.for_each_score_of(hits, push),
        // Of so few a chunk holds a handful.
        plan if plan.cardinality_max() <= SELECTED_MAX => {
            scorer.for_each_score_of(&plan.doc_set(), push);
        }
        plan => plan.for_each_chunk(|key, lows| scorer.for_each_score(key, lows, &mut push)),
    }
    nearest.into_sorted()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::DocId;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_nearest_are_the_first_of_a_sort(
            keys in proptest::collection::vec(0u64..9, 0..300),
            wanted in 1usize..70,
            start in proptest::option::of(0usize..300),
        ) {
            let positions: Vec<Position> = (0..).zip(&keys)
                .map(|(doc, &relevance_key)| Position { relevance_key, doc: DocId(doc) }).collect();
            for (order, side) in [(SortOrder::Asc, Side::After), (SortOrder::Asc, Side::Before),
                                  (SortOrder::Desc, Side::After), (SortOrder::Desc, Side::Before)] {
                let start = start.and_then(|at| positions.get(at)).copied();
                let stretch = PageWindow { order, side, start, wanted };
                let mut nearest = TopK::new(stretch);
                positions.iter().for_each(|&position| nearest.push(position));
                let mut sorted = positions.clone();
                let key = |it: &Position| if order == SortOrder::Asc { it.relevance_key } else { 9 - it.relevance_key };
                sorted.sort_by_key(|it| (key(it), it.doc));
                if side == Side::Before { sorted.reverse(); }
                let behind = start.map_or(0, |start| 1 + sorted.iter().position(|it| it.doc == start.doc).unwrap());
                let expected: Vec<Position> = sorted.into_iter().skip(behind).take(wanted).collect();
                prop_assert_eq!(nearest.into_sorted(), expected);
            }
        }
    }
}
