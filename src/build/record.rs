//! One line of JSON to one [`Company`].
//!
//! Strict where silence would lose or invent data: a known key given twice, a value of a wrong type, a number
//! out of range or with a fraction reject the record. Unknown keys are skipped, whatever they hold.

use crate::company::{self, Company, Field, FieldError, Location};
use crate::limits::{RECORD_DEPTH_MAX, RECORD_KEYS_MAX};
use simd_json::{Buffers, Node, StaticNode};

/// What is wrong with a line, and the id of its record if that could be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordError {
    /// Id of the record.
    pub id: Option<String>,
    /// The field at fault.
    pub field: Option<Field>,
    /// What is wrong.
    pub reason: String,
}

impl From<FieldError> for RecordError {
    fn from(error: FieldError) -> RecordError {
        RecordError { id: None, field: Some(error.field), reason: error.reason }
    }
}

/// Parses lines; keeps its buffers from line to line.
pub struct RecordParser {
    buffers: Buffers,
}

impl Default for RecordParser {
    fn default() -> RecordParser {
        // The record itself is the first level.
        RecordParser { buffers: Buffers::with_max_depth(4096, RECORD_DEPTH_MAX) }
    }
}

impl RecordParser {
    /// Parses one line. The line's bytes are used as working space.
    ///
    /// # Errors
    /// The line holds no acceptable record.
    pub fn parse(&mut self, line: &mut [u8]) -> Result<Company, RecordError> {
        let whole = |reason: String| RecordError { id: None, field: None, reason };
        if let Err(error) = std::str::from_utf8(line) {
            let at = error.valid_up_to() + 1;
            return Err(whole(format!(
                "is not UTF-8 at byte {at} of the line: convert the file to UTF-8"
            )));
        }
        if !line.trim_ascii_start().starts_with(b"{") {
            return Err(whole("is no JSON object: every line must be one {…}".to_owned()));
        }
        let tape = simd_json::to_tape_with_buffers(line, &mut self.buffers)
            .map_err(|error| whole(describe(&error)))?;
        parse_object(&tape.0).map_err(|mut error| {
            error.id = find_id(&tape.0);
            error
        })
    }
}

