//! Later pages of several words by relevance: looked for where the words may add up to the scores that come next.
//!
//! The score of several plain words is the sum of their impacts. Of each word the snapshot says in which blocks of
//! `DocId`s each impact occurs ([`levels`](crate::snapshot::levels)): so for every sum, the blocks are known in which the
//! words may come to it, a few operations on bitmaps for each two impacts that do. From the position that a cursor names,
//! the page is found sum by sum, block by block; in a block all members are scored.
//!
//! | pages 2 to 60 of, at ten million businesses | hits | scoring all that may be on the page | by sums |
//! |---|---|---|---|
//! | `are by` | 1,748,500 | 3.4 ms | 0.46 ms |
//! | `development that` | 1,058,710 | 3.0 ms | 1.4 ms |
//! | `technology our` in an industry | 167,858 | 4.1 ms | 3.1 to 3.5 ms |
//!
//! Blocks are known to hold the impacts, not that one business holds them both. Where few do, most blocks are looked into
//! in vain, and the walk is given up once it has cost half of what scoring all would: the dearest pages of the second and
//! third take 5.3 and 8.2 ms instead of 3.8 and 5.1 (given up at a quarter: 4.9 and 6.3, but 2.1 and 3.9 in the mean).
//! First pages are not looked for so: the highest sums that blocks allow are those of no business (all words weigh most in
//! short names, and each block has some with either), and `Co Ltd` takes 4.2 ms instead of 3.4. A sum of three words is
//! found the same way, the sums of the last two being known by then.

mod block_sums;

use super::Query;
use super::check::Check;
use super::cursor::{Position, Side};
use super::lows::Lows;
use super::nearest::Stretch;
use super::plan::Plan;
use super::planner::Planner;
use super::rank::{Kind, Tier};
use super::score::Scorer;
use super::understand::{Understanding, Understood};
use crate::ids::DocId;
use crate::snapshot::container::{last_bit, next_bit};
use crate::snapshot::levels::TermLevels;
use block_sums::BlockSums;
use rustc_hash::FxHashMap;
use std::ops::{Range, RangeInclusive};

/// Most words whose impacts are added: each adds as many bitmaps as there are sums.
const WORDS_MAX: usize = 4;

/// What looking into a block costs, in businesses scored: some 20 ns.
const BLOCK_COST: usize = 100;

/// What is spent on a walk in any case.
const PATIENCE: usize = 64 * BLOCK_COST;

/// Most scores of blocks that are kept for the next sums, 8 bytes each.
const KEPT_MAX: usize = 1 << 16;

/// A `q` of several words that are told by levels, each by those of one term.
pub struct SummedLevels<'s> {
    words: Vec<Word<'s>>,
    num_docs: u32,
}

/// One of them.
struct Word<'s> {
    levels: TermLevels<'s>,
    /// May a business match without it, by what it begins? Then it adds nothing.
    may_lack: bool,
}

impl<'s> SummedLevels<'s> {
    /// What is known of `q`, if it is several plain words with levels and nothing else.
    pub fn of(
        planner: &Planner<'s>,
        query: &Query,
        understanding: &Understanding<'s>,
    ) -> Option<SummedLevels<'s>> {
        let clauses = &understanding.clauses;
        if !(2..=WORDS_MAX).contains(&clauses.len()) || !query.text.trailing_forms().is_empty() {
            return None;
        }
        let word = |understood: &Understood<'s>| {
            let ord = understood.only_term(planner)?;
            let levels = planner.snapshot().terms().lists(ord).levels()?;
            Some(Word { levels, may_lack: understood.prefix.is_some() })
        };
        let words = clauses.iter().map(word).collect::<Option<Vec<_>>>()?;
        Some(SummedLevels { words, num_docs: planner.snapshot().num_docs() })
    }

    /// The nearest of `members`, who are of a group, as far as they pass `check`, if the walk begins in this group, whose
    /// keys begin with `prefix`. None also if finding them by sums turns out to be dear.
    pub fn nearest(
        &self,
        (tier, kind): (Tier, Kind),
        (members, check): (&Plan<'s>, Option<&Check<'s>>),
        prefix: u64,
        stretch: Stretch,
        scorer: &mut Scorer<'s>,
    ) -> Option<Vec<Position>> {
        let start = stretch.start_in(prefix)?;
        let are_named = (tier, kind) == (Tier::NameHasAll, Kind::Whole);
        let mut sums = BlockSums::new(&self.words, are_named, self.num_docs);
        let scored = |docs: Range<u32>| {
            let key = (docs.start >> 16) as u16;
            let mut lows = members.chunk_within(key, Lows::of_range(&docs, key));
            if let Some(check) = check {
                lows = check.may_pass_of(key, &lows);
            }
            let mut scored = Vec::with_capacity(lows.len());
            scorer.for_each_score(key, &lows, |doc, score| scored.push((doc, score)));
            scored
        };
        let is_member = |doc| check.is_none_or(|check| check.passes(doc));
        let walk = Walk { prefix, stretch, start, patience: PATIENCE };
        walk.nearest(&mut sums, scored, is_member)
    }
}

