//! Lists as Roaring bitmaps in the portable format, which other languages read as well.
//!
//! ```text
//! LIST   := COUNT | ROARING << 31 (u32, COUNT at least 1), then
//!           ROARING 0: DOC^COUNT (u32, ascending)
//!           ROARING 1: BYTES (u32), BITMAP of so many bytes
//!           and padding to 8
//! BITMAP := 12346 (u32), CONTAINERS (u32), { KEY (u16), CARDINALITY - 1 (u16) }^CONTAINERS, OFFSET^CONTAINERS
//!           (u32, from the start of BITMAP), DATA
//! DATA   := per container: LOW^CARDINALITY (u16, ascending) up to 4,096, else 1024 words (u64)
//! ```
//!
//! BITMAP is the [portable format] without runs. It is written and checked by the crate `roaring`,
//! and read in place: decoding one costs as much as a whole search may. It has no ranks, so that
//! what is stored beside a `DocId`, as impacts are beside those of a term, cannot be found by it.
//!
//! [portable format]: https://github.com/RoaringBitmap/RoaringFormatSpec

use super::{ARRAY_MAX, ChunkedPostings, Heads, IS_CHUNKED, Postings, ascends};
use crate::bytes::cast;
use crate::snapshot::encoding::container::BITMAP_WORDS;
use roaring::RoaringBitmap;

/// The first word of a bitmap without runs.
const COOKIE: u32 = 12_346;

/// Bytes before BITMAP.
const HEAD_BYTES: usize = 8;

/// Appends the list of `docs`, sorted, distinct and not empty, to `out`, whose length is a multiple
/// of 8: one by one where that takes no more bytes.
pub fn encode(docs: &[u32], out: &mut Vec<u8>) {
    debug_assert!(out.len().is_multiple_of(8) && !docs.is_empty());
    let bitmap = RoaringBitmap::from_sorted_iter(docs.iter().copied()).expect("they ascend");
    let bytes = bitmap.serialized_size();
    if docs.len() * 4 <= 4 + bytes {
        out.extend((docs.len() as u32).to_le_bytes());
        out.extend_from_slice(bytemuck::cast_slice(docs));
    } else {
        out.extend((docs.len() as u32 | IS_CHUNKED).to_le_bytes());
        out.extend((bytes as u32).to_le_bytes());
        bitmap.serialize_into(&mut *out).expect("memory can be written");
    }
    out.resize(out.len().next_multiple_of(8), 0);
}

/// The list at the front of `bytes`, which [`check`] has passed.
pub fn front(bytes: &[u8]) -> Postings<'_> {
    parse(bytes).expect("checked when the snapshot was opened").0
}

/// The list at the front of `bytes`, and how many bytes it takes.
fn parse(bytes: &[u8]) -> Option<(Postings<'_>, usize)> {
    let words: &[u32] = cast(&bytes[..bytes.len() & !7]);
    let first = *words.first()?;
    let count = (first & !IS_CHUNKED) as usize;
    if first & IS_CHUNKED == 0 {
        let docs = words.get(1..1 + count).filter(|docs| !docs.is_empty())?;
        return Some((Postings::Small(docs), ((1 + count) * 4).next_multiple_of(8)));
    }
    let [len, _cookie, containers] = *words.get(1..)?.first_chunk()?;
    let heads = words.get(4..)?.get(..(containers as usize).checked_mul(2)?)?;
    let (keys, offsets) = heads.split_at(containers as usize);
    let end = HEAD_BYTES + len as usize;
    let data = bytes.get(HEAD_BYTES..end)?;
    let heads = Heads::Roaring { keys, offsets };
    let chunked = ChunkedPostings { count: count as u32, heads, data };
    Some((Postings::Chunked(chunked), end.next_multiple_of(8)))
}

