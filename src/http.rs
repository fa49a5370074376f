//! The server: HTTP/1.1 around [`crate::query::page::search`]. The only place that names hyper or
//! tokio.
//!
//! In: a [`ServerConfig`]. Out: a running [`Server`], answering search, businesses by id and what
//! is served on one address and the requests of operators on another. TLS and HTTP/2 end at the
//! proxy in front.
//!
//! Threads: one per worker (own listener, own single-threaded runtime, own scratch memory; nothing
//! is shared that a request writes but the quota of its key), as many of low priority for expensive
//! requests, one for the admin address, one that opens snapshots, one that follows the key file,
//! and the caller's, which waits for signals.
//!
//! A request's way: `worker` accepts, `connection` lets hyper read the head, `answer` runs the
//! checks (`head_check`, then key and quota), `prepare` finds the `operation`, reads its
//! parameters (`params`), picks the snapshot and compares the entity tag (`conditional`), then the
//! work is done, by the worker or, if it is expensive, by the `pool`, and `respond` writes the
//! answer; under load it waits for those beside it (`write_batching`).
//!
//! Rules that hold throughout: bodies are never read; a panic ends one request, not the process;
//! every wait has an end; text of callers is escaped before it reaches a log line.
//!
//! Sources: RFC 9110 (semantics), RFC 9112 (HTTP/1.1), RFC 3986 (targets and hosts); the open
//! points are settled by the search contract.

mod admin;
mod answer;
mod clock;
mod conditional;
mod connection;
mod cors;
mod escaped;
mod head_check;
mod head_scan;
mod key_watch;
mod listener;
mod log;
mod metrics;
mod openapi;
mod operation;
mod page;
mod params;
mod pool;
mod prepare;
mod published;
mod reload;
mod request_id;
mod respond;
mod server;
mod shutdown;
mod snapshots;
mod stream;
mod timer;
mod worker;
mod write_batching;

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::auth::KeyFileError;
pub use crate::http::cors::{NoOrigin, Origins};
pub use crate::http::openapi::openapi;
pub use crate::http::params::{QueryStringError, parse_query_string};
pub use crate::http::server::Server;
use crate::query::page::{Page, Scratch};
use crate::query::request::Query;
use crate::query::session::cost::TooExpensive;
use crate::snapshot::Snapshot;
use crate::snapshot::file::error::SnapshotError;

/// The engine under the server: this crate's, except in tests of how its failures are handled.
#[derive(Clone, Copy, Debug)]
pub struct Engine {
    /// Opens a snapshot: [`Snapshot::open`].
    pub open: fn(&Path) -> Result<Snapshot, SnapshotError>,
    /// Answers a query: [`crate::query::page::search_within`].
    pub search: SearchFn,
}

/// What [`crate::query::page::search_within`] is.
pub type SearchFn = fn(&Snapshot, &Query, u64, &mut Scratch) -> Result<Page, TooExpensive>;

impl Default for Engine {
    fn default() -> Engine {
        Engine { open: Snapshot::open, search: crate::query::page::search_within }
    }
}

/// What browsers get without a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PageOption {
    /// What anybody gets: an error.
    Off,
    /// A page that asks for a key.
    On,
    /// A page that knows this key, which everybody may know.
    WithKey(String),
}

/// Everything that a server can be told.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// The snapshot file. A reload opens the same path again.
    pub snapshot: PathBuf,
    /// The key file.
    pub keys: PathBuf,
    /// Where to serve searches; port 0 takes any free port.
    pub listen: SocketAddr,
    /// Where to serve probes, metrics and reload, if anywhere.
    pub admin: Option<SocketAddr>,
    /// Threads that serve searches, at least one.
    pub workers: usize,
    /// Open connections beyond which requests are answered 503; twice as many are closed at once.
    pub max_connections: usize,
    /// How many earlier snapshots stay open for walks in progress.
    pub keep_snapshots: usize,
    /// How long they do.
    pub keep_snapshots_for: Duration,
    /// Longest wait for a complete request head; also the idle limit of a connection.
    pub head_timeout: Duration,
    /// Longest wait for a peer to take bytes of an answer.
    pub write_timeout: Duration,
    /// Longest time between the request to stop and the end of the last connection.
    pub stop_timeout: Duration,
    /// The most postings and tokens that a request may read, by an estimate that is made before;
    /// none for any number.
    pub query_budget: Option<u64>,
    /// Whether to log every request.
    pub access_log: bool,
    /// Whose scripts may ask, if not only pages of the same origin.
    pub cors: Option<Origins>,
    /// Whether browsers get a page that searches, and with which key.
    pub page: PageOption,
    /// The engine.
    pub engine: Engine,
}

impl ServerConfig {
    /// The defaults: loopback addresses, one worker per core, no access log.
    #[must_use]
    pub fn new(snapshot: PathBuf, keys: PathBuf) -> ServerConfig {
        let head_timeout = Duration::from_secs(10);
        ServerConfig {
            snapshot,
            keys,
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            admin: Some(SocketAddr::from(([127, 0, 0, 1], 9090))),
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            max_connections: 10_000,
            keep_snapshots: 2,
            keep_snapshots_for: Duration::from_secs(60 * 60),
            head_timeout,
            write_timeout: Duration::from_secs(10),
            // A head that has begun to arrive may take its time-out; its answer gets a second.
            stop_timeout: head_timeout + Duration::from_secs(1),
            query_budget: None,
            access_log: false,
            cors: None,
            page: PageOption::Off,
            engine: Engine::default(),
        }
    }
}

/// Why a server did not start, or stopped by itself.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The key file cannot be used.
    #[error(transparent)]
    Keys(#[from] KeyFileError),
    /// An address cannot be listened on.
    #[error(
        "cannot listen on {address}: {source}; choose another address, or stop the server that \
            uses it"
    )]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the operating system said.
        source: io::Error,
    },
    /// The first snapshot cannot be opened. The text is that of the snapshot's error.
    #[error("{0}")]
    Snapshot(String),
    /// The operating system refused a thread, a runtime or a signal handler.
    #[error("cannot start: {0}; raise the limits of the process")]
    System(#[from] io::Error),
    /// The operating system has no random bytes.
    #[error("the operating system gave no random bytes: {0}; try again")]
    Random(String),
    /// All threads that serve searches have ended, without having been asked to.
    #[error(
        "no worker is left that serves searches; the lines before say why; start the server again"
    )]
    NoWorkers,
}

/// Starts a server and runs it until a signal stops it.
///
/// # Errors
/// [`ServeError`], if it cannot start or its snapshot cannot be opened.
pub fn serve(config: ServerConfig) -> Result<(), ServeError> {
    Server::start(config)?.run(drop)
}

/// Replaces the panic message by one line that says where, never what: the payload may hold what
/// a caller sent. For programs, once; a library must not change it unasked.
pub fn install_panic_hook() {
    std::panic::set_hook(Box::new(|panic| match panic.location() {
        Some(at) => log::line(format_args!("panic at {}:{}:{}", at.file(), at.line(), at.column())),
        None => log::line(format_args!("panic")),
    }));
}
