//! A `q` of one word by relevance.
//!
//! Its documents need not all be looked at to show the best: the snapshot holds those of a frequent term by
//! [levels](crate::snapshot::levels). Documents that hold only a longer word, which the word begins, score nothing and
//! follow in the static order.

use super::Query;
use super::cursor::{Position, Side};
use super::lows::Lows;
use super::nearest::{Stretch, nearest};
use super::order::by_doc_id;
use super::plan::{List, Plan};
use super::planner::Planner;
use super::rank::Group;
use super::score::Scorer;
use super::shortcut::Shortcut;
use super::text::Term;
use super::understand::Understanding;
use crate::ids::DocId;
use crate::ranking::Level;
use crate::snapshot::dense::DenseKey;
use crate::snapshot::levels::{DocWalk, LevelGroup, LevelWalk, TermLevels};
use crate::snapshot::postings::Postings;

/// Most documents of levels that are looked at together.
const BATCH_MAX: usize = 1024;

/// Fewest of one level and chunk that are looked at together: a few cost less one by one.
const TOGETHER_MIN: usize = 8;

/// A `q` of one word in one form, without legal forms behind it.
pub struct SingleWord<'s> {
    /// The documents that hold the word: the list of a term, or nothing.
    holding: Plan<'s>,
    /// That list, if its documents are stored by score.
    levels: Option<(Postings<'s>, TermLevels<'s>)>,
    /// How many hits there are, and how many documents hold the word.
    share: (u64, u64),
}

impl<'s> SingleWord<'s> {
    /// The word that `q` is, if documents that hold it are told by one list. `total` hits match.
    pub fn of(
        planner: &Planner<'s>,
        query: &Query,
        understanding: &Understanding<'s>,
        total: u64,
    ) -> Option<SingleWord<'s>> {
        let [understood] = understanding.clauses.as_slice() else { return None };
        let Term::Word(word) = &understood.clause.term else { return None };
        if !understood.readings.is_empty() || !query.text.trailing_forms().is_empty() {
            return None;
        }
        let holding = planner.word(word);
        let levels = match holding {
            Plan::List(List { postings, key: Some(DenseKey::Term(ord)) }) => {
                let levels = planner.snapshot().terms().lists(ord).levels();
                levels.map(|levels| (postings, levels))
            }
            _ if holding.is_nothing() => None,
            _ => return None,
        };
        let share = (total, holding.cardinality_max());
        Some(SingleWord { holding, levels, share })
    }

    /// The nearest members of a group; none if the word tells nothing of them.
    pub fn nearest(
        &self,
        planner: &Planner<'s>,
        group: &Group<'s>,
        stretch: Stretch,
        scorer: &mut Scorer<'s>,
    ) -> Option<Vec<Position>> {
        let level_group = match group.level {
            Level::NameIs => LevelGroup::NameIs,
            Level::NameStarts => LevelGroup::NameStarts,
            Level::NameHasAll => LevelGroup::NameHas,
            Level::NameHasAllByPrefix | Level::PhraseElsewhere | Level::PhraseInHostByPrefix => {
                LevelGroup::Elsewhere
            }
            _ => return None,
        };
        let walk = GroupWalk { planner, word: self, group, level_group };
        let is_best_first = stretch.is_best_first();
        let mut start = stretch.start_on(group.level);
        let begins_in = start.map(|start| start.relevance_key > group.level.key(0));
        let mut found = Vec::with_capacity(stretch.wanted);
        for is_scored in [is_best_first, !is_best_first] {
            // The walk begins behind this part.
            if start.is_some() && begins_in != Some(is_scored) {
                continue;
            }
            let stretch = stretch.from(start.take(), stretch.wanted - found.len());
            if stretch.wanted == 0 {
                break;
            }
            found.extend(match is_scored {
                true => walk.scored(stretch, scorer),
                false => walk.unscored(stretch),
            });
        }
        Some(found)
    }
}

/// A walk over one group.
struct GroupWalk<'a, 's> {
    planner: &'a Planner<'s>,
    word: &'a SingleWord<'s>,
    group: &'a Group<'s>,
    /// How the members hold the word, if they do.
    level_group: LevelGroup,
}

