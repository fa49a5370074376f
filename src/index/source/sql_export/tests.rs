//! Exports as PostgreSQL and MySQL write them.

use super::*;
use std::io::BufReader;

/// Line and `name|city` of good rows, line and reason of bad ones; or why nothing is read.
fn read_with(text: &str, columns: Option<&[&str]>) -> Result<Vec<String>, String> {
    let columns: Option<Vec<String>> =
        columns.map(|names| names.iter().map(|&name| name.to_owned()).collect());
    let options = TableOptions { delimiter: b'\t', columns: columns.as_deref() };
    let read = |buffer_bytes: usize| -> io::Result<Vec<String>> {
        let mapping = Mapping::default();
        let reader = BufReader::with_capacity(buffer_bytes, text.as_bytes());
        let mut export = SqlExport::new(reader, &options)?;
        let binding = options.bind(export.names(), &mapping)?;
        export.bind(binding);
        let mut shown = Vec::new();
        while let Some(block) = export.next()? {
            let parsed = block.parse(&mapping);
            shown.extend((parsed.blank > 0).then(|| format!("{} blank", parsed.blank)));
            shown.extend(parsed.records.into_iter().map(|(line, result)| match result {
                Ok(company) => {
                    let city = company.location.city.unwrap_or_default();
                    format!("{line} {}|{city}", company.name)
                }
                Err(error) => format!("{line}! {}", error.faults[0].reason),
            }));
        }
        Ok(shown)
    };
    let all = [1, 2, 5, 4096].map(|buffer_bytes| read(buffer_bytes).map_err(|e| e.to_string()));
    assert!(all.iter().all(|other| *other == all[0]), "{text}: {all:?}");
    all.into_iter().next().unwrap()
}

fn read(text: &str) -> Vec<String> {
    read_with(text, None).unwrap()
}

#[test]
fn rows_end_where_no_backslash_is() {
    let text = "id\tname\tcity\n1\tA\\tB\\\\\\nC\t\\N\n2\tOne\\\nTwo\tGr\\\taz\r\n\n3\t\\N\tx\n4\t\\\\N\tx\n";
    assert_eq!(
        read(text),
        ["2 A\tB\\\nC|", "3 One\nTwo|Gr\taz", "6! is null; every record needs one", "7 \\N|x"]
    );
    assert_eq!(read("id\tname\n1\tA"), ["2 A|"]);
    assert_eq!(
        read("id\tname\r\n1\tA\r\n\\N\t\\N\r\n\t \n2\t\\N"),
        ["2 blank", "2 A|", "5! is null; every record needs one"]
    );
}

#[test]
fn faults_are_told() {
    let text = "id\tname\n1\n2\tB\tc\n3\tC\\\\\\012\n4\tD\\";
    let shown = read(text);
    assert!(shown[0].starts_with("2! has 1 cells, there are 2 columns"), "{shown:?}");
    assert!(shown[1].starts_with("3! has 3 cells"), "{shown:?}");
    assert!(shown[2].contains("has \\0 before a digit in the column \"name\""), "{shown:?}");
    assert!(shown[3].contains("ends with a backslash that escapes nothing"), "{shown:?}");
    let error = read_with("id\tname\n1\tA\n\\.\nmore\n", None).unwrap_err();
    assert!(error.contains("more text follows the end of the data (\\.) in line 4"), "{error}");
    assert_eq!(read("id\tname\n1\tA\n\\.\n\n"), ["2 A|"]);
    let error = read_with("7\tAcme\tGraz\n", None).unwrap_err();
    assert!(error.contains("name the columns with --columns"), "{error}");
}

#[test]
fn columns_may_be_given() {
    let columns = ["id", "name", "city"];
    assert_eq!(read_with("7\tAcme\tGraz\n", Some(&columns)).unwrap(), ["1 Acme|Graz"]);
    let error = read_with("id\tname\tcity\n7\tAcme\tGraz\n", Some(&columns)).unwrap_err();
    assert!(error.contains("leave out --columns"), "{error}");
}

#[test]
fn the_rows_of_a_dump_are_found() {
    let dump = "--\n-- PostgreSQL database dump\n--\n\n\\restrict abc\nSET client_encoding = 'UTF8';\n\n\
                COPY public.companies (id, name, \"city\") FROM stdin;\n1\tAcme\tGraz\n2\tCopy Shop\t\\N\n\\.\n\n\
                SELECT pg_catalog.setval('x', 1);\n\\unrestrict abc\n";
    assert_eq!(read(dump), ["9 Acme|Graz", "10 Copy Shop|"]);
    let two = format!("{dump}COPY public.other (id) FROM stdin;\n1\n\\.\n");
    let error = read_with(&two, None).unwrap_err();
    assert!(error.contains("several tables, public.companies and public.other"), "{error}");
    let inserts =
        "-- MySQL dump 10.13\n\nDROP TABLE IF EXISTS `t`;\nINSERT INTO `t` VALUES (1,'A');\n";
    let error = read_with(inserts, None).unwrap_err();
    assert!(error.starts_with("it holds INSERT statements"), "{error}");
    let error = read_with("--\nCREATE TABLE t (id int);\n", None).unwrap_err();
    assert!(error.starts_with("it is a dump without rows"), "{error}");
}
