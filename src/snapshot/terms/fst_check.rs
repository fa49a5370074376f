//! Proof that an fst can be walked: its nodes are whole, every way leads down, and each value is
//! the ordinal of its key.
//!
//! The `fst` crate trusts its bytes. On others it reads beyond a node and panics, or walks more
//! ways than any file has keys; its own checksum does not tell a file that was made so. Walking all
//! keys to find out falls into the same pits.
//!
//! So the nodes are read here, each twice, in the order of the file. Downwards, from the root at
//! its end, every node is taken to end where the one above begins, and must hold all of its parts.
//! Upwards, the keys below each node are counted: what a way adds to the value is the number of
//! keys on the ways before it, since keys are numbered in their order. A way that leads nowhere, to
//! the middle of a node, or twice to the same letter is refused.
//!
//! ```text
//! FST   := 3 (u64), TYPE (u64), NODE*, KEYS (u64), ROOT (u64), CHECKSUM (u32)
//! NODE  := NEXT | ONE | ANY, each read from its last byte, at which it is found
//! NEXT  := INPUT?, 0b11 << 6 | COMMON                                  one way, to the node before this one
//! ONE   := OUT^o, DELTA^t, SIZES, INPUT?, 0b10 << 6 | COMMON           one way
//! ANY   := FINAL^o if final, (OUT^o)^n, (DELTA^t)^n, INPUT^n, INDEX^256 if n > 32, SIZES, COUNT?,
//!          final << 6 | n                                              n ways, last way first
//! SIZES := t << 4 | o
//! ```
//!
//! INPUT is there if COMMON is 0, COUNT if n in the last byte is 0. DELTA is the distance to the
//! first byte of the node, or 0 for the end of a key, which is a node of no bytes.

/// Bytes before the first node.
const HEAD: usize = 16;

/// Bytes behind the last node.
const FOOT: usize = 20;

/// The version of the format that this program writes and reads.
const VERSION: u64 = 3;

/// Fewest ways of a node that has an index.
const INDEXED_MIN: usize = 33;

/// Bytes of the largest number.
const NUMBER_BYTES: usize = 8;

/// A number of `len` bytes, at most eight. Reads eight, whatever the length: behind every node as
/// many follow.
#[inline]
fn number(bytes: &[u8], at: usize, len: usize) -> u64 {
    let eight = bytes[at..at + NUMBER_BYTES].try_into().expect("they are eight");
    let unused = (NUMBER_BYTES - len) as u32 * 8;
    u64::from_le_bytes(eight) & u64::MAX.checked_shr(unused).unwrap_or(0)
}

/// A way from a node.
struct Way {
    /// What it adds to the value of a key.
    out: u64,
    /// The node that it leads to, 0 for the end of a key.
    to: usize,
    is_comma: bool,
}

/// What lies `len` bytes before `from`, if that is not before the first node.
#[inline]
fn back(from: usize, len: usize) -> Option<usize> {
    from.checked_sub(len).filter(|&to| to >= HEAD)
}

/// The node that lies `delta` before the one that begins at `start`; `None` if none can.
#[inline]
fn target(start: usize, delta: u64) -> Option<usize> {
    if delta == 0 { Some(0) } else { back(start, usize::try_from(delta).ok()?) }
}

/// The lengths of deltas and outs, if they are those of numbers.
#[inline]
fn lens(sizes: u8) -> Option<(usize, usize)> {
    let (delta_len, out_len) = (usize::from(sizes >> 4), usize::from(sizes & 15));
    ((1..=NUMBER_BYTES).contains(&delta_len) && out_len <= NUMBER_BYTES)
        .then_some((delta_len, out_len))
}

/// If a node that ends with `last` is NEXT: how many letters stand before that.
#[inline]
fn next_letters(last: u8) -> Option<usize> {
    (last >> 6 == 0b11).then_some(usize::from(last & 0x3f == 0))
}

/// ONE, read.
struct One {
    /// Its first byte.
    start: usize,
    way: Way,
}

impl One {
    /// Is the node that ends with `last` ONE?
    #[inline]
    fn is_it(last: u8) -> bool {
        last >> 6 == 0b10
    }

