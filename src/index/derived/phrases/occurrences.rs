//! Which businesses hold which pairs of neighbours, by partitions of the pairs, on disk.
//!
//! In: the pairs of one business after the other, a chunk of businesses at a time, on any thread.
//! Out: the occurrences of one partition after the other, by business. A table with a number for
//! every pair of dense terms is 64 MiB, so that each look into it waits for memory, some seventy
//! times a business; that of a partition stays in the cache of a core.
//!
//! An occurrence is a word of 32 bits: the pair, counted from the first of its partition (16 bits),
//! the score (9), and the gap to the business of the occurrence before (7); where that is too
//! large, a second word is the gap. They are some 300 bytes a business.

use crate::index::derived::transpose::num_chunks;
use crate::index::scratch::{Scratch, ScratchError, ScratchFile};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// About as many partitions are made, if so many are enough: each thread appends to all of them in
/// turn.
const NUM_PARTITIONS: usize = 256;

/// Bits of a pair within its partition.
const PAIR_BITS: u32 = 16;

/// Bits of a score, which is the sum of two impacts.
const SCORE_BITS: u32 = 9;

/// Bits of a gap.
const GAP_BITS: u32 = 32 - PAIR_BITS - SCORE_BITS;

/// Says that the next word is the gap.
const LONG_GAP: u32 = (1 << GAP_BITS) - 1;

/// Most occurrences that are written together, some 8 MiB: of each partition some pages.
const LEN_MAX: usize = 1 << 21;

/// Consecutive pairs, by the first of their terms.
pub struct Partitions {
    /// The first terms of each.
    firsts: Vec<Range<u32>>,
    /// The partition of each first term.
    of_first: Vec<u16>,
    /// See [`Neighbours::pair`](crate::index::derived::neighbours::Neighbours::pair).
    shift: u32,
}

impl Partitions {
    /// Of pairs of terms that as many businesses hold as `lens` says, so that in each partition are
    /// about as many occurrences.
    pub fn new(lens: &[usize], shift: u32) -> Partitions {
        let firsts_max = 1 << PAIR_BITS >> shift;
        let share = lens.iter().sum::<usize>().div_ceil(NUM_PARTITIONS);
        let mut firsts: Vec<Range<u32>> = Vec::new();
        let mut of_first = Vec::with_capacity(lens.len());
        let mut sum = 0;
        for (first, len) in (0..).zip(lens) {
            match firsts.last_mut() {
                Some(last) if last.len() < firsts_max && sum + len <= share => last.end += 1,
                _ => {
                    firsts.push(first..first + 1);
                    sum = 0;
                }
            }
            sum += len;
            of_first.push((firsts.len() - 1) as u16);
        }
        Partitions { firsts, of_first, shift }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.firsts.len()
    }

    /// The pairs of one.
    pub fn pairs(&self, partition: usize) -> Range<u32> {
        let firsts = &self.firsts[partition];
        firsts.start << self.shift..firsts.end << self.shift
    }
}

/// Takes the occurrences in some chunks of businesses, one business after the other, to a file of
/// its own: writers of one file wait for each other.
pub struct OccurrencesWriter<'a> {
    partitions: &'a Partitions,
    /// Occurrences of each partition that are not written yet.
    pieces: Vec<Piece>,
    /// How many these are, and are at most.
    len: usize,
    len_max: usize,
    /// Where those of the chunk were written so far.
    places: Vec<Place>,
    file: Arc<ScratchFile>,
    end: u64,
}

#[derive(Default)]
struct Piece {
    first_pair: u32,
    words: Vec<u32>,
    /// The business of the last.
    before: u32,
}

