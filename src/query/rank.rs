//! Relevance: which tier a business is in, and of which kind its matches are.
//!
//! Tiers (contract, section 3, "Ranking") are set operations on small lists, computed best first and only as far
//! as a page needs: a page that fills from an upper tier never looks at the lower ones. A tier has two *groups*:
//! what matches by whole words, and what matches by a prefix only. Inside a group the text score decides, then
//! the static order.
//!
//! | tier | set | from |
//! |---|---|---|
//! | whole id or host | one business; the businesses on the host | id order, host dictionary |
//! | name is `q` | one word: a stored list; more: names that start with the words, checked | [`TermLists`](crate::snapshot::terms::TermLists) |
//! | name starts with `q` | the same | the same |
//! | all words in the name | intersection of the names with each word | the same |
//! | phrase in another field | one word: the rest that holds it; more: checked in the order of scores, until the page is full | token streams |
//! | some words in the name | union of the names with each word | term lists |
//! | none | the rest | |

use super::hit_set::HitSet;
use super::phrase::{NameMatch, PhraseMatcher};
use super::plan::{Plan, Planner};
use super::text::{Clause, Phrase, Term, TextQuery};
use super::understand::{OTHER_FIELDS, PrefixMatches, Understanding, Understood};
use crate::analyzer::TextField;
use crate::ids::DocId;
use crate::snapshot::Snapshot;
use std::sync::Arc;

/// How well a business fits `q`, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Tier {
    /// `q` is its id, or its host.
    WholeIdOrHost,
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

/// By what a business earned its tier, better first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Whole words only.
    Whole,
    /// Some words only as a prefix.
    Prefix,
}

impl Tier {
    /// All tiers, best first.
    pub const ALL: [Tier; 7] = [
        Tier::WholeIdOrHost,
        Tier::NameIs,
        Tier::NameStarts,
        Tier::NameHasAll,
        Tier::PhraseElsewhere,
        Tier::NameHasSome,
        Tier::Elsewhere,
    ];
}

/// Businesses of one tier and kind.
#[derive(Debug)]
pub struct Group {
    /// Their tier.
    pub tier: Tier,
    /// Their kind.
    pub kind: Kind,
    /// Who they are.
    pub members: HitSet,
}

impl Group {
    fn of(tier: Tier, kind: Kind, members: HitSet) -> Option<Group> {
        (!members.is_empty()).then_some(Group { tier, kind, members })
    }
}

/// What [`GroupSplit::next_step`] gives.
#[derive(Debug)]
pub enum Step {
    /// A group whose members are known.
    Group(Group),
    /// Those who may be the whole-word members of [`Tier::PhraseElsewhere`].
    Phrase(PhraseCandidates),
}

/// Businesses that hold all words of a phrase outside their name, maybe next to each other.
#[derive(Debug)]
pub struct PhraseCandidates {
    /// Who they are.
    pub hits: HitSet,
    matcher: Arc<PhraseMatcher>,
    fields: &'static [TextField],
}

impl PhraseCandidates {
    /// Does the phrase stand in `doc`?
    pub fn is_member(&self, snapshot: &Snapshot, doc: DocId) -> bool {
        self.matcher.matches(&snapshot.doc_tokens(doc), self.fields)
    }
}

/// The hits of a query, taken apart into groups.
#[derive(Debug)]
pub struct GroupSplit<'a, 's> {
    planner: Planner<'s>,
    understanding: &'a Understanding,
    words: Phrase,
    /// The host that `q` is, if it is nothing else.
    host: Option<String>,
    /// Hits that are in none of the tiers taken so far.
    rest: HitSet,
    next_tier: usize,
    /// The second group of the tier taken last.
    by_prefix: Option<Group>,
}

impl<'a, 's> GroupSplit<'a, 's> {
    /// Prepares to take `hits` apart by how they fit `text`.
    pub fn new(
        planner: Planner<'s>,
        understanding: &'a Understanding,
        text: &TextQuery,
        hits: HitSet,
    ) -> GroupSplit<'a, 's> {
        let host = match text.clauses() {
            [Clause { term: Term::Host { name, .. }, .. }] => Some(name.clone()),
            _ => None,
        };
        GroupSplit {
            planner,
            understanding,
            words: text.ranking_words(),
            host,
            rest: hits,
            next_tier: 0,
            by_prefix: None,
        }
    }

