//! `firmament-tools` as a process: inputs, rejects, exit codes.

use super::operator::{Folder, build, gzip, num_docs, record, stderr, tools, zstd};
use firmament::query::page::{Scratch, search};
use firmament::query::request::Query;
use firmament::snapshot::Snapshot;
use std::fs;
use std::io::Write;
use std::process::Stdio;

#[test]
fn plain_gzip_zstd_and_standard_input_give_the_same_bytes() {
    let folder = Folder::new();
    let lines: Vec<String> = (0..500).map(record).collect();
    let text = lines.concat();
    // Two gzip members, cut within a line: both must be read.
    let (first, second) = text.split_at(text.len() / 2 + 3);
    let inputs = [
        folder.write("a.jsonl", &text),
        folder.write("a.jsonl.gz", [gzip(first), gzip(second)].concat()),
        folder.write("a.jsonl.zst", zstd(&text)),
        folder.write("bom-and-crlf.jsonl", format!("\u{feff}{}", text.replace('\n', "\r\n\r\n"))),
    ];
    let expected = folder.path("expected.firmament");
    assert!(build(&[&inputs[0]], &expected, &[]).status.success());
    let expected = fs::read(&expected).unwrap();
    for input in &inputs[1..] {
        let output = folder.path("out.firmament");
        let result = build(&[input], &output, &[]);
        assert!(result.status.success(), "{}", stderr(&result));
        assert!(fs::read(&output).unwrap() == expected, "{}", input.display());
    }
    // Several files are one collection.
    let parts = [
        folder.write("1.jsonl", first_lines(&lines, 0, 200)),
        folder.write("2.jsonl", first_lines(&lines, 200, 500)),
    ];
    let output = folder.path("parts.firmament");
    assert!(build(&[&parts[0], &parts[1]], &output, &[]).status.success());
    assert!(fs::read(&output).unwrap() == expected);
    let output = folder.path("stdin.firmament");
    let mut child = tools(&[&"build", &"-", &"--output", &output])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(fs::read(&output).unwrap() == expected);
}

fn first_lines(lines: &[String], from: usize, to: usize) -> String {
    lines[from..to].concat()
}

#[test]
fn a_reject_means_no_snapshot_and_exit_code_3() {
    let folder = Folder::new();
    let bad = "{\"id\":\"bad\",\"name\":\"x\",\"employee_count\":-1}\n";
    let input = folder.write("in.jsonl", record(1) + bad + &record(2) + &record(1));
    let output = folder.path("out.firmament");
    let result = build(&[&input], &output, &[]);
    assert_eq!(result.status.code(), Some(3));
    let text = stderr(&result);
    assert!(text.contains("in.jsonl:2: record \"bad\": employee_count is -1"), "{text}");
    assert!(text.contains("in.jsonl:4: record \"id-1\": id stands already at"), "{text}");
    assert!(text.contains("in.jsonl:1: ids are unique"), "{text}");
    assert!(text.contains("2 of 4 records were rejected, 0 are allowed"), "{text}");
    // No snapshot, no temporary file; but the list of rejects.
    assert_eq!(folder.names(), ["in.jsonl", "out.firmament.rejects.jsonl"]);
    let rejects = fs::read_to_string(folder.path("out.firmament.rejects.jsonl")).unwrap();
    let first: serde_json::Value = serde_json::from_str(rejects.lines().next().unwrap()).unwrap();
    assert_eq!((&first["line"], &first["id"]), (&2.into(), &"bad".into()));
    assert_eq!(first["field"], "employee_count");
    assert_eq!(rejects.lines().count(), 2);

    for (allowed, code) in [("1", 3), ("2", 0), ("49%", 3), ("50%", 0)] {
        let result = build(&[&input], &output, &["--max-rejects", allowed]);
        assert_eq!(result.status.code(), Some(code), "{allowed}");
    }
    assert_eq!(num_docs(&output), 2);
}

