//! One JSON object to one [`Company`].
//!
//! Strict where silence would lose or invent data: a known key given twice, a value of a wrong
//! type, a number out of range or with a fraction reject the record. Unknown keys are skipped,
//! whatever they hold. Which keys are known is the matter of a [`Mapping`].

use super::company_builder::{Assembly, Value, wrong_type};
use super::mapping::{Key, Mapping, Slot};
use crate::company::{Company, Field, FieldError};
use crate::limits::{RECORD_DEPTH_MAX, RECORD_KEYS_MAX};
use simd_json::{Buffers, Node, StaticNode};

/// What is wrong with a record, and its id if that could be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordError {
    /// Id of the record.
    pub id: Option<String>,
    /// The field at fault.
    pub field: Option<Field>,
    /// What is wrong.
    pub reason: String,
}

impl RecordError {
    /// A fault of the record as a whole.
    pub fn whole(reason: impl Into<String>) -> RecordError {
        RecordError { id: None, field: None, reason: reason.into() }
    }

    /// Names the record by the value of its id; a long one is cut.
    pub fn with_id(mut self, id: Option<&str>) -> RecordError {
        let id = id.map(str::trim).filter(|id| !id.is_empty());
        self.id = id.map(|id| id.chars().take(64).collect());
        self
    }
}

impl From<FieldError> for RecordError {
    fn from(error: FieldError) -> RecordError {
        RecordError { id: None, field: Some(error.field), reason: error.reason }
    }
}

/// Parses records; keeps its buffers from one to the next.
pub struct RecordParser {
    buffers: Buffers,
    mapping: Mapping,
}

impl Default for RecordParser {
    fn default() -> RecordParser {
        RecordParser::new(Mapping::default())
    }
}

impl RecordParser {
    /// A parser for records with these keys.
    pub fn new(mapping: Mapping) -> RecordParser {
        // The record itself is the first level.
        RecordParser { buffers: Buffers::with_max_depth(4096, RECORD_DEPTH_MAX), mapping }
    }

    /// Parses one object. Its bytes are used as working space.
    ///
    /// # Errors
    /// The bytes hold no acceptable record.
    pub fn parse(&mut self, json: &mut [u8]) -> Result<Company, RecordError> {
        if let Err(error) = std::str::from_utf8(json) {
            let at = error.valid_up_to() + 1;
            return Err(RecordError::whole(format!(
                "is not UTF-8 at byte {at} of the record: convert the file to UTF-8"
            )));
        }
        if !json.trim_ascii_start().starts_with(b"{") {
            return Err(RecordError::whole("is no JSON object: every record must be one {…}"));
        }
        let tape = simd_json::to_tape_with_buffers(json, &mut self.buffers)
            .map_err(|error| RecordError::whole(describe(&error)))?;
        assemble(&tape.0, &self.mapping)
            .map_err(|error| error.with_id(find_id(&tape.0, self.mapping.keys())))
    }
}

/// What the parser says, in words: its own names tell more of it than of the record.
fn describe(error: &simd_json::Error) -> String {
    use simd_json::ErrorType;
    let what = match error.error() {
        ErrorType::DepthLimitExceeded => {
            return format!("is nested deeper than {RECORD_DEPTH_MAX} levels: flatten it");
        }
        ErrorType::Syntax | ErrorType::UnterminatedString => {
            "a string is not closed, or holds a control character that is not escaped"
        }
        ErrorType::InvalidEscape
        | ErrorType::InvalidUnicodeEscape
        | ErrorType::InvalidUnicodeCodepoint => "a string holds an escape that stands for nothing",
        ErrorType::InvalidNumber | ErrorType::InvalidExponent => {
            "a number is not written as JSON has them"
        }
        ErrorType::ExpectedTrue | ErrorType::ExpectedFalse | ErrorType::ExpectedNull => {
            "only true, false and null are words without quotation marks"
        }
        ErrorType::ExpectedObjectColon => "a colon is missing behind a key",
        ErrorType::ExpectedMapComma => "a comma or } is missing",
        ErrorType::ExpectedArrayComma => "a comma or ] is missing",
        ErrorType::ExpectedObjectKey | ErrorType::KeyMustBeAString | ErrorType::BadKeyType => {
            "a key is missing, or is not in quotation marks"
        }
        ErrorType::TrailingData => "something follows the object",
        _ => "what stands there can stand nowhere, or the record ends too early",
    };
    format!("is not valid JSON near byte {} of the record: {what}", error.index() + 1)
}

