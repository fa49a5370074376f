//! The levels of relevance, evaluated over sets of documents.
//!
//! What a level is says [`ranking`](crate::ranking). Levels are set operations on small lists,
//! computed best first and only as far as a page needs: a page that fills from an upper level never
//! looks at the lower ones. The level of a single document is told by taking apart the set of that
//! one.
//!
//! | level | set | from |
//! |---|---|---|
//! | id or host | one document; the documents on the host | id order, host dictionary |
//! | name is `q`, name starts with `q` | one word: a stored list; more: names that start with the words, verified | [`TermLists`](crate::snapshot::terms::block::TermLists) |
//! | an alias is `q` | one word: a stored list; more: documents with all words in aliases, verified | the same |
//! | all words in the name | intersection of the names with each word | the same |
//! | phrase in another field | one word: the rest that holds it, not in an alias only; more: verified in the order of scores, until the page is full | forward index |
//! | some words in the name | union of the names with each word | the same |
//! | elsewhere | the rest | |
//!
//! Phrases outside names are in `rank/phrase_tier.rs`.

mod phrase_tier;

use crate::query::interpret::{ClauseMatch, Interpretation};
use crate::query::phrase::matcher::NameMatch;
use crate::query::phrase::verifier::Place;
use crate::query::session::Session;
use crate::query::sets::set_expr::SetExpr;
use crate::query::text::{Clause, Phrase, Term, TextQuery};
use crate::ranking::Level;
use crate::snapshot::encoding::postings::Postings;
use crate::snapshot::terms::block::AliasList;
pub use phrase_tier::PhraseCandidates;

/// Documents of one level.
#[derive(Debug)]
pub struct Group<'s> {
    /// Their level.
    pub level: Level,
    /// The documents.
    pub members: SetExpr<'s>,
}

/// What [`TierPartition::next_step`] gives.
#[derive(Debug)]
pub enum Step<'s> {
    /// A group whose members are known, or told by their postings.
    Group(Group<'s>),
    /// Documents that may be on [`Level::PhraseElsewhere`].
    Phrase(PhraseCandidates<'s>),
}

/// What is in `plan`, of which all are known to be on `lists`, and in `base`.
fn narrowed<'s>(plan: SetExpr<'s>, base: SetExpr<'s>, lists: &[Postings<'s>]) -> SetExpr<'s> {
    match base {
        // Less is left of whom it must be told whether they are excluded.
        SetExpr::Difference(base, excluded) => {
            SetExpr::difference(narrowed(plan, *base, lists), *excluded)
        }
        base => {
            let unknown = lists.iter().try_fold(base, |base, list| base.given(list));
            SetExpr::intersection(unknown.into_iter().chain([plan]))
        }
    }
}

/// The hits of a query, taken apart into groups.
#[derive(Debug)]
pub struct TierPartition<'a, 's> {
    session: &'a Session<'s>,
    interpretation: &'a Interpretation<'s>,
    words: Phrase,
    /// The host that `q` is, if it is nothing else, and the words of its name as a compound.
    host: Option<(String, Option<Phrase>)>,
    /// Hits that are in none of the tiers taken so far.
    rest: SetExpr<'s>,
    next_level: usize,
    /// Documents whose name holds all words and begins with the first, once they are known.
    names: Option<SetExpr<'s>>,
}

impl<'a, 's> TierPartition<'a, 's> {
    /// Prepares to take `hits` apart by how they fit `text`.
    pub fn new(
        session: &'a Session<'s>,
        interpretation: &'a Interpretation<'s>,
        text: &TextQuery,
        hits: SetExpr<'s>,
    ) -> TierPartition<'a, 's> {
        let host = match text.clauses() {
            [Clause { term: Term::Host { name, compound, .. }, .. }] => {
                Some((name.clone(), compound.as_ref().map(|compound| compound.phrase())))
            }
            _ => None,
        };
        TierPartition {
            session,
            interpretation,
            words: text.ranking_words(),
            host,
            rest: hits,
            next_level: 0,
            names: None,
        }
    }

