//! Countries, subdivisions and their other names; parsing of one value of the `location` filter.
//!
//! In, at build: city, state and country of a business, as given. Out: the [`PlaceKey`]s under
//! which it is indexed. In, at query: one value of `location`. Out: a [`PlaceFilter`], its parts
//! with the keys each can mean. A business matches if the parts can be given to *different* kinds
//! so that each part has a meaning of its kind among the keys of the business. Normative: the
//! contract, section 4, "location".
//!
//! **Keys.** What a text literally is, in folded form (`c=san jose`), and what it resolves to
//! (`k@US`, `s@US-TX`, `c@new york`). A stored value has its literal keys always and the entity key
//! if it resolves; so has a part of a query. Two spellings of one place meet in the entity,
//! everything else in the literal.
//!
//! **Folding** is [`fold_filter`](crate::analyzer::fold_filter)'s, then dots and apostrophes are
//! dropped and hyphens and dashes are spaces; after it, so that full-width signs are seen too. A
//! part of which nothing is left is an empty part. A value of such parts alone (`.`, `""`) is not
//! blank: it matches nothing, as a `q` without words does.
//!
//! **Kinds**: `city:`, `state:` or `country:` before a part, in quotes or not, binds it to that
//! kind; such a part is not cut.
//!
//! **Quotes**: a run in quotes is always a part of its own; an unclosed quote runs to the end, as
//! in `q`.
//!
//! **Names and codes.** ISO 3166-1 codes and postal codes are codes: alone they mean only the first
//! of their readings. Names keep all of theirs (`Georgia`). A country's name may have `the` before
//! or `(the)` behind it, stored and queried (`The Netherlands`). Of ISO names, what precedes a
//! qualifier is a name only where that is unambiguous: `Korea` alone is no country, `Congo` is CG,
//! whose whole name it is. A stored country that is unknown is a country nevertheless: no
//! subdivision code resolves under it.
//!
//! **Sources.** `places/countries.tsv`: ISO 3166-1, Unicode CLDR, and the names the contract lists;
//! `places/subdivisions.tsv`: the codes of USPS, Canada Post and Australia Post. Both say at their
//! top what they were taken from. They are tables and not a crate: those for ISO 3166 bring a
//! megabyte of subdivisions and a macro stack, and none has the names of CLDR.

mod alias;
mod folding;
mod key;
#[cfg(feature = "builder")]
pub mod take_apart;

pub use key::{PlaceKey, PlaceKind};

use crate::analyzer::fold::is_quote;
use alias::{Alias, aliases};
use folding::fold;
use std::ops::Range;

/// Longest place in words that is looked for when a part is cut. The longest name in the tables has
/// nine; a part that is a known place as a whole is never cut, however long.
const PIECE_WORDS_MAX: usize = 16;

/// One part of a `location` value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlacePart {
    /// A text that means the same.
    pub text: String,
    /// What it can mean, each once; any of them matches.
    pub meanings: Vec<PlaceKey>,
}

impl PlacePart {
    /// The meanings of one kind.
    pub fn of_kind(&self, kind: PlaceKind) -> impl Iterator<Item = &PlaceKey> {
        self.meanings.iter().filter(move |key| key.kind() == kind)
    }
}

/// A combination: one to three parts that must each match a *different* kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlaceQuery {
    /// The parts, in the order given; never empty, never more than there are kinds.
    pub parts: Vec<PlacePart>,
}

/// What one value of `location` asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlaceFilter {
    /// Nothing given: as if the parameter were absent.
    Blank,
    /// No place, or more parts than a business has values: matches nothing.
    Unknown,
    /// A place, or a combination of places.
    Parts(PlaceQuery),
}

/// The keys under which a stored location is indexed: for each present value its literal keys (two
/// of an umlaut word) and, if it resolves, the key of the entity.
///
/// A subdivision resolves only under its own country or without a country; there a code of several
/// of them is read in the order US, Canada, Australia, and its country is the country.
pub fn stored_keys(
    city: Option<&str>,
    state: Option<&str>,
    country: Option<&str>,
) -> Vec<PlaceKey> {
    let forms = [city, state, country].map(|value| value.map(fold).unwrap_or_default());
    let home = aliases(&forms[2]).find(|a| a.kind == PlaceKind::Country).map(|a| a.country);
    let no_country = forms[2].is_empty();
    let mut keys = Vec::new();
    for (kind, forms) in PlaceKind::ALL.into_iter().zip(&forms) {
        keys.extend(forms.iter().map(|form| PlaceKey::literal(kind, form)));
        let entity = aliases(forms)
            .filter(|a| a.kind == kind)
            .filter(|a| kind != PlaceKind::State || no_country || home == Some(a.country))
            .min_by_key(|a| a.code_order);
        keys.extend(entity.map(|a| a.key.clone()));
        let implied = entity.filter(|_| kind == PlaceKind::State && no_country);
        keys.extend(implied.map(|a| PlaceKey::entity(PlaceKind::Country, a.country)));
    }
    keys
}

/// Is the value blank (only commas and white space), and so to be treated as absent?
pub fn is_blank(value: &str) -> bool {
    value.chars().all(|c| c == ',' || c.is_whitespace())
}

