//! How many businesses have two places, or two industries.
//!
//! A city and its state are asked for together all the time, and what a business has of either kind
//! is little: its city, state and country under a few keys. So all pairs that occur are stored, and
//! one that is not stored does not occur.
//!
//! ```text
//! FilterPairs := PAIRS (u32), 0 (u32), { PLACE << 31 | FIRST (u32), SECOND (u32) }^PAIRS ascending, COUNT^PAIRS (u32)
//! ```
//!
//! FIRST and SECOND are ordinals, FIRST < SECOND, of places if PLACE is 1, else of industries.

use super::frequent_keys::DenseKey;
use crate::bytes::cast;
use crate::ids::TermOrd;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::mapped::Section;

/// The bit of a pair's first word that says that both are places.
const PLACE: u32 = 1 << 31;

/// Words before the first pair.
const HEAD: usize = 2;

/// The pairs of a snapshot.
pub struct FilterPairs {
    section: Section,
}

impl FilterPairs {
    /// Opens the pairs and checks them completely.
    ///
    /// # Errors
    /// Pairs do not ascend or name what is not there, or there is not one count for each.
    pub fn open(
        [section]: [Section; 1],
        num_docs: u32,
        [num_industries, num_places]: [usize; 2],
    ) -> Result<FilterPairs, SnapshotError> {
        let damaged = |reason| Err(section.damaged(reason));
        let words: &[u32] = section.checked_slice()?;
        if words.len() < HEAD || words.len() != HEAD + words[0] as usize * 3 || words[1] != 0 {
            return damaged("two keys and one count for each pair are expected");
        }
        let (pairs, counts) = parts(words);
        if !pairs.windows(2).all(|two| two[0] < two[1]) {
            return damaged("pairs do not ascend");
        }
        let is_there = |&[first, second]: &[u32; 2]| {
            let end = if first & PLACE == 0 { num_industries } else { num_places };
            first & !PLACE < second && (second as usize) < end
        };
        if !pairs.iter().all(is_there) {
            return damaged("a pair names what is not there");
        }
        if counts.iter().any(|&count| count == 0 || count > num_docs) {
            return damaged("a pair has no business, or more than there are");
        }
        Ok(FilterPairs { section })
    }

    /// How many businesses have both keys, if they are two places or two industries.
    pub fn get(&self, a: DenseKey, b: DenseKey) -> Option<u64> {
        let pair = pair(a, b)?;
        let (pairs, counts) = parts(cast(self.section.as_ref()));
        Some(pairs.binary_search(&pair).map_or(0, |at| u64::from(counts[at])))
    }
}

fn parts(words: &[u32]) -> (&[[u32; 2]], &[u32]) {
    let (pairs, counts) = words[HEAD..].split_at(words[0] as usize * 2);
    (bytemuck::cast_slice(pairs), counts)
}

/// Two keys as they are stored, if they are different, and of one kind.
pub fn pair(a: DenseKey, b: DenseKey) -> Option<[u32; 2]> {
    let (TermOrd(a), TermOrd(b), mark) = match (a, b) {
        (DenseKey::Industry(a), DenseKey::Industry(b)) => (a, b, 0),
        (DenseKey::Place(a), DenseKey::Place(b)) => (a, b, PLACE),
        _ => return None,
    };
    (a != b).then(|| [a.min(b) | mark, a.max(b)])
}

/// The bytes of the section for pairs with their counts, ascending.
pub fn encode(pairs: &[([u32; 2], u32)]) -> Vec<u8> {
    let mut words = vec![pairs.len() as u32, 0];
    words.extend(pairs.iter().flat_map(|(pair, _)| pair));
    words.extend(pairs.iter().map(|(_, count)| count));
    bytemuck::cast_slice(&words).to_vec()
}
