//! How much each name weighs.

use super::transpose::{docs_in, num_chunks};
use crate::ids::DocId;
use crate::index::BuildError;
use crate::snapshot::answers::name_weights::NameWeigher;
use crate::snapshot::columns::forward_index::ForwardIndex;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::writer::SnapshotWriter;
use crate::snapshot::terms::Terms;
use rayon::ThreadPool;
use rayon::prelude::*;

/// Fewest names for a thread.
const MIN_LEN: usize = 1 << 10;

/// Where names are read.
pub struct Names<'a> {
    /// The terms.
    pub terms: &'a Terms,
    /// The words of all businesses.
    pub words: &'a ForwardIndex,
}

impl Names<'_> {
    fn byte(&self, weigher: &mut NameWeigher, doc: u32) -> u8 {
        let (core, tokens) = self.words.name_tokens(DocId(doc));
        weigher.byte(core, tokens, |code| self.terms.weight_of_code(code))
    }
}

/// Writes what each name weighs; calls `release` now and then: what was looked at may be given
/// back.
///
/// # Errors
/// The file cannot be written.
pub fn write(
    names: Names<'_>,
    release: impl Fn(),
    pool: &ThreadPool,
    writer: &mut SnapshotWriter,
) -> Result<(), BuildError> {
    let mut section = writer.begin(SectionKind::NameWeights);
    for key in 0..num_chunks(names.words.num_docs()) {
        let docs = docs_in(key, names.words.num_docs());
        let bytes: Vec<u8> = pool.install(|| {
            let docs = docs.into_par_iter().with_min_len(MIN_LEN);
            docs.map_init(NameWeigher::default, |weigher, doc| names.byte(weigher, doc)).collect()
        });
        section.write(&bytes)?;
        release();
    }
    Ok(section.end(writer)?)
}
