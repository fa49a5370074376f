//! The longest symbol that a text begins with, looked for in several texts at a time.
//!
//! The length is found by a binary search: do the first 9 bytes begin any symbol, the first 5 or 13, and so on. What
//! such a search can ask for and find is a *marker*; it knows the longest symbol that it begins with itself, so that
//! the last marker found is the answer (Waldvogel, Varghese, Turner, Plattner: "Scalable high speed IP routing
//! lookups", 1997). Markers lie in a table where each has a place of its own (Belazzougui, Botelho, Dietzfelbinger:
//! "Hash, displace, and compress", 2009), so that no question is asked twice.
//!
//! Four questions, each a load that the next one waits for, are slow: 87 ns a symbol, of 6.6 bytes on average. But
//! nothing in them is a branch, and texts wait beside each other: 46 ns for two at a time, 29 for four, 27 for six and
//! 34 for eight. Looking into a table of prefixes of 4 and 8 bytes and trying the lengths that occur takes 60, the
//! tables of the `onpair` crate 52: both are told by branches that nobody can foresee.

use super::{Encoded, Rendered};
use crate::snapshot::symbols::SYMBOL_BYTES_MAX;
use onpair::Token;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::hint::select_unpredictable;

/// How many texts are looked at together.
pub const LANES: usize = 6;

/// By how much a search goes on where it found something. It begins with one byte, which always is a symbol.
const STEPS: [usize; 4] = [8, 4, 2, 1];

/// What halves of prefixes, and lengths, are multiplied by: odd numbers with ones and zeros all over.
const LOW_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
const HIGH_FACTOR: u64 = 0xd6e8_feb8_6659_fd93;
const LEN_FACTOR: u64 = 0xa076_1d64_78bd_642f;

/// The bytes of a window before each length.
const MASKS: [u128; SYMBOL_BYTES_MAX + 1] = {
    let mut masks = [0; SYMBOL_BYTES_MAX + 1];
    let mut len = 1;
    while len <= SYMBOL_BYTES_MAX {
        masks[len] = u128::MAX >> (8 * (SYMBOL_BYTES_MAX - len));
        len += 1;
    }
    masks
};

/// The longest symbol of a prefix in the low half, that symbol's length above it, and in the high half what tells the
/// prefix from others, never 0.
#[derive(Clone, Copy)]
struct Marker(u64);

impl Marker {
    /// None has this tag.
    const NONE: Marker = Marker(0);

    fn new(hash: u64, symbol: Token, len: usize) -> Marker {
        Marker(Marker::tag(hash) << 32 | (len as u64) << 16 | u64::from(symbol))
    }

    #[inline]
    fn tag(hash: u64) -> u64 {
        hash >> 32 | 1
    }

    #[inline]
    fn is_of(self, hash: u64) -> bool {
        self.0 >> 32 == Marker::tag(hash)
    }

    #[inline]
    fn symbol(self) -> Token {
        self.0 as Token
    }

    #[inline]
    fn len(self) -> usize {
        usize::from((self.0 >> 16) as u8)
    }
}

/// The first bytes of a text, with zeros behind them, and how many they are.
type Prefix = (u128, usize);

/// Finds the longest symbol that a text begins with.
pub struct LongestPrefix {
    symbols: BTreeMap<Prefix, Token>,
    /// The symbols by number, padded with zeros.
    texts: Vec<u128>,
    /// The marker of each single byte.
    bytes: Vec<Marker>,
    markers: Table,
}

impl LongestPrefix {
    /// Finds these symbols, which differ; each byte is one of them.
    pub fn new(symbols: &[&[u8]]) -> LongestPrefix {
        let texts: Vec<u128> = symbols.iter().map(|symbol| window(symbol, 0)).collect();
        let lens = symbols.iter().map(|symbol| symbol.len());
        let symbols: BTreeMap<Prefix, Token> = texts.iter().copied().zip(lens).zip(0..).collect();
        let mut prefixes: BTreeMap<Prefix, (Token, usize)> = BTreeMap::new();
        for &(text, symbol_len) in symbols.keys() {
            let mut len = 1;
            for step in STEPS {
                if len + step <= symbol_len {
                    len += step;
                    let prefix = (text & MASKS[len], len);
                    prefixes.entry(prefix).or_insert_with(|| longest(&symbols, prefix));
                }
            }
        }
        let byte = |byte| Marker::new(0, longest(&symbols, (byte, 1)).0, 1);
        let bytes = (0..=u8::MAX).map(u128::from).map(byte).collect();
        LongestPrefix { symbols, texts, bytes, markers: Table::new(&prefixes) }
    }

