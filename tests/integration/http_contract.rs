//! The contract's HTTP side, row by row: parameters, statuses, codes, orders, headers.
//!
//! What a search finds is tested elsewhere; here the collection only has to tell answers apart.

use std::time::Duration;

use firmament::ids::DocId;
use firmament::query::Cursor;
use firmament::query::cursor::Side;

use crate::support::{RECORDS, Setup, TestServer, eventually, request, test_server};

const SEARCH: &str = "/v1/search";

/// A key of the right form that no server knows.
fn unknown_key() -> String {
    firmament::auth::ApiKey::generate().expect("random bytes").expose().to_owned()
}

#[track_caller]
fn assert_parameter_error(query_string: &str, code: &str, param: Option<&str>) {
    let response = shared_server().get(&format!("{SEARCH}?{query_string}"));
    response.assert_error(400, code, param);
}

/// One server for tests that only ask.
fn shared_server() -> &'static TestServer {
    static SERVER: std::sync::OnceLock<TestServer> = std::sync::OnceLock::new();
    SERVER.get_or_init(test_server)
}

// Section 2: the operation and its parameters.

#[test]
fn a_search_answers_json_in_the_contract_form() {
    let response = shared_server().get("/v1/search?limit=2");
    assert_eq!(response.status, 200);
    assert_eq!(response.header("content-type"), Some("application/json"));
    let text = response.text();
    assert!(text.starts_with("{\"results\":[{\"id\":\""), "{text}");
    let json = response.json();
    let keys = |value: &serde_json::Value| {
        let mut places: Vec<_> = value.as_object().expect("an object").keys().cloned().collect();
        places.sort_by_key(|key| text.find(&format!("\"{key}\":")));
        places
    };
    assert_eq!(keys(&json), ["results", "pagination"]);
    assert_eq!(keys(&json["pagination"]), ["total", "limit", "next_cursor", "previous_cursor"]);
    assert_eq!(
        keys(&json["results"][0]),
        [
            "id",
            "name",
            "website",
            "description",
            "industry",
            "employee_count",
            "location",
            "founded_year"
        ]
    );
    assert_eq!(keys(&json["results"][0]["location"]), ["city", "state", "country"]);
    assert_eq!(json["pagination"]["total"], RECORDS);
    assert_eq!(json["pagination"]["limit"], 2);
    assert!(json["pagination"]["next_cursor"].is_string());
    assert!(json["pagination"]["previous_cursor"].is_null());
}

#[test]
fn the_same_request_gives_the_same_bytes() {
    let target = "/v1/search?q=anvil&limit=5&sort=name";
    let (first, second) = (shared_server().get(target), shared_server().get(target));
    assert_eq!(first.status, 200);
    assert_eq!(first.body, second.body);
    assert_eq!(first.header("etag"), second.header("etag"));
}

#[test]
fn no_match_is_an_empty_200() {
    let response = shared_server().get("/v1/search?industry=Nonesuch");
    assert_eq!(response.total(), 0);
    assert!(response.ids().is_empty());
    assert!(response.json()["pagination"]["next_cursor"].is_null());
    assert_eq!(response.json()["pagination"]["limit"], 0);
}

#[test]
fn param_q_searches() {
    assert_eq!(shared_server().get("/v1/search?q=anvil").total(), 15);
    assert_eq!(shared_server().get("/v1/search?q=+%20").total(), RECORDS as u64);
}

#[test]
fn param_q_of_512_characters_and_32_words_is_the_most() {
    let words = |count: usize| format!("/v1/search?q={}", vec!["w"; count].join("+"));
    assert_eq!(shared_server().get(&words(32)).status, 200);
    shared_server().get(&words(33)).assert_error(400, "query_too_long", Some("q"));
    let characters = |count: usize| format!("/v1/search?q={}", "%C3%A9".repeat(count));
    assert_eq!(shared_server().get(&characters(512)).status, 200);
    shared_server().get(&characters(513)).assert_error(400, "query_too_long", Some("q"));
}

#[test]
fn param_limit_is_20_by_default_and_1_to_100() {
    for (query_string, len) in
        [("", 20), ("limit=", 20), ("limit=1", 1), ("limit=100", RECORDS), ("limit=007", 7)]
    {
        let response = shared_server().get(&format!("{SEARCH}?{query_string}"));
        assert_eq!(response.ids().len(), len, "{query_string}");
        assert_eq!(response.json()["pagination"]["limit"], len);
    }
    for limit in ["0", "101", "-1", "+5", "1e3", "5.0", "x", "18446744073709551617", "%EF%BC%95"] {
        assert_parameter_error(&format!("limit={limit}"), "invalid_parameter", Some("limit"));
    }
}

