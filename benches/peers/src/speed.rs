//! `peers speed`: what requests cost in tantivy and in Firmament, in one run.
//!
//! In: a snapshot, whose records both engines hold, and files of requests as
//! `firmament-tools workload` writes them: a class, a tab and a query string a line. Out, per
//! class: how many requests were compared, mean, median and 99th percentile of both in
//! microseconds, and how many times as long tantivy took; then what was left out and why.
//!
//! Both run in process, on one thread, without a cache of answers, and do the same: find the page,
//! count exactly, and fetch the JSON of its businesses (Firmament also puts the body together).
//! Requests are parsed, and translated for tantivy, before. Every answer is checked before anything
//! is timed: totals must agree, and in orders without scores the pages too. Scores differ:
//! tantivy's are BM25 over one field of all words, which is less than the contract asks for. Of the
//! two ways in which tantivy can answer ([`answer::Way`]) the quicker counts, request by request.
//! Each engine answers a whole file before it is the other's turn; the least of `--repeat` times
//! counts.
//!
//! Where no business has all words and Firmament lets any word do, tantivy is asked for any word
//! too, and such requests are a class of their own. A misspelt word, which Firmament corrects, is
//! not compared.

mod answer;
mod index;
mod translate;
mod words;

#[cfg(test)]
mod tests;

use crate::Result;
use crate::workload;
use answer::{Ready, Way};
use firmament::http::parse_query_string;
use firmament::query::page::{Page, Scratch, search};
use firmament::query::request::Query;
use firmament::render;
use firmament::snapshot::Snapshot;
use index::PeerIndex;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use translate::{LeftOut, Order, Translator};

/// Options of `speed`.
#[derive(clap::Args)]
pub struct SpeedArguments {
    /// The snapshot file: what Firmament answers from, and the records of tantivy
    snapshot: PathBuf,
    /// Files of requests, as `firmament-tools workload` writes them for this snapshot
    #[arg(required = true)]
    workloads: Vec<PathBuf>,
    /// The folder in which the index of tantivy is built, and found again the next time
    #[arg(long, value_name = "FOLDER")]
    index: PathBuf,
    /// Time each request so often; its least time counts
    #[arg(long, value_name = "N", default_value_t = 3,
          value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Show so many requests of each file whose totals differ
    #[arg(long, value_name = "N", default_value_t = 0)]
    differences: usize,
}

/// A request that both engines answer alike.
struct Compared<'i> {
    class: String,
    query: Query,
    ready: Ready<'i>,
    firmament: Duration,
    tantivy: Duration,
}

/// What one file comes to.
struct Comparison<'i> {
    requests: Vec<Compared<'i>>,
    left_out: BTreeMap<(String, LeftOut), usize>,
}

/// Compares every file and prints its tables.
pub fn run(arguments: &SpeedArguments) -> Result<()> {
    let snapshot = Snapshot::open(&arguments.snapshot)?;
    let index = PeerIndex::of(&snapshot, &arguments.index)?;
    println!(
        "{} businesses; Firmament: {} bytes; {}: {} bytes, {}\n",
        snapshot.num_docs(),
        snapshot.len_bytes(),
        tantivy::version_string().split(',').next().unwrap_or_default(),
        index.bytes,
        match index.build_time {
            Some(time) => format!("built in {:.1} s by one thread", time.as_secs_f64()),
            None => "built earlier".to_owned(),
        }
    );
    for path in &arguments.workloads {
        let mut comparison = compare(&snapshot, &index, path, arguments.differences)?;
        measure(&snapshot, &mut comparison.requests, arguments.repeat)?;
        println!("{}", path.display());
        print_times(&comparison.requests);
        print_left_out(&comparison.left_out);
    }
    Ok(())
}

/// Reads a file and keeps the requests that both engines answer alike.
fn compare<'i>(
    snapshot: &Snapshot,
    index: &'i PeerIndex,
    path: &Path,
    differences: usize,
) -> Result<Comparison<'i>> {
    let translator = Translator::new(snapshot, index);
    let mut scratch = Scratch::default();
    let mut comparison = Comparison { requests: Vec::new(), left_out: BTreeMap::new() };
    let mut shown = 0;
    for workload::Request { mut class, query_string, place } in workload::read(path)? {
        let query =
            parse_query_string(&query_string).map_err(|error| format!("{place}: {error}"))?;
        if query.cursor.is_some_and(|cursor| cursor.snapshot_version != snapshot.version()) {
            return Err(format!("{place}: its cursor belongs to another snapshot").into());
        }
        let page = search(snapshot, &query, &mut scratch);
        if page.relaxed {
            class.push_str(", any word");
        }
        match checked(&translator, index, &query, &page)? {
            Ok(ready) => comparison.requests.push(Compared {
                class,
                query,
                ready,
                firmament: Duration::MAX,
                tantivy: Duration::MAX,
            }),
            Err((why, total)) => {
                if matches!(why, LeftOut::Total | LeftOut::Page) && shown < differences {
                    shown += 1;
                    println!("  {class} {query_string}: {} here, {total} in tantivy", page.total);
                }
                *comparison.left_out.entry((class, why)).or_default() += 1;
            }
        }
    }
    Ok(comparison)
}

