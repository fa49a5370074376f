//! The one table of parameters: their names, what they accept, and which requests take them.
//!
//! Reading query strings and messages of errors are both made from it.

use super::super::respond::{Code, Refusal};
use crate::http::escaped::Excerpt;
use crate::limits::{EMPLOYEE_COUNT_MAX, FOUNDED_YEAR_RANGE, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX};

/// A parameter. The discriminant is its place in [`Param::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Param {
    Q,
    Limit,
    Cursor,
    Sort,
    Order,
    Industry,
    Location,
    MinEmployees,
    MaxEmployees,
    MinFoundedYear,
    MaxFoundedYear,
    ExcludeIndustry,
    ExcludeLocation,
    Fields,
    Id,
}

/// What a parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Accepts {
    /// Any text.
    Text,
    /// A text of the service's own: a cursor.
    Token,
    /// ASCII digits, within bounds.
    Integer {
        /// The least.
        min: u64,
        /// The most.
        max: u64,
        /// What counts if none is given.
        default: Option<u64>,
    },
    /// One of some words.
    OneOf(&'static [&'static str]),
    /// Some of some words, separated by commas.
    SomeOf(&'static [&'static str]),
    /// Names, separated by commas.
    Names,
}

/// The values of `sort`.
pub(in crate::http) const SORTS: &[&str] = &["relevance", "name", "employee_count", "founded_year"];

/// The values of `order`.
pub(in crate::http) const ORDERS: &[&str] = &["asc", "desc"];

/// The keys of a business, which `fields` chooses from, in the order of responses.
pub(in crate::http) const FIELDS: &[&str] = &crate::render::fields::NAMES;

const EMPLOYEES: Accepts = Accepts::Integer { min: 0, max: EMPLOYEE_COUNT_MAX, default: None };

const YEARS: Accepts = Accepts::Integer {
    min: *FOUNDED_YEAR_RANGE.start(),
    max: *FOUNDED_YEAR_RANGE.end(),
    default: None,
};

const PAGE_SIZE: Accepts =
    Accepts::Integer { min: 1, max: PAGE_SIZE_MAX as u64, default: Some(PAGE_SIZE_DEFAULT as u64) };

/// A row of the table.
pub(in crate::http) struct Row {
    pub(in crate::http) name: &'static str,
    pub(in crate::http) accepts: Accepts,
    pub(in crate::http) may_repeat: bool,
}

const fn row(name: &'static str, accepts: Accepts) -> Row {
    Row { name, accepts, may_repeat: false }
}

const fn repeated(name: &'static str, accepts: Accepts) -> Row {
    Row { name, accepts, may_repeat: true }
}

const ROWS: [Row; Param::ALL.len()] = [
    row("q", Accepts::Text),
    row("limit", PAGE_SIZE),
    row("cursor", Accepts::Token),
    row("sort", Accepts::OneOf(SORTS)),
    row("order", Accepts::OneOf(ORDERS)),
    repeated("industry", Accepts::Names),
    repeated("location", Accepts::Text),
    row("min_employees", EMPLOYEES),
    row("max_employees", EMPLOYEES),
    row("min_founded_year", YEARS),
    row("max_founded_year", YEARS),
    repeated("exclude_industry", Accepts::Names),
    repeated("exclude_location", Accepts::Text),
    row("fields", Accepts::SomeOf(FIELDS)),
    repeated("id", Accepts::Text),
];

impl Param {
    /// All parameters.
    pub(in crate::http) const ALL: [Param; 15] = [
        Param::Q,
        Param::Limit,
        Param::Cursor,
        Param::Sort,
        Param::Order,
        Param::Industry,
        Param::Location,
        Param::MinEmployees,
        Param::MaxEmployees,
        Param::MinFoundedYear,
        Param::MaxFoundedYear,
        Param::ExcludeIndustry,
        Param::ExcludeLocation,
        Param::Fields,
        Param::Id,
    ];

    pub(in crate::http) fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    pub(in crate::http) fn name(self) -> &'static str {
        self.row().name
    }

    /// The parameter of this name among those that a request accepts.
    pub(super) fn named(name: &str, accepted: &[Param]) -> Option<Param> {
        accepted.iter().copied().find(|param| param.name() == name)
    }

    /// The fault of a value that is not accepted.
    pub(super) fn invalid(self, given: &str) -> Refusal {
        let message = format!(
            "`{}` is \"{}\"; accepted is {}; correct it or leave it out",
            self.name(),
            Excerpt(given),
            self.row().accepts.described()
        );
        self.refusal(Code::InvalidParameter, message)
    }

    pub(super) fn refusal(self, code: Code, message: String) -> Refusal {
        Refusal { code, message, param: Some(self.name().to_owned()) }
    }
}

impl Accepts {
    /// What messages promise.
    fn described(self) -> String {
        match self {
            Accepts::Text | Accepts::Token | Accepts::Names => "any text".to_owned(),
            Accepts::Integer { min, max, .. } => {
                format!("an integer from {min} to {max}, in ASCII digits")
            }
            Accepts::OneOf(words) => format!("{}, in lower case", any_of(words)),
            Accepts::SomeOf(words) => {
                format!("any of {}, in lower case, separated by commas", listed(words))
            }
        }
    }
}

/// `a`, `b` or `c`.
fn any_of(words: &[&str]) -> String {
    match words {
        [others @ .., last] if !others.is_empty() => format!("{} or `{last}`", listed(others)),
        words => listed(words),
    }
}

fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_has_its_place_in_the_table() {
        for (at, param) in Param::ALL.into_iter().enumerate() {
            assert_eq!(param as usize, at, "{param:?}");
        }
    }
}
