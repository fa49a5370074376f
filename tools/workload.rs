//! `firmament-tools workload`: requests for measurements, made from the records of a snapshot.
//!
//! In: a snapshot, a seed and a number. Out: a file of requests (see [`request_file`]), no request
//! twice, the same for the same snapshot and seed, in the classes and shares of one mixed load and
//! in mixed order. `query --workload` answers them in process; behind `/v1/search?` they are
//! requests of a client.
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
//! Shapes, in a file of their own and in equal shares, are what else a request may look like: the
//! table in [`shapes`]. All classes draw the same records, so that they can be compared.
//!
//! Records are drawn uniformly, so industries and places are drawn as often as they occur. Bands of
//! employees are those of [`draw::BANDS`]. Words of descriptions are counted over at most
//! [`draw::COUNTED_MAX`] records.

pub mod draw;
mod filters;
mod formats;
pub mod request_file;
mod shapes;
mod text;

#[cfg(test)]
mod tests;

use super::generate::random::SplitMix64;
use super::output::tell;
use super::{Failure, inspect};
use draw::Draw;
use firmament::http::parse_query_string;
use formats::Format;
use request_file::Request;
use shapes::SHAPES;
use std::collections::HashSet;
use std::path::PathBuf;

/// Options of `workload`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  firmament-tools workload companies.firmament --output mixed.tsv --seed 1
  firmament-tools workload companies.firmament --output mixed.tsv --beyond beyond.tsv --requests 2000
  firmament-tools workload companies.firmament --output mixed.tsv --shapes shapes.tsv
  firmament-tools workload companies.firmament --format oha --output urls.txt
  oha --urls-from-file urls.txt -H \"X-API-Key: $KEY\" -z 30s
  firmament-tools query companies.firmament --workload mixed.tsv

Each line is a class, a tab, and what stands behind `?` in a request; other formats are for the
programs that they are named after, and hold the address and, where the program needs it there, the
key.")]
pub struct WorkloadArguments {
    /// The snapshot file
    snapshot: PathBuf,
    /// Where the mixed load goes
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Where as many requests of the classes beyond the mix go: prefixes, three filters by year,
    /// misspelt names, no match
    #[arg(long, value_name = "FILE")]
    beyond: Option<PathBuf>,
    /// Where as many requests of other shapes go: words of descriptions plain, in quotes, excluded,
    /// cut short, with filters, sort orders and later pages; phrases, sentences, addresses; words
    /// that stand nowhere together
    #[arg(long, value_name = "FILE")]
    shapes: Option<PathBuf>,
    /// Form of the files
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Tsv)]
    format: Format,
    /// Where the server is, for other formats than tsv
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    url: String,
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
    /// Its share of a file; those of one file need not sum up to a hundred.
    share: usize,
    draw: DrawRequest,
}

/// Draws a request, as a query string; `None` if the record that was drawn does not yield one.
type DrawRequest = fn(&Draw<'_>, &mut SplitMix64) -> Option<String>;

/// What a file of requests is made of.
struct Load {
    classes: &'static [Class],
    /// Do all classes begin with the same random numbers, and so draw the same records?
    is_paired: bool,
}

const MIX: Load = Load {
    is_paired: false,
    classes: &[
        Class { name: "name", share: 30, draw: text::name },
        Class { name: "keyword", share: 12, draw: text::keyword },
        Class { name: "keyword-industry", share: 10, draw: text::keyword_and_industry },
        Class { name: "industry", share: 8, draw: filters::industry },
        Class { name: "place", share: 10, draw: filters::place },
        Class {
            name: "industry-place-employees",
            share: 10,
            draw: filters::industry_place_and_employees,
        },
        Class { name: "by-employees", share: 6, draw: filters::by_employees },
        Class { name: "by-name", share: 5, draw: filters::by_name },
        Class { name: "phrase", share: 4, draw: text::phrase },
        Class { name: "deep", share: 5, draw: filters::deep },
    ],
};

const BEYOND: Load = Load {
    is_paired: false,
    classes: &[
        Class { name: "prefix", share: 25, draw: text::prefix },
        Class { name: "filters-by-year", share: 25, draw: filters::by_year },
        Class { name: "misspelt", share: 25, draw: text::misspelt },
        Class { name: "no-match", share: 25, draw: text::no_match },
    ],
};

/// Draws for one request, at most, until a class counts as exhausted.
const TRIES_MAX: usize = 5_000;

/// Writes the files.
pub fn run(arguments: &WorkloadArguments) -> Result<(), Failure> {
    let snapshot = inspect::open(&arguments.snapshot)?;
    let draw = Draw::new(&snapshot);
    let files = [
        (Some(&arguments.output), &MIX),
        (arguments.beyond.as_ref(), &BEYOND),
        (arguments.shapes.as_ref(), &SHAPES),
    ];
    for (path, load) in files {
        let Some(path) = path else { continue };
        let (requests, shortages) = requests(&draw, load, arguments.requests, arguments.seed);
        for shortage in shortages {
            tell(&format!("{}: {shortage}", path.display()));
        }
        let text = formats::text(arguments.format, &arguments.url, &requests);
        request_file::write(path, &text)?;
        tell(&format!("{}: {} requests over {snapshot:?}", path.display(), requests.len()));
    }
    Ok(())
}

/// The requests of one file, and what to say of the classes that have fewer than they should.
fn requests(
    draw: &Draw<'_>,
    load: &Load,
    requests: usize,
    seed: u64,
) -> (Vec<Request>, Vec<String>) {
    let Load { classes, is_paired } = *load;
    let (mut all, mut shortages) = (Vec::with_capacity(requests), Vec::new());
    let mut seen = HashSet::new();
    for (number, (class, wanted)) in (0..).zip(classes.iter().zip(shares(classes, requests))) {
        // A stream for each class: a shortage in one changes no other.
        let (stream, purpose) = if is_paired { (0, 0) } else { (number, classes.len() as u64) };
        let mut random = SplitMix64::new(seed, stream, purpose);
        let (mut found, mut tries) = (0, 0);
        while found < wanted && tries < TRIES_MAX {
            tries += 1;
            let Some(query_string) = (class.draw)(draw, &mut random) else { continue };
            // A name may be longer than `q` can be.
            if parse_query_string(&query_string).is_ok() && seen.insert(query_string.clone()) {
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
    let sum: usize = classes.iter().map(|class| class.share).sum();
    let mut shares = 0;
    let ends = classes.iter().map(|class| {
        shares += class.share;
        (requests * shares + sum / 2) / sum
    });
    let ends: Vec<usize> = ends.collect();
    let starts = [0].into_iter().chain(ends.iter().copied());
    ends.iter().zip(starts).map(|(end, start)| end - start).collect()
}
