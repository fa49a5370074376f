//! With which letters terms end: whether a word that stands nowhere may have been changed before its end only.
//!
//! What is an edit or two from a misspelt word is looked for in the fst of terms, letter by letter. Far from the root few
//! ways go on, but near it any letter may be changed into any other, and all of that has to be looked at. If no term with
//! the same first letter has the same ending, an edit lies in the ending, and what comes before has one less.
//!
//! ```text
//! TermEndings := u64^W: the bits (LOW + i HIGH) mod 64 W, i from 0 to 2, counted from the lowest of the first, for the
//!                first letter and the last four of every term of letters only that has so many; W is a power of two
//! ```
//!
//! LOW and HIGH are the halves of FNV-1a (Fowler, Noll, Vo) of 64 bits over these letters as UTF-8, the first letter
//! first: a filter after B. H. Bloom ("Space/time trade-offs in hash coding with allowable errors", 1970) with hashes after
//! A. Kirsch, M. Mitzenmacher ("Less hashing, same performance", 2006). A build takes 8 to 16 bits for each that differs:
//! of those that no term has, at most one in thirty seems to be there, which costs time only.

use super::error::SnapshotError;
use super::mapped::Section;
use crate::analyzer::fold::is_letter;
use crate::bytes::cast;
use rustc_hash::FxHashSet;

/// Letters of an ending.
pub const ENDING_LETTERS: usize = 4;

/// Bits for each ending, at least.
const BITS_EACH: usize = 8;

/// Bits set for each.
const BITS_SET: u32 = 3;

/// The endings of the terms of a snapshot.
pub struct TermEndings {
    section: Section,
}

impl TermEndings {
    /// Opens the endings, and checks all but which they are.
    ///
    /// # Errors
    /// Their number is no power of two.
    pub fn open([section]: [Section; 1], _num_docs: u32) -> Result<TermEndings, SnapshotError> {
        if !section.checked_slice::<u64>()?.len().is_power_of_two() {
            return Err(section.damaged("the number of words is no power of two"));
        }
        Ok(TermEndings { section })
    }

    /// May a term begin and end as a word of letters does? If not, none does. Words of fewer letters than an ending may.
    pub fn may_hold(&self, word: &str) -> bool {
        let words: &[u64] = cast(self.section.as_ref());
        let is_set = |(at, bit): (usize, u64)| words[at] & bit != 0;
        hash(word).is_none_or(|hash| places(hash, words.len()).all(is_set))
    }
}

impl std::fmt::Debug for TermEndings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TermEndings({} bytes)", self.section.as_ref().len())
    }
}

/// Collects endings, as terms are looked through.
#[derive(Default, Debug)]
pub struct Endings {
    hashes: FxHashSet<u64>,
}

impl Endings {
    /// Adds that of a term, if it has one.
    pub fn push(&mut self, term: &str) {
        if let Some(hash) = hash(term).filter(|_| term.chars().all(is_letter)) {
            self.hashes.insert(hash);
        }
    }

    /// All of both.
    #[must_use]
    pub fn with(mut self, mut others: Endings) -> Endings {
        if self.hashes.len() < others.hashes.len() {
            std::mem::swap(&mut self, &mut others);
        }
        self.hashes.extend(others.hashes);
        self
    }

    /// What the section holds.
    pub fn into_words(self) -> Vec<u64> {
        let bits = (self.hashes.len() * BITS_EACH).next_power_of_two().max(64);
        let mut words = vec![0; bits / 64];
        for hash in self.hashes {
            let places = places(hash, words.len());
            places.for_each(|(at, bit)| words[at] |= bit);
        }
        words
    }
}

/// The hash of a word that has an ending.
fn hash(word: &str) -> Option<u64> {
    let first = word.chars().next()?.len_utf8();
    let (ending, _) = word.char_indices().rev().nth(ENDING_LETTERS - 1)?;
    let bytes = word.as_bytes()[..first].iter().chain(&word.as_bytes()[ending..]);
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    Some(bytes.fold(0xcbf2_9ce4_8422_2325, step))
}

/// The bits of a hash, and the words that they are in.
fn places(hash: u64, num_words: usize) -> impl Iterator<Item = (usize, u64)> {
    let (low, high) = (hash as u32, (hash >> 32) as u32);
    let bits = (0..BITS_SET).map(move |number| low.wrapping_add(number.wrapping_mul(high)));
    bits.map(move |bit| ((bit / 64) as usize & (num_words - 1), 1 << (bit % 64)))
}

#[cfg(test)]
mod tests {
    use super::super::sections::SectionKind;
    use super::*;
    use proptest::prelude::*;

    fn opened(words: &[u64]) -> Result<TermEndings, SnapshotError> {
        let bytes = bytemuck::cast_slice(words);
        TermEndings::open([Section::copy(SectionKind::TermEndings, bytes)], 0)
    }

    proptest! {
        #[test]
        fn whoever_was_given_may_be_there(
            terms in prop::collection::btree_set("[a-dü]{1,9}|[a-d1]{3,6}", 0..60),
            asked in prop::collection::vec("[a-dü]{4,9}", 30),
        ) {
            let mut endings = Endings::default();
            terms.iter().for_each(|term| endings.push(term));
            let found = opened(&endings.into_words()).unwrap();
            let ends = |word: &str| {
                let letters: Vec<char> = word.chars().collect();
                let ending = letters.len().checked_sub(ENDING_LETTERS)?;
                letters.iter().all(|&c| is_letter(c)).then(|| (letters[0], letters[ending..].to_vec()))
            };
            for word in &asked {
                let is_there = terms.iter().any(|term| ends(term) == ends(word));
                prop_assert!(found.may_hold(word) || !is_there, "{word}");
            }
            let none = |word: &&String| !found.may_hold(word);
            // Who is not there mostly does not seem to be.
            let absent = asked.iter().filter(|word| terms.iter().all(|term| ends(term) != ends(word)));
            let absent: Vec<&String> = absent.collect();
            prop_assert!(absent.iter().filter(|word| none(word)).count() * 2 >= absent.len());
        }
    }

    #[test]
    fn what_no_build_writes_is_refused() {
        assert!(opened(&[0; 4]).is_ok());
        assert!(opened(&[]).is_err());
        assert!(opened(&[0; 3]).is_err());
    }
}
