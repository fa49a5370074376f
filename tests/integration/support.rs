//! A server on a free loopback port with a small collection behind it, and a client that speaks
//! raw bytes.
//!
//! [`test_server`] suits most tests; [`Setup`] changes keys, limits, records or the engine first.
//! Everything is bounded in time: a test that waits in vain fails.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use firmament::auth::{ApiKey, Expiry, KeyFile, QuotaRule};
use firmament::http::{Server, ServerConfig};
use firmament::index::{self, BuildOptions, Format, Input, NoProgress, ReadOptions};

/// Longest wait for anything. Far more than is needed, for machines under load.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The number of records that [`records`] makes.
pub const RECORDS: usize = 45;

/// 45 businesses in JSON Lines. Number `n` is called after Anvil, Beacon or Cobalt (15 each), has
/// `10 n` employees (the last one none), and one of three industries and three places.
pub fn records() -> String {
    (0..RECORDS).map(record).collect()
}

fn record(n: usize) -> String {
    let name = ["Anvil", "Beacon", "Cobalt"][n % 3];
    let industry = ["Software", "Oil, Gas & Mining", "Retail"][n / 3 % 3];
    let place = [
        r#"{"city":"Austin","state":"Texas","country":"United States"}"#,
        r#"{"city":"Paris","state":null,"country":"France"}"#,
        r#"{"city":"Toronto","state":"Ontario","country":"Canada"}"#,
    ][n / 9 % 3];
    let employees = if n + 1 == RECORDS { "null".to_owned() } else { (n * 10).to_string() };
    format!(
        "{{\"id\":\"id-{n:02}\",\"name\":\"{name} {n:02}\",\"website\":null,\"description\":null,\
         \"industry\":\"{industry}\",\"employee_count\":{employees},\"location\":{place},\"founded_year\":{}}}\n",
        1950 + n
    )
}

/// A snapshot of [`records`], built once per test run.
fn default_snapshot() -> &'static [u8] {
    static SNAPSHOT: OnceLock<Vec<u8>> = OnceLock::new();
    SNAPSHOT.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("default.firmament");
        firmament::index::from_jsonl(&records(), &path).expect("valid records");
        std::fs::read(path).expect("the snapshot just built")
    })
}

/// Everything a test may want to change before its server starts.
pub struct Setup {
    folder: tempfile::TempDir,
    key_file: KeyFile,
    key: ApiKey,
    /// The server's configuration; addresses are free loopback ports.
    pub config: ServerConfig,
}

impl Setup {
    /// One key without a quota, two workers, the default collection.
    pub fn new() -> Setup {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let snapshot = folder.path().join("current.firmament");
        publish(default_snapshot(), &snapshot);
        let mut config = ServerConfig::new(snapshot, folder.path().join("keys.json"));
        config.listen = SocketAddr::from(([127, 0, 0, 1], 0));
        config.admin = Some(config.listen);
        config.workers = 2;
        let mut key_file = KeyFile::default();
        let key = key_file.add("test", None, None).expect("a first key");
        Setup { folder, key_file, key, config }
    }

    /// The sample collection in place of the default one.
    pub fn of_sample() -> Setup {
        let mut setup = Setup::new();
        let built = firmament::demo::build_sample(setup.folder.path());
        setup.config.snapshot = built.expect("the sample is valid");
        setup
    }

    /// One more key, which is returned.
    pub fn add_key(
        &mut self,
        name: &str,
        quota: Option<(f64, u64)>,
        expires: Option<&str>,
    ) -> String {
        let quota =
            quota.map(|(rate, burst)| QuotaRule::new(rate, Some(burst)).expect("a valid rule"));
        let expires = expires.map(|text| Expiry::parse(text).expect("a valid date"));
        let key = self.key_file.add(name, quota, expires).expect("a new name");
        key.expose().to_owned()
    }

    /// Starts the server and waits until its snapshot is open.
    pub fn start(self) -> TestServer {
        let mut server = self.start_unready();
        server.server.as_mut().expect("running").wait_until_ready().expect("the snapshot opens");
        server
    }

    /// Starts a server that many tests ask. What is `static` is never dropped, so its files go at
    /// once: a server keeps the snapshot and the keys that it has read.
    pub fn start_shared(self) -> TestServer {
        let mut server = self.start();
        server.folder = None;
        server
    }

    /// Starts the server and does not wait.
    pub fn start_unready(self) -> TestServer {
        self.write_keys();
        let key = self.key.expose().to_owned();
        let snapshot = self.config.snapshot.clone();
        let keys = self.config.keys.clone();
        let server = Server::start(self.config).expect("the server starts");
        TestServer { server: Some(server), snapshot, keys, key, folder: Some(self.folder) }
    }

