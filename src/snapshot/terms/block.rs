//! The block of one term: its lists of postings and what is stored beside them.
//!
//! ```text
//! BLOCK     := MASK (u32, bit i: list i is present; bit 6: FOLLOWERS are; bit 7: PLACES are; bits
//!              8 to 10: lists of aliases are), BOUNDS, PLACES, POSTINGS for each list present, in
//!              order of the bits, IMPACTS, FOLLOWERS, POSTINGS for each list of aliases present
//! BOUNDS    := least and largest impact on documents with the term in their name, and on all others (u8^4); 255 and 0 if
//!              there are none
//! PLACES    := where each part behind begins, present or not: 6 lists, IMPACTS, FOLLOWERS
//!              (u32^8, in units of 8 bytes from the start of the block); only for 256 documents and more
//! IMPACTS   := u8 for each business of the first list, padding to 8
//! FOLLOWERS := the same, see [`followers`](super::next_word)
//! ```
//!
//! The first list is in every block. An impact is what the term adds to the text score of a
//! business, 1 to 255: BM25 over the fields with their weights and lengths, computed at build and
//! quantised over the collection.
//!
//! Each part of a long block lies in a page of its own. Without PLACES, the last would be found by
//! reading the ends of all before it, one after the other; with them, a part that nobody asks for
//! is not touched.

use crate::bytes::cast;
use crate::snapshot::encoding::postings::{Postings, encode};
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::format::SectionKind;

/// Every block begins at a multiple of this, in bytes.
pub const BLOCK_ALIGN: u64 = 8;

/// Number of lists that a term may have.
pub const NUM_LISTS: usize = 6;

/// The bit of a block's mask that says that followers follow the impacts.
const HAS_FOLLOWERS: u32 = 1 << NUM_LISTS;

/// The bit of a block's mask that says that places of its parts stand at its front.
const HAS_PLACES: u32 = HAS_FOLLOWERS << 1;

/// Fewest businesses of a term with places: the lists of others lie side by side.
const PLACED_MIN: usize = 256;

/// The bit of a block's mask that says that the first list of aliases is present; the others
/// follow.
const FIRST_ALIAS_LIST: u32 = HAS_PLACES << 1;

/// The lists of documents with a term in an alias. No document is on two of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AliasList {
    /// An alias is the term, legal forms at its ends and an article in front aside.
    Is,
    /// Others that match the term in host, industry or description as well.
    Beside,
    /// Others.
    Only,
}

/// Number of lists of aliases.
pub const NUM_ALIAS_LISTS: usize = AliasList::Only as usize + 1;

/// Bytes of MASK and BOUNDS.
const HEAD: usize = 8;

/// Parts of a block behind the lists.
const IMPACTS: usize = NUM_LISTS;
const FOLLOWERS: usize = IMPACTS + 1;

/// Number of parts whose places are stored. The lists of aliases stand behind the last: few terms
/// have them.
const NUM_PARTS: usize = FOLLOWERS + 1;

/// The least and the largest impact of a term; 255 and 0 where there is no document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImpactBounds {
    /// On documents with the term in their name.
    pub in_name: (u8, u8),
    /// On all others.
    pub elsewhere: (u8, u8),
}

/// The lists of one term. What is not asked for is not read.
#[derive(Clone, Copy, Debug)]
pub struct TermLists<'a> {
    /// From its block on.
    block: &'a [u8],
    mask: u32,
}

impl<'a> TermLists<'a> {
    /// The lists of the block at the front of `block`, which a structural check has passed.
    pub(super) fn new(block: &'a [u8]) -> TermLists<'a> {
        TermLists { block, mask: cast::<u32>(&block[..HEAD])[0] }
    }

    /// The block from a part on.
    #[inline]
    fn part(&self, part: usize) -> &'a [u8] {
        if !self.has(HAS_PLACES) {
            return self.part_behind_others(part);
        }
        let places: &[u32] = cast(&self.block[HEAD..HEAD + NUM_PARTS * 4]);
        &self.block[places[part] as usize * BLOCK_ALIGN as usize..]
    }

