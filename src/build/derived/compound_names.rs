//! The names that hold a compound: as one word, or by its parts.

use super::by_doc::for_each_low;
use crate::ids::TermOrd;
use crate::snapshot::container::BITMAP_WORDS;
use crate::snapshot::terms::Terms;

/// One bit for each business of a chunk.
pub type Bits = Box<[u64; BITMAP_WORDS]>;

/// The terms of a compound (`s.r.l`).
pub struct CompoundNames {
    /// Its parts as one word.
    pub joined: Option<TermOrd>,
    /// The parts, if names that hold them all hold the compound.
    pub parts: Option<Vec<TermOrd>>,
}

impl CompoundNames {
    /// The businesses of chunk `key` whose name holds the joined form, or all parts, wherever in it they stand.
    pub fn names_in(&self, terms: &Terms, key: u32) -> Bits {
        let mut names = Box::new([0; BITMAP_WORDS]);
        self.joined.iter().for_each(|&ord| add_names(terms, ord, key, &mut names));
        if let Some((first, others)) = self.parts.as_ref().and_then(|parts| parts.split_first()) {
            let mut together = in_names(terms, *first, key);
            for &part in others {
                let here = in_names(terms, part, key);
                together.iter_mut().zip(&*here).for_each(|(all, word)| *all &= word);
            }
            names.iter_mut().zip(&*together).for_each(|(all, word)| *all |= word);
        }
        names
    }
}

/// The businesses of chunk `key` whose name holds a term.
fn in_names(terms: &Terms, ord: TermOrd, key: u32) -> Bits {
    let mut bits = Box::new([0; BITMAP_WORDS]);
    add_names(terms, ord, key, &mut bits);
    bits
}

fn add_names(terms: &Terms, ord: TermOrd, key: u32, bits: &mut Bits) {
    for list in terms.lists(ord).in_name() {
        for_each_low(&list, key, |_, low| bits[usize::from(low >> 6)] |= 1 << (low & 63));
    }
}
