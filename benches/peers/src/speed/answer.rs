//! A page of tantivy: the exact total, the documents in order, their JSON fetched.
//!
//! There are two ways to a page with an exact total, and which is quicker depends on the request:
//! one pass over all hits that counts them and keeps the best, or two, one that counts and one that
//! finds the best with what ways the engine has (block-max WAND, stopping after the first
//! documents). Both are measured.

use super::index::PeerIndex;
use super::translate::{Order, Translated};
use crate::Result;
use std::hint::black_box;
use tantivy::collector::TopDocs;
use tantivy::query::{EnableScoring, Weight};
use tantivy::schema::Value;
use tantivy::{DocAddress, DocId, DocSet, SegmentReader, TERMINATED, TantivyDocument};

/// How a page is come by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// One pass that counts and keeps the best.
    OnePass,
    /// Counting and finding apart.
    CountApart,
}

/// An answer of tantivy.
pub struct Answer {
    /// How many documents match.
    pub total: u64,
    /// Those on the page, in order.
    pub docs: Vec<DocId>,
}

/// A request that is ready to be answered.
pub struct Ready<'i> {
    index: &'i PeerIndex,
    request: Translated,
    /// The key of the document after which the page begins: what a cursor would hold.
    after: Option<u64>,
}

impl<'i> Ready<'i> {
    /// Prepares a request.
    pub fn new(index: &'i PeerIndex, request: Translated) -> Result<Ready<'i>> {
        let mut ready = Ready { index, request, after: None };
        ready.after = match ready.request.after {
            None => None,
            Some(doc) => Some(ready.key_of(doc.0)?),
        };
        Ok(ready)
    }

    /// Is there another way than [`Way::OnePass`]?
    pub fn can_count_apart(&self) -> bool {
        match self.request.order {
            Order::Static => true,
            Order::BestFirst => self.after.is_none(),
            Order::WorstFirst | Order::Rank(_) => false,
        }
    }

    /// The answer, its documents fetched.
    pub fn answer(&self, way: Way) -> Result<Answer> {
        let answer = match way {
            Way::OnePass => self.in_one_pass()?,
            Way::CountApart => self.counted_apart()?,
        };
        for &doc in &answer.docs {
            let document: TantivyDocument = self.index.searcher.doc(DocAddress::new(0, doc))?;
            let json = document.get_first(self.index.fields.json);
            black_box(json.and_then(|json| json.as_bytes().map(<[u8]>::len)));
        }
        Ok(answer)
    }

    fn segment(&self) -> &SegmentReader {
        self.index.searcher.segment_reader(0)
    }

    fn weight(&self) -> Result<Box<dyn Weight>> {
        let searcher = &self.index.searcher;
        let scoring = match self.request.order {
            Order::BestFirst | Order::WorstFirst => EnableScoring::enabled_from_searcher(searcher),
            Order::Static | Order::Rank(_) => EnableScoring::disabled_from_searcher(searcher),
        };
        Ok(self.request.query.weight(scoring)?)
    }

    fn in_one_pass(&self) -> Result<Answer> {
        let (mut total, mut first) = (0, First::new(self.request.limit, self.after));
        let weight = self.weight()?;
        match self.request.order {
            Order::Static => weight.for_each_no_score(self.segment(), &mut |docs| {
                total += docs.len() as u64;
                first.push_ascending(docs);
            })?,
            Order::Rank(order) => {
                let ranks = &self.index.ranks[order].values;
                weight.for_each_no_score(self.segment(), &mut |docs| {
                    total += docs.len() as u64;
                    docs.iter().for_each(|&doc| first.push(ranks.get_val(doc), doc));
                })?;
            }
            Order::BestFirst | Order::WorstFirst => {
                let is_best_first = self.request.order == Order::BestFirst;
                weight.for_each(self.segment(), &mut |doc, score| {
                    total += 1;
                    first.push(score_key(score, doc, is_best_first), doc);
                })?;
            }
        }
        Ok(Answer { total, docs: first.into_docs() })
    }

    fn counted_apart(&self) -> Result<Answer> {
        let weight = self.weight()?;
        let total = u64::from(weight.count(self.segment())?);
        let limit = self.request.limit;
        if self.request.order == Order::BestFirst {
            let best = self
                .index
                .searcher
                .search(&*self.request.query, &TopDocs::with_limit(limit).order_by_score())?;
            return Ok(Answer { total, docs: best.iter().map(|(_, at)| at.doc_id).collect() });
        }
        let mut scorer = weight.scorer(self.segment(), 1.0)?;
        let mut doc = match self.after {
            Some(after) if scorer.doc() <= after as DocId => scorer.seek(after as DocId + 1),
            _ => scorer.doc(),
        };
        let mut docs = Vec::with_capacity(limit);
        while doc != TERMINATED && docs.len() < limit {
            docs.push(doc);
            doc = scorer.advance();
        }
        Ok(Answer { total, docs })
    }

    /// What orders a document: the smaller, the earlier.
    fn key_of(&self, doc: DocId) -> Result<u64> {
        Ok(match self.request.order {
            Order::Static => u64::from(doc),
            Order::Rank(order) => self.index.ranks[order].values.get_val(doc),
            Order::BestFirst | Order::WorstFirst => {
                let mut scorer = self.weight()?.scorer(self.segment(), 1.0)?;
                let is_hit = scorer.doc() == doc || scorer.doc() < doc && scorer.seek(doc) == doc;
                let score = if is_hit { scorer.score() } else { 0.0 };
                score_key(score, doc, self.request.order == Order::BestFirst)
            }
        })
    }
}

/// Scores are not negative, and the bits of such floats are ordered as they are.
fn score_key(score: f32, doc: DocId, is_best_first: bool) -> u64 {
    let bits = score.to_bits();
    let bits = if is_best_first { u32::MAX - bits } else { bits };
    u64::from(bits) << 32 | u64::from(doc)
}

/// The first documents by key, after a key.
struct First {
    limit: usize,
    after: Option<u64>,
    /// Keys from here on are not wanted any more.
    end: u64,
    kept: Vec<(u64, DocId)>,
}

impl First {
    fn new(limit: usize, after: Option<u64>) -> First {
        First { limit, after, end: u64::MAX, kept: Vec::with_capacity(limit * 2) }
    }

