//! Scripts of other origins (the CORS protocol of the Fetch standard): which may ask, and what they
//! may see. Off unless the operator names origins.
//!
//! A preflight carries no key, so that it is answered before the key is looked at. Answers depend
//! on `Origin` then, which `Vary` says.

use hyper::Method;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD,
    HeaderMap, HeaderValue, ORIGIN, VARY,
};

use super::respond::EXPOSED;

/// Which origins may ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origins {
    /// Any.
    Any,
    /// Only the listed ones.
    Listed(Vec<HeaderValue>),
}

/// A text that is no origin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not an origin; accepted is `*`, or a scheme, a host and maybe a port, as in \
     https://example.com:8443, without a path"
)]
pub struct NoOrigin(String);

impl Origins {
    /// Reads a list of origins; `*` stands for any.
    ///
    /// # Errors
    /// One of them is none.
    pub fn parse<'o>(origins: impl Iterator<Item = &'o str>) -> Result<Origins, NoOrigin> {
        let mut listed = Vec::new();
        let mut is_any = false;
        for origin in origins {
            let no_origin = || NoOrigin(origin.chars().take(80).collect());
            let is_origin = origin.split_once("://").is_some_and(|(scheme, authority)| {
                let is_host = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
                let is_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
                !scheme.is_empty()
                    && scheme.chars().all(is_scheme)
                    && !authority.is_empty()
                    && authority.chars().all(is_host)
            });
            match origin {
                "*" => is_any = true,
                // As browsers write them.
                _ if is_origin => listed.push(
                    HeaderValue::from_str(&origin.to_ascii_lowercase()).map_err(|_| no_origin())?,
                ),
                _ => return Err(no_origin()),
            }
        }
        Ok(if is_any { Origins::Any } else { Origins::Listed(listed) })
    }
}

/// Marks answers for scripts of other origins.
#[derive(Debug)]
pub(super) struct Cors {
    origins: Origins,
    /// Names of headers that scripts may see.
    exposed: HeaderValue,
}

/// Headers of requests that scripts may send.
const ALLOWED_HEADERS: &str = "X-API-Key, If-None-Match, X-Request-Id";

/// Seconds for which a preflight holds: a day, which is what browsers take at most.
const MAX_AGE: &str = "86400";

impl Cors {
    pub(super) fn new(origins: Origins) -> Cors {
        let names = EXPOSED.map(|name| name.as_str().to_owned());
        let exposed = HeaderValue::from_str(&names.join(", ")).expect("names of headers");
        Cors { origins, exposed }
    }

    /// The headers that answer a request, if it is a preflight of an origin that may ask.
    pub(super) fn preflight(&self, method: &Method, headers: &HeaderMap) -> Option<HeaderMap> {
        let is_preflight =
            *method == Method::OPTIONS && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        if !is_preflight || self.allowed(headers).is_none() {
            return None;
        }
        let mut answer = HeaderMap::new();
        answer.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD"));
        answer.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(ALLOWED_HEADERS));
        answer.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(MAX_AGE));
        Some(answer)
    }

    /// Says in an answer who may see it, and what of it.
    pub(super) fn mark(&self, request: &HeaderMap, answer: &mut HeaderMap) {
        if self.origins != Origins::Any {
            answer.insert(VARY, HeaderValue::from_static("Origin"));
        }
        if let Some(allowed) = self.allowed(request) {
            answer.insert(ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
            answer.insert(ACCESS_CONTROL_EXPOSE_HEADERS, self.exposed.clone());
        }
    }

    /// What is said of the origin of a request, if it may ask.
    fn allowed(&self, request: &HeaderMap) -> Option<HeaderValue> {
        let origin = request.get(ORIGIN)?;
        match &self.origins {
            Origins::Any => Some(HeaderValue::from_static("*")),
            Origins::Listed(origins) => origins.contains(origin).then(|| origin.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_told_from_what_is_none() {
        let parse = |text: &str| Origins::parse(text.split(' '));
        assert_eq!(parse("https://a.example *"), Ok(Origins::Any));
        let listed = ["https://a.example", "http://localhost:3000"].map(HeaderValue::from_static);
        let found = parse("https://A.example http://localhost:3000");
        assert_eq!(found, Ok(Origins::Listed(listed.to_vec())));
        for text in ["a.example", "https://", "https://a.example/", "https://a,b", "://a", "null"] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(text) && error.contains("https://example.com"), "{error}");
        }
    }
}
