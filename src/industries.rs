//! Parsing of one value of the `industry` filter.
//!
//! In: the value, decoded, and what the snapshot knows. Out: the keys of the names in it. Values
//! are split at commas; the longest run of pieces that is a known name is one name, so that `Oil,
//! Gas & Mining` needs no quotation marks; what stands in these is literal. Normative:
//! `docs/api.md`, "industry".

use crate::analyzer::fold::is_quote;
use crate::analyzer::fold_filter;

/// Most pieces that are joined again to the name of an industry. Names of more commas, which no
/// list of industries has, but a record may, are found in quotation marks; one such record would
/// let a request of some thousand commas join them millions of times.
pub const JOINED_PIECES_MAX: usize = 16;

/// What one value names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named<K> {
    /// The keys of known names; some may be there twice.
    pub known: Vec<K>,
    /// What stands between them: pieces that are no known name, joined again where they are
    /// neighbours.
    pub unknown: Vec<String>,
}

/// Parses one value. `key_of` gives the key of a folded name, if it is known; known names have
/// `pieces_max` pieces at most.
pub fn parse<K>(value: &str, pieces_max: usize, key_of: &dyn Fn(&str) -> Option<K>) -> Named<K> {
    let pieces = split_values(value);
    let mut named = Named { known: Vec::new(), unknown: Vec::new() };
    let (mut at, mut was_unknown) = (0, false);
    while let Some(first) = pieces.get(at) {
        // The longest run of pieces that is a known name; a quoted piece stands alone.
        let runs = match first.is_quoted {
            true => 1,
            false => {
                let longest = pieces_max.min(JOINED_PIECES_MAX);
                pieces[at..].iter().take(longest).take_while(|piece| !piece.is_quoted).count()
            }
        };
        let found = (1..=runs).rev().find_map(|len| {
            let texts: Vec<&str> = pieces[at..at + len].iter().map(|piece| piece.text).collect();
            let keys: Vec<K> =
                fold_filter(&texts.join(",")).iter().filter_map(|form| key_of(form)).collect();
            (!keys.is_empty()).then_some((len, keys))
        });
        let is_unknown = found.is_none();
        if let Some((len, keys)) = found {
            named.known.extend(keys);
            at += len;
        } else {
            named.push_unknown(first, was_unknown);
            at += 1;
        }
        was_unknown = is_unknown && !first.is_quoted;
    }
    named
}

impl<K> Named<K> {
    fn push_unknown(&mut self, piece: &Piece<'_>, was_unknown: bool) {
        let text = piece.text.trim();
        match self.unknown.last_mut().filter(|_| was_unknown && !piece.is_quoted) {
            Some(last) => {
                last.push_str(", ");
                last.push_str(text);
            }
            None => self.unknown.push(text.to_owned()),
        }
    }
}

/// One of the pieces that commas separate.
struct Piece<'a> {
    text: &'a str,
    is_quoted: bool,
}

/// Splits a value at the commas outside quotation marks; blank pieces are left out.
fn split_values<'v>(value: &'v str) -> Vec<Piece<'v>> {
    let mut pieces = Vec::new();
    let mut push = |text: &'v str, is_quoted| {
        if !text.trim().is_empty() {
            pieces.push(Piece { text, is_quoted });
        }
    };
    let (mut start, mut in_quotes) = (0, false);
    for (at, c) in value.char_indices() {
        if is_quote(c) {
            push(&value[start..at], in_quotes);
            in_quotes = !in_quotes;
            start = at + c.len_utf8();
        } else if c == ',' && !in_quotes {
            push(&value[start..at], false);
            start = at + 1;
        }
    }
    push(&value[start..], in_quotes);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_what_is_none() {
        let known = ["oil", "oil,gas and mining", "a,b", "c"];
        let key_of = |form: &str| known.iter().position(|name| *name == form);
        for (value, keys, unknown) in [
            ("Oil, Gas & Mining", &[1][..], &[][..]),
            ("Oil, Gas", &[0], &["Gas"]),
            ("Gas, Mining, Oil, x", &[0], &["Gas, Mining", "x"]),
            ("\"Oil\", \"x, y\", z", &[0], &["x, y", "z"]),
            ("x, \"y\", z", &[], &["x", "y", "z"]),
            ("a,,b,c", &[2, 3], &[]),
            (" , ", &[], &[]),
        ] {
            let named = parse(value, 3, &key_of);
            let expected: Vec<String> = unknown.iter().map(|text| (*text).to_owned()).collect();
            assert_eq!((named.known, named.unknown), (keys.to_vec(), expected), "{value}");
        }
    }
}
