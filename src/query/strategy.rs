//! The ways from a query and its set of hits to the page. [`choose`] decides which one is taken.

pub mod choose;
pub mod counted;
pub mod filter_positions;
pub mod first_pages;
pub mod impact_walk;
pub mod order;
pub mod relaxed;
pub mod relevance;

use crate::ids::DocId;
use crate::query::cursor::Position;
use crate::query::interpret::Interpretation;
use crate::query::request::Query;
use crate::query::score::text_score::Scorer;
use crate::query::score::top_k::PageWindow;
use crate::query::session::Session;
use crate::query::session::ways::Way;
use choose::Strategy;
use counted::Counted;
use order::{SortedHits, by_doc_id};
use relaxed::RelaxedScorer;
use relevance::by_relevance;

/// Postings that are looked up for a clause and a hit of a relaxed answer.
const LOOKED_UP: u64 = 64;

/// Bytes about next words and scores that are read for each hit and two neighbouring words where
/// phrases are looked for among hits.
const NEIGHBOURS: u64 = 16;

/// Is the page the first one of the words alone, whose best documents may be stored?
fn is_of_phrase_alone(session: &Session<'_>, query: &Query, counted: &Counted<'_>) -> bool {
    let is_alone = counted.best_in_industry.is_some() || session.filters(query).is_empty();
    let is_whole = query.text.excluded().is_empty() && !query.has_excluded_values();
    is_alone && is_whole && query.cursor.is_none()
}

impl<'s> Strategy<'s> {
    /// About how many postings and tokens [`Strategy::page`] reads, told from what was counted.
    pub fn cost(
        &self,
        session: &Session<'s>,
        query: &Query,
        interpretation: &Interpretation<'s>,
        window: &PageWindow,
        counted: &Counted<'s>,
    ) -> u64 {
        let num_docs = session.snapshot().num_docs();
        let hits = || counted.hits.cost(num_docs);
        let num_clauses = interpretation.clauses.len() as u64;
        match self {
            Strategy::Empty | Strategy::OnlyHit | Strategy::StaticWalk | Strategy::Reordered(_) => {
                0
            }
            // All documents, as the bits of four sets for each clause, unless hits are few.
            Strategy::Relaxed => {
                let hits = counted.hits.cardinality_max();
                num_clauses * (LOOKED_UP * hits).min(u64::from(num_docs).div_ceil(16))
            }
            Strategy::Levels(Some(best))
                if best.len() >= window.wanted && is_of_phrase_alone(session, query, counted) =>
            {
                0
            }
            Strategy::Levels(_) => {
                hits() + NEIGHBOURS * counted.total * num_clauses.saturating_sub(1)
            }
            Strategy::RunWalk | Strategy::PermutationWalk => hits(),
            Strategy::RankGather => hits() + counted.total,
        }
    }

    /// The documents on the page, nearest to the cursor first.
    pub fn page(
        self,
        session: &Session<'s>,
        query: &Query,
        interpretation: &Interpretation<'s>,
        window: &PageWindow,
        counted: &Counted<'s>,
        ranks: &mut Vec<u32>,
    ) -> Vec<Position> {
        let hits = &counted.hits;
        let took = |way, docs: Vec<DocId>| {
            session.took(way);
            docs.into_iter().map(|doc| Position { relevance_key: 0, doc }).collect()
        };
        let sorted = || SortedHits::new(session, query, window, counted);
        match self {
            Strategy::Empty => Vec::new(),
            Strategy::OnlyHit => took(Way::OnlyHit, hits.walk_from(DocId(0)).take(1).collect()),
            Strategy::StaticWalk => {
                session.took(Way::StaticWalk);
                by_doc_id(hits, window.side, window.start.map(|start| start.doc), window.wanted)
            }
            Strategy::Relaxed => {
                let scorer = Scorer::new(session, interpretation, &query.text);
                let relaxed = RelaxedScorer::new(session, interpretation, &query.text);
                relaxed.nearest(session, interpretation, hits, scorer, *window)
            }
            Strategy::Levels(best) => {
                by_relevance(session, query, interpretation, counted, best, *window)
            }
            Strategy::Reordered(positions) => {
                let snapshot = session.snapshot();
                let permutation = order::permutation_of(snapshot, query);
                let rank = order::rank(snapshot, permutation, window);
                let docs = positions.nearest(permutation, window.side, rank, window.wanted);
                took(Way::Reordered, docs)
            }
            Strategy::RunWalk => match sorted().by_runs() {
                Some(docs) => took(Way::StaticWalk, docs),
                None => choose::along(&sorted()).page(
                    session,
                    query,
                    interpretation,
                    window,
                    counted,
                    ranks,
                ),
            },
            Strategy::PermutationWalk => took(Way::PermutationWalk, sorted().walked()),
            Strategy::RankGather => took(Way::RankGather, sorted().gathered(ranks)),
        }
    }
}
