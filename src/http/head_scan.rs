//! A second look at the bytes of request heads, for two things that the HTTP parser accepts and
//! does not report: a fragment in the request target (RFC 9112 section 3.2 knows none, `http::Uri`
//! drops it silently) and line ends without a carriage return (RFC 9112 section 2.2 lets a server
//! take them; a proxy in front may split the same bytes differently, so they are refused).
//!
//! The server never reads a body: a request that announces one is refused and its connection is
//! closed. So the bytes of a connection are heads, one after another, each ended by an empty line,
//! and this scanner counts them as the parser does. In: the bytes in the order of arrival, cut
//! anywhere. Out: the number of the first faulty head. One is enough, for nothing after it is
//! answered. Cost: one `memchr` pass over what is read, no allocation.
//!
//! And one thing that the parser refuses without a word: `"`, `<` and `>` in the request line, as
//! they stand in `?q="pay pal"` when it was not encoded. They become [`REFUSED`], which the parser
//! takes and the [gate](super::head_check) refuses with a message.

use memchr::{memchr, memchr3};

/// A character that no target may hold, and the parser does not look for.
const REFUSED: u8 = b'{';

/// What is wrong with a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeadFault {
    /// `#` in the request line.
    Fragment,
    /// A line that ends in LF without CR before it.
    BareLineFeed,
}

/// Where in a head the next byte belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// Before a request line; empty lines are skipped here (RFC 9112 section 2.2).
    Start,
    /// In the request line.
    RequestLine,
    /// In a header line, or at the start of one.
    Headers,
}

/// Follows the heads of one connection.
#[derive(Debug)]
pub(super) struct HeadScan {
    position: Position,
    /// Whether the current line has no byte yet but a CR.
    line_is_empty: bool,
    last_byte_was_cr: bool,
    /// Heads that ended before the current one.
    heads_before: u64,
    fault: Option<(u64, HeadFault)>,
}

impl HeadScan {
    pub(super) fn new() -> HeadScan {
        HeadScan {
            position: Position::Start,
            line_is_empty: true,
            last_byte_was_cr: false,
            heads_before: 0,
            fault: None,
        }
    }

    /// The fault of the head with this number, counted from 0, if it is the first with one.
    pub(super) fn fault_of(&self, head: u64) -> Option<HeadFault> {
        self.fault.and_then(|(number, fault)| (number == head).then_some(fault))
    }

    /// Takes the next bytes of the connection, before the parser does.
    pub(super) fn feed(&mut self, mut bytes: &mut [u8]) {
        while let Some(&first) = bytes.first() {
            if self.fault.is_some() {
                return;
            }
            if self.position == Position::Start {
                if first == b'\r' || first == b'\n' {
                    bytes = &mut bytes[1..];
                    continue;
                }
                self.position = Position::RequestLine;
                self.line_is_empty = true;
                self.last_byte_was_cr = false;
            }
            let Some(line_end) = memchr(b'\n', bytes) else {
                self.line_part(bytes);
                return;
            };
            self.line_part(&mut bytes[..line_end]);
            self.end_line();
            bytes = &mut bytes[line_end + 1..];
        }
    }

    /// A part of a line, without its LF.
    fn line_part(&mut self, part: &mut [u8]) {
        let Some(&last) = part.last() else { return };
        if self.position == Position::RequestLine {
            if memchr(b'#', part).is_some() {
                self.report(HeadFault::Fragment);
            }
            let mut rest = &mut *part;
            while let Some(at) = memchr3(b'"', b'<', b'>', rest) {
                rest[at] = REFUSED;
                rest = &mut rest[at + 1..];
            }
        }
        // A CR that arrived alone was not the end of the line if more follows.
        self.line_is_empty &= !self.last_byte_was_cr && part == b"\r";
        self.last_byte_was_cr = last == b'\r';
    }

