//! Some keys of a business: cut out of its JSON, never parsed.
//!
//! A document has all its keys, in one order, and no white space, so that each is found by passing
//! the values before it. A document is decoded only as far as its last wanted key, if that stands
//! near the beginning.

use crate::snapshot::columns::doc_store::Documents;

/// The keys of a business, in the order of responses.
pub const NAMES: [&str; 8] = [
    "id",
    "name",
    "website",
    "description",
    "industry",
    "employee_count",
    "location",
    "founded_year",
];

/// Codes of a document that are decoded for its first keys; they hold most ids and names.
const HEAD_CODES: usize = 20;

/// The number of keys that count as first ones: id and name.
const HEAD_KEYS: u32 = 2;

/// A set of keys.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fields(u8);

impl Fields {
    /// All keys.
    pub const ALL: Fields = Fields(u8::MAX);

    /// The keys of these names; others are ignored.
    pub fn of<'n>(names: impl Iterator<Item = &'n str>) -> Fields {
        let key = |name: &str| NAMES.iter().position(|known| *known == name);
        Fields(names.filter_map(key).fold(0, |set, key| set | 1 << key))
    }

    /// The set as a number.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Appends these keys of the document that `codes` stand for; `text` is working space.
    pub fn append(
        self,
        documents: &Documents,
        codes: &[u16],
        text: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) {
        if self == Fields::ALL {
            return documents.append(codes, out);
        }
        let is_near = self.0 >> HEAD_KEYS == 0;
        let head = codes.len().min(if is_near { HEAD_CODES } else { usize::MAX });
        for end in [head, codes.len()] {
            text.clear();
            documents.append(&codes[..end], text);
            if self.cut(text, out).is_some() || end == codes.len() {
                return;
            }
        }
    }

    /// Appends these keys of a document, or nothing if it ends before the last of them.
    fn cut(self, document: &[u8], out: &mut Vec<u8>) -> Option<()> {
        let start = out.len();
        let found = self.cut_from(document, out);
        if found.is_none() {
            out.truncate(start);
        }
        found
    }

    fn cut_from(self, document: &[u8], out: &mut Vec<u8>) -> Option<()> {
        // Behind the brace or comma that is before each key.
        let (mut at, mut left) = (1, self.0);
        let mut mark = b'{';
        for (key, name) in NAMES.iter().enumerate() {
            if left == 0 {
                break;
            }
            let value = at + name.len() + "\"\":".len();
            let end = value + value_len(document.get(value..)?)?;
            if left >> key & 1 == 1 {
                out.push(mark);
                out.extend_from_slice(&document[at..end]);
                mark = b',';
            }
            left &= !(1 << key);
            at = end + 1;
        }
        out.push(b'}');
        Some(())
    }
}

/// How long the value is that `json` begins with.
fn value_len(json: &[u8]) -> Option<usize> {
    match json.first()? {
        b'"' => text_len(json),
        b'{' => {
            let mut at = 1;
            while json.get(at)? != &b'}' {
                at += match json[at] {
                    b'"' => text_len(&json[at..])?,
                    _ => 1,
                };
            }
            Some(at + 1)
        }
        _ => json.iter().position(|byte| matches!(byte, b',' | b'}')),
    }
}

/// How long the text is that `json` begins with, its quotation marks included.
fn text_len(json: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', json.get(at..)?)?;
        if json[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    fn document(texts: [Option<String>; 7], numbers: [Option<u32>; 2]) -> Vec<u8> {
        let text = |text: &Option<String>| serde_json::to_string(text).unwrap();
        let number = |number: Option<u32>| serde_json::to_string(&number).unwrap();
        let [name, website, description, industry, city, state, country] =
            texts.each_ref().map(text);
        let [employees, year] = numbers.map(number);
        format!(
            "{{\"id\":\"a\\\\\\\"b\",\"name\":{name},\"website\":{website},\
             \"description\":{description},\"industry\":{industry},\"employee_count\":{employees},\
             \"location\":{{\"city\":{city},\"state\":{state},\"country\":{country}}},\
             \"founded_year\":{year}}}"
        )
        .into_bytes()
    }

    proptest! {
        #[test]
        fn keys_are_those_of_the_document(
            texts: [Option<String>; 7],
            numbers: [Option<u32>; 2],
            bits in 1u8..,
        ) {
            let document = document(texts, numbers);
            let whole: Map<String, Value> = serde_json::from_slice(&document).unwrap();
            let mut out = Vec::new();
            Fields(bits).cut(&document, &mut out).unwrap();
            let cut: Map<String, Value> = serde_json::from_slice(&out).unwrap();
            for (key, name) in NAMES.iter().enumerate() {
                let expected = (bits >> key & 1 == 1).then(|| &whole[*name]);
                prop_assert_eq!(cut.get(*name), expected);
            }
            prop_assert_eq!(cut.len() as u32, bits.count_ones());
            for end in 0..document.len() {
                let mut out = vec![7];
                let is_cut = Fields(bits).cut(&document[..end], &mut out).is_some();
                prop_assert_eq!(is_cut, out.len() > 1);
            }
        }
    }

    #[test]
    fn keys_stand_in_the_order_of_responses() {
        let document = document([const { None }; 7], [Some(3), None]);
        let mut out = Vec::new();
        Fields::of(["founded_year", "id", "employee_count"].into_iter()).cut(&document, &mut out);
        let expected = json!({"id": "a\\\"b", "employee_count": 3, "founded_year": null});
        assert_eq!(serde_json::from_slice::<Value>(&out).unwrap(), expected);
        assert!(out.starts_with(b"{\"id\":") && out.ends_with(b",\"founded_year\":null}"));
    }
}
