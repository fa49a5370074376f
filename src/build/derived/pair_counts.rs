//! Counting how many businesses have two of the dense keys.

use super::by_doc::{CHUNK_DOCS, RELEASE_LISTS, for_each_low, starts};
use crate::snapshot::dense;
use crate::snapshot::postings::Postings;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

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
    let next = AtomicU32::new(0);
    let counted: Vec<Vec<u32>> = (0..workers)
        .into_par_iter()
        .with_max_len(1)
        .map(|_| {
            let mut counts = vec![0u32; len];
            loop {
                let key = next.fetch_add(1, Ordering::Relaxed);
                if key >= num_docs.div_ceil(CHUNK_DOCS as u32) {
                    return counts;
                }
                add_chunk(&ranked, key, &mut counts, &release);
            }
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
    // The numbers of the lists so far that each business is on, and how many they are. All pairs of a list are counted
    // in one row, which is small and stays close, instead of all pairs of a business, which lie everywhere.
    let starts = starts(lists.iter().copied(), key, &release);
    let mut ends = starts.clone();
    let mut held = vec![0u16; starts.last().copied().unwrap_or_default() as usize];
    for (high, list) in lists.iter().enumerate() {
        let row_start = high * high.saturating_sub(1) / 2;
        let row = &mut counts[row_start..row_start + high];
        for_each_low(list, key, |_, low| {
            let start = starts[usize::from(low)] as usize;
            let end = &mut ends[usize::from(low)];
            for &lower in &held[start..*end as usize] {
                row[usize::from(lower)] += 1;
            }
            held[*end as usize] = high as u16;
            *end += 1;
        });
        if high % RELEASE_LISTS == RELEASE_LISTS - 1 {
            release();
        }
    }
    release();
}
