//! `firmament-tools` where something around it is not as it should be: nobody reads what it says,
//! names lead to other things than files, other programs work in the same folder.

use super::operator::{Folder, build, record, stderr, stdout, tools};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};

/// A standard error that nobody reads any more.
fn broken() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

#[test]
fn nobody_has_to_read_standard_error() {
    let folder = Folder::new();
    let good = folder.write("good.jsonl", record(1) + &record(2));
    let bad = folder.write("bad.jsonl", record(1) + "{\"id\":\"x\"}\n" + &record(2));
    let output = folder.path("out.firmament");
    let run = |command: &mut Command| command.stderr(broken()).output().unwrap().status.code();
    assert_eq!(run(&mut tools(&[&"build", &good, &"-o", &output])), Some(0));
    fs::remove_file(&output).unwrap();
    let arguments: [&dyn AsRef<OsStr>; 6] =
        [&"build", &bad, &"-o", &output, &"--max-rejects", &"1"];
    assert_eq!(run(&mut tools(&arguments)), Some(0));
    let rejects = fs::read_to_string(folder.path("out.firmament.rejects.jsonl")).unwrap();
    assert_eq!(rejects.lines().count(), 1);
    assert_eq!(run(&mut tools(&[&"build", &bad, &"-o", &output])), Some(3));
    let mut bytes = fs::read(&output).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    let damaged = folder.write("damaged.firmament", bytes);
    assert_eq!(run(&mut tools(&[&"verify", &damaged])), Some(4));
    let keys = folder.path("keys.json");
    assert_eq!(run(&mut tools(&[&"keys", &"new", &"a", &"--keys", &keys])), Some(0));
    assert_eq!(run(&mut tools(&[&"keys", &"revoke", &"a", &"--keys", &keys])), Some(0));
    let absent = folder.path("absent");
    let mut server = Command::new(env!("CARGO_BIN_EXE_firmament"));
    assert_eq!(run(server.arg("serve").arg(&absent).arg("--keys").arg(&absent)), Some(2));
}

#[test]
fn standard_output_that_is_full_is_a_failure_and_one_that_nobody_reads_is_none() {
    let folder = Folder::new();
    let snapshot = folder.path("out.firmament");
    assert!(build(&[&folder.write("in.jsonl", record(1))], &snapshot, &[]).status.success());
    let keys = folder.path("keys.json");
    assert!(tools(&[&"keys", &"new", &"a", &"--keys", &keys]).output().unwrap().status.success());
    let commands: [&[&dyn AsRef<OsStr>]; 6] = [
        &[&"query", &snapshot, &"q=x"],
        &[&"derive", &snapshot, &"--kind", &"plain", &"-n", &"5"],
        &[&"inspect", &snapshot],
        &[&"verify", &snapshot],
        &[&"dump", &snapshot],
        &[&"keys", &"list", &"--keys", &keys],
    ];
    for command in commands {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let result = tools(command).stdout(full).stderr(Stdio::piped()).output().unwrap();
        let name = command[0].as_ref();
        assert_eq!(result.status.code(), Some(1), "{name:?}");
        assert!(stderr(&result).contains("No space left"), "{name:?}: {}", stderr(&result));
        assert_eq!(tools(command).stdout(broken()).output().unwrap().status.code(), Some(0));
    }
    // A key is shown once: who did not see it is told what to do.
    let new: [&dyn AsRef<OsStr>; 5] = [&"keys", &"new", &"b", &"--keys", &keys];
    let result = tools(&new).stdout(broken()).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(result.status.code(), Some(1));
    assert!(
        stderr(&result).contains("\"b\" was created, but cannot be shown"),
        "{}",
        stderr(&result)
    );
}

