//! Exact totals, without looking at what matches where that can be avoided.
//!
//! | strategy | when | cost |
//! |---|---|---|
//! | length of a list or range | one condition | nothing |
//! | difference of two ranks | one list within bounds on employees | two look-ups, one chunk each |
//! | stored count of a phrase | two dense words next to each other ([`phrases`](crate::snapshot::answers::phrases)) | a binary search |
//! | stored count of a pair | two dense keys ([`dense`](crate::snapshot::answers::frequent_keys)) | two binary searches |
//! | stored total of a word, wherever or in an industry | the first page by relevance, where the [page](crate::query::strategy::first_pages) is stored: not asked here | nothing |
//! | stored count of two places or industries | a city and its state ([`filter_pairs`](crate::snapshot::answers::filter_pairs)) | a binary search |
//! | sum | what a last word is, and what it only begins; industries, which no business has two of | its parts |
//! | sum without what both have | two lists that are too long to be kept (`S.A`) | passing both |
//! | positions by industry | words, places and bounds within one industry ([`within_industry`](super::within_industry)) | the smallest part as far as it is of the industry |
//! | enumeration | anything else | the smallest part, a chunk at a time; its hits are kept if they are few, else nothing is written |

use super::Session;
use super::cost::TooExpensive;
use super::ways::Way;
use super::within_industry::WithinIndustry;
use crate::ids::DocId;
use crate::query::sets::chunk::Chunk;
use crate::query::sets::doc_set::DocSet;
use crate::query::sets::evaluate::SELECTED_MAX;
use crate::query::sets::set_expr::{List, SetExpr};
use std::ops::Range;

/// Most lists that are compared in pairs.
const DISJOINT_MAX: usize = 8;

/// Longest list that is read to compare it with another.
const ENUMERATED_MAX: u64 = 1 << 14;

/// How many businesses match a plan, and the plan, if possible as a set that is ready. Where
/// `is_kept` is false, that is only what they are counted by.
pub fn count<'s>(session: &Session<'s>, plan: SetExpr<'s>, is_kept: bool) -> (u64, SetExpr<'s>) {
    match without_looking(session, &plan) {
        Some(total) => (total, plan),
        None => by_looking(session, plan, is_kept),
    }
}

/// What [`count`] tells, unless that costs more than the request may.
///
/// # Errors
/// It does.
pub fn count_within<'s>(
    session: &Session<'s>,
    plan: SetExpr<'s>,
    is_kept: bool,
) -> Result<(u64, SetExpr<'s>), TooExpensive> {
    if let Some(total) = without_looking(session, &plan) {
        return Ok((total, plan));
    }
    session.spend(plan.cost(session.snapshot().num_docs()))?;
    Ok(by_looking(session, plan, is_kept))
}

fn by_looking<'s>(session: &Session<'s>, plan: SetExpr<'s>, is_kept: bool) -> (u64, SetExpr<'s>) {
    let kept_max = session.tuning().kept_max;
    if let SetExpr::Intersection(parts) = &plan
        && let Some(within) = WithinIndustry::new(session, parts)
    {
        session.took(Way::Reordered);
        let (total, hits) = within.hits(if is_kept { kept_max } else { 0 });
        return (total, hits.map_or(plan, SetExpr::materialised));
    }
    if plan.cardinality_max() <= kept_max.min(SELECTED_MAX) {
        let hits = plan.doc_set();
        return (hits.len(), SetExpr::materialised(hits));
    }
    let (total, kept) = enumerate(&plan, kept_max);
    (total, kept.map_or(plan, SetExpr::materialised))
}

/// How many businesses match a plan, and all of them if they are `kept_max` at most.
fn enumerate(plan: &SetExpr<'_>, kept_max: u64) -> (u64, Option<DocSet>) {
    let mut kept = DocSet::default();
    let mut total = 0;
    for key in plan.keys() {
        if total > kept_max {
            total += plan.chunk_len(key) as u64;
            continue;
        }
        let lows = plan.chunk(key);
        total += lows.len() as u64;
        if total <= kept_max {
            kept.extend(key, &lows);
        }
    }
    (total, (total <= kept_max).then_some(kept))
}

/// The total of a plan, if nothing, or almost nothing, has to be looked at for it.
fn without_looking(session: &Session<'_>, plan: &SetExpr<'_>) -> Option<u64> {
    match plan {
        SetExpr::Range(_) | SetExpr::List(_) | SetExpr::Materialised(_) => {
            Some(plan.cardinality_max())
        }
        SetExpr::Filtered { len, .. } => *len,
        SetExpr::Union(union) if union.is_disjoint => {
            let parts = union.parts.iter().map(|part| without_looking(session, part));
            let total = parts.sum::<Option<u64>>()?;
            session.took(Way::StoredCount);
            Some(total)
        }
        SetExpr::Union(union) => match union.parts.as_slice() {
            [a, b] => {
                let both = pair(session, a, b).or_else(|| passed(session, a, b))?;
                let sum = without_looking(session, a)? + without_looking(session, b)?;
                Some(sum.saturating_sub(both))
            }
            _ => None,
        },
        SetExpr::Difference(plan, excluded) => {
            let both = match (&**plan, &**excluded) {
                (SetExpr::Range(range), SetExpr::List(list)) => within(list, range),
                (plan, excluded) => pair(session, plan, excluded)?,
            };
            Some(without_looking(session, plan)?.saturating_sub(both))
        }
        SetExpr::Intersection(parts) => match parts.as_slice() {
            [SetExpr::Range(range), SetExpr::List(list)]
            | [SetExpr::List(list), SetExpr::Range(range)] => {
                session.took(Way::StoredCount);
                Some(within(list, range))
            }
            [a, b] => pair(session, a, b),
            _ => None,
        },
    }
}

