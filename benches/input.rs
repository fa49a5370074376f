//! What it costs to read records, by the format of the input: 20,000 synthetic ones, in memory.
//!
//! Identifiers are `input/FORMAT`; throughput is records a second, on all threads. Before a format
//! is timed, what it gives is compared with what the JSON Lines give.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use firmament::company::Company;
use firmament::index::source::read_all;
use firmament::index::{BuildOptions, Format, Input, NoProgress, ReadOptions};
use rayon::{ThreadPool, ThreadPoolBuilder};

// Neither the generator's command line nor its unit tests are used here.
#[allow(dead_code, unused_imports)]
#[path = "../tools/generate/mod.rs"]
mod generate;

const RECORDS: u64 = 20_000;

/// Reads all records of an input.
fn read(pool: &ThreadPool, format: Format, bytes: &[u8]) -> Vec<Company> {
    let read = ReadOptions { format: Some(format), ..ReadOptions::default() };
    let options = BuildOptions { read, ..BuildOptions::default() };
    let mut found = Vec::new();
    let input = [Input::Memory(bytes.to_vec())];
    read_all(&input, &options, pool, &NoProgress, &mut |blocks| {
        let records = blocks.into_iter().flat_map(|block| block.records);
        found.extend(records.map(|(_, company)| company));
        Ok(())
    })
    .expect("all records are read");
    found
}

/// The values of a company that a cell holds, by column.
fn cells(company: &Company) -> [(&'static str, Option<String>); 10] {
    let place = &company.location;
    [
        ("id", Some(company.id.clone())),
        ("name", Some(company.name.clone())),
        ("website", company.website.clone()),
        ("description", company.description.clone()),
        ("industry", company.industry.clone()),
        ("employee_count", company.employee_count.map(|count| count.to_string())),
        ("location.city", place.city.clone()),
        ("location.state", place.state.clone()),
        ("location.country", place.country.clone()),
        ("founded_year", company.founded_year.map(|year| year.to_string())),
    ]
}

/// Companies as a table, every value in quotation marks or none.
fn table(companies: &[Company], separator: &str, is_quoted: bool) -> Vec<u8> {
    let cell = |value: Option<String>| match value {
        Some(value) if is_quoted => format!("\"{}\"", value.replace('"', "\"\"")),
        Some(value) => value,
        None if is_quoted => String::new(),
        None => "\\N".to_owned(),
    };
    let mut table = cells(&Company::default()).map(|(name, _)| name).join(separator) + "\n";
    for company in companies {
        table += &cells(company).map(|(_, value)| cell(value)).join(separator);
        table.push('\n');
    }
    table.into_bytes()
}

fn input(criterion: &mut Criterion) {
    let pool = ThreadPoolBuilder::new().build().expect("threads");
    let generator = generate::Generator::new(1, RECORDS, false);
    let mut json = Vec::new();
    (0..RECORDS).for_each(|index| generator.write_record(index, &mut json));
    let mut companies = read(&pool, Format::JsonLines, &json);
    assert_eq!(companies.len() as u64, RECORDS);
    let mut group = criterion.benchmark_group("input");
    group.throughput(Throughput::Elements(RECORDS));
    group.bench_function(BenchmarkId::from_parameter(Format::JsonLines), |bencher| {
        bencher.iter(|| read(&pool, Format::JsonLines, &json));
    });
    // A cell holds no lists.
    for company in &mut companies {
        (company.aliases, company.other_websites) = Default::default();
    }
    for (format, text) in [
        (Format::Csv, table(&companies, ",", true)),
        (Format::SqlExport, table(&companies, "\t", false)),
    ] {
        assert!(read(&pool, format, &text) == companies, "{format}");
        group.bench_function(BenchmarkId::from_parameter(format), |bencher| {
            bencher.iter(|| read(&pool, format, &text));
        });
    }
    group.finish();
}

criterion_group!(input_benches, input);
criterion_main!(input_benches);
