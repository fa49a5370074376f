//! Numbers in any order to ascending ones, each once.

use crate::snapshot::encoding::container::{BITMAP_WORDS, for_each_bit};

/// Fewer numbers than one of so many are sorted; of more, each sets a bit.
const SORTED_SHARE: usize = 512;

/// Working space for one list after the other.
#[derive(Default)]
pub struct Ascending {
    bits: Vec<u64>,
}

impl Ascending {
    /// Sorts `numbers`, which are below `end`, and keeps each once.
    pub fn sort(&mut self, numbers: &mut Vec<u32>, end: usize) {
        if numbers.len() * SORTED_SHARE < end {
            numbers.sort_unstable();
            numbers.dedup();
            return;
        }
        let bits = &mut self.bits;
        bits.clear();
        bits.resize(end.div_ceil(64), 0);
        for number in numbers.drain(..) {
            bits[number as usize / 64] |= 1 << (number % 64);
        }
        for (key, words) in (0u32..).zip(bits.chunks(BITMAP_WORDS)) {
            for_each_bit(words.iter().copied(), |low| numbers.push(key << 16 | u32::from(low)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_numbers_and_many_are_sorted_the_same_way() {
        // More than one chunk of them.
        let end = 70_000;
        let mut ascending = Ascending::default();
        for step in [1, 3, 90, 900] {
            let mut numbers: Vec<u32> =
                (0..end).step_by(step).flat_map(|at| [end - 1 - at, at * 7919 % end]).collect();
            let mut expected = numbers.clone();
            expected.sort_unstable();
            expected.dedup();
            ascending.sort(&mut numbers, end as usize);
            assert_eq!(numbers, expected, "every {step}");
        }
    }
}
