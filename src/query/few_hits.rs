//! Pages by relevance of few hits: the words of each are read, which tell its group.
//!
//! Groups are set operations on postings ([`rank`](super::rank)), a dozen of them, and each costs a microsecond or two
//! however few hits there are. The words of a hit lie in one place; of a handful they are read sooner, and whatever tells
//! groups apart is in them, but for what a word begins in names, which is asked of a list.

use super::Query;
use super::check::Place;
use super::cursor::Position;
use super::hit_set::HitSet;
use super::nearest::{GROUP_SHIFT, Nearest, Stretch};
use super::phrase::{NameMatch, PhraseMatcher};
use super::plan::Plan;
use super::planner::Planner;
use super::prefix::begun_codes;
use super::rank::{Kind, Tier, group_key};
use super::score::Scorer;
use super::shortcut::Shortcut;
use super::text::{Phrase, QueryWord, Term};
use super::understand::{OTHER_FIELDS, Understanding, Understood};
use crate::analyzer::TextField;
use crate::ids::DocId;
use crate::snapshot::doc_tokens::{DocTokens, Token};
use std::cell::LazyCell;

const NAME: &[TextField] = &[TextField::Name];
const HOST: &[TextField] = &[TextField::Host];

/// The nearest of the hits by relevance, if these are few and ready, and if their words tell their groups.
pub fn nearest<'s>(
    planner: &Planner<'s>,
    query: &Query,
    understanding: &Understanding<'s>,
    hits: &Plan<'s>,
    stretch: Stretch,
) -> Option<Vec<Position>> {
    let is_ready = matches!(hits, Plan::Ready(_) | Plan::List(_));
    if !is_ready || hits.cardinality_max() > planner.tuning().read_max {
        return None;
    }
    let groups = Groups::new(planner, understanding, query.text.ranking_words())?;
    planner.took(Shortcut::WordsRead);
    let mut grouped = groups.keys(hits.walk_from(DocId(0)).collect());
    grouped.sort_unstable();
    // On an only page nobody asks for the score of a business that is alone in its group.
    let scores_all = stretch.start.is_some() || grouped.len() > stretch.wanted;
    let scorer = LazyCell::new(|| Scorer::new(planner, understanding, &query.text));
    let mut nearest = Nearest::new(stretch);
    for group in grouped.chunk_by(|one, other| one.0 == other.0) {
        let is_scored = scores_all || group.len() > 1;
        for &(key, doc) in group {
            let score = if is_scored { scorer.score(doc) } else { 0 };
            nearest.push(Position { relevance_key: key << GROUP_SHIFT | u64::from(score), doc });
        }
    }
    Some(nearest.into_sorted())
}

/// Where one of the hits stands, if its words tell.
pub fn position<'s>(
    planner: &Planner<'s>,
    query: &Query,
    understanding: &Understanding<'s>,
    doc: DocId,
) -> Option<Position> {
    let groups = Groups::new(planner, understanding, query.text.ranking_words())?;
    let (key, doc) = groups.keys(vec![doc]).pop()?;
    let score = Scorer::new(planner, understanding, &query.text).score(doc);
    Some(Position { relevance_key: key << GROUP_SHIFT | u64::from(score), doc })
}

/// Tells the groups of businesses that match all clauses, by their words.
struct Groups<'a, 's> {
    planner: &'a Planner<'s>,
    understanding: &'a Understanding<'s>,
    words: Phrase,
    clauses: ClauseCodes,
    in_name: PhraseMatcher<'s>,
}

/// Which terms in a name stand for which clauses.
#[derive(Default)]
struct ClauseCodes {
    /// The codes of terms; each with the words that it is, as bits, and the clauses that it is as a whole.
    of_terms: Vec<(u32, u64, u64)>,
    /// The words of each clause.
    words: Vec<u64>,
}

impl ClauseCodes {
    /// Those of a clause, which becomes the last. None if there are more words than bits, or if it has none.
    fn add(&mut self, planner: &Planner<'_>, understood: &Understood<'_>) -> Option<()> {
        let clause = 1u64.checked_shl(self.words.len() as u32)?;
        let first = self.words.last().map_or(0, |words| u64::BITS - words.leading_zeros());
        let mut end = first;
        let mut word = |codes: &mut ClauseCodes, word: &QueryWord| {
            let bit = 1u64.checked_shl(end)?;
            codes.push(planner, word, (bit, 0));
            end += 1;
            Some(())
        };
        match &understood.clause.term {
            Term::Word(only) => word(self, only)?,
            Term::Phrase(phrase) => {
                phrase.words.iter().try_for_each(|(_, each)| word(self, each))?;
            }
            Term::Compound { joined, parts } => {
                parts.words.iter().try_for_each(|(_, each)| word(self, each))?;
                self.push(planner, joined, (0, clause));
            }
            Term::Host { .. } => return None,
        }
        for joined in understood.neighbours.iter().flatten() {
            self.push(planner, joined, (0, clause));
        }
        let words = (first..end).fold(0, |bits, at| bits | 1 << at);
        self.words.push(words);
        (words != 0).then_some(())
    }

    fn push(&mut self, planner: &Planner<'_>, word: &QueryWord, (words, clauses): (u64, u64)) {
        let terms = planner.snapshot().terms();
        self.of_terms.extend(planner.ords(word).map(|ord| (terms.code(ord), words, clauses)));
    }

    /// The words and the clauses that the terms of a name are.
    fn held_in(&self, name: impl Iterator<Item = Token>) -> (u64, u64) {
        let codes = name.filter_map(|token| token.code());
        let of_code = |code| self.of_terms.iter().filter(move |it| it.0 == code);
        codes.flat_map(of_code).fold((0, 0), |held, it| (held.0 | it.1, held.1 | it.2))
    }
}

