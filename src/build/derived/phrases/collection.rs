//! The businesses of phrases: the best of each, and, of those that are listed, all.
//!
//! The best are few, and held; those of lists are as many as ten or twenty for each business, so that all but the
//! last found go to a temporary file, in pieces that each hold businesses of neighbouring phrases.

use super::super::by_doc::Chunks;
use super::super::impacts_by_doc::ImpactsByDoc;
use super::super::neighbours::Neighbours;
use super::super::pair_buckets::PairBuckets;
use super::{FLAG_BITS, HAS_BEST, LISTED, Phrase, Source, kept_max};
use crate::build::scratch::{ScratchError, ScratchFile};
use crate::ids::TermOrd;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Rank of a business, best first: its score, the better the smaller, above its `DocId`.
type Key = u64;

/// Bytes for each business that is held.
pub const KEPT_BYTES: usize = size_of::<Key>();

/// More than any score, which is the sum of two impacts.
const SCORE_END: u32 = 512;

fn key(score: u32, doc: u32) -> Key {
    u64::from(SCORE_END - score) << 32 | u64::from(doc)
}

/// The upper bits of a key: of two that differ in them, they say which is the better. Never 0.
fn upper_bits(key: Key) -> u32 {
    (key >> 10) as u32
}

/// Businesses between two deliveries of what was found: their pairs and ranks take about 2 MiB, which the cache of a core
/// holds. With four times as many, collecting takes a twentieth more.
const DELIVERY_DOCS: usize = 1 << 11;

/// Parts of the phrases that threads deliver to one at a time.
const NUM_SHARDS: usize = 256;

/// Bytes of an entry of a list: the number of the phrase in its shard above the `DocId`.
const ENTRY_BYTES: usize = size_of::<u64>();

/// What is found of a range of phrases while it is collected.
pub struct Collection<'a> {
    source: &'a Source<'a>,
    phrases: &'a [Phrase],
    range: Range<usize>,
    neighbours: &'a Neighbours,
    /// What each phrase is numbered, by its place.
    numbers: &'a [u32],
    /// By place: keys with upper bits above these are not wanted, or not any more. Most are told off by this table
    /// alone.
    limits: Vec<AtomicU32>,
    shards: Vec<Mutex<Shard>>,
    shard_len: usize,
    spill: Spill,
}

/// What is found of some consecutive phrases.
pub struct Shard {
    phrases: Range<usize>,
    /// The best so far.
    kept: Vec<Vec<Key>>,
    /// Entries of lists that are in memory.
    entries: Vec<u64>,
    /// Where the others lie.
    spilled: Vec<Range<u64>>,
}

/// Entries that are not in memory.
pub struct Spill {
    file: ScratchFile,
    end: AtomicU64,
    /// So many entries of a shard are moved together.
    piece_len: usize,
}

impl Spill {
    /// Moves the entries of a shard to the file.
    fn take(&self, shard: &mut Shard) -> Result<(), ScratchError> {
        let bytes: &[u8] = bytemuck::cast_slice(&shard.entries);
        let start = self.end.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.file.write_at(bytes, start)?;
        shard.spilled.push(start..start + bytes.len() as u64);
        shard.entries.clear();
        Ok(())
    }
}

