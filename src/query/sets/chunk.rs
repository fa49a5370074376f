//! The lower halves of one chunk of 65,536 businesses: what plans are evaluated to, one chunk at a
//! time.
//!
//! [`Chunk`] borrow from the mapping or from a [`DocSet`](super::doc_set::DocSet) as long as
//! nothing changes them, so that reading one list costs nothing. Cost of an operation: an array
//! costs its length, a bitmap 8 KiB, whatever it holds; a span nothing.

mod walk;

use crate::simd::{combine, count_ones};
use crate::snapshot::encoding::arrays;
use crate::snapshot::encoding::container::{
    BITMAP_WORDS, Bitmap, Container, StoredWord, StoredWords, append_bits, for_each_bit, is_set,
};
use crate::snapshot::encoding::postings::ARRAY_MAX;
use std::ops::Range;

/// Number of lower halves.
const ALL: u32 = 1 << 16;

/// Fewest that were found by bits and stay bits, if an operation on all of them comes next: it
/// leaves few, and costs less than taking bits apart.
const FOUND_MIN: usize = 256;

/// One bit for every lower half.
pub type Words = [u64; BITMAP_WORDS];

/// Some of the lower halves of a chunk.
#[derive(Clone, Debug)]
pub enum Chunk<'p> {
    /// All from `start` to below `end`.
    Span(Range<u32>),
    /// Sorted, as they lie in a list.
    Slice(&'p [u16]),
    /// Sorted.
    Array(Vec<u16>),
    /// A bitmap of a list, and how many bits are set.
    Words(&'p StoredWords, u32),
    /// A bitmap, and how many bits are set.
    Bitmap(Box<Words>, u32),
}

/// A borrowed view of the chunk.
enum View<'a> {
    Span(&'a Range<u32>),
    Array(&'a [u16]),
    Bitmap(&'a StoredWords, u32),
}

impl<'p> Chunk<'p> {
    /// None.
    pub const NONE: Chunk<'static> = Chunk::Span(0..0);

    /// Lower halves of a container of postings.
    pub fn of(container: Container<'p>) -> Chunk<'p> {
        match container {
            Container::Array(lows) => Chunk::Slice(lows),
            Container::Bitmap(Bitmap { words, count, .. }) => Chunk::Words(words, count),
        }
    }

    /// All of a range of `DocId`s that lie in the chunk `key`.
    pub fn of_range(range: &Range<u32>, key: u16) -> Chunk<'static> {
        let base = u32::from(key) << 16;
        let low = |doc: u32| doc.saturating_sub(base).min(ALL);
        Chunk::Span(low(range.start)..low(range.end).max(low(range.start)))
    }

    fn view(&self) -> View<'_> {
        match self {
            Chunk::Span(range) => View::Span(range),
            Chunk::Slice(lows) => View::Array(lows),
            Chunk::Array(lows) => View::Array(lows),
            Chunk::Words(words, count) => View::Bitmap(words, *count),
            Chunk::Bitmap(words, count) => View::Bitmap(bytemuck::cast_ref(&**words), *count),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self.view() {
            View::Span(range) => range.len(),
            View::Array(lows) => lows.len(),
            View::Bitmap(_, count) => count as usize,
        }
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Is `low` among them?
    pub fn contains(&self, low: u16) -> bool {
        match self.view() {
            View::Span(range) => range.contains(&u32::from(low)),
            View::Array(lows) => lows.binary_search(&low).is_ok(),
            View::Bitmap(words, _) => is_set(words, low),
        }
    }

    /// Lower halves in both.
    pub fn and(&self, other: &Chunk<'p>) -> Chunk<'p> {
        self.shared(other, ARRAY_MAX)
    }

    /// Lower halves in both, to be intersected further: what two bitmaps share stays one, as long
    /// as it is not of few.
    pub fn and_on(&self, other: &Chunk<'p>) -> Chunk<'p> {
        self.shared(other, FOUND_MIN)
    }

    /// Lower halves in both; what bitmaps share is an array up to `array_max`.
    fn shared(&self, other: &Chunk<'p>, array_max: usize) -> Chunk<'p> {
        match (self.view(), other.view()) {
            (View::Span(range), View::Span(others)) => {
                let start = range.start.max(others.start);
                Chunk::Span(start..range.end.min(others.end).max(start))
            }
            (View::Span(range), _) => other.within(range),
            (_, View::Span(range)) => self.within(range),
            (View::Array(a), View::Array(b)) => Chunk::Array(arrays::intersect(a, b)),
            (View::Array(lows), View::Bitmap(words, _))
            | (View::Bitmap(words, _), View::Array(lows)) => {
                Chunk::Array(compact(lows, |low| is_set(words, low)))
            }
            (View::Bitmap(a, _), View::Bitmap(b, _)) => {
                let count = count_ones(shared_words(a, b));
                if count > array_max {
                    let mut words = to_words(a);
                    combine(&mut *words, words_of(b), |word, other| word & other);
                    return Chunk::Bitmap(words, count as u32);
                }
                let word = |at: usize| u64::from_le_bytes(a[at]) & u64::from_le_bytes(b[at]);
                let mut both = Vec::new();
                append_bits(word, count, &mut both);
                Chunk::Array(both)
            }
        }
    }

    /// How many are in both; nothing is written.
    pub fn and_len(&self, other: &Chunk<'_>) -> usize {
        match (self.view(), other.view()) {
            (View::Array(a), View::Array(b)) => {
                let mut count = 0;
                arrays::for_each_shared(a, b, |_| count += 1);
                count
            }
            (View::Array(lows), View::Bitmap(words, _))
            | (View::Bitmap(words, _), View::Array(lows)) => {
                lows.iter().map(|&low| usize::from(is_set(words, low))).sum()
            }
            (View::Bitmap(a, _), View::Bitmap(b, _)) => count_ones(shared_words(a, b)),
            (View::Span(range), _) => other.len_within(range),
            (_, View::Span(range)) => self.len_within(range),
        }
    }

    /// Lower halves not in `other`.
    pub fn and_not(&self, other: &Chunk<'_>) -> Chunk<'p> {
        if other.is_empty() || self.is_empty() {
            return self.clone();
        }
        match (self.view(), other.view()) {
            (View::Array(lows), View::Array(others)) => {
                Chunk::Array(arrays::subtract(lows, others))
            }
            (View::Array(lows), _) => Chunk::Array(compact(lows, |low| !other.contains(low))),
            (_, View::Array(others)) => {
                let mut words = self.to_words();
                others.iter().for_each(|&low| words[usize::from(low >> 6)] &= !bit(low));
                Chunk::of_words(words)
            }
            (_, View::Span(range)) => {
                let mut words = self.to_words();
                clear(&mut words, range);
                Chunk::of_words(words)
            }
            (_, View::Bitmap(others, _)) => {
                let mut words = self.to_words();
                combine(&mut *words, words_of(others), |word, other| word & !other);
                Chunk::of_words(words)
            }
        }
    }

    /// Lower halves in either.
    pub fn or(self, other: Chunk<'p>) -> Chunk<'p> {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        if let (View::Array(a), View::Array(b)) = (self.view(), other.view())
            && a.len() + b.len() <= ARRAY_MAX
        {
            return Chunk::Array(arrays::merge(a, b));
        }
        let (few, many) = if self.len() <= other.len() { (self, other) } else { (other, self) };
        let mut words = match many {
            Chunk::Bitmap(words, _) => words,
            many => many.to_words(),
        };
        few.or_into(&mut words);
        Chunk::of_words(words)
    }

    /// Lower halves of a range.
    pub fn within(&self, range: &Range<u32>) -> Chunk<'p> {
        if range.start == 0 && range.end == ALL {
            return self.clone();
        }
        match self {
            Chunk::Span(own) => {
                let start = own.start.max(range.start);
                Chunk::Span(start..own.end.min(range.end).max(start))
            }
            Chunk::Slice(lows) => Chunk::Slice(&lows[places(lows, range)]),
            Chunk::Array(lows) => Chunk::Array(lows[places(lows, range)].to_vec()),
            Chunk::Words(words, _) => within_words(words, range),
            Chunk::Bitmap(words, _) => within_words(bytemuck::cast_ref(&**words), range),
        }
    }

    fn len_within(&self, range: &Range<u32>) -> usize {
        match self.view() {
            View::Span(own) => own.start.max(range.start)..own.end.min(range.end),
            View::Array(lows) => {
                let places = places(lows, range);
                places.start as u32..places.end as u32
            }
            View::Bitmap(words, count) => {
                if range.start == 0 && range.end == ALL {
                    0..count
                } else {
                    0..(rank(words, range.end) - rank(words, range.start.min(range.end)))
                }
            }
        }
        .len()
    }

    /// Lower halves that `is_wanted` says.
    pub fn filter(&self, mut is_wanted: impl FnMut(u16) -> bool) -> Chunk<'static> {
        let mut lows = Vec::new();
        self.for_each(|low| {
            if is_wanted(low) {
                lows.push(low);
            }
        });
        Chunk::Array(lows)
    }

    /// All of them, ascending.
    pub fn to_array(&self) -> Vec<u16> {
        let mut all = Vec::new();
        self.append_to(&mut all);
        all
    }

    /// Appends all of them, ascending.
    pub fn append_to(&self, all: &mut Vec<u16>) {
        match self.view() {
            View::Span(range) => all.extend(range.clone().map(|low| low as u16)),
            View::Array(lows) => all.extend_from_slice(lows),
            View::Bitmap(words, count) => {
                append_bits(|at| u64::from_le_bytes(words[at]), count as usize, all);
            }
        }
    }

    /// Calls `visit` with all of them, ascending.
    pub fn for_each(&self, mut visit: impl FnMut(u16)) {
        match self.view() {
            View::Span(range) => range.clone().for_each(|low| visit(low as u16)),
            View::Array(lows) => Container::Array(lows).for_each(visit),
            View::Bitmap(words, _) => for_each_bit(words_of(words), visit),
        }
    }

    /// Sets the bits of all of them.
    pub fn or_into(&self, words: &mut Words) {
        match self.view() {
            View::Span(range) => set(words, range),
            View::Array(lows) => {
                lows.iter().for_each(|&low| words[usize::from(low >> 6)] |= bit(low));
            }
            View::Bitmap(others, _) => {
                combine(words, words_of(others), |word, other| word | other);
            }
        }
    }

    fn to_words(&self) -> Box<Words> {
        match self.view() {
            View::Bitmap(words, _) => to_words(words),
            _ => {
                let mut words = Box::new([0; BITMAP_WORDS]);
                self.or_into(&mut words);
                words
            }
        }
    }

    /// A bitmap, or an array if few bits are set.
    pub fn of_words(words: Box<Words>) -> Chunk<'static> {
        let count = count_ones(words.iter().copied()) as u32;
        let bitmap = Chunk::Bitmap(words, count);
        if count as usize > ARRAY_MAX {
            return bitmap;
        }
        Chunk::Array(bitmap.to_array())
    }
}

#[inline]
fn bit(low: u16) -> u64 {
    1 << (low & 63)
}

/// The words of a bitmap, or of a part of one.
#[inline]
fn words_of(words: &[StoredWord]) -> impl Iterator<Item = u64> {
    words.iter().map(|&word| u64::from_le_bytes(word))
}

#[inline]
fn shared_words(a: &StoredWords, b: &StoredWords) -> impl Iterator<Item = u64> {
    words_of(a).zip(words_of(b)).map(|(a, b)| a & b)
}

fn to_words(words: &StoredWords) -> Box<Words> {
    Box::new(words.map(u64::from_le_bytes))
}

/// Lower halves of an array that `is_wanted` says. Writes all of them, each over the last one that
/// is not wanted: where what is asked is not in the cache, no guess at the answer can be wrong, and
/// the next questions need not wait.
#[inline]
fn compact(lows: &[u16], is_wanted: impl Fn(u16) -> bool) -> Vec<u16> {
    let mut kept = vec![0; lows.len()];
    let mut len = 0;
    for &low in lows {
        kept[len] = low;
        len += usize::from(is_wanted(low));
    }
    kept.truncate(len);
    kept
}

/// Where in an array the lower halves of a range stand.
fn places(lows: &[u16], range: &Range<u32>) -> Range<usize> {
    let start = lows.partition_point(|&low| u32::from(low) < range.start);
    let end = lows.partition_point(|&low| u32::from(low) < range.end);
    start..end.max(start)
}

/// How many bits below `end` are set.
fn rank(words: &StoredWords, end: u32) -> u32 {
    let whole = end as usize >> 6;
    let ones = count_ones(words_of(&words[..whole])) as u32;
    let last = words.get(whole).map_or(0, |&word| u64::from_le_bytes(word));
    ones + (last & ((1 << (end & 63)) - 1)).count_ones()
}

fn within_words(words: &StoredWords, range: &Range<u32>) -> Chunk<'static> {
    let mut kept = Box::new([0; BITMAP_WORDS]);
    let (first, last) = (range.start as usize >> 6, (range.end as usize).div_ceil(64));
    if first < last {
        for (kept, word) in kept[first..last].iter_mut().zip(words_of(&words[first..last])) {
            *kept = word;
        }
    }
    clear(&mut kept, &(0..range.start));
    clear(&mut kept, &(range.end..ALL));
    Chunk::of_words(kept)
}

/// The parts of a range that lie in one word each: the word's place, and the bits.
fn masks(range: &Range<u32>) -> impl Iterator<Item = (usize, u64)> {
    let (start, end) = (range.start, range.end);
    (start >> 6..if start < end { ((end - 1) >> 6) + 1 } else { start >> 6 }).map(move |at| {
        let from = start.max(at * 64) - at * 64;
        let to = end.min(at * 64 + 64) - at * 64;
        (at as usize, (u64::MAX >> (64 - (to - from))) << from)
    })
}

fn clear(words: &mut Words, range: &Range<u32>) {
    masks(range).for_each(|(at, mask)| words[at] &= !mask);
}

fn set(words: &mut Words, range: &Range<u32>) {
    masks(range).for_each(|(at, mask)| words[at] |= mask);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use roaring::RoaringBitmap;

    /// Sets with sparse, dense and full stretches.
    fn sets() -> impl Strategy<Value = RoaringBitmap> {
        let stretch = (0u32..65_536, 0u32..20_000, 1u32..40)
            .prop_map(|(start, len, step)| (start..(start + len).min(ALL)).step_by(step as usize));
        proptest::collection::vec(stretch, 0..4)
            .prop_map(|parts| parts.into_iter().flatten().collect())
    }

    /// The set in every shape that can hold it.
    fn shapes(set: &RoaringBitmap) -> Vec<Chunk<'static>> {
        let array: Vec<u16> = set.iter().map(|low| low as u16).collect();
        let mut words = Box::new([0u64; BITMAP_WORDS]);
        array.iter().for_each(|&low| words[usize::from(low >> 6)] |= bit(low));
        // Behind an odd number of lower halves, as in a Roaring bitmap.
        let behind = [&[0; 2], words.map(u64::to_le_bytes).as_flattened()].concat();
        let shared = bytemuck::cast_slice(&behind.leak()[2..]).try_into().expect("all words");
        let count = array.len() as u32;
        let mut shapes = vec![
            Chunk::Slice(Box::leak(array.clone().into_boxed_slice())),
            Chunk::Words(shared, count),
            Chunk::Bitmap(words, count),
        ];
        if let (Some(first), Some(last)) = (set.min(), set.max())
            && u64::from(last - first) + 1 == set.len()
        {
            shapes.push(Chunk::Span(first..last + 1));
        }
        shapes.push(Chunk::Array(array));
        shapes
    }

    fn all(lows: &Chunk<'_>) -> RoaringBitmap {
        let mut all = Vec::new();
        lows.for_each(|low| all.push(u32::from(low)));
        assert_eq!(all.len(), lows.len());
        RoaringBitmap::from_sorted_iter(all).expect("they ascend")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn operations_are_those_of_sets(a in sets(), b in sets(), span in (0u32..=ALL, 0u32..=ALL)) {
            let span = span.0.min(span.1)..span.0.max(span.1);
            let in_span: RoaringBitmap = span.clone().collect();
            for (x, y) in [(&a, &b), (&a, &in_span), (&in_span, &b)] {
                for lows in shapes(x) {
                    for others in shapes(y) {
                        prop_assert_eq!(all(&lows.and(&others)), x & y);
                        prop_assert_eq!(all(&lows.and_on(&others)), x & y);
                        prop_assert_eq!(lows.and_len(&others) as u64, x.intersection_len(y));
                        prop_assert_eq!(all(&lows.and_not(&others)), x - y);
                        prop_assert_eq!(all(&lows.clone().or(others)), x | y);
                    }
                    prop_assert_eq!(all(&lows.within(&span)), x & &in_span);
                    prop_assert_eq!(all(&lows.filter(|low| y.contains(low.into()))), x & y);
                    for probe in [0, 63, 64, 30_000, 65_535, span.start, span.end] {
                        let low = probe.min(ALL - 1) as u16;
                        prop_assert_eq!(lows.contains(low), x.contains(low.into()));
                        let (mut up, mut down) = (lows.place_of(probe), lows.place_of(probe));
                        let ahead = std::iter::from_fn(|| lows.next(&mut up).map(u32::from));
                        prop_assert!(ahead.eq(x.range(probe..)));
                        let behind = std::iter::from_fn(|| lows.previous(&mut down).map(u32::from));
                        prop_assert!(behind.eq(x.range(..probe).rev()));
                    }
                }
            }
        }
    }
}
