//! Which businesses of a held set match a plan.
//!
//! A held set is small against most lists, and is asked again and again: each group of relevance is
//! a plan within the same hits. Evaluating that chunk by chunk costs some 0.7 µs a chunk, however
//! few hits there are; here every list is passed once, with a bit for each hit, some 20 ns a chunk
//! and a few for each hit. Unions, intersections and differences are operations on those bits;
//! words of businesses are looked at last, and only of those that everything else has left.

use super::doc_set::DocSet;
use super::set_expr::SetExpr;
use crate::ids::DocId;
use crate::snapshot::encoding::arrays::for_each_shared;
use crate::snapshot::encoding::container::Container;
use crate::snapshot::encoding::postings::Postings;
use std::ops::Range;

/// Fewer hits than one for so many chunks of a list are looked up one by one.
const PROBED_SHARE: usize = 2;

/// A list stored one by one and the hits are both passed, unless there are so many times as many of
/// one as of the other: 742 hits of two keywords take 228 to 264 µs in all, and 277 to 287 where
/// each is looked up by bisection.
const PASSED: usize = 8;

/// Fewer hits than one for so many businesses of a chunk of a list are looked for where they would
/// stand in it.
const SPARSE: usize = 64;

/// One bit for each business of a set, in its order.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Marks(Vec<u64>);

impl Marks {
    fn none(len: usize) -> Marks {
        Marks(vec![0; len.div_ceil(64)])
    }

    fn all(len: usize) -> Marks {
        let mut marks = Marks(vec![u64::MAX; len.div_ceil(64)]);
        if let (Some(last), used @ 1..) = (marks.0.last_mut(), len % 64) {
            *last >>= 64 - used;
        }
        marks
    }

    #[inline]
    fn set(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    #[inline]
    fn set_if(&mut self, at: usize, is_wanted: bool) {
        self.0[at / 64] |= u64::from(is_wanted) << (at % 64);
    }

    /// Sets those of `places` that `is_wanted` says. No guess at an answer can be wrong: a word is
    /// written once all of its bits are known.
    #[inline]
    fn set_those(&mut self, places: Range<usize>, is_wanted: impl Fn(usize) -> bool) {
        let mut start = places.start;
        while start < places.end {
            let end = places.end.min(start / 64 * 64 + 64);
            let bit = |at: usize| u64::from(is_wanted(at)) << (at % 64);
            self.0[start / 64] |= (start..end).fold(0, |word, at| word | bit(at));
            start = end;
        }
    }

    fn is_none(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn zip(&mut self, other: &Marks, combine: impl Fn(u64, u64) -> u64) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, &other)| *word = combine(*word, other));
    }

    /// The places of the bits that are set.
    fn for_each(&self, visit: impl FnMut(usize)) {
        self.for_each_of(0..self.0.len() * 64, visit);
    }

    /// Marks of `places`.
    #[inline]
    fn for_each_of(&self, places: Range<usize>, mut visit: impl FnMut(usize)) {
        let mut start = places.start;
        while start < places.end {
            let first = start / 64 * 64;
            let end = places.end.min(first + 64);
            let mut word = self.0[first / 64] & u64::MAX << (start - first);
            word &= u64::MAX >> (first + 64 - end);
            while word != 0 {
                visit(first + word.trailing_zeros() as usize);
                word &= word - 1;
            }
            start = end;
        }
    }
}

impl DocSet {
    /// Documents that match `plan`.
    pub fn within(&self, plan: &SetExpr<'_>) -> DocSet {
        let marks = marks(plan, self, &Marks::all(self.len() as usize));
        self.marked(&marks)
    }

    /// Documents that do not match `plan`.
    pub fn without(&self, plan: &SetExpr<'_>) -> DocSet {
        let mut left = Marks::all(self.len() as usize);
        left.zip(&marks(plan, self, &left), |all, excluded| all & !excluded);
        self.marked(&left)
    }

    fn marked(&self, marks: &Marks) -> DocSet {
        let mut set = DocSet::with_capacity(marks.len());
        for (key, places) in self.chunks() {
            set.extend_by(key, |lows| marks.for_each_of(places, |at| lows.push(self.lows()[at])));
        }
        set
    }
}

/// Marked hits that match `plan`.
fn marks(plan: &SetExpr<'_>, hits: &DocSet, among: &Marks) -> Marks {
    let len = hits.len() as usize;
    let mut found = Marks::none(len);
    if among.is_none() {
        return found;
    }
    match plan {
        SetExpr::Range(range) => {
            let range = hits.rank(range.start)..hits.rank(range.end);
            range.for_each(|at| found.set(at));
        }
        SetExpr::List(list) => mark_list(&list.postings, hits, among, &mut found),
        SetExpr::Materialised(other) => {
            each_shared_chunk(hits, other, |(low, places), (other, _)| {
                for_each_shared(low, other, |at| found.set(places.start + at));
            });
        }
        SetExpr::Union(union) => {
            let mut left = among.clone();
            for part in &union.parts {
                let part = marks(part, hits, &left);
                left.zip(&part, |left, part| left & !part);
                found.zip(&part, |found, part| found | part);
            }
        }
        SetExpr::Intersection(parts) => {
            return parts.iter().fold(among.clone(), |left, part| marks(part, hits, &left));
        }
        SetExpr::Difference(plan, excluded) => {
            found = marks(plan, hits, among);
            let excluded = marks(excluded, hits, &found);
            found.zip(&excluded, |found, excluded| found & !excluded);
        }
        SetExpr::Filtered { candidates, check, .. } => {
            let candidates = hits.marked(&marks(candidates, hits, among));
            check.matching_set(&candidates).iter().for_each(|DocId(doc)| found.set(hits.rank(doc)));
        }
    }
    found.zip(among, |found, among| found & among);
    found
}

