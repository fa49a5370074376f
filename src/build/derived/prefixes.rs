//! The unions of what short, frequent beginnings of words reach.

use super::Thresholds;
use crate::build::BuildError;
use crate::build::keys::KeysWriter;
use crate::build::pipeline::in_order;
use crate::build::scratch::Scratch;
use crate::ids::TermOrd;
use crate::snapshot::format::SectionKind;
use crate::snapshot::postings::Postings;
use crate::snapshot::prefixes;
use crate::snapshot::terms::{TermLists, Terms};
use crate::snapshot::writer::SnapshotWriter;
use fst::Streamer;
use rayon::ThreadPool;

/// Fewest characters of a prefix, as in a query.
const PREFIX_CHARS_MIN: usize = 3;

/// A prefix and what it reaches; no bytes if that is what the next longer one reaches, whose block follows.
struct Block {
    prefix: String,
    bytes: Vec<u8>,
}

/// Terms that share their first characters, sorted.
type Family = Vec<(String, TermOrd)>;

/// Terms whose families are looked at together: a family may be many more.
const BATCH_TERMS: usize = 1 << 12;

/// Batches that may wait to be written: some families take as long as a hundred others.
const WAITING: usize = 30;

/// Batches between two releases of what was looked at.
const RELEASE_BATCHES: usize = 32;

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
    let mut section = writer.begin(SectionKind::PrefixPostings);
    let (mut keys, mut offsets) = (KeysWriter::new(scratch)?, Vec::new());
    let mut families = Families { stream: terms.keys().stream(), next: None };
    let mut num_batches = 0;
    in_order(
        pool,
        pool.current_num_threads() + WAITING,
        std::iter::from_fn(|| Some(families.batch()).filter(|batch| !batch.is_empty())).map(Ok),
        |batch: Vec<Family>| {
            let mut blocks = Vec::new();
            for family in batch {
                let members: Vec<Member<'_>> =
                    family.iter().map(|(term, ord)| Member::new(term, terms.lists(*ord))).collect();
                add_prefixes(thresholds, &members, PREFIX_CHARS_MIN, &mut blocks);
            }
            blocks
        },
        |blocks: Vec<Block>| {
            for Block { prefix, bytes } in blocks {
                keys.push(prefix.as_bytes())?;
                offsets.push(section.len());
                section.write(&bytes)?;
            }
            num_batches += 1;
            if num_batches % RELEASE_BATCHES == 0 {
                terms.release();
            }
            Ok::<(), BuildError>(())
        },
    )?;
    terms.release();
    section.end(writer)?;
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

/// A term of a family.
struct Member<'a> {
    term: &'a str,
    lists: TermLists<'a>,
    /// Occurrences in names.
    in_names: usize,
    /// Occurrences in hosts.
    on_hosts: usize,
}

impl<'a> Member<'a> {
    fn new(term: &'a str, lists: TermLists<'a>) -> Member<'a> {
        let in_names = lists.in_name().map(|postings| postings.len()).sum();
        let on_hosts = lists.host.map_or(0, |postings| postings.len());
        Member { term, lists, in_names, on_hosts }
    }

    fn occurrences(&self) -> usize {
        self.in_names + self.on_hosts
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
    family: &[Member<'_>],
    chars: usize,
    out: &mut Vec<Block>,
) {
    let Some(prefix) = family.first().and_then(|member| first_chars(member.term, chars)) else {
        return;
    };
    let (own, longer) = match family.split_first() {
        Some((member, longer)) if member.term == prefix => (Some(member), longer),
        _ => (None, family),
    };
    let words = longer.iter().filter(|member| member.occurrences() > 0).count();
    let occurrences: usize = longer.iter().map(Member::occurrences).sum();
    if longer.len() < thresholds.prefix_terms_min
        && words < thresholds.prefix_words_min
        && occurrences < thresholds.prefix_docs_min
    {
        return;
    }
    let next_char = |member: &Member<'_>| member.term[prefix.len()..].chars().next();
    let is_next = |member: &Member<'_>| {
        // Is the term the prefix of one character more?
        member.term[prefix.len()..].chars().count() == 1
    };
    let (Some(first), Some(last)) = (longer.first(), longer.last()) else { return };
    let has_one_child = next_char(first) == next_char(last) && !is_next(first);
    let is_shared = own.is_none() && has_one_child;
    let bytes = if is_shared { Vec::new() } else { encode_prefix(own, longer) };
    out.push(Block { prefix: prefix.to_owned(), bytes });
    for group in longer.chunk_by(|a, b| next_char(a) == next_char(b)) {
        add_prefixes(thresholds, group, chars + 1, out);
    }
}

fn encode_prefix(own: Option<&Member<'_>>, longer: &[Member<'_>]) -> Vec<u8> {
    let in_names: usize = longer.iter().map(|member| member.in_names).sum();
    let on_hosts: usize = longer.iter().map(|member| member.on_hosts).sum();
    let (mut names, mut beyond) =
        (Vec::with_capacity(in_names), Vec::with_capacity(in_names + on_hosts));
    for Member { lists, .. } in longer {
        lists.in_name().for_each(|postings| postings.push_to(&mut names));
        lists.host.iter().for_each(|postings| postings.push_to(&mut beyond));
    }
    sort(&mut names);
    beyond.extend_from_slice(&names);
    sort(&mut beyond);
    beyond = without(&beyond, own.and_then(|own| own.lists.any).into_iter());
    names = without(&names, own.into_iter().flat_map(|own| own.lists.in_name()));
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
