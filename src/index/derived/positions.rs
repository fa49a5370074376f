//! Where the businesses of a key stand in orders other than that of `DocId`s.

use super::Thresholds;
use super::ascending::Ascending;
use super::transpose::releasing;
use crate::ids::TermOrd;
use crate::index::BuildError;
use crate::index::buffer_pool::{Lent, Reuse, Spares};
use crate::index::pipeline::{ahead_of_disk, in_order};
use crate::snapshot::answers::frequent_keys::DenseKey;
use crate::snapshot::answers::industry_order;
use crate::snapshot::answers::position_lists::encode_lists;
use crate::snapshot::columns::sort_order;
use crate::snapshot::encoding::postings;
use crate::snapshot::encoding::postings::Postings;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::mapped::Section;
use crate::snapshot::file::writer::SnapshotWriter;
use crate::snapshot::terms::Terms;
use crate::snapshot::terms::dictionary::Dictionary;
use rayon::ThreadPool;

/// What positions are stored of.
pub struct Source<'a> {
    /// Number of businesses.
    pub num_docs: u32,
    /// The terms.
    pub terms: &'a Terms,
    /// The industries.
    pub industries: &'a Dictionary,
    /// The places.
    pub places: &'a Dictionary,
    /// From how many businesses on.
    pub thresholds: &'a Thresholds,
}

type KeyedList<'a> = (DenseKey, Postings<'a>);

impl<'a> Source<'a> {
    fn of_dictionary(
        &self,
        dictionary: &'a Dictionary,
        key: fn(TermOrd) -> DenseKey,
    ) -> impl Iterator<Item = KeyedList<'a>> {
        let docs_min = self.thresholds.positions_min;
        let ords = (0..dictionary.len() as u32).map(TermOrd);
        let lists = ords.map(move |ord| (key(ord), dictionary.postings(ord)));
        lists.filter(move |(_, list)| list.len() >= docs_min)
    }

    /// Writes the positions of industries and places by name and by year. `by_name` and `by_year`
    /// are the sections of these orders.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_by_name_and_year(
        &self,
        [by_name, by_year]: [&Section; 2],
        pool: &ThreadPool,
        writer: &mut SnapshotWriter,
    ) -> Result<(), BuildError> {
        let industries = self.of_dictionary(self.industries, DenseKey::Industry);
        let lists = industries.chain(self.of_dictionary(self.places, DenseKey::Place));
        let ranks = [by_name, by_year]
            .map(|order| sort_order::parts(order, self.num_docs).1.iter().collect::<Vec<u32>>());
        let ranks = ranks.each_ref().map(Vec::as_slice);
        self.write(SectionKind::FilterPositions, lists.collect(), ranks, || (), pool, writer)
    }

    /// The first industry of each business: its ordinal, or the number of industries for none.
    pub fn industry_of(&self) -> Vec<u32> {
        let none = self.industries.len() as u32;
        let mut industry_of = vec![none; self.num_docs as usize];
        let mut docs = Vec::new();
        for ord in (0..none).rev() {
            docs.clear();
            self.industries.postings(TermOrd(ord)).push_to(&mut docs);
            docs.iter().for_each(|&doc| industry_of[doc as usize] = ord);
        }
        industry_of
    }

    /// Writes the order by industry, and the positions of the dense `terms` and of places in it.
    /// Calls `release` now and then: the lists of terms looked at so far may be given back.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_by_industry(
        &self,
        terms: &[TermOrd],
        release: impl Fn(),
        pool: &ThreadPool,
        writer: &mut SnapshotWriter,
    ) -> Result<(), BuildError> {
        let industry_of = self.industry_of();
        let (starts, docs) = industry_order::order(self.industries.len(), &industry_of);
        industry_order::write(&starts, &docs, writer)?;
        let mut ranks = industry_of;
        for (position, &doc) in (0..).zip(&docs) {
            ranks[doc as usize] = position;
        }
        drop(docs);
        let docs_min = self.thresholds.term_positions_min;
        let terms = releasing(terms, &release)
            .map(|&ord| (DenseKey::Term(ord), self.terms.lists(ord).any()))
            .filter(|(_, list)| list.len() >= docs_min);
        let lists = terms.chain(self.of_dictionary(self.places, DenseKey::Place)).collect();
        self.write(SectionKind::IndustryPositions, lists, [&ranks], release, pool, writer)
    }

    fn write<const ORDERS: usize>(
        &self,
        kind: SectionKind,
        lists: Vec<KeyedList<'_>>,
        ranks: [&[u32]; ORDERS],
        release: impl Fn(),
        pool: &ThreadPool,
        writer: &mut SnapshotWriter,
    ) -> Result<(), BuildError> {
        let mut section = writer.begin(kind);
        let mut starts: Vec<[u64; ORDERS]> = Vec::with_capacity(lists.len());
        let (workspaces, spares) = (Spares::<Workspace>::default(), Spares::default());
        in_order(
            pool,
            ahead_of_disk(pool),
            releasing(&lists, release).map(Ok),
            |(_, list)| {
                let mut workspace = workspaces.lend();
                ranks.map(|ranks| {
                    let mut encoded = spares.lend();
                    workspace.encode(list, ranks, &mut encoded);
                    encoded
                })
            },
            |lists: [Lent<Vec<u8>>; ORDERS]| {
                let mut start = [0; ORDERS];
                for (start, list) in start.iter_mut().zip(&lists) {
                    *start = section.len();
                    section.write(list)?;
                }
                starts.push(start);
                Ok::<(), BuildError>(())
            },
        )?;
        let keys: Vec<DenseKey> = lists.iter().map(|(key, _)| *key).collect();
        Ok(section.end_with_table(&encode_lists(kind, &keys, &starts)?, writer)?)
    }
}

/// What positions are encoded in, one list after the other.
#[derive(Default)]
struct Workspace {
    positions: Vec<u32>,
    ascending: Ascending,
}

impl Reuse for Workspace {
    fn clear(&mut self) {
        self.positions.clear();
    }
}

impl Workspace {
    /// Appends the positions of a list's businesses, as postings, to `out`, whose length is a
    /// multiple of 8.
    fn encode(&mut self, list: &Postings<'_>, ranks: &[u32], out: &mut Vec<u8>) {
        self.clear();
        let Workspace { positions, ascending } = self;
        list.push_to(positions);
        positions.iter_mut().for_each(|doc| *doc = ranks[*doc as usize]);
        ascending.sort(positions, ranks.len());
        postings::encode(positions, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::aligned;

    #[test]
    fn positions_are_the_sorted_ranks() {
        // More than one chunk of them.
        let len = 70_000;
        let ranks: Vec<u32> = (0..len).map(|doc| doc * 7 % 1000 + doc / 1000 * 1000).collect();
        for step in [1, 3, 90, 900] {
            let docs: Vec<u32> = (0..len).step_by(step).collect();
            let mut bytes = Vec::new();
            postings::encode(&docs, &mut bytes);
            let words = aligned(&bytes);
            let list = Postings::front(bytemuck::cast_slice(&words));
            let mut expected: Vec<u32> = docs.iter().map(|&doc| ranks[doc as usize]).collect();
            expected.sort_unstable();
            let mut bytes = Vec::new();
            postings::encode(&expected, &mut bytes);
            let mut encoded = Vec::new();
            Workspace::default().encode(&list, &ranks, &mut encoded);
            assert_eq!(encoded, bytes, "every {step}");
        }
    }
}