    fn part_behind_others(&self, part: usize) -> &'a [u8] {
        let (mut rest, mut len) = (&self.block[HEAD..], 0);
        for at in (0..part.min(NUM_LISTS)).filter(|&at| self.has(1 << at)) {
            let (postings, behind) = Postings::read(rest);
            len = if at == 0 { postings.len() } else { len };
            rest = behind;
        }
        &rest[(FOLLOWERS..=part).map(|next| self.len_of(next - 1, len)).sum()..]
    }

    /// The bytes that a part behind the lists takes for `len` businesses.
    fn len_of(&self, part: usize, len: usize) -> usize {
        match part {
            IMPACTS => len.next_multiple_of(8),
            FOLLOWERS if self.has(HAS_FOLLOWERS) => len.next_multiple_of(8),
            _ => 0,
        }
    }

    #[inline]
    fn has(&self, bit: u32) -> bool {
        self.mask & bit != 0
    }

    #[inline]
    fn list(&self, at: usize) -> Option<Postings<'a>> {
        self.has(1 << at).then(|| Postings::front(self.part(at)))
    }

    /// Businesses that match the term as a word of a query: in name or host as it is, in industry
    /// and description in singular or plural.
    #[inline]
    pub fn any(&self) -> Postings<'a> {
        Postings::front(self.part(0))
    }

    /// Businesses whose name is the term, legal forms at its end aside.
    pub fn name_is(&self) -> Option<Postings<'a>> {
        self.list(1)
    }

    /// Businesses whose name starts with the term and goes on.
    pub fn name_starts(&self) -> Option<Postings<'a>> {
        self.list(2)
    }

    /// Businesses with the term elsewhere in their name.
    pub fn name_has(&self) -> Option<Postings<'a>> {
        self.list(3)
    }

    /// Businesses with the term in their host.
    pub fn host(&self) -> Option<Postings<'a>> {
        self.list(4)
    }

    /// Documents with the term itself in industry or description, and not only its singular or
    /// plural; stored if some form of a plural stands nowhere as a term, so that a query may mean
    /// this one alone.
    pub fn prose(&self) -> Option<Postings<'a>> {
        self.list(5)
    }

    /// Documents with the term in an alias, on one of the lists.
    pub fn aliases(&self, list: AliasList) -> Option<Postings<'a>> {
        let bit = |at: usize| FIRST_ALIAS_LIST << at;
        if !self.has(bit(list as usize)) {
            return None;
        }
        let followers = self.part(FOLLOWERS);
        let mut rest = &followers[self.len_of(FOLLOWERS, self.any().len())..];
        for _ in (0..list as usize).filter(|&at| self.has(bit(at))) {
            (_, rest) = Postings::read(rest);
        }
        Some(Postings::front(rest))
    }

    /// The lists of documents with the term in an alias.
    pub fn in_alias(&self) -> impl Iterator<Item = Postings<'a>> + use<'a> {
        let lists = [AliasList::Is, AliasList::Beside, AliasList::Only];
        lists.map(|list| self.aliases(list)).into_iter().flatten()
    }

    /// The lists of businesses with the term in their name; no business is on two of them.
    pub fn in_name(&self) -> impl Iterator<Item = Postings<'a>> + use<'a> {
        [self.name_is(), self.name_starts(), self.name_has()].into_iter().flatten()
    }

    /// The impact of the term on each business of [`any`](Self::any), in order.
    pub fn impacts(&self) -> &'a [u8] {
        &self.part(IMPACTS)[..self.any().len()]
    }

    /// By which words the term is followed in each business of [`any`](Self::any), in order; none
    /// if that is not stored.
    pub fn followers(&self) -> Option<&'a [u8]> {
        self.has(HAS_FOLLOWERS).then(|| &self.part(FOLLOWERS)[..self.any().len()])
    }

    /// The least and the largest impact.
    pub fn impact_bounds(&self) -> ImpactBounds {
        let [name_least, name_most, least, most] = cast::<[u8; 4]>(&self.block[4..HEAD])[0];
        ImpactBounds { in_name: (name_least, name_most), elsewhere: (least, most) }
    }
}

