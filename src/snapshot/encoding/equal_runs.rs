//! Where groups of equal values begin among the positions of an order: one bit a business.

use crate::bytes::cast;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::mapped::Section;
use rayon::prelude::*;
use std::ops::Range;

/// Where groups of equal values begin among the positions of an order.
#[derive(Debug)]
pub(crate) struct Groups {
    words: Words,
    /// A bit for each word that is not zero: groups may be millions long.
    summary: Vec<u64>,
}

#[derive(Debug)]
enum Words {
    Stored(Section),
    Found(Vec<u64>),
}

impl Groups {
    /// Opens the groups of names.
    pub fn open(section: Section, num_docs: usize) -> Result<Groups, SnapshotError> {
        let words: &[u64] = section.checked_slice()?;
        let begins = words.first().is_none_or(|word| word & 1 == 1);
        let unused = num_docs.next_multiple_of(64) - num_docs;
        let ends = words.last().is_none_or(|word| word.leading_zeros() as usize >= unused);
        if words.len() != num_docs.div_ceil(64) || !begins || !ends {
            return Err(section.damaged("one bit per business is expected"));
        }
        let summary = summary(words);
        Ok(Groups { words: Words::Stored(section), summary })
    }

    /// Of `len` values, each given by its place.
    pub fn from_values<V: PartialEq>(len: usize, value: impl Fn(usize) -> V + Sync) -> Groups {
        let begins = |at: usize| at == 0 || value(at) != value(at - 1);
        let word = |word: usize| {
            let places = word * 64..len.min((word + 1) * 64);
            places.fold(0, |bits, at| bits | u64::from(begins(at)) << (at % 64))
        };
        let words: Vec<u64> =
            (0..len.div_ceil(64)).into_par_iter().with_min_len(1 << 8).map(word).collect();
        Groups { summary: summary(&words), words: Words::Found(words) }
    }

    /// Of `len` positions, given by where each group ends.
    pub fn from_ends(len: usize, ends: &[u32]) -> Groups {
        let mut words = vec![0u64; len.div_ceil(64)];
        for begin in [0].into_iter().chain(ends.iter().map(|&end| end as usize)) {
            if begin < len {
                words[begin / 64] |= 1 << (begin % 64);
            }
        }
        Groups { summary: summary(&words), words: Words::Found(words) }
    }

    /// The group around a position; the last one ends at `end`.
    #[inline]
    pub fn group_of(&self, position: usize, end: usize) -> Range<usize> {
        let words = match &self.words {
            Words::Stored(section) => cast(section.as_ref()),
            Words::Found(words) => words,
        };
        let (word, bit) = (position / 64, position % 64);
        let start = last_bit(words[word], bit)
            .map(|bit| word * 64 + bit)
            .or_else(|| {
                let word = self.word_before(word)?;
                last_bit(words[word], 63).map(|bit| word * 64 + bit)
            })
            .unwrap_or(0);
        let next = first_bit_after(words[word], bit).map(|bit| word * 64 + bit).or_else(|| {
            let word = self.word_behind(word)?;
            Some(word * 64 + words[word].trailing_zeros() as usize)
        });
        start..next.map_or(end, |next| next.min(end))
    }

    /// The nearest word before `word` that is not zero.
    fn word_before(&self, word: usize) -> Option<usize> {
        let (at, bit) = (word / 64, word % 64);
        let here = bit.checked_sub(1).and_then(|bit| last_bit(self.summary[at], bit));
        if let Some(bit) = here {
            return Some(at * 64 + bit);
        }
        let at = self.summary[..at].iter().rposition(|&word| word != 0)?;
        last_bit(self.summary[at], 63).map(|bit| at * 64 + bit)
    }

    /// The nearest word behind `word` that is not zero.
    fn word_behind(&self, word: usize) -> Option<usize> {
        let (at, bit) = (word / 64, word % 64);
        if let Some(bit) = first_bit_after(self.summary[at], bit) {
            return Some(at * 64 + bit);
        }
        let behind = self.summary[at + 1..].iter().position(|&word| word != 0)? + at + 1;
        Some(behind * 64 + self.summary[behind].trailing_zeros() as usize)
    }
}

fn summary(words: &[u64]) -> Vec<u64> {
    let bits = |words: &[u64]| {
        words.iter().enumerate().fold(0, |bits, (at, &word)| bits | u64::from(word != 0) << at)
    };
    words.chunks(64).map(bits).collect()
}

/// The last bit of `word` that is set, up to `bit`.
#[inline]
fn last_bit(word: u64, bit: usize) -> Option<usize> {
    let word = word & u64::MAX >> (63 - bit);
    (word != 0).then(|| 63 - word.leading_zeros() as usize)
}

/// The first bit of `word` that is set, behind `bit`.
#[inline]
fn first_bit_after(word: u64, bit: usize) -> Option<usize> {
    let word = word & (u64::MAX << bit) << 1;
    (word != 0).then(|| word.trailing_zeros() as usize)
}
