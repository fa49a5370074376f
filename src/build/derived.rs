//! What is computed from the postings once they are written: stored prefixes and pair counts.
//!
//! Both are read from the sections before them, so they cost no memory of their own but one matrix of counts per
//! thread.

use crate::ids::TermOrd;
use crate::snapshot::SnapshotError;
use crate::snapshot::dense::{self, DenseKey};
use crate::snapshot::dictionary::{self, Dictionary, KeysWriter};
use crate::snapshot::format::SectionKind;
use crate::snapshot::mapped::Section;
use crate::snapshot::postings::{Container, Postings};
use crate::snapshot::prefixes;
use crate::snapshot::terms::{TermLists, Terms};
use crate::snapshot::writer::SnapshotWriter;
use fst::Streamer;
use rayon::ThreadPool;
use rayon::prelude::*;

/// From which size on something is stored that could be computed by a query. Tests store everything, so that small
/// collections take every shortcut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thresholds {
    /// Fewest businesses of a term with levels.
    pub levels_min: usize,
    /// Fewest longer words of a prefix that is stored.
    pub prefix_words_min: usize,
    /// Fewest occurrences of longer words of a prefix that is stored, however few words they are.
    pub prefix_docs_min: usize,
    /// Fewest businesses of a dense key.
    pub dense_docs_min: usize,
    /// Most dense keys.
    pub dense_keys_max: usize,
}

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds {
            // Fewer are scored all in some 25 µs.
            levels_min: 8192,
            // Reading the lists of fewer words costs some 5 µs.
            prefix_words_min: 16,
            prefix_docs_min: 2048,
            // Enumerating fewer costs some 10 µs.
            dense_docs_min: 4096,
            // 32 MiB of counts.
            dense_keys_max: 4096,
        }
    }
}

impl Thresholds {
    /// Stores whatever can be stored.
    pub const EVERYTHING: Thresholds = Thresholds {
        levels_min: 1,
        prefix_words_min: 1,
        prefix_docs_min: 1,
        dense_docs_min: 1,
        dense_keys_max: usize::MAX,
    };
}

/// Fewest characters of a prefix, as in a query.
const PREFIX_CHARS_MIN: usize = 3;

/// Writes the sections of prefixes and pair counts.
///
/// # Errors
/// The file cannot be written, or read back.
pub fn write(
    thresholds: &Thresholds,
    num_docs: u32,
    pool: &ThreadPool,
    writer: &mut SnapshotWriter,
) -> Result<(), SnapshotError> {
    let before =
        SectionKind::ALL.into_iter().take_while(|kind| *kind != SectionKind::PrefixPostings);
    let written: Vec<Section> =
        before.map(|kind| writer.written(kind)).collect::<Result<_, _>>()?;
    let section = |kind: SectionKind| written[kind.index()].clone();
    let terms = Terms::open(&section, num_docs)?;
    write_prefixes(thresholds, &terms, pool, writer)?;
    let industries = Dictionary::open(dictionary::INDUSTRIES, &section, num_docs)?;
    let places = Dictionary::open(dictionary::PLACES, &section, num_docs)?;
    let keys = dense_keys(thresholds, &terms, &industries, &places);
    let lists: Vec<Postings<'_>> = keys
        .iter()
        .filter_map(|key| match key {
            DenseKey::Term(ord) => terms.lists(*ord).any,
            DenseKey::Industry(ord) => Some(industries.postings(*ord)),
            DenseKey::Place(ord) => Some(places.postings(*ord)),
        })
        .collect();
    writer.section(SectionKind::DenseKeys, &dense::encode_keys(&keys))?;
    let counts = pool.install(|| pair_counts(&lists, num_docs));
    writer.section(SectionKind::PairCounts, bytemuck::cast_slice(&counts))
}

