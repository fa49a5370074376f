//! Sets of businesses: what a plan comes to.
//!
//! A [`HitSet`] is a range of `DocId`s or, like [postings](crate::snapshot::postings), chunks of 65,536, each an
//! array of lower halves or a bitmap. Operations take postings as they lie in the mapping; nothing is decoded.
//! Cost: an array costs its length, a bitmap 8 KiB, whatever it holds.

mod lows;

use crate::ids::DocId;
use crate::snapshot::postings::{BITMAP_WORDS, Container, Postings};
use lows::{Lows, clear_outside};
use std::ops::Range;

/// A set of businesses.
#[derive(Clone, Debug)]
pub enum HitSet {
    /// All from `start` to below `end`.
    Range(Range<u32>),
    /// Any others.
    Chunks(Chunks),
}

/// Chunks by ascending key, none of them empty.
#[derive(Clone, Debug, Default)]
pub struct Chunks {
    chunks: Vec<(u16, Lows)>,
}

impl Default for HitSet {
    fn default() -> HitSet {
        HitSet::Range(0..0)
    }
}

impl HitSet {
    /// The businesses of one list of postings.
    pub fn of_postings(postings: &Postings<'_>) -> HitSet {
        HitSet::Chunks(match postings {
            Postings::Small(docs) => Chunks::of_sorted(docs.iter().copied()),
            Postings::Chunked(chunked) => Chunks {
                chunks: (0..chunked.num_chunks())
                    .map(|at| chunked.chunk(at))
                    .map(|chunk| (chunk.key, Lows::of(chunk.container)))
                    .collect(),
            },
        })
    }

    /// The businesses of an ascending sequence.
    pub fn of_sorted(docs: impl Iterator<Item = u32>) -> HitSet {
        HitSet::Chunks(Chunks::of_sorted(docs))
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        match self {
            HitSet::Range(range) => range.len() as u64,
            HitSet::Chunks(chunks) => {
                chunks.chunks.iter().map(|(_, lows)| lows.view().len() as u64).sum()
            }
        }
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        match self {
            HitSet::Range(range) => range.is_empty(),
            HitSet::Chunks(chunks) => chunks.chunks.is_empty(),
        }
    }

    /// Is `doc` among them?
    #[inline]
    pub fn contains(&self, doc: DocId) -> bool {
        match self {
            HitSet::Range(range) => range.contains(&doc.0),
            HitSet::Chunks(chunks) => chunks
                .chunks
                .binary_search_by_key(&((doc.0 >> 16) as u16), |(key, _)| *key)
                .is_ok_and(|at| chunks.chunks[at].1.view().contains(doc.0 as u16)),
        }
    }

    /// Those within `range`.
    pub fn restrict(self, range: &Range<u32>) -> HitSet {
        match self {
            HitSet::Range(own) => HitSet::Range(
                own.start.max(range.start)..own.end.min(range.end).max(own.start.max(range.start)),
            ),
            HitSet::Chunks(chunks) => {
                let keep = |(key, lows): (u16, Lows)| {
                    let base = u32::from(key) << 16;
                    if base >= range.start && base | 0xffff < range.end {
                        return Some((key, lows));
                    }
                    let lows = match lows {
                        Lows::Array(mut lows) => {
                            lows.retain(|&low| range.contains(&(base | u32::from(low))));
                            Lows::of_array(lows)
                        }
                        Lows::Bitmap(mut words, _) => {
                            let start = range.start.saturating_sub(base).min(1 << 16);
                            let end = range.end.saturating_sub(base).min(1 << 16);
                            clear_outside(&mut words, start as usize..end as usize);
                            Lows::of_words(words)
                        }
                    };
                    lows.map(|lows| (key, lows))
                };
                HitSet::Chunks(Chunks {
                    chunks: chunks.chunks.into_iter().filter_map(keep).collect(),
                })
            }
        }
    }

