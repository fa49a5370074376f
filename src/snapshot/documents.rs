//! The JSON of every business, and the way from an id to it.
//!
//! `Documents` holds the JSON objects in `DocId` order without anything between them, `DocumentOffsets` the
//! place of each and, last, the length of the section (`u64`); `IdOrder` the `DocId`s (`u32`) ordered by the
//! bytes of their ids as they stand in the JSON. Each object begins with `{"id":"`.

use super::error::SnapshotError;
use super::format::SectionKind;
use super::mapped::Section;
use crate::bytes::cast;
use crate::ids::DocId;

/// What every document begins with.
pub const DOCUMENT_START: &[u8] = b"{\"id\":\"";

/// The documents of a snapshot.
pub struct Documents {
    offsets: Section,
    bytes: Section,
    id_order: Section,
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
        let documents = Documents {
            offsets: section(SectionKind::DocumentOffsets),
            bytes: section(SectionKind::Documents),
            id_order: section(SectionKind::IdOrder),
        };
        let len = documents.bytes.as_ref().len();
        check_offsets(SectionKind::DocumentOffsets, &documents.offsets, len, num_docs)?;
        for doc in (0..num_docs).map(DocId) {
            let json = documents.get(doc);
            if !json.starts_with(DOCUMENT_START) || !json.ends_with(b"}") {
                let reason = "a document is no JSON object with an id";
                return Err(SnapshotError::damaged(SectionKind::Documents, reason));
            }
        }
        let damaged = |reason| SnapshotError::damaged(SectionKind::IdOrder, reason);
        let order: &[u32] = documents.id_order.checked_slice(SectionKind::IdOrder)?;
        if order.len() != num_docs as usize || order.iter().any(|&doc| doc >= num_docs) {
            return Err(damaged("one entry per business is expected"));
        }
        let ascending = |pair: &[u32]| {
            documents.escaped_id(DocId(pair[0])) < documents.escaped_id(DocId(pair[1]))
        };
        if !order.windows(2).all(ascending) {
            return Err(damaged("ids do not ascend"));
        }
        Ok(documents)
    }

    /// The JSON of a business.
    #[inline]
    pub fn get(&self, doc: DocId) -> &[u8] {
        let offsets: &[u64] = cast(self.offsets.as_ref());
        &self.bytes.as_ref()[offsets[doc.index()] as usize..offsets[doc.index() + 1] as usize]
    }

    /// The business with this id: a binary search, so about 24 documents of ten million are touched.
    pub fn by_id(&self, id: &str) -> Option<DocId> {
        let escaped = escape(id);
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

/// Checks that `num_docs + 1` offsets ascend from 0 to `len`.
pub(super) fn check_offsets(
    kind: SectionKind,
    offsets: &Section,
    len: usize,
    num_docs: u32,
) -> Result<(), SnapshotError> {
    let offsets: &[u64] = offsets.checked_slice(kind)?;
    let joins = offsets.first() == Some(&0)
        && offsets.last() == Some(&(len as u64))
        && offsets.windows(2).all(|pair| pair[0] <= pair[1]);
    if offsets.len() != num_docs as usize + 1 || !joins {
        return Err(SnapshotError::damaged(kind, "offsets do not join"));
    }
    Ok(())
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