/// The keys of most businesses, sorted.
fn dense_keys(
    thresholds: &Thresholds,
    terms: &Terms,
    industries: &Dictionary,
    places: &Dictionary,
) -> Vec<DenseKey> {
    let term_len = |ord| terms.lists(ord).any.map_or(0, |any| any.len());
    let ords = |len: usize| (0..len as u32).map(TermOrd);
    let mut keys: Vec<(usize, DenseKey)> = ords(terms.len())
        .map(|ord| (term_len(ord), DenseKey::Term(ord)))
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

/// How many businesses each pair of lists shares, at [`dense::place`].
fn pair_counts(lists: &[Postings<'_>], num_docs: u32) -> Vec<u32> {
    // Counting goes by frequency, so that the counts that change most lie close together.
    let mut by_len: Vec<usize> = (0..lists.len()).collect();
    by_len.sort_by_key(|&at| std::cmp::Reverse(lists[at].len()));
    let len = lists.len() * lists.len().saturating_sub(1) / 2;
    let keys: Vec<u32> = (0..=num_docs.saturating_sub(1) >> 16).collect();
    let share = keys.len().div_ceil(rayon::current_num_threads()).max(1);
    let counted: Vec<Vec<u32>> = keys
        .par_chunks(share)
        .map(|keys| {
            let mut counts = vec![0u32; len];
            let mut held: Vec<Vec<u16>> = vec![Vec::new(); 1 << 16];
            for &key in keys {
                held.iter_mut().for_each(Vec::clear);
                for (number, &at) in by_len.iter().enumerate() {
                    for_each_low(&lists[at], key, |low| held[usize::from(low)].push(number as u16));
                }
                for numbers in &held {
                    for (behind, &high) in numbers.iter().enumerate() {
                        for &low in &numbers[..behind] {
                            counts[dense::place(usize::from(low), usize::from(high))] += 1;
                        }
                    }
                }
            }
            counts
        })
        .collect();
    let mut sums = vec![0u32; len];
    for high in 1..lists.len() {
        for low in 0..high {
            let (a, b) = (by_len[low], by_len[high]);
            let count = counted.iter().map(|counts| counts[dense::place(low, high)]).sum();
            sums[dense::place(a.min(b), a.max(b))] = count;
        }
    }
    sums
}

fn for_each_low(postings: &Postings<'_>, key: u32, mut visit: impl FnMut(u16)) {
    match postings {
        Postings::Small(docs) => {
            docs.iter().filter(|&&doc| doc >> 16 == key).for_each(|&doc| visit(doc as u16));
        }
        Postings::Chunked(chunked) => {
            let Some(at) = chunked.find(key as u16) else { return };
            match chunked.chunk(at).container {
                Container::Array(lows) => lows.iter().for_each(|&low| visit(low)),
                Container::Bitmap(words, _) => {
                    for (at, &word) in words.iter().enumerate() {
                        let mut rest = word;
                        while rest != 0 {
                            visit((at * 64) as u16 + rest.trailing_zeros() as u16);
                            rest &= rest - 1;
                        }
                    }
                }
            }
        }
    }
}

/// Terms that share their first characters, sorted.
type Family = Vec<(String, TermOrd)>;

/// Terms whose families are looked at together: some ten megabytes.
const BATCH_TERMS: usize = 1 << 17;

fn write_prefixes(
    thresholds: &Thresholds,
    terms: &Terms,
    pool: &ThreadPool,
    writer: &mut SnapshotWriter,
) -> Result<(), SnapshotError> {
    let of_family = |family: &Family| {
        let mut blocks = Vec::new();
        add_prefixes(thresholds, terms, family, PREFIX_CHARS_MIN, &mut blocks);
        blocks
    };
    let mut section = writer.begin(SectionKind::PrefixPostings);
    let (mut prefixes, mut offsets) = (Vec::new(), Vec::new());
    let mut families = Families { stream: terms.keys().stream(), next: None };
    loop {
        let batch = families.batch();
        if batch.is_empty() {
            break;
        }
        let blocks: Vec<Vec<(String, Vec<u8>)>> =
            pool.install(|| batch.par_iter().map(of_family).collect());
        for (prefix, block) in blocks.into_iter().flatten() {
            prefixes.push(prefix);
            offsets.push(section.len());
            section.write(&block)?;
        }
    }
    section.end(writer)?;
    let mut keys = KeysWriter::begin(SectionKind::PrefixKeys, writer)?;
    prefixes.iter().try_for_each(|prefix| keys.push(prefix.as_bytes()))?;
    keys.end(writer)?;
    writer.section(SectionKind::PrefixOffsets, bytemuck::cast_slice(&offsets))
}

/// All terms of three characters and more, grouped by the first three.
struct Families<'a> {
    stream: fst::map::Stream<'a>,
    next: Option<(String, TermOrd)>,
}

impl Families<'_> {
    /// The next families.
    fn batch(&mut self) -> Vec<Family> {
        let mut families: Vec<Family> = Vec::new();
        let mut num_terms = 0;
        while let Some((term, ord)) = self.next.take().or_else(|| self.next_term()) {
            let start = first_chars(&term, PREFIX_CHARS_MIN);
            match families.last_mut() {
                Some(family) if first_chars(&family[0].0, PREFIX_CHARS_MIN) == start => {
                    family.push((term, ord));
                }
                _ if num_terms >= BATCH_TERMS => {
                    self.next = Some((term, ord));
                    break;
                }
                _ => families.push(vec![(term, ord)]),
            }
            num_terms += 1;
        }
        families
    }

    fn next_term(&mut self) -> Option<(String, TermOrd)> {
        loop {
            let (key, ord) = self.stream.next()?;
            let term = std::str::from_utf8(key).unwrap_or_default();
            if first_chars(term, PREFIX_CHARS_MIN).is_some() {
                return Some((term.to_owned(), TermOrd(ord as u32)));
            }
        }
    }
}

