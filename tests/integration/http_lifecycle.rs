//! Opening, swapping and retaining snapshots; the admin address; stopping.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use firmament::query::cursor::Cursor;

use crate::support::{Client, Setup, TestServer, eventually, records, request, test_server};

const SEARCH: &str = "/v1/search";

/// The collection, and one more record that makes it another one.
fn records_and(extra: &str) -> String {
    format!("{}{{\"id\":\"{extra}\",\"name\":\"Dynamo\"}}\n", records())
}

#[track_caller]
fn reload(server: &TestServer) -> String {
    let response = server.admin("POST", "/-/reload");
    assert_eq!(response.status, 200, "{}", response.text());
    response.json()["status"].as_str().expect("a status").to_owned()
}

/// Pages from `cursor` to the end.
fn walk(server: &TestServer, mut cursor: Option<String>) -> Vec<String> {
    let mut ids = Vec::new();
    while let Some(from) = cursor {
        let page = server.get(&format!("{SEARCH}?limit=10&cursor={from}"));
        assert_eq!(page.total(), 45);
        ids.extend(page.ids());
        cursor = page.next_cursor();
    }
    ids
}

#[test]
fn a_walk_ends_on_the_snapshot_it_began_on() {
    let server = test_server();
    let whole = server.get("/v1/search?limit=100").ids();
    let first = server.get("/v1/search?limit=10");

    server.replace_snapshot(&records_and("new-1"));
    assert_eq!(server.get(SEARCH).total(), 45, "a file alone changes nothing");
    assert_eq!(reload(&server), "loaded");
    eventually("the new snapshot answers", || server.get(SEARCH).total() == 46);

    let mut walked = first.ids();
    walked.extend(walk(&server, first.next_cursor()));
    assert_eq!(walked, whole);
}

#[test]
fn code_cursor_expired() {
    let mut setup = Setup::new();
    setup.config.keep_snapshots = 1;
    let server = setup.start();
    let cursor = server.get("/v1/search?limit=10").next_cursor().expect("45 match");
    let target = format!("{SEARCH}?limit=10&cursor={cursor}");
    for (swap, status) in [("new-1", 200), ("new-2", 400)] {
        server.replace_snapshot(&records_and(swap));
        reload(&server);
        assert_eq!(server.get(&target).status, status, "after {swap}");
    }
    server.get(&target).assert_error(400, "cursor_expired", Some("cursor"));
    // Invalid before expired, expired before mismatch.
    let mismatch = format!("{target}&q=anvil");
    server.get(&mismatch).assert_error(400, "cursor_expired", Some("cursor"));
    server.get(&format!("{target}x")).assert_error(400, "invalid_cursor", Some("cursor"));
}

#[test]
fn a_cursor_from_a_replica_that_is_ahead_waits_for_the_reload() {
    let (ahead, behind) = (test_server(), test_server());
    let newer = records_and("new-1");
    ahead.replace_snapshot_built_at(1, &newer);
    reload(&ahead);
    let cursor = ahead.get("/v1/search?limit=10").next_cursor().expect("46 match");
    let target = format!("{SEARCH}?limit=10&cursor={cursor}");
    let response = behind.get(&target);
    response.assert_error(503, "not_ready", Some("cursor"));
    assert_eq!(response.number("retry-after"), Some(1));
    // Invalid before not ready, not ready before mismatch.
    let mismatch = format!("{target}&q=anvil");
    behind.get(&mismatch).assert_error(503, "not_ready", Some("cursor"));
    behind.get(&format!("{target}x")).assert_error(400, "invalid_cursor", Some("cursor"));

    behind.replace_snapshot_built_at(1, &newer);
    reload(&behind);
    assert_eq!(behind.get(&target).body, ahead.get(&target).body);
}

