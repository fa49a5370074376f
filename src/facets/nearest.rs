//! The known value that an unknown one may have meant.
//!
//! An automaton of the folded text walks the keys of the dictionary that are within two edits (a
//! swap of neighbours counts one): what it costs depends on these, not on the dictionary.

use crate::ids::DocId;
use crate::places::{PlaceKey, PlaceKind};
use crate::query::request::Valued;
use crate::snapshot::Snapshot;
use crate::snapshot::columns::facets::TextFacet;
use crate::snapshot::terms::dictionary::Dictionary;
use levenshtein_automata::{Distance, LevenshteinAutomatonBuilder};
use std::cmp::Reverse;
use std::sync::LazyLock;

/// Most edits between a text and what it may have meant.
const EDITS_MAX: u8 = 2;

/// Fewest characters of a text that is looked for with so many edits; shorter ones may be anything.
const CHARS_MIN: [usize; EDITS_MAX as usize + 1] = [0, 4, 7];

/// Most characters of such a text.
const CHARS_MAX: usize = 64;

/// Builds automata. Built once: it takes some tenths of a millisecond.
static AUTOMATA: LazyLock<LevenshteinAutomatonBuilder> =
    LazyLock::new(|| LevenshteinAutomatonBuilder::new(EDITS_MAX, true));

/// The known value nearest to a text that names none, as most records write it; of several the one
/// of most documents.
pub fn nearest(snapshot: &Snapshot, filter: Valued, text: &str) -> Option<String> {
    match filter {
        Valued::Industry => {
            let keys = crate::analyzer::fold_filter(text);
            let (_, doc) = best(snapshot.industries(), &keys, text)?;
            written(snapshot, TextFacet::Industry, doc)
        }
        // A combination is as unknown as its first part that is no place.
        Valued::Location => text.split(',').find_map(|part| nearest_place(snapshot, part)),
    }
}

fn nearest_place(snapshot: &Snapshot, part: &str) -> Option<String> {
    let keys: Vec<String> = PlaceKey::literals(part).iter().map(PlaceKey::to_string).collect();
    if keys.iter().any(|key| snapshot.places().ord(key).is_some()) {
        return None;
    }
    let (key, doc) = best(snapshot.places(), &keys, part)?;
    let facet = match PlaceKey::from_stored(&key)?.kind() {
        PlaceKind::City => TextFacet::City,
        PlaceKind::State => TextFacet::State,
        PlaceKind::Country => TextFacet::Country,
    };
    written(snapshot, facet, doc)
}

/// The nearest key to any of `keys`, and a document that has it.
fn best(dictionary: &Dictionary, keys: &[String], text: &str) -> Option<(String, DocId)> {
    let chars = text.trim().chars().count();
    let edits = CHARS_MIN.iter().rposition(|&min| chars >= min)? as u8;
    if edits == 0 || chars > CHARS_MAX {
        return None;
    }
    let mut found: Vec<(u8, Reverse<usize>, String, DocId)> = Vec::new();
    for key in keys {
        let automaton = AUTOMATA.build_dfa(key);
        dictionary.search(&automaton, |other, postings| {
            // Both have the same mark of their kind before the text.
            let is_alike = !is_place(key) || other.get(..2) == key.get(..2);
            match automaton.eval(other) {
                Distance::Exact(distance) if distance <= edits && is_alike => {
                    let entry =
                        (distance, Reverse(postings.len()), other.to_owned(), postings.first());
                    found.push(entry);
                }
                _ => {}
            }
        });
    }
    let (_, _, key, doc) = found.into_iter().min()?;
    Some((key, doc))
}

fn is_place(key: &str) -> bool {
    PlaceKey::from_stored(key).is_some()
}

/// The value of a document, as most records write it.
fn written(snapshot: &Snapshot, facet: TextFacet, doc: DocId) -> Option<String> {
    let column = snapshot.facet(facet);
    let value = column.members(column.set_of(doc)).first()?;
    Some(column.text(*value).to_owned())
}
