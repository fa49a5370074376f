//! One column of a row group, read in batches. Lists are read by
//! [`ListColumn`](super::list_column::ListColumn).

use super::damaged;
use super::decimal;
use super::lists::Leaf;
use super::unpacked::Unpacked;
use crate::company::Field;
use crate::index::mapping::Slot;
use crate::limits::FIELD_BYTES_MAX;
use ::parquet::basic::{ConvertedType, Encoding, LogicalType, TimeUnit, Type};
use ::parquet::column::page::PageReader;
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use ::parquet::data_type::DataType;
use ::parquet::file::metadata::ColumnChunkMetaData;
use ::parquet::schema::types::{self, ColumnDescPtr, ColumnDescriptor};
use std::io;

/// A value of a column.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Cell {
    /// None.
    Null,
    /// Bytes of the block's texts.
    Text {
        /// Where they begin.
        start: usize,
        /// Where they end.
        end: usize,
    },
    /// A text longer than any field, or a list longer than any record, of so many bytes.
    TooLong(usize),
    /// A list, its [`Elements`](super::list_column::Elements) written to the block's texts.
    List {
        /// Where they begin.
        start: usize,
        /// Where they end.
        end: usize,
    },
    /// A number in digits: bytes of the block's texts.
    Decimal {
        /// Where they begin.
        start: usize,
        /// Where they end.
        end: usize,
    },
    /// A number of an unsigned column.
    Unsigned(u64),
    /// A number of a signed column.
    Signed(i64),
    /// A floating-point number.
    Double(f64),
    /// A day, counted from 1 January 1970.
    Day(i64),
}

/// What the values of a column are, beyond their physical type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Text,
    /// Sixteen bytes, shown with hyphens.
    Uuid,
    Signed,
    Unsigned,
    Double,
    /// A whole number of units, so many decimals of which stand behind the point.
    Decimal(usize),
    /// So many of which make a day, counted from 1 January 1970.
    Time(i64),
    /// Nanoseconds of a day and a Julian day, as older programs write times.
    JulianTime,
    /// No value in any row, whatever the physical type: what writers make of a column that is
    /// always null.
    Null,
}

/// The kind of the values of a column, if it is one that a field can be read from.
fn kind_of(column: &ColumnDescriptor) -> Option<Kind> {
    if is_of_nulls(column.self_type()) {
        return Some(Kind::Null);
    }
    let (logical, converted) = (column.logical_type_ref(), column.converted_type());
    let is_decimal = matches!(
        (logical, converted),
        (Some(LogicalType::Decimal(_)), _) | (None, ConvertedType::DECIMAL)
    );
    if is_decimal {
        let scale = usize::try_from(column.type_scale()).ok()?;
        let is_of_bytes = matches!(
            column.physical_type(),
            Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY | Type::INT32 | Type::INT64
        );
        let is_short =
            usize::try_from(column.type_length()).is_ok_and(|len| len <= decimal::BYTES_MAX);
        let is_fixed = column.physical_type() == Type::FIXED_LEN_BYTE_ARRAY;
        let is_known = is_of_bytes && (!is_fixed || is_short) && scale <= decimal::DECIMALS_MAX;
        return is_known.then_some(Kind::Decimal(scale));
    }
    match column.physical_type() {
        Type::BYTE_ARRAY => is_of_texts(column.self_type()).then_some(Kind::Text),
        Type::FIXED_LEN_BYTE_ARRAY if matches!(logical, Some(LogicalType::Uuid)) => {
            (column.type_length() == 16).then_some(Kind::Uuid)
        }
        Type::INT96 => Some(Kind::JulianTime),
        Type::INT32 | Type::INT64 => match (logical, converted) {
            (Some(LogicalType::Integer(integer)), _) => {
                Some(if integer.is_signed { Kind::Signed } else { Kind::Unsigned })
            }
            (Some(LogicalType::Date), _) | (None, ConvertedType::DATE) => Some(Kind::Time(1)),
            (Some(LogicalType::Timestamp(time)), _) => Some(Kind::Time(match time.unit {
                TimeUnit::MILLIS => DAY_MILLIS,
                TimeUnit::MICROS => DAY_MILLIS * 1_000,
                TimeUnit::NANOS => DAY_MILLIS * 1_000_000,
            })),
            (None, ConvertedType::TIMESTAMP_MILLIS) => Some(Kind::Time(DAY_MILLIS)),
            (None, ConvertedType::TIMESTAMP_MICROS) => Some(Kind::Time(DAY_MILLIS * 1_000)),
            (Some(_), _) => None,
            (
                None,
                ConvertedType::UINT_8
                | ConvertedType::UINT_16
                | ConvertedType::UINT_32
                | ConvertedType::UINT_64,
            ) => Some(Kind::Unsigned),
            (
                None,
                ConvertedType::NONE
                | ConvertedType::INT_8
                | ConvertedType::INT_16
                | ConvertedType::INT_32
                | ConvertedType::INT_64,
            ) => Some(Kind::Signed),
            _ => None,
        },
        Type::FLOAT | Type::DOUBLE => Some(Kind::Double),
        Type::BOOLEAN | Type::FIXED_LEN_BYTE_ARRAY => None,
    }
}

