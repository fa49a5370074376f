//! What `q` means to one snapshot: prefixes, neighbours written as one word, corrections,
//! relaxation.
//!
//! In: a [`TextQuery`]. Out: an [`Interpretation`]: for each clause all the ways in which it
//! matches, and whether all clauses must match or any. Filters and exclusions never change it.
//! Contract, section 3.

pub mod corrections;
mod neighbours;
pub mod place_words;
pub mod prefix;

use super::interpret::prefix::PrefixMatches;
use super::request::Query;
use super::session::Session;
use super::sets::set_expr::{List, SetExpr};
use super::text::{Clause, Phrase, QueryWord, Term, TextQuery};
use crate::analyzer::TextField;
use crate::ids::{DocId, TermOrd};
use crate::snapshot::answers::phrases::StoredPhrase;
use corrections::Readings;
use place_words::Names;
use std::borrow::Cow;

/// Most words of one `q` that are corrected, in each of the two steps.
const CORRECTED_MAX: usize = 2;

/// A plain word that this many businesses hold, or fewer, may be misspelt after all.
const RARE_MAX: usize = 10;

/// One clause and all the ways in which it matches.
#[derive(Clone, Debug)]
pub struct ClauseMatch<'s> {
    /// The clause as it stands in `q`.
    pub clause: Clause,
    /// Its joined forms with the words before and with those behind, if names, aliases or hosts
    /// hold them.
    pub neighbours: [Option<QueryWord>; 2],
    /// What it may have meant.
    pub readings: Readings,
    /// What it begins, if it may be a prefix.
    pub prefix: Option<PrefixMatches<'s>>,
}

/// What a `q` means.
#[derive(Clone, Debug)]
pub struct Interpretation<'s> {
    /// The business whose id `q` is; then nothing else counts.
    pub whole_id: Option<DocId>,
    /// The clauses that must match, or, if relaxed, of which any must.
    pub clauses: Vec<ClauseMatch<'s>>,
    /// Must only some clause match, beside the quoted ones?
    pub is_relaxed: bool,
    /// The names of places in a relaxed `q`, as they are written.
    pub place_names: Vec<String>,
}

