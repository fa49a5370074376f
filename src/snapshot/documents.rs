//! The JSON of every business, and the way from an id to it.
//!
//! `Documents` holds the JSON objects in `DocId` order without anything between them, `DocumentOffsets` the
//! place of each and, last, the length of the section ([`offsets`](super::offsets)); `IdOrder` the `DocId`s (`u32`) ordered by the
//! bytes of their ids as they stand in the JSON. Each object begins with `{"id":"`.
//!
//! The objects are half of a snapshot, and are stored as they are: a page is copied in 0.3 µs from the cache, and in 3 µs
//! from memory. Compressed by symbols of up to eight bytes (Boncz, Neumann, Leis: "FSST: fast random access string
//! compression", 2020) they take 0.52 of that, but a page takes 4.5 and 13 µs, as much as the HTTP of a request.

use super::error::SnapshotError;
use super::format::SectionKind;
use super::mapped::Section;
use super::offsets::Offsets;
use crate::bytes::cast;
use crate::ids::DocId;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// What every document begins with.
pub const DOCUMENT_START: &[u8] = b"{\"id\":\"";

/// Documents checked one after the other.
const DOCS_TOGETHER: usize = 1 << 13;

/// How many documents before it is looked at the first byte of one is read: loads that do not wait for each other
/// overlap.
const AHEAD: usize = 16;

/// Fewest ids for a thread.
const MIN_LEN: usize = 1 << 14;

/// Ids compared as a whole between two releases.
const RELEASE_EQUAL: u32 = 64;

/// What is known of all ids.
struct Ids {
    /// By `DocId`: the first eight bytes behind what the first and the last id share, as a number that orders like
    /// them.
    starts: Vec<u64>,
    /// The shortest and the longest.
    lens: (usize, usize),
    /// Do all begin with what the first and the last share? If they ascend, they do.
    all_share: bool,
}

/// The first eight bytes as a number that orders like them.
fn start_of(bytes: &[u8]) -> u64 {
    let mut start = [0; 8];
    let len = bytes.len().min(8);
    start[..len].copy_from_slice(&bytes[..len]);
    u64::from_be_bytes(start)
}

/// The documents of a snapshot.
pub struct Documents {
    offsets: Offsets,
    bytes: Section,
    id_order: Section,
    /// Lengths of the shortest and the longest id, in bytes as they stand in JSON: most texts are no id by their
    /// length alone, and looking for one touches some 24 documents.
    id_lens: (usize, usize),
}

impl Documents {
    /// Opens the documents and checks that they join, begin as they should, and are ordered by id.
    ///
    /// # Errors
    /// They are not.
    pub fn open(
        section: &dyn Fn(SectionKind) -> Section,
        num_docs: u32,
    ) -> Result<Documents, SnapshotError> {
        let bytes = section(SectionKind::Documents);
        let len = bytes.as_ref().len();
        let kind = SectionKind::DocumentOffsets;
        let offsets = Offsets::open(kind, section(kind), num_docs as usize + 1, len as u64)?;
        let id_order = section(SectionKind::IdOrder);
        let mut documents = Documents { offsets, bytes, id_order, id_lens: (usize::MAX, 0) };
        let damaged = |reason| SnapshotError::damaged(SectionKind::IdOrder, reason);
        let order: &[u32] = documents.id_order.checked_slice(SectionKind::IdOrder)?;
        let is_known = |doc: &u32| *doc < num_docs;
        if order.len() != num_docs as usize || !order.par_iter().with_min_len(MIN_LEN).all(is_known)
        {
            return Err(damaged("one entry per business is expected"));
        }
        let ids = documents.check_all(order)?;
        if !documents.ids_ascend(order, &ids) {
            return Err(damaged("ids do not ascend"));
        }
        documents.id_lens = ids.lens;
        Ok(documents)
    }

