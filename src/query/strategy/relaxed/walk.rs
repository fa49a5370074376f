//! The page of a relaxed answer: the hits whose bounds may reach it are looked at.
//!
//! What each clause counts at most in a document is told by the sets that hold it. Where a chunk has
//! few candidates, these are looked up in each set; where it has many, the sums of what clauses
//! count are added up for 64 documents at a time ([`chunk_sums`](super::chunk_sums)). Of those that
//! may still enter the page the names are read.
//!
//! The page fills with the best first, so that the fewest are left: documents of rare words, then
//! those with a word in the name. All others hold what is needed to come close to these, often more
//! than any document has. (Turtle, Flood: "Query evaluation: strategies and optimizations", 1995,
//! call such bounds MaxScore.)

use super::boosts::WHOLE_NAME;
use super::chunk_sums::ChunkSums;
use super::covering::for_each_place;
use super::{Boosts, Held, ONE, RelaxedScorer, WHOLE_NAME_WORDS_MIN, WeighedClause};
use crate::ids::DocId;
use crate::query::cursor::Position;
use crate::query::interpret::Interpretation;
use crate::query::score::text_score::Scorer;
use crate::query::score::top_k::{PageWindow, TopK};
use crate::query::session::Session;
use crate::query::session::ways::Way;
use crate::query::sets::bit_sums::SUM_MAX;
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
    sums: ChunkSums<'a, 's>,
    /// What is known of documents, by the sets that hold them: a byte a clause, a bit a set.
    kinds: FxHashMap<Box<[u8]>, Rc<Kind>>,
    /// Documents whose names are read next, each with the score that it comes to at the nearest.
    waiting: Vec<(DocId, u32)>,
    /// What each clause counts in these, one document after the other.
    counts: Vec<f64>,
    positions: Vec<(f64, f64)>,
    /// So many documents of a chunk are looked up in each set.
    few_max: usize,
    /// So many documents of a chunk are looked at one by one.
    single_max: usize,
    /// Was any hit left out for its bound?
    is_bounded: bool,
}

/// The share of a name that words cover at most, by their weight and the byte of the name.
fn share_max(covered_max: f64, name_weight: u8) -> f64 {
    (covered_max / LEAST[usize::from(name_weight)]).min(1.0)
}

fn unset(docs: &mut Words, low: u16) {
    docs[usize::from(low >> 6)] &= !(1 << (low & 63));
}

/// What documents in the same sets have in common.
struct Kind {
    /// What each clause counts, akin words aside.
    counts: Vec<f64>,
    /// Is a word in the name that counts?
    is_named: bool,
    /// The weight of what they hold, with the most that akin words may add.
    held_max: f64,
    /// The same without akin words, which is exact where no word is in the name.
    held: f64,
    /// The most that the words in the name weigh which are in `q`, if all of them are there as they
    /// are written.
    covered_max: f64,
    /// May the name stand whole in `q`?
    may_be_whole: bool,
    /// The score at the nearest of a document with a word in the name.
    named_max: u32,
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
        let mut walk = Walk {
            scorer: self,
            impacts: self.impacts(interpretation, &text),
            text,
            is_best_first,
            nearest: TopK::new(window),
            sums: ChunkSums::new(self, is_best_first),
            kinds: FxHashMap::default(),
            waiting: Vec::with_capacity(ANNOUNCED),
            counts: Vec::new(),
            positions: Vec::new(),
            few_max: session.tuning().relaxed_few_max,
            single_max: session.tuning().relaxed_single_max,
            is_bounded: false,
        };
        // The documents of rare words make the bound that keeps most others out.
        let first = if is_best_first { self.with_rare_words(hits) } else { DocSet::default() };
        first.chunks().for_each(|(key, places)| walk.few(key, &first.lows()[places]));
        let names = self.with_names();
        let left = walk.names(hits, &names, &first);
        walk.rest(hits, &names, &first, &left);
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

    /// Documents with a word in the name that counts, or with a part of a clause.
    fn with_names(&self) -> SetExpr<'s> {
        SetExpr::union(self.clauses.iter().flat_map(|clause| {
            let in_name = clause.sets.iter().filter(|(held, _)| held.is_in_name());
            in_name.map(|(_, docs)| docs).chain([&clause.partly]).cloned()
        }))
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

impl<'s> Walk<'_, 's> {
    /// May a document with this score, which it comes to at the nearest, be among the nearest?
    fn may_be_near(&self, doc: DocId, score: u32) -> bool {
        let relevance_key = u64::from(score) << 16 | TEXT[usize::from(self.is_best_first)];
        self.nearest.may_keep(&Position { relevance_key, doc })
    }