#[test]
fn param_cursor_continues() {
    let first = shared_server().get("/v1/search?limit=10");
    let cursor = first.next_cursor().expect("more than ten");
    let second = shared_server().get(&format!("{SEARCH}?limit=10&cursor={cursor}"));
    assert_eq!(second.ids().len(), 10);
    assert!(second.ids().iter().all(|id| !first.ids().contains(id)));
    assert!(second.json()["pagination"]["previous_cursor"].is_string());
    assert_parameter_error("cursor=nonsense", "invalid_cursor", Some("cursor"));
}

#[test]
fn param_sort_takes_four_keys_in_lower_case() {
    for sort in ["", "relevance", "name", "employee_count", "founded_year"] {
        assert_eq!(shared_server().get(&format!("{SEARCH}?sort={sort}")).status, 200, "{sort}");
    }
    for sort in ["Name", "employees", "-name", "name,founded_year"] {
        assert_parameter_error(&format!("sort={sort}"), "invalid_parameter", Some("sort"));
    }
}

#[test]
fn param_order_is_asc_or_desc_and_ascends_by_default_for_names_only() {
    let ids = |query_string: &str| {
        shared_server().get(&format!("{SEARCH}?limit=100&{query_string}")).ids()
    };
    assert_eq!(ids("sort=name"), ids("sort=name&order=asc"));
    assert_ne!(ids("sort=name"), ids("sort=name&order=desc"));
    for sort in ["employee_count", "founded_year", "relevance"] {
        assert_eq!(ids(&format!("sort={sort}")), ids(&format!("sort={sort}&order=desc")), "{sort}");
    }
    for order in ["ASC", "ascending", "1"] {
        assert_parameter_error(&format!("order={order}"), "invalid_parameter", Some("order"));
    }
}

#[test]
fn param_industry_may_be_repeated_and_left_empty() {
    let total =
        |query_string: &str| shared_server().get(&format!("{SEARCH}?{query_string}")).total();
    assert_eq!(total("industry=Software"), 15);
    assert_eq!(total("industry=Software&industry=Retail"), 30);
    assert_eq!(total("industry="), 45);
    assert_eq!(total("industry=,"), 45);
    assert_eq!(total("industry=Software&industry=,&industry"), 15);
}

#[test]
fn param_location_may_be_repeated_and_left_empty() {
    let total =
        |query_string: &str| shared_server().get(&format!("{SEARCH}?{query_string}")).total();
    assert_eq!(total("location=Austin"), 18);
    assert_eq!(total("location=Austin&location=Paris"), 36);
    assert_eq!(total("location="), 45);
    assert_eq!(total("location=+,+,"), 45);
}

#[test]
fn param_min_employees_is_inclusive() {
    let total =
        |query_string: &str| shared_server().get(&format!("{SEARCH}?{query_string}")).total();
    assert_eq!(total("min_employees=430"), 1);
    assert_eq!(total("min_employees=431"), 0);
    assert_eq!(total("min_employees=0"), 44, "a missing count matches no bound");
    assert_eq!(total("min_employees=9223372036854775807"), 0);
    for value in ["-1", "1.5", "9223372036854775808", "many", "1,000"] {
        assert_parameter_error(
            &format!("min_employees={value}"),
            "invalid_parameter",
            Some("min_employees"),
        );
    }
}

#[test]
fn param_max_employees_is_inclusive_and_not_below_min() {
    let total =
        |query_string: &str| shared_server().get(&format!("{SEARCH}?{query_string}")).total();
    assert_eq!(total("max_employees=10"), 2);
    assert_eq!(total("min_employees=10&max_employees=10"), 1);
    for query_string in ["max_employees=-1", "max_employees=x", "min_employees=11&max_employees=10"]
    {
        assert_parameter_error(query_string, "invalid_parameter", Some("max_employees"));
    }
}

#[test]
fn an_unknown_parameter_is_named_with_its_nearest() {
    let response = shared_server().get("/v1/search?min_employee=100");
    response.assert_error(400, "unknown_parameter", Some("min_employee"));
    assert!(response.text().contains("min_employees"));
}

#[test]
fn names_are_case_sensitive() {
    assert_parameter_error("Q=a", "unknown_parameter", Some("Q"));
}

#[test]
fn a_repeated_parameter_is_refused_even_without_a_value() {
    assert_parameter_error("q=a&q=b", "duplicate_parameter", Some("q"));
    assert_parameter_error("limit=&limit=5", "duplicate_parameter", Some("limit"));
}

#[test]
fn broken_encoding_is_refused() {
    for value in ["%zz", "%", "%0", "%00", "%c0%af", "%ed%a0%80", "%ff"] {
        assert_parameter_error(&format!("q={value}"), "invalid_encoding", Some("q"));
    }
}

