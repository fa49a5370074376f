//! `X-Request-Id`: the caller's, or one of ours.

use std::cell::Cell;

use bytes::Bytes;
use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

/// The header that carries it, both ways.
pub(super) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Longest id taken over from a caller.
const CALLER_ID_BYTES_MAX: usize = 64;

/// One worker's source of ids: a random prefix and a counter, so that ids are unique across
/// workers, processes and restarts without a system call per request.
#[derive(Debug)]
pub(super) struct RequestIds {
    prefix: String,
    next: Cell<u64>,
}

impl RequestIds {
    /// # Errors
    /// That of the operating system's random generator.
    pub(super) fn new() -> Result<RequestIds, getrandom::Error> {
        let prefix = format!("{:016x}", getrandom::u64()?);
        Ok(RequestIds { prefix, next: Cell::new(0) })
    }

    /// The caller's id, if it is given once and matches `[A-Za-z0-9._-]{1,64}`; else a new one.
    pub(super) fn for_request(&self, headers: &HeaderMap) -> HeaderValue {
        let mut given = headers.get_all(X_REQUEST_ID).iter();
        match (given.next(), given.next()) {
            (Some(id), None) if is_acceptable(id.as_bytes()) => id.clone(),
            _ => self.generate(),
        }
    }

    fn generate(&self) -> HeaderValue {
        let number = self.next.get();
        self.next.set(number.wrapping_add(1));
        // By hand: formatting is a noticeable part of what a short request costs.
        let mut id = Vec::with_capacity(self.prefix.len() + 17);
        id.extend(self.prefix.as_bytes());
        id.push(b'-');
        let digits = (u64::BITS - number.leading_zeros()).div_ceil(4).max(1);
        id.extend(
            (0..digits)
                .rev()
                .map(|digit| b"0123456789abcdef"[(number >> (4 * digit)) as usize & 15]),
        );
        HeaderValue::from_maybe_shared(Bytes::from(id)).expect("hex digits and a dash")
    }
}

fn is_acceptable(id: &[u8]) -> bool {
    (1..=CALLER_ID_BYTES_MAX).contains(&id.len())
        && id.iter().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_for(given: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for id in given {
            headers.append(X_REQUEST_ID, HeaderValue::from_bytes(id.as_bytes()).unwrap());
        }
        RequestIds::new().unwrap().for_request(&headers).to_str().unwrap().to_owned()
    }

    #[test]
    fn a_proper_id_is_kept() {
        let longest = "x".repeat(64);
        for id in ["a", "A.b_c-9", "550e8400-e29b-41d4-a716-446655440000", longest.as_str()] {
            assert_eq!(id_for(&[id]), id);
        }
    }

    #[test]
    fn anything_else_is_replaced() {
        let long = "x".repeat(65);
        for given in [
            &[][..],
            &[""],
            &["a b"],
            &["a,b"],
            &["a/b"],
            &["é"],
            &["<script>"],
            &[long.as_str()],
            &["one", "two"],
            &["same", "same"],
        ] {
            let id = id_for(given);
            assert!(!given.contains(&id.as_str()), "{given:?}");
            assert!(is_acceptable(id.as_bytes()), "{id}");
        }
    }

    #[test]
    fn generated_ids_count_in_hex() {
        let ids = RequestIds { prefix: "p".to_owned(), next: Cell::new(14) };
        for expected in ["p-e", "p-f", "p-10", "p-11"] {
            assert_eq!(ids.generate(), expected);
        }
        let ids = RequestIds { prefix: "p".to_owned(), next: Cell::new(u64::MAX) };
        for expected in ["p-ffffffffffffffff", "p-0"] {
            assert_eq!(ids.generate(), expected);
        }
    }

    #[test]
    fn generated_ids_are_unique() {
        let (one, other) = (RequestIds::new().unwrap(), RequestIds::new().unwrap());
        let headers = HeaderMap::new();
        let ids: std::collections::HashSet<_> = (0..100)
            .flat_map(|_| [one.for_request(&headers), other.for_request(&headers)])
            .collect();
        assert_eq!(ids.len(), 200);
    }
}