    /// Looks at the hits with a word in the name and not in `seen`, but for chunks that have many:
    /// returns these. What is found makes the bound, which often no other document reaches.
    fn names(&mut self, hits: &SetExpr<'s>, names: &SetExpr<'s>, seen: &DocSet) -> Vec<u16> {
        let mut left = Vec::new();
        for key in names.keys() {
            let named = names.chunk(key);
            if named.len() > self.few_max {
                left.push(key);
            } else {
                let named = named.and_not(&seen.chunk(key));
                self.few(key, &hits.chunk_within(key, named).to_array());
            }
        }
        self.read();
        left
    }

    /// Looks at the hits without a word in the name, and at all of the chunks that are `left`, but
    /// not at those in `seen`.
    fn rest(&mut self, hits: &SetExpr<'s>, names: &SetExpr<'s>, seen: &DocSet, left: &[u16]) {
        let elsewhere: Vec<_> = self.scorer.clauses.iter().map(WeighedClause::elsewhere).collect();
        let mut docs = Box::new([0; BITMAP_WORDS]);
        for key in hits.keys() {
            docs.fill(0);
            if left.binary_search(&key).is_ok() {
                hits.or_into(key, &mut docs);
            } else {
                let Some(needed) = self.needed(&elsewhere) else {
                    self.is_bounded = true;
                    continue;
                };
                if needed.is_empty() {
                    hits.or_into(key, &mut docs);
                } else {
                    let holding = SetExpr::intersection(needed.into_iter().cloned());
                    hits.chunk_within(key, holding.chunk(key)).or_into(&mut docs);
                }
                names.chunk(key).for_each(|low| unset(&mut docs, low));
            }
            seen.chunk(key).for_each(|low| unset(&mut docs, low));
            self.some(key, &mut docs);
        }
    }

    /// Looks at some documents of a chunk.
    fn some(&mut self, key: u16, docs: &mut Words) {
        let len = count_ones(docs.iter().copied());
        if len > self.few_max {
            return self.many(key, docs);
        }
        let mut lows = Vec::with_capacity(len);
        for_each_bit(docs.iter().copied(), |low| lows.push(low));
        self.few(key, &lows);
    }

