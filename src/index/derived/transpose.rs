//! Lists of businesses by key, turned around: what is known of each business by the lists that it
//! is on.
//!
//! One chunk of businesses at a time: those that share their upper 16 bits.

use crate::snapshot::encoding::postings::Postings;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// Lists looked at between two releases of the pages that they lie on. With every page that is
/// touched, the system maps sixteen, and for large files up to 2 MiB: a look at the heads of some
/// thousand lists maps the whole file.
const RELEASE_LISTS: usize = 64;

/// Businesses of a chunk.
pub const CHUNK_DOCS: usize = 1 << 16;

/// How many chunks `num_docs` businesses are.
pub fn num_chunks(num_docs: u32) -> u32 {
    num_docs.div_ceil(CHUNK_DOCS as u32)
}

/// The chunks of some businesses, for threads that each take one after the other.
pub struct Chunks {
    next: AtomicU32,
    end: u32,
}

impl Chunks {
    /// Chunks of `num_docs` documents.
    pub fn of(num_docs: u32) -> Chunks {
        Chunks { next: AtomicU32::new(0), end: num_chunks(num_docs) }
    }

    /// A chunk that no other thread has taken, while there are any.
    pub fn take(&self) -> Option<u32> {
        let key = self.next.fetch_add(1, Ordering::Relaxed);
        (key < self.end).then_some(key)
    }
}

/// The businesses of chunk `key`, of `num_docs`.
pub fn docs_in(key: u32, num_docs: u32) -> Range<u32> {
    key << 16..num_docs.min((key + 1) << 16)
}

/// The entries of each business of a chunk, at most one for each list that it is on.
#[derive(Default)]
pub struct ByDoc<E> {
    /// Where the entries of each business begin, and where the room for those of the last ends.
    starts: Vec<u32>,
    /// Where those entered so far end.
    ends: Vec<u32>,
    entries: Vec<E>,
}

impl<E: Copy + Default> ByDoc<E> {
    /// Forgets all entries, and makes room for those of chunk `key`. Calls `release` now and then:
    /// the lists looked at so far may be given back.
    pub fn make_room<'a>(
        &mut self,
        lists: impl Iterator<Item = Postings<'a>>,
        key: u32,
        release: impl Fn(),
    ) {
        let ByDoc { starts, ends, entries } = self;
        starts.clear();
        starts.resize(CHUNK_DOCS + 1, 0);
        for list in releasing(lists, release) {
            for_each_low(&list, key, |_, low| starts[usize::from(low) + 1] += 1);
        }
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        ends.clone_from(starts);
        entries.resize(entries.len().max(sum as usize), E::default());
    }

    /// The entries so far of the business with these lower 16 bits.
    #[inline]
    pub fn of(&self, low: u16) -> &[E] {
        let low = usize::from(low);
        &self.entries[self.starts[low] as usize..self.ends[low] as usize]
    }

    /// One more entry of a business.
    #[inline]
    pub fn push(&mut self, low: u16, entry: E) {
        let end = &mut self.ends[usize::from(low)];
        self.entries[*end as usize] = entry;
        *end += 1;
    }
}

/// Passes items on; calls `release` every [`RELEASE_LISTS`] of them, and behind the last.
pub fn releasing<T>(
    items: impl IntoIterator<Item = T>,
    release: impl Fn(),
) -> impl Iterator<Item = T> {
    let (mut items, mut looked_at) = (items.into_iter(), 0);
    std::iter::from_fn(move || {
        let item = items.next();
        if looked_at % RELEASE_LISTS == RELEASE_LISTS - 1 || item.is_none() {
            release();
        }
        looked_at += 1;
        item
    })
}

/// Calls `visit` with all businesses of a list in chunk `key`: with the place of each in the list,
/// and its lower 16 bits.
#[inline]
pub fn for_each_low(list: &Postings<'_>, key: u32, mut visit: impl FnMut(usize, u16)) {
    match list {
        Postings::Small(docs) => {
            Postings::places_in(docs, key as u16).for_each(|at| visit(at, docs[at] as u16));
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
