//! How many businesses hold two frequent words next to each other, and which, where they are few; and the best of
//! them, where very many hold both words.
//!
//! The words of all businesses are read twice, 65,536 businesses at a time on every core: once to count each pair,
//! and once to collect what is stored of it, of which the size is then known. If all of it is more than memory may
//! hold, the pairs are taken in several ranges, and the words read once for each.

use super::Thresholds;
use super::by_doc::{Chunks, releasing};
use super::impacts_by_doc::ImpactsByDoc;
use super::neighbours::{Neighbours, PairSet};
use crate::ids::TermOrd;
use crate::snapshot::SnapshotError;
use crate::snapshot::dense;
use crate::snapshot::doc_tokens::DocTokens;
use crate::snapshot::format::SectionKind;
use crate::snapshot::mapped::Section;
use crate::snapshot::offsets::Offsets;
use crate::snapshot::phrases::{encode_pairs, encode_places, pair};
use crate::snapshot::postings;
use crate::snapshot::terms::Terms;
use crate::snapshot::writer::SnapshotWriter;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

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
    /// Section `DocTokenOffsets`.
    pub offsets: Offsets,
    /// Section `DocTokens`.
    pub tokens: Section,
    /// Section `PairCounts`.
    pub counts: &'a [u32],
    /// What is stored.
    pub thresholds: &'a Thresholds,
    /// About how much memory may be taken.
    pub memory: usize,
}

/// Writes the sections of phrases of the terms `dense`, whose place is their number.
///
/// # Errors
/// The file cannot be written.
pub fn write(
    source: &Source<'_>,
    dense: &[TermOrd],
    pool: &ThreadPool,
    writer: &mut SnapshotWriter,
) -> Result<(), SnapshotError> {
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
        numbers[phrase.place as usize] = number;
    }
    let mut section = writer.begin(SectionKind::PhrasePostings);
    let mut places: Vec<Option<u64>> = Vec::with_capacity(phrases.len());
    let (mut best, mut best_offsets) = (Vec::new(), vec![0u32]);
    for range in ranges(&phrases, source.memory / 3) {
        let collection = Collection::new(source, &phrases, range, &neighbours, &numbers);
        pool.install(|| collection.collect(&ranked));
        for shard in collection.shards {
            let shard = shard.into_inner().unwrap_or_else(PoisonError::into_inner);
            let phrases = &phrases[shard.phrases];
            let encoded: Vec<EncodedPhrase> = pool.install(|| {
                let all = phrases.par_iter().zip(shard.kept).with_min_len(64);
                all.map(|(phrase, kept)| source.encode(phrase, kept)).collect()
            });
            for phrase in encoded {
                places.push((!phrase.postings.is_empty()).then(|| section.len()));
                section.write(&phrase.postings)?;
                best.extend(phrase.best);
                best_offsets.push(best.len() as u32);
            }
        }
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
    writer.section(SectionKind::PhraseBestOffsets, bytemuck::cast_slice(&best_offsets))
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
    /// Most businesses held while they are collected.
    kept: u32,
}

/// What is stored of a phrase.
struct EncodedPhrase {
    /// Its list; empty if it has none.
    postings: Vec<u8>,
    best: Vec<u32>,
}

/// Bytes for each business that is held.
const KEPT_BYTES: usize = size_of::<Key>();

/// How many businesses are held to find the best `max`.
fn full(max: usize) -> usize {
    max + max.div_ceil(2)
}

/// Cuts the phrases so that what is held of each range takes about `memory` bytes.
fn ranges(phrases: &[Phrase], memory: usize) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut bytes = 0;
    for (at, phrase) in phrases.iter().enumerate() {
        let more = phrase.kept as usize * KEPT_BYTES;
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

/// Rank of a business, best first: its score, the better the smaller, above its `DocId`.
type Key = u64;

/// More than any score, which is the sum of two impacts.
const SCORE_END: u32 = 512;

fn key(score: u32, doc: u32) -> Key {
    u64::from(SCORE_END - score) << 32 | u64::from(doc)
}

/// The upper bits of a key: of two that differ in them, they say which is the better. Never 0.
fn upper_bits(key: Key) -> u32 {
    (key >> 10) as u32
}

/// Businesses between two deliveries of what was found.
const DELIVERY_DOCS: u32 = 1 << 13;

/// Parts of the phrases that threads deliver to one at a time.
const NUM_SHARDS: usize = 256;

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
                while let Some(key) = chunks.take() {
                    self.for_each_doc(key, neighbours, |_, pairs| {
                        pairs.iter().for_each(|&pair| counts[pair as usize] += 1);
                    });
                }
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

    /// Calls `visit` with each business of chunk `key` and the pairs of neighbours in it.
    fn for_each_doc(&self, key: u32, neighbours: &Neighbours, mut visit: impl FnMut(u32, &[u32])) {
        let tokens = self.tokens.as_ref();
        let mut set = PairSet::default();
        for doc in key << 16..self.num_docs.min((key + 1) << 16) {
            let range = self.offsets.range(doc as usize);
            if let Some(tokens) = DocTokens::read(&tokens[range]) {
                visit(doc, neighbours.find(&tokens, &mut set));
            }
        }
        // Whoever still reads before here reads again.
        self.tokens.release(self.offsets.get((key << 16) as usize) as usize);
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
                let kept = match (is_listed, has_best) {
                    (true, _) => count,
                    // The worst are dropped each time that they are full.
                    (false, true) => count.min(full(thresholds.phrase_best_max) as u32),
                    (false, false) => 0,
                };
                let pair = pair(first, second);
                phrases.push(Phrase { pair, place, count, is_listed, has_best, kept });
            }
        }
        phrases
    }

    /// What is stored of a phrase of which `kept` is held.
    fn encode(&self, phrase: &Phrase, mut kept: Vec<Key>) -> EncodedPhrase {
        let mut encoded = EncodedPhrase { postings: Vec::new(), best: Vec::new() };
        if phrase.has_best {
            kept.sort_unstable();
            let best = kept.iter().take(self.thresholds.phrase_best_max);
            encoded.best.extend(best.map(|&key| key as u32));
        }
        if phrase.is_listed {
            let mut docs: Vec<u32> = kept.iter().map(|&key| key as u32).collect();
            docs.sort_unstable();
            postings::encode(&docs, &mut encoded.postings);
        }
        encoded
    }
}

