//! JSON values in any layout, cut into records without holding them.
//!
//! The records are the elements of an array; or objects one after another, over any number of
//! lines; or what stands under some keys of an object around them ([`ReadOptions::at`]). Ends of
//! values are found by counting brackets outside of strings; whether a record is valid JSON is for
//! the parser of records to say. What is wrong with the text around the records (no end, no comma,
//! other text behind it) fails the whole input, because then nobody knows which records are
//! missing.
//!
//! [`ReadOptions::at`]: super::ReadOptions::at

use super::{BLOCK_BYTES, Block, Blocks, Parsed, too_long};
use crate::index::buffer_pool::{Lent, Spares};
use crate::index::mapping::Mapping;
use crate::index::mapping::nearest::nearest;
use crate::index::record::RecordParser;
use crate::limits::RECORD_BYTES_MAX;
use std::io::{self, BufRead};

/// Longest key of an object around the records, in bytes.
const KEY_BYTES_MAX: usize = 4096;

/// Most keys that an error shows.
const KEYS_SHOWN: usize = 20;

/// Cuts JSON into blocks of records. A record over the limit is passed over without being held.
pub struct JsonValues<R> {
    reader: R,
    /// The keys that lead to the records.
    path: Vec<String>,
    /// What is open around the reader, outermost first.
    open: Vec<Open>,
    has_values: bool,
    /// Number of the next record, from 1.
    next_element: u64,
    /// Bytes behind us.
    position: u64,
    buffers: Spares<Vec<u8>>,
}

/// An array or object that the reader is in, and so many keys of the path lead there.
enum Open {
    Array { at: At, depth: usize },
    Object { at: At, depth: usize, begin: u64, others: Vec<String>, is_found: bool },
}

/// Where in an array or object the reader is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum At {
    /// Behind its bracket: an element or its end.
    First,
    /// Behind a comma: an element.
    Element,
    /// Behind an element: a comma or its end.
    Separator,
}

/// Whole records.
struct Elements {
    first: u64,
    bytes: Lent<Vec<u8>>,
    /// Where each record ends in `bytes`; none for one that was too long, whose bytes are not
    /// here.
    ends: Vec<Option<usize>>,
}

impl<R: BufRead> JsonValues<R> {
    /// The records that `reader` holds under the keys of `path`.
    pub fn new(reader: R, path: &[String]) -> JsonValues<R> {
        JsonValues {
            reader,
            path: path.to_vec(),
            open: Vec::new(),
            has_values: false,
            next_element: 1,
            position: 0,
            buffers: Spares::default(),
        }
    }

    fn next_elements(&mut self) -> io::Result<Option<Elements>> {
        let mut elements =
            Elements { first: self.next_element, bytes: self.buffers.lend(), ends: Vec::new() };
        while elements.bytes.len() < BLOCK_BYTES && self.advance(&mut elements)? {}
        Ok((!elements.ends.is_empty()).then_some(elements))
    }

    /// Goes over a sign, a key or a record; false at the end.
    fn advance(&mut self, elements: &mut Elements) -> io::Result<bool> {
        let byte = self.next_significant()?;
        match (self.open.last_mut(), byte) {
            (None, None) => return Ok(false),
            (None, Some(byte)) => {
                let has_values = std::mem::replace(&mut self.has_values, true);
                match byte {
                    b'{' | b'[' => self.value(byte, 0, elements)?,
                    b',' if has_values => {
                        return Err(self.fault(
                            "a comma stands between objects that are in no array: put [ before the first and ] \
                             behind the last",
                        ));
                    }
                    _ if has_values => {
                        return Err(
                            self.fault("more text follows, and is neither an object nor an array")
                        );
                    }
                    _ => {
                        return Err(
                            self.fault("what stands there is neither an object nor an array")
                        );
                    }
                }
            }
            (Some(Open::Array { .. }), None) => {
                return Err(self.fault("the array has no end: the file is cut off"));
            }
            (Some(Open::Object { .. }), None) => {
                return Err(self.fault("an object has no end: the file is cut off"));
            }
            (Some(Open::Array { at, depth }), Some(byte)) => match (*at, byte) {
                (At::First | At::Separator, b']') => self.close(),
                (At::Separator, b',') => {
                    *at = At::Element;
                    self.consume(1);
                }
                (At::Separator, _) => {
                    return Err(self.fault("there is no comma between two elements"));
                }
                (At::First | At::Element, b',' | b']') => {
                    return Err(self.fault("there is no element before a comma or ]"));
                }
                (At::First | At::Element, _) => {
                    *at = At::Separator;
                    let depth = *depth;
                    if depth < self.path.len() {
                        self.value(byte, depth, elements)?;
                    } else {
                        self.record(elements)?;
                    }
                }
            },
            (Some(Open::Object { at, depth, begin, others, is_found }), Some(byte)) => {
                match (*at, byte) {
                    (At::First | At::Separator, b'}') => {
                        if !*is_found {
                            let reason = no_key(&self.path[*depth], *begin, others);
                            return Err(io::Error::other(reason));
                        }
                        self.close();
                    }
                    (At::Separator, b',') => {
                        *at = At::Element;
                        self.consume(1);
                    }
                    (At::First | At::Element, b'"') => self.key(elements)?,
                    (At::Separator, _) => {
                        return Err(self.fault("there is no comma behind a value"));
                    }
                    _ => return Err(self.fault("a key is missing")),
                }
            }
        }
        Ok(true)
    }

