//! Section 7: keys and their quotas.

use super::{SEARCH, shared_server, unknown_key};
use crate::support::{Setup, TestServer, eventually, test_server};

// Section 7: keys.

#[test]
fn code_missing_api_key() {
    for headers in
        [&[][..], &[("X-API-Key", "")], &[("X-API-Key", "  ")], &[("Authorization", "Bearer x")]]
    {
        let response = shared_server().request("GET", SEARCH, headers);
        response.assert_error(401, "missing_api_key", None);
        assert_eq!(response.header("www-authenticate"), Some("ApiKey"));
    }
}

#[test]
fn code_invalid_api_key() {
    let key = &shared_server().key;
    let unknown = unknown_key();
    let list = format!("{key},{key}");
    let spaced = format!("{} {}", &key[..20], &key[20..]);
    let upper = key.to_uppercase();
    let padded = "a".repeat(129);
    for wrong in
        [&unknown, &key[..41], &format!("{key}0"), &list, &spaced, &upper, &padded, "x", "clé"]
    {
        let response = shared_server().get_as(wrong, SEARCH);
        response.assert_error(401, "invalid_api_key", None);
        assert_eq!(response.header("www-authenticate"), Some("ApiKey"));
        assert!(!response.text().contains(wrong) || wrong.len() < 5, "the key is not echoed");
    }
}

#[test]
fn code_invalid_api_key_if_repeated() {
    let key = ("X-API-Key", shared_server().key.as_str());
    shared_server().request("GET", SEARCH, &[key, key]).assert_error(401, "invalid_api_key", None);
    let empty = ("X-API-Key", "");
    shared_server().request("GET", SEARCH, &[empty, key]).assert_error(
        401,
        "invalid_api_key",
        None,
    );
}

#[test]
fn code_expired_api_key() {
    let mut setup = Setup::new();
    let expired = setup.add_key("expired", Some((1.0, 5)), Some("2020-12-31"));
    let valid = setup.add_key("valid", None, Some("9999-12-30"));
    let server = setup.start();
    let response = server.get_as(&expired, SEARCH);
    response.assert_error(401, "expired_api_key", None);
    assert_eq!(response.header("www-authenticate"), Some("ApiKey"));
    assert_eq!(response.header("x-ratelimit-limit"), None, "not an answer to a valid key");
    assert_eq!(server.get_as(&valid, SEARCH).status, 200);
}

#[test]
fn a_key_in_the_query_string_is_no_key() {
    let target = format!("{SEARCH}?api_key={0}&X-API-Key={0}", shared_server().key);
    let response = shared_server().request("GET", &target, &[]);
    response.assert_error(401, "missing_api_key", None);
    assert!(!response.text().contains(&shared_server().key));
}

#[test]
fn the_header_name_is_case_insensitive_and_the_value_may_have_spaces_around_it() {
    let key = format!("  {}\t", shared_server().key);
    assert_eq!(shared_server().request("GET", SEARCH, &[("x-api-KEY", &key)]).status, 200);
}

#[test]
fn a_new_key_counts_and_a_revoked_one_does_not_without_a_restart() {
    let server = test_server();
    let added =
        firmament::auth::KeyFile::update(&server.keys, |file| file.add("added", None, None));
    let added = added.expect("a writable file").expose().to_owned();
    eventually("the new key counts", || server.get_as(&added, SEARCH).status == 200);

    firmament::auth::KeyFile::update(&server.keys, |file| file.revoke("added"))
        .expect("a writable file");
    eventually("the revoked key is refused", || server.get_as(&added, SEARCH).status == 401);
    server.get_as(&added, SEARCH).assert_error(401, "invalid_api_key", None);
    assert_eq!(server.get(SEARCH).status, 200, "the other key is not affected");
}

#[test]
fn a_bad_key_file_keeps_the_old_keys_and_is_counted() {
    let server = test_server();
    std::fs::write(&server.keys, "{\"keys\":[").expect("a writable file");
    eventually("the failure is counted", || {
        server.metric("firmament_key_reloads_total{result=\"failed\"}") >= 1.0
    });
    assert_eq!(server.get(SEARCH).status, 200);
}

// Section 7: quotas.

/// A server and a key that may ask `burst` times and then waits more than a test lasts.
fn server_with_quota(burst: u64) -> (TestServer, String) {
    let mut setup = Setup::new();
    let key = setup.add_key("limited", Some((0.001, burst)), None);
    (setup.start(), key)
}

