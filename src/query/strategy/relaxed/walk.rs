//! The page of a relaxed answer: the hits whose bounds may reach it are looked at.
//!
//! What each clause counts at most in a document is told by the sets that hold it, so that the sums
//! of these tell, 64 documents at a time, which ones may still enter the page
//! ([`bit_sums`](crate::query::sets::bit_sums)); of these the names are read. The more the page
//! fills, the fewer are left. (Turtle, Flood: "Query evaluation: strategies and optimizations",
//! 1995, call such bounds MaxScore.)

use super::boosts::WHOLE_NAME;
use super::{Boosts, Held, ONE, RelaxedScorer, UNCOVERED, WHOLE_NAME_WORDS_MIN, WeighedClause};
use crate::ids::DocId;
use crate::query::cursor::Position;
use crate::query::interpret::Interpretation;
use crate::query::score::text_score::Scorer;
use crate::query::score::top_k::{PageWindow, TopK};
use crate::query::session::Session;
use crate::query::session::ways::Way;
use crate::query::sets::bit_sums::{BitSums, Group, SUM_MAX};
use crate::query::sets::chunk::{Chunk, Words};
use crate::query::sets::doc_set::DocSet;
use crate::query::sets::predicate::ANNOUNCED;
use crate::query::sets::set_expr::SetExpr;
use crate::query::text::Term;
use crate::simd::{combine, count_ones};
use crate::snapshot::answers::name_weights::LEAST;
use crate::snapshot::encoding::container::{BITMAP_WORDS, for_each_bit};
use crate::snapshot::terms::impact_scan;
use crate::snapshot::terms::impacts::Impacts;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Most documents of rare words that are looked at before all others.
const RARE_MAX: u64 = 128;

/// A name of which `q` covers more than this may be covered whole: sums of floats are rounded.
const COVERED: f64 = 1.0 - 1e-9;

/// The least and the largest text score.
const TEXT: [u64; 2] = [0, 0xffff];

/// The hits that are looked at, and the nearest of them.
struct Walk<'a, 's> {
    scorer: &'a RelaxedScorer<'s>,
    text: Scorer<'s>,
    /// For each clause its impacts, if they alone are the text score of documents that hold no
    /// other clause, and not in the name.
    impacts: Vec<Option<Impacts<'s>>>,
    is_best_first: bool,
    nearest: TopK,
    /// What a sum of one stands for.
    unit: f64,
    /// For each clause its sets in the chunk; none before the first chunk that needs them.
    groups: Vec<Group>,
    sums: BitSums,
    /// Documents of the chunk in whose names any word stands that counts, or a part of a clause.
    named: Box<Words>,
    /// Of these, the ones with a part.
    partly: Box<Words>,
    /// Documents of the chunk at places that `q` names.
    at_place: Box<Words>,
    /// Documents of the chunk whose names may stand whole in `q`.
    may_be_whole: Box<Words>,
    /// What is known of documents, by the sets that hold them: a byte a clause, a bit a set.
    kinds: FxHashMap<Box<[u8]>, Rc<Kind>>,
    /// Documents whose names are read next, each with the score that it comes to at the nearest.
    waiting: Vec<(DocId, u32)>,
    /// What each clause counts in these, one document after the other.
    counts: Vec<f64>,
    positions: Vec<(f64, f64)>,
    /// So many documents of a chunk are looked at one by one.
    single_max: usize,
    /// Was any hit left out for its bound?
    is_bounded: bool,
}

/// What documents in the same sets have in common.
struct Kind {
    /// What each clause counts, akin words aside.
    counts: Vec<f64>,
    /// The weight of what they hold, with the most that akin words may add.
    held_max: f64,
    /// The same without akin words, which is exact where no word is in the name.
    held: f64,
    /// The most that the words in the name weigh which are in `q`.
    covered_max: f64,
    /// May the name stand whole in `q`?
    may_be_whole: bool,
}

