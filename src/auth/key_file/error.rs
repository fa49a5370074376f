//! What can be wrong with a key file.

use super::FILE_BYTES_MAX;
use std::io;
use std::path::PathBuf;

/// Why a key file could not be read, changed or written. No variant holds key material.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// The file could not be opened or read.
    #[error("cannot read the key file {}: {cause}; create it with `firmament-tools keys new \
        NAME --keys {}`", path.display(), path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        cause: io::Error,
    },
    /// What the file holds is at fault.
    #[error("{}: {fault}", path.display())]
    In {
        /// The file.
        path: PathBuf,
        /// The fault.
        fault: Box<KeyFileError>,
    },
    /// The path is a folder, a device or a pipe.
    #[error("{} is not a regular file; name the JSON file that `firmament-tools keys` writes", .0.display())]
    NotAFile(PathBuf),
    /// The file is larger than any plausible set of keys.
    #[error(
        "the key file has {found} bytes, more than the {FILE_BYTES_MAX} accepted; is it the \
            right file?"
    )]
    TooLarge {
        /// Its size.
        found: u64,
    },
    /// The file is not UTF-8.
    #[error("the key file is not UTF-8 from byte {0} on; restore it from a copy")]
    NotUtf8(usize),
    /// The file is not JSON of the expected form.
    #[error(
        "line {line} of the key file is not as expected: {fault}; restore it from a copy, or \
            mend the line"
    )]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// What the JSON parser found.
        fault: String,
    },
    /// The file holds a key itself.
    #[error(
        "line {line} of the key file holds a key in plain text; the file stores hashes only: \
            treat that key as leaked, \
         remove the line and create a new key with `firmament-tools keys new`"
    )]
    PlainKey {
        /// Line, from 1.
        line: usize,
    },
    /// One entry is wrong.
    #[error("entry {position} of the key file{}: {fault}", name.as_ref().map(|name| format!(" \
        ({name:?})")).unwrap_or_default())]
    Entry {
        /// Position in `keys`, from 1.
        position: usize,
        /// The entry's name, if it is a valid one.
        name: Option<String>,
        /// What is wrong and how to mend it.
        fault: String,
    },
    /// A key of this name exists.
    #[error("a key named {0:?} exists; choose another name, or revoke it first")]
    NameTaken(String),
    /// A name that cannot be used.
    #[error("{0}")]
    BadName(String),
    /// There is no key of this name.
    #[error("no key is named {0:?}; `firmament-tools keys list` shows the names")]
    NoSuchName(String),
    /// A date or timestamp that cannot be read.
    #[error(
        "{0:?} is neither a date (2027-12-31, valid through that day, UTC) nor a timestamp \
            (2027-12-31T18:00:00Z)"
    )]
    BadExpiry(String),
    /// The operating system gave no random bytes.
    #[error("the operating system gave no random bytes: {0}; try again")]
    Random(String),
    /// The file could not be written.
    #[error("cannot write the key file {}: {cause}; the old file is unchanged", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        cause: io::Error,
    },
    /// The file was replaced, but its folder could not be written to disk.
    #[error(
        "the key file {} is replaced, but may be the old one again after a power failure: its folder cannot be \
            written to disk: {cause}; look with `firmament-tools keys list` at what it holds",
        path.display()
    )]
    Sync {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        cause: io::Error,
    },
}
