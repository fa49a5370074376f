//! Which postings answer a query, and at what cost.
//!
//! In: the parts of a query. Out: a [`Plan`], a tree of set operations over the postings of one snapshot, which is
//! walked, probed and counted ([`evaluate`](super::evaluate), [`count`](super::count)), and only where it matches few
//! turned into a [`HitSet`].
//!
//! # Strategies
//!
//! Measured at ten million generated businesses, one thread, warm; N is their number, k the size of a page.
//!
//! | strategy | when | cost model | measured |
//! |---|---|---|---|
//! | range of `DocId`s | bounds on employees: `DocId` order is the order by employees | two binary searches | 60 ns |
//! | one list | an industry, a place, a word | its first k | 6 µs a request by industry, median |
//! | stored pair count | two dense keys; two places or two industries | two binary searches; the page by probing | 10 µs a city with its state, median |
//! | selection from held hits | an intersection whose smallest part has 16,384 businesses or fewer; groups of relevance within held hits | each list once: 20 ns a chunk, 1 to 10 ns a hit | 38 µs industry, city, state and employees, median |
//! | intersection by chunks | larger ones | the smallest part, a probe of the others each; 0.7 µs for each of 153 chunks | 0.1 to 1 ms |
//! | union of lists that share nothing | several industries; a word and what it begins | sum of the parts | as one list |
//! | union | umlaut forms, neighbours, readings | all of its lists, or a probe of each where little is left | 0.1 to 4 ms |
//! | marked list | a singular or plural that is indexed only otherwise | a bit for each business of the list | 1 ns each |
//! | followers of a term | phrases, names of several words | a byte for each candidate, in order; one in a hundred is left | 10 ns each |
//! | check of words | what followers leave | an announced read, then the bytes of one word are searched for | 0.1 to 0.3 µs each |
//! | stored phrase count, list, best businesses | two dense words next to each other | two binary searches, 64 look-ups | 35 µs a phrase, median |
//! | best of levels | one word by relevance, with filters that one in four hundred passes | a probe for each business looked at | 40 ns each |
//! | levels of a term | the same, beyond the 8,192 best, and backwards | a block for each business looked at | 0.3 µs each |
//! | permutation walk | sort by name or year, k N / hits below hits | a probe for each place | 20 to 40 ns each |
//! | gathering ranks | the same, few hits | a look-up for each hit | 15 ns each |
//!
//! Tried and dropped: evaluating every condition to a set before looking at the page (a word of a million businesses:
//! 7 ms instead of 25 µs). Lists of all phrases of two frequent words: 107 bytes a business; followers take 58 and serve
//! words that are not frequent as well. Rejected by estimate: a Bloom filter of 64 bytes over the neighbours in each
//! business is a read from another place for every candidate, and lets one in five through. Walking levels wherever they exist (a filter that
//! one in a hundred passes: 0.7 ms instead of 0.1), and giving walks up at a fixed number of businesses (`Group Inc` 8 ms
//! instead of 1).

use super::check::{Check, Place};
use super::hit_set::HitSet;
use super::phrase::{PhraseMatcher, related_terms};
use super::shortcut::{Shortcut, Shortcuts, Tuning};
use super::text::{Phrase, QueryWord, Term, TextQuery};
use crate::analyzer::TextField;
use crate::ids::TermOrd;
use crate::snapshot::Snapshot;
use crate::snapshot::dense::DenseKey;
use crate::snapshot::followers::{FollowerCursor, follower_hash};
use crate::snapshot::phrases::StoredPhrase;
use crate::snapshot::postings::Postings;
use crate::snapshot::terms::{OwnProse, TermLists};
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// So many probes of postings cost what looking at the words of one candidate costs.
const CHECKED: u64 = 32;

