//! Evaluating plans, a chunk of 65,536 businesses at a time.
//!
//! Nothing here is proportional to what matches: a plan can be asked whether it holds one business,
//! be walked from any business to either side, and be visited as a whole; at any time one chunk (8
//! KiB at most for every level of the tree) is in memory. An intersection visits only the chunks
//! that all of its parts have, and starts with its smallest part.

use super::chunk::{Chunk, Words};
use super::doc_set::DocSet;
use super::predicate::Predicate;
use super::set_expr::{List, SetExpr};
use crate::ids::DocId;
use crate::simd::count_ones;
use crate::snapshot::encoding::container::BITMAP_WORDS;
use crate::snapshot::encoding::postings::Postings;
use std::ops::Range;

/// Up to so many businesses of a chunk are looked up one by one in the parts of a union, where
/// evaluating it would read all of its lists.
const PROBED_MAX: usize = 16;

/// Parts of an intersection of at most so many businesses are held and [selected
/// from](super::select); of larger ones less is copied a chunk at a time.
pub const SELECTED_MAX: u64 = 1 << 14;

/// Businesses of parts of a union that are put together at once, where a chunk has about one.
const GATHERED_MAX: u64 = 64;

/// Candidates of a check that are brought together before any is looked at, where a chunk has a
/// few.
const CHECKED_MAX: u64 = 256;

impl<'s> SetExpr<'s> {
    /// Does `doc` match?
    pub fn contains(&self, doc: DocId) -> bool {
        match self {
            SetExpr::Range(range) => range.contains(&doc.0),
            SetExpr::List(list) => list.postings.contains(doc),
            SetExpr::Materialised(hits) => hits.contains(doc),
            SetExpr::Union(union) => union.parts.iter().any(|part| part.contains(doc)),
            SetExpr::Intersection(parts) => parts.iter().all(|part| part.contains(doc)),
            SetExpr::Difference(plan, excluded) => plan.contains(doc) && !excluded.contains(doc),
            SetExpr::Filtered { candidates, check, .. } => {
                candidates.contains(doc) && check.matches(doc)
            }
        }
    }

    /// Leaves those of `docs`, which stand in any order, that match.
    pub fn retain(&self, docs: &mut Vec<DocId>) {
        match self {
            SetExpr::Intersection(parts) => parts.iter().for_each(|part| part.retain(docs)),
            SetExpr::Difference(plan, excluded) => {
                plan.retain(docs);
                docs.retain(|&doc| !excluded.contains(doc));
            }
            SetExpr::Filtered { candidates, check, .. } => {
                candidates.retain(docs);
                *docs = check.matching_of(docs, |&doc| doc);
            }
            plan => docs.retain(|&doc| plan.contains(doc)),
        }
    }

