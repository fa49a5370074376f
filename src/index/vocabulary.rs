//! The words of all blocks to the term dictionary.
//!
//! In: the sorted runs of the blocks. Out: the fst of the terms, and for the steps behind: how
//! often every term occurs, its postings in one piece ([`RawPostings`]), and the ordinal of every
//! word of every block. The runs are merged in ranges of words on all cores, each range from its
//! own stretch of every run; where the ranges are cut shows nowhere in the result.

use super::analysis::{AnalyzedBlock, RESTART_EVERY};
use super::external_sort::prefix_of;
use super::fst_writer::KeysWriter;
use super::pipeline::in_order;
use super::scratch::{Scratch, ScratchError, ScratchFile, ScratchWriter};
use crate::bytes::read_varint;
use rayon::ThreadPool;
use std::cmp::Ordering;
use std::ops::Range;

/// Most terms of a [`Chunk`].
const CHUNK_TERMS: u32 = 16 << 10;

/// Bytes of raw postings from which on a chunk is full.
const CHUNK_BYTES: u64 = 4 << 20;

/// Where one block lies in [`BlockFiles`].
struct BlockPlace {
    tokens: Range<u64>,
    run: Range<u64>,
    /// Words of the blocks before.
    first_word: u64,
    num_words: u32,
    restarts: Vec<(Box<str>, u64)>,
}

/// Takes analyzed blocks to disk.
pub struct BlockWriter {
    tokens: ScratchWriter,
    runs: ScratchWriter,
    places: ScratchWriter,
    blocks: Vec<BlockPlace>,
}

impl BlockWriter {
    /// Files in `scratch`.
    ///
    /// # Errors
    /// They cannot be made.
    pub fn new(scratch: &Scratch) -> Result<BlockWriter, ScratchError> {
        Ok(BlockWriter {
            tokens: scratch.writer()?,
            runs: scratch.writer()?,
            places: scratch.writer()?,
            blocks: Vec::new(),
        })
    }

    /// Takes the next block, and its restarts out of it.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn add(&mut self, block: &mut AnalyzedBlock) -> Result<(), ScratchError> {
        let (tokens, run) = (self.tokens.position(), self.runs.position());
        let first_word = self.places.position() / 4;
        self.tokens.write(&block.tokens)?;
        self.runs.write(&block.run)?;
        self.places.write(bytemuck::cast_slice(&block.places))?;
        self.blocks.push(BlockPlace {
            tokens: tokens..self.tokens.position(),
            run: run..self.runs.position(),
            first_word,
            num_words: block.places.len() as u32,
            restarts: std::mem::take(&mut block.restarts),
        });
        Ok(())
    }

    /// All blocks.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn finish(self) -> Result<BlockFiles, ScratchError> {
        Ok(BlockFiles {
            tokens: self.tokens.finish()?,
            runs: self.runs.finish()?,
            places: self.places.finish()?,
            blocks: self.blocks,
        })
    }
}

/// Analyzed blocks on disk.
pub struct BlockFiles {
    tokens: ScratchFile,
    runs: ScratchFile,
    places: ScratchFile,
    blocks: Vec<BlockPlace>,
}

/// A block's token streams, and the term of every number in them.
#[derive(Default)]
pub struct BlockTokens {
    /// As in [`AnalyzedBlock::tokens`].
    pub tokens: Vec<u8>,
    /// The ordinal of each word's term, by the word's number.
    pub ords: Vec<u32>,
    /// Postings in the order of terms.
    sorted: Vec<u32>,
}

/// Blocks of which the words have become terms.
pub struct ResolvedBlocks {
    tokens: ScratchFile,
    places: ScratchFile,
    ords: ScratchFile,
    blocks: Vec<BlockPlace>,
}

impl ResolvedBlocks {
    /// How many there are.
    #[allow(clippy::len_without_is_empty)] // nobody asks
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Bytes of all token streams.
    pub fn len_bytes(&self) -> u64 {
        self.blocks.last().map_or(0, |block| block.tokens.end)
    }

