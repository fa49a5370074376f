//! Where two frequent words stand next to each other.
//!
//! A phrase is checked by reading the words of every business that holds them all ([`doc_tokens`](super::doc_tokens)):
//! little for most words, very much for two that a million businesses hold. For the pairs of dense terms that
//! [many businesses hold both](super::dense), the number of businesses with the phrase is stored: the total of a
//! query. Where the phrase is so rare among the candidates that a page is not full soon, or so frequent that the words
//! belong together, or where a million businesses hold both words, those with the phrase are stored as well; and where so
//! many hold both words that even scoring them is dear, those with the best scores, wherever and [within
//! industries](super::best_within).
//!
//! ```text
//! PhrasePairs  := MIN (u32), 0 (u32), { FIRST << 16 | SECOND (u32, ascending) }
//! PhraseCounts := COUNT for each pair (u32)
//! PhraseLists  := for each pair its place in PhrasePostings (u32, in units of 8 bytes), all ones where it has none
//! ```
//!
//! FIRST and SECOND are numbers of dense keys. A pair of terms that MIN businesses or more hold both, and that is
//! not among the pairs, stands next to each other nowhere.

use super::error::SnapshotError;
use super::format::SectionKind;
use super::interpolation;
use super::mapped::Section;
use super::packed_ints::PackedInts;
use super::postings::Postings;
use crate::bytes::cast;

/// Words before the first pair.
const HEAD: usize = 2;

/// The place of a pair that has no list.
const NO_LIST: u32 = u32::MAX;

/// Bytes in which places are counted: lists are padded to as many.
const LIST_ALIGN: usize = 8;

/// The stored phrases of a snapshot.
pub struct StoredPhrases {
    pairs: Section,
    counts: Section,
    lists: Section,
    postings: Section,
    best: Section,
    best_offsets: Section,
    num_docs: u32,
}

/// What is stored of a phrase of two words.
#[derive(Clone, Copy, Debug)]
pub struct StoredPhrase<'a> {
    /// Its place among the pairs; none if no business holds it.
    pub place: Option<usize>,
    /// How many businesses hold it.
    pub len: u64,
    /// Which they are, if there are any and they are few or many among those that hold both words.
    pub postings: Option<Postings<'a>>,
    /// Those with the best text scores as two words, best first, ties by `DocId`; maybe none, maybe all.
    pub best: PackedInts<'a>,
}

impl StoredPhrases {
    /// Opens the phrases and checks them completely.
    ///
    /// # Errors
    /// Pairs do not ascend, or there is not one count and place for each.
    pub fn open(
        [postings, pairs, counts, lists, best, best_offsets]: [Section; 6],
        num_docs: u32,
    ) -> Result<StoredPhrases, SnapshotError> {
        let phrases =
            StoredPhrases { pairs, counts, lists, postings, best, best_offsets, num_docs };
        let damaged = |reason| Err(phrases.pairs.damaged(reason));
        let words: &[u32] = phrases.pairs.checked_slice()?;
        let counts: &[u32] = phrases.counts.checked_slice()?;
        let places: &[u32] = phrases.lists.checked_slice()?;
        if words.len() != HEAD + counts.len() || places.len() != counts.len() || words[1] != 0 {
            return damaged("one count and one place for each pair is expected");
        }
        if !words[HEAD..].windows(2).all(|pair| pair[0] < pair[1]) {
            return damaged("pairs do not ascend");
        }
        if counts.iter().any(|&count| count == 0 || count > num_docs) {
            return damaged("a phrase has no business, or more than there are");
        }
        let best = phrases.best.checked_packed(num_docs)?;
        let offsets: &[u32] = phrases.best_offsets.checked_slice()?;
        let joins = offsets.first() == Some(&0)
            && offsets.last().is_some_and(|&end| end as usize == best.len())
            && offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        if offsets.len() != counts.len() + 1 || !joins {
            let reason = "the best businesses of phrases do not join";
            return Err(phrases.best.damaged(reason));
        }
        let bytes = phrases.postings.as_ref();
        let mut end = 0;
        for (&start, &count) in places.iter().zip(counts).filter(|(start, _)| **start != NO_LIST) {
            let begins_there = start as usize * LIST_ALIGN == end;
            let Some(rest) = bytes.get(end..).filter(|_| begins_there) else {
                return damaged("lists of phrases do not join");
            };
            end += Postings::check(rest, num_docs, phrases.postings.kind())?;
            if Postings::front(rest).len() != count as usize {
                return damaged("a list of a phrase has a wrong length");
            }
        }
        if end != bytes.len() {
            return damaged("bytes follow the last phrase");
        }
        Ok(phrases)
    }

    /// Number of stored phrases.
    pub fn len(&self) -> usize {
        cast::<u32>(self.counts.as_ref()).len()
    }

    /// Is none stored?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is stored of the dense terms with these numbers, which `both` businesses hold both, next to each other;
    /// nothing if phrases of so few are not stored.
    pub fn get(&self, first: usize, second: usize, both: u64) -> Option<StoredPhrase<'_>> {
        let words: &[u32] = cast(self.pairs.as_ref());
        if both < u64::from(words[0]) {
            return None;
        }
        let Some(at) = interpolation::place(&words[HEAD..], pair(first, second)) else {
            return Some(StoredPhrase {
                place: None,
                len: 0,
                postings: None,
                best: PackedInts::NONE,
            });
        };
        let start = cast::<u32>(self.lists.as_ref())[at];
        let list = || Postings::front(&self.postings.as_ref()[start as usize * LIST_ALIGN..]);
        let offsets: &[u32] = cast(self.best_offsets.as_ref());
        let best = PackedInts::read(self.best.as_ref(), self.num_docs);
        Some(StoredPhrase {
            place: Some(at),
            best: best.slice(offsets[at] as usize, offsets[at + 1] as usize),
            len: u64::from(cast::<u32>(self.counts.as_ref())[at]),
            postings: (start != NO_LIST).then(list),
        })
    }
}

/// Two numbers as one.
pub fn pair(first: usize, second: usize) -> u32 {
    (first as u32) << 16 | second as u32
}

/// The place of a list that begins at a byte of `PhrasePostings`, or of none.
///
/// # Errors
/// There is no room for it: lists of more than 32 GiB stand before.
pub fn encode_place(start: Option<u64>) -> Result<u32, SnapshotError> {
    let Some(start) = start else { return Ok(NO_LIST) };
    let place = u32::try_from(start / LIST_ALIGN as u64).ok().filter(|&place| place != NO_LIST);
    place
        .ok_or_else(|| SnapshotError::TooLarge { section: SectionKind::PhrasePostings.to_string() })
}

/// The bytes of `PhrasePairs`.
pub fn encode_pairs(docs_min: u32, pairs: &[u32]) -> Vec<u8> {
    let words: Vec<u32> = [docs_min, 0].into_iter().chain(pairs.iter().copied()).collect();
    bytemuck::cast_slice(&words).to_vec()
}
