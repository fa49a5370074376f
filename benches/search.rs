//! What a search costs, by kind of request, over 100,000 synthetic businesses.
//!
//! Identifiers are `search/KIND`. Before a kind is timed its total is compared with a scan over the
//! records, so that a wrong answer cannot look fast. Queries are ready and answers are not cached.
//! `later_page/WAY` is a page of two frequent words behind the first ones, found by bounds of their
//! impacts and by scoring all hits, which must be the same. `facets/KIND` counts one facet, twenty
//! values of it: where counts are stored, and over the hits of filters and words; its counts are
//! compared with a scan as well. `render/page` is the body of a page of
//! twenty, its documents compared with the records.

use criterion::{Criterion, criterion_group, criterion_main};
use firmament::analyzer::{Analysis, TextField, fold_filter, plural};
use firmament::company::Company;
use firmament::facets::{self, Facet, FacetQuery};
use firmament::index::record::RecordParser;
use firmament::query::page::{Scratch, search};
use firmament::query::request::{Query, SortKey, SortOrder};
use firmament::query::session::ways::{Tuning, Way};
use firmament::query::text::TextQuery;
use firmament::render;
use firmament::snapshot::Snapshot;
use std::hint::black_box;

// Neither the generator's command line nor its unit tests are used here.
#[allow(dead_code, unused_imports)]
#[path = "../tools/generate/mod.rs"]
mod generate;

const RECORDS: u64 = 100_000;

/// The records of seed 1, and a snapshot of them.
fn collection() -> (Vec<Company>, Snapshot) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("synthetic.firmament");
    let generator = generate::Generator::new(1, RECORDS, false);
    let mut records = Vec::new();
    (0..RECORDS).for_each(|index| generator.write_record(index, &mut records));
    let text = String::from_utf8(records).expect("records are UTF-8");
    let mut parser = RecordParser::default();
    let parse = |line: &str| parser.parse(&mut line.as_bytes().to_vec()).expect("a record");
    let companies = text.lines().map(parse).collect();
    // The mapping outlives the folder.
    let report = firmament::index::from_jsonl(&text, &path).expect("a snapshot");
    (companies, report.snapshot)
}

/// Does a field of the company hold the word?
fn has(company: &Company, word: &str) -> bool {
    let texts = [
        (TextField::Name, Some(company.name.as_str())),
        (TextField::Host, company.website.as_deref()),
        (TextField::Industry, company.industry.as_deref()),
        (TextField::Description, company.description.as_deref()),
    ];
    let texts = texts.into_iter().filter_map(|(field, text)| Some((field, text?)));
    let aliases = company.aliases.iter().map(|text| (TextField::Alias, text));
    let others = company.other_websites.iter().map(|text| (TextField::Host, text));
    texts.chain(aliases).chain(others).any(|(field, text)| {
        let mut analysis = Analysis::default();
        match field {
            TextField::Host => analysis.analyze_host(text),
            _ => analysis.analyze(text),
        }
        let mut found = false;
        analysis.for_each_entry(field, |entry| {
            found |= entry.text == word || field.has_plurals() && plural::matches(entry.text, word);
        });
        found
    })
}

fn text(q: &str) -> Query {
    Query { text: TextQuery::parse(q).expect("a short text"), ..Query::default() }
}

fn is_software(company: &Company) -> bool {
    company.industry.as_deref() == Some("Software Development")
}

fn is_in_new_york(company: &Company) -> bool {
    // The text names a state as well as a city.
    let location = &company.location;
    [&location.city, &location.state].into_iter().any(|place| place.as_deref() == Some("New York"))
        && location.country.as_deref() == Some("United States")
}

