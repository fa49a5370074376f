//! Starting, running and stopping a whole server: its threads and what connects them.

use std::cell::RefCell;
use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use tokio::runtime::{Builder, LocalOptions, Runtime};
use tokio::sync::watch;

use super::admin::Admin;
use super::answer::Answerer;
use super::clock::Clock;
use super::cors::Cors;
use super::key_watch::KeyWatch;
use super::metrics::Metrics;
use super::page::Page;
use super::pool::Pool;
use super::published::Published;
use super::reload::{LoadRequest, LoadResult, Loaded, Loader};
use super::request_id::RequestIds;
use super::shutdown::{Phase, Request, Shutdown, Signals};
use super::snapshots::{Retention, SnapshotSet};
use super::worker::{Limits, Worker};
use super::{Engine, PageOption, ServeError, ServerConfig, listener, log};
use crate::auth::KeyTable;
use crate::query::page::Scratch;

/// Fewest threads for expensive requests: one that takes seconds does not hold up all others.
const POOL_THREADS_MIN: usize = 2;

/// A running server. Dropping it ends it without waiting for connections.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    admin_address: Option<SocketAddr>,
    shutdown: Shutdown,
    loads: mpsc::Sender<LoadRequest>,
    first_load: watch::Receiver<Option<LoadResult>>,
    /// Closed when the last worker has ended.
    workers_running: tokio::sync::mpsc::Receiver<Infallible>,
    worker_threads: Vec<JoinHandle<()>>,
    admin_thread: Option<JoinHandle<()>>,
    /// Dropped to end the thread that follows the key file.
    _key_watch: mpsc::Sender<()>,
    /// For waiting on the caller's thread.
    runtime: Runtime,
}

impl Server {
    /// Reads the keys, binds the addresses, starts all threads. The snapshot is opened meanwhile;
    /// until it is, searches are answered 503 `not_ready`.
    ///
    /// # Errors
    /// [`ServeError`], except that of the snapshot.
    pub fn start(config: ServerConfig) -> Result<Server, ServeError> {
        let clock = Clock::start();
        let snapshots = Arc::new(Published::new(SnapshotSet::empty()));
        let metrics = Arc::new(Metrics::new(Arc::clone(&snapshots)));
        let key_watch = KeyWatch::new(config.keys.clone(), Arc::clone(&metrics), clock)?;
        let keys = key_watch.keys();

        let worker_count = config.workers.max(1);
        let listen = |address, count| {
            listener::bind(address, count, config.write_timeout)
                .map_err(|source| ServeError::Listen { address, source })
        };
        let listeners = listen(config.listen, worker_count)?;
        let admin_listener = match config.admin {
            Some(address) => listen(address, 1)?.pop(),
            None => None,
        };
        let local_address =
            |listener: Option<&TcpListener>| listener.map(TcpListener::local_addr).transpose();
        let address = local_address(listeners.first())?.unwrap_or(config.listen);
        let admin_address = local_address(admin_listener.as_ref())?;

        let shutdown = Shutdown::new();
        let (loads, load_requests) = mpsc::channel();
        let (first_load_sender, first_load) = watch::channel(None);
        let (still_running, workers_running) = tokio::sync::mpsc::channel(1);

        let cors = config.cors.map(|origins| Arc::new(Cors::new(origins)));
        let page = match config.page {
            PageOption::Off => None,
            PageOption::On => Some(Arc::new(Page::new(None))),
            PageOption::WithKey(key) => Some(Arc::new(Page::new(Some(key)))),
        };
        let pool = Pool::start(worker_count.max(POOL_THREADS_MIN), Arc::clone(&metrics))?;
        let mut worker_threads = Vec::with_capacity(worker_count);
        for (number, listener) in listeners.into_iter().enumerate() {
            let worker = WorkerParts {
                keys: Arc::clone(&keys),
                snapshots: Arc::clone(&snapshots),
                metrics: Arc::clone(&metrics),
                clock,
                request_ids: RequestIds::new()
                    .map_err(|error| ServeError::Random(error.to_string()))?,
                engine: config.engine,
                pool: pool.clone(),
                budget: config.query_budget.unwrap_or(u64::MAX),
                access_log: config.access_log,
                cors: cors.clone(),
                page: page.clone(),
                limits: Limits {
                    connections: config.max_connections,
                    head_timeout: config.head_timeout,
                    stop_timeout: config.stop_timeout,
                },
            };
            let (phase, still_running) = (shutdown.subscribe(), still_running.clone());
            worker_threads.push(spawn_runtime(&format!("worker-{number}"), move || async move {
                let result = Rc::new(worker.assemble()).run(listener, phase).await;
                drop(still_running);
                result
            })?);
        }

        let admin_thread = match admin_listener {
            Some(listener) => {
                let admin = Admin {
                    metrics: Arc::clone(&metrics),
                    snapshots: Arc::clone(&snapshots),
                    loads: loads.clone(),
                    phase: shutdown.subscribe(),
                    head_timeout: config.head_timeout,
                };
                Some(spawn_runtime("admin", move || admin.run(listener))?)
            }
            None => None,
        };

        let (key_watch_sender, key_watch_stop) = mpsc::channel();
        spawn("keys", move || key_watch.run(&key_watch_stop))?;

        let loader = Loader {
            path: config.snapshot,
            open: config.engine.open,
            retention: Retention { count: config.keep_snapshots, age: config.keep_snapshots_for },
            snapshots,
            metrics,
            requests: load_requests,
        };
        spawn("snapshots", move || loader.run(&first_load_sender))?;

        Ok(Server {
            address,
            admin_address,
            shutdown,
            loads,
            first_load,
            workers_running,
            worker_threads,
            admin_thread,
            _key_watch: key_watch_sender,
            runtime: Builder::new_current_thread().enable_all().build()?,
        })
    }

