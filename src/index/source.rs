//! Input files to records.
//!
//! In: [`Input`]s in any [`Format`]. Out: the companies in the order of the input, given on in
//! blocks, and what was rejected. One thread unpacks an input and cuts it into blocks of whole
//! records ([`Blocks`], one file per format); blocks are parsed on all cores and taken in order.
//! What a reader holds is bounded, whatever the input: a record over the limit is rejected without
//! being held in memory.

pub mod compression;
mod delimited;
pub mod format;
pub mod input;
mod json_head;
mod json_keys;
mod json_values;
mod jsonl;
mod notes;
mod parquet;
mod sql_export;
mod table;
mod text;

pub use format::{Format, Unit};
pub use input::Input;
pub use text::Encoding;

use super::findings::Findings;
use super::mapping::{Binding, Mapping, Meaning};
use super::record::RecordError;
use super::reject::Place;
use super::reject_file::RejectSink;
use super::{BuildError, BuildOptions, Phase, Progress};
use crate::company::{Company, FaultKind};
use crate::limits::RECORD_BYTES_MAX;
use rayon::prelude::*;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use table::TableOptions;

/// How inputs are read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format of all inputs; told from content and name if absent.
    pub format: Option<Format>,
    /// What separates the cells of [`Format::Csv`] and [`Format::SqlExport`]; a comma, a tab if
    /// absent.
    pub delimiter: Option<u8>,
    /// The encoding of text; told from its first bytes if absent.
    pub encoding: Option<Encoding>,
    /// Names of the columns of tables of text that have no header.
    pub columns: Option<Vec<String>>,
    /// Which value goes to which field.
    pub mapping: Mapping,
    /// The keys that lead to the records of JSON; none if they stand by themselves.
    pub at: Vec<String>,
}

/// A stretch of an input with whole records, to be parsed on any thread.
pub trait Block: Send {
    /// The records of the block.
    fn parse(self: Box<Self>, mapping: &Mapping) -> Parsed;
}

/// Cuts an input into blocks, in its order.
pub trait Blocks {
    /// The next block; none at the end.
    ///
    /// # Errors
    /// The input cannot be read, or is damaged.
    fn next(&mut self) -> io::Result<Option<Box<dyn Block>>>;
}

/// What a block held.
#[derive(Default)]
pub struct Parsed {
    /// The records in order, each with its number within the input by the [`Unit`] of the format.
    pub records: Vec<(u64, Result<Company, RecordError>)>,
    /// Bytes of the block, unpacked.
    pub bytes: u64,
    /// Rows without any value, which are no records.
    pub blank: u64,
    /// What the records told besides themselves.
    pub findings: Findings,
}

/// Bytes that are parsed together.
const BLOCK_BYTES: usize = 4 << 20;

/// Blocks in memory at a time, for each thread.
const BLOCKS: usize = 4;

/// Where an input is slow: how long blocks are waited for before those that are there are taken.
const GATHER_MAX: Duration = Duration::from_secs(1);

/// The fault of a record whose bytes are not held; `more` is more to do about it.
fn too_long(more: &str) -> RecordError {
    let reason =
        format!("is longer than {RECORD_BYTES_MAX} bytes: shorten or leave out the record{more}");
    RecordError::whole(FaultKind::TooLong, reason)
}

/// An open input.
struct Source<'a> {
    format: Format,
    unit: Unit,
    /// What separates the cells of a table of text.
    delimiter: Option<u8>,
    blocks: Box<dyn Blocks + 'a>,
    /// The columns of a table.
    binding: Option<Binding>,
    /// What the columns or keys of this input mean.
    mapping: Mapping,
}