/// Checks the block of a term completely.
///
/// # Errors
/// It is not one that [`encode_block`] could have written for `num_docs` businesses.
pub(super) fn check_block(block: &[u8], num_docs: u32) -> Result<(), SnapshotError> {
    let damaged = |reason| Err(SnapshotError::damaged(SectionKind::TermPostings, reason));
    if block.len() < HEAD {
        return damaged("blocks of terms do not join");
    }
    let head: &[u32] = cast(&block[..HEAD]);
    let mask = head[0];
    if mask & 1 == 0 || mask >= FIRST_ALIAS_LIST << NUM_ALIAS_LISTS {
        return damaged("a term has unknown lists");
    }
    let lists = TermLists { block, mask };
    let mut at = if lists.has(HAS_PLACES) { HEAD + NUM_PARTS * 4 } else { HEAD };
    let (mut starts, mut len) = ([0; NUM_PARTS], 0);
    for (part, start) in starts.iter_mut().enumerate() {
        *start = at;
        if part < NUM_LISTS && lists.has(1 << part) {
            let Some(rest) = block.get(at..) else {
                return damaged("the places of a term are cut off");
            };
            at += Postings::check(rest, num_docs, SectionKind::TermPostings)?;
            len = if part == 0 { Postings::front(rest).len() } else { len };
        } else {
            at += lists.len_of(part, len);
        }
    }
    if at > block.len() {
        return damaged("the impacts or followers of a term are cut off");
    }
    for _ in (0..NUM_ALIAS_LISTS).filter(|&at| lists.has(FIRST_ALIAS_LIST << at)) {
        let Some(rest) = block.get(at..) else {
            return damaged("the aliases of a term are cut off");
        };
        at += Postings::check(rest, num_docs, SectionKind::TermPostings)?;
    }
    if lists.has(HAS_PLACES) {
        let places: &[u32] = cast(&block[HEAD..HEAD + NUM_PARTS * 4]);
        let is_there = |(&place, &start): (&u32, &usize)| place as usize * 8 == start;
        if !places.iter().zip(&starts).all(is_there) {
            return damaged("the places of a term are not those of its parts");
        }
    }
    if at == block.len() { Ok(()) } else { damaged("a block of a term has a wrong length") }
}

/// From which sizes on something is stored with a term.
#[derive(Clone, Copy, Debug)]
pub struct BlockBounds {
    /// Fewest businesses of a term with followers.
    pub followers_min: usize,
}

