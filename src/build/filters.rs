//! The postings of whole values: industries by folded name, places by key, hosts by name.
//!
//! A block of businesses gives for each key it has one entry: the key, a zero byte and the first business of the
//! block (u32, big-endian), and as payload the `DocId`s (u32). Sorted, the entries of a key stand together, with
//! ascending `DocId`s.

use super::external_sort::{Batch, Sorted};
use super::keys::KeysWriter;
use super::packed::Record;
use super::scratch::{Scratch, ScratchError, ScratchWriter};
use super::spares::{Lent, Spares};
use super::texts::Texts;
use crate::analyzer::fold_filter;
use crate::analyzer::host::Host;
use crate::places;
use crate::snapshot::SnapshotError;
use crate::snapshot::dictionary::{DictionaryKinds, encode_entry};
use crate::snapshot::writer::SnapshotWriter;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::ops::Range;

/// The entries of a block's industries, places and hosts, in batches of `spares`.
pub fn of_block(
    first_doc: u32,
    records: &[Record<'_>],
    spares: &[Spares<Batch>; 3],
) -> [Lent<Batch>; 3] {
    let [industries, places, hosts] = spares.each_ref().map(Spares::lend);
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
            let keys = places::stored_keys(city, state, country);
            keys.iter().for_each(|key| push(key.as_str()));
        },
    );
    let hosts = collect(
        first_doc,
        records,
        hosts,
        |record| record.website,
        |website, push| Host::of_website(website).iter().for_each(|host| push(host.name())),
    );
    [industries, places, hosts]
}

/// Groups businesses by the keys of a value, in `batch`, which is empty. Values repeat, so each distinct one is turned
/// into keys once.
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

/// A dictionary in temporary files.
pub struct DictionaryFiles {
    kinds: DictionaryKinds,
    keys: ScratchWriter,
    entries: ScratchWriter,
    postings: ScratchWriter,
}

/// Makes a dictionary of sorted entries.
///
/// # Errors
/// A temporary file cannot be written or read.
pub fn dictionary<E: From<ScratchError> + From<SnapshotError>>(
    kinds: DictionaryKinds,
    mut sorted: Sorted,
    scratch: &Scratch,
) -> Result<DictionaryFiles, E> {
    let mut keys = KeysWriter::new(scratch)?;
    let (mut entries, mut postings) = (scratch.writer()?, scratch.writer()?);
    let (mut key, mut docs): (Vec<u8>, Vec<u32>) = (Vec::new(), Vec::new());
    let mut bytes = Vec::new();
    let mut end_key = |key: &[u8], docs: &mut Vec<u32>| -> Result<(), E> {
        if !docs.is_empty() {
            keys.push(key)?;
            bytes.clear();
            let entry = encode_entry(kinds, docs, postings.position(), &mut bytes)?;
            entries.write(&entry.to_le_bytes())?;
            postings.write(&bytes)?;
            docs.clear();
        }
        Ok(())
    };
    while let Some((entry_key, payload)) = sorted.next()? {
        let this_key = &entry_key[..entry_key.len() - 5];
        if this_key != key {
            end_key(&key, &mut docs)?;
            key.clear();
            key.extend_from_slice(this_key);
        }
        let doc = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("4 bytes"));
        docs.extend(payload.chunks_exact(4).map(doc));
    }
    end_key(&key, &mut docs)?;
    Ok(DictionaryFiles { kinds, keys: keys.finish()?, entries, postings })
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
        self.postings.write_section(self.kinds.postings, writer)
    }
}
