//! Requests of every kind, answered alike by both engines.

use super::*;

const RECORDS: &str = r#"{"id":"a","name":"Acme Anvils Inc","website":"https://www.acme.example/","description":"Heavy boxes and anvils.","industry":"Oil, Gas & Mining","employee_count":30,"location":{"city":"Austin","state":"Texas","country":"United States"},"founded_year":1900}
{"id":"b","name":"PayPal","website":"https://paypal.test","description":"A box for money.","industry":"Tools","employee_count":20,"location":{"city":"New York","state":"New York","country":"US"},"founded_year":1999}
{"id":"c","name":"Müller & Söhne","description":"Anvil. Boxes","industry":"Tools","location":{"city":"Paris","country":"France"}}
{"id":"d","name":"AT&T Boxes","website":"https://att.com","employee_count":500,"founded_year":1885}
{"id":"e","name":"Anvil","employee_count":30}
"#;

fn snapshot(folder: &Path) -> Snapshot {
    let path = folder.join("records.firmament");
    firmament::index::from_jsonl(RECORDS, &path).expect("valid records").snapshot
}

/// Total and documents in both engines, or why there is nothing to compare.
fn compared(query_string: &str) -> std::result::Result<u64, LeftOut> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let snapshot = snapshot(folder.path());
    let index = PeerIndex::of(&snapshot, folder.path()).expect("an index");
    assert!(index.build_time.is_some() && index.bytes > 0);
    let translator = Translator::new(&snapshot, &index);
    let query = parse_query_string(query_string).expect("a request");
    let page = search(&snapshot, &query, &mut Scratch::default());
    match checked(&translator, &index, &query, &page).expect("an answer") {
        Ok(_) => Ok(page.total),
        Err((why, _)) => Err(why),
    }
}

#[test]
fn what_can_be_translated_is_answered_alike() {
    for (query_string, total) in [
        ("", 5),
        ("q=anvils", 2),
        ("q=anvil", 3),
        ("q=box", 4),
        ("q=boxes", 4),
        ("q=anv", 2),
        ("q=acme+inc", 1),
        ("q=pay+pal", 1),
        ("q=att", 1),
        ("q=at%26t", 1),
        ("q=mueller", 1),
        ("q=muller", 1),
        ("q=%22heavy+box%22", 1),
        ("q=%22anvils+inc%22", 1),
        ("q=%22inc+acme%22&industry=tools", 0),
        ("q=acme.example", 1),
        ("industry=Oil,+Gas+%26+Mining", 1),
        ("industry=tools&industry=nothing", 2),
        ("location=Austin,+Texas", 1),
        ("location=NY,+USA", 1),
        ("location=New+York,+New+York", 1),
        ("min_employees=20&max_employees=30", 3),
        ("max_employees=30&sort=name", 3),
        ("sort=name&order=desc", 5),
        ("sort=founded_year", 5),
        ("sort=employee_count&order=asc&q=anvil", 3),
        ("q=box&order=asc", 4),
        ("q=!!!", 0),
    ] {
        assert_eq!(compared(query_string), Ok(total), "{query_string}");
    }
}

#[test]
fn what_cannot_is_left_out() {
    for (query_string, why) in [
        ("q=anvilz", LeftOut::Corrected),
        ("q=acme+paypal", LeftOut::Corrected),
        ("q=box+-anvil", LeftOut::Untranslated),
        ("q=anv*+box", LeftOut::Untranslated),
    ] {
        assert_eq!(compared(query_string), Err(why), "{query_string}");
    }
}

#[test]
fn pages_go_on_where_a_cursor_points() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let snapshot = snapshot(folder.path());
    let index = PeerIndex::of(&snapshot, folder.path()).expect("an index");
    let translator = Translator::new(&snapshot, &index);
    for sort in ["relevance", "name", "employee_count", "founded_year&order=asc"] {
        let mut query = parse_query_string(&format!("limit=2&sort={sort}")).expect("a request");
        let mut pages = 0;
        loop {
            let page = search(&snapshot, &query, &mut Scratch::default());
            assert!(checked(&translator, &index, &query, &page).expect("an answer").is_ok());
            pages += 1;
            query.cursor = page.next_cursor;
            if query.cursor.is_none() {
                break;
            }
        }
        assert_eq!(pages, 3, "{sort}");
    }
    // The index is found again.
    assert!(PeerIndex::of(&snapshot, folder.path()).expect("an index").build_time.is_none());
}

#[test]
fn figures_are_mean_median_and_99th_percentile() {
    let times = (1..=200).map(Duration::from_micros);
    let figures = figures(times).map(|figure| (figure * 1000.0).round());
    assert_eq!(figures, [100_500.0, 100_000.0, 198_000.0]);
}
