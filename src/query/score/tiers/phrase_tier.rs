//! The tier of those who hold `q` as a phrase in another field than the name.
//!
//! Of two words and more, postings tell candidates only; whose words stand next to each other is seen by looking at them,
//! which [`relevance`](crate::query::strategy::relevance) does in the order of scores, until a page is full.

use super::TierPartition;
use crate::analyzer::TextField;
use crate::query::interpret::prefix::{BegunWords, begun_codes};
use crate::query::interpret::{OTHER_FIELDS, Understood};
use crate::query::phrase::verifier::{Check, Place};
use crate::query::sets::evaluate::SELECTED_MAX;
use crate::query::sets::predicate::Predicate;
use crate::query::sets::set_expr::Plan;
use crate::query::text::{Phrase, QueryWord, Term};
use std::rc::Rc;

/// Up to so many hosts are looked at, before the businesses with what a word begins in their host are gathered.
const HOSTS_CHECKED: u64 = 1024;

/// Businesses that hold all words of a phrase outside their name, maybe next to each other.
#[derive(Debug)]
pub struct PhraseCandidates<'s> {
    /// Who they are.
    pub hits: Plan<'s>,
    /// Tells who is one.
    pub check: Rc<dyn Predicate + 's>,
}

impl<'s> PhraseCandidates<'s> {
    /// Those in which it stands.
    pub fn members(&self) -> Plan<'s> {
        if self.hits.is_nothing() {
            return Plan::NOTHING;
        }
        let (candidates, check) = (Box::new(self.hits.clone()), self.check.clone());
        Plan::Check { candidates, check, len: None }
    }
}

impl<'s> TierPartition<'_, 's> {
    /// Those of the rest that are among `candidates`, which are on the list of every word.
    pub(crate) fn holding_words(&self, candidates: Plan<'s>) -> Plan<'s> {
        if !matches!(self.rest, Plan::Ready(_)) || self.understanding.is_relaxed {
            return self.within_rest(candidates);
        }
        // Held hits hold every word, or what it begins. The lists of words are long and need not be asked again; who
        // holds only what a word begins is on none of them.
        let (mut unknown, mut beyond) = (Some(candidates), Vec::new());
        for understood in self.clauses() {
            let Some(list) = self.only_list(understood) else { continue };
            unknown = unknown.and_then(|plan| plan.given(&list));
            beyond.extend(understood.prefix.iter().map(|prefix| prefix.beyond.clone()));
        }
        let hits = match unknown {
            Some(plan) => self.within_rest(plan),
            None => self.rest.clone(),
        };
        self.without(hits, Plan::union(beyond))
    }

    /// The words of `q` at their places, with the readings of corrected ones.
    fn words_with_readings(&self) -> Phrase {
        let mut all = Phrase::default();
        for understood in self.clauses() {
            all.append(understood.phrase_with_readings());
        }
        all
    }

    pub(crate) fn phrase_elsewhere(&self) -> Plan<'s> {
        let phrase = self.words_with_readings();
        match phrase.words.as_slice() {
            [] => Plan::NOTHING,
            // What is left holds the word, and not in its name.
            [(_, word)] => self.planner.word(word),
            // In which the words stand next to each other in the name has them all in the name, and is not left.
            [_, _] => match self.planner.stored_neighbours(&phrase).pop() {
                Some(plan) => plan,
                None => self.planner.phrase_in(&phrase, OTHER_FIELDS),
            },
            _ => self.planner.phrase_in(&phrase, OTHER_FIELDS),
        }
    }

    /// Those of the rest whose host holds the words of `q` as a phrase, words that may be prefixes as such.
    pub(crate) fn phrase_in_host_by_prefix(&self) -> Plan<'s> {
        if self.rest.is_nothing() {
            return Plan::NOTHING;
        }
        if let [Understood { prefix, readings, .. }] = self.clauses()
            && readings.is_empty()
        {
            // Whoever holds the word, or a longer one in the name, is in a better group already. Mostly that is all of them.
            return prefix.as_ref().map_or(Plan::NOTHING, |prefix| {
                Plan::intersection([self.rest.clone(), prefix.beyond.clone()])
            });
        }
        let in_host =
            |word: &QueryWord| self.planner.lists(word, |lists| [lists.host(), None, None]);
        let mut phrase = Phrase::default();
        let mut prefixes: Vec<(usize, &QueryWord)> = Vec::new();
        let mut candidates = Vec::new();
        for understood in self.clauses() {
            let own = understood.phrase_with_readings();
            match (&understood.prefix, &understood.clause.term) {
                // Hits hold the word or what it begins; where, is seen below.
                (Some(_), Term::Word(word)) => prefixes.push((phrase.words.len(), word)),
                _ => candidates.extend(own.words.iter().map(|(_, word)| in_host(word))),
            }
            phrase.append(own);
        }
        if prefixes.is_empty() {
            return Plan::NOTHING;
        }
        // What begins with a prefix is looked up only if anything is left that might match.
        let mut candidates = match candidates.as_slice() {
            [] => self.rest.clone(),
            _ => self.within_rest(Plan::intersection(candidates)),
        };
        if candidates.cardinality_max() <= self.planner.tuning().kept_max.min(SELECTED_MAX) {
            candidates = Plan::ready(candidates.hit_set());
        }
        if candidates.is_nothing() {
            return candidates;
        }
        let place = Place::Within(&[TextField::Host]);
        let mut matcher = self.planner.matcher(&phrase, place.fields());
        let hosts = (candidates.cardinality_max() <= HOSTS_CHECKED)
            .then(|| self.codes_in_hosts(&candidates));
        for (number, word) in prefixes {
            if let Some(hosts) = &hosts {
                // A word begins a thousand, of which a few stand in these hosts.
                let begun = begun_codes(self.planner, word);
                let begun = begun.filter(|code| hosts.binary_search(code).is_ok());
                matcher.add_codes(number, &begun.collect::<Vec<_>>());
                continue;
            }
            let begun = BegunWords::of(self.planner, word);
            matcher.add_codes(number, &begun.host_codes);
            let whole = in_host(&phrase.words[number].1);
            candidates = self.within(Plan::union([Plan::ready(begun.hosts), whole]), &candidates);
        }
        // What a prefix begins is not among the followers.
        let check = Check::new(self.planner.snapshot(), matcher, place, Vec::new());
        self.held(Plan::check(candidates, check))
    }

    /// The codes of all words in the hosts of `hits`, sorted.
    fn codes_in_hosts(&self, hits: &Plan<'s>) -> Vec<u32> {
        let mut codes = Vec::new();
        hits.for_each(|doc| {
            let tokens = self.planner.snapshot().doc_tokens(doc);
            codes.extend(tokens.field(TextField::Host as usize).filter_map(|token| token.code()));
        });
        codes.sort_unstable();
        codes
    }
}
