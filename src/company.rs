//! One validated input record.
//!
//! In: the values of a record as a source read them. Out: a [`Company`] whose texts are trimmed and
//! whose optional values are present only if they hold something, or the [`FieldError`] that says
//! which field is at fault and why. Units: `employee_count` in persons, `founded_year` in years of
//! the common era.

mod fault;
mod text_list;

pub use fault::FaultKind;
pub use text_list::{TextList, texts_of};

use crate::limits::{EMPLOYEE_COUNT_MAX, FIELD_BYTES_MAX, FOUNDED_YEAR_RANGE};
use std::fmt;

/// A business as it will be served: contract, section 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Company {
    /// Unique, not empty; compared byte for byte.
    pub id: String,
    /// Not empty.
    pub name: String,
    /// A URL or a bare host, as given.
    pub website: Option<String>,
    /// Free text, as given.
    pub description: Option<String>,
    /// Name of one industry, as given.
    pub industry: Option<String>,
    /// Persons, 0 to 2^63-1.
    pub employee_count: Option<u64>,
    /// Where it is.
    pub location: Location,
    /// Year, 1 to 9999.
    pub founded_year: Option<u16>,
    /// Other names: searched, never returned.
    pub aliases: TextList,
    /// Websites beside the first: searched, never returned.
    pub other_websites: TextList,
}

/// The three place values of a business, each as given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Location {
    /// City or town.
    pub city: Option<String>,
    /// State, province or region; a name or a code.
    pub state: Option<String>,
    /// Country; a name or a code.
    pub country: Option<String>,
}

/// The fields of a record, by the names of the input and of the response.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // the names say it all
pub enum Field {
    Id,
    Name,
    Website,
    Description,
    Industry,
    EmployeeCount,
    Location,
    City,
    State,
    Country,
    FoundedYear,
    Aliases,
    OtherWebsites,
}

impl Field {
    /// The path of the field as input and response spell it.
    pub fn name(self) -> &'static str {
        match self {
            Field::Id => "id",
            Field::Name => "name",
            Field::Website => "website",
            Field::Description => "description",
            Field::Industry => "industry",
            Field::EmployeeCount => "employee_count",
            Field::Location => "location",
            Field::City => "location.city",
            Field::State => "location.state",
            Field::Country => "location.country",
            Field::FoundedYear => "founded_year",
            Field::Aliases => "aliases",
            Field::OtherWebsites => "other_websites",
        }
    }

    /// Does a record hold any number of texts in this field?
    pub fn is_list(self) -> bool {
        matches!(self, Field::Aliases | Field::OtherWebsites)
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a record cannot be accepted: the field, and what is wrong with its value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct FieldError {
    /// The field at fault.
    pub field: Field,
    /// What faults of this kind are counted under.
    pub kind: FaultKind,
    /// What was found, and what is accepted.
    pub reason: String,
}

impl FieldError {
    /// A fault of `field`.
    pub fn new(field: Field, kind: FaultKind, reason: impl Into<String>) -> FieldError {
        FieldError { field, kind, reason: reason.into() }
    }
}

/// Trims a text value; `None` if nothing is left.
///
/// # Errors
/// The text holds a NUL character, which no response could carry to every client, or is longer than
/// [`FIELD_BYTES_MAX`].
pub fn text_value(field: Field, text: &str) -> Result<Option<&str>, FieldError> {
    let text = text.trim();
    if text.len() > FIELD_BYTES_MAX {
        return Err(FieldError::new(field, FaultKind::TooLong, too_long(text.len())));
    }
    if text.contains('\0') {
        let reason = "holds a NUL character (\\u0000); remove it";
        return Err(FieldError::new(field, FaultKind::Nul, reason));
    }
    Ok((!text.is_empty()).then_some(text))
}

/// What is wrong with a text of more than [`FIELD_BYTES_MAX`].
pub fn too_long(num_bytes: usize) -> String {
    format!("is {num_bytes} bytes long; at most {FIELD_BYTES_MAX} bytes are accepted")
}

/// A text value that must be there.
///
/// # Errors
/// As [`text_value`], and an empty text.
pub fn required_text(field: Field, text: &str) -> Result<&str, FieldError> {
    let is_empty =
        || FieldError::new(field, FaultKind::Missing, "is empty; every record needs one");
    text_value(field, text)?.ok_or_else(is_empty)
}

/// Checks the range of an employee count.
///
/// # Errors
/// The count is above 2^63-1.
pub fn employee_count(count: u64) -> Result<u64, FieldError> {
    if count > EMPLOYEE_COUNT_MAX {
        let reason =
            format!("is {count}; whole numbers from 0 to {EMPLOYEE_COUNT_MAX} are accepted");
        return Err(FieldError::new(Field::EmployeeCount, FaultKind::OutOfRange, reason));
    }
    Ok(count)
}

/// Checks the range of a founding year.
///
/// # Errors
/// The year is not within 1..=9999.
pub fn founded_year(year: u64) -> Result<u16, FieldError> {
    if !FOUNDED_YEAR_RANGE.contains(&year) {
        let reason = format!("is {year}; whole numbers from 1 to 9999 are accepted");
        return Err(FieldError::new(Field::FoundedYear, FaultKind::OutOfRange, reason));
    }
    Ok(year as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_trimmed_by_unicode_white_space() {
        assert_eq!(text_value(Field::Name, "\u{3000} Foo \u{a0}\n"), Ok(Some("Foo")));
        assert_eq!(text_value(Field::Name, " \u{2003} "), Ok(None));
        assert!(text_value(Field::Name, "a\0b").unwrap_err().reason.contains("NUL"));
        assert!(
            required_text(Field::Name, "  ").unwrap_err().to_string().starts_with("name: is empty")
        );
        assert!(text_value(Field::Name, &"x".repeat(FIELD_BYTES_MAX)).is_ok());
        assert!(text_value(Field::Name, &"x".repeat(FIELD_BYTES_MAX + 1)).is_err());
    }

    #[test]
    fn numbers_have_ranges() {
        assert_eq!(employee_count(0), Ok(0));
        assert_eq!(employee_count(EMPLOYEE_COUNT_MAX), Ok(EMPLOYEE_COUNT_MAX));
        assert!(employee_count(EMPLOYEE_COUNT_MAX + 1).is_err());
        assert_eq!(founded_year(9999), Ok(9999));
        assert!(founded_year(0).is_err());
        assert!(founded_year(10_000).is_err());
    }
}
