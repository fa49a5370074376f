//! The file that a snapshot, or its dump, is written to before it is published; locks, and what
//! killed builds leave.
//!
//! Beside a target `x` a build has two files of its own: `.firmament-x.lock`, empty and locked, so
//! that a second build of the same target ends at once; and `.firmament-*.tmp`, locked too, which
//! becomes `x` by a rename. Locks are advisory locks on open files: they end with the process,
//! however it ends. A file of such a name that nobody locks is therefore what a killed build left,
//! and the next build or dump that uses the folder removes it.
//!
//! A lock counts only if the file still has its name once it is locked: otherwise somebody removed
//! it between opening and locking.

use super::error::SnapshotError;
use super::fs_ops;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the names of all files of unfinished builds begin with.
pub const TEMPORARY_PREFIX: &str = ".firmament-";

const TEMPORARY_SUFFIX: &str = ".tmp";
const LOCK_SUFFIX: &str = ".lock";

/// How often a lock is tried: whoever cleans up holds locks for moments.
const LOCK_TRIES: u32 = 5;

/// Time between two tries.
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// A file beside its target, which will become the target or vanish.
#[derive(Debug)]
pub struct Unpublished {
    file: File,
    path: PathBuf,
    target: PathBuf,
    is_published: bool,
    _lock: TargetLock,
}

impl Unpublished {
    /// Locks the target, removes what killed builds left beside it, and creates an empty file.
    ///
    /// # Errors
    /// The target can be no regular file, another build has it, or the folder does not exist or
    /// cannot be written to.
    pub fn create(target: &Path) -> Result<Unpublished, SnapshotError> {
        check_target(target)?;
        let lock = TargetLock::acquire(target)?;
        let folder = folder_of(target);
        remove_abandoned(folder);
        let failed = |source| io_error("create a file in", folder, source);
        for _ in 0..LOCK_TRIES {
            let (file, path) = tempfile::Builder::new()
                .prefix(TEMPORARY_PREFIX)
                .suffix(TEMPORARY_SUFFIX)
                .tempfile_in(folder)
                .and_then(|named| named.keep().map_err(|error| error.error))
                .map_err(failed)?;
            match file.try_lock() {
                Ok(()) if is_same(&file, &path) => {
                    let target = target.to_owned();
                    return Ok(Unpublished {
                        file,
                        path,
                        target,
                        is_published: false,
                        _lock: lock,
                    });
                }
                // Somebody who cleans up was faster.
                Ok(()) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(source)) => {
                    let _ = std::fs::remove_file(&path);
                    return Err(io_error("lock", &path, source));
                }
            }
        }
        Err(failed(io::Error::other("new files vanish there")))
    }

    /// The open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Its present name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name it will have.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Renames the file to its target, in place of what was there, and makes that durable. Anybody
    /// may read it then, and its owner write it.
    ///
    /// # Errors
    /// The system refuses. Either file may then be the target, each complete.
    pub fn publish(self) -> Result<(), SnapshotError> {
        self.publish_as(0o644)
    }

    /// As [`publish`](Self::publish), for a file that is mapped while it is used: nobody may write
    /// it, so that a copy over it is refused, which would end those that use it.
    ///
    /// # Errors
    /// As [`publish`](Self::publish).
    pub fn publish_read_only(self) -> Result<(), SnapshotError> {
        self.publish_as(0o444)
    }

    fn publish_as(mut self, mode: u32) -> Result<(), SnapshotError> {
        // Temporary files are private.
        let permissions = std::fs::Permissions::from_mode(mode);
        self.file
            .set_permissions(permissions)
            .map_err(|source| io_error("write", &self.path, source))?;
        fs_ops::rename(&self.path, &self.target)
            .map_err(|source| io_error("rename into place", &self.target, source))?;
        self.is_published = true;
        let folder = folder_of(&self.target);
        File::open(folder)
            .and_then(|file| fs_ops::sync(&file, folder))
            .map_err(|source| io_error("sync", folder, source))
    }
}

