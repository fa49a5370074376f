//! Pages looked at once they are unpacked: how many values they say they have, before room is made
//! for these.
//!
//! The crate makes room for as many values as the header of a dictionary says, and for as many
//! lengths as a page of texts says that is encoded by lengths (`DELTA_LENGTH_BYTE_ARRAY`,
//! `DELTA_BYTE_ARRAY`), whatever else is there: a page of a hundred bytes may ask for terabytes.
//! See the [encodings](https://parquet.apache.org/docs/file-format/data-pages/encodings/).

use ::parquet::basic::Encoding;
use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::errors::{ParquetError, Result};

/// Most values of a dictionary: the crate holds 32 bytes for each. Common writers end one at 1 MiB.
const DICTIONARY_VALUES_MAX: u32 = 1 << 22;

/// Most values of a page that is encoded by lengths: the crate holds 8 bytes for each. Common
/// writers put some ten thousand into one, and at most a row group.
const LENGTHS_MAX: u32 = 1 << 24;

/// The pages of a column, each looked at before the crate decodes it.
pub struct Unpacked {
    pages: Box<dyn PageReader>,
    /// The definition level of a value that is there.
    max_definition: i16,
    /// Does the column say that values may begin with what the one before begins with?
    may_repeat: bool,
}

impl Unpacked {
    /// Of these pages.
    pub fn new(pages: Box<dyn PageReader>, max_definition: i16, may_repeat: bool) -> Unpacked {
        Unpacked { pages, max_definition, may_repeat }
    }

    fn check(&self, page: &Page) -> Result<()> {
        match page {
            Page::DictionaryPage { buf, num_values, .. } => {
                // No value of a type that is read takes less.
                let has_room = *num_values as usize <= buf.len() / size_of::<u32>();
                if !has_room || *num_values > DICTIONARY_VALUES_MAX {
                    return Err(fault(
                        "a dictionary says that it has more values than it can have",
                    ));
                }
                Ok(())
            }
            Page::DataPage { buf, num_values, encoding, def_level_encoding, .. } => {
                let levels = match (self.max_definition, def_level_encoding) {
                    (0, _) => Some(0),
                    (_, Encoding::RLE) => buf.first_chunk().and_then(|len| {
                        (u32::from_le_bytes(*len) as usize).checked_add(size_of::<u32>())
                    }),
                    // Packed bit by bit, as nobody has written them for ten years.
                    (max, _) => {
                        let bits = (i16::BITS - max.leading_zeros()) as usize;
                        Some((*num_values as usize * bits).div_ceil(8))
                    }
                };
                self.check_values(buf, levels, *num_values, *encoding)
            }
            Page::DataPageV2 {
                buf,
                num_values,
                encoding,
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } => {
                let levels = def_levels_byte_len.checked_add(*rep_levels_byte_len);
                let levels = levels.map(|levels| levels as usize);
                self.check_values(buf, levels, *num_values, *encoding)
            }
        }
    }

    /// Checks a page whose values begin behind its `levels`.
    fn check_values(
        &self,
        page: &[u8],
        levels: Option<usize>,
        num_values: u32,
        encoding: Encoding,
    ) -> Result<()> {
        let num_lists = match encoding {
            Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
            Encoding::DELTA_BYTE_ARRAY if self.may_repeat => 2,
            Encoding::DELTA_BYTE_ARRAY => {
                return Err(fault("a page is encoded otherwise than its column says"));
            }
            _ => return Ok(()),
        };
        if num_values > LENGTHS_MAX {
            return Err(fault(format!(
                "a page has {num_values} texts; at most {LENGTHS_MAX} are accepted: write smaller pages"
            )));
        }
        let mut rest = levels.and_then(|levels| page.get(levels..));
        for _ in 0..num_lists {
            let numbers = rest.and_then(Numbers::read);
            let Some(Numbers { count, behind }) = numbers else {
                return Err(fault("a page of texts is cut off"));
            };
            if count > u64::from(num_values) {
                return Err(fault("a page says that it has more texts than values"));
            }
            rest = Some(behind);
        }
        Ok(())
    }
}

fn fault(reason: impl Into<String>) -> ParquetError {
    ParquetError::General(reason.into())
}

/// A list of numbers, each written as the difference from the one before (`DELTA_BINARY_PACKED`).
struct Numbers<'a> {
    count: u64,
    /// What stands behind it.
    behind: &'a [u8],
}

impl Numbers<'_> {
    /// The list at the front of `bytes`; none if it is cut off, or not as the crate accepts it.
    fn read(bytes: &[u8]) -> Option<Numbers<'_>> {
        let mut rest = bytes;
        let (block, parts) = (varint(&mut rest)?, varint(&mut rest)?);
        let count = varint(&mut rest)?;
        varint(&mut rest)?;
        let part = block.checked_div(parts).filter(|&part| part > 0)?;
        let mut left = count.saturating_sub(1);
        while left > 0 {
            varint(&mut rest)?;
            for &width in rest.split_off(..usize::try_from(parts).ok()?)? {
                // Parts behind the last number have a width, and are left out.
                if left > 0 {
                    left = left.saturating_sub(part);
                    let len = part.checked_mul(width.into())? / 8;
                    rest.split_off(..usize::try_from(len).ok()?)?;
                }
            }
        }
        Some(Numbers { count, behind: rest })
    }
}

/// Seven bits a byte, lowest first; a set eighth says that there is more. As wide as the crate
/// reads it: what [`read_varint`](crate::bytes::read_varint) takes for 1 may be 2^32 and 1.
pub fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let &byte = bytes.split_off_first()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

impl Iterator for Unpacked {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Unpacked {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        page.iter().try_for_each(|page| self.check(page))?;
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}
