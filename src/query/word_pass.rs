//! Pages by relevance of one word that few businesses hold: its lists are passed once, side by side.
//!
//! Of a word alone, each group is a list, or what a list leaves of another, and the text score is its impact, which stands
//! beside each business of the first list. Taken apart group by group and scored by looking each business up, a hundred
//! businesses take as long as reading all of these lists for a few thousand. Of more, the snapshot holds the best by
//! [levels](crate::snapshot::levels). Where the [first page](super::stored_best) is stored, others only come here.

use super::Query;
use super::cursor::Position;
use super::nearest::{GROUP_SHIFT, Nearest, Stretch};
use super::plan::Plan;
use super::planner::Planner;
use super::rank::{Kind, Tier, group_key, named_by_tier};
use super::shortcut::Shortcut;
use super::understand::Understanding;
use crate::ids::DocId;
use crate::snapshot::postings::Postings;

/// The nearest of the `total` hits by relevance, if they are all businesses of one word in one form, and few.
pub fn nearest<'s>(
    planner: &Planner<'s>,
    query: &Query,
    understanding: &Understanding<'s>,
    total: u64,
    stretch: Stretch,
) -> Option<Vec<Position>> {
    let [only] = understanding.clauses.as_slice() else { return None };
    let is_all = planner.filters(query).is_empty() && query.text.excluded().is_empty();
    let is_alone = is_all && query.text.trailing_forms().is_empty() && !understanding.is_relaxed;
    if !is_alone || total > planner.tuning().passed_max {
        return None;
    }
    let lists = planner.snapshot().terms().lists(only.only_term(planner)?);
    planner.took(Shortcut::WordPass);
    let mut nearest = Nearest::new(stretch);
    let mut push = |doc: u32, (tier, kind): (Tier, Kind), score: u8| {
        let relevance_key = group_key(tier, kind) << GROUP_SHIFT | u64::from(score);
        nearest.push(Position { relevance_key, doc: DocId(doc) });
    };
    let (longer_in_name, beyond) = match &only.prefix {
        Some(prefix) => (docs_of_plan(&prefix.names), docs_of_plan(&prefix.beyond)),
        None => (Vec::new(), Vec::new()),
    };
    let mut named = named_by_tier(&lists).map(|(list, tier)| (Ascending::of(docs_of(list)), tier));
    let mut longer = Ascending::of(longer_in_name.clone());
    for (doc, &score) in docs_of(Some(lists.any())).into_iter().zip(lists.impacts()) {
        let tier = named.iter_mut().find_map(|(docs, tier)| docs.has(doc).then_some(*tier));
        let group = match tier {
            Some(tier) => (tier, Kind::Whole),
            None if longer.has(doc) => (Tier::NameHasAll, Kind::Prefix),
            None => (Tier::PhraseElsewhere, Kind::Whole),
        };
        push(doc, group, score);
    }
    let mut longer_in_name = Ascending::of(longer_in_name);
    for doc in beyond {
        let tier = if longer_in_name.has(doc) { Tier::NameHasAll } else { Tier::PhraseElsewhere };
        push(doc, (tier, Kind::Prefix), 0);
    }
    Some(nearest.into_sorted())
}

fn docs_of(list: Option<Postings<'_>>) -> Vec<u32> {
    let mut docs = Vec::with_capacity(list.map_or(0, |list| list.len()));
    list.iter().for_each(|list| list.push_to(&mut docs));
    docs
}

fn docs_of_plan(plan: &Plan<'_>) -> Vec<u32> {
    let mut docs = Vec::new();
    plan.for_each(|doc| docs.push(doc.0));
    docs
}

/// Ascending numbers, asked for in ascending order.
struct Ascending {
    numbers: Vec<u32>,
    next: usize,
}

impl Ascending {
    fn of(numbers: Vec<u32>) -> Ascending {
        Ascending { numbers, next: 0 }
    }

    /// Is it one of them?
    #[inline]
    fn has(&mut self, number: u32) -> bool {
        while self.numbers.get(self.next).is_some_and(|&next| next < number) {
            self.next += 1;
        }
        self.numbers.get(self.next) == Some(&number)
    }
}
