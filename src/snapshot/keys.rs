//! Keys in an fst, from each to its ordinal.
//!
//! Opening proves that the values are the ordinals of the keys, that all keys are UTF-8, and that walking the fst
//! ends: every node points to nodes before it only, and every path leads to a key. Nodes that keys share are
//! proven once, as far as a small table remembers them: listing all keys would cost five times as much.

use super::error::SnapshotError;
use super::format::SectionKind;
use super::mapped::Section;
use crate::ids::TermOrd;
use fst::raw::{CompiledAddr, Fst, Node};
use rayon::prelude::*;

/// Opens an fst whose values are the ordinals of its keys, and proves that they are. Returns also the most commas in
/// any key.
///
/// # Errors
/// It is not such an fst.
pub(super) fn open_keys(
    kind: SectionKind,
    section: Section,
) -> Result<(fst::Map<Section>, usize), SnapshotError> {
    let damaged = |reason: &dyn std::fmt::Display| SnapshotError::damaged(kind, reason);
    // Its own checksum is not looked at: that of the section has shown that the bytes are those written.
    let keys = fst::Map::new(section).map_err(|error| damaged(&error))?;
    let below = check(keys.as_fst()).map_err(|reason| damaged(&reason))?;
    if below.keys != keys.len() as u64 {
        return Err(damaged(&"there are not as many keys as it says"));
    }
    Ok((keys, below.commas as usize))
}

/// The key with this ordinal.
pub(super) fn key_with_ord(keys: &fst::Map<Section>, ord: TermOrd) -> Option<String> {
    String::from_utf8(keys.as_fst().get_key(u64::from(ord.0))?).ok()
}

/// What the keys are that go on from a node.
#[derive(Clone, Copy, Default)]
struct Below {
    keys: u64,
    /// Most commas.
    commas: u32,
}

const WRONG: &str = "a key has a wrong ordinal or is not UTF-8";
const ASTRAY: &str = "a node does not point back, or leads to no key";

/// Proves a whole fst. The parts that begin with different bytes are walked on all cores.
fn check(fst: &Fst<Section>) -> Result<Below, &'static str> {
    let root = fst.root();
    let top = Visit::begin(root, Utf8::Start)?;
    let parts: Vec<Result<Below, &'static str>> = (0..root.len())
        .into_par_iter()
        .with_max_len(1)
        .map_init(
            || Walk::new(fst),
            |walk, at| {
                let transition = root.transition(at);
                let state = Utf8::Start.next(transition.inp).ok_or(WRONG)?;
                if transition.addr >= root.addr() {
                    return Err(ASTRAY);
                }
                walk.check(transition.addr, state)
            },
        )
        .collect();
    let mut top = top;
    for part in parts {
        top.step()?;
        top.add(part?);
    }
    Ok(top.below)
}

/// The node of keys that end here: it has no bytes.
const END: CompiledAddr = 0;

/// Nodes remembered by a walk, as a power of two: what stays in the first caches. More cost more than they save.
const MEMO_BITS: u32 = 13;

/// Walks parts of an fst.
struct Walk<'f> {
    fst: &'f Fst<Section>,
    /// What goes on from a node that was entered with a state: the last such of each hash. [`END`] stands for none.
    memo: Vec<(CompiledAddr, Utf8, Below)>,
    stack: Vec<Visit<'f>>,
}

/// A node that is being looked at.
struct Visit<'f> {
    node: Node<'f>,
    state: Utf8,
    /// The transition that comes next, and whether the one before it is a comma.
    next: usize,
    is_comma: bool,
    last_input: Option<u8>,
    below: Below,
}

impl<'f> Visit<'f> {
    fn begin(node: Node<'f>, state: Utf8) -> Result<Visit<'f>, &'static str> {
        let mut below = Below::default();
        if node.is_final() {
            if state != Utf8::Start || node.final_output().value() != 0 {
                return Err(WRONG);
            }
            below.keys = 1;
        }
        Ok(Visit { node, state, next: 0, is_comma: false, last_input: None, below })
    }

    /// Goes on to the next transition: its node, and the state it is entered with.
    fn step(&mut self) -> Result<(CompiledAddr, Utf8), &'static str> {
        let transition = self.node.transition(self.next);
        self.next += 1;
        self.is_comma = transition.inp == b',';
        let ascends = self.last_input.is_none_or(|last| last < transition.inp);
        self.last_input = Some(transition.inp);
        // Counted from the node, the first key behind a transition has as many before it as were found.
        if transition.out.value() != self.below.keys || !ascends {
            return Err(WRONG);
        }
        if transition.addr >= self.node.addr() {
            return Err(ASTRAY);
        }
        Ok((transition.addr, self.state.next(transition.inp).ok_or(WRONG)?))
    }

    /// Adds what goes on from the transition.
    fn add(&mut self, below: Below) {
        self.below.keys += below.keys;
        self.below.commas = self.below.commas.max(below.commas + u32::from(self.is_comma));
    }
}

