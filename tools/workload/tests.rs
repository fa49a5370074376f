//! What every generated file keeps: determinism, shares, no request twice, true cursors.

use super::super::generate;
use super::*;
use firmament::http::parse_query_string;
use firmament::query::page::{Scratch, search};
use firmament::query::request::Query;
use firmament::snapshot::Snapshot;
use std::sync::OnceLock;

const RECORDS: u64 = 5_000;
const REQUESTS: usize = 1_000;

fn snapshot() -> &'static Snapshot {
    static SNAPSHOT: OnceLock<Snapshot> = OnceLock::new();
    SNAPSHOT.get_or_init(|| {
        let generator = generate::Generator::new(1, RECORDS, false);
        let mut records = Vec::new();
        (0..RECORDS).for_each(|index| generator.write_record(index, &mut records));
        let folder = tempfile::tempdir().unwrap();
        let text = String::from_utf8(records).unwrap();
        firmament::index::from_jsonl(&text, &folder.path().join("w.firmament")).unwrap().snapshot
    })
}

fn made(load: &Load, seed: u64) -> (Vec<Request>, Vec<String>) {
    requests(&Draw::new(snapshot()), load, REQUESTS, seed)
}

#[test]
fn the_same_seed_makes_the_same_requests() {
    for load in [&MIX, &BEYOND, &SHAPES] {
        let (one, other, next) = (made(load, 1), made(load, 1), made(load, 2));
        assert_eq!(one, other);
        assert_ne!(one.0, next.0);
    }
}

#[test]
fn shares_are_those_of_the_classes_and_no_request_is_there_twice() {
    for load in [&MIX, &BEYOND, &SHAPES] {
        let (requests, shortages) = made(load, 1);
        assert_eq!(shortages, [] as [String; 0]);
        let sum: usize = load.classes.iter().map(|class| class.share).sum();
        for class in load.classes {
            let count = requests.iter().filter(|request| request.class == class.name).count();
            let wanted = REQUESTS * class.share / sum;
            // What does not divide goes to some classes.
            assert!(count == wanted || (sum != 100 && count == wanted + 1), "{}", class.name);
        }
        let mut query_strings: Vec<&str> =
            requests.iter().map(|request| request.query_string.as_str()).collect();
        query_strings.sort_unstable();
        query_strings.dedup();
        assert_eq!(query_strings.len(), REQUESTS);
        // Classes are mixed: none comes as a block.
        let changes = requests.windows(2).filter(|pair| pair[0].class != pair[1].class).count();
        assert!(changes > REQUESTS / 2, "{changes}");
    }
    assert_eq!(shares(MIX.classes, 7).iter().sum::<usize>(), 7);
}

#[test]
fn every_request_is_accepted_and_is_what_its_class_says() {
    let mut scratch = Scratch::default();
    let requests = [made(&MIX, 3).0, made(&BEYOND, 3).0].concat();
    for Request { class, query_string } in &requests {
        let query = parse_query_string(query_string).unwrap();
        let page = search(snapshot(), &query, &mut scratch);
        let has_text = !query.text.is_blank();
        let has_place = !query.locations.is_empty();
        let has_industry = !query.industries.is_empty();
        let has_band = query.employee_count_min.is_some();
        let filters = (has_industry, has_place, has_band);
        let is_right = match class.as_str() {
            "name" | "phrase" | "prefix" | "keyword" => {
                has_text && filters == (false, false, false)
            }
            "misspelt" => has_text,
            "keyword-industry" => filters == (true, false, false) && has_text,
            "industry" => filters == (true, false, false) && !has_text,
            "place" => filters == (false, true, false),
            "industry-place-employees" => filters == (true, true, true),
            "filters-by-year" => {
                filters == (true, true, true) && query_string.contains("sort=founded_year")
            }
            "by-employees" => query_string.contains("sort=employee_count"),
            "by-name" => query_string.contains("sort=name"),
            "deep" => query.cursor.is_some() && page.previous_cursor.is_some(),
            "no-match" => page.total == 0,
            _ => false,
        };
        assert!(is_right, "{class}: {query_string}");
        assert!(
            page.total > 0 || matches!(class.as_str(), "no-match" | "misspelt"),
            "{query_string}"
        );
    }
}

/// `q` and the names of the other parameters, in order.
fn parts(query_string: &str) -> (String, Vec<String>) {
    let mut pairs = form_urlencoded::parse(query_string.as_bytes()).into_owned();
    let (name, q) = pairs.next().unwrap();
    assert_eq!(name, "q");
    (q, pairs.map(|(name, _)| name).collect())
}

