//! Words that begin like a word of `q`: Universität, University.

use crate::ids::TermOrd;
use crate::query::text::{Clause, Term};
use crate::snapshot::Snapshot;

/// Akin are words that begin alike in this share, or more, of the letters of the longer one; the
/// share is what a word counts of which only an akin word is in the name.
const SHARE_MIN: f64 = 0.5;

/// Fewest letters in which akin words begin alike, and fewest of a word that has any.
const LETTERS_MIN: usize = 4;
const WORD_LETTERS_MIN: usize = 5;

/// The letters of a plain word of `q`, and those that each akin word begins with.
fn start(clause: &Clause) -> Option<(&str, String)> {
    let Term::Word(word) = &clause.term else { return None };
    let form = word.forms[0].as_str();
    let letters = form.chars().count();
    if clause.is_quoted || letters < WORD_LETTERS_MIN {
        return None;
    }
    let least = ((letters as f64 * SHARE_MIN).ceil() as usize).max(LETTERS_MIN);
    Some((form, form.chars().take(least).collect()))
}

/// The words that are not too long to be akin to this one, by what they begin with.
struct NotTooLong<'a>(&'a str);

/// How a word begins.
#[derive(Clone, Copy)]
struct Beginning {
    /// Bytes that are as in the other word.
    alike: usize,
    is_alike: bool,
    letters: usize,
}

impl fst::Automaton for NotTooLong<'_> {
    type State = Beginning;

    fn start(&self) -> Beginning {
        Beginning { alike: 0, is_alike: true, letters: 0 }
    }

    fn is_match(&self, state: &Beginning) -> bool {
        self.can_match(state)
    }

    fn can_match(&self, state: &Beginning) -> bool {
        let alike = self.0.bytes().take(state.alike).filter(|&byte| begins_letter(byte)).count();
        state.is_alike || alike as f64 >= state.letters as f64 * SHARE_MIN
    }

    fn accept(&self, state: &Beginning, byte: u8) -> Beginning {
        let is_alike = state.is_alike && self.0.as_bytes().get(state.alike) == Some(&byte);
        Beginning {
            alike: state.alike + usize::from(is_alike),
            is_alike,
            letters: state.letters + usize::from(begins_letter(byte)),
        }
    }
}

/// Is a byte of UTF-8 the first of a letter?
fn begins_letter(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}

/// The words of names that begin like a plain word of `q`, each with what it counts. Looks at all
/// words that begin with as many letters of it as an akin word has at least, and are not too long.
pub fn words(snapshot: &Snapshot, clause: &Clause) -> Vec<(TermOrd, f64)> {
    let Some((form, start)) = start(clause) else { return Vec::new() };
    let mut words = snapshot.name_words().search(&start, NotTooLong(form));
    words.retain(|other| other != form && share(form, other) >= SHARE_MIN);
    let shares = words.iter().map(|other| share(form, other));
    snapshot.terms().ords(&words).into_iter().zip(shares).collect()
}

/// The share of the letters of the longer word in which two begin alike.
fn share(one: &str, other: &str) -> f64 {
    let alike = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    alike as f64 / one.chars().count().max(other.chars().count()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use fst::{IntoStreamer, Streamer};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn no_akin_word_is_too_long(form in "[abü]{1,9}", words in prop::collection::btree_set("[abü]{0,12}", 0..80)) {
            let set = fst::Set::from_iter(&words).unwrap();
            let mut found = BTreeSet::new();
            let mut stream = set.search(NotTooLong(&form)).into_stream();
            while let Some(word) = stream.next() {
                found.insert(String::from_utf8(word.to_vec()).unwrap());
            }
            let is_akin = |word: &&String| share(&form, word) >= SHARE_MIN;
            let akin: BTreeSet<&String> = words.iter().filter(is_akin).collect();
            prop_assert!(akin.iter().all(|word| found.contains(*word)));
            let is_too_long = |word: &&String| word.chars().count() > 2 * form.chars().count();
            prop_assert_eq!(found.iter().find(is_too_long), None);
        }
    }
}
