//! A damaged snapshot is never opened, and the error names what is damaged: flipped bits, zeroed
//! pages, sections in the place of others, pieces in other places, files cut short or grown.
//!
//! Here checksums are left as they were; [`forged_snapshots`](super::forged_snapshots) makes them
//! fit.

use firmament::index::{Thresholds, from_jsonl_storing};
use firmament::snapshot::Snapshot;
use firmament::snapshot::file::error::SnapshotError;
use firmament::snapshot::file::format::{
    FORMAT_VERSION, SECTIONS_START, SectionEntry, SectionKind,
};
use std::ops::Range;

pub const RECORDS: &str = include_str!("../../data/businesses.jsonl");

/// Records of the tiny snapshot.
pub const TINY_RECORDS: usize = 8;

/// Bytes of a page of memory, which is what a file system loses at a time.
pub const PAGE: usize = 4096;

/// A valid snapshot in memory.
pub struct Sample {
    pub bytes: Vec<u8>,
    pub sections: Vec<SectionEntry>,
}

impl Sample {
    /// A snapshot of these records, in which either little or everything is stored that can be.
    pub fn of<'a>(records: impl IntoIterator<Item = &'a str>, thresholds: Thresholds) -> Sample {
        let lines: Vec<&str> = records.into_iter().collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sample.firmament");
        from_jsonl_storing(thresholds, &lines.join("\n"), &path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let sections = Snapshot::from_bytes(&bytes).unwrap().sections().to_vec();
        Sample { bytes, sections }
    }

    /// All records, as any server has them.
    pub fn large() -> Sample {
        Sample::of(RECORDS.lines(), Thresholds::default())
    }

    /// A few records, and few pairs of them.
    pub fn tiny() -> Sample {
        let thresholds = Thresholds { dense_keys_max: 24, ..Thresholds::EVERYTHING };
        Sample::of(RECORDS.lines().take(TINY_RECORDS), thresholds)
    }

    /// Where a section lies.
    pub fn range(&self, kind: SectionKind) -> Range<usize> {
        self.sections[kind.index()].range()
    }

    /// What the error must name if the byte `at` is the first that is wrong: padding belongs to the
    /// section behind.
    fn part(&self, at: usize) -> String {
        if at < SECTIONS_START {
            return "header".to_owned();
        }
        let entry = self.sections.iter().find(|entry| (at as u64) < entry.offset + entry.len);
        entry.expect("sections reach to the end").kind.to_string()
    }

    /// Asserts that `damaged`, which has the same length, is refused by the name of its first
    /// damaged part.
    #[track_caller]
    fn assert_named(&self, damaged: &[u8], what: &dyn std::fmt::Display) {
        let at = self.bytes.iter().zip(damaged).position(|(a, b)| a != b).expect("is damaged");
        let error = refused(damaged, what);
        match at {
            0..8 => assert!(matches!(error, SnapshotError::NotASnapshot), "{what}: {error}"),
            8..12 => {
                assert!(matches!(error, SnapshotError::FormatVersion { .. }), "{what}: {error}");
            }
            16..24 => assert!(matches!(error, SnapshotError::Length { .. }), "{what}: {error}"),
            _ => {
                let SnapshotError::Damaged { section, .. } = error else {
                    panic!("{what}: {error}")
                };
                assert_eq!(section, self.part(at), "{what}");
            }
        }
    }
}

/// Numbers that are the same in every run.
pub struct Numbers(pub u64);

impl Numbers {
    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0) * end as u128) >> 64) as usize
    }

    /// One of them.
    pub fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

#[track_caller]
pub fn refused(bytes: &[u8], what: impl std::fmt::Display) -> SnapshotError {
    match Snapshot::from_bytes(bytes) {
        Ok(_) => panic!("opened although damaged: {what}"),
        Err(error) => error,
    }
}

#[test]
fn an_undamaged_snapshot_is_opened() {
    let sample = Sample::large();
    let snapshot = Snapshot::from_bytes(&sample.bytes).unwrap();
    assert_eq!(snapshot.num_docs() as usize, RECORDS.lines().count());
    assert_eq!(snapshot.len_bytes(), sample.bytes.len() as u64);
}

#[test]
fn every_bit_of_header_and_table_counts() {
    let sample = Sample::tiny();
    let mut bytes = sample.bytes.clone();
    let mut count = 0;
    for at in 0..SECTIONS_START {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            sample.assert_named(&bytes, &format_args!("bit {bit} of byte {at}"));
            bytes[at] ^= 1 << bit;
            count += 1;
        }
    }
    assert_eq!(count, (64 + 64 * SectionKind::ALL.len()) * 8);
}

