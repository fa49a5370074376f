//! Line ends and quotation marks of a table: what csv-core does not tell of them.
//!
//! Both are followed through the bytes of each row as they are read, in pieces of any size. A piece
//! without quotation marks costs the search for one.

/// Counts lines. LF, CRLF and CR end one, within quotation marks as well.
pub struct Lines {
    /// Line of the next byte, from 1.
    pub next: u64,
    /// The byte before the next one; before the first, a line end.
    before: u8,
}

impl Lines {
    /// Before the first byte.
    pub fn new() -> Lines {
        Lines { next: 1, before: b'\n' }
    }

    /// Passes over `bytes`.
    pub fn pass(&mut self, bytes: &[u8]) {
        let Some(&last) = bytes.last() else { return };
        let before = |at: usize| if at == 0 { self.before } else { bytes[at - 1] };
        let is_new = |&at: &usize| bytes[at] == b'\r' || before(at) != b'\r';
        let ends = memchr::memchr2_iter(b'\n', b'\r', bytes).filter(is_new).count();
        self.next += ends as u64;
        self.before = last;
    }
}

/// Does the byte end a line?
pub fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Follows the quotation marks of rows, as csv-core takes them: one at the begin of a cell opens,
/// within such a cell one closes and two are one of its value, and all others are values.
pub struct Quotes {
    delimiter: u8,
    at: At,
    /// Line of the last mark that opened.
    opened: u64,
    /// The cell that comes next or is being read, from 0.
    cell: usize,
    misquoted: Option<Misquoted>,
}

/// A cell in which more follows the mark that closes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Misquoted {
    /// Which cell of the row, from 0.
    pub cell: usize,
    /// Line of the mark that opens.
    pub opened: u64,
    /// Line of the mark that closes.
    pub closed: u64,
}

/// Where in a row the reader is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum At {
    /// Not in quotation marks.
    Outside,
    /// In quotation marks.
    Within,
    /// Behind a mark that closes, or is the first of two.
    Behind,
}

impl Quotes {
    /// Before the first row.
    pub fn new(delimiter: u8) -> Quotes {
        Quotes { delimiter, at: At::Outside, opened: 0, cell: 0, misquoted: None }
    }

    /// The line of a mark that is open.
    pub fn open(&self) -> Option<u64> {
        (self.at == At::Within).then_some(self.opened)
    }

    /// Before the next row.
    pub fn begin_row(&mut self) {
        (self.cell, self.misquoted) = (0, None);
    }

    /// The first cell of the row in which more follows a mark that closes; or one with line ends in
    /// it, if there is any. csv-core drops the marks of such a cell and keeps the rest.
    pub fn misquoted(&self) -> Option<Misquoted> {
        self.misquoted
    }

    /// Passes over `bytes` of one row, and counts their lines.
    pub fn pass(&mut self, bytes: &[u8], lines: &mut Lines) {
        let Some(&last) = bytes.last() else { return };
        if self.at == At::Outside && memchr::memchr(b'"', bytes).is_none() {
            // The row ends at the first line end, so there is none before the last byte.
            lines.next += u64::from(is_line_end(last));
            lines.before = last;
            if !is_line_end(last) {
                self.cell += self.delimiters(bytes);
            }
            return;
        }
        self.follow(bytes, lines);
    }

    fn delimiters(&self, bytes: &[u8]) -> usize {
        bytes.iter().filter(|&&byte| byte == self.delimiter).count()
    }