impl<'s> GroupWalk<'_, 's> {
    /// The nearest members that hold the word.
    fn scored(&self, stretch: Stretch, scorer: &mut Scorer<'s>) -> Vec<Position> {
        let holding = &self.word.holding;
        let is_held = self.group.level != Level::PhraseInHostByPrefix;
        if !is_held || holding.is_nothing() {
            return Vec::new();
        }
        self.by_levels(stretch).unwrap_or_else(|| {
            let members = Plan::intersection([self.group.members.clone(), holding.clone()]);
            nearest(&members, self.group.level, scorer, stretch)
        })
    }

    /// The nearest members that hold only a longer word.
    fn unscored(&self, stretch: Stretch) -> Vec<Position> {
        if !self.group.level.is_by_prefix() {
            return Vec::new();
        }
        let rest = Plan::difference(self.group.members.clone(), self.word.holding.clone());
        let from = stretch.start.map(|start| start.doc);
        let docs = by_doc_id(&rest, stretch.side, from, stretch.wanted);
        let relevance_key = self.group.level.key(0);
        docs.iter().map(|it| Position { relevance_key, doc: it.doc }).collect()
    }

    /// The nearest that hold the word by a walk along levels, unless enumerating the members costs less, or turns out to.
    fn by_levels(&self, stretch: Stretch) -> Option<Vec<Position>> {
        let (list, levels) = self.word.levels.as_ref()?;
        let members = &self.group.members;
        let docs = match stretch.side {
            Side::After => DocWalk::Up,
            Side::Before => DocWalk::Down,
        };
        let order = LevelWalk { is_best_first: stretch.is_best_first(), docs };
        let from = stretch.start.map(|start| (start.relevance_key as u8, start.doc));
        let is_from_best = stretch.is_from_best() && from.is_none();
        let stored = if is_from_best { levels.stored_len(self.level_group) } else { 0 };
        let steps = self.steps(levels, stretch.wanted);
        let enumerated = members.cardinality_max().min(self.word.share.1);
        if self.walk_cost(steps, stored) > enumerated {
            return None;
        }
        // Documents on a level hold the word.
        let members = members.given(list);
        let expected = 4 * steps;
        let mut found = Vec::with_capacity(stretch.wanted);
        let mut looked_at = 0;
        let mut walk = levels.walk(self.level_group, order, from);
        // More at a time, the longer it takes: those met side by side cost less to tell.
        let mut batch: Vec<(u8, DocId)> = Vec::new();
        let mut batch_len = stretch.wanted;
        loop {
            batch.clear();
            batch.extend(walk.by_ref().take(batch_len));
            let left = stretch.wanted - found.len();
            found.extend(members_of(members.as_ref(), &batch).take(left).map(|(impact, doc)| {
                Position { relevance_key: self.group.level.key(impact.into()), doc }
            }));
            if batch.is_empty() || found.len() == stretch.wanted {
                return Some(found);
            }
            looked_at += batch.len() as u64;
            // Words and filters may shun each other, so that the best documents of a word are no hits; and behind the
            // last of the members there may be many that are none.
            if looked_at > expected && 2 * self.walk_cost(looked_at, stored) > enumerated {
                self.planner.took(Shortcut::LevelsGivenUp);
                return None;
            }
            batch_len = BATCH_MAX.min(batch_len * 2);
        }
    }

    /// The cost of a walk along levels, about, in documents enumerated: little for each document that is stored in
    /// that order, much for others.
    fn walk_cost(&self, steps: u64, stored: u64) -> u64 {
        let (stored_cost, cost) = self.planner.tuning().level_step_costs;
        steps.min(stored) * stored_cost + steps.saturating_sub(stored) * cost
    }

    /// How many documents a walk along levels looks at, about.
    fn steps(&self, levels: &TermLevels<'_>, wanted: usize) -> u64 {
        let (hits, all) = self.word.share;
        let (group_len, most) =
            (levels.group_len(self.level_group), self.group.members.cardinality_max());
        let members = match self.group.level.is_by_prefix() {
            // Few of those that hold the word elsewhere hold a longer one in their name.
            true => u128::from(most) * u128::from(hits) / u128::from(all.max(1)),
            false => u128::from(most)
                .min(u128::from(hits) * u128::from(group_len) / u128::from(all.max(1))),
        };
        (wanted as u128 * u128::from(group_len) / members.max(1)) as u64
    }
}

/// Those of `batch`, impacts and documents in the order of a walk, that are among `members`, if that is a condition.
fn members_of(
    members: Option<&Plan<'_>>,
    batch: &[(u8, DocId)],
) -> impl Iterator<Item = (u8, DocId)> {
    let is_one_run =
        |a: &(u8, DocId), b: &(u8, DocId)| a.0 == b.0 && a.1 < b.1 && a.1.0 >> 16 == b.1.0 >> 16;
    batch.chunk_by(is_one_run).flat_map(move |run| match members {
        None => run.to_vec(),
        Some(members) if run.len() < TOGETHER_MIN => {
            run.iter().copied().filter(|&(_, doc)| members.contains(doc)).collect()
        }
        Some(members) => {
            let (impact, DocId(first)) = run[0];
            let lows: Vec<u16> = run.iter().map(|&(_, DocId(doc))| doc as u16).collect();
            let mut left = Vec::new();
            members.chunk_within((first >> 16) as u16, Lows::Slice(&lows)).for_each(|low| {
                left.push((impact, DocId(first & !0xffff | u32::from(low))));
            });
            left
        }
    })
}