    fn end_line(&mut self) {
        if !self.last_byte_was_cr {
            self.report(HeadFault::BareLineFeed);
        }
        if self.position == Position::Headers && self.line_is_empty {
            self.position = Position::Start;
            self.heads_before += 1;
        } else {
            self.position = Position::Headers;
        }
        self.line_is_empty = true;
        self.last_byte_was_cr = false;
    }

    fn report(&mut self, fault: HeadFault) {
        self.fault.get_or_insert((self.heads_before, fault));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first fault, the same however the bytes are cut.
    fn first_fault(bytes: &[u8]) -> Option<(u64, HeadFault)> {
        let mut whole = HeadScan::new();
        whole.feed(&mut bytes.to_vec());
        let mut bytewise = HeadScan::new();
        bytes.to_vec().chunks_mut(1).for_each(|byte| bytewise.feed(byte));
        assert_eq!(whole.fault, bytewise.fault);
        assert_eq!(whole.heads_before, bytewise.heads_before);
        for cut in 0..bytes.len() {
            let mut halves = HeadScan::new();
            halves.feed(&mut bytes[..cut].to_vec());
            halves.feed(&mut bytes[cut..].to_vec());
            assert_eq!(halves.fault, whole.fault, "cut at {cut}");
            assert_eq!(halves.heads_before, whole.heads_before, "cut at {cut}");
        }
        whole.fault
    }

    #[test]
    fn clean_heads_have_no_fault() {
        for bytes in [
            &b""[..],
            b"GET / HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n",
            b"\r\n\r\nGET / HTTP/1.1\r\nHost: a#b\r\nX:\r\n\r\n",
            b"GET / HTTP/1.1\r\nX: a\rb\r\n\r\n",
            b"GET / HTTP/1.1\r\n\r\r\n\r\n",
        ] {
            assert_eq!(first_fault(bytes), None, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn a_fragment_is_found_in_its_head() {
        use HeadFault::Fragment;
        assert_eq!(first_fault(b"GET /#a HTTP/1.1\r\n\r\n"), Some((0, Fragment)));
        assert_eq!(first_fault(b"GET /?q=c# HTTP/1.1\r\n\r\n"), Some((0, Fragment)));
        let second =
            b"GET / HTTP/1.1\r\nA: b\r\n\r\nGET /#a HTTP/1.1\r\n\r\nGET /#b HTTP/1.1\r\n\r\n";
        assert_eq!(first_fault(second), Some((1, Fragment)));
    }

    #[test]
    fn a_bare_line_feed_is_found_in_its_head() {
        use HeadFault::BareLineFeed;
        assert_eq!(first_fault(b"GET / HTTP/1.1\nHost: a\r\n\r\n"), Some((0, BareLineFeed)));
        assert_eq!(first_fault(b"GET / HTTP/1.1\r\nHost: a\n\r\n"), Some((0, BareLineFeed)));
        assert_eq!(first_fault(b"GET / HTTP/1.1\r\nHost: a\r\n\n"), Some((0, BareLineFeed)));
        let second = b"GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\n\n";
        assert_eq!(first_fault(second), Some((1, BareLineFeed)));
    }

    #[test]
    fn what_the_parser_refuses_silently_is_replaced_in_request_lines() {
        let mut bytes = b"GET /?q=\"a<b>\" HTTP/1.1\r\nX: \"<>\r\n\r\nGET /\"".to_vec();
        HeadScan::new().feed(&mut bytes);
        assert_eq!(bytes, b"GET /?q={a{b{{ HTTP/1.1\r\nX: \"<>\r\n\r\nGET /{");
    }

    #[test]
    fn faults_belong_to_one_head_only() {
        let mut scan = HeadScan::new();
        scan.feed(&mut b"GET / HTTP/1.1\r\n\r\nGET /#a HTTP/1.1\r\n\r\n".to_vec());
        assert_eq!(scan.fault_of(0), None);
        assert_eq!(scan.fault_of(1), Some(HeadFault::Fragment));
        assert_eq!(scan.fault_of(2), None);
    }
}
