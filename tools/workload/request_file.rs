//! Files of requests.
//!
//! One request a line: its class, a tab, and its query string, what stands behind `?`, as it goes
//! over the wire.

use super::super::Failure;
use std::path::Path;

/// A request and the class that it is of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// Under which name its times are added up.
    pub class: String,
    /// What stands behind `?`.
    pub query_string: String,
}

/// Writes the text of a file.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| Failure {
        message: format!("cannot write {}: {error}", path.display()),
        exit_code: 1,
    })
}

/// Reads a file.
pub fn read(path: &Path) -> Result<Vec<Request>, Failure> {
    let failure = |message: String| Failure { message, exit_code: 1 };
    let text = std::fs::read_to_string(path)
        .map_err(|error| failure(format!("cannot read {}: {error}", path.display())))?;
    let request = |(number, line): (usize, &str)| match line.split_once('\t') {
        Some((class, query_string)) => {
            Ok(Request { class: class.to_owned(), query_string: query_string.to_owned() })
        }
        None => Err(failure(format!(
            "{}:{number}: no tab; each line is a class, a tab and a query string, as `firmament-tools workload` \
             writes them",
            path.display()
        ))),
    };
    (1..).zip(text.lines()).map(request).collect()
}