impl<'s> Interpretation<'s> {
    /// Understands `text` over the session's snapshot.
    pub fn new(session: &Session<'s>, text: &TextQuery) -> Interpretation<'s> {
        let mut interpretation = Interpretation::as_written(session, text);
        interpretation.correct_unknown(session);
        interpretation
    }

    /// Understands `text`, all words of which must match: with rare words corrected, if nothing
    /// matches otherwise.
    pub fn of_all_words(session: &Session<'s>, text: &TextQuery) -> Interpretation<'s> {
        let mut interpretation = Interpretation::new(session, text);
        if interpretation.plan(session).is_empty() {
            interpretation.correct_rare(session);
        }
        interpretation
    }

    /// Understands `text` without corrections.
    fn as_written(session: &Session<'s>, text: &TextQuery) -> Interpretation<'s> {
        let whole_id = session.whole_id(text);
        let mut interpretation = Interpretation {
            whole_id,
            clauses: Vec::new(),
            is_relaxed: false,
            place_names: Vec::new(),
        };
        if whole_id.is_some() || text.is_blank() {
            return interpretation;
        }
        let neighbours = neighbours::of(session, text);
        let clauses = text.required().iter().zip(neighbours);
        interpretation.clauses = clauses
            .map(|(clause, neighbours)| ClauseMatch {
                clause: clause.clone(),
                neighbours,
                readings: Readings::default(),
                prefix: PrefixMatches::of_clause(session, clause),
            })
            .collect();
        interpretation
    }

    /// The text without the article in front, if nothing matches with it and something without it,
    /// filters and exclusions aside.
    fn without_article(session: &Session<'s>, text: &TextQuery) -> Option<TextQuery> {
        let rest = text.without_article()?;
        let is_matched =
            |text: &TextQuery| !Interpretation::as_written(session, text).plan(session).is_empty();
        (!is_matched(text) && is_matched(&rest)).then_some(rest)
    }

    /// Reads the first words that match nothing as what they may have meant.
    fn correct_unknown(&mut self, session: &Session<'s>) {
        let unknown = self
            .clauses
            .iter_mut()
            .filter(|clause_match| {
                corrections::correctable(&clause_match.clause).is_some()
                    && clause_match.matches_nothing(session)
            })
            .take(CORRECTED_MAX);
        for clause_match in unknown {
            if let Some(word) = corrections::correctable(&clause_match.clause) {
                clause_match.readings = corrections::readings(session, word);
            }
        }
    }

    /// To be called if no business matches all clauses of a query, filters and exclusions aside:
    /// reads rare words as what they may have meant, then words as naming a place, then lets any
    /// clause do. Where it is the place that helps, the query that asks for it is returned, to be
    /// understood in place of this one.
    pub fn settle(&mut self, session: &Session<'s>, query: &Query) -> Option<Query> {
        if self.correct_rare(session) && !self.plan(session).is_empty() {
            return None;
        }
        let names = Names::of(session, &query.text);
        let at_place = names.at_place(session, query);
        if at_place.is_none() {
            self.is_relaxed = true;
            self.is_relaxed = !self.plan(session).is_empty();
            self.place_names = names.longest();
        }
        at_place
    }

    /// Reads rare words as what they may have meant; returns whether any has such a reading.
    fn correct_rare(&mut self, session: &Session<'s>) -> bool {
        let mut has_readings = false;
        // One more than are few need not be counted.
        let holders =
            |word: &QueryWord| session.word(word).walk_from(DocId(0)).take(RARE_MAX + 1).count();
        let rare = self
            .clauses
            .iter_mut()
            .filter_map(|clause_match| {
                let word = corrections::correctable(&clause_match.clause)?.clone();
                (1..=RARE_MAX).contains(&holders(&word)).then_some((clause_match, word))
            })
            .take(CORRECTED_MAX);
        for (clause_match, word) in rare {
            clause_match.readings = corrections::readings(session, &word);
            has_readings |= !clause_match.readings.is_empty();
        }
        has_readings
    }

    /// `text` with each corrected word replaced by its first reading, but for words that stand in
    /// the answer as they are written, filters and exclusions aside: in some document that matches,
    /// or, if the answer is relaxed, anywhere.
    pub fn corrected(&self, session: &Session<'s>, text: &TextQuery) -> Option<String> {
        let replacements = self.clauses.iter().filter_map(|clause_match| {
            let first = clause_match.readings.first()?;
            let written = session.term(&clause_match.clause.term);
            let is_held = !written.is_nothing()
                && match self.is_relaxed {
                    true => !written.is_empty(),
                    false => !SetExpr::intersection([self.plan(session), written]).is_empty(),
                };
            (!is_held).then(|| (clause_match.clause.span.clone(), first))
        });
        text.replace(&replacements.collect::<Vec<_>>())
    }

    /// The businesses that match, filters and exclusions aside.
    pub fn plan(&self, session: &Session<'s>) -> SetExpr<'s> {
        if let Some(doc) = self.whole_id {
            return SetExpr::Range(doc.0..doc.0 + 1);
        }
        if !self.is_relaxed {
            let all = SetExpr::Range(0..session.snapshot().num_docs());
            let clauses = self.clauses.iter().map(|clause_match| clause_match.anywhere(session));
            return SetExpr::intersection(clauses.chain(self.clauses.is_empty().then_some(all)));
        }
        let (quoted, free): (Vec<&ClauseMatch<'s>>, Vec<&ClauseMatch<'s>>) =
            self.clauses.iter().partition(|clause_match| clause_match.clause.is_quoted);
        let counted = free.iter().filter(|clause_match| !clause_match.clause.is_legal_form);
        let any = SetExpr::union(counted.map(|clause_match| clause_match.anywhere(session)));
        SetExpr::intersection(
            quoted.iter().map(|clause_match| clause_match.anywhere(session)).chain([any]),
        )
    }

    /// What is stored of `q` as a phrase, if it is two words, without readings, joined forms and
    /// legal forms: then the text score of a document is the sum of their impacts.
    pub fn stored_phrase(
        &self,
        session: &Session<'s>,
        text: &TextQuery,
    ) -> Option<StoredPhrase<'s>> {
        let is_plain = |clause_match: &ClauseMatch<'s>| {
            matches!(clause_match.clause.term, Term::Word(_) | Term::Phrase(_))
                && clause_match.is_only_as_written()
        };
        let words = text.ranking_words().words;
        let is_it = words.len() == 2
            && self.clauses.iter().all(is_plain)
            && text.trailing_forms().is_empty();
        if is_it { session.stored_phrase(&words) } else { None }
    }
}

impl<'s> ClauseMatch<'s> {
    fn matches_nothing(&self, session: &Session<'s>) -> bool {
        if let Term::Word(word) = &self.clause.term
            && session.ords(word).next().is_some()
        {
            return false;
        }
        let plan = self.anywhere(session);
        plan.is_nothing() || plan.has_predicate() && plan.is_empty()
    }

    /// Businesses that the clause matches in any field, in any way.
    pub fn anywhere(&self, session: &Session<'s>) -> SetExpr<'s> {
        let own = session.term(&self.clause.term);
        let own = match &self.prefix {
            // The union is known to be disjoint where the word has a list: what it matches
            // otherwise is checked.
            Some(prefix)
                if matches!(own, SetExpr::List(List { key: Some(_), .. }) | SetExpr::Range(_)) =>
            {
                SetExpr::disjoint_union([own, prefix.beyond.clone()])
            }
            Some(prefix) => SetExpr::union([own, prefix.beyond.clone()]),
            None => own,
        };
        let neighbours = self.neighbours.iter().flatten().map(|word| session.word_joined(word));
        let words = self.readings.words.iter().map(|word| session.word(word));
        let split = self.readings.split.iter().map(|phrase| session.phrase(phrase));
        SetExpr::union(std::iter::once(own).chain(neighbours).chain(words).chain(split))
    }

    /// Businesses whose name holds the clause as it was asked for: all of it, or written as one
    /// with a neighbour.
    pub fn in_name_as_written(&self, session: &Session<'s>) -> SetExpr<'s> {
        let own = session.term_in_name(&self.clause.term);
        let neighbours = self.neighbours.iter().flatten().map(|word| session.word_in_name(word));
        SetExpr::union(std::iter::once(own).chain(neighbours))
    }

    /// Is it held only as it is written: with no reading, and not joined with a neighbour?
    pub fn is_only_as_written(&self) -> bool {
        self.readings.is_empty() && self.neighbours.iter().all(Option::is_none)
    }

    /// The only term that tells who holds the clause as a whole word, if it is one plain word,
    /// quoted or not.
    pub fn only_term(&self, session: &Session<'s>) -> Option<TermOrd> {
        let Term::Word(word) = &self.clause.term else { return None };
        if self.is_only_as_written() { session.only_term(word) } else { None }
    }

    /// Businesses whose name holds the clause, all of it and not only as a prefix.
    pub fn in_name_whole(&self, session: &Session<'s>) -> SetExpr<'s> {
        let own = session.term_in_name(&self.clause.term);
        SetExpr::union(std::iter::once(own).chain(self.otherwise_in_name(session)))
    }

    /// Businesses whose name holds the clause, all of it or as a prefix.
    pub fn in_name(&self, session: &Session<'s>) -> SetExpr<'s> {
        SetExpr::union([self.in_name_whole(session), self.in_name_as_prefix()])
    }

    /// Businesses whose name holds some word of the clause, not only as a prefix.
    pub fn in_name_partly(&self, session: &Session<'s>) -> SetExpr<'s> {
        let own = session.term_partly_in_name(&self.clause.term);
        SetExpr::union(std::iter::once(own).chain(self.otherwise_in_name(session)))
    }

    /// Businesses whose name holds a longer word that the clause begins, and not the clause as a
    /// whole word.
    pub fn in_name_as_prefix(&self) -> SetExpr<'s> {
        self.prefix.as_ref().map_or(SetExpr::EMPTY, |prefix| prefix.names.clone())
    }

    fn otherwise_in_name(&self, session: &Session<'s>) -> impl Iterator<Item = SetExpr<'s>> {
        let neighbours = self.neighbours.iter().flatten();
        let words = neighbours.chain(&self.readings.words).map(|word| session.word_in_name(word));
        let split = self.readings.split.iter().map(|phrase| session.phrase_in_names(phrase));
        words.chain(split).collect::<Vec<_>>().into_iter()
    }

    /// The words of the clause at their places, each with its readings as further forms.
    pub fn phrase_with_readings(&self) -> Phrase {
        let mut phrase = self.clause.term.phrase();
        if let [(_, word)] = phrase.words.as_mut_slice()
            && !self.readings.words.is_empty()
        {
            word.extend(self.readings.words.iter().flat_map(|word| word.forms.iter().cloned()));
        }
        phrase
    }
}

/// What a query asks for in a snapshot: without the article in front of `q` where nothing matches
/// with it.
pub fn asked<'q>(session: &Session<'_>, query: &'q Query) -> Cow<'q, Query> {
    match Interpretation::without_article(session, &query.text) {
        Some(text) => Cow::Owned(Query { text, ..query.clone() }),
        None => Cow::Borrowed(query),
    }
}

/// The fields that "another field" than the name means. A phrase in an alias is not worth as much:
/// an alias counts whole.
pub const OTHER_FIELDS: &[TextField] =
    &[TextField::Host, TextField::Industry, TextField::Description];
