//! Values to one [`Company`].
//!
//! Readers hand over one [`Value`] per [`Slot`]; what is wrong with one is said here, the same way
//! for every format. Formats with types of their own (JSON, Parquet) must hold numbers as numbers;
//! the cells of CSV and TSV have no type, so there a number is what is written like one.

use super::mapping::{IdSource, Mapping, Slot, derived_id};
use crate::company;
use crate::company::{Company, Field, FieldError, Location};
use serde_json::Value as Json;

/// A value as a reader found it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value<'a> {
    /// None.
    Null,
    /// A text of a typed format.
    Text(&'a str),
    /// A cell of an untyped table; no text is no value.
    Cell(&'a str),
    /// A whole number.
    Unsigned(u64),
    /// A whole number; below 0 it is refused wherever a number is expected.
    Signed(i64),
    /// A number that was written with a fraction or an exponent.
    Fraction(f64),
    /// A number of a column that holds floating-point numbers, whole or not.
    Double(f64),
    /// True or false.
    Bool(bool),
    /// An object.
    Object,
    /// A list.
    List,
}

/// Numbers up to here are exact as floating-point numbers.
const EXACT_DOUBLE_MAX: f64 = (1u64 << 53) as f64;

/// A record being put together.
pub struct Assembly<'m> {
    mapping: &'m Mapping,
    company: Company,
    /// Where the text of a whole place says it is.
    place: Location,
    id_parts: Vec<Option<String>>,
}

