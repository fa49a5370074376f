//! From units, values as they are written, to the values of facets and the sets of them.
//!
//! A value stands for all that a filter with its text admits, so that its count is the total of a
//! search. Units with one meaning share a value: those that resolve to one place, or are written
//! alike. Its text is that of most documents. The filter may admit more than these (`Georgia`, the
//! state, stored in two ways): a document has every value whose filter admits it.

use crate::analyzer::fold_filter;
use crate::index::BuildError;
use crate::index::facets::FinishedUnits;
use crate::places::{self, PlaceFilter, PlaceKey, PlaceKind};
use crate::snapshot::columns::facets::{TextFacet, Value, encode};
use crate::snapshot::encoding::packed_ints;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::writer::SnapshotWriter;
use crate::snapshot::terms::dictionary::Dictionary;
use rayon::ThreadPool;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Documents whose sets are written at a time.
const DOCS_TOGETHER: usize = 1 << 16;

/// Writes both sections.
///
/// # Errors
/// A file cannot be written or read.
pub fn write(
    facets: Vec<FinishedUnits>,
    places: &Dictionary,
    num_docs: u32,
    pool: &ThreadPool,
    writer: &mut SnapshotWriter,
) -> Result<(), BuildError> {
    let mut columns = writer.begin(SectionKind::FacetSets);
    let mut all_values = Vec::new();
    for (facet, units) in TextFacet::ALL.into_iter().zip(facets) {
        let FinishedUnits { units, counts, column } = units;
        let values = pool.install(|| Values::new(facet, &units, &counts, places));
        all_values.extend(encode(&values.values, &values.sets, counts[0]));
        let num_sets = values.sets.len() as u32;
        let mut numbers = vec![0u32; DOCS_TOGETHER.min(num_docs as usize)];
        for start in (0..num_docs as usize).step_by(DOCS_TOGETHER) {
            let numbers = &mut numbers[..DOCS_TOGETHER.min(num_docs as usize - start)];
            let offset = (start * size_of::<u32>()) as u64;
            column.read_at(bytemuck::cast_slice_mut(numbers), offset)?;
            let sets: Vec<u32> =
                numbers.iter().map(|&number| values.set_of_unit[number as usize]).collect();
            packed_ints::write(&mut columns, &sets, num_sets)?;
        }
    }
    columns.end(writer)?;
    Ok(writer.section(SectionKind::FacetValues, &all_values)?)
}

/// The values of a facet, most frequent first, and the sets of them that units have.
struct Values {
    values: Vec<Value>,
    /// The first is empty.
    sets: Vec<Vec<u32>>,
    /// By the number of a unit.
    set_of_unit: Vec<u32>,
}

/// What a unit is, and what a filter with its text admits.
struct Unit<'a> {
    text: &'a str,
    count: u32,
    keys: Vec<&'a str>,
    /// The keys that its text asks for; none if no filter can ask for it.
    asked: Option<Vec<String>>,
}

