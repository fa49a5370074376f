//! What a browser gets without a key: one page that searches, its icon, the OpenAPI document, and a
//! readable 404. Only where the operator asks for it.
//!
//! The page is one embedded file, which asks nobody but this server. Its script and style are
//! marked with a number that is made anew for every answer, and nothing else is run
//! (`Content-Security-Policy`).

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use bytes::Bytes;
use hyper::header::{ACCEPT, HeaderValue};
use hyper::{Method, StatusCode};

use super::answer::Head;
use super::openapi::openapi;

const PAGE: &str = include_str!("page.html");
const ICON: &str = include_str!("icon.svg");

/// A page that says that there is nothing.
const NOTHING: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
    <meta name=\"color-scheme\" content=\"light dark\">\n<title>Nothing here</title>\n\
    <h1>Nothing here</h1>\n<p>There is nothing at this address. <a href=\"/\">Search</a>, or read what \
    the <a href=\"/openapi.json\">API</a> answers.</p>\n</html>\n";

/// An answer that needs no key.
#[derive(Debug)]
pub(super) struct Static {
    pub(super) status: StatusCode,
    pub(super) content_type: HeaderValue,
    pub(super) policy: HeaderValue,
    pub(super) body: Bytes,
}

/// What browsers get.
#[derive(Debug)]
pub(super) struct Page {
    /// A key that everybody may know, for the page to search with.
    key: Option<String>,
    openapi: Bytes,
}

impl Page {
    pub(super) fn new(key: Option<String>) -> Page {
        Page { key, openapi: openapi().into() }
    }

    /// The answer to a request that needs no key.
    pub(super) fn answer(&self, head: &Head<'_>) -> Option<Static> {
        if !matches!(*head.method, Method::GET | Method::HEAD) {
            return None;
        }
        let path = head.target.path();
        match path {
            "/" => Some(self.page()),
            "/openapi.json" => Some(plain("application/json", self.openapi.clone())),
            "/favicon.ico" => Some(plain("image/svg+xml", Bytes::from_static(ICON.as_bytes()))),
            _ => {
                let is_api = path == "/v1" || path.starts_with("/v1/");
                let asks_for_html = head.headers.get_all(ACCEPT).iter().any(names_html);
                (!is_api && asks_for_html).then(nothing)
            }
        }
    }

    fn page(&self) -> Static {
        let nonce = nonce();
        let key = self.key.as_deref().unwrap_or_default();
        let body = PAGE.replace("{{nonce}}", &nonce).replace("{{key}}", key);
        let policy = format!(
            "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; \
             connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'"
        );
        Static {
            status: StatusCode::OK,
            content_type: HeaderValue::from_static("text/html; charset=utf-8"),
            policy: HeaderValue::from_str(&policy).expect("ASCII"),
            body: body.into(),
        }
    }
}

/// A number that nobody can guess, as text.
fn nonce() -> String {
    let mut bytes = [0; 16];
    // Without random bytes the browser runs nothing: a number that can be guessed protects nobody.
    match getrandom::fill(&mut bytes) {
        Ok(()) => STANDARD_NO_PAD.encode(bytes),
        Err(_) => String::new(),
    }
}

fn plain(content_type: &'static str, body: Bytes) -> Static {
    Static {
        status: StatusCode::OK,
        content_type: HeaderValue::from_static(content_type),
        policy: HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
        body,
    }
}

fn nothing() -> Static {
    let body = Bytes::from_static(NOTHING.as_bytes());
    Static { status: StatusCode::NOT_FOUND, ..plain("text/html; charset=utf-8", body) }
}

/// Does a line of `Accept` name HTML? That it does not want it (`q=0`) nobody says.
fn names_html(value: &HeaderValue) -> bool {
    let kinds = value.as_bytes().split(|byte| *byte == b',');
    let kind = |item: &[u8]| {
        let end = item.iter().position(|byte| *byte == b';').unwrap_or(item.len());
        item[..end].trim_ascii().eq_ignore_ascii_case(b"text/html")
    };
    kinds.into_iter().any(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_runs_is_marked() {
        for tag in ["script", "style"] {
            let tags = PAGE.match_indices(&format!("<{tag}")).count();
            let marked = PAGE.match_indices(&format!("<{tag} nonce=\"{{{{nonce}}}}\">")).count();
            assert_eq!((tags, marked), (1, 1), "{tag}");
        }
        for forbidden in ["style=", "http://", "https://", "innerHTML", "onclick=\""] {
            assert!(!PAGE.contains(forbidden), "{forbidden}");
        }
    }

    #[test]
    fn numbers_differ() {
        let (one, other) = (nonce(), nonce());
        assert_eq!(one.len(), 22);
        assert_ne!(one, other);
    }
}
