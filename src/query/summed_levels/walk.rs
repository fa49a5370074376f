//! A walk over sums and blocks, from one position on, until a page is full.
//!
//! In: the sums of some words by blocks ([`BlockSums`]), and who is looked for. Out: the nearest of these. A block is looked
//! into by scoring all in it, or only those to whom one of the words adds the right share.

use super::block_sums::{BlockSums, Way};
use crate::ids::DocId;
use crate::query::cursor::{Position, Side};
use crate::query::nearest::Stretch;
use crate::ranking::{self, Level};
use crate::simd::count_ones;
use crate::snapshot::container::{last_bit, next_bit};
use rustc_hash::FxHashMap;
use std::ops::{Range, RangeInclusive};

/// What looking into a block costs, in businesses scored: some 20 ns.
const BLOCK_COST: usize = 100;

/// The same where a check says who may be a hit: what follows one of its words is searched in each block.
const CHECKED_BLOCK_COST: usize = 450;

/// What scoring one of those costs who come to a sum in some way, a block of which has a few.
const SCAN_COST: usize = 4;

/// What finding them in a block costs, for each way.
const WAY_COST: usize = 8;

/// So many are looked at in the time in which one is scored.
const ENUMERATED: u64 = 8;

/// What is spent on a walk in any case.
const PATIENCE: usize = 64 * BLOCK_COST;

/// What is spent on a sum before it is judged by what came of it.
const JUDGED_MIN: usize = 16 * BLOCK_COST;

/// A page is nearly full if less is left to be spent than one part in so many of what scoring all hits would cost.
const NEARLY_SHARE: usize = 8;

/// Most scores of blocks that are kept for the next sums, 8 bytes each.
const KEPT_MAX: usize = 1 << 16;

/// Who a walk looks for.
pub trait Hits {
    /// At most how many they are; about, where they are to be checked.
    fn len_max(&self) -> u64;

    /// How many are looked at to tell who they are.
    fn enumerated(&self) -> u64;

    /// Is somebody who may be one to be checked?
    fn are_checked(&self) -> bool;

    /// Those of a range of `DocId`s within a chunk who may be hits, ascending, and the score of each.
    fn scored(&mut self, docs: Range<u32>) -> Vec<(DocId, u32)>;

    /// Those of `lows` in chunk `key` who may be hits and have this score, ascending.
    fn with_score(&mut self, key: u16, lows: &[u16], score: u32) -> Vec<DocId>;

    /// Is somebody who may be one a hit?
    fn contains(&mut self, doc: DocId) -> bool;

    /// Appends those of some blocks, a range of `DocId`s, to whom a word adds an impact, ascending.
    fn docs_with(&self, word: usize, impact: u8, docs: &Range<u32>, found: &mut Vec<DocId>);
}

/// A walk over sums and blocks.
pub struct Walk {
    /// Of the keys of the group.
    level: Level,
    stretch: Stretch,
    /// Where in the group it begins; at its end if in another.
    start: Option<Position>,
    /// What is spent in any case, in businesses scored.
    patience: usize,
}

impl Walk {
    /// The walk over the group whose keys begin with `prefix` that begins at `start`, or at the end of the group.
    pub fn new(level: Level, stretch: Stretch, start: Option<Position>) -> Walk {
        Walk { level, stretch, start, patience: PATIENCE }
    }

