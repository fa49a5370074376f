//! A plan as a tree of names and numbers.
//!
//! Plans hold lists, not words; a list is named by where in the snapshot it lies.

use crate::analyzer::TextField;
use crate::places::{PlaceKey, PlaceKind};
use crate::query::phrase::PhraseMatcher;
use crate::query::plan::Plan;
use crate::query::understand::Understanding;
use crate::snapshot::Snapshot;
use crate::snapshot::postings::Postings;
use crate::snapshot::terms::ListKind;
use std::ops::Range;
use std::sync::Arc;

/// Most candidates that are checked for a phrase only to tell their number.
const CHECKED_MAX: u64 = 100_000;

/// One operation or list of a plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanNode {
    /// What it is.
    pub what: String,
    /// How many businesses it has at most, as planned.
    pub cardinality_max: u64,
    /// How many it has by itself, where that is cheap to say.
    pub cardinality: Option<u64>,
    /// What it is made of, in the order in which that is evaluated.
    pub parts: Vec<PlanNode>,
}

/// How many businesses match a plan; `None` if very many would have to be read.
pub(super) fn cardinality(plan: &Plan<'_>, snapshot: &Snapshot) -> Option<u64> {
    let is_cheap = !plan.has_phrase() || plan.cardinality_max() <= CHECKED_MAX;
    is_cheap.then(|| plan.evaluate(snapshot).len())
}

impl PlanNode {
    /// The tree of `plan`, which was made for `understanding`.
    pub fn new(plan: &Plan<'_>, snapshot: &Snapshot, understanding: &Understanding) -> PlanNode {
        let node = |plan: &Plan<'_>| PlanNode::new(plan, snapshot, understanding);
        let (what, parts) = match plan {
            Plan::Range(range) => (name_of_range(range, snapshot, understanding), Vec::new()),
            Plan::Postings(list) => (name_of_list(list, snapshot), Vec::new()),
            Plan::Ready(set) => {
                let mut prefixes = understanding.clauses.iter().filter_map(|understood| {
                    let prefix = understood.prefix.as_ref()?;
                    let field = [("name", &prefix.names), ("host", &prefix.hosts)]
                        .into_iter()
                        .find_map(|(field, other)| Arc::ptr_eq(set, other).then_some(field))?;
                    let text = super::clause::show_term(&understood.clause.term);
                    Some(format!("{text}… begins a word of the {field}"))
                });
                (prefixes.next_back().unwrap_or_else(|| "a set".to_owned()), Vec::new())
            }
            Plan::Union(plans) => ("any of".to_owned(), plans.iter().map(node).collect()),
            Plan::Intersection(plans) => ("all of".to_owned(), plans.iter().map(node).collect()),
            Plan::Difference(plan, excluded) => {
                ("the first without the second".to_owned(), vec![node(plan), node(excluded)])
            }
            Plan::Phrase { candidates, matcher, fields } => {
                (name_of_phrase(matcher, fields, snapshot), vec![node(candidates)])
            }
        };
        PlanNode {
            what,
            cardinality_max: plan.cardinality_max(),
            cardinality: cardinality(plan, snapshot),
            parts,
        }
    }
}

fn name_of_range(range: &Range<u32>, snapshot: &Snapshot, understanding: &Understanding) -> String {
    let is_id = understanding.whole_id.is_some_and(|doc| *range == (doc.0..doc.0 + 1));
    if range.is_empty() {
        return "nothing".to_owned();
    }
    if is_id {
        return "the business whose id q is".to_owned();
    }
    if *range == (0..snapshot.num_docs()) {
        return "every business".to_owned();
    }
    let counts = snapshot.employee_counts();
    match (counts.get(range.start as usize), counts.get(range.end as usize - 1)) {
        (Some(most), Some(fewest)) => format!("from {fewest} to {most} employees"),
        _ => format!("businesses {} to {} of the static order", range.start, range.end - 1),
    }
}

fn name_of_list(list: &Postings<'_>, snapshot: &Snapshot) -> String {
    if let Some((term, kind)) = snapshot.terms().term_of(list) {
        return match kind {
            ListKind::Any => format!("{term} in any field"),
            ListKind::NameIs => format!("{term} is the name"),
            ListKind::NameStarts => format!("{term} starts the name"),
            ListKind::NameHas => format!("{term} within the name"),
            ListKind::Host => format!("{term} in the host"),
        };
    }
    if let Some(name) = snapshot.industries().key_of(list) {
        return format!("industry {name}");
    }
    if let Some(key) = snapshot.places().key_of(list) {
        return PlaceKey::from_stored(&key).map_or(key, |key| name_of_place(&key));
    }
    let host = snapshot.hosts().key_of(list);
    host.map_or_else(|| "a list".to_owned(), |name| format!("on the host {name}"))
}

fn name_of_place(key: &PlaceKey) -> String {
    let kind = match key.kind() {
        PlaceKind::City => "city",
        PlaceKind::State => "state",
        PlaceKind::Country => "country",
    };
    let how = if key.is_literal() { "as written" } else { "by any of its names" };
    format!("{kind} {}, {how}", key.text())
}

fn name_of_phrase(matcher: &PhraseMatcher, fields: &[TextField], snapshot: &Snapshot) -> String {
    let term_of = |code: Option<u32>| code.and_then(|code| snapshot.terms().term_of_code(code));
    let words: Vec<String> = matcher
        .sample_codes()
        .into_iter()
        .map(|code| term_of(code).unwrap_or_else(|| "?".to_owned()))
        .collect();
    let names: Vec<&str> = fields.iter().map(|field| field.name()).collect();
    let fields = if fields == TextField::ALL { "one field".to_owned() } else { names.join(" or ") };
    format!("\"{}\" in {fields}, checked among", words.join(" "))
}
