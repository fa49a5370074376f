//! The best businesses of a word that many hold, and how many match it: the first page of a `q` of one word.
//!
//! [Levels](super::levels) tell who is best of whoever holds a word in the same way; where a page begins and ends among
//! those with the word as their name, in it, elsewhere, or with a longer word only has to be found out anew by every
//! query. So the first page is stored.
//!
//! ```text
//! TermBest      := DOC of each term, joined: the best first, ranked as in IndustryBest
//! TermBestLists := TERM^K, END^K, TOTAL^K (u32)
//! ```
//!
//! DOC is [packed](super::packed_ints). TERMs are ordinals, ascending; END says where the businesses of each end, and TOTAL
//! how many match a `q` of it. See [`best_within`](super::best_within) for the same within industries.

use super::error::SnapshotError;
use super::mapped::Section;
use super::packed_ints::PackedInts;
use crate::bytes::cast;
use crate::ids::TermOrd;

/// The best businesses of terms.
pub struct TermBest {
    docs: Section,
    lists: Section,
    num_docs: u32,
}

/// The parts of the lists, each of as many words.
struct Lists<'a> {
    terms: &'a [u32],
    ends: &'a [u32],
    totals: &'a [u32],
}

impl<'a> Lists<'a> {
    fn read(words: &'a [u32]) -> Lists<'a> {
        let (terms, rest) = words.split_at(words.len() / 3);
        let (ends, totals) = rest.split_at(terms.len());
        Lists { terms, ends, totals }
    }
}

impl TermBest {
    /// Opens the lists and checks them completely.
    ///
    /// # Errors
    /// Lists do not join, or name what is not there.
    pub fn open(
        [docs, lists]: [Section; 2],
        num_docs: u32,
        num_terms: usize,
    ) -> Result<TermBest, SnapshotError> {
        let num_best = docs.checked_packed(num_docs)?.len();
        let damaged = |reason| Err(lists.damaged(reason));
        let words: &[u32] = lists.checked_slice()?;
        if !words.len().is_multiple_of(3) {
            return damaged("one end and one total for each term are expected");
        }
        let Lists { terms, ends, totals } = Lists::read(words);
        let ascend = terms.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascend || terms.last().is_some_and(|&last| last as usize >= num_terms) {
            return damaged("terms do not ascend, or are not there");
        }
        let mut start = 0;
        let join = ends.iter().zip(totals).all(|(&end, &total)| {
            let is_list = start < end && end - start <= total && total <= num_docs;
            start = end;
            is_list
        });
        if !join || start as usize != num_best {
            return damaged("the businesses of terms do not join, or are more than match");
        }
        Ok(TermBest { docs, lists, num_docs })
    }

    /// The best of a term, and of how many.
    pub fn get(&self, term: TermOrd) -> Option<(PackedInts<'_>, u64)> {
        let Lists { terms, ends, totals } = Lists::read(cast(self.lists.as_ref()));
        let at = terms.binary_search(&term.0).ok()?;
        let start = at.checked_sub(1).map_or(0, |before| ends[before]);
        let all = PackedInts::read(self.docs.as_ref(), self.num_docs);
        Some((all.slice(start as usize, ends[at] as usize), totals[at].into()))
    }
}

/// What is stored of one term after the other.
#[derive(Default, Debug)]
pub struct TermBestWriter {
    terms: Vec<u32>,
    ends: Vec<u32>,
    totals: Vec<u32>,
}

impl TermBestWriter {
    /// The next term: how many of its best businesses are written, and how many match it.
    pub fn push(&mut self, term: TermOrd, num_best: usize, total: u32) {
        self.terms.push(term.0);
        self.ends.push(self.ends.last().copied().unwrap_or_default() + num_best as u32);
        self.totals.push(total);
    }

    /// The words of the lists.
    pub fn into_words(self) -> Vec<u32> {
        [self.terms, self.ends, self.totals].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::super::sections::SectionKind;
    use super::*;

    fn opened(words: &[u32], docs: &[u8]) -> Result<TermBest, SnapshotError> {
        let sections = [
            Section::copy(SectionKind::TermBest, docs),
            Section::copy(SectionKind::TermBestLists, bytemuck::cast_slice(words)),
        ];
        TermBest::open(sections, 100, 9)
    }

    #[test]
    fn what_was_written_is_found() {
        let mut writer = TermBestWriter::default();
        writer.push(TermOrd(2), 2, 2);
        writer.push(TermOrd(8), 3, 70);
        // Of a hundred businesses, a byte each.
        let docs = [50, 7, 99, 1, 2];
        let best = opened(&writer.into_words(), &docs).unwrap();
        let found = |docs, total| Some((PackedInts::read(docs, 100), total));
        assert_eq!(best.get(TermOrd(2)), found(&docs[..2], 2));
        assert_eq!(best.get(TermOrd(8)), found(&docs[2..], 70));
        assert_eq!(best.get(TermOrd(3)), None);
        assert!(opened(&[], &[]).unwrap().get(TermOrd(0)).is_none());
    }

    #[test]
    fn what_no_build_writes_is_refused() {
        let good = [2, 8, 2, 5, 2, 70];
        let docs = [1, 2, 3, 4, 5];
        assert!(opened(&good, &docs).is_ok());
        assert!(opened(&good, &docs[..4]).is_err());
        assert!(opened(&good, &[1, 2, 3, 4, 100]).is_err());
        assert!(opened(&good[..5], &docs).is_err());
        // Terms that do not ascend or are not there, none of a term, more than match, more than there are.
        for (at, word) in [(0, 8), (1, 9), (2, 0), (2, 5), (4, 1), (5, 101)] {
            let mut bad = good;
            bad[at] = word;
            assert!(opened(&bad, &docs).is_err(), "{at}: {word}");
        }
    }
}
