//! By which word a term is followed: one byte for each business of a term.
//!
//! Most businesses that hold two words do not hold them next to each other. To see that, their words would have to be
//! read, each from another place of the memory; these bytes lie in the order of the term's businesses, beside the
//! impacts, and tell nearly all of them off. (A partial next-word index, after Williams, Zobel, Bahle: "Fast phrase
//! querying with combined indexes", 2004, with a hash for the word.)
//!
//! A byte stands for all places where the term, or a word that matches it where plurals count, stands in the business:
//! 0 if nothing follows it anywhere, 1 to 254 the [hash](follower_hash) of the only word that does, 255 if there are
//! several.

use super::impacts::ListPlace;
use super::postings::Postings;
use crate::analyzer::plural::common_start;
use crate::ids::DocId;
use std::cell::Cell;

/// Nothing follows.
pub const NO_FOLLOWER: u8 = 0;

/// Several words follow, which may be any.
pub const ANY_FOLLOWER: u8 = u8::MAX;

/// The hash of a word, 1 to 254: FNV-1a (Fowler, Noll, Vo) over the part that it shares with its plural, folded.
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

/// Tells whether a term may be followed by one of some words; quickest in ascending order of `DocId`.
#[derive(Debug)]
pub struct FollowerCursor<'s> {
    postings: Postings<'s>,
    followers: &'s [u8],
    hashes: Vec<u8>,
    place: Cell<ListPlace>,
}

impl<'s> FollowerCursor<'s> {
    /// A cursor over a term's businesses and their followers, for words with these hashes.
    pub fn new(postings: Postings<'s>, followers: &'s [u8], hashes: Vec<u8>) -> FollowerCursor<'s> {
        FollowerCursor { postings, followers, hashes, place: Cell::default() }
    }

    /// May one of the words follow the term in `doc`? If not, none does.
    #[inline]
    pub fn may_follow(&self, doc: DocId) -> bool {
        let mut place = self.place.get();
        let at = place.find(&self.postings, doc);
        self.place.set(place);
        match at.map_or(NO_FOLLOWER, |at| self.followers[at]) {
            NO_FOLLOWER => false,
            ANY_FOLLOWER => true,
            hash => self.hashes.contains(&hash),
        }
    }
}
