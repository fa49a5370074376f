//! `peers`: other search engines on the records and queries of Firmament.
//!
//! A measurement is a sub-command in a file of its own.
//!
//! [`quality`]: each engine stands behind [`engine::Engine`] in a file of its own, with the
//! settings it has by default, and indexes the same fields: name, website host, industry,
//! description.
//!
//!     cargo run --release -- quality --records companies.jsonl queries.tsv
//!
//! [`speed`]: tantivy as its expert would set it up for the contract of Firmament, on the records
//! of a snapshot and the requests that `firmament-tools workload` writes.
//!
//!     firmament-tools workload companies.firmament --output mixed.tsv --beyond beyond.tsv
//!     cargo run --release -- speed companies.firmament --index peers-index mixed.tsv beyond.tsv
//!
//! [`indexing`]: both engines on one file of records.
//!
//!     cargo run --release -- indexing companies.jsonl --folder indexes
//!
//! [`http`]: Firmament's server, and a bare hyper server that returns as many bytes.
//!
//!     cargo run --release -- http companies.firmament mixed.tsv

mod engine;
mod fts5;
mod http;
mod indexing;
mod quality;
mod records;
mod speed;
mod tantivy;
mod workload;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

// What an engine costs is compared, not what allocates for it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Compare other search engines on the same records and queries
#[derive(Parser)]
#[command(version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure how often the business that was meant comes first
    Quality(quality::QualityArguments),
    /// Compare what the requests of a workload cost, with Firmament itself in the same run
    Speed(speed::SpeedArguments),
    /// Compare how long tantivy and Firmament take to index a file of records
    Indexing(indexing::IndexingArguments),
    /// Compare how many requests Firmament's server answers with a bare server that searches
    /// nothing
    Http(http::HttpArguments),
    /// Serve for `http`, which starts this by itself
    #[command(subcommand, hide = true)]
    Serve(http::server::ServerCommand),
}

/// Nothing here is mended by its caller: every error ends the program with its message.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Quality(arguments) => quality::run(&arguments),
        Command::Speed(arguments) => speed::run(&arguments),
        Command::Indexing(arguments) => indexing::run(&arguments),
        Command::Http(arguments) => http::run(&arguments),
        Command::Serve(command) => http::server::serve(command),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("peers: {error}");
            ExitCode::FAILURE
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
}
