//! The words of a block, numbered as they come.

use crate::index::buffer_pool::Reuse;
use crate::index::string_arena::Texts;
use crate::snapshot::terms::next_word::follower_hash;
use rustc_hash::FxHashMap;

/// Numbers words from 0.
#[derive(Default)]
pub struct Words {
    /// The numbers of words of at most [`SHORT_MAX`] bytes: nearly all, and found without a look at
    /// their texts.
    short: FxHashMap<Short, u32>,
    long: FxHashMap<Box<str>, u32>,
    /// The words.
    pub texts: Texts,
    /// The latest posting of each word.
    pub latest: Vec<u32>,
    /// How often each stands in the block.
    pub occurrences: Vec<u32>,
    /// As followers.
    pub hashes: Vec<u8>,
}

/// Most bytes of a short word.
const SHORT_MAX: usize = 15;

/// The bytes of a short word, and its length as the last byte.
type Short = [u64; 2];

/// The word as a number, if it is short.
#[inline]
fn short(word: &[u8]) -> Option<Short> {
    let len = word.len();
    let u32_at = |at: usize| Some(u64::from(u32::from_le_bytes(*word[at..].first_chunk()?)));
    let u64_at = |at: usize| Some(u64::from_le_bytes(*word[at..].first_chunk()?));
    // Two loads that overlap give all bytes, however many there are.
    let [first, last] = match len {
        0 => [0, 0],
        1..4 => {
            let byte = |at: usize| u64::from(word[at]) << (8 * at);
            [byte(0) | byte(len / 2) | byte(len - 1), 0]
        }
        4..8 => [u32_at(0)? | u32_at(len - 4)? << (8 * (len - 4)), 0],
        8 => [u64_at(0)?, 0],
        9..=SHORT_MAX => [u64_at(0)?, u64_at(len - 8)? >> (8 * (16 - len))],
        _ => return None,
    };
    Some([first, last | (len as u64) << 56])
}

impl Words {
    /// The number of a word.
    #[inline]
    pub fn number(&mut self, text: &str) -> u32 {
        let next = self.latest.len() as u32;
        let number = match short(text.as_bytes()) {
            Some(short) => *self.short.entry(short).or_insert(next),
            None => match self.long.get(text) {
                Some(&number) => number,
                None => {
                    self.long.insert(text.into(), next);
                    next
                }
            },
        };
        if number == next {
            self.texts.push(text);
            self.latest.push(u32::MAX);
            self.occurrences.push(0);
            self.hashes.push(follower_hash(text));
        }
        number
    }
}

impl Reuse for Words {
    fn clear(&mut self) {
        self.short.clear();
        self.long.clear();
        self.texts.clear();
        self.latest.clear();
        self.occurrences.clear();
        self.hashes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn words_are_numbered_as_they_come(words in prop::collection::vec("[ab]{0,18}|.{0,8}", 0..200)) {
            let mut numbered = Words::default();
            // The second time, what the first left must not show.
            for _ in 0..2 {
                numbered.clear();
                let mut expected: HashMap<&str, u32> = HashMap::new();
                for word in &words {
                    let next = expected.len() as u32;
                    let number = *expected.entry(word).or_insert(next);
                    prop_assert_eq!(numbered.number(word), number);
                    prop_assert_eq!(numbered.texts.get(number), word);
                }
                prop_assert_eq!(numbered.texts.len() as usize, expected.len());
            }
        }

        #[test]
        fn short_words_are_told_apart(first in "[ab\0]{0,15}", second in "[ab\0]{0,15}") {
            let shorts = [&first, &second].map(|word| short(word.as_bytes()).unwrap());
            prop_assert_eq!(shorts[0] == shorts[1], first == second);
        }
    }

    #[test]
    fn a_word_of_sixteen_bytes_is_long() {
        assert!(short(&[b'a'; SHORT_MAX]).is_some());
        assert!(short(&[b'a'; SHORT_MAX + 1]).is_none());
    }
}