#[test]
fn ten_thousand_flipped_bits_are_refused_by_name() {
    let sample = Sample::large();
    let mut bytes = sample.bytes.clone();
    let mut numbers = Numbers(7);
    for _ in 0..10_000 {
        let (at, bit) = (numbers.below(bytes.len()), numbers.below(8));
        bytes[at] ^= 1 << bit;
        sample.assert_named(&bytes, &format_args!("bit {bit} of byte {at}"));
        bytes[at] ^= 1 << bit;
    }
    assert!(bytes == sample.bytes);
}

#[test]
fn a_thousand_structural_damages_are_refused_by_name() {
    let sample = Sample::large();
    let others = [
        Sample::of(RECORDS.lines().skip(1), Thresholds::default()),
        Sample::of(RECORDS.lines(), Thresholds::EVERYTHING),
    ];
    let mut numbers = Numbers(11);
    let mut count = 0;
    while count < 1_000 {
        let mut bytes = sample.bytes.clone();
        let len = bytes.len();
        let what = match count % 4 {
            0 => {
                let page = numbers.below(len.div_ceil(PAGE));
                bytes[page * PAGE..len.min((page + 1) * PAGE)].fill(0);
                format!("page {page} zeroed")
            }
            1 => {
                let (a, b) = (numbers.one_of(&SectionKind::ALL), numbers.one_of(&SectionKind::ALL));
                let (into, from) = (sample.range(a), sample.range(b));
                let len = into.len().min(from.len());
                bytes[into.start..][..len].copy_from_slice(&sample.bytes[from.start..][..len]);
                bytes[from.start..][..len].copy_from_slice(&sample.bytes[into.start..][..len]);
                format!("{a} and {b} swapped")
            }
            2 => {
                let (kind, other) = (numbers.one_of(&SectionKind::ALL), &others[count / 4 % 2]);
                let (into, from) = (sample.range(kind), other.range(kind));
                let len = into.len().min(from.len());
                bytes[into.start..][..len].copy_from_slice(&other.bytes[from.start..][..len]);
                format!("{kind} of another snapshot")
            }
            _ => {
                let (from, to) = (numbers.below(len), numbers.below(len));
                let most = PAGE.min(len - from).min(len - to);
                let piece = 1 + numbers.below(most);
                bytes.copy_within(from..from + piece, to);
                format!("{piece} bytes at {from} once more at {to}")
            }
        };
        // Zeros over zeros, or a section of both: no damage.
        if bytes != sample.bytes {
            sample.assert_named(&bytes, &what);
            count += 1;
        }
    }
}

#[test]
fn every_length_of_a_tiny_snapshot_is_refused() {
    let sample = Sample::tiny();
    for len in 0..sample.bytes.len() {
        match refused(&sample.bytes[..len], len) {
            SnapshotError::NotASnapshot => assert!(len < 64),
            SnapshotError::Length { expected, found } => {
                assert_eq!((expected, found), (sample.bytes.len() as u64, len as u64));
            }
            error => panic!("cut to {len}: {error}"),
        }
    }
}

#[test]
fn truncations_and_extensions_of_a_large_snapshot_are_refused() {
    let sample = Sample::large();
    let end = sample.bytes.len();
    let edges = SectionKind::ALL.into_iter().flat_map(|kind| {
        let Range { start, end } = sample.range(kind);
        (start.saturating_sub(64)..=start + 64).chain(end.saturating_sub(64)..=end + 64)
    });
    let mut numbers = Numbers(13);
    let random: Vec<usize> = (0..1_000).map(|_| numbers.below(end)).collect();
    let lens = (64..=PAGE).chain(edges).chain(random).filter(|&len| len < end);
    for len in lens {
        let error = refused(&sample.bytes[..len], format_args!("cut to {len} bytes"));
        assert!(matches!(error, SnapshotError::Length { .. }), "{len}: {error}");
    }
    for more in 1..=64 {
        for byte in [0, 0xff] {
            let longer = [sample.bytes.as_slice(), &vec![byte; more]].concat();
            let error = refused(&longer, format_args!("{more} bytes more"));
            assert!(matches!(error, SnapshotError::Length { .. }), "{more}: {error}");
        }
    }
}

#[test]
fn other_files_are_told_from_snapshots() {
    assert!(matches!(refused(b"", "empty"), SnapshotError::NotASnapshot));
    assert!(matches!(refused(RECORDS.as_bytes(), "records"), SnapshotError::NotASnapshot));
    let mut newer = Sample::tiny().bytes;
    newer[8] = newer[8].wrapping_add(1);
    let error = refused(&newer, "version").to_string();
    assert!(
        error.contains(&format!("format version {}", FORMAT_VERSION + 1))
            && error.contains("build it again"),
        "{error}"
    );
    let folder = tempfile::tempdir().unwrap();
    let error = Snapshot::open(folder.path()).unwrap_err();
    assert!(matches!(error, SnapshotError::NotAFile(_)));
    let error = Snapshot::open(&folder.path().join("absent")).unwrap_err();
    assert!(matches!(error, SnapshotError::Io { .. }));
}
