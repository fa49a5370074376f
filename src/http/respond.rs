//! Outcomes of requests and how they are written: status, headers, error bodies.
//!
//! In: an [`Answer`] and what goes with every response (request id, quota). Out: a complete
//! response whose body is one buffer. Codes are part of the contract, messages are not; a message
//! says what was given, what is accepted and how to mend it.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderMap,
    HeaderName, HeaderValue, REFERRER_POLICY, RETRY_AFTER, WWW_AUTHENTICATE,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Response, StatusCode};
use serde::Serialize;

use std::time::Duration;

use super::conditional::EntityTag;
use super::page::Static;
use super::request_id::X_REQUEST_ID;
use crate::auth::QuotaStatus;
use crate::query::request::Valued;
use crate::snapshot::SnapshotVersion;

const X_RATELIMIT_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const X_RATELIMIT_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const X_RATELIMIT_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const X_QUERY_CORRECTED: HeaderName = HeaderName::from_static("x-query-corrected");
const X_QUERY_LOCATION: HeaderName = HeaderName::from_static("x-query-location");
const X_QUERY_RELAXED: HeaderName = HeaderName::from_static("x-query-relaxed");
const X_QUERY_UNKNOWN: HeaderName = HeaderName::from_static("x-query-unknown");
const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");
const X_SNAPSHOT_VERSION: HeaderName = HeaderName::from_static("x-snapshot-version");

/// The headers of the service's own, and others that scripts of other origins may read.
pub(super) const EXPOSED: [HeaderName; 12] = [
    ETAG,
    RETRY_AFTER,
    SERVER_TIMING,
    X_QUERY_CORRECTED,
    X_QUERY_LOCATION,
    X_QUERY_RELAXED,
    X_QUERY_UNKNOWN,
    X_RATELIMIT_LIMIT,
    X_RATELIMIT_REMAINING,
    X_RATELIMIT_RESET,
    X_REQUEST_ID,
    X_SNAPSHOT_VERSION,
];

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// The `code` of an error body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Code {
    InvalidParameter,
    UnknownParameter,
    DuplicateParameter,
    InvalidEncoding,
    QueryTooLong,
    QueryTooExpensive,
    InvalidCursor,
    CursorMismatch,
    CursorExpired,
    BadRequest,
    MissingApiKey,
    InvalidApiKey,
    ExpiredApiKey,
    NotFound,
    MethodNotAllowed,
    UriTooLong,
    HeadersTooLarge,
    RateLimited,
    Internal,
    Overloaded,
    NotReady,
}

