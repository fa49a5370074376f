//! The same records give the same snapshot from every format; mappings and presets as operators
//! give them.

use super::operator::{
    Folder, build, build_in_process, gzip, num_docs, pairs, reading, stderr, zstd,
};
use super::parquet_files::{ID_AND_NAME, Values, Writing, parquet, texts};
use firmament::ids::DocId;
use firmament::index::{Format, Input, MappingOptions, ReadOptions};
use firmament::snapshot::Snapshot;
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use serde_json::{Value, json};
use std::fs;

/// The sample collection, and a record with everything that a format could trip over.
fn sample() -> Vec<Value> {
    let odd = r#"{"id":"odd","name":"A \"b\"; c,\td","description":"two\nlines\r\n=cmd() {\"x\":[1]} \\N \\",
        "industry":"Oil, Gas & Mining","employee_count":9223372036854775807,"founded_year":1,
        "location":{"city":"東京","state":"NULL","country":"日本"}}"#;
    include_str!("../../data/businesses.jsonl")
        .lines()
        .chain([odd.replace('\n', " ").as_str()])
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

const COLUMNS: [&str; 10] = [
    "id",
    "name",
    "website",
    "description",
    "industry",
    "employee_count",
    "location.city",
    "location.state",
    "location.country",
    "founded_year",
];

/// The value of a column in a record, by a path with dots.
fn value<'a>(record: &'a Value, column: &str) -> &'a Value {
    column.split('.').fold(record, |value, key| &value[key])
}

/// A table with a header, cells quoted where it is needed.
fn delimited(records: &[Value], header: &[&str], delimiter: char, null: &str) -> String {
    let quote = |text: &str| {
        if text.contains(['"', '\n', '\r', delimiter]) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text.to_owned()
        }
    };
    let row = |cells: Vec<String>| cells.join(&delimiter.to_string()) + "\n";
    let mut text = row(header.iter().map(|&name| quote(name)).collect());
    for record in records {
        let cell = |column: &&str| match value(record, column) {
            Value::Null => null.to_owned(),
            Value::String(text) => quote(text),
            number => number.to_string(),
        };
        text.push_str(&row(COLUMNS.iter().map(cell).collect()));
    }
    text
}

fn text_column(records: &[Value], column: &str) -> Values {
    let text = |record: &Value| value(record, column).as_str().map(str::to_owned);
    Values::Text(records.iter().map(text).collect())
}

/// The records with nested places, as `parquet` writes them.
fn parquet_of(records: &[Value], writing: &Writing) -> Vec<u8> {
    let schema = "message m {
        required binary id (STRING); required binary name (STRING);
        optional binary website (STRING); optional binary description (STRING);
        optional binary industry (STRING); optional int64 employee_count;
        optional group location { optional binary city (STRING); optional binary state (STRING);
                                  optional binary country (STRING); }
        optional int32 founded_year (INTEGER(16,false));
    }";
    let columns: Vec<(i16, Values)> = COLUMNS
        .iter()
        .map(|&column| match column {
            "employee_count" => {
                let number = |record: &Value| value(record, column).as_i64();
                (1, Values::Int64(records.iter().map(number).collect()))
            }
            "founded_year" => {
                let number =
                    |record: &Value| value(record, column).as_i64().map(|year| year as i32);
                (1, Values::Int32(records.iter().map(number).collect()))
            }
            "id" | "name" => (0, text_column(records, column)),
            _ if column.contains('.') => (2, text_column(records, column)),
            _ => (1, text_column(records, column)),
        })
        .collect();
    parquet(schema, &columns, writing)
}

/// The records one after another, over several lines each.
fn array_as_objects(records: &[Value]) -> String {
    records.iter().map(|record| serde_json::to_string_pretty(record).unwrap()).collect()
}

/// Lines whose numbers are written otherwise.
fn with_other_numbers(records: &[Value], write: impl Fn(&Value) -> Value) -> String {
    let line = |record: &Value| {
        let mut record = record.clone();
        for key in ["employee_count", "founded_year"] {
            if record[key].is_number() {
                record[key] = write(&record[key]);
            }
        }
        record.to_string() + "\n"
    };
    records.iter().map(line).collect()
}

/// Lines with the places beside the other values.
fn flat_lines(records: &[Value]) -> String {
    let line = |record: &Value| {
        let mut record = record.clone();
        if let Value::Object(place) = record["location"].take() {
            record.as_object_mut().unwrap().extend(place);
        }
        record.to_string() + "\n"
    };
    records.iter().map(line).collect()
}

