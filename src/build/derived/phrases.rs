//! How many businesses hold two frequent words next to each other, and which, where they are few.
//!
//! The words of all businesses are read once, 65,536 at a time on every core; what is found is kept in two bytes for
//! each business and pair until all are through.

use super::Thresholds;
use crate::analyzer::{TextField, plural};
use crate::ids::{DocId, TermOrd};
use crate::snapshot::SnapshotError;
use crate::snapshot::dense;
use crate::snapshot::doc_tokens::{DocTokens, Token};
use crate::snapshot::format::SectionKind;
use crate::snapshot::impacts::ImpactCursor;
use crate::snapshot::mapped::Section;
use crate::snapshot::offsets::Offsets;
use crate::snapshot::phrases::{encode_pairs, encode_places, pair};
use crate::snapshot::postings;
use crate::snapshot::terms::Terms;
use crate::snapshot::writer::SnapshotWriter;
use rayon::ThreadPool;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// A phrase that fewer of its candidates hold has a list: a page of others is full after some thousand candidates.
const RARE_SHARE: u64 = 96;

/// A phrase that more of its candidates hold has a list: the words belong together (`A/S`, `Co., Ltd`, `real estate`),
/// so that it is asked for, and it takes less than the lists of its words. In between are words that are neighbours by
/// chance: nearly all phrases, and nine tenths of all bytes.
const FREQUENT_SHARE: u64 = 32;

/// What phrases are found from.
pub struct Source<'a> {
    /// Number of businesses.
    pub num_docs: u32,
    /// The terms.
    pub terms: &'a Terms,
    /// Section `DocTokenOffsets`.
    pub offsets: Offsets,
    /// Section `DocTokens`.
    pub tokens: Section,
    /// Section `PairCounts`.
    pub counts: &'a [u32],
    /// What is stored.
    pub thresholds: &'a Thresholds,
}

/// The dense terms that a word of a business can be found by, by the word's code.
struct DenseWords {
    /// In name and host: as it is.
    exact: FxHashMap<u32, Vec<u16>>,
    /// In industry and description: in singular or plural.
    prose: FxHashMap<u32, Vec<u16>>,
}

impl DenseWords {
    fn new(terms: &Terms, dense: &[TermOrd], words: &[String]) -> DenseWords {
        let mut all = DenseWords { exact: FxHashMap::default(), prose: FxHashMap::default() };
        for (number, (&ord, word)) in (0..).zip(dense.iter().zip(words)) {
            all.exact.entry(terms.code(ord)).or_default().push(number);
            let mut ords: Vec<TermOrd> = plural::forms(word)
                .flat_map(|form| plural::candidates(&form).collect::<Vec<_>>())
                .filter(|other| plural::matches(word, other))
                .filter_map(|other| terms.ord(&other))
                .collect();
            ords.sort_unstable();
            ords.dedup();
            for ord in ords {
                all.prose.entry(terms.code(ord)).or_default().push(number);
            }
        }
        all
    }
}

/// The phrases of one chunk of businesses.
struct FoundPhrases {
    /// Pair, and where its lower halves begin; ascending.
    pairs: Vec<(u32, u32)>,
    lows: Vec<u16>,
}

impl FoundPhrases {
    fn get(&self, at: usize) -> &[u16] {
        let end = self.pairs.get(at + 1).map_or(self.lows.len(), |(_, end)| *end as usize);
        &self.lows[self.pairs[at].1 as usize..end]
    }
}

/// Writes the sections of phrases of the terms `dense`, whose place is their number.
///
/// # Errors
/// The file cannot be written.
pub fn write(
    source: &Source<'_>,
    dense: &[TermOrd],
    pool: &ThreadPool,
    writer: &mut SnapshotWriter,
) -> Result<(), SnapshotError> {
    let words = source.terms.terms_of(dense);
    let dense_words = DenseWords::new(source.terms, dense, &words);
    let keys: Vec<u32> = (0..source.num_docs.div_ceil(1 << 16)).collect();
    let found: Vec<FoundPhrases> =
        pool.install(|| keys.par_iter().map(|&key| source.find(key, &dense_words)).collect());
    let mut pairs: Vec<u32> =
        found.iter().flat_map(|found| found.pairs.iter().map(|(pair, _)| *pair)).collect();
    pool.install(|| pairs.par_sort_unstable());
    pairs.dedup();
    let mut section = writer.begin(SectionKind::PhrasePostings);
    let mut places: Vec<Option<u64>> = Vec::with_capacity(pairs.len());
    let mut counts: Vec<u32> = Vec::with_capacity(pairs.len());
    let (mut best, mut best_offsets) = (Vec::new(), vec![0u32]);
    let mut next = vec![0usize; found.len()];
    for batch in pairs.chunks(BATCH_PAIRS) {
        let docs: Vec<(u32, Vec<u32>)> =
            batch.iter().map(|&pair| (pair, docs_of(pair, &found, &mut next))).collect();
        let encoded: Vec<EncodedPhrase> = pool.install(|| {
            docs.par_iter().map(|(pair, docs)| source.encode(*pair, docs, dense)).collect()
        });
        for ((_, docs), phrase) in docs.iter().zip(encoded) {
            counts.push(docs.len() as u32);
            places.push((!phrase.postings.is_empty()).then(|| section.len()));
            section.write(&phrase.postings)?;
            best.extend(phrase.best);
            best_offsets.push(best.len() as u32);
        }
    }
    section.end(writer)?;
    let head = source.thresholds.phrase_docs_min;
    writer.section(SectionKind::PhrasePairs, &encode_pairs(head, &pairs))?;
    writer.section(SectionKind::PhraseCounts, bytemuck::cast_slice(&counts))?;
    writer.section(SectionKind::PhraseLists, bytemuck::cast_slice(&encode_places(&places)))?;
    writer.section(SectionKind::PhraseBest, bytemuck::cast_slice(&best))?;
    writer.section(SectionKind::PhraseBestOffsets, bytemuck::cast_slice(&best_offsets))
}

