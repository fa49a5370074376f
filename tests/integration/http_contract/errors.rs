//! Section 7: the order of checks, statuses and codes, and the bodies of errors with their request
//! ids.

use super::{SEARCH, shared_server};
use crate::support::{Setup, eventually, request};

// Section 7: the order of checks.

#[test]
fn checks_run_in_the_contract_order() {
    let mut setup = Setup::new();
    setup.config.max_connections = 1;
    let empty = setup.add_key("empty", Some((0.001, 1)), None);
    let server = setup.start();
    // Fills the one connection, so that admission is the last check to fail.
    let mut holder = server.connect();
    holder.send(&request("GET", SEARCH, &[("X-API-Key", &empty)]));
    assert_eq!(holder.response().status, 200);

    let long = "x".repeat(9_000);
    let long_target = format!("/v1/nowhere?{long}");
    let long_header = "h".repeat(17_000);
    let valid = server.key.as_str();
    let host = ("Host", "second");
    let large = ("X-Large", long_header.as_str());
    type Row<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)], u16);
    let rows: &[Row<'_>] = &[
        // Each row mends the fault that the row before it was answered with.
        ("POST", &long_target, &[host, large], 400),
        ("POST", &long_target, &[large], 414),
        ("POST", "/v1/nowhere?x=1", &[large], 431),
        ("POST", "/v1/nowhere?x=1", &[], 401),
        ("POST", "/v1/nowhere?x=1", &[("X-API-Key", &empty)], 429),
        ("POST", "/v1/nowhere?x=1", &[("X-API-Key", valid)], 404),
        ("POST", "/v1/search?x=1", &[("X-API-Key", valid)], 405),
        ("GET", "/v1/search?x=1", &[("X-API-Key", valid), ("If-None-Match", "*")], 400),
        ("GET", "/v1/search", &[("X-API-Key", valid), ("If-None-Match", "*")], 503),
    ];
    for (method, target, headers, status) in rows {
        eventually("earlier connections are counted out", || {
            server.metric("firmament_http_connections") == 1.0
        });
        let response = server.request(method, target, headers);
        assert_eq!(response.status, *status, "{}", response.text());
    }
    drop(holder);
    eventually("there is room again", || server.metric("firmament_http_connections") == 0.0);
    assert_eq!(server.get_with(SEARCH, &[("If-None-Match", "*")]).status, 304);
}

// Section 7: the table of statuses and codes.

#[test]
fn code_bad_request() {
    let two_hosts = [("X-API-Key", shared_server().key.as_str()), ("Host", "other")];
    let response = shared_server().request("GET", SEARCH, &two_hosts);
    response.assert_error(400, "bad_request", None);
    assert_eq!(response.header("connection"), Some("close"));
}

#[test]
fn code_not_found() {
    for path in [
        "/",
        "/v1",
        "/v1/search/",
        "/v1/Search",
        "/v1/search.json",
        "/v1/%73earch",
        "//v1/search",
        "/v1//search",
        "/v1/../v1/search",
        "/livez",
        "/metrics",
        "/v2/search",
    ] {
        shared_server().get(path).assert_error(404, "not_found", None);
    }
}

#[test]
fn code_method_not_allowed() {
    for method in
        ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get", "SEARCH", "FOO-BAR!"]
    {
        let response =
            shared_server().request(method, SEARCH, &[("X-API-Key", &shared_server().key)]);
        response.assert_error(405, "method_not_allowed", None);
        assert_eq!(response.header("allow"), Some("GET, HEAD"), "{method}");
    }
}

#[test]
fn code_uri_too_long() {
    let target = |len: usize| format!("/v1/search?location={}", "x".repeat(len - 20));
    assert_eq!(shared_server().get(&target(8_192)).status, 200);
    for len in [8_193, 12_000, 16_384, 20_000] {
        let response = shared_server().get(&target(len));
        response.assert_error(414, "uri_too_long", None);
        assert_eq!(response.header("connection"), Some("close"));
    }
}

#[test]
fn code_headers_too_large() {
    // Name, value and four bytes a line: 17 for Host, 55 for the key, 11 without the value.
    let base =
        "host".len() + "localhost".len() + 4 + "x-api-key".len() + 42 + 4 + "x-large".len() + 4;
    let ask =
        |len: usize| shared_server().get_with(SEARCH, &[("X-Large", &"v".repeat(len - base))]);
    assert_eq!(ask(16_384).status, 200);
    for len in [16_385, 20_000, 32_768] {
        let response = ask(len);
        response.assert_error(431, "headers_too_large", None);
        assert_eq!(response.header("connection"), Some("close"));
    }
}

