//! Scripts of other origins, where the operator lets them ask.

use super::SEARCH;
use crate::support::{Response, Setup, TestServer};
use firmament::http::Origins;

const ORIGIN: &str = "https://app.example";

/// What every answer may have that a script needs to see.
const EXPOSED: [&str; 12] = [
    "etag",
    "retry-after",
    "server-timing",
    "x-query-corrected",
    "x-query-location",
    "x-query-relaxed",
    "x-query-unknown",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-request-id",
    "x-snapshot-version",
];

fn server(origins: &[&str]) -> TestServer {
    let mut setup = Setup::new();
    let parsed = Origins::parse(origins.iter().copied());
    setup.config.cors = Some(parsed.expect("origins"));
    setup.start()
}

/// What a browser asks before a request with a key.
fn preflight(server: &TestServer, target: &str, origin: &str) -> Response {
    let headers = [
        ("Origin", origin),
        ("Access-Control-Request-Method", "GET"),
        ("Access-Control-Request-Headers", "if-none-match,x-api-key"),
    ];
    server.request("OPTIONS", target, &headers)
}

/// The names in a header, in lower case and sorted.
fn names(response: &Response, header: &str) -> Vec<String> {
    let list = response.header(header).unwrap_or_default();
    let mut names: Vec<_> = list.split(',').map(|name| name.trim().to_ascii_lowercase()).collect();
    names.sort();
    names
}

#[test]
fn a_preflight_is_answered_before_the_key_is_looked_at() {
    let server = server(&[ORIGIN, "http://localhost:3000"]);
    for target in [SEARCH, "/v1/facets", "/v1/about", "/nowhere"] {
        let response = preflight(&server, target, ORIGIN);
        assert_eq!(response.status, 204, "{target}: {}", response.text());
        assert_eq!(response.header("access-control-allow-origin"), Some(ORIGIN));
        assert_eq!(names(&response, "access-control-allow-methods"), ["get", "head"]);
        let allowed = names(&response, "access-control-allow-headers");
        assert_eq!(allowed, ["if-none-match", "x-api-key", "x-request-id"]);
        assert_eq!(response.number("access-control-max-age"), Some(86_400));
        assert_eq!(response.header("vary"), Some("Origin"));
        assert!(response.body.is_empty());
    }
    assert_eq!(preflight(&server, SEARCH, "http://localhost:3000").status, 204);
    // Credentials are cookies, which nobody needs here.
    let response = preflight(&server, SEARCH, ORIGIN);
    assert_eq!(response.header("access-control-allow-credentials"), None);
}

#[test]
fn answers_may_be_read_by_listed_origins_with_all_their_headers() {
    let server = server(&[ORIGIN]);
    let found = server.get_with(SEARCH, &[("Origin", ORIGIN)]);
    let wrong = server.get_with("/v1/search?limit=0", &[("Origin", ORIGIN)]);
    let no_key = server.request("GET", SEARCH, &[("Origin", ORIGIN)]);
    let tag = found.header("etag").expect("a tag").to_owned();
    let not_modified =
        server.get_with(SEARCH, &[("Origin", ORIGIN), ("If-None-Match", tag.as_str())]);
    for (response, status) in [(found, 200), (wrong, 400), (no_key, 401), (not_modified, 304)] {
        assert_eq!(response.status, status);
        assert_eq!(response.header("access-control-allow-origin"), Some(ORIGIN), "{status}");
        assert_eq!(names(&response, "access-control-expose-headers"), EXPOSED, "{status}");
        assert_eq!(response.header("vary"), Some("Origin"), "{status}");
    }
}

#[test]
fn every_header_of_the_service_is_exposed() {
    let mut setup = Setup::new();
    let limited = setup.add_key("limited", Some((100.0, 100)), None);
    setup.config.cors = Some(Origins::Any);
    let server = setup.start();
    let headers = [("Origin", ORIGIN), ("X-API-Key", limited.as_str())];
    for query_string in ["q=anvli", "q=anvil+zzz+beacon", "industry=Sofware", "limit=x", "q=anvil"]
    {
        let response = server.request("GET", &format!("{SEARCH}?{query_string}"), &headers);
        let exposed = names(&response, "access-control-expose-headers");
        for (name, _) in &response.headers {
            let is_own = name.starts_with("x-") && name != "x-content-type-options";
            let must_be = is_own || ["etag", "retry-after", "server-timing"].contains(&&**name);
            assert!(!must_be || exposed.contains(name), "{query_string}: {name}");
        }
    }
}

#[test]
fn any_origin_is_a_star_that_does_not_vary() {
    let server = server(&["*"]);
    for response in
        [preflight(&server, SEARCH, ORIGIN), server.get_with(SEARCH, &[("Origin", "null")])]
    {
        assert!(matches!(response.status, 200 | 204));
        assert_eq!(response.header("access-control-allow-origin"), Some("*"));
        assert_eq!(response.header("vary"), None);
    }
}

#[test]
fn other_origins_learn_nothing() {
    let server = server(&[ORIGIN]);
    for origin in ["https://evil.example", "http://app.example", "https://app.example:8443", "null"]
    {
        let response = preflight(&server, SEARCH, origin);
        response.assert_error(401, "missing_api_key", None);
        assert_eq!(response.header("access-control-allow-methods"), None);
        for response in [response, server.get_with(SEARCH, &[("Origin", origin)])] {
            assert_eq!(response.header("access-control-allow-origin"), None, "{origin}");
            assert_eq!(response.header("access-control-expose-headers"), None, "{origin}");
            assert_eq!(response.header("vary"), Some("Origin"), "{origin}");
        }
    }
    // Without an origin nothing is allowed, and caches are told that it matters.
    let response = server.get(SEARCH);
    assert_eq!(response.header("access-control-allow-origin"), None);
    assert_eq!(response.header("vary"), Some("Origin"));
    // Only a preflight has no key.
    let headers = [("Origin", ORIGIN)];
    server.request("OPTIONS", SEARCH, &headers).assert_error(401, "missing_api_key", None);
}

#[test]
fn it_is_off_unless_asked_for() {
    let server = super::shared_server();
    let response = preflight(server, SEARCH, ORIGIN);
    response.assert_error(401, "missing_api_key", None);
    for response in [response, server.get_with(SEARCH, &[("Origin", ORIGIN)])] {
        let told = response
            .headers
            .iter()
            .find(|(name, _)| name == "vary" || name.starts_with("access-control-"));
        assert_eq!(told, None);
    }
}