impl<'f> Walk<'f> {
    fn new(fst: &'f Fst<Section>) -> Walk<'f> {
        let memo = vec![(END, Utf8::Start, Below::default()); 1 << MEMO_BITS];
        Walk { fst, memo, stack: Vec::new() }
    }

    fn check(&mut self, addr: CompiledAddr, state: Utf8) -> Result<Below, &'static str> {
        self.stack.clear();
        self.stack.push(Visit::begin(self.fst.node(addr), state)?);
        loop {
            let Some(top) = self.stack.last_mut() else { return Err(ASTRAY) };
            if top.next < top.node.len() {
                let (addr, state) = top.step()?;
                let remembered = self.memo[memo_place(addr, state)];
                if (addr, state) == (END, Utf8::Start) {
                    top.add(Below { keys: 1, commas: 0 });
                } else if addr != END && (remembered.0, remembered.1) == (addr, state) {
                    top.add(remembered.2);
                } else {
                    self.stack.push(Visit::begin(self.fst.node(addr), state)?);
                }
                continue;
            }
            let (addr, state, below) = (top.node.addr(), top.state, top.below);
            if below.keys == 0 {
                return Err(ASTRAY);
            }
            self.memo[memo_place(addr, state)] = (addr, state, below);
            self.stack.pop();
            match self.stack.last_mut() {
                Some(parent) => parent.add(below),
                None => return Ok(below),
            }
        }
    }
}

fn memo_place(addr: CompiledAddr, state: Utf8) -> usize {
    let hash = (addr as u64 ^ (state as u64) << 48).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash >> (64 - MEMO_BITS)) as usize
}

/// How far a character is read (Unicode standard, table 3-7).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Utf8 {
    /// A character begins.
    Start,
    /// So many bytes follow.
    One,
    Two,
    Three,
    /// The same, where the next byte is not free.
    TwoFromA0,
    TwoTo9F,
    ThreeFrom90,
    ThreeTo8F,
}

impl Utf8 {
    /// The state behind `byte`; none if it may not stand here.
    #[inline]
    fn next(self, byte: u8) -> Option<Utf8> {
        match (self, byte) {
            (Utf8::Start, 0..=0x7f) => Some(Utf8::Start),
            (Utf8::Start, 0xc2..=0xdf) => Some(Utf8::One),
            (Utf8::Start, 0xe0) => Some(Utf8::TwoFromA0),
            (Utf8::Start, 0xed) => Some(Utf8::TwoTo9F),
            (Utf8::Start, 0xe1..=0xef) => Some(Utf8::Two),
            (Utf8::Start, 0xf0) => Some(Utf8::ThreeFrom90),
            (Utf8::Start, 0xf1..=0xf3) => Some(Utf8::Three),
            (Utf8::Start, 0xf4) => Some(Utf8::ThreeTo8F),
            (Utf8::One, 0x80..=0xbf) => Some(Utf8::Start),
            (Utf8::Two, 0x80..=0xbf)
            | (Utf8::TwoFromA0, 0xa0..=0xbf)
            | (Utf8::TwoTo9F, 0x80..=0x9f) => Some(Utf8::One),
            (Utf8::Three, 0x80..=0xbf)
            | (Utf8::ThreeFrom90, 0x90..=0xbf)
            | (Utf8::ThreeTo8F, 0x80..=0x8f) => Some(Utf8::Two),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::mapped::Backing;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::sync::Arc;

    fn open(entries: impl IntoIterator<Item = (Vec<u8>, u64)>) -> Result<(usize, usize), String> {
        let bytes = fst::Map::from_iter(entries).unwrap().into_fst().into_inner();
        let section = Section::new(Arc::new(Backing::copy(&bytes)), 0..bytes.len());
        open_keys(SectionKind::TermKeys, section)
            .map(|(keys, commas)| (keys.len(), commas))
            .map_err(|error| error.to_string())
    }

    fn with_ordinals(keys: &BTreeSet<Vec<u8>>) -> Vec<(Vec<u8>, u64)> {
        keys.iter().cloned().zip(0..).collect()
    }

    proptest! {
        #[test]
        fn ordinals_of_texts_are_accepted_and_nothing_else(
            texts in proptest::collection::btree_set("[a-c,ä東\u{10ffff}]{0,5}", 1..200),
            at: proptest::sample::Index,
            more in 1u64..5,
        ) {
            let keys: BTreeSet<Vec<u8>> = texts.iter().map(|text| text.clone().into_bytes()).collect();
            let commas = texts.iter().map(|text| text.matches(',').count()).max().unwrap();
            prop_assert_eq!(open(with_ordinals(&keys)), Ok((keys.len(), commas)));
            let mut wrong = with_ordinals(&keys);
            let at = at.index(wrong.len());
            wrong[at].1 += more;
            prop_assert!(open(wrong).is_err());
        }

        #[test]
        fn keys_that_are_no_texts_are_refused(
            keys in proptest::collection::btree_set(proptest::collection::vec(
                prop_oneof![Just(b'a'), Just(0xc3), Just(0xa4), Just(0xe0), Just(0xed), Just(0xf0), Just(0xf4), Just(0x9f), Just(0x8f)],
                0..5), 1..30),
        ) {
            let are_texts = keys.iter().all(|key| std::str::from_utf8(key).is_ok());
            prop_assert_eq!(open(with_ordinals(&keys)).is_ok(), are_texts);
        }
    }
}
