//! The words of names.
//!
//! ```text
//! NameWords := fst from each term that stands in a name to its ordinal among these
//! ```
//!
//! Most terms are words of hosts and descriptions. Who looks for all words of names that begin in
//! some way walks through a fourteenth of what the [terms](super::Terms) hold.

use super::dictionary::open_keys;
use super::search::search;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::mapped::Section;
use fst::Automaton;
use fst::automaton::Str;

/// The words of names in a snapshot.
pub struct NameWords {
    keys: fst::Map<Section>,
}

impl NameWords {
    /// Opens the words and checks that they are sorted keys; whether they are those of names is not
    /// looked at.
    ///
    /// # Errors
    /// The section is not what a build writes.
    pub fn open([keys]: [Section; 1], _num_docs: u32) -> Result<NameWords, SnapshotError> {
        Ok(NameWords { keys: open_keys(keys)?.0 })
    }

    /// The words that begin with `prefix` and that `automaton` accepts, ascending.
    pub fn search(&self, prefix: &str, automaton: impl Automaton) -> Vec<String> {
        let mut words = Vec::new();
        let both = Str::new(prefix).starts_with().intersection(automaton);
        search(self.keys.as_fst(), both, |word, _| {
            words.push(String::from_utf8_lossy(word).into_owned());
        });
        words
    }
}
