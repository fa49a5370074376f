//! From records to a published snapshot.
//!
//! In: files of records. Out: a snapshot file and a [`BuildReport`], or the [`BuildError`] that
//! says why there is none; the target is then as it was. The same records and options give the same
//! bytes, whatever the number of threads and the limit of memory.
//!
//! # Data flow
//!
//! ```text
//! Read     source → assembly → Company → packed ─┬─ external_sort: runs of records in the static order
//!                                               ├─ external_sort: runs of ids
//!                                               └─ symbols: a sample of documents
//! Sort     runs of ids → ids: duplicates, ranks
//! Analyze  runs of records, merged → collect: blocks of consecutive businesses, on all cores
//!            ├ document → symbols → section Documents      ├ filters → runs of industries, places; hosts → runs
//!            ├ columns of counts, years, lengths           ├ doc_order → runs of names
//!            └ analysis → token streams, a sorted run of words with their postings
//! Columns  sections of orders, industries, places
//! Merge    runs of words → vocabulary: terms, raw postings in one piece; beside it, runs of hosts → sections
//! Encode   raw postings → invert, impact: sections of terms; token streams → token_codes: section DocTokens
//! Derive   sections so far → derived: prefixes, pair counts, phrases, positions, first pages
//! Publish  snapshot::writer
//! ```
//!
//! [`reject`] says what is wrong with records that cannot be taken, [`progress`] how a build gets
//! on; [`check`] reads as a build does, and builds nothing.
//!
//! # Memory
//!
//! [`BuildOptions::memory`] bounds sort buffers, blocks under way and what is read of runs. On top
//! come arrays by record, at most 26 bytes each at a time, and while records are read up to 24 MiB
//! of their documents. While texts are analyzed, 4 for the rank of the id, 4 for the order of ids,
//! 8 for the employee count, 2 for the year, 8 for the lengths of the fields, and some 100 for each
//! different industry, city, state and country as it is written; while terms are
//! encoded, 8 for what an occurrence in each field contributes, and 14 a term (occurrences, code,
//! weight); while positions are derived, 8 for the order by industry and its ranks. The postings of
//! one term, about 9 bytes for each of its businesses, are encoded in memory. Temporary files are
//! read and written, not mapped; sections from which others are derived are mapped, and given back
//! chunk by chunk. All together, ten million generated records peak at 1.5 GiB and thirty million
//! at 2.1: 31 bytes a record. Where the system can, neither the sorted records nor an input, unless
//! it is Parquet, fill the page cache: see [`uncached`](crate::snapshot::file::direct_io).
//!
//! Temporary files take about as much room as the input: what is read of the sorted records makes
//! room for what is made of them. With the least memory, whose runs are hardly larger than the
//! pieces in which they go, it is 1.4 times as much.

pub mod analysis;
pub mod check;
pub mod collect;
pub mod derived;
pub mod doc_order;
pub mod document;
pub mod entries;
pub mod external_sort;
pub mod facets;
pub mod filters;
pub mod findings;
pub mod hosts;
pub mod impact;
pub mod invert;
pub mod mapping;
pub mod memory;
pub mod pipeline;
pub mod progress;
pub mod record;
pub mod reject;
pub mod reject_file;
pub mod scratch;
pub mod source;
pub mod symbols;
pub mod token_codes;
pub mod values;
pub mod vocabulary;

pub mod buffer_pool;
pub mod company_builder;
pub mod duplicate_ids;
pub mod fst_writer;
pub mod record_codec;
pub mod string_arena;
#[cfg(test)]
mod tests;

pub use derived::Thresholds;
pub use mapping::{Mapping, MappingOptions, Preset};
pub use memory::MemoryLimit;
pub use progress::{NoProgress, Phase, Progress};
pub use reject::{MaxRejects, Reject};
pub use source::{Encoding, Format, Input, ReadOptions};
pub use values::{Bands, NumberFormat, OnBadValue, ValueOptions};

use crate::company::{FaultKind, Field, FieldError};
use crate::places::PlaceAliases;
use crate::snapshot::Snapshot;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::staging::{folder_of, remove_abandoned};
use crate::snapshot::file::writer::SnapshotWriter;
use crate::snapshot::metadata::{Filled, METADATA_BYTES, Metadata};
use collect::{Remaining, SortedRecords};
use entries::BlockEntries;
use external_sort::Sorter;
use pipeline::InBackground;
use rayon::ThreadPool;
use rayon::prelude::*;
use record::RecordError;
use reject::Place;
use reject_file::{Counts, RejectSink};
use scratch::{Scratch, ScratchError};
use source::{InputColumns, ParsedBlock};
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use symbols::Sample;

