//! The blocks of `DocId`s in which several words may add up to something, by the levels of each.
//!
//! A bit for each block and sum, made when it is asked for: 39 words of bits for each two impacts that come to it, with
//! blocks of 4,096 of ten million businesses. Blocks of words that have larger ones than others count for all.

use super::Word;
use crate::simd::combine;
use crate::snapshot::levels::LevelGroup;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};
use std::rc::Rc;

/// A bit for each block; none for no block at all.
pub type Blocks = Rc<[u64]>;

/// One way to come to a sum: a word adds some of it, all others the rest.
pub struct Way {
    /// The place of the word among all.
    pub word: usize,
    /// What it adds.
    pub impact: u32,
    /// How many businesses it adds that to.
    pub len: u64,
    /// The blocks in which it and the others may do so.
    pub blocks: Blocks,
}

/// The blocks in which several words may add up to something.
pub struct BlockSums {
    /// Of each case the words in reverse.
    cases: Vec<Vec<WordBlocks>>,
    /// How many `DocId`s a block spans, as a power of two.
    pub shift: u32,
    /// How many blocks there are.
    pub num_blocks: usize,
}

/// How the name of whoever is looked for may hold each word.
pub type Case = Vec<&'static [LevelGroup]>;

/// The blocks of one word, and those of its sums with the words behind it.
struct WordBlocks {
    /// What the word may add, and in which blocks.
    impacts: BTreeMap<u32, OfImpact>,
    /// What it may come to with all words behind it.
    range: RangeInclusive<u32>,
    /// The blocks of the sums that were asked for.
    known: FxHashMap<u32, Blocks>,
}

/// The businesses to which a word adds the same.
struct OfImpact {
    /// How many they are; all numbers' largest where it is whoever lacks the word.
    len: u64,
    blocks: Blocks,
}

impl WordBlocks {
    /// What the word may add to come to `sum`, and what is left to the words behind it, which may come to `behind`.
    fn shares(
        &self,
        sum: u32,
        behind: RangeInclusive<u32>,
    ) -> impl Iterator<Item = (u32, &OfImpact, u32)> {
        self.impacts.iter().filter_map(move |(&impact, own)| {
            let left = sum.checked_sub(impact).filter(|left| behind.contains(left))?;
            Some((impact, own, left))
        })
    }
}

impl BlockSums {
    /// Of businesses whose names hold the words as one of some cases says.
    pub fn new(words: &[Word<'_>], cases: &[Case], num_docs: u32) -> BlockSums {
        let shift = words.iter().map(|word| word.levels.shift()).max().unwrap_or_default();
        let num_blocks = (num_docs.saturating_sub(1) >> shift) as usize + 1;
        let blocks_of = |case: &Case| -> Vec<WordBlocks> {
            let (mut least, mut most) = (0, 0);
            let words = words.iter().zip(case).rev();
            words
                .map(|(word, groups)| {
                    let impacts = blocks_by_impact(word, groups, shift, num_blocks);
                    least += impacts.keys().next().copied().unwrap_or_default();
                    most += impacts.keys().next_back().copied().unwrap_or_default();
                    WordBlocks { impacts, range: least..=most, known: FxHashMap::default() }
                })
                .collect()
        };
        BlockSums { cases: cases.iter().map(blocks_of).collect(), shift, num_blocks }
    }

    /// What the words may add up to.
    pub fn range(&self) -> RangeInclusive<u32> {
        let ranges = || self.cases.iter().filter_map(|words| words.last()).map(|it| &it.range);
        let least = ranges().map(|range| *range.start()).min();
        let most = ranges().map(|range| *range.end()).max();
        least.unwrap_or_default()..=most.unwrap_or_default()
    }

    /// The ways in which they may add up to `sum`. Of two words, each is told by the one that adds its share to fewer.
    pub fn ways(&mut self, sum: u32) -> Vec<Way> {
        let mut ways = Vec::new();
        self.cases.iter_mut().for_each(|words| append_ways(words, sum, &mut ways));
        ways
    }

    /// The `DocId`s of a block.
    pub fn docs(&self, block: usize) -> Range<u32> {
        let start = (block as u32) << self.shift;
        start..start.saturating_add(1 << self.shift)
    }
}

/// Appends the ways in which `words`, in reverse, may add up to `sum`.
fn append_ways(words: &mut [WordBlocks], sum: u32, ways: &mut Vec<Way>) {
    let Some((first, behind)) = words.split_last_mut() else { return };
    let range = behind.last().map_or(0..=0, |next| next.range.clone());
    for (impact, own, left) in first.shares(sum, range) {
        let others = blocks_of_sum(behind, left);
        let both: Blocks = own.blocks.iter().zip(&*others).map(|(a, b)| a & b).collect();
        if both.iter().all(|&word| word == 0) {
            continue;
        }
        let way = |word, impact, len| Way { word, impact, len, blocks: both.clone() };
        ways.push(match behind {
            [second] if second.impacts[&left].len < own.len => {
                way(1, left, second.impacts[&left].len)
            }
            _ => way(0, impact, own.len),
        });
    }
}

/// The blocks of `1 << shift` `DocId`s in which a word may add each of its impacts, whichever of `groups` does.
fn blocks_by_impact(
    word: &Word<'_>,
    groups: &[LevelGroup],
    shift: u32,
    num_blocks: usize,
) -> BTreeMap<u32, OfImpact> {
    let words_len = num_blocks.div_ceil(64);
    let mut by_impact: BTreeMap<u32, (u64, Vec<u64>)> = BTreeMap::new();
    let finer = shift - word.levels.shift();
    for (impact, len, own) in word.levels.blocks_of(groups) {
        let (all_len, all) =
            by_impact.entry(impact.into()).or_insert_with(|| (0, vec![0; words_len]));
        *all_len += u64::from(len);
        for (at, &word) in own.iter().enumerate() {
            let place = at * (64 >> finer);
            if let Some(all) = all.get_mut(place / 64) {
                *all |= coarser(word, finer) << (place % 64);
            }
        }
    }
    if word.may_lack && groups.contains(&LevelGroup::Elsewhere) {
        by_impact.insert(0, (u64::MAX, vec![u64::MAX; words_len]));
    }
    let of_impact = |(len, blocks): (u64, Vec<u64>)| OfImpact { len, blocks: blocks.into() };
    by_impact.into_iter().map(|(impact, it)| (impact, of_impact(it))).collect()
}

/// The blocks in which `words`, in reverse, may add up to `sum`.
fn blocks_of_sum(words: &mut [WordBlocks], sum: u32) -> Blocks {
    let none = || Blocks::from([]);
    let Some((first, behind)) = words.split_last_mut() else { return none() };
    let Some(range) = behind.last().map(|next| next.range.clone()) else {
        return first.impacts.get(&sum).map_or_else(none, |it| it.blocks.clone());
    };
    if let Some(known) = first.known.get(&sum) {
        return known.clone();
    }
    let words_len = first.impacts.values().next().map_or(0, |own| own.blocks.len());
    let mut blocks = vec![0; words_len];
    for (_, own, left) in first.shares(sum, range) {
        let others = blocks_of_sum(behind, left);
        let both = own.blocks.iter().zip(&*others).map(|(own, others)| own & others);
        combine(&mut blocks, both, |all, both| all | both);
    }
    let blocks = Blocks::from(blocks);
    first.known.insert(sum, blocks.clone());
    blocks
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
