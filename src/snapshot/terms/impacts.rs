//! Looking up what a term adds to the text score of a business.

use super::block::{ImpactBounds, TermLists};
use crate::ids::DocId;
use crate::simd::{Loop, read_ahead, vectorized};
use crate::snapshot::encoding::arrays::for_each_shared_place;
use crate::snapshot::encoding::container::{Bitmap, Container, place_in};
use crate::snapshot::encoding::postings::Postings;
use std::ops::Range;

/// What a term adds to the score of each business on its list.
#[derive(Debug)]
pub struct Impacts<'s> {
    postings: Postings<'s>,
    impacts: &'s [u8],
    bounds: ImpactBounds,
}

impl<'s> Impacts<'s> {
    /// The impacts of a term.
    pub fn of(lists: &TermLists<'s>) -> Impacts<'s> {
        let (postings, impacts) = (lists.any(), lists.impacts());
        Impacts { postings, impacts, bounds: lists.impact_bounds() }
    }

    /// The documents of the term, and the impact on each, in order.
    pub fn list(&self) -> (&Postings<'s>, &'s [u8]) {
        (&self.postings, self.impacts)
    }

    /// The least and the largest impact.
    pub fn bounds(&self) -> ImpactBounds {
        self.bounds
    }

    /// The impact on `doc`, 0 if it is not on the list.
    #[inline]
    pub fn at(&self, doc: DocId) -> u32 {
        self.postings.place_of(doc).map_or(0, |at| u32::from(self.impacts[at]))
    }

    /// Adds the impact on each of some businesses to the sum with its number; see
    /// [`for_each_byte`].
    pub fn add_to(&self, chunks: &[ChunkPlaces], lows: &[u16], sums: &mut [u32]) {
        for_each_byte(&self.postings, self.impacts, chunks, lows, |number, impact| {
            sums[number] += u32::from(impact);
        });
    }

    /// Puts the impact on each in the place with its number, where it is more than what is there.
    pub fn raise_to(&self, chunks: &[ChunkPlaces], lows: &[u16], largest: &mut [u32]) {
        for_each_byte(&self.postings, self.impacts, chunks, lows, |number, impact| {
            largest[number] = largest[number].max(impact.into());
        });
    }
}

/// Places that are found before anything is read there: of loads that do not wait for each other,
/// many are under way at a time.
const TOGETHER: usize = 64;

/// Where so many businesses of a list lie between two that are looked for, each is looked for where
/// it would stand if the list were even, and the list is not passed.
const FAR_APART: usize = 8;

/// From so many businesses on that are looked for in one bitmap, the bits before each of its words
/// are counted first.
const COUNTED_MIN: usize = 512;

/// So many chunks before businesses are looked for in a bitmap, memory is asked for where they
/// stand in it.
const AHEAD: usize = 2;

/// From so many businesses on that are looked for in one bitmap, about every line of it is read:
/// nothing is asked for.
const AHEAD_MAX: usize = 64;

/// Places in a list that are found, each with its number, until there are [`TOGETHER`].
struct Found<'a> {
    /// What is stored beside the list.
    bytes: &'a [u8],
    places: [(u32, u32); TOGETHER],
    len: usize,
}

impl Found<'_> {
    #[inline]
    fn push(&mut self, number: usize, place: usize, visit: &mut impl FnMut(usize, u8)) {
        read_ahead(self.bytes, place);
        self.places[self.len] = (number as u32, place as u32);
        self.len += 1;
        if self.len == TOGETHER {
            self.visit_all(visit);
        }
    }

    #[inline]
    fn visit_all(&mut self, visit: &mut impl FnMut(usize, u8)) {
        for &(number, place) in &self.places[..self.len] {
            visit(number as usize, self.bytes[place as usize]);
        }
        self.len = 0;
    }
}

/// The key of a chunk, and where the lower halves of its businesses stand among those of several
/// chunks.
pub type ChunkPlaces = (u16, Range<usize>);

/// Calls `visit` with the number of each of some businesses that is on a list, and with its byte:
/// `bytes` lie in the order of the list. `lows` are the lower halves of the businesses, which
/// ascend in each of `chunks`.
pub fn for_each_byte(
    postings: &Postings<'_>,
    bytes: &[u8],
    chunks: &[ChunkPlaces],
    lows: &[u16],
    mut visit: impl FnMut(usize, u8),
) {
    let mut found = Found { bytes, places: [(0, 0); TOGETHER], len: 0 };
    let mut ahead = chunks.iter().skip(AHEAD);
    for (key, numbers) in chunks {
        if let (Postings::Chunked(chunked), Some((key, numbers))) = (postings, ahead.next())
            && numbers.len() < AHEAD_MAX
            && let Some(at) = chunked.find(*key)
            && let Container::Bitmap(bitmap) = chunked.chunk(at).container
        {
            lows[numbers.clone()].iter().for_each(|&low| bitmap.read_rank_ahead(low));
        }
        find_places(postings, *key, lows, numbers.clone(), &mut found, &mut visit);
    }
    found.visit_all(&mut visit);
}

