//! Checked views of mapped bytes, and the variable-length numbers of the token streams.
//!
//! Casts go through `bytemuck`, which checks alignment and length: there is no `unsafe` here.
//! Numbers in a snapshot are little-endian, so the program runs on little-endian machines only.

#[cfg(target_endian = "big")]
compile_error!(
    "snapshots are little-endian and used in place: big-endian machines are not supported"
);

/// The bytes as a slice of `T`.
///
/// # Panics
/// The bytes are not aligned for `T`, or no whole number of them: opening a snapshot checks both.
#[inline]
pub fn cast<T: bytemuck::Pod>(bytes: &[u8]) -> &[T] {
    bytemuck::cast_slice(bytes)
}

/// Appends `value`, seven bits a byte, lowest first; the top bit says that more follow (LEB128).
pub fn push_varint(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads a number that [`push_varint`] wrote from the front of `bytes`; `None` if there is none.
#[inline]
pub fn read_varint(bytes: &mut &[u8]) -> Option<u32> {
    let (&first, mut rest) = bytes.split_first()?;
    if first < 0x80 {
        *bytes = rest;
        return Some(u32::from(first));
    }
    // Nearly all numbers take two or three bytes.
    if let [second, behind @ ..] = rest {
        let value = u32::from(first & 0x7f) | u32::from(second & 0x7f) << 7;
        if *second < 0x80 {
            *bytes = behind;
            return Some(value);
        }
        if let [third @ ..0x80, behind @ ..] = behind {
            *bytes = behind;
            return Some(value | u32::from(*third) << 14);
        }
    }
    let mut value = u32::from(first & 0x7f);
    let (mut byte, mut shift) = (first, 7);
    while byte >= 0x80 {
        (byte, rest) = rest.split_first().map(|(&byte, rest)| (byte, rest))?;
        if shift > 28 {
            return None;
        }
        value |= u32::from(byte & 0x7f).checked_shl(shift)?;
        shift += 7;
    }
    *bytes = rest;
    Some(value)
}

/// Bytes at an address fit for 8-byte words, as sections are; zeroes fill the last word.
#[cfg(test)]
pub(crate) fn aligned(bytes: &[u8]) -> Vec<u64> {
    let mut words = vec![0; bytes.len().div_ceil(8)];
    bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn varints_round_trip(values in proptest::collection::vec(any::<u32>(), 0..50)) {
            let mut bytes = Vec::new();
            values.iter().for_each(|&value| push_varint(&mut bytes, value));
            let mut rest = bytes.as_slice();
            for &value in &values {
                prop_assert_eq!(read_varint(&mut rest), Some(value));
            }
            prop_assert_eq!(read_varint(&mut rest), None);
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes: Vec<u8>) {
            let mut rest = bytes.as_slice();
            while read_varint(&mut rest).is_some() {}
        }
    }
}