/// Parses one value of `location`. `is_known` says whether the snapshot's dictionary has a literal
/// key.
pub fn parse(value: &str, is_known: &dyn Fn(&PlaceKey) -> bool) -> PlaceFilter {
    if is_blank(value) {
        return PlaceFilter::Blank;
    }
    let mut pieces = Vec::new();
    // The kind that stands before a quotation.
    let mut named = None;
    for (text, quoted) in (Segments { rest: value, in_quotes: false }) {
        let (kind, text) = if quoted { (named.take(), text) } else { split_kind(text) };
        let forms = fold(text);
        if forms.is_empty() {
            named = kind;
            continue;
        }
        let kinds = kind.as_ref().map_or(&PlaceKind::ALL[..], std::slice::from_ref);
        if let Some(piece) = Piece::known(text, &forms, quoted, kinds, is_known) {
            pieces.push(piece);
        } else if quoted || kind.is_some() || !cut(&forms, is_known, &mut pieces) {
            return PlaceFilter::Unknown;
        }
        if pieces.len() > PlaceKind::ALL.len() {
            return PlaceFilter::Unknown;
        }
    }
    let alone = pieces.len() == 1;
    let parts: Vec<PlacePart> = pieces.into_iter().map(|piece| piece.into_part(alone)).collect();
    if parts.is_empty() { PlaceFilter::Unknown } else { PlaceFilter::Parts(PlaceQuery { parts }) }
}

/// The names of kinds that may stand before a part.
const KIND_NAMES: [(PlaceKind, &str); PlaceKind::ALL.len()] =
    [(PlaceKind::City, "city:"), (PlaceKind::State, "state:"), (PlaceKind::Country, "country:")];

/// The kind that a part is bound to, if any, and the rest of it.
fn split_kind(text: &str) -> (Option<PlaceKind>, &str) {
    let named = KIND_NAMES.iter().find_map(|&(kind, name)| {
        let (start, rest) = text.split_at_checked(name.len())?;
        start.eq_ignore_ascii_case(name).then(|| (Some(kind), rest.trim_start()))
    });
    named.unwrap_or((None, text))
}

/// A text for `location` that asks for a stored value as a place of its kind; none if the value has
/// quotation marks, which no text can ask for.
pub fn text_of(kind: PlaceKind, value: &str) -> Option<String> {
    if value.contains(|c| is_quote(c) || c == '＂') {
        return None;
    }
    let name = KIND_NAMES[kind as usize].1;
    Some(if value.contains(',') { format!("{name}\"{value}\"") } else { format!("{name}{value}") })
}

/// A part of a location, bound to a kind.
pub fn bound(kind: PlaceKind, part: &str) -> String {
    KIND_NAMES[kind as usize].1.to_owned() + part
}

/// A part that is a known place.
struct Piece {
    /// A text that means the same.
    text: String,
    /// What it literally is, of each kind.
    literals: Vec<PlaceKey>,
    /// What it stands for besides; nothing in quotes.
    read_as: Vec<&'static Alias>,
}

impl Piece {
    /// The part with these folded forms, if it is an alias, or a value that a business holds, of
    /// some kinds.
    fn known(
        text: &str,
        forms: &[impl AsRef<str>],
        quoted: bool,
        kinds: &[PlaceKind],
        is_known: &dyn Fn(&PlaceKey) -> bool,
    ) -> Option<Piece> {
        let is_of_kind = |alias: &&Alias| kinds.contains(&alias.kind);
        let read_as = match quoted {
            true => Vec::new(),
            false => aliases(forms).filter(is_of_kind).collect(),
        };
        let mut literals = Vec::with_capacity(kinds.len() * forms.len());
        for &kind in kinds {
            literals.extend(forms.iter().map(|form| PlaceKey::literal(kind, form.as_ref())));
        }
        let is_place = !read_as.is_empty() || literals.iter().any(is_known);
        let name = match kinds {
            [kind] => KIND_NAMES[*kind as usize].1,
            _ => "",
        };
        let mark = if quoted { "\"" } else { "" };
        is_place.then(|| Piece { text: format!("{name}{mark}{text}{mark}"), literals, read_as })
    }

    fn into_part(self, alone: bool) -> PlacePart {
        let Piece { text, literals: mut meanings, read_as } = self;
        let first_code = read_as.iter().filter_map(|alias| alias.code_order).min();
        for alias in read_as {
            let counts = !alone || alias.code_order.is_none() || alias.code_order == first_code;
            if counts && !meanings.contains(&alias.key) {
                meanings.push(alias.key.clone());
            }
        }
        PlacePart { text, meanings }
    }
}