impl Code {
    /// Every code, in the order of its discriminant.
    pub(super) const ALL: [Code; 21] = [
        Code::InvalidParameter,
        Code::UnknownParameter,
        Code::DuplicateParameter,
        Code::InvalidEncoding,
        Code::QueryTooLong,
        Code::QueryTooExpensive,
        Code::InvalidCursor,
        Code::CursorMismatch,
        Code::CursorExpired,
        Code::BadRequest,
        Code::MissingApiKey,
        Code::InvalidApiKey,
        Code::ExpiredApiKey,
        Code::NotFound,
        Code::MethodNotAllowed,
        Code::UriTooLong,
        Code::HeadersTooLarge,
        Code::RateLimited,
        Code::Internal,
        Code::Overloaded,
        Code::NotReady,
    ];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Code::InvalidParameter => "invalid_parameter",
            Code::UnknownParameter => "unknown_parameter",
            Code::DuplicateParameter => "duplicate_parameter",
            Code::InvalidEncoding => "invalid_encoding",
            Code::QueryTooLong => "query_too_long",
            Code::QueryTooExpensive => "query_too_expensive",
            Code::InvalidCursor => "invalid_cursor",
            Code::CursorMismatch => "cursor_mismatch",
            Code::CursorExpired => "cursor_expired",
            Code::BadRequest => "bad_request",
            Code::MissingApiKey => "missing_api_key",
            Code::InvalidApiKey => "invalid_api_key",
            Code::ExpiredApiKey => "expired_api_key",
            Code::NotFound => "not_found",
            Code::MethodNotAllowed => "method_not_allowed",
            Code::UriTooLong => "uri_too_long",
            Code::HeadersTooLarge => "headers_too_large",
            Code::RateLimited => "rate_limited",
            Code::Internal => "internal",
            Code::Overloaded => "overloaded",
            Code::NotReady => "not_ready",
        }
    }

    pub(super) fn status(self) -> StatusCode {
        match self {
            Code::InvalidParameter
            | Code::UnknownParameter
            | Code::DuplicateParameter
            | Code::InvalidEncoding
            | Code::QueryTooLong
            | Code::QueryTooExpensive
            | Code::InvalidCursor
            | Code::CursorMismatch
            | Code::CursorExpired
            | Code::BadRequest => StatusCode::BAD_REQUEST,
            Code::MissingApiKey | Code::InvalidApiKey | Code::ExpiredApiKey => {
                StatusCode::UNAUTHORIZED
            }
            Code::NotFound => StatusCode::NOT_FOUND,
            Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Code::UriTooLong => StatusCode::URI_TOO_LONG,
            Code::HeadersTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Code::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Code::Overloaded | Code::NotReady => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// Whether the connection ends with this answer: what follows a malformed head cannot be
    /// trusted to be the next one.
    pub(super) fn closes_connection(self) -> bool {
        matches!(self, Code::BadRequest | Code::UriTooLong | Code::HeadersTooLarge)
    }
}

/// A request that is answered with an error.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: Code,
    pub(super) message: String,
    /// The parameter at fault, if one is.
    pub(super) param: Option<String>,
}

impl Refusal {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Refusal {
        Refusal { code, message: message.into(), param: None }
    }
}

/// The outcome of a request.
#[derive(Debug)]
pub(super) enum Answer {
    /// 200.
    Found { body: Bytes, tag: EntityTag, notes: Notes },
    /// 304.
    NotModified { tag: EntityTag },
    /// 204, with the headers that answer a preflight.
    Preflight(HeaderMap),
    /// A page, or what belongs to it.
    Static(Static),
    /// Everything else.
    Refused(Refusal),
}

/// What headers tell about an answer.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// `q` as corrected, if it was.
    pub(super) corrected: Option<String>,
    /// The place that words of `q` name, if they were read so.
    pub(super) place: Option<String>,
    /// Whether any word counted.
    pub(super) relaxed: bool,
    /// Values of filters that name nothing.
    pub(super) unknown: Vec<UnknownValue>,
    /// How long the search took, if there was one.
    pub(super) search: Option<Duration>,
}

/// A value of a filter that names nothing.
#[derive(Debug)]
pub(super) struct UnknownValue {
    pub(super) filter: Valued,
    pub(super) given: String,
    /// The known one nearest to it, if one is near.
    pub(super) nearest: Option<String>,
}

/// Most values that the header about them names.
pub(super) const UNKNOWN_VALUES_MAX: usize = 8;

/// Most characters of each.
const UNKNOWN_CHARS_MAX: usize = 100;

/// What a response carries besides its answer.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) request_id: HeaderValue,
    /// The snapshot that answers, or the current one.
    pub(super) snapshot: Option<SnapshotVersion>,
    /// Of the key's quota, if it has one and the key was looked at.
    pub(super) quota: Option<QuotaStatus>,
    /// Whether to end the connection, whatever the answer.
    pub(super) close: bool,
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    error: ErrorFields<'a>,
}

#[derive(Serialize)]
struct ErrorFields<'a> {
    code: &'a str,
    message: &'a str,
    param: Option<&'a str>,
    request_id: &'a str,
}

