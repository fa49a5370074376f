//! With which letters terms end.

use crate::snapshot::term_endings::Endings;
use crate::snapshot::terms::Terms;
use fst::{IntoStreamer, Streamer};
use rayon::prelude::*;

/// What section `TermEndings` holds.
pub fn endings(terms: &Terms) -> Vec<u64> {
    // Terms with the same first byte stand side by side, and those of each are passed by one thread.
    let of_byte = |first: u8| {
        let mut endings = Endings::default();
        let from = terms.keys().range().ge([first]);
        let mut stream = match first.checked_add(1) {
            Some(end) => from.lt([end]).into_stream(),
            None => from.into_stream(),
        };
        while let Some((key, _)) = stream.next() {
            std::str::from_utf8(key).iter().for_each(|term| endings.push(term));
        }
        endings
    };
    (0..=u8::MAX).into_par_iter().map(of_byte).reduce(Endings::default, Endings::with).into_words()
}
