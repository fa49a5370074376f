//! The contract's HTTP side, row by row: parameters, statuses, codes, orders, headers.
//!
//! What a search finds is tested elsewhere; here the collection only has to tell answers apart.

mod connections;
mod cors;
mod cursors;
mod errors;
mod keys;
mod lookups;
mod parameters;
mod tags;

use crate::support::{Setup, TestServer};

const SEARCH: &str = "/v1/search";

/// The keys of a business, in the order of responses.
const ALL_KEYS: [&str; 8] = [
    "id",
    "name",
    "website",
    "description",
    "industry",
    "employee_count",
    "location",
    "founded_year",
];

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
    SERVER.get_or_init(|| Setup::new().start_shared())
}
