//! Token streams to codes: in the terms' codes instead of the numbers that a block gave its words.
//!
//! In: the token streams of the analyzed blocks, with the term of every number. Out: the sections
//! of tokens. Each block of businesses is worked on by one core.

use super::buffer_pool::{Lent, Reuse, Spares};
use super::pipeline::{ahead_of_disk, in_order};
use super::scratch::ScratchError;
use super::vocabulary::{BlockTokens, ResolvedBlocks};
use crate::snapshot::columns::doc_tokens::{
    CODE_MIN, DocParts, DocTokens, push_alias_core, push_doc, push_token,
};
use crate::snapshot::encoding::offsets::OffsetsWriter;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::writer::SnapshotWriter;
use rayon::ThreadPool;

/// Writes the sections of tokens; `codes` are those of the terms, by ordinal.
///
/// # Errors
/// A file cannot be written or read.
pub fn write<E: From<ScratchError> + From<SnapshotError> + Send>(
    blocks: &ResolvedBlocks,
    codes: &[u32],
    num_docs: u32,
    pool: &ThreadPool,
    writer: &mut SnapshotWriter,
    mut progress: impl FnMut(u64),
) -> Result<(), E> {
    let mut offsets =
        OffsetsWriter::begin(SectionKind::DocTokenOffsets, num_docs as usize + 1, writer);
    let mut section = writer.begin(SectionKind::DocTokens);
    let mut done = 0;
    let (workspaces, spares) = (Spares::<TokenWorkspace>::default(), Spares::default());
    offsets.push(0)?;
    in_order(
        pool,
        ahead_of_disk(pool),
        (0..blocks.len()).map(Ok),
        |at| {
            let mut encoded = spares.lend();
            workspaces.lend().encode(blocks, at, codes, &mut encoded)?;
            Ok(encoded)
        },
        |encoded: Result<Lent<EncodedTokens>, ScratchError>| {
            let encoded = encoded?;
            let mut end = section.len();
            for len in &encoded.lens {
                end += u64::from(*len);
                offsets.push(end)?;
            }
            section.write(&encoded.bytes)?;
            done += encoded.raw_bytes;
            progress(done);
            Ok::<(), E>(())
        },
    )?;
    section.end(writer)?;
    offsets.end(writer)?;
    Ok(())
}

/// The token streams of a block in codes.
#[derive(Default)]
struct EncodedTokens {
    /// Bytes they were made of.
    raw_bytes: u64,
    bytes: Vec<u8>,
    /// Length of each stream in bytes.
    lens: Vec<u32>,
}

impl Reuse for EncodedTokens {
    fn clear(&mut self) {
        self.bytes.clear();
        self.lens.clear();
    }
}

/// What the token streams of a block are turned into codes in, one block after the other.
#[derive(Default)]
struct TokenWorkspace {
    block: BlockTokens,
    doc: DocParts,
}

impl Reuse for TokenWorkspace {
    fn clear(&mut self) {
        // Everything is cleared where it is used.
    }
}

impl TokenWorkspace {
    /// Encodes the block at `at` in `out`, which is empty.
    fn encode(
        &mut self,
        blocks: &ResolvedBlocks,
        at: usize,
        codes: &[u32],
        out: &mut EncodedTokens,
    ) -> Result<(), ScratchError> {
        let TokenWorkspace { block, doc: parts } = self;
        blocks.read(at, block)?;
        let codes_here = &mut block.ords;
        codes_here.iter_mut().for_each(|ord| *ord = codes[*ord as usize]);
        out.raw_bytes = block.tokens.len() as u64;
        let mut rest = block.tokens.as_slice();
        while let Some(doc) = DocTokens::read_front(&mut rest) {
            parts.name_core = doc.name_core;
            for (at, field) in parts.fields.iter_mut().enumerate() {
                field.clear();
                for token in doc.field(at) {
                    push_token(
                        field,
                        token.map_code(|code| codes_here[(code - CODE_MIN) as usize]),
                    );
                }
            }
            parts.other_hosts.clear();
            parts.other_hosts.extend_from_slice(doc.other_hosts_bytes());
            parts.alias_cores.clear();
            let mut last_end = 0;
            for core in doc.alias_cores() {
                push_alias_core(&mut parts.alias_cores, core, last_end);
                last_end = core.end;
            }
            let from = out.bytes.len();
            push_doc(&mut out.bytes, parts);
            out.lens.push((out.bytes.len() - from) as u32);
        }
        Ok(())
    }
}