/// How a snapshot is built.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// How inputs are read.
    pub read: ReadOptions,
    /// How many records may be rejected.
    pub max_rejects: MaxRejects,
    /// Where rejected records are listed, as JSON Lines; nowhere if absent.
    pub reject_file: Option<PathBuf>,
    /// Accept inputs without any record.
    pub allow_empty: bool,
    /// Names of places beside those that are built in.
    pub place_aliases: PlaceAliases,
    /// From which size on something is stored that a query could compute.
    pub thresholds: Thresholds,
    /// About how much memory may be taken.
    pub memory: MemoryLimit,
    /// Where temporary files go; the target's folder if absent.
    pub temp_dir: Option<PathBuf>,
    /// When the snapshot is built, in seconds since 1970, which is part of its bytes: now, if
    /// absent.
    pub built_at: Option<u64>,
    /// How many threads work; one for each core if absent. Beside them are some that wait for files
    /// most of the time, and one that brings hosts together.
    pub threads: Option<NonZeroUsize>,
}

/// What building came to.
#[derive(Debug)]
pub struct BuildReport {
    /// The published snapshot, open.
    pub snapshot: Snapshot,
    /// Records read, rejected ones included.
    pub records: u64,
    /// Records rejected.
    pub rejects: u64,
    /// What was wrong with records and values, by field and kind.
    pub counts: Counts,
    /// What was said of the inputs: columns and keys that are missing or not used.
    pub notes: Vec<String>,
    /// Bytes of the records that were read, after decompression.
    pub input_bytes: u64,
    /// Rows without any value, which were passed over.
    pub blank_rows: u64,
    /// Time of each phase, in order.
    pub phases: Vec<(Phase, Duration)>,
}

/// Why there is no snapshot.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// An input cannot be read.
    #[error("cannot read {input}")]
    Read {
        /// The input.
        input: String,
        /// What the system said.
        source: io::Error,
    },
    /// The reject file cannot be written.
    #[error("cannot write the reject file {path:?}")]
    RejectFile {
        /// Its path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// More records were rejected than allowed.
    #[error(
        "{rejects} of {records} records were rejected, {allowed} are allowed: mend them, or allow more with \
         --max-rejects; no snapshot was written"
    )]
    TooManyRejects {
        /// Records rejected.
        rejects: u64,
        /// Records read.
        records: u64,
        /// What was allowed.
        allowed: MaxRejects,
    },
    /// There is no record.
    #[error(
        "the input holds no record: name other files, or build an empty snapshot with --allow-empty"
    )]
    Empty,
    /// There are records, and none was accepted.
    #[error(
        "all {0} records were rejected: mend them, or build an empty snapshot with --allow-empty; no snapshot was \
         written"
    )]
    AllRejected(u64),
    /// There are more records than a snapshot can hold.
    #[error("{0} records are more than one snapshot can hold: split them")]
    TooManyRecords(usize),
    /// The snapshot cannot be written.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// A temporary file cannot be used.
    #[error(transparent)]
    Scratch(#[from] ScratchError),
    /// Threads cannot be started.
    #[error("cannot start the threads that build: ask for fewer with --threads")]
    Threads(#[source] io::Error),
}

/// Builds a snapshot of all records of `inputs` and publishes it as `output`.
///
/// # Errors
/// See [`BuildError`]; `output` is then as it was.
pub fn build(
    inputs: &[Input],
    output: &Path,
    options: &BuildOptions,
    progress: &dyn Progress,
) -> Result<BuildReport, BuildError> {
    let pool = threads(options.threads)?;
    let result = Builder { options, progress, pool: &pool }.build(inputs, output);
    progress.end();
    result
}

/// Builds a snapshot of the records in `text`, one JSON object a line; any reject is an error. It
/// says to be built in 1970, so that the same records give the same bytes.
///
/// # Errors
/// See [`BuildError`].
pub fn from_jsonl(text: &str, output: &Path) -> Result<BuildReport, BuildError> {
    from_jsonl_storing(Thresholds::default(), text, output)
}

/// As [`from_jsonl`], with other thresholds.
///
/// # Errors
/// See [`BuildError`].
pub fn from_jsonl_storing(
    thresholds: Thresholds,
    text: &str,
    output: &Path,
) -> Result<BuildReport, BuildError> {
    let input = Input::Memory(text.as_bytes().to_vec());
    let read = ReadOptions { format: Some(Format::JsonLines), ..ReadOptions::default() };
    let options = BuildOptions {
        read,
        allow_empty: true,
        thresholds,
        built_at: Some(0),
        ..BuildOptions::default()
    };
    build(&[input], output, &options, &NoProgress)
}

struct Builder<'a> {
    options: &'a BuildOptions,
    progress: &'a dyn Progress,
    pool: &'a ThreadPool,
}

