//! Writing and publishing a snapshot.
//!
//! A [`SnapshotWriter`] writes to a temporary file in the target's folder; [`SnapshotWriter::publish`] makes it
//! durable, opens and verifies it like any reader would, and renames it over the target. Whoever reads the
//! target sees the old snapshot or the new one, both complete, whatever happens in between.

use super::Snapshot;
use super::error::SnapshotError;
use super::format::{
    HEADER_BYTES, SECTION_ALIGN, SECTIONS_START, SectionEntry, SectionKind, encode_frame,
};
use super::mapped::{Backing, Section};
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Prefix of unpublished snapshots, beside their targets.
pub const TEMPORARY_PREFIX: &str = ".firmament-";

/// A snapshot being written.
pub struct SnapshotWriter {
    file: BufWriter<tempfile::NamedTempFile>,
    target: PathBuf,
    position: u64,
    entries: Vec<SectionEntry>,
}

/// The sections that were written before some moment.
pub struct Written {
    backing: Arc<Backing>,
    entries: Vec<SectionEntry>,
}

impl Written {
    /// One of them.
    ///
    /// # Panics
    /// It was not written before.
    pub fn section(&self, kind: SectionKind) -> Section {
        let entry = &self.entries[kind.index()];
        let range = entry.offset as usize..(entry.offset + entry.len) as usize;
        Section::new(self.backing.clone(), range)
    }
}

/// A section being written; end it with [`SectionWriter::end`].
pub struct SectionWriter<'a> {
    writer: &'a mut SnapshotWriter,
    kind: SectionKind,
    offset: u64,
    hasher: blake3::Hasher,
}

impl SnapshotWriter {
    /// Begins a snapshot that will be published as `target`.
    ///
    /// # Errors
    /// The folder does not exist or cannot be written to.
    pub fn create(target: &Path) -> Result<SnapshotWriter, SnapshotError> {
        let folder = folder_of(target);
        let file = tempfile::Builder::new()
            .prefix(TEMPORARY_PREFIX)
            .suffix(".tmp")
            .tempfile_in(folder)
            .map_err(|source| io_error("create a file in", folder, source))?;
        let mut writer = SnapshotWriter {
            file: BufWriter::with_capacity(1 << 20, file),
            target: target.to_owned(),
            position: 0,
            entries: Vec::with_capacity(SectionKind::ALL.len()),
        };
        writer.put(&[0; SECTIONS_START])?;
        Ok(writer)
    }

    /// Begins the next section.
    ///
    /// # Errors
    /// The file cannot be written.
    ///
    /// # Panics
    /// The sections are not written in the order of [`SectionKind::ALL`].
    pub fn begin(&mut self, kind: SectionKind) -> Result<SectionWriter<'_>, SnapshotError> {
        assert_eq!(SectionKind::ALL[self.entries.len()], kind, "sections have a fixed order");
        let offset = self.position.next_multiple_of(SECTION_ALIGN as u64);
        self.put(&vec![0; (offset - self.position) as usize])?;
        Ok(SectionWriter { writer: self, kind, offset, hasher: blake3::Hasher::new() })
    }

    /// Writes a whole section.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn section(&mut self, kind: SectionKind, bytes: &[u8]) -> Result<(), SnapshotError> {
        let mut section = self.begin(kind)?;
        section.write(bytes)?;
        section.end()
    }

    /// Completes the file, verifies it, and puts it in place of the target.
    ///
    /// # Errors
    /// The file cannot be written, or what was read back is not what was written; the target is then as it was.
    pub fn publish(mut self) -> Result<Snapshot, SnapshotError> {
        let frame = encode_frame(&self.entries, self.position);
        debug_assert!(frame.len() == SECTIONS_START && HEADER_BYTES < SECTIONS_START);
        let path = self.file.get_ref().path().to_owned();
        let failed = |source| io_error("write", &path, source);
        self.file.seek(SeekFrom::Start(0)).map_err(failed)?;
        self.file.write_all(&frame).map_err(failed)?;
        let file = self.file.into_inner().map_err(|error| failed(error.into_error()))?;
        file.as_file().sync_all().map_err(|source| io_error("sync", &path, source))?;
        let snapshot = Snapshot::open(&path)?;
        set_readable(file.as_file()).map_err(failed)?;
        file.persist(&self.target)
            .map_err(|error| io_error("rename into place", &self.target, error.error))?;
        let folder = folder_of(&self.target);
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(|source| io_error("sync", folder, source))?;
        Ok(snapshot)
    }

    /// The sections written so far, mapped for reading; further ones may be written meanwhile.
    ///
    /// # Errors
    /// The file cannot be written or mapped.
    pub fn written(&mut self) -> Result<Written, SnapshotError> {
        let path = self.file.get_ref().path().to_owned();
        self.file.flush().map_err(|source| io_error("write", &path, source))?;
        Ok(Written { backing: Arc::new(Backing::map(&path)?), entries: self.entries.clone() })
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        self.file
            .write_all(bytes)
            .map_err(|source| io_error("write", self.file.get_ref().path(), source))?;
        self.position += bytes.len() as u64;
        Ok(())
    }
}

impl SectionWriter<'_> {
    /// Appends bytes to the section.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        self.hasher.update(bytes);
        self.writer.put(bytes)
    }

    /// Completes the section.
    ///
    /// # Errors
    /// None at present; a later format may write a trailer here.
    pub fn end(self) -> Result<(), SnapshotError> {
        self.writer.entries.push(SectionEntry {
            kind: self.kind,
            offset: self.offset,
            len: self.writer.position - self.offset,
            checksum: *self.hasher.finalize().as_bytes(),
        });
        Ok(())
    }
}

/// The folder that a file is or will be in.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

fn io_error(action: &'static str, path: &Path, source: io::Error) -> SnapshotError {
    SnapshotError::Io { action, path: path.to_owned(), source }
}

/// Temporary files are private; a published snapshot is as readable as any new file (0644).
#[cfg(unix)]
fn set_readable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn set_readable(_file: &File) -> io::Result<()> {
    Ok(())
}