/// Checks a list at the front of `bytes` completely, and returns how many bytes it takes.
///
/// # Errors
/// The list is not one that [`encode`] could have written for `num_docs` documents.
pub fn check(bytes: &[u8], num_docs: u32) -> Result<usize, &'static str> {
    let (postings, len) = parse(bytes).ok_or("a list is cut off")?;
    if bytes.len() < len {
        return Err("a list is cut off");
    }
    let chunked = match postings {
        Postings::Small(docs) if ascends(docs) && docs[docs.len() - 1] < num_docs => {
            return Ok(len);
        }
        Postings::Small(_) => return Err("a list is out of order"),
        Postings::Chunked(chunked) => chunked,
    };
    // What the crate passes over: it reads containers one behind the other, and decodes runs.
    if !chunked.data.starts_with(&COOKIE.to_le_bytes()) {
        return Err("a bitmap without runs is expected");
    }
    let Heads::Roaring { keys, offsets } = chunked.heads else {
        return Err("a bitmap is expected");
    };
    let mut end = 8 + 8 * keys.len();
    for (key, &offset) in keys.iter().zip(offsets) {
        if offset as usize != end {
            return Err("containers of a bitmap do not join");
        }
        let count = (key >> 16) as usize + 1;
        end += if count > ARRAY_MAX { BITMAP_WORDS * 8 } else { count * 2 };
    }
    if end != chunked.data.len() {
        return Err("a bitmap has not as many bytes as its head says");
    }
    let bitmap = RoaringBitmap::deserialize_from(chunked.data)
        .map_err(|_| "a bitmap is not in the portable format of Roaring")?;
    if bitmap.len() != u64::from(chunked.count) {
        return Err("a list has a wrong count");
    }
    if bitmap.max().is_none_or(|last| last >= num_docs) {
        return Err("a list names a document that is not there");
    }
    Ok(len)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{all, sets};
    use super::*;
    use crate::bytes::aligned;
    use crate::ids::DocId;
    use proptest::prelude::*;

    /// The bytes of a list, with another one behind it.
    fn encoded(docs: &[u32]) -> (Vec<u64>, usize) {
        let mut bytes = Vec::new();
        encode(docs, &mut bytes);
        let len = bytes.len();
        encode(&[7], &mut bytes);
        (aligned(&bytes), len)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn a_list_in_place_is_the_bitmap_that_the_crate_reads(set in sets()) {
            let docs: Vec<u32> = set.iter().copied().collect();
            let (words, len) = encoded(&docs);
            let bytes: &[u8] = bytemuck::cast_slice(&words);
            prop_assert_eq!(check(bytes, 310_000), Ok(len));
            let postings = front(bytes);
            prop_assert_eq!(all(&postings), docs.clone());
            prop_assert_eq!(postings.len(), docs.len());
            let bitmap: RoaringBitmap = match postings {
                Postings::Small(docs) => docs.iter().copied().collect(),
                Postings::Chunked(chunked) => {
                    RoaringBitmap::deserialize_from(chunked.data).unwrap()
                }
            };
            let mut pushed = Vec::new();
            postings.push_to(&mut pushed);
            prop_assert_eq!(pushed, bitmap.iter().collect::<Vec<_>>());
            prop_assert_eq!(Some(postings.first().0), bitmap.min());
            for probe in [0, 1, 65_535, 65_536, 131_071, 200_000, docs[docs.len() / 2], u32::MAX] {
                prop_assert_eq!(postings.contains(DocId(probe)), bitmap.contains(probe));
                prop_assert_eq!(postings.rank(DocId(probe)) as u64, bitmap.range_cardinality(..probe));
                let place = bitmap.contains(probe).then(|| bitmap.rank(probe) as usize - 1);
                prop_assert_eq!(postings.place_of(DocId(probe)), place);
            }
            let max = *docs.last().unwrap();
            prop_assert!(check(bytes, max).is_err());
        }

        #[test]
        fn heads_that_do_not_fit_are_refused(set in sets(), place in 0usize..40, bit in 0u32..32) {
            let docs: Vec<u32> = set.into_iter().collect();
            let (mut words, len) = encoded(&docs);
            let heads: &mut [u32] = bytemuck::cast_slice_mut(&mut words);
            let place = place % (len / 4);
            let is_listed = heads[0] & IS_CHUNKED == 0;
            let num_heads = if is_listed { 1 } else { 4 + 2 * heads[3] as usize };
            heads[place] ^= 1 << bit;
            let checked = check(bytemuck::cast_slice(&words), 310_000);
            // Another key or `DocId` in the right order is as good as the one before.
            let is_key = !is_listed && (4..4 + (num_heads - 4) / 2).contains(&place) && bit < 16;
            if place < num_heads && !is_key {
                prop_assert!(checked.is_err());
            }
        }

        #[test]
        fn any_bytes_are_checked_without_panic(words in proptest::collection::vec(0u64..1 << 40, 0..40)) {
            let _ = check(bytemuck::cast_slice(&words), 1000);
            // As a bitmap of few bytes, whatever follows.
            let mut short = words.clone();
            short.insert(0, 9 | u64::from(IS_CHUNKED) | (words.len() as u64) << 32);
            let _ = check(bytemuck::cast_slice(&short), 1000);
        }
    }

    #[test]
    fn runs_are_refused() {
        let bitmap: RoaringBitmap = (0..5000).collect();
        let mut with_runs = bitmap.clone();
        with_runs.optimize();
        let mut bytes = (5000 | IS_CHUNKED).to_le_bytes().to_vec();
        bytes.extend((with_runs.serialized_size() as u32).to_le_bytes());
        with_runs.serialize_into(&mut bytes).unwrap();
        let words = aligned(&[bytes, vec![0; 64]].concat());
        assert!(check(bytemuck::cast_slice(&words), 310_000).is_err());
    }
}
