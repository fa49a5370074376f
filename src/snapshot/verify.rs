//! Opening: from the bytes of a file to a [`Snapshot`] of which all is known to be in order.
//!
//! Header, padding and checksums first, then every section by the check beside its reader, those that take long side by
//! side.

use super::best_within::{BestWithin, CountedBest, INDUSTRY_BEST, PHRASE_INDUSTRY_BEST};
use super::dense::PairCounts;
use super::dictionary::{self, Dictionary};
use super::documents::Documents;
use super::employee_counts::EmployeeCounts;
use super::error::SnapshotError;
use super::filter_pairs::FilterPairs;
use super::format::{self, SectionEntry, SectionKind};
use super::hosts::Hosts;
use super::mapped::{Backing, Section};
use super::name_weights::NameWeights;
use super::offsets::Offsets;
use super::phrases::StoredPhrases;
use super::positions::Positions;
use super::prefixes::Prefixes;
use super::sort_order::SortOrders;
use super::term_best::TermBest;
use super::term_endings::TermEndings;
use super::terms::Terms;
use super::triples::StoredTriples;
use super::word_pairs::WordPairs;
use super::{Metadata, Snapshot, SnapshotVersion};
use crate::bytes::cast;
use std::sync::Arc;

/// Bytes looked at between two releases, where a snapshot is opened in passing.
const PASS_BYTES: usize = 64 << 20;

impl Snapshot {
    /// Verifies all bytes of a snapshot.
    ///
    /// # Errors
    /// As [`Snapshot::open`].
    pub(super) fn verify(backing: Arc<Backing>) -> Result<Snapshot, SnapshotError> {
        let (entries, hash) = format::decode_frame(backing.bytes())?;
        check_bytes(&backing, &entries)?;
        let version = SnapshotVersion(u64::from_le_bytes(hash[..8].try_into().expect("8 bytes")));
        Snapshot::of_sections(backing, entries, version)
    }

    /// Looks through the sections that stand where `entries` say: all of them, or, while a snapshot is being written, those
    /// before [`WordPairBest`](SectionKind::WordPairBest), which is made of the answers to queries.
    ///
    /// # Errors
    /// A section is not as it should be.
    pub(super) fn of_sections(
        backing: Arc<Backing>,
        entries: Vec<SectionEntry>,
        version: SnapshotVersion,
    ) -> Result<Snapshot, SnapshotError> {
        let section =
            |kind: SectionKind| Section::new(backing.clone(), entries[kind.index()].range());
        let metadata = read_metadata(section(SectionKind::Metadata))?;
        let num_docs = metadata.num_docs;
        let employee_counts = EmployeeCounts::open(section(SectionKind::EmployeeCounts), num_docs)?;
        let founded_years = section(SectionKind::FoundedYears);
        check_years(&founded_years, num_docs)?;
        let doc_tokens = section(SectionKind::DocTokens);
        let mut slots = Slots::default();
        let Slots {
            orders,
            offsets,
            documents,
            industries,
            places,
            hosts,
            terms,
            prefixes,
            phrases,
        } = &mut slots;
        // Each spreads over all cores; side by side, none of them waits for the last thread of another.
        let check_all = || {
            rayon::scope(|scope| {
                let section = &section;
                // What is spawned first is taken up by other cores, what is spawned last by this one: these two begin with
                // keys, which one core walks.
                scope.spawn(|_| *terms = Some(Terms::open(section, num_docs)));
                scope.spawn(|_| *documents = Some(Documents::open(section, num_docs)));
                scope.spawn(|_| *prefixes = Some(Prefixes::open(section, num_docs)));
                let dictionary = |kinds| Some(Dictionary::open(kinds, section, num_docs));
                scope.spawn(move |_| *industries = dictionary(dictionary::INDUSTRIES));
                scope.spawn(move |_| *places = dictionary(dictionary::PLACES));
                scope.spawn(|_| *phrases = Some(StoredPhrases::open(section, num_docs)));
                scope.spawn(|_| {
                    let years = cast(founded_years.as_ref());
                    *orders = Some(SortOrders::open(section, num_docs, &employee_counts, years));
                });
                scope.spawn(|_| {
                    let kind = SectionKind::DocTokenOffsets;
                    let end = doc_tokens.as_ref().len() as u64;
                    let len = num_docs as usize + 1;
                    *offsets = Some(Offsets::open(kind, section(kind), len, end));
                });
                scope.spawn(|_| *hosts = Some(Hosts::open(section, num_docs)));
            })
        };
        backing.release_during(check_all);
        let orders = opened(slots.orders)?;
        let doc_token_offsets = opened(slots.offsets)?;
        let documents = opened(slots.documents)?;
        let industries = opened(slots.industries)?;
        let places = opened(slots.places)?;
        let hosts = opened(slots.hosts)?;
        let terms = opened(slots.terms)?;
        let prefixes = opened(slots.prefixes)?;
        let phrases = opened(slots.phrases)?;
        let num_keys = [terms.len(), industries.len(), places.len()];
        let pair_counts = PairCounts::open(&section, num_keys, num_docs)?;
        let filters = section(SectionKind::FilterPairs);
        let num_filters = [industries.len(), places.len()];
        let filter_pairs = FilterPairs::open(filters, num_filters, num_docs)?;
        let filters = [&industries, &places];
        let positions =
            backing.release_during(|| Positions::open(&section, terms.len(), filters, num_docs))?;
        let best_within = |kinds, num_keys, num_sets| {
            BestWithin::open(kinds, &section, num_keys, num_sets, num_docs)
        };
        let (num_terms, num_industries) = (pair_counts.num_terms(), industries.len());
        let phrase_industry_best =
            best_within(PHRASE_INDUSTRY_BEST, phrases.len(), num_industries)?;
        let industry_best = CountedBest::open(
            best_within(INDUSTRY_BEST, num_terms, num_industries)?,
            SectionKind::IndustryTotals,
            &section,
        )?;
        let has_word_pairs = entries.len() > SectionKind::WordPairEnds.index();
        let word_pairs = has_word_pairs.then(|| WordPairs::open(&section, num_terms, num_docs));
        let triples = StoredTriples::open(&section, num_terms, num_docs)?;
        let term_best = TermBest::open(&section, terms.len(), num_docs)?;
        let term_endings = TermEndings::open(section(SectionKind::TermEndings))?;
        let name_weights = NameWeights::open(section(SectionKind::NameWeights), num_docs)?;
        backing.release(0..backing.bytes().len());
        Ok(Snapshot {
            version,
            documents,
            employee_counts,
            founded_years,
            orders,
            industries,
            places,
            hosts,
            terms,
            term_endings,
            name_weights,
            doc_token_offsets,
            doc_tokens,
            prefixes,
            pair_counts,
            filter_pairs,
            positions,
            phrase_industry_best,
            term_best,
            industry_best,
            word_pairs: word_pairs.transpose()?,
            phrases,
            triples,
            metadata,
            entries,
            backing,
        })
    }
}

