//! The order of a term's businesses by score, without a list of them in that order.
//!
//! A frequent term has its businesses by `DocId` and one impact for each. To show the best of them, at any depth,
//! they would have to be read all; so the snapshot says for each *level*, a group of the term's businesses with one
//! impact, in which blocks of `DocId`s it occurs. Whoever wants the next business of a level scans one block for
//! one byte. (Block maxima, as in Ding, Suel: "Faster top-k document retrieval using block-max indexes", 2011, say
//! only the best of a block; here one bit more for each level answers for any depth and in both directions.)
//!
//! ```text
//! LEVELS := SHIFT (u32), LEVELS (u32), BLOCKS (u32), BEST (u32),
//!           { GROUP << 8 | IMPACT (u32), how many (u32) }^LEVELS, by group ascending, then impact descending,
//!           START^BLOCKS (u32), padding to 8,
//!           WORD^(LEVELS * ceil(BLOCKS / 64)) (u64),
//!           DOC^BEST (u32), padding to 8
//! ```
//!
//! Block b spans the `DocId`s from `b << SHIFT` on; START is the number of the term's businesses before it. Bit b of
//! a level is set if a business of it is in block b. DOC are the first businesses of all levels, in the order of
//! levels, ties by `DocId`: a filter that one in a hundred passes looks at two thousand of them for a page, some 10 ns
//! each, where finding them in blocks costs some 300 ns each.

use super::container::{Bitmap, Container, last_bit, next_bit, select};
use super::postings::Postings;
use crate::bytes::cast;
use crate::ids::DocId;
use std::ops::Range;

/// The groups that a term's businesses are in, best first: how its name holds the term, if it does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u32)]
pub enum LevelGroup {
    /// The name is the term.
    NameIs,
    /// The name starts with the term.
    NameStarts,
    /// The term is elsewhere in the name.
    NameHas,
    /// The term is not in the name.
    Elsewhere,
}

impl LevelGroup {
    /// The groups of businesses whose name holds the term.
    pub const NAMES: [LevelGroup; 3] =
        [LevelGroup::NameIs, LevelGroup::NameStarts, LevelGroup::NameHas];

    /// All of them.
    pub const ALL: [LevelGroup; 4] =
        [LevelGroup::NameIs, LevelGroup::NameStarts, LevelGroup::NameHas, LevelGroup::Elsewhere];
}

/// Businesses of a block, about: few enough to scan, many enough to keep the bitmaps small.
const BLOCK_LEN: usize = 512;

/// Smallest block, in powers of two of `DocId`s: 64 words of a bitmap.
const SHIFT_MIN: u32 = 12;

/// The levels of one term.
#[derive(Clone, Copy, Debug)]
pub struct TermLevels<'a> {
    shift: u32,
    levels: &'a [[u32; 2]],
    starts: &'a [u32],
    blocks: &'a [u64],
    best: &'a [u32],
    postings: Postings<'a>,
    impacts: &'a [u8],
}

/// In which order levels are walked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LevelWalk {
    /// From the best down? Otherwise from the worst up.
    pub is_best_first: bool,
    /// Which way the businesses of a level.
    pub docs: DocWalk,
}

impl LevelWalk {
    /// From the best down, ties ascending: the order in which the best are stored.
    pub const FROM_BEST: LevelWalk = LevelWalk { is_best_first: true, docs: DocWalk::Up };
}

/// Which way `DocId`s are walked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DocWalk {
    /// Ascending.
    Up,
    /// Descending.
    Down,
}

