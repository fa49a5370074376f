//! Text to words: the same code at build and at query time.
//!
//! In: any text. Out: an [`Analysis`], the text's [`Unit`]s in order: plain words, compounds such
//! as `AT&T`, and runs of characters of scripts without spaces: Chinese, Japanese, Korean, Thai,
//! Lao, Khmer, Burmese. Nothing here fails, and the work is linear in the length of the text.
//!
//! A word has one or two *forms*: `Böhme` is `bohme` and `boehme`, any other word is just itself.
//! Both forms are indexed and both are searched; two words are the same if they share a form.
//!
//! Rules: contract, section 3 ("Folding", "Words", "Host", "Plural", and the legal forms and
//! articles under "AND"). Letters, digits and marks are the general categories L, N and M of
//! Unicode ([`UNICODE_VERSION`]). Where the contract is silent: invisible format characters (soft
//! hyphen, joiners, direction marks) are dropped, since a reader sees one word; a non-breaking
//! hyphen is a hyphen.

mod core;
pub mod fold;
mod han;
pub mod host;
pub mod legal_form;
pub mod plural;
mod scan;

pub use self::core::NameCore;
pub use fold::{fold_filter, fold_text};
pub use scan::INITIALS;

use fold::Class;
use std::ops::Range;

/// Moves whenever the same text may give other words: a snapshot is searched only by the analyzer
/// that built it.
pub const ANALYZER_VERSION: u32 = 2;

/// The Unicode version of the character data compiled in.
pub const UNICODE_VERSION: &str = "18.0.0";

/// The searched fields of a business.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TextField {
    /// The name.
    Name,
    /// The website's host.
    Host,
    /// The industry's name.
    Industry,
    /// The description.
    Description,
    /// Its other names; no phrase stands in two of them.
    Alias,
}

impl TextField {
    /// All fields, in the order in which they are indexed.
    pub const ALL: [TextField; 5] = [
        TextField::Name,
        TextField::Host,
        TextField::Industry,
        TextField::Description,
        TextField::Alias,
    ];

    /// Does it hold names?
    pub fn is_name(self) -> bool {
        matches!(self, TextField::Name | TextField::Alias)
    }

    /// Do English singular and plural match alike in this field?
    pub fn has_plurals(self) -> bool {
        matches!(self, TextField::Industry | TextField::Description)
    }

    /// The field's name as callers know it.
    pub fn name(self) -> &'static str {
        match self {
            TextField::Name => "name",
            TextField::Host => "host",
            TextField::Industry => "industry",
            TextField::Description => "description",
            TextField::Alias => "alias",
        }
    }
}

/// What a unit of a text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnitKind {
    /// One plain word.
    Word,
    /// An `&` that joins no two words: the word `and`.
    And,
    /// Parts joined by single `-`, `&`, `.` or `/`, or by the apostrophe of an elision. An `&`
    /// among them is the word `and`, and no part of the joined form.
    Compound,
    /// A run of characters of a script without spaces; its words are its characters.
    Run,
}

/// A unit of a text; see [`Analysis::units`].
#[derive(Clone, Debug)]
pub struct Unit {
    /// What it is.
    pub kind: UnitKind,
    /// Where it stands in the folded text, in bytes.
    pub span: Range<usize>,
    words: Range<usize>,
    joined: Option<Forms>,
    joined_in_prose: bool,
    /// Of a compound: is every joiner a dot? Or every one a dot or a slash?
    dotted: bool,
    signed: bool,
    /// Does it begin with an elided article, as `L'Oréal`?
    elided: bool,
    /// How many single letters it is, with dots between if there are several; 0 if it is not.
    letters: u32,
}

/// A run of single letters over several units, as `A B C` or `P. K.`; see [`Analysis::initials`].
#[derive(Clone, Debug)]
struct Initials {
    units: Range<usize>,
    joined: Forms,
}

impl Unit {
    /// Does it begin with an elided article, as `L'Oréal`?
    pub fn is_elided(&self) -> bool {
        self.elided
    }

    /// How many single letters it is, with dots between if there are several; 0 if it is not.
    pub fn letters(&self) -> u32 {
        self.letters
    }
}

/// The forms of one word, as ranges of the analysis' arena.
#[derive(Clone, Debug)]
struct Forms {
    stripped: Range<usize>,
    expanded: Option<Range<usize>>,
}

/// One word at one place of a text: all its forms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WordForms<'a> {
    /// The form with all marks dropped.
    pub stripped: &'a str,
    /// The form with ä, ö, ü written ae, oe, ue; only for words that have one.
    pub expanded: Option<&'a str>,
}

