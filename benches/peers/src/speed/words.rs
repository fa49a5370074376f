//! The words of a record as tantivy indexes them.
//!
//! In: the text fields of a record, joined by [`FIELD_END`]. Out: tokens, by the words of
//! Firmament's own analyzer, since both engines must match alike to be compared. Positions of one
//! field do not touch those of the next, so a phrase stays within a field. Words stand at even
//! positions, joined forms of compounds at odd ones, since they take no part in phrases.

use firmament::analyzer::{Analysis, Role, TextField, plural};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// What stands between the fields of one record.
pub const FIELD_END: char = '\u{1f}';

/// Positions from one word to the next.
pub const POSITION_STEP: usize = 2;

/// Fewest characters of a word's start that is indexed.
const START_CHARS_MIN: usize = firmament::snapshot::terms::prefixes::PREFIX_CHARS_MIN;

/// Which words a field of the index holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// All: of names and hosts as written, of industries and descriptions in all their forms. A
    /// word that has no other form is one look-up here.
    All,
    /// Of industries and descriptions alone, in all their forms: where the singular of a plural is
    /// looked up.
    Prose,
    /// Of names and hosts, as written.
    Names,
    /// Starts of three characters and more of the words of names and hosts: a prefix is one
    /// look-up.
    Starts,
}

/// A tokenizer of tantivy.
pub struct Words {
    content: Content,
    analysis: Analysis,
    tokens: Vec<Token>,
    len: usize,
}

/// What it gives.
pub struct WordStream<'a> {
    tokens: &'a mut [Token],
    next: usize,
}

impl Words {
    /// A tokenizer for a field with this content. Its text are name, website, industry and
    /// description.
    pub fn new(content: Content) -> Words {
        Words { content, analysis: Analysis::default(), tokens: Vec::new(), len: 0 }
    }

    fn fill(&mut self, text: &str) {
        self.len = 0;
        let mut base = 0;
        for (field, part) in TextField::ALL.into_iter().zip(text.split(FIELD_END)) {
            let is_wanted = match self.content {
                Content::All => true,
                Content::Prose => field.has_plurals(),
                Content::Names | Content::Starts => !field.has_plurals(),
            };
            if !is_wanted {
                continue;
            }
            let mut analysis = std::mem::take(&mut self.analysis);
            match field {
                TextField::Host => analysis.analyze_host(part),
                _ => analysis.analyze(part),
            }
            let mut end = base;
            analysis.for_each_entry(field, |entry| {
                let is_joined = matches!(entry.role, Role::Joined { .. });
                let position =
                    base + entry.position as usize * POSITION_STEP + usize::from(is_joined);
                end = end.max(position + 1);
                if field.has_plurals() {
                    plural::forms(entry.text).for_each(|form| self.push(position, &form));
                } else if self.content == Content::Starts {
                    let ends = entry.text.char_indices().map(|(at, _)| at).skip(START_CHARS_MIN);
                    let is_long = entry.text.chars().nth(START_CHARS_MIN - 1).is_some();
                    let whole = is_long.then_some(entry.text.len());
                    ends.chain(whole).for_each(|end| self.push(position, &entry.text[..end]));
                } else {
                    self.push(position, entry.text);
                }
            });
            self.analysis = analysis;
            base = (end + POSITION_STEP).next_multiple_of(POSITION_STEP);
        }
    }

    fn push(&mut self, position: usize, text: &str) {
        if self.len == self.tokens.len() {
            self.tokens.push(Token::default());
        }
        let token = &mut self.tokens[self.len];
        token.reset();
        token.position = position;
        token.text.push_str(text);
        self.len += 1;
    }
}

impl Clone for Words {
    fn clone(&self) -> Words {
        Words::new(self.content)
    }
}

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        self.fill(text);
        WordStream { tokens: &mut self.tokens[..self.len], next: 0 }
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        self.next += 1;
        self.next <= self.tokens.len()
    }

    fn token(&self) -> &Token {
        &self.tokens[self.next - 1]
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.tokens[self.next - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_content_has_its_words() {
        let text = "Old Boxes\u{1f}https://www.acme.example/\u{1f}Tools\u{1f}Boxes and wax.";
        let words = |content| {
            let mut tokens = Vec::new();
            Words::new(content)
                .token_stream(text)
                .process(&mut |token| tokens.push((token.position, token.text.clone())));
            tokens.sort();
            tokens.into_iter().map(|(at, text)| format!("{at} {text}")).collect::<Vec<_>>()
        };
        assert_eq!(words(Content::Names), ["0 old", "2 boxes", "6 acme", "8 example"]);
        assert_eq!(
            words(Content::Prose),
            ["0 tool", "0 tools", "4 box", "4 boxe", "4 boxes", "6 and", "8 wax"]
        );
        assert_eq!(words(Content::All).len(), 11);
        assert_eq!(words(Content::Starts)[..3], ["0 old", "2 box", "2 boxe"]);
    }
}
