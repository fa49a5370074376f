//! How many of some rows of bits have each bit set: a positional population count.
//!
//! Rows are added to counters that are themselves rows of bits, one for each binary digit, by
//! carry-save adders: sixteen rows take fifteen adders of five instructions, whatever is set in
//! them. After M. Klarqvist, W. Muła, D. Lemire: *Efficient computation of positional population
//! counts using SIMD instructions* (2021).

use crate::simd::{Loop, vectorized};

/// Bits of a row; a cache line.
pub const ROW_BITS: usize = 512;

/// A row of bits, the lowest of the first word first.
pub type Row = [u64; ROW_BITS / 64];

/// Rows added together.
const TOGETHER: usize = 16;

/// Digits of a count: rows are numbered by 16 bits, so there are 65,536 at most.
const DIGITS: usize = 17;

/// Adds to each of `counts` how many of the rows numbered `numbers`, each of them another one, have
/// the bit of its place set.
pub fn add_columns(rows: &[Row], numbers: &[u16], counts: &mut [u32]) {
    vectorized(AddColumns { rows, numbers, counts });
}

struct AddColumns<'a> {
    rows: &'a [Row],
    numbers: &'a [u16],
    counts: &'a mut [u32],
}

impl Loop for AddColumns<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let row = |number: u16| &self.rows[usize::from(number)];
        let mut digits = [Row::default(); DIGITS];
        let (blocks, rest) = self.numbers.as_chunks::<TOGETHER>();
        for block in blocks {
            let [ones, twos, fours, eights, ..] = &mut digits;
            let mut carries = [Row::default(); 2];
            for (carry, block) in carries.iter_mut().zip(block.as_chunks::<8>().0) {
                let [a, b, c, d, e, f, g, h] = block.map(row);
                let two = [add(ones, a, b), add(ones, c, d), add(ones, e, f), add(ones, g, h)];
                let four = [add(twos, &two[0], &two[1]), add(twos, &two[2], &two[3])];
                *carry = add(fours, &four[0], &four[1]);
            }
            let sixteen = add(eights, &carries[0], &carries[1]);
            carry_on(&mut digits[4..], sixteen);
        }
        rest.iter().for_each(|&number| carry_on(&mut digits, *row(number)));
        // Counts of few rows have few digits.
        let num_digits = usize::BITS - self.numbers.len().leading_zeros();
        for (digit, bits) in digits[..num_digits as usize].iter().enumerate() {
            let halves = bits.iter().flat_map(|word| [*word as u32, (word >> 32) as u32]);
            for (half, counts) in halves.zip(self.counts.chunks_mut(32)) {
                for (at, count) in counts.iter_mut().enumerate() {
                    *count += (half >> at & 1) << digit;
                }
            }
        }
    }
}

/// Adds three bits in each place: `sum` becomes the lower digit, returned is the upper one.
#[inline(always)]
fn add(sum: &mut Row, a: &Row, b: &Row) -> Row {
    let mut carry = Row::default();
    for (at, carry) in carry.iter_mut().enumerate() {
        let either = sum[at] ^ a[at];
        *carry = sum[at] & a[at] | either & b[at];
        sum[at] = either ^ b[at];
    }
    carry
}

/// Adds `carry` to the lowest of `digits`, and what that carries to those above.
#[inline(always)]
fn carry_on(digits: &mut [Row], mut carry: Row) {
    for digit in digits {
        let mut left = 0;
        for (digit, carry) in digit.iter_mut().zip(&mut carry) {
            (*digit, *carry) = (*digit ^ *carry, *digit & *carry);
            left |= *carry;
        }
        if left == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows() -> impl Strategy<Value = Vec<Row>> {
        let word =
            prop_oneof![Just(0), Just(u64::MAX), any::<u64>(), (0..64u32).prop_map(|at| 1 << at)];
        proptest::collection::vec(proptest::array::uniform8(word), 1..200)
    }

    proptest! {
        #[test]
        fn columns_are_counted_as_one_by_one(
            rows in rows(),
            is_counted in proptest::collection::vec(any::<bool>(), 200),
            len in 0..=ROW_BITS,
        ) {
            let numbers: Vec<u16> = (0u16..).zip(&rows).zip(&is_counted).filter(|it| *it.1)
                .map(|((number, _), _)| number).collect();
            let mut counts: Vec<u32> = (0..len as u32).collect();
            add_columns(&rows, &numbers, &mut counts);
            for (at, &count) in counts.iter().enumerate() {
                let is_set = |&&number: &&u16| rows[usize::from(number)][at / 64] >> (at % 64) & 1 == 1;
                prop_assert_eq!(count as usize, at + numbers.iter().filter(is_set).count());
            }
        }
    }

    #[test]
    fn as_many_rows_as_there_are_numbers() {
        let rows = vec![[u64::MAX; ROW_BITS / 64]; 1 << 16];
        let numbers: Vec<u16> = (0..=u16::MAX).collect();
        let mut counts = vec![0; ROW_BITS];
        add_columns(&rows, &numbers, &mut counts);
        assert_eq!(counts, vec![1 << 16; ROW_BITS]);
    }
}
