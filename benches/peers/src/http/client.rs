//! A client that asks one server over some connections, all on the calling thread.
//!
//! A connection has one request under way: the next one is sent when the answer is there. Requests
//! are taken from the file in its order by whichever connection is free, from the beginning again
//! after the last.

use crate::Result;
use crate::workload::{self, Request};
use std::cell::Cell;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;

/// Most headers of an answer.
const HEADERS_MAX: usize = 32;

/// How long a server may take beyond the time that it is asked for, and for the whole file besides
/// a hundredth of a second a request, before it counts as hanging.
const LATE_MAX: Duration = Duration::from_secs(30);

/// Requests as they are sent.
pub struct Load {
    requests: Vec<Vec<u8>>,
}

impl Load {
    /// The requests of a [workload].
    pub fn read(path: &Path, key: &str) -> Result<Load> {
        let request = |Request { query_string, .. }| {
            format!(
                "GET /v1/search?{query_string} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {key}\r\n\r\n"
            )
            .into_bytes()
        };
        let requests: Vec<Vec<u8>> = workload::read(path)?.into_iter().map(request).collect();
        if requests.is_empty() {
            return Err(format!("{} is empty", path.display()).into());
        }
        Ok(Load { requests })
    }
}

/// Asks servers.
pub struct Client<'l> {
    load: &'l Load,
    connections: usize,
    runtime: Runtime,
}

impl<'l> Client<'l> {
    pub fn new(load: &'l Load, connections: usize) -> Result<Client<'l>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(Client { load, connections, runtime })
    }

    /// Sends every request once.
    pub fn ask_once(&self, server: SocketAddr) -> Result<()> {
        let count = self.load.requests.len();
        self.ask(server, |sent| sent < count, Duration::from_millis(10) * count as u32).map(|_| ())
    }

    /// Sends requests for some time, waits for the last answers, and returns how many there were.
    pub fn ask_for(&self, server: SocketAddr, time: Duration) -> Result<usize> {
        let end = Instant::now() + time;
        self.ask(server, |_| Instant::now() < end, time)
    }

    /// Sends requests while `goes_on`, by how many were sent, which is expected to take `time` at
    /// most, and returns how many were.
    fn ask(
        &self,
        server: SocketAddr,
        goes_on: impl Fn(usize) -> bool,
        time: Duration,
    ) -> Result<usize> {
        let sent = Cell::new(0);
        let connection = || async {
            let mut connection = Connection::open(server).await?;
            while goes_on(sent.get()) {
                let at = sent.replace(sent.get() + 1) % self.load.requests.len();
                let request = &self.load.requests[at];
                connection.ask(request).await.map_err(|error| {
                    let line = request.split(|&byte| byte == b'\r').next().unwrap_or_default();
                    format!("{}: {error}", String::from_utf8_lossy(line))
                })?;
            }
            Ok::<(), Box<dyn std::error::Error>>(())
        };
        // What borrows from here cannot be spawned, but joined.
        let all = futures_util::future::try_join_all((0..self.connections).map(|_| connection()));
        let answered = async { tokio::time::timeout(time + LATE_MAX, all).await };
        self.runtime.block_on(answered).map_err(|_| "a server has not answered in time")??;
        Ok(sent.get())
    }
}

/// One connection.
struct Connection {
    socket: TcpStream,
    received: Vec<u8>,
}

impl Connection {
    async fn open(server: SocketAddr) -> Result<Connection> {
        let socket = TcpStream::connect(server).await?;
        socket.set_nodelay(true)?;
        Ok(Connection { socket, received: Vec::with_capacity(1 << 16) })
    }

    /// Sends a request and waits for the whole answer, which has to be 200.
    async fn ask(&mut self, request: &[u8]) -> Result<()> {
        self.socket.write_all(request).await?;
        self.received.clear();
        let mut len = None;
        while len.is_none_or(|len| self.received.len() < len) {
            if self.socket.read_buf(&mut self.received).await? == 0 {
                return Err("the connection ended before the answer did".into());
            }
            if len.is_none() {
                len = answer_len(&self.received)?;
            }
        }
        if len == Some(self.received.len()) {
            Ok(())
        } else {
            Err("more than an answer came".into())
        }
    }
}

/// The bytes of the answer that begins like this, head and body, if its head is complete.
fn answer_len(received: &[u8]) -> Result<Option<usize>> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut head = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(head_len) = head.parse(received)? else {
        return Ok(None);
    };
    if head.code != Some(200) {
        let said = String::from_utf8_lossy(&received[head_len..]);
        return Err(format!("answered {}: {said}", head.code.unwrap_or_default()).into());
    }
    let len = head.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-length"));
    let len = len.ok_or("an answer does not tell its length")?;
    Ok(Some(head_len + std::str::from_utf8(len.value)?.parse::<usize>()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use firmament::auth::KeyFile;
    use firmament::http::{Server, ServerConfig};

    /// Sends the requests of a file with these lines to a server of one business.
    fn asked(lines: &str) -> Result<()> {
        let folder = tempfile::tempdir()?;
        let [workload, snapshot, keys] =
            ["load.tsv", "one.firmament", "keys.json"].map(|name| folder.path().join(name));
        std::fs::write(&workload, lines)?;
        firmament::index::from_jsonl(r#"{"id":"a","name":"Acme Anvils Inc"}"#, &snapshot)?;
        let key = KeyFile::update(&keys, |file| file.add("load", None, None))?;
        let config = ServerConfig {
            listen: ([127, 0, 0, 1], 0).into(),
            admin: None,
            workers: 1,
            ..ServerConfig::new(snapshot, keys)
        };
        let mut server = Server::start(config)?;
        server.wait_until_ready()?;
        let load = Load::read(&workload, key.expose())?;
        let result = Client::new(&load, 3)?.ask_once(server.address());
        server.stop();
        result
    }

    #[test]
    fn every_request_is_answered_with_a_page() {
        asked("name\tq=acme\nall\t\nnone\tq=nobody\nname\tq=anvils&limit=1\n").unwrap();
        let error = asked("name\tq=acme\nbad\tlimt=5\n").unwrap_err().to_string();
        assert!(error.contains("limt=5") && error.contains("unknown_parameter"), "{error}");
        for bad in ["", "no tab\n"] {
            assert!(asked(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn answers_end_where_they_say() {
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
        for len in 0..answer.len() - 5 {
            assert_eq!(answer_len(&answer[..len]).unwrap(), None);
        }
        assert_eq!(answer_len(&answer[..answer.len() - 5]).unwrap(), Some(answer.len()));
        assert_eq!(answer_len(answer).unwrap(), Some(answer.len()));
    }

    #[test]
    fn what_is_no_page_is_an_error() {
        for bad in [
            &b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\n{}"[..],
            b"HTTP/1.1 200 OK\r\n\r\n",
            b"HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n",
            b"SSH-2.0\r\n\r\n",
        ] {
            assert!(answer_len(bad).is_err(), "{}", String::from_utf8_lossy(bad));
        }
    }
}
