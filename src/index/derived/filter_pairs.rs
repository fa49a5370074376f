//! Counting how many businesses have two places, or two industries.

use super::transpose::{ByDoc, for_each_low, num_chunks};
use crate::ids::TermOrd;
use crate::snapshot::answers::filter_pairs::pair;
use crate::snapshot::answers::frequent_keys::DenseKey;
use crate::snapshot::encoding::postings::Postings;
use crate::snapshot::terms::dictionary::Dictionary;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// The pairs of keys of a dictionary that any business has both, as they are stored, with their
/// counts, ascending.
pub fn filter_pairs(
    dictionary: &Dictionary,
    key: fn(TermOrd) -> DenseKey,
    num_docs: u32,
) -> Vec<([u32; 2], u32)> {
    let ords = (0..dictionary.len() as u32).map(TermOrd);
    let lists: Vec<Postings<'_>> = ords.map(|ord| dictionary.postings(ord)).collect();
    let chunks: Vec<u32> = (0..num_chunks(num_docs)).collect();
    let counts = chunks
        .par_iter()
        .fold(FxHashMap::default, |mut counts, &chunk| {
            add_chunk(&lists, chunk, &mut counts);
            counts
        })
        .reduce(FxHashMap::default, |mut sums, counts| {
            counts.into_iter().for_each(|(pair, count)| *sums.entry(pair).or_default() += count);
            sums
        });
    let pairs = counts.into_iter().filter_map(|((first, second), count)| {
        pair(key(TermOrd(first)), key(TermOrd(second))).map(|pair| (pair, count))
    });
    let mut pairs: Vec<([u32; 2], u32)> = pairs.collect();
    pairs.sort_unstable();
    pairs
}

/// Adds the pairs of the businesses of a chunk.
fn add_chunk(lists: &[Postings<'_>], chunk: u32, counts: &mut FxHashMap<(u32, u32), u32>) {
    let mut held: ByDoc<u32> = ByDoc::default();
    held.make_room(lists.iter().copied(), chunk, || ());
    for (second, list) in (0..).zip(lists) {
        for_each_low(list, chunk, |_, low| {
            for &first in held.of(low) {
                *counts.entry((first, second)).or_default() += 1;
            }
            held.push(low, second);
        });
    }
}
