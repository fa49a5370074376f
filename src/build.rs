//! From records to a published snapshot.
//!
//! In: files of records. Out: a snapshot file and a [`BuildReport`], or the [`BuildError`] that says why there
//! is none; the target is then as it was. The same records and options give the same bytes, whatever the number
//! of threads.
//!
//! Data flow: [`source`] (files to lines) → [`record`] (a line to a [`Company`]) → [`doc_order`] (who is which
//! `DocId`) → [`document`] (JSON), [`filters`] (industries, places, hosts), [`invert`] (words, weighted by
//! [`impact`]) → [`derived`] (what is computed from postings) → the sections of
//! [`snapshot`](crate::snapshot), written in order. [`reject`] says what is wrong with records that cannot be
//! taken.

pub mod analysis;
pub mod collect;
pub mod derived;
pub mod doc_order;
pub mod document;
pub mod external_sort;
pub mod filters;
pub mod ids;
pub mod impact;
pub mod invert;
pub mod memory;
pub mod packed;
pub mod pipeline;
pub mod record;
pub mod reject;
pub mod scratch;
pub mod source;
pub mod vocabulary;

pub use derived::Thresholds;
pub use memory::MemoryLimit;
pub use reject::{MaxRejects, Reject};
pub use source::Input;

use crate::snapshot::format::SectionKind;
use crate::snapshot::writer::{SnapshotWriter, folder_of};
use crate::snapshot::{Metadata, Snapshot, SnapshotError};
use external_sort::{Batch, Sorted, Sorter};
use icu_collator::CollatorBorrowed;
use rayon::ThreadPool;
use rayon::prelude::*;
use scratch::{Scratch, ScratchError};
use source::ParsedBlock;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How a snapshot is built.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// How many records may be rejected.
    pub max_rejects: MaxRejects,
    /// Where rejected records are listed, as JSON Lines; nowhere if absent.
    pub reject_file: Option<PathBuf>,
    /// Accept inputs without any record.
    pub allow_empty: bool,
    /// From which size on something is stored that a query could compute.
    pub thresholds: Thresholds,
    /// About how much memory may be taken.
    pub memory: MemoryLimit,
    /// Where temporary files go; the target's folder if absent.
    pub temp_dir: Option<PathBuf>,
    /// How many threads work; one for each core if absent.
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
    /// Bytes read, after decompression.
    pub input_bytes: u64,
    /// Time of each phase, in order.
    pub phases: Vec<(Phase, Duration)>,
}

/// A phase of a build, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Reading and checking records.
    Read,
    /// Bringing them into the static order.
    Sort,
    /// Taking texts apart and writing documents.
    Analyze,
    /// Collecting the postings of every term.
    Invert,
    /// Syncing, verifying and renaming.
    Publish,
}

impl Phase {
    /// What the phase does, for progress lines.
    pub fn describe(self) -> &'static str {
        match self {
            Phase::Read => "reading records",
            Phase::Sort => "sorting",
            Phase::Analyze => "analyzing texts",
            Phase::Invert => "inverting",
            Phase::Publish => "publishing",
        }
    }
}

/// Told how a build gets on. Called from one thread at a time.
pub trait Progress {
    /// A phase begins. `total` is its number of steps (bytes of input while reading, else records), if known.
    fn begin(&self, _phase: Phase, _total: Option<u64>) {}
    /// `done` steps of the phase are behind, and `records` records were read so far.
    fn advance(&self, _done: u64, _records: u64) {}
    /// A record was rejected.
    fn rejected(&self, _reject: &Reject) {}
    /// The build is over, for good or bad.
    fn end(&self) {}
}

/// Keeps silent.
pub struct NoProgress;

impl Progress for NoProgress {}

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
    let result = Builder { options, progress, phases: Vec::new() }.build(inputs, output);
    progress.end();
    result
}

/// Builds a snapshot of the records in `text`, one JSON object a line; any reject is an error.
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
    let options = BuildOptions { allow_empty: true, thresholds, ..BuildOptions::default() };
    build(&[input], output, &options, &NoProgress)
}

struct Builder<'a> {
    options: &'a BuildOptions,
    progress: &'a dyn Progress,
    phases: Vec<(Phase, Duration)>,
}

