//! Expensive requests: beside which others are answered, how many may wait, and which are refused.
//!
//! What is expensive is told by an engine of the tests', which holds such searches up until the
//! test lets them go on; what a budget refuses, by the real one.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use firmament::query::page::{Page, Scratch, search_within};
use firmament::query::request::Query;
use firmament::query::session::cost::{EXPENSIVE, TooExpensive};
use firmament::snapshot::Snapshot;

use crate::support::{Client, Setup, TestServer, eventually, records, request};

const CHEAP: &str = "/v1/search?limit=98";
const EXPENSIVE_TARGET: &str = "/v1/search?limit=99";

/// Threads of the pool beside one worker.
const THREADS: usize = 2;

/// Requests that may wait for them.
const WAITING_MAX: usize = 32 * THREADS;

/// An engine to which searches with `limit=99` are expensive, and which does none of them until it
/// is opened.
struct Gate {
    begun: AtomicUsize,
    is_open: AtomicBool,
}

impl Gate {
    const fn new() -> Gate {
        Gate { begun: AtomicUsize::new(0), is_open: AtomicBool::new(false) }
    }

    fn search(
        &self,
        snapshot: &Snapshot,
        query: &Query,
        most: u64,
        scratch: &mut Scratch,
    ) -> Result<Page, TooExpensive> {
        if query.limit == 99 {
            if most <= EXPENSIVE {
                return Err(TooExpensive { cost: EXPENSIVE + 1, ..TooExpensive::default() });
            }
            self.begun.fetch_add(1, SeqCst);
            eventually("the test opens the gate", || self.is_open.load(SeqCst));
        }
        search_within(snapshot, query, most, scratch)
    }

    fn has_begun(&self, count: usize) {
        eventually("the pool begins", || self.begun.load(SeqCst) == count);
    }

    fn open(&self) {
        self.is_open.store(true, SeqCst);
    }
}

/// A server with one worker.
fn one_worker(
    search: fn(&Snapshot, &Query, u64, &mut Scratch) -> Result<Page, TooExpensive>,
) -> Setup {
    let mut setup = Setup::new();
    setup.config.workers = 1;
    setup.config.engine.search = search;
    setup
}

fn ask(server: &TestServer, target: &str) -> Client {
    let mut client = server.connect();
    client.send(&request("GET", target, &[("X-API-Key", &server.key)]));
    client
}

#[test]
fn an_expensive_request_holds_nobody_up() {
    static GATE: Gate = Gate::new();
    let mut setup = one_worker(|a, b, c, d| GATE.search(a, b, c, d));
    let key = setup.add_key("limited", Some((0.001, 9)), None);
    let server = setup.start();
    let mut first = server.connect();
    // The second request of a connection waits for the first.
    for (target, id) in [(EXPENSIVE_TARGET, "99"), (CHEAP, "98")] {
        first.send(&request("GET", target, &[("X-API-Key", &key), ("X-Request-Id", id)]));
    }
    GATE.has_begun(1);
    for _ in 0..3 {
        assert_eq!(ask(&server, CHEAP).response().status, 200, "the gate is shut");
    }
    assert_eq!(server.metric("firmament_http_responses_total{status=\"200\",code=\"\"}"), 3.0);
    GATE.open();
    let expensive = first.response();
    assert_eq!(expensive.status, 200);
    assert_eq!(expensive.header("x-request-id"), Some("99"));
    assert_eq!(expensive.number("x-ratelimit-remaining"), Some(8));
    for header in ["etag", "server-timing", "x-snapshot-version"] {
        assert!(expensive.header(header).is_some(), "{header}");
    }
    let cheap = first.response();
    assert_eq!(cheap.header("x-request-id"), Some("98"));
    assert_eq!(cheap.body, expensive.body);
    assert_eq!(server.metric("firmament_http_pool_requests_total"), 1.0);
    assert_eq!(server.metric("firmament_http_pool_waiting"), 0.0);
    assert_eq!(server.metric("firmament_http_responses_total{status=\"200\",code=\"\"}"), 5.0);
    let tag = expensive.header("etag").expect("a tag");
    let again = server.get_with(EXPENSIVE_TARGET, &[("If-None-Match", tag)]);
    assert_eq!(again.status, 304);
    assert_eq!(GATE.begun.load(SeqCst), 1, "nothing is searched for a tag");
}

#[test]
fn a_full_queue_is_overloaded() {
    static GATE: Gate = Gate::new();
    let server = one_worker(|a, b, c, d| GATE.search(a, b, c, d)).start();
    let ask_all = |count| (0..count).map(|_| ask(&server, EXPENSIVE_TARGET)).collect();
    let running: Vec<Client> = ask_all(THREADS);
    GATE.has_begun(THREADS);
    let mut waiting: Vec<Client> = ask_all(WAITING_MAX);
    eventually("the queue is full", || {
        server.metric("firmament_http_pool_waiting") == WAITING_MAX as f64
    });

    let mut refused = ask(&server, EXPENSIVE_TARGET);
    let response = refused.response();
    response.assert_error(503, "overloaded", None);
    assert_eq!(response.number("retry-after"), Some(1));
    assert_eq!(response.header("connection"), None);
    refused.send(&request("GET", CHEAP, &[("X-API-Key", &server.key)]));
    assert_eq!(refused.response().status, 200, "the connection goes on");

    // Nothing is done for those who go away before their turn.
    let gone = waiting.split_off(WAITING_MAX - 5);
    drop(gone);
    let left = (THREADS + WAITING_MAX - 5 + 1) as f64;
    eventually("the server knows", || server.metric("firmament_http_connections") == left);
    GATE.open();
    for mut client in running.into_iter().chain(waiting) {
        assert_eq!(client.response().status, 200);
    }
    eventually("the queue is empty", || server.metric("firmament_http_pool_waiting") == 0.0);
    assert_eq!(GATE.begun.load(SeqCst), THREADS + WAITING_MAX - 5);
}