impl<'a, 's> Groups<'a, 's> {
    /// None if lists, or what `q` may have meant, tell more than the words.
    fn new(
        planner: &'a Planner<'s>,
        understanding: &'a Understanding<'s>,
        words: Phrase,
    ) -> Option<Groups<'a, 's>> {
        // Of one word, who holds it where is listed.
        if understanding.is_relaxed || words.words.len() < 2 {
            return None;
        }
        let mut clauses = ClauseCodes::default();
        for understood in &understanding.clauses {
            if !understood.readings.is_empty() {
                return None;
            }
            clauses.add(planner, understood)?;
        }
        let in_name = planner.matcher(&words, NAME);
        Some(Groups { planner, understanding, words, clauses, in_name })
    }

    /// The [key](group_key) of the group of each of some businesses.
    fn keys(&self, docs: Vec<DocId>) -> Vec<(u64, DocId)> {
        let snapshot = self.planner.snapshot();
        snapshot.touch_names(docs.iter().copied());
        let mut keys = Vec::with_capacity(docs.len());
        let mut others = Vec::new();
        for doc in docs {
            let (tier, kind) = self.by_name(doc, &snapshot.doc_tokens(doc));
            if tier <= Tier::NameHasAll {
                keys.push((group_key(tier, kind), doc));
            } else {
                others.push((doc, tier, kind));
            }
        }
        if others.is_empty() {
            return keys;
        }
        let hits = HitSet::of_sorted(others.iter().map(|(doc, ..)| doc.0));
        let phrase = self.phrase_elsewhere(Plan::ready(hits));
        keys.extend(others.into_iter().map(|(doc, tier, kind)| {
            let (tier, kind) = if phrase.contains(doc) {
                (Tier::PhraseElsewhere, Kind::Whole)
            } else if self.is_in_host_by_prefix(&snapshot.doc_tokens(doc)) {
                (Tier::PhraseElsewhere, Kind::Prefix)
            } else {
                (tier, kind)
            };
            (group_key(tier, kind), doc)
        }));
        keys
    }

    /// The group of a business by its name, which the words as a phrase in another field may better.
    fn by_name(&self, doc: DocId, tokens: &DocTokens<'_>) -> (Tier, Kind) {
        match self.in_name.begins_name(tokens) {
            Some(NameMatch::Whole) => return (Tier::NameIs, Kind::Whole),
            Some(NameMatch::Start) => return (Tier::NameStarts, Kind::Whole),
            None => {}
        }
        let (words, clauses) = self.clauses.held_in(tokens.field(TextField::Name as usize));
        let is_whole = |at: usize| clauses >> at & 1 == 1 || self.clauses.words[at] & !words == 0;
        let is_partly = |at: usize| clauses >> at & 1 == 1 || self.clauses.words[at] & words != 0;
        let by_prefix = |at: usize| {
            let prefix = self.understanding.clauses[at].prefix.as_ref();
            !is_whole(at) && prefix.is_some_and(|prefix| prefix.names.contains(doc))
        };
        let mut all = 0..self.clauses.words.len();
        if all.clone().all(is_whole) {
            return (Tier::NameHasAll, Kind::Whole);
        }
        let is_any_by_prefix = all.clone().any(by_prefix);
        let kind = if is_any_by_prefix { Kind::Prefix } else { Kind::Whole };
        if is_any_by_prefix && all.clone().all(|at| is_whole(at) || by_prefix(at)) {
            return (Tier::NameHasAll, kind);
        }
        let has_some = is_any_by_prefix || all.any(is_partly);
        (if has_some { Tier::NameHasSome } else { Tier::Elsewhere }, kind)
    }

    /// Those of `hits`, whose name does not hold all words, that hold them as a phrase in another field.
    fn phrase_elsewhere(&self, hits: Plan<'s>) -> Plan<'s> {
        let stored = match self.words.words.as_slice() {
            [_, _] => self.planner.stored_neighbours(&self.words).pop(),
            _ => None,
        };
        stored.unwrap_or_else(|| {
            let checked = self.planner.check_at(hits, &self.words, Place::Within(OTHER_FIELDS));
            Plan::ready(checked.hit_set())
        })
    }

    /// Do the words stand in the host as a phrase, those that may be prefixes as such?
    fn is_in_host_by_prefix(&self, tokens: &DocTokens<'_>) -> bool {
        let host = || tokens.field(TextField::Host as usize);
        let num_words = host().filter(|token| matches!(token, Token::Word(_))).count();
        let has_prefix = self.understanding.clauses.iter().any(|it| it.prefix.is_some());
        // Most hosts are one word.
        if !has_prefix || num_words < self.words.words.len() {
            return false;
        }
        let mut codes: Vec<u32> = host().filter_map(|token| token.code()).collect();
        codes.sort_unstable();
        let mut matcher = self.planner.matcher(&self.words, HOST);
        let mut number = 0;
        for understood in &self.understanding.clauses {
            match (&understood.prefix, &understood.clause.term) {
                (Some(_), Term::Word(word)) => {
                    let begun = begun_codes(self.planner, word);
                    let begun = begun.filter(|code| codes.binary_search(code).is_ok());
                    matcher.add_codes(number, &begun.collect::<Vec<_>>());
                    number += 1;
                }
                (_, term) => {
                    let mut words = Phrase::default();
                    words.extend(term);
                    number += words.words.len();
                }
            }
        }
        matcher.matches(tokens, HOST)
    }
}