#[test]
fn a_cursor_is_ahead_only_of_what_was_all_built_before_it() {
    let mut setup = Setup::new();
    setup.config.keep_snapshots = 1;
    let server = setup.start();
    server.replace_snapshot_built_at(5, &records_and("new-1"));
    reload(&server);
    server.replace_snapshot_built_at(3, &records_and("new-2"));
    reload(&server);
    // Open are those of 3 and, as an earlier one, of 5.
    let issued = server.get("/v1/search?limit=10").next_cursor().expect("46 match");
    let mut cursor = Cursor::decode(&issued).expect("just issued");
    assert_eq!(cursor.built_at, 3);
    cursor.snapshot_version.0 ^= 1;
    for (built_at, status, code) in [
        (0, 400, "cursor_expired"),
        (4, 400, "cursor_expired"),
        (5, 400, "cursor_expired"),
        (6, 503, "not_ready"),
        (u64::MAX, 503, "not_ready"),
    ] {
        cursor.built_at = built_at;
        let target = format!("{SEARCH}?limit=10&cursor={}", cursor.encode());
        server.get(&target).assert_error(status, code, Some("cursor"));
    }
}

#[test]
fn snapshots_expire_by_age_too() {
    let mut setup = Setup::new();
    setup.config.keep_snapshots_for = Duration::from_millis(1);
    let server = setup.start();
    let cursor = server.get("/v1/search?limit=10").next_cursor().expect("45 match");
    server.replace_snapshot(&records_and("new-1"));
    reload(&server);
    eventually("the old snapshot is let go", || server.metric("firmament_snapshots_open") == 1.0);
    let target = format!("{SEARCH}?limit=10&cursor={cursor}");
    eventually("its cursors expire", || server.get(&target).status == 400);
    server.get(&target).assert_error(400, "cursor_expired", Some("cursor"));
}

#[test]
fn a_tag_is_that_of_the_snapshot_that_answers() {
    let server = test_server();
    let first = server.get(SEARCH);
    let cursor = first.next_cursor().expect("45 match");
    let second_target = format!("{SEARCH}?cursor={cursor}");
    let second_tag = server.get(&second_target).header("etag").expect("a tag").to_owned();

    server.replace_snapshot(&records_and("new-1"));
    reload(&server);
    let not_named =
        server.get_with(SEARCH, &[("If-None-Match", first.header("etag").expect("a tag"))]);
    assert_eq!(not_named.status, 200, "the current snapshot is another one");
    let named = server.get_with(&second_target, &[("If-None-Match", &second_tag)]);
    assert_eq!(named.status, 304, "the cursor's is the same");
}

#[test]
fn a_roll_back_revives_cursors() {
    let server = test_server();
    let cursor = server.get("/v1/search?limit=10").next_cursor();
    server.replace_snapshot(&records_and("new-1"));
    reload(&server);
    server.replace_snapshot(&records());
    assert_eq!(reload(&server), "loaded");
    assert_eq!(server.get(SEARCH).total(), 45);
    assert_eq!(walk(&server, cursor).len(), 35);
    assert_eq!(server.metric("firmament_snapshots_open"), 2.0, "one of each version");
}

#[test]
fn an_unchanged_file_is_no_swap() {
    let server = test_server();
    assert_eq!(reload(&server), "unchanged");
    assert_eq!(server.metric("firmament_snapshot_reloads_total{result=\"unchanged\"}"), 1.0);
    assert_eq!(server.metric("firmament_snapshots_open"), 1.0);
}

#[test]
fn a_bad_candidate_never_replaces_a_good_snapshot() {
    let server = test_server();
    let good = std::fs::read(&server.snapshot).expect("a snapshot");
    let damaged = server.snapshot.with_extension("damaged");
    for bytes in [&b""[..], b"not a snapshot", &good[..good.len() / 2]] {
        std::fs::write(&damaged, bytes).expect("a writable folder");
        std::fs::rename(&damaged, &server.snapshot).expect("one file system");
        let response = server.admin("POST", "/-/reload");
        assert_eq!(response.status, 500, "{}", response.text());
        assert_eq!(response.json()["error"]["code"], "reload_failed");
        assert_eq!(server.get(SEARCH).total(), 45);
    }
    std::fs::remove_file(&server.snapshot).expect("the file is there");
    assert_eq!(server.admin("POST", "/-/reload").status, 500);
    assert!(server.metric("firmament_snapshot_reloads_total{result=\"failed\"}") >= 3.0);
    assert_eq!(server.get(SEARCH).total(), 45);
    assert_eq!(server.admin("GET", "/readyz").status, 200);
}