    /// Where searches are served.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where probes and metrics are served.
    #[must_use]
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin_address
    }

    /// Waits until the first snapshot is open.
    ///
    /// # Errors
    /// [`ServeError::Snapshot`] if it cannot be opened.
    pub fn wait_until_ready(&mut self) -> Result<(), ServeError> {
        self.runtime.block_on(first_loaded(&mut self.first_load)).map(drop)
    }

    /// Opens the snapshot file again, in the background. A file that does not open changes
    /// nothing; the log and the metrics tell.
    pub fn reload(&self) {
        // The thread is gone only if the first load failed, which `run` reports.
        let _ = self.loads.send(LoadRequest { reply: None });
    }

    /// Runs until `SIGTERM` or `SIGINT`, then stops gracefully; a second signal stops at once.
    /// `SIGHUP` reloads the snapshot. Once the first snapshot is open, and signals are listened
    /// to, one log line says so, and `on_ready` gets the address.
    ///
    /// # Errors
    /// [`ServeError::Snapshot`] if the first snapshot cannot be opened; [`ServeError::NoWorkers`]
    /// if the workers end by themselves.
    pub fn run(mut self, on_ready: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
        let mut on_ready = Some(on_ready);
        let start_message = StartMessage {
            address: self.address,
            admin_address: self.admin_address,
            workers: self.worker_threads.len(),
        };
        // Taken apart for the borrow checker: the runtime waits for the rest of the server.
        let Server { runtime, first_load, workers_running, shutdown, loads, .. } = &mut self;
        runtime.block_on(async {
            let mut signals = Signals::listen()?;
            loop {
                tokio::select! {
                    request = signals.next() => match request {
                        Request::Stop => break,
                        Request::Reload => {
                            let _ = loads.send(LoadRequest { reply: None });
                        }
                    },
                    first = first_loaded(first_load), if on_ready.is_some() => {
                        start_message.log(&first?);
                        if let Some(on_ready) = on_ready.take() {
                            on_ready(start_message.address);
                        }
                    }
                    _ = workers_running.recv() => return Err(ServeError::NoWorkers),
                }
            }
            log::line(format_args!("stopping; a second signal stops at once"));
            shutdown.advance(Phase::Draining);
            loop {
                tokio::select! {
                    _ = workers_running.recv() => break,
                    request = signals.next() => if request == Request::Stop { break },
                }
            }
            Ok(())
        })
    }

    /// Stops gracefully and waits until that is done.
    pub fn stop(mut self) {
        self.shutdown.advance(Phase::Draining);
        self.runtime.block_on(self.workers_running.recv());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shutdown.advance(Phase::Ended);
        // A thread that panicked has said so already. The two background threads are left to
        // end by themselves: one of them may be reading a large file.
        for thread in self.worker_threads.drain(..).chain(self.admin_thread.take()) {
            let _ = thread.join();
        }
    }
}

