//! How the JSON of an input is laid out, told by its first value.

use super::compression::Peeked;
use super::json_values::Scan;
use crate::company::Field;
use crate::index::mapping::Mapping;
use crate::limits::RECORD_BYTES_MAX;
use std::io::{self, BufRead, Cursor, Read};

/// How records stand in a JSON text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Layout {
    /// One a line.
    Lines,
    /// Over several lines each.
    OverLines,
    /// Several on a line, with or without commas between them.
    Joined,
    /// In a list of an object that is no record itself: the keys that lead to such lists.
    Envelope(Vec<String>),
}

/// Reads the first value, or as much of it as a record may have, and tells the layout. The text is
/// given back whole.
///
/// # Errors
/// As of the reader.
pub fn look<R: BufRead>(mut reader: R, mapping: &Mapping) -> io::Result<(Layout, Peeked<R>)> {
    let mut head = Vec::new();
    let mut scan = Scan::default();
    let mut start = None;
    // Where the first value ends, and where what follows it on its line begins.
    let (mut end, mut next) = (None, None);
    while next.is_none() && head.len() <= RECORD_BYTES_MAX {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            break;
        }
        let (from, len) = (head.len(), buffer.len());
        head.extend_from_slice(buffer);
        reader.consume(len);
        let is_text = |byte: &u8| !byte.is_ascii_whitespace();
        if start.is_none() {
            start = head[from..].iter().position(is_text).map(|at| from + at);
        }
        if let Some(start) = start.filter(|_| end.is_none()) {
            let (len, is_end) = scan.advance(&head[from.max(start)..]);
            end = is_end.then_some(from.max(start) + len);
        }
        if let Some(end) = end {
            let follows = |byte: &u8| is_text(byte) || *byte == b'\n';
            next = head[end..].iter().position(follows).map(|at| end + at);
        }
    }
    let value = &head[start.unwrap_or(head.len())..end.unwrap_or(head.len())];
    // A line that begins an object is a record, even if the one before is broken.
    let second_line = memchr::memchr(b'\n', value).map(|at| value[at..].trim_ascii_start());
    let layout = match (Entries::of(value).lists(mapping), second_line, next.map(|at| head[at])) {
        (Some(lists), ..) => Layout::Envelope(lists),
        (None, Some(line), _) if !line.starts_with(b"{") => Layout::OverLines,
        (None, None, Some(b'{' | b'[' | b',')) => Layout::Joined,
        _ => Layout::Lines,
    };
    Ok((layout, Cursor::new(head).chain(reader)))
}

/// Keys and values of an object whose text may be cut off.
struct Entries<'a> {
    rest: &'a [u8],
}

impl<'a> Entries<'a> {
    fn of(object: &'a [u8]) -> Entries<'a> {
        Entries { rest: object.strip_prefix(b"{").unwrap_or_default() }
    }

    /// The keys that lead to lists of objects; none if there are none, or the object is a record.
    fn lists(self, mapping: &Mapping) -> Option<Vec<String>> {
        let needed: Vec<&str> = [Field::Name, Field::Id]
            .into_iter()
            .filter(|&field| field == Field::Name || !mapping.derives_ids())
            .filter_map(|field| mapping.first_key_of(field))
            .collect();
        let (mut lists, mut found) = (Vec::new(), 0);
        for (key, value) in self {
            found += usize::from(needed.contains(&key.as_str()));
            if is_list_of_objects(value) {
                lists.push(key);
            } else {
                let inner = Entries::of(value).filter(|(_, value)| is_list_of_objects(value));
                lists.extend(inner.map(|(inner, _)| format!("{key}.{inner}")));
            }
        }
        (found < needed.len() && !lists.is_empty()).then_some(lists)
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = (String, &'a [u8]);

    fn next(&mut self) -> Option<(String, &'a [u8])> {
        let text = self.rest.trim_ascii_start();
        let text = text.strip_prefix(b",").unwrap_or(text).trim_ascii_start();
        if !text.starts_with(b"\"") {
            return None;
        }
        let end = 1 + end_of_string(&text[1..])?;
        let name = serde_json::from_slice(&text[..=end]).ok()?;
        let value = text[end + 1..].trim_ascii_start().strip_prefix(b":")?;
        let value = value.trim_ascii_start();
        let (len, _) = Scan::default().advance(value);
        self.rest = &value[len..];
        Some((name, &value[..len]))
    }
}

fn is_list_of_objects(value: &[u8]) -> bool {
    let first = value.strip_prefix(b"[").map(<[u8]>::trim_ascii_start);
    first.is_some_and(|first| first.starts_with(b"{"))
}

/// Where a string ends whose opening mark is behind it.
pub(super) fn end_of_string(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn the_first_value_tells_the_layout() {
        let envelope =
            |lists: &[&str]| Layout::Envelope(lists.iter().map(|&list| list.to_owned()).collect());
        let long = format!(r#"{{"count":1,"rows":[{{"x":"{}"}}]}}"#, "y".repeat(2 << 20));
        for (text, expected) in [
            ("", Layout::Lines),
            ("{\"id\":\"a\",\"name\":\"b\"}", Layout::Lines),
            ("\n {\"id\":\"a\"} \r\n{\"id\":\"b\"}", Layout::Lines),
            ("{\"id\":\"a\"} {\"id\":\"b\"}\n", Layout::Joined),
            ("{\"id\":\"a\"}{\"id\":\"b\"}", Layout::Joined),
            ("{\"id\":\"a\"},\n{\"id\":\"b\"}", Layout::Joined),
            ("{\n\"id\":\"a\"}", Layout::OverLines),
            ("{\"id\":\"a\"\n{\"id\":\"b\",\"name\":\"B\"}\n", Layout::Lines),
            ("{\"id\":\"a\"} x\n{\"id\":\"b\"}\n", Layout::Lines),
            ("{\"id\":\"a\",\"name\":\"b\",\"offices\":[{\"x\":1}]}\n", Layout::Lines),
            ("{\"offices\":[{\"x\":1}],\"id\":\"a\",\"name\":\"b\"}\n", Layout::Lines),
            ("{\"count\":2,\"results\":[{\"id\":\"a\"}]}", envelope(&["results"])),
            (
                "{\n \"results\" : [ {\"id\":\"a\"}],\n\"name\":\"x\", \"b\":[{}]}",
                envelope(&["results", "b"]),
            ),
            ("{\"a\":{\"b\":[{\"id\":\"a\"}],\"c\":1}}", envelope(&["a.b"])),
            ("{\"results\":[1,2]}\n", Layout::Lines),
            ("{\"results\":[]}\n", Layout::Lines),
            ("not \"json", Layout::Lines),
            (&long, envelope(&["rows"])),
        ] {
            for buffer_bytes in [1, 3, 4096] {
                if text.len() > 1000 && buffer_bytes < 1000 {
                    continue;
                }
                let reader = BufReader::with_capacity(buffer_bytes, text.as_bytes());
                let (layout, mut whole) = look(reader, &Mapping::default()).unwrap();
                let shown: String = text.chars().take(80).collect();
                assert_eq!(layout, expected, "{shown}");
                let mut again = String::new();
                whole.read_to_string(&mut again).unwrap();
                assert!(again == text, "{shown}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_harmless(text in "[\\[\\]{}\",:a n\\\\]{0,24}") {
            look(text.as_bytes(), &Mapping::default()).unwrap();
        }
    }
}
