//! CSV and TSV: rows of cells under a header.
//!
//! As RFC 4180 has it: a value with separators, quotation marks or line ends stands in quotation
//! marks, and a mark within it is doubled; lines end with LF, CRLF or CR. TSV is the same with
//! tabs. The first row names the columns, unless the operator does; rows without any value are
//! passed over, as spreadsheets append them. A row with more or fewer cells than names is rejected,
//! since its values may stand in wrong columns; where the first row has one cell more than the
//! header, an empty one, all have. So is a row with text behind a value in quotation marks, as in
//! `"K" Line`: what was meant is not known. A quotation mark that is still open at the end, or has
//! text behind its counterpart in a later line, fails the whole input, because then nobody knows
//! which rows are missing. Memory: one block of rows and one row of at most [`RECORD_BYTES_MAX`].

mod marks;

use super::table::{Header, TableOptions, id_column, is_blank, not_utf8, too_many_columns};
use super::{BLOCK_BYTES, Block, Blocks, Parsed, too_long};
use crate::company::{Company, FaultKind};
use crate::index::buffer_pool::{Lent, Spares};
use crate::index::company_builder::{Assembly, Value};
use crate::index::findings::Findings;
use crate::index::mapping::{Binding, Mapping};
use crate::index::record::RecordError;
use crate::limits::{RECORD_BYTES_MAX, TABLE_COLUMNS_MAX};
use marks::{Lines, Misquoted, Quotes};
use std::io::{self, BufRead};
use std::sync::Arc;

/// Cuts a table into blocks of rows.
pub struct Delimited<R> {
    rows: RowReader<R>,
    names: Vec<String>,
    header: Option<Arc<Header>>,
    has_semicolons: bool,
    /// The first row, with its cells and their ends: it was read to see what it is.
    ahead: Option<(Row, Vec<u8>, Vec<usize>)>,
    /// Rows without any value before it.
    blank: u64,
    buffers: Spares<Vec<u8>>,
}

/// Whole rows.
struct Rows {
    header: Arc<Header>,
    rows: Vec<Row>,
    /// Rows without any value before these.
    blank: u64,
    /// The cells of all rows, one after the other.
    bytes: Lent<Vec<u8>>,
    /// Where each cell ends, counted from the begin of its row.
    ends: Vec<usize>,
}

struct Row {
    line: u64,
    /// Bytes and cells of the row, or why there are none.
    cells: Result<(usize, usize), Fault>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    TooLong,
    TooManyCells,
    /// In so many-th cell, from 0, text follows the mark that closes.
    Misquoted(usize),
}

/// The separator that the first line of a table names, as in `sep=;`, which spreadsheets write and
/// read; and the bytes of that line.
pub fn named_separator(head: &[u8]) -> Option<(u8, usize)> {
    let quote = usize::from(head.first() == Some(&b'"'));
    let line = &head[quote..];
    if !line.get(..4)?.eq_ignore_ascii_case(b"sep=") {
        return None;
    }
    let separator = *line.get(4)?;
    let rest = &line[5..];
    let rest = if quote == 1 { rest.strip_prefix(b"\"")? } else { rest };
    let end = match rest {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        [] => 0,
        _ => return None,
    };
    let is_separator = separator.is_ascii() && !matches!(separator, b'"' | b'\r' | b'\n');
    is_separator.then_some((separator, head.len() - rest.len() + end))
}

