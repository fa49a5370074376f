//! What strangers send: malformed heads, smuggled requests, slow and silent sockets. The server
//! refuses, closes, and goes on serving others.

use std::io::Write;
use std::time::Duration;

use crate::support::{Client, Setup, TestServer, eventually, request};

/// What a stranger may get to see.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expect {
    /// One error in the contract's form with this status and code, then the end.
    Error(u16, &'static str),
    /// The parser gave up: a bare 400 or 431, or nothing, then the end.
    GivenUp,
}

use Expect::{Error, GivenUp};

const BAD_REQUEST: Expect = Error(400, "bad_request");

fn server() -> &'static TestServer {
    static SERVER: std::sync::OnceLock<TestServer> = std::sync::OnceLock::new();
    SERVER.get_or_init(|| {
        let mut setup = Setup::new();
        setup.config.head_timeout = Duration::from_secs(1);
        setup.start_shared()
    })
}

/// Sends raw bytes (with `KEY` replaced by a valid key) and checks what comes until the close.
#[track_caller]
fn assert_refused(bytes: &[u8], expected: Expect) {
    let mut client = server().connect();
    let bytes = with_key(bytes);
    client.send_or_fail(&bytes);
    assert_refusal(&mut client, &bytes, expected);
}

/// Checks what comes until the close, after `bytes` were sent.
#[track_caller]
fn assert_refusal(client: &mut Client, bytes: &[u8], expected: Expect) {
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned();
    let received = client.read_to_close();
    let text = String::from_utf8_lossy(&received);
    let responses = count_responses(&text);
    match expected {
        Error(status, code) => {
            assert_eq!(responses, 1, "{shown:?}: {text}");
            assert!(
                text.starts_with(&format!("HTTP/1.1 {status} "))
                    || text.starts_with(&format!("HTTP/1.0 {status} ")),
                "{shown:?}: {text}"
            );
            assert!(
                text.contains(&format!("{{\"error\":{{\"code\":\"{code}\",")),
                "{shown:?}: {text}"
            );
            assert!(text.to_ascii_lowercase().contains("x-request-id: "), "{shown:?}: {text}");
        }
        GivenUp => {
            assert!(responses <= 1, "{shown:?}: {text}");
            let is_refusal = text.starts_with("HTTP/1.1 4") || text.starts_with("HTTP/1.0 4");
            assert!(received.is_empty() || is_refusal, "{shown:?}: {text}");
        }
    }
    assert!(!text.contains("\"results\""), "{shown:?}: {text}");
}

/// How many status lines there are. A message may speak of `HTTP/1.1`, too, but of no status.
fn count_responses(text: &str) -> usize {
    let is_status = |part: &&str| {
        part.as_bytes().get(1..3).is_some_and(|part| part[0] == b' ' && part[1].is_ascii_digit())
    };
    text.split("HTTP/1.").skip(1).filter(is_status).count()
}

fn with_key(bytes: &[u8]) -> Vec<u8> {
    let Some(at) = bytes.windows(3).position(|window| window == b"KEY") else {
        return bytes.to_vec();
    };
    let rest = with_key(&bytes[at + 3..]);
    [&bytes[..at], server().key.as_bytes(), &rest].concat()
}

/// A request with `Host`, a valid key and further header lines.
fn with_lines(lines: &str) -> Vec<u8> {
    format!("GET /v1/search HTTP/1.1\r\nHost: a\r\nX-API-Key: KEY\r\n{lines}\r\n").into_bytes()
}

fn with_target(target: &str) -> Vec<u8> {
    format!("GET {target} HTTP/1.1\r\nHost: a\r\nX-API-Key: KEY\r\n\r\n").into_bytes()
}

/// A request that must never be answered when it follows a refused one.
const SMUGGLED: &str = "GET /v1/search HTTP/1.1\r\nHost: a\r\nX-API-Key: KEY\r\n\r\n";

