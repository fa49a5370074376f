//! The pool: a few threads of low priority that answer expensive requests, so that no request
//! holds a worker and the connections beside it.
//!
//! In: jobs, each a search over a snapshot that it holds on to. Out: what a job comes to, through a
//! channel of its own. The operating system divides the cores: threads of the pool get what workers
//! leave. The queue is bounded; what finds it full is refused. Jobs run in the order in which they
//! came; a job whose caller has gone away before its turn is dropped.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

use super::metrics::Metrics;
use super::server::spawn;

/// Jobs that wait for each thread. At 20 ms each, the last one waits for half a second, and who is
/// refused comes back after one.
const WAITING_PER_THREAD: usize = 32;

/// How much lower the priority is: a thread of the pool gets a tenth of what a busy worker on the
/// same core gets.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

type Job = Box<dyn FnOnce() + Send>;

/// The way into the pool. The threads end when no way in is left.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    jobs: SyncSender<Job>,
    metrics: Arc<Metrics>,
}

impl Pool {
    /// Starts `threads` threads.
    pub(super) fn start(threads: usize, metrics: Arc<Metrics>) -> io::Result<Pool> {
        let (jobs, waiting) = sync_channel(threads * WAITING_PER_THREAD);
        let waiting = Arc::new(Mutex::new(waiting));
        for number in 0..threads {
            let waiting = Arc::clone(&waiting);
            spawn(&format!("pool-{number}"), move || run(&waiting))?;
        }
        Ok(Pool { jobs, metrics })
    }

    /// Has `work` done in its turn; none if too much waits already. Nothing comes back if the pool
    /// ends before. A panic in `work` ends its thread.
    pub(super) fn submit<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<oneshot::Receiver<T>> {
        let (result, receiver) = oneshot::channel();
        let turn = Waiting::new(Arc::clone(&self.metrics));
        let job = Box::new(move || {
            let metrics = turn.end();
            if !result.is_closed() {
                metrics.pool_answered.inc();
                // The caller may have gone away meanwhile.
                let _ = result.send(work());
            }
        });
        match self.jobs.try_send(job) {
            Ok(()) => Some(receiver),
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => None,
        }
    }
}

/// Counts one job as long as it waits.
struct Waiting(Arc<Metrics>);

impl Waiting {
    fn new(metrics: Arc<Metrics>) -> Waiting {
        metrics.pool_waiting.inc();
        Waiting(metrics)
    }

    fn end(self) -> Arc<Metrics> {
        Arc::clone(&self.0)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.pool_waiting.dec();
    }
}

/// Does jobs until no more can come.
fn run(jobs: &Mutex<Receiver<Job>>) {
    // Where the system refuses, jobs are done at the usual priority. On other systems the call
    // would be about the whole process.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, NICENESS);
    loop {
        // In a statement of its own: the lock is not held while the job is done.
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match job {
            Ok(job) => job(),
            Err(_) => return,
        }
    }
}
