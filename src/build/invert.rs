//! Words to postings.
//!
//! Businesses are analyzed in blocks, on all cores, into streams of block-local word numbers
//! ([`AnalyzedBlock`]); the vocabularies of all blocks are merged into the sorted term dictionary; then the
//! streams give, in `DocId` order, the postings of every term and the token streams of every business.

use crate::analyzer::{Analysis, Role, TextField, plural};
use crate::company::Company;
use crate::snapshot::SnapshotError;
use crate::snapshot::doc_tokens::{CODE_MIN, NUM_FIELDS, Token, push_doc, push_token};
use crate::snapshot::format::SectionKind;
use crate::snapshot::terms::{self, NUM_LISTS};
use crate::snapshot::writer::SnapshotWriter;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::Progress;
use super::impact::{self, FieldLengths};

/// Businesses analyzed together.
const BLOCK_DOCS: usize = 4096;

/// Terms whose postings are encoded together.
const BLOCK_TERMS: usize = 4096;

/// Words of consecutive businesses.
pub struct AnalyzedBlock {
    first_doc: u32,
    /// Distinct words, sorted; tokens name them by their place here.
    words: Vec<String>,
    /// Core length of each name and, per field, where its tokens end in `tokens`.
    docs: Vec<(u32, [usize; NUM_FIELDS])>,
    tokens: Vec<Token>,
}

/// Takes the texts of companies apart.
pub fn analyze(companies: &[Company], progress: &dyn Progress) -> Vec<AnalyzedBlock> {
    let mut blocks = Vec::with_capacity(companies.len().div_ceil(BLOCK_DOCS));
    // In groups, so that progress can be told from this thread.
    for (group_at, group) in companies.chunks(BLOCK_DOCS * 16).enumerate() {
        let first_doc = group_at * BLOCK_DOCS * 16;
        let analyzed: Vec<AnalyzedBlock> = group
            .par_chunks(BLOCK_DOCS)
            .enumerate()
            .map(|(at, block)| analyze_block((first_doc + at * BLOCK_DOCS) as u32, block))
            .collect();
        blocks.extend(analyzed);
        let done = (first_doc + group.len()) as u64;
        progress.advance(done, companies.len() as u64);
    }
    blocks
}

fn analyze_block(first_doc: u32, companies: &[Company]) -> AnalyzedBlock {
    let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
    let mut tokens = Vec::new();
    let mut docs = Vec::with_capacity(companies.len());
    let mut analysis = Analysis::default();
    for company in companies {
        let mut ends = [0; NUM_FIELDS];
        let mut name_core_len = 0;
        for (end, field) in ends.iter_mut().zip(TextField::ALL) {
            let text = match field {
                TextField::Name => Some(company.name.as_str()),
                TextField::Host => company.website.as_deref(),
                TextField::Industry => company.industry.as_deref(),
                TextField::Description => company.description.as_deref(),
            };
            match (field, text) {
                (TextField::Host, Some(website)) => analysis.analyze_host(website),
                (_, text) => analysis.analyze(text.unwrap_or_default()),
            }
            if field == TextField::Name {
                name_core_len = analysis.core_len();
            }
            push_tokens(&analysis, field, &mut numbers, &mut tokens);
            *end = tokens.len();
        }
        docs.push((name_core_len, ends));
    }
    let mut words: Vec<(String, u32)> = numbers.into_iter().collect();
    words.par_sort_unstable();
    let mut sorted_place = vec![0; words.len()];
    for (place, (_, number)) in words.iter().enumerate() {
        sorted_place[*number as usize] = place as u32;
    }
    for token in &mut tokens {
        *token = token.map_code(|number| sorted_place[number as usize]);
    }
    AnalyzedBlock {
        first_doc,
        words: words.into_iter().map(|(word, _)| word).collect(),
        docs,
        tokens,
    }
}

fn push_tokens(
    analysis: &Analysis,
    field: TextField,
    numbers: &mut FxHashMap<String, u32>,
    tokens: &mut Vec<Token>,
) {
    let mut number = |text: &str| match numbers.get(text) {
        Some(&number) => number,
        None => {
            let number = numbers.len() as u32;
            numbers.insert(text.to_owned(), number);
            number
        }
    };
    let mut next_position = 0;
    analysis.for_each_entry(field, |entry| {
        let code = number(entry.text);
        match entry.role {
            Role::Word => {
                for _ in next_position..entry.position {
                    tokens.push(Token::Gap);
                }
                next_position = entry.position + 1;
                tokens.push(Token::Word(code));
            }
            Role::Alternative => tokens.push(Token::Alternative(code)),
            Role::Joined { parts } => tokens.push(Token::Joined { parts, code }),
        }
    });
}

