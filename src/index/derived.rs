//! What is computed from the postings once they are written: stored prefixes, pair counts, stored
//! phrases, positions in other orders, first pages of words, what names weigh, words of names.
//!
//! All of it is read from the sections before. Memory beside what is allowed: four bytes a business
//! for its industry, a table of numbers for every pair of dense terms (32 MiB for 4,096 of them),
//! one a thread while pairs are counted, as far as a quarter of the memory allowed holds them, and
//! 17 MiB a thread for the businesses that are looked at together.
//!
//! What it costs at ten million generated businesses, and what it is for:
//!
//! | | seconds of CPU | bytes a business | for |
//! |---|---|---|---|
//! | prefixes | 11 | 42 | the last word of nearly every `q` |
//! | pair counts | 16 | 3.4 | totals of two frequent keys |
//! | phrases: counts and lists | some 48, with the best | 51 | totals of phrases; `A/S` and its like; where the phrases of very frequent words end |
//! | best of phrases | | 42 | the first page of two frequent words, wherever or in one industry |
//! | pairs of filters | 2 | below 0.1 | a city with its state |
//! | positions by name and year | 12, with the next | 15 | pages of an industry or place in these orders |
//! | positions by industry | | 83 | words, places and bounds on employees within one industry |
//! | first pages | some 25 | 9 | the first page of one word, wherever or in one industry |
//! | what names weigh | 1 | 1 | relaxed answers of words that many names hold |
//! | words of names | 1 | 1 | words of names that begin like those of a relaxed `q` |
//! | facets | | 7 | what values there are, and how many hits have each |

mod ascending;
mod facets;
pub mod filter_pairs;
mod first_pages;
mod impacts_by_doc;
mod name_weights;
mod name_words;
mod neighbours;
pub mod pair_counts;
pub mod phrases;
mod positions;
mod pospopcnt;
pub mod prefixes;
mod top_k_by_scope;
mod transpose;

use super::BuildError;
use super::facets::FinishedUnits;
use super::scratch::Scratch;
use crate::ids::TermOrd;
use crate::snapshot::answers::frequent_keys;
use crate::snapshot::answers::frequent_keys::DenseKey;
use crate::snapshot::columns::forward_index::ForwardIndex;
use crate::snapshot::encoding::postings::Postings;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::sections::Sections;
use crate::snapshot::file::writer::SnapshotWriter;
use crate::snapshot::terms::Terms;
use crate::snapshot::terms::block::BlockBounds;
use crate::snapshot::terms::dictionary::Dictionary;
use first_pages::Scopes;
use neighbours::Neighbours;
use rayon::ThreadPool;
use rayon::prelude::*;
use top_k_by_scope::Bounds;

/// From which size on something is stored that could be computed by a query. Tests store
/// everything, so that small collections take every shortcut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thresholds {
    /// Fewest businesses of a term with followers.
    pub followers_min: usize,
    /// Fewest longer words of a prefix that is stored.
    pub prefix_words_min: usize,
    /// Fewest occurrences of longer words of a prefix that is stored, however few words they are.
    pub prefix_docs_min: usize,
    /// Fewest terms that a prefix begins, of names or not, if it is stored for them.
    pub prefix_terms_min: usize,
    /// Fewest businesses of a dense key.
    pub dense_docs_min: usize,
    /// Most dense keys; 65,535 at most.
    pub dense_keys_max: usize,
    /// Fewest businesses of an industry or place whose positions in other orders are stored.
    pub positions_min: usize,
    /// Fewest businesses of a dense term whose positions in the order by industry are stored.
    pub term_positions_min: usize,
    /// Fewest businesses that hold both words of a phrase that is stored.
    pub phrase_docs_min: u32,
    /// A phrase has a list in any case if one document in so many holds both its words.
    pub phrase_listed_share: u32,
    /// Fewest businesses that hold both words of a phrase whose best businesses are stored.
    pub phrase_best_docs_min: u32,
    /// Longest list of a phrase that has no best businesses beside it.
    pub phrase_scored_max: u32,
    /// What is stored of a phrase whose [best documents are](Self::phrase_best_docs_min).
    pub tier_best: Bounds,
    /// What is stored of a term; within industries only of a dense one.
    pub first_pages: Bounds,
}

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds {
            // Reading the words of fewer costs some 50 µs. From 2,048 on: 1.6 bytes a business less
            // of ten million, 12 of a hundred thousand, of whom keywords take 48 µs then, not 37.
            followers_min: 128,
            // Reading the lists of fewer words costs some 5 µs.
            prefix_words_min: 16,
            prefix_docs_min: 2048,
            // Looking whether so many stand in names costs some 5 µs.
            prefix_terms_min: 64,
            // Of ninety thousand real businesses, 15 % more bytes than from 4,096 on, and phrases
            // take 43 µs instead of 72. Ten million have more such keys than are dense.
            dense_docs_min: 1024,
            // 32 MiB of counts.
            dense_keys_max: 4096,
            // Gathering the ranks of fewer costs some 10 µs.
            positions_min: 1024,
            // Asking fewer whether they are of an industry costs some 20 µs.
            term_positions_min: 8192,
            // Reading the words of fewer costs some 0.3 ms. From 2,048 on, with the best: 24 to 31
            // bytes a business less, phrases take a tenth more, two keywords that as many hold both
            // some 300 µs instead of 30.
            phrase_docs_min: 512,
            // 22 bytes a document. Without, the words of ten thousand are read for the page on which
            // the phrases end, and the total of a longer phrase reads those of all who hold its
            // words.
            phrase_listed_share: 20,
            // Scoring and checking fewer costs some 0.3 ms.
            phrase_best_docs_min: 512,
            // Scoring them costs some 50 µs.
            phrase_scored_max: 2048,
            // A page and what follows it, with some on better levels. Finding fewer in an industry
            // costs some 0.1 ms.
            tier_best: Bounds { docs_min: 1, in_industry_docs_min: 50, max: 24 },
            // A page. Passing the lists of fewer costs some 10 µs; every second query in an
            // industry is of one word.
            first_pages: Bounds { docs_min: 64, in_industry_docs_min: 20, max: 20 },
        }
    }
}