/// The first `count` characters; none if there are fewer.
fn first_chars(text: &str, count: usize) -> Option<&str> {
    let last = text.char_indices().nth(count - 1)?;
    Some(&text[..last.0 + last.1.len_utf8()])
}

/// Adds the blocks of the prefix of `chars` characters that all of `family` share, and of longer ones.
fn add_prefixes(
    thresholds: &Thresholds,
    terms: &Terms,
    family: &[(String, TermOrd)],
    chars: usize,
    out: &mut Vec<(String, Vec<u8>)>,
) {
    let Some(prefix) = family.first().and_then(|(term, _)| first_chars(term, chars)) else {
        return;
    };
    let (own, longer) = match family.split_first() {
        Some(((term, ord), longer)) if term == prefix => (Some(*ord), longer),
        _ => (None, family),
    };
    let lists: Vec<TermLists<'_>> = longer
        .iter()
        .map(|(_, ord)| terms.lists(*ord))
        .filter(|lists| in_name(lists).next().is_some() || lists.host.is_some())
        .collect();
    let len = |lists: &TermLists<'_>| {
        in_name(lists).chain(lists.host).map(|postings| postings.len()).sum::<usize>()
    };
    let occurrences: usize = lists.iter().map(len).sum();
    if lists.len() < thresholds.prefix_words_min && occurrences < thresholds.prefix_docs_min {
        return;
    }
    if !lists.is_empty() {
        out.push((prefix.to_owned(), encode_prefix(terms, own, &lists)));
    }
    let next_char = |term: &str| term[prefix.len()..].chars().next();
    for group in longer.chunk_by(|a, b| next_char(&a.0) == next_char(&b.0)) {
        add_prefixes(thresholds, terms, group, chars + 1, out);
    }
}

fn encode_prefix(terms: &Terms, own: Option<TermOrd>, longer: &[TermLists<'_>]) -> Vec<u8> {
    let own = own.map(|ord| terms.lists(ord)).unwrap_or_default();
    let (mut names, mut beyond) = (Vec::new(), Vec::new());
    for lists in longer {
        in_name(lists).for_each(|postings| postings.push_to(&mut names));
        lists.host.iter().for_each(|postings| postings.push_to(&mut beyond));
    }
    sort(&mut names);
    beyond.extend_from_slice(&names);
    sort(&mut beyond);
    beyond = without(&beyond, own.any.into_iter());
    names = without(&names, in_name(&own));
    let mut block = Vec::new();
    prefixes::encode_block(&beyond, &names, &mut block);
    block
}

fn sort(docs: &mut Vec<u32>) {
    docs.sort_unstable();
    docs.dedup();
}

/// Those of the sorted `docs` that are on none of the lists.
fn without<'a>(docs: &[u32], lists: impl Iterator<Item = Postings<'a>>) -> Vec<u32> {
    let mut excluded = Vec::new();
    lists.for_each(|postings| postings.push_to(&mut excluded));
    sort(&mut excluded);
    let mut excluded = excluded.into_iter().peekable();
    let is_kept = |&doc: &u32| {
        while excluded.next_if(|&other| other < doc).is_some() {}
        excluded.peek() != Some(&doc)
    };
    docs.iter().copied().filter(is_kept).collect()
}

fn in_name<'a>(lists: &TermLists<'a>) -> impl Iterator<Item = Postings<'a>> {
    [lists.name_is, lists.name_starts, lists.name_has].into_iter().flatten()
}