/// Kind, request, and which companies it matches.
type Case = (&'static str, Query, fn(&Company) -> bool);

fn cases() -> Vec<Case> {
    let industries = || vec!["Software Development".to_owned()];
    let locations = || vec!["New York, United States".to_owned()];
    let by = |sort, order| Query { sort, order, ..Query::default() };
    let everything = Query {
        industries: industries(),
        locations: locations(),
        employee_count_min: Some(10),
        employee_count_max: Some(1000),
        ..Query::default()
    };
    let by_year = by(SortKey::FoundedYear, SortOrder::Desc);
    vec![
        ("all", Query::default(), |_| true),
        ("all_by_name", by(SortKey::Name, SortOrder::Asc), |_| true),
        ("industry", Query { industries: industries(), ..Query::default() }, is_software),
        ("industry_by_year", Query { industries: industries(), ..by_year }, is_software),
        ("place", Query { locations: locations(), ..Query::default() }, is_in_new_york),
        ("industry_place_employees", everything, |company| {
            is_software(company)
                && is_in_new_york(company)
                && company.employee_count.is_some_and(|count| (10..=1000).contains(&count))
        }),
        ("frequent_word", text("\"services\""), |company| has(company, "services")),
        ("two_frequent_words", text("services \"data\""), |company| {
            has(company, "services") && has(company, "data")
        }),
        ("no_match", text("\"qqqqqqqqzz\""), |_| false),
    ]
}

fn later_pages(criterion: &mut Criterion, snapshot: &Snapshot) {
    let mut by_impacts = Scratch::default();
    let mut scoring_all = Scratch::default();
    scoring_all.tuning = Tuning { held_max: u64::MAX, ..Tuning::default() };
    let mut query = text("of and");
    // The first pages are names with both words, which are few.
    loop {
        let pages = [&mut by_impacts, &mut scoring_all].map(|it| search(snapshot, &query, it));
        assert_eq!(pages[0].docs, pages[1].docs);
        if query.cursor.is_some() && pages[0].ways.contains(Way::ImpactWalk) {
            break;
        }
        query.cursor = Some(pages[0].next_cursor.expect("a page that is found by impacts"));
    }
    let mut group = criterion.benchmark_group("later_page");
    for (way, scratch) in [("by_impacts", &mut by_impacts), ("scoring_all", &mut scoring_all)] {
        group.bench_function(way, |bencher| {
            bencher.iter(|| search(snapshot, black_box(&query), scratch));
        });
    }
    group.finish();
}

/// Kind, request, facet, and which companies are counted.
type FacetCase = (&'static str, Query, Facet, fn(&Company) -> bool);

fn facet_cases() -> Vec<FacetCase> {
    let places =
        || Query { locations: vec!["New York, United States".to_owned()], ..Query::default() };
    let software =
        || Query { industries: vec!["Software Development".to_owned()], ..Query::default() };
    let services = || text("\"services\"");
    vec![
        ("industry_stored", Query::default(), Facet::Industry, |_| true),
        ("city_stored", Query::default(), Facet::City, |_| true),
        ("industry_by_place", places(), Facet::Industry, is_in_new_york),
        ("industry_by_word", services(), Facet::Industry, |company| has(company, "services")),
        ("city_by_industry", software(), Facet::City, is_software),
        ("city_by_word", services(), Facet::City, |company| has(company, "services")),
    ]
}

fn facets(criterion: &mut Criterion, companies: &[Company], snapshot: &Snapshot) {
    let mut group = criterion.benchmark_group("facets");
    for (kind, query, facet, matches) in facet_cases() {
        let request = FacetQuery { query, facets: vec![facet], prefix: None, limit: 20 };
        let count = || facets::count(snapshot, black_box(&request), Tuning::default());
        let counts = count();
        let hits: Vec<&Company> = companies.iter().filter(|company| matches(company)).collect();
        assert_eq!(counts.total, hits.len() as u64, "{kind}");
        let value_of = |company: &Company| match facet {
            Facet::Industry => company.industry.as_deref().map(fold_filter),
            _ => company.location.city.as_deref().map(fold_filter),
        };
        assert_eq!(counts.facets[0].values.len(), 20, "{kind}");
        for value in &counts.facets[0].values {
            let is_it = |company: &&&Company| value_of(company) == Some(fold_filter(&value.value));
            assert_eq!(value.count, hits.iter().filter(is_it).count() as u64, "{kind}: {value:?}");
        }
        group.bench_function(kind, |bencher| bencher.iter(count));
    }
    group.finish();
}

fn benches(criterion: &mut Criterion) {
    let (companies, snapshot) = collection();
    let mut group = criterion.benchmark_group("search");
    for (kind, query, matches) in cases() {
        let mut scratch = Scratch::default();
        let expected = companies.iter().filter(|company| matches(company)).count();
        assert_eq!(search(&snapshot, &query, &mut scratch).total, expected as u64, "{kind}");
        group.bench_function(kind, |bencher| {
            bencher.iter(|| search(&snapshot, black_box(&query), &mut scratch));
        });
    }
    group.finish();
    later_pages(criterion, &snapshot);
    facets(criterion, &companies, &snapshot);

    let page = search(&snapshot, &Query::default(), &mut Scratch::default());
    let body: serde_json::Value =
        serde_json::from_slice(&render::page(&snapshot, &page)).expect("a body is JSON");
    let results = body["results"].as_array().expect("results are an array");
    assert_eq!(results.len(), page.docs.len());
    for result in results {
        let company = companies.iter().find(|company| result["id"] == *company.id);
        let company = company.expect("a document of a record");
        assert_eq!(result["name"], *company.name);
        assert_eq!(result["description"].as_str(), company.description.as_deref());
        assert_eq!(result["employee_count"].as_u64(), company.employee_count);
    }
    criterion.bench_function("render/page", |bencher| {
        bencher.iter(|| render::page(&snapshot, black_box(&page)));
    });
}

criterion_group!(search_benches, benches);
criterion_main!(search_benches);
