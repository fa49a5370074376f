//! The values that records have of each facet, counted while records are read in their order.
//!
//! A *unit* is a value as it is written, with the keys that it has: as many as there are different
//! ones are held in memory. Which unit a document has goes to a temporary file, and becomes a set
//! of values once all of them are known ([`derived`](super::derived)).

use super::record_codec::Record;
use super::scratch::{Scratch, ScratchError, ScratchFile, ScratchWriter};
use crate::analyzer::fold_filter;
use crate::places::{PlaceAliases, PlaceKind};
use crate::snapshot::columns::facets::TextFacet;
use rustc_hash::FxHashMap;

const FACETS: usize = TextFacet::ALL.len();

/// The places among the facets, by their number.
const PLACES: [(usize, PlaceKind); 3] = [
    (TextFacet::City as usize, PlaceKind::City),
    (TextFacet::State as usize, PlaceKind::State),
    (TextFacet::Country as usize, PlaceKind::Country),
];

/// City, state and country of a record.
type Triple<'a> = (Option<&'a str>, Option<&'a str>, Option<&'a str>);

/// The units of a block of records.
#[derive(Default)]
pub struct BlockUnits {
    facets: [FacetUnits; FACETS],
}

#[derive(Default)]
struct FacetUnits {
    /// Units by number less one.
    units: Vec<Box<[u8]>>,
    numbers: FxHashMap<Box<[u8]>, u32>,
    /// By record: the number of its unit, or 0.
    column: Vec<u32>,
}

impl FacetUnits {
    /// The number of a unit: the text, and the keys that it has.
    fn number<'k>(&mut self, text: Option<&str>, keys: impl Iterator<Item = &'k str>) -> u32 {
        let mut unit = text.unwrap_or_default().as_bytes().to_vec();
        let len = unit.len();
        for key in keys.filter(|key| !key.is_empty()) {
            unit.push(0);
            unit.extend_from_slice(key.as_bytes());
        }
        if unit.len() == len {
            return 0;
        }
        let unit: Box<[u8]> = unit.into();
        let next = self.units.len() as u32 + 1;
        *self.numbers.entry(unit).or_insert_with_key(|unit| {
            self.units.push(unit.clone());
            next
        })
    }
}

/// The units of consecutive records.
pub fn of_block(records: &[Record<'_>], place_aliases: &PlaceAliases) -> BlockUnits {
    let mut block = BlockUnits::default();
    let mut industries: FxHashMap<&str, u32> = FxHashMap::default();
    let mut places: FxHashMap<Triple<'_>, [u32; PLACES.len()]> = FxHashMap::default();
    for record in records {
        let facets = &mut block.facets;
        let industry = record.industry.map_or(0, |text| {
            *industries.entry(text).or_insert_with(|| {
                let keys = fold_filter(text);
                let keys = keys.iter().map(String::as_str);
                facets[TextFacet::Industry as usize].number(Some(text), keys)
            })
        });
        let triple = (record.city, record.state, record.country);
        let numbers = *places.entry(triple).or_insert_with(|| {
            let keys = place_aliases.stored_keys(record.city, record.state, record.country);
            let texts = [record.city, record.state, record.country];
            PLACES.map(|(facet, kind)| {
                let keys = keys.iter().filter(|key| key.kind() == kind).map(|key| key.as_str());
                facets[facet].number(texts[kind as usize], keys)
            })
        });
        facets[TextFacet::Industry as usize].column.push(industry);
        for ((facet, _), number) in PLACES.into_iter().zip(numbers) {
            facets[facet].column.push(number);
        }
    }
    block
}

/// The units of all records of a facet.
pub struct Units {
    /// Text and keys of each, apart from each other by zero bytes; by number less one.
    pub units: Vec<Box<[u8]>>,
    /// How many documents have each, those without any first.
    pub counts: Vec<u32>,
    numbers: FxHashMap<Box<[u8]>, u32>,
    column: ScratchWriter,
}

/// The units of all facets, while blocks are added.
pub struct AllUnits([Units; FACETS]);

impl AllUnits {
    /// None yet.
    ///
    /// # Errors
    /// A temporary file cannot be made.
    pub fn new(scratch: &Scratch) -> Result<AllUnits, ScratchError> {
        let none = || -> Result<Units, ScratchError> {
            let (units, numbers) = (Vec::new(), FxHashMap::default());
            Ok(Units { units, counts: vec![0], numbers, column: scratch.writer()? })
        };
        Ok(AllUnits([none()?, none()?, none()?, none()?]))
    }

    /// Adds the next block.
    ///
    /// # Errors
    /// A temporary file cannot be written.
    pub fn add(&mut self, block: BlockUnits) -> Result<(), ScratchError> {
        for (all, facet) in self.0.iter_mut().zip(block.facets) {
            all.add(facet)?;
        }
        Ok(())
    }

    /// The units, and the file of each column: a `u32` for every document.
    ///
    /// # Errors
    /// A temporary file cannot be written.
    pub fn finish(self) -> Result<Vec<FinishedUnits>, ScratchError> {
        let finish = |units: Units| {
            let Units { units, counts, column, .. } = units;
            Ok(FinishedUnits { units, counts, column: column.finish()? })
        };
        self.0.into_iter().map(finish).collect()
    }
}

/// The units of a facet, all of them.
pub struct FinishedUnits {
    /// Text and keys of each, apart from each other by zero bytes; by number less one.
    pub units: Vec<Box<[u8]>>,
    /// How many documents have each, by number; of number 0, how many have none.
    pub counts: Vec<u32>,
    /// The number of each document's unit, as `u32`.
    pub column: ScratchFile,
}

impl Units {
    fn add(&mut self, block: FacetUnits) -> Result<(), ScratchError> {
        let FacetUnits { units, column, .. } = block;
        let mut numbers = vec![0];
        for unit in units {
            let next = self.units.len() as u32 + 1;
            numbers.push(*self.numbers.entry(unit).or_insert_with_key(|unit| {
                self.units.push(unit.clone());
                self.counts.push(0);
                next
            }));
        }
        let column: Vec<u32> = column.iter().map(|&number| numbers[number as usize]).collect();
        column.iter().for_each(|&number| self.counts[number as usize] += 1);
        self.column.write(bytemuck::cast_slice(&column))
    }
}