/// Keys and values of the object whose node is the first of `nodes`; each value as its own nodes.
fn entries<'t, 'i>(nodes: &'t [Node<'i>]) -> impl Iterator<Item = (&'i str, &'t [Node<'i>])> {
    let mut rest = &nodes[1..];
    let len = match nodes[0] {
        Node::Object { len, .. } => len,
        _ => 0,
    };
    (0..len).map_while(move |_| {
        let Node::String(key) = rest[0] else { return None };
        let size = match rest[1] {
            Node::Object { count, .. } | Node::Array { count, .. } => count + 1,
            Node::String(_) | Node::Static(_) => 1,
        };
        let value;
        (value, rest) = rest[1..].split_at(size);
        Some((key, value))
    })
}

fn find_id<'i>(nodes: &[Node<'i>], keys: &[Key]) -> Option<&'i str> {
    entries(nodes).find_map(|(name, value)| {
        let key = keys.iter().find(|key| key.name == name)?;
        match value[0] {
            Node::String(id) if key.slots.contains(&Slot::Field(Field::Id)) => Some(id),
            Node::Object { .. } => find_id(value, &key.children),
            _ => None,
        }
    })
}

fn assemble(nodes: &[Node<'_>], mapping: &Mapping) -> Result<Company, RecordError> {
    let Node::Object { len, .. } = nodes[0] else {
        return Err(RecordError::whole("is no JSON object: every record must be one {…}"));
    };
    if len > RECORD_KEYS_MAX {
        return Err(RecordError::whole(format!(
            "has {len} keys; at most {RECORD_KEYS_MAX} are accepted"
        )));
    }
    let mut assembly = Assembly::new(mapping);
    take_object(nodes, mapping.keys(), &mut 0, &mut assembly)?;
    Ok(assembly.finish()?)
}

/// Takes the known values of an object; `seen` has a bit for every key that was met.
fn take_object(
    nodes: &[Node<'_>],
    keys: &[Key],
    seen: &mut u128,
    assembly: &mut Assembly<'_>,
) -> Result<(), FieldError> {
    for (name, value) in entries(nodes) {
        let Some(key) = keys.iter().find(|key| key.name == name) else { continue };
        let bit = 1 << key.number;
        if *seen & bit != 0 {
            return Err(FieldError::new(key.field, "stands twice in the record: keep one"));
        }
        *seen |= bit;
        match value[0] {
            Node::Object { .. } if !key.children.is_empty() => {
                take_object(value, &key.children, seen, assembly)?;
            }
            node if key.slots.is_empty() => check_absent(key.field, value_of(node))?,
            node => {
                for &slot in &key.slots {
                    assembly.set(slot, value_of(node))?;
                }
            }
        }
    }
    Ok(())
}

/// Where an object is expected: no value is fine, and an empty text is no value, here as
/// everywhere.
fn check_absent(field: Field, value: Value<'_>) -> Result<(), FieldError> {
    match value {
        Value::Null => Ok(()),
        Value::Text(text) if text.trim().is_empty() => Ok(()),
        other if field == Field::Location => {
            Err(wrong_type(field, other, "an object with city, state and country"))
        }
        other => Err(wrong_type(field, other, "an object with the mapped keys")),
    }
}

fn value_of<'i>(node: Node<'i>) -> Value<'i> {
    match node {
        Node::String(text) => Value::Text(text),
        Node::Object { .. } => Value::Object,
        Node::Array { .. } => Value::List,
        Node::Static(StaticNode::Null) => Value::Null,
        Node::Static(StaticNode::Bool(value)) => Value::Bool(value),
        Node::Static(StaticNode::U64(number)) => Value::Unsigned(number),
        Node::Static(StaticNode::I64(number)) => Value::Signed(number),
        Node::Static(StaticNode::F64(number)) => Value::Fraction(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Company, RecordError> {
        RecordParser::default().parse(&mut line.as_bytes().to_vec())
    }

    /// What is wrong with the line, as `field reason`.
    fn fault(line: &str) -> String {
        let error = parse(line).unwrap_err();
        format!("{} {}", error.field.map_or("record", Field::name), error.reason)
    }

    #[test]
    fn a_whole_record() {
        let company = parse(
            r#"{"id":" a ","name":"Foo\u00e9","website":"","description":null,"industry":"Oil, Gas",
               "employee_count":9223372036854775807,"unknown":{"id":[1,{"x":2}]},
               "location":{"city":"Paris","zip":75001,"state":" "},"founded_year":1}"#,
        )
        .unwrap();
        assert_eq!(company.id, "a");
        assert_eq!(company.name, "Fooé");
        assert_eq!((company.website, company.description), (None, None));
        assert_eq!(company.employee_count, Some(i64::MAX as u64));
        assert_eq!(company.location.city.as_deref(), Some("Paris"));
        assert_eq!((company.location.state, company.location.country), (None, None));
        assert_eq!(company.founded_year, Some(1));
    }

    #[test]
    fn missing_values_are_missing() {
        for value in ["null", "\"\"", "\"  \""] {
            let line = format!(
                r#"{{"id":"a","name":"b","website":{value},"description":{value},"industry":{value},
                "employee_count":{value},"founded_year":{value},"location":{value}}}"#
            );
            let expected = Company { id: "a".into(), name: "b".into(), ..Company::default() };
            assert_eq!(parse(&line), Ok(expected), "{value}");
        }
        assert_eq!(
            parse(r#"{"id":"a","name":"b","employee_count":-0}"#).unwrap().employee_count,
            Some(0)
        );
    }

    #[test]
    fn faults_name_the_field_and_the_mend() {
        for (line, expected) in [
            (r#"{"name":"b"}"#, "id is missing"),
            (r#"{"id":"a"}"#, "name is missing"),
            (r#"{"id":"a","name":"  "}"#, "name is empty"),
            (r#"{"id":null,"name":"b"}"#, "id is null"),
            (r#"{"id":1,"name":"b"}"#, "id is the number 1; accepted is a text in quotation marks"),
            (r#"{"id":"a","name":["b"]}"#, "name is a list"),
            (r#"{"id":"a","name":"b","name":"c"}"#, "name stands twice"),
            (
                r#"{"id":"a","name":"b","location":{"city":"x","city":"y"}}"#,
                "location.city stands twice",
            ),
            (r#"{"id":"a","name":"b\u0000"}"#, "name holds a NUL"),
            (r#"{"id":"a","name":"b","employee_count":-1}"#, "employee_count is -1"),
            (
                r#"{"id":"a","name":"b","employee_count":1.0}"#,
                "employee_count is 1.0, a number with a fraction",
            ),
            (r#"{"id":"a","name":"b","employee_count":1e3}"#, "employee_count is 1000.0, a number"),
            (r#"{"id":"a","name":"b","employee_count":"12"}"#, "employee_count is the text \"12\""),
            (
                r#"{"id":"a","name":"b","employee_count":9223372036854775808}"#,
                "employee_count is 9223372036854775808;",
            ),
            (r#"{"id":"a","name":"b","employee_count":true}"#, "employee_count is true"),
            (r#"{"id":"a","name":"b","founded_year":0}"#, "founded_year is 0"),
            (r#"{"id":"a","name":"b","founded_year":10000}"#, "founded_year is 10000"),
            (r#"{"id":"a","name":"b","location":"Paris"}"#, "location is the text \"Paris\""),
            (r#"{"id":"a","name":"b","location":{"city":{}}}"#, "location.city is an object"),
            (r#"["id","name"]"#, "record is no JSON object"),
            (r#"{"id":"a","name":"b"} {}"#, "record is not valid JSON"),
            (r#"{"id":"a","name":"b""#, "record is not valid JSON"),
            (r#"{"id":"a","name":"\ud800"}"#, "record is not valid JSON"),
            (r#"{"id":"a","name":"b","employee_count":NaN}"#, "record is not valid JSON"),
            ("{\"id\":\"a\",\"name\":\"tab\there\"}", "record is not valid JSON"),
        ] {
            let fault = fault(line);
            assert!(fault.starts_with(expected), "{line}\n{fault}");
        }
        let mut bad_utf8 = b"{\"id\":\"a\",\"name\":\"\xff\"}".to_vec();
        let error = RecordParser::default().parse(&mut bad_utf8).unwrap_err();
        assert!(
            error.reason.starts_with("is not UTF-8 at byte 19 of the record"),
            "{}",
            error.reason
        );
    }

    #[test]
    fn depth_and_keys_are_bounded() {
        let nested = |depth: usize| {
            format!(r#"{{"id":"a","name":"b","x":{}{}}}"#, "[".repeat(depth), "]".repeat(depth))
        };
        assert!(parse(&nested(RECORD_DEPTH_MAX - 2)).is_ok());
        for depth in [RECORD_DEPTH_MAX + 1, 1024, 100_000] {
            assert!(fault(&nested(depth)).starts_with("record is nested deeper"), "{depth}");
        }
        let keys: String = (0..RECORD_KEYS_MAX).map(|key| format!(",\"k{key}\":1")).collect();
        assert!(
            fault(&format!(r#"{{"id":"a","name":"b"{keys}}}"#)).starts_with("record has 258 keys")
        );
    }
}