impl<'a> Builder<'a> {
    fn build(self, inputs: &[Input], output: &Path) -> Result<BuildReport, BuildError> {
        let mut phases = Vec::new();
        let memory = self.options.memory.bytes();
        // Before hours of work: can the folders be written to at all?
        let mut writer = SnapshotWriter::create(output)?;
        let folder = self.options.temp_dir.as_deref().unwrap_or_else(|| folder_of(output));
        remove_abandoned(folder);
        let scratch = Scratch::new(folder);
        scratch.create()?;
        let read = timed(&mut phases, Phase::Read, || self.read(inputs, &scratch))?;
        let (sorted, rejects, counts) =
            timed(&mut phases, Phase::Sort, || self.sort(read.pending, &scratch))?;
        let num_docs = sorted.num_docs;
        if num_docs == 0 && !self.options.allow_empty {
            return Err(match rejects {
                0 => BuildError::Empty,
                rejects => BuildError::AllRejected(rejects),
            });
        }
        let mut section = writer.reserve(SectionKind::Metadata, METADATA_BYTES as u64);
        let collected = timed(&mut phases, Phase::Analyze, || {
            self.progress.begin(Phase::Analyze, Some(u64::from(num_docs)));
            let steps = |done| self.progress.advance(done, done);
            let aliases = &self.options.place_aliases;
            collect::collect(sorted, &scratch, self.pool, memory, aliases, &mut writer, steps)
        })?;
        section.write(&self.metadata(num_docs, collected.filled()).encode())?;
        section.end(&mut writer)?;
        let Remaining { blocks, mut lengths, hosts, units } =
            timed(&mut phases, Phase::Columns, || {
                self.progress.begin(Phase::Columns, None);
                collected.write(&scratch, &mut writer)
            })?;
        let vocabulary = timed(&mut phases, Phase::Merge, || {
            let steps = |done, total| self.progress.steps(Phase::Merge, done, total);
            let vocabulary = vocabulary::merge(blocks, &scratch, self.pool, memory, steps)?;
            hosts.wait()?.write::<BuildError>(&mut writer)?;
            Ok(vocabulary)
        })?;
        timed(&mut phases, Phase::Encode, || {
            let steps = |done, total| self.progress.steps(Phase::Encode, done, total);
            invert::contributions(&mut lengths, self.pool);
            let thresholds = &self.options.thresholds;
            invert::write::<BuildError>(
                vocabulary,
                lengths,
                thresholds.block_bounds(),
                self.pool,
                &mut writer,
                steps,
            )
        })?;
        timed(&mut phases, Phase::Derive, || {
            self.progress.begin(Phase::Derive, None);
            let thresholds = &self.options.thresholds;
            derived::write(thresholds, num_docs, units, &scratch, self.pool, memory, &mut writer)
        })?;
        let snapshot = timed(&mut phases, Phase::Publish, || {
            self.progress.begin(Phase::Publish, None);
            Ok(writer.publish(Snapshot::open_in_passing)?)
        })?;
        Ok(BuildReport {
            snapshot,
            records: read.records,
            rejects,
            counts,
            notes: read.notes,
            input_bytes: read.input_bytes,
            blank_rows: read.blank_rows,
            phases,
        })
    }

    fn metadata(&self, num_docs: u32, filled: Filled) -> Metadata {
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        Metadata {
            num_docs,
            built_at: self.options.built_at.unwrap_or_else(now),
            filled,
            analyzer_version: crate::analyzer::ANALYZER_VERSION,
            unicode_version: crate::analyzer::UNICODE_VERSION.to_owned(),
            cldr_version: doc_order::CLDR_VERSION.to_owned(),
            suffix_list_version: crate::analyzer::host::SUFFIX_LIST_VERSION.to_owned(),
        }
    }

