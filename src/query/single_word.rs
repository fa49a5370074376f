//! A `q` of one word, and maybe legal forms behind it, by relevance.
//!
//! Its businesses need not all be looked at to show the best: the snapshot holds them by
//! [levels](crate::snapshot::levels), and the best of those who carry one legal form, or two, [by
//! themselves](crate::snapshot::best_within); whoever holds the word only as the beginning of a longer one scores nothing
//! and follows in the static order. A word that is corrected is answered by the levels of its readings; those who hold
//! several of them, or a form among several, are few and looked at one by one. So are those who hold a part of a compound
//! (`L.L.C`), whose joined form tells all others.

use super::Query;
use super::cursor::{Position, Side};
use super::legal_forms::{self, FORMS_MAX, Part};
use super::lows::Lows;
use super::nearest::{Stretch, nearest};
use super::order::by_doc_id;
use super::plan::{List, Plan};
use super::planner::Planner;
use super::rank::{Group, Kind, Tier};
use super::score::{LEGAL_FORM, Scorer};
use super::shortcut::Shortcut;
use super::text::Term;
use super::understand::Understanding;
use crate::ids::DocId;
use crate::snapshot::dense::DenseKey;
use crate::snapshot::levels::{DocWalk, LevelGroup, LevelWalk, TermLevels};
use std::cmp::Reverse;

/// A `q` of one word, and maybe legal forms behind it: its businesses by score need not be looked at all.
///
/// Whoever carries more legal forms scores more than whoever carries fewer; inside each part, businesses that hold
/// the word score its impact, and those that hold it only as a prefix nothing, so that they follow in the static
/// order.
pub struct SingleWord<'s> {
    /// The businesses that score anything; nothing if the word that is meant stands nowhere.
    scored: Plan<'s>,
    /// The lists with levels of the words that score, the longest first.
    levels: Vec<(List<'s>, TermLevels<'s>)>,
    /// Do all forms stand somewhere? Whoever matches by a whole word is on their lists then; a form that stands nowhere may
    /// be that of a plural.
    has_all_forms: bool,
    /// Those who score and are not on exactly one of these lists: what levels do not tell.
    otherwise: Plan<'s>,
    /// Are these in one group, wherever their name holds the word? So they are if it is corrected to those that score,
    /// or the joined form of a compound.
    has_all_names: bool,
    /// Is it a compound? Then levels tell nothing of groups of other businesses.
    is_compound: bool,
    /// What part of the word's businesses matches, about: hits and all.
    share: (u64, u64),
    level_step_costs: (u64, u64),
}

