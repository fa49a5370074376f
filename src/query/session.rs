//! The context of one query: the snapshot, its looked-up terms and filters, and the set expressions
//! that words, phrases and filters of the query come to.
//!
//! | set | from | cost |
//! |---|---|---|
//! | a word | its postings; the words that share a form with it, verified, if it stands nowhere itself | a look-up |
//! | names that hold a word | three lists, by how the name holds it | the same |
//! | a phrase of two frequent words | a stored list or count ([`phrases`](crate::snapshot::answers::phrases)) | a binary search |
//! | any other phrase | documents with all words, after the pre-filter by [next words](crate::snapshot::terms::next_word), verified | a byte a candidate, then some 0.2 µs |
//! | bounds on employees | a range, since `DocId` order is the order by employees | two binary searches |
//! | a website on a host that many share | the documents on the host, of which the websites are read ([`shared_hosts`]) | some 0.5 µs a document |
//! | bounds on years | a stretch of the order by year, held if it is short; else the column is asked ([`founded`]) | two binary searches, then a look at the column a candidate |
//!
//! Totals are in [`count`], positions within one industry in [`within_industry`], what a request
//! may cost in [`cost`]. What each way
//! gains, and what was tried and dropped, is in `docs/measurements.md`.

pub mod cost;
pub mod count;
pub mod filters;
pub mod founded;
pub mod shared_hosts;
pub mod term_cache;
pub mod ways;
pub mod within_industry;

use super::phrase::matcher::{PhraseMatcher, related_terms};
use super::phrase::verifier::{PhraseVerifier, Place};
use super::request::{Query, Valued};
use super::session::term_cache::TermCache;
use super::session::ways::{Tuning, Way, Ways};
use super::sets::set_expr::{List, SetExpr};
use super::text::{Phrase, QueryWord, Term, TextQuery};
use crate::analyzer::TextField;
use crate::ids::{DocId, TermOrd};
use crate::snapshot::Snapshot;
use crate::snapshot::answers::frequent_keys::DenseKey;
use crate::snapshot::answers::phrases::StoredPhrase;
use crate::snapshot::encoding::postings::Postings;
use crate::snapshot::terms::BegunTerms;
use crate::snapshot::terms::block::{AliasList, TermLists};
use crate::snapshot::terms::next_word::{NextWordCursor, follower_hash};
use std::cell::{Cell, OnceCell, RefCell};

/// Plans one query over one snapshot.
#[derive(Debug)]
pub struct Session<'s> {
    snapshot: &'s Snapshot,
    terms: RefCell<TermCache>,
    /// The plan of each filter of the query, once somebody has asked.
    filters: OnceCell<Vec<SetExpr<'s>>>,
    /// Documents that values of industry and location exclude, likewise.
    excluded_values: OnceCell<SetExpr<'s>>,
    /// Values that name nothing.
    unknown: RefCell<Vec<(Valued, String)>>,
    ways: Cell<Ways>,
    tuning: Tuning,
    /// What the request has cost so far, and the most that it may.
    cost: Cell<u64>,
    cost_max: u64,
}

