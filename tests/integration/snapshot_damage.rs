//! A damaged snapshot is never opened: every flipped bit of the frame, random bits of the rest, every truncation,
//! and sections that do not belong together.

use firmament::snapshot::format::{SECTIONS_START, SectionKind};
use firmament::snapshot::{Snapshot, SnapshotError};

const RECORDS: &str = include_str!("../../data/businesses.jsonl");

/// The bytes of a snapshot of the sample.
fn sample() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sample.firmament");
    firmament::build::from_jsonl(RECORDS, &path).unwrap();
    std::fs::read(&path).unwrap()
}

fn refused(bytes: &[u8], what: impl std::fmt::Display) -> SnapshotError {
    match Snapshot::from_bytes(bytes) {
        Ok(_) => panic!("opened although damaged: {what}"),
        Err(error) => error,
    }
}

#[test]
fn an_undamaged_snapshot_is_opened() {
    let bytes = sample();
    let snapshot = Snapshot::from_bytes(&bytes).unwrap();
    assert_eq!(snapshot.num_docs() as usize, RECORDS.lines().count());
    assert_eq!(snapshot.len_bytes(), bytes.len() as u64);
}

#[test]
fn every_bit_of_header_and_table_counts() {
    let mut bytes = sample();
    for at in 0..SECTIONS_START {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            refused(&bytes, format_args!("bit {bit} of byte {at}"));
            bytes[at] ^= 1 << bit;
        }
    }
}

#[test]
fn random_bits_of_the_sections_count_and_the_error_names_the_section() {
    let mut bytes = sample();
    let snapshot = Snapshot::from_bytes(&bytes).unwrap();
    let mut state = 7u64;
    for _ in 0..300 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let at = SECTIONS_START + (state >> 20) as usize % (bytes.len() - SECTIONS_START);
        let bit = state >> 60 & 7;
        bytes[at] ^= 1 << bit;
        let error = refused(&bytes, format_args!("bit {bit} of byte {at}")).to_string();
        bytes[at] ^= 1 << bit;
        let named = snapshot.sections().iter().find(|entry| {
            // Padding belongs to the section behind it.
            (at as u64) < entry.offset + entry.len
        });
        assert!(error.contains(&named.unwrap().kind.to_string()), "{at}: {error}");
    }
}

#[test]
fn every_truncation_and_extension_is_refused() {
    let bytes = sample();
    let edges = Snapshot::from_bytes(&bytes).unwrap();
    let edges = edges.sections().iter().flat_map(|entry| [entry.offset, entry.offset + entry.len]);
    let lens: Vec<usize> = (0..4096).chain(edges.map(|at| at as usize)).collect();
    for len in lens.into_iter().filter(|&len| len < bytes.len()) {
        refused(&bytes[..len], format_args!("cut to {len} bytes"));
    }
    for more in [1, 7, 8, 64] {
        let longer = [bytes.as_slice(), &vec![0; more]].concat();
        assert!(matches!(refused(&longer, more), SnapshotError::Length { .. }));
    }
}

#[test]
fn a_section_of_another_snapshot_is_refused() {
    let bytes = sample();
    let mut other_records: Vec<&str> = RECORDS.lines().collect();
    other_records.truncate(other_records.len() - 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.firmament");
    firmament::build::from_jsonl(&other_records.join("\n"), &path).unwrap();
    let other = std::fs::read(&path).unwrap();
    let (ours, theirs) =
        (Snapshot::from_bytes(&bytes).unwrap(), Snapshot::from_bytes(&other).unwrap());
    for kind in SectionKind::ALL {
        let (a, b) = (&ours.sections()[kind.index()], &theirs.sections()[kind.index()]);
        let len = a.len.min(b.len) as usize;
        let mut mixed = bytes.clone();
        mixed[a.offset as usize..][..len].copy_from_slice(&other[b.offset as usize..][..len]);
        if mixed != bytes {
            let error = refused(&mixed, kind).to_string();
            assert!(error.contains(&kind.to_string()), "{error}");
        }
    }
}

#[test]
fn other_files_are_told_from_snapshots() {
    assert!(matches!(refused(b"", "empty"), SnapshotError::NotASnapshot));
    assert!(matches!(refused(RECORDS.as_bytes(), "records"), SnapshotError::NotASnapshot));
    let mut newer = sample();
    newer[8] += 1;
    let error = refused(&newer, "version").to_string();
    assert!(error.contains("format version 3") && error.contains("build it again"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let error = Snapshot::open(folder.path()).unwrap_err();
    assert!(matches!(error, SnapshotError::NotAFile(_)));
    let error = Snapshot::open(&folder.path().join("absent")).unwrap_err();
    assert!(matches!(error, SnapshotError::Io { .. }));
}