    /// The next group, best first; those known to be empty are left out.
    pub fn next_group(&mut self) -> Option<Group<'s>> {
        loop {
            match self.next_step()? {
                Step::Group(group) => return Some(group),
                Step::Phrase(candidates) => {
                    let members = self.held(candidates.members());
                    self.leave_out(&members);
                    if !members.is_nothing() {
                        return Some(Group { level: Level::PhraseElsewhere, members });
                    }
                }
            }
        }
    }

    /// The next group, or, where telling its members would mean to read every candidate, the
    /// candidates: the caller takes the members out by [`TierPartition::leave_out`] before the next
    /// step.
    pub fn next_step(&mut self) -> Option<Step<'s>> {
        loop {
            let level = *Level::ALL.get(self.next_level)?;
            self.next_level += 1;
            if self.rest.is_nothing() {
                return None;
            }
            let members = match level {
                Level::PhraseElsewhere => match self.phrase_elsewhere() {
                    SetExpr::Filtered { candidates, check, .. } => {
                        let hits = self.holding_words(*candidates);
                        let may_be_aliases = !self.in_alias().is_nothing();
                        return Some(Step::Phrase(PhraseCandidates {
                            hits,
                            check,
                            may_be_aliases,
                        }));
                    }
                    plan => self.within_rest(plan),
                },
                level => self.members(level),
            };
            match (level, self.clauses()) {
                // Every hit holds the word, or what it begins in name or host: no document is left.
                // By postings, that would be looked for among all of them behind the last page.
                (Level::PhraseInHostByPrefix, [only])
                    if only.readings.is_empty()
                        && matches!(only.clause.term, Term::Word(_))
                        && self.in_alias().is_nothing() =>
                {
                    self.rest = SetExpr::EMPTY;
                }
                _ => self.leave_out(&members),
            }
            if !members.is_nothing() {
                return Some(Step::Group(Group { level, members }));
            }
        }
    }

    /// The plan, evaluated if it matches few.
    fn held(&self, plan: SetExpr<'s>) -> SetExpr<'s> {
        match plan {
            SetExpr::Materialised(_) | SetExpr::Range(_) | SetExpr::List(_) => plan,
            plan if plan.enumerated_max() <= self.session.tuning().held_max => {
                SetExpr::materialised(plan.doc_set())
            }
            plan => plan,
        }
    }

    /// Takes `members` out of what is left for further levels.
    pub fn leave_out(&mut self, members: &SetExpr<'s>) {
        let rest = std::mem::replace(&mut self.rest, SetExpr::EMPTY);
        self.rest = self.without(rest, members.clone());
    }

    fn without(&self, plan: SetExpr<'s>, excluded: SetExpr<'s>) -> SetExpr<'s> {
        if plan.is_nothing() || excluded.is_nothing() {
            return plan;
        }
        match &plan {
            SetExpr::Materialised(hits) => SetExpr::materialised(hits.without(&excluded)),
            _ => self.held(SetExpr::difference(plan, excluded)),
        }
    }

    fn within(&self, plan: SetExpr<'s>, base: &SetExpr<'s>) -> SetExpr<'s> {
        self.within_known(plan, base, &[])
    }

    /// Documents of `base` that match `plan`, of which all are known to be on `lists`.
    fn within_known(
        &self,
        plan: SetExpr<'s>,
        base: &SetExpr<'s>,
        lists: &[Postings<'s>],
    ) -> SetExpr<'s> {
        match (&plan, base) {
            (nothing, _) | (_, nothing) if nothing.is_nothing() => SetExpr::EMPTY,
            (_, SetExpr::Materialised(hits)) => SetExpr::materialised(hits.within(&plan)),
            _ => self.held(narrowed(plan, base.clone(), lists)),
        }
    }

    fn within_rest(&self, plan: SetExpr<'s>) -> SetExpr<'s> {
        self.within(plan, &self.rest)
    }

    /// The documents of `level` among those on no better one.
    fn members(&mut self, level: Level) -> SetExpr<'s> {
        let is_one_word = self.words.words.len() == 1;
        match level {
            Level::Elsewhere => self.rest.clone(),
            Level::IdOrHost if self.interpretation.whole_id.is_some() => self.rest.clone(),
            Level::IdOrHost => match &self.host {
                Some((name, _)) => self.within_rest(self.session.host(name)),
                None => SetExpr::EMPTY,
            },
            _ if self.words.words.is_empty() => SetExpr::EMPTY,
            // Of a host, the name is all words, with those of the suffix; that it is the others
            // alone is no more than that it starts with them.
            Level::NameIs if self.parts_of_host().is_some() => {
                self.parts_of_host().map_or(SetExpr::EMPTY, |parts| {
                    let names = self.names_that_begin(parts);
                    self.names_that(names, parts, NameMatch::Whole)
                })
            }
            Level::NameStarts if self.parts_of_host().is_some() => {
                let both = [NameMatch::Whole, NameMatch::Start];
                if is_one_word {
                    return self.held(SetExpr::union(both.map(|it| self.names_by_list(it))));
                }
                let names = self.names_that_begin(&self.words);
                let names_that = |wanted| self.names_that(names.clone(), &self.words, wanted);
                self.held(SetExpr::union(both.map(names_that)))
            }
            Level::AliasIs => {
                let aliases = self.aliases_that_are(self.parts_of_host().unwrap_or(&self.words));
                let aliases = self.within_rest(aliases);
                let names = self.names.take();
                self.names = names.map(|names| self.without(names, aliases.clone()));
                aliases
            }
            Level::NameIs if is_one_word => self.names_by_list(NameMatch::Whole),
            Level::NameStarts if is_one_word => self.names_by_list(NameMatch::Start),
            Level::NameIs => {
                let names = self.names_that_begin(&self.words);
                self.names = Some(names.clone());
                self.names_that(names, &self.words, NameMatch::Whole)
            }
            Level::NameStarts => match self.names.take() {
                Some(names) => self.names_that(names, &self.words, NameMatch::Start),
                None => SetExpr::EMPTY,
            },
            Level::NameHasAll => self.names_with_all(ClauseMatch::in_name_whole),
            Level::NameHasAllByPrefix if !self.has_longer_in_name() => SetExpr::EMPTY,
            Level::NameHasAllByPrefix => match self.clauses() {
                // Found as what they are, and not as what is left, few are seen to be few.
                [only] if only.is_only_as_written() => self.within_rest(only.in_name_as_prefix()),
                _ => self.names_with_all(ClauseMatch::in_name),
            },
            Level::PhraseElsewhere => self.within_rest(self.phrase_elsewhere()),
            Level::PhraseInHostByPrefix => self.phrase_in_host_by_prefix(),
            Level::NameHasSome => {
                let partly = self.clauses().iter().map(|it| it.in_name_partly(self.session));
                let names = self.within_rest(SetExpr::union(partly));
                if self.has_longer_in_name() {
                    return self.without(names, self.names_by_prefix_only());
                }
                names
            }
            Level::NameHasSomeByPrefix if !self.has_longer_in_name() => SetExpr::EMPTY,
            Level::NameHasSomeByPrefix => self.within_rest(self.names_by_prefix_only()),
        }
    }

    /// May a name hold a clause only as a prefix?
    fn has_longer_in_name(&self) -> bool {
        self.clauses().iter().any(|clause_match| !clause_match.in_name_as_prefix().is_nothing())
    }

    /// Documents whose name holds some clause only as a prefix.
    fn names_by_prefix_only(&self) -> SetExpr<'s> {
        SetExpr::union(self.clauses().iter().map(|clause_match| {
            let whole = clause_match.in_name_whole(self.session);
            SetExpr::difference(clause_match.in_name_as_prefix(), whole)
        }))
    }

    /// The list of all that hold a clause, if it is one word and there is no other way to hold it.
    fn only_list(&self, clause_match: &ClauseMatch<'s>) -> Option<Postings<'s>> {
        match &clause_match.clause.term {
            Term::Word(word) if clause_match.is_only_as_written() => {
                let ord = self.session.only_term(word)?;
                Some(self.session.snapshot().terms().lists(ord).any())
            }
            _ => None,
        }
    }

    fn clauses(&self) -> &'a [ClauseMatch<'s>] {
        &self.interpretation.clauses
    }

    /// Businesses whose name begins with the one word of `q`.
    fn names_by_list(&self, wanted: NameMatch) -> SetExpr<'s> {
        let [(_, word)] = self.words.words.as_slice() else { return SetExpr::EMPTY };
        let whole = self.session.lists(word, |lists| [lists.name_is(), None, None]);
        let starts = || self.session.lists(word, |lists| [lists.name_starts(), None, None]);
        match (wanted, &self.rest) {
            (NameMatch::Whole, rest) => self.named(whole, rest),
            // A name that is the word does not start with it and go on.
            (NameMatch::Start, SetExpr::Difference(hits, excluded)) if excluded.is_same(&whole) => {
                self.named(starts(), hits)
            }
            (NameMatch::Start, rest) => self.named(starts(), rest),
        }
    }

    /// Documents of `base`, which are hits, that are among `names`, which hold the words of `q` in
    /// their name.
    fn named(&self, names: SetExpr<'s>, base: &SetExpr<'s>) -> SetExpr<'s> {
        // Hits hold the words somewhere; in the name is somewhere.
        let lists: Vec<Postings<'s>> =
            self.clauses().iter().filter_map(|it| self.only_list(it)).collect();
        self.within_known(names, base, &lists)
    }

    /// Documents of the rest whose name holds all clauses in the way that `in_name` asks for.
    fn names_with_all(
        &self,
        in_name: fn(&ClauseMatch<'s>, &Session<'s>) -> SetExpr<'s>,
    ) -> SetExpr<'s> {
        let clauses = self.clauses().iter().map(|clause_match| in_name(clause_match, self.session));
        self.named(SetExpr::intersection(clauses), &self.rest)
    }

    /// The words of the host that `q` is, as a compound.
    fn parts_of_host(&self) -> Option<&Phrase> {
        self.host.as_ref().and_then(|(_, parts)| parts.as_ref())
    }

    /// Documents of which some words are an alias.
    fn aliases_that_are(&self, phrase: &Phrase) -> SetExpr<'s> {
        if let [(_, word)] = phrase.words.as_slice() {
            return self.session.lists(word, |lists| [lists.aliases(AliasList::Is), None, None]);
        }
        let aliases = phrase.words.iter().map(|(_, word)| self.session.word_in_alias(word));
        let narrowed = self.session.stored_neighbours(phrase);
        let candidates = SetExpr::intersection(aliases.chain(narrowed));
        let candidates = self.within_rest(candidates);
        if candidates.is_nothing() {
            return candidates;
        }
        self.session.check_at(candidates, phrase, Place::IsAlias)
    }

    /// Documents whose name holds some words and begins with the first, maybe with more that does
    /// not hold them all.
    fn names_that_begin(&self, phrase: &Phrase) -> SetExpr<'s> {
        let mut words = phrase.words.iter();
        let Some((_, first)) = words.next() else { return SetExpr::EMPTY };
        let begins =
            self.session.lists(first, |lists| [lists.name_starts(), lists.name_is(), None]);
        let others = words.map(|(_, word)| self.session.word_in_name(word));
        let narrowed = self.session.stored_neighbours(phrase);
        self.within_rest(SetExpr::intersection(
            std::iter::once(begins).chain(others).chain(narrowed),
        ))
    }

    /// Candidates whose name begins with some words, as `wanted` says.
    fn names_that(
        &self,
        candidates: SetExpr<'s>,
        phrase: &Phrase,
        wanted: NameMatch,
    ) -> SetExpr<'s> {
        if candidates.is_nothing() {
            return candidates;
        }
        let place = Place::BeginName(wanted);
        self.held(self.session.check_at(candidates, phrase, place))
    }
}