/// A tree of set operations.
#[derive(Clone, Debug)]
pub enum Plan<'s> {
    /// A range of `DocId`s.
    Range(Range<u32>),
    /// One list of postings.
    List(List<'s>),
    /// Those of a list whose bit is set.
    Marked(Marked<'s>),
    /// A set that is ready.
    Ready(Arc<HitSet>),
    /// What is in any of them.
    Union(Union<'s>),
    /// What is in all of them.
    Intersection(Vec<Plan<'s>>),
    /// What is in the first and not in the second.
    Difference(Box<Plan<'s>>, Box<Plan<'s>>),
    /// The candidates that pass a look at their words.
    Check {
        /// Businesses that may pass.
        candidates: Box<Plan<'s>>,
        /// What is looked for.
        check: Rc<Check<'s>>,
        /// How many pass, if that is stored.
        len: Option<u64>,
    },
}

/// A list of postings, and under which key the snapshot may store more about it.
#[derive(Clone, Copy, Debug)]
pub struct List<'s> {
    /// The list.
    pub postings: Postings<'s>,
    /// The key, if the list is all that stands under it.
    pub key: Option<DenseKey>,
}

/// A list of postings, of which some are meant.
#[derive(Clone, Copy, Debug)]
pub struct Marked<'s> {
    /// The list.
    pub postings: Postings<'s>,
    /// One bit for each business of the list, lowest first.
    pub bits: &'s [u64],
}

impl Marked<'_> {
    /// Is the bit of place `at` of the list set?
    pub fn is_set(&self, at: usize) -> bool {
        self.bits[at / 64] >> (at % 64) & 1 == 1
    }
}

/// What is in any of some plans.
#[derive(Clone, Debug)]
pub struct Union<'s> {
    /// The plans; two at least.
    pub parts: Vec<Plan<'s>>,
    /// Is it known that no business is in two of them?
    pub is_disjoint: bool,
}

impl<'s> Plan<'s> {
    /// The plan that matches nothing.
    pub const NOTHING: Plan<'static> = Plan::Range(0..0);

