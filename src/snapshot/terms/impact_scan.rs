//! Searching the impacts of a term for documents to which it adds an amount between two bounds.
//!
//! Impacts lie one byte each in the order of the postings, so that a search costs 0.05 ns a
//! document; the `DocId`s of those found are then told by their ranks.

use crate::simd::{Loop, vectorized};
use crate::snapshot::encoding::container::{Bitmap, Container, select};
use crate::snapshot::encoding::postings::Postings;
use std::ops::{Range, RangeInclusive};

/// Bytes that are looked at together.
const BLOCK: usize = 32;

/// Bytes that are counted together: a sum of them fits a byte.
const COUNTED: usize = 128;

/// How many documents of a range of `DocId`s within one chunk have an impact within `bounds`.
pub fn count(
    (postings, impacts): (&Postings<'_>, &[u8]),
    docs: &Range<u32>,
    bounds: &RangeInclusive<u8>,
) -> usize {
    vectorized(Count { bytes: &impacts[ranks(postings, docs)], bounds })
}

/// Appends the lower halves of these documents, ascending.
pub fn push_to(
    (postings, impacts): (&Postings<'_>, &[u8]),
    docs: &Range<u32>,
    bounds: &RangeInclusive<u8>,
    found: &mut Vec<u16>,
) {
    let here = ranks(postings, docs);
    let mut numbers = Vec::new();
    vectorized(Find { bytes: &impacts[here.clone()], bounds, found: &mut numbers });
    let numbers = numbers.into_iter().map(|number: u32| number as usize);
    let chunked = match postings {
        Postings::Small(all) => {
            return found.extend(numbers.map(|number| all[here.start + number] as u16));
        }
        Postings::Chunked(chunked) => chunked,
    };
    let Some(at) = chunked.find((docs.start >> 16) as u16) else { return };
    match chunked.chunk(at).container {
        Container::Array(lows) => {
            let before = here.start - chunked.rank(at);
            found.extend(numbers.map(|number| lows[before + number]));
        }
        Container::Bitmap(Bitmap { words, .. }) => {
            let low = docs.start & 0xffff;
            let first = low as usize / 64;
            // Numbers count from the first bit of a word.
            let before = u64::from_le_bytes(words[first]) & ((1 << (low % 64)) - 1);
            let before = before.count_ones() as usize;
            select(&words[first..], numbers.map(|number| before + number), |bit| {
                found.push((first * 64) as u16 + bit as u16);
            });
        }
    }
}

/// The ranks in a list of the documents in a range of `DocId`s within one chunk.
fn ranks(postings: &Postings<'_>, docs: &Range<u32>) -> Range<usize> {
    let chunked = match postings {
        Postings::Small(all) => {
            let before = |end: u32| all.partition_point(|&doc| doc < end);
            return before(docs.start)..before(docs.end);
        }
        Postings::Chunked(chunked) => chunked,
    };
    let Some(at) = chunked.find((docs.start >> 16) as u16) else { return 0..0 };
    let (before, container) = (chunked.rank(at), chunked.chunk(at).container);
    let base = docs.start & !0xffff;
    before + container.rank(docs.start - base)..before + container.rank(docs.end - base)
}

/// The number of bytes within bounds.
struct Count<'a> {
    bytes: &'a [u8],
    bounds: &'a RangeInclusive<u8>,
}

impl Loop for Count<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let (least, span) = (*self.bounds.start(), self.bounds.end() - self.bounds.start());
        let is_within = |&byte: &u8| u8::from(byte.wrapping_sub(least) <= span);
        let blocks = self.bytes.chunks(COUNTED);
        blocks.map(|block| usize::from(block.iter().map(is_within).sum::<u8>())).sum()
    }
}

/// The numbers of the bytes within bounds.
struct Find<'a> {
    bytes: &'a [u8],
    bounds: &'a RangeInclusive<u8>,
    found: &'a mut Vec<u32>,
}

impl Loop for Find<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (least, span) = (*self.bounds.start(), self.bounds.end() - self.bounds.start());
        let is_within = |byte: u8| byte.wrapping_sub(least) <= span;
        for (number, block) in self.bytes.chunks(BLOCK).enumerate() {
            // Most blocks have none.
            if block.iter().fold(false, |any, &byte| any | is_within(byte)) {
                let numbers = (number * BLOCK) as u32..;
                let within = numbers.zip(block).filter(|(_, byte)| is_within(**byte));
                self.found.extend(within.map(|(number, _)| number));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::aligned;
    use crate::ids::tests::doc_sets;
    use crate::snapshot::encoding::postings::encode_with;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn a_search_finds_all_within_bounds(
            list in doc_sets(),
            array_max in prop_oneof![Just(32usize), Just(4096)],
            (start, len) in (0u32..400_000, 1u32..70_000),
            (least, most) in (1u8..=255, 1u8..=255),
        ) {
            let list: Vec<u32> = list.into_iter().collect();
            let mut bytes = Vec::new();
            encode_with(array_max, &list, &mut bytes);
            let words = aligned(&bytes);
            let (postings, _) = Postings::read(bytemuck::cast_slice(&words));
            let impact = |doc: u32| (doc % 255) as u8 + 1;
            let impacts: Vec<u8> = list.iter().map(|&doc| impact(doc)).collect();
            let docs = start..(start + len).min((start | 0xffff) + 1);
            let bounds = least.min(most)..=least.max(most);
            let mut found = Vec::new();
            push_to((&postings, &impacts), &docs, &bounds, &mut found);
            let expected: Vec<u16> = list.iter()
                .filter(|doc| docs.contains(doc) && bounds.contains(&impact(**doc)))
                .map(|&doc| doc as u16)
                .collect();
            prop_assert_eq!(count((&postings, &impacts), &docs, &bounds), expected.len());
            prop_assert_eq!(found, expected);
        }
    }
}