/// Milliseconds of a day.
const DAY_MILLIS: i64 = 86_400_000;

/// The Julian day of 1 January 1970.
const JULIAN_1970: i64 = 2_440_588;

/// Does this leaf say that it holds nothing but nulls?
pub fn is_of_nulls(leaf: &types::Type) -> bool {
    leaf.is_primitive() && leaf.get_basic_info().logical_type_ref() == Some(&LogicalType::Unknown)
}

/// Does this leaf hold texts? Bytes of which nothing is said are taken for texts.
pub fn is_of_texts(leaf: &types::Type) -> bool {
    let info = leaf.get_basic_info();
    let is_text = matches!(
        (info.logical_type_ref(), info.converted_type()),
        (Some(LogicalType::String | LogicalType::Enum), _)
            | (None, ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::NONE)
    );
    leaf.is_primitive() && leaf.get_physical_type() == Type::BYTE_ARRAY && is_text
}

/// The type of a leaf, for people.
pub fn type_name(leaf: &types::Type) -> String {
    let (physical, info) = (leaf.get_physical_type(), leaf.get_basic_info());
    match (info.logical_type_ref(), info.converted_type()) {
        (Some(logical), _) => format!("{physical} ({logical:?})"),
        (None, ConvertedType::NONE) => physical.to_string(),
        (None, converted) => format!("{physical} ({converted})"),
    }
}

/// The types that `slot` can be read from, for people.
pub fn accepted(slot: Slot) -> &'static str {
    match slot {
        Slot::Field(Field::EmployeeCount) => "numbers (INT32, INT64, DECIMAL, DOUBLE) and texts",
        Slot::Field(Field::FoundedYear) => {
            "numbers (INT32, INT64, DECIMAL, DOUBLE), dates (DATE, TIMESTAMP) and texts"
        }
        Slot::Field(Field::Id) | Slot::IdPart(_) => "texts, UUIDs and whole numbers",
        Slot::Field(field) if field.is_list() => "texts and lists of texts",
        Slot::Field(_) | Slot::Beside(_) | Slot::NamePart(_) => "texts",
    }
}

/// Can `slot` be read from a column of this type? A column of nulls has no value of a wrong type,
/// and lists of one text are read as that text, as in JSON.
///
/// # Errors
/// It cannot: what the column is, what is accepted, and how to mend it.
pub fn check_type(column: &ColumnDescriptor, leaf: &Leaf, slot: Slot) -> Result<(), String> {
    let kind = kind_of(column);
    let is_number = matches!(
        kind,
        Some(Kind::Signed | Kind::Unsigned | Kind::Double | Kind::Decimal(_) | Kind::Text)
    );
    let is_in_other = column.max_rep_level() > i16::from(leaf.is_list);
    let is_accepted = match slot {
        _ if is_in_other => false,
        _ if kind == Some(Kind::Null) => true,
        _ if leaf.is_list => kind == Some(Kind::Text),
        Slot::Field(Field::EmployeeCount) => is_number,
        Slot::Field(Field::FoundedYear) => {
            is_number || matches!(kind, Some(Kind::Time(_) | Kind::JulianTime))
        }
        Slot::Field(Field::Id) | Slot::IdPart(_) => matches!(
            kind,
            Some(Kind::Text | Kind::Uuid | Kind::Signed | Kind::Unsigned | Kind::Decimal(0))
        ),
        Slot::Field(_) | Slot::Beside(_) | Slot::NamePart(_) => kind == Some(Kind::Text),
    };
    if is_accepted {
        return Ok(());
    }
    let a_list = if leaf.is_list { "a list of elements " } else { "" };
    let in_other = if is_in_other { ", in a list or map" } else { "" };
    let mend = match slot {
        Slot::Field(field) if field.is_list() => {
            format!("convert it to a list of texts, or do not read it, with --map {field}=-")
        }
        _ => "convert the column".to_owned(),
    };
    Err(format!(
        "the column {:?} is {a_list}of the type {}{in_other}; accepted are {}: {mend}",
        leaf.name,
        type_name(column.self_type()),
        accepted(slot)
    ))
}