    /// A list that is only a part of what stands under its key.
    pub fn list(postings: Postings<'s>) -> Plan<'s> {
        Plan::List(List { postings, key: None })
    }

    /// Does the plan match nothing, whatever the snapshot holds?
    pub fn is_nothing(&self) -> bool {
        matches!(self, Plan::Range(range) if range.is_empty())
    }

    /// At most how many businesses match.
    pub fn cardinality_max(&self) -> u64 {
        match self {
            Plan::Range(range) => range.len() as u64,
            Plan::List(list) => list.postings.len() as u64,
            Plan::Marked(marked) => marked.postings.len() as u64,
            Plan::Ready(hits) => hits.len(),
            Plan::Union(union) => union.parts.iter().map(Plan::cardinality_max).sum(),
            Plan::Intersection(plans) => {
                plans.iter().map(Plan::cardinality_max).min().unwrap_or(u64::MAX)
            }
            Plan::Difference(plan, _) => plan.cardinality_max(),
            Plan::Check { candidates, len, .. } => {
                len.unwrap_or_else(|| candidates.cardinality_max())
            }
        }
    }

    /// The union of `plans`, flattened.
    pub fn union(plans: impl IntoIterator<Item = Plan<'s>>) -> Plan<'s> {
        Plan::union_of(plans, false)
    }

    /// The union of `plans` of which no two share a business.
    pub fn disjoint_union(plans: impl IntoIterator<Item = Plan<'s>>) -> Plan<'s> {
        Plan::union_of(plans, true)
    }

    fn union_of(plans: impl IntoIterator<Item = Plan<'s>>, is_disjoint: bool) -> Plan<'s> {
        let mut parts: Vec<Plan<'s>> = Vec::new();
        for plan in plans {
            // `New York, New York` is a city in a state, and a state with a city.
            if !plan.is_nothing() && !parts.iter().any(|part| part.is_same(&plan)) {
                parts.push(plan);
            }
        }
        match parts.len() {
            0 => Plan::NOTHING,
            1 => parts.remove(0),
            _ => Plan::Union(Union { parts, is_disjoint }),
        }
    }

    /// Is it made of the same lists in the same way? Not said of plans that look at words.
    fn is_same(&self, other: &Plan<'s>) -> bool {
        match (self, other) {
            (Plan::Range(a), Plan::Range(b)) => a == b,
            (Plan::List(a), Plan::List(b)) => a.postings.is_same(&b.postings),
            (Plan::Intersection(a), Plan::Intersection(b)) => are_same(a, b),
            (Plan::Union(a), Plan::Union(b)) => are_same(&a.parts, &b.parts),
            _ => false,
        }
    }

    /// The intersection of `plans`, flattened, cheapest first; nothing if one of them is nothing.
    pub fn intersection(plans: impl IntoIterator<Item = Plan<'s>>) -> Plan<'s> {
        let mut parts: Vec<Plan<'s>> = Vec::new();
        for plan in plans {
            match plan {
                Plan::Intersection(inner) => parts.extend(inner),
                plan => parts.push(plan),
            }
        }
        if parts.iter().any(Plan::is_nothing) {
            return Plan::NOTHING;
        }
        parts.sort_by_key(|plan| {
            plan.cardinality_max() * if plan.has_check() { CHECKED } else { 1 }
        });
        if parts.len() == 1 { parts.remove(0) } else { Plan::Intersection(parts) }
    }

    /// What is in `plan` and not in `excluded`.
    pub fn difference(plan: Plan<'s>, excluded: Plan<'s>) -> Plan<'s> {
        if plan.is_nothing() || excluded.is_nothing() {
            return plan;
        }
        Plan::Difference(Box::new(plan), Box::new(excluded))
    }

    /// The plan as far as it matters to businesses that are known to be on `list`: none if all of them match.
    pub fn given(&self, list: &Postings<'s>) -> Option<Plan<'s>> {
        match self {
            Plan::List(own) if own.postings.is_same(list) => None,
            Plan::Union(union) => {
                let parts: Option<Vec<Plan<'s>>> =
                    union.parts.iter().map(|part| part.given(list)).collect();
                parts.map(|parts| Plan::Union(Union { parts, is_disjoint: union.is_disjoint }))
            }
            Plan::Intersection(parts) => {
                let mut parts: Vec<Plan<'s>> =
                    parts.iter().filter_map(|part| part.given(list)).collect();
                match parts.len() {
                    0 => None,
                    1 => parts.pop(),
                    _ => Some(Plan::Intersection(parts)),
                }
            }
            Plan::Difference(plan, excluded) => Some(match plan.given(list) {
                Some(plan) => Plan::Difference(Box::new(plan), excluded.clone()),
                None => self.clone(),
            }),
            plan => Some(plan.clone()),
        }
    }

    /// Those of `candidates` that pass.
    pub fn check(candidates: Plan<'s>, check: Check<'s>) -> Plan<'s> {
        if candidates.is_nothing() {
            return candidates;
        }
        Plan::Check { candidates: Box::new(candidates), check: Rc::new(check), len: None }
    }

    /// A set that is ready.
    pub fn ready(hits: HitSet) -> Plan<'s> {
        if hits.is_empty() { Plan::NOTHING } else { Plan::Ready(Arc::new(hits)) }
    }

    /// Are words looked at anywhere? If not, a plan that is not [`Plan::is_nothing`] may still be empty only as an
    /// intersection or difference.
    pub fn has_check(&self) -> bool {
        match self {
            Plan::Check { .. } => true,
            Plan::Union(union) => union.parts.iter().any(Plan::has_check),
            Plan::Intersection(parts) => parts.iter().any(Plan::has_check),
            Plan::Difference(plan, other) => plan.has_check() || other.has_check(),
            Plan::Range(_) | Plan::List(_) | Plan::Marked(_) | Plan::Ready(_) => false,
        }
    }
}

/// Plans one query over one snapshot.
#[derive(Debug)]
pub struct Planner<'s> {
    snapshot: &'s Snapshot,
    /// Terms looked up so far: tiers ask for the same words again and again, and a look-up walks the fst.
    ords: RefCell<Vec<(String, Option<TermOrd>)>>,
    shortcuts: Cell<Shortcuts>,
    tuning: Tuning,
}

impl<'s> Planner<'s> {
    /// A planner over `snapshot`.
    pub fn new(snapshot: &'s Snapshot) -> Planner<'s> {
        Planner::tuned(snapshot, Tuning::default())
    }

    /// A planner that takes shortcuts from other sizes on.
    pub fn tuned(snapshot: &'s Snapshot, tuning: Tuning) -> Planner<'s> {
        Planner { snapshot, ords: RefCell::default(), shortcuts: Cell::default(), tuning }
    }

    /// From which sizes on shortcuts are taken.
    pub fn tuning(&self) -> Tuning {
        self.tuning
    }

    /// The snapshot that is planned over.
    pub fn snapshot(&self) -> &'s Snapshot {
        self.snapshot
    }

    /// Notes that a shortcut was taken.
    pub fn took(&self, shortcut: Shortcut) {
        self.shortcuts.set(self.shortcuts.get().with(shortcut));
    }

    /// The shortcuts taken so far.
    pub fn shortcuts(&self) -> Shortcuts {
        self.shortcuts.get()
    }

    /// The ordinal of a term.
    pub fn ord(&self, term: &str) -> Option<TermOrd> {
        let known = self.ords.borrow().iter().find(|(known, _)| known == term).map(|it| it.1);
        known.unwrap_or_else(|| {
            let ord = self.snapshot.terms().ord(term);
            self.ords.borrow_mut().push((term.to_owned(), ord));
            ord
        })
    }

    /// The ordinals of the forms of a word.
    pub fn ords(&self, word: &QueryWord) -> impl Iterator<Item = TermOrd> {
        word.forms.iter().filter_map(|form| self.ord(form))
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
        self.snapshot.hosts().get(name).map_or(Plan::NOTHING, Plan::list)
    }

    /// Businesses that hold a word in any field.
    pub fn word(&self, word: &QueryWord) -> Plan<'s> {
        Plan::union(word.forms.iter().map(|form| self.form(form)))
    }

    fn form(&self, form: &str) -> Plan<'s> {
        if let Some(ord) = self.ord(form) {
            return self.term_list(ord);
        }
        // The form itself stands nowhere, but a word of industry or description may share a form with it. The
        // lists of those words hold more than that: names, and words that share a form with *them*.
        let word = QueryWord { forms: vec![form.to_owned()] };
        let related = related_terms(self.snapshot, &word);
        let ords = related.iter().filter_map(|term| self.ord(term));
        let plans = ords.filter_map(|ord| {
            let lists = self.snapshot.terms().lists(ord);
            let postings = lists.any?;
            Some(match lists.own_prose {
                OwnProse::None => Plan::NOTHING,
                OwnProse::All => Plan::list(postings),
                OwnProse::Some(bits) => Plan::Marked(Marked { postings, bits }),
                OwnProse::Unknown => {
                    let fields = &[TextField::Industry, TextField::Description];
                    self.check(Plan::list(postings), &Phrase::of_word(word.clone()), fields)
                }
            })
        });
        Plan::union(plans)
    }

    /// Businesses that a term matches in any field.
    fn term_list(&self, ord: TermOrd) -> Plan<'s> {
        let list = |postings| Plan::List(List { postings, key: Some(DenseKey::Term(ord)) });
        self.snapshot.terms().lists(ord).any.map_or(Plan::NOTHING, list)
    }

