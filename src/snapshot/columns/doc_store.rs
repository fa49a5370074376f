//! The JSON of every business, and the way from an id to it.
//!
//! `Documents` holds the JSON objects in `DocId` order without anything between them, as codes
//! (`u16`) of `DocumentSymbols` ([`symbols`](super::string_codes)); `DocumentOffsets` the place of
//! each and, last, the number of codes ([`offsets`](crate::snapshot::encoding::offsets)); `IdOrder`
//! the `DocId`s, [packed](crate::snapshot::encoding::packed_ints), by the bytes of their ids as in
//! JSON. Each object begins with `{"id":"`.

use super::string_codes::Symbols;
use crate::bytes::cast;
use crate::ids::DocId;
use crate::simd::read_ahead;
use crate::snapshot::encoding::offsets::Offsets;
use crate::snapshot::encoding::packed_ints::PackedInts;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::mapped::Section;
use rayon::prelude::*;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// What every document begins with.
pub const DOCUMENT_START: &[u8] = b"{\"id\":\"";

/// Documents checked one after the other.
const DOCS_TOGETHER: usize = 1 << 13;

/// Codes read at a time until an id ends.
const ID_CODES: usize = 18;

/// Codes of a cache line.
const LINE_CODES: usize = 64 / size_of::<u16>();

/// Ids compared as a whole between two releases.
const RELEASE_EQUAL: u32 = 64;

/// What is known of all ids.
struct Ids {
    /// By `DocId`: the first eight bytes behind what the first and the last id share, as a number
    /// that orders like them.
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
    symbols: Symbols,
    offsets: Offsets,
    codes: Section,
    id_order: Section,
    num_docs: u32,
    /// Lengths of the shortest and the longest id, in bytes as they stand in JSON: most texts are
    /// no id by their length alone, and looking for one touches some 24 documents.
    id_lens: (usize, usize),
}

impl Documents {
    /// Opens the documents and checks that they join, begin with an id, and are ordered by it.
    ///
    /// # Errors
    /// They are not.
    pub fn open(
        [symbols, offsets, codes, id_order]: [Section; 4],
        num_docs: u32,
    ) -> Result<Documents, SnapshotError> {
        let symbols = Symbols::read(symbols.as_ref()).map_err(|reason| symbols.damaged(reason))?;
        let end = codes.checked_slice::<u16>()?.len();
        let offsets = Offsets::open(offsets, num_docs as usize + 1, end as u64)?;
        let id_lens = (usize::MAX, 0);
        let mut documents = Documents { symbols, offsets, codes, id_order, num_docs, id_lens };
        let order = documents.id_order.checked_packed(num_docs)?;
        if order.len() != num_docs as usize {
            return Err(documents.id_order.damaged("one entry per business is expected"));
        }
        let ids = documents.check_all(order)?;
        if !documents.ids_ascend(order, &ids) {
            return Err(documents.id_order.damaged("ids do not ascend"));
        }
        documents.id_lens = ids.lens;
        Ok(documents)
    }

    /// Checks how all documents begin, and collects what tells their ids apart.
    fn check_all(&self, order: PackedInts<'_>) -> Result<Ids, SnapshotError> {
        let id = |at: Option<usize>| {
            let id = |at| self.escaped_id(DocId(order.get(at)), &mut Vec::new()).to_vec();
            at.map_or_else(Vec::new, id)
        };
        let last = order.len().checked_sub(1);
        let (mut shared, last) = (id(last.and(Some(0))), id(last));
        shared.truncate(shared.iter().zip(&last).take_while(|(a, b)| a == b).count());
        let mut starts = vec![0u64; order.len()];
        let check = |(part, starts): (usize, &mut [u64])| {
            let (mut lens, mut all_share) = ((usize::MAX, 0), true);
            let first_doc = part * DOCS_TOGETHER;
            let mut text = Vec::new();
            for (doc, start) in (first_doc..).zip(starts.iter_mut()) {
                let (beginning, id) = self.beginning(DocId(doc as u32), &mut text);
                lens = (id.len().min(lens.0), id.len().max(lens.1));
                all_share &= id.starts_with(&shared);
                *start = start_of(id.get(shared.len()..).unwrap_or_default());
                if !beginning.starts_with(DOCUMENT_START) {
                    let reason = "a document does not begin with an id";
                    return Err(self.codes.damaged(reason));
                }
            }
            let code = |doc| self.offsets.get(doc) as usize * size_of::<u16>();
            self.codes.release_range(code(first_doc)..code(first_doc + starts.len()));
            Ok((lens, all_share))
        };
        let (lens, all_share) =
            starts.par_chunks_mut(DOCS_TOGETHER).enumerate().map(check).try_reduce(
                || ((usize::MAX, 0), true),
                |(a, a_share), (b, b_share)| Ok(((a.0.min(b.0), a.1.max(b.1)), a_share & b_share)),
            )?;
        Ok(Ids { starts, lens, all_share })
    }

