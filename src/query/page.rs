//! Paging: from a query to the businesses on one page.
//!
//! A sequence is walked from a [`Position`] to either side, so page 5,000 costs what page 1 costs. What is walked
//! is in [`relevance`](super::strategy::relevance) and [`order`](super::strategy::order); the total comes from [`count`](super::session::count).

use super::cursor::{Cursor, Position, Side};
use super::interpret::Interpretation;
use super::request::{Query, SortKey, SortOrder};
use super::score::top_k::PageWindow;
use super::session::Session;
use super::session::count::count;
use super::session::ways::{Shortcut, Shortcuts, Tuning};
use super::sets::set_expr::SetExpr;
use super::strategy::filter_positions::PositionPlan;
use super::strategy::first_pages::{best_of_phrase, page_of_word};
use super::strategy::order::{by_doc_id, by_permutation, employees_window};
use super::strategy::relevance::by_relevance;
use crate::ids::DocId;
use crate::snapshot::Snapshot;
use crate::snapshot::columns::sort_order::StoredOrder;
use crate::snapshot::encoding::packed_ints::PackedInts;
use std::cell::LazyCell;

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
    /// How the answer was found.
    pub shortcuts: Shortcuts,
}

/// Working space that a worker keeps from query to query.
#[derive(Debug, Default)]
pub struct Scratch {
    /// From which sizes on shortcuts are taken.
    pub tuning: Tuning,
    ranks: Vec<u32>,
}

/// Answers a query. Reads the snapshot only, and cannot fail.
///
/// A cursor must be one of this query over this snapshot; [`Cursor::query_fingerprint`] and
/// [`Cursor::snapshot_version`] tell. Any other gives some page, or an empty one.
pub fn search(snapshot: &Snapshot, query: &Query, scratch: &mut Scratch) -> Page {
    let session = Session::tuned(snapshot, scratch.tuning);
    let (mut corrected, mut relaxed) = (None, false);
    let (total, mut found) = stored_page(&session, query).unwrap_or_else(|| {
        let mut interpretation = Interpretation::new(&session, &query.text);
        let found = evaluated(&session, query, &mut interpretation, scratch);
        (corrected, relaxed) = (interpretation.corrected, interpretation.is_relaxed);
        found
    });
    let len = found.len() as u32;
    // How many stand before the page.
    let before = match query.cursor {
        None => 0,
        Some(Cursor { side: Side::After, rank, .. }) => rank.saturating_add(1),
        Some(Cursor { side: Side::Before, rank, .. }) => {
            found.reverse();
            rank.saturating_sub(len)
        }
    };
    let has_next = u64::from(before) + u64::from(len) < total;
    // Most names have no second page.
    let query_fingerprint = LazyCell::new(|| query.fingerprint());
    let cursor = |side, &position: &Position, rank: u32| {
        let (snapshot_version, query_fingerprint) = (snapshot.version(), *query_fingerprint);
        Cursor { side, snapshot_version, query_fingerprint, position, rank }
    };
    let next = found.last().filter(|_| has_next);
    let previous = found.first().filter(|_| before > 0);
    Page {
        docs: found.iter().map(|position| position.doc).collect(),
        total,
        next_cursor: next.map(|last| cursor(Side::After, last, before.saturating_add(len - 1))),
        previous_cursor: previous.map(|first| cursor(Side::Before, first, before)),
        corrected,
        relaxed,
        shortcuts: session.shortcuts(),
    }
}

/// How many hits there are, and those nearest to where the page begins; corrects and relaxes `q` if nothing in the snapshot
/// matches it.
fn evaluated<'s>(
    session: &Session<'s>,
    query: &Query,
    interpretation: &mut Interpretation<'s>,
    scratch: &mut Scratch,
) -> (u64, Vec<Position>) {
    let plan = plan(session, query, interpretation);
    let of_phrase = match is_first_of_best(query) {
        true => best_of_phrase(session, query, interpretation, query.limit as usize),
        false => None,
    };
    let (total, hits) = hits(session, query, interpretation, plan, of_phrase.is_none());
    let found = match only_hit(session, query, &hits) {
        Some(only) => vec![only],
        None => nearest(session, query, interpretation, (&hits, total), of_phrase, scratch),
    };
    (total, found)
}

/// The only hit, if that is known. Then it is the page, and without a cursor to it nobody asks where it ranks.
fn only_hit(session: &Session<'_>, query: &Query, hits: &SetExpr<'_>) -> Option<Position> {
    let is_only =
        matches!(hits, SetExpr::Materialised(_) | SetExpr::List(_)) && hits.cardinality_max() == 1;
    if !is_only || query.cursor.is_some() || session.tuning().ranks_only_hit {
        return None;
    }
    session.took(Shortcut::OnlyHit);
    hits.walk_from(DocId(0)).next().map(|doc| Position { relevance_key: 0, doc })
}

