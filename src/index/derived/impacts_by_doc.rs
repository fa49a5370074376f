//! The impacts of dense terms, by business instead of by term.

use super::transpose::{ByDoc, for_each_low, releasing};
use crate::ids::TermOrd;
use crate::snapshot::encoding::postings::Postings;
use crate::snapshot::terms::Terms;

/// The impacts of the dense terms on the businesses of one chunk.
pub struct ImpactsByDoc<'a> {
    lists: Vec<(Postings<'a>, &'a [u8])>,
    /// Numbers of terms, and their impacts.
    entries: ByDoc<(u16, u8)>,
    /// Of the business asked for last: the impact of each term, 0 where it does not hold it, and
    /// which it holds.
    impacts: Vec<u32>,
    held: Vec<u16>,
}

impl<'a> ImpactsByDoc<'a> {
    /// Of the terms `dense`, whose place is their number; of no business yet. Calls `release` now
    /// and then: pages around what was looked at may be given back.
    pub fn new(terms: &'a Terms, dense: &[TermOrd], release: impl Fn()) -> ImpactsByDoc<'a> {
        let lists = releasing(dense, release).map(|&ord| {
            let lists = terms.lists(ord);
            (lists.any(), lists.impacts())
        });
        ImpactsByDoc {
            lists: lists.collect(),
            entries: ByDoc::default(),
            impacts: vec![0; dense.len()],
            held: Vec::new(),
        }
    }

    /// Loads chunk `key`, with `release` as above.
    pub fn load(&mut self, key: u32, release: impl Fn()) {
        self.entries.make_room(self.lists.iter().map(|(list, _)| *list), key, &release);
        for (number, (list, impacts)) in releasing((0..).zip(&self.lists), &release) {
            for_each_low(list, key, |at, low| self.entries.push(low, (number, impacts[at])));
        }
    }

    /// The impacts on the business of the loaded chunk with these lower 16 bits, by the number of
    /// the term.
    pub fn of_doc(&mut self, low: u16) -> &[u32] {
        let impacts = &mut self.impacts;
        self.held.drain(..).for_each(|number| impacts[usize::from(number)] = 0);
        for &(number, impact) in self.entries.of(low) {
            impacts[usize::from(number)] = impact.into();
            self.held.push(number);
        }
        &self.impacts
    }
}
