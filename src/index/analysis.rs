//! The words of a block of consecutive businesses.
//!
//! In: records. Out: an [`AnalyzedBlock`]: the token streams in words numbered as they were first
//! met, and the block's postings as a sorted run of its words. Nothing here knows other blocks, so
//! that all cores can work.
//!
//! ```text
//! RUN     := ENTRY*, by the bytes of the words
//! ENTRY   := SHARED (varint), LEN (varint), the last LEN bytes of the word (the first SHARED are those of the
//!            word before), OCCURRENCES (varint), PAYLOAD_LEN (varint), PAYLOAD
//! PAYLOAD := COUNT (varint), POSTING^COUNT
//! POSTING := DELTA << 2 | KIND (varint), FOLLOWER (u8), COUNTS
//! COUNTS  := KIND 0: once in the description; 1: DESCRIPTION (varint) times there;
//!            2: once in the industry; 3: FIELDS (u8), then a varint for each of NAME, HOST,
//!            INDUSTRY, DESCRIPTION and ALIAS whose bit (2, 3, 4, 5, 6) is set; bits 0 and 1 are
//!            the list of names, bit 7 tells that an alias is the word
//! ```
//!
//! DELTA is the distance to the `DocId` before, for the first posting the `DocId`.

mod words;

use super::buffer_pool::Reuse;
use super::record_codec::Record;
use crate::analyzer::host::Host;
use crate::analyzer::{Analysis, NameCore, Role, TextField};
use crate::bytes::{push_varint, read_varint};
use crate::company::{TextList, texts_of};
use crate::snapshot::columns::doc_tokens::{
    CODE_MIN, DocParts, NUM_FIELDS, Token, push_alias_core, push_doc, push_token,
};
use crate::snapshot::terms::next_word::merge_followers;
use words::Words;

/// Entries of a run from one whole word to the next.
pub const RESTART_EVERY: usize = 256;

/// Words of consecutive businesses.
#[derive(Default)]
pub struct AnalyzedBlock {
    /// The token streams, as in `DocTokens`, with numbers of words plus [`CODE_MIN`] for codes.
    pub tokens: Vec<u8>,
    /// Number of words in each field, by business; at most 65,535, beyond which length counts no
    /// more.
    pub lengths: Vec<[u16; NUM_FIELDS]>,
    /// The place of each word among the sorted ones, by its number.
    pub places: Vec<u32>,
    /// The run.
    pub run: Vec<u8>,
    /// Every [`RESTART_EVERY`]th entry, whose word is whole: the word, and where it begins in the
    /// run.
    pub restarts: Vec<(Box<str>, u64)>,
}

impl Reuse for AnalyzedBlock {
    fn clear(&mut self) {
        self.tokens.clear();
        self.lengths.clear();
        self.places.clear();
        self.run.clear();
        self.restarts.clear();
    }
}

/// The list of names (see [`terms`](crate::snapshot::terms)) that an occurrence in a name belongs
/// to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum NameList {
    /// The word is the name.
    Is = 1,
    /// The name starts with it.
    Starts = 2,
    /// It stands elsewhere in the name.
    Has = 3,
}

/// What a word is to a business: how often it stands in each field. Counts end at 65,535: what that
/// many occurrences contribute is above every limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Posting {
    /// The business; within a block, its place there.
    pub doc: u32,
    /// The first [`NameList`] that applies; 0 if the word is not in the name.
    pub name_list: u8,
    /// Is the word an alias?
    pub is_alias: bool,
    /// By which words it is followed, see [`followers`](crate::snapshot::terms::next_word).
    pub follower: u8,
    /// Occurrences in the fields.
    pub counts: [u16; NUM_FIELDS],
}

/// A posting and the number of its word.
type WordPosting = (u32, Posting);

/// What a block is analyzed in, one after the other.
#[derive(Default)]
pub struct Workspace {
    analysis: Analysis,
    index: BlockIndex,
    /// The token streams of one business.
    doc: DocParts,
    run: RunSpace,
}

impl Reuse for Workspace {
    fn clear(&mut self) {
        self.index.words.clear();
        self.index.postings.clear();
    }
}

/// What stands where in a block.
#[derive(Default)]
struct BlockIndex {
    words: Words,
    postings: Vec<WordPosting>,
    /// The postings of the words before the one that comes, and of the last.
    before: Vec<u32>,
    here: Vec<u32>,
}

