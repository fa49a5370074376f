//! Bytes of an unpacked input to UTF-8.
//!
//! The encoding is the one that the operator names, or the one whose byte order mark the input
//! begins with, or UTF-8. UTF-16 without its mark is told by its zeros, and an input that is not
//! UTF-8 throughout by its first bytes beyond ASCII: both end with one sentence that names the
//! option. Nothing is replaced: what stands for nothing in its encoding becomes [`NO_TEXT`], which
//! is no UTF-8 either, so that the record with it is rejected and the others are read.

use super::compression::{BUFFER_BYTES, peek};
use encoding_rs::{Decoder, DecoderResult, Encoding as Table};
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::str::FromStr;

/// What a damaged sequence becomes: a byte that no UTF-8 has.
const NO_TEXT: u8 = 0xff;

/// Bytes that tell UTF-16 by its zeros.
const HEAD_BYTES: usize = 64;

/// Lines that are not UTF-8 before any that is and has more than ASCII: by then it is the encoding
/// of the input, and not the damage of a record.
const STRANGE_LINES_MAX: u32 = 3;

/// Longest piece of a line that is shown.
const SHOWN_BYTES_MAX: usize = 24;

/// An encoding of text, by a label of the Encoding Standard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Encoding(&'static Table);

impl FromStr for Encoding {
    type Err = String;

    fn from_str(label: &str) -> Result<Encoding, String> {
        match Table::for_label_no_replacement(label.as_bytes()) {
            Some(table) => Ok(Encoding(table)),
            None => Err(format!(
                "{label:?} is no encoding that is read; common ones are utf-8, utf-16le, utf-16be, windows-1252, \
                 windows-1251, iso-8859-2, shift_jis, euc-kr, gb18030 and big5"
            )),
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name().to_ascii_lowercase())
    }
}

/// The input as UTF-8, without its byte order mark.
///
/// # Errors
/// As of the reader; or its mark contradicts the encoding that was named, or it has none and is no
/// UTF-8. Reading fails likewise.
pub fn decoded<'a>(
    bytes: impl BufRead + 'a,
    named: Option<Encoding>,
) -> io::Result<Box<dyn BufRead + 'a>> {
    let (head, mut bytes) = peek(bytes, HEAD_BYTES)?;
    if head.starts_with(b"\xff\xfe\0\0") || head.starts_with(b"\0\0\xfe\xff") {
        return Err(io::Error::other(
            "it is UTF-32: convert it, as in `iconv -f UTF-32 -t UTF-8 FILE > NEW`",
        ));
    }
    let marked = Table::for_bom(&head);
    if let (Some((table, _)), Some(Encoding(other))) = (marked, named)
        && table != other
    {
        return Err(io::Error::other(format!(
            "it begins with the mark of {}, and --encoding says {}: leave out --encoding",
            table.name(),
            other.name().to_ascii_lowercase()
        )));
    }
    if let Some((_, len)) = marked {
        bytes.read_exact(&mut [0; 3][..len])?;
    }
    let table = marked.map(|(table, _)| table).or(named.map(|named| named.0));
    match table {
        Some(table) if table != encoding_rs::UTF_8 => {
            let decoder = table.new_decoder_without_bom_handling();
            let decoded = Decoded { bytes, decoder, out: Vec::new(), begin: 0, is_over: false };
            Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, decoded)))
        }
        Some(_) => Ok(Box::new(bytes)),
        None => match without_mark(&head) {
            Some(label) => Err(io::Error::other(format!(
                "it looks like UTF-16 without the mark that it should begin with: say --encoding {label}"
            ))),
            None => Ok(Box::new(Guarded::new(bytes))),
        },
    }
}

/// UTF-16 of mostly Latin letters, which has a zero in every other byte.
fn without_mark(head: &[u8]) -> Option<&'static str> {
    let zeros = |at: usize| head.iter().skip(at).step_by(2).filter(|&&byte| byte == 0).count();
    let (even, odd, half) = (zeros(0), zeros(1), head.len() / 2);
    match (even, odd) {
        _ if half < 2 => None,
        (0, zeros) if zeros * 4 >= half * 3 => Some("utf-16le"),
        (zeros, 0) if zeros * 4 >= half * 3 => Some("utf-16be"),
        _ => None,
    }
}

/// Decodes as it is read.
struct Decoded<R> {
    bytes: R,
    decoder: Decoder,
    /// Decoded text; what is before `begin` was read.
    out: Vec<u8>,
    begin: usize,
    is_over: bool,
}

