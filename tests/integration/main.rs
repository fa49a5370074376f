//! All integration tests, in one target: one link.

mod collections;
mod given_files;
mod oracle;
mod properties;