impl<'a> TermLevels<'a> {
    /// The levels at the front of `bytes`, which belong to the businesses of `postings`; `None` if they cannot be
    /// that. Returns their length as well.
    pub fn read(
        bytes: &'a [u8],
        postings: Postings<'a>,
        impacts: &'a [u8],
    ) -> Option<(TermLevels<'a>, usize)> {
        let head: &[u32] = cast(bytes.get(..16)?);
        let [shift, num_levels, num_blocks, num_best] = [head[0], head[1], head[2], head[3]];
        if !(SHIFT_MIN..=16).contains(&shift) || num_levels > 1024 {
            return None;
        }
        let entries_end = 16 + num_levels as usize * 8;
        let starts_end = entries_end + num_blocks as usize * 4;
        let blocks_start = starts_end.next_multiple_of(8);
        let words = num_levels as usize * (num_blocks as usize).div_ceil(64);
        let best_start = blocks_start.checked_add(words * 8)?;
        let best_end = best_start + num_best as usize * 4;
        let levels = TermLevels {
            shift,
            levels: bytemuck::cast_slice(cast::<u32>(bytes.get(16..entries_end)?)),
            starts: cast(bytes.get(entries_end..starts_end)?),
            blocks: cast(bytes.get(blocks_start..best_start)?),
            best: cast(bytes.get(best_start..best_end)?),
            postings,
            impacts,
        };
        Some((levels, best_end.next_multiple_of(8)))
    }

    /// Do the levels fit the postings, so that walking them stays within bounds?
    pub fn check(&self) -> bool {
        let len = self.postings.len() as u32;
        let ascending = self.starts.windows(2).all(|pair| pair[0] <= pair[1]);
        let in_place = self.starts.iter().enumerate().all(|(block, &start)| {
            let doc = (block as u64) << self.shift;
            u32::try_from(doc)
                .is_ok_and(|doc| self.postings.rank(DocId(doc)) == start as usize && start <= len)
        });
        let counted: u64 = self.levels.iter().map(|level| u64::from(level[1])).sum();
        let sorted = self.levels.windows(2).all(|pair| order(pair[0][0]) < order(pair[1][0]));
        let covers = (self.starts.len() as u64) << self.shift;
        let last = u32::try_from(covers).map_or(len as usize, |end| self.postings.rank(DocId(end)));
        let fits = ascending && in_place && sorted && counted == u64::from(len);
        fits && last == len as usize && self.best.len() <= len as usize && self.best_ascend(covers)
    }

    /// Do the best of each level ascend, below `end`?
    fn best_ascend(&self, end: u64) -> bool {
        let mut rest = self.best;
        self.levels.iter().all(|level| {
            let (best, behind) = rest.split_at(rest.len().min(level[1] as usize));
            rest = behind;
            best.windows(2).all(|pair| pair[0] < pair[1])
                && best.last().is_none_or(|&last| u64::from(last) < end)
        })
    }