    /// Those that are in `postings` too.
    pub fn and_postings(self, postings: &Postings<'_>) -> HitSet {
        match (self, postings) {
            (HitSet::Range(range), postings) => HitSet::of_postings(postings).restrict(&range),
            (hits, Postings::Small(docs)) => {
                let both = docs.iter().copied().filter(|&doc| hits.contains(DocId(doc)));
                HitSet::of_sorted(both.collect::<Vec<_>>().into_iter())
            }
            (HitSet::Chunks(chunks), Postings::Chunked(chunked)) => {
                let mut at = 0;
                HitSet::Chunks(chunks.filter_map(|key, lows| {
                    while at < chunked.num_chunks() && chunked.key(at) < key {
                        at += 1;
                    }
                    let found = at < chunked.num_chunks() && chunked.key(at) == key;
                    if found { lows.and(chunked.chunk(at).container) } else { None }
                }))
            }
        }
    }

    /// Those that are in both.
    pub fn and(self, other: &HitSet) -> HitSet {
        match (self, other) {
            (hits, HitSet::Range(range)) => hits.restrict(range),
            (HitSet::Range(range), other) => other.clone().restrict(&range),
            (HitSet::Chunks(chunks), HitSet::Chunks(others)) => HitSet::Chunks(
                chunks.filter_map(|key, lows| others.get(key).and_then(|other| lows.and(other))),
            ),
        }
    }

    /// Those that are not in `other`.
    pub fn and_not(self, other: &HitSet) -> HitSet {
        if other.is_empty() {
            return self;
        }
        match (self.into_chunks(), other) {
            (chunks, HitSet::Range(_)) => {
                let other = other.clone().into_chunks();
                HitSet::Chunks(chunks.and_not(&other))
            }
            (chunks, HitSet::Chunks(others)) => HitSet::Chunks(chunks.and_not(others)),
        }
    }