impl<'s> SingleWord<'s> {
    /// What is known of `q`, if it is one word whose businesses are told by one list. `total` hits match.
    pub fn of(
        planner: &Planner<'s>,
        query: &Query,
        understanding: &Understanding<'s>,
        total: u64,
    ) -> Option<SingleWord<'s>> {
        let [understood] = understanding.clauses.as_slice() else { return None };
        let (readings, trailing) = (&understood.readings, query.text.trailing_forms());
        let (words, parts, has_all_names) = match &understood.clause.term {
            Term::Word(word) if readings.is_empty() => (std::slice::from_ref(word), None, false),
            // Of a word that stands somewhere too, the readings would not be all that scores.
            Term::Word(word) if readings.split.is_none() && planner.word(word).is_nothing() => {
                (&readings.words[..], None, true)
            }
            Term::Compound { joined, parts } if readings.is_empty() && trailing.is_empty() => {
                (std::slice::from_ref(joined), Some(parts), true)
            }
            _ => return None,
        };
        if trailing.len() > FORMS_MAX {
            return None;
        }
        let mut lists: Vec<(List<'s>, Option<TermLevels<'s>>)> = words
            .iter()
            .flat_map(|word| planner.ords(word))
            .map(|ord| {
                let lists = planner.snapshot().terms().lists(ord);
                let key = Some(DenseKey::Term(ord));
                (List { postings: lists.any(), key }, lists.levels())
            })
            .collect();
        lists.sort_by_key(|(list, _)| Reverse(list.postings.len()));
        let has_all_forms = lists.len() == words.iter().map(|word| word.forms.len()).sum::<usize>();
        let parts: Vec<Plan<'s>> = parts.map_or(Vec::new(), |parts| {
            parts.words.iter().map(|(_, word)| planner.word(word)).collect()
        });
        let is_compound = !parts.is_empty();
        let whole = lists.iter().map(|&(list, _)| Plan::List(list));
        let scored = Plan::union(whole.chain(parts.iter().cloned()));
        let (told, untold): (Vec<_>, Vec<_>) =
            lists.iter().partition(|(_, levels)| levels.is_some());
        let plans = |lists: &[(List<'s>, _)]| -> Vec<Plan<'s>> {
            lists.iter().map(|&(list, _)| Plan::List(list)).collect()
        };
        let told = plans(&told);
        let twice = (1..told.len()).map(|at| {
            Plan::intersection([told[at].clone(), Plan::union(told[..at].iter().cloned())])
        });
        let otherwise = Plan::union(plans(&untold).into_iter().chain(twice).chain(parts));
        let levels = lists.into_iter().filter_map(|(list, levels)| Some((list, levels?)));
        Some(SingleWord {
            share: (total, scored.cardinality_max()),
            levels: levels.collect(),
            otherwise,
            scored,
            has_all_forms,
            has_all_names,
            is_compound,
            level_step_costs: planner.tuning().level_step_costs,
        })
    }

    /// Do several words score?
    pub fn is_several(&self) -> bool {
        self.levels.len() > 1 || !self.otherwise.is_nothing()
    }

    /// Will a page of the hits be found by enumerating them, at this cost? Not if names alone, of which `longer` only
    /// begin with the word, are likely to fill it.
    pub fn is_enumerated(&self, cost: u64, longer: u64, wanted: usize) -> bool {
        let Some((_, levels)) = self.levels.first() else { return true };
        let (total, all) = self.share;
        let steps = wanted as u64 * all / total.max(1);
        let named = LevelGroup::NAMES.map(|group| levels.group_len(group));
        let named = named.iter().sum::<u64>() + longer;
        if named > steps && self.walk_cost(steps, steps) <= cost {
            return false;
        }
        self.walk_cost(steps, levels.stored_len(LevelGroup::Elsewhere)) > cost.min(all)
    }

    /// What a walk along levels costs, about, in businesses enumerated: little for each business that is stored in
    /// that order, much for others.
    fn walk_cost(&self, steps: u64, stored: u64) -> u64 {
        let (stored_cost, cost) = self.level_step_costs;
        steps.min(stored) * stored_cost + steps.saturating_sub(stored) * cost
    }

    /// The nearest members of a group; none if its members are not told by levels.
    pub fn nearest(
        &self,
        planner: &Planner<'s>,
        group: &Group<'s>,
        prefix: u64,
        stretch: &Stretch,
        scorer: &mut Scorer<'s>,
    ) -> Option<Vec<Position>> {
        let level_groups: &[LevelGroup] = match (group.tier, group.kind) {
            (Tier::NameHasAll, Kind::Whole) if self.has_all_names => &LevelGroup::NAMES,
            _ if self.is_compound => return None,
            (Tier::NameIs, _) => &[LevelGroup::NameIs],
            (Tier::NameStarts, _) => &[LevelGroup::NameStarts],
            (Tier::NameHasAll, Kind::Whole) => &[LevelGroup::NameHas],
            (Tier::NameHasAll, Kind::Prefix) | (Tier::PhraseElsewhere, _) => {
                &[LevelGroup::Elsewhere]
            }
            _ => return None,
        };
        let start = stretch.start_in(prefix);
        let start = start.map(|start| ((start.relevance_key & 0xffff) as u32, start.doc));
        let from_score = start.map(|(score, _)| score);
        let is_best_first = stretch.is_best_first();
        let forms = scorer.legal_forms();
        let parts = legal_forms::parts(&group.members, forms, is_best_first, from_score);
        let mut found = Vec::with_capacity(stretch.wanted);
        for part in &parts {
            // The parts of a compound come to more than a legal form, but then there is one part of the group.
            let in_part =
                |score: u32| self.is_compound || score / LEGAL_FORM == part.base / LEGAL_FORM;
            let from = start.filter(|&(score, _)| in_part(score));
            let from = from.map(|(score, doc)| (score - part.base, doc));
            let mut walk = PartWalk {
                planner,
                word: self,
                group,
                part,
                prefix,
                stretch,
                scorer,
                found: &mut found,
            };
            walk.take(level_groups, from);
        }
        Some(found)
    }
}

