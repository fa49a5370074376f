//! Pairs brought together by their upper bits.
//!
//! A table with a number for every pair of dense terms is 64 MiB, so that each look into it waits for memory: 40 ns,
//! some sixty times a business. Gathered into 256 buckets first, pairs look into a stretch of it that the cache of a
//! core holds, one bucket after the other.

/// Entries gathered before they are visited: 2 MiB of pairs alone. With four times as many, counting takes a tenth more,
/// since they push the tables that pairs are found by out of the cache of a core.
const LEN_MAX: usize = 1 << 19;

/// Buckets, as a power of two.
const BUCKET_BITS: u32 = 8;

/// Gathers entries that each belong to a pair.
pub struct PairBuckets<E> {
    buckets: Vec<Vec<(u32, E)>>,
    len: usize,
    shift: u32,
}

impl<E: Copy> PairBuckets<E> {
    /// None yet; all pairs are below `pairs_end`.
    pub fn new(pairs_end: usize) -> PairBuckets<E> {
        let bits = pairs_end.next_power_of_two().trailing_zeros();
        let buckets = vec![Vec::new(); 1 << BUCKET_BITS];
        PairBuckets { buckets, len: 0, shift: bits.saturating_sub(BUCKET_BITS) }
    }

    /// One more entry.
    #[inline]
    pub fn push(&mut self, pair: u32, entry: E) {
        self.buckets[(pair >> self.shift) as usize].push((pair, entry));
        self.len += 1;
    }

    /// Are there so many that they should be visited?
    pub fn is_full(&self) -> bool {
        self.len >= LEN_MAX
    }

    /// Calls `visit` with all entries, those of a bucket together, and forgets them.
    pub fn drain(&mut self, mut visit: impl FnMut(u32, E)) {
        self.len = 0;
        for bucket in &mut self.buckets {
            bucket.drain(..).for_each(|(pair, entry)| visit(pair, entry));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_and_buckets_stay_together() {
        for pairs_end in [1, 3, 4096, 1 << 20] {
            let mut buckets = PairBuckets::new(pairs_end);
            let pairs: Vec<u32> = (0..1000u32).map(|at| at * 7919 % pairs_end as u32).collect();
            for (at, &pair) in pairs.iter().enumerate() {
                buckets.push(pair, at);
            }
            let mut visited = Vec::new();
            buckets.drain(|pair, at| visited.push((pair, at)));
            assert!(visited.iter().map(|it| it.0 >> buckets.shift).is_sorted());
            assert!(visited.iter().all(|&(pair, at)| pairs[at] == pair));
            visited.sort_unstable_by_key(|it| it.1);
            assert!(visited.iter().map(|it| it.1).eq(0..1000));
            buckets.drain(|_, _| panic!("they are forgotten"));
        }
    }
}
