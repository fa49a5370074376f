//! A quick look whether two words of a phrase may be neighbours in a field.
//!
//! Most candidates of a phrase hold its words far apart. Reading all words of a field to see that costs some 150 ns;
//! here only the bytes of one of them are searched for ([`memchr::memmem`]), and the token before each place is read
//! backwards. Tokens that are no plain words (alternatives, joined forms, gaps) nearby leave the question open.

use crate::bytes::push_varint;
use crate::snapshot::doc_tokens::CODE_MIN;
use memchr::memmem::Finder;

/// Two neighbouring words of a phrase, in the codes that fit them.
#[derive(Clone, Debug)]
pub struct Adjacent {
    /// Codes of the first, sorted.
    firsts: Vec<u32>,
    /// The bytes of the codes of the second.
    seconds: Vec<Finder<'static>>,
}

impl Adjacent {
    /// The words with these codes.
    pub fn new(mut firsts: Vec<u32>, seconds: &[u32]) -> Adjacent {
        firsts.sort_unstable();
        let finder = |&code: &u32| {
            let mut bytes = Vec::new();
            push_varint(&mut bytes, code);
            Finder::new(&bytes).into_owned()
        };
        Adjacent { firsts, seconds: seconds.iter().map(finder).collect() }
    }

    /// May the second word stand right behind the first in a field of these bytes? If not, it does not.
    pub fn may_stand(&self, field: &[u8]) -> bool {
        self.seconds.iter().any(|second| self.may_stand_before(second, field))
    }

    fn may_stand_before(&self, second: &Finder<'_>, field: &[u8]) -> bool {
        let mut places = second.find_iter(field);
        places.any(|at| {
            // The end of a longer number is no number, and before the first token there is none.
            if at == 0 || field[at - 1] >= 0x80 {
                return false;
            }
            let mut before = &field[..at];
            let first = last_token(&mut before);
            // A mark says that what follows is no word of its own: the mark of a joined form stands two before it.
            let is_mark = |token: u32| token < CODE_MIN;
            is_mark(first)
                || self.firsts.binary_search(&first).is_ok()
                || (0..2).any(|_| !before.is_empty() && is_mark(last_token(&mut before)))
        })
    }
}

/// The last token of some, which are not none, and drops it.
#[inline]
fn last_token(tokens: &mut &[u8]) -> u32 {
    let mut start = tokens.len() - 1;
    let mut value = u32::from(tokens[start]);
    while start > 0 && tokens[start - 1] >= 0x80 {
        start -= 1;
        value = value << 7 | u32::from(tokens[start] & 0x7f);
    }
    *tokens = &tokens[..start];
    value
}
