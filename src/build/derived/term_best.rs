//! The best businesses of each term that many hold, wherever they are.

use super::best_within::{Sets, choose};
use super::by_set::Bounds;
use super::{DenseTerms, len_in_passing};
use crate::build::BuildError;
use crate::ids::TermOrd;
use crate::snapshot::format::SectionKind;
use crate::snapshot::packed_ints;
use crate::snapshot::term_best::TermBestWriter;
use crate::snapshot::terms::Terms;
use crate::snapshot::writer::SnapshotWriter;
use rayon::ThreadPool;
use rayon::prelude::*;

/// All businesses, as one set.
struct Everybody;

impl Sets for Everybody {
    fn numbers(&self) -> &[u32] {
        &[0]
    }

    #[inline]
    fn places_of(&self, _doc: u32) -> impl Iterator<Item = usize> {
        std::iter::once(0)
    }
}

/// The terms that at least `docs_min` businesses hold, ascending.
pub fn frequent(terms: &Terms, docs_min: usize) -> Vec<TermOrd> {
    let is_frequent = |ord: &TermOrd| len_in_passing(terms, *ord) >= docs_min;
    (0..terms.len() as u32).into_par_iter().map(TermOrd).filter(is_frequent).collect()
}

/// Writes the best businesses of `frequent`, and how many match each. Calls `release` now and then: the lists of terms
/// looked at so far may be given back.
///
/// # Errors
/// The file cannot be written.
pub fn write(
    frequent: DenseTerms<'_>,
    bounds: Bounds,
    release: impl Fn(),
    pool: &ThreadPool,
    writer: &mut SnapshotWriter,
) -> Result<(), BuildError> {
    let mut section = writer.begin(SectionKind::TermBest);
    let mut lists = TermBestWriter::default();
    choose(frequent, &Everybody, bounds, release, pool, |ord, best| {
        section.write(&packed_ints::encode(&best.docs, frequent.num_docs))?;
        best.totals.iter().for_each(|&total| lists.push(ord, best.docs.len(), total));
        Ok(())
    })?;
    section.end(writer)?;
    let words = lists.into_words();
    Ok(writer.section(SectionKind::TermBestLists, bytemuck::cast_slice(&words))?)
}