    /// The next group, best first; empty ones are left out.
    pub fn next_group(&mut self) -> Option<Group> {
        loop {
            match self.next_step()? {
                Step::Group(group) => return Some(group),
                Step::Phrase(candidates) => {
                    let snapshot = self.planner.snapshot();
                    let members = candidates.hits.filter(|doc| candidates.is_member(snapshot, doc));
                    self.phrase_checked(&members);
                    let tier = Tier::PhraseElsewhere;
                    if let Some(group) = Group::of(tier, Kind::Whole, members) {
                        return Some(group);
                    }
                }
            }
        }
    }

    /// The next group, or, where telling its members would mean to read every candidate, the candidates: whoever
    /// takes those calls [`GroupSplit::phrase_checked`] before the next step.
    pub fn next_step(&mut self) -> Option<Step> {
        loop {
            if let Some(group) = self.by_prefix.take() {
                return Some(Step::Group(group));
            }
            let tier = *Tier::ALL.get(self.next_tier)?;
            self.next_tier += 1;
            if self.rest.is_empty() {
                continue;
            }
            if tier == Tier::PhraseElsewhere {
                match self.phrase_elsewhere() {
                    Plan::Phrase { candidates, matcher, fields } => {
                        let hits = self.within(&candidates, &self.rest);
                        return Some(Step::Phrase(PhraseCandidates { hits, matcher, fields }));
                    }
                    plan => {
                        let members = self.within(&plan, &self.rest);
                        self.phrase_checked(&members);
                        if let Some(group) = Group::of(tier, Kind::Whole, members) {
                            return Some(Step::Group(group));
                        }
                        continue;
                    }
                }
            }
            let members = self.members(tier);
            if members.is_empty() {
                continue;
            }
            self.leave_out(&members);
            let (whole, by_prefix) = self.kinds(tier, members);
            self.by_prefix = Group::of(tier, Kind::Prefix, by_prefix);
            if let Some(group) = Group::of(tier, Kind::Whole, whole) {
                return Some(Step::Group(group));
            }
        }
    }

    /// Tells which candidates of [`Step::Phrase`] hold the phrase.
    pub fn phrase_checked(&mut self, members: &HitSet) {
        self.leave_out(members);
        let by_prefix = self.within(&self.phrase_in_host_by_prefix(), &self.rest);
        self.leave_out(&by_prefix);
        self.by_prefix = Group::of(Tier::PhraseElsewhere, Kind::Prefix, by_prefix);
    }

    fn leave_out(&mut self, members: &HitSet) {
        self.rest = std::mem::take(&mut self.rest).and_not(members);
    }

    fn within(&self, plan: &Plan<'s>, base: &HitSet) -> HitSet {
        if plan.is_nothing() {
            return HitSet::default();
        }
        plan.evaluate_within(base.clone(), self.planner.snapshot())
    }

    /// The businesses of `tier` among those that are in no better one.
    fn members(&self, tier: Tier) -> HitSet {
        if self.rest.is_empty() {
            return HitSet::default();
        }
        match (tier, self.words.words.as_slice()) {
            (Tier::Elsewhere, _) => self.rest.clone(),
            (Tier::WholeIdOrHost, _) if self.understanding.whole_id.is_some() => self.rest.clone(),
            (Tier::WholeIdOrHost, _) => match &self.host {
                Some(name) => self.within(&self.planner.host(name), &self.rest),
                None => HitSet::default(),
            },
            (_, []) => HitSet::default(),
            (Tier::NameIs, [(_, word)]) => {
                let lists = self.planner.lists(word, |lists| [lists.name_is, None, None]);
                self.within(&lists, &self.rest)
            }
            (Tier::NameStarts, [(_, word)]) => {
                let lists = self.planner.lists(word, |lists| [lists.name_starts, None, None]);
                self.within(&lists, &self.rest)
            }
            (Tier::NameIs, _) => self.names_that(NameMatch::Whole),
            (Tier::NameStarts, _) => self.names_that(NameMatch::Start),
            (Tier::NameHasAll, _) => {
                let clauses =
                    self.clauses().iter().map(|understood| understood.in_name(&self.planner));
                self.within(&Plan::intersection(clauses), &self.rest)
            }
            // Taken apart in `next_step`.
            (Tier::PhraseElsewhere, _) => HitSet::default(),
            (Tier::NameHasSome, _) => {
                let clauses = self.clauses().iter().flat_map(|understood| {
                    [understood.in_name_partly(&self.planner), understood.in_name_as_prefix()]
                });
                self.within(&Plan::union(clauses), &self.rest)
            }
        }
    }