/// Analyzes the records of a block, of which the first is business `first_doc`, to `block`, in
/// `workspace`. Both are empty.
pub fn analyze_block(
    first_doc: u32,
    records: &[Record<'_>],
    workspace: &mut Workspace,
    block: &mut AnalyzedBlock,
) {
    let Workspace { analysis, index, doc: parts, run } = workspace;
    for (doc, record) in records.iter().enumerate() {
        let mut doc_lengths = [0; NUM_FIELDS];
        parts.alias_cores.clear();
        parts.other_hosts.clear();
        let other_hosts = texts_of(record.other_websites).filter_map(Host::of_website);
        let other_hosts: TextList = other_hosts.map(|host| host.name().to_owned()).collect();
        parts.other_hosts.extend_from_slice(other_hosts.joined().unwrap_or_default().as_bytes());
        for field in TextField::ALL {
            let (text, more) = match field {
                TextField::Name => (Some(record.name), None),
                TextField::Host => (record.website, record.other_websites),
                TextField::Industry => (record.industry, None),
                TextField::Description => (record.description, None),
                TextField::Alias => (None, record.aliases),
            };
            let out = &mut parts.fields[field as usize];
            out.clear();
            let mut place = FieldPlace::new(doc as u32, field);
            for text in text.into_iter().chain(texts_of(more)) {
                match field {
                    TextField::Host => analysis.analyze_host(text),
                    _ => analysis.analyze(text),
                }
                let last_end = place.core.end;
                place.begin_text(analysis);
                if place.index(analysis, index, out) && field == TextField::Alias {
                    push_alias_core(&mut parts.alias_cores, place.core, last_end);
                }
            }
            if field == TextField::Name {
                parts.name_core = place.core;
            }
            doc_lengths[field as usize] = u16::try_from(place.words).unwrap_or(u16::MAX);
        }
        push_doc(&mut block.tokens, parts);
        block.lengths.push(doc_lengths);
    }
    run.write(first_doc, index, block);
}

/// One field of one business.
struct FieldPlace {
    doc: u32,
    field: TextField,
    /// Where the text begins.
    start: u32,
    /// The core of the name that the text is, if it is one.
    core: NameCore,
    next_position: u32,
    words: u32,
}

/// Positions left empty between two texts of a field: phrases have one at most, behind a run.
const GAPS_BETWEEN: u32 = 2;

impl FieldPlace {
    fn new(doc: u32, field: TextField) -> FieldPlace {
        let core = NameCore::default();
        FieldPlace { doc, field, start: 0, core, next_position: 0, words: 0 }
    }

    /// The words of `analysis` stand behind those of the texts so far.
    fn begin_text(&mut self, analysis: &Analysis) {
        if self.words > 0 {
            self.start = self.next_position + GAPS_BETWEEN;
        }
        if self.field.is_name() && !analysis.units().is_empty() {
            self.core = analysis.name_core().shifted(self.start);
        }
    }

    /// Indexes a text; tells whether it has any words.
    fn index(&mut self, analysis: &Analysis, index: &mut BlockIndex, out: &mut Vec<u8>) -> bool {
        let BlockIndex { words, postings, before, here } = index;
        before.clear();
        here.clear();
        let words_before = self.words;
        let mut next_position = self.next_position;
        analysis.for_each_entry(self.field, |mut entry| {
            entry.position += self.start;
            let number = words.number(entry.text);
            let code = number + CODE_MIN;
            let (token, first, len) = match entry.role {
                Role::Word => {
                    std::mem::swap(before, here);
                    here.clear();
                    if next_position < entry.position {
                        before.clear();
                    }
                    for _ in next_position..entry.position {
                        push_token(out, Token::Gap);
                    }
                    next_position = entry.position + 1;
                    self.words += 1;
                    (Token::Word(code), entry.position, 1)
                }
                Role::Alternative => (Token::Alternative(code), next_position - 1, 1),
                Role::Joined { parts } => {
                    (Token::Joined { parts, code }, next_position - parts, parts)
                }
            };
            push_token(out, token);
            let at = self.count(number, first, len, words, postings);
            if !matches!(entry.role, Role::Joined { .. }) {
                let hash = words.hashes[number as usize];
                for &before in before.iter() {
                    let follower = &mut postings[before as usize].1.follower;
                    *follower = merge_followers(*follower, hash);
                }
                here.push(at);
            }
        });
        self.next_position = next_position;
        self.words > words_before
    }

    /// Counts an occurrence; returns the place of its posting.
    fn count(
        &self,
        number: u32,
        first: u32,
        len: u32,
        words: &mut Words,
        postings: &mut Vec<WordPosting>,
    ) -> u32 {
        let starts = self.field.is_name() && self.core.starts_at(first);
        let is_all = starts && first + len == self.core.end;
        let name_list = match self.field {
            TextField::Name if is_all => NameList::Is as u8,
            TextField::Name if starts => NameList::Starts as u8,
            TextField::Name => NameList::Has as u8,
            _ => 0,
        };
        let occurrences = &mut words.occurrences[number as usize];
        *occurrences = occurrences.saturating_add(1);
        let latest = &mut words.latest[number as usize];
        let posting = match postings.get_mut(*latest as usize) {
            Some((_, posting)) if posting.doc == self.doc => posting,
            _ => {
                *latest = postings.len() as u32;
                postings.push((number, Posting { doc: self.doc, ..Posting::default() }));
                &mut postings.last_mut().expect("just pushed").1
            }
        };
        let count = &mut posting.counts[self.field as usize];
        *count = count.saturating_add(1);
        posting.is_alias |= is_all && self.field == TextField::Alias;
        if name_list != 0 && (posting.name_list == 0 || name_list < posting.name_list) {
            posting.name_list = name_list;
        }
        *latest
    }
}

/// What a run is written from.
#[derive(Default)]
struct RunSpace {
    /// The words in order, each by the begin of its text and its number.
    sorted: Vec<(u64, u32)>,
    /// By place of a word: where its postings begin, and where the next one goes.
    starts: Vec<u32>,
    next: Vec<u32>,
    /// The postings of one word after the other. What is behind them is of a block before.
    by_word: Vec<Posting>,
    payload: Vec<u8>,
}

impl RunSpace {
    /// Writes the run of a block, and the places of its words.
    fn write(&mut self, first_doc: u32, index: &BlockIndex, block: &mut AnalyzedBlock) {
        let RunSpace { sorted, starts, next, by_word, payload } = self;
        let BlockIndex { words, postings, .. } = index;
        let AnalyzedBlock { places, run, restarts, .. } = block;
        words.texts.sort(sorted);
        places.resize(sorted.len(), 0);
        for (place, &(_, number)) in sorted.iter().enumerate() {
            places[number as usize] = place as u32;
        }
        // A counting sort: businesses of a word stay in order.
        starts.clear();
        starts.resize(sorted.len() + 1, 0);
        for &(number, _) in postings {
            starts[places[number as usize] as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        by_word.resize(by_word.len().max(postings.len()), Posting::default());
        next.clone_from(starts);
        for &(number, posting) in postings {
            let next = &mut next[places[number as usize] as usize];
            by_word[*next as usize] = posting;
            *next += 1;
        }
        let mut before = "";
        for (place, &(_, number)) in sorted.iter().enumerate() {
            let word = words.texts.get(number);
            if place % RESTART_EVERY == 0 {
                restarts.push((word.into(), run.len() as u64));
                before = "";
            }
            let shared = before
                .bytes()
                .zip(word.bytes())
                .take_while(|(before, byte)| before == byte)
                .count();
            push_varint(run, shared as u32);
            push_varint(run, (word.len() - shared) as u32);
            run.extend_from_slice(&word.as_bytes()[shared..]);
            push_varint(run, words.occurrences[number as usize]);
            let range = starts[place] as usize..starts[place + 1] as usize;
            payload.clear();
            push_varint(payload, range.len() as u32);
            let mut doc_before = 0;
            for posting in &by_word[range] {
                let doc = first_doc + posting.doc;
                push_posting(posting, doc - doc_before, payload);
                doc_before = doc;
            }
            push_varint(run, payload.len() as u32);
            run.extend_from_slice(payload);
            before = word;
        }
    }
}

fn push_posting(posting: &Posting, delta: u32, out: &mut Vec<u8>) {
    let mut head = |kind: u64| {
        // A `DocId` and two bits may take more than 32.
        let mut value = u64::from(delta) << 2 | kind;
        while value >= 0x80 {
            out.push(value as u8 | 0x80);
            value >>= 7;
        }
        out.push(value as u8);
        out.push(posting.follower);
    };
    match posting.counts {
        [0, 0, 0, 1, 0] => head(0),
        [0, 0, 0, count, 0] => {
            head(1);
            push_varint(out, count.into());
        }
        [0, 0, 1, 0, 0] => head(2),
        counts => {
            head(3);
            let mut fields = posting.name_list | u8::from(posting.is_alias) << 7;
            for (at, &count) in counts.iter().enumerate() {
                fields |= u8::from(count > 0) << (at + 2);
            }
            out.push(fields);
            for count in counts.into_iter().filter(|&count| count > 0) {
                push_varint(out, count.into());
            }
        }
    }
}

/// Reads one PAYLOAD after the other.
#[derive(Clone, Debug)]
pub struct Postings<'a> {
    bytes: &'a [u8],
    left: u32,
    doc: u32,
}

impl<'a> Postings<'a> {
    /// The postings in payloads that follow each other.
    pub fn new(bytes: &'a [u8]) -> Postings<'a> {
        Postings { bytes, left: 0, doc: 0 }
    }

    #[inline]
    fn head(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
            shift += 7;
        }
    }
}

impl Iterator for Postings<'_> {
    type Item = Posting;

    #[inline]
    fn next(&mut self) -> Option<Posting> {
        if self.left == 0 {
            self.left = read_varint(&mut self.bytes)?;
            self.doc = 0;
        }
        self.left -= 1;
        let head = self.head()?;
        self.doc += (head >> 2) as u32;
        let (&follower, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        let mut posting = Posting { doc: self.doc, follower, ..Posting::default() };
        match head & 3 {
            0 => posting.counts[3] = 1,
            1 => posting.counts[3] = read_varint(&mut self.bytes)? as u16,
            2 => posting.counts[2] = 1,
            _ => {
                let (&fields, rest) = self.bytes.split_first()?;
                self.bytes = rest;
                posting.name_list = fields & 3;
                posting.is_alias = fields >> 7 == 1;
                for at in 0..NUM_FIELDS {
                    if fields >> (at + 2) & 1 != 0 {
                        posting.counts[at] = read_varint(&mut self.bytes)? as u16;
                    }
                }
            }
        }
        Some(posting)
    }
}
