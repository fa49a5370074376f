//! Repetition levels of list columns, taken off the pages before the crate reads them.
//!
//! The crate reads whole rows of a list column, and a row may say in a few bytes that it has
//! billions of elements. Without these levels a list column is a flat one, of which as many values
//! are read at a time as there is room for; where its rows begin is read here. A level is 0 at the
//! first value of a row and 1 at the others: only lists that are in no other list are read.
//! The levels are [runs](https://parquet.apache.org/docs/file-format/data-pages/encodings/#RLE) of
//! one level, or of levels packed bit by bit.

use super::unpacked::varint;
use ::parquet::basic::Encoding;
use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::errors::{ParquetError, Result};
use std::sync::mpsc::{Receiver, Sender, channel};

/// The levels of one page.
#[derive(Default)]
struct Levels {
    bytes: Vec<u8>,
    /// The first byte that is in no run so far.
    at: usize,
    /// Levels of the page still to come.
    left: u32,
    run: Run,
    /// Levels of the run still to come.
    run_left: u64,
}

#[derive(Clone, Copy, Default)]
enum Run {
    /// Levels that all are 0.
    #[default]
    Starts,
    /// Levels that all are 1.
    Continues,
    /// Levels of a bit each, the next of which is this one of all bits of the page.
    Bits(usize),
}

impl Levels {
    /// Does the next value begin a row? None if the levels are cut off, or are none.
    fn next(&mut self) -> Option<bool> {
        while self.run_left == 0 {
            self.open_run()?;
        }
        self.left -= 1;
        self.run_left -= 1;
        match &mut self.run {
            Run::Starts => Some(true),
            Run::Continues => Some(false),
            Run::Bits(bit) => {
                let byte = self.bytes.get(*bit / 8)?;
                let is_start = byte >> (*bit % 8) & 1 == 0;
                *bit += 1;
                Some(is_start)
            }
        }
    }

    fn open_run(&mut self) -> Option<()> {
        let mut rest = self.bytes.get(self.at..)?;
        let header = varint(&mut rest)?;
        self.at = self.bytes.len() - rest.len();
        let len = header >> 1;
        if header & 1 == 1 {
            self.run = Run::Bits(self.at * 8);
            self.run_left = len.saturating_mul(8);
            self.at = self.at.saturating_add(usize::try_from(len).unwrap_or(usize::MAX));
        } else {
            self.run = match rest.first()? {
                0 => Run::Starts,
                1 => Run::Continues,
                _ => return None,
            };
            self.run_left = len;
            self.at += 1;
        }
        Some(())
    }
}

/// Where the rows of a list column begin, in the order of its values.
pub struct Repetitions {
    pages: Receiver<Levels>,
    page: Levels,
}

impl Repetitions {
    /// Does the next value begin a row? None if nothing is known of it: the file is damaged.
    pub fn next(&mut self) -> Option<bool> {
        while self.page.left == 0 {
            self.page = self.pages.try_recv().ok()?;
        }
        self.page.next()
    }
}

/// The pages of a list column as those of a flat one.
pub struct FlatPages {
    pages: Box<dyn PageReader>,
    levels: Sender<Levels>,
}

impl FlatPages {
    /// Of these pages; and the levels that are taken off them, once they are read.
    pub fn new(pages: Box<dyn PageReader>) -> (FlatPages, Repetitions) {
        let (sender, receiver) = channel();
        let repetitions = Repetitions { pages: receiver, page: Levels::default() };
        (FlatPages { pages, levels: sender }, repetitions)
    }

    fn take_levels(&self, page: &mut Page) -> Result<()> {
        let cut_off =
            || ParquetError::General("the levels of a page of lists are cut off".to_owned());
        let (bytes, left) = match page {
            Page::DictionaryPage { .. } => return Ok(()),
            Page::DataPage { buf, num_values, rep_level_encoding, .. } => {
                if *rep_level_encoding != Encoding::RLE {
                    return Err(ParquetError::General(format!(
                        "the levels of a page of lists are encoded as {rep_level_encoding}; accepted is RLE"
                    )));
                }
                let len = *buf.first_chunk().ok_or_else(cut_off)?;
                let len = u32::from_le_bytes(len) as usize;
                let levels = buf[size_of::<u32>()..].get(..len).ok_or_else(cut_off)?.to_vec();
                *buf = buf.slice(size_of::<u32>() + len..);
                (levels, *num_values)
            }
            Page::DataPageV2 { buf, num_values, rep_levels_byte_len, .. } => {
                let len = std::mem::take(rep_levels_byte_len) as usize;
                let levels = buf.get(..len).ok_or_else(cut_off)?.to_vec();
                *buf = buf.slice(len..);
                (levels, *num_values)
            }
        };
        // Without a receiver the column is being dropped.
        let _ = self.levels.send(Levels { bytes, left, ..Levels::default() });
        Ok(())
    }
}

impl Iterator for FlatPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

impl PageReader for FlatPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let mut page = self.pages.get_next_page()?;
        page.iter_mut().try_for_each(|page| self.take_levels(page))?;
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels as digits, `!` where they are cut off.
    fn read(bytes: &[u8], count: u32) -> String {
        let mut levels = Levels { bytes: bytes.to_vec(), left: count, ..Levels::default() };
        let mut shown = String::new();
        for _ in 0..count {
            match levels.next() {
                Some(is_start) => shown.push(if is_start { '0' } else { '1' }),
                None => return shown + "!",
            }
        }
        shown
    }

    #[test]
    fn runs_are_read() {
        for (bytes, count, expected) in [
            (vec![6, 0, 4, 1], 5, "00011"),
            (vec![6, 0], 2, "00"),
            (vec![3, 0b1010_0110], 8, "01100101"),
            // Behind the last level stand bits that are none.
            (vec![3, 0b1010_0110], 3, "011"),
            (vec![5, 0b110, 0b1000_0000, 4, 1], 18, "011000000000000111"),
            // Runs of nothing.
            (vec![0, 1, 1, 2, 0], 1, "0"),
            (vec![6, 0], 4, "000!"),
            (vec![6], 1, "!"),
            (vec![6, 2], 1, "!"),
            (vec![3], 1, "!"),
            (vec![5, 0], 9, "00000000!"),
            (vec![0xff; 11], 1, "!"),
            (vec![0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0], 9, "00000000!"),
            (vec![], 1, "!"),
        ] {
            assert_eq!(read(&bytes, count), expected, "{bytes:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_levels_are_harmless(bytes in proptest::collection::vec(0..=255u8, 0..40)) {
            read(&bytes, 500);
        }
    }
}
