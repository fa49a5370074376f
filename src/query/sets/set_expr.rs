//! A tree of set operations: what a query comes to.
//!
//! Made by the [`Session`](crate::query::session) over the postings of one snapshot, which tells
//! which operations are chosen and what they cost; walked, probed and counted by
//! [`evaluate`](super::evaluate) and [`count`](crate::query::session::count), and only where it
//! matches few turned into a [`DocSet`].

use super::doc_set::DocSet;
use super::predicate::Predicate;
use crate::snapshot::answers::frequent_keys::DenseKey;
use crate::snapshot::encoding::postings::Postings;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// So many probes of postings cost what looking at the words of one candidate costs.
pub const CHECKED: u64 = 32;

/// A tree of set operations.
#[derive(Clone, Debug)]
pub enum SetExpr<'s> {
    /// A range of `DocId`s.
    Range(Range<u32>),
    /// One list of postings.
    List(List<'s>),
    /// A set that is ready.
    Materialised(Arc<DocSet>),
    /// What is in any of them.
    Union(Union<'s>),
    /// What is in all of them.
    Intersection(Vec<SetExpr<'s>>),
    /// What is in the first and not in the second.
    Difference(Box<SetExpr<'s>>, Box<SetExpr<'s>>),
    /// The candidates that pass a look at their words.
    Filtered {
        /// Businesses that may pass.
        candidates: Box<SetExpr<'s>>,
        /// What is looked for.
        check: Rc<dyn Predicate + 's>,
        /// How many pass, if that is stored.
        len: Option<u64>,
    },
}

/// A list of postings, and under which key the snapshot may store more about it.
#[derive(Clone, Copy, Debug)]
pub struct List<'s> {
    /// The list.
    pub postings: Postings<'s>,
    /// The key, if the list is all that stands under it.
    pub key: Option<DenseKey>,
}

/// What is in any of some plans.
#[derive(Clone, Debug)]
pub struct Union<'s> {
    /// The plans; two at least.
    pub parts: Vec<SetExpr<'s>>,
    /// Is it known that no business is in two of them?
    pub is_disjoint: bool,
}

impl<'s> SetExpr<'s> {
    /// The plan that matches nothing.
    pub const EMPTY: SetExpr<'static> = SetExpr::Range(0..0);

