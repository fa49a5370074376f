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
//! | name is `q` | one word: a stored list; more: names that start with the words, checked | [`TermLists`] |
//! | name starts with `q` | the same | the same |
//! | all words in the name | intersection of the names with each word | the same |
//! | phrase in another field | one word: the rest that holds it; more: checked in the order of scores, until the page is full | token streams |
//! | some words in the name | union of the names with each word | term lists |
//! | none | the rest | |
//!
//! The phrase tier is in `rank/phrase_tier.rs`.

mod phrase_tier;

use super::check::Place;
use super::phrase::NameMatch;
use super::plan::Plan;
use super::planner::Planner;
use super::shortcut::Shortcut;
use super::text::{Clause, Phrase, QueryWord, Term, TextQuery};
use super::understand::{Understanding, Understood};
use crate::snapshot::postings::Postings;
use crate::snapshot::terms::block::TermLists;
pub use phrase_tier::PhraseCandidates;

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

/// Tier and kind as part of a relevance key: the better, the larger.
pub fn group_key(tier: Tier, kind: Kind) -> u64 {
    (Tier::ALL.len() - tier as usize) as u64 * 2 + u64::from(kind == Kind::Whole)
}

/// The names that hold a term as a whole word, by tier, best first.
pub fn named_by_tier<'s>(lists: &TermLists<'s>) -> [(Option<Postings<'s>>, Tier); 3] {
    [
        (lists.name_is(), Tier::NameIs),
        (lists.name_starts(), Tier::NameStarts),
        (lists.name_has(), Tier::NameHasAll),
    ]
}

/// Businesses of one tier and kind.
#[derive(Debug)]
pub struct Group<'s> {
    /// Their tier.
    pub tier: Tier,
    /// Their kind.
    pub kind: Kind,
    /// Who they are.
    pub members: Plan<'s>,
}

/// What [`GroupSplit::next_step`] gives.
#[derive(Debug)]
pub enum Step<'s> {
    /// A group whose members are known, or told by their postings.
    Group(Group<'s>),
    /// Those who may be the whole-word members of [`Tier::PhraseElsewhere`].
    Phrase(PhraseCandidates<'s>),
}

/// What is in `plan`, of which all are known to be on `lists`, and in `base`.
fn narrowed<'s>(plan: Plan<'s>, base: Plan<'s>, lists: &[Postings<'s>]) -> Plan<'s> {
    match base {
        // Less is left of whom it must be told whether they are excluded.
        Plan::Difference(base, excluded) => {
            Plan::difference(narrowed(plan, *base, lists), *excluded)
        }
        base => {
            let unknown = lists.iter().try_fold(base, |base, list| base.given(list));
            Plan::intersection(unknown.into_iter().chain([plan]))
        }
    }
}

/// Are those whose name holds the clause only as a prefix few of `members`, which are not held?
fn are_few(understood: &Understood<'_>, members: &Plan<'_>) -> bool {
    let most = understood.in_name_as_prefix().cardinality_max();
    !matches!(members, Plan::Ready(_)) && most < members.cardinality_max() / 2
}

/// The hits of a query, taken apart into groups.
#[derive(Debug)]
pub struct GroupSplit<'a, 's> {
    planner: &'a Planner<'s>,
    understanding: &'a Understanding<'s>,
    words: Phrase,
    /// The host that `q` is, if it is nothing else.
    host: Option<String>,
    /// Hits that are in none of the tiers taken so far.
    rest: Plan<'s>,
    next_tier: usize,
    /// Of those whose name holds all words and begins with the first, all, and whose name is `q`.
    names: Option<(Plan<'s>, Plan<'s>)>,
    /// The second group of the tier taken last.
    by_prefix: Option<Group<'s>>,
    /// Is that one still to be looked for, in hosts?
    are_hosts_next: bool,
}

