//! Counts of values, as JSON.

use crate::facets::{FacetCount, FacetCounts, ValueCount};
use serde::{Serialize, Serializer};

#[derive(Serialize)]
struct Body<'a> {
    total: u64,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    facets: &'a [FacetCount],
}

#[derive(Serialize)]
struct Facet<'a> {
    facet: &'a str,
    values: &'a [ValueCount],
    distinct: u64,
    missing: u64,
}

#[derive(Serialize)]
struct Value<'a> {
    value: &'a str,
    count: u64,
    #[serde(flatten)]
    band: Option<Band>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filter: Option<&'a str>,
}

#[derive(Serialize)]
struct Band {
    min: u64,
    max: Option<u64>,
}

impl Serialize for FacetCount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let FacetCount { facet, values, distinct, missing } = self;
        let (facet, distinct, missing) = (facet.name(), *distinct, *missing);
        Facet { facet, values, distinct, missing }.serialize(serializer)
    }
}

impl Serialize for ValueCount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ValueCount { value, count, filter, bounds } = self;
        let band = bounds.map(|(min, max)| Band { min, max });
        Value { value, count: *count, band, filter: filter.as_deref() }.serialize(serializer)
    }
}

/// The body of a response to a request for facets. Without facets it is the total alone.
pub fn facets(counts: &FacetCounts) -> Vec<u8> {
    let body = Body { total: counts.total, facets: &counts.facets };
    serde_json::to_vec(&body).expect("numbers and texts have a JSON form")
}
