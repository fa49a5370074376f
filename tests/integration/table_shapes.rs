//! Tables as spreadsheets and databases write them: shapes, encodings, exports, and the sentence
//! that is said where a file cannot be read.

use super::operator::{Folder, build, build_in_process, gzip, reading, stderr, zstd};
use firmament::ids::DocId;
use firmament::index::{Format, Input, MappingOptions, ReadOptions};
use firmament::snapshot::Snapshot;
use serde_json::Value;

/// `name|city` of every record, in the static order, for files of these bytes.
#[track_caller]
fn built(name: &str, bytes: impl AsRef<[u8]>, options: &[&str]) -> Vec<String> {
    let folder = Folder::new();
    let output = folder.path("out.firmament");
    let result = build(&[&folder.write(name, bytes)], &output, options);
    assert!(result.status.success(), "{}", stderr(&result));
    let snapshot = Snapshot::open(&output).unwrap();
    let shown = |doc| {
        let json: Value = serde_json::from_slice(&snapshot.document(DocId(doc))).unwrap();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        format!("{}|{}", text(&json["name"]), text(&json["location"]["city"]))
    };
    (0..snapshot.num_docs()).map(shown).collect()
}

/// What is said of a file that is not taken, and the exit code.
fn refused(name: &str, bytes: impl AsRef<[u8]>, options: &[&str]) -> (String, Option<i32>) {
    let folder = Folder::new();
    let output = folder.path("out.firmament");
    let result = build(&[&folder.write(name, bytes)], &output, options);
    assert!(!output.exists());
    (stderr(&result), result.status.code())
}

fn utf_16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

/// As the single-byte encoding of Western Europe has it, for letters below U+0100.
fn latin(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
}

#[test]
fn rows_without_a_value_are_passed_over_and_counted() {
    let folder = Folder::new();
    for (name, text, blank) in [
        ("end.csv", "id,name,city\nk1,Lindner Optik,Jena\n,,\n,,\n,,\n", 3),
        ("between.csv", "id,name,city\n\" \",\"\",\nk1,Lindner Optik,Jena\n , ,\u{a0}\n,,,,,\n", 3),
        ("tabs.tsv", "\t\t\nid\tname\tcity\n\t\t\nk1\tLindner Optik\tJena\n\t\n", 3),
        ("crlf.csv", "id,name,city\r\nk1,Lindner Optik,Jena\r\n,,\r\n\r\n,,", 2),
    ] {
        let read = ReadOptions { format: Format::of_path(name.as_ref()), ..ReadOptions::default() };
        let input = [Input::Memory(text.into())];
        let built = build_in_process(&input, &folder.path("out.firmament"), &read);
        let report = built.result.unwrap();
        assert_eq!(built.rejects, [""; 0], "{name}");
        assert_eq!((report.records, report.blank_rows), (1, blank), "{name}");
    }
    let result =
        build(&[&folder.write("a.csv", "id,name\n1,A\n,\n")], &folder.path("out.firmament"), &[]);
    assert!(stderr(&result).contains("1 rows without any value were passed over"));
    // A row with some value is a record, and says what it lacks.
    let (text, code) = refused("a.csv", "id,name,city\n1,A,\n,,Jena\n", &[]);
    assert!(code == Some(3) && text.contains("a.csv:3: id is empty"), "{text}");
}

#[test]
fn only_columns_that_are_read_must_be_unique() {
    let expected = ["Lindner Optik|Jena"];
    let text = "id,name,fax,city,fax\nk1,Lindner Optik,1,Jena,2\n";
    assert_eq!(built("a.csv", text, &[]), expected);
    let text =
        "name\tname\ttitle\tid\tcity\tnote\tnote\tnote\nx\ty\tLindner Optik\tk1\tJena\t\t\t\n";
    assert_eq!(built("a.tsv", text, &["--map", "name=title"]), expected);
    let text = "id,\"name\",,city,,\nk1,Lindner Optik,,Jena,,\n";
    assert_eq!(built("a.csv", text, &[]), expected);
    for (text, options, column) in [
        ("id,name,name\nk1,a,b\n", &[][..], "name"),
        ("id,name,ort,ort\nk1,a,b,c\n", &["--map", "city=ort"], "ort"),
        ("name,reg,reg\na,b,c\n", &["--id-from", "reg"], "reg"),
    ] {
        let (said, code) = refused("a.csv", text, options);
        assert_eq!(code, Some(1));
        assert!(said.contains(&format!("the column {column:?} stands twice")), "{said}");
    }
}

