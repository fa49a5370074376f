//! The oracle: what the service must answer, found by reading every record.
//!
//! In: records and a [`Query`]. Out: every match with its tier of relevance, and the matches in any order. It
//! is written from the contract, rule by rule, and knows no index: every question is a scan over all records
//! and over all words of their fields. Comments quote the rule that the code below them implements.
//!
//! Shared with the engine are the analyzer (text to words), the parser of `q`, the parser of `location`, and
//! the collation; each of them has tests of its own.
//!
//! Reading order: this file, [`filters`], [`text`], [`order`]; [`rows`] holds examples of the contract.

pub mod filters;
pub mod order;
pub mod rows;
pub mod text;

use filters::{Filters, Values};
use firmament::company::Company;
use firmament::query::{Query, SortKey, SortOrder};
use order::Places;
use text::{Searched, Tier};

/// A collection of records, and all that can be said of each without a request.
pub struct Oracle {
    records: Vec<Record>,
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
    /// How well it matches `q`.
    pub tier: Tier,
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
        Oracle { records: companies.into_iter().zip(places).map(record).collect() }
    }

    /// The records, in the order given.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Every record that matches `q` and all filters, in the order given. Their number is the `total`.
    pub fn matches(&self, query: &Query) -> Vec<Match> {
        let filters = Filters::of(query, &self.records);
        let mut matches = Vec::new();
        for (number, record) in self.records.iter().enumerate() {
            if text::matches(&query.text, &record.searched) && filters.admit(record) {
                let tier = text::tier(&query.text, &record.searched);
                matches.push(Match { record: number, tier });
            }
        }
        matches
    }

    /// The full sequence: the record numbers of the matches, ordered.
    pub fn sequence(&self, matches: &[Match], sort: SortKey, order: SortOrder) -> Vec<usize> {
        let mut matches = matches.to_vec();
        matches.sort_by(|a, b| order::compare(&self.records, a, b, sort, order));
        matches.iter().map(|found| found.record).collect()
    }

    /// The answer as ids, in the order that the query asks for.
    pub fn ids(&self, query: &Query) -> Vec<&str> {
        let sequence = self.sequence(&self.matches(query), query.sort, query.order);
        sequence.iter().map(|&number| self.records[number].company.id.as_str()).collect()
    }
}