/// Businesses with a letter of a compound, for each member of its group, from which on members are not told apart by it.
const COMMON: u64 = 2;

/// Most businesses of levels that are looked at together.
const BATCH_MAX: usize = 1024;

/// Fewest of one level and chunk that are looked at together: a few cost less one by one.
const TOGETHER_MIN: usize = 8;

/// Those of `batch`, impacts and businesses in the order of a walk, that are among `members`, if that is a condition.
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

/// A walk over one part of a group.
struct PartWalk<'a, 's> {
    planner: &'a Planner<'s>,
    word: &'a SingleWord<'s>,
    group: &'a Group<'s>,
    part: &'a Part<'s>,
    prefix: u64,
    stretch: &'a Stretch,
    scorer: &'a mut Scorer<'s>,
    found: &'a mut Vec<Position>,
}

impl<'s> PartWalk<'_, 's> {
    /// Appends the nearest members, which are those of `groups`, behind `from`, what its words add to a business, and
    /// that business.
    fn take(&mut self, groups: &[LevelGroup], from: Option<(u32, DocId)>) {
        match (self.stretch.is_best_first(), from) {
            (true, Some((0, doc))) => self.unscored(groups, Some(doc)),
            (true, from) => {
                self.scored(groups, from);
                self.unscored(groups, None);
            }
            (false, Some((score, _))) if score > 0 => self.scored(groups, from),
            (false, from) => {
                self.unscored(groups, from.map(|(_, doc)| doc));
                self.scored(groups, None);
            }
        }
    }

    fn left(&self) -> usize {
        self.stretch.wanted - self.found.len()
    }

    fn position(&self, score: u32, doc: DocId) -> Position {
        Position { relevance_key: self.prefix | u64::from(self.part.base + score), doc }
    }

    /// Members that hold the word.
    fn scored(&mut self, groups: &[LevelGroup], from: Option<(u32, DocId)>) {
        let left = self.left();
        let scored = &self.word.scored;
        // They hold the word nowhere, unless it is one that is read as others.
        let is_in_host =
            (self.group.tier, self.group.kind) == (Tier::PhraseElsewhere, Kind::Prefix);
        let hold_none = is_in_host && !self.word.has_all_names;
        if left == 0 || hold_none || scored.is_nothing() || self.part.members.is_nothing() {
            return;
        }
        let start = from.map(|(score, doc)| self.position(score, doc));
        let stretch = self.stretch.from(start, left);
        if let Some(mut found) = self.walked_all(groups, from) {
            let otherwise = &self.word.otherwise;
            if !otherwise.is_nothing() {
                let members = self.members_among(otherwise);
                found.extend(nearest(&members, self.prefix, self.scorer, stretch));
            }
            found.sort_unstable_by_key(|position| self.stretch.distance(position));
            // A walk along one group meets businesses of the others that have the same impact.
            found.dedup_by_key(|position| position.doc);
            found.truncate(left);
            self.found.append(&mut found);
            return;
        }
        let members = self.members_among(scored);
        self.found.extend(nearest(&members, self.prefix, self.scorer, stretch));
    }

    /// The members that match `plan`. Nearly all names with `s.p.a` hold its letters, which many businesses do: to score
    /// all of these names, who all score something, costs less than to find those who hold a letter (1.04 ms instead of 1.5).
    fn members_among(&self, plan: &Plan<'s>) -> Plan<'s> {
        let members = self.part.members.clone();
        let is_common = plan.cardinality_max() > members.cardinality_max() * COMMON;
        if self.word.is_compound && is_common {
            return members;
        }
        Plan::intersection([members, plan.clone()])
    }

    /// The nearest of each list and group by walks along levels, if there are any and none is dearer than enumerating.
    fn walked_all(
        &mut self,
        groups: &[LevelGroup],
        from: Option<(u32, DocId)>,
    ) -> Option<Vec<Position>> {
        let word = self.word;
        let mut found = Vec::new();
        for (list, levels) in &word.levels {
            for &group in groups {
                found.append(&mut self.walked(list, levels, group, from)?);
            }
        }
        (!word.levels.is_empty()).then_some(found)
    }

    /// The nearest by a walk along levels, unless enumerating the members costs less, or turns out to. Of those who are
    /// on several lists, it may leave some out.
    fn walked(
        &mut self,
        list: &List<'s>,
        levels: &TermLevels<'_>,
        group: LevelGroup,
        from: Option<(u32, DocId)>,
    ) -> Option<Vec<Position>> {
        let (word, members) = (self.word, &self.part.members);
        let docs = match self.stretch.side {
            Side::After => DocWalk::Up,
            Side::Before => DocWalk::Down,
        };
        let order = LevelWalk { is_best_first: self.stretch.is_best_first(), docs };
        // What several words add may be more than any level.
        let from = match from.map(|(score, doc)| (u8::try_from(score), doc)) {
            Some((Ok(impact), doc)) => Some((impact, doc)),
            Some((Err(_), _)) if !order.is_best_first => return Some(Vec::new()),
            Some((Err(_), _)) | None => None,
        };
        let is_from_best = self.stretch.is_from_best() && from.is_none();
        let stored = if is_from_best { levels.stored_len(group) } else { 0 };
        let steps = self.steps(levels, group);
        let enumerated = members.cardinality_max().min(word.scored.cardinality_max());
        if word.walk_cost(steps, stored) > enumerated {
            return None;
        }
        // Whoever is on a level holds the word.
        let members = members.given(&list.postings);
        let expected = 4 * steps;
        let left = self.left();
        let mut found = Vec::with_capacity(left);
        let mut looked_at = 0;
        let mut walk = levels.walk(group, order, from);
        // More at a time, the longer it takes: who is met side by side costs less to tell.
        let mut batch: Vec<(u8, DocId)> = Vec::new();
        let mut batch_len = left;
        loop {
            batch.clear();
            batch.extend(walk.by_ref().take(batch_len));
            if batch.is_empty() {
                return Some(found);
            }
            for (impact, doc) in members_of(members.as_ref(), &batch) {
                let position = self.position(impact.into(), doc);
                // Whoever scores more by another list has another place.
                if !word.is_several()
                    || self.prefix | u64::from(self.scorer.score(doc)) == position.relevance_key
                {
                    found.push(position);
                }
                if found.len() == left {
                    return Some(found);
                }
            }
            looked_at += batch.len() as u64;
            // Words and filters may shun each other, so that the best businesses of a word are no hits; and behind the
            // last of the members there may be many who are none.
            if looked_at > expected && 2 * word.walk_cost(looked_at, stored) > enumerated {
                self.planner.took(Shortcut::LevelsGivenUp);
                return None;
            }
            batch_len = BATCH_MAX.min(batch_len * 2);
        }
    }

    /// How many businesses a walk along levels will look at, about.
    fn steps(&self, levels: &TermLevels<'_>, group: LevelGroup) -> u64 {
        let (hits, all) = self.word.share;
        let (group_len, most) = (levels.group_len(group), self.part.members.cardinality_max());
        let members = match self.group.kind {
            // Few of those that hold the word elsewhere hold a longer one in their name.
            Kind::Prefix => u128::from(most) * u128::from(hits) / u128::from(all.max(1)),
            Kind::Whole => u128::from(most)
                .min(u128::from(hits) * u128::from(group_len) / u128::from(all.max(1))),
        };
        (self.left() as u128 * u128::from(group_len) / members.max(1)) as u64
    }

    /// Members that hold the word only as a prefix.
    fn unscored(&mut self, groups: &[LevelGroup], from: Option<DocId>) {
        let left = self.left();
        let all_score = self.group.kind == Kind::Whole && self.word.has_all_forms;
        if left == 0 || groups != [LevelGroup::Elsewhere] || all_score {
            return;
        }
        let rest = Plan::difference(self.part.members.clone(), self.word.scored.clone());
        let docs = by_doc_id(&rest, self.stretch.side, from, left);
        let found: Vec<Position> = docs.iter().map(|it| self.position(0, it.doc)).collect();
        self.found.extend(found);
    }
}
