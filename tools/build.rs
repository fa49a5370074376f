//! `firmament-tools build`: records to a published snapshot.
//!
//! Standard error tells the progress, every rejected record, and the report at the end; with
//! `--json` the report goes to standard output, for programs.

use super::Failure;
use super::input::InputArguments;
use super::output::{print, tell};
use super::progress::Display;
use firmament::company::Field;
use firmament::index;
use firmament::index::reject::{FaultCount, FaultCounts};
use firmament::index::reject_file::Counts;
use firmament::index::{BuildError, BuildOptions, BuildReport, MaxRejects, MemoryLimit};
use firmament::memory;
use firmament::places::PlaceAliases;
use firmament::snapshot::file::format::MAGIC;
use firmament::snapshot::file::staging::folder_of;
use indicatif::{HumanBytes, HumanCount};
use serde::Serialize;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::num::NonZeroUsize;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Options of `build`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  firmament-tools build companies.jsonl --output companies.firmament
  firmament-tools build part-*.jsonl.zst --output companies.firmament --max-rejects 0.1%
  curl -s https://example.com/companies.jsonl.gz | firmament-tools build - --output companies.firmament
  firmament-tools build companies/ --format parquet --output companies.firmament
  firmament-tools build register.csv --output register.firmament --delimiter ';' --null - \\
      --map name=company_name --map location.city=locality --constant country=\"United States\" \\
      --id-from registration_number
  firmament-tools build free_company_dataset.csv --preset people-data-labs --bands lower --output pdl.firmament
  firmament-tools build all.jsonl --output all.firmament --memory 512MiB --temp-dir /mnt/scratch

Fields of a record: id and name (required), website, description, industry, employee_count,
location.city, location.state, location.country, founded_year. Each is read from the key or column of
its own name, of location the last word alone will do; unknown keys and columns are not used, and
named once. --map FIELD=- leaves a field out. --map location=COLUMN takes a text such as
\"Austin, TX\" or \"Berlin, Germany\" apart. Empty is no value, and a list of one value is that value.
Numbers may be numbers or texts, the year a date whose year has four digits.

A folder stands for the files in it, sorted by name. Symbolic links, devices and pipes are refused;
pass their contents on standard input. Rejected records are listed on standard error and in the reject
file; by default any of them means no snapshot and exit code 3.")]
pub struct BuildArguments {
    #[command(flatten)]
    input: InputArguments,
    /// The snapshot to publish; an old one is replaced at the end, in one step
    #[arg(long, short, value_name = "SNAPSHOT", env = "FIRMAMENT_OUTPUT")]
    output: PathBuf,
    /// Records that may be rejected: a number, or a share as in 0.5%
    #[arg(long, value_name = "N|N%", default_value = "0")]
    max_rejects: MaxRejects,
    /// Where rejected records are listed, as JSON Lines [default: SNAPSHOT.rejects.jsonl]
    #[arg(long, value_name = "FILE")]
    reject_file: Option<PathBuf>,
    /// Build a snapshot even if there is no record
    #[arg(long)]
    allow_empty: bool,
    /// Memory for sorting and for texts under way, as in 512MiB; about 31 bytes a record come on
    /// top
    #[arg(long, value_name = "SIZE", default_value_t, env = "FIRMAMENT_BUILD_MEMORY")]
    memory: MemoryLimit,
    /// Where temporary files go: about the size of the input uncompressed, half as much again with
    /// little memory [default: the snapshot's folder]
    #[arg(long, value_name = "FOLDER", env = "FIRMAMENT_BUILD_TEMP_DIR")]
    temp_dir: Option<PathBuf>,
    /// Threads that work, up to 256 [default: one for each core]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<NonZeroUsize>,
    /// When the snapshot says to be built, in seconds since 1970: fix it, and the same records give
    /// the same bytes [default: now]
    #[arg(long, value_name = "SECONDS", env = "SOURCE_DATE_EPOCH")]
    built_at: Option<u64>,
    /// Other names of places: rows of a kind (city, state or country), a name and the place that it
    /// means, with tabs between; # begins a comment
    #[arg(long, value_name = "FILE")]
    place_aliases: Option<PathBuf>,
    /// Print the report as JSON on standard output
    #[arg(long)]
    json: bool,
}

/// Most threads: each has its own share of blocks under way.
const THREADS_MAX: usize = 256;

/// A number of threads.
pub fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let accepted = || format!("a number from 1 to {THREADS_MAX} is accepted");
    let threads: NonZeroUsize = text.parse().map_err(|_| accepted())?;
    if threads.get() > THREADS_MAX { Err(accepted()) } else { Ok(threads) }
}

