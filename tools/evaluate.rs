//! `firmament-tools evaluate`: does the business that was meant come first?
//!
//! In: a snapshot and files of known items, each line a query, a tab, and the ids that answer it,
//! separated by commas. Out, per file: success@1 and success@10 (a share of queries with an answer
//! at rank 1, among the first 10), MRR@10 (the mean of 1 / rank of the first answer, 0 beyond rank
//! 10), and the share of queries without any result.

use super::output::print;
use super::{Failure, inspect};
use firmament::query::page::{Scratch, search};
use firmament::query::request::Query;
use firmament::query::text::TextQuery;
use firmament::snapshot::Snapshot;
use firmament::snapshot::columns::doc_store::{escape, escaped_id};
use std::path::{Path, PathBuf};

/// Options of `evaluate`.
#[derive(clap::Args)]
#[command(after_help = "Example:
  firmament-tools derive companies.firmament --kind plain > plain.tsv
  firmament-tools evaluate companies.firmament plain.tsv --misses 20")]
pub struct EvaluateArguments {
    /// The snapshot file
    snapshot: PathBuf,
    /// Files of known items: query, tab, ids separated by commas
    #[arg(required = true)]
    queries: Vec<PathBuf>,
    /// Show so many queries per file whose answer is not at rank 1, with what came instead
    #[arg(long, value_name = "N", default_value_t = 0)]
    misses: usize,
}

/// Ranks looked at.
const DEPTH: u32 = 10;

/// What one file comes to.
#[derive(Default)]
struct Quality {
    queries: u32,
    at_1: u32,
    at_10: u32,
    reciprocal_ranks: f64,
    empty: u32,
}

/// Evaluates every file and prints a table.
pub fn run(arguments: &EvaluateArguments) -> Result<(), Failure> {
    let snapshot = inspect::open(&arguments.snapshot)?;
    print(&format!(
        "{:24} {:>8} {:>10} {:>10} {:>8} {:>7}\n",
        "file", "queries", "success@1", "success@10", "MRR@10", "empty"
    ))?;
    for path in &arguments.queries {
        let quality = evaluate(&snapshot, path, arguments.misses)?;
        let share = |count: u32| f64::from(count) / f64::from(quality.queries.max(1));
        print(&format!(
            "{:24} {:>8} {:>10.3} {:>10.3} {:>8.3} {:>7.3}\n",
            path.file_stem().unwrap_or_default().display(),
            quality.queries,
            share(quality.at_1),
            share(quality.at_10),
            quality.reciprocal_ranks / f64::from(quality.queries.max(1)),
            share(quality.empty),
        ))?;
    }
    Ok(())
}

fn evaluate(snapshot: &Snapshot, path: &Path, misses: usize) -> Result<Quality, Failure> {
    let failure = |message: String| Failure { message, exit_code: 1 };
    let text = std::fs::read_to_string(path)
        .map_err(|error| failure(format!("cannot read {}: {error}", path.display())))?;
    let mut quality = Quality::default();
    let mut scratch = Scratch::default();
    let mut shown = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let bad = |reason: &str| failure(format!("{}:{number}: {reason}", path.display()));
        let (q, ids) = line.rsplit_once('\t').ok_or_else(|| bad("no tab between query and ids"))?;
        let answers: Vec<String> = ids.split(',').map(|id| escape(id).into_owned()).collect();
        let text = TextQuery::parse(q).map_err(|error| bad(&error.to_string()))?;
        let page =
            search(snapshot, &Query { text, limit: DEPTH, ..Query::default() }, &mut scratch);
        let is_answer = |&doc: &firmament::ids::DocId| {
            let json = snapshot.document(doc);
            let id = escaped_id(&json);
            answers.iter().any(|answer| answer.as_bytes() == id)
        };
        let rank = page.docs.iter().position(is_answer);
        quality.queries += 1;
        quality.empty += u32::from(page.docs.is_empty());
        if let Some(rank) = rank {
            quality.at_1 += u32::from(rank == 0);
            quality.at_10 += 1;
            quality.reciprocal_ranks += 1.0 / (rank + 1) as f64;
        }
        if rank != Some(0) && shown < misses {
            shown += 1;
            show_miss(snapshot, q, rank, ids, &page)?;
        }
    }
    Ok(quality)
}

fn show_miss(
    snapshot: &Snapshot,
    q: &str,
    rank: Option<usize>,
    ids: &str,
    page: &firmament::query::page::Page,
) -> Result<(), Failure> {
    let name = |doc: firmament::ids::DocId| {
        let json: serde_json::Value =
            serde_json::from_slice(&snapshot.document(doc)).unwrap_or_default();
        json["name"].as_str().unwrap_or_default().to_owned()
    };
    let place =
        rank.map_or("not among the first 10".to_owned(), |rank| format!("rank {}", rank + 1));
    let wanted: Vec<String> =
        ids.split(',').filter_map(|id| snapshot.doc_by_id(id)).map(name).collect();
    let first: Vec<String> = page.docs.iter().take(3).map(|&doc| name(doc)).collect();
    let how = match (&page.corrected, page.relaxed) {
        (Some(corrected), true) => format!(", corrected to {corrected:?} and relaxed"),
        (Some(corrected), false) => format!(", corrected to {corrected:?}"),
        (None, true) => ", relaxed".to_owned(),
        (None, false) => String::new(),
    };
    print(&format!("  {q:?}: {place} of {}{how}; wanted {wanted:?}; first {first:?}\n", page.total))
}