    /// Writes the key file, for tests that start a process instead of a server.
    pub fn write_keys(&self) {
        self.key_file.save(&self.config.keys).expect("a writable folder");
    }

    /// The key, for tests that start a process instead of a server.
    pub fn key(&self) -> &str {
        self.key.expose()
    }
}

/// Replaces a file by rename, as snapshots are published.
fn publish(bytes: &[u8], path: &Path) {
    let temporary = path.with_extension("next");
    std::fs::write(&temporary, bytes).expect("a writable folder");
    std::fs::rename(&temporary, path).expect("one file system");
}

/// A server for most tests: one key without a quota.
pub fn test_server() -> TestServer {
    Setup::new().start()
}

/// A running server; it ends with the test.
pub struct TestServer {
    server: Option<Server>,
    pub snapshot: PathBuf,
    pub keys: PathBuf,
    /// A key without a quota.
    pub key: String,
    folder: Option<tempfile::TempDir>,
}

impl TestServer {
    pub fn address(&self) -> SocketAddr {
        self.server.as_ref().expect("running").address()
    }

    pub fn admin_address(&self) -> SocketAddr {
        self.server.as_ref().expect("running").admin_address().expect("an admin address")
    }

    pub fn connect(&self) -> Client {
        Client::connect(self.address())
    }

    /// `GET` of a target with the server's own key, on a connection of its own.
    pub fn get(&self, target: &str) -> Response {
        self.get_with(target, &[])
    }

    /// The same with more headers.
    pub fn get_with(&self, target: &str, headers: &[(&str, &str)]) -> Response {
        let mut all = vec![("X-API-Key", self.key.as_str())];
        all.extend(headers);
        self.request("GET", target, &all)
    }

    /// `GET` with another key.
    pub fn get_as(&self, key: &str, target: &str) -> Response {
        self.request("GET", target, &[("X-API-Key", key)])
    }

    /// Any method, only the headers given and `Host`.
    pub fn request(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> Response {
        let mut client = self.connect();
        client.send(&request(method, target, headers));
        client.response_to(method)
    }

    /// A request to the admin address.
    pub fn admin(&self, method: &str, target: &str) -> Response {
        let mut client = Client::connect(self.admin_address());
        client.send(&request(method, target, &[]));
        client.response_to(method)
    }

    /// The value of one line of `/metrics`.
    pub fn metric(&self, series: &str) -> f64 {
        let text = self.admin("GET", "/metrics").text();
        let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("{series} is not in\n{text}")).parse().expect("a number")
    }

    /// Publishes another collection under the same path, without a reload.
    pub fn replace_snapshot(&self, jsonl: &str) {
        self.replace_snapshot_built_at(0, jsonl);
    }

    /// [`replace_snapshot`](Self::replace_snapshot) with a time of the build.
    pub fn replace_snapshot_built_at(&self, built_at: u64, jsonl: &str) {
        let next = self.snapshot.with_extension("built");
        let read = ReadOptions { format: Some(Format::JsonLines), ..ReadOptions::default() };
        let options = BuildOptions { read, built_at: Some(built_at), ..BuildOptions::default() };
        let input = Input::Memory(jsonl.as_bytes().to_vec());
        index::build(&[input], &next, &options, &NoProgress).expect("valid records");
        std::fs::rename(&next, &self.snapshot).expect("one file system");
    }

    /// Stops gracefully, in the background.
    pub fn stop(mut self) -> std::thread::JoinHandle<()> {
        let server = self.server.take().expect("running");
        std::thread::spawn(move || {
            server.stop();
            drop(self);
        })
    }
}

/// The bytes of a request with `Host` and the given headers.
pub fn request(method: &str, target: &str, headers: &[(&str, &str)]) -> Vec<u8> {
    let lines: String =
        headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n").into_bytes()
}

/// One connection.
pub struct Client {
    socket: TcpStream,
    received: Vec<u8>,
}

impl Client {
    pub fn connect(address: SocketAddr) -> Client {
        let socket = TcpStream::connect_timeout(&address, PATIENCE).expect("a listening server");
        socket.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        socket.set_write_timeout(Some(PATIENCE)).expect("a timeout");
        socket.set_nodelay(true).expect("no delay");
        Client { socket, received: Vec::new() }
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.socket.write_all(bytes).expect("an open connection");
    }

    /// Sends as much as the server takes; a refusal ends it early.
    pub fn send_or_fail(&mut self, bytes: &[u8]) {
        let _ = self.socket.write_all(bytes);
    }

    /// Ends the sending side.
    pub fn finish_sending(&self) {
        self.socket.shutdown(Shutdown::Write).expect("an open connection");
    }

    pub fn socket(&self) -> &TcpStream {
        &self.socket
    }