/// The request for tantivy, if it is answered as Firmament does.
fn checked<'i>(
    translator: &Translator<'_>,
    index: &'i PeerIndex,
    query: &Query,
    page: &Page,
) -> Result<std::result::Result<Ready<'i>, (LeftOut, u64)>> {
    if page.corrected.is_some() {
        return Ok(Err((LeftOut::Corrected, 0)));
    }
    let translated = match translator.translate(query, page.relaxed)? {
        Ok(translated) => translated,
        Err(why) => return Ok(Err((why, 0))),
    };
    let has_scores = matches!(translated.order, Order::BestFirst | Order::WorstFirst);
    let ready = Ready::new(index, translated)?;
    for way in ways(&ready) {
        let answer = ready.answer(way)?;
        if answer.total != page.total {
            return Ok(Err((LeftOut::Total, answer.total)));
        }
        let is_same = page.docs.iter().map(|doc| doc.0).eq(answer.docs.iter().copied());
        // By scores, a page deep in one order may be shorter than that in another, but not the
        // first.
        let is_as_long = query.cursor.is_some() || page.docs.len() == answer.docs.len();
        if if has_scores { !is_as_long } else { !is_same } {
            return Ok(Err((LeftOut::Page, answer.total)));
        }
    }
    Ok(Ok(ready))
}

fn ways(ready: &Ready<'_>) -> impl Iterator<Item = Way> + use<> {
    [Way::OnePass].into_iter().chain(ready.can_count_apart().then_some(Way::CountApart))
}

/// Times every request in both engines, after one round that is not timed.
fn measure(snapshot: &Snapshot, requests: &mut [Compared<'_>], repeat: u32) -> Result<()> {
    let mut scratch = Scratch::default();
    for round in 0..=repeat {
        let is_timed = round > 0;
        for request in requests.iter_mut() {
            // As often as the other engine has ways: the least of more times is smaller.
            for _ in ways(&request.ready) {
                let start = Instant::now();
                let page = search(snapshot, black_box(&request.query), &mut scratch);
                black_box(render::page(snapshot, &page));
                let time = start.elapsed();
                if is_timed {
                    request.firmament = request.firmament.min(time);
                }
            }
        }
        for request in requests.iter_mut() {
            for way in ways(&request.ready) {
                let start = Instant::now();
                black_box(request.ready.answer(way)?);
                let time = start.elapsed();
                if is_timed {
                    request.tantivy = request.tantivy.min(time);
                }
            }
        }
    }
    Ok(())
}

/// Mean, median and 99th percentile (by nearest rank), in microseconds.
fn figures(times: impl Iterator<Item = Duration>) -> [f64; 3] {
    let mut times: Vec<f64> = times.map(|time| time.as_secs_f64() * 1e6).collect();
    times.sort_unstable_by(f64::total_cmp);
    let percentile = |percent: usize| times[(times.len() * percent).div_ceil(100).max(1) - 1];
    [times.iter().sum::<f64>() / times.len() as f64, percentile(50), percentile(99)]
}

fn print_times(requests: &[Compared<'_>]) {
    println!(
        "{:26} {:>8} | {:>9} {:>9} {:>9} | {:>9} {:>9} {:>9} | {:>6} {:>6} {:>6}",
        "class",
        "compared",
        "Firm mean",
        "p50",
        "p99",
        "tant mean",
        "p50",
        "p99",
        "mean x",
        "p50 x",
        "p99 x"
    );
    let mut classes: Vec<&str> = requests.iter().map(|request| request.class.as_str()).collect();
    classes.sort_unstable();
    classes.dedup();
    let all: Vec<&Compared<'_>> = requests.iter().collect();
    let of_class = |class: &str| all.iter().copied().filter(|it| it.class == class).collect();
    let rows = classes.iter().map(|class| (*class, of_class(class)));
    for (class, rows) in rows.chain((!all.is_empty()).then(|| ("all", all.clone()))) {
        let rows: Vec<&Compared<'_>> = rows;
        let firmament = figures(rows.iter().map(|request| request.firmament));
        let tantivy = figures(rows.iter().map(|request| request.tantivy));
        let [mean, p50, p99] = firmament;
        let [mean_there, p50_there, p99_there] = tantivy;
        println!(
            "{class:26} {:>8} | {mean:>9.1} {p50:>9.1} {p99:>9.1} | {mean_there:>9.1} {p50_there:>9.1} \
             {p99_there:>9.1} | {:>6.2} {:>6.2} {:>6.2}",
            rows.len(),
            mean_there / mean,
            p50_there / p50,
            p99_there / p99,
        );
    }
    println!();
}

fn print_left_out(left_out: &BTreeMap<(String, LeftOut), usize>) {
    for ((class, why), count) in left_out {
        println!("left out: {count:>6} {class:26} {}", why.name());
    }
    println!();
}
