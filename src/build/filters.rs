//! The postings of whole values: industries by folded name, places by key, hosts by name.

use crate::analyzer::fold_filter;
use crate::analyzer::host::Host;
use crate::company::{Company, Location};
use crate::places;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Keys and postings of industries, sorted by key.
pub fn industries(companies: &[Company]) -> Vec<(String, Vec<u32>)> {
    collect(
        companies,
        |company| company.industry.as_deref(),
        |industry: &str| fold_filter(industry),
    )
}

/// Keys and postings of places, sorted by key.
pub fn places(companies: &[Company]) -> Vec<(String, Vec<u32>)> {
    let keys = |location: &Location| {
        let Location { city, state, country } = location;
        places::stored_keys(city.as_deref(), state.as_deref(), country.as_deref())
            .iter()
            .map(|key| key.as_str().to_owned())
            .collect()
    };
    collect(companies, |company| Some(&company.location), keys)
}

/// Names and postings of hosts, sorted by name.
pub fn hosts(companies: &[Company]) -> Vec<(String, Vec<u32>)> {
    let key = |website: &str| Host::of_website(website).map(|host| host.name().to_owned());
    collect(
        companies,
        |company| company.website.as_deref(),
        |website: &str| key(website).into_iter().collect(),
    )
}

/// Groups documents by the keys of a value. Values repeat, so each distinct one is turned into keys once.
fn collect<'a, V: ?Sized + std::hash::Hash + Eq + 'a>(
    companies: &'a [Company],
    value_of: impl Fn(&'a Company) -> Option<&'a V>,
    keys_of: impl Fn(&V) -> Vec<String>,
) -> Vec<(String, Vec<u32>)> {
    let mut by_value: FxHashMap<&V, Vec<u32>> = FxHashMap::default();
    for (doc, company) in companies.iter().enumerate() {
        if let Some(value) = value_of(company) {
            by_value.entry(value).or_default().push(doc as u32);
        }
    }
    let mut by_key: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (value, docs) in by_value {
        for key in keys_of(value).into_iter().filter(|key| !key.is_empty()) {
            by_key.entry(key).or_default().extend(&docs);
        }
    }
    let sort = |(key, mut docs): (String, Vec<u32>)| {
        docs.sort_unstable();
        docs.dedup();
        (key, docs)
    };
    by_key.into_iter().map(sort).collect()
}
