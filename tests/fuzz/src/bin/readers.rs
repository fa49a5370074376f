//! Inputs are any bytes: no reader may be upset by them, and what one takes, every other takes too.
//!
//! The first byte chooses the format, the second the options, the rest is the input. What is
//! accepted is written as JSON Lines, as CSV and as an export of a database, and each must give the
//! same companies again; tables without aliases and other websites, of which a cell holds one.

#![no_main]

use firmament::company::Company;
use firmament::index::source::read_all;
use firmament::index::{
    BuildError, BuildOptions, Format, Input, Mapping, MappingOptions, NoProgress, ReadOptions,
};
use libfuzzer_sys::fuzz_target;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Once, OnceLock};
use tables::{cells, escaped, quoted, table};

#[path = "../tables.rs"]
mod tables;

const FORMATS: [Format; 6] =
    [Format::JsonLines, Format::Json, Format::Csv, Format::Tsv, Format::SqlExport, Format::Parquet];

const ENCODINGS: [Option<&str>; 4] = [None, None, Some("windows-1252"), Some("utf-16le")];

/// Lets panics of libraries unwind: the reader of Parquet makes errors of them, and any that goes
/// on from there ends the run all the same.
fn unwind_from_libraries() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let ending = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let is_ours = |place: &std::panic::Location<'_>| !place.file().contains("/registry/");
            if panic.location().is_none_or(is_ours) {
                ending(panic);
            }
        }));
    });
}

fuzz_target!(|data: &[u8]| {
    unwind_from_libraries();
    let [format, options, bytes @ ..] = data else { return };
    let format = FORMATS[usize::from(*format) % FORMATS.len()];
    let is_text = format != Format::Parquet;
    let label = ENCODINGS[usize::from(options & 3)].filter(|_| is_text);
    let columns = (options & 4 != 0).then(|| vec!["id".to_owned(), "name".to_owned()]);
    let id_from = if options & 8 == 0 { Vec::new() } else { vec!["name".to_owned()] };
    let mapping = MappingOptions { id_from, ..MappingOptions::default() };
    let read = ReadOptions {
        format: Some(format),
        delimiter: (options & 16 != 0).then_some(b';').filter(|_| format == Format::Csv),
        encoding: label.map(|label| label.parse().expect("a label")),
        columns: columns.filter(|_| is_text),
        mapping: Mapping::new(&mapping).expect("a mapping"),
        at: if options & 32 == 0 { Vec::new() } else { vec!["results".to_owned()] },
    };
    // An input may be refused as a whole.
    let Ok(companies) = companies(bytes.to_vec(), read) else { return };
    assert_eq!(companies_of(json_lines(&companies), Format::JsonLines), companies);
    let mut without_lists = companies;
    for company in &mut without_lists {
        (company.aliases, company.other_websites) = Default::default();
    }
    for (format, text) in [
        (Format::Csv, table(&without_lists, ",", quoted)),
        (Format::SqlExport, table(&without_lists, "\t", escaped)),
    ] {
        assert_eq!(companies_of(text, format), without_lists, "{format}");
    }
});

fn companies_of(text: String, format: Format) -> Vec<Company> {
    let read = ReadOptions { format: Some(format), ..ReadOptions::default() };
    companies(text.into_bytes(), read).expect("what was written is read")
}

fn companies(bytes: Vec<u8>, read: ReadOptions) -> Result<Vec<Company>, BuildError> {
    static POOL: OnceLock<ThreadPool> = OnceLock::new();
    let pool =
        POOL.get_or_init(|| ThreadPoolBuilder::new().num_threads(1).build().expect("a thread"));
    let options = BuildOptions { read, ..BuildOptions::default() };
    let mut found = Vec::new();
    read_all(&[Input::Memory(bytes)], &options, pool, &NoProgress, &mut |blocks| {
        found
            .extend(blocks.into_iter().flat_map(|block| block.records).map(|(_, company)| company));
        Ok(())
    })?;
    Ok(found)
}

fn json_lines(companies: &[Company]) -> String {
    let line = |company: &Company| {
        let mut record = serde_json::Map::new();
        let mut location = serde_json::Map::new();
        for (name, value) in cells(company) {
            let value = match (value, name) {
                (None, _) => serde_json::Value::Null,
                (Some(number), "employee_count" | "founded_year") => {
                    serde_json::Value::from(number.parse::<u64>().expect("a number"))
                }
                (Some(text), _) => serde_json::Value::from(text),
            };
            match name.strip_prefix("location.") {
                Some(place) => location.insert(place.to_owned(), value),
                None => record.insert(name.to_owned(), value),
            };
        }
        record.insert("location".to_owned(), location.into());
        for (name, list) in
            [("aliases", &company.aliases), ("other_websites", &company.other_websites)]
        {
            record.insert(name.to_owned(), list.iter().collect());
        }
        serde_json::Value::from(record).to_string() + "\n"
    };
    companies.iter().map(line).collect()
}
