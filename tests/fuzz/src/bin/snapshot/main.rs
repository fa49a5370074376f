//! Snapshots are files from elsewhere: whatever is in one, opening it must end in an error or in a
//! snapshot that answers any query.
//!
//! Checksums would hide what is behind them, so no input is a file. It is read as instructions that
//! damage a small valid snapshot; checksums and content hash are made to fit again. What then opens
//! is asked.

#![no_main]

mod damage;
mod questions;
mod samples;

use firmament::snapshot::Snapshot;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let bytes = damage::damaged(data);
    if let Ok(snapshot) = Snapshot::from_bytes(&bytes) {
        // Which questions are asked, and how, hangs on the input, so that each has some ten only.
        let seed = blake3::hash(data).as_bytes()[0];
        questions::ask(&snapshot, seed);
    }
});
