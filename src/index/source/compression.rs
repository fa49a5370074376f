//! Unpacking gzip and zstd, told by their first bytes.
//!
//! What would pass damage on in silence is refused: data after the last gzip member, zstd frames
//! without a checksum (RFC 8878, Content_Checksum_flag). So is what was made to fill memory: see
//! [`UNPACKED_FREE_BYTES`], [`ZSTD_WINDOW_LOG_MAX`]. Memory: the window of the format and one
//! buffer.

use crate::limits::{UNPACKED_FREE_BYTES, UNPACKED_RATIO_MAX, ZSTD_WINDOW_LOG_MAX};
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes per read.
pub const BUFFER_BYTES: usize = 1 << 18;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Most first bytes that tell how something is packed.
const MAGIC_BYTES_MAX: usize = 96;

/// What is not unpacked here: its first bytes, its name, and what unpacks it.
const OTHERS: [(&[u8], &str, &str); 5] = [
    (b"BZh91AY&SY", "bzip2", "bzip2 -dc"),
    (b"\xfd7zXZ\0", "xz", "xz -dc"),
    (ZIP_MAGIC, "zip", "unzip -p"),
    (b"\x04\x22\x4d\x18", "lz4", "lz4 -dc"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip", "7z x -so"),
];

const ZIP_MAGIC: &[u8] = b"PK\x03\x04";

/// How workbooks of Excel before 2007 begin.
const OLE_MAGIC: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// Where in a zip file the name of its first member stands.
const ZIP_NAME_AT: usize = 30;

/// What the first members of workbooks are called: of Excel, and of OpenDocument, whose first
/// member holds its media type.
const WORKBOOK_MEMBERS: [&[u8]; 5] = [
    b"[Content_Types].xml",
    b"_rels/",
    b"docProps/",
    b"xl/",
    b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
];

/// Is this the begin of a workbook?
fn is_workbook(head: &[u8]) -> bool {
    let first_member = head.get(ZIP_NAME_AT..).filter(|_| head.starts_with(ZIP_MAGIC));
    head.starts_with(OLE_MAGIC)
        || first_member
            .is_some_and(|name| WORKBOOK_MEMBERS.iter().any(|known| name.starts_with(known)))
}

/// A reader whose first bytes were looked at.
pub type Peeked<R> = Chain<Cursor<Vec<u8>>, R>;

/// Reads up to `len` bytes ahead; less only at the end.
///
/// # Errors
/// As of the reader.
pub fn peek<R: BufRead>(mut reader: R, len: usize) -> io::Result<(Vec<u8>, Peeked<R>)> {
    let mut head = Vec::with_capacity(len);
    (&mut reader).take(len as u64).read_to_end(&mut head)?;
    Ok((head.clone(), Cursor::new(head).chain(reader)))
}

/// The unpacked bytes of `raw`; the bytes as they are if they are not compressed. `consumed` counts
/// what was read from `raw`.
///
/// # Errors
/// As of `raw`; or it is compressed in a way that is not accepted. Reading fails likewise, and at
/// damage.
pub fn unpack<'a>(
    raw: impl BufRead + 'a,
    consumed: &Arc<AtomicU64>,
) -> io::Result<Box<dyn BufRead + 'a>> {
    let (head, raw) = peek(raw, MAGIC_BYTES_MAX)?;
    if is_workbook(&head) {
        return Err(io::Error::other(
            "it is a workbook of a spreadsheet program, which is not read: open it, save the sheet as CSV (\"CSV UTF-8\" \
             where there is a choice), and build from that file",
        ));
    }
    if let Some((_, name, unpacks)) = OTHERS.iter().find(|(magic, ..)| head.starts_with(magic)) {
        return Err(io::Error::other(format!(
            "it is packed as {name}, which is not unpacked here: `{unpacks} FILE | firmament-tools build - …`; gzip \
             and zstd are read as they are"
        )));
    }
    let consumed = consumed.clone();
    let before = consumed.load(Ordering::Relaxed);
    let bounded = |unpacked: Box<dyn Read + 'a>, name| {
        let unpacked = Unpacked { inner: unpacked, name, produced: 0, consumed, before };
        BufReader::with_capacity(BUFFER_BYTES, unpacked)
    };
    let unpacked = if head.starts_with(&GZIP_MAGIC) {
        bounded(Box::new(flate2::bufread::MultiGzDecoder::new(raw)), "gzip")
    } else if head.starts_with(&ZSTD_MAGIC) {
        bounded(Box::new(ZstdFrames { state: State::Between(raw) }), "zstd")
    } else {
        return Ok(Box::new(raw));
    };
    let (head, unpacked) = peek(unpacked, 4)?;
    if head.starts_with(&GZIP_MAGIC) || head == ZSTD_MAGIC {
        return Err(io::Error::other("it is compressed twice: unpack it once"));
    }
    Ok(Box::new(unpacked))
}

