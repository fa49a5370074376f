//! Folded text to units.

use super::fold::{self, Class, class_of};
use super::{Analysis, Forms, Initials, Unit, UnitKind};
use crate::limits::{COMPOUND_CHARS_MAX, COMPOUND_PARTS_MAX};
use std::ops::{Range, RangeInclusive};

/// What stands before the apostrophe of a French or Italian elision: the word ends there.
const ELIDED: [&str; 20] = [
    "l", "d", "j", "m", "n", "s", "t", "c", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", "quelqu",
    "dell", "all", "nell", "dall", "sull", "un",
];

/// How many single letters in a row have a joined form.
pub const INITIALS: RangeInclusive<u32> = 2..=5;

impl Analysis {
    pub(super) fn scan(&mut self) {
        self.is_ascii = self.folded.is_ascii();
        self.scan_units();
    }

    pub(super) fn scan_units(&mut self) {
        self.arena.clear();
        self.words.clear();
        self.units.clear();
        self.initials.clear();
        self.classes.clear();
        if !self.is_ascii {
            let chars = self.folded.char_indices();
            self.classes.extend(chars.map(|(at, c)| (at as u32, c, class_of(c))));
        }
        let mut at = 0;
        while let Some(class) = self.class(at) {
            at = match class {
                Class::Unspaced => self.scan_run(at),
                Class::Letter => self.scan_words(at),
                Class::Ampersand => self.scan_ampersand(at),
                _ => at + 1,
            };
        }
        self.find_initials();
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
        while self.class(at) == Some(Class::Unspaced) {
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

    /// Reads an `&` that joins no two words. Several in a row are one.
    fn scan_ampersand(&mut self, start: usize) -> usize {
        let first_word = self.words.len();
        self.push_and();
        self.push_unit(UnitKind::And, start, start + 1, first_word);
        let mut at = start + 1;
        while self.class(at) == Some(Class::Ampersand) {
            at += 1;
        }
        at
    }

    fn push_and(&mut self) {
        let text = self.arena.len();
        self.arena.push_str("and");
        self.words.push(Forms { stripped: text..self.arena.len(), expanded: None });
    }

    /// Reads a plain word or a chain of joined ones.
    fn scan_words(&mut self, start: usize) -> usize {
        let (first_word, mut at) = (self.words.len(), start);
        self.joiners.clear();
        self.parts.clear();
        loop {
            at = self.scan_word(at);
            self.parts.extend(self.words.last().cloned());
            if !self.joins_words(at) || self.parts.len() > COMPOUND_PARTS_MAX {
                break;
            }
            let joiner = self.char(at);
            self.joiners.push(joiner);
            if joiner == '&' {
                self.push_and();
            }
            at += 1;
        }
        let chars = || {
            let parts = self.parts.iter();
            parts.map(|forms| self.arena[forms.stripped.clone()].chars().count()).sum::<usize>()
        };
        if self.parts.len() == 1 {
            self.push_unit(UnitKind::Word, start, at, first_word);
            let unit = self.units.last_mut().expect("just pushed");
            unit.letters = u32::from(is_single_letter(&self.arena, &self.parts[0]));
        } else if self.parts.len() <= COMPOUND_PARTS_MAX && chars() <= COMPOUND_CHARS_MAX {
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
                if self.class(at) == Some(Class::Ampersand) {
                    self.scan_ampersand(at);
                }
                at += 1;
            }
        }
        at
    }

    /// Is the character at `at` a joiner with a word right behind it? An apostrophe that a word
    /// ends at is.
    fn joins_words(&self, at: usize) -> bool {
        matches!(self.class(at), Some(Class::Joiner | Class::Ampersand | Class::Apostrophe))
            && self.class(at + 1) == Some(Class::Letter)
    }

    /// Does an apostrophe at `at` stand inside the word that begins at `text` of the arena, and end
    /// no elided article?
    fn is_within_word(&self, at: usize, text: usize) -> bool {
        self.class(at) == Some(Class::Apostrophe)
            && self.class(at + 1) == Some(Class::Letter)
            && !ELIDED.contains(&&self.arena[text..])
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
                _ if self.is_within_word(at, text) => {}
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
            if !self.is_within_word(at, text) {
                break;
            }
            at += 1;
        }
        self.words.push(Forms { stripped: text..self.arena.len(), expanded: None });
        at
    }