impl<R: BufRead> Decoded<R> {
    /// Decodes what the reader has at hand; some text is there afterwards, or the end.
    fn fill(&mut self) -> io::Result<()> {
        while self.begin == self.out.len() && !self.is_over {
            self.begin = 0;
            let bytes = self.bytes.fill_buf()?;
            self.is_over = bytes.is_empty();
            let room = self.decoder.max_utf8_buffer_length_without_replacement(bytes.len());
            self.out.resize(room.unwrap_or(BUFFER_BYTES), 0);
            let (result, read, written) =
                self.decoder.decode_to_utf8_without_replacement(bytes, &mut self.out, self.is_over);
            self.bytes.consume(read);
            self.out.truncate(written);
            if matches!(result, DecoderResult::Malformed(..)) {
                self.out.push(NO_TEXT);
            }
            // More is to come of the bytes at hand, or behind what was damaged at the end.
            self.is_over &= result == DecoderResult::InputEmpty;
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.fill()?;
        let count = (&self.out[self.begin..]).read(buffer)?;
        self.begin += count;
        Ok(count)
    }
}

/// Passes bytes on, and looks at the first ones beyond ASCII: are they UTF-8?
struct Guarded<R> {
    bytes: R,
    /// Bytes at hand that were looked at already.
    looked_at: usize,
    line: u64,
    /// The first lines with bytes that are no UTF-8, and what they would be in Windows-1252.
    strange: u32,
    shown: Option<(u64, String)>,
    /// The line at hand is one of them.
    is_strange: bool,
    /// The bytes looked at end within a sequence.
    is_cut: bool,
    is_known: bool,
}

impl<R: BufRead> Guarded<R> {
    fn new(bytes: R) -> Guarded<R> {
        Guarded {
            bytes,
            looked_at: 0,
            line: 1,
            strange: 0,
            shown: None,
            is_strange: false,
            is_cut: false,
            is_known: false,
        }
    }
}

impl<R: BufRead> BufRead for Guarded<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let bytes = self.bytes.fill_buf()?;
        if self.is_known || self.looked_at >= bytes.len() {
            return Ok(bytes);
        }
        let mut at = self.looked_at;
        // What continues a sequence is enough of one.
        self.is_known = self.is_cut && (0x80..0xc0).contains(&bytes[at]);
        self.is_cut = false;
        while at < bytes.len() && !self.is_known {
            let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |len| at + len + 1);
            let line = &bytes[at..end];
            if !line.is_ascii() && !self.is_strange {
                match std::str::from_utf8(line) {
                    Ok(_) => self.is_known = true,
                    Err(error) if !line[..error.valid_up_to()].is_ascii() => self.is_known = true,
                    // The rest of the sequence is not here yet.
                    Err(error) if error.error_len().is_none() => self.is_cut = true,
                    Err(error) => {
                        self.is_strange = true;
                        self.strange += 1;
                        let shown = || (self.line, in_windows_1252(line, error.valid_up_to()));
                        let (line, shown) = self.shown.get_or_insert_with(shown);
                        if self.strange >= STRANGE_LINES_MAX {
                            return Err(io::Error::other(format!(
                                "it is not UTF-8: if line {line} reads {shown:?}, it is Windows-1252, so say \
                                 --encoding windows-1252; else name its encoding, or convert it, as in `iconv -f \
                                 ENCODING -t UTF-8 FILE > NEW`"
                            )));
                        }
                    }
                }
            }
            if line.ends_with(b"\n") {
                self.line += 1;
                self.is_strange = false;
            }
            at = end;
        }
        self.looked_at = bytes.len();
        Ok(bytes)
    }

    fn consume(&mut self, count: usize) {
        self.looked_at = self.looked_at.saturating_sub(count);
        self.bytes.consume(count);
    }
}

impl<R: BufRead> Read for Guarded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

