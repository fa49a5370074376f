//! The sample collection of `data/`, built into the program for `firmament demo`.

use crate::index::{self, BuildError, BuildOptions, Format, Input, NoProgress, ReadOptions};
use std::path::{Path, PathBuf};

/// The sample records, one JSON object a line.
pub const SAMPLE: &str = include_str!("../data/businesses.jsonl");

/// When the sample says to be built, 2026-01-01: the same program gives the same snapshot, and the
/// answers that the documentation shows.
const BUILT_AT: u64 = 1_767_225_600;

/// Builds the sample snapshot in `folder` and returns its path.
///
/// # Errors
/// The folder cannot be written to.
pub fn build_sample(folder: &Path) -> Result<PathBuf, BuildError> {
    let path = folder.join("businesses.firmament");
    let read = ReadOptions { format: Some(Format::JsonLines), ..ReadOptions::default() };
    let options = BuildOptions { read, built_at: Some(BUILT_AT), ..BuildOptions::default() };
    let input = Input::Memory(SAMPLE.as_bytes().to_vec());
    index::build(&[input], &path, &options, &NoProgress)?;
    Ok(path)
}
