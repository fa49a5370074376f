//! The query string: `application/x-www-form-urlencoded` text to a [`Query`].
//!
//! In: the query string as it stood in the request. Out: a [`SearchRequest`], or the first
//! [`Refusal`] in the contract's order: encoding (anywhere), unknown name, repeated name, `q` too
//! long, then the other values in the order of the contract's table, the cursor last. Wire names
//! such as `min_employees` stop here.
//!
//! Pairs are separated by `&` only; empty pairs are ignored. Names are case-sensitive and are
//! checked before values: a known name without a value counts as absent, but given twice it is a
//! repetition all the same. Whether a cursor fits the request and an open snapshot is not decided
//! here; this module knows no snapshots.

use std::borrow::Cow;

use super::escaped::Excerpt;
use super::respond::{Code, Refusal};
use crate::limits::{EMPLOYEE_COUNT_MAX, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX};
use crate::places;
use crate::query::cursor::Cursor;
use crate::query::request::{Query, SortKey, SortOrder, industry_is_blank};
use crate::query::text::TextQuery;

/// What the messages about numbers of employees promise.
const EMPLOYEES_ACCEPTED: &str = "an integer from 0 to 9223372036854775807, in ASCII digits";

/// The parameters, in the order of the contract's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Param {
    Q,
    Limit,
    Cursor,
    Sort,
    Order,
    Industry,
    Location,
    MinEmployees,
    MaxEmployees,
}

impl Param {
    const ALL: [Param; 9] = [
        Param::Q,
        Param::Limit,
        Param::Cursor,
        Param::Sort,
        Param::Order,
        Param::Industry,
        Param::Location,
        Param::MinEmployees,
        Param::MaxEmployees,
    ];

    fn name(self) -> &'static str {
        match self {
            Param::Q => "q",
            Param::Limit => "limit",
            Param::Cursor => "cursor",
            Param::Sort => "sort",
            Param::Order => "order",
            Param::Industry => "industry",
            Param::Location => "location",
            Param::MinEmployees => "min_employees",
            Param::MaxEmployees => "max_employees",
        }
    }

    fn named(name: &str) -> Option<Param> {
        Param::ALL.into_iter().find(|param| param.name() == name)
    }

    fn may_repeat(self) -> bool {
        matches!(self, Param::Industry | Param::Location)
    }

    /// A fault of this parameter's value.
    fn invalid(self, given: &str, accepted: &str) -> Refusal {
        let message = format!(
            "`{}` is \"{}\"; accepted is {accepted}; correct it or leave it out",
            self.name(),
            Excerpt(given)
        );
        self.refusal(Code::InvalidParameter, message)
    }

    fn refusal(self, code: Code, message: String) -> Refusal {
        Refusal { code, message, param: Some(self.name().to_owned()) }
    }
}

/// A well-formed request for a search.
pub(super) struct SearchRequest {
    pub(super) query: Query,
    /// The cursor as it was given: an ingredient of the entity tag.
    pub(super) cursor_text: Option<String>,
    /// Whether there is a `q`, for the metrics.
    pub(super) has_text: bool,
}

/// One `name=value` of the query string, decoded.
struct Pair<'a> {
    name: Cow<'a, str>,
    value: Cow<'a, str>,
}

/// Values by parameter. Single-valued ones hold their only value, blank ones nothing.
#[derive(Default)]
struct Values<'a> {
    single: [Option<Cow<'a, str>>; Param::ALL.len()],
    industries: Vec<String>,
    locations: Vec<String>,
}

impl Values<'_> {
    fn get(&self, param: Param) -> Option<&str> {
        self.single[param as usize].as_deref()
    }
}

/// Why a query string is refused, and how to mend it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{code}: {message}")]
pub struct QueryStringError {
    /// The code of the answer's body.
    pub code: &'static str,
    /// What was given, what is accepted and how to mend it.
    pub message: String,
}

