//! What `firmament-tools` does with snapshots: `dump`, `diff`, `inspect`, `verify`; and what it
//! says of itself.

use super::operator::{Folder, build, record, stderr, stdout, tools};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

fn snapshot(folder: &Folder, name: &str, lines: &str) -> PathBuf {
    let output = folder.path(&format!("{name}.firmament"));
    let result = build(&[&folder.write(&format!("{name}.jsonl"), lines)], &output, &[]);
    assert!(result.status.success(), "{}", stderr(&result));
    output
}

const SAMPLE: &str = include_str!("../../data/businesses.jsonl");

#[test]
fn a_dump_builds_the_same_snapshot() {
    let folder = Folder::new();
    let odd = "{\"id\":\"\\\"\\\\\\u0001\",\"name\":\"a\\u2028b\",\"founded_year\":9999}\n";
    let original = snapshot(&folder, "original", &format!("{SAMPLE}{odd}"));
    let dumped = tools(&[&"dump", &original]).output().unwrap();
    assert!(dumped.status.success() && dumped.stderr.is_empty(), "{}", stderr(&dumped));
    let lines = stdout(&dumped);
    assert_eq!(lines.lines().count(), SAMPLE.lines().count() + 1);
    let again = snapshot(&folder, "again", &lines);
    assert!(fs::read(&original).unwrap() == fs::read(&again).unwrap());

    let file = folder.path("dump.jsonl");
    let result = tools(&[&"dump", &original, &"--output", &file]).output().unwrap();
    assert!(result.status.success() && result.stdout.is_empty(), "{}", stderr(&result));
    assert!(fs::read_to_string(&file).unwrap() == lines);
    let result = tools(&[&"dump", &original, &"--output", &original]).output().unwrap();
    assert_eq!(result.status.code(), Some(2));
    let result = tools(&[&"dump", &file]).output().unwrap();
    assert_eq!(result.status.code(), Some(4));
    assert!(stderr(&result).contains("not a snapshot"), "{}", stderr(&result));
}

fn diff(old: &Path, new: &Path, more: &[&str]) -> String {
    let result = tools(&[&"diff", &old, &new]).args(more).output().unwrap();
    assert!(result.status.success(), "{}", stderr(&result));
    stdout(&result)
}