    /// Writes each document in the longest symbols, from its beginning, in place of what `out` holds.
    pub fn encode(&self, documents: &Rendered, out: &mut Encoded) {
        let Encoded { codes, offsets, lanes: codes_of_lanes } = out;
        let Rendered { bytes, ends } = documents;
        codes.clear();
        offsets.clear();
        offsets.resize(ends.len() + 1, 0);
        // Shares of as many bytes, so that lanes end together.
        let mut document = 0;
        let mut lanes: [Lane; LANES] = std::array::from_fn(|lane| {
            let share = bytes.len() * (lane + 1) / LANES;
            let documents = document..ends.partition_point(|&end| end <= share).max(document);
            document = documents.end;
            Lane::new(documents, ends)
        });
        codes_of_lanes.iter_mut().for_each(Vec::clear);
        lanes.iter_mut().for_each(|lane| lane.skip_to_text(ends, 0, offsets));
        while lanes.iter().all(|lane| lane.at < lane.end) {
            let windows = lanes.each_ref().map(|lane| window(bytes, lane.at));
            let found = self.find(windows, lanes.each_ref().map(|lane| lane.end - lane.at));
            for ((lane, codes), found) in lanes.iter_mut().zip(&mut *codes_of_lanes).zip(found) {
                codes.push(found.symbol());
                lane.at += found.len();
                lane.skip_to_text(ends, codes.len(), offsets);
            }
        }
        for (lane, codes) in lanes.iter_mut().zip(&mut *codes_of_lanes) {
            while lane.at < lane.end {
                let [found] = self.find([window(bytes, lane.at)], [lane.end - lane.at]);
                codes.push(found.symbol());
                lane.at += found.len();
                lane.skip_to_text(ends, codes.len(), offsets);
            }
        }
        for (lane, of_lane) in lanes.iter().zip(codes_of_lanes) {
            let before = codes.len() as u64;
            offsets[lane.first + 1..=lane.last].iter_mut().for_each(|offset| *offset += before);
            codes.extend_from_slice(of_lane);
        }
    }

    /// The longest symbol at the beginning of each window, of at most as many bytes as are `left`; at least one is.
    #[inline]
    fn find<const N: usize>(&self, windows: [u128; N], left: [usize; N]) -> [Marker; N] {
        let mut found = windows.map(|window| self.bytes[usize::from(window as u8)]);
        let mut lens = [1; N];
        for step in STEPS {
            for at in 0..N {
                let len = lens[at] + step;
                let hash = self.markers.hash(windows[at], len);
                let marker = self.markers.at(hash);
                let is_found = marker.is_of(hash) & (len <= left[at]);
                found[at] = select_unpredictable(is_found, marker, found[at]);
                lens[at] = select_unpredictable(is_found, len, lens[at]);
            }
        }
        for at in 0..N {
            // Once in some billion questions, what is no marker looks like one. Where its symbol fits nonetheless, a
            // longer one may have been missed, which costs a code.
            if self.texts[usize::from(found[at].symbol())] != windows[at] & MASKS[found[at].len()] {
                found[at] = self.try_all(windows[at], left[at]);
            }
        }
        found
    }

    #[cold]
    fn try_all(&self, window: u128, left: usize) -> Marker {
        let (symbol, len) = longest(&self.symbols, (window, left.min(SYMBOL_BYTES_MAX)));
        Marker::new(0, symbol, len)
    }
}

/// The longest symbol that a prefix begins with, and its length.
fn longest(symbols: &BTreeMap<Prefix, Token>, (window, len): Prefix) -> (Token, usize) {
    let symbol = |len: usize| Some((*symbols.get(&(window & MASKS[len], len))?, len));
    (1..=len).rev().find_map(symbol).expect("each byte is a symbol")
}

/// Consecutive documents that are encoded one after the other.
struct Lane {
    first: usize,
    last: usize,
    /// The one at hand, and its rest.
    document: usize,
    at: usize,
    end: usize,
}

impl Lane {
    fn new(documents: std::ops::Range<usize>, ends: &[usize]) -> Lane {
        let at = documents.start.checked_sub(1).map_or(0, |before| ends[before]);
        let end = if documents.is_empty() { at } else { ends[documents.start] };
        Lane { first: documents.start, last: documents.end, document: documents.start, at, end }
    }

