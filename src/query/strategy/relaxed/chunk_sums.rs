//! What the documents of a chunk hold of a relaxed `q` at most, added up for 64 of them at a time.

use super::boosts::WHOLE_NAME_WORDS_MIN;
use super::{Boosts, Held, RelaxedScorer, UNCOVERED, WeighedClause};
use crate::query::sets::bit_sums::{BitSums, Group, SUM_MAX};
use crate::query::sets::chunk::Words;
use crate::simd::combine;
use crate::snapshot::encoding::container::BITMAP_WORDS;

/// The documents of a chunk by what they hold.
pub struct ChunkSums<'a, 's> {
    scorer: &'a RelaxedScorer<'s>,
    is_best_first: bool,
    /// What a sum of one stands for.
    unit: f64,
    /// For each clause its sets; none before the first chunk.
    groups: Vec<Group>,
    sums: BitSums,
    /// Documents in whose names any word stands that counts, or a part of a clause.
    pub named: Box<Words>,
    /// Of these, the ones with a part.
    pub partly: Box<Words>,
    /// Documents at places that `q` names.
    pub at_place: Box<Words>,
    /// Documents whose names may stand whole in `q`.
    may_be_whole: Box<Words>,
}

impl<'a, 's> ChunkSums<'a, 's> {
    /// Sums of no chunk yet.
    pub fn new(scorer: &'a RelaxedScorer<'s>, is_best_first: bool) -> ChunkSums<'a, 's> {
        let none = || Box::new([0; BITMAP_WORDS]);
        ChunkSums {
            scorer,
            is_best_first,
            // Bounds are rounded to whole units.
            unit: scorer.total / f64::from(SUM_MAX - scorer.clauses.len() as u32),
            groups: Vec::new(),
            sums: BitSums::default(),
            named: none(),
            partly: none(),
            at_place: none(),
            may_be_whole: none(),
        }
    }

    /// For each clause its sets.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The documents of the chunk that hold a clause in one way.
    pub fn held(&self, number: usize, wanted: Held) -> Option<&Words> {
        let mut sets = self.scorer.clauses[number].sets.iter();
        let at = sets.position(|(held, _)| *held == wanted)?;
        Some(&self.groups[number].sets()[at])
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
    pub fn fill(&mut self, key: u16) {
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

    /// Finds the documents of the chunk that hold two words of `q` in their names, or a part of a
    /// clause beside any other word.
    fn fill_may_be_whole(&mut self) {
        let (mut one, mut two) = ([0; BITMAP_WORDS], *self.partly);
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
    pub fn level(&self, level: u32) -> [u32; 2] {
        match self.is_best_first {
            true => [level, (f64::from(level) / UNCOVERED) as u32],
            false => [SUM_MAX + 1 - level; 2],
        }
    }

    /// Documents of `left` that reach the thresholds.
    pub fn reach(&self, [named, others]: [u32; 2], left: &Words, reached: &mut Words) {
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

    /// Documents of `left` that may hold so much, or, if the last come first, so little.
    pub fn reach_held(&self, held: f64, left: &Words, reached: &mut Words) {
        if self.is_best_first {
            return self.reach_boosted(held, left, reached);
        }
        let threshold = (held / UNCOVERED / self.unit) as u32 + 1;
        self.reach([threshold; 2], left, reached);
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
}
