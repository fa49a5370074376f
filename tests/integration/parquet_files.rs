//! Parquet files to read, written by the `parquet` crate itself.

use bytes::Bytes;
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DoubleType, FixedLenByteArrayType, Int32Type, Int64Type,
};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
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
            encoding: None,
            version: WriterVersion::PARQUET_1_0,
        }
    }
}

/// A file of leaf columns in the order of the schema. `definition` is the level of a value that is
/// there, for each column: 0 if it is required, 1 if optional, 2 if optional in an optional group.
/// A column in a list holds one value a row.
pub fn parquet(schema: &str, columns: &[(i16, Values)], writing: &Writing) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut properties = WriterProperties::builder()
        .set_writer_version(writing.version)
        .set_compression(writing.compression)
        .set_dictionary_enabled(writing.has_dictionary);
    if let Some(encoding) = writing.encoding {
        properties = properties.set_encoding(encoding);
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
            }
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
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
