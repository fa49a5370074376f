//! The words of all businesses, read back.

use crate::snapshot::SnapshotError;
use crate::snapshot::doc_tokens::{DocTokens, Tokens};
use crate::snapshot::format::SectionKind;
use crate::snapshot::mapped::Section;
use crate::snapshot::offsets::Offsets;

/// The words of each business, in order.
pub struct Words {
    /// Number of businesses.
    pub num_docs: u32,
    offsets: Offsets,
    tokens: Section,
}

impl Words {
    /// Those of `num_docs` businesses.
    ///
    /// # Errors
    /// Offsets are not what was written.
    pub fn open(
        section: &dyn Fn(SectionKind) -> Section,
        num_docs: u32,
    ) -> Result<Words, SnapshotError> {
        let kind = SectionKind::DocTokenOffsets;
        let tokens = section(SectionKind::DocTokens);
        let len = num_docs as usize + 1;
        let offsets = Offsets::open(kind, section(kind), len, tokens.as_ref().len() as u64)?;
        Ok(Words { num_docs, offsets, tokens })
    }

    /// Those of a business.
    pub fn of(&self, doc: u32) -> DocTokens<'_> {
        DocTokens::read(self.bytes(doc)).unwrap_or_default()
    }

    /// Those of its name, and how many of the name's positions stand before legal forms at its end.
    pub fn name(&self, doc: u32) -> (u32, Tokens<'_>) {
        DocTokens::read_name(self.bytes(doc)).unwrap_or_default()
    }

    fn bytes(&self, doc: u32) -> &[u8] {
        &self.tokens.as_ref()[self.offsets.range(doc as usize)]
    }
}
