//! Order and paging: from the hits of a query to the businesses on one page.
//!
//! A sequence is walked from a [`Position`] to either side, so page 5,000 costs what page 1 costs:
//!
//! | order | dense hits | sparse hits |
//! |---|---|---|
//! | relevance | group by group ([`rank`](super::rank)), the best of each selected by score | the same |
//! | employees descending | `DocId` order | the same |
//! | any other | walk the permutation, test each business | gather the ranks of all hits, select |
//!
//! Walking costs about `limit * N / hits` tests, gathering about `hits` look-ups: the smaller is chosen.

use super::cursor::{Cursor, Position, Side};
use super::hit_set::HitSet;
use super::plan::{Plan, Planner};
use super::rank::{Group, GroupSplit, Kind, Step, Tier};
use super::relax::RelaxedScorer;
use super::score::Scorer;
use super::understand::Understanding;
use super::{Query, SortKey, SortOrder};
use crate::ids::DocId;
use crate::snapshot::{Permutation, Snapshot};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
    let planner = Planner::new(snapshot);
    let mut understanding = Understanding::new(&planner, &query.text);
    let hits = hits(&planner, query, &mut understanding);
    let total = hits.len();
    let start = query.cursor.map(|cursor| (cursor.side, cursor.position));
    let side = start.map_or(Side::After, |(side, _)| side);
    let position = start.map(|(_, position)| position);
    // One more than asked for, to know whether anything follows.
    let wanted = query.limit as usize + 1;
    let mut found = match (query.sort, query.order) {
        (SortKey::Relevance, order) => {
            let sequence = Sequence { order, side, position, wanted };
            by_relevance(planner, query, &understanding, hits, sequence)
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
    let query_fingerprint = query.fingerprint();
    let cursor = |side, position: Option<&Position>| {
        let snapshot_version = snapshot.version();
        position.map(|&position| Cursor { side, snapshot_version, query_fingerprint, position })
    };
    Page {
        docs: found.iter().map(|position| position.doc).collect(),
        total,
        next_cursor: cursor(Side::After, found.last()).filter(|_| has_next),
        previous_cursor: cursor(Side::Before, found.first()).filter(|_| has_previous),
        corrected: understanding.corrected,
        relaxed: understanding.is_relaxed,
    }
}

/// What `query` comes to as a plan, if `q` means what `understanding` says.
pub(super) fn plan<'s>(
    planner: &Planner<'s>,
    query: &Query,
    understanding: &Understanding,
) -> Plan<'s> {
    plan_of(planner, query, understanding, &planner.filters(query), &planner.excluded(&query.text))
}

fn plan_of<'s>(
    planner: &Planner<'s>,
    query: &Query,
    understanding: &Understanding,
    filters: &[Plan<'s>],
    excluded: &Plan<'s>,
) -> Plan<'s> {
    if query.text.is_wordless() && understanding.whole_id.is_none() {
        return Plan::NOTHING;
    }
    let text = understanding.plan(planner);
    let plan = Plan::intersection(filters.iter().cloned().chain([text]));
    // The business whose id `q` is, is asked for as it is.
    if understanding.whole_id.is_some() { plan } else { Plan::difference(plan, excluded.clone()) }
}