/// Reads a query string as a request for a search does, for programs that search without a server.
/// Whether a cursor in it fits a snapshot is not looked at.
///
/// # Errors
/// The server would refuse it.
pub fn parse_query_string(query_string: &str) -> Result<Query, QueryStringError> {
    parse(Some(query_string)).map(|request| request.query).map_err(|refusal| QueryStringError {
        code: refusal.code.as_str(),
        message: refusal.message,
    })
}

/// Reads a query string; without one, everything is absent.
pub(super) fn parse(query_string: Option<&str>) -> Result<SearchRequest, Refusal> {
    let values = collect(decode_pairs(query_string.unwrap_or_default())?)?;

    let q = values.get(Param::Q).unwrap_or_default();
    let text = TextQuery::parse(q)
        .map_err(|error| Param::Q.refusal(Code::QueryTooLong, error.to_string()))?;
    let limit = match values.get(Param::Limit) {
        Some(given) => match integer(given, PAGE_SIZE_MAX.into()) {
            Some(limit @ 1..) => limit as u32,
            _ => {
                return Err(
                    Param::Limit.invalid(given, "an integer from 1 to 100, in ASCII digits")
                );
            }
        },
        None => PAGE_SIZE_DEFAULT,
    };
    let sort = match values.get(Param::Sort) {
        None | Some("relevance") => SortKey::Relevance,
        Some("name") => SortKey::Name,
        Some("employee_count") => SortKey::EmployeeCount,
        Some("founded_year") => SortKey::FoundedYear,
        Some(given) => {
            let accepted = "`relevance`, `name`, `employee_count` or `founded_year`, in lower case";
            return Err(Param::Sort.invalid(given, accepted));
        }
    };
    let order = match values.get(Param::Order) {
        Some("asc") => SortOrder::Asc,
        Some("desc") => SortOrder::Desc,
        Some(given) => return Err(Param::Order.invalid(given, "`asc` or `desc`, in lower case")),
        None => sort.default_order(),
    };
    let (employee_count_min, employee_count_max) = employee_range(&values)?;

    let cursor_text = values.get(Param::Cursor).map(str::to_owned);
    let cursor = match &cursor_text {
        Some(text) => Some(Cursor::decode(text).map_err(|error| {
            // The error says how to mend it.
            let message = format!("`cursor` is \"{}\": {error}", Excerpt(text));
            Param::Cursor.refusal(Code::InvalidCursor, message)
        })?),
        None => None,
    };

    let has_text = !q.trim().is_empty();
    let Values { industries, locations, .. } = values;
    let query = Query {
        text,
        industries,
        locations,
        employee_count_min,
        employee_count_max,
        sort,
        order,
        limit,
        cursor,
    };
    Ok(SearchRequest { query, cursor_text, has_text })
}

/// Both bounds; `min > max` is a fault of `max_employees`.
fn employee_range(values: &Values<'_>) -> Result<(Option<u64>, Option<u64>), Refusal> {
    let bound = |param: Param| match values.get(param) {
        Some(given) => {
            let number = integer(given, EMPLOYEE_COUNT_MAX);
            number.map(Some).ok_or_else(|| param.invalid(given, EMPLOYEES_ACCEPTED))
        }
        None => Ok(None),
    };
    let (min, max) = (bound(Param::MinEmployees)?, bound(Param::MaxEmployees)?);
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        let message = format!(
            "`max_employees` is {max}, less than `min_employees`, which is {min}; accepted is \
                at least {min}; swap or correct them"
        );
        return Err(Param::MaxEmployees.refusal(Code::InvalidParameter, message));
    }
    Ok((min, max))
}

/// ASCII digits, leading zeros allowed, at most `max`.
fn integer(text: &str, max: u64) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Out of u64's range is out of every range here; leading zeros do not count for that.
    text.parse().ok().filter(|&number| number <= max)
}

