//! Relevance: which tier a business is in.
//!
//! Tiers (contract, section 3, "Ranking") are set operations on small lists, computed best first and only as
//! far as a page needs: a page that fills from an upper tier never looks at the lower ones. Inside a tier the
//! static order holds, which is `DocId` order.
//!
//! | tier | set | from |
//! |---|---|---|
//! | name is `q` | one word: a stored list; more: names that start with the words, checked | [`TermLists`](crate::snapshot::terms::TermLists) |
//! | name starts with `q` | the same | the same |
//! | all words in the name | intersection of the names with each word | the same |
//! | phrase in another field | one word: the rest; more: checked, business by business | token streams |
//! | some words in the name | union of the names with each word | term lists |
//! | none | the rest | |

use super::hit_set::HitSet;
use super::phrase::{NameMatch, PhraseMatcher};
use super::plan::{Plan, Planner};
use super::text::{Phrase, QueryWord, Term, TextQuery};
use crate::analyzer::TextField;
use crate::snapshot::Snapshot;
use crate::snapshot::terms::TermLists;

/// How well a business fits `q`, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Tier {
    /// The name is `q`.
    NameIs,
    /// The name starts with the words of `q`.
    NameStarts,
    /// All words are in the name.
    NameHasAll,
    /// The words are a phrase in another field.
    PhraseElsewhere,
    /// Some words are in the name.
    NameHasSome,
    /// No word is in the name.
    Elsewhere,
}

impl Tier {
    /// All tiers, best first.
    pub const ALL: [Tier; 6] = [
        Tier::NameIs,
        Tier::NameStarts,
        Tier::NameHasAll,
        Tier::PhraseElsewhere,
        Tier::NameHasSome,
        Tier::Elsewhere,
    ];

    /// The tier as part of a cursor: the better, the larger.
    pub fn relevance_key(self) -> u64 {
        (Tier::ALL.len() - self as usize) as u64
    }
}

/// The hits of a query, taken apart into tiers.
#[derive(Debug)]
pub struct TierSplit<'s> {
    snapshot: &'s Snapshot,
    planner: Planner<'s>,
    words: Phrase,
    terms: Vec<Term>,
    /// Hits that are in none of the tiers taken so far.
    rest: HitSet,
    next: usize,
}

impl<'s> TierSplit<'s> {
    /// Prepares to take `hits` apart by how they fit `text`.
    pub fn new(snapshot: &'s Snapshot, text: &TextQuery, hits: HitSet) -> TierSplit<'s> {
        TierSplit {
            snapshot,
            planner: Planner::new(snapshot),
            words: text.ranking_words(),
            terms: text.required().iter().map(|clause| clause.term.clone()).collect(),
            rest: hits,
            next: 0,
        }
    }

    /// The next tier and its businesses; `None` after the last.
    pub fn next_tier(&mut self) -> Option<(Tier, HitSet)> {
        let tier = *Tier::ALL.get(self.next)?;
        self.next += 1;
        let members = self.members(tier);
        if !members.is_empty() {
            self.rest = std::mem::take(&mut self.rest).and_not(&members);
        }
        Some((tier, members))
    }

    /// The businesses of `tier` among those that are in no better one.
    fn members(&self, tier: Tier) -> HitSet {
        if self.rest.is_empty() {
            return HitSet::default();
        }
        let rest = || self.rest.clone();
        match (tier, self.words.words.as_slice()) {
            (Tier::Elsewhere, _) => rest(),
            (_, []) => HitSet::default(),
            (Tier::NameIs, [(_, word)]) => {
                self.lists(word, |lists| vec![lists.name_is]).evaluate_within(rest(), self.snapshot)
            }
            (Tier::NameStarts, [(_, word)]) => self
                .lists(word, |lists| vec![lists.name_starts])
                .evaluate_within(rest(), self.snapshot),
            (Tier::NameIs, _) => self.names_that(NameMatch::Whole),
            (Tier::NameStarts, _) => self.names_that(NameMatch::Start),
            (Tier::NameHasAll, _) => {
                let all = Plan::intersection(self.terms.iter().map(|term| self.term_in_name(term)));
                all.evaluate_within(rest(), self.snapshot)
            }
            (Tier::PhraseElsewhere, _) => {
                let fields = &[TextField::Host, TextField::Industry, TextField::Description];
                match self.planner.phrase(&self.words) {
                    Plan::Phrase { candidates, matcher, .. } => {
                        Plan::Phrase { candidates, matcher, fields }
                    }
                    // One word that is not in the name is in another field.
                    plan => plan,
                }
                .evaluate_within(rest(), self.snapshot)
            }
            (Tier::NameHasSome, _) => {
                let joined = self.terms.iter().filter_map(|term| match term {
                    Term::Compound { joined, .. } => Some(self.word_in_name(joined)),
                    _ => None,
                });
                let words = self.words.words.iter().map(|(_, word)| self.word_in_name(word));
                Plan::union(words.chain(joined)).evaluate_within(rest(), self.snapshot)
            }
        }
    }

    /// Businesses whose name begins with the words of `q`, as `wanted` says.
    fn names_that(&self, wanted: NameMatch) -> HitSet {
        let mut words = self.words.words.iter();
        let Some((_, first)) = words.next() else { return HitSet::default() };
        let begins = self.lists(first, |lists| vec![lists.name_starts, lists.name_is]);
        let others = words.map(|(_, word)| self.word_in_name(word));
        let plan = Plan::intersection(std::iter::once(begins).chain(others));
        let candidates = plan.evaluate_within(self.rest.clone(), self.snapshot);
        let matcher = PhraseMatcher::new(self.snapshot, &self.words);
        let fits = candidates
            .iter()
            .filter(|&doc| matcher.begins_name(&self.snapshot.doc_tokens(doc)) == Some(wanted));
        HitSet::of_sorted(fits.map(|doc| doc.0).collect::<Vec<_>>().into_iter())
    }

    /// Businesses with a term in their name: the joined form of a compound, or all of its words.
    fn term_in_name(&self, term: &Term) -> Plan<'s> {
        let all = |phrase: &Phrase| {
            Plan::intersection(phrase.words.iter().map(|(_, word)| self.word_in_name(word)))
        };
        match term {
            Term::Word(word) => self.word_in_name(word),
            Term::Compound { joined, parts } => {
                Plan::union([self.word_in_name(joined), all(parts)])
            }
            Term::Phrase(phrase) => all(phrase),
            Term::Host { labels, .. } => {
                Plan::intersection(labels.iter().map(|label| self.term_in_name(label)))
            }
        }
    }

    fn word_in_name(&self, word: &QueryWord) -> Plan<'s> {
        self.lists(word, |lists| vec![lists.name_is, lists.name_starts, lists.name_has])
    }

    /// The union of some lists of all forms of a word.
    fn lists(
        &self,
        word: &QueryWord,
        choose: impl Fn(TermLists<'s>) -> Vec<Option<crate::snapshot::postings::Postings<'s>>>,
    ) -> Plan<'s> {
        let terms = self.snapshot.terms();
        let ords = word.forms.iter().filter_map(|form| terms.ord(form));
        let chosen = ords.flat_map(|ord| choose(terms.lists(ord)));
        Plan::union(chosen.flatten().map(Plan::Postings))
    }
}
