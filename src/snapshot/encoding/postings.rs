//! Postings: the sorted `DocId`s under a key, used in place.
//!
//! ```text
//! POSTINGS := COUNT | CHUNKED << 31 (u32, COUNT at least 1), then
//!             CHUNKED 0: DOC^COUNT (u32, ascending)
//!             CHUNKED 1: CHUNKS (u32), HEAD^CHUNKS, padding to 8, DATA
//! HEAD     := KEY | (CARDINALITY - 1) << 16 (u32), PLACE | BITMAP << 31 (u32), RANK (u32)
//! DATA     := per chunk, at 8 * PLACE bytes from the start of DATA:
//!             BITMAP 0: LOW^CARDINALITY (u16, ascending), padding to 8
//!             BITMAP 1: 1024 words (u64), bit b of word w for low half 64 w + b, then 128 ranks (u16), entry n:
//!             how many bits are set in the first 8 n words
//! ```
//!
//! A list is one by one where that takes no more bytes: below some six `DocId`s a chunk. A chunk of
//! more than 4,096 is a bitmap, which is smaller then.
//!
//! All `DocId`s that share their upper 16 bits (KEY) form a chunk, as in Roaring bitmaps (Chambi,
//! Lemire, Kaser, Godin: "Better bitmap performance with Roaring bitmaps", 2016). RANK counts the
//! `DocId`s in the chunks before, and the ranks of a bitmap those in the lines of the cache before,
//! so that "how many below this DocId", and with it what is stored beside a `DocId`, takes two
//! reads of memory.
//!
//! Lists of whole values (industries, places, hosts), beside which nothing is stored, are
//! [Roaring bitmaps](roaring) in the portable format; those of terms need ranks, which it has not.
//! One view reads both.
//!
//! Every list begins at a multiple of 8 bytes.

mod encode;
pub mod roaring;

pub use encode::encode;
#[cfg(test)]
pub use encode::encode_with;

use super::container::{
    BITMAP_RANKS, BITMAP_WORDS, Bitmap, Container, StoredWord, last_bit, ranks_of,
};
use crate::bytes::cast;
use crate::ids::DocId;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::format::SectionKind;
use std::ops::Range;

/// The bit of a list's first word that says that it is stored by chunks.
const IS_CHUNKED: u32 = 1 << 31;

/// Most `DocId`s of a chunk stored as an array; a bitmap takes as many bytes as this many lows.
pub const ARRAY_MAX: usize = 4096;

/// The bit of a head's second word that says that the chunk is a bitmap.
const IS_BITMAP: u32 = 1 << 31;

/// One list of postings in a mapped section.
#[derive(Clone, Copy, Debug)]
pub enum Postings<'a> {
    /// Few `DocId`s, as they are.
    Small(&'a [u32]),
    /// Many, by chunks.
    Chunked(ChunkedPostings<'a>),
}

/// A list stored by chunks.
#[derive(Clone, Copy, Debug)]
pub struct ChunkedPostings<'a> {
    count: u32,
    heads: Heads<'a>,
    data: &'a [u8],
}

/// Where the chunks of a list lie in its data.
#[derive(Clone, Copy, Debug)]
enum Heads<'a> {
    /// HEAD of each chunk.
    Ranked(&'a [[u32; 3]]),
    /// Heads of a [Roaring bitmap](roaring): KEY and CARDINALITY - 1, and OFFSET.
    Roaring { keys: &'a [u32], offsets: &'a [u32] },
}

/// A chunk: the upper 16 bits that its `DocId`s share, and their lower ones.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// Upper 16 bits.
    pub key: u16,
    /// Lower 16 bits.
    pub container: Container<'a>,
}

impl<'a> Postings<'a> {
    /// The list at the front of `bytes`, which a structural check has passed, and the bytes behind
    /// it.
    pub fn read(bytes: &'a [u8]) -> (Postings<'a>, &'a [u8]) {
        let (postings, len) = Postings::parse(bytes).expect("checked when the snapshot was opened");
        (postings, &bytes[len..])
    }

    /// How many `DocId`s there are; at least one.
    #[inline]
    #[allow(clippy::len_without_is_empty)] // never empty
    pub fn len(&self) -> usize {
        match self {
            Postings::Small(docs) => docs.len(),
            Postings::Chunked(chunked) => chunked.count as usize,
        }
    }

