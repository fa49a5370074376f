//! The order by industry: the businesses of an industry side by side, among themselves by `DocId`.
//!
//! In the order of `DocId`s the businesses of an industry lie everywhere, and with them those that a query about one
//! industry is looking for. In this order they are a range, and what is searched of the list of a word is only the
//! part within it.
//!
//! ```text
//! IndustryOrder := START^(INDUSTRIES + 1), DOC^N (u32)
//! ```
//!
//! START says where the businesses of each industry begin, the last of them where those of none do. A business that
//! stands under two industries (a name that is folded in two ways) is among those of the first.

use super::dictionary::Dictionary;
use super::error::SnapshotError;
use super::format::SectionKind;
use super::mapped::Section;
use crate::bytes::cast;
use crate::ids::TermOrd;
use rayon::prelude::*;
use std::ops::Range;

/// The order of a snapshot.
pub struct IndustryOrder {
    section: Section,
    num_industries: usize,
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
        let kind = SectionKind::IndustryOrder;
        let damaged = |reason| SnapshotError::damaged(kind, reason);
        let words: &[u32] = section.checked_slice(kind)?;
        if words.len() != num_industries + 1 + num_docs as usize {
            return Err(damaged("one word for each industry and business is expected"));
        }
        let (starts, docs) = words.split_at(num_industries + 1);
        let is_order = starts[0] == 0
            && starts.windows(2).all(|pair| pair[0] <= pair[1])
            && starts[num_industries] <= num_docs;
        if !is_order {
            return Err(damaged("industries do not join"));
        }
        let ends = starts[1..].par_iter().chain(rayon::iter::once(&num_docs));
        let ascend = starts.par_iter().zip_eq(ends.collect::<Vec<_>>()).all(|(&start, &end)| {
            let docs = &docs[start as usize..end as usize];
            docs.windows(2).all(|pair| pair[0] < pair[1])
                && docs.last().is_none_or(|&last| last < num_docs)
        });
        if !ascend {
            return Err(damaged("businesses of an industry do not ascend, or are not there"));
        }
        Ok(IndustryOrder { section, num_industries })
    }

    fn parts(&self) -> (&[u32], &[u32]) {
        cast(self.section.as_ref()).split_at(self.num_industries + 1)
    }

    /// The positions of an industry, if all of its businesses stand there.
    pub fn range(&self, industries: &Dictionary, ord: TermOrd) -> Option<Range<u32>> {
        let (starts, _) = self.parts();
        let range = starts[ord.index()]..starts[ord.index() + 1];
        (range.len() == industries.postings(ord).len()).then_some(range)
    }

    /// The `DocId`s at some positions; those of an industry ascend.
    pub fn docs(&self, positions: Range<u32>) -> &[u32] {
        &self.parts().1[positions.start as usize..positions.end as usize]
    }
}

/// The words of the section, of the first industry of each business: its ordinal, or the number of industries for
/// none.
pub fn encode(num_industries: usize, industry_of: &[u32]) -> Vec<u32> {
    let mut words = vec![0u32; num_industries + 1 + industry_of.len()];
    let (starts, docs) = words.split_at_mut(num_industries + 1);
    industry_of.iter().for_each(|&industry| starts[industry as usize] += 1);
    let mut sum = 0;
    for start in starts.iter_mut() {
        sum += *start;
        *start = sum - *start;
    }
    let mut next = starts.to_vec();
    for (doc, &industry) in (0..).zip(industry_of) {
        let next = &mut next[industry as usize];
        docs[*next as usize] = doc;
        *next += 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn businesses_stand_by_industry_then_by_place() {
        // Of four industries the third has no business; two businesses have none.
        let words = encode(4, &[3, 1, 4, 0, 1, 3, 4, 1]);
        let (starts, docs) = words.split_at(5);
        assert_eq!(starts, [0, 1, 4, 4, 6]);
        assert_eq!(docs, [3, 1, 4, 7, 0, 5, 2, 6]);
        assert_eq!(encode(0, &[]), [0]);
    }
}
