//! Later pages of several words by relevance: looked for where the words may add up to the scores that come next.
//!
//! The score of several plain words is the sum of their impacts. Of each word the snapshot says in which blocks of
//! `DocId`s each impact occurs ([`levels`](crate::snapshot::levels)): so for every sum, the blocks are known in which the
//! words may come to it, a few operations on bitmaps for each two impacts that do. From the position that a cursor names,
//! or from the end of a group behind it, the page is found sum by sum, block by block. In a block all members are scored,
//! or, where one of the words adds its share to few, only these.
//!
//! | pages 2 to 60 of, at ten million businesses | hits | scoring all that may be on the page | by sums |
//! |---|---|---|---|
//! | `are by` | 1,748,500 | 3.4 ms | 0.46 ms |
//! | `development that` | 1,058,710 | 3.0 ms | 1.4 ms |
//! | `technology our` in an industry | 167,858 | 4.1 ms | 3.1 to 3.5 ms |
//!
//! Blocks are known to hold the impacts, not that one business holds them both. Where few do, most blocks are looked into
//! in vain, and the walk is given up once it has cost half of what scoring all would: the dearest pages of the second and
//! third take 5.3 and 8.2 ms instead of 3.8 and 5.1 (given up at a quarter: 4.9 and 6.3, but 2.1 and 3.9 in the mean).
//! Around the page with which the last group of `global service` begins, where few come to a sum, pages take 0.2 to 2.4 ms;
//! with all members of blocks scored 7.9 to 13, with all members of the group 42. Candidates for a phrase are few once
//! followers have told most of them off, so that a walk among them is given up sooner, and scores blocks more seldom, than by
//! how many they are: the pages with which the phrases of `global service` begin take 3.5 to 4.3 ms; by their number 8.4 to
//! 13. What is dear still: of two words with a million hits and more (`that business`, `are service`, and the like), the
//! four or five pages around the end of the phrases take 0.2 to 5.3 ms, where the median of pages is 0.03 to 0.08. Given up
//! as well where the rate so far says that finishing would cost more than scoring all, and not where a page is nearly full,
//! 48 pages around the ends of groups take 2.0 ms instead of 2.3 in the mean, the dearest 10.3 instead of 13.0.
//!
//! First pages are not looked for so: the highest sums that blocks allow are those of no business (all words weigh most in
//! short names, and each block has some with either), and `Co Ltd` takes 4.2 ms instead of 3.4. A sum of three words is
//! found the same way, the sums of the last two being known by then.

mod block_sums;
mod walk;

use super::Query;
use super::check::Check;
use super::cursor::Position;
use super::lows::Lows;
use super::nearest::Stretch;
use super::plan::Plan;
use super::planner::Planner;
use super::score::Scorer;
use super::understand::{Understanding, Understood};
use crate::ids::DocId;
use crate::ranking::Level;
use crate::snapshot::levels::{LevelGroup, TermLevels};
use block_sums::{BlockSums, Case};
use std::cmp::Ordering;
use std::ops::Range;
use walk::{Hits, Walk};

/// Most words whose impacts are added: each adds as many bitmaps as there are sums.
const WORDS_MAX: usize = 4;

/// A `q` of several words that are told by levels, each by those of one term.
pub struct SummedLevels<'s> {
    words: Vec<Word<'s>>,
    num_docs: u32,
    /// How many hold them all.
    total: u64,
}

/// One of them.
struct Word<'s> {
    levels: TermLevels<'s>,
    /// May a business match without it, by what it begins? Then it adds nothing.
    may_lack: bool,
}

