//! Pages by relevance: level by level, best first, on a level by text score, then by `DocId`.
//!
//! A level is taken from the stored best documents of a phrase, where these fill the page, else as
//! [`on_level`](super::choose::on_level) says.

mod walk;

use super::counted::Counted;
use super::impact_walk::ImpactWalk;
use crate::query::cursor::Position;
use crate::query::interpret::Interpretation;
use crate::query::request::Query;
use crate::query::score::text_score::Scorer;
use crate::query::score::tiers::TierPartition;
use crate::query::score::top_k::PageWindow;
use crate::query::session::Session;
use crate::query::session::ways::Way;
use crate::query::session::within_industry::WithinIndustry;
use crate::query::sets::set_expr::SetExpr;
use crate::snapshot::encoding::packed_ints::PackedInts;
use walk::Walk;

/// The hits nearest to the start of a page by relevance, level by level.
pub fn by_relevance<'s>(
    session: &Session<'s>,
    query: &Query,
    interpretation: &Interpretation<'s>,
    counted: &Counted<'s>,
    best_of_phrase: Option<PackedInts<'s>>,
    stretch: PageWindow,
) -> Vec<Position> {
    let Counted { total, hits, .. } = counted;
    let scorer = Scorer::new(session, interpretation, &query.text);
    // Without stored best businesses that fill the page, most groups are looked at.
    let is_stored = best_of_phrase.is_some_and(|best| best.len() >= stretch.wanted);
    let held = if is_stored { None } else { held(session, hits, *total) };
    let hits = held.unwrap_or_else(|| hits.clone());
    let is_phrase = matches!(interpretation.clauses.as_slice(), [only] if only.clause.is_quoted);
    let walk = Walk {
        session,
        impacts: ImpactWalk::new(session, interpretation, scorer.legal_forms()),
        scorer,
        best_of_phrase,
        is_phrase,
        stretch,
        found: Vec::new(),
    };
    let split = TierPartition::new(session, interpretation, &query.text, hits);
    if stretch.is_best_first() { walk.best_first(split) } else { walk.worst_first(split) }
}

/// The `total` hits of an intersection as a set, if they are few: each group would find them anew.
fn held<'s>(session: &Session<'s>, hits: &SetExpr<'s>, total: u64) -> Option<SetExpr<'s>> {
    let most = session.tuning().held_max;
    if total > most {
        return None;
    }
    let SetExpr::Intersection(parts) = hits else { return None };
    match WithinIndustry::new(session, parts) {
        Some(within) => {
            session.took(Way::Reordered);
            within.hits(most).1.map(SetExpr::materialised)
        }
        None => Some(SetExpr::materialised(hits.doc_set())),
    }
}
