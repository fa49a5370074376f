//! Counting how many businesses have two of the dense keys.

use super::pospopcnt::{ROW_BITS, Row, add_columns};
use super::transpose::{ByDoc, CHUNK_DOCS, Chunks, for_each_low, releasing};
use crate::simd::{Loop, vectorized};
use crate::snapshot::answers::frequent_keys;
use crate::snapshot::encoding::postings::Postings;
use rayon::prelude::*;

/// How many of the longest lists are bitmaps while their pairs are counted: each pair costs the
/// same then, however many businesses share it.
const BITMAPS: usize = 128;

/// Words of a bitmap that are looked at together: those of all lists stay in the cache.
const TILE_WORDS: usize = 32;

/// Of how many times [`ROW_BITS`] of the longest lists each business has a bit. Counting of ten
/// million generated businesses by bits takes 5.5 s, by incrementing a number for each pair of each
/// business 11.
const ROWS: usize = 4;

/// How many businesses each pair of lists shares, at [`frequent_keys::place`]. Takes a matrix of
/// counts for each thread, as far as `memory` bytes hold them, and calls `release` now and then:
/// the lists looked at so far may be given back.
pub fn pair_counts(
    lists: &[Postings<'_>],
    num_docs: u32,
    memory: usize,
    release: impl Fn() + Sync,
) -> Vec<u32> {
    // Counting goes by frequency, so that the counts that change most lie close together.
    let mut by_len: Vec<usize> = (0..lists.len()).collect();
    by_len.sort_by_key(|&at| std::cmp::Reverse(lists[at].len()));
    let ranked: Vec<Postings<'_>> = by_len.iter().map(|&at| lists[at]).collect();
    let len = lists.len() * lists.len().saturating_sub(1) / 2;
    let workers = (memory / (len * 4).max(1)).clamp(1, rayon::current_num_threads());
    let chunks = Chunks::of(num_docs);
    let counted: Vec<Vec<u32>> = (0..workers)
        .into_par_iter()
        .with_max_len(1)
        .map(|_| {
            let mut counter = Counter::new(&ranked, len);
            while let Some(key) = chunks.take() {
                counter.add_chunk(key, &release);
            }
            counter.counts
        })
        .collect();
    let mut sums = vec![0u32; len];
    for high in 1..lists.len() {
        for low in 0..high {
            let (a, b) = (by_len[low], by_len[high]);
            let count = counted.iter().map(|counts| counts[frequent_keys::place(low, high)]).sum();
            sums[frequent_keys::place(a.min(b), a.max(b))] = count;
        }
    }
    sums
}

/// Counts the pairs of one chunk after the other.
struct Counter<'a> {
    /// The longest first.
    lists: &'a [Postings<'a>],
    counts: Vec<u32>,
    /// Of the chunk: of each of the first lists its businesses, and of each business a bit for each
    /// of more of them.
    bitmaps: Bitmaps,
    rows: Vec<Vec<Row>>,
    /// Behind the lists that have bits: the numbers of those that each business is on.
    held: ByDoc<u16>,
    /// The businesses of one list.
    docs: Vec<u16>,
}

impl<'a> Counter<'a> {
    /// Nothing is counted yet of `num_pairs` pairs.
    fn new(lists: &'a [Postings<'a>], num_pairs: usize) -> Counter<'a> {
        let num_rows = lists.len().div_ceil(ROW_BITS).min(ROWS);
        Counter {
            lists,
            counts: vec![0; num_pairs],
            bitmaps: Bitmaps::new(lists.len().min(BITMAPS)),
            rows: vec![vec![Row::default(); CHUNK_DOCS]; num_rows],
            held: ByDoc::default(),
            docs: Vec::new(),
        }
    }

    /// Adds the pairs of the businesses of chunk `key`.
    fn add_chunk(&mut self, key: u32, release: impl Fn()) {
        let Counter { lists, counts, bitmaps, rows, held, docs } = self;
        bitmaps.words.fill(0);
        rows.iter_mut().for_each(|rows| rows.fill(Row::default()));
        let numbered = lists.get(ROWS * ROW_BITS..).unwrap_or_default();
        held.make_room(numbered.iter().copied(), key, &release);
        for (high, list) in releasing(lists.iter().enumerate(), &release) {
            docs.clear();
            for_each_low(list, key, |_, low| docs.push(low));
            // All pairs of a list are counted in one stretch, which is small and stays close,
            // instead of all pairs of a business, which lie everywhere.
            let first = high * high.saturating_sub(1) / 2;
            let counts = &mut counts[first..first + high];
            if high < bitmaps.len {
                docs.iter().for_each(|&low| bitmaps.insert(high, low));
            } else {
                for (rows, counts) in rows.iter().zip(counts.chunks_mut(ROW_BITS)) {
                    add_columns(rows, docs, counts);
                }
            }
            if let Some(rows) = rows.get_mut(high / ROW_BITS) {
                let (word, bit) = (high % ROW_BITS / 64, 1 << (high % 64));
                docs.iter().for_each(|&low| rows[usize::from(low)][word] |= bit);
            } else {
                let counts = &mut counts[ROWS * ROW_BITS..];
                for &low in &*docs {
                    held.of(low).iter().for_each(|&lower| counts[usize::from(lower)] += 1);
                    held.push(low, (high - ROWS * ROW_BITS) as u16);
                }
            }
        }
        vectorized(AddPairs { bitmaps, counts });
    }
}

