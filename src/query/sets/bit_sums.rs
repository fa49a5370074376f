//! Sums of weights over sets of one chunk, for 64 documents at a time.
//!
//! The sums are bit-sliced: plane `p` holds bit `p` of the sum of every document, so that each
//! operation on 64-bit words adds to 64 sums, or compares 64 of them (O'Neil, Quass: "Improved
//! query performance with variant indexes", 1997; Kaser, Lemire: "Compressed bitmap indexes: beyond
//! unions and intersections", 2016).
//!
//! Cost: some 2 µs a group and chunk, however many documents its sets hold.

use super::chunk::Words;
use crate::simd::{Loop, vectorized};
use crate::snapshot::encoding::container::BITMAP_WORDS;

/// Bits of a sum.
const PLANES: usize = 8;

/// The largest sum.
pub const SUM_MAX: u32 = (1 << PLANES) - 1;

/// Words that are added to together: a vector of 512 bits, or two.
const LANES: usize = 8;

/// Sets of which a document counts the first that holds it, each with its weight.
#[derive(Debug)]
pub struct Group {
    sets: Vec<Words>,
    /// Bit `p` of the weight of each set, spread over a word, by `p`.
    weights: Vec<[u64; PLANES]>,
}

impl Group {
    /// A group of empty sets with these weights.
    pub fn new(weights: impl Iterator<Item = u32>) -> Group {
        let spread = |weight: u32| {
            std::array::from_fn(|plane| 0u64.wrapping_sub(u64::from(weight) >> plane & 1))
        };
        let weights: Vec<[u64; PLANES]> = weights.map(spread).collect();
        Group { sets: vec![[0; BITMAP_WORDS]; weights.len()], weights }
    }

    /// Its sets.
    pub fn sets(&self) -> &[Words] {
        &self.sets
    }

    /// Its sets, to be filled.
    pub fn sets_mut(&mut self) -> &mut [Words] {
        &mut self.sets
    }
}

/// The sum of every document of a chunk.
#[derive(Debug)]
pub struct BitSums {
    planes: Box<[Words; PLANES]>,
}

impl Default for BitSums {
    fn default() -> BitSums {
        BitSums { planes: Box::new([[0; BITMAP_WORDS]; PLANES]) }
    }
}

impl BitSums {
    /// Adds up the weights that documents count in each group. The largest weights of the groups
    /// come to [`SUM_MAX`] at most.
    pub fn add_up(&mut self, groups: &[Group]) {
        vectorized(AddUp { planes: &mut self.planes, groups });
    }

    /// The documents whose sum is `least` or more.
    pub fn at_least(&self, least: u32, found: &mut Words) {
        vectorized(AtLeast { planes: &self.planes, least, found });
    }
}

struct AddUp<'a> {
    planes: &'a mut [Words; PLANES],
    groups: &'a [Group],
}

type Lanes = [u64; LANES];

impl Loop for AddUp<'_> {
    type Output = ();

    // No closures: where these are not compiled at their place, they are compiled for any
    // processor.
    #[inline(always)]
    fn run(self) {
        for at in (0..BITMAP_WORDS).step_by(LANES) {
            let mut sums = [[0; LANES]; PLANES];
            for Group { sets, weights } in self.groups {
                let (mut seen, mut adds): (Lanes, [Lanes; PLANES]) = Default::default();
                for (set, weight) in sets.iter().zip(weights) {
                    for lane in 0..LANES {
                        let first = set[at + lane] & !seen[lane];
                        seen[lane] |= first;
                        for plane in 0..PLANES {
                            adds[plane][lane] |= first & weight[plane];
                        }
                    }
                }
                let mut carry: Lanes = [0; LANES];
                for plane in 0..PLANES {
                    for lane in 0..LANES {
                        let (sum, add) = (sums[plane][lane], adds[plane][lane]);
                        sums[plane][lane] = sum ^ add ^ carry[lane];
                        carry[lane] = sum & add | (sum ^ add) & carry[lane];
                    }
                }
            }
            for (plane, sum) in self.planes.iter_mut().zip(&sums) {
                plane[at..at + LANES].copy_from_slice(sum);
            }
        }
    }
}

struct AtLeast<'a> {
    planes: &'a [Words; PLANES],
    least: u32,
    found: &'a mut Words,
}

impl Loop for AtLeast<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let AtLeast { planes, least, found } = self;
        if least > SUM_MAX {
            return found.fill(0);
        }
        // Of the planes so far, from the lowest on: is the sum not less?
        found.fill(u64::MAX);
        for (plane, number) in planes.iter().zip(0..) {
            // All bits where the threshold has this one: then the sum has it too, or is less.
            let is_wanted = 0u64.wrapping_sub(u64::from(least >> number & 1));
            for (found, bits) in found.iter_mut().zip(plane) {
                *found = bits & (*found | !is_wanted) | *found & !is_wanted;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A bitmap with runs of bits and single ones.
    fn words() -> impl Strategy<Value = Vec<(u16, u16)>> {
        proptest::collection::vec((any::<u16>(), 0u16..300), 0..40)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn sums_are_those_of_each_document(
            groups in proptest::collection::vec(proptest::collection::vec((0u32..32, words()), 0..5), 0..8),
            least in 0u32..300,
        ) {
            let weights = |group: &Vec<(u32, _)>| group.iter().map(|it| it.0).collect::<Vec<u32>>();
            let weights: Vec<Vec<u32>> = groups.iter().map(weights).collect();
            let groups: Vec<Group> = groups.into_iter().map(|sets| {
                let mut group = Group::new(sets.iter().map(|set| set.0));
                for (set, (_, runs)) in group.sets_mut().iter_mut().zip(sets) {
                    for (start, len) in runs {
                        for low in start..start.saturating_add(len) {
                            set[usize::from(low >> 6)] |= 1 << (low & 63);
                        }
                    }
                }
                group
            }).collect();
            let mut sums = BitSums::default();
            sums.add_up(&groups);
            let mut found = [0; BITMAP_WORDS];
            sums.at_least(least, &mut found);
            for low in 0..=u16::MAX {
                let (word, bit) = (usize::from(low >> 6), low & 63);
                let weight = |(group, weights): (&Group, &Vec<u32>)| {
                    let first = group.sets().iter().position(|set| set[word] >> bit & 1 == 1);
                    first.map_or(0, |first| weights[first])
                };
                let sum: u32 = groups.iter().zip(&weights).map(weight).sum();
                prop_assert_eq!(found[word] >> bit & 1 == 1, sum >= least);
            }
        }
    }
}
