//! Pages by relevance: groups best first, inside a group by text score, then by `DocId`.
//!
//! | way | when | cost |
//! |---|---|---|
//! | static order | nothing tells the hits apart | the page |
//! | levels of terms ([`levels`](crate::snapshot::levels)) | `q` is one word, in one form or several, or is corrected to one or several, maybe with legal forms, and enough of its businesses match | a block for every business looked at; those who hold several of the words are scored |
//! | best of a word in an industry ([`best_within`](crate::snapshot::best_within)) | `q` is one word, asked for in one industry: the first page | a few probes, and one score; who holds a longer word in the name is found and scored, if those who hold the word there do not fill the page |
//! | best of a phrase, wherever or in one industry ([`phrases`](crate::snapshot::phrases)) | `q` is two words, who holds them next to each other has no better place, and these fill the page | a probe for each that is stored, and its score |
//! | best of names with two words ([`best_within`](crate::snapshot::best_within)) | `q` is two words: the first page, of those who hold both in the name | a probe for each that is stored, and its score |
//! | best of a word with a legal form ([`best_within`](crate::snapshot::best_within)) | `q` is one word with one legal form: the first page | a probe for each that is stored |
//! | sums of levels ([`summed_levels`](super::summed_levels)) | `q` is several plain words with levels, of which many are in the group that a cursor points into: later pages | the blocks that may have the next sums |
//! | joined apart ([`joined`](super::joined)) | few businesses hold two words of `q` as one | the page twice, without them and of them |
//! | parts by legal forms ([`legal_forms`]) | `q` is several words with one legal form or two, and many are in a group: those with more forms in the name first | scoring every member of a part |
//! | static order behind what scores | `q` is one word that most hits hold only as a prefix | the page |
//! | portions of the hits ([`relax`](super::relax)) | nothing matches all words | the names of those who may be near; of those with one frequent word a byte each |
//! | scoring every member of a group | anything else | the group, in bounded space |
//! | checking candidates by descending score | phrases | a read of some 150 bytes for each candidate until the page is full |

use super::Query;
use super::best_in_industry::{BestOfPhrase, BestOfWord, two_words};
use super::candidates::for_each_chunk_left;
use super::check::Check;
use super::cursor::Position;
use super::hit_set::HitSet;
use super::legal_forms::{self, FORMS_MAX, Part};
use super::nearest::{GROUP_SHIFT, Nearest, Stretch, first_of_best, nearest};
use super::order::by_doc_id;
use super::plan::Plan;
use super::planner::Planner;
use super::rank::{Group, GroupSplit, Kind, Step, Tier, group_key};
use super::relax::RelaxedScorer;
use super::score::{LEGAL_FORM, Scorer, words_max};
use super::shortcut::Shortcut;
use super::single_word::SingleWord;
use super::summed_levels::SummedLevels;
use super::understand::Understanding;
use super::within_industry::WithinIndustry;
use crate::snapshot::best_within::StoredBest;

/// Most candidates for a phrase that are kept in one pass over all of them: 24 bytes each, and as many again on the way.
const AHEAD_MAX: usize = 1 << 14;

/// What finding and scoring a hit within an industry costs, in businesses enumerated.
const WITHIN_COST: u64 = 2;

/// What is told of some hits before the others are looked for.
#[derive(Default)]
pub struct Apart<'s> {
    /// Who is not looked for.
    pub excluded: Option<Plan<'s>>,
    /// The nearest of those who match, which are part of the page: so much less is looked for.
    pub nearest: Vec<Position>,
}