#[test]
fn plus_and_percent_20_are_spaces() {
    let one = shared_server().get("/v1/search?industry=Oil,+Gas+%26+Mining");
    let other = shared_server().get("/v1/search?industry=Oil%2C%20Gas%20%26%20Mining");
    assert_eq!((one.total(), other.total()), (15, 15));
}

#[test]
fn of_several_faults_the_first_in_the_contract_order_is_reported() {
    let too_long = "q=".to_owned() + &"x".repeat(513);
    let faults = [
        ("industry=%zz", "invalid_encoding", "industry"),
        ("nonsense=1", "unknown_parameter", "nonsense"),
        ("location=a&min_employees=1&min_employees=1", "duplicate_parameter", "min_employees"),
        (too_long.as_str(), "query_too_long", "q"),
        ("limit=0", "invalid_parameter", "limit"),
        ("sort=x", "invalid_parameter", "sort"),
        ("order=x", "invalid_parameter", "order"),
        ("max_employees=x", "invalid_parameter", "max_employees"),
        ("cursor=x", "invalid_cursor", "cursor"),
    ];
    for first in 0..faults.len() {
        // Written in the opposite order, so that the order of the query string cannot be it.
        let rest: Vec<_> = faults[first..].iter().rev().map(|fault| fault.0).collect();
        let (_, code, param) = faults[first];
        assert_parameter_error(&rest.join("&"), code, Some(param));
    }
}

// Section 6: cursors, as far as HTTP sees them.

#[test]
fn the_limit_may_change_between_pages_and_nothing_else() {
    let cursor = shared_server().get("/v1/search?q=anvil&limit=5").next_cursor().expect("15 match");
    let page = |query_string: &str| {
        shared_server().get(&format!("{SEARCH}?{query_string}&cursor={cursor}"))
    };
    assert_eq!(page("q=anvil&limit=100").ids().len(), 10);
    assert_eq!(page("q=anvil&sort=&industry=,").ids().len(), 10, "absent is absent");
    assert_eq!(page("q=anvil&sort=relevance&order=desc").ids().len(), 10, "defaults are no change");
    for other in [
        "q=beacon",
        "",
        "q=anvil&sort=name",
        "q=anvil&order=asc",
        "q=anvil&industry=Retail",
        "q=anvil&location=Paris",
        "q=anvil&min_employees=1",
        "q=anvil&max_employees=1",
    ] {
        page(other).assert_error(400, "cursor_mismatch", Some("cursor"));
    }
}

#[test]
fn a_cursor_made_by_hand_is_harmless() {
    for sort in ["relevance", "name", "employee_count", "founded_year"] {
        for order in ["asc", "desc"] {
            let search = format!("{SEARCH}?q=anvil&sort={sort}&order={order}&limit=5");
            let cursor = shared_server().get(&search).next_cursor().expect("15 match");
            for (doc, side) in
                [(45, Side::After), (u32::MAX, Side::After), (u32::MAX, Side::Before)]
            {
                let mut cursor = Cursor::decode(&cursor).expect("just issued");
                (cursor.position.doc, cursor.side) = (DocId(doc), side);
                let page = shared_server().get(&format!("{search}&cursor={}", cursor.encode()));
                assert_eq!(page.status, 200, "{sort} {order} {doc}: {}", page.text());
            }
        }
    }
}

#[test]
fn a_cursor_that_does_not_decode_is_never_page_one() {
    let cursor = shared_server().get("/v1/search?limit=5").next_cursor().expect("45 match");
    assert!(cursor.len() <= 128);
    assert!(cursor.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte)));
    for position in 0..cursor.len() {
        let mut changed = cursor.clone().into_bytes();
        changed[position] = if changed[position] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(changed).expect("ASCII");
        let response = shared_server().get(&format!("{SEARCH}?limit=5&cursor={changed}"));
        assert_eq!(response.status, 400, "changed at {position}: {}", response.text());
    }
    let long = "A".repeat(5_000);
    let doubled = cursor.repeat(2);
    for wrong in
        ["x", "A", &cursor[1..], &cursor[..cursor.len() - 1], &doubled, &long, "%2B%2F%3D", "%20"]
    {
        assert_parameter_error(
            &format!("limit=5&cursor={wrong}"),
            "invalid_cursor",
            Some("cursor"),
        );
    }
}

