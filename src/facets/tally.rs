//! Counting by number: an array where many numbers are met, a table where few are.

use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// So many numbers are cleared and looked through in the time in which one is put into a table.
const CLEARED: u64 = 16;

/// How often each number was met.
pub enum Tally {
    /// By number.
    Array(Vec<u64>),
    /// By number, without the numbers that were not met.
    Table(FxHashMap<u32, u64>),
}

impl Tally {
    /// Nothing met yet of `len` numbers, of which `expected` are met at most.
    pub fn new(len: u32, expected: u64) -> Tally {
        match u64::from(len) <= expected.saturating_mul(CLEARED) {
            true => Tally::Array(vec![0; len as usize]),
            false => Tally::Table(FxHashMap::default()),
        }
    }

    /// Meets a number.
    #[inline]
    pub fn add(&mut self, number: u32, count: u64) {
        match self {
            Tally::Array(counts) => counts[number as usize] += count,
            Tally::Table(counts) => *counts.entry(number).or_default() += count,
        }
    }

    /// The numbers that were met, and how often, in any order.
    pub fn counted(self) -> Vec<(u32, u64)> {
        match self {
            Tally::Array(counts) => (0..).zip(counts).filter(|(_, count)| *count > 0).collect(),
            Tally::Table(counts) => counts.into_iter().collect(),
        }
    }
}

/// The `limit` largest counts, largest first, ties by text.
pub fn largest<'t>(
    mut counted: Vec<(u32, u64)>,
    limit: usize,
    text: impl Fn(u32) -> &'t str,
) -> Vec<(u32, u64)> {
    let order = |a: &(u32, u64), b: &(u32, u64)| -> Ordering {
        b.1.cmp(&a.1).then_with(|| text(a.0).cmp(text(b.0))).then(a.0.cmp(&b.0))
    };
    if limit < counted.len() {
        counted.select_nth_unstable_by(limit, order);
        counted.truncate(limit);
    }
    counted.sort_unstable_by(order);
    counted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn arrays_and_tables_count_alike(
            numbers in proptest::collection::vec((0u32..50, 1u64..4), 0..80),
            limit in 0usize..60,
        ) {
            let count = |expected| {
                let mut tally = Tally::new(50, expected);
                numbers.iter().for_each(|&(number, count)| tally.add(number, count));
                tally.counted()
            };
            const TEXTS: [&str; 5] = ["e", "d", "c", "b", "a"];
            let largest = |counted| largest(counted, limit, |number| TEXTS[number as usize % 5]);
            let (array, table) = (count(1000), count(1));
            let mut all = array.clone();
            all.sort_by_key(|&(number, count)| (std::cmp::Reverse(count), TEXTS[number as usize % 5], number));
            all.truncate(limit);
            prop_assert_eq!(largest(array), all.clone());
            prop_assert_eq!(largest(table), all);
        }
    }
}
