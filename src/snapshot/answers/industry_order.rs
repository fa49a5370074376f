//! The order by industry: the businesses of an industry side by side, among themselves by `DocId`.
//!
//! In the order of `DocId`s the businesses of an industry lie everywhere, and with them those that
//! a query about one industry is looking for. In this order they are a range, and what is searched
//! of the list of a word is only the part within it.
//!
//! ```text
//! IndustryOrder := START^(INDUSTRIES + 1) (u32), DOC^N (packed)
//! ```
//!
//! START says where the businesses of each industry begin, the last of them where those of none do.
//! A business that stands under two industries (a name that is folded in two ways) is among those
//! of the first.

use crate::bytes::cast;
use crate::ids::TermOrd;
use crate::snapshot::encoding::packed_ints;
use crate::snapshot::encoding::packed_ints::PackedInts;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::mapped::Section;
use crate::snapshot::file::writer::SnapshotWriter;
use crate::snapshot::terms::dictionary::Dictionary;
use rayon::prelude::*;
use std::ops::Range;

/// The order of a snapshot.
pub struct IndustryOrder {
    section: Section,
    num_industries: usize,
    num_docs: u32,
}

impl IndustryOrder {
    /// Opens the order and checks it completely.
    ///
    /// # Errors
    /// Industries do not join, or businesses of one do not ascend or are not there.
    pub fn open(
        section: Section,
        num_industries: usize,
        num_docs: u32,
    ) -> Result<IndustryOrder, SnapshotError> {
        let damaged = |reason| section.damaged(reason);
        let starts_len = (num_industries + 1) * size_of::<u32>();
        let parts = section.as_ref().split_at_checked(starts_len);
        let (starts, docs) =
            parts.ok_or_else(|| damaged("a start for each industry is expected"))?;
        let starts: &[u32] = cast(starts);
        let docs = PackedInts::check(docs, num_docs).map_err(damaged)?;
        if docs.len() != num_docs as usize {
            return Err(damaged("each business is expected once"));
        }
        let is_order = starts[0] == 0
            && starts.windows(2).all(|pair| pair[0] <= pair[1])
            && starts[num_industries] <= num_docs;
        if !is_order {
            return Err(damaged("industries do not join"));
        }
        let ends = starts[1..].par_iter().chain(rayon::iter::once(&num_docs));
        let ascend = starts.par_iter().zip_eq(ends.collect::<Vec<_>>()).all(|(&start, &end)| {
            docs.slice(start as usize, end as usize).all_neighbours(|a, b| a < b)
        });
        if !ascend {
            return Err(damaged("businesses of an industry do not ascend"));
        }
        Ok(IndustryOrder { section, num_industries, num_docs })
    }

    fn parts(&self) -> (&[u32], PackedInts<'_>) {
        let starts_len = (self.num_industries + 1) * size_of::<u32>();
        let (starts, docs) = self.section.as_ref().split_at(starts_len);
        (cast(starts), PackedInts::read(docs, self.num_docs))
    }

    /// The positions of an industry, if all of its businesses stand there.
    pub fn range(&self, industries: &Dictionary, ord: TermOrd) -> Option<Range<u32>> {
        let (starts, _) = self.parts();
        let range = starts[ord.index()]..starts[ord.index() + 1];
        (range.len() == industries.postings(ord).len()).then_some(range)
    }

    /// The `DocId`s at some positions; those of an industry ascend.
    pub fn docs(&self, positions: Range<u32>) -> PackedInts<'_> {
        self.parts().1.slice(positions.start as usize, positions.end as usize)
    }
}

/// Where industries begin, and the businesses in order, of the first industry of each business: its
/// ordinal, or the number of industries for none.
pub fn order(num_industries: usize, industry_of: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let (mut starts, mut docs) = (vec![0u32; num_industries + 1], vec![0u32; industry_of.len()]);
    industry_of.iter().for_each(|&industry| starts[industry as usize] += 1);
    let mut sum = 0;
    for start in starts.iter_mut() {
        sum += *start;
        *start = sum - *start;
    }
    let mut next = starts.clone();
    for (doc, &industry) in (0..).zip(industry_of) {
        let next = &mut next[industry as usize];
        docs[*next as usize] = doc;
        *next += 1;
    }
    (starts, docs)
}

/// Writes the order that [`order`] has found.
///
/// # Errors
/// The file cannot be written.
pub fn write(
    starts: &[u32],
    docs: &[u32],
    writer: &mut SnapshotWriter,
) -> Result<(), SnapshotError> {
    let mut section = writer.begin(SectionKind::IndustryOrder);
    section.write(bytemuck::cast_slice(starts))?;
    packed_ints::write(&mut section, docs, docs.len() as u32)?;
    section.end(writer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn businesses_stand_by_industry_then_by_place() {
        // Of four industries the third has no business; two businesses have none.
        let (starts, docs) = order(4, &[3, 1, 4, 0, 1, 3, 4, 1]);
        assert_eq!(starts, [0, 1, 4, 4, 6]);
        assert_eq!(docs, [3, 1, 4, 7, 0, 5, 2, 6]);
        assert_eq!(order(0, &[]), (vec![0], Vec::new()));
    }
}
