//! Keys of an fst that begin with something, and those that an automaton accepts.
//!
//! The streams of the `fst` crate read every node that a letter leads to, and then ask whether the automaton goes that
//! way. Of words within some edits most letters lead nowhere: asked first, the automaton halves the time of a search. Where
//! no edit is left, a few letters go on, and the other ways of a node need not be read at all ([`Guide`]).

use fst::Automaton;
use fst::raw::{CompiledAddr, Fst, Node, Output, Transition};

/// Where the keys with a common beginning stand in an fst whose values are the ordinals of its keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Begun {
    /// The address of the node that the beginning leads to.
    node: CompiledAddr,
    /// The value of the first of the keys.
    pub first: u64,
    /// The value behind the last of them.
    pub end: u64,
    /// Is the beginning a key itself?
    pub is_key: bool,
}

impl Begun {
    /// All keys, which begin with nothing.
    pub fn with_nothing(fst: &Fst<impl AsRef<[u8]>>) -> Begun {
        let root = fst.root();
        Begun { node: root.addr(), first: 0, end: fst.len() as u64, is_key: root.is_final() }
    }

    /// Those of these keys whose next bytes are `further`. Values are the ordinals of keys: what a way adds is the number
    /// of keys on the ways before it, so that what the next way adds tells where those on this one end.
    pub fn further(self, fst: &Fst<impl AsRef<[u8]>>, further: &[u8]) -> Begun {
        let Begun { node, mut first, mut end, .. } = self;
        let none = Begun { node, first: 0, end: 0, is_key: false };
        if first == end {
            return none;
        }
        let mut node = fst.node(node);
        for &byte in further {
            let Some(way) = node.find_input(byte) else { return none };
            if way + 1 < node.len() {
                end = first + node.transition(way + 1).out.value();
            }
            let taken = node.transition(way);
            first += taken.out.value();
            node = fst.node(taken.addr);
        }
        Begun { node: node.addr(), first, end, is_key: node.is_final() }
    }
}

/// Calls `visit` with the value of each of `keys` that is one. What a key begins with as the one before does is not walked
/// again: sorted words that differ in their endings cost little more than one.
pub fn each_value<K: AsRef<[u8]>>(
    fst: &Fst<impl AsRef<[u8]>>,
    keys: &[K],
    mut visit: impl FnMut(u64),
) {
    // The nodes that lead to the last of them, each with the output up to it.
    let mut passed = vec![(fst.root(), Output::zero())];
    let mut last: &[u8] = &[];
    for key in keys {
        let key = key.as_ref();
        let shared = key.iter().zip(last).take_while(|(a, b)| a == b).count();
        passed.truncate(shared + 1);
        last = key;
        while let Some(&byte) = key.get(passed.len() - 1) {
            let (node, output) = passed[passed.len() - 1];
            let Some(next) = node.find_input(byte).map(|way| node.transition(way)) else { break };
            passed.push((fst.node(next.addr), output.cat(next.out)));
        }
        let (node, output) = passed[passed.len() - 1];
        if passed.len() == key.len() + 1 && node.is_final() {
            visit(output.cat(node.final_output()).value());
        }
    }
}

/// Bytes that may be read next.
#[derive(Clone, Copy, Default, Debug)]
pub struct NextBytes([u64; 4]);

impl NextBytes {
    /// Adds one.
    #[inline]
    pub fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte / 64)] |= 1 << (byte % 64);
    }

    /// Takes the least of them.
    #[inline]
    pub fn pop_first(&mut self) -> Option<u8> {
        let (number, word) = (0..).zip(&mut self.0).find(|(_, word)| **word != 0)?;
        let bit = word.trailing_zeros();
        *word &= *word - 1;
        Some((number * 64 + bit) as u8)
    }
}

