//! The top-k on a level of relevance by text score, by bounds of what words add: one walk for one
//! word and for several, for first and for later pages, in both directions.
//!
//! Blocks of `DocId`s are looked at in the order of ties, from the cursor on: where a score is
//! frequent, the next documents that have it fill the page. Once as many are found as are wanted,
//! the last of them bounds what may still enter, and the cursor bounds it on the other side. A
//! document whose words cannot add up to a score in between is passed over, and nearly all of these
//! are told by the impacts of one word, which lie side by side ([`impact_scan`]): of the words that
//! must add enough, the one that does so in fewest documents (MaxScore: Turtle, Flood, "Query
//! evaluation: strategies and optimizations", 1995, here with bounds from below as well). Where
//! that leaves more than a block has members, all of them are scored.
//!
//! Blocks begin small, since all members of the first ones are scored, and double up to a chunk.

mod cases;

use crate::query::cursor::{Position, Side};
use crate::query::interpret::Interpretation;
use crate::query::score::text_score::Scorer;
use crate::query::score::top_k::{Distance, PageWindow};
use crate::query::session::Session;
use crate::query::session::ways::Way;
use crate::query::sets::chunk::Chunk;
use crate::query::sets::predicate::Predicate;
use crate::query::sets::set_expr::SetExpr;
use crate::ranking::{Level, score_of};
use crate::snapshot::terms::impact_scan;
use cases::{Case, Cases, Scan};
use std::ops::{Range, RangeInclusive};

/// `DocId`s of a chunk.
const CHUNK: u32 = 1 << 16;

/// What bounds the text scores of a query.
pub struct ImpactWalk<'s> {
    cases: Cases<'s>,
    num_docs: u32,
}

impl<'s> ImpactWalk<'s> {
    /// The bounds for what `q` means, with the documents that carry each of its legal forms.
    pub fn new(
        session: &Session<'s>,
        interpretation: &Interpretation<'s>,
        legal_forms: &[SetExpr<'s>],
    ) -> ImpactWalk<'s> {
        let cases = Cases::new(session, &interpretation.clauses, legal_forms);
        ImpactWalk { cases, num_docs: session.snapshot().num_docs() }
    }

    /// The nearest of `members`, which are on a level, that pass `check`.
    pub fn nearest(
        &self,
        session: &Session<'s>,
        level: Level,
        (members, check): (&SetExpr<'s>, Option<&(dyn Predicate + 's)>),
        stretch: PageWindow,
        scorer: &mut Scorer<'s>,
    ) -> Vec<Position> {
        let mut walk = Walk {
            of: self,
            cases: self.cases.on_level(level),
            members,
            num_members: members.cardinality_max(),
            check,
            level,
            stretch,
            start: stretch.start_on(level),
            scorer,
            found: Vec::new(),
            last: None,
            is_bounded: false,
        };
        walk.look_into_all(session.tuning().walk_block);
        if walk.is_bounded {
            session.took(Way::ImpactWalk);
        }
        let mut found = walk.found;
        found.sort_unstable_by_key(|(distance, _)| *distance);
        found.into_iter().map(|(_, position)| position).collect()
    }
}

/// A walk over documents on a level.
struct Walk<'a, 's> {
    of: &'a ImpactWalk<'s>,
    cases: Vec<Case>,
    members: &'a SetExpr<'s>,
    num_members: u64,
    check: Option<&'a (dyn Predicate + 's)>,
    level: Level,
    stretch: PageWindow,
    /// The cursor, if it points to a member.
    start: Option<Position>,
    scorer: &'a mut Scorer<'s>,
    /// The nearest so far, in any order.
    found: Vec<(Distance, Position)>,
    /// The last of them, once they are as many as are wanted.
    last: Option<(Distance, Position)>,
    /// Was any document passed over?
    is_bounded: bool,
}

impl<'a, 's> Walk<'a, 's> {
    /// Looks into all blocks: those beyond the cursor in the order of ties, then the others. The
    /// first has `len` `DocId`s.
    fn look_into_all(&mut self, mut len: u32) {
        let num_docs = self.of.num_docs;
        let is_up = self.stretch.side == Side::After;
        let start = self.start.map(|start| start.doc.0.saturating_add(u32::from(is_up)));
        let start = start.unwrap_or(if is_up { 0 } else { num_docs }).min(num_docs);
        let (before, behind) = (0..start, start..num_docs);
        for mut rest in if is_up { [behind, before] } else { [before, behind] } {
            while !rest.is_empty() {
                let block = if is_up {
                    let chunk_end = (rest.start / CHUNK + 1).saturating_mul(CHUNK);
                    let end = rest.start.saturating_add(len).min(chunk_end).min(rest.end);
                    std::mem::replace(&mut rest.start, end)..end
                } else {
                    let chunk_start = (rest.end - 1) / CHUNK * CHUNK;
                    let start = rest.end.saturating_sub(len).max(chunk_start).max(rest.start);
                    start..std::mem::replace(&mut rest.end, start)
                };
                self.look_into(&block);
                len = (len * 2).min(CHUNK);
            }
        }
    }

