//! The hits of a relaxed query in portions, those that may share most first.
//!
//! Who holds only a frequent word shares little, and most hits are of that kind. So hits are looked
//! at clause by clause, the one that weighs most first: those in whose name one of its words may
//! stand, and, when these are told for all clauses, those who hold it elsewhere; if these are few,
//! at once. What is left behind each portion has a largest score: once a page is full of better
//! ones, nobody else is looked at. (Turtle, Flood: "Query evaluation: strategies and
//! optimizations", 1995, call it MaxScore.)

use super::{RelaxedScorer, Shares, WeighedClause, akin, score_of};
use crate::query::interpret::prefix::PrefixMatches;
use crate::query::interpret::{ClauseMatch, Interpretation};
use crate::query::session::Session;
use crate::query::sets::set_expr::SetExpr;
use crate::query::text::QueryWord;

/// Most clauses that weigh less than one that is held elsewhere, if hits are told apart by which of
/// them they hold: there are four portions for two.
const LIGHTER_MAX: usize = 2;

/// A portion of the hits: those of `members` that are in no portion before.
pub struct Portion<'s> {
    /// Who may be in it; not all are hits.
    pub members: SetExpr<'s>,
    /// A score that no hit exceeds that is in this portion or in one behind.
    pub score_max: u32,
    /// How they hold it.
    pub held: Held,
}

/// How the members of a portion hold a clause.
#[derive(Debug)]
pub enum Held {
    /// In the name, or it covers a word of it.
    Named {
        /// The number of the clause.
        clause: usize,
        /// The most that each clause counts in those in whose name a word of it stands, and in
        /// others.
        most: Vec<(f64, f64)>,
    },
    /// Anywhere.
    Anywhere,
    /// Elsewhere, and `q` covers nothing of the name.
    Elsewhere {
        /// A score that none of them exceeds.
        score_max: u32,
        /// The number of the clause, if no other is held by anyone who is left.
        only: Option<usize>,
    },
}