impl<R: BufRead> Delimited<R> {
    /// The table that `reader` holds; `passed` is what was read before it.
    ///
    /// # Errors
    /// The header is no header.
    pub fn new(reader: R, passed: &[u8], options: &TableOptions<'_>) -> io::Result<Delimited<R>> {
        let mut rows = RowReader::new(reader, options.delimiter);
        rows.lines.pass(passed);
        let mut table = Delimited {
            rows,
            names: Vec::new(),
            header: None,
            has_semicolons: options.delimiter == b';',
            ahead: None,
            blank: 0,
            buffers: Spares::default(),
        };
        let Some((row, bytes, ends)) = table.next_with_values()? else { return Ok(table) };
        let names = match row.cells {
            Ok(_) => cells(&bytes, &ends)
                .map(|name| std::str::from_utf8(name).map(|name| name.trim().to_owned()))
                .collect::<Result<Vec<String>, _>>()
                .map_err(|_| {
                    io::Error::other(
                        "its header is not UTF-8: name the encoding, as in --encoding windows-1252, or convert the file",
                    )
                }),
            Err(Fault::TooManyCells) => Err(too_many_columns()),
            Err(Fault::Misquoted(cell)) => Err(io::Error::other(format!(
                "its header {}",
                misquoted(&format!("column {}", cell + 1))
            ))),
            Err(Fault::TooLong) => Err(io::Error::other(format!(
                "its header is longer than {RECORD_BYTES_MAX} bytes: shorten it, or close a quotation mark left open"
            ))),
        };
        match options.given_names(names.as_deref().unwrap_or_default())? {
            Some(names) => {
                table.names = names;
                table.ahead = Some((row, bytes, ends));
            }
            None => {
                table.names = names?;
                table.ahead = table.next_with_values()?;
            }
        }
        Ok(table)
    }

    /// Names of the columns; none if there is no row.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Says what the columns mean.
    pub fn bind(&mut self, binding: Binding) {
        let names = self.names.clone();
        let first = self.ahead.as_ref().filter(|(row, ..)| row.cells.is_ok());
        let num_cells = match first {
            Some((_, bytes, ends)) if ends.len() == names.len() + 1 => {
                let is_empty = cells(bytes, ends).last().is_some_and(is_blank);
                names.len() + usize::from(is_empty)
            }
            // The header ends with a separator, and the rows do not.
            Some((.., ends))
                if ends.len() + 1 == names.len() && names.ends_with(&[String::new()]) =>
            {
                ends.len()
            }
            _ => names.len(),
        };
        let has_semicolons = self.has_semicolons;
        self.header = Some(Arc::new(Header { names, binding, num_cells, has_semicolons }));
    }

    /// The next row that has a value, or is at fault.
    #[allow(clippy::type_complexity)] // a row as it is kept
    fn next_with_values(&mut self) -> io::Result<Option<(Row, Vec<u8>, Vec<usize>)>> {
        loop {
            let (mut bytes, mut ends) = (Vec::new(), Vec::new());
            let Some(row) = self.rows.next(&mut bytes, &mut ends)? else { return Ok(None) };
            if row.cells.is_err() || !is_blank(&bytes) {
                return Ok(Some((row, bytes, ends)));
            }
            self.blank += 1;
        }
    }
}

impl<R: BufRead> Blocks for Delimited<R> {
    fn next(&mut self) -> io::Result<Option<Box<dyn Block>>> {
        let Some(header) = self.header.clone() else { return Ok(None) };
        let mut block = Rows {
            header,
            rows: Vec::new(),
            blank: std::mem::take(&mut self.blank),
            bytes: self.buffers.lend(),
            ends: Vec::new(),
        };
        if let Some((row, bytes, ends)) = self.ahead.take() {
            block.rows.push(row);
            block.bytes.extend_from_slice(&bytes);
            block.ends.extend_from_slice(&ends);
        }
        while block.bytes.len() < BLOCK_BYTES && block.ends.len() < BLOCK_BYTES / 8 {
            let Some(row) = self.rows.next(&mut block.bytes, &mut block.ends)? else { break };
            block.rows.push(row);
        }
        Ok((!block.rows.is_empty()).then(|| Box::new(block) as Box<dyn Block>))
    }
}

