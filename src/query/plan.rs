//! Which postings answer a query, and at what cost.
//!
//! In: a [`Query`]. Out: a [`Plan`], a tree of set operations over the postings of one snapshot; evaluating it
//! gives the [`HitSet`].
//!
//! | strategy | when | cost |
//! |---|---|---|
//! | range of `DocId`s | employee bounds: `DocId` order is the order by employees | two binary searches |
//! | one list | a word, an industry, a place | reading it |
//! | intersection, smallest operand first | several conditions | the smallest operand, then a probe of each other one for every survivor; bitmaps 8 KiB a chunk |
//! | union | umlaut forms, several values of a filter, combinations of a place | all operands, or a probe of each where what is left is small |
//! | phrase | quoted words, parts of compounds, CJK runs | as the intersection of its words, then one read of 150 bytes for each candidate left |

use super::Query;
use super::hit_set::HitSet;
use super::phrase::{PhraseMatcher, related_terms};
use super::text::{Phrase, QueryWord, Term, TextQuery};
use crate::analyzer::{TextField, fold_filter};
use crate::places::{self, PlaceFilter, PlaceKey, PlaceKind, PlacePart};
use crate::snapshot::Snapshot;
use crate::snapshot::postings::Postings;
use std::ops::Range;

/// A tree of set operations.
#[derive(Clone, Debug)]
pub enum Plan<'s> {
    /// A range of `DocId`s.
    Range(Range<u32>),
    /// One list of postings.
    Postings(Postings<'s>),
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
        matcher: PhraseMatcher,
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

    fn has_phrase(&self) -> bool {
        match self {
            Plan::Phrase { .. } => true,
            Plan::Union(plans) | Plan::Intersection(plans) => plans.iter().any(Plan::has_phrase),
            Plan::Difference(plan, other) => plan.has_phrase() || other.has_phrase(),
            Plan::Range(_) | Plan::Postings(_) => false,
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
                let stands = candidates
                    .iter()
                    .filter(|&doc| matcher.matches(&snapshot.doc_tokens(doc), fields));
                HitSet::of_sorted(stands.map(|doc| doc.0).collect::<Vec<_>>().into_iter())
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

    /// The plan of everything that `query` asks for.
    pub fn plan(&self, query: &Query) -> Plan<'s> {
        let mut conditions = Vec::new();
        if !query.industries.is_empty() {
            conditions.push(self.industries(&query.industries));
        }
        if !query.locations.is_empty() {
            conditions.push(self.locations(&query.locations));
        }
        if query.employee_count_min.is_some() || query.employee_count_max.is_some() {
            conditions.push(self.employees(query.employee_count_min, query.employee_count_max));
        }
        if query.text.is_wordless() {
            return Plan::NOTHING;
        }
        conditions.extend(query.text.required().iter().map(|clause| self.term(&clause.term)));
        if conditions.is_empty() {
            conditions.push(Plan::Range(0..self.snapshot.num_docs()));
        }
        let plan = Plan::intersection(conditions);
        match self.excluded(&query.text) {
            excluded if excluded.is_nothing() || plan.is_nothing() => plan,
            excluded => Plan::Difference(Box::new(plan), Box::new(excluded)),
        }
    }

    fn excluded(&self, text: &TextQuery) -> Plan<'s> {
        Plan::union(text.excluded().iter().map(|term| self.term(term)))
    }

    /// Businesses within bounds on employees.
    fn employees(&self, min: Option<u64>, max: Option<u64>) -> Plan<'s> {
        let counts = self.snapshot.employee_counts();
        let start = max.map_or(0, |max| counts.partition_point(|&count| count > max));
        let end = min.map_or(counts.len(), |min| counts.partition_point(|&count| count >= min));
        Plan::Range(start as u32..end.max(start) as u32)
    }

    /// Businesses that a term matches.
    pub fn term(&self, term: &Term) -> Plan<'s> {
        match term {
            Term::Word(word) => self.word(word),
            Term::Compound { joined, parts } => {
                Plan::union([self.word(joined), self.phrase(parts)])
            }
            Term::Phrase(phrase) => self.phrase(phrase),
            Term::Host { labels, .. } => {
                Plan::intersection(labels.iter().map(|label| self.term(label)))
            }
        }
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
        Plan::Phrase { candidates: Box::new(candidates), matcher, fields }
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
        Plan::Phrase { candidates: Box::new(candidates), matcher, fields: &TextField::ALL }
    }

    /// Businesses of any of the industries that the values name.
    fn industries(&self, values: &[String]) -> Plan<'s> {
        let dictionary = self.snapshot.industries();
        let mut lists = Vec::new();
        for value in values {
            let pieces = split_values(value);
            let mut rest = pieces.as_slice();
            while let [first, ..] = rest {
                // The longest run of pieces that is a known name; a quoted piece stands alone.
                let runs = if first.is_quoted {
                    1
                } else {
                    let plain = rest.iter().take_while(|piece| !piece.is_quoted).count();
                    plain.min(dictionary.key_pieces_max())
                };
                let found = (1..=runs).rev().find_map(|len| {
                    let name =
                        rest[..len].iter().map(|piece| piece.text).collect::<Vec<_>>().join(",");
                    let lists: Vec<Plan<'s>> = fold_filter(&name)
                        .iter()
                        .filter_map(|key| dictionary.get(key).map(Plan::Postings))
                        .collect();
                    (!lists.is_empty()).then_some((len, lists))
                });
                let len = found.as_ref().map_or(1, |(len, _)| *len);
                lists.extend(found.into_iter().flat_map(|(_, lists)| lists));
                rest = &rest[len..];
            }
        }
        Plan::union(lists)
    }

    /// Businesses at any of the places that the values name.
    fn locations(&self, values: &[String]) -> Plan<'s> {
        let is_known = |key: &PlaceKey| self.snapshot.places().contains(key.as_str());
        Plan::union(values.iter().map(|value| match places::parse(value, &is_known) {
            PlaceFilter::Parts(query) => self.combination(&query.parts, &PlaceKind::ALL),
            PlaceFilter::Unknown | PlaceFilter::Blank => Plan::NOTHING,
        }))
    }

    /// Businesses for which each part is a different one of `kinds`.
    fn combination(&self, parts: &[PlacePart], kinds: &[PlaceKind]) -> Plan<'s> {
        let Some((part, others)) = parts.split_first() else {
            return Plan::Range(0..self.snapshot.num_docs());
        };
        Plan::union(kinds.iter().map(|&kind| {
            let keys = part.meanings.iter().filter(|key| key.kind() == kind);
            let lists = keys.filter_map(|key| self.snapshot.places().get(key.as_str()));
            let here = Plan::union(lists.map(Plan::Postings));
            if others.is_empty() || here.is_nothing() {
                return here;
            }
            let left: Vec<PlaceKind> =
                kinds.iter().copied().filter(|&other| other != kind).collect();
            Plan::intersection([here, self.combination(others, &left)])
        }))
    }
}

/// One of the pieces that commas separate.
struct Piece<'a> {
    text: &'a str,
    is_quoted: bool,
}

/// Splits a value at the commas outside quotation marks; blank pieces are left out.
fn split_values<'v>(value: &'v str) -> Vec<Piece<'v>> {
    let is_quote = |c: char| matches!(c, '"' | '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}');
    let mut pieces = Vec::new();
    let mut push = |text: &'v str, is_quoted| {
        if !text.trim().is_empty() {
            pieces.push(Piece { text, is_quoted });
        }
    };
    let (mut start, mut in_quotes) = (0, false);
    for (at, c) in value.char_indices() {
        if is_quote(c) {
            push(&value[start..at], in_quotes);
            in_quotes = !in_quotes;
            start = at + c.len_utf8();
        } else if c == ',' && !in_quotes {
            push(&value[start..at], false);
            start = at + 1;
        }
    }
    push(&value[start..], in_quotes);
    pieces
}