    /// Where the document at hand has no rest, goes on with the next one that is not empty, if there is one, after
    /// `codes` codes of this lane.
    fn skip_to_text(&mut self, ends: &[usize], codes: usize, offsets: &mut [u64]) {
        while self.at == self.end && self.document < self.last {
            self.document += 1;
            offsets[self.document] = codes as u64;
            if self.document < self.last {
                self.end = ends[self.document];
            }
        }
    }
}

/// The bytes from `at` on, the first of them lowest, with zeros behind the last.
#[inline]
fn window(bytes: &[u8], at: usize) -> u128 {
    let rest = &bytes[at..];
    match rest.first_chunk() {
        Some(window) => u128::from_le_bytes(*window),
        None => {
            let mut window = [0; SYMBOL_BYTES_MAX];
            window[..rest.len()].copy_from_slice(rest);
            u128::from_le_bytes(window)
        }
    }
}

/// Markers, each at the place that its hash and the displacement of its bucket say.
struct Table {
    seed: u64,
    displacements: Vec<u16>,
    markers: Vec<Marker>,
}

impl Table {
    fn new(prefixes: &BTreeMap<Prefix, (Token, usize)>) -> Table {
        // Where two hashes agree in all that says their places, only another seed tells them apart.
        (0..).find_map(|seed| Table::with_seed(prefixes, seed)).expect("some seed tells them apart")
    }

    fn with_seed(prefixes: &BTreeMap<Prefix, (Token, usize)>, seed: u64) -> Option<Table> {
        let places = (prefixes.len() + prefixes.len() / 5).next_power_of_two();
        let mut table = Table {
            seed,
            displacements: vec![0; (prefixes.len() / 4).next_power_of_two()],
            markers: vec![Marker::NONE; places],
        };
        let mut buckets = vec![Vec::new(); table.displacements.len()];
        for (&(prefix, prefix_len), &(symbol, len)) in prefixes {
            let hash = table.hash(prefix, prefix_len);
            buckets[table.bucket(hash)].push((hash, Marker::new(hash, symbol, len)));
        }
        let mut by_len: Vec<usize> = (0..buckets.len()).collect();
        by_len.sort_by_key(|&bucket| Reverse(buckets[bucket].len()));
        for bucket in by_len {
            let markers = &buckets[bucket];
            let displacement = (0..=u16::MAX).find(|&displacement| {
                let place = |&(hash, _): &(u64, Marker)| table.place(hash, displacement);
                let is_free = |(at, marker): (usize, &(u64, Marker))| {
                    table.markers[place(marker)].0 == Marker::NONE.0
                        && markers[..at].iter().all(|before| place(before) != place(marker))
                };
                markers.iter().enumerate().all(is_free)
            })?;
            table.displacements[bucket] = displacement;
            for &(hash, marker) in markers {
                let place = table.place(hash, displacement);
                table.markers[place] = marker;
            }
        }
        Some(table)
    }

    /// Of the first `len` bytes. The halves of 64 bits say the place and the tag. The seed changes both factors, so
    /// that prefixes chosen to have one hash have it with one seed.
    #[inline]
    fn hash(&self, window: u128, len: usize) -> u64 {
        let prefix = window & MASKS[len];
        let low = (prefix as u64).wrapping_mul(LOW_FACTOR + 2 * self.seed);
        let high = ((prefix >> 64) as u64).wrapping_mul(HIGH_FACTOR + 2 * self.seed);
        let hash = low ^ high.rotate_left(32) ^ (len as u64).wrapping_mul(LEN_FACTOR);
        let hash = (hash ^ hash >> 32).wrapping_mul(LEN_FACTOR);
        hash ^ hash >> 32
    }

    #[inline]
    fn bucket(&self, hash: u64) -> usize {
        (hash >> 48) as usize & (self.displacements.len() - 1)
    }

    #[inline]
    fn place(&self, hash: u64, displacement: u16) -> usize {
        let spread = u64::from(hash as u32).wrapping_mul(2 * u64::from(displacement) + 1);
        (spread >> 16) as usize & (self.markers.len() - 1)
    }