impl Drop for Unpublished {
    fn drop(&mut self) {
        if !self.is_published {
            // If that fails, the next build removes it.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Can a file be put into this place? A rename would put one in the place of a device or a pipe as
/// well.
fn check_target(target: &Path) -> Result<(), SnapshotError> {
    let is_folder = target.as_os_str().as_encoded_bytes().ends_with(b"/");
    let is_file_or_absent = std::fs::metadata(target).map_or(true, |there| there.is_file());
    if is_folder || target.file_name().is_none() || !is_file_or_absent {
        return Err(SnapshotError::Target(target.to_owned()));
    }
    Ok(())
}

/// The right to build a target.
#[derive(Debug)]
struct TargetLock {
    _file: File,
    path: PathBuf,
}

impl TargetLock {
    fn acquire(target: &Path) -> Result<TargetLock, SnapshotError> {
        let folder = folder_of(target);
        let mut name = std::ffi::OsString::from(TEMPORARY_PREFIX);
        name.push(target.file_name().unwrap_or_default());
        name.push(LOCK_SUFFIX);
        let path = folder.join(name);
        for attempt in 0..LOCK_TRIES {
            if attempt > 0 {
                std::thread::sleep(LOCK_PAUSE);
            }
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .map_err(|source| match std::fs::symlink_metadata(&path) {
                    // Of a build that somebody else had killed.
                    Ok(_) => io_error("open the lock file", &path, source),
                    Err(_) => io_error("create a file in", folder, source),
                })?;
            match file.try_lock() {
                Ok(()) if is_same(&file, &path) => return Ok(TargetLock { _file: file, path }),
                Ok(()) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(source)) => return Err(io_error("lock", &path, source)),
            }
        }
        Err(SnapshotError::Busy { target: target.to_owned() })
    }
}

impl Drop for TargetLock {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Removes the files of builds that were killed from `folder`; files that are locked, or of others,
/// stay.
pub fn remove_abandoned(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_ours = name.starts_with(TEMPORARY_PREFIX)
            && (name.ends_with(TEMPORARY_SUFFIX) || name.ends_with(LOCK_SUFFIX));
        if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let path = entry.path();
        if let Ok(file) = File::open(&path)
            && file.try_lock().is_ok()
            && is_same(&file, &path)
        {
            let _ = std::fs::remove_file(&path);
        }
    }
}

/// Does the open file still have this name?
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), std::fs::symlink_metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// The folder that a file is or will be in.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

pub(crate) fn io_error(action: &'static str, path: &Path, cause: io::Error) -> SnapshotError {
    SnapshotError::Io { action, path: path.to_owned(), cause }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_second_build_of_a_target_is_refused_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("x.firmament");
        let first = Unpublished::create(&target).unwrap();
        let error = Unpublished::create(&target).unwrap_err();
        assert!(error.to_string().contains("another build"), "{error}");
        // Another target in the same folder is no obstacle, and leaves the first alone.
        let other = Unpublished::create(&folder.path().join("y.firmament")).unwrap();
        assert!(first.path().exists() && other.path().exists());
        drop(other);
        first.publish_read_only().unwrap();
        assert_eq!(names(folder.path()), ["x.firmament"]);
        let mode = std::fs::metadata(&target).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o444);
        Unpublished::create(&target).unwrap();
        assert_eq!(names(folder.path()), ["x.firmament"]);
    }

    #[test]
    fn a_target_that_can_be_no_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let inside = |name: &str| folder.path().join(name);
        std::fs::create_dir(inside("folder")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(inside("socket")).unwrap();
        std::os::unix::fs::symlink(inside("socket"), inside("link")).unwrap();
        let before = names(folder.path());
        for name in ["folder", "socket", "link", "absent/", "folder/.."] {
            let error = Unpublished::create(&inside(name)).unwrap_err();
            assert!(matches!(error, SnapshotError::Target(_)), "{name}: {error}");
            assert_eq!(names(folder.path()), before, "{name}");
        }
    }

    #[test]
    fn abandoned_files_are_removed_and_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        for name in
            [".firmament-abc.tmp", ".firmament-x.firmament.lock", ".firmament-notes", "mine.tmp"]
        {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        std::fs::create_dir(folder.path().join(".firmament-folder.tmp")).unwrap();
        let live = Unpublished::create(&folder.path().join("live")).unwrap();
        let live_name = live.path().file_name().unwrap().to_str().unwrap().to_owned();
        let mut expected =
            vec![".firmament-folder.tmp", ".firmament-live.lock", ".firmament-notes", "mine.tmp"];
        expected.push(&live_name);
        expected.sort_unstable();
        assert_eq!(names(folder.path()), expected);
        remove_abandoned(folder.path());
        assert_eq!(names(folder.path()), expected);
    }
}