#[test]
fn text_is_read_in_its_encoding() {
    let expected = ["Škoda & Søn €|Genève", "Zürcher Käse|Köln"];
    let text = "id,name,city\nk1,Škoda & Søn €,Genève\nk2,Zürcher Käse,Köln\n";
    let (le, be) = (utf_16(text, u16::to_le_bytes), utf_16(text, u16::to_be_bytes));
    let marked = |mark: &[u8], bytes: &[u8]| [mark, bytes].concat();
    assert_eq!(built("a.csv", text, &[]), expected);
    assert_eq!(built("a.csv", marked(b"\xef\xbb\xbf", text.as_bytes()), &[]), expected);
    assert_eq!(built("a.csv", marked(b"\xff\xfe", &le), &[]), expected);
    assert_eq!(built("a.csv.gz", gzip(marked(b"\xfe\xff", &be)), &[]), expected);
    assert_eq!(built("a.csv.zst", zstd(&le), &["--encoding", "utf-16le"]), expected);
    // As spreadsheets save "Unicode text".
    let tabs = utf_16(&text.replace(',', "\t").replace('\n', "\r\n"), u16::to_le_bytes);
    let options = ["--format", "tsv"];
    assert_eq!(built("Mappe1.txt", marked(b"\xff\xfe", &tabs), &options), expected);
    // Windows-1252 has the euro and the caron where Latin 1 has nothing.
    let western = text.replace('Š', "\u{8a}").replace('€', "\u{80}");
    for label in ["windows-1252", "cp1252", "latin1"] {
        assert_eq!(built("a.csv", latin(&western), &["--encoding", label]), expected);
    }
    let json =
        latin("[{\"id\":\"k2\",\"name\":\"Zürcher Käse\",\"location\":{\"city\":\"Köln\"}}]");
    assert_eq!(built("a.json", json, &["--encoding", "windows-1252"]), expected[1..]);
    let cyrillic = b"id\tname\tcity\nk1\t\xcc\xe0\xf0\xf1\t\xd3\xf4\xe0\n";
    assert_eq!(built("a.tsv", cyrillic, &["--encoding", "windows-1251"]), ["Марс|Уфа"]);
}

#[test]
fn a_file_in_another_encoding_is_one_sentence() {
    let rows: String = (1..40).map(|row| format!("k{row},Bäckerei {row},Köln\n")).collect();
    let table = format!("id,name,city\n{rows}");
    for (name, bytes, expected) in [
        (
            "a.csv",
            latin(&table),
            "if line 2 reads \"Bäckerei 1\", it is Windows-1252, so say --encoding",
        ),
        ("a.csv.gz", gzip(latin(&table)), "it is not UTF-8"),
        ("a.csv", utf_16(&table, u16::to_le_bytes), "say --encoding utf-16le"),
        ("a.tsv", utf_16(&table, u16::to_be_bytes), "say --encoding utf-16be"),
        ("a.jsonl", latin("{\"id\":\"1\",\"name\":\"Ü\"}\n").repeat(5), "--encoding windows-1252"),
    ] {
        let (text, code) = refused(name, bytes, &["--max-rejects", "100"]);
        assert_eq!((code, text.lines().count()), (Some(1), 1), "{text}");
        assert!(text.contains(expected), "{text}");
    }
    // One damaged record is one record.
    let folder = Folder::new();
    let text = [b"id,name\n1,Caf\xe9\n".as_slice(), "2,Été\n".as_bytes()].concat();
    let input = [Input::Memory(text)];
    let read = reading(Format::Csv, &MappingOptions::default());
    let built = build_in_process(&input, &folder.path("out.firmament"), &read);
    assert_eq!(built.result.unwrap().records, 2);
    let reject = &built.rejects[0];
    assert!(reject.contains("is not UTF-8 at byte 4 of the column \"name\""), "{reject}");
    assert!(reject.contains("--encoding windows-1252"), "{reject}");
    // Half a pair, as a database leaves it that cuts values.
    let cut = [
        &utf_16("id,name\n1,A", u16::to_le_bytes)[..],
        b"\x3d\xd8",
        &utf_16("\n2,B\n", u16::to_le_bytes),
    ];
    let (text, code) = refused("a.csv", cut.concat(), &["--encoding", "utf-16le"]);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("a.csv:2: record \"1\": name is not UTF-8 at byte 2"), "{text}");
    let marked = [b"\xff\xfe".as_slice(), &utf_16("id,name\n1,A\n", u16::to_le_bytes)].concat();
    let (text, _) = refused("a.csv", marked, &["--encoding", "windows-1252"]);
    assert!(text.contains("the mark of UTF-16LE, and --encoding says windows-1252"), "{text}");
    let (text, code) = refused("a.csv", "id,name\n1,A\n", &["--encoding", "klingon"]);
    assert!(code == Some(2) && text.contains("\"klingon\" is no encoding"), "{text}");
}