impl<'a> OccurrencesWriter<'a> {
    /// None yet; `memory` is about what may be taken.
    ///
    /// # Errors
    /// A temporary file cannot be made.
    pub fn new(
        partitions: &'a Partitions,
        scratch: &Scratch,
        memory: usize,
    ) -> Result<OccurrencesWriter<'a>, ScratchError> {
        let first_pair = |at| partitions.pairs(at).start;
        let piece = |at| Piece { first_pair: first_pair(at), ..Piece::default() };
        let pieces = (0..partitions.len()).map(piece).collect();
        Ok(OccurrencesWriter {
            partitions,
            pieces,
            len: 0,
            len_max: (memory / size_of::<u32>()).min(LEN_MAX),
            places: Vec::new(),
            file: Arc::new(scratch.create()?),
            end: 0,
        })
    }

    /// One more, in the business with these lower 16 bits, which is not before that of the last.
    #[inline]
    pub fn push(&mut self, pair: u32, score: u32, low: u16) {
        debug_assert!(score < 1 << SCORE_BITS);
        let of_first = self.partitions.of_first[(pair >> self.partitions.shift) as usize];
        let piece = &mut self.pieces[usize::from(of_first)];
        let gap = u32::from(low) - piece.before;
        piece.before = low.into();
        let word = (pair - piece.first_pair) << (SCORE_BITS + GAP_BITS) | score << GAP_BITS;
        piece.words.push(word | gap.min(LONG_GAP));
        self.len += 1;
        if gap >= LONG_GAP {
            piece.words.push(gap);
        }
    }

    /// Writes what was pushed, if it is much.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_if_full(&mut self) -> Result<(), ScratchError> {
        if self.len <= self.len_max { Ok(()) } else { self.write() }
    }

    fn write(&mut self) -> Result<(), ScratchError> {
        let start = self.end;
        let mut ends = Vec::with_capacity(self.pieces.len());
        for piece in &mut self.pieces {
            let bytes: &[u8] = bytemuck::cast_slice(&piece.words);
            if !bytes.is_empty() {
                self.file.write_at(bytes, self.end)?;
            }
            self.end += bytes.len() as u64;
            ends.push(self.end);
            piece.words.clear();
            piece.before = 0;
        }
        self.len = 0;
        self.places.push(Place { file: self.file.clone(), start, ends });
        Ok(())
    }
}

/// A pair that stands in a business.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// The pair, counted from the first of its partition.
    pub pair: usize,
    /// The score of the business.
    pub score: u32,
    /// The business.
    pub doc: u32,
}

/// Where some of the occurrences of a chunk lie.
struct Place {
    file: Arc<ScratchFile>,
    start: u64,
    /// Where those of each partition end.
    ends: Vec<u64>,
}

/// The occurrences in all businesses.
pub struct Occurrences {
    partitions: Partitions,
    /// Of each chunk, businesses ascending.
    chunks: Vec<OnceLock<Vec<Place>>>,
}

impl Occurrences {
    /// None yet of `num_docs` businesses.
    pub fn new(partitions: Partitions, num_docs: u32) -> Occurrences {
        let chunks = (0..num_chunks(num_docs)).map(|_| OnceLock::new()).collect();
        Occurrences { partitions, chunks }
    }

    /// How the pairs are partitioned.
    pub fn partitions(&self) -> &Partitions {
        &self.partitions
    }

    /// Takes what was pushed since the last time: the occurrences in chunk `key`, each chunk once.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn add(&self, key: u32, found: &mut OccurrencesWriter<'_>) -> Result<(), ScratchError> {
        found.write()?;
        let places = std::mem::take(&mut found.places);
        let is_first = self.chunks[key as usize].set(places).is_ok();
        assert!(is_first, "chunk {key} was there before");
        Ok(())
    }

    /// Calls `visit` with all occurrences of a partition, businesses ascending; `words` is working
    /// space.
    ///
    /// # Errors
    /// The file cannot be read.
    ///
    /// # Panics
    /// A chunk is missing.
    pub fn for_each(
        &self,
        partition: usize,
        words: &mut Vec<u32>,
        mut visit: impl FnMut(Occurrence),
    ) -> Result<(), ScratchError> {
        for (key, places) in (0u32..).zip(&self.chunks) {
            for Place { file, start, ends } in places.get().expect("all chunks are there") {
                let start = partition.checked_sub(1).map_or(*start, |before| ends[before]);
                words.resize((ends[partition] - start) as usize / size_of::<u32>(), 0);
                file.read_at(bytemuck::cast_slice_mut(words), start)?;
                decode(words, key << 16, &mut visit);
            }
        }
        Ok(())
    }
}

