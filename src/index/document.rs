//! The JSON of a business, rendered once.

use super::record_codec::Record;
use serde::Serialize;

/// A business as responses show it: all keys, in this order.
#[derive(Serialize)]
pub struct Document<'a> {
    id: &'a str,
    name: &'a str,
    website: Option<&'a str>,
    description: Option<&'a str>,
    industry: Option<&'a str>,
    employee_count: Option<u64>,
    location: Place<'a>,
    founded_year: Option<u16>,
}

#[derive(Serialize)]
struct Place<'a> {
    city: Option<&'a str>,
    state: Option<&'a str>,
    country: Option<&'a str>,
}

impl<'a> From<&Record<'a>> for Document<'a> {
    fn from(record: &Record<'a>) -> Document<'a> {
        Document {
            id: record.id,
            name: record.name,
            website: record.website,
            description: record.description,
            industry: record.industry,
            employee_count: record.employee_count,
            location: Place { city: record.city, state: record.state, country: record.country },
            founded_year: record.founded_year,
        }
    }
}

/// Appends the JSON of a business to `out`.
pub fn render(record: &Record<'_>, out: &mut Vec<u8>) {
    serde_json::to_writer(out, &Document::from(record)).expect("writing to memory does not fail");
}
