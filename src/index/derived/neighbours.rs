//! The dense terms that stand next to each other in a business.

use crate::analyzer::{TextField, plural};
use crate::ids::TermOrd;
use crate::snapshot::columns::doc_tokens::{DocTokens, Token};
use crate::snapshot::terms::Terms;
use rustc_hash::FxHashMap;

/// Finds neighbours among the dense terms, which are numbered by their place.
pub struct Neighbours {
    /// See [`pair`](Self::pair).
    shift: u32,
    /// In name and host: as it is.
    exact: NumbersByCode,
    /// In industry and description: in singular or plural.
    prose: NumbersByCode,
}

/// Codes below it are looked up in a table: words of a business are mostly frequent ones, whose
/// codes are low.
const TABLE_END: u32 = 1 << 15;

/// Bits of the filter of the other codes, as a power of two.
const FILTER_BITS: u32 = 16;

/// The dense terms that a word can be found by, by the word's code.
struct NumbersByCode {
    /// Where those of each code below [`TABLE_END`] begin, and where those of the last end.
    starts: Vec<u32>,
    /// Where those of the others begin and end.
    others: FxHashMap<u32, (u32, u32)>,
    /// A bit for the hash of each of the others: nearly all codes are of none.
    has_others: Vec<u64>,
    numbers: Vec<u16>,
}

impl NumbersByCode {
    fn new(mut entries: Vec<(u32, u16)>) -> NumbersByCode {
        entries.sort_unstable();
        let place = |code: u32| entries.partition_point(|entry| entry.0 < code) as u32;
        let starts = (0..=TABLE_END).map(place).collect();
        let mut others = FxHashMap::default();
        let mut has_others = vec![0u64; 1 << (FILTER_BITS - 6)];
        let mut start = place(TABLE_END);
        for of_code in entries[start as usize..].chunk_by(|a, b| a.0 == b.0) {
            let (code, end) = (of_code[0].0, start + of_code.len() as u32);
            let (word, bit) = filter_place(code);
            has_others[word] |= bit;
            others.insert(code, (start, end));
            start = end;
        }
        let numbers = entries.into_iter().map(|(_, number)| number).collect();
        NumbersByCode { starts, others, has_others, numbers }
    }

    #[inline]
    fn get(&self, code: u32) -> &[u16] {
        let (start, end) = match self.starts.get(code as usize..code as usize + 2) {
            Some(span) => (span[0], span[1]),
            None => {
                let (word, bit) = filter_place(code);
                match self.has_others[word] & bit {
                    0 => (0, 0),
                    _ => self.others.get(&code).copied().unwrap_or_default(),
                }
            }
        };
        &self.numbers[start as usize..end as usize]
    }
}

/// The bit of a code in the filter, and the word that it is in.
#[inline]
fn filter_place(code: u32) -> (usize, u64) {
    let hash = code.wrapping_mul(0x9e37_79b1) >> (32 - FILTER_BITS);
    ((hash >> 6) as usize, 1 << (hash & 63))
}

/// Bits of the filter of a [`PairSet`], as a power of two.
const SEEN_BITS: u32 = 11;

/// The pairs of one business, each once; in no order. Working space for one business after the
/// other.
#[derive(Default)]
pub struct PairSet {
    pairs: Vec<u32>,
    /// A bit for the hash of each pair: most are new, and that is seen without looking at the
    /// others.
    seen: [u64; 1 << (SEEN_BITS - 6)],
    /// The dense terms at the position before, and at this one.
    before: Vec<u16>,
    here: Vec<u16>,
}

impl PairSet {
    #[inline]
    fn insert(&mut self, pair: u32) {
        let hash = pair.wrapping_mul(0x9e37_79b1) >> (32 - SEEN_BITS);
        let (word, bit) = ((hash >> 6) as usize, 1 << (hash & 63));
        if self.seen[word] & bit == 0 || !self.pairs.contains(&pair) {
            self.seen[word] |= bit;
            self.pairs.push(pair);
        }
    }
}

impl Neighbours {
    /// Of the terms `dense`.
    pub fn new(terms: &Terms, dense: &[TermOrd]) -> Neighbours {
        let (mut exact, mut prose) = (Vec::new(), Vec::new());
        for (number, (&ord, word)) in (0..).zip(dense.iter().zip(terms.terms_of(dense))) {
            exact.push((terms.code(ord), number));
            let ords = terms.ords(&plural::related(&word));
            prose.extend(ords.into_iter().map(|ord| (terms.code(ord), number)));
        }
        Neighbours {
            shift: dense.len().next_power_of_two().trailing_zeros(),
            exact: NumbersByCode::new(exact),
            prose: NumbersByCode::new(prose),
        }
    }

    /// Two numbers as one.
    #[inline]
    pub fn pair(&self, first: usize, second: usize) -> u32 {
        (first << self.shift | second) as u32
    }

    /// The two numbers of a pair.
    #[inline]
    pub fn numbers(&self, pair: u32) -> (usize, usize) {
        (pair as usize >> self.shift, pair as usize & ((1 << self.shift) - 1))
    }

    /// Bits of the second number of a [pair](Self::pair).
    pub fn shift(&self) -> u32 {
        self.shift
    }

    /// The pairs of a business; pairs of a term with itself are among them.
    pub fn find<'s>(&self, tokens: &DocTokens<'_>, set: &'s mut PairSet) -> &'s [u32] {
        set.pairs.clear();
        set.seen.fill(0);
        for field in TextField::ALL {
            set.before.clear();
            set.here.clear();
            let dense = if field.has_plurals() { &self.prose } else { &self.exact };
            for token in tokens.field(field as usize) {
                let code = match token {
                    Token::Word(code) => {
                        std::mem::swap(&mut set.before, &mut set.here);
                        set.here.clear();
                        code
                    }
                    Token::Alternative(code) => code,
                    Token::Joined { .. } => continue,
                    Token::Gap => {
                        set.before.clear();
                        set.here.clear();
                        continue;
                    }
                };
                for &second in dense.get(code) {
                    for at in 0..set.before.len() {
                        set.insert(self.pair(set.before[at].into(), second.into()));
                    }
                    set.here.push(second);
                }
            }
        }
        &set.pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn code() -> impl Strategy<Value = u32> {
        prop_oneof![0..20u32, TABLE_END - 3..TABLE_END + 20, any::<u32>()]
    }

    proptest! {
        #[test]
        fn codes_have_the_numbers_that_were_entered(
            entries in proptest::collection::btree_set((code(), 0..9u16), 0..60),
            others in proptest::collection::vec(code(), 0..60),
        ) {
            let by_code = NumbersByCode::new(entries.iter().copied().collect());
            for code in entries.iter().map(|entry| entry.0).chain(others) {
                let of_code = entries.iter().filter(|entry| entry.0 == code);
                let expected: Vec<u16> = of_code.map(|entry| entry.1).collect();
                prop_assert_eq!(by_code.get(code), expected);
            }
        }
    }
}
