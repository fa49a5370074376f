//! The query string: `application/x-www-form-urlencoded` text to a request.
//!
//! In: the query string as it stood in the request, and the operation that it belongs to. Out: a
//! request, or the first [`Refusal`] in the order of `docs/api.md`: encoding (anywhere), unknown
//! name, repeated name, `q` too long, then the other values in the order of the [`table`], the
//! cursor last. Wire names such as `min_employees` stop here.
//!
//! Pairs are separated by `&` only; empty pairs are ignored. Names are case-sensitive and are
//! checked before values: a known name without a value counts as absent, but given twice it is a
//! repetition all the same. Whether a cursor fits the request and an open snapshot is not decided
//! here; this module knows no snapshots.

mod guess;
mod pairs;
pub(super) mod table;

pub(super) use table::{Accepts, Param};

use super::escaped::Excerpt;
use super::operation::Operation;
use super::respond::{Code, Refusal};
use crate::facets::{Facet, FacetQuery};
use crate::limits::{FACET_VALUES_DEFAULT, IDS_MAX, PAGE_SIZE_DEFAULT, PREFIX_CHARS_MAX};
use crate::query::cursor::Cursor;
use crate::query::request::{Query, SortKey, SortOrder};
use crate::query::text::TextQuery;
use crate::render::fields::Fields;
use pairs::{Values, decode, invalid_encoding};

/// A well-formed request for a search.
pub(super) struct SearchRequest {
    pub(super) query: Query,
    /// What is shown of each business.
    pub(super) fields: Fields,
    /// The cursor as it was given: an ingredient of the entity tag.
    pub(super) cursor_text: Option<String>,
    /// Whether there is a `q`, for the metrics.
    pub(super) has_text: bool,
}

/// A well-formed request for businesses by their ids.
pub(super) struct IdsRequest {
    pub(super) ids: Vec<String>,
    pub(super) fields: Fields,
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
    search(Some(query_string)).map(|request| request.query).map_err(|refusal| QueryStringError {
        code: refusal.code.as_str(),
        message: refusal.message,
    })
}

/// Reads the query string of a search; without one, everything is absent.
pub(super) fn search(query_string: Option<&str>) -> Result<SearchRequest, Refusal> {
    let values = Values::read(query_string, Operation::Search)?;
    let text = text(&values)?;
    let limit = integer(&values, Param::Limit)?.map_or(PAGE_SIZE_DEFAULT, |limit| limit as u32);
    let sort = match one_of(&values, Param::Sort)? {
        Some("name") => SortKey::Name,
        Some("employee_count") => SortKey::EmployeeCount,
        Some("founded_year") => SortKey::FoundedYear,
        _ => SortKey::Relevance,
    };
    let order = match one_of(&values, Param::Order)? {
        Some("asc") => SortOrder::Asc,
        Some(_) => SortOrder::Desc,
        None => sort.default_order(),
    };
    let filtered = filtered(&values, text)?;
    let fields = fields(&values)?;
    let cursor_text = values.get(Param::Cursor).map(str::to_owned);
    let cursor = match &cursor_text {
        Some(text) => Some(Cursor::decode(text).map_err(|error| {
            // The error says how to mend it.
            let message = format!("`cursor` is \"{}\": {error}", Excerpt(text));
            Param::Cursor.refusal(Code::InvalidCursor, message)
        })?),
        None => None,
    };
    let has_text = has_text(&values);
    let query = Query { sort, order, limit, cursor, ..filtered.with_names(values) };
    Ok(SearchRequest { query, fields, cursor_text, has_text })
}

/// Reads the query string of a request for facets.
pub(super) fn facets(query_string: Option<&str>) -> Result<FacetQuery, Refusal> {
    let values = Values::read(query_string, Operation::Facets)?;
    let text = text(&values)?;
    let filtered = filtered(&values, text)?;
    let mut facets: Vec<Facet> = Vec::new();
    for given in &values.facets {
        for name in some_of(Param::Facet, given)? {
            let named = Facet::ALL.into_iter().find(|facet| facet.name() == name);
            facets.extend(named.filter(|facet| !facets.contains(facet)));
        }
    }
    let prefix = values.get(Param::Prefix).map(str::to_owned);
    if let Some(prefix) = &prefix
        && prefix.chars().count() > PREFIX_CHARS_MAX
    {
        let message =
            format!("`prefix` is too long; accepted is at most {PREFIX_CHARS_MAX} characters");
        return Err(Param::Prefix.refusal(Code::InvalidParameter, message));
    }
    let limit = integer(&values, Param::FacetLimit)?.unwrap_or(FACET_VALUES_DEFAULT) as usize;
    let query = filtered.with_names(values);
    Ok(FacetQuery { query, facets, prefix, limit })
}

/// Reads the id in the path of a business, and its query string.
pub(super) fn business(id: &str, query_string: Option<&str>) -> Result<IdsRequest, Refusal> {
    let values = Values::read(query_string, Operation::Business(id))?;
    let fields = fields(&values)?;
    let id = decode(id, false).map_err(|fault| invalid_encoding(id, fault, Some("id")))?;
    Ok(IdsRequest { ids: vec![id.into_owned()], fields })
}

