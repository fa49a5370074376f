//! Writing and publishing a snapshot.
//!
//! A [`SnapshotWriter`] writes to an [`unpublished`](super::staging) file beside the target;
//! [`SnapshotWriter::publish`] makes it durable, opens and verifies it like any reader would, and
//! renames it over the target. Whoever reads the target sees the old snapshot or the new one, both
//! complete, whatever happens in between.
//!
//! Sections are placed in their fixed order, but need not be filled in that order: one whose length
//! is known can be reserved and filled while later ones are written. Those that have ended can be
//! read back (`SnapshotWriter::written`), so that a section may be derived from others.

use super::error::SnapshotError;
use super::format::{HEADER_BYTES, SECTION_ALIGN, SECTIONS_START, SectionEntry, encode_frame};
use super::fs_ops;
use super::mapped::{Backing, TABLE_ALIGN};
use super::section_kind::SectionKind;
use super::sections::Sections;
use super::staging::{Unpublished, io_error};
use std::path::Path;
use std::sync::Arc;

/// Bytes collected before they are written. Each piece but the last of a section ends at a multiple
/// of this in the file: a large page, which the system keeps in memory as one only if it was
/// written at once. With such pages a query at ten million businesses takes 0.92 of its time.
const PIECE_BYTES: usize = 2 << 20;

/// Bytes from which on hashing on all cores pays.
const HASH_TOGETHER_BYTES: usize = 128 << 10;

/// A snapshot being written.
pub struct SnapshotWriter {
    file: Arc<Unpublished>,
    /// The end of what was written or reserved.
    position: u64,
    entries: Vec<SectionEntry>,
    /// Sections reserved and not filled yet.
    open: usize,
}

/// A section being written; end it with [`SectionWriter::end`]. Several may be open at a time if
/// all but the last have a length that was known from the start.
pub struct SectionWriter {
    file: Arc<Unpublished>,
    kind: SectionKind,
    start: u64,
    /// Where the buffer will go.
    position: u64,
    /// Length of a reserved section.
    reserved: Option<u64>,
    buffer: Vec<u8>,
    hasher: blake3::Hasher,
}

impl SnapshotWriter {
    /// Begins a snapshot that will be published as `target`.
    ///
    /// # Errors
    /// Another build has the target, or the folder does not exist or cannot be written to.
    pub fn create(target: &Path) -> Result<SnapshotWriter, SnapshotError> {
        Ok(SnapshotWriter {
            file: Arc::new(Unpublished::create(target)?),
            position: SECTIONS_START as u64,
            entries: Vec::with_capacity(SectionKind::ALL.len()),
            open: 0,
        })
    }

    /// Begins the next section, whose length is not known yet. It must end before the next one
    /// begins.
    ///
    /// # Panics
    /// The sections are not begun in the order of [`SectionKind::ALL`].
    pub fn begin(&mut self, kind: SectionKind) -> SectionWriter {
        self.place(kind, None)
    }

    /// Begins the next section, of which the length in bytes is known: others may be begun before
    /// it ends.
    ///
    /// # Panics
    /// As [`begin`](Self::begin).
    pub fn reserve(&mut self, kind: SectionKind, len: u64) -> SectionWriter {
        let section = self.place(kind, Some(len));
        self.position = section.start + len;
        section
    }

    fn place(&mut self, kind: SectionKind, reserved: Option<u64>) -> SectionWriter {
        assert_eq!(SectionKind::ALL[self.entries.len()], kind, "sections have a fixed order");
        let start = self.position.next_multiple_of(SECTION_ALIGN as u64);
        self.open += 1;
        self.entries.push(SectionEntry { kind, offset: start, len: 0, checksum: [0; 32] });
        SectionWriter {
            file: self.file.clone(),
            kind,
            start,
            position: start,
            reserved,
            buffer: Vec::new(),
            hasher: blake3::Hasher::new(),
        }
    }

