//! Where two frequent words stand next to each other.
//!
//! A phrase is checked by reading the words of every business that holds them all
//! ([`doc_tokens`](crate::snapshot::columns::doc_tokens)): little for most words, very much for two
//! that a million businesses hold. For the pairs of dense terms that [many businesses hold
//! both](super::frequent_keys), the number of businesses with the phrase is stored: the total of a
//! query. Where the phrase is so rare among the candidates that a page is not full soon, or so
//! frequent that the words belong together, or where a million businesses hold both words, those
//! with the phrase are stored as well; and where so many hold both words that even scoring them is
//! dear, those with the best scores [beside it](super::first_pages).
//!
//! ```text
//! PhrasePostings := TABLED of POSTINGS of pairs, joined, and
//!                   MIN (u32), PAIRS (u32), { FIRST << 16 | SECOND }^PAIRS (u32, ascending),
//!                   COUNT^PAIRS (u32), PLACE^PAIRS (u32)
//! ```
//!
//! FIRST and SECOND are numbers of dense keys. COUNT says how many businesses hold a pair so, PLACE
//! where its postings begin, in units of 8 bytes, or is all ones where it has none. A pair of terms
//! that MIN businesses or more hold both, and that is not among the pairs, stands next to each
//! other nowhere. A term may be paired with itself: then it is those that hold it.

use crate::bytes::cast;
use crate::snapshot::encoding::interpolation;
use crate::snapshot::encoding::postings::Postings;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::mapped::Section;

/// The place of a pair that has no list.
const NO_LIST: u32 = u32::MAX;

/// Bytes in which places are counted: lists are padded to as many.
const LIST_ALIGN: usize = 8;

/// The stored phrases of a snapshot.
pub struct StoredPhrases {
    table: Section,
    postings: Section,
}

/// The parts of the table.
struct Table<'a> {
    docs_min: u32,
    pairs: &'a [u32],
    counts: &'a [u32],
    places: &'a [u32],
}

impl<'a> Table<'a> {
    fn read(words: &'a [u32]) -> Option<Table<'a>> {
        let (&[docs_min, len], words) = words.split_first_chunk()?;
        let (pairs, words) = words.split_at_checked(len as usize)?;
        let (counts, places) = words.split_at_checked(len as usize)?;
        (places.len() == pairs.len()).then_some(Table { docs_min, pairs, counts, places })
    }
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
}

impl StoredPhrases {
    /// Opens the phrases and checks them completely.
    ///
    /// # Errors
    /// Pairs do not ascend, or there is not one count and place for each.
    pub fn open([postings]: [Section; 1], num_docs: u32) -> Result<StoredPhrases, SnapshotError> {
        let [postings, table] = postings.split_table()?;
        let phrases = StoredPhrases { table, postings };
        let damaged = |reason| Err(phrases.table.damaged(reason));
        let Some(Table { pairs, counts, places, .. }) = Table::read(phrases.table.checked_slice()?)
        else {
            return damaged("one count and one place for each pair is expected");
        };
        if !pairs.windows(2).all(|pair| pair[0] < pair[1]) {
            return damaged("pairs do not ascend");
        }
        if counts.iter().any(|&count| count == 0 || count > num_docs) {
            return damaged("a phrase has no business, or more than there are");
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
        self.table().map_or(0, |table| table.pairs.len())
    }

    /// Is none stored?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn table(&self) -> Option<Table<'_>> {
        Table::read(cast(self.table.as_ref()))
    }

    /// What is stored of the dense terms with these numbers, which `both` businesses hold both,
    /// next to each other; nothing if phrases of so few are not stored.
    pub fn get(&self, first: usize, second: usize, both: u64) -> Option<StoredPhrase<'_>> {
        let Table { docs_min, pairs, counts, places } = self.table()?;
        if both < u64::from(docs_min) {
            return None;
        }
        let Some(at) = interpolation::place(pairs, pair(first, second)) else {
            return Some(StoredPhrase { place: None, len: 0, postings: None });
        };
        let start = places[at];
        let list = || Postings::front(&self.postings.as_ref()[start as usize * LIST_ALIGN..]);
        Some(StoredPhrase {
            place: Some(at),
            len: counts[at].into(),
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

/// The table of phrases that are stored of terms which `docs_min` businesses or more hold both.
pub fn encode_table(docs_min: u32, pairs: &[u32], counts: &[u32], places: &[u32]) -> Vec<u32> {
    [&[docs_min, pairs.len() as u32], pairs, counts, places].concat()
}
