//! Facets on random collections: every count is that of the naive search which it promises.
//!
//! Values are odd here now and then: with commas, quotation marks, or the name of a kind of place
//! in front. `FIRMAMENT_FACETS` is the number of pairs of a collection and a request.

use super::requests::{self, Request};
use super::subject::Subject;
use super::{Fault, SEED_DEFAULT, caught, companies, input_line, variable};
use crate::collections::{self, Record, Rng};
use crate::oracle::Oracle;
use crate::oracle::filters::Filters;
use firmament::analyzer::fold_filter;
use firmament::company::Company;
use firmament::facets::{Facet, FacetCount, FacetCounts, FacetQuery, ValueCount};
use firmament::places::{self, PlaceKind};
use firmament::query::request::Query;
use std::cmp::Reverse;

const FACETS_DEFAULT: u64 = 1_500;

/// More values than any collection here has.
const ALL: usize = 1_000;

/// Industries and places that are hard to ask for.
const ODD: [&str; 11] = [
    "Gas, Oil",
    "Oil, Gas & Mining, Software",
    "The \"Best\" Boxes",
    "Boxes,, Crates",
    "city:Austin",
    "!!!",
    "Washington, D.C.",
    "Korea, Republic of",
    "New York, New York",
    "Georgia",
    "CA",
];

/// Records of which some have odd values.
fn odd_records(rng: &mut Rng, len: usize) -> Vec<Record> {
    let mut records = collections::records(rng, len);
    for record in &mut records {
        let Company { industry, location, .. } = &mut record.company;
        let places = [&mut location.city, &mut location.state, &mut location.country];
        for value in std::iter::once(industry).chain(places) {
            if rng.chance(8) {
                *value = Some((*rng.pick(&ODD)).to_owned());
            }
        }
        record.line = input_line(&record.company);
    }
    records
}

/// One request to one collection.
struct Counted<'a> {
    oracle: &'a Oracle,
    subject: &'a Subject,
    query: &'a Query,
}

