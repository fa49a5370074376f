//! Lists of businesses by key, turned around: for each business the numbers of the lists that it is on.
//!
//! One chunk of businesses at a time: those that share their upper 16 bits.

use crate::snapshot::postings::Postings;

/// Lists looked at between two releases of the pages that they lie on. With every page that is touched, the system maps
/// sixteen, and for large files more.
pub const RELEASE_LISTS: usize = 128;

/// Businesses of a chunk.
pub const CHUNK_DOCS: usize = 1 << 16;

/// Where the entries of each business of chunk `key` begin if it has one for each list that it is on, and where those
/// of the last end. Calls `release` every [`RELEASE_LISTS`] lists.
pub fn starts<'a>(
    lists: impl Iterator<Item = Postings<'a>>,
    key: u32,
    release: impl Fn(),
) -> Vec<u32> {
    let mut starts = vec![0; CHUNK_DOCS + 1];
    for (number, list) in (1..).zip(lists) {
        for_each_low(&list, key, |_, low| starts[usize::from(low) + 1] += 1);
        if number % RELEASE_LISTS == 0 {
            release();
        }
    }
    release();
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    starts
}

/// Calls `visit` with all businesses of a list in chunk `key`: with the place of each in the list, and its lower 16
/// bits.
#[inline]
pub fn for_each_low(list: &Postings<'_>, key: u32, mut visit: impl FnMut(usize, u16)) {
    match list {
        Postings::Small(docs) => {
            let start = docs.partition_point(|&doc| doc >> 16 < key);
            let here = docs[start..].iter().take_while(|&&doc| doc >> 16 == key);
            (start..).zip(here).for_each(|(at, &doc)| visit(at, doc as u16));
        }
        Postings::Chunked(chunked) => {
            let Some(chunk) = chunked.find(key as u16) else { return };
            let mut at = chunked.rank(chunk);
            chunked.chunk(chunk).container.for_each(|low| {
                visit(at, low);
                at += 1;
            });
        }
    }
}