impl<'a> Source<'a> {
    /// Opens an input in its format.
    fn open(
        input: &'a Input,
        options: &ReadOptions,
        consumed: &Arc<AtomicU64>,
    ) -> io::Result<Source<'a>> {
        let (head, raw) = compression::peek(input.open(consumed.clone())?, 4)?;
        let is_parquet = head == parquet::MAGIC || head == parquet::MAGIC_ENCRYPTED;
        let promised = options.format.or(input.promised_format());
        if is_parquet && options.format.is_none_or(|format| format == Format::Parquet) {
            drop(raw);
            return Source::open_parquet(input, &options.mapping, consumed);
        }
        if promised == Some(Format::Parquet) {
            return Err(io::Error::other(
                "it is no Parquet file: it does not begin with PAR1; Parquet files are read as they are, not \
                 packed in another format",
            ));
        }
        let unpacked = compression::unpack(raw, consumed)?;
        let (head, mut text) = compression::peek(text::decoded(unpacked, options.encoding)?, 4096)?;
        let format = options.format.or_else(|| Format::of_text(&head, promised));
        let Some(format) = format else {
            let shown: String = String::from_utf8_lossy(&head).trim().chars().take(24).collect();
            return Err(io::Error::other(format!(
                "it is unclear what it holds (it begins with {shown:?}): say --format jsonl, json, csv, tsv, \
                 sql-export or parquet"
            )));
        };
        let mut mapping = options.mapping.clone();
        let mut for_columns = |names: &[String]| -> io::Result<Mapping> {
            mapping = mapping.for_columns(names).map_err(io::Error::other)?;
            Ok(mapping.clone())
        };
        if !options.at.is_empty() && !matches!(format, Format::JsonLines | Format::Json) {
            return Err(io::Error::other(format!("it is {format}: --at is for JSON")));
        }
        let mut binding = None;
        let mut unit = format.unit();
        let mut table = TableOptions { delimiter: b'\t', columns: options.columns.as_deref() };
        let blocks: Box<dyn Blocks + 'a> = match format {
            Format::Csv | Format::Tsv => {
                let mut passed = vec![];
                if format == Format::Csv {
                    let (delimiter, len) = separator(&head, options.delimiter)?;
                    table.delimiter = delimiter;
                    passed.resize(len, 0);
                    text.read_exact(&mut passed)?;
                }
                let mut rows = delimited::Delimited::new(text, &passed, &table)?;
                if !rows.names().is_empty() {
                    let mapping = for_columns(rows.names())?;
                    rows.bind(binding.insert(table.bind(rows.names(), &mapping)?).clone());
                }
                Box::new(rows)
            }
            Format::SqlExport => {
                table.delimiter = options.delimiter.unwrap_or(b'\t');
                let mut rows = sql_export::SqlExport::new(text, &table)?;
                if !rows.names().is_empty() {
                    let mapping = for_columns(rows.names())?;
                    rows.bind(binding.insert(table.bind(rows.names(), &mapping)?).clone());
                }
                Box::new(rows)
            }
            Format::JsonLines | Format::Json | Format::Parquet => {
                let mapping = for_columns(&json_keys::keys(&head))?;
                let (layout, text) = json_head::look(text, &mapping)?;
                if options.at.is_empty()
                    && let json_head::Layout::Envelope(lists) = &layout
                {
                    return Err(io::Error::other(in_envelope(lists)));
                }
                let is_over_lines = layout == json_head::Layout::OverLines;
                if options.format == Some(Format::JsonLines) && is_over_lines {
                    return Err(io::Error::other(
                        "its first object goes over several lines: leave out --format jsonl, or say --format json",
                    ));
                }
                let is_of_lines =
                    layout == json_head::Layout::Lines || options.format == Some(Format::JsonLines);
                if format == Format::JsonLines && is_of_lines && options.at.is_empty() {
                    Box::new(jsonl::JsonLines::new(text))
                } else {
                    unit = Format::Json.unit();
                    Box::new(json_values::JsonValues::new(text, &options.at))
                }
            }
        };
        let delimiter = binding.as_ref().map(|_| table.delimiter);
        Ok(Source { format, unit, delimiter, blocks, binding, mapping })
    }

    fn open_parquet(
        input: &Input,
        mapping: &Mapping,
        consumed: &Arc<AtomicU64>,
    ) -> io::Result<Source<'a>> {
        let (blocks, binding, mapping): (Box<dyn Blocks>, Binding, Mapping) = match input {
            Input::File(path) => {
                let file = input::open_file(path)?;
                let opened = parquet::ParquetRows::new(file, mapping, consumed.clone())?;
                (Box::new(opened.0), opened.1, opened.2)
            }
            Input::Memory(bytes) => {
                let bytes = bytes::Bytes::copy_from_slice(bytes);
                let opened = parquet::ParquetRows::new(bytes, mapping, consumed.clone())?;
                (Box::new(opened.0), opened.1, opened.2)
            }
            Input::Stdin => {
                return Err(io::Error::other(
                    "it is Parquet, which is read from its end: name the file instead",
                ));
            }
        };
        Ok(Source {
            format: Format::Parquet,
            unit: Unit::Row,
            delimiter: None,
            blocks,
            binding: Some(binding),
            mapping,
        })
    }
}

