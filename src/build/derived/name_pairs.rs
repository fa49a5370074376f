//! The best businesses of those whose names hold two dense terms.
//!
//! Names are looked through twice, 65,536 businesses at a time on every core: pairs are counted, and then the best are
//! chosen of those that enough names hold. Takes a number for every pair of dense terms that there might be (32 MiB for
//! 4,096 terms), and half a kilobyte on each core for every pair that is stored.
//!
//! A name of thousands of words is millions of pairs. Nobody has one, but a record may: pairs of terms that any name with
//! too many of them holds are not stored, and no such name is looked at pair by pair.

use super::DenseTerms;
use super::by_doc::{ByDoc, docs_in, for_each_chunk, for_each_low, releasing};
use super::by_set::{Best, BestBySet, Bounds, by_score};
use crate::build::BuildError;
use crate::ids::TermOrd;
use crate::snapshot::best_within::NAME_PAIR_BEST;
use crate::snapshot::dense::place;
use crate::snapshot::impacts::Impacts;
use crate::snapshot::postings::Postings;
use crate::snapshot::terms::Terms;
use crate::snapshot::writer::SnapshotWriter;
use rayon::ThreadPool;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Writes the best of the pairs of `dense` terms, whose place is their number; names with more than `terms_max` of them are
/// not taken apart. Calls `release` now and then: the lists of terms looked at so far may be given back.
///
/// # Errors
/// The file cannot be written.
pub fn write(
    dense: DenseTerms<'_>,
    (bounds, terms_max): (Bounds, usize),
    release: impl Fn() + Sync,
    pool: &ThreadPool,
    writer: &mut SnapshotWriter,
) -> Result<(), BuildError> {
    let source = Source { dense, terms_max, release };
    let (pairs, best) = pool.install(|| source.best(bounds));
    let pairs: Vec<(u16, u32)> = pairs.iter().map(|&(a, b)| (a, u32::from(b))).collect();
    let sizes = (dense.ords.len(), dense.num_docs);
    Ok(best.write(NAME_PAIR_BEST, &pairs, sizes, bounds.max, writer)?)
}

/// What pairs are found from.
struct Source<'a, F> {
    dense: DenseTerms<'a>,
    terms_max: usize,
    release: F,
}

impl<F: Fn() + Sync> Source<'_, F> {
    /// The pairs that enough names hold, ascending, and the best of each, by its place.
    fn best(&self, bounds: Bounds) -> (Vec<(u16, u16)>, Best) {
        let ords = self.dense.ords;
        let counts: Vec<AtomicU32> =
            (0..place(0, ords.len().max(1))).map(|_| AtomicU32::new(0)).collect();
        let place_of = |a: u16, b: u16| place(usize::from(a), usize::from(b));
        // Terms in names with too many.
        let in_long: Vec<AtomicBool> = ords.iter().map(|_| AtomicBool::new(false)).collect();
        let is_in_long = |number: u16| in_long[usize::from(number)].load(Ordering::Relaxed);
        self.for_each_name(
            || (),
            |(), names, low| match names.of(low) {
                long if long.len() > self.terms_max => {
                    let marks = long.iter().map(|&(number, _)| &in_long[usize::from(number)]);
                    marks.for_each(|mark| mark.store(true, Ordering::Relaxed));
                }
                name => for_each_pair(name, |(a, _), (b, _)| {
                    counts[place_of(a, b)].fetch_add(1, Ordering::Relaxed);
                }),
            },
            |()| {},
        );
        // From here on, the place of each pair among those that are stored, plus one.
        let mut pairs = Vec::new();
        for a in 0..ords.len() as u16 {
            for b in a + 1..ords.len() as u16 {
                let count = &counts[place_of(a, b)];
                let is_stored = count.load(Ordering::Relaxed) as usize >= bounds.docs_min.max(1)
                    && !(is_in_long(a) && is_in_long(b));
                pairs.extend(is_stored.then_some((a, b)));
                count.store(if is_stored { pairs.len() as u32 } else { 0 }, Ordering::Relaxed);
            }
        }
        let by_pair = Mutex::new(BestBySet::of(pairs.len()));
        self.for_each_name(
            || BestBySet::of(pairs.len()),
            |best, names, low| {
                let (doc, name) = (names.key << 16 | u32::from(low), names.of(low));
                if name.len() > self.terms_max {
                    return;
                }
                for_each_pair(name, |(a, impact_a), (b, impact_b)| {
                    let stored = counts[place_of(a, b)].load(Ordering::Relaxed) as usize;
                    if let Some(at) = stored.checked_sub(1) {
                        let score = u32::from(impact_a) + u32::from(impact_b);
                        best.push(at, by_score(score, doc), bounds.max);
                    }
                });
            },
            |best| {
                // No thread panics with it.
                by_pair.lock().expect("not poisoned").absorb(best, bounds.max);
            },
        );
        let mut best = Best::default();
        by_pair
            .into_inner()
            .expect("not poisoned")
            .take_into(&mut best, bounds.max, |_| bounds.docs_min);
        (pairs, best)
    }

    /// Calls `visit` with every business and what a thread `begin`s with, and `end` with that.
    fn for_each_name<T>(
        &self,
        begin: impl Fn() -> T + Sync,
        visit: impl Fn(&mut T, &Names<'_>, u16) + Sync,
        end: impl Fn(T) + Sync,
    ) {
        let DenseTerms { terms, ords, num_docs } = self.dense;
        for_each_chunk(
            num_docs,
            || (Names::new(terms, ords, &self.release), begin()),
            |(names, own), key| {
                names.load(key, &self.release);
                docs_in(key, num_docs).for_each(|doc| visit(own, names, doc as u16));
            },
            |(_, own)| end(own),
        );
    }
}

