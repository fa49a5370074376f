//! The hits of a relaxed query in portions, those that may share most first.
//!
//! Who holds only a frequent word shares little, and most hits are of that kind. So hits are looked at clause by clause,
//! the one that weighs most first, and of each clause first those in whose name one of its words may stand. What is left
//! behind each portion has a largest score: once a page is full of better ones, nobody else is looked at. (Turtle, Flood:
//! "Query evaluation: strategies and optimizations", 1995, call it MaxScore.)

use super::{RelaxedScorer, Shares, WeighedClause, akin, score_of};
use crate::query::plan::Plan;
use crate::query::planner::Planner;
use crate::query::prefix::PrefixMatches;
use crate::query::text::QueryWord;
use crate::query::understand::{Understanding, Understood};

/// A portion of the hits: those of `members` that are in no portion before.
pub struct Portion<'s> {
    /// Who may be in it; not all are hits.
    pub members: Plan<'s>,
    /// A score that no hit exceeds that is in this portion or in one behind.
    pub score_max: u32,
    /// The clause that they are in the name for, if they are.
    pub named_for: Option<usize>,
    /// The share of `q` that nobody in this portion exceeds whose name holds words of this clause only.
    pub of_query_max: f64,
}

/// What a clause may still bring to a hit that is in none of the portions so far.
struct Prospect<'s> {
    /// Everyone in whose name a word stands that the clause counts by, or covers.
    named: Plan<'s>,
    /// The most that it counts in these.
    in_name: f64,
    /// Everyone whom the clause matches.
    anywhere: Plan<'s>,
    /// The most that it counts in those who are not `named`.
    elsewhere: f64,
}

impl<'s> WeighedClause<'s> {
    /// The most that the ways of `places` count.
    fn most(&self, places: std::ops::Range<usize>) -> f64 {
        let ways = self.ways[places].iter().filter(|(hits, _)| !hits.is_nothing());
        ways.map(|way| way.1).fold(0.0, f64::max)
    }
}

impl<'s> RelaxedScorer<'s> {
    /// The portions of all hits of what `understanding` means, best first.
    pub(super) fn portions(
        &self,
        planner: &Planner<'s>,
        understanding: &Understanding<'s>,
    ) -> Vec<Portion<'s>> {
        let mut prospects: Vec<Prospect<'s>> = (self.clauses.iter().zip(&self.akin_max))
            .zip(&understanding.clauses)
            .map(|((clause, &akin_max), understood)| {
                let elsewhere = clause.most(3..5);
                Prospect {
                    named: named(planner, understood, akin_max > 0.0),
                    in_name: clause.most(0..3).max(akin_max).max(elsewhere),
                    anywhere: understood.anywhere(planner),
                    elsewhere,
                }
            })
            .collect();
        let mut by_weight: Vec<usize> = (0..prospects.len()).collect();
        by_weight.sort_by(|&a, &b| self.clauses[b].weight.total_cmp(&self.clauses[a].weight));
        let mut portions = Vec::with_capacity(2 * prospects.len());
        for at in by_weight {
            let score_max = self.score_max_of(&prospects);
            let members = std::mem::replace(&mut prospects[at].named, Plan::NOTHING);
            let most = |(other, prospect): (usize, &Prospect<'s>)| {
                if other == at { prospect.in_name } else { prospect.elsewhere }
            };
            let of_query_max = self.held(prospects.iter().enumerate().map(most)) / self.total;
            portions.push(Portion { members, score_max, named_for: Some(at), of_query_max });
            let score_max = self.score_max_of(&prospects);
            let members = std::mem::replace(&mut prospects[at].anywhere, Plan::NOTHING);
            prospects[at].elsewhere = 0.0;
            portions.push(Portion { members, score_max, named_for: None, of_query_max });
        }
        portions.retain(|portion| !portion.members.is_nothing());
        portions
    }

    /// A score that nobody exceeds to whom clauses bring no more than that.
    fn score_max_of(&self, prospects: &[Prospect<'s>]) -> u32 {
        let most = |prospect: &Prospect<'s>| match prospect.named.is_nothing() {
            true => prospect.elsewhere,
            false => prospect.in_name,
        };
        let of_query = self.held(prospects.iter().map(most)) / self.total;
        let is_covered = prospects.iter().any(|prospect| !prospect.named.is_nothing());
        // One more, since sums of floats are rounded.
        score_of(&Shares { of_query, of_name: f64::from(u8::from(is_covered)) }) + 1
    }
}

/// Everyone in whose name a word of a clause may stand, in any form or reading, or one that it begins or, if
/// `has_akin`, is akin to.
fn named<'s>(planner: &Planner<'s>, understood: &Understood<'s>, has_akin: bool) -> Plan<'s> {
    let split = understood.readings.split.iter().flat_map(|split| &split.words);
    let split = split.map(|(_, word)| planner.word_in_name(word));
    let start = akin::start(&understood.clause).filter(|_| has_akin).map(|(_, start)| start);
    let alike = start.into_iter().flat_map(|start| {
        let start = QueryWord { forms: vec![start] };
        [planner.word_in_name(&start), PrefixMatches::of_word(planner, &start).names]
    });
    let own = [understood.in_name_partly(planner), understood.in_name_as_prefix()];
    Plan::union(own.into_iter().chain(split).chain(alike))
}
