//! Sorting more than memory holds.
//!
//! In: entries of a key and a payload, both bytes, in [`Batch`]es. Out: the entries by the bytes of
//! their keys. Batches are collected up to a limit of memory, sorted on all cores, and written as a
//! run while the next are collected: the system makes writers wait where the disk is behind. The
//! runs are merged at the end, in several passes if there are too many for one. Keys must be
//! distinct where the order matters.

mod merge;

use super::buffer_pool::{Lent, Reuse, Spares};
use super::pipeline::InBackground;
use super::scratch::{Scratch, ScratchError, ScratchFile};
use merge::Merge;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Bytes before each entry: the lengths of key and payload.
const HEAD_BYTES: usize = 8;

/// Fewest bytes read at a time from a run.
const READ_BYTES_MIN: usize = 64 << 10;

/// Most bytes read or written at a time.
const READ_BYTES_MAX: usize = 1 << 20;

/// A run begins at a multiple of this in a file, and all writes but its last in the file end at
/// one: so no page is written twice. One that is [uncached](ScratchFile::uncached) may be gone by
/// then, and would have to be read first.
const ALIGN: u64 = 64 << 10;

/// Smallest files of runs that are [given back](Sorter::given_back).
const FILE_BYTES_MIN: u64 = if cfg!(test) { 2 << 20 } else { 8 << 20 };

/// Files for which these are too small; each behind them is as large as this share of all before. A
/// terabyte of runs is 800 files, fewer than a process may open everywhere.
const FILES: u64 = 96;

/// Entries in memory; made by any thread.
#[derive(Debug, Default)]
pub struct Batch {
    bytes: Vec<u8>,
    starts: Vec<u32>,
}

impl Batch {
    /// Appends an entry.
    pub fn push(&mut self, key: &[u8], payload: &[u8]) {
        self.push_with(|out| out.extend_from_slice(key), |out| out.extend_from_slice(payload));
    }

    /// Appends an entry that `key` and `payload` write; neither may touch what is there already.
    pub fn push_with(
        &mut self,
        key: impl FnOnce(&mut Vec<u8>),
        payload: impl FnOnce(&mut Vec<u8>),
    ) {
        let start = self.bytes.len();
        self.starts.push(start as u32);
        self.bytes.extend([0; HEAD_BYTES]);
        key(&mut self.bytes);
        let key_end = self.bytes.len();
        payload(&mut self.bytes);
        let key_len = (key_end - start - HEAD_BYTES) as u32;
        let payload_len = (self.bytes.len() - key_end) as u32;
        self.bytes[start..start + 4].copy_from_slice(&key_len.to_le_bytes());
        self.bytes[start + 4..start + 8].copy_from_slice(&payload_len.to_le_bytes());
    }

    /// Bytes of memory taken.
    fn len_bytes(&self) -> usize {
        self.bytes.capacity() + self.starts.len() * size_of::<Place>()
    }
}

impl Reuse for Batch {
    fn clear(&mut self) {
        self.bytes.clear();
        self.starts.clear();
    }
}

/// An entry of a batch, with the first bytes of its key at hand.
#[derive(Clone, Copy)]
struct Place {
    prefix: u64,
    batch: u32,
    start: u32,
}

/// The first eight bytes of a key as a number that orders like them.
pub(super) fn prefix_of(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let len = key.len().min(8);
    bytes[..len].copy_from_slice(&key[..len]);
    u64::from_be_bytes(bytes)
}

/// Key and payload of an entry.
pub type Entry<'a> = (&'a [u8], &'a [u8]);

/// The entry at the front of `bytes`; `None` if it is not whole.
fn entry(bytes: &[u8]) -> Option<Entry<'_>> {
    let (head, rest) = bytes.split_at_checked(HEAD_BYTES)?;
    let len =
        |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("4 bytes")) as usize;
    let (key, rest) = rest.split_at_checked(len(0))?;
    Some((key, rest.get(..len(4))?))
}

/// Collects entries and writes sorted runs.
pub struct Sorter<'a> {
    scratch: Scratch,
    pool: &'a ThreadPool,
    memory: usize,
    batches: Vec<Lent<Batch>>,
    batch_bytes: usize,
    spares: Spares<Batch>,
    runs: Runs,
    is_given_back: bool,
}

/// A sorted run: pieces of files, each of which is closed, and so gone, when all runs in it have
/// been read on.
type Run = VecDeque<Piece>;

/// Sorted runs.
struct Runs {
    done: Vec<Run>,
    /// What is behind them soon.
    writing: Option<InBackground<Result<Run, ScratchError>>>,
}

/// Whole entries of a run.
struct Piece {
    file: Arc<ScratchFile>,
    range: Range<u64>,
}

impl Runs {
    /// Waits until the run that is being written is there.
    fn wait(&mut self) -> Result<(), ScratchError> {
        if let Some(writing) = self.writing.take() {
            self.done.push(writing.wait()?);
        }
        Ok(())
    }
}

