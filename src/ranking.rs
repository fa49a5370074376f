//! The order of results by relevance: the only statement of the rule.
//!
//! A document stands on the best [`Level`] whose evidence it shows; levels are a tier of the
//! contract and the kind of the matches that earned it. Within a level the text score decides, the
//! sum of what the words of `q` add ([`LEGAL_FORM`] among them), then the static order. A
//! [relevance key](Level::key) holds level and score, so that comparing two numbers compares two
//! documents.
//!
//! What shows which evidence is evaluated over sets by
//! [`query::score::tiers`](crate::query::score::tiers), for any documents, or a single one.

use std::cmp::Ordering;

/// How well a document fits `q`, best first. "The words" are those of `q` without legal forms at
/// its end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Level {
    /// `q` is the id of the document, or its host.
    IdOrHost,
    /// The name is `q`.
    NameIs,
    /// An alias is `q`.
    AliasIs,
    /// The name starts with the words.
    NameStarts,
    /// All words are in the name, as whole words.
    NameHasAll,
    /// All words are in the name, some only as a prefix.
    NameHasAllByPrefix,
    /// The words are a phrase in a field other than name and aliases.
    PhraseElsewhere,
    /// The words are a phrase in the host, some only as a prefix.
    PhraseInHostByPrefix,
    /// Some words are in the name, none of them only as a prefix.
    NameHasSome,
    /// Some words are in the name, one of them only as a prefix.
    NameHasSomeByPrefix,
    /// No word is in the name.
    Elsewhere,
}

impl Level {
    /// All levels, best first.
    pub const ALL: [Level; 11] = [
        Level::IdOrHost,
        Level::NameIs,
        Level::AliasIs,
        Level::NameStarts,
        Level::NameHasAll,
        Level::NameHasAllByPrefix,
        Level::PhraseElsewhere,
        Level::PhraseInHostByPrefix,
        Level::NameHasSome,
        Level::NameHasSomeByPrefix,
        Level::Elsewhere,
    ];

    /// Are some words matched only as a prefix?
    pub fn is_by_prefix(self) -> bool {
        use Level::{NameHasAllByPrefix, NameHasSomeByPrefix, PhraseInHostByPrefix};
        matches!(self, NameHasAllByPrefix | PhraseInHostByPrefix | NameHasSomeByPrefix)
    }

    /// The relevance key of a document on this level with a text score, at most [`SCORE_MAX`]: the
    /// larger, the better.
    #[inline]
    pub fn key(self, score: u32) -> u64 {
        ((Level::ALL.len() - self as usize) as u64) << LEVEL_SHIFT | u64::from(score)
    }

    /// How this level compares with that of a relevance key: the better is the less.
    #[inline]
    pub fn cmp_key(self, key: u64) -> Ordering {
        (key >> LEVEL_SHIFT).cmp(&(self.key(0) >> LEVEL_SHIFT))
    }
}

/// Bits of a relevance key below the level, so that keys fit 32 bits: they are stored.
const LEVEL_SHIFT: u32 = 16;

/// What each legal form at the end of `q` adds to the text score of a name that carries it: more
/// than any one word.
pub const LEGAL_FORM: u32 = 256;

/// Largest text score.
pub const SCORE_MAX: u32 = 0xffff;

/// The text score that a relevance key holds.
pub fn score_of(key: u64) -> u32 {
    key as u32 & SCORE_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_better_level_beats_any_score() {
        for pair in Level::ALL.windows(2) {
            assert!(pair[0] < pair[1]);
            assert!(pair[0].key(0) > pair[1].key(SCORE_MAX));
            assert!(pair[0].cmp_key(pair[1].key(0)).is_lt());
            assert!(pair[0].cmp_key(pair[0].key(SCORE_MAX)).is_eq());
        }
    }
}