impl<'s> RelaxedScorer<'s> {
    /// The nearest of `hits`, by score, then by text score, then in the static order.
    pub fn nearest(
        &self,
        session: &Session<'s>,
        interpretation: &Interpretation<'s>,
        hits: &SetExpr<'s>,
        text: Scorer<'s>,
        window: PageWindow,
    ) -> Vec<Position> {
        let is_best_first = window.is_best_first();
        // Bounds are rounded to whole units.
        let unit = self.total / f64::from(SUM_MAX - self.clauses.len() as u32);
        let mut walk = Walk {
            scorer: self,
            impacts: self.impacts(interpretation, &text),
            text,
            is_best_first,
            nearest: TopK::new(window),
            unit,
            groups: Vec::new(),
            sums: BitSums::default(),
            named: Box::new([0; BITMAP_WORDS]),
            partly: Box::new([0; BITMAP_WORDS]),
            at_place: Box::new([0; BITMAP_WORDS]),
            may_be_whole: Box::new([0; BITMAP_WORDS]),
            kinds: FxHashMap::default(),
            waiting: Vec::with_capacity(ANNOUNCED),
            counts: Vec::new(),
            positions: Vec::new(),
            single_max: session.tuning().relaxed_single_max,
            is_bounded: false,
        };
        // The documents of rare words make the bound that keeps most others out.
        let first = if is_best_first { self.with_rare_words(hits) } else { DocSet::default() };
        first.iter().for_each(|doc| walk.one(doc));
        walk.read();
        let mut docs = Box::new([0; BITMAP_WORDS]);
        for key in hits.keys() {
            docs.fill(0);
            hits.or_into(key, &mut docs);
            first.chunk(key).for_each(|low| docs[usize::from(low >> 6)] &= !(1 << (low & 63)));
            if count_ones(docs.iter().copied()) > session.tuning().relaxed_few_max {
                walk.many(key, &mut docs);
            } else {
                let doc = |low| DocId(u32::from(key) << 16 | u32::from(low));
                for_each_bit(docs.iter().copied(), |low| walk.one(doc(low)));
            }
        }
        walk.read();
        if walk.is_bounded {
            session.took(Way::Relaxed);
        }
        walk.nearest.into_sorted()
    }

    /// The hits that hold the heaviest clauses, as far as these are few.
    fn with_rare_words(&self, hits: &SetExpr<'s>) -> DocSet {
        let mut by_weight: Vec<&WeighedClause<'s>> = self.clauses.iter().collect();
        by_weight.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let mut left = RARE_MAX;
        let rare = by_weight.into_iter().flat_map(|clause| &clause.sets).map_while(|(_, docs)| {
            left = left.checked_sub(docs.cardinality_max())?;
            Some(docs.clone())
        });
        SetExpr::union(rare).doc_set().within(hits)
    }

    /// For each clause the impacts of its word, if nothing else adds to the text score of documents
    /// that hold it alone. (Parts of compounds and phrases do, and so do legal forms.)
    fn impacts(
        &self,
        interpretation: &Interpretation<'s>,
        text: &Scorer<'s>,
    ) -> Vec<Option<Impacts<'s>>> {
        let mut clauses = interpretation.clauses.iter();
        let are_words = clauses.all(|clause_match| {
            matches!(clause_match.clause.term, Term::Word(_))
                && clause_match.readings.split.is_none()
        });
        let is_alone = are_words && text.legal_forms().is_empty();
        let impacts = |ord| Impacts::of(&self.snapshot.terms().lists(ord));
        let of_clause =
            |clause: &WeighedClause<'s>| clause.only_term.filter(|_| is_alone).map(impacts);
        self.clauses.iter().map(of_clause).collect()
    }
}

impl Walk<'_, '_> {
    /// May a document with this score, which it comes to at the nearest, be among the nearest?
    fn may_be_near(&self, doc: DocId, score: u32) -> bool {
        let relevance_key = u64::from(score) << 16 | TEXT[usize::from(self.is_best_first)];
        self.nearest.may_keep(&Position { relevance_key, doc })
    }

