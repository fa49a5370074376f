//! Pages in the static order, and in the order of a permutation.
//!
//! | order | dense hits | sparse hits |
//! |---|---|---|
//! | employees descending | walk the hits in `DocId` order | the same |
//! | employees ascending | walk the hits of one count after the other, in `DocId` order | as below |
//! | any other | walk the permutation, test each business | gather the ranks of all hits, keep the nearest |
//!
//! Where positions of a filter are stored, [`positions`](super::filter_positions) are walked
//! instead.
//!
//! Walking costs about `limit * N / hits` tests, gathering about `hits` look-ups. A test costs as
//! much as a look-up where neighbours ascend, and two by name. The smaller sum is chosen. Where
//! words are looked at, many tests are made at a time, and gathering costs what finding all hits
//! does. Counts differ much in how many businesses have them, so that walking one after the other
//! is tried, and given up.

use super::counted::Counted;
use crate::ids::DocId;
use crate::query::cursor::{Position, Side};
use crate::query::request::{Query, SortKey, SortOrder};
use crate::query::score::top_k::PageWindow;
use crate::query::session::{Session, founded};
use crate::query::sets::set_expr::{CHECKED, SetExpr};
use crate::snapshot::Snapshot;
use crate::snapshot::columns::sort_order::Permutation;
use std::ops::Range;

/// The first `wanted` hits on one side of `start` in `DocId` order, nearest first.
pub fn by_doc_id(
    hits: &SetExpr<'_>,
    side: Side,
    start: Option<DocId>,
    wanted: usize,
) -> Vec<Position> {
    let position = |doc| Position { relevance_key: 0, doc };
    match side {
        Side::After => match start.map_or(Some(0), |doc| doc.0.checked_add(1)) {
            Some(start) => hits.walk_from(DocId(start)).take(wanted).map(position).collect(),
            None => Vec::new(),
        },
        Side::Before => {
            let end = start.unwrap_or(DocId(u32::MAX));
            hits.walk_before(end).take(wanted).map(position).collect()
        }
    }
}

/// Where in the order by employees, fewest first, the hits stand: bounds on employees are a stretch
/// of it.
fn employees_window(snapshot: &Snapshot, hits: &SetExpr<'_>) -> Range<usize> {
    let counts = snapshot.employee_counts();
    let range = hits.doc_range(snapshot.num_docs());
    let count_of = |doc| counts.get(DocId(doc));
    match (count_of(range.start), range.end.checked_sub(1).and_then(count_of)) {
        (Some(most), Some(fewest)) if !range.is_empty() => {
            let position = |behind: u32| (counts.len() - behind) as usize;
            position(counts.at_least(fewest))..position(counts.above(most))
        }
        _ => 0..snapshot.num_docs() as usize,
    }
}

/// Where in an order by year the hits stand: bounds on years are a stretch of it.
fn years_window(snapshot: &Snapshot, query: &Query, permutation: Permutation<'_>) -> Range<usize> {
    let Some(years) = query.founded_years() else { return 0..permutation.len() };
    let ascending = founded::positions(snapshot, &years);
    match query.order {
        SortOrder::Asc => ascending,
        SortOrder::Desc => {
            let with_year = permutation.num_reversed() as usize;
            with_year - ascending.end..with_year - ascending.start
        }
    }
}

/// So many hits are gathered in the time in which those of one count are walked.
const STRETCH_COST: u64 = 64;

/// The first `wanted` hits from one side of `positions`, nearest first, if the businesses of the
/// order stand stretch by stretch in `DocId` order, and so many are found within `most` stretches.
fn by_stretches(
    permutation: Permutation<'_>,
    mut positions: Range<u32>,
    hits: &SetExpr<'_>,
    side: Side,
    wanted: usize,
    mut most: u64,
) -> Option<Vec<DocId>> {
    let mut found: Vec<DocId> = Vec::new();
    while !positions.is_empty() && found.len() < wanted {
        most = most.checked_sub(1)?;
        let near = match side {
            Side::After => positions.start,
            Side::Before => positions.end - 1,
        };
        let (here, first) = permutation.stretch(near)?;
        let part = here.start.max(positions.start)..here.end.min(positions.end);
        let doc = |position: u32| DocId(first.0 + (position - here.start));
        let (start, end) = (doc(part.start), doc(part.end));
        let left = wanted - found.len();
        match side {
            Side::After => {
                let ahead = hits.walk_from(start).take_while(|&doc| doc < end);
                found.extend(ahead.take(left));
                positions.start = part.end;
            }
            Side::Before => {
                let ahead = hits.walk_before(end).take_while(|&doc| doc >= start);
                found.extend(ahead.take(left));
                positions.end = part.start;
            }
        }
    }
    Some(found)
}

/// Most positions that are looked at together.
const WALKED_MAX: usize = 512;

