//! One JSON array of objects, cut into its elements without holding it.
//!
//! The elements are found by counting brackets outside of strings; whether each is valid JSON is
//! for the parser of records to say. What is wrong with the array itself (no end, no comma, more
//! text behind it) fails the whole input, because then nobody knows which records are missing.

use super::{BLOCK_BYTES, Block, Blocks, Parsed, too_long};
use crate::index::buffer_pool::{Lent, Spares};
use crate::index::mapping::Mapping;
use crate::index::record::RecordParser;
use crate::limits::RECORD_BYTES_MAX;
use std::io::{self, BufRead};

/// Cuts an array into blocks of elements. An element over the limit is passed over without being
/// held.
pub struct JsonArray<R> {
    reader: R,
    /// Number of the next element, from 1.
    next_element: u64,
    /// Bytes behind us.
    position: u64,
    at: At,
    buffers: Spares<Vec<u8>>,
}

/// Where in the array the reader is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum At {
    /// Before `[`.
    Start,
    /// Behind `[`: an element or `]`.
    First,
    /// Behind a comma: an element.
    Element,
    /// Behind an element: a comma or `]`.
    Separator,
    /// Behind `]`.
    End,
}

/// Whole elements.
struct Elements {
    first: u64,
    bytes: Lent<Vec<u8>>,
    /// Where each element ends in `bytes`; none for one that was too long, whose bytes are not
    /// here.
    ends: Vec<Option<usize>>,
}

impl<R: BufRead> JsonArray<R> {
    /// The elements of the array that `reader` holds.
    pub fn new(reader: R) -> JsonArray<R> {
        JsonArray {
            reader,
            next_element: 1,
            position: 0,
            at: At::Start,
            buffers: Spares::default(),
        }
    }

    fn next_elements(&mut self) -> io::Result<Option<Elements>> {
        let mut elements =
            Elements { first: self.next_element, bytes: self.buffers.lend(), ends: Vec::new() };
        while elements.bytes.len() < BLOCK_BYTES {
            let Some(byte) = self.next_significant()? else {
                if self.at == At::End || self.at == At::Start {
                    break;
                }
                return Err(self.fault("the array has no end: the file is cut off"));
            };
            match (self.at, byte) {
                (At::Start, b'[') => self.step(At::First),
                (At::Start, _) => return Err(self.fault("a JSON array must begin with [")),
                (At::End, _) => return Err(self.fault("more text follows the end of the array")),
                (At::First | At::Separator, b']') => self.step(At::End),
                (At::Separator, b',') => self.step(At::Element),
                (At::Separator, _) => {
                    return Err(self.fault("there is no comma between two elements"));
                }
                (At::First | At::Element, b',' | b']') => {
                    return Err(self.fault("there is no element before a comma or ]"));
                }
                (At::First | At::Element, _) => {
                    let is_whole = self.read_element(&mut elements.bytes)?;
                    elements.ends.push(is_whole.then_some(elements.bytes.len()));
                    self.next_element += 1;
                    self.at = At::Separator;
                }
            }
        }
        Ok((!elements.ends.is_empty()).then_some(elements))
    }

    fn fault(&self, reason: &str) -> io::Error {
        let (element, byte) = (self.next_element, self.position + 1);
        io::Error::other(format!("{reason} (byte {byte}, before or within element {element})"))
    }

    fn step(&mut self, at: At) {
        self.consume(1);
        self.at = at;
    }

    fn consume(&mut self, count: usize) {
        self.reader.consume(count);
        self.position += count as u64;
    }

    /// The next byte that is no white space, left where it is.
    fn next_significant(&mut self) -> io::Result<Option<u8>> {
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok(None);
            }
            let blank = buffer.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let found = buffer.get(blank).copied();
            self.consume(blank);
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    /// Appends the element that begins here; takes its bytes back and tells false if it is too
    /// long.
    fn read_element(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        let start = out.len();
        let mut scan = Scan::default();
        let mut is_whole = true;
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Err(self.fault("the array has no end: the file is cut off"));
            }
            let (len, is_end) = scan.advance(buffer);
            if is_whole {
                if out.len() - start + len > RECORD_BYTES_MAX {
                    out.truncate(start);
                    is_whole = false;
                } else {
                    out.extend_from_slice(&buffer[..len]);
                }
            }
            self.consume(len);
            if is_end {
                return Ok(is_whole);
            }
        }
    }
}

/// Finds the end of an element. Depth is a number, so nesting costs no memory.
#[derive(Default)]
struct Scan {
    depth: u64,
    is_in_string: bool,
    is_escaped: bool,
}