    #[inline]
    fn push(&mut self, key: u64, doc: DocId) {
        if key >= self.end || self.after.is_some_and(|after| key <= after) {
            return;
        }
        if self.kept.len() == self.limit * 2 {
            self.kept.select_nth_unstable(self.limit - 1);
            self.kept.truncate(self.limit);
            self.end = self.kept[self.limit - 1].0;
            if key >= self.end {
                return;
            }
        }
        self.kept.push((key, doc));
    }

    /// The same for documents in ascending order that are their own keys.
    fn push_ascending(&mut self, docs: &[DocId]) {
        if self.kept.len() < self.limit {
            let from =
                self.after.map_or(0, |after| docs.partition_point(|&doc| u64::from(doc) <= after));
            let left = self.limit - self.kept.len();
            self.kept.extend(docs[from..].iter().take(left).map(|&doc| (u64::from(doc), doc)));
        }
    }

    fn into_docs(mut self) -> Vec<DocId> {
        self.kept.sort_unstable();
        self.kept.truncate(self.limit);
        self.kept.into_iter().map(|(_, doc)| doc).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_by_key_are_kept() {
        let keys: Vec<u64> = (0..1_000).map(|n| n * 7_919 % 1_000).collect();
        for (limit, after, expected) in [
            (3, None, vec![0, 1, 2]),
            (3, Some(500), vec![501, 502, 503]),
            (2, Some(998), vec![999]),
        ] {
            let mut first = First::new(limit, after);
            keys.iter().for_each(|&key| first.push(key, key as DocId));
            assert_eq!(first.into_docs(), expected);
        }
    }

    #[test]
    fn better_scores_have_smaller_keys() {
        assert!(score_key(2.5, 9, true) < score_key(2.0, 1, true));
        assert!(score_key(2.5, 1, true) < score_key(2.5, 2, true));
        assert!(score_key(0.0, 1, false) < score_key(1.0, 0, false));
    }
}