    /// Reads the block at `at`, in place of the one that `into` holds.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn read(&self, at: usize, into: &mut BlockTokens) -> Result<(), ScratchError> {
        let block = &self.blocks[at];
        let BlockTokens { tokens, ords, sorted } = into;
        self.tokens.read(block.tokens.clone(), tokens)?;
        for (file, words) in [(&self.ords, &mut *sorted), (&self.places, &mut *ords)] {
            words.resize(block.num_words as usize, 0);
            file.read_at(bytemuck::cast_slice_mut(words), block.first_word * 4)?;
        }
        ords.iter_mut().for_each(|place| *place = sorted[*place as usize]);
        Ok(())
    }
}

/// Consecutive terms that are worked on together.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// Their ordinals.
    pub ords: Range<u32>,
    /// The first of them.
    pub first_term: Vec<u8>,
}

/// The postings of every term as the blocks gave them: see [`Postings`](super::analysis::Postings).
pub struct RawPostings {
    bytes: ScratchFile,
    offsets: ScratchFile,
    len: u64,
}

impl RawPostings {
    /// Bytes of all postings.
    pub fn len_bytes(&self) -> u64 {
        self.len
    }

    /// Reads the postings of consecutive terms, in place of those that `into` holds.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn read(&self, ords: Range<u32>, into: &mut TermsPostings) -> Result<(), ScratchError> {
        let TermsPostings { first_ord, offsets, bytes } = into;
        *first_ord = ords.start;
        offsets.resize(ords.len() + 1, 0);
        let start = u64::from(ords.start) * 8;
        self.offsets.read_at(bytemuck::cast_slice_mut(offsets), start)?;
        self.bytes.read(offsets[0]..offsets[offsets.len() - 1], bytes)
    }
}

/// The raw postings of consecutive terms.
#[derive(Default)]
pub struct TermsPostings {
    first_ord: u32,
    /// Where those of each term begin, and the end of the last.
    offsets: Vec<u64>,
    bytes: Vec<u8>,
}

impl TermsPostings {
    /// Postings of all terms.
    pub fn all(&self) -> &[u8] {
        &self.bytes
    }

    /// Postings of one term.
    pub fn of(&self, ord: u32) -> &[u8] {
        let at = (ord - self.first_ord) as usize;
        let place = |at: usize| (self.offsets[at] - self.offsets[0]) as usize;
        &self.bytes[place(at)..place(at + 1)]
    }
}

/// The merged vocabulary.
pub struct Vocabulary {
    /// What section `TermKeys` holds.
    pub keys: ScratchWriter,
    /// Occurrences of each term in all fields; at most `u32::MAX`.
    pub occurrences: Vec<u32>,
    /// All terms, in order.
    pub chunks: Vec<Chunk>,
    /// Their postings.
    pub postings: RawPostings,
    /// The blocks.
    pub blocks: ResolvedBlocks,
}

/// A range of words, merged.
#[derive(Default)]
struct MergedRange {
    words: Vec<u8>,
    /// For each term: the end of its word in `words`, its occurrences, the end of its payloads in
    /// `payloads`.
    terms: Vec<(usize, u32, usize)>,
    payloads: Vec<u8>,
    /// For each block with words in the range: its first word there, and the terms of all of them,
    /// counted from the first term of the range.
    ords: Vec<(usize, u32, Vec<u32>)>,
}

