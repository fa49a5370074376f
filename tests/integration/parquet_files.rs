//! Parquet files to read, written by the `parquet` crate itself.

use bytes::Bytes;
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DoubleType, FixedLenByteArrayType, Int32Type, Int64Type,
};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use std::sync::Arc;

/// The values of one column; none where there is no value.
pub enum Values {
    Text(Vec<Option<String>>),
    Bytes16(Vec<Option<[u8; 16]>>),
    Int32(Vec<Option<i32>>),
    Int64(Vec<Option<i64>>),
    Double(Vec<Option<f64>>),
    Bool(Vec<Option<bool>>),
    /// Lists of texts; what the schema has no level for is written as an empty list, or must not be
    /// there.
    Lists(Vec<Option<Vec<Option<String>>>>),
}

/// Texts, all of them there.
pub fn texts(texts: &[&str]) -> Values {
    Values::Text(texts.iter().map(|&text| Some(text.to_owned())).collect())
}

/// How a file is written.
pub struct Writing {
    pub compression: Compression,
    pub has_dictionary: bool,
    pub rows_per_group: usize,
    /// The writer's choice if none.
    pub rows_per_page: Option<usize>,
    /// Of values that are not in a dictionary; the writer's choice if none.
    pub encoding: Option<Encoding>,
    /// Of the format.
    pub version: WriterVersion,
}

impl Default for Writing {
    fn default() -> Writing {
        Writing {
            compression: Compression::SNAPPY,
            has_dictionary: true,
            rows_per_group: 1000,
            rows_per_page: None,
            encoding: None,
            version: WriterVersion::PARQUET_1_0,
        }
    }
}

/// A file of leaf columns in the order of the schema. `definition` is the level of a value that is
/// there, for each column: 0 if it is required, 1 if optional, 2 if optional in an optional group.
/// A column in a list holds one value a row, but for [`Values::Lists`], which have levels of their
/// own.
pub fn parquet(schema: &str, columns: &[(i16, Values)], writing: &Writing) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut properties = WriterProperties::builder()
        .set_writer_version(writing.version)
        .set_compression(writing.compression)
        .set_dictionary_enabled(writing.has_dictionary);
    if let Some(encoding) = writing.encoding {
        properties = properties.set_encoding(encoding);
    }
    if let Some(rows) = writing.rows_per_page {
        properties = properties.set_data_page_row_count_limit(rows).set_write_batch_size(rows);
    }
    let properties = properties.build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    let num_rows = columns.first().map_or(0, |(_, values)| values.len());
    let starts = (0..num_rows).step_by(writing.rows_per_group);
    for start in starts {
        let range = start..(start + writing.rows_per_group).min(num_rows);
        let mut group = writer.next_row_group().unwrap();
        for (definition, values) in columns {
            let mut column = group.next_column().unwrap().unwrap();
            macro_rules! write {
                ($kind:ty, $values:expr, $convert:expr) => {{
                    let values = &$values[range.clone()];
                    let levels: Vec<i16> = values
                        .iter()
                        .map(|value| if value.is_some() { *definition } else { 0 })
                        .collect();
                    let values: Vec<_> = values.iter().flatten().map($convert).collect();
                    let levels = (*definition > 0).then_some(levels.as_slice());
                    let column = column.typed::<$kind>();
                    let repetitions = vec![0; range.len()];
                    let is_list = column.get_descriptor().max_rep_level() > 0;
                    let repetitions = is_list.then_some(repetitions.as_slice());
                    column.write_batch(&values, levels, repetitions).unwrap();
                }};
            }
            match values {
                Values::Text(values) => {
                    write!(ByteArrayType, values, |text| ByteArray::from(text.as_str()))
                }
                Values::Bytes16(values) => write!(FixedLenByteArrayType, values, |bytes| {
                    ByteArray::from(bytes.to_vec()).into()
                }),
                Values::Int32(values) => write!(Int32Type, values, |&value| value),
                Values::Int64(values) => write!(Int64Type, values, |&value| value),
                Values::Double(values) => write!(DoubleType, values, |&value| value),
                Values::Bool(values) => write!(BoolType, values, |&value| value),
                Values::Lists(lists) => write_lists(&mut column, &lists[range.clone()]),
            }
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

fn write_lists(column: &mut SerializedColumnWriter<'_>, lists: &[Option<Vec<Option<String>>>]) {
    let column = column.typed::<ByteArrayType>();
    let descriptor = column.get_descriptor();
    let (element, max) = (descriptor.repeated_ancestor_def_level(), descriptor.max_def_level());
    let (mut definitions, mut repetitions, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for list in lists {
        let elements = list.as_deref().unwrap_or_default();
        if elements.is_empty() {
            definitions.push(if list.is_some() { element - 1 } else { 0 });
            repetitions.push(0);
        }
        for (at, text) in elements.iter().enumerate() {
            assert!(text.is_some() || element < max);
            definitions.push(if text.is_some() { max } else { element });
            repetitions.push((at > 0).into());
            values.extend(text.as_deref().map(ByteArray::from));
        }
    }
    column.write_batch(&values, Some(&definitions), Some(&repetitions)).unwrap();
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Values::Text(values) => values.len(),
            Values::Bytes16(values) => values.len(),
            Values::Int32(values) => values.len(),
            Values::Int64(values) => values.len(),
            Values::Double(values) => values.len(),
            Values::Bool(values) => values.len(),
            Values::Lists(lists) => lists.len(),
        }
    }
}

/// Two required texts, the least that a file of records holds.
pub const ID_AND_NAME: &str =
    "message m { required binary id (STRING); required binary name (STRING); }";

/// The footer of a file, and where it begins.
pub fn footer(file: &[u8]) -> (usize, Bytes) {
    let len = u32::from_le_bytes(file[file.len() - 8..file.len() - 4].try_into().unwrap()) as usize;
    let start = file.len() - 8 - len;
    (start, Bytes::copy_from_slice(&file[start..start + len]))
}
