//! Which symbols the documents of a snapshot are written in.
//!
//! In: records as they are read. Out: an [`Encoder`] to the codes of
//! [`snapshot::symbols`](crate::snapshot::columns::string_codes), trained on the documents of a
//! sample of them. The sample depends on nothing but the accepted records, in whatever order and
//! format they come: it is those whose ids have the least hashes, as many as fit into some
//! megabytes of JSON.

use super::buffer_pool::Reuse;
use super::document;
use super::record_codec::Record;
use crate::snapshot::columns::string_codes;
use onpair::{Config, Dictionary, DictionaryView, MaxDictBits, Parser, Rows, Threshold, Token};

/// Bytes of JSON that symbols are chosen from. Of a million generated documents, 565 bytes each,
/// the symbols of 11, 33 and 112 MB leave 0.284, 0.282 and 0.278, if there are 65,536 of them.
const SAMPLE_BYTES: usize = 12 << 20;

/// Number of symbols, as a power of two. Documents shrink to 0.334, 0.305 and 0.284 with 14, 15
/// and 16 bits, and are read equally fast; the more symbols, the longer writing takes.
const SYMBOLS_LOG2: u8 = 15;

/// What training shuffles the sample by.
const SEED: u64 = 1;

/// Documents one after the other.
#[derive(Default)]
pub struct Rendered {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Rendered {
    /// Appends the document of a record.
    pub fn push(&mut self, record: &Record<'_>) {
        document::render(record, &mut self.bytes);
        self.ends.push(self.bytes.len());
    }
}

impl Reuse for Rendered {
    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}

impl Rows for Rendered {
    fn num_rows(&self) -> usize {
        self.ends.len()
    }

    fn total_bytes(&self) -> usize {
        self.bytes.len()
    }

    fn row(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[at]]
    }
}

/// Orders records so that the first of them are a sample: 16 bytes of BLAKE3 of the id.
pub type Hash = [u8; 16];

/// A record that may be in the sample.
pub struct Candidate {
    hash: Hash,
    json: Vec<u8>,
}

impl Candidate {
    /// The record, if its hash is below `bound` (see [`Sample::bound`]).
    pub fn new(record: &Record<'_>, bound: Hash) -> Option<Candidate> {
        let hash = *blake3::hash(record.id.as_bytes()).as_bytes().first_chunk().expect("32 bytes");
        (hash < bound).then(|| {
            let mut json = Vec::new();
            document::render(record, &mut json);
            Candidate { hash, json }
        })
    }
}

/// The documents that symbols are chosen from.
pub struct Sample {
    candidates: Vec<Candidate>,
    bytes: usize,
    bytes_max: usize,
    bound: Hash,
}

impl Default for Sample {
    fn default() -> Sample {
        Sample::of(SAMPLE_BYTES)
    }
}

impl Sample {
    fn of(bytes_max: usize) -> Sample {
        Sample { candidates: Vec::new(), bytes: 0, bytes_max, bound: [u8::MAX; 16] }
    }

    /// Records from this hash on are in no sample.
    pub fn bound(&self) -> Hash {
        self.bound
    }

    /// Takes the next candidates, in the order of the input.
    pub fn add(&mut self, candidates: Vec<Candidate>) {
        self.bytes += candidates.iter().map(|candidate| candidate.json.len()).sum::<usize>();
        self.candidates.extend(candidates);
        if self.bytes > 2 * self.bytes_max {
            self.shrink();
        }
    }

    /// Keeps one record for each id, the first, and of these as many as fit.
    fn shrink(&mut self) {
        // The sort is stable: of records with one id the first stays, which is the one that the
        // snapshot holds.
        self.candidates.sort_by_key(|candidate| candidate.hash);
        self.candidates.dedup_by_key(|candidate| candidate.hash);
        self.bytes = 0;
        for (at, candidate) in self.candidates.iter().enumerate() {
            if self.bytes + candidate.json.len() > self.bytes_max {
                self.bound = candidate.hash;
                self.candidates.truncate(at);
                break;
            }
            self.bytes += candidate.json.len();
        }
    }

    /// Chooses symbols for documents like these.
    pub fn train(mut self) -> Encoder {
        self.shrink();
        let mut rows = Rendered::default();
        for candidate in self.candidates {
            rows.bytes.extend(candidate.json);
            rows.ends.push(rows.bytes.len());
        }
        let config = Config {
            max_dict_bits: MaxDictBits::new(SYMBOLS_LOG2).expect("accepted are 9 to 16"),
            threshold: Threshold::new(1.0).expect("the whole sample can be looked at"),
            seed: Some(SEED),
        };
        Encoder(Parser::train_rows(&rows, config))
    }
}

