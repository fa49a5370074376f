//! Opening: from the bytes of a file to a [`Snapshot`] of which all is known to be in order.
//!
//! Header, padding and checksums first, then every component by the check beside its reader.

use super::components::Components;
use super::file::error::SnapshotError;
use super::file::format;
use super::file::format::SectionEntry;
use super::file::mapped::Backing;
use super::file::section_kind::SectionKind;
use super::file::sections::Sections;
use super::{Metadata, Snapshot, SnapshotVersion};
use crate::places::PlaceKey;
use std::sync::Arc;

/// Bytes looked at between two releases, where a snapshot is opened in passing.
const PASS_BYTES: usize = 64 << 20;

impl Snapshot {
    /// Verifies all bytes of a snapshot.
    ///
    /// # Errors
    /// As [`Snapshot::open`].
    pub(super) fn verify(backing: Arc<Backing>) -> Result<Snapshot, SnapshotError> {
        let (entries, hash) = format::decode_frame(backing.bytes())?;
        check_bytes(&backing, &entries)?;
        let version = SnapshotVersion(u64::from_le_bytes(hash[..8].try_into().expect("8 bytes")));
        let sections = Sections { backing, entries };
        let metadata = read_metadata(&sections)?;
        let components = Components::open(&sections, metadata.num_docs)?;
        sections.release();
        let has_place_names = PlaceKey::names().any(|start| components.places.has_start(&start));
        Ok(Snapshot { version, metadata, components, sections, has_place_names })
    }
}

/// Compares sections with their checksums, and what lies between them with zeroes.
fn check_bytes(backing: &Backing, entries: &[SectionEntry]) -> Result<(), SnapshotError> {
    let bytes = backing.bytes();
    let mut end = format::SECTIONS_START;
    for entry in entries {
        let range = entry.range();
        if bytes[end..range.start].iter().any(|&byte| byte != 0) {
            return Err(SnapshotError::damaged(entry.kind, "bytes before it are not zero"));
        }
        end = range.end;
        let mut hasher = blake3::Hasher::new();
        for start in range.clone().step_by(PASS_BYTES) {
            let piece = start..range.end.min(start + PASS_BYTES);
            hasher.update_rayon(&bytes[piece.clone()]);
            backing.release(piece);
        }
        if hasher.finalize() != entry.checksum {
            let reason = "its bytes do not fit its checksum";
            return Err(SnapshotError::damaged(entry.kind, reason));
        }
    }
    Ok(())
}

/// Reads the metadata and refuses a snapshot whose words were made by other rules than this
/// program's.
fn read_metadata(sections: &Sections) -> Result<Metadata, SnapshotError> {
    use crate::analyzer::{ANALYZER_VERSION, UNICODE_VERSION};
    let section = sections.of(SectionKind::Metadata);
    let metadata: Metadata =
        serde_json::from_slice(section.as_ref()).map_err(|error| section.damaged(error))?;
    if metadata.analyzer_version != ANALYZER_VERSION || metadata.unicode_version != UNICODE_VERSION
    {
        let name = |analyzer: u32, unicode: &str| format!("analyzer {analyzer}, Unicode {unicode}");
        return Err(SnapshotError::Analyzer {
            found: name(metadata.analyzer_version, &metadata.unicode_version),
            expected: name(ANALYZER_VERSION, UNICODE_VERSION),
        });
    }
    if metadata.num_docs > crate::limits::DOCS_MAX {
        return Err(section.damaged("too many businesses"));
    }
    Ok(metadata)
}