#[test]
fn wrong_content_lengths() {
    for (value, expected) in [
        ("1", BAD_REQUEST),
        ("5", BAD_REQUEST),
        ("+1", GivenUp),
        ("-1", GivenUp),
        ("1, 1", GivenUp),
        ("0, 0", GivenUp),
        ("0x0", GivenUp),
        ("", GivenUp),
        ("1 0", GivenUp),
        ("100000000000000000000", GivenUp),
        ("18446744073709551615", GivenUp),
    ] {
        let mut bytes = with_lines(&format!("Content-Length: {value}\r\n"));
        bytes.extend(SMUGGLED.as_bytes());
        assert_refused(&bytes, expected);
    }
    let two = with_lines("Content-Length: 0\r\nContent-Length: 5\r\n");
    assert_refused(&two, GivenUp);
    let same = with_lines("Content-Length: 5\r\nContent-Length: 5\r\n");
    assert_refused(&same, BAD_REQUEST);
}

#[test]
fn transfer_encodings() {
    for (lines, expected) in [
        ("Transfer-Encoding: chunked\r\n", BAD_REQUEST),
        ("Transfer-Encoding: gzip, chunked\r\n", BAD_REQUEST),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", BAD_REQUEST),
        ("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n", BAD_REQUEST),
        ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", BAD_REQUEST),
        ("Transfer-Encoding: identity\r\n", GivenUp),
        ("Transfer-Encoding: xchunked\r\n", GivenUp),
        ("Transfer-Encoding: chunked, identity\r\n", GivenUp),
        ("Transfer-Encoding : chunked\r\n", GivenUp),
        ("Transfer-Encoding: \x0bchunked\r\n", GivenUp),
    ] {
        for body in
            ["0\r\n\r\n", "FFFFFFFFFFFFFFFFF\r\n", "zz\r\n", "0\n\n", "5\r\nhello\r\n0\r\n\r\n"]
        {
            let mut bytes = with_lines(lines);
            bytes.extend(body.as_bytes());
            bytes.extend(SMUGGLED.as_bytes());
            assert_refused(&bytes, expected);
        }
    }
    assert_refused(
        b"GET /v1/search HTTP/1.0\r\nX-API-Key: KEY\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        GivenUp,
    );
}

#[test]
fn a_long_chunk_extension_is_not_read() {
    let mut bytes = with_lines("Transfer-Encoding: chunked\r\n");
    bytes.extend(format!("5;{}\r\n", "x".repeat(20_000)).as_bytes());
    assert_refused(&bytes, BAD_REQUEST);
}

#[test]
fn a_request_hidden_in_a_body_is_never_answered() {
    for method in ["POST", "GET", "PUT", "HEAD", "OPTIONS", "DELETE"] {
        let hidden = with_key(SMUGGLED.as_bytes());
        let mut bytes = format!(
            "{method} /v1/search HTTP/1.1\r\nHost: a\r\nX-API-Key: KEY\r\nContent-Length: {}\r\n\r\n",
            hidden.len()
        )
        .into_bytes();
        bytes.extend(&hidden);
        bytes.extend(SMUGGLED.as_bytes());
        let mut client = server().connect();
        client.send_or_fail(&with_key(&bytes));
        let text = String::from_utf8_lossy(&client.read_to_close()).into_owned();
        assert_eq!(count_responses(&text), 1, "{text}");
        let status = if matches!(method, "GET" | "HEAD") { 400 } else { 405 };
        assert!(text.starts_with(&format!("HTTP/1.1 {status} ")), "{text}");
    }
}

#[test]
fn an_expected_body_is_never_asked_for() {
    let mut client = server().connect();
    client.send(&with_key(&with_lines("Expect: 100-continue\r\nContent-Length: 5\r\n")));
    let response = client.response();
    response.assert_error(400, "bad_request", None);
    assert!(client.is_closed());

    let mut client = server().connect();
    client.send(&with_key(&with_lines("Expect: 100-continue\r\n")));
    assert_eq!(client.response().status, 200, "an expectation without a body changes nothing");

    assert_refused(&with_lines("Expect: something-else\r\n"), BAD_REQUEST);
}