/// Cuts a part into known places, leftmost longest, and adds them; false if that is impossible.
/// Stops early at more pieces than could ever match.
fn cut(forms: &[String], is_known: &dyn Fn(&PlaceKey) -> bool, pieces: &mut Vec<Piece>) -> bool {
    let mut cuttable: Vec<(&str, Vec<Range<usize>>)> =
        forms.iter().map(|form| (form.as_str(), words(form))).collect();
    // The forms differ within words only; should that ever change, the first one decides.
    let count = cuttable.first().map_or(0, |(_, words)| words.len());
    cuttable.retain(|(_, words)| words.len() == count);

    let mut from = 0;
    while from < count && pieces.len() <= PlaceKind::ALL.len() {
        let longest = count.min(from + PIECE_WORDS_MAX);
        let found = (from + 1..=longest).rev().find_map(|to| {
            let slice = |(form, words): &(&str, Vec<Range<usize>>)| {
                form[words[from].start..words[to - 1].end].to_owned()
            };
            let mut forms: Vec<String> = cuttable.iter().map(slice).collect();
            forms.dedup();
            let text = &forms[0];
            Piece::known(text, &forms, false, &PlaceKind::ALL, is_known).map(|piece| (to, piece))
        });
        let Some((to, piece)) = found else { return false };
        pieces.push(piece);
        from = to;
    }
    true
}

/// Where the words of a folded text stand.
fn words(form: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let word = |word: &str| {
        let range = start..start + word.len();
        start = range.end + 1;
        range
    };
    form.split(' ').map(word).collect()
}

/// The parts of a value, trimmed, as given, each with whether it stood in quotes.
struct Segments<'a> {
    rest: &'a str,
    in_quotes: bool,
}

impl<'a> Iterator for Segments<'a> {
    type Item = (&'a str, bool);

    fn next(&mut self) -> Option<(&'a str, bool)> {
        let is_quote = |c: char| is_quote(c) || c == '＂';
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let quoted = self.in_quotes;
            let end = self.rest.find(|c| is_quote(c) || (c == ',' && !quoted));
            let (text, mut after) = self.rest.split_at(end.unwrap_or(self.rest.len()));
            self.in_quotes = !quoted && after.starts_with(is_quote);
            let mut chars = after.chars();
            if chars.next().is_some() {
                after = chars.as_str();
            }
            self.rest = after;
            let text = text.trim();
            if !text.is_empty() {
                return Some((text, quoted));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::alias::{ALIASES, CITIES, rows};
    use super::*;
    use std::collections::HashSet;

    /// Values of `location`, tab, the businesses that match, by id.
    const CASES: &str = include_str!("places/test_cases.tsv");

    /// Id, tab, city, tab, state, tab, country; `-` is missing.
    const BUSINESSES: &str = include_str!("places/test_businesses.tsv");

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
        parse(value, &|key| known.contains(key))
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
        assert_eq!(keys(Some("Köln"), None, Some(" . ")), ["c=koln", "c=koeln"]);
        assert_eq!(keys(None, Some("NT"), None), ["s=nt", "s@CA-NT", "k@CA"]);
        assert_eq!(
            keys(Some("Boise"), Some("Idaho"), None),
            ["c=boise", "s=idaho", "s@US-ID", "k@US"]
        );
        assert_eq!(keys(None, Some("Texas"), Some("Texas")), ["s=texas", "k=texas"]);
        assert_eq!(keys(None, Some("NT"), Some("AUS")), ["s=nt", "s@AU-NT", "k=aus", "k@AU"]);
        assert_eq!(keys(None, Some("Texas"), Some("Atlantis")), ["s=texas", "k=atlantis"]);
        assert_eq!(keys(None, None, Some("Bahamas (the)")), ["k=bahamas (the)", "k@BS"]);
        assert_eq!(keys(None, None, None), Vec::<String>::new());
    }

    #[test]
    fn tables_are_complete_and_unambiguous() {
        let of_kind = |kind| -> HashSet<&PlaceKey> {
            ALIASES.values().flatten().filter(|a| a.kind == kind).map(|a| &a.key).collect()
        };
        assert_eq!(of_kind(PlaceKind::Country).len(), 249 + 1, "ISO 3166-1 and Kosovo");
        assert_eq!(of_kind(PlaceKind::State).len(), 51 + 13 + 8);
        assert_eq!(of_kind(PlaceKind::City).len(), CITIES.len());
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
        let keys = |value: &str| match parse(value, &|_| true) {
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
            ("city: \"Washington, D.C.\"", "c=washington,dc"),
            ("state:Texas, country:US", "s=texas s@US-TX | k=us k@US"),
            ("city:", "Unknown"),
            ("city:, Texas", "c=texas s=texas k=texas s@US-TX"),
        ] {
            assert_eq!(keys(value), expected, "{value}");
        }
        assert_eq!(parse("city:Texas Austin", &|_| false), PlaceFilter::Unknown);
    }

    #[test]
    fn parts_can_be_given_again() {
        for value in
            ["Austin, Texas", "austin texas", "\"NYC\", ny", "city:\"San, José\",US", "Köln"]
        {
            let is_known = |key: &PlaceKey| !key.text().contains(' ');
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
            parse(text, &|_| false);
            parse(text, &|_| true);
            stored_keys(Some(text), Some(text), Some(text));
        }
        assert_eq!(parse(&commas, &|_| true), PlaceFilter::Blank);
        assert_eq!(parse(&parts, &|_| true), PlaceFilter::Unknown);
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
}
