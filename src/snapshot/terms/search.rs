//! Keys of an fst that begin with something, and those that an automaton accepts.

use fst::Automaton;
use fst::raw::{CompiledAddr, Fst, Node, Output};

/// Where the keys with a common beginning stand in an fst whose values are the ordinals of its
/// keys.
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

    /// Keys among these whose next bytes are `further`. Values are the ordinals of keys: what a
    /// way adds is the number of keys on the ways before it, so that what the next way adds tells
    /// where those on this one end.
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

/// Calls `visit` with the value of each of `keys` that is one. What a key begins with as the one
/// before does is not walked again: sorted words that differ in their endings cost little more than
/// one.
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

/// Calls `visit` with the keys that `automaton` accepts, ascending, and their values.
///
/// Streams of the `fst` crate read the node that a byte leads to before they ask the automaton
/// whether it goes there. Of words within some edits most bytes lead nowhere: a search that asks
/// first takes half the time.
pub fn search<D: AsRef<[u8]>, A: Automaton, V: FnMut(&[u8], u64)>(
    fst: &Fst<D>,
    automaton: A,
    visit: V,
) {
    let state = automaton.start();
    Search { fst, automaton, visit, key: Vec::new() }.descend(fst.root(), Output::zero(), &state);
}

struct Search<'f, D, A, V> {
    fst: &'f Fst<D>,
    automaton: A,
    visit: V,
    /// The bytes that lead to the node at hand.
    key: Vec<u8>,
}

impl<D: AsRef<[u8]>, A: Automaton, V: FnMut(&[u8], u64)> Search<'_, D, A, V> {
    /// Visits the keys that begin with the key so far. Recurses as deep as they are long.
    fn descend(&mut self, node: Node<'_>, output: Output, state: &A::State) {
        if node.is_final() && self.automaton.is_match(state) {
            (self.visit)(&self.key, output.cat(node.final_output()).value());
        }
        for transition in node.transitions() {
            let state = self.automaton.accept(state, transition.inp);
            if self.automaton.can_match(&state) {
                self.key.push(transition.inp);
                let next = self.fst.node(transition.addr);
                self.descend(next, output.cat(transition.out), &state);
                self.key.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fst::automaton::Subsequence;
    use fst::{IntoStreamer, Map};
    use proptest::prelude::*;

    proptest! {
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
            wanted in "[abü]{0,4}",
        ) {
            let map = Map::from_iter(keys.iter().map(|(key, value)| (key, *value))).unwrap();
            let automaton = Subsequence::new(&wanted);
            let expected = map.search(&automaton).into_stream().into_byte_vec();
            let mut found = Vec::new();
            search(map.as_fst(), &automaton, |key, value| found.push((key.to_vec(), value)));
            prop_assert_eq!(found, expected);
        }
    }
}
