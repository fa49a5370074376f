//! `firmament-tools query --workload`: what the requests of a file cost, by class.
//!
//! In process, on one thread, answers not cached. All requests are parsed first. Timed is exactly
//! [`search`], with `--render` also [`render::page`], the body of the response, with `--facet`
//! [`facets::count`] instead; neither HTTP nor the reading of the query string. The file is
//! answered `--warm-up` times untimed (so that pages are in memory), then `--repeat` times; the
//! time of a request is its least. Percentiles are by nearest rank.

use super::{QueryArguments, check_cursor};
use crate::workload::request_file::{self, Request};
use crate::{Failure, inspect};
use firmament::facets::{self, Facet, FacetQuery};
use firmament::http::parse_query_string;
use firmament::limits::FACET_VALUES_DEFAULT;
use firmament::query::page::{Scratch, search};
use firmament::query::request::Query;
use firmament::render;
use firmament::snapshot::Snapshot;
use serde::Serialize;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// What is measured, and what it came to.
#[derive(Serialize)]
struct Report {
    snapshot: String,
    businesses: u32,
    warm_up: u32,
    repeat: u32,
    rendered: bool,
    facets: Vec<&'static str>,
    classes: Vec<Times>,
    all: Times,
    slowest: Vec<Slow>,
}

/// Times of the requests of one class, in microseconds.
#[derive(Serialize)]
struct Times {
    class: String,
    count: usize,
    mean_us: f64,
    p50_us: f64,
    p99_us: f64,
    max_us: f64,
    mean_total: f64,
}

/// One dear request.
#[derive(Serialize)]
struct Slow {
    us: f64,
    total: u64,
    class: String,
    query_string: String,
}

/// A request, ready.
struct Timed {
    request: Request,
    asked: Asked,
    time: Duration,
    total: u64,
}

/// What is asked for.
enum Asked {
    Page(Query),
    Facets(FacetQuery),
}

impl Asked {
    fn new(query: Query, facets: &[Facet]) -> Asked {
        match facets {
            [] => Asked::Page(query),
            _ => Asked::Facets(FacetQuery {
                query,
                facets: facets.to_vec(),
                prefix: None,
                limit: FACET_VALUES_DEFAULT as usize,
            }),
        }
    }
}

/// Answers the requests of the file and prints the table, or with `--json` one object.
pub fn run(arguments: &QueryArguments, path: &Path) -> Result<String, Failure> {
    let snapshot = inspect::open(&arguments.snapshot)?;
    let measured = &arguments.measured;
    let mut requests = read(path, &snapshot, &measured.facet)?;
    let mut scratch = Scratch::default();
    let mut total = |asked: &Asked| match black_box(asked) {
        Asked::Page(query) => {
            let page = black_box(search(&snapshot, query, &mut scratch));
            if measured.render {
                black_box(render::page(&snapshot, &page));
            }
            page.total
        }
        Asked::Facets(request) => {
            black_box(facets::count(&snapshot, request, scratch.tuning)).total
        }
    };
    for _ in 0..measured.warm_up {
        requests.iter().for_each(|timed| {
            total(&timed.asked);
        });
    }
    for _ in 0..measured.repeat {
        for timed in &mut requests {
            let start = Instant::now();
            timed.total = total(&timed.asked);
            timed.time = timed.time.min(start.elapsed());
        }
    }
    let report = Report {
        snapshot: snapshot.version().to_string(),
        businesses: snapshot.num_docs(),
        warm_up: measured.warm_up,
        repeat: measured.repeat,
        rendered: measured.render,
        facets: measured.facet.iter().map(|facet| facet.name()).collect(),
        classes: by_class(&requests),
        all: Times::of("all", requests.iter()),
        slowest: slowest(&requests, measured.slowest),
    };
    Ok(if arguments.json {
        serde_json::to_string(&report).expect("a report has a JSON form") + "\n"
    } else {
        describe(&report)
    })
}

