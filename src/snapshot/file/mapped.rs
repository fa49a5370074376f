//! The bytes of an open snapshot: a file mapped read-only, or a copy in memory.
//!
//! A mapped file that is cut or written over in place changes under its readers, and touching what
//! is no longer there raises a signal, which ends the process. [`tell_of_changed_files`] lets it
//! say why before.
//!
//! The `unsafe` of this file: mapping files, giving their pages back, and the handler of that
//! signal.
#![allow(unsafe_code)]

use super::error::SnapshotError;
use super::section_kind::SectionKind;
use crate::memory;
#[cfg(target_os = "linux")]
use rayon::prelude::*;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU8, AtomicUsize};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// The bytes of a snapshot, at an address fit for every typed slice.
#[derive(Debug)]
pub enum Backing {
    /// A mapped file, and what is said if it is changed in place.
    Mapped(memmap2::Mmap, Option<Watched>),
    /// A mapped file whose pages are given back once they are looked at, see [`Section::release`].
    Passing(memmap2::Mmap),
    /// A copy in memory, and its length in bytes.
    Owned(Vec<u64>, usize),
}

impl Backing {
    /// Maps the file at `path`, and reads all of its pages in.
    ///
    /// # Errors
    /// The path is no regular file, or cannot be read.
    pub fn map(path: &Path) -> Result<Backing, SnapshotError> {
        let map = map_file(path)?;
        // What is not in memory yet is read in by large pages then, also where the system reads
        // little ahead: a file of 10 GiB is open in 0.93 of the time, and its queries miss fewer
        // translations of addresses. A system that has no large pages for files refuses or ignores
        // it, and nothing is lost.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        // A file cut short meanwhile fails here with an error instead of a signal at the first
        // query.
        #[cfg(target_os = "linux")]
        (0..map.len()).into_par_iter().step_by(POPULATE_BYTES).try_for_each(|start| {
            let len = POPULATE_BYTES.min(map.len() - start);
            match map.advise_range(memmap2::Advice::PopulateRead, start, len) {
                Err(cause) if cause.raw_os_error() != Some(EINVAL) => {
                    Err(SnapshotError::Io { action: "read", path: path.to_owned(), cause })
                }
                _ => Ok(()),
            }
        })?;
        let watched = Watched::new(&map, path);
        Ok(Backing::Mapped(map, watched))
    }

    /// Maps the file at `path`, to be looked through once: pages are read in when they are touched
    /// and given back behind.
    ///
    /// # Errors
    /// The path is no regular file, or cannot be read.
    pub fn map_in_passing(path: &Path) -> Result<Backing, SnapshotError> {
        map_file(path).map(Backing::Passing)
    }

    /// Maps the first `len` bytes of a file that is being written behind them.
    ///
    /// # Errors
    /// The file cannot be mapped.
    pub fn map_part(file: &File, path: &Path, len: u64) -> Result<Backing, SnapshotError> {
        // SAFETY: the mapping is read-only, and only the writer of an unpublished snapshot asks for
        // it: it never rewrites a section that has ended, and never cuts the file.
        let map = unsafe { memmap2::MmapOptions::new().len(len as usize).map(file) }
            .map_err(|cause| SnapshotError::Io { action: "map", path: path.to_owned(), cause })?;
        Ok(Backing::Passing(map))
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
            Backing::Mapped(map, _) | Backing::Passing(map) => map,
            Backing::Owned(words, len) => &bytemuck::cast_slice(words)[..*len],
        }
    }

    /// Gives the pages of `range` back to the system, if they were to be looked at in passing; they
    /// are read in again when touched.
    pub fn release(&self, range: Range<usize>) {
        if let Backing::Passing(map) = self
            && !range.is_empty()
        {
            // SAFETY: the mapping is of a file and never written to, so that the same bytes come
            // back. That it fails is no harm: memory stays taken for longer.
            let _ = unsafe {
                map.unchecked_advise_range(
                    memmap2::UncheckedAdvice::DontNeed,
                    range.start,
                    range.len(),
                )
            };
        }
    }
}

/// Exit code of a process whose snapshot was changed in place.
pub const CHANGED_EXIT_CODE: i32 = 5;

/// Most files that are watched at a time: a server has a few snapshots open.
const WATCHED_MAX: usize = 32;

/// Most bytes of a path that are told.
const PATH_BYTES_MAX: usize = 512;

