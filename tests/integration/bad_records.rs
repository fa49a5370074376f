//! Records that cannot be taken, format by format: what is said, where, and that the others are
//! taken.

use super::operator::{
    Built, Folder, build, build_in_process, gzip, reading, record, stderr, tools, zstd,
};
use firmament::ids::DocId;
use firmament::index::{Format, Input, MappingOptions};
use std::fs;

/// Builds one input; the folder goes away.
fn build_bytes(format: Format, bytes: impl Into<Vec<u8>>) -> Built {
    let folder = Folder::new();
    let input = [Input::Memory(bytes.into())];
    let read = reading(format, &MappingOptions::default());
    build_in_process(&input, &folder.path("out.firmament"), &read)
}

/// A good record follows the bad one: it must be taken.
#[track_caller]
fn assert_rejected(format: Format, bytes: &[u8], expected: &str) {
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(120)]).into_owned();
    let built = build_bytes(format, bytes);
    let report = built.result.unwrap_or_else(|error| panic!("{shown}: {error}"));
    assert_eq!(built.rejects.len(), 1, "{shown}: {:?}", built.rejects);
    assert!(built.rejects[0].contains(expected), "{shown}\n{}", built.rejects[0]);
    assert_eq!(report.snapshot.num_docs(), 1, "{shown}");
    assert!(report.snapshot.doc_by_id("good").is_some(), "{shown}");
}

const GOOD: &str = r#"{"id":"good","name":"Good"}"#;