/// The lists of a term (see [`terms::TermLists`]) that a business belongs to directly; the first list, which
/// spans all fields and plurals, is made of these.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum List {
    Prose,
    NameIs,
    NameStarts,
    NameHas,
    Host,
}

/// Sorted `DocId`s for each pair of a term and a [`List`], and what the term's occurrences there contribute to
/// its impact.
struct Lists {
    starts: Vec<usize>,
    docs: Vec<u32>,
    contributions: Vec<u16>,
}

impl Lists {
    fn get(&self, term: usize, list: List) -> &[u32] {
        let at = term * NUM_LISTS + list as usize;
        &self.docs[self.starts[at]..self.starts[at + 1]]
    }

    fn with_contributions(&self, term: usize, list: List) -> impl Iterator<Item = (u32, u32)> {
        let at = term * NUM_LISTS + list as usize;
        let range = self.starts[at]..self.starts[at + 1];
        let contributions = self.contributions[range.clone()].iter().map(|&sum| u32::from(sum));
        self.docs[range].iter().copied().zip(contributions)
    }
}

/// One business on one list.
struct Posting {
    doc: u32,
    /// Term times [`NUM_LISTS`] plus list.
    list: usize,
    contribution: u16,
}

/// Writes the sections of terms and of tokens.
///
/// # Errors
/// The file cannot be written.
pub fn write(
    blocks: Vec<AnalyzedBlock>,
    levels_min: usize,
    writer: &mut SnapshotWriter,
) -> Result<(), SnapshotError> {
    let vocabulary = merge_vocabularies(&blocks);
    let ords: Vec<Vec<u32>> = blocks.par_iter().map(|block| ords_of(block, &vocabulary)).collect();
    let codes = codes_by_frequency(&blocks, &ords, vocabulary.len());
    let lists = collect_lists(&blocks, &ords, vocabulary.len());
    let by_word: FxHashMap<&str, u32> =
        vocabulary.iter().enumerate().map(|(ord, &word)| (word, ord as u32)).collect();
    let num_docs = blocks.iter().map(|block| block.docs.len() as u32).sum();
    let encoded: Vec<EncodedTerms> = (0..vocabulary.len())
        .collect::<Vec<_>>()
        .par_chunks(BLOCK_TERMS)
        .map(|ords| encode_terms(ords, &vocabulary, &by_word, &lists, num_docs, levels_min))
        .collect();
    let block_lens: Vec<u64> =
        encoded.iter().flat_map(|terms| terms.block_lens.iter().copied()).collect();
    let doc_freqs = encoded.iter().flat_map(|terms| terms.doc_freqs.iter().copied());
    let mut weights = vec![0; vocabulary.len()];
    for (&code, doc_freq) in codes.iter().zip(doc_freqs) {
        weights[(code - CODE_MIN) as usize] = impact::weight(num_docs, doc_freq);
    }
    let pieces = encoded.iter().map(|terms| terms.blocks.as_slice());
    terms::write(vocabulary.iter().copied(), &codes, &weights, &block_lens, pieces, writer)?;
    drop((encoded, lists, by_word));
    write_doc_tokens(&blocks, &ords, &codes, writer)
}

/// All distinct words of all blocks, sorted.
fn merge_vocabularies(blocks: &[AnalyzedBlock]) -> Vec<&str> {
    let mut words: Vec<&str> =
        blocks.iter().flat_map(|block| block.words.iter().map(String::as_str)).collect();
    words.par_sort_unstable();
    words.dedup();
    words
}

/// The place in the vocabulary of each word of a block; both are sorted.
fn ords_of(block: &AnalyzedBlock, vocabulary: &[&str]) -> Vec<u32> {
    let mut from = 0;
    let place = |word: &String| {
        from += vocabulary[from..].partition_point(|&other| other < word.as_str());
        from as u32
    };
    block.words.iter().map(place).collect()
}

/// Codes of terms in the token streams: the more frequent, the smaller; ties by term.
fn codes_by_frequency(blocks: &[AnalyzedBlock], ords: &[Vec<u32>], num_terms: usize) -> Vec<u32> {
    let mut counts = vec![0u64; num_terms];
    for (block, ords) in blocks.iter().zip(ords) {
        for code in block.tokens.iter().filter_map(Token::code) {
            counts[ords[code as usize] as usize] += 1;
        }
    }
    let mut by_count: Vec<u32> = (0..num_terms as u32).collect();
    by_count.par_sort_unstable_by_key(|&ord| (std::cmp::Reverse(counts[ord as usize]), ord));
    let mut codes = vec![0; num_terms];
    for (code, ord) in by_count.into_iter().enumerate() {
        codes[ord as usize] = code as u32 + CODE_MIN;
    }
    codes
}