    /// Looks at one document.
    fn one(&mut self, doc: DocId) {
        let counts: Vec<f64> = self.scorer.counts(doc).collect();
        let most = counts.iter().zip(&self.scorer.clauses);
        let held_max = self.scorer.held(most.map(|(count, clause)| count.max(clause.akin_max)));
        let held = self.scorer.held(counts.iter().copied());
        let covered_max = f64::INFINITY;
        let kind = Kind { counts, held_max, held, covered_max, may_be_whole: true };
        self.wait(doc, &kind, f64::INFINITY);
    }

    /// The most that a document scores that holds so much of `q`, if the words of its name that are
    /// in `q` weigh so much at most; `boosts` are those of documents whose names do not stand whole
    /// in `q`, and do.
    fn score_max(&self, held_max: f64, covered_max: f64, name_weight: u8, boosts: [f64; 2]) -> u32 {
        let of_name = (covered_max / LEAST[usize::from(name_weight)]).min(1.0);
        let boost = boosts[usize::from(of_name > COVERED)];
        // One more, since sums of floats are rounded.
        self.scorer.score_with(held_max, of_name, boost) + 1
    }

    /// Has the name of a document read, if what it holds and what its name weighs lets it be near.
    fn wait(&mut self, doc: DocId, kind: &Kind, covered_max: f64) {
        let score = match self.is_best_first {
            true => {
                let name_weight = self.scorer.snapshot.name_weights().byte(doc);
                let of_place = self.scorer.boosts.of_place(doc);
                let whole = if kind.may_be_whole { WHOLE_NAME } else { 0.0 };
                let boosts = [of_place, of_place + whole];
                self.score_max(kind.held_max, covered_max, name_weight, boosts)
            }
            false => self.scorer.score_with(kind.held, 0.0, 1.0).saturating_sub(1),
        };
        if !self.may_be_near(doc, score) {
            self.is_bounded = true;
            return;
        }
        self.counts.extend_from_slice(&kind.counts);
        self.waiting.push((doc, score));
        if self.waiting.len() == ANNOUNCED {
            self.read();
        }
    }

    /// What is known of documents that are in these sets of each clause.
    fn kind(&mut self, sets: &[u8]) -> Rc<Kind> {
        if let Some(kind) = self.kinds.get(sets) {
            return kind.clone();
        }
        let (mut counts, mut words) = (Vec::new(), 0);
        let (mut held_max, mut covered_max) = (0.0, 0.0);
        for (clause, sets) in self.scorer.clauses.iter().zip(sets) {
            let is_in = |at: usize| sets >> at & 1 == 1;
            let held =
                || clause.sets.iter().enumerate().filter(|(at, _)| is_in(*at)).map(|it| it.1.0);
            let count = held().find(|held| *held != Held::Nearly).map_or(0.0, Held::count);
            counts.push(count);
            let most = held().map(|held| clause.count_max(held)).fold(0.0, f64::max);
            held_max += clause.weight * most;
            let is_as_written = held().any(|held| held == Held::AsWritten);
            words += if is_as_written { clause.words } else { 0 };
            covered_max += match () {
                () if held().any(|held| held == Held::Nearly) => f64::INFINITY,
                () if is_as_written => clause.covered_max,
                () => 0.0,
            };
        }
        let held = self.scorer.held(counts.iter().copied());
        let may_be_whole = words >= WHOLE_NAME_WORDS_MIN;
        let kind = Rc::new(Kind { counts, held_max, held, covered_max, may_be_whole });
        self.kinds.insert(sets.into(), kind.clone());
        kind
    }