/// An automaton that may tell where it does not go.
pub trait Guide: Automaton {
    /// The bytes that lead anywhere from a state, and maybe others; none if it may be any, or is not known.
    fn next_bytes(&self, _state: &Self::State) -> Option<NextBytes> {
        None
    }
}

/// A node on the way to the key at hand.
struct Open<'f, S> {
    node: Node<'f>,
    state: S,
    /// What the letters so far add to the value.
    output: Output,
    /// The next way to go, of all.
    next: usize,
    /// Or the bytes of those that are left to go.
    bytes: Option<NextBytes>,
}

/// Calls `visit` with the keys that begin with `prefix` and that `automaton` accepts as a whole, ascending, and their
/// values.
pub fn search<A: Guide>(
    fst: &Fst<impl AsRef<[u8]>>,
    prefix: &[u8],
    automaton: &A,
    mut visit: impl FnMut(&[u8], u64),
) {
    let state = automaton.start();
    let mut start = Open { node: fst.root(), state, output: Output::zero(), next: 0, bytes: None };
    for &byte in prefix {
        let transition = start.node.find_input(byte).map(|way| start.node.transition(way));
        let Some(next) = transition.and_then(|it| start.behind(it, fst, automaton)) else { return };
        start = next;
    }
    let mut key = prefix.to_vec();
    let mut visit_end = |key: &[u8], open: &Open<'_, A::State>| {
        if open.node.is_final() && automaton.is_match(&open.state) {
            visit(key, open.output.cat(open.node.final_output()).value());
        }
    };
    visit_end(&key, &start);
    let mut way_here = vec![start];
    while let Some(here) = way_here.last_mut() {
        let Some(way) = here.next_way() else {
            way_here.pop();
            key.pop();
            continue;
        };
        let transition = here.node.transition(way);
        let Some(there) = here.behind(transition, fst, automaton) else { continue };
        key.push(transition.inp);
        visit_end(&key, &there);
        way_here.push(there);
    }
}

impl<'f, S> Open<'f, S> {
    /// The next of the ways that may lead anywhere.
    fn next_way(&mut self) -> Option<usize> {
        let Some(bytes) = &mut self.bytes else {
            let way = self.next;
            self.next += 1;
            return (way < self.node.len()).then_some(way);
        };
        while let Some(byte) = bytes.pop_first() {
            if let Some(way) = self.node.find_input(byte) {
                return Some(way);
            }
        }
        None
    }

