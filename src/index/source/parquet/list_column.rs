//! A list column of a row group, read row by row.

use super::column::{Cell, Column};
use super::repetitions::{FlatPages, Repetitions};
use crate::limits::{FIELD_BYTES_MAX, RECORD_BYTES_MAX, UNPACKED_FREE_BYTES};
use ::parquet::column::page::PageReader;
use ::parquet::file::metadata::ColumnChunkMetaData;
use ::parquet::schema::types::ColumnDescriptor;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Values that are decoded together, nulls and empty lists among them.
const BATCH_VALUES: usize = 128;

/// Bytes that stand before every element of a list.
const PREFIX_BYTES: usize = size_of::<u32>();

/// In place of the length of an element that is null.
const NULL: u32 = u32::MAX;

/// An element of a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element<'t> {
    /// None.
    Null,
    /// A text, UTF-8 or not.
    Text(&'t [u8]),
    /// A text longer than any field, of so many bytes.
    TooLong(usize),
}

/// The elements of a list that [`ListColumn::read`] wrote.
pub struct Elements<'t>(&'t [u8]);

impl<'t> Elements<'t> {
    /// Elements of the list at `range` of `texts`.
    pub fn new(texts: &'t [u8], range: Range<usize>) -> Elements<'t> {
        Elements(&texts[range])
    }
}

impl<'t> Iterator for Elements<'t> {
    type Item = Element<'t>;

    fn next(&mut self) -> Option<Element<'t>> {
        let (prefix, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        match u32::from_le_bytes(*prefix) {
            NULL => Some(Element::Null),
            len if len as usize > FIELD_BYTES_MAX => Some(Element::TooLong(len as usize)),
            len => self.0.split_off(..len as usize).map(Element::Text),
        }
    }
}

/// A list column being read.
pub struct ListColumn {
    name: String,
    /// Its elements, nulls and empty lists, as if each were a row.
    column: Column,
    repetitions: Repetitions,
    /// The definition level of an element, be it null.
    element_definition: i16,
    /// The values decoded last, and their texts.
    values: Vec<Cell>,
    texts: Vec<u8>,
    /// The first of them that was not taken.
    at: usize,
    /// Does it begin a row? None before this was looked up.
    is_start: Option<bool>,
    /// See [`take_unpacked_bytes`](Self::take_unpacked_bytes).
    unpacked_bytes: u64,
}

impl ListColumn {
    /// The column of these pages of a chunk.
    ///
    /// # Errors
    /// It is of a type that [`check_type`](super::column::check_type) refuses.
    pub fn new(chunk: &ColumnChunkMetaData, pages: Box<dyn PageReader>) -> io::Result<ListColumn> {
        let descriptor = chunk.column_descr();
        let flat = ColumnDescriptor::new(
            descriptor.self_type_ptr(),
            descriptor.max_def_level(),
            0,
            descriptor.path().clone(),
        );
        let (pages, repetitions) = FlatPages::new(pages);
        Ok(ListColumn {
            name: descriptor.path().string(),
            column: Column::new(Arc::new(flat), chunk, Box::new(pages))?,
            repetitions,
            element_definition: descriptor.repeated_ancestor_def_level(),
            values: Vec::new(),
            texts: Vec::new(),
            at: 0,
            is_start: None,
            unpacked_bytes: 0,
        })
    }

    /// Bytes of elements that were decoded since they were taken last, kept or not, with those
    /// before each.
    pub fn take_unpacked_bytes(&mut self) -> u64 {
        std::mem::take(&mut self.unpacked_bytes)
    }

    /// Reads `num_rows` rows; gives every list that is there, with its row. The elements are
    /// appended to `texts`, for [`Elements`]. Tells how many rows there were.
    ///
    /// # Errors
    /// The column is damaged, or has a list many times longer than a record.
    pub fn read(
        &mut self,
        num_rows: usize,
        texts: &mut Vec<u8>,
        mut give: impl FnMut(usize, Cell),
    ) -> io::Result<usize> {
        for row in 0..num_rows {
            match self.begins_row()? {
                None => return Ok(row),
                Some(true) => give(row, self.read_list(texts)?),
                Some(false) => return Err(damaged("a list goes on that has not begun")),
            }
        }
        Ok(num_rows)
    }