    /// The node that ends with the byte `at`, which is not before the first node, and the end of a
    /// ONE.
    #[inline]
    fn read(bytes: &[u8], at: usize) -> Option<One> {
        // A comma is none of the common letters.
        let has_letter = bytes[at] & 0x3f == 0;
        let sizes = back(at, 1 + usize::from(has_letter))?;
        let (delta_len, out_len) = lens(bytes[sizes])?;
        let start = back(sizes, delta_len + out_len)?;
        let to = target(start, number(bytes, start + out_len, delta_len))?;
        let out = number(bytes, start, out_len);
        let is_comma = has_letter && bytes[at - 1] == b',';
        Some(One { start, way: Way { out, to, is_comma } })
    }
}

/// ANY, read: the places of its parts.
struct Any {
    /// Its first byte.
    start: usize,
    is_final: bool,
    /// Where the letters of its ways stand, last way first.
    letters: usize,
    len: usize,
    deltas: usize,
    delta_len: usize,
    outs: usize,
    out_len: usize,
}

impl Any {
    /// The node that ends with the byte `at`, which is not before the first node, and the end of an
    /// ANY.
    #[inline]
    fn read(bytes: &[u8], at: usize) -> Option<Any> {
        let state = bytes[at];
        let sizes = back(at, 1 + usize::from(state & 0x3f == 0))?;
        let (delta_len, out_len) = lens(bytes[sizes])?;
        let len = match state & 0x3f {
            // One way would stand in the last byte.
            0 if bytes[at - 1] == 1 => 256,
            0 => usize::from(bytes[at - 1]),
            len => usize::from(len),
        };
        let index_len = if len < INDEXED_MIN { 0 } else { 256 };
        let letters = back(sizes, index_len + len)?;
        let deltas = back(letters, len * delta_len)?;
        let outs = back(deltas, len * out_len)?;
        let is_final = state >> 6 == 0b01;
        let start = if is_final { back(outs, out_len)? } else { outs };
        let is_sorted = inputs_ascend(&bytes[letters..sizes], len);
        let node = Any { start, is_final, letters, len, deltas, delta_len, outs, out_len };
        (len > 0 && is_sorted).then_some(node)
    }

    /// Calls `visit` with each way; `None` if one leads to where no node below is, or `visit` said
    /// so.
    #[inline]
    fn each_way(&self, bytes: &[u8], mut visit: impl FnMut(Way) -> Option<()>) -> Option<()> {
        let &Any { start, letters, len, deltas, delta_len, outs, out_len, .. } = self;
        for way in (0..len).rev() {
            let out = number(bytes, outs + way * out_len, out_len);
            let to = target(start, number(bytes, deltas + way * delta_len, delta_len))?;
            visit(Way { out, to, is_comma: bytes[letters + way] == b',' })?;
        }
        Some(())
    }

    /// What ending at this node adds to the value of the key.
    fn final_out(&self, bytes: &[u8]) -> u64 {
        if self.is_final { number(bytes, self.start, self.out_len) } else { 0 }
    }
}

/// Do the letters of the ways ascend, and does the index behind them, if there is one, find each?
fn inputs_ascend(bytes: &[u8], len: usize) -> bool {
    let (inputs, index) = bytes.split_at(len);
    let found = |(place, &input): (usize, &u8)| usize::from(index[usize::from(input)]) == place;
    inputs.windows(2).all(|pair| pair[0] > pair[1])
        && (index.is_empty()
            || inputs.iter().rev().enumerate().all(found)
                && index.iter().filter(|&&place| usize::from(place) < len).count() == len)
}

/// Some bytes of the file, and of each how many come before.
struct Places {
    words: Vec<u64>,
    before: Vec<u32>,
}

impl Places {
    fn none(len: usize) -> Places {
        Places { words: vec![0; len.div_ceil(64)], before: Vec::new() }
    }

    fn add(&mut self, at: usize) {
        self.words[at / 64] |= 1 << (at % 64);
    }

    fn contains(&self, at: usize) -> bool {
        self.words[at / 64] >> (at % 64) & 1 == 1
    }

    /// Counts, once all are added; gives how many there are.
    fn number(&mut self) -> usize {
        let mut before = 0u32;
        let words = self.words.iter();
        self.before = words
            .map(|word| {
                before += word.count_ones();
                before - word.count_ones()
            })
            .collect();
        before as usize
    }