#[test]
fn separators_are_as_the_file_has_them() {
    let expected = ["Lindner; Optik|Jena", "Weiß, Söhne|Gera"];
    let rows = "id;name;city\nk1;\"Lindner; Optik\";Jena\nk2;Weiß, Söhne;Gera\n";
    for first in ["sep=;\n", "SEP=;\r\n", "\"sep=;\"\n", "\u{feff}sep=;\n"] {
        assert_eq!(built("a.csv", format!("{first}{rows}"), &[]), expected, "{first:?}");
    }
    assert_eq!(built("a.csv", format!("sep=;\n{rows}"), &["--delimiter", ";"]), expected);
    let bars = rows.replace("\"Lindner; Optik\"", "Lindner; Optik").replace(";name;", "|name|");
    let bars = bars
        .replace("k1;", "k1|")
        .replace("k2;", "k2|")
        .replace(";Jena", "|Jena")
        .replace(";Gera", "|Gera");
    assert_eq!(built("a.csv", format!("sep=|\n{bars}"), &[]), expected);
    // Lines are counted from the first one.
    let (text, _) = refused("a.csv", "sep=;\nid;name\nk1\n", &[]);
    assert!(text.contains("a.csv:3: has 1 cells"), "{text}");
    let (text, _) = refused("a.csv", format!("sep=;\n{rows}"), &["--delimiter", "|"]);
    assert!(text.contains("its first line says sep=;, and --delimiter says |"), "{text}");
    for (text, hint) in [
        (rows.to_owned(), "if ';' separates the columns, name it with --delimiter ';'"),
        (rows.replace(';', "\t"), "name it with --delimiter '\\t'"),
        (rows.replace(';', "|"), "name it with --delimiter '|'"),
    ] {
        let (said, code) = refused("a.csv", text, &[]);
        assert!(code == Some(1) && said.contains(hint), "{said}");
    }
}

#[test]
fn every_row_may_end_with_a_separator() {
    let expected = ["Lindner|Jena", "Weiß|"];
    for text in [
        "id,name,city\nk1,Lindner,Jena,\nk2,Weiß,,\n",
        "id,name,city,\nk1,Lindner,Jena,\nk2,Weiß,,\n",
        "id,name,city,\nk1,Lindner,Jena\nk2,Weiß,\n",
        "id,name,city\r\n,,\r\nk1,Lindner,Jena,\" \"\r\n\r\nk2,Weiß,,\r\n",
    ] {
        assert_eq!(built("a.csv", text, &[]), expected, "{text}");
    }
    // What the first row does, all do: else a comma within a value would shift the others.
    for (text, expected) in [
        ("id,name,city\nk1,A,Jena\nk2,Weiß, Söhne,\n", "a.csv:3: has 4 cells, the header has 3"),
        ("id,name,city\nk1,A,Jena,\nk2,Weiß,Gera\n", "a.csv:3: has 3 cells, the first row has 4"),
        (
            "id,name,city\nk1,A,Jena,\nk2,Weiß,Söhne,Gera\n",
            "has a value behind its last column \"city\"",
        ),
        ("id,name,city\nk1,A,Jena,,\n", "a.csv:2: has 5 cells, the header has 3"),
        ("id,name,\nk1\n", "a.csv:2: has 1 cells, the header has 3"),
    ] {
        let (said, code) = refused("a.csv", text, &[]);
        assert!(code == Some(3) && said.contains(expected), "{said}");
    }
}

