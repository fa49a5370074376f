//! Bounds on founding years.
//!
//! Documents of some years stand side by side in the order by year. A short stretch is held as a
//! set; of a long one only the length is taken from there, and the column tells who is in it.

use super::Session;
use crate::ids::DocId;
use crate::query::sets::chunk::Chunk;
use crate::query::sets::doc_set::DocSet;
use crate::query::sets::predicate::Predicate;
use crate::query::sets::set_expr::SetExpr;
use crate::snapshot::Snapshot;
use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};
use std::rc::Rc;

impl<'s> Session<'s> {
    /// Documents founded in one of `years`.
    pub(crate) fn founded(&self, years: RangeInclusive<u16>) -> SetExpr<'s> {
        let snapshot = self.snapshot();
        let positions = positions(snapshot, &years);
        let len = positions.len() as u64;
        if len <= self.tuning().held_max {
            let docs = snapshot.by_founded_year_ascending().docs(positions);
            return SetExpr::materialised(DocSet::of(docs.map(|doc| doc.0).collect()));
        }
        let candidates = Box::new(SetExpr::Range(0..snapshot.num_docs()));
        let check = Rc::new(FoundedWithin { column: snapshot.founded_years(), years });
        SetExpr::Filtered { candidates, check, len: Some(len) }
    }
}

/// Where documents of these years stand in the order by year, oldest first.
pub fn positions(snapshot: &Snapshot, years: &RangeInclusive<u16>) -> Range<usize> {
    let order = snapshot.by_founded_year_ascending();
    let column = snapshot.founded_years();
    // Unknown years (0) stand last.
    let year_at = |position| column[order.doc_at(position).index()].wrapping_sub(1);
    let before = |year: u16| {
        let (mut start, mut end) = (0, order.len());
        while start < end {
            let middle = start + (end - start) / 2;
            match year_at(middle) < year.wrapping_sub(1) {
                true => start = middle + 1,
                false => end = middle,
            }
        }
        start
    };
    let end = years.end().checked_add(1).map_or_else(|| before(0), before);
    before(*years.start())..end
}

/// The condition that a document was founded within bounds.
#[derive(Debug)]
struct FoundedWithin<'s> {
    /// Years by `DocId`; 0 where a year is not known.
    column: &'s [u16],
    years: RangeInclusive<u16>,
}

impl Predicate for FoundedWithin<'_> {
    fn prefilter(&self, key: u16, lows: &Chunk<'_>) -> Chunk<'static> {
        lows.filter(|low| self.matches(DocId(u32::from(key) << 16 | u32::from(low))))
    }

    fn prefilter_set<'d>(&self, docs: &'d DocSet) -> Cow<'d, DocSet> {
        let matching = docs.iter().filter(|&doc| self.matches(doc));
        Cow::Owned(DocSet::of_sorted(matching.map(|doc| doc.0)))
    }

    fn matches(&self, doc: DocId) -> bool {
        self.years.contains(&self.column[doc.index()])
    }

    fn cost(&self) -> u64 {
        1
    }

    fn describe(&self) -> String {
        format!("founded from {} to {}", self.years.start(), self.years.end())
    }
}
