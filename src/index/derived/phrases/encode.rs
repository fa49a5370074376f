//! The occurrences of one partition of pairs to what is stored of each phrase.

use super::occurrences::Occurrences;
use crate::index::buffer_pool::Reuse;
use crate::index::derived::Thresholds;
use crate::index::derived::first_pages::Scopes;
use crate::index::derived::neighbours::Neighbours;
use crate::index::derived::top_k_by_scope::{Best, BestByScope, Key, best_first};
use crate::index::scratch::ScratchError;
use crate::snapshot::answers::frequent_keys;
use crate::snapshot::answers::phrases::pair;
use crate::snapshot::encoding::postings;

/// A phrase that fewer of its candidates hold has a list: a page of others is full after some
/// thousand candidates.
const RARE_SHARE: u64 = 96;

/// A phrase that more of its candidates hold has a list: the words belong together (`A/S`,
/// `Co., Ltd`, `real estate`), so that it is asked for, and it takes less than the lists of its
/// words. In between are words that are neighbours by chance: nearly all phrases, and nine tenths
/// of all bytes. Of these, only those of the most frequent words have one.
const FREQUENT_SHARE: u64 = 32;

/// Encodes one partition after the other.
pub struct Encoder<'a> {
    /// Where the pairs stand.
    pub occurrences: &'a Occurrences,
    /// What they are.
    pub neighbours: &'a Neighbours,
    /// How many businesses hold both terms of a pair, wherever: section `PairCounts`.
    pub counts: &'a [u32],
    /// How many businesses hold each term.
    pub lens: &'a [usize],
    /// Within which the best are stored.
    pub scopes: &'a Scopes,
    /// What is stored.
    pub thresholds: &'a Thresholds,
    /// Fewest documents that hold both words of a phrase that has a list in any case.
    pub listed_docs_min: u32,
    /// Bytes of businesses that are held at a time.
    pub memory: usize,
}

/// What is stored of consecutive phrases.
#[derive(Default)]
pub struct Encoded {
    /// The phrases.
    pub phrases: Vec<EncodedPhrase>,
    /// Their lists.
    pub lists: Vec<u8>,
    /// The best of the documents of each, by scope.
    pub best: Best,
}

impl Reuse for Encoded {
    fn clear(&mut self) {
        self.phrases.clear();
        self.lists.clear();
        self.best.clear();
    }
}

/// What is stored of one.
pub struct EncodedPhrase {
    /// The numbers of its terms.
    pub pair: u32,
    /// How many businesses hold it.
    pub count: u32,
    /// Bytes of its list; 0 if it has none.
    pub list_bytes: usize,
    /// Where the scopes end within which its best are stored.
    pub best_end: usize,
}

/// A phrase that is stored.
struct Phrase {
    /// Its place in the partition.
    at: usize,
    /// The numbers of its terms, as they are stored.
    pair: u32,
    /// How many businesses hold it.
    count: u32,
    /// Has it a list?
    is_listed: bool,
    /// Are the best of its businesses stored?
    has_best: bool,
}

impl Phrase {
    /// How many of its businesses are looked at.
    fn wanted(&self) -> usize {
        if self.is_listed || self.has_best { self.count as usize } else { 0 }
    }
}

/// What partitions are encoded in, one after the other.
#[derive(Default)]
pub struct Workspace {
    words: Vec<u32>,
    /// By pair: how many businesses hold it; then, where the next of them goes.
    counts: Vec<u32>,
    phrases: Vec<Phrase>,
    keys: Vec<Key>,
    docs: Vec<u32>,
    by_scope: BestByScope,
}

impl Reuse for Workspace {
    fn clear(&mut self) {
        self.counts.clear();
        self.phrases.clear();
    }
}

/// The next business of a phrase that is not looked at goes nowhere.
const NOWHERE: u32 = u32::MAX;