impl Block for Rows {
    fn parse(self: Box<Self>, mapping: &Mapping) -> Parsed {
        // With what separates the cells.
        let bytes = (self.bytes.len() + self.ends.len()) as u64;
        let mut parsed = Parsed { bytes, blank: self.blank, ..Parsed::default() };
        let (mut bytes, mut ends) = (self.bytes.as_slice(), self.ends.as_slice());
        for row in &self.rows {
            let result = match row.cells {
                Ok((num_bytes, num_cells)) => {
                    let (row_bytes, row_ends);
                    (row_bytes, bytes) = bytes.split_at(num_bytes);
                    (row_ends, ends) = ends.split_at(num_cells);
                    if is_blank(row_bytes) {
                        parsed.blank += 1;
                        continue;
                    }
                    parsed.findings.number = row.line;
                    parse_row(row_bytes, row_ends, &self.header, mapping, &mut parsed.findings)
                }
                Err(Fault::TooLong) => Err(too_long(", or close a quotation mark left open")),
                Err(Fault::TooManyCells) => {
                    let reason = format!(
                        "has more than {TABLE_COLUMNS_MAX} cells; the header has {}",
                        self.header.names.len()
                    );
                    Err(RecordError::whole(FaultKind::Row, reason))
                }
                Err(Fault::Misquoted(cell)) => {
                    let place = match self.header.names.get(cell) {
                        Some(name) => format!("the column {name:?}"),
                        None => format!("cell {}", cell + 1),
                    };
                    Err(RecordError::whole(FaultKind::Row, misquoted(&place)))
                }
            };
            parsed.records.push((row.line, result));
        }
        parsed
    }
}

/// What is wrong with a row whose value at `place` goes on behind its quotation marks.
fn misquoted(place: &str) -> String {
    format!(
        "has more text behind a closing quotation mark in {place}: put the whole value in quotation marks, and \
         double those within it, as in \"\"\"K\"\" Line\""
    )
}

fn cells<'a>(bytes: &'a [u8], ends: &'a [usize]) -> impl Iterator<Item = &'a [u8]> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends).map(|(start, &end)| &bytes[start..end])
}

fn parse_row(
    bytes: &[u8],
    ends: &[usize],
    header: &Header,
    mapping: &Mapping,
    findings: &mut Findings,
) -> Result<Company, RecordError> {
    let Header { names, binding, num_cells, has_semicolons } = header;
    if ends.len() != *num_cells {
        let rows = match num_cells.cmp(&names.len()) {
            std::cmp::Ordering::Equal => "the header",
            _ => "the first row",
        };
        let reason = format!(
            "has {} cells, {rows} has {num_cells}: quote a value that holds a separator or a line end",
            ends.len(),
        );
        return Err(RecordError::whole(FaultKind::Row, reason));
    }
    let cell = |column: usize| {
        let start = if column == 0 { 0 } else { ends[column - 1] };
        &bytes[start..ends[column]]
    };
    if ends.len() > names.len() && !is_blank(cell(names.len())) {
        let reason = format!(
            "has a value behind its last column {:?}, where other rows have none: quote a value that holds a separator",
            names[names.len() - 1]
        );
        return Err(RecordError::whole(FaultKind::Row, reason));
    }
    let text = |column: usize| std::str::from_utf8(cell(column));
    let mut assembly = Assembly::new(mapping);
    if *has_semicolons {
        assembly = assembly.with_grouping_dots();
    }
    for &(column, slot) in &binding.slots {
        match text(column) {
            Ok(cell) => assembly.set(slot, Value::Text(cell), findings),
            Err(error) => {
                let fault = not_utf8(slot, error.valid_up_to(), &names[column]);
                assembly.refuse(fault, findings);
            }
        }
    }
    assembly.finish(findings).map_err(|error| {
        let id = id_column(binding).and_then(|column| text(column).ok());
        error.with_id(id)
    })
}

/// Reads row by row.
struct RowReader<R> {
    reader: R,
    parser: csv_core::Reader,
    lines: Lines,
    quotes: Quotes,
    cells: Vec<u8>,
    ends: Vec<usize>,
}