    /// The nearest hits; none if that turns out to cost more than a share of scoring all of them.
    pub fn nearest(&self, sums: &mut BlockSums, mut hits: impl Hits) -> Option<Vec<Position>> {
        let Walk { level, stretch, start, patience } = self;
        let nearest = start.as_ref().map(|start| stretch.distance(start));
        let start_sum = start.map(|start| ranking::score_of(start.relevance_key));
        // At the end of a group are sums that few come to, or nobody.
        let share = if start.is_some() { 2 } else { 4 };
        let mut found = Vec::with_capacity(stretch.wanted);
        let mut seen = Seen::new(sums.num_blocks, &hits);
        for sum in self.sums(sums.range(), start_sum) {
            let ways = sums.ways(sum);
            let mut bits = vec![0; sums.num_blocks.div_ceil(64)];
            for way in &ways {
                bits.iter_mut().zip(&*way.blocks).for_each(|(all, word)| *all |= word);
            }
            let is_scanned = seen.is_scanned(&ways, &bits);
            let start = start.filter(|_| Some(sum) == start_sum);
            let first = start.map(|start| (start.doc.0 >> sums.shift) as usize);
            let mut of_sum = OfSum { num_blocks: 0, cost: seen.cost, num_found: found.len() };
            for block in self.blocks(&bits, sums.num_blocks, first) {
                of_sum.num_blocks += 1;
                let docs = sums.docs(block);
                let in_block = if is_scanned && !seen.is_known(block) {
                    seen.scan(&mut hits, &ways, (block, docs), sum)
                } else {
                    seen.block(block, || hits.scored(docs), sum)
                };
                let mut take = |&doc: &DocId| {
                    let position = Position { relevance_key: level.key(sum), doc };
                    let is_ahead =
                        nearest.is_none_or(|nearest| stretch.distance(&position) > nearest);
                    if is_ahead && hits.contains(doc) {
                        found.push(position);
                    }
                    found.len() == stretch.wanted
                };
                let is_full = match stretch.side {
                    Side::After => in_block.iter().any(&mut take),
                    Side::Before => in_block.iter().rev().any(&mut take),
                };
                if is_full {
                    return Some(found);
                }
                if seen.cost > *patience {
                    let ahead = self.num_ahead(&bits, block);
                    let left = of_sum.left(seen.cost, (found.len(), stretch.wanted), ahead);
                    if seen.is_dear(seen.cost - patience, share, left) {
                        return None;
                    }
                }
            }
        }
        Some(found)
    }

    /// The sums from that of the start on.
    fn sums(
        &self,
        all: RangeInclusive<u32>,
        start: Option<u32>,
    ) -> impl Iterator<Item = u32> + use<> {
        let (least, most) = all.into_inner();
        let none = RangeInclusive::new(1, 0);
        let (down, up) = if self.stretch.is_best_first() {
            (least..=start.unwrap_or(most).min(most), none)
        } else {
            (none, start.unwrap_or(least).max(least)..=most)
        };
        down.rev().chain(up)
    }

    /// How many blocks whose bit is set are ahead of one.
    fn num_ahead(&self, bits: &[u64], block: usize) -> usize {
        let (before, [word, behind @ ..]) = bits.split_at(block / 64) else { return 0 };
        let place = block % 64;
        match self.stretch.side {
            Side::After => count_ones(behind) + (word >> place >> 1).count_ones() as usize,
            Side::Before => count_ones(before) + (word & ((1 << place) - 1)).count_ones() as usize,
        }
    }

    /// The blocks whose bit is set, in the order of the walk, from `first` on.
    fn blocks(
        &self,
        bits: &[u64],
        num_blocks: usize,
        first: Option<usize>,
    ) -> impl Iterator<Item = usize> {
        let last = num_blocks - 1;
        let mut next = match self.stretch.side {
            Side::After => Some(first.unwrap_or(0)),
            Side::Before => Some(first.unwrap_or(last).min(last)),
        };
        std::iter::from_fn(move || {
            let block = match self.stretch.side {
                // A word that may be lacking has all bits.
                Side::After => next_bit(bits, next?).filter(|&block| block <= last)?,
                Side::Before => last_bit(bits, next?)?,
            };
            next = match self.stretch.side {
                Side::After => Some(block + 1),
                Side::Before => block.checked_sub(1),
            };
            Some(block)
        })
    }
}

/// What was looked into so far.
struct Seen {
    blocks: FxHashMap<usize, Vec<(DocId, u32)>>,
    kept: usize,
    /// Blocks that there are.
    all_blocks: usize,
    /// What [`Hits`] says: at most how many there are, and how many are looked at to tell who they are.
    hits_max: u64,
    enumerated: u64,
    /// What looking into a block costs.
    block_cost: usize,
    /// Blocks scored, and who was scored there.
    num_blocks: usize,
    num_scored: usize,
    /// What that has cost, in businesses scored.
    cost: usize,
}

