//! What values of `location` mean, as tables.

use super::alias::{ALIASES, CITIES, rows};
use super::*;
use std::collections::HashSet;

/// Values of `location`, tab, the businesses that match, by id.
const CASES: &str = include_str!("test_cases.tsv");

/// Id, tab, city, tab, state, tab, country; `-` is missing.
const BUSINESSES: &str = include_str!("test_businesses.tsv");

type Business = (&'static str, Vec<PlaceKey>);

fn businesses() -> Vec<Business> {
    let business = |(id, rest): (&'static str, &'static str)| {
        let mut values = rest.split('\t').map(|value| (value != "-").then_some(value));
        let mut next = || values.next().expect("three values");
        (id, stored_keys(next(), next(), next()))
    };
    rows(BUSINESSES).map(business).collect()
}

fn parsed(value: &str, businesses: &[Business]) -> PlaceFilter {
    let known: HashSet<&PlaceKey> = businesses.iter().flat_map(|(_, keys)| keys).collect();
    parse(value, &|key: &PlaceKey| known.contains(key))
}

/// Can the parts be given to different kinds, so that each finds a key of its kind?
fn matches(parts: &[PlacePart], kinds: &[PlaceKind], keys: &[PlaceKey]) -> bool {
    let Some((part, others)) = parts.split_first() else { return true };
    kinds.iter().any(|&kind| {
        let left: Vec<PlaceKind> = kinds.iter().copied().filter(|&k| k != kind).collect();
        part.of_kind(kind).any(|key| keys.contains(key)) && matches(others, &left, keys)
    })
}

#[test]
fn values_match_the_businesses_of_the_table() {
    let businesses = businesses();
    for (value, expected) in rows(CASES) {
        let found: Vec<&str> = match parsed(value, &businesses) {
            PlaceFilter::Blank => vec!["(blank)"],
            PlaceFilter::Unknown => vec!["(unknown)"],
            PlaceFilter::Parts(PlaceQuery { parts }) => businesses
                .iter()
                .filter(|(_, keys)| matches(&parts, &PlaceKind::ALL, keys))
                .map(|(id, _)| *id)
                .collect(),
        };
        let found = if found.is_empty() { "(none)".to_owned() } else { found.join(" ") };
        assert_eq!(found, expected, "location={value}");
        assert_eq!(is_blank(value), expected == "(blank)", "location={value}");
    }
}

#[test]
fn keys_are_literals_and_entities() {
    let keys = |city, state, country| -> Vec<String> {
        stored_keys(city, state, country).iter().map(PlaceKey::to_string).collect()
    };
    assert_eq!(
        keys(Some("NYC"), Some("N.Y."), Some("u.s.")),
        ["c=nyc", "c@new york", "s=ny", "s@US-NY", "k=us", "k@US"]
    );
    assert_eq!(keys(Some("Köln"), None, Some(" . ")), ["c=koln", "c=koeln", "c@cologne"]);
    assert_eq!(keys(None, Some("NT"), None), ["s=nt", "s@CA-NT", "k@CA"]);
    assert_eq!(keys(Some("Boise"), Some("Idaho"), None), ["c=boise", "s=idaho", "s@US-ID", "k@US"]);
    assert_eq!(keys(None, Some("Texas"), Some("Texas")), ["s=texas", "k=texas"]);
    assert_eq!(keys(None, Some("NT"), Some("AUS")), ["s=nt", "s@AU-NT", "k=aus", "k@AU"]);
    assert_eq!(keys(None, Some("Texas"), Some("Atlantis")), ["s=texas", "k=atlantis"]);
    assert_eq!(keys(None, None, Some("Bahamas (the)")), ["k=bahamas", "k@BS"]);
    assert_eq!(keys(None, None, None), Vec::<String>::new());
    assert_eq!(
        keys(Some("Wien"), Some("NÖ"), Some("Österreich")),
        ["c=wien", "c@vienna", "s=no", "s=noe", "k=osterreich", "k=oesterreich", "k@AT"]
    );
    assert_eq!(keys(Some("Wien"), None, Some("US")), ["c=wien", "k=us", "k@US"]);
    assert_eq!(keys(None, Some("Bayern"), None), ["s=bayern", "s@DE-BY", "k@DE"]);
    assert_eq!(
        keys(None, Some("DE-BY"), Some("Germany")),
        ["s=de by", "s@DE-BY", "k=germany", "k@DE"]
    );
    // Four countries have one.
    assert_eq!(keys(None, Some("Amazonas"), None), ["s=amazonas"]);
    assert_eq!(
        keys(None, Some("Amazonas"), Some("Brazil")),
        ["s=amazonas", "s@BR-AM", "k=brazil", "k@BR"]
    );
    assert_eq!(keys(None, None, Some("WALES")), ["k=wales", "s@GB-WLS", "k@GB"]);
    assert_eq!(keys(None, Some("Wales"), None), ["s=wales", "s@GB-WLS", "k@GB"]);
    assert_eq!(keys(None, Some("Wales"), Some("US")), ["s=wales", "k=us", "k@US"]);
}

#[test]
fn tables_are_complete_and_unambiguous() {
    let of_kind = |kind| -> HashSet<&PlaceKey> {
        ALIASES.values().flatten().filter(|a| a.kind == kind).map(|a| &a.key).collect()
    };
    assert_eq!(of_kind(PlaceKind::Country).len(), 249 + 1, "ISO 3166-1 and Kosovo");
    assert_eq!(of_kind(PlaceKind::State).len(), 51 + 13 + 8 + 5314);
    assert_eq!(of_kind(PlaceKind::City).len(), rows(CITIES).count());
    for (text, list) in ALIASES.iter() {
        for kind in [PlaceKind::Country, PlaceKind::City] {
            assert!(list.iter().filter(|a| a.kind == kind).count() <= 1, "{text}");
        }
        assert!(words(text).len() <= PIECE_WORDS_MAX, "{text}");
    }
    let contract = "America;U.S.;U.S.A.;UK;U.K.;Britain;Great Britain;UAE;Holland;Czech Republic;\
        Ivory Coast;Russia;South Korea;North Korea;Vietnam;Iran;Syria;Laos;Bolivia;Venezuela;\
        Tanzania;Moldova;Taiwan;Turkey;Macau";
    for name in contract.split(';') {
        assert!(aliases(&fold(name)).any(|a| a.kind == PlaceKind::Country), "{name}");
    }
}

#[test]
fn parts_can_be_bound_to_a_kind() {
    let is_known = |key: &PlaceKey| !key.as_str().contains('~');
    let keys = |value: &str| match parse(value, &is_known) {
        PlaceFilter::Parts(query) => {
            let keys = |part: &PlacePart| {
                part.meanings.iter().map(PlaceKey::to_string).collect::<Vec<_>>().join(" ")
            };
            query.parts.iter().map(keys).collect::<Vec<_>>().join(" | ")
        }
        other => format!("{other:?}"),
    };
    for (value, expected) in [
        ("city:New York", "c=new york c@new york"),
        ("CITY: new york", "c=new york c@new york"),
        ("state:Georgia", "s=georgia s@US-GA"),
        ("country:Georgia", "k=georgia k@GE"),
        ("country:CA", "k=ca k@CA"),
        ("state:NT", "s=nt s@CA-NT"),
        ("city:\"NYC\"", "c=nyc"),
        ("city: \"Washington, D.C.\"", "c=washington dc"),
        ("city:Washington, D.C., country:US", "c=washington dc | k=us k@US"),
        ("state:Texas, country:US", "s=texas s@US-TX | k=us k@US"),
        ("city:", "Unknown"),
        ("city:, Texas", "c=texas s=texas k=texas s@US-TX"),
    ] {
        assert_eq!(keys(value), expected, "{value}");
    }
    assert_eq!(parse("city:Texas Austin", &|_: &PlaceKey| false), PlaceFilter::Unknown);
}

#[test]
fn parts_can_be_given_again() {
    for value in ["Austin, Texas", "austin texas", "\"NYC\", ny", "city:\"San, José\",US", "Köln"]
    {
        let is_known = |key: &PlaceKey| !key.text().contains("austin ");
        let parsed = parse(value, &is_known);
        let PlaceFilter::Parts(query) = &parsed else { panic!("{value} is known") };
        let texts: Vec<&str> = query.parts.iter().map(|part| part.text.as_str()).collect();
        assert_eq!(parse(&texts.join(", "), &is_known), parsed, "{value}");
    }
}

#[test]
fn odd_values_are_harmless() {
    let long = "a ".repeat(5_000);
    let commas = ",".repeat(10_000);
    let parts = "US,".repeat(5_000);
    let texts = [&long, &commas, &parts, "\"", "“\"„”", "\"a,b\"c\"d", "\u{301}", "\0", "-'.-"];
    for text in texts {
        parse(text, &|_: &PlaceKey| false);
        parse(text, &|_: &PlaceKey| true);
        stored_keys(Some(text), Some(text), Some(text));
    }
    assert_eq!(parse(&commas, &|_: &PlaceKey| true), PlaceFilter::Blank);
    assert_eq!(parse(&parts, &|_: &PlaceKey| true), PlaceFilter::Unknown);
}

proptest::proptest! {
    #[test]
    fn any_text_gives_one_to_three_parts_or_none(text: String, bits: u8) {
        let known = |key: &PlaceKey| key.as_str().len() as u8 & 7 & bits != 0;
        if let PlaceFilter::Parts(query) = parse(&text, &known) {
            assert!((1..=3).contains(&query.parts.len()));
            assert!(query.parts.iter().all(|part| !part.meanings.is_empty()));
        }
    }
}