/// Rows as PostgreSQL copies them, under the names of the columns.
fn sql_export(records: &[Value]) -> String {
    let cell = |value: &Value| match value {
        Value::Null => "\\N".to_owned(),
        Value::String(text) => text
            .replace('\\', "\\\\")
            .replace('\t', "\\t")
            .replace('\n', "\\n")
            .replace('\r', "\\r"),
        number => number.to_string(),
    };
    let row = |record: &Value| COLUMNS.map(|column| cell(value(record, column))).join("\t") + "\n";
    COLUMNS.join("\t") + "\n" + &records.iter().map(row).collect::<String>()
}

fn utf_16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn every_format_gives_the_same_bytes() {
    let folder = Folder::new();
    let records = sample();
    let lines: String = records.iter().map(|record| record.to_string() + "\n").collect();
    let expected = folder.path("expected.firmament");
    let result = build(&[&folder.write("a.jsonl", &lines)], &expected, &[]);
    assert!(result.status.success(), "{}", stderr(&result));
    let expected = fs::read(expected).unwrap();

    let array = serde_json::to_string_pretty(&records).unwrap();
    let csv = delimited(&records, &COLUMNS, ',', "");
    let tsv = delimited(&records, &COLUMNS, '\t', "");
    let short = COLUMNS.map(|name| name.trim_start_matches("location."));
    let sql = delimited(&records, &short, ',', "\\N");
    let packed = |compression| Writing { compression, ..Writing::default() };
    let zstd_packed = packed(Compression::ZSTD(ZstdLevel::default()));
    let plain = Writing { has_dictionary: false, ..packed(Compression::UNCOMPRESSED) };
    let small = Writing { rows_per_group: 7, ..packed(Compression::GZIP(GzipLevel::default())) };
    let half = records.len() / 2;
    folder.write("parts/part-0.parquet", parquet_of(&records[..half], &Writing::default()));
    folder.write("parts/part-1.parquet", parquet_of(&records[half..], &Writing::default()));
    folder.write("parts/_SUCCESS", "");
    folder.write("parts/.part-0.parquet.crc", "x");

    let inputs = [
        folder.write("array.json", &array),
        folder.write("array.anything", &array),
        folder.write("compact.json.gz", gzip(serde_json::to_string(&records).unwrap())),
        folder.write("a.csv", &csv),
        folder.write("bom-and-crlf.csv", format!("\u{feff}{}", csv.trim_end())),
        folder.write("a.csv.gz", gzip(&csv)),
        folder.write("a.csv.zst", zstd(&csv)),
        folder.write("a.tsv", &tsv),
        folder.write("short.csv", delimited(&records, &short, ',', "")),
        folder.write("one-after-another.json", array_as_objects(&records)),
        folder
            .write("texts.jsonl", with_other_numbers(&records, |number| json!(number.to_string()))),
        folder.write("lists.jsonl", with_other_numbers(&records, |number| json!([number]))),
        folder.write("flat.jsonl", flat_lines(&records)),
        folder.write("a.parquet", parquet_of(&records, &Writing::default())),
        folder.write("zstd.parquet", parquet_of(&records, &zstd_packed)),
        folder.write("plain", parquet_of(&records, &plain)),
        folder.write("groups.parquet", parquet_of(&records, &small)),
        folder.path("parts"),
        folder.write("export.sql", sql_export(&records)),
        folder.write("utf-16.csv", utf_16(&format!("\u{feff}{csv}"))),
        folder.write("utf-16.json.gz", gzip(utf_16(&format!("\u{feff}{array}")))),
    ];
    for input in &inputs {
        let output = folder.path("out.firmament");
        let result = build(&[input], &output, &[]);
        assert!(result.status.success(), "{}: {}", input.display(), stderr(&result));
        assert!(fs::read(&output).unwrap() == expected, "{}", input.display());
    }
    let output = folder.path("out.firmament");
    let envelope = format!("{{\"n\":1,\n\"results\":{array}}}");
    let result = build(&[&folder.write("page.json", envelope)], &output, &["--at", "results"]);
    assert!(result.status.success(), "{}", stderr(&result));
    assert!(fs::read(&output).unwrap() == expected);
    for (name, bytes, options) in [
        (
            "semicolons.txt",
            delimited(&records, &COLUMNS, ';', ""),
            ["--format", "csv", "--delimiter", ";"],
        ),
        ("minus.csv", delimited(&records, &COLUMNS, ',', "-"), ["--format", "csv", "--null", "-"]),
    ] {
        let result = build(&[&folder.write(name, bytes)], &output, &options);
        assert!(result.status.success(), "{name}: {}", stderr(&result));
        assert!(fs::read(&output).unwrap() == expected, "{name}");
    }
    // Without the state that is called NULL, a table in which it is no value gives the same.
    let without = lines.replace("\"state\":\"NULL\"", "\"state\":null");
    let expected = folder.path("expected.firmament");
    assert!(build(&[&folder.write("b.jsonl", without)], &expected, &[]).status.success());
    let result =
        build(&[&folder.write("sql.csv", sql)], &output, &["--null", "\\N", "--null", "NULL"]);
    assert!(result.status.success(), "{}", stderr(&result));
    assert!(fs::read(&output).unwrap() == fs::read(&expected).unwrap());
}