impl Seen {
    /// Nothing yet.
    fn new(all_blocks: usize, hits: &impl Hits) -> Seen {
        Seen {
            blocks: FxHashMap::default(),
            kept: 0,
            all_blocks,
            hits_max: hits.len_max(),
            enumerated: hits.enumerated(),
            block_cost: if hits.are_checked() { CHECKED_BLOCK_COST } else { BLOCK_COST },
            num_blocks: 0,
            num_scored: 0,
            cost: 0,
        }
    }

    /// About how many hits there are, by what was seen of them.
    fn num_hits(&self) -> u64 {
        let seen = (self.all_blocks * self.num_scored).checked_div(self.num_blocks);
        seen.map_or(self.hits_max, |seen| seen as u64)
    }

    /// Is it known what all hits of a block score?
    fn is_known(&self, block: usize) -> bool {
        self.blocks.contains_key(&block)
    }

    /// Does it cost less to score only those in some blocks who come to a sum in one of these ways?
    fn is_scanned(&self, ways: &[Way], blocks: &[u64]) -> bool {
        let count = |blocks: &[u64]| count_ones(blocks) as u64;
        let of_way = |way: &Way| {
            let looked_into = count(&way.blocks) * WAY_COST as u64;
            way.len.saturating_mul(SCAN_COST as u64).saturating_add(looked_into)
        };
        let scanned = ways.iter().map(of_way).fold(0, u64::saturating_add);
        let all_blocks = self.all_blocks as u64;
        let unknown = all_blocks.saturating_sub(self.num_blocks as u64);
        let scored = self.block_cost as u64 + self.num_hits() / all_blocks;
        scanned < count(blocks) * scored * unknown / all_blocks
    }

    /// The hits with the score `sum` in a block, found by what a word adds to them.
    fn scan(
        &mut self,
        hits: &mut impl Hits,
        ways: &[Way],
        (block, docs): (usize, Range<u32>),
        sum: u32,
    ) -> Vec<DocId> {
        let mut found = Vec::new();
        let is_set = |way: &&Way| way.blocks[block / 64] >> (block % 64) & 1 == 1;
        for way in ways.iter().filter(is_set) {
            hits.docs_with(way.word, way.impact as u8, &docs, &mut found);
            self.cost += WAY_COST;
        }
        found.sort_unstable();
        found.dedup();
        self.cost += found.len() * SCAN_COST;
        let lows: Vec<u16> = found.iter().map(|doc| doc.0 as u16).collect();
        hits.with_score((docs.start >> 16) as u16, &lows, sum)
    }

    /// The same, found by scoring all of the block.
    fn block(
        &mut self,
        block: usize,
        scored: impl FnOnce() -> Vec<(DocId, u32)>,
        sum: u32,
    ) -> Vec<DocId> {
        if self.kept > KEPT_MAX {
            self.blocks.clear();
            self.kept = 0;
        }
        let in_block = self.blocks.entry(block).or_insert_with(|| {
            let scored = scored();
            self.num_blocks += 1;
            self.num_scored += scored.len();
            self.kept += scored.len();
            self.cost += self.block_cost + scored.len();
            scored
        });
        // Looking through them once more.
        self.cost += 2 + in_block.len() / 16;
        in_block.iter().filter(|(_, score)| *score == sum).map(|(doc, _)| *doc).collect()
    }

    /// Is more `left` to be spent than finding and scoring all hits would cost? Or has more been `spent` than one part in
    /// `share` of that, and the end is not near?
    fn is_dear(&self, spent: usize, share: usize, left: Option<usize>) -> bool {
        let all = self.num_hits().saturating_add(self.enumerated / ENUMERATED);
        let all = usize::try_from(all).unwrap_or(usize::MAX);
        let is_near = left.is_some_and(|left| left <= all / NEARLY_SHARE);
        left.is_some_and(|left| left > all) || spent > all / share && !is_near
    }
}

/// What was looked into for one sum so far.
struct OfSum {
    num_blocks: usize,
    /// What all had cost before, and how many had been found.
    cost: usize,
    num_found: usize,
}

