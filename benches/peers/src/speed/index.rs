//! The index of tantivy, as its expert would lay it out for Firmament's contract.
//!
//! In: a snapshot. Out: one merged segment on disk, its documents in the static order, so that a
//! document has the same number in both engines and hits in that order need no sorting. Industries,
//! places and hosts are raw terms, employees a fast field, each sort order a fast field of ranks,
//! texts as in [`words`](super::words), and the JSON of each business is stored, not compressed,
//! since decompression would cost time.

use super::words::{Content, FIELD_END, Words};
use crate::Result;
use crate::indexing::size;
use crate::records::Location;
use firmament::analyzer::fold_filter;
use firmament::analyzer::host::Host;
use firmament::ids::DocId;
use firmament::places::stored_keys;
use firmament::snapshot::columns::sort_order::Permutation;
use firmament::snapshot::Snapshot;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tantivy::columnar::Column;
use tantivy::indexer::NoMergePolicy;
use tantivy::schema::{
    FAST, Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::store::Compressor;
use tantivy::tokenizer::TokenizerManager;
use tantivy::{Index, IndexSettings, IndexWriter, Searcher, TantivyDocument};

/// Bytes of postings after which the writer begins another segment.
const WRITER_BUDGET: usize = 1 << 30;

/// The fields of the index.
#[derive(Clone, Copy)]
pub struct Fields {
    pub all: Field,
    pub prose: Field,
    pub names: Field,
    pub starts: Field,
    pub host: Field,
    pub industry: Field,
    pub place: Field,
    pub employees: Field,
    pub json: Field,
    ranks: [Field; 5],
}

/// Names of the rank fields: by name both ways, by employees ascending, by year both ways.
const RANKS: [&str; 5] = ["name_asc", "name_desc", "employees_asc", "year_asc", "year_desc"];

/// An index, open.
pub struct PeerIndex {
    pub searcher: Searcher,
    pub fields: Fields,
    /// The ranks of all documents in each order of [`RANKS`].
    pub ranks: [Column<u64>; 5],
    /// Size of its files, in bytes.
    pub bytes: u64,
    /// How long it took to build; nothing if it was there already.
    pub build_time: Option<Duration>,
}

/// What of a record is indexed.
#[derive(serde::Deserialize)]
struct Record {
    name: String,
    website: Option<String>,
    description: Option<String>,
    industry: Option<String>,
    employee_count: Option<u64>,
    location: Location,
}

fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let words = |tokenizer: &str, record, norms| {
        TextOptions::default().set_indexing_options(
            TextFieldIndexing::default()
                .set_tokenizer(tokenizer)
                .set_index_option(record)
                .set_fieldnorms(norms),
        )
    };
    let positions = IndexRecordOption::WithFreqsAndPositions;
    let fields = Fields {
        all: schema.add_text_field("all", words("all", positions, true)),
        prose: schema.add_text_field("prose", words("prose", positions, true)),
        names: schema.add_text_field("names", words("names", IndexRecordOption::Basic, false)),
        starts: schema.add_text_field("starts", words("starts", IndexRecordOption::Basic, false)),
        host: schema.add_text_field("host", STRING),
        industry: schema.add_text_field("industry", STRING),
        place: schema.add_text_field("place", STRING),
        employees: schema.add_u64_field("employees", FAST),
        json: schema.add_bytes_field("json", STORED),
        ranks: RANKS.map(|name| schema.add_u64_field(name, FAST)),
    };
    (schema.build(), fields)
}

fn tokenizers() -> TokenizerManager {
    let tokenizers = TokenizerManager::default();
    for (name, content) in [
        ("all", Content::All),
        ("prose", Content::Prose),
        ("names", Content::Names),
        ("starts", Content::Starts),
    ] {
        tokenizers.register(name, Words::new(content));
    }
    tokenizers
}

fn permutations(snapshot: &Snapshot) -> [Permutation<'_>; 5] {
    [
        snapshot.by_name_ascending(),
        snapshot.by_name_descending(),
        snapshot.by_employee_count_ascending(),
        snapshot.by_founded_year_ascending(),
        snapshot.by_founded_year_descending(),
    ]
}

