//! Values to one [`Company`].
//!
//! Readers hand over one [`Value`] per [`Slot`]; what is wrong with one is said here, the same way
//! for every format. A number may be a text in any format: it is read as [`values`](super::values)
//! has it. All faults of a record are told, not the first only; where the operator wants it so,
//! a bad value that no record needs is left out, and counted.

mod number_reader;

use super::findings::Findings;
use super::mapping::{IdSource, Mapping, Slot, derived_id};
use super::record::{Fault, RecordError};
use super::values::numbers::NumberRules;
use super::values::{OnBadValue, ValueOptions, shortened};
use crate::company;
use crate::company::{Company, FaultKind, Field, FieldError, Location, TextList};
use crate::limits::LIST_VALUES_MAX;
use crate::places::take_apart::{Apart, take_apart};
use number_reader::NumberReader;
use serde_json::Value as Json;

/// A value as a reader found it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value<'a> {
    /// None.
    Null,
    /// A text; of white space alone it is no value.
    Text(&'a str),
    /// A number in digits, with a dot and decimals if it is not whole.
    Decimal(&'a str),
    /// A whole number.
    Unsigned(u64),
    /// A whole number; below 0 it is refused wherever a number is expected.
    Signed(i64),
    /// A floating-point number, whole or not.
    Double(f64),
    /// A day, counted from 1 January 1970.
    Day(i64),
    /// True or false.
    Bool(bool),
    /// An object.
    Object,
    /// A list of so many values.
    List(usize),
}

/// A record being put together.
pub struct Assembly<'m> {
    mapping: &'m Mapping,
    rules: NumberRules,
    company: Company,
    /// Places that stand beside `location`, in JSON.
    beside: Location,
    /// Where the text of a whole place says it is.
    place: Location,
    id_parts: Vec<Option<String>>,
    faults: Vec<Fault>,
    name_parts: Vec<Option<String>>,
}

impl<'m> Assembly<'m> {
    /// An empty record.
    pub fn new(mapping: &'m Mapping) -> Assembly<'m> {
        let ValueOptions { number_format, bands, .. } = mapping.values;
        let is_banded = bands.is_some();
        Assembly {
            mapping,
            rules: NumberRules {
                format: number_format,
                dots_group: is_banded,
                commas_group: is_banded,
            },
            company: Company::default(),
            beside: Location::default(),
            place: Location::default(),
            id_parts: vec![None; mapping.num_id_parts()],
            faults: Vec::new(),
            name_parts: vec![None; mapping.num_name_parts()],
        }
    }

    /// In this record a dot before three digits groups them, unless the operator said otherwise.
    pub fn with_grouping_dots(mut self) -> Assembly<'m> {
        self.rules.dots_group = true;
        self
    }

    /// Takes a value, or notes what is wrong with it.
    pub fn set(&mut self, slot: Slot, value: Value<'_>, findings: &mut Findings) {
        let value = match value {
            Value::Text(text) if self.is_null(text) => Value::Null,
            value => value,
        };
        if let Err(mut error) = self.put(slot, value, findings) {
            let column = match slot {
                Slot::Field(field) => self.mapping.columns_of(field),
                Slot::Beside(_) | Slot::IdPart(_) | Slot::NamePart(_) => None,
            };
            if let Some(column) = column.filter(|column| *column != error.field.name()) {
                error.reason.push_str(&format!(" (read from {column:?})"));
            }
            self.refuse(error.into(), findings);
        }
    }

