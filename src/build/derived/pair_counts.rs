//! Counting how many businesses have two of the dense keys.

use super::by_doc::{ByDoc, CHUNK_DOCS, Chunks, for_each_low, releasing};
use crate::simd;
use crate::snapshot::dense;
use crate::snapshot::postings::Postings;
use rayon::prelude::*;

/// How many of the longest lists are bitmaps while their pairs are counted: each pair costs the same then, however many
/// businesses share it. With none, counting takes half as long again; of ten million generated ones it takes 19.3 s with
/// 512, 22.2 with 384, 22.0 with 768.
const BITMAPS: usize = 512;

/// Words of a bitmap that are looked at together: those of all lists stay in the cache.
const TILE_WORDS: usize = 32;

/// How many businesses each pair of lists shares, at [`dense::place`]. Takes a matrix of counts for each thread, as
/// far as `memory` bytes hold them, and calls `release` now and then: the lists looked at so far may be given back.
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
            let mut counts = vec![0u32; len];
            while let Some(key) = chunks.take() {
                add_chunk(&ranked, key, &mut counts, &release);
            }
            counts
        })
        .collect();
    let mut sums = vec![0u32; len];
    for high in 1..lists.len() {
        for low in 0..high {
            let (a, b) = (by_len[low], by_len[high]);
            let count = counted.iter().map(|counts| counts[dense::place(low, high)]).sum();
            sums[dense::place(a.min(b), a.max(b))] = count;
        }
    }
    sums
}

/// Adds the pairs of the businesses of chunk `key`.
fn add_chunk(lists: &[Postings<'_>], key: u32, counts: &mut [u32], release: impl Fn()) {
    let mut bitmaps = Bitmaps::new(lists.len().min(BITMAPS));
    // The numbers of the lists so far that each business is on. All pairs of a list are counted in one row, which is
    // small and stays close, instead of all pairs of a business, which lie everywhere.
    let mut held: ByDoc<u16> = ByDoc::with_room(lists.iter().copied(), key, &release);
    for (high, list) in releasing(lists.iter().enumerate(), &release) {
        if high < bitmaps.len {
            for_each_low(list, key, |_, low| {
                bitmaps.insert(high, low);
                held.push(low, high as u16);
            });
            continue;
        }
        let row_start = high * high.saturating_sub(1) / 2;
        let row = &mut counts[row_start..row_start + high];
        for_each_low(list, key, |_, low| {
            held.of(low).iter().for_each(|&lower| row[usize::from(lower)] += 1);
            held.push(low, high as u16);
        });
    }
    simd::vectorized(|| bitmaps.add_pairs(counts));
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

    /// Adds what each two have in common.
    #[inline]
    fn add_pairs(&self, counts: &mut [u32]) {
        for tile in self.words.chunks_exact((self.len * TILE_WORDS).max(1)) {
            let lists = tile.as_chunks::<TILE_WORDS>().0;
            let mut counts = counts.iter_mut();
            for (high, list) in lists.iter().enumerate() {
                for (lower, count) in lists[..high].iter().zip(&mut counts) {
                    let common = list.iter().zip(lower).map(|(a, b)| (a & b).count_ones());
                    *count += common.sum::<u32>();
                }
            }
        }
    }
}
