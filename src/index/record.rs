//! One JSON object to one [`Company`].
//!
//! Strict where silence would lose or invent data: a known key given twice, a value of a wrong
//! type, a number out of range or with a fraction reject the record. A list of one value is that
//! value. Unknown keys are skipped, whatever they hold, and noted. Which keys are known is the
//! matter of a [`Mapping`].

use super::company_builder::{Assembly, Value, wrong_type};
use super::findings::Findings;
use super::mapping::{Key, Mapping, Slot};
use crate::company::{Company, FaultKind, Field, FieldError};
use crate::limits::{RECORD_DEPTH_MAX, RECORD_KEYS_MAX};
use simd_json::{Buffers, Node, StaticNode};

/// One thing that is wrong with a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The field at fault; none if the record as a whole is.
    pub field: Option<Field>,
    /// What it is counted under.
    pub kind: FaultKind,
    /// What is wrong.
    pub reason: String,
}

impl From<FieldError> for Fault {
    fn from(FieldError { field, kind, reason }: FieldError) -> Fault {
        Fault { field: Some(field), kind, reason }
    }
}

/// What is wrong with a record, and its id if that could be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordError {
    /// Id of the record.
    pub id: Option<String>,
    /// All that is wrong, in the order in which it was found; at least one.
    pub faults: Vec<Fault>,
}

impl RecordError {
    /// A fault of the record as a whole.
    pub fn whole(kind: FaultKind, reason: impl Into<String>) -> RecordError {
        let fault = Fault { field: None, kind, reason: reason.into() };
        RecordError { id: None, faults: vec![fault] }
    }

    /// Names the record by the value of its id; a long one is cut.
    pub fn with_id(mut self, id: Option<&str>) -> RecordError {
        let id = id.map(str::trim).filter(|id| !id.is_empty());
        self.id = id.map(|id| id.chars().take(64).collect());
        self
    }
}

/// Parses records; keeps its buffers from one to the next.
pub struct RecordParser {
    buffers: Buffers,
    mapping: Mapping,
    /// What the records so far told besides themselves.
    pub findings: Findings,
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
        RecordParser {
            buffers: Buffers::with_max_depth(4096, RECORD_DEPTH_MAX),
            mapping,
            findings: Findings::default(),
        }
    }

    /// Parses one object. Its bytes are used as working space.
    ///
    /// # Errors
    /// The bytes hold no acceptable record.
    pub fn parse(&mut self, json: &mut [u8]) -> Result<Company, RecordError> {
        if let Err(error) = std::str::from_utf8(json) {
            let at = error.valid_up_to() + 1;
            let reason =
                format!("is not UTF-8 at byte {at} of the record: convert the file to UTF-8");
            return Err(RecordError::whole(FaultKind::NotUtf8, reason));
        }
        if !json.trim_ascii_start().starts_with(b"{") {
            return Err(no_object());
        }
        let tape = simd_json::to_tape_with_buffers(json, &mut self.buffers)
            .map_err(|error| describe(&error))?;
        assemble(&tape.0, &self.mapping, &mut self.findings)
            .map_err(|error| error.with_id(find_id(&tape.0, self.mapping.keys()).as_deref()))
    }
}

fn no_object() -> RecordError {
    let reason = "is no JSON object: every record must be one {…}";
    RecordError::whole(FaultKind::NotJson, reason)
}

