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

impl<'s> Strategy<'s> {
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
                let relaxed = RelaxedScorer::new(session, interpretation);
                relaxed.nearest(session, interpretation, hits, scorer, *window)
            }
            Strategy::Levels => by_relevance(session, query, interpretation, counted, *window),
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
