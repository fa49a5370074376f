//! Standard output: data go there, and a reader who went away (`| head`) is no error.

use super::Failure;
use std::io::{self, ErrorKind, Write};

/// Writes data to standard output. `write` is given a buffered writer.
///
/// # Errors
/// Standard output cannot be written to, for another reason than that nobody reads any more.
pub fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    check(write(&mut out).and_then(|()| out.flush()))
}

/// The same for data that are there already.
///
/// # Errors
/// As [`to_stdout`].
pub fn print(text: &str) -> Result<(), Failure> {
    to_stdout(|out| out.write_all(text.as_bytes()))
}

fn check(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let message = format!("cannot write to standard output: {error}");
            Err(Failure { message, exit_code: 1 })
        }
        _ => Ok(()),
    }
}