/// What a clause may still bring to a hit that is in none of the portions so far.
struct Prospect<'s> {
    /// Everyone in whose name a word stands that the clause counts by, or covers.
    named: SetExpr<'s>,
    /// The most that it counts in these.
    in_name: f64,
    /// Everyone whom the clause matches.
    anywhere: SetExpr<'s>,
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
    /// The portions of all hits of what `interpretation` means, best first.
    pub(crate) fn portions(
        &self,
        session: &Session<'s>,
        interpretation: &Interpretation<'s>,
    ) -> Vec<Portion<'s>> {
        let mut prospects: Vec<Prospect<'s>> = (self.clauses.iter().zip(&self.akin_max))
            .zip(&interpretation.clauses)
            .map(|((clause, &akin_max), clause_match)| {
                let elsewhere = clause.most(3..5);
                Prospect {
                    named: named(session, clause_match, akin_max > 0.0),
                    in_name: clause.most(0..3).max(akin_max).max(elsewhere),
                    anywhere: clause_match.anywhere(session),
                    elsewhere,
                }
            })
            .collect();
        let mut by_weight: Vec<usize> = (0..prospects.len()).collect();
        by_weight.sort_by(|&a, &b| self.clauses[b].weight.total_cmp(&self.clauses[a].weight));
        let mut portions = Vec::with_capacity(2 * prospects.len());
        for &clause in &by_weight {
            let score_max = self.score_max_of(&prospects);
            let members = std::mem::replace(&mut prospects[clause].named, SetExpr::EMPTY);
            let most = prospects.iter().map(|it| (it.in_name, it.elsewhere)).collect();
            portions.push(Portion { members, score_max, held: Held::Named { clause, most } });
            // Of so few the names are read, and the names of others need not be thought to be
            // theirs.
            let prospect = &mut prospects[clause];
            if prospect.anywhere.cardinality_max() < session.tuning().common_names_min as u64 {
                let members = std::mem::replace(&mut prospect.anywhere, SetExpr::EMPTY);
                prospect.elsewhere = 0.0;
                portions.push(Portion { members, score_max, held: Held::Anywhere });
            }
        }
        let named = portions.len();
        by_weight.retain(|&clause| !prospects[clause].anywhere.is_nothing());
        for (number, &clause) in by_weight.iter().enumerate() {
            portions.extend(self.elsewhere(&prospects, clause, &by_weight[number + 1..]));
        }
        // Two light clauses may share more than a heavy one does.
        let mut behind = 0;
        for portion in portions[named..].iter_mut().rev() {
            behind = portion.score_max.max(behind);
            portion.score_max = behind;
        }
        portions.retain(|portion| !portion.members.is_nothing());
        portions
    }

    /// The portions of those who hold `clause` elsewhere, with some of those that weigh less or
    /// without.
    fn elsewhere(
        &self,
        prospects: &[Prospect<'s>],
        clause: usize,
        lighter: &[usize],
    ) -> Vec<Portion<'s>> {
        let is_told = lighter.len() <= LIGHTER_MAX;
        let sets = if is_told { 0..1usize << lighter.len() } else { 0..1 };
        let mut portions: Vec<Portion<'s>> = sets
            .map(|set| {
                let (with, without): (Vec<usize>, Vec<usize>) =
                    (0..lighter.len()).partition(|number| !is_told || set >> number & 1 == 1);
                let plan = |number: usize| prospects[lighter[number]].anywhere.clone();
                let own = std::iter::once(prospects[clause].anywhere.clone());
                // Whoever is not told apart may hold any of them.
                let beside = with.iter().filter(|_| is_told).map(|&number| plan(number));
                let members = SetExpr::difference(
                    SetExpr::intersection(own.chain(beside)),
                    SetExpr::union(without.into_iter().map(plan)),
                );
                let is_held = |other: usize| {
                    other == clause || with.iter().any(|&number| lighter[number] == other)
                };
                let most = prospects
                    .iter()
                    .enumerate()
                    .map(|(other, prospect)| if is_held(other) { prospect.elsewhere } else { 0.0 });
                let shares = Shares { of_query: self.held(most) / self.total, of_name: 0.0 };
                let (score_max, only) =
                    (score_of(&shares), Some(clause).filter(|_| lighter.is_empty()));
                Portion { members, score_max, held: Held::Elsewhere { score_max, only } }
            })
            .collect();
        portions.sort_by_key(|portion| std::cmp::Reverse(portion.score_max));
        portions
    }

    /// A score that nobody exceeds to whom clauses bring no more than that.
    fn score_max_of(&self, prospects: &[Prospect<'s>]) -> u32 {
        let most = |prospect: &Prospect<'s>| match prospect.named.is_nothing() {
            true => prospect.elsewhere,
            false => prospect.in_name,
        };
        let of_query = self.held(prospects.iter().map(most)) / self.total;
        // One more, since sums of floats are rounded.
        score_of(&Shares { of_query, of_name: 1.0 }) + 1
    }
}

/// Everyone in whose name a word of a clause may stand, in any form or reading, or one that it
/// begins or, if `has_akin`, is akin to.
fn named<'s>(session: &Session<'s>, clause_match: &ClauseMatch<'s>, has_akin: bool) -> SetExpr<'s> {
    let split = clause_match.readings.split.iter().flat_map(|split| &split.words);
    let split = split.map(|(_, word)| session.word_in_name(word));
    let start = akin::start(&clause_match.clause).filter(|_| has_akin).map(|(_, start)| start);
    let alike = start.into_iter().flat_map(|start| {
        let start = QueryWord::of_form(start);
        [session.word_in_name(&start), PrefixMatches::of_word(session, &start).names]
    });
    let own = [clause_match.in_name_partly(session), clause_match.in_name_as_prefix()];
    SetExpr::union(own.into_iter().chain(split).chain(alike))
}
