//! The file of a snapshot: its frame, how it is mapped, written and published. Knows no section's
//! contents.

pub mod direct_io;
pub mod error;
pub mod format;
pub mod fs_ops;
pub mod mapped;
pub mod section_kind;
pub mod sections;
pub mod staging;
pub mod writer;
