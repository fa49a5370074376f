//! The tokens of each document, by `DocId`.

use super::doc_tokens::{DocTokens, Tokens};
use crate::analyzer::NameCore;
use crate::ids::DocId;
use crate::snapshot::encoding::offsets::Offsets;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::mapped::Section;

/// The tokens of all documents; [`doc_tokens`](super::doc_tokens) has the grammar.
pub struct ForwardIndex {
    num_docs: u32,
    offsets: Offsets,
    tokens: Section,
}

impl ForwardIndex {
    /// Opens the tokens and checks that documents join; tokens themselves are checked when they are
    /// read.
    ///
    /// # Errors
    /// Documents do not join.
    pub fn open(
        [offsets, tokens]: [Section; 2],
        num_docs: u32,
    ) -> Result<ForwardIndex, SnapshotError> {
        let offsets = Offsets::open(offsets, num_docs as usize + 1, tokens.as_ref().len() as u64)?;
        Ok(ForwardIndex { num_docs, offsets, tokens })
    }

    /// Number of documents.
    pub fn num_docs(&self) -> u32 {
        self.num_docs
    }

    /// The words of a document.
    #[inline]
    pub fn tokens(&self, doc: DocId) -> DocTokens<'_> {
        DocTokens::read(self.bytes(doc)).unwrap_or_default()
    }

    /// The words of a name, and how many of its positions stand before legal forms at its end.
    #[inline]
    pub fn name_tokens(&self, doc: DocId) -> (NameCore, Tokens<'_>) {
        DocTokens::read_name(self.bytes(doc)).unwrap_or_default()
    }

    /// Reads a little of the names of some documents, as [`touch_tokens`](Self::touch_tokens) does.
    pub fn touch_names(&self, docs: impl Iterator<Item = DocId>) {
        self.touch(docs.map(|doc| self.offsets.range(doc.index()).start));
    }

    /// Reads a little of the words of some documents, which are looked at next: loads that do not
    /// wait for each other overlap.
    pub fn touch_tokens(&self, docs: impl Iterator<Item = DocId>) {
        let ends = docs.map(|doc| self.offsets.range(doc.index()));
        self.touch(ends.flat_map(|range| [range.start, range.end.saturating_sub(1)]));
    }

    fn touch(&self, places: impl Iterator<Item = usize>) {
        let tokens = self.tokens.as_ref();
        let byte = |at: usize| tokens.get(at).copied().unwrap_or_default();
        std::hint::black_box(places.fold(0, |all, at| all ^ byte(at)));
    }

    #[inline]
    fn bytes(&self, doc: DocId) -> &[u8] {
        &self.tokens.as_ref()[self.offsets.range(doc.index())]
    }
}
