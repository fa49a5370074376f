//! Paging: from a query to the businesses on one page.
//!
//! A sequence is walked from a [`Position`] to either side, so page 5,000 costs what page 1 costs.
//! What is walked is in [`relevance`](super::strategy::relevance) and
//! [`order`](super::strategy::order); the total comes from [`count`](super::session::count).

use super::cursor::{Cursor, Position, Side};
use super::interpret::{ClauseMatch, Interpretation, asked};
use super::request::{Query, Valued};
use super::score::top_k::PageWindow;
use super::session::Session;
use super::session::cost::TooExpensive;
use super::session::count::count_within;
use super::session::ways::{Tuning, Ways};
use super::sets::set_expr::SetExpr;
use super::strategy::choose::{best_in_industry, choose, stored_page};
use super::strategy::counted::Counted;
use crate::ids::DocId;
use crate::snapshot::Snapshot;
use std::borrow::Cow;
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
    /// `q` as corrected, if it was and the answer needed it.
    pub corrected: Option<String>,
    /// The place that words of `q` name, if they were read so.
    pub place: Option<String>,
    /// Did no business match all words, so that any word counts?
    pub relaxed: bool,
    /// Values of filters that name nothing.
    pub unknown: Vec<(Valued, String)>,
    /// How the answer was found.
    pub ways: Ways,
}

/// Working space that a worker keeps from query to query.
#[derive(Debug, Default)]
pub struct Scratch {
    /// From which sizes on ways are taken.
    pub tuning: Tuning,
    ranks: Vec<u32>,
}

/// Answers a query, whatever it costs. Reads the snapshot only, and cannot fail.
///
/// A cursor must be one of this query over this snapshot; [`Cursor::query_fingerprint`] and
/// [`Cursor::snapshot_version`] tell. Any other gives some page, or an empty one.
pub fn search(snapshot: &Snapshot, query: &Query, scratch: &mut Scratch) -> Page {
    search_within(snapshot, query, u64::MAX, scratch).expect("nothing costs more")
}

/// What [`search`] tells, if it costs `most` postings and tokens at most, by an estimate.
///
/// # Errors
/// It costs more. The dearest part of the work has not begun.
pub fn search_within(
    snapshot: &Snapshot,
    query: &Query,
    most: u64,
    scratch: &mut Scratch,
) -> Result<Page, TooExpensive> {
    let mut session = Session::tuned(snapshot, scratch.tuning).limited(most, 0);
    let query = &*asked(&session, query);
    let (mut corrected, mut place, mut relaxed) = (None, None, false);
    let (total, mut found) = match stored_page(&session, query) {
        Some(stored) => stored,
        None => {
            let understood = understand(&mut session, Cow::Borrowed(query))?;
            let Understood { query, interpretation, counted } = &understood;
            let window = window(query, counted.total);
            let strategy = choose(&session, query, interpretation, &window, counted);
            session
                .spend(strategy.cost(&session, query, interpretation, &window, counted))
                .map_err(|refused| with_words(refused, &session, query, interpretation))?;
            let ranks = &mut scratch.ranks;
            let found = strategy.page(&session, query, interpretation, &window, counted, ranks);
            corrected = interpretation.corrected(&session, &query.text);
            place = query.place.clone();
            relaxed = interpretation.is_relaxed;
            (counted.total, found)
        }
    };
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
        let built_at = snapshot.metadata().built_at;
        Cursor { side, snapshot_version, built_at, query_fingerprint, position, rank }
    };
    let next = found.last().filter(|_| has_next);
    let previous = found.first().filter(|_| before > 0);
    Ok(Page {
        docs: found.iter().map(|position| position.doc).collect(),
        total,
        next_cursor: next.map(|last| cursor(Side::After, last, before.saturating_add(len - 1))),
        previous_cursor: previous.map(|first| cursor(Side::Before, first, before)),
        corrected,
        place,
        relaxed,
        unknown: session.unknown(),
        ways: session.ways(),
    })
}

