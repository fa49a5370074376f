//! A sieve that lets all hits through, and few others.
//!
//! Whether a business is a hit is told by its postings in some 20 ns; of most, one bit tells that it is none (Bloom:
//! "Space/time trade-offs in hash coding with allowable errors", 1970; here with one hash). The bits of ten thousand hits
//! stay in the nearest cache.

use crate::ids::DocId;
use crate::query::plan::Plan;

/// Bits for each hit, at least: one in so many others is let through.
const BITS: u64 = 16;

/// The bits of some hits.
pub struct Sieve<'a> {
    /// A power of two of bits.
    words: &'a [u32],
    /// The first bits of a hash are the place of its bit.
    shift: u32,
}

impl<'a> Sieve<'a> {
    /// Of `hits`, which are about `total`, in `words`, whatever these hold.
    pub fn of(hits: &Plan<'_>, total: u64, words: &'a mut Vec<u32>) -> Sieve<'a> {
        let bits = (total * BITS).clamp(32, 1 << 31).next_power_of_two();
        words.clear();
        words.resize(bits as usize / 32, 0);
        let shift = 32 - bits.trailing_zeros();
        hits.for_each(|doc| {
            let (word, bit) = place(doc, shift);
            words[word] |= bit;
        });
        Sieve { words, shift }
    }

    /// May a business be one of them? If not, it is none.
    #[inline]
    pub fn may_hold(&self, doc: DocId) -> bool {
        let (word, bit) = place(doc, self.shift);
        self.words[word] & bit != 0
    }
}

/// The word and the bit of a business.
#[inline]
fn place(doc: DocId, shift: u32) -> (usize, u32) {
    let hash = doc.0.wrapping_mul(0x9e37_79b1) >> shift;
    ((hash / 32) as usize, 1 << (hash % 32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::hit_set::HitSet;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn hits_are_let_through_and_few_others(
            docs in proptest::collection::btree_set(0u32..1 << 24, 1..2000),
            before in proptest::collection::vec(any::<u32>(), 0..9),
        ) {
            let plan = Plan::ready(HitSet::of_sorted(docs.iter().copied()));
            let mut words = before;
            let sieve = Sieve::of(&plan, docs.len() as u64, &mut words);
            prop_assert!(docs.iter().all(|&doc| sieve.may_hold(DocId(doc))));
            let let_through = (0..1u32 << 14).filter(|&doc| sieve.may_hold(DocId(doc * 1021))).count();
            prop_assert!(let_through < 1 << 13);
        }
    }
}