/// JSON that is no acceptable record, and what is said of it.
fn bad_json() -> Vec<(Vec<u8>, &'static str)> {
    let text = |text: &str| text.as_bytes().to_vec();
    let nested = |depth: usize| {
        format!(r#"{{"id":"a","name":"b","x":{}{}}}"#, "[".repeat(depth), "]".repeat(depth))
            .into_bytes()
    };
    let employees =
        |value: &str| format!(r#"{{"id":"a","name":"b","employee_count":{value}}}"#).into_bytes();
    let id = |value: &str| format!(r#"{{"id":{value},"name":"b"}}"#).into_bytes();
    let mut rows = vec![
        // Encoding.
        (b"{\"id\":\"a\",\"name\":\"\xff\"}".to_vec(), "is not UTF-8 at byte 19 of the record"),
        (b"{\"id\":\"a\",\"name\":\"\xc0\xaf\"}".to_vec(), "is not UTF-8 at byte 19"),
        (b"{\"id\":\"a\",\"name\":\"b\",\"x\":\"\xed\xa0\x80\"}".to_vec(), "is not UTF-8"),
        (text(r#"{"id":"a","name":"\ud800"}"#), "is not valid JSON"),
        (text(r#"{"id":"a","name":"\ud800","x":1}"#), "is not valid JSON"),
        (b"{\"id\":\"a\",\"name\":\"b\0\"}".to_vec(), "is not valid JSON"),
        (b"{\"id\":\"a\",\"name\":\"b\tc\"}".to_vec(), "is not valid JSON"),
        (text(r#"{"id":"a","name":"b\u0000"}"#), "name holds a NUL character (\\u0000); remove it"),
        // Nesting.
        (nested(33), "is nested deeper than 32 levels: flatten it"),
        (nested(1_024), "is nested deeper"),
        (nested(100_000), "is nested deeper"),
        // Structure.
        (text(r#"{"id":"a","id":"a","name":"b"}"#), "id stands twice in the record: keep one"),
        (text(r#"{"id":"a","name":"b","location":{},"location":{}}"#), "location stands twice"),
        (text(r#"{"id":"a","name":"b","location":["x","y"]}"#), "location is a list of 2 values"),
        (text(r#"[{"id":"a","name":"b"}]"#), "is no JSON object: every record must be one {…}"),
        (text("\"text\""), "is no JSON object"),
        // Ids.
        (text(r#"{"name":"b"}"#), "id is missing; every record needs one"),
        (id("null"), "id is null; every record needs one"),
        (id("\"\""), "id is empty; every record needs one"),
        (id("\" \u{3000} \""), "id is empty"),
        (id("1.0"), "id is the number 1.0; accepted is a text or a whole number"),
        (id("1e3"), "id is the number 1000.0"),
        (id("true"), "id is true"),
        (id("{}"), "id is an object"),
        // Numbers.
        (employees("-1"), "employee_count is -1; negative numbers are not accepted"),
        (employees("1.5"), "employee_count is 1.5; accepted are whole numbers up to 2^53"),
        (employees("5e-324"), "accepted are whole numbers"),
        (employees("9007199254740994.0"), "accepted are whole numbers up to 2^53"),
        (employees("[1,2]"), "employee_count is a list of 2 values; one is accepted"),
        (employees("9223372036854775808"), "whole numbers from 0 to 9223372036854775807"),
        (employees("NaN"), "is not valid JSON"),
        (employees("-Infinity"), "is not valid JSON"),
        (employees("\"NaN\""), "employee_count is the text \"NaN\""),
        (employees("01"), "is not valid JSON"),
        (employees("+1"), "is not valid JSON"),
    ];
    // Too long for a record, and too long for a field.
    let long = |len: usize| format!(r#"{{"id":"a","name":"{}"}}"#, "x".repeat(len)).into_bytes();
    rows.push((long(2 << 20), "is longer than 1048576 bytes: shorten or leave out the record"));
    rows.push((long((64 << 10) + 1), "name is 65537 bytes long; at most 65536 bytes are accepted"));
    rows
}

#[test]
fn bad_json_is_rejected_line_by_line() {
    for (bad, expected) in bad_json() {
        let bytes = [&bad, b"\n".as_slice(), GOOD.as_bytes()].concat();
        assert_rejected(Format::JsonLines, &bytes, expected);
        let built = build_bytes(Format::JsonLines, [b"\n\r\n".as_slice(), &bytes].concat());
        assert!(built.rejects[0].starts_with("memory:3: "), "{}", built.rejects[0]);
    }
    // Only in lines: more than one value on one.
    for bad in [
        r#"{"id":"a","name":"b"} {"id":"c","name":"d"}"#,
        r#"{"id":"a","name":"b"}{}"#,
        r#"{"id":"a","name":"b"} x"#,
        r#"{"id":"a","name":"b"},"#,
        r#"{"id":"a","name":"b""#,
        r#"{"id":"a","name":"b"}}"#,
    ] {
        let bytes = format!("{bad}\n{GOOD}\n");
        assert_rejected(Format::JsonLines, bytes.as_bytes(), "is not valid JSON");
    }
}

#[test]
fn bad_json_is_rejected_element_by_element() {
    for (bad, expected) in bad_json() {
        let bytes = [b"[".as_slice(), &bad, b",\n", GOOD.as_bytes(), b"]"].concat();
        assert_rejected(Format::Json, &bytes, expected);
        let built = build_bytes(Format::Json, bytes);
        assert!(built.rejects[0].starts_with("memory, element 1: "), "{}", built.rejects[0]);
    }
}

#[test]
fn numbers_beyond_64_bits_are_refused_and_zero_has_one_sign() {
    for value in ["18446744073709551616", "1e400", "-1e400", "99999999999999999999999"] {
        let bad = format!(r#"{{"id":"a","name":"b","employee_count":{value}}}"#);
        let built = build_bytes(Format::JsonLines, bad);
        assert_eq!(built.rejects.len(), 1, "{value}");
        let bad = format!(r#"{{"id":{value},"name":"b"}}"#);
        assert_eq!(build_bytes(Format::JsonLines, bad).rejects.len(), 1, "{value}");
    }
    for (format, bytes) in [
        (Format::JsonLines, r#"{"id":"a","name":"b","employee_count":-0}"#),
        (Format::Csv, "id,name,employee_count\na,b,-0\n"),
    ] {
        let report = build_bytes(format, bytes).result.unwrap();
        let counts = [0, 1].map(|doc| report.snapshot.employee_counts().get(DocId(doc)));
        assert_eq!(counts, [Some(0), None]);
    }
}

#[test]
fn bad_rows_are_rejected_one_by_one() {
    let long = format!("a,\"{}\",,", "x".repeat(100 << 20));
    let rows: Vec<(Vec<u8>, &str)> = vec![
        (b"a\xff,b,,".to_vec(), "is not UTF-8 at byte 2 of the column \"id\""),
        (
            b"a,b\xc0\xaf,,".to_vec(),
            "record \"a\": name is not UTF-8 at byte 2 of the column \"name\"",
        ),
        (b"a,b\0,,".to_vec(), "name holds a NUL character"),
        (
            b"a,b,".to_vec(),
            "has 3 cells, the header has 4: quote a value that holds a separator or a line end",
        ),
        (b"a,b,,,,".to_vec(), "has 6 cells, the header has 4"),
        (b"a".to_vec(), "has 1 cells"),
        (b",b,,".to_vec(), "id is empty; every record needs one"),
        (b"\" \",b,,".to_vec(), "id is empty"),
        (b"a,,,".to_vec(), "record \"a\": name is empty"),
        (b"a,b,-1,".to_vec(), "employee_count is -1; negative numbers are not accepted"),
        (b"a,b,1.5,".to_vec(), "employee_count is 1.5; whole numbers are accepted"),
        (b"a,b,1e3,".to_vec(), "employee_count is the text \"1e3\""),
        (b"a,b,NaN,".to_vec(), "employee_count is the text \"NaN\""),
        (b"a,b,Infinity,".to_vec(), "employee_count is the text \"Infinity\""),
        (b"a,b,\"1,234\",".to_vec(), "employee_count is the text \"1,234\""),
        (b"a,b,9223372036854775808,".to_vec(), "whole numbers from 0 to 9223372036854775807"),
        (b"a,b,18446744073709551616,".to_vec(), "that is more than any accepted number"),
        (b"a,b,,0".to_vec(), "founded_year is 0; whole numbers from 1 to 9999 are accepted"),
        (
            b"a,b,,01-01-20".to_vec(),
            "founded_year is the text \"01-01-20\", a date whose year has two",
        ),
        (
            b"a,b,,43831".to_vec(),
            "founded_year is 43831; years from 1 to 9999 are accepted: if it is a date",
        ),
        (
            b"a,,-1,0".to_vec(),
            "name is empty; every record needs one; employee_count is -1; negative",
        ),
        (
            b"a,\"K\" Line,,".to_vec(),
            "has more text behind a closing quotation mark in the column \"name\": put the whole value in",
        ),
        (b"\"a\"bc,d,,".to_vec(), "behind a closing quotation mark in the column \"id\""),
        (long.into_bytes(), "is longer than 1048576 bytes"),
    ];
    for (bad, expected) in rows {
        let header = b"id,name,employee_count,founded_year\n".as_slice();
        let bytes = [header, &bad, b"\ngood,Good,1,2\n"].concat();
        assert_rejected(Format::Csv, &bytes, expected);
        if bad.len() < 100 {
            // Quotation marks around a comma would stand around a tab.
            let tabs: Vec<u8> = if expected.contains("1,234") {
                continue;
            } else {
                bytes.iter().map(|&byte| if byte == b',' { b'\t' } else { byte }).collect()
            };
            assert_rejected(Format::Tsv, &tabs, expected);
        }
    }
}

#[test]
fn cells_are_data_whatever_they_hold() {
    let csv =
        "id,name,description\n1,=cmd|'/c calc'!A1,\"<script>alert(1)</script> {\"\"x\"\":[]}\"\n";
    let snapshot = build_bytes(Format::Csv, csv).result.unwrap().snapshot;
    let json = String::from_utf8(snapshot.document(firmament::ids::DocId(0))).unwrap();
    assert!(json.contains(r#""name":"=cmd|'/c calc'!A1""#), "{json}");
    assert!(json.contains(r#""description":"<script>alert(1)</script> {\"x\":[]}""#), "{json}");
}

#[test]
fn what_is_wrong_with_a_whole_input_is_an_error() {
    let utf16: Vec<u8> = "id,name".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let rows: Vec<(&str, Vec<u8>, &str)> = vec![
        ("a.csv", utf16.clone(), "it looks like UTF-16 without the mark that it should begin with"),
        ("a.jsonl.gz", gzip(&utf16), "say --encoding utf-16le"),
        ("a.csv", [b"\xff\xfe\0\0".as_slice(), &utf16].concat(), "it is UTF-32: convert it"),
        ("a.csv", b"id,name,id\n".to_vec(), "the column \"id\" stands twice: rename or remove one"),
        (
            "a.csv",
            b"id,title\n".to_vec(),
            "there is no column \"name\"; name it with --map name=COLUMN",
        ),
        ("a.csv", b"name\nx\n".to_vec(), "there is no column \"id\""),
        ("a.csv", b"id;name\n1;x\n".to_vec(), "name it with --delimiter"),
        (
            "a.csv",
            b"id,name\n1,x\n2,\"y\n3,z\n".to_vec(),
            "the quotation mark opened in line 3 is still open at the end of the file: close it, or",
        ),
        (
            "a.csv",
            b"id,name\n1,x\n2,\"y\n3,z\n4,\"a, b\"\n".to_vec(),
            "the quotation mark opened in line 3 closes in line 5 and has more text behind it",
        ),
        ("a.tsv", b"id\tname\n1\t\"x\n".to_vec(), "the quotation mark opened in line 2"),
        ("a.json", format!("[{GOOD}").into_bytes(), "the array has no end: the file is cut off"),
        (
            "a.json",
            format!("[{GOOD}] good").into_bytes(),
            "more text follows, and is neither an object nor an array",
        ),
        ("a.json", format!("[{GOOD} {GOOD}]").into_bytes(), "no comma between two elements"),
        ("a.xlsx", b"PK\x03\x04".to_vec(), "it is packed as zip, "),
        ("a.dat", b"1".to_vec(), "it is unclear what it holds"),
        (
            "a.txt",
            b"id,name\n".to_vec(),
            "say --format jsonl, json, csv, tsv, sql-export or parquet",
        ),
        ("a.gz", gzip(gzip(record(1))), "it is compressed twice: unpack it once"),
        ("a.jsonl.gz", gzip(record(1))[..20].to_vec(), "gzip data are damaged or cut off"),
        ("a.jsonl.gz", [gzip(record(1)), b"trailing".to_vec()].concat(), "damaged or cut off"),
        ("a.jsonl.zst", zstd(record(1))[..20].to_vec(), "zstd data are damaged or cut off"),
        ("a.zst", zstd::encode_all(record(1).as_bytes(), 3).unwrap(), "zstd without a checksum"),
        ("bomb.gz", gzip(vec![b'\n'; 65 << 20]), "it unpacks to more than 200 times its size"),
        ("a.parquet", record(1).into_bytes(), "it is no Parquet file"),
        ("a.parquet", Vec::new(), "it is no Parquet file"),
    ];
    for (name, bytes, expected) in rows {
        let folder = Folder::new();
        let input = folder.write(name, bytes);
        let output = folder.path("out.firmament");
        let result = build(&[&input], &output, &[]);
        assert_eq!(result.status.code(), Some(1), "{name}: {expected}");
        let text = stderr(&result);
        let line = text.lines().find(|line| line.starts_with("firmament-tools: cannot read "));
        assert!(line.is_some_and(|line| line.contains(name) && line.contains(expected)), "{text}");
        assert!(!output.exists(), "{name}");
    }
}

#[test]
fn rows_behind_an_open_mark_are_no_single_reject() {
    let folder = Folder::new();
    let row = |id: usize| format!("{id},{}Name {id}\n", if id == 3_000 { "\"" } else { "" });
    let input =
        folder.write("a.csv", "id,name\n".to_owned() + &(1..8_000).map(row).collect::<String>());
    let output = folder.path("out.firmament");
    let result = build(&[&input], &output, &["--max-rejects", "1"]);
    assert_eq!(result.status.code(), Some(1));
    assert!(
        stderr(&result).contains("a.csv: the quotation mark opened in line 3001"),
        "{}",
        stderr(&result)
    );
    assert!(!output.exists());
}

#[test]
fn duplicates_name_both_places() {
    let folder = Folder::new();
    let lines =
        folder.write("a.jsonl", "\n{\"id\":\"x\",\"name\":\"A\"}\n{\"id\":\"y\",\"name\":\"B\"}\n");
    let array = folder.write("b.json", r#"[{"id":"y","name":"B"},{"id":"z","name":"C"}]"#);
    let table = folder.write("c.csv", "id,name\nw,D\nz,Other\nx,A\n");
    let result = build(&[&lines, &array, &table], &folder.path("out.firmament"), &[]);
    assert_eq!(result.status.code(), Some(3));
    let text = stderr(&result);
    for (place, id, first) in [
        ("b.json, element 1", "y", "a.jsonl:3"),
        ("c.csv:3", "z", "b.json, element 2"),
        ("c.csv:4", "x", "a.jsonl:2"),
    ] {
        let line = text.lines().find(|line| line.contains(&format!("{place}: record {id:?}")));
        let line = line.unwrap_or_else(|| panic!("{place}\n{text}"));
        let expected = format!("{first}: ids are unique, keep one of the two records");
        assert!(line.contains("id stands already at ") && line.ends_with(&expected), "{line}");
    }
    let rejects = fs::read_to_string(folder.path("out.firmament.rejects.jsonl")).unwrap();
    let first: serde_json::Value = serde_json::from_str(rejects.lines().next().unwrap()).unwrap();
    assert_eq!(first["element"], 1);
    assert!(first["file"].as_str().unwrap().ends_with("b.json"));
    assert!(!folder.path("out.firmament").exists());
    // Lines are counted whatever ends them.
    for line_end in ["\n", "\r\n", "\r"] {
        let built = build_bytes(Format::Csv, ["id,name", "1,a", "2,b", "2,c", ""].join(line_end));
        let expected = "memory:4: record \"2\": id stands already at memory:3: ids are unique";
        assert!(built.rejects[0].starts_with(expected), "{line_end:?} {:?}", built.rejects);
    }
}

#[cfg(unix)]
#[test]
fn links_devices_and_strange_folders_are_refused() {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    let folder = Folder::new();
    let good = folder.write("good.jsonl", record(1));
    symlink(&good, folder.path("link.jsonl")).unwrap();
    symlink(folder.path("absent"), folder.path("dangling.jsonl")).unwrap();
    let _socket = UnixListener::bind(folder.path("socket.jsonl")).unwrap();
    folder.write("linked/a.jsonl", record(1));
    symlink(&good, folder.path("linked/b.jsonl")).unwrap();
    folder.write("nested/inner/a.jsonl", record(1));
    folder.write("strange/a.jsonl", record(1));
    folder.write("strange/README", "read me");
    fs::create_dir(folder.path("empty")).unwrap();
    symlink(folder.path("strange"), folder.path("folder-link")).unwrap();
    for (name, expected) in [
        ("link.jsonl", "it is a symbolic link: name the file it leads to"),
        ("dangling.jsonl", "it is a symbolic link"),
        ("folder-link", "it is a symbolic link"),
        (
            "socket.jsonl",
            "it is a device, pipe or socket: pass what it gives on standard input (-)",
        ),
        ("/dev/zero", "it is a device, pipe or socket"),
        ("absent", "No such file or directory"),
        ("linked", "b.jsonl in it cannot be read: it is a symbolic link"),
        ("nested", "inner in it is a folder again"),
        ("strange", "README in it has a name that tells no format"),
        ("empty", "it is a folder without a file of records"),
    ] {
        let output = folder.path("out.firmament");
        let result = build(&[&folder.path(name)], &output, &[]);
        assert_eq!(result.status.code(), Some(1), "{name}");
        assert!(stderr(&result).contains(expected), "{name}: {}", stderr(&result));
        assert!(!output.exists());
    }
    // With a format, any file of a folder will do; here one is not what it is said to be.
    let output = folder.path("out.firmament");
    let result = build(&[&folder.path("strange")], &output, &["--format", "jsonl"]);
    assert_eq!(result.status.code(), Some(3));
    assert!(stderr(&result).contains("README:1: is no JSON object"), "{}", stderr(&result));
}

#[test]
fn nothing_that_is_read_is_written() {
    let folder = Folder::new();
    let input = folder.write("in/a.jsonl", record(1));
    let before = fs::read(&input).unwrap();
    let input_folder = folder.path("in");
    let out = folder.path("out.firmament");
    let text = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    for arguments in [
        vec![text(&input), "--output".into(), text(&input)],
        vec![text(&input), "--output".into(), text(&out), "--reject-file".into(), text(&input)],
        vec![text(&input), "--output".into(), text(&out), "--reject-file".into(), text(&out)],
        vec![text(&input_folder), "--output".into(), text(&folder.path("in/out.firmament"))],
        vec![
            text(&input_folder),
            "--output".into(),
            text(&out),
            "--reject-file".into(),
            text(&folder.path("in/rejects.jsonl")),
        ],
    ] {
        let result = tools(&[&"build"]).args(&arguments).output().unwrap();
        assert_eq!(result.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&result).contains("is both"), "{}", stderr(&result));
        assert!(fs::read(&input).unwrap() == before, "{arguments:?}");
        assert!(!out.exists());
    }
}

/// What a process holds at most, in bytes, as the kernel counts it.
#[cfg(target_os = "linux")]
fn peak_memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

#[cfg(target_os = "linux")]
#[test]
fn a_record_without_end_takes_no_memory() {
    use std::io::Write;
    use std::process::Stdio;
    for (format, start, fill) in [
        ("jsonl", &b"{\"id\":\"a\",\"name\":\""[..], b'x'),
        ("json", b"[{\"id\":\"a\",\"name\":\"", b'x'),
        ("json", b"[", b'['),
        ("csv", b"id,name\n1,\"", b'x'),
        ("csv", b"id,name\n1,\"", b'\n'),
    ] {
        let folder = Folder::new();
        let mut child = tools(&[&"build", &"-", &"--format", &format, &"--output"])
            .arg(folder.path("out.firmament"))
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let chunk = vec![fill; 1 << 20];
        stdin.write_all(start).unwrap();
        for _ in 0..4 {
            stdin.write_all(&chunk).unwrap();
        }
        let base = peak_memory(child.id());
        for _ in 0..100 {
            stdin.write_all(&chunk).unwrap();
        }
        let more = peak_memory(child.id()) - base;
        assert!(more < 16 << 20, "{format}: {more} bytes more after 100 MiB");
        drop(stdin);
        let result = child.wait_with_output().unwrap();
        assert!(!result.status.success(), "{format}");
    }
}