/// The nearest of the hits, with their total, by relevance in the direction of the walk, and whoever is `apart` left out;
/// `of_phrase` are the stored best in the industry, if they fill the page.
pub fn by_relevance<'s>(
    planner: &Planner<'s>,
    query: &Query,
    understanding: &Understanding<'s>,
    (hits, total): (&Plan<'s>, u64),
    of_phrase: Option<BestOfPhrase<'s>>,
    apart: Apart<'s>,
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
        let scorer = Scorer::new(planner, understanding, &query.text);
        return relaxed.nearest(planner, understanding, hits, scorer, stretch);
    }
    let mut scorer = Scorer::new(planner, understanding, &query.text);
    // Later pages, and longer ones, are found where hits are held.
    if let [only] = understanding.clauses.as_slice()
        && stretch.is_from_best()
        && stretch.start.is_none()
        && let Some(best) = BestOfWord::new(planner, query, only)
        && let Some(page) = best.first_page(only, &mut scorer, stretch)
    {
        planner.took(Shortcut::BestInIndustry);
        return page;
    }
    let single_word = SingleWord::of(planner, query, understanding, total);
    let (best_of_phrase, of_phrase_by) = match of_phrase {
        Some(BestOfPhrase(best)) => (Some(best), Shortcut::BestOfPhraseInIndustry),
        None => {
            let stored = two_words(planner, query, understanding);
            let stored = stored.filter(|stored| !stored.best.is_empty());
            let best = stored.map(|stored| StoredBest { docs: stored.best, are_all: false });
            (best, Shortcut::BestOfPhrase)
        }
    };
    let hits = match (&single_word, understanding.clauses.as_slice()) {
        (Some(word), [understood]) => {
            let longer = understood.in_name_as_prefix().cardinality_max();
            held(planner, hits, total, |cost| word.is_enumerated(cost, longer, stretch.wanted))
        }
        // Without stored best businesses, most groups are looked at, each of them all over again if hits are not held.
        _ if best_of_phrase.is_none() => {
            held(planner, hits, total, |_| total <= planner.tuning().hits_held_max)
        }
        _ => None,
    }
    .unwrap_or_else(|| hits.clone());
    let hits = match (hits, apart.excluded) {
        (hits, None) => hits,
        (Plan::Ready(hits), Some(excluded)) => Plan::ready(hits.without(&excluded)),
        (hits, Some(excluded)) => Plan::difference(hits, excluded),
    };
    // Only pages that begin somewhere are looked for so.
    let summed_levels = stretch.start.and_then(|_| SummedLevels::of(planner, query, understanding));
    let split = GroupSplit::new(planner, understanding, &query.text, hits);
    let is_phrase = matches!(understanding.clauses.as_slice(), [only] if only.clause.is_quoted);
    let scores_all = stretch.start.is_some() || !apart.nearest.is_empty();
    let found = Vec::new();
    let page = Walk {
        planner,
        query,
        understanding,
        scorer,
        single_word,
        summed_levels,
        best_of_phrase,
        of_phrase_by,
        is_phrase,
        scores_all,
        stretch,
        apart: apart.nearest,
        wanted: stretch.wanted,
        found,
    };
    if stretch.is_best_first() { page.best_first(split) } else { page.worst_first(split) }
}

/// The stored best of those whose name holds `q`, if it is two words that are told by one term each.
fn best_of_names<'s>(
    planner: &Planner<'s>,
    query: &Query,
    understanding: &Understanding<'s>,
) -> Option<StoredBest<'s>> {
    let [first, second] = understanding.clauses.as_slice() else { return None };
    // Legal forms count for the score.
    if !query.text.trailing_forms().is_empty() {
        return None;
    }
    planner.snapshot().best_of_names(first.only_term(planner)?, second.only_term(planner)?)
}

/// The `total` hits of an intersection as a set, if that is worth what it costs, in businesses enumerated: each group
/// would enumerate them anew.
fn held<'s>(
    planner: &Planner<'s>,
    hits: &Plan<'s>,
    total: u64,
    is_worth: impl Fn(u64) -> bool,
) -> Option<Plan<'s>> {
    let kept_max = planner.tuning().kept_max;
    if total > kept_max {
        return None;
    }
    let Plan::Intersection(parts) = hits else { return None };
    if let Some(within) = WithinIndustry::new(planner, parts) {
        if !is_worth(total * WITHIN_COST) {
            return None;
        }
        planner.took(Shortcut::WithinIndustry);
        return within.hits(kept_max).1.map(Plan::ready);
    }
    is_worth(hits.cardinality_max()).then(|| Plan::ready(hits.hit_set()))
}

