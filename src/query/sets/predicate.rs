//! Conditions on documents that postings alone cannot tell. One that has nothing to look at before
//! its exact test has that alone.

use super::chunk::Chunk;
use super::doc_set::DocSet;
use crate::ids::DocId;
use std::borrow::Cow;
use std::fmt::Debug;

/// Documents that are announced together.
pub const ANNOUNCED: usize = 32;

/// A condition that a leaf of a set expression puts on its candidates: a pre-filter, and an exact
/// test.
pub trait Predicate: Debug {
    /// Documents of a chunk that may match, by their ascending lower halves.
    fn prefilter(&self, _key: u16, lows: &Chunk<'_>) -> Chunk<'static> {
        Chunk::Array(lows.to_array())
    }

    /// Documents of a set that may match. Where chunks hold a few each, this costs less than one
    /// chunk after the other.
    fn prefilter_set<'d>(&self, docs: &'d DocSet) -> Cow<'d, DocSet> {
        Cow::Borrowed(docs)
    }

    /// Begins to read what the test reads of some documents: memory answers several at a time in
    /// the time of one.
    fn announce(&self, _docs: &mut dyn Iterator<Item = DocId>) {}

    /// Does a document match?
    fn matches(&self, doc: DocId) -> bool;

    /// What it costs to verify a candidate, in postings and tokens.
    fn cost(&self) -> u64;

    /// The condition as text, for explanations.
    fn describe(&self) -> String;
}

impl dyn Predicate + '_ {
    /// The documents of a chunk that match, by their ascending lower halves.
    pub fn matching(&self, key: u16, lows: &Chunk<'_>) -> Chunk<'static> {
        let left = self.prefilter(key, lows).to_array();
        Chunk::Array(self.matching_of(&left, |&low| DocId(u32::from(key) << 16 | u32::from(low))))
    }

    /// The documents of a set that match.
    pub fn matching_set(&self, docs: &DocSet) -> DocSet {
        let left: Vec<DocId> = self.prefilter_set(docs).iter().collect();
        DocSet::of_sorted(self.matching_of(&left, |&doc| doc).into_iter().map(|doc| doc.0))
    }

    /// The items whose document matches, without a pre-filter.
    pub fn matching_of<T: Copy>(&self, items: &[T], doc: impl Fn(&T) -> DocId) -> Vec<T> {
        let mut matching = Vec::new();
        self.each_matching(items, doc, |&item| {
            matching.push(item);
            true
        });
        matching
    }

    /// Calls `visit` with the items whose document matches, until it says that it wants no more.
    pub fn each_matching<T>(
        &self,
        items: &[T],
        doc: impl Fn(&T) -> DocId,
        mut visit: impl FnMut(&T) -> bool,
    ) {
        for announced in items.chunks(ANNOUNCED) {
            self.announce(&mut announced.iter().map(&doc));
            for item in announced {
                if self.matches(doc(item)) && !visit(item) {
                    return;
                }
            }
        }
    }
}
