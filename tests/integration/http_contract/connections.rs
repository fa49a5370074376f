//! Section 8: connections.

use std::time::Duration;

use super::{SEARCH, shared_server};
use crate::support::request;

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