impl<'m> Assembly<'m> {
    /// An empty record.
    pub fn new(mapping: &'m Mapping) -> Assembly<'m> {
        Assembly {
            mapping,
            company: Company::default(),
            place: Location::default(),
            id_parts: vec![None; mapping.num_id_parts()],
        }
    }

    /// Takes a value.
    ///
    /// # Errors
    /// The field cannot have this value.
    pub fn set(&mut self, slot: Slot, value: Value<'_>) -> Result<(), FieldError> {
        let value = match value {
            Value::Text(text) | Value::Cell(text) if self.is_null(text) => Value::Null,
            value => value,
        };
        self.put(slot, value).map_err(|mut error| {
            let column = match slot {
                Slot::Field(field) => self.mapping.column(field),
                Slot::IdPart(_) => None,
            };
            if let Some(column) = column.filter(|&column| column != error.field.name()) {
                error.reason.push_str(&format!(" (read from {column:?})"));
            }
            error
        })
    }

    fn is_null(&self, text: &str) -> bool {
        !self.mapping.nulls.is_empty() && self.mapping.nulls.iter().any(|null| null == text.trim())
    }

    fn put(&mut self, slot: Slot, value: Value<'_>) -> Result<(), FieldError> {
        let field = match slot {
            Slot::Field(field) => field,
            Slot::IdPart(part) => {
                self.id_parts[part] = identifying_text(value)?;
                return Ok(());
            }
        };
        let company = &mut self.company;
        match field {
            Field::Id if self.mapping.derives_ids() => {
                company.id = text(field, value)?.unwrap_or_default();
            }
            Field::Id | Field::Name => {
                let value = required(field, value)?;
                *(if field == Field::Id { &mut company.id } else { &mut company.name }) = value;
            }
            Field::Website => company.website = text(field, value)?,
            Field::Description => company.description = text(field, value)?,
            Field::Industry => company.industry = text(field, value)?,
            Field::City => company.location.city = text(field, value)?,
            Field::State => company.location.state = text(field, value)?,
            Field::Country => company.location.country = text(field, value)?,
            Field::Location => {
                self.place = text(field, value)?.map(|text| take_apart(&text)).unwrap_or_default();
            }
            Field::EmployeeCount => {
                company.employee_count =
                    number(field, value)?.map(company::employee_count).transpose()?;
            }
            Field::FoundedYear => {
                company.founded_year =
                    number(field, value)?.map(company::founded_year).transpose()?;
            }
        }
        Ok(())
    }

    /// The record.
    ///
    /// # Errors
    /// It has no name, or no id and nothing to make one from.
    pub fn finish(self) -> Result<Company, FieldError> {
        let Assembly { mapping, mut company, place, id_parts } = self;
        let constants = &mapping.constants;
        if company.name.is_empty() {
            company.name.clone_from(&constants.name);
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
        for from in [&constants.location, &place] {
            fill(&mut location.city, &from.city);
            fill(&mut location.state, &from.state);
            fill(&mut location.country, &from.country);
        }
        if company.id.is_empty() && mapping.derives_ids() {
            company.id = derive_id(&company, mapping, &id_parts)?;
        }
        for (field, value) in [(Field::Id, &company.id), (Field::Name, &company.name)] {
            if value.is_empty() {
                return Err(FieldError::new(field, "is missing; every record needs one"));
            }
        }
        Ok(company)
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
                Field::Id | Field::Location => Json::Null,
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
        FieldError::new(Field::Id, reason)
    })
}

/// `Austin, Texas, United States`: the last of two or more parts is the country, the one before it,
/// of three or more, the state. A city may have commas in it.
fn take_apart(text: &str) -> Location {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    match parts.as_slice() {
        [] => Location::default(),
        [city] => Location { city: given(city), ..Location::default() },
        [city, country] => Location { city: given(city), state: None, country: given(country) },
        [city @ .., state, country] => {
            Location { city: given(&city.join(", ")), state: given(state), country: given(country) }
        }
    }
}

fn required(field: Field, value: Value<'_>) -> Result<String, FieldError> {
    match value {
        Value::Text(text) | Value::Cell(text) => {
            company::required_text(field, text).map(str::to_owned)
        }
        Value::Null => Err(FieldError::new(field, "is null; every record needs one")),
        other => Err(wrong_type(field, other, "a text in quotation marks")),
    }
}

fn text(field: Field, value: Value<'_>) -> Result<Option<String>, FieldError> {
    match value {
        Value::Text(text) | Value::Cell(text) => {
            Ok(company::text_value(field, text)?.map(str::to_owned))
        }
        Value::Null => Ok(None),
        other => Err(wrong_type(field, other, "a text in quotation marks or null")),
    }
}

/// A value that an id is made from: texts and whole numbers, since both are exact.
fn identifying_text(value: Value<'_>) -> Result<Option<String>, FieldError> {
    match value {
        Value::Unsigned(number) => Ok(Some(number.to_string())),
        Value::Signed(number) => Ok(Some(number.to_string())),
        other => text(Field::Id, other),
    }
}

fn number(field: Field, value: Value<'_>) -> Result<Option<u64>, FieldError> {
    match value {
        Value::Null => Ok(None),
        Value::Unsigned(number) => Ok(Some(number)),
        Value::Signed(number) => match u64::try_from(number) {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(negative(field, &number.to_string())),
        },
        Value::Text(text) if text.trim().is_empty() => Ok(None),
        Value::Cell(text) => number_in_cell(field, text.trim()),
        Value::Double(number) => number_of_double(field, number).map(Some),
        other => Err(wrong_type(field, other, "a whole number without quotation marks, or null")),
    }
}

fn negative(field: Field, number: &str) -> FieldError {
    FieldError::new(field, format!("is {number}; negative numbers are not accepted"))
}

/// `120`, and `120.0` as other programs write whole numbers of a column with gaps. Read digit by
/// digit: nothing goes through a floating-point number.
fn number_in_cell(field: Field, text: &str) -> Result<Option<u64>, FieldError> {
    if text.is_empty() {
        return Ok(None);
    }
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, zeros) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(zeros) || zeros.bytes().any(|byte| byte != b'0') {
        let accepted =
            "a whole number in digits alone, or nothing; --null TEXT names what means nothing";
        return Err(wrong_type(field, Value::Cell(text), accepted));
    }
    if unsigned.len() < text.len() && whole.bytes().any(|byte| byte != b'0') {
        return Err(negative(field, &shortened(text)));
    }
    match whole.parse() {
        Ok(number) => Ok(Some(number)),
        Err(_) => {
            let reason = format!("is {}; that is more than any accepted number", shortened(whole));
            Err(FieldError::new(field, reason))
        }
    }
}

