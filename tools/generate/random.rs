//! Random numbers whose values never change with a dependency.
//!
//! [`SplitMix64`] (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014) is
//! five lines of integer arithmetic and costs one addition to seed, so every record gets its own
//! streams. Distributions are written here for the same reason: a library may change its sampling
//! between versions, and then the same seed would give other records. Only the log-normal draws and
//! the tables use `f64` functions of the platform.

/// The finaliser of SplitMix64: a bijection of 64-bit integers that spreads every input bit.
pub fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

/// A stream of random numbers.
#[derive(Clone)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

    /// The stream of one purpose within one record.
    pub fn new(seed: u64, record_index: u64, purpose: u64) -> Self {
        let keyed = mix(seed.wrapping_add(purpose.wrapping_mul(Self::GAMMA)));
        Self { state: mix(keyed.wrapping_add(record_index.wrapping_mul(Self::GAMMA))) }
    }

    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(Self::GAMMA);
        mix(self.state)
    }

    /// Uniform in (0, 1]: never zero, so that it can be divided by and its logarithm taken.
    pub fn unit(&mut self) -> f64 {
        ((self.next_u64() >> 11) + 1) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in `0..bound`; `bound` must not be 0. The bias (bound / 2^64) is far below what can
    /// be measured.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() <= probability
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// `exp` of a normal variable with mean `mu` and standard deviation `sigma` (Box-Muller).
    pub fn log_normal(&mut self, mu: f64, sigma: f64) -> f64 {
        let radius = (-2.0 * self.unit().ln()).sqrt();
        let angle = std::f64::consts::TAU * self.unit();
        (mu + sigma * radius * angle.cos()).exp()
    }

    /// A Pareto variable above `scale` with exponent 1/2: P(x > t) = (scale / t)^½. Ranks drawn so
    /// make a vocabulary that grows with the ⅔ power of the text.
    pub fn pareto_half(&mut self, scale: f64) -> f64 {
        let unit = self.unit();
        scale / (unit * unit)
    }
}

/// Walker's alias method: an index by its weight, for one random number and one table entry.
pub struct AliasTable {
    /// Per index: the threshold (of 2^32) below which it is itself, and the index it is otherwise.
    entries: Vec<(u32, u32)>,
}

impl AliasTable {
    pub fn new(weights: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        let mut scaled: Vec<f64> =
            weights.iter().map(|weight| weight / total * weights.len() as f64).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..scaled.len()).partition(|&index| scaled[index] < 1.0);
        let mut entries: Vec<(u32, u32)> =
            (0..scaled.len()).map(|index| (u32::MAX, index as u32)).collect();
        while let (Some(&poor), Some(&rich)) = (small.last(), large.last()) {
            small.pop();
            entries[poor] = ((scaled[poor] * f64::from(u32::MAX)) as u32, rich as u32);
            scaled[rich] -= 1.0 - scaled[poor];
            if scaled[rich] < 1.0 {
                large.pop();
                small.push(rich);
            }
        }
        Self { entries }
    }

    /// Weights 1/rank^`exponent`.
    pub fn zipf(len: usize, exponent: f64) -> Self {
        Self::new(&zipf_weights(len, exponent))
    }

    pub fn sample(&self, rng: &mut SplitMix64) -> usize {
        let random = rng.next_u64();
        let index = ((random >> 32) * self.entries.len() as u64) >> 32;
        let (threshold, alias) = self.entries[index as usize];
        if (random as u32) <= threshold { index as usize } else { alias as usize }
    }
}

/// 1/rank^`exponent` for the ranks 1 to `len`, not normalised.
pub fn zipf_weights(len: usize, exponent: f64) -> Vec<f64> {
    (1..=len).map(|rank| (rank as f64).powf(-exponent)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_gives_the_published_values() {
        let mut rng = SplitMix64 { state: 1_234_567 };
        assert_eq!(rng.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(rng.next_u64(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn alias_table_follows_its_weights() {
        let weights = [5.0, 0.0, 3.0, 1.0, 1.0];
        let table = AliasTable::new(&weights);
        let mut rng = SplitMix64::new(1, 2, 3);
        let mut counts = [0u32; 5];
        for _ in 0..100_000 {
            counts[table.sample(&mut rng)] += 1;
        }
        for (weight, count) in weights.iter().zip(counts) {
            assert!((weight / 10.0 - f64::from(count) / 100_000.0).abs() < 0.01, "{counts:?}");
        }
    }

    #[test]
    fn below_and_unit_stay_in_range() {
        let mut rng = SplitMix64::new(0, 0, 0);
        for _ in 0..10_000 {
            assert!(rng.below(7) < 7);
            let unit = rng.unit();
            assert!(unit > 0.0 && unit <= 1.0);
        }
    }
}