/// What stands around byte `at` of a line, read as Windows-1252.
fn in_windows_1252(line: &[u8], at: usize) -> String {
    let is_end = |byte: &u8| matches!(byte, b',' | b';' | b'\t' | b'"' | b'\n' | b'\r');
    let from = line[..at].iter().rposition(is_end).map_or(0, |at| at + 1);
    let to = line[at..].iter().position(is_end).map_or(line.len(), |len| at + len);
    let from = from.max(at.saturating_sub(SHOWN_BYTES_MAX / 2));
    let to = to.min(from + SHOWN_BYTES_MAX);
    encoding_rs::WINDOWS_1252.decode_without_bom_handling(&line[from..to]).0.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], named: Option<&str>, buffer_bytes: usize) -> Result<Vec<u8>, String> {
        let reader = BufReader::with_capacity(buffer_bytes, bytes);
        let named = named.map(|label| label.parse().unwrap());
        let mut out = Vec::new();
        decoded(reader, named)
            .and_then(|mut text| text.read_to_end(&mut out))
            .map_err(|error| error.to_string())?;
        Ok(out)
    }

    fn utf_16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn marks_and_names_tell_encodings() {
        let text = "id,name\n1,Żółw 東京 🦀\n".repeat(20);
        let (le, be) = (utf_16(&text, u16::to_le_bytes), utf_16(&text, u16::to_be_bytes));
        for (bytes, named) in [
            (text.clone().into_bytes(), None),
            (text.clone().into_bytes(), Some("utf-8")),
            (["\u{feff}", &text].concat().into_bytes(), None),
            ([b"\xff\xfe".as_slice(), &le].concat(), None),
            ([b"\xfe\xff".as_slice(), &be].concat(), None),
            ([b"\xfe\xff".as_slice(), &be].concat(), Some("utf-16be")),
            (le, Some("utf-16le")),
            (be, Some("UTF-16BE")),
        ] {
            for buffer_bytes in [1, 2, 3, 7, 4096] {
                let found = read(&bytes, named, buffer_bytes);
                assert_eq!(found.as_deref(), Ok(text.as_bytes()), "{named:?} {buffer_bytes}");
            }
        }
        let latin = b"M\xfcller \x80";
        assert_eq!(read(latin, Some("latin1"), 1).as_deref(), Ok("Müller €".as_bytes()));
        assert_eq!(read(b"", None, 8).as_deref(), Ok(&b""[..]));
        assert!("klingon".parse::<Encoding>().unwrap_err().contains("windows-1252"));
        assert_eq!("cp1252".parse::<Encoding>().unwrap().to_string(), "windows-1252");
    }

    #[test]
    fn another_encoding_is_named() {
        let le = utf_16("id,name\n", u16::to_le_bytes);
        let be = utf_16("id,name\n", u16::to_be_bytes);
        let error = |bytes: &[u8], named| read(bytes, named, 4096).unwrap_err();
        assert!(error(&le, None).ends_with("say --encoding utf-16le"));
        assert!(error(&be, None).ends_with("say --encoding utf-16be"));
        assert!(error(b"\xff\xfe\0\0i\0\0\0", None).starts_with("it is UTF-32"));
        let marked = [b"\xff\xfe".as_slice(), &le].concat();
        assert!(error(&marked, Some("latin1")).contains("the mark of UTF-16LE, and --encoding"));
        let latin = b"id,city\n1,Wien\n2,K\xf6ln\n3,Z\xfcrich\n4,Gen\xe8ve\n";
        for buffer_bytes in [16, 64, 4096] {
            let error = read(latin, None, buffer_bytes).unwrap_err();
            assert!(error.starts_with("it is not UTF-8: if line 3 reads \"K"), "{error}");
            assert!(error.contains("say --encoding windows-1252"), "{error}");
        }
    }

    #[test]
    fn damage_stays_where_it_is() {
        // UTF-8 with a damaged record, and with one before there is any other beyond ASCII.
        for text in [&b"a\n\xc3\xa9\n\xff\n\xff\n\xff\n\xff\n"[..], b"a\n\xff\nb\n\xfe\n"] {
            for buffer_bytes in [1, 3, 4096] {
                assert_eq!(read(text, None, buffer_bytes).as_deref(), Ok(text));
            }
        }
        // What is UTF-8 by chance behind it says nothing.
        let latin = b"\xfc\n\xfc\n\xfc\n\xc3\xa9\n";
        assert!(read(latin, None, 4096).is_err());
        // Half a pair, within and at the end.
        let mut bytes = utf_16("a", u16::to_le_bytes);
        bytes.extend([0x3c, 0xd8, b'b', 0, 0x3c]);
        for buffer_bytes in [1, 2, 4096] {
            let found = read(&bytes, Some("utf-16le"), buffer_bytes);
            assert_eq!(found.as_deref(), Ok(&b"a\xffb\xff"[..]));
        }
    }
}
