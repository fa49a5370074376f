//! Apache Parquet files.
//!
//! Only the columns that are mapped are read, column by column in batches of rows, through the
//! column readers of the `parquet` crate. That crate promises no panics on hostile files and no
//! bound on what a page unpacks to, so panics are caught here and become errors, [`pages`] looks at
//! every page before the crate does, and [`unpacked`] at what is in some of them before the crate
//! makes room for it. Page checksums are checked where the file has them; most writers leave them
//! out, and damage within a value then passes unnoticed, as in any text file. Memory: one page of
//! at most [`PARQUET_PAGE_BYTES_MAX`](crate::limits::PARQUET_PAGE_BYTES_MAX) for every mapped
//! column, and one block of rows: 4 MiB, and of texts as long as fields may be, 8 MiB for each
//! column.

mod column;
mod decimal;
mod pages;
mod shape;
mod unpacked;

use super::{BLOCK_BYTES, Block, Blocks, Parsed, too_long};
use crate::company;
use crate::company::{Company, FaultKind, Field};
use crate::index::company_builder::{Assembly, Value};
use crate::index::findings::Findings;
use crate::index::mapping::{Binding, Mapping, Slot};
use crate::index::record::{Fault, RecordError};
use crate::limits::{
    PARQUET_FOOTER_BYTES_MAX, RECORD_BYTES_MAX, UNPACKED_FREE_BYTES, UNPACKED_RATIO_MAX,
};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{ChunkReader, FileReader};
use ::parquet::file::serialized_reader::SerializedFileReader;
use column::{Cell, Column};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What every Parquet file begins and ends with.
pub const MAGIC: [u8; 4] = *b"PAR1";

/// What it begins and ends with if its footer is encrypted.
pub const MAGIC_ENCRYPTED: [u8; 4] = *b"PARE";

/// Rows that are decoded together: in every column, as many texts may be as long as a field.
const BATCH_ROWS: usize = 128;

/// Reads a Parquet file block by block.
pub struct ParquetRows<R: ChunkReader> {
    file: Arc<R>,
    reader: SerializedFileReader<SharedChunks<R>>,
    binding: Arc<Binding>,
    next_group: usize,
    /// The columns of the row group being read, as in the binding.
    columns: Vec<Column>,
    /// Rows of that group still to come.
    rows_left: u64,
    next_row: u64,
    /// Bytes of the texts so far.
    unpacked_bytes: u64,
    consumed: Arc<AtomicU64>,
}

/// Rows by columns.
#[derive(Default)]
struct Rows {
    binding: Arc<Binding>,
    first_row: u64,
    num_rows: usize,
    texts: Vec<u8>,
    /// By row, then by column of the binding.
    cells: Vec<Cell>,
}

/// The file, for the crate and for us.
struct SharedChunks<R>(Arc<R>);

impl<R: ChunkReader> ::parquet::file::reader::Length for SharedChunks<R> {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl<R: ChunkReader> ChunkReader for SharedChunks<R> {
    type T = R::T;

    fn get_read(&self, start: u64) -> ::parquet::errors::Result<R::T> {
        self.0.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> ::parquet::errors::Result<bytes::Bytes> {
        self.0.get_bytes(start, length)
    }
}

impl<R: ChunkReader + 'static> ParquetRows<R> {
    /// Opens a file, finds its columns, and tells which are used, and the mapping for them.
    /// `consumed` counts the bytes of the row groups that were read.
    ///
    /// # Errors
    /// The file is damaged, encrypted or packed in a way that is not accepted; or its columns do
    /// not fit the mapping.
    pub fn new(
        file: R,
        mapping: &Mapping,
        consumed: Arc<AtomicU64>,
    ) -> io::Result<(ParquetRows<R>, Binding, Mapping)> {
        check_ends(&file)?;
        let file = Arc::new(file);
        contained(|| {
            let reader = SerializedFileReader::new(SharedChunks(file.clone())).map_err(damaged)?;
            let metadata = reader.metadata();
            let groups = metadata.row_groups().iter();
            let in_groups: i128 = groups.map(|group| i128::from(group.num_rows())).sum();
            if in_groups != i128::from(metadata.file_metadata().num_rows()) {
                let reason =
                    "it is damaged: its row groups have not as many rows as it should have";
                return Err(io::Error::other(reason));
            }
            let schema = metadata.file_metadata().schema_descr();
            let names: Vec<String> =
                schema.columns().iter().map(|column| column.path().string()).collect();
            let mapping = mapping.for_columns(&names).map_err(io::Error::other)?;
            shape::check(schema.root_schema(), &names, &mapping).map_err(io::Error::other)?;
            let binding = mapping.bind(&names).map_err(io::Error::other)?;
            for &(at, slot) in &binding.slots {
                column::check_type(&schema.column(at), slot).map_err(io::Error::other)?;
            }
            let used = Arc::new(binding.clone());
            let rows = ParquetRows {
                file: file.clone(),
                reader,
                binding: used,
                next_group: 0,
                columns: Vec::new(),
                rows_left: 0,
                next_row: 1,
                unpacked_bytes: 0,
                consumed,
            };
            Ok((rows, binding, mapping))
        })
    }