impl Encoder<'_> {
    /// Encodes the phrases of a partition in `out`, which is empty.
    ///
    /// # Errors
    /// The occurrences cannot be read.
    pub fn encode(
        &self,
        partition: usize,
        workspace: &mut Workspace,
        out: &mut Encoded,
    ) -> Result<(), ScratchError> {
        let Workspace { words, counts, phrases, keys, docs, by_scope } = workspace;
        by_scope.make_room(self.scopes.count());
        let pairs = self.occurrences.partitions().pairs(partition);
        counts.resize(pairs.len(), 0);
        self.occurrences.for_each(partition, words, |found| counts[found.pair] += 1)?;
        phrases.extend((0..pairs.len()).filter_map(|at| {
            let (first, second) = self.neighbours.numbers(pairs.start + at as u32);
            self.phrase(at, first, second, counts[at])
        }));
        let keys_max = (self.memory / size_of::<Key>()).min(NOWHERE as usize - 1);
        let mut rest = phrases.as_slice();
        while !rest.is_empty() {
            let (batch, behind) = rest.split_at(batch_len(rest, keys_max));
            rest = behind;
            let next = &mut *counts;
            next.fill(NOWHERE);
            let mut end = 0;
            for phrase in batch.iter().filter(|phrase| phrase.wanted() > 0) {
                next[phrase.at] = end;
                end += phrase.count;
            }
            keys.resize(end as usize, 0);
            if end > 0 {
                self.occurrences.for_each(partition, words, |found| {
                    let next = &mut next[found.pair];
                    if *next != NOWHERE {
                        keys[*next as usize] = best_first(found.score, found.doc);
                        *next += 1;
                    }
                })?;
            }
            let mut keys = keys.as_slice();
            for phrase in batch {
                let of_phrase = keys.split_off(..phrase.wanted()).unwrap_or_default();
                if phrase.has_best {
                    self.choose_best(of_phrase, by_scope, &mut out.best);
                }
                out.push(phrase, of_phrase, docs);
            }
        }
        Ok(())
    }

    /// Appends the best of the documents with the keys `keys`, by scope.
    fn choose_best(&self, keys: &[Key], by_scope: &mut BestByScope, best: &mut Best) {
        let bounds = self.thresholds.tier_best;
        let are_many = keys.len() >= bounds.in_industry_docs_min;
        for &key in keys {
            let industry = if are_many { self.scopes.industry_of(key as u32) } else { 0 };
            by_scope.push(key, industry, bounds.max);
        }
        by_scope.take_into(best, bounds);
    }

    /// What is stored of the pair at `at`, which `count` businesses hold.
    fn phrase(&self, at: usize, first: usize, second: usize, count: u32) -> Option<Phrase> {
        if count == 0 {
            return None;
        }
        let thresholds = self.thresholds;
        let both = match first == second {
            true => self.lens[first] as u32,
            false => self.counts[frequent_keys::place(first.min(second), first.max(second))],
        };
        if both < thresholds.phrase_docs_min {
            return None;
        }
        let is_listed = is_listed(count, both, self.listed_docs_min);
        let is_scored = is_listed && count <= thresholds.phrase_scored_max;
        let has_best = both >= thresholds.phrase_best_docs_min && !is_scored;
        Some(Phrase { at, pair: pair(first, second), count, is_listed, has_best })
    }
}

/// Has a phrase that `count` of those `both` documents hold that hold both its words a list? From
/// `listed_docs_min` of them on it has one in any case.
fn is_listed(count: u32, both: u32, listed_docs_min: u32) -> bool {
    let (len, both_len) = (u64::from(count), u64::from(both));
    let is_by_chance = len * RARE_SHARE > both_len && len * FREQUENT_SHARE < both_len;
    !is_by_chance || both >= listed_docs_min
}

/// How many of the first of `phrases` are encoded together, one at least, so that of their
/// businesses about `keys_max` are held.
fn batch_len(phrases: &[Phrase], keys_max: usize) -> usize {
    let mut sum = 0;
    let fit = phrases.iter().take_while(|phrase| {
        sum += phrase.wanted();
        sum <= keys_max
    });
    fit.count().max(1)
}

impl Encoded {
    /// Encodes a phrase whose documents have the keys `keys`, ascending by document, and whose best
    /// are the last so far; `docs` is working space.
    fn push(&mut self, phrase: &Phrase, keys: &[Key], docs: &mut Vec<u32>) {
        let start = self.lists.len();
        if phrase.is_listed {
            docs.clear();
            docs.extend(keys.iter().map(|&key| key as u32));
            postings::encode(docs, &mut self.lists);
        }
        self.phrases.push(EncodedPhrase {
            pair: phrase.pair,
            count: phrase.count,
            list_bytes: self.lists.len() - start,
            best_end: self.best.lists.len(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_by_chance_have_no_list_unless_their_words_are_very_frequent() {
        let listed = |both| (1..both).filter(|&count| is_listed(count, both, 9600)).count();
        // Up to one in 96, and from one in 32 on.
        for (count, expected) in [(99, true), (100, false), (299, false), (300, true)] {
            assert_eq!(is_listed(count, 9599, 9600), expected, "{count}");
        }
        assert_eq!((listed(9599), listed(9600)), (9598 - 200, 9599));
    }
}