/// Says what is wrong with compressed data, and stops at the cap.
struct Unpacked<R> {
    inner: R,
    name: &'static str,
    produced: u64,
    consumed: Arc<AtomicU64>,
    before: u64,
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer).map_err(|error| {
            // What the system or our own code says stands as it is.
            if error.raw_os_error().is_some()
                || error.get_ref().is_some_and(|inner| inner.is::<Refused>())
            {
                return error;
            }
            let name = self.name;
            io::Error::other(format!(
                "its {name} data are damaged or cut off ({error}): get the file anew"
            ))
        })?;
        self.produced += count as u64;
        let consumed = self.consumed.load(Ordering::Relaxed) - self.before;
        let allowed = consumed.saturating_mul(UNPACKED_RATIO_MAX).max(UNPACKED_FREE_BYTES);
        if self.produced > allowed {
            return Err(io::Error::other(format!(
                "it unpacks to more than {UNPACKED_RATIO_MAX} times its size, as no records do; if they are \
                 records, unpack the file first"
            )));
        }
        Ok(count)
    }
}

/// A refusal that needs no more words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Refused(&'static str);

/// The frames of a zstd file, each checked before it is read.
struct ZstdFrames<R: BufRead> {
    state: State<R>,
}

enum State<R: BufRead> {
    /// Before a frame or at the end.
    Between(R),
    /// Within a frame.
    Within(Box<zstd::stream::read::Decoder<'static, Peeked<R>>>),
    /// After the last frame, or an error.
    Done,
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match std::mem::replace(&mut self.state, State::Done) {
                State::Done => return Ok(0),
                State::Between(raw) => self.state = next_frame(raw)?,
                State::Within(mut decoder) => {
                    let count = decoder.read(buffer)?;
                    if count > 0 {
                        self.state = State::Within(decoder);
                        return Ok(count);
                    }
                    // The frame was read from behind the bytes looked at, so none of them is left.
                    self.state = State::Between(decoder.finish().into_inner().1);
                }
            }
        }
    }
}

