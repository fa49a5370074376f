//! The numbers that name things inside one snapshot.
//!
//! All of them are dense and mean nothing outside the snapshot they come from; callers see none of
//! them.

/// The row number of a business: its place in the static order (most employees first), from 0.
///
/// Because rows are stored in the static order, comparing two `DocId`s breaks a tie as the contract
/// asks, and a range of employee counts is a contiguous range of `DocId`s.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DocId(pub u32);

impl DocId {
    /// The row as an index into a column.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The place of a term in the sorted term dictionary, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermOrd(pub u32);

impl TermOrd {
    /// The ordinal as an index into the table of term infos.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Businesses of several chunks, a few in some of them and many in others.
    pub(crate) fn doc_sets() -> impl Strategy<Value = BTreeSet<u32>> {
        let stretch = (0u32..400_000, 1u32..9000, prop_oneof![1u32..30, 400u32..9000]);
        let stretch = stretch.prop_map(|(start, len, step)| {
            (start..start + len * step.min(20)).step_by(step as usize).collect::<Vec<_>>()
        });
        proptest::collection::vec(stretch, 1..4)
            .prop_map(|parts| parts.into_iter().flatten().collect())
    }
}
