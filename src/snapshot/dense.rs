//! Keys that very many businesses have, and how many have two of them.
//!
//! The total of two frequent keys together (a word and an industry, a city and its state) is the dear part of a
//! query: everything else touches only what a page shows. So it is counted while building, for every pair of the
//! terms, industries and places with the most businesses.
//!
//! ```text
//! DenseKeys  := TERMS (u32), INDUSTRIES (u32), PLACES (u32), 0 (u32),
//!               ORD^TERMS, ORD^INDUSTRIES, ORD^PLACES (u32, ascending)
//! PairCounts := COUNT for every pair of numbers i < j, at j (j - 1) / 2 + i (u32)
//! ```
//!
//! A key's number is its place among the ordinals of `DenseKeys`.

use super::error::SnapshotError;
use super::format::SectionKind;
use super::mapped::Section;
use crate::bytes::cast;
use crate::ids::TermOrd;

/// What a number of `DenseKeys` stands for: a term in any field, an industry or a place, by its ordinal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DenseKey {
    /// A term, as a word of a query.
    Term(TermOrd),
    /// An industry.
    Industry(TermOrd),
    /// A place.
    Place(TermOrd),
}

impl DenseKey {
    fn kind(self) -> usize {
        match self {
            DenseKey::Term(_) => 0,
            DenseKey::Industry(_) => 1,
            DenseKey::Place(_) => 2,
        }
    }

    fn ord(self) -> u32 {
        match self {
            DenseKey::Term(ord) | DenseKey::Industry(ord) | DenseKey::Place(ord) => ord.0,
        }
    }
}

/// Words before the first ordinal.
const HEAD: usize = 4;

/// The pair counts of a snapshot.
pub struct PairCounts {
    keys: Section,
    counts: Section,
}

impl PairCounts {
    /// Opens the counts; `num_keys` says how many terms, industries and places there are.
    ///
    /// # Errors
    /// The keys are out of order or name what is not there, or there is not one count for every pair.
    pub fn open(
        section: &dyn Fn(SectionKind) -> Section,
        num_keys: [usize; 3],
        num_docs: u32,
    ) -> Result<PairCounts, SnapshotError> {
        let (keys, counts) = (section(SectionKind::DenseKeys), section(SectionKind::PairCounts));
        let damaged = |reason| SnapshotError::damaged(SectionKind::DenseKeys, reason);
        let words: &[u32] = keys.checked_slice(SectionKind::DenseKeys)?;
        let head = words.get(..HEAD).ok_or_else(|| damaged("it is cut off"))?;
        let mut rest = &words[HEAD..];
        if head[3] != 0 {
            return Err(damaged("its head is not as it should be"));
        }
        for (&len, end) in head.iter().zip(num_keys) {
            let (ords, behind) =
                rest.split_at_checked(len as usize).ok_or_else(|| damaged("it is cut off"))?;
            let ascending = ords.windows(2).all(|pair| pair[0] < pair[1]);
            if !ascending || ords.last().is_some_and(|&last| last as usize >= end) {
                return Err(damaged("keys do not ascend, or are not there"));
            }
            rest = behind;
        }
        let len = words.len() - HEAD;
        let pairs: &[u32] = counts.checked_slice(SectionKind::PairCounts)?;
        if !rest.is_empty() || pairs.len() != len * len.saturating_sub(1) / 2 {
            let reason = "one count for every pair of dense keys is expected";
            return Err(SnapshotError::damaged(SectionKind::PairCounts, reason));
        }
        if pairs.iter().any(|&count| count > num_docs) {
            let reason = "a count is larger than the number of businesses";
            return Err(SnapshotError::damaged(SectionKind::PairCounts, reason));
        }
        Ok(PairCounts { keys, counts })
    }

    /// Number of dense keys.
    pub fn num_keys(&self) -> usize {
        cast::<u32>(self.keys.as_ref()).len() - HEAD
    }

    /// The number of a key, if it is dense.
    pub fn number(&self, key: DenseKey) -> Option<usize> {
        let words: &[u32] = cast(self.keys.as_ref());
        let start = HEAD + words[..key.kind()].iter().map(|&len| len as usize).sum::<usize>();
        let ords = &words[start..start + words[key.kind()] as usize];
        ords.binary_search(&key.ord()).ok().map(|at| start - HEAD + at)
    }

    /// How many businesses have both keys, if both are dense and different.
    pub fn get(&self, a: DenseKey, b: DenseKey) -> Option<u64> {
        let (a, b) = (self.number(a)?, self.number(b)?);
        (a != b).then(|| u64::from(cast::<u32>(self.counts.as_ref())[place(a.min(b), a.max(b))]))
    }
}

/// Where the count of the numbers `low < high` stands.
#[inline]
pub fn place(low: usize, high: usize) -> usize {
    high * (high - 1) / 2 + low
}

/// The bytes of `DenseKeys` for sorted, distinct keys.
pub fn encode_keys(keys: &[DenseKey]) -> Vec<u8> {
    let mut words = vec![0u32; HEAD];
    for key in keys {
        words[key.kind()] += 1;
        words.push(key.ord());
    }
    bytemuck::cast_slice(&words).to_vec()
}
