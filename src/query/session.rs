//! Which postings answer a query, and at what cost.
//!
//! In: the parts of a query. Out: a [`SetExpr`] over the postings of one snapshot.
//!
//! # Strategies
//!
//! Measured at ten million generated businesses, one thread, warm; N is their number, k the size of a page.
//!
//! | strategy | when | cost model | measured |
//! |---|---|---|---|
//! | the only hit | one hit, the first page: names of several words, mostly | finding it; it is not ranked | 11 µs a name, median, of which ranked it is 13 |
//! | no more than are left | any page: the total is known, and a cursor says how many stand before it | the page; nobody is looked for behind the last hit | first pages of the mix 28.4 to 27.9 µs, mean; the last page of two words with 647,534 hits 39 to 1.3 ms |
//! | range of `DocId`s | bounds on employees: `DocId` order is the order by employees | two binary searches among the counts | 60 ns |
//! | one list | an industry, a place, a word | its first k | 6 µs a request by industry, median |
//! | stored pair count | two dense keys; two places or two industries | two binary searches; the page by probing | 10 µs a city with its state, median |
//! | places that share nobody left out | a part of a location that is a place of several kinds (`Atlanta, Georgia`: a state, a country) | a binary search for each | 865 to 3 µs |
//! | positions by industry | words of 8,192 businesses and more, places and bounds on employees within one industry | the smallest part as far as it is of the industry | 20 µs industry, city, state and employees, median; what two words in an industry take then is scores and followers |
//! | candidates brought together | a check of 256 businesses at most, a union of 64 | each list once, then one look at the words of all | 17 µs a phrase, median; 20 chunk by chunk |
//! | hits scored together | hits that are held, groups of 16,384 businesses or fewer | each list once for all of them, whatever their chunks | two words in an industry 153 to 150 µs, mean; groups that were scored chunk by chunk: a word in an industry 53.5 to 50.9, two words with more than 2,048 hits 74.6 to 71.9 |
//! | selection from held hits | an intersection whose smallest part has 16,384 businesses or fewer; groups of relevance within held hits | each list once: 20 ns a chunk, 1 to 10 ns a hit | 33 µs industry, city, state and employees, median, before their positions were stored |
//! | intersection by chunks | larger ones | the smallest part, blocks of the others ([`arrays`](crate::snapshot::encoding::arrays)); 0.3 µs for each of 153 chunks | 50 to 500 µs |
//! | the same of several bitmaps | three parts and more that are bitmaps in a chunk | they stay one until the last; then bits are taken apart, four at a time, or only counted | three frequent words 1,240 to 285 µs, two in California 1,150 to 420, before the page |
//! | union of lists that share nothing | several industries; a word and what it begins | sum of the parts | as one list |
//! | union | umlaut forms, neighbours, readings | all of its lists, or a probe of each where little is left | 0.1 to 4 ms |
//! | followers of a term | phrases, names of several words | a byte for each candidate, in order; one in a hundred is left | 10 ns each |
//! | check of words | what followers leave, or the stored lists of all neighbours (then followers are not asked) | an announced read, then the bytes of one word are searched for | 0.1 to 0.3 µs each |
//! | rarest word first | the same in industry and description, until it stands in some | its bytes are searched for; plurals of the others are not looked up | phrases 13.8 to 13.2 µs, median of 10,000, with memory asked ahead for lists and probes |
//! | stored phrase count, list, best businesses | two dense words next to each other, whether all of them have a list or not | two binary searches, 24 look-ups | 50 µs two keywords, median |
//! | best of a phrase in an industry | two words, one industry, 50 businesses and more that hold them next to each other, the first page | counting the hits by positions; a binary search, 24 probes | two words in an industry 250 to 157 µs, mean; the dearest 4.2 to 0.9 ms. From 50 on instead of 100: 4,096 hits and more 234 to 136 µs |
//! | best of a word | one word that 64 businesses and more hold, the first page | a binary search, one score; the total is stored beside | 657 keywords of one word, one after the other, 15 to 4.4 µs, mean; the median of all keywords among other requests 19.5 to 9.5. For dense terms only, which those of fewer than 11,000 businesses of ten million are not, 20 |
//! | best in an industry | one word, one industry, 20 businesses and more in common, the first page | a binary search, one score; the total is stored beside | a word in an industry 5 µs, median; 6 µs, mean. From 128 on 8, and words in an industry 30 µs instead of 12, median. From 256 on, counted by positions, and with those who hold only a longer word in the name found and scored, 13 and 23; told apart by groups 28 and 44 |
//! | bounds of impacts | by relevance, groups of more than 1,024 members ([`impact_walk`](super::strategy::impact_walk)): first and later pages, both directions | the members of the first blocks are scored; then a byte for each document of a word, and those that may be on the page | 0.05 ns a byte, 10 ns each that is scored |
//! | portions of hits | relaxed answers: names before other fields, of each rare words first, until none that is left can be near | the name of each hit that may be near, 32 announced together; of those who hold words elsewhere the text score, or the levels of the only word | 0.36 µs a name. 4,000 requests of one to three words and one unknown: 11.1 to 2.2 ms, mean, the dearest 1,818 to 127 |
//! | what names weigh | a portion of these whose names hold one word that 4,096 names or more hold, and no other word of `q` ([`name_weights`](crate::snapshot::answers::name_weights)) | a byte each, and the few names that may be near | 4 ns each: `guet technologies` 98.8 to 7.8 ms; words that are misspelt 207 to 142 µs, mean |
//! | walk count by count | sort by employees, fewest first | the hits of the first counts | 5 µs, median |
//! | positions of filters | sort by name or year, an industry or place of 1,024 businesses and more | k positions, or k N / hits if other conditions leave few | 10 µs by name, median |
//! | permutation walk | the same without such a filter, k N / hits below hits, by name below half of them | a probe for each place | 20 to 40 ns each |
//! | the same with a look at words | phrases, if their candidates are more than the places and 32 times the candidates there | probes of up to 512 places at a time, then the words of whoever is left, 32 announced together | phrases by name or year 238 to 61 µs, mean, the dearest 47 to 1.7 ms; place by place 69 and 2.9 |
//! | gathering ranks | the same, few hits | a look-up for each hit; ties of those that may be on the page | 10 to 13 ns each, memory being asked for 24 ranks ahead: deep pages of one word by name or year 140 to 98 µs, mean, the dearest 410 to 265 |
//!
//! Tried and dropped: evaluating every condition to a set before looking at the page (a word of a million businesses:
//! 7 ms instead of 25 µs). Lists of all phrases of two frequent words: 107 bytes a business; followers take 58 and serve
//! words that are not frequent as well. Rejected by estimate: a Bloom filter of 64 bytes over the neighbours in each
//! business is a read from another place for every candidate, and lets one in five through. Walking levels wherever they
//! exist (a filter that one in a hundred passes: 0.7 ms instead of 0.1), and giving walks up at a fixed number of
//! businesses (`Group Inc` 8 ms instead of 1). A byte for the industry beside each business of a frequent term, to search
//! for a word within an industry as followers are searched: 47 bytes a business, and the median of two words in an
//! industry is 430 µs instead of 520, but the mean 5 % less, since most of the time goes where both are dense, into
//! scores and followers of the hits. Giving a hit up while it is scored, once the largest impacts of the other words
//! cannot bring it onto the page: names take 133 to 143 µs instead of 119. Scoring hit by hit, one list after the other for
//! each: a page takes a tenth less where a chunk of hits is looked up in one list, then in the next
//! ([`score`](super::score::text_score)), since loads that do not wait for each other overlap. Holding all hits of two words that
//! are counted without a look, and not only 1,024: keywords take 125 µs instead of 105; up to 2,048 where nothing is stored
//! of the phrase: the mix 36.1 instead of 36.5, its p99 331 instead of 346. Looking up
//! once which held hits have the rarest word in their name, and asking all tiers of names of those: two words in an
//! industry take 310 µs instead of 298, since what was read once is in the cache the second time.
//! Holding up to 8,192 names with all words instead of 1,024: keywords take 56 µs instead of 57.5, names as long, phrases
//! and words in an industry 4 to 8 % more.
//! Leaving out the state that a city is
//! known to lie in, and the program's code in large pages: no difference. A program that is optimised for size: a quarter
//! slower. One that is compiled by what it does (`tools/pgo`): the mix 24.3 to 25.5 µs instead of 26.0 to 27.2; before a
//! word in an industry was all stored, 25.0 to 25.9 instead of 26.8 to 28.3, and 24.7 for processors with AVX2 only.
//! Memory from glibc instead of mimalloc: 33.1 and 34.4 µs instead of 31.6 and 33.4, on a slower machine. Sums of levels
//! that leave out the impacts in names of a word that names only begin with: pages with which such groups begin take as
//! long. Holding the hits of a word in an industry first, where more than 1,024 names hold a longer word: the dearest
//! takes 137 µs instead of 201, but two in five take longer, up to 274 instead of 76. Evaluating groups of up to 4,096
//! businesses instead of 1,024 at once: two keywords take 65 µs instead of 68, but phrases and deep pages 3 % more. Of up
//! to 2,048, now that they are scored together: two words with more hits than that 68 µs instead of 71.5, deep pages 3 %
//! more, the mix as long. Asking
//! memory ahead for what probes of stored businesses and levels will read and for the first lines of the next chunk of two
//! lists, and walking the dictionary once for all words that are related to one, a tenth of the instructions of a phrase:
//! no difference. (For impacts and followers it is 5 % of two words in an industry, and a sixth of their p99; for ranks a
//! third; for held hits in a list 3 % of requests of 100 µs and more.) Neither do a
//! table from the first five, six or seven bytes of a word to its node in the dictionary, and asking memory for all ways of
//! a node from which edits go on, make any.
//! Looking up the impacts of all held hits first, which tell whose name holds a word (in names they are larger; of few
//! terms they overlap) and score every group: two words in an industry take 425 µs instead of 270, since most pages are
//! full before all hits are scored. Passing the lists of names of each word once for all tiers: no difference. Reading the
//! followers of all hits before any of them is looked at: no difference.
//!
//! Words that are misspelt, one or two of them (2,500 requests): looking at every hit of what they are read as, or of what
//! shares anything with a relaxed `q`, takes 1,025 µs in the mean and 620 ms at most; levels of all readings and portions
//! 390 µs and 114 ms.

