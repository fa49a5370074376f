//! Loops compiled for the processor that runs them.
//!
//! Binaries are for any processor of their architecture, and such a one counts the bits of a word
//! by a dozen instructions. Where the processor has more, the same loops, compiled for that as
//! well, are chosen at run time: what two bitmaps of 8 KiB share is counted in 0.24 µs instead of
//! 0.63. And memory is asked for what is looked at soon, and short texts are copied as vectors.
#![allow(unsafe_code)]

/// A loop that is compiled for several processors. Its `run` is `#[inline(always)]`. No closure is
/// one: from some fifty instructions on, the compiler calls it instead of compiling it anew at its
/// place, and then it is compiled for any processor, whoever calls it.
pub trait Loop {
    /// What comes of it.
    type Output;
    /// Runs it.
    fn run(self) -> Self::Output;
}

/// Runs `work`, compiled for AVX-512 or for AVX2 and POPCNT where the processor has them. `work` is
/// a loop that is worth a call of its own, and that the compiler can see through.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn vectorized<L: Loop>(work: L) -> L::Output {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vpopcntdq,bmi1,popcnt")]
    fn for_avx512<L: Loop>(work: L) -> L::Output {
        work.run()
    }
    #[target_feature(enable = "avx2,bmi1,popcnt")]
    fn for_avx2<L: Loop>(work: L) -> L::Output {
        work.run()
    }
    use std::arch::is_x86_feature_detected as has;
    if !(has!("avx2") && has!("bmi1") && has!("popcnt")) {
        return work.run();
    }
    if has!("avx512f") && has!("avx512bw") && has!("avx512vl") && has!("avx512vpopcntdq") {
        // SAFETY: the lines above have seen that the processor has what the function is compiled
        // for.
        unsafe { for_avx512(work) }
    } else {
        // SAFETY: likewise.
        unsafe { for_avx2(work) }
    }
}

/// Runs `work`.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub fn vectorized<L: Loop>(work: L) -> L::Output {
    work.run()
}

/// Asks memory for the item `at`, which is looked at soon, and does not wait for it.
#[inline]
pub fn read_ahead<T>(items: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = items.get(at) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the address is that of an item; nothing is read.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(item).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (items, at);
}

/// Appends texts, each given as `N` bytes and how many of them it has. Of each all `N` are written,
/// which is one copy of a known length, and what is too many is written over by the next.
#[inline]
pub fn append_cut<'t, const N: usize>(
    out: &mut Vec<u8>,
    texts: impl ExactSizeIterator<Item = (&'t [u8; N], u8)>,
) {
    let count = texts.len();
    out.reserve(count.checked_mul(N).expect("texts fit into memory"));
    let room = out.spare_capacity_mut().as_mut_ptr().cast::<[u8; N]>();
    let mut len = 0;
    for (text, text_len) in texts.take(count) {
        // SAFETY: fewer than `count` texts are before it, of at most `N` bytes each, so that it
        // ends within the `count * N` bytes that are reserved.
        unsafe { room.byte_add(len).write_unaligned(*text) }
        len += usize::from(text_len).min(N);
    }
    // SAFETY: so many bytes are reserved and written, since each text begins where the one before
    // ends.
    unsafe { out.set_len(out.len() + len) }
}

/// How many bits are set.
#[inline]
pub fn count_ones(words: impl Iterator<Item = u64>) -> usize {
    vectorized(CountOnes(words))
}

struct CountOnes<I>(I);

impl<I: Iterator<Item = u64>> Loop for CountOnes<I> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        self.0.map(u64::count_ones).sum::<u32>() as usize
    }
}

/// Puts in the place of each word what `with` makes of it and of the one in `others`.
#[inline]
pub fn combine(
    words: &mut [u64],
    others: impl Iterator<Item = u64>,
    with: impl Fn(u64, u64) -> u64,
) {
    vectorized(Combine { words, others, with });
}

struct Combine<'a, I, F> {
    words: &'a mut [u64],
    others: I,
    with: F,
}

impl<I: Iterator<Item = u64>, F: Fn(u64, u64) -> u64> Loop for Combine<'_, I, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.words.iter_mut().zip(self.others).for_each(|(word, other)| {
            *word = (self.with)(*word, other);
        });
    }
}

/// Is `number` among some? Looks at all of them: without an early end a block takes a handful of
/// instructions.
#[inline]
pub fn is_among(numbers: &[u16], number: u16) -> bool {
    numbers.iter().fold(false, |is_there, &other| is_there | (other == number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bits_are_counted_and_combined_as_without_vectors(
            words in proptest::collection::vec(any::<(u64, u64)>(), 0..200),
        ) {
            let one_by_one: u32 = words.iter().map(|(word, _)| word.count_ones()).sum();
            let (own, others): (Vec<u64>, Vec<u64>) = words.iter().copied().unzip();
            prop_assert_eq!(count_ones(own.iter().copied()), one_by_one as usize);
            let one_by_one: u32 = words.iter().map(|(a, b)| (a & b).count_ones()).sum();
            let shared = own.iter().zip(&others).map(|(a, b)| a & b);
            prop_assert_eq!(count_ones(shared), one_by_one as usize);
            let mut without = own;
            combine(&mut without, others.iter().copied(), |word, other| word & !other);
            prop_assert!(without.iter().zip(&words).all(|(word, (a, b))| *word == a & !b));
        }

        #[test]
        fn texts_are_appended_as_they_are_cut(
            before in proptest::collection::vec(any::<u8>(), 0..20),
            texts in proptest::collection::vec((any::<[u8; 16]>(), 0u8..20), 0..100),
        ) {
            let mut appended = before.clone();
            append_cut(&mut appended, texts.iter().map(|(text, len)| (text, *len)));
            let mut one_by_one = before;
            for (text, len) in &texts {
                one_by_one.extend_from_slice(&text[..usize::from(*len).min(16)]);
            }
            prop_assert_eq!(appended, one_by_one);
        }

    }
}
