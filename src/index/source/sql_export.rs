//! Rows as databases export them: COPY text of PostgreSQL, `SELECT … INTO OUTFILE` of MySQL.
//!
//! A row is a line, cells stand between tabs, a lone `\N` is no value, and a backslash escapes.
//! Both write a part of the same rules, so that one reading is right for either: `\b \f \n \r \t \v
//! \Z` stand for a control character, `\x41` and `\101` for a byte, `\0` for NUL, and any other
//! character behind a backslash for itself, a line end and a tab included. `\012` is refused: it is
//! a line end to PostgreSQL, and NUL with two digits to MySQL. A line of `\.` alone ends the data.
//!
//! The columns are named by the operator, by the `COPY … FROM stdin;` of a dump, or by the first
//! row. What else stands in a dump is passed over, but for a second table and for INSERT
//! statements, which are refused. Memory: one block of rows.

mod dump;
mod escapes;

use super::table::{Header, TableOptions, id_column, is_blank, not_utf8, too_many_columns};
use super::{BLOCK_BYTES, Block, Blocks, Parsed, too_long};
use crate::company::{Company, FaultKind, Field};
use crate::index::buffer_pool::{Lent, Spares};
use crate::index::company_builder::{Assembly, Value};
use crate::index::findings::Findings;
use crate::index::mapping::{Binding, Mapping, Slot};
use crate::index::record::{Fault as RecordFault, RecordError};
use crate::limits::{RECORD_BYTES_MAX, TABLE_COLUMNS_MAX};
use escapes::Fault;
use std::borrow::Cow;
use std::io::{self, BufRead};
use std::sync::Arc;

/// What ends the data.
const END: &[u8] = b"\\.";

/// What stands for no value.
const NULL: &[u8] = b"\\N";

/// Cuts an export into blocks of rows.
pub struct SqlExport<R> {
    lines: LogicalLines<R>,
    delimiter: u8,
    names: Vec<String>,
    header: Option<Arc<Header>>,
    /// The table of a dump, whose statements are no rows.
    table: Option<String>,
    /// A row that was read to see what it is.
    ahead: Option<(Line, Vec<u8>)>,
    is_over: bool,
    buffers: Spares<Vec<u8>>,
}

/// Whole rows, one after the other.
struct Rows {
    header: Arc<Header>,
    delimiter: u8,
    rows: Vec<Line>,
    bytes: Lent<Vec<u8>>,
}

/// A row: where it begins, and its bytes; none if they were too many and are not held.
#[derive(Clone, Copy, Debug)]
struct Line {
    number: u64,
    len: Option<usize>,
}

impl<R: BufRead> SqlExport<R> {
    /// The rows that `reader` holds.
    ///
    /// # Errors
    /// It is a dump of something else than rows, or has too many columns.
    pub fn new(reader: R, options: &TableOptions<'_>) -> io::Result<SqlExport<R>> {
        let mut export = SqlExport {
            lines: LogicalLines { reader, next: 1 },
            delimiter: options.delimiter,
            names: Vec::new(),
            header: None,
            table: None,
            ahead: None,
            is_over: false,
            buffers: Spares::default(),
        };
        let mut bytes = Vec::new();
        let Some(mut line) = export.next_row(&mut bytes)? else { return Ok(export) };
        if dump::is_begun_by(&bytes, options.delimiter) {
            while !dump::is_copy(&bytes) {
                dump::check(&bytes)?;
                bytes.clear();
                line = export.lines.next(&mut bytes)?.ok_or_else(dump::without_rows)?;
            }
            let (table, names) = dump::copied(&bytes, line.number)?;
            export.table = Some(table);
            let names = options.given_names(&[])?.or(names);
            export.names = names.ok_or_else(dump::without_columns)?;
            return Ok(export);
        }
        let first = export.first_names(&bytes)?;
        match options.given_names(&first)? {
            Some(names) => {
                export.names = names;
                export.ahead = Some((line, bytes));
            }
            None => export.names = first,
        }
        Ok(export)
    }

