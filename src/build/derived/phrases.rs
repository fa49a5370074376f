//! How many businesses hold two frequent words next to each other, and which, where they are few.
//!
//! The words of all businesses are read once, 65,536 at a time on every core; what is found is kept in two bytes for
//! each business and pair until all are through.

use crate::analyzer::{TextField, plural};
use crate::ids::TermOrd;
use crate::snapshot::SnapshotError;
use crate::snapshot::dense;
use crate::snapshot::doc_tokens::{DocTokens, Token};
use crate::snapshot::format::SectionKind;
use crate::snapshot::mapped::Section;
use crate::snapshot::offsets::Offsets;
use crate::snapshot::phrases::{encode_pairs, encode_places, pair};
use crate::snapshot::postings;
use crate::snapshot::terms::Terms;
use crate::snapshot::writer::SnapshotWriter;
use rayon::ThreadPool;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// A phrase that fewer of its candidates hold has a list: a page of others is full after some thousand candidates.
const RARE_SHARE: u64 = 128;

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
    /// Fewest businesses that hold both words of a phrase that is stored.
    pub docs_min: u32,
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
    let mut next = vec![0usize; found.len()];
    let (mut docs, mut bytes) = (Vec::new(), Vec::new());
    for &pair in &pairs {
        docs.clear();
        for ((found, next), key) in found.iter().zip(&mut next).zip(0u32..) {
            if found.pairs.get(*next).is_some_and(|(other, _)| *other == pair) {
                docs.extend(found.get(*next).iter().map(|&low| key << 16 | u32::from(low)));
                *next += 1;
            }
        }
        counts.push(docs.len() as u32);
        if docs.len() as u64 * RARE_SHARE > u64::from(source.both(pair)) {
            places.push(None);
            continue;
        }
        bytes.clear();
        postings::encode(&docs, &mut bytes);
        places.push(Some(section.len()));
        section.write(&bytes)?;
    }
    section.end(writer)?;
    writer.section(SectionKind::PhrasePairs, &encode_pairs(source.docs_min, &pairs))?;
    writer.section(SectionKind::PhraseCounts, bytemuck::cast_slice(&counts))?;
    writer.section(SectionKind::PhraseLists, bytemuck::cast_slice(&encode_places(&places)))
}

impl Source<'_> {
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
        first != second && self.both(pair(first.into(), second.into())) >= self.docs_min
    }

    /// How many businesses hold both words of a pair.
    fn both(&self, pair: u32) -> u32 {
        let (first, second) = ((pair >> 16) as usize, (pair & 0xffff) as usize);
        self.counts[dense::place(first.min(second), first.max(second))]
    }
}
