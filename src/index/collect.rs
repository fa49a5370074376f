//! Sorted records to everything that is known of them one by one.
//!
//! One thread reads the merged runs and cuts them into blocks of consecutive businesses; all cores
//! render, group and analyze blocks; the calling thread takes the results in order. Documents go
//! straight to their section, in symbols; all else to columns in memory or to temporary files.

use super::BuildError;
use super::analysis::{AnalyzedBlock, Workspace, analyze_block};
use super::buffer_pool::{Lent, Reuse, Spares};
use super::duplicate_ids::DUPLICATE;
use super::external_sort::{Batch, Sorted, Sorter};
use super::facets::{AllUnits, BlockUnits, FinishedUnits};
use super::hosts::HostFiles;
use super::pipeline::{InBackground, in_order};
use super::record_codec;
use super::record_codec::{KeyParts, Record};
use super::scratch::{Scratch, ScratchError};
use super::symbols::{Encoded, Encoder, Rendered};
use super::vocabulary::{BlockFiles, BlockWriter};
use super::{doc_order, facets, filters, hosts};
use crate::places::PlaceAliases;
use crate::snapshot::columns::doc_tokens::NUM_FIELDS;
use crate::snapshot::columns::employee_counts;
use crate::snapshot::encoding::offsets::OffsetsWriter;
use crate::snapshot::encoding::packed_ints;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::writer::SnapshotWriter;
use crate::snapshot::metadata::Filled;
use crate::snapshot::terms::dictionary::{INDUSTRIES, PLACES};
use rayon::ThreadPool;
use std::sync::mpsc;

/// Most businesses of a block.
const BLOCK_DOCS_MAX: usize = 16 << 10;

/// Fewest bytes of packed records of a full block.
const BLOCK_BYTES_MIN: usize = 4 << 10;

/// About how many times its packed bytes a block takes while it is worked on.
const BLOCK_GROWTH: usize = 16;

/// The records in the static order, duplicates among them.
pub struct SortedRecords {
    /// Packed as in `record_codec`.
    pub sorted: Sorted,
    /// See [`ids::rank`](super::duplicate_ids::rank).
    pub ranks: Vec<u32>,
    /// How many are no duplicates.
    pub num_docs: u32,
    /// What their documents are written in.
    pub encoder: Encoder,
}

/// Everything known of the records one by one.
pub struct Collected<'a> {
    /// By `DocId`, as the section holds them.
    counts: Vec<u64>,
    years: Vec<u16>,
    filled: Filled,
    /// `DocId` by rank of the id.
    id_order: Vec<u32>,
    lengths: Vec<[u16; NUM_FIELDS]>,
    names: Sorter<'a>,
    filters: [Sorter<'a>; 2],
    hosts: Sorter<'a>,
    units: AllUnits,
    blocks: BlockWriter,
}

/// Consecutive records in the static order, packed.
#[derive(Default)]
struct PackedBlock {
    first_doc: u32,
    bytes: Vec<u8>,
    /// For each record, where its key and its payload end.
    ends: Vec<(usize, usize)>,
}

impl Reuse for PackedBlock {
    fn clear(&mut self) {
        self.first_doc = 0;
        self.bytes.clear();
        self.ends.clear();
    }
}

/// What is known of the businesses of a block.
#[derive(Default)]
struct BlockColumns {
    documents: Encoded,
    counts: Vec<u64>,
    years: Vec<u16>,
    seqs: Vec<u32>,
    filled: Filled,
    analyzed: AnalyzedBlock,
}

impl Reuse for BlockColumns {
    fn clear(&mut self) {
        self.documents.clear();
        self.counts.clear();
        self.years.clear();
        self.seqs.clear();
        self.filled = Filled::default();
        self.analyzed.clear();
    }
}

/// What one core made of a block.
struct BlockResult {
    first_doc: u32,
    columns: Lent<BlockColumns>,
    names: Lent<Batch>,
    filters: [Lent<Batch>; 2],
    hosts: Lent<Batch>,
    units: BlockUnits,
}

/// Where what is needed for a block comes from.
struct BlockSpares {
    packed: Spares<PackedBlock>,
    rendered: Spares<Rendered>,
    workspaces: Spares<Workspace>,
    columns: Spares<BlockColumns>,
    names: Spares<Batch>,
    filters: [Spares<Batch>; 2],
    hosts: Spares<Batch>,
}