    /// A list that is only a part of what stands under its key.
    pub fn list(postings: Postings<'s>) -> SetExpr<'s> {
        SetExpr::List(List { postings, key: None })
    }

    /// Does the plan match nothing, whatever the snapshot holds?
    pub fn is_nothing(&self) -> bool {
        matches!(self, SetExpr::Range(range) if range.is_empty())
    }

    /// At most how many businesses match.
    pub fn cardinality_max(&self) -> u64 {
        self.at_most(true)
    }

    /// At most how many businesses are looked at to tell all that match.
    pub fn enumerated_max(&self) -> u64 {
        self.at_most(false)
    }

    /// At most how many documents match, or are looked at; of predicates with a stored count, that
    /// if `is_told`.
    fn at_most(&self, is_told: bool) -> u64 {
        match self {
            SetExpr::Range(range) => range.len() as u64,
            SetExpr::List(list) => list.postings.len() as u64,
            SetExpr::Materialised(hits) => hits.len(),
            SetExpr::Union(union) => union.parts.iter().map(|plan| plan.at_most(is_told)).sum(),
            SetExpr::Intersection(plans) => {
                plans.iter().map(|plan| plan.at_most(is_told)).min().unwrap_or(u64::MAX)
            }
            SetExpr::Difference(plan, _) => plan.at_most(is_told),
            SetExpr::Filtered { len: Some(len), .. } if is_told => *len,
            SetExpr::Filtered { candidates, .. } => candidates.at_most(is_told),
        }
    }

    /// The union of `plans`.
    pub fn union(plans: impl IntoIterator<Item = SetExpr<'s>>) -> SetExpr<'s> {
        SetExpr::union_by(plans, false)
    }

    /// The union of `plans` of which no two share a business.
    pub fn disjoint_union(plans: impl IntoIterator<Item = SetExpr<'s>>) -> SetExpr<'s> {
        SetExpr::union_by(plans, true)
    }

    fn union_by(plans: impl IntoIterator<Item = SetExpr<'s>>, is_disjoint: bool) -> SetExpr<'s> {
        let mut plans = plans.into_iter().filter(|plan| !plan.is_nothing());
        let Some(first) = plans.next() else { return SetExpr::EMPTY };
        // Most words have one form, and most clauses match in one way: no memory is asked for then.
        let Some(second) = plans.next() else { return first };
        SetExpr::union_of([first, second].into_iter().chain(plans).collect(), is_disjoint)
    }

    /// Not generic, so that it is compiled once and not for each of the iterators that bring plans.
    fn union_of(mut plans: Vec<SetExpr<'s>>, is_disjoint: bool) -> SetExpr<'s> {
        // `New York, New York` is a city in a state, and a state with a city.
        let mut at = 1;
        while at < plans.len() {
            if plans[..at].iter().any(|part| part.is_same(&plans[at])) {
                plans.remove(at);
            } else {
                at += 1;
            }
        }
        // Words are looked at of those whom no list has told.
        plans.sort_by_key(SetExpr::has_predicate);
        match plans.len() {
            1 => plans.remove(0),
            _ => SetExpr::Union(Union { parts: plans, is_disjoint }),
        }
    }

    /// Is it made of the same lists in the same way? Not said of plans that look at words.
    pub fn is_same(&self, other: &SetExpr<'s>) -> bool {
        match (self, other) {
            (SetExpr::Range(a), SetExpr::Range(b)) => a == b,
            (SetExpr::List(a), SetExpr::List(b)) => a.postings.is_same(&b.postings),
            (SetExpr::Intersection(a), SetExpr::Intersection(b)) => are_same(a, b),
            (SetExpr::Union(a), SetExpr::Union(b)) => are_same(&a.parts, &b.parts),
            _ => false,
        }
    }

    /// The intersection of `plans`, flattened, cheapest first; nothing if one of them is nothing.
    pub fn intersection(plans: impl IntoIterator<Item = SetExpr<'s>>) -> SetExpr<'s> {
        let mut parts: Vec<SetExpr<'s>> = Vec::new();
        for plan in plans {
            match plan {
                SetExpr::Intersection(inner) => parts.extend(inner),
                plan => parts.push(plan),
            }
        }
        SetExpr::intersection_of(parts)
    }

    fn intersection_of(mut parts: Vec<SetExpr<'s>>) -> SetExpr<'s> {
        if parts.iter().any(SetExpr::is_nothing) {
            return SetExpr::EMPTY;
        }
        // Tiers ask for the same lists again: what is in A, and in A or B, is in A.
        let mut at = 0;
        while at < parts.len() {
            let implies = |(other, plan): (usize, &SetExpr<'s>)| match &parts[at] {
                part if part.is_same(plan) => other < at,
                SetExpr::Union(union) => union.parts.iter().any(|part| part.is_same(plan)),
                _ => false,
            };
            if parts.iter().enumerate().any(|it| it.0 != at && implies(it)) {
                parts.remove(at);
            } else {
                at += 1;
            }
        }
        if parts.len() == 1 {
            return parts.remove(0);
        }
        parts.sort_by_key(|plan| {
            plan.cardinality_max() * if plan.has_predicate() { CHECKED } else { 1 }
        });
        SetExpr::Intersection(parts)
    }

    /// What is in `plan` and not in `excluded`.
    pub fn difference(plan: SetExpr<'s>, excluded: SetExpr<'s>) -> SetExpr<'s> {
        if plan.is_nothing() || excluded.is_nothing() {
            return plan;
        }
        SetExpr::Difference(Box::new(plan), Box::new(excluded))
    }

    /// This expression over other lists, if it is made of lists by key, and each key has one.
    pub fn over(&self, list_of: &impl Fn(DenseKey) -> Option<Postings<'s>>) -> Option<SetExpr<'s>> {
        let all = |parts: &[SetExpr<'s>]| {
            parts.iter().map(|part| part.over(list_of)).collect::<Option<Vec<_>>>()
        };
        match self {
            SetExpr::List(list) => list_of(list.key?).map(SetExpr::list),
            SetExpr::Union(union) => {
                let parts = all(&union.parts)?;
                Some(SetExpr::Union(Union { parts, is_disjoint: union.is_disjoint }))
            }
            SetExpr::Intersection(parts) => Some(SetExpr::intersection(all(parts)?)),
            _ => None,
        }
    }

    /// The plan as far as it matters to businesses that are known to be on `list`: none if all of
    /// them match.
    pub fn given(&self, list: &Postings<'s>) -> Option<SetExpr<'s>> {
        match self {
            SetExpr::List(own) if own.postings.is_same(list) => None,
            SetExpr::Union(union) => {
                let parts: Option<Vec<SetExpr<'s>>> =
                    union.parts.iter().map(|part| part.given(list)).collect();
                parts.map(|parts| SetExpr::Union(Union { parts, is_disjoint: union.is_disjoint }))
            }
            SetExpr::Intersection(parts) => {
                let mut parts: Vec<SetExpr<'s>> =
                    parts.iter().filter_map(|part| part.given(list)).collect();
                match parts.len() {
                    0 => None,
                    1 => parts.pop(),
                    _ => Some(SetExpr::Intersection(parts)),
                }
            }
            SetExpr::Difference(plan, excluded) => Some(match plan.given(list) {
                Some(plan) => SetExpr::Difference(Box::new(plan), excluded.clone()),
                None => self.clone(),
            }),
            plan => Some(plan.clone()),
        }
    }

    /// Candidates that match a predicate.
    pub fn filtered(candidates: SetExpr<'s>, check: impl Predicate + 's) -> SetExpr<'s> {
        if candidates.is_nothing() {
            return candidates;
        }
        SetExpr::Filtered { candidates: Box::new(candidates), check: Rc::new(check), len: None }
    }

    /// A set that is ready.
    pub fn materialised(hits: DocSet) -> SetExpr<'s> {
        if hits.is_empty() { SetExpr::EMPTY } else { SetExpr::Materialised(Arc::new(hits)) }
    }

    /// Are words looked at anywhere? If not, a plan that is not [`SetExpr::is_nothing`] may still
    /// be empty only as an intersection or difference.
    pub fn has_predicate(&self) -> bool {
        match self {
            SetExpr::Filtered { .. } => true,
            SetExpr::Union(union) => union.parts.iter().any(SetExpr::has_predicate),
            SetExpr::Intersection(parts) => parts.iter().any(SetExpr::has_predicate),
            SetExpr::Difference(plan, other) => plan.has_predicate() || other.has_predicate(),
            SetExpr::Range(_) | SetExpr::List(_) | SetExpr::Materialised(_) => false,
        }
    }
}

/// Are the parts the same, in any order? Parts of a plan differ.
fn are_same(a: &[SetExpr<'_>], b: &[SetExpr<'_>]) -> bool {
    a.len() == b.len() && a.iter().all(|part| b.iter().any(|it| part.is_same(it)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_a_is_in_a_or_b() {
        let [a, b, c] = [0..5, 7..9, 3..8].map(SetExpr::Range);
        let either = SetExpr::union([a.clone(), b]);
        let narrowed = SetExpr::intersection([either, a.clone(), c.clone(), a.clone()]);
        assert_eq!(format!("{narrowed:?}"), format!("{:?}", SetExpr::intersection([a, c])));
    }
}