#[test]
fn hosts() {
    for lines in [
        "",
        "Host: a\r\nHost: a\r\n",
        "Host: a\r\nHost: b\r\n",
        "Host:\r\n",
        "Host: a b/\r\n",
        "Host: a/b\r\n",
        "Host: user@a\r\n",
        "Host: http://a\r\n",
        "Host: a:b\r\n",
        "Host: a:65536\r\n",
        "Host: [::1\r\n",
        "Host: \"a\"\r\n",
        "Host: m\u{fc}nchen\r\n",
    ] {
        let bytes = format!("GET /v1/search HTTP/1.1\r\n{lines}X-API-Key: KEY\r\n\r\n{SMUGGLED}");
        assert_refused(bytes.as_bytes(), BAD_REQUEST);
    }
    let twice = "GET /v1/search HTTP/1.0\r\nHost: a\r\nHost: a\r\nX-API-Key: KEY\r\n\r\n";
    assert_refused(twice.as_bytes(), BAD_REQUEST);
}

#[test]
fn targets_in_other_forms() {
    for (request_line, expected) in [
        ("GET http://a/v1/search HTTP/1.1", BAD_REQUEST),
        ("GET https://a:443/v1/search?q=a HTTP/1.1", BAD_REQUEST),
        ("GET a:80 HTTP/1.1", BAD_REQUEST),
        ("CONNECT a:80 HTTP/1.1", BAD_REQUEST),
        ("OPTIONS * HTTP/1.1", BAD_REQUEST),
        ("GET * HTTP/1.1", BAD_REQUEST),
        ("GET v1/search HTTP/1.1", GivenUp),
        ("GET ?q=a HTTP/1.1", GivenUp),
        ("GET  HTTP/1.1", GivenUp),
    ] {
        let bytes = format!("{request_line}\r\nHost: a\r\nX-API-Key: KEY\r\n\r\n{SMUGGLED}");
        let mut client = server().connect();
        client.send_or_fail(&with_key(bytes.as_bytes()));
        let text = String::from_utf8_lossy(&client.read_to_close()).into_owned();
        assert!(text.is_empty() || text.starts_with("HTTP/1.1 400 "), "{request_line}: {text}");
        assert!(count_responses(&text) <= 1, "{request_line}: {text}");
        if expected == BAD_REQUEST {
            assert!(text.contains("\"code\":\"bad_request\""), "{request_line}: {text}");
        }
    }
}

#[test]
fn fragments() {
    assert_refused(&with_target("/v1/search#a"), BAD_REQUEST);
    assert_refused(&with_target("/v1/search?q=c#"), BAD_REQUEST);
    assert_refused(&with_target("#"), GivenUp);
    // Behind a request that is fine, and cut in two.
    let mut client = server().connect();
    client.send(&with_key(SMUGGLED.as_bytes()));
    assert_eq!(client.response().status, 200);
    client.send(&with_key(b"GET /v1/search?q=c"));
    std::thread::sleep(Duration::from_millis(5));
    client.send(&with_key(b"# HTTP/1.1\r\nHost: a\r\nX-API-Key: KEY\r\n\r\n"));
    client.response().assert_error(400, "bad_request", None);
    assert!(client.is_closed());
}

#[test]
fn characters_that_a_target_cannot_have() {
    for character in ["\"", "<", ">", "{", "}", "^", "|", "`", "\\", "\u{e9}", "\u{6771}"] {
        let target = format!("/v1/search?q=a{character}b");
        let mut client = server().connect();
        client.send_or_fail(&with_key(&with_target(&target)));
        let text = String::from_utf8_lossy(&client.read_to_close()).into_owned();
        assert!(text.starts_with("HTTP/1.1 400 "), "{target}: {text}");
    }
    for bytes in [
        &b"GET /v1/search?q=a b HTTP/1.1\r\nHost: a\r\n\r\n"[..],
        b"GET /v1/search?q=a\0b HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /v1/search?q=a\x7fb HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /v1/search?q=\xff HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET\t/v1/search HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET  /v1/search HTTP/1.1\r\nHost: a\r\n\r\n",
        b" GET /v1/search HTTP/1.1\r\nHost: a\r\n\r\n",
    ] {
        assert_refused(bytes, GivenUp);
    }
}

