//! What it costs to read records, by the format of the input: 20,000 synthetic ones, in memory.
//!
//! Identifiers are `input/FORMAT`; throughput is records a second, on all threads. Before a format
//! is timed, what it gives is compared with what the JSON Lines give.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use firmament::company::Company;
use firmament::index::source::read_all;
use firmament::index::{BuildOptions, Format, Input, NoProgress, ReadOptions};
use rayon::{ThreadPool, ThreadPoolBuilder};
use tables::{escaped, quoted, table};

// Neither the generator's command line nor its unit tests are used here.
#[allow(dead_code, unused_imports)]
#[path = "../tools/generate/mod.rs"]
mod generate;

#[path = "../tests/fuzz/src/tables.rs"]
mod tables;

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
        (Format::Csv, table(&companies, ",", quoted)),
        (Format::SqlExport, table(&companies, "\t", escaped)),
    ] {
        assert!(read(&pool, format, text.as_bytes()) == companies, "{format}");
        group.bench_function(BenchmarkId::from_parameter(format), |bencher| {
            bencher.iter(|| read(&pool, format, text.as_bytes()));
        });
    }
    group.finish();
}

criterion_group!(input_benches, input);
criterion_main!(input_benches);
