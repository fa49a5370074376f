//! Spelling: what a word that stands nowhere may have meant.
//!
//! In: a word. Out: its [`Readings`]. Words of the dictionary at the smallest edit distance come
//! from an automaton run over the fst of terms (Schulz, Mihov: "Fast string correction with
//! Levenshtein automata", 2002). The distance is optimal string alignment: an insertion, a
//! deletion, a substitution and a swap of neighbours are one edit each. Contract, section 3,
//! "Correction".
//!
//! Cost: building the automaton of the word, then walking the part of the dictionary within reach
//! that begins with the same letter; entered only for words that nothing matches.

use crate::analyzer::fold::is_letter;
use crate::query::session::Session;
use crate::query::text::{Clause, Phrase, QueryWord, Term};
use levenshtein_automata::LevenshteinAutomatonBuilder;
use std::sync::LazyLock;

/// Words of this many characters are corrected.
const CHARS: std::ops::RangeInclusive<usize> = 5..=32;

/// From this many characters on two edits are tried.
const TWO_EDITS_CHARS_MIN: usize = 7;

/// Most words that a word is read as.
const READINGS_MAX: usize = 16;

/// Builders of the automata of words, for one edit and for two. Built once: 0.3 ms.
static AUTOMATA: LazyLock<[LevenshteinAutomatonBuilder; 2]> =
    LazyLock::new(|| [1, 2].map(|edits| LevenshteinAutomatonBuilder::new(edits, true)));

/// What a word may have meant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Readings {
    /// Indexed words, the one of most businesses first.
    pub words: Vec<QueryWord>,
    /// The word cut in two that stand next to each other in some name.
    pub split: Option<Phrase>,
}

impl Readings {
    /// Is there no reading?
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.split.is_none()
    }

    /// The first reading, as text.
    pub fn first(&self) -> Option<String> {
        match (self.words.first(), &self.split) {
            (Some(word), _) => Some(word.forms[0].clone()),
            (None, Some(split)) => {
                let words: Vec<&str> =
                    split.words.iter().map(|(_, word)| word.forms[0].as_str()).collect();
                Some(words.join(" "))
            }
            (None, None) => None,
        }
    }
}

/// The word of a clause, if the clause is of a kind that is ever corrected.
pub fn correctable(clause: &Clause) -> Option<&QueryWord> {
    let Term::Word(word) = &clause.term else { return None };
    let form = &word.forms[0];
    let is_fit = !clause.is_quoted
        && !clause.is_starred
        && CHARS.contains(&form.chars().count())
        && form.chars().all(is_letter);
    is_fit.then_some(word)
}

/// The readings of a word.
pub fn readings(session: &Session<'_>, word: &QueryWord) -> Readings {
    let form = word.forms[0].as_str();
    let mut words = within(session, form, 1);
    if words.is_empty() && form.chars().count() >= TWO_EDITS_CHARS_MIN {
        words = within(session, form, 2);
    }
    Readings { words, split: split(session, form) }
}

/// Indexed words within some edits of a word other than itself: letters only, same first letter.
fn within(session: &Session<'_>, form: &str, edits_max: usize) -> Vec<QueryWord> {
    let terms = session.snapshot().terms();
    let first = form.chars().next().unwrap_or_default();
    let automaton = AUTOMATA[edits_max - 1].build_dfa(form);
    let mut found: Vec<(usize, String)> = Vec::new();
    terms.search(&first.to_string(), automaton, |term, ord| {
        if term != form && term.chars().all(is_letter) {
            let count = terms.lists(ord).any().len();
            found.push((count, term.to_owned()));
        }
    });
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found.truncate(READINGS_MAX);
    found.into_iter().map(|(_, term)| QueryWord::of_form(term)).collect()
}

/// The leftmost cut of a word into two that stand next to each other in some name or alias.
fn split(session: &Session<'_>, form: &str) -> Option<Phrase> {
    let word = |text: &str| QueryWord::of_form(text.to_owned());
    form.char_indices().skip(1).find_map(|(at, _)| {
        let (left, right) = (word(&form[..at]), word(&form[at..]));
        // Most cuts fail here, at the price of two look-ups.
        let is_nowhere = |word| {
            session.word_in_name(word).is_nothing() && session.word_in_alias(word).is_nothing()
        };
        if is_nowhere(&left) || is_nowhere(&right) {
            return None;
        }
        let phrase = Phrase { words: vec![(0, left), (1, right)], width: 2 };
        let is_held = !session.phrase_in_names(&phrase).is_empty()
            || !session.phrase_in_aliases(&phrase).is_empty();
        is_held.then_some(phrase)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use levenshtein_automata::Distance;

    /// All words of up to five of three letters, two of which begin with the same byte.
    fn words() -> Vec<String> {
        let mut words = vec![String::new()];
        let mut first = 0;
        for _ in 0..5 {
            let end = words.len();
            for at in first..end {
                words.extend(['ä', 'ö', '界'].map(|letter| format!("{}{letter}", words[at])));
            }
            first = end;
        }
        words
    }

    #[test]
    fn automata_measure_optimal_string_alignment() {
        let words = words();
        for (automata, edits_max) in AUTOMATA.iter().zip(1..) {
            for word in &words {
                let automaton = automata.build_dfa(word);
                for other in &words {
                    let found = match automaton.eval(other) {
                        Distance::Exact(found) => Some(usize::from(found)),
                        Distance::AtLeast(_) => None,
                    };
                    let distance = strsim::osa_distance(word, other);
                    let expected = (distance <= edits_max).then_some(distance);
                    assert_eq!(found, expected, "{word} {other}");
                }
            }
        }
    }
}
