//! The oracle: what the service must answer, found by reading every record.
//!
//! In: records and a [`Query`]. Out: an [`Answer`]: every match with its tier of relevance, the
//! text that was searched for if it was corrected, and whether all words had to match; and the
//! matches in any order. It is written from the contract, rule by rule, and knows no index: every
//! question is a scan over all records and over all words of their fields. Comments quote the rule
//! that the code below them implements.
//!
//! Shared with the engine are the analyzer (text to words), the parser of `q`, the parser of
//! `location`, and the collation; each of them has tests of its own. The text score is not
//! modelled: whoever asks for an order by relevance brings it.
//!
//! Reading order: this file, [`filters`], [`text`] (the words of a record), [`meaning`] (what the
//! words of `q` match in a collection), [`correction`], [`place_words`], [`relaxation`], [`tier`],
//! [`order`]; [`rows`] holds examples of the contract.

pub mod correction;
pub mod filters;
pub mod meaning;
pub mod order;
pub mod place_words;
pub mod relaxation;
pub mod rows;
pub mod text;
pub mod tier;

use correction::Vocabulary;
use filters::{Filters, Values};
use firmament::company::Company;
use firmament::places::PlaceFilter;
use firmament::query::request::{Query, SortKey, SortOrder};
use firmament::query::text::TextQuery;
use meaning::Meaning;
use order::Places;
use std::borrow::Cow;
use text::Searched;
use tier::{Kind, Tier};

/// A collection of records, and all that can be said of each without a request.
pub struct Oracle {
    records: Vec<Record>,
    vocabulary: Vocabulary,
}

/// One record, prepared.
pub struct Record {
    /// What was given, trimmed.
    pub company: Company,
    /// Its searched fields as words.
    pub searched: Searched,
    /// Its values that filters compare.
    pub values: Values,
    /// Its places in the orders that need no request.
    pub places: Places,
}

/// A record that matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Match {
    /// The record's number, from 0, in the order given.
    pub record: usize,
    /// How well it matches `q`; without meaning in a relaxed answer.
    pub tier: Tier,
    /// By what it earned the tier.
    pub kind: Kind,
}

/// What the service must answer, but for the order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// Every record that matches `q` and all filters, in the order given. Their number is the
    /// `total`.
    pub matches: Vec<Match>,
    /// `X-Query-Corrected`, before its encoding.
    pub corrected: Option<String>,
    /// `X-Query-Location`, before its encoding.
    pub place: Option<String>,
    /// `X-Query-Relaxed`.
    pub is_relaxed: bool,
    /// Does `q` hold words that ranking compares? Without them all text scores are 0.
    pub has_words: bool,
}

impl Oracle {
    /// Prepares the records.
    pub fn new(companies: Vec<Company>) -> Oracle {
        let places = order::places(&companies);
        let record = |(company, places): (Company, Places)| Record {
            searched: Searched::of(&company),
            values: Values::of(&company),
            company,
            places,
        };
        let mut records: Vec<Record> = companies.into_iter().zip(places).map(record).collect();
        text::share_hosts(records.iter_mut().map(|record| &mut record.searched));
        let vocabulary = Vocabulary::of(&records);
        Oracle { records, vocabulary }
    }

    /// The records, in the order given.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// What the words of the collection are.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The record whose id `q` is.
    pub fn whole_id(&self, query: &Query) -> Option<usize> {
        // "a `q` that is an existing id (after trimming, byte for byte) matches exactly that
        // business"
        let id = query.text.as_str().trim();
        self.records.iter().position(|record| record.company.id == id)
    }

    /// What of `q` is text, and the place that the rest of it names.
    pub fn understood<'q>(&self, q: &'q TextQuery) -> (Cow<'q, TextQuery>, Option<String>) {
        let text = meaning::without_article(q, self);
        match place_words::read(&text, self) {
            Some((rest, place)) => (Cow::Owned(rest), Some(place)),
            None => (text, None),
        }
    }

    /// The answer to a query.
    pub fn answer(&self, query: &Query) -> Answer {
        // "Filters apply."
        let filters = Filters::of(query, &self.records);
        if let Some(record) = self.whole_id(query) {
            let found = Match { record, tier: Tier::WholeIdOrHost, kind: Kind::WholeWords };
            let is_admitted = filters.admit(&self.records[record]);
            return Answer {
                matches: is_admitted.then_some(found).into_iter().collect(),
                corrected: None,
                place: None,
                is_relaxed: false,
                has_words: false,
            };
        }
        let (text, place) = self.understood(&query.text);
        let meaning = Meaning::of(&text, self);
        let asked_place = place.iter().map(|place| filters::place(place, &self.records));
        let asked_place: Vec<PlaceFilter> = asked_place.collect();
        // "is read as `location` (besides that of the request)"
        let is_there =
            |record: &Record| place.is_none() || filters::is_at_place(record, &asked_place);
        let mut matches = Vec::new();
        for (number, record) in self.records.iter().enumerate() {
            let searched = &record.searched;
            let is_match = meaning.matches(searched) && !meaning.excludes(searched);
            if is_match && is_there(record) && filters.admit(record) {
                let (tier, kind) = tier::rank(&meaning, searched);
                matches.push(Match { record: number, tier, kind });
            }
        }
        Answer {
            has_words: !tier::ranking_words(&meaning).is_empty(),
            is_relaxed: meaning.is_relaxed,
            corrected: correction::corrected_text(&meaning, self),
            place,
            matches,
        }
    }

    /// The full sequence: the record numbers of the matches, ordered. `text_score` gives that of a
    /// record.
    pub fn sequence(
        &self,
        answer: &Answer,
        sort: SortKey,
        order: SortOrder,
        text_score: &dyn Fn(usize) -> u32,
    ) -> Vec<usize> {
        let score = |record| if answer.has_words { text_score(record) } else { 0 };
        let mut matches: Vec<(Match, u32)> =
            answer.matches.iter().map(|found| (*found, score(found.record))).collect();
        matches.sort_by(|a, b| order::compare(&self.records, a, b, sort, order));
        matches.iter().map(|(found, _)| found.record).collect()
    }

    /// The answer as ids, in the order that the query asks for.
    pub fn ids(&self, query: &Query, text_score: &dyn Fn(usize) -> u32) -> Vec<&str> {
        let sequence = self.sequence(&self.answer(query), query.sort, query.order, text_score);
        sequence.iter().map(|&number| self.records[number].company.id.as_str()).collect()
    }
}
