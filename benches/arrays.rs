//! What it costs to find what two sorted arrays, or two bitmaps, of one chunk share, what is in
//! either of two arrays, which bits of a bitmap are set, and how many documents are on two lists.
//!
//! Identifiers are `arrays/WAY/LENGTHS`, `unions/WAY/LENGTHS`, `bitmaps/WAY`, `bits/WAY/COUNT` and
//! `lists/WAY/ONE DOCUMENT IN`. Each pair of arrays is one of 64, so that branches cannot be learnt.
//! Before a way is timed its answer is compared with that of sets, or of another way.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use firmament::query::sets::set_expr::SetExpr;
use firmament::simd;
use firmament::snapshot::encoding::arrays::{intersect, merge};
use firmament::snapshot::encoding::container::{append_bits, for_each_bit};
use firmament::snapshot::encoding::postings::roaring::{encode, front};
use roaring::RoaringBitmap;
use std::collections::BTreeSet;
use std::hint::black_box;

const PAIRS: usize = 64;

/// A way to bring two arrays together.
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

/// The union, number by number: what [`merge`] replaces where one array is much longer.
fn interleaved(a: &[u16], b: &[u16]) -> Vec<u16> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        all.push(a[i].min(b[j]));
        (i, j) = (i + usize::from(a[i] <= b[j]), j + usize::from(b[j] <= a[i]));
    }
    all.extend_from_slice(&a[i..]);
    all.extend_from_slice(&b[j..]);
    all
}

fn arrays(criterion: &mut Criterion) {
    let lens = [(2000, 2000), (250, 4000), (35, 2500)];
    let ways: [(&str, Way); 2] = [("blocks", intersect), ("number by number", merged)];
    compare(criterion, "arrays", &lens, &ways, |a, b| a & b);
    let lens = [(57, 1640), (250, 4000)];
    let ways: [(&str, Way); 2] = [("insertion", merge), ("number by number", interleaved)];
    compare(criterion, "unions", &lens, &ways, |a, b| a | b);
}

/// Times ways to bring pairs of arrays together; each must find what sets do.
fn compare(
    criterion: &mut Criterion,
    group: &str,
    lens: &[(usize, usize)],
    ways: &[(&str, Way)],
    of_sets: fn(&BTreeSet<u16>, &BTreeSet<u16>) -> BTreeSet<u16>,
) {
    let mut random = Random(88_172_645_463_325_252);
    let mut group = criterion.benchmark_group(group);
    for &(a_len, b_len) in lens {
        let sets: Vec<[BTreeSet<u16>; 2]> =
            (0..PAIRS).map(|_| [random.set(a_len), random.set(b_len)]).collect();
        let pairs: Vec<[Vec<u16>; 2]> = sets
            .iter()
            .map(|pair| pair.each_ref().map(|set| set.iter().copied().collect()))
            .collect();
        for (name, way) in ways {
            for ([a, b], [a_set, b_set]) in pairs.iter().zip(&sets) {
                let expected = of_sets(a_set, b_set);
                assert!(way(a, b).iter().eq(&expected), "{name}: {a_len} {b_len}");
            }
            let mut at = 0;
            group.bench_function(
                BenchmarkId::new(*name, format!("{a_len} and {b_len}")),
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
    let shared = |a: &[u64], b: &[u64]| {
        a.iter().zip(b).map(|(word, other)| (word & other).count_ones()).sum::<u32>() as usize
    };
    let vectorized = |a: &[u64], b: &[u64]| simd::count_ones(a.iter().zip(b).map(|(a, b)| a & b));
    assert_eq!(vectorized(&a, &b), shared(&a, &b));
    let mut group = criterion.benchmark_group("bitmaps");
    group.bench_function("as the processor can", |bencher| {
        bencher.iter(|| vectorized(black_box(&a), black_box(&b)));
    });
    group.bench_function("as any processor can", |bencher| {
        bencher.iter(|| shared(black_box(&a), black_box(&b)));
    });
    group.finish();
}

/// Bits one by one, compiled as [`append_bits`] is.
struct OneByOne<'a> {
    words: &'a [u64; 1024],
    lows: &'a mut Vec<u16>,
}

impl simd::Loop for OneByOne<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for_each_bit(self.words.iter().copied(), |low| self.lows.push(low));
    }
}

