//! What of a name names the business: the name without legal forms at its ends, and the article in
//! front of the rest.

use super::legal_form::Ends;
use super::{Analysis, UnitKind};

/// The positions of a name without legal forms at its ends; of a name of legal forms alone, all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NameCore {
    /// The first position.
    pub start: u32,
    /// The position behind the last.
    pub end: u32,
    /// Is the word at the first position an article, with more behind it? The name is compared with
    /// it and without it.
    pub has_article: bool,
}

impl NameCore {
    /// The core of a name that begins at `position` of a field.
    #[must_use]
    pub fn shifted(self, position: u32) -> NameCore {
        NameCore { start: self.start + position, end: self.end + position, ..self }
    }

    /// Where words may stand that the name starts with: with the article, and without it.
    #[inline]
    pub fn starts(self) -> impl Iterator<Item = u32> {
        self.start..=self.start + u32::from(self.has_article)
    }

    /// Does the name start with what stands at `position`?
    #[inline]
    pub fn starts_at(self, position: u32) -> bool {
        position == self.start || self.has_article && position == self.start + 1
    }

    /// The position behind the article.
    #[inline]
    pub fn behind_article(self) -> u32 {
        self.start + u32::from(self.has_article)
    }
}

impl Analysis {
    /// The legal forms at the ends of the text.
    pub fn legal_forms(&self) -> Ends {
        Ends::of(self, self.units.len(), |number| Some(&self.units[number]))
    }

    /// The core of the name that the text is.
    pub fn name_core(&self) -> NameCore {
        let Ends { front, front_words, back, back_words } = self.legal_forms();
        let units = &self.units[front..self.units.len() - back];
        let width = |number: usize| {
            let unit = &self.units[number];
            (unit.words.len() + usize::from(unit.kind == UnitKind::Run)) as u32
        };
        let before: u32 = (0..front).map(width).sum();
        let within: u32 = (front..front + units.len()).map(width).sum();
        let start = before + front_words as u32;
        let gap = u32::from(units.last().is_some_and(|unit| unit.kind == UnitKind::Run));
        let end = before + within - gap - back_words as u32;
        let is_article = |kind| match kind {
            UnitKind::Word => units.len() > 1 && self.is_the(&units[0]),
            _ => units[0].elided,
        };
        let has_article = units.first().is_some_and(|unit| is_article(unit.kind));
        NameCore { start, end, has_article }
    }
}