#[test]
fn differences_are_told_by_id() {
    let folder = Folder::new();
    let old = snapshot(
        &folder,
        "old",
        &(record(1)
            + &record(2)
            + "{\"id\":\"id-3\",\"name\":\"C\",\"employee_count\":5,\"location\":{\"city\":\"Graz\"}}\n"
            + &record(4)),
    );
    let new = snapshot(
        &folder,
        "new",
        &("{\"id\":\"id-3\",\"name\":\"C\",\"employee_count\":6,\"location\":{\"city\":\"Linz\"}}\n"
            .to_owned()
            + &record(0)
            + &record(4)
            + &record(5) + &record(1)),
    );
    let text = diff(&old, &new, &[]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[..7],
        [
            "+ id-0  Name 0",
            "- id-2  Name 2",
            "~ id-3  C",
            "    employee_count: 5 → 6",
            "    location.city: \"Graz\" → \"Linz\"",
            "+ id-5  Name 5",
            "",
        ]
    );
    assert!(text.contains("\n2 added, 1 removed, 1 changed, 2 unchanged\n"), "{text}");
    assert!(text.contains("\n         1  location.city\n"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&diff(&old, &new, &["--json"])).unwrap();
    let summary = &json["summary"];
    assert_eq!((&summary["old"]["records"], &summary["new"]["records"]), (&4.into(), &5.into()));
    assert_eq!(summary["changed_fields"]["employee_count"], 1);
    assert!(summary["sections"].as_array().unwrap().len() > 10);
    let differences = json["differences"].as_array().unwrap();
    assert_eq!(differences.len(), 4);
    assert_eq!(differences[2]["kind"], "changed");
    assert_eq!(differences[2]["fields"]["location.city"], serde_json::json!(["Graz", "Linz"]));

    let text = diff(&old, &new, &["--top", "1"]);
    assert!(text.contains("\n1 more; --all lists them\n") && !text.contains("id-5"), "{text}");
    let json = diff(&old, &new, &["--top", "0", "--json"]);
    assert!(json.starts_with("{\"differences\":[],\"summary\":{"), "{json}");
    assert!(diff(&old, &new, &["--all"]).contains("id-5"));
    let text = diff(&old, &old, &[]);
    assert!(text.contains("\n0 added, 0 removed, 0 changed, 4 unchanged\n"), "{text}");
    // Everything the other way round.
    assert!(diff(&new, &old, &[]).contains("1 added, 2 removed, 1 changed, 2 unchanged"));
}

#[test]
fn diff_agrees_with_sets_of_ids() {
    let folder = Folder::new();
    let lines: Vec<&str> = SAMPLE.lines().collect();
    let join = |lines: &mut dyn Iterator<Item = &&str>| {
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    let old = snapshot(&folder, "old", &join(&mut lines.iter().step_by(2)));
    let new = snapshot(&folder, "new", &join(&mut lines.iter().skip(100)));
    let json = diff(&old, &new, &["--json", "--all"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let num_old = lines.len().div_ceil(2);
    let num_both = lines.iter().enumerate().filter(|(at, _)| at % 2 == 0 && *at >= 100).count();
    assert_eq!(json["summary"]["removed"], num_old - num_both);
    assert_eq!(json["summary"]["added"], lines.len() - 100 - num_both);
    assert_eq!(json["summary"]["unchanged"], num_both);
    let listed = json["differences"].as_array().unwrap().len();
    assert_eq!(listed, num_old + lines.len() - 100 - 2 * num_both);
}

#[test]
fn a_reader_that_goes_away_is_no_error_and_a_full_disk_is_one() {
    let folder = Folder::new();
    let lines: String = (0..20_000).map(record).collect();
    let large = snapshot(&folder, "large", &lines);
    let empty_ish = snapshot(&folder, "small", &record(1));
    for arguments in [
        vec!["dump", large.to_str().unwrap()],
        vec!["inspect", large.to_str().unwrap(), "--json"],
        vec!["verify", large.to_str().unwrap()],
        vec!["diff", empty_ish.to_str().unwrap(), large.to_str().unwrap(), "--all"],
        vec!["diff", empty_ish.to_str().unwrap(), large.to_str().unwrap(), "--all", "--json"],
        vec!["completions", "bash"],
        vec!["man"],
    ] {
        let mut child = tools(&[])
            .args(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let result = child.wait_with_output().unwrap();
        assert_eq!(result.status.code(), Some(0), "{arguments:?}: {}", stderr(&result));
        assert_eq!(stderr(&result), "", "{arguments:?}");
        if cfg!(target_os = "linux") {
            let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let result = tools(&[]).args(&arguments).stdout(full).output().unwrap();
            assert_eq!(result.status.code(), Some(1), "{arguments:?}");
            let text = stderr(&result);
            assert!(text.contains("cannot write to standard output: No space left"), "{text}");
        }
    }
}

#[test]
fn what_is_no_snapshot_has_an_exit_code_of_its_own() {
    let folder = Folder::new();
    let whole = snapshot(&folder, "whole", &record(1));
    let bytes = fs::read(&whole).unwrap();
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    let whole = whole.to_str().unwrap().to_owned();
    for (name, content, code) in [
        ("absent", None, 1),
        ("empty", Some(Vec::new()), 4),
        ("cut", Some(bytes[..bytes.len() - 1].to_vec()), 4),
        ("flipped", Some(flipped), 4),
    ] {
        if let Some(content) = content {
            folder.write(name, content);
        }
        let path = folder.path(name);
        let path = path.to_str().unwrap();
        for arguments in [
            vec!["verify", path],
            vec!["inspect", path],
            vec!["inspect", path, "--json"],
            vec!["dump", path],
            vec!["diff", path, &whole],
            vec!["diff", &whole, path],
        ] {
            let result = tools(&[]).args(&arguments).output().unwrap();
            assert_eq!(result.status.code(), Some(code), "{arguments:?}: {}", stderr(&result));
            assert!(result.stdout.is_empty(), "{arguments:?}");
            let text = stderr(&result);
            assert!(text.starts_with("firmament-tools: ") && text.contains(name), "{text}");
            assert_eq!(text.lines().count(), 1, "{text}");
        }
    }
}

#[test]
fn completions_and_manual_pages() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&tools(&[&"completions", &shell]).output().unwrap());
        assert!(script.contains("id-from") && script.contains("people-data-labs"), "{shell}");
    }
    let page = stdout(&tools(&[&"man"]).output().unwrap());
    assert!(page.contains(".TH firmament-tools") && page.contains("Exit codes"), "{page}");
    let page = stdout(&tools(&[&"man", &"build"]).output().unwrap());
    assert!(page.contains("\\-\\-id\\-from") && page.contains("firmament\\-tools build"), "{page}");
    let result = tools(&[&"man", &"biuld"]).output().unwrap();
    assert_eq!(result.status.code(), Some(2));
    assert!(stderr(&result).contains("commands are build, check, verify"), "{}", stderr(&result));
    fs::create_dir(folder.path("man1")).unwrap();
    let result = tools(&[&"man", &"--folder", &folder.path("man1")]).output().unwrap();
    assert!(result.status.success(), "{}", stderr(&result));
    for page in ["firmament-tools.1", "firmament-tools-build.1", "firmament-tools-keys-new.1"] {
        assert!(folder.path("man1").join(page).exists(), "{page}");
    }
    let absent = folder.path("absent");
    let result = tools(&[&"man", &"--folder", &absent]).output().unwrap();
    assert_eq!(result.status.code(), Some(1));

    let server = |arguments: &[&str]| {
        std::process::Command::new(env!("CARGO_BIN_EXE_firmament"))
            .args(arguments)
            .output()
            .unwrap()
    };
    assert!(stdout(&server(&["completions", "bash"])).contains("--keep-snapshots"));
    assert!(stdout(&server(&["man", "serve"])).contains("FIRMAMENT_KEEP_SNAPSHOTS"));
    assert!(stdout(&server(&["man"])).contains(".TH firmament"));
}
