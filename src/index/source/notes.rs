//! What the operator should know of the columns and keys of an input.

use crate::company::Field;
use crate::index::findings::{Dotted, Findings};
use crate::index::mapping::nearest::{field_like, nearest};
use crate::index::mapping::{Binding, Mapping};

/// Most names that a note or an error shows.
const NAMES_SHOWN: usize = 20;

/// Names in quotation marks.
fn shown<S: AsRef<str>>(names: &[S]) -> String {
    let mut shown: Vec<String> =
        names.iter().take(NAMES_SHOWN).map(|name| format!("{:?}", name.as_ref())).collect();
    shown.extend((names.len() > NAMES_SHOWN).then(|| "…".to_owned()));
    shown.join(", ")
}

/// A note on names that go nowhere, and fields that have none; `what` has names.
fn note<S: AsRef<str>>(what: &str, plural: &str, absent: &[Field], unused: &[S]) -> Option<String> {
    let mut notes = Vec::new();
    if !absent.is_empty() {
        let names: Vec<&str> = absent.iter().map(|field| field.name()).collect();
        notes.push(format!("no {what} for {}", names.join(", ")));
    }
    if !unused.is_empty() {
        notes.push(format!("{plural} not used: {}", shown(unused)));
    }
    let names = unused.iter().map(AsRef::as_ref);
    let meant = names.filter_map(|name| Some((name, field_like(name, absent)?)));
    let meant: Vec<String> = meant
        .take(NAMES_SHOWN)
        .map(|(name, field)| format!("{name}: did you mean {0}? --map {0}={name:?}", field.name()))
        .collect();
    notes.extend((!meant.is_empty()).then(|| meant.join(", ")));
    (!notes.is_empty()).then(|| notes.join("; "))
}

/// What there is to know of the columns of a table.
pub fn of_columns(binding: &Binding) -> Option<String> {
    note("column", "columns", &binding.absent, &binding.unused)
}

/// What there is to know of the keys of the JSON records of an input.
pub fn of_keys(mapping: &Mapping, findings: &Findings, unit: &str) -> Option<String> {
    let absent = mapping.fields_without_key(findings.keys.seen);
    let mut unknown = findings.keys.unknown();
    unknown.retain(|name| !mapping.is_name_left_out(name));
    let mut notes: Vec<String> = note("key", "keys", &absent, &unknown).into_iter().collect();
    notes.extend(findings.other_place.map(|(number, field)| {
        let name = field.name();
        let short = name.rsplit('.').next().unwrap_or(name);
        format!("{short:?} is not used where {name} has another value, first in {unit} {number}")
    }));
    (!notes.is_empty()).then(|| notes.join("; "))
}

/// What there is to know of places in one text.
pub fn of_places(findings: &Findings, unit: &str) -> Option<String> {
    let (number, text) = findings.first_unknown_place.as_ref()?;
    Some(format!(
        "{} places end with no known country or subdivision, and are cities as they are; the first is {text:?} in \
         {unit} {number}",
        findings.unknown_places
    ))
}

/// Why JSON records do not fit the mapping, whose keys none of them has.
pub fn missing_key(mapping: &Mapping, findings: &Findings) -> Option<String> {
    let missing = mapping.first_key_without(findings.keys.seen)?;
    let unknown = findings.keys.unknown();
    let near = nearest(&missing, unknown.iter().copied())
        .map_or(String::new(), |near| format!("; did you mean {near:?}?"));
    let others = match unknown.is_empty() {
        true => String::new(),
        false => format!("; keys not used are {}", shown(&unknown)),
    };
    Some(format!("no record has the key {missing:?}{near}{others}"))
}

/// Why a column of numbers cannot be read, whose dots mean two things.
pub fn of_dots(findings: &Findings, unit: &str) -> Option<String> {
    let (of, group, decimal) = findings.two_meanings()?;
    let field = match of {
        Dotted::Employees => Field::EmployeeCount,
        Dotted::Year => Field::FoundedYear,
    };
    Some(format!(
        "{field} is {} in {unit} {} and {} in {unit} {}: a dot cannot group digits and begin decimals in one column; \
         say what it does with --number-format de (it groups) or en (it begins decimals)",
        group.1, group.0, decimal.1, decimal.0
    ))
}
