//! Parquet files that are damaged, hostile, or of a kind that is not accepted: an error, never a
//! panic that escapes, never a snapshot of half the records.

use super::operator::{Folder, build_in_process, pairs, reading};
use super::parquet_files::{ID_AND_NAME, Values, Writing, footer, parquet, texts};
use firmament::ids::DocId;
use firmament::index::{Format, Input, MappingOptions, ReadOptions};
use parquet::basic::{Compression, Encoding, GzipLevel};
use parquet::file::properties::WriterVersion;
use serde_json::{Value, json};

/// The number of records, or what is wrong with the file.
fn read(folder: &Folder, file: &[u8]) -> Result<u64, String> {
    let input = [Input::File(folder.write("a.parquet", file))];
    let output = folder.path("out.firmament");
    let built = build_in_process(&input, &output, &ReadOptions::default());
    assert_eq!(built.result.is_ok(), output.exists());
    let result = built.result.map(|report| report.records);
    let _ = std::fs::remove_file(&output);
    result
}

#[track_caller]
fn assert_refused(file: &[u8], expected: &str) {
    let error = read(&Folder::new(), file).unwrap_err();
    assert!(error.starts_with("cannot read ") && error.contains("a.parquet: "), "{error}");
    assert!(error.contains(expected), "{error}");
}