#[test]
fn code_internal() {
    let mut setup = Setup::new();
    setup.config.engine.search = |snapshot, query, most, scratch| {
        assert!(query.limit != 13, "an injected failure");
        firmament::query::page::search_within(snapshot, query, most, scratch)
    };
    let server = setup.start();
    let mut client = server.connect();
    for _ in 0..3 {
        client.send(&request("GET", "/v1/search?limit=13", &[("X-API-Key", &server.key)]));
        client.response().assert_error(500, "internal", None);
        client.send(&request("GET", "/v1/search?limit=14", &[("X-API-Key", &server.key)]));
        assert_eq!(client.response().ids().len(), 14, "the connection goes on");
    }
    assert_eq!(server.metric("firmament_http_panics_total"), 3.0);
    assert_eq!(
        server.metric("firmament_http_responses_total{status=\"500\",code=\"internal\"}"),
        3.0
    );
}

#[test]
fn code_overloaded() {
    let mut setup = Setup::new();
    setup.config.max_connections = 1;
    let server = setup.start();
    let mut first = server.connect();
    first.send(&request("GET", SEARCH, &[("X-API-Key", &server.key)]));
    assert_eq!(first.response().status, 200);

    let mut second = server.connect();
    second.send(&request("GET", SEARCH, &[("X-API-Key", &server.key)]));
    let response = second.response();
    response.assert_error(503, "overloaded", None);
    assert_eq!(response.header("retry-after"), Some("1"));
    assert_eq!(response.header("connection"), Some("close"));
    assert!(second.is_closed());

    first.send(&request("GET", SEARCH, &[("X-API-Key", &server.key)]));
    assert_eq!(first.response().status, 200, "who is in stays in");
}

#[test]
fn beyond_twice_the_limit_connections_are_closed_at_once() {
    let mut setup = Setup::new();
    setup.config.max_connections = 1;
    let server = setup.start();
    let mut first = server.connect();
    eventually("it is counted", || server.metric("firmament_http_connections") == 1.0);
    let _second = server.connect();
    eventually("both are counted", || server.metric("firmament_http_connections") == 2.0);
    assert!(server.connect().is_closed());
    assert_eq!(server.metric("firmament_http_connections_refused_total"), 1.0);
    first.send(&request("GET", SEARCH, &[("X-API-Key", &server.key)]));
    assert_eq!(first.response().status, 200);
}

// The bodies of errors, and request ids.

#[test]
fn every_response_carries_a_request_id() {
    let key = shared_server().key.as_str();
    for (headers, target) in [
        (&[("X-API-Key", key)][..], SEARCH),
        (&[], SEARCH),
        (&[("X-API-Key", key)], "/nowhere"),
        (&[("X-API-Key", key), ("If-None-Match", "*")], SEARCH),
        (&[("Host", "second")], SEARCH),
    ] {
        let own = shared_server().request("GET", target, headers);
        assert!(own.header("x-request-id").is_some_and(|id| (1..=64).contains(&id.len())));
        let mut with_id = headers.to_vec();
        with_id.push(("X-Request-Id", "My_id-1.2"));
        let given = shared_server().request("GET", target, &with_id);
        assert_eq!(given.header("x-request-id"), Some("My_id-1.2"));
        if given.status >= 400 {
            assert_eq!(given.json()["error"]["request_id"], "My_id-1.2");
        }
    }
}

#[test]
fn an_unfit_request_id_is_replaced() {
    let long = "x".repeat(65);
    for id in ["a b", "<script>", "a,b", "", long.as_str(), "a/b", "é"] {
        let response = shared_server().get_with(SEARCH, &[("X-Request-Id", id)]);
        assert_ne!(response.header("x-request-id"), Some(id));
    }
    let two = [("X-Request-Id", "a"), ("X-Request-Id", "a")];
    assert_ne!(shared_server().get_with(SEARCH, &two).header("x-request-id"), Some("a"));
}

#[test]
fn generated_request_ids_differ() {
    let ids: std::collections::HashSet<_> = (0..20)
        .map(|_| shared_server().get(SEARCH).header("x-request-id").map(str::to_owned))
        .collect();
    assert_eq!(ids.len(), 20);
}

#[test]
fn an_error_shows_what_was_given_cut_and_escaped() {
    let response = shared_server().get(&format!("/v1/search?sort={}", "%0A%1B%22".repeat(200)));
    response.assert_error(400, "invalid_parameter", Some("sort"));
    let message = response.json()["error"]["message"].as_str().expect("a message").to_owned();
    assert!(!message.chars().any(char::is_control), "{message:?}");
    assert!(message.contains('…'));
}

#[test]
fn every_body_is_marked_against_sniffing() {
    for target in [SEARCH, "/nowhere", "/v1/search?limit=0"] {
        let response = shared_server().get(target);
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(response.header("content-type"), Some("application/json"));
    }
    assert_eq!(shared_server().get(SEARCH).header("server"), None);
}
