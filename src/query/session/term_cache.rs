//! The terms that a query has looked up: tiers ask for the same words again and again, and a
//! look-up walks the fst.

use crate::snapshot::terms::{BegunTerms, Terms};
use std::ops::Range;

/// Room for what most queries look up, made at the first word.
const TERMS: usize = 8;
const BYTES: usize = 96;

/// What was looked up so far.
#[derive(Default, Debug)]
pub struct TermCache {
    /// The beginnings that were asked for, one behind the other.
    texts: String,
    found: Vec<(Range<usize>, BegunTerms)>,
}

impl TermCache {
    /// The terms that begin with `prefix`, and whether it is one.
    pub fn begun_by(&mut self, terms: &Terms, prefix: &str) -> BegunTerms {
        // Of a word that is joined with the next, the way is known as far as that.
        let (mut front, mut known) = (0, None);
        for (place, begun) in &self.found {
            let text = &self.texts[place.clone()];
            if (known.is_none() || text.len() > front) && prefix.starts_with(text) {
                (front, known) = (text.len(), Some(*begun));
            }
        }
        let begun = match known {
            Some(begun) if front == prefix.len() => return begun,
            Some(begun) => terms.begun_further(begun, &prefix[front..]),
            None => terms.begun_by(prefix),
        };
        if let Some(ord) = begun.itself() {
            terms.read_ahead(ord);
        }
        self.add(prefix, begun);
        begun
    }

    fn add(&mut self, prefix: &str, begun: BegunTerms) {
        if self.found.is_empty() {
            self.found.reserve(TERMS);
            self.texts.reserve(BYTES);
        }
        let start = self.texts.len();
        self.texts.push_str(prefix);
        self.found.push((start..self.texts.len(), begun));
    }
}
