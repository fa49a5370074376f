//! Terms to their postings.
//!
//! In: the merged [`Vocabulary`]. Out: the sections of terms and, by [`token_codes`], those of
//! tokens. Each chunk of terms is worked on by one core; memory holds 4 bytes a term for its code,
//! 2 for its weight, 4 while codes are given for its occurrences, and 10 bytes a business for what
//! an occurrence in its fields contributes.

use super::analysis::{Posting, Postings};
use super::buffer_pool::{Lent, Reuse, Spares};
use super::impact;
use super::impact::{FieldLengths, Impacts};
use super::pipeline::{ahead_of_disk, in_order};
use super::scratch::ScratchError;
use super::token_codes;
use super::vocabulary::{Chunk, RawPostings, TermsPostings, Vocabulary};
use crate::analyzer::{TextField, plural};
use crate::ids::TermOrd;
use crate::snapshot::columns::doc_tokens::{CODE_MIN, NUM_FIELDS};
use crate::snapshot::encoding::offsets::OffsetsWriter;
use crate::snapshot::encoding::packed_ints;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::mapped::Section;
use crate::snapshot::file::writer::SnapshotWriter;
use crate::snapshot::terms::block::{
    AliasList, BLOCK_ALIGN, BlockBounds, NUM_ALIAS_LISTS, TermBlock, encode_block,
};
use crate::snapshot::terms::codes_end;
use crate::snapshot::terms::next_word::{NO_FOLLOWER, merge_followers};
use fst::{IntoStreamer, Streamer};
use rayon::ThreadPool;
use rayon::prelude::*;

/// Turns the lengths of the fields of every business into what one occurrence there contributes.
pub fn contributions(lengths: &mut [[u16; NUM_FIELDS]], pool: &ThreadPool) {
    pool.install(|| {
        let add = |mut sum: FieldLengths, doc: &[u16; NUM_FIELDS]| {
            for (field, &words) in TextField::ALL.into_iter().zip(doc) {
                sum.add(field, words.into());
            }
            sum
        };
        let means = lengths
            .par_iter()
            .with_min_len(1 << 16)
            .fold(FieldLengths::default, add)
            .reduce(FieldLengths::default, FieldLengths::plus);
        lengths.par_iter_mut().with_min_len(1 << 16).for_each(|doc| {
            for (field, words) in TextField::ALL.into_iter().zip(doc) {
                let contribution = means.contribution(field, (*words).into());
                *words = u16::try_from(contribution).unwrap_or(u16::MAX);
            }
        });
    });
}

/// Writes the sections of terms, and those of tokens.
///
/// # Errors
/// A file cannot be written or read.
pub fn write<E: From<ScratchError> + From<SnapshotError> + Send>(
    vocabulary: Vocabulary,
    contributions: Vec<[u16; NUM_FIELDS]>,
    bounds: BlockBounds,
    pool: &ThreadPool,
    writer: &mut SnapshotWriter,
    mut progress: impl FnMut(u64, u64),
) -> Result<(), E> {
    let Vocabulary { keys, occurrences, chunks, postings, blocks } = vocabulary;
    keys.write_section::<E>(SectionKind::TermKeys, writer)?;
    let num_terms = occurrences.len();
    let total = postings.len_bytes() + blocks.len_bytes();
    let mut done = 0;
    progress(done, total);
    let keys = fst::Map::new(writer.written()?.of(SectionKind::TermKeys))
        .map_err(|error| SnapshotError::damaged(SectionKind::TermKeys, error))?;
    let (plurals, unmatched) = pool.install(|| plurals(&keys, &chunks));
    drop(keys);
    let mut offsets = OffsetsWriter::begin(SectionKind::TermOffsets, num_terms + 1, writer);
    let codes = pool.install(|| codes_by_frequency(occurrences));
    packed_ints::write_section(SectionKind::TermCodes, &codes, codes_end(codes.len()), writer)?;
    let mut weights_section = writer.reserve(SectionKind::TermWeights, num_terms as u64 * 2);
    let mut weights = vec![0u16; num_terms];
    let mut section = writer.begin(SectionKind::TermPostings);
    let source = Source { postings, plurals, unmatched, contributions, bounds };
    offsets.push(0)?;
    let (workspaces, spares) = (Spares::<TermWorkspace>::default(), Spares::default());
    in_order(
        pool,
        ahead_of_disk(pool),
        chunks.iter().map(Ok),
        |chunk| {
            let mut encoded = spares.lend();
            source.encode(chunk, &mut workspaces.lend(), &mut encoded)?;
            Ok((chunk, encoded))
        },
        |result: Result<(&Chunk, Lent<EncodedTerms>), ScratchError>| {
            let (chunk, encoded) = result?;
            let mut end = section.len();
            for ((ord, len), doc_freq) in
                chunk.ords.clone().zip(&encoded.block_lens).zip(&encoded.doc_freqs)
            {
                end += *len as u64;
                offsets.push(end / BLOCK_ALIGN)?;
                let code = codes[ord as usize];
                weights[(code - CODE_MIN) as usize] = impact::weight(source.num_docs(), *doc_freq);
            }
            section.write(&encoded.blocks)?;
            done += encoded.raw_bytes;
            progress(done, total);
            Ok::<(), E>(())
        },
    )?;
    let num_docs = source.num_docs();
    drop((source, workspaces, spares));
    section.end(writer)?;
    offsets.end(writer)?;
    weights_section.write(bytemuck::cast_slice(&weights))?;
    weights_section.end(writer)?;
    token_codes::write(&blocks, &codes, num_docs, pool, writer, |bytes| {
        progress(done + bytes, total);
    })
}

