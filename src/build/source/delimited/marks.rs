//! Line ends and quotation marks of a table: what csv-core does not tell of them.

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

#[cfg(test)]
mod tests {
    use super::*;

    /// `text` in pieces of each size.
    fn in_pieces(text: &str) -> impl Iterator<Item = std::slice::Chunks<'_, u8>> {
        [1, 2, 3, 5, 4096].into_iter().map(|size| text.as_bytes().chunks(size))
    }

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
            for pieces in in_pieces(text) {
                let mut lines = Lines::new();
                pieces.for_each(|piece| lines.pass(piece));
                assert_eq!(lines.next, expected, "{text:?}");
            }
        }
    }
}