/// The hits nearest to where the page begins, in its direction.
fn nearest<'s>(
    session: &Session<'s>,
    query: &Query,
    interpretation: &Interpretation<'s>,
    (hits, total): (&SetExpr<'s>, u64),
    of_phrase: Option<PackedInts<'s>>,
    scratch: &mut Scratch,
) -> Vec<Position> {
    let snapshot = session.snapshot();
    // Behind the last of them nobody is looked for.
    let left = query.cursor.map_or(total, |cursor| cursor.num_beyond(total));
    let wanted = (query.limit as usize).min(left as usize);
    if wanted == 0 {
        return Vec::new();
    }
    let side = query.cursor.map_or(Side::After, |cursor| cursor.side);
    let position = query.cursor.map(|cursor| cursor.position);
    match (query.sort, query.order) {
        (SortKey::Relevance, order) => {
            let stretch = PageWindow { order, side, start: position, wanted };
            by_relevance(session, query, interpretation, (hits, total), of_phrase, stretch)
        }
        (SortKey::EmployeeCount, SortOrder::Desc) => {
            session.took(Shortcut::StaticWalk);
            by_doc_id(hits, side, position.map(|position| position.doc), wanted)
        }
        (sort, order) => {
            let permutation = match (sort, order) {
                (SortKey::Name, SortOrder::Asc) => snapshot.by_name_ascending(),
                (SortKey::Name, SortOrder::Desc) => snapshot.by_name_descending(),
                (SortKey::FoundedYear, SortOrder::Asc) => snapshot.by_founded_year_ascending(),
                (SortKey::FoundedYear, SortOrder::Desc) => snapshot.by_founded_year_descending(),
                _ => snapshot.by_employee_count_ascending(),
            };
            let window = match sort {
                SortKey::EmployeeCount => employees_window(snapshot, hits),
                _ => 0..permutation.len(),
            };
            // A cursor made by hand may name a business that is not there: it stands behind all others.
            let rank = position.map(|position| match position.doc {
                doc if doc.0 < snapshot.num_docs() => permutation.rank(doc),
                _ => snapshot.num_docs(),
            });
            match positions(session, query, interpretation, (hits, total), wanted) {
                Some(positions) => {
                    session.took(Shortcut::FilterPositions);
                    let docs = positions.nearest(permutation, side, rank, wanted);
                    docs.into_iter().map(|doc| Position { relevance_key: 0, doc }).collect()
                }
                None => {
                    let (order, hits) = ((permutation, window), (hits, total));
                    by_permutation(session, order, hits, side, rank, wanted, &mut scratch.ranks)
                }
            }
        }
    }
}

/// Is it the first page by relevance, best first?
fn is_first_of_best(query: &Query) -> bool {
    let is_best_first = query.sort == SortKey::Relevance && query.order == SortOrder::Desc;
    is_best_first && query.cursor.is_none()
}

/// How many hits there are, and the first of them, if both are stored.
fn stored_page(session: &Session<'_>, query: &Query) -> Option<(u64, Vec<Position>)> {
    if !is_first_of_best(query) {
        return None;
    }
    page_of_word(session, query)
}

/// The hits by their positions in the order that is asked for, if it costs less to walk these than to gather the ranks of
/// all hits.
fn positions<'s>(
    session: &Session<'s>,
    query: &Query,
    interpretation: &Interpretation<'s>,
    (hits, total): (&SetExpr<'s>, u64),
    wanted: usize,
) -> Option<PositionPlan<'s>> {
    let order = match query.sort {
        SortKey::Name => StoredOrder::Name,
        SortKey::FoundedYear => StoredOrder::FoundedYear,
        SortKey::Relevance | SortKey::EmployeeCount => return None,
    };
    if total <= session.tuning().gathered_max {
        return None;
    }
    let positions = match hits {
        // A set that is ready does not say what it was made of.
        SetExpr::Materialised(_) => {
            PositionPlan::new(session, &plan(session, query, interpretation), order)
        }
        hits => PositionPlan::new(session, hits, order),
    }?;
    let walked = wanted as u64 * positions.cardinality_max() / total;
    (walked <= total).then_some(positions)
}

/// What `query` comes to as a plan, if `q` means what `interpretation` says.
pub(super) fn plan<'s>(
    session: &Session<'s>,
    query: &Query,
    interpretation: &Interpretation<'s>,
) -> SetExpr<'s> {
    if query.text.is_wordless() && interpretation.whole_id.is_none() {
        return SetExpr::EMPTY;
    }
    let is_any_text = interpretation.whole_id.is_none() && interpretation.clauses.is_empty();
    let filters = session.filters(query);
    let text = (!is_any_text || filters.is_empty()).then(|| interpretation.plan(session));
    let plan = SetExpr::intersection(filters.iter().cloned().chain(text));
    // The business whose id `q` is, is asked for as it is.
    if interpretation.whole_id.is_some() {
        return plan;
    }
    SetExpr::difference(plan, session.excluded(&query.text))
}

/// How many businesses match everything, which `as_is` says, and, where `is_kept`, they themselves; corrects and relaxes
/// `q` if nothing in the snapshot matches it.
pub(super) fn hits<'s>(
    session: &Session<'s>,
    query: &Query,
    interpretation: &mut Interpretation<'s>,
    as_is: SetExpr<'s>,
    is_kept: bool,
) -> (u64, SetExpr<'s>) {
    let (total, hits) = count(session, as_is, is_kept);
    if total > 0 || interpretation.clauses.is_empty() {
        return (total, hits);
    }
    let is_narrowed = !session.filters(query).is_empty() || !query.text.excluded().is_empty();
    if is_narrowed && !interpretation.plan(session).is_empty() {
        return (total, hits);
    }
    interpretation.settle(session, &query.text);
    count(session, plan(session, query, interpretation), is_kept)
}
