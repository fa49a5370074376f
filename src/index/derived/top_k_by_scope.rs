//! Top-k selection by scope, from a stream of documents and their ranks.

use crate::index::buffer_pool::Reuse;

/// Order of a document, best first: the better its rank the smaller, above its `DocId`.
pub type Key = u64;

/// Orders by rank (a relevance key or a score), the highest first, ties by `DocId`.
#[inline]
pub fn best_first(rank: u32, doc: u32) -> Key {
    u64::from(!rank) << 32 | u64::from(doc)
}

/// What is stored within scopes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Fewest documents everywhere of which the best are stored.
    pub docs_min: usize,
    /// Fewest documents in an industry of which the best are stored.
    pub in_industry_docs_min: usize,
    /// Most documents that are stored for a scope.
    pub max: usize,
}

/// The best documents, scope by scope.
#[derive(Default)]
pub struct Best {
    /// The documents, best first within each scope.
    pub docs: Vec<u32>,
    /// The scopes whose documents they are, ascending.
    pub lists: Vec<BestInScope>,
}

/// What is known of the best documents of a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BestInScope {
    /// The number of the scope.
    pub scope: usize,
    /// How many documents are stored.
    pub len: u32,
    /// Of how many they are the best.
    pub total: u32,
    /// The rank of the last that is stored.
    pub last_rank: u32,
}

impl Reuse for Best {
    fn clear(&mut self) {
        self.docs.clear();
        self.lists.clear();
    }
}

/// Selects as often as results are taken, each time from nothing.
#[derive(Default)]
pub struct BestByScope {
    by_scope: Vec<Kept>,
    /// Industries of which some document was told.
    industries: Vec<u32>,
}

impl BestByScope {
    /// Makes room for so many scopes.
    pub fn make_room(&mut self, num_scopes: usize) {
        self.by_scope.resize_with(num_scopes, Kept::default);
    }

    /// One more document: everywhere, and in the industry with this number if that is none of
    /// everywhere.
    #[inline]
    pub fn push(&mut self, key: Key, industry: usize, max: usize) {
        self.by_scope[0].push(key, max);
        if industry > 0 {
            let kept = &mut self.by_scope[industry];
            if kept.count == 0 {
                self.industries.push(industry as u32);
            }
            kept.push(key, max);
        }
    }

    /// Appends the best of all scopes that have enough documents, and forgets what it was told.
    pub fn take_into(&mut self, best: &mut Best, bounds: Bounds) {
        self.industries.sort_unstable();
        for scope in [0].into_iter().chain(self.industries.drain(..)) {
            let docs_min = if scope == 0 { bounds.docs_min } else { bounds.in_industry_docs_min };
            let kept = &mut self.by_scope[scope as usize];
            let total = kept.count;
            let keys = kept.take_best(bounds.max);
            if let Some(last) = keys.last().filter(|_| total >= docs_min) {
                best.docs.extend(keys.iter().map(|&key| key as u32));
                best.lists.push(BestInScope {
                    scope: scope as usize,
                    len: keys.len() as u32,
                    total: total as u32,
                    last_rank: !((last >> 32) as u32),
                });
            }
            kept.clear();
        }
    }
}

/// What is kept of one scope.
#[derive(Clone, Default)]
struct Kept {
    /// How many documents there are.
    count: usize,
    /// Documents that may be among the best.
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
            told in proptest::collection::vec((0usize..3, 0u32..500), 0..300),
            max in 1usize..20,
            docs_min in 1usize..40,
            in_industry_docs_min in 1usize..40,
        ) {
            let (mut by_scope, mut best) = (BestByScope::default(), Best::default());
            by_scope.make_room(3);
            let told = (0..).zip(&told).map(|(doc, &(scope, rank))| (scope, rank, doc));
            told.clone().for_each(|(scope, rank, doc)| by_scope.push(best_first(rank, doc), scope, max));
            by_scope.take_into(&mut best, Bounds { docs_min, in_industry_docs_min, max });
            let mut expected = Best::default();
            for scope in 0..3 {
                let of_scope = told.clone().filter(|it| scope == 0 || it.0 == scope);
                let mut docs: Vec<_> = of_scope.map(|(_, rank, doc)| (rank, doc)).collect();
                docs.sort_by_key(|&(rank, doc)| (std::cmp::Reverse(rank), doc));
                let total = docs.len();
                docs.truncate(max);
                let least = if scope == 0 { docs_min } else { in_industry_docs_min };
                if total >= least {
                    let (len, total, last_rank) = (docs.len() as u32, total as u32, docs[docs.len() - 1].0);
                    expected.lists.push(BestInScope { scope, len, total, last_rank });
                    expected.docs.extend(docs.iter().map(|(_, doc)| doc));
                }
            }
            prop_assert_eq!((&best.lists, &best.docs), (&expected.lists, &expected.docs));
            prop_assert!(by_scope.by_scope.iter().all(|kept| kept.count == 0 && kept.keys.is_empty()));
        }
    }
}