impl Scan {
    /// Bytes of `buffer` that belong to the element, and whether it ends with them.
    fn advance(&mut self, buffer: &[u8]) -> (usize, bool) {
        let mut at = 0;
        while at < buffer.len() {
            if self.is_escaped {
                self.is_escaped = false;
                at += 1;
                continue;
            }
            if self.is_in_string {
                match memchr::memchr2(b'"', b'\\', &buffer[at..]) {
                    None => return (buffer.len(), false),
                    Some(found) => {
                        at += found;
                        self.is_escaped = buffer[at] == b'\\';
                        self.is_in_string = self.is_escaped;
                    }
                }
                at += 1;
                continue;
            }
            match buffer[at] {
                b'"' => self.is_in_string = true,
                b'{' | b'[' => self.depth += 1,
                b',' | b']' if self.depth == 0 => return (at, true),
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return (at + 1, true);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        (at, false)
    }
}

impl<R: BufRead> Blocks for JsonArray<R> {
    fn next(&mut self) -> io::Result<Option<Box<dyn Block>>> {
        Ok(self.next_elements()?.map(|elements| Box::new(elements) as Box<dyn Block>))
    }
}

impl Block for Elements {
    fn parse(mut self: Box<Self>, mapping: &Mapping) -> Parsed {
        let mut parser = RecordParser::new(mapping.clone());
        let mut parsed = Parsed { bytes: self.bytes.len() as u64, ..Parsed::default() };
        let mut start = 0;
        for (element, end) in (self.first..).zip(&self.ends) {
            let result = match *end {
                None => Err(too_long("")),
                Some(end) => {
                    let bytes = &mut self.bytes[start..end];
                    start = end;
                    parser.parse(bytes)
                }
            };
            parsed.records.push((element, result));
        }
        parsed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Read};

    /// Ids of good elements and `!` for others, or what is wrong with the array.
    fn read(text: &str, buffer_bytes: usize) -> Result<String, String> {
        let mut array = JsonArray::new(BufReader::with_capacity(buffer_bytes, text.as_bytes()));
        let mut shown = String::new();
        let mut expected = 1;
        while let Some(block) = array.next().map_err(|error| error.to_string())? {
            for (element, result) in block.parse(&Mapping::default()).records {
                assert_eq!(element, expected);
                expected += 1;
                shown.push_str(&result.map_or("!".to_owned(), |company| company.id));
            }
        }
        Ok(shown)
    }

    #[test]
    fn elements_are_found() {
        let record = |id: &str| format!(r#"{{"id":"{id}","name":"[\\\"]}},{{"}}"#);
        for (text, expected) in [
            (String::new(), ""),
            ("[]".to_owned(), ""),
            (" [ \n ] \n".to_owned(), ""),
            (format!("[{}]", record("a")), "a"),
            (format!("[{},\r\n\t{} , {}]\n", record("a"), record("b"), record("c")), "abc"),
            (format!("[1, \"x,]\", {}, null, [[]], [{{}}] ]", record("a")), "!!a!!!"),
        ] {
            for buffer_bytes in [1, 2, 3, 7, 4096] {
                assert_eq!(read(&text, buffer_bytes).as_deref(), Ok(expected), "{text}");
            }
        }
    }

    #[test]
    fn a_broken_array_is_an_error() {
        for (text, expected) in [
            ("[", "the array has no end"),
            ("[{\"id\":\"a\"", "the array has no end"),
            ("[{\"id\":\"a", "the array has no end"),
            ("[{\"id\":\"a\"},", "the array has no end"),
            ("[{},]", "there is no element before a comma or ]"),
            ("[,{}]", "there is no element"),
            ("[{} {}]", "there is no comma between"),
            ("[{]}]", "there is no comma between"),
            ("[{}] x", "more text follows"),
            ("[{}][{}]", "more text follows"),
            ("{}", "a JSON array must begin with ["),
        ] {
            let error = read(text, 4096).unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
        assert!(read("[{},]", 4096).unwrap_err().ends_with("(byte 5, before or within element 2)"));
    }

    #[test]
    fn an_element_over_the_limit_is_not_held() {
        let long = b"[{\"x\":\""
            .chain(io::repeat(b'[').take(100 << 20))
            .chain(&b"\"},{\"id\":\"a\",\"name\":\"b\"}]"[..]);
        let mut array = JsonArray::new(BufReader::with_capacity(1 << 18, long));
        let elements = array.next_elements().unwrap().unwrap();
        assert!(elements.bytes.capacity() < 4 << 20);
        let records = Box::new(elements).parse(&Mapping::default()).records;
        assert!(records[0].1.as_ref().unwrap_err().reason.starts_with("is longer than"));
        assert!(records[1].1.is_ok());
    }
}
