//! Standard output: data go there, and a reader who went away (`| head`) is no error. Standard
//! error: what is told to people, and nobody has to be there.

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

/// Tells people something, a line or several. That nobody can read it ends nothing: a build goes
/// on, and exit codes say how it ended.
pub fn tell(text: &str) {
    let _ = io::stderr().lock().write_all(format!("{}\n", text.trim_end()).as_bytes());
}

/// A text of a record without characters that move the cursor.
pub fn plain(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
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
