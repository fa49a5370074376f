//! Places as keys of the snapshot's dictionary.

use super::folding::fold;
use std::fmt;

/// The three kinds of place value of a business, in the order of the response.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum PlaceKind {
    /// City or town.
    City,
    /// State, province or region.
    State,
    /// Country.
    Country,
}

impl PlaceKind {
    /// All kinds, in their order. A combination cannot have more parts than this has elements.
    pub const ALL: [PlaceKind; 3] = [PlaceKind::City, PlaceKind::State, PlaceKind::Country];

    fn letter(self) -> char {
        match self {
            PlaceKind::City => 'c',
            PlaceKind::State => 's',
            PlaceKind::Country => 'k',
        }
    }
}

/// A place a text can mean: a key of the snapshot's place dictionary.
///
/// The letter of its kind (`c`, `s`, `k` for country), then `=` and a folded text, `@` and the
/// canonical code of a resolved entity, or `~` and a name that an operator gave it: `c=san jose`,
/// `k@US`, `s@US-TX`, `c@new york`, `c~bombay`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct PlaceKey(String);

impl PlaceKey {
    /// What a folded text literally is.
    pub(super) fn literal(kind: PlaceKind, folded: &str) -> PlaceKey {
        PlaceKey::new(kind, '=', folded)
    }

    /// What a text resolves to.
    pub(super) fn entity(kind: PlaceKind, code: &str) -> PlaceKey {
        PlaceKey::new(kind, '@', code)
    }

    /// What an operator's name stands for.
    pub(super) fn named(kind: PlaceKind, folded: &str) -> PlaceKey {
        PlaceKey::new(kind, '~', folded)
    }

    /// How the keys of operators' names start in a dictionary, of each kind.
    pub fn names() -> impl Iterator<Item = String> {
        PlaceKind::ALL.into_iter().map(|kind| PlaceKey::named(kind, "").0)
    }

    /// What a text literally is, of each kind.
    pub fn literals(text: &str) -> Vec<PlaceKey> {
        let of_kind = |form: &String| PlaceKind::ALL.map(|kind| PlaceKey::literal(kind, form));
        fold(text).iter().flat_map(of_kind).collect()
    }

    fn new(kind: PlaceKind, sign: char, text: &str) -> PlaceKey {
        let mut key = String::with_capacity(2 + text.len());
        key.push(kind.letter());
        key.push(sign);
        key.push_str(text);
        PlaceKey(key)
    }

    /// The kind of place this is.
    pub fn kind(&self) -> PlaceKind {
        match self.0.as_bytes().first() {
            Some(b'c') => PlaceKind::City,
            Some(b's') => PlaceKind::State,
            _ => PlaceKind::Country,
        }
    }

    /// The key that stands as `key` in a dictionary; `None` if that is no key of a place.
    pub fn from_stored(key: &str) -> Option<PlaceKey> {
        let is_key = matches!(key.as_bytes(), [b'c' | b's' | b'k', b'=' | b'@' | b'~', ..]);
        is_key.then(|| PlaceKey(key.to_owned()))
    }

    /// The key as it stands in the dictionary.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Is this what a text literally is, and not what it resolves to?
    pub fn is_literal(&self) -> bool {
        self.0.as_bytes()[1] == b'='
    }

    /// The folded text of a literal or a name, the code of an entity.
    pub fn text(&self) -> &str {
        &self.0[2..]
    }
}

impl fmt::Display for PlaceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