impl<'a> Unit<'a> {
    fn new(facet: TextFacet, unit: &'a [u8], count: u32, places: &Dictionary) -> Unit<'a> {
        let mut parts = unit
            .split(|&byte| byte == 0)
            .map(|part| std::str::from_utf8(part).expect("units are made of texts"));
        let text = parts.next().unwrap_or_default();
        let asked = asked(facet, text, places);
        Unit { text, count, keys: parts.collect(), asked }
    }

    /// What units with one meaning share: the place that its text resolves to, or how it is
    /// written.
    fn meaning(&self) -> Option<Vec<&str>> {
        let asked = self.asked.as_ref()?;
        let is_entity = |key: &&&str| key.as_bytes().get(1) == Some(&b'@');
        let entity =
            self.keys.iter().filter(is_entity).find(|key| asked.iter().any(|it| it == **key));
        Some(entity.map_or_else(|| self.keys.clone(), |entity| vec![*entity]))
    }
}

/// The keys that a filter with this text asks for.
fn asked(facet: TextFacet, text: &str, places: &Dictionary) -> Option<Vec<String>> {
    let kind = match facet {
        TextFacet::Industry => {
            let is_quoted = text.contains(crate::analyzer::fold::is_quote);
            return (!is_quoted && !text.is_empty()).then(|| fold_filter(text));
        }
        TextFacet::City => PlaceKind::City,
        TextFacet::State => PlaceKind::State,
        TextFacet::Country => PlaceKind::Country,
    };
    let is_known = |key: &PlaceKey| places.ord(key.as_str()).is_some();
    match places::parse(&places::text_of(kind, text)?, &is_known) {
        PlaceFilter::Parts(query) => {
            let [part] = query.parts.as_slice() else { return None };
            Some(part.of_kind(kind).map(|key| key.as_str().to_owned()).collect())
        }
        PlaceFilter::Unknown | PlaceFilter::Blank => None,
    }
}

impl Values {
    fn new(facet: TextFacet, units: &[Box<[u8]>], counts: &[u32], places: &Dictionary) -> Values {
        let units: Vec<Unit<'_>> = units
            .par_iter()
            .zip(&counts[1..])
            .map(|(unit, &count)| Unit::new(facet, unit, count, places))
            .collect();
        let texts = texts(&units);
        // Which texts ask for each key.
        let mut by_key: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
        for (text, unit) in (0..).zip(&texts) {
            for key in unit.asked.iter().flatten() {
                by_key.entry(key).or_default().push(text);
            }
        }
        let texts_of = |unit: &Unit<'_>| {
            let asking = unit.keys.iter().filter_map(|key| by_key.get(key)).flatten();
            let mut texts: Vec<u32> = asking.copied().collect();
            texts.sort_unstable();
            texts.dedup();
            texts
        };
        let admitted: Vec<Vec<u32>> = units.par_iter().map(texts_of).collect();
        let mut totals = vec![0u32; texts.len()];
        for (unit, texts) in units.iter().zip(&admitted) {
            texts.iter().for_each(|&text| totals[text as usize] += unit.count);
        }
        let mut order: Vec<u32> = (0..texts.len() as u32).collect();
        let key = |text: u32| (Reverse(totals[text as usize]), texts[text as usize].text);
        order.sort_unstable_by(|&a, &b| key(a).cmp(&key(b)));
        let mut places_of = vec![0u32; texts.len()];
        for (place, &text) in (0..).zip(&order) {
            places_of[text as usize] = place;
        }
        let value = |&text: &u32| Value {
            text: texts[text as usize].text.to_owned(),
            count: totals[text as usize],
        };
        let values = order.iter().map(value).collect();
        let (sets, set_of_unit) = sets(admitted, &places_of);
        Values { values, sets, set_of_unit }
    }
}

/// Of the units with one meaning that of most documents, and of those whose texts ask for the same
/// too.
fn texts<'u, 'a>(units: &'u [Unit<'a>]) -> Vec<&'u Unit<'a>> {
    let mut candidates: Vec<&Unit<'_>> = units.iter().filter(|unit| unit.asked.is_some()).collect();
    candidates.sort_unstable_by_key(|unit| (Reverse(unit.count), unit.text, &unit.keys));
    let mut meanings = FxHashMap::default();
    let mut asked = FxHashMap::default();
    candidates.retain(|unit| {
        let mut keys = unit.asked.clone().unwrap_or_default();
        keys.sort_unstable();
        let is_new = meanings.insert(unit.meaning(), ()).is_none();
        is_new && asked.insert(keys, ()).is_none()
    });
    candidates
}

/// The sets of values, each once, and that of each unit; `places_of` gives the place of a text
/// among the values.
fn sets(admitted: Vec<Vec<u32>>, places_of: &[u32]) -> (Vec<Vec<u32>>, Vec<u32>) {
    let mut sets: Vec<Vec<u32>> = vec![Vec::new()];
    let mut numbers: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
    let mut set_of_unit = vec![0];
    for texts in admitted {
        let mut set: Vec<u32> = texts.iter().map(|&text| places_of[text as usize]).collect();
        set.sort_unstable();
        let next = sets.len() as u32;
        set_of_unit.push(*numbers.entry(set).or_insert_with_key(|set| {
            sets.push(set.clone());
            next
        }));
    }
    (sets, set_of_unit)
}
