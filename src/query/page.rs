//! Order and paging: from the hits of a query to the businesses on one page.
//!
//! A sequence is walked from a [`Position`] to either side, so page 5,000 costs what page 1 costs:
//!
//! | order | dense hits | sparse hits |
//! |---|---|---|
//! | relevance | tier by tier, in `DocId` order | the same |
//! | employees descending | `DocId` order | the same |
//! | any other | walk the permutation, test each business | gather the ranks of all hits, select |
//!
//! Walking costs about `limit * N / hits` tests, gathering about `hits` look-ups: the smaller is chosen.

use super::cursor::{Cursor, Position, Side};
use super::hit_set::HitSet;
use super::plan::Planner;
use super::rank::{Tier, TierSplit};
use super::{Query, SortKey, SortOrder};
use crate::ids::DocId;
use crate::snapshot::{Permutation, Snapshot};

/// One page of results.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Page {
    /// The businesses on it, in order.
    pub docs: Vec<DocId>,
    /// How many businesses match, on all pages together.
    pub total: u64,
    /// Where the next page begins; none on the last.
    pub next_cursor: Option<Cursor>,
    /// Where the previous page ends; none on the first.
    pub previous_cursor: Option<Cursor>,
    /// `q` as corrected, if it was.
    pub corrected: Option<String>,
    /// Did no business match all words, so that any word counts?
    pub relaxed: bool,
}

/// Working space that a worker keeps from query to query.
#[derive(Debug, Default)]
pub struct Scratch {
    ranks: Vec<u32>,
}

/// Answers a query. Reads the snapshot only, and cannot fail.
///
/// A cursor must be one of this query over this snapshot; [`Cursor::query_fingerprint`] and
/// [`Cursor::snapshot_version`] tell. Any other gives some page, or an empty one.
pub fn search(snapshot: &Snapshot, query: &Query, scratch: &mut Scratch) -> Page {
    let hits = Planner::new(snapshot).plan(query).evaluate(snapshot);
    let total = hits.len();
    let start = query.cursor.map(|cursor| (cursor.side, cursor.position));
    let side = start.map_or(Side::After, |(side, _)| side);
    let position = start.map(|(_, position)| position);
    // One more than asked for, to know whether anything follows.
    let wanted = query.limit as usize + 1;
    let mut found = match (query.sort, query.order) {
        (SortKey::Relevance, order) => {
            by_relevance(snapshot, query, hits, order, side, position, wanted)
        }
        (SortKey::EmployeeCount, SortOrder::Desc) => {
            by_doc_id(&hits, side, position.map(|position| position.doc), wanted)
                .map(|doc| Position { relevance_key: 0, doc })
                .collect()
        }
        (sort, order) => {
            let permutation = match (sort, order) {
                (SortKey::Name, SortOrder::Asc) => snapshot.by_name_ascending(),
                (SortKey::Name, SortOrder::Desc) => snapshot.by_name_descending(),
                (SortKey::FoundedYear, SortOrder::Asc) => snapshot.by_founded_year_ascending(),
                (SortKey::FoundedYear, SortOrder::Desc) => snapshot.by_founded_year_descending(),
                _ => snapshot.by_employee_count_ascending(),
            };
            let rank = position.map(|position| permutation.rank(position.doc));
            by_permutation(permutation, &hits, side, rank, wanted, &mut scratch.ranks)
        }
    };
    let has_more = found.len() == wanted;
    found.truncate(query.limit as usize);
    let (has_next, has_previous) = match side {
        Side::After => (has_more, start.is_some()),
        Side::Before => {
            found.reverse();
            (true, has_more)
        }
    };
    let cursor = |side, position: Option<&Position>| {
        position.map(|&position| Cursor {
            side,
            snapshot_version: snapshot.version(),
            query_fingerprint: query.fingerprint(),
            position,
        })
    };
    Page {
        docs: found.iter().map(|position| position.doc).collect(),
        total,
        next_cursor: cursor(Side::After, found.last()).filter(|_| has_next),
        previous_cursor: cursor(Side::Before, found.first()).filter(|_| has_previous),
        corrected: None,
        relaxed: false,
    }
}