/// Distributes documents over the lists of their terms.
fn collect_lists(blocks: &[AnalyzedBlock], ords: &[Vec<u32>], num_terms: usize) -> Lists {
    let lengths = field_lengths(blocks);
    let mut starts = vec![0usize; num_terms * NUM_LISTS + 1];
    for_each_posting(blocks, ords, &lengths, |posting| starts[posting.list + 1] += 1);
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut next = starts.clone();
    let len = starts[starts.len() - 1];
    let (mut docs, mut contributions) = (vec![0; len], vec![0; len]);
    for_each_posting(blocks, ords, &lengths, |posting| {
        let at = next[posting.list];
        docs[at] = posting.doc;
        contributions[at] = posting.contribution;
        next[posting.list] += 1;
    });
    Lists { starts, docs, contributions }
}

fn field_lengths(blocks: &[AnalyzedBlock]) -> FieldLengths {
    let mut lengths = FieldLengths::default();
    for block in blocks {
        let mut start = 0;
        for (_, ends) in &block.docs {
            for (&field, &end) in TextField::ALL.iter().zip(ends) {
                lengths.add(field, num_words(&block.tokens[start..end]));
                start = end;
            }
        }
    }
    lengths
}

fn num_words(tokens: &[Token]) -> u64 {
    tokens.iter().filter(|token| matches!(token, Token::Word(_))).count() as u64
}

/// Calls `visit` with each posting, documents of a list ascending.
fn for_each_posting(
    blocks: &[AnalyzedBlock],
    ords: &[Vec<u32>],
    lengths: &FieldLengths,
    mut visit: impl FnMut(Posting),
) {
    for group in (0..blocks.len()).collect::<Vec<_>>().chunks(32) {
        let postings: Vec<Vec<Posting>> =
            group.par_iter().map(|&at| block_postings(&blocks[at], &ords[at], lengths)).collect();
        postings.into_iter().flatten().for_each(&mut visit);
    }
}

/// A word of one business, the list it puts it on, and what it contributes.
type Occurrence = (u32, List, u32);

fn block_postings(block: &AnalyzedBlock, ords: &[u32], lengths: &FieldLengths) -> Vec<Posting> {
    let mut out = Vec::new();
    let mut of_doc: Vec<Occurrence> = Vec::new();
    let mut start = 0;
    for (at, (name_core_len, ends)) in block.docs.iter().enumerate() {
        of_doc.clear();
        for (&field, &end) in TextField::ALL.iter().zip(ends) {
            let tokens = &block.tokens[start..end];
            let contribution = lengths.contribution(field, num_words(tokens));
            add_occurrences(field, tokens, *name_core_len, contribution, &mut of_doc);
            start = end;
        }
        // Of the three lists of names a term has only the first that applies.
        of_doc.sort_unstable();
        let is_name = |list| matches!(list, List::NameIs | List::NameStarts | List::NameHas);
        of_doc.dedup_by(|later, kept| {
            let is_same =
                later.0 == kept.0 && (later.1 == kept.1 || is_name(later.1) && is_name(kept.1));
            if is_same {
                kept.2 += later.2;
            }
            is_same
        });
        let doc = block.first_doc + at as u32;
        out.extend(of_doc.iter().map(|&(word, list, contribution)| Posting {
            doc,
            list: ords[word as usize] as usize * NUM_LISTS + list as usize,
            contribution: contribution.min(u32::from(u16::MAX)) as u16,
        }));
    }
    out
}

/// Adds the occurrences of words in one field.
fn add_occurrences(
    field: TextField,
    tokens: &[Token],
    name_core_len: u32,
    contribution: u32,
    out: &mut Vec<Occurrence>,
) {
    let mut position = 0;
    for &token in tokens {
        let (code, first, len) = match token {
            Token::Word(code) => {
                position += 1;
                (code, position - 1, 1)
            }
            Token::Alternative(code) => (code, position - 1, 1),
            Token::Joined { parts, code } => (code, position - parts, parts),
            Token::Gap => {
                position += 1;
                continue;
            }
        };
        let list = match field {
            TextField::Name if first == 0 && len == name_core_len => List::NameIs,
            TextField::Name if first == 0 => List::NameStarts,
            TextField::Name => List::NameHas,
            TextField::Host => List::Host,
            TextField::Industry | TextField::Description => List::Prose,
        };
        out.push((code, list, contribution));
    }
}