/// What the block of a term is made of.
#[derive(Clone, Copy, Debug)]
pub struct TermBlock<'a> {
    /// Its lists in the order of [`TermLists`], an absent one empty.
    pub lists: [&'a [u32]; NUM_LISTS],
    /// Its lists of aliases, by [`AliasList`], an absent one empty.
    pub aliases: [&'a [u32]; NUM_ALIAS_LISTS],
    /// The impact on each business of the first list.
    pub impacts: &'a [u8],
    /// By what the term is followed in each of them.
    pub followers: &'a [u8],
}

/// Appends the block of one term.
pub fn encode_block(block: &TermBlock<'_>, bounds: BlockBounds, out: &mut Vec<u8>) {
    let TermBlock { lists, aliases, impacts, followers } = *block;
    debug_assert!(lists[0].len() == impacts.len() && !impacts.is_empty());
    debug_assert!(lists[0].len() == followers.len());
    let has_followers = impacts.len() >= bounds.followers_min;
    let has_places = impacts.len() >= PLACED_MIN;
    let flag = |is_set: bool, bit: u32| if is_set { bit } else { 0 };
    let flags = flag(has_followers, HAS_FOLLOWERS) | flag(has_places, HAS_PLACES);
    let mask =
        (0..NUM_LISTS).filter(|&at| !lists[at].is_empty()).fold(flags, |mask, at| mask | 1 << at);
    let mask = (0..NUM_ALIAS_LISTS)
        .filter(|&at| !aliases[at].is_empty())
        .fold(mask, |mask, at| mask | FIRST_ALIAS_LIST << at);
    let start = out.len();
    out.extend(mask.to_le_bytes());
    out.extend(bounds_of(block));
    if has_places {
        out.extend([0; NUM_PARTS * 4]);
    }
    let begin_part = |part: usize, out: &mut Vec<u8>| {
        if has_places {
            let place = ((out.len() - start) / BLOCK_ALIGN as usize) as u32;
            out[start + HEAD + part * 4..][..4].copy_from_slice(&place.to_le_bytes());
        }
    };
    for (part, docs) in lists.iter().enumerate() {
        begin_part(part, out);
        if !docs.is_empty() {
            encode(docs, out);
        }
    }
    for (part, bytes) in [(IMPACTS, Some(impacts)), (FOLLOWERS, has_followers.then_some(followers))]
    {
        begin_part(part, out);
        out.extend_from_slice(bytes.unwrap_or_default());
        out.resize(out.len().next_multiple_of(8), 0);
    }
    for docs in aliases.into_iter().filter(|docs| !docs.is_empty()) {
        encode(docs, out);
    }
}

/// BOUNDS of a block.
fn bounds_of(block: &TermBlock<'_>) -> [u8; 4] {
    let [docs, name_is, name_starts, name_has, ..] = block.lists;
    let mut names = [name_is, name_starts, name_has].map(|list| list.iter().peekable());
    let mut bounds = [u8::MAX, 0, u8::MAX, 0];
    for (doc, &impact) in docs.iter().zip(block.impacts) {
        let is_named = names.iter_mut().any(|names| names.next_if_eq(&doc).is_some());
        let [least, most] = &mut bounds.as_chunks_mut::<2>().0[usize::from(!is_named)];
        (*least, *most) = (impact.min(*least), impact.max(*most));
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::aligned;
    use proptest::prelude::*;

    /// Every `step`-th of some businesses.
    fn every(docs: &[u32], step: usize) -> Vec<u32> {
        docs.iter().copied().step_by(step).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn what_is_encoded_is_read(
            len in prop_oneof![1u32..40, 200u32..300, 4000u32..9000],
            step in 1u32..30,
            is_present in any::<[bool; 5]>(),
            has_followers in any::<bool>(),
            has_aliases in any::<[bool; NUM_ALIAS_LISTS]>(),
        ) {
            let docs: Vec<u32> = (0..len).map(|at| at * step).collect();
            let impacts: Vec<u8> = docs.iter().map(|doc| (doc % 255) as u8 + 1).collect();
            let followers: Vec<u8> = docs.iter().map(|doc| (doc % 256) as u8).collect();
            // No business is on two lists of names.
            let mut lists = [docs.clone(), Vec::new(), Vec::new(), Vec::new(), every(&docs, 5), every(&docs, 7)];
            for (at, list) in lists[1..4].iter_mut().enumerate().filter(|(at, _)| is_present[*at]) {
                *list = every(docs.get(at..).unwrap_or_default(), 3);
            }
            for at in [4, 5].into_iter().filter(|at| !is_present[at - 1]) {
                lists[at].clear();
            }
            let aliases: Vec<Vec<u32>> = has_aliases
                .iter()
                .enumerate()
                .map(|(at, &has)| every(docs.get(at..).filter(|_| has).unwrap_or_default(), 3))
                .collect();
            let block = TermBlock {
                lists: lists.each_ref().map(Vec::as_slice),
                aliases: [&aliases[0], &aliases[1], &aliases[2]],
                impacts: &impacts,
                followers: &followers,
            };
            let min = |has: bool| if has { 1 } else { usize::MAX };
            let bounds = BlockBounds {
                followers_min: min(has_followers),
            };
            let mut bytes = Vec::new();
            encode_block(&block, bounds, &mut bytes);
            let words = aligned(&bytes);
            let bytes: &[u8] = bytemuck::cast_slice(&words);
            let num_docs = docs[docs.len() - 1] + 1;
            prop_assert!(check_block(bytes, num_docs).is_ok());

            for len in (0..bytes.len()).step_by(BLOCK_ALIGN as usize) {
                prop_assert!(check_block(&bytes[..len], num_docs).is_err());
            }

            let read = TermLists::new(bytes);
            let found = [
                Some(read.any()), read.name_is(), read.name_starts(), read.name_has(), read.host(), read.prose(),
            ];
            for (found, list) in found.into_iter().zip(&lists) {
                let mut all = Vec::new();
                found.iter().for_each(|found| found.push_to(&mut all));
                prop_assert_eq!(&all, list);
            }
            for (list, expected) in [AliasList::Is, AliasList::Beside, AliasList::Only].into_iter().zip(&aliases) {
                let mut all = Vec::new();
                read.aliases(list).iter().for_each(|found| found.push_to(&mut all));
                prop_assert_eq!(&all, expected);
            }
            prop_assert_eq!(read.in_alias().count(), aliases.iter().filter(|list| !list.is_empty()).count());
            prop_assert_eq!(read.impacts(), &impacts);
            prop_assert_eq!(read.followers(), has_followers.then_some(followers.as_slice()));
            let names: Vec<u32> = lists[1..4].iter().flatten().copied().collect();
            let bounds = |is_named: bool| {
                let of = docs.iter().zip(&impacts).filter(|(doc, _)| names.contains(doc) == is_named);
                of.fold((u8::MAX, 0), |(least, most), (_, &impact)| (impact.min(least), impact.max(most)))
            };
            let expected = ImpactBounds { in_name: bounds(true), elsewhere: bounds(false) };
            prop_assert_eq!(read.impact_bounds(), expected);

            // A place that is not where the part is.
            if docs.len() >= PLACED_MIN {
                for place in 0..NUM_PARTS {
                    let mut damaged = words.clone();
                    damaged[(HEAD + place * 4) / 8] ^= 1 << (place % 2 * 32);
                    prop_assert!(check_block(bytemuck::cast_slice(&damaged), num_docs).is_err());
                }
            }
        }
    }
}
