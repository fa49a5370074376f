//! Why a snapshot cannot be opened or published.

use std::fmt::Display;
use std::io;
use std::path::PathBuf;

/// Why a snapshot cannot be opened or published.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The operating system refused.
    #[error("cannot {action} {path:?}: {cause}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// Somebody else writes the same target.
    #[error(
        "another build is writing {target:?} at this moment: wait for its end, or give another --output"
    )]
    Busy {
        /// The target.
        target: PathBuf,
    },
    /// What is to be written cannot be put there.
    #[error(
        "{0:?} is a folder, a device or a pipe, which no file can replace: give another --output"
    )]
    Target(PathBuf),
    /// A section cannot hold so much.
    #[error("{section} would be too large for one snapshot: split the records")]
    TooLarge {
        /// The section.
        section: String,
    },
    /// The path names no regular file.
    #[error("{0:?} is not a regular file: name the snapshot file itself")]
    NotAFile(PathBuf),
    /// The file does not begin as snapshots do.
    #[error("this is not a snapshot: make one with `firmament-tools build`")]
    NotASnapshot,
    /// The file is of another version of the format.
    #[error(
        "the snapshot has format version {found}, this program reads version {expected}: build it again \
         with the tools of this version"
    )]
    FormatVersion {
        /// The version found.
        found: u32,
        /// The version of this program.
        expected: u32,
    },
    /// The texts in the file were taken apart by other rules than this program's.
    #[error(
        "the snapshot was built with {found}, this program searches with {expected}: build it again with the \
         tools of this version"
    )]
    Analyzer {
        /// What the snapshot names.
        found: String,
        /// What this program has.
        expected: String,
    },
    /// The file is shorter or longer than its header says.
    #[error(
        "the snapshot should be {expected} bytes long but has {found}: the copy is incomplete, copy it again"
    )]
    Length {
        /// Length by the header.
        expected: u64,
        /// Length of the file.
        found: u64,
    },
    /// Bytes are not what was written.
    #[error("the snapshot is damaged in {section}: {reason}; copy or build it again")]
    Damaged {
        /// The section, or `header`.
        section: String,
        /// What is wrong.
        reason: String,
    },
}

impl SnapshotError {
    /// Damage in `section`.
    pub fn damaged(section: impl Display, reason: impl Display) -> SnapshotError {
        SnapshotError::Damaged { section: section.to_string(), reason: reason.to_string() }
    }
}
