//! Instructions that damage a snapshot, and checksums that fit it again.

use super::samples::{NUM, SAMPLES, assemble};
use firmament::snapshot::file::format::{SECTIONS_START, SectionKind};
use std::borrow::Cow;

/// Longest section that instructions make.
const SECTION_BYTES_MAX: usize = 1 << 18;

/// Where the content hash stands.
const HASH: std::ops::Range<usize> = 24..56;

/// What reads the input: zeros behind its end.
struct Instructions<'a>(&'a [u8]);

impl<'a> Instructions<'a> {
    fn byte(&mut self) -> u8 {
        let Some((&byte, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        byte
    }

    fn number(&mut self, len: usize) -> u64 {
        (0..len).fold(0, |number, at| number | u64::from(self.byte()) << (8 * at))
    }

    fn bytes(&mut self, len: usize) -> &'a [u8] {
        let (bytes, rest) = self.0.split_at(len.min(self.0.len()));
        self.0 = rest;
        bytes
    }

    /// A place in `0..len`, 0 if there is none.
    fn place(&mut self, len: usize) -> usize {
        let number = self.number(2) as usize;
        number.checked_rem(len).unwrap_or(0)
    }

    /// The place of a number of `size` bytes.
    fn aligned_place(&mut self, len: usize, size: usize) -> usize {
        self.place(len / size) * size
    }
}

/// The file that the instructions make.
pub fn damaged(data: &[u8]) -> Vec<u8> {
    let mut instructions = Instructions(data);
    // The smaller, the more often.
    let sample = match instructions.byte() % 32 {
        0..20 => 0,
        20..29 => 1,
        29..31 => 2,
        _ => 3,
    };
    let base = &SAMPLES[sample];
    let mut sections: Vec<Cow<'_, [u8]>> =
        base.sections.iter().map(|section| Cow::Borrowed(section.as_slice())).collect();
    let mut frame: Vec<(usize, u8)> = Vec::new();
    while !instructions.0.is_empty() {
        let operation = instructions.byte();
        if operation % 32 == 31 {
            let at = instructions.place(SECTIONS_START);
            frame.push((at, instructions.byte()));
            continue;
        }
        let at = usize::from(instructions.byte()) % sections.len();
        let mut section = std::mem::take(&mut sections[at]).into_owned();
        change(operation % 32, at, &mut section, &mut sections, &mut instructions);
        section.truncate(SECTION_BYTES_MAX);
        sections[at] = Cow::Owned(section);
    }
    let mut checksums = base.checksums.clone();
    for (section, checksum) in sections.iter().zip(&mut checksums) {
        if let Cow::Owned(bytes) = section {
            *checksum = *blake3::hash(bytes).as_bytes();
        }
    }
    let mut bytes = assemble(&sections, &checksums);
    if !frame.is_empty() {
        for (at, byte) in frame {
            bytes[at] = byte;
        }
        bytes[HASH].fill(0);
        let hash = blake3::hash(&bytes[..SECTIONS_START]);
        bytes[HASH].copy_from_slice(hash.as_bytes());
    }
    bytes
}

/// Changes one section.
fn change(
    operation: u8,
    at: usize,
    section: &mut Vec<u8>,
    others: &mut [Cow<'_, [u8]>],
    instructions: &mut Instructions<'_>,
) {
    let len = section.len();
    match operation {
        0..3 if len > 0 => section[instructions.place(len)] = instructions.byte(),
        3..5 if len > 0 => section[instructions.place(len)] ^= 1 << (instructions.byte() & 7),
        5..8 if len >= 4 => {
            let place = instructions.aligned_place(len, 4);
            let number = instructions.number(4) as u32;
            section[place..place + 4].copy_from_slice(&number.to_le_bytes());
        }
        8..11 if len >= 4 => {
            let place = instructions.aligned_place(len, 4);
            let old = u32::from_le_bytes(section[place..place + 4].try_into().expect("4 bytes"));
            let number = old.wrapping_add_signed(i32::from(instructions.byte() as i8));
            section[place..place + 4].copy_from_slice(&number.to_le_bytes());
        }
        11 if len >= 8 => {
            let place = instructions.aligned_place(len, 8);
            let number = instructions.number(8);
            section[place..place + 8].copy_from_slice(&number.to_le_bytes());
        }
        12..14 if len >= 2 => {
            let place = instructions.aligned_place(len, 2);
            let number = instructions.number(2) as u16;
            section[place..place + 2].copy_from_slice(&number.to_le_bytes());
        }
        14 => {
            let place = instructions.place(len + 1);
            let end = (place + usize::from(instructions.byte())).min(len);
            section[place..end].fill(instructions.byte());
        }
        15 => section.truncate(instructions.place(len + 1)),
        16 => {
            let more = usize::from(instructions.byte());
            section.resize(len + more, instructions.byte());
        }
        17 => {
            let place = instructions.place(len + 1);
            let count = usize::from(instructions.byte() % 16);
            let bytes = instructions.bytes(count);
            section.splice(place..place, bytes.iter().copied());
        }
        18 => {
            let place = instructions.place(len + 1);
            let end = (place + usize::from(instructions.byte())).min(len);
            section.drain(place..end);
        }
        19 => {
            let from = instructions.place(len + 1);
            let to = instructions.place(len + 1);
            let count = usize::from(instructions.byte()).min(len - from).min(len - to);
            section.copy_within(from..from + count, to);
        }
        20..23 => {
            let place = instructions.place(len + 1);
            let count = usize::from(instructions.byte() % 64);
            let bytes = instructions.bytes(count);
            let end = (place + bytes.len()).min(len);
            section[place..end].copy_from_slice(&bytes[..end - place]);
        }
        23 => {
            let other = usize::from(instructions.byte()) % NUM;
            section.clone_from(&SAMPLES[other].sections[at]);
        }
        24 => {
            let other = usize::from(instructions.byte()) % SectionKind::ALL.len();
            if other != at {
                let theirs = others[other].to_vec();
                others[other] = Cow::Owned(std::mem::replace(section, theirs));
            }
        }
        25 => {
            let count = instructions.place(4096);
            *section = instructions.bytes(count).to_vec();
        }
        // An fst ends with its length, its root and a checksum that nothing reads.
        26..28 if len >= 36 => {
            let place = if operation == 26 { len - 12 } else { len - 20 };
            let number = instructions.number(2);
            section[place..place + 8].copy_from_slice(&number.to_le_bytes());
        }
        // The number of businesses.
        28 => {
            let number = instructions.number(2);
            let text = String::from_utf8_lossy(section).into_owned();
            if let Some((front, rest)) = text.split_once("\"num_docs\":") {
                let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                *section = format!("{front}\"num_docs\":{number}{rest}").into_bytes();
            }
        }
        _ => {}
    }
}