    fn rank(&self, at: usize) -> usize {
        let below = self.words[at / 64] & ((1 << (at % 64)) - 1);
        (self.before[at / 64] + below.count_ones()) as usize
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            let rests = std::iter::successors(Some(word), |rest| Some(rest & (rest - 1)));
            let rests = rests.take(word.count_ones() as usize);
            rests.map(move |rest| at * 64 + rest.trailing_zeros() as usize)
        })
    }
}

/// Proves that `bytes` are an fst whose values are the ordinals of its keys, and which nothing can
/// be looked up in that would panic. Returns the most commas of any key.
///
/// # Errors
/// They are not, and why.
pub(crate) fn check(bytes: &[u8]) -> Result<usize, &'static str> {
    let len = bytes.len();
    if len < HEAD + FOOT || number(bytes, 0, NUMBER_BYTES) != VERSION {
        return Err("this is no fst of version 3");
    }
    // Places are counted in 32 bits.
    if u32::try_from(len).is_err() {
        return Err("the fst is too large");
    }
    let (keys, root) =
        (number(bytes, len - 20, NUMBER_BYTES), number(bytes, len - 12, NUMBER_BYTES));
    let end = len - FOOT;
    if end == HEAD {
        let is_empty_key = root == 0 && keys == 1;
        return if is_empty_key { Ok(0) } else { Err("the fst has no nodes") };
    }
    if root != end as u64 - 1 {
        return Err("the root of the fst is not its last node");
    }
    // The only node without ways is the root of an fst without keys.
    if bytes[HEAD..end] == [0, 0, 0] {
        return if keys == 0 { Ok(0) } else { Err("the fst has no keys") };
    }
    let (starts, targets) = places(bytes, end).ok_or("a node of the fst is not whole")?;
    if starts.words.iter().zip(&targets.words).any(|(starts, targets)| targets & !starts != 0) {
        return Err("a way of the fst leads into the middle of a node");
    }
    match count(bytes, &starts, targets) {
        Some(below) if u64::from(below.keys) == keys => Ok(usize::from(below.commas)),
        _ => Err("a key of the fst has another value than its ordinal"),
    }
}

/// Where nodes are found, and which of them ways lead to, other than from NEXT to the node before.
fn places(bytes: &[u8], end: usize) -> Option<(Places, Places)> {
    let (mut starts, mut targets) = (Places::none(end), Places::none(end));
    let mut end = end;
    while end > HEAD {
        starts.add(end - 1);
        if let Some(letters) = next_letters(bytes[end - 1]) {
            // There has to be a node before.
            end = (end - 1).checked_sub(letters).filter(|&end| end > HEAD)?;
            continue;
        }
        let mut add = |way: Way| {
            if way.to != 0 {
                targets.add(way.to);
            }
            Some(())
        };
        end = if One::is_it(bytes[end - 1]) {
            let One { start, way } = One::read(bytes, end - 1)?;
            add(way);
            start
        } else {
            let node = Any::read(bytes, end - 1)?;
            node.each_way(bytes, add)?;
            node.start
        };
    }
    Some((starts, targets))
}

/// What the keys are that go on from a node.
#[derive(Clone, Copy)]
struct Below {
    keys: u32,
    /// Most commas.
    commas: u16,
}

impl Below {
    /// With the letter that leads there.
    #[inline]
    fn behind(self, is_comma: bool) -> Below {
        Below { commas: self.commas.saturating_add(u16::from(is_comma)), ..self }
    }
}