    /// The least of them.
    pub fn first(&self) -> DocId {
        match self {
            Postings::Small(docs) => DocId(docs[0]),
            Postings::Chunked(chunked) => {
                let Chunk { key, container } = chunked.chunk(0);
                DocId(u32::from(key) << 16 | u32::from(container.first()))
            }
        }
    }

    /// Is `doc` among them?
    pub fn contains(&self, doc: DocId) -> bool {
        match self {
            Postings::Small(docs) => docs.binary_search(&doc.0).is_ok(),
            Postings::Chunked(chunked) => chunked.contains(doc),
        }
    }

    /// How many are below `doc`, if it is among them.
    #[inline]
    pub fn place_of(&self, doc: DocId) -> Option<usize> {
        match self {
            Postings::Small(docs) => docs.binary_search(&doc.0).ok(),
            Postings::Chunked(chunked) => {
                let at = chunked.find((doc.0 >> 16) as u16)?;
                let place = chunked.chunk(at).container.place_of(doc.0 as u16)?;
                Some(chunked.rank(at) + place)
            }
        }
    }

    /// Where those of chunk `key` stand in a list of some that are stored as they are.
    pub fn places_in(docs: &[u32], key: u16) -> Range<usize> {
        let before = |key: u32| docs.partition_point(|&doc| doc >> 16 < key);
        before(key.into())..before(u32::from(key) + 1)
    }

    /// The smallest key (upper 16 bits), not below `from`, that any of them has.
    pub fn next_key(&self, from: u32) -> Option<u16> {
        match self {
            Postings::Small(docs) => docs
                .get(docs.partition_point(|&doc| doc >> 16 < from))
                .map(|doc| (doc >> 16) as u16),
            Postings::Chunked(chunked) => {
                let at = chunked.place(from);
                (at < chunked.num_chunks()).then(|| chunked.key(at))
            }
        }
    }

    /// The largest key (upper 16 bits), below `end`, that any of them has.
    pub fn last_key(&self, end: u32) -> Option<u16> {
        match self {
            Postings::Small(docs) => {
                let behind = docs.partition_point(|&doc| doc >> 16 < end);
                behind.checked_sub(1).map(|at| (docs[at] >> 16) as u16)
            }
            Postings::Chunked(chunked) => {
                chunked.place(end).checked_sub(1).map(|at| chunked.key(at))
            }
        }
    }

    /// How many are below `doc`?
    pub fn rank(&self, doc: DocId) -> usize {
        match self {
            Postings::Small(docs) => docs.partition_point(|&other| other < doc.0),
            Postings::Chunked(chunked) => {
                let key = (doc.0 >> 16) as u16;
                let at = chunked.place(u32::from(key));
                if at == chunked.num_chunks() {
                    return chunked.count as usize;
                }
                let is_within = chunked.key(at) == key;
                let within = |at| chunked.chunk(at).container.rank(doc.0 & 0xffff);
                chunked.rank(at) + if is_within { within(at) } else { 0 }
            }
        }
    }

    /// Appends all `DocId`s to `out`.
    pub fn push_to(&self, out: &mut Vec<u32>) {
        match self {
            Postings::Small(docs) => out.extend_from_slice(docs),
            Postings::Chunked(chunked) => {
                for chunk in (0..chunked.num_chunks()).map(|at| chunked.chunk(at)) {
                    let base = u32::from(chunk.key) << 16;
                    chunk.container.for_each(|low| out.push(base | u32::from(low)));
                }
            }
        }
    }

    /// Where the list lies in memory: no other list of the same snapshot lies there.
    pub(crate) fn address(&self) -> usize {
        match self {
            Postings::Small(docs) => docs.as_ptr().addr(),
            Postings::Chunked(ChunkedPostings { heads: Heads::Ranked(heads), .. }) => {
                heads.as_ptr().addr()
            }
            Postings::Chunked(chunked) => chunked.data.as_ptr().addr(),
        }
    }

    /// Is it the same list of the same snapshot?
    pub fn is_same(&self, other: &Postings<'_>) -> bool {
        self.address() == other.address()
    }

