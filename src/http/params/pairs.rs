//! From the query string to values by parameter: decoding, unknown names, repetitions.

use std::borrow::Cow;

use super::guess::unknown_parameter;
use super::table::Param;
use crate::http::escaped::Excerpt;
use crate::http::operation::Operation;
use crate::http::respond::{Code, Refusal};
use crate::places;
use crate::query::request::industry_is_blank;

/// One `name=value` of the query string, decoded.
struct Pair<'a> {
    name: Cow<'a, str>,
    value: Cow<'a, str>,
}

/// Values by parameter. Single-valued ones hold their only value, blank ones nothing.
#[derive(Default)]
pub(super) struct Values<'a> {
    single: [Option<Cow<'a, str>>; Param::ALL.len()],
    pub(super) industries: Vec<String>,
    pub(super) locations: Vec<String>,
    pub(super) excluded_industries: Vec<String>,
    pub(super) excluded_locations: Vec<String>,
    pub(super) ids: Vec<String>,
    pub(super) facets: Vec<String>,
}

impl<'a> Values<'a> {
    /// Reads the query string of a request.
    pub(super) fn read(
        query_string: Option<&'a str>,
        operation: Operation<'_>,
    ) -> Result<Values<'a>, Refusal> {
        let accepted = operation.params();
        let pairs = decode_pairs(query_string.unwrap_or_default(), accepted)?;
        if let Some(unknown) = pairs.iter().find(|it| Param::named(&it.name, accepted).is_none()) {
            return Err(unknown_parameter(&unknown.name, operation));
        }
        let mut values = Values::default();
        let mut seen = [false; Param::ALL.len()];
        for Pair { name, value } in pairs {
            let Some(param) = Param::named(&name, accepted) else { continue };
            let is_repeated = std::mem::replace(&mut seen[param as usize], true);
            if is_repeated && !param.row().may_repeat {
                let message = format!("`{}` is given more than once; give it once", param.name());
                return Err(param.refusal(Code::DuplicateParameter, message));
            }
            values.put(param, value);
        }
        Ok(values)
    }

    fn put(&mut self, param: Param, value: Cow<'a, str>) {
        let is_blank = match param {
            Param::Industry | Param::ExcludeIndustry => industry_is_blank(&value),
            Param::Location | Param::ExcludeLocation => places::is_blank(&value),
            _ => value.is_empty(),
        };
        if is_blank {
            return;
        }
        let list = match param {
            Param::Industry => &mut self.industries,
            Param::Location => &mut self.locations,
            Param::ExcludeIndustry => &mut self.excluded_industries,
            Param::ExcludeLocation => &mut self.excluded_locations,
            Param::Id => &mut self.ids,
            Param::Facet => &mut self.facets,
            _ => {
                self.single[param as usize] = Some(value);
                return;
            }
        };
        list.push(value.into_owned());
    }

    pub(super) fn get(&self, param: Param) -> Option<&str> {
        self.single[param as usize].as_deref()
    }
}

/// Splits and decodes the whole query string, so that an encoding fault anywhere comes first.
fn decode_pairs<'a>(query_string: &'a str, accepted: &[Param]) -> Result<Vec<Pair<'a>>, Refusal> {
    let raw_pairs = query_string.split('&').filter(|pair| !pair.is_empty());
    raw_pairs
        .map(|pair| {
            let (raw_name, raw_value) = pair.split_once('=').unwrap_or((pair, ""));
            let name =
                decode(raw_name, true).map_err(|fault| invalid_encoding(raw_name, fault, None))?;
            let value = decode(raw_value, true).map_err(|fault| {
                let param = Param::named(&name, accepted);
                invalid_encoding(raw_value, fault, param.map(Param::name))
            })?;
            Ok(Pair { name, value })
        })
        .collect()
}

pub(super) fn invalid_encoding(raw: &str, fault: &str, param: Option<&str>) -> Refusal {
    let message = format!(
        "\"{}\" {fault}; accepted is UTF-8 in percent-encoding (`%25` for a percent sign); \
            encode it again",
        Excerpt(raw)
    );
    Refusal { code: Code::InvalidEncoding, message, param: param.map(str::to_owned) }
}

/// Decodes `%XX`, strictly, and `+` where it stands for a space. Text that needs no decoding is
/// borrowed.
pub(super) fn decode(raw: &str, plus_is_space: bool) -> Result<Cow<'_, str>, &'static str> {
    if !raw.bytes().any(|byte| matches!(byte, b'%' | b'+' | 0)) {
        return Ok(Cow::Borrowed(raw));
    }
    let hex = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let mut decoded = Vec::with_capacity(raw.len());
    let mut rest = raw.as_bytes();
    loop {
        let (byte, after) = match rest {
            [] => break,
            [b'+', after @ ..] if plus_is_space => (b' ', after),
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
