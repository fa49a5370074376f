//! A dictionary of keys with their postings: industries and places.
//!
//! Three sections: the keys as an fst map from key to ordinal, one [entry](super::entries) for each ordinal, and the
//! [postings](super::postings) of the keys with more than one business. Terms, which have several lists each, are in
//! [`terms`](super::terms); hosts, which are found by hash, in [`hosts`](super::hosts).

use super::entries::{EntryLists, place_of};
use super::error::SnapshotError;
use super::format::SectionKind;
use super::key_nodes;
use super::mapped::Section;
use super::postings::Postings;
use crate::bytes::cast;
use crate::ids::TermOrd;
use fst::Streamer;

/// The three sections of one dictionary.
#[derive(Clone, Copy, Debug)]
pub struct DictionaryKinds {
    /// The keys.
    pub keys: SectionKind,
    /// The business of each key, or where its postings begin.
    pub entries: SectionKind,
    /// The postings.
    pub postings: SectionKind,
}

/// The sections of industries.
pub const INDUSTRIES: DictionaryKinds = DictionaryKinds {
    keys: SectionKind::IndustryKeys,
    entries: SectionKind::IndustryEntries,
    postings: SectionKind::IndustryPostings,
};

/// The sections of places.
pub const PLACES: DictionaryKinds = DictionaryKinds {
    keys: SectionKind::PlaceKeys,
    entries: SectionKind::PlaceEntries,
    postings: SectionKind::PlacePostings,
};

/// A dictionary in a snapshot.
pub struct Dictionary {
    keys: fst::Map<Section>,
    entries: Section,
    lists: EntryLists,
    key_pieces_max: usize,
}

impl Dictionary {
    /// Opens the dictionary and checks it completely.
    ///
    /// # Errors
    /// A section is not what a build writes.
    pub fn open(
        kinds: DictionaryKinds,
        section: &dyn Fn(SectionKind) -> Section,
        num_docs: u32,
    ) -> Result<Dictionary, SnapshotError> {
        let (keys, commas_max) = open_keys(kinds.keys, section(kinds.keys))?;
        let entries = section(kinds.entries);
        let all: &[u32] = entries.checked_slice(kinds.entries)?;
        if all.len() != keys.len() {
            return Err(SnapshotError::damaged(kinds.entries, "one entry per key is expected"));
        }
        let postings = (kinds.postings, section(kinds.postings));
        let lists = EntryLists::open((kinds.entries, all.iter().copied()), postings, num_docs)?;
        Ok(Dictionary { keys, entries, lists, key_pieces_max: commas_max + 1 })
    }

    /// Most pieces, separated by commas, of any key: how far a list of values may have to be joined again.
    pub fn key_pieces_max(&self) -> usize {
        self.key_pieces_max
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Are there no keys?
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The ordinal of `key`.
    pub fn ord(&self, key: &str) -> Option<TermOrd> {
        self.keys.get(key).map(|ord| TermOrd(ord as u32))
    }

    /// The postings of `key`.
    pub fn get(&self, key: &str) -> Option<Postings<'_>> {
        self.ord(key).map(|ord| self.postings(ord))
    }

    /// The postings of the key with ordinal `ord`.
    pub fn postings(&self, ord: TermOrd) -> Postings<'_> {
        self.lists.get(&self.all_entries()[ord.index()])
    }

    /// The key whose postings these are; `None` if they are not of this dictionary. Looks at all entries.
    pub fn key_of(&self, list: &Postings<'_>) -> Option<String> {
        // The list of one business is an entry itself.
        let ord = match place_of(list, self.entries.as_ref()) {
            Some(place) => place / size_of::<u32>(),
            None => self.lists.position(self.all_entries(), list)?,
        };
        key_with_ord(&self.keys, TermOrd(ord as u32))
    }

    fn all_entries(&self) -> &[u32] {
        cast(self.entries.as_ref())
    }

    /// Calls `visit` with every key, in byte order, and its postings.
    pub fn for_each(&self, mut visit: impl FnMut(&str, Postings<'_>)) {
        let mut stream = self.keys.stream();
        while let Some((key, ord)) = stream.next() {
            visit(&String::from_utf8_lossy(key), self.postings(TermOrd(ord as u32)));
        }
    }
}

/// The key with this ordinal.
pub(super) fn key_with_ord(keys: &fst::Map<Section>, ord: TermOrd) -> Option<String> {
    String::from_utf8(keys.as_fst().get_key(u64::from(ord.0))?).ok()
}

/// Opens an fst whose values are the ordinals of its keys, and [proves](super::key_nodes) that they are. Returns also
/// the most commas in any key.
pub(super) fn open_keys(
    kind: SectionKind,
    section: Section,
) -> Result<(fst::Map<Section>, usize), SnapshotError> {
    let commas_max = key_nodes::check(section.as_ref())
        .map_err(|reason| SnapshotError::damaged(kind, reason))?;
    let keys = fst::Map::new(section).map_err(|error| SnapshotError::damaged(kind, error))?;
    Ok((keys, commas_max))
}
