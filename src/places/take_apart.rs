//! A place in one text, as in `Austin, Texas` or `Berlin, Germany`, to its city, state and country.
//!
//! The text is read from the right: a country, a subdivision before it or in its place, and what is
//! left is the city. Countries and subdivisions are those of the tables; before a country stands a
//! subdivision in any case where two parts or more are left, since the tables do not have all of
//! them. Where there is no city before it, only a subdivision of the United States, Canada,
//! Australia or the United Kingdom is one; others share their names with cities (`Oslo`). The parts
//! stay as they are written.
//!
//! A last part that is both a country and a subdivision (`Berlin, DE`; `Wilmington, DE`) is
//!
//! - alone: of a name the country (`Georgia`), of a code what the code alone means to the filter;
//! - the country, if the part before is one of its subdivisions (`Perth, WA, AU`);
//! - what `cities_by_home.tsv` says of the city;
//! - behind two parts without a digit, the country, if it is a code, unless a county stands before;
//! - what the code alone means to the filter, and of a name the subdivision.

use super::alias::{Alias, aliases, rows};
use super::folding::fold;
use super::key::PlaceKind;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Countries and subdivisions whose codes are those of others too, and their cities.
const CITIES_BY_HOME: &str = include_str!("cities_by_home.tsv");

/// Most parts of the name of a country, as in `Korea, Republic of`.
const COUNTRY_PARTS_MAX: usize = 3;

/// From a folded city to where it is.
static HOMES: LazyLock<FxHashMap<String, Vec<&'static str>>> = LazyLock::new(|| {
    let mut homes: FxHashMap<String, Vec<&'static str>> = FxHashMap::default();
    for (home, names) in rows(CITIES_BY_HOME) {
        for form in names.split(" | ").flat_map(fold) {
            homes.entry(form).or_default().push(home);
        }
    }
    homes
});

/// The parts of a place, each as it is written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Apart {
    /// City.
    pub city: Option<String>,
    /// State, province or region.
    pub state: Option<String>,
    /// Country.
    pub country: Option<String>,
    /// There is more than a city, and the last part is neither a country nor a subdivision: all of
    /// it is the city.
    pub is_unknown: bool,
}

/// Takes a text apart.
pub fn take_apart(text: &str) -> Apart {
    let parts: Vec<&str> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    let joined = |parts: &[&str]| (!parts.is_empty()).then(|| parts.join(", "));
    let Some((&last, before)) = parts.split_last() else { return Apart::default() };
    let longest = COUNTRY_PARTS_MAX.min(parts.len());
    let several = (2..=longest).rev().find(|&len| {
        let name = parts[parts.len() - len..].join(", ");
        aliases(&fold(&name)).any(|alias| alias.kind == PlaceKind::Country)
    });
    if let Some(len) = several {
        let (before, country) = parts.split_at(parts.len() - len);
        return with_country(before, country.join(", "), None);
    }
    match kind_of(last, before) {
        Some((PlaceKind::Country, code)) => with_country(before, last.to_owned(), Some(code)),
        Some(_) if before.is_empty() && !subdivisions(last).any(is_given_alone) => {
            Apart { city: Some(last.to_owned()), ..Apart::default() }
        }
        Some(_) => Apart { city: joined(before), state: Some(last.to_owned()), ..Apart::default() },
        None if before.is_empty() => Apart { city: joined(&parts), ..Apart::default() },
        None => Apart { city: Some(text.trim().to_owned()), is_unknown: true, ..Apart::default() },
    }
}

/// What stands before a country: of one part the city, or a subdivision of it that is given without
/// one; of more the last one is the subdivision.
fn with_country(before: &[&str], country: String, code: Option<&str>) -> Apart {
    let is_state = |part: &str| match code {
        Some(code) => {
            subdivisions(part).any(|alias| alias.country == code && is_given_alone(alias))
        }
        None => false,
    };
    let (city, state) = match before {
        [] => (None, None),
        [only] if is_state(only) => (None, Some((*only).to_owned())),
        [only] => (Some((*only).to_owned()), None),
        [city @ .., state] => (Some(city.join(", ")), Some((*state).to_owned())),
    };
    Apart { city, state, country: Some(country), is_unknown: false }
}

/// Is the last part a country or a subdivision, and of which country, given those before?
fn kind_of(last: &str, before: &[&str]) -> Option<(PlaceKind, &'static str)> {
    let forms = fold(last);
    let country = aliases(&forms).find(|alias| alias.kind == PlaceKind::Country);
    let states: Vec<&Alias> =
        aliases(&forms).filter(|alias| alias.kind == PlaceKind::State).collect();
    let (country, state) = match (country, states.first()) {
        (Some(country), Some(_)) => (country, states.iter().min_by_key(|alias| alias.code_order)?),
        (Some(country), None) => return Some((PlaceKind::Country, country.country)),
        (None, Some(state)) => return Some((PlaceKind::State, state.country)),
        (None, None) => return None,
    };
    let as_country = Some((PlaceKind::Country, country.country));
    let as_state = Some((PlaceKind::State, state.country));
    let is_name = country.code_order.is_none();
    // What the filter takes a code for.
    let alone = if country.code_order < state.code_order { as_country } else { as_state };
    let Some((previous, others)) = before.split_last() else {
        return if is_name { as_country } else { alone };
    };
    let is_above = subdivisions(previous).any(|alias| alias.country == country.country);
    if is_above && !others.is_empty() {
        return as_country;
    }
    let homes = || before.iter().flat_map(|part| fold(part)).filter_map(|form| HOMES.get(&form));
    let is_home = |home: &str| homes().any(|homes| homes.contains(&home));
    if is_home(country.country) {
        return as_country;
    }
    if states.iter().any(|state| is_home(state.key.text())) {
        return as_state;
    }
    let is_county = ["county", "parish", "borough"]
        .iter()
        .any(|word| previous.to_lowercase().split(' ').any(|found| found == *word));
    let has_digit = before.iter().any(|part| part.contains(|c: char| c.is_ascii_digit()));
    if !is_name && !others.is_empty() && !is_county && !has_digit {
        return as_country;
    }
    if is_name { as_state } else { alone }
}

