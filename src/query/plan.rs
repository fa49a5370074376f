//! Which postings answer a query, and at what cost.
//!
//! In: the parts of a query. Out: a [`Plan`], a tree of set operations over the postings of one snapshot; evaluating it
//! gives the [`HitSet`].
//!
//! | strategy | when | cost |
//! |---|---|---|
//! | range of `DocId`s | employee bounds: `DocId` order is the order by employees | two binary searches |
//! | one list | a word, an industry, a place | reading it |
//! | intersection, smallest operand first | several conditions | the smallest operand, then a probe of each other one for every survivor; bitmaps 8 KiB a chunk |
//! | union | umlaut forms, several values of a filter, combinations of a place | all operands, or a probe of each where what is left is small |
//! | phrase | quoted words, parts of compounds, CJK runs | as the intersection of its words, then one read of 150 bytes for each candidate left |

use super::hit_set::HitSet;
use super::phrase::{PhraseMatcher, related_terms};
use super::text::{Phrase, QueryWord, Term, TextQuery};
use crate::analyzer::TextField;
use crate::snapshot::Snapshot;
use crate::snapshot::postings::Postings;
use crate::snapshot::terms::TermLists;
use std::ops::Range;
use std::sync::Arc;

/// A tree of set operations.
#[derive(Clone, Debug)]
pub enum Plan<'s> {
    /// A range of `DocId`s.
    Range(Range<u32>),
    /// One list of postings.
    Postings(Postings<'s>),
    /// A set that is ready, as the union of very many lists.
    Ready(Arc<HitSet>),
    /// What is in any of them.
    Union(Vec<Plan<'s>>),
    /// What is in all of them.
    Intersection(Vec<Plan<'s>>),
    /// What is in the first and not in the second.
    Difference(Box<Plan<'s>>, Box<Plan<'s>>),
    /// The candidates in which a phrase stands in one of the fields.
    Phrase {
        /// Businesses that may hold the phrase.
        candidates: Box<Plan<'s>>,
        /// What is checked.
        matcher: Arc<PhraseMatcher>,
        /// Where it may stand.
        fields: &'static [TextField],
    },
}

impl<'s> Plan<'s> {
    /// The plan that matches nothing.
    pub const NOTHING: Plan<'static> = Plan::Range(0..0);

    /// Does the plan match nothing, whatever the snapshot holds?
    pub fn is_nothing(&self) -> bool {
        matches!(self, Plan::Range(range) if range.is_empty())
    }

    /// At most how many businesses match.
    pub fn cardinality_max(&self) -> u64 {
        match self {
            Plan::Range(range) => range.len() as u64,
            Plan::Postings(postings) => postings.len() as u64,
            Plan::Ready(hits) => hits.len(),
            Plan::Union(plans) => plans.iter().map(Plan::cardinality_max).sum(),
            Plan::Intersection(plans) => {
                plans.iter().map(Plan::cardinality_max).min().unwrap_or(u64::MAX)
            }
            Plan::Difference(plan, _) => plan.cardinality_max(),
            Plan::Phrase { candidates, .. } => candidates.cardinality_max(),
        }
    }

    /// The union of `plans`, flattened.
    pub fn union(plans: impl IntoIterator<Item = Plan<'s>>) -> Plan<'s> {
        let mut plans: Vec<Plan<'s>> =
            plans.into_iter().filter(|plan| !plan.is_nothing()).collect();
        match plans.len() {
            0 => Plan::NOTHING,
            1 => plans.remove(0),
            _ => Plan::Union(plans),
        }
    }

    /// The intersection of `plans`, smallest first; nothing if one of them is nothing.
    pub fn intersection(plans: impl IntoIterator<Item = Plan<'s>>) -> Plan<'s> {
        let mut plans: Vec<Plan<'s>> = plans.into_iter().collect();
        if plans.iter().any(Plan::is_nothing) {
            return Plan::NOTHING;
        }
        // Phrases cost more per candidate than any probe of postings.
        plans.sort_by_key(|plan| (plan.has_phrase(), plan.cardinality_max()));
        if plans.len() == 1 { plans.remove(0) } else { Plan::Intersection(plans) }
    }

    /// What is in `plan` and not in `excluded`.
    pub fn difference(plan: Plan<'s>, excluded: Plan<'s>) -> Plan<'s> {
        if plan.is_nothing() || excluded.is_nothing() {
            return plan;
        }
        Plan::Difference(Box::new(plan), Box::new(excluded))
    }

    /// A set that is ready.
    pub fn ready(hits: Arc<HitSet>) -> Plan<'s> {
        if hits.is_empty() { Plan::NOTHING } else { Plan::Ready(hits) }
    }

    /// Is a phrase checked anywhere? If not, a plan that is not [`Plan::is_nothing`] may still be empty only as
    /// an intersection or difference.
    pub fn has_phrase(&self) -> bool {
        match self {
            Plan::Phrase { .. } => true,
            Plan::Union(plans) | Plan::Intersection(plans) => plans.iter().any(Plan::has_phrase),
            Plan::Difference(plan, other) => plan.has_phrase() || other.has_phrase(),
            Plan::Range(_) | Plan::Postings(_) | Plan::Ready(_) => false,
        }
    }

    /// The businesses that match.
    pub fn evaluate(&self, snapshot: &Snapshot) -> HitSet {
        self.evaluate_within(HitSet::Range(0..snapshot.num_docs()), snapshot)
    }

    /// The businesses of `base` that match.
    pub fn evaluate_within(&self, base: HitSet, snapshot: &Snapshot) -> HitSet {
        if base.is_empty() {
            return base;
        }
        match self {
            Plan::Range(range) => base.restrict(range),
            Plan::Postings(postings) => base.and_postings(postings),
            Plan::Ready(hits) => base.and(hits),
            Plan::Intersection(plans) => {
                plans.iter().fold(base, |base, plan| plan.evaluate_within(base, snapshot))
            }
            Plan::Difference(plan, excluded) => {
                let base = plan.evaluate_within(base, snapshot);
                let excluded = excluded.evaluate_within(base.clone(), snapshot);
                base.and_not(&excluded)
            }
            Plan::Union(plans) => plans
                .iter()
                .map(|plan| plan.evaluate_within(base.clone(), snapshot))
                .fold(HitSet::default(), HitSet::or),
            Plan::Phrase { candidates, matcher, fields } => {
                let candidates = candidates.evaluate_within(base, snapshot);
                candidates.filter(|doc| matcher.matches(&snapshot.doc_tokens(doc), fields))
            }
        }
    }
}

/// Plans one query over one snapshot.
#[derive(Clone, Copy, Debug)]
pub struct Planner<'s> {
    snapshot: &'s Snapshot,
}

impl<'s> Planner<'s> {
    /// A planner over `snapshot`.
    pub fn new(snapshot: &'s Snapshot) -> Planner<'s> {
        Planner { snapshot }
    }

    /// The snapshot that is planned over.
    pub fn snapshot(&self) -> &'s Snapshot {
        self.snapshot
    }

    /// Businesses that a term which must not match excludes.
    pub fn excluded(&self, text: &TextQuery) -> Plan<'s> {
        Plan::union(text.excluded().iter().map(|term| self.term(term)))
    }

    /// Businesses that a term matches.
    pub fn term(&self, term: &Term) -> Plan<'s> {
        match term {
            Term::Word(word) => self.word(word),
            Term::Compound { joined, parts } => {
                Plan::union([self.word(joined), self.phrase(parts)])
            }
            Term::Phrase(phrase) => self.phrase(phrase),
            Term::Host { name, labels } => {
                let words = Plan::intersection(labels.iter().map(|label| self.term(label)));
                Plan::union([self.host(name), words])
            }
        }
    }

    /// Businesses on a host.
    pub fn host(&self, name: &str) -> Plan<'s> {
        self.snapshot.hosts().get(name).map_or(Plan::NOTHING, Plan::Postings)
    }

    /// Businesses that hold a word in any field.
    pub fn word(&self, word: &QueryWord) -> Plan<'s> {
        Plan::union(word.forms.iter().map(|form| self.form(form)))
    }

    fn form(&self, form: &str) -> Plan<'s> {
        let terms = self.snapshot.terms();
        if let Some(ord) = terms.ord(form) {
            return terms.lists(ord).any.map_or(Plan::NOTHING, Plan::Postings);
        }
        // The form itself stands nowhere, but a word of industry or description may share a form with it. The
        // lists of those words hold more than that (names, words that share a form with *them*), so look.
        let word = QueryWord { forms: vec![form.to_owned()] };
        let related = related_terms(self.snapshot, &word);
        let lists = related
            .iter()
            .filter_map(|term| terms.ord(term))
            .filter_map(|ord| terms.lists(ord).any.map(Plan::Postings));
        let candidates = Plan::union(lists);
        if candidates.is_nothing() {
            return candidates;
        }
        let matcher = PhraseMatcher::new(self.snapshot, &Phrase::of_word(word));
        let fields = &[TextField::Industry, TextField::Description];
        Plan::Phrase { candidates: Box::new(candidates), matcher: Arc::new(matcher), fields }
    }

    /// Businesses with a word in their name.
    pub fn word_in_name(&self, word: &QueryWord) -> Plan<'s> {
        self.lists(word, |lists| [lists.name_is, lists.name_starts, lists.name_has])
    }

    /// Businesses with a word in their name or host.
    pub fn word_in_name_or_host(&self, word: &QueryWord) -> Plan<'s> {
        let host = self.lists(word, |lists| [lists.host, None, None]);
        Plan::union([self.word_in_name(word), host])
    }

    /// The union of some lists of all forms of a word.
    pub fn lists(
        &self,
        word: &QueryWord,
        choose: impl Fn(TermLists<'s>) -> [Option<Postings<'s>>; 3],
    ) -> Plan<'s> {
        let terms = self.snapshot.terms();
        let ords = word.forms.iter().filter_map(|form| terms.ord(form));
        let chosen = ords.flat_map(|ord| choose(terms.lists(ord)));
        Plan::union(chosen.flatten().map(Plan::Postings))
    }

    /// Businesses whose name holds all words of a term, or the joined form of a compound.
    pub fn term_in_name(&self, term: &Term) -> Plan<'s> {
        self.combine_names(term, Plan::intersection)
    }

    /// Businesses whose name holds any word of a term, or the joined form of a compound.
    pub fn term_partly_in_name(&self, term: &Term) -> Plan<'s> {
        self.combine_names(term, Plan::union)
    }

    /// The names with each word of a term, combined; the joined form of a compound stands for its parts.
    fn combine_names(&self, term: &Term, combine: fn(Vec<Plan<'s>>) -> Plan<'s>) -> Plan<'s> {
        let words = |phrase: &Phrase| {
            combine(phrase.words.iter().map(|(_, word)| self.word_in_name(word)).collect())
        };
        match term {
            Term::Word(word) => self.word_in_name(word),
            Term::Compound { joined, parts } => {
                Plan::union([self.word_in_name(joined), words(parts)])
            }
            Term::Phrase(phrase) => words(phrase),
            Term::Host { labels, .. } => {
                combine(labels.iter().map(|label| self.combine_names(label, combine)).collect())
            }
        }
    }

    /// Businesses in whose name the phrase of two words or more stands.
    pub fn phrase_in_names(&self, phrase: &Phrase) -> Plan<'s> {
        let names = phrase.words.iter().map(|(_, word)| self.word_in_name(word));
        let names = Plan::intersection(names);
        if names.is_nothing() {
            return names;
        }
        Plan::Phrase {
            candidates: Box::new(names),
            matcher: Arc::new(PhraseMatcher::new(self.snapshot, phrase)),
            fields: &[TextField::Name],
        }
    }

    /// Businesses in which the phrase stands in one of `fields`.
    pub fn phrase_in(&self, phrase: &Phrase, fields: &'static [TextField]) -> Plan<'s> {
        match self.phrase(phrase) {
            Plan::Phrase { candidates, matcher, .. } => {
                Plan::Phrase { candidates, matcher, fields }
            }
            // One word: its list spans all fields.
            candidates if candidates.is_nothing() => candidates,
            candidates => Plan::Phrase {
                candidates: Box::new(candidates),
                matcher: Arc::new(PhraseMatcher::new(self.snapshot, phrase)),
                fields,
            },
        }
    }

    /// Businesses in which the phrase stands in one field.
    pub fn phrase(&self, phrase: &Phrase) -> Plan<'s> {
        if let [(_, word)] = phrase.words.as_slice() {
            return self.word(word);
        }
        let candidates = Plan::intersection(phrase.words.iter().map(|(_, word)| self.word(word)));
        if candidates.is_nothing() {
            return candidates;
        }
        let matcher = PhraseMatcher::new(self.snapshot, phrase);
        Plan::Phrase {
            candidates: Box::new(candidates),
            matcher: Arc::new(matcher),
            fields: &TextField::ALL,
        }
    }
}
