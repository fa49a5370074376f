//! Where the businesses of a key stand in an order other than that of `DocId`s.
//!
//! ```text
//! POSITIONS := TABLED of POSTINGS of each key and order, joined: positions where others have `DocId`s; and
//!              KEYS, { PLACE (u32) × ORDERS }^KEYS
//! ```
//!
//! KEYS are those of [`dense`](super::frequent_keys): the keys for which positions are stored.
//! PLACE says where the positions in an order begin, in units of 8 bytes.
//!
//! | section | keys | orders | for |
//! |---|---|---|---|
//! | `FilterPositions` | industries, places | by name; by founding year, both ascending as they are [stored](crate::snapshot::columns::sort_order) | a page of an industry or place by name or year is the next few of its positions |
//! | `IndustryPositions` | terms, places | by [industry](super::industry_order) | who holds two words in one industry is told by a small part of their lists |

use super::frequent_keys::{DenseKey, Keys, encode_keys};
use crate::bytes::cast;
use crate::snapshot::encoding::postings::Postings;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::mapped::Section;
use rayon::prelude::*;

/// Lists begin at multiples of this, in bytes.
const LIST_ALIGN: usize = 8;

/// Positions of keys in `ORDERS` orders.
pub struct PositionLists<const ORDERS: usize> {
    lists: Section,
    positions: Section,
}

impl<const ORDERS: usize> PositionLists<ORDERS> {
    /// Opens the positions and checks them completely. `num_keys` says how many terms, industries
    /// and places there are, `len_of` how many businesses a key has, if that costs little to tell.
    ///
    /// # Errors
    /// Keys do not ascend or are not there, or a key is known to have not as many positions as
    /// businesses.
    pub fn open(
        section: Section,
        num_docs: u32,
        num_keys: [usize; 3],
        len_of: impl Fn(DenseKey) -> Option<usize> + Sync,
    ) -> Result<PositionLists<ORDERS>, SnapshotError> {
        let [positions, lists] = section.split_table()?;
        let damaged = |reason| lists.damaged(reason);
        let words = lists.checked_slice()?;
        let (keys, places) = Keys::check(words, num_keys).map_err(damaged)?;
        if places.len() != keys.len() * ORDERS {
            return Err(damaged("a list in each order is expected for every key"));
        }
        let bytes = positions.as_ref();
        let start = |list: usize| {
            places.get(list).map_or(bytes.len(), |&place| place as usize * LIST_ALIGN)
        };
        if start(0) != 0 {
            return Err(damaged("the first list does not begin at 0"));
        }
        let keys: Vec<DenseKey> = keys.iter().collect();
        // Each ends where the next begins, so that the lists join.
        (0..places.len()).into_par_iter().try_for_each(|list| {
            let rest = bytes.get(start(list)..).ok_or_else(|| damaged("a list is not there"))?;
            let len = Postings::check(rest, num_docs, positions.kind())?;
            if start(list) + len != start(list + 1) {
                return Err(damaged("lists do not join"));
            }
            let expected = len_of(keys[list / ORDERS]);
            if expected.is_some_and(|len| len != Postings::front(rest).len()) {
                return Err(damaged("one position for each business is expected"));
            }
            Ok(())
        })?;
        Ok(PositionLists { lists, positions })
    }

    /// The positions of a key in an order, if they are stored.
    pub fn get(&self, key: DenseKey, order: usize) -> Option<Postings<'_>> {
        let (keys, places) = Keys::read(cast(self.lists.as_ref()));
        let start = places[keys.number(key)? * ORDERS + order] as usize * LIST_ALIGN;
        Some(Postings::front(&self.positions.as_ref()[start..]))
    }
}

/// The table of a section of positions. `keys` are sorted; `starts` says for each where its lists
/// begin, in bytes.
///
/// # Errors
/// There are too many bytes of lists.
pub fn encode_lists<const ORDERS: usize>(
    kind: SectionKind,
    keys: &[DenseKey],
    starts: &[[u64; ORDERS]],
) -> Result<Vec<u8>, SnapshotError> {
    let mut words = encode_keys(keys);
    for start in starts.iter().flatten() {
        let place = u32::try_from(start / LIST_ALIGN as u64);
        let section = kind.to_string();
        words.push(place.map_err(|_| SnapshotError::TooLarge { section })?);
    }
    Ok(bytemuck::cast_slice(&words).to_vec())
}
