//! The unions of what short, frequent beginnings of words reach.

use super::Thresholds;
use crate::build::BuildError;
use crate::build::keys::KeysWriter;
use crate::build::scratch::Scratch;
use crate::ids::TermOrd;
use crate::snapshot::format::SectionKind;
use crate::snapshot::postings::Postings;
use crate::snapshot::prefixes;
use crate::snapshot::terms::{TermLists, Terms};
use crate::snapshot::writer::SnapshotWriter;
use fst::Streamer;
use rayon::ThreadPool;
use rayon::prelude::*;

/// Fewest characters of a prefix, as in a query.
const PREFIX_CHARS_MIN: usize = 3;

/// A prefix and what it reaches; no bytes if that is what the next longer one reaches, whose block follows.
struct Block {
    prefix: String,
    bytes: Vec<u8>,
}

/// Terms that share their first characters, sorted.
type Family = Vec<(String, TermOrd)>;

/// Terms whose families are looked at together: some ten megabytes.
const BATCH_TERMS: usize = 1 << 17;

/// Writes the sections of prefixes.
///
/// # Errors
/// A file cannot be written.
pub fn write(
    thresholds: &Thresholds,
    terms: &Terms,
    scratch: &Scratch,
    pool: &ThreadPool,
    writer: &mut SnapshotWriter,
) -> Result<(), BuildError> {
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
        let blocks: Vec<Vec<Block>> = pool.install(|| batch.par_iter().map(of_family).collect());
        for Block { prefix, bytes } in blocks.into_iter().flatten() {
            prefixes.push(prefix);
            offsets.push(section.len());
            section.write(&bytes)?;
        }
        terms.release();
    }
    section.end(writer)?;
    let mut keys = KeysWriter::new(scratch)?;
    prefixes.iter().try_for_each(|prefix| keys.push(prefix.as_bytes()))?;
    keys.finish()?.write_section::<BuildError>(SectionKind::PrefixKeys, writer)?;
    Ok(writer.section(SectionKind::PrefixOffsets, bytemuck::cast_slice(&offsets))?)
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
    out: &mut Vec<Block>,
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
        .filter(|lists| lists.in_name().next().is_some() || lists.host.is_some())
        .collect();
    let len = |lists: &TermLists<'_>| {
        lists.in_name().chain(lists.host).map(|postings| postings.len()).sum::<usize>()
    };
    let occurrences: usize = lists.iter().map(len).sum();
    if longer.len() < thresholds.prefix_terms_min
        && lists.len() < thresholds.prefix_words_min
        && occurrences < thresholds.prefix_docs_min
    {
        return;
    }
    let next_char = |term: &str| term[prefix.len()..].chars().next();
    let is_next = |term: &str| {
        // Is the term the prefix of one character more?
        term[prefix.len()..].chars().count() == 1
    };
    let has_one_child = longer.first().zip(longer.last()).is_some_and(|(first, last)| {
        next_char(&first.0) == next_char(&last.0) && !is_next(&first.0)
    });
    if longer.is_empty() {
        return;
    }
    let is_shared = own.is_none() && has_one_child;
    let bytes = if is_shared { Vec::new() } else { encode_prefix(terms, own, &lists) };
    out.push(Block { prefix: prefix.to_owned(), bytes });
    for group in longer.chunk_by(|a, b| next_char(&a.0) == next_char(&b.0)) {
        add_prefixes(thresholds, terms, group, chars + 1, out);
    }
}

fn encode_prefix(terms: &Terms, own: Option<TermOrd>, longer: &[TermLists<'_>]) -> Vec<u8> {
    let own = own.map(|ord| terms.lists(ord)).unwrap_or_default();
    let (mut names, mut beyond) = (Vec::new(), Vec::new());
    for lists in longer {
        lists.in_name().for_each(|postings| postings.push_to(&mut names));
        lists.host.iter().for_each(|postings| postings.push_to(&mut beyond));
    }
    sort(&mut names);
    beyond.extend_from_slice(&names);
    sort(&mut beyond);
    beyond = without(&beyond, own.any.into_iter());
    names = without(&names, own.in_name());
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