#[test]
fn bare_line_feeds() {
    for bytes in [
        &b"GET /v1/search HTTP/1.1\nHost: a\nX-API-Key: KEY\n\n"[..],
        b"GET /v1/search HTTP/1.1\r\nHost: a\nX-API-Key: KEY\r\n\r\n",
        b"GET /v1/search HTTP/1.1\r\nHost: a\r\nX-API-Key: KEY\r\n\n",
        b"GET /v1/search HTTP/1.1\r\nHost: a\r\nX-API-Key: KEY\n\r\n",
    ] {
        assert_refused(&[bytes, SMUGGLED.as_bytes()].concat(), BAD_REQUEST);
    }
}

#[test]
fn broken_header_lines() {
    for line in [
        "X-A: a\rb\r\n",
        "X-A: a\0b\r\n",
        "X-A : a\r\n",
        " X-A: a\r\n",
        "X-A: a\r\n folded\r\n",
        ": a\r\n",
        "X A: a\r\n",
        "X-A\r\n",
        "X-\u{e9}: a\r\n",
        "X(A): a\r\n",
    ] {
        assert_refused(&with_lines(line), GivenUp);
    }
}

#[test]
fn other_protocols() {
    for bytes in [
        &b"GET /v1/search\r\n"[..],
        b"GET /v1/search HTTP/1.2\r\nHost: a\r\n\r\n",
        b"GET /v1/search HTTP/2.0\r\nHost: a\r\n\r\n",
        b"GET /v1/search HTTP/3\r\nHost: a\r\n\r\n",
        b"GET /v1/search http/1.1\r\nHost: a\r\n\r\n",
        b"GET /v1/search HTTPS/1.1\r\nHost: a\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x12\x04\0\0\0\0\0",
        b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"\0\0\0\0",
        b"{\"q\":\"apple\"}\r\n\r\n",
    ] {
        assert_refused(bytes, GivenUp);
    }
}

#[test]
fn a_method_of_5000_bytes() {
    let bytes =
        format!("{} /v1/search HTTP/1.1\r\nHost: a\r\nX-API-Key: KEY\r\n\r\n", "M".repeat(5_000));
    let mut client = server().connect();
    client.send(&with_key(bytes.as_bytes()));
    client.response().assert_error(405, "method_not_allowed", None);
}

#[test]
fn heads_beyond_all_measure() {
    for len in [70_000, 200_000, 500_000] {
        assert_refused(&with_target(&format!("/v1/search?q={}", "x".repeat(len))), GivenUp);
        assert_refused(&with_lines(&format!("X-Large: {}\r\n", "x".repeat(len))), GivenUp);
    }
    assert_refused(&with_lines(&"X-Many: a\r\n".repeat(101)), GivenUp);
    assert_refused(&with_lines(&"X-Many: a\r\n".repeat(10_000)), GivenUp);
    // In small writes, so that no single read sees it all.
    let mut client = server().connect();
    client.send_or_fail(&with_key(
        b"GET /v1/search HTTP/1.1\r\nHost: a\r\nX-API-Key: KEY\r\nX-Large: ",
    ));
    for _ in 0..100 {
        client.send_or_fail(&[b'x'; 1_000]);
    }
    let text = String::from_utf8_lossy(&client.read_to_close()).into_owned();
    assert!(text.is_empty() || text.starts_with("HTTP/1.1 431 "), "{text}");
}

#[test]
fn a_refusal_reaches_a_caller_that_is_still_sending() {
    // More than the kernel buffers: closing at once would reset the connection and lose the answer.
    let mut client = server().connect();
    client.send(&with_key(&with_lines("Content-Length: 60000\r\n")));
    client.send_or_fail(&[b'x'; 60_000]);
    client.response().assert_error(400, "bad_request", None);
}

#[test]
fn odd_but_harmless_headers_change_nothing() {
    for lines in [
        "Accept: text/plain\r\n",
        "Accept: \r\n",
        "Accept-Encoding: *;q=0\r\n",
        "Accept-Encoding: gzip, br, zstd, identity;q=0\r\n",
        "Range: bytes=0-10\r\n",
        "If-Match: \"x\"\r\n",
        "If-Modified-Since: yesterday\r\n",
        "X-Forwarded-For: 1.2.3.4\r\n",
        "X-HTTP-Method-Override: DELETE\r\n",
        "Cookie: a=b\r\n",
        "Connection: keep-alive, close-not\r\n",
    ] {
        let mut client = server().connect();
        client.send(&with_key(&with_lines(lines)));
        let response = client.response();
        assert_eq!(response.status, 200, "{lines}");
        assert_eq!(response.header("content-encoding"), None);
    }
}