/// Writes the response.
pub(super) fn response(answer: Answer, context: Context) -> Response<Full<Bytes>> {
    let mut headers = HeaderMap::with_capacity(16);
    let mut close = context.close;
    if let Some(quota) = context.quota {
        headers.insert(X_RATELIMIT_LIMIT, quota.limit.into());
        headers.insert(X_RATELIMIT_REMAINING, quota.remaining.into());
        headers.insert(X_RATELIMIT_RESET, quota.reset_seconds.into());
    }
    let (status, body) = match answer {
        Answer::Found { body, tag, notes } => {
            cache_headers(&mut headers, &tag);
            note_headers(&mut headers, notes);
            (StatusCode::OK, body)
        }
        Answer::NotModified { tag } => {
            cache_headers(&mut headers, &tag);
            (StatusCode::NOT_MODIFIED, Bytes::new())
        }
        Answer::Preflight(preflight) => {
            headers.extend(preflight);
            (StatusCode::NO_CONTENT, Bytes::new())
        }
        Answer::Static(answer) => {
            headers.insert(CONTENT_TYPE, answer.content_type);
            headers.insert(CONTENT_SECURITY_POLICY, answer.policy);
            headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
            (answer.status, answer.body)
        }
        Answer::Refused(refusal) => {
            close |= refusal.code.closes_connection();
            refusal_headers(&mut headers, refusal.code, context.quota);
            (refusal.code.status(), error_body(&refusal, &context.request_id))
        }
    };
    if !body.is_empty() && !headers.contains_key(CONTENT_TYPE) {
        headers.insert(CONTENT_TYPE, JSON);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_REQUEST_ID, context.request_id);
    if let Some(version) = context.snapshot {
        headers.insert(X_SNAPSHOT_VERSION, version_header(version));
    }
    if close {
        headers.insert(CONNECTION, CLOSE);
    }
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

fn cache_headers(headers: &mut HeaderMap, tag: &EntityTag) {
    headers.insert(ETAG, tag.header());
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
}

fn note_headers(headers: &mut HeaderMap, notes: Notes) {
    if let Some(corrected) = notes.corrected {
        headers.insert(X_QUERY_CORRECTED, percent_encoded(&corrected));
    }
    if let Some(place) = notes.place {
        headers.insert(X_QUERY_LOCATION, percent_encoded(&place));
    }
    if notes.relaxed {
        headers.insert(X_QUERY_RELAXED, HeaderValue::from_static("any-word"));
    }
    if !notes.unknown.is_empty() {
        headers.insert(X_QUERY_UNKNOWN, unknown_header(&notes.unknown));
    }
    if let Some(search) = notes.search {
        headers.insert(SERVER_TIMING, timing(search));
    }
}

/// Milliseconds, to the microsecond.
fn timing(search: Duration) -> HeaderValue {
    let micros = search.as_micros();
    let text = format!("search;dur={}.{:03}", micros / 1000, micros % 1000);
    HeaderValue::from_maybe_shared(Bytes::from(text)).expect("ASCII")
}

/// A list of items such as `industry;given="Sofware";nearest="Software"`, texts percent-encoded.
fn unknown_header(unknown: &[UnknownValue]) -> HeaderValue {
    let cut = |text: &str| {
        let cut: String = text.chars().take(UNKNOWN_CHARS_MAX).collect();
        percent_encoded(&cut)
    };
    let mut text = Vec::new();
    for value in unknown {
        if !text.is_empty() {
            text.extend(b", ");
        }
        text.extend(match value.filter {
            Valued::Industry => &b"industry"[..],
            Valued::Location => b"location",
        });
        text.extend(b";given=\"");
        text.extend(cut(&value.given).as_bytes());
        text.push(b'"');
        if let Some(nearest) = &value.nearest {
            text.extend(b";nearest=\"");
            text.extend(cut(nearest).as_bytes());
            text.push(b'"');
        }
    }
    HeaderValue::from_maybe_shared(Bytes::from(text)).expect("ASCII")
}

/// The version as it is shown everywhere: 16 hex digits.
fn version_header(version: SnapshotVersion) -> HeaderValue {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let digits: [u8; 16] =
        std::array::from_fn(|at| HEX[(version.0 >> (60 - 4 * at) & 15) as usize]);
    HeaderValue::from_bytes(&digits).expect("hex digits")
}

fn refusal_headers(headers: &mut HeaderMap, code: Code, quota: Option<QuotaStatus>) {
    match code.status() {
        StatusCode::UNAUTHORIZED => {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("ApiKey"));
        }
        StatusCode::METHOD_NOT_ALLOWED => {
            headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        }
        StatusCode::TOO_MANY_REQUESTS => {
            headers.insert(RETRY_AFTER, quota.map_or(1, |quota| quota.retry_after_seconds).into());
        }
        StatusCode::SERVICE_UNAVAILABLE => {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        _ => {}
    }
}

/// The body of an error, in the contract's order of keys.
pub(super) fn error_body(refusal: &Refusal, request_id: &HeaderValue) -> Bytes {
    let body = ErrorBody {
        error: ErrorFields {
            code: refusal.code.as_str(),
            message: &refusal.message,
            param: refusal.param.as_deref(),
            request_id: request_id.to_str().unwrap_or_default(),
        },
    };
    serde_json::to_vec(&body).expect("strings are JSON").into()
}

/// Everything but RFC 3986's unreserved characters as `%XX`.
fn percent_encoded(text: &str) -> HeaderValue {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut encoded = Vec::with_capacity(text.len() * 3);
    for &byte in text.as_bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(byte);
        } else {
            encoded.extend([b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
        }
    }
    HeaderValue::from_maybe_shared(Bytes::from(encoded)).expect("unreserved characters and %XX")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_place_in_the_list() {
        for (index, code) in Code::ALL.into_iter().enumerate() {
            assert_eq!(code as usize, index, "{code:?}");
        }
    }

    #[test]
    fn versions_are_shown_as_everywhere() {
        for version in [0, 1, 0x0123_4567_89ab_cdef, u64::MAX].map(SnapshotVersion) {
            assert_eq!(version_header(version), version.to_string());
        }
    }

    #[test]
    fn the_error_body_has_the_four_keys_in_order() {
        let refusal = Refusal {
            code: Code::InvalidParameter,
            message: "say \"please\"".to_owned(),
            param: Some("limit".to_owned()),
        };
        let body = error_body(&refusal, &HeaderValue::from_static("id-1"));
        let expected = r#"{"error":{"code":"invalid_parameter","message":"say \"please\"","param":"limit","request_id":"id-1"}}"#;
        assert_eq!(body, expected);
        let body =
            error_body(&Refusal::new(Code::NotFound, "m"), &HeaderValue::from_static("id-1"));
        let expected =
            r#"{"error":{"code":"not_found","message":"m","param":null,"request_id":"id-1"}}"#;
        assert_eq!(body, expected);
    }

    #[test]
    fn unknown_values_and_times_are_told_in_ascii() {
        let value = |filter, given: &str, nearest: Option<&str>| UnknownValue {
            filter,
            given: given.to_owned(),
            nearest: nearest.map(str::to_owned),
        };
        let unknown = [
            value(Valued::Industry, "Sofware", Some("Software")),
            value(Valued::Location, "Zürch, \"x\"", None),
        ];
        let expected = "industry;given=\"Sofware\";nearest=\"Software\", \
                        location;given=\"Z%C3%BCrch%2C%20%22x%22\"";
        assert_eq!(unknown_header(&unknown), expected);
        assert_eq!(timing(Duration::from_nanos(21_900)), "search;dur=0.021");
        assert_eq!(timing(Duration::from_millis(1_234)), "search;dur=1234.000");
    }

    #[test]
    fn corrected_queries_are_percent_encoded() {
        for (text, encoded) in [
            ("apple", "apple"),
            ("a b", "a%20b"),
            ("münchen", "m%C3%BCnchen"),
            ("\"x\" -y_z.~*+&=", "%22x%22%20-y_z.~%2A%2B%26%3D"),
            ("a\r\nSet-Cookie: b", "a%0D%0ASet-Cookie%3A%20b"),
        ] {
            assert_eq!(percent_encoded(text), encoded);
        }
    }
}
