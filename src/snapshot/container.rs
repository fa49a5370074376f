//! What a chunk of postings holds: up to 65,536 lower halves of `DocId`s, as an array or as a bitmap.

use crate::simd::{count_ones, is_among, vectorized};

/// Words of a chunk's bitmap.
pub const BITMAP_WORDS: usize = 1024;

/// The `DocId`s of one chunk: the lower 16 bits of each.
#[derive(Clone, Copy, Debug)]
pub enum Container<'a> {
    /// Sorted lower halves.
    Array(&'a [u16]),
    /// One bit for every possible lower half, and how many are set.
    Bitmap(&'a [u64; BITMAP_WORDS], u32),
}

impl<'a> Container<'a> {
    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Container::Array(lows) => lows.len(),
            Container::Bitmap(_, count) => *count as usize,
        }
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The least of them.
    pub fn first(&self) -> u16 {
        match self {
            Container::Array(lows) => lows[0],
            Container::Bitmap(words, _) => {
                let word = words.iter().position(|&word| word != 0).unwrap_or_default();
                (word * 64) as u16 + (words[word].trailing_zeros() & 63) as u16
            }
        }
    }

    /// Is `low` among them?
    #[inline]
    pub fn contains(&self, low: u16) -> bool {
        match self {
            Container::Array(lows) => holds(lows, low),
            Container::Bitmap(words, _) => words[usize::from(low >> 6)] >> (low & 63) & 1 == 1,
        }
    }

    /// Calls `visit` with all of them, ascending.
    #[inline]
    pub fn for_each(&self, visit: impl FnMut(u16)) {
        match self {
            Container::Array(lows) => lows.iter().copied().for_each(visit),
            Container::Bitmap(words, _) => {
                for_each_bit(words.iter().copied(), visit);
            }
        }
    }

    /// How many are below `low`, which may be 65,536?
    pub fn rank(&self, low: u32) -> usize {
        match self {
            Container::Array(lows) => lows.partition_point(|&other| u32::from(other) < low),
            Container::Bitmap(words, _) => {
                let (word, bit) = (low as usize >> 6, low & 63);
                let rest = words.get(word).map_or(0, |word| (word & ((1 << bit) - 1)).count_ones());
                count_ones(&words[..word]) + rest as usize
            }
        }
    }
}

/// Calls `visit` with the place of every bit that is set, ascending.
#[inline]
pub fn for_each_bit(words: impl Iterator<Item = u64>, mut visit: impl FnMut(u16)) {
    for (at, mut word) in words.enumerate() {
        while word != 0 {
            visit((at * 64) as u16 + word.trailing_zeros() as u16);
            word &= word - 1;
        }
    }
}

/// Calls `visit` with the places of bits that are set, given by ascending numbers: the first that is set is number 0.
#[inline]
pub fn select(words: &[u64], numbers: impl Iterator<Item = usize>, mut visit: impl FnMut(u32)) {
    vectorized(|| {
        let (mut at, mut before) = (0, 0);
        for number in numbers {
            let mut ones = words[at].count_ones() as usize;
            while before + ones <= number {
                before += ones;
                at += 1;
                ones = words[at].count_ones() as usize;
            }
            let rest = (before..number).fold(words[at], |word, _| word & (word - 1));
            visit(at as u32 * 64 + rest.trailing_zeros());
        }
    });
}

/// Numbers that are looked at together.
const BLOCK: usize = 32;

/// Is `low` in a sorted array? Looks first where it would stand if the numbers lay evenly, which they nearly do, so that
/// one or two lines of the cache are read; a binary search reads six.
fn holds(lows: &[u16], low: u16) -> bool {
    let expected = (lows.len() * usize::from(low)) >> 16;
    let mut start = expected.saturating_sub(BLOCK / 2);
    while start > 0 && lows[start] > low {
        start = start.saturating_sub(BLOCK);
    }
    while let Some(block) = lows[start..].first_chunk::<BLOCK>() {
        if block[BLOCK - 1] >= low {
            return is_among(block, low);
        }
        start += BLOCK;
    }
    lows[start..].contains(&low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn an_array_holds_what_a_search_finds(
            // Even ones, and some that lie all on one side.
            lows in prop_oneof![
                proptest::collection::btree_set(any::<u16>(), 0..900),
                proptest::collection::btree_set(0u16..2000, 0..900),
                proptest::collection::btree_set(60_000u16.., 0..900),
            ],
            probes in proptest::collection::vec(any::<u16>(), 50),
        ) {
            let lows: BTreeSet<u16> = lows;
            let array: Vec<u16> = lows.iter().copied().collect();
            for low in probes.into_iter().chain(array.iter().copied()).chain([0, u16::MAX]) {
                prop_assert_eq!(holds(&array, low), lows.contains(&low));
            }
        }
    }
}