/// What keys there are, if the value of each is its ordinal.
fn count(bytes: &[u8], starts: &Places, mut targets: Places) -> Option<Below> {
    let num_targets = targets.number();
    // For each target; apart, since there are millions.
    let (mut keys, mut commas) = (Vec::with_capacity(num_targets), Vec::with_capacity(num_targets));
    let mut before = Below { keys: 0, commas: 0 };
    for at in starts.iter() {
        let last = bytes[at];
        before = if let Some(letters) = next_letters(last) {
            let is_comma = letters == 1 && bytes[at - 1] == b',';
            before.behind(is_comma)
        } else {
            let below = |to: usize| match to {
                0 => Below { keys: 1, commas: 0 },
                to => {
                    let place = targets.rank(to);
                    Below { keys: keys[place], commas: commas[place] }
                }
            };
            if One::is_it(last) {
                let One { way, .. } = One::read(bytes, at)?;
                Some(below(way.to).behind(way.is_comma)).filter(|_| way.out == 0)?
            } else {
                let node = Any::read(bytes, at)?;
                let mut all = Below { keys: u32::from(node.is_final), commas: 0 };
                node.each_way(bytes, |way| {
                    let is_ordinal = way.out == u64::from(all.keys);
                    let below = below(way.to).behind(way.is_comma);
                    all.keys = all.keys.checked_add(below.keys)?;
                    all.commas = all.commas.max(below.commas);
                    is_ordinal.then_some(())
                })?;
                Some(all).filter(|_| node.final_out(bytes) == 0)?
            }
        };
        if targets.contains(at) {
            keys.push(before.keys);
            commas.push(before.commas);
        }
    }
    Some(before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn fst(keys: &BTreeSet<Vec<u8>>) -> Vec<u8> {
        let mut builder = fst::MapBuilder::memory();
        for (ord, key) in (0..).zip(keys) {
            builder.insert(key, ord).unwrap();
        }
        builder.into_inner().unwrap()
    }

    /// Looks at everything there is.
    fn walk(bytes: &[u8]) {
        use fst::Streamer;
        let map = fst::Map::new(bytes).unwrap();
        let mut ord = 0;
        let mut stream = map.stream();
        while let Some((key, value)) = stream.next() {
            assert_eq!(value, ord);
            assert_eq!(map.get(key), Some(ord));
            assert_eq!(map.as_fst().get_key(ord).as_deref(), Some(key));
            ord += 1;
        }
        assert_eq!(ord, map.len() as u64);
    }

    fn keys() -> impl Strategy<Value = BTreeSet<Vec<u8>>> {
        // Few letters share beginnings and ends; any byte makes nodes with an index.
        let key = prop_oneof![
            proptest::collection::vec(prop_oneof![b'a'..b'd', Just(b',')], 0..9),
            proptest::collection::vec(any::<u8>(), 0..3),
        ];
        proptest::collection::btree_set(key, 0..400)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn what_is_built_is_proven_and_what_is_proven_can_be_walked(
            keys in keys(),
            changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 200),
        ) {
            let bytes = fst(&keys);
            let commas = |key: &Vec<u8>| key.iter().filter(|&&letter| letter == b',').count();
            prop_assert_eq!(check(&bytes), Ok(keys.iter().map(commas).max().unwrap_or(0)));
            for (at, byte) in changes {
                let mut bytes = bytes.clone();
                let at = at.index(bytes.len());
                bytes[at] = byte;
                if check(&bytes).is_ok() {
                    walk(&bytes);
                }
            }
            for end in 0..bytes.len() {
                prop_assert!(check(&bytes[..end]).is_err());
            }
        }

        #[test]
        fn any_bytes_are_checked_without_panic(nodes: Vec<u8>) {
            let mut bytes = [&VERSION.to_le_bytes()[..], &[0; 8], &nodes].concat();
            let root = bytes.len() as u64 - 1;
            bytes.extend(1u64.to_le_bytes());
            bytes.extend(root.to_le_bytes());
            bytes.extend([0; 4]);
            if check(&bytes).is_ok() {
                walk(&bytes);
            }
        }
    }

    #[test]
    fn a_node_of_all_letters_is_proven() {
        let keys: BTreeSet<Vec<u8>> = (0..=255).map(|letter| vec![b'x', letter]).collect();
        let bytes = fst(&keys);
        assert_eq!(check(&bytes), Ok(1));
        walk(&bytes);
    }

    #[test]
    fn ways_that_double_at_every_node_are_not_walked() {
        // Two ways from each of 40 nodes to the next: 2^40 keys in a few hundred bytes.
        let mut bytes = [VERSION.to_le_bytes(), [0; 8]].concat();
        for depth in 0..40u32 {
            let out = (1u64 << depth).to_le_bytes();
            let delta = u8::from(depth > 0);
            bytes.extend([&out[..], &[0; 8], &[delta, delta], b"ba", &[1 << 4 | 8, 2]].concat());
        }
        let root = bytes.len() as u64 - 1;
        bytes.extend((1u64 << 40).to_le_bytes());
        bytes.extend(root.to_le_bytes());
        bytes.extend([0; 4]);
        assert!(check(&bytes).is_err());
    }
}
