//! What many names hold side by side: three dense terms.
//!
//! All names are read once. Takes some forty bytes for every three dense terms that stand next to each other in a name,
//! of which businesses hold two and two often enough to be worth it.

use super::by_doc::{docs_in, for_each_chunk};
use super::neighbours::Neighbours;
use super::{DenseTerms, Thresholds, triples};
use crate::build::BuildError;
use crate::ids::DocId;
use crate::snapshot::dense::place;
use crate::snapshot::doc_tokens::{Token, Tokens};
use crate::snapshot::format::SectionKind;
use crate::snapshot::forward_index::ForwardIndex;
use crate::snapshot::phrases::StoredPhrases;
use crate::snapshot::writer::SnapshotWriter;
use rayon::ThreadPool;
use rustc_hash::FxHashMap;
use std::sync::Mutex;

/// What they are found from.
pub struct Source<'a> {
    /// The words of all businesses.
    pub words: &'a ForwardIndex,
    /// The dense terms, by number.
    pub dense: DenseTerms<'a>,
    /// Where they stand.
    pub neighbours: &'a Neighbours,
    /// How many businesses hold two of them.
    pub pair_counts: &'a [u32],
    /// What is stored.
    pub thresholds: &'a Thresholds,
    /// Gives back what was looked at so far of what is read.
    pub release_all: &'a (dyn Fn() + Sync),
}

/// Writes the sections of triples; those of phrases have been written.
///
/// # Errors
/// The file cannot be written, or read back.
pub fn write(
    source: &Source<'_>,
    pool: &ThreadPool,
    writer: &mut SnapshotWriter,
) -> Result<(), BuildError> {
    let triples = pool.install(|| source.find());
    let written = writer.written()?;
    let phrases =
        pool.install(|| StoredPhrases::open(written.phrases(), source.words.num_docs()))?;
    let release = || {
        (source.release_all)();
        written.of(SectionKind::PhrasePostings).release(usize::MAX);
    };
    triples::write(&triples, source, &phrases, release, pool, writer)
}

impl Source<'_> {
    /// Three terms next to each other that enough names hold so, ascending.
    fn find(&self) -> Vec<[u16; 3]> {
        let Thresholds { phrase_docs_min, triple_names_min, .. } = *self.thresholds;
        // Most neighbours are words that few businesses hold both.
        let are_many = |a: u16, b: u16| {
            let (low, high) = (usize::from(a.min(b)), usize::from(a.max(b)));
            a == b || self.pair_counts[place(low, high)] >= phrase_docs_min
        };
        let num_docs = self.words.num_docs();
        let all = Mutex::new(Counts::default());
        for_each_chunk(
            num_docs,
            || (Counts::default(), Vec::new()),
            |(counts, words), key| {
                for doc in docs_in(key, num_docs) {
                    counts.add(
                        self.words.name_tokens(DocId(doc)).1,
                        self.neighbours,
                        are_many,
                        words,
                    );
                }
                (self.release_all)();
            },
            |(counts, _)| {
                // No thread panics with it.
                all.lock().expect("not poisoned").absorb(counts);
            },
        );
        let counts = all.into_inner().expect("not poisoned").triples.into_iter();
        let frequent = counts.filter(|&(_, count)| count >= triple_names_min);
        let mut frequent: Vec<[u16; 3]> = frequent.map(|(triple, _)| triple).collect();
        frequent.sort_unstable();
        frequent
    }
}

/// How often names hold each.
#[derive(Default)]
struct Counts {
    triples: FxHashMap<[u16; 3], u32>,
}

impl Counts {
    /// Those in one name; `are_many` tells whether two terms may be neighbours in one of the triples, `words` is working
    /// space.
    fn add(
        &mut self,
        name: Tokens<'_>,
        neighbours: &Neighbours,
        are_many: impl Fn(u16, u16) -> bool,
        words: &mut Vec<Option<u16>>,
    ) {
        words.clear();
        for token in name {
            match token {
                Token::Word(code) => {
                    words.push(neighbours.in_name(code));
                    if let [.., Some(a), Some(b), Some(c)] = words[..]
                        && are_many(a, b)
                        && are_many(b, c)
                    {
                        *self.triples.entry([a, b, c]).or_default() += 1;
                    }
                }
                Token::Gap => words.push(None),
                Token::Joined { .. } | Token::Alternative(_) => {}
            }
        }
    }

    fn absorb(&mut self, others: Counts) {
        let counts = others.triples.into_iter();
        counts.for_each(|(triple, count)| *self.triples.entry(triple).or_default() += count);
    }
}
