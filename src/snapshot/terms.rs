//! The term dictionary: every indexed word with its lists of postings.
//!
//! A term has up to nine lists ([`TermLists`]). The first answers "which businesses match this word
//! of `q`" with one look-up: all fields, plurals included. The others tell names and aliases apart
//! for the tiers of relevance, so that the best tiers of a one-word query are read, not computed.
//!
//! Its block is laid out in [`block`].
//!
//! `TermOffsets` holds the place of each term's block in `TermPostings` and, last, the length of
//! that section, in units of 8 bytes ([`offsets`](super::encoding::offsets)); `TermCodes` the
//! term's number in the token streams, [packed](super::encoding::packed_ints)
//! ([`doc_tokens`](super::columns::doc_tokens)).

pub mod block;
pub mod dictionary;
pub mod fst_check;
pub mod hosts;
pub mod impact_scan;
pub mod impacts;
pub mod name_words;
pub mod next_word;
pub mod prefixes;
pub mod search;

use super::columns::doc_tokens::CODE_MIN;
use super::encoding::offsets::Offsets;
use super::encoding::packed_ints;
use super::encoding::packed_ints::PackedInts;
use super::encoding::postings::Postings;
use super::encoding::postings_ref::place_of;
use super::file::error::SnapshotError;
use super::file::mapped::Section;
use super::terms::dictionary::{key_with_ord, open_keys};
use crate::bytes::cast;
use crate::ids::TermOrd;
use crate::simd::read_ahead;
use block::{AliasList, BLOCK_ALIGN, TermLists, check_block};
use fst::Automaton;
use fst::automaton::Str;
use rayon::prelude::*;
use search::Begun;

/// Which of the [`TermLists`] a list is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ListKind {
    /// [`TermLists::any`].
    Any,
    /// [`TermLists::name_is`].
    NameIs,
    /// [`TermLists::name_starts`].
    NameStarts,
    /// [`TermLists::name_has`].
    NameHas,
    /// [`TermLists::host`].
    Host,
    /// [`TermLists::prose`].
    Prose,
    /// One of [`TermLists::aliases`].
    Alias(AliasList),
}

/// The term dictionary of a snapshot.
pub struct Terms {
    keys: fst::Map<Section>,
    /// In units of [`BLOCK_ALIGN`].
    offsets: Offsets,
    codes: Section,
    weights: Section,
    postings: Section,
}

impl Terms {
    /// Opens the dictionary and checks it completely.
    ///
    /// # Errors
    /// A section is not what the builder writes.
    pub fn open(
        [keys, offsets, codes, weights, postings]: [Section; 5],
        num_docs: u32,
    ) -> Result<Terms, SnapshotError> {
        let (keys, _) = open_keys(keys)?;
        if weights.checked_slice::<u16>()?.len() != keys.len() {
            return Err(weights.damaged("wrong number of terms"));
        }
        let num_bytes = codes.as_ref().len();
        if num_bytes != keys.len() * packed_ints::width(codes_end(keys.len())) {
            return Err(codes.damaged("wrong number of terms"));
        }
        if !are_codes(PackedInts::read(codes.as_ref(), codes_end(keys.len()))) {
            let reason = "codes of terms are not all different, or not those of terms";
            return Err(codes.damaged(reason));
        }
        let blocks_end = postings.as_ref().len() as u64 / BLOCK_ALIGN;
        let offsets = Offsets::open(offsets, keys.len() + 1, blocks_end)?;
        // The offsets ascend from 0 to the end, so that blocks that fill theirs join.
        let ranges = (0..keys.len()).into_par_iter().step_by(TERMS_TOGETHER);
        ranges.try_for_each(|first| {
            let ords = first..keys.len().min(first + TERMS_TOGETHER);
            let last = ords.end;
            let mut released = offsets.get(ords.start) * BLOCK_ALIGN;
            for ord in ords {
                let (start, end) =
                    (offsets.get(ord) * BLOCK_ALIGN, offsets.get(ord + 1) * BLOCK_ALIGN);
                check_block(&postings.as_ref()[start as usize..end as usize], num_docs)?;
                if end - released > RELEASE_BYTES {
                    postings.release_range(released as usize..end as usize);
                    released = end;
                }
            }
            postings.release_range(
                released as usize..offsets.get(last) as usize * BLOCK_ALIGN as usize,
            );
            Ok(())
        })?;
        Ok(Terms { keys, offsets, codes, weights, postings })
    }

    /// Number of terms.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Are there no terms?
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The ordinal of `term`.
    pub fn ord(&self, term: &str) -> Option<TermOrd> {
        self.keys.get(term).map(|ord| TermOrd(ord as u32))
    }

    /// The ordinals of those of some words that are terms; quickest if the words are sorted.
    pub fn ords(&self, words: &[String]) -> Vec<TermOrd> {
        let mut ords = Vec::new();
        search::each_value(self.keys.as_fst(), words, |ord| ords.push(TermOrd(ord as u32)));
        ords
    }

    /// The terms that begin with `prefix`, and whether it is one.
    pub fn begun_by(&self, prefix: &str) -> BegunTerms {
        self.begun_further(BegunTerms(Begun::with_nothing(self.keys.as_fst())), prefix)
    }

    /// Terms of `begun` that go on with `further`, and whether one ends there.
    pub fn begun_further(&self, begun: BegunTerms, further: &str) -> BegunTerms {
        BegunTerms(begun.0.further(self.keys.as_fst(), further.as_bytes()))
    }