#[test]
fn requests_during_swaps_are_all_answered() {
    let server = test_server();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut client = server.connect();
                    let mut answered = 0;
                    while !stop.load(Ordering::Relaxed) {
                        client.send(&request("GET", SEARCH, &[("X-API-Key", &server.key)]));
                        let total = client.response().total();
                        assert!(total == 45 || total == 46);
                        answered += 1;
                    }
                    answered
                })
            })
            .collect();
        for swap in 0..10 {
            server.replace_snapshot(&if swap % 2 == 0 { records_and("new-1") } else { records() });
            reload(&server);
        }
        stop.store(true, Ordering::Relaxed);
        for client in clients {
            assert!(client.join().expect("no refusal") > 0);
        }
    });
}

#[test]
fn code_not_ready() {
    static MAY_OPEN: AtomicBool = AtomicBool::new(false);
    let mut setup = Setup::new();
    setup.config.engine.open = |path| {
        eventually("the test lets the snapshot open", || MAY_OPEN.load(Ordering::Relaxed));
        firmament::snapshot::Snapshot::open(path)
    };
    let server = setup.start_unready();
    let response = server.get(SEARCH);
    response.assert_error(503, "not_ready", None);
    assert_eq!(response.header("retry-after"), Some("1"));
    assert_eq!(response.header("connection"), None);
    // The last check: all others come first.
    server.request("GET", SEARCH, &[]).assert_error(401, "missing_api_key", None);
    server.get("/nowhere").assert_error(404, "not_found", None);
    server.get("/v1/search?limit=0").assert_error(400, "invalid_parameter", Some("limit"));
    server.get_with(SEARCH, &[("If-None-Match", "*")]).assert_error(503, "not_ready", None);
    assert_eq!(server.admin("GET", "/livez").status, 200);
    assert_eq!(server.admin("GET", "/readyz").status, 503);

    MAY_OPEN.store(true, Ordering::Relaxed);
    eventually("the server is ready", || server.admin("GET", "/readyz").status == 200);
    assert_eq!(server.get(SEARCH).total(), 45);
}

#[test]
fn a_first_snapshot_that_does_not_open_is_an_error() {
    let setup = Setup::new();
    setup.write_keys();
    std::fs::remove_file(&setup.config.snapshot).expect("the file is there");
    let mut server = firmament::http::Server::start(setup.config.clone()).expect("it starts");
    let error = server.wait_until_ready().expect_err("there is nothing to open");
    assert!(matches!(error, firmament::http::ServeError::Snapshot(_)), "{error}");
}

#[test]
fn a_key_file_that_cannot_be_used_is_an_error() {
    let setup = Setup::new();
    for text in ["", "{", "{\"keys\":[{\"name\":\"a\",\"hash\":\"0\"}]}"] {
        std::fs::write(&setup.config.keys, text).expect("a writable folder");
        let error =
            firmament::http::Server::start(setup.config.clone()).expect_err("a bad key file");
        assert!(matches!(error, firmament::http::ServeError::Keys(_)), "{error}");
    }
}

#[test]
fn an_address_in_use_is_an_error() {
    let server = test_server();
    let mut setup = Setup::new();
    setup.write_keys();
    for (listen, admin) in [
        (server.address(), setup.config.admin),
        (setup.config.listen, Some(server.admin_address())),
    ] {
        setup.config.listen = listen;
        setup.config.admin = admin;
        let error =
            firmament::http::Server::start(setup.config.clone()).expect_err("the address is taken");
        assert!(matches!(error, firmament::http::ServeError::Listen { .. }), "{error}");
        assert!(error.to_string().contains("choose another address"), "{error}");
        setup.config.listen = ([127, 0, 0, 1], 0).into();
    }
}

// The admin address.

#[test]
fn probes_answer_without_a_key() {
    let server = test_server();
    let live = server.admin("GET", "/livez");
    assert_eq!((live.status, live.text().as_str()), (200, "{\"status\":\"live\"}\n"));
    let ready = server.admin("GET", "/readyz");
    assert_eq!(ready.status, 200);
    assert_eq!(ready.json()["status"], "ready");
    assert_eq!(ready.json()["snapshot"].as_str().map(str::len), Some(16));
    assert_eq!(server.admin("HEAD", "/livez").status, 200);
}