    /// Brings the members of a block together with the nearest so far.
    fn look_into(&mut self, block: &Range<u32>) {
        let key = (block.start / CHUNK) as u16;
        let scores = self.scores(block);
        let scans = self.scans(block, &scores);
        let lows = match &scans {
            Some(scans) => self.among(key, self.scanned(key, block, scans)),
            None => self.all(key, block),
        };
        self.is_bounded |= scans.is_some();
        if lows.is_empty() {
            return;
        }
        let (level, stretch, last) = (self.level, self.stretch, self.last.map(|last| last.0));
        let start = stretch.start.as_ref().map(|start| stretch.distance(start));
        let before = self.found.len();
        let found = &mut self.found;
        self.scorer.for_each_score(key, &lows, |doc, score| {
            let position = Position { relevance_key: level.key(score), doc };
            let distance = stretch.distance(&position);
            if start.is_none_or(|start| distance > start) && last.is_none_or(|last| distance < last)
            {
                found.push((distance, position));
            }
        });
        if let Some(check) = self.check {
            let mut unverified = self.found.split_off(before);
            unverified.sort_unstable_by_key(|(distance, _)| *distance);
            check.each_matching(
                &unverified,
                |(_, position)| position.doc,
                |&passing| {
                    self.found.push(passing);
                    self.found.len() - before < stretch.wanted
                },
            );
        }
        if self.found.len() >= stretch.wanted {
            let wanted = stretch.wanted - 1;
            self.found.select_nth_unstable_by_key(wanted, |(distance, _)| *distance);
            self.found.truncate(stretch.wanted);
            self.last = self.found.last().copied();
        }
    }

    /// The scores with which members in a block may be among the nearest.
    fn scores(&self, block: &Range<u32>) -> RangeInclusive<u32> {
        let score = |position: &Position| score_of(position.relevance_key);
        // Among equal scores, no block beyond the last document that is found has a nearer one, and
        // none before the cursor one that is still to come.
        let (is_up, first, last) = (self.stretch.side == Side::After, block.start, block.end - 1);
        let is_beyond = |doc: u32| if is_up { first > doc } else { last < doc };
        let is_before = |doc: u32| if is_up { last <= doc } else { first >= doc };
        let worst = self.last.map(|(_, last)| (score(&last), is_beyond(last.doc.0)));
        let best = self.start.map(|start| (score(&start), is_before(start.doc.0)));
        let (least, most) =
            if self.stretch.is_best_first() { (worst, best) } else { (best, worst) };
        let least = least.map_or(0, |(score, is_open)| score + u32::from(is_open));
        match most {
            None => least..=u32::MAX,
            Some((0, true)) => RangeInclusive::new(1, 0),
            Some((score, is_open)) => least..=score - u32::from(is_open),
        }
    }

    /// The searches that find all members of a block with these scores; none if scoring all members
    /// costs less.
    fn scans(&self, block: &Range<u32>, scores: &RangeInclusive<u32>) -> Option<Vec<Scan>> {
        if scores.is_empty() {
            return Some(Vec::new());
        }
        let Cases { lists, plans, .. } = &self.of.cases;
        let num_docs = u64::from(self.of.num_docs);
        let share = |len: u64| (len * block.len() as u64 / num_docs) as usize;
        let len = |scan: &Scan| match scan {
            Scan::Impacts(list, bounds) => impact_scan::count(lists[*list].list(), block, bounds),
            Scan::Members(plan) => share(plans[*plan].cardinality_max()),
        };
        let (mut scans, mut all_len) = (Vec::new(), 0);
        for case in &self.cases {
            let Some(possible) = case.scans(lists, scores) else { continue };
            let (len, scan) =
                possible.into_iter().map(|scan| (len(&scan), scan)).min_by_key(|it| it.0)?;
            all_len += len;
            if all_len > share(self.num_members) {
                return None;
            }
            // A count of impacts is exact; of members only a share is known.
            let is_nothing = len == 0 && matches!(scan, Scan::Impacts(..));
            if !is_nothing && !scans.contains(&scan) {
                scans.push(scan);
            }
        }
        (!self.cases.is_empty()).then_some(scans)
    }

    /// What is found by some searches in a block.
    fn scanned(&self, key: u16, block: &Range<u32>, scans: &[Scan]) -> Chunk<'a> {
        let Cases { lists, plans, .. } = &self.of.cases;
        let found = scans.iter().map(|scan| match scan {
            Scan::Impacts(list, bounds) => {
                let mut found = Vec::new();
                impact_scan::push_to(lists[*list].list(), block, bounds, &mut found);
                Chunk::Array(found)
            }
            Scan::Members(plan) => plans[*plan].chunk_within(key, Chunk::of_range(block, key)),
        });
        found.reduce(Chunk::or).unwrap_or(Chunk::NONE)
    }

    /// The members among some documents, as far as they are told without verifying.
    fn among(&self, key: u16, lows: Chunk<'a>) -> Chunk<'a> {
        let lows = self.members.chunk_within(key, lows);
        match self.check {
            Some(check) if !lows.is_empty() => check.prefilter(key, &lows),
            _ => lows,
        }
    }

    /// The members of a block, as far as they are told without verifying.
    fn all(&self, key: u16, block: &Range<u32>) -> Chunk<'a> {
        self.among(key, Chunk::of_range(block, key))
    }
}