/// The first `wanted` hits from one side of `positions`, nearest first; one in about `per_hit`
/// positions has one.
fn walked(
    permutation: Permutation<'_>,
    mut positions: Range<usize>,
    hits: &SetExpr<'_>,
    side: Side,
    (wanted, per_hit): (usize, usize),
) -> Vec<DocId> {
    let mut found: Vec<DocId> = Vec::with_capacity(wanted);
    let mut docs: Vec<DocId> = Vec::new();
    while found.len() < wanted && !positions.is_empty() {
        let left = wanted - found.len();
        let len = left.saturating_mul(per_hit).clamp(1, WALKED_MAX).min(positions.len());
        docs.clear();
        match side {
            Side::After => {
                let near = positions.start..positions.start + len;
                positions.start = near.end;
                docs.extend(permutation.docs(near));
            }
            Side::Before => {
                let near = positions.end - len..positions.end;
                positions.end = near.start;
                docs.extend(permutation.docs(near).rev());
            }
        }
        hits.retain(&mut docs);
        found.extend(docs.iter().take(left));
    }
    found
}

/// Hits in the order of a permutation, on one side of a cursor.
pub struct SortedHits<'a, 's> {
    permutation: Permutation<'s>,
    /// Positions that may have hits.
    window: Range<usize>,
    /// Positions beyond the cursor.
    positions: Range<usize>,
    hits: &'a SetExpr<'s>,
    total: u64,
    side: Side,
    wanted: usize,
}

impl<'a, 's> SortedHits<'a, 's> {
    /// The hits in the order that `query` asks for, beyond its cursor.
    pub fn new(
        session: &Session<'s>,
        query: &Query,
        page: &PageWindow,
        counted: &'a Counted<'s>,
    ) -> SortedHits<'a, 's> {
        let (snapshot, Counted { hits, total, .. }) = (session.snapshot(), counted);
        let permutation = permutation_of(snapshot, query);
        let window = match query.sort {
            SortKey::EmployeeCount => employees_window(snapshot, hits),
            SortKey::FoundedYear => years_window(snapshot, query, permutation),
            _ => 0..permutation.len(),
        };
        let (start, end) = match (page.side, rank(snapshot, permutation, page)) {
            (_, None) => (window.start, window.end),
            (Side::After, Some(rank)) => (window.start.max(rank as usize + 1), window.end),
            (Side::Before, Some(rank)) => (window.start, window.end.min(rank as usize)),
        };
        let positions = start..end.max(start);
        let (side, wanted) = (page.side, page.wanted);
        SortedHits { permutation, window, positions, hits, total: *total, side, wanted }
    }

    /// Does a walk that looks at the document of each position cost less than gathering the ranks
    /// of all hits?
    pub fn is_walked(&self) -> bool {
        let (hits, total, window) = (self.hits, self.total, self.window.len() as u64);
        let walked = self.wanted as u64 * window / total.max(1);
        let steps = walked * self.permutation.step_cost();
        if !hits.has_predicate() {
            return steps <= total;
        }
        // Hits are not materialised, and to find them all is what costs.
        let candidates = hits.enumerated_max();
        let looked_at = candidates * walked / window.max(1);
        steps + CHECKED * looked_at <= total + candidates
    }

    /// The nearest by a walk run by run; none beyond so many runs that gathering ranks costs less.
    pub fn by_runs(&self) -> Option<Vec<DocId>> {
        let positions = self.positions.start as u32..self.positions.end as u32;
        let most = self.total / STRETCH_COST;
        by_stretches(self.permutation, positions, self.hits, self.side, self.wanted, most)
    }

    /// The nearest by a walk along the order.
    pub fn walked(&self) -> Vec<DocId> {
        let of_page = (self.wanted, self.window.len() / (self.total.max(1) as usize));
        walked(self.permutation, self.positions.clone(), self.hits, self.side, of_page)
    }

    /// The nearest by the ranks of all hits, which are put into `ranks`.
    pub fn gathered(&self, ranks: &mut Vec<u32>) -> Vec<DocId> {
        let positions = self.positions.start as u32..self.positions.end as u32;
        ranks.clear();
        self.hits.for_each(|doc| ranks.push(doc.0));
        self.permutation.rough_ranks(ranks);
        self.permutation.nearest(ranks, positions, self.wanted, self.side == Side::Before);
        ranks.iter().map(|&rank| self.permutation.doc_at(rank as usize)).collect()
    }
}

/// The sort order of a query, if that is not the static one.
pub fn permutation_of<'s>(snapshot: &'s Snapshot, query: &Query) -> Permutation<'s> {
    match (query.sort, query.order) {
        (SortKey::Name, SortOrder::Asc) => snapshot.by_name_ascending(),
        (SortKey::Name, SortOrder::Desc) => snapshot.by_name_descending(),
        (SortKey::FoundedYear, SortOrder::Asc) => snapshot.by_founded_year_ascending(),
        (SortKey::FoundedYear, SortOrder::Desc) => snapshot.by_founded_year_descending(),
        _ => snapshot.by_employee_count_ascending(),
    }
}

/// Where the cursor stands in a sort order. One made by hand may name a document that is not there:
/// it stands behind all others.
pub fn rank(snapshot: &Snapshot, permutation: Permutation<'_>, page: &PageWindow) -> Option<u32> {
    page.start.map(|position| match position.doc {
        doc if doc.0 < snapshot.num_docs() => permutation.rank(doc),
        _ => snapshot.num_docs(),
    })
}