#[test]
fn every_shape_is_accepted_and_is_what_its_name_says() {
    let mut scratch = Scratch::default();
    for Request { class, query_string } in made(&SHAPES, 3).0 {
        let query = parse_query_string(&query_string).unwrap();
        let page = search(snapshot(), &query, &mut scratch);
        let (q, others) = parts(&query_string);
        let words = q.split(' ').count();
        let parameters: &[&str] = match class.as_str() {
            "word-two-industries" => &["industry", "industry"],
            "word-city" | "word-country" => &["location"],
            "word-industry-city" | "word-industry-country" => &["industry", "location"],
            "word-employees" => &["min_employees"],
            "word-industry-employees" => &["industry", "min_employees"],
            "word-city-employees" | "word-country-employees" => &["location", "min_employees"],
            "words-limit-100" => &["limit"],
            "words-page-2" | "words-page-50" => &["cursor"],
            sorted if query_string.contains("&sort=") => {
                let order = if sorted.ends_with("-asc") { "order=asc" } else { "order=desc" };
                assert!(query_string.ends_with(order), "{class}: {query_string}");
                &["sort", "order"]
            }
            _ => &[],
        };
        let others: Vec<&str> = others.iter().map(String::as_str).collect();
        let others = others.strip_suffix(&["max_employees"]).unwrap_or(&others);
        assert_eq!(others, parameters, "{class}: {query_string}");
        let is_right = match class.as_str() {
            "one-word" | "one-word-unfinished" => words == 1,
            "two-words" | "two-words-unfinished" | "word-and-frequent" => words == 2,
            "five-words" => words == 5,
            "one-word-quoted" => words == 1 && q.matches('"').count() == 2,
            "two-words-quoted" => words == 2 && q.matches('"').count() == 4,
            "one-word-without" => words == 2 && q.contains(" -"),
            "two-words-without" => words == 3 && q.contains(" -"),
            "word-starred" => words == 1 && q.ends_with('*'),
            "two-words-and" => words == 3 && q.contains(" and "),
            "phrase-of-two" => words == 2 && q.matches('"').count() == 2,
            "phrase-of-three" => words == 3 && q.matches('"').count() == 2,
            "sentence" => (6..=10).contains(&words),
            "name-misspelt" => words >= 1,
            "name-reversed" => (2..=3).contains(&words),
            "name-city-country" => words >= 3,
            "three-words-apart" => words == 3 && page.relaxed,
            "eight-words-apart" => words == 8 && page.relaxed,
            "words-page-2" | "words-page-50" => words <= 2 && page.previous_cursor.is_some(),
            "words-limit-100" => words <= 2 && query.limit == 100,
            sorted if parameters == ["sort", "order"] => words <= 2 && sorted.starts_with("words-"),
            filtered => words == 1 && !parameters.is_empty() && filtered.starts_with("word-"),
        };
        assert!(is_right, "{class}: {query_string}");
        // Wrong letters may leave no word, and a frequent word that is excluded no document.
        let may_be_empty =
            ["-unfinished", "-misspelt", "-without"].iter().any(|end| class.ends_with(end));
        assert!(page.total > 0 || may_be_empty, "{class}: {query_string}");
    }
}

#[test]
fn shapes_draw_the_same_records() {
    let requests = made(&SHAPES, 1).0;
    let of = |class: &str| -> Vec<String> {
        let requests = requests.iter().filter(|request| request.class == class);
        let mut texts: Vec<String> = requests
            .map(|request| parts(&request.query_string).0.replace(['"', '*'], ""))
            .collect();
        texts.sort_unstable();
        texts.truncate(REQUESTS / SHAPES.classes.len());
        texts
    };
    assert_eq!(of("two-words-quoted"), of("two-words"));
    assert_eq!(of("word-starred"), of("one-word-quoted"));
}

#[test]
fn cursors_are_those_of_a_walk() {
    let mut scratch = Scratch::default();
    let deep = made(&MIX, 1).0.into_iter().filter(|request| request.class == "deep");
    let mut checked = 0;
    for request in deep {
        let there = parse_query_string(&request.query_string).unwrap();
        let wanted = search(snapshot(), &there, &mut scratch);
        // Page by page, as a client walks, to where the cursor points.
        let mut walk = Query { cursor: None, limit: 100, ..there.clone() };
        let mut all = Vec::new();
        loop {
            let page = search(snapshot(), &walk, &mut scratch);
            all.extend(page.docs);
            walk.cursor = page.next_cursor;
            if walk.cursor.is_none() {
                break;
            }
        }
        let position = there.cursor.unwrap().position.doc;
        let at = all.iter().position(|&doc| doc == position).unwrap() + 1;
        let end = (at + 20).min(all.len());
        assert_eq!(wanted.docs, all[at..end], "{}", request.query_string);
        checked += 1;
    }
    assert_eq!(checked, REQUESTS / 20);
}

#[test]
fn a_shortage_is_told_and_the_rest_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let text = "{\"id\":\"a\",\"name\":\"One Name\",\"industry\":\"Tools\"}\n";
    let path = folder.path().join("one.firmament");
    let snapshot = firmament::index::from_jsonl(text, &path).unwrap().snapshot;
    let (requests, shortages) = requests(&Draw::new(&snapshot), &MIX, 100, 1);
    let of = |class: &str| requests.iter().filter(|request| request.class == class).count();
    assert_eq!((of("name"), of("phrase"), of("industry"), of("place")), (3, 1, 1, 0));
    assert!(
        shortages.iter().any(|text| text.contains("name has 3 different requests instead of 30"))
    );
    let file = folder.path().join("w.tsv");
    request_file::write(&file, &formats::text(Format::Tsv, "", &requests)).ok().unwrap();
    assert_eq!(request_file::read(&file).ok().unwrap(), requests);
}
