//! The words of every business, in order: what phrases and names are checked against.
//!
//! ```text
//! DOC    := CORE, then for each field (name, host, industry, description): LEN (varint), TOKEN*;
//!           with ALIASES, LEN, TOKEN* of the aliases and LEN, ALIAS* follow; with HOSTS, LEN and
//!           the names of further hosts
//! CORE   := END << 1 (varint)
//!         | END << 1 | 1, START << 3 | HOSTS << 2 | ALIASES << 1 | ARTICLE (varints)
//! ALIAS  := START (varint, from the END before it), WORDS << 1 | ARTICLE (varint)
//! TOKEN  := WORD | ALT | JOINED | GAP
//! WORD   := CODE (varint, from 3)               the next position
//! ALT    := 1, CODE                             a further form of the word before
//! JOINED := 2, PARTS (varint), CODE             joined form of the PARTS positions up to here
//! GAP    := 0                                   a position without a word (the end of a run)
//! ```
//!
//! CORE is where the name stands without the legal forms at its ends, from START (0) to before END;
//! ARTICLE is 1 if its first word is an article. ALIAS is the same of each alias, WORDS positions
//! long; between two aliases or two hosts are two gaps, which no phrase has. ALIASES and HOSTS are
//! 1 if there are aliases, and websites beside the first; the names of their hosts are
//! [joined](crate::company::TextList::joined). LEN is in bytes; varints are LEB128. Codes number
//! the terms by how often they occur, so that frequent words take one byte. Positions could be
//! stored under each term instead; checking a phrase would then touch as many lists as it has
//! words, where this touches one place of about 150 bytes.
//!
//! Opening a snapshot does not look at tokens, which would be a quarter of its work: whoever reads
//! them takes what is none for no token, and a code of no term for a word that occurs nowhere else.

use crate::analyzer::{NameCore, TextField};
use crate::bytes::{push_varint, read_varint};
use crate::company::texts_of;
use std::ops::Range;

/// Smallest code of a term; smaller numbers are control marks.
pub const CODE_MIN: u32 = 3;
const GAP: u32 = 0;
const ALTERNATIVE: u32 = 1;
const JOINED: u32 = 2;

/// Number of searched fields.
pub const NUM_FIELDS: usize = TextField::ALL.len();

/// Fields that every document has: all but the last, the aliases.
const NUM_FIXED: usize = NUM_FIELDS - 1;

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
    alias_cores: &'a [u8],
    other_hosts: &'a [u8],
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
        const { assert!(TextField::Alias as usize == NUM_FIXED) };
        let (name_core, Flags { has_aliases, has_hosts }) = read_core(bytes)?;
        let mut fields = [&bytes[..0]; NUM_FIELDS];
        let [mut alias_cores, mut other_hosts] = [fields[0]; 2];
        let (fixed, aliases) = fields.split_at_mut(NUM_FIXED);
        let aliases = aliases.iter_mut().chain([&mut alias_cores]).filter(|_| has_aliases);
        let hosts = has_hosts.then_some(&mut other_hosts);
        for part in fixed.iter_mut().chain(aliases).chain(hosts) {
            let len = read_varint(bytes)? as usize;
            (*part, *bytes) = bytes.split_at_checked(len)?;
        }
        Some(DocTokens { name_core, fields, alias_cores, other_hosts })
    }

    /// Reads the tokens of a name, and where it stands without legal forms at its ends; looks at
    /// nothing behind.
    #[inline]
    pub fn read_name(mut bytes: &'a [u8]) -> Option<(NameCore, Tokens<'a>)> {
        const { assert!(TextField::Name as usize == 0) };
        let (core, _) = read_core(&mut bytes)?;
        let len = read_varint(&mut bytes)? as usize;
        Some((core, Tokens { bytes: bytes.get(..len)? }))
    }

    /// The tokens of a field.
    #[inline]
    pub fn field(&self, field: usize) -> Tokens<'a> {
        Tokens { bytes: self.fields[field] }
    }

    /// Where each alias stands among the tokens of its field, without legal forms at its ends.
    pub fn alias_cores(&self) -> AliasCores<'a> {
        AliasCores { bytes: self.alias_cores, end: 0 }
    }

    /// The names of the hosts of the websites beside the first.
    pub fn other_hosts(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let joined = std::str::from_utf8(self.other_hosts).ok().filter(|names| !names.is_empty());
        texts_of(joined)
    }

    /// The other hosts as they lie there.
    pub fn other_hosts_bytes(&self) -> &'a [u8] {
        self.other_hosts
    }

    /// The tokens of a field as they lie there: each mark, number and code a varint.
    #[inline]
    pub fn field_bytes(&self, field: usize) -> &'a [u8] {
        self.fields[field]
    }
}

/// Iterator over the cores of aliases; ends early where the bytes are none.
#[derive(Clone, Debug, Default)]
pub struct AliasCores<'a> {
    bytes: &'a [u8],
    end: u32,
}

