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
use crate::analyzer::fold_filter;
use crate::analyzer::host::Host;
use crate::places;
use crate::snapshot::SnapshotError;
use crate::snapshot::dictionary::{DictionaryKinds, encode_entry};
use crate::snapshot::writer::SnapshotWriter;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::hash::Hash;

/// The entries of a block's industries, places and hosts, in batches of `spares`.
pub fn of_block(
    first_doc: u32,
    records: &[Record<'_>],
    spares: &[Spares<Batch>; 3],
) -> [Lent<Batch>; 3] {
    let [industries, places, hosts] = spares.each_ref().map(Spares::lend);
    let industries =
        collect(first_doc, records, industries, |record| record.industry, |name| fold_filter(name));
    let places = collect(
        first_doc,
        records,
        places,
        |record| Some((record.city, record.state, record.country)),
        |&(city, state, country)| {
            let keys = places::stored_keys(city, state, country);
            keys.iter().map(|key| key.as_str().to_owned()).collect()
        },
    );
    let hosts = collect(
        first_doc,
        records,
        hosts,
        |record| record.website,
        |website| {
            Host::of_website(website).map(|host| host.name().to_owned()).into_iter().collect()
        },
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
    keys_of: impl Fn(&V) -> Vec<String>,
) -> Lent<Batch> {
    let mut by_value: FxHashMap<V, Vec<u32>> = FxHashMap::default();
    for (doc, record) in (first_doc..).zip(records) {
        if let Some(value) = value_of(record) {
            by_value.entry(value).or_default().push(doc);
        }
    }
    let mut by_key: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (value, docs) in by_value {
        for key in keys_of(&value).into_iter().filter(|key| !key.is_empty()) {
            by_key.entry(key).or_default().extend(&docs);
        }
    }
    for (key, mut docs) in by_key {
        docs.sort_unstable();
        docs.dedup();
        batch.push_with(
            |out| {
                out.extend_from_slice(key.as_bytes());
                out.push(0);
                out.extend(first_doc.to_be_bytes());
            },
            |out| docs.iter().for_each(|doc| out.extend(doc.to_le_bytes())),
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