/// A mapped file, where a handler of signals finds it.
struct Slot {
    /// The first byte of the mapping; 0 if there is none, 1 while one is put here.
    start: AtomicUsize,
    end: AtomicUsize,
    path: [AtomicU8; PATH_BYTES_MAX],
    path_len: AtomicUsize,
}

static WATCHED: [Slot; WATCHED_MAX] = [const {
    Slot {
        start: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        path: [const { AtomicU8::new(0) }; PATH_BYTES_MAX],
        path_len: AtomicUsize::new(0),
    }
}; WATCHED_MAX];

/// The right to a slot, as long as the file is mapped.
#[derive(Debug)]
pub struct Watched(usize);

impl Watched {
    /// Notes where a file is mapped; none if there are too many.
    fn new(map: &memmap2::Mmap, path: &Path) -> Option<Watched> {
        let is_taken = |slot: &Slot| slot.start.compare_exchange(0, 1, AcqRel, Relaxed).is_ok();
        let number = WATCHED.iter().position(is_taken)?;
        let slot = &WATCHED[number];
        let bytes = path.as_os_str().as_encoded_bytes();
        let len = bytes.len().min(PATH_BYTES_MAX);
        slot.path.iter().zip(bytes).for_each(|(to, byte)| to.store(*byte, Relaxed));
        slot.path_len.store(len, Relaxed);
        slot.end.store(map.as_ptr() as usize + map.len(), Relaxed);
        slot.start.store(map.as_ptr() as usize, Release);
        Some(Watched(number))
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        WATCHED[self.0].start.store(0, Release);
    }
}

/// Makes the process say which snapshot was changed in place, and how snapshots are replaced,
/// before it ends with [`CHANGED_EXIT_CODE`]. For programs, once.
pub fn tell_of_changed_files() {
    // SAFETY: an action of zeroes is a valid one; it is given a handler of the form that
    // `SA_SIGINFO` asks for, which calls nothing that may not be called by a handler of signals.
    // That it fails is no harm: the process then ends without a word.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_bus_error as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESETHAND;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut());
    }
}

/// Tells why a byte of a mapped file is not there, and ends the process. Memory of other kinds ends
/// as it always did: the action is the system's own again, and the instruction is repeated.
extern "C" fn on_bus_error(_: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the system passes a valid description of the signal, which has an address.
    let address = unsafe { (*info).si_addr() } as usize;
    let is_there = |slot: &&Slot| {
        let start = slot.start.load(Acquire);
        start > 1 && (start..slot.end.load(Relaxed)).contains(&address)
    };
    let Some(slot) = WATCHED.iter().find(is_there) else { return };
    let mut path = [0; PATH_BYTES_MAX];
    let path = &mut path[..slot.path_len.load(Relaxed).min(PATH_BYTES_MAX)];
    // A path may have anything in it but what ends a line here.
    path.iter_mut().zip(&slot.path).for_each(|(to, byte)| *to = byte.load(Relaxed).max(b' '));
    let parts: [&[u8]; 3] = [
        b"firmament: the snapshot ",
        path,
        b" was cut or written over while it was in use, which ends the server; publish a new one by \
          renaming it over the old one: cp new.firmament NAME.next && mv NAME.next NAME\n",
    ];
    for part in parts {
        // SAFETY: the bytes are there, and writing and ending are allowed in a handler of signals.
        unsafe { libc::write(2, part.as_ptr().cast(), part.len()) };
    }
    // SAFETY: as above.
    unsafe { libc::_exit(CHANGED_EXIT_CODE) }
}

/// Bytes read in at a time; a multiple of every size of pages.
#[cfg(target_os = "linux")]
const POPULATE_BYTES: usize = 64 << 20;

impl Backing {
    /// Gives all pages back, if they are looked at in passing and take more than 512 MiB: who looks
    /// up what lies anywhere touches little, and the system maps 2 MiB around each page. Where
    /// nobody tells how much they take, always.
    fn release_many(&self) {
        let are_many = || memory::of_files().is_none_or(|bytes| bytes > FILES_MAX);
        if matches!(self, Backing::Passing(_)) && are_many() {
            self.release(0..self.bytes().len());
        }
    }

    /// Does some work, and gives pages back now and then meanwhile: what is looked at on several
    /// cores at once would add up.
    pub fn release_during<R>(&self, work: impl FnOnce() -> R) -> R {
        if !matches!(self, Backing::Passing(_)) {
            return work();
        }
        std::thread::scope(|scope| {
            let (end, ended) = mpsc::channel::<()>();
            scope.spawn(move || {
                while ended.recv_timeout(RELEASE_EVERY) == Err(mpsc::RecvTimeoutError::Timeout) {
                    self.release_many();
                }
            });
            let result = work();
            drop(end);
            result
        })
    }
}

