//! The first pages of two words that many businesses hold.
//!
//! Who ranks first of two words is told by phrases in names, names with both, hosts, phrases elsewhere and text scores, in
//! this order: nothing that is stored of one of them tells it. So a builder asks the query engine, and stores the page that
//! it gives, with how many match and where it ends.
//!
//! ```text
//! WordPairBest      := DOC of each pair, joined: the best first, as a `q` of both words in this order ranks
//! WordPairBestLists := as in IndustryBestLists: the first word is the key, the number of the second one the SET
//! WordPairTotals    := TOTAL^PAIRS (u32): how many match
//! WordPairEnds      := KEY^PAIRS (u64): where the last DOC stands, as the KEY of a cursor to it; 0 if no others match
//! ```
//!
//! See [`best_within`](super::best_within) for the lists. Both words are [dense](super::dense).

use super::best_within::{BestKinds, CountedBest};
use super::error::SnapshotError;
use super::format::SectionKind;
use super::mapped::Section;
use super::packed_ints::PackedInts;
use crate::bytes::cast;

/// The sections of the businesses.
pub const WORD_PAIR_BEST: BestKinds =
    BestKinds { docs: SectionKind::WordPairBest, lists: SectionKind::WordPairBestLists };

/// The first pages of pairs of words.
pub struct WordPairs {
    best: Option<CountedBest>,
    ends: Section,
}

/// A first page, as a query finds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoredPage<'a> {
    /// The businesses, best first.
    pub docs: PackedInts<'a>,
    /// How many match.
    pub total: u64,
    /// The relevance key of the last of `docs`, if others follow.
    pub end: u64,
}

impl WordPairs {
    /// Opens the pages and checks them completely; `num_terms` is how many terms are dense.
    ///
    /// # Errors
    /// Lists do not join, or name what is not there.
    pub fn open(
        [docs, lists, totals, ends]: [Section; 4],
        num_docs: u32,
        num_terms: usize,
    ) -> Result<WordPairs, SnapshotError> {
        // While they are looked for.
        if lists.as_ref().is_empty() {
            return Ok(WordPairs { best: None, ends });
        }
        let best = CountedBest::open([docs, lists, totals], num_docs, num_terms, num_terms)?;
        if ends.checked_slice::<u64>()?.len() != best.num_pairs() {
            return Err(ends.damaged("one key for each pair is expected"));
        }
        Ok(WordPairs { best: Some(best), ends })
    }

    /// The page of the terms with these numbers.
    pub fn get(&self, first: usize, second: usize) -> Option<StoredPage<'_>> {
        let (at, best, total) = self.best.as_ref()?.find(first, second as u32)?;
        let end = cast::<u64>(self.ends.as_ref())[at];
        Some(StoredPage { docs: best, total, end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(totals: &[u32], ends: &[u64]) -> Result<WordPairs, SnapshotError> {
        let lists = [0u32, 1, 1, 2, 2, 0, 2, 3];
        let sections = [
            Section::copy(SectionKind::WordPairBest, &[1, 2, 3]),
            Section::copy(SectionKind::WordPairBestLists, bytemuck::cast_slice(&lists)),
            Section::copy(SectionKind::WordPairTotals, bytemuck::cast_slice(totals)),
            Section::copy(SectionKind::WordPairEnds, bytemuck::cast_slice(ends)),
        ];
        WordPairs::open(sections, 100, 3)
    }

    #[test]
    fn a_page_has_a_total_and_an_end() {
        let pages = opened(&[7, 1], &[1 << 40, 0]).map_err(|error| error.to_string()).unwrap();
        let page =
            |docs, total, end| Some(StoredPage { docs: PackedInts::read(docs, 100), total, end });
        assert_eq!(pages.get(0, 2), page(&[1, 2], 7, 1 << 40));
        assert_eq!(pages.get(2, 0), page(&[3], 1, 0));
        assert_eq!(pages.get(2, 1), None);
    }

    #[test]
    fn what_no_build_writes_is_refused() {
        assert!(opened(&[7, 1], &[1]).is_err());
        assert!(opened(&[7, 1], &[1, 2, 3]).is_err());
        assert!(opened(&[7], &[1, 2]).is_err());
        assert!(opened(&[7, 101], &[1, 2]).is_err());
    }
}
