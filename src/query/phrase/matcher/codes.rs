//! The codes that count for the words of a phrase, by field.

use super::WIDTH_MAX;
use crate::analyzer::plural;
use crate::query::phrase::adjacency::{Adjacent, Sought};
use crate::query::text::{Phrase, QueryWord};
use crate::snapshot::terms::{BegunTerms, Terms};
use std::cell::OnceCell;

/// Most codes of a word that the bytes of a field are searched for.
const SEARCHED_MAX: usize = 8;

/// The codes that count for the words of a phrase in some fields.
#[derive(Debug, Default)]
pub struct Codes {
    /// Code and number of the word it counts for; sorted.
    pub all: Vec<(u32, u32)>,
    /// Made at the first field that is looked at: what stands at the start of a name is found
    /// without.
    within_field: OnceCell<WithinField>,
}

/// What finds a phrase anywhere in a field.
#[derive(Clone, Debug)]
pub struct WithinField {
    /// Where in a phrase each code fits.
    pub masks: Masks,
    /// Two neighbouring words of the phrase, if there are any.
    pub adjacent: Option<Adjacent>,
}

impl Codes {
    /// The least code that counts for a word. Frequent words have small codes.
    pub fn least_of(&self, number: u32) -> Option<u32> {
        self.all.iter().find(|&&(_, other)| other == number).map(|&(code, _)| code)
    }

    /// The rarest of some words, all by their numbers.
    pub fn rarest(&self, numbers: impl Iterator<Item = u32>) -> Option<u32> {
        numbers.max_by_key(|&number| self.least_of(number))
    }

    /// Lets codes count for a word; [`Codes::sort`] is to follow.
    pub fn add(&mut self, number: u32, codes: impl Iterator<Item = u32>) {
        self.all.extend(codes.map(|code| (code, number)));
        self.within_field = OnceCell::new();
    }

    /// To be called when codes were added.
    pub fn sort(&mut self) {
        self.all.sort_unstable();
        self.all.dedup();
    }

    /// `offsets` are those of the words.
    pub fn within_field(&self, offsets: &[u32]) -> &WithinField {
        self.within_field.get_or_init(|| WithinField {
            masks: Masks::new(&self.all, offsets),
            adjacent: self.adjacent(offsets),
        })
    }

    /// Needles of two words without anything between of which the second is the rarest; none if
    /// that is so many codes that searching the bytes for each takes longer than reading the words.
    fn adjacent(&self, offsets: &[u32]) -> Option<Adjacent> {
        let codes_of = |wanted: u32| -> Vec<u32> {
            let of_word = self.all.iter().filter(|&&(_, number)| number == wanted);
            of_word.map(|&(code, _)| code).collect()
        };
        let pairs = (1..).zip(offsets.windows(2)).filter(|(_, pair)| pair[0] + 1 == pair[1]);
        let rarest = self.rarest(pairs.map(|(second, _)| second))?;
        let seconds = codes_of(rarest);
        (seconds.len() <= SEARCHED_MAX).then(|| Adjacent::new(codes_of(rarest - 1), &seconds))
    }
}

/// The places in a phrase that codes fit.
#[derive(Clone, Debug)]
pub struct Masks {
    /// Codes, sorted, and the places of each as bits.
    of_codes: Vec<(u32, u64)>,
    /// The [bits](signature_bit) of all codes: most words of a text are none of the phrase.
    signature: u64,
}

impl Masks {
    /// Of sorted codes, each with the number of the word it counts for.
    fn new(codes: &[(u32, u32)], offsets: &[u32]) -> Masks {
        let mask = |group: &[(u32, u32)]| {
            let places = group.iter().map(|&(_, number)| offsets[number as usize]);
            let bits = places.filter(|&at| at < WIDTH_MAX).fold(0, |mask, at| mask | 1u64 << at);
            (group[0].0, bits)
        };
        let of_codes: Vec<(u32, u64)> = codes.chunk_by(|a, b| a.0 == b.0).map(mask).collect();
        let signature = of_codes.iter().fold(0, |all, (code, _)| all | signature_bit(*code));
        Masks { of_codes, signature }
    }