#[test]
fn what_is_damaged_or_missing_is_told_once_and_by_exit_codes() {
    let folder = Folder::new();
    let damaged = folder.write("damaged.firmament", "no snapshot");
    for command in ["verify", "inspect", "derive", "dump", "query"] {
        let more: &[&str] = if command == "derive" { &["--kind", "plain"] } else { &[] };
        let run = |path| tools(&[&command, &path]).args(more).output().unwrap();
        let result = run(damaged.clone());
        assert_eq!(result.status.code(), Some(4), "{command}");
        assert!(stderr(&result).contains("damaged.firmament"), "{command}");
        let result = run(folder.path("absent.firmament"));
        assert_eq!(result.status.code(), Some(1), "{command}");
        assert_eq!(stderr(&result).matches("No such file").count(), 1, "{}", stderr(&result));
    }
    let absent = folder.path("absent.json");
    let result = tools(&[&"keys", &"list", &"--keys", &absent]).output().unwrap();
    assert_eq!(stderr(&result).matches("No such file").count(), 1, "{}", stderr(&result));
    let keys = folder.path("keys.json");
    assert!(tools(&[&"keys", &"new", &"a", &"--keys", &keys]).output().unwrap().status.success());
    let mut server = Command::new(env!("CARGO_BIN_EXE_firmament"));
    server.arg("serve").arg(folder.path("absent.firmament")).arg("--keys").arg(&keys);
    let result = server.args(["--listen", "127.0.0.1:0", "--admin", "off"]).output().unwrap();
    assert_eq!(result.status.code(), Some(1));
    assert_eq!(stderr(&result).matches("No such file").count(), 1, "{}", stderr(&result));
}

#[test]
fn only_a_file_is_replaced() {
    let folder = Folder::new();
    let input = folder.write("in.jsonl", record(1));
    fs::create_dir(folder.path("folder")).unwrap();
    let _socket = UnixListener::bind(folder.path("socket")).unwrap();
    let snapshot = folder.path("out.firmament");
    assert!(build(&[&input], &snapshot, &[]).status.success());
    let before = folder.names();
    for name in ["folder", "socket", "new/"] {
        let target = folder.path(name);
        for command in ["build", "dump"] {
            let from = if command == "build" { &input } else { &snapshot };
            let result = tools(&[&command, from, &"--output", &target]).output().unwrap();
            assert_eq!(result.status.code(), Some(1), "{command} {name}");
            let text = stderr(&result);
            assert!(text.contains(name) && text.contains("give another --output"), "{text}");
        }
        assert_eq!(folder.names(), before, "{name}");
    }
}

#[test]
fn a_reject_file_is_no_input_and_no_snapshot() {
    let folder = Folder::new();
    let input = folder.write("in.jsonl", record(1));
    fs::hard_link(&input, folder.path("link.jsonl")).unwrap();
    let live = folder.path("live.firmament");
    assert!(build(&[&input], &live, &[]).status.success());
    let snapshot = fs::read(&live).unwrap();
    for (name, what) in [("link.jsonl", "input"), ("live.firmament", "a snapshot")] {
        let reject_file = folder.path(name);
        let more = ["--reject-file", reject_file.to_str().unwrap()];
        let result = build(&[&input], &folder.path("out.firmament"), &more);
        assert_eq!(result.status.code(), Some(2), "{name}");
        let text = stderr(&result);
        assert!(text.contains(&format!("{what} and reject file")), "{text}");
    }
    assert_eq!(fs::read_to_string(&input).unwrap(), record(1));
    assert!(fs::read(&live).unwrap() == snapshot);
    // A device keeps nothing, which may be what is wanted.
    let more = ["--reject-file", "/dev/null"];
    assert!(build(&[&input], &folder.path("out.firmament"), &more).status.success());
}

#[test]
fn a_dump_and_a_build_share_a_folder() {
    let folder = Folder::new();
    let records: String = (0..20_000).map(record).collect();
    let input = folder.write("in.jsonl", records);
    let snapshot = folder.path("a.firmament");
    assert!(build(&[&input], &snapshot, &[]).status.success());
    // What killed ones left is removed.
    folder.write(".firmament-left.tmp", "x");
    let dump = folder.path("dump.jsonl");
    let mut dumps = tools(&[&"dump", &snapshot, &"--output", &dump]).spawn().unwrap();
    let small = folder.write("small.jsonl", record(1));
    while dumps.try_wait().unwrap().is_none() {
        assert!(build(&[&small], &folder.path("b.firmament"), &[]).status.success());
    }
    assert!(dumps.wait().unwrap().success());
    assert_eq!(fs::read_to_string(&dump).unwrap().lines().count(), 20_000);
    assert!(folder.names().iter().all(|name| !name.starts_with('.')), "{:?}", folder.names());
}

