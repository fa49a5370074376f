//! Where two frequent words stand next to each other.
//!
//! A phrase is checked by reading the words of every business that holds them all ([`doc_tokens`](super::doc_tokens)):
//! little for most words, very much for two that a million businesses hold. For the pairs of dense terms that
//! [many businesses hold both](super::dense) the answer is stored.
//!
//! ```text
//! PhrasePairs := MIN (u32), 0 (u32), { FIRST << 16 | SECOND (u32, ascending) }
//! ```
//!
//! FIRST and SECOND are numbers of dense keys. A pair of terms that MIN businesses or more hold both, and that is
//! not among the pairs, stands next to each other nowhere. `PhraseOffsets` has one `u64` for each pair,
//! `PhrasePostings` its businesses.

use super::error::SnapshotError;
use super::format::SectionKind;
use super::mapped::Section;
use super::postings::Postings;
use crate::bytes::cast;

/// Words before the first pair.
const HEAD: usize = 2;

/// The stored phrases of a snapshot.
pub struct StoredPhrases {
    pairs: Section,
    offsets: Section,
    postings: Section,
}

impl StoredPhrases {
    /// Opens the phrases and checks them completely.
    ///
    /// # Errors
    /// Pairs do not ascend, or there is not one list for each.
    pub fn open(
        section: &dyn Fn(SectionKind) -> Section,
        num_docs: u32,
    ) -> Result<StoredPhrases, SnapshotError> {
        let (pairs, offsets) =
            (section(SectionKind::PhrasePairs), section(SectionKind::PhraseOffsets));
        let postings = section(SectionKind::PhrasePostings);
        let damaged = |reason| Err(SnapshotError::damaged(SectionKind::PhrasePairs, reason));
        let words: &[u32] = pairs.checked_slice(SectionKind::PhrasePairs)?;
        let starts: &[u64] = offsets.checked_slice(SectionKind::PhraseOffsets)?;
        if words.len() != HEAD + starts.len() || words[1] != 0 {
            return damaged("one offset for each pair is expected");
        }
        if !words[HEAD..].windows(2).all(|pair| pair[0] < pair[1]) {
            return damaged("pairs do not ascend");
        }
        let bytes = postings.as_ref();
        let mut end = 0;
        for &start in starts {
            let Some(rest) = bytes.get(end..).filter(|_| start == end as u64) else {
                return damaged("lists of phrases do not join");
            };
            end += Postings::check(rest, num_docs, SectionKind::PhrasePostings)?;
        }
        if end != bytes.len() {
            return damaged("bytes follow the last phrase");
        }
        Ok(StoredPhrases { pairs, offsets, postings })
    }

    /// Number of stored phrases.
    pub fn len(&self) -> usize {
        cast::<u64>(self.offsets.as_ref()).len()
    }

    /// Is none stored?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The businesses in which the dense terms with these numbers, which `count` businesses hold both, stand next
    /// to each other, if phrases of so many are stored.
    pub fn get(&self, first: usize, second: usize, count: u64) -> Option<Option<Postings<'_>>> {
        let words: &[u32] = cast(self.pairs.as_ref());
        if count < u64::from(words[0]) {
            return None;
        }
        let found = words[HEAD..].binary_search(&pair(first, second)).ok();
        Some(found.map(|at| {
            let start = cast::<u64>(self.offsets.as_ref())[at] as usize;
            Postings::read(&self.postings.as_ref()[start..]).0
        }))
    }
}

/// Two numbers as one.
pub fn pair(first: usize, second: usize) -> u32 {
    (first as u32) << 16 | second as u32
}

/// The bytes of `PhrasePairs`.
pub fn encode_pairs(docs_min: u32, pairs: &[u32]) -> Vec<u8> {
    let words: Vec<u32> = [docs_min, 0].into_iter().chain(pairs.iter().copied()).collect();
    bytemuck::cast_slice(&words).to_vec()
}