fn small(compression: Compression, has_dictionary: bool) -> Vec<u8> {
    let ids: Vec<String> = (0..60).map(|id| format!("id-{id}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let names = vec!["Acme, one of many"; 60];
    let writing = Writing { compression, has_dictionary, rows_per_group: 40, ..Writing::default() };
    parquet(ID_AND_NAME, &[(0, texts(&ids)), (0, texts(&names))], &writing)
}

#[test]
fn cut_files_are_refused() {
    let file = small(Compression::SNAPPY, true);
    let folder = Folder::new();
    assert_eq!(read(&folder, &file), Ok(60));
    for len in (0..file.len()).step_by(7).chain([file.len() - 1]) {
        let error = read(&folder, &file[..len]).unwrap_err();
        assert!(error.starts_with("cannot read "), "{len}: {error}");
    }
}

#[test]
fn flipped_bits_never_panic_and_never_lose_records() {
    let folder = Folder::new();
    for file in [small(Compression::SNAPPY, true), small(Compression::UNCOMPRESSED, false)] {
        // Every byte of the footer and every third of the pages, one bit each.
        let (footer, _) = footer(&file);
        for at in (0..footer).step_by(3).chain(footer..file.len()) {
            let mut flipped = file.clone();
            flipped[at] ^= 1 << (at % 8);
            // Values may change unseen, since the format has checksums only where a writer adds
            // them.
            if let Ok(records) = read(&folder, &flipped) {
                assert_eq!(records, 60, "byte {at}");
            }
        }
    }
}

#[test]
fn lies_about_lengths_are_refused() {
    let file = small(Compression::UNCOMPRESSED, false);
    let len = file.len();
    let with_footer_length = |footer: u32| {
        let mut file = file.clone();
        file[len - 8..len - 4].copy_from_slice(&footer.to_le_bytes());
        file
    };
    assert_refused(&with_footer_length(1 << 31), "its footer cannot be 2147483648 bytes long");
    assert_refused(&with_footer_length(u32::MAX), "its footer cannot be");
    assert_refused(&with_footer_length(len as u32 - 8), "its footer cannot be");
    assert_refused(&with_footer_length(0), "it is damaged");

    // A footer whose list of schema elements has 2^31 - 1 of them: field 1 an i32, field 2 the
    // list.
    let hostile =
        |footer: &[u8]| [b"PAR1", footer, &(footer.len() as u32).to_le_bytes(), b"PAR1"].concat();
    assert_refused(
        &hostile(&[0x15, 2, 0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 7, 0, 0]),
        "it is damaged",
    );
    assert_refused(&hostile(&[0x1c; 5000]), "it is damaged");

    // The first page: its header begins behind the magic number with type, unpacked and packed
    // length.
    assert_eq!(file[4..7], [0x15, 0, 0x15]);
    let end_of = |at: usize| at + file[at..].iter().position(|byte| byte & 0x80 == 0).unwrap() + 1;
    let (unpacked, packed) = (7, end_of(7) + 1);
    let with_length = |at: usize, len: &[u8]| {
        let header = [&file[..at], len, &file[end_of(at)..]].concat();
        // What follows has moved; the footer says where the second column is, so take the bytes
        // from the page.
        let surplus = header.len() - file.len();
        let cut = packed + 40;
        [&header[..cut], &header[cut + surplus..]].concat()
    };
    // 2^31 - 1 as a zigzag number.
    let huge = [0xfe, 0xff, 0xff, 0xff, 0x0f];
    assert_refused(
        &with_length(unpacked, &huge),
        "has a page of 2147483647 bytes; at most 134217728",
    );
    assert_refused(&with_length(packed, &huge), "a page is longer than its column");
}

#[test]
fn pages_that_unpack_to_more_than_they_say_are_refused() {
    // 20 MB of one text, a thousandth of it when packed; then the header claims 1 MB.
    let name = "x".repeat(20 << 20);
    let writing = Writing {
        compression: Compression::GZIP(GzipLevel::default()),
        has_dictionary: false,
        ..Writing::default()
    };
    let file = parquet(ID_AND_NAME, &[(0, texts(&["a"])), (0, texts(&[&name]))], &writing);
    // Honest, but longer than any record: the record is rejected, the file is read.
    let folder = Folder::new();
    let input = [Input::File(folder.write("a.parquet", &file))];
    let output = folder.path("out.firmament");
    let built = build_in_process(&input, &output, &ReadOptions::default());
    assert!(built.rejects[0].contains("row 1: record \"a\": is longer than 1048576 bytes"));

    // 20 MiB + 4 bytes, zigzag and as a varint of four bytes.
    let said = ((20u64 << 20) + 4) << 1;
    let varint = |number: u64| -> Vec<u8> {
        (0..4).map(|at| (number >> (7 * at)) as u8 & 0x7f | if at < 3 { 0x80 } else { 0 }).collect()
    };
    let said = varint(said);
    let at = file.windows(4).position(|bytes| bytes == said).unwrap();
    let mut lie = file.clone();
    lie[at..at + 4].copy_from_slice(&varint(2 << 20));
    assert_refused(&lie, "a page unpacks to more than it says");
}

/// Texts that are written as lengths, or as what differs from the one before; nothing else.
fn by_lengths(encoding: Encoding) -> Writing {
    Writing {
        compression: Compression::UNCOMPRESSED,
        has_dictionary: false,
        encoding: Some(encoding),
        ..Writing::default()
    }
}

#[test]
fn a_page_that_says_it_has_more_texts_than_values_is_refused() {
    for encoding in [Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY] {
        let ids: Vec<String> = (0..60).map(|id| format!("id-{id}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let columns = [(0, texts(&ids)), (0, texts(&["Acme"; 60]))];
        let file = parquet(ID_AND_NAME, &columns, &by_lengths(encoding));
        assert_eq!(read(&Folder::new(), &file), Ok(60));
        // Blocks of 128 in four parts, and how many there are: 60, once for lengths, and once for
        // what is repeated.
        let places: Vec<usize> = (0..file.len() - 4)
            .filter(|&at| file[at..at + 4] == [0x80, 0x01, 0x04, 60])
            .map(|at| at + 3)
            .collect();
        let lists = if encoding == Encoding::DELTA_BYTE_ARRAY { 4 } else { 2 };
        assert_eq!(places.len(), lists, "{encoding}");
        for at in places {
            let mut lie = file.clone();
            lie[at] = 0x7f;
            assert_refused(&lie, "it has more texts than values");
        }
    }
}

#[test]
fn texts_by_lengths_are_read_as_plain_ones() {
    let text = |row: usize| "ab, cd".repeat(row * row % 50) + &row.to_string();
    let ids: Vec<String> = (0..1500).map(|row| format!("id-{row:05}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let names: Vec<String> = (0..1500).map(|row| format!("Acme {}", text(row))).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let descriptions = (0..1500).map(|row| (row % 3 > 0).then(|| text(row))).collect();
    let schema = "message m { required binary id (STRING); required binary name (STRING);
                  optional binary description (STRING); }";
    let columns = [(0, texts(&ids)), (0, texts(&names)), (1, Values::Text(descriptions))];
    let folder = Folder::new();
    let snapshot = |writing: &Writing| {
        let file = parquet(schema, &columns, writing);
        let input = [Input::File(folder.write("a.parquet", file))];
        let output = folder.path("out.firmament");
        let built = build_in_process(&input, &output, &ReadOptions::default());
        assert_eq!(built.result.unwrap().records, 1500);
        std::fs::read(output).unwrap()
    };
    let plain = snapshot(&by_lengths(Encoding::PLAIN));
    for encoding in [Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY] {
        for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
            for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
                let writing = Writing { compression, version, ..by_lengths(encoding) };
                assert!(snapshot(&writing) == plain, "{encoding} {compression}");
            }
        }
    }
}

#[test]
fn a_dictionary_that_says_it_has_more_values_than_it_can_have_is_refused() {
    let writing = Writing { compression: Compression::UNCOMPRESSED, ..Writing::default() };
    let columns = [(0, texts(&["a", "b"])), (0, texts(&["Acme", "Acme"]))];
    let file = parquet(ID_AND_NAME, &columns, &writing);
    // The header of the dictionary: two values, zigzag; then plain texts, and behind it the first
    // of them.
    let place = file.windows(8).position(|bytes| bytes == b"\x01\0\0\0a\x01\0\0").unwrap();
    let at = (0..place).rev().find(|&at| file[at..at + 2] == [0x15, 4]).unwrap() + 1;
    let mut lie = file.clone();
    lie[at] = 120;
    assert_refused(&lie, "a dictionary says that it has more values than it can have");
}

#[test]
fn texts_that_repeat_each_other_do_not_fill_memory() {
    // A hundred megabytes in one.
    let name = "x".repeat(1 << 20);
    let ids: Vec<String> = (0..100).map(|id| format!("id-{id}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let columns = [(0, texts(&ids)), (0, texts(&[name.as_str(); 100]))];
    let file = parquet(ID_AND_NAME, &columns, &by_lengths(Encoding::DELTA_BYTE_ARRAY));
    assert!(file.len() < 4 << 20, "{}", file.len());
    // Smaller, so that less may be in it.
    let writing = Writing {
        compression: Compression::GZIP(GzipLevel::default()),
        ..by_lengths(Encoding::DELTA_BYTE_ARRAY)
    };
    let packed = parquet(ID_AND_NAME, &columns, &writing);
    assert_refused(&packed, "it unpacks to more than 200 times its size");
}

#[test]
fn kinds_of_files_that_are_not_accepted() {
    let file = small(Compression::UNCOMPRESSED, true);
    let mut encrypted = file.clone();
    let len = encrypted.len();
    encrypted[len - 4..].copy_from_slice(b"PARE");
    assert_refused(&encrypted, "it is an encrypted Parquet file: write it without encryption");
    encrypted[..4].copy_from_slice(b"PARE");
    assert_refused(&encrypted, "it is an encrypted Parquet file");

    let one = |schema: &str, definition: i16, values: Values| {
        parquet(schema, &[(0, texts(&["a"])), (definition, values)], &Writing::default())
    };
    for (schema, definition, values, expected) in [
        (
            "message m { required binary id (STRING); required boolean name; }",
            0,
            Values::Bool(vec![Some(true)]),
            "the column \"name\" is of the type BOOLEAN; accepted are texts: convert the column",
        ),
        (
            "message m { required binary id (STRING); required int32 name (DATE); }",
            0,
            Values::Int32(vec![Some(1)]),
            "the column \"name\" is of the type INT32 (Date)",
        ),
        (
            "message m { required binary id (STRING); required binary title (STRING); }",
            0,
            texts(&["b"]),
            "there is no column \"name\"; name it with --map name=COLUMN; its columns are \"id\", \"title\"",
        ),
        (
            "message m { required binary id (STRING); required group name { required binary x; } }",
            0,
            texts(&["b"]),
            "the column \"name\" is a struct of \"name.x\"; accepted are texts: convert it, or name another column \
             with --map name=COLUMN",
        ),
    ] {
        assert_refused(&one(schema, definition, values), expected);
    }
    for (schema, values, expected) in [
        (
            "message m { required binary id (STRING); required binary name (STRING);
                         required boolean employee_count; }",
            Values::Bool(vec![Some(true)]),
            "the column \"employee_count\" is of the type BOOLEAN; accepted are numbers",
        ),
        (
            "message m { required binary id (STRING); required binary name (STRING);
                         required int32 founded_year (TIME(MILLIS,true)); }",
            Values::Int32(vec![Some(0)]),
            "the column \"founded_year\" is of the type INT32 (Time",
        ),
    ] {
        let columns = [(0, texts(&["a"])), (0, texts(&["b"])), (0, values)];
        assert_refused(&parquet(schema, &columns, &Writing::default()), expected);
    }
    // The codec stands in the footer behind the path of its column: 0 is none, as zigzag numbers.
    let path = [0x19, 0x18, 2, b'i', b'd', 0x15, 0];
    let at = file.windows(path.len()).position(|bytes| bytes == path).unwrap() + path.len() - 1;
    let with_codec = |codec: u8| {
        let mut file = file.clone();
        file[at] = codec << 1;
        file
    };
    assert_refused(&with_codec(4), "the column \"id\" is compressed with BROTLI");
    assert_refused(
        &with_codec(7),
        "is compressed with LZ4_RAW; accepted are snappy, gzip, zstd and none",
    );
    assert_refused(&with_codec(20), "it is damaged, or of a kind not accepted");
    // The first page is the dictionary (type 2); as an index (type 1) it is passed over, and
    // missing.
    let mut no_dictionary = file.clone();
    assert_eq!(no_dictionary[4..6], [0x15, 4]);
    no_dictionary[5] = 2;
    assert_refused(&no_dictionary, "it is damaged");
}

/// A file of one record "a", "b" with more columns, each of one text.
fn with_texts(schema: &str, columns: &[(i16, Option<&str>)]) -> Vec<u8> {
    let schema = format!(
        "message m {{ required binary id (STRING); required binary name (STRING); {schema} }}"
    );
    let texts = |text: Option<&str>| Values::Text(vec![text.map(str::to_owned)]);
    let mut values = vec![(0, texts(Some("a"))), (0, texts(Some("b")))];
    values.extend(columns.iter().map(|&(definition, text)| (definition, texts(text))));
    parquet(&schema, &values, &Writing::default())
}

/// What is made of one file: the first record and the notes, or what is wrong.
fn read_mapped(file: &[u8], mapping: &MappingOptions) -> Result<(Value, Vec<String>), String> {
    let folder = Folder::new();
    let input = [Input::File(folder.write("a.parquet", file))];
    let output = folder.path("out.firmament");
    let built = build_in_process(&input, &output, &reading(Format::Parquet, mapping));
    assert_eq!(built.result.is_ok(), output.exists());
    let record = built.result?.snapshot.document(DocId(0));
    Ok((serde_json::from_slice(&record).unwrap(), built.notes))
}

#[test]
fn nested_columns_are_refused_where_a_field_is_read() {
    let list = |name: &str, element: &str| {
        format!("optional group {name} (LIST) {{ repeated group list {{ {element} }} }}")
    };
    let text = "optional binary element (STRING);";
    let json = "optional binary element (JSON);";
    let map = "repeated group key_value { required binary key (STRING); }";
    let drop = "convert, rename or drop it, or name another column with --map";
    for (schema, definition, expected) in [
        (
            list("industry", &list("element", text)),
            5,
            format!(
                "the column \"industry\" is a list of lists; accepted are texts: {drop} industry=COLUMN"
            ),
        ),
        (
            "repeated binary industry (JSON);".to_owned(),
            1,
            "the column \"industry\" is a list of elements of the type BYTE_ARRAY (Json); accepted are texts: \
             convert the column"
                .to_owned(),
        ),
        (
            format!("optional group description (MAP) {{ {map} }}"),
            2,
            "the column \"description\" is a map; accepted are texts".to_owned(),
        ),
        (
            "optional group website { optional binary url (STRING); }".to_owned(),
            2,
            "the column \"website\" is a struct of \"website.url\"; accepted are texts".to_owned(),
        ),
        (
            "required group founded_year { optional binary text; }".to_owned(),
            1,
            "the column \"founded_year\" is a struct of \"founded_year.text\"; accepted are numbers"
                .to_owned(),
        ),
        (
            format!("optional group location {{ {} }}", list("state", json)),
            4,
            "the column \"location.state\" is a list of elements of the type BYTE_ARRAY (Json)".to_owned(),
        ),
        (
            list("city", "optional group element { optional binary name (STRING); }"),
            4,
            format!(
                "the column \"city\" is a list of structs; accepted are texts: {drop} location.city=COLUMN"
            ),
        ),
        (
            list("location", "optional group element { optional binary city (STRING); }"),
            4,
            "the column \"location\" is a list of structs; accepted is a struct that holds \"location.city\": \
             convert, rename or drop it, or name other columns with --map for city, state and country"
                .to_owned(),
        ),
        (
            "optional binary location (STRING);".to_owned(),
            1,
            "the column \"location\" is of the type BYTE_ARRAY (String); accepted is a struct that holds \
             \"location.city\": have texts \"city, state, country\" taken apart with --map location=location, or \
             rename or drop the column"
                .to_owned(),
        ),
    ] {
        assert_refused(&with_texts(&schema, &[(definition, Some("x"))]), &expected);
    }
    // What an operator named is not to be dropped.
    let file = with_texts("optional group a { optional binary b; }", &[(2, Some("x"))]);
    for (option, expected) in [
        (
            MappingOptions { columns: pairs(&[("industry", "a")]), ..MappingOptions::default() },
            "the column \"a\" is a struct of \"a.b\"; accepted are texts: convert it, or name another column with \
             --map industry=COLUMN",
        ),
        (
            MappingOptions { id_from: vec!["a".to_owned()], ..MappingOptions::default() },
            "the column \"a\" is a struct of \"a.b\"; accepted are texts, UUIDs and whole numbers: convert it, or \
             name another column with --id-from",
        ),
        (
            MappingOptions {
                columns: pairs(&[("industry", "a.b.c")]),
                ..MappingOptions::default()
            },
            "the column \"a.b\" is of the type BYTE_ARRAY; accepted is a struct that holds \"a.b.c\": convert it, or",
        ),
    ] {
        let error = read_mapped(&file, &option).unwrap_err();
        assert!(error.contains("a.parquet: ") && error.contains(expected), "{error}");
    }
}

#[test]
fn nested_columns_that_hold_no_field_are_not_used() {
    let nothing = MappingOptions::default();
    let mapped = |columns: &[(&str, &str)]| MappingOptions {
        columns: pairs(columns),
        ..MappingOptions::default()
    };
    let place = "optional group location { optional binary city (STRING);
                 optional group geo { optional binary country; } optional binary country (STRING); }";
    let list = "optional group industry (LIST) { repeated group list { optional binary x; } }";
    let flat = "optional binary location; optional binary city; optional binary state;
                optional binary country;";
    let tags = "optional group tags (LIST) { repeated group list { optional binary x; } }";
    let one = |text| (1, Some(text));
    for (schema, columns, mapping, expected, unused) in [
        (
            place,
            vec![(2, Some("Graz")), (3, Some("x")), (2, None)],
            nothing.clone(),
            json!({"city": "Graz", "state": null, "country": null}),
            Some("location.geo.country"),
        ),
        (
            "optional binary location (STRING);",
            vec![one("Graz, Austria")],
            mapped(&[("location", "location")]),
            json!({"city": "Graz", "state": null, "country": "Austria"}),
            None,
        ),
        (
            "optional binary location (STRING);",
            vec![one("Graz")],
            mapped(&[("city", "location")]),
            json!({"city": "Graz", "state": null, "country": null}),
            None,
        ),
        // Every place is read elsewhere.
        (
            flat,
            vec![one("47,15"), one("Graz"), one("Styria"), one("Austria")],
            nothing.clone(),
            json!({"city": "Graz", "state": "Styria", "country": "Austria"}),
            Some("location"),
        ),
        (
            tags,
            vec![(3, Some("x"))],
            nothing,
            json!({"city": null, "state": null, "country": null}),
            Some("tags"),
        ),
        (
            list,
            vec![(3, Some("x"))],
            MappingOptions {
                constants: pairs(&[("industry", "Oil"), ("city", "Graz")]),
                ..MappingOptions::default()
            },
            json!({"city": "Graz", "state": null, "country": null}),
            Some("industry"),
        ),
    ] {
        let (record, notes) = read_mapped(&with_texts(schema, &columns), &mapping).unwrap();
        assert_eq!(record["location"], expected, "{schema}");
        let note = unused.map(|name| format!("columns not used: {name:?}"));
        let found = notes.iter().find_map(|note| note.split_once("columns not used"));
        let found = found.map(|(_, names)| format!("columns not used{names}"));
        assert_eq!(found, note, "{schema}");
    }
}

#[test]
fn columns_of_nulls_have_no_values() {
    let schema = "message m {
        optional int32 id (UNKNOWN); required binary name (STRING); optional int32 website (UNKNOWN);
        optional boolean description (UNKNOWN); optional binary industry (UNKNOWN);
        optional int64 employee_count (UNKNOWN);
        optional group location { optional int32 state (UNKNOWN); optional binary country (STRING); }
        optional double founded_year (UNKNOWN); required binary number (STRING);
    }";
    let columns = |website| {
        vec![
            (1, Values::Int32(vec![None; 5])),
            (0, texts(&["a", "b", "c", "d", "e"])),
            (1, Values::Int32(website)),
            (1, Values::Bool(vec![None; 5])),
            (1, Values::Text(vec![None; 5])),
            (1, Values::Int64(vec![None; 5])),
            (2, Values::Int32(vec![None; 5])),
            (2, texts(&["x", "x", "x", "x", "x"])),
            (1, Values::Double(vec![None; 5])),
            (0, texts(&["1", "2", "3", "4", "5"])),
        ]
    };
    let mapping =
        MappingOptions { columns: pairs(&[("id", "number")]), ..MappingOptions::default() };
    for has_dictionary in [false, true] {
        let writing = Writing { has_dictionary, rows_per_group: 2, ..Writing::default() };
        let file = parquet(schema, &columns(vec![None; 5]), &writing);
        let (record, _) = read_mapped(&file, &mapping).unwrap();
        let expected = json!({
            "id": "1", "name": "a", "website": null, "description": null, "industry": null,
            "employee_count": null, "location": {"city": null, "state": null, "country": "x"},
            "founded_year": null,
        });
        assert_eq!(record, expected);

        // As ids and names nulls are missing, in every row; ids may be made instead.
        let folder = Folder::new();
        let input = [Input::File(folder.write("a.parquet", &file))];
        let output = folder.path("out.firmament");
        let built = build_in_process(&input, &output, &ReadOptions::default());
        assert_eq!((built.result.unwrap().records, built.rejects.len()), (5, 5));
        assert!(
            built.rejects[4].ends_with("row 5: id is null; every record needs one"),
            "{:?}",
            built.rejects
        );
        let made = MappingOptions { id_from: vec!["name".to_owned()], ..MappingOptions::default() };
        assert!(read_mapped(&file, &made).is_ok());

        // A column that says it has no values and has some contradicts itself.
        let file = parquet(schema, &columns(vec![None, None, None, Some(7), None]), &writing);
        let error = read_mapped(&file, &mapping).unwrap_err();
        assert!(error.contains("it is damaged: a column of nulls has values"), "{error}");
    }
    // A place that is nowhere given, as writers make it of null alone, and lists of nothing else.
    let file = |schema: &str, definition| {
        let schema = format!(
            "message m {{ required binary id (STRING); required binary name (STRING); {schema} }}"
        );
        let nulls = (definition, Values::Int32(vec![None]));
        let columns = [(0, texts(&["a"])), (0, texts(&["b"])), nulls];
        parquet(&schema, &columns, &Writing::default())
    };
    let place = file("optional int32 location (UNKNOWN);", 1);
    assert_eq!(read(&Folder::new(), &place), Ok(1));
    let list =
        "optional group website (LIST) { repeated group list { optional int32 x (UNKNOWN); } }";
    assert_eq!(read(&Folder::new(), &file(list, 3)), Ok(1));
}