/// Reads all records in the static order, less the duplicates, and writes the documents.
///
/// # Errors
/// A file cannot be written or read.
pub fn collect<'a>(
    records: SortedRecords,
    scratch: &Scratch,
    pool: &'a ThreadPool,
    memory: usize,
    place_aliases: &PlaceAliases,
    writer: &mut SnapshotWriter,
    mut progress: impl FnMut(u64),
) -> Result<Collected<'a>, BuildError> {
    let SortedRecords { sorted, ranks, num_docs, encoder } = records;
    let sorter = |share: usize| Sorter::new(scratch, pool, memory / share);
    let mut collected = Collected {
        counts: Vec::with_capacity(num_docs as usize),
        years: Vec::with_capacity(num_docs as usize),
        filled: Filled::default(),
        id_order: vec![0; num_docs as usize],
        lengths: Vec::with_capacity(num_docs as usize),
        names: sorter(8),
        filters: [sorter(16), sorter(16)],
        hosts: sorter(16),
        units: AllUnits::new(scratch)?,
        blocks: BlockWriter::new(scratch)?,
    };
    writer.section(SectionKind::DocumentSymbols, &encoder.section())?;
    let mut offsets =
        OffsetsWriter::begin(SectionKind::DocumentOffsets, num_docs as usize + 1, writer);
    let mut documents = writer.begin(SectionKind::Documents);
    offsets.push(0)?;
    let mut offset = 0u64;
    let ahead = pool.current_num_threads() + 1;
    let block_bytes = (memory / 4 / (ahead + 2) / BLOCK_GROWTH).max(BLOCK_BYTES_MIN);
    let spares = BlockSpares {
        packed: Spares::default(),
        rendered: Spares::default(),
        workspaces: Spares::default(),
        columns: Spares::default(),
        names: collected.names.spares(),
        filters: collected.filters.each_ref().map(Sorter::spares),
        hosts: collected.hosts.spares(),
    };
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::scope(|scope| {
        let (ranks, packed) = (&ranks, &spares.packed);
        scope.spawn(move || cut_blocks(sorted, ranks, block_bytes, packed, &sender));
        let blocks = receiver.into_iter().map(|block| block.map_err(BuildError::from));
        let work = |block| work_on(block, &encoder, place_aliases, &spares);
        in_order(pool, ahead, blocks, work, |block: BlockResult| {
            let BlockResult { first_doc, mut columns, names, filters, hosts, units } = block;
            let Encoded { codes, offsets: within } = &columns.documents;
            for end in &within[1..] {
                offsets.push(offset + end)?;
            }
            offset += codes.len() as u64;
            documents.write(bytemuck::cast_slice(codes))?;
            collected.counts.extend_from_slice(&columns.counts);
            collected.years.extend_from_slice(&columns.years);
            collected.filled.add(&columns.filled);
            for (doc, &seq) in (first_doc..).zip(&columns.seqs) {
                collected.id_order[ranks[seq as usize] as usize] = doc;
            }
            collected.lengths.extend_from_slice(&columns.analyzed.lengths);
            collected.names.add(names)?;
            for (sorter, batch) in collected.filters.iter_mut().zip(filters) {
                sorter.add(batch)?;
            }
            collected.hosts.add(hosts)?;
            collected.units.add(units)?;
            collected.blocks.add(&mut columns.analyzed)?;
            progress(collected.years.len() as u64);
            Ok::<(), BuildError>(())
        })
    })?;
    documents.end(writer)?;
    offsets.end(writer)?;
    Ok(collected)
}

/// Sends blocks of sorted records, less the duplicates, until the end, an error, or nobody wants
/// more.
fn cut_blocks(
    mut sorted: Sorted,
    ranks: &[u32],
    block_bytes: usize,
    spares: &Spares<PackedBlock>,
    sender: &mpsc::SyncSender<Result<Lent<PackedBlock>, ScratchError>>,
) {
    let mut block = spares.lend();
    loop {
        match sorted.next() {
            Err(error) => {
                let _ = sender.send(Err(error));
                return;
            }
            Ok(None) => break,
            Ok(Some((key, payload))) => {
                let (_, seq) = key.split_at(key.len() - 4);
                let seq = u32::from_be_bytes(seq.try_into().expect("4 bytes"));
                if ranks[seq as usize] == DUPLICATE {
                    continue;
                }
                let PackedBlock { bytes, ends, .. } = &mut *block;
                bytes.extend_from_slice(key);
                let key_end = bytes.len();
                bytes.extend_from_slice(payload);
                ends.push((key_end, bytes.len()));
            }
        }
        if block.ends.len() >= BLOCK_DOCS_MAX || block.bytes.len() >= block_bytes {
            let mut next = spares.lend();
            next.first_doc = block.first_doc + block.ends.len() as u32;
            if sender.send(Ok(std::mem::replace(&mut block, next))).is_err() {
                return;
            }
        }
    }
    if !block.ends.is_empty() {
        let _ = sender.send(Ok(block));
    }
}

