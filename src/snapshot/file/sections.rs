//! The bytes of the sections of a snapshot, by kind.

use super::format::SectionEntry;
use super::mapped::{Backing, Section};
use super::section_kind::SectionKind;
use std::sync::Arc;

/// The bytes of the sections of a snapshot.
pub(crate) struct Sections {
    pub(crate) backing: Arc<Backing>,
    pub(crate) entries: Vec<SectionEntry>,
}

impl Sections {
    /// The section of this kind; an empty one while it is not written yet.
    pub(crate) fn of(&self, kind: SectionKind) -> Section {
        let range = self.entries.get(kind.index()).map_or(0..0, SectionEntry::range);
        Section::new(self.backing.clone(), kind, range)
    }

    /// Gives all pages back, if the snapshot is looked at in passing only.
    pub fn release(&self) {
        self.backing.release(0..self.backing.bytes().len());
    }
}
