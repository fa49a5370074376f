//! The tier of those who hold `q` as a phrase in another field than the name.
//!
//! Of two words and more, postings tell candidates only; whose words stand next to each other is
//! seen by looking at them, which [`relevance`](crate::query::strategy::relevance) does in the
//! order of scores, until a page is full.

use super::TierPartition;
use crate::analyzer::TextField;
use crate::query::interpret::prefix::{BegunWords, begun_codes};
use crate::query::interpret::{ClauseMatch, OTHER_FIELDS};
use crate::query::phrase::verifier::{PhraseVerifier, Place};
use crate::query::sets::evaluate::SELECTED_MAX;
use crate::query::sets::predicate::Predicate;
use crate::query::sets::set_expr::SetExpr;
use crate::query::text::{Phrase, QueryWord, Term};
use crate::snapshot::terms::block::AliasList;
use std::rc::Rc;

/// Up to so many hosts are looked at, before the businesses with what a word begins in their host
/// are gathered.
const HOSTS_CHECKED: u64 = 1024;

/// Businesses that hold all words of a phrase outside their name, maybe next to each other.
#[derive(Debug)]
pub struct PhraseCandidates<'s> {
    /// Who they are.
    pub hits: SetExpr<'s>,
    /// Tells who is one.
    pub check: Rc<dyn Predicate + 's>,
    /// May some hold the phrase in an alias, and in no other field?
    pub may_be_aliases: bool,
}

impl<'s> PhraseCandidates<'s> {
    /// Candidates in which the phrase stands.
    pub fn members(&self) -> SetExpr<'s> {
        if self.hits.is_nothing() {
            return SetExpr::EMPTY;
        }
        let (candidates, check) = (Box::new(self.hits.clone()), self.check.clone());
        SetExpr::Filtered { candidates, check, len: None }
    }
}

