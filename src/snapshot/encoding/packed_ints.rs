//! Numbers below a bound, in no more bytes each than the bound needs.
//!
//! ```text
//! PACKED := the low W bytes of each number (little-endian), W = bytes that the largest below the bound takes, one at least
//! ```
//!
//! For `DocId`s, and positions of businesses, in an order that says more than their values: ten
//! million businesses take three bytes each instead of four. One at random is read as fast, since
//! what is waited for is memory.

use super::interpolation::num_below;
use crate::ids::DocId;
use crate::simd::read_ahead;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::mapped::Section;
use crate::snapshot::file::writer::{SectionWriter, SnapshotWriter};
use rayon::prelude::*;

/// Numbers, each in as many bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PackedInts<'a> {
    bytes: &'a [u8],
    width: usize,
}

/// Numbers that are encoded before they are written.
const TOGETHER: usize = 1 << 16;

/// Fewest numbers for a thread.
const MIN_LEN: usize = 1 << 14;

/// Bytes of each number below `bound`.
pub fn width(bound: u32) -> usize {
    let bits = u32::BITS - bound.saturating_sub(1).leading_zeros();
    bits.div_ceil(u8::BITS).max(1) as usize
}

impl<'a> PackedInts<'a> {
    /// All that `bytes` holds of numbers below `bound`.
    ///
    /// # Errors
    /// What is wrong: bytes are left over, or a number is not below.
    pub fn check(bytes: &'a [u8], bound: u32) -> Result<PackedInts<'a>, &'static str> {
        let numbers = PackedInts::read(bytes, bound);
        if !bytes.len().is_multiple_of(numbers.width) {
            return Err("the last number is cut off");
        }
        if !numbers.all(|_, number| number < bound) {
            return Err("a number stands for nothing that is there");
        }
        Ok(numbers)
    }

    /// Numbers in bytes that a check has passed.
    pub fn read(bytes: &'a [u8], bound: u32) -> PackedInts<'a> {
        PackedInts { bytes, width: width(bound) }
    }

    /// None.
    pub const NONE: PackedInts<'static> = PackedInts { bytes: &[], width: 1 };

    /// How many there are.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.width
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Numbers at some places.
    pub fn slice(&self, start: usize, end: usize) -> PackedInts<'a> {
        PackedInts { bytes: &self.bytes[start * self.width..end * self.width], ..*self }
    }

    /// Numbers before a place, and the others.
    pub fn split_at(&self, at: usize) -> (PackedInts<'a>, PackedInts<'a>) {
        (self.slice(0, at), self.slice(at, self.len()))
    }

    /// The number at a place.
    #[inline]
    pub fn get(&self, at: usize) -> u32 {
        number(&self.bytes[at * self.width..(at + 1) * self.width])
    }

    /// Asks memory for the number at a place, which is looked at soon; of no place, nothing.
    #[inline]
    pub fn read_ahead(&self, at: usize) {
        read_ahead(self.bytes, at * self.width);
    }

    /// All of them, as they stand.
    pub fn iter(&self) -> impl Iterator<Item = u32> + use<'a> {
        self.bytes.chunks_exact(self.width).map(number)
    }

    /// All numbers, as `DocId`s.
    pub fn docs(&self) -> impl Iterator<Item = DocId> + use<'a> {
        self.iter().map(DocId)
    }

    /// How many, from the first on, fulfil `is_before`; if one does, all before it do.
    pub fn partition_point(&self, mut is_before: impl FnMut(u32) -> bool) -> usize {
        let (mut start, mut len) = (0, self.len());
        while len > 0 {
            let half = len / 2;
            if is_before(self.get(start + half)) {
                start += half + 1;
                len -= half + 1;
            } else {
                len = half;
            }
        }
        start
    }

    /// How many are below `number`, if they ascend and lie about evenly below `bound`.
    pub fn num_below(&self, number: u32, bound: u32) -> usize {
        num_below(self.len(), (0, bound), number, |at| self.get(at))
    }

    /// Is it so of every place and the number there? Asked by several threads.
    pub fn all(&self, is_so: impl Fn(usize, u32) -> bool + Sync + Send) -> bool {
        let places = (0..self.len()).into_par_iter().with_min_len(MIN_LEN);
        places.all(|at| is_so(at, self.get(at)))
    }

    /// Is it so of every number and the one behind it? Asked by several threads.
    pub fn all_neighbours(&self, is_so: impl Fn(u32, u32) -> bool + Sync + Send) -> bool {
        let places = (1..self.len()).into_par_iter().with_min_len(MIN_LEN);
        places.all(|at| is_so(self.get(at - 1), self.get(at)))
    }
}