/// Most bytes that pages of files take while a file is looked at in passing, but for what comes
/// between two looks.
const FILES_MAX: u64 = 512 << 20;

/// Time between two looks: some hundred megabytes.
const RELEASE_EVERY: Duration = Duration::from_millis(50);

/// What kernels before 5.14 answer to populating a mapping; they read pages in when touched.
#[cfg(target_os = "linux")]
const EINVAL: i32 = 22;

fn map_file(path: &Path) -> Result<memmap2::Mmap, SnapshotError> {
    let failed = |action| move |cause| SnapshotError::Io { action, path: path.to_owned(), cause };
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
    // SAFETY: the mapping is read-only. It stays valid as long as nobody changes or cuts the file
    // in place; snapshots are published by rename and never rewritten, which `FORMAT.md` and the
    // README state as the rule that operators keep.
    let map = unsafe { memmap2::Mmap::map(&file) }.map_err(failed("map"))?;
    Ok(map)
}

/// A table at the end of a section begins at a multiple of this: enough for every typed slice.
pub const TABLE_ALIGN: usize = 8;

/// The bytes of one section; keeps the snapshot's bytes alive.
#[derive(Clone, Debug)]
pub struct Section {
    backing: Arc<Backing>,
    kind: SectionKind,
    range: Range<usize>,
}

impl Section {
    /// The bytes `range` of `backing`.
    pub fn new(backing: Arc<Backing>, kind: SectionKind, range: Range<usize>) -> Section {
        Section { backing, kind, range }
    }

    /// A section of its own with a copy of `bytes`.
    #[cfg(test)]
    pub fn copy(kind: SectionKind, bytes: &[u8]) -> Section {
        Section::new(Arc::new(Backing::copy(bytes)), kind, 0..bytes.len())
    }

    /// What the section holds.
    pub fn kind(&self) -> SectionKind {
        self.kind
    }

    /// The error that the section is not as it should be.
    pub fn damaged(&self, reason: impl std::fmt::Display) -> SnapshotError {
        SnapshotError::damaged(self.kind, reason)
    }

    /// Gives the pages of the first `len` bytes back, if the snapshot is looked at in passing only;
    /// bytes that were given back may be looked at again. Checks of large sections call this on
    /// their way, so that publishing a snapshot takes no more memory than building it did.
    pub fn release(&self, len: usize) {
        self.backing.release(self.range.start..self.range.start + len.min(self.range.len()));
    }

    /// As [`release`](Self::release), of a range of the section.
    pub fn release_range(&self, range: Range<usize>) {
        let end = range.end.min(self.range.len());
        self.backing.release(self.range.start + range.start..self.range.start + end);
    }

    /// What stands before the table at the end of the section, and the table.
    ///
    /// # Errors
    /// It does not end as [`end_with_table`](super::writer::SectionWriter::end_with_table) writes
    /// it.
    pub fn split_table(&self) -> Result<[Section; 2], SnapshotError> {
        let part = |range: Range<usize>| {
            let start = self.range.start;
            Section { range: start + range.start..start + range.end, ..self.clone() }
        };
        let parts = self.as_ref().split_last_chunk().and_then(|(bytes, body_len)| {
            let body_len = usize::try_from(u64::from_le_bytes(*body_len)).ok()?;
            let table_start = body_len.checked_next_multiple_of(TABLE_ALIGN)?;
            let padding = bytes.get(body_len..table_start)?;
            let is_padded = padding.iter().all(|&byte| byte == 0);
            is_padded.then(|| [part(0..body_len), part(table_start..bytes.len())])
        });
        parts.ok_or_else(|| self.damaged("its table is not there"))
    }

    /// The section as a slice of `T`.
    ///
    /// # Errors
    /// Its length is no multiple of the size of `T`.
    pub fn checked_slice<T: bytemuck::Pod>(&self) -> Result<&[T], SnapshotError> {
        bytemuck::try_cast_slice(self.as_ref())
            .map_err(|error| self.damaged(format_args!("wrong length: {error}")))
    }
}

impl AsRef<[u8]> for Section {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        &self.backing.bytes()[self.range.clone()]
    }
}
