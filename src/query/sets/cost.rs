//! What it costs to evaluate a plan: an estimate of the postings and tokens that are read, told
//! from the lengths of its lists before any of them is read, so that it is the same on every
//! machine.
//!
//! A list that more than one document in 64 is on counts as the words of its bitmaps. The units do
//! not all take the same time: 1 to 2 ns were measured for postings and bitmaps, up to 5 for tokens
//! (10 M documents).

use super::set_expr::SetExpr;

/// Postings that are read to look one document up in a list.
const PROBE: u64 = 8;

impl SetExpr<'_> {
    /// How many postings and tokens are read, about and at most, to tell which of `num_docs`
    /// documents match.
    pub fn cost(&self, num_docs: u32) -> u64 {
        self.cost_among(u64::from(num_docs), u64::from(num_docs).div_ceil(64))
    }

    /// The cost of telling which of `few` documents match; a bitmap has so many `words`.
    fn cost_among(&self, few: u64, words: u64) -> u64 {
        let few = few.min(self.enumerated_max());
        let each = |parts: &[SetExpr<'_>]| {
            parts.iter().map(|part| part.cost_among(few, words)).sum::<u64>()
        };
        match self {
            SetExpr::Range(_) => 0,
            SetExpr::List(list) => (list.postings.len() as u64).min(words).min(PROBE * few),
            SetExpr::Materialised(hits) => hits.len().min(PROBE * few),
            SetExpr::Union(union) => each(&union.parts),
            SetExpr::Intersection(parts) => each(parts),
            SetExpr::Difference(plan, excluded) => {
                plan.cost_among(few, words) + excluded.cost_among(few, words)
            }
            SetExpr::Filtered { candidates, check, .. } => {
                candidates.cost_among(few, words) + few * check.cost()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::doc_set::DocSet;
    use super::super::predicate::Predicate;
    use super::*;
    use crate::ids::DocId;
    use proptest::prelude::*;

    const NUM_DOCS: u32 = 10_000;

    #[derive(Debug)]
    struct Dear;

    impl Predicate for Dear {
        fn matches(&self, _: DocId) -> bool {
            true
        }

        fn cost(&self) -> u64 {
            128
        }

        fn describe(&self) -> String {
            String::new()
        }
    }

    fn plan() -> impl Strategy<Value = SetExpr<'static>> {
        let leaf = prop_oneof![
            proptest::collection::btree_set(0..NUM_DOCS, 1..50)
                .prop_map(|docs| SetExpr::materialised(DocSet::of_sorted(docs.into_iter()))),
            (0..NUM_DOCS, 1..NUM_DOCS).prop_map(|(start, len)| SetExpr::Range(start..start + len)),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            let parts = || proptest::collection::vec(inner.clone(), 2..4);
            prop_oneof![
                parts().prop_map(SetExpr::union),
                parts().prop_map(SetExpr::intersection),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| SetExpr::difference(a, b)),
                inner.clone().prop_map(|plan| SetExpr::filtered(plan, Dear)),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_order_of_parts_does_not_matter(a in plan(), b in plan(), c in plan()) {
            let parts = [a, b, c];
            let costs = |combine: fn([SetExpr<'static>; 3]) -> SetExpr<'static>| {
                [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].map(|order| {
                    combine(order.map(|at: usize| parts[at].clone())).cost(NUM_DOCS)
                })
            };
            let costs = [costs(SetExpr::union), costs(SetExpr::intersection)];
            for costs in costs {
                prop_assert!(costs.iter().all(|cost| *cost == costs[0]), "{costs:?}");
            }
        }

        #[test]
        fn alternatives_and_exclusions_add_to_the_cost(a in plan(), b in plan()) {
            let cost = a.cost(NUM_DOCS);
            prop_assert!(SetExpr::union([a.clone(), b.clone()]).cost(NUM_DOCS) >= cost);
            prop_assert!(SetExpr::difference(a, b).cost(NUM_DOCS) >= cost);
        }
    }

    #[test]
    fn what_few_match_is_looked_up_for_few() {
        let [few, many] = [5, 5_000]
            .map(|len| SetExpr::materialised(DocSet::of_sorted((0..len).map(|doc| doc * 2))));
        let filtered = SetExpr::filtered(many.clone(), Dear);
        assert_eq!(filtered.cost(NUM_DOCS), 5_000 + 128 * 5_000);
        let narrowed = SetExpr::intersection([filtered, few]);
        assert_eq!(narrowed.cost(NUM_DOCS), 5 + PROBE * 5 + 128 * 5);
    }
}
