//! How many businesses hold two frequent words next to each other, and which, where they are few;
//! and the best of them, where very many hold both words, wherever and within industries.
//!
//! The words of all businesses are read once, 65,536 businesses at a time on every core. What is
//! found goes to disk by partitions of the pairs, of which each is then worked on by itself: its
//! pairs are counted, by which is known what is stored of each, and then that is collected, some
//! pairs at a time if it is much.

mod encode;
mod occurrences;

use super::Thresholds;
use super::first_pages::Scopes;
use super::impacts_by_doc::ImpactsByDoc;
use super::neighbours::{Neighbours, PairSet};
use super::transpose::{Chunks, docs_in, releasing};
use crate::ids::{DocId, TermOrd};
use crate::index::BuildError;
use crate::index::buffer_pool::{Lent, Spares};
use crate::index::pipeline::{ahead_of_disk, in_order};
use crate::index::scratch::{Scratch, ScratchError};
use crate::snapshot::answers::first_pages::RankedListsWriter;
use crate::snapshot::answers::phrases::{encode_place, encode_table};
use crate::snapshot::columns::forward_index::ForwardIndex;
use crate::snapshot::encoding::packed_ints;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::mapped::Section;
use crate::snapshot::file::writer::SnapshotWriter;
use crate::snapshot::terms::Terms;
use encode::{Encoded, Encoder, Workspace};
use occurrences::{Occurrences, OccurrencesWriter, Partitions};
use rayon::ThreadPool;
use rayon::prelude::*;

/// What phrases are found from.
pub struct Source<'a> {
    /// The words of all businesses.
    pub words: &'a ForwardIndex,
    /// The terms.
    pub terms: &'a Terms,
    /// Section `TermPostings`.
    pub postings: Section,
    /// Gives back what was looked at of all sections.
    pub release_all: &'a (dyn Fn() + Sync),
    /// Section `PairCounts`.
    pub counts: &'a [u32],
    /// Within which the best are stored.
    pub scopes: &'a Scopes,
    /// What is stored.
    pub thresholds: &'a Thresholds,
    /// Where pairs lie while they are brought together.
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
    neighbours: &Neighbours,
    pool: &ThreadPool,
    writer: &mut SnapshotWriter,
) -> Result<(), BuildError> {
    let release = || source.postings.release(usize::MAX);
    // A word has as many neighbours as it stands in businesses, more or less.
    let lens: Vec<usize> =
        releasing(dense, release).map(|&ord| source.terms.lists(ord).any().len()).collect();
    let partitions = Partitions::new(&lens, neighbours.shift());
    let occurrences = Occurrences::new(partitions, source.words.num_docs());
    pool.install(|| source.find(dense, neighbours, &occurrences))?;
    let encoder = Encoder {
        occurrences: &occurrences,
        neighbours,
        counts: source.counts,
        lens: &lens,
        scopes: source.scopes,
        thresholds: source.thresholds,
        listed_docs_min: source.words.num_docs() / source.thresholds.phrase_listed_share,
        memory: source.memory / 4 / pool.current_num_threads(),
    };
    let mut section = writer.begin(SectionKind::PhrasePostings);
    let (mut pairs, mut counts) = (Vec::new(), Vec::new());
    let mut places: Vec<u32> = Vec::new();
    // In pieces: what grows to hundreds of megabytes is copied again and again.
    let (mut best, mut best_lists) = (Vec::new(), RankedListsWriter::default());
    let (workspaces, spares) = (Spares::<Workspace>::default(), Spares::<Encoded>::default());
    in_order(
        pool,
        ahead_of_disk(pool),
        (0..occurrences.partitions().len()).map(Ok),
        |partition| {
            let mut encoded = spares.lend();
            encoder.encode(partition, &mut workspaces.lend(), &mut encoded)?;
            Ok(encoded)
        },
        |encoded: Result<Lent<Encoded>, ScratchError>| {
            let encoded = encoded?;
            let mut place = section.len();
            let mut best_start = 0;
            for phrase in &encoded.phrases {
                pairs.push(phrase.pair);
                counts.push(phrase.count);
                places.push(encode_place((phrase.list_bytes > 0).then_some(place))?);
                place += phrase.list_bytes as u64;
                for list in &encoded.best.lists[best_start..phrase.best_end] {
                    let owner = pairs.len() as u32 - 1;
                    best_lists.push(owner, source.scopes.get(list.scope), [list.len]);
                }
                best_start = phrase.best_end;
            }
            section.write(&encoded.lists)?;
            best.push(packed_ints::encode(&encoded.best.docs, source.words.num_docs()));
            Ok::<(), BuildError>(())
        },
    )?;
    let docs_min = source.thresholds.phrase_docs_min;
    let table = encode_table(docs_min, &pairs, &counts, &places);
    section.end_with_table(bytemuck::cast_slice(&table), writer)?;
    let mut section = writer.begin(SectionKind::TierBest);
    best.iter().try_for_each(|piece: &Vec<u8>| section.write(piece))?;
    Ok(section.end_with_table(&best_lists.into_table(), writer)?)
}

impl Source<'_> {
    /// Finds the pairs of the terms `dense` in all businesses.
    fn find(
        &self,
        dense: &[TermOrd],
        neighbours: &Neighbours,
        occurrences: &Occurrences,
    ) -> Result<(), ScratchError> {
        let chunks = Chunks::of(self.words.num_docs());
        let workers = rayon::current_num_threads();
        let memory = self.memory / 8 / workers;
        (0..workers).into_par_iter().with_max_len(1).try_for_each(|_| {
            let release = || self.postings.release(usize::MAX);
            let mut impacts = ImpactsByDoc::new(self.terms, dense, release);
            let mut found = OccurrencesWriter::new(occurrences.partitions(), self.scratch, memory)?;
            let mut set = PairSet::default();
            while let Some(key) = chunks.take() {
                impacts.load(key, release);
                for doc in docs_in(key, self.words.num_docs()) {
                    let impacts = impacts.of_doc(doc as u16);
                    for &pair in neighbours.find(&self.words.tokens(DocId(doc)), &mut set) {
                        let (first, second) = neighbours.numbers(pair);
                        found.push(pair, impacts[first] + impacts[second], doc as u16);
                    }
                    found.write_if_full()?;
                }
                occurrences.add(key, &mut found)?;
                (self.release_all)();
            }
            Ok(())
        })
    }
}