/// Phrases that are encoded together.
const BATCH_PAIRS: usize = 4096;

/// What is stored of a phrase.
struct EncodedPhrase {
    /// Its list; empty if it has none.
    postings: Vec<u8>,
    best: Vec<u32>,
}

/// The businesses of a pair, put together from all chunks; pairs are asked for in ascending order.
fn docs_of(pair: u32, found: &[FoundPhrases], next: &mut [usize]) -> Vec<u32> {
    let mut docs = Vec::new();
    for ((found, next), key) in found.iter().zip(next).zip(0u32..) {
        if found.pairs.get(*next).is_some_and(|(other, _)| *other == pair) {
            docs.extend(found.get(*next).iter().map(|&low| key << 16 | u32::from(low)));
            *next += 1;
        }
    }
    docs
}

impl Source<'_> {
    fn encode(&self, pair: u32, docs: &[u32], dense: &[TermOrd]) -> EncodedPhrase {
        let both = self.both(pair);
        let mut postings = Vec::new();
        let (len, both_len) = (docs.len() as u64, u64::from(both));
        if len * RARE_SHARE <= both_len || len * FREQUENT_SHARE >= both_len {
            postings::encode(docs, &mut postings);
        }
        let mut best: Vec<(Reverse<u32>, u32)> = Vec::new();
        let is_scored = !postings.is_empty() && docs.len() <= self.thresholds.phrase_scored_max;
        if both >= self.thresholds.phrase_best_docs_min && !is_scored {
            let words = [dense[(pair >> 16) as usize], dense[(pair & 0xffff) as usize]];
            let mut impacts = words.map(|ord| {
                let lists = self.terms.lists(ord);
                lists.any.map(|any| ImpactCursor::new(any, lists.impacts))
            });
            let max = self.thresholds.phrase_best_max;
            for &doc in docs {
                let score =
                    impacts.iter_mut().flatten().map(|impacts| impacts.at(DocId(doc))).sum();
                best.push((Reverse(score), doc));
                if best.len() >= 4 * max {
                    best.select_nth_unstable(max);
                    best.truncate(max);
                }
            }
            best.sort_unstable();
            best.truncate(max);
        }
        EncodedPhrase { postings, best: best.into_iter().map(|(_, doc)| doc).collect() }
    }

    /// The phrases of the businesses of chunk `key`.
    fn find(&self, key: u32, words: &DenseWords) -> FoundPhrases {
        let tokens = self.tokens.as_ref();
        let mut all: Vec<u64> = Vec::new();
        let mut of_doc: Vec<u32> = Vec::new();
        for doc in key << 16..self.num_docs.min((key + 1) << 16) {
            let range = self.offsets.range(doc as usize);
            let Some(tokens) = DocTokens::read(&tokens[range]) else { continue };
            of_doc.clear();
            self.find_in_doc(&tokens, words, &mut of_doc);
            of_doc.sort_unstable();
            of_doc.dedup();
            all.extend(of_doc.iter().map(|&pair| u64::from(pair) << 16 | u64::from(doc & 0xffff)));
        }
        // Whoever still reads before here reads again.
        self.tokens.release(self.offsets.get((key << 16) as usize) as usize);
        all.sort_unstable();
        let mut found = FoundPhrases { pairs: Vec::new(), lows: Vec::with_capacity(all.len()) };
        for entry in all {
            let pair = (entry >> 16) as u32;
            if found.pairs.last().is_none_or(|(last, _)| *last != pair) {
                found.pairs.push((pair, found.lows.len() as u32));
            }
            found.lows.push(entry as u16);
        }
        found.pairs.shrink_to_fit();
        found
    }

    fn find_in_doc(&self, tokens: &DocTokens<'_>, words: &DenseWords, out: &mut Vec<u32>) {
        // The dense terms at the position before, and at this one.
        let (mut before, mut here): (Vec<u16>, Vec<u16>) = (Vec::new(), Vec::new());
        for field in TextField::ALL {
            before.clear();
            here.clear();
            let dense = if field.has_plurals() { &words.prose } else { &words.exact };
            for token in tokens.field(field as usize) {
                let code = match token {
                    Token::Word(code) => {
                        std::mem::swap(&mut before, &mut here);
                        here.clear();
                        code
                    }
                    Token::Alternative(code) => code,
                    Token::Joined { .. } => continue,
                    Token::Gap => {
                        before.clear();
                        here.clear();
                        continue;
                    }
                };
                let Some(numbers) = dense.get(&code) else { continue };
                for &second in numbers {
                    out.extend(
                        before
                            .iter()
                            .filter(|&&first| self.is_stored(first, second))
                            .map(|&first| pair(first.into(), second.into())),
                    );
                    here.push(second);
                }
            }
        }
    }

    fn is_stored(&self, first: u16, second: u16) -> bool {
        first != second
            && self.both(pair(first.into(), second.into())) >= self.thresholds.phrase_docs_min
    }

    /// How many businesses hold both words of a pair.
    fn both(&self, pair: u32) -> u32 {
        let (first, second) = ((pair >> 16) as usize, (pair & 0xffff) as usize);
        self.counts[dense::place(first.min(second), first.max(second))]
    }
}