/// Codes of terms in the token streams: the more frequent, the smaller; ties by term.
fn codes_by_frequency(occurrences: Vec<u32>) -> Vec<u32> {
    let mut by_count: Vec<u32> = (0..occurrences.len() as u32).collect();
    by_count.par_sort_unstable_by_key(|&ord| (std::cmp::Reverse(occurrences[ord as usize]), ord));
    let mut codes = occurrences;
    for (code, ord) in by_count.into_iter().enumerate() {
        codes[ord as usize] = code as u32 + CODE_MIN;
    }
    codes
}

/// Pairs of different terms that match each other where plurals count, in both directions, sorted;
/// and the plurals of which some form is no term, ascending.
fn plurals(keys: &fst::Map<Section>, chunks: &[Chunk]) -> (Vec<(TermOrd, TermOrd)>, Vec<u32>) {
    // Of two different words that share a form, one at least has more than one form.
    let of_chunk = |chunk: &Chunk| {
        let (mut pairs, mut unmatched) = (Vec::new(), Vec::new());
        let mut stream = keys.range().ge(&chunk.first_term).into_stream();
        for ord in chunk.ords.clone() {
            let Some((word, _)) = stream.next() else { break };
            // The terms of a dictionary are texts.
            let word = std::str::from_utf8(word).unwrap_or_default();
            if plural::is_plural_shaped(word) {
                if plural::forms(word).any(|form| !keys.contains_key(&form)) {
                    unmatched.push(ord);
                }
                for_each_plural(word, keys, |other| {
                    pairs.push((TermOrd(ord), other));
                    pairs.push((other, TermOrd(ord)));
                });
            }
        }
        (pairs, unmatched)
    };
    let (pairs, unmatched): (Vec<_>, Vec<_>) = chunks.par_iter().map(of_chunk).unzip();
    let mut pairs = pairs.concat();
    pairs.par_sort_unstable();
    pairs.dedup();
    (pairs, unmatched.concat())
}

/// Calls `visit` with every term but `word` itself that matches `word` where plurals count.
fn for_each_plural(word: &str, keys: &fst::Map<Section>, mut visit: impl FnMut(TermOrd)) {
    for form in plural::forms(word) {
        for candidate in plural::candidates(&form) {
            if candidate != word
                && let Some(ord) = keys.get(&candidate)
                && plural::matches(word, &candidate)
            {
                visit(TermOrd(ord as u32));
            }
        }
    }
}

/// Encoded blocks of consecutive terms.
#[derive(Default)]
struct EncodedTerms {
    /// Bytes they were made of.
    raw_bytes: u64,
    blocks: Vec<u8>,
    block_lens: Vec<usize>,
    /// How many businesses each term matches.
    doc_freqs: Vec<usize>,
}

/// Bytes that are kept for the next chunk: those of a very frequent term are not.
const KEPT_BYTES_MAX: usize = 32 << 20;

impl Reuse for EncodedTerms {
    fn clear(&mut self) {
        self.blocks.clear();
        self.block_lens.clear();
        self.doc_freqs.clear();
        if self.blocks.capacity() > KEPT_BYTES_MAX {
            self.blocks = Vec::new();
        }
    }
}