    /// Takes a list of values for a field that holds any number of them.
    pub fn set_list<'v>(
        &mut self,
        slot: Slot,
        values: impl Iterator<Item = Value<'v>>,
        findings: &mut Findings,
    ) {
        values.for_each(|value| self.set(slot, value, findings));
    }

    /// Notes a fault: of the record, or of a value that is left out.
    pub fn refuse(&mut self, fault: Fault, findings: &mut Findings) {
        if self.mapping.values.on_bad_value == OnBadValue::Null
            && fault.field.is_some_and(|field| self.mapping.can_be_null(field))
        {
            findings.leave_out(fault);
        } else {
            self.reject(fault);
        }
    }

    /// Notes a fault for which the record is rejected in any case.
    pub fn reject(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    fn is_null(&self, text: &str) -> bool {
        !self.mapping.nulls.is_empty() && self.mapping.nulls.iter().any(|null| null == text.trim())
    }

    fn put(
        &mut self,
        slot: Slot,
        value: Value<'_>,
        findings: &mut Findings,
    ) -> Result<(), FieldError> {
        let field = match slot {
            Slot::Field(field) => field,
            Slot::Beside(field) => {
                let value = text(field, value)?;
                *place_of(&mut self.beside, field) = value;
                return Ok(());
            }
            Slot::IdPart(part) => {
                self.id_parts[part] = identifying_text(value)?;
                return Ok(());
            }
            Slot::NamePart(part) => {
                self.name_parts[part] = text(Field::Name, value)?;
                return Ok(());
            }
        };
        let company = &mut self.company;
        match field {
            Field::Id if self.mapping.derives_ids() => {
                company.id = identifying_text(value)?.unwrap_or_default();
            }
            Field::Id => company.id = required(field, identifying_text(value)?, value)?,
            Field::Name if !self.name_parts.is_empty() => {
                company.name = text(field, value)?.unwrap_or_default();
            }
            Field::Name => company.name = required(field, text(field, value)?, value)?,
            Field::Website => company.website = text(field, value)?,
            Field::Description => company.description = text(field, value)?,
            Field::Industry => company.industry = text(field, value)?,
            Field::City | Field::State | Field::Country => {
                *place_of(&mut company.location, field) = text(field, value)?;
            }
            Field::Aliases => put_texts(field, value, self.mapping, &mut company.aliases)?,
            Field::OtherWebsites => {
                put_texts(field, value, self.mapping, &mut company.other_websites)?;
            }
            Field::Location => {
                let place = take_apart(&text(field, value)?.unwrap_or_default());
                if place.is_unknown {
                    findings.note_unknown_place(place.city.as_deref().unwrap_or_default());
                }
                let Apart { city, state, country, .. } = place;
                self.place = Location { city, state, country };
            }
            Field::EmployeeCount => {
                let mut reader = NumberReader { rules: self.rules, findings };
                let count = reader.count(value, self.mapping.values.bands)?;
                company.employee_count = count.map(company::employee_count).transpose()?;
            }
            Field::FoundedYear => {
                let mut reader = NumberReader { rules: self.rules, findings };
                company.founded_year =
                    reader.year(value)?.map(company::founded_year).transpose()?;
            }
        }
        Ok(())
    }

    /// Refuses lists of too many values.
    fn check_lists(&mut self, findings: &mut Findings) {
        for field in [Field::Aliases, Field::OtherWebsites] {
            let list = match field {
                Field::Aliases => &mut self.company.aliases,
                _ => &mut self.company.other_websites,
            };
            let len = list.iter().count();
            if len > LIST_VALUES_MAX {
                list.clear();
                let reason = format!(
                    "has {len} values; at most {LIST_VALUES_MAX} are accepted: leave some out, or do not read the \
                     field, with --map {field}=-"
                );
                self.refuse(
                    FieldError::new(field, FaultKind::TooManyValues, reason).into(),
                    findings,
                );
            }
        }
    }

    /// The record.
    ///
    /// # Errors
    /// A value cannot be taken; or there is no name, or no id and nothing to make one from.
    pub fn finish(mut self, findings: &mut Findings) -> Result<Company, RecordError> {
        self.check_lists(findings);
        let Assembly {
            mapping,
            mut company,
            mut beside,
            place,
            id_parts,
            name_parts,
            mut faults,
            ..
        } = self;
        let constants = &mapping.constants;
        if company.name.is_empty() {
            company.name.clone_from(&constants.name);
        }
        if company.name.is_empty() && !name_parts.is_empty() {
            company.name = mapping.name_of(&name_parts).unwrap_or_default();
        }
        let fill = |value: &mut Option<String>, default: &Option<String>| {
            if value.is_none() {
                value.clone_from(default);
            }
        };
        // A field with a constant is not read, so nothing that was read is in the way.
        fill(&mut company.website, &constants.website);
        fill(&mut company.description, &constants.description);
        fill(&mut company.industry, &constants.industry);
        company.employee_count = company.employee_count.or(constants.employee_count);
        company.founded_year = company.founded_year.or(constants.founded_year);
        let location = &mut company.location;
        for field in [Field::City, Field::State, Field::Country] {
            let other = place_of(&mut beside, field).take();
            let own = place_of(location, field);
            if own.is_none() {
                *own = other;
            } else if other.is_some() && *own != other {
                findings.other_place(field);
            }
        }
        for from in [&constants.location, &place] {
            fill(&mut location.city, &from.city);
            fill(&mut location.state, &from.state);
            fill(&mut location.country, &from.country);
        }
        let is_told = |field, faults: &[Fault]| {
            faults.iter().any(|fault| fault.field == Some(field) || fault.field.is_none())
        };
        // From values that are at fault another id would be made than from those that are mended.
        if company.id.is_empty() && mapping.derives_ids() && faults.is_empty() {
            match derive_id(&company, mapping, &id_parts) {
                Ok(id) => company.id = id,
                Err(error) => faults.push(error.into()),
            }
        }
        for (field, value) in [(Field::Id, &company.id), (Field::Name, &company.name)] {
            let is_made = field == Field::Id && mapping.derives_ids();
            if value.is_empty() && !is_made && !is_told(field, &faults) {
                let reason = "is missing; every record needs one";
                faults.push(FieldError::new(field, FaultKind::Missing, reason).into());
            }
        }
        if faults.is_empty() { Ok(company) } else { Err(RecordError { id: None, faults }) }
    }
}