impl Counted<'_> {
    /// Numbers of the records that a query matches.
    fn matches(&self, query: &Query) -> Vec<usize> {
        self.oracle.answer(query).matches.iter().map(|found| found.record).collect()
    }

    /// The engine's counts.
    fn counts(&self, facets: &[Facet], prefix: Option<&str>, limit: usize) -> FacetCounts {
        let prefix = prefix.map(str::to_owned);
        let query = self.query.clone();
        self.subject.facets(&FacetQuery { query, facets: facets.to_vec(), prefix, limit })
    }

    fn check(&self, rng: &mut Rng) -> Result<(), Fault> {
        let counts = self.counts(&Facet::ALL, None, ALL);
        let answer = self.oracle.answer(self.query);
        ensure!(counts.total == answer.matches.len() as u64, "the total is {}", counts.total);
        ensure!(counts.corrected == answer.corrected, "q is read as {:?}", counts.corrected);
        ensure!(counts.place == answer.place, "the place is {:?}", counts.place);
        ensure!(counts.relaxed == answer.is_relaxed, "relaxed is {}", counts.relaxed);
        for (facet, counted) in Facet::ALL.into_iter().zip(&counts.facets) {
            self.check_facet(facet, counted, rng)
                .map_err(|fault| format!("{}: {fault}", facet.name()))?;
        }
        Ok(())
    }

    fn check_facet(&self, facet: Facet, counted: &FacetCount, rng: &mut Rng) -> Result<(), Fault> {
        let FacetCount { values, distinct, missing, .. } = counted;
        ensure!(*distinct == values.len() as u64, "{distinct} of {} values", values.len());
        let key = |value: &ValueCount| (Reverse(value.count), value.value.clone());
        ensure!(values.is_sorted_by_key(key), "the order is {values:?}");
        // "a count is the `total` that search gives with this value in place of what the request
        // filters this facet by"; "for the three facets of places `location` stays in force"
        let base = self.matches(&freed(self.query, facet));
        let mut is_told = vec![false; base.len()];
        for value in values {
            let own = own_query(facet, value).ok_or_else(|| format!("{value:?} has no filter"))?;
            let filters = Filters::of(&own, self.oracle.records());
            let admits = |&number: &usize| filters.admit(&self.oracle.records()[number]);
            let admitted: Vec<bool> = base.iter().map(admits).collect();
            let expected = admitted.iter().filter(|it| **it).count() as u64;
            ensure!(value.count == expected && expected > 0, "{value:?} should be {expected}");
            is_told.iter_mut().zip(admitted).for_each(|(told, admits)| *told |= admits);
        }
        let without = base.iter().filter(|&&number| !has_value(facet, self.company(number)));
        let without = without.count() as u64;
        ensure!(*missing == without, "{missing} have no value, should be {without}");
        let untold = base
            .iter()
            .zip(is_told)
            .find(|(number, is_told)| !is_told && can_be_asked_for(facet, self.company(**number)));
        ensure!(untold.is_none(), "the value of a record is not listed: {untold:?}");
        let Some(value) = (!values.is_empty()).then(|| rng.pick(values)) else { return Ok(()) };
        self.check_search(facet, value)?;
        self.check_choice(facet, values, value, rng)
    }

    fn company(&self, number: usize) -> &Company {
        &self.oracle.records()[number].company
    }

    /// "Every count can be checked by a search": with the texts that the answer gives.
    fn check_search(&self, facet: Facet, value: &ValueCount) -> Result<(), Fault> {
        // "Where no one text asks for it, it has none."
        if kind(facet).is_some() && value.filter.is_none() {
            ensure!(!self.query.locations.is_empty(), "{value:?} has no filter, nor a reason");
            return Ok(());
        }
        let search = promised(self.query, facet, value);
        let total = self.matches(&search).len() as u64;
        ensure!(total == value.count, "{value:?} is {total} in a search for {search:?}");
        Ok(())
    }

    /// A prefix and a limit choose from all values.
    fn check_choice(
        &self,
        facet: Facet,
        values: &[ValueCount],
        value: &ValueCount,
        rng: &mut Rng,
    ) -> Result<(), Fault> {
        let words: Vec<&str> = value.value.split(' ').collect();
        let word = rng.pick(&words);
        let prefix: String = word.chars().take(rng.within(1, 3)).collect();
        let limit = rng.within(1, 5);
        let counts = self.counts(&[facet], Some(&prefix), limit);
        let begins = |value: &&ValueCount| a_word_begins(&value.value, &prefix);
        let chosen: Vec<ValueCount> = values.iter().filter(begins).cloned().collect();
        let found = &counts.facets[0];
        ensure!(found.distinct == chosen.len() as u64, "{prefix:?} is that of {found:?}");
        let expected = &chosen[..chosen.len().min(limit)];
        ensure!(found.values == expected, "{prefix:?}, {limit}: {found:?}, not {expected:?}");
        Ok(())
    }
}

/// "only values of which a word begins so, folded"
fn a_word_begins(value: &str, prefix: &str) -> bool {
    let words = |text: &String| {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.fold(String::new(), |all, word| all + " " + word)
    };
    let prefixes: Vec<String> = fold_filter(prefix).iter().map(words).collect();
    let forms: Vec<String> = fold_filter(value).iter().map(words).collect();
    let begins = |prefix: &String| !prefix.is_empty() && forms.iter().any(|it| it.contains(prefix));
    prefixes.iter().any(begins)
}

/// The kind of place that a facet counts.
fn kind(facet: Facet) -> Option<PlaceKind> {
    match facet {
        Facet::City => Some(PlaceKind::City),
        Facet::State => Some(PlaceKind::State),
        Facet::Country => Some(PlaceKind::Country),
        Facet::Industry | Facet::EmployeeCount | Facet::FoundedYear => None,
    }
}

/// The query without what it filters a facet by. `location` stays.
fn freed(query: &Query, facet: Facet) -> Query {
    let mut query = query.clone();
    match facet {
        Facet::Industry => query.industries.clear(),
        Facet::EmployeeCount => (query.employee_count_min, query.employee_count_max) = (None, None),
        Facet::FoundedYear => (query.founded_year_min, query.founded_year_max) = (None, None),
        Facet::City | Facet::State | Facet::Country => {}
    }
    query
}