/// Most words that an error about the cost names.
const WORDS_NAMED_MAX: usize = 3;

/// The error with the words that stand in most documents, folded.
pub fn with_words<'s>(
    refused: TooExpensive,
    session: &Session<'s>,
    query: &Query,
    interpretation: &Interpretation<'s>,
) -> TooExpensive {
    let folded = crate::analyzer::fold_text(query.text.as_str());
    let word = |it: &ClauseMatch<'s>| {
        let text = folded.get(it.clause.span.clone()).unwrap_or_default();
        (it.anywhere(session).enumerated_max(), text.to_owned())
    };
    let mut words: Vec<(u64, String)> = interpretation.clauses.iter().map(word).collect();
    words.sort_by(|a, b| b.cmp(a));
    words.dedup();
    let words = words.into_iter().take(WORDS_NAMED_MAX).map(|(_, word)| word).collect();
    TooExpensive { words, ..refused }
}

/// The part of the sequence that a page shows, of `total` hits.
fn window(query: &Query, total: u64) -> PageWindow {
    // Nothing is looked for behind the last of them.
    let left = query.cursor.map_or(total, |cursor| cursor.num_beyond(total));
    PageWindow {
        order: query.order,
        side: query.cursor.map_or(Side::After, |cursor| cursor.side),
        start: query.cursor.map(|cursor| cursor.position),
        wanted: (query.limit as usize).min(left as usize),
    }
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
    // The document whose id `q` is, is asked for as it is: only filters count.
    if interpretation.whole_id.is_some() {
        return SetExpr::difference(plan, session.excluded_values(query));
    }
    SetExpr::difference(plan, session.excluded(query))
}

/// A query as it is understood over a snapshot, and its hits.
pub struct Understood<'q, 's> {
    /// The query; with a place, if words of `q` name it.
    pub query: Cow<'q, Query>,
    /// What `q` means.
    pub interpretation: Interpretation<'s>,
    /// The hits.
    pub counted: Counted<'s>,
}

/// Understands a query, and counts its hits.
///
/// # Errors
/// To count them costs more than the request may.
pub fn understand<'q, 's>(
    session: &mut Session<'s>,
    query: Cow<'q, Query>,
) -> Result<Understood<'q, 's>, TooExpensive> {
    let mut interpretation = Interpretation::new(session, &query.text);
    let mut counted = counted(session, &query, &interpretation)?;
    if counted.total == 0 && is_unmatched(session, &query, &interpretation) {
        if let Some(at_place) = interpretation.settle(session, &query) {
            session.forget_values();
            return understand(session, Cow::Owned(at_place));
        }
        counted = self::counted(session, &query, &interpretation)?;
    }
    Ok(Understood { query, interpretation, counted })
}

/// The hits of a query, if `q` means what `interpretation` says.
fn counted<'s>(
    session: &Session<'s>,
    query: &Query,
    interpretation: &Interpretation<'s>,
) -> Result<Counted<'s>, TooExpensive> {
    let best_in_industry = best_in_industry(session, query, interpretation);
    let expr = plan(session, query, interpretation);
    let (total, hits) = count_within(session, expr.clone(), best_in_industry.is_none())
        .map_err(|refused| with_words(refused, session, query, interpretation))?;
    Ok(Counted { total, hits, expr, best_in_industry })
}

/// Does nothing in the snapshot match the words of a query without hits, whatever its filters and
/// exclusions?
fn is_unmatched<'s>(
    session: &Session<'s>,
    query: &Query,
    interpretation: &Interpretation<'s>,
) -> bool {
    let has_exclusions = !query.text.excluded().is_empty() || query.has_excluded_values();
    let is_narrowed = has_exclusions || !session.filters(query).is_empty();
    !interpretation.clauses.is_empty() && (!is_narrowed || interpretation.plan(session).is_empty())
}
