//! Why an answer is what it is: how `q` was clause_match, the plan, and what each business on the
//! page earned.
//!
//! In: a [`Query`] and the [`Page`] that [`search`](super::page::search) gave for it. Out: an
//! [`Explanation`], plain data that shows itself as text of at most 100 columns. Nothing is decided
//! here: words, plans, tiers and scores come from the functions that answer queries. Not for the
//! hot path: a query costs a multiple of its answer.
//!
//! Reading order: [`clause`] (how `q` was clause_match), [`plan_tree`], [`held`] (which fields hold
//! a clause), `show` (the text).

pub mod clause;
pub mod held;
pub mod plan_tree;
mod show;
mod term_text;

pub use clause::{ClauseExplanation, ClauseKind, PrefixReach};
pub use held::{Held, How};
pub use plan_tree::PlanNode;

use super::interpret::{Interpretation, asked};
use super::page;
use super::page::{Page, Understood};
use super::request::{Query, SortKey, SortOrder};
use super::score::text_score::{ScoreParts, Scorer};
use super::score::tiers::TierPartition;
use super::session::Session;
use super::session::ways::Ways;
use super::sets::doc_set::DocSet;
use super::sets::set_expr::SetExpr;
use super::strategy::relaxed::{RelaxedScorer, Shares};
use crate::ids::DocId;
use crate::ranking::Level;
use crate::snapshot::Snapshot;
use crate::snapshot::columns::doc_store::id_and_name;
use std::collections::HashMap;
use term_text::show_term;

/// Why a query is answered as it is.
#[derive(Clone, PartialEq, Debug)]
pub struct Explanation {
    /// `q` as given.
    pub q: String,
    /// What becomes of `q` as a whole.
    pub reading: Reading,
    /// The clauses that count, in order.
    pub clauses: Vec<ClauseExplanation>,
    /// The legal forms at the end of `q`, which are optional.
    pub legal_forms: Vec<String>,
    /// What must not match.
    pub excluded: Vec<String>,
    /// `q` with every corrected word replaced by its first reading.
    pub corrected: Option<String>,
    /// The place that words of `q` name.
    pub place: Option<String>,
    /// What was evaluated.
    pub plan: PlanNode,
    /// How the page was found.
    pub ways: Ways,
    /// Value by which the results are ordered, and its direction.
    pub sort: (SortKey, SortOrder),
    /// How many businesses match.
    pub total: u64,
    /// The businesses on the page, in order.
    pub results: Vec<ResultExplanation>,
}

/// What becomes of a `q` as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// There is no `q`: everything matches.
    Blank,
    /// No word is in it: nothing matches.
    Wordless,
    /// It is the id of a business.
    WholeId,
    /// It names a place, and nothing else that must match.
    OnlyPlace,
    /// It only excludes.
    OnlyExclusions,
    /// All clauses must match.
    AllClauses,
    /// Nothing matches all clauses, so any of them counts.
    AnyClause,
}

/// Why a business stands where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct ResultExplanation {
    /// Its place on the page, from 1.
    pub rank: usize,
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// How well it fits `q`.
    pub standing: Standing,
    /// What its text score is made of.
    pub score: ScoreParts,
    /// For each clause, the fields that hold it.
    pub held: Vec<Vec<Held>>,
}

/// How well a business fits `q`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Standing {
    /// No clause tells the results apart.
    Unranked,
    /// By level.
    Ranked(Level),
    /// By what it shares with a relaxed `q`.
    Relaxed(Shares),
}