#[test]
fn columns_are_mapped_and_filled() {
    let folder = Folder::new();
    let output = folder.path("out.firmament");
    let csv = "company_name;ort;zahl;reg\nAcme;Graz;12.0;FN 1\n\"Böhler; Söhne\";;-;FN 2\n";
    let input = folder.write("register.csv", csv);
    let result = build(
        &[&input],
        &output,
        &[
            "--delimiter",
            ";",
            "--map",
            "name=company_name",
            "--map",
            "location.city=ort",
            "--map",
            "employee_count=zahl",
            "--constant",
            "country=Austria",
            "--null",
            "-",
            "--id-from",
            "reg",
        ],
    );
    assert!(result.status.success(), "{}", stderr(&result));
    assert!(stderr(&result).contains("no column for website"), "{}", stderr(&result));
    let snapshot = Snapshot::open(&output).unwrap();
    let first: Value =
        serde_json::from_slice(&snapshot.document(firmament::ids::DocId(0))).unwrap();
    assert_eq!((&first["name"], &first["employee_count"]), (&"Acme".into(), &12.into()));
    assert_eq!(first["location"]["country"], "Austria");
    assert_eq!(first["location"]["city"], "Graz");
    let id = first["id"].as_str().unwrap();
    assert_eq!((id.len(), id.as_bytes()[14]), (36, b'5'));
    // The same ids come from JSON with the same values.
    let json = r#"[{"title":{"full":"Acme"},"reg":"FN 1"},{"title":{"full":"B"},"reg":"FN 2"}]"#;
    let mapping = MappingOptions {
        columns: pairs(&[("name", "title.full")]),
        id_from: vec!["reg".to_owned()],
        ..MappingOptions::default()
    };
    let json = Input::File(folder.write("register.json", json));
    let built = build_in_process(&[json], &output, &reading(Format::Json, &mapping));
    assert!(built.result.unwrap().snapshot.doc_by_id(id).is_some());
    // Columns are told once, however many files have the same.
    let parts = ["1.csv", "2.csv"]
        .map(|name| Input::File(folder.write(name, format!("id,name,size\n{name},A,3\n"))));
    let built = build_in_process(&parts, &output, &ReadOptions::default());
    assert!(built.result.is_ok());
    assert_eq!(built.notes.len(), 1);
    assert!(built.notes[0].contains("columns not used: \"size\""), "{}", built.notes[0]);
}

#[test]
fn the_free_company_data_set_is_read() {
    let folder = Folder::new();
    let output = folder.path("out.firmament");
    let csv = "\
,name,domain,year founded,industry,size range,locality,country,linkedin url,current employee estimate,total employee estimate
5872184,ibm,ibm.com,1911.0,information technology and services,10001+,\"new york, new york, united states\",united states,linkedin.com/company/ibm,274047,716906
4425416,tata consultancy services,tcs.com,1968.0,information technology and services,10001+,\"bombay, maharashtra, india\",india,linkedin.com/company/tata-consultancy-services,190771,341369
1,nowhere,,,,1 - 10,,,linkedin.com/company/nowhere,0,3
";
    let input = folder.write("companies_sorted.csv", csv);
    let result = build(&[&input], &output, &["--preset", "people-data-labs"]);
    assert!(result.status.success(), "{}", stderr(&result));
    let text = stderr(&result);
    assert!(
        text.contains("columns not used: \"size range\", \"total employee estimate\""),
        "{text}"
    );
    let snapshot = Snapshot::open(&output).unwrap();
    let first: Value =
        serde_json::from_slice(&snapshot.document(firmament::ids::DocId(0))).unwrap();
    assert_eq!(first["founded_year"], 1911);
    assert_eq!(first["employee_count"], 274_047);
    assert_eq!(first["location"]["city"], "new york");
    assert_eq!(first["location"]["state"], "new york");
    assert_eq!(first["location"]["country"], "united states");
    let last: Value = serde_json::from_slice(&snapshot.document(firmament::ids::DocId(2))).unwrap();
    assert_eq!((&last["name"], &last["founded_year"]), (&"nowhere".into(), &Value::Null));
}

