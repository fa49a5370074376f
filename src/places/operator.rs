//! An operator's own names of places.
//!
//! In: a text of rows, each a kind (`city`, `state`, `country`), a name and the place that it
//! means, with tabs between; blank rows and those that begin with `#` are passed over. Out:
//! [`PlaceAliases`], which know all names of each place. Names of one place find each other, unless
//! they are asked for in quotation marks. A snapshot holds what they come to: under every name the
//! records of the place.

use super::alias::aliases;
use super::folding::fold;
use super::key::{PlaceKey, PlaceKind};
use super::stored_keys;
use rustc_hash::FxHashMap;

/// Names of places beside those that are built in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlaceAliases {
    /// From a key of a stored place to its names.
    names: FxHashMap<PlaceKey, Vec<PlaceKey>>,
}

/// Why a text is no list of names.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "line {line}: {reason}; a row is a kind (city, state or country), a name and the place that it means, with tabs \
     between, as in city\\tBombay\\tMumbai"
)]
pub struct BadAlias {
    /// The row, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl PlaceAliases {
    /// Reads a list of names.
    ///
    /// # Errors
    /// A row is none.
    pub fn parse(text: &str) -> Result<PlaceAliases, BadAlias> {
        // All names of each place.
        let mut places: FxHashMap<PlaceKey, Vec<String>> = FxHashMap::default();
        let mut order: Vec<PlaceKey> = Vec::new();
        for (line, row) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            if row.trim().is_empty() || row.starts_with('#') {
                continue;
            }
            let bad = |reason: String| BadAlias { line, reason };
            let columns: Vec<&str> = row.split('\t').map(str::trim).collect();
            let &[kind, name, place] = columns.as_slice() else {
                return Err(bad(format!("{} columns were given", columns.len())));
            };
            let kind = match kind {
                "city" => PlaceKind::City,
                "state" => PlaceKind::State,
                "country" => PlaceKind::Country,
                _ => return Err(bad(format!("{kind:?} is no kind"))),
            };
            let (name, place) = (fold(name), fold(place));
            let (false, Some(first)) = (name.is_empty(), place.first()) else {
                return Err(bad("a name has no letters".to_owned()));
            };
            let names = places.entry(PlaceKey::literal(kind, first)).or_insert_with_key(|key| {
                order.push(key.clone());
                place.clone()
            });
            names.extend(name.into_iter().filter(|name| !place.contains(name)));
        }
        let mut found = PlaceAliases::default();
        for key in order {
            let (kind, names) = (key.kind(), &places[&key]);
            let entities =
                aliases(names).filter(|alias| alias.kind == kind).map(|it| it.key.clone());
            let literals = names.iter().map(|name| PlaceKey::literal(kind, name));
            for key in literals.chain(entities) {
                let of_key = found.names.entry(key).or_default();
                of_key.extend(names.iter().map(|name| PlaceKey::named(kind, name)));
            }
        }
        Ok(found)
    }

    /// The keys under which a stored location is indexed, as [`stored_keys`] gives them, and those
    /// of its names here.
    pub fn stored_keys(
        &self,
        city: Option<&str>,
        state: Option<&str>,
        country: Option<&str>,
    ) -> Vec<PlaceKey> {
        let mut keys = stored_keys(city, state, country);
        if self.names.is_empty() {
            return keys;
        }
        let mut names: Vec<PlaceKey> =
            keys.iter().filter_map(|key| self.names.get(key)).flatten().cloned().collect();
        names.sort_unstable();
        names.dedup();
        keys.append(&mut names);
        keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::{PlaceFilter, parse};

    const ROWS: &str = "# old names\n\ncity\tBombay\tMumbai\ncity\tBom Bahia\tMumbai\n\
        country\tDACH\tGermany\r\nstate\tThe Valley\tCalifornia\n";

    #[test]
    fn names_of_one_place_find_each_other() {
        let aliases = PlaceAliases::parse(ROWS).unwrap();
        let stored = [
            aliases.stored_keys(Some("Mumbai"), None, Some("India")),
            aliases.stored_keys(Some("Bombay"), None, None),
            aliases.stored_keys(None, None, Some("Deutschland")),
            aliases.stored_keys(None, Some("CA"), Some("US")),
        ];
        let is_known = |key: &PlaceKey| stored.iter().any(|keys| keys.contains(key));
        for (value, expected) in [
            ("Bombay", &[0, 1][..]),
            ("bom-bahia", &[0, 1]),
            ("Mumbai", &[0, 1]),
            ("\"Bombay\"", &[1]),
            ("\"Bom Bahia\"", &[]),
            ("dach", &[2]),
            ("country:DACH", &[2]),
            ("city:DACH", &[]),
            ("Valley", &[3]),
            ("Germany", &[2]),
        ] {
            let found: Vec<usize> = match parse(value, &is_known) {
                PlaceFilter::Parts(query) => (0..stored.len())
                    .filter(|&at| {
                        query.parts[0].meanings.iter().any(|key| stored[at].contains(key))
                    })
                    .collect(),
                _ => Vec::new(),
            };
            assert_eq!(found, expected, "{value}");
        }
    }

    #[test]
    fn what_is_no_row_is_told() {
        for (text, line, reason) in [
            ("city\tBombay", 1, "2 columns were given"),
            ("#\ntown\tBombay\tMumbai", 2, "\"town\" is no kind"),
            ("city\t-\tMumbai", 1, "a name has no letters"),
            ("city\tBombay\t'", 1, "a name has no letters"),
        ] {
            let error = PlaceAliases::parse(text).unwrap_err();
            assert_eq!((error.line, error.reason.as_str()), (line, reason), "{text}");
        }
    }
}
