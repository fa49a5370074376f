//! The stored best hits within one industry: of one word, or of two words next to each other.
//!
//! They are the first page, but for whoever comes between or before them; see [`best_within`](crate::snapshot::best_within).

use super::Query;
use super::cursor::Position;
use super::nearest::{GROUP_SHIFT, Stretch, nearest};
use super::plan::Plan;
use super::planner::Planner;
use super::rank::{Kind, Tier, group_key};
use super::score::Scorer;
use super::text::Term;
use super::understand::{Understanding, Understood};
use super::within_industry::industry_of;
use crate::ids::{DocId, TermOrd};
use crate::snapshot::best_within::StoredBest;
use crate::snapshot::packed_docs::PackedDocs;
use crate::snapshot::phrases::StoredPhrase;
use crate::snapshot::postings::Postings;
use crate::snapshot::terms::block::TermLists;

/// The industry that `query` asks for, if it asks for nothing else beside its words.
fn only_industry<'s>(planner: &Planner<'s>, query: &Query) -> Option<(Plan<'s>, TermOrd)> {
    if query.industries.is_empty() || !planner.excluded(&query.text).is_nothing() {
        return None;
    }
    let [filter] = planner.filters(query) else { return None };
    Some((filter.clone(), industry_of(filter)?))
}

/// At most so many names with longer words are found and scored. Of more, as of `services` in an industry of 400,000, those
/// that hold the word as well are looked for by levels: 73 µs instead of 258.
const LONGER_MAX: u64 = 1 << 15;

/// The stored best of a word within an industry: first who holds it in the name, by tier, then who holds it elsewhere.
#[derive(Clone, Debug)]
pub struct BestOfWord<'s> {
    best: PackedDocs<'s>,
    industry: Plan<'s>,
    lists: TermLists<'s>,
}

impl<'s> BestOfWord<'s> {
    /// What is stored of the best hits of `query`, if it asks for one word, `only`, in one industry.
    pub fn new(
        planner: &Planner<'s>,
        query: &Query,
        only: &Understood<'s>,
    ) -> Option<BestOfWord<'s>> {
        let is_plain = only.is_only_as_written() && query.text.trailing_forms().is_empty();
        let (industry, ord) = if is_plain { only_industry(planner, query) } else { None }?;
        let Term::Word(word) = &only.clause.term else { return None };
        let term = planner.only_term(word)?;
        let best = planner.snapshot().best_in_industry(term, ord)?.docs;
        Some(BestOfWord { best, industry, lists: planner.snapshot().terms().lists(term) })
    }

    /// The first hits, as many as `stretch` wants, which goes from the best down; none if too few are stored, or too many
    /// hold a longer word in the name. Nobody asks where they stand but for the last on the page, the last but one of them,
    /// behind which the next page begins: only that one is ranked.
    pub fn first_page(
        &self,
        only: &Understood<'s>,
        scorer: &mut Scorer<'s>,
        stretch: Stretch,
    ) -> Option<Vec<Position>> {
        let wanted = stretch.wanted;
        let best: Vec<DocId> = self.best.iter().collect();
        let num_named = best.partition_point(|&doc| self.tier(doc) < Tier::PhraseElsewhere);
        let (named, elsewhere) = best.split_at(num_named);
        let mut page: Vec<Position> = Vec::with_capacity(wanted);
        let push = |page: &mut Vec<Position>, scorer: &mut Scorer<'s>, doc| {
            let relevance_key = match page.len() + 2 == wanted {
                true => {
                    let score = u64::from(scorer.score(doc));
                    group_key(self.tier(doc), Kind::Whole) << GROUP_SHIFT | score
                }
                false => 0,
            };
            page.push(Position { relevance_key, doc });
        };
        named.iter().take(wanted).for_each(|&doc| push(&mut page, scorer, doc));
        if page.len() < wanted && elsewhere.is_empty() {
            // There may be more names with the word than are stored.
            return None;
        }
        let names = only.in_name_as_prefix();
        let mut longer = Plan::NOTHING;
        if page.len() < wanted && !names.is_nothing() {
            // Those who hold only a longer word in the name come between the others. Some of them hold the word elsewhere,
            // and are stored as such.
            let within = Plan::intersection([names, self.industry.clone()]);
            if within.cardinality_max() > LONGER_MAX {
                return None;
            }
            longer = Plan::ready(within.hit_set());
            let prefix = group_key(Tier::NameHasAll, Kind::Prefix) << GROUP_SHIFT;
            let left = stretch.from(None, wanted - page.len());
            page.extend(nearest(&longer, prefix, scorer, left));
        }
        let others = elsewhere.iter().filter(|&&doc| !longer.contains(doc));
        others.take(wanted - page.len()).for_each(|&doc| push(&mut page, scorer, doc));
        (page.len() == wanted).then_some(page)
    }

    /// The tier of one of them.
    fn tier(&self, doc: DocId) -> Tier {
        let holds = |list: Option<Postings<'_>>| list.is_some_and(|list| list.contains(doc));
        if holds(self.lists.name_is()) {
            Tier::NameIs
        } else if holds(self.lists.name_starts()) {
            Tier::NameStarts
        } else if holds(self.lists.name_has()) {
            Tier::NameHasAll
        } else {
            Tier::PhraseElsewhere
        }
    }
}

/// What is stored of `q` as a phrase, if it is two words, without readings, joined forms and legal forms: then
/// the text score of a business is the sum of their impacts.
pub fn two_words<'s>(
    planner: &Planner<'s>,
    query: &Query,
    understanding: &Understanding<'s>,
) -> Option<StoredPhrase<'s>> {
    let is_plain = |understood: &Understood<'s>| {
        matches!(understood.clause.term, Term::Word(_) | Term::Phrase(_))
            && understood.is_only_as_written()
    };
    let words = query.text.ranking_words().words;
    let is_it = words.len() == 2
        && understanding.clauses.iter().all(is_plain)
        && query.text.trailing_forms().is_empty();
    if is_it { planner.stored_phrase(&words) } else { None }
}

/// The stored best of those who hold two words next to each other within an industry.
#[derive(Clone, Copy, Debug)]
pub struct BestOfPhrase<'s>(pub StoredBest<'s>);

impl<'s> BestOfPhrase<'s> {
    /// What is stored of the best hits of `query`, if it asks for two words in one industry, and if a page of `wanted` is
    /// full with them, whoever has both words in the name and stands before them.
    pub fn new(
        planner: &Planner<'s>,
        query: &Query,
        understanding: &Understanding<'s>,
        wanted: usize,
    ) -> Option<BestOfPhrase<'s>> {
        let [first, second] = understanding.clauses.as_slice() else { return None };
        let (_, industry) = only_industry(planner, query)?;
        let phrase = two_words(planner, query, understanding)?;
        let best = planner.snapshot().best_of_phrase_in_industry(&phrase, industry)?;
        let in_name = [first, second].map(|understood| understood.in_name(planner));
        let is_before = |&doc: &DocId| in_name.iter().all(|names| names.contains(doc));
        let num_before = best.docs.iter().filter(is_before).count();
        let is_full = best.docs.len() - num_before >= wanted;
        is_full.then_some(BestOfPhrase(StoredBest { are_all: false, ..best }))
    }
}