/// A walk over sums and blocks.
struct Walk {
    /// Of the keys of the group.
    prefix: u64,
    stretch: Stretch,
    /// A position in the group.
    start: Position,
    /// What is spent in any case, in businesses scored.
    patience: usize,
}

impl Walk {
    /// The nearest members; none if that turns out to cost more than a share of scoring all of them. `scored` gives those
    /// of a range of `DocId`s who may be members, ascending, and the score of each.
    fn nearest(
        &self,
        sums: &mut BlockSums,
        mut scored: impl FnMut(Range<u32>) -> Vec<(DocId, u32)>,
        mut is_member: impl FnMut(DocId) -> bool,
    ) -> Option<Vec<Position>> {
        let Walk { prefix, stretch, start, patience } = self;
        let nearest = stretch.distance(start);
        let start_sum = (start.relevance_key - prefix) as u32;
        let mut found = Vec::with_capacity(stretch.wanted);
        let mut seen = Seen::default();
        for sum in self.sums(sums.range(), start_sum) {
            let blocks = sums.blocks(sum);
            let first = (sum == start_sum).then_some((start.doc.0 >> sums.shift) as usize);
            for block in self.blocks(&blocks, sums.num_blocks, first) {
                let in_block = seen.block(block, || scored(sums.docs(block)));
                let mut take = |&(doc, score): &(DocId, u32)| {
                    let position = Position { relevance_key: prefix | u64::from(score), doc };
                    let is_ahead = score == sum && stretch.distance(&position) > nearest;
                    if is_ahead && is_member(doc) {
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
                if seen.is_dear(sums.num_blocks, *patience) {
                    return None;
                }
            }
        }
        Some(found)
    }

    /// The sums from that of the start on.
    fn sums(&self, all: RangeInclusive<u32>, start: u32) -> impl Iterator<Item = u32> + use<> {
        let (least, most) = all.into_inner();
        let none = RangeInclusive::new(1, 0);
        let (down, up) = if self.stretch.is_best_first() {
            (least..=start.min(most), none)
        } else {
            (none, start.max(least)..=most)
        };
        down.rev().chain(up)
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
#[derive(Default)]
struct Seen {
    blocks: FxHashMap<usize, Vec<(DocId, u32)>>,
    kept: usize,
    /// Blocks looked into, and who was scored there.
    num_blocks: usize,
    num_scored: usize,
    /// What that has cost, in businesses scored.
    cost: usize,
}

impl Seen {
    /// Who is scored in a block.
    fn block(
        &mut self,
        block: usize,
        scored: impl FnOnce() -> Vec<(DocId, u32)>,
    ) -> &[(DocId, u32)] {
        if self.kept > KEPT_MAX {
            self.blocks.clear();
            self.kept = 0;
        }
        let in_block = self.blocks.entry(block).or_insert_with(|| {
            let scored = scored();
            self.num_blocks += 1;
            self.num_scored += scored.len();
            self.kept += scored.len();
            self.cost += BLOCK_COST + scored.len();
            scored
        });
        // Looking through them once more.
        self.cost += 2 + in_block.len() / 16;
        in_block
    }

    /// Has more been spent, beyond `patience`, than half of what scoring the members of all blocks would cost, by what was
    /// seen of them?
    fn is_dear(&self, num_blocks: usize, patience: usize) -> bool {
        let all = num_blocks * self.num_scored / self.num_blocks;
        self.cost > patience.saturating_add(all / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::aligned;
    use crate::query::SortOrder;
    use crate::query::nearest::GROUP_SHIFT;
    use crate::snapshot::levels;
    use crate::snapshot::postings::{self, Postings};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const NUM_DOCS: u32 = 400_000;

    /// What a word adds to businesses: close to each other, or far apart, so that blocks are of several sizes.
    fn impacts() -> impl Strategy<Value = BTreeMap<u32, u8>> {
        let step = prop_oneof![Just(5u32), Just(10), Just(40), Just(150)];
        let end = prop_oneof![Just(NUM_DOCS), 1..NUM_DOCS];
        (step, end, any::<u32>()).prop_map(|(step, end, seed)| {
            let docs = (0..end).step_by(step as usize);
            let with_noise = docs.map(|doc| (doc, (doc ^ seed).wrapping_mul(0x9e37_79b1) >> 16));
            with_noise
                .filter(|(_, noise)| noise % 5 > 0)
                .map(|(doc, noise)| (doc, (noise / 5 % 8) as u8 + 1))
                .collect()
        })
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn walks_are_sorts(
            words in proptest::collection::vec(impacts(), 2..4),
            may_lack in any::<bool>(),
            wanted in 1usize..60,
            place in 0usize..60_000,
        ) {
            let (last, others) = words.split_last().unwrap();
            let sum = |doc: u32| -> Option<u32> {
                let others = others.iter().map(|word| word.get(&doc).map(|it| u32::from(*it)));
                let last = last.get(&doc).copied().or(may_lack.then_some(0))?;
                Some(others.sum::<Option<u32>>()? + u32::from(last))
            };
            let is_member = |doc: DocId| !doc.0.is_multiple_of(7);
            let of_range = |docs: Range<u32>| -> Vec<(DocId, u32)> {
                let of_first = others[0].range(docs).map(|(&doc, _)| doc);
                of_first.filter_map(|doc| Some((DocId(doc), sum(doc)?))).collect()
            };
            let prefix = 5 << GROUP_SHIFT;
            let all: Vec<Position> = of_range(0..NUM_DOCS)
                .into_iter()
                .map(|(doc, sum)| Position { relevance_key: prefix | u64::from(sum), doc })
                .collect();
            // Before the first of all there is a start too, which is no hit.
            let start = all.get(place % (all.len() + 1)).copied();
            let start = start.unwrap_or(Position { relevance_key: prefix | 0xffff, doc: DocId(9) });
            let of = |word: &BTreeMap<u32, u8>, is_last: bool| self::word(word, is_last && may_lack);
            let count = words.len();
            let built: Vec<Word<'_>> =
                (1..).zip(&words).map(|(number, word)| of(word, number == count)).collect();
            for (order, side) in [(SortOrder::Asc, Side::After), (SortOrder::Asc, Side::Before),
                                  (SortOrder::Desc, Side::After), (SortOrder::Desc, Side::Before)] {
                let stretch = Stretch { order, side, start: Some(start), wanted };
                let mut sums = BlockSums::new(&built, false, NUM_DOCS);
                let walk = Walk { prefix, stretch, start, patience: usize::MAX };
                let found = walk.nearest(&mut sums, of_range, is_member);
                let mut expected: Vec<Position> = all.iter().copied()
                    .filter(|it| is_member(it.doc) && stretch.distance(it) > stretch.distance(&start))
                    .collect();
                expected.sort_by_key(|it| stretch.distance(it));
                expected.truncate(wanted);
                prop_assert_eq!(found, Some(expected));
            }
        }
    }

    #[test]
    fn a_walk_that_finds_nobody_is_given_up() {
        // Words that are everywhere, and together nowhere.
        let even: BTreeMap<u32, u8> = (0..NUM_DOCS).step_by(2).map(|doc| (doc, 3)).collect();
        let odd: BTreeMap<u32, u8> = (1..NUM_DOCS).step_by(2).map(|doc| (doc, 4)).collect();
        let words = [word(&even, false), word(&odd, false)];
        let mut sums = BlockSums::new(&words, false, NUM_DOCS);
        let start = Position { relevance_key: 9, doc: DocId(0) };
        let (order, side) = (SortOrder::Desc, Side::After);
        let stretch = Stretch { order, side, start: Some(start), wanted: 20 };
        let walk = Walk { prefix: 0, stretch, start, patience: 10 * BLOCK_COST };
        let mut looked_into = 0;
        let nobody = |_: Range<u32>| {
            looked_into += 1;
            Vec::new()
        };
        assert_eq!(walk.nearest(&mut sums, nobody, |_| true), None);
        assert_eq!(looked_into, 10);
    }
}
