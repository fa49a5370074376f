//! Section 2: the operation and its parameters.

use super::{ALL_KEYS, SEARCH, assert_parameter_error, shared_server};
use crate::support::RECORDS;

/// How many businesses a request finds.
fn total(query_string: &str) -> u64 {
    shared_server().get(&format!("{SEARCH}?{query_string}")).total()
}

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
    assert_eq!(keys(&json["results"][0]), ALL_KEYS);
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
    assert_eq!(total("industry=Software"), 15);
    assert_eq!(total("industry=Software&industry=Retail"), 30);
    assert_eq!(total("industry="), 45);
    assert_eq!(total("industry=,"), 45);
    assert_eq!(total("industry=Software&industry=,&industry"), 15);
}

#[test]
fn param_location_may_be_repeated_and_left_empty() {
    assert_eq!(total("location=Austin"), 18);
    assert_eq!(total("location=Austin&location=Paris"), 36);
    assert_eq!(total("location="), 45);
    assert_eq!(total("location=+,+,"), 45);
}

#[test]
fn param_min_employees_is_inclusive() {
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
