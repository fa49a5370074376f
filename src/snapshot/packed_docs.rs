//! `DocId`s in no more bytes each than the collection needs.
//!
//! ```text
//! DOC := the low W bytes of a DocId (little-endian), W = bytes that N - 1 takes, one at least
//! ```
//!
//! For lists that are read a page at a time, and whose order says more than their values: ten million businesses take
//! three bytes each instead of four, and what lists take is most of what the best of words and phrases cost.

use crate::ids::DocId;

/// `DocId`s, each in as many bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PackedDocs<'a> {
    bytes: &'a [u8],
    width: usize,
}

/// Bytes of each `DocId` among `num_docs`.
pub fn width(num_docs: u32) -> usize {
    let bits = u32::BITS - num_docs.saturating_sub(1).leading_zeros();
    bits.div_ceil(u8::BITS).max(1) as usize
}

impl<'a> PackedDocs<'a> {
    /// All that `bytes` holds of a collection of `num_docs`.
    ///
    /// # Errors
    /// What is wrong: bytes are left over, or a business is not there.
    pub fn check(bytes: &'a [u8], num_docs: u32) -> Result<PackedDocs<'a>, &'static str> {
        let docs = PackedDocs::read(bytes, num_docs);
        if !bytes.len().is_multiple_of(docs.width) {
            return Err("the last business is cut off");
        }
        if docs.iter().any(|doc| doc.0 >= num_docs) {
            return Err("a business is not there");
        }
        Ok(docs)
    }

    /// The same, of what a check has passed.
    pub fn read(bytes: &'a [u8], num_docs: u32) -> PackedDocs<'a> {
        PackedDocs { bytes, width: width(num_docs) }
    }

    /// None.
    pub const NONE: PackedDocs<'static> = PackedDocs { bytes: &[], width: 1 };

    /// How many there are.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.width
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Those at these places.
    pub fn slice(&self, start: usize, end: usize) -> PackedDocs<'a> {
        PackedDocs { bytes: &self.bytes[start * self.width..end * self.width], ..*self }
    }

    /// All of them, as they stand.
    pub fn iter(&self) -> impl Iterator<Item = DocId> + use<'a> {
        self.bytes.chunks_exact(self.width).map(|bytes| {
            // Told apart, so that none is copied byte by byte.
            DocId(match *bytes {
                [a] => u32::from(a),
                [a, b] => u32::from_le_bytes([a, b, 0, 0]),
                [a, b, c] => u32::from_le_bytes([a, b, c, 0]),
                [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
                _ => unreachable!("a width is 1 to 4"),
            })
        })
    }
}

/// The bytes of some of `num_docs` businesses.
pub fn encode(docs: &[u32], num_docs: u32) -> Vec<u8> {
    let width = width(num_docs);
    let mut bytes = Vec::with_capacity(docs.len() * width);
    docs.iter().for_each(|doc| bytes.extend_from_slice(&doc.to_le_bytes()[..width]));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(docs: PackedDocs<'_>) -> Vec<u32> {
        docs.iter().map(|doc| doc.0).collect()
    }

    proptest! {
        #[test]
        fn what_was_packed_is_found(
            (num_docs, docs) in (1u32..=u32::MAX, 0u32..25).prop_flat_map(|(num_docs, shift)| {
                let num_docs = (num_docs >> shift).max(1);
                (Just(num_docs), proptest::collection::vec(0..num_docs, 0..40))
            }),
        ) {
            let bytes = encode(&docs, num_docs);
            let packed = PackedDocs::check(&bytes, num_docs).unwrap();
            prop_assert_eq!(found(packed), docs.clone());
            prop_assert_eq!(packed.len(), docs.len());
            let middle = docs.len() / 2;
            prop_assert_eq!(found(packed.slice(middle, docs.len())), &docs[middle..]);
        }
    }

    #[test]
    fn as_many_bytes_as_the_last_one_takes() {
        let widths = [0, 1, 256, 257, 65_536, 65_537, 1 << 24, (1 << 24) + 1, u32::MAX].map(width);
        assert_eq!(widths, [1, 1, 1, 2, 2, 3, 3, 4, 4]);
    }

    #[test]
    fn what_no_build_writes_is_refused() {
        assert!(PackedDocs::check(&[1, 0, 43, 1], 300).is_ok());
        assert!(PackedDocs::check(&[1, 0, 44, 1], 300).is_err());
        assert!(PackedDocs::check(&[1, 0, 43], 300).is_err());
        assert!(PackedDocs::check(&[0], 0).is_err());
    }
}