impl<'a, 's> GroupSplit<'a, 's> {
    /// Prepares to take `hits` apart by how they fit `text`.
    pub fn new(
        planner: &'a Planner<'s>,
        understanding: &'a Understanding<'s>,
        text: &TextQuery,
        hits: Plan<'s>,
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
            names: None,
            by_prefix: None,
            are_hosts_next: false,
        }
    }

    /// The next group, best first; those known to be empty are left out.
    pub fn next_group(&mut self) -> Option<Group<'s>> {
        loop {
            match self.next_step()? {
                Step::Group(group) => return Some(group),
                Step::Phrase(candidates) => {
                    let members = self.held(candidates.members());
                    self.phrase_checked(&members);
                    if !members.is_nothing() {
                        let (tier, kind) = (Tier::PhraseElsewhere, Kind::Whole);
                        return Some(Group { tier, kind, members });
                    }
                }
            }
        }
    }

    /// The next group, or, where telling its members would mean to read every candidate, the candidates: whoever
    /// takes those calls [`GroupSplit::phrase_checked`] before the next step.
    pub fn next_step(&mut self) -> Option<Step<'s>> {
        loop {
            // Not before somebody asks: what a word begins in hosts costs more than a page.
            if std::mem::take(&mut self.are_hosts_next) {
                self.take_hosts();
            }
            if let Some(group) = self.by_prefix.take() {
                return Some(Step::Group(group));
            }
            let tier = *Tier::ALL.get(self.next_tier)?;
            self.next_tier += 1;
            if self.rest.is_nothing() {
                continue;
            }
            let (whole, by_prefix) = match tier {
                Tier::PhraseElsewhere => match self.phrase_elsewhere() {
                    Plan::Check { candidates, check, .. } => {
                        let hits = self.holding_words(*candidates);
                        return Some(Step::Phrase(PhraseCandidates { hits, check }));
                    }
                    plan => {
                        let members = self.within_rest(plan);
                        self.phrase_checked(&members);
                        (members, Plan::NOTHING)
                    }
                },
                tier => {
                    let members = self.members(tier);
                    self.leave_out(&members);
                    self.kinds(tier, members)
                }
            };
            if !by_prefix.is_nothing() {
                self.by_prefix = Some(Group { tier, kind: Kind::Prefix, members: by_prefix });
            }
            if !whole.is_nothing() {
                return Some(Step::Group(Group { tier, kind: Kind::Whole, members: whole }));
            }
        }
    }

    /// Tells which candidates of [`Step::Phrase`] hold the phrase.
    pub fn phrase_checked(&mut self, members: &Plan<'s>) {
        self.leave_out(members);
        self.are_hosts_next = true;
    }

    /// Takes those out whose host holds `q` as a phrase, the last word as a prefix: the second group of phrases.
    fn take_hosts(&mut self) {
        let members = self.phrase_in_host_by_prefix();
        match self.clauses() {
            // Every hit holds the word, or what it begins in name or host: nobody is left. Told by postings, that would be
            // looked for among all of them behind the last page.
            [only] if only.readings.is_empty() && matches!(only.clause.term, Term::Word(_)) => {
                self.rest = Plan::NOTHING;
            }
            _ => self.leave_out(&members),
        }
        if !members.is_nothing() {
            let (tier, kind) = (Tier::PhraseElsewhere, Kind::Prefix);
            self.by_prefix = Some(Group { tier, kind, members });
        }
    }

    /// The plan, evaluated if it matches few.
    fn held(&self, plan: Plan<'s>) -> Plan<'s> {
        match plan {
            Plan::Ready(_) | Plan::Range(_) | Plan::List(_) => plan,
            plan if plan.enumerated_max() <= self.planner.tuning().held_max => {
                Plan::ready(plan.hit_set())
            }
            plan => {
                self.planner.took(Shortcut::OpenGroup);
                plan
            }
        }
    }

    fn leave_out(&mut self, members: &Plan<'s>) {
        let rest = std::mem::replace(&mut self.rest, Plan::NOTHING);
        self.rest = self.without(rest, members.clone());
    }

    fn without(&self, plan: Plan<'s>, excluded: Plan<'s>) -> Plan<'s> {
        if plan.is_nothing() || excluded.is_nothing() {
            return plan;
        }
        match &plan {
            Plan::Ready(hits) => Plan::ready(hits.without(&excluded)),
            _ => self.held(Plan::difference(plan, excluded)),
        }
    }

    fn within(&self, plan: Plan<'s>, base: &Plan<'s>) -> Plan<'s> {
        self.within_known(plan, base, &[])
    }

    /// Those of `base` that match `plan`, of which all are known to be on `lists`.
    fn within_known(&self, plan: Plan<'s>, base: &Plan<'s>, lists: &[Postings<'s>]) -> Plan<'s> {
        match (&plan, base) {
            (nothing, _) | (_, nothing) if nothing.is_nothing() => Plan::NOTHING,
            (_, Plan::Ready(hits)) => Plan::ready(hits.within(&plan)),
            _ => self.held(narrowed(plan, base.clone(), lists)),
        }
    }

    fn within_rest(&self, plan: Plan<'s>) -> Plan<'s> {
        self.within(plan, &self.rest)
    }

    /// The businesses of `tier` among those that are in no better one.
    fn members(&mut self, tier: Tier) -> Plan<'s> {
        match (tier, self.words.words.as_slice()) {
            (Tier::Elsewhere, _) => self.rest.clone(),
            (Tier::WholeIdOrHost, _) if self.understanding.whole_id.is_some() => self.rest.clone(),
            (Tier::WholeIdOrHost, _) => match &self.host {
                Some(name) => self.within_rest(self.planner.host(name)),
                None => Plan::NOTHING,
            },
            (_, []) => Plan::NOTHING,
            (Tier::NameIs, [(_, word)]) => self.names_by_list(word, NameMatch::Whole),
            (Tier::NameStarts, [(_, word)]) => self.names_by_list(word, NameMatch::Start),
            (Tier::NameIs, _) => {
                let names = self.names_that_begin();
                let members = self.names_that(names.clone(), NameMatch::Whole);
                self.names = Some((names, members.clone()));
                members
            }
            (Tier::NameStarts, _) => match self.names.take() {
                Some((names, taken)) => {
                    self.names_that(self.without(names, taken), NameMatch::Start)
                }
                None => Plan::NOTHING,
            },
            (Tier::NameHasAll, _) => self.names_with_all(),
            // Taken apart in `next_step`.
            (Tier::PhraseElsewhere, _) => Plan::NOTHING,
            (Tier::NameHasSome, _) => {
                let clauses = self.clauses().iter().flat_map(|understood| {
                    [understood.in_name_partly(self.planner), understood.in_name_as_prefix()]
                });
                self.within_rest(Plan::union(clauses))
            }
        }
    }

    /// Takes the businesses of a tier apart by kind.
    fn kinds(&self, tier: Tier, members: Plan<'s>) -> (Plan<'s>, Plan<'s>) {
        if members.is_nothing()
            || self.clauses().iter().all(|understood| understood.in_name_as_prefix().is_nothing())
        {
            return (members, Plan::NOTHING);
        }
        let by_prefix = match tier {
            Tier::WholeIdOrHost
            | Tier::NameIs
            | Tier::NameStarts
            | Tier::PhraseElsewhere
            | Tier::Elsewhere => Plan::NOTHING,
            Tier::NameHasAll => {
                let clauses =
                    self.clauses().iter().map(|understood| understood.in_name_whole(self.planner));
                let whole = self.within(Plan::intersection(clauses), &members);
                let by_prefix = match self.clauses() {
                    // Told as who they are, not as those that are left, few are seen to be few.
                    [only] if only.is_only_as_written() && are_few(only, &members) => {
                        Plan::intersection([members, only.in_name_as_prefix()])
                    }
                    _ => self.without(members, whole.clone()),
                };
                return (whole, by_prefix);
            }
            Tier::NameHasSome => {
                let only_by_prefix = self.clauses().iter().map(|understood| {
                    Plan::difference(
                        understood.in_name_as_prefix(),
                        understood.in_name_whole(self.planner),
                    )
                });
                self.within(Plan::union(only_by_prefix), &members)
            }
        };
        (self.without(members, by_prefix.clone()), by_prefix)
    }

    /// The list of all that hold a clause, if it is one word and there is no other way to hold it.
    fn only_list(&self, understood: &Understood<'s>) -> Option<Postings<'s>> {
        match &understood.clause.term {
            Term::Word(word) if understood.is_only_as_written() => {
                let ord = self.planner.only_term(word)?;
                Some(self.planner.snapshot().terms().lists(ord).any())
            }
            _ => None,
        }
    }

    fn clauses(&self) -> &'a [Understood<'s>] {
        &self.understanding.clauses
    }

    /// Businesses whose name begins with the one word of `q`.
    fn names_by_list(&self, word: &QueryWord, wanted: NameMatch) -> Plan<'s> {
        let whole = self.planner.lists(word, |lists| [lists.name_is(), None, None]);
        let starts = || self.planner.lists(word, |lists| [lists.name_starts(), None, None]);
        match (wanted, &self.rest) {
            (NameMatch::Whole, rest) => self.named(whole, rest),
            // A name that is the word does not start with it and go on.
            (NameMatch::Start, Plan::Difference(hits, excluded)) if excluded.is_same(&whole) => {
                self.named(starts(), hits)
            }
            (NameMatch::Start, rest) => self.named(starts(), rest),
        }
    }

    /// Those of `base`, which are hits, that are among `names`, which hold the words of `q` in their name.
    fn named(&self, names: Plan<'s>, base: &Plan<'s>) -> Plan<'s> {
        // Hits hold the words somewhere; in the name is somewhere.
        let lists: Vec<Postings<'s>> =
            self.clauses().iter().filter_map(|it| self.only_list(it)).collect();
        self.within_known(names, base, &lists)
    }

    /// Those of the rest whose name holds all clauses, in whatever way.
    fn names_with_all(&self) -> Plan<'s> {
        let clauses = self.clauses().iter().map(|understood| understood.in_name(self.planner));
        self.named(Plan::intersection(clauses), &self.rest)
    }

    /// Those whose name holds the words of `q` and begins with the first, maybe with more that does not hold them all.
    fn names_that_begin(&self) -> Plan<'s> {
        let mut words = self.words.words.iter();
        let Some((_, first)) = words.next() else { return Plan::NOTHING };
        let begins =
            self.planner.lists(first, |lists| [lists.name_starts(), lists.name_is(), None]);
        let others = words.map(|(_, word)| self.planner.word_in_name(word));
        let narrowed = self.planner.stored_neighbours(&self.words);
        self.within_rest(Plan::intersection(std::iter::once(begins).chain(others).chain(narrowed)))
    }

    /// Those of `candidates` whose name begins with the words of `q`, as `wanted` says.
    fn names_that(&self, candidates: Plan<'s>, wanted: NameMatch) -> Plan<'s> {
        if candidates.is_nothing() {
            return candidates;
        }
        let place = Place::BeginName(wanted);
        self.held(self.planner.check_at(candidates, &self.words, place))
    }
}
