//! The words of every business, in order: what phrases and names are checked against.
//!
//! ```text
//! DOC    := CORE (varint), then for each field (name, host, industry, description): LEN (varint), TOKEN*
//! TOKEN  := WORD | ALT | JOINED | GAP
//! WORD   := CODE (varint, from 3)               the next position
//! ALT    := 1, CODE                             a further form of the word before
//! JOINED := 2, PARTS (varint), CODE             joined form of the PARTS positions up to here
//! GAP    := 0                                   a position without a word (the end of a CJK run)
//! ```
//!
//! CORE is the number of positions of the name without the legal forms at its end; LEN is in bytes; varints are
//! LEB128. Codes number the terms by how often they occur, so that frequent words take one byte. Positions could
//! be stored under each term instead; checking a phrase would then touch as many lists as it has words, where
//! this touches one place of about 150 bytes.

use crate::analyzer::TextField;
use crate::bytes::{push_varint, read_varint};

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

    /// The same token with another code.
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
#[derive(Clone, Copy, Debug)]
pub struct DocTokens<'a> {
    /// Positions of the name without legal forms at its end.
    pub name_core_len: u32,
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
        let name_core_len = read_varint(bytes)?;
        let mut fields = [&bytes[..0]; NUM_FIELDS];
        for field in &mut fields {
            let len = read_varint(bytes)? as usize;
            (*field, *bytes) = bytes.split_at_checked(len)?;
        }
        Some(DocTokens { name_core_len, fields })
    }

    /// Reads the tokens of a name, and how many of its positions stand before legal forms at its end; looks at nothing
    /// behind.
    #[inline]
    pub fn read_name(mut bytes: &'a [u8]) -> Option<(u32, Tokens<'a>)> {
        const { assert!(TextField::Name as usize == 0) };
        let core_len = read_varint(&mut bytes)?;
        let len = read_varint(&mut bytes)? as usize;
        Some((core_len, Tokens { bytes: bytes.get(..len)? }))
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

    /// Are all tokens whole, and all codes below `codes_end`?
    pub fn check(&self, codes_end: u32) -> bool {
        self.fields.iter().all(|&bytes| {
            if are_words(bytes, codes_end) {
                return true;
            }
            let mut tokens = Tokens { bytes };
            let mut positions = 0;
            for token in tokens.by_ref() {
                let (code, parts) = match token {
                    Token::Word(code) => (code, 0),
                    Token::Alternative(code) => (code, 1),
                    Token::Joined { parts, code } => (code, parts),
                    Token::Gap => (CODE_MIN, 0),
                };
                if !(CODE_MIN..codes_end).contains(&code) && token != Token::Gap
                    || parts > positions
                {
                    return false;
                }
                positions += u32::from(matches!(token, Token::Word(_) | Token::Gap));
            }
            tokens.bytes.is_empty()
        })
    }
}

/// The top bit of each byte.
const TOPS: u64 = 0x8080_8080_8080_8080;

/// Are these whole tokens, all of them words with codes below `codes_end`? Looks at eight bytes at a time; `false` may
/// also mean that they have to be looked at one by one.
fn are_words(bytes: &[u8], codes_end: u32) -> bool {
    // Codes of one and two bytes are known then.
    if codes_end < 1 << 14 || bytes.last().is_some_and(|&last| last >= 0x80) {
        return false;
    }
    let mut tops_before = 0;
    for (at, eight) in bytes.chunks(8).enumerate() {
        // Behind the end stand codes of one byte.
        let mut padded = [CODE_MIN as u8; 8];
        padded[..eight.len()].copy_from_slice(eight);
        let word = u64::from_le_bytes(padded);
        // Set in the top bits: the byte goes on, the one before does, the two before do.
        let goes_on = word & TOPS;
        let one_before = goes_on << 8 | tops_before >> 56;
        let two_before = one_before & (goes_on << 16 | tops_before >> 48);
        tops_before = goes_on;
        // Marks are numbers below CODE_MIN; as one byte, or as several of which the last is 0.
        let is_zero = !((word & !TOPS) + !TOPS) & !goes_on & TOPS;
        let is_low = !((word | TOPS) - u64::from_le_bytes([CODE_MIN as u8; 8])) & !goes_on & TOPS;
        if is_zero | (is_low & !one_before) != 0 {
            return false;
        }
        let mut ends = two_before & !goes_on;
        while ends != 0 {
            let end = at * 8 + ends.trailing_zeros() as usize / 8;
            if !is_code(&bytes[..=end], codes_end) {
                return false;
            }
            ends &= ends - 1;
        }
    }
    true
}