/// What the parser says, in words: its own names tell more of it than of the record.
fn describe(error: &simd_json::Error) -> RecordError {
    use simd_json::ErrorType;
    let what = match error.error() {
        ErrorType::DepthLimitExceeded => {
            let reason = format!("is nested deeper than {RECORD_DEPTH_MAX} levels: flatten it");
            return RecordError::whole(FaultKind::NotJson, reason);
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
        ErrorType::TrailingData => {
            "something follows the object; --format json reads objects however they are laid out"
        }
        _ => "what stands there can stand nowhere, or the record ends too early",
    };
    let reason = format!("is not valid JSON near byte {} of the record: {what}", error.index() + 1);
    RecordError::whole(FaultKind::NotJson, reason)
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

fn find_id(nodes: &[Node<'_>], keys: &[Key]) -> Option<String> {
    entries(nodes).find_map(|(name, value)| {
        let key = keys.iter().find(|key| key.name == name)?;
        let is_id = key.slots.contains(&Slot::Field(Field::Id));
        match element_of_one(value)[0] {
            Node::String(id) if is_id => Some(id.to_owned()),
            Node::Static(StaticNode::U64(id)) if is_id => Some(id.to_string()),
            Node::Static(StaticNode::I64(id)) if is_id => Some(id.to_string()),
            Node::Object { .. } => find_id(element_of_one(value), &key.children),
            _ => None,
        }
    })
}

fn assemble(
    nodes: &[Node<'_>],
    mapping: &Mapping,
    findings: &mut Findings,
) -> Result<Company, RecordError> {
    let Node::Object { len, .. } = nodes[0] else { return Err(no_object()) };
    if len > RECORD_KEYS_MAX {
        let reason = format!("has {len} keys; at most {RECORD_KEYS_MAX} are accepted");
        return Err(RecordError::whole(FaultKind::TooManyKeys, reason));
    }
    let mut object =
        Object { seen: 0, path: Vec::new(), assembly: Assembly::new(mapping), findings };
    object.take(nodes, mapping.keys());
    let Object { seen, assembly, findings, .. } = object;
    findings.keys.seen |= seen;
    assembly.finish(findings)
}

/// An object on its way into a record.
struct Object<'a, 'm> {
    /// A bit for every known key that was met.
    seen: u128,
    /// Keys of the objects around the one at hand.
    path: Vec<&'m str>,
    assembly: Assembly<'m>,
    findings: &'a mut Findings,
}

impl<'m> Object<'_, 'm> {
    /// Takes the known values of an object, and notes the unknown keys.
    fn take(&mut self, nodes: &[Node<'_>], keys: &'m [Key]) {
        for (name, value) in entries(nodes) {
            let Some(key) = keys.iter().find(|key| key.name == name) else {
                self.findings.keys.add_unknown(&self.path, name);
                continue;
            };
            let bit = 1 << key.number;
            if self.seen & bit != 0 {
                let reason = "stands twice in the record: keep one";
                let fault = FieldError::new(key.field, FaultKind::Twice, reason);
                self.assembly.reject(fault.into());
                continue;
            }
            self.seen |= bit;
            let value = element_of_one(value);
            match value[0] {
                Node::Object { .. } if !key.children.is_empty() => {
                    self.path.push(&key.name);
                    self.take(value, &key.children);
                    self.path.pop();
                }
                Node::Array { .. } if key.slots.iter().any(|slot| slot.is_list()) => {
                    for &slot in &key.slots {
                        if slot.is_list() {
                            self.assembly.set_list(slot, elements(value), self.findings);
                        } else {
                            self.assembly.set(slot, value_of(value[0]), self.findings);
                        }
                    }
                }
                node if key.slots.is_empty() => {
                    if let Err(error) = check_absent(key.field, value_of(node)) {
                        self.assembly.refuse(error.into(), self.findings);
                    }
                }
                node => {
                    for &slot in &key.slots {
                        self.assembly.set(slot, value_of(node), self.findings);
                    }
                }
            }
        }
    }
}

/// Where an object is expected: no value is fine, and an empty text is no value, here as
/// everywhere.
fn check_absent(field: Field, value: Value<'_>) -> Result<(), FieldError> {
    match value {
        Value::Null | Value::List(0) => Ok(()),
        Value::Text(text) if text.trim().is_empty() => Ok(()),
        Value::Text(_) if field == Field::Location => {
            let accepted = "an object with city, state and country; --map location=location takes a text apart";
            Err(wrong_type(field, value, accepted))
        }
        other if field == Field::Location => {
            Err(wrong_type(field, other, "an object with city, state and country"))
        }
        other => Err(wrong_type(field, other, "an object with the mapped keys")),
    }
}

/// The elements of the list whose node is the first of `nodes`.
fn elements<'t, 'i>(nodes: &'t [Node<'i>]) -> impl Iterator<Item = Value<'i>> + use<'t, 'i> {
    let mut rest = &nodes[1..];
    std::iter::from_fn(move || {
        let node = *rest.first()?;
        let size = match node {
            Node::Object { count, .. } | Node::Array { count, .. } => count + 1,
            Node::String(_) | Node::Static(_) => 1,
        };
        rest = &rest[size..];
        Some(value_of(node))
    })
}

/// The nodes of the one element, if they are those of a list of one; the nodes as they are if not.
fn element_of_one<'t, 'i>(nodes: &'t [Node<'i>]) -> &'t [Node<'i>] {
    if matches!(nodes[0], Node::Array { len: 1, .. }) { &nodes[1..] } else { nodes }
}