impl<'a> Collection<'a> {
    /// Nothing found yet.
    ///
    /// # Errors
    /// A temporary file cannot be made.
    pub fn new(
        source: &'a Source<'a>,
        phrases: &'a [Phrase],
        range: Range<usize>,
        neighbours: &'a Neighbours,
        numbers: &'a [u32],
    ) -> Result<Collection<'a>, ScratchError> {
        let shard_len = range.len().div_ceil(NUM_SHARDS).max(1);
        let shards = range.clone().step_by(shard_len).map(|start| {
            let phrases = start..range.end.min(start + shard_len);
            let kept = vec![Vec::new(); phrases.len()];
            Mutex::new(Shard { phrases, kept, entries: Vec::new(), spilled: Vec::new() })
        });
        let shards: Vec<Mutex<Shard>> = shards.collect();
        let limits: Vec<AtomicU32> = numbers.iter().map(|_| AtomicU32::new(0)).collect();
        for phrase in &phrases[range.clone()] {
            if phrase.is_listed || phrase.has_best {
                limits[phrase.place as usize].store(u32::MAX, Ordering::Relaxed);
            }
        }
        let piece_len = (source.memory / 6 / ENTRY_BYTES / NUM_SHARDS).max(1);
        let spill = Spill { file: source.scratch.create()?, end: AtomicU64::new(0), piece_len };
        Ok(Collection {
            source,
            phrases,
            range,
            neighbours,
            numbers,
            limits,
            shards,
            shard_len,
            spill,
        })
    }

    /// Collects from all businesses; `dense` are the terms in the order of `neighbours`.
    ///
    /// # Errors
    /// The temporary file cannot be written.
    pub fn collect(&self, dense: &[TermOrd]) -> Result<(), ScratchError> {
        let chunks = Chunks::of(self.source.num_docs);
        let workers = rayon::current_num_threads();
        (0..workers).into_par_iter().with_max_len(1).try_for_each(|_| {
            let release = || self.source.postings.release(usize::MAX);
            let mut impacts = ImpactsByDoc::new(self.source.terms, dense, release);
            let mut found: Vec<Vec<(u32, Key)>> = vec![Vec::new(); self.shards.len()];
            let mut pairs_of_docs = PairBuckets::new(self.neighbours.pairs_end());
            while let Some(chunk) = chunks.take() {
                impacts.load(chunk, release);
                let docs = self.source.docs_of(chunk);
                for start in docs.clone().step_by(DELIVERY_DOCS) {
                    let docs = start..docs.end.min(start + DELIVERY_DOCS as u32);
                    self.source.for_each_doc(docs, self.neighbours, |doc, pairs| {
                        let impacts = impacts.of_doc(doc as u16);
                        for &pair in pairs {
                            let (first, second) = self.neighbours.numbers(pair);
                            pairs_of_docs.push(pair, key(impacts[first] + impacts[second], doc));
                        }
                    });
                    pairs_of_docs.drain(|pair, key| {
                        let limit = &self.limits[pair as usize];
                        if upper_bits(key) <= limit.load(Ordering::Relaxed) {
                            let numbered = self.numbers[pair as usize];
                            let number = (numbered >> FLAG_BITS) as usize;
                            let shard = (number - self.range.start) / self.shard_len;
                            found[shard].push((numbered, key));
                        }
                    });
                    self.deliver(&mut found)?;
                }
                (self.source.release_all)();
            }
            Ok(())
        })
    }

    fn deliver(&self, found: &mut [Vec<(u32, Key)>]) -> Result<(), ScratchError> {
        let max = self.source.thresholds.phrase_best_max;
        for (shard, found) in self.shards.iter().zip(found) {
            if found.is_empty() {
                continue;
            }
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            for (numbered, key) in found.drain(..) {
                let number = (numbered >> FLAG_BITS) as usize;
                let in_shard = number - shard.phrases.start;
                if numbered & LISTED != 0 {
                    shard.entries.push((in_shard as u64) << 32 | u64::from(key as u32));
                    if shard.entries.len() >= self.spill.piece_len {
                        self.spill.take(&mut shard)?;
                    }
                }
                if numbered & HAS_BEST == 0 {
                    continue;
                }
                let kept = &mut shard.kept[in_shard];
                if kept.capacity() == 0 {
                    kept.reserve_exact(self.phrases[number].kept(max));
                }
                if kept.len() == kept_max(max) {
                    let (_, last, _) = kept.select_nth_unstable(max - 1);
                    if numbered & LISTED == 0 {
                        let limit = &self.limits[self.phrases[number].place as usize];
                        limit.store(upper_bits(*last), Ordering::Relaxed);
                    }
                    kept.truncate(max);
                }
                kept.push(key);
            }
        }
        Ok(())
    }

    /// What was found, in the order of the phrases, and where the rest of it lies.
    pub fn into_shards(self) -> (impl Iterator<Item = Shard>, Spill) {
        let shards = self.shards.into_iter();
        (shards.map(|shard| shard.into_inner().unwrap_or_else(PoisonError::into_inner)), self.spill)
    }
}

/// Businesses of a phrase.
pub struct Found {
    /// All, ascending, if it is listed.
    pub listed: Vec<u32>,
    /// The best, best first, if they are stored.
    pub best: Vec<u32>,
}

impl Shard {
    /// The phrases, of which `found` has one each.
    pub fn phrases(&self) -> Range<usize> {
        self.phrases.clone()
    }

    /// What was found of each of `phrases`, which are those of the shard, at most `best_max` best.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    pub fn found(
        self,
        phrases: &[Phrase],
        best_max: usize,
        spill: &Spill,
    ) -> Result<Vec<Found>, ScratchError> {
        let listed = |phrase: &Phrase| if phrase.is_listed { phrase.count as usize } else { 0 };
        let mut lists: Vec<Vec<u32>> =
            phrases.iter().map(|phrase| Vec::with_capacity(listed(phrase))).collect();
        let mut enter = |entry: u64| lists[(entry >> 32) as usize].push(entry as u32);
        for piece in &self.spilled {
            let mut entries = vec![0u64; (piece.end - piece.start) as usize / ENTRY_BYTES];
            spill.file.read_at(bytemuck::cast_slice_mut(&mut entries), piece.start)?;
            entries.into_iter().for_each(&mut enter);
        }
        self.entries.into_iter().for_each(enter);
        let found = lists.into_iter().zip(self.kept).map(|(mut listed, mut kept)| {
            // Pieces are in any order.
            listed.sort_unstable();
            kept.sort_unstable();
            Found { listed, best: kept.iter().take(best_max).map(|&key| key as u32).collect() }
        });
        Ok(found.collect())
    }
}
