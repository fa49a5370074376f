//! Where the businesses of an industry or place stand in the orders by name and by year.
//!
//! A page of one industry by name is the next few of its positions. Walking the order instead asks of every business
//! there whether it is of the industry, and gathering the ranks of all its businesses reads all of them.
//!
//! ```text
//! FilterPositionLists := INDUSTRIES (u32), PLACES (u32), ORD^INDUSTRIES, ORD^PLACES (u32, ascending),
//!                        { BY_NAME (u32), BY_YEAR (u32) }^(INDUSTRIES + PLACES)
//! FilterPositions     := POSTINGS of each, joined: positions where others have `DocId`s
//! ```
//!
//! ORD are ordinals of the industries and places with many businesses. BY_NAME and BY_YEAR say where the positions in
//! the order by name, and in that by year, begin, in units of 8 bytes; both orders ascending, as they are
//! [stored](super::sort_order).

use super::dense::DenseKey;
use super::dictionary::Dictionary;
use super::error::SnapshotError;
use super::format::SectionKind;
use super::mapped::Section;
use super::postings::Postings;
use super::sort_order::StoredOrder;
use crate::bytes::cast;
use crate::ids::TermOrd;
use rayon::prelude::*;

/// Words before the first ordinal.
const HEAD: usize = 2;

/// Lists begin at multiples of this, in bytes.
const LIST_ALIGN: usize = 8;

/// The positions of a snapshot.
pub struct FilterPositions {
    lists: Section,
    positions: Section,
}

/// What `FilterPositionLists` is made of.
struct Lists<'a> {
    /// Ordinals of industries, and of places.
    ords: [&'a [u32]; 2],
    /// For each of them, where its lists begin.
    places: &'a [[u32; 2]],
}

impl<'a> Lists<'a> {
    fn parse(words: &'a [u32]) -> Option<Lists<'a>> {
        let (head, rest) = words.split_at_checked(HEAD)?;
        let (industries, rest) = rest.split_at_checked(head[0] as usize)?;
        let (places, rest) = rest.split_at_checked(head[1] as usize)?;
        let starts: &[[u32; 2]] = bytemuck::try_cast_slice(rest).ok()?;
        let len = industries.len() + places.len();
        (starts.len() == len).then_some(Lists { ords: [industries, places], places: starts })
    }

    /// Where the lists of a key begin.
    fn find(&self, key: DenseKey) -> Option<[u32; 2]> {
        let at = match key {
            DenseKey::Term(_) => return None,
            DenseKey::Industry(ord) => self.ords[0].binary_search(&ord.0).ok()?,
            DenseKey::Place(ord) => self.ords[0].len() + self.ords[1].binary_search(&ord.0).ok()?,
        };
        Some(self.places[at])
    }
}

impl FilterPositions {
    /// Opens the positions and checks them completely.
    ///
    /// # Errors
    /// Keys do not ascend or are not there, or a key has not as many positions as businesses.
    pub fn open(
        section: &dyn Fn(SectionKind) -> Section,
        [industries, places]: [&Dictionary; 2],
        num_docs: u32,
    ) -> Result<FilterPositions, SnapshotError> {
        let kind = SectionKind::FilterPositionLists;
        let damaged = |reason| SnapshotError::damaged(kind, reason);
        let (lists, positions) = (section(kind), section(SectionKind::FilterPositions));
        let parsed = Lists::parse(lists.checked_slice(kind)?);
        let parsed = parsed.ok_or_else(|| damaged("two lists of each key are expected"))?;
        let mut lens: Vec<usize> = Vec::with_capacity(parsed.places.len());
        for (ords, dictionary) in parsed.ords.into_iter().zip([industries, places]) {
            let ascend = ords.windows(2).all(|pair| pair[0] < pair[1]);
            if !ascend || ords.last().is_some_and(|&last| last as usize >= dictionary.len()) {
                return Err(damaged("keys do not ascend, or are not there"));
            }
            lens.extend(ords.iter().map(|&ord| dictionary.postings(TermOrd(ord)).len()));
        }
        let bytes = positions.as_ref();
        let start = |list: usize| {
            let start = parsed.places.as_flattened().get(list);
            start.map_or(bytes.len(), |&start| start as usize * LIST_ALIGN)
        };
        if start(0) != 0 {
            return Err(damaged("the first list does not begin at 0"));
        }
        // Each ends where the next begins, so that the lists join.
        (0..lens.len() * 2).into_par_iter().try_for_each(|list| {
            let kind = SectionKind::FilterPositions;
            let rest = bytes.get(start(list)..).ok_or_else(|| damaged("a list is not there"))?;
            let len = Postings::check(rest, num_docs, kind)?;
            if start(list) + len != start(list + 1) {
                return Err(damaged("lists do not join"));
            }
            if Postings::read(rest).0.len() != lens[list / 2] {
                return Err(damaged("one position for each business is expected"));
            }
            Ok(())
        })?;
        Ok(FilterPositions { lists, positions })
    }

    /// The positions in an order of the businesses of an industry or place, if they are stored.
    pub fn get(&self, key: DenseKey, order: StoredOrder) -> Option<Postings<'_>> {
        let starts = Lists::parse(cast(self.lists.as_ref()))?.find(key)?;
        let start = match order {
            StoredOrder::Name => starts[0],
            StoredOrder::FoundedYear => starts[1],
        };
        Some(Postings::read(&self.positions.as_ref()[start as usize * LIST_ALIGN..]).0)
    }
}

/// The bytes of `FilterPositionLists`. `keys` are sorted, industries before places; `starts` says for each where its
/// lists begin, in bytes.
///
/// # Errors
/// There are too many bytes of lists.
pub fn encode_lists(keys: &[DenseKey], starts: &[[u64; 2]]) -> Result<Vec<u8>, SnapshotError> {
    let ords = |of_industries: bool| {
        keys.iter().filter_map(move |key| match key {
            DenseKey::Industry(ord) if of_industries => Some(ord.0),
            DenseKey::Place(ord) if !of_industries => Some(ord.0),
            _ => None,
        })
    };
    let mut words = vec![ords(true).count() as u32, ords(false).count() as u32];
    words.extend(ords(true).chain(ords(false)));
    for start in starts.iter().flatten() {
        let place = u32::try_from(start / LIST_ALIGN as u64);
        let section = SectionKind::FilterPositions.to_string();
        words.push(place.map_err(|_| SnapshotError::TooLarge { section })?);
    }
    Ok(bytemuck::cast_slice(&words).to_vec())
}
