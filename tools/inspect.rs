//! `firmament-tools inspect` and `verify`: what a snapshot holds, and whether it is whole.

use super::Failure;
use super::output::{plain, print};
use firmament::places::{PlaceKey, PlaceKind};
use firmament::snapshot::Snapshot;
use firmament::snapshot::file::error::SnapshotError;
use firmament::snapshot::terms::dictionary::Dictionary;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Options of `inspect`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  firmament-tools inspect companies.firmament
  firmament-tools inspect companies.firmament --json")]
pub struct InspectArguments {
    /// The snapshot file
    snapshot: PathBuf,
    /// Most industries and places to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What `inspect` tells.
#[derive(Serialize)]
struct Report {
    version: String,
    bytes: u64,
    records: u32,
    analyzer_version: u32,
    unicode_version: String,
    cldr_version: String,
    suffix_list_version: String,
    with_employee_count: usize,
    with_founded_year: usize,
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
    records: usize,
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
        describe(&report)
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
    let top_places = |kind: PlaceKind| {
        top_of(snapshot.places(), top, |key| {
            let key = PlaceKey::from_stored(key)?;
            (key.kind() == kind && key.is_literal()).then(|| key.text().to_owned())
        })
    };
    Report {
        version: snapshot.version().to_string(),
        bytes: snapshot.len_bytes(),
        records: metadata.num_docs,
        analyzer_version: metadata.analyzer_version,
        unicode_version: metadata.unicode_version,
        cldr_version: metadata.cldr_version,
        suffix_list_version: metadata.suffix_list_version,
        with_employee_count: snapshot.employee_counts().len() as usize,
        with_founded_year: snapshot.founded_years().iter().filter(|&&year| year != 0).count(),
        terms: snapshot.terms().len(),
        industries: snapshot.industries().len(),
        places: snapshot.places().len(),
        sections: sections.collect(),
        top_industries: top_of(snapshot.industries(), top, |key| Some(key.to_owned())),
        top_cities: top_places(PlaceKind::City),
        top_states: top_places(PlaceKind::State),
        top_countries: top_places(PlaceKind::Country),
    }
}

/// The keys with the most records, by the name that `name_of` gives them.
fn top_of(
    dictionary: &Dictionary,
    top: usize,
    name_of: impl Fn(&str) -> Option<String>,
) -> Vec<Top> {
    let mut all = Vec::new();
    dictionary.for_each(|key, postings| {
        all.extend(name_of(key).map(|name| Top { name, records: postings.len() }));
    });
    all.sort_by(|a, b| b.records.cmp(&a.records).then_with(|| a.name.cmp(&b.name)));
    all.truncate(top);
    all
}

fn describe(report: &Report) -> String {
    let mut text = format!(
        "snapshot {}\n{} businesses ({} with employees, {} with a year), {} bytes\n\
         analyzer {}, Unicode {}, CLDR {}, suffix list {}\n\
         {} terms, {} industries, {} places\n\n{:24} {:>14} {:>12}\n",
        report.version,
        report.records,
        report.with_employee_count,
        report.with_founded_year,
        report.bytes,
        report.analyzer_version,
        report.unicode_version,
        report.cldr_version,
        report.suffix_list_version,
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
    text
}