/// Merges the words of all blocks. `memory` limits what is in memory at a time.
///
/// # Errors
/// A file cannot be written or read.
pub fn merge(
    files: BlockFiles,
    scratch: &Scratch,
    pool: &ThreadPool,
    memory: usize,
    mut progress: impl FnMut(u64, u64),
) -> Result<Vocabulary, ScratchError> {
    let ahead = pool.current_num_threads() + 1;
    let range_bytes = (memory / ahead / 4).clamp(1 << 10, 16 << 20);
    let cuts = cuts(&files, range_bytes as u64);
    let num_ranges = cuts.len() + 1;
    let ranges = (0..num_ranges).map(|at| {
        let low = at
            .checked_sub(1)
            .map(|before| &*files.blocks[cuts[before].0].restarts[cuts[before].1].0);
        let high = cuts.get(at).map(|&(block, restart)| &*files.blocks[block].restarts[restart].0);
        Ok((low, high))
    });
    let mut keys = KeysWriter::new(scratch)?;
    let ords_file = scratch.create()?;
    let (mut bytes, mut offsets) = (scratch.writer()?, scratch.writer()?);
    let mut occurrences: Vec<u32> = Vec::new();
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut chunk_start = 0;
    let mut done = 0;
    progress(done, num_ranges as u64);
    in_order(
        pool,
        ahead,
        ranges,
        |(low, high)| merge_range(&files, low, high),
        |merged: Result<MergedRange, ScratchError>| {
            let merged = merged?;
            let (first_ord, first_byte) = (occurrences.len() as u32, bytes.position());
            let mut word_start = 0;
            let mut payload_start = 0;
            for &(word_end, count, payload_end) in &merged.terms {
                let word = &merged.words[word_start..word_end];
                let (ord, start) = (occurrences.len() as u32, first_byte + payload_start as u64);
                match chunks.last_mut() {
                    Some(chunk)
                        if chunk.ords.len() < CHUNK_TERMS as usize
                            && start - chunk_start < CHUNK_BYTES =>
                    {
                        chunk.ords.end = ord + 1;
                    }
                    _ => {
                        chunks.push(Chunk { ords: ord..ord + 1, first_term: word.to_vec() });
                        chunk_start = start;
                    }
                }
                keys.push(word)?;
                occurrences.push(count);
                offsets.write(&start.to_le_bytes())?;
                (word_start, payload_start) = (word_end, payload_end);
            }
            bytes.write(&merged.payloads)?;
            for (block, first_entry, mut ords) in merged.ords {
                ords.iter_mut().for_each(|ord| *ord += first_ord);
                let at = (files.blocks[block].first_word + u64::from(first_entry)) * 4;
                ords_file.write_at(bytemuck::cast_slice(&ords), at)?;
            }
            done += 1;
            progress(done, num_ranges as u64);
            Ok(())
        },
    )?;
    offsets.write(&bytes.position().to_le_bytes())?;
    let BlockFiles { tokens, places, blocks, .. } = files;
    Ok(Vocabulary {
        keys: keys.finish()?,
        occurrences,
        chunks,
        postings: RawPostings {
            len: bytes.position(),
            bytes: bytes.finish()?,
            offsets: offsets.finish()?,
        },
        blocks: ResolvedBlocks { tokens, places, ords: ords_file, blocks },
    })
}

/// Words at which to cut so that between two of them lie about `range_bytes` of all runs: blocks
/// and restarts.
fn cuts(files: &BlockFiles, range_bytes: u64) -> Vec<(usize, usize)> {
    let mut all: Vec<(usize, usize)> = Vec::new();
    for (at, block) in files.blocks.iter().enumerate() {
        all.extend((0..block.restarts.len()).map(|restart| (at, restart)));
    }
    let word = |&(block, restart): &(usize, usize)| &*files.blocks[block].restarts[restart].0;
    all.sort_unstable_by(|a, b| word(a).cmp(word(b)));
    let mut cuts: Vec<(usize, usize)> = Vec::new();
    let mut sum = 0;
    for place in &all {
        let block = &files.blocks[place.0];
        if sum >= range_bytes && cuts.last().is_none_or(|last| word(last) < word(place)) {
            cuts.push(*place);
            sum = 0;
        }
        let end =
            block.restarts.get(place.1 + 1).map_or(block.run.end - block.run.start, |next| next.1);
        sum += end - block.restarts[place.1].1;
    }
    cuts
}

