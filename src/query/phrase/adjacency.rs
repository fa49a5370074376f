//! A quick look whether two words of a phrase may be neighbours in a field.
//!
//! Most candidates of a phrase hold its words far apart. Reading all words of a field to see that
//! costs some 150 ns; here only the bytes of one of them are searched for ([`memchr::memmem`]), and
//! the token before each place is read backwards. Tokens that are no plain words (alternatives,
//! joined forms, gaps) nearby leave the question open.

use crate::bytes::push_varint;
use crate::snapshot::columns::doc_tokens::CODE_MIN;
use memchr::memmem::Finder;

/// Two neighbouring words of a phrase, in the codes that fit them.
#[derive(Clone, Debug)]
pub struct Adjacent {
    /// Codes of the first, sorted.
    firsts: Vec<u32>,
    /// The bytes of the codes of the second.
    seconds: Sought,
}

impl Adjacent {
    /// The words with these codes.
    pub fn new(mut firsts: Vec<u32>, seconds: &[u32]) -> Adjacent {
        firsts.sort_unstable();
        Adjacent { firsts, seconds: Sought::new(seconds) }
    }

    /// May the second word stand right behind the first in a field of these bytes? If not, it does
    /// not.
    pub fn may_stand(&self, field: &[u8]) -> bool {
        self.seconds.any(field, |at| {
            // Before the first token there is none.
            if at == 0 {
                return false;
            }
            let mut before = &field[..at];
            let first = last_token(&mut before);
            // A mark says that what follows is no word of its own: the mark of a joined form stands
            // two before it.
            let is_mark = |token: u32| token < CODE_MIN;
            is_mark(first)
                || self.firsts.binary_search(&first).is_ok()
                || (0..2).any(|_| !before.is_empty() && is_mark(last_token(&mut before)))
        })
    }
}

/// The bytes of some codes.
#[derive(Clone, Debug)]
pub struct Sought(Vec<Finder<'static>>);

impl Sought {
    /// Needles for `codes`.
    pub fn new(codes: &[u32]) -> Sought {
        let finder = |&code: &u32| {
            let mut bytes = Vec::new();
            push_varint(&mut bytes, code);
            Finder::new(&bytes).into_owned()
        };
        Sought(codes.iter().map(finder).collect())
    }

    /// Does one of them stand in a field of these bytes? The number of a joined form's parts may be
    /// taken for one.
    pub fn is_in(&self, field: &[u8]) -> bool {
        self.any(field, |_| true)
    }

    /// Does one of the places where they stand in a field of these bytes answer so? The end of a
    /// longer number is no number.
    #[inline]
    fn any(&self, field: &[u8], is_wanted: impl Fn(usize) -> bool) -> bool {
        self.0.iter().any(|code| {
            let mut places = code.find_iter(field);
            places.any(|at| (at == 0 || field[at - 1] < 0x80) && is_wanted(at))
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