impl OfSum {
    /// What is still to be spent, to judge by what came of it so far, until as many are found as are wanted or until
    /// nothing is left of the sum; none if that is too little to judge by. All has cost `cost` by now, and of `num_ahead`
    /// blocks it is not known what they hold.
    fn left(
        &self,
        cost: usize,
        (found, wanted): (usize, usize),
        num_ahead: usize,
    ) -> Option<usize> {
        let spent = cost - self.cost;
        if spent < JUDGED_MIN {
            return None;
        }
        let all_ahead = spent.saturating_mul(num_ahead) / self.num_blocks;
        let until_full = spent.saturating_mul(wanted - found).checked_div(found - self.num_found);
        Some(until_full.map_or(all_ahead, |until_full| until_full.min(all_ahead)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Word;
    use super::*;
    use crate::bytes::aligned;
    use crate::query::SortOrder;
    use crate::snapshot::levels::{self, LevelGroup, TermLevels};
    use crate::snapshot::postings::{self, Postings};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const NUM_DOCS: u32 = 400_000;

    /// What a word adds to businesses: close to each other, or far apart, so that blocks are of several sizes.
    fn impacts() -> impl Strategy<Value = BTreeMap<u32, u8>> {
        let step = prop_oneof![Just(5u32), Just(10), Just(40), Just(150)];
        let end = prop_oneof![Just(NUM_DOCS), 1..NUM_DOCS];
        let impacts = (step, end, any::<u32>()).prop_map(|(step, end, seed)| {
            let docs = (0..end).step_by(step as usize);
            let with_noise = docs.map(|doc| (doc, (doc ^ seed).wrapping_mul(0x9e37_79b1) >> 16));
            with_noise
                .filter(|(_, noise)| noise % 5 > 0)
                .map(|(doc, noise)| (doc, (noise / 5 % 8) as u8 + 1))
                .collect()
        });
        // One in some thousand of these is of nobody, and no term is.
        impacts.prop_filter("a word is held by somebody", |all: &BTreeMap<_, _>| !all.is_empty())
    }

    fn word(impacts: &BTreeMap<u32, u8>, may_lack: bool) -> Word<'static> {
        let docs: Vec<u32> = impacts.keys().copied().collect();
        let impacts: &[u8] = impacts.values().copied().collect::<Vec<u8>>().leak();
        let (mut list, mut bytes) = (Vec::new(), Vec::new());
        postings::encode(&docs, &mut list);
        levels::encode(&docs, impacts, &[], 0, &mut bytes);
        let (list, bytes) = (aligned(&list).leak(), aligned(&bytes).leak());
        let postings = Postings::front(bytemuck::cast_slice(list));
        let levels = TermLevels::read(bytemuck::cast_slice(bytes), postings, impacts);
        Word { levels: levels.expect("written so").0, may_lack }
    }

    /// Who holds all words, and whose number is not one of some.
    struct Holders<'a> {
        impacts: &'a [BTreeMap<u32, u8>],
        words: &'a [Word<'static>],
        len_max: u64,
        /// Blocks in which all were scored, and in which they were found by what one word adds.
        num_scored: usize,
        num_scanned: usize,
    }

    impl Holders<'_> {
        fn sum(&self, doc: DocId) -> Option<u32> {
            let of_words = self.impacts.iter().zip(self.words);
            of_words
                .map(|(impacts, word)| match impacts.get(&doc.0) {
                    Some(impact) => Some(u32::from(*impact)),
                    None => word.may_lack.then_some(0),
                })
                .sum()
        }