#[test]
fn a_panic_in_the_pool_ends_one_request() {
    let server = one_worker(|snapshot, query, most, scratch| {
        if most <= EXPENSIVE {
            return Err(TooExpensive { cost: EXPENSIVE + 1, ..TooExpensive::default() });
        }
        assert!(query.limit != 99, "an injected failure");
        search_within(snapshot, query, most, scratch)
    })
    .start();
    let mut client = server.connect();
    for _ in 0..3 {
        client.send(&request("GET", EXPENSIVE_TARGET, &[("X-API-Key", &server.key)]));
        client.response().assert_error(500, "internal", None);
        client.send(&request("GET", CHEAP, &[("X-API-Key", &server.key)]));
        assert_eq!(client.response().status, 200, "the thread goes on");
    }
    assert_eq!(server.metric("firmament_http_panics_total"), 3.0);
}

#[test]
fn a_stop_waits_for_the_pool() {
    static GATE: Gate = Gate::new();
    let server = one_worker(|a, b, c, d| GATE.search(a, b, c, d)).start();
    let mut clients = [(); THREADS + 1].map(|()| ask(&server, EXPENSIVE_TARGET));
    GATE.has_begun(THREADS);
    eventually("one waits", || server.metric("firmament_http_pool_waiting") == 1.0);
    let admin = server.admin_address();
    let stopping = server.stop();
    eventually("it stops", || {
        let mut probe = Client::connect(admin);
        probe.send(&request("GET", "/readyz", &[]));
        probe.response().status == 503
    });
    GATE.open();
    for client in &mut clients {
        let response = client.response();
        assert_eq!(response.status, 200);
        assert_eq!(response.header("connection"), Some("close"));
        assert!(client.is_closed());
    }
    stopping.join().expect("it stops");
}

#[test]
fn what_waits_is_answered_by_its_snapshot() {
    static GATE: Gate = Gate::new();
    let mut setup = one_worker(|a, b, c, d| GATE.search(a, b, c, d));
    setup.config.keep_snapshots = 0;
    let server = setup.start();
    let version = server.get(CHEAP).header("x-snapshot-version").expect("a version").to_owned();
    let mut client = ask(&server, EXPENSIVE_TARGET);
    GATE.has_begun(1);
    server.replace_snapshot(&format!("{}{{\"id\":\"new\",\"name\":\"Dynamo\"}}\n", records()));
    assert_eq!(server.admin("POST", "/-/reload").status, 200);
    eventually("the new one answers", || server.get(CHEAP).total() == 46);
    GATE.open();
    let response = client.response();
    assert_eq!(response.total(), 45);
    assert_eq!(response.header("x-snapshot-version"), Some(version.as_str()));
}

#[test]
fn code_query_too_expensive() {
    let body = |workers| {
        let mut setup = Setup::new();
        setup.config.workers = workers;
        setup.config.query_budget = Some(1);
        let server = setup.start();
        let bodies: Vec<String> = (0..3)
            .flat_map(|_| {
                let targets = ["/v1/search?q=anvil+beacon", "/v1/facets?q=anvil+beacon&facet=city"];
                targets.map(|target| {
                    let response = server.get_with(target, &[("X-Request-Id", "id")]);
                    response.assert_error(400, "query_too_expensive", Some("q"));
                    assert_eq!(response.header("connection"), None);
                    response.text()
                })
            })
            .collect();
        assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
        let series = "firmament_http_responses_total{status=\"400\",code=\"query_too_expensive\"}";
        assert_eq!(server.metric(series), 6.0);
        assert_eq!(server.metric("firmament_http_pool_requests_total"), 0.0);
        assert_eq!(server.get("/v1/search?q=anvil").total(), 15, "what is stored costs little");
        let tag = [("If-None-Match", "*")];
        assert_eq!(server.get_with("/v1/search?q=anvil+beacon", &tag).status, 304);
        bodies[0].clone()
    };
    let one = body(1);
    assert_eq!(one, body(3), "workers do not count");
    for part in [r#"\"anvil\""#, r#"\"beacon\""#, "this server reads 1 at most", "rarer word"] {
        assert!(one.contains(part), "{one}");
    }
}

#[test]
fn the_pool_refuses_what_is_over_the_budget() {
    let mut setup = one_worker(|_, _, most, _| {
        Err(TooExpensive { cost: most + 1, words: vec!["over".to_owned(), "and".to_owned()] })
    });
    setup.config.query_budget = Some(EXPENSIVE + 5);
    let server = setup.start();
    let response = server.get("/v1/search?q=over+and");
    response.assert_error(400, "query_too_expensive", Some("q"));
    let (cost, budget) = (EXPENSIVE + 6, EXPENSIVE + 5);
    for part in [cost.to_string(), budget.to_string(), r#"\"over\", \"and\""#.to_owned()] {
        assert!(response.text().contains(&part), "{}", response.text());
    }
    assert_eq!(server.metric("firmament_http_pool_requests_total"), 1.0);
}