#[test]
fn silent_and_slow_sockets_are_closed() {
    let mut silent = server().connect();
    let mut partial = server().connect();
    partial.send(b"GET /v1/search HTTP/1.1\r\nHost: a\r\nX-A: ");
    let mut idle = server().connect();
    idle.send(&with_key(SMUGGLED.as_bytes()));
    assert_eq!(idle.response().status, 200);
    let mut partial_second = server().connect();
    partial_second.send(&with_key(SMUGGLED.as_bytes()));
    partial_second.send(b"GET /v1");
    assert_eq!(partial_second.response().status, 200);
    for client in [&mut silent, &mut partial, &mut idle, &mut partial_second] {
        let received = client.read_to_close();
        assert!(received.is_empty(), "{:?}", String::from_utf8_lossy(&received));
    }
}

#[test]
fn a_trickled_head_is_closed() {
    let mut client = server().connect();
    let mut writer = client.socket().try_clone().expect("a second handle");
    let trickle = std::thread::spawn(move || {
        let head = b"GET /v1/search HTTP/1.1\r\nHost: a\r\nX-A: ";
        let bytes = head.iter().copied().chain(std::iter::repeat_n(b'x', 10_000));
        for byte in bytes {
            if writer.write_all(&[byte]).is_err() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    });
    assert!(client.read_to_close().is_empty());
    drop(client);
    assert!(trickle.join().expect("no panic"), "the server closed while bytes kept coming");
}

#[test]
fn a_half_closed_connection_gets_its_answer() {
    let mut client = server().connect();
    client.send(&with_key(SMUGGLED.as_bytes()));
    client.finish_sending();
    let text = String::from_utf8_lossy(&client.read_to_close()).into_owned();
    assert!(
        text.is_empty() || text.starts_with("HTTP/1.1 200 "),
        "an answer or a clean close: {text}"
    );
}

#[test]
fn a_client_that_never_reads_is_closed() {
    let mut setup = Setup::new();
    setup.config.write_timeout = Duration::from_secs(1);
    let server = setup.start();
    let mut client = server.connect();
    let one = request("GET", "/v1/search?limit=45", &[("X-API-Key", &server.key)]);
    client.socket().set_write_timeout(Some(Duration::from_millis(500))).expect("a timeout");
    // Answers of several megabytes: more than both kernels buffer.
    for _ in 0..3_000 {
        client.send_or_fail(&one);
    }
    eventually("the connection is counted out", || {
        server.metric("firmament_http_connections") == 0.0
    });
}

#[test]
fn many_half_open_connections_do_not_keep_others_out() {
    let server = server();
    let held: Vec<Client> = (0..200)
        .map(|_| {
            let mut client = server.connect();
            client.send_or_fail(b"GET /v1/search HTTP/1.1\r\nHost: a\r\n");
            client
        })
        .collect();
    for _ in 0..20 {
        assert_eq!(server.get("/v1/search").status, 200);
    }
    drop(held);
}

#[test]
fn of_many_at_a_time_each_is_answered() {
    let server = server();
    let good = request("GET", "/v1/search?limit=1", &[("X-API-Key", &server.key)]);
    let bad = [with_lines("Transfer-Encoding: chunked\r\n"), b"zz\r\n".to_vec()].concat();
    let bad = with_key(&bad);
    let mut clients: Vec<Client> = (0..16).map(|_| server.connect()).collect();
    for _ in 0..100 {
        // Under load, answers wait for each other; what goes wrong meanwhile loses none.
        let [mut refused, mut ended] = [server.connect(), server.connect()];
        clients.iter_mut().for_each(|client| client.send(&good));
        refused.send(&bad);
        ended.send(&good);
        ended.finish_sending();
        for client in &mut clients {
            let response = client.response();
            assert_eq!((response.status, response.total()), (200, 45));
        }
        assert_refusal(&mut refused, &bad, BAD_REQUEST);
        let ended = ended.read_to_close();
        assert!(ended.is_empty() || ended.starts_with(b"HTTP/1.1 200 "));
    }
}