fn read(path: &Path, snapshot: &Snapshot, facets: &[Facet]) -> Result<Vec<Timed>, Failure> {
    let ready = |(number, request): (usize, Request)| {
        let at = |message: String| Failure {
            message: format!("{}:{number}: {message}", path.display()),
            exit_code: 2,
        };
        let query =
            parse_query_string(&request.query_string).map_err(|error| at(error.to_string()))?;
        check_cursor(&query, snapshot).map_err(|failure| at(failure.message))?;
        let asked = Asked::new(query, facets);
        Ok(Timed { request, asked, time: Duration::MAX, total: 0 })
    };
    let requests: Vec<Timed> =
        (1..).zip(request_file::read(path)?).map(ready).collect::<Result<_, Failure>>()?;
    if requests.is_empty() {
        let message = format!("{} has no request: nothing can be measured", path.display());
        return Err(Failure { message, exit_code: 1 });
    }
    Ok(requests)
}

/// Times of each class, in the order of their names.
fn by_class(requests: &[Timed]) -> Vec<Times> {
    let mut classes: Vec<&str> =
        requests.iter().map(|timed| timed.request.class.as_str()).collect();
    classes.sort_unstable();
    classes.dedup();
    let of_class = |class| requests.iter().filter(move |timed| timed.request.class == class);
    classes.into_iter().map(|class| Times::of(class, of_class(class))).collect()
}

impl Times {
    /// Times of at least one request.
    fn of<'t>(class: &str, requests: impl Iterator<Item = &'t Timed>) -> Times {
        let (mut times, mut totals) = (Vec::new(), 0.0);
        for timed in requests {
            times.push(timed.time);
            totals += timed.total as f64;
        }
        times.sort_unstable();
        let count = times.len();
        Times {
            class: class.to_owned(),
            count,
            mean_us: microseconds(times.iter().sum()) / count as f64,
            p50_us: microseconds(percentile(&times, 50)),
            p99_us: microseconds(percentile(&times, 99)),
            max_us: microseconds(times[count - 1]),
            mean_total: totals / count as f64,
        }
    }
}

/// The smallest of the sorted `times` that `percent` of them do not exceed.
fn percentile(times: &[Duration], percent: usize) -> Duration {
    times[(times.len() * percent).div_ceil(100).max(1) - 1]
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn slowest(requests: &[Timed], count: usize) -> Vec<Slow> {
    let mut order: Vec<&Timed> = requests.iter().collect();
    order.sort_by_key(|timed| std::cmp::Reverse(timed.time));
    let slow = |timed: &&Timed| Slow {
        us: microseconds(timed.time),
        total: timed.total,
        class: timed.request.class.clone(),
        query_string: timed.request.query_string.clone(),
    };
    order.iter().take(count).map(slow).collect()
}

fn describe(report: &Report) -> String {
    let mut text = format!(
        "snapshot {} of {} businesses; search{}, one thread, {} x warm-up, least of {}; times in µs\n\
         {:26} {:>7} {:>9} {:>9} {:>9} {:>9} {:>11}\n",
        report.snapshot,
        report.businesses,
        match &report.facets[..] {
            [] if report.rendered => " and rendering".to_owned(),
            [] => String::new(),
            facets => format!(" for the facets {}", facets.join(", ")),
        },
        report.warm_up,
        report.repeat,
        "class",
        "count",
        "mean",
        "p50",
        "p99",
        "max",
        "mean total"
    );
    for times in report.classes.iter().chain([&report.all]) {
        let Times { class, count, mean_us, p50_us, p99_us, max_us, mean_total } = times;
        let _ = writeln!(
            text,
            "{class:26} {count:>7} {mean_us:>9.1} {p50_us:>9.1} {p99_us:>9.1} {max_us:>9.1} {mean_total:>11.1}"
        );
    }
    if !report.slowest.is_empty() {
        let _ = writeln!(text, "\n{:>9} {:>9}  {:26} request", "µs", "total", "class");
    }
    for Slow { us, total, class, query_string } in &report.slowest {
        let _ = writeln!(text, "{us:>9.1} {total:>9}  {class:26} {query_string}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let times: Vec<Duration> = (1..=200).map(Duration::from_micros).collect();
        assert_eq!(percentile(&times, 50), Duration::from_micros(100));
        assert_eq!(percentile(&times, 99), Duration::from_micros(198));
        assert_eq!(percentile(&times[..1], 99), Duration::from_micros(1));
        assert_eq!(percentile(&times[..3], 50), Duration::from_micros(2));
    }
}
