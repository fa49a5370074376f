//! Cursors are read from callers: no bytes may upset the decoder, and a cursor has one text only.
//!
//! The input is tried twice: as the text of a cursor; and as the bytes of one, given the checksum
//! that it lacks, since no mutation would ever find that.

#![no_main]

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use firmament::query::cursor::Cursor;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    check(&String::from_utf8_lossy(data));

    let mut bytes = data.to_vec();
    bytes.extend(&blake3::hash(data).as_bytes()[..4]);
    check(&URL_SAFE_NO_PAD.encode(bytes));
});

/// What decodes encodes to the same text, and that decodes to the same cursor.
fn check(text: &str) {
    if let Ok(cursor) = Cursor::decode(text) {
        assert_eq!(cursor.encode(), text);
        assert_eq!(Cursor::decode(text), Ok(cursor));
    }
}
