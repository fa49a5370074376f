//! Text to words: the same code at build and at query time.
//!
//! In: any text. Out: an [`Analysis`], the text's [`Unit`]s in order: plain words, compounds such
//! as `AT&T`, and runs of Chinese, Japanese and Korean characters. Nothing here fails, and the work
//! is linear in the length of the text.
//!
//! A word has one or two *forms*: `Böhme` is `bohme` and `boehme`, any other word is just itself.
//! Both forms are indexed and both are searched; two words are the same if they share a form.
//!
//! Rules: contract, section 3 ("Folding", "Words", "Host", "Plural", and the legal forms under
//! "AND"). Letters, digits and marks are the general categories L, N and M of Unicode
//! ([`UNICODE_VERSION`]). Where the contract is silent: invisible format characters (soft hyphen,
//! joiners, direction marks) are dropped, since a reader sees one word; a non-breaking hyphen is a
//! hyphen.

pub mod fold;
pub mod host;
pub mod legal_form;
pub mod plural;

pub use fold::{fold_filter, fold_text};

use fold::{Class, class_of};
use std::ops::Range;

/// Moves whenever the same text may give other words: a snapshot is searched only by the analyzer
/// that built it.
pub const ANALYZER_VERSION: u32 = 1;

/// The Unicode version of the character data compiled in.
pub const UNICODE_VERSION: &str = "18.0.0";

/// The four searched fields of a business.
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
}

impl TextField {
    /// All fields, in the order in which they are indexed.
    pub const ALL: [TextField; 4] =
        [TextField::Name, TextField::Host, TextField::Industry, TextField::Description];

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
        }
    }
}