/// The city, state or country.
fn place_of(location: &mut Location, field: Field) -> &mut Option<String> {
    match field {
        Field::City => &mut location.city,
        Field::State => &mut location.state,
        _ => &mut location.country,
    }
}

fn derive_id(
    company: &Company,
    mapping: &Mapping,
    id_parts: &[Option<String>],
) -> Result<String, FieldError> {
    let text = |value: &Option<String>| value.as_deref().map_or(Json::Null, Json::from);
    let values: Vec<Json> = mapping
        .id_from
        .iter()
        .map(|source| match source {
            IdSource::Column(part, _) => text(&id_parts[*part]),
            IdSource::Field(field) => match field {
                Field::Name if company.name.is_empty() => Json::Null,
                Field::Name => Json::from(company.name.as_str()),
                Field::Website => text(&company.website),
                Field::Description => text(&company.description),
                Field::Industry => text(&company.industry),
                Field::City => text(&company.location.city),
                Field::State => text(&company.location.state),
                Field::Country => text(&company.location.country),
                Field::EmployeeCount => company.employee_count.map_or(Json::Null, Json::from),
                Field::FoundedYear => company.founded_year.map_or(Json::Null, Json::from),
                Field::Id | Field::Location | Field::Aliases | Field::OtherWebsites => Json::Null,
            },
        })
        .collect();
    derived_id::derive(&values).ok_or_else(|| {
        let names: Vec<&str> = mapping
            .id_from
            .iter()
            .map(|source| match source {
                IdSource::Field(field) => field.name(),
                IdSource::Column(_, name) => name.as_str(),
            })
            .collect();
        let reason =
            format!("is missing, and so is all that it is made from: {}", names.join(", "));
        FieldError::new(Field::Id, FaultKind::Missing, reason)
    })
}

/// A text that every record needs; `value` is what was given for it.
fn required(field: Field, text: Option<String>, value: Value<'_>) -> Result<String, FieldError> {
    text.ok_or_else(|| {
        let found = if value == Value::Null { "null" } else { "empty" };
        let reason = format!("is {found}; every record needs one");
        FieldError::new(field, FaultKind::Missing, reason)
    })
}