        fn all(&self, docs: Range<u32>) -> Vec<(DocId, u32)> {
            let mut words = self.impacts.iter().zip(self.words);
            let (held, _) = words.find(|(_, word)| !word.may_lack).expect("one is held by all");
            let holders = held.range(docs).map(|(&doc, _)| DocId(doc));
            holders.filter_map(|doc| Some((doc, self.sum(doc)?))).collect()
        }
    }

    fn is_hit(doc: DocId) -> bool {
        !doc.0.is_multiple_of(7)
    }

    impl Hits for &mut Holders<'_> {
        fn len_max(&self) -> u64 {
            self.len_max
        }

        fn enumerated(&self) -> u64 {
            self.len_max
        }

        fn are_checked(&self) -> bool {
            false
        }

        fn scored(&mut self, docs: Range<u32>) -> Vec<(DocId, u32)> {
            self.num_scored += 1;
            self.all(docs)
        }

        fn with_score(&mut self, key: u16, lows: &[u16], score: u32) -> Vec<DocId> {
            self.num_scanned += 1;
            let docs = lows.iter().map(|&low| DocId(u32::from(key) << 16 | u32::from(low)));
            docs.filter(|&doc| self.sum(doc) == Some(score)).collect()
        }

        fn contains(&mut self, doc: DocId) -> bool {
            is_hit(doc)
        }

        fn docs_with(&self, word: usize, impact: u8, docs: &Range<u32>, found: &mut Vec<DocId>) {
            self.words[word].levels.docs_with(impact, docs, found);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn walks_are_sorts(
            words in proptest::collection::vec(impacts(), 2..4),
            lacking in proptest::option::of(0usize..2),
            wanted in 1usize..60,
            place in 0usize..60_000,
            is_scanned in any::<bool>(),
        ) {
            let count = words.len();
            let built: Vec<Word<'_>> =
                (0..).zip(&words).map(|(at, it)| word(it, lacking == Some(at))).collect();
            let len_max = if is_scanned { 1 << 40 } else { 0 };
            let mut holders =
                Holders { impacts: &words, words: &built, len_max, num_scored: 0, num_scanned: 0 };
            let level = Level::NameHasSome;
            let all: Vec<Position> = holders.all(0..NUM_DOCS)
                .into_iter()
                .map(|(doc, sum)| Position { relevance_key: level.key(sum), doc })
                .collect();
            // Before the first of all there is a start too, which is no hit; and no start is at either end.
            let start = match place % (all.len() + 2) {
                0 => None,
                1 => Some(Position { relevance_key: level.key(0xffff), doc: DocId(9) }),
                place => Some(all[place - 2]),
            };
            for (order, side) in [(SortOrder::Asc, Side::After), (SortOrder::Asc, Side::Before),
                                  (SortOrder::Desc, Side::After), (SortOrder::Desc, Side::Before)] {
                let stretch = Stretch { order, side, start, wanted };
                let mut sums = BlockSums::new(&built, &[vec![&LevelGroup::ALL; built.len()]], NUM_DOCS);
                let walk = Walk { level, stretch, start, patience: usize::MAX };
                let found = walk.nearest(&mut sums, &mut holders);
                let mut expected: Vec<Position> = all.iter().copied()
                    .filter(|it| is_hit(it.doc))
                    .filter(|it| start.is_none_or(|start| stretch.distance(it) > stretch.distance(&start)))
                    .collect();
                expected.sort_by_key(|it| stretch.distance(it));
                expected.truncate(wanted);
                prop_assert_eq!(found, Some(expected));
            }
            // Those who hold a rare word are looked at sooner than a block is scored.
            let is_rare = words.iter().any(|held| held.len() < 1000);
            prop_assert!(is_scanned || is_rare || holders.num_scanned == 0 || holders.num_scored > 0);
            // Of three words it is not told how many hold all.
            prop_assert!(!is_scanned || count > 2 || lacking.is_some() || holders.num_scored == 0);
        }
    }

    #[test]
    fn a_walk_that_finds_nobody_is_given_up() {
        // Words that are everywhere, and together nowhere.
        let even: BTreeMap<u32, u8> = (0..NUM_DOCS).step_by(2).map(|doc| (doc, 3)).collect();
        let odd: BTreeMap<u32, u8> = (1..NUM_DOCS).step_by(2).map(|doc| (doc, 4)).collect();
        let words = [word(&even, false), word(&odd, false)];
        let mut sums = BlockSums::new(&words, &[vec![&LevelGroup::ALL; 2]], NUM_DOCS);
        let start = Position { relevance_key: 9, doc: DocId(0) };
        let (order, side) = (SortOrder::Desc, Side::After);
        let stretch = Stretch { order, side, start: Some(start), wanted: 20 };
        let walk = Walk {
            level: Level::Elsewhere,
            stretch,
            start: Some(start),
            patience: 10 * BLOCK_COST,
        };
        let (impacts, len_max) = ([even, odd], 0);
        let mut holders =
            Holders { impacts: &impacts, words: &words, len_max, num_scored: 0, num_scanned: 0 };
        assert_eq!(walk.nearest(&mut sums, &mut holders), None);
        assert_eq!((holders.num_scored, holders.num_scanned), (10, 0));
    }
}