/// Why an object around records is not read.
fn in_envelope(lists: &[String]) -> String {
    let quoted: Vec<String> = lists.iter().take(8).map(|list| format!("{list:?}")).collect();
    let what = if lists.len() == 1 { "a list of objects" } else { "lists of objects" };
    format!(
        "it is one object that is no record, with {what} under {}: read the records there with --at {}",
        quoted.join(", "),
        lists[0]
    )
}

/// What separates the cells of CSV, and the bytes of the line that says so.
fn separator(head: &[u8], given: Option<u8>) -> io::Result<(u8, usize)> {
    match (delimited::named_separator(head), given) {
        (Some((named, _)), Some(given)) if named != given => Err(io::Error::other(format!(
            "its first line says sep={}, and --delimiter says {}: leave out --delimiter, or remove the line",
            char::from(named),
            char::from(given)
        ))),
        (Some(named), _) => Ok(named),
        (None, given) => Ok((given.unwrap_or(b','), 0)),
    }
}

/// An input, and what its columns or keys mean.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputColumns {
    /// Its name, for messages.
    pub name: String,
    /// Its format.
    pub format: Format,
    /// What it counts its records by.
    pub unit: Unit,
    /// What separates its cells, if it is a table of text.
    pub delimiter: Option<u8>,
    /// Its columns; or the keys that its records have.
    pub columns: Vec<Meaning>,
}

/// What reading came to; the records themselves went to the sink.
pub struct ReadRecords<'a> {
    /// The inputs in their order, those of a folder one by one.
    pub inputs: Vec<InputColumns>,
    /// Number of records, rejected ones included.
    pub records: u64,
    /// Bytes after decompression.
    pub input_bytes: u64,
    /// Rows without any value, which are no records.
    pub blank_rows: u64,
    /// What was rejected so far.
    pub rejects: RejectSink<'a>,
    /// What the operator should know of the inputs.
    pub notes: Vec<String>,
}

/// Acceptable records that follow each other in an input.
pub struct ParsedBlock {
    /// Which input, from 0.
    pub input: usize,
    /// The records, each with its number within the input.
    pub records: Vec<(u64, Company)>,
}