/// Tells why `query` is answered with `page`.
pub fn explain(snapshot: &Snapshot, query: &Query, page: &Page) -> Explanation {
    let mut session = Session::new(snapshot);
    let query = asked(&session, query);
    let understood = page::understand(&mut session, query).expect("nothing costs more");
    let Understood { query, interpretation, counted } = &understood;
    let text = &query.text;
    let folded = crate::analyzer::fold_text(text.as_str());
    let plan = page::plan(&session, query, interpretation);
    let results = Results::new(&session, query, interpretation, &page.docs);
    let clauses = interpretation.clauses.iter();
    Explanation {
        q: text.as_str().to_owned(),
        reading: reading(query, interpretation),
        clauses: clauses.map(|it| ClauseExplanation::new(&session, it, &folded)).collect(),
        legal_forms: text.trailing_forms().iter().map(|it| show_term(&it.term)).collect(),
        excluded: text.excluded().iter().map(show_term).collect(),
        plan: PlanNode::new(&plan, snapshot, interpretation),
        ways: page.ways,
        sort: (query.sort, query.order),
        total: counted.total,
        results: (1..).zip(&page.docs).map(|(rank, &doc)| results.explain(rank, doc)).collect(),
        corrected: page.corrected.clone(),
        place: query.place.clone(),
    }
}

fn reading(query: &Query, interpretation: &Interpretation<'_>) -> Reading {
    if query.text.is_blank() {
        Reading::Blank
    } else if interpretation.whole_id.is_some() {
        Reading::WholeId
    } else if query.text.is_wordless() {
        Reading::Wordless
    } else if interpretation.clauses.is_empty() && query.place.is_some() {
        Reading::OnlyPlace
    } else if interpretation.clauses.is_empty() {
        Reading::OnlyExclusions
    } else if interpretation.is_relaxed {
        Reading::AnyClause
    } else {
        Reading::AllClauses
    }
}

/// What is needed to explain the results on one page.
struct Results<'a, 's> {
    session: &'a Session<'s>,
    query: &'a Query,
    interpretation: &'a Interpretation<'s>,
    levels: HashMap<DocId, Level>,
    relaxed: Option<RelaxedScorer<'s>>,
    ways: Vec<held::Ways<'s>>,
}

impl<'a, 's> Results<'a, 's> {
    fn new(
        session: &'a Session<'s>,
        query: &'a Query,
        interpretation: &'a Interpretation<'s>,
        docs: &[DocId],
    ) -> Results<'a, 's> {
        let mut sorted: Vec<u32> = docs.iter().map(|doc| doc.0).collect();
        sorted.sort_unstable();
        let on_page = SetExpr::materialised(DocSet::of_sorted(sorted.into_iter()));
        let is_relaxed = interpretation.is_relaxed;
        let relaxed = is_relaxed.then(|| RelaxedScorer::new(session, interpretation, &query.text));
        let mut levels = HashMap::new();
        if !is_relaxed && (interpretation.whole_id.is_some() || !interpretation.clauses.is_empty())
        {
            // The level of a document does not depend on what else matches.
            let mut split = TierPartition::new(session, interpretation, &query.text, on_page);
            while let Some(group) = split.next_group() {
                group.members.for_each(|doc| {
                    levels.insert(doc, group.level);
                });
            }
        }
        let clauses = interpretation.clauses.iter();
        let ways = clauses.map(|clause_match| held::Ways::new(session, clause_match)).collect();
        Results { session, query, interpretation, levels, relaxed, ways }
    }

    fn explain(&self, rank: usize, doc: DocId) -> ResultExplanation {
        let snapshot = self.session.snapshot();
        let (id, name) = id_and_name(&snapshot.document(doc));
        let standing = match (&self.relaxed, self.levels.get(&doc)) {
            (Some(relaxed), _) => Standing::Relaxed(relaxed.shares(doc)),
            (None, Some(&level)) => Standing::Ranked(level),
            (None, None) => Standing::Unranked,
        };
        let scorer = Scorer::new(self.session, self.interpretation, &self.query.text);
        let held = self.ways.iter().map(|ways| ways.held(snapshot, doc)).collect();
        ResultExplanation { rank, id, name, standing, score: scorer.parts(doc), held }
    }
}

#[cfg(all(test, feature = "builder"))]
mod tests;