/// The businesses of a chunk that some lists hold.
struct Bitmaps {
    /// Tile by tile, in each the words of one list after the other.
    words: Vec<u64>,
    len: usize,
}

impl Bitmaps {
    /// `len` empty ones.
    fn new(len: usize) -> Bitmaps {
        Bitmaps { words: vec![0; len * CHUNK_DOCS / 64], len }
    }

    #[inline]
    fn insert(&mut self, list: usize, low: u16) {
        let word = usize::from(low) / 64;
        let (tile, within) = (word / TILE_WORDS, word % TILE_WORDS);
        self.words[(tile * self.len + list) * TILE_WORDS + within] |= 1 << (low % 64);
    }
}

/// Adds what each two of some lists have in common.
struct AddPairs<'a> {
    bitmaps: &'a Bitmaps,
    counts: &'a mut [u32],
}

impl Loop for AddPairs<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Bitmaps { words, len } = self.bitmaps;
        for tile in words.chunks_exact((len * TILE_WORDS).max(1)) {
            let lists = tile.as_chunks::<TILE_WORDS>().0;
            let mut counts = self.counts.iter_mut();
            for (high, list) in lists.iter().enumerate() {
                for (lower, count) in lists[..high].iter().zip(&mut counts) {
                    let common = list.iter().zip(lower).map(|(a, b)| (a & b).count_ones());
                    *count += common.sum::<u32>();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::aligned;
    use crate::snapshot::encoding::postings;

    /// Lists of pseudo-random businesses: in bitmaps, in rows, and behind them; of two chunks.
    #[test]
    fn pairs_are_counted_as_business_by_business() {
        let num_docs = 70_000;
        let num_lists = ROWS * ROW_BITS + 40;
        let mut held: Vec<Vec<usize>> = vec![Vec::new(); num_docs as usize];
        let mut encoded: Vec<Vec<u64>> = Vec::new();
        for list in 0..num_lists {
            // Not in the order of their lengths.
            let one_in = 3 + list * 769 % num_lists;
            let is_held = |doc: &u32| {
                let mixed = (doc * 4099 + list as u32).wrapping_mul(0x9e37_79b1) >> 7;
                // None is empty.
                (mixed as usize).is_multiple_of(one_in) || *doc == list as u32
            };
            let docs: Vec<u32> = (0..num_docs).filter(is_held).collect();
            docs.iter().for_each(|&doc| held[doc as usize].push(list));
            let mut bytes = Vec::new();
            postings::encode(&docs, &mut bytes);
            encoded.push(aligned(&bytes));
        }
        let bytes = encoded.iter().map(|words| bytemuck::cast_slice(words));
        let lists: Vec<Postings<'_>> = bytes.map(Postings::front).collect();
        let mut expected = vec![0u32; num_lists * (num_lists - 1) / 2];
        for lists in held {
            for (at, &high) in lists.iter().enumerate() {
                lists[..at].iter().for_each(|&low| expected[frequent_keys::place(low, high)] += 1);
            }
        }
        for memory in [0, 1 << 30] {
            assert_eq!(pair_counts(&lists, num_docs, memory, || ()), expected);
        }
    }
}
