//! Words within an edit or two of another, as an automaton over the letters of a dictionary.
//!
//! In: a word. Out: what an fst asks of an automaton, and the distance of what it accepts: optimal string alignment, which
//! counts an insertion, a deletion, a substitution, and a swap of neighbours as one edit each.
//!
//! The states are those of the automaton that is not deterministic (S. Wu, U. Manber: "Fast text searching allowing
//! errors", 1992): one bit for each place in the word that is reached by so many edits. A step takes a dozen
//! instructions, and nothing is built beforehand. Tables of a deterministic automaton, one for each word, took 34 µs to
//! build for one and for two edits, more than a search takes where [`Edits::in_ending`] holds.

use crate::snapshot::term_endings::ENDING_LETTERS;
use crate::snapshot::terms::search::{Guide, NextBytes};
use fst::Automaton;
use std::ops::RangeInclusive;

/// Most edits.
pub const EDITS_MAX: usize = 2;

/// Longest word, in letters.
pub const LETTERS_MAX: usize = 60;

/// What is searched for: words within some edits of one.
#[derive(Clone, Debug)]
pub struct Edits {
    /// The first byte of each of its letters.
    first_bytes: [u8; LETTERS_MAX],
    /// For each ASCII character, at which places of the word it stands.
    ascii: [u64; 128],
    /// The same of the others.
    others: Vec<(char, u64)>,
    /// Letters of the word.
    len: usize,
    /// Which places may be reached by 0, 1, and 2 edits.
    allowed: [u64; EDITS_MAX + 1],
}

/// How far a word may have been read.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Reached {
    /// The places reached by 0, 1, and 2 edits.
    places: [u64; EDITS_MAX + 1],
    /// The places of which the next letter was read in the place of this one, and is swapped if this one follows.
    swapped: [u64; EDITS_MAX],
    /// A character of which some bytes were read, and how many are missing.
    character: u32,
    missing: u8,
}

impl Edits {
    /// Up to `edits_max` of `word`, which has at most [`LETTERS_MAX`] letters.
    pub fn new(word: &str, edits_max: usize) -> Edits {
        let mut first_bytes = [0; LETTERS_MAX];
        let (mut ascii, mut others, mut len) = ([0; 128], Vec::<(char, u64)>::new(), 0);
        for letter in word.chars() {
            let places = match ascii.get_mut(letter as usize) {
                Some(places) => places,
                None => {
                    let known = others.iter().position(|(other, _)| *other == letter);
                    let at = known.unwrap_or_else(|| {
                        others.push((letter, 0));
                        others.len() - 1
                    });
                    &mut others[at].1
                }
            };
            *places |= 1 << len;
            first_bytes[len] = letter.encode_utf8(&mut [0; 4]).as_bytes()[0];
            len += 1;
        }
        debug_assert!(len <= LETTERS_MAX && edits_max <= EDITS_MAX);
        let all = below(len + 1);
        let allowed = std::array::from_fn(|edits| if edits <= edits_max { all } else { 0 });
        Edits { first_bytes, ascii, others, len, allowed }
    }

    /// Of these, those with an edit among the last [`ENDING_LETTERS`] of the word: all of them, where no word that comes
    /// into question ends in the same letters.
    ///
    /// Where nothing is changed within an ending, or between two of its letters, or behind it, both words have it. So what
    /// comes before it is read with one edit less.
    pub fn in_ending(mut self) -> Edits {
        let before = below((self.len + 1).saturating_sub(ENDING_LETTERS));
        if let Some(most) = self.allowed.iter_mut().rfind(|allowed| **allowed != 0) {
            *most &= !before;
        }
        self
    }

    /// The fewest edits by which all of the word is read.
    pub fn distance(&self, reached: &Reached) -> Option<usize> {
        reached.places.iter().position(|places| places >> self.len & 1 == 1)
    }

    #[inline]
    fn places_of(&self, letter: char) -> u64 {
        match self.ascii.get(letter as usize) {
            Some(places) => *places,
            None => self.others.iter().find(|other| other.0 == letter).map_or(0, |other| other.1),
        }
    }

    #[inline]
    fn read(&self, reached: &Reached, letter: char) -> Reached {
        let here = self.places_of(letter);
        let mut next = Reached::default();
        for edits in 0..=EDITS_MAX {
            let mut places = (reached.places[edits] & here) << 1;
            if let Some(fewer) = edits.checked_sub(1) {
                let before = reached.places[fewer];
                // The letter is one too many, or stands for another; one is missing before it; it was swapped.
                places |= before | before << 1;
                places |= next.places[fewer] << 1;
                places |= (reached.swapped[fewer] & here) << 2;
            }
            next.places[edits] = places & self.allowed[edits];
            if let Some(swapped) = next.swapped.get_mut(edits) {
                *swapped = reached.places[edits] & here >> 1;
            }
        }
        next
    }
}

/// One bit for each place below `end`.
fn below(end: usize) -> u64 {
    (1 << end) - 1
}

/// How many bytes follow the first one of a character, and what the first one says of it.
fn first_byte(byte: u8) -> (u8, u32) {
    const LEADING_ONES: RangeInclusive<u32> = 2..=4;
    let ones = byte.leading_ones();
    if !LEADING_ONES.contains(&ones) {
        return (0, byte.into());
    }
    (ones as u8 - 1, u32::from(byte) & (0x7f >> ones))
}

impl Automaton for Edits {
    type State = Reached;