    /// Goes to the next row group that has rows; false at the end.
    fn open_group(&mut self) -> io::Result<bool> {
        loop {
            let metadata = self.reader.metadata();
            if self.next_group == metadata.num_row_groups() {
                return Ok(false);
            }
            let at = self.next_group;
            self.next_group += 1;
            let group = metadata.row_group(at);
            let rows = u64::try_from(group.num_rows()).map_err(|_| {
                io::Error::other(format!("row group {at} has fewer rows than none"))
            })?;
            let bytes = u64::try_from(group.compressed_size()).unwrap_or(0);
            self.consumed.fetch_add(bytes.min(self.file.len()), Ordering::Relaxed);
            if rows == 0 {
                continue;
            }
            let row_group = self.reader.get_row_group(at).map_err(damaged)?;
            let mut columns = Vec::with_capacity(self.binding.slots.len());
            for &(column, _) in &self.binding.slots {
                pages::check(&*self.file, group.column(column))?;
                let pages = row_group.get_column_page_reader(column).map_err(damaged)?;
                columns.push(Column::new(group.column(column), pages)?);
            }
            self.columns = columns;
            self.rows_left = rows;
            return Ok(true);
        }
    }

    /// A row group that says it has fewer rows than its columns would lose the others in silence.
    fn check_ends_of_columns(&mut self) -> io::Result<()> {
        for column in &mut self.columns {
            if column.read(1, &mut Vec::new(), |_, _| {})? > 0 {
                let reason = "it is damaged: a column has more values than its row group has rows";
                return Err(io::Error::other(reason));
            }
        }
        Ok(())
    }

    fn next_rows(&mut self) -> io::Result<Option<Rows>> {
        let mut rows =
            Rows { binding: self.binding.clone(), first_row: self.next_row, ..Rows::default() };
        while rows.texts.len() < BLOCK_BYTES && rows.num_rows < BLOCK_BYTES / 256 {
            if self.rows_left == 0 && !self.open_group()? {
                break;
            }
            let wanted = BATCH_ROWS.min(usize::try_from(self.rows_left).unwrap_or(BATCH_ROWS));
            let width = self.columns.len();
            let start = rows.cells.len();
            rows.cells.resize(start + wanted * width, Cell::Null);
            for (at, column) in self.columns.iter_mut().enumerate() {
                let cells = &mut rows.cells[start + at..];
                let read = column.read(wanted, &mut rows.texts, |row, cell| {
                    cells[row * width] = cell;
                })?;
                if read != wanted {
                    return Err(io::Error::other(format!(
                        "it is damaged: a column ends before the last row of its row group ({} of {})",
                        self.next_group,
                        self.reader.metadata().num_row_groups()
                    )));
                }
            }
            let unpacked = self.columns.iter_mut().map(Column::take_unpacked_bytes);
            self.unpacked_bytes += unpacked.sum::<u64>();
            let file_bytes = self.file.len();
            if self.unpacked_bytes
                > file_bytes.saturating_mul(UNPACKED_RATIO_MAX).max(UNPACKED_FREE_BYTES)
            {
                return Err(io::Error::other(format!(
                    "it unpacks to more than {UNPACKED_RATIO_MAX} times its size, as no records do"
                )));
            }
            rows.num_rows += wanted;
            self.rows_left -= wanted as u64;
            if self.rows_left == 0 {
                self.check_ends_of_columns()?;
            }
        }
        self.next_row += rows.num_rows as u64;
        Ok((rows.num_rows > 0).then_some(rows))
    }
}

/// Magic numbers and the length of the footer, before anything is allocated by it.
fn check_ends<R: ChunkReader>(file: &R) -> io::Result<()> {
    let len = file.len();
    if len < 12 {
        return Err(io::Error::other("it is no Parquet file: it is too short"));
    }
    let tail = file.get_bytes(len - 8, 8).map_err(damaged)?;
    if tail[4..] == MAGIC_ENCRYPTED {
        return Err(io::Error::other(
            "it is an encrypted Parquet file: write it without encryption",
        ));
    }
    if tail[4..] != MAGIC {
        return Err(io::Error::other(
            "it does not end as a Parquet file does: it is cut off, or none",
        ));
    }
    let footer = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
    if footer > PARQUET_FOOTER_BYTES_MAX || footer > len - 12 {
        return Err(io::Error::other(format!(
            "it is damaged: its footer cannot be {footer} bytes long"
        )));
    }
    Ok(())
}

/// What the crate says about a file.
fn damaged(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) if error.raw_os_error().is_some() => *error,
            Ok(error) => {
                io::Error::other(format!("it is damaged, or of a kind not accepted: {error}"))
            }
            Err(source) => {
                io::Error::other(format!("it is damaged, or of a kind not accepted: {source}"))
            }
        },
        error => io::Error::other(format!("it is damaged, or of a kind not accepted: {error}")),
    }
}

