//! Countries, subdivisions and their other names; parsing of one value of the `location` filter.
//!
//! In, at build: city, state and country of a business, as given. Out: the [`PlaceKey`]s under
//! which it is indexed. In, at query: one value of `location`. Out: a [`PlaceFilter`], its parts
//! with the keys each can mean. A business matches if the parts can be given to *different* kinds
//! so that each part has a meaning of its kind among the keys of the business. Normative: the
//! contract, section 4, "location".
//!
//! **Keys.** What a text literally is, in folded form (`c=san jose`), and what it resolves to
//! (`k@US`, `s@US-TX`, `c@new york`), and the names that an operator gave it (`c~bombay`, see
//! [`PlaceAliases`]). A stored value has its literal keys always and the entity key if it resolves;
//! so has a part of a query. Two spellings of one place meet in the entity, everything else in the
//! literal.
//!
//! **Folding** is [`fold_filter`]'s; then commas are spaces, an article in front or behind is
//! dropped, and `saint`, `sainte`, `fort` and `mount` in front are shortened. A part of which
//! nothing is left is an empty part. A value of such parts alone (`.`, `""`) is not blank: it
//! matches nothing, as a `q` without words does.
//!
//! **Commas** part a value; the longest run of what they part that is a known place is one part
//! (`Washington, D.C.`).
//!
//! **Kinds**: `city:`, `state:` or `country:` before a part, in quotes or not, binds it to that
//! kind; such a part is not cut.
//!
//! **Quotes**: a run in quotes is always a part of its own; an unclosed quote runs to the end, as
//! in `q`.
//!
//! **Names and codes.** ISO 3166-1 codes and postal codes are codes: alone they mean only the first
//! of their readings. Names keep all of theirs (`Georgia`). Of ISO names, what precedes a qualifier
//! is a name only where that is unambiguous: `Korea` alone is no country, `Congo` is CG, whose
//! whole name it is. A stored country that is unknown is a country nevertheless: no subdivision and
//! no city resolves under it. England, Scotland, Wales and Northern Ireland lie in the United
//! Kingdom, stored as state or as country.
//!
//! **Sources.** `places/countries.tsv`: ISO 3166-1, Unicode CLDR, and the names the contract lists;
//! `places/subdivisions.tsv`: the codes of USPS, Canada Post and Australia Post;
//! `places/iso_3166_2.tsv`: those of all other countries, by Unicode CLDR and ISO 3166-2;
//! `places/cities.tsv`: cities with an English name beside the local one. All say at their top what
//! they were taken from. They are tables and not a crate: those for ISO 3166 bring a
//! megabyte of subdivisions and a macro stack, and none has the names of CLDR.

mod alias;
mod folding;
mod key;
mod operator;
#[cfg(feature = "builder")]
pub mod take_apart;

pub use key::{PlaceKey, PlaceKind};
pub use operator::{BadAlias, PlaceAliases};

use crate::analyzer::fold::is_quote;
use crate::analyzer::fold_filter;
use alias::{Alias, aliases};
use folding::{fold, places_of};
use std::ops::Range;

/// Longest place in words that is looked for when a part is cut. The longest name in the tables has
/// nine; a part that is a known place as a whole is never cut, however long.
pub const PIECE_WORDS_MAX: usize = 16;

/// Fewest letters of a name of a place in `q`.
const NAME_LETTERS_MIN: usize = 3;

/// Most parts that are joined again to the name of one place.
const JOINED_PARTS_MAX: usize = 6;

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
/// A subdivision or a city resolves only under its own country or without a country; there a code
/// of several subdivisions is read in the order US, Canada, Australia, and a name of several is
/// none of them. A subdivision without a country lies in its own.
pub fn stored_keys(
    city: Option<&str>,
    state: Option<&str>,
    country: Option<&str>,
) -> Vec<PlaceKey> {
    let forms = [city, state, country].map(|value| value.map(fold).unwrap_or_default());
    let no_country = forms[2].is_empty();
    let mut countries = aliases(&forms[2]);
    let home = countries.find(|a| a.kind == PlaceKind::Country || a.is_part_of_gb());
    let home = home.map(|alias| alias.country);
    let mut keys = Vec::new();
    let mut push = |key: PlaceKey| {
        if !keys.contains(&key) {
            keys.push(key);
        }
    };
    for (kind, forms) in PlaceKind::ALL.into_iter().zip(&forms) {
        forms.iter().for_each(|form| push(PlaceKey::literal(kind, form)));
        let is_here = |alias: &&Alias| {
            kind == PlaceKind::Country || no_country || home == Some(alias.country)
        };
        if let Some(entity) = only_entity(aliases(forms).filter(|a| a.kind == kind).filter(is_here))
        {
            push(entity.key.clone());
            if kind == PlaceKind::State && no_country {
                push(PlaceKey::entity(PlaceKind::Country, entity.country));
            }
        }
        // A part of the United Kingdom is a state, wherever it stands, and that country.
        let is_own = |alias: &&Alias| alias.is_part_of_gb() && (no_country || home == Some("GB"));
        let part = aliases(forms).filter(is_own).find(|_| kind != PlaceKind::City);
        if let Some(part) = part {
            push(part.key.clone());
            push(PlaceKey::entity(PlaceKind::Country, part.country));
        }
    }
    keys
}