    /// What stands where a prefix of this hash would.
    #[inline]
    fn at(&self, hash: u64) -> Marker {
        self.markers[self.place(hash, self.displacements[self.bucket(hash)])]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// These symbols, and each byte.
    fn with_bytes(symbols: Vec<String>) -> Vec<Vec<u8>> {
        let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
        let symbols =
            symbols.into_iter().map(String::into_bytes).filter(|symbol| !symbol.is_empty());
        bytes.chain(symbols).collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn rendered(texts: &[String]) -> Rendered {
        let mut documents = Rendered::default();
        for text in texts {
            documents.bytes.extend(text.as_bytes());
            documents.ends.push(documents.bytes.len());
        }
        documents
    }

    fn one_by_one(symbols: &[Vec<u8>], mut text: &[u8]) -> Vec<Token> {
        let mut codes = Vec::new();
        while !text.is_empty() {
            let begins = (0..).zip(symbols).filter(|(_, symbol)| text.starts_with(symbol));
            let (code, symbol) = begins.max_by_key(|(_, symbol)| symbol.len()).unwrap();
            codes.push(code);
            text = &text[symbol.len()..];
        }
        codes
    }

    fn assert_encodes(longest: &LongestPrefix, symbols: &[Vec<u8>], texts: &[String]) {
        let mut encoded = Encoded::default();
        // The second time, what the first left must not show.
        for _ in 0..2 {
            longest.encode(&rendered(texts), &mut encoded);
            assert_eq!(encoded.offsets.len(), texts.len() + 1);
            for (text, range) in texts.iter().zip(encoded.offsets.windows(2)) {
                let codes = &encoded.codes[range[0] as usize..range[1] as usize];
                assert_eq!(codes, one_by_one(symbols, text.as_bytes()), "{text:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn each_symbol_is_the_longest(
            symbols in prop::collection::vec("[ab]{1,16}|[a-d\0]{1,5}|[é ]{1,5}", 0..200),
            texts in prop::collection::vec("[ab]{0,60}|[a-e\0]{0,20}|.{0,30}|[é ]{0,20}", 0..40),
        ) {
            let symbols = with_bytes(symbols);
            let longest = LongestPrefix::new(&symbols.iter().map(|symbol| &**symbol).collect::<Vec<_>>());
            assert_encodes(&longest, &symbols, &texts);
        }
    }

    #[test]
    fn prefixes_of_one_hash_are_told_apart_by_another_seed() {
        let first = *b"a hostile record";
        let halves = |text: &[u8; 16]| {
            let text = u128::from_le_bytes(*text);
            (text as u64, (text >> 64) as u64)
        };
        let high = |high: u64| high.wrapping_mul(HIGH_FACTOR).rotate_left(32);
        // The inverse of an odd number: each step of Newton's doubles the bits that are right.
        let inverse = (0..6).fold(1u64, |inverse, _| {
            inverse.wrapping_mul(2u64.wrapping_sub(LOW_FACTOR.wrapping_mul(inverse)))
        });
        let (first_low, first_high) = halves(&first);
        let second_high = u64::from_le_bytes(*b" request");
        let product = first_low.wrapping_mul(LOW_FACTOR) ^ high(first_high) ^ high(second_high);
        let second_low = product.wrapping_mul(inverse);
        let second = (u128::from(second_high) << 64 | u128::from(second_low)).to_le_bytes();
        let bytes: Vec<[u8; 1]> = (0..=u8::MAX).map(|byte| [byte]).collect();
        let mut symbols: Vec<&[u8]> = bytes.iter().map(|byte| &byte[..]).collect();
        symbols.extend([&first[..], &second[..]]);
        let longest = LongestPrefix::new(&symbols);
        assert_eq!(longest.markers.seed, 1);
        for (symbol, number) in [first, second].into_iter().zip(256..) {
            let [found] = longest.find([window(&symbol, 0)], [16]);
            assert_eq!((found.symbol(), found.len()), (number, 16));
        }
    }

    #[test]
    fn what_looks_like_a_marker_is_none() {
        let symbols = with_bytes(vec!["ab".into(), "abc".into(), "bc".into()]);
        let mut longest =
            LongestPrefix::new(&symbols.iter().map(|symbol| &**symbol).collect::<Vec<_>>());
        let text = "abcabcabcabcabcabc";
        // Nine bytes of it begin no symbol: here is a marker that says they begin with "bc".
        let Table { displacements, markers, .. } = &longest.markers;
        let hash = longest.markers.hash(window(text.as_bytes(), 0), 9);
        let place = longest.markers.place(hash, displacements[longest.markers.bucket(hash)]);
        assert!(!markers[place].is_of(hash));
        let wrong = symbols.iter().position(|symbol| symbol == b"bc").unwrap();
        longest.markers.markers[place] = Marker::new(hash, wrong as Token, 2);
        assert!(longest.markers.at(hash).is_of(hash));
        assert_eq!(longest.find([window(text.as_bytes(), 0)], [text.len()])[0].len(), 3);
        assert_encodes(&longest, &symbols, &[text.into()]);
    }
}
