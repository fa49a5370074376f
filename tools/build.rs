//! `firmament-tools build`: records to a published snapshot.
//!
//! Standard error tells the progress, every rejected record, and the report at the end.

use super::Failure;
use super::progress::Display;
use firmament::build::{self, BuildError, BuildOptions, BuildReport, Input, MaxRejects};
use std::path::{Path, PathBuf};

/// Options of `build`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  firmament-tools build companies.jsonl --output companies.firmament
  firmament-tools build part-*.jsonl.zst --output companies.firmament --max-rejects 0.1%
  curl -s https://example.com/companies.jsonl.gz | firmament-tools build - --output companies.firmament

A record is one JSON object a line: id and name (required), website, description, industry,
employee_count, location {city, state, country}, founded_year. Rejected records are listed on standard
error and in the reject file; by default any of them means no snapshot and exit code 3.")]
pub struct BuildArguments {
    /// Files of JSON Lines, plain, gzip or zstd; `-` is standard input
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
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
    let inputs: Vec<Input> = arguments.inputs.iter().cloned().map(Input::from_argument).collect();
    if arguments.inputs.iter().filter(|input| input.as_os_str() == "-").count() > 1 {
        let message = "standard input (-) can be read only once: name it once".to_owned();
        return Err(Failure { message, exit_code: 2 });
    }
    if let Some(input) = arguments.inputs.iter().find(|input| is_same(input, &arguments.output)) {
        let message =
            format!("{} is both input and output: give another --output", input.display());
        return Err(Failure { message, exit_code: 2 });
    }
    let reject_file = arguments.reject_file.clone().unwrap_or_else(|| {
        let mut name = arguments.output.as_os_str().to_owned();
        name.push(".rejects.jsonl");
        PathBuf::from(name)
    });
    let options = BuildOptions {
        max_rejects: arguments.max_rejects,
        reject_file: Some(reject_file.clone()),
        allow_empty: arguments.allow_empty,
        ..BuildOptions::default()
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

fn is_same(input: &Path, output: &Path) -> bool {
    match (input.canonicalize(), output.canonicalize()) {
        (Ok(input), Ok(output)) => input == output,
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
