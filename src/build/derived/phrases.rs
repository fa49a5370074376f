//! How many businesses hold two frequent words next to each other, and which, where they are few; and the best of
//! them, where very many hold both words.
//!
//! The words of all businesses are read twice, 65,536 businesses at a time on every core: once to count each pair,
//! and once to collect what is stored of it, of which the size is then known. If the best of all pairs are more than
//! memory may hold, the pairs are taken in several ranges, and the words read once for each.

mod collection;

use super::Thresholds;
use super::by_doc::{Chunks, releasing};
use super::neighbours::{Neighbours, PairSet};
use super::pair_buckets::PairBuckets;
use crate::build::BuildError;
use crate::build::pipeline::in_order;
use crate::build::scratch::{Scratch, ScratchError};
use crate::ids::TermOrd;
use crate::snapshot::dense;
use crate::snapshot::doc_tokens::DocTokens;
use crate::snapshot::format::SectionKind;
use crate::snapshot::mapped::Section;
use crate::snapshot::offsets::Offsets;
use crate::snapshot::phrases::{encode_pairs, encode_places, pair};
use crate::snapshot::postings;
use crate::snapshot::terms::Terms;
use crate::snapshot::writer::SnapshotWriter;
use collection::{Collection, Found, KEPT_BYTES, Shard, Spill};
use rayon::ThreadPool;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::ops::Range;

/// A phrase that fewer of its candidates hold has a list: a page of others is full after some thousand candidates.
const RARE_SHARE: u64 = 96;

/// A phrase that more of its candidates hold has a list: the words belong together (`A/S`, `Co., Ltd`, `real estate`),
/// so that it is asked for, and it takes less than the lists of its words. In between are words that are neighbours by
/// chance: nearly all phrases, and nine tenths of all bytes.
const FREQUENT_SHARE: u64 = 32;

/// What phrases are found from.
pub struct Source<'a> {
    /// Number of businesses.
    pub num_docs: u32,
    /// The terms.
    pub terms: &'a Terms,
    /// Section `TermPostings`.
    pub postings: Section,
    /// Gives back what was looked at of all sections.
    pub release_all: &'a (dyn Fn() + Sync),
    /// Section `DocTokenOffsets`.
    pub offsets: Offsets,
    /// Section `DocTokens`.
    pub tokens: Section,
    /// Section `PairCounts`.
    pub counts: &'a [u32],
    /// What is stored.
    pub thresholds: &'a Thresholds,
    /// Where lists lie while they are collected.
    pub scratch: &'a Scratch,
    /// About how much memory may be taken.
    pub memory: usize,
}

