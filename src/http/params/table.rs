//! The one table of parameters: their names, what they accept, and which requests take them.
//!
//! Reading query strings, messages of errors and the OpenAPI document are all made from it.

use super::super::respond::{Code, Refusal};
use crate::facets::Facet;
use crate::http::escaped::Excerpt;
use crate::limits::{
    EMPLOYEE_COUNT_MAX, FACET_VALUES_DEFAULT, FACET_VALUES_MAX, FOUNDED_YEAR_RANGE,
    PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX,
};

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
    Facet,
    Prefix,
    FacetLimit,
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

/// The values of `facet`.
pub(in crate::http) const FACETS: &[&str] = &[
    Facet::Industry.name(),
    Facet::Country.name(),
    Facet::State.name(),
    Facet::City.name(),
    Facet::EmployeeCount.name(),
    Facet::FoundedYear.name(),
];

const EMPLOYEES: Accepts = Accepts::Integer { min: 0, max: EMPLOYEE_COUNT_MAX, default: None };

const YEARS: Accepts = Accepts::Integer {
    min: *FOUNDED_YEAR_RANGE.start(),
    max: *FOUNDED_YEAR_RANGE.end(),
    default: None,
};

const PAGE_SIZE: Accepts =
    Accepts::Integer { min: 1, max: PAGE_SIZE_MAX as u64, default: Some(PAGE_SIZE_DEFAULT as u64) };

const FACET_SIZE: Accepts =
    Accepts::Integer { min: 1, max: FACET_VALUES_MAX, default: Some(FACET_VALUES_DEFAULT) };

/// A row of the table.
pub(in crate::http) struct Row {
    pub(in crate::http) name: &'static str,
    pub(in crate::http) accepts: Accepts,
    pub(in crate::http) may_repeat: bool,
    /// For callers.
    pub(in crate::http) about: &'static str,
}

const fn row(name: &'static str, accepts: Accepts, about: &'static str) -> Row {
    Row { name, accepts, may_repeat: false, about }
}

const fn repeated(name: &'static str, accepts: Accepts, about: &'static str) -> Row {
    Row { name, accepts, may_repeat: true, about }
}

const ROWS: [Row; Param::ALL.len()] = [
    row(
        "q",
        Accepts::Text,
        "Words, all of which must match in name, website host, industry or description; \
         `\"a phrase\"`, `-without`, `begin*`; a host or an id. At most 512 characters and 32 words.",
    ),
    row("limit", PAGE_SIZE, "Most businesses on the page."),
    row(
        "cursor",
        Accepts::Token,
        "`next_cursor` or `previous_cursor` of an earlier response to the same request.",
    ),
    row("sort", Accepts::OneOf(SORTS), "What orders the results; `relevance` unless given."),
    row(
        "order",
        Accepts::OneOf(ORDERS),
        "The direction of the sort value: `asc` unless given for `name`, else `desc`.",
    ),
    repeated("industry", Accepts::Names, "Industries, any of them; whole names."),
    repeated(
        "location",
        Accepts::Text,
        "A city, state or country, or a combination (`Austin, Texas`); repeated: any of them.",
    ),
    row("min_employees", EMPLOYEES, "Fewest employees; a business of unknown size does not match."),
    row("max_employees", EMPLOYEES, "Most employees; a business of unknown size does not match."),
    row("min_founded_year", YEARS, "Earliest founding year; an unknown year does not match."),
    row("max_founded_year", YEARS, "Latest founding year; an unknown year does not match."),
    repeated("exclude_industry", Accepts::Names, "Industries, none of them."),
    repeated(
        "exclude_location",
        Accepts::Text,
        "A place as in `location`; repeated: none of them.",
    ),
    row("fields", Accepts::SomeOf(FIELDS), "Only these keys of each business, in the usual order."),
    repeated("id", Accepts::Text, "The id of a business; 1 to 100 of them."),
    repeated(
        "facet",
        Accepts::SomeOf(FACETS),
        "What values are counted of; without it, the total alone.",
    ),
    row("prefix", Accepts::Text, "Only values of which a word begins so."),
    row("limit", FACET_SIZE, "Most values of a facet."),
];

impl Param {
    /// All parameters.
    pub(in crate::http) const ALL: [Param; 18] = [
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
        Param::Facet,
        Param::Prefix,
        Param::FacetLimit,
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
