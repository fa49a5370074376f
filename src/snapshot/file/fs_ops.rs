//! The system calls that change files, one function each: the place where tests make them fail.
//!
//! A build writes, cuts, syncs and renames through these functions only. In unit tests a plan may
//! say that the N-th call that touches a folder fails, and how; elsewhere there is no plan and
//! nothing is asked.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Writes all of `bytes` at `offset`. `path` is the file's, or the folder it was made in.
///
/// # Errors
/// The system refuses; some of the bytes may then be written.
pub fn write_all_at(file: &File, path: &Path, bytes: &[u8], offset: u64) -> io::Result<()> {
    write_with(|bytes| file.write_all_at(bytes, offset), path, bytes)
}

/// Writes bytes that are read long afterwards, without keeping them in memory, see `direct_io`.
/// No page of a file should be written twice this way.
///
/// # Errors
/// As [`write_all_at`].
pub fn write_all_uncached_at(
    file: &File,
    path: &Path,
    bytes: &[u8],
    offset: u64,
) -> io::Result<()> {
    write_with(|bytes| super::direct_io::write_all_at(file, bytes, offset), path, bytes)
}

fn write_with(
    write: impl Fn(&[u8]) -> io::Result<()>,
    path: &Path,
    bytes: &[u8],
) -> io::Result<()> {
    if let Err(error) = fault(path) {
        // As a full disk does: the first half fits.
        let _ = write(&bytes[..bytes.len() / 2]);
        return Err(error);
    }
    write(bytes)
}

/// Makes the file `len` bytes long.
///
/// # Errors
/// The system refuses.
pub fn set_len(file: &File, path: &Path, len: u64) -> io::Result<()> {
    fault(path)?;
    file.set_len(len)
}

/// Waits until everything in the file, or the names in the folder, is on the disk.
///
/// # Errors
/// The system refuses.
pub fn sync(file: &File, path: &Path) -> io::Result<()> {
    fault(path)?;
    file.sync_all()
}

/// Gives a file another name; one that is there already is replaced in the same step.
///
/// # Errors
/// The system refuses.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fault(from)?;
    std::fs::rename(from, to)
}

#[cfg(not(all(test, feature = "builder")))]
#[inline]
fn fault(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, feature = "builder"))]
use faults::fault;

/// Planned failures of what a build writes.
#[cfg(all(test, feature = "builder"))]
pub(crate) mod faults {
    use std::io;
    use std::path::{Path, PathBuf};
    use std::sync::Mutex;

    struct Plan {
        folder: PathBuf,
        calls: u64,
        fail_at: Option<(u64, i32)>,
    }

    static PLANS: Mutex<Vec<Plan>> = Mutex::new(Vec::new());

    /// Runs `work` while the call number `fail_at.0` (from 0) that touches `folder`, and all after
    /// it, fail with the error number `fail_at.1`. Returns also how many calls there were.
    pub(crate) fn with_plan<T>(
        folder: &Path,
        fail_at: Option<(u64, i32)>,
        work: impl FnOnce() -> T,
    ) -> (T, u64) {
        let plan = Plan { folder: folder.to_owned(), calls: 0, fail_at };
        PLANS.lock().unwrap().push(plan);
        let result = work();
        let mut plans = PLANS.lock().unwrap();
        let at = plans.iter().position(|plan| plan.folder == folder).unwrap();
        (result, plans.swap_remove(at).calls)
    }

    pub(crate) fn fault(path: &Path) -> io::Result<()> {
        let mut plans = PLANS.lock().unwrap();
        let Some(plan) = plans.iter_mut().find(|plan| path.starts_with(&plan.folder)) else {
            return Ok(());
        };
        plan.calls += 1;
        match plan.fail_at {
            Some((at, number)) if plan.calls > at => Err(io::Error::from_raw_os_error(number)),
            _ => Ok(()),
        }
    }
}
