//! Terms of `q` as text.

use crate::query::text::{Phrase, QueryWord, Term};

/// A term as text.
pub(super) fn show_term(term: &Term) -> String {
    match term {
        Term::Word(word) => show_word(word),
        Term::Compound { joined, parts } => {
            format!("{} = {}", show_word(joined), show_phrase(parts))
        }
        Term::Phrase(phrase) => show_phrase(phrase),
        Term::Host { name, path, .. } => format!("host {name}{}", path.as_deref().unwrap_or("")),
    }
}

/// A word as text: its forms.
pub(super) fn show_word(word: &QueryWord) -> String {
    word.forms.join("|")
}

/// A phrase as text.
pub(super) fn show_phrase(phrase: &Phrase) -> String {
    let words: Vec<String> = phrase.words.iter().map(|(_, word)| show_word(word)).collect();
    format!("\"{}\"", words.join(" "))
}