pub mod count;
pub mod filters;
pub mod term_cache;
pub mod ways;
pub mod within_industry;

use super::phrase::matcher::{PhraseMatcher, related_terms};
use super::phrase::verifier::{PhraseVerifier, Place};
use super::request::Query;
use super::session::term_cache::TermCache;
use super::session::ways::{Shortcut, Shortcuts, Tuning};
use super::sets::set_expr::{List, SetExpr};
use super::text::{Phrase, QueryWord, Term, TextQuery};
use crate::analyzer::TextField;
use crate::ids::{DocId, TermOrd};
use crate::snapshot::Snapshot;
use crate::snapshot::answers::frequent_keys::DenseKey;
use crate::snapshot::answers::phrases::StoredPhrase;
use crate::snapshot::encoding::postings::Postings;
use crate::snapshot::terms::BegunTerms;
use crate::snapshot::terms::block::TermLists;
use crate::snapshot::terms::next_word::{NextWordCursor, follower_hash};
use std::cell::{Cell, OnceCell, RefCell};

/// Plans one query over one snapshot.
#[derive(Debug)]
pub struct Session<'s> {
    snapshot: &'s Snapshot,
    terms: RefCell<TermCache>,
    /// The plan of each filter of the query, once somebody has asked.
    filters: OnceCell<Vec<SetExpr<'s>>>,
    shortcuts: Cell<Shortcuts>,
    tuning: Tuning,
}