/// A term by number, and its impact.
type Entry = (u16, u8);

/// Calls `visit` with every two of the terms in a name, which ascend.
fn for_each_pair(entries: &[Entry], mut visit: impl FnMut(Entry, Entry)) {
    for (at, &first) in entries.iter().enumerate() {
        entries[at + 1..].iter().for_each(|&second| visit(first, second));
    }
}

/// The dense terms in the names of the businesses of one chunk.
struct Names<'a> {
    /// Of each term, the businesses with it in their name, and what it weighs in any.
    lists: Vec<(Vec<Postings<'a>>, Impacts<'a>)>,
    key: u32,
    entries: ByDoc<Entry>,
    /// Of one term, the businesses of the chunk, and its impacts on them.
    lows: Vec<u16>,
    impacts: Vec<u32>,
}

impl<'a> Names<'a> {
    /// Of the terms `dense`; of no chunk yet.
    fn new(terms: &'a Terms, dense: &[TermOrd], release: impl Fn()) -> Names<'a> {
        let lists = releasing(dense, release).map(|&ord| {
            let lists = terms.lists(ord);
            (lists.in_name().collect(), Impacts::new(lists.any(), lists.impacts()))
        });
        let (lows, impacts) = (Vec::new(), Vec::new());
        Names { lists: lists.collect(), key: 0, entries: ByDoc::default(), lows, impacts }
    }

    fn load(&mut self, key: u32, release: impl Fn()) {
        let Names { lists, entries, lows, impacts, .. } = self;
        self.key = key;
        let in_names = || lists.iter().flat_map(|(in_name, _)| in_name.iter().copied());
        entries.make_room(in_names(), key, &release);
        for (number, (in_name, all_impacts)) in releasing((0..).zip(&*lists), &release) {
            lows.clear();
            in_name.iter().for_each(|list| for_each_low(list, key, |_, low| lows.push(low)));
            lows.sort_unstable();
            impacts.clear();
            impacts.resize(lows.len(), 0);
            all_impacts.add_to(&[(key as u16, 0..lows.len())], lows, impacts);
            for (&low, &impact) in lows.iter().zip(&*impacts) {
                // Impacts are bytes.
                entries.push(low, (number, impact as u8));
            }
        }
    }

    /// Those in the name of the business with these lower 16 bits, ascending.
    fn of(&self, low: u16) -> &[Entry] {
        self.entries.of(low)
    }
}