fn value_of<'i>(node: Node<'i>) -> Value<'i> {
    match node {
        Node::String(text) => Value::Text(text),
        Node::Object { .. } => Value::Object,
        Node::Array { len, .. } => Value::List(len),
        Node::Static(StaticNode::Null) => Value::Null,
        Node::Static(StaticNode::Bool(value)) => Value::Bool(value),
        Node::Static(StaticNode::U64(number)) => Value::Unsigned(number),
        Node::Static(StaticNode::I64(number)) => Value::Signed(number),
        Node::Static(StaticNode::F64(number)) => Value::Double(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::company::TextList;
    use crate::limits::LIST_VALUES_MAX;

    fn parse(line: &str) -> Result<Company, RecordError> {
        RecordParser::default().parse(&mut line.as_bytes().to_vec())
    }

    /// What is wrong with the line, as `field reason` each.
    fn fault(line: &str) -> String {
        let show = |fault: Fault| {
            format!("{} {}", fault.field.map_or("record", Field::name), fault.reason)
        };
        parse(line).unwrap_err().faults.into_iter().map(show).collect::<Vec<_>>().join("; ")
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
            (
                r#"{"id":1.5,"name":"b"}"#,
                "id is the number 1.5; accepted is a text or a whole number",
            ),
            (r#"{"id":"a","name":["b","c"]}"#, "name is a list of 2 values; one is accepted"),
            (r#"{"id":"a","name":[["b","c"]]}"#, "name is a list of 2 values"),
            (r#"{"id":"a","name":[[]]}"#, "name is empty"),
            (r#"{"id":"a","name":"b","name":"c"}"#, "name stands twice"),
            (
                r#"{"id":"a","name":"b","location":{"city":"x","city":"y"}}"#,
                "location.city stands twice",
            ),
            (r#"{"id":"a","name":"b\u0000"}"#, "name holds a NUL"),
            (r#"{"id":"a","name":"b","employee_count":-1}"#, "employee_count is -1"),
            (
                r#"{"id":"a","name":"b","employee_count":1.5}"#,
                "employee_count is 1.5; accepted are whole numbers",
            ),
            (
                r#"{"id":"a","name":"b","employee_count":"12 or so"}"#,
                "employee_count is the text \"12 or so\"",
            ),
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
            error.faults[0].reason.starts_with("is not UTF-8 at byte 19 of the record"),
            "{error:?}"
        );
    }

    #[test]
    fn values_may_be_written_in_many_ways() {
        let expected = parse(
            r#"{"id":"7","name":"b","industry":"Toys","employee_count":120,"founded_year":1998,
                "location":{"city":"Graz","country":"Austria"}}"#,
        );
        assert!(expected.is_ok());
        for line in [
            r#"{"id":7,"name":["b"],"industry":["Toys"],"employee_count":"120","founded_year":"1998-03-12",
                "location":[{"city":"Graz","country":["Austria"]}]}"#,
            r#"{"id":[7],"name":"b","website":[],"industry":"Toys","employee_count":120.0,"founded_year":1998.0,
                "city":"Graz","country":"Austria","state":null}"#,
            r#"{"id":"7","name":"b","industry":"Toys","employee_count":[1.2e2],"founded_year":19980312,
                "location":{"city":"Graz"},"city":"Wien","country":"Austria","location.zip":1}"#,
        ] {
            assert_eq!(parse(line), expected, "{line}");
        }
    }

    #[test]
    fn all_faults_are_told_and_unknown_keys_noted() {
        let told = fault(
            r#"{"id":true,"website":["a","b"],"employee_count":-1,"founded_year":0,"location":5,"x":1}"#,
        );
        assert_eq!(
            told,
            "id is true; accepted is a text in quotation marks; website is a list of 2 values; one is \
             accepted: keep one; employee_count is -1; negative numbers are not accepted; founded_year is 0; whole \
             numbers from 1 to 9999 are accepted; location is the number 5; accepted is an object with city, state \
             and country; name is missing; every record needs one"
        );
        let mut parser = RecordParser::default();
        for line in [
            r#"{"id":"a","name":"b","x":{"y":1},"location":{"zip":"1","city":"c"},"city":"d"}"#,
            r#"{"id":"a","name":"b","z":1,"x":2,"location":{"zip":"1"},"city":"d"}"#,
        ] {
            parser.parse(&mut line.as_bytes().to_vec()).unwrap();
        }
        assert_eq!(parser.findings.keys.unknown(), ["x", "location.zip", "z"]);
        assert_eq!(parser.findings.other_place, Some((0, Field::City)));
    }

    #[test]
    fn lists_are_read_one_by_one() {
        let lists = |members: &str| {
            let company = parse(&format!(r#"{{"id":"a","name":"b",{members}}}"#)).unwrap();
            let texts = |list: &TextList| list.iter().map(str::to_owned).collect::<Vec<_>>();
            (texts(&company.aliases), texts(&company.other_websites))
        };
        let none: Vec<String> = Vec::new();
        for (members, aliases) in [
            (r#""aliases":[" Harrow ","",null,"HM"]"#, vec!["Harrow", "HM"]),
            (r#""aliases":["Harrow; HM"]"#, vec!["Harrow; HM"]),
            (r#""aliases":"Harrow""#, vec!["Harrow"]),
            (r#""aliases":[]"#, vec![]),
            (r#""aliases":null"#, vec![]),
        ] {
            let aliases: Vec<String> = aliases.into_iter().map(str::to_owned).collect();
            assert_eq!(lists(members), (aliases, none.clone()), "{members}");
        }
        let websites = lists(r#""other_websites":["a.example","b.example"]"#).1;
        assert_eq!(websites, ["a.example", "b.example"]);
        let line = |members: &str| fault(&format!(r#"{{"id":"a","name":"b",{members}}}"#));
        for (members, expected) in [
            (
                r#""aliases":["x",7]"#,
                "aliases is the number 7; accepted is a text, or a list of texts",
            ),
            (r#""aliases":["z",["x","y"]]"#, "aliases is a list of 2 values"),
            (r#""aliases":["x",{"y":1}]"#, "aliases is an object; accepted is a text"),
            (r#""aliases":["x\u0000"]"#, "aliases holds a NUL"),
        ] {
            assert!(line(members).starts_with(expected), "{members}: {}", line(members));
        }
        let many = |count: usize| format!(r#""aliases":[{}]"#, vec![r#""x""#; count].join(","));
        assert_eq!(lists(&many(LIST_VALUES_MAX)).0.len(), LIST_VALUES_MAX);
        let reason = line(&many(LIST_VALUES_MAX + 1));
        assert!(reason.starts_with("aliases has 65 values; at most 64 are accepted"), "{reason}");
        assert!(reason.ends_with("--map aliases=-"), "{reason}");
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