/// Writes the sections of phrases of the terms `dense`, whose place is their number.
///
/// # Errors
/// The file, or a temporary one, cannot be written or read.
pub fn write(
    source: &Source<'_>,
    dense: &[TermOrd],
    pool: &ThreadPool,
    writer: &mut SnapshotWriter,
) -> Result<(), BuildError> {
    // Here terms are numbered by frequency, so that what is touched most of tables of pairs lies close together.
    let mut by_len: Vec<usize> = (0..dense.len()).collect();
    let release = || source.postings.release(usize::MAX);
    let lens: Vec<usize> = releasing(dense, release)
        .map(|&ord| source.terms.lists(ord).any.map_or(0, |any| any.len()))
        .collect();
    by_len.sort_by_key(|&at| Reverse(lens[at]));
    let ranked: Vec<TermOrd> = by_len.iter().map(|&at| dense[at]).collect();
    let neighbours = Neighbours::new(source.terms, &ranked);
    let counted = pool.install(|| source.count(&neighbours));
    let phrases = source.phrases(&counted, &by_len, &neighbours);
    // The counts themselves are in the phrases now.
    let mut numbers = counted;
    for (number, phrase) in (0..).zip(&phrases) {
        numbers[phrase.place as usize] = phrase.numbered(number);
    }
    let mut section = writer.begin(SectionKind::PhrasePostings);
    let mut places: Vec<Option<u64>> = Vec::with_capacity(phrases.len());
    let (mut best, mut best_offsets) = (Vec::new(), vec![0u32]);
    let best_max = source.thresholds.phrase_best_max;
    for range in ranges(&phrases, best_max, source.memory / 3) {
        let collection = Collection::new(source, &phrases, range, &neighbours, &numbers)?;
        pool.install(|| collection.collect(&ranked))?;
        let (shards, spill) = collection.into_shards();
        in_order(
            pool,
            pool.current_num_threads() + 1,
            shards.map(Ok),
            |shard| source.encode(&phrases[shard.phrases()], shard, &spill),
            |encoded: Result<Vec<EncodedPhrase>, ScratchError>| {
                for phrase in encoded? {
                    places.push((!phrase.postings.is_empty()).then(|| section.len()));
                    section.write(&phrase.postings)?;
                    best.extend(phrase.best);
                    best_offsets.push(best.len() as u32);
                }
                Ok::<(), BuildError>(())
            },
        )?;
    }
    drop(numbers);
    section.end(writer)?;
    let (pairs, counts): (Vec<u32>, Vec<u32>) =
        phrases.iter().map(|phrase| (phrase.pair, phrase.count)).unzip();
    let head = source.thresholds.phrase_docs_min;
    writer.section(SectionKind::PhrasePairs, &encode_pairs(head, &pairs))?;
    writer.section(SectionKind::PhraseCounts, bytemuck::cast_slice(&counts))?;
    writer.section(SectionKind::PhraseLists, bytemuck::cast_slice(&encode_places(&places)))?;
    writer.section(SectionKind::PhraseBest, bytemuck::cast_slice(&best))?;
    Ok(writer.section(SectionKind::PhraseBestOffsets, bytemuck::cast_slice(&best_offsets))?)
}

/// A phrase that is stored.
#[derive(Clone, Copy)]
struct Phrase {
    /// The numbers of its terms, as they are stored.
    pair: u32,
    /// Its place in tables, see [`Neighbours::pair`].
    place: u32,
    /// How many businesses hold it.
    count: u32,
    /// Has it a list?
    is_listed: bool,
    /// Are the best of its businesses stored?
    has_best: bool,
}

/// Set in what a phrase is [numbered](Phrase::numbered) if it has a list.
const LISTED: u32 = 1;

/// Set there if the best of its businesses are stored.
const HAS_BEST: u32 = 2;

/// Bits of these.
const FLAG_BITS: u32 = 2;

/// As many businesses are held to find the best `best_max`: the worst are dropped each time that they are so many.
fn kept_max(best_max: usize) -> usize {
    best_max + best_max.div_ceil(2)
}

impl Phrase {
    /// Its number and what is stored of it: all that is asked for each of its businesses.
    fn numbered(&self, number: u32) -> u32 {
        let flags = [(self.is_listed, LISTED), (self.has_best, HAS_BEST)];
        flags.into_iter().filter(|flag| flag.0).fold(number << FLAG_BITS, |all, flag| all | flag.1)
    }

    /// How many businesses are held to find its best.
    fn kept(&self, best_max: usize) -> usize {
        if self.has_best { kept_max(best_max).min(self.count as usize) } else { 0 }
    }
}

/// What is stored of a phrase.
struct EncodedPhrase {
    /// Its list; empty if it has none.
    postings: Vec<u8>,
    best: Vec<u32>,
}

/// Cuts the phrases so that the best that are held of each range, at most `best_max`, take about `memory` bytes.
fn ranges(phrases: &[Phrase], best_max: usize, memory: usize) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut bytes = 0;
    for (at, phrase) in phrases.iter().enumerate() {
        let more = phrase.kept(best_max) * KEPT_BYTES;
        match ranges.last_mut() {
            Some(range) if bytes + more <= memory => range.end = at + 1,
            _ => {
                ranges.push(at..at + 1);
                bytes = 0;
            }
        }
        bytes += more;
    }
    ranges
}

