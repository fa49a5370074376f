//! A sort order, ready to walk: from positions to businesses and back, whichever way it goes.

use crate::ids::DocId;
use crate::snapshot::encoding::equal_runs::Groups;
use crate::snapshot::encoding::packed_ints::PackedInts;
use std::ops::Range;

/// So many businesses before its rank is looked up, memory is asked for it.
const AHEAD: usize = 24;

/// A sort order, ready to walk.
#[derive(Clone, Copy, Debug)]
pub struct Permutation<'a> {
    /// The order on which this one rests; the `DocId` order if none.
    pub(crate) stored: Option<(PackedInts<'a>, PackedInts<'a>)>,
    pub(crate) len: usize,
    /// What looking at the next business costs, in ranks looked up.
    pub(crate) step_cost: u64,
    /// If groups are in reverse: where they begin, and how many positions that concerns.
    pub(crate) reversed: Option<(&'a Groups, usize)>,
}

/// Positions at which businesses stand side by side as they do in the stored order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// Where they stand.
    pub positions: Range<u32>,
    /// Where they stand in the stored order.
    pub stored: Range<u32>,
}

impl<'a> Permutation<'a> {
    /// Number of businesses.
    #[inline]
    #[allow(clippy::len_without_is_empty)] // nobody asks
    pub fn len(&self) -> usize {
        self.len
    }

    /// What looking whether the business at the next position is a hit costs, in ranks looked up.
    pub fn step_cost(&self) -> u64 {
        self.step_cost
    }

    /// The business at a position.
    #[inline]
    pub fn doc_at(&self, position: usize) -> DocId {
        self.docs(position..position + 1).next().expect("a position below the length")
    }

    /// The businesses at consecutive positions.
    #[inline]
    pub fn docs(&self, positions: Range<usize>) -> Docs<'a> {
        Docs { permutation: *self, positions, ties: 0..0 }
    }

    /// The position of a business.
    #[inline]
    pub fn rank(&self, doc: DocId) -> u32 {
        let rank = self.rough_rank(doc);
        turned(rank, &self.ties(rank))
    }

    /// The position of a business but for ties: businesses of a group may stand the other way round
    /// within it. Costs one look-up, in whichever order.
    #[inline]
    pub fn rough_rank(&self, doc: DocId) -> u32 {
        let rank = self.stored.map_or(doc.0, |(_, ranks)| ranks.get(doc.index()));
        match self.reversed {
            Some((_, end)) if (rank as usize) < end => end as u32 - 1 - rank,
            _ => rank,
        }
    }

    /// Puts the [rough rank](Self::rough_rank) of each of some businesses in its place.
    pub fn rough_ranks(&self, docs: &mut [u32]) {
        for at in 0..docs.len() {
            if let (Some((_, ranks)), Some(&doc)) = (self.stored, docs.get(at + AHEAD)) {
                ranks.read_ahead(doc as usize);
            }
            docs[at] = self.rough_rank(DocId(docs[at]));
        }
    }

    /// Turns [rough ranks](Self::rough_rank) into the positions of the first of these businesses
    /// `within` some positions, in order: as many as are `wanted`. `is_backwards` asks for the last
    /// instead, the last first.
    ///
    /// Only of those that may be wanted, and in the groups at both bounds, ties are looked at.
    pub fn nearest(
        &self,
        ranks: &mut Vec<u32>,
        within: Range<u32>,
        wanted: usize,
        is_backwards: bool,
    ) {
        if within.is_empty() || wanted == 0 {
            return ranks.clear();
        }
        let (first, last) = (self.ties(within.start), self.ties(within.end - 1));
        let whole = first.start..last.end;
        keep(ranks, &whole);
        if whole != within {
            ranks.retain(|&rank| {
                let ties = [&first, &last].into_iter().find(|ties| ties.contains(&rank));
                ties.is_none_or(|ties| within.contains(&turned(rank, ties)))
            });
        }
        if ranks.len() > wanted {
            let at = if is_backwards { ranks.len() - wanted } else { wanted - 1 };
            let ties = self.ties(*ranks.select_nth_unstable(at).1);
            ranks.retain(|&rank| if is_backwards { rank >= ties.start } else { rank < ties.end });
        }
        let mut ties = 0..0;
        for rank in ranks.iter_mut() {
            if !ties.contains(rank) {
                ties = self.ties(*rank);
            }
            *rank = turned(*rank, &ties);
        }
        ranks.sort_unstable();
        if is_backwards {
            ranks.reverse();
        }
        ranks.truncate(wanted);
    }

    /// The positions around one at which businesses stand in the order of their `DocId`s one by
    /// one, and the first of these businesses; none if the order does not rest on that of `DocId`s.
    pub fn stretch(&self, position: u32) -> Option<(Range<u32>, DocId)> {
        let Group { positions, stored } = self.group(position);
        self.stored.is_none().then_some((positions, DocId(stored.start)))
    }

    /// How many positions, from the first on, are in groups that are in reverse.
    pub fn num_reversed(&self) -> u32 {
        self.reversed.map_or(0, |(_, end)| end as u32)
    }

    /// The stretch around a position in which businesses stand as they are stored: a group, if
    /// groups are in reverse.
    pub fn group(&self, position: u32) -> Group {
        match self.reversed {
            Some((_, end)) if (position as usize) < end => {
                self.group_of_stored(end as u32 - 1 - position)
            }
            _ => self.unreversed(),
        }
    }

    /// The stretch around a position in the stored order.
    pub fn group_of_stored(&self, stored: u32) -> Group {
        match self.reversed {
            Some((groups, end)) if (stored as usize) < end => {
                let group = groups.group_of(stored as usize, end);
                let stored = group.start as u32..group.end as u32;
                Group { positions: end as u32 - stored.end..end as u32 - stored.start, stored }
            }
            _ => self.unreversed(),
        }
    }

    /// What stands behind the groups that are in reverse.
    pub fn unreversed(&self) -> Group {
        let all = self.num_reversed()..self.len as u32;
        Group { positions: all.clone(), stored: all }
    }

    /// The business at a position of the stored order.
    #[inline]
    pub fn stored_doc(&self, stored: u32) -> DocId {
        DocId(self.stored.map_or(stored, |(docs, _)| docs.get(stored as usize)))
    }

    /// The positions of the group around a position, if groups are in reverse.
    #[inline]
    fn ties(&self, position: u32) -> Range<u32> {
        if position < self.num_reversed() {
            self.group(position).positions
        } else {
            position..position + 1
        }
    }
}

