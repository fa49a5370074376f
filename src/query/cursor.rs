//! Cursors: positions in a sequence of results, as opaque text.
//!
//! A cursor holds no secret and needs no state on a server: any replica that has the snapshot open
//! accepts it. It names the snapshot and a fingerprint of the query, so that it cannot be used with
//! another one unnoticed; it carries the time of the snapshot's build, so that one which is ahead
//! of a replica is told from one that is out of date, and a checksum, which tells a damaged one.
//!
//! ```text
//! CURSOR    := base64url without padding of (FORMAT SIDE SNAPSHOT BUILT QUERY KEY DOC RANK CHECKSUM), little-endian
//! FORMAT    := u8, 3
//! SIDE      := u8, 0: the page after the position; 1: the page before it
//! SNAPSHOT  := u64, version of the snapshot
//! BUILT     := u64, when the snapshot was built, in seconds since 1970
//! QUERY     := u64, fingerprint of the query
//! KEY       := u64, relevance key of the position; 0 for the other sorts
//! DOC       := u32, DocId at the position
//! RANK      := u32, how many results stand before the position
//! CHECKSUM  := u32, first bytes of the BLAKE3 hash of everything before
//! ```
//!
//! A page is found by its position; the rank says how many results are left, so that behind the
//! last of them nobody is looked for: to see that nobody is there took up to a thousand times as
//! long as a page.

use crate::ids::DocId;
use crate::snapshot::SnapshotVersion;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

const FORMAT: u8 = 3;
const BODY_BYTES: usize = 1 + 1 + 8 + 8 + 8 + 8 + 4 + 4;
const CURSOR_BYTES: usize = BODY_BYTES + 4;

/// Longest accepted cursor, in characters (contract, section 6).
pub const CURSOR_CHARS_MAX: usize = 128;
const _: () = assert!(CURSOR_BYTES.div_ceil(3) * 4 <= CURSOR_CHARS_MAX);

/// On which side of a position a page lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The page begins right after the position.
    After,
    /// The page ends right before the position.
    Before,
}

/// A place in a sequence of results.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    /// What orders results by relevance; 0 for the other sorts, whose order the `DocId` gives.
    pub relevance_key: u64,
    /// The business at the place.
    pub doc: DocId,
}

/// A place in the results of one query over one snapshot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cursor {
    /// On which side of the position the page lies.
    pub side: Side,
    /// The snapshot whose results these are.
    pub snapshot_version: SnapshotVersion,
    /// When that snapshot was built, in seconds since 1970.
    pub built_at: u64,
    /// The query whose results these are.
    pub query_fingerprint: u64,
    /// The place.
    pub position: Position,
    /// How many results stand before it.
    pub rank: u32,
}

/// The text is no cursor: damaged, cut, or never issued.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "cursor is damaged or was not issued by this service: use next_cursor or previous_cursor of an earlier \
     response unchanged, or leave cursor out to begin at the first page"
)]
pub struct InvalidCursor;

impl Cursor {
    /// The cursor as text, URL-safe.
    pub fn encode(&self) -> String {
        let mut bytes = Vec::with_capacity(CURSOR_BYTES);
        bytes.push(FORMAT);
        bytes.push(match self.side {
            Side::After => 0,
            Side::Before => 1,
        });
        bytes.extend(self.snapshot_version.0.to_le_bytes());
        bytes.extend(self.built_at.to_le_bytes());
        bytes.extend(self.query_fingerprint.to_le_bytes());
        bytes.extend(self.position.relevance_key.to_le_bytes());
        bytes.extend(self.position.doc.0.to_le_bytes());
        bytes.extend(self.rank.to_le_bytes());
        bytes.extend(checksum(&bytes));
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads what [`Cursor::encode`] wrote.
    ///
    /// # Errors
    /// The text is anything else.
    pub fn decode(text: &str) -> Result<Cursor, InvalidCursor> {
        if text.len() > CURSOR_CHARS_MAX {
            return Err(InvalidCursor);
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| InvalidCursor)?;
        let bytes: &[u8; CURSOR_BYTES] = bytes.as_slice().try_into().map_err(|_| InvalidCursor)?;
        let (body, check) = bytes.split_at(BODY_BYTES);
        if body[0] != FORMAT || check != checksum(body) {
            return Err(InvalidCursor);
        }
        let side = match body[1] {
            0 => Side::After,
            1 => Side::Before,
            _ => return Err(InvalidCursor),
        };
        let word = |at: usize| u64::from_le_bytes(body[at..at + 8].try_into().expect("8 bytes"));
        let half = |at: usize| u32::from_le_bytes(body[at..at + 4].try_into().expect("4 bytes"));
        Ok(Cursor {
            side,
            snapshot_version: SnapshotVersion(word(2)),
            built_at: word(10),
            query_fingerprint: word(18),
            position: Position { relevance_key: word(26), doc: DocId(half(34)) },
            rank: half(38),
        })
    }

    /// How many of `total` results are on its side of the position.
    pub fn num_beyond(&self, total: u64) -> u64 {
        match self.side {
            Side::After => total.saturating_sub(u64::from(self.rank) + 1),
            Side::Before => u64::from(self.rank).min(total),
        }
    }

    /// The snapshot whose results the cursor walks.
    pub fn snapshot_version(&self) -> SnapshotVersion {
        self.snapshot_version
    }

    /// The fingerprint of the query whose results the cursor walks.
    pub fn query_fingerprint(&self) -> u64 {
        self.query_fingerprint
    }
}

fn checksum(bytes: &[u8]) -> [u8; 4] {
    blake3::hash(bytes).as_bytes()[..4].try_into().expect("four bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursor() -> Cursor {
        Cursor {
            side: Side::Before,
            snapshot_version: SnapshotVersion(0x0123_4567_89ab_cdef),
            built_at: 0xfedc_ba98_7654_3210,
            query_fingerprint: 42,
            position: Position { relevance_key: 7 << 40, doc: DocId(99) },
            rank: 1234,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let text = cursor().encode();
        assert_eq!(text.len(), 62);
        assert_eq!(Cursor::decode(&text), Ok(cursor()));
    }

    #[test]
    fn every_change_of_a_character_is_noticed() {
        let text = cursor().encode();
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= %é";
        for (at, old) in text.char_indices() {
            for new in alphabet.chars().filter(|&new| new != old) {
                let mut changed = text.clone();
                changed.replace_range(at..=at, new.encode_utf8(&mut [0; 4]));
                assert_eq!(Cursor::decode(&changed), Err(InvalidCursor), "{at} {old} {new}");
            }
        }
    }

    #[test]
    fn what_was_never_issued_is_refused() {
        let text = cursor().encode();
        let longer = format!("{text}AAAA");
        let doubled = format!("{text}{text}");
        let huge = "A".repeat(10_000);
        for text in ["", "A", &text[1..], &text[..61], &longer, &doubled, &huge, "++++", "===="] {
            assert_eq!(Cursor::decode(text), Err(InvalidCursor));
        }
    }
}