/// Finds the places of the businesses of chunk `key` with some `numbers`.
#[inline]
fn find_places(
    postings: &Postings<'_>,
    key: u16,
    lows: &[u16],
    numbers: Range<usize>,
    found: &mut Found<'_>,
    visit: &mut impl FnMut(usize, u8),
) {
    let (first, lows) = (numbers.start, &lows[numbers]);
    let chunked = match postings {
        Postings::Small(docs) => {
            let mut here = Postings::places_in(docs, key);
            for (number, &low) in lows.iter().enumerate() {
                let doc = u32::from(key) << 16 | u32::from(low);
                here.start += docs[here.clone()].partition_point(|&other| other < doc);
                if here.contains(&here.start) && docs[here.start] == doc {
                    visit(first + number, found.bytes[here.start]);
                }
            }
            return;
        }
        Postings::Chunked(chunked) => chunked,
    };
    let Some(chunk) = chunked.find(key) else { return };
    let before = chunked.rank(chunk);
    match chunked.chunk(chunk).container {
        Container::Array(all) if lows.len() * FAR_APART < all.len() => {
            for (number, &low) in lows.iter().enumerate() {
                if let Some(at) = place_in(all, low) {
                    found.push(first + number, before + at, visit);
                }
            }
        }
        Container::Array(all) => for_each_shared_place(all, lows, |at, number| {
            found.push(first + number, before + at, visit);
        }),
        Container::Bitmap(bitmap) => {
            let push = |number, rank| found.push(first + number, before + rank, visit);
            if lows.len() >= COUNTED_MIN {
                vectorized(RanksOf::<_, true> { bitmap, lows, push });
            } else {
                vectorized(RanksOf::<_, false> { bitmap, lows, push });
            }
        }
    }
}

/// Calls `push` with the number and the rank of each of `lows` that is in a bitmap. The bits before
/// each of its words are counted first if it is `COUNTED`, which is known where this is compiled:
/// few need neither that nor its 4 KiB of stack.
struct RanksOf<'a, F, const COUNTED: bool> {
    bitmap: Bitmap<'a>,
    lows: &'a [u16],
    push: F,
}

impl<F: FnMut(usize, usize), const COUNTED: bool> Loop for RanksOf<'_, F, COUNTED> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let RanksOf { bitmap, lows, mut push } = self;
        if COUNTED {
            let mut count = 0u32;
            let before_words = bitmap.words.map(|word| {
                let ones = u64::from_le_bytes(word).count_ones();
                count += ones;
                count - ones
            });
            for (number, &low) in lows.iter().enumerate() {
                let word = usize::from(low >> 6);
                let (bits, bit) = (u64::from_le_bytes(bitmap.words[word]), 1 << (low & 63));
                if bits & bit != 0 {
                    let rank = before_words[word] + (bits & (bit - 1)).count_ones();
                    push(number, rank as usize);
                }
            }
        } else {
            for (number, &low) in lows.iter().enumerate() {
                if bitmap.contains(low) {
                    push(number, bitmap.rank(low));
                }
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
        fn bytes_are_found_in_several_chunks_at_once(
            list in doc_sets(),
            asked in doc_sets(),
            array_max in prop_oneof![Just(32usize), Just(4096)],
        ) {
            let list: Vec<u32> = list.into_iter().collect();
            let mut bytes = Vec::new();
            encode_with(array_max, &list, &mut bytes);
            let words = aligned(&bytes);
            let (postings, _) = Postings::read(bytemuck::cast_slice(&words));
            let asked: Vec<u32> = asked.into_iter().collect();
            let lows: Vec<u16> = asked.iter().map(|&doc| doc as u16).collect();
            let mut chunks: Vec<ChunkPlaces> = Vec::new();
            for here in asked.chunk_by(|a, b| a >> 16 == b >> 16) {
                let start = chunks.last().map_or(0, |(_, places)| places.end);
                chunks.push(((here[0] >> 16) as u16, start..start + here.len()));
            }
            let byte = |at: usize| (at % 251) as u8;
            let bytes: Vec<u8> = (0..list.len()).map(byte).collect();
            let mut found = Vec::new();
            for_each_byte(&postings, &bytes, &chunks, &lows, |number, byte| found.push((number, byte)));
            let place = |number: usize| list.binary_search(&asked[number]).ok();
            let expected: Vec<(usize, u8)> = (0..asked.len())
                .filter_map(|number| Some((number, byte(place(number)?))))
                .collect();
            prop_assert_eq!(found, expected);
            for &doc in &asked {
                prop_assert_eq!(postings.place_of(DocId(doc)), list.binary_search(&doc).ok());
            }
        }
    }
}