impl Source<'_> {
    /// How many businesses hold each pair of dense terms next to each other.
    fn count(&self, neighbours: &Neighbours) -> Vec<u32> {
        let len = neighbours.pairs_end();
        let workers = (self.memory / 4 / (len * 4).max(1)).clamp(1, rayon::current_num_threads());
        let chunks = Chunks::of(self.num_docs);
        let tables: Vec<Vec<u32>> = (0..workers)
            .into_par_iter()
            .with_max_len(1)
            .map(|_| {
                let mut counts = vec![0u32; len];
                let mut found = PairBuckets::new(len);
                let mut add = |pair: u32, ()| counts[pair as usize] += 1;
                while let Some(key) = chunks.take() {
                    self.for_each_doc(self.docs_of(key), neighbours, |_, pairs| {
                        pairs.iter().for_each(|&pair| found.push(pair, ()));
                        if found.is_full() {
                            found.drain(&mut add);
                        }
                    });
                    (self.release_all)();
                }
                found.drain(&mut add);
                counts
            })
            .collect();
        let sum = |mut sums: Vec<u32>, counts: Vec<u32>| {
            let pairs = sums.par_iter_mut().zip(&counts).with_min_len(1 << 16);
            pairs.for_each(|(sum, count)| *sum += count);
            sums
        };
        tables.into_iter().reduce(sum).unwrap_or_default()
    }

    /// The businesses of chunk `key`.
    fn docs_of(&self, key: u32) -> Range<u32> {
        key << 16..self.num_docs.min((key + 1) << 16)
    }

    /// Calls `visit` with each business and the pairs of neighbours in it.
    fn for_each_doc(
        &self,
        docs: Range<u32>,
        neighbours: &Neighbours,
        mut visit: impl FnMut(u32, &[u32]),
    ) {
        let tokens = self.tokens.as_ref();
        let mut set = PairSet::default();
        for doc in docs {
            let range = self.offsets.range(doc as usize);
            if let Some(tokens) = DocTokens::read(&tokens[range]) {
                visit(doc, neighbours.find(&tokens, &mut set));
            }
        }
    }

    /// The phrases that are stored, by pair; `by_len` gives the number of a term by its number among `neighbours`.
    fn phrases(&self, counted: &[u32], by_len: &[usize], neighbours: &Neighbours) -> Vec<Phrase> {
        let thresholds = self.thresholds;
        let mut ranks = vec![0; by_len.len()];
        by_len.iter().enumerate().for_each(|(rank, &number)| ranks[number] = rank);
        let mut phrases = Vec::new();
        for first in 0..ranks.len() {
            for second in (0..ranks.len()).filter(|&second| second != first) {
                let place = neighbours.pair(ranks[first], ranks[second]);
                let count = counted[place as usize];
                let both = self.counts[dense::place(first.min(second), first.max(second))];
                if count == 0 || both < thresholds.phrase_docs_min {
                    continue;
                }
                let (len, both_len) = (u64::from(count), u64::from(both));
                let is_listed = len * RARE_SHARE <= both_len || len * FREQUENT_SHARE >= both_len;
                let is_scored = is_listed && count <= thresholds.phrase_scored_max;
                let has_best = both >= thresholds.phrase_best_docs_min && !is_scored;
                let pair = pair(first, second);
                phrases.push(Phrase { pair, place, count, is_listed, has_best });
            }
        }
        phrases
    }

    /// What is stored of `phrases`, which are those of `shard`.
    fn encode(
        &self,
        phrases: &[Phrase],
        shard: Shard,
        spill: &Spill,
    ) -> Result<Vec<EncodedPhrase>, ScratchError> {
        let found = shard.found(phrases, self.thresholds.phrase_best_max, spill)?;
        let encode = |Found { listed, best }: Found| {
            let mut encoded = EncodedPhrase { postings: Vec::new(), best };
            if !listed.is_empty() {
                postings::encode(&listed, &mut encoded.postings);
            }
            encoded
        };
        Ok(found.into_iter().map(encode).collect())
    }
}
