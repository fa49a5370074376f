//! What every engine can do.

use crate::Result;
use crate::records::Record;
use crate::{fts5::Fts5, tantivy::Tantivy};

/// How many of a query's words a record must have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Each word, in whichever field
    AllWords,
    /// At least one word
    AnyWord,
}

impl Mode {
    /// Every mode, in the order of the tables.
    pub const ALL: [Mode; 2] = [Mode::AllWords, Mode::AnyWord];

    /// For headings.
    pub fn name(self) -> &'static str {
        match self {
            Mode::AllWords => "all words",
            Mode::AnyWord => "any word",
        }
    }
}

/// An index of records, in memory.
///
/// Splitting a query into words and searching for them are two steps, because not every engine
/// offers its tokenizer at a fair price: a measurement of speed times the second step.
pub trait Engine {
    /// Name and version, for headings.
    fn name(&self) -> String;

    /// The words of a query text, as the engine's own tokenizer makes them.
    fn words(&mut self, text: &str) -> Result<Vec<String>>;

    /// The numbers of the best records, best first; none for no words.
    fn search(&mut self, words: &[String], mode: Mode, limit: usize) -> Result<Vec<usize>>;
}

/// Builds the index of one engine over the records; a record's number is its place among them.
type Build = fn(&[Record]) -> Result<Box<dyn Engine>>;

/// Every engine, in the order of the tables. They are built one at a time, so that only one is in
/// memory.
pub const ENGINES: [Build; 2] =
    [|records| Ok(Box::new(Tantivy::new(records)?)), |records| Ok(Box::new(Fts5::new(records)?))];

#[cfg(test)]
mod tests {
    use super::*;

    fn records() -> Vec<Record> {
        let record = |id: &str, name: &str, website: &str, description: &str| Record {
            id: id.to_owned(),
            name: name.to_owned(),
            website: Some(website.to_owned()),
            industry: Some("Tools".to_owned()),
            description: Some(description.to_owned()),
        };
        vec![
            record("a", "Acme Anvils", "https://www.acme.example/", "Heavy things."),
            record("b", "Acme Hammers", "https://hammers.test", "For \"anvils\" and nails."),
            record("c", "Unrelated", "https://other.example", "Nothing."),
        ]
    }

    #[test]
    fn every_engine_searches_every_field() {
        for build in ENGINES {
            let mut engine = build(&records()).expect("an index");
            let mut found = |text: &str, mode| {
                let words = engine.words(text).expect("words");
                engine.search(&words, mode, 10).expect("an answer")
            };
            assert_eq!(found("ACME anvils", Mode::AllWords), [0, 1]);
            assert_eq!(found("acme.example", Mode::AllWords), [0]);
            assert_eq!(found("nails tools", Mode::AllWords), [1]);
            assert_eq!(found("heavy tools zzz", Mode::AllWords), [] as [usize; 0]);
            assert_eq!(found("heavy tools zzz", Mode::AnyWord)[0], 0);
            assert_eq!(found("heavy tools zzz", Mode::AnyWord).len(), 3);
        }
    }

    #[test]
    fn no_query_is_a_syntax_error() {
        for build in ENGINES {
            let mut engine = build(&records()).expect("an index");
            for text in
                ["", "\"", "acme AND OR NOT", "name:acme^2 -anvils*", "(acme", "NEAR(a b)", "+"]
            {
                let words = engine.words(text).expect("words");
                for mode in Mode::ALL {
                    let found = engine.search(&words, mode, 10).expect("an answer");
                    assert!(!words.is_empty() || found.is_empty());
                }
            }
        }
    }

    #[test]
    fn words_of_one_query_leave_nothing_behind() {
        for build in ENGINES {
            let mut engine = build(&records()).expect("an index");
            assert_eq!(engine.words("At&T, Inc. at").expect("words"), ["at", "t", "inc", "at"]);
            assert_eq!(engine.words("Two Words").expect("words"), ["two", "words"]);
        }
    }
}