/// Do no two of the lists share a business? Only said where that costs little to find out.
pub fn are_disjoint(session: &Session<'_>, lists: &[SetExpr<'_>]) -> bool {
    let pairs = (0..lists.len()).flat_map(|b| (0..b).map(move |a| (&lists[a], &lists[b])));
    lists.len() <= DISJOINT_MAX
        && pairs.into_iter().all(|(a, b)| {
            let smaller = a.cardinality_max().min(b.cardinality_max());
            match stored(session, a, b) {
                Some(count) => count == 0,
                None => smaller <= ENUMERATED_MAX && enumerated(a, b) == 0,
            }
        })
}

/// The lists without those that are known to be part of another one: what is stored as `Texas` is
/// under the state's code too.
pub fn without_parts<'s>(session: &Session<'s>, mut lists: Vec<SetExpr<'s>>) -> Vec<SetExpr<'s>> {
    lists.sort_by_key(SetExpr::cardinality_max);
    let mut at = 0;
    while at < lists.len() {
        let len = lists[at].cardinality_max();
        if lists[at + 1..].iter().any(|larger| stored(session, &lists[at], larger) == Some(len)) {
            lists.remove(at);
        } else {
            at += 1;
        }
    }
    lists
}

fn within(list: &List<'_>, range: &Range<u32>) -> u64 {
    let rank = |doc| list.postings.rank(DocId(doc));
    (rank(range.end) - rank(range.start)) as u64
}

/// How many businesses match two plans, if that is stored for those of their parts that are dense.
fn pair(session: &Session<'_>, a: &SetExpr<'_>, b: &SetExpr<'_>) -> Option<u64> {
    let (a, b) = (disjoint_parts(a)?, disjoint_parts(b)?);
    let pairs = || a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
    let counts: Vec<Option<u64>> = pairs().map(|(a, b)| stored(session, a, b)).collect();
    // If nothing is stored, whoever asks enumerates, and keeps what is found.
    if counts.iter().all(Option::is_none) {
        return None;
    }
    session.took(Way::StoredCount);
    let counts = pairs().zip(counts);
    Some(counts.map(|((a, b), count)| count.unwrap_or_else(|| enumerated(a, b))).sum())
}

/// How many businesses two lists share, if so many are on one of them that those on either are not
/// kept: to pass both costs less than to bring them together (`S.A` 740 to 350 µs, with its page).
fn passed(session: &Session<'_>, a: &SetExpr<'_>, b: &SetExpr<'_>) -> Option<u64> {
    let are_lists = matches!((a, b), (SetExpr::List(_), SetExpr::List(_)));
    let longer = a.cardinality_max().max(b.cardinality_max());
    (are_lists && longer > session.tuning().kept_max).then(|| enumerated(a, b))
}

/// The parts of a plan that is a list or set, or a union of such of which no two share a business.
fn disjoint_parts<'a, 's>(plan: &'a SetExpr<'s>) -> Option<&'a [SetExpr<'s>]> {
    let is_plain = |plan: &SetExpr<'_>| matches!(plan, SetExpr::List(_) | SetExpr::Materialised(_));
    match plan {
        SetExpr::Union(union) if union.is_disjoint && union.parts.iter().all(is_plain) => {
            Some(&union.parts)
        }
        plan if is_plain(plan) => Some(std::slice::from_ref(plan)),
        _ => None,
    }
}

/// How many businesses two lists share, if that is stored.
pub fn stored(session: &Session<'_>, a: &SetExpr<'_>, b: &SetExpr<'_>) -> Option<u64> {
    match (a, b) {
        (SetExpr::List(List { key: Some(a), .. }), SetExpr::List(List { key: Some(b), .. })) => {
            session.snapshot().pair_count(*a, *b)
        }
        _ => None,
    }
}

fn enumerated(a: &SetExpr<'_>, b: &SetExpr<'_>) -> u64 {
    let (mut total, mut from) = (0, 0);
    // Leaps from one chunk that both have to the next.
    while let Some(key) = a.next_key(from) {
        match b.next_key(u32::from(key)) {
            Some(other) if other == key => {
                let lows: Chunk<'_> = a.chunk(key);
                total += lows.and_len(&b.chunk(key)) as u64;
                from = u32::from(key) + 1;
            }
            Some(other) => from = u32::from(other),
            None => break,
        }
    }
    total
}
