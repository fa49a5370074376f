//! `peers quality`: does the business that was meant come first?
//!
//! In: records and files of known items, each line a query, a tab, and the ids that answer it,
//! separated by commas. Out, per engine and mode the table of `firmament-tools evaluate`, per file:
//! success@1 and success@10 (a share of queries with an answer at rank 1, among the first 10),
//! MRR@10 (the mean of 1 / rank of the first answer, 0 beyond rank 10), and the share of queries
//! without any result.

use crate::Result;
use crate::engine::{ENGINES, Engine, Mode};
use crate::records::Records;
use std::path::PathBuf;
use std::time::Instant;

/// Options of `quality`.
#[derive(clap::Args)]
pub struct QualityArguments {
    /// A file of records, JSON Lines; may be given several times
    #[arg(long, value_name = "FILE", required = true)]
    records: Vec<PathBuf>,
    /// Files of known items: query, tab, ids separated by commas
    #[arg(required = true)]
    queries: Vec<PathBuf>,
}

/// Ranks looked at.
const DEPTH: usize = 10;

/// The known items of one file.
struct KnownItems {
    title: String,
    items: Vec<KnownItem>,
}

/// A query and the numbers of the records that answer it.
struct KnownItem {
    query: String,
    answers: Vec<usize>,
}

/// What one file comes to.
#[derive(Default)]
struct Quality {
    queries: u32,
    at_1: u32,
    at_10: u32,
    reciprocal_ranks: f64,
    empty: u32,
}

/// Evaluates every file with every engine in every mode and prints a table for each.
pub fn run(arguments: &QualityArguments) -> Result<()> {
    let records = Records::read(&arguments.records)?;
    eprintln!("{} records", records.all.len());
    // All files first: a bad one shows before the long work.
    let files: Vec<KnownItems> = arguments
        .queries
        .iter()
        .map(|path| KnownItems::read(path, &records))
        .collect::<Result<_>>()?;
    for build in ENGINES {
        let start = Instant::now();
        let mut engine = build(&records.all)?;
        eprintln!("{}: indexed in {:.1} s", engine.name(), start.elapsed().as_secs_f64());
        for mode in Mode::ALL {
            let start = Instant::now();
            print_table(&mut *engine, mode, &files)?;
            let seconds = start.elapsed().as_secs_f64();
            eprintln!("{}, {}: {seconds:.1} s", engine.name(), mode.name());
        }
    }
    Ok(())
}

impl KnownItems {
    fn read(path: &PathBuf, records: &Records) -> Result<KnownItems> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let mut items = Vec::new();
        let mut unknown = 0;
        for (number, line) in (1..).zip(text.lines()) {
            let (query, ids) = line.rsplit_once('\t').ok_or_else(|| {
                format!("{}:{number}: no tab between query and ids", path.display())
            })?;
            let answers: Vec<usize> =
                ids.split(',').filter_map(|id| records.by_id.get(id).copied()).collect();
            unknown += u32::from(answers.is_empty());
            items.push(KnownItem { query: query.to_owned(), answers });
        }
        if unknown > 0 {
            eprintln!("{}: {unknown} queries have no answer among the records", path.display());
        }
        Ok(KnownItems { title: path.file_stem().unwrap_or_default().display().to_string(), items })
    }
}

fn print_table(engine: &mut dyn Engine, mode: Mode, files: &[KnownItems]) -> Result<()> {
    println!("{}, {}", engine.name(), mode.name());
    println!(
        "{:24} {:>8} {:>10} {:>10} {:>8} {:>7}",
        "file", "queries", "success@1", "success@10", "MRR@10", "empty"
    );
    for file in files {
        let mut quality = Quality::default();
        for item in &file.items {
            let words = engine.words(&item.query)?;
            quality.add(item, &engine.search(&words, mode, DEPTH)?);
        }
        let share = |count: u32| f64::from(count) / f64::from(quality.queries.max(1));
        println!(
            "{:24} {:>8} {:>10.3} {:>10.3} {:>8.3} {:>7.3}",
            file.title,
            quality.queries,
            share(quality.at_1),
            share(quality.at_10),
            quality.reciprocal_ranks / f64::from(quality.queries.max(1)),
            share(quality.empty),
        );
    }
    println!();
    Ok(())
}

impl Quality {
    fn add(&mut self, item: &KnownItem, found: &[usize]) {
        self.queries += 1;
        self.empty += u32::from(found.is_empty());
        if let Some(rank) = found.iter().position(|number| item.answers.contains(number)) {
            self.at_1 += u32::from(rank == 0);
            self.at_10 += 1;
            self.reciprocal_ranks += 1.0 / (rank + 1) as f64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_answer_counts() {
        let item = KnownItem { query: String::new(), answers: vec![3, 4] };
        let mut quality = Quality::default();
        for found in [&[3, 4][..], &[9, 4, 3], &[9], &[]] {
            quality.add(&item, found);
        }
        assert_eq!((quality.queries, quality.at_1, quality.at_10, quality.empty), (4, 1, 2, 1));
        assert!((quality.reciprocal_ranks - 1.5).abs() < 1e-9);
    }
}
