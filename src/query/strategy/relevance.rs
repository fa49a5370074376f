//! Pages by relevance: groups best first, inside a group by text score, then by `DocId`.
//!
//! | way | when | cost |
//! |---|---|---|
//! | static order | nothing tells the hits apart | the page |
//! | bounds of what words add ([`impact_walk`](super::impact_walk)) | a group of more than 1,024 members | a byte for each document of a word, and scoring those that may be on the page |
//! | stored page of a word ([`first_pages`](super::first_pages)) | `q` is one word, asked for wherever or in one industry: the first page, which [`page`](crate::query::page) takes before anything is counted | a binary search |
//! | best of a phrase, wherever or in one industry ([`phrases`](crate::snapshot::answers::phrases)) | `q` is two words, who holds them next to each other has no better place, and these fill the page | a probe for each that is stored, and its score |
//! | portions of the hits ([`relax`](super::relaxed)) | nothing matches all words | the names of those who may be near; of those with one frequent word a byte each |
//! | scoring every member of a group | anything else | the group, in bounded space |
//! | checking candidates by descending score | phrases | a read of some 150 bytes for each candidate until the page is full |
//!
//! What a group's page is found by is decided in `relevance/walk.rs`.

mod walk;

use super::first_pages::two_words;
use super::impact_walk::ImpactWalk;
use super::order::by_doc_id;
use super::relaxed::RelaxedScorer;
use crate::query::cursor::Position;
use crate::query::interpret::Interpretation;
use crate::query::request::Query;
use crate::query::score::text_score::Scorer;
use crate::query::score::tiers::TierPartition;
use crate::query::score::top_k::PageWindow;
use crate::query::session::Session;
use crate::query::session::ways::Shortcut;
use crate::query::session::within_industry::WithinIndustry;
use crate::query::sets::set_expr::SetExpr;
use crate::snapshot::answers::first_pages::Scope;
use crate::snapshot::encoding::packed_ints::PackedInts;
use walk::Walk;

/// The nearest of the hits, with their total, by relevance in the direction of the walk; `of_phrase` are the stored best in
/// the industry, if they fill the page.
pub fn by_relevance<'s>(
    session: &Session<'s>,
    query: &Query,
    interpretation: &Interpretation<'s>,
    (hits, total): (&SetExpr<'s>, u64),
    of_phrase: Option<PackedInts<'s>>,
    stretch: PageWindow,
) -> Vec<Position> {
    if interpretation.clauses.is_empty() {
        // Nothing tells the hits apart.
        session.took(Shortcut::StaticWalk);
        let start = stretch.start.map(|position| position.doc);
        return by_doc_id(hits, stretch.side, start, stretch.wanted);
    }
    if interpretation.is_relaxed {
        let relaxed = RelaxedScorer::new(session, interpretation);
        let scorer = Scorer::new(session, interpretation, &query.text);
        return relaxed.nearest(session, interpretation, hits, scorer, stretch);
    }
    let scorer = Scorer::new(session, interpretation, &query.text);
    let best_of_phrase = match of_phrase {
        Some(best) => Some((best, Shortcut::BestOfPhraseInIndustry)),
        None => two_words(session, query, interpretation)
            .and_then(|phrase| session.snapshot().best_of_phrase(&phrase, Scope::Everywhere))
            .map(|best| (best, Shortcut::BestOfPhrase)),
    };
    // Without stored best businesses that fill the page, most groups are looked at.
    let is_stored = best_of_phrase.is_some_and(|(best, _)| best.len() >= stretch.wanted);
    let held = if is_stored { None } else { held(session, hits, total) };
    let hits = held.unwrap_or_else(|| hits.clone());
    let is_phrase = matches!(interpretation.clauses.as_slice(), [only] if only.clause.is_quoted);
    let walk = Walk {
        session,
        scorer,
        impacts: ImpactWalk::new(session, interpretation),
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
            session.took(Shortcut::WithinIndustry);
            within.hits(most).1.map(SetExpr::materialised)
        }
        None => Some(SetExpr::materialised(hits.doc_set())),
    }
}
