//! A set of businesses, held in memory: what a plan comes to where it matches few.
//!
//! Two bytes a business: `DocId`s are grouped by their upper 16 bits, as in
//! [postings](crate::snapshot::encoding::postings). Large sets are never held; they stay plans, and
//! are evaluated a chunk at a time ([`evaluate`](super::evaluate)).
//!
//! Not a `RoaringBitmap`: its containers cannot be borrowed, and the place of a document in the
//! order of a set, which numbers what is known of it, is counted anew at every look-up.

use super::chunk::Chunk;
use crate::ids::DocId;
use std::ops::Range;

/// A set of businesses.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct DocSet {
    /// Upper halves, ascending, and where the lower ones of each begin.
    chunks: Vec<(u16, u32)>,
    lows: Vec<u16>,
}

impl DocSet {
    /// The businesses of a list in any order, maybe with repetitions.
    pub fn of(mut docs: Vec<u32>) -> DocSet {
        docs.sort_unstable();
        docs.dedup();
        DocSet::of_sorted(docs.into_iter())
    }

    /// The businesses of an ascending sequence.
    pub fn of_sorted(docs: impl Iterator<Item = u32>) -> DocSet {
        let mut set = DocSet::default();
        docs.for_each(|doc| set.push(doc));
        set
    }

    /// None yet, with room for `len`.
    pub fn with_capacity(len: usize) -> DocSet {
        DocSet { chunks: Vec::new(), lows: Vec::with_capacity(len) }
    }

    /// Adds a business behind all others.
    pub fn push(&mut self, doc: u32) {
        let key = (doc >> 16) as u16;
        if self.chunks.last().is_none_or(|(last, _)| *last != key) {
            self.chunks.push((key, self.lows.len() as u32));
        }
        self.lows.push(doc as u16);
    }

    /// Adds businesses of chunk `key`, behind all others.
    pub fn extend(&mut self, key: u16, lows: &Chunk<'_>) {
        self.extend_by(key, |all| lows.append_to(all));
    }

    /// Adds the businesses of chunk `key`, behind all others, whose lower halves `append` appends.
    #[inline]
    pub fn extend_by(&mut self, key: u16, append: impl FnOnce(&mut Vec<u16>)) {
        let start = self.lows.len();
        append(&mut self.lows);
        if self.lows.len() > start {
            self.chunks.push((key, start as u32));
        }
    }

    /// Takes all of them out.
    pub fn clear(&mut self) {
        self.chunks.clear();
        self.lows.clear();
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.lows.len() as u64
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.lows.is_empty()
    }

