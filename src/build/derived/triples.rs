//! The businesses in which three terms are a phrase.
//!
//! The first two of them are a stored phrase, or the last two, or both: among its businesses that hold the third word, 65,536
//! at a time on every core, those are found that hold all three next to each other. What is found takes two bytes a
//! business until it is written.

use super::by_doc::{for_each_chunk, for_each_low, num_chunks};
use super::name_phrases::Source;
use crate::build::BuildError;
use crate::ids::DocId;
use crate::snapshot::dense::place;
use crate::snapshot::format::SectionKind;
use crate::snapshot::phrases::StoredPhrases;
use crate::snapshot::postings::{self, Postings};
use crate::snapshot::triples::entry;
use crate::snapshot::writer::SnapshotWriter;
use rayon::ThreadPool;
use std::sync::OnceLock;

/// Writes the lists of those of `triples`, which ascend, of which two terms are a phrase with a list. Calls `release`
/// after each chunk of businesses: what was looked at may be given back.
///
/// # Errors
/// The file cannot be written.
pub fn write(
    triples: &[[u16; 3]],
    source: &Source<'_>,
    phrases: &StoredPhrases,
    release: impl Fn() + Sync,
    pool: &ThreadPool,
    writer: &mut SnapshotWriter,
) -> Result<(), BuildError> {
    let stored = |&words| Stored::of(words, source, phrases);
    let stored: Vec<Stored<'_>> = triples.iter().filter_map(stored).collect();
    let found = pool.install(|| find(&stored, source, &release));
    let mut section = writer.begin(SectionKind::PhraseTriplePostings);
    let (mut entries, mut docs, mut list) = (Vec::new(), Vec::new(), Vec::new());
    for (at, triple) in stored.iter().enumerate() {
        docs.clear();
        for (key, found) in (0u32..).zip(&found) {
            docs.extend(found.of(at).iter().map(|&low| key << 16 | u32::from(low)));
        }
        if docs.is_empty() {
            continue;
        }
        entries.push(entry(triple.words.map(usize::from), section.len()));
        list.clear();
        postings::encode(&docs, &mut list);
        section.write(&list)?;
    }
    section.end(writer)?;
    Ok(writer.section(SectionKind::PhraseTriples, bytemuck::cast_slice(&entries))?)
}

/// A triple of which a list is stored.
struct Stored<'a> {
    words: [u16; 3],
    /// The list of two of its words that stand next to each other.
    pair: Postings<'a>,
    /// That of the other two, or of the other word.
    rest: Postings<'a>,
}

/// Those of one chunk.
#[derive(Default)]
struct Found {
    lows: Vec<u16>,
    /// Where those of each triple end.
    ends: Vec<usize>,
}

impl Found {
    fn of(&self, at: usize) -> &[u16] {
        &self.lows[at.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[at]]
    }
}

impl<'a> Stored<'a> {
    fn of(words: [u16; 3], source: &Source<'a>, phrases: &'a StoredPhrases) -> Option<Stored<'a>> {
        let [first, second, third] = words.map(usize::from);
        let dense = source.dense;
        let word = |number: usize| dense.terms.lists(dense.ords[number]).any();
        let list = |first: usize, second: usize| {
            if first == second {
                return None;
            }
            let both = source.pair_counts[place(first.min(second), first.max(second))];
            phrases.get(first, second, both.into())?.postings
        };
        let (pair, rest) = match (list(first, second), list(second, third)) {
            (Some(front), Some(back)) => (front, back),
            (Some(front), None) => (front, word(third)),
            (None, Some(back)) => (back, word(first)),
            (None, None) => return None,
        };
        Some(Stored { words, pair, rest })
    }
}

/// The businesses of each triple, by chunk.
fn find(triples: &[Stored<'_>], source: &Source<'_>, release: impl Fn() + Sync) -> Vec<Found> {
    let num_docs = source.words.num_docs();
    let found: Vec<OnceLock<Found>> = (0..num_chunks(num_docs)).map(|_| OnceLock::new()).collect();
    for_each_chunk(
        num_docs,
        || (),
        |(), key| {
            let mut here = Found::default();
            for Stored { words, pair, rest } in triples {
                for_each_low(pair, key, |_, low| {
                    let doc = key << 16 | u32::from(low);
                    if rest.contains(DocId(doc))
                        && source.neighbours.hold(&source.words.tokens(DocId(doc)), *words)
                    {
                        here.lows.push(low);
                    }
                });
                here.ends.push(here.lows.len());
            }
            let is_first = found[key as usize].set(here).is_ok();
            assert!(is_first, "chunk {key} was there before");
            release();
        },
        |()| {},
    );
    found.into_iter().map(|here| here.into_inner().expect("all chunks are taken")).collect()
}
