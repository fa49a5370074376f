//! A plan without the lists of few businesses in its unions, for counting.
//!
//! Each of two neighbours in `q` matches also where they are written as one (`global services`: 94 hosts
//! `globalservices…`), and a last word where it begins a longer one: unions of a long list with a short one. To bring
//! both together in every chunk costs ten times what the long list alone does, and nothing is stored of them. So the
//! short lists are taken out, what is left is counted, and each business on them is asked for by itself: whoever is on
//! none of them matches without them or not at all.

use super::hit_set::HitSet;
use super::plan::Plan;
use crate::ids::DocId;

/// A plan, taken apart.
pub struct FewApart<'s> {
    /// What is left of it.
    pub many: Plan<'s>,
    /// The lists that were taken out; none if nothing was.
    lists: Vec<Plan<'s>>,
}

impl<'s> FewApart<'s> {
    /// `plan` without lists of `few_max` businesses together at most. Of each union the longest part is left.
    pub fn new(plan: &Plan<'s>, few_max: u64) -> FewApart<'s> {
        let (mut lists, mut room) = (Vec::new(), few_max);
        FewApart { many: without_few(plan, &mut lists, &mut room), lists }
    }

    /// Is there nothing to be taken out?
    pub fn is_whole(&self) -> bool {
        self.lists.is_empty()
    }

    /// Those who match `plan`, which was taken apart, and not what is left of it.
    pub fn others(&self, plan: &Plan<'s>) -> HitSet {
        let few = Plan::union(self.lists.iter().cloned()).hit_set();
        let is_other = |doc: &DocId| plan.contains(*doc) && !self.many.contains(*doc);
        HitSet::of_sorted(few.iter().filter(is_other).map(|DocId(doc)| doc))
    }
}

/// `plan` without some short lists, which are appended to `lists`; `room` is how many businesses may still be on them.
fn without_few<'s>(plan: &Plan<'s>, lists: &mut Vec<Plan<'s>>, room: &mut u64) -> Plan<'s> {
    match plan {
        Plan::Union(union) => {
            let longest = union.parts.iter().map(Plan::cardinality_max).max();
            let mut many = Vec::new();
            for part in &union.parts {
                let len = part.cardinality_max();
                let is_list = matches!(part, Plan::List(_) | Plan::Ready(_));
                if is_list && Some(len) < longest && len <= *room {
                    *room -= len;
                    lists.push(part.clone());
                } else {
                    many.push(part.clone());
                }
            }
            match union.is_disjoint {
                true => Plan::disjoint_union(many),
                false => Plan::union(many),
            }
        }
        Plan::Intersection(parts) => {
            Plan::intersection(parts.iter().map(|part| without_few(part, lists, room)))
        }
        Plan::Difference(plan, excluded) => {
            Plan::difference(without_few(plan, lists, room), Plan::clone(excluded))
        }
        plan => plan.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ready(docs: &[u32]) -> Plan<'static> {
        Plan::ready(HitSet::of(docs.to_vec()))
    }

    proptest! {
        #[test]
        fn both_together_are_all(
            lists in proptest::collection::vec(proptest::collection::vec(0u32..300, 1..60), 5),
            few_max in 0u64..80,
        ) {
            let [a, b, c, d, excluded] = [0, 1, 2, 3, 4].map(|at| ready(&lists[at]));
            let all = Plan::intersection([Plan::union([a, c.clone()]), Plan::union([b, c, d])]);
            let plan = Plan::difference(all, excluded);
            let apart = FewApart::new(&plan, few_max);
            let others = apart.others(&plan);
            prop_assert!(others.iter().all(|doc| !apart.many.contains(doc)));
            prop_assert!(!apart.is_whole() || others.is_empty());
            prop_assert_eq!(apart.many.hit_set().with(&others), plan.hit_set());
        }
    }
}