    /// Do the ids of `order`, all of them known, ascend? Their first bytes decide nearly always:
    /// touching the documents in the order of ids would read in a page for every id.
    fn ids_ascend(&self, order: PackedInts<'_>, ids: &Ids) -> bool {
        let start = |doc: u32| ids.starts[doc as usize];
        let equal = AtomicU32::new(0);
        let whole_ascend = |a: u32, b: u32| {
            // These documents lie anywhere, and the system maps up to a megabyte around each.
            if equal.fetch_add(1, Relaxed) % RELEASE_EQUAL == RELEASE_EQUAL - 1 {
                self.codes.release(usize::MAX);
            }
            let (mut a_text, mut b_text) = (Vec::new(), Vec::new());
            self.escaped_id(DocId(a), &mut a_text) < self.escaped_id(DocId(b), &mut b_text)
        };
        ids.all_share
            && order.all_neighbours(|a, b| match start(a).cmp(&start(b)) {
                Ordering::Less => true,
                Ordering::Equal => whole_ascend(a, b),
                Ordering::Greater => false,
            })
    }

    /// The JSON of a business in codes, each of which is up to
    /// [16](super::string_codes::SYMBOL_BYTES_MAX) bytes, some 7 as a rule.
    #[inline]
    pub fn codes(&self, doc: DocId) -> &[u16] {
        &cast(self.codes.as_ref())[self.offsets.range(doc.index())]
    }

    /// The same of several businesses, which are appended soon: memory is asked for all of them at
    /// once.
    pub fn codes_of(&self, docs: &[DocId]) -> Vec<&[u16]> {
        docs.iter().for_each(|doc| self.offsets.read_ahead(doc.index()));
        let codes = |&doc| {
            let codes = self.codes(doc);
            (0..codes.len()).step_by(LINE_CODES).for_each(|at| read_ahead(codes, at));
            codes
        };
        docs.iter().map(codes).collect()
    }

    /// Appends the JSON that these codes stand for.
    #[inline]
    pub fn append(&self, codes: &[u16], out: &mut Vec<u8>) {
        self.symbols.append(codes, out);
    }

    /// The business with this id: a binary search, so about 24 documents of ten million are
    /// touched.
    pub fn by_id(&self, id: &str) -> Option<DocId> {
        let escaped = escape(id);
        if escaped.len() < self.id_lens.0 || escaped.len() > self.id_lens.1 {
            return None;
        }
        let order = self.by_id_order();
        let mut text = Vec::new();
        let at = order
            .partition_point(|doc| self.escaped_id(DocId(doc), &mut text) < escaped.as_bytes());
        let doc = (at < order.len()).then(|| DocId(order.get(at)))?;
        (self.escaped_id(doc, &mut text) == escaped.as_bytes()).then_some(doc)
    }

    /// `DocId`s by the bytes of their ids as they stand in the JSON.
    pub fn by_id_order(&self) -> PackedInts<'_> {
        PackedInts::read(self.id_order.as_ref(), self.num_docs)
    }

    /// The id of a business as it stands in its JSON.
    fn escaped_id<'t>(&self, doc: DocId, text: &'t mut Vec<u8>) -> &'t [u8] {
        self.beginning(doc, text).1
    }

    /// The JSON of a business, at least as far as its id ends, and the id in it; `text` is where
    /// both lie then.
    #[inline]
    fn beginning<'t>(&self, doc: DocId, text: &'t mut Vec<u8>) -> (&'t [u8], &'t [u8]) {
        text.clear();
        for codes in self.codes(doc).chunks(ID_CODES) {
            self.symbols.append(codes, text);
            // Without the quotation mark behind it, an id may go on.
            if DOCUMENT_START.len() + escaped_id(text).len() < text.len() {
                break;
            }
        }
        (text, escaped_id(text))
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

/// The website in a document's JSON, if there is one.
pub fn website(document: &[u8]) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Website {
        website: Option<String>,
    }
    serde_json::from_slice(document).ok().and_then(|Website { website }| website)
}

/// `text` as it stands between quotation marks in JSON.
pub fn escape(text: &str) -> Cow<'_, str> {
    let is_escaped = |byte: u8| byte < b' ' || matches!(byte, b'"' | b'\\');
    if !text.bytes().any(is_escaped) {
        return Cow::Borrowed(text);
    }
    let quoted = serde_json::to_string(text).expect("a text has a JSON form");
    Cow::Owned(quoted[1..quoted.len() - 1].to_owned())
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