    /// The cells of the first row, as names.
    fn first_names(&self, row: &[u8]) -> io::Result<Vec<String>> {
        let cells = escapes::cells(row, self.delimiter);
        let name = |cell: &[u8]| escapes::read(cell).ok().and_then(|cell| text(&cell));
        let names: Option<Vec<String>> = cells.map(name).collect();
        let names = names.ok_or_else(|| {
            io::Error::other("its first row is no header: name the columns with --columns")
        })?;
        if names.len() > TABLE_COLUMNS_MAX { Err(too_many_columns()) } else { Ok(names) }
    }

    /// Names of the columns; none if there is no row.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Says what the columns mean.
    pub fn bind(&mut self, binding: Binding) {
        let names = self.names.clone();
        let num_cells = names.len();
        let has_semicolons = self.delimiter == b';';
        self.header = Some(Arc::new(Header { names, binding, num_cells, has_semicolons }));
    }

    /// Appends the next row that is not empty; none at the end of the data.
    fn next_row(&mut self, bytes: &mut Vec<u8>) -> io::Result<Option<Line>> {
        let start = bytes.len();
        while !self.is_over {
            let Some(line) = self.lines.next(bytes)? else { break };
            match &bytes[start..] {
                b"" if line.len.is_some() => continue,
                row if row == END => {
                    bytes.truncate(start);
                    self.pass_over_rest()?;
                }
                _ => return Ok(Some(line)),
            }
        }
        Ok(None)
    }

    /// What follows the end of the data: nothing, or statements of a dump.
    fn pass_over_rest(&mut self) -> io::Result<()> {
        self.is_over = true;
        let mut bytes = Vec::new();
        while let Some(line) = self.lines.next(&mut bytes)? {
            match &self.table {
                Some(table) if dump::is_copy(&bytes) => {
                    let (other, _) = dump::copied(&bytes, line.number)?;
                    return Err(dump::several_tables(table, &other));
                }
                None if !is_blank(&bytes) => {
                    return Err(io::Error::other(format!(
                        "more text follows the end of the data (\\.) in line {}: remove it",
                        line.number
                    )));
                }
                _ => bytes.clear(),
            }
        }
        Ok(())
    }
}

/// The text of a name.
fn text(bytes: &[u8]) -> Option<String> {
    std::str::from_utf8(bytes).ok().map(|text| text.trim().to_owned())
}

/// Reads lines whose ends may be escaped.
struct LogicalLines<R> {
    reader: R,
    /// Number of the next line.
    next: u64,
}

impl<R: BufRead> LogicalLines<R> {
    /// Appends the next line without its end; takes it back if it is too long.
    fn next(&mut self, out: &mut Vec<u8>) -> io::Result<Option<Line>> {
        let (start, number) = (out.len(), self.next);
        let (mut is_whole, mut is_begun, mut is_escaped, mut is_ended) =
            (true, false, false, false);
        while !is_ended {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                break;
            }
            is_begun = true;
            let mut at = usize::from(is_escaped);
            self.next += u64::from(is_escaped && buffer[0] == b'\n');
            is_escaped = false;
            while let Some(found) = memchr::memchr2(b'\n', b'\\', &buffer[at..]) {
                at += found;
                if buffer[at] == b'\n' {
                    is_ended = true;
                    break;
                }
                is_escaped = at + 1 == buffer.len();
                self.next += u64::from(!is_escaped && buffer[at + 1] == b'\n');
                at = (at + 2).min(buffer.len());
            }
            let len = if is_ended { at } else { buffer.len() };
            if is_whole && out.len() - start + len <= RECORD_BYTES_MAX {
                out.extend_from_slice(&buffer[..len]);
            } else {
                out.truncate(start);
                is_whole = false;
            }
            self.reader.consume(len + usize::from(is_ended));
        }
        if !is_begun {
            return Ok(None);
        }
        self.next += 1;
        // Of a line end of two characters, unless it is one of the value.
        if out[start..].ends_with(b"\r") && !out[start..].ends_with(b"\\\r") {
            out.pop();
        }
        Ok(Some(Line { number, len: is_whole.then(|| out.len() - start) }))
    }
}