/// The entity that a stored value means, of those that it may mean: the name of only one, or the
/// code that is read first.
fn only_entity<'a>(entities: impl Iterator<Item = &'a Alias> + Clone) -> Option<&'a Alias> {
    let mut names = entities.clone().filter(|alias| alias.code_order.is_none());
    match names.next() {
        Some(name) => names.all(|other| other.key == name.key).then_some(name),
        None => entities.min_by_key(|alias| alias.code_order),
    }
}

/// Is the value blank (only commas and white space), and so to be treated as absent?
pub fn is_blank(value: &str) -> bool {
    value.chars().all(|c| c == ',' || c.is_whitespace())
}

/// The places that are known.
pub trait Gazetteer {
    /// Does any business have this key?
    fn has(&self, key: &PlaceKey) -> bool;

    /// May any have a name that an operator gave it?
    fn has_names(&self) -> bool;
}

impl<F: Fn(&PlaceKey) -> bool> Gazetteer for F {
    fn has(&self, key: &PlaceKey) -> bool {
        self(key)
    }

    fn has_names(&self) -> bool {
        true
    }
}

/// Parses one value of `location`.
pub fn parse(value: &str, known: &dyn Gazetteer) -> PlaceFilter {
    if is_blank(value) {
        return PlaceFilter::Blank;
    }
    let segments: Vec<Segment> = Segments { rest: value, in_quotes: false }.collect();
    let mut pieces = Vec::new();
    // The kind that stands before a quotation.
    let mut named = None;
    let mut next = 0;
    while let Some(segment) = segments.get(next) {
        let is_quoted = segment.is_quoted;
        let kind = if is_quoted { named.take() } else { segment.kind };
        let forms = places_of(segment.forms.clone());
        if forms.is_empty() {
            named = kind;
            next += 1;
            continue;
        }
        let kinds = kind.as_ref().map_or(&PlaceKind::ALL[..], std::slice::from_ref);
        let joined = (2..=joinable(&segments[next..])).rev().find_map(|len| {
            let segments = &segments[next..next + len];
            let text =
                || segments.iter().map(|segment| segment.text).collect::<Vec<_>>().join(", ");
            Some((len, Piece::known(text, &joined(segments), false, kinds, known)?))
        });
        next += joined.as_ref().map_or(1, |(len, _)| *len);
        let text = || segment.text.to_owned();
        let whole = || Piece::known(text, &forms, is_quoted, kinds, known);
        if let Some(piece) = joined.map(|(_, piece)| piece).or_else(whole) {
            pieces.push(piece);
        } else if is_quoted || kind.is_some() || !cut(&forms, known, &mut pieces) {
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

/// Is a text the name of one place? A code is none, nor is what has fewer than three letters.
pub fn is_name(text: &str, known: &dyn Gazetteer) -> bool {
    let forms = fold(text);
    let letters =
        forms.first().map_or(0, |form| form.chars().filter(|c| c.is_alphabetic()).count());
    letters >= NAME_LETTERS_MIN
        && Piece::known(String::new, &forms, false, &PlaceKind::ALL, known).is_some_and(|piece| {
            let is_read_as_name = piece.read_as.iter().any(|alias| alias.code_order.is_none());
            is_read_as_name || piece.read_as.is_empty() || !piece.named.is_empty()
        })
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
    /// What it is a name of by the operator; nothing in quotes.
    named: Vec<PlaceKey>,
}

impl Piece {
    /// The part with these folded forms, if it is an alias, or a value that a business holds, of
    /// some kinds.
    fn known(
        text: impl Fn() -> String,
        forms: &[impl AsRef<str>],
        quoted: bool,
        kinds: &[PlaceKind],
        known: &dyn Gazetteer,
    ) -> Option<Piece> {
        let is_of_kind = |alias: &&Alias| kinds.contains(&alias.kind);
        let read_as = match quoted {
            true => Vec::new(),
            false => aliases(forms).filter(is_of_kind).collect(),
        };
        let mut literals = Vec::with_capacity(kinds.len() * forms.len());
        let mut named = Vec::new();
        for &kind in kinds {
            literals.extend(forms.iter().map(|form| PlaceKey::literal(kind, form.as_ref())));
            if known.has_names() && !quoted {
                let names = forms.iter().map(|form| PlaceKey::named(kind, form.as_ref()));
                named.extend(names.filter(|name| known.has(name)));
            }
        }
        let is_place = !read_as.is_empty()
            || !named.is_empty()
            || literals.iter().any(|literal| known.has(literal));
        let name = match kinds {
            [kind] => KIND_NAMES[*kind as usize].1,
            _ => "",
        };
        let mark = if quoted { "\"" } else { "" };
        is_place.then(|| Piece {
            text: format!("{name}{mark}{}{mark}", text()),
            literals,
            read_as,
            named,
        })
    }

    fn into_part(self, alone: bool) -> PlacePart {
        let Piece { text, literals: mut meanings, read_as, named } = self;
        let first_code = read_as.iter().filter_map(|alias| alias.code_order).min();
        for alias in read_as {
            let counts = !alone || alias.code_order.is_none() || alias.code_order == first_code;
            if counts && !meanings.contains(&alias.key) {
                meanings.push(alias.key.clone());
            }
        }
        meanings.extend(named);
        PlacePart { text, meanings }
    }
}

/// Cuts a part into known places, leftmost longest, and adds them; false if that is impossible.
/// Stops early at more pieces than could ever match.
fn cut(forms: &[String], known: &dyn Gazetteer, pieces: &mut Vec<Piece>) -> bool {
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
            let text = || forms[0].clone();
            Piece::known(text, &forms, false, &PlaceKind::ALL, known).map(|piece| (to, piece))
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

/// What stands between two commas or marks of quotation.
struct Segment<'a> {
    /// Without the name of a kind, trimmed, else as given.
    text: &'a str,
    /// The kind whose name stands before it.
    kind: Option<PlaceKind>,
    is_quoted: bool,
    /// Its forms as those of a filter.
    forms: Vec<String>,
}

/// How many segments, from the first on, may be parts of one name: up to a quotation or one that is
/// bound to a kind.
fn joinable(segments: &[Segment<'_>]) -> usize {
    let can_follow = |segment: &&Segment<'_>| !segment.is_quoted && segment.kind.is_none();
    match segments.split_first() {
        Some((first, others)) if !first.is_quoted => {
            1 + others.iter().take(JOINED_PARTS_MAX - 1).take_while(can_follow).count()
        }
        _ => 0,
    }
}

/// The folded forms of segments with commas between: what [`fold`] makes of their texts, without
/// folding them again.
fn joined(segments: &[Segment<'_>]) -> Vec<String> {
    let num_forms = segments.iter().map(|segment| segment.forms.len()).max().unwrap_or_default();
    let form = |number: usize| {
        let of_segment = |segment: &Segment<'_>| {
            let form = segment.forms.get(number).or(segment.forms.last());
            form.filter(|form| !form.is_empty()).cloned()
        };
        segments.iter().filter_map(of_segment).collect::<Vec<_>>().join(",")
    };
    places_of((0..num_forms).map(form).collect())
}

/// The segments of a value.
struct Segments<'a> {
    rest: &'a str,
    in_quotes: bool,
}

impl<'a> Iterator for Segments<'a> {
    type Item = Segment<'a>;

    fn next(&mut self) -> Option<Segment<'a>> {
        let is_quote = |c: char| is_quote(c) || c == '＂';
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let is_quoted = self.in_quotes;
            let end = self.rest.find(|c| is_quote(c) || (c == ',' && !is_quoted));
            let (text, mut after) = self.rest.split_at(end.unwrap_or(self.rest.len()));
            self.in_quotes = !is_quoted && after.starts_with(is_quote);
            let mut chars = after.chars();
            if chars.next().is_some() {
                after = chars.as_str();
            }
            self.rest = after;
            let text = text.trim();
            if !text.is_empty() {
                let (kind, text) = if is_quoted { (None, text) } else { split_kind(text) };
                return Some(Segment { text, kind, is_quoted, forms: fold_filter(text) });
            }
        }
    }
}

#[cfg(test)]
mod tests;