    /// The stored first businesses of a level.
    fn best_of(&self, at: usize) -> &'a [u32] {
        let len = |level: &[u32; 2]| level[1] as usize;
        let start = self.levels[..at].iter().map(len).sum::<usize>();
        let end = start + len(&self.levels[at]);
        &self.best[start.min(self.best.len())..end.min(self.best.len())]
    }

    /// How many `DocId`s a block spans, as a power of two.
    pub fn shift(&self) -> u32 {
        self.shift
    }

    /// The levels of some groups: the impact of each, how many businesses are of it, and a bit for each block that it
    /// occurs in.
    pub fn blocks_of(&self, groups: &[LevelGroup]) -> impl Iterator<Item = (u8, u32, &'a [u64])> {
        let (levels, blocks, words_len) =
            (self.levels, self.blocks, self.starts.len().div_ceil(64));
        let is_of = |level: u32| groups.iter().any(|&group| group as u32 == level >> 8);
        let wanted = levels.iter().enumerate().filter(move |(_, level)| is_of(level[0]));
        wanted.map(move |(at, level)| {
            (level[0] as u8, level[1], &blocks[at * words_len..(at + 1) * words_len])
        })
    }

    /// Appends the businesses with this impact, of whatever group, in some whole blocks, ascending.
    pub fn docs_with(&self, impact: u8, docs: &Range<u32>, found: &mut Vec<DocId>) {
        for block in docs.start >> self.shift..=(docs.end - 1) >> self.shift {
            self.scan(block as usize, impact, found);
        }
    }

    /// How many of the businesses of a group a walk from the best finds without looking for them, ties ascending.
    pub fn stored_len(&self, group: LevelGroup) -> u64 {
        let before = self.levels.iter().filter(|level| level[0] >> 8 < group as u32);
        let start: u64 = before.map(|level| u64::from(level[1])).sum();
        (self.best.len() as u64).saturating_sub(start).min(self.group_len(group))
    }

    /// How many businesses of a group there are.
    pub fn group_len(&self, group: LevelGroup) -> u64 {
        let levels = self.levels.iter().filter(|level| level[0] >> 8 == group as u32);
        levels.map(|level| u64::from(level[1])).sum()
    }

    /// Businesses of the levels of a group in order, each with its impact. Where another group has a level of the
    /// same impact, businesses of that one may be among them: whoever walks knows the members of the group.
    ///
    /// `from` is the impact and the business behind which the walk begins.
    pub fn walk(
        &self,
        group: LevelGroup,
        order: LevelWalk,
        from: Option<(u8, DocId)>,
    ) -> impl Iterator<Item = (u8, DocId)> + use<'a> {
        let this = *self;
        let of_group = this.levels.partition_point(|level| level[0] >> 8 < group as u32)
            ..this.levels.partition_point(|level| level[0] >> 8 <= group as u32);
        let mut levels: Vec<(usize, u8)> =
            of_group.map(|at| (at, this.levels[at][0] as u8)).collect();
        if !order.is_best_first {
            levels.reverse();
        }
        if let Some((impact, _)) = from {
            levels.retain(
                |&(_, level)| {
                    if order.is_best_first { level <= impact } else { level >= impact }
                },
            );
        }
        levels.into_iter().flat_map(move |(at, impact)| {
            let from = from.filter(|&(level, _)| level == impact).map(|(_, doc)| doc);
            this.walk_level(at, impact, order.docs, from).map(move |doc| (impact, doc))
        })
    }

    /// Businesses of level `at`, which has this impact, beyond `from`: those stored first, others looked for.
    fn walk_level(
        self,
        at: usize,
        impact: u8,
        direction: DocWalk,
        from: Option<DocId>,
    ) -> impl Iterator<Item = DocId> + use<'a> {
        let best = self.best_of(at);
        let is_whole = best.len() == self.levels[at][1] as usize;
        let ahead = match (direction, from) {
            // Walks down begin with those that are not stored.
            (DocWalk::Down, _) if !is_whole => &best[..0],
            (_, None) => best,
            (DocWalk::Up, Some(from)) => &best[best.partition_point(|&doc| doc <= from.0)..],
            (DocWalk::Down, Some(from)) => &best[..best.partition_point(|&doc| doc < from.0)],
        };
        let from = match direction {
            DocWalk::Up => from.max(best.last().map(|&doc| DocId(doc))),
            DocWalk::Down => from,
        };
        let is_ahead = move |doc: &DocId| match (from, direction) {
            (None, _) => true,
            (Some(from), DocWalk::Up) => *doc > from,
            (Some(from), DocWalk::Down) => *doc < from,
        };
        let mut stored = ahead.iter().map(|&doc| DocId(doc));
        let mut looked_for = None;
        std::iter::from_fn(move || {
            let next = match direction {
                DocWalk::Up => stored.next(),
                DocWalk::Down => stored.next_back(),
            };
            if next.is_some() || is_whole {
                return next;
            }
            let looked_for = looked_for.get_or_insert_with(|| {
                self.docs_of_level(at, impact, direction, from).filter(is_ahead)
            });
            looked_for.next()
        })
    }

    /// Businesses with the impact of level `at`, from the block of `from` on.
    fn docs_of_level(
        self,
        at: usize,
        impact: u8,
        direction: DocWalk,
        from: Option<DocId>,
    ) -> impl Iterator<Item = DocId> + use<'a> {
        let words_len = self.starts.len().div_ceil(64);
        let words = &self.blocks[at * words_len..(at + 1) * words_len];
        let first = from.map(|doc| (doc.0 >> self.shift) as usize);
        let mut next = match direction {
            DocWalk::Up => Some(first.unwrap_or(0)),
            DocWalk::Down => Some(first.unwrap_or(self.starts.len() - 1)),
        };
        let mut found: Vec<DocId> = Vec::new();
        std::iter::from_fn(move || {
            loop {
                if let Some(doc) = found.pop() {
                    return Some(doc);
                }
                let block = match direction {
                    DocWalk::Up => next_bit(words, next?)?,
                    DocWalk::Down => last_bit(words, next?)?,
                };
                next = match direction {
                    DocWalk::Up => Some(block + 1),
                    DocWalk::Down => block.checked_sub(1),
                };
                self.scan(block, impact, &mut found);
                if direction == DocWalk::Up {
                    found.reverse();
                }
            }
        })
    }

    /// Appends the businesses of a block with this impact, ascending.
    fn scan(&self, block: usize, impact: u8, found: &mut Vec<DocId>) {
        let Some(&start) = self.starts.get(block) else { return };
        let end = self.starts.get(block + 1).map_or(self.impacts.len(), |&end| end as usize);
        let start = start as usize;
        let first_doc = (block as u32) << self.shift;
        let places = memchr::memchr_iter(impact, &self.impacts[start..end]);
        match self.postings {
            Postings::Small(docs) => found.extend(places.map(|at| DocId(docs[start + at]))),
            Postings::Chunked(chunked) => {
                let key = (first_doc >> 16) as u16;
                let Some(chunk_at) = chunked.find(key) else { return };
                let base = u32::from(key) << 16;
                match chunked.chunk(chunk_at).container {
                    Container::Array(lows) => {
                        let before = start - chunked.rank(chunk_at);
                        found.extend(places.map(|at| DocId(base | u32::from(lows[before + at]))));
                    }
                    Container::Bitmap(Bitmap { words, .. }) => {
                        let first = (first_doc & 0xffff) as usize >> 6;
                        let base = base | (first as u32 * 64);
                        select(&words[first..], places, |bit| found.push(DocId(base + bit)));
                    }
                }
            }
        }
    }
}

