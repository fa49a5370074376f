//! Totals over records of your own equal those of a naive scan: run by hand.
//!
//! ```text
//! FIRMAMENT_FILES=a.jsonl,b.jsonl cargo test --release --test integration -- --ignored --nocapture given
//! ```
//!
//! For each file of JSON Lines, ten requests of different kinds are made from its own records,
//! answered by the engine and by the oracle, and printed as a table.

use crate::oracle::Oracle;
use crate::properties::subject::Subject;
use firmament::analyzer::Analysis;
use firmament::company::Company;
use firmament::index::record::RecordParser;
use firmament::query::page::{Scratch, search};
use firmament::query::request::{Query, SortKey, SortOrder};
use firmament::query::text::TextQuery;

#[test]
#[ignore = "needs files of records, named by FIRMAMENT_FILES"]
fn given_files_are_answered_as_the_oracle_does() {
    let files = std::env::var("FIRMAMENT_FILES").expect("FIRMAMENT_FILES names files");
    for file in files.split(',') {
        let text = std::fs::read_to_string(file).expect("a file of JSON Lines");
        let mut parser = RecordParser::default();
        let companies: Vec<Company> = text
            .lines()
            .map(|line| parser.parse(&mut line.as_bytes().to_vec()).expect("an acceptable record"))
            .collect();
        let subject = Subject::publish(&companies, &text);
        println!("\n{file}: {} records\n{:>8} {:>8}  request", companies.len(), "engine", "scan");
        let queries = queries(&companies);
        let oracle = Oracle::new(companies);
        for (label, query) in queries {
            let expected: Vec<&str> = oracle.ids(&query, &subject.text_score(&query));
            let page = search(&subject.snapshot, &query, &mut Scratch::default());
            println!("{:>8} {:>8}  {label}", page.total, expected.len());
            assert_eq!(page.total, expected.len() as u64, "{label}");
            let answer = oracle.answer(&query);
            assert_eq!((&page.corrected, page.relaxed), (&answer.corrected, answer.is_relaxed));
            assert_eq!(page.place, answer.place);
            if page.relaxed && query.sort == SortKey::Relevance {
                continue;
            }
            for (doc, id) in page.docs.iter().zip(&expected) {
                let json = String::from_utf8_lossy(&subject.snapshot.document(*doc)).into_owned();
                assert!(json.starts_with(&format!("{{\"id\":\"{id}\"")), "{label}: {json}");
            }
        }
    }
}

/// Ten requests of different kinds over words and values of the records themselves.
fn queries(companies: &[Company]) -> Vec<(String, Query)> {
    let at = |share: usize| &companies[companies.len() * share / 100];
    let words = |text: &str, skip: usize, take: usize| {
        let analysis = Analysis::of(text);
        let words = analysis.units().iter().flat_map(|unit| analysis.words(unit));
        words.skip(skip).take(take).map(|word| word.stripped).collect::<Vec<_>>().join(" ")
    };
    let some = |value: fn(&Company) -> Option<&str>, share: usize| {
        let start = companies.len() * share / 100;
        companies[start..].iter().find_map(value).unwrap_or("none").to_owned()
    };
    let q = |text: String| {
        let parsed = TextQuery::parse(&text).expect("a short text");
        (format!("q={text}"), Query { text: parsed, ..Query::default() })
    };
    // A text of some length; names where there are no descriptions.
    let is_long = |text: &str| Analysis::of(text).units().len() > 6;
    let description = companies[companies.len() * 40 / 100..]
        .iter()
        .map(|c| c.description.as_deref().unwrap_or(&c.name))
        .find(|text| is_long(text))
        .unwrap_or("none");
    let industry = some(|c| c.industry.as_deref(), 30);
    let (city, city_country) = companies[companies.len() * 20 / 100..]
        .iter()
        .find_map(|c| c.location.city.clone().zip(c.location.country.clone()))
        .unwrap_or_default();
    let country = some(|c| c.location.country.as_deref(), 60);
    let by_industry = Query { industries: vec![industry.clone()], ..Query::default() };
    let by_place = Query { locations: vec![format!("{city}, {city_country}")], ..Query::default() };
    let by_country = Query {
        locations: vec![country.clone()],
        sort: SortKey::Name,
        order: SortOrder::Desc,
        ..Query::default()
    };
    let by_size = Query {
        employee_count_min: Some(10),
        employee_count_max: Some(500),
        sort: SortKey::FoundedYear,
        order: SortOrder::Asc,
        ..Query::default()
    };
    let of_industry = companies.iter().rfind(|c| c.industry.as_ref() == Some(&industry));
    let mixed_words = words(&of_industry.unwrap_or(at(90)).name, 0, 1);
    let mixed_text = q(mixed_words.clone()).1.text;
    let mixed = Query { text: mixed_text, industries: vec![industry.clone()], ..Query::default() };
    vec![
        q(at(10).name.clone()),
        q(words(&at(50).name, 0, 1)),
        q(words(description, 3, 2)),
        q(format!("\"{}\"", words(description, 1, 3))),
        q(format!("{} -{}", words(description, 2, 1), words(description, 5, 1))),
        (format!("industry={industry}"), by_industry),
        (format!("location={city}, {city_country}"), by_place),
        (format!("location={country}&sort=name&order=desc"), by_country),
        ("min_employees=10&max_employees=500&sort=founded_year&order=asc".to_owned(), by_size),
        (format!("q={mixed_words}&industry={industry}"), mixed),
    ]
}