/// Builds and reports.
pub fn run(arguments: &BuildArguments) -> Result<(), Failure> {
    let inputs = arguments.input.inputs()?;
    let read = arguments.input.read_options()?;
    let reject_file = arguments.reject_file.clone().unwrap_or_else(|| {
        let mut name = arguments.output.as_os_str().to_owned();
        name.push(".rejects.jsonl");
        PathBuf::from(name)
    });
    check_paths(&arguments.input.inputs, &arguments.output, &reject_file)?;
    let options = BuildOptions {
        read,
        max_rejects: arguments.max_rejects,
        reject_file: Some(reject_file.clone()),
        allow_empty: arguments.allow_empty,
        memory: arguments.memory,
        temp_dir: arguments.temp_dir.clone(),
        threads: arguments.threads,
        built_at: arguments.built_at,
        place_aliases: place_aliases(arguments.place_aliases.as_deref())?,
        ..BuildOptions::default()
    };
    let display = Display::new();
    match index::build(&inputs, &arguments.output, &options, &display) {
        Ok(report) => {
            let counts = report.counts.clone();
            let report = Report::of(&report, &arguments.output, &reject_file);
            if arguments.json {
                let json = serde_json::to_string(&report).expect("a report has a JSON form");
                print(&(json + "\n"))?;
            } else {
                tell(&report.describe(&counts));
            }
            Ok(())
        }
        Err(error) => {
            let exit_code = match error {
                BuildError::TooManyRejects { .. } | BuildError::AllRejected(_) => 3,
                _ => 1,
            };
            let mut failure = Failure::new(&error, exit_code);
            if exit_code == 3 {
                failure.message =
                    format!("{}; they are listed in {}", failure.message, reject_file.display());
            }
            Err(failure)
        }
    }
}

/// The names of places in a file.
fn place_aliases(path: Option<&Path>) -> Result<PlaceAliases, Failure> {
    let Some(path) = path else { return Ok(PlaceAliases::default()) };
    let failure = |message: String| Failure { message, exit_code: 1 };
    let text = std::fs::read_to_string(path).map_err(|error| {
        failure(format!("cannot read the names of places in {}: {error}", path.display()))
    })?;
    PlaceAliases::parse(&text).map_err(|error| failure(format!("{}: {error}", path.display())))
}

/// What is written must not be what is read, nor one thing the other.
fn check_paths(inputs: &[PathBuf], output: &Path, reject_file: &Path) -> Result<(), Failure> {
    let refuse = |path: &Path, what: &str, option: &str| {
        let message = format!("{} is both {what}: give another {option}", path.display());
        Err(Failure { message, exit_code: 2 })
    };
    for input in inputs {
        // A file in a folder that is read would be read as well.
        let is_read = |path: &Path| is_same(input, path) || is_same(input, folder_of(path));
        if is_read(output) {
            return refuse(output, "input and output", "--output");
        }
        if is_read(reject_file) {
            return refuse(reject_file, "input and reject file", "--reject-file");
        }
    }
    if output == reject_file || is_same(output, reject_file) {
        return refuse(output, "output and reject file", "--reject-file");
    }
    // The list takes the place of a snapshot that somebody needs.
    if is_snapshot(reject_file) {
        return refuse(reject_file, "a snapshot and reject file", "--reject-file");
    }
    Ok(())
}

/// Are both names of one file that exists? Hard links are.
pub fn is_same(one: &Path, other: &Path) -> bool {
    match (std::fs::metadata(one), std::fs::metadata(other)) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}

/// Does a file begin as snapshots do?
fn is_snapshot(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    // Opening a pipe would wait for somebody to write to it.
    path.is_file()
        && File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start == MAGIC
}

/// What a build came to, for people and for programs.
#[derive(Serialize)]
struct Report {
    output: String,
    version: String,
    records: u64,
    rejects: u64,
    reject_file: String,
    /// What was wrong with rejected records, by field and kind.
    faults: Vec<FaultReport>,
    /// What was wrong with values that were left out.
    left_out: Vec<FaultReport>,
    /// What was said of the inputs.
    notes: Vec<String>,
    businesses: u32,
    /// Rows without any value, which were passed over.
    blank_rows: u64,
    input_bytes: u64,
    output_bytes: u64,
    seconds: f64,
    records_per_second: f64,
    /// Most memory the process held at a time, pages of mapped files included; not known on every
    /// system.
    peak_memory_bytes: Option<u64>,
    phases: Vec<PhaseReport>,
    sections: Vec<SectionReport>,
}