/// Encoded blocks of consecutive terms.
struct EncodedTerms {
    blocks: Vec<u8>,
    block_lens: Vec<u64>,
    /// How many businesses each term matches.
    doc_freqs: Vec<usize>,
}

fn encode_terms(
    ords: &[usize],
    vocabulary: &[&str],
    by_word: &FxHashMap<&str, u32>,
    lists: &Lists,
    num_docs: u32,
    levels_min: usize,
) -> EncodedTerms {
    let mut encoded =
        EncodedTerms { blocks: Vec::new(), block_lens: Vec::new(), doc_freqs: Vec::new() };
    let mut any: Vec<(u32, u32)> = Vec::new();
    for &ord in ords {
        let start = encoded.blocks.len();
        any.clear();
        for list in [List::NameIs, List::NameStarts, List::NameHas, List::Host] {
            any.extend(lists.with_contributions(ord, list));
        }
        for_each_plural(vocabulary[ord], by_word, |other| {
            any.extend(lists.with_contributions(other, List::Prose));
        });
        any.sort_unstable();
        any.dedup_by(|later, kept| {
            let is_same = later.0 == kept.0;
            if is_same {
                kept.1 += later.1;
            }
            is_same
        });
        let docs: Vec<u32> = any.iter().map(|&(doc, _)| doc).collect();
        let impacts: Vec<u8> =
            any.iter().map(|&(_, sum)| impact::impact(num_docs, any.len(), sum)).collect();
        let list = |list| lists.get(ord, list);
        terms::encode_block(
            [
                &docs,
                list(List::NameIs),
                list(List::NameStarts),
                list(List::NameHas),
                list(List::Host),
            ],
            &impacts,
            levels_min,
            &mut encoded.blocks,
        );
        encoded.block_lens.push((encoded.blocks.len() - start) as u64);
        encoded.doc_freqs.push(any.len());
    }
    encoded
}

/// Calls `visit` with every term that matches `word` where plurals count, `word` itself included, once.
fn for_each_plural(word: &str, by_word: &FxHashMap<&str, u32>, mut visit: impl FnMut(usize)) {
    let mut seen: Vec<u32> = Vec::new();
    for form in plural::forms(word) {
        for candidate in plural::candidates(&form) {
            if let Some(&ord) = by_word.get(candidate.as_str())
                && !seen.contains(&ord)
                && plural::matches(word, &candidate)
            {
                seen.push(ord);
                visit(ord as usize);
            }
        }
    }
}

/// Writes the sections of tokens.
fn write_doc_tokens(
    blocks: &[AnalyzedBlock],
    ords: &[Vec<u32>],
    codes: &[u32],
    writer: &mut SnapshotWriter,
) -> Result<(), SnapshotError> {
    let encoded: Vec<(Vec<u8>, Vec<u64>)> = blocks
        .par_iter()
        .zip(ords)
        .map(|(block, ords)| encode_doc_tokens(block, ords, codes))
        .collect();
    let mut offsets = vec![0u64];
    for len in encoded.iter().flat_map(|(_, lens)| lens) {
        offsets.push(offsets[offsets.len() - 1] + len);
    }
    writer.section(SectionKind::DocTokenOffsets, bytemuck::cast_slice(&offsets))?;
    let mut section = writer.begin(SectionKind::DocTokens)?;
    for (bytes, _) in &encoded {
        section.write(bytes)?;
    }
    section.end()
}

fn encode_doc_tokens(block: &AnalyzedBlock, ords: &[u32], codes: &[u32]) -> (Vec<u8>, Vec<u64>) {
    let (mut bytes, mut lens) = (Vec::new(), Vec::with_capacity(block.docs.len()));
    let mut fields: [Vec<u8>; NUM_FIELDS] = Default::default();
    let mut start = 0;
    for (name_core_len, ends) in &block.docs {
        for (field, &end) in fields.iter_mut().zip(ends) {
            field.clear();
            for token in &block.tokens[start..end] {
                let token = token.map_code(|word| codes[ords[word as usize] as usize]);
                push_token(field, token);
            }
            start = end;
        }
        let from = bytes.len();
        push_doc(&mut bytes, *name_core_len, &fields);
        lens.push((bytes.len() - from) as u64);
    }
    (bytes, lens)
}