/// Checks names and sorts values by them.
fn collect(pairs: Vec<Pair<'_>>) -> Result<Values<'_>, Refusal> {
    if let Some(unknown) = pairs.iter().find(|pair| Param::named(&pair.name).is_none()) {
        return Err(unknown_parameter(&unknown.name));
    }
    let mut values = Values::default();
    let mut seen = [false; Param::ALL.len()];
    for Pair { name, value } in pairs {
        let Some(param) = Param::named(&name) else { continue };
        if std::mem::replace(&mut seen[param as usize], true) && !param.may_repeat() {
            let message = format!("`{}` is given more than once; give it once", param.name());
            return Err(param.refusal(Code::DuplicateParameter, message));
        }
        match param {
            Param::Industry if !industry_is_blank(&value) => {
                values.industries.push(value.into_owned())
            }
            Param::Location if !places::is_blank(&value) => {
                values.locations.push(value.into_owned())
            }
            Param::Industry | Param::Location => {}
            _ if value.is_empty() => {}
            _ => values.single[param as usize] = Some(value),
        }
    }
    Ok(values)
}

/// The refusal of a name that no parameter has; names the nearest one that does.
fn unknown_parameter(name: &str) -> Refusal {
    // A bounded part suffices to find the nearest name, and bounds the cost.
    let beginning = name.chars().take(64).collect::<String>().to_lowercase();
    let nearest = Param::ALL
        .into_iter()
        .min_by_key(|param| strsim::osa_distance(&beginning, param.name()))
        .map_or("q", Param::name);
    let known = Param::ALL.map(Param::name).join(", ");
    let message = format!(
        "\"{}\" is not a parameter; did you mean `{nearest}`? Accepted are {known}; names are \
            case-sensitive",
        Excerpt(name)
    );
    let param = name.chars().take(64).collect();
    Refusal { code: Code::UnknownParameter, message, param: Some(param) }
}

/// Splits and decodes the whole query string, so that an encoding fault anywhere comes first.
fn decode_pairs(query_string: &str) -> Result<Vec<Pair<'_>>, Refusal> {
    let raw_pairs = query_string.split('&').filter(|pair| !pair.is_empty());
    raw_pairs
        .map(|pair| {
            let (raw_name, raw_value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = decode(raw_name).map_err(|fault| invalid_encoding(raw_name, fault, None))?;
            let value = decode(raw_value)
                .map_err(|fault| invalid_encoding(raw_value, fault, Some(&name)))?;
            Ok(Pair { name, value })
        })
        .collect()
}

fn invalid_encoding(raw: &str, fault: &str, name: Option<&str>) -> Refusal {
    let message = format!(
        "\"{}\" {fault}; accepted is UTF-8 in percent-encoding (`%25` for a percent sign); \
            encode it again",
        Excerpt(raw)
    );
    let param = name.and_then(Param::named).map(|param| param.name().to_owned());
    Refusal { code: Code::InvalidEncoding, message, param }
}

/// Decodes `+` and `%XX`, strictly. Text that needs no decoding is borrowed.
fn decode(raw: &str) -> Result<Cow<'_, str>, &'static str> {
    if !raw.bytes().any(|byte| matches!(byte, b'%' | b'+' | 0)) {
        return Ok(Cow::Borrowed(raw));
    }
    let hex = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let mut decoded = Vec::with_capacity(raw.len());
    let mut rest = raw.as_bytes();
    loop {
        let (byte, after) = match rest {
            [] => break,
            [b'+', after @ ..] => (b' ', after),
            [b'%', high, low, after @ ..] => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => (high << 4 | low, after),
                _ => return Err("has a `%` without two hex digits after it"),
            },
            [b'%', ..] => return Err("has a `%` without two hex digits after it"),
            [byte, after @ ..] => (*byte, after),
        };
        if byte == 0 {
            return Err("contains NUL");
        }
        decoded.push(byte);
        rest = after;
    }
    String::from_utf8(decoded).map(Cow::Owned).map_err(|_| "is not UTF-8 once decoded")
}

#[cfg(test)]
mod tests;