    /// The next response, to a request whose answer has a body.
    pub fn response(&mut self) -> Response {
        self.response_to("GET")
    }

    /// The next response to a request with this method.
    pub fn response_to(&mut self, method: &str) -> Response {
        let head_len = loop {
            if let Some(at) = self.received.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break at + 4;
            }
            assert!(self.receive() > 0, "closed before a response: {:?}", self.shown());
        };
        let head: Vec<u8> = self.received.drain(..head_len).collect();
        let mut response = Response::parse_head(&head);
        let body_len = match response.header("content-length") {
            Some(len) if method != "HEAD" && response.status != 304 => {
                len.parse().expect("a length")
            }
            _ => 0,
        };
        while self.received.len() < body_len {
            assert!(self.receive() > 0, "closed within a body");
        }
        response.body = self.received.drain(..body_len).collect();
        response
    }

    /// Reads until the server closes. A reset counts as a close.
    pub fn read_to_close(&mut self) -> Vec<u8> {
        let started = Instant::now();
        while self.receive() > 0 {
            assert!(started.elapsed() < PATIENCE, "the server does not close");
        }
        std::mem::take(&mut self.received)
    }

    /// Whether the server has closed, without more bytes, within the patience of a test.
    pub fn is_closed(&mut self) -> bool {
        self.received.is_empty() && self.receive() == 0
    }

    fn receive(&mut self) -> usize {
        let mut bytes = [0; 16 << 10];
        match self.socket.read(&mut bytes) {
            Ok(len) => {
                self.received.extend(&bytes[..len]);
                len
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) =>
            {
                0
            }
            Err(error) => panic!("nothing received in time: {error}"),
        }
    }

    fn shown(&self) -> String {
        String::from_utf8_lossy(&self.received).into_owned()
    }
}

/// One response.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Response {
    fn parse_head(head: &[u8]) -> Response {
        let head = std::str::from_utf8(head).expect("ASCII");
        let mut lines = head.trim_end().split("\r\n");
        let status_line = lines.next().expect("a status line");
        assert!(status_line.starts_with("HTTP/1."), "{status_line}");
        let status = status_line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(':').expect("a header line");
            (name.to_ascii_lowercase(), value.trim().to_owned())
        });
        Response { status: status.expect("a status"), headers: headers.collect(), body: Vec::new() }
    }

    /// The value of a header that is given at most once.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(found, _)| found == name);
        let value = values.next().map(|(_, value)| value.as_str());
        assert!(values.next().is_none(), "{name} is given twice");
        value
    }

    pub fn number(&self, header: &str) -> Option<u64> {
        self.header(header).map(|value| value.parse().expect("a number"))
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("UTF-8")
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {:?}", self.text()))
    }

    pub fn ids(&self) -> Vec<String> {
        assert_eq!(self.status, 200, "{}", self.text());
        let json = self.json();
        let results = json["results"].as_array().expect("results");
        results.iter().map(|result| result["id"].as_str().expect("an id").to_owned()).collect()
    }

    pub fn total(&self) -> u64 {
        assert_eq!(self.status, 200, "{}", self.text());
        self.json()["pagination"]["total"].as_u64().expect("a total")
    }

    pub fn next_cursor(&self) -> Option<String> {
        assert_eq!(self.status, 200, "{}", self.text());
        self.json()["pagination"]["next_cursor"].as_str().map(str::to_owned)
    }

    /// Asserts an error in the contract's form: status, code, parameter, and the headers and body
    /// that every error has.
    #[track_caller]
    pub fn assert_error(&self, status: u16, code: &str, param: Option<&str>) {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/json"));
        let json = self.json();
        let keys: Vec<_> = json.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["error"]);
        let error = &json["error"];
        assert_eq!(error.as_object().expect("an object").len(), 4, "{error}");
        assert_eq!(error["code"], code, "{error}");
        assert_eq!(error["param"].as_str(), param, "{error}");
        assert!(error["message"].as_str().is_some_and(|message| message.len() > 20), "{error}");
        let request_id = self.header("x-request-id").expect("a request id");
        assert_eq!(error["request_id"], request_id);
        assert!(self.body.len() <= 1_024, "{}", self.text());
        let order = ["\"code\":", "\"message\":", "\"param\":", "\"request_id\":"];
        let places: Vec<_> = order.iter().map(|key| self.text().find(key)).collect();
        assert!(places.is_sorted() && places[0].is_some(), "{}", self.text());
    }
}

/// Repeats `check` until it holds; fails when patience ends.
#[track_caller]
pub fn eventually(what: &str, mut check: impl FnMut() -> bool) {
    let started = Instant::now();
    while !check() {
        assert!(started.elapsed() < PATIENCE, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
