//! Values as their writers meant them, or refused with the way out: numbers, bands, years, keys of
//! JSON and its layouts, as operators meet them.

use super::operator::{Folder, build, stderr};
use super::parquet_files::{Values, Writing, parquet, texts};
use firmament::ids::DocId;
use firmament::snapshot::Snapshot;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The documents of a snapshot by id, those keys that have a value.
fn documents(snapshot: &Path) -> Vec<Value> {
    let snapshot = Snapshot::open(snapshot).unwrap();
    let document = |doc| {
        let mut json: Value = serde_json::from_slice(&snapshot.document(DocId(doc))).unwrap();
        let object = json.as_object_mut().unwrap();
        let place: Vec<String> = object["location"]
            .as_object()
            .unwrap()
            .values()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect();
        object.insert("location".to_owned(), json!(place.join("|")));
        object.retain(|_, value| !value.is_null() && *value != json!(""));
        json
    };
    let mut documents: Vec<Value> = (0..snapshot.num_docs()).map(document).collect();
    documents.sort_by_key(|document| document["id"].as_str().unwrap().to_owned());
    documents
}

/// Builds one input; the documents, or the exit code and what was said.
fn try_build(
    name: &str,
    bytes: impl AsRef<[u8]>,
    options: &[&str],
) -> Result<Vec<Value>, (i32, String)> {
    let folder = Folder::new();
    let output = folder.path("out.firmament");
    let result = build(&[&folder.write(name, bytes)], &output, options);
    if result.status.success() {
        Ok(documents(&output))
    } else {
        assert!(!output.exists());
        Err((result.status.code().unwrap(), stderr(&result)))
    }
}

/// The values of one key, in the order of the ids.
#[track_caller]
fn values(key: &str, name: &str, bytes: impl AsRef<[u8]>, options: &[&str]) -> Vec<Value> {
    let documents = try_build(name, bytes, options)
        .unwrap_or_else(|(_, text)| panic!("{name} {options:?}: {text}"));
    documents.into_iter().map(|mut document| document[key].take()).collect()
}

#[track_caller]
fn assert_refused(
    name: &str,
    bytes: impl AsRef<[u8]>,
    options: &[&str],
    code: i32,
    words: &[&str],
) {
    let (found, text) = try_build(name, bytes, options).expect_err(name);
    assert_eq!(found, code, "{name}: {text}");
    for words in words {
        assert!(text.contains(words), "{name} {options:?}: {words}\n{text}");
    }
}

/// A table of sizes, one a row.
fn sizes(delimiter: char, cells: &[&str]) -> String {
    let rows = cells.iter().enumerate().map(|(id, cell)| {
        let quote = if cell.contains(delimiter) { "\"" } else { "" };
        format!("{id}{delimiter}N{id}{delimiter}{quote}{cell}{quote}\n")
    });
    format!("id{delimiter}name{delimiter}employee_count\n{}", rows.collect::<String>())
}

