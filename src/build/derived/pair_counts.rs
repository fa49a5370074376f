//! Counting how many businesses have two of the dense keys.

use crate::snapshot::dense;
use crate::snapshot::postings::Postings;
use rayon::prelude::*;

/// How many businesses each pair of lists shares, at [`dense::place`].
pub fn pair_counts(lists: &[Postings<'_>], num_docs: u32) -> Vec<u32> {
    // Counting goes by frequency, so that the counts that change most lie close together.
    let mut by_len: Vec<usize> = (0..lists.len()).collect();
    by_len.sort_by_key(|&at| std::cmp::Reverse(lists[at].len()));
    let len = lists.len() * lists.len().saturating_sub(1) / 2;
    let keys: Vec<u32> = (0..=num_docs.saturating_sub(1) >> 16).collect();
    let share = keys.len().div_ceil(rayon::current_num_threads()).max(1);
    let counted: Vec<Vec<u32>> = keys
        .par_chunks(share)
        .map(|keys| {
            let mut counts = vec![0u32; len];
            let mut held: Vec<Vec<u16>> = vec![Vec::new(); 1 << 16];
            for &key in keys {
                held.iter_mut().for_each(Vec::clear);
                for (number, &at) in by_len.iter().enumerate() {
                    for_each_low(&lists[at], key, |low| held[usize::from(low)].push(number as u16));
                }
                for numbers in &held {
                    for (behind, &high) in numbers.iter().enumerate() {
                        for &low in &numbers[..behind] {
                            counts[dense::place(usize::from(low), usize::from(high))] += 1;
                        }
                    }
                }
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

fn for_each_low(postings: &Postings<'_>, key: u32, mut visit: impl FnMut(u16)) {
    match postings {
        Postings::Small(docs) => {
            let start = docs.partition_point(|&doc| doc >> 16 < key);
            let here = docs[start..].iter().take_while(|&&doc| doc >> 16 == key);
            here.for_each(|&doc| visit(doc as u16));
        }
        Postings::Chunked(chunked) => {
            if let Some(at) = chunked.find(key as u16) {
                chunked.chunk(at).container.for_each(visit);
            }
        }
    }
}
