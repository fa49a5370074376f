//! A dictionary of keys with their postings: industries, places and hosts.
//!
//! Three sections: the keys as an fst map from key to ordinal, one `u64` offset for each ordinal, and the
//! [postings](super::postings). Reader and writer are below; the term dictionary, whose keys have several lists,
//! is in [`terms`](super::terms).

use super::error::SnapshotError;
use super::format::SectionKind;
use super::mapped::Section;
use super::postings::Postings;
use super::writer::{SectionWriter, SnapshotWriter};
use crate::bytes::cast;
use crate::ids::TermOrd;
use fst::Streamer;

/// The three sections of one dictionary.
#[derive(Clone, Copy, Debug)]
pub struct DictionaryKinds {
    /// The keys.
    pub keys: SectionKind,
    /// Where the postings of each key begin.
    pub offsets: SectionKind,
    /// The postings.
    pub postings: SectionKind,
}

/// The sections of industries.
pub const INDUSTRIES: DictionaryKinds = DictionaryKinds {
    keys: SectionKind::IndustryKeys,
    offsets: SectionKind::IndustryOffsets,
    postings: SectionKind::IndustryPostings,
};

/// The sections of places.
pub const PLACES: DictionaryKinds = DictionaryKinds {
    keys: SectionKind::PlaceKeys,
    offsets: SectionKind::PlaceOffsets,
    postings: SectionKind::PlacePostings,
};

/// The sections of hosts.
pub const HOSTS: DictionaryKinds = DictionaryKinds {
    keys: SectionKind::HostKeys,
    offsets: SectionKind::HostOffsets,
    postings: SectionKind::HostPostings,
};

/// A dictionary in a snapshot.
pub struct Dictionary {
    keys: fst::Map<Section>,
    offsets: Section,
    postings: Section,
    key_pieces_max: usize,
}

impl Dictionary {
    /// Opens the dictionary and checks it completely.
    ///
    /// # Errors
    /// A section is not what the writer below writes.
    pub fn open(
        kinds: DictionaryKinds,
        section: &dyn Fn(SectionKind) -> Section,
        num_docs: u32,
    ) -> Result<Dictionary, SnapshotError> {
        let keys = open_keys(kinds.keys, section(kinds.keys))?;
        let (offsets, postings) = (section(kinds.offsets), section(kinds.postings));
        let starts: &[u64] = offsets.checked_slice(kinds.offsets)?;
        if starts.len() != keys.len() {
            return Err(SnapshotError::damaged(kinds.offsets, "one offset per key is expected"));
        }
        let mut end = 0;
        for &start in starts {
            if start != end {
                return Err(SnapshotError::damaged(kinds.offsets, "postings do not join"));
            }
            let rest = &postings.as_ref()[start as usize..];
            end += Postings::check(rest, num_docs, kinds.postings)? as u64;
        }
        if end != postings.as_ref().len() as u64 {
            return Err(SnapshotError::damaged(kinds.postings, "bytes follow the last list"));
        }
        let mut dictionary = Dictionary { keys, offsets, postings, key_pieces_max: 1 };
        let mut pieces_max = 1;
        dictionary.for_each(|key, _| pieces_max = pieces_max.max(key.split(',').count()));
        dictionary.key_pieces_max = pieces_max;
        Ok(dictionary)
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

    /// Is `key` in the dictionary?
    pub fn contains(&self, key: &str) -> bool {
        self.keys.contains_key(key)
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
        let start = cast::<u64>(self.offsets.as_ref())[ord.index()];
        Postings::read(&self.postings.as_ref()[start as usize..]).0
    }

    /// The key whose postings these are; `None` if they are not of this dictionary.
    pub fn key_of(&self, list: &Postings<'_>) -> Option<String> {
        let ord = ord_at(cast(self.offsets.as_ref()), self.postings.as_ref(), list)?;
        key_with_ord(&self.keys, ord)
    }

    /// Calls `visit` with every key, in byte order, and its postings.
    pub fn for_each(&self, mut visit: impl FnMut(&str, Postings<'_>)) {
        let mut stream = self.keys.stream();
        while let Some((key, ord)) = stream.next() {
            visit(&String::from_utf8_lossy(key), self.postings(TermOrd(ord as u32)));
        }
    }
}

/// The ordinal of the key among whose `bytes`, which begin at `starts`, the list lies.
pub(super) fn ord_at(starts: &[u64], bytes: &[u8], list: &Postings<'_>) -> Option<TermOrd> {
    let at = list.address().checked_sub(bytes.as_ptr().addr()).filter(|&at| at < bytes.len())?;
    let behind = starts.partition_point(|&start| start <= at as u64);
    behind.checked_sub(1).map(|ord| TermOrd(ord as u32))
}

/// The key with this ordinal.
pub(super) fn key_with_ord(keys: &fst::Map<Section>, ord: TermOrd) -> Option<String> {
    String::from_utf8(keys.as_fst().get_key(u64::from(ord.0))?).ok()
}

/// Opens an fst whose values are the ordinals of its keys, and proves that they are.
pub(super) fn open_keys(
    kind: SectionKind,
    section: Section,
) -> Result<fst::Map<Section>, SnapshotError> {
    let damaged = |reason: &dyn std::fmt::Display| SnapshotError::damaged(kind, reason);
    let keys = fst::Map::new(section).map_err(|error| damaged(&error))?;
    keys.as_fst().verify().map_err(|error| damaged(&error))?;
    let mut stream = keys.stream();
    let mut ord = 0;
    while let Some((key, value)) = stream.next() {
        if value != ord || std::str::from_utf8(key).is_err() {
            return Err(damaged(&"a key has a wrong ordinal or is not UTF-8"));
        }
        ord += 1;
    }
    Ok(keys)
}

/// Writes an fst of sorted, distinct keys, each mapped to its ordinal, as a section.
pub struct KeysWriter {
    kind: SectionKind,
    keys: fst::MapBuilder<SectionWriter>,
    len: u64,
}

impl KeysWriter {
    /// Begins the section.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn begin(
        kind: SectionKind,
        writer: &mut SnapshotWriter,
    ) -> Result<KeysWriter, SnapshotError> {
        let keys = fst::MapBuilder::new(writer.begin(kind)).map_err(|error| failed(kind, error))?;
        Ok(KeysWriter { kind, keys, len: 0 })
    }

    /// Appends a key, which is greater than all before.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn push(&mut self, key: &[u8]) -> Result<(), SnapshotError> {
        self.keys.insert(key, self.len).map_err(|error| failed(self.kind, error))?;
        self.len += 1;
        Ok(())
    }

    /// Number of keys so far.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Are there no keys yet?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Completes the section.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn end(self, writer: &mut SnapshotWriter) -> Result<(), SnapshotError> {
        self.keys.into_inner().map_err(|error| failed(self.kind, error))?.end(writer)
    }
}

/// What went wrong with the file that an fst is written to.
///
/// # Panics
/// The keys were not sorted or not distinct.
fn failed(kind: SectionKind, error: fst::Error) -> SnapshotError {
    match error {
        fst::Error::Io(error) => match error.downcast::<SnapshotError>() {
            Ok(error) => error,
            Err(error) => SnapshotError::damaged(kind, error),
        },
        fst::Error::Fst(error) => panic!("keys of {kind} are sorted and distinct: {error}"),
    }
}