fn mark_list(postings: &Postings<'_>, hits: &DocSet, among: &Marks, found: &mut Marks) {
    match postings {
        Postings::Small(docs) if docs.len() * PASSED < hits.len() as usize => {
            for &doc in *docs {
                if let Some(at) = hits.place_of(DocId(doc)) {
                    found.set(at);
                }
            }
        }
        Postings::Small(docs) if docs.len() <= among.len() * PASSED => {
            mark_small(docs, hits, found);
        }
        Postings::Small(docs) => {
            let (mut rest, mut places) = (*docs, hits.places());
            among.for_each(|at| {
                let doc = places.doc(at).0;
                rest = &rest[rest.partition_point(|&other| other < doc)..];
                if rest.first() == Some(&doc) {
                    found.set(at);
                }
            });
        }
        Postings::Chunked(chunked) => {
            if among.len() * PROBED_SHARE < chunked.num_chunks().min(hits.num_chunks()) {
                let mut docs = hits.places();
                among.for_each(|at| found.set_if(at, chunked.contains(docs.doc(at))));
                return;
            }
            let lows = hits.lows();
            for (key, places) in hits.chunks() {
                let Some(chunk) = chunked.find(key) else { continue };
                match chunked.chunk(chunk).container {
                    array @ Container::Array(others) if places.len() * SPARSE < others.len() => {
                        found.set_those(places, |at| array.contains(lows[at]));
                    }
                    Container::Array(others) => {
                        let here = &lows[places.clone()];
                        for_each_shared(here, others, |at| found.set(places.start + at));
                    }
                    Container::Bitmap(bitmap) => {
                        found.set_those(places, |at| bitmap.contains(lows[at]));
                    }
                }
            }
        }
    }
}

/// Marks hits on a list that is stored one by one, by passing all of it.
fn mark_small(docs: &[u32], hits: &DocSet, found: &mut Marks) {
    let (lows, mut left) = (hits.lows(), docs);
    for (key, places) in hits.chunks() {
        let first = u32::from(key) << 16;
        let before = left.iter().take_while(|&&doc| doc < first).count();
        left = &left[before..];
        let mut at = places.start;
        // No guess at which of both is the smaller can be wrong.
        while let [doc, ..] = *left
            && doc >> 16 == u32::from(key)
            && at < places.end
        {
            let (low, here) = (doc as u16, lows[at]);
            found.0[at / 64] |= u64::from(low == here) << (at % 64);
            at += usize::from(here <= low);
            left = &left[usize::from(low <= here)..];
        }
    }
}

/// Calls `visit` with the lower halves of every chunk that both sets have, and where they stand.
fn each_shared_chunk(
    a: &DocSet,
    b: &DocSet,
    mut visit: impl FnMut((&[u16], Range<usize>), (&[u16], Range<usize>)),
) {
    let mut others = b.chunks().peekable();
    for (key, places) in a.chunks() {
        while others.next_if(|(other, _)| *other < key).is_some() {}
        if let Some((_, other)) = others.next_if(|(other, _)| *other == key) {
            visit(
                (&a.lows()[places.clone()], places.clone()),
                (&b.lows()[other.clone()], other.clone()),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::aligned;
    use crate::ids::tests::doc_sets;
    use crate::query::sets::set_expr::List;
    use crate::snapshot::encoding::postings;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn postings_of(set: &BTreeSet<u32>) -> Postings<'static> {
        let docs: Vec<u32> = set.iter().copied().collect();
        let mut bytes = Vec::new();
        postings::encode(&docs, &mut bytes);
        Postings::front(bytemuck::cast_slice(aligned(&bytes).leak()))
    }

    fn list(set: &BTreeSet<u32>) -> SetExpr<'static> {
        SetExpr::List(List { postings: postings_of(set), key: None })
    }

    fn plans() -> impl Strategy<Value = SetExpr<'static>> {
        let leaf = prop_oneof![
            doc_sets().prop_map(|set| list(&set)),
            doc_sets().prop_map(|set| SetExpr::materialised(DocSet::of_sorted(set.into_iter()))),
            (0u32..400_000, 0u32..400_000).prop_map(|(a, b)| SetExpr::Range(a.min(b)..a.max(b))),
        ];
        leaf.prop_recursive(3, 12, 4, |inner| {
            let some = proptest::collection::vec(inner.clone(), 1..4);
            prop_oneof![
                some.clone().prop_map(SetExpr::union),
                some.prop_map(SetExpr::intersection),
                (inner.clone(), inner).prop_map(|(a, b)| SetExpr::difference(a, b)),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn what_is_selected_is_what_is_contained(hits in doc_sets(), plan in plans()) {
            let hits = DocSet::of_sorted(hits.into_iter());
            let (inside, outside): (Vec<DocId>, Vec<DocId>) =
                hits.iter().partition(|&doc| plan.contains(doc));
            prop_assert_eq!(hits.within(&plan).iter().collect::<Vec<_>>(), inside);
            prop_assert_eq!(hits.without(&plan).iter().collect::<Vec<_>>(), outside);
        }

        #[test]
        fn a_plan_held_is_the_plan_walked(plan in plans()) {
            let walked: Vec<DocId> = plan.walk_from(DocId(0)).collect();
            prop_assert_eq!(plan.doc_set().iter().collect::<Vec<_>>(), walked);
        }
    }
}