    /// Those of `candidates` in which the phrase stands in one of `fields`.
    fn check(
        &self,
        candidates: Plan<'s>,
        phrase: &Phrase,
        fields: &'static [TextField],
    ) -> Plan<'s> {
        self.check_at(candidates, phrase, Place::Within(fields))
    }

    /// Those of `candidates` in which the phrase stands as `place` says.
    pub fn check_at(&self, candidates: Plan<'s>, phrase: &Phrase, place: Place) -> Plan<'s> {
        if candidates.is_nothing() {
            return candidates;
        }
        let matcher = Arc::new(PhraseMatcher::new(self.snapshot, phrase));
        let check = Check::new(self.snapshot, matcher, place, self.followers(phrase));
        if check.scanned(&candidates).is_some() {
            self.took(Shortcut::FollowerScan);
        }
        Plan::check(candidates, check)
    }

    /// What is stored of the followers of the words of a phrase.
    fn followers(&self, phrase: &Phrase) -> Vec<FollowerCursor<'s>> {
        let cursor = |pair: &[(u32, QueryWord)]| {
            let [(at, first), (next, second)] = pair else { return None };
            // A word of several forms has its followers in several lists.
            let [form] = first.forms.as_slice() else { return None };
            let lists = self.snapshot.terms().lists(self.ord(form).filter(|_| at + 1 == *next)?);
            let (any, followers) = lists.any.zip(lists.followers)?;
            let hashes = second.forms.iter().map(|form| follower_hash(form)).collect();
            self.took(Shortcut::Followers);
            Some(FollowerCursor::new(any, followers, hashes))
        };
        phrase.words.windows(2).filter_map(cursor).collect()
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
        let chosen = self.ords(word).flat_map(|ord| choose(self.snapshot.terms().lists(ord)));
        Plan::union(chosen.flatten().map(Plan::list))
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
        let narrowed = self.stored_neighbours(phrase);
        self.check(Plan::intersection(names.chain(narrowed)), phrase, &[TextField::Name])
    }

    /// Businesses in which the phrase stands in one of `fields`.
    pub fn phrase_in(&self, phrase: &Phrase, fields: &'static [TextField]) -> Plan<'s> {
        let candidates = phrase.words.iter().map(|(_, word)| self.word(word));
        let narrowed = self.stored_neighbours(phrase);
        self.check(Plan::intersection(candidates.chain(narrowed)), phrase, fields)
    }

    /// The lists of every two neighbouring words of a phrase for which a list is stored: the businesses in which
    /// they stand next to each other in some field.
    pub fn stored_neighbours(&self, phrase: &Phrase) -> Vec<Plan<'s>> {
        let pairs = phrase.words.windows(2).filter_map(|pair| self.stored_phrase(pair));
        pairs.filter_map(|stored| stored_list(&stored)).collect()
    }

    /// What is stored of two words of a phrase.
    pub fn stored_phrase(&self, pair: &[(u32, QueryWord)]) -> Option<StoredPhrase<'s>> {
        let [(at, first), (next, second)] = pair else { return None };
        let ([first], [second]) = (first.forms.as_slice(), second.forms.as_slice()) else {
            return None;
        };
        let (first, second) = (self.ord(first)?, self.ord(second)?);
        let stored = if at + 1 == *next { self.snapshot.phrase(first, second) } else { None }?;
        self.took(Shortcut::StoredPhrase);
        Some(stored)
    }

    /// Businesses in which the phrase stands in one field.
    pub fn phrase(&self, phrase: &Phrase) -> Plan<'s> {
        match phrase.words.as_slice() {
            [(_, word)] => self.word(word),
            pair => {
                let stored = self.stored_phrase(pair);
                if let Some(list) = stored.as_ref().and_then(stored_list) {
                    return list;
                }
                match self.phrase_in(phrase, &TextField::ALL) {
                    Plan::Check { candidates, check, .. } => {
                        Plan::Check { candidates, check, len: stored.map(|stored| stored.len) }
                    }
                    plan => plan,
                }
            }
        }
    }
}

/// Are the parts the same, in any order? Parts of a plan differ.
fn are_same(a: &[Plan<'_>], b: &[Plan<'_>]) -> bool {
    a.len() == b.len() && a.iter().all(|part| b.iter().any(|it| part.is_same(it)))
}

/// The businesses of a phrase, if they are stored, or if it is known that there are none.
fn stored_list<'s>(stored: &StoredPhrase<'s>) -> Option<Plan<'s>> {
    if stored.len == 0 { Some(Plan::NOTHING) } else { stored.postings.map(Plan::list) }
}