/// A separator, cells, options, and the numbers that are read.
type Sizes<'a> = (char, &'a [&'a str], &'a [&'a str], &'a [u64]);

#[test]
fn numbers_are_read_as_they_were_meant() {
    let table: &[Sizes<'_>] = &[
        (
            ';',
            &["180", "4.200", "1.250.000", ""],
            &["--delimiter", ";"],
            &[180, 4200, 1_250_000, 0],
        ),
        (';', &["180", "4.200,0"], &["--delimiter", ";", "--number-format", "de"], &[180, 4200]),
        (',', &["180.0", "4200.0", "7"], &[], &[180, 4200, 7]),
        (
            ',',
            &["4,200", "180", "1,250,000.0"],
            &["--number-format", "en"],
            &[4200, 180, 1_250_000],
        ),
        (',', &["4.000"], &["--number-format", "en"], &[4]),
        (',', &["4.000"], &["--number-format", "de"], &[4000]),
        (
            '\t',
            &["4 200", "4\u{a0}200", "4\u{202f}200,0"],
            &["--number-format", "fr"],
            &[4200, 4200, 4200],
        ),
        ('\t', &["4'200", "1’250’000"], &["--number-format", "ch"], &[4200, 1_250_000]),
        (',', &["12,50,000", "4,200"], &["--number-format", "in"], &[1_250_000, 4200]),
        (
            ',',
            &["11-50", "5,001-10,000", "10,001+", "2K-3K", "1,300", "40"],
            &["--bands", "lower"],
            &[11, 5001, 10_001, 2000, 1300, 40],
        ),
        (
            ',',
            &["11-50", "5,001-10,000", "10,001+", "2K-3K"],
            &["--bands", "middle"],
            &[30, 7500, 10_001, 2500],
        ),
        (
            ';',
            &["11 – 50", "5.001 - 10.000", "> 250"],
            &["--delimiter", ";", "--bands", "upper"],
            &[50, 10_000, 250],
        ),
    ];
    for (delimiter, cells, options, expected) in table {
        let name = if *delimiter == '\t' { "a.tsv" } else { "a.csv" };
        let found = values("employee_count", name, sizes(*delimiter, cells), options);
        let expected: Vec<Value> = expected
            .iter()
            .map(|&count| if count == 0 { Value::Null } else { json!(count) })
            .collect();
        assert_eq!(found, expected, "{cells:?} {options:?}");
        // JSON texts are read alike; but there is no separator to tell what a dot does.
        if !options.contains(&";") {
            let lines = cells.iter().enumerate().map(|(id, cell)| {
                json!({"id": id, "name": "N", "employee_count": cell}).to_string() + "\n"
            });
            let found = values("employee_count", "a.jsonl", lines.collect::<String>(), options);
            assert_eq!(found, expected, "{cells:?} {options:?}");
        }
    }
    for (delimiter, cell, options, words) in [
        (
            ',',
            "4.000",
            &[][..],
            &[
                "a.csv:2: record \"0\": employee_count is the text \"4.000\"",
                "(en reads 4, de reads 4000)",
            ][..],
        ),
        (',', "4,200", &[], &["say which with --number-format (en reads 4200)"]),
        (',', "4 200", &[], &["--number-format (fr reads 4200)"]),
        (
            ',',
            "11-50",
            &[],
            &["a band or rounded: --bands lower reads it as 11, middle as 30, upper as 50"],
        ),
        (',', "2.4E+05", &[], &["in scientific notation"]),
        (',', "some", &[], &["accepted is a whole number, or nothing; --null TEXT"]),
        (',', "50-11", &["--bands", "lower"], &["is the text \"50-11\""]),
        (
            ';',
            "4.200",
            &["--delimiter", ";", "--number-format", "en"],
            &["is 4.200; whole numbers are accepted"],
        ),
    ] {
        assert_refused("a.csv", sizes(delimiter, &[cell]), options, 3, words);
    }
    // One column, two meanings of the dot.
    let mixed = sizes(';', &["180", "4.200", "0.5"]);
    let words = [
        "employee_count is 4.200 in line 3 and 0.5 in line 4",
        "--number-format de (it groups) or en",
    ];
    for options in [&["--delimiter", ";"][..], &["--delimiter", ";", "--on-bad-value", "null"]] {
        assert_refused("a.csv", &mixed, options, 1, &words);
    }
    assert_refused("a.csv", sizes(',', &["7"]), &["--number-format", "xx"], 2, &["en (1,200.0)"]);
    assert_refused(
        "a.csv",
        sizes(',', &["7"]),
        &["--bands", "most"],
        2,
        &["51-200 is 51, 125 or 200"],
    );
}

#[test]
fn years_are_read_from_dates() {
    let dates = [
        "1987",
        "1987.0",
        "1987-11-05",
        "05/11/1987",
        "11/05/1987",
        "5.11.1987",
        "19871105",
        "1987-11-05T08:00:00Z",
        "5 Nov 1987",
        "November 1987",
    ];
    let expected = vec![json!(1987); dates.len()];
    let lines = dates.iter().enumerate();
    let csv: String = lines.clone().map(|(id, date)| format!("{id},N,{date}\n")).collect();
    assert_eq!(
        values("founded_year", "a.csv", format!("id,name,founded_year\n{csv}"), &[]),
        expected
    );
    let json: String = lines
        .map(|(id, date)| json!({"id": id, "name": "N", "founded_year": date}).to_string())
        .collect();
    assert_eq!(values("founded_year", "a.json", json, &[]), expected);
    let texts_of = |count: usize| texts(&vec!["x"; count]);
    for (logical, physical) in [
        ("int32 (DATE)", Values::Int32(vec![Some(6_517), None])),
        ("int64 (TIMESTAMP(MILLIS,true))", Values::Int64(vec![Some(563_068_800_000), None])),
        ("int64 (TIMESTAMP(MICROS,false))", Values::Int64(vec![Some(563_068_800_000_000), None])),
        ("int32", Values::Int32(vec![Some(19_871_105), None])),
        ("binary (STRING)", Values::Text(vec![Some("5.11.1987".to_owned()), None])),
    ] {
        let (kind, annotation) = logical.split_once(' ').unwrap_or((logical, ""));
        let schema = format!(
            "message m {{ required int32 id; required binary name (STRING); optional {kind} founded_year {annotation}; }}"
        );
        let columns = [(0, Values::Int32(vec![Some(0), Some(1)])), (0, texts_of(2)), (1, physical)];
        let file = parquet(&schema, &columns, &Writing::default());
        assert_eq!(
            values("founded_year", "a.parquet", file, &[]),
            [json!(1987), Value::Null],
            "{logical}"
        );
    }
    for (date, words) in [
        ("05/11/87", "a date whose year has two digits: write it with four"),
        ("32086", "have the column shown as a date there"),
        ("1987-1990", "accepted is a year or a date whose year has four digits"),
    ] {
        assert_refused("a.csv", format!("id,name,founded_year\n1,N,{date}\n"), &[], 3, &[words]);
    }
}

#[test]
fn decimals_of_warehouses_are_whole_numbers() {
    let bytes = |value: i128| Some(value.to_be_bytes());
    let whole = Values::Bytes16(vec![bytes(4200), None, bytes(i128::from(i64::MAX))]);
    let cents = Values::Int64(vec![Some(420_000), Some(0), None]);
    let schema = |employees: &str| {
        format!(
            "message m {{ required fixed_len_byte_array(16) id (DECIMAL(38,0)); required binary name (STRING);
             optional {employees}; }}"
        )
    };
    let ids = || (0, Values::Bytes16(vec![bytes(1), bytes(2), bytes(3)]));
    let names = || (0, texts(&["A", "B", "C"]));
    let file = |employees: &str, values| {
        parquet(&schema(employees), &[ids(), names(), (1, values)], &Writing::default())
    };
    let found = values(
        "employee_count",
        "a.parquet",
        file("fixed_len_byte_array(16) employee_count (DECIMAL(38,0))", whole),
        &[],
    );
    assert_eq!(found, [json!(4200), Value::Null, json!(i64::MAX)]);
    let found = values(
        "employee_count",
        "a.parquet",
        file("int64 employee_count (DECIMAL(18,2))", cents),
        &[],
    );
    assert_eq!(found, [json!(4200), json!(0), Value::Null]);
    let half = Values::Int64(vec![Some(50), Some(-100), None]);
    let file = file("int64 employee_count (DECIMAL(18,2))", half);
    let words = [
        "row 1: record \"1\": employee_count is 0.5; whole numbers",
        "row 2: record \"2\": employee_count is -1;",
    ];
    assert_refused("a.parquet", file, &[], 3, &words);
}