impl<R: BufRead> RowReader<R> {
    fn new(reader: R, delimiter: u8) -> RowReader<R> {
        let mut parser = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
        // It passes over a byte order mark in what it reads first. That of the input is gone here,
        // and another one, behind line ends, belongs to a row, which may be nothing else.
        let _ = parser.read_record(b"\n", &mut [], &mut []);
        RowReader {
            reader,
            parser,
            lines: Lines::new(),
            quotes: Quotes::new(delimiter),
            cells: vec![0; RECORD_BYTES_MAX],
            ends: vec![0; TABLE_COLUMNS_MAX],
        }
    }

    /// Appends the next row to `bytes` and `ends`, if there is one and it is as it should be.
    fn next(&mut self, bytes: &mut Vec<u8>, ends: &mut Vec<usize>) -> io::Result<Option<Row>> {
        use csv_core::ReadRecordResult::{End, InputEmpty, OutputEndsFull, OutputFull, Record};
        if !self.skip_line_ends()? {
            return Ok(None);
        }
        self.quotes.begin_row();
        let line = self.lines.next;
        let (mut num_bytes, mut num_cells) = (0, 0);
        let mut fault = None;
        loop {
            let buffer = self.reader.fill_buf()?;
            let is_input_over = buffer.is_empty();
            if let Some(line) = self.quotes.open().filter(|_| is_input_over) {
                return Err(io::Error::other(format!(
                    "the quotation mark opened in line {line} is still open at the end of the file: close it, or, \
                     if it belongs to the value, double it and put the value in quotation marks"
                )));
            }
            // A line end of our own ends the last row.
            let input = if is_input_over { b"\n" } else { buffer };
            let (result, read, written, ended) = self.parser.read_record(
                input,
                &mut self.cells[num_bytes..],
                &mut self.ends[num_cells..],
            );
            self.quotes.pass(&input[..read], &mut self.lines);
            if !is_input_over {
                self.reader.consume(read);
            }
            num_bytes += written;
            num_cells += ended;
            match result {
                InputEmpty => {}
                OutputFull => (fault, num_bytes) = (fault.or(Some(Fault::TooLong)), 0),
                OutputEndsFull => (fault, num_cells) = (fault.or(Some(Fault::TooManyCells)), 0),
                Record | End => break,
            }
        }
        if let Some(Misquoted { cell, opened, closed }) = self.quotes.misquoted() {
            if opened < closed {
                return Err(io::Error::other(format!(
                    "the quotation mark opened in line {opened} closes in line {closed} and has more text behind it, \
                     so nobody knows which rows are missing: close it where its value ends, or, if marks belong to \
                     the value, double them and put the value in quotation marks"
                )));
            }
            fault = fault.or(Some(Fault::Misquoted(cell)));
        }
        let cells = match fault {
            Some(fault) => Err(fault),
            None => {
                bytes.extend_from_slice(&self.cells[..num_bytes]);
                ends.extend_from_slice(&self.ends[..num_cells]);
                Ok((num_bytes, num_cells))
            }
        };
        Ok(Some(Row { line, cells }))
    }