    /// What documents without a word in the name must hold to be near, of what each clause weighs
    /// there and who holds it; nothing helps if all clauses together come to too little.
    fn needed<'a>(&self, elsewhere: &'a [(f64, SetExpr<'s>)]) -> Option<Vec<&'a SetExpr<'s>>> {
        let all = elsewhere.iter().map(|(most, _)| most).sum::<f64>();
        let boost = Boosts::max(self.scorer.boosts.has_places(), false);
        let may_be_near = |held| {
            let score = self.scorer.score_with(held, 0.0, boost) + 1;
            !self.is_best_first || self.may_be_near(DocId(0), score)
        };
        let needed = elsewhere.iter().filter(|(most, _)| !may_be_near(all - most));
        may_be_near(all).then(|| needed.map(|(_, docs)| docs).collect())
    }

    /// Looks at some documents of a chunk, which are looked up in each set.
    fn few(&mut self, key: u16, lows: &[u16]) {
        let num_clauses = self.scorer.clauses.len();
        let mut sets = vec![0; lows.len() * num_clauses];
        let mut partly = vec![false; lows.len()];
        for (number, clause) in self.scorer.clauses.iter().enumerate() {
            for (at, (_, docs)) in clause.sets.iter().enumerate() {
                for_each_place(docs, key, lows, |place| {
                    sets[place * num_clauses + number] |= 1 << at
                });
            }
            for_each_place(&clause.partly, key, lows, |place| partly[place] = true);
        }
        self.look_at(key, lows, &sets, &partly);
    }

    /// The score that a document with a word in its name comes to at the nearest, if the words of
    /// `q` cover so much of the name at most.
    fn named_score(&self, doc: DocId, kind: &Kind, is_partly: bool, covered_max: f64) -> u32 {
        if !self.is_best_first {
            return kind.named_max;
        }
        let of_name = share_max(covered_max, self.scorer.snapshot.name_weights().byte(doc));
        let may_be_whole = kind.may_be_whole || is_partly;
        self.score_max(kind.held_max, of_name, may_be_whole, self.scorer.boosts.of_place(doc))
    }

    /// The most that a document scores that holds so much of `q`, of whose name `q` covers this
    /// share at most, and which counts so much by its place.
    fn score_max(&self, held_max: f64, of_name: f64, may_be_whole: bool, of_place: f64) -> u32 {
        let whole = if may_be_whole && of_name > COVERED { WHOLE_NAME } else { 0.0 };
        // One more, since sums of floats are rounded.
        self.scorer.score_with(held_max, of_name, of_place + whole) + 1
    }

    /// Has the name of a document read that comes to a score at the nearest, if it may be near.
    fn wait(&mut self, doc: DocId, kind: &Kind, is_partly: bool, covered_max: f64) {
        let score = self.named_score(doc, kind, is_partly, covered_max);
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
        let (mut counts, mut words, mut is_named) = (Vec::new(), 0, false);
        let (mut held_max, mut covered_max) = (0.0, 0.0);
        for (clause, sets) in self.scorer.clauses.iter().zip(sets) {
            let is_in = |at: usize| sets >> at & 1 == 1;
            let held =
                || clause.sets.iter().enumerate().filter(|(at, _)| is_in(*at)).map(|it| it.1.0);
            let count = held().find(|held| *held != Held::Nearly).map_or(0.0, Held::count);
            counts.push(count);
            is_named |= held().any(Held::is_in_name);
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
        let named_max = match self.is_best_first {
            true => {
                let has_parts = self.scorer.clauses.iter().any(|it| !it.partly.is_nothing());
                let has_places = self.scorer.boosts.has_places();
                let boost = Boosts::max(has_places, may_be_whole || has_parts);
                self.scorer.score_with(held_max, 1.0, boost) + 1
            }
            false => self.scorer.score_with(held, 0.0, 1.0).saturating_sub(1),
        };
        let kind = Rc::new(Kind {
            counts,
            is_named,
            held_max,
            held,
            covered_max,
            may_be_whole,
            named_max,
        });
        self.kinds.insert(sets.into(), kind.clone());
        kind
    }

    /// Looks at the hits of a chunk whose sums may be near enough; `left` are all of them.
    fn many(&mut self, key: u16, left: &mut Words) {
        self.sums.fill(key);
        let mut reached = [0; BITMAP_WORDS];
        if self.nearest.bound_key().is_none() {
            // The nearest by their sums make the first bound.
            let mut levels = 0..SUM_MAX + 1;
            while levels.len() > 1 {
                let middle = levels.start + levels.len() as u32 / 2;
                self.sums.reach(self.sums.level(middle), left, &mut reached);
                let is_full = count_ones(reached.iter().copied()) > self.nearest.stretch().wanted;
                if is_full { levels.start = middle } else { levels.end = middle }
            }
            self.sums.reach(self.sums.level(levels.start), left, &mut reached);
            self.look_at_all(key, &reached);
            left.iter_mut().zip(reached.iter()).for_each(|(left, reached)| *left &= !reached);
        }
        self.nearest.tighten();
        let Some(bound) = self.nearest.bound_key() else { return self.look_at_all(key, left) };
        let held = (bound >> 16) as f64 / ONE * self.scorer.total;
        let one = self.scorer.total / ONE;
        let before = count_ones(left.iter().copied());
        let held = if self.is_best_first { held - one } else { held + one };
        self.sums.reach_held(held, left, &mut reached);
        let after = count_ones(reached.iter().copied());
        self.is_bounded |= after < before;
        if self.is_best_first && after > self.single_max {
            self.leave_out_alone(key, &mut reached);
        }
        self.look_at_all(key, &reached);
    }

    /// Takes out documents of a chunk that hold one clause alone, as far as they cannot be near: a
    /// frequent word may be in very many, which all have the same sum.
    fn leave_out_alone(&self, key: u16, docs: &mut Words) {
        let (mut alone, mut more) = ([0; BITMAP_WORDS], *self.sums.partly);
        for group in self.sums.groups() {
            for at in 0..BITMAP_WORDS {
                let held = group.sets().iter().fold(0, |held, set| held | set[at]);
                more[at] |= alone[at] & held;
                alone[at] |= held;
            }
        }
        // These do not have the same score.
        let at_place = self.sums.at_place.iter();
        let more = more.into_iter().zip(at_place).map(|(more, at_place)| more | at_place);
        combine(&mut alone, more, |alone, more| alone & !more);
        for number in 0..self.impacts.len() {
            self.leave_out_by_name(key, number, &alone, docs);
            self.leave_out_by_impact(key, number, &alone, docs);
        }
    }

    /// Takes out documents with a clause `alone`, in the name, of whose names it covers too little:
    /// what each name weighs tells, a byte each.
    fn leave_out_by_name(&self, key: u16, number: usize, alone: &Words, docs: &mut Words) {
        let Some(named) = self.sums.held(number, Held::AsWritten) else { return };
        let nearly = self.sums.held(number, Held::Nearly);
        let clause = &self.scorer.clauses[number];
        let weights = self.scorer.snapshot.name_weights();
        let first = DocId(u32::from(key) << 16);
        let may_be_whole = clause.words >= WHOLE_NAME_WORDS_MIN;
        let may_be_near: [bool; 256] = std::array::from_fn(|byte| {
            let of_name = share_max(clause.covered_max, byte as u8);
            self.may_be_near(first, self.score_max(clause.weight, of_name, may_be_whole, 1.0))
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
        let Some(elsewhere) = self.sums.held(number, Held::Elsewhere) else { return };
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
            docs[at] &= !(elsewhere[at] & alone[at] & !self.sums.named[at]) | kept[at];
        }
    }

    /// Looks at documents of a chunk whose sets are filled.
    fn look_at_all(&mut self, key: u16, docs: &Words) {
        let (mut lows, mut sets, mut partly) = (Vec::new(), Vec::new(), Vec::new());
        for_each_bit(docs.iter().copied(), |low| {
            let (word, bit) = (usize::from(low >> 6), low & 63);
            lows.push(low);
            sets.extend(self.sums.groups().iter().map(|group| {
                let bits = group.sets().iter().rev().map(|set| (set[word] >> bit & 1) as u8);
                bits.fold(0, |bits, set| bits << 1 | set)
            }));
            partly.push(self.sums.partly[word] >> bit & 1 == 1);
        });
        self.look_at(key, &lows, &sets, &partly);
        self.read();
    }

    /// Looks at documents of a chunk that are in these sets of each clause: scores those without a
    /// word in the name, and has the names of the others read, as far as they may be near.
    fn look_at(&mut self, key: u16, lows: &[u16], sets: &[u8], partly: &[bool]) {
        let doc = |low: u16| DocId(u32::from(key) << 16 | u32::from(low));
        let (mut unbounded, mut kinds) = (Vec::new(), Vec::new());
        let (mut others, mut scores) = (Vec::new(), Vec::new());
        let sets = sets.chunks_exact(self.scorer.clauses.len());
        for ((&low, sets), &is_partly) in lows.iter().zip(sets).zip(partly) {
            let kind = self.kind(sets);
            if kind.is_named || is_partly {
                match () {
                    () if !self.may_be_near(doc(low), kind.named_max) => self.is_bounded = true,
                    () if self.is_best_first && (is_partly || kind.covered_max.is_infinite()) => {
                        unbounded.push(low);
                        kinds.push((kind, is_partly));
                    }
                    () => self.wait(doc(low), &kind, is_partly, kind.covered_max),
                }
                continue;
            }
            let boost = self.scorer.boosts.of_place(doc(low));
            let score = self.scorer.score_with(kind.held, 0.0, boost);
            if self.may_be_near(doc(low), score) {
                others.push(low);
                scores.push(u64::from(score));
            }
        }
        let covered = self.scorer.covering.most(key, &unbounded);
        for ((low, (kind, is_partly)), covered) in unbounded.into_iter().zip(kinds).zip(covered) {
            self.wait(doc(low), &kind, is_partly, covered);
        }
        let mut scores = scores.into_iter();
        let Walk { text, nearest, .. } = self;
        text.for_each_score(key, &Chunk::Array(others), |doc, text| {
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
        self.nearest.tighten();
    }
}