#[test]
fn layouts_of_json_are_read_or_named() {
    let pretty =
        "{\n  \"id\": \"1\",\n  \"name\": \"A\"\n}\n{\n  \"id\": \"2\",\n  \"name\": \"B\"\n}\n";
    let records = r#"[{"id":"1","name":"A"},{"id":"2","name":"B"}]"#;
    let page = format!("{{\"total\":2,\n \"data\": {{\"companies\":{records}}}, \"next\":null}}");
    let lines = "{\"id\":\"1\",\"name\":\"A\"}\n{\"id\":\"2\",\"name\":\"B\"}\n";
    let joined = lines.replace('\n', "");
    let hits =
        lines.lines().map(|line| format!("{{\"_id\":7,\"_source\":{line}}}\n")).collect::<String>();
    for (name, text, options) in [
        ("a.jsonl", lines, &[][..]),
        ("a.json", pretty, &[]),
        ("a.jsonl", pretty, &[]),
        ("a.json", joined.as_str(), &[]),
        ("a.json", &page, &["--at", "data.companies"]),
        ("a.jsonl", &page.replace('\n', ""), &["--at", "data.companies"]),
        ("a.jsonl", &hits, &["--at", "_source"]),
        ("a.json", &format!("[{}]", hits.trim_end().replace('\n', ",")), &["--at", "_source"]),
        ("a.json", lines, &["--format", "json"]),
    ] {
        assert_eq!(values("name", name, text, options), ["A", "B"], "{text} {options:?}");
    }
    let way_out = "it is one object that is no record, with a list of objects under \"data.companies\": read the \
                   records there with --at data.companies";
    for (name, text, options, words) in [
        ("a.json", page.as_str(), &["--max-rejects", "100%"][..], way_out),
        ("a.jsonl", &page.replace('\n', ""), &[], way_out),
        ("a.json", &page, &["--at", "data.company"], "did you mean \"companies\"?"),
        (
            "a.json",
            &lines.replace("}\n", "},\n"),
            &[],
            "put [ before the first and ] behind the last",
        ),
        (
            "a.json",
            pretty,
            &["--format", "jsonl"],
            "its first object goes over several lines: leave out --format jsonl",
        ),
        ("a.csv", "id,name\n1,A\n", &["--at", "data"], "it is csv: --at is for JSON"),
    ] {
        let (code, said) = try_build(name, text, options).unwrap_err();
        assert_eq!(code, 1, "{said}");
        let told: Vec<&str> = said.lines().filter(|line| !line.contains("not used")).collect();
        assert!(told.len() == 1 && told[0].contains(words), "{text} {options:?}\n{said}");
    }
}

