//! Cells of a row, and what backslashes in them stand for.

use std::borrow::Cow;

/// What is wrong with an escape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// `\0` and a digit: the databases disagree.
    Ambiguous,
    /// A backslash with nothing behind it.
    Open,
}

/// The cells of a row as they are written. A row has one at least.
pub fn cells(row: &[u8], delimiter: u8) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(row);
    std::iter::from_fn(move || {
        let row = rest?;
        let mut at = 0;
        while let Some(found) = memchr::memchr2(delimiter, b'\\', row.get(at..).unwrap_or(&[])) {
            at += found;
            if row[at] == delimiter {
                rest = Some(&row[at + 1..]);
                return Some(&row[..at]);
            }
            at += 2;
        }
        rest = None;
        Some(row)
    })
}

/// What a cell stands for.
///
/// # Errors
/// An escape has no meaning, or two.
pub fn read(cell: &[u8]) -> Result<Cow<'_, [u8]>, Fault> {
    let Some(first) = memchr::memchr(b'\\', cell) else { return Ok(Cow::Borrowed(cell)) };
    let mut out = Vec::with_capacity(cell.len());
    out.extend_from_slice(&cell[..first]);
    let mut rest = &cell[first..];
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        if byte != b'\\' {
            let len = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
            out.push(byte);
            out.extend_from_slice(&rest[..len]);
            rest = &rest[len..];
            continue;
        }
        let (&escaped, behind) = rest.split_first().ok_or(Fault::Open)?;
        let digits = |max: usize, is_digit: fn(&u8) -> bool| {
            rest.iter()
                .skip(usize::from(escaped == b'x'))
                .take(max)
                .take_while(|b| is_digit(b))
                .count()
        };
        let value = |text: &[u8], radix: u32| {
            let digit = |byte: u8| char::from(byte).to_digit(radix).unwrap_or(0);
            // As PostgreSQL does, the lowest eight bits count.
            text.iter().fold(0u32, |value, &byte| value * radix + digit(byte)) as u8
        };
        rest = behind;
        match escaped {
            b'b' => out.push(0x08),
            b'f' => out.push(0x0c),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'v' => out.push(0x0b),
            b'Z' => out.push(0x1a),
            b'0' if behind.first().is_some_and(u8::is_ascii_digit) => return Err(Fault::Ambiguous),
            b'0'..=b'7' => {
                let num = digits(3, |byte| (b'0'..=b'7').contains(byte));
                out.push(value(&[&[escaped], &behind[..num - 1]].concat(), 8));
                rest = &behind[num - 1..];
            }
            b'x' => {
                let num = digits(2, u8::is_ascii_hexdigit);
                out.push(if num == 0 { b'x' } else { value(&behind[..num], 16) });
                rest = &behind[num..];
            }
            other => out.push(other),
        }
    }
    Ok(Cow::Owned(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stand_between_separators_that_are_not_escaped() {
        let cut = |row: &str| {
            cells(row.as_bytes(), b'\t')
                .map(|cell| String::from_utf8(cell.to_vec()).unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(cut("a\tb\t"), ["a", "b", ""]);
        assert_eq!(cut(""), [""]);
        assert_eq!(cut("a\\\tb\tc\\\\\td\\"), ["a\\\tb", "c\\\\", "d\\"]);
    }

    #[test]
    fn escapes_stand_for_what_their_writer_meant() {
        for (cell, expected) in [
            ("plain", &b"plain"[..]),
            ("a\\tb\\nc\\\\d", b"a\tb\nc\\d"),
            ("\\b\\f\\r\\v\\Z", b"\x08\x0c\r\x0b\x1a"),
            ("a\\\tb\\\nc", b"a\tb\nc"),
            ("\\x41\\x4g\\xg\\101\\7x", b"A\x04gxgA\x07x"),
            ("\\0", b"\0"),
            ("\\N", b"N"),
            ("\\q\\\"", b"q\""),
            ("\\303\\251", "é".as_bytes()),
        ] {
            assert_eq!(read(cell.as_bytes()).as_deref(), Ok(expected), "{cell}");
        }
        assert_eq!(read(b"a\\012"), Err(Fault::Ambiguous));
        assert_eq!(read(b"a\\"), Err(Fault::Open));
    }
}