/// Calls `visit` with the occurrences that `words` are, in the chunk that begins with business
/// `doc`.
fn decode(words: &[u32], mut doc: u32, visit: &mut impl FnMut(Occurrence)) {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        doc += match word & LONG_GAP {
            LONG_GAP => words.next().expect("a long gap has a word"),
            ref gap => gap,
        };
        let pair = (word >> (SCORE_BITS + GAP_BITS)) as usize;
        visit(Occurrence { pair, score: word >> GAP_BITS & ((1 << SCORE_BITS) - 1), doc });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn occurrences(num_terms: u32) -> impl Strategy<Value = Vec<Occurrence>> {
        let pair = (0..num_terms, 0..num_terms);
        let shift = num_terms.next_power_of_two().trailing_zeros();
        let pair = pair.prop_map(move |(first, second)| (first << shift | second) as usize);
        let gap = prop_oneof![0..3u32, 100..150u32, 0..40_000u32];
        proptest::collection::vec((pair, 0..511u32, gap), 0..200).prop_map(|all| {
            let mut doc = 0;
            let of = |(pair, score, gap)| {
                doc += gap;
                Occurrence { pair, score, doc }
            };
            all.into_iter().map(of).collect()
        })
    }

    proptest! {
        #[test]
        fn what_was_added_is_there_by_partition(
            memory in 0..1000usize,
            (lens, all) in (1..40usize).prop_flat_map(|num_terms| {
                let lens = proptest::collection::vec(0..100_000usize, num_terms);
                (lens, occurrences(num_terms as u32))
            }),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let shift = lens.len().next_power_of_two().trailing_zeros();
            let partitions = Partitions::new(&lens, shift);
            let num_docs = all.last().map_or(0, |last| last.doc + 1);
            let stored = Occurrences::new(partitions, num_docs);
            let scratch = Scratch::new(folder.path());
            let mut writer = OccurrencesWriter::new(stored.partitions(), &scratch, memory).unwrap();
            // The last chunk first: any thread may be ahead.
            for key in (0..num_chunks(num_docs)).rev() {
                for one in all.iter().filter(|one| one.doc >> 16 == key) {
                    writer.push(one.pair as u32, one.score, one.doc as u16);
                    writer.write_if_full().unwrap();
                }
                stored.add(key, &mut writer).unwrap();
            }
            let mut end = 0;
            for partition in 0..stored.partitions().len() {
                let pairs = stored.partitions().pairs(partition);
                prop_assert_eq!(pairs.start, end, "partitions join");
                end = pairs.end;
                let mut found = Vec::new();
                stored.for_each(partition, &mut Vec::new(), |one| found.push(one)).unwrap();
                let expected: Vec<Occurrence> = all.iter()
                    .filter(|one| pairs.contains(&(one.pair as u32)))
                    .map(|one| Occurrence { pair: one.pair - pairs.start as usize, ..*one })
                    .collect();
                prop_assert_eq!(found, expected);
            }
            prop_assert_eq!(end, (lens.len() as u32) << shift);
        }
    }

    #[test]
    fn a_partition_has_no_more_pairs_than_are_numbered() {
        for (num_terms, shift) in [(1, 0), (4096, 12), (4097, 13), (65_535, 16)] {
            let partitions = Partitions::new(&vec![0; num_terms], shift);
            assert!((0..partitions.len()).all(|at| partitions.pairs(at).len() <= 1 << PAIR_BITS));
        }
    }
}