    /// Those that are in either.
    pub fn or(self, other: HitSet) -> HitSet {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        let (chunks, others) = (self.into_chunks(), other.into_chunks());
        let mut all = Vec::with_capacity(chunks.chunks.len().max(others.chunks.len()));
        let (mut left, mut right) =
            (chunks.chunks.into_iter().peekable(), others.chunks.into_iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (Some((a, _)), Some((b, _))) => a.cmp(b),
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (None, None) => break,
            };
            let mut take_left = || left.next().expect("peeked");
            match order {
                std::cmp::Ordering::Less => all.push(take_left()),
                std::cmp::Ordering::Greater => all.push(right.next().expect("peeked")),
                std::cmp::Ordering::Equal => {
                    let ((key, a), (_, b)) = (take_left(), right.next().expect("peeked"));
                    all.extend(a.or(b.view()).map(|lows| (key, lows)));
                }
            }
        }
        HitSet::Chunks(Chunks { chunks: all })
    }

    /// Calls `visit` with all of them, ascending. Quicker than [`HitSet::iter`], which finds its place anew at
    /// every step.
    pub fn for_each(&self, mut visit: impl FnMut(DocId)) {
        match self {
            HitSet::Range(range) => range.clone().for_each(|doc| visit(DocId(doc))),
            HitSet::Chunks(chunks) => {
                for (key, lows) in &chunks.chunks {
                    let base = u32::from(*key) << 16;
                    lows.for_each(|low| visit(DocId(base | u32::from(low))));
                }
            }
        }
    }

    /// Those that `is_wanted` says, ascending.
    pub fn filter(&self, mut is_wanted: impl FnMut(DocId) -> bool) -> HitSet {
        let mut docs = Vec::new();
        self.for_each(|doc| {
            if is_wanted(doc) {
                docs.push(doc.0);
            }
        });
        HitSet::of_sorted(docs.into_iter())
    }

    /// All of them, ascending.
    pub fn iter(&self) -> impl Iterator<Item = DocId> {
        self.iter_from(DocId(0))
    }

    /// Those from `start` on, ascending.
    pub fn iter_from(&self, start: DocId) -> impl Iterator<Item = DocId> {
        let mut next = Some(start.0);
        std::iter::from_fn(move || {
            let doc = self.next_from(next?)?;
            next = doc.checked_add(1);
            Some(DocId(doc))
        })
    }

    /// Those before `end`, descending.
    pub fn iter_before(&self, end: DocId) -> impl Iterator<Item = DocId> {
        let mut end = end.0;
        std::iter::from_fn(move || {
            let doc = self.last_before(end)?;
            end = doc;
            Some(DocId(doc))
        })
    }

    /// The smallest that is not below `start`.
    fn next_from(&self, start: u32) -> Option<u32> {
        match self {
            HitSet::Range(range) => {
                let doc = start.max(range.start);
                (doc < range.end).then_some(doc)
            }
            HitSet::Chunks(chunks) => {
                let key = (start >> 16) as u16;
                let at = chunks.chunks.partition_point(|(other, _)| *other < key);
                let (first, lows) = chunks.chunks.get(at)?;
                let from = if *first == key { start as u16 } else { 0 };
                match lows.next_from(from) {
                    Some(low) => Some(u32::from(*first) << 16 | u32::from(low)),
                    None => {
                        let (key, lows) = chunks.chunks.get(at + 1)?;
                        lows.next_from(0).map(|low| u32::from(*key) << 16 | u32::from(low))
                    }
                }
            }
        }
    }

    /// The largest that is below `end`.
    fn last_before(&self, end: u32) -> Option<u32> {
        match self {
            HitSet::Range(range) => {
                let doc = end.min(range.end).checked_sub(1)?;
                (doc >= range.start).then_some(doc)
            }
            HitSet::Chunks(chunks) => {
                let last = end.checked_sub(1)?;
                let key = (last >> 16) as u16;
                let at =
                    chunks.chunks.partition_point(|(other, _)| *other <= key).checked_sub(1)?;
                let (first, lows) = &chunks.chunks[at];
                let to = if *first == key { last as u16 } else { u16::MAX };
                match lows.last_to(to) {
                    Some(low) => Some(u32::from(*first) << 16 | u32::from(low)),
                    None => {
                        let (key, lows) = &chunks.chunks[at.checked_sub(1)?];
                        lows.last_to(u16::MAX).map(|low| u32::from(*key) << 16 | u32::from(low))
                    }
                }
            }
        }
    }

    fn into_chunks(self) -> Chunks {
        match self {
            HitSet::Chunks(chunks) => chunks,
            HitSet::Range(range) if range.is_empty() => Chunks::default(),
            HitSet::Range(range) => {
                let full = |key: u32| {
                    let base = key << 16;
                    let start = range.start.saturating_sub(base).min(1 << 16);
                    let end = range.end.saturating_sub(base).min(1 << 16);
                    let mut words = Box::new([u64::MAX; BITMAP_WORDS]);
                    clear_outside(&mut words, start as usize..end as usize);
                    Lows::of_words(words).map(|lows| (key as u16, lows))
                };
                let keys = range.start >> 16..=(range.end - 1) >> 16;
                Chunks { chunks: keys.filter_map(full).collect() }
            }
        }
    }
}

impl Chunks {
    fn of_sorted(docs: impl Iterator<Item = u32>) -> Chunks {
        let mut chunks: Vec<(u16, Lows)> = Vec::new();
        let mut docs = docs.peekable();
        while let Some(&first) = docs.peek() {
            let key = (first >> 16) as u16;
            let mut lows = Vec::new();
            while let Some(doc) = docs.next_if(|doc| (doc >> 16) as u16 == key) {
                lows.push(doc as u16);
            }
            chunks.extend(Lows::of_array(lows).map(|lows| (key, lows)));
        }
        Chunks { chunks }
    }

