//! From records to a published snapshot.
//!
//! In: files of records. Out: a snapshot file and a [`BuildReport`], or the [`BuildError`] that says why there
//! is none; the target is then as it was. The same records and options give the same bytes, whatever the number
//! of threads.
//!
//! Data flow: [`source`] (files to records, a reader per format) → [`mapping`] and [`assembly`] (values to a
//! [`Company`]; [`record`] for JSON) → [`doc_order`] (who is which `DocId`) → [`document`] (JSON), [`filters`] (industries, places, hosts), [`invert`] (words, weighted by
//! [`impact`]) → the sections of
//! [`snapshot`](crate::snapshot), written in order. [`reject`] says what is wrong with records that cannot be
//! taken.

pub mod assembly;
pub mod doc_order;
pub mod document;
pub mod filters;
pub mod impact;
pub mod invert;
pub mod mapping;
pub mod record;
pub mod reject;
pub mod source;

pub use mapping::{Mapping, MappingOptions, Preset};
pub use reject::{MaxRejects, Reject};
pub use source::{Format, Input, ReadOptions};

use crate::company::Company;
use crate::snapshot::format::SectionKind;
use crate::snapshot::writer::SnapshotWriter;
use crate::snapshot::{Metadata, Snapshot, SnapshotError};
use crate::snapshot::{dictionary, sort_order};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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
    /// Something about an input that the operator should know.
    fn note(&self, _note: &str) {}
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
    let input = Input::Memory(text.as_bytes().to_vec());
    let read = ReadOptions { format: Some(Format::JsonLines), ..ReadOptions::default() };
    let options = BuildOptions { read, allow_empty: true, ..BuildOptions::default() };
    build(&[input], output, &options, &NoProgress)
}

struct Builder<'a> {
    options: &'a BuildOptions,
    progress: &'a dyn Progress,
    phases: Vec<(Phase, Duration)>,
}

impl Builder<'_> {
    fn build(mut self, inputs: &[Input], output: &Path) -> Result<BuildReport, BuildError> {
        // Before hours of work: can the target's folder be written to at all?
        let mut writer = SnapshotWriter::create(output)?;
        let read = self.phase(Phase::Read, |builder| {
            source::read_all(inputs, builder.options, builder.progress)
        })?;
        let num_docs = u32::try_from(read.companies.len())
            .ok()
            .filter(|&count| count <= crate::limits::DOCS_MAX)
            .ok_or(BuildError::TooManyRecords(read.companies.len()))?;
        if num_docs == 0 && !self.options.allow_empty {
            return Err(BuildError::Empty);
        }
        let companies = read.companies;
        let (companies, orders) = self.phase(Phase::Sort, |builder| {
            builder.progress.begin(Phase::Sort, None);
            Ok(doc_order::sort(companies))
        })?;
        let blocks = self.phase(Phase::Analyze, |builder| {
            builder.progress.begin(Phase::Analyze, Some(u64::from(num_docs)));
            write_front(&mut writer, &companies, &orders)?;
            let blocks = invert::analyze(&companies, builder.progress);
            drop(companies);
            Ok(blocks)
        })?;
        self.phase(Phase::Invert, |builder| {
            builder.progress.begin(Phase::Invert, None);
            Ok(invert::write(blocks, &mut writer)?)
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

/// Writes every section that comes before the terms.
fn write_front(
    writer: &mut SnapshotWriter,
    companies: &[Company],
    orders: &doc_order::Orders,
) -> Result<(), SnapshotError> {
    let metadata = Metadata {
        num_docs: companies.len() as u32,
        analyzer_version: crate::analyzer::ANALYZER_VERSION,
        unicode_version: crate::analyzer::UNICODE_VERSION.to_owned(),
        cldr_version: doc_order::CLDR_VERSION.to_owned(),
        suffix_list_version: crate::analyzer::host::SUFFIX_LIST_VERSION.to_owned(),
    };
    let json = serde_json::to_vec(&metadata).expect("metadata have a JSON form");
    writer.section(SectionKind::Metadata, &json)?;
    document::write(companies, writer)?;
    let counts: Vec<u64> = companies.iter().map_while(|company| company.employee_count).collect();
    writer.section(SectionKind::EmployeeCounts, bytemuck::cast_slice(&counts))?;
    let years: Vec<u16> =
        companies.iter().map(|company| company.founded_year.unwrap_or(0)).collect();
    writer.section(SectionKind::FoundedYears, bytemuck::cast_slice(&years))?;
    for (kind, docs) in [
        (SectionKind::NameAscending, &orders.name_ascending),
        (SectionKind::NameDescending, &orders.name_descending),
        (SectionKind::EmployeeCountAscending, &orders.employee_count_ascending),
        (SectionKind::FoundedYearAscending, &orders.founded_year_ascending),
        (SectionKind::FoundedYearDescending, &orders.founded_year_descending),
    ] {
        sort_order::write(kind, docs, writer)?;
    }
    dictionary::write(dictionary::INDUSTRIES, &filters::industries(companies), writer)?;
    dictionary::write(dictionary::PLACES, &filters::places(companies), writer)?;
    dictionary::write(dictionary::HOSTS, &filters::hosts(companies), writer)
}
