//! JSON Lines: one object a line.

use super::{BLOCK_BYTES, Block, Blocks, Parsed, too_long};
use crate::index::buffer_pool::{Lent, Spares};
use crate::index::mapping::Mapping;
use crate::index::record::RecordParser;
use crate::limits::RECORD_BYTES_MAX;
use std::io::{self, BufRead, Read};

/// Cuts an input into blocks of whole lines. A line over the limit is passed over without being
/// held.
pub struct JsonLines<R> {
    reader: R,
    next_line: u64,
    buffers: Spares<Vec<u8>>,
}

/// Whole lines.
struct Lines {
    first_line: u64,
    bytes: Lent<Vec<u8>>,
    /// Line at the end of the block that was too long; its bytes are not here.
    too_long: Option<u64>,
}

impl<R: BufRead> JsonLines<R> {
    /// The lines of `reader`.
    pub fn new(reader: R) -> JsonLines<R> {
        JsonLines { reader, next_line: 1, buffers: Spares::default() }
    }

    fn next_lines(&mut self) -> io::Result<Option<Lines>> {
        let mut lines =
            Lines { first_line: self.next_line, bytes: self.buffers.lend(), too_long: None };
        lines.bytes.reserve(BLOCK_BYTES + (64 << 10));
        while lines.bytes.len() < BLOCK_BYTES {
            let start = lines.bytes.len();
            // One byte more than allowed, so that a line of exactly the limit and its end fit.
            let mut limited = (&mut self.reader).take(RECORD_BYTES_MAX as u64 + 1);
            let read = limited.read_until(b'\n', &mut lines.bytes)?;
            if read == 0 {
                break;
            }
            let line = self.next_line;
            self.next_line += 1;
            let is_whole = lines.bytes.ends_with(b"\n");
            if !is_whole && read > RECORD_BYTES_MAX {
                lines.bytes.truncate(start);
                lines.too_long = Some(line);
                self.reader.skip_until(b'\n')?;
                break;
            }
        }
        Ok((self.next_line > lines.first_line).then_some(lines))
    }
}

impl<R: BufRead> Blocks for JsonLines<R> {
    fn next(&mut self) -> io::Result<Option<Box<dyn Block>>> {
        Ok(self.next_lines()?.map(|lines| Box::new(lines) as Box<dyn Block>))
    }
}

impl Block for Lines {
    fn parse(mut self: Box<Self>, mapping: &Mapping) -> Parsed {
        let mut parser = RecordParser::new(mapping.clone());
        let mut parsed = Parsed { bytes: self.bytes.len() as u64, ..Parsed::default() };
        let (mut line, mut rest) = (self.first_line, self.bytes.as_mut_slice());
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let (bytes, after) = rest.split_at_mut(end);
            if !bytes.iter().all(|byte| byte.is_ascii_whitespace()) {
                parser.findings.number = line;
                parsed.records.push((line, parser.parse(bytes)));
            }
            line += 1;
            rest = after.get_mut(1..).unwrap_or_default();
        }
        parsed.records.extend(self.too_long.map(|line| (line, Err(too_long("")))));
        parsed.findings = parser.findings;
        parsed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn a_line_over_the_limit_is_not_held() {
        // 1 GiB without a line end, then a good record.
        let good = b"\n{\"id\":\"a\",\"name\":\"b\"}";
        let endless = io::repeat(b'x').take(1 << 30).chain(&good[..]);
        let mut lines = JsonLines::new(BufReader::with_capacity(1 << 18, endless));
        let block = lines.next_lines().unwrap().unwrap();
        assert!(block.bytes.capacity() < BLOCK_BYTES + (4 << 20), "{}", block.bytes.capacity());
        let parsed = Box::new(block).parse(&Mapping::default());
        let (line, result) = &parsed.records[0];
        assert_eq!(*line, 1);
        assert!(
            result.as_ref().unwrap_err().faults[0]
                .reason
                .starts_with("is longer than 1048576 bytes")
        );
        let parsed = Box::new(lines.next_lines().unwrap().unwrap()).parse(&Mapping::default());
        assert_eq!(parsed.records[0].0, 2);
        assert!(parsed.records[0].1.is_ok());
        assert!(lines.next_lines().unwrap().is_none());
    }

    #[test]
    fn a_line_of_the_limit_fits() {
        let line = |len: usize| {
            let start = "{\"id\":\"a\",\"name\":\"b\",\"x\":\"";
            format!("{start}{}\"}}", "x".repeat(len - start.len() - 2))
        };
        for (len, is_ok) in [(RECORD_BYTES_MAX, true), (RECORD_BYTES_MAX + 1, false)] {
            for end in ["", "\n"] {
                let text = line(len) + end;
                let mut lines = JsonLines::new(text.as_bytes());
                let block = Box::new(lines.next_lines().unwrap().unwrap());
                let parsed = block.parse(&Mapping::default());
                assert_eq!(parsed.records.len(), 1);
                assert_eq!(parsed.records[0].1.is_ok(), is_ok, "{len} {end:?}");
            }
        }
    }
}