    /// Reads all records and writes them, and their ids, in sorted runs.
    fn read(&self, inputs: &[Input], scratch: &Scratch) -> Result<Read<'a>, BuildError> {
        let memory = self.options.memory.bytes();
        let mut records = Sorter::new(scratch, self.pool, memory / 2).given_back();
        let mut ids = Sorter::new(scratch, self.pool, memory / 8);
        let spares = [records.spares(), ids.spares()];
        let mut sample = Sample::default();
        let mut num_records = 0usize;
        let collator = doc_order::collator();
        let mut take = |blocks: Vec<ParsedBlock>| -> Result<(), BuildError> {
            let mut numbered = Vec::with_capacity(blocks.len());
            for block in blocks {
                let seq = num_records;
                num_records += block.records.len();
                if num_records > crate::limits::DOCS_MAX as usize {
                    return Err(BuildError::TooManyRecords(num_records));
                }
                numbered.push((seq as u32, block));
            }
            let bound = sample.bound();
            let blocks: Vec<BlockEntries> = self.pool.install(|| {
                let entries =
                    |(seq, block)| BlockEntries::new(seq, block, &collator, bound, &spares);
                numbered.into_par_iter().map(entries).collect()
            });
            for entries in blocks {
                records.add(entries.records)?;
                ids.add(entries.ids)?;
                sample.add(entries.candidates);
            }
            Ok(())
        };
        let read = source::read_all(inputs, self.options, self.pool, self.progress, &mut take)?;
        let source::ReadRecords {
            inputs,
            records: num_read,
            input_bytes,
            blank_rows,
            rejects,
            notes,
        } = read;
        let pending = Pending { records, ids, sample, num_records, num_read, inputs, rejects };
        Ok(Read { pending, records: num_read, input_bytes, blank_rows, notes })
    }

    /// Finds the duplicates, the order of all records, and what documents are written in: the
    /// records, and how many were rejected.
    fn sort(
        &self,
        pending: Pending<'_>,
        scratch: &Scratch,
    ) -> Result<(SortedRecords, u64, Counts), BuildError> {
        self.progress.begin(Phase::Sort, None);
        let Pending { records, ids, sample, num_records, num_read, inputs, mut rejects } = pending;
        let memory = self.options.memory.bytes() / 16;
        let reject = |duplicate: duplicate_ids::DuplicateId| {
            let (name, place) = place_of(&inputs, duplicate.place);
            rejects.add(name, place, duplicate_id(duplicate.id, place_of(&inputs, duplicate.first)))
        };
        let encoder = InBackground::begin(|| sample.train());
        let (ranks, num_docs) =
            duplicate_ids::rank(ids, num_records, scratch, self.pool, memory, reject)?;
        let (rejects, counts) = rejects.finish()?;
        let allowed = self.options.max_rejects;
        if allowed.is_exceeded(rejects, num_read) {
            if rejects > 1 {
                self.progress.note(&format!("rejected by field and reason: {}", counts.rejected));
            }
            return Err(BuildError::TooManyRejects { rejects, records: num_read, allowed });
        }
        let sorted = records.finish()?;
        Ok((SortedRecords { sorted, ranks, num_docs, encoder: encoder.wait() }, rejects, counts))
    }
}

/// The input in which a record stands, and where in it.
fn place_of(inputs: &[InputColumns], (input, number): duplicate_ids::Place) -> (&str, Place) {
    let InputColumns { name, unit, .. } = &inputs[input as usize];
    (name, Place::new(*unit, number))
}

/// The fault of a record whose id the record at `first` has.
fn duplicate_id(id: String, (name, place): (&str, Place)) -> RecordError {
    let reason =
        format!("stands already at {name}{place}: ids are unique, keep one of the two records");
    let fault = FieldError::new(Field::Id, FaultKind::DuplicateId, reason).into();
    RecordError { id: Some(id), faults: vec![fault] }
}

fn timed<T>(
    phases: &mut Vec<(Phase, Duration)>,
    phase: Phase,
    work: impl FnOnce() -> Result<T, BuildError>,
) -> Result<T, BuildError> {
    let start = Instant::now();
    let result = work();
    phases.push((phase, start.elapsed()));
    result
}

/// What reading came to.
struct Read<'a> {
    pending: Pending<'a>,
    records: u64,
    input_bytes: u64,
    blank_rows: u64,
    notes: Vec<String>,
}

/// Records in runs, and what was rejected so far.
struct Pending<'a> {
    records: Sorter<'a>,
    ids: Sorter<'a>,
    sample: Sample,
    /// Accepted ones.
    num_records: usize,
    /// All.
    num_read: u64,
    inputs: Vec<InputColumns>,
    rejects: RejectSink<'a>,
}

fn threads(threads: Option<NonZeroUsize>) -> Result<ThreadPool, BuildError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.map_or(0, NonZeroUsize::get))
        .thread_name(|at| format!("build-{at}"))
        .build()
        .map_err(|error| BuildError::Threads(io::Error::other(error)))
}
