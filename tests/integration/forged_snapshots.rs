//! Snapshots whose checksums fit, but whose sections do not belong together or hold what no builder
//! writes: either they are refused, by the name of a section, or they answer any query.
//!
//! What they answer may be wrong: a checksum says that bytes are those that were written, not who
//! wrote them. The fuzz target `snapshot` goes further; its finds come back here.

use super::snapshot_damage::{Numbers, PAGE, RECORDS, Sample, TINY_RECORDS, refused};
use firmament::index::Thresholds;
use firmament::query::explain::explain;
use firmament::query::page::{Scratch, search};
use firmament::query::request::{Query, SortKey, SortOrder};
use firmament::query::session::ways::Tuning;
use firmament::query::text::TextQuery;
use firmament::render;
use firmament::snapshot::Snapshot;
use firmament::snapshot::file::error::SnapshotError;
use firmament::snapshot::file::format::{SECTIONS_START, SectionEntry, SectionKind, encode_frame};

/// The sections of a snapshot, to be changed.
#[derive(Clone)]
struct Sections(Vec<Vec<u8>>);

impl Sections {
    fn of(sample: &Sample) -> Sections {
        let section = |kind| sample.bytes[sample.range(kind)].to_vec();
        Sections(SectionKind::ALL.into_iter().map(section).collect())
    }

    fn of_kind(&mut self, kind: SectionKind) -> &mut Vec<u8> {
        &mut self.0[kind.index()]
    }

    /// The file of these sections, with checksums and content hash that fit.
    fn forge(&self) -> Vec<u8> {
        let mut end = SECTIONS_START as u64;
        let entries: Vec<SectionEntry> = SectionKind::ALL
            .into_iter()
            .zip(&self.0)
            .map(|(kind, bytes)| {
                let (offset, len) = (end.next_multiple_of(64), bytes.len() as u64);
                end = offset + len;
                SectionEntry { kind, offset, len, checksum: *blake3::hash(bytes).as_bytes() }
            })
            .collect();
        let mut file = encode_frame(&entries, end);
        for (entry, bytes) in entries.iter().zip(&self.0) {
            file.resize(entry.offset as usize, 0);
            file.extend_from_slice(bytes);
        }
        file
    }
}

/// Asks an open snapshot for everything that there is to ask.
fn ask(snapshot: &Snapshot) {
    let texts = [
        "",
        "insurance",
        "s",
        "steel corporation",
        "united states steel corporation",
        "\"sports cars\"",
        "\"united states\" steel",
        "\"united states steel\"",
        "life -insurance",
        "ferarri insurnace",
        "healthineers steel scanners",
        "siemens-healthineers",
        "ferrari.com",
        "car*",
    ];
    let orders = [
        (SortKey::Relevance, SortOrder::Desc),
        (SortKey::Relevance, SortOrder::Asc),
        (SortKey::Name, SortOrder::Desc),
        (SortKey::EmployeeCount, SortOrder::Asc),
        (SortKey::FoundedYear, SortOrder::Desc),
    ];
    for (number, text) in texts.into_iter().enumerate() {
        for tuning in [Tuning::default(), Tuning::EVERYTHING] {
            let mut scratch = Scratch::default();
            scratch.tuning = tuning;
            let (sort, order) = orders[number % orders.len()];
            let mut query = Query { sort, order, limit: 3, ..Query::default() };
            query.text = TextQuery::parse(text).unwrap();
            if number % 3 == 1 {
                query.industries = vec!["Automotive, insurance".to_owned()];
                query.employee_count_max = Some(30_000);
            }
            if number % 3 == 2 {
                query.locations = vec!["United States".to_owned(), "Maranello, Italy".to_owned()];
            }
            let page = search(snapshot, &query, &mut scratch);
            render::page(snapshot, &page);
            explain(snapshot, &query, &page);
            for cursor in [page.next_cursor, page.previous_cursor].into_iter().flatten() {
                query.cursor = Some(cursor);
                let next = search(snapshot, &query, &mut scratch);
                query.cursor = next.previous_cursor;
                render::page(snapshot, &search(snapshot, &query, &mut scratch));
            }
        }
    }
}

/// Opens a forged file, and asks it if it opens; says whether it did.
#[track_caller]
fn is_refused(file: &[u8], what: &dyn std::fmt::Display) -> bool {
    match Snapshot::from_bytes(file) {
        Ok(snapshot) => {
            ask(&snapshot);
            false
        }
        Err(SnapshotError::Damaged { section, .. }) => {
            let kinds = SectionKind::ALL.map(|kind| kind.to_string());
            assert!(kinds.contains(&section), "{what}: {section}");
            true
        }
        Err(error) => panic!("{what}: {error}"),
    }
}

