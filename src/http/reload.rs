//! The thread that opens snapshots: at start, on `SIGHUP` and on `POST /-/reload`.
//!
//! One thread, so that there is one load at a time; requests that come meanwhile are all answered
//! by the next one. A candidate that does not open is reported and changes nothing. Between loads
//! the thread drops snapshots whose time is over: unmapping a large one takes milliseconds that
//! no request should pay.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use tokio::sync::{oneshot, watch};

use super::log;
use super::metrics::Metrics;
use super::published::Published;
use super::snapshots::{Retention, SnapshotSet};
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::{Snapshot, SnapshotVersion};

/// How often snapshots are looked through for ones to drop.
const HOUSEKEEPING_INTERVAL: Duration = Duration::from_secs(1);

/// What a load led to.
#[derive(Clone, Debug)]
pub(super) struct Loaded {
    pub(super) version: SnapshotVersion,
    pub(super) records: u32,
    /// Whether this version was current before.
    pub(super) unchanged: bool,
    /// How long it took.
    pub(super) duration: Duration,
}

/// The outcome of a load: what is current now, or why the old one stays.
pub(super) type LoadResult = Result<Loaded, String>;

/// A wish for a load, and where to tell its outcome, if anyone waits.
pub(super) struct LoadRequest {
    pub(super) reply: Option<oneshot::Sender<LoadResult>>,
}

/// Everything the thread works with.
pub(super) struct Loader {
    pub(super) path: PathBuf,
    pub(super) open: fn(&Path) -> Result<Snapshot, SnapshotError>,
    pub(super) retention: Retention,
    pub(super) snapshots: Arc<Published<SnapshotSet>>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) requests: Receiver<LoadRequest>,
}

impl Loader {
    /// Loads the first snapshot, then serves requests until the last sender is gone. If the first
    /// does not open, there is nothing to fall back on, and the thread ends. `first` learns the
    /// outcome of the first load.
    pub(super) fn run(self, first: &watch::Sender<Option<LoadResult>>) {
        let result = self.load();
        let has_failed = result.is_err();
        first.send_replace(Some(result));
        if has_failed {
            return;
        }
        // Handles to retired snapshots, kept until no worker has one: the last drop unmaps.
        let mut retired: Vec<Arc<Snapshot>> = Vec::new();
        loop {
            match self.requests.recv_timeout(HOUSEKEEPING_INTERVAL) {
                Ok(request) => {
                    let waiting: Vec<LoadRequest> =
                        std::iter::once(request).chain(self.requests.try_iter()).collect();
                    self.remember(&mut retired);
                    let result = self.load_and_report();
                    for reply in waiting.into_iter().filter_map(|request| request.reply) {
                        // The caller may have gone away.
                        let _ = reply.send(result.clone());
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    self.remember(&mut retired);
                    if let Some(pruned) =
                        self.snapshots.get().pruned(Instant::now(), self.retention)
                    {
                        self.snapshots.publish(pruned);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
            retired.retain(|snapshot| Arc::strong_count(snapshot) > 1);
        }
    }

    fn remember(&self, retired: &mut Vec<Arc<Snapshot>>) {
        for snapshot in self.snapshots.get().handles() {
            if !retired.iter().any(|known| Arc::ptr_eq(known, snapshot)) {
                retired.push(Arc::clone(snapshot));
            }
        }
    }

    fn load_and_report(&self) -> LoadResult {
        let result = self.load();
        match &result {
            Ok(Loaded { version, unchanged: true, duration, .. }) => {
                self.metrics.snapshots_unchanged.inc();
                let seconds = duration.as_secs_f64();
                log::line(format_args!("reload: snapshot {version} is unchanged ({seconds:.2} s)"));
            }
            Ok(Loaded { version, records, duration, .. }) => {
                self.metrics.snapshots_loaded.inc();
                let seconds = duration.as_secs_f64();
                log::line(format_args!(
                    "reload: snapshot {version} with {records} records is current now \
                        ({seconds:.2} s)"
                ));
            }
            Err(error) => {
                self.metrics.snapshots_failed.inc();
                log::line(format_args!("reload failed, the old snapshot stays: {error}"));
            }
        }
        result
    }

    /// Opens the file and makes it current.
    fn load(&self) -> LoadResult {
        let started = Instant::now();
        // Opening verifies everything; should a reader panic all the same, it is a bad file.
        let opened = catch_unwind(AssertUnwindSafe(|| (self.open)(&self.path)));
        let snapshot = match opened {
            Ok(Ok(snapshot)) => snapshot,
            Ok(Err(error)) => return Err(error.to_string()),
            Err(_) => {
                return Err(
                    "the snapshot could not be read; verify it with `firmament-tools verify`"
                        .into(),
                );
            }
        };
        let (version, records) = (snapshot.version(), snapshot.num_docs());
        let set = self.snapshots.get();
        let unchanged = set.current().is_some_and(|current| current.version() == version);
        if unchanged {
            // Same content. The old mapping may be of a file that is gone, which does not matter.
            drop(snapshot);
        } else {
            // A roll-back uses the mapping that cursors may be walking on already.
            let known = set.handles().find(|open| open.version() == version).cloned();
            let current = known.unwrap_or_else(|| Arc::new(snapshot));
            self.metrics.snapshot_opened();
            self.snapshots.publish(set.swapped(current, Instant::now(), self.retention));
        }
        Ok(Loaded { version, records, unchanged, duration: started.elapsed() })
    }
}
