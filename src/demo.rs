//! The sample collection of `data/`, built into the program for `firmament demo`.

use crate::index;
use crate::index::BuildError;
use std::path::{Path, PathBuf};

/// The sample records, one JSON object a line.
pub const SAMPLE: &str = include_str!("../data/businesses.jsonl");

/// Builds the sample snapshot in `folder` and returns its path.
///
/// # Errors
/// The folder cannot be written to.
pub fn build_sample(folder: &Path) -> Result<PathBuf, BuildError> {
    let path = folder.join("businesses.firmament");
    index::from_jsonl(SAMPLE, &path)?;
    Ok(path)
}