impl Thresholds {
    /// Stores whatever can be stored.
    pub const EVERYTHING: Thresholds = Thresholds {
        followers_min: 1,
        prefix_words_min: 1,
        prefix_docs_min: 1,
        prefix_terms_min: 1,
        dense_docs_min: 1,
        dense_keys_max: 0xffff,
        positions_min: 1,
        term_positions_min: 1,
        phrase_docs_min: 1,
        phrase_listed_share: 2,
        phrase_best_docs_min: 1,
        phrase_scored_max: 0,
        tier_best: Bounds { docs_min: 1, in_industry_docs_min: 1, max: 5 },
        first_pages: Bounds { docs_min: 1, in_industry_docs_min: 1, max: 3 },
    };

    /// What is stored with terms.
    pub fn block_bounds(&self) -> BlockBounds {
        BlockBounds { followers_min: self.followers_min }
    }
}

/// Writes the sections of prefixes, pair counts, phrases, positions, first pages, names and facets;
/// `memory` is about what may be taken.
///
/// # Errors
/// The file, or a temporary one, cannot be written, or read back.
pub fn write(
    thresholds: &Thresholds,
    num_docs: u32,
    units: Vec<FinishedUnits>,
    scratch: &Scratch,
    pool: &ThreadPool,
    memory: usize,
    writer: &mut SnapshotWriter,
) -> Result<(), BuildError> {
    let written = writer.written()?;
    // What one step has looked at, the next has no use for, and keys and offsets grow with the
    // records. Where a page is touched, the system maps all around it.
    let release_all = || written.release();
    // Both have parts that are done by one thread, and take about as long.
    let (terms, filters) = pool.install(|| {
        rayon::join(
            || Terms::open(written.terms(), num_docs),
            || Filters::open_and_count(&written, num_docs),
        )
    });
    let (terms, Filters { industries, places, pairs }) = (terms?, filters?);
    release_all();
    prefixes::write(thresholds, &terms, num_docs, scratch, pool, writer)?;
    release_all();
    let postings = written.of(SectionKind::TermPostings);
    let keys = pool.install(|| dense_keys(thresholds, &terms, &industries, &places));
    release_all();
    let release = || postings.release(usize::MAX);
    let lists: Vec<Postings<'_>> = transpose::releasing(&keys, release)
        .map(|key| match key {
            DenseKey::Term(ord) => terms.lists(*ord).any(),
            DenseKey::Industry(ord) => industries.postings(*ord),
            DenseKey::Place(ord) => places.postings(*ord),
        })
        .collect();
    writer.section(
        SectionKind::DenseKeys,
        bytemuck::cast_slice(&frequent_keys::encode_keys(&keys)),
    )?;
    let counts = pool.install(|| pair_counts::pair_counts(&lists, num_docs, memory / 4, release));
    drop(lists);
    writer.section(SectionKind::PairCounts, bytemuck::cast_slice(&counts))?;
    let (industries, places) = (&industries, &places);
    let positions = positions::Source { num_docs, terms: &terms, industries, places, thresholds };
    let bounds = [thresholds.first_pages, thresholds.tier_best];
    let industry_docs_min = bounds.map(|bounds| bounds.in_industry_docs_min).into_iter().min();
    let industry_docs_min = industry_docs_min.unwrap_or_default();
    let scopes = Scopes::new(industries, positions.industry_of(), industry_docs_min);
    let words = ForwardIndex::open(written.forward_index(), num_docs)?;
    let source = phrases::Source {
        words: &words,
        terms: &terms,
        postings,
        release_all: &release_all,
        counts: &counts,
        scopes: &scopes,
        thresholds,
        scratch,
        memory,
    };
    let dense_terms: Vec<TermOrd> = keys
        .iter()
        .filter_map(|key| match key {
            DenseKey::Term(ord) => Some(*ord),
            _ => None,
        })
        .collect();
    let neighbours = Neighbours::new(&terms, &dense_terms);
    phrases::write(&source, &dense_terms, &neighbours, pool, writer)?;
    let phrases::Source { postings, .. } = source;
    release_all();
    writer.section(
        SectionKind::FilterPairs,
        &crate::snapshot::answers::filter_pairs::encode(&pairs),
    )?;
    let release = || postings.release(usize::MAX);
    let orders = [SectionKind::NameAscending, SectionKind::FoundedYearAscending];
    let orders = orders.map(|kind| written.of(kind));
    positions.write_by_name_and_year(orders.each_ref(), pool, writer)?;
    release_all();
    positions.write_by_industry(&dense_terms, release, pool, writer)?;
    release_all();
    let frequent = pool.install(|| first_pages::frequent(&terms, thresholds.first_pages.docs_min));
    let frequent = DenseTerms { terms: &terms, ords: &frequent, num_docs };
    let within = (&scopes, thresholds.first_pages);
    first_pages::write(frequent, &dense_terms, within, release, pool, writer)?;
    drop(scopes);
    release_all();
    let names = name_weights::Names { terms: &terms, words: &words };
    name_weights::write(names, release_all, pool, writer)?;
    name_words::write(&terms, scratch, writer)?;
    facets::write(units, places, num_docs, pool, writer)
}

