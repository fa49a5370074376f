//! All integration tests, in one target: one link.

mod collections;
mod oracle;
mod properties;