fn number_of_double(field: Field, number: f64) -> Result<u64, FieldError> {
    if !number.is_finite() || number.fract() != 0.0 || number.abs() > EXACT_DOUBLE_MAX {
        let reason = format!("is {number}; accepted are whole numbers up to 2^53, or null");
        return Err(FieldError::new(field, reason));
    }
    if number < 0.0 {
        return Err(negative(field, &number.to_string()));
    }
    Ok(number as u64)
}

fn shortened(text: &str) -> String {
    let mut shown: String = text.chars().take(32).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// `value` is of another type than `field`.
pub fn wrong_type(field: Field, value: Value<'_>, accepted: &str) -> FieldError {
    let found = match value {
        Value::Text(text) | Value::Cell(text) => format!("the text {:?}", shortened(text)),
        Value::Object => "an object".to_owned(),
        Value::List => "a list".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Fraction(number) => format!("{number:?}, a number with a fraction or exponent"),
        Value::Signed(number) => format!("the number {number}"),
        Value::Unsigned(number) => format!("the number {number}"),
        Value::Double(number) => format!("the number {number}"),
        Value::Null => "null".to_owned(),
    };
    FieldError::new(field, format!("is {found}; accepted is {accepted}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_cells_are_exact() {
        let number = |text| number(Field::EmployeeCount, Value::Cell(text));
        for (text, expected) in [
            ("", None),
            ("  ", None),
            ("0", Some(0)),
            ("-0", Some(0)),
            ("007", Some(7)),
            (" 1911.0 ", Some(1911)),
            ("9007199254740993", Some(9_007_199_254_740_993)),
            ("9223372036854775808", Some(1 << 63)),
        ] {
            assert_eq!(number(text), Ok(expected), "{text:?}");
        }
        for (text, expected) in [
            ("-1", "is -1; negative"),
            ("18446744073709551616", "is 18446744073709551616; that is more"),
            ("1.5", "is the text \"1.5\""),
            ("1e3", "is the text \"1e3\""),
            ("1,234", "is the text \"1,234\""),
            ("+5", "is the text \"+5\""),
            (".0", "is the text"),
            ("1.", "is the text"),
            ("NaN", "is the text \"NaN\"; accepted is a whole number in digits alone"),
            ("Infinity", "is the text"),
            ("１２", "is the text"),
            ("0x10", "is the text"),
        ] {
            let reason = number(text).unwrap_err().reason;
            assert!(reason.starts_with(expected), "{text:?}: {reason}");
        }
    }

    #[test]
    fn floating_point_columns_hold_whole_numbers() {
        let number = |number| number_of_double(Field::FoundedYear, number);
        assert_eq!(number(1911.0), Ok(1911));
        assert_eq!(number(-0.0), Ok(0));
        assert_eq!(number(EXACT_DOUBLE_MAX), Ok(1 << 53));
        for bad in [f64::NAN, f64::INFINITY, 0.5, f64::MIN_POSITIVE, 5e-324, 1e300, 2e16, -1.0] {
            assert!(number(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn whole_places_are_taken_apart_from_the_end() {
        let place = |text| {
            let Location { city, state, country } = take_apart(text);
            [city, state, country].map(Option::unwrap_or_default).join("|")
        };
        assert_eq!(place("new york, new york, united states"), "new york|new york|united states");
        assert_eq!(place("Singapore, Singapore"), "Singapore||Singapore");
        assert_eq!(place("Graz"), "Graz||");
        assert_eq!(place(", Ontario, Canada"), "|Ontario|Canada");
        assert_eq!(place("Washington, D.C., DC, US"), "Washington, D.C.|DC|US");
    }
}