    fn read_list(&mut self, texts: &mut Vec<u8>) -> io::Result<Cell> {
        let start = texts.len();
        let (definition, mut value) = self.take();
        if definition < self.element_definition {
            let is_empty = definition == self.element_definition - 1;
            return Ok(if is_empty { Cell::List { start, end: start } } else { Cell::Null });
        }
        let unpacked_before = self.unpacked_bytes;
        let mut len = 0usize;
        loop {
            let (prefix, text) = match value {
                Cell::Text { start, end } => ((end - start) as u32, &self.texts[start..end]),
                Cell::TooLong(len) => (u32::try_from(len).unwrap_or(NULL - 1), &[][..]),
                _ => (NULL, &[][..]),
            };
            len += PREFIX_BYTES;
            len += if let Cell::TooLong(len) = value { len } else { text.len() };
            if len <= RECORD_BYTES_MAX {
                texts.extend_from_slice(&prefix.to_le_bytes());
                texts.extend_from_slice(text);
            } else {
                texts.truncate(start);
            }
            self.unpacked_bytes += PREFIX_BYTES as u64;
            if self.unpacked_bytes - unpacked_before > UNPACKED_FREE_BYTES {
                return Err(io::Error::other(format!(
                    "the column {:?} has a list of more than {UNPACKED_FREE_BYTES} bytes, as no record has",
                    self.name
                )));
            }
            if self.begins_row()? != Some(false) {
                break;
            }
            let definition;
            (definition, value) = self.take();
            if definition < self.element_definition {
                return Err(damaged("a list goes on without an element"));
            }
        }
        Ok(if len <= RECORD_BYTES_MAX {
            Cell::List { start, end: texts.len() }
        } else {
            Cell::TooLong(len)
        })
    }

    /// Takes the value that [`begins_row`](Self::begins_row) told of, and its definition level.
    fn take(&mut self) -> (i16, Cell) {
        let taken = (self.column.definitions()[self.at], self.values[self.at]);
        self.at += 1;
        self.is_start = None;
        taken
    }