    /// Goes into a value to which so many keys of the path lead, or takes it as a record.
    fn value(&mut self, byte: u8, depth: usize, elements: &mut Elements) -> io::Result<()> {
        match byte {
            b'[' => self.open.push(Open::Array { at: At::First, depth }),
            b'{' if depth < self.path.len() => self.open.push(Open::Object {
                at: At::First,
                depth,
                begin: self.position + 1,
                others: Vec::new(),
                is_found: false,
            }),
            b'{' => return self.record(elements),
            // No list is one without records.
            b'n' => return self.skip(),
            _ => {
                let keys = self.path[..depth].join(".");
                return Err(self.fault(&format!(
                    "{keys:?} holds neither a list nor an object: name with --at the keys that lead to the records"
                )));
            }
        }
        self.consume(1);
        Ok(())
    }

    /// Goes over a key; into its value, if it leads to the records, and over it if not.
    fn key(&mut self, elements: &mut Elements) -> io::Result<()> {
        let name = self.read_key()?;
        if self.next_significant()? != Some(b':') {
            return Err(self.fault("a colon is missing behind a key"));
        }
        self.consume(1);
        let Some(byte) = self.next_significant()? else {
            return Err(self.fault("an object has no end: the file is cut off"));
        };
        if matches!(byte, b',' | b'}' | b']') {
            return Err(self.fault("a value is missing behind a key"));
        }
        let Some(Open::Object { at, depth, others, is_found, .. }) = self.open.last_mut() else {
            return Ok(());
        };
        *at = At::Separator;
        if name != self.path[*depth] {
            if others.len() <= KEYS_SHOWN {
                others.push(name);
            }
            return self.skip();
        }
        *is_found = true;
        let depth = *depth + 1;
        self.value(byte, depth, elements)
    }

