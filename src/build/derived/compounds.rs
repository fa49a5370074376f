//! The best businesses of those whose name holds a compound.

use super::DenseTerms;
use super::by_doc::for_each_chunk;
use super::by_set::{Best, BestBySet, Bounds, by_score};
use super::compound_names::CompoundNames;
use super::name_phrases::Compound;
use crate::build::BuildError;
use crate::snapshot::best_within::{COMPOUND_BEST, compound_splits};
use crate::snapshot::container::for_each_bit;
use crate::snapshot::impacts::Impacts;
use crate::snapshot::writer::SnapshotWriter;
use rayon::ThreadPool;
use std::sync::Mutex;

/// A compound whose best are stored.
struct Stored<'a> {
    joined: u16,
    splits: u32,
    names: CompoundNames,
    /// What its joined form weighs, and each part.
    joined_impacts: Impacts<'a>,
    part_impacts: Vec<Impacts<'a>>,
}

/// Writes the best of those of `compounds`, which ascend, whose joined form is their parts. Calls `release` after each
/// chunk of businesses: what was looked at may be given back.
///
/// # Errors
/// The file cannot be written.
pub fn write(
    compounds: &[Compound],
    dense: DenseTerms<'_>,
    bounds: Bounds,
    release: impl Fn() + Sync,
    pool: &ThreadPool,
    writer: &mut SnapshotWriter,
) -> Result<(), BuildError> {
    let texts = dense.terms.terms_of(dense.ords);
    let mut stored: Vec<Stored<'_>> =
        compounds.iter().filter_map(|compound| Stored::of(compound, dense, &texts)).collect();
    stored.sort_unstable_by_key(|it| (it.joined, it.splits));
    let best = pool.install(|| best_of(&stored, dense, bounds, &release));
    let pairs: Vec<(u16, u32)> = stored.iter().map(|it| (it.joined, it.splits)).collect();
    let sizes = (dense.ords.len(), dense.num_docs);
    Ok(best.write(COMPOUND_BEST, &pairs, sizes, bounds.max, writer)?)
}

impl<'a> Stored<'a> {
    fn of(compound: &Compound, dense: DenseTerms<'a>, texts: &[String]) -> Option<Stored<'a>> {
        let text = |number: u16| texts[usize::from(number)].as_str();
        let parts = compound.parts.iter().map(|&part| text(part));
        let splits = compound_splits(text(compound.joined), parts)?;
        let ord = |number: u16| dense.ords[usize::from(number)];
        let impacts = |number: u16| {
            let lists = dense.terms.lists(ord(number));
            Impacts::new(lists.any(), lists.impacts())
        };
        Some(Stored {
            joined: compound.joined,
            splits,
            names: CompoundNames {
                joined: Some(ord(compound.joined)),
                parts: Some(compound.parts.iter().map(|&part| ord(part)).collect()),
            },
            joined_impacts: impacts(compound.joined),
            part_impacts: compound.parts.iter().map(|&part| impacts(part)).collect(),
        })
    }
}

/// The best of each compound, by its place.
fn best_of(
    compounds: &[Stored<'_>],
    dense: DenseTerms<'_>,
    bounds: Bounds,
    release: impl Fn() + Sync,
) -> Best {
    let by_compound = Mutex::new(BestBySet::of(compounds.len()));
    for_each_chunk(
        dense.num_docs,
        || (BestBySet::of(compounds.len()), Vec::new(), Vec::new(), Vec::new()),
        |(best, lows, scores, joined), key| {
            for (at, compound) in compounds.iter().enumerate() {
                lows.clear();
                let names = compound.names.names_in(dense.terms, key);
                for_each_bit(names.iter().copied(), |low| lows.push(low));
                let here = [(key as u16, 0..lows.len())];
                for all in [&mut *scores, &mut *joined] {
                    all.clear();
                    all.resize(lows.len(), 0);
                }
                let parts = &compound.part_impacts;
                parts.iter().for_each(|impacts| impacts.add_to(&here, lows, scores));
                compound.joined_impacts.add_to(&here, lows, joined);
                for (&low, (&parts, &joined)) in lows.iter().zip(scores.iter().zip(&*joined)) {
                    let doc = key << 16 | u32::from(low);
                    best.push(at, by_score(parts.max(joined), doc), bounds.max);
                }
            }
            release();
        },
        |(best, ..)| {
            // No thread panics with it.
            by_compound.lock().expect("not poisoned").absorb(best, bounds.max);
        },
    );
    let mut best = Best::default();
    by_compound.into_inner().expect("not poisoned").take_into(&mut best, bounds.max, |_| 1);
    best
}