    /// Does the next value begin a row? None at the end of the column.
    fn begins_row(&mut self) -> io::Result<Option<bool>> {
        if self.is_start.is_some() {
            return Ok(self.is_start);
        }
        if self.at == self.values.len() {
            let ListColumn { column, values, texts, .. } = self;
            self.at = 0;
            texts.clear();
            values.clear();
            values.resize(BATCH_VALUES, Cell::Null);
            let read = column.read_together(BATCH_VALUES, texts, |at, value| values[at] = value)?;
            values.truncate(read);
            self.unpacked_bytes += column.take_unpacked_bytes();
            if read == 0 {
                return Ok(None);
            }
        }
        let is_start = self.repetitions.next();
        let cut_off = || damaged("the levels of a page of lists are cut off");
        self.is_start = Some(is_start.ok_or_else(cut_off)?);
        Ok(self.is_start)
    }
}

fn damaged(reason: &str) -> io::Error {
    io::Error::other(format!("it is damaged: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::basic::Encoding;
    use ::parquet::column::page::{Page, PageMetadata};
    use ::parquet::errors::Result;
    use ::parquet::schema::parser::parse_message_type;
    use ::parquet::schema::types::SchemaDescriptor;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    /// Pages as they are, one after another.
    struct Pages(VecDeque<Page>);

    impl Iterator for Pages {
        type Item = Result<Page>;

        fn next(&mut self) -> Option<Result<Page>> {
            self.0.pop_front().map(Ok)
        }
    }

    impl PageReader for Pages {
        fn get_next_page(&mut self) -> Result<Option<Page>> {
            Ok(self.0.pop_front())
        }

        fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
            Ok(None)
        }

        fn skip_next_page(&mut self) -> Result<()> {
            self.0.pop_front();
            Ok(())
        }
    }

    /// A run of levels that are all the same.
    fn run(count: u32, level: u8) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut header = u64::from(count) << 1;
        while header >= 0x80 {
            bytes.push(header as u8 | 0x80);
            header >>= 7;
        }
        bytes.extend([header as u8, level]);
        bytes
    }

    /// A page of the first version of the format, whose values are texts of one byte.
    fn page(levels: &[(u8, u8)], values: &str) -> Page {
        let runs = |level: fn(&(u8, u8)) -> u8| -> Vec<u8> {
            levels.iter().flat_map(|levels| run(1, level(levels))).collect()
        };
        of_runs(levels.len() as u32, &runs(|levels| levels.0), &runs(|levels| levels.1), values)
    }

    fn of_runs(num_values: u32, repetitions: &[u8], definitions: &[u8], values: &str) -> Page {
        let mut bytes = Vec::new();
        for levels in [repetitions, definitions] {
            bytes.extend((levels.len() as u32).to_le_bytes());
            bytes.extend(levels);
        }
        for value in values.bytes() {
            bytes.extend([1, 0, 0, 0, value]);
        }
        Page::DataPage {
            buf: bytes.into(),
            num_values,
            encoding: Encoding::PLAIN,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        }
    }

    fn column(pages: Vec<Page>) -> ListColumn {
        let schema = "message m { optional group a (LIST) {
            repeated group list { optional binary element (STRING); } } }";
        let schema = SchemaDescriptor::new(Arc::new(parse_message_type(schema).unwrap()));
        let chunk = ColumnChunkMetaData::builder(schema.column(0)).build().unwrap();
        ListColumn::new(&chunk, Box::new(Pages(pages.into()))).unwrap()
    }

    /// All rows, `-` for none and `.` for an element that is null; or what is wrong.
    fn read(pages: Vec<Page>) -> std::result::Result<String, String> {
        let (mut column, mut texts, mut shown) = (column(pages), Vec::new(), Vec::new());
        loop {
            let mut cells = Vec::new();
            let read = column.read(2, &mut texts, |row, cell| cells.push((row, cell)));
            let read = read.map_err(|error| error.to_string())?;
            assert!(cells.iter().map(|&(row, _)| row).eq(0..read));
            for (_, cell) in cells {
                shown.push(match cell {
                    Cell::Null => "-".to_owned(),
                    Cell::List { start, end } => Elements::new(&texts, start..end)
                        .map(|element| match element {
                            Element::Null => ".",
                            Element::Text(text) => str::from_utf8(text).unwrap(),
                            Element::TooLong(_) => "long",
                        })
                        .collect(),
                    other => format!("{other:?}"),
                });
            }
            if read < 2 {
                return Ok(shown.join(" "));
            }
        }
    }

    #[test]
    fn rows_are_lists_between_levels() {
        let all = [(0, 3), (1, 3), (1, 2), (0, 0), (0, 1), (0, 2), (0, 3), (1, 3)];
        let expected = "xy. -  . zw";
        assert_eq!(read(vec![page(&all, "xyzw")]).as_deref(), Ok(expected));
        // Pages end anywhere, even within a list.
        for at in 1..all.len() {
            let num_values = all[..at].iter().filter(|(_, definition)| *definition == 3).count();
            let (values, others) = "xyzw".split_at(num_values);
            let pages = vec![page(&all[..at], values), page(&all[at..], others)];
            assert_eq!(read(pages).as_deref(), Ok(expected), "{at}");
        }
        assert_eq!(read(vec![]).as_deref(), Ok(""));
    }

    #[test]
    fn levels_that_make_no_lists_are_errors() {
        for (levels, values, expected) in [
            (&[(1, 3)][..], "x", "it is damaged: a list goes on that has not begun"),
            (&[(0, 0), (1, 3)], "x", "it is damaged: a list goes on that has not begun"),
            (&[(0, 1), (1, 1)], "", "it is damaged: a list goes on that has not begun"),
            (&[(0, 3), (1, 1)], "x", "it is damaged: a list goes on without an element"),
            (&[(0, 3), (2, 3)], "xy", "it is damaged: the levels of a page of lists are cut off"),
        ] {
            let error = read(vec![page(levels, values)]).unwrap_err();
            assert!(error.starts_with(expected), "{levels:?}: {error}");
        }
        let cut_off = of_runs(2, &run(1, 0), &run(2, 2), "");
        assert!(read(vec![cut_off]).unwrap_err().ends_with("are cut off"));
        let mut other = page(&[(0, 3)], "x");
        if let Page::DataPage { rep_level_encoding, .. } = &mut other {
            *rep_level_encoding = Encoding::PLAIN;
        }
        assert!(read(vec![other]).unwrap_err().ends_with("encoded as PLAIN; accepted is RLE"));
    }

    #[test]
    fn lists_of_any_length_do_not_fill_memory() {
        // Over a record: told, and the rows behind it are read.
        let repetitions = [run(1, 0), run(300_000, 1), run(1, 0)].concat();
        let page = of_runs(300_002, &repetitions, &run(300_002, 2), "");
        assert_eq!(read(vec![page]).as_deref(), Ok("TooLong(1200004) ."));
        // Two billion elements in a few bytes.
        let num_values = i32::MAX as u32;
        let repetitions = [run(1, 0), run(num_values - 1, 1)].concat();
        let mut column = column(vec![of_runs(num_values, &repetitions, &run(num_values, 2), "")]);
        let mut texts = Vec::new();
        let error = column.read(1, &mut texts, |_, _| {}).unwrap_err().to_string();
        let expected = "the column \"a.list.element\" has a list of more than 67108864 bytes, as no record has";
        assert_eq!(error, expected);
        assert!(texts.capacity() <= 2 * RECORD_BYTES_MAX);
    }

    proptest! {
        #[test]
        fn any_page_is_harmless(
            bytes in prop::collection::vec(0..=255u8, 0..60),
            num_values in 0..300u32,
            is_second in any::<bool>(),
            lens in (0..40u32, 0..40u32),
        ) {
            let (buf, encoding) = (bytes.into(), Encoding::PLAIN);
            let page = match is_second {
                true => Page::DataPageV2 {
                    buf, num_values, encoding, num_nulls: 0, num_rows: 1, is_compressed: false,
                    rep_levels_byte_len: lens.0, def_levels_byte_len: lens.1, statistics: None,
                },
                false => Page::DataPage {
                    buf, num_values, encoding, def_level_encoding: Encoding::RLE,
                    rep_level_encoding: Encoding::RLE, statistics: None,
                },
            };
            // The crate panics at some pages, which the reader of files contains.
            let _ = std::panic::catch_unwind(|| read(vec![page]).map_err(drop));
        }
    }
}
