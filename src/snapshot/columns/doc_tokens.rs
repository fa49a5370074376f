//! The words of every business, in order: what phrases and names are checked against.
//!
//! ```text
//! DOC    := CORE, then for each field (name, host, industry, description): LEN (varint), TOKEN*
//! CORE   := END << 1 (varint) | END << 1 | 1, START << 1 | ARTICLE (varints)
//! TOKEN  := WORD | ALT | JOINED | GAP
//! WORD   := CODE (varint, from 3)               the next position
//! ALT    := 1, CODE                             a further form of the word before
//! JOINED := 2, PARTS (varint), CODE             joined form of the PARTS positions up to here
//! GAP    := 0                                   a position without a word (the end of a run)
//! ```
//!
//! CORE is where the name stands without the legal forms at its ends, from START (0) to before END;
//! ARTICLE is 1 if its first word is an article. LEN is in bytes; varints are LEB128. Codes number the terms by how often they occur, so that frequent words take
//! one byte. Positions could be stored under each term instead; checking a phrase would then touch
//! as many lists as it has words, where this touches one place of about 150 bytes.
//!
//! Opening a snapshot does not look at tokens, which would be a quarter of its work: whoever reads
//! them takes what is none for no token, and a code of no term for a word that occurs nowhere else.

use crate::analyzer::{NameCore, TextField};
use crate::bytes::{push_varint, read_varint};
use std::ops::Range;

/// Smallest code of a term; smaller numbers are control marks.
pub const CODE_MIN: u32 = 3;
const GAP: u32 = 0;
const ALTERNATIVE: u32 = 1;
const JOINED: u32 = 2;

/// Number of searched fields.
pub const NUM_FIELDS: usize = 4;

/// One entry of a field's token stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token {
    /// A word at the next position.
    Word(u32),
    /// A further form of the word at the current position.
    Alternative(u32),
    /// The joined form of the last `parts` positions.
    Joined {
        /// Number of parts.
        parts: u32,
        /// Code of the joined form.
        code: u32,
    },
    /// A position without a word.
    Gap,
}

impl Token {
    /// The code of the token's term; none for a gap.
    pub fn code(&self) -> Option<u32> {
        match *self {
            Token::Word(code) | Token::Alternative(code) | Token::Joined { code, .. } => Some(code),
            Token::Gap => None,
        }
    }

    /// This token with another code.
    pub fn map_code(self, map: impl FnOnce(u32) -> u32) -> Token {
        match self {
            Token::Word(code) => Token::Word(map(code)),
            Token::Alternative(code) => Token::Alternative(map(code)),
            Token::Joined { parts, code } => Token::Joined { parts, code: map(code) },
            Token::Gap => Token::Gap,
        }
    }
}

/// The tokens of one business.
#[derive(Clone, Copy, Debug, Default)]
pub struct DocTokens<'a> {
    /// The name without legal forms at its ends.
    pub name_core: NameCore,
    fields: [&'a [u8]; NUM_FIELDS],
}

impl<'a> DocTokens<'a> {
    /// Reads the tokens of one business; `None` if the bytes are not such.
    #[inline]
    pub fn read(mut bytes: &'a [u8]) -> Option<DocTokens<'a>> {
        let doc = DocTokens::read_front(&mut bytes)?;
        bytes.is_empty().then_some(doc)
    }

    /// Reads the tokens of one business from the front of `bytes`.
    #[inline]
    pub fn read_front(bytes: &mut &'a [u8]) -> Option<DocTokens<'a>> {
        let name_core = read_core(bytes)?;
        let mut fields = [&bytes[..0]; NUM_FIELDS];
        for field in &mut fields {
            let len = read_varint(bytes)? as usize;
            (*field, *bytes) = bytes.split_at_checked(len)?;
        }
        Some(DocTokens { name_core, fields })
    }

    /// Reads the tokens of a name, and where it stands without legal forms at its ends; looks at
    /// nothing behind.
    #[inline]
    pub fn read_name(mut bytes: &'a [u8]) -> Option<(NameCore, Tokens<'a>)> {
        const { assert!(TextField::Name as usize == 0) };
        let core = read_core(&mut bytes)?;
        let len = read_varint(&mut bytes)? as usize;
        Some((core, Tokens { bytes: bytes.get(..len)? }))
    }

    /// The tokens of a field.
    #[inline]
    pub fn field(&self, field: usize) -> Tokens<'a> {
        Tokens { bytes: self.fields[field] }
    }

    /// The tokens of a field as they lie there: each mark, number and code a varint.
    #[inline]
    pub fn field_bytes(&self, field: usize) -> &'a [u8] {
        self.fields[field]
    }
}

/// Iterator over the tokens of one field; ends early where the bytes are no tokens.
#[derive(Clone, Debug, Default)]
pub struct Tokens<'a> {
    bytes: &'a [u8],
}

