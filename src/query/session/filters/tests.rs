//! Filters over small collections; the oracle's tables have the common ones.

use super::*;
use crate::query::page::{Scratch, search};
use crate::snapshot::Snapshot;

#[test]
fn an_industry_of_very_many_commas_is_found_in_quotation_marks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("commas.firmament");
    let names = [vec!["a"; 16].join(","), vec!["b"; 17].join(",")];
    let records = names
        .iter()
        .map(|name| format!("{{\"id\":{name:?},\"name\":\"Commas\",\"industry\":{name:?}}}\n"));
    crate::index::from_jsonl(&records.collect::<String>(), &path).unwrap();
    let snapshot = Snapshot::from_bytes(&std::fs::read(&path).unwrap()).unwrap();
    let total = |industry: String| {
        let query = Query { industries: vec![industry], ..Default::default() };
        search(&snapshot, &query, &mut Scratch::default()).total
    };
    for (name, unquoted) in names.iter().zip([1, 0]) {
        assert_eq!((total(name.clone()), total(format!("{name:?}"))), (unquoted, 1), "{name}");
    }
    assert_eq!(total(vec!["b"; 4000].join(",")), 0);
}