/// Writes the entries at `places` of `batches` as a run.
fn write_run(
    batches: &[Lent<Batch>],
    places: &[Place],
    mut out: RunWriter,
) -> Result<Run, ScratchError> {
    for place in places {
        let bytes = &batches[place.batch as usize].bytes[place.start as usize..];
        let (key, payload) = entry(bytes).expect("batches hold whole entries");
        out.write(&bytes[..HEAD_BYTES + key.len() + payload.len()])?;
    }
    out.finish()
}

impl<'a> Sorter<'a> {
    /// A sorter that takes about `memory` bytes.
    pub fn new(scratch: &Scratch, pool: &'a ThreadPool, memory: usize) -> Sorter<'a> {
        Sorter {
            scratch: scratch.clone(),
            pool,
            memory,
            batches: Vec::new(),
            batch_bytes: 0,
            spares: Spares::default(),
            runs: Runs { done: Vec::new(), writing: None },
            is_given_back: false,
        }
    }

    /// A sorter for what would fill memory and disk: runs are written uncached, in many files, of
    /// which each is gone when what is in it has been read. Its room on disk then serves what is
    /// made of the entries meanwhile.
    pub fn given_back(self) -> Sorter<'a> {
        Sorter { is_given_back: true, ..self }
    }

    /// Where batches that are [added](Self::add) come from.
    pub fn spares(&self) -> Spares<Batch> {
        self.spares.clone()
    }

    /// Takes entries.
    ///
    /// # Errors
    /// A run cannot be written.
    pub fn add(&mut self, batch: Lent<Batch>) -> Result<(), ScratchError> {
        self.batch_bytes += batch.len_bytes();
        self.batches.push(batch);
        // Until the first run, all may fit; from then on, one is collected and one is written.
        let is_first = self.runs.done.is_empty();
        if self.batch_bytes <= if is_first { self.memory } else { self.memory / 2 } {
            return Ok(());
        }
        self.spill()?;
        if is_first { self.runs.wait() } else { Ok(()) }
    }

    /// Begins to write what was collected, when the run before is written.
    fn spill(&mut self) -> Result<(), ScratchError> {
        let places = self.sort();
        self.runs.wait()?;
        let out = self.writer_behind(&self.runs.done);
        let batches = std::mem::take(&mut self.batches);
        self.batch_bytes = 0;
        let write = move || write_run(&batches, &places, out);
        self.runs.writing = Some(InBackground::begin(write));
        Ok(())
    }

    /// A writer of the run behind `runs`, in the last file of these while it is small.
    fn writer_behind(&self, runs: &[Run]) -> RunWriter {
        let pieces = || runs.iter().flatten();
        let written: u64 = pieces().map(|Piece { range, .. }| range.end - range.start).sum();
        let behind = |Piece { file, range }: &Piece| {
            let start = range.end.next_multiple_of(ALIGN);
            Piece { file: file.clone(), range: start..start }
        };
        RunWriter {
            scratch: self.scratch.clone(),
            given_back_by: self.is_given_back.then(|| (written / FILES).max(FILE_BYTES_MIN)),
            run: pieces().last().map(behind).into_iter().collect(),
            buffer: Vec::with_capacity(READ_BYTES_MAX),
        }
    }

    fn sort(&self) -> Vec<Place> {
        let batches = &self.batches;
        let key = |place: &Place| {
            entry(&batches[place.batch as usize].bytes[place.start as usize..])
                .expect("batches hold whole entries")
                .0
        };
        self.pool.install(|| {
            let mut places: Vec<Place> =
                Vec::with_capacity(batches.iter().map(|batch| batch.starts.len()).sum());
            for (at, batch) in batches.iter().enumerate() {
                places.extend(batch.starts.iter().map(|&start| {
                    let (key, _) =
                        entry(&batch.bytes[start as usize..]).expect("batches hold whole entries");
                    Place { prefix: prefix_of(key), batch: at as u32, start }
                }));
            }
            places.par_sort_unstable_by(|a, b| {
                a.prefix.cmp(&b.prefix).then_with(|| key(a).cmp(key(b)))
            });
            places
        })
    }

    /// The entries in order.
    ///
    /// # Errors
    /// A run cannot be written or read.
    pub fn finish(mut self) -> Result<Sorted, ScratchError> {
        if self.runs.done.is_empty() {
            let places = self.sort();
            return Ok(Sorted::Memory { batches: self.batches, places, next: 0 });
        }
        self.spill()?;
        self.runs.wait()?;
        let (memory, mut runs) = (self.memory, std::mem::take(&mut self.runs.done));
        self.spares.free();
        let runs_max = (memory / READ_BYTES_MIN).max(2);
        while runs.len() > runs_max {
            let mut merged: Vec<Run> = Vec::with_capacity(runs.len().div_ceil(runs_max));
            let mut rest = runs.into_iter().peekable();
            while rest.peek().is_some() {
                let mut merge = Merge::new(rest.by_ref().take(runs_max).collect(), memory)?;
                let mut out = self.writer_behind(&merged);
                while let Some(bytes) = merge.next()? {
                    out.write(bytes)?;
                }
                merged.push(out.finish()?);
            }
            runs = merged;
        }
        Ok(Sorted::Runs(Merge::new(runs, memory)?))
    }
}

