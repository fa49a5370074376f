//! What it costs to find what two sorted arrays, or two bitmaps, of one chunk share.
//!
//! Identifiers are `arrays/WAY/LENGTHS` and `bitmaps/WAY`. Each pair of arrays is one of 64, so that branches cannot be
//! learnt. Before a way is timed its answer is compared with that of sets.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use firmament::query::arrays::intersect;
use firmament::simd;
use std::collections::BTreeSet;
use std::hint::black_box;

const PAIRS: usize = 64;

/// A way to find what two arrays share.
type Way = fn(&[u16], &[u16]) -> Vec<u16>;

/// Numbers that are the same each time (xorshift64: Marsaglia, "Xorshift RNGs", 2003).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn set(&mut self, len: usize) -> BTreeSet<u16> {
        let mut set = BTreeSet::new();
        while set.len() < len {
            set.insert(self.next() as u16);
        }
        set
    }
}

/// Number by number: what [`intersect`] replaces.
fn merged(a: &[u16], b: &[u16]) -> Vec<u16> {
    let mut both = Vec::with_capacity(a.len().min(b.len()));
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            both.push(a[i]);
        }
        (i, j) = (i + usize::from(a[i] <= b[j]), j + usize::from(b[j] <= a[i]));
    }
    both
}

fn arrays(criterion: &mut Criterion) {
    let mut random = Random(88_172_645_463_325_252);
    let mut group = criterion.benchmark_group("arrays");
    for (a_len, b_len) in [(2000, 2000), (250, 4000), (35, 2500)] {
        let sets: Vec<[BTreeSet<u16>; 2]> =
            (0..PAIRS).map(|_| [random.set(a_len), random.set(b_len)]).collect();
        let pairs: Vec<[Vec<u16>; 2]> = sets
            .iter()
            .map(|pair| pair.each_ref().map(|set| set.iter().copied().collect()))
            .collect();
        let ways: [(&str, Way); 2] = [("blocks", intersect), ("number by number", merged)];
        for (name, way) in ways {
            for ([a, b], [a_set, b_set]) in pairs.iter().zip(&sets) {
                assert!(way(a, b).iter().eq(a_set.intersection(b_set)), "{name}: {a_len} {b_len}");
            }
            let mut at = 0;
            group.bench_function(
                BenchmarkId::new(name, format!("{a_len} and {b_len}")),
                |bencher| {
                    bencher.iter(|| {
                        at = (at + 1) % PAIRS;
                        let [a, b] = &pairs[at];
                        black_box(way(black_box(a), black_box(b)))
                    });
                },
            );
        }
    }
    group.finish();
}

fn bitmaps(criterion: &mut Criterion) {
    let mut random = Random(362_436_069);
    let [a, b]: [Vec<u64>; 2] = std::array::from_fn(|_| (0..1024).map(|_| random.next()).collect());
    let shared = |a: &[u64], b: &[u64]| -> u32 {
        a.iter().zip(b).map(|(word, other)| (word & other).count_ones()).sum()
    };
    assert_eq!(simd::vectorized(|| shared(&a, &b)), shared(&a, &b));
    let mut group = criterion.benchmark_group("bitmaps");
    group.bench_function("as the processor can", |bencher| {
        bencher.iter(|| simd::vectorized(|| shared(black_box(&a), black_box(&b))));
    });
    group.bench_function("as any processor can", |bencher| {
        bencher.iter(|| shared(black_box(&a), black_box(&b)));
    });
    group.finish();
}

criterion_group!(array_benches, arrays, bitmaps);
criterion_main!(array_benches);
