//! `firmament-tools check` reads as `build` does, writes nothing, and says what would mend faults.

use super::operator::{Folder, record, stderr, stdout, tools};
use super::parquet_files::{ID_AND_NAME, Writing, parquet, texts};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

fn check(inputs: &[&Path], more: &[&str]) -> Output {
    tools(&[&"check"]).args(inputs).args(more).output().unwrap()
}

/// The report as JSON.
fn report(inputs: &[&Path], more: &[&str]) -> Value {
    let result = check(inputs, &[&["--json"], more].concat());
    assert!(matches!(result.status.code(), Some(0 | 3)), "{}", stderr(&result));
    serde_json::from_slice(&result.stdout).unwrap()
}

/// A number for every option that was tried for a field: what it would leave.
fn mends(report: &Value, field: &str) -> Vec<(String, u64)> {
    let mends = report["mends"].as_array().unwrap().iter();
    let of_field = mends.filter(|mend| mend["field"] == field);
    let shown = |mend: &Value| {
        (mend["option"].as_str().unwrap().to_owned(), mend["left"].as_u64().unwrap())
    };
    of_field.map(shown).collect()
}

#[test]
fn what_was_understood_is_shown_and_nothing_written() {
    let folder = Folder::new();
    let rows: String = (1..=20).map(|row| format!("k{row};Weber {row};Ulm;;5\n")).collect();
    let text = format!("Nr;Firma;Ort;Telefon;Mitarbeiter\n;;;;\n{rows};;;;\n");
    let input = folder.write("firmen.csv", text);
    let options =
        ["--delimiter", ";", "--map", "id=Nr", "--map", "name=Firma", "--map", "city=Ort"];
    let options = [&options[..], &["--map", "employee_count=Mitarbeiter"]].concat();
    let result = check(&[&input], &options);
    assert_eq!(result.status.code(), Some(0), "{}", stderr(&result));
    let text = stdout(&result);
    for line in [
        "csv, cells separated by ';'",
        "20 records: a build would take 20 and reject 0; 2 rows without any value are passed over",
        "not used: \"Telefon\"",
        "{\"id\":\"k10\",\"name\":\"Weber 10\"",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    for (name, value) in [("\"Firma\"", "name"), ("location.city", "100.0 %"), ("website", "0.0 %")]
    {
        let line = text.lines().find(|line| line.trim_start().starts_with(name));
        assert!(line.is_some_and(|line| line.ends_with(value)), "{name}\n{text}");
    }
    assert!(!text.contains("k11") && !text.contains("Faults"), "{text}");
    assert_eq!(folder.names(), ["firmen.csv"]);
    let report = report(&[&input], &options);
    assert_eq!((&report["records"], &report["rejects"]), (&20.into(), &0.into()));
    assert_eq!(report["filled"]["employee_count"], 20);
    assert_eq!(report["samples"].as_array().unwrap().len(), 10);
    let column = &report["inputs"][0]["columns"][4];
    assert_eq!(
        (&column["name"], &column["fields"][0]),
        (&"Mitarbeiter".into(), &"employee_count".into())
    );
}

#[test]
fn the_number_format_that_fits_the_column_is_named() {
    let folder = Folder::new();
    let table = |counts: &[&str]| {
        let row = |(at, count): (usize, &&str)| format!("{at},A{at},\"{count}\"\n");
        "id,name,employee_count\n".to_owned()
            + &counts.iter().enumerate().map(row).collect::<String>()
    };
    let all = |found: &[(String, u64)]| {
        let fits = found.iter().filter(|(_, left)| *left == 0);
        fits.map(|(option, _)| option.trim_start_matches("--number-format ").to_owned())
            .collect::<Vec<_>>()
    };
    for (counts, fitting) in [
        (&["1,200", "15", "12,345,678"][..], &["en"][..]),
        (&["1.200", "15", "3.400,0"], &["de"]),
        (&["1 200", "15"], &["fr"]),
        (&["1'200", "15"], &["ch"]),
        (&["1,20,000", "15"], &["in"]),
    ] {
        let report = report(&[&folder.write("a.csv", table(counts))], &[]);
        assert_eq!(all(&mends(&report, "employee_count")), fitting, "{counts:?}");
    }
    // One format reads some, and another some others: none fits.
    let mixed = report(&[&folder.write("a.csv", table(&["1,200", "1.200,5", "3,400"]))], &[]);
    assert!(all(&mends(&mixed, "employee_count")).is_empty());
    let result = check(&[&folder.write("a.csv", table(&["1,200", "x", "2"]))], &[]);
    assert_eq!(result.status.code(), Some(3));
    let text = stdout(&result);
    assert!(text.contains("Faults:\n  employee_count"), "{text}");
    assert!(text.contains("--number-format en") && text.contains("leaves 1 faults"), "{text}");
    assert!(stderr(&result).contains("a build would reject 2 of 3 records"), "{}", stderr(&result));
    let bands = report(&[&folder.write("a.csv", table(&["11-50", "10,001+"]))], &[]);
    assert_eq!(mends(&bands, "employee_count"), [("--bands lower".to_owned(), 0)]);
}

#[test]
fn every_format_is_checked_and_ids_are_compared() {
    let folder = Folder::new();
    let lines = folder
        .write("a.jsonl", record(1) + &record(2) + "{\"id\":\"x\",\"name\":\"X\",\"fax\":1}\n");
    let rows = parquet(
        ID_AND_NAME,
        &[(0, texts(&["id-2", "y"])), (0, texts(&["Again", "Y"]))],
        &Writing::default(),
    );
    let rows = folder.write("b.parquet", rows);
    let found = report(&[&lines, &rows], &[]);
    assert_eq!((&found["records"], &found["rejects"]), (&5.into(), &1.into()));
    assert_eq!(found["faults"][0]["kind"], "id of another record");
    assert!(found["faults"][0]["first"].as_str().unwrap().ends_with("b.parquet, row 1"));
    let keys = found["inputs"][0]["columns"].as_array().unwrap();
    let fax = keys.iter().find(|key| key["name"] == "fax").unwrap();
    assert_eq!(fax["fields"].as_array().unwrap().len(), 0);
    assert_eq!(found["filled"]["name"], 4);
    // What cannot be read is said as a build says it.
    let result = check(&[&folder.write("c.csv", "id;name\n1;A\n")], &[]);
    assert_eq!(result.status.code(), Some(1));
    assert!(stderr(&result).contains("name it with --delimiter ';'"), "{}", stderr(&result));
}
