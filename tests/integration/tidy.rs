//! The structure that `src/lib.rs` promises: which room may know what, and that every file says
//! what it is.

mod rooms;

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the library's sources.
fn source_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every Rust file under `folder`, with its text.
fn files(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                // Crates of their own are built, and tidied, by themselves.
                if !path.join("Cargo.toml").exists() {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push((path.clone(), fs::read_to_string(path).unwrap()));
            }
        }
    }
    assert!(!found.is_empty());
    found
}

/// The text without its comments, so that words of the documentation are no imports.
fn code(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_file_begins_with_what_it_is() {
    for folder in ["src", "tools", "tests", "benches"] {
        for (path, text) in files(folder) {
            let is_documented = text.starts_with("//!") || text.starts_with("#![doc");
            assert!(is_documented, "{} does not begin with //!", path.display());
        }
    }
}

#[test]
fn crates_stay_in_their_rooms() {
    // The crates that one room alone may name.
    let rooms = [
        ("http", ["hyper::", "tokio::", "http_body_util::"].as_slice()),
        ("snapshot", &["memmap2::"]),
        ("index", &["simd_json::", "csv_core::", "parquet::", "encoding_rs::"]),
    ];
    for (path, text) in files("src") {
        let (path, text) = (path.strip_prefix(source_root()).unwrap(), code(&text));
        for (room, crates) in rooms {
            let is_there = path.starts_with(room) || path.file_stem().unwrap() == room;
            let named = crates.iter().find(|name| text.contains(**name));
            let is_allowed = is_there || named.is_none();
            assert!(is_allowed, "{} names {named:?}: that belongs to {room}", path.display());
        }
    }
}

#[test]
fn unsafe_code_stays_where_it_is_allowed() {
    // Mapped files, and instructions that not every processor has.
    let allowed = ["snapshot/file/mapped.rs", "simd.rs", "snapshot/encoding/arrays.rs"];
    for (path, text) in files("src") {
        let is_unsafe = code(&text).contains("unsafe {") || code(&text).contains("unsafe fn");
        let is_allowed = allowed.iter().any(|allowed| path.ends_with(allowed));
        assert!(!is_unsafe || is_allowed, "{}", path.display());
    }
}

#[test]
fn modules_have_names_that_say_something() {
    for folder in ["src", "tools"] {
        for (path, _) in files(folder) {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let is_vague =
                ["util", "utils", "common", "helper", "helpers", "manager", "misc", "new"];
            assert!(!is_vague.contains(&name.as_str()), "{}", path.display());
        }
    }
}