    /// Calls `visit` with the terms that begin with `prefix` and that `automaton` accepts,
    /// ascending.
    pub fn search(
        &self,
        prefix: &str,
        automaton: impl Automaton,
        mut visit: impl FnMut(&str, TermOrd),
    ) {
        let both = Str::new(prefix).starts_with().intersection(automaton);
        search::search(self.keys.as_fst(), both, |key, ord| {
            if let Ok(term) = std::str::from_utf8(key) {
                visit(term, TermOrd(ord as u32));
            }
        });
    }

    /// Gives back the pages of keys and postings, if the snapshot is looked at in passing only; see
    /// [`Section::release`].
    pub fn release(&self) {
        self.keys.as_fst().as_inner().release(usize::MAX);
        self.postings.release(usize::MAX);
    }

    /// The fst from term to ordinal.
    pub fn keys(&self) -> &fst::Map<Section> {
        &self.keys
    }

    /// The term that has this list, and as which; `None` if the list is not of this dictionary.
    pub fn term_of(&self, list: &Postings<'_>) -> Option<(String, ListKind)> {
        let place = place_of(list, self.postings.as_ref())?;
        let ord = TermOrd(self.offsets.at_or_before(place as u64 / BLOCK_ALIGN) as u32);
        let lists = self.lists(ord);
        let aliases = [AliasList::Is, AliasList::Beside, AliasList::Only]
            .map(|list| (lists.aliases(list), ListKind::Alias(list)));
        let kinds = [
            (Some(lists.any()), ListKind::Any),
            (lists.name_is(), ListKind::NameIs),
            (lists.name_starts(), ListKind::NameStarts),
            (lists.name_has(), ListKind::NameHas),
            (lists.host(), ListKind::Host),
            (lists.prose(), ListKind::Prose),
        ];
        let is_it =
            |other: &Option<Postings<'_>>| other.is_some_and(|it| it.address() == list.address());
        let (_, kind) = kinds.into_iter().chain(aliases).find(|(other, _)| is_it(other))?;
        key_with_ord(&self.keys, ord).map(|term| (term, kind))
    }

    /// The term with this number in the token streams. Looks at all numbers.
    pub fn term_of_code(&self, code: u32) -> Option<String> {
        let ord = self.codes().iter().position(|other| other == code)?;
        key_with_ord(&self.keys, TermOrd(ord as u32))
    }

    /// The terms with these ordinals.
    pub fn terms_of(&self, ords: &[TermOrd]) -> Vec<String> {
        ords.iter().map(|&ord| key_with_ord(&self.keys, ord).unwrap_or_default()).collect()
    }

    /// The number of a term in the token streams.
    pub fn code(&self, ord: TermOrd) -> u32 {
        self.codes().get(ord.index())
    }

    #[inline]
    fn codes(&self) -> PackedInts<'_> {
        PackedInts::read(self.codes.as_ref(), codes_end(self.len()))
    }

    /// How rare the term with this code in the token streams is: 256 ln(1 + N / its businesses); 0
    /// if there is none.
    #[inline]
    pub fn weight_of_code(&self, code: u32) -> u32 {
        let weights: &[u16] = cast(self.weights.as_ref());
        let weight = code.checked_sub(CODE_MIN).and_then(|at| weights.get(at as usize));
        weight.map_or(0, |&weight| u32::from(weight))
    }

    /// Asks memory for what [`lists`](Self::lists) and [`code`](Self::code) read.
    pub fn read_ahead(&self, ord: TermOrd) {
        read_ahead(self.postings.as_ref(), (self.offsets.get(ord.index()) * BLOCK_ALIGN) as usize);
        self.codes().read_ahead(ord.index());
    }

    /// The lists of a term.
    pub fn lists(&self, ord: TermOrd) -> TermLists<'_> {
        let start = self.offsets.get(ord.index()) * BLOCK_ALIGN;
        TermLists::new(&self.postings.as_ref()[start as usize..])
    }
}

/// The terms that a prefix begins. The term that is the prefix comes before all others.
#[derive(Clone, Copy, Debug)]
pub struct BegunTerms(Begun);

impl BegunTerms {
    /// The prefix itself, if it is a term.
    pub fn itself(self) -> Option<TermOrd> {
        self.0.is_key.then_some(TermOrd(self.0.first as u32))
    }

    /// Are there no longer terms?
    pub fn has_no_longer(self) -> bool {
        self.len() == usize::from(self.0.is_key)
    }

    /// How many there are.
    pub fn len(self) -> usize {
        (self.0.end - self.0.first) as usize
    }

    /// Are there none?
    pub fn is_empty(self) -> bool {
        self.0.first == self.0.end
    }

    /// All of them.
    pub fn all(self) -> impl Iterator<Item = TermOrd> {
        (self.0.first as u32..self.0.end as u32).map(TermOrd)
    }
}

/// Terms checked one after the other.
const TERMS_TOGETHER: usize = 1 << 14;

/// Bytes of blocks looked at between two releases.
const RELEASE_BYTES: u64 = 4 << 20;

/// Behind the last code of so many terms.
pub fn codes_end(num_terms: usize) -> u32 {
    num_terms as u32 + CODE_MIN
}

/// Are these the numbers from [`CODE_MIN`] on, in any order?
fn are_codes(numbers: PackedInts<'_>) -> bool {
    let mut seen = vec![0u64; numbers.len().div_ceil(64)];
    numbers.iter().all(|code| {
        let Some(at) = code.checked_sub(CODE_MIN).filter(|&at| (at as usize) < numbers.len())
        else {
            return false;
        };
        let (word, bit) = (&mut seen[at as usize / 64], 1 << (at % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    })
}

impl std::fmt::Debug for Terms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Terms({})", self.len())
    }
}
