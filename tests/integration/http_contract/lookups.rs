//! Businesses by their ids, some of their keys, and what is served.

use super::{ALL_KEYS, SEARCH, shared_server};
use crate::support::{RECORDS, Setup, records};

fn line(number: usize) -> String {
    records().lines().nth(number).expect("a record").to_owned()
}

#[test]
fn a_business_is_answered_as_it_stands_in_results() {
    let response = shared_server().get("/v1/businesses/id-07");
    assert_eq!(response.status, 200);
    assert_eq!(response.text(), line(7));
    assert_eq!(response.header("content-type"), Some("application/json"));
    assert_eq!(shared_server().get("/v1/businesses/id%2d07?").text(), line(7));
    let some = shared_server().get("/v1/businesses/id-07?fields=name,id");
    assert_eq!(some.text(), r#"{"id":"id-07","name":"Beacon 07"}"#);
}

#[test]
fn an_id_that_nobody_has_is_not_found() {
    for id in ["id-7", "ID-07", "id-07%20", "id+07", "%22"] {
        let path = format!("/v1/businesses/{id}");
        shared_server().get(&path).assert_error(404, "not_found", Some("id"));
        let star = [("If-None-Match", "*")];
        assert_eq!(shared_server().get_with(&path, &star).status, 404);
    }
    for path in ["/v1/businesses/", "/v1/businesses/id-07/", "/v1/businesses/id-07/name"] {
        shared_server().get(path).assert_error(404, "not_found", None);
    }
    let response = shared_server().get("/v1/businesses/%ff");
    response.assert_error(400, "invalid_encoding", Some("id"));
}

#[test]
fn several_businesses_are_answered_in_the_order_asked() {
    let response = shared_server().get("/v1/businesses?id=id-40&id=x&id=id-03&id=id-40&id=y%22");
    let body = format!(
        "{{\"results\":[{},{},{}],\"missing\":[\"x\",\"y\\\"\"]}}",
        line(40),
        line(3),
        line(40)
    );
    assert_eq!(response.text(), body);
    let none = shared_server().get("/v1/businesses?id=x&fields=id");
    assert_eq!(none.text(), r#"{"results":[],"missing":["x"]}"#);
    let hundred = "id=id-01&".repeat(100);
    assert_eq!(shared_server().get(&format!("/v1/businesses?{hundred}")).ids().len(), 100);
    for query_string in ["", "id=", &format!("{hundred}id=a")] {
        let response = shared_server().get(&format!("/v1/businesses?{query_string}"));
        response.assert_error(400, "invalid_parameter", Some("id"));
    }
}

#[test]
fn fields_choose_keys_and_nothing_else() {
    let whole = shared_server().get("/v1/search?q=anvil&limit=3").json();
    for (fields, keys) in [
        ("id", &["id"][..]),
        ("name,id", &["id", "name"]),
        ("founded_year,location", &["location", "founded_year"]),
        ("employee_count,website", &["website", "employee_count"]),
        ("description,industry,industry", &["description", "industry"]),
        (",", &ALL_KEYS),
        (&ALL_KEYS.join(","), &ALL_KEYS),
    ] {
        let response = shared_server().get(&format!("{SEARCH}?q=anvil&limit=3&fields={fields}"));
        let text = response.text();
        assert!(text.starts_with(&format!("{{\"results\":[{{\"{}\":", keys[0])), "{text}");
        let json = response.json();
        let results = json["results"].as_array().expect("results");
        for (result, whole) in results.iter().zip(whole["results"].as_array().expect("results")) {
            let result = result.as_object().expect("an object");
            assert_eq!(result.len(), keys.len(), "{fields}");
            keys.iter().for_each(|key| assert_eq!(result[*key], whole[*key], "{fields}"));
        }
        assert_eq!(json["pagination"], whole["pagination"], "{fields}");
    }
    let cursor = shared_server().get("/v1/search?limit=5").next_cursor().expect("45 match");
    let next = shared_server().get(&format!("{SEARCH}?limit=2&fields=id&cursor={cursor}"));
    assert_eq!(next.ids().len(), 2, "fields may change between pages");
}

#[test]
fn about_tells_what_is_served() {
    let response = shared_server().get("/v1/about");
    let version = response.header("x-snapshot-version").expect("a version").to_owned();
    let expected = serde_json::json!({
        "contract": "1.0",
        "snapshot": {"version": version, "built_at": "1970-01-01T00:00:00Z"},
        "businesses": RECORDS,
        "fields": {
            "website": 0,
            "description": 0,
            "industry": 45,
            "employee_count": 44,
            "city": 45,
            "state": 27,
            "country": 45,
            "founded_year": 45,
            "aliases": 0,
            "other_websites": 0,
        },
    });
    assert_eq!(response.json(), expected);
    let response = shared_server().get("/v1/about?q=a");
    response.assert_error(400, "unknown_parameter", Some("q"));
}

#[test]
fn the_same_rules_hold_beside_search() {
    let paths = ["/v1/about", "/v1/businesses/id-01", "/v1/businesses?id=id-01"];
    let mut tags = std::collections::HashSet::new();
    for path in paths {
        let server = shared_server();
        let response = server.get(path);
        let tag = response.header("etag").expect("a tag").to_owned();
        assert_eq!(response.header("cache-control"), Some("private, no-cache"), "{path}");
        let not_modified = server.get_with(path, &[("If-None-Match", &tag)]);
        assert_eq!((not_modified.status, not_modified.body.len()), (304, 0), "{path}");
        let head = server.request("HEAD", path, &[("X-API-Key", &server.key)]);
        assert_eq!(head.header("etag"), Some(tag.as_str()), "{path}");
        assert!(tags.insert(tag));
        server.request("GET", path, &[]).assert_error(401, "missing_api_key", None);
        let post = server.request("POST", path, &[("X-API-Key", &server.key)]);
        post.assert_error(405, "method_not_allowed", None);
        let separator = if path.contains('?') { '&' } else { '?' };
        let unknown = server.get(&format!("{path}{separator}limit=1"));
        unknown.assert_error(400, "unknown_parameter", Some("limit"));
    }
    let other = shared_server().get("/v1/businesses/id-01?fields=id");
    assert!(tags.insert(other.header("etag").expect("a tag").to_owned()));
}

#[test]
fn every_answer_carries_the_version_of_the_snapshot() {
    let server = Setup::new().start();
    let version = |path: &str| server.get(path).header("x-snapshot-version").map(str::to_owned);
    let first = version(SEARCH).expect("a version");
    assert_eq!(first.len(), 16);
    for path in ["/v1/about", "/nowhere", "/v1/search?limit=0", "/v1/businesses/id-01"] {
        assert_eq!(version(path).as_ref(), Some(&first), "{path}");
    }
    let refused = server.request("GET", SEARCH, &[]);
    assert_eq!(refused.header("x-snapshot-version"), Some(first.as_str()));
    let cursor = server.get("/v1/search?limit=5").next_cursor().expect("45 match");
    server.replace_snapshot(&(line(1) + "\n" + &line(2) + "\n"));
    assert_eq!(server.admin("POST", "/-/reload").status, 200);
    let second = version(SEARCH).expect("a version");
    assert_ne!(first, second);
    assert_eq!(version("/v1/about"), Some(second));
    let walk = format!("{SEARCH}?limit=5&cursor={cursor}");
    assert_eq!(version(&walk), Some(first), "a walk goes on with what it began with");
}

#[test]
fn bounds_on_years_and_exclusions_narrow_a_search() {
    let total =
        |query_string: &str| shared_server().get(&format!("{SEARCH}?{query_string}")).total();
    assert_eq!(total("min_founded_year=1950"), 45);
    assert_eq!(total("min_founded_year=1994"), 1);
    assert_eq!(total("max_founded_year=1959&q=anvil"), 4);
    assert_eq!(total("exclude_industry=Software"), 30);
    assert_eq!(total("exclude_industry=Software&exclude_location=Austin"), 18);
    assert_eq!(total("exclude_industry=Oil,+Gas+%26+Mining,Retail&exclude_industry=Software"), 0);
    assert_eq!(total("exclude_industry=Nonesuch&exclude_location=Nowhere"), 45);
    let cursor = shared_server().get("/v1/search?q=anvil&limit=5").next_cursor().expect("15 match");
    for other in
        ["min_founded_year=1", "max_founded_year=9999", "exclude_industry=x", "exclude_location=x"]
    {
        let response = shared_server().get(&format!("{SEARCH}?q=anvil&cursor={cursor}&{other}"));
        response.assert_error(400, "cursor_mismatch", Some("cursor"));
    }
}

#[test]
fn wrong_names_and_methods_are_told_what_is_right() {
    let message = |response: crate::support::Response| {
        response.json()["error"]["message"].as_str().expect("a message").to_owned()
    };
    for (query_string, part) in [
        ("page=2", "`cursor`"),
        ("per_page=5", "`limit`"),
        ("country=US", "`location`"),
        ("founded_year=1999", "`min_founded_year`"),
    ] {
        let message = message(shared_server().get(&format!("{SEARCH}?{query_string}")));
        assert!(message.contains(part), "{message}");
    }
    let post = shared_server().request("POST", SEARCH, &[("X-API-Key", &shared_server().key)]);
    assert!(message(post).contains("GET /v1/search?q=apple"));
}
