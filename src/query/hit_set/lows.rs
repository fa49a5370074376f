//! The lower halves of one chunk of a hit set: an array of few, a bitmap of many.

use crate::snapshot::postings::{ARRAY_MAX, BITMAP_WORDS, Container};
use std::ops::Range;

/// The lower halves of one chunk.
#[derive(Clone, Debug)]
pub(super) enum Lows {
    Array(Vec<u16>),
    Bitmap(Box<[u64; BITMAP_WORDS]>, u32),
}

impl Lows {
    pub(super) fn of(container: Container<'_>) -> Lows {
        match container {
            Container::Array(lows) => Lows::Array(lows.to_vec()),
            Container::Bitmap(words, count) => Lows::Bitmap(Box::new(*words), count),
        }
    }

    pub(super) fn view(&self) -> Container<'_> {
        match self {
            Lows::Array(lows) => Container::Array(lows),
            Lows::Bitmap(words, count) => Container::Bitmap(words, *count),
        }
    }

    /// A bitmap, or an array if there are few.
    pub(super) fn of_words(words: Box<[u64; BITMAP_WORDS]>) -> Option<Lows> {
        let count: u32 = words.iter().map(|word| word.count_ones()).sum();
        match count as usize {
            0 => None,
            1..=ARRAY_MAX => {
                let mut lows = Vec::with_capacity(count as usize);
                for_each_bit(&words, |low| lows.push(low));
                Some(Lows::Array(lows))
            }
            _ => Some(Lows::Bitmap(words, count)),
        }
    }

    pub(super) fn of_array(lows: Vec<u16>) -> Option<Lows> {
        match lows.len() {
            0 => None,
            1..=ARRAY_MAX => Some(Lows::Array(lows)),
            _ => {
                let mut words = Box::new([0u64; BITMAP_WORDS]);
                for &low in &lows {
                    words[usize::from(low >> 6)] |= 1 << (low & 63);
                }
                Some(Lows::Bitmap(words, lows.len() as u32))
            }
        }
    }

    pub(super) fn and(self, other: Container<'_>) -> Option<Lows> {
        match (self, other) {
            (Lows::Array(mut lows), Container::Bitmap(words, _)) => {
                lows.retain(|&low| words[usize::from(low >> 6)] >> (low & 63) & 1 == 1);
                Lows::of_array(lows)
            }
            (Lows::Array(lows), Container::Array(others)) => {
                Lows::of_array(intersect_arrays(&lows, others))
            }
            (Lows::Bitmap(words, _), Container::Array(others)) => {
                let is_set = |low: &u16| words[usize::from(low >> 6)] >> (low & 63) & 1 == 1;
                Lows::of_array(others.iter().copied().filter(is_set).collect())
            }
            (Lows::Bitmap(mut words, _), Container::Bitmap(others, _)) => {
                words.iter_mut().zip(others).for_each(|(word, other)| *word &= other);
                Lows::of_words(words)
            }
        }
    }

    pub(super) fn and_not(self, other: Container<'_>) -> Option<Lows> {
        match (self, other) {
            (Lows::Array(mut lows), other) => {
                lows.retain(|&low| !other.contains(low));
                Lows::of_array(lows)
            }
            (Lows::Bitmap(mut words, _), Container::Array(others)) => {
                for &low in others {
                    words[usize::from(low >> 6)] &= !(1 << (low & 63));
                }
                Lows::of_words(words)
            }
            (Lows::Bitmap(mut words, _), Container::Bitmap(others, _)) => {
                words.iter_mut().zip(others).for_each(|(word, other)| *word &= !other);
                Lows::of_words(words)
            }
        }
    }

    pub(super) fn or(self, other: Container<'_>) -> Option<Lows> {
        match (self, other) {
            (Lows::Array(lows), Container::Array(others)) => {
                let mut all = lows;
                all.extend_from_slice(others);
                // The stable sort finds the two sorted runs and merges them: linear.
                all.sort();
                all.dedup();
                Lows::of_array(all)
            }
            (Lows::Array(lows), Container::Bitmap(words, _)) => {
                let mut words = Box::new(*words);
                for low in lows {
                    words[usize::from(low >> 6)] |= 1 << (low & 63);
                }
                Lows::of_words(words)
            }
            (Lows::Bitmap(mut words, _), Container::Array(others)) => {
                for &low in others {
                    words[usize::from(low >> 6)] |= 1 << (low & 63);
                }
                Lows::of_words(words)
            }
            (Lows::Bitmap(mut words, _), Container::Bitmap(others, _)) => {
                words.iter_mut().zip(others).for_each(|(word, other)| *word |= other);
                Lows::of_words(words)
            }
        }
    }
}

impl Lows {
    /// Calls `visit` with all of them, ascending.
    pub(super) fn for_each(&self, mut visit: impl FnMut(u16)) {
        match self {
            Lows::Array(lows) => lows.iter().for_each(|&low| visit(low)),
            Lows::Bitmap(words, _) => for_each_bit(words, visit),
        }
    }
}

/// Calls `visit` with every set bit, ascending.
fn for_each_bit(words: &[u64; BITMAP_WORDS], mut visit: impl FnMut(u16)) {
    for (at, &word) in words.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            visit((at * 64) as u16 + rest.trailing_zeros() as u16);
            rest &= rest - 1;
        }
    }
}

/// What two sorted arrays share. Gallops when one is much longer.
fn intersect_arrays(a: &[u16], b: &[u16]) -> Vec<u16> {
    let (short, mut long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if short.len() * 16 < long.len() {
        let mut both = Vec::with_capacity(short.len());
        for &low in short {
            let at = long.partition_point(|&other| other < low);
            long = &long[at..];
            if long.first() == Some(&low) {
                both.push(low);
            }
        }
        return both;
    }
    let mut both = Vec::with_capacity(short.len());
    let (mut i, mut j) = (0, 0);
    while i < short.len() && j < long.len() {
        let (x, y) = (short[i], long[j]);
        if x == y {
            both.push(x);
        }
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    both
}

impl Lows {
    pub(super) fn next_from(&self, start: u16) -> Option<u16> {
        match self {
            Lows::Array(lows) => lows.get(lows.partition_point(|&low| low < start)).copied(),
            Lows::Bitmap(words, _) => {
                let mut at = usize::from(start >> 6);
                let mut word = words[at] & u64::MAX << (start & 63);
                while word == 0 {
                    at += 1;
                    word = *words.get(at)?;
                }
                Some((at * 64) as u16 + word.trailing_zeros() as u16)
            }
        }
    }

    pub(super) fn last_to(&self, end: u16) -> Option<u16> {
        match self {
            Lows::Array(lows) => {
                lows.partition_point(|&low| low <= end).checked_sub(1).map(|at| lows[at])
            }
            Lows::Bitmap(words, _) => {
                let mut at = usize::from(end >> 6);
                let mut word = words[at] & u64::MAX >> (63 - (end & 63));
                while word == 0 {
                    at = at.checked_sub(1)?;
                    word = words[at];
                }
                Some((at * 64) as u16 + 63 - word.leading_zeros() as u16)
            }
        }
    }
}

/// Clears the bits that are not within `range`.
pub(super) fn clear_outside(words: &mut [u64; BITMAP_WORDS], range: Range<usize>) {
    for (at, word) in words.iter_mut().enumerate() {
        let (first, last) = (at * 64, at * 64 + 64);
        if first >= range.end || last <= range.start {
            *word = 0;
            continue;
        }
        if first < range.start {
            *word &= u64::MAX << (range.start - first);
        }
        if last > range.end {
            *word &= u64::MAX >> (last - range.end);
        }
    }
}