impl<R: BufRead> Blocks for SqlExport<R> {
    fn next(&mut self) -> io::Result<Option<Box<dyn Block>>> {
        let Some(header) = self.header.clone() else { return Ok(None) };
        let delimiter = self.delimiter;
        let mut block = Rows { header, delimiter, rows: Vec::new(), bytes: self.buffers.lend() };
        if let Some((line, bytes)) = self.ahead.take() {
            block.rows.push(line);
            block.bytes.extend_from_slice(&bytes);
        }
        while block.bytes.len() < BLOCK_BYTES {
            let Some(line) = self.next_row(&mut block.bytes)? else { break };
            block.rows.push(line);
        }
        Ok((!block.rows.is_empty()).then(|| Box::new(block) as Box<dyn Block>))
    }
}

impl Block for Rows {
    fn parse(self: Box<Self>, mapping: &Mapping) -> Parsed {
        let mut parsed = Parsed { bytes: self.bytes.len() as u64, ..Parsed::default() };
        let (mut rest, mut cells) = (self.bytes.as_slice(), Vec::new());
        for &Line { number, len } in &self.rows {
            let Some(len) = len else {
                parsed.records.push((number, Err(too_long(""))));
                continue;
            };
            let row;
            (row, rest) = rest.split_at(len);
            cells.clear();
            cells.extend(escapes::cells(row, self.delimiter));
            if cells.iter().all(|cell| is_blank(cell) || *cell == NULL) {
                parsed.blank += 1;
                continue;
            }
            parsed.findings.number = number;
            let record = parse_row(&cells, &self.header, mapping, &mut parsed.findings);
            parsed.records.push((number, record));
        }
        parsed
    }
}

fn parse_row(
    cells: &[&[u8]],
    header: &Header,
    mapping: &Mapping,
    findings: &mut Findings,
) -> Result<Company, RecordError> {
    let Header { names, binding, num_cells, has_semicolons } = header;
    if cells.len() != *num_cells {
        let reason = format!(
            "has {} cells, there are {num_cells} columns: escape a separator or line end within a value with a \
             backslash",
            cells.len()
        );
        return Err(RecordError::whole(FaultKind::Row, reason));
    }
    let value = |column: usize, slot: Slot| -> Result<Option<Cow<'_, str>>, RecordFault> {
        if cells[column] == NULL {
            return Ok(None);
        }
        let name = &names[column];
        let bytes = escapes::read(cells[column]).map_err(|fault| told(fault, slot, name))?;
        let text = match bytes {
            Cow::Borrowed(bytes) => std::str::from_utf8(bytes).map(Cow::Borrowed),
            Cow::Owned(bytes) => {
                String::from_utf8(bytes).map(Cow::Owned).map_err(|error| error.utf8_error())
            }
        };
        text.map(Some).map_err(|error| not_utf8(slot, error.valid_up_to(), name))
    };
    let mut assembly = Assembly::new(mapping);
    if *has_semicolons {
        assembly = assembly.with_grouping_dots();
    }
    for &(column, slot) in &binding.slots {
        match value(column, slot) {
            Ok(text) => {
                assembly.set(slot, text.as_deref().map_or(Value::Null, Value::Text), findings);
            }
            Err(fault) => assembly.refuse(fault, findings),
        }
    }
    assembly.finish(findings).map_err(|error| {
        let id = Slot::Field(Field::Id);
        let id = id_column(binding).and_then(|column| value(column, id).ok().flatten());
        error.with_id(id.as_deref())
    })
}

/// What is wrong with the escapes of a cell.
fn told(fault: Fault, slot: Slot, column: &str) -> RecordFault {
    let reason = match fault {
        Fault::Ambiguous => format!(
            "has \\0 before a digit in the column {column:?}, which is one character to PostgreSQL and another to \
             MySQL: remove the NUL characters"
        ),
        Fault::Open => {
            format!(
                "ends with a backslash that escapes nothing in the column {column:?}: double it"
            )
        }
    };
    RecordFault { field: slot.field(), kind: FaultKind::Row, reason }
}

#[cfg(test)]
mod tests;
