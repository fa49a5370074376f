//! The best businesses of a frequent word, or of two next to each other, within an industry.
//!
//! Of a million businesses that hold a word, some ten thousand are of an industry. Which of them are best is told neither
//! by the levels of the word, whose best are mostly of other industries, nor by the industry; all of them would have to
//! be scored. So the first page is stored, for every dense term and every industry that have many businesses in common; and
//! likewise for every [stored phrase](super::phrases) and industry.
//!
//! ```text
//! IndustryBest                     := DOC of each pair, joined: the best first, as a `q` of this word alone ranks
//!                                     (by group and impact as in LEVELS, ties by `DocId`; if the word
//!                                     may stand for longer ones that it begins, behind all who hold it in the name
//!                                     come those who hold such a word there, and last those who hold it nowhere, and
//!                                     such a word in the host)
//! PhraseIndustryBest               := the same, by text score as two words, as in PhraseBest
//! IndustryBestLists, PhraseIndustryBestLists := START^(KEYS + 1), SET^PAIRS, END^PAIRS (u32)
//! IndustryTotals                   := TOTAL^PAIRS (u32): of how many IndustryBest has the best
//! ```
//!
//! DOC is [packed](super::packed_ints). KEYS are the terms of [`dense`](super::dense), by number, or the pairs of
//! [`phrases`](super::phrases), by place; START says which SETs, ascending, are those of each, and END where the businesses of a pair of
//! key and set end. SET is the ordinal of an industry, and as in the [order by
//! industry](super::industry_order) a business is of one only.

use super::error::SnapshotError;
use super::format::SectionKind;
use super::mapped::Section;
use super::packed_ints::PackedInts;
use crate::bytes::cast;

/// The best businesses of words, or of phrases, within sets, which are industries.
pub struct BestWithin {
    docs: Section,
    lists: Section,
    num_keys: usize,
    num_docs: u32,
}

/// The best businesses of words within sets, and of how many.
pub struct CountedBest {
    best: BestWithin,
    totals: Section,
}

impl CountedBest {
    /// Opens the totals beside the lists, see [`BestWithin::open`].
    ///
    /// # Errors
    /// There is not one total for each pair, or one is of more businesses than there are.
    pub fn open(
        [docs, lists, totals]: [Section; 3],
        num_docs: u32,
        num_keys: usize,
        num_sets: usize,
    ) -> Result<CountedBest, SnapshotError> {
        let best = BestWithin::open([docs, lists], num_docs, num_keys, num_sets)?;
        let all: &[u32] = totals.checked_slice()?;
        if all.len() != best.num_pairs() {
            return Err(totals.damaged("one total for each pair is expected"));
        }
        if all.iter().any(|&total| total > best.num_docs) {
            return Err(totals.damaged("a total is of more businesses than there are"));
        }
        Ok(CountedBest { best, totals })
    }

    /// The best of the term with this number within a set, and of how many.
    pub fn get(&self, term: usize, set: u32) -> Option<(PackedInts<'_>, u64)> {
        self.find(term, set).map(|(_, best, total)| (best, total))
    }

    /// The same, and the place of the pair.
    pub fn find(&self, term: usize, set: u32) -> Option<(usize, PackedInts<'_>, u64)> {
        let (at, best) = self.best.find(term, set)?;
        let total = cast::<u32>(self.totals.as_ref())[at];
        Some((best, total.into()))
    }
}

/// The two sections of the best within sets of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BestKinds {
    /// The businesses.
    pub docs: SectionKind,
    /// Which of them are of which key and set.
    pub lists: SectionKind,
}

/// Those of terms within industries.
pub const INDUSTRY_BEST: BestKinds =
    BestKinds { docs: SectionKind::IndustryBest, lists: SectionKind::IndustryBestLists };

/// Those of phrases within industries.
pub const PHRASE_INDUSTRY_BEST: BestKinds = BestKinds {
    docs: SectionKind::PhraseIndustryBest,
    lists: SectionKind::PhraseIndustryBestLists,
};

/// The parts of the lists.
struct Lists<'a> {
    starts: &'a [u32],
    sets: &'a [u32],
    ends: &'a [u32],
}

impl<'a> Lists<'a> {
    fn read(words: &'a [u32], num_keys: usize) -> Option<Lists<'a>> {
        let (starts, words) = words.split_at_checked(num_keys + 1)?;
        let (sets, ends) = words.split_at_checked(*starts.last()? as usize)?;
        (sets.len() == ends.len()).then_some(Lists { starts, sets, ends })
    }
}

impl BestWithin {
    /// Opens the lists and checks them completely; `num_keys` is how many terms or phrases there may be.
    ///
    /// # Errors
    /// Lists do not join, or name what is not there.
    pub fn open(
        [docs, lists]: [Section; 2],
        num_docs: u32,
        num_keys: usize,
        num_sets: usize,
    ) -> Result<BestWithin, SnapshotError> {
        let damaged = |reason| Err(lists.damaged(reason));
        let all = docs.checked_packed(num_docs)?.len();
        let Some(Lists { starts, sets, ends }) = Lists::read(lists.checked_slice()?, num_keys)
        else {
            return damaged("one start for each key, and one end for each pair is expected");
        };
        if starts[0] != 0 || !starts.windows(2).all(|pair| pair[0] <= pair[1]) {
            return damaged("the pairs of keys do not join");
        }
        let are_sets = starts.windows(2).all(|pair| {
            let of_key = &sets[pair[0] as usize..pair[1] as usize];
            of_key.windows(2).all(|pair| pair[0] < pair[1])
                && of_key.last().is_none_or(|&last| (last as usize) < num_sets)
        });
        if !are_sets {
            return damaged("the sets of a key do not ascend, or are not there");
        }
        let mut start = 0;
        let join = ends.iter().all(|&end| {
            let is_list = start < end;
            start = end;
            is_list
        });
        if !join || start as usize != all {
            return damaged("the businesses of pairs do not join");
        }
        Ok(BestWithin { docs, lists, num_keys, num_docs })
    }