impl<'s> Session<'s> {
    /// A session over `snapshot`.
    pub fn new(snapshot: &'s Snapshot) -> Session<'s> {
        Session::tuned(snapshot, Tuning::default())
    }

    /// A session that takes ways from other sizes on.
    pub fn tuned(snapshot: &'s Snapshot, tuning: Tuning) -> Session<'s> {
        let (terms, ways) = (RefCell::default(), Cell::default());
        let (filters, excluded_values) = (OnceCell::new(), OnceCell::new());
        let (unknown, cost, cost_max) = (RefCell::default(), Cell::new(0), u64::MAX);
        Session { snapshot, terms, filters, excluded_values, unknown, ways, tuning, cost, cost_max }
    }

    /// From which sizes on ways are taken.
    pub fn tuning(&self) -> Tuning {
        self.tuning
    }

    /// The snapshot that is planned over.
    pub fn snapshot(&self) -> &'s Snapshot {
        self.snapshot
    }

    /// Notes that a way was taken.
    pub fn took(&self, way: Way) {
        self.ways.set(self.ways.get().with(way));
    }

    /// The ways taken so far.
    pub fn ways(&self) -> Ways {
        self.ways.get()
    }

    /// Values of the filters planned so far that name nothing.
    pub fn unknown(&self) -> Vec<(Valued, String)> {
        self.unknown.borrow().clone()
    }

    fn note_unknown(&self, filter: Valued, value: String) {
        self.unknown.borrow_mut().push((filter, value));
    }

    /// The business whose id the text is.
    pub fn whole_id(&self, text: &TextQuery) -> Option<DocId> {
        self.snapshot.doc_by_id(text.as_str().trim())
    }

    /// The ordinal of a term.
    pub fn ord(&self, term: &str) -> Option<TermOrd> {
        self.begun_by(term).itself()
    }

    /// The terms that begin with `prefix`, and whether it is one.
    pub fn begun_by(&self, prefix: &str) -> BegunTerms {
        self.terms.borrow_mut().begun_by(self.snapshot.terms(), prefix)
    }

    /// One plan for each filter of the query that is planned.
    pub fn filters(&self, query: &Query) -> &[SetExpr<'s>] {
        self.filters.get_or_init(|| self.plan_filters(query))
    }

    /// Forgets the values of the query that is planned; the terms stay.
    pub fn forget_values(&mut self) {
        (self.filters, self.excluded_values) = (OnceCell::new(), OnceCell::new());
        self.unknown.get_mut().clear();
    }

    /// The ordinals of the forms of a word.
    pub fn ords(&self, word: &QueryWord) -> impl Iterator<Item = TermOrd> {
        word.forms.iter().filter_map(|form| self.ord(form))
    }

    /// Documents that terms which must not match exclude, or values of industry and location.
    pub fn excluded(&self, query: &Query) -> SetExpr<'s> {
        let terms = query.text.excluded().iter().map(|term| self.term(term));
        SetExpr::union(terms.chain([self.excluded_values(query)]))
    }