/// What a unit of a text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnitKind {
    /// One plain word.
    Word,
    /// An `&` that stands alone: the word `and`.
    And,
    /// Parts joined by single `-`, `&`, `.` or `/`.
    Compound,
    /// A run of Han, kana, Hangul or Bopomofo characters; its words are its characters.
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
    dotted: bool,
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
    /// Position within the field, from 0. The position after a run of CJK characters is left empty,
    /// so that no phrase reaches across the end of a run.
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
    /// The joined form of a compound whose parts are the `parts` positions before and at this one:
    /// the entry follows its last part, `position` is that of its first.
    Joined {
        /// Number of parts.
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
    /// Is the folded text ASCII? Then its bytes are its characters.
    is_ascii: bool,
    /// The characters of any other.
    classes: Vec<(u32, char, Class)>,
    joiners: Vec<char>,
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

    /// Is the unit a legal form, such as `Inc` or `S.p.A.`?
    pub fn is_legal_form(&self, unit: &Unit) -> bool {
        match unit.kind {
            UnitKind::Word => self.words(unit).all(|word| legal_form::is_plain(word.stripped)),
            UnitKind::Compound => {
                self.words(unit).all(|word| legal_form::is_plain(word.stripped))
                    || unit.dotted
                        && self
                            .joined(unit)
                            .is_some_and(|joined| legal_form::is_dotted(joined.stripped))
            }
            UnitKind::And | UnitKind::Run => false,
        }
    }

    /// How many units are left without the legal forms at the end; all of them if there is nothing
    /// else.
    pub fn units_without_trailing_forms(&self) -> usize {
        let forms = self.units.iter().rev().take_while(|unit| self.is_legal_form(unit)).count();
        if forms == self.units.len() { forms } else { self.units.len() - forms }
    }

    /// Calls `visit` for every entry that `field` indexes of this text, in the order of positions.
    pub fn for_each_entry<'a>(&'a self, field: TextField, mut visit: impl FnMut(Entry<'a>)) {
        let mut position = 0;
        for unit in &self.units {
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
            if unit.kind == UnitKind::Run {
                position += 1;
            }
        }
    }

    /// Number of positions up to the last word, legal forms at the end left out.
    pub fn core_len(&self) -> u32 {
        let core = &self.units[..self.units_without_trailing_forms()];
        let width = |unit: &Unit| unit.words.len() + usize::from(unit.kind == UnitKind::Run);
        let gap_at_end = core.last().is_some_and(|unit| unit.kind == UnitKind::Run);
        (core.iter().map(width).sum::<usize>() - usize::from(gap_at_end)) as u32
    }

    fn forms(&self, forms: &Forms) -> WordForms<'_> {
        WordForms {
            stripped: &self.arena[forms.stripped.clone()],
            expanded: forms.expanded.as_ref().map(|range| &self.arena[range.clone()]),
        }
    }

    fn scan(&mut self) {
        self.is_ascii = self.folded.is_ascii();
        self.scan_units();
    }

    fn scan_units(&mut self) {
        self.arena.clear();
        self.words.clear();
        self.units.clear();
        self.classes.clear();
        if !self.is_ascii {
            let chars = self.folded.char_indices();
            self.classes.extend(chars.map(|(at, c)| (at as u32, c, class_of(c))));
        }
        let mut at = 0;
        while let Some(class) = self.class(at) {
            at = match class {
                Class::Cjk => self.scan_run(at),
                Class::Letter => self.scan_words(at),
                Class::Ampersand => self.scan_ampersand(at),
                _ => at + 1,
            };
        }
    }

    #[inline]
    fn class(&self, at: usize) -> Option<Class> {
        if self.is_ascii {
            return self.folded.as_bytes().get(at).map(|&byte| fold::class_of_ascii(byte));
        }
        self.classes.get(at).map(|&(_, _, class)| class)
    }

    /// Character `at` of the folded text, which is there.
    fn char(&self, at: usize) -> char {
        if self.is_ascii { char::from(self.folded.as_bytes()[at]) } else { self.classes[at].1 }
    }

    /// Byte offset of character `at` of the folded text; its length behind the last one.
    fn offset(&self, at: usize) -> usize {
        if self.is_ascii {
            return at;
        }
        self.classes.get(at).map_or(self.folded.len(), |&(offset, _, _)| offset as usize)
    }

    fn scan_run(&mut self, start: usize) -> usize {
        let (first_word, mut at) = (self.words.len(), start);
        while self.class(at) == Some(Class::Cjk) {
            let text = self.arena.len();
            self.arena.push(self.classes[at].1);
            at += 1;
            while self.class(at) == Some(Class::Mark) {
                self.arena.push(self.classes[at].1);
                at += 1;
            }
            self.words.push(Forms { stripped: text..self.arena.len(), expanded: None });
        }
        self.push_unit(UnitKind::Run, start, at, first_word);
        at
    }

    fn scan_ampersand(&mut self, at: usize) -> usize {
        let before = at == 0 || self.class(at - 1) == Some(Class::Space);
        let after = matches!(self.class(at + 1), None | Some(Class::Space));
        if before && after {
            let (first_word, text) = (self.words.len(), self.arena.len());
            self.arena.push_str("and");
            self.words.push(Forms { stripped: text..self.arena.len(), expanded: None });
            self.push_unit(UnitKind::And, at, at + 1, first_word);
        }
        at + 1
    }

    /// Reads a plain word or a chain of joined ones.
    fn scan_words(&mut self, start: usize) -> usize {
        let (first_word, mut at) = (self.words.len(), start);
        self.joiners.clear();
        loop {
            at = self.scan_word(at);
            let parts = self.words.len() - first_word;
            if !self.joins_words(at) || parts > crate::limits::COMPOUND_PARTS_MAX {
                break;
            }
            self.joiners.push(self.char(at));
            at += 1;
        }
        let parts = self.words.len() - first_word;
        let chars = || {
            let words = self.words[first_word..].iter();
            words.map(|forms| self.arena[forms.stripped.clone()].chars().count()).sum::<usize>()
        };
        if parts == 1 {
            self.push_unit(UnitKind::Word, start, at, first_word);
        } else if parts <= crate::limits::COMPOUND_PARTS_MAX
            && chars() <= crate::limits::COMPOUND_CHARS_MAX
        {
            self.push_compound(start, at, first_word);
        } else {
            // Too long for a compound: the whole chain is plain words.
            self.words.truncate(first_word);
            at = start;
            loop {
                let word = self.words.len();
                let end = self.scan_word(at);
                self.push_unit(UnitKind::Word, at, end, word);
                at = end;
                if !self.joins_words(at) {
                    break;
                }
                at += 1;
            }
        }
        at
    }

    /// Is the character at `at` a joiner with a word right behind it?
    fn joins_words(&self, at: usize) -> bool {
        matches!(self.class(at), Some(Class::Joiner | Class::Ampersand))
            && self.class(at + 1) == Some(Class::Letter)
    }

    /// Reads one word into the arena: letters, digits, their marks; apostrophes inside are dropped.
    fn scan_word(&mut self, start: usize) -> usize {
        if self.is_ascii {
            return self.scan_ascii_word(start);
        }
        let (text, mut at, mut umlaut) = (self.arena.len(), start, false);
        loop {
            match self.class(at) {
                Some(Class::Letter | Class::Mark) => {
                    let c = self.classes[at].1;
                    umlaut |= fold::expanded(c).is_some();
                    self.arena.push(fold::stripped(c));
                }
                Some(Class::Apostrophe) if self.class(at + 1) == Some(Class::Letter) => {}
                _ => break,
            }
            at += 1;
        }
        let stripped = text..self.arena.len();
        let expanded = umlaut.then(|| {
            let text = self.arena.len();
            for &(_, c, class) in &self.classes[start..at] {
                if class != Class::Apostrophe {
                    match fold::expanded(c) {
                        Some(expanded) => self.arena.push_str(expanded),
                        None => self.arena.push(c),
                    }
                }
            }
            text..self.arena.len()
        });
        self.words.push(Forms { stripped, expanded });
        at
    }

    /// Scans a word of a text of ASCII alone.
    fn scan_ascii_word(&mut self, start: usize) -> usize {
        let (text, mut at) = (self.arena.len(), start);
        loop {
            let rest = self.folded[at..].bytes();
            let len = rest.take_while(|&byte| fold::class_of_ascii(byte) == Class::Letter).count();
            self.arena.push_str(&self.folded[at..at + len]);
            at += len;
            let is_within = self.class(at) == Some(Class::Apostrophe)
                && self.class(at + 1) == Some(Class::Letter);
            if !is_within {
                break;
            }
            at += 1;
        }
        self.words.push(Forms { stripped: text..self.arena.len(), expanded: None });
        at
    }

    fn push_compound(&mut self, start: usize, end: usize, first_word: usize) {
        let parts = self.words[first_word..].to_vec();
        let mut join = |form: fn(&Forms) -> Range<usize>| {
            let text = self.arena.len();
            for part in &parts {
                self.arena.extend_from_within(form(part));
            }
            text..self.arena.len()
        };
        let stripped = join(|part| part.stripped.clone());
        let expanded = parts
            .iter()
            .any(|part| part.expanded.is_some())
            .then(|| join(|part| part.expanded.clone().unwrap_or(part.stripped.clone())));
        let single_letter = |part: &Forms| {
            let mut chars = self.arena[part.stripped.clone()].chars();
            chars.next().is_some() && chars.next().is_none()
        };
        let joined_in_prose =
            self.joiners.iter().zip(parts.windows(2)).all(|(joiner, pair)| match joiner {
                '-' | '&' => true,
                '.' => pair.iter().all(single_letter),
                _ => false,
            });
        let dotted = self.joiners.iter().all(|&joiner| joiner == '.');
        self.push_unit(UnitKind::Compound, start, end, first_word);
        let unit = self.units.last_mut().expect("just pushed");
        unit.joined = Some(Forms { stripped, expanded });
        unit.joined_in_prose = joined_in_prose;
        unit.dotted = dotted;
    }

    fn push_unit(&mut self, kind: UnitKind, start: usize, end: usize, first_word: usize) {
        self.units.push(Unit {
            kind,
            span: self.offset(start)..self.offset(end),
            words: first_word..self.words.len(),
            joined: None,
            joined_in_prose: false,
            dotted: false,
        });
    }
}

#[cfg(test)]
mod tests;