impl<'s> SummedLevels<'s> {
    /// What is known of `q`, which `total` businesses match, if it is several plain words with levels and nothing else.
    pub fn of(
        planner: &Planner<'s>,
        query: &Query,
        understanding: &Understanding<'s>,
        total: u64,
    ) -> Option<SummedLevels<'s>> {
        let clauses = &understanding.clauses;
        if !(2..=WORDS_MAX).contains(&clauses.len()) || !query.text.trailing_forms().is_empty() {
            return None;
        }
        let word = |understood: &Understood<'s>| {
            let ord = understood.only_term(planner)?;
            let levels = planner.snapshot().terms().lists(ord).levels()?;
            Some(Word { levels, may_lack: understood.prefix.is_some() })
        };
        let words = clauses.iter().map(word).collect::<Option<Vec<_>>>()?;
        Some(SummedLevels { words, num_docs: planner.snapshot().num_docs(), total })
    }

    /// The nearest of `members`, who are of a group, as far as they pass `check`, if the walk begins in this group, whose
    /// keys begin with `prefix`. None also if finding them by sums turns out to be dear.
    pub fn nearest(
        &self,
        level: Level,
        (members, check): (&Plan<'s>, Option<&Check<'s>>),
        stretch: Stretch,
        scorer: &mut Scorer<'s>,
    ) -> Option<Vec<Position>> {
        let start = stretch.start_on(level);
        let mut sums = BlockSums::new(&self.words, &self.cases(level), self.num_docs);
        let hits = MembersOf { words: &self.words, members, total: self.total, check, scorer };
        Walk::new(level, stretch, start).nearest(&mut sums, hits)
    }

    /// How the names of the members of a group hold the words, as far as that is known.
    fn cases(&self, level: Level) -> Vec<Case> {
        const NAMES: &[LevelGroup] = &LevelGroup::NAMES;
        const ELSEWHERE: &[LevelGroup] = &[LevelGroup::Elsewhere];
        const ALL: &[LevelGroup] = &LevelGroup::ALL;
        let num_words = self.words.len();
        match level {
            Level::NameHasAll => vec![vec![NAMES; num_words]],
            Level::Elsewhere => vec![vec![ELSEWHERE; num_words]],
            // By the first word that the name holds. It does not hold them all.
            Level::NameHasSome => {
                let behind = if num_words == 2 { ELSEWHERE } else { ALL };
                let group = |first: usize, at: usize| match at.cmp(&first) {
                    Ordering::Less => ELSEWHERE,
                    Ordering::Equal => NAMES,
                    Ordering::Greater => behind,
                };
                let case = |first| (0..num_words).map(|at| group(first, at)).collect();
                (0..num_words).map(case).collect()
            }
            _ => vec![vec![ALL; num_words]],
        }
    }
}

/// One in so many may pass a check, as far as followers tell.
const MAY_PASS_SHARE: u64 = 64;

/// Members of a group, as far as they pass a check.
struct MembersOf<'a, 's> {
    words: &'a [Word<'s>],
    members: &'a Plan<'s>,
    total: u64,
    check: Option<&'a Check<'s>>,
    scorer: &'a mut Scorer<'s>,
}

/// Those in chunk `key` who are members and may pass.
fn within<'l>(
    (members, check): (&'l Plan<'_>, Option<&Check<'_>>),
    key: u16,
    lows: Lows<'l>,
) -> Lows<'l> {
    let lows = members.chunk_within(key, lows);
    match check {
        Some(check) => check.may_pass_of(key, &lows),
        None => lows,
    }
}

impl Hits for MembersOf<'_, '_> {
    fn len_max(&self) -> u64 {
        let all = self.members.cardinality_max().min(self.total);
        if self.check.is_some() { all / MAY_PASS_SHARE } else { all }
    }

    fn enumerated(&self) -> u64 {
        self.members.cardinality_max()
    }

    fn are_checked(&self) -> bool {
        self.check.is_some()
    }

    fn scored(&mut self, docs: Range<u32>) -> Vec<(DocId, u32)> {
        let key = (docs.start >> 16) as u16;
        let lows = within((self.members, self.check), key, Lows::of_range(&docs, key));
        let mut scored = Vec::with_capacity(lows.len());
        self.scorer.for_each_score(key, &lows, |doc, score| scored.push((doc, score)));
        scored
    }

    fn with_score(&mut self, key: u16, lows: &[u16], score: u32) -> Vec<DocId> {
        let mut left = Vec::new();
        self.scorer.for_each_score(key, &Lows::Slice(lows), |doc, of_doc| {
            if of_doc == score {
                left.push(doc.0 as u16);
            }
        });
        if left.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        within((self.members, self.check), key, Lows::Slice(&left))
            .for_each(|low| found.push(DocId(u32::from(key) << 16 | u32::from(low))));
        found
    }

    fn contains(&mut self, doc: DocId) -> bool {
        self.check.is_none_or(|check| check.passes(doc))
    }

    fn docs_with(&self, word: usize, impact: u8, docs: &Range<u32>, found: &mut Vec<DocId>) {
        self.words[word].levels.docs_with(impact, docs, found);
    }
}
