//! What short, frequent beginnings of words reach.
//!
//! The last word of `q` also matches as a prefix in names, aliases and hosts. Where few words begin
//! so, their lists are read; where many do, the union is stored here, so that a prefix costs what a
//! word costs.
//!
//! Two sections: the prefixes as an fst from prefix to ordinal, and the blocks, with a table of
//! where each begins:
//!
//! ```text
//! PrefixPostings := TABLED of BLOCK for each prefix, joined, and OFFSET^PREFIXES (u64)
//! BLOCK          := MASK (u32: 1 BEYOND, 2 NAMES, 4 ALIASES), PLACE (u32),
//!                   POSTINGS for each bit set
//! ```
//!
//! PLACE is where NAMES begins, in units of 8 bytes from the start of the block, or 0 without it.
//!
//! A prefix that reaches what one of a character more reaches (`technolo`, `technolog`) has the
//! same block.

use super::dictionary::open_keys;
use crate::bytes::cast;
use crate::snapshot::encoding::postings::{Postings, encode};
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::mapped::Section;
use rayon::prelude::*;

/// Fewest characters of a word that may stand for all words it begins.
pub const PREFIX_CHARS_MIN: usize = 3;

/// Is a word long enough to stand for all words it begins?
pub fn may_be_prefix(word: &str) -> bool {
    word.chars().count() >= PREFIX_CHARS_MIN
}

/// What a stored prefix reaches beyond the word that it is itself.
#[derive(Clone, Copy, Debug)]
pub struct PrefixLists<'a> {
    /// Businesses with a longer word in name, alias or host that begins so, and that the prefix
    /// does not match as a whole word in any field: what the prefix adds to a query.
    pub beyond: Option<Postings<'a>>,
    /// Businesses with such a longer word in their name, and not the prefix as a whole word in it.
    pub names: Option<Postings<'a>>,
    /// Documents of `beyond` that have such longer words in aliases only.
    pub aliases: Option<Postings<'a>>,
}

/// The stored prefixes of a snapshot.
pub struct Prefixes {
    keys: fst::Map<Section>,
    offsets: Section,
    postings: Section,
}

impl Prefixes {
    /// Opens the prefixes and checks them completely.
    ///
    /// # Errors
    /// A section is not what [`encode_block`] and its caller write.
    pub fn open([blocks, keys]: [Section; 2], num_docs: u32) -> Result<Prefixes, SnapshotError> {
        let (keys, _) = open_keys(keys)?;
        let [postings, offsets] = blocks.split_table()?;
        let starts: &[u64] = offsets.checked_slice()?;
        if starts.len() != keys.len() {
            return Err(postings.damaged("one block per prefix is expected"));
        }
        let bytes = postings.as_ref();
        let mut distinct = starts.to_vec();
        distinct.dedup();
        let ends = distinct.iter().skip(1).copied().chain([bytes.len() as u64]);
        let blocks: Vec<(u64, u64)> = distinct.iter().copied().zip(ends).collect();
        if distinct.first().is_some_and(|&start| start != 0)
            || (blocks.is_empty() && !bytes.is_empty())
        {
            return Err(postings.damaged("blocks of prefixes do not join"));
        }
        blocks.par_chunks(BLOCKS_TOGETHER).try_for_each(|blocks| {
            blocks.iter().try_for_each(|&(start, end)| check_block(bytes, start, end, num_docs))?;
            if let (Some(first), Some(last)) = (blocks.first(), blocks.last()) {
                postings.release_range(first.0 as usize..last.1 as usize);
            }
            Ok(())
        })?;
        Ok(Prefixes { keys, offsets, postings })
    }

    /// Number of stored prefixes.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Is none stored?
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// What `prefix` reaches, if that is stored.
    pub fn get(&self, prefix: &str) -> Option<PrefixLists<'_>> {
        let ord = self.keys.get(prefix)?;
        let start = cast::<u64>(self.offsets.as_ref())[ord as usize] as usize;
        let block = &self.postings.as_ref()[start..];
        let head: &[u32] = cast(&block[..8]);
        let [beyond, names] = [(1, 8), (2, head[1] as usize * 8)]
            .map(|(bit, at)| (head[0] & bit != 0).then(|| Postings::front(&block[at..])));
        let aliases = (head[0] & 4 != 0).then(|| {
            let before = if head[0] & 2 != 0 { head[1] as usize * 8 } else { 8 };
            let (_, behind) = Postings::read(&block[before..]);
            Postings::front(behind)
        });
        Some(PrefixLists { beyond, names, aliases })
    }
}

/// Blocks checked one after the other.
const BLOCKS_TOGETHER: usize = 256;

/// Checks that a block takes the bytes from `start` to `end`.
fn check_block(bytes: &[u8], start: u64, end: u64, num_docs: u32) -> Result<(), SnapshotError> {
    let kind = SectionKind::PrefixPostings;
    let damaged = |reason| Err(SnapshotError::damaged(kind, reason));
    let block = bytes.get(start as usize..end as usize).filter(|_| start.is_multiple_of(8));
    let Some(block) = block.filter(|block| block.len() >= 8) else {
        return damaged("blocks of prefixes do not join");
    };
    let head: &[u32] = cast(&block[..8]);
    // Documents with aliases only are beyond.
    if head[0] > 7 || head[0] & 5 == 4 {
        return damaged("a prefix has unknown lists");
    }
    let (mut at, mut names) = (8, 0);
    for bit in [1, 2, 4] {
        if head[0] & bit != 0 {
            names = if bit == 2 { at } else { names };
            at += Postings::check(&block[at..], num_docs, kind)?;
        }
    }
    if head[1] as usize * 8 != names {
        return damaged("the second list of a prefix is not where it should be");
    }
    if at == block.len() { Ok(()) } else { damaged("blocks of prefixes do not join") }
}

/// Appends the block of one prefix; see [`PrefixLists`].
pub fn encode_block(beyond: &[u32], names: &[u32], aliases: &[u32], out: &mut Vec<u8>) {
    let bit = |list: &[u32], at: u32| u32::from(!list.is_empty()) << at;
    let mask = bit(beyond, 0) | bit(names, 1) | bit(aliases, 2);
    let start = out.len();
    out.extend(mask.to_le_bytes());
    out.extend([0; 4]);
    if !beyond.is_empty() {
        encode(beyond, out);
    }
    if !names.is_empty() {
        let place = ((out.len() - start) / 8) as u32;
        out[start + 4..start + 8].copy_from_slice(&place.to_le_bytes());
        encode(names, out);
    }
    if !aliases.is_empty() {
        encode(aliases, out);
    }
}
