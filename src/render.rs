//! Answers as JSON: copied together from ready pieces, never serialised.
//!
//! In: a [`Page`], or documents, and their snapshot. Out: the body of the response
//! (`docs/api.md`). Cost: one copy of the documents, piece by piece; [`fields`] cuts keys out of
//! them.

pub mod about;
pub mod facets;
pub mod fields;

use crate::ids::DocId;
use crate::query::cursor::Cursor;
use crate::query::page::Page;
use crate::snapshot::Snapshot;
use fields::Fields;

/// Bytes reserved for each code of a document. Most take fewer, so that most bodies are allocated
/// once.
const BYTES_PER_CODE: usize = 8;

/// Bytes reserved besides: what stands around the documents, and that codes of the last one may
/// take more.
const BYTES_BESIDES: usize = 1536;

/// The body of a response to a search.
pub fn page(snapshot: &Snapshot, page: &Page) -> Vec<u8> {
    page_of(snapshot, page, Fields::ALL)
}

/// As [`page`], with some keys of each business.
pub fn page_of(snapshot: &Snapshot, page: &Page, fields: Fields) -> Vec<u8> {
    let mut body = results(snapshot, &page.docs, fields);
    body.extend_from_slice(b",\"pagination\":{\"total\":");
    body.extend_from_slice(page.total.to_string().as_bytes());
    body.extend_from_slice(b",\"limit\":");
    body.extend_from_slice(page.docs.len().to_string().as_bytes());
    for (key, cursor) in
        [("next_cursor", &page.next_cursor), ("previous_cursor", &page.previous_cursor)]
    {
        body.extend_from_slice(b",\"");
        body.extend_from_slice(key.as_bytes());
        body.extend_from_slice(b"\":");
        push_cursor(&mut body, cursor.as_ref());
    }
    body.extend_from_slice(b"}}");
    body
}

/// The body of a response to a request for one business.
pub fn business(snapshot: &Snapshot, doc: DocId, fields: Fields) -> Vec<u8> {
    let documents = snapshot.documents();
    let mut body = Vec::new();
    fields.append(documents, documents.codes(doc), &mut Vec::new(), &mut body);
    body
}

/// The body of a response to a request for businesses by their ids, of which `missing` are those
/// that nobody has.
pub fn businesses(
    snapshot: &Snapshot,
    docs: &[DocId],
    missing: &[&str],
    fields: Fields,
) -> Vec<u8> {
    let mut body = results(snapshot, docs, fields);
    body.extend_from_slice(b",\"missing\":");
    serde_json::to_writer(&mut body, missing).expect("writing to memory does not fail");
    body.push(b'}');
    body
}

/// The beginning of a body, with these documents.
fn results(snapshot: &Snapshot, docs: &[DocId], fields: Fields) -> Vec<u8> {
    let documents = snapshot.documents();
    let all_codes = documents.codes_of(docs);
    let num_codes: usize = all_codes.iter().map(|codes| codes.len()).sum();
    let mut body = Vec::with_capacity(num_codes * BYTES_PER_CODE + BYTES_BESIDES);
    let mut text = Vec::new();
    body.extend_from_slice(b"{\"results\":[");
    for (at, codes) in all_codes.iter().enumerate() {
        if at > 0 {
            body.push(b',');
        }
        fields.append(documents, codes, &mut text, &mut body);
    }
    body.push(b']');
    body
}

/// A cursor needs no escaping: its alphabet is that of base64url.
fn push_cursor(body: &mut Vec<u8>, cursor: Option<&Cursor>) {
    match cursor {
        Some(cursor) => {
            body.push(b'"');
            body.extend_from_slice(cursor.encode().as_bytes());
            body.push(b'"');
        }
        None => body.extend_from_slice(b"null"),
    }
}