    /// Takes the businesses of a tier apart by kind.
    fn kinds(&self, tier: Tier, members: HitSet) -> (HitSet, HitSet) {
        if self.clauses().iter().all(|understood| understood.prefix.is_none()) {
            return (members, HitSet::default());
        }
        let whole = match tier {
            Tier::WholeIdOrHost
            | Tier::NameIs
            | Tier::NameStarts
            | Tier::PhraseElsewhere
            | Tier::Elsewhere => return (members, HitSet::default()),
            Tier::NameHasAll => {
                let clauses =
                    self.clauses().iter().map(|understood| understood.in_name_whole(&self.planner));
                self.within(&Plan::intersection(clauses), &members)
            }
            Tier::NameHasSome => {
                let only_by_prefix = self
                    .clauses()
                    .iter()
                    .map(|understood| {
                        let whole = self.within(&understood.in_name_whole(&self.planner), &members);
                        self.within(&understood.in_name_as_prefix(), &members).and_not(&whole)
                    })
                    .fold(HitSet::default(), HitSet::or);
                members.clone().and_not(&only_by_prefix)
            }
        };
        let by_prefix = members.and_not(&whole);
        (whole, by_prefix)
    }

    fn clauses(&self) -> &'a [Understood] {
        &self.understanding.clauses
    }

    /// Businesses whose name begins with the words of `q`, as `wanted` says.
    fn names_that(&self, wanted: NameMatch) -> HitSet {
        let mut words = self.words.words.iter();
        let Some((_, first)) = words.next() else { return HitSet::default() };
        let begins = self.planner.lists(first, |lists| [lists.name_starts, lists.name_is, None]);
        let others = words.map(|(_, word)| self.planner.word_in_name(word));
        let plan = Plan::intersection(std::iter::once(begins).chain(others));
        let candidates = self.within(&plan, &self.rest);
        let snapshot = self.planner.snapshot();
        let matcher = PhraseMatcher::new(snapshot, &self.words);
        candidates.filter(|doc| matcher.begins_name(&snapshot.doc_tokens(doc)) == Some(wanted))
    }

    /// The words of `q` at their places, with the readings of corrected ones.
    fn words_with_readings(&self) -> Phrase {
        let mut all = Phrase::default();
        for understood in self.clauses() {
            all.append(understood.phrase_with_readings());
        }
        all
    }

    fn phrase_elsewhere(&self) -> Plan<'s> {
        let phrase = self.words_with_readings();
        match phrase.words.as_slice() {
            [] => Plan::NOTHING,
            // What is left holds the word, and not in its name.
            [(_, word)] => self.planner.word(word),
            _ => self.planner.phrase_in(&phrase, OTHER_FIELDS),
        }
    }

    /// The words of `q` as a phrase in a host, words that may be prefixes as such.
    fn phrase_in_host_by_prefix(&self) -> Plan<'s> {
        let mut phrase = Phrase::default();
        let mut prefixes: Vec<(usize, &PrefixMatches)> = Vec::new();
        let mut candidates = Vec::new();
        for understood in self.clauses() {
            let own = understood.phrase_with_readings();
            match &understood.prefix {
                Some(prefix) => {
                    prefixes.push((phrase.words.len(), prefix));
                    let whole = own.words.iter().map(|(_, word)| {
                        self.planner.lists(word, |lists| [lists.host, None, None])
                    });
                    let by_prefix = std::iter::once(Plan::ready(prefix.hosts.clone()));
                    candidates.push(Plan::union(by_prefix.chain(whole)));
                }
                None => {
                    candidates.extend(own.words.iter().map(|(_, word)| {
                        self.planner.lists(word, |lists| [lists.host, None, None])
                    }))
                }
            }
            phrase.append(own);
        }
        if prefixes.is_empty() {
            return Plan::NOTHING;
        }
        let candidates = Plan::intersection(candidates);
        if candidates.is_nothing() {
            return candidates;
        }
        let mut matcher = PhraseMatcher::new(self.planner.snapshot(), &phrase);
        for (number, prefix) in prefixes {
            matcher.add_codes(number, &prefix.host_codes);
        }
        let fields = &[TextField::Host];
        Plan::Phrase { candidates: Box::new(candidates), matcher: Arc::new(matcher), fields }
    }
}
