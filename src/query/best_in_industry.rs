//! The stored best hits within one industry: of one word, or of two words next to each other.
//!
//! They are the first page; of two words, if nobody comes before them. See [`best_within`](crate::snapshot::best_within).

use super::Query;
use super::cursor::Position;
use super::nearest::GROUP_SHIFT;
use super::plan::Plan;
use super::planner::Planner;
use super::rank::{Kind, Tier, group_key};
use super::score::Scorer;
use super::text::Term;
use super::understand::{Understanding, Understood};
use super::within_industry::industry_of;
use crate::ids::{DocId, TermOrd};
use crate::snapshot::best_within::StoredBest;
use crate::snapshot::packed_ints::PackedInts;
use crate::snapshot::phrases::StoredPhrase;
use crate::snapshot::postings::Postings;
use crate::snapshot::prefixes::PREFIX_CHARS_MIN;
use crate::snapshot::terms::block::TermLists;

/// The industry that `query` asks for, if it asks for nothing else beside its words.
fn only_industry(planner: &Planner<'_>, query: &Query) -> Option<TermOrd> {
    if query.industries.is_empty() || !planner.excluded(&query.text).is_nothing() {
        return None;
    }
    let [filter] = planner.filters(query) else { return None };
    industry_of(filter)
}

/// The stored best of a word within an industry, as a `q` of this word ranks them.
#[derive(Clone, Debug)]
pub struct BestOfWord<'s> {
    best: PackedInts<'s>,
    /// How many hits there are.
    pub total: u64,
    lists: TermLists<'s>,
    /// Who holds only a longer word in the name.
    longer: Plan<'s>,
}

impl<'s> BestOfWord<'s> {
    /// What is stored of the best hits of `query`, if it asks for one word, `only`, in one industry.
    pub fn new(
        planner: &Planner<'s>,
        query: &Query,
        only: &Understood<'s>,
    ) -> Option<BestOfWord<'s>> {
        let is_plain = only.is_only_as_written() && query.text.trailing_forms().is_empty();
        let industry = if is_plain { only_industry(planner, query) } else { None }?;
        let Term::Word(word) = &only.clause.term else { return None };
        // What other forms begin is not among what is stored; and what the word begins is, if it may stand for that.
        let form = word.only_form()?;
        if only.prefix.is_some() != (form.chars().count() >= PREFIX_CHARS_MIN) {
            return None;
        }
        let term = planner.only_term(word)?;
        let (best, total) = planner.snapshot().best_in_industry(term, industry)?;
        let lists = planner.snapshot().terms().lists(term);
        Some(BestOfWord { best: best.docs, total, lists, longer: only.in_name_as_prefix() })
    }

    /// The first `wanted` hits, best first, or all there are; none if fewer are stored. Nobody asks where they stand but for
    /// the last, behind which the next page begins: only that one is ranked.
    pub fn first_page(&self, scorer: &Scorer<'s>, wanted: usize) -> Option<Vec<Position>> {
        let page = self.best.docs().take(wanted).enumerate().map(|(at, doc)| {
            let is_last = at + 1 == wanted;
            let relevance_key = if is_last { self.relevance_key(scorer, doc) } else { 0 };
            Position { relevance_key, doc }
        });
        let page: Vec<Position> = page.collect();
        let is_whole = page.len() == wanted || page.len() as u64 == self.total;
        is_whole.then_some(page)
    }

    /// Where one of them stands.
    fn relevance_key(&self, scorer: &Scorer<'s>, doc: DocId) -> u64 {
        let holds = |list: Option<Postings<'_>>| list.is_some_and(|list| list.contains(doc));
        let (tier, kind) = if holds(self.lists.name_is()) {
            (Tier::NameIs, Kind::Whole)
        } else if holds(self.lists.name_starts()) {
            (Tier::NameStarts, Kind::Whole)
        } else if holds(self.lists.name_has()) {
            (Tier::NameHasAll, Kind::Whole)
        } else if self.longer.contains(doc) {
            (Tier::NameHasAll, Kind::Prefix)
        } else if self.lists.any().contains(doc) {
            (Tier::PhraseElsewhere, Kind::Whole)
        } else {
            (Tier::PhraseElsewhere, Kind::Prefix)
        };
        group_key(tier, kind) << GROUP_SHIFT | u64::from(scorer.score(doc))
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
        let industry = only_industry(planner, query)?;
        let phrase = two_words(planner, query, understanding)?;
        let best = planner.snapshot().best_of_phrase_in_industry(&phrase, industry)?;
        let in_name = [first, second].map(|understood| understood.in_name(planner));
        let is_before = |&doc: &DocId| in_name.iter().all(|names| names.contains(doc));
        let num_before = best.docs.docs().filter(is_before).count();
        let is_full = best.docs.len() - num_before >= wanted;
        is_full.then_some(BestOfPhrase(StoredBest { are_all: false, ..best }))
    }
}
