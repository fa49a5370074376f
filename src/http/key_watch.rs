//! The thread that follows the key file.
//!
//! Once a second it compares the file's identity (device, inode, length, modification and change
//! time) with what it read last; after a change it reads the whole file. So a new or revoked key
//! counts within two seconds. A file that cannot be read keeps the old keys, is logged once per
//! change and counted.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use super::clock::Clock;
use super::log;
use super::metrics::Metrics;
use super::published::Published;
use crate::auth::{KeyFile, KeyFileError, KeyTable, is_exposed};

/// How often the file is looked at.
const INTERVAL: Duration = Duration::from_secs(1);

/// What tells one state of a file from another; none if it cannot be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileState(Option<[i128; 5]>);

impl FileState {
    fn of(path: &Path) -> FileState {
        let nanos =
            |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
        FileState(std::fs::metadata(path).ok().map(|file| {
            [
                i128::from(file.dev()),
                i128::from(file.ino()),
                i128::from(file.len()),
                nanos(file.mtime(), file.mtime_nsec()),
                nanos(file.ctime(), file.ctime_nsec()),
            ]
        }))
    }
}

/// The keys of one file, kept current.
pub(super) struct KeyWatch {
    path: PathBuf,
    state: FileState,
    keys: Arc<Published<KeyTable>>,
    metrics: Arc<Metrics>,
    clock: Clock,
}

impl KeyWatch {
    /// Reads the file for the first time.
    pub(super) fn new(
        path: PathBuf,
        metrics: Arc<Metrics>,
        clock: Clock,
    ) -> Result<KeyWatch, KeyFileError> {
        // Looked at before it is read: a change in between is found by the next look.
        let state = FileState::of(&path);
        let table = KeyTable::new(&KeyFile::load(&path)?);
        if table.is_empty() {
            log::line(format_args!(
                "warning: {} holds no keys, every request will be refused; create one with \
                    `firmament-tools keys new`",
                path.display()
            ));
        }
        warn_if_exposed(&path);
        metrics.keys.set(table.len() as i64);
        Ok(KeyWatch { path, state, keys: Arc::new(Published::new(table)), metrics, clock })
    }

    /// Where workers find the keys.
    pub(super) fn keys(&self) -> Arc<Published<KeyTable>> {
        Arc::clone(&self.keys)
    }

    /// Follows the file until the other end of `stop` is gone.
    pub(super) fn run(mut self, stop: &Receiver<()>) {
        while stop.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
            self.look();
        }
    }

    fn look(&mut self) {
        let state = FileState::of(&self.path);
        if state == self.state {
            return;
        }
        self.state = state;
        match KeyFile::load(&self.path) {
            Ok(file) => {
                let table = self.keys.get().succeeded_by(&file, || self.clock.now_nanos());
                let len = table.len();
                self.keys.publish(table);
                self.metrics.keys.set(len as i64);
                self.metrics.keys_loaded.inc();
                log::line(format_args!("keys: {len} read from {}", self.path.display()));
                warn_if_exposed(&self.path);
            }
            Err(error) => {
                self.metrics.keys_failed.inc();
                log::line(format_args!("keys: the old ones stay: {error}"));
            }
        }
    }
}

fn warn_if_exposed(path: &Path) {
    if is_exposed(path) {
        log::line(format_args!(
            "warning: others than its owner can access the key file {0}; run: chmod 600 {0}",
            path.display()
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_followed_and_bad_files_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        let first = KeyFile::update(&path, |file| file.add("first", None, None)).unwrap();
        let mut watch = KeyWatch::new(path.clone(), Arc::default(), Clock::start()).unwrap();
        let keys = watch.keys();
        let holds = |key: &crate::auth::ApiKey| keys.get().find(key.expose().as_bytes()).is_some();
        assert!(holds(&first));

        let second = KeyFile::update(&path, |file| file.add("second", None, None)).unwrap();
        watch.look();
        assert!(holds(&first) && holds(&second));

        std::fs::write(&path, "{").unwrap();
        watch.look();
        assert!(holds(&first) && holds(&second), "a bad file changes nothing");
        std::fs::remove_file(&path).unwrap();
        watch.look();
        assert!(holds(&first) && holds(&second), "nor does a missing one");

        let third = KeyFile::update(&path, |file| file.add("third", None, None)).unwrap();
        watch.look();
        assert!(!holds(&first) && !holds(&second) && holds(&third));
    }
}
