//! The postings of whole values: industries by folded name, places by key.
//!
//! A block of businesses gives for each key it has one entry: the key, a zero byte and the first
//! business of the block (u32, big-endian), and as payload the `DocId`s (u32). Sorted, the entries
//! of a key stand together, with ascending `DocId`s.

use super::buffer_pool::{Lent, Spares};
use super::external_sort::{Batch, Sorted};
use super::fst_writer::KeysWriter;
use super::record_codec::Record;
use super::scratch::{Scratch, ScratchError, ScratchWriter};
use super::string_arena::Texts;
use crate::analyzer::fold_filter;
use crate::places::PlaceAliases;
use crate::snapshot::encoding::postings_ref::encode_entry;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::writer::SnapshotWriter;
use crate::snapshot::terms::dictionary::DictionaryKinds;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::ops::Range;

/// The entries of a block's industries and places, in batches of `spares`.
pub fn of_block(
    first_doc: u32,
    records: &[Record<'_>],
    place_aliases: &PlaceAliases,
    spares: &[Spares<Batch>; 2],
) -> [Lent<Batch>; 2] {
    let [industries, places] = spares.each_ref().map(Spares::lend);
    let industries = collect(
        first_doc,
        records,
        industries,
        |record| record.industry,
        |name, push| fold_filter(name).iter().for_each(|key| push(key)),
    );
    let places = collect(
        first_doc,
        records,
        places,
        |record| Some((record.city, record.state, record.country)),
        |&(city, state, country), push| {
            let keys = place_aliases.stored_keys(city, state, country);
            keys.iter().for_each(|key| push(key.as_str()));
        },
    );
    [industries, places]
}

/// Groups businesses by the keys of a value, in `batch`, which is empty. Values repeat, so each
/// distinct one is turned into keys once.
fn collect<'a, V: Hash + Eq>(
    first_doc: u32,
    records: &[Record<'a>],
    mut batch: Lent<Batch>,
    value_of: impl Fn(&Record<'a>) -> Option<V>,
    push_keys: impl Fn(&V, &mut dyn FnMut(&str)),
) -> Lent<Batch> {
    let mut texts = Texts::default();
    // The keys of a value, by their numbers.
    let mut keys_of: FxHashMap<V, Range<u32>> = FxHashMap::default();
    let mut entries: Vec<(u32, u32)> = Vec::with_capacity(records.len());
    for (doc, record) in (first_doc..).zip(records) {
        let Some(value) = value_of(record) else { continue };
        let keys = keys_of.entry(value).or_insert_with_key(|value| {
            let first = texts.len();
            push_keys(value, &mut |key| {
                if !key.is_empty() {
                    texts.push(key);
                }
            });
            first..texts.len()
        });
        entries.extend(keys.clone().map(|key| (key, doc)));
    }
    let mut sorted = Vec::new();
    texts.sort(&mut sorted);
    // Different values may have the same key.
    let distinct = sorted.chunk_by(|a, b| texts.get(a.1) == texts.get(b.1));
    let mut places = vec![0; sorted.len()];
    for (place, same) in (0..).zip(distinct.clone()) {
        same.iter().for_each(|&(_, key)| places[key as usize] = place);
    }
    entries.iter_mut().for_each(|entry| entry.0 = places[entry.0 as usize]);
    entries.sort_unstable();
    entries.dedup();
    for (same, entries) in distinct.zip(entries.chunk_by(|a, b| a.0 == b.0)) {
        batch.push_with(
            |out| {
                out.extend_from_slice(texts.get(same[0].1).as_bytes());
                out.push(0);
                out.extend(first_doc.to_be_bytes());
            },
            |out| entries.iter().for_each(|(_, doc)| out.extend(doc.to_le_bytes())),
        );
    }
    batch
}

/// Calls `each` with every key of sorted entries and its businesses, ascending. In an entry,
/// `tail_len` bytes follow the key, which with the payload tell `push_docs` the businesses.
///
/// # Errors
/// A temporary file cannot be read, or what `each` says.
pub fn for_each_key<E: From<ScratchError>>(
    mut sorted: Sorted,
    tail_len: usize,
    push_docs: impl Fn(&[u8], &[u8], &mut Vec<u32>),
    mut each: impl FnMut(&[u8], &[u32]) -> Result<(), E>,
) -> Result<(), E> {
    let (mut key, mut docs) = (Vec::new(), Vec::new());
    while let Some((entry_key, payload)) = sorted.next()? {
        let (this_key, tail) = entry_key.split_at(entry_key.len() - tail_len);
        if this_key != key {
            if !docs.is_empty() {
                each(&key, &docs)?;
                docs.clear();
            }
            key.clear();
            key.extend_from_slice(this_key);
        }
        push_docs(tail, payload, &mut docs);
    }
    if !docs.is_empty() {
        each(&key, &docs)?;
    }
    Ok(())
}

/// The lists of keys with several businesses, in a temporary file.
pub struct ListFile {
    kind: SectionKind,
    file: ScratchWriter,
    bytes: Vec<u8>,
}

impl ListFile {
    /// No lists yet, of section `kind`.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn new(kind: SectionKind, scratch: &Scratch) -> Result<ListFile, ScratchError> {
        Ok(ListFile { kind, file: scratch.writer()?, bytes: Vec::new() })
    }

    /// The [entry](crate::snapshot::encoding::postings_ref) of the next key, with these businesses.
    ///
    /// # Errors
    /// The file cannot be written, or there are too many bytes of lists.
    pub fn entry<E: From<ScratchError> + From<SnapshotError>>(
        &mut self,
        docs: &[u32],
    ) -> Result<u32, E> {
        self.bytes.clear();
        let entry = encode_entry(self.kind, docs, self.file.position(), &mut self.bytes)?;
        self.file.write(&self.bytes)?;
        Ok(entry)
    }

    /// Writes the section.
    ///
    /// # Errors
    /// A file cannot be written or read.
    pub fn write_section<E: From<ScratchError> + From<SnapshotError>>(
        self,
        writer: &mut SnapshotWriter,
    ) -> Result<(), E> {
        self.file.write_section(self.kind, writer)
    }
}

/// A dictionary in temporary files.
pub struct DictionaryFiles {
    kinds: DictionaryKinds,
    keys: ScratchWriter,
    entries: ScratchWriter,
    lists: ListFile,
}

/// Makes a dictionary of sorted entries.
///
/// # Errors
/// A temporary file cannot be written or read.
pub fn dictionary<E: From<ScratchError> + From<SnapshotError>>(
    kinds: DictionaryKinds,
    sorted: Sorted,
    scratch: &Scratch,
) -> Result<DictionaryFiles, E> {
    let (mut keys, mut entries) = (KeysWriter::new(scratch)?, scratch.writer()?);
    let mut lists = ListFile::new(kinds.postings, scratch)?;
    let doc = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("4 bytes"));
    let push_docs = |_: &[u8], payload: &[u8], docs: &mut Vec<u32>| {
        docs.extend(payload.chunks_exact(4).map(doc));
    };
    for_each_key::<E>(sorted, 1 + size_of::<u32>(), push_docs, |key, docs| {
        keys.push(key)?;
        Ok(entries.write(&lists.entry::<E>(docs)?.to_le_bytes())?)
    })?;
    Ok(DictionaryFiles { kinds, keys: keys.finish()?, entries, lists })
}

impl DictionaryFiles {
    /// Writes the three sections.
    ///
    /// # Errors
    /// A file cannot be written or read.
    pub fn write<E: From<ScratchError> + From<SnapshotError>>(
        self,
        writer: &mut SnapshotWriter,
    ) -> Result<(), E> {
        self.keys.write_section::<E>(self.kinds.keys, writer)?;
        self.entries.write_section::<E>(self.kinds.entries, writer)?;
        self.lists.write_section(writer)
    }
}