/// Documents in symbols.
#[derive(Default)]
pub struct Encoded {
    /// One after the other.
    pub codes: Vec<Token>,
    /// Where each begins and, last, the number of codes.
    pub offsets: Vec<u64>,
}

impl Reuse for Encoded {
    fn clear(&mut self) {
        self.codes.clear();
        self.offsets.clear();
    }
}

/// Writes documents in symbols.
pub struct Encoder(Parser);

impl Encoder {
    /// The section of the symbols.
    pub fn section(&self) -> Vec<u8> {
        let dictionary = self.0.dict.as_view();
        string_codes::encode(
            (0..dictionary.num_tokens()).map(|code| dictionary.token(code as Token)),
        )
    }

    /// Writes each document in the longest symbols, from its beginning, in place of what `out`
    /// holds.
    pub fn encode(&self, documents: &Rendered, out: &mut Encoded) {
        self.0.parse_rows_into(documents, &mut out.codes, &mut out.offsets);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::columns::string_codes::Symbols;
    use proptest::prelude::*;

    fn candidates(ids: &[u32], from: usize, bound: Hash) -> Vec<Candidate> {
        let candidate = |(at, id): (usize, &u32)| {
            // The name tells records with one id apart.
            let (id, name) = (id.to_string(), format!("Business {}", from + at));
            Candidate::new(&Record { id: &id, name: &name, ..Record::default() }, bound)
        };
        ids.iter().enumerate().filter_map(candidate).collect()
    }

    fn kept(mut sample: Sample) -> Vec<Vec<u8>> {
        sample.shrink();
        sample.candidates.into_iter().map(|candidate| candidate.json).collect()
    }

    proptest! {
        #[test]
        fn samples_do_not_depend_on_pieces(
            ids in proptest::collection::vec(0u32..60, 0..200),
            pieces in proptest::collection::vec(1usize..20, 1..100),
            bytes_max in 0usize..4000,
        ) {
            let mut at_once = Sample::of(usize::MAX / 4);
            at_once.add(candidates(&ids, 0, at_once.bound()));
            let all = kept(at_once);
            let mut in_pieces = Sample::of(bytes_max);
            let mut from = 0;
            for len in pieces.into_iter().cycle() {
                let bound = in_pieces.bound();
                let end = ids.len().min(from + len);
                in_pieces.add(candidates(&ids[from..end], from, bound));
                from = end;
                if from == ids.len() {
                    break;
                }
            }
            let mut bytes = 0;
            let fits = |json: &&Vec<u8>| {
                bytes += json.len();
                bytes <= bytes_max
            };
            let expected: Vec<Vec<u8>> = all.iter().take_while(fits).cloned().collect();
            prop_assert_eq!(kept(in_pieces), expected);
        }

        #[test]
        fn any_text_is_written_in_symbols_and_read_back(
            learnt in proptest::collection::vec("[a-c ]{0,40}", 0..40),
            texts in proptest::collection::vec(".{0,60}|[a-c ]{0,200}", 0..20),
        ) {
            let mut sample = Sample::default();
            sample.add(candidates(&[1, 2, 3], 0, sample.bound()));
            sample.candidates.extend(learnt.into_iter().zip(0u64..).map(|(text, number)| {
                let hash = blake3::hash(&number.to_le_bytes());
                Candidate { hash: *hash.as_bytes().first_chunk().unwrap(), json: text.into() }
            }));
            let encoder = sample.train();
            let symbols = Symbols::read(&encoder.section()).unwrap();
            let mut rows = Rendered::default();
            for text in &texts {
                rows.bytes.extend(text.as_bytes());
                rows.ends.push(rows.bytes.len());
            }
            let mut encoded = Encoded::default();
            encoder.encode(&rows, &mut encoded);
            prop_assert_eq!(encoded.offsets.len(), texts.len() + 1);
            for (text, range) in texts.iter().zip(encoded.offsets.windows(2)) {
                let mut read = Vec::new();
                symbols.append(&encoded.codes[range[0] as usize..range[1] as usize], &mut read);
                prop_assert_eq!(&read, text.as_bytes());
            }
        }
    }
}