impl<'s> TierPartition<'_, 's> {
    /// Documents of the rest that are among `candidates`, which are on the list of every word.
    pub(crate) fn holding_words(&self, candidates: SetExpr<'s>) -> SetExpr<'s> {
        if !matches!(self.rest, SetExpr::Materialised(_)) || self.interpretation.is_relaxed {
            return self.within_rest(candidates);
        }
        // Held hits hold every word, or what it begins. The lists of words are long and need not be
        // asked again; who holds only what a word begins is on none of them.
        let (mut unknown, mut beyond) = (Some(candidates), Vec::new());
        for clause_match in self.clauses() {
            let Some(list) = self.only_list(clause_match) else { continue };
            unknown = unknown.and_then(|plan| plan.given(&list));
            beyond.extend(clause_match.prefix.iter().map(|prefix| prefix.beyond.clone()));
        }
        let hits = match unknown {
            Some(plan) => self.within_rest(plan),
            None => self.rest.clone(),
        };
        self.without(hits, SetExpr::union(beyond))
    }

    /// The words of `q` at their places, with the readings of corrected ones.
    fn words_with_readings(&self) -> Phrase {
        let mut all = Phrase::default();
        for clause_match in self.clauses() {
            all.append(clause_match.phrase_with_readings());
        }
        all
    }

    /// Documents that may hold a clause in an alias and in no other field: all hits that do are
    /// among them.
    pub(crate) fn in_alias(&self) -> SetExpr<'s> {
        if self.session.snapshot().metadata().filled.aliases == 0 {
            return SetExpr::EMPTY;
        }
        let words = |clause_match: &ClauseMatch<'s>| {
            let own = clause_match.phrase_with_readings().words;
            let joined = clause_match.clause.term.joined().cloned();
            let words = own.into_iter().map(|(_, word)| word).chain(joined);
            let longer = clause_match.prefix.iter().map(|prefix| prefix.aliases.clone());
            let words: Vec<SetExpr<'s>> =
                words.map(|word| self.session.word_in_alias(&word)).chain(longer).collect();
            SetExpr::union(words)
        };
        SetExpr::union(self.clauses().iter().map(words))
    }

    /// What of `plan`, whose documents hold the phrase outside their name, holds it outside their
    /// aliases as well.
    fn outside_aliases(&self, plan: SetExpr<'s>, phrase: &Phrase) -> SetExpr<'s> {
        let words = phrase.words.iter().map(|(_, word)| self.session.word_in_alias(word));
        let in_alias = SetExpr::intersection(words);
        if in_alias.is_nothing() {
            return plan;
        }
        let unclear = self.within_rest(SetExpr::intersection([plan.clone(), in_alias.clone()]));
        let verified = self.session.check_at(unclear, phrase, Place::Within(OTHER_FIELDS));
        let verified = SetExpr::materialised(verified.doc_set());
        SetExpr::union([SetExpr::difference(plan, in_alias), verified])
    }

    pub(crate) fn phrase_elsewhere(&self) -> SetExpr<'s> {
        let phrase = self.words_with_readings();
        match phrase.words.as_slice() {
            [] => SetExpr::EMPTY,
            // What is left holds the word, and not in its name.
            [(_, word)] => {
                let only = || {
                    self.session.lists(word, |lists| [lists.aliases(AliasList::Only), None, None])
                };
                // Whose alias it is, is not left either, unless `q` is a host.
                match word.only_form().is_some() && self.host.is_none() {
                    true => SetExpr::difference(self.session.word(word), only()),
                    false => self.outside_aliases(self.session.word(word), &phrase),
                }
            }
            // In which the words stand next to each other in the name has them all in the name, and
            // is not left.
            [_, _] => match self.session.stored_neighbours(&phrase).pop() {
                Some(plan) => self.outside_aliases(plan, &phrase),
                None => self.session.phrase_in(&phrase, OTHER_FIELDS),
            },
            _ => self.session.phrase_in(&phrase, OTHER_FIELDS),
        }
    }

    /// Documents of the rest whose host holds the words of `q` as a phrase, words that may be
    /// prefixes as such.
    pub(crate) fn phrase_in_host_by_prefix(&self) -> SetExpr<'s> {
        if self.rest.is_nothing() {
            return SetExpr::EMPTY;
        }
        if let [ClauseMatch { prefix, readings, .. }] = self.clauses()
            && readings.is_empty()
        {
            // Whoever holds the word, or a longer one in the name, is in a better group already.
            // Mostly that is all of them.
            let Some(prefix) = prefix else { return SetExpr::EMPTY };
            let in_alias = self.in_alias();
            let beyond = SetExpr::difference(prefix.beyond.clone(), in_alias.clone());
            let clear = SetExpr::intersection([self.rest.clone(), beyond]);
            if in_alias.is_nothing() {
                return clear;
            }
            let unclear = SetExpr::materialised(self.within_rest(in_alias).doc_set());
            return SetExpr::union([clear, self.phrase_in_host_among(unclear)]);
        }
        self.phrase_in_host_among(self.rest.clone())
    }

    /// Documents of `rest` whose host holds the words of `q` as a phrase, words that may be
    /// prefixes as such.
    fn phrase_in_host_among(&self, rest: SetExpr<'s>) -> SetExpr<'s> {
        let in_host =
            |word: &QueryWord| self.session.lists(word, |lists| [lists.host(), None, None]);
        let mut phrase = Phrase::default();
        let mut prefixes: Vec<(usize, &QueryWord)> = Vec::new();
        let mut candidates = Vec::new();
        for clause_match in self.clauses() {
            let own = clause_match.phrase_with_readings();
            match (&clause_match.prefix, &clause_match.clause.term) {
                // Hits hold the word or what it begins; where, is seen below.
                (Some(_), Term::Word(word)) => prefixes.push((phrase.words.len(), word)),
                _ => candidates.extend(own.words.iter().map(|(_, word)| in_host(word))),
            }
            phrase.append(own);
        }
        if prefixes.is_empty() {
            return SetExpr::EMPTY;
        }
        // What begins with a prefix is looked up only if anything is left that might match.
        let mut candidates = match candidates.as_slice() {
            [] => rest,
            _ => self.within(SetExpr::intersection(candidates), &rest),
        };
        if candidates.cardinality_max() <= self.session.tuning().kept_max.min(SELECTED_MAX) {
            candidates = SetExpr::materialised(candidates.doc_set());
        }
        if candidates.is_nothing() {
            return candidates;
        }
        let place = Place::Within(&[TextField::Host]);
        let mut matcher = self.session.matcher(&phrase, place.fields());
        let hosts = (candidates.cardinality_max() <= HOSTS_CHECKED)
            .then(|| self.codes_in_hosts(&candidates));
        for (number, word) in prefixes {
            if let Some(hosts) = &hosts {
                // A word begins a thousand, of which a few stand in these hosts.
                let begun = begun_codes(self.session, word);
                let begun = begun.filter(|code| hosts.binary_search(code).is_ok());
                matcher.add_codes(number, &begun.collect::<Vec<_>>());
                continue;
            }
            let begun = BegunWords::of(self.session, word);
            matcher.add_codes(number, &begun.host_codes);
            let whole = in_host(&phrase.words[number].1);
            candidates = self
                .within(SetExpr::union([SetExpr::materialised(begun.hosts), whole]), &candidates);
        }
        // What a prefix begins is not among the followers.
        let check = PhraseVerifier::new(self.session.snapshot(), matcher, place, Vec::new());
        self.held(SetExpr::filtered(candidates, check))
    }

    /// The codes of all words in the hosts of `hits`, sorted.
    fn codes_in_hosts(&self, hits: &SetExpr<'s>) -> Vec<u32> {
        let mut codes = Vec::new();
        hits.for_each(|doc| {
            let tokens = self.session.snapshot().doc_tokens(doc);
            codes.extend(tokens.field(TextField::Host as usize).filter_map(|token| token.code()));
        });
        codes.sort_unstable();
        codes
    }
}