    /// Where one of its ways leads, if the automaton goes there.
    fn behind<A: Guide<State = S>>(
        &self,
        transition: Transition,
        fst: &'f Fst<impl AsRef<[u8]>>,
        automaton: &A,
    ) -> Option<Open<'f, S>> {
        let state = automaton.accept(&self.state, transition.inp);
        automaton.can_match(&state).then(|| Open {
            node: fst.node(transition.addr),
            bytes: automaton.next_bytes(&state),
            state,
            output: self.output.cat(transition.out),
            next: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fst::automaton::{Str, Subsequence};
    use fst::{IntoStreamer, Map, Streamer};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// The bytes of keys.
    const BYTES: [u8; 4] = [b'a', b'b', 0xc3, 0xbc];

    /// An automaton, and whether it tells where it does not go.
    struct Guided<A>(A, bool);

    impl<A: Automaton> Automaton for Guided<A> {
        type State = A::State;

        fn start(&self) -> A::State {
            self.0.start()
        }

        fn is_match(&self, state: &A::State) -> bool {
            self.0.is_match(state)
        }

        fn can_match(&self, state: &A::State) -> bool {
            self.0.can_match(state)
        }

        fn accept(&self, state: &A::State, byte: u8) -> A::State {
            self.0.accept(state, byte)
        }
    }

    impl<A: Automaton> Guide for Guided<A> {
        fn next_bytes(&self, state: &A::State) -> Option<NextBytes> {
            let goes = |byte: &u8| self.can_match(&self.accept(state, *byte));
            let mut next = NextBytes::default();
            BYTES.into_iter().filter(goes).for_each(|byte| next.insert(byte));
            self.1.then_some(next)
        }
    }

    proptest! {
        #[test]
        fn next_bytes_ascend(bytes in prop::collection::vec(any::<u8>(), 0..20)) {
            let mut next = NextBytes::default();
            bytes.iter().for_each(|&byte| next.insert(byte));
            let expected: BTreeSet<u8> = bytes.into_iter().collect();
            prop_assert!(std::iter::from_fn(|| next.pop_first()).eq(expected));
        }

        #[test]
        fn keys_begin_as_strings_do(
            keys in prop::collection::btree_set("[a-c]{0,4}|[a-zü]{1,2}", 0..150),
            prefix in "[a-c]{0,4}|[a-zü]{0,2}",
            cut in 0usize..5,
        ) {
            let map = Map::from_iter(keys.iter().zip(0u64..)).unwrap();
            let fst = map.as_fst();
            let begun = Begun::with_nothing(fst).further(fst, prefix.as_bytes());
            prop_assert_eq!(begun.is_key.then_some(begun.first), map.get(&prefix));
            let expected = keys.iter().zip(0u64..).filter(|(key, _)| key.starts_with(&prefix));
            prop_assert!((begun.first..begun.end).eq(expected.map(|(_, ord)| ord)));
            let (front, further) = prefix.as_bytes().split_at(cut.min(prefix.len()));
            let in_two = Begun::with_nothing(fst).further(fst, front).further(fst, further);
            let told = |begun: Begun| (begun.first, begun.end, begun.is_key);
            prop_assert_eq!(told(in_two), told(begun));
        }

        #[test]
        fn several_keys_have_the_values_of_each(
            keys in prop::collection::btree_map("[a-c]{0,4}", 0u64..1000, 0..60),
            asked in prop::collection::vec("[a-c]{0,5}", 0..20),
            is_sorted in any::<bool>(),
        ) {
            let map = Map::from_iter(keys.iter().map(|(key, value)| (key, *value))).unwrap();
            let mut asked = asked;
            if is_sorted {
                asked.sort();
            }
            let mut found = Vec::new();
            each_value(map.as_fst(), &asked, |value| found.push(value));
            let expected: Vec<u64> = asked.iter().filter_map(|key| map.get(key)).collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn finds_what_a_stream_finds(
            keys in prop::collection::btree_map("[abü]{0,6}", 0u64..1000, 0..60),
            prefix in "[abü]{0,3}",
            wanted in "[abü]{0,4}",
        ) {
            let map = Map::from_iter(keys.iter().map(|(key, value)| (key, *value))).unwrap();
            let automaton = Subsequence::new(&wanted);
            let mut expected = Vec::new();
            let mut stream = map.search(&automaton).into_stream();
            while let Some((key, value)) = stream.next() {
                if key.starts_with(prefix.as_bytes()) {
                    expected.push((key.to_vec(), value));
                }
            }
            let begins = Str::new(&wanted).starts_with();
            let both = |key: &str| key.starts_with(&prefix) && key.starts_with(&wanted);
            let beginning = keys.iter().filter(|(key, _)| both(key));
            let beginning: Vec<_> = beginning.map(|(key, &value)| (key.as_bytes().to_vec(), value)).collect();
            for tells in [false, true] {
                let mut found = Vec::new();
                let mut push = |key: &[u8], value| found.push((key.to_vec(), value));
                search(map.as_fst(), prefix.as_bytes(), &Guided(&automaton, tells), &mut push);
                prop_assert_eq!(&found, &expected);
                let mut found = Vec::new();
                let mut push = |key: &[u8], value| found.push((key.to_vec(), value));
                search(map.as_fst(), prefix.as_bytes(), &Guided(&begins, tells), &mut push);
                prop_assert_eq!(&found, &beginning);
            }
        }
    }
}