/// Leaves those that are `within` bounds. Which are is not to be guessed, so that no branch depends
/// on it.
fn keep(ranks: &mut Vec<u32>, within: &Range<u32>) {
    let mut kept = 0;
    for at in 0..ranks.len() {
        let rank = ranks[at];
        ranks[kept] = rank;
        kept += usize::from(within.contains(&rank));
    }
    ranks.truncate(kept);
}

/// The place of `rank` in a group of positions that is turned round.
#[inline]
fn turned(rank: u32, ties: &Range<u32>) -> u32 {
    ties.start + (ties.end - 1 - rank)
}

/// Iterator over the businesses at consecutive positions, from either end.
#[derive(Clone, Debug)]
pub struct Docs<'a> {
    permutation: Permutation<'a>,
    positions: Range<usize>,
    /// The positions of the group looked at last.
    ties: Range<u32>,
}

impl Docs<'_> {
    #[inline]
    fn doc(&mut self, position: usize) -> DocId {
        let stored = match self.permutation.reversed {
            Some((_, end)) if position < end => {
                let position = position as u32;
                if !self.ties.contains(&position) {
                    self.ties = self.permutation.ties(position);
                }
                end - 1 - turned(position, &self.ties) as usize
            }
            _ => position,
        };
        self.permutation.stored_doc(stored as u32)
    }
}

impl Iterator for Docs<'_> {
    type Item = DocId;

    #[inline]
    fn next(&mut self) -> Option<DocId> {
        self.positions.next().map(|position| self.doc(position))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.positions.size_hint()
    }
}

impl DoubleEndedIterator for Docs<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<DocId> {
        self.positions.next_back().map(|position| self.doc(position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn reversed_groups_are_the_order_sorted_the_other_way(
            runs in proptest::collection::vec(prop_oneof![1usize..4, 1usize..9000], 0..40),
            unknown in 0usize..200,
            picked in (1usize..50, 0usize..60_000, 0usize..60_000),
            wanted in 0usize..40,
        ) {
            let values: Vec<usize> =
                runs.iter().enumerate().flat_map(|(value, &len)| vec![value; len]).collect();
            let (known, len) = (values.len(), values.len() + unknown);
            let groups = Groups::from_values(values.len(), |at| values[at]);
            let reversed = Some((&groups, known));
            let order = Permutation { stored: None, len, step_cost: 1, reversed };
            let mut expected: Vec<usize> = (0..known).collect();
            expected.sort_by_key(|&doc| std::cmp::Reverse(values[doc]));
            expected.extend(known..len);
            let docs: Vec<usize> = order.docs(0..len).map(|doc| doc.index()).collect();
            prop_assert!(docs == expected);
            let mut backwards: Vec<usize> = order.docs(0..len).rev().map(DocId::index).collect();
            backwards.reverse();
            prop_assert!(backwards == expected);
            for (position, &doc) in expected.iter().enumerate() {
                prop_assert_eq!(order.rank(DocId(doc as u32)) as usize, position);
            }
            // Some of the businesses, between some bounds.
            let (step, from, to) = picked;
            let some = |doc: &&usize| doc.is_multiple_of(step);
            let within = from.min(to).min(len)..from.max(to).min(len);
            for is_backwards in [false, true] {
                let mut ranks: Vec<u32> = (0..len).step_by(step)
                    .map(|doc| order.rough_rank(DocId(doc as u32))).collect();
                order.nearest(&mut ranks, within.start as u32..within.end as u32, wanted, is_backwards);
                let nearest: Vec<usize> =
                    ranks.iter().map(|&rank| order.doc_at(rank as usize).index()).collect();
                let all = expected[within.clone()].iter();
                let expected: Vec<usize> = if is_backwards {
                    all.rev().filter(some).take(wanted).copied().collect()
                } else {
                    all.filter(some).take(wanted).copied().collect()
                };
                prop_assert_eq!(nearest, expected);
            }
        }
    }
}