fn describe(error: &simd_json::Error) -> String {
    use simd_json::ErrorType;
    match error.error() {
        ErrorType::DepthLimitExceeded => {
            format!("is nested deeper than {RECORD_DEPTH_MAX} levels: flatten it")
        }
        kind => format!("is not valid JSON near byte {} of the line: {kind:?}", error.index() + 1),
    }
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

fn find_id(nodes: &[Node<'_>]) -> Option<String> {
    let (_, value) = entries(nodes).find(|(key, _)| *key == "id")?;
    match value[0] {
        Node::String(id) => Some(id.chars().take(64).collect()),
        _ => None,
    }
}

fn parse_object(nodes: &[Node<'_>]) -> Result<Company, RecordError> {
    let Node::Object { len, .. } = nodes[0] else {
        let reason = "is no JSON object: every line must be one {…}".to_owned();
        return Err(RecordError { id: None, field: None, reason });
    };
    if len > RECORD_KEYS_MAX {
        let reason = format!("has {len} keys; at most {RECORD_KEYS_MAX} are accepted");
        return Err(RecordError { id: None, field: None, reason });
    }
    let mut company = Company::default();
    let mut seen = 0u16;
    for (key, value) in entries(nodes) {
        let field = match key {
            "id" => Field::Id,
            "name" => Field::Name,
            "website" => Field::Website,
            "description" => Field::Description,
            "industry" => Field::Industry,
            "employee_count" => Field::EmployeeCount,
            "location" => Field::Location,
            "founded_year" => Field::FoundedYear,
            _ => continue,
        };
        see(&mut seen, field)?;
        let first = value[0];
        match field {
            Field::Id => company.id = required(field, first)?,
            Field::Name => company.name = required(field, first)?,
            Field::Website => company.website = text(field, first)?,
            Field::Description => company.description = text(field, first)?,
            Field::Industry => company.industry = text(field, first)?,
            Field::EmployeeCount => {
                company.employee_count =
                    number(field, first)?.map(company::employee_count).transpose()?;
            }
            Field::FoundedYear => {
                company.founded_year =
                    number(field, first)?.map(company::founded_year).transpose()?;
            }
            _ => company.location = location(value)?,
        }
    }
    for (field, value) in [(Field::Id, &company.id), (Field::Name, &company.name)] {
        if value.is_empty() {
            return Err(FieldError::new(field, "is missing; every record needs one").into());
        }
    }
    Ok(company)
}

fn location(nodes: &[Node<'_>]) -> Result<Location, FieldError> {
    let mut location = Location::default();
    match nodes[0] {
        Node::Static(StaticNode::Null) => return Ok(location),
        Node::Object { .. } => {}
        // An empty text is a missing value, here as everywhere.
        Node::String(value) if value.trim().is_empty() => return Ok(location),
        other => {
            return Err(wrong_type(
                Field::Location,
                other,
                "an object with city, state and country",
            ));
        }
    }
    let mut seen = 0u16;
    for (key, value) in entries(nodes) {
        let (field, place) = match key {
            "city" => (Field::City, &mut location.city),
            "state" => (Field::State, &mut location.state),
            "country" => (Field::Country, &mut location.country),
            _ => continue,
        };
        see(&mut seen, field)?;
        *place = text(field, value[0])?;
    }
    Ok(location)
}

fn see(seen: &mut u16, field: Field) -> Result<(), FieldError> {
    let bit = 1 << field as u16;
    if *seen & bit != 0 {
        return Err(FieldError::new(field, "stands twice in the record: keep one"));
    }
    *seen |= bit;
    Ok(())
}

fn required(field: Field, node: Node<'_>) -> Result<String, FieldError> {
    match node {
        Node::String(text) => company::required_text(field, text).map(str::to_owned),
        Node::Static(StaticNode::Null) => {
            Err(FieldError::new(field, "is null; every record needs one"))
        }
        other => Err(wrong_type(field, other, "a text in quotation marks")),
    }
}

fn text(field: Field, node: Node<'_>) -> Result<Option<String>, FieldError> {
    match node {
        Node::String(text) => Ok(company::text_value(field, text)?.map(str::to_owned)),
        Node::Static(StaticNode::Null) => Ok(None),
        other => Err(wrong_type(field, other, "a text in quotation marks or null")),
    }
}

fn number(field: Field, node: Node<'_>) -> Result<Option<u64>, FieldError> {
    match node {
        Node::Static(StaticNode::U64(number)) => Ok(Some(number)),
        Node::Static(StaticNode::I64(number)) if number >= 0 => Ok(Some(number as u64)),
        Node::Static(StaticNode::I64(number)) => {
            Err(FieldError::new(field, format!("is {number}; negative numbers are not accepted")))
        }
        Node::Static(StaticNode::Null) => Ok(None),
        Node::String(text) if text.trim().is_empty() => Ok(None),
        other => Err(wrong_type(field, other, "a whole number without quotation marks, or null")),
    }
}

fn wrong_type(field: Field, node: Node<'_>, accepted: &str) -> FieldError {
    let found = match node {
        Node::String(text) => {
            format!("the text {:?}", text.chars().take(32).collect::<String>())
        }
        Node::Object { .. } => "an object".to_owned(),
        Node::Array { .. } => "a list".to_owned(),
        Node::Static(StaticNode::Bool(value)) => value.to_string(),
        Node::Static(StaticNode::F64(number)) => {
            format!("{number}, a number with a fraction or exponent")
        }
        Node::Static(StaticNode::I64(number)) => format!("the number {number}"),
        Node::Static(StaticNode::U64(number)) => format!("the number {number}"),
        Node::Static(StaticNode::Null) => "null".to_owned(),
    };
    FieldError::new(field, format!("is {found}; accepted is {accepted}"))
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
                "employee_count is 1, a number with a fraction",
            ),
            (r#"{"id":"a","name":"b","employee_count":1e3}"#, "employee_count is 1000, a number"),
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
        assert!(error.reason.starts_with("is not UTF-8 at byte 19"), "{}", error.reason);
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
