//! Keys that very many businesses have, and how many have two of them.
//!
//! The total of two frequent keys together (a word and an industry, a city and its state) is the
//! dear part of a query: everything else touches only what a page shows. So it is counted while
//! building, for every pair of the terms, industries and places with the most businesses.
//!
//! ```text
//! KEYS       := TERMS (u32), INDUSTRIES (u32), PLACES (u32), 0 (u32),
//!               ORD^TERMS, ORD^INDUSTRIES, ORD^PLACES (u32, ascending)
//! DenseKeys  := KEYS
//! PairCounts := COUNT for every pair of numbers i < j, at j (j - 1) / 2 + i (u32)
//! ```
//!
//! A key's number is its place among the ordinals of `KEYS`.

use crate::bytes::cast;
use crate::ids::TermOrd;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::mapped::Section;

/// What a number of `KEYS` stands for: a term in any field, an industry or a place, by its ordinal.
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

/// Keys as they are stored, each with a number.
#[derive(Clone, Copy, Debug)]
pub struct Keys<'a> {
    words: &'a [u32],
}

impl<'a> Keys<'a> {
    /// The keys at the front of `words`, and the words behind them; `num_keys` says how many terms,
    /// industries and places there are.
    ///
    /// # Errors
    /// What is wrong: the keys are out of order or name what is not there.
    pub fn check(
        words: &'a [u32],
        num_keys: [usize; 3],
    ) -> Result<(Keys<'a>, &'a [u32]), &'static str> {
        const CUT: &str = "it is cut off";
        let (head, mut rest) = words.split_at_checked(HEAD).ok_or(CUT)?;
        if head[3] != 0 {
            return Err("its head is not as it should be");
        }
        for (&len, end) in head.iter().zip(num_keys) {
            let (ords, behind) = rest.split_at_checked(len as usize).ok_or(CUT)?;
            let ascending = ords.windows(2).all(|pair| pair[0] < pair[1]);
            if !ascending || ords.last().is_some_and(|&last| last as usize >= end) {
                return Err("keys do not ascend, or are not there");
            }
            rest = behind;
        }
        Ok((Keys { words: &words[..words.len() - rest.len()] }, rest))
    }

    /// The keys at the front of `words`, which a check has passed, and the words behind them.
    pub fn read(words: &'a [u32]) -> (Keys<'a>, &'a [u32]) {
        let len = words[..HEAD].iter().map(|&len| len as usize).sum::<usize>();
        let (words, rest) = words.split_at(HEAD + len);
        (Keys { words }, rest)
    }

    /// Number of keys.
    #[allow(clippy::len_without_is_empty)] // nobody asks
    pub fn len(&self) -> usize {
        self.words.len() - HEAD
    }

    /// The number of a key, if it is one of these.
    pub fn number(&self, key: DenseKey) -> Option<usize> {
        let words = self.words;
        let start = HEAD + words[..key.kind()].iter().map(|&len| len as usize).sum::<usize>();
        let ords = &words[start..start + words[key.kind()] as usize];
        ords.binary_search(&key.ord()).ok().map(|at| start - HEAD + at)
    }

    /// All of them, by their numbers.
    pub fn iter(&self) -> impl Iterator<Item = DenseKey> + use<'a> {
        let kinds = [DenseKey::Term, DenseKey::Industry, DenseKey::Place];
        let lens = self.words[..HEAD - 1].iter();
        let kinds = kinds
            .into_iter()
            .zip(lens)
            .flat_map(|(kind, &len)| std::iter::repeat_n(kind, len as usize));
        kinds.zip(&self.words[HEAD..]).map(|(kind, &ord)| kind(TermOrd(ord)))
    }
}

/// The pair counts of a snapshot.
pub struct PairCounts {
    keys: Section,
    counts: Section,
}

impl PairCounts {
    /// Opens the counts; `num_keys` says how many terms, industries and places there are.
    ///
    /// # Errors
    /// The keys are out of order or name what is not there, or there is not one count for every
    /// pair.
    pub fn open(
        [keys, counts]: [Section; 2],
        num_docs: u32,
        num_keys: [usize; 3],
    ) -> Result<PairCounts, SnapshotError> {
        let words: &[u32] = keys.checked_slice()?;
        let (checked, rest) =
            Keys::check(words, num_keys).map_err(|reason| keys.damaged(reason))?;
        let len = checked.len();
        let pairs: &[u32] = counts.checked_slice()?;
        if !rest.is_empty() || pairs.len() != len * len.saturating_sub(1) / 2 {
            let reason = "one count for every pair of dense keys is expected";
            return Err(counts.damaged(reason));
        }
        if pairs.iter().any(|&count| count > num_docs) {
            let reason = "a count is larger than the number of businesses";
            return Err(counts.damaged(reason));
        }
        Ok(PairCounts { keys, counts })
    }

    fn keys(&self) -> Keys<'_> {
        Keys::read(cast(self.keys.as_ref())).0
    }

    /// How many of the keys are terms; their numbers come first.
    pub fn num_terms(&self) -> usize {
        self.keys().words[0] as usize
    }

    /// The number of a key, if it is dense.
    pub fn number(&self, key: DenseKey) -> Option<usize> {
        self.keys().number(key)
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

/// The words of `KEYS` for sorted, distinct keys.
pub fn encode_keys(keys: &[DenseKey]) -> Vec<u32> {
    let mut words = vec![0u32; HEAD];
    for key in keys {
        words[key.kind()] += 1;
        words.push(key.ord());
    }
    words
}
