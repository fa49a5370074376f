//! The best of what is told one by one, by the set that each is in.

use crate::build::spares::Reuse;
use crate::snapshot::SnapshotError;
use crate::snapshot::best_within::{BestKinds, BestWithinWriter};
use crate::snapshot::packed_ints;
use crate::snapshot::writer::SnapshotWriter;

/// Rank of a business, best first: how good it is, the better the smaller, above its `DocId`.
pub type Key = u64;

/// Orders by score, the highest first, ties by `DocId`.
#[inline]
pub fn by_score(score: u32, doc: u32) -> Key {
    u64::from(u32::MAX - score) << 32 | u64::from(doc)
}

/// What is stored of each set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Fewest businesses of a set of which the best are stored.
    pub docs_min: usize,
    /// Most of these.
    pub max: usize,
}

/// The best businesses, set by set.
#[derive(Default)]
pub struct Best {
    /// The businesses, best first within each set.
    pub docs: Vec<u32>,
    /// Places of sets, and how many of `docs` are theirs.
    pub lens: Vec<(usize, usize)>,
    /// Of how many businesses of each set these are the best.
    pub totals: Vec<u32>,
}

impl Best {
    /// Writes the best of each of `pairs`, a dense term and a set, which ascend and whose places are those of the sets;
    /// `max` of each at most. There are `num_terms` dense terms and `num_docs` businesses.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(
        &self,
        kinds: BestKinds,
        pairs: &[(u16, u32)],
        (num_terms, num_docs): (usize, u32),
        max: usize,
        writer: &mut SnapshotWriter,
    ) -> Result<(), SnapshotError> {
        writer.section(kinds.docs, &packed_ints::encode(&self.docs, num_docs))?;
        let mut lists = BestWithinWriter::new(max);
        let mut lens = self.lens.iter().map(|&(at, len)| (pairs[at], len)).peekable();
        for term in 0..num_terms as u16 {
            let of_term = std::iter::from_fn(|| lens.next_if(|((first, _), _)| *first == term));
            lists.push(of_term.map(|((_, set), len)| (set, len)));
        }
        writer.section(kinds.lists, bytemuck::cast_slice(&lists.into_words()))
    }
}

impl Reuse for Best {
    fn clear(&mut self) {
        self.docs.clear();
        self.lens.clear();
        self.totals.clear();
    }
}

/// Chooses them: as often as they are taken, each time from nothing.
#[derive(Default)]
pub struct BestBySet {
    by_set: Vec<Kept>,
}

impl BestBySet {
    /// Of nothing yet, with room for sets at so many places.
    pub fn of(num_sets: usize) -> BestBySet {
        BestBySet { by_set: vec![Kept::default(); num_sets] }
    }

    /// Makes room for sets at so many places.
    pub fn make_room(&mut self, num_sets: usize) {
        self.by_set.resize_with(num_sets, Kept::default);
    }

    /// One more of the set at place `at`.
    #[inline]
    pub fn push(&mut self, at: usize, key: Key, max: usize) {
        self.by_set[at].push(key, max);
    }

    /// All that another one was told of as many sets, `max` as before.
    pub fn absorb(&mut self, others: BestBySet, max: usize) {
        for (kept, other) in self.by_set.iter_mut().zip(others.by_set) {
            let count = kept.count + other.count;
            other.keys.into_iter().for_each(|key| kept.push(key, max));
            kept.count = count;
        }
    }

    /// Appends the best, `max` at most, of all sets that have as many as `docs_min` says of their places, and forgets what it
    /// was told.
    pub fn take_into(&mut self, best: &mut Best, max: usize, docs_min: impl Fn(usize) -> usize) {
        for (at, kept) in self.by_set.iter_mut().enumerate().filter(|(_, kept)| kept.count > 0) {
            if kept.count >= docs_min(at) {
                let keys = kept.take_best(max);
                best.docs.extend(keys.iter().map(|&key| key as u32));
                best.lens.push((at, keys.len()));
                best.totals.push(kept.count as u32);
            }
            kept.clear();
        }
    }
}

/// What is kept of one set.
#[derive(Clone, Default)]
struct Kept {
    /// How many businesses there are.
    count: usize,
    /// Those that may be among the best.
    keys: Vec<Key>,
    /// Whatever is not before it is not.
    bound: Option<Key>,
}

impl Kept {
    #[inline]
    fn push(&mut self, key: Key, max: usize) {
        self.count += 1;
        if self.bound.is_some_and(|bound| key >= bound) {
            return;
        }
        self.keys.push(key);
        if self.keys.len() == 2 * max {
            self.bound = Some(*self.keys.select_nth_unstable(max).1);
            self.keys.truncate(max);
        }
    }

    fn take_best(&mut self, max: usize) -> &[Key] {
        self.keys.sort_unstable();
        self.keys.truncate(max);
        &self.keys
    }

    fn clear(&mut self) {
        (self.count, self.bound) = (0, None);
        self.keys.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_best_are_the_first_of_a_sort(
            told in proptest::collection::vec((0usize..3, 0u64..500), 0..300),
            max in 1usize..20,
            docs_min in 1usize..40,
            split in 0usize..300,
        ) {
            // No two businesses are one.
            let told: Vec<(usize, Key)> =
                (0..).zip(told).map(|(doc, (at, rank))| (at, rank << 32 | doc)).collect();
            let (mut by_set, mut best) = (BestBySet::default(), Best::default());
            by_set.make_room(3);
            let (here, there) = told.split_at(split.min(told.len()));
            here.iter().for_each(|&(at, key)| by_set.push(at, key, max));
            let mut others = BestBySet::of(3);
            there.iter().for_each(|&(at, key)| others.push(at, key, max));
            by_set.absorb(others, max);
            by_set.take_into(&mut best, max, |_| docs_min);
            let mut expected = Best::default();
            for set in 0..3 {
                let of_set = told.iter().filter(|(at, _)| *at == set);
                let mut keys: Vec<Key> = of_set.map(|(_, key)| *key).collect();
                keys.sort_unstable();
                if keys.len() >= docs_min {
                    expected.totals.push(keys.len() as u32);
                    keys.truncate(max);
                    expected.lens.push((set, keys.len()));
                    expected.docs.extend(keys.iter().map(|&key| key as u32));
                }
            }
            prop_assert_eq!((&best.lens, &best.docs), (&expected.lens, &expected.docs));
            prop_assert_eq!(best.totals, expected.totals);
            prop_assert!(by_set.by_set.iter().all(|kept| kept.count == 0 && kept.keys.is_empty()));
        }
    }
}