#[test]
fn a_preset_takes_a_table_with_some_of_its_columns() {
    let folder = Folder::new();
    let columns = ["ibm", "ibm.com", "new york, new york, united states"];
    let [name, domain, locality] = columns;
    let json = format!(r#"{{"name":"{name}","domain":"{domain}","locality":"{locality}"}}"#);
    let schema = "message m { required binary name (STRING); required binary domain (STRING);
                              required binary locality (STRING); }";
    let cells = columns.map(|value| (0, texts(&[value])));
    let inputs = [
        folder.write("a.jsonl", json),
        folder.write("a.csv", format!("name,domain,locality\n{name},{domain},\"{locality}\"\n")),
        folder.write("a.tsv", format!("locality\tdomain\tname\n{locality}\t{domain}\t{name}\n")),
        folder.write("a.parquet", parquet(schema, &cells, &Writing::default())),
    ];
    let snapshots = inputs.map(|input| {
        let output = folder.path("out.firmament");
        let result = build(&[&input], &output, &["--preset", "people-data-labs"]);
        assert!(result.status.success(), "{}: {}", input.display(), stderr(&result));
        fs::read(&output).unwrap()
    });
    assert!(snapshots.iter().all(|snapshot| *snapshot == snapshots[0]));
    // Without an id in it, a table of a preset that has ids is none.
    let input = folder.write("b.csv", "names.types.ror_display\nibm\n");
    let result = build(&[&input], &folder.path("b.firmament"), &["--preset", "ror"]);
    let text = stderr(&result);
    assert_eq!(result.status.code(), Some(1), "{text}");
    assert!(text.contains("there is no column \"id\""), "{text}");
}

#[test]
fn parquet_columns_of_other_types() {
    let folder = Folder::new();
    let schema = "message m {
        required int64 id; required binary name; optional double employee_count;
        optional fixed_len_byte_array(16) number (UUID);
    }";
    let file = parquet(
        schema,
        &[
            (0, Values::Int64(vec![Some(-1), Some(9_007_199_254_740_993), Some(3)])),
            (0, texts(&["A", "B", "C"])),
            (1, Values::Double(vec![Some(-0.0), Some(f64::NAN), Some(2.0)])),
            (1, Values::Bytes16(vec![None, Some([7; 16]), Some([255; 16])])),
        ],
        &Writing::default(),
    );
    let input = [Input::File(folder.write("a.parquet", file))];
    let output = folder.path("out.firmament");
    let built = build_in_process(&input, &output, &ReadOptions::default());
    assert_eq!(built.rejects.len(), 1);
    let expected = "a.parquet, row 2: record \"9007199254740993\": employee_count is NaN; accepted are whole numbers up to 2^53, or null";
    assert!(built.rejects[0].ends_with(expected), "{:?}", built.rejects);
    let snapshot = built.result.unwrap().snapshot;
    assert!(snapshot.doc_by_id("-1").is_some() && snapshot.doc_by_id("3").is_some());
    let counts = [0, 1, 2].map(|doc| snapshot.employee_counts().get(DocId(doc)));
    assert_eq!(counts, [Some(2), Some(0), None]);
    let mapping =
        MappingOptions { columns: pairs(&[("id", "number")]), ..MappingOptions::default() };
    let built = build_in_process(&input, &output, &reading(Format::Parquet, &mapping));
    let snapshot = built.result.unwrap().snapshot;
    assert!(snapshot.doc_by_id("ffffffff-ffff-ffff-ffff-ffffffffffff").is_some());
}

#[test]
fn inputs_without_records_are_an_error_unless_allowed() {
    let folder = Folder::new();
    let output = folder.path("out.firmament");
    let none = parquet(ID_AND_NAME, &[(0, texts(&[])), (0, texts(&[]))], &Writing::default());
    for (name, bytes) in [
        ("empty.jsonl", Vec::new()),
        ("empty.csv", Vec::new()),
        ("empty.json", b" \n".to_vec()),
        ("header.csv", b"id,name\r\n".to_vec()),
        ("header.tsv", b"id\tname".to_vec()),
        ("array.json", b"[ ]\n".to_vec()),
        ("none.parquet", none),
        ("empty.jsonl.gz", gzip("")),
    ] {
        let input = folder.write(name, bytes);
        let result = build(&[&input], &output, &[]);
        assert_eq!(result.status.code(), Some(1), "{name}");
        assert!(stderr(&result).contains("holds no record"), "{name}: {}", stderr(&result));
        assert!(!output.exists());
        let result = build(&[&input], &output, &["--allow-empty"]);
        assert!(result.status.success(), "{name}: {}", stderr(&result));
        assert_eq!(num_docs(&output), 0);
        fs::remove_file(&output).unwrap();
    }
}
