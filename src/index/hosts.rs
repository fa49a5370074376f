//! Businesses by the hosts of their websites.
//!
//! Each host of a business gives one entry: as key the [hash](HostHash) of the host's name and the
//! `DocId` (u32, big-endian), and no payload. Sorted, the entries of a host stand together, with
//! ascending `DocId`s.

use super::buffer_pool::{Lent, Spares};
use super::external_sort::{Batch, Sorted};
use super::filters::{ListFile, for_each_key};
use super::record_codec::Record;
use super::scratch::{Scratch, ScratchError, ScratchWriter};
use crate::analyzer::host::Host;
use crate::company::texts_of;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::writer::SnapshotWriter;
use crate::snapshot::terms::hosts::{Buckets, HostHash};

/// The entries of a block of businesses, in a batch of `spares`.
pub fn of_block(first_doc: u32, records: &[Record<'_>], spares: &Spares<Batch>) -> Lent<Batch> {
    let (mut batch, mut hashes) = (spares.lend(), Vec::new());
    for (doc, record) in (first_doc..).zip(records) {
        let others = texts_of(record.other_websites);
        let hosts = record.website.into_iter().chain(others).filter_map(Host::of_website);
        hashes.clear();
        hashes.extend(hosts.map(|host| HostHash::of(host.name())));
        // A document is once on each host, whatever its addresses there.
        hashes.sort_unstable();
        hashes.dedup();
        for hash in &hashes {
            batch.push_with(
                |out| {
                    out.extend(hash.to_bytes());
                    out.extend(doc.to_be_bytes());
                },
                |_| {},
            );
        }
    }
    batch
}

/// The sections of hosts: one in memory, half a byte a business, and two in temporary files.
pub struct HostFiles {
    buckets: Vec<u32>,
    entries: ScratchWriter,
    lists: ListFile,
}

impl HostFiles {
    /// Brings sorted entries together.
    ///
    /// # Errors
    /// A temporary file cannot be written or read.
    pub fn new<E: From<ScratchError> + From<SnapshotError>>(
        sorted: Sorted,
        num_docs: u32,
        scratch: &Scratch,
    ) -> Result<HostFiles, E> {
        let (mut buckets, mut entries) = (Buckets::new(num_docs), scratch.writer()?);
        let mut lists = ListFile::new(SectionKind::HostPostings, scratch)?;
        let doc_of = |tail: &[u8]| u32::from_be_bytes(tail.try_into().expect("4 bytes"));
        let push_docs = |tail: &[u8], _: &[u8], docs: &mut Vec<u32>| docs.push(doc_of(tail));
        for_each_key::<E>(sorted, size_of::<u32>(), push_docs, |hash, docs| {
            let hash = HostHash::from_bytes(hash.try_into().expect("a hash"));
            let host = [buckets.push(hash), lists.entry::<E>(docs)?];
            Ok(entries.write(&host.map(u32::to_le_bytes).concat())?)
        })?;
        Ok(HostFiles { buckets: buckets.finish(), entries, lists })
    }

    /// Writes the three sections.
    ///
    /// # Errors
    /// A file cannot be written or read.
    pub fn write<E: From<ScratchError> + From<SnapshotError>>(
        self,
        writer: &mut SnapshotWriter,
    ) -> Result<(), E> {
        writer.section(SectionKind::HostBuckets, bytemuck::cast_slice(&self.buckets))?;
        self.entries.write_section::<E>(SectionKind::HostEntries, writer)?;
        self.lists.write_section(writer)
    }
}