    fn get(&self, key: u16) -> Option<Container<'_>> {
        let at = self.chunks.binary_search_by_key(&key, |(other, _)| *other).ok()?;
        Some(self.chunks[at].1.view())
    }

    fn filter_map(self, mut map: impl FnMut(u16, Lows) -> Option<Lows>) -> Chunks {
        let map = |(key, lows)| map(key, lows).map(|lows| (key, lows));
        Chunks { chunks: self.chunks.into_iter().filter_map(map).collect() }
    }

    fn and_not(self, others: &Chunks) -> Chunks {
        self.filter_map(|key, lows| match others.get(key) {
            Some(other) => lows.and_not(other),
            None => Some(lows),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::postings::encode;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Sets with sparse, dense and full stretches over a few chunks.
    fn sets() -> impl Strategy<Value = BTreeSet<u32>> {
        let stretch = (0u32..200_000, 0u32..20_000, 1u32..40)
            .prop_map(|(start, len, step)| (start..start + len).step_by(step as usize));
        proptest::collection::vec(stretch, 0..5)
            .prop_map(|parts| parts.into_iter().flatten().collect())
    }

    fn hits(set: &BTreeSet<u32>) -> HitSet {
        HitSet::of_sorted(set.iter().copied())
    }

    fn docs(hits: &HitSet) -> Vec<u32> {
        hits.iter().map(|doc| doc.0).collect()
    }

    fn sorted<'a>(set: impl Iterator<Item = &'a u32>) -> Vec<u32> {
        set.copied().collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn operations_are_those_of_sets(a in sets(), b in sets(), range in (0u32..220_000, 0u32..220_000)) {
            let range = range.0.min(range.1)..range.0.max(range.1);
            let in_range: BTreeSet<u32> = range.clone().collect();
            for (x, y, hits_x, hits_y) in [
                (&a, &b, hits(&a), hits(&b)),
                (&a, &in_range, hits(&a), HitSet::Range(range.clone())),
                (&in_range, &b, HitSet::Range(range.clone()), hits(&b)),
            ] {
                prop_assert_eq!(hits_x.len(), x.len() as u64);
                let mut visited = Vec::new();
                hits_x.for_each(|doc| visited.push(doc.0));
                prop_assert_eq!(visited, sorted(x.iter()));
                prop_assert_eq!(docs(&hits_x.filter(|doc| y.contains(&doc.0))), sorted(x.intersection(y)));
                prop_assert_eq!(docs(&hits_x.clone().and(&hits_y)), sorted(x.intersection(y)));
                prop_assert_eq!(docs(&hits_x.clone().and_not(&hits_y)), sorted(x.difference(y)));
                prop_assert_eq!(docs(&hits_x.clone().or(hits_y.clone())), sorted(x.union(y)));
                if !y.is_empty() {
                    let mut bytes = Vec::new();
                    encode(&y.iter().copied().collect::<Vec<_>>(), &mut bytes);
                    let words: Vec<u64> = bytes.chunks_exact(8)
                        .map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
                    let (postings, _) = Postings::read(bytemuck::cast_slice(&words));
                    prop_assert_eq!(docs(&HitSet::of_postings(&postings)), sorted(y.iter()));
                    prop_assert_eq!(docs(&hits_x.clone().and_postings(&postings)), sorted(x.intersection(y)));
                }
                prop_assert_eq!(docs(&hits_x.clone().restrict(&range)), sorted(x.range(range.clone())));
                for probe in [0, 63, 64, 65_535, 65_536, 100_000, range.start, range.end, u32::MAX] {
                    prop_assert_eq!(hits_x.contains(DocId(probe)), x.contains(&probe));
                    let from: Vec<u32> = hits_x.iter_from(DocId(probe)).take(5).map(|doc| doc.0).collect();
                    prop_assert_eq!(from, sorted(x.range(probe..).take(5)));
                    let before: Vec<u32> = hits_x.iter_before(DocId(probe)).take(5).map(|doc| doc.0).collect();
                    prop_assert_eq!(before, sorted(x.range(..probe).rev().take(5)));
                }
            }
        }
    }
}