#[test]
fn a_failed_build_leaves_the_old_snapshot() {
    let folder = Folder::new();
    let output = folder.path("out.firmament");
    assert!(build(&[&folder.write("good.jsonl", record(1))], &output, &[]).status.success());
    let old = fs::read(&output).unwrap();
    for (name, bytes, words) in [
        ("bad.jsonl", b"nonsense\n".to_vec(), "neither an object nor an array"),
        ("utf16.jsonl", b"{\0\"\0".to_vec(), "UTF-16"),
        ("cut.jsonl.gz", gzip(record(1))[..20].to_vec(), "cannot read"),
        ("empty.jsonl", b"\n\n".to_vec(), "no record"),
    ] {
        let result = build(&[&folder.write(name, bytes)], &output, &[]);
        assert!(matches!(result.status.code(), Some(1 | 3)), "{name}");
        assert!(stderr(&result).contains(words), "{name}: {}", stderr(&result));
        assert!(fs::read(&output).unwrap() == old, "{name}");
    }
    let long = format!("{{\"id\":\"a\",\"name\":\"{}\"}}\n{}", "x".repeat(2 << 20), record(2));
    let result = build(&[&folder.write("long.jsonl", long)], &output, &["--max-rejects", "1"]);
    assert!(result.status.success() && stderr(&result).contains("longer than 1048576 bytes"));
    assert_eq!(num_docs(&output), 1);
}

