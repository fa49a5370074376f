//! Looking at relaxed hits, portion by portion, until none that is left can be among the nearest.

use super::common_names::{Bound, CommonNames};
use super::portions::Held;
use super::{RelaxedScorer, Shares, score_of};
use crate::ids::DocId;
use crate::query::cursor::Position;
use crate::query::interpret::{ClauseMatch, Interpretation};
use crate::query::score::text_score::Scorer;
use crate::query::score::top_k::{PageWindow, TopK};
use crate::query::session::Session;
use crate::query::session::ways::Way;
use crate::query::sets::chunk::Chunk;
use crate::query::sets::predicate::ANNOUNCED;
use crate::query::sets::set_expr::SetExpr;
use crate::query::text::Term;
use crate::snapshot::terms::impact_scan;
use crate::snapshot::terms::impacts::Impacts;

/// Hits that are looked at, and the nearest of them.
struct Walk<'a, 's> {
    scorer: &'a RelaxedScorer<'s>,
    text: Scorer<'s>,
    is_best_first: bool,
    nearest: TopK,
    /// Documents whose names are read next, each with a score that it does not exceed.
    waiting: Vec<(DocId, u32)>,
    /// What each clause counts in those who wait, one after the other.
    counts: Vec<f64>,
    positions: Vec<(f64, f64)>,
    /// Was anyone left out for what the name weighs?
    is_bounded: bool,
}

impl<'s> RelaxedScorer<'s> {
    /// The nearest of `hits` of what `interpretation` means, by score, then by text score, then in
    /// the static order. Hits are looked at in portions, and names read, several at a time, of
    /// those only that may be among the nearest.
    pub fn nearest(
        &self,
        session: &Session<'s>,
        interpretation: &Interpretation<'s>,
        hits: &SetExpr<'s>,
        text: Scorer<'s>,
        stretch: PageWindow,
    ) -> Vec<Position> {
        let mut walk = Walk {
            scorer: self,
            text,
            is_best_first: stretch.is_best_first(),
            nearest: TopK::new(stretch),
            waiting: Vec::with_capacity(ANNOUNCED),
            counts: Vec::new(),
            positions: Vec::new(),
            is_bounded: false,
        };
        if !walk.is_best_first {
            walk.look_at(hits, None);
            return walk.nearest.into_sorted();
        }
        let common = CommonNames::new(self, session);
        let mut left = hits.clone();
        for portion in self.portions(session, interpretation) {
            walk.nearest.tighten();
            if !walk.may_be_near(DocId(0), portion.score_max) {
                session.took(Way::Relaxed);
                break;
            }
            let members = SetExpr::intersection([portion.members.clone(), left.clone()]);
            match (&portion.held, &common) {
                (Held::Named { clause, most }, Some(common)) => {
                    for (part, bound) in common.parts(self, (*clause, most), members, &left) {
                        walk.look_at(&part, bound.as_ref());
                    }
                }
                (Held::Named { .. }, None) | (Held::Anywhere, _) => walk.look_at(&members, None),
                (&Held::Elsewhere { score_max, only }, _) => {
                    let only = only.and_then(|only| Only::new(session, interpretation, only));
                    walk.score(&members, only.as_ref(), score_max);
                }
            }
            left = SetExpr::difference(left, portion.members);
        }
        if walk.is_bounded {
            session.took(Way::Relaxed);
        }
        walk.nearest.into_sorted()
    }
}

/// What adds to the text score of documents that hold one clause only.
struct Only<'s> {
    /// The impacts of its word.
    impacts: Impacts<'s>,
    /// Documents to which neighbours written as one word add something as well.
    joined: SetExpr<'s>,
}

impl<'s> Only<'s> {
    /// What adds to the text score of documents that hold only the clause with number `only`, if
    /// that is one word. (Parts of compounds and phrases add something too.)
    fn new(
        session: &Session<'s>,
        interpretation: &Interpretation<'s>,
        only: usize,
    ) -> Option<Only<'s>> {
        let is_word = |clause_match: &ClauseMatch<'_>| {
            matches!(clause_match.clause.term, Term::Word(_))
                && clause_match.readings.split.is_none()
        };
        let clauses = &interpretation.clauses;
        let term = clauses.iter().all(is_word).then(|| clauses[only].only_term(session))??;
        let joined = clauses.iter().flat_map(|clause_match| &clause_match.neighbours).flatten();
        let joined = SetExpr::union(joined.map(|word| session.word(word)));
        Some(Only { impacts: Impacts::of(&session.snapshot().terms().lists(term)), joined })
    }

    /// Documents of a chunk to which `least` may be added.
    fn with_impact(&self, key: u16, least: u8) -> Chunk<'_> {
        let start = u32::from(key) << 16;
        let mut found = Vec::new();
        let docs = start..start.saturating_add(1 << 16);
        impact_scan::push_to(self.impacts.list(), &docs, &(least..=u8::MAX), &mut found);
        Chunk::Array(found).or(self.joined.chunk(key))
    }
}

