//! Temporary files of a build.
//!
//! In: the folder they live in. Out: files that have no name, so that they are gone when the build
//! ends, however it ends: done, failed or killed. (A file's name exists for the moment between
//! creating and unlinking it; what a kill in that moment leaves is empty and is removed like an
//! abandoned snapshot, see [`unpublished`](crate::snapshot::file::staging).) `df` counts them, `ls`
//! does not show them.

use super::pipeline::InBackground;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::fs_ops;
use crate::snapshot::file::staging::TEMPORARY_PREFIX;
use crate::snapshot::file::writer::SnapshotWriter;
use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};

/// A temporary file cannot be made, written or read.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot {action} a temporary file in {folder:?}: a build needs there up to one and a half times the size of the \
     input uncompressed; \
     name another folder with --temp-dir"
)]
pub struct ScratchError {
    /// What was tried.
    pub action: &'static str,
    /// The folder.
    pub folder: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// A folder for temporary files.
#[derive(Clone, Debug)]
pub struct Scratch {
    folder: Arc<Path>,
    closing: Arc<Closing>,
}

/// Closes files, on a thread of its own. The last one to close a file without a name removes it,
/// for which the system waits for what it is just writing of it: up to a second, in which the
/// thread that is done with it can do better.
#[derive(Debug)]
struct Closing {
    // Before the thread, which ends when there is nobody left to send it a file.
    files: mpsc::Sender<File>,
    _thread: InBackground<()>,
}

impl Closing {
    fn begin() -> Closing {
        let (files, closed) = mpsc::channel();
        Closing { files, _thread: InBackground::begin(move || closed.into_iter().for_each(drop)) }
    }
}

/// Bytes buffered by a [`ScratchWriter`].
const BUFFER_BYTES: usize = 1 << 20;

impl Scratch {
    /// Temporary files in `folder`.
    pub fn new(folder: &Path) -> Scratch {
        Scratch { folder: folder.into(), closing: Arc::new(Closing::begin()) }
    }

    /// What is reported if the system refuses to do `action` with a file here.
    pub fn error(&self, action: &'static str) -> impl FnOnce(io::Error) -> ScratchError {
        let folder = self.folder.to_path_buf();
        move |source| ScratchError { action, folder, source }
    }

    /// A new, empty file.
    ///
    /// # Errors
    /// The folder does not exist or cannot be written to.
    pub fn create(&self) -> Result<ScratchFile, ScratchError> {
        let file = tempfile::Builder::new()
            .prefix(TEMPORARY_PREFIX)
            .suffix(".tmp")
            .tempfile_in(&self.folder)
            .and_then(|named| {
                let (file, path) = named.into_parts();
                match path.close() {
                    // Another build may have removed the name already.
                    Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                    _ => Ok(file),
                }
            })
            .map_err(self.error("create"))?;
        let file = OpenFile { file: Some(file), closing: self.closing.clone() };
        Ok(ScratchFile { file, scratch: self.clone(), is_uncached: false })
    }

    /// A new file to append to.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn writer(&self) -> Result<ScratchWriter, ScratchError> {
        Ok(ScratchWriter { file: self.create()?, buffer: Vec::new(), flushed: 0 })
    }
}

/// A file that is closed elsewhere when it is dropped.
#[derive(Debug)]
struct OpenFile {
    file: Option<File>,
    closing: Arc<Closing>,
}

impl Deref for OpenFile {
    type Target = File;

    fn deref(&self) -> &File {
        self.file.as_ref().expect("it is there until it is dropped")
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            // A file that nobody receives comes back with the error, and is closed here.
            let _ = self.closing.files.send(file);
        }
    }
}

/// A temporary file, read and written at any place, by any number of threads.
#[derive(Debug)]
pub struct ScratchFile {
    file: OpenFile,
    scratch: Scratch,
    is_uncached: bool,
}

impl ScratchFile {
    /// A file for bytes that are read long after they were written: until then they take no
    /// memory, see `direct_io`.
    pub fn uncached(self) -> ScratchFile {
        ScratchFile { is_uncached: true, ..self }
    }

    /// Fills `buffer` with the bytes from `offset` on.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), ScratchError> {
        self.file.read_exact_at(buffer, offset).map_err(self.scratch.error("read"))
    }

    /// Reads the bytes of `range`, in place of what `bytes` holds.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn read(&self, range: Range<u64>, bytes: &mut Vec<u8>) -> Result<(), ScratchError> {
        bytes.resize((range.end - range.start) as usize, 0);
        self.read_at(bytes, range.start)
    }

    /// Writes `bytes` from `offset` on.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), ScratchError> {
        let write = match self.is_uncached {
            true => fs_ops::write_all_uncached_at,
            false => fs_ops::write_all_at,
        };
        write(&self.file, &self.scratch.folder, bytes, offset).map_err(self.scratch.error("write"))
    }
}

/// Appends to a temporary file.
#[derive(Debug)]
pub struct ScratchWriter {
    file: ScratchFile,
    buffer: Vec<u8>,
    flushed: u64,
}

impl ScratchWriter {
    /// Bytes appended so far.
    pub fn position(&self) -> u64 {
        self.flushed + self.buffer.len() as u64
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), ScratchError> {
        if self.buffer.len() + bytes.len() > BUFFER_BYTES {
            self.flush()?;
            if bytes.len() >= BUFFER_BYTES {
                self.file.write_at(bytes, self.flushed)?;
                self.flushed += bytes.len() as u64;
                return Ok(());
            }
        }
        if self.buffer.capacity() == 0 {
            self.buffer.reserve_exact(BUFFER_BYTES);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), ScratchError> {
        self.file.write_at(&self.buffer, self.flushed)?;
        self.flushed += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// The file, everything in it.
    ///
    /// # Errors
    /// The last bytes cannot be written.
    pub fn finish(mut self) -> Result<ScratchFile, ScratchError> {
        self.flush()?;
        Ok(self.file)
    }

    /// Writes everything written here as a section.
    ///
    /// # Errors
    /// A file cannot be written or read.
    pub fn write_section<E: From<ScratchError> + From<SnapshotError>>(
        self,
        kind: SectionKind,
        writer: &mut SnapshotWriter,
    ) -> Result<(), E> {
        let len = self.position();
        let mut section = writer.reserve(kind, len);
        let file = self.finish()?;
        let mut buffer = vec![0; BUFFER_BYTES.min(len as usize)];
        let mut at = 0;
        while at < len {
            let piece = &mut buffer[..(len - at).min(BUFFER_BYTES as u64) as usize];
            file.read_at(piece, at)?;
            section.write(piece)?;
            at += piece.len() as u64;
        }
        Ok(section.end(writer)?)
    }
}

impl io::Write for ScratchWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        ScratchWriter::write(self, bytes).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// Files in `folder` that this process has open, removed ones too.
    fn num_open(folder: &Path) -> usize {
        let files = std::fs::read_dir("/proc/self/fd").unwrap();
        let paths = files.filter_map(|file| std::fs::read_link(file.unwrap().path()).ok());
        paths.filter(|path| path.starts_with(folder)).count()
    }

    #[test]
    fn files_are_closed_when_the_folder_is_no_longer_used() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(folder.path());
        let files: Vec<ScratchFile> = (0..20).map(|_| scratch.create().unwrap()).collect();
        files[7].write_at(b"seven", 0).unwrap();
        assert_eq!(num_open(folder.path()), 20);
        drop(scratch);
        assert_eq!(num_open(folder.path()), 20);
        drop(files);
        assert_eq!(num_open(folder.path()), 0);
    }
}
