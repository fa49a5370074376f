//! The structure that `src/lib.rs` promises: which room may know what, and that every file says what it is.

use std::fs;
use std::path::{Path, PathBuf};

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

/// The room of a source file: the first part of its path below `src`.
fn room(path: &Path) -> String {
    let below = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    let first = below.components().next().unwrap().as_os_str().to_str().unwrap();
    first.trim_end_matches(".rs").to_owned()
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
fn arrows_point_one_way() {
    // Room, and the rooms and crates that it must not know.
    let forbidden: [(&str, &[&str]); 13] = [
        ("ids", &["crate::"]),
        ("simd", &["crate::"]),
        ("bytes", &["crate::"]),
        ("limits", &["crate::"]),
        ("memory", &["crate::"]),
        ("company", &["crate::snapshot", "crate::query", "crate::build", "crate::http"]),
        ("analyzer", &["crate::snapshot", "crate::query", "crate::build", "crate::http"]),
        ("snapshot", &["crate::query", "crate::build", "crate::http", "crate::render"]),
        ("query", &["crate::build::", "crate::http", "crate::render"]),
        ("build", &["crate::query", "crate::http", "crate::render"]),
        ("places", &["crate::snapshot", "crate::query", "crate::build", "crate::http"]),
        ("render", &["crate::build", "crate::http"]),
        ("auth", &["crate::"]),
    ];
    for (path, text) in files("src") {
        let (room, text) = (room(&path), code(&text));
        // Unit tests may build a snapshot to look at.
        let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let is_test = path.file_name().is_some_and(|name| name == "tests.rs");
        for (_, words) in forbidden.iter().filter(|(name, _)| *name == room && !is_test) {
            for word in *words {
                assert!(!text.contains(word), "{} names {word}", path.display());
            }
        }
        for word in ["hyper::", "tokio::", "http_body_util::"] {
            let is_allowed = room == "http" || !text.contains(word);
            assert!(is_allowed, "{} names {word}: that belongs to http", path.display());
        }
        let maps = text.contains("memmap2::");
        assert!(
            !maps || room == "snapshot",
            "{} maps files: that belongs to snapshot",
            path.display()
        );
    }
}

#[test]
fn unsafe_code_stays_where_it_is_allowed() {
    // Mapped files, and instructions that not every processor has.
    let allowed = ["snapshot/mapped.rs", "simd.rs", "snapshot/arrays.rs"];
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