/// A column being read.
pub struct Column {
    reader: ColumnReader,
    kind: Kind,
    /// The definition level of a value that is there.
    max_definition: i16,
    definitions: Vec<i16>,
    /// Rows that are decoded together.
    rows_together: usize,
    /// See [`take_unpacked_bytes`](Self::take_unpacked_bytes).
    unpacked_bytes: u64,
}

impl Column {
    /// The column of these pages of a chunk, whose levels are as `descriptor` has them.
    ///
    /// # Errors
    /// It is of a type that [`check_type`] refuses.
    pub fn new(
        descriptor: ColumnDescPtr,
        chunk: &ColumnChunkMetaData,
        pages: Box<dyn PageReader>,
    ) -> io::Result<Column> {
        let kind = kind_of(&descriptor)
            .ok_or_else(|| io::Error::other("it is damaged: a column changed its type"))?;
        let max_definition = descriptor.max_def_level();
        // A value that repeats the start of the one before is a copy of it: a few bytes may be as
        // long as a page, each.
        let may_repeat = chunk.encodings().any(|it| it == Encoding::DELTA_BYTE_ARRAY);
        let pages = Box::new(Unpacked::new(pages, max_definition, may_repeat));
        Ok(Column {
            reader: get_column_reader(descriptor, pages),
            kind,
            max_definition,
            definitions: Vec::new(),
            rows_together: if may_repeat { 1 } else { usize::MAX },
            unpacked_bytes: 0,
        })
    }

    /// Bytes of texts that were decoded since they were taken last, kept or not.
    pub fn take_unpacked_bytes(&mut self) -> u64 {
        std::mem::take(&mut self.unpacked_bytes)
    }

    /// Reads `num_rows` rows; gives every value that is there, with its row. Texts are appended to
    /// `texts`. Tells how many rows there were.
    ///
    /// # Errors
    /// The column is damaged.
    pub fn read(
        &mut self,
        num_rows: usize,
        texts: &mut Vec<u8>,
        mut give: impl FnMut(usize, Cell),
    ) -> io::Result<usize> {
        let mut num_read = 0;
        while num_read < num_rows {
            let wanted = num_rows - num_read;
            let read = self.read_together(wanted, texts, |row, cell| give(num_read + row, cell))?;
            if read == 0 {
                break;
            }
            num_read += read;
        }
        Ok(num_read)
    }

    /// The definition levels of the rows that were [read together](Self::read_together) last.
    pub fn definitions(&self) -> &[i16] {
        &self.definitions
    }

