//! One thread, one runtime, one listener: accepting connections, and ending them in good order.
//!
//! Workers share nothing that is written per request but the quotas of keys. A worker's futures
//! stay on its thread, so they hold `Rc`s and plain cells.

use std::cell::Cell;
use std::io;
use std::net::TcpListener;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::server::conn::http1;
use tokio::net::TcpStream;
use tokio::sync::{Notify, watch};

use super::answer::Answerer;
use super::connection;
use super::log;
use super::metrics::Metrics;
use super::shutdown::{Phase, reached};
use super::stream::{READ_BUFFER_BYTES, ReadBuffer};
use super::write_batching::Outbox;

/// How long to wait after an error of `accept`: most often there are no descriptors left, and
/// trying at once would only burn the time in which some may be freed.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How long a stopping worker still takes what is on its way: connections in the backlog and
/// requests on idle connections. They are answered with `Connection: close`.
const DRAIN_GRACE: Duration = Duration::from_millis(100);

/// How often an idle worker lets go of old keys and snapshots.
const HOUSEKEEPING_INTERVAL: Duration = Duration::from_secs(1);

/// Limits of one worker.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Open connections of the process beyond which requests are answered 503; at twice as many
    /// a connection is closed at once.
    pub(super) connections: usize,
    pub(super) head_timeout: Duration,
    /// Time from the request to stop to the end of the last connection.
    pub(super) stop_timeout: Duration,
}

/// What the connections of one thread share.
pub(super) struct Worker {
    pub(super) answerer: Answerer,
    pub(super) read_buffer: ReadBuffer,
    pub(super) outbox: Rc<Outbox>,
    pub(super) http_settings: http1::Builder,
    metrics: Arc<Metrics>,
    limits: Limits,
    draining: Cell<bool>,
    closing: Cell<bool>,
    closing_began: Notify,
    open: Cell<usize>,
    all_closed: Notify,
}

impl Worker {
    pub(super) fn new(answerer: Answerer, limits: Limits) -> Worker {
        Worker {
            metrics: Arc::clone(&answerer.metrics),
            answerer,
            read_buffer: Rc::new(vec![0; READ_BUFFER_BYTES].into_boxed_slice().into()),
            outbox: Rc::new(Outbox::new()),
            http_settings: connection::http_settings(limits.head_timeout),
            limits,
            draining: Cell::new(false),
            closing: Cell::new(false),
            closing_began: Notify::new(),
            open: Cell::new(0),
            all_closed: Notify::new(),
        }
    }

    /// Whether each connection ends with its next answer.
    pub(super) fn is_draining(&self) -> bool {
        self.draining.get()
    }

    /// Resolves when idle connections are to be closed.
    pub(super) async fn closing(&self) {
        if !self.closing.get() {
            self.closing_began.notified().await;
        }
    }

    /// Serves `listener` until the server stops. Needs the local runtime of its thread around it.
    pub(super) async fn run(
        self: Rc<Self>,
        listener: TcpListener,
        mut phase: watch::Receiver<Phase>,
    ) -> io::Result<()> {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        tokio::select! {
            never = self.accept(&listener) => match never {},
            () = reached(&mut phase, Phase::Draining) => {}
        }
        let deadline = Instant::now() + self.limits.stop_timeout;
        self.draining.set(true);
        tokio::select! {
            never = self.accept(&listener) => match never {},
            () = tokio::time::sleep(DRAIN_GRACE) => {}
            () = reached(&mut phase, Phase::Ended) => {}
        }
        drop(listener);
        self.closing.set(true);
        self.closing_began.notify_waiters();
        tokio::select! {
            () = self.wait_until_closed() => {}
            () = tokio::time::sleep_until(deadline.into()) => {}
            () = reached(&mut phase, Phase::Ended) => {}
        }
        Ok(())
    }

    /// Accepts for ever. Never returns an error: a server out of descriptors must recover.
    async fn accept(
        self: &Rc<Self>,
        listener: &tokio::net::TcpListener,
    ) -> std::convert::Infallible {
        let mut housekeeping = tokio::time::interval(HOUSEKEEPING_INTERVAL);
        let mut last_logged: Option<Instant> = None;
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = housekeeping.tick() => {
                    self.answerer.let_go_of_old();
                    continue;
                }
            };
            match accepted {
                Ok((socket, _)) => self.admit(socket),
                Err(error) => {
                    self.metrics.accept_errors.inc();
                    if last_logged.is_none_or(|at| at.elapsed() > HOUSEKEEPING_INTERVAL) {
                        log::line(format_args!(
                            "cannot accept connections: {error}; if files are short, raise \
                                `ulimit -n`"
                        ));
                        last_logged = Some(Instant::now());
                    }
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    /// Counts a connection in and serves it, or closes it.
    fn admit(self: &Rc<Self>, socket: TcpStream) {
        let open = OpenConnection::new(Rc::clone(self));
        self.metrics.connections_accepted.inc();
        if open.number > self.limits.connections.saturating_mul(2) {
            self.metrics.connections_refused.inc();
            return;
        }
        let overloaded = open.number > self.limits.connections;
        tokio::task::spawn_local(async move {
            connection::serve(socket, Rc::clone(&open.worker), overloaded).await;
        });
    }

    async fn wait_until_closed(&self) {
        while self.open.get() > 0 {
            self.all_closed.notified().await;
        }
    }
}

/// Counts one connection as long as it lives.
struct OpenConnection {
    worker: Rc<Worker>,
    /// How many the process had open with this one.
    number: usize,
}

impl OpenConnection {
    fn new(worker: Rc<Worker>) -> OpenConnection {
        worker.open.set(worker.open.get() + 1);
        let number = worker.metrics.connections.inc() as usize + 1;
        OpenConnection { worker, number }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.worker.metrics.connections.dec();
        self.worker.open.set(self.worker.open.get() - 1);
        if self.worker.open.get() == 0 {
            self.worker.all_closed.notify_one();
        }
    }
}
