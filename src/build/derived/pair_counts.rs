//! Counting how many businesses have two of the dense keys.

use super::by_doc::{ByDoc, Chunks, for_each_low, releasing};
use crate::snapshot::dense;
use crate::snapshot::postings::Postings;
use rayon::prelude::*;

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
    // The numbers of the lists so far that each business is on. All pairs of a list are counted in one row, which is
    // small and stays close, instead of all pairs of a business, which lie everywhere.
    let mut held: ByDoc<u16> = ByDoc::with_room(lists.iter().copied(), key, &release);
    for (high, list) in releasing(lists.iter().enumerate(), &release) {
        let row_start = high * high.saturating_sub(1) / 2;
        let row = &mut counts[row_start..row_start + high];
        for_each_low(list, key, |_, low| {
            held.of(low).iter().for_each(|&lower| row[usize::from(lower)] += 1);
            held.push(low, high as u16);
        });
    }
}