/// Compares sections with their checksums, and what lies between them with zeroes.
fn check_bytes(backing: &Backing, entries: &[SectionEntry]) -> Result<(), SnapshotError> {
    let bytes = backing.bytes();
    let mut end = format::SECTIONS_START;
    for entry in entries {
        let range = entry.range();
        if bytes[end..range.start].iter().any(|&byte| byte != 0) {
            return Err(SnapshotError::damaged(entry.kind, "bytes before it are not zero"));
        }
        end = range.end;
        let mut hasher = blake3::Hasher::new();
        for start in range.clone().step_by(PASS_BYTES) {
            let piece = start..range.end.min(start + PASS_BYTES);
            hasher.update_rayon(&bytes[piece.clone()]);
            backing.release(piece);
        }
        if hasher.finalize() != entry.checksum {
            let reason = "its bytes do not fit its checksum";
            return Err(SnapshotError::damaged(entry.kind, reason));
        }
    }
    Ok(())
}

/// What is opened side by side.
#[derive(Default)]
struct Slots {
    orders: Slot<SortOrders>,
    offsets: Slot<Offsets>,
    documents: Slot<Documents>,
    industries: Slot<Dictionary>,
    places: Slot<Dictionary>,
    hosts: Slot<Hosts>,
    terms: Slot<Terms>,
    prefixes: Slot<Prefixes>,
    phrases: Slot<StoredPhrases>,
}

type Slot<T> = Option<Result<T, SnapshotError>>;

fn opened<T>(slot: Slot<T>) -> Result<T, SnapshotError> {
    slot.expect("a scope ends when everything in it is done")
}

fn check_years(years: &Section, num_docs: u32) -> Result<(), SnapshotError> {
    let kind = SectionKind::FoundedYears;
    if years.checked_slice::<u16>(kind)?.len() != num_docs as usize {
        return Err(SnapshotError::damaged(kind, "one year per business is expected"));
    }
    Ok(())
}

/// Reads the metadata and refuses a snapshot whose words were made by other rules than this program's.
fn read_metadata(section: Section) -> Result<Metadata, SnapshotError> {
    use crate::analyzer::{ANALYZER_VERSION, UNICODE_VERSION};
    let metadata: Metadata = serde_json::from_slice(section.as_ref())
        .map_err(|error| SnapshotError::damaged(SectionKind::Metadata, error))?;
    if metadata.analyzer_version != ANALYZER_VERSION || metadata.unicode_version != UNICODE_VERSION
    {
        let name = |analyzer: u32, unicode: &str| format!("analyzer {analyzer}, Unicode {unicode}");
        return Err(SnapshotError::Analyzer {
            found: name(metadata.analyzer_version, &metadata.unicode_version),
            expected: name(ANALYZER_VERSION, UNICODE_VERSION),
        });
    }
    if metadata.num_docs > crate::limits::DOCS_MAX {
        return Err(SnapshotError::damaged(SectionKind::Metadata, "too many businesses"));
    }
    Ok(metadata)
}
