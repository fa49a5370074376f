//! Hits that may hold two words of `q` written as one, taken apart from all others.
//!
//! Nearly every name of two words has its joined form in some host (`crecist management`: `crecistmanagement.com`), so
//! that each word of `q` matches the union of its own list and a list of very few. Nothing is stored of such unions:
//! no count of a pair, no best businesses of a phrase. But whoever is not among these few matches, and ranks, as if the
//! words were only what they are. So the few are ranked by themselves, the answer to that simpler question is taken without
//! them, no further than the page has room, and they are put in where they belong: two sequences in one order, merged.

use super::Query;
use super::count::{Kept, count};
use super::cursor::Position;
use super::hit_set::HitSet;
use super::nearest::Stretch;
use super::plan::Plan;
use super::planner::Planner;
use super::relevance::{Apart, by_relevance};
use super::shortcut::Shortcut;
use super::understand::Understanding;
use crate::ids::DocId;

/// The hits of a `q` by relevance, taken apart.
pub struct JoinedApart<'s> {
    /// What `q` means if no two words are written as one.
    written: Understanding<'s>,
    /// What matches then, and how many.
    hits: Plan<'s>,
    hits_total: u64,
    /// Whoever holds any two neighbours as one, in whatever field.
    joined: Plan<'s>,
    /// Those of them that are among `hits`, and that match `q`.
    struck_out: u64,
    matching: HitSet,
}

impl<'s> JoinedApart<'s> {
    /// The hits, which are `any`, taken apart, if few hold two words as one and many do not. `plan_of` says what matches if
    /// `q` means something, filters and all.
    pub fn new(
        planner: &Planner<'s>,
        understanding: &Understanding<'s>,
        any: &Plan<'s>,
        plan_of: impl Fn(&Understanding<'s>) -> Plan<'s>,
    ) -> Option<JoinedApart<'s>> {
        let clauses = &understanding.clauses;
        let words: Vec<_> = clauses.iter().filter_map(|it| it.neighbours[1].as_ref()).collect();
        let is_plain = understanding.whole_id.is_none() && !understanding.is_relaxed;
        if words.is_empty() || !is_plain || clauses.iter().any(|it| !it.readings.is_empty()) {
            return None;
        }
        let tuning = planner.tuning();
        // Of these, whoever matches as it is written is a part.
        if any.cardinality_max() < tuning.apart_min {
            return None;
        }
        // Impacts count in every field.
        let joined = Plan::union(words.into_iter().map(|word| planner.word(word)));
        if joined.cardinality_max() > tuning.joined_max {
            return None;
        }
        let mut written = understanding.clone();
        written.clauses.iter_mut().for_each(|understood| understood.neighbours = [None, None]);
        let hits = plan_of(&written);
        if hits.cardinality_max() < tuning.apart_min {
            return None;
        }
        let joined = joined.hit_set();
        let struck_out = joined.iter().filter(|&doc| hits.contains(doc)).count() as u64;
        let matching = joined.iter().filter(|&doc| any.contains(doc)).map(|DocId(doc)| doc);
        let matching = HitSet::of_sorted(matching);
        let (hits_total, hits) = count(planner, hits, Kept::All);
        let joined = Plan::ready(joined);
        Some(JoinedApart { written, hits, hits_total, joined, struck_out, matching })
    }

    /// How many businesses match.
    pub fn total(&self) -> u64 {
        // Stored counts of a damaged snapshot may be anything.
        self.hits_total.saturating_sub(self.struck_out) + self.matching.len()
    }

    /// The nearest hits by relevance, as [`by_relevance`] gives them; `understanding` is what `q` means.
    pub fn nearest(
        &self,
        planner: &Planner<'s>,
        query: &Query,
        understanding: &Understanding<'s>,
        stretch: Stretch,
    ) -> Vec<Position> {
        planner.took(Shortcut::JoinedApart);
        let mut apart = Apart::default();
        if !self.matching.is_empty() {
            let hits = (&Plan::ready(self.matching.clone()), self.matching.len());
            let nothing = Apart::default();
            apart.nearest =
                by_relevance(planner, query, understanding, hits, None, nothing, stretch);
        }
        apart.excluded = (self.struck_out > 0).then(|| self.joined.clone());
        let hits = (&self.hits, self.hits_total);
        by_relevance(planner, query, &self.written, hits, None, apart, stretch)
    }
}