#[test]
fn code_rate_limited() {
    let (server, key) = server_with_quota(3);
    for remaining in [2, 1, 0] {
        let response = server.get_as(&key, SEARCH);
        assert_eq!(response.status, 200);
        assert_eq!(response.number("x-ratelimit-limit"), Some(3));
        assert_eq!(response.number("x-ratelimit-remaining"), Some(remaining));
        assert!(response.number("x-ratelimit-reset").is_some_and(|seconds| seconds > 0));
    }
    let response = server.get_as(&key, SEARCH);
    response.assert_error(429, "rate_limited", None);
    assert!(response.number("retry-after").is_some_and(|seconds| (1..=1_000).contains(&seconds)));
    assert_eq!(response.number("x-ratelimit-limit"), Some(3));
    assert_eq!(response.number("x-ratelimit-remaining"), Some(0));
    assert!(response.number("x-ratelimit-reset").is_some_and(|seconds| seconds <= 3_000));
    assert_eq!(server.get(SEARCH).status, 200, "other keys have their own quota");
}

#[test]
fn a_quota_fills_up_again() {
    let mut setup = Setup::new();
    let key = setup.add_key("fast", Some((5.0, 1)), None);
    let server = setup.start();
    assert_eq!(server.get_as(&key, SEARCH).status, 200);
    eventually("a fifth of a second later there is one more", || {
        server.get_as(&key, SEARCH).status == 200
    });
}

#[test]
fn a_key_without_a_quota_has_no_quota_headers() {
    let response = shared_server().get(SEARCH);
    for header in ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"] {
        assert_eq!(response.header(header), None);
    }
}

#[test]
fn every_answer_to_a_valid_key_is_charged_errors_included() {
    let (server, key) = server_with_quota(6);
    for (method, target, status, remaining) in [
        ("GET", SEARCH, 200, 5),
        ("HEAD", SEARCH, 200, 4),
        ("GET", "/nowhere", 404, 3),
        ("POST", SEARCH, 405, 2),
        ("GET", "/v1/search?limit=0", 400, 1),
        ("GET", "/v1/search?cursor=x", 400, 0),
        ("GET", SEARCH, 429, 0),
        ("GET", "/nowhere", 429, 0),
    ] {
        let response = server.request(method, target, &[("X-API-Key", &key)]);
        assert_eq!(response.status, status, "{method} {target}");
        assert_eq!(response.number("x-ratelimit-remaining"), Some(remaining), "{method} {target}");
        assert_eq!(response.number("x-ratelimit-limit"), Some(6));
    }
}

#[test]
fn a_304_for_a_named_tag_is_free_and_one_for_a_star_is_not() {
    let (server, key) = server_with_quota(3);
    let ask =
        |tag: &str| server.request("GET", SEARCH, &[("X-API-Key", &key), ("If-None-Match", tag)]);
    let tag = server.get(SEARCH).header("etag").expect("a tag").to_owned();
    for _ in 0..5 {
        let response = ask(&tag);
        assert_eq!(response.status, 304);
        assert_eq!(response.number("x-ratelimit-remaining"), Some(3));
        assert_eq!(response.number("x-ratelimit-limit"), Some(3));
        assert_eq!(response.number("x-ratelimit-reset"), Some(0));
    }
    for remaining in [2, 1, 0] {
        let response = ask("*");
        assert_eq!(response.status, 304);
        assert_eq!(response.number("x-ratelimit-remaining"), Some(remaining));
    }
    ask("*").assert_error(429, "rate_limited", None);
    ask(&tag).assert_error(429, "rate_limited", None);
}

#[test]
fn a_refused_key_is_not_charged() {
    let (server, key) = server_with_quota(2);
    for _ in 0..3 {
        let twice = [("X-API-Key", key.as_str()), ("X-API-Key", key.as_str())];
        assert_eq!(server.request("GET", SEARCH, &twice).status, 401);
    }
    assert_eq!(server.get_as(&key, SEARCH).number("x-ratelimit-remaining"), Some(1));
}

#[test]
fn malformed_http_is_answered_before_the_key_is_looked_at() {
    let (server, key) = server_with_quota(2);
    let response = server.request("GET", SEARCH, &[("X-API-Key", &key), ("Content-Length", "5")]);
    response.assert_error(400, "bad_request", None);
    assert_eq!(response.header("x-ratelimit-limit"), None);
    assert_eq!(server.get_as(&key, SEARCH).number("x-ratelimit-remaining"), Some(1));
}

#[test]
fn what_is_used_of_a_quota_stays_used_after_a_reload_of_the_keys() {
    let (server, key) = server_with_quota(5);
    assert_eq!(server.get_as(&key, SEARCH).number("x-ratelimit-remaining"), Some(4));
    let added =
        firmament::auth::KeyFile::update(&server.keys, |file| file.add("added", None, None));
    let added = added.expect("a writable file").expose().to_owned();
    eventually("the file is read again", || server.get_as(&added, SEARCH).status == 200);
    assert_eq!(server.get_as(&key, SEARCH).number("x-ratelimit-remaining"), Some(3));
}

#[test]
fn two_workers_share_one_quota() {
    let (server, key) = server_with_quota(40);
    let (server, key) = (&server, &key);
    let granted: usize = std::thread::scope(|scope| {
        let ask = || (0..30).filter(|_| server.get_as(key, SEARCH).status == 200).count();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    assert_eq!(granted, 40);
}