    fn follow(&mut self, bytes: &[u8], lines: &mut Lines) {
        let mut at = 0;
        let mut opened_at = None;
        let before_all = lines.before;
        let mut counted = 0;
        let mut line_at = |at: usize| {
            lines.pass(&bytes[counted..at]);
            counted = at;
            lines.next
        };
        let find = |at: usize| memchr::memchr(b'"', &bytes[at..]).map(|len| at + len);
        while at < bytes.len() {
            match self.at {
                At::Outside => {
                    let mark = find(at);
                    self.cell += self.delimiters(&bytes[at..mark.unwrap_or(bytes.len())]);
                    let Some(mark) = mark else { break };
                    let before = if mark == 0 { before_all } else { bytes[mark - 1] };
                    if before == self.delimiter || is_line_end(before) {
                        self.at = At::Within;
                        opened_at = Some(mark);
                    }
                    at = mark + 1;
                }
                At::Within => {
                    let Some(mark) = find(at) else { break };
                    self.at = At::Behind;
                    at = mark + 1;
                }
                At::Behind if bytes[at] == b'"' => {
                    self.at = At::Within;
                    at += 1;
                }
                At::Behind => {
                    if bytes[at] != self.delimiter && !is_line_end(bytes[at]) {
                        self.opened = opened_at.map_or(self.opened, &mut line_at);
                        let (opened, closed) = (self.opened, line_at(at));
                        if self.misquoted.is_none() || opened < closed {
                            self.misquoted = Some(Misquoted { cell: self.cell, opened, closed });
                        }
                    }
                    self.at = At::Outside;
                }
            }
        }
        if self.at != At::Outside {
            self.opened = opened_at.map_or(self.opened, &mut line_at);
        }
        line_at(bytes.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes of the pieces that a text comes in.
    const PIECES: [usize; 5] = [1, 2, 3, 5, 4096];

    #[test]
    fn every_line_end_counts_once() {
        for (text, expected) in [
            ("", 1),
            ("a", 1),
            ("a\nb\n", 3),
            ("\na\r\nb\r\n", 4),
            ("a\rb\r", 3),
            ("\r\r\n\n\r", 5),
            ("\"a\r\n\r\nb\",c\r\n", 4),
        ] {
            for piece_bytes in PIECES {
                let mut lines = Lines::new();
                text.as_bytes().chunks(piece_bytes).for_each(|piece| lines.pass(piece));
                assert_eq!(lines.next, expected, "{text:?}");
            }
        }
    }

    #[test]
    fn an_open_mark_is_known_with_its_line() {
        for (rows, expected) in [
            (&["a,b\n", "c,\"d"][..], Some(2)),
            (&["a,b\n", "c,\"d\n\r\ne\"\"\n"], Some(2)),
            (&["a,\"b\n\"\n", "\"c\"\"\n\",\"\n\n\"\"d"], Some(4)),
            (&["\"a\",\"\"\"\"\n", "\"\",\""], Some(2)),
            (&["a\"b,c\n", "x, \"y\n", "\"z\","], None),
            (&["\"a\"b\"c,d\"\n"], None),
            (&["\"a\"\"\""], None),
            (&["\"a\""], None),
        ] {
            for piece_bytes in PIECES {
                let (mut lines, mut quotes) = (Lines::new(), Quotes::new(b','));
                for row in rows {
                    let pieces = row.as_bytes().chunks(piece_bytes);
                    pieces.for_each(|piece| quotes.pass(piece, &mut lines));
                }
                assert_eq!(quotes.open(), expected, "{rows:?}");
                let ends = rows.concat().replace("\r\n", "\n").matches('\n').count();
                assert_eq!(lines.next, ends as u64 + 1, "{rows:?}");
            }
        }
    }

    #[test]
    fn a_cell_with_more_behind_its_marks_is_known() {
        for (row, expected) in [
            ("\"a\"b,c\n", Some((0, 2, 2))),
            ("a,,\"b\" ,\"c\"d\r", Some((2, 2, 2))),
            ("\",\",\"a\"\"\",b,c\",\"\",\"d\" \"e\"\n", Some((5, 2, 2))),
            ("a b,c \"d\",\"e\"f", Some((2, 2, 2))),
            ("\"a\nb\",\"c\r\n\r\nd,\"e,\"f\"g\n", Some((1, 3, 5))),
            ("\"a\"b,\"c\nd\"e,\"f\"g\n", Some((1, 2, 3))),
            ("\"a\",b\r", None),
            ("\"a\"\"b\",c\"d\"e, \"f\" g,\"\"\n", None),
            ("\"a\"", None),
        ] {
            for piece_bytes in PIECES {
                let (mut lines, mut quotes) = (Lines::new(), Quotes::new(b','));
                // What was before is forgotten.
                for row in ["x,\"y\"z\n", row] {
                    quotes.begin_row();
                    let pieces = row.as_bytes().chunks(piece_bytes);
                    pieces.for_each(|piece| quotes.pass(piece, &mut lines));
                }
                let found =
                    quotes.misquoted().map(|found| (found.cell, found.opened, found.closed));
                assert_eq!(found, expected, "{row:?} in pieces of {piece_bytes}");
            }
        }
    }
}