/// A walk over groups.
struct Walk<'a, 's> {
    planner: &'a Planner<'s>,
    query: &'a Query,
    understanding: &'a Understanding<'s>,
    scorer: Scorer<'s>,
    single_word: Option<SingleWord<'s>>,
    summed_levels: Option<SummedLevels<'s>>,
    /// The stored best of those who hold `q` as a phrase, if it is two words whose impacts are the text score; and which
    /// shortcut that is.
    best_of_phrase: Option<StoredBest<'s>>,
    of_phrase_by: Shortcut,
    /// Do all hits hold it as a phrase?
    is_phrase: bool,
    /// Are all positions compared with others? Otherwise nobody asks for more than the score of the last on the page, behind
    /// which the next page begins. (Those apart are found first, but nothing is stored of words that are written as one.)
    scores_all: bool,
    stretch: Stretch,
    /// Positions that are brought together with those found, and how many of these are wanted, since the others come first.
    apart: Vec<Position>,
    wanted: usize,
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
                    let group = (Tier::PhraseElsewhere, Kind::Whole);
                    self.begin(group.0, group.1);
                    if self.is_full() {
                        break;
                    }
                    if self.take_best_of_phrase(group, &candidates.hits) {
                        break;
                    }
                    let checked = self.take_checked(group, &candidates.hits, &candidates.check);
                    if self.is_full() {
                        break;
                    }
                    // Whoever begins with the first page has checked all candidates by now.
                    let members = match (checked, self.stretch.start) {
                        (Some(members), None) => Plan::ready(members),
                        _ => candidates.members(),
                    };
                    split.phrase_checked(&members);
                }
            }
        }
        self.into_page()
    }

    fn worst_first(mut self, mut split: GroupSplit<'_, 's>) -> Vec<Position> {
        let mut groups: Vec<Group<'s>> = Vec::new();
        // Whoever is in a worse group than the business at which the walk begins lies behind it.
        while let Some(group) = split.next_group() {
            let is_last = self.begins_within_or_before(group.tier, group.kind);
            groups.push(group);
            if is_last {
                break;
            }
        }
        for group in groups.iter().rev() {
            self.take(group);
            if self.is_full() {
                break;
            }
        }
        self.into_page()
    }

    /// What was found, brought together with those apart.
    fn into_page(self) -> Vec<Position> {
        let Walk { stretch, mut found, mut apart, .. } = self;
        if !apart.is_empty() {
            found.append(&mut apart);
            found.sort_unstable_by_key(|position| stretch.distance(position));
            found.truncate(stretch.wanted);
        }
        found
    }

    fn is_full(&self) -> bool {
        self.found.len() >= self.wanted
    }

    /// What is still wanted.
    fn left(&self) -> Stretch {
        self.stretch.from(self.stretch.start, self.wanted - self.found.len())
    }

    /// From now on, the members of a group are wanted.
    fn begin(&mut self, tier: Tier, kind: Kind) {
        let here = group_key(tier, kind);
        let is_best_first = self.stretch.is_best_first();
        let comes_first = |position: &&Position| {
            let key = position.relevance_key >> GROUP_SHIFT;
            if is_best_first { key > here } else { key < here }
        };
        self.wanted = self.stretch.wanted - self.apart.iter().filter(comes_first).count();
    }

    /// Does the walk begin beyond the whole group?
    fn is_behind(&self, tier: Tier, kind: Kind) -> bool {
        self.stretch.start.as_ref().is_some_and(|start| {
            let (key, here) = (group_key(tier, kind), start.relevance_key >> GROUP_SHIFT);
            if self.stretch.is_best_first() { key > here } else { key < here }
        })
    }

    /// Does the walk begin at a business of the group, or of a better one?
    fn begins_within_or_before(&self, tier: Tier, kind: Kind) -> bool {
        let start = self.stretch.start.as_ref();
        start.is_some_and(|start| start.relevance_key >> GROUP_SHIFT >= group_key(tier, kind))
    }

    /// Appends the nearest members of a group.
    fn take(&mut self, group: &Group<'s>) {
        self.begin(group.tier, group.kind);
        if self.is_full() || self.is_behind(group.tier, group.kind) {
            return;
        }
        let prefix = group_key(group.tier, group.kind) << GROUP_SHIFT;
        let left = self.left();
        let (num_members, held_max) =
            (group.members.cardinality_max(), self.planner.tuning().held_max);
        if let Some(word) = &self.single_word
            && num_members > held_max.min(left.wanted as u64)
            && let Some(found) = word.nearest(self.planner, group, prefix, &left, &mut self.scorer)
        {
            self.planner.took(if word.is_several() {
                Shortcut::LevelsOfSeveral
            } else {
                Shortcut::Levels
            });
            self.found.extend(found);
            return;
        }
        if (group.tier, group.kind) == (Tier::NameHasAll, Kind::Whole)
            && num_members > held_max
            && let Some(best) = best_of_names(self.planner, self.query, self.understanding)
            && self.take_best((group.tier, group.kind), &group.members, best)
        {
            self.planner.took(Shortcut::BestOfNames);
            return;
        }
        let are_phrase =
            self.is_phrase || (group.tier, group.kind) == (Tier::PhraseElsewhere, Kind::Whole);
        if are_phrase && self.take_best_of_phrase((group.tier, group.kind), &group.members) {
            return;
        }
        if let Plan::Check { candidates, check, .. } = &group.members
            && num_members > held_max
        {
            self.take_checked((group.tier, group.kind), candidates, check);
            return;
        }
        if self.take_by_sums((group.tier, group.kind), &group.members, None) {
            return;
        }
        if num_members > held_max && self.take_by_forms(group, prefix) {
            return;
        }
        self.found.extend(nearest(&group.members, prefix, &mut self.scorer, left));
    }

    /// Appends the nearest of a group, those with most legal forms first, if there are any, and if whoever carries one more
    /// scores more, whatever the words weigh.
    fn take_by_forms(&mut self, group: &Group<'s>, prefix: u64) -> bool {
        let forms = self.scorer.legal_forms();
        if forms.is_empty() || forms.len() > FORMS_MAX {
            return false;
        }
        if words_max(self.planner, self.understanding).is_none_or(|most| most >= LEGAL_FORM) {
            return false;
        }
        self.planner.took(Shortcut::PartsByForms);
        let start = self.stretch.start_in(prefix).map(|start| start.relevance_key as u32);
        let is_best_first = self.stretch.is_best_first();
        for Part { members, .. } in legal_forms::parts(&group.members, forms, is_best_first, start)
        {
            if self.is_full() {
                break;
            }
            let left = self.left();
            self.found.extend(nearest(&members, prefix, &mut self.scorer, left));
        }
        true
    }

    /// Fills the page with those of `hits` among the stored best businesses of the phrase, if they suffice.
    fn take_best_of_phrase(&mut self, (tier, kind): (Tier, Kind), hits: &Plan<'s>) -> bool {
        let Some(best) = self.best_of_phrase else { return false };
        let is_taken = self.take_best((tier, kind), hits, best);
        if is_taken {
            self.planner.took(self.of_phrase_by);
        }
        is_taken
    }

    /// Fills the page with those of `hits` among `best`, if they suffice, or are all.
    fn take_best(
        &mut self,
        (tier, kind): (Tier, Kind),
        hits: &Plan<'s>,
        best: StoredBest<'s>,
    ) -> bool {
        if self.is_behind(tier, kind) || !self.stretch.is_from_best() {
            return false;
        }
        let start = self.stretch.start.as_ref().map(|start| self.stretch.distance(start));
        let prefix = group_key(tier, kind) << GROUP_SHIFT;
        let Walk { scorer, stretch, wanted, found: before, scores_all, .. } = self;
        let left = *wanted - before.len();
        let found = first_of_best(best, hits, left, |number, doc| {
            let is_last = before.len() + number + 2 == *wanted;
            let score = if *scores_all || is_last { scorer.score(doc) } else { 0 };
            let position = Position { relevance_key: prefix | u64::from(score), doc };
            start.is_none_or(|start| stretch.distance(&position) > start).then_some(position)
        });
        let is_taken = found.is_some();
        self.found.extend(found.into_iter().flatten());
        is_taken
    }

    /// Appends the nearest of `members` that pass `check` by sums of levels, if they are many.
    fn take_by_sums(
        &mut self,
        (tier, kind): (Tier, Kind),
        members: &Plan<'s>,
        check: Option<&Check<'s>>,
    ) -> bool {
        let left = self.left();
        let prefix = group_key(tier, kind) << GROUP_SHIFT;
        let Some(summed) = &self.summed_levels else { return false };
        if members.cardinality_max() <= self.planner.tuning().summed_min {
            return false;
        }
        let members = (members, check);
        let found = summed.nearest((tier, kind), members, prefix, left, &mut self.scorer);
        let is_taken = found.is_some();
        if is_taken {
            self.planner.took(Shortcut::SummedLevels);
        }
        self.found.extend(found.into_iter().flatten());
        is_taken
    }

    /// Appends the nearest of those candidates that turn out to be members: they are asked in order, until there
    /// are enough. Otherwise returns all members that are ahead, if all were asked.
    fn take_checked(
        &mut self,
        (tier, kind): (Tier, Kind),
        candidates: &Plan<'s>,
        check: &Check<'s>,
    ) -> Option<HitSet> {
        let mut members: Vec<u32> = Vec::new();
        if self.is_behind(tier, kind) {
            return Some(HitSet::default());
        }
        if self.take_by_sums((tier, kind), candidates, Some(check)) {
            return None;
        }
        let prefix = group_key(tier, kind) << GROUP_SHIFT;
        let tuning = self.planner.tuning();
        let kept = (tuning.kept_max as usize).clamp(tuning.checked_first, AHEAD_MAX);
        let mut start = self.stretch.start;
        loop {
            let mut ahead = Nearest::new(self.stretch.from(start, kept));
            let mut score_all = |left: &mut HitSet| {
                self.scorer.for_each_score_of(left, |doc, score| {
                    let relevance_key = prefix | u64::from(score);
                    ahead.push(Position { relevance_key, doc });
                });
                left.clear();
            };
            // Of most chunks nobody is left: lists are looked up where somebody is, one after the other.
            let mut left = HitSet::default();
            for_each_chunk_left(check, candidates, |key, lows| {
                left.extend(key, lows);
                if left.len() >= AHEAD_MAX as u64 {
                    score_all(&mut left);
                }
            });
            score_all(&mut left);
            let mut ahead = ahead.into_kept();
            let is_all = ahead.len() < kept;
            let (mut rest, mut asked) = (ahead.as_mut_slice(), tuning.checked_first);
            while !rest.is_empty() {
                let next = asked.min(rest.len());
                if next < rest.len() {
                    rest.select_nth_unstable_by_key(next, |(distance, _)| *distance);
                }
                let (batch, behind) = rest.split_at_mut(next);
                batch.sort_unstable_by_key(|(distance, _)| *distance);
                let batch: Vec<Position> = batch.iter().map(|(_, position)| *position).collect();
                self.take_members(&batch, check, &mut members);
                if self.is_full() {
                    return None;
                }
                start = batch.last().copied();
                rest = behind;
                asked *= 4;
            }
            if is_all {
                // A page is not full of them, so they are few.
                return Some(HitSet::of(members));
            }
        }
    }

    /// Appends those of `batch` that pass the check, until the page is full.
    fn take_members(&mut self, batch: &[Position], check: &Check<'s>, members: &mut Vec<u32>) {
        let doc_of = |position: &Position| position.doc;
        check.each_passing(batch, doc_of, |&position| {
            members.push(position.doc.0);
            self.found.push(position);
            !self.is_full()
        });
    }
}
