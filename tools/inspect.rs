//! `firmament-tools inspect` and `verify`: what a snapshot holds, and whether it is whole.

use super::Failure;
use super::output::{plain, print};
use firmament::snapshot::Snapshot;
use firmament::snapshot::columns::facets::TextFacet;
use firmament::snapshot::file::error::SnapshotError;
use firmament::snapshot::metadata::Filled;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Options of `inspect`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  firmament-tools inspect companies.firmament
  firmament-tools inspect companies.firmament --sections
  firmament-tools inspect companies.firmament --json")]
pub struct InspectArguments {
    /// The snapshot file
    snapshot: PathBuf,
    /// Most industries and places to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// List the sections of the file, and versions of what made it
    #[arg(long)]
    sections: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What `inspect` tells.
#[derive(Serialize)]
struct Report {
    version: String,
    bytes: u64,
    built_at: u64,
    records: u32,
    filled: Filled,
    analyzer_version: u32,
    unicode_version: String,
    cldr_version: String,
    suffix_list_version: String,
    terms: usize,
    industries: usize,
    places: usize,
    sections: Vec<SectionReport>,
    top_industries: Vec<Top>,
    top_cities: Vec<Top>,
    top_states: Vec<Top>,
    top_countries: Vec<Top>,
}

#[derive(Serialize)]
struct SectionReport {
    name: String,
    bytes: u64,
    bytes_per_record: f64,
}

#[derive(Serialize)]
struct Top {
    name: String,
    records: u32,
}

/// Opens a snapshot; damage has an exit code of its own.
pub fn open(path: &Path) -> Result<Snapshot, Failure> {
    Snapshot::open(path).map_err(|error| {
        let exit_code = match error {
            SnapshotError::Io { .. } | SnapshotError::NotAFile(_) => 1,
            _ => 4,
        };
        let mut failure = Failure::new(&error, exit_code);
        failure.message = format!("{}: {}", path.display(), failure.message);
        failure
    })
}

/// Checks a snapshot completely; opening does nothing less.
pub fn verify(path: &Path) -> Result<(), Failure> {
    let start = Instant::now();
    let snapshot = open(path)?;
    print(&format!(
        "{}: snapshot {} is whole: {} businesses, {} bytes, verified in {:.2} s\n",
        path.display(),
        snapshot.version(),
        snapshot.num_docs(),
        snapshot.len_bytes(),
        start.elapsed().as_secs_f64()
    ))
}

/// Prints what is in a snapshot.
pub fn run(arguments: &InspectArguments) -> Result<(), Failure> {
    let snapshot = open(&arguments.snapshot)?;
    let report = report(&snapshot, arguments.top);
    let text = if arguments.json {
        serde_json::to_string(&report).expect("a report has a JSON form") + "\n"
    } else {
        describe(&report, arguments.sections)
    };
    print(&text)
}

fn report(snapshot: &Snapshot, top: usize) -> Report {
    let metadata = snapshot.metadata().clone();
    let records = f64::from(metadata.num_docs.max(1));
    let sections = snapshot.sections().iter().map(|entry| SectionReport {
        name: entry.kind.to_string(),
        bytes: entry.len,
        bytes_per_record: (entry.len as f64 / records * 10.0).round() / 10.0,
    });
    Report {
        version: snapshot.version().to_string(),
        bytes: snapshot.len_bytes(),
        built_at: metadata.built_at,
        records: metadata.num_docs,
        filled: metadata.filled,
        analyzer_version: metadata.analyzer_version,
        unicode_version: metadata.unicode_version,
        cldr_version: metadata.cldr_version,
        suffix_list_version: metadata.suffix_list_version,
        terms: snapshot.terms().len(),
        industries: snapshot.industries().len(),
        places: snapshot.places().len(),
        sections: sections.collect(),
        top_industries: top_of(snapshot, TextFacet::Industry, top),
        top_cities: top_of(snapshot, TextFacet::City, top),
        top_states: top_of(snapshot, TextFacet::State, top),
        top_countries: top_of(snapshot, TextFacet::Country, top),
    }
}

/// The values that most records have.
fn top_of(snapshot: &Snapshot, facet: TextFacet, top: usize) -> Vec<Top> {
    let column = snapshot.facet(facet);
    let value = |value| Top { name: column.text(value).to_owned(), records: column.count(value) };
    (0..column.num_values()).take(top).map(value).collect()
}

fn describe(report: &Report, with_sections: bool) -> String {
    let mut text = format!(
        "{} businesses, {} bytes, snapshot {}\n\n{:24} {:>14} {:>8}\n",
        report.records, report.bytes, report.version, "field", "businesses", "filled"
    );
    for (name, count) in report.filled.by_field() {
        let share = f64::from(count) * 100.0 / f64::from(report.records.max(1));
        text.push_str(&format!("{name:24} {count:>14} {share:>6.1} %\n"));
    }
    for (title, top) in [
        ("industries", &report.top_industries),
        ("cities", &report.top_cities),
        ("states", &report.top_states),
        ("countries", &report.top_countries),
    ] {
        text.push_str(&format!("\ntop {title}\n"));
        for Top { name, records } in top {
            text.push_str(&format!("{records:>10}  {}\n", plain(name)));
        }
    }
    if with_sections {
        text.push_str(&describe_sections(report));
    }
    text
}

fn describe_sections(report: &Report) -> String {
    let mut text = format!(
        "\nanalyzer {}, Unicode {}, CLDR {}, suffix list {}; built at {} s since 1970\n\
         {} terms, {} industries, {} places\n\n{:24} {:>14} {:>12}\n",
        report.analyzer_version,
        report.unicode_version,
        report.cldr_version,
        report.suffix_list_version,
        report.built_at,
        report.terms,
        report.industries,
        report.places,
        "section",
        "bytes",
        "bytes/record"
    );
    for section in &report.sections {
        let SectionReport { name, bytes, bytes_per_record } = section;
        text.push_str(&format!("{name:24} {bytes:>14} {bytes_per_record:>12.1}\n"));
    }
    text
}