/// Reads the query string of a request for several businesses.
pub(super) fn businesses(query_string: Option<&str>) -> Result<IdsRequest, Refusal> {
    let mut values = Values::read(query_string, Operation::Businesses)?;
    let ids = std::mem::take(&mut values.ids);
    if ids.is_empty() || ids.len() > IDS_MAX {
        let message = format!(
            "`id` is given {} times; accepted is 1 to {IDS_MAX} times, one id each; ask in several \
                requests for more",
            ids.len()
        );
        return Err(Param::Id.refusal(Code::InvalidParameter, message));
    }
    Ok(IdsRequest { ids, fields: fields(&values)? })
}

/// Reads the query string of a request that takes no parameters.
pub(super) fn none(query_string: Option<&str>, operation: Operation<'_>) -> Result<(), Refusal> {
    Values::read(query_string, operation).map(drop)
}

/// What to search for, without names of industries and places, which cannot be at fault.
struct Filtered(Query);

impl Filtered {
    fn with_names(self, values: Values<'_>) -> Query {
        let Values { industries, locations, excluded_industries, excluded_locations, .. } = values;
        Query { industries, locations, excluded_industries, excluded_locations, ..self.0 }
    }
}

fn text(values: &Values<'_>) -> Result<TextQuery, Refusal> {
    let q = values.get(Param::Q).unwrap_or_default();
    TextQuery::parse(q).map_err(|error| Param::Q.refusal(Code::QueryTooLong, error.to_string()))
}

fn has_text(values: &Values<'_>) -> bool {
    values.get(Param::Q).is_some_and(|q| !q.trim().is_empty())
}

fn filtered(values: &Values<'_>, text: TextQuery) -> Result<Filtered, Refusal> {
    let (employee_count_min, employee_count_max) =
        bounds(values, Param::MinEmployees, Param::MaxEmployees)?;
    let years = bounds(values, Param::MinFoundedYear, Param::MaxFoundedYear)?;
    let year = |bound: Option<u64>| bound.map(|year| year as u16);
    let (founded_year_min, founded_year_max) = (year(years.0), year(years.1));
    Ok(Filtered(Query {
        text,
        employee_count_min,
        employee_count_max,
        founded_year_min,
        founded_year_max,
        ..Query::default()
    }))
}

fn fields(values: &Values<'_>) -> Result<Fields, Refusal> {
    let Some(given) = values.get(Param::Fields) else { return Ok(Fields::ALL) };
    let named = some_of(Param::Fields, given)?;
    Ok(if named.is_empty() { Fields::ALL } else { Fields::of(named.into_iter()) })
}

/// Two bounds; `min > max` is a fault of the upper one.
fn bounds(
    values: &Values<'_>,
    lower: Param,
    upper: Param,
) -> Result<(Option<u64>, Option<u64>), Refusal> {
    let (min, max) = (integer(values, lower)?, integer(values, upper)?);
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        let (lower, name) = (lower.name(), upper.name());
        let message = format!(
            "`{name}` is {max}, less than `{lower}`, which is {min}; accepted is at least {min}; \
                swap or correct them"
        );
        return Err(upper.refusal(Code::InvalidParameter, message));
    }
    Ok((min, max))
}

/// The value of a parameter that is a number: ASCII digits, leading zeros allowed.
fn integer(values: &Values<'_>, param: Param) -> Result<Option<u64>, Refusal> {
    let Some(given) = values.get(param) else { return Ok(None) };
    let Accepts::Integer { min, max, .. } = param.row().accepts else { return Ok(None) };
    // Out of u64's range is out of every range here; leading zeros do not count for that.
    let number = match given.bytes().all(|byte| byte.is_ascii_digit()) {
        true => given.parse().ok(),
        false => None,
    };
    let accepted = number.filter(|number| (min..=max).contains(number));
    accepted.map(Some).ok_or_else(|| param.invalid(given))
}

/// The value of a parameter that is one of some words.
fn one_of(values: &Values<'_>, param: Param) -> Result<Option<&'static str>, Refusal> {
    let Some(given) = values.get(param) else { return Ok(None) };
    let Accepts::OneOf(words) = param.row().accepts else { return Ok(None) };
    let word = words.iter().find(|word| **word == given);
    word.copied().map(Some).ok_or_else(|| param.invalid(given))
}

/// Words among those that a parameter accepts, separated by commas.
fn some_of(param: Param, given: &str) -> Result<Vec<&'static str>, Refusal> {
    let Accepts::SomeOf(words) = param.row().accepts else { return Ok(Vec::new()) };
    let pieces = given.split(',').map(str::trim).filter(|piece| !piece.is_empty());
    pieces
        .map(|piece| {
            let word = words.iter().find(|word| **word == piece);
            word.copied().ok_or_else(|| param.invalid(piece))
        })
        .collect()
}

#[cfg(test)]
mod tests;