/// Turns a panic of the crate into an error.
fn contained<T>(work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let reason = "it is damaged: the reader of Parquet files stumbled over it";
        Err(io::Error::other(reason))
    })
}

impl<R: ChunkReader + 'static> Blocks for ParquetRows<R> {
    fn next(&mut self) -> io::Result<Option<Box<dyn Block>>> {
        let rows = contained(|| self.next_rows())?;
        Ok(rows.map(|rows| Box::new(rows) as Box<dyn Block>))
    }
}

impl Block for Rows {
    fn parse(self: Box<Self>, mapping: &Mapping) -> Parsed {
        let width = self.binding.slots.len();
        let mut parsed = Parsed { bytes: self.texts.len() as u64, ..Parsed::default() };
        for row in 0..self.num_rows {
            let cells = &self.cells[row * width..(row + 1) * width];
            let number = self.first_row + row as u64;
            parsed.findings.number = number;
            let record = self.parse_row(cells, mapping, &mut parsed.findings);
            parsed.records.push((number, record));
        }
        parsed
    }
}

impl Rows {
    fn parse_row(
        &self,
        cells: &[Cell],
        mapping: &Mapping,
        findings: &mut Findings,
    ) -> Result<Company, RecordError> {
        let slots = || cells.iter().zip(&self.binding.slots);
        let text = |start: usize, end: usize| std::str::from_utf8(&self.texts[start..end]);
        let id = || {
            let id = slots().find(|(_, (_, slot))| *slot == Slot::Field(Field::Id));
            id.and_then(|(cell, _)| match *cell {
                Cell::Text { start, end } | Cell::Decimal { start, end } => {
                    text(start, end).ok().map(str::to_owned)
                }
                Cell::Unsigned(number) => Some(number.to_string()),
                Cell::Signed(number) => Some(number.to_string()),
                _ => None,
            })
        };
        let mut assembly = Assembly::new(mapping);
        for (cell, &(_, slot)) in slots() {
            let value = match *cell {
                Cell::Null => Ok(Value::Null),
                Cell::Text { start, end } => text(start, end).map(Value::Text).map_err(|error| {
                    let at = error.valid_up_to() + 1;
                    let reason = format!("is not UTF-8 at byte {at}: write the column as text");
                    (FaultKind::NotUtf8, reason)
                }),
                Cell::Decimal { start, end } => {
                    Ok(Value::Decimal(text(start, end).expect("digits, a sign and a dot")))
                }
                Cell::TooLong(len) if len > RECORD_BYTES_MAX => {
                    return Err(too_long("").with_id(id().as_deref()));
                }
                Cell::TooLong(len) => Err((FaultKind::TooLong, company::too_long(len))),
                Cell::Unsigned(number) => Ok(Value::Unsigned(number)),
                Cell::Signed(number) => Ok(Value::Signed(number)),
                Cell::Double(number) => Ok(Value::Double(number)),
                Cell::Day(day) => Ok(Value::Day(day)),
            };
            match value {
                Ok(value) => assembly.set(slot, value, findings),
                Err((kind, reason)) => {
                    assembly.refuse(Fault { field: slot.field(), kind, reason }, findings);
                }
            }
        }
        assembly.finish(findings).map_err(|error| error.with_id(id().as_deref()))
    }
}