/// Merges all words from `low` on and below `high`.
fn merge_range(
    files: &BlockFiles,
    low: Option<&str>,
    high: Option<&str>,
) -> Result<MergedRange, ScratchError> {
    let mut stretches = Vec::new();
    for (at, block) in files.blocks.iter().enumerate() {
        let restarts = &block.restarts;
        let from = low.map_or(0, |low| {
            restarts.partition_point(|(word, _)| &**word <= low).saturating_sub(1)
        });
        let to = high
            .map_or(restarts.len(), |high| restarts.partition_point(|(word, _)| &**word < high));
        if from < to {
            let offset = |restart: usize| match restarts.get(restart) {
                Some((_, offset)) => block.run.start + offset,
                None => block.run.end,
            };
            let mut bytes = Vec::new();
            files.runs.read(offset(from)..offset(to), &mut bytes)?;
            stretches.push((at, (from * RESTART_EVERY) as u32, bytes));
        }
    }
    let mut merged = MergedRange::default();
    let mut cursors: Vec<Cursor<'_>> = Vec::with_capacity(stretches.len());
    for (block, first_entry, bytes) in &stretches {
        let mut cursor = Cursor::new(*block, *first_entry, bytes);
        while cursor.next_word() && low.is_some_and(|low| cursor.word.as_slice() < low.as_bytes()) {
        }
        if cursor.is_below(high) {
            merged.ords.push((*block, cursor.entry, Vec::new()));
            cursors.push(cursor);
        }
    }
    let mut heap: Vec<u32> = (0..cursors.len() as u32).collect();
    for at in (0..heap.len() / 2).rev() {
        sift_down(&mut heap, &cursors, at);
    }
    let mut is_first = true;
    while let Some(&top) = heap.first() {
        let cursor = &mut cursors[top as usize];
        let start = merged.terms.last().map_or(0, |_| merged.words.len() - last_word_len(&merged));
        if is_first || merged.words[start..] != cursor.word[..] {
            merged.words.extend_from_slice(&cursor.word);
            merged.terms.push((merged.words.len(), 0, 0));
            is_first = false;
        }
        let ord = merged.terms.len() as u32 - 1;
        merged.payloads.extend_from_slice(cursor.payload);
        let term = merged.terms.last_mut().expect("just pushed");
        term.1 = term.1.saturating_add(cursor.occurrences);
        term.2 = merged.payloads.len();
        merged.ords[top as usize].2.push(ord);
        if !cursor.next_word() || !cursor.is_below(high) {
            heap.swap_remove(0);
        }
        sift_down(&mut heap, &cursors, 0);
    }
    Ok(merged)
}

fn last_word_len(merged: &MergedRange) -> usize {
    let at = merged.terms.len() - 1;
    merged.terms[at].0 - at.checked_sub(1).map_or(0, |before| merged.terms[before].0)
}

fn sift_down(heap: &mut [u32], cursors: &[Cursor<'_>], mut at: usize) {
    let is_before = |a: u32, b: u32| {
        let (a, b) = (&cursors[a as usize], &cursors[b as usize]);
        let order = a.prefix.cmp(&b.prefix).then_with(|| a.word.cmp(&b.word));
        order.then(a.block.cmp(&b.block)) == Ordering::Less
    };
    loop {
        let left = 2 * at + 1;
        if left >= heap.len() {
            return;
        }
        let right = left + 1;
        let smaller =
            if right < heap.len() && is_before(heap[right], heap[left]) { right } else { left };
        if !is_before(heap[smaller], heap[at]) {
            return;
        }
        heap.swap(at, smaller);
        at = smaller;
    }
}

/// The front entry of a stretch of a run.
struct Cursor<'a> {
    block: usize,
    /// Place of the front entry in the run.
    entry: u32,
    is_begun: bool,
    rest: &'a [u8],
    word: Vec<u8>,
    prefix: u64,
    occurrences: u32,
    payload: &'a [u8],
    is_over: bool,
}

impl<'a> Cursor<'a> {
    fn new(block: usize, entry: u32, rest: &'a [u8]) -> Cursor<'a> {
        Cursor {
            block,
            entry,
            is_begun: false,
            rest,
            word: Vec::new(),
            prefix: 0,
            occurrences: 0,
            payload: &[],
            is_over: false,
        }
    }

    /// Goes on to the next entry; `false` at the end.
    fn next_word(&mut self) -> bool {
        self.is_over = self.read().is_none();
        if !self.is_over && std::mem::replace(&mut self.is_begun, true) {
            self.entry += 1;
        }
        !self.is_over
    }

    fn read(&mut self) -> Option<()> {
        let rest = &mut self.rest;
        let shared = read_varint(rest)? as usize;
        let (suffix, behind) = {
            let len = read_varint(rest)? as usize;
            rest.split_at_checked(len)?
        };
        self.word.truncate(shared);
        self.word.extend_from_slice(suffix);
        self.prefix = prefix_of(&self.word);
        *rest = behind;
        self.occurrences = read_varint(rest)?;
        let len = read_varint(rest)? as usize;
        (self.payload, *rest) = rest.split_at_checked(len)?;
        Some(())
    }

    fn is_below(&self, high: Option<&str>) -> bool {
        !self.is_over && high.is_none_or(|high| self.word.as_slice() < high.as_bytes())
    }
}