#[test]
fn keys_of_json_are_told_as_columns_are() {
    let record = json!({"id": 5, "name": "A", "Sector": "Toys", "staff": 9, "city": "Linz", "country": "Austria",
                        "established": 1990, "url": "a.at", "fax": 1});
    let folder = Folder::new();
    let output = folder.path("out.firmament");
    let mut told = Vec::new();
    for (name, bytes) in [
        ("a.jsonl", record.to_string()),
        ("a.json", json!([record]).to_string()),
        ("a.csv", "id,name,Sector,staff,city,country,established,url,fax\n5,A,Toys,9,Linz,Austria,1990,a.at,1\n".to_owned()),
    ] {
        let result = build(&[&folder.write(name, bytes)], &output, &["--json"]);
        assert!(result.status.success(), "{}", stderr(&result));
        assert_eq!(documents(&output), [json!({"id": "5", "name": "A", "location": "Linz|Austria"})]);
        let report: Value = serde_json::from_slice(&result.stdout).unwrap();
        let note = report["notes"][0].as_str().unwrap();
        assert!(stderr(&result).contains(note), "{}", stderr(&result));
        let note = note.split_once(": ").unwrap().1;
        told.push(note.replace("column", "key"));
    }
    assert!(
        told[0].starts_with("no key for website, description, industry, employee_count, location.state, founded_year; \
                            keys not used: "),
        "{}",
        told[0]
    );
    for words in [
        "\"Sector\"",
        "\"fax\"",
        "staff: did you mean employee_count? --map employee_count=\"staff\"",
        "established: did you mean founded_year?",
        "url: did you mean website?",
    ] {
        assert!(told[0].contains(words), "{}", told[0]);
    }
    let sorted = |note: &str| {
        let mut words: Vec<String> =
            note.split([',', ';', ':']).map(|word| word.trim().to_owned()).collect();
        words.sort();
        words
    };
    assert!(told.iter().all(|note| sorted(note) == sorted(&told[0])), "{told:?}");
    // A key that was asked for and that no record has.
    let lines = "{\"id\":\"1\",\"title\":\"A\"}\n{\"id\":\"2\",\"title\":\"B\",\"x\":{\"y\":1}}\n";
    for (options, words) in [
        (
            &["--map", "name=titel"][..],
            "no record has the key \"titel\"; did you mean \"title\"?; keys not used are \"title\", \"x\"",
        ),
        (
            &["--map", "name=title", "--map", "website=x.url"],
            "no record has the key \"x.url\"; keys not used are \"x.y\"",
        ),
    ] {
        assert_refused("a.jsonl", lines, options, 1, &[words]);
    }
    // One record that has it is enough.
    assert_eq!(
        values(
            "employee_count",
            "a.jsonl",
            lines,
            &["--map", "name=title", "--map", "employee_count=x.y"]
        ),
        [Value::Null, json!(1)]
    );
}