#[derive(Serialize)]
struct FaultReport {
    /// None if records as a whole are at fault.
    field: Option<&'static str>,
    kind: &'static str,
    count: u64,
    first: String,
    /// What may mend it.
    option: Option<&'static str>,
}

impl FaultReport {
    fn of(counts: &FaultCounts) -> Vec<FaultReport> {
        let report = |count: &FaultCount| FaultReport {
            field: count.field.map(Field::name),
            kind: count.kind.phrase(),
            count: count.count,
            first: format!("{}{}", count.first.0, count.first.1),
            option: count.kind.option(),
        };
        counts.as_slice().iter().map(report).collect()
    }
}

#[derive(Serialize)]
struct PhaseReport {
    phase: &'static str,
    seconds: f64,
}

#[derive(Serialize)]
struct SectionReport {
    section: String,
    bytes: u64,
    bytes_per_record: f64,
}

fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

impl Report {
    fn of(report: &BuildReport, output: &Path, reject_file: &Path) -> Report {
        let snapshot = &report.snapshot;
        let seconds: f64 = report.phases.iter().map(|(_, time)| time.as_secs_f64()).sum();
        let businesses = snapshot.num_docs();
        let sections = snapshot.sections().iter().map(|entry| SectionReport {
            section: entry.kind.to_string(),
            bytes: entry.len,
            bytes_per_record: rounded(entry.len as f64 / f64::from(businesses.max(1))),
        });
        Report {
            output: output.display().to_string(),
            version: snapshot.version().to_string(),
            records: report.records,
            rejects: report.rejects,
            reject_file: reject_file.display().to_string(),
            faults: FaultReport::of(&report.counts.rejected),
            left_out: FaultReport::of(&report.counts.left_out),
            notes: report.notes.clone(),
            businesses,
            blank_rows: report.blank_rows,
            input_bytes: report.input_bytes,
            output_bytes: snapshot.len_bytes(),
            seconds: rounded(seconds),
            records_per_second: (report.records as f64 / seconds.max(1e-9)).round(),
            peak_memory_bytes: memory::peak(),
            phases: report
                .phases
                .iter()
                .map(|(phase, time)| PhaseReport {
                    phase: phase.name(),
                    seconds: rounded(time.as_secs_f64()),
                })
                .collect(),
            sections: sections.collect(),
        }
    }

    fn describe(&self, counts: &Counts) -> String {
        let mut text = format!(
            "{}: snapshot {} of {} businesses, {} bytes ({:.2} x the input)\n{} records in {:.1} s, {} a second",
            self.output,
            self.version,
            HumanCount(self.businesses.into()),
            HumanCount(self.output_bytes),
            self.output_bytes as f64 / self.input_bytes.max(1) as f64,
            HumanCount(self.records),
            self.seconds,
            HumanCount(self.records_per_second as u64),
        );
        if let Some(bytes) = self.peak_memory_bytes {
            let _ = write!(text, ", peak memory {}", HumanBytes(bytes));
        }
        let phases: Vec<String> = self
            .phases
            .iter()
            .map(|PhaseReport { phase, seconds }| format!("{phase} {seconds:.1} s"))
            .collect();
        let _ = write!(text, "\n{}\n", phases.join(", "));
        let mut largest: Vec<&SectionReport> = self.sections.iter().collect();
        largest.sort_by_key(|section| std::cmp::Reverse(section.bytes));
        for SectionReport { section, bytes, bytes_per_record } in largest.iter().take(8) {
            let bytes = HumanCount(*bytes).to_string();
            let _ =
                writeln!(text, "  {section:24} {bytes:>18} bytes {bytes_per_record:>8.1} a record");
        }
        if self.blank_rows > 0 {
            let rows = HumanCount(self.blank_rows);
            let _ = writeln!(text, "{rows} rows without any value were passed over");
        }
        if self.rejects > 0 {
            let _ = writeln!(
                text,
                "{} of {} records were rejected; they are listed in {}\n  {}",
                self.rejects, self.records, self.reject_file, counts.rejected
            );
        }
        let left_out = counts.left_out.total();
        if left_out > 0 {
            let _ = writeln!(
                text,
                "{} bad values were left out (--on-bad-value null): {}",
                HumanCount(left_out),
                counts.left_out
            );
        }
        let _ = writeln!(
            text,
            "next: firmament-tools keys new NAME --keys keys.json\n      firmament serve {} --keys keys.json",
            self.output
        );
        text
    }
}