/// The first `wanted` hits on one side of `doc` in `DocId` order, nearest first.
fn by_doc_id(
    hits: &HitSet,
    side: Side,
    doc: Option<DocId>,
    wanted: usize,
) -> impl Iterator<Item = DocId> {
    let (forward, backward) = match side {
        Side::After => {
            let start = doc.map_or(Some(DocId(0)), |doc| doc.0.checked_add(1).map(DocId));
            (start.map(|start| hits.iter_from(start)), None)
        }
        Side::Before => (None, Some(hits.iter_before(doc.unwrap_or(DocId(u32::MAX))))),
    };
    forward.into_iter().flatten().chain(backward.into_iter().flatten()).take(wanted)
}

/// The first `wanted` hits on one side of `position` by relevance, nearest first.
fn by_relevance(
    snapshot: &Snapshot,
    query: &Query,
    hits: HitSet,
    order: SortOrder,
    side: Side,
    position: Option<Position>,
    wanted: usize,
) -> Vec<Position> {
    let mut found = Vec::new();
    let mut take = |tier: Tier, members: &HitSet| {
        let key = tier.relevance_key();
        // Where the tier lies as seen from the position, in the direction of the walk.
        let is_behind = |position: &Position| match (order, side) {
            (SortOrder::Desc, Side::After) | (SortOrder::Asc, Side::Before) => {
                key > position.relevance_key
            }
            (SortOrder::Asc, Side::After) | (SortOrder::Desc, Side::Before) => {
                key < position.relevance_key
            }
        };
        if position.as_ref().is_some_and(is_behind) {
            return false;
        }
        let doc = position.filter(|position| position.relevance_key == key).map(|at| at.doc);
        let left = wanted - found.len();
        found.extend(
            by_doc_id(members, side, doc, left).map(|doc| Position { relevance_key: key, doc }),
        );
        found.len() == wanted
    };
    let mut split = TierSplit::new(snapshot, &query.text, hits);
    let is_best_first = (order == SortOrder::Desc) == (side == Side::After);
    if is_best_first {
        while let Some((tier, members)) = split.next_tier() {
            if take(tier, &members) {
                break;
            }
        }
    } else {
        let tiers: Vec<(Tier, HitSet)> = std::iter::from_fn(|| split.next_tier()).collect();
        for (tier, members) in tiers.iter().rev() {
            if take(*tier, members) {
                break;
            }
        }
    }
    found
}

/// The first `wanted` hits on one side of `rank` in a permutation, nearest first.
fn by_permutation(
    permutation: Permutation<'_>,
    hits: &HitSet,
    side: Side,
    rank: Option<u32>,
    wanted: usize,
    ranks: &mut Vec<u32>,
) -> Vec<Position> {
    let docs = permutation.docs();
    let (start, end) = match (side, rank) {
        (_, None) => (0, docs.len()),
        (Side::After, Some(rank)) => (rank as usize + 1, docs.len()),
        (Side::Before, Some(rank)) => (0, rank as usize),
    };
    let position = |&doc: &u32| Position { relevance_key: 0, doc: DocId(doc) };
    let count = hits.len();
    let walked = wanted as u64 * docs.len() as u64 / count.max(1);
    if walked <= count {
        let is_hit = |doc: &&u32| hits.contains(DocId(**doc));
        let within = docs[start..end].iter();
        return match side {
            Side::After => within.filter(is_hit).take(wanted).map(position).collect(),
            Side::Before => within.rev().filter(is_hit).take(wanted).map(position).collect(),
        };
    }
    ranks.clear();
    let within = start as u32..end as u32;
    ranks.extend(hits.iter().map(|doc| permutation.rank(doc)).filter(|rank| within.contains(rank)));
    match side {
        Side::After => select_first(ranks, wanted, |rank| *rank),
        Side::Before => select_first(ranks, wanted, |rank| std::cmp::Reverse(*rank)),
    }
    ranks.iter().map(|&rank| position(&docs[rank as usize])).collect()
}

/// Keeps the first `wanted` of `ranks` by `key`, in order.
fn select_first<K: Ord>(ranks: &mut Vec<u32>, wanted: usize, key: impl Fn(&u32) -> K + Copy) {
    if ranks.len() > wanted {
        ranks.select_nth_unstable_by_key(wanted, key);
        ranks.truncate(wanted);
    }
    ranks.sort_unstable_by_key(key);
}