impl Iterator for AliasCores<'_> {
    type Item = NameCore;

    fn next(&mut self) -> Option<NameCore> {
        let start = self.end.checked_add(read_varint(&mut self.bytes)?)?;
        let words = read_varint(&mut self.bytes)?;
        self.end = start.checked_add(words >> 1)?;
        Some(NameCore { start, end: self.end, has_article: words & 1 == 1 })
    }
}

/// Appends the core of an alias behind that of another, which ends before `last_end`.
pub fn push_alias_core(out: &mut Vec<u8>, core: NameCore, last_end: u32) {
    push_varint(out, core.start - last_end);
    push_varint(out, (core.end - core.start) << 1 | u32::from(core.has_article));
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

/// What stands behind the fields that every document has.
struct Flags {
    has_aliases: bool,
    has_hosts: bool,
}

/// Reads where a name stands without legal forms, and what else there is.
#[inline]
fn read_core(bytes: &mut &[u8]) -> Option<(NameCore, Flags)> {
    let end = read_varint(bytes)?;
    let start = if end & 1 == 1 { read_varint(bytes)? } else { 0 };
    let core = NameCore { start: start >> 3, end: end >> 1, has_article: start & 1 == 1 };
    Some((core, Flags { has_aliases: start & 2 != 0, has_hosts: start & 4 != 0 }))
}

/// What is stored of one document.
#[derive(Clone, Default, Debug)]
pub struct DocParts {
    /// Where the name stands without legal forms.
    pub name_core: NameCore,
    /// The token bytes of each field.
    pub fields: [Vec<u8>; NUM_FIELDS],
    /// The cores of the aliases; see [`push_alias_core`].
    pub alias_cores: Vec<u8>,
    /// The names of the hosts of other websites, [joined](crate::company::TextList::joined).
    pub other_hosts: Vec<u8>,
}

/// Appends one document.
pub fn push_doc(out: &mut Vec<u8>, doc: &DocParts) {
    let DocParts { name_core, fields, alias_cores, other_hosts } = doc;
    let NameCore { start, end, has_article } = *name_core;
    let (has_aliases, has_hosts) = (!fields[NUM_FIXED].is_empty(), !other_hosts.is_empty());
    let is_behind = start > 0 || has_article || has_aliases || has_hosts;
    push_varint(out, end << 1 | u32::from(is_behind));
    if is_behind {
        let flags = u32::from(has_hosts) << 2 | u32::from(has_aliases) << 1;
        push_varint(out, start << 3 | flags | u32::from(has_article));
    }
    let aliases = [&fields[NUM_FIXED], alias_cores].into_iter().filter(|_| has_aliases);
    let hosts = has_hosts.then_some(other_hosts);
    for part in fields[..NUM_FIXED].iter().chain(aliases).chain(hosts) {
        push_varint(out, part.len() as u32);
        out.extend_from_slice(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::company::TextList;
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
            aliases in tokens(),
            (start, end) in (0u32..3, 0u32..100),
            has_article: bool,
            hosts in proptest::collection::vec("[a-z.]{1,9}", 0..3),
        ) {
            let core = NameCore { start, end, has_article };
            let mut parts = DocParts { name_core: core, ..DocParts::default() };
            let fields = &mut parts.fields;
            name.iter().for_each(|&token| push_token(&mut fields[0], token));
            description.iter().for_each(|&token| push_token(&mut fields[3], token));
            aliases.iter().for_each(|&token| push_token(&mut fields[4], token));
            let mut cores = vec![NameCore { start, end: start + end, has_article }];
            cores.push(cores[0].shifted(start + end + 2));
            cores.truncate(if aliases.is_empty() { 0 } else { 2 });
            let mut last_end = 0;
            for &core in &cores {
                push_alias_core(&mut parts.alias_cores, core, last_end);
                last_end = core.end;
            }
            let joined: TextList = hosts.iter().collect();
            parts.other_hosts.extend_from_slice(joined.joined().unwrap_or_default().as_bytes());
            let mut bytes = Vec::new();
            push_doc(&mut bytes, &parts);
            let doc = DocTokens::read(&bytes).unwrap();
            prop_assert_eq!(doc.name_core, core);
            let (name_core, name_tokens) = DocTokens::read_name(&bytes).unwrap();
            prop_assert_eq!((name_core, name_tokens.collect::<Vec<_>>()), (core, name.clone()));
            prop_assert_eq!(doc.field(0).collect::<Vec<_>>(), name);
            prop_assert_eq!(doc.field(1).count(), 0);
            prop_assert_eq!(doc.field(3).collect::<Vec<_>>(), description);
            prop_assert_eq!(doc.field(4).collect::<Vec<_>>(), aliases);
            prop_assert_eq!(doc.alias_cores().collect::<Vec<_>>(), cores);
            prop_assert_eq!(doc.other_hosts().collect::<Vec<_>>(), hosts);
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
