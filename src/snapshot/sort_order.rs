//! Sort orders: a permutation (position to `DocId`) and its inverse, the ranks (`DocId` to position).
//!
//! One section holds both, `u32` each, the permutation first. Descending by employees is the `DocId` order
//! itself and has no section.

use super::error::SnapshotError;
use super::format::SectionKind;
use super::mapped::Section;
use super::writer::SnapshotWriter;
use crate::bytes::cast;
use crate::ids::DocId;

/// A sort order in a snapshot.
pub struct SortOrderSection {
    section: Section,
}

/// A sort order, ready to walk.
#[derive(Clone, Copy, Debug)]
pub struct Permutation<'a> {
    docs: &'a [u32],
    ranks: &'a [u32],
}

impl SortOrderSection {
    /// Opens the order and proves that it is a bijection with its inverse.
    ///
    /// # Errors
    /// It is not.
    pub fn open(
        kind: SectionKind,
        section: Section,
        num_docs: u32,
    ) -> Result<SortOrderSection, SnapshotError> {
        let numbers: &[u32] = section.checked_slice(kind)?;
        if numbers.len() != num_docs as usize * 2 {
            return Err(SnapshotError::damaged(kind, "wrong number of positions"));
        }
        let (docs, ranks) = numbers.split_at(num_docs as usize);
        let inverse = |(position, &doc): (usize, &u32)| {
            ranks.get(doc as usize).is_some_and(|&rank| rank as usize == position)
        };
        if !docs.iter().enumerate().all(inverse) {
            return Err(SnapshotError::damaged(kind, "permutation and ranks do not fit"));
        }
        Ok(SortOrderSection { section })
    }

    /// The order.
    pub fn permutation(&self) -> Permutation<'_> {
        let numbers: &[u32] = cast(self.section.as_ref());
        let (docs, ranks) = numbers.split_at(numbers.len() / 2);
        Permutation { docs, ranks }
    }
}

impl<'a> Permutation<'a> {
    /// The businesses in order.
    #[inline]
    pub fn docs(&self) -> &'a [u32] {
        self.docs
    }

    /// The position of a business.
    #[inline]
    pub fn rank(&self, doc: DocId) -> u32 {
        self.ranks[doc.index()]
    }
}

/// Writes the order in which `docs` lists all documents.
///
/// # Errors
/// The file cannot be written.
pub fn write(
    kind: SectionKind,
    docs: &[u32],
    writer: &mut SnapshotWriter,
) -> Result<(), SnapshotError> {
    let mut ranks = vec![0u32; docs.len()];
    for (position, &doc) in docs.iter().enumerate() {
        ranks[doc as usize] = position as u32;
    }
    let mut section = writer.begin(kind);
    section.write(bytemuck::cast_slice(docs))?;
    section.write(bytemuck::cast_slice(&ranks))?;
    section.end(writer)
}
