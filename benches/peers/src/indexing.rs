//! `peers indexing`: how long tantivy and Firmament take to index one file of records, in one run.
//!
//! In: a file of JSON Lines. Out, for both: seconds until everything can be searched, records per
//! second, and bytes on disk.
//!
//! The second of two runs finds memory that the first has given back, which a virtual machine gets
//! sooner than memory that its host has to find: 0.3 against 2 seconds a gigabyte were seen, a
//! tenth of a run. So Firmament is first in odd rounds, and tantivy in even ones, and two rounds
//! are the least that compares them.
//!
//! tantivy has the fields that are searched (words with frequencies and positions), industry and
//! place as whole texts, employees and year as columns, and the JSON, not compressed; a thread for
//! each core and its own merge policy. Records are parsed on the calling thread meanwhile. It is
//! done when its last merge is, and once more when there is one segment, which is what
//! `peers speed` searches and what a snapshot is. It computes no orders, no counts and no lists of
//! the best businesses. Firmament is done when the snapshot is published: synced, read back and
//! verified.

use crate::Result;
use crate::records::{FIELDS, Location, Record};
use firmament::index::{BuildOptions, Input, NoProgress, build};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tantivy::schema::{FAST, STORED, STRING, Schema, TEXT};
use tantivy::{Index, IndexWriter, TantivyDocument};

/// Bytes of postings for all threads of the writer, after which it begins other segments; what
/// Firmament takes by default.
const WRITER_BUDGET: usize = 2 << 30;

/// Options of `indexing`.
#[derive(clap::Args)]
pub struct IndexingArguments {
    /// The records, as JSON Lines
    records: PathBuf,
    /// An empty folder for both indexes; what the last round writes there stays
    #[arg(long, value_name = "FOLDER")]
    folder: PathBuf,
    /// How often each indexes the file: first in one round, second in the next
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
}

/// A line of the file.
#[derive(serde::Deserialize)]
struct Line {
    id: String,
    name: String,
    website: Option<String>,
    industry: Option<String>,
    description: Option<String>,
    employee_count: Option<u64>,
    founded_year: Option<u64>,
    #[serde(default)]
    location: Location,
}

/// Indexes the file with both, and prints what it took.
pub fn run(arguments: &IndexingArguments) -> Result<()> {
    std::fs::create_dir_all(&arguments.folder)?;
    if std::fs::read_dir(&arguments.folder)?.next().is_some() {
        return Err(format!("{} is not empty", arguments.folder.display()).into());
    }
    let threads = std::thread::available_parallelism()?.get();
    println!("{}, {threads} threads", arguments.records.display());
    for round in 0..arguments.rounds {
        if round > 0 {
            std::fs::remove_dir_all(&arguments.folder)?;
            std::fs::create_dir(&arguments.folder)?;
        }
        let mut engines = [index_with_firmament, index_with_tantivy];
        engines.rotate_left(round as usize % 2);
        for index in engines {
            index(&arguments.records, &arguments.folder, threads)?;
        }
    }
    Ok(())
}

fn index_with_firmament(records: &Path, folder: &Path, threads: usize) -> Result<()> {
    let start = Instant::now();
    let inputs = [Input::File(records.to_owned())];
    let options = BuildOptions { threads: NonZeroUsize::new(threads), ..BuildOptions::default() };
    let report = build(&inputs, &folder.join("records.firmament"), &options, &NoProgress)?;
    print("Firmament", start.elapsed(), report.records, report.snapshot.len_bytes());
    Ok(())
}

fn print(what: &str, time: Duration, records: u64, bytes: u64) {
    let seconds = time.as_secs_f64();
    println!(
        "{what:<22} {seconds:>8.1} s {:>10.0} a second {bytes:>15} bytes",
        records as f64 / seconds
    );
}

fn index_with_tantivy(records: &Path, folder: &Path, threads: usize) -> Result<()> {
    let folder = folder.join("tantivy");
    std::fs::create_dir(&folder)?;
    let mut schema = Schema::builder();
    let texts = FIELDS.map(|name| schema.add_text_field(name, TEXT));
    let [whole_industry, place] =
        ["whole_industry", "place"].map(|name| schema.add_text_field(name, STRING));
    let [employees, year] = ["employees", "year"].map(|name| schema.add_u64_field(name, FAST));
    let json = schema.add_bytes_field("json", STORED);
    let start = Instant::now();
    let index = Index::create_in_dir(&folder, schema.build())?;
    let mut writer: IndexWriter = index.writer_with_num_threads(threads, WRITER_BUDGET)?;
    let mut count = 0;
    for line in BufReader::new(File::open(records)?).lines() {
        let line = line?;
        let Line {
            id,
            name,
            website,
            industry,
            description,
            employee_count,
            founded_year,
            location,
        } = serde_json::from_str(&line)?;
        let record = Record { id, name, website, industry, description };
        let mut document = TantivyDocument::default();
        for (field, text) in texts.into_iter().zip(record.texts()) {
            document.add_text(field, text);
        }
        record.industry.iter().for_each(|text| document.add_text(whole_industry, text));
        let Location { city, state, country } = location;
        [city, state, country].iter().flatten().for_each(|text| document.add_text(place, text));
        employee_count.iter().for_each(|&count| document.add_u64(employees, count));
        founded_year.iter().for_each(|&value| document.add_u64(year, value));
        document.add_bytes(json, line.as_bytes());
        writer.add_document(document)?;
        count += 1;
    }
    writer.commit()?;
    writer.wait_merging_threads()?;
    print("tantivy", start.elapsed(), count, size(&folder)?);
    let mut writer: IndexWriter = index.writer_with_num_threads(1, WRITER_BUDGET)?;
    let segments = index.searchable_segment_ids()?;
    if segments.len() > 1 {
        writer.merge(&segments).wait()?;
    }
    writer.garbage_collect_files().wait()?;
    writer.wait_merging_threads()?;
    print("tantivy, one segment", start.elapsed(), count, size(&folder)?);
    if index.reader()?.searcher().num_docs() != count {
        return Err("tantivy does not hold all records".into());
    }
    Ok(())
}

/// Bytes of the files in a folder.
pub fn size(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes)
}