fn text(field: Field, value: Value<'_>) -> Result<Option<String>, FieldError> {
    match value {
        Value::Text(text) => Ok(company::text_value(field, text)?.map(str::to_owned)),
        Value::Null | Value::List(0) => Ok(None),
        other if matches!(field, Field::Id | Field::Name) => {
            Err(wrong_type(field, other, "a text in quotation marks"))
        }
        other => Err(wrong_type(field, other, "a text in quotation marks or null")),
    }
}

/// Appends a text, or those that it is split into, to a list.
fn put_texts(
    field: Field,
    value: Value<'_>,
    mapping: &Mapping,
    list: &mut TextList,
) -> Result<(), FieldError> {
    match value {
        Value::Text(text) => {
            let mut parts = match mapping.separator(field) {
                Some(separator) => text.split(separator).collect(),
                None => vec![text],
            };
            parts.retain(|part| !mapping.nulls.iter().any(|null| null == part.trim()));
            for part in parts {
                list.push(company::text_value(field, part)?.unwrap_or_default());
            }
            Ok(())
        }
        Value::Null | Value::List(0) => Ok(()),
        other => Err(wrong_type(field, other, "a text, or a list of texts")),
    }
}

/// A value that identifies: texts and whole numbers, since both are exact.
fn identifying_text(value: Value<'_>) -> Result<Option<String>, FieldError> {
    match value {
        Value::Unsigned(number) => Ok(Some(number.to_string())),
        Value::Signed(number) => Ok(Some(number.to_string())),
        Value::Decimal(digits) if !digits.contains('.') => Ok(Some(digits.to_owned())),
        Value::Double(_) | Value::Decimal(_) => {
            let accepted = "a text or a whole number: write it without decimals";
            Err(wrong_type(Field::Id, value, accepted))
        }
        other => text(Field::Id, other),
    }
}

