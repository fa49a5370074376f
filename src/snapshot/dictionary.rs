//! A dictionary of keys with their postings: industries, places and hosts.
//!
//! Three sections: the keys as an fst map from key to ordinal, one entry for each ordinal, and the
//! [postings](super::postings) of the keys with more than one business.
//!
//! ```text
//! ENTRY := u32: the `DocId` of the only business; or, if bit 31 is set, the place of the postings, in units of
//!          8 bytes
//! ```
//!
//! Most hosts have one business: its entry is its list, used in place. Reader and writer are below; the term dictionary, whose keys have several lists,
//! is in [`terms`](super::terms).

use super::error::SnapshotError;
use super::format::SectionKind;
use super::key_nodes;
use super::mapped::Section;
use super::postings::{FILTER_ARRAY_MAX, Postings, encode_with};
use crate::bytes::cast;
use crate::ids::TermOrd;
use fst::Streamer;

/// The bit of an entry that says that postings are elsewhere. `DocId`s are below it.
const LISTED: u32 = 1 << 31;

/// Lists begin at multiples of this, in bytes.
const LIST_ALIGN: usize = 8;

const _: () = assert!(crate::limits::DOCS_MAX < LISTED);

/// The entry of a key with these businesses; of several, the list is appended to `lists`, before which
/// `lists_before` bytes of lists lie already.
///
/// # Errors
/// There are too many bytes of lists.
pub fn encode_entry(
    kinds: DictionaryKinds,
    docs: &[u32],
    lists_before: u64,
    lists: &mut Vec<u8>,
) -> Result<u32, SnapshotError> {
    if let [doc] = docs {
        return Ok(*doc);
    }
    let place = (lists_before + lists.len() as u64) / LIST_ALIGN as u64;
    encode_with(FILTER_ARRAY_MAX, docs, lists);
    match u32::try_from(place) {
        Ok(place) if place < LISTED => Ok(LISTED | place),
        _ => Err(SnapshotError::TooLarge { section: kinds.postings.to_string() }),
    }
}

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

/// The sections of hosts.
pub const HOSTS: DictionaryKinds = DictionaryKinds {
    keys: SectionKind::HostKeys,
    entries: SectionKind::HostEntries,
    postings: SectionKind::HostPostings,
};

/// A dictionary in a snapshot.
pub struct Dictionary {
    keys: fst::Map<Section>,
    entries: Section,
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
        let (keys, commas_max) = open_keys(kinds.keys, section(kinds.keys))?;
        let (entries, postings) = (section(kinds.entries), section(kinds.postings));
        let all: &[u32] = entries.checked_slice(kinds.entries)?;
        if all.len() != keys.len() {
            return Err(SnapshotError::damaged(kinds.entries, "one entry per key is expected"));
        }
        let mut end = 0;
        for &entry in all {
            if entry & LISTED == 0 {
                if entry >= num_docs {
                    return Err(SnapshotError::damaged(kinds.entries, "an unknown business"));
                }
                continue;
            }
            let start = (entry & !LISTED) as usize * LIST_ALIGN;
            if start != end {
                return Err(SnapshotError::damaged(kinds.entries, "postings do not join"));
            }
            end += Postings::check(&postings.as_ref()[start..], num_docs, kinds.postings)?;
        }
        if end != postings.as_ref().len() {
            return Err(SnapshotError::damaged(kinds.postings, "bytes follow the last list"));
        }
        Ok(Dictionary { keys, entries, postings, key_pieces_max: commas_max + 1 })
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
        let entry = &cast::<u32>(self.entries.as_ref())[ord.index()..=ord.index()];
        match entry[0] & LISTED {
            0 => Postings::Small(entry),
            _ => {
                let start = (entry[0] & !LISTED) as usize * LIST_ALIGN;
                Postings::read(&self.postings.as_ref()[start..]).0
            }
        }
    }

    /// The key whose postings these are; `None` if they are not of this dictionary. Looks at all entries.
    pub fn key_of(&self, list: &Postings<'_>) -> Option<String> {
        let entries: &[u32] = cast(self.entries.as_ref());
        // The list of one business is an entry itself; of the others, the last that begins no later is it.
        let ord = match place_of(list, self.entries.as_ref()) {
            Some(place) => place / size_of::<u32>(),
            None => {
                let place = place_of(list, self.postings.as_ref())?;
                let begins_before = |&entry: &u32| {
                    entry & LISTED != 0 && (entry & !LISTED) as usize * LIST_ALIGN <= place
                };
                entries.iter().rposition(begins_before)?
            }
        };
        key_with_ord(&self.keys, TermOrd(ord as u32))
    }

    /// Calls `visit` with every key, in byte order, and its postings.
    pub fn for_each(&self, mut visit: impl FnMut(&str, Postings<'_>)) {
        let mut stream = self.keys.stream();
        while let Some((key, ord)) = stream.next() {
            visit(&String::from_utf8_lossy(key), self.postings(TermOrd(ord as u32)));
        }
    }
}

/// Where in `bytes` the list begins; `None` if it lies elsewhere.
pub(super) fn place_of(list: &Postings<'_>, bytes: &[u8]) -> Option<usize> {
    list.address().checked_sub(bytes.as_ptr().addr()).filter(|&at| at < bytes.len())
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