    /// Looks at the hits of a chunk whose sums may be near enough; `left` are all of them.
    fn many(&mut self, key: u16, left: &mut Words) {
        self.fill(key);
        let mut reached = [0; BITMAP_WORDS];
        if self.nearest.bound_key().is_none() {
            // The nearest by their sums make the first bound.
            let mut levels = 0..SUM_MAX + 1;
            while levels.len() > 1 {
                let middle = levels.start + levels.len() as u32 / 2;
                self.reach(self.level(middle), left, &mut reached);
                let is_full = count_ones(reached.iter().copied()) > self.nearest.stretch().wanted;
                if is_full { levels.start = middle } else { levels.end = middle }
            }
            self.reach(self.level(levels.start), left, &mut reached);
            self.look_at(key, &reached);
            left.iter_mut().zip(reached.iter()).for_each(|(left, reached)| *left &= !reached);
        }
        self.nearest.tighten();
        let Some(bound) = self.nearest.bound_key() else { return self.look_at(key, left) };
        let held = (bound >> 16) as f64 / ONE * self.scorer.total;
        let one = self.scorer.total / ONE;
        let before = count_ones(left.iter().copied());
        match self.is_best_first {
            true => self.reach_boosted(held - one, left, &mut reached),
            false => {
                let threshold = ((held + one) / UNCOVERED / self.unit) as u32 + 1;
                self.reach([threshold; 2], left, &mut reached);
            }
        }
        let after = count_ones(reached.iter().copied());
        self.is_bounded |= after < before;
        if self.is_best_first && after > self.single_max {
            self.leave_out_alone(key, &mut reached);
        }
        self.look_at(key, &reached);
    }

    /// Takes out documents of a chunk that hold one clause alone, as far as they cannot be near: a
    /// frequent word may be in very many, which all have the same sum.
    fn leave_out_alone(&self, key: u16, docs: &mut Words) {
        let (mut alone, mut more) = ([0; BITMAP_WORDS], *self.partly);
        for group in &self.groups {
            for at in 0..BITMAP_WORDS {
                let held = group.sets().iter().fold(0, |held, set| held | set[at]);
                more[at] |= alone[at] & held;
                alone[at] |= held;
            }
        }
        // These do not have the same score.
        let at_place = self.at_place.iter();
        let more = more.into_iter().zip(at_place).map(|(more, at_place)| more | at_place);
        combine(&mut alone, more, |alone, more| alone & !more);
        for number in 0..self.groups.len() {
            self.leave_out_by_name(key, number, &alone, docs);
            self.leave_out_by_impact(key, number, &alone, docs);
        }
    }

    /// The documents of the chunk that hold a clause in one way.
    fn held(&self, number: usize, wanted: Held) -> Option<&Words> {
        let mut sets = self.scorer.clauses[number].sets.iter();
        let at = sets.position(|(held, _)| *held == wanted)?;
        Some(&self.groups[number].sets()[at])
    }

    /// Takes out documents with a clause `alone`, in the name, of whose names it covers too little:
    /// what each name weighs tells, a byte each.
    fn leave_out_by_name(&self, key: u16, number: usize, alone: &Words, docs: &mut Words) {
        let Some(named) = self.held(number, Held::AsWritten) else { return };
        let nearly = self.held(number, Held::Nearly);
        let clause = &self.scorer.clauses[number];
        let weights = self.scorer.snapshot.name_weights();
        let first = DocId(u32::from(key) << 16);
        let boosts = [1.0, Boosts::max(false, clause.words >= WHOLE_NAME_WORDS_MIN)];
        let may_be_near: [bool; 256] = std::array::from_fn(|byte| {
            let score = self.score_max(clause.weight, clause.covered_max, byte as u8, boosts);
            self.may_be_near(first, score)
        });
        for at in 0..BITMAP_WORDS {
            let word = docs[at] & named[at] & alone[at] & !nearly.map_or(0, |docs| docs[at]);
            for_each_bit(std::iter::once(word), |bit| {
                let byte = weights.byte(DocId(first.0 | (at as u32) << 6 | u32::from(bit)));
                docs[at] &= !(u64::from(!may_be_near[usize::from(byte)]) << bit);
            });
        }
    }