    /// Reads rows as [`read`](Self::read) does, at most `num_rows` of them: so many that none is
    /// long for being a copy of others.
    ///
    /// # Errors
    /// The column is damaged.
    pub fn read_together(
        &mut self,
        num_rows: usize,
        texts: &mut Vec<u8>,
        mut give: impl FnMut(usize, Cell),
    ) -> io::Result<usize> {
        let num_rows = num_rows.min(self.rows_together);
        let kind = self.kind;
        let mut num_values = 0;
        let mut give = |row, cell| {
            num_values += 1;
            give(row, cell);
        };
        let unpacked_bytes = &mut self.unpacked_bytes;
        let mut append = |bytes: &[u8]| {
            *unpacked_bytes += bytes.len() as u64;
            let bytes = if bytes.len() > FIELD_BYTES_MAX { bytes.trim_ascii() } else { bytes };
            if bytes.len() > FIELD_BYTES_MAX {
                return Cell::TooLong(bytes.len());
            }
            let start = texts.len();
            texts.extend_from_slice(bytes);
            match kind {
                Kind::Decimal(_) => Cell::Decimal { start, end: texts.len() },
                _ => Cell::Text { start, end: texts.len() },
            }
        };
        let mut is_damaged = false;
        let (max, definitions) = (self.max_definition, &mut self.definitions);
        let num_read = match &mut self.reader {
            ColumnReader::ByteArrayColumnReader(reader) => {
                read_batch(reader, num_rows, max, definitions, |row, value| match kind {
                    Kind::Decimal(decimals) => {
                        is_damaged |= value.len() > decimal::BYTES_MAX;
                        give(row, append(decimal::to_text(value.data(), decimals).as_bytes()));
                    }
                    _ => give(row, append(value.data())),
                })
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                read_batch(reader, num_rows, max, definitions, |row, value| {
                    if let Kind::Decimal(decimals) = kind {
                        give(row, append(decimal::to_text(value.data(), decimals).as_bytes()));
                        return;
                    }
                    let bytes = <[u8; 16]>::try_from(value.data()).unwrap_or_default();
                    give(row, append(uuid::Uuid::from_bytes(bytes).to_string().as_bytes()));
                })
            }
            ColumnReader::Int32ColumnReader(reader) => {
                read_batch(reader, num_rows, max, definitions, |row, &value| {
                    give(
                        row,
                        match kind {
                            Kind::Unsigned => Cell::Unsigned(u64::from(value as u32)),
                            Kind::Time(_) => Cell::Day(i64::from(value)),
                            Kind::Decimal(decimals) => {
                                append(decimal::to_text(&value.to_be_bytes(), decimals).as_bytes())
                            }
                            _ => Cell::Signed(i64::from(value)),
                        },
                    );
                })
            }
            ColumnReader::Int64ColumnReader(reader) => {
                read_batch(reader, num_rows, max, definitions, |row, &value| {
                    give(
                        row,
                        match kind {
                            Kind::Unsigned => Cell::Unsigned(value as u64),
                            Kind::Time(of_day) => Cell::Day(value.div_euclid(of_day)),
                            Kind::Decimal(decimals) => {
                                append(decimal::to_text(&value.to_be_bytes(), decimals).as_bytes())
                            }
                            _ => Cell::Signed(value),
                        },
                    );
                })
            }
            ColumnReader::FloatColumnReader(reader) => {
                read_batch(reader, num_rows, max, definitions, |row, &value| {
                    give(row, Cell::Double(f64::from(value)));
                })
            }
            ColumnReader::DoubleColumnReader(reader) => {
                read_batch(reader, num_rows, max, definitions, |row, &value| {
                    give(row, Cell::Double(value));
                })
            }
            // Types that no field is read from.
            ColumnReader::BoolColumnReader(reader) if kind == Kind::Null => {
                read_batch(reader, num_rows, max, definitions, |row, _| give(row, Cell::Null))
            }
            ColumnReader::Int96ColumnReader(reader) if kind == Kind::JulianTime => {
                read_batch(reader, num_rows, max, definitions, |row, value| {
                    let julian = value.data().get(2).copied().unwrap_or_default();
                    give(row, Cell::Day(i64::from(julian) - JULIAN_1970));
                })
            }
            ColumnReader::Int96ColumnReader(reader) if kind == Kind::Null => {
                read_batch(reader, num_rows, max, definitions, |row, _| give(row, Cell::Null))
            }
            _ => Err(io::Error::other("it is damaged: a column changed its type")),
        }?;
        if is_damaged {
            let reason = "it is damaged: a decimal number is longer than any can be";
            return Err(io::Error::other(reason));
        }
        if kind == Kind::Null && num_values > 0 {
            return Err(io::Error::other("it is damaged: a column of nulls has values"));
        }
        Ok(num_read)
    }
}

fn read_batch<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    num_rows: usize,
    max_definition: i16,
    definitions: &mut Vec<i16>,
    mut give: impl FnMut(usize, &T::T),
) -> io::Result<usize> {
    let mut values: Vec<T::T> = Vec::with_capacity(num_rows);
    definitions.clear();
    let (rows, num_values, _) =
        reader.read_records(num_rows, Some(definitions), None, &mut values).map_err(damaged)?;
    if max_definition == 0 {
        values.iter().enumerate().for_each(|(row, value)| give(row, value));
        return Ok(rows);
    }
    let there = definitions.iter().enumerate().filter(|(_, level)| **level == max_definition);
    let mut values = values[..num_values].iter();
    for ((row, _), value) in there.zip(&mut values) {
        give(row, value);
    }
    if values.next().is_some() {
        return Err(io::Error::other("it is damaged: a column has more values than rows"));
    }
    Ok(rows)
}
