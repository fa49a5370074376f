//! Pages by relevance: groups best first, inside a group by text score, then by `DocId`.
//!
//! | way | when | cost |
//! |---|---|---|
//! | static order | nothing tells the hits apart | the page |
//! | levels of a term ([`levels`](crate::snapshot::levels)) | `q` is one word that stores them, and enough of its businesses match | a block for every business looked at |
//! | scoring every member of a group | anything else | the group, in bounded space |
//! | checking candidates by descending score | phrases | a read of some 150 bytes for each candidate until the page is full |

use super::Query;
use super::cursor::Position;
use super::cursor::Side;
use super::nearest::{Nearest, Stretch};
use super::order::by_doc_id;
use super::plan::{List, Plan, Planner};
use super::rank::{Group, GroupSplit, Kind, PhraseCandidates, Step, Tier};
use super::relax::RelaxedScorer;
use super::score::Scorer;
use super::shortcut::Shortcut;
use super::text::Term;
use super::understand::Understanding;
use crate::ids::DocId;
use crate::snapshot::dense::DenseKey;
use crate::snapshot::levels::{LevelGroup, LevelWalk, TermLevels};

/// Bits of a relevance key below tier and kind.
const GROUP_SHIFT: u32 = 32;

/// The nearest hits by relevance in the direction of the walk.
pub fn by_relevance<'s>(
    planner: &Planner<'s>,
    query: &Query,
    understanding: &Understanding<'s>,
    hits: &Plan<'s>,
    total: u64,
    stretch: Stretch,
) -> Vec<Position> {
    if understanding.clauses.is_empty() {
        // Nothing tells the hits apart.
        planner.took(Shortcut::StaticWalk);
        let start = stretch.start.map(|position| position.doc);
        return by_doc_id(hits, stretch.side, start, stretch.wanted);
    }
    if understanding.is_relaxed {
        let relaxed = RelaxedScorer::new(planner, understanding);
        let mut scorer = Scorer::new(planner, understanding, &query.text);
        let mut nearest = Nearest::new(stretch);
        hits.for_each(|doc| {
            let score = u64::from(relaxed.score(doc)) << 16 | u64::from(scorer.score(doc));
            nearest.push(Position { relevance_key: score, doc });
        });
        return nearest.into_sorted();
    }
    let split = GroupSplit::new(planner, understanding, &query.text, hits.clone());
    let scorer = Scorer::new(planner, understanding, &query.text);
    let leveled = LeveledTerm::of(planner, query, understanding, hits, total, stretch.wanted);
    let page = Walk { planner, scorer, leveled, stretch, found: Vec::new() };
    if stretch.is_best_first() { page.best_first(split) } else { page.worst_first(split) }
}

/// A walk over groups.
struct Walk<'a, 's> {
    planner: &'a Planner<'s>,
    scorer: Scorer<'s>,
    leveled: Option<LeveledTerm<'s>>,
    stretch: Stretch,
    found: Vec<Position>,
}

impl<'s> Walk<'_, 's> {
    fn best_first(mut self, mut split: GroupSplit<'_, 's>) -> Vec<Position> {
        while !self.is_full()
            && let Some(step) = split.next_step()
        {
            match step {
                Step::Group(group) => self.take(&group),
                Step::Phrase(candidates) => {
                    if let Some(members) = self.take_members(&candidates) {
                        split.phrase_checked(&members);
                    }
                }
            }
        }
        self.found
    }

    fn worst_first(mut self, mut split: GroupSplit<'_, 's>) -> Vec<Position> {
        let groups: Vec<Group<'s>> = std::iter::from_fn(|| split.next_group()).collect();
        for group in groups.iter().rev() {
            self.take(group);
            if self.is_full() {
                break;
            }
        }
        self.found
    }

    fn is_full(&self) -> bool {
        self.found.len() == self.stretch.wanted
    }

    /// What is still wanted.
    fn left(&self) -> Stretch {
        self.stretch.behind(None, self.stretch.wanted - self.found.len())
    }

    /// Does the walk begin beyond the whole group?
    fn is_behind(&self, tier: Tier, kind: Kind) -> bool {
        self.stretch.start.as_ref().is_some_and(|start| {
            let (key, here) = (group_key(tier, kind), start.relevance_key >> GROUP_SHIFT);
            if self.stretch.is_best_first() { key > here } else { key < here }
        })
    }

    /// Appends the nearest members of a group.
    fn take(&mut self, group: &Group<'s>) {
        if self.is_behind(group.tier, group.kind) {
            return;
        }
        let prefix = group_key(group.tier, group.kind) << GROUP_SHIFT;
        let left = self.left();
        let is_large = !matches!(group.members, Plan::Ready(_));
        if let Some(leveled) = self.leveled.as_ref().filter(|_| is_large)
            && let Some(found) = leveled.nearest(group, prefix, &left)
        {
            self.planner.took(Shortcut::Levels);
            self.found.extend(found);
            return;
        }
        let mut nearest = Nearest::new(left);
        group.members.for_each(|doc| {
            let relevance_key = prefix | u64::from(self.scorer.score(doc));
            nearest.push(Position { relevance_key, doc });
        });
        self.found.extend(nearest.into_sorted());
    }

    /// Appends the nearest of those candidates that turn out to be members: they are asked in order, until there
    /// are enough. Otherwise returns the members.
    fn take_members(&mut self, candidates: &PhraseCandidates<'s>) -> Option<Plan<'s>> {
        let (tier, kind) = (Tier::PhraseElsewhere, Kind::Whole);
        let prefix = group_key(tier, kind) << GROUP_SHIFT;
        let mut checked = self.planner.tuning().checked_first;
        let mut last = None;
        while !self.is_behind(tier, kind) {
            let mut nearest = Nearest::new(self.stretch.behind(last, checked));
            candidates.hits.for_each(|doc| {
                let relevance_key = prefix | u64::from(self.scorer.score(doc));
                nearest.push(Position { relevance_key, doc });
            });
            let batch = nearest.into_sorted();
            for &position in &batch {
                if candidates.is_member(position.doc) {
                    self.found.push(position);
                    if self.is_full() {
                        return None;
                    }
                }
            }
            if batch.len() < checked {
                break;
            }
            last = batch.last().copied();
            checked *= 8;
        }
        Some(candidates.members())
    }
}

