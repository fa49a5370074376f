//! By which word a term is followed: one byte for each business of a term.
//!
//! Most businesses that hold two words do not hold them next to each other. To see that, their
//! words would have to be read, each from another place of the memory; these bytes lie in the order
//! of the term's businesses, beside the impacts, and tell nearly all of them off. (A partial
//! next-word index, after Williams, Zobel, Bahle: "Fast phrase querying with combined indexes",
//! 2004, with a hash for the word.)
//!
//! A byte stands for all places where the term, or a word that matches it where plurals count,
//! stands in the business: 0 if nothing follows it anywhere, 1 to 254 the [hash](follower_hash) of
//! the only word that does, 255 if there are several.

use super::impacts::{ChunkPlaces, for_each_byte};
use crate::analyzer::plural::common_start;
use crate::snapshot::encoding::postings::Postings;

/// Nothing follows.
pub const NO_FOLLOWER: u8 = 0;

/// Several words follow, which may be any.
pub const ANY_FOLLOWER: u8 = u8::MAX;

/// The hash of a word, 1 to 254: FNV-1a (Fowler, Noll, Vo) over the part that it shares with its
/// plural, folded.
pub fn follower_hash(word: &str) -> u8 {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let hash = common_start(word).bytes().fold(0x811c_9dc5, step);
    ((hash ^ hash >> 16) % 254) as u8 + 1
}

/// The byte for all of what two bytes stand for.
#[inline]
pub fn merge_followers(a: u8, b: u8) -> u8 {
    match (a, b) {
        (NO_FOLLOWER, other) | (other, NO_FOLLOWER) => other,
        (a, b) if a == b => a,
        _ => ANY_FOLLOWER,
    }
}

/// Tells whether a term may be followed by one of some words.
#[derive(Debug)]
pub struct NextWordCursor<'s> {
    postings: Postings<'s>,
    followers: &'s [u8],
    hashes: Vec<u8>,
}

impl<'s> NextWordCursor<'s> {
    /// A cursor over a term's businesses and their followers, for words with these hashes.
    pub fn new(postings: Postings<'s>, followers: &'s [u8], hashes: Vec<u8>) -> NextWordCursor<'s> {
        NextWordCursor { postings, followers, hashes }
    }

    /// Calls `visit` with the number of each of some businesses in which one of the words may
    /// follow the term (in the others none does); see [`for_each_byte`].
    pub fn among(&self, chunks: &[ChunkPlaces], lows: &[u16], mut visit: impl FnMut(usize)) {
        for_each_byte(&self.postings, self.followers, chunks, lows, |number, follower| {
            if self.may_be(follower) {
                visit(number);
            }
        });
    }

    /// May a byte stand for one of the words?
    #[inline]
    fn may_be(&self, follower: u8) -> bool {
        match follower {
            NO_FOLLOWER => false,
            ANY_FOLLOWER => true,
            hash => self.hashes.contains(&hash),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::aligned;
    use crate::snapshot::encoding::postings;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn a_cursor_finds_those_whose_byte_may_stand_for_a_word(
            stretches in proptest::collection::vec((0u32..200_000, 1u32..9000, 1u32..20), 1..4),
            seed in any::<u8>(),
            hashes in proptest::collection::vec(1u8..=254, 1..3),
        ) {
            let followers: BTreeMap<u32, u8> = stretches
                .into_iter()
                .flat_map(|(start, len, step)| (start..start + len).step_by(step as usize))
                .map(|doc| (doc, (doc % 251 + doc / 251 * 7) as u8 ^ seed))
                .collect();
            let docs: Vec<u32> = followers.keys().copied().collect();
            let bytes: Vec<u8> = followers.values().copied().collect();
            let mut list = Vec::new();
            postings::encode(&docs, &mut list);
            let words = aligned(&list);
            let (postings, _) = Postings::read(bytemuck::cast_slice(&words));
            let cursor = NextWordCursor::new(postings, &bytes, hashes);
            let may_be = |byte: u8| byte == ANY_FOLLOWER || cursor.hashes.contains(&byte);
            let asked = |key: u32| (0..1u32 << 16).step_by(3).map(move |low| key << 16 | low);
            let among: Vec<u32> = (0..5u32)
                .flat_map(|key| {
                    let lows: Vec<u16> = asked(key).map(|doc| doc as u16).collect();
                    let mut left = Vec::new();
                    cursor.among(&[(key as u16, 0..lows.len())], &lows, |number| {
                        left.push(key << 16 | u32::from(lows[number]));
                    });
                    left
                })
                .collect();
            let is_found =
                |doc: &u32| (doc & 0xffff).is_multiple_of(3) && may_be(followers[doc]);
            let expected: Vec<u32> = docs.iter().copied().filter(is_found).collect();
            prop_assert_eq!(among, expected);
        }
    }
}