    /// The places that a code fits.
    #[inline]
    pub fn of(&self, code: u32) -> u64 {
        if self.signature & signature_bit(code) == 0 {
            return 0;
        }
        let at = self.of_codes.binary_search_by_key(&code, |(code, _)| *code);
        at.map_or(0, |at| self.of_codes[at].1)
    }
}

#[inline]
fn signature_bit(code: u32) -> u64 {
    1 << (code & 63)
}

/// What counts in industry and description, where plurals do: up to a dozen terms for each word.
#[derive(Debug)]
pub struct ProseWords<'s> {
    words: Vec<Matching>,
    terms: &'s Terms,
    /// Which is rare.
    rarest: u32,
    /// Its codes, once somebody has asked; none if there are too many.
    sought: OnceCell<Option<Sought>>,
    /// Codes of all words.
    all: OnceCell<Codes>,
}

/// What tells the terms that match a word of a phrase.
#[derive(Debug)]
enum Matching {
    /// The only form of a word that begins [all that match it](plural::begins_related), and the
    /// terms that it begins.
    Begun(String, BegunTerms),
    /// Words to be looked up from their first letter on.
    Related(QueryWord),
}

impl<'s> ProseWords<'s> {
    /// Codes of `phrase`, of which the one with this number is rare. `begun_by` tells the terms
    /// that a word begins.
    pub fn new(
        phrase: &Phrase,
        rarest: u32,
        terms: &'s Terms,
        begun_by: impl Fn(&str) -> BegunTerms,
    ) -> ProseWords<'s> {
        let matching =
            |word: &QueryWord| match word.only_form().filter(|form| plural::begins_related(form)) {
                Some(form) => Matching::Begun(form.to_owned(), begun_by(form)),
                None => Matching::Related(word.clone()),
            };
        let words = phrase.words.iter().map(|(_, word)| matching(word)).collect();
        ProseWords { words, terms, rarest, sought: OnceCell::new(), all: OnceCell::new() }
    }

    /// May the phrase stand in a field of these bytes? Until the codes of all words have been
    /// needed, which takes the rarest in some prose, that one is looked for first: mostly it stands
    /// in names only.
    pub fn may_stand(&self, field: &[u8]) -> bool {
        if self.all.get().is_some() {
            return true;
        }
        let sought = self.sought.get_or_init(|| {
            let codes = self.codes_of(self.words.get(self.rarest as usize)?);
            (codes.len() <= SEARCHED_MAX).then(|| Sought::new(&codes))
        });
        sought.as_ref().is_none_or(|sought| sought.is_in(field))
    }

    /// The codes of all words.
    pub fn codes(&self) -> &Codes {
        self.all.get_or_init(|| {
            let mut codes = Codes::default();
            for (number, word) in (0..).zip(&self.words) {
                codes.add(number, self.codes_of(word).into_iter());
            }
            codes.sort();
            codes
        })
    }

    fn codes_of(&self, word: &Matching) -> Vec<u32> {
        let ords = match word {
            Matching::Begun(_, begun) if begun.has_no_longer() => Vec::from_iter(begun.itself()),
            Matching::Begun(form, begun) => {
                let further =
                    |word: &String| self.terms.begun_further(*begun, &word[form.len()..]).itself();
                plural::related(form).iter().filter_map(further).collect()
            }
            Matching::Related(word) => self.terms.ords(&related_terms(word)),
        };
        ords.into_iter().map(|ord| self.terms.code(ord)).collect()
    }
}

/// All words that match `word` where plurals count, whether they stand anywhere or not.
pub fn related_terms(word: &QueryWord) -> Vec<String> {
    let mut related: Vec<String> =
        word.forms.iter().flat_map(|form| plural::related(form)).collect();
    related.sort_unstable();
    related.dedup();
    related
}

#[cfg(all(test, feature = "builder"))]
mod tests;