/// Tier and kind as part of a relevance key: the better, the larger.
fn group_key(tier: Tier, kind: Kind) -> u64 {
    (Tier::ALL.len() - tier as usize) as u64 * 2 + u64::from(kind == Kind::Whole)
}

/// A `q` of one word whose businesses are stored by score.
struct LeveledTerm<'s> {
    levels: TermLevels<'s>,
    /// The businesses that score anything.
    scored: Plan<'s>,
}

impl<'s> LeveledTerm<'s> {
    /// The word of `q`, if the scores of all hits are its impacts, and walking its levels is worth it.
    fn of(
        planner: &Planner<'s>,
        query: &Query,
        understanding: &Understanding<'s>,
        hits: &Plan<'s>,
        total: u64,
        wanted: usize,
    ) -> Option<LeveledTerm<'s>> {
        let [understood] = understanding.clauses.as_slice() else { return None };
        let Term::Word(word) = &understood.clause.term else { return None };
        let [form] = word.forms.as_slice() else { return None };
        if !understood.readings.is_empty() || !query.text.trailing_forms().is_empty() {
            return None;
        }
        let ord = planner.ord(form)?;
        let lists = planner.snapshot().terms().lists(ord);
        let (levels, postings) = (lists.levels?, lists.any?);
        let looked_at = wanted as u64 * postings.len() as u64 / total.max(1);
        let scored = Plan::List(List { postings, key: Some(DenseKey::Term(ord)) });
        (looked_at * planner.tuning().level_step_cost <= hits.cardinality_max())
            .then_some(LeveledTerm { levels, scored })
    }

    /// The nearest members of a group; none if its members are not told by levels.
    fn nearest(&self, group: &Group<'s>, prefix: u64, stretch: &Stretch) -> Option<Vec<Position>> {
        let level_group = match (group.tier, group.kind) {
            (Tier::NameIs, _) => LevelGroup::NameIs,
            (Tier::NameStarts, _) => LevelGroup::NameStarts,
            (Tier::NameHasAll, Kind::Whole) => LevelGroup::NameHas,
            (Tier::NameHasAll, Kind::Prefix) | (Tier::PhraseElsewhere, _) => LevelGroup::Elsewhere,
            _ => return None,
        };
        let direction = match (stretch.order, stretch.side) {
            (super::SortOrder::Desc, Side::After) => LevelWalk::Down,
            (super::SortOrder::Desc, Side::Before) => LevelWalk::Up,
            // Worst first, but ties ascending: no walk along levels.
            (super::SortOrder::Asc, _) => return None,
        };
        // Where in this group the walk begins.
        let start = stretch
            .start
            .filter(|start| start.relevance_key >> GROUP_SHIFT == prefix >> GROUP_SHIFT);
        let start = start.map(|start| ((start.relevance_key & 0xffff) as u32, start.doc));
        let mut found = Vec::with_capacity(stretch.wanted);
        let scored =
            |found: &mut Vec<Position>, from: Option<(u8, DocId)>| {
                let walk = self.levels.walk(level_group, direction, from);
                let members = walk.filter(|(_, doc)| group.members.contains(*doc));
                let left = stretch.wanted - found.len();
                found.extend(members.take(left).map(|(impact, doc)| Position {
                    relevance_key: prefix | u64::from(impact),
                    doc,
                }));
            };
        // Those that hold the word only as a prefix score nothing, and come last.
        let unscored = |found: &mut Vec<Position>, from: Option<DocId>| {
            if level_group == LevelGroup::Elsewhere && found.len() < stretch.wanted {
                let rest = Plan::difference(group.members.clone(), self.scored.clone());
                let left = stretch.wanted - found.len();
                let rest = by_doc_id(&rest, stretch.side, from, left);
                found.extend(
                    rest.into_iter().map(|it| Position { relevance_key: prefix, doc: it.doc }),
                );
            }
        };
        let scored_from = |start: Option<(u32, DocId)>| {
            start.map(|(score, doc)| (u8::try_from(score).unwrap_or(u8::MAX), doc))
        };
        match direction {
            LevelWalk::Down => match start {
                Some((0, doc)) => unscored(&mut found, Some(doc)),
                start => {
                    scored(&mut found, scored_from(start));
                    unscored(&mut found, None);
                }
            },
            LevelWalk::Up => match start {
                Some((score, _)) if score > 0 => scored(&mut found, scored_from(start)),
                start => {
                    unscored(&mut found, start.map(|(_, doc)| doc));
                    scored(&mut found, None);
                }
            },
        }
        Some(found)
    }
}
