//! `firmament-tools workload`: requests for measurements, made from the records of a snapshot.
//!
//! In: a snapshot, a seed and a number. Out: a file of requests (see [`request_file`]), no request twice, the same
//! for the same snapshot and seed, in the classes and shares of one mixed load and in mixed order. `query
//! --workload` answers them in process; behind `/v1/search?` they are requests of a client.
//!
//! | class | share | request |
//! |---|---|---|
//! | `name` | 30 % | one to three neighbouring words of a name, the last one whole |
//! | `keyword` | 12 % | one or two words of one description, of rank 15 to 3,000 by document frequency |
//! | `keyword-industry` | 10 % | the same and the industry of the record |
//! | `industry` | 8 % | an industry; two or three in four of ten |
//! | `place` | 10 % | city, state |
//! | `industry-place-employees` | 10 % | industry, city, state and band of employees of one record |
//! | `by-employees` | 6 % | `sort=employee_count` with a filter, a third ascending |
//! | `by-name` | 5 % | `sort=name` with a filter, a third descending |
//! | `phrase` | 4 % | two neighbouring words of a name in quotes |
//! | `deep` | 5 % | a page by cursor, anywhere in a result of three pages or more; all sort orders |
//!
//! Beyond the mix, in a file of its own and in equal shares:
//!
//! | class | request |
//! |---|---|
//! | `prefix` | the first three to five letters of a word of a name |
//! | `filters-by-year` | industry, place and band of employees of one record, `sort=founded_year` |
//! | `misspelt` | one or two neighbouring words of a name, one of them with a typing error |
//! | `no-match` | letters that are no word, or an industry and a place that exist but not together |
//!
//! Records are drawn uniformly, so industries and places are drawn as often as they occur. Bands of employees are
//! those of [`draw::BANDS`]. Words of descriptions are counted over at most [`draw::COUNTED_MAX`] records.

pub mod draw;
mod filters;
pub mod request_file;
mod text;

#[cfg(test)]
mod tests;

use super::generate::random::SplitMix64;
use super::output::tell;
use super::{Failure, inspect};
use draw::Draw;
use request_file::Request;
use std::collections::HashSet;
use std::path::PathBuf;

/// Options of `workload`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  firmament-tools workload companies.firmament --output mixed.tsv --seed 1
  firmament-tools workload companies.firmament --output mixed.tsv --beyond beyond.tsv --requests 2000
  firmament-tools query companies.firmament --workload mixed.tsv

Each line is a class, a tab, and what stands behind `?` in a request.")]
pub struct WorkloadArguments {
    /// The snapshot file
    snapshot: PathBuf,
    /// Where the mixed load goes
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Where as many requests of the classes beyond the mix go: prefixes, three filters by year, misspelt names,
    /// no match
    #[arg(long, value_name = "FILE")]
    beyond: Option<PathBuf>,
    /// Number of requests in each file
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10_000)]
    requests: usize,
    /// The same seed makes the same requests
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// A kind of request.
struct Class {
    /// Its name in files and tables.
    name: &'static str,
    /// Its share of a file, in percent.
    percent: usize,
    /// Draws a request, as a query string; `None` if the record that was drawn does not yield one.
    draw: fn(&Draw<'_>, &mut SplitMix64) -> Option<String>,
}

const MIX: [Class; 10] = [
    Class { name: "name", percent: 30, draw: text::name },
    Class { name: "keyword", percent: 12, draw: text::keyword },
    Class { name: "keyword-industry", percent: 10, draw: text::keyword_and_industry },
    Class { name: "industry", percent: 8, draw: filters::industry },
    Class { name: "place", percent: 10, draw: filters::place },
    Class {
        name: "industry-place-employees",
        percent: 10,
        draw: filters::industry_place_and_employees,
    },
    Class { name: "by-employees", percent: 6, draw: filters::by_employees },
    Class { name: "by-name", percent: 5, draw: filters::by_name },
    Class { name: "phrase", percent: 4, draw: text::phrase },
    Class { name: "deep", percent: 5, draw: filters::deep },
];

const BEYOND: [Class; 4] = [
    Class { name: "prefix", percent: 25, draw: text::prefix },
    Class { name: "filters-by-year", percent: 25, draw: filters::by_year },
    Class { name: "misspelt", percent: 25, draw: text::misspelt },
    Class { name: "no-match", percent: 25, draw: text::no_match },
];

/// Draws for one request, at most, until a class counts as exhausted.
const TRIES_MAX: usize = 5_000;

/// Writes the files.
pub fn run(arguments: &WorkloadArguments) -> Result<(), Failure> {
    let snapshot = inspect::open(&arguments.snapshot)?;
    let draw = Draw::new(&snapshot);
    let files = [(Some(&arguments.output), &MIX[..]), (arguments.beyond.as_ref(), &BEYOND[..])];
    for (path, classes) in files {
        let Some(path) = path else { continue };
        let (requests, shortages) = requests(&draw, classes, arguments.requests, arguments.seed);
        for shortage in shortages {
            tell(&format!("{}: {shortage}", path.display()));
        }
        request_file::write(path, &requests)?;
        tell(&format!("{}: {} requests over {snapshot:?}", path.display(), requests.len()));
    }
    Ok(())
}

/// The requests of one file, and what to say of the classes that have fewer than they should.
fn requests(
    draw: &Draw<'_>,
    classes: &[Class],
    requests: usize,
    seed: u64,
) -> (Vec<Request>, Vec<String>) {
    let (mut all, mut shortages) = (Vec::with_capacity(requests), Vec::new());
    let mut seen = HashSet::new();
    for (number, (class, wanted)) in (0..).zip(classes.iter().zip(shares(classes, requests))) {
        // A stream for each class: a shortage in one changes no other.
        let mut random = SplitMix64::new(seed, number, classes.len() as u64);
        let (mut found, mut tries) = (0, 0);
        while found < wanted && tries < TRIES_MAX {
            tries += 1;
            let Some(query_string) = (class.draw)(draw, &mut random) else { continue };
            if seen.insert(query_string.clone()) {
                all.push(Request { class: class.name.to_owned(), query_string });
                (found, tries) = (found + 1, 0);
            }
        }
        if found < wanted {
            shortages.push(format!(
                "{} has {found} different requests instead of {wanted}: {TRIES_MAX} draws one after another gave \
                 nothing new; a larger snapshot has more",
                class.name
            ));
        }
    }
    let mut random = SplitMix64::new(seed, u64::MAX, classes.len() as u64);
    for end in (1..all.len()).rev() {
        all.swap(end, random.below(end as u64 + 1) as usize);
    }
    (all, shortages)
}

/// How many of `requests` each class gets; together all of them.
fn shares(classes: &[Class], requests: usize) -> Vec<usize> {
    let mut percent = 0;
    let ends = classes.iter().map(|class| {
        percent += class.percent;
        (requests * percent + 50) / 100
    });
    let ends: Vec<usize> = ends.collect();
    let starts = [0].into_iter().chain(ends.iter().copied());
    ends.iter().zip(starts).map(|(end, start)| end - start).collect()
}
