//! Writing lists: one by one or by chunks, whichever takes fewer bytes.

use super::{ARRAY_MAX, HEAD_BYTES, IS_BITMAP, IS_CHUNKED, container_bytes};
use crate::snapshot::encoding::container::{BITMAP_WORDS, StoredWords, ranks_of};

/// Ends of pieces are looked for among so many, and then in steps that double.
const NEAR: usize = 16;

/// The sorted `docs` in pieces with the same upper 16 bits: short ones, or much longer than that.
fn chunks(docs: &[u32]) -> impl Iterator<Item = &[u32]> {
    let mut rest = docs;
    std::iter::from_fn(move || {
        let last = rest.first()? | 0xffff;
        let near = rest.iter().take(NEAR).position(|&doc| doc > last);
        let len = near.unwrap_or_else(|| {
            let mut end = NEAR;
            while rest.get(end).is_some_and(|&doc| doc <= last) {
                end *= 2;
            }
            rest[..end.min(rest.len())].partition_point(|&doc| doc <= last)
        });
        let (chunk, behind) = rest.split_at(len);
        rest = behind;
        Some(chunk)
    })
}

/// Appends the list of `docs`, sorted, distinct and not empty, to `out`, whose length is a multiple
/// of 8.
pub fn encode(docs: &[u32], out: &mut Vec<u8>) {
    encode_with(ARRAY_MAX, docs, out);
}

/// Appends a list with bitmaps for chunks of more than `array_max`, which is at most [`ARRAY_MAX`]:
/// tests want bitmaps of few.
pub fn encode_with(array_max: usize, docs: &[u32], out: &mut Vec<u8>) {
    debug_assert!(out.len().is_multiple_of(8) && !docs.is_empty());
    debug_assert!(docs.windows(2).all(|pair| pair[0] < pair[1]));
    let chunks = || chunks(docs);
    let chunked_bytes = chunks()
        .map(|chunk| HEAD_BYTES + container_bytes(chunk.len(), chunk.len() > ARRAY_MAX))
        .sum::<usize>();
    if docs.len() * 4 <= 4 + chunked_bytes {
        out.extend((docs.len() as u32).to_le_bytes());
        out.extend_from_slice(bytemuck::cast_slice(docs));
        out.resize(out.len().next_multiple_of(8), 0);
        return;
    }
    out.extend((docs.len() as u32 | IS_CHUNKED).to_le_bytes());
    out.extend((chunks().count() as u32).to_le_bytes());
    let (mut place, mut rank) = (0u32, 0u32);
    for chunk in chunks() {
        let count = chunk.len() as u32;
        out.extend((chunk[0] >> 16 | (count - 1) << 16).to_le_bytes());
        let is_bitmap = chunk.len() > array_max;
        out.extend((place | if is_bitmap { IS_BITMAP } else { 0 }).to_le_bytes());
        out.extend(rank.to_le_bytes());
        place += container_bytes(chunk.len(), is_bitmap) as u32 / 8;
        rank += count;
    }
    out.resize(out.len().next_multiple_of(8), 0);
    for chunk in chunks() {
        if chunk.len() <= array_max {
            let start = out.len();
            out.resize((start + chunk.len() * 2).next_multiple_of(8), 0);
            for (low, &doc) in out[start..].as_chunks_mut().0.iter_mut().zip(chunk) {
                *low = (doc as u16).to_le_bytes();
            }
        } else {
            let mut words: StoredWords = [[0; 8]; BITMAP_WORDS];
            for &doc in chunk {
                words[usize::from(doc as u16 >> 6)][doc as usize % 64 / 8] |= 1 << (doc % 8);
            }
            out.extend_from_slice(words.as_flattened());
            out.extend_from_slice(bytemuck::cast_slice(&ranks_of(&words).0));
        }
    }
}