    /// Checks all documents, and collects what tells their ids apart.
    fn check_all(&self, order: &[u32]) -> Result<Ids, SnapshotError> {
        let shared_len = match (order.first(), order.last()) {
            (Some(&first), Some(&last)) => {
                let (first, last) = (self.escaped_id(DocId(first)), self.escaped_id(DocId(last)));
                first.iter().zip(last).take_while(|(a, b)| a == b).count()
            }
            _ => 0,
        };
        let shared =
            order.first().map_or(&[][..], |&doc| &self.escaped_id(DocId(doc))[..shared_len]);
        let mut starts = vec![0u64; order.len()];
        let check = |(part, starts): (usize, &mut [u64])| {
            let (mut lens, mut all_share) = ((usize::MAX, 0), true);
            let first_doc = part * DOCS_TOGETHER;
            let last = first_doc + starts.len() - 1;
            let mut touched = 0;
            for (doc, start) in (first_doc..).zip(starts.iter_mut()) {
                let ahead = self.offsets.get((doc + AHEAD).min(last)) as usize;
                // That one may be empty, at the end: it is refused when it is its turn.
                touched ^= self.bytes.as_ref().get(ahead).copied().unwrap_or_default();
                let json = self.get(DocId(doc as u32));
                if !json.starts_with(DOCUMENT_START) || !json.ends_with(b"}") {
                    let reason = "a document is no JSON object with an id";
                    return Err(SnapshotError::damaged(SectionKind::Documents, reason));
                }
                let id = escaped_id(json);
                lens = (id.len().min(lens.0), id.len().max(lens.1));
                all_share &= id.starts_with(shared);
                *start = start_of(id.get(shared_len..).unwrap_or_default());
            }
            std::hint::black_box(touched);
            let end = self.offsets.get(first_doc + starts.len()) as usize;
            self.bytes.release_range(self.offsets.get(first_doc) as usize..end);
            Ok((lens, all_share))
        };
        let (lens, all_share) =
            starts.par_chunks_mut(DOCS_TOGETHER).enumerate().map(check).try_reduce(
                || ((usize::MAX, 0), true),
                |(a, a_share), (b, b_share)| Ok(((a.0.min(b.0), a.1.max(b.1)), a_share & b_share)),
            )?;
        Ok(Ids { starts, lens, all_share })
    }

    /// Do the ids of `order`, all of them known, ascend? Their first bytes decide nearly always: touching the
    /// documents in the order of ids would read in a page for every id.
    fn ids_ascend(&self, order: &[u32], ids: &Ids) -> bool {
        let start = |doc: u32| ids.starts[doc as usize];
        let equal = AtomicU32::new(0);
        let whole_ascend = |a: u32, b: u32| {
            // These documents lie anywhere, and the system maps up to a megabyte around each.
            if equal.fetch_add(1, Relaxed) % RELEASE_EQUAL == RELEASE_EQUAL - 1 {
                self.bytes.release(usize::MAX);
            }
            self.escaped_id(DocId(a)) < self.escaped_id(DocId(b))
        };
        let ascends = |pair: &[u32]| match start(pair[0]).cmp(&start(pair[1])) {
            Ordering::Less => true,
            Ordering::Equal => whole_ascend(pair[0], pair[1]),
            Ordering::Greater => false,
        };
        ids.all_share && order.par_windows(2).with_min_len(MIN_LEN).all(ascends)
    }

    /// The JSON of a business.
    #[inline]
    pub fn get(&self, doc: DocId) -> &[u8] {
        &self.bytes.as_ref()[self.offsets.range(doc.index())]
    }

    /// The business with this id: a binary search, so about 24 documents of ten million are touched.
    pub fn by_id(&self, id: &str) -> Option<DocId> {
        let escaped = escape(id);
        if escaped.len() < self.id_lens.0 || escaped.len() > self.id_lens.1 {
            return None;
        }
        let order = self.by_id_order();
        let at = order
            .binary_search_by(|&doc| self.escaped_id(DocId(doc)).cmp(escaped.as_bytes()))
            .ok()?;
        Some(DocId(order[at]))
    }

    /// `DocId`s by the bytes of their ids as they stand in the JSON.
    pub fn by_id_order(&self) -> &[u32] {
        cast(self.id_order.as_ref())
    }

    /// The id of a business as it stands in its JSON.
    fn escaped_id(&self, doc: DocId) -> &[u8] {
        escaped_id(self.get(doc))
    }
}

/// The bytes of the id in a document's JSON, escapes included.
pub fn escaped_id(document: &[u8]) -> &[u8] {
    let rest = document.get(DOCUMENT_START.len()..).unwrap_or_default();
    let mut at = 0;
    while let Some(next) = memchr::memchr2(b'"', b'\\', rest.get(at..).unwrap_or_default()) {
        at += next;
        if rest[at] == b'"' {
            return &rest[..at];
        }
        at += 2;
    }
    rest
}

/// The id and the name in a document's JSON.
pub fn id_and_name(document: &[u8]) -> (String, String) {
    #[derive(serde::Deserialize, Default)]
    #[serde(default)]
    struct IdAndName {
        id: String,
        name: String,
    }
    let IdAndName { id, name } = serde_json::from_slice(document).unwrap_or_default();
    (id, name)
}

/// `text` as it stands between quotation marks in JSON.
pub fn escape(text: &str) -> String {
    let quoted = serde_json::to_string(text).expect("a text has a JSON form");
    quoted[1..quoted.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_in_their_json() {
        for id in ["a", "quote \" and \\", "\\", "tab\t", "ünïcode", ""] {
            let json = format!("{{\"id\":{},\"name\":\"x\"}}", serde_json::to_string(id).unwrap());
            assert_eq!(escaped_id(json.as_bytes()), escape(id).as_bytes());
        }
        assert_eq!(escaped_id(b""), b"");
        assert_eq!(escaped_id(b"{\"id\":\"abc\\"), b"abc\\");
    }
}
