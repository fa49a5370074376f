//! Pages in a stored order from the positions of the hits.
//!
//! Industries and places have the positions of their businesses in the orders by name and by year
//! ([`position_lists`](crate::snapshot::answers::position_lists)). What a query asks of these is a
//! plan over positions instead of `DocId`s, walked from any position to either side; what else it
//! asks is asked of each business met.

use crate::ids::DocId;
use crate::query::cursor::Side;
use crate::query::session::Session;
use crate::query::sets::set_expr::SetExpr;
use crate::snapshot::columns::sort_order::{Permutation, StoredOrder};

/// Hits by their positions in a stored order.
#[derive(Debug)]
pub struct PositionPlan<'s> {
    /// Positions, where other plans have `DocId`s.
    positions: SetExpr<'s>,
    /// What must hold of businesses there.
    others: Vec<SetExpr<'s>>,
}

impl<'s> PositionPlan<'s> {
    /// The hits of `plan` by their positions in `order`, if these are stored for a part that all of
    /// them are in.
    pub fn new(
        session: &Session<'s>,
        plan: &SetExpr<'s>,
        order: StoredOrder,
    ) -> Option<PositionPlan<'s>> {
        let snapshot = session.snapshot();
        let in_order = |key| snapshot.positions().in_order(key, order);
        let SetExpr::Intersection(parts) = plan else {
            let positions = plan.over(&in_order)?;
            return Some(PositionPlan { positions, others: Vec::new() });
        };
        let (mut known, mut others) = (Vec::new(), Vec::new());
        for part in parts {
            match part.over(&in_order) {
                Some(positions) => known.push(positions),
                None => others.push(part.clone()),
            }
        }
        let is_any = !known.is_empty();
        is_any.then(|| PositionPlan { positions: SetExpr::intersection(known), others })
    }

    /// At most how many positions are walked.
    pub fn cardinality_max(&self) -> u64 {
        self.positions.cardinality_max()
    }

    /// The first `wanted` hits from one side of `rank` in `permutation`, which rests on the order
    /// of this plan, nearest first.
    pub fn nearest(
        &self,
        permutation: Permutation<'_>,
        side: Side,
        rank: Option<u32>,
        wanted: usize,
    ) -> Vec<DocId> {
        let mut found = Found { plan: self, permutation, wanted, docs: Vec::new() };
        match side {
            Side::After => found.after(rank.map_or(0, |rank| rank.saturating_add(1))),
            Side::Before => found.before(rank.unwrap_or(permutation.len() as u32)),
        }
        found.docs
    }
}

/// Hits found so far, nearest first.
struct Found<'a, 's> {
    plan: &'a PositionPlan<'s>,
    permutation: Permutation<'a>,
    wanted: usize,
    docs: Vec<DocId>,
}

impl Found<'_, '_> {
    fn is_full(&self) -> bool {
        self.docs.len() >= self.wanted
    }

    fn push(&mut self, stored: DocId) {
        let doc = self.permutation.stored_doc(stored.0);
        if self.plan.others.iter().all(|other| other.contains(doc)) {
            self.docs.push(doc);
        }
    }

    fn extend(&mut self, stored: impl Iterator<Item = DocId>) {
        for stored in stored {
            if self.is_full() {
                return;
            }
            self.push(stored);
        }
    }

    /// Hits from `first` on.
    fn after(&mut self, first: u32) {
        let (permutation, positions) = (self.permutation, &self.plan.positions);
        if first as usize >= permutation.len() {
            return;
        }
        let group = permutation.group(first);
        let start = group.stored.start + (first - group.positions.start);
        let ahead = positions.walk_from(DocId(start));
        self.extend(ahead.take_while(|stored| stored.0 < group.stored.end));
        if group == permutation.unreversed() {
            return;
        }
        // Groups behind this one are stored before it.
        let mut before = positions.walk_before(DocId(group.stored.start));
        while !self.is_full()
            && let Some(stored) = before.next()
        {
            let group = permutation.group_of_stored(stored.0);
            if group.stored.len() == 1 {
                self.push(stored);
                continue;
            }
            let ahead = positions.walk_from(DocId(group.stored.start));
            self.extend(ahead.take_while(|stored| stored.0 < group.stored.end));
            before = positions.walk_before(DocId(group.stored.start));
        }
        if !self.is_full() {
            self.extend(positions.walk_from(DocId(permutation.unreversed().stored.start)));
        }
    }

    /// Hits before `end`, the last first.
    fn before(&mut self, end: u32) {
        let (permutation, positions) = (self.permutation, &self.plan.positions);
        let Some(last) = end.min(permutation.len() as u32).checked_sub(1) else { return };
        let group = permutation.group(last);
        let end = group.stored.start + (last - group.positions.start) + 1;
        let ahead = positions.walk_before(DocId(end));
        self.extend(ahead.take_while(|stored| stored.0 >= group.stored.start));
        // Groups before this one are stored behind it; before those that are not in reverse stand
        // all that are.
        let is_unreversed = group == permutation.unreversed();
        let start = if is_unreversed { 0 } else { group.stored.end };
        let mut behind = positions.walk_from(DocId(start));
        while !self.is_full()
            && let Some(stored) = behind.next().filter(|it| it.0 < permutation.num_reversed())
        {
            let group = permutation.group_of_stored(stored.0);
            if group.stored.len() == 1 {
                self.push(stored);
                continue;
            }
            let ahead = positions.walk_before(DocId(group.stored.end));
            self.extend(ahead.take_while(|stored| stored.0 >= group.stored.start));
            behind = positions.walk_from(DocId(group.stored.end));
        }
    }
}
