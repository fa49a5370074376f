//! The best of what is told one by one, by the set that each is in.

use crate::build::spares::Reuse;

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
    /// Makes room for sets at so many places.
    pub fn make_room(&mut self, num_sets: usize) {
        self.by_set.resize_with(num_sets, Kept::default);
    }

    /// One more of the set at place `at`.
    #[inline]
    pub fn push(&mut self, at: usize, key: Key, max: usize) {
        self.by_set[at].push(key, max);
    }

    /// Appends the best of all sets that have enough businesses, and forgets what it was told.
    pub fn take_into(&mut self, best: &mut Best, Bounds { docs_min, max }: Bounds) {
        for (at, kept) in self.by_set.iter_mut().enumerate().filter(|(_, kept)| kept.count > 0) {
            if kept.count >= docs_min {
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
        ) {
            // No two businesses are one.
            let told: Vec<(usize, Key)> =
                (0..).zip(told).map(|(doc, (at, rank))| (at, rank << 32 | doc)).collect();
            let (mut by_set, mut best) = (BestBySet::default(), Best::default());
            by_set.make_room(3);
            told.iter().for_each(|&(at, key)| by_set.push(at, key, max));
            by_set.take_into(&mut best, Bounds { docs_min, max });
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
