//! A page as JSON: copied together from ready pieces, never serialised.
//!
//! In: a [`Page`] and its snapshot. Out: the body of the response (contract, section 2). Cost: one
//! copy of the documents on the page, piece by piece.

use crate::query::cursor::Cursor;
use crate::query::page::Page;
use crate::snapshot::Snapshot;

/// Bytes reserved for each code of a document. Most take fewer, so that most bodies are allocated
/// once.
const BYTES_PER_CODE: usize = 8;

/// Bytes reserved besides: what stands around the documents, and that codes of the last one may
/// take more.
const BYTES_BESIDES: usize = 1536;

/// The body of a response.
pub fn page(snapshot: &Snapshot, page: &Page) -> Vec<u8> {
    let documents = snapshot.documents();
    let all_codes = documents.codes_of(&page.docs);
    let num_codes: usize = all_codes.iter().map(|codes| codes.len()).sum();
    let mut body = Vec::with_capacity(num_codes * BYTES_PER_CODE + BYTES_BESIDES);
    body.extend_from_slice(b"{\"results\":[");
    for (at, codes) in all_codes.iter().enumerate() {
        if at > 0 {
            body.push(b',');
        }
        documents.append(codes, &mut body);
    }
    body.extend_from_slice(b"],\"pagination\":{\"total\":");
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
