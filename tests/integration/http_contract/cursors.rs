//! Section 6: cursors, as far as HTTP sees them.

use firmament::ids::DocId;
use firmament::query::cursor::Cursor;
use firmament::query::cursor::Side;

use super::{SEARCH, assert_parameter_error, shared_server};
use crate::support::RECORDS;

#[test]
fn the_limit_may_change_between_pages_and_nothing_else() {
    let cursor = shared_server().get("/v1/search?q=anvil&limit=5").next_cursor().expect("15 match");
    let page = |query_string: &str| {
        shared_server().get(&format!("{SEARCH}?{query_string}&cursor={cursor}"))
    };
    assert_eq!(page("q=anvil&limit=100").ids().len(), 10);
    assert_eq!(page("q=anvil&sort=&industry=,").ids().len(), 10, "absent is absent");
    assert_eq!(page("q=anvil&sort=relevance&order=desc").ids().len(), 10, "defaults are no change");
    for other in [
        "q=beacon",
        "",
        "q=anvil&sort=name",
        "q=anvil&order=asc",
        "q=anvil&industry=Retail",
        "q=anvil&location=Paris",
        "q=anvil&min_employees=1",
        "q=anvil&max_employees=1",
    ] {
        page(other).assert_error(400, "cursor_mismatch", Some("cursor"));
    }
}

#[test]
fn a_cursor_made_by_hand_is_harmless() {
    for sort in ["relevance", "name", "employee_count", "founded_year"] {
        for order in ["asc", "desc"] {
            let search = format!("{SEARCH}?q=anvil&sort={sort}&order={order}&limit=5");
            let cursor = shared_server().get(&search).next_cursor().expect("15 match");
            for (doc, side, rank) in [
                (45, Side::After, 4),
                (45, Side::After, u32::MAX),
                (u32::MAX, Side::After, 0),
                (u32::MAX, Side::Before, 4),
                (0, Side::Before, u32::MAX),
            ] {
                let mut cursor = Cursor::decode(&cursor).expect("just issued");
                (cursor.position.doc, cursor.side, cursor.rank) = (DocId(doc), side, rank);
                let page = shared_server().get(&format!("{search}&cursor={}", cursor.encode()));
                assert_eq!(page.status, 200, "{sort} {order} {doc} {rank}: {}", page.text());
            }
        }
    }
}

#[test]
fn a_cursor_that_does_not_decode_is_never_page_one() {
    let cursor = shared_server().get("/v1/search?limit=5").next_cursor().expect("45 match");
    assert!(cursor.len() <= 128);
    assert!(cursor.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte)));
    for position in 0..cursor.len() {
        let mut changed = cursor.clone().into_bytes();
        changed[position] = if changed[position] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(changed).expect("ASCII");
        let response = shared_server().get(&format!("{SEARCH}?limit=5&cursor={changed}"));
        assert_eq!(response.status, 400, "changed at {position}: {}", response.text());
    }
    let long = "A".repeat(5_000);
    let doubled = cursor.repeat(2);
    for wrong in
        ["x", "A", &cursor[1..], &cursor[..cursor.len() - 1], &doubled, &long, "%2B%2F%3D", "%20"]
    {
        assert_parameter_error(
            &format!("limit=5&cursor={wrong}"),
            "invalid_cursor",
            Some("cursor"),
        );
    }
}

#[test]
fn a_walk_sees_every_match_once() {
    let whole = shared_server().get("/v1/search?limit=100").ids();
    let mut walked = Vec::new();
    let mut cursor = String::new();
    for limit in [1, 7, 20, 3].into_iter().cycle() {
        let page = shared_server().get(&format!("{SEARCH}?limit={limit}&cursor={cursor}"));
        assert_eq!(page.total(), RECORDS as u64);
        walked.extend(page.ids());
        match page.next_cursor() {
            Some(next) => cursor = next,
            None => break,
        }
    }
    assert_eq!(walked, whole);
}