    /// The list at the front of `bytes`, which a structural check has passed. Where it ends is not
    /// looked for: that stands in another line of the cache.
    #[inline]
    pub fn front(bytes: &'a [u8]) -> Postings<'a> {
        Postings::parse_front(bytes).expect("checked when the snapshot was opened")
    }

    /// The list at the front of `bytes`; that of a list by chunks is taken to be all that follows.
    fn parse_front(bytes: &'a [u8]) -> Option<Postings<'a>> {
        let words: &[u32] = cast(&bytes[..bytes.len() & !7]);
        let first = *words.first()?;
        let count = (first & !IS_CHUNKED) as usize;
        if first & IS_CHUNKED == 0 {
            let docs = words.get(1..1 + count).filter(|docs| !docs.is_empty())?;
            return Some(Postings::Small(docs));
        }
        let chunks = *words.get(1)? as usize;
        let heads: &[[u32; 3]] = bytemuck::cast_slice(words.get(2..chunks.checked_mul(3)? + 2)?);
        let data = bytes.get(((2 + chunks * 3) * 4).next_multiple_of(8)..)?;
        let heads = Heads::Ranked(heads);
        Some(Postings::Chunked(ChunkedPostings { count: count as u32, heads, data }))
    }

    fn parse(bytes: &'a [u8]) -> Option<(Postings<'a>, usize)> {
        let chunked = match Postings::parse_front(bytes)? {
            small @ Postings::Small(docs) => {
                return Some((small, ((1 + docs.len()) * 4).next_multiple_of(8)));
            }
            Postings::Chunked(chunked) => chunked,
        };
        let Heads::Ranked([.., last]) = chunked.heads else { return None };
        let (place, is_bitmap) = (last[1] & !IS_BITMAP, last[1] & IS_BITMAP != 0);
        let len = place as usize * 8 + container_bytes((last[0] >> 16) as usize + 1, is_bitmap);
        let data = chunked.data.get(..len)?;
        let start = bytes.len() - chunked.data.len();
        Some((Postings::Chunked(ChunkedPostings { data, ..chunked }), start + len))
    }

    /// Checks a list at the front of `bytes` completely, and returns how many bytes it takes.
    ///
    /// # Errors
    /// The list is not one that [`encode`] could have written for `num_docs` documents.
    pub fn check(bytes: &[u8], num_docs: u32, kind: SectionKind) -> Result<usize, SnapshotError> {
        let damaged = |reason| SnapshotError::damaged(kind, reason);
        let (postings, len) =
            Postings::parse(bytes).ok_or_else(|| damaged("a list of postings is cut off"))?;
        match postings {
            Postings::Small(docs) => {
                let ascending = ascends(docs);
                if docs.last().is_none_or(|&doc| doc >= num_docs) || !ascending {
                    return Err(damaged("a list of postings is out of order"));
                }
            }
            Postings::Chunked(chunked) => chunked.check(num_docs).map_err(damaged)?,
        }
        Ok(len)
    }
}

impl<'a> ChunkedPostings<'a> {
    /// Number of chunks.
    pub fn num_chunks(&self) -> usize {
        match self.heads {
            Heads::Ranked(heads) => heads.len(),
            Heads::Roaring { keys, .. } => keys.len(),
        }
    }

    /// How many `DocId`s there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The key of chunk `at`.
    #[inline]
    pub fn key(&self, at: usize) -> u16 {
        match self.heads {
            Heads::Ranked(heads) => heads[at][0] as u16,
            Heads::Roaring { keys, .. } => keys[at] as u16,
        }
    }

    /// The first chunk whose key is not below `key`.
    #[inline]
    pub fn place(&self, key: u32) -> usize {
        match self.heads {
            Heads::Ranked(heads) => place_in(heads, key, |head| head[0] & 0xffff),
            Heads::Roaring { keys, .. } => place_in(keys, key, |key| key & 0xffff),
        }
    }

    /// The chunk with this key.
    #[inline]
    pub fn find(&self, key: u16) -> Option<usize> {
        let at = self.place(u32::from(key));
        (at < self.num_chunks() && self.key(at) == key).then_some(at)
    }

    /// How many `DocId`s are in the chunks before chunk `at`.
    #[inline]
    pub fn rank(&self, at: usize) -> usize {
        match self.heads {
            Heads::Ranked(heads) => heads[at][2] as usize,
            Heads::Roaring { keys, .. } => {
                keys[..at].iter().map(|key| (key >> 16) as usize + 1).sum::<usize>()
            }
        }
    }

    /// Chunk `at`.
    #[inline]
    pub fn chunk(&self, at: usize) -> Chunk<'a> {
        let (first, start, is_bitmap) = match self.heads {
            Heads::Ranked(heads) => {
                let [first, place, _rank] = heads[at];
                (first, (place & !IS_BITMAP) as usize * 8, place & IS_BITMAP != 0)
            }
            Heads::Roaring { keys, offsets } => {
                (keys[at], offsets[at] as usize, keys[at] >> 16 >= ARRAY_MAX as u32)
            }
        };
        let (count, data) = ((first >> 16) as usize + 1, &self.data[start..]);
        let container = if is_bitmap {
            let (words, rest) = data.split_at(BITMAP_WORDS * 8);
            let ranks = || cast::<u16>(&rest[..BITMAP_RANKS * 2]);
            Container::Bitmap(Bitmap {
                words: cast::<StoredWord>(words).try_into().expect("sized above"),
                ranks: matches!(self.heads, Heads::Ranked(_))
                    .then(|| ranks().try_into().expect("sized above")),
                count: count as u32,
            })
        } else {
            Container::Array(cast(&data[..count * 2]))
        };
        Chunk { key: first as u16, container }
    }

    /// Is `doc` among them?
    #[inline]
    pub fn contains(&self, doc: DocId) -> bool {
        let chunk = self.find((doc.0 >> 16) as u16).map(|at| self.chunk(at));
        chunk.is_some_and(|chunk| chunk.container.contains(doc.0 as u16))
    }

    fn check(&self, num_docs: u32) -> Result<(), &'static str> {
        let Heads::Ranked(heads) = self.heads else {
            return Err("a list of postings has no ranks");
        };
        let (mut rank, mut place, mut last_key) = (0u32, 0usize, None);
        for (at, head) in heads.iter().enumerate() {
            let count = (head[0] >> 16) + 1;
            let key = head[0] as u16;
            let is_bitmap = head[1] & IS_BITMAP != 0;
            let in_place = (head[1] & !IS_BITMAP) as usize == place && head[2] == rank;
            if !in_place || last_key.is_some_and(|last| last >= key) {
                return Err("a list of postings has chunks out of order");
            }
            let bytes = container_bytes(count as usize, is_bitmap);
            if self.data.len() < place * 8 + bytes {
                return Err("a chunk of postings is cut off");
            }
            let highest = match self.chunk(at).container {
                Container::Array(lows) => {
                    if !ascends(lows) {
                        return Err("a chunk of postings is out of order");
                    }
                    lows.last().copied().unwrap_or_default()
                }
                Container::Bitmap(Bitmap { words, ranks, count }) => {
                    let (expected, ones) = ranks_of(words);
                    if ranks != Some(&expected) || count != ones {
                        return Err("a bitmap does not hold what its head says");
                    }
                    last_bit(words, BITMAP_WORDS * 64 - 1).unwrap_or_default() as u16
                }
            };
            if u32::from(key) << 16 | u32::from(highest) >= num_docs {
                return Err("a list of postings names a document that is not there");
            }
            (rank, place, last_key) = (rank + count, place + bytes / 8, Some(key));
        }
        if rank != self.count { Err("a list of postings has a wrong count") } else { Ok(()) }
    }
}

