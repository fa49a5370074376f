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
//! column, or 16 MiB of lists as long as records may be.

mod column;
mod decimal;
mod list_column;
mod lists;
mod pages;
mod repetitions;
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
use list_column::{Element, Elements, ListColumn};
use lists::Leaf;
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

/// Rows that are decoded together where a column is a list: a list may be as long as a record.
const BATCH_ROWS_OF_LISTS: usize = 16;

/// Reads a Parquet file block by block.
pub struct ParquetRows<R: ChunkReader> {
    file: Arc<R>,
    reader: SerializedFileReader<SharedChunks<R>>,
    binding: Arc<Binding>,
    /// Is it a list? For each column of the binding.
    are_lists: Vec<bool>,
    next_group: usize,
    /// The columns of the row group being read, as in the binding.
    columns: Vec<MappedColumn>,
    /// Rows of that group still to come.
    rows_left: u64,
    next_row: u64,
    /// Bytes of the texts so far.
    unpacked_bytes: u64,
    consumed: Arc<AtomicU64>,
}

/// A column that is read.
enum MappedColumn {
    /// One value a row.
    Values(Column),
    /// A list a row.
    Lists(ListColumn),
}

impl MappedColumn {
    /// See [`Column::read`] and [`ListColumn::read`].
    fn read(
        &mut self,
        num_rows: usize,
        texts: &mut Vec<u8>,
        give: impl FnMut(usize, Cell),
    ) -> io::Result<usize> {
        match self {
            MappedColumn::Values(column) => column.read(num_rows, texts, give),
            MappedColumn::Lists(column) => column.read(num_rows, texts, give),
        }
    }

    fn take_unpacked_bytes(&mut self) -> u64 {
        match self {
            MappedColumn::Values(column) => column.take_unpacked_bytes(),
            MappedColumn::Lists(column) => column.take_unpacked_bytes(),
        }
    }
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
            let leaves = lists::leaves(schema.root_schema());
            // An operator may name a list by the path to its elements.
            let name = |leaf: &Leaf| match mapping.knows(&leaf.path) {
                true => leaf.path.clone(),
                false => leaf.name.clone(),
            };
            let names: Vec<String> = leaves.iter().map(name).collect();
            let mapping = mapping.for_columns(&names).map_err(io::Error::other)?;
            shape::check(schema.root_schema(), &names, &mapping).map_err(io::Error::other)?;
            let binding = mapping.bind(&names).map_err(io::Error::other)?;
            for &(at, slot) in &binding.slots {
                column::check_type(&schema.column(at), &leaves[at], slot)
                    .map_err(io::Error::other)?;
            }
            let are_lists = binding.slots.iter().map(|&(at, _)| leaves[at].is_list).collect();
            let used = Arc::new(binding.clone());
            let rows = ParquetRows {
                file: file.clone(),
                reader,
                binding: used,
                are_lists,
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
            for (&(at, _), &is_list) in self.binding.slots.iter().zip(&self.are_lists) {
                let chunk = group.column(at);
                pages::check(&*self.file, chunk)?;
                let pages = row_group.get_column_page_reader(at).map_err(damaged)?;
                columns.push(if is_list {
                    MappedColumn::Lists(ListColumn::new(chunk, pages)?)
                } else {
                    MappedColumn::Values(Column::new(chunk.column_descr_ptr(), chunk, pages)?)
                });
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
        let batch_rows =
            if self.are_lists.contains(&true) { BATCH_ROWS_OF_LISTS } else { BATCH_ROWS };
        while rows.texts.len() < BLOCK_BYTES && rows.num_rows < BLOCK_BYTES / 256 {
            if self.rows_left == 0 && !self.open_group()? {
                break;
            }
            let wanted =
                usize::try_from(self.rows_left).map_or(batch_rows, |left| left.min(batch_rows));
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
            let unpacked = self.columns.iter_mut().map(MappedColumn::take_unpacked_bytes);
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
        let id = || {
            let id = slots().find(|(_, (_, slot))| *slot == Slot::Field(Field::Id));
            id.and_then(|(cell, _)| match self.value_of(cell) {
                Ok(Value::Text(text) | Value::Decimal(text)) => Some(text.to_owned()),
                Ok(Value::Unsigned(number)) => Some(number.to_string()),
                Ok(Value::Signed(number)) => Some(number.to_string()),
                _ => None,
            })
        };
        let mut assembly = Assembly::new(mapping);
        for (cell, &(_, slot)) in slots() {
            let mut set = |value: Result<Value<'_>, Unread>| match value {
                Ok(value) => assembly.set(slot, value, findings),
                Err(Unread { kind, reason }) => {
                    assembly.refuse(Fault { field: slot.field(), kind, reason }, findings);
                }
            };
            match *cell {
                Cell::TooLong(len) if len > RECORD_BYTES_MAX => {
                    return Err(too_long("").with_id(id().as_deref()));
                }
                Cell::List { start, end } if slot.is_list() => {
                    Elements::new(&self.texts, start..end).map(element_value).for_each(set);
                }
                _ => set(self.value_of(cell)),
            }
        }
        assembly.finish(findings).map_err(|error| error.with_id(id().as_deref()))
    }

    /// The value of a cell; of a list of one, that one.
    fn value_of(&self, cell: &Cell) -> Result<Value<'_>, Unread> {
        Ok(match *cell {
            Cell::Null => Value::Null,
            Cell::Text { start, end } => Value::Text(text_of(&self.texts[start..end])?),
            Cell::Decimal { start, end } => {
                Value::Decimal(text_of(&self.texts[start..end]).expect("digits, a sign and a dot"))
            }
            Cell::List { start, end } => {
                let mut elements = Elements::new(&self.texts, start..end);
                match (elements.next(), elements.count()) {
                    (None, _) => Value::List(0),
                    (Some(element), 0) => element_value(element)?,
                    (Some(_), others) => Value::List(1 + others),
                }
            }
            Cell::TooLong(len) => return Err(Unread::too_long(len)),
            Cell::Unsigned(number) => Value::Unsigned(number),
            Cell::Signed(number) => Value::Signed(number),
            Cell::Double(number) => Value::Double(number),
            Cell::Day(day) => Value::Day(day),
        })
    }
}

/// Why a cell, or an element of a list, has no value.
#[derive(Debug)]
struct Unread {
    kind: FaultKind,
    reason: String,
}

impl Unread {
    fn too_long(len: usize) -> Unread {
        Unread { kind: FaultKind::TooLong, reason: company::too_long(len) }
    }
}

fn element_value(element: Element<'_>) -> Result<Value<'_>, Unread> {
    match element {
        Element::Null => Ok(Value::Null),
        Element::Text(bytes) => text_of(bytes).map(Value::Text),
        Element::TooLong(len) => Err(Unread::too_long(len)),
    }
}

fn text_of(bytes: &[u8]) -> Result<&str, Unread> {
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to() + 1;
        let reason = format!("is not UTF-8 at byte {at}: write the column as text");
        Unread { kind: FaultKind::NotUtf8, reason }
    })
}