    /// How many pairs of a term, or phrase, and a set there are.
    fn num_pairs(&self) -> usize {
        self.lists().map_or(0, |lists| lists.sets.len())
    }

    fn lists(&self) -> Option<Lists<'_>> {
        Lists::read(cast(self.lists.as_ref()), self.num_keys)
    }

    /// What is stored of the term with this number, or the phrase at this place, within a set.
    pub fn get(&self, key: usize, set: u32) -> Option<PackedInts<'_>> {
        self.find(key, set).map(|(_, best)| best)
    }

    /// The same, and the place of the pair.
    fn find(&self, key: usize, set: u32) -> Option<(usize, PackedInts<'_>)> {
        let lists = self.lists()?;
        let pairs = *lists.starts.get(key)? as usize..*lists.starts.get(key + 1)? as usize;
        let within = lists.sets[pairs.clone()].binary_search(&set).ok()?;
        let at = pairs.start + within;
        let start = at.checked_sub(1).map_or(0, |before| lists.ends[before]);
        let all = PackedInts::read(self.docs.as_ref(), self.num_docs);
        Some((at, all.slice(start as usize, lists.ends[at] as usize)))
    }
}

/// What is stored of one key after the other.
#[derive(Debug)]
pub struct BestWithinWriter {
    starts: Vec<u32>,
    sets: Vec<u32>,
    ends: Vec<u32>,
}

impl Default for BestWithinWriter {
    /// Of no key yet.
    fn default() -> BestWithinWriter {
        BestWithinWriter { starts: vec![0], sets: Vec::new(), ends: Vec::new() }
    }
}

impl BestWithinWriter {
    /// The next key: its sets, ascending, each with how many of its best businesses are written.
    pub fn push(&mut self, sets: impl Iterator<Item = (u32, usize)>) {
        for (set, len) in sets {
            self.sets.push(set);
            self.ends.push(self.ends.last().copied().unwrap_or_default() + len as u32);
        }
        self.starts.push(self.sets.len() as u32);
    }

    /// The words of the lists.
    pub fn into_words(self) -> Vec<u32> {
        [self.starts, self.sets, self.ends].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(words: &[u32], docs: &[u8]) -> Result<BestWithin, SnapshotError> {
        let sections = [
            Section::copy(INDUSTRY_BEST.docs, docs),
            Section::copy(INDUSTRY_BEST.lists, bytemuck::cast_slice(words)),
        ];
        BestWithin::open(sections, 100, 3, 9)
    }

    #[test]
    fn what_was_written_is_found() {
        let mut writer = BestWithinWriter::default();
        writer.push([(2, 2), (8, 3)].into_iter());
        writer.push(std::iter::empty());
        writer.push([(0, 1)].into_iter());
        // Of a hundred businesses, a byte each.
        let docs = [50, 7, 99, 1, 2, 4];
        let best = opened(&writer.into_words(), &docs).unwrap();
        let found = |docs| Some(PackedInts::read(docs, 100));
        assert_eq!(best.get(0, 2), found(&docs[..2]));
        assert_eq!(best.get(0, 8), found(&docs[2..5]));
        assert_eq!(best.get(2, 0), found(&docs[5..]));
        for (term, set) in [(0, 3), (1, 2), (2, 1), (3, 0)] {
            assert_eq!(best.get(term, set), None);
        }
    }

    #[test]
    fn every_pair_in_an_industry_has_a_total() {
        let of = |totals: &[u32]| {
            let lists = [0u32, 1, 1, 2, 5, 5, 2, 3];
            let sections = [
                Section::copy(INDUSTRY_BEST.docs, &[1, 2, 3]),
                Section::copy(INDUSTRY_BEST.lists, bytemuck::cast_slice(&lists)),
                Section::copy(SectionKind::IndustryTotals, bytemuck::cast_slice(totals)),
            ];
            CountedBest::open(sections, 100, 3, 9)
        };
        let best = of(&[7, 100]).map_err(|error| error.to_string()).unwrap();
        let (docs, total) = best.get(2, 5).unwrap();
        assert_eq!((docs, total), (PackedInts::read(&[3], 100), 100));
        assert!(best.get(1, 5).is_none());
        for bad in [&[7][..], &[7, 8, 9], &[7, 101]] {
            assert!(of(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn what_no_build_writes_is_refused() {
        let good = [0, 1, 1, 2, 5, 5, 2, 3];
        let docs = [1, 2, 3];
        assert!(opened(&good, &docs).is_ok());
        assert!(opened(&good, &[1, 2]).is_err());
        assert!(opened(&good, &[1, 2, 100]).is_err());
        assert!(opened(&good[..7], &docs).is_err());
        assert!(opened(&[], &[]).is_err());
        // None of a pair, terms that do not join, a set that is not there, or twice.
        for (at, word) in [(6, 3), (0, 1), (1, 3), (4, 9)] {
            let mut bad = good;
            bad[at] = word;
            assert!(opened(&bad, &docs).is_err(), "{at}: {word}");
        }
        assert!(opened(&[0, 2, 2, 2, 5, 5, 2, 3], &docs).is_err());
    }
}