/// By group, then impact descending.
fn order(level: u32) -> u32 {
    level ^ 0xff
}

/// Appends the levels of `docs` with their impacts, and at most `best_max` of the best; `groups` gives, in ascending
/// order of `DocId`, those whose group is not [`LevelGroup::Elsewhere`].
pub fn encode(
    docs: &[u32],
    impacts: &[u8],
    groups: &[(u32, LevelGroup)],
    best_max: usize,
    out: &mut Vec<u8>,
) {
    let last = docs.last().copied().unwrap_or_default();
    let span = u64::from(last) + 1;
    let mut shift = SHIFT_MIN;
    while shift < 16 && (docs.len() as u64) << shift < BLOCK_LEN as u64 * span {
        shift += 1;
    }
    let num_blocks = (last >> shift) as usize + 1;
    let words_len = num_blocks.div_ceil(64);
    let mut counts = [0u32; 1024];
    let mut named = groups.iter().copied().peekable();
    let level_of: Vec<u16> = docs
        .iter()
        .zip(impacts)
        .map(|(&doc, &impact)| {
            let group =
                named.next_if(|named| named.0 == doc).map_or(LevelGroup::Elsewhere, |it| it.1);
            let level = (group as u16) << 8 | u16::from(impact);
            counts[usize::from(level)] += 1;
            level
        })
        .collect();
    let mut levels: Vec<u32> = (0..1024).filter(|&level| counts[level as usize] > 0).collect();
    levels.sort_unstable_by_key(|&level| order(level));
    let mut places = [0usize; 1024];
    for (at, &level) in levels.iter().enumerate() {
        places[level as usize] = at;
    }
    let mut starts = vec![0u32; num_blocks];
    let mut words = vec![0u64; levels.len() * words_len];
    for (&doc, &level) in docs.iter().zip(&level_of) {
        let block = (doc >> shift) as usize;
        if let Some(behind) = starts.get_mut(block + 1) {
            *behind += 1;
        }
        words[places[usize::from(level)] * words_len + (block >> 6)] |= 1 << (block & 63);
    }
    for block in 1..num_blocks {
        starts[block] += starts[block - 1];
    }
    let mut best = vec![0u32; docs.len().min(best_max)];
    let head = [shift, levels.len() as u32, num_blocks as u32, best.len() as u32];
    out.extend_from_slice(bytemuck::cast_slice(&head));
    // Where the next business of each level goes.
    let (mut next, mut end) = ([0usize; 1024], 0);
    for level in levels {
        out.extend(level.to_le_bytes());
        out.extend(counts[level as usize].to_le_bytes());
        next[level as usize] = end;
        end += counts[level as usize] as usize;
    }
    for (&doc, &level) in docs.iter().zip(&level_of) {
        let next = &mut next[usize::from(level)];
        if let Some(place) = best.get_mut(*next) {
            *place = doc;
        }
        *next += 1;
    }
    out.extend_from_slice(bytemuck::cast_slice(&starts));
    out.resize(out.len().next_multiple_of(8), 0);
    out.extend_from_slice(bytemuck::cast_slice(&words));
    out.extend_from_slice(bytemuck::cast_slice(&best));
    out.resize(out.len().next_multiple_of(8), 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::aligned;
    use crate::snapshot::postings;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn groups() -> impl Strategy<Value = LevelGroup> {
        prop_oneof![
            1 => Just(LevelGroup::NameIs),
            1 => Just(LevelGroup::NameStarts),
            1 => Just(LevelGroup::NameHas),
            4 => Just(LevelGroup::Elsewhere),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn walks_are_sorts(
            docs in proptest::collection::btree_map(0u32..300_000, (1u8..12, groups()), 1..4000),
            dense in proptest::bool::ANY,
            best_max in 0usize..5000,
        ) {
            // Dense lists have bitmaps.
            let docs: BTreeMap<u32, (u8, LevelGroup)> =
                if dense { docs.into_iter().zip(0..).map(|((_, it), doc)| (doc / 7 * 9 + doc % 7, it)).collect() }
                else { docs };
            let sorted: Vec<u32> = docs.keys().copied().collect();
            let impacts: Vec<u8> = docs.values().map(|it| it.0).collect();
            let named: Vec<(u32, LevelGroup)> = docs.iter()
                .filter(|(_, it)| it.1 != LevelGroup::Elsewhere).map(|(&doc, it)| (doc, it.1)).collect();
            let (mut list, mut bytes) = (Vec::new(), Vec::new());
            postings::encode(&sorted, &mut list);
            encode(&sorted, &impacts, &named, best_max, &mut bytes);
            let (list, words) = (aligned(&list), aligned(&bytes));
            let (postings, _) = Postings::read(bytemuck::cast_slice(&list));
            let (levels, len) = TermLevels::read(bytemuck::cast_slice(&words), postings, &impacts).unwrap();
            prop_assert_eq!(len, bytes.len());
            prop_assert!(levels.check());
            for group in LevelGroup::ALL {
                let mut expected: Vec<(u8, DocId)> = docs.iter()
                    .filter(|(_, it)| it.1 == group).map(|(&doc, it)| (it.0, DocId(doc))).collect();
                prop_assert_eq!(levels.group_len(group), expected.len() as u64);
                let is_member = |it: &(u8, DocId)| docs[&it.1.0].1 == group;
                for (is_best_first, docs) in
                    [(true, DocWalk::Up), (true, DocWalk::Down), (false, DocWalk::Up), (false, DocWalk::Down)]
                {
                    let order = LevelWalk { is_best_first, docs };
                    expected.sort_by_key(|&(impact, DocId(doc))| (
                        if is_best_first { !impact } else { impact },
                        if docs == DocWalk::Up { doc } else { !doc },
                    ));
                    for start in [None, expected.first(), expected.get(expected.len() / 2), expected.last()] {
                        let behind = start.map_or(0, |start| expected.iter().position(|it| it == start).unwrap() + 1);
                        let found: Vec<_> = levels.walk(group, order, start.copied()).filter(is_member).collect();
                        prop_assert_eq!(&found[..], &expected[behind..]);
                    }
                }
            }
        }

        #[test]
        fn any_bytes_are_refused_without_panic(words in proptest::collection::vec(0u64..1 << 36, 0..40)) {
            let list = [3u32, 1, 5, 9];
            let (postings, _) = Postings::read(bytemuck::cast_slice(&list));
            if let Some((levels, _)) = TermLevels::read(bytemuck::cast_slice(&words), postings, &[1, 2, 3]) {
                let _ = levels.check();
            }
        }
    }
}
