//! The blocks of `DocId`s in which several words may add up to something, by the levels of each.
//!
//! A bit for each block and sum, made when it is asked for: 39 words of bits for each two impacts that come to it, with
//! blocks of 4,096 of ten million businesses. Blocks of words that have larger ones than others count for all.

use super::Word;
use crate::simd::vectorized;
use crate::snapshot::levels::LevelGroup;
use rustc_hash::FxHashMap;
use std::ops::{Range, RangeInclusive};
use std::rc::Rc;

/// The blocks in which several words may add up to something.
pub struct BlockSums<'s> {
    words: Vec<WordBlocks<'s>>,
    /// From each word on, what all of them may come to at least and at most.
    pub ranges: Vec<RangeInclusive<u32>>,
    /// From each word on, the blocks of the sums that were asked for.
    known: Vec<FxHashMap<u32, Rc<[u64]>>>,
    /// How many `DocId`s a block spans, as a power of two.
    pub shift: u32,
    /// How many blocks there are.
    pub num_blocks: usize,
}

/// The blocks of one word.
struct WordBlocks<'s> {
    /// What it may add, ascending, and the bits of its own blocks that say where; several groups may add the same.
    impacts: Vec<(u32, Vec<&'s [u64]>)>,
    /// By how many powers of two they are smaller.
    finer: u32,
    may_lack: bool,
}

impl<'s> BlockSums<'s> {
    /// Of businesses whose name holds all words, or of all.
    pub fn new(words: &[Word<'s>], are_named: bool, num_docs: u32) -> BlockSums<'s> {
        let shift = words.iter().map(|word| word.levels.shift()).max().unwrap_or_default();
        let groups: &[LevelGroup] = if are_named { &LevelGroup::NAMES } else { &LevelGroup::ALL };
        let words: Vec<WordBlocks<'s>> = words
            .iter()
            .map(|Word { levels, may_lack }| {
                let mut blocks: Vec<(u8, &[u64])> = levels.blocks_of(groups).collect();
                blocks.sort_by_key(|(impact, _)| *impact);
                let may_lack = *may_lack && !are_named;
                let lacking = may_lack.then(|| (0, Vec::new()));
                let by_impact = blocks.chunk_by(|a, b| a.0 == b.0).map(|of_impact| {
                    (of_impact[0].0.into(), of_impact.iter().map(|it| it.1).collect())
                });
                WordBlocks {
                    impacts: lacking.into_iter().chain(by_impact).collect(),
                    finer: shift - levels.shift(),
                    may_lack,
                }
            })
            .collect();
        let mut ranges = Vec::new();
        let (mut least, mut most) = (0, 0);
        for word in words.iter().rev() {
            least += word.impacts.first().map_or(0, |it| it.0);
            most += word.impacts.last().map_or(0, |it| it.0);
            ranges.push(least..=most);
        }
        ranges.reverse();
        BlockSums {
            known: words.iter().map(|_| FxHashMap::default()).collect(),
            words,
            ranges,
            shift,
            num_blocks: (num_docs.saturating_sub(1) >> shift) as usize + 1,
        }
    }

    /// The blocks in which the words from number `from` on may add up to `sum`: a bit for each.
    pub fn blocks(&mut self, from: usize, sum: u32) -> Rc<[u64]> {
        if let Some(known) = self.known[from].get(&sum) {
            return known.clone();
        }
        let mut blocks = vec![0; self.num_blocks.div_ceil(64)];
        if from + 1 == self.words.len() {
            self.words[from].add_blocks(sum, &mut blocks);
        } else {
            let mut own = vec![0; blocks.len()];
            for at in 0..self.words[from].impacts.len() {
                let impact = self.words[from].impacts[at].0;
                let left = sum.checked_sub(impact).filter(|it| self.ranges[from + 1].contains(it));
                let Some(left) = left else { continue };
                let others = self.blocks(from + 1, left);
                own.fill(0);
                self.words[from].add_blocks(impact, &mut own);
                vectorized(|| {
                    let both = own.iter().zip(&*others).map(|(own, others)| own & others);
                    blocks.iter_mut().zip(both).for_each(|(all, both)| *all |= both);
                });
            }
        }
        let blocks: Rc<[u64]> = blocks.into();
        self.known[from].insert(sum, blocks.clone());
        blocks
    }

    /// The `DocId`s of a block.
    pub fn docs(&self, block: usize) -> Range<u32> {
        let start = (block as u32) << self.shift;
        start..start.saturating_add(1 << self.shift)
    }
}

impl WordBlocks<'_> {
    /// Sets the bits of the blocks in which the word may add `impact`.
    fn add_blocks(&self, impact: u32, blocks: &mut [u64]) {
        if impact == 0 && self.may_lack {
            blocks.fill(u64::MAX);
            return;
        }
        let Ok(at) = self.impacts.binary_search_by_key(&impact, |it| it.0) else { return };
        for own in &self.impacts[at].1 {
            if self.finer == 0 {
                blocks.iter_mut().zip(*own).for_each(|(all, own)| *all |= own);
                continue;
            }
            let bits = 64 >> self.finer;
            for (at, &word) in own.iter().enumerate().filter(|(_, word)| **word != 0) {
                let place = at * bits;
                if let Some(all) = blocks.get_mut(place / 64) {
                    *all |= coarser(word, self.finer) << (place % 64);
                }
            }
        }
    }
}

/// One bit for each `1 << by` bits, set if any of them is.
fn coarser(mut word: u64, by: u32) -> u64 {
    for _ in 0..by {
        word = (word | word >> 1) & 0x5555_5555_5555_5555;
        // Brings every second bit together: the inverse of spreading bits for a Morton code.
        for (shift, mask) in [
            (1, 0x3333_3333_3333_3333),
            (2, 0x0f0f_0f0f_0f0f_0f0f),
            (4, 0x00ff_00ff_00ff_00ff),
            (8, 0x0000_ffff_0000_ffff),
            (16, 0x0000_0000_ffff_ffff),
        ] {
            word = (word | word >> shift) & mask;
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_coarser_bit_is_set_if_any_is(word in any::<u64>(), kept in any::<u64>(), by in 0u32..5) {
            let word = word & kept;
            let any = |at: u32| word >> (at << by) & ((1u64 << (1 << by)) - 1) != 0;
            let expected = (0..64 >> by).fold(0u64, |bits, at| bits | u64::from(any(at)) << at);
            prop_assert_eq!(coarser(word, by), expected);
        }
    }
}