/// Businesses, ascending, what the occurrences of a term contribute to its impact on each, and by
/// what it is followed.
#[derive(Default)]
struct Weighted {
    docs: Vec<u32>,
    sums: Vec<u32>,
    followers: Vec<u8>,
}

impl Weighted {
    fn clear(&mut self) {
        self.docs.clear();
        self.sums.clear();
        self.followers.clear();
    }

    fn push(&mut self, doc: u32, sum: u32, follower: u8) {
        self.docs.push(doc);
        self.sums.push(sum);
        self.followers.push(follower);
    }

    /// Adds `other`, with `out` as working space.
    fn merge(&mut self, other: &Weighted, out: &mut Weighted) {
        out.clear();
        let (mut a, mut b) = (0, 0);
        while a < self.docs.len() && b < other.docs.len() {
            let (doc, other_doc) = (self.docs[a], other.docs[b]);
            let (mut sum, mut follower) = (0, NO_FOLLOWER);
            if doc <= other_doc {
                sum += self.sums[a];
                follower = self.followers[a];
                a += 1;
            }
            if other_doc <= doc {
                sum += other.sums[b];
                follower = merge_followers(follower, other.followers[b]);
                b += 1;
            }
            out.push(doc.min(other_doc), sum, follower);
        }
        out.docs.extend_from_slice(&self.docs[a..]);
        out.sums.extend_from_slice(&self.sums[a..]);
        out.docs.extend_from_slice(&other.docs[b..]);
        out.sums.extend_from_slice(&other.sums[b..]);
        out.followers.extend_from_slice(&self.followers[a..]);
        out.followers.extend_from_slice(&other.followers[b..]);
        std::mem::swap(self, out);
    }
}

/// The place of aliases among the fields.
const ALIAS: usize = TextField::Alias as usize;

/// Documents that hold the term as a plural in industry or description hold it beside an alias.
fn move_out(aliases: &mut [Vec<u32>; NUM_ALIAS_LISTS], docs: &[u32]) {
    let [_, beside, only] = aliases;
    let num_beside = beside.len();
    only.retain(|doc| {
        let is_elsewhere = docs.binary_search(doc).is_ok();
        beside.extend(is_elsewhere.then_some(*doc));
        !is_elsewhere
    });
    if beside.len() > num_beside {
        beside.sort_unstable();
    }
}

/// What terms are encoded from.
struct Source {
    postings: RawPostings,
    plurals: Vec<(TermOrd, TermOrd)>,
    /// Plurals of which some form is no term, ascending.
    unmatched: Vec<u32>,
    contributions: Vec<[u16; NUM_FIELDS]>,
    bounds: BlockBounds,
}

impl Source {
    fn num_docs(&self) -> u32 {
        self.contributions.len() as u32
    }

    /// Encodes the terms of `chunk` in `out`, which is empty.
    fn encode(
        &self,
        chunk: &Chunk,
        workspace: &mut TermWorkspace,
        out: &mut EncodedTerms,
    ) -> Result<(), ScratchError> {
        let TermWorkspace { raw, elsewhere, looked_up, any, other, merged, .. } = workspace;
        let TermWorkspace { lists, aliases, impacts, .. } = workspace;
        self.postings.read(chunk.ords.clone(), raw)?;
        out.raw_bytes = raw.all().len() as u64;
        let mut looked_up = LookedUp::new(raw.all(), &self.contributions, looked_up);
        for ord in chunk.ords.clone() {
            any.clear();
            lists.iter_mut().chain(&mut *aliases).for_each(Vec::clear);
            let has_prose = self.unmatched.binary_search(&ord).is_ok();
            for posting in Postings::new(raw.of(ord)) {
                let contributions = looked_up.next();
                let mut sum = prose(&posting, &contributions);
                if has_prose && sum > 0 {
                    lists[4].push(posting.doc);
                }
                if posting.name_list > 0 {
                    lists[usize::from(posting.name_list) - 1].push(posting.doc);
                    sum += limited(posting.counts[0], contributions[0]);
                }
                if posting.counts[1] > 0 {
                    lists[3].push(posting.doc);
                    sum += limited(posting.counts[1], contributions[1]);
                }
                if posting.counts[ALIAS] > 0 {
                    let is_elsewhere = posting.counts[1] > 0 || prose(&posting, &contributions) > 0;
                    let list = match (posting.is_alias, is_elsewhere) {
                        (true, _) => AliasList::Is,
                        (false, true) => AliasList::Beside,
                        (false, false) => AliasList::Only,
                    };
                    aliases[list as usize].push(posting.doc);
                    sum += limited(posting.counts[ALIAS], contributions[ALIAS]);
                }
                any.push(posting.doc, sum, posting.follower);
            }
            let first = self.plurals.partition_point(|pair| pair.0.0 < ord);
            for &(_, plural) in self.plurals[first..].iter().take_while(|pair| pair.0.0 == ord) {
                other.clear();
                let raw = if chunk.ords.contains(&plural.0) {
                    raw.of(plural.0)
                } else {
                    self.postings.read(plural.0..plural.0 + 1, elsewhere)?;
                    elsewhere.all()
                };
                for posting in Postings::new(raw) {
                    let sum = prose(&posting, &self.contributions[posting.doc as usize]);
                    if sum > 0 {
                        other.push(posting.doc, sum, posting.follower);
                    }
                }
                any.merge(other, merged);
                move_out(aliases, &other.docs);
            }
            impacts.clear();
            Impacts::new(self.num_docs(), any.docs.len()).push_all(&any.sums, impacts);
            let start = out.blocks.len();
            let [is, starts, has, host, prose] = &*lists;
            let block = TermBlock {
                lists: [&any.docs, is, starts, has, host, prose],
                aliases: aliases.each_ref().map(Vec::as_slice),
                impacts,
                followers: &any.followers,
            };
            encode_block(&block, self.bounds, &mut out.blocks);
            out.block_lens.push(out.blocks.len() - start);
            out.doc_freqs.push(any.docs.len());
        }
        Ok(())
    }
}