    /// Passes over line ends before a row; false at the end of the input.
    fn skip_line_ends(&mut self) -> io::Result<bool> {
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok(false);
            }
            let ends = buffer.iter().take_while(|&&byte| marks::is_line_end(byte)).count();
            let is_row = ends < buffer.len();
            self.lines.pass(&buffer[..ends]);
            self.reader.consume(ends);
            if is_row {
                return Ok(true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Read};

    type Records = Vec<(u64, Result<Company, RecordError>)>;

    fn read_with(text: impl Read, buffer_bytes: usize, delimiter: u8) -> io::Result<Records> {
        let mapping = Mapping::default();
        let reader = BufReader::with_capacity(buffer_bytes, text);
        let options = TableOptions { delimiter, columns: None };
        let mut table = Delimited::new(reader, b"", &options)?;
        let binding = options.bind(table.names(), &mapping)?;
        table.bind(binding);
        let mut records = Vec::new();
        while let Some(block) = table.next()? {
            records.extend(block.parse(&mapping).records);
        }
        Ok(records)
    }

    /// Line and name of good rows, line and reason of bad ones.
    fn read(text: &str) -> Vec<String> {
        let shown: Vec<Vec<String>> = [1, 2, 5, 4096]
            .map(|buffer_bytes| {
                let records = read_with(text.as_bytes(), buffer_bytes, b',').unwrap();
                let show = |(line, result): (u64, Result<Company, RecordError>)| match result {
                    Ok(company) => format!("{line} {}", company.name),
                    Err(error) => format!("{line}! {}", error.faults[0].reason),
                };
                records.into_iter().map(show).collect()
            })
            .into();
        assert!(shown.iter().all(|other| *other == shown[0]), "{text}");
        shown[0].clone()
    }

    #[test]
    fn rows_have_lines_and_cells() {
        assert_eq!(
            read("id,name\r\n1,\"a, \"\"b\"\"\n c\"\r\n\r\n\n2,=cmd()\r\n3,<b>{\"x\":1}"),
            ["2 a, \"b\"\n c", "6 =cmd()", "7 <b>{\"x\":1}"]
        );
        assert_eq!(read("name,id\n"), [""; 0]);
        assert_eq!(read("name,id"), [""; 0]);
        assert_eq!(read("name,id\rx,1\r\r\"y\rz\",2\ra,3\r"), ["2 x", "4 y\rz", "6 a"]);
        assert_eq!(read("\r\nname,id\r\nx,1\r\n\n\ry,2\n"), ["3 x", "6 y"]);
        let tabs = read_with(&b"id\tname\tlocation.city\n1\tA, B\tC\n"[..], 4096, b'\t').unwrap();
        let company = tabs[0].1.as_ref().unwrap();
        assert_eq!(company.name, "A, B");
        assert_eq!(company.location.city.as_deref(), Some("C"));
    }

    #[test]
    fn bad_rows_are_told_and_the_next_one_is_read() {
        let bad = read("id,name\n1\n2,b,c\n3,c\n");
        assert!(bad[0].starts_with("2! has 1 cells, the header has 2"), "{}", bad[0]);
        assert!(bad[1].starts_with("3! has 3 cells, the header has 2"), "{}", bad[1]);
        assert_eq!(bad[2], "4 c");
        let misquoted = read(
            "id,name\n\"a\"bc,x\n2,\"K\" \"L\"\n\"3\",\"b\" \n\"4\",c,d,\"e\"f\n5,\"\"\"K\"\" Line\"\n",
        );
        assert!(
            misquoted[0].starts_with(
                "2! has more text behind a closing quotation mark in the column \"id\""
            )
        );
        assert!(
            misquoted[1].starts_with("3! ") && misquoted[1].contains("in the column \"name\": put")
        );
        assert!(
            misquoted[2].starts_with("4! ") && misquoted[2].contains("in the column \"name\": put")
        );
        assert!(misquoted[3].starts_with("5! ") && misquoted[3].contains("in cell 4: put"));
        assert_eq!(misquoted[4], "6 \"K\" Line");
        let many = read(&format!("id,name\n1{}\n2,b\n", ",".repeat(TABLE_COLUMNS_MAX)));
        assert!(many[0].starts_with("2! has more than 1024 cells"), "{}", many[0]);
        assert_eq!(many[1], "3 b");
        let records = read_with(&b"id,name\nx\xff,a\n1,b\xff\n"[..], 4096, b',').unwrap();
        let reason = |at: usize| records[at].1.as_ref().unwrap_err().faults[0].reason.as_str();
        assert!(reason(0).starts_with("is not UTF-8 at byte 2 of the column \"id\""));
        assert!(reason(1).starts_with("is not UTF-8 at byte 2 of the column \"name\""));
        assert_eq!(records[1].1.as_ref().unwrap_err().id.as_deref(), Some("1"));
    }

    #[test]
    fn a_value_over_the_limit_is_not_held() {
        let long =
            b"id,name\n1,\"".chain(io::repeat(b'x').take(100 << 20)).chain(&b"\"\n2,b\n"[..]);
        let records = read_with(long, 1 << 18, b',').unwrap();
        let reason = &records[0].1.as_ref().unwrap_err().faults[0].reason;
        assert!(reason.starts_with("is longer than 1048576 bytes"), "{reason}");
        assert_eq!(records[1].1.as_ref().unwrap().name, "b");
    }

    #[test]
    fn a_mark_left_open_fails_the_input() {
        let rows = "3,c\r\n".repeat(10);
        for (text, line) in [
            (format!("id,name\n1,a\n2,\"b\n{rows}"), 3),
            (format!("id,name\r1,\"a\rb\"\r2,\"b \"\"c\"\"\r{rows}"), 4),
            ("id,name\n1,\"".to_owned(), 2),
            (format!("id,\"name\n{rows}"), 1),
        ] {
            for buffer_bytes in [1, 2, 5, 4096] {
                let error = read_with(text.as_bytes(), buffer_bytes, b',').unwrap_err();
                let expected = format!("the quotation mark opened in line {line} is still open");
                assert!(error.to_string().starts_with(&expected), "{text:?}: {error}");
            }
        }
        // The next mark may as well belong to another row.
        let text = format!("id,name\n2,\"b\n{rows}4,\"d, e\"\n{rows}");
        for buffer_bytes in [1, 2, 5, 4096] {
            let error = read_with(text.as_bytes(), buffer_bytes, b',').unwrap_err().to_string();
            let expected =
                "the quotation mark opened in line 2 closes in line 13 and has more text";
            assert!(error.starts_with(expected), "{error}");
        }
        // Also where the row grew over the limit meanwhile.
        let long = b"id,name\n1,\"".chain(io::repeat(b'\n').take(100 << 20));
        let error = read_with(long, 1 << 18, b',').unwrap_err().to_string();
        assert!(error.starts_with("the quotation mark opened in line 2"), "{error}");
        // A mark that closes at the end of the file is closed.
        assert_eq!(read("id,name\n1,\"a\""), ["2 a"]);
        assert_eq!(read("id,name\n1,\"\"\"\""), ["2 \""]);
        assert_eq!(read("id,name\n1,5\" pipe"), ["2 5\" pipe"]);
    }

    #[test]
    fn a_byte_order_mark_behind_line_ends_is_a_cell() {
        for buffer_bytes in [1, 2, 4096] {
            let reader = BufReader::with_capacity(buffer_bytes, "\n\u{feff}\n".as_bytes());
            let options = TableOptions { delimiter: b',', columns: None };
            let table = Delimited::new(reader, b"", &options).unwrap();
            assert_eq!(table.names(), ["\u{feff}"]);
        }
    }

    #[test]
    fn a_header_must_name_columns_once() {
        let fault = |text: &[u8]| read_with(text, 4096, b',').unwrap_err().to_string();
        assert!(fault(b"id,name,id\n1,a,2\n").starts_with("the column \"id\" stands twice"));
        assert!(fault(b"id;name\n1;a\n").contains("--delimiter"), "{}", fault(b"id;name\n1;a\n"));
        assert!(fault(b"id,Name\n1,a\n").contains("no column \"name\"; did you mean \"Name\"?"));
        assert!(fault(b"name\na\n").contains("--id-from"));
        assert!(fault(b"id,nam\xff\n").contains("not UTF-8"));
        assert!(fault(b"id,\"name\"s\n").starts_with("its header has more text behind a closing"));
        assert!(fault("x,".repeat(1100).as_bytes()).contains("more than 1024 columns"));
    }
}