/// Is it a subdivision that is given without a city? Those of other countries share their names
/// with cities (`Oslo`, `Berlin`).
fn is_given_alone(alias: &Alias) -> bool {
    let has_postal_codes = ["US", "CA", "AU"].contains(&alias.country);
    alias.kind == PlaceKind::State && has_postal_codes || alias.is_part_of_gb()
}

/// The subdivisions that a text names.
fn subdivisions(text: &str) -> impl Iterator<Item = &'static Alias> {
    let forms = fold(text);
    let found: Vec<&'static Alias> =
        aliases(&forms).filter(|alias| alias.kind == PlaceKind::State).collect();
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> String {
        let Apart { city, state, country, is_unknown } = take_apart(text);
        let parts = [city, state, country].map(Option::unwrap_or_default).join("|");
        if is_unknown { format!("{parts} ?") } else { parts }
    }

    #[test]
    fn places_are_taken_apart_from_the_right() {
        for (text, expected) in [
            ("Boise, ID", "Boise|ID|"),
            ("Lansing, Michigan", "Lansing|Michigan|"),
            ("Halifax, NS", "Halifax|NS|"),
            ("Oslo, Norway", "Oslo||Norway"),
            ("Norway", "||Norway"),
            ("Texas", "|Texas|"),
            ("Georgia", "||Georgia"),
            ("Savannah, Georgia", "Savannah|Georgia|"),
            ("Batumi, Georgia", "Batumi||Georgia"),
            ("Savannah, Georgia, USA", "Savannah|Georgia|USA"),
            ("Busan, Korea, Republic of", "Busan||Korea, Republic of"),
            ("Korea, Republic of", "||Korea, Republic of"),
            ("Oregon, USA", "|Oregon|USA"),
            ("Singapore, Singapore", "Singapore||Singapore"),
            ("Graz, Styria, Austria", "Graz|Styria|Austria"),
            (", Ontario, Canada", "|Ontario|Canada"),
            ("Washington, D.C.", "Washington|D.C.|"),
            ("Washington, D.C., DC, US", "Washington, D.C.|DC|US"),
            (
                "1 Main Street, Springfield, Illinois, USA",
                "1 Main Street, Springfield|Illinois|USA",
            ),
            ("Oslo", "Oslo||"),
            ("Wales", "|Wales|"),
            ("Scotland, UK", "|Scotland|UK"),
            ("Lyon, Rhône", "Lyon|Rhône|"),
            ("Lyon, Nowhere", "Lyon, Nowhere|| ?"),
            ("Bavaria, Germany", "Bavaria||Germany"),
            ("", "||"),
            (" , ,", "||"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn codes_of_two_places_are_told_apart() {
        for (text, expected) in [
            ("Berlin, DE", "Berlin||DE"),
            ("Wilmington, DE", "Wilmington|DE|"),
            ("Köln, DE", "Köln||DE"),
            ("Koeln, DE", "Koeln||DE"),
            ("Kleinstadt, Hessen, DE", "Kleinstadt|Hessen|DE"),
            ("San Diego, CA", "San Diego|CA|"),
            ("Toronto, CA", "Toronto||CA"),
            ("Toronto, ON, CA", "Toronto|ON|CA"),
            ("1 Infinite Loop, Cupertino, CA", "1 Infinite Loop, Cupertino|CA|"),
            ("Los Angeles, Los Angeles County, CA", "Los Angeles, Los Angeles County|CA|"),
            ("Perth, WA, AU", "Perth|WA|AU"),
            ("Perth, WA", "Perth|WA|"),
            ("Pune, IN", "Pune||IN"),
            ("Gary, IN", "Gary|IN|"),
            ("Haifa, IL", "Haifa||IL"),
            ("Amsterdam, NL", "Amsterdam||NL"),
            ("Gander, NL", "Gander|NL|"),
            ("Adelaide, SA", "Adelaide|SA|"),
            ("Riyadh, SA", "Riyadh||SA"),
            ("DE", "|DE|"),
            ("NL", "||NL"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn homes_are_countries_or_subdivisions() {
        for (home, _) in rows(CITIES_BY_HOME) {
            let code = home.split('-').next_back().unwrap_or_default();
            let found: Vec<&Alias> = aliases(&fold(code)).collect();
            let is_known = found.iter().any(|alias| alias.key.text() == home);
            assert!(is_known, "{home}");
        }
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "([A-Z]{2}|[a-z ]{0,6}|Texas|Canada|USA|DE|Berlin)(, ?([A-Z]{2}|[a-z ]{0,6}|Texas|Canada|USA|DE)){0,4}") {
            let Apart { city, state, country, .. } = take_apart(&text);
            let words = |text: &str| -> Vec<String> {
                text.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
            };
            let found: Vec<String> = [city, state, country].into_iter().flatten().flat_map(|part| words(&part)).collect();
            prop_assert_eq!(found, words(&text));
        }
    }
}