    /// The lower halves of those in chunk `key`.
    pub fn chunk(&self, key: u16) -> Chunk<'_> {
        match self.chunks.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(at) => Chunk::Slice(self.lows_at(at)),
            Err(_) => Chunk::NONE,
        }
    }

    fn lows_at(&self, at: usize) -> &[u16] {
        let end = self.chunks.get(at + 1).map_or(self.lows.len(), |(_, end)| *end as usize);
        &self.lows[self.chunks[at].1 as usize..end]
    }

    /// The smallest key, not below `from`, of a chunk with any of them.
    pub fn next_key(&self, from: u32) -> Option<u16> {
        self.chunks
            .get(self.chunks.partition_point(|(key, _)| u32::from(*key) < from))
            .map(|it| it.0)
    }

    /// The largest key, below `end`, of a chunk with any of them.
    pub fn last_key(&self, end: u32) -> Option<u16> {
        let behind = self.chunks.partition_point(|(key, _)| u32::from(*key) < end);
        behind.checked_sub(1).map(|at| self.chunks[at].0)
    }

    /// The range from the first to behind the last of them; empty if there are none.
    pub fn range(&self) -> Range<u32> {
        let ends = self.chunks.first().zip(self.chunks.last());
        let lows = self.lows.first().zip(self.lows.last());
        ends.zip(lows).map_or(0..0, |((first, last), (first_low, last_low))| {
            let doc = |key: u16, low: u16| u32::from(key) << 16 | u32::from(low);
            doc(first.0, *first_low)..doc(last.0, *last_low) + 1
        })
    }

    /// Is `doc` among them?
    pub fn contains(&self, doc: DocId) -> bool {
        self.place_of(doc).is_some()
    }

    /// The place of `doc` in their order.
    pub fn place_of(&self, doc: DocId) -> Option<usize> {
        let key = (doc.0 >> 16) as u16;
        let chunk = self.chunks.binary_search_by_key(&key, |(key, _)| *key).ok()?;
        self.place_in(chunk, doc.0 as u16).ok()
    }

    /// How many are below `doc`.
    pub fn rank(&self, doc: u32) -> usize {
        let key = (doc >> 16) as u16;
        match self.chunks.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(chunk) => self.place_in(chunk, doc as u16).unwrap_or_else(|behind| behind),
            Err(chunk) => self.chunks.get(chunk).map_or(self.lows.len(), |it| it.1 as usize),
        }
    }

    fn place_in(&self, chunk: usize, low: u16) -> Result<usize, usize> {
        let start = self.chunks[chunk].1 as usize;
        match self.lows_at(chunk).binary_search(&low) {
            Ok(at) => Ok(start + at),
            Err(at) => Err(start + at),
        }
    }

    /// The lower halves of all of them, in order.
    pub fn lows(&self) -> &[u16] {
        &self.lows
    }

    /// Number of chunks with any of them.
    pub fn num_chunks(&self) -> usize {
        self.chunks.len()
    }

    /// The key of every chunk with any of them, and the places of those.
    pub fn chunks(&self) -> impl Iterator<Item = (u16, Range<usize>)> {
        let ends = self.chunks.iter().skip(1).map(|it| it.1 as usize);
        let ends = ends.chain(std::iter::once(self.lows.len()));
        self.chunks.iter().zip(ends).map(|(&(key, start), end)| (key, start as usize..end))
    }

    /// Finds businesses by their places, which ascend.
    pub fn places(&self) -> Places<'_> {
        Places { set: self, chunk: 0 }
    }

    /// All of them, ascending.
    pub fn iter(&self) -> impl Iterator<Item = DocId> {
        (0..self.chunks.len()).flat_map(|at| {
            let base = u32::from(self.chunks[at].0) << 16;
            self.lows_at(at).iter().map(move |&low| DocId(base | u32::from(low)))
        })
    }
}

/// See [`DocSet::places`].
#[derive(Debug)]
pub struct Places<'a> {
    set: &'a DocSet,
    chunk: usize,
}

impl Places<'_> {
    /// The business at a place, which is not before that of the last question.
    pub fn doc(&mut self, at: usize) -> DocId {
        while self.set.chunks.get(self.chunk + 1).is_some_and(|next| next.1 as usize <= at) {
            self.chunk += 1;
        }
        DocId(u32::from(self.set.chunks[self.chunk].0) << 16 | u32::from(self.set.lows[at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn holds_what_was_given(
            docs in proptest::collection::btree_set(0u32..400_000, 0..60),
        ) {
            let set = DocSet::of_sorted(docs.iter().copied());
            prop_assert_eq!(set.len(), docs.len() as u64);
            prop_assert_eq!(set.is_empty(), docs.is_empty());
            let ends = docs.first().zip(docs.last());
            prop_assert_eq!(set.range(), ends.map_or(0..0, |(first, last)| *first..*last + 1));
            prop_assert!(set.iter().map(|doc| doc.0).eq(docs.iter().copied()));
            prop_assert!((0..400_000).step_by(997).all(|doc| set.contains(DocId(doc)) == docs.contains(&doc)));
            prop_assert!(docs.iter().all(|&doc| set.contains(DocId(doc))));
            let mut places = set.places();
            for (at, &doc) in docs.iter().enumerate() {
                prop_assert_eq!((set.rank(doc), set.place_of(DocId(doc))), (at, Some(at)));
                prop_assert_eq!(set.rank(doc + 1), at + 1);
                prop_assert_eq!(places.doc(at), DocId(doc));
            }
            for from in 0..8 {
                let key = |doc: &u32| (doc >> 16) as u16;
                prop_assert_eq!(set.next_key(from), docs.iter().map(key).find(|&key| u32::from(key) >= from));
                prop_assert_eq!(set.last_key(from), docs.iter().map(key).rfind(|&key| u32::from(key) < from));
            }
        }
    }
}