/// What is held of a range of phrases while it is collected.
struct Collection<'a> {
    source: &'a Source<'a>,
    phrases: &'a [Phrase],
    range: Range<usize>,
    neighbours: &'a Neighbours,
    /// The number of each phrase, by its place.
    numbers: &'a [u32],
    /// By place: keys with upper bits above these are not wanted, or not any more. Most are told off by this table
    /// alone.
    limits: Vec<AtomicU32>,
    shards: Vec<Mutex<Shard>>,
    shard_len: usize,
}

/// What is held of some consecutive phrases.
struct Shard {
    phrases: Range<usize>,
    kept: Vec<Vec<Key>>,
}

impl<'a> Collection<'a> {
    fn new(
        source: &'a Source<'a>,
        phrases: &'a [Phrase],
        range: Range<usize>,
        neighbours: &'a Neighbours,
        numbers: &'a [u32],
    ) -> Collection<'a> {
        let shard_len = range.len().div_ceil(NUM_SHARDS).max(1);
        let shards = range.clone().step_by(shard_len).map(|start| {
            let phrases = start..range.end.min(start + shard_len);
            Mutex::new(Shard { kept: vec![Vec::new(); phrases.len()], phrases })
        });
        let limits: Vec<AtomicU32> = numbers.iter().map(|_| AtomicU32::new(0)).collect();
        for phrase in phrases[range.clone()].iter().filter(|phrase| phrase.kept > 0) {
            limits[phrase.place as usize].store(u32::MAX, Ordering::Relaxed);
        }
        let shards = shards.collect();
        Collection { source, phrases, range, neighbours, numbers, limits, shards, shard_len }
    }

    /// Collects from all businesses; `dense` are the terms in the order of `neighbours`.
    fn collect(&self, dense: &[TermOrd]) {
        let chunks = Chunks::of(self.source.num_docs);
        let workers = rayon::current_num_threads();
        (0..workers).into_par_iter().with_max_len(1).for_each(|_| {
            let release = || self.source.postings.release(usize::MAX);
            let mut impacts = ImpactsByDoc::new(self.source.terms, dense, release);
            let mut found: Vec<Vec<(u32, Key)>> = vec![Vec::new(); self.shards.len()];
            while let Some(chunk) = chunks.take() {
                impacts.load(chunk, release);
                self.source.for_each_doc(chunk, self.neighbours, |doc, pairs| {
                    let impacts = impacts.of_doc(doc as u16);
                    for &pair in pairs {
                        let (first, second) = self.neighbours.numbers(pair);
                        let key = key(impacts[first] + impacts[second], doc);
                        if upper_bits(key) <= self.limits[pair as usize].load(Ordering::Relaxed) {
                            let number = self.numbers[pair as usize];
                            let shard = (number as usize - self.range.start) / self.shard_len;
                            found[shard].push((number, key));
                        }
                    }
                    if (doc + 1).is_multiple_of(DELIVERY_DOCS) {
                        self.deliver(&mut found);
                    }
                });
            }
            self.deliver(&mut found);
        });
    }

    fn deliver(&self, found: &mut [Vec<(u32, Key)>]) {
        let max = self.source.thresholds.phrase_best_max;
        for (shard, found) in self.shards.iter().zip(found) {
            if found.is_empty() {
                continue;
            }
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            let start = shard.phrases.start;
            for (number, key) in found.drain(..) {
                let phrase = &self.phrases[number as usize];
                let kept = &mut shard.kept[number as usize - start];
                if kept.capacity() == 0 {
                    kept.reserve_exact(phrase.kept as usize);
                }
                if !phrase.is_listed && kept.len() == full(max) {
                    let (_, last, _) = kept.select_nth_unstable(max - 1);
                    let limit = &self.limits[phrase.place as usize];
                    limit.store(upper_bits(*last), Ordering::Relaxed);
                    kept.truncate(max);
                }
                kept.push(key);
            }
        }
    }
}