#[test]
fn reports_are_json_whatever_paths_are() {
    let folder = Folder::new();
    let input = folder.write("in.jsonl", record(1));
    let output = folder.path("").join(OsStr::from_bytes(b"out\xff"));
    let result = tools(&[&"build", &input, &"-o", &output, &"--json"]).output().unwrap();
    assert!(result.status.success(), "{}", stderr(&result));
    let report: serde_json::Value = serde_json::from_slice(&result.stdout).unwrap();
    assert!(report["output"].as_str().unwrap().ends_with("out\u{fffd}"));
}

#[test]
fn records_that_are_all_rejected_are_not_an_empty_input() {
    let folder = Folder::new();
    let input = folder.write("in.jsonl", "{\"id\":\"x\"}\n{\"id\":\"y\"}\n");
    let output = folder.path("out.firmament");
    let result = build(&[&input], &output, &["--max-rejects", "100%"]);
    assert_eq!(result.status.code(), Some(3));
    let text = stderr(&result);
    assert!(text.contains("all 2 records were rejected") && text.contains("listed in"), "{text}");
    let result = build(&[&folder.write("empty.jsonl", "")], &output, &["--max-rejects", "100%"]);
    assert_eq!(result.status.code(), Some(1));
    assert!(stderr(&result).contains("holds no record"), "{}", stderr(&result));
}

#[test]
fn records_do_not_move_the_cursor() {
    let folder = Folder::new();
    let odd = |name: &str| {
        format!("{{\"id\":\"a\",\"name\":\"{name}\",\"industry\":\"\\u001b[31mred\\nline\"}}\n")
    };
    let (old, new) = (folder.path("old.firmament"), folder.path("new.firmament"));
    let with_tab = odd("one\\u0007") + &record(1);
    assert!(build(&[&folder.write("1.jsonl", with_tab)], &old, &[]).status.success());
    let with_line = odd("two\\u001b[2J\\u009b") + &record(2);
    assert!(build(&[&folder.write("2.jsonl", with_line)], &new, &[]).status.success());
    let shown = [
        tools(&[&"diff", &old, &new]).output().unwrap(),
        tools(&[&"inspect", &new]).output().unwrap(),
    ];
    for output in shown {
        let text = stdout(&output);
        let moves = text.chars().any(|c| c.is_control() && c != '\n');
        assert!(!moves && text.contains('\u{fffd}'), "{text:?}");
    }
}

#[test]
fn threads_are_bounded() {
    let folder = Folder::new();
    let input = folder.write("in.jsonl", record(1));
    for (threads, code) in [("0", 2), ("257", 2), ("100000", 2), ("x", 2), ("3", 0)] {
        let result = build(&[&input], &folder.path("out.firmament"), &["--threads", threads]);
        assert_eq!(result.status.code(), Some(code), "{threads}");
        let text = stderr(&result);
        assert!(code == 0 || text.contains("a number from 1 to 256 is accepted"), "{text}");
    }
}

#[test]
fn a_delimiter_means_csv() {
    let folder = Folder::new();
    let input = folder.write("in.tsv", "id;name\na;A\nb;B\n");
    let output = folder.path("out.firmament");
    let result = build(&[&input], &output, &["--delimiter", ";"]);
    assert!(result.status.success(), "{}", stderr(&result));
    assert_eq!(super::operator::num_docs(&output), 2);
}

#[test]
fn completions_for_bash_know_every_command() {
    let script = stdout(&tools(&[&"completions", &"bash"]).output().unwrap());
    let set: Vec<&str> = script
        .lines()
        .filter_map(|line| line.trim().strip_prefix("cmd=\"")?.strip_suffix('"'))
        .filter(|command| !command.is_empty())
        .collect();
    assert!(set.len() > 15, "{set:?}");
    for command in set {
        let label = format!("{command})");
        assert!(script.lines().any(|line| line.trim() == label), "{label}");
    }
}
