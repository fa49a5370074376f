//! Records as the engines get them.
//!
//! In: JSON Lines. Out: [`Record`]s in the order of the files, each id once, and the place of each
//! id.

use crate::Result;
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

/// The fields that are searched, and the id that queries name.
#[derive(serde::Deserialize)]
pub struct Record {
    pub id: String,
    pub name: String,
    pub website: Option<String>,
    pub industry: Option<String>,
    pub description: Option<String>,
}

/// Where a business is.
#[derive(serde::Deserialize, Default)]
pub struct Location {
    pub city: Option<String>,
    pub state: Option<String>,
    pub country: Option<String>,
}

impl Record {
    /// The texts that every engine indexes, under the names of [`FIELDS`].
    pub fn texts(&self) -> [&str; 4] {
        [
            &self.name,
            self.website.as_deref().map(host).unwrap_or_default(),
            self.industry.as_deref().unwrap_or_default(),
            self.description.as_deref().unwrap_or_default(),
        ]
    }
}

/// Names of the indexed fields.
pub const FIELDS: [&str; 4] = ["name", "host", "industry", "description"];

/// Records and where each id stands among them.
pub struct Records {
    pub all: Vec<Record>,
    pub by_id: HashMap<String, usize>,
}

impl Records {
    /// Reads every file. Of records with the same id the first is kept.
    pub fn read(paths: &[PathBuf]) -> Result<Records> {
        let mut records = Records { all: Vec::new(), by_id: HashMap::new() };
        for path in paths {
            let file = std::fs::File::open(path)
                .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
            for (number, line) in (1..).zip(BufReader::new(file).lines()) {
                let bad = |reason: &dyn std::error::Error| {
                    format!("{}:{number}: {reason}", path.display())
                };
                let line = line.map_err(|error| bad(&error))?;
                if !line.trim().is_empty() {
                    records.add(serde_json::from_str(&line).map_err(|error| bad(&error))?);
                }
            }
        }
        Ok(records)
    }

    fn add(&mut self, record: Record) {
        if !self.by_id.contains_key(&record.id) {
            self.by_id.insert(record.id.clone(), self.all.len());
            self.all.push(record);
        }
    }
}

/// The host of a website: without scheme, `www.`, user, port and path, which nobody searches for.
fn host(website: &str) -> &str {
    let rest = website.split_once("://").map_or(website, |(_scheme, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_user, host)| host);
    let host = host.split_once(':').map_or(host, |(host, _port)| host).trim();
    match host.get(..4) {
        Some(www) if www.eq_ignore_ascii_case("www.") => &host[4..],
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts() {
        for (website, expected) in [
            ("https://www.acme.example/", "acme.example"),
            ("http://WWW.acme.example:8080/a?b#c", "acme.example"),
            ("acme.example", "acme.example"),
            ("https://user@acme.example?x", "acme.example"),
            ("https:///path", ""),
            ("", ""),
        ] {
            assert_eq!(host(website), expected, "{website}");
        }
    }

    #[test]
    fn the_first_record_of_an_id_is_kept() {
        let mut records = Records { all: Vec::new(), by_id: HashMap::new() };
        for line in [
            r#"{"id":"a","name":"First","website":null,"employee_count":3}"#,
            r#"{"id":"b","name":"Second","industry":"Tools"}"#,
            r#"{"id":"a","name":"Third"}"#,
        ] {
            records.add(serde_json::from_str(line).expect("a record"));
        }
        assert_eq!(records.all.len(), 2);
        assert_eq!(records.all[records.by_id["a"]].name, "First");
        assert_eq!(records.all[1].texts(), ["Second", "", "Tools", ""]);
    }
}