/// The businesses that match everything; corrects and relaxes `q` if nothing in the snapshot matches it.
pub(super) fn hits(
    planner: &Planner<'_>,
    query: &Query,
    understanding: &mut Understanding,
) -> HitSet {
    let snapshot = planner.snapshot();
    let filters = planner.filters(query);
    let excluded = planner.excluded(&query.text);
    let evaluate = |understanding: &Understanding| {
        plan_of(planner, query, understanding, &filters, &excluded).evaluate(snapshot)
    };
    let hits = evaluate(understanding);
    if !hits.is_empty() || understanding.clauses.is_empty() {
        return hits;
    }
    let is_narrowed = !filters.is_empty() || !excluded.is_nothing();
    if is_narrowed && !understanding.plan(planner).evaluate(snapshot).is_empty() {
        return hits;
    }
    understanding.settle(planner, &query.text);
    evaluate(understanding)
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

/// Which stretch of a sequence is wanted.
#[derive(Clone, Copy)]
struct Sequence {
    order: SortOrder,
    side: Side,
    position: Option<Position>,
    wanted: usize,
}

impl Sequence {
    /// What orders positions in the direction of the walk, smallest first.
    fn place(&self, position: &Position) -> (u64, u32) {
        let key = match self.order {
            SortOrder::Desc => u64::MAX - position.relevance_key,
            SortOrder::Asc => position.relevance_key,
        };
        match self.side {
            Side::After => (key, position.doc.0),
            Side::Before => (u64::MAX - key, u32::MAX - position.doc.0),
        }
    }

    /// Appends the nearest of `positions` that lie ahead, in order, and returns whether there are enough.
    fn take(&self, mut positions: Vec<Position>, found: &mut Vec<Position>) -> bool {
        if let Some(start) = &self.position {
            let start = self.place(start);
            positions.retain(|position| self.place(position) > start);
        }
        let left = self.wanted - found.len();
        if positions.len() > left {
            positions.select_nth_unstable_by_key(left, |position| self.place(position));
            positions.truncate(left);
        }
        positions.sort_unstable_by_key(|position| self.place(position));
        found.extend(positions);
        found.len() == self.wanted
    }
}

impl Sequence {
    /// As [`Sequence::take`], of those positions that turn out to be members: they are asked in order, until there
    /// are enough. Otherwise all members are returned.
    fn take_members(
        &self,
        positions: Vec<Position>,
        is_member: impl Fn(DocId) -> bool,
        found: &mut Vec<Position>,
    ) -> Option<HitSet> {
        let start = self.position.as_ref().map(|start| self.place(start));
        let (ahead, behind): (Vec<Position>, Vec<Position>) = positions
            .into_iter()
            .partition(|position| start.is_none_or(|start| self.place(position) > start));
        let entry = |position: Position| Reverse((self.place(&position), position));
        let mut ahead = BinaryHeap::from_iter(ahead.into_iter().map(entry));
        let mut members = Vec::new();
        while let Some(Reverse((_, position))) = ahead.pop() {
            if is_member(position.doc) {
                members.push(position.doc.0);
                found.push(position);
                if found.len() == self.wanted {
                    return None;
                }
            }
        }
        let behind = behind.iter().map(|position| position.doc).filter(|&doc| is_member(doc));
        members.extend(behind.map(|doc| doc.0));
        members.sort_unstable();
        Some(HitSet::of_sorted(members.into_iter()))
    }
}

/// Bits of a relevance key below tier and kind.
const GROUP_SHIFT: u32 = 32;

/// The nearest hits by relevance in the direction of the walk.
fn by_relevance(
    planner: Planner<'_>,
    query: &Query,
    understanding: &Understanding,
    hits: HitSet,
    sequence: Sequence,
) -> Vec<Position> {
    if understanding.clauses.is_empty() {
        // Nothing tells the hits apart.
        let doc = sequence.position.map(|position| position.doc);
        return by_doc_id(&hits, sequence.side, doc, sequence.wanted)
            .map(|doc| Position { relevance_key: 0, doc })
            .collect();
    }
    let mut found = Vec::new();
    if understanding.is_relaxed {
        let relaxed = RelaxedScorer::new(&planner, understanding, &hits);
        let mut scorer = Scorer::new(&planner, understanding, &query.text, &hits);
        let key = |doc| u64::from(relaxed.score(doc)) << 16 | u64::from(scorer.score(doc));
        sequence.take(positions(&hits, key), &mut found);
        return found;
    }
    let mut split = GroupSplit::new(planner, understanding, &query.text, hits);
    let is_best_first = (sequence.order == SortOrder::Desc) == (sequence.side == Side::After);
    // Does the walk begin beyond the whole group?
    let is_behind = |tier: Tier, kind: Kind| {
        sequence.position.as_ref().is_some_and(|position| {
            let (prefix, here) = (group_key(tier, kind), position.relevance_key >> GROUP_SHIFT);
            if is_best_first { prefix > here } else { prefix < here }
        })
    };
    let scored = |tier: Tier, kind: Kind, members: &HitSet| {
        let prefix = group_key(tier, kind) << GROUP_SHIFT;
        let mut scorer = Scorer::new(&planner, understanding, &query.text, members);
        positions(members, |doc| prefix | u64::from(scorer.score(doc)))
    };
    let take = |group: &Group, found: &mut Vec<Position>| {
        !is_behind(group.tier, group.kind)
            && sequence.take(scored(group.tier, group.kind, &group.members), found)
    };
    if !is_best_first {
        let groups: Vec<Group> = std::iter::from_fn(|| split.next_group()).collect();
        for group in groups.iter().rev() {
            if take(group, &mut found) {
                break;
            }
        }
        return found;
    }
    while let Some(step) = split.next_step() {
        match step {
            Step::Group(group) => {
                if take(&group, &mut found) {
                    break;
                }
            }
            Step::Phrase(candidates) => {
                let (tier, kind) = (Tier::PhraseElsewhere, Kind::Whole);
                let positions = scored(tier, kind, &candidates.hits);
                let is_member = |doc| candidates.is_member(planner.snapshot(), doc);
                match sequence.take_members(positions, is_member, &mut found) {
                    Some(members) => split.phrase_checked(&members),
                    None => break,
                }
            }
        }
    }
    found
}

/// Tier and kind as part of a relevance key: the better, the larger.
fn group_key(tier: Tier, kind: Kind) -> u64 {
    (Tier::ALL.len() - tier as usize) as u64 * 2 + u64::from(kind == Kind::Whole)
}

fn positions(hits: &HitSet, mut key: impl FnMut(DocId) -> u64) -> Vec<Position> {
    let mut positions = Vec::with_capacity(hits.len() as usize);
    hits.for_each(|doc| positions.push(Position { relevance_key: key(doc), doc }));
    positions
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
    let (start, end) = match (side, rank) {
        (_, None) => (0, permutation.len()),
        (Side::After, Some(rank)) => (rank as usize + 1, permutation.len()),
        (Side::Before, Some(rank)) => (0, rank as usize),
    };
    let position = |doc: DocId| Position { relevance_key: 0, doc };
    let count = hits.len();
    let walked = wanted as u64 * permutation.len() as u64 / count.max(1);
    if walked <= count {
        let is_hit = |doc: &DocId| hits.contains(*doc);
        let within = permutation.docs(start..end);
        return match side {
            Side::After => within.filter(is_hit).take(wanted).map(position).collect(),
            Side::Before => within.rev().filter(is_hit).take(wanted).map(position).collect(),
        };
    }
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
        Side::Before => select_first(ranks, wanted, |rank| std::cmp::Reverse(*rank)),
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