impl Walk<'_, '_> {
    fn may_be_near(&self, doc: DocId, score_max: u32) -> bool {
        let relevance_key = u64::from(score_max) << 16 | 0xffff;
        !self.is_best_first || self.nearest.may_keep(&Position { relevance_key, doc })
    }

    /// Looks at all of a portion. None of its names is covered more than `bound` says.
    fn look_at(&mut self, portion: &SetExpr<'_>, bound: Option<&Bound>) {
        self.nearest.tighten();
        let weights = self.scorer.snapshot.name_weights();
        portion.for_each(|doc| {
            let (akin_max, of_name_max) = match bound {
                None => (self.scorer.akin_max.as_slice(), 1.0),
                Some(bound) => {
                    let byte = weights.byte(doc);
                    if !self.may_be_near(doc, bound.score_max(byte)) {
                        self.is_bounded = true;
                        return;
                    }
                    (bound.akin_max(), bound.of_name_max(byte))
                }
            };
            let before = self.counts.len();
            self.counts.extend(self.scorer.counts(doc));
            let score_max = self.scorer.score_max(&self.counts[before..], akin_max, of_name_max);
            // Most hits of a union share little, which is told without reading their names.
            if !self.may_be_near(doc, score_max) {
                self.counts.truncate(before);
                return;
            }
            self.waiting.push((doc, score_max));
            if self.waiting.len() == ANNOUNCED {
                self.read();
            }
        });
        self.read();
    }

    /// Scores the documents of a portion, of whose names `q` covers nothing, as far as they may be
    /// near; none exceeds `score_max`.
    fn score(&mut self, portion: &SetExpr<'_>, only: Option<&Only<'_>>, score_max: u32) {
        let only = only.filter(|_| self.text.legal_forms().is_empty());
        for key in portion.keys() {
            self.nearest.tighten();
            let first = DocId(u32::from(key) << 16);
            let least = (1..=u8::MAX).find(|&text| {
                let relevance_key = u64::from(score_max) << 16 | u64::from(text);
                self.nearest.may_keep(&Position { relevance_key, doc: first })
            });
            let lows = match (only, least) {
                (Some(only), Some(least)) if least > 1 => {
                    portion.chunk_within(key, only.with_impact(key, least))
                }
                (Some(only), None) => portion.chunk_within(key, only.joined.chunk(key)),
                _ => portion.chunk(key),
            };
            let Walk { scorer, text, nearest, .. } = self;
            text.for_each_score(key, &lows, |doc, text| {
                let position = |score: u32| Position {
                    relevance_key: u64::from(score) << 16 | u64::from(text),
                    doc,
                };
                if nearest.may_keep(&position(score_max)) {
                    let of_query = scorer.held_by(doc) / scorer.total;
                    nearest.push(position(score_of(&Shares { of_query, of_name: 0.0 })));
                }
            });
        }
    }

    /// Reads the names of those who wait.
    fn read(&mut self) {
        self.scorer.snapshot.touch_names(self.waiting.iter().map(|(doc, _)| *doc));
        let (mut waiting, mut counts) =
            (std::mem::take(&mut self.waiting), std::mem::take(&mut self.counts));
        let each = waiting.drain(..).zip(counts.chunks_exact_mut(self.scorer.clauses.len()));
        for ((doc, score_max), counts) in each {
            if self.may_be_near(doc, score_max) {
                let shares = self.scorer.shares_of(doc, counts, &mut self.positions);
                let score = u64::from(score_of(&shares));
                let relevance_key = score << 16 | u64::from(self.text.score(doc));
                self.nearest.push(Position { relevance_key, doc });
            }
        }
        counts.clear();
        (self.waiting, self.counts) = (waiting, counts);
    }
}