#[test]
fn a_walk_sees_every_match_once() {
    let whole = shared_server().get("/v1/search?limit=100").ids();
    let mut walked = Vec::new();
    let mut cursor = String::new();
    for limit in [1, 7, 20, 3].into_iter().cycle() {
        let page = shared_server().get(&format!("{SEARCH}?limit={limit}&cursor={cursor}"));
        assert_eq!(page.total(), RECORDS as u64);
        walked.extend(page.ids());
        match page.next_cursor() {
            Some(next) => cursor = next,
            None => break,
        }
    }
    assert_eq!(walked, whole);
}

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
    setup.config.engine.search = |snapshot, query, scratch| {
        assert!(query.limit != 13, "an injected failure");
        firmament::query::search(snapshot, query, scratch)
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

// Section 8: HEAD, entity tags, caching.

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
            let without_date = |response: &crate::support::Response| {
                response
                    .headers
                    .iter()
                    .filter(|(name, _)| name != "date")
                    .cloned()
                    .collect::<Vec<_>>()
            };
            assert_eq!(without_date(&head), without_date(&get), "{target}");
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

// Section 8: connections.

#[test]
fn a_connection_serves_many_requests() {
    let mut client = shared_server().connect();
    for limit in 1..=50 {
        let target = format!("/v1/search?limit={}", limit % 20 + 1);
        client.send(&request("GET", &target, &[("X-API-Key", &shared_server().key)]));
        assert_eq!(client.response().ids().len(), limit % 20 + 1);
    }
}

#[test]
fn errors_of_the_caller_do_not_end_a_connection() {
    let mut client = shared_server().connect();
    for (target, key, status) in [
        ("/nowhere", shared_server().key.as_str(), 404),
        ("/v1/search?limit=0", &shared_server().key, 400),
        (SEARCH, "wrong", 401),
        (SEARCH, &shared_server().key, 200),
    ] {
        client.send(&request("GET", target, &[("X-API-Key", key)]));
        let response = client.response();
        assert_eq!(response.status, status);
        assert_eq!(response.header("connection"), None);
    }
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    for count in [3, 1_000] {
        let key = [("X-API-Key", shared_server().key.as_str())];
        let requests: Vec<u8> = (0..count)
            .flat_map(|n| request("GET", &format!("/v1/search?limit={}", n % 20 + 1), &key))
            .collect();
        let mut client = shared_server().connect();
        let mut sender = client.socket().try_clone().expect("a second handle");
        // Sent beside the reading: the answers fill the buffers before all requests are sent.
        let sending = std::thread::spawn(move || {
            std::io::Write::write_all(&mut sender, &requests).expect("an open connection");
        });
        for n in 0..count {
            assert_eq!(client.response().ids().len(), n % 20 + 1, "request {n} of {count}");
        }
        sending.join().expect("everything is sent");
    }
}

#[test]
fn connection_close_is_honoured() {
    let mut client = shared_server().connect();
    let headers = [("X-API-Key", shared_server().key.as_str()), ("Connection", "close")];
    client.send(&request("GET", SEARCH, &headers));
    let response = client.response();
    assert_eq!(response.status, 200);
    assert_eq!(response.header("connection"), Some("close"));
    assert!(client.is_closed());
}

#[test]
fn http_1_0_needs_no_host_and_closes_unless_asked_otherwise() {
    let key = &shared_server().key;
    let mut client = shared_server().connect();
    client.send(format!("GET {SEARCH} HTTP/1.0\r\nX-API-Key: {key}\r\n\r\n").as_bytes());
    assert_eq!(client.response().status, 200);
    assert!(client.is_closed());

    let mut client = shared_server().connect();
    for _ in 0..2 {
        let lines = format!("Connection: keep-alive\r\nX-API-Key: {key}\r\n");
        client.send(format!("GET {SEARCH} HTTP/1.0\r\n{lines}\r\n").as_bytes());
        assert_eq!(client.response().status, 200);
    }
}

#[test]
fn an_upgrade_is_ignored() {
    let mut client = shared_server().connect();
    let headers = [
        ("X-API-Key", shared_server().key.as_str()),
        ("Connection", "Upgrade, HTTP2-Settings"),
        ("Upgrade", "h2c"),
        ("HTTP2-Settings", "AAMAAABkAAQAAP__"),
    ];
    for _ in 0..2 {
        client.send(&request("GET", SEARCH, &headers));
        assert_eq!(client.response().status, 200);
    }
}

#[test]
fn a_zero_content_length_is_no_body() {
    assert_eq!(shared_server().get_with(SEARCH, &[("Content-Length", "0")]).status, 200);
}

#[test]
fn a_head_may_arrive_in_pieces() {
    let bytes = request("GET", "/v1/search?limit=2", &[("X-API-Key", &shared_server().key)]);
    let mut client = shared_server().connect();
    for part in bytes.chunks(7) {
        client.send(part);
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(client.response().ids().len(), 2);
}
