//! A dictionary of keys with their postings: industries and places.
//!
//! Three sections: the keys as an fst map from key to ordinal, one
//! [entry](crate::snapshot::encoding::postings_ref) for each ordinal, and the
//! [postings](crate::snapshot::encoding::postings) of the keys with more than one business. Terms,
//! which have several lists each, are in [`terms`](super); hosts, which are found by hash, in
//! [`hosts`](super::hosts).

use super::fst_check;
use super::search::search;
use crate::bytes::cast;
use crate::ids::TermOrd;
use crate::snapshot::encoding::postings::Postings;
use crate::snapshot::encoding::postings_ref::{EntryLists, place_of};
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::mapped::Section;
use fst::{Automaton, IntoStreamer, Streamer};
use rustc_hash::{FxBuildHasher, FxHashMap};

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

/// Most keys that are held in memory, to be found by hash: some 60 bytes each. There are fewer
/// industries and places unless the records have a text of their own each, and one walk through the
/// fst takes ten times as long.
const HELD_MAX: usize = 1 << 17;

/// A dictionary in a snapshot.
pub struct Dictionary {
    keys: Keys,
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
        [keys, entries, postings]: [Section; 3],
        num_docs: u32,
    ) -> Result<Dictionary, SnapshotError> {
        let (keys, commas_max) = open_keys(keys)?;
        let all: &[u32] = entries.checked_slice()?;
        if all.len() != keys.len() {
            return Err(entries.damaged("one entry per key is expected"));
        }
        let lists = EntryLists::open(&entries, all.iter().copied(), postings, num_docs)?;
        let keys = Keys::new(keys, HELD_MAX);
        Ok(Dictionary { keys, entries, lists, key_pieces_max: commas_max + 1 })
    }

    /// Most pieces, separated by commas, of any key: how far a list of values may have to be joined
    /// again.
    pub fn key_pieces_max(&self) -> usize {
        self.key_pieces_max
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.keys.fst.len()
    }

    /// Are there no keys?
    pub fn is_empty(&self) -> bool {
        self.keys.fst.is_empty()
    }

    /// The ordinal of `key`.
    pub fn ord(&self, key: &str) -> Option<TermOrd> {
        self.keys.ord(key)
    }

    /// Does any key start so?
    pub fn has_start(&self, start: &str) -> bool {
        let mut keys = self.keys.fst.range().ge(start).into_stream();
        keys.next().is_some_and(|(key, _)| key.starts_with(start.as_bytes()))
    }

    /// The postings of `key`.
    pub fn get(&self, key: &str) -> Option<Postings<'_>> {
        self.ord(key).map(|ord| self.postings(ord))
    }

    /// The postings of the key with ordinal `ord`.
    pub fn postings(&self, ord: TermOrd) -> Postings<'_> {
        self.lists.get(&self.all_entries()[ord.index()])
    }

    /// The key whose postings these are; `None` if they are not of this dictionary. Looks at all
    /// entries.
    pub fn key_of(&self, list: &Postings<'_>) -> Option<String> {
        // The list of one business is an entry itself.
        let ord = match place_of(list, self.entries.as_ref()) {
            Some(place) => place / size_of::<u32>(),
            None => self.lists.position(self.all_entries(), list)?,
        };
        key_with_ord(&self.keys.fst, TermOrd(ord as u32))
    }

    fn all_entries(&self) -> &[u32] {
        cast(self.entries.as_ref())
    }

    /// Calls `visit` with the keys that an automaton accepts, in byte order, and their postings.
    pub fn search(&self, automaton: impl Automaton, mut visit: impl FnMut(&str, Postings<'_>)) {
        search(self.keys.fst.as_fst(), automaton, |key, ord| {
            visit(&String::from_utf8_lossy(key), self.postings(TermOrd(ord as u32)));
        });
    }

    /// Calls `visit` with every key, in byte order, and its postings.
    pub fn for_each(&self, mut visit: impl FnMut(&str, Postings<'_>)) {
        let mut stream = self.keys.fst.stream();
        while let Some((key, ord)) = stream.next() {
            visit(&String::from_utf8_lossy(key), self.postings(TermOrd(ord as u32)));
        }
    }
}

/// The keys of a dictionary.
struct Keys {
    fst: fst::Map<Section>,
    /// All of them, if they are few.
    held: Option<FxHashMap<Box<[u8]>, TermOrd>>,
}

impl Keys {
    /// Keys of which at most `held_max` are held.
    fn new(fst: fst::Map<Section>, held_max: usize) -> Keys {
        let held = (fst.len() <= held_max).then(|| {
            let mut held = FxHashMap::with_capacity_and_hasher(fst.len(), FxBuildHasher);
            let mut stream = fst.stream();
            while let Some((key, ord)) = stream.next() {
                held.insert(key.into(), TermOrd(ord as u32));
            }
            held
        });
        Keys { fst, held }
    }

    fn ord(&self, key: &str) -> Option<TermOrd> {
        match &self.held {
            Some(held) => held.get(key.as_bytes()).copied(),
            None => self.fst.get(key).map(|ord| TermOrd(ord as u32)),
        }
    }
}

/// The key with this ordinal.
pub(crate) fn key_with_ord(keys: &fst::Map<Section>, ord: TermOrd) -> Option<String> {
    String::from_utf8(keys.as_fst().get_key(u64::from(ord.0))?).ok()
}

/// Opens an fst whose values are the ordinals of its keys, and [proves](super::fst_check) that they
/// are. Returns also the most commas in any key.
pub(crate) fn open_keys(section: Section) -> Result<(fst::Map<Section>, usize), SnapshotError> {
    let commas_max =
        fst_check::check(section.as_ref()).map_err(|reason| section.damaged(reason))?;
    let keys = fst::Map::new(section.clone()).map_err(|error| section.damaged(error))?;
    Ok((keys, commas_max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn held_keys_are_found_as_others_are(
            keys in prop::collection::btree_set("[ab]{0,4}|[a-zü]{1,2}", 0..60),
            asked in "[ab]{0,4}|[a-zü]{0,2}",
        ) {
            let bytes = fst::Map::from_iter(keys.iter().zip(0u64..)).unwrap().into_fst().into_inner();
            let section = Section::copy(SectionKind::PlaceKeys, &bytes);
            for held_max in [0, keys.len()] {
                let found = Keys::new(fst::Map::new(section.clone()).unwrap(), held_max);
                prop_assert_eq!(found.held.is_some(), keys.len() <= held_max);
                for key in keys.iter().chain([&asked]) {
                    let place = keys.iter().position(|other| other == key);
                    prop_assert_eq!(found.ord(key), place.map(|at| TermOrd(at as u32)));
                }
            }
        }
    }
}
