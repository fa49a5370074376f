//! The businesses of keys, in 4 bytes a key where one business has it.
//!
//! ```text
//! ENTRY := u32: the `DocId` of the only business; or, if bit 31 is set, the place of the postings, in units of
//!          8 bytes
//! ```
//!
//! Nearly every host has one business: its entry is its list, used in place. The
//! [lists](super::postings::roaring) of keys with several lie in a section of their own, in the
//! order of the entries.

use super::postings::{Postings, roaring};
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::mapped::Section;

/// The bit of an entry that says that postings are elsewhere. `DocId`s are below it.
const LISTED: u32 = 1 << 31;

/// Lists begin at multiples of this, in bytes.
const LIST_ALIGN: usize = 8;

const _: () = assert!(crate::limits::DOCS_MAX < LISTED);

/// The entry of a key with these businesses; of several, the list is appended to `lists`, before
/// which `lists_before` bytes of lists lie already. They go to the section `kind`.
///
/// # Errors
/// There are too many bytes of lists.
pub fn encode_entry(
    kind: SectionKind,
    docs: &[u32],
    lists_before: u64,
    lists: &mut Vec<u8>,
) -> Result<u32, SnapshotError> {
    if let [doc] = docs {
        return Ok(*doc);
    }
    let place = (lists_before + lists.len() as u64) / LIST_ALIGN as u64;
    roaring::encode(docs, lists);
    match u32::try_from(place) {
        Ok(place) if place < LISTED => Ok(LISTED | place),
        _ => Err(SnapshotError::TooLarge { section: kind.to_string() }),
    }
}

/// The lists of entries, in a snapshot.
pub(crate) struct EntryLists {
    postings: Section,
}

impl EntryLists {
    /// Opens the postings and checks them and the entries of section `kind` completely.
    ///
    /// # Errors
    /// An entry is no business, or leads to anything else than the list behind the one before.
    pub fn open(
        section: &Section,
        entries: impl Iterator<Item = u32>,
        postings: Section,
        num_docs: u32,
    ) -> Result<EntryLists, SnapshotError> {
        let mut end = 0;
        for entry in entries {
            if entry & LISTED == 0 {
                if entry >= num_docs {
                    return Err(section.damaged("an unknown business"));
                }
                continue;
            }
            let start = (entry & !LISTED) as usize * LIST_ALIGN;
            if start != end {
                return Err(section.damaged("postings do not join"));
            }
            end += roaring::check(&postings.as_ref()[start..], num_docs)
                .map_err(|reason| postings.damaged(reason))?;
        }
        if end != postings.as_ref().len() {
            return Err(postings.damaged("bytes follow the last list"));
        }
        Ok(EntryLists { postings })
    }

    /// The list of an entry.
    pub fn get<'s>(&'s self, entry: &'s u32) -> Postings<'s> {
        match entry & LISTED {
            0 => Postings::Small(std::slice::from_ref(entry)),
            _ => {
                let start = (entry & !LISTED) as usize * LIST_ALIGN;
                roaring::front(&self.postings.as_ref()[start..])
            }
        }
    }

    /// The last of `entries` whose list begins no later than `list`, if that is one of several
    /// businesses.
    pub fn position(&self, entries: &[u32], list: &Postings<'_>) -> Option<usize> {
        let place = self.place_of(list)?;
        let begins_before =
            |&entry: &u32| entry & LISTED != 0 && (entry & !LISTED) as usize * LIST_ALIGN <= place;
        entries.iter().rposition(begins_before)
    }

    /// Where among the lists of several businesses the list begins; `None` if it lies elsewhere.
    pub fn place_of(&self, list: &Postings<'_>) -> Option<usize> {
        place_of(list, self.postings.as_ref())
    }
}

/// Where in `bytes` the list begins; `None` if it lies elsewhere.
pub(crate) fn place_of(list: &Postings<'_>, bytes: &[u8]) -> Option<usize> {
    list.address().checked_sub(bytes.as_ptr().addr()).filter(|&at| at < bytes.len())
}
