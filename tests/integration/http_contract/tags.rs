//! Section 8: HEAD, entity tags, caching, and what headers tell of a correction.

use super::{SEARCH, shared_server};
use crate::support::request;

#[test]
fn head_answers_as_get_without_the_body() {
    let key = [("X-API-Key", shared_server().key.as_str()), ("X-Request-Id", "same")];
    for target in [SEARCH, "/v1/search?q=anvil&limit=3", "/v1/search?limit=0", "/nowhere"] {
        let get = shared_server().request("GET", target, &key);
        let mut client = shared_server().connect();
        client.send(&request("HEAD", target, &key));
        client.send(&request("HEAD", target, &key));
        for _ in 0..2 {
            let head = client.response_to("HEAD");
            assert_eq!(head.status, get.status);
            let without_times = |response: &crate::support::Response| {
                response
                    .headers
                    .iter()
                    .filter(|(name, _)| name != "date" && name != "server-timing")
                    .cloned()
                    .collect::<Vec<_>>()
            };
            assert_eq!(without_times(&head), without_times(&get), "{target}");
            assert_eq!(head.number("content-length"), Some(get.body.len() as u64));
        }
    }
}

#[test]
fn a_page_may_be_kept_by_its_caller_and_must_be_asked_for_again() {
    let response = shared_server().get(SEARCH);
    assert_eq!(response.header("cache-control"), Some("private, no-cache"));
    let tag = response.header("etag").expect("a tag");
    assert!(
        tag.starts_with('"') && tag.ends_with('"') && tag.len() > 10,
        "strong and quoted: {tag}"
    );
}

#[test]
fn errors_have_no_entity_tag() {
    for target in ["/nowhere", "/v1/search?limit=0"] {
        assert_eq!(shared_server().get(target).header("etag"), None);
    }
}

#[test]
fn the_tag_depends_on_every_parameter() {
    let cursor = shared_server().get(SEARCH).next_cursor().expect("45 match");
    let with_cursor = format!("cursor={cursor}");
    let query_strings = [
        "",
        "q=anvil",
        "q=beacon",
        "limit=19",
        "sort=name",
        "order=asc",
        "industry=Retail",
        "location=Paris",
        "min_employees=1",
        "max_employees=1",
        "min_founded_year=1",
        "max_founded_year=1",
        "exclude_industry=Retail",
        "exclude_location=Paris",
        "fields=id",
        with_cursor.as_str(),
    ];
    let tags: std::collections::HashSet<_> = query_strings
        .iter()
        .map(|query_string| {
            let response = shared_server().get(&format!("{SEARCH}?{query_string}"));
            response.header("etag").expect("a tag").to_owned()
        })
        .collect();
    assert_eq!(tags.len(), query_strings.len());
    let spelled_out =
        shared_server().get("/v1/search?limit=020&sort=relevance&order=desc&industry=,");
    assert_eq!(spelled_out.header("etag"), shared_server().get(SEARCH).header("etag"));
}

#[test]
fn a_tag_that_is_named_is_answered_304() {
    let response = shared_server().get("/v1/search?limit=3");
    let tag = response.header("etag").expect("a tag");
    for value in [
        tag.to_owned(),
        format!("W/{tag}"),
        format!("\"other\", {tag}"),
        format!("\"a,b\",W/\"c\" , W/{tag} ,,"),
        "*".to_owned(),
    ] {
        for method in ["GET", "HEAD"] {
            let headers = [("X-API-Key", shared_server().key.as_str()), ("If-None-Match", &value)];
            let mut client = shared_server().connect();
            client.send(&request(method, "/v1/search?limit=3", &headers));
            client.send(&request("GET", SEARCH, &headers[..1]));
            let not_modified = client.response_to(method);
            assert_eq!(not_modified.status, 304, "{value}");
            assert_eq!(not_modified.header("etag"), Some(tag));
            assert_eq!(not_modified.header("cache-control"), Some("private, no-cache"));
            assert!(not_modified.header("x-request-id").is_some());
            assert_eq!(not_modified.header("content-type"), None);
            assert_eq!(client.response().status, 200, "a 304 has no body to get in the way");
        }
    }
    let lines = [("If-None-Match", "\"other\""), ("If-None-Match", tag)];
    assert_eq!(shared_server().get_with("/v1/search?limit=3", &lines).status, 304);
}

#[test]
fn a_tag_that_is_not_named_is_answered_in_full() {
    let tag = shared_server().get("/v1/search?limit=3").header("etag").expect("a tag").to_owned();
    for value in ["\"other\"", &tag[1..], "nonsense", "", &tag.to_uppercase(), &format!("w/{tag}")]
    {
        let response = shared_server().get_with("/v1/search?limit=3", &[("If-None-Match", value)]);
        assert_eq!(response.status, 200, "{value}");
    }
    assert_eq!(
        shared_server().get_with("/v1/search?limit=4", &[("If-None-Match", &tag)]).status,
        200
    );
}

#[test]
fn a_star_does_not_hide_an_error() {
    let star = [("If-None-Match", "*")];
    shared_server().get_with("/v1/search?limit=0", &star).assert_error(
        400,
        "invalid_parameter",
        Some("limit"),
    );
    shared_server().get_with("/nowhere", &star).assert_error(404, "not_found", None);
}

#[test]
fn a_correction_is_told_percent_encoded_and_never_on_a_304() {
    let target = "/v1/search?q=anvli";
    let response = shared_server().get(target);
    assert_eq!(response.total(), 15);
    assert_eq!(response.header("x-query-corrected"), Some("anvil"));
    let tag = response.header("etag").expect("a tag");
    for value in [tag, "*"] {
        let not_modified = shared_server().get_with(target, &[("If-None-Match", value)]);
        assert_eq!(not_modified.status, 304);
        assert_eq!(not_modified.header("x-query-corrected"), None);
    }
    let two_words = shared_server().get("/v1/search?q=anvli+00");
    assert_eq!(two_words.header("x-query-corrected"), Some("anvil%2000"));
    assert_eq!(shared_server().get("/v1/search?q=anvil").header("x-query-corrected"), None);
}

#[test]
fn a_relaxation_is_told_and_never_on_a_304() {
    let target = "/v1/search?q=anvil+beacon";
    let response = shared_server().get(target);
    assert_eq!(response.total(), 30);
    assert_eq!(response.header("x-query-relaxed"), Some("any-word"));
    let tag = response.header("etag").expect("a tag");
    let not_modified = shared_server().get_with(target, &[("If-None-Match", tag)]);
    assert_eq!(not_modified.status, 304);
    assert_eq!(not_modified.header("x-query-relaxed"), None);
    assert_eq!(shared_server().get("/v1/search?q=anvil").header("x-query-relaxed"), None);
}
