//! Everything that a snapshot may be asked, some ten questions at a time.

use firmament::ids::DocId;
use firmament::query::cursor::{Position, Side};
use firmament::query::explain::explain;
use firmament::query::cursor::Cursor;
use firmament::query::request::{Query, SortKey, SortOrder};
use firmament::query::page::{Scratch, search};
use firmament::query::text::TextQuery;
use firmament::query::session::ways::Tuning;
use firmament::render;
use firmament::snapshot::Snapshot;
use std::sync::LazyLock;

/// Questions that one snapshot is asked.
const ASKED: usize = 10;

/// Words and hosts, ids, prefixes, phrases, compounds, excluded words, misspelt words, words that
/// no business has all, words of other numbers, letters of several scripts, nothing.
const TEXTS: [&str; 31] = [
    "",
    "bank",
    "blue",
    "gas",
    "b",
    "blu",
    "eng",
    "blue bank",
    "oil gas",
    "blue harbor bank",
    "\"oil gas\"",
    "\"blue harbor\" bank",
    "\"blue harbor bank\"",
    "\"bank gas\"",
    "at&t",
    "rolls-royce",
    "harbor*",
    "bank inc",
    "gas gmbh",
    "blue -harbor",
    "bank -\"oil gas\"",
    "harbour bnak",
    "univrsal enginee",
    "engine bluebird tokyo",
    "blueharbor",
    "blueharbor.com",
    "a3",
    "müller",
    "東京",
    "banks engines",
    "the of and",
];

static QUESTIONS: LazyLock<Vec<Query>> = LazyLock::new(|| {
    let orders = [
        (SortKey::Relevance, SortOrder::Desc),
        (SortKey::Relevance, SortOrder::Asc),
        (SortKey::Name, SortOrder::Asc),
        (SortKey::Name, SortOrder::Desc),
        (SortKey::EmployeeCount, SortOrder::Asc),
        (SortKey::EmployeeCount, SortOrder::Desc),
        (SortKey::FoundedYear, SortOrder::Asc),
        (SortKey::FoundedYear, SortOrder::Desc),
    ];
    let filters: [(&[&str], &[&str], Option<u64>, Option<u64>); 6] = [
        (&[], &[], None, None),
        (&[], &[], None, None),
        (&["banking"], &[], None, None),
        (&["Oil, Gas & Mining", "dairies"], &[], None, Some(800)),
        (&[], &["Paris", "Austin, Texas, United States"], None, None),
        (&["banking, engines"], &["France", "Texas"], Some(3), None),
    ];
    let mut questions = Vec::new();
    // Every text and filter meets every order in time.
    for number in 0..256 {
        let (sort, order) = orders[if number % 3 == 0 { 0 } else { number % orders.len() }];
        let (industries, locations, employee_count_min, employee_count_max) =
            filters[number / TEXTS.len() % filters.len()];
        let owned = |values: &[&str]| values.iter().map(|value| value.to_string()).collect();
        questions.push(Query {
            text: TextQuery::parse(TEXTS[number % TEXTS.len()]).expect("a short text"),
            industries: owned(industries),
            locations: owned(locations),
            employee_count_min,
            employee_count_max,
            sort,
            order,
            founded_year_min: (number % 5 == 0).then_some(1900),
            excluded_industries: owned(if number % 7 == 0 { &["dairies"] } else { &[] }),
            limit: [20, 3, 1][number % 3],
            ..Query::default()
        });
    }
    questions
});

/// Asks some questions, and looks at the answers from all sides.
pub fn ask(snapshot: &Snapshot, seed: u8) {
    let questions = &QUESTIONS;
    let mut scratch = Scratch::default();
    if seed % 2 == 0 {
        scratch.tuning = Tuning::EVERYTHING;
    }
    for number in 0..ASKED {
        // Neighbours share little.
        let question = &questions[(usize::from(seed) + number * 23) % questions.len()];
        let page = search(snapshot, question, &mut scratch);
        render::page(snapshot, &page);
        match number {
            0 => drop(explain(snapshot, question, &page)),
            1 | 2 => {
                for cursor in [page.next_cursor, page.previous_cursor].into_iter().flatten() {
                    turn(snapshot, question, cursor, &mut scratch);
                }
                if let Some(mut cursor) = page.next_cursor {
                    cursor.side = Side::Before;
                    turn(snapshot, question, cursor, &mut scratch);
                }
            }
            // A cursor of anybody.
            3 => {
                let side = if seed % 4 < 2 { Side::After } else { Side::Before };
                let doc = DocId(if seed % 8 < 4 { u32::from(seed) } else { u32::MAX });
                let position = Position { relevance_key: u64::from(seed) << (seed % 32), doc };
                let (snapshot_version, query_fingerprint) = (snapshot.version(), 0);
                let rank = u32::from(seed) << (seed % 16);
                let cursor = Cursor {
                    side,
                    snapshot_version,
                    built_at: snapshot.metadata().built_at,
                    query_fingerprint,
                    position,
                    rank,
                };
                turn(snapshot, question, cursor, &mut scratch);
            }
            _ => {}
        }
    }
}

fn turn(snapshot: &Snapshot, question: &Query, cursor: Cursor, scratch: &mut Scratch) {
    let page = search(snapshot, &Query { cursor: Some(cursor), ..question.clone() }, scratch);
    render::page(snapshot, &page);
}
