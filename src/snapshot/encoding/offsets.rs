//! Where the entries of a section begin: ascending numbers, in little more than 4 bytes each.
//!
//! ```text
//! OFFSETS := LOW^N (u32), padding to 8, BASE^(N / 64, rounded up) (u64)
//! ```
//!
//! Entry `i` is `BASE[i / 64] + LOW[i]`; a base is the first of its 64 entries. The number of
//! entries is known from elsewhere. Lows come first, so that they can be written before the last
//! base is known.

use crate::bytes::cast;
use crate::simd::read_ahead;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::mapped::Section;
use crate::snapshot::file::writer::{SectionWriter, SnapshotWriter};
use rayon::prelude::*;
use std::ops::Range;

/// Entries that share a base.
const GROUP: usize = 64;

/// Offsets in a snapshot.
#[derive(Debug)]
pub struct Offsets {
    section: Section,
    len: usize,
}

/// Bytes of `len` offsets.
fn len_bytes(len: usize) -> usize {
    (len * 4).next_multiple_of(8) + len.div_ceil(GROUP) * 8
}

impl Offsets {
    /// Opens `len` offsets, at least one, and checks that they ascend from 0 to `end`.
    ///
    /// # Errors
    /// They do not, or there are more or fewer.
    pub fn open(section: Section, len: usize, end: u64) -> Result<Offsets, SnapshotError> {
        if section.as_ref().len() != len_bytes(len) {
            return Err(section.damaged("wrong number of offsets"));
        }
        let offsets = Offsets { section, len };
        let (lows, bases) = offsets.parts();
        let ascends = |(at, group): (usize, &[u32])| {
            let first_is_0 = group[0] == 0;
            let ascends =
                group.windows(2).fold(true, |ascends, pair| ascends & (pair[0] <= pair[1]));
            let last = bases[at].checked_add(group[group.len() - 1].into());
            let next = bases.get(at + 1).copied().unwrap_or(end);
            first_is_0 && ascends && last.is_some_and(|last| last <= next)
        };
        if !lows.par_chunks(GROUP).with_min_len(1 << 10).enumerate().all(ascends) {
            return Err(offsets.section.damaged("offsets do not ascend"));
        }
        if bases[0] != 0 || offsets.get(len - 1) != end {
            return Err(offsets.section.damaged("offsets do not join"));
        }
        Ok(offsets)
    }

    #[inline]
    fn parts(&self) -> (&[u32], &[u64]) {
        let (lows, bases) = self.section.as_ref().split_at((self.len * 4).next_multiple_of(8));
        (&cast(lows)[..self.len], cast(bases))
    }

    /// The offset at `at`.
    #[inline]
    pub fn get(&self, at: usize) -> u64 {
        let (lows, bases) = self.parts();
        bases[at / GROUP] + u64::from(lows[at])
    }

    /// From the offset at `at` to the next one.
    #[inline]
    pub fn range(&self, at: usize) -> Range<usize> {
        self.get(at) as usize..self.get(at + 1) as usize
    }

    /// Asks memory for the offset at `at`, which is looked at soon.
    #[inline]
    pub fn read_ahead(&self, at: usize) {
        let (lows, bases) = self.parts();
        read_ahead(bases, at / GROUP);
        read_ahead(lows, at);
    }

    /// The last entry whose offset is at most `offset`.
    pub fn at_or_before(&self, offset: u64) -> usize {
        let (lows, bases) = self.parts();
        let group = bases.partition_point(|&base| base <= offset).saturating_sub(1);
        let lows = &lows[group * GROUP..self.len.min((group + 1) * GROUP)];
        let behind = lows.partition_point(|&low| bases[group] + u64::from(low) <= offset);
        group * GROUP + behind.saturating_sub(1)
    }
}

/// Writes offsets.
pub struct OffsetsWriter {
    section: SectionWriter,
    kind: SectionKind,
    bases: Vec<u64>,
    len: usize,
}

impl OffsetsWriter {
    /// Reserves the section for `len` offsets.
    pub fn begin(kind: SectionKind, len: usize, writer: &mut SnapshotWriter) -> OffsetsWriter {
        let section = writer.reserve(kind, len_bytes(len) as u64);
        OffsetsWriter { section, kind, bases: Vec::with_capacity(len.div_ceil(GROUP)), len: 0 }
    }

    /// Appends an offset, which is no smaller than the one before.
    ///
    /// # Errors
    /// The file cannot be written, or 64 entries take more than `u32::MAX`.
    pub fn push(&mut self, offset: u64) -> Result<(), SnapshotError> {
        if self.len.is_multiple_of(GROUP) {
            self.bases.push(offset);
        }
        let low = u32::try_from(offset - self.bases[self.bases.len() - 1])
            .map_err(|_| SnapshotError::TooLarge { section: self.kind.to_string() })?;
        self.len += 1;
        self.section.write(&low.to_le_bytes())
    }

    /// Completes the section.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn end(mut self, writer: &mut SnapshotWriter) -> Result<(), SnapshotError> {
        if self.len % 2 == 1 {
            self.section.write(&[0; 4])?;
        }
        self.section.write(bytemuck::cast_slice(&self.bases))?;
        self.section.end(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn section(offsets: &[u64]) -> Vec<u8> {
        let base = |at: usize| offsets[at / GROUP * GROUP];
        let mut bytes: Vec<u8> = Vec::new();
        for (at, offset) in offsets.iter().enumerate() {
            bytes.extend(((offset - base(at)) as u32).to_le_bytes());
        }
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes.extend(offsets.iter().step_by(GROUP).flat_map(|base| base.to_le_bytes()));
        bytes
    }

    fn open(bytes: &[u8], len: usize, end: u64) -> Result<Offsets, SnapshotError> {
        let section = Section::copy(SectionKind::DocumentOffsets, bytes);
        Offsets::open(section, len, end)
    }

    proptest! {
        #[test]
        fn offsets_are_read_back(lens in proptest::collection::vec(0u64..100_000_000, 0..300)) {
            let mut all = vec![0];
            for len in lens {
                all.push(all[all.len() - 1] + len);
            }
            let end = all[all.len() - 1];
            let bytes = section(&all);
            let offsets = open(&bytes, all.len(), end).unwrap();
            for (at, &offset) in all.iter().enumerate() {
                prop_assert_eq!(offsets.get(at), offset);
                let last_with_it = all.partition_point(|&other| other <= offset) - 1;
                prop_assert_eq!(offsets.at_or_before(offset), last_with_it);
            }
            prop_assert!(open(&bytes, all.len() + 2, end).is_err());
            prop_assert!(open(&bytes, all.len(), end + 1).is_err());
        }
    }

    #[test]
    fn offsets_that_do_not_ascend_are_refused() {
        let bytes = section(&[0, 5, 9]);
        assert!(open(&bytes, 3, 9).is_ok());
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x80;
            // Padding is covered by the checksum.
            assert!(open(&bytes, 3, 9).is_err() || (12..16).contains(&at), "{at}");
        }
    }
}
