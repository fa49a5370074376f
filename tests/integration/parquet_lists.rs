//! List columns of Parquet files: the same records as in JSON, whatever the layout of the lists;
//! and files whose lists are damaged, or are lists of something else than texts.

use super::operator::{Built, Folder, build_in_process, pairs, reading, stdout, tools};
use super::parquet_files::{Values, Writing, footer, parquet, texts};
use firmament::index::{Format, Input, MappingOptions};
use parquet::basic::{Compression, Encoding, GzipLevel};
use parquet::file::properties::WriterVersion;
use serde_json::{Value, json};

/// A list of texts, or none.
type List = Option<Vec<Option<String>>>;

const SCHEMA: &str = "message m { required binary id (STRING); required binary name (STRING);
    optional group aliases (LIST) { repeated group list { optional binary element (STRING); } } }";

fn list(texts: &[&str]) -> List {
    Some(texts.iter().map(|&text| Some(text.to_owned())).collect())
}

/// Lists of everything that a list may hold, for so many rows.
fn lists(num_rows: usize) -> Vec<List> {
    let many: Vec<String> = (0..64).map(|at| format!("Name {at}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let long = "Very ".repeat(12_000);
    let kinds = [
        None,
        list(&[]),
        list(&["Harrow Mill"]),
        Some(vec![None]),
        list(&["", " \u{3000} ", "HM", "HM"]),
        Some(vec![None, Some("東京".to_owned()), None, Some(" a; b ".to_owned()), None]),
        list(&many),
        list(&[&long, "short", &long]),
    ];
    let own = |row: usize| list(&[&format!("Own {row}"), "of several"]);
    (0..num_rows).map(|row| kinds.get(row * row % 23).cloned().unwrap_or(own(row))).collect()
}

fn names(num_rows: usize) -> [Vec<String>; 2] {
    ["id", "name"].map(|field| (0..num_rows).map(|row| format!("{field}-{row}")).collect())
}

fn build(folder: &Folder, name: &str, file: &[u8], mapping: &MappingOptions) -> Built {
    let format = if name.ends_with(".parquet") { Format::Parquet } else { Format::JsonLines };
    let input = [Input::File(folder.write(name, file))];
    build_in_process(&input, &folder.path("out.firmament"), &reading(format, mapping))
}

#[track_caller]
fn snapshot(name: &str, file: &[u8], mapping: &MappingOptions) -> Vec<u8> {
    let folder = Folder::new();
    let built = build(&folder, name, file, mapping);
    assert_eq!(built.rejects, [""; 0]);
    built.result.unwrap();
    std::fs::read(folder.path("out.firmament")).unwrap()
}

/// Records as JSON Lines, with the lists and texts of further columns.
fn lines(num_rows: usize, columns: &[(&str, &dyn Fn(usize) -> Value)]) -> Vec<u8> {
    let [ids, names] = names(num_rows);
    let line = |row: usize| {
        let mut record = json!({"id": ids[row], "name": names[row]});
        for (name, value) in columns {
            record[name] = value(row);
        }
        record.to_string() + "\n"
    };
    (0..num_rows).map(line).collect::<String>().into_bytes()
}

/// Records as Parquet, with further columns.
fn file(schema: &str, columns: Vec<(i16, Values)>, writing: &Writing) -> Vec<u8> {
    let Some((_, Values::Lists(lists))) = columns.first() else { panic!("the first has no lists") };
    let [ids, names] = names(lists.len()).map(|column| column.into_iter().map(Some).collect());
    let columns = [(0, Values::Text(ids)), (0, Values::Text(names))].into_iter().chain(columns);
    parquet(schema, &columns.collect::<Vec<_>>(), writing)
}

/// Texts in no dictionary.
fn encoded(encoding: Encoding, version: WriterVersion) -> Writing {
    let (has_dictionary, encoding) = (false, Some(encoding));
    Writing { has_dictionary, encoding, version, ..Writing::default() }
}

#[test]
fn lists_give_the_same_bytes_as_json() {
    const ROWS: usize = 400;
    let lists = lists(ROWS);
    let nothing = MappingOptions::default();
    let list_of = |row: usize| json!(lists[row]);
    let other_of = |row: usize| json!(lists[ROWS - 1 - row]);
    let columns: [(&str, &dyn Fn(usize) -> Value); 2] =
        [("aliases", &list_of), ("other_websites", &other_of)];
    let expected = snapshot("a.jsonl", &lines(ROWS, &columns), &nothing);
    let (v1, v2) = (WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0);
    let writings = [
        Writing::default(),
        Writing { rows_per_group: 7, rows_per_page: Some(3), ..Writing::default() },
        Writing { rows_per_page: Some(1), version: v2, ..Writing::default() },
        Writing { rows_per_page: Some(50), ..encoded(Encoding::PLAIN, v1) },
        Writing {
            compression: Compression::GZIP(GzipLevel::default()),
            ..encoded(Encoding::PLAIN, v2)
        },
        Writing { rows_per_group: 129, ..encoded(Encoding::DELTA_LENGTH_BYTE_ARRAY, v1) },
        Writing { rows_per_page: Some(11), ..encoded(Encoding::DELTA_LENGTH_BYTE_ARRAY, v2) },
        Writing { rows_per_page: Some(11), ..encoded(Encoding::DELTA_BYTE_ARRAY, v1) },
        Writing {
            compression: Compression::UNCOMPRESSED,
            ..encoded(Encoding::DELTA_BYTE_ARRAY, v2)
        },
    ];
    for (layout, can_be_null) in [
        (
            "optional group NAME (LIST) { repeated group list { optional binary element (STRING); } }",
            true,
        ),
        (
            "required group NAME (LIST) { repeated group bag { optional binary array_element (UTF8); } }",
            true,
        ),
        ("optional group NAME (LIST) { repeated group list { required binary item; } }", false),
        ("optional group NAME (LIST) { repeated binary array (STRING); }", false),
        ("repeated binary NAME (STRING);", false),
    ] {
        let schema = format!(
            "message m {{ required binary id (STRING); required binary name (STRING); {} {} }}",
            layout.replace("NAME", "aliases"),
            layout.replace("NAME", "other_websites")
        );
        let written = |list: &List| match list {
            Some(list) if !can_be_null => {
                Some(list.iter().filter(|it| it.is_some()).cloned().collect())
            }
            list => list.clone(),
        };
        for (at, writing) in writings.iter().enumerate() {
            let columns = vec![
                (0, Values::Lists(lists.iter().map(written).collect())),
                (0, Values::Lists(lists.iter().rev().map(written).collect())),
            ];
            let file = file(&schema, columns, writing);
            assert!(snapshot("a.parquet", &file, &nothing) == expected, "{layout} {at}");
        }
    }
}

#[test]
fn lists_and_texts_are_mapped_to_one_field() {
    const ROWS: usize = 60;
    let mut former = lists(ROWS);
    former.iter_mut().flatten().for_each(|list| list.truncate(60));
    let trading = |row: usize| (!row.is_multiple_of(3)).then(|| format!("Trading {row}; T{row} ;"));
    let place = |row: usize| (!row.is_multiple_of(4)).then(|| format!("Ort {row}"));
    let mapping = MappingOptions {
        columns: pairs(&[("aliases", "names.former,trading_names"), ("city", "places")]),
        separators: pairs(&[("aliases", ";")]),
        ..MappingOptions::default()
    };
    let names_of = |row: usize| json!({"former": former[row]});
    let trading_of = |row: usize| json!(trading(row));
    let places_of = |row: usize| json!(place(row).map(|place| [place]));
    let expected = lines(
        ROWS,
        &[("names", &names_of), ("places", &places_of), ("trading_names", &trading_of)],
    );
    let expected = snapshot("a.jsonl", &expected, &mapping);
    let schema = "message m { required binary id (STRING); required binary name (STRING);
        optional group names {
            optional group former (LIST) { repeated group list { optional binary element (STRING); } } }
        optional group places (LIST) { repeated group list { required binary element (STRING); } }
        optional binary trading_names (STRING); }";
    let columns = vec![
        (0, Values::Lists(former.clone())),
        (0, Values::Lists((0..ROWS).map(|row| place(row).map(|it| vec![Some(it)])).collect())),
        (1, Values::Text((0..ROWS).map(trading).collect())),
    ];
    let file = file(schema, columns, &Writing::default());
    assert!(snapshot("a.parquet", &file, &mapping) == expected);
    // By the path to the elements.
    let by_path = MappingOptions {
        columns: pairs(&[
            ("aliases", "names.former.list.element,trading_names"),
            ("city", "places"),
        ]),
        ..mapping
    };
    assert!(snapshot("a.parquet", &file, &by_path) == expected);
}

#[test]
fn a_list_column_is_shown() {
    let folder = Folder::new();
    let columns = vec![(0, Values::Lists(vec![list(&["Harrow", "HM"]), None]))];
    let input = folder.write("a.parquet", file(SCHEMA, columns, &Writing::default()));
    let result = tools(&[&"check", &input]).output().unwrap();
    let text = stdout(&result);
    assert_eq!(result.status.code(), Some(0), "{text}");
    let line = text.lines().find(|line| line.trim_start().starts_with("\"aliases\""));
    assert!(line.is_some_and(|line| line.ends_with("aliases")), "{text}");
}

#[test]
fn records_with_lists_at_fault_are_rejected() {
    let folder = Folder::new();
    let nothing = MappingOptions::default();
    let too_many = vec!["x"; 65];
    let long = "x".repeat((64 << 10) + 1);
    let longer = "x".repeat(50_000);
    let longest = vec![longer.as_str(); 22];
    let rows = vec![
        list(&["good"]),
        list(&too_many),
        list(&["good", &long]),
        list(&longest),
        list(&["a\0b"]),
        list(&longest[..20]),
    ];
    for writing in
        [Writing::default(), encoded(Encoding::DELTA_BYTE_ARRAY, WriterVersion::PARQUET_2_0)]
    {
        let file = file(SCHEMA, vec![(0, Values::Lists(rows.clone()))], &writing);
        let built = build(&folder, "a.parquet", &file, &nothing);
        assert_eq!(built.result.unwrap().records, 6);
        let expected = [
            "row 2: record \"id-1\": aliases has 65 values; at most 64 are accepted",
            "row 3: record \"id-2\": aliases is 65537 bytes long; at most 65536 bytes are accepted",
            "row 4: record \"id-3\": is longer than 1048576 bytes",
            "row 5: record \"id-4\": aliases holds a NUL character",
        ];
        assert_eq!(built.rejects.len(), expected.len(), "{:?}", built.rejects);
        for (reject, expected) in built.rejects.iter().zip(expected) {
            assert!(reject.contains(expected), "{reject}");
        }
    }
    // A list of one is that one, as in JSON; of several none is taken.
    let mapping =
        MappingOptions { columns: pairs(&[("name", "aliases"), ("aliases", "-")]), ..nothing };
    let rows = vec![list(&["one"]), list(&["one", "two"]), list(&[]), Some(vec![None]), None];
    let file = file(SCHEMA, vec![(0, Values::Lists(rows.clone()))], &Writing::default());
    let of_parquet = build(&folder, "a.parquet", &file, &mapping).rejects;
    let list_of = |row: usize| json!(rows[row]);
    let of_json = build(&folder, "a.jsonl", &lines(5, &[("aliases", &list_of)]), &mapping).rejects;
    let reasons = |rejects: &[String]| -> Vec<String> {
        rejects.iter().map(|it| it.split_once("record \"id").unwrap().1.to_owned()).collect()
    };
    assert!(
        of_parquet[0].contains("name is a list of 2 values; one is accepted"),
        "{of_parquet:?}"
    );
    assert_eq!((of_parquet.len(), reasons(&of_parquet)), (4, reasons(&of_json)));
}

#[test]
fn lists_of_other_things_than_texts_are_refused() {
    let folder = Folder::new();
    let in_list = |element: &str| {
        format!("optional group aliases (LIST) {{ repeated group list {{ {element} }} }}")
    };
    let number = || Values::Int32(vec![Some(1)]);
    let mend = "accepted are texts and lists of texts: convert it to a list of texts, or do not read it, with \
                --map aliases=-";
    for (field, definition, value, expected) in [
        (in_list("optional int32 element;"), 3, number(), "a list of elements of the type INT32"),
        (in_list("required int32 element (DATE);"), 2, number(), "a list of elements of the type INT32 (Date)"),
        ("repeated int32 aliases;".to_owned(), 1, number(), "a list of elements of the type INT32"),
        ("optional int32 aliases;".to_owned(), 1, number(), "of the type INT32"),
        (
            in_list("optional group element { optional binary name (STRING); }"),
            4,
            texts(&["x"]),
            "a list of structs",
        ),
        (
            "optional group aliases (LIST) { repeated group array { required binary name (STRING); } }".to_owned(),
            2,
            texts(&["x"]),
            "a list of structs",
        ),
        (
            in_list(&in_list("optional binary element (STRING);").replace("aliases", "element")),
            5,
            texts(&["x"]),
            "a list of lists",
        ),
        (
            "optional group aliases (MAP) { repeated group key_value { required binary key (STRING); } }".to_owned(),
            2,
            texts(&["x"]),
            "a map",
        ),
        (
            "optional group aliases { optional binary name (STRING); }".to_owned(),
            2,
            texts(&["x"]),
            "a struct of \"aliases.name\"",
        ),
    ] {
        let schema =
            format!("message m {{ required binary id (STRING); required binary name (STRING); {field} }}");
        let columns = [(0, texts(&["a"])), (0, texts(&["b"])), (definition, value)];
        let file = parquet(&schema, &columns, &Writing::default());
        let error = build(&folder, "a.parquet", &file, &MappingOptions::default()).result.unwrap_err();
        let expected = format!("the column \"aliases\" is {expected}; {mend}");
        assert!(error.ends_with(&expected), "{error}\n{expected}");
        let left_out = MappingOptions { columns: pairs(&[("aliases", "-")]), ..MappingOptions::default() };
        assert_eq!(build(&folder, "a.parquet", &file, &left_out).result.unwrap().records, 1);
    }
}

#[test]
fn damaged_lists_never_panic_and_never_lose_records() {
    let folder = Folder::new();
    let mut lists = lists(30);
    lists.iter_mut().flatten().for_each(|list| list.truncate(3));
    lists.iter_mut().flatten().flatten().flatten().for_each(|text| text.truncate(12));
    let (v1, v2) = (WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0);
    for writing in [
        Writing { rows_per_group: 20, ..Writing::default() },
        Writing { rows_per_page: Some(9), version: v2, ..Writing::default() },
        encoded(Encoding::PLAIN, v1),
        encoded(Encoding::DELTA_BYTE_ARRAY, v2),
    ] {
        let writing = Writing { compression: Compression::UNCOMPRESSED, ..writing };
        let file = file(SCHEMA, vec![(0, Values::Lists(lists.clone()))], &writing);
        let read = |file: &[u8]| {
            let built = build(&folder, "a.parquet", file, &MappingOptions::default());
            built.result.map(|report| report.records)
        };
        assert_eq!(read(&file), Ok(30));
        let (footer, _) = footer(&file);
        for at in (0..footer).step_by(5).chain((footer..file.len()).step_by(7)) {
            let mut flipped = file.clone();
            flipped[at] ^= 1 << (at % 8);
            if let Ok(records) = read(&flipped) {
                assert_eq!(records, 30, "byte {at}");
            }
            if at % 3 == 0 {
                assert!(read(&file[..at]).is_err(), "{at}");
            }
        }
    }
}
