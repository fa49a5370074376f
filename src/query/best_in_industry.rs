//! The stored best hits within one industry: of one word, or of two words next to each other.
//!
//! They are the first page, or its end; see [`best_within`](crate::snapshot::best_within).

use super::Query;
use super::planner::Planner;
use super::rank::{Group, Kind, Tier};
use super::text::Term;
use super::understand::{Understanding, Understood};
use super::within_industry::industry_of;
use crate::ids::{DocId, TermOrd};
use crate::snapshot::best_within::StoredBest;
use crate::snapshot::phrases::StoredPhrase;
use crate::snapshot::postings::Postings;

/// The industry that `query` asks for, if it asks for nothing else beside its words.
fn only_industry(planner: &Planner<'_>, query: &Query) -> Option<TermOrd> {
    if query.industries.is_empty() || !planner.excluded(&query.text).is_nothing() {
        return None;
    }
    let [filter] = planner.filters(query).try_into().ok()?;
    industry_of(&filter)
}

/// The stored best of a word within an industry.
#[derive(Clone, Copy, Debug)]
pub struct BestOfWord<'s> {
    best: StoredBest<'s>,
    /// The tier of the last of them.
    last: Tier,
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
        let term = planner.only_term(word)?;
        let best = planner.snapshot().best_in_industry(term, industry)?;
        let last = best.docs.last()?;
        let lists = planner.snapshot().terms().lists(term);
        let holds = |list: Option<Postings<'_>>| list.is_some_and(|list| list.contains(last));
        let last = match [lists.name_is(), lists.name_starts(), lists.name_has()].map(holds) {
            [true, ..] => Tier::NameIs,
            [_, true, _] => Tier::NameStarts,
            [.., true] => Tier::NameHasAll,
            _ => Tier::PhraseElsewhere,
        };
        Some(BestOfWord { best, last })
    }

    /// May they be a page of so many?
    pub fn may_fill(&self, wanted: usize) -> bool {
        self.best.are_all || self.best.docs.len() >= wanted
    }

    /// They as the best of a group: are all hits of its tier among them that hold the word itself?
    pub fn within(&self, group: &Group<'s>) -> StoredBest<'s> {
        let is_told = group.kind == Kind::Whole && group.tier <= Tier::PhraseElsewhere;
        let are_all = is_told && (self.best.are_all || group.tier < self.last);
        StoredBest { are_all, ..self.best }
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
        let num_before = best.docs.iter().filter(is_before).count();
        let is_full = best.docs.len() - num_before >= wanted;
        is_full.then_some(BestOfPhrase(StoredBest { are_all: false, ..best }))
    }
}