/// Reads all records, and gives the acceptable ones to `sink`, some blocks at a time, in the order
/// of the input.
///
/// # Errors
/// An input cannot be read, the reject file cannot be written, or `sink` fails.
pub fn read_all<'a>(
    inputs: &[Input],
    options: &BuildOptions,
    pool: &rayon::ThreadPool,
    progress: &'a dyn Progress,
    sink: &mut dyn FnMut(Vec<ParsedBlock>) -> Result<(), BuildError>,
) -> Result<ReadRecords<'a>, BuildError> {
    let read = &options.read;
    let mut expanded = Vec::new();
    for input in inputs {
        let failed = |source| BuildError::Read { input: input.name(), source };
        expanded.extend(input.expand(read.format.is_some()).map_err(failed)?);
    }
    let inputs = expanded.as_slice();
    let names: Vec<String> = inputs.iter().map(Input::name).collect();
    let failed = |at: usize| {
        let input = names[at].clone();
        move |source| BuildError::Read { input, source }
    };
    let mut total = Some(0);
    for (at, input) in inputs.iter().enumerate() {
        let len = input.len_bytes().map_err(failed(at))?;
        total = total.zip(len).map(|(total, len)| total + len);
    }
    progress.begin(Phase::Read, total);
    let mut rejects = RejectSink::new(options, progress)?;
    let mut read_inputs = Vec::with_capacity(inputs.len());
    let mut notes = Notes { progress, last: None, all: Vec::new() };
    // What the records of all JSON inputs had, by the layout of a preset.
    let mut json: Vec<(usize, Mapping, Findings)> = Vec::new();
    let (mut records, mut input_bytes, mut blank_rows) = (0, 0, 0);
    let consumed = Arc::new(AtomicU64::new(0));
    let blocks_max = BLOCKS * pool.current_num_threads();
    for (at, input) in inputs.iter().enumerate() {
        let mut source = Source::open(input, read, &consumed).map_err(failed(at))?;
        notes.add(&names[at], source.binding.as_ref().and_then(notes::of_columns));
        // As many as are read at once, or in little time where the input is slow; and how far
        // reading is then.
        let mut next_blocks = || {
            let mut blocks = Vec::with_capacity(blocks_max);
            let begun = Instant::now();
            while blocks.len() < blocks_max && begun.elapsed() < GATHER_MAX {
                let Some(block) = source.blocks.next().map_err(failed(at))? else { break };
                blocks.push(block);
            }
            Ok::<_, BuildError>((blocks, consumed.load(Ordering::Relaxed)))
        };
        let mut findings = Findings::default();
        let records_before = records;
        let (mut blocks, mut read_to) = next_blocks()?;
        while !blocks.is_empty() {
            let mapping = &source.mapping;
            let parse = |block: Box<dyn Block>| block.parse(mapping);
            let mut parsed: Vec<Parsed> = Vec::with_capacity(blocks.len());
            // The next ones are read, and unpacked, meanwhile.
            let next = pool.in_place_scope(|scope| {
                let parsed = &mut parsed;
                scope.spawn(|_| blocks.into_par_iter().map(parse).collect_into_vec(parsed));
                next_blocks()
            });
            let mut accepted = Vec::with_capacity(parsed.len());
            for Parsed { records: results, bytes, blank, findings: of_block } in parsed {
                input_bytes += bytes;
                blank_rows += blank;
                for (number, fault) in &of_block.left_out {
                    rejects.leave_out(&names[at], Place::new(source.unit, *number), fault);
                }
                findings.add(of_block);
                let mut block =
                    ParsedBlock { input: at, records: Vec::with_capacity(results.len()) };
                for (number, result) in results {
                    records += 1;
                    match result {
                        Ok(company) => block.records.push((number, company)),
                        Err(error) => {
                            rejects.add(&names[at], Place::new(source.unit, number), error)?;
                        }
                    }
                }
                accepted.push(block);
            }
            sink(accepted)?;
            progress.advance(read_to, records);
            (blocks, read_to) = next?;
        }
        let unit = source.unit.name();
        if let Some(reason) = notes::of_dots(&findings, unit) {
            return Err(failed(at)(io::Error::other(reason)));
        }
        notes.add(&names[at], notes::of_places(&findings, unit));
        let is_json = source.binding.is_none() && records > records_before;
        if is_json {
            notes.add(&names[at], notes::of_keys(&source.mapping, &findings, unit));
        }
        read_inputs.push(InputColumns {
            name: names[at].clone(),
            format: source.format,
            unit: source.unit,
            delimiter: source.delimiter,
            columns: match &source.binding {
                Some(binding) => binding.meanings(),
                None => source.mapping.meanings(findings.keys.seen, &findings.keys.unknown()),
            },
        });
        if is_json {
            // Inputs of one layout have the same keys together.
            let like = json.iter_mut().find(|(_, mapping, _): &&mut (_, Mapping, _)| {
                mapping.has_layout_of(&source.mapping)
            });
            match like {
                Some((.., all)) => all.add(findings),
                None => json.push((at, source.mapping, findings)),
            }
        }
    }
    for (at, mapping, findings) in json {
        if let Some(reason) = notes::missing_key(&mapping, &findings) {
            return Err(failed(at)(io::Error::other(reason)));
        }
        mapping
            .check_unused(&findings.keys.unknown())
            .map_err(|error| failed(at)(io::Error::other(error)))?;
    }
    let notes = notes.all;
    Ok(ReadRecords { inputs: read_inputs, records, input_bytes, blank_rows, rejects, notes })
}

/// Tells what there is to know of inputs, once where several have it in common.
struct Notes<'a> {
    progress: &'a dyn Progress,
    last: Option<String>,
    all: Vec<String>,
}

impl Notes<'_> {
    fn add(&mut self, input: &str, note: Option<String>) {
        let Some(note) = note.filter(|note| self.last.as_ref() != Some(note)) else { return };
        self.all.push(format!("{input}: {note}"));
        self.progress.note(&format!("{input}: {note}"));
        self.last = Some(note);
    }
}