/// Terms of many businesses.
#[derive(Clone, Copy)]
struct DenseTerms<'a> {
    terms: &'a Terms,
    ords: &'a [TermOrd],
    /// Number of businesses.
    num_docs: u32,
}

/// What businesses are filtered by.
struct Filters {
    industries: Dictionary,
    places: Dictionary,
    /// How many businesses have two of the same, see [`filter_pairs`].
    pairs: Vec<([u32; 2], u32)>,
}

impl Filters {
    fn open_and_count(written: &Sections, num_docs: u32) -> Result<Filters, SnapshotError> {
        let industries = Dictionary::open(written.industries(), num_docs)?;
        let places = Dictionary::open(written.places(), num_docs)?;
        let mut pairs = filter_pairs::filter_pairs(&industries, DenseKey::Industry, num_docs);
        pairs.extend(filter_pairs::filter_pairs(&places, DenseKey::Place, num_docs));
        Ok(Filters { industries, places, pairs })
    }
}

/// How many businesses hold a term, where all terms are looked at: their blocks are given back now
/// and then.
fn len_in_passing(terms: &Terms, ord: TermOrd) -> usize {
    if ord.0.is_multiple_of(1 << 16) {
        terms.release();
    }
    terms.lists(ord).any().len()
}

/// The keys of most businesses, sorted.
fn dense_keys(
    thresholds: &Thresholds,
    terms: &Terms,
    industries: &Dictionary,
    places: &Dictionary,
) -> Vec<DenseKey> {
    let ords = |len: usize| (0..len as u32).into_par_iter().map(TermOrd);
    let mut keys: Vec<(usize, DenseKey)> = ords(terms.len())
        .map(|ord| (len_in_passing(terms, ord), DenseKey::Term(ord)))
        .chain(
            ords(industries.len())
                .map(|ord| (industries.postings(ord).len(), DenseKey::Industry(ord))),
        )
        .chain(ords(places.len()).map(|ord| (places.postings(ord).len(), DenseKey::Place(ord))))
        .filter(|(len, _)| *len >= thresholds.dense_docs_min)
        .collect();
    keys.sort_unstable_by_key(|&(len, key)| (std::cmp::Reverse(len), key));
    keys.truncate(thresholds.dense_keys_max);
    let mut keys: Vec<DenseKey> = keys.into_iter().map(|(_, key)| key).collect();
    keys.sort_unstable();
    keys
}
