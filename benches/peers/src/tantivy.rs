//! tantivy: BM25 with the default tokenizer, which splits at everything but letters and digits,
//! lower-cases, and leaves out words of 40 bytes and more.
//!
//! Scores of a word in several fields add up, as in tantivy's own query parser with several default
//! fields.

use crate::Result;
use crate::engine::{Engine, Mode};
use crate::records::{FIELDS, Record};
use ::tantivy::collector::TopDocs;
use ::tantivy::columnar::Column;
use ::tantivy::indexer::NoMergePolicy;
use ::tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use ::tantivy::schema::{FAST, Field, IndexRecordOption, Schema, TEXT};
use ::tantivy::tokenizer::TextAnalyzer;
use ::tantivy::{Index, IndexWriter, Searcher, TantivyDocument, Term};

/// Bytes of postings after which the writer begins another segment.
const WRITER_BUDGET: usize = 1 << 30;

/// One segment in memory.
pub struct Tantivy {
    searcher: Searcher,
    fields: [Field; 4],
    tokenizer: TextAnalyzer,
    /// The record number of each document.
    numbers: Column<u64>,
}

impl Tantivy {
    /// Indexes the records.
    pub fn new(records: &[Record]) -> Result<Tantivy> {
        let mut schema = Schema::builder();
        let fields = FIELDS.map(|name| schema.add_text_field(name, TEXT));
        let number = schema.add_u64_field("number", FAST);
        let index = Index::create_in_ram(schema.build());
        // One thread, so that documents, and with them ties, stand in the order of the records.
        let mut writer: IndexWriter = index.writer_with_num_threads(1, WRITER_BUDGET)?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        for (place, record) in records.iter().enumerate() {
            let mut document = TantivyDocument::default();
            document.add_u64(number, place as u64);
            for (field, text) in fields.into_iter().zip(record.texts()) {
                document.add_text(field, text);
            }
            writer.add_document(document)?;
        }
        writer.commit()?;
        let segments = index.searchable_segment_ids()?;
        if segments.len() > 1 {
            writer.merge(&segments).wait()?;
        }
        writer.wait_merging_threads()?;
        let searcher = index.reader()?.searcher();
        let [segment] = searcher.segment_readers() else { return Err("not one segment".into()) };
        let numbers = segment.fast_fields().u64("number")?;
        let tokenizer = index.tokenizer_for_field(fields[0])?;
        Ok(Tantivy { searcher, fields, tokenizer, numbers })
    }

    /// The word in whichever field.
    fn word_query(&self, word: &str) -> Box<dyn Query> {
        let in_field = |field: Field| {
            let term = Term::from_field_text(field, word);
            Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)) as Box<dyn Query>
        };
        Box::new(BooleanQuery::union(self.fields.map(in_field).into()))
    }
}

impl Engine for Tantivy {
    fn name(&self) -> String {
        let version = ::tantivy::version_string();
        version.split(',').next().unwrap_or_default().to_owned()
    }

    fn words(&mut self, text: &str) -> Result<Vec<String>> {
        let mut words = Vec::new();
        self.tokenizer.token_stream(text).process(&mut |token| words.push(token.text.clone()));
        Ok(words)
    }

    fn search(&mut self, words: &[String], mode: Mode, limit: usize) -> Result<Vec<usize>> {
        let occur = match mode {
            Mode::AllWords => Occur::Must,
            Mode::AnyWord => Occur::Should,
        };
        let clauses = words.iter().map(|word| (occur, self.word_query(word))).collect();
        let best = self
            .searcher
            .search(&BooleanQuery::new(clauses), &TopDocs::with_limit(limit).order_by_score())?;
        let number = |doc| self.numbers.first(doc).ok_or("a document without a number");
        best.into_iter().map(|(_score, address)| Ok(number(address.doc_id)? as usize)).collect()
    }
}