fn bits(criterion: &mut Criterion) {
    let mut random = Random(521_288_629);
    let mut group = criterion.benchmark_group("bits");
    for count in [600, 2400] {
        let sets: Vec<BTreeSet<u16>> = (0..PAIRS).map(|_| random.set(count)).collect();
        let bitmaps: Vec<[u64; 1024]> = sets
            .iter()
            .map(|set| {
                let mut words = [0; 1024];
                set.iter().for_each(|low| words[usize::from(low / 64)] |= 1 << (low % 64));
                words
            })
            .collect();
        let together = |words: &[u64; 1024]| {
            let mut lows = Vec::new();
            append_bits(|at| words[at], count, &mut lows);
            lows
        };
        let one_by_one = |words: &[u64; 1024]| {
            let mut lows = Vec::with_capacity(count);
            simd::vectorized(OneByOne { words, lows: &mut lows });
            lows
        };
        for (set, words) in sets.iter().zip(&bitmaps) {
            assert!(together(words).iter().eq(set) && one_by_one(words).iter().eq(set));
        }
        let mut at = 0;
        let mut next = || {
            at = (at + 1) % PAIRS;
            black_box(&bitmaps[at])
        };
        group.bench_function(BenchmarkId::new("some together", count), |bencher| {
            bencher.iter(|| together(next()));
        });
        group.bench_function(BenchmarkId::new("one by one", count), |bencher| {
            bencher.iter(|| one_by_one(next()));
        });
    }
    group.finish();
}

/// Two lists of the same share of ten million documents, as they lie in a snapshot.
fn lists(criterion: &mut Criterion) {
    const NUM_DOCS: u64 = 10_000_000;
    let mut random = Random(88_675_123);
    let mut group = criterion.benchmark_group("lists");
    for share in [3, 30, 300, 30_000] {
        let [a, b]: [(Vec<u64>, RoaringBitmap); 2] = std::array::from_fn(|_| {
            let docs: Vec<u32> =
                (0..NUM_DOCS as u32).filter(|_| random.next().is_multiple_of(share)).collect();
            let mut bytes = Vec::new();
            encode(&docs, &mut bytes);
            let words = bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word));
            (words.collect(), docs.into_iter().collect())
        });
        let in_place = || {
            let lists = [&a.0, &b.0].map(|words| SetExpr::list(front(bytemuck::cast_slice(words))));
            let both = SetExpr::intersection(lists);
            both.keys().map(|key| both.chunk_len(key) as u64).sum::<u64>()
        };
        let serialised = [&a.1, &b.1].map(|bitmap| {
            let mut bytes = Vec::new();
            bitmap.serialize_into(&mut bytes).expect("memory can be written");
            bytes
        });
        let decoded = || {
            let [a, b] = serialised.each_ref().map(|bytes| {
                RoaringBitmap::deserialize_from(bytes.as_slice()).expect("written above")
            });
            a.intersection_len(&b)
        };
        let expected = a.1.iter().filter(|&doc| b.1.contains(doc)).count() as u64;
        assert_eq!([in_place(), decoded(), a.1.intersection_len(&b.1)], [expected; 3]);
        group.bench_function(BenchmarkId::new("in place", share), |bencher| {
            bencher.iter(in_place);
        });
        group.bench_function(BenchmarkId::new("decoded before", share), |bencher| {
            bencher.iter(|| a.1.intersection_len(&b.1));
        });
        group.bench_function(BenchmarkId::new("decoded each time", share), |bencher| {
            bencher.iter(decoded);
        });
    }
    group.finish();
}

criterion_group!(array_benches, arrays, bitmaps, bits, lists);
criterion_main!(array_benches);