/// The number of some bytes, told apart so that none is copied byte by byte.
#[inline]
fn number(bytes: &[u8]) -> u32 {
    match *bytes {
        [a] => u32::from(a),
        [a, b] => u32::from_le_bytes([a, b, 0, 0]),
        [a, b, c] => u32::from_le_bytes([a, b, c, 0]),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
        _ => unreachable!("a width is 1 to 4"),
    }
}

/// The bytes of numbers below `bound`.
pub fn encode(numbers: &[u32], bound: u32) -> Vec<u8> {
    let width = width(bound);
    let mut bytes = Vec::with_capacity(numbers.len() * width);
    numbers.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()[..width]));
    bytes
}

/// Writes a whole section of numbers below `bound`.
///
/// # Errors
/// The file cannot be written.
pub fn write_section(
    kind: SectionKind,
    numbers: &[u32],
    bound: u32,
    writer: &mut SnapshotWriter,
) -> Result<(), SnapshotError> {
    let mut section = writer.begin(kind);
    write(&mut section, numbers, bound)?;
    section.end(writer)
}

/// Appends the bytes of numbers below `bound` to a section.
///
/// # Errors
/// The file cannot be written.
pub fn write(
    section: &mut SectionWriter,
    numbers: &[u32],
    bound: u32,
) -> Result<(), SnapshotError> {
    numbers.chunks(TOGETHER).try_for_each(|numbers| section.write(&encode(numbers, bound)))
}

impl Section {
    /// The section as packed numbers below `bound`.
    ///
    /// # Errors
    /// A number is none below `bound`, or the last one is cut.
    pub fn checked_packed(&self, bound: u32) -> Result<PackedInts<'_>, SnapshotError> {
        PackedInts::check(self.as_ref(), bound).map_err(|reason| self.damaged(reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_packed_is_found(
            (bound, numbers) in (1u32..=u32::MAX, 0u32..25).prop_flat_map(|(bound, shift)| {
                let bound = (bound >> shift).max(1);
                (Just(bound), proptest::collection::vec(0..bound, 0..40))
            }),
        ) {
            let bytes = encode(&numbers, bound);
            let packed = PackedInts::check(&bytes, bound).unwrap();
            prop_assert!(packed.iter().eq(numbers.iter().copied()));
            prop_assert_eq!(packed.len(), numbers.len());
            let middle = numbers.len() / 2;
            let (before, behind) = packed.split_at(middle);
            prop_assert!(before.iter().chain(behind.iter()).eq(packed.iter()));
            prop_assert!(behind.docs().eq(numbers[middle..].iter().copied().map(DocId)));
            for (at, &number) in numbers.iter().enumerate() {
                prop_assert_eq!(packed.get(at), number);
            }
            let mut sorted = numbers;
            sorted.sort_unstable();
            let bytes = encode(&sorted, bound);
            for other in sorted.iter().copied().chain([0, bound]) {
                let place = PackedInts::read(&bytes, bound).partition_point(|number| number < other);
                prop_assert_eq!(place, sorted.partition_point(|&number| number < other));
                prop_assert_eq!(PackedInts::read(&bytes, bound).num_below(other, bound), place);
            }
        }
    }

    #[test]
    fn as_many_bytes_as_the_largest_takes() {
        let widths = [0, 1, 256, 257, 65_536, 65_537, 1 << 24, (1 << 24) + 1, u32::MAX].map(width);
        assert_eq!(widths, [1, 1, 1, 2, 2, 3, 3, 4, 4]);
    }

    #[test]
    fn what_no_build_writes_is_refused() {
        assert!(PackedInts::check(&[1, 0, 43, 1], 300).is_ok());
        assert!(PackedInts::check(&[1, 0, 44, 1], 300).is_err());
        assert!(PackedInts::check(&[1, 0, 43], 300).is_err());
        assert!(PackedInts::check(&[0], 0).is_err());
    }
}