#[test]
fn bad_usage_is_exit_code_2() {
    let folder = Folder::new();
    let input = folder.write("in.jsonl", record(1));
    for arguments in [
        vec!["build"],
        vec!["build", input.to_str().unwrap()],
        vec!["build", input.to_str().unwrap(), "--output", input.to_str().unwrap()],
        vec!["build", "-", "-", "--output", "x"],
        vec!["build", "a", "--output", "b", "--max-rejects", "-1"],
        vec!["build", "a", "--output", "b", "--memory", "2GiBs"],
        vec!["build", "a", "--output", "b", "--memory", "1M"],
        vec!["build", "a", "--output", "b", "--threads", "0"],
        vec!["nonsense"],
    ] {
        let output = tools(&[]).args(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
    let absent = folder.path("absent.jsonl");
    let result = build(&[&absent], &folder.path("out"), &[]);
    assert_eq!(result.status.code(), Some(1));
    assert!(stderr(&result).contains("absent.jsonl"), "{}", stderr(&result));
}

#[test]
fn the_report_in_json_says_what_was_built_and_the_temporary_folder_is_used() {
    let folder = Folder::new();
    let input = folder.write("in.jsonl", (0..50).map(record).collect::<String>() + "nonsense\n");
    let output = folder.path("out.firmament");
    let elsewhere = folder.path("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let left = elsewhere.join(".firmament-left.tmp");
    fs::write(&left, "of a killed build").unwrap();
    let options = ["--json", "--max-rejects", "1", "--memory", "64MiB", "--threads", "3"];
    let result = build(
        &[&input],
        &output,
        &[&options[..], &["--temp-dir", elsewhere.to_str().unwrap()]].concat(),
    );
    assert!(result.status.success(), "{}", stderr(&result));
    assert!(!left.exists());
    let report: serde_json::Value = serde_json::from_slice(&result.stdout).unwrap();
    assert_eq!((&report["records"], &report["rejects"]), (&51.into(), &1.into()));
    assert_eq!(report["businesses"], 50);
    assert_eq!(report["output_bytes"], fs::metadata(&output).unwrap().len());
    assert_eq!(report["input_bytes"], fs::metadata(&input).unwrap().len());
    let phases: Vec<&str> = report["phases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["phase"].as_str().unwrap())
        .collect();
    assert_eq!(
        phases,
        ["read", "sort", "analyze", "columns", "merge", "encode", "derive", "publish"]
    );
    let sections = report["sections"].as_array().unwrap();
    let bytes: u64 = sections.iter().map(|section| section["bytes"].as_u64().unwrap()).sum();
    assert!(bytes < fs::metadata(&output).unwrap().len() && sections[3]["section"] == "Documents");
    assert!(!cfg!(target_os = "linux") || report["peak_memory_bytes"].as_u64().unwrap() > 1 << 20);
    let result =
        build(&[&input], &output, &["--temp-dir", folder.path("absent").to_str().unwrap()]);
    assert_eq!(result.status.code(), Some(1));
    assert!(stderr(&result).contains("--temp-dir"), "{}", stderr(&result));
}

#[test]
fn verify_and_inspect() {
    let folder = Folder::new();
    let output = folder.path("out.firmament");
    let input = folder.write("in.jsonl", include_str!("../../data/businesses.jsonl"));
    assert!(build(&[&input], &output, &[]).status.success());
    let result = tools(&[&"verify", &output]).output().unwrap();
    assert!(
        result.status.success() && String::from_utf8_lossy(&result.stdout).contains("is whole")
    );
    let result = tools(&[&"inspect", &output, &"--json"]).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&result.stdout).unwrap();
    let lines = include_str!("../../data/businesses.jsonl").lines().count();
    assert_eq!(report["records"], lines);
    assert_eq!(report["top_industries"][0]["name"], "Software");
    assert_eq!(report["top_countries"][0]["name"], "United States");
    let mut bytes = fs::read(&output).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let damaged = folder.write("damaged.firmament", bytes);
    let result = tools(&[&"verify", &damaged]).output().unwrap();
    assert_eq!(result.status.code(), Some(4));
    assert!(stderr(&result).contains("is damaged in"), "{}", stderr(&result));
}

#[test]
fn generated_records_are_built_and_the_same_for_the_same_seed() {
    let folder = Folder::new();
    let generate = |seed: &str, name: &str| {
        let path = folder.path(name);
        let arguments: [&dyn AsRef<std::ffi::OsStr>; 8] =
            [&"generate", &"-n", &"2000", &"--seed", &seed, &"--oddities", &"--output", &path];
        assert!(tools(&arguments).output().unwrap().status.success());
        path
    };
    let (a, b, c) = (generate("1", "a"), generate("1", "b"), generate("2", "c"));
    assert!(fs::read(&a).unwrap() == fs::read(&b).unwrap());
    assert!(fs::read(&a).unwrap() != fs::read(&c).unwrap());
    let output = folder.path("out.firmament");
    let result = build(&[&a], &output, &[]);
    assert!(result.status.success(), "{}", stderr(&result));
    assert_eq!(num_docs(&output), 2000);
}

#[test]
fn a_workload_is_written_and_timed() {
    let folder = Folder::new();
    let snapshot = folder.path("out.firmament");
    let input = folder.write("in.jsonl", include_str!("../../data/businesses.jsonl"));
    assert!(build(&[&input], &snapshot, &[]).status.success());
    let [mix, beyond, shapes] =
        ["mix.tsv", "beyond.tsv", "shapes.tsv"].map(|name| folder.path(name));
    let result = tools(&[&"workload", &snapshot, &"-n", &"200", &"--output", &mix])
        .args(["--beyond".as_ref(), beyond.as_os_str()])
        .args(["--shapes".as_ref(), shapes.as_os_str()])
        .output()
        .unwrap();
    assert!(result.status.success(), "{}", stderr(&result));
    for file in [&mix, &beyond, &shapes] {
        let result = tools(&[&"query", &snapshot, &"--workload", file, &"--json", &"--slowest=3"])
            .output()
            .unwrap();
        assert!(result.status.success(), "{}", stderr(&result));
        let report: serde_json::Value = serde_json::from_slice(&result.stdout).unwrap();
        let lines = fs::read_to_string(file).unwrap().lines().count();
        assert_eq!(report["all"]["count"], lines);
        assert_eq!(report["slowest"].as_array().unwrap().len(), 3);
        assert_eq!(report["slowest"][0]["us"], report["all"]["max_us"]);
        let classes = report["classes"].as_array().unwrap();
        let sum: u64 = classes.iter().map(|class| class["count"].as_u64().unwrap()).sum();
        assert_eq!(sum, lines as u64);
    }
    // Cursors belong to one snapshot; a line names what is at fault.
    let other = folder.path("other.firmament");
    assert!(build(&[&folder.write("other.jsonl", record(1))], &other, &[]).status.success());
    let bad = folder.write("bad.tsv", "name\tq=a\nname\tlimit=0\n");
    let without_tab = folder.write("without.tsv", "q=a\n");
    for (file, code, words) in
        [(&mix, 2, "cursor_expired"), (&bad, 2, "bad.tsv:2: "), (&without_tab, 1, "no tab")]
    {
        let result = tools(&[&"query", &other, &"--workload", file]).output().unwrap();
        assert_eq!(result.status.code(), Some(code));
        assert!(stderr(&result).contains(words), "{}", stderr(&result));
    }
}

#[test]
fn a_walk_shows_every_business_there_and_back() {
    let folder = Folder::new();
    let snapshot = folder.path("out.firmament");
    let records = include_str!("../../data/businesses.jsonl");
    assert!(build(&[&folder.write("in.jsonl", records)], &snapshot, &[]).status.success());
    let all = records.lines().count();
    for (query_string, total) in [
        ("limit=7", Some(all)),
        ("sort=name&order=desc", Some(all)),
        ("q=zzzzqx", Some(0)),
        ("q=software", None),
    ] {
        let result =
            tools(&[&"query", &snapshot, &query_string, &"--walk", &"--json"]).output().unwrap();
        assert!(result.status.success(), "{query_string}: {}", stderr(&result));
        let report: serde_json::Value = serde_json::from_slice(&result.stdout).unwrap();
        let found = report["total"].as_u64().unwrap() as usize;
        assert_eq!(found, total.unwrap_or(found), "{query_string}");
        let limit = if query_string == "limit=7" { 7 } else { 20 };
        assert_eq!(report["pages"], found.div_ceil(limit).max(1), "{query_string}");
        assert!(report["forwards"]["first_us"].as_f64().unwrap() > 0.0);
    }
    let result = tools(&[&"query", &snapshot, &"--walk", &"--explain"]).output().unwrap();
    assert_eq!(result.status.code(), Some(2));
}

#[test]
fn an_operator_gives_places_names() {
    let folder = Folder::new();
    let place = |id: u32, city: &str| {
        format!("{{\"id\":\"{id}\",\"name\":\"n\",\"location\":{{\"city\":\"{city}\"}}}}\n")
    };
    let input =
        folder.write("in.jsonl", place(1, "Mumbai") + &place(2, "Bombay") + &place(3, "Goa"));
    let names = folder.write("names.tsv", "# old names\ncity\tBom Bahia\tMumbai\n");
    let output = folder.path("out.firmament");
    let result = build(&[&input], &output, &["--place-aliases", names.to_str().unwrap()]);
    assert!(result.status.success(), "{}", stderr(&result));
    let snapshot = Snapshot::open(&output).unwrap();
    for (location, total) in
        [("bom-bahia", 2), ("city:Bom Bahia", 2), ("\"Bom Bahia\"", 0), ("Mumbai", 2), ("Goa", 1)]
    {
        let query = Query { locations: vec![location.to_owned()], ..Query::default() };
        assert_eq!(search(&snapshot, &query, &mut Scratch::default()).total, total, "{location}");
    }

    let names = folder.write("bad.tsv", "city\tBom Bahia\n");
    let result = build(&[&input], &output, &["--place-aliases", names.to_str().unwrap()]);
    assert_eq!(result.status.code(), Some(1));
    let told = stderr(&result);
    assert!(told.contains("bad.tsv: line 1: 2 columns were given; a row is"), "{told}");
    let result =
        build(&[&input], &output, &["--place-aliases", folder.path("none.tsv").to_str().unwrap()]);
    assert_eq!(result.status.code(), Some(1));
}