impl<'a> WordForms<'a> {
    /// The forms, one or two.
    pub fn iter(self) -> impl Iterator<Item = &'a str> {
        std::iter::once(self.stripped).chain(self.expanded)
    }
}

/// One entry of the index: a form of a word, or of a compound, at a position of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry<'a> {
    /// Position within the field, from 0. The position after a run of characters is left empty, so
    /// that no phrase reaches across the end of a run.
    pub position: u32,
    /// The form.
    pub text: &'a str,
    /// How the form stands at its position.
    pub role: Role,
}

/// How an [`Entry`] stands at its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The first form of the word at this position.
    Word,
    /// A further form of the same word.
    Alternative,
    /// The joined form of a compound, or of a run of single letters, whose words are the `parts`
    /// positions before and at this one: the entry follows its last word, `position` is that of its
    /// first.
    Joined {
        /// Number of words.
        parts: u32,
    },
}

/// The words of one text. Reused from text to text: no allocation once its buffers have grown.
#[derive(Default, Debug)]
pub struct Analysis {
    folded: String,
    arena: String,
    words: Vec<Forms>,
    units: Vec<Unit>,
    initials: Vec<Initials>,
    /// Is the folded text ASCII? Then its bytes are its characters.
    is_ascii: bool,
    /// The characters of any other.
    classes: Vec<(u32, char, Class)>,
    joiners: Vec<char>,
    parts: Vec<Forms>,
}

impl Analysis {
    /// An analysis of `text`.
    pub fn of(text: &str) -> Analysis {
        let mut analysis = Analysis::default();
        analysis.analyze(text);
        analysis
    }

    /// Replaces what is here by the words of `text`.
    pub fn analyze(&mut self, text: &str) {
        self.folded.clear();
        fold::fold_into(text, &mut self.folded);
        self.scan();
    }

    /// Replaces what is here by the searchable words of a website's host (see [`host`]).
    pub fn analyze_host(&mut self, website: &str) {
        self.folded.clear();
        if let Some(host) = host::Host::of_website(website) {
            // Labels are words of their own: a dot between them makes no compound.
            for label in host.searchable_labels() {
                self.folded.push_str(label);
                self.folded.push(' ');
            }
        }
        self.scan();
    }

    /// The folded text that the units' spans refer to.
    pub fn folded(&self) -> &str {
        &self.folded
    }

    /// The units in order.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// The words of a unit: one for a plain word, the parts of a compound, the characters of a run.
    pub fn words(&self, unit: &Unit) -> impl ExactSizeIterator<Item = WordForms<'_>> + Clone {
        self.words[unit.words.clone()].iter().map(|forms| self.forms(forms))
    }

    /// The joined form of a compound.
    pub fn joined(&self, unit: &Unit) -> Option<WordForms<'_>> {
        unit.joined.as_ref().map(|forms| self.forms(forms))
    }

    /// Runs of two to five single letters with spaces or dots between, over several units: which
    /// units, and what they are written as one.
    pub fn initials(&self) -> impl Iterator<Item = (Range<usize>, WordForms<'_>)> {
        self.initials.iter().map(|it| (it.units.clone(), self.forms(&it.joined)))
    }

    /// Calls `visit` for every entry that `field` indexes of this text, in the order of positions.
    pub fn for_each_entry<'a>(&'a self, field: TextField, mut visit: impl FnMut(Entry<'a>)) {
        let mut position = 0;
        let mut initials = self.initials.iter().filter(|_| field.is_name()).peekable();
        for (number, unit) in self.units.iter().enumerate() {
            let first = position;
            for word in self.words(unit) {
                visit(Entry { position, text: word.stripped, role: Role::Word });
                if let Some(text) = word.expanded {
                    visit(Entry { position, text, role: Role::Alternative });
                }
                position += 1;
            }
            if let Some(joined) = self.joined(unit)
                && (!field.has_plurals() || unit.joined_in_prose)
            {
                for text in joined.iter() {
                    let role = Role::Joined { parts: position - first };
                    visit(Entry { position: first, text, role });
                }
            }
            if let Some(run) = initials.next_if(|run| run.units.end == number + 1) {
                let letters = self.units[run.units.clone()].iter().map(|unit| unit.letters);
                let parts = letters.sum();
                for text in self.forms(&run.joined).iter() {
                    let role = Role::Joined { parts };
                    visit(Entry { position: position - parts, text, role });
                }
            }
            if unit.kind == UnitKind::Run {
                position += 1;
            }
        }
    }

    fn forms(&self, forms: &Forms) -> WordForms<'_> {
        WordForms {
            stripped: &self.arena[forms.stripped.clone()],
            expanded: forms.expanded.as_ref().map(|range| &self.arena[range.clone()]),
        }
    }
}

#[cfg(test)]
mod tests;