/// What the terms of a chunk are encoded in, one chunk after the other.
#[derive(Default)]
struct TermWorkspace {
    raw: TermsPostings,
    /// Postings of a plural that is not of the chunk.
    elsewhere: TermsPostings,
    looked_up: LookUps,
    any: Weighted,
    other: Weighted,
    merged: Weighted,
    /// Is, starts, has, host, prose.
    lists: [Vec<u32>; 5],
    /// By [`AliasList`].
    aliases: [Vec<u32>; NUM_ALIAS_LISTS],
    impacts: Vec<u8>,
}

impl Reuse for TermWorkspace {
    fn clear(&mut self) {
        // All else is cleared where it is used.
        if self.any.docs.capacity() * size_of::<u32>() > KEPT_BYTES_MAX {
            *self = TermWorkspace::default();
        }
    }
}

/// Postings that are looked up together.
const LOOKED_UP: usize = 1 << 12;

/// What is looked up together.
#[derive(Default)]
struct LookUps {
    docs: Vec<u32>,
    found: Vec<[u16; NUM_FIELDS]>,
}

/// What occurrences contribute in the business of one posting after the other. Businesses lie
/// anywhere, and each look-up waits for memory: ahead of the work on postings, and many at a time,
/// they wait together. (Postings are read once more for it; to hand them on as well, with the term
/// of each, takes as long.)
struct LookedUp<'a> {
    postings: Postings<'a>,
    contributions: &'a [[u16; NUM_FIELDS]],
    together: &'a mut LookUps,
    next: usize,
}

impl<'a> LookedUp<'a> {
    /// Of the postings in `bytes`.
    fn new(
        bytes: &'a [u8],
        contributions: &'a [[u16; NUM_FIELDS]],
        together: &'a mut LookUps,
    ) -> LookedUp<'a> {
        together.found.clear();
        LookedUp { postings: Postings::new(bytes), contributions, together, next: 0 }
    }

    /// That of the next posting.
    ///
    /// # Panics
    /// There is none.
    #[inline]
    fn next(&mut self) -> [u16; NUM_FIELDS] {
        let LookUps { docs, found } = &mut *self.together;
        if self.next == found.len() {
            docs.clear();
            docs.extend(self.postings.by_ref().take(LOOKED_UP).map(|posting| posting.doc));
            found.clear();
            found.extend(docs.iter().map(|&doc| self.contributions[doc as usize]));
            self.next = 0;
        }
        self.next += 1;
        found[self.next - 1]
    }
}

/// What `count` occurrences contribute; more than 65,535 is as good as that.
fn limited(count: u16, contribution: u16) -> u32 {
    (u32::from(count) * u32::from(contribution)).min(u16::MAX.into())
}

/// What the occurrences in industry and description contribute.
fn prose(posting: &Posting, contributions: &[u16; NUM_FIELDS]) -> u32 {
    let of = |at: usize| u64::from(posting.counts[at]) * u64::from(contributions[at]);
    (of(2) + of(3)).min(u16::MAX.into()) as u32
}
