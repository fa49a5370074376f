//! Hits within one industry, by their positions in the order by industry.
//!
//! What a query about one industry asks of words and places is a plan over positions
//! ([`industry_order`](crate::snapshot::answers::industry_order)), evaluated only where the
//! businesses of the industry stand, which is a range: a hundredth of each list, for an industry of
//! one business in a hundred. Where the best of two words are
//! [stored](crate::query::strategy::first_pages), hits are only counted so.

use super::Session;
use crate::ids::{DocId, TermOrd};
use crate::query::sets::doc_set::DocSet;
use crate::query::sets::evaluate::SELECTED_MAX;
use crate::query::sets::set_expr::{List, SetExpr};
use crate::snapshot::answers::frequent_keys::DenseKey;
use crate::snapshot::encoding::packed_ints::PackedInts;
use std::ops::Range;

/// The industry that a plan is the list of.
pub fn industry_of(plan: &SetExpr<'_>) -> Option<TermOrd> {
    match plan {
        SetExpr::List(List { key: Some(DenseKey::Industry(ord)), .. }) => Some(*ord),
        _ => None,
    }
}

/// An intersection with one industry, as far as it is told by positions.
#[derive(Debug)]
pub struct WithinIndustry<'s> {
    /// Where the businesses of the industry stand, and who they are.
    range: Range<u32>,
    docs: PackedInts<'s>,
    /// Positions of hits.
    positions: SetExpr<'s>,
    /// Who is hit by these, as a plan over businesses.
    told: SetExpr<'s>,
    /// Who else may be hit: what a last word only begins has no positions.
    others: Vec<SetExpr<'s>>,
}

impl<'s> WithinIndustry<'s> {
    /// The intersection of `parts`, if one of them is an industry, and the others are told by
    /// positions but for a few businesses.
    pub fn new(session: &Session<'s>, parts: &[SetExpr<'s>]) -> Option<WithinIndustry<'s>> {
        let snapshot = session.snapshot();
        let (industry, range) = parts.iter().enumerate().find_map(|(at, part)| {
            snapshot.industry_range(industry_of(part)?).map(|range| (at, range))
        })?;
        let docs = snapshot.positions().docs_by_industry(range.clone());
        let mut narrowed = range.clone();
        let (mut positions, mut told, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for (at, part) in parts.iter().enumerate() {
            let by_industry = |key| snapshot.positions().by_industry(key);
            match part {
                _ if at == industry => {}
                SetExpr::Range(bounds) => {
                    let place = |doc: u32| docs.num_below(doc, snapshot.num_docs()) as u32;
                    let (start, end) = (place(bounds.start), place(bounds.end));
                    narrowed.start = narrowed.start.max(range.start + start);
                    narrowed.end = narrowed.end.min(range.start + end);
                }
                SetExpr::Union(union) => {
                    let (mut mapped, mut known, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
                    for part in &union.parts {
                        match part.over(&by_industry) {
                            Some(positions) => {
                                mapped.push(positions);
                                known.push(part.clone());
                            }
                            None => unknown.push(part.clone()),
                        }
                    }
                    if known.is_empty() {
                        return None;
                    }
                    positions.push(SetExpr::union(mapped));
                    told.push(SetExpr::union(known));
                    if !unknown.is_empty() {
                        let rest = parts.iter().enumerate().filter(|(other, _)| *other != at);
                        let rest = rest.map(|(_, part)| part.clone());
                        others.push(SetExpr::intersection(rest.chain([SetExpr::union(unknown)])));
                    }
                    continue;
                }
                part => positions.push(part.over(&by_industry)?),
            }
            told.push(part.clone());
        }
        let num_others = others.iter().map(SetExpr::cardinality_max).sum::<u64>();
        if positions.is_empty() || num_others > SELECTED_MAX {
            return None;
        }
        let is_none = narrowed.is_empty();
        let bounds = if is_none { SetExpr::EMPTY } else { SetExpr::Range(narrowed) };
        let positions = SetExpr::intersection(positions.into_iter().chain([bounds]));
        Some(WithinIndustry { range, docs, positions, told: SetExpr::intersection(told), others })
    }

    /// Who stands at a position.
    #[inline]
    fn doc(&self, key: u16, low: u16) -> u32 {
        self.docs.get(((u32::from(key) << 16 | u32::from(low)) - self.range.start) as usize)
    }

    /// How many hits there are, and which, if they are no more than `kept_max`.
    pub fn hits(&self, kept_max: u64) -> (u64, Option<DocSet>) {
        let (mut total, mut kept) = (0, Vec::new());
        self.positions.for_each_chunk(|key, lows| {
            total += lows.len() as u64;
            if total <= kept_max {
                lows.for_each(|low| kept.push(self.doc(key, low)));
            }
        });
        let mut others: Vec<u32> = Vec::new();
        for plan in &self.others {
            let hits = plan.doc_set();
            let untold = hits.iter().filter(|&doc| !self.told.contains(doc));
            others.extend(untold.map(|DocId(doc)| doc));
        }
        others.sort_unstable();
        others.dedup();
        total += others.len() as u64;
        if total > kept_max {
            return (total, None);
        }
        kept.extend(others);
        (total, Some(DocSet::of(kept)))
    }
}
