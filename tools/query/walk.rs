//! `firmament-tools query --walk`: what a page costs, wherever in a walk it stands.
//!
//! In process, on one thread. All pages of one request are read by their cursors, from the first to
//! the last, and then back to the first; each is timed once, and the dearest are read again, since
//! anything may have come between. The walk itself is checked: every business once, the same from
//! both sides, as many as the total says.

use super::Failure;
use firmament::ids::DocId;
use firmament::query::cursor::Cursor;
use firmament::query::page::{Page, Scratch, search};
use firmament::query::request::Query;
use firmament::snapshot::Snapshot;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// Pages at either end of a walk whose median is told, at most; of a short walk a quarter of its
/// pages.
const END_PAGES: usize = 1000;

/// What a walk came to.
#[derive(Serialize)]
struct Report {
    total: u64,
    pages: usize,
    forwards: Stretches,
    backwards: Stretches,
}

/// Medians of the times of pages in one direction, in the order of the sequence, in microseconds;
/// and what no median tells, the dearest page and its number, from 1 on.
#[derive(Serialize)]
struct Stretches {
    first_us: f64,
    middle_us: f64,
    last_us: f64,
    all_us: f64,
    dearest_us: f64,
    dearest_page: usize,
}

/// The dearest pages, which are read again.
const DEAREST_PAGES: usize = 64;

/// How often: the least time counts.
const READ_AGAIN: usize = 3;

/// The pages of one direction: their businesses in the order of the sequence, their cursors and
/// their times.
#[derive(Default)]
struct Walk {
    docs: Vec<DocId>,
    cursors: Vec<Option<Cursor>>,
    times: Vec<Duration>,
}

/// Walks all pages of the request and prints what they cost, or with `json` one object.
///
/// # Errors
/// The pages do not join to one sequence.
pub fn run(snapshot: &Snapshot, query: &Query, json: bool) -> Result<String, Failure> {
    let total = search(snapshot, query, &mut Scratch::default()).total;
    let (forwards, last) = forwards(snapshot, query);
    let backwards = backwards(snapshot, query, last);
    let distinct: HashSet<DocId> = forwards.docs.iter().copied().collect();
    if forwards.docs.len() as u64 != total || distinct.len() as u64 != total {
        return Err(broken(format!(
            "the total is {total}, but the pages hold {} businesses, {} of them different",
            forwards.docs.len(),
            distinct.len()
        )));
    }
    if backwards.docs != forwards.docs {
        return Err(broken("the way back shows other businesses than the way there".to_owned()));
    }
    let report = Report {
        total,
        pages: forwards.times.len(),
        forwards: Stretches::of(&forwards.times),
        backwards: Stretches::of(&backwards.times),
    };
    Ok(if json {
        serde_json::to_string(&report).expect("a report has a JSON form") + "\n"
    } else {
        describe(&report)
    })
}

fn broken(reason: String) -> Failure {
    Failure { message: format!("the walk is broken: {reason}"), exit_code: 1 }
}

/// All pages from the first on; the last one as well.
fn forwards(snapshot: &Snapshot, query: &Query) -> (Walk, Page) {
    let (mut query, mut scratch) = (query.clone(), Scratch::default());
    let mut walk = Walk::default();
    query.cursor = None;
    loop {
        let page = walk.step(snapshot, &query, &mut scratch);
        walk.docs.extend_from_slice(&page.docs);
        if page.next_cursor.is_none() {
            walk.read_dearest_again(snapshot, &mut query, &mut scratch);
            return (walk, page);
        }
        query.cursor = page.next_cursor;
    }
}

/// All pages before the last, from its `previous_cursor` on, and the last itself, untimed.
fn backwards(snapshot: &Snapshot, query: &Query, last: Page) -> Walk {
    let (mut query, mut scratch) = (query.clone(), Scratch::default());
    let mut walk = Walk::default();
    walk.docs.extend(last.docs.iter().rev());
    let mut cursor = last.previous_cursor;
    while cursor.is_some() {
        query.cursor = cursor;
        let page = walk.step(snapshot, &query, &mut scratch);
        walk.docs.extend(page.docs.iter().rev());
        cursor = page.previous_cursor;
    }
    walk.read_dearest_again(snapshot, &mut query, &mut scratch);
    walk.docs.reverse();
    walk.times.reverse();
    walk
}

impl Walk {
    fn step(&mut self, snapshot: &Snapshot, query: &Query, scratch: &mut Scratch) -> Page {
        let start = Instant::now();
        let page = search(snapshot, query, scratch);
        self.times.push(start.elapsed());
        self.cursors.push(query.cursor);
        page
    }

    fn read_dearest_again(
        &mut self,
        snapshot: &Snapshot,
        query: &mut Query,
        scratch: &mut Scratch,
    ) {
        let mut dearest: Vec<usize> = (0..self.times.len()).collect();
        dearest.sort_unstable_by_key(|&page| Reverse(self.times[page]));
        for page in dearest.into_iter().take(DEAREST_PAGES) {
            query.cursor = self.cursors[page];
            for _ in 0..READ_AGAIN {
                let start = Instant::now();
                search(snapshot, query, scratch);
                self.times[page] = self.times[page].min(start.elapsed());
            }
        }
    }
}

impl Stretches {
    fn of(times: &[Duration]) -> Stretches {
        let end = times.len().div_ceil(4).min(END_PAGES);
        let middle = times.len().saturating_sub(end) / 2;
        let dearest =
            times.iter().zip(1..).max().map_or((0.0, 0), |(&time, page)| (micros(time), page));
        Stretches {
            first_us: median(&times[..end]),
            middle_us: median(&times[middle..middle + end]),
            last_us: median(&times[times.len() - end..]),
            all_us: median(times),
            dearest_us: dearest.0,
            dearest_page: dearest.1,
        }
    }
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The median in microseconds, of two in the middle the lesser; 0 of nothing.
fn median(times: &[Duration]) -> f64 {
    let mut times = times.to_vec();
    times.sort_unstable();
    let middle = times.len().saturating_sub(1) / 2;
    times.get(middle).map_or(0.0, |&time| micros(time))
}

fn describe(report: &Report) -> String {
    let Report { total, pages, forwards, backwards } = report;
    let mut text = format!(
        "{total} businesses on {pages} pages, each seen once on the way there and on the way back\n\
         {:10} {:>9} {:>9} {:>9} {:>9}  median µs a page {:>9}  µs of the dearest\n",
        "", "first", "middle", "last", "all", ""
    );
    for (name, stretches) in [("forwards", forwards), ("backwards", backwards)] {
        let Stretches { first_us, middle_us, last_us, all_us, dearest_us, dearest_page } =
            stretches;
        let _ = writeln!(
            text,
            "{name:10} {first_us:>9.1} {middle_us:>9.1} {last_us:>9.1} {all_us:>9.1} {:16} {dearest_us:>9.1}  (page \
             {dearest_page})",
            ""
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_the_ends_and_the_middle() {
        let times: Vec<Duration> = (1..=8).map(Duration::from_micros).collect();
        let stretches = Stretches::of(&times);
        assert_eq!((stretches.first_us, stretches.middle_us), (1.0, 4.0));
        assert_eq!((stretches.last_us, stretches.all_us), (7.0, 4.0));
        assert_eq!((stretches.dearest_us, stretches.dearest_page), (8.0, 8));
        assert_eq!(Stretches::of(&[]).all_us, 0.0);
        assert_eq!(Stretches::of(&times[..1]).last_us, 1.0);
    }
}
