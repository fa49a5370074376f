//! The bytes of an open snapshot: a file mapped read-only, or a copy in memory.
//!
//! The one `unsafe` of this room is the mapping call.
#![allow(unsafe_code)]

use super::error::SnapshotError;
use super::format::SectionKind;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The bytes of a snapshot, at an address fit for every typed slice.
#[derive(Debug)]
pub enum Backing {
    /// A mapped file.
    Mapped(memmap2::Mmap),
    /// A copy in memory, and its length in bytes.
    Owned(Vec<u64>, usize),
}

impl Backing {
    /// Maps the file at `path`, and reads all of its pages in.
    ///
    /// # Errors
    /// The path is no regular file, or cannot be read.
    pub fn map(path: &Path) -> Result<Backing, SnapshotError> {
        let failed =
            |action| move |source| SnapshotError::Io { action, path: path.to_owned(), source };
        // A FIFO would block in `open`, so the kind of file is asked first.
        let metadata = std::fs::metadata(path).map_err(failed("open"))?;
        if !metadata.is_file() {
            return Err(SnapshotError::NotAFile(path.to_owned()));
        }
        let file = File::open(path).map_err(failed("open"))?;
        let metadata = file.metadata().map_err(failed("open"))?;
        if !metadata.is_file() {
            return Err(SnapshotError::NotAFile(path.to_owned()));
        }
        if metadata.len() == 0 {
            return Err(SnapshotError::NotASnapshot);
        }
        // SAFETY: the mapping is read-only. It stays valid as long as nobody changes or cuts the file in place;
        // snapshots are published by rename and never rewritten, which `FORMAT.md` and the README state as the
        // rule that operators keep.
        let map = unsafe { memmap2::Mmap::map(&file) }.map_err(failed("map"))?;
        // A file cut short meanwhile fails here with an error instead of a signal at the first query.
        #[cfg(target_os = "linux")]
        if let Err(source) = map.advise(memmap2::Advice::PopulateRead)
            && source.raw_os_error() != Some(EINVAL)
        {
            return Err(failed("read")(source));
        }
        Ok(Backing::Mapped(map))
    }

    /// Maps the first `len` bytes of a file that is being written behind them.
    ///
    /// # Errors
    /// The file cannot be mapped.
    pub fn map_part(file: &File, path: &Path, len: u64) -> Result<Backing, SnapshotError> {
        // SAFETY: the mapping is read-only, and only the writer of an unpublished snapshot asks for it: it never
        // rewrites a section that has ended, and never cuts the file.
        let map = unsafe { memmap2::MmapOptions::new().len(len as usize).map(file) }
            .map_err(|source| SnapshotError::Io { action: "map", path: path.to_owned(), source })?;
        Ok(Backing::Mapped(map))
    }

    /// A copy of `bytes`.
    pub fn copy(bytes: &[u8]) -> Backing {
        let mut words = vec![0u64; bytes.len().div_ceil(8)];
        bytemuck::cast_slice_mut::<u64, u8>(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Backing::Owned(words, bytes.len())
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Backing::Mapped(map) => map,
            Backing::Owned(words, len) => &bytemuck::cast_slice(words)[..*len],
        }
    }
}

/// What kernels before 5.14 answer to populating a mapping; they read pages in when touched.
#[cfg(target_os = "linux")]
const EINVAL: i32 = 22;

/// The bytes of one section; keeps the snapshot's bytes alive.
#[derive(Clone, Debug)]
pub struct Section {
    backing: Arc<Backing>,
    range: Range<usize>,
}

impl Section {
    /// The bytes `range` of `backing`.
    pub fn new(backing: Arc<Backing>, range: Range<usize>) -> Section {
        Section { backing, range }
    }

    /// The section as a slice of `T`.
    ///
    /// # Errors
    /// Its length is no multiple of the size of `T`.
    pub fn checked_slice<T: bytemuck::Pod>(
        &self,
        kind: SectionKind,
    ) -> Result<&[T], SnapshotError> {
        bytemuck::try_cast_slice(self.as_ref())
            .map_err(|error| SnapshotError::damaged(kind, format!("wrong length: {error}")))
    }
}

impl AsRef<[u8]> for Section {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        &self.backing.bytes()[self.range.clone()]
    }
}
