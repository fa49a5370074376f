//! `firmament-tools build`: records to a published snapshot.
//!
//! Standard error tells the progress, every rejected record, and the report at the end.

use super::Failure;
use super::input::InputArguments;
use super::progress::Display;
use firmament::build::{self, BuildError, BuildOptions, BuildReport, MaxRejects};
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
  firmament-tools build free_company_dataset.csv --preset people-data-labs --output companies.firmament

Fields of a record: id and name (required), website, description, industry, employee_count,
location.city, location.state, location.country, founded_year. Each is read from the key or column of
its own name, of location the last word alone will do in a table; unknown keys and columns are not
used. --map location=COLUMN takes a text such as \"Austin, Texas, United States\" apart. In JSON and
Parquet numbers must be numbers; a cell of CSV or TSV is what it looks like, and empty is no value.

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
    };
    let display = Display::new();
    let result = build::build(&inputs, &arguments.output, &options, &display);
    match result {
        Ok(report) => {
            tell(&report, &arguments.output, &reject_file);
            Ok(())
        }
        Err(error) => {
            let exit_code = if matches!(error, BuildError::TooManyRejects { .. }) { 3 } else { 1 };
            let mut failure = Failure::new(&error, exit_code);
            if exit_code == 3 {
                failure.message =
                    format!("{}; they are listed in {}", failure.message, reject_file.display());
            }
            Err(failure)
        }
    }
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
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Are both names of one file that exists?
pub fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

fn tell(report: &BuildReport, output: &Path, reject_file: &Path) {
    let total: f64 = report.phases.iter().map(|(_, time)| time.as_secs_f64()).sum();
    let phases = report
        .phases
        .iter()
        .map(|(phase, time)| format!("{} {:.1} s", phase.describe(), time.as_secs_f64()))
        .collect::<Vec<_>>()
        .join(", ");
    let snapshot = &report.snapshot;
    eprintln!(
        "{}: snapshot {} of {} businesses, {} bytes ({:.2} x the input), in {total:.1} s ({phases})",
        output.display(),
        snapshot.version(),
        snapshot.num_docs(),
        snapshot.len_bytes(),
        snapshot.len_bytes() as f64 / report.input_bytes.max(1) as f64,
    );
    if report.rejects > 0 {
        eprintln!(
            "{} of {} records were rejected; they are listed in {}",
            report.rejects,
            report.records,
            reject_file.display()
        );
    }
}
