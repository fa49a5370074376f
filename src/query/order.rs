//! Pages in the static order, and in the order of a permutation.
//!
//! | order | dense hits | sparse hits |
//! |---|---|---|
//! | employees descending | walk the hits in `DocId` order | the same |
//! | any other | walk the permutation, test each business | gather the ranks of all hits, keep the nearest |
//!
//! Walking costs about `limit * N / hits` tests, gathering about `hits` look-ups: the smaller is chosen.

use super::cursor::{Position, Side};
use super::plan::{Plan, Planner};
use super::shortcut::Shortcut;
use crate::ids::DocId;
use crate::snapshot::Permutation;
use std::cmp::Reverse;

/// The first `wanted` hits on one side of `start` in `DocId` order, nearest first.
pub fn by_doc_id(
    hits: &Plan<'_>,
    side: Side,
    start: Option<DocId>,
    wanted: usize,
) -> Vec<Position> {
    let position = |doc| Position { relevance_key: 0, doc };
    match side {
        Side::After => match start.map_or(Some(0), |doc| doc.0.checked_add(1)) {
            Some(start) => hits.walk_from(DocId(start)).take(wanted).map(position).collect(),
            None => Vec::new(),
        },
        Side::Before => {
            let end = start.unwrap_or(DocId(u32::MAX));
            hits.walk_before(end).take(wanted).map(position).collect()
        }
    }
}

/// The first `wanted` of `total` hits on one side of `rank` in a permutation, nearest first.
pub fn by_permutation(
    planner: &Planner<'_>,
    permutation: Permutation<'_>,
    hits: (&Plan<'_>, u64),
    side: Side,
    rank: Option<u32>,
    wanted: usize,
    ranks: &mut Vec<u32>,
) -> Vec<Position> {
    let (hits, total) = hits;
    let (start, end) = match (side, rank) {
        (_, None) => (0, permutation.len()),
        (Side::After, Some(rank)) => (rank as usize + 1, permutation.len()),
        (Side::Before, Some(rank)) => (0, rank as usize),
    };
    let position = |doc: DocId| Position { relevance_key: 0, doc };
    let walked = wanted as u64 * permutation.len() as u64 / total.max(1);
    if walked <= total {
        planner.took(Shortcut::PermutationWalk);
        let is_hit = |doc: &DocId| hits.contains(*doc);
        let within = permutation.docs(start..end);
        return match side {
            Side::After => within.filter(is_hit).take(wanted).map(position).collect(),
            Side::Before => within.rev().filter(is_hit).take(wanted).map(position).collect(),
        };
    }
    planner.took(Shortcut::RankGather);
    ranks.clear();
    let within = start as u32..end as u32;
    hits.for_each(|doc| {
        let rank = permutation.rank(doc);
        if within.contains(&rank) {
            ranks.push(rank);
        }
    });
    match side {
        Side::After => select_first(ranks, wanted, |rank| *rank),
        Side::Before => select_first(ranks, wanted, |rank| Reverse(*rank)),
    }
    ranks.iter().map(|&rank| position(permutation.doc_at(rank as usize))).collect()
}

/// Keeps the first `wanted` of `ranks` by `key`, in order.
fn select_first<K: Ord>(ranks: &mut Vec<u32>, wanted: usize, key: impl Fn(&u32) -> K + Copy) {
    if ranks.len() > wanted {
        ranks.select_nth_unstable_by_key(wanted, key);
        ranks.truncate(wanted);
    }
    ranks.sort_unstable_by_key(key);
}