    /// Writes some words as one.
    fn join(&mut self, parts: &[Forms]) -> Forms {
        let mut join = |form: fn(&Forms) -> Range<usize>| {
            let text = self.arena.len();
            for part in parts {
                self.arena.extend_from_within(form(part));
            }
            text..self.arena.len()
        };
        let stripped = join(|part| part.stripped.clone());
        let expanded = parts
            .iter()
            .any(|part| part.expanded.is_some())
            .then(|| join(|part| part.expanded.clone().unwrap_or(part.stripped.clone())));
        Forms { stripped, expanded }
    }

    fn push_compound(&mut self, start: usize, end: usize, first_word: usize) {
        let parts = std::mem::take(&mut self.parts);
        let joined = self.join(&parts);
        let single_letter = |part: &Forms| is_single_letter(&self.arena, part);
        let joined_in_prose =
            self.joiners.iter().zip(parts.windows(2)).all(|(joiner, pair)| match joiner {
                '-' | '&' => true,
                '.' => pair.iter().all(single_letter),
                _ => false,
            });
        let are_all = |signs: &[char]| self.joiners.iter().all(|joiner| signs.contains(joiner));
        let (dotted, signed) = (are_all(&['.']), are_all(&['.', '/']));
        let elided = self.joiners.first().is_some_and(|&c| class_of(c) == Class::Apostrophe);
        let is_initials = dotted && parts.iter().all(single_letter);
        let letters = if is_initials { parts.len() as u32 } else { 0 };
        self.push_unit(UnitKind::Compound, start, end, first_word);
        let unit = self.units.last_mut().expect("just pushed");
        unit.joined = Some(joined);
        unit.joined_in_prose = joined_in_prose;
        (unit.dotted, unit.signed, unit.elided) = (dotted, signed, elided);
        unit.letters = letters;
        self.parts = parts;
    }

    fn push_unit(&mut self, kind: UnitKind, start: usize, end: usize, first_word: usize) {
        self.units.push(Unit {
            kind,
            span: self.offset(start)..self.offset(end),
            words: first_word..self.words.len(),
            joined: None,
            joined_in_prose: false,
            dotted: false,
            signed: false,
            elided: false,
            letters: 0,
        });
    }

    /// Finds maximal runs of single letters over several units.
    fn find_initials(&mut self) {
        let mut first = 0;
        while first < self.units.len() {
            let mut end = first + 1;
            while self.goes_on_with_letters(end) {
                end += 1;
            }
            let letters = self.units[first..end].iter().map(|unit| unit.letters).sum();
            if end - first > 1 && INITIALS.contains(&letters) {
                let words = self.units[first].words.start..self.units[end - 1].words.end;
                let parts = self.words[words].to_vec();
                let joined = self.join(&parts);
                self.initials.push(Initials { units: first..end, joined });
            }
            first = end;
        }
    }

    /// Are a unit and the one before it single letters, with only spaces and dots between?
    fn goes_on_with_letters(&self, number: usize) -> bool {
        let Some([before, unit]) = self.units.get(number - 1..=number) else { return false };
        let between = |text: &str| text.chars().all(|c| c == '.' || c.is_whitespace());
        before.letters > 0
            && unit.letters > 0
            && between(&self.folded[before.span.end..unit.span.start])
    }
}

fn is_single_letter(arena: &str, part: &Forms) -> bool {
    let mut chars = arena[part.stripped.clone()].chars();
    chars.next().is_some_and(fold::is_letter) && chars.next().is_none()
}