impl<'s> Session<'s> {
    /// A session over `snapshot`.
    pub fn new(snapshot: &'s Snapshot) -> Session<'s> {
        Session::tuned(snapshot, Tuning::default())
    }

    /// A session that takes shortcuts from other sizes on.
    pub fn tuned(snapshot: &'s Snapshot, tuning: Tuning) -> Session<'s> {
        let (terms, filters) = (RefCell::default(), OnceCell::new());
        Session { snapshot, terms, filters, shortcuts: Cell::default(), tuning }
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

    /// The ordinals of the forms of a word.
    pub fn ords(&self, word: &QueryWord) -> impl Iterator<Item = TermOrd> {
        word.forms.iter().filter_map(|form| self.ord(form))
    }

    /// Businesses that a term which must not match excludes.
    pub fn excluded(&self, text: &TextQuery) -> SetExpr<'s> {
        SetExpr::union(text.excluded().iter().map(|term| self.term(term)))
    }

    /// Businesses that a term matches.
    pub fn term(&self, term: &Term) -> SetExpr<'s> {
        match term {
            Term::Word(word) => self.word(word),
            Term::Compound { joined, parts } => {
                SetExpr::union([self.word(joined), self.phrase(parts)])
            }
            Term::Phrase(phrase) => self.phrase(phrase),
            Term::Host { name, labels } => {
                let words = SetExpr::intersection(labels.iter().map(|label| self.term(label)));
                SetExpr::union([self.host(name), words])
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
        // The form itself stands nowhere, but a word of industry or description may share a form with it. The
        // lists of those words hold more than that: names, and words that share a form with *them*.
        let word = QueryWord::of_form(form.to_owned());
        let related = related_terms(&word);
        let ords = related.iter().filter_map(|term| self.ord(term));
        let lists = ords.map(|ord| SetExpr::list(self.snapshot.terms().lists(ord).any()));
        let place = Place::Within(&[TextField::Industry, TextField::Description]);
        self.check_at(SetExpr::union(lists), &Phrase::of_word(word), place)
    }

    /// Those of `candidates` in which the phrase stands as `place` says.
    pub fn check_at(&self, candidates: SetExpr<'s>, phrase: &Phrase, place: Place) -> SetExpr<'s> {
        self.check_by(candidates, phrase, place, true)
    }

    /// Those of `candidates` in which the phrase stands as `place` says; whether followers are asked first is said.
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
            self.took(Shortcut::Followers);
            Some(NextWordCursor::new(lists.any(), followers, hashes))
        };
        phrase.words.windows(2).filter_map(cursor).collect()
    }

    /// Businesses with a word in their name.
    pub fn word_in_name(&self, word: &QueryWord) -> SetExpr<'s> {
        self.lists(word, |lists| [lists.name_is(), lists.name_starts(), lists.name_has()])
    }

    /// Businesses with a word in their name or host.
    pub fn word_in_name_or_host(&self, word: &QueryWord) -> SetExpr<'s> {
        let host = self.lists(word, |lists| [lists.host(), None, None]);
        SetExpr::union([self.word_in_name(word), host])
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

    /// The names with each word of a term, combined; the joined form of a compound stands for its parts.
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
            Term::Host { labels, .. } => {
                combine(labels.iter().map(|label| self.combine_names(label, combine)).collect())
            }
        }
    }

    /// Businesses in whose name the phrase of two words or more stands.
    pub fn phrase_in_names(&self, phrase: &Phrase) -> SetExpr<'s> {
        let names = phrase.words.iter().map(|(_, word)| self.word_in_name(word));
        self.check_narrowed(names.collect(), phrase, &[TextField::Name])
    }

    /// Businesses in which the phrase stands in one of `fields`.
    pub fn phrase_in(&self, phrase: &Phrase, fields: &'static [TextField]) -> SetExpr<'s> {
        let candidates = phrase.words.iter().map(|(_, word)| self.word(word));
        self.check_narrowed(candidates.collect(), phrase, fields)
    }

    /// Those on all lists in which the phrase stands in one of `fields`: at most, those who hold every two of its words
    /// next to each other.
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

    /// The lists of every two neighbouring words of a phrase for which a list is stored: the businesses in
    /// which they stand next to each other in some field.
    pub fn stored_neighbours(&self, phrase: &Phrase) -> Vec<SetExpr<'s>> {
        let stored = |pair| self.stored_phrase(pair).as_ref().and_then(stored_list);
        phrase.words.windows(2).filter_map(stored).collect()
    }

    /// What is stored of two words of a phrase.
    pub fn stored_phrase(&self, pair: &[(u32, QueryWord)]) -> Option<StoredPhrase<'s>> {
        let [(at, first), (next, second)] = pair else { return None };
        let (first, second) = (self.ord(first.only_form()?)?, self.ord(second.only_form()?)?);
        let stored = if at + 1 == *next { self.snapshot.phrase(first, second) } else { None }?;
        self.took(Shortcut::StoredPhrase);
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
