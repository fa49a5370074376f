//! `firmament-tools`: everything an operator does with snapshots and keys, one sub-command a file.
//!
//! Exit codes: 0 done, 1 failure, 2 usage, 3 records rejected, 4 verification failed. Data go to
//! standard output, progress and messages to standard error. A reader of standard output who goes
//! away is no failure.

mod build;
mod check;
mod derive;
mod diff;
mod dump;
mod evaluate;
mod generate;
mod input;
mod inspect;
mod keys;
mod manual;
mod output;
mod progress;
mod query;
mod workload;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Build, check and look into snapshots; manage API keys
#[derive(Parser)]
#[command(name = "firmament-tools", version, after_help = EXAMPLES, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  firmament-tools check companies.csv
  firmament-tools build companies.jsonl.gz --output companies.firmament
  zcat companies-*.jsonl.gz | firmament-tools build - --output companies.firmament
  firmament-tools verify companies.firmament
  firmament-tools inspect companies.firmament
  firmament-tools diff yesterday.firmament today.firmament
  firmament-tools dump companies.firmament | head -3
  firmament-tools query companies.firmament --explain 'q=pay+pal&location=Georgia&limit=5'
  firmament-tools generate --records 100000 --output synthetic.jsonl
  firmament-tools workload companies.firmament --output mixed.tsv
  firmament-tools query companies.firmament --walk 'industry=Software&sort=name'
  firmament-tools query companies.firmament --workload mixed.tsv
  firmament-tools keys new acme --keys keys.json

Exit codes: 0 done, 1 failure, 2 usage, 3 records rejected, 4 verification failed.";

#[derive(Subcommand)]
enum Command {
    /// Compile records into a snapshot
    Build(build::BuildArguments),
    /// Read records as `build` would, and show what was understood; writes nothing
    Check(check::CheckArguments),
    /// Check a snapshot completely
    #[command(after_help = "Example:
  firmament-tools verify companies.firmament")]
    Verify {
        /// The snapshot file
        snapshot: PathBuf,
    },
    /// Show what is in a snapshot: counts, how well fields are filled, top industries and places
    Inspect(inspect::InspectArguments),
    /// Compare two snapshots: records added, removed and changed, sizes of sections
    Diff(diff::DiffArguments),
    /// Write the records of a snapshot as JSON Lines
    Dump(dump::DumpArguments),
    /// Answer one request as the server would, and tell why; or time those of a file
    Query(query::QueryArguments),
    /// Measure how often the business that was meant comes first
    Evaluate(evaluate::EvaluateArguments),
    /// Make known items for `evaluate` from the records of a snapshot
    Derive(derive::DeriveArguments),
    /// Write requests for measurements, made from the records of a snapshot
    Workload(workload::WorkloadArguments),
    /// Write synthetic records, the same for the same seed
    Generate(generate::GenerateArgs),
    /// Create, change, list and revoke API keys
    #[command(subcommand)]
    Keys(keys::KeysCommand),
    /// Print completions for a shell
    Completions(manual::CompletionsArguments),
    /// Print manual pages
    Man(manual::ManArguments),
}

/// What to tell the operator, and the shell.
struct Failure {
    message: String,
    exit_code: u8,
}

impl Failure {
    /// The error with its causes, one line.
    fn new(error: &dyn std::error::Error, exit_code: u8) -> Failure {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            message = format!("{message}: {error}");
            cause = error.source();
        }
        Failure { message, exit_code }
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::new(&error, 1)
    }
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Build(arguments) => build::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Verify { snapshot } => inspect::verify(&snapshot),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Dump(arguments) => dump::run(&arguments),
        Command::Query(arguments) => query::run(&arguments),
        Command::Evaluate(arguments) => evaluate::run(&arguments),
        Command::Derive(arguments) => derive::run(&arguments),
        Command::Workload(arguments) => workload::run(&arguments),
        Command::Generate(arguments) => {
            generate::run(&arguments).map_err(|error| Failure::new(&*error, 1))
        }
        Command::Completions(arguments) => manual::completions(&arguments),
        Command::Man(arguments) => manual::man(&arguments),
        Command::Keys(command) => keys::run(command),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::tell(&format!("firmament-tools: {}", failure.message));
            ExitCode::from(failure.exit_code)
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Arguments::command().debug_assert();
    }

    #[test]
    fn every_command_has_examples() {
        for command in super::Arguments::command().get_subcommands() {
            assert!(command.get_after_help().is_some(), "{}", command.get_name());
        }
    }
}
