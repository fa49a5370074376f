//! Files of requests, as `firmament-tools workload` writes them: a class, a tab and a query string
//! a line.

use crate::Result;
use std::path::Path;

/// A line of such a file.
pub struct Request {
    pub class: String,
    pub query_string: String,
    /// The file and the number of the line, for messages.
    pub place: String,
}

/// Reads a file.
pub fn read(path: &Path) -> Result<Vec<Request>> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let request = |(number, line): (usize, &str)| {
        let place = format!("{}:{number}", path.display());
        let (class, query_string) =
            line.split_once('\t').ok_or_else(|| format!("{place}: no tab"))?;
        Ok(Request { class: class.to_owned(), query_string: query_string.to_owned(), place })
    };
    (1..).zip(text.lines()).map(request).collect()
}