    /// Documents that values of industry and location exclude.
    pub fn excluded_values(&self, query: &Query) -> SetExpr<'s> {
        self.excluded_values.get_or_init(|| self.plan_excluded_values(query)).clone()
    }

    /// Businesses that a term matches.
    pub fn term(&self, term: &Term) -> SetExpr<'s> {
        match term {
            Term::Word(word) => self.word(word),
            Term::Compound { joined, parts } => {
                SetExpr::union([self.word(joined), self.phrase(parts)])
            }
            Term::Phrase(phrase) => self.phrase(phrase),
            Term::Host { name, path, labels, compound } => {
                let page = path.as_ref().and_then(|path| self.page_on_shared_host(name, path));
                if let Some(page) = page {
                    return page;
                }
                let words = SetExpr::intersection(labels.iter().map(|label| self.term(label)));
                let compound = compound.iter().map(|compound| self.term(compound));
                SetExpr::union([self.host(name), words].into_iter().chain(compound))
            }
        }
    }

    /// Businesses on a host.
    pub fn host(&self, name: &str) -> SetExpr<'s> {
        self.snapshot.on_host(name).map_or(SetExpr::EMPTY, SetExpr::list)
    }

    /// Businesses that hold a word in any field.
    pub fn word(&self, word: &QueryWord) -> SetExpr<'s> {
        SetExpr::union(word.forms.iter().map(|form| self.form(form)))
    }

    /// The term whose list is all that hold a word, if there is one.
    pub fn only_term(&self, word: &QueryWord) -> Option<TermOrd> {
        match self.word(word) {
            SetExpr::List(List { key: Some(DenseKey::Term(ord)), .. }) => Some(ord),
            _ => None,
        }
    }

    fn form(&self, form: &str) -> SetExpr<'s> {
        if let Some(ord) = self.ord(form) {
            let postings = self.snapshot.terms().lists(ord).any();
            return SetExpr::List(List { postings, key: Some(DenseKey::Term(ord)) });
        }
        // The form itself stands nowhere, but a word of industry or description may share a form
        // with it. The lists of those words hold more than that: names, and words that share a form
        // with *them*.
        let word = QueryWord::of_form(form.to_owned());
        let related = related_terms(&word);
        let lists =
            related.iter().filter_map(|term| Some(self.snapshot.terms().lists(self.ord(term)?)));
        let (told, unknown): (Vec<_>, Vec<_>) = lists.partition(|lists| lists.prose().is_some());
        let place = Place::Within(&[TextField::Industry, TextField::Description]);
        let unknown = SetExpr::union(unknown.iter().map(|lists| SetExpr::list(lists.any())));
        let verified = self.check_at(unknown, &Phrase::of_word(word), place);
        let told = told.iter().filter_map(TermLists::prose).map(SetExpr::list);
        SetExpr::union(told.chain([verified]))
    }

    /// Candidates in which the phrase stands as `place` says.
    pub fn check_at(&self, candidates: SetExpr<'s>, phrase: &Phrase, place: Place) -> SetExpr<'s> {
        self.check_by(candidates, phrase, place, true)
    }

    /// Candidates in which the phrase stands as `place` says; whether followers are
    /// asked first is said.
    fn check_by(
        &self,
        candidates: SetExpr<'s>,
        phrase: &Phrase,
        place: Place,
        asks_followers: bool,
    ) -> SetExpr<'s> {
        if candidates.is_nothing() {
            return candidates;
        }
        let matcher = self.matcher(phrase, place.fields());
        let followers = if asks_followers { self.followers(phrase) } else { Vec::new() };
        SetExpr::filtered(candidates, PhraseVerifier::new(self.snapshot, matcher, place, followers))
    }

    /// The matcher of a phrase, to be asked about `fields` only.
    pub fn matcher(&self, phrase: &Phrase, fields: &[TextField]) -> PhraseMatcher<'s> {
        PhraseMatcher::new(phrase, fields, self.snapshot.terms(), |form| self.begun_by(form))
    }

    /// What is stored of the followers of the words of a phrase.
    fn followers(&self, phrase: &Phrase) -> Vec<NextWordCursor<'s>> {
        let cursor = |pair: &[(u32, QueryWord)]| {
            let [(at, first), (next, second)] = pair else { return None };
            // A word of several forms has its followers in several lists.
            let ord = self.ord(first.only_form()?).filter(|_| at + 1 == *next)?;
            let lists = self.snapshot.terms().lists(ord);
            let followers = lists.followers()?;
            let hashes = second.forms.iter().map(|form| follower_hash(form)).collect();
            self.took(Way::NextWord);
            Some(NextWordCursor::new(lists.any(), followers, hashes))
        };
        phrase.words.windows(2).filter_map(cursor).collect()
    }

    /// Businesses with a word in their name.
    pub fn word_in_name(&self, word: &QueryWord) -> SetExpr<'s> {
        self.lists(word, |lists| [lists.name_is(), lists.name_starts(), lists.name_has()])
    }

    /// Documents with a word in an alias.
    pub fn word_in_alias(&self, word: &QueryWord) -> SetExpr<'s> {
        let all = [AliasList::Is, AliasList::Beside, AliasList::Only];
        self.lists(word, |lists| all.map(|list| lists.aliases(list)))
    }

    /// Documents that hold a word as one written together with a neighbour: in name, alias or host.
    pub fn word_joined(&self, word: &QueryWord) -> SetExpr<'s> {
        let host = self.lists(word, |lists| [lists.host(), None, None]);
        SetExpr::union([self.word_in_name(word), self.word_in_alias(word), host])
    }

    /// The union of some lists of all forms of a word.
    pub fn lists(
        &self,
        word: &QueryWord,
        choose: impl Fn(TermLists<'s>) -> [Option<Postings<'s>>; 3],
    ) -> SetExpr<'s> {
        let chosen = self.ords(word).flat_map(|ord| choose(self.snapshot.terms().lists(ord)));
        SetExpr::union(chosen.flatten().map(SetExpr::list))
    }

    /// Businesses whose name holds all words of a term, or the joined form of a compound.
    pub fn term_in_name(&self, term: &Term) -> SetExpr<'s> {
        self.combine_names(term, SetExpr::intersection)
    }

    /// Businesses whose name holds any word of a term, or the joined form of a compound.
    pub fn term_partly_in_name(&self, term: &Term) -> SetExpr<'s> {
        self.combine_names(term, SetExpr::union)
    }

    /// The names with each word of a term, combined; the joined form of a compound stands for its
    /// parts.
    fn combine_names(
        &self,
        term: &Term,
        combine: fn(Vec<SetExpr<'s>>) -> SetExpr<'s>,
    ) -> SetExpr<'s> {
        let words = |phrase: &Phrase| {
            combine(phrase.words.iter().map(|(_, word)| self.word_in_name(word)).collect())
        };
        match term {
            Term::Word(word) => self.word_in_name(word),
            Term::Compound { joined, parts } => {
                SetExpr::union([self.word_in_name(joined), words(parts)])
            }
            Term::Phrase(phrase) => words(phrase),
            Term::Host { labels, compound, .. } => {
                let labels = labels.iter().map(|label| self.combine_names(label, combine));
                let joined = compound.as_deref().and_then(Term::joined);
                let joined = joined.map(|joined| self.word_in_name(joined));
                SetExpr::union([combine(labels.collect())].into_iter().chain(joined))
            }
        }
    }

    /// Businesses in whose name the phrase of two words or more stands.
    pub fn phrase_in_names(&self, phrase: &Phrase) -> SetExpr<'s> {
        let names = phrase.words.iter().map(|(_, word)| self.word_in_name(word));
        self.check_narrowed(names.collect(), phrase, &[TextField::Name])
    }

    /// Documents in an alias of which the phrase of two words or more stands.
    pub fn phrase_in_aliases(&self, phrase: &Phrase) -> SetExpr<'s> {
        let aliases = phrase.words.iter().map(|(_, word)| self.word_in_alias(word));
        self.check_narrowed(aliases.collect(), phrase, &[TextField::Alias])
    }

    /// Businesses in which the phrase stands in one of `fields`.
    pub fn phrase_in(&self, phrase: &Phrase, fields: &'static [TextField]) -> SetExpr<'s> {
        let candidates = phrase.words.iter().map(|(_, word)| self.word(word));
        self.check_narrowed(candidates.collect(), phrase, fields)
    }

    /// Documents on all lists in which the phrase stands in one of `fields`: at most, those who
    /// hold every two of its words next to each other.
    fn check_narrowed(
        &self,
        mut lists: Vec<SetExpr<'s>>,
        phrase: &Phrase,
        fields: &'static [TextField],
    ) -> SetExpr<'s> {
        let neighbours = self.stored_neighbours(phrase);
        // Where all of these are stored, followers tell nothing that they do not.
        let are_all = neighbours.len() + 1 >= phrase.words.len();
        lists.extend(neighbours);
        self.check_by(SetExpr::intersection(lists), phrase, Place::Within(fields), !are_all)
    }

    /// The lists of every two neighbouring words of a phrase for which a list is stored: the
    /// businesses in which they stand next to each other in some field.
    pub fn stored_neighbours(&self, phrase: &Phrase) -> Vec<SetExpr<'s>> {
        let stored = |pair| self.stored_phrase(pair).as_ref().and_then(stored_list);
        phrase.words.windows(2).filter_map(stored).collect()
    }

    /// What is stored of two words of a phrase.
    pub fn stored_phrase(&self, pair: &[(u32, QueryWord)]) -> Option<StoredPhrase<'s>> {
        let [(at, first), (next, second)] = pair else { return None };
        let (first, second) = (self.ord(first.only_form()?)?, self.ord(second.only_form()?)?);
        let stored = if at + 1 == *next { self.snapshot.phrase(first, second) } else { None }?;
        self.took(Way::StoredPhrase);
        Some(stored)
    }

    /// Businesses in which the phrase stands in one field.
    pub fn phrase(&self, phrase: &Phrase) -> SetExpr<'s> {
        if let [(_, word)] = phrase.words.as_slice() {
            return self.word(word);
        }
        let stored = self.stored_phrase(&phrase.words);
        if let Some(list) = stored.as_ref().and_then(stored_list) {
            return list;
        }
        match self.phrase_in(phrase, &TextField::ALL) {
            SetExpr::Filtered { candidates, check, .. } => {
                SetExpr::Filtered { candidates, check, len: stored.map(|stored| stored.len) }
            }
            plan => plan,
        }
    }
}

/// The businesses of a phrase, if they are stored, or if it is known that there are none.
fn stored_list<'s>(stored: &StoredPhrase<'s>) -> Option<SetExpr<'s>> {
    if stored.len == 0 { Some(SetExpr::EMPTY) } else { stored.postings.map(SetExpr::list) }
}