    fn start(&self) -> Reached {
        let mut places = [1; EDITS_MAX + 1];
        for edits in 0..=EDITS_MAX {
            let one_missing = if edits > 0 { places[edits - 1] << 1 } else { 1 };
            places[edits] = one_missing & self.allowed[edits];
        }
        Reached { places, ..Reached::default() }
    }

    fn is_match(&self, reached: &Reached) -> bool {
        reached.missing == 0 && self.distance(reached).is_some()
    }

    fn can_match(&self, reached: &Reached) -> bool {
        (reached.places, reached.swapped) != Default::default()
    }

    #[inline]
    fn accept(&self, reached: &Reached, byte: u8) -> Reached {
        if reached.missing == 0 && byte.is_ascii() {
            return self.read(reached, byte.into());
        }
        let (missing, character) = match reached.missing {
            0 => first_byte(byte),
            missing => (missing - 1, reached.character << 6 | u32::from(byte & 0x3f)),
        };
        if missing == 0 {
            let letter = char::from_u32(character).unwrap_or(char::REPLACEMENT_CHARACTER);
            return self.read(reached, letter);
        }
        Reached { missing, character, ..*reached }
    }
}

impl Guide for Edits {
    #[inline]
    fn next_bytes(&self, reached: &Reached) -> Option<NextBytes> {
        let [none, one, two] = reached.places;
        let [_, with_one, with_two] = self.allowed;
        let is_edit_left = (none | none << 1) & with_one | (one | one << 1) & with_two;
        if reached.missing > 0 || is_edit_left != 0 {
            return None;
        }
        // No edit is left but swaps: what may follow is the next letter of some place, or the one behind it.
        let nearest = none | one | two | reached.swapped[0] | reached.swapped[1];
        let mut left = (nearest | (none | one) << 1) & below(self.len);
        let mut bytes = NextBytes::default();
        while left != 0 {
            bytes.insert(self.first_bytes[left.trailing_zeros() as usize]);
            left &= left - 1;
        }
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What is reached with one more letter.
    fn read(edits: &Edits, reached: Reached, letter: char) -> Reached {
        let letter = letter.to_string();
        letter.bytes().fold(reached, |reached, byte| edits.accept(&reached, byte))
    }

    /// The distance of what the automaton accepts.
    fn found(edits: &Edits, word: &str) -> Option<usize> {
        let mut reached = edits.start();
        for letter in word.chars() {
            if !edits.can_match(&reached) {
                return None;
            }
            reached = read(edits, reached, letter);
        }
        edits.is_match(&reached).then(|| edits.distance(&reached))?
    }

    /// A word, and one that some edits made of it, or another one.
    fn two_words() -> impl Strategy<Value = (String, String)> {
        let edits = proptest::collection::vec((0usize..12, 0usize..4, "[abcäж界]"), 0..4);
        ("[abcäж界]{0,10}", edits, proptest::option::of("[abcäж界]{0,10}")).prop_map(
            |(word, edits, other)| {
                let mut letters: Vec<char> = word.chars().collect();
                for (at, kind, letter) in edits {
                    let letter = letter.chars().next().expect("there is one");
                    match kind {
                        0 => letters.insert(at.min(letters.len()), letter),
                        1 if at < letters.len() => drop(letters.remove(at)),
                        2 if at < letters.len() => letters[at] = letter,
                        3 if at + 1 < letters.len() => letters.swap(at, at + 1),
                        _ => {}
                    }
                }
                (word, other.unwrap_or_else(|| letters.into_iter().collect()))
            },
        )
    }

    /// The last letters of a word.
    fn ending(word: &str) -> Option<Vec<char>> {
        let letters: Vec<char> = word.chars().collect();
        Some(letters[letters.len().checked_sub(ENDING_LETTERS)?..].to_vec())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn distances_are_those_of_a_table((word, other) in two_words(), edits_max in 1..=EDITS_MAX) {
            let distance = strsim::osa_distance(&word, &other);
            let edits = Edits::new(&word, edits_max);
            let expected = (distance <= edits_max).then_some(distance);
            prop_assert_eq!(found(&edits, &other), expected);
            let in_ending = edits.clone().in_ending();
            for edits in [&edits, &in_ending] {
                let mut reached = edits.start();
                for letter in other.chars() {
                    let next = edits.next_bytes(&reached);
                    let next: Option<Vec<u8>> =
                        next.map(|mut next| std::iter::from_fn(|| next.pop_first()).collect());
                    for letter in "abcdäüж界".chars() {
                        let first = letter.to_string().as_bytes()[0];
                        let is_told = next.as_ref().is_none_or(|next| next.contains(&first));
                        prop_assert!(is_told || !edits.can_match(&read(edits, reached, letter)));
                    }
                    reached = read(edits, reached, letter);
                }
            }
            let in_ending = found(&in_ending, &other);
            // Whoever ends otherwise is found as before; of the others, nobody who is farther away.
            if ending(&word).is_some() && ending(&word) != ending(&other) {
                prop_assert_eq!(in_ending, expected);
            }
            if let Some(in_ending) = in_ending {
                prop_assert!(expected.is_some_and(|distance| distance <= in_ending));
            }
        }
    }

    #[test]
    fn edits_before_an_ending_are_one_less() {
        let edits = Edits::new("walkers", 1);
        assert_eq!(found(&edits, "talkers"), Some(1));
        let in_ending = edits.in_ending();
        assert_eq!(found(&in_ending, "talkers"), None);
        assert_eq!(found(&in_ending, "walkerz"), Some(1));
        assert_eq!(found(&in_ending, "walekrs"), Some(1));
        assert_eq!(found(&Edits::new("walkers", 2).in_ending(), "talkerz"), Some(2));
    }
}