#[test]
fn a_bad_value_need_not_cost_a_company() {
    let csv = "id,name,employee_count,founded_year,website\n\
               1,A,11-50,1990,a.at\n2,B,many,05/11/87,b.at\n3,C,7,x,c.at\n4,D,51-200,1991,\n";
    let folder = Folder::new();
    let output = folder.path("out.firmament");
    let input = folder.write("a.csv", csv);
    let result = build(&[&input], &output, &["--on-bad-value", "null", "--json"]);
    assert!(result.status.success(), "{}", stderr(&result));
    let counts: Vec<Value> =
        documents(&output).iter().map(|document| document["employee_count"].clone()).collect();
    assert_eq!(counts, [Value::Null, Value::Null, json!(7), Value::Null]);
    let report: Value = serde_json::from_slice(&result.stdout).unwrap();
    assert_eq!(report["rejects"], 0);
    let left_out: Vec<String> = report["left_out"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            format!(
                "{} {} {}",
                it["field"].as_str().unwrap(),
                it["kind"].as_str().unwrap(),
                it["count"]
            )
        })
        .collect();
    assert_eq!(
        left_out,
        [
            "employee_count band 2",
            "employee_count no number 1",
            "founded_year year of two digits 1",
            "founded_year no number 1"
        ]
    );
    assert_eq!(report["left_out"][0]["option"], "--bands");
    assert!(report["left_out"][0]["first"].as_str().unwrap().ends_with("a.csv:2"));
    // In words.
    let result = build(&[&input], &output, &["--on-bad-value", "null"]);
    assert!(stderr(&result).contains("5 bad values were left out (--on-bad-value null): employee_count: band 2 times, first at"),
            "{}", stderr(&result));
    // By default records are rejected, each with all that is wrong.
    let result = build(&[&input], &output, &[]);
    let text = stderr(&result);
    assert_eq!(result.status.code(), Some(3));
    assert!(
        text.contains("a.csv:3: record \"2\": employee_count is the text \"many\"; accepted is")
            && text.contains("; founded_year is the text \"05/11/87\""),
        "{text}"
    );
    assert!(text.contains("rejected by field and reason: employee_count: band 2 times"), "{text}");
    let rejects = fs::read_to_string(folder.path("out.firmament.rejects.jsonl")).unwrap();
    let second: Value = serde_json::from_str(rejects.lines().nth(1).unwrap()).unwrap();
    assert_eq!(
        (&second["field"], &second["others"][0]["field"]),
        (&json!("employee_count"), &json!("founded_year"))
    );
    // What a record needs is never left out; nor what ids are made from.
    for (csv, options) in [
        ("id,name\n,A\n", &[][..]),
        ("name,founded_year\nA,x\n", &["--id-from", "name,founded_year"]),
    ] {
        let options = [options, &["--on-bad-value", "null"]].concat();
        assert_refused("a.csv", csv, &options, 3, &["1 of 1 records were rejected"]);
    }
}

#[test]
fn places_in_one_text_are_taken_apart() {
    let seats = [
        "Boise, ID",
        "Lansing, Michigan",
        "Regina, SK",
        "Oslo, Norway",
        "Norway",
        "Georgia",
        "Berlin, DE",
        "Busan, Korea, Republic of",
        "Lyon, Nowhere",
        "",
    ];
    let expected = [
        "Boise|ID",
        "Lansing|Michigan",
        "Regina|SK",
        "Oslo|Norway",
        "Norway",
        "Georgia",
        "Berlin|DE",
        "Busan|Korea, Republic of",
        "Lyon, Nowhere",
    ];
    let rows = seats.iter().enumerate();
    let csv: String = rows.clone().map(|(id, seat)| format!("{id},N,\"{seat}\"\n")).collect();
    let lines: String = rows
        .map(|(id, seat)| json!({"id": id, "name": "N", "seat": seat}).to_string() + "\n")
        .collect();
    let schema = "message m { required int32 id; required binary name (STRING); required binary seat (STRING); }";
    let ids = Values::Int32((0..seats.len() as i32).map(Some).collect());
    let columns = [(0, ids), (0, texts(&["N"; 10])), (0, texts(&seats))];
    for (name, bytes) in [
        ("a.csv", format!("id,name,seat\n{csv}").into_bytes()),
        ("a.jsonl", lines.into_bytes()),
        ("a.parquet", parquet(schema, &columns, &Writing::default())),
    ] {
        let folder = Folder::new();
        let output = folder.path("out.firmament");
        let result = build(&[&folder.write(name, bytes)], &output, &["--map", "location=seat"]);
        assert!(result.status.success(), "{name}: {}", stderr(&result));
        let found: Vec<Value> =
            documents(&output).iter().map(|it| it["location"].clone()).collect();
        assert_eq!(found[..expected.len()], expected.map(Value::from), "{name}");
        assert_eq!(found[expected.len()..], [Value::Null], "{name}");
        let note = "1 places end with no known country or subdivision, and are cities as they are; the first is \
                    \"Lyon, Nowhere\" in ";
        assert!(stderr(&result).contains(note), "{name}: {}", stderr(&result));
    }
}

