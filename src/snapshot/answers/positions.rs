//! Where businesses stand in orders other than that of `DocId`s, by key.

use super::frequent_keys::DenseKey;
use super::industry_order::IndustryOrder;
use super::position_lists::PositionLists;
use crate::ids::TermOrd;
use crate::snapshot::columns::sort_order::StoredOrder;
use crate::snapshot::encoding::packed_ints::PackedInts;
use crate::snapshot::encoding::postings::Postings;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::mapped::Section;
use crate::snapshot::terms::dictionary::Dictionary;
use std::ops::Range;

/// The positions of a snapshot.
pub struct Positions {
    filters: PositionLists<2>,
    industry_order: IndustryOrder,
    by_industry: PositionLists<1>,
}

impl Positions {
    /// Opens the positions and checks them completely.
    ///
    /// # Errors
    /// See [`PositionLists::open`] and [`IndustryOrder::open`].
    pub fn open(
        [filters, order, by_industry]: [Section; 3],
        num_docs: u32,
        num_terms: usize,
        [industries, places]: [&Dictionary; 2],
    ) -> Result<Positions, SnapshotError> {
        let num_keys = [num_terms, industries.len(), places.len()];
        let len_of = |key: DenseKey| match key {
            // Lists of terms lie far apart, and with each that is looked at the system maps
            // megabytes.
            DenseKey::Term(_) => None,
            DenseKey::Industry(ord) => Some(industries.postings(ord).len()),
            DenseKey::Place(ord) => Some(places.postings(ord).len()),
        };
        Ok(Positions {
            filters: PositionLists::open(filters, num_docs, num_keys, len_of)?,
            industry_order: IndustryOrder::open(order, industries.len(), num_docs)?,
            by_industry: PositionLists::open(by_industry, num_docs, num_keys, len_of)?,
        })
    }

    /// Where in an order, ascending, the businesses of an industry or place stand, if that is
    /// stored.
    pub fn in_order(&self, key: DenseKey, order: StoredOrder) -> Option<Postings<'_>> {
        self.filters.get(key, order as usize)
    }

    /// Where in the order by industry the businesses of a term or place stand, if that is stored.
    pub fn by_industry(&self, key: DenseKey) -> Option<Postings<'_>> {
        self.by_industry.get(key, 0)
    }

    /// Where in that order the businesses of an industry of `industries` stand, if they stand side
    /// by side.
    pub fn of_industry(&self, industries: &Dictionary, industry: TermOrd) -> Option<Range<u32>> {
        self.industry_order.range(industries, industry)
    }

    /// The `DocId`s at some positions of that order; those of one industry ascend.
    pub fn docs_by_industry(&self, positions: Range<u32>) -> PackedInts<'_> {
        self.industry_order.docs(positions)
    }
}