    /// The businesses of chunk `key` that match: the lower halves of their `DocId`s.
    pub fn chunk(&self, key: u16) -> Chunk<'_> {
        match self {
            SetExpr::Range(range) => Chunk::of_range(range, key),
            SetExpr::List(list) => list_chunk(&list.postings, key),
            SetExpr::Materialised(hits) => hits.chunk(key),
            SetExpr::Union(union) => union.parts.iter().fold(Chunk::NONE, |all, part| match part {
                // Whoever is found already need not be looked at: nearly all that hold `s r l` hold
                // `srl`.
                SetExpr::Filtered { candidates, check, .. } => {
                    let left = candidates.chunk(key).and_not(&all);
                    all.or(check.matching(key, &left))
                }
                part => all.or(part.chunk(key)),
            }),
            SetExpr::Intersection(parts) => match parts.as_slice() {
                [] => Chunk::NONE,
                [only] => only.chunk(key),
                [others @ .., last] => last.chunk_within(key, SetExpr::chunk_of_all(others, key)),
            },
            SetExpr::Difference(plan, excluded) => {
                let base = plan.chunk(key);
                if base.is_empty() {
                    return base;
                }
                let excluded = excluded.chunk_within(key, base.clone());
                base.and_not(&excluded)
            }
            SetExpr::Filtered { candidates, check, .. } => {
                check.matching(key, &candidates.chunk(key))
            }
        }
    }

    /// Sets the bits of the documents of chunk `key` that match.
    pub fn or_into(&self, key: u16, words: &mut Words) {
        match self {
            SetExpr::Union(union) => union.parts.iter().for_each(|part| part.or_into(key, words)),
            SetExpr::List(List { postings: Postings::Small(docs), .. }) => {
                let here = &docs[Postings::places_in(docs, key)];
                here.iter().for_each(|&doc| words[usize::from(doc as u16 >> 6)] |= 1 << (doc & 63));
            }
            plan => plan.chunk(key).or_into(words),
        }
    }

    /// The businesses of chunk `key` that all of `parts` match, to be brought together with others.
    fn chunk_of_all<'p>(parts: &'p [SetExpr<'s>], key: u16) -> Chunk<'p> {
        let Some((first, others)) = parts.split_first() else { return Chunk::NONE };
        others.iter().fold(first.chunk(key), |base, part| match part {
            SetExpr::List(_) | SetExpr::Materialised(_) if !base.is_empty() => {
                base.and_on(&part.chunk(key))
            }
            part => part.chunk_within(key, base),
        })
    }

    /// Documents of `base` that match.
    pub(crate) fn chunk_within<'p>(&'p self, key: u16, base: Chunk<'p>) -> Chunk<'p> {
        if base.is_empty() {
            return base;
        }
        match self {
            SetExpr::Range(_) | SetExpr::List(_) | SetExpr::Materialised(_) => {
                base.and(&self.chunk(key))
            }
            SetExpr::Intersection(parts) => {
                parts.iter().fold(base, |base, part| part.chunk_within(key, base))
            }
            SetExpr::Union(_) if base.len() <= PROBED_MAX => {
                base.filter(|low| self.contains(DocId(u32::from(key) << 16 | u32::from(low))))
            }
            SetExpr::Union(union) => union.parts.iter().fold(Chunk::NONE, |all, part| {
                let base = base.clone();
                let left = if part.has_predicate() { base.and_not(&all) } else { base };
                all.or(part.chunk_within(key, left))
            }),
            SetExpr::Difference(plan, excluded) => {
                let base = plan.chunk_within(key, base);
                let excluded = excluded.chunk_within(key, base.clone());
                base.and_not(&excluded)
            }
            SetExpr::Filtered { candidates, check, .. } => {
                check.matching(key, &candidates.chunk_within(key, base))
            }
        }
    }

    /// How many businesses of chunk `key` match. Of an intersection, what all parts share is not
    /// written.
    pub fn chunk_len(&self, key: u16) -> usize {
        match self {
            SetExpr::Intersection(parts) => match parts.as_slice() {
                [
                    others @ ..,
                    last @ (SetExpr::Range(_) | SetExpr::List(_) | SetExpr::Materialised(_)),
                ] if !others.is_empty() => {
                    let base = SetExpr::chunk_of_all(others, key);
                    if base.is_empty() { 0 } else { base.and_len(&last.chunk(key)) }
                }
                _ => self.chunk(key).len(),
            },
            SetExpr::Union(union) if union.parts.len() > 2 && !self.has_predicate() => {
                let mut words = [0; BITMAP_WORDS];
                self.or_into(key, &mut words);
                count_ones(words.iter().copied())
            }
            plan => plan.chunk(key).len(),
        }
    }

    /// A range of `DocId`s that all matching businesses are in.
    pub fn doc_range(&self, num_docs: u32) -> Range<u32> {
        match self {
            SetExpr::Range(range) => range.clone(),
            SetExpr::Intersection(parts) => parts.iter().fold(0..num_docs, |range, part| {
                let other = part.doc_range(num_docs);
                range.start.max(other.start)..range.end.min(other.end)
            }),
            SetExpr::Difference(plan, _) => plan.doc_range(num_docs),
            SetExpr::Filtered { candidates, .. } => candidates.doc_range(num_docs),
            SetExpr::Materialised(hits) => hits.range(),
            SetExpr::List(_) | SetExpr::Union(_) => 0..num_docs,
        }
    }

    /// The smallest key, not below `from`, of a chunk in which any business may match.
    pub fn next_key(&self, from: u32) -> Option<u16> {
        match self {
            SetExpr::Range(range) => {
                let key = from.max(range.start >> 16);
                (!range.is_empty() && key <= (range.end - 1) >> 16).then_some(key as u16)
            }
            SetExpr::List(list) => list.postings.next_key(from),
            SetExpr::Materialised(hits) => hits.next_key(from),
            SetExpr::Union(union) => {
                union.parts.iter().filter_map(|part| part.next_key(from)).min()
            }
            SetExpr::Intersection(parts) => {
                let mut key = from;
                loop {
                    let start = key;
                    for part in parts {
                        key = u32::from(part.next_key(key)?);
                    }
                    if key == start {
                        return Some(key as u16);
                    }
                }
            }
            SetExpr::Difference(plan, _) => plan.next_key(from),
            SetExpr::Filtered { candidates, .. } => candidates.next_key(from),
        }
    }

    /// The largest key, below `end`, of a chunk in which any business may match.
    pub fn last_key(&self, end: u32) -> Option<u16> {
        match self {
            SetExpr::Range(range) => {
                let last = range.end.checked_sub(1)? >> 16;
                let key = last.min(end.checked_sub(1)?);
                (key >= range.start >> 16 && !range.is_empty()).then_some(key as u16)
            }
            SetExpr::List(list) => list.postings.last_key(end),
            SetExpr::Materialised(hits) => hits.last_key(end),
            SetExpr::Union(union) => union.parts.iter().filter_map(|part| part.last_key(end)).max(),
            SetExpr::Intersection(parts) => {
                let mut end = end;
                loop {
                    let start = end;
                    for part in parts {
                        end = u32::from(part.last_key(end)?) + 1;
                    }
                    if end == start {
                        return Some((end - 1) as u16);
                    }
                }
            }
            SetExpr::Difference(plan, _) => plan.last_key(end),
            SetExpr::Filtered { candidates, .. } => candidates.last_key(end),
        }
    }

    /// The keys of the chunks in which any business may match, ascending.
    pub fn keys(&self) -> impl Iterator<Item = u16> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let key = self.next_key(from)?;
            from = u32::from(key) + 1;
            Some(key)
        })
    }

    /// Calls `visit` with the matching businesses of every chunk that has any, ascending.
    pub fn for_each_chunk(&self, mut visit: impl FnMut(u16, &Chunk<'_>)) {
        for key in self.keys() {
            let lows = self.chunk(key);
            if !lows.is_empty() {
                visit(key, &lows);
            }
        }
    }

    /// Calls `visit` with the documents of every chunk that pass the pre-filter of a predicate.
    pub fn for_each_prefiltered(
        &self,
        predicate: &dyn Predicate,
        mut visit: impl FnMut(u16, &Chunk<'_>),
    ) {
        if let SetExpr::Materialised(docs) = self {
            let left = predicate.prefilter_set(docs);
            let chunks = left.chunks();
            return chunks.for_each(|(key, at)| visit(key, &Chunk::Slice(&left.lows()[at])));
        }
        for key in self.keys() {
            visit(key, &predicate.prefilter(key, &self.chunk(key)));
        }
    }

    /// Calls `visit` with every matching business, ascending.
    pub fn for_each(&self, mut visit: impl FnMut(DocId)) {
        self.for_each_chunk(|key, lows| {
            let base = u32::from(key) << 16;
            lows.for_each(|low| visit(DocId(base | u32::from(low))));
        });
    }

    /// Does nothing match?
    pub fn is_empty(&self) -> bool {
        self.walk_from(DocId(0)).next().is_none()
    }

    /// All matching businesses, held in memory: for plans that match few.
    pub fn doc_set(&self) -> DocSet {
        match self {
            SetExpr::Materialised(hits) => hits.as_ref().clone(),
            SetExpr::List(List { postings: Postings::Small(docs), .. }) => {
                DocSet::of_sorted(docs.iter().copied())
            }
            SetExpr::Union(union) if self.cardinality_max() <= GATHERED_MAX => {
                let mut docs = Vec::with_capacity(GATHERED_MAX as usize);
                union.parts.iter().for_each(|part| part.for_each(|doc| docs.push(doc.0)));
                DocSet::of(docs)
            }
            SetExpr::Filtered { candidates, check, .. }
                if candidates.cardinality_max() <= CHECKED_MAX =>
            {
                check.matching_set(&candidates.doc_set())
            }
            // Within bounds on employees only some chunks are looked at.
            SetExpr::Intersection(parts)
                if self.cardinality_max() <= SELECTED_MAX
                    && !parts.iter().any(|part| matches!(part, SetExpr::Range(_))) =>
            {
                let Some((first, others)) = parts.split_first() else { return DocSet::default() };
                others.iter().fold(first.doc_set(), |hits, part| hits.within(part))
            }
            SetExpr::Difference(plan, excluded) if self.cardinality_max() <= SELECTED_MAX => {
                plan.doc_set().without(excluded)
            }
            plan => {
                let mut hits = DocSet::default();
                plan.for_each_chunk(|key, lows| hits.extend(key, lows));
                hits
            }
        }
    }

    /// The matching businesses from `start` on, ascending.
    pub fn walk_from(&self, start: DocId) -> impl Iterator<Item = DocId> {
        let mut open: Option<(u16, Chunk<'_>, u32)> = None;
        let mut next_key = start.0 >> 16;
        std::iter::from_fn(move || {
            loop {
                if let Some((key, lows, place)) = &mut open
                    && let Some(low) = lows.next(place)
                {
                    return Some(DocId(u32::from(*key) << 16 | u32::from(low)));
                }
                let key = self.next_key(next_key)?;
                next_key = u32::from(key) + 1;
                let lows = self.chunk(key);
                let place = lows.place_of(start.0.saturating_sub(u32::from(key) << 16));
                open = Some((key, lows, place));
            }
        })
    }

    /// The matching businesses before `end`, descending.
    pub fn walk_before(&self, end: DocId) -> impl Iterator<Item = DocId> {
        let mut open: Option<(u16, Chunk<'_>, u32)> = None;
        let mut end_key = end.0.div_ceil(1 << 16);
        std::iter::from_fn(move || {
            loop {
                if let Some((key, lows, place)) = &mut open
                    && let Some(low) = lows.previous(place)
                {
                    return Some(DocId(u32::from(*key) << 16 | u32::from(low)));
                }
                let key = self.last_key(end_key)?;
                end_key = u32::from(key);
                let lows = self.chunk(key);
                let place = lows.place_of(end.0 - (u32::from(key) << 16));
                open = Some((key, lows, place));
            }
        })
    }
}

fn list_chunk<'s>(postings: &Postings<'s>, key: u16) -> Chunk<'s> {
    match postings {
        Postings::Small(docs) => {
            let here = &docs[Postings::places_in(docs, key)];
            Chunk::Array(here.iter().map(|&doc| doc as u16).collect())
        }
        Postings::Chunked(chunked) => match chunked.find(key) {
            Some(at) => Chunk::of(chunked.chunk(at).container),
            None => Chunk::NONE,
        },
    }
}
