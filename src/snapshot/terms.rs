//! The term dictionary: every indexed word with its lists of postings.
//!
//! A term has up to five lists ([`TermLists`]). The first answers "which businesses match this word of `q`"
//! with one look-up: all four fields, plurals included. The others tell names apart for the tiers of relevance,
//! so that the best tiers of a one-word query are read, not computed.
//!
//! ```text
//! BLOCK     := MASK (u32, bit i: list i is present; bit 5: LEVELS are; bit 6: OWN is; bit 7: all bits of OWN would be
//!              set; bit 8: FOLLOWERS are), 0 (u32), POSTINGS for each list present, in order of the bits, IMPACTS,
//!              FOLLOWERS, OWN, LEVELS
//! IMPACTS   := u8 for each business of the first list, padding to 8
//! FOLLOWERS := the same, see [`followers`](super::followers)
//! OWN       := one bit for each business of the first list (u64, lowest first), set if the term itself stands in its
//!              industry or description, and not only its plural or in the name; only for more than 32
//! LEVELS    := see [`levels`](super::levels)
//! ```
//!
//! The first list is in every block. An impact is what the term adds to the text score of a business, 1 to 255:
//! BM25 over the fields with their weights and lengths, computed at build and quantised over the collection.
//!
//! `TermOffsets` holds the place of each term's block in `TermPostings` and, last, the length of that section, in
//! units of 8 bytes ([`offsets`](super::offsets));
//! `TermCodes` the term's number in the token streams ([`doc_tokens`](super::doc_tokens)).

mod search;

use super::dictionary::{key_with_ord, open_keys};
use super::doc_tokens::CODE_MIN;
use super::entries::place_of;
use super::error::SnapshotError;
use super::format::SectionKind;
use super::levels::{self, LevelGroup, TermLevels};
use super::mapped::Section;
use super::offsets::Offsets;
use super::postings::{Postings, encode};
use crate::bytes::cast;
use crate::ids::TermOrd;
use fst::{Automaton, IntoStreamer, Streamer};
use rayon::prelude::*;

/// Every block begins at a multiple of this, in bytes.
pub const BLOCK_ALIGN: u64 = 8;

/// Number of lists that a term may have.
pub const NUM_LISTS: usize = 5;

/// The bit of a block's mask that says that levels follow.
const HAS_LEVELS: u32 = 1 << NUM_LISTS;

/// The bit of a block's mask that says that [`OwnProse::Some`] bits follow the impacts.
const HAS_OWN: u32 = HAS_LEVELS << 1;

/// The bit of a block's mask that stands for [`OwnProse::All`].
const OWN_IS_ALL: u32 = HAS_OWN << 1;

/// The bit of a block's mask that says that followers follow the impacts.
const HAS_FOLLOWERS: u32 = OWN_IS_ALL << 1;

/// Longest first list without [`OwnProse`]: looking at the words of so few businesses costs little.
const UNMARKED_MAX: usize = 32;

/// In which businesses of a term's first list the term itself stands in industry or description.
#[derive(Clone, Copy, Default, Debug)]
pub enum OwnProse<'a> {
    /// In none.
    #[default]
    None,
    /// In those whose bit is set, in the order of the list.
    Some(&'a [u64]),
    /// In all.
    All,
    /// Not stored, since the list is short.
    Unknown,
}

/// The lists of one term.
#[derive(Clone, Copy, Default, Debug)]
pub struct TermLists<'a> {
    /// Businesses that match the term as a word of a query: in name or host as it is, in industry and
    /// description in singular or plural.
    pub any: Option<Postings<'a>>,
    /// Businesses whose name is the term, legal forms at its end aside.
    pub name_is: Option<Postings<'a>>,
    /// Businesses whose name starts with the term and goes on.
    pub name_starts: Option<Postings<'a>>,
    /// Businesses with the term elsewhere in their name.
    pub name_has: Option<Postings<'a>>,
    /// Businesses with the term in their host.
    pub host: Option<Postings<'a>>,
    /// The impact of the term on each business of `any`, in order.
    pub impacts: &'a [u8],
    /// By which words the term is followed in each business of `any`, in order; none if that is not stored.
    pub followers: Option<&'a [u8]>,
    /// Where in `any` the term itself stands in industry or description.
    pub own_prose: OwnProse<'a>,
    /// The order of `any` by score, for frequent terms.
    pub levels: Option<TermLevels<'a>>,
}

