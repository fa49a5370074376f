//! The JSON of every business, and the way from an id to it.
//!
//! `Documents` holds the JSON objects in `DocId` order without anything between them, `DocumentOffsets` the
//! place of each and, last, the length of the section ([`offsets`](super::offsets)); `IdOrder` the `DocId`s (`u32`) ordered by the
//! bytes of their ids as they stand in the JSON. Each object begins with `{"id":"`.

use super::error::SnapshotError;
use super::format::SectionKind;
use super::mapped::Section;
use super::offsets::Offsets;
use crate::bytes::cast;
use crate::ids::DocId;

/// What every document begins with.
pub const DOCUMENT_START: &[u8] = b"{\"id\":\"";

/// Ids compared together while opening; about 60 bytes of memory each.
const IDS_TOGETHER: usize = 2 << 20;

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
        for doc in (0..num_docs).map(DocId) {
            let json = documents.get(doc);
            if !json.starts_with(DOCUMENT_START) || !json.ends_with(b"}") {
                let reason = "a document is no JSON object with an id";
                return Err(SnapshotError::damaged(SectionKind::Documents, reason));
            }
            let len = escaped_id(json).len();
            let (shortest, longest) = documents.id_lens;
            documents.id_lens = (shortest.min(len), longest.max(len));
            if doc.0.is_multiple_of(super::RELEASE_DOCS) {
                documents.release_below(doc);
            }
        }
        documents.bytes.release(len);
        let damaged = |reason| SnapshotError::damaged(SectionKind::IdOrder, reason);
        let order: &[u32] = documents.id_order.checked_slice(SectionKind::IdOrder)?;
        if order.len() != num_docs as usize || order.iter().any(|&doc| doc >= num_docs) {
            return Err(damaged("one entry per business is expected"));
        }
        if !documents.ids_ascend(order) {
            return Err(damaged("ids do not ascend"));
        }
        Ok(documents)
    }

    /// Do the ids of `order`, all of them known, ascend? Ids are collected in the order of the documents, some
    /// millions at a time: touching the documents in the order of ids would read in a page for every id.
    fn ids_ascend(&self, order: &[u32]) -> bool {
        let mut ids: Vec<u8> = Vec::new();
        for start in (0..order.len()).step_by(IDS_TOGETHER) {
            // The first of the next ones too.
            let part = &order[start..order.len().min(start + IDS_TOGETHER + 1)];
            let mut by_doc: Vec<(u32, u32)> =
                part.iter().enumerate().map(|(at, &doc)| (doc, at as u32)).collect();
            by_doc.sort_unstable();
            let mut spans = vec![(0, 0); part.len()];
            ids.clear();
            for (count, &(doc, at)) in by_doc.iter().enumerate() {
                let start = ids.len();
                ids.extend_from_slice(self.escaped_id(DocId(doc)));
                spans[at as usize] = (start, ids.len());
                if count.is_multiple_of(super::RELEASE_DOCS as usize) {
                    self.release_below(DocId(doc));
                }
            }
            self.bytes.release(usize::MAX);
            if !spans.windows(2).all(|pair| ids[pair[0].0..pair[0].1] < ids[pair[1].0..pair[1].1]) {
                return false;
            }
        }
        true
    }

    /// Gives back the pages of all documents before `doc`; see [`Section::release`].
    fn release_below(&self, doc: DocId) {
        self.bytes.release(self.offsets.get(doc.index()) as usize);
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
    while let Some(&byte) = rest.get(at) {
        match byte {
            b'"' => return &rest[..at],
            b'\\' => at += 2,
            _ => at += 1,
        }
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