#[test]
fn an_unchanged_snapshot_is_forged_byte_for_byte() {
    let sample = Sample::tiny();
    assert!(Sections::of(&sample).forge() == sample.bytes);
    assert!(!is_refused(&sample.bytes, &"unchanged"));
}

#[test]
fn a_thousand_damages_with_fitting_checksums_are_refused_or_harmless() {
    let samples = [Sample::tiny(), Sample::of(RECORDS.lines().take(70), Thresholds::EVERYTHING)];
    let donors = [
        Sample::of(RECORDS.lines().skip(1).take(TINY_RECORDS), Thresholds::EVERYTHING),
        Sample::of(RECORDS.lines().take(TINY_RECORDS + 1), Thresholds::EVERYTHING),
    ];
    let mut numbers = Numbers(17);
    let (mut count, mut num_refused) = (0, 0);
    while count < 1_000 {
        let sample = &samples[usize::from(count % 10 == 9)];
        let whole = Sections::of(sample);
        let mut sections = whole.clone();
        let kind = numbers.one_of(&SectionKind::ALL);
        let section = sections.of_kind(kind);
        let len = section.len();
        let what = match count % 8 {
            0 => {
                let start = numbers.below(len.div_ceil(PAGE).max(1)) * PAGE;
                section[start..len.min(start + PAGE)].fill(0);
                "a page zeroed"
            }
            1 => {
                let other = numbers.one_of(&SectionKind::ALL);
                sections.0.swap(kind.index(), other.index());
                "swapped with another section"
            }
            2 => {
                let donor = numbers.one_of(&[0, 1]);
                *section = donors[donor].bytes[donors[donor].range(kind)].to_vec();
                "of another snapshot"
            }
            3 => {
                let (from, to) = (numbers.below(len + 1), numbers.below(len + 1));
                let piece = numbers.below(64).min(len - from).min(len - to);
                section.copy_within(from..from + piece, to);
                "a piece twice"
            }
            4 => {
                let at = numbers.below(len + 1);
                let end = len.min(at + numbers.one_of(&[1, 2, 4, 8, 16, 64]));
                section.drain(at..end);
                "a piece missing"
            }
            5 => {
                let at = numbers.below(len + 1);
                let piece = vec![0; numbers.one_of(&[1, 2, 4, 8, 16, 64])];
                section.splice(at..at, piece);
                "a piece too much"
            }
            6 => {
                let more = numbers.one_of(&[1, 2, 4, 8, 16, 64]);
                section.resize(len + more, 0xff);
                "bytes appended"
            }
            _ if len >= 4 => {
                let at = numbers.below(len / 4) * 4;
                let old = u32::from_le_bytes(section[at..at + 4].try_into().unwrap());
                let number = numbers.one_of(&[0, 1, u32::MAX, 1 << 31, old.wrapping_add(1)]);
                section[at..at + 4].copy_from_slice(&number.to_le_bytes());
                "another number"
            }
            _ => "nothing",
        };
        if sections.0 == whole.0 {
            continue;
        }
        count += 1;
        num_refused += usize::from(is_refused(&sections.forge(), &format_args!("{kind}: {what}")));
    }
    // Both kinds are tried.
    assert!((1..1_000).contains(&num_refused), "{num_refused} of 1,000");
}

#[test]
fn a_section_of_a_snapshot_of_other_size_is_refused() {
    let sample = Sample::tiny();
    let thresholds = Thresholds { dense_keys_max: 24, ..Thresholds::EVERYTHING };
    let other = Sample::of(RECORDS.lines().take(TINY_RECORDS + 1), thresholds);
    let mut opened = Vec::new();
    for kind in SectionKind::ALL {
        let mut sections = Sections::of(&sample);
        *sections.of_kind(kind) = other.bytes[other.range(kind)].to_vec();
        if sections.0 != Sections::of(&sample).0 && !is_refused(&sections.forge(), &kind) {
            opened.push(kind);
        }
    }
    // Businesses may have no employee count, there are as many pairs, words of names are not
    // compared with terms, and a value may be of one business more.
    let expected = [
        SectionKind::EmployeeCounts,
        SectionKind::PairCounts,
        SectionKind::NameWords,
        SectionKind::FacetValues,
    ];
    assert_eq!(opened, expected);
}