impl<'a> TermLists<'a> {
    /// The lists of businesses with the term in their name; no business is on two of them.
    pub fn in_name(&self) -> impl Iterator<Item = Postings<'a>> + use<'a> {
        [self.name_is, self.name_starts, self.name_has].into_iter().flatten()
    }
}

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
        section: &dyn Fn(SectionKind) -> Section,
        num_docs: u32,
    ) -> Result<Terms, SnapshotError> {
        let (keys, _) = open_keys(SectionKind::TermKeys, section(SectionKind::TermKeys))?;
        let codes = section(SectionKind::TermCodes);
        let weights = section(SectionKind::TermWeights);
        if weights.checked_slice::<u16>(SectionKind::TermWeights)?.len() != keys.len() {
            return Err(SnapshotError::damaged(SectionKind::TermWeights, "wrong number of terms"));
        }
        let postings = section(SectionKind::TermPostings);
        let numbers: &[u32] = codes.checked_slice(SectionKind::TermCodes)?;
        if numbers.len() != keys.len() {
            return Err(SnapshotError::damaged(SectionKind::TermCodes, "wrong number of terms"));
        }
        if !are_codes(numbers) {
            let reason = "codes of terms are not all different, or not those of terms";
            return Err(SnapshotError::damaged(SectionKind::TermCodes, reason));
        }
        let kind = SectionKind::TermOffsets;
        let blocks_end = postings.as_ref().len() as u64 / BLOCK_ALIGN;
        let offsets = Offsets::open(kind, section(kind), keys.len() + 1, blocks_end)?;
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

    /// The terms that begin with `prefix`. Ordinals ascend as terms do, so that two look-ups tell them all.
    pub fn begun_by(&self, prefix: &str) -> impl Iterator<Item = TermOrd> + use<> {
        let first_from = |bound: &[u8]| {
            let mut stream = self.keys.range().ge(bound).into_stream();
            stream.next().map_or(self.len() as u32, |(_, ord)| ord as u32)
        };
        (first_from(prefix.as_bytes())..first_from(&behind(prefix))).map(TermOrd)
    }

    /// Calls `visit` with the terms that begin with `prefix` and that `automaton` accepts, ascending.
    pub fn search(
        &self,
        prefix: &str,
        automaton: impl Automaton,
        mut visit: impl FnMut(&str, TermOrd),
    ) {
        search::search(self.keys.as_fst(), prefix.as_bytes(), &automaton, |key, ord| {
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
        let TermLists { any, name_is, name_starts, name_has, host, .. } = self.lists(ord);
        let kinds = [
            (any, ListKind::Any),
            (name_is, ListKind::NameIs),
            (name_starts, ListKind::NameStarts),
            (name_has, ListKind::NameHas),
            (host, ListKind::Host),
        ];
        let is_it =
            |other: &Option<Postings<'_>>| other.is_some_and(|it| it.address() == list.address());
        let (_, kind) = kinds.into_iter().find(|(other, _)| is_it(other))?;
        key_with_ord(&self.keys, ord).map(|term| (term, kind))
    }

    /// The term with this number in the token streams. Looks at all numbers.
    pub fn term_of_code(&self, code: u32) -> Option<String> {
        let codes: &[u32] = cast(self.codes.as_ref());
        let ord = codes.iter().position(|&other| other == code)?;
        key_with_ord(&self.keys, TermOrd(ord as u32))
    }

    /// The terms with these ordinals.
    pub fn terms_of(&self, ords: &[TermOrd]) -> Vec<String> {
        ords.iter().map(|&ord| key_with_ord(&self.keys, ord).unwrap_or_default()).collect()
    }

    /// The number of a term in the token streams.
    pub fn code(&self, ord: TermOrd) -> u32 {
        cast::<u32>(self.codes.as_ref())[ord.index()]
    }

    /// How rare the term with this code in the token streams is: 256 ln(1 + N / its businesses); 0 if there is none.
    #[inline]
    pub fn weight_of_code(&self, code: u32) -> u32 {
        let weights: &[u16] = cast(self.weights.as_ref());
        let weight = code.checked_sub(CODE_MIN).and_then(|at| weights.get(at as usize));
        weight.map_or(0, |&weight| u32::from(weight))
    }

    /// The lists of a term.
    pub fn lists(&self, ord: TermOrd) -> TermLists<'_> {
        let start = self.offsets.get(ord.index()) * BLOCK_ALIGN;
        let block = &self.postings.as_ref()[start as usize..];
        let mask = cast::<u32>(&block[..8])[0];
        let mut rest = &block[8..];
        let mut lists = [None; NUM_LISTS];
        for (at, list) in lists.iter_mut().enumerate() {
            if mask >> at & 1 == 1 {
                let (postings, behind) = Postings::read(rest);
                (*list, rest) = (Some(postings), behind);
            }
        }
        let [any, name_is, name_starts, name_has, host] = lists;
        let impacts = &rest[..any.map_or(0, |any| any.len())];
        let mut behind = &rest[impacts.len().next_multiple_of(8)..];
        let mut followers = None;
        if mask & HAS_FOLLOWERS != 0 {
            let bytes;
            (bytes, behind) = behind.split_at(impacts.len().next_multiple_of(8));
            followers = Some(&bytes[..impacts.len()]);
        }
        let own_prose = if impacts.len() <= UNMARKED_MAX {
            OwnProse::Unknown
        } else if mask & OWN_IS_ALL != 0 {
            OwnProse::All
        } else if mask & HAS_OWN != 0 {
            let bits;
            (bits, behind) = behind.split_at(impacts.len().div_ceil(64) * 8);
            OwnProse::Some(cast(bits))
        } else {
            OwnProse::None
        };
        let levels = any.filter(|_| mask & HAS_LEVELS != 0).map(|any| {
            TermLevels::read(behind, any, impacts).expect("checked when the snapshot was opened").0
        });
        TermLists {
            any,
            name_is,
            name_starts,
            name_has,
            host,
            impacts,
            followers,
            own_prose,
            levels,
        }
    }
}

/// Terms checked one after the other.
const TERMS_TOGETHER: usize = 1 << 14;

/// Bytes of blocks looked at between two releases.
const RELEASE_BYTES: u64 = 4 << 20;

/// What stands behind all that begins with `prefix`, and before everything else that is behind it: no byte of UTF-8 is
/// 0xff.
fn behind(prefix: &str) -> Vec<u8> {
    [prefix.as_bytes(), &[0xff]].concat()
}

/// Checks the block of a term completely.
fn check_block(block: &[u8], num_docs: u32) -> Result<(), SnapshotError> {
    let damaged = |reason| Err(SnapshotError::damaged(SectionKind::TermPostings, reason));
    if block.len() < 8 {
        return damaged("blocks of terms do not join");
    }
    let head: &[u32] = cast(&block[..8]);
    if head[0] & 1 == 0 || head[0] >= HAS_FOLLOWERS << 1 || head[1] != 0 {
        return damaged("a term has unknown lists");
    }
    let mut at = 8;
    for _ in 0..(head[0] & (HAS_LEVELS - 1)).count_ones() {
        let rest = block.get(at..).unwrap_or_default();
        at += Postings::check(rest, num_docs, SectionKind::TermPostings)?;
    }
    let any = Postings::read(&block[8..]).0;
    let Some(impacts) = block.get(at..at + any.len()) else {
        return damaged("the impacts of a term are cut off");
    };
    at += any.len().next_multiple_of(8);
    if head[0] & HAS_FOLLOWERS != 0 {
        at += any.len().next_multiple_of(8);
    }
    let own = head[0] & (HAS_OWN | OWN_IS_ALL);
    if own == HAS_OWN | OWN_IS_ALL || own != 0 && any.len() <= UNMARKED_MAX {
        return damaged("the own businesses of a term are stored twice, or of a short list");
    }
    if own == HAS_OWN {
        at += any.len().div_ceil(64) * 8;
    }
    if at > block.len() {
        return damaged("the followers or own businesses of a term are cut off");
    }
    if head[0] & HAS_LEVELS != 0 {
        let levels = block.get(at..).and_then(|rest| TermLevels::read(rest, any, impacts));
        let Some((_, len)) = levels.filter(|(levels, _)| levels.check()) else {
            return damaged("the levels of a term do not fit its businesses");
        };
        at += len;
    }
    if at == block.len() { Ok(()) } else { damaged("a block of a term has a wrong length") }
}

/// Are these the numbers from [`CODE_MIN`] on, in any order?
fn are_codes(numbers: &[u32]) -> bool {
    let mut seen = vec![0u64; numbers.len().div_ceil(64)];
    numbers.iter().all(|&code| {
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

/// From which sizes on something is stored with a term.
#[derive(Clone, Copy, Debug)]
pub struct BlockBounds {
    /// Fewest businesses of a term with levels.
    pub levels_min: usize,
    /// Most best businesses that are stored with levels.
    pub levels_best_max: usize,
    /// Fewest businesses of a term with followers.
    pub followers_min: usize,
}

/// What the block of a term is made of.
#[derive(Clone, Copy, Debug)]
pub struct TermBlock<'a> {
    /// Its lists in the order of [`TermLists`], an absent one empty.
    pub lists: [&'a [u32]; NUM_LISTS],
    /// The impact on each business of the first list.
    pub impacts: &'a [u8],
    /// By what the term is followed in each of them.
    pub followers: &'a [u8],
    /// Those of them that hold the term itself in industry or description.
    pub own_prose: &'a [u32],
}

/// Appends the block of one term.
pub fn encode_block(block: &TermBlock<'_>, bounds: BlockBounds, out: &mut Vec<u8>) {
    let TermBlock { lists, impacts, followers, own_prose } = *block;
    debug_assert!(lists[0].len() == impacts.len() && !impacts.is_empty());
    debug_assert!(lists[0].len() == followers.len());
    let has_levels = impacts.len() >= bounds.levels_min;
    let has_followers = impacts.len() >= bounds.followers_min;
    let own = match own_prose.len() {
        _ if impacts.len() <= UNMARKED_MAX => 0,
        0 => 0,
        len if len == impacts.len() => OWN_IS_ALL,
        _ => HAS_OWN,
    };
    let flag = |is_set: bool, bit: u32| if is_set { bit } else { 0 };
    let flags = own | flag(has_levels, HAS_LEVELS) | flag(has_followers, HAS_FOLLOWERS);
    let mask =
        (0..NUM_LISTS).filter(|&at| !lists[at].is_empty()).fold(flags, |mask, at| mask | 1 << at);
    out.extend(mask.to_le_bytes());
    out.extend([0; 4]);
    lists.iter().filter(|docs| !docs.is_empty()).for_each(|docs| encode(docs, out));
    for bytes in [Some(impacts), has_followers.then_some(followers)].into_iter().flatten() {
        out.extend_from_slice(bytes);
        out.resize(out.len().next_multiple_of(8), 0);
    }
    if own == HAS_OWN {
        let mut bits = vec![0u64; impacts.len().div_ceil(64)];
        let mut own = own_prose.iter().peekable();
        for (at, doc) in lists[0].iter().enumerate() {
            bits[at / 64] |= u64::from(own.next_if_eq(&doc).is_some()) << (at % 64);
        }
        out.extend_from_slice(bytemuck::cast_slice(&bits));
    }
    if has_levels {
        let [docs, name_is, name_starts, name_has, _] = lists;
        let of =
            |docs: &[u32], group| docs.iter().map(move |&doc| (doc, group)).collect::<Vec<_>>();
        let mut named = of(name_is, LevelGroup::NameIs);
        named.extend(of(name_starts, LevelGroup::NameStarts));
        named.extend(of(name_has, LevelGroup::NameHas));
        named.sort_unstable_by_key(|&(doc, _)| doc);
        levels::encode(docs, impacts, &named, bounds.levels_best_max, out);
    }
}