#[test]
fn fields_can_be_left_out_in_every_format() {
    let schema = "message m { required binary id (STRING); required binary name (STRING);
                              optional binary founded_year (STRING); optional binary city (STRING); }";
    let columns = [texts(&["1"]), texts(&["A"])].map(|values| (0, values));
    let more = [texts(&["soon"]), texts(&["Linz"])].map(|values| (1, values));
    let columns: Vec<_> = columns.into_iter().chain(more).collect();
    let inputs: [(&str, Vec<u8>); 4] = [
        ("a.jsonl", br#"{"id":"1","name":"A","founded_year":"soon","city":"Linz"}"#.to_vec()),
        (
            "a.json",
            br#"[{"id":"1","name":"A","founded_year":{"x":1},"location":{"city":"Linz"}}]"#
                .to_vec(),
        ),
        ("a.csv", b"id,name,founded_year,city\n1,A,soon,Linz\n".to_vec()),
        ("a.parquet", parquet(schema, &columns, &Writing::default())),
    ];
    for (name, bytes) in &inputs {
        assert!(try_build(name, bytes, &[]).is_err(), "{name}");
        let folder = Folder::new();
        let output = folder.path("out.firmament");
        let result = build(&[&folder.write(name, bytes)], &output, &["--map", "founded_year=-"]);
        assert!(result.status.success(), "{}", stderr(&result));
        assert_eq!(
            documents(&output),
            [json!({"id": "1", "name": "A", "location": "Linz"})],
            "{name}"
        );
        assert!(!stderr(&result).contains("founded_year"), "{name}: {}", stderr(&result));
        let options = ["--map", "founded_year=-", "--map", "location=-"];
        assert_eq!(
            try_build(name, bytes, &options).unwrap(),
            [json!({"id": "1", "name": "A"})],
            "{name}"
        );
        let options = [
            "--map",
            "founded_year=-",
            "--map",
            "location=-",
            "--map",
            "id=-",
            "--id-from",
            "name",
        ];
        assert_eq!(
            try_build(name, bytes, &options).unwrap()[0]["id"].as_str().unwrap().len(),
            36,
            "{name}"
        );
    }
    for (options, words) in [
        (&["--map", "name=-"][..], "every record needs a name"),
        (&["--map", "id=-"], "name what it is made from with --id-from"),
        (&["--map", "city=-", "--map", "city=x"], "the field is mapped twice"),
        (&["--map", "city=-", "--constant", "city=x"], "the field has a constant"),
    ] {
        assert_refused("a.csv", "id,name\n1,A\n", options, 2, &[words]);
    }
}

#[test]
fn reports_of_rejects_are_whole_or_not_there() {
    let folder = Folder::new();
    let output = folder.path("out.firmament");
    let [bad, good] = [("bad.csv", "id,name\n1,\n2,\n"), ("good.csv", "id,name\n1,A\n")]
        .map(|(name, text)| folder.write(name, text));
    let list = folder.path("out.firmament.rejects.jsonl");
    let lines = || fs::read_to_string(&list).map(|text| text.lines().count()).ok();
    assert!(build(&[&good], &output, &[]).status.success());
    assert_eq!(lines(), None);
    assert_eq!(build(&[&bad], &output, &[]).status.code(), Some(3));
    assert_eq!(lines(), Some(2));
    // Neither a build that cannot read its input nor one without rejects cuts it.
    for input in [folder.path("absent.csv"), folder.write("a.dat", "?"), good] {
        build(&[&input], &output, &[]);
        assert_eq!(lines(), Some(2), "{}", input.display());
    }
}