/// The request for a value alone.
fn own_query(facet: Facet, value: &ValueCount) -> Option<Query> {
    let mut query = Query::default();
    if let Some(kind) = kind(facet) {
        query.locations = vec![places::text_of(kind, &value.value)?];
    } else if let Some((min, max)) = value.bounds {
        let year = |bound: u64| u16::try_from(bound).expect("a year");
        match facet {
            Facet::FoundedYear => {
                (query.founded_year_min, query.founded_year_max) = (Some(year(min)), max.map(year));
            }
            _ => (query.employee_count_min, query.employee_count_max) = (Some(min), max),
        }
    } else {
        query.industries = vec![industry_text(&value.value)];
    }
    Some(query)
}

/// "in quotation marks, if it has more than 16 commas, or two in a row"
fn industry_text(value: &str) -> String {
    match value.matches(',').count() > 16 || value.contains(",,") {
        true => format!("\"{value}\""),
        false => value.to_owned(),
    }
}

/// The search that the count of a value promises.
fn promised(query: &Query, facet: Facet, value: &ValueCount) -> Query {
    let mut search = freed(query, facet);
    let own = own_query(facet, value).unwrap_or_default();
    match (facet, &value.filter) {
        (Facet::Industry, _) => search.industries = own.industries,
        (Facet::EmployeeCount, _) => {
            search.employee_count_min = own.employee_count_min;
            search.employee_count_max = own.employee_count_max;
        }
        (Facet::FoundedYear, _) => {
            search.founded_year_min = own.founded_year_min;
            search.founded_year_max = own.founded_year_max;
        }
        (_, filter) => search.locations = filter.iter().cloned().collect(),
    }
    search
}

fn text(facet: Facet, company: &Company) -> Option<&str> {
    match facet {
        Facet::Industry => company.industry.as_deref(),
        Facet::City => company.location.city.as_deref(),
        Facet::State => company.location.state.as_deref(),
        Facet::Country => company.location.country.as_deref(),
        Facet::EmployeeCount | Facet::FoundedYear => None,
    }
}

/// Does a record have a value that means anything? "A subdivision without a country lies in its
/// country"; a part of the United Kingdom "stored as state or as country" is a state.
fn has_value(facet: Facet, company: &Company) -> bool {
    match facet {
        Facet::State | Facet::Country => {
            let [state, country] = [Facet::State, Facet::Country].map(|it| text(it, company));
            let keys = places::stored_keys(None, state, country);
            keys.iter().any(|key| Some(key.kind()) == kind(facet))
        }
        Facet::EmployeeCount => company.employee_count.is_some(),
        Facet::FoundedYear => company.founded_year.is_some(),
        _ => text(facet, company).is_some_and(|text| !fold_filter(text).concat().is_empty()),
    }
}

/// "A value with quotation marks in it, which no filter can ask for, is not listed"; nor is a
/// place that no record writes.
fn can_be_asked_for(facet: Facet, company: &Company) -> bool {
    let text = text(facet, company);
    let is_written = kind(facet).is_none() || text.is_some();
    has_value(facet, company) && is_written && text.is_none_or(|text| !text.contains('"'))
}

#[test]
fn counts_are_the_totals_of_naive_searches() {
    let pairs = variable("FIRMAMENT_FACETS", FACETS_DEFAULT);
    let seed = variable("FIRMAMENT_SEED", SEED_DEFAULT);
    let (mut done, mut collection) = (0, 0);
    while done < pairs {
        let mut rng = Rng::new(seed ^ 0xface, collection);
        let len = if collection % 50 == 49 { 700 } else { rng.within(1, 90) };
        let records = odd_records(&mut rng, len);
        let oracle = Oracle::new(companies(&records));
        let subject = Subject::publish(&companies(&records), &super::lines(&records));
        for number in 0..30.min(pairs - done) {
            let request = match number {
                0 => Request::default(),
                _ => requests::request(&mut rng, &records),
            };
            let Some(query) = request.query() else { continue };
            let counted = Counted { oracle: &oracle, subject: &subject, query: &query };
            if let Err(fault) = caught(|| counted.check(&mut rng)) {
                let lines = super::lines(&records);
                panic!(
                    "{request}: {fault}\nrequest {number} of collection {collection} with \
                     FIRMAMENT_SEED={seed}, whose records are\n{lines}"
                );
            }
            done += 1;
        }
        collection += 1;
    }
    println!("{done} pairs on {collection} collections with FIRMAMENT_SEED={seed}");
}