    /// Takes out documents with a clause `alone`, and not in the name, whose scores are the same,
    /// by the impact of the word, a byte each.
    fn leave_out_by_impact(&self, key: u16, number: usize, alone: &Words, docs: &mut Words) {
        let Some(elsewhere) = self.held(number, Held::Elsewhere) else { return };
        let Some(impacts) = &self.impacts[number] else { return };
        let first = DocId(u32::from(key) << 16);
        let held = self.scorer.clauses[number].weight * Held::Elsewhere.count();
        let score = u64::from(self.scorer.score_with(held, 0.0, 1.0));
        let least = (0..=u8::MAX).find(|&text| {
            let relevance_key = score << 16 | u64::from(text);
            self.nearest.may_keep(&Position { relevance_key, doc: first })
        });
        let mut kept = [0; BITMAP_WORDS];
        if let Some(least) = least {
            let mut found = Vec::new();
            let all = first.0..first.0.saturating_add(1 << 16);
            impact_scan::push_to(impacts.list(), &all, &(least..=u8::MAX), &mut found);
            Chunk::Array(found).or_into(&mut kept);
        }
        for at in 0..BITMAP_WORDS {
            docs[at] &= !(elsewhere[at] & alone[at] & !self.named[at]) | kept[at];
        }
    }

    /// Empty sets of a clause with what they count, in units, rounded so that no document is
    /// missed.
    fn group(&self, clause: &WeighedClause<'_>) -> Group {
        let units = |held: Held| match self.is_best_first {
            true => (clause.weight * clause.count_max(held) / self.unit).ceil() as u32,
            false => (clause.weight * held.count() / self.unit).floor() as u32,
        };
        Group::new(clause.sets.iter().map(|(held, _)| units(*held)))
    }

    /// Fills the sets of the groups with the documents of a chunk, and adds up what they count.
    fn fill(&mut self, key: u16) {
        if self.groups.is_empty() {
            self.groups = self.scorer.clauses.iter().map(|clause| self.group(clause)).collect();
        }
        self.partly.fill(0);
        for clause in &self.scorer.clauses {
            clause.partly.or_into(key, &mut self.partly);
        }
        self.named.copy_from_slice(self.partly.as_slice());
        for (clause, group) in self.scorer.clauses.iter().zip(&mut self.groups) {
            for (words, (held, docs)) in group.sets_mut().iter_mut().zip(&clause.sets) {
                words.fill(0);
                docs.or_into(key, words);
                if held.is_in_name() {
                    let words = words.iter().copied();
                    combine(&mut *self.named, words, |named, words| named | words);
                }
            }
        }
        self.sums.add_up(&self.groups);
        self.at_place.fill(0);
        self.scorer.boosts.at_places().or_into(key, &mut self.at_place);
        self.fill_may_be_whole();
    }

    /// Finds the documents of the chunk that hold two words of `q` in their names.
    fn fill_may_be_whole(&mut self) {
        let (mut one, mut two) = ([0; BITMAP_WORDS], [0; BITMAP_WORDS]);
        for (number, clause) in self.scorer.clauses.iter().enumerate() {
            let Some(named) = self.held(number, Held::AsWritten) else { continue };
            let has_more = clause.words >= WHOLE_NAME_WORDS_MIN;
            for at in 0..BITMAP_WORDS {
                two[at] |= if has_more { named[at] } else { one[at] & named[at] };
                one[at] |= named[at];
            }
        }
        self.may_be_whole.copy_from_slice(&two);
    }

    /// The thresholds of sums, with and without words in the name, that stand for the same score,
    /// the higher the nearer.
    fn level(&self, level: u32) -> [u32; 2] {
        match self.is_best_first {
            true => [level, (f64::from(level) / UNCOVERED) as u32],
            false => [SUM_MAX + 1 - level; 2],
        }
    }

    /// Documents of `left` that reach the thresholds.
    fn reach(&self, [named, others]: [u32; 2], left: &Words, reached: &mut Words) {
        self.sums.at_least(named, reached);
        if !self.is_best_first {
            return reached.iter_mut().zip(left).for_each(|(it, left)| *it = left & !*it);
        }
        let mut found = [0; BITMAP_WORDS];
        self.sums.at_least(others, &mut found);
        for (((reached, found), names), left) in
            reached.iter_mut().zip(found).zip(self.named.iter()).zip(left)
        {
            *reached = left & (*reached & names | found & !names);
        }
    }

