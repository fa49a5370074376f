//! The one place that decides how a page is found.
//!
//! | strategy | when | cost |
//! |---|---|---|
//! | [stored page](stored_page) | the first page of one word, everywhere or in one industry; before anything is interpreted or counted | a binary search |
//! | [`Empty`](Strategy::Empty) | nothing is left beyond the cursor | nothing |
//! | [`OnlyHit`](Strategy::OnlyHit) | one hit, without a cursor: no order puts it elsewhere | the hit |
//! | [`StaticWalk`](Strategy::StaticWalk) | by relevance without words; by employees, most first | the page |
//! | [`Relaxed`](Strategy::Relaxed) | no document has all words | the names that may be near |
//! | [`Levels`](Strategy::Levels) | by relevance, else: level by level, each by [`on_level`] | the levels down to the page |
//! | [`Reordered`](Strategy::Reordered) | by name or year, hits within an industry or place whose positions are stored, more than 1,024 | the page times positions / hits |
//! | [`RunWalk`](Strategy::RunWalk) | by employees, fewest first: run by run of equal counts | the runs of the page; falls back to the next two beyond hits / 64 runs |
//! | [`PermutationWalk`](Strategy::PermutationWalk) | else, where it costs less than the next | the page times documents / hits |
//! | [`RankGather`](Strategy::RankGather) | else | a look-up for each hit |

use super::counted::Counted;
use super::filter_positions::PositionPlan;
use super::first_pages;
use super::order::SortedHits;
use crate::query::cursor::Position;
use crate::query::interpret::Interpretation;
use crate::query::request::{Query, SortKey, SortOrder};
use crate::query::score::top_k::PageWindow;
use crate::query::session::Session;
use crate::query::sets::set_expr::SetExpr;
use crate::snapshot::answers::first_pages::Scope;
use crate::snapshot::columns::sort_order::StoredOrder;
use crate::snapshot::encoding::packed_ints::PackedInts;

/// How a page is found, once its hits are counted.
#[derive(Debug)]
pub enum Strategy<'s> {
    /// Nothing is on it.
    Empty,
    /// The only hit is.
    OnlyHit,
    /// A walk in the static order.
    StaticWalk,
    /// The ranking of relaxed answers.
    Relaxed,
    /// Levels of relevance, one after the other, with the stored best documents of the phrase that
    /// `q` is, if there are any.
    Levels(Option<PackedInts<'s>>),
    /// A walk along the positions of filters in a sort order.
    Reordered(PositionPlan<'s>),
    /// A walk in the static order within runs of equal values.
    RunWalk,
    /// A walk along a sort order.
    PermutationWalk,
    /// The ranks of all hits, of which the nearest are kept.
    RankGather,
}

/// How the part of a page on one level is found, unless the stored best documents of a phrase fill
/// it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnLevel {
    /// Candidates in the order of scores, verified until the page is full.
    Verified,
    /// A walk by bounds of impacts.
    ImpactWalk,
    /// All members are scored.
    ScoreAll,
}

/// The total and the first page, if both are stored.
pub fn stored_page(session: &Session<'_>, query: &Query) -> Option<(u64, Vec<Position>)> {
    if is_first_of_best(query) { first_pages::page_of_word(session, query) } else { None }
}

/// The stored best documents of the phrase that `query` asks for in one industry, if they fill the
/// page: hits are only counted then.
pub fn best_in_industry<'s>(
    session: &Session<'s>,
    query: &Query,
    interpretation: &Interpretation<'s>,
) -> Option<PackedInts<'s>> {
    let wanted = query.limit as usize;
    let is_first = is_first_of_best(query);
    is_first.then(|| first_pages::best_of_phrase(session, query, interpretation, wanted)).flatten()
}

/// The strategy for a page.
pub fn choose<'s>(
    session: &Session<'s>,
    query: &Query,
    interpretation: &Interpretation<'s>,
    window: &PageWindow,
    counted: &Counted<'s>,
) -> Strategy<'s> {
    if window.wanted == 0 {
        return Strategy::Empty;
    }
    if is_only_hit(session, query, &counted.hits) {
        return Strategy::OnlyHit;
    }
    match (query.sort, query.order) {
        (SortKey::Relevance, _) if interpretation.clauses.is_empty() => Strategy::StaticWalk,
        (SortKey::Relevance, _) if interpretation.is_relaxed => Strategy::Relaxed,
        (SortKey::Relevance, _) => {
            let best = counted.best_in_industry.or_else(|| {
                let phrase = interpretation.stored_phrase(session, &query.text)?;
                session.snapshot().best_of_phrase(&phrase, Scope::Everywhere)
            });
            Strategy::Levels(best)
        }
        (SortKey::EmployeeCount, SortOrder::Desc) => Strategy::StaticWalk,
        (SortKey::EmployeeCount, SortOrder::Asc) => Strategy::RunWalk,
        (SortKey::Name, _) => sorted(session, query, StoredOrder::Name, window, counted),
        (SortKey::FoundedYear, _) => {
            sorted(session, query, StoredOrder::FoundedYear, window, counted)
        }
    }
}

/// The strategy for a page in a stored order.
fn sorted<'s>(
    session: &Session<'s>,
    query: &Query,
    order: StoredOrder,
    window: &PageWindow,
    counted: &Counted<'s>,
) -> Strategy<'s> {
    let total = counted.total;
    let is_many = total > session.tuning().gathered_max;
    let positions = is_many.then(|| PositionPlan::new(session, &counted.expr, order)).flatten();
    let walked = |it: &PositionPlan<'_>| window.wanted as u64 * it.cardinality_max() / total;
    match positions.filter(|positions| walked(positions) <= total) {
        Some(positions) => Strategy::Reordered(positions),
        None => along(&SortedHits::new(session, query, window, counted)),
    }
}

/// The cheaper way along a sort order.
pub fn along<'s>(hits: &SortedHits<'_, '_>) -> Strategy<'s> {
    if hits.is_walked() { Strategy::PermutationWalk } else { Strategy::RankGather }
}

/// How the part of a page among `members` of a level is found.
pub fn on_level(session: &Session<'_>, members: &SetExpr<'_>) -> OnLevel {
    if members.cardinality_max() <= session.tuning().held_max {
        return OnLevel::ScoreAll;
    }
    if matches!(members, SetExpr::Filtered { .. }) {
        OnLevel::Verified
    } else {
        OnLevel::ImpactWalk
    }
}

/// Is it the first page by relevance, best first?
fn is_first_of_best(query: &Query) -> bool {
    let is_best_first = query.sort == SortKey::Relevance && query.order == SortOrder::Desc;
    is_best_first && query.cursor.is_none()
}

/// Is there one hit, and no cursor to it asked for, so that it need not be ranked?
fn is_only_hit(session: &Session<'_>, query: &Query, hits: &SetExpr<'_>) -> bool {
    let is_known = matches!(hits, SetExpr::Materialised(_) | SetExpr::List(_));
    let is_ranked = query.cursor.is_some() || session.tuning().ranks_only_hit;
    is_known && hits.cardinality_max() == 1 && !is_ranked
}
