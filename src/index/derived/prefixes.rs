//! The unions of what short, frequent beginnings of words reach.

use super::Thresholds;
use super::ascending::Ascending;
use crate::ids::TermOrd;
use crate::index::BuildError;
use crate::index::buffer_pool::{Lent, Reuse, Spares};
use crate::index::fst_writer::KeysWriter;
use crate::index::pipeline::in_order;
use crate::index::scratch::Scratch;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::writer::SnapshotWriter;
use crate::snapshot::terms::Terms;
use crate::snapshot::terms::block::TermLists;
use crate::snapshot::terms::prefixes;
use crate::snapshot::terms::prefixes::PREFIX_CHARS_MIN;
use fst::Streamer;
use rayon::ThreadPool;

/// A prefix and what it reaches; no bytes if that is what the next longer one reaches, whose block
/// follows.
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
    num_docs: u32,
    scratch: &Scratch,
    pool: &ThreadPool,
    writer: &mut SnapshotWriter,
) -> Result<(), BuildError> {
    let mut section = writer.begin(SectionKind::PrefixPostings);
    let (mut keys, mut offsets) = (KeysWriter::new(scratch)?, Vec::new());
    let mut families = Families { stream: terms.keys().stream(), next: None };
    let mut num_batches = 0;
    let workspaces = Spares::<Workspace>::default();
    in_order(
        pool,
        pool.current_num_threads() + WAITING,
        std::iter::from_fn(|| Some(families.batch()).filter(|batch| !batch.is_empty())).map(Ok),
        |batch: Vec<Family>| {
            let mut prefixes = Prefixes {
                thresholds,
                num_docs: num_docs as usize,
                workspace: workspaces.lend(),
                blocks: Vec::new(),
            };
            for family in batch {
                let members: Vec<Member<'_>> =
                    family.iter().map(|(term, ord)| Member::new(term, terms.lists(*ord))).collect();
                prefixes.add(&members, PREFIX_CHARS_MIN);
            }
            prefixes.blocks
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
    section.end_with_table(bytemuck::cast_slice(&offsets), writer)?;
    keys.finish()?.write_section::<BuildError>(SectionKind::PrefixKeys, writer)
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
    /// Occurrences in hosts and aliases.
    beside: usize,
}

impl<'a> Member<'a> {
    fn new(term: &'a str, lists: TermLists<'a>) -> Member<'a> {
        let in_names = lists.in_name().map(|postings| postings.len()).sum();
        let beside = lists.host().into_iter().chain(lists.in_alias());
        let beside = beside.map(|postings| postings.len()).sum();
        Member { term, lists, in_names, beside }
    }

    fn occurrences(&self) -> usize {
        self.in_names + self.beside
    }
}

/// The first `count` characters; none if there are fewer.
fn first_chars(text: &str, count: usize) -> Option<&str> {
    let last = text.char_indices().nth(count - 1)?;
    Some(&text[..last.0 + last.1.len_utf8()])
}

/// The prefixes of one batch of families.
struct Prefixes<'a> {
    thresholds: &'a Thresholds,
    num_docs: usize,
    workspace: Lent<Workspace>,
    blocks: Vec<Block>,
}

impl Prefixes<'_> {
    /// Adds the blocks of the prefix of `chars` characters that all of `family` share, and of
    /// longer ones.
    fn add(&mut self, family: &[Member<'_>], chars: usize) {
        let Some(prefix) = family.first().and_then(|member| first_chars(member.term, chars)) else {
            return;
        };
        let (own, longer) = match family.split_first() {
            Some((member, longer)) if member.term == prefix => (Some(member), longer),
            _ => (None, family),
        };
        let words = longer.iter().filter(|member| member.occurrences() > 0).count();
        let occurrences: usize = longer.iter().map(Member::occurrences).sum();
        if longer.len() < self.thresholds.prefix_terms_min
            && words < self.thresholds.prefix_words_min
            && occurrences < self.thresholds.prefix_docs_min
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
        let bytes =
            if is_shared { Vec::new() } else { self.workspace.encode(own, longer, self.num_docs) };
        self.blocks.push(Block { prefix: prefix.to_owned(), bytes });
        for group in longer.chunk_by(|a, b| next_char(a) == next_char(b)) {
            self.add(group, chars + 1);
        }
    }
}

/// What prefixes are encoded in, one after the other.
#[derive(Default)]
struct Workspace {
    names: Vec<u32>,
    beyond: Vec<u32>,
    aliases: Vec<u32>,
    excluded: Vec<u32>,
    ascending: Ascending,
}

impl Reuse for Workspace {
    fn clear(&mut self) {
        self.names.clear();
        self.beyond.clear();
        self.aliases.clear();
        self.excluded.clear();
    }
}

impl Workspace {
    /// The block of what `longer` words reach, less what the word that the prefix itself is does.
    fn encode(
        &mut self,
        own: Option<&Member<'_>>,
        longer: &[Member<'_>],
        num_docs: usize,
    ) -> Vec<u8> {
        self.clear();
        let Workspace { names, beyond, aliases, excluded, ascending } = self;
        for Member { lists, .. } in longer {
            lists.in_name().for_each(|postings| postings.push_to(names));
            lists.host().iter().for_each(|postings| postings.push_to(beyond));
            lists.in_alias().for_each(|postings| postings.push_to(aliases));
        }
        ascending.sort(names, num_docs);
        beyond.extend_from_slice(names);
        ascending.sort(beyond, num_docs);
        if !aliases.is_empty() {
            ascending.sort(aliases, num_docs);
            remove(aliases, beyond);
            beyond.extend_from_slice(aliases);
            ascending.sort(beyond, num_docs);
        }
        if let Some(own) = own {
            own.lists.any().push_to(excluded);
            remove(beyond, excluded);
            remove(aliases, excluded);
            excluded.clear();
            own.lists.in_name().for_each(|postings| postings.push_to(excluded));
            ascending.sort(excluded, num_docs);
            remove(names, excluded);
        }
        let mut block = Vec::new();
        prefixes::encode_block(beyond, names, aliases, &mut block);
        block
    }
}

/// Takes the sorted `excluded` out of the sorted `docs`.
pub fn remove(docs: &mut Vec<u32>, excluded: &[u32]) {
    let mut excluded = excluded.iter().peekable();
    docs.retain(|doc| {
        while excluded.next_if(|&other| other < doc).is_some() {}
        excluded.peek() != Some(&doc)
    });
}