#[test]
fn metrics_count_what_happened() {
    let server = test_server();
    for target in ["/v1/search?q=anvil", SEARCH, "/nowhere", "/v1/search?limit=0"] {
        server.get(target);
    }
    let response = server.admin("GET", "/metrics");
    assert!(
        response
            .header("content-type")
            .is_some_and(|t| t.starts_with("application/openmetrics-text"))
    );
    assert!(response.text().ends_with("# EOF\n"));
    for (series, value) in [
        ("firmament_http_responses_total{status=\"200\",code=\"\"}", 2.0),
        ("firmament_http_responses_total{status=\"404\",code=\"not_found\"}", 1.0),
        ("firmament_http_responses_total{status=\"400\",code=\"invalid_parameter\"}", 1.0),
        ("firmament_http_request_duration_seconds_count{kind=\"text\"}", 1.0),
        ("firmament_http_request_duration_seconds_count{kind=\"filter\"}", 1.0),
        ("firmament_http_request_duration_seconds_count{kind=\"none\"}", 2.0),
        ("firmament_http_connections_accepted_total", 4.0),
        ("firmament_snapshot_records", 45.0),
        ("firmament_snapshots_open", 1.0),
        ("firmament_keys", 1.0),
        ("firmament_http_panics_total", 0.0),
    ] {
        assert_eq!(server.metric(series), value, "{series}");
    }
    assert!(server.metric("firmament_snapshot_size_bytes") > 0.0);
    assert!(!response.text().contains(&server.key[..8]), "no key material");
}

#[test]
fn other_admin_requests_are_refused() {
    let server = test_server();
    for (method, target, status) in [
        ("GET", "/", 404),
        ("GET", SEARCH, 404),
        ("POST", "/livez", 405),
        ("GET", "/-/reload", 405),
        ("PUT", "/-/reload", 405),
    ] {
        let response = server.admin(method, target);
        assert_eq!(response.status, status, "{method} {target}");
        assert!(response.json()["error"]["code"].is_string());
        assert_eq!(response.header("allow").is_some(), status == 405);
    }
}

#[test]
fn the_admin_address_can_be_left_out() {
    let mut setup = Setup::new();
    setup.config.admin = None;
    let server = setup.start();
    assert_eq!(server.get(SEARCH).status, 200);
}

// Stopping.

#[test]
fn a_graceful_stop_answers_what_has_arrived_and_closes() {
    let server = test_server();
    let (address, admin_address, key) =
        (server.address(), server.admin_address(), server.key.clone());
    let mut idle = server.connect();
    idle.send(&request("GET", SEARCH, &[("X-API-Key", &key)]));
    assert_eq!(idle.response().status, 200);
    let mut fresh = server.connect();
    let mut partial = server.connect();
    let bytes = request("GET", SEARCH, &[("X-API-Key", &key)]);
    partial.send(&bytes[..bytes.len() - 2]);
    eventually("all are accepted", || server.metric("firmament_http_connections") == 3.0);

    let stopping = server.stop();
    eventually("readiness is off", || {
        let mut probe = Client::connect(admin_address);
        probe.send(&request("GET", "/readyz", &[]));
        probe.response().status == 503
    });
    partial.send(&bytes[bytes.len() - 2..]);
    let response = partial.response();
    assert_eq!(response.status, 200, "what has begun to arrive is answered");
    assert_eq!(response.header("connection"), Some("close"));
    assert!(partial.is_closed());
    assert!(idle.is_closed());
    assert!(fresh.is_closed());
    drop((partial, idle, fresh));
    stopping.join().expect("it stops");
    assert!(std::net::TcpStream::connect(address).is_err(), "nobody listens any more");
}

#[test]
fn a_stop_does_not_wait_longer_than_its_deadline() {
    let mut setup = Setup::new();
    setup.config.stop_timeout = Duration::from_millis(300);
    let server = setup.start();
    let mut partial = server.connect();
    partial.send(b"GET /v1/search HTTP/1.1\r\n");
    eventually("it is accepted", || server.metric("firmament_http_connections") == 1.0);
    server.stop().join().expect("it stops although a head never ends");
    assert!(partial.is_closed());
}

#[test]
fn dropping_a_server_ends_it_at_once() {
    let server = test_server();
    let mut client = server.connect();
    client.send(&request("GET", SEARCH, &[("X-API-Key", &server.key)]));
    assert_eq!(client.response().status, 200);
    let address = server.address();
    drop(server);
    assert!(client.is_closed());
    assert!(std::net::TcpStream::connect(address).is_err());
}
