//! Keys of an fst that begin with something, and those that an automaton accepts.
//!
//! The streams of the `fst` crate read every node that a letter leads to, and then ask whether the automaton goes that
//! way. Of a Levenshtein automaton most letters lead nowhere; asked first, it halves the time of a search.

use fst::Automaton;
use fst::raw::{Fst, Node, Output, Transition};
use std::ops::Range;

/// The values of the keys that begin with `prefix`, and whether it is a key itself. Values are the ordinals of keys: what
/// a way adds is the number of keys on the ways before it, so that what the next way adds tells where those on this one
/// end.
pub fn begun_by(fst: &Fst<impl AsRef<[u8]>>, prefix: &[u8]) -> (Range<u64>, bool) {
    let (mut node, mut first, mut end) = (fst.root(), 0, fst.len() as u64);
    for &byte in prefix {
        let Some(way) = node.find_input(byte) else { return (0..0, false) };
        if way + 1 < node.len() {
            end = first + node.transition(way + 1).out.value();
        }
        let taken = node.transition(way);
        first += taken.out.value();
        node = fst.node(taken.addr);
    }
    (first..end, node.is_final())
}

/// A node on the way to the key at hand.
struct Open<'f, S> {
    node: Node<'f>,
    state: S,
    /// What the letters so far add to the value.
    output: Output,
    /// The next way to go.
    next: usize,
}

/// Calls `visit` with the keys that begin with `prefix` and that `automaton` accepts as a whole, ascending, and their
/// values.
pub fn search<A: Automaton>(
    fst: &Fst<impl AsRef<[u8]>>,
    prefix: &[u8],
    automaton: &A,
    mut visit: impl FnMut(&[u8], u64),
) {
    let mut start =
        Open { node: fst.root(), state: automaton.start(), output: Output::zero(), next: 0 };
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
        if here.next == here.node.len() {
            way_here.pop();
            key.pop();
            continue;
        }
        let transition = here.node.transition(here.next);
        here.next += 1;
        let Some(there) = here.behind(transition, fst, automaton) else { continue };
        key.push(transition.inp);
        visit_end(&key, &there);
        way_here.push(there);
    }
}

impl<'f, S> Open<'f, S> {
    /// Where one of its ways leads, if the automaton goes there.
    fn behind<A: Automaton<State = S>>(
        &self,
        transition: Transition,
        fst: &'f Fst<impl AsRef<[u8]>>,
        automaton: &A,
    ) -> Option<Open<'f, S>> {
        let state = automaton.accept(&self.state, transition.inp);
        automaton.can_match(&state).then(|| Open {
            node: fst.node(transition.addr),
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

    proptest! {
        #[test]
        fn keys_begin_as_strings_do(
            keys in prop::collection::btree_set("[a-c]{0,4}|[a-zü]{1,2}", 0..150),
            prefix in "[a-c]{0,4}|[a-zü]{0,2}",
        ) {
            let map = Map::from_iter(keys.iter().zip(0u64..)).unwrap();
            let (begun, is_key) = begun_by(map.as_fst(), prefix.as_bytes());
            prop_assert_eq!(is_key.then_some(begun.start), map.get(&prefix));
            let expected = keys.iter().zip(0u64..).filter(|(key, _)| key.starts_with(&prefix));
            prop_assert!(begun.eq(expected.map(|(_, ord)| ord)));
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
            let mut found = Vec::new();
            search(map.as_fst(), prefix.as_bytes(), &automaton, |key, value| found.push((key.to_vec(), value)));
            prop_assert_eq!(&found, &expected);
            found.clear();
            let begins = Str::new(&wanted).starts_with();
            search(map.as_fst(), prefix.as_bytes(), &begins, |key, value| found.push((key.to_vec(), value)));
            let both = |key: &str| key.starts_with(&prefix) && key.starts_with(&wanted);
            let expected = keys.iter().filter(|(key, _)| both(key));
            let expected: Vec<_> = expected.map(|(key, &value)| (key.as_bytes().to_vec(), value)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