impl Builder<'_> {
    fn build(mut self, inputs: &[Input], output: &Path) -> Result<BuildReport, BuildError> {
        let memory = self.options.memory.bytes();
        let pool = threads(self.options.threads)?;
        // Before hours of work: can the folders be written to at all?
        let mut writer = SnapshotWriter::create(output)?;
        let folder = self.options.temp_dir.as_deref().unwrap_or_else(|| folder_of(output));
        let scratch = Scratch::new(folder);
        scratch.create()?;
        let read = self.phase(Phase::Read, |builder| builder.read(inputs, &scratch, &pool))?;
        let num_docs = read.num_docs;
        if num_docs == 0 && !self.options.allow_empty {
            return Err(BuildError::Empty);
        }
        write_metadata(num_docs, &mut writer)?;
        let collected = self.phase(Phase::Analyze, |builder| {
            builder.progress.begin(Phase::Analyze, Some(u64::from(num_docs)));
            let steps = |done| builder.progress.advance(done, done);
            collect::collect(
                read.sorted,
                read.ranks,
                num_docs,
                &scratch,
                &pool,
                memory,
                &mut writer,
                steps,
            )
        })?;
        let blocks = self.phase(Phase::Sort, |builder| {
            builder.progress.begin(Phase::Sort, None);
            collected.write(&scratch, &mut writer)
        })?;
        let (files, mut lengths) = blocks;
        self.phase(Phase::Invert, |builder| {
            builder.progress.begin(Phase::Invert, None);
            let vocabulary = vocabulary::merge::<BuildError>(
                files,
                &scratch,
                &pool,
                memory,
                &mut writer,
                |_, _| {},
            )?;
            invert::contributions(&mut lengths, &pool);
            let thresholds = &builder.options.thresholds;
            let levels_min = thresholds.levels_min;
            let progress = |_, _| {};
            invert::write::<BuildError>(
                vocabulary,
                lengths,
                levels_min,
                &pool,
                &mut writer,
                progress,
            )?;
            Ok(derived::write(thresholds, num_docs, &pool, &mut writer)?)
        })?;
        let snapshot = self.phase(Phase::Publish, |builder| {
            builder.progress.begin(Phase::Publish, None);
            Ok(writer.publish()?)
        })?;
        Ok(BuildReport {
            snapshot,
            records: read.records,
            rejects: read.rejects,
            input_bytes: read.input_bytes,
            phases: self.phases,
        })
    }

    /// Reads all records, sorts them, and finds the duplicates.
    fn read(
        &self,
        inputs: &[Input],
        scratch: &Scratch,
        pool: &ThreadPool,
    ) -> Result<Read, BuildError> {
        let memory = self.options.memory.bytes();
        let mut records = Sorter::new(scratch, pool, memory / 2);
        let mut ids = Sorter::new(scratch, pool, memory / 8);
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
            let batches: Vec<(Batch, Batch)> = pool.install(|| {
                numbered.into_par_iter().map(|(seq, block)| pack(seq, block, &collator)).collect()
            });
            for (of_records, of_ids) in batches {
                records.add(of_records)?;
                ids.add(of_ids)?;
            }
            Ok(())
        };
        let read = source::read_all(inputs, self.options, pool, self.progress, &mut take)?;
        let source::ReadRecords { names, records: num_read, input_bytes, mut rejects } = read;
        self.progress.begin(Phase::Sort, None);
        let name = |input: u32| names[input as usize].clone();
        let (ranks, num_docs) =
            ids::rank::<BuildError>(ids, num_records, scratch, pool, memory / 16, |duplicate| {
                let (input, line) = duplicate.place;
                let (first_input, first_line) = duplicate.first;
                rejects.add(Reject {
                    file: name(input),
                    line,
                    id: Some(duplicate.id),
                    field: Some("id"),
                    reason: format!(
                        "stands already at {}:{first_line}: ids are unique, keep one of the two \
                         records",
                        name(first_input)
                    ),
                })
            })?;
        let rejects = rejects.finish()?;
        let allowed = self.options.max_rejects;
        if allowed.is_exceeded(rejects, num_read) {
            return Err(BuildError::TooManyRejects { rejects, records: num_read, allowed });
        }
        let sorted = records.finish()?;
        Ok(Read { sorted, ranks, num_docs, records: num_read, rejects, input_bytes })
    }

    fn phase<T>(
        &mut self,
        phase: Phase,
        work: impl FnOnce(&Self) -> Result<T, BuildError>,
    ) -> Result<T, BuildError> {
        let start = Instant::now();
        let result = work(self);
        self.phases.push((phase, start.elapsed()));
        result
    }
}

/// What reading came to.
struct Read {
    sorted: Sorted,
    /// See [`ids::rank`].
    ranks: Vec<u32>,
    num_docs: u32,
    records: u64,
    rejects: u64,
    input_bytes: u64,
}

/// The entries of a block of records, of which the first accepted one is number `seq`.
fn pack(seq: u32, block: ParsedBlock, collator: &CollatorBorrowed<'_>) -> (Batch, Batch) {
    let (mut records, mut ids) = (Batch::default(), Batch::default());
    for (seq, (line, company)) in (seq..).zip(&block.records) {
        records.push_with(
            |out| packed::push_key(company, seq, collator, out),
            |out| packed::push_payload(company, out),
        );
        ids::push(&company.id, seq, (block.input as u32, *line), &mut ids);
    }
    (records, ids)
}

fn threads(threads: Option<NonZeroUsize>) -> Result<ThreadPool, BuildError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.map_or(0, NonZeroUsize::get))
        .thread_name(|at| format!("build-{at}"))
        .build()
        .map_err(|error| BuildError::Threads(io::Error::other(error)))
}

fn write_metadata(num_docs: u32, writer: &mut SnapshotWriter) -> Result<(), SnapshotError> {
    let metadata = Metadata {
        num_docs,
        analyzer_version: crate::analyzer::ANALYZER_VERSION,
        unicode_version: crate::analyzer::UNICODE_VERSION.to_owned(),
        cldr_version: doc_order::CLDR_VERSION.to_owned(),
        suffix_list_version: crate::analyzer::host::SUFFIX_LIST_VERSION.to_owned(),
    };
    let json = serde_json::to_vec(&metadata).expect("metadata have a JSON form");
    writer.section(SectionKind::Metadata, &json)
}