impl PeerIndex {
    /// Opens the index of the snapshot below `folder`, and builds it first if it is not there.
    pub fn of(snapshot: &Snapshot, folder: &Path) -> Result<PeerIndex> {
        let folder = folder.join(snapshot.version().to_string());
        let build_time = match folder.join("meta.json").exists() {
            true => None,
            false => Some(build(snapshot, &folder)?),
        };
        let mut index = Index::open_in_dir(&folder)?;
        index.set_tokenizers(tokenizers());
        let (schema, fields) = schema();
        if index.schema() != schema {
            return Err(
                format!("{} holds an index of another make: remove it", folder.display()).into()
            );
        }
        let searcher = index.reader()?.searcher();
        let [segment] = searcher.segment_readers() else { return Err("not one segment".into()) };
        let mut ranks = Vec::new();
        for (name, permutation) in RANKS.iter().zip(permutations(snapshot)) {
            let column = segment.fast_fields().u64(name)?;
            let is_right = |doc| column.first(doc) == Some(u64::from(permutation.rank(DocId(doc))));
            if segment.max_doc() != snapshot.num_docs() || !(0..snapshot.num_docs()).all(is_right) {
                return Err(format!("{}: documents are out of order", folder.display()).into());
            }
            ranks.push(column);
        }
        let ranks = ranks.try_into().map_err(|_| "not five orders")?;
        Ok(PeerIndex { bytes: size(&folder)?, searcher, fields, ranks, build_time })
    }
}

/// Builds the index; a folder that is there but not finished is replaced.
fn build(snapshot: &Snapshot, folder: &PathBuf) -> Result<Duration> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    let unfinished = folder.with_extension("unfinished");
    if unfinished.exists() {
        std::fs::remove_dir_all(&unfinished)?;
    }
    std::fs::create_dir_all(&unfinished)?;
    let start = Instant::now();
    let (schema, fields) = schema();
    let settings =
        IndexSettings { docstore_compression: Compressor::None, ..IndexSettings::default() };
    let index = Index::builder()
        .schema(schema)
        .settings(settings)
        .tokenizers(tokenizers())
        .create_in_dir(&unfinished)?;
    // One thread, so that documents stand in the order in which they are added.
    let mut writer: IndexWriter = index.writer_with_num_threads(1, WRITER_BUDGET)?;
    writer.set_merge_policy(Box::new(NoMergePolicy));
    let permutations = permutations(snapshot);
    for doc in (0..snapshot.num_docs()).map(DocId) {
        writer.add_document(document(snapshot, doc, fields, &permutations)?)?;
    }
    writer.commit()?;
    let mut segments = index.searchable_segments()?;
    if segments.len() > 1 {
        // In the order of their documents, whatever order the index keeps them in.
        let mut ordered = Vec::new();
        for segment in segments.drain(..) {
            let reader = tantivy::SegmentReader::open(&segment)?;
            let first = reader.fast_fields().u64(RANKS[0])?.first(0).ok_or("an empty segment")?;
            let doc = permutations[0].doc_at(first as usize);
            ordered.push((doc, segment.id()));
        }
        ordered.sort_unstable_by_key(|(doc, _)| *doc);
        let ids: Vec<_> = ordered.into_iter().map(|(_, id)| id).collect();
        writer.merge(&ids).wait()?;
    }
    writer.garbage_collect_files().wait()?;
    writer.wait_merging_threads()?;
    let time = start.elapsed();
    std::fs::rename(&unfinished, folder)?;
    Ok(time)
}

fn document(
    snapshot: &Snapshot,
    doc: DocId,
    fields: Fields,
    permutations: &[Permutation<'_>; 5],
) -> Result<TantivyDocument> {
    let json = snapshot.document(doc);
    let record: Record = serde_json::from_slice(&json)?;
    let website = record.website.as_deref().unwrap_or_default();
    let industry = record.industry.as_deref().unwrap_or_default();
    let text = [&record.name, website, industry, record.description.as_deref().unwrap_or_default()]
        .join(FIELD_END.encode_utf8(&mut [0; 4]));
    let mut document = TantivyDocument::default();
    for field in [fields.all, fields.prose, fields.names, fields.starts] {
        document.add_text(field, &text);
    }
    if let Some(host) = Host::of_website(website) {
        document.add_text(fields.host, host.name());
    }
    for key in fold_filter(industry).iter().filter(|key| !key.is_empty()) {
        document.add_text(fields.industry, key);
    }
    let Location { city, state, country } = &record.location;
    for key in stored_keys(city.as_deref(), state.as_deref(), country.as_deref()) {
        document.add_text(fields.place, key.as_str());
    }
    if let Some(count) = record.employee_count {
        document.add_u64(fields.employees, count);
    }
    for (field, permutation) in fields.ranks.into_iter().zip(permutations) {
        document.add_u64(field, u64::from(permutation.rank(doc)));
    }
    document.add_bytes(fields.json, &json);
    Ok(document)
}
