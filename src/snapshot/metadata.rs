//! What a snapshot says of itself.
//!
//! A JSON object, filled up with spaces to a fixed length: what it tells is known when the documents
//! behind it are written.

use serde::{Deserialize, Serialize};

/// Bytes of the section.
pub const METADATA_BYTES: usize = 1024;

/// What a snapshot says of itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metadata {
    /// Number of documents.
    pub num_docs: u32,
    /// When it was built, in seconds since 1970 (UTC).
    pub built_at: u64,
    /// How many documents have each field.
    pub filled: Filled,
    /// [`ANALYZER_VERSION`](crate::analyzer::ANALYZER_VERSION) of the builder.
    pub analyzer_version: u32,
    /// Unicode version of the builder's character data.
    pub unicode_version: String,
    /// CLDR version of the collation by which names are sorted.
    pub cldr_version: String,
    /// Version of the public suffix list by which hosts were taken apart.
    pub suffix_list_version: String,
}

/// How many documents have each of the fields that may be missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)] // as in `Company`
pub struct Filled {
    pub website: u32,
    pub description: u32,
    pub industry: u32,
    pub employee_count: u32,
    pub city: u32,
    pub state: u32,
    pub country: u32,
    pub founded_year: u32,
    pub aliases: u32,
    pub other_websites: u32,
}

impl Filled {
    /// Each field, as input names it, and how many documents have it.
    pub fn by_field(&self) -> [(&'static str, u32); 10] {
        [
            ("website", self.website),
            ("description", self.description),
            ("industry", self.industry),
            ("employee_count", self.employee_count),
            ("location.city", self.city),
            ("location.state", self.state),
            ("location.country", self.country),
            ("founded_year", self.founded_year),
            ("aliases", self.aliases),
            ("other_websites", self.other_websites),
        ]
    }

    /// Adds what other documents have.
    pub fn add(&mut self, other: &Filled) {
        self.website += other.website;
        self.description += other.description;
        self.industry += other.industry;
        self.employee_count += other.employee_count;
        self.city += other.city;
        self.state += other.state;
        self.country += other.country;
        self.founded_year += other.founded_year;
        self.aliases += other.aliases;
        self.other_websites += other.other_websites;
    }
}

impl Metadata {
    /// The section.
    pub fn encode(&self) -> Vec<u8> {
        let mut json = serde_json::to_vec(self).expect("metadata have a JSON form");
        assert!(json.len() <= METADATA_BYTES, "versions are short");
        json.resize(METADATA_BYTES, b' ');
        json
    }
}