fn work_on(
    block: Lent<PackedBlock>,
    encoder: &Encoder,
    place_aliases: &PlaceAliases,
    spares: &BlockSpares,
) -> BlockResult {
    let first_doc = block.first_doc;
    let (mut columns, mut names) = (spares.columns.lend(), spares.names.lend());
    let BlockColumns { documents, counts, years, seqs, filled, analyzed } = &mut *columns;
    let mut rendered = spares.rendered.lend();
    let mut records: Vec<Record<'_>> = Vec::with_capacity(block.ends.len());
    let mut start = 0;
    for (doc, &(key_end, end)) in (first_doc..).zip(&block.ends) {
        let (key, payload) = (&block.bytes[start..key_end], &block.bytes[key_end..end]);
        let (record, KeyParts { name_key, seq }) =
            record_codec::read(key, payload).expect("sorted runs hold what was packed");
        start = end;
        rendered.push(&record);
        doc_order::push_name(name_key, doc, &mut names);
        // Those without a count are the last.
        counts.extend(record.employee_count);
        years.push(record.founded_year.unwrap_or(0));
        seqs.push(seq);
        filled.add(&filled_by(&record));
        records.push(record);
    }
    encoder.encode(&rendered, documents);
    drop(rendered);
    let filters = filters::of_block(first_doc, &records, place_aliases, &spares.filters);
    let hosts = hosts::of_block(first_doc, &records, &spares.hosts);
    let units = facets::of_block(&records, place_aliases);
    analyze_block(first_doc, &records, &mut spares.workspaces.lend(), analyzed);
    BlockResult { first_doc, columns, names, filters, hosts, units }
}

/// What one record has.
pub(super) fn filled_by(record: &Record<'_>) -> Filled {
    let has = |text: Option<&str>| u32::from(text.is_some());
    Filled {
        website: has(record.website),
        description: has(record.description),
        industry: has(record.industry),
        employee_count: u32::from(record.employee_count.is_some()),
        city: has(record.city),
        state: has(record.state),
        country: has(record.country),
        founded_year: u32::from(record.founded_year.is_some()),
        aliases: has(record.aliases),
        other_websites: has(record.other_websites),
    }
}

/// What is left when the sections of businesses are written.
pub struct Remaining {
    /// The analyzed blocks: what words are made of.
    pub blocks: BlockFiles,
    /// The lengths of the fields of every business.
    pub lengths: Vec<[u16; NUM_FIELDS]>,
    /// The hosts: nearly every business has one of its own, and they are brought together one by
    /// one, so that a thread of its own does it while words are merged.
    pub hosts: InBackground<Result<HostFiles, BuildError>>,
    /// The values of facets.
    pub units: Vec<FinishedUnits>,
}

impl Collected<'_> {
    /// How many documents have each field.
    pub fn filled(&self) -> Filled {
        self.filled
    }

    /// Writes all sections from the order of ids to the places.
    ///
    /// # Errors
    /// A file cannot be written or read.
    pub fn write(
        self,
        scratch: &Scratch,
        writer: &mut SnapshotWriter,
    ) -> Result<Remaining, BuildError> {
        let num_docs = self.years.len() as u32;
        let (hosts, own_scratch) = (self.hosts.finish()?, scratch.clone());
        let hosts = InBackground::begin(move || HostFiles::new(hosts, num_docs, &own_scratch));
        packed_ints::write_section(SectionKind::IdOrder, &self.id_order, num_docs, writer)?;
        writer.section(SectionKind::EmployeeCounts, &employee_counts::encode(&self.counts))?;
        writer.section(SectionKind::FoundedYears, bytemuck::cast_slice(&self.years))?;
        drop(self.id_order);
        doc_order::write::<BuildError>(self.names.finish()?, &self.years, writer)?;
        for (kinds, sorter) in [INDUSTRIES, PLACES].into_iter().zip(self.filters) {
            let dictionary = filters::dictionary::<BuildError>(kinds, sorter.finish()?, scratch)?;
            dictionary.write::<BuildError>(writer)?;
        }
        let units = self.units.finish()?;
        Ok(Remaining { blocks: self.blocks.finish()?, lengths: self.lengths, hosts, units })
    }
}
