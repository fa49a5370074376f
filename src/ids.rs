//! The numbers that name things inside one snapshot.
//!
//! All of them are dense and mean nothing outside the snapshot they come from; callers see none of them.

/// The row number of a business: its place in the static order (most employees first), from 0.
///
/// Because rows are stored in the static order, comparing two `DocId`s breaks a tie as the contract asks, and
/// a range of employee counts is a contiguous range of `DocId`s.
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