fn next_frame<R: BufRead>(mut raw: R) -> io::Result<State<R>> {
    if raw.fill_buf()?.is_empty() {
        return Ok(State::Done);
    }
    // The magic number, and the byte that describes the frame.
    let (head, mut raw) = peek(raw, 5)?;
    let Some((magic, descriptor)) = head.split_first_chunk::<4>() else {
        return Err(io::ErrorKind::UnexpectedEof.into());
    };
    if magic[0] & 0xf0 == 0x50 && magic[1..] == [0x2a, 0x4d, 0x18] {
        // A skippable frame: its length, and bytes for somebody else.
        let mut start = [0; 8];
        raw.read_exact(&mut start)?;
        let len = u64::from(u32::from_le_bytes([start[4], start[5], start[6], start[7]]));
        if io::copy(&mut (&mut raw).take(len), &mut io::sink())? < len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let (left, raw) = raw.into_inner();
        debug_assert!(left.position() == left.get_ref().len() as u64);
        return Ok(State::Between(raw));
    }
    if *magic != ZSTD_MAGIC {
        return Err(io::Error::other("other data follow a frame"));
    }
    match descriptor.first() {
        None => return Err(io::ErrorKind::UnexpectedEof.into()),
        Some(descriptor) if descriptor & 0b100 == 0 => {
            return Err(io::Error::other(Refused(
                "it is zstd without a checksum, so that damage would go unnoticed: compress it with `zstd \
                 --check`, or unpack it first, as in `zstd -dc FILE | firmament-tools build - …`",
            )));
        }
        Some(_) => {}
    }
    let mut decoder = zstd::stream::read::Decoder::with_buffer(raw)?.single_frame();
    decoder.window_log_max(ZSTD_WINDOW_LOG_MAX)?;
    Ok(State::Within(Box::new(decoder)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// Counts like the reader of a file does.
    struct Counted<'a>(&'a [u8], Arc<AtomicU64>);

    impl Read for Counted<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.read(buffer)?;
            self.1.fetch_add(count as u64, Ordering::Relaxed);
            Ok(count)
        }
    }

    fn unpacked_with_buffer(bytes: &[u8], buffer_bytes: usize) -> Result<Vec<u8>, String> {
        let consumed = Arc::new(AtomicU64::new(0));
        let raw = BufReader::with_capacity(buffer_bytes, Counted(bytes, consumed.clone()));
        let mut out = Vec::new();
        unpack(raw, &consumed)
            .and_then(|mut reader| reader.read_to_end(&mut out))
            .map_err(|error| error.to_string())?;
        Ok(out)
    }

    fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, String> {
        unpacked_with_buffer(bytes, BUFFER_BYTES)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8], has_checksum: bool) -> Vec<u8> {
        let mut encoder = zstd::stream::Encoder::new(Vec::new(), 3).unwrap();
        encoder.include_checksum(has_checksum).unwrap();
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// Bytes that do not compress.
    fn noise(len: u32) -> Vec<u8> {
        (0..len).flat_map(|i| (i.wrapping_mul(2_654_435_761)).to_le_bytes()).collect()
    }

    #[test]
    fn members_and_frames_follow_one_another() {
        let text = noise(1000);
        let skippable = [0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
        for packed in [
            text.clone(),
            gzip(&text),
            [gzip(&text[..999]), gzip(b""), gzip(&text[999..])].concat(),
            zstd(&text, true),
            [&zstd(&text[..999], true)[..], &skippable, &zstd(&text[999..], true)].concat(),
        ] {
            for buffer_bytes in [1, 3, 7, 4096] {
                assert_eq!(unpacked_with_buffer(&packed, buffer_bytes).as_ref(), Ok(&text));
            }
        }
        assert_eq!(unpacked(b""), Ok(Vec::new()));
        assert_eq!(unpacked(&zstd(b"", true)), Ok(Vec::new()));
    }

    #[test]
    fn damage_is_an_error() {
        let text = noise(5000);
        for (name, packed) in [("gzip", gzip(&text)), ("zstd", zstd(&text, true))] {
            for cut in [packed.len() - 1, packed.len() / 2, 6] {
                let error = unpacked(&packed[..cut]).unwrap_err();
                assert!(
                    error.starts_with(&format!("its {name} data are damaged or cut off")),
                    "{error}"
                );
            }
            let mut flipped = packed.clone();
            let middle = flipped.len() / 2;
            flipped[middle] ^= 4;
            assert!(unpacked(&flipped).is_err(), "{name}");
            let error = unpacked(&[&packed[..], b"garbage"].concat()).unwrap_err();
            assert!(error.contains("damaged or cut off"), "{error}");
            let error = unpacked(&gzip(&packed)).unwrap_err();
            assert!(error.starts_with("it is compressed twice"), "{error}");
        }
        let error = unpacked(&zstd(&text, false)).unwrap_err();
        assert!(error.starts_with("it is zstd without a checksum"), "{error}");
        let second = [zstd(&text, true), zstd(&text, false)].concat();
        assert!(unpacked(&second).unwrap_err().starts_with("it is zstd without a checksum"));
    }

    #[test]
    fn what_is_packed_otherwise_is_named() {
        for (magic, name, unpacks) in OTHERS {
            assert!(magic.len() <= MAGIC_BYTES_MAX);
            let error = unpacked(&[magic, b"anything"].concat()).unwrap_err();
            assert!(error.starts_with(&format!("it is packed as {name}, ")), "{error}");
            assert!(error.contains(&format!("`{unpacks} FILE | ")), "{error}");
            let cut = &magic[..magic.len() - 1];
            assert_eq!(unpacked(cut).as_deref(), Ok(cut));
        }
    }

    #[test]
    fn workbooks_are_told_from_other_zip_files() {
        let member = |name: &[u8]| [b"PK\x03\x04".as_slice(), &[0; 26], name].concat();
        for workbook in [
            member(b"[Content_Types].xml"),
            member(b"xl/workbook.xml"),
            member(b"mimetypeapplication/vnd.oasis.opendocument.spreadsheetPK"),
            [OLE_MAGIC, &[0; 100]].concat(),
        ] {
            let error = unpacked(&workbook).unwrap_err();
            assert!(error.starts_with("it is a workbook") && error.contains("as CSV"), "{error}");
        }
        for other in [member(b"BasicCompanyData.csv"), member(b"mimetypeapplication/epub+zip")] {
            assert!(unpacked(&other).unwrap_err().starts_with("it is packed as zip, "));
        }
    }

    #[test]
    fn bombs_and_large_windows_are_refused() {
        let zeros = vec![0; (UNPACKED_FREE_BYTES + 1) as usize];
        for bomb in [gzip(&zeros), zstd(&zeros, true)] {
            let consumed = Arc::new(AtomicU64::new(0));
            let raw = BufReader::new(Counted(&bomb, consumed.clone()));
            let mut reader = unpack(raw, &consumed).unwrap();
            let error = io::copy(&mut reader, &mut io::sink()).unwrap_err().to_string();
            assert!(error.starts_with("it unpacks to more than 200 times its size"), "{error}");
        }
        // A frame whose header asks for a window of 2 GiB: descriptor with checksum, then the
        // exponent.
        let wide = [0x28, 0xb5, 0x2f, 0xfd, 0b100, 21 << 3, 1, 0, 0, 0, 0, 0, 0];
        let error = unpacked(&wide).unwrap_err();
        assert!(error.contains("too much memory"), "{error}");
    }
}
