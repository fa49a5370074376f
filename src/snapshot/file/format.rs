//! The frame of a snapshot file: header and section table.
//!
//! `FORMAT.md` beside this file is the authority for every byte; a test compares its numbers with
//! the constants here.

use super::error::SnapshotError;
pub use super::section_kind::SectionKind;
use std::ops::Range;

/// First bytes of every snapshot.
pub const MAGIC: [u8; 8] = *b"FIRMAMNT";

/// Moves with every change of the bytes. One version is read; every other is refused with the mend.
pub const FORMAT_VERSION: u32 = 28;

/// Bytes of the header.
pub const HEADER_BYTES: usize = 64;

/// Bytes of one entry of the section table.
pub const ENTRY_BYTES: usize = 64;

/// Every section begins at a multiple of this: a cache line, and enough for every typed slice.
pub const SECTION_ALIGN: usize = 64;

/// Byte offset at which the first section may begin.
pub const SECTIONS_START: usize =
    (HEADER_BYTES + ENTRY_BYTES * SectionKind::ALL.len()).next_multiple_of(SECTION_ALIGN);

/// One entry of the section table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SectionEntry {
    /// What the section holds.
    pub kind: SectionKind,
    /// Offset of its first byte in the file.
    pub offset: u64,
    /// Its length in bytes, without padding.
    pub len: u64,
    /// BLAKE3 of its bytes.
    pub checksum: [u8; 32],
}

impl SectionEntry {
    /// Where in the file its bytes stand.
    pub fn range(&self) -> Range<usize> {
        self.offset as usize..(self.offset + self.len) as usize
    }
}

/// Header and table, as bytes; the content hash is filled in.
pub fn encode_frame(entries: &[SectionEntry], total_len: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(SECTIONS_START);
    bytes.extend(MAGIC);
    bytes.extend(FORMAT_VERSION.to_le_bytes());
    bytes.extend((entries.len() as u32).to_le_bytes());
    bytes.extend(total_len.to_le_bytes());
    bytes.extend([0; 40]);
    for entry in entries {
        bytes.extend((entry.kind as u32).to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(entry.offset.to_le_bytes());
        bytes.extend(entry.len.to_le_bytes());
        bytes.extend(entry.checksum);
        bytes.extend([0; 8]);
    }
    bytes.resize(SECTIONS_START, 0);
    let hash = blake3::hash(&bytes);
    bytes[24..56].copy_from_slice(hash.as_bytes());
    bytes
}

/// Reads header and table of a file of which `file` are the bytes, and checks everything in them.
///
/// # Errors
/// Anything that [`encode_frame`] could not have written for a file of this length.
pub fn decode_frame(file: &[u8]) -> Result<(Vec<SectionEntry>, [u8; 32]), SnapshotError> {
    if file.len() < HEADER_BYTES || file[..8] != MAGIC {
        return Err(SnapshotError::NotASnapshot);
    }
    let version = u32_at(file, 8);
    if version != FORMAT_VERSION {
        return Err(SnapshotError::FormatVersion { found: version, expected: FORMAT_VERSION });
    }
    let total_len = u64_at(file, 16);
    if total_len != file.len() as u64 {
        return Err(SnapshotError::Length { expected: total_len, found: file.len() as u64 });
    }
    let header = |reason: &str| SnapshotError::damaged("header", reason);
    if file.len() < SECTIONS_START {
        return Err(header("the file ends within the section table"));
    }
    let mut frame = file[..SECTIONS_START].to_vec();
    let hash: [u8; 32] = frame[24..56].try_into().expect("32 bytes");
    frame[24..56].fill(0);
    if blake3::hash(&frame) != hash {
        return Err(header("header or section table do not fit their hash"));
    }
    if u32_at(file, 12) as usize != SectionKind::ALL.len() {
        return Err(header("wrong number of sections"));
    }
    let mut entries = Vec::with_capacity(SectionKind::ALL.len());
    let mut end = SECTIONS_START as u64;
    for (at, kind) in SectionKind::ALL.into_iter().enumerate() {
        let entry = &frame[HEADER_BYTES + at * ENTRY_BYTES..][..ENTRY_BYTES];
        let (offset, len) = (u64_at(entry, 8), u64_at(entry, 16));
        if u32_at(entry, 0) != kind as u32 || u32_at(entry, 4) != 0 || u64_at(entry, 56) != 0 {
            return Err(header("the section table holds an unexpected entry"));
        }
        let in_place = offset == end.next_multiple_of(SECTION_ALIGN as u64);
        end = offset.checked_add(len).ok_or_else(|| header("a section overflows"))?;
        if !in_place || end > total_len {
            return Err(SnapshotError::damaged(kind, "the section lies outside its place"));
        }
        let checksum = entry[24..56].try_into().expect("32 bytes");
        entries.push(SectionEntry { kind, offset, len, checksum });
    }
    if end != total_len {
        return Err(header("bytes follow the last section"));
    }
    Ok((entries, hash))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_specification_names_the_same_numbers() {
        let text = include_str!("../FORMAT.md");
        assert!(text.contains(&format!("Format version: **{FORMAT_VERSION}**")));
        assert!(text.contains(&format!("`{}`", std::str::from_utf8(&MAGIC).unwrap())));
        assert!(text.contains(&format!("({HEADER_BYTES} bytes)")));
        assert!(text.contains(&format!("({ENTRY_BYTES} bytes each)")));
        let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
        let kinds = SectionKind::ALL.map(|kind| kind.to_string());
        assert!(rows.map(|(kind, _)| kind).eq(kinds.iter().map(String::as_str)));
        assert!(SectionKind::ALL.iter().enumerate().all(|(at, kind)| kind.index() == at));
    }
}