impl<'a> Tokens<'a> {
    /// The tokens of a field that is stored in these bytes.
    #[cfg(test)]
    pub fn of(bytes: &'a [u8]) -> Tokens<'a> {
        Tokens { bytes }
    }

    /// Calls `visit` with those of a name that stand within its core, behind an article, each with
    /// the positions there that it stands for.
    #[inline]
    pub fn of_core(self, core: NameCore, mut visit: impl FnMut(Token, Range<usize>)) {
        let skipped = core.behind_article() as usize;
        let mut end = 0;
        for token in self {
            let start = match token {
                Token::Word(_) | Token::Gap if end == core.end as usize => return,
                Token::Word(_) | Token::Gap => {
                    end += 1;
                    end - 1
                }
                Token::Alternative(_) => end.saturating_sub(1),
                Token::Joined { parts, .. } => end.saturating_sub(parts as usize),
            };
            if end > skipped {
                visit(token, start.saturating_sub(skipped)..end - skipped);
            }
        }
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    #[inline]
    fn next(&mut self) -> Option<Token> {
        match read_varint(&mut self.bytes)? {
            GAP => Some(Token::Gap),
            ALTERNATIVE => read_varint(&mut self.bytes).map(Token::Alternative),
            JOINED => {
                let parts = read_varint(&mut self.bytes)?;
                read_varint(&mut self.bytes).map(|code| Token::Joined { parts, code })
            }
            code => Some(Token::Word(code)),
        }
    }
}

/// Appends the tokens of one field.
pub fn push_token(out: &mut Vec<u8>, token: Token) {
    match token {
        Token::Word(code) => push_varint(out, code),
        Token::Alternative(code) => {
            push_varint(out, ALTERNATIVE);
            push_varint(out, code);
        }
        Token::Joined { parts, code } => {
            push_varint(out, JOINED);
            push_varint(out, parts);
            push_varint(out, code);
        }
        Token::Gap => push_varint(out, GAP),
    }
}

/// Reads where a name stands without legal forms.
#[inline]
fn read_core(bytes: &mut &[u8]) -> Option<NameCore> {
    let end = read_varint(bytes)?;
    let start = if end & 1 == 1 { read_varint(bytes)? } else { 0 };
    Some(NameCore { start: start >> 1, end: end >> 1, has_article: start & 1 == 1 })
}

/// Appends one business: where its name stands without legal forms, and the token bytes of its
/// fields.
pub fn push_doc(out: &mut Vec<u8>, name_core: NameCore, fields: &[Vec<u8>; NUM_FIELDS]) {
    let NameCore { start, end, has_article } = name_core;
    let is_behind = start > 0 || has_article;
    push_varint(out, end << 1 | u32::from(is_behind));
    if is_behind {
        push_varint(out, start << 1 | u32::from(has_article));
    }
    for field in fields {
        push_varint(out, field.len() as u32);
        out.extend_from_slice(field);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tokens() -> impl Strategy<Value = Vec<Token>> {
        let token = prop_oneof![
            (CODE_MIN..5000).prop_map(Token::Word),
            Just(Token::Gap),
            (CODE_MIN..5000).prop_map(Token::Alternative),
            (1u32..9, CODE_MIN..5000).prop_map(|(parts, code)| Token::Joined { parts, code }),
        ];
        proptest::collection::vec(token, 0..30)
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            name in tokens(),
            description in tokens(),
            (start, end) in (0u32..3, 0u32..100),
            has_article: bool,
        ) {
            let core = NameCore { start, end, has_article };
            let mut fields: [Vec<u8>; NUM_FIELDS] = Default::default();
            name.iter().for_each(|&token| push_token(&mut fields[0], token));
            description.iter().for_each(|&token| push_token(&mut fields[3], token));
            let mut bytes = Vec::new();
            push_doc(&mut bytes, core, &fields);
            let doc = DocTokens::read(&bytes).unwrap();
            prop_assert_eq!(doc.name_core, core);
            let (name_core, name_tokens) = DocTokens::read_name(&bytes).unwrap();
            prop_assert_eq!((name_core, name_tokens.collect::<Vec<_>>()), (core, name.clone()));
            prop_assert_eq!(doc.field(0).collect::<Vec<_>>(), name);
            prop_assert_eq!(doc.field(1).count(), 0);
            prop_assert_eq!(doc.field(3).collect::<Vec<_>>(), description);
            for end in 0..bytes.len() {
                prop_assert!(DocTokens::read(&bytes[..end]).is_none());
            }
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes: Vec<u8>) {
            if let Some(doc) = DocTokens::read(&bytes) {
                let tokens: usize = (0..NUM_FIELDS).map(|field| doc.field(field).count()).sum();
                prop_assert!(tokens < bytes.len());
            }
        }
    }
}