/// Waits for the outcome of the first load.
async fn first_loaded(
    receiver: &mut watch::Receiver<Option<LoadResult>>,
) -> Result<Loaded, ServeError> {
    match receiver.wait_for(Option::is_some).await.as_deref() {
        Ok(Some(result)) => result.clone().map_err(ServeError::Snapshot),
        _ => Err(ServeError::Snapshot("the thread that opens the snapshot has failed".to_owned())),
    }
}

/// The one line that says that everything is in order.
struct StartMessage {
    address: SocketAddr,
    admin_address: Option<SocketAddr>,
    workers: usize,
}

impl StartMessage {
    fn log(&self, loaded: &Loaded) {
        let admin =
            self.admin_address.map_or_else(|| "off".to_owned(), |address| address.to_string());
        log::line(format_args!(
            "listening on {} (admin {admin}), {} workers; snapshot {} with {} records opened in \
                {:.2} s",
            self.address,
            self.workers,
            loaded.version,
            loaded.records,
            loaded.duration.as_secs_f64()
        ));
    }
}

/// What a worker's thread makes its worker of: the parts that can be sent to it.
struct WorkerParts {
    keys: Arc<Published<KeyTable>>,
    snapshots: Arc<Published<SnapshotSet>>,
    metrics: Arc<Metrics>,
    clock: Clock,
    request_ids: RequestIds,
    engine: Engine,
    pool: Pool,
    budget: u64,
    access_log: bool,
    cors: Option<Arc<Cors>>,
    page: Option<Arc<Page>>,
    limits: Limits,
}

impl WorkerParts {
    fn assemble(self) -> Worker {
        let answerer = Answerer {
            keys: RefCell::new(self.keys.reader()),
            snapshots: RefCell::new(self.snapshots.reader()),
            scratch: RefCell::new(Scratch::default()),
            request_ids: self.request_ids,
            metrics: self.metrics,
            clock: self.clock,
            search: self.engine.search,
            pool: self.pool,
            budget: self.budget,
            access_log: self.access_log,
            cors: self.cors,
            page: self.page,
        };
        Worker::new(answerer, self.limits)
    }
}

pub(super) fn spawn(
    name: &str,
    work: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work)
}

/// A thread with a runtime of its own, on which `work` runs to its end, with the tasks that it
/// spawns.
fn spawn_runtime<F>(
    name: &str,
    work: impl FnOnce() -> F + Send + 'static,
) -> io::Result<JoinHandle<()>>
where
    F: Future<Output = io::Result<()>>,
{
    let thread_name = name.to_owned();
    let (is_built, built) = mpsc::sync_channel(1);
    let thread = spawn(name, move || {
        // Built here: it stays on the thread that builds it, and so may its tasks.
        let options = LocalOptions::default();
        let runtime = match Builder::new_current_thread().enable_all().build_local(options) {
            Ok(runtime) => runtime,
            Err(error) => {
                let _ = is_built.send(Err(error));
                return;
            }
        };
        let _ = is_built.send(Ok(()));
        if let Err(error) = runtime.block_on(work()) {
            log::line(format_args!("{thread_name} ended: {error}"));
        }
    })?;
    built.recv().map_err(io::Error::other)??;
    Ok(thread)
}