    /// Documents of `left` that may come to so much with what counts more for them.
    fn reach_boosted(&self, held: f64, left: &Words, reached: &mut Words) {
        reached.fill(0);
        let has_places = self.at_place.iter().any(|&word| word != 0);
        for is_at_place in [false, true].into_iter().take(1 + usize::from(has_places)) {
            for may_be_whole in [false, true] {
                let boost = Boosts::max(is_at_place, may_be_whole);
                let thresholds =
                    [held, held / UNCOVERED].map(|held| (held / boost / self.unit) as u32);
                let [not_at_place, not_whole] =
                    [is_at_place, may_be_whole].map(|is_in| u64::from(is_in).wrapping_sub(1));
                let mut some = *left;
                let places = self.at_place.iter().zip(self.may_be_whole.iter());
                for (some, (at_place, may_be_whole)) in some.iter_mut().zip(places) {
                    *some &= (at_place ^ not_at_place) & (may_be_whole ^ not_whole);
                }
                let mut found = [0; BITMAP_WORDS];
                self.reach(thresholds, &some, &mut found);
                reached.iter_mut().zip(found).for_each(|(reached, found)| *reached |= found);
            }
        }
    }

    /// Scores the documents of a chunk without words in the name, as far as they may be near, and
    /// has the names of the others read.
    fn look_at(&mut self, key: u16, docs: &Words) {
        let (mut lows, mut scores) = (Vec::new(), Vec::new());
        let mut sets = vec![0; self.groups.len()];
        for_each_bit(docs.iter().copied(), |low| {
            let doc = DocId(u32::from(key) << 16 | u32::from(low));
            let (word, bit) = (usize::from(low >> 6), low & 63);
            for (sets, group) in sets.iter_mut().zip(&self.groups) {
                let bits = group.sets().iter().rev().map(|set| (set[word] >> bit & 1) as u8);
                *sets = bits.fold(0, |bits, set| bits << 1 | set);
            }
            let kind = self.kind(&sets);
            if self.named[word] >> bit & 1 == 1 {
                let is_told = self.partly[word] >> bit & 1 == 0;
                let covered_max = if is_told { kind.covered_max } else { f64::INFINITY };
                self.wait(doc, &kind, covered_max);
                return;
            }
            let boost = self.scorer.boosts.of_place(doc);
            let score = self.scorer.score_with(kind.held, 0.0, boost);
            if self.may_be_near(doc, score) {
                lows.push(low);
                scores.push(u64::from(score));
            }
        });
        self.read();
        let mut scores = scores.into_iter();
        let Walk { text, nearest, .. } = self;
        text.for_each_score(key, &Chunk::Array(lows), |doc, text| {
            let score = scores.next().unwrap_or_default();
            nearest.push(Position { relevance_key: score << 16 | u64::from(text), doc });
        });
    }

    /// Reads the names of the documents that wait.
    fn read(&mut self) {
        self.scorer.snapshot.touch_names(self.waiting.iter().map(|(doc, _)| *doc));
        let (mut waiting, mut counts) =
            (std::mem::take(&mut self.waiting), std::mem::take(&mut self.counts));
        let each = waiting.drain(..).zip(counts.chunks_exact_mut(self.scorer.clauses.len()));
        for ((doc, score), counts) in each {
            if self.may_be_near(doc, score) {
                let shares = self.scorer.shares_of(doc, counts, &mut self.positions);
                let score = shares.score();
                if self.may_be_near(doc, score) {
                    let relevance_key = u64::from(score) << 16 | u64::from(self.text.score(doc));
                    self.nearest.push(Position { relevance_key, doc });
                }
            }
        }
        counts.clear();
        (self.waiting, self.counts) = (waiting, counts);
    }
}