/// Is the number at the end of `bytes` below `codes_end`, in five bytes at most?
fn is_code(bytes: &[u8], codes_end: u32) -> bool {
    let Some((&last, before)) = bytes.split_last() else { return false };
    let more = before.iter().rev().take_while(|&&byte| byte >= 0x80);
    let (len, value) = more.fold((1, u64::from(last)), |(len, value), byte| {
        (len + 1, value.wrapping_shl(7) | u64::from(byte & 0x7f))
    });
    len <= 5 && value < u64::from(codes_end)
}

/// Iterator over the tokens of one field; ends early where the bytes are no tokens.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    bytes: &'a [u8],
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

/// Appends one business: the core length of its name and the token bytes of its fields.
pub fn push_doc(out: &mut Vec<u8>, name_core_len: u32, fields: &[Vec<u8>; NUM_FIELDS]) {
    push_varint(out, name_core_len);
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
        fn what_is_written_is_read(name in tokens(), description in tokens(), core in 0u32..50) {
            let mut fields: [Vec<u8>; NUM_FIELDS] = Default::default();
            name.iter().for_each(|&token| push_token(&mut fields[0], token));
            description.iter().for_each(|&token| push_token(&mut fields[3], token));
            let mut bytes = Vec::new();
            push_doc(&mut bytes, core, &fields);
            let doc = DocTokens::read(&bytes).unwrap();
            prop_assert_eq!(doc.name_core_len, core);
            let (core_len, name_tokens) = DocTokens::read_name(&bytes).unwrap();
            prop_assert_eq!((core_len, name_tokens.collect::<Vec<_>>()), (core, name.clone()));
            prop_assert_eq!(doc.field(0).collect::<Vec<_>>(), name);
            prop_assert_eq!(doc.field(1).count(), 0);
            prop_assert_eq!(doc.field(3).collect::<Vec<_>>(), description);
            for end in 0..bytes.len() {
                prop_assert!(DocTokens::read(&bytes[..end]).is_none());
            }
        }

        #[test]
        fn words_are_known_at_a_glance(
            codes in proptest::collection::vec(prop_oneof![0u32..200, 0u32..30_000, any::<u32>()], 0..40),
            cut in 0usize..3,
            zero_at: proptest::sample::Index,
            zeros in 0usize..2,
        ) {
            let mut bytes = Vec::new();
            codes.iter().for_each(|&code| push_varint(&mut bytes, code));
            bytes.truncate(bytes.len().saturating_sub(cut));
            // Numbers may be written longer than they have to be.
            for _ in 0..zeros {
                if !bytes.is_empty() {
                    let at = zero_at.index(bytes.len());
                    bytes.insert(at, 0x80);
                }
            }
            for codes_end in [1 << 13, 1 << 14, 25_000, 1 << 21, 1 << 28, u32::MAX] {
                let mut rest = bytes.as_slice();
                let numbers: Vec<u32> = std::iter::from_fn(|| read_varint(&mut rest)).collect();
                let is_word = |code: &u32| (CODE_MIN..codes_end).contains(code);
                let expected = rest.is_empty() && numbers.iter().all(is_word);
                let found = are_words(&bytes, codes_end);
                prop_assert!(!found || expected, "{bytes:?}");
                let is_shortest = zeros == 0 && codes_end >= 1 << 14;
                prop_assert!(found || !expected || !is_shortest, "{bytes:?}");
            }
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes: Vec<u8>) {
            if let Some(doc) = DocTokens::read(&bytes) {
                doc.check(1000);
            }
        }
    }
}