/// `value` is of another type than `field`.
pub fn wrong_type(field: Field, value: Value<'_>, accepted: &str) -> FieldError {
    let found = match value {
        Value::Text(text) => format!("the text {:?}", shortened(text)),
        Value::Object => "an object".to_owned(),
        Value::List(1) => "a list of something else than a value".to_owned(),
        Value::List(len) => {
            let reason = format!("is a list of {len} values; one is accepted: keep one");
            return FieldError::new(field, FaultKind::SeveralValues, reason);
        }
        Value::Bool(value) => value.to_string(),
        Value::Signed(number) => format!("the number {number}"),
        Value::Unsigned(number) => format!("the number {number}"),
        Value::Double(number) => format!("the number {number:?}"),
        Value::Decimal(digits) => format!("the number {}", shortened(digits)),
        Value::Day(_) => "a date".to_owned(),
        Value::Null => "null".to_owned(),
    };
    FieldError::new(field, FaultKind::WrongType, format!("is {found}; accepted is {accepted}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::mapping::MappingOptions;
    use crate::index::values::NumberFormat;
    use crate::index::values::bands::Bands;

    fn mapping(values: ValueOptions) -> Mapping {
        Mapping::new(&MappingOptions { values, ..MappingOptions::default() }).unwrap()
    }

    /// What a value becomes in a field of numbers: the number, or what is wrong.
    fn read_as(
        field: Field,
        value: Value<'_>,
        values: ValueOptions,
    ) -> Result<Option<u64>, FieldError> {
        let mapping = mapping(values);
        let mut assembly = Assembly::new(&mapping);
        assembly.put(Slot::Field(field), value, &mut Findings::default())?;
        Ok(assembly.company.employee_count.or(assembly.company.founded_year.map(u64::from)))
    }

    #[test]
    fn numbers_in_texts_are_exact() {
        let number =
            |text| read_as(Field::EmployeeCount, Value::Text(text), ValueOptions::default());
        for (text, expected) in [
            ("", None),
            ("  ", None),
            ("0", Some(0)),
            ("-0", Some(0)),
            ("007", Some(7)),
            (" 1911.0 ", Some(1911)),
            ("9007199254740993", Some(9_007_199_254_740_993)),
        ] {
            assert_eq!(number(text), Ok(expected), "{text:?}");
        }
        for (text, expected) in [
            ("-1", "is -1; negative"),
            ("18446744073709551616", "is 18446744073709551616; that is more"),
            ("1.5", "is 1.5; whole numbers are accepted"),
            ("1e3", "is the text \"1e3\", in scientific notation"),
            (
                "1,234",
                "is the text \"1,234\", which can be read in more than one way: say which with --number-format \
                       (en reads 1234)",
            ),
            (
                "1.000",
                "is the text \"1.000\", which can be read in more than one way: say which with --number-format \
                       (en reads 1, de reads 1000)",
            ),
            (
                "51-200",
                "is the text \"51-200\", a band or rounded: --bands lower reads it as 51, middle as 125, upper",
            ),
            ("5K", "is the text \"5K\", a band or rounded: --bands lower reads it as 5000"),
            ("+5", "is the text \"+5\""),
            (".0", "is the text"),
            ("1.", "is the text"),
            ("NaN", "is the text \"NaN\"; accepted is a whole number, or nothing; --null TEXT"),
            ("Infinity", "is the text"),
            ("１２", "is the text"),
            ("0x10", "is the text"),
        ] {
            let reason = number(text).unwrap_err().reason;
            assert!(reason.starts_with(expected), "{text:?}: {reason}");
        }
    }

    #[test]
    fn the_operator_says_how_numbers_are_written() {
        let of =
            |number_format, bands| ValueOptions { number_format, bands, ..ValueOptions::default() };
        for (text, values, expected) in [
            ("1.000", of(NumberFormat::De, None), 1000),
            ("1,200", of(NumberFormat::En, None), 1200),
            ("51-200", of(NumberFormat::Auto, Some(Bands::Middle)), 125),
            ("10,001+", of(NumberFormat::Auto, Some(Bands::Upper)), 10_001),
            ("1,200", of(NumberFormat::Auto, Some(Bands::Lower)), 1200),
            ("1.200", of(NumberFormat::Auto, Some(Bands::Lower)), 1200),
            ("120.0", of(NumberFormat::Auto, Some(Bands::Lower)), 120),
            ("1.200", of(NumberFormat::De, Some(Bands::Lower)), 1200),
        ] {
            let found = read_as(Field::EmployeeCount, Value::Text(text), values);
            assert_eq!(found, Ok(Some(expected)), "{text}");
        }
    }

    #[test]
    fn years_are_read_from_dates() {
        let year = |value| read_as(Field::FoundedYear, value, ValueOptions::default());
        for value in [
            Value::Text("1998"),
            Value::Text("1998.0"),
            Value::Text("01/02/1998"),
            Value::Text("19980301"),
            Value::Unsigned(1998),
            Value::Unsigned(19_980_301),
            Value::Double(1998.0),
            Value::Decimal("1998"),
            Value::Day(10_300),
        ] {
            assert_eq!(year(value), Ok(Some(1998)), "{value:?}");
        }
        for (value, expected) in [
            (Value::Text("01/02/98"), "is the text \"01/02/98\", a date whose year has two digits"),
            (
                Value::Text("35866"),
                "is 35866; years from 1 to 9999 are accepted: if it is a date as",
            ),
            (Value::Unsigned(35_866), "is 35866; years from 1"),
            (
                Value::Text("1998-2004"),
                "is the text \"1998-2004\"; accepted is a year or a date whose year",
            ),
            (Value::Text("0000-00-00"), "is 0; whole numbers from 1"),
            (Value::Unsigned(1_234_567), "is 1234567; whole numbers from 1"),
            (Value::Double(1998.5), "is 1998.5; accepted are whole numbers"),
            (Value::Bool(true), "is true; accepted is a whole number"),
        ] {
            let reason = year(value).unwrap_err().reason;
            assert!(reason.starts_with(expected), "{value:?}: {reason}");
        }
        let grouped = ValueOptions { number_format: NumberFormat::En, ..ValueOptions::default() };
        assert_eq!(read_as(Field::FoundedYear, Value::Text("1,998"), grouped), Ok(Some(1998)));
    }
}