/// Bytes of a chunk's head.
const HEAD_BYTES: usize = 12;

/// The first chunk whose key is not below `key`. A list with `DocId`s in every chunk has it at that
/// very place.
#[inline]
fn place_in<T>(heads: &[T], key: u32, key_of: impl Fn(&T) -> u32) -> usize {
    match heads.get(key as usize) {
        Some(head) if key_of(head) == key => key as usize,
        _ => heads.partition_point(|head| key_of(head) < key),
    }
}

/// Is each greater than the one before? Looks at all of them, which takes less time than to stop
/// early.
fn ascends<T: PartialOrd>(numbers: &[T]) -> bool {
    numbers.windows(2).fold(true, |ascends, pair| ascends & (pair[0] < pair[1]))
}

fn container_bytes(count: usize, is_bitmap: bool) -> usize {
    if is_bitmap { BITMAP_WORDS * 8 + BITMAP_RANKS * 2 } else { (count * 2).next_multiple_of(8) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::aligned;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    pub(super) fn all(postings: &Postings<'_>) -> Vec<u32> {
        match postings {
            Postings::Small(docs) => docs.to_vec(),
            Postings::Chunked(chunked) => (0..chunked.num_chunks())
                .flat_map(|at| {
                    let chunk = chunked.chunk(at);
                    (0..=u16::MAX)
                        .filter(move |&low| chunk.container.contains(low))
                        .map(move |low| u32::from(chunk.key) << 16 | u32::from(low))
                })
                .collect(),
        }
    }

    /// Sets with sparse, dense and full stretches.
    pub(super) fn sets() -> impl Strategy<Value = BTreeSet<u32>> {
        let stretch = (0u32..300_000, 1u32..9000, 1u32..40)
            .prop_map(|(start, len, step)| (start..start + len).step_by(step as usize));
        proptest::collection::vec(stretch, 1..6)
            .prop_map(|parts| parts.into_iter().flatten().collect())
    }

    /// Where in `bytes` the ranks of some bitmap stand, if there is one.
    fn place_of_ranks(postings: &Postings<'_>, bytes: &[u8]) -> Option<usize> {
        let Postings::Chunked(chunked) = postings else { return None };
        (0..chunked.num_chunks()).find_map(|at| match chunked.chunk(at).container {
            Container::Bitmap(bitmap) => {
                Some(bitmap.ranks?.as_ptr().addr() - bytes.as_ptr().addr())
            }
            Container::Array(_) => None,
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn what_is_encoded_is_read(set in sets(), array_max in 32usize..=ARRAY_MAX) {
            let docs: Vec<u32> = set.iter().copied().collect();
            let mut bytes = Vec::new();
            encode_with(array_max, &docs, &mut bytes);
            let len = bytes.len();
            encode(&[7], &mut bytes);
            let words = aligned(&bytes);
            let bytes = bytemuck::cast_slice(&words);
            prop_assert_eq!(Postings::check(bytes, 310_000, SectionKind::TermPostings).unwrap(), len);
            let (postings, rest) = Postings::read(bytes);
            prop_assert_eq!(all(&postings), docs.clone());
            let mut pushed = Vec::new();
            postings.push_to(&mut pushed);
            prop_assert_eq!(&pushed, &docs);
            prop_assert_eq!(postings.len(), docs.len());
            prop_assert_eq!(all(&Postings::read(rest).0), vec![7]);
            for key in 0..7 {
                let keys = || docs.iter().map(|doc| doc >> 16);
                prop_assert_eq!(postings.next_key(key).map(u32::from), keys().find(|&it| it >= key));
                prop_assert_eq!(postings.last_key(key).map(u32::from), keys().rfind(|&it| it < key));
            }
            for probe in [0, 1, 65_535, 65_536, 131_071, 200_000, docs[docs.len() / 2], u32::MAX] {
                prop_assert_eq!(postings.contains(DocId(probe)), set.contains(&probe));
                prop_assert_eq!(postings.rank(DocId(probe)), set.range(..probe).count());
            }
            if let Some(at) = place_of_ranks(&postings, bytes) {
                let mut damaged = words.clone();
                damaged[at / 8] ^= 1 << 16;
                let damaged = bytemuck::cast_slice(&damaged);
                prop_assert!(Postings::check(damaged, 310_000, SectionKind::TermPostings).is_err());
            }
            // One document fewer than the largest DocId needs: refused.
            let max = *docs.last().unwrap();
            prop_assert!(Postings::check(bytes, max, SectionKind::TermPostings).is_err());
        }

        #[test]
        fn any_bytes_are_checked_without_panic(words in proptest::collection::vec(0u64..1 << 40, 0..40)) {
            let _ = Postings::check(bytemuck::cast_slice(&words), 1000, SectionKind::TermPostings);
        }
    }
}