/// Appends entries to a run.
struct RunWriter {
    scratch: Scratch,
    /// If files are given back: a file has as many bytes before another is begun.
    given_back_by: Option<u64>,
    run: Run,
    buffer: Vec<u8>,
}

impl RunWriter {
    fn write(&mut self, bytes: &[u8]) -> Result<(), ScratchError> {
        if self.buffer.len() + bytes.len() > READ_BYTES_MAX {
            self.flush(false)?;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    /// Writes what is in the buffer, up to a multiple of [`ALIGN`] unless it `is_end`.
    fn flush(&mut self, is_end: bool) -> Result<(), ScratchError> {
        let file_bytes = self.given_back_by.unwrap_or(u64::MAX);
        if self.run.back().is_none_or(|last| last.range.end >= file_bytes) {
            let file = self.scratch.create()?;
            let file = if self.given_back_by.is_some() { file.uncached() } else { file };
            self.run.push_back(Piece { file: Arc::new(file), range: 0..0 });
        }
        let Piece { file, range } = self.run.back_mut().expect("just looked at");
        let mut end = range.end + self.buffer.len() as u64;
        // A file holds whole entries.
        if !is_end && end < file_bytes {
            end -= end % ALIGN;
        }
        let len = (end - range.end) as usize;
        file.write_at(&self.buffer[..len], range.end)?;
        range.end = end;
        self.buffer.drain(..len);
        Ok(())
    }

    fn finish(mut self) -> Result<Run, ScratchError> {
        self.flush(true)?;
        Ok(self.run)
    }
}

/// Sorted entries, read one after the other.
pub enum Sorted {
    /// All fitted into memory.
    #[doc(hidden)]
    #[allow(private_interfaces)]
    Memory { batches: Vec<Lent<Batch>>, places: Vec<Place>, next: usize },
    /// Merged from runs.
    #[doc(hidden)]
    #[allow(private_interfaces)]
    Runs(Merge),
}

impl Sorted {
    /// Key and payload of the next entry.
    ///
    /// # Errors
    /// A run cannot be read.
    #[allow(clippy::should_implement_trait)] // lends what it returns
    pub fn next(&mut self) -> Result<Option<Entry<'_>>, ScratchError> {
        match self {
            Sorted::Memory { batches, places, next } => {
                let Some(place) = places.get(*next) else { return Ok(None) };
                *next += 1;
                Ok(entry(&batches[place.batch as usize].bytes[place.start as usize..]))
            }
            Sorted::Runs(merge) => Ok(merge.next()?.and_then(entry)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_several_pieces_are_merged_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let mut expected: Vec<(Vec<u8>, Vec<u8>)> = (0..500_000u32)
            .map(|number| {
                let key = number.wrapping_mul(0x9e37_79b1).to_be_bytes();
                // Keys and payloads of any length; the last bytes tell keys apart.
                let key = [&[number as u8 & 3; 9][..number as usize % 10], &key].concat();
                (key, vec![b'p'; number as usize % 40])
            })
            .collect();
        let mut sorter = Sorter::new(&Scratch::new(folder.path()), &pool, 12 << 20).given_back();
        for entries in expected.chunks(1000) {
            let mut batch = sorter.spares().lend();
            entries.iter().for_each(|(key, payload)| batch.push(key, payload));
            sorter.add(batch).unwrap();
        }
        sorter.runs.wait().unwrap();
        let runs = &sorter.runs.done;
        assert!(runs.len() > 1 && runs.iter().all(|run| run.len() > 1));
        let mut files: Vec<_> =
            runs.iter().flatten().map(|piece| Arc::downgrade(&piece.file)).collect();
        let num_pieces = files.len();
        files.dedup_by(|a, b| a.ptr_eq(b));
        assert!(files.len() < num_pieces, "a run begins in the file where the one before ends");
        let mut sorted = sorter.finish().unwrap();
        expected.sort();
        for (at, (key, payload)) in expected.iter().enumerate() {
            assert_eq!(sorted.next().unwrap(), Some((key.as_slice(), payload.as_slice())));
            let open = files.iter().filter(|file| file.strong_count() > 0).count();
            assert!(at < expected.len() * 3 / 4 || open < files.len() / 2, "{at}: {open}");
        }
        assert_eq!(sorted.next().unwrap(), None);
    }
}
