//! A collection as the engine serves it.

use firmament::company::Company;
use firmament::ids::DocId;
use firmament::query::{Query, text_score};
use firmament::snapshot::Snapshot;
use std::collections::HashMap;

/// A published collection.
pub struct Subject {
    /// The engine's side.
    pub snapshot: Snapshot,
    /// Which record each `DocId` is.
    pub numbers: Vec<usize>,
    /// Which `DocId` each record is.
    docs: Vec<DocId>,
    _folder: tempfile::TempDir,
}

impl Subject {
    /// Builds, publishes and opens a snapshot of the lines.
    pub fn publish(companies: &[Company], lines: &str) -> Subject {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("collection.firmament");
        if let Err(error) = firmament::build::from_jsonl(lines, &path) {
            panic!("the collection cannot be built: {error}");
        }
        let snapshot = match Snapshot::open(&path) {
            Ok(snapshot) => snapshot,
            Err(error) => panic!("the snapshot cannot be opened: {error}"),
        };
        let by_id: HashMap<&str, usize> =
            (0..).zip(companies).map(|(number, company)| (company.id.as_str(), number)).collect();
        let number_of = |doc: u32| {
            let json: serde_json::Value =
                serde_json::from_slice(snapshot.document(DocId(doc))).expect("a document is JSON");
            by_id[json["id"].as_str().expect("a document has an id")]
        };
        let numbers: Vec<usize> = (0..companies.len() as u32).map(number_of).collect();
        let mut docs = vec![DocId(0); companies.len()];
        for (doc, &number) in (0..).zip(&numbers) {
            docs[number] = DocId(doc);
        }
        Subject { snapshot, numbers, docs, _folder: folder }
    }

    /// The text score of a record, as the engine has it.
    pub fn text_score(&self, query: &Query) -> impl Fn(usize) -> u32 {
        |number| text_score(&self.snapshot, query, self.docs[number])
    }
}
