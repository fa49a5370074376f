//! A plan as a tree of names and numbers.
//!
//! Plans hold lists, not words; a list is named by where in the snapshot it lies.

use super::term_text::show_term;
use crate::ids::DocId;
use crate::places::{PlaceKey, PlaceKind};
use crate::query::interpret::Interpretation;
use crate::query::session::Session;
use crate::query::session::count::count;
use crate::query::sets::set_expr::SetExpr;
use crate::snapshot::Snapshot;
use crate::snapshot::encoding::postings::Postings;
use crate::snapshot::terms::ListKind;
use crate::snapshot::terms::block::AliasList;
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
pub(super) fn cardinality(plan: &SetExpr<'_>, snapshot: &Snapshot) -> Option<u64> {
    let is_cheap = !plan.has_predicate() || plan.cardinality_max() <= CHECKED_MAX;
    is_cheap.then(|| count(&Session::new(snapshot), plan.clone(), false).0)
}

impl PlanNode {
    /// The tree of `plan`, which was made for `interpretation`.
    pub fn new(
        plan: &SetExpr<'_>,
        snapshot: &Snapshot,
        interpretation: &Interpretation<'_>,
    ) -> PlanNode {
        let node = |plan: &SetExpr<'_>| PlanNode::new(plan, snapshot, interpretation);
        let (what, parts) = match plan {
            SetExpr::Range(range) => (name_of_range(range, snapshot, interpretation), Vec::new()),
            SetExpr::List(_) | SetExpr::Materialised(_) => {
                let name = name_of_prefix(plan, interpretation).unwrap_or_else(|| match plan {
                    SetExpr::List(list) => name_of_list(&list.postings, snapshot),
                    _ => "a set".to_owned(),
                });
                (name, Vec::new())
            }
            SetExpr::Union(union) => ("any of".to_owned(), union.parts.iter().map(node).collect()),
            SetExpr::Intersection(plans) => ("all of".to_owned(), plans.iter().map(node).collect()),
            SetExpr::Difference(plan, excluded) => {
                ("the first without the second".to_owned(), vec![node(plan), node(excluded)])
            }
            SetExpr::Filtered { candidates, check, .. } => {
                (format!("{}, checked among", check.describe()), vec![node(candidates)])
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

fn name_of_range(
    range: &Range<u32>,
    snapshot: &Snapshot,
    interpretation: &Interpretation<'_>,
) -> String {
    let is_id = interpretation.whole_id.is_some_and(|doc| *range == (doc.0..doc.0 + 1));
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
    match (counts.get(DocId(range.start)), counts.get(DocId(range.end - 1))) {
        (Some(most), Some(fewest)) => format!("from {fewest} to {most} employees"),
        _ => format!("businesses {} to {} of the static order", range.start, range.end - 1),
    }
}

/// What a prefix adds, if the plan is that.
fn name_of_prefix(plan: &SetExpr<'_>, interpretation: &Interpretation<'_>) -> Option<String> {
    interpretation.clauses.iter().find_map(|clause_match| {
        let prefix = clause_match.prefix.as_ref()?;
        let is_beyond = match (plan, &prefix.beyond) {
            (SetExpr::List(a), SetExpr::List(b)) => a.postings.is_same(&b.postings),
            (SetExpr::Materialised(a), SetExpr::Materialised(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        let text = show_term(&clause_match.clause.term);
        is_beyond.then(|| format!("{text}… begins a longer word of name, alias or host"))
    })
}

fn name_of_list(list: &Postings<'_>, snapshot: &Snapshot) -> String {
    if let Some((term, kind)) = snapshot.terms().term_of(list) {
        return match kind {
            ListKind::Any => format!("{term} in any field"),
            ListKind::NameIs => format!("{term} is the name"),
            ListKind::NameStarts => format!("{term} starts the name"),
            ListKind::NameHas => format!("{term} within the name"),
            ListKind::Host => format!("{term} in the host"),
            ListKind::Prose => format!("{term} itself in industry or description"),
            ListKind::Alias(AliasList::Is) => format!("{term} is an alias"),
            ListKind::Alias(AliasList::Beside) => format!("{term} in an alias and elsewhere"),
            ListKind::Alias(AliasList::Only) => format!("{term} in an alias"),
        };
    }
    if let Some(name) = snapshot.industries().key_of(list) {
        return format!("industry {name}");
    }
    if let Some(key) = snapshot.places().key_of(list) {
        return PlaceKey::from_stored(&key).map_or(key, |key| name_of_place(&key));
    }
    let host = snapshot.host_of(list);
    host.map_or_else(|| "a list".to_owned(), |host| format!("on the host {host}"))
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
