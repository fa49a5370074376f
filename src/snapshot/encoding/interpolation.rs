//! Interpolation search: where a number stands among many that ascend and lie about evenly.
//!
//! A bisection of a hundred thousand numbers that nobody has read lately waits for memory a dozen
//! times. Where the numbers lie about evenly, what is looked for stands about where its share of
//! the values says (Peterson, "Addressing for random-access storage", 1957; Perl, Itai and Avni,
//! "Interpolation search: a log log n search", 1978), and four or five reads find it. A guess that
//! leaves more than half is followed by a bisection, so that no numbers take more than twice its
//! steps.

/// So many numbers lie on a line or two of the cache.
const FEW: usize = 8;

/// How many of `len` numbers are below `number`. `at` reads one of them: they ascend, and lie
/// between `least` and `most`, or nearly all of them do.
#[inline]
pub fn num_below(
    len: usize,
    (least, most): (u32, u32),
    number: u32,
    at: impl Fn(usize) -> u32,
) -> usize {
    let (mut start, mut end) = (0, len);
    let (mut below, mut above) = (least, most);
    let mut bisects = false;
    while start < end {
        let left = end - start;
        let step = if bisects || left <= FEW {
            left / 2
        } else {
            let values = u64::from(above.saturating_sub(below)).max(1);
            let share = u64::from(number.saturating_sub(below)) * left as u64 / values;
            (share as usize).min(left - 1)
        };
        let found = at(start + step);
        if found < number {
            (start, below) = (start + step + 1, found);
        } else {
            (end, above) = (start + step, found);
        }
        bisects = (end - start) * 2 > left;
    }
    start
}

/// Where `number` stands among `numbers`, which ascend, if it is one of them.
#[inline]
pub fn place(numbers: &[u32], number: u32) -> Option<usize> {
    let &most = numbers.last()?;
    let at = num_below(numbers.len(), (0, most), number, |at| numbers[at]);
    (numbers.get(at) == Some(&number)).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;

    proptest! {
        #[test]
        fn as_many_are_below_as_a_bisection_finds(
            mut numbers in prop_oneof![
                proptest::collection::vec(any::<u32>(), 0..300),
                proptest::collection::vec(0u32..50, 0..300),
                proptest::collection::vec((0u32..32).prop_map(|bit| 1 << bit), 0..300),
            ],
            bounds in prop_oneof![Just((0, u32::MAX)), any::<(u32, u32)>()],
            others in proptest::collection::vec(any::<u32>(), 20),
        ) {
            numbers.sort_unstable();
            let near = numbers.iter().flat_map(|&number| [number, number.saturating_add(1)]);
            for number in near.chain(others).chain([0, u32::MAX]) {
                let reads = Cell::new(0);
                let at = |place: usize| {
                    reads.set(reads.get() + 1);
                    numbers[place]
                };
                let found = num_below(numbers.len(), bounds, number, at);
                let expected = numbers.partition_point(|&other| other < number);
                prop_assert_eq!(found, expected);
                let is_there = numbers.get(expected) == Some(&number);
                prop_assert_eq!(place(&numbers, number), is_there.then_some(expected));
                // Every second step leaves at most half.
                let steps = usize::BITS - numbers.len().leading_zeros();
                prop_assert!(reads.get() <= 2 * steps, "{} of {}", reads.get(), numbers.len());
            }
        }
    }

    #[test]
    fn even_numbers_take_a_few_reads() {
        let reads = Cell::new(0);
        let at = |place: usize| {
            reads.set(reads.get() + 1);
            place as u32 * 100
        };
        assert_eq!(num_below(100_000, (0, 10_000_000), 4_567_801, at), 45_679);
        assert!(reads.get() <= 6, "{}", reads.get());
    }
}