#[test]
fn words_and_texts_that_make_no_sense_are_read_as_nothing() {
    let sample = Sample::of(RECORDS.lines().take(70), Thresholds::EVERYTHING);
    let bytes: [u8; 8] = [0, 1, 2, 3, 40, 0x7f, 0x80, 0xff];
    for byte in bytes {
        let mut sections = Sections::of(&sample);
        sections.of_kind(SectionKind::DocTokens).fill(byte);
        assert!(!is_refused(&sections.forge(), &format_args!("words of {byte}")));
    }
    let mut numbers = Numbers(23);
    for round in 0..20 {
        let mut sections = Sections::of(&sample);
        let words = sections.of_kind(SectionKind::DocTokens);
        words.iter_mut().for_each(|byte| *byte = numbers.one_of(&bytes));
        // Of the last document, behind its id: a code without a symbol.
        let documents = sections.of_kind(SectionKind::Documents);
        let end = documents.len();
        documents[end - 4..].fill(0xff);
        assert!(!is_refused(&sections.forge(), &format_args!("words of round {round}")));
    }
}

#[test]
fn codes_that_are_no_permutation_are_refused() {
    let sample = Sample::tiny();
    // Of fewer than 254 terms, each a byte.
    let num_terms = sample.range(SectionKind::TermCodes).len();
    assert_eq!(num_terms, sample.range(SectionKind::TermWeights).len() / 2);
    for code in [0, 2, num_terms as u8 + 3, u8::MAX] {
        let mut sections = Sections::of(&sample);
        sections.of_kind(SectionKind::TermCodes)[0] = code;
        let error = refused(&sections.forge(), code).to_string();
        assert!(error.contains("TermCodes") && error.contains("codes of terms"), "{error}");
    }
}

#[test]
fn counts_of_pairs_that_are_too_large_are_harmless() {
    let sample = Sample::of(RECORDS.lines().take(70), Thresholds::EVERYTHING);
    let mut sections = Sections::of(&sample);
    for count in sections.of_kind(SectionKind::PairCounts).chunks_exact_mut(4) {
        count.copy_from_slice(&70u32.to_le_bytes());
    }
    let snapshot = Snapshot::from_bytes(&sections.forge()).unwrap();
    // Fewer than 70 hold the one, and more hold both.
    for q in ["steel -corporation", "steel -states", "united -steel"] {
        let query = Query { text: TextQuery::parse(q).unwrap(), ..Query::default() };
        assert_eq!(search(&snapshot, &query, &mut Scratch::default()).total, 0, "{q}");
    }
    ask(&snapshot);
}

#[test]
fn every_flipped_bit_of_an_fst_is_refused_by_name_or_harmless() {
    let sample = Sample::tiny();
    let kinds = [
        SectionKind::IndustryKeys,
        SectionKind::PlaceKeys,
        SectionKind::TermKeys,
        SectionKind::PrefixKeys,
    ];
    for kind in kinds {
        let len = sample.range(kind).len();
        let mut num_refused = 0;
        for bit in 0..len * 8 {
            let mut sections = Sections::of(&sample);
            sections.of_kind(kind)[bit / 8] ^= 1 << (bit % 8);
            let what = format!("bit {bit} of {kind}");
            match Snapshot::from_bytes(&sections.forge()) {
                Ok(snapshot) if bit % 16 == 0 => ask(&snapshot),
                Ok(_) => {}
                Err(SnapshotError::Damaged { section, .. }) => {
                    assert_eq!(section, kind.to_string(), "{what}");
                    num_refused += 1;
                }
                Err(error) => panic!("{what}: {error}"),
            }
        }
        // Another letter is another key; lengths and ways are refused.
        assert!((len..len * 8).contains(&num_refused), "{kind}: {num_refused} of {}", len * 8);
    }
}

#[test]
fn every_flipped_bit_of_hosts_is_refused_by_name_or_harmless() {
    let records = RECORDS.lines().take(TINY_RECORDS);
    // Two of them on one host.
    let twice = RECORDS.lines().next().unwrap().replacen("\"id\":\"", "\"id\":\"again-", 1);
    let sample = Sample::of(records.chain([twice.as_str()]), Thresholds::EVERYTHING);
    let kinds = [SectionKind::HostBuckets, SectionKind::HostEntries, SectionKind::HostPostings];
    let mut num_open = 0;
    for kind in kinds {
        let bits = sample.range(kind).len() * 8;
        let mut num_refused = 0;
        for bit in 0..bits {
            let mut sections = Sections::of(&sample);
            sections.of_kind(kind)[bit / 8] ^= 1 << (bit % 8);
            let what = format!("bit {bit} of {kind}");
            match Snapshot::from_bytes(&sections.forge()) {
                Ok(snapshot) => {
                    num_open += 1;
                    if bit % 4 == 0 {
                        ask(&snapshot);
                    }
                }
                Err(SnapshotError::Damaged { section, .. }) => {
                    assert!(kinds.map(|kind| kind.to_string()).contains(&section), "{what}");
                    num_refused += 1;
                }
                Err(error) => panic!("{what}: {error}"),
            }
        }
        assert!(num_refused > bits / 4, "{kind}: {num_refused} of {bits}");
    }
    // Another hash is another host, another business is on it.
    assert!(num_open > 0);
}