    /// Writes a whole section.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn section(&mut self, kind: SectionKind, bytes: &[u8]) -> Result<(), SnapshotError> {
        let mut section = self.reserve(kind, bytes.len() as u64);
        section.write(bytes)?;
        section.end(self)
    }

    /// The sections written so far, to be looked at in passing.
    ///
    /// # Errors
    /// The file cannot be mapped.
    #[cfg_attr(not(feature = "builder"), expect(dead_code, reason = "only a build reads it back"))]
    pub(crate) fn written(&self) -> Result<Sections, SnapshotError> {
        let backing = Backing::map_part(self.file.file(), self.file.path(), self.position)?;
        Ok(Sections { backing: Arc::new(backing), entries: self.entries.clone() })
    }

    /// Completes the file, has it verified by `open`, and puts it in place of the target.
    ///
    /// # Errors
    /// The file cannot be written, or what was read back is not what was written; the target is
    /// then as it was.
    ///
    /// # Panics
    /// A section has not ended.
    pub fn publish<T>(
        self,
        open: impl FnOnce(&Path) -> Result<T, SnapshotError>,
    ) -> Result<T, SnapshotError> {
        assert!(self.open == 0, "a section has not ended");
        let frame = encode_frame(&self.entries, self.position);
        debug_assert!(frame.len() == SECTIONS_START && HEADER_BYTES < SECTIONS_START);
        let file = Arc::into_inner(self.file).expect("every section has ended");
        let path = file.path();
        let failed = |source| io_error("write", path, source);
        fs_ops::write_all_at(file.file(), path, &frame, 0).map_err(failed)?;
        // The last section may be empty, and padding before it is not written.
        fs_ops::set_len(file.file(), path, self.position).map_err(failed)?;
        fs_ops::sync(file.file(), path).map_err(|source| io_error("sync", path, source))?;
        let snapshot = open(path)?;
        file.publish_read_only()?;
        Ok(snapshot)
    }
}

impl SectionWriter {
    /// Bytes written to the section so far.
    pub fn len(&self) -> u64 {
        self.position + self.buffer.len() as u64 - self.start
    }

    /// Was nothing written yet?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends bytes to the section.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        if bytes.len() >= HASH_TOGETHER_BYTES {
            self.hasher.update_rayon(bytes);
        } else {
            self.hasher.update(bytes);
        }
        let mut rest = bytes;
        loop {
            let end = self.position as usize + self.buffer.len();
            let room = PIECE_BYTES - end % PIECE_BYTES;
            if rest.len() < room {
                self.buffer.extend_from_slice(rest);
                return Ok(());
            }
            if self.buffer.is_empty() {
                let whole_pieces = (rest.len() - room) / PIECE_BYTES * PIECE_BYTES;
                let (now, behind) = rest.split_at(room + whole_pieces);
                self.put(now)?;
                rest = behind;
            } else {
                let (now, behind) = rest.split_at(room);
                self.buffer.extend_from_slice(now);
                self.flush()?;
                rest = behind;
            }
        }
    }

    /// Completes the section with a table of what it holds, which is known only when all of that is
    /// written.
    ///
    /// # Errors
    /// The file cannot be written.
    ///
    /// # Panics
    /// As [`end`](Self::end).
    pub fn end_with_table(
        mut self,
        table: &[u8],
        writer: &mut SnapshotWriter,
    ) -> Result<(), SnapshotError> {
        let body_len = self.len();
        let padding = body_len.next_multiple_of(TABLE_ALIGN as u64) - body_len;
        self.write(&[0; TABLE_ALIGN][..padding as usize])?;
        self.write(table)?;
        self.write(&body_len.to_le_bytes())?;
        self.end(writer)
    }

    /// Completes the section.
    ///
    /// # Errors
    /// The file cannot be written.
    ///
    /// # Panics
    /// A reserved section has another length than announced.
    pub fn end(mut self, writer: &mut SnapshotWriter) -> Result<(), SnapshotError> {
        self.flush()?;
        let len = self.len();
        match self.reserved {
            Some(reserved) => assert_eq!(len, reserved, "length of {}", self.kind),
            None => writer.position = self.position,
        }
        let entry = &mut writer.entries[self.kind.index()];
        (entry.len, entry.checksum) = (len, *self.hasher.finalize().as_bytes());
        writer.open -= 1;
        Ok(())
    }

    fn flush(&mut self) -> Result<(), SnapshotError> {
        let buffer = std::mem::take(&mut self.buffer);
        self.put(&buffer)?;
        self.buffer = buffer;
        self.buffer.clear();
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        fs_ops::write_all_at(self.file.file(), self.file.path(), bytes, self.position)
            .map_err(|source| io_error("write", self.file.path(), source))?;
        self.position += bytes.len() as u64;
        Ok(())
    }
}
