//! Log lines: standard error, one line each.
//!
//! Whoever runs the server (journald, a container runtime) adds the time. Text of callers goes
//! through [`Excerpt`](super::escaped::Excerpt) first.

use std::fmt;
use std::io::{self, Write};

/// Writes one line. A closed standard error is no reason to stop serving.
pub(super) fn line(message: fmt::Arguments<'_>) {
    let text = format!("firmament: {message}\n");
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
