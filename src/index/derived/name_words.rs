//! The words of names, gathered from the lists of all terms.

use crate::ids::TermOrd;
use crate::index::BuildError;
use crate::index::fst_writer::KeysWriter;
use crate::index::scratch::Scratch;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::writer::SnapshotWriter;
use crate::snapshot::terms::Terms;
use fst::Streamer;

/// Writes the terms that stand in names.
///
/// # Errors
/// The file, or a temporary one, cannot be written.
pub fn write(
    terms: &Terms,
    scratch: &Scratch,
    writer: &mut SnapshotWriter,
) -> Result<(), BuildError> {
    let mut words = KeysWriter::new(scratch)?;
    let mut stream = terms.keys().stream();
    while let Some((term, ord)) = stream.next() {
        if terms.lists(TermOrd(ord as u32)).in_name().next().is_some() {
            words.push(term)?;
        }
        if ord.is_multiple_of(1 << 16) {
            terms.release();
        }
    }
    terms.release();
    words.finish()?.write_section::<BuildError>(SectionKind::NameWords, writer)
}