    fn read_key(&mut self) -> io::Result<String> {
        let mut text = Vec::new();
        let mut is_escaped = false;
        while let Some(&byte) = self.reader.fill_buf()?.first() {
            self.consume(1);
            text.push(byte);
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' if text.len() > 1 => {
                    return serde_json::from_slice(&text)
                        .map_err(|_| self.fault("a key is not valid JSON"));
                }
                _ => {}
            }
            if text.len() > KEY_BYTES_MAX {
                return Err(self.fault("a key is too long"));
            }
        }
        Err(self.fault("an object has no end: the file is cut off"))
    }

    fn record(&mut self, elements: &mut Elements) -> io::Result<()> {
        let is_whole = self.read_element(Some(&mut elements.bytes))?;
        elements.ends.push(is_whole.then_some(elements.bytes.len()));
        self.next_element += 1;
        Ok(())
    }

    fn skip(&mut self) -> io::Result<()> {
        self.read_element(None).map(drop)
    }

    fn close(&mut self) {
        self.consume(1);
        self.open.pop();
    }

    fn fault(&self, reason: &str) -> io::Error {
        let (element, byte) = (self.next_element, self.position + 1);
        io::Error::other(format!("{reason} (byte {byte}, before or within element {element})"))
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

    /// Goes over the value that begins here, and appends it; takes its bytes back and tells false
    /// if it is too long.
    fn read_element(&mut self, mut out: Option<&mut Vec<u8>>) -> io::Result<bool> {
        let start = out.as_ref().map_or(0, |out| out.len());
        let mut scan = Scan::default();
        let mut is_whole = true;
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                let reason = match self.open.last() {
                    Some(Open::Array { .. }) => "the array has no end: the file is cut off",
                    _ => "an object has no end: the file is cut off",
                };
                return Err(self.fault(reason));
            }
            let (len, is_end) = scan.advance(buffer);
            if let Some(out) = out.as_mut().filter(|_| is_whole) {
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

/// Why an object around the records cannot be read.
fn no_key(key: &str, begin: u64, others: &[String]) -> String {
    let near = nearest(key, others.iter().map(String::as_str))
        .map_or(String::new(), |near| format!("; did you mean {near:?}?"));
    let mut shown: Vec<String> =
        others.iter().take(KEYS_SHOWN).map(|other| format!("{other:?}")).collect();
    shown.extend((others.len() > KEYS_SHOWN).then(|| "…".to_owned()));
    let shown = if shown.is_empty() { "none".to_owned() } else { shown.join(", ") };
    format!(
        "the object that begins at byte {begin} has no key {key:?} (--at){near}; its keys are {shown}"
    )
}

/// Finds the end of a value. Depth is a number, so nesting costs no memory.
#[derive(Default)]
pub struct Scan {
    depth: u64,
    is_in_string: bool,
    is_escaped: bool,
}

impl Scan {
    /// Bytes of `buffer` that belong to the value, and whether it ends with them.
    pub fn advance(&mut self, buffer: &[u8]) -> (usize, bool) {
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
                b',' | b']' | b'}' if self.depth == 0 => return (at, true),
                b'}' | b']' => {
                    self.depth -= 1;
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

impl<R: BufRead> Blocks for JsonValues<R> {
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
                    parser.findings.number = element;
                    parser.parse(bytes)
                }
            };
            parsed.records.push((element, result));
        }
        parsed.findings = parser.findings;
        parsed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Read};

    /// Ids of good records and `!` for others, or what is wrong with the text around them.
    fn read_at(text: &str, at: &str, buffer_bytes: usize) -> Result<String, String> {
        let path: Vec<String> =
            at.split('.').filter(|key| !key.is_empty()).map(str::to_owned).collect();
        let reader = BufReader::with_capacity(buffer_bytes, text.as_bytes());
        let mut values = JsonValues::new(reader, &path);
        let mut shown = String::new();
        let mut expected = 1;
        while let Some(block) = values.next().map_err(|error| error.to_string())? {
            for (element, result) in block.parse(&Mapping::default()).records {
                assert_eq!(element, expected);
                expected += 1;
                shown.push_str(&result.map_or("!".to_owned(), |company| company.id));
            }
        }
        Ok(shown)
    }

    #[track_caller]
    fn assert_read(text: &str, at: &str, expected: &str) {
        for buffer_bytes in [1, 2, 3, 7, 4096] {
            assert_eq!(read_at(text, at, buffer_bytes).as_deref(), Ok(expected), "{text} {at}");
        }
    }

    fn record(id: &str) -> String {
        format!(r#"{{"id":"{id}","name":"[\\\"]}},{{"}}"#)
    }

    #[test]
    fn elements_are_found() {
        let [a, b, c] = ["a", "b", "c"].map(record);
        for (text, expected) in [
            (String::new(), ""),
            ("[]".to_owned(), ""),
            (" [ \n ] \n".to_owned(), ""),
            (format!("[{a}]"), "a"),
            (format!("[{a},\r\n\t{b} , {c}]\n"), "abc"),
            (format!("[1, \"x,]\", {a}, null, [[]], [{{}}] ]"), "!!a!!!"),
            // One after another.
            (a.clone(), "a"),
            (format!("{a}{b} {c}"), "abc"),
            (format!("{}\n{}\n", a.replace(',', "\n,\n"), b.replace(':', " :\n ")), "!b"),
            (format!("[{a}][{b}] []\n{c}"), "abc"),
        ] {
            assert_read(&text, "", expected);
        }
    }

    #[test]
    fn records_are_found_under_keys() {
        let [a, b, c] = ["a", "b", "c"].map(record);
        for (text, at, expected) in [
            (format!(r#"{{"count":2,"results":[{a},{b}],"next":null}}"#), "results", "ab"),
            (
                format!(
                    r#"{{"results":[{a}]}} {{"x":[{{"y":"]"}}],"results":[]}}{{"results":[{b}]}}"#
                ),
                "results",
                "ab",
            ),
            (
                format!("{{\"results\":[{a}]}}\n{{\"results\":null,\"error\":\"}}\"}}\n"),
                "results",
                "a",
            ),
            (format!(r#"{{"data":{{"list":[{a}],"n":1}},"m":{{}}}}"#), "data.list", "a"),
            (format!(r#"[{{"hit":{a}}},{{"score":1.5,"hit":{b}}}]"#), "hit", "ab"),
            (format!(r#"{{"hit":{a}}}{{"hit":{b}}}"#), "hit", "ab"),
            (format!(r#"{{"r\u0065s":[{c}], "res2":[{a}]}}"#), "res", "c"),
            (r#"{"results":[]}"#.to_owned(), "results", ""),
        ] {
            assert_read(&text, at, expected);
        }
        for (text, at, expected) in [
            (
                r#"{"count":2,"result":[]}"#,
                "results",
                "the object that begins at byte 1 has no key \"results\" (--at); did you mean \"result\"?; its keys are \
                 \"count\", \"result\"",
            ),
            (
                "{}",
                "a",
                "the object that begins at byte 1 has no key \"a\" (--at); its keys are none",
            ),
            (r#"{"a":{"b":[]}}"#, "a.c", "the object that begins at byte 6 has no key \"c\""),
            (r#"{"a":5}"#, "a", "\"a\" holds neither a list nor an object"),
            (r#"{"a":[1,2]}"#, "a.b", "\"a\" holds neither a list nor an object"),
            (r#"{"a":[]"#, "a", "an object has no end"),
            (r#"{"a""#, "a", "a colon is missing"),
            (r#"{"a"#, "a", "an object has no end"),
            (r#"{"a":"#, "a", "an object has no end"),
            (r#"{"a":}"#, "a", "a value is missing"),
            (r#"{a:1}"#, "a", "a key is missing"),
            (r#"{"b":{} "a":[]}"#, "a", "there is no comma behind a value"),
            (r#"{"b":1,}"#, "a", "a key is missing"),
            (r#"{"\q":1}"#, "a", "a key is not valid JSON"),
        ] {
            for buffer_bytes in [1, 4096] {
                let error = read_at(text, at, buffer_bytes).unwrap_err();
                assert!(error.starts_with(expected), "{text}: {error}");
            }
        }
    }

    #[test]
    fn broken_text_around_records_is_an_error() {
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
            ("{} ]", "more text follows"),
            ("{\"id\"", "an object has no end"),
            ("{},\n{}", "a comma stands between objects that are in no array"),
            ("\"a\"", "what stands there is neither an object nor an array"),
        ] {
            let error = read_at(text, "", 4096).unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
        let error = read_at("[{},]", "", 4096).unwrap_err();
        assert!(error.ends_with("(byte 5, before or within element 2)"), "{error}");
    }

    #[test]
    fn an_element_over_the_limit_is_not_held() {
        for (start, end, at) in [("[", "]", ""), ("{\"a\":[", "]}", "a")] {
            let long =
                start.as_bytes().chain(&b"{\"x\":\""[..]).chain(io::repeat(b'[').take(100 << 20));
            let long = long.chain(&b"\"},{\"id\":\"a\",\"name\":\"b\"}"[..]).chain(end.as_bytes());
            let path: Vec<String> = at.split_terminator('.').map(str::to_owned).collect();
            let mut values = JsonValues::new(BufReader::with_capacity(1 << 18, long), &path);
            let elements = values.next_elements().unwrap().unwrap();
            assert!(elements.bytes.capacity() < 4 << 20);
            let records = Box::new(elements).parse(&Mapping::default()).records;
            let error = records[0].1.as_ref().unwrap_err();
            assert!(error.faults[0].reason.starts_with("is longer than"));
            assert!(records[1].1.is_ok());
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_harmless(text in "[\\[\\]{}\",:a n\\\\]{0,24}", is_nested: bool) {
            let _ = read_at(&text, if is_nested { "a" } else { "" }, 3);
        }
    }
}
