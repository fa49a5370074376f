//! A collection as the engine serves it.

use firmament::company::Company;
use firmament::facets::{self, FacetCounts, FacetQuery};
use firmament::ids::DocId;
use firmament::index::Thresholds;
use firmament::query::page::{Page, Scratch, search};
use firmament::query::request::Query;
use firmament::query::session::ways::{Tuning, Way};
use firmament::query::{Shares, relaxed_shares, text_score};
use firmament::snapshot::Snapshot;
use std::cell::Cell;
use std::collections::HashMap;

/// A published collection.
pub struct Subject {
    /// The engine's side.
    pub snapshot: Snapshot,
    /// Which record each `DocId` is.
    pub numbers: Vec<usize>,
    /// Which `DocId` each record is.
    docs: Vec<DocId>,
    /// From which sizes on the engine takes ways here.
    tuning: Tuning,
    /// How many answers took each way.
    taken: Cell<[u64; Way::ALL.len()]>,
    _folder: tempfile::TempDir,
}

impl Subject {
    /// Builds, publishes and opens a snapshot of the lines.
    pub fn publish(companies: &[Company], lines: &str) -> Subject {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("collection.firmament");
        // Every other collection stores whatever can be stored, however small it is, and takes
        // every way; half of these keep the hits that were found, and score all members in larger
        // blocks.
        let kept_max = Tuning::default().kept_max;
        let walk_block = 16;
        let (thresholds, tuning) = match companies.len() % 4 {
            0 => (Thresholds::default(), Tuning::default()),
            2 => (Thresholds::EVERYTHING, Tuning::default()),
            1 => (Thresholds::EVERYTHING, Tuning::EVERYTHING),
            _ => (Thresholds::EVERYTHING, Tuning { kept_max, walk_block, ..Tuning::EVERYTHING }),
        };
        if let Err(error) = firmament::index::from_jsonl_storing(thresholds, lines, &path) {
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
                serde_json::from_slice(&snapshot.document(DocId(doc))).expect("a document is JSON");
            by_id[json["id"].as_str().expect("a document has an id")]
        };
        let numbers: Vec<usize> = (0..companies.len() as u32).map(number_of).collect();
        let mut docs = vec![DocId(0); companies.len()];
        for (doc, &number) in (0..).zip(&numbers) {
            docs[number] = DocId(doc);
        }
        Subject {
            snapshot,
            numbers,
            docs,
            tuning,
            taken: Cell::new([0; Way::ALL.len()]),
            _folder: folder,
        }
    }

    /// The engine's answer.
    pub fn search(&self, query: &Query, scratch: &mut Scratch) -> Page {
        scratch.tuning = self.tuning;
        let page = search(&self.snapshot, query, scratch);
        let mut taken = self.taken.get();
        for (count, way) in taken.iter_mut().zip(Way::ALL) {
            *count += u64::from(page.ways.contains(way));
        }
        self.taken.set(taken);
        page
    }

    /// The engine's counts of values.
    pub fn facets(&self, request: &FacetQuery) -> FacetCounts {
        facets::count(&self.snapshot, request, self.tuning)
    }

    /// How many answers took each of [`Way::ALL`].
    pub fn ways_taken(&self) -> [u64; Way::ALL.len()] {
        self.taken.get()
    }

    /// The text score of a record, as the engine has it.
    pub fn text_score(&self, query: &Query) -> impl Fn(usize) -> u32 {
        |number| text_score(&self.snapshot, query, self.docs[number])
    }

    /// What a record shares with a relaxed query, told of this record alone.
    pub fn relaxed_shares(&self, query: &Query, number: usize) -> Shares {
        relaxed_shares(&self.snapshot, query, self.docs[number])
    }
}