#[test]
fn marks_line_ends_and_blanks_are_no_trouble() {
    let text = "\u{feff}id , name,\"city\"\r\n1,\"Kranz\r\nBau\",\"Bad \"\"Ems\"\"\"\r\n";
    assert_eq!(built("a.csv", text, &[]), ["Kranz\r\nBau|Bad \"Ems\""]);
    assert_eq!(built("a.csv", "\u{feff}name,id\rKranz,1\r", &[]), ["Kranz|"]);
    assert_eq!(built("a.tsv", "\u{feff}\"id\"\t\"name\"\n\"1\"\t\"a\tb\"", &[]), ["a\tb|"]);
}

#[test]
fn columns_of_a_table_without_a_header_are_named() {
    let columns = ["--columns", "id,name,,city"];
    let text = "k1,Lindner,x,Jena\nk2,Weiß,y,Gera\n";
    assert_eq!(built("a.csv", text, &columns), ["Lindner|Jena", "Weiß|Gera"]);
    assert_eq!(built("a.tsv", text.replace(',', "\t"), &columns), ["Lindner|Jena", "Weiß|Gera"]);
    let (said, code) = refused("a.csv", text, &[]);
    assert!(
        code == Some(1) && said.contains("name the columns with --columns id,name,…"),
        "{said}"
    );
    let (said, _) = refused("a.csv", format!("id,name,,city\n{text}"), &columns);
    assert!(said.contains("its first row has the names that --columns gives"), "{said}");
    let (said, code) = refused("a.jsonl", "{}", &["--columns", "id", "--format", "jsonl"]);
    assert!(code == Some(2) && said.contains("--columns is for tables of text"), "{said}");
}

#[test]
fn exports_of_databases_are_read_by_their_rules() {
    let expected = ["A\tB \\ C|", "Zeile 1\nZeile 2|Jena"];
    let copy = "id\tname\tcity\nk1\tA\\tB \\\\ C\t\\N\nk2\tZeile 1\\nZeile 2\tJena\n";
    assert_eq!(built("a.txt", copy, &["--format", "sql-export"]), expected);
    // MySQL puts the backslash before the character itself, and writes no header.
    let outfile = "k1\tA\\\tB \\\\ C\t\\N\nk2\tZeile 1\\\nZeile 2\tJena\n";
    let options = ["--format", "sql-export", "--columns", "id,name,city"];
    assert_eq!(built("companies.txt", outfile, &options), expected);
    let dump = format!(
        "--\n-- PostgreSQL database dump\n--\n\nSET statement_timeout = 0;\n\nCOPY public.companies (id, name, city) \
         FROM stdin;\n{}\\.\n\n--\n-- PostgreSQL database dump complete\n--\n",
        copy.split_once('\n').unwrap().1
    );
    assert_eq!(built("dump.sql", &dump, &[]), expected);
    assert_eq!(built("dump.sql.gz", gzip(&dump), &[]), expected);
    let (said, code) = refused("dump.sql", "INSERT INTO `c` VALUES (1,'A');\n", &[]);
    assert!(code == Some(1) && said.contains("SELECT … INTO OUTFILE"), "{said}");
    let (said, _) = refused("a.txt", outfile, &["--format", "sql-export"]);
    assert!(said.contains("name the columns with --columns"), "{said}");
}

#[test]
fn workbooks_are_refused_with_the_way_out() {
    let member = |name: &[u8]| [b"PK\x03\x04".as_slice(), &[0; 26], name, &[0; 64]].concat();
    for (name, bytes) in [
        ("a.xlsx", member(b"[Content_Types].xml")),
        ("a.xls", [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".as_slice(), &[0; 64]].concat()),
        ("a.csv", member(b"xl/workbook.xml")),
    ] {
        let (said, code) = refused(name, bytes, &[]);
        assert!(code == Some(1) && said.contains("save the sheet as CSV"), "{said}");
    }
    let (said, _) = refused("a.zip", member(b"companies.csv"), &[]);
    assert!(said.contains("`unzip -p FILE | firmament-tools build - …`"), "{said}");
}
