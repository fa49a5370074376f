//! Telling how a build gets on: its phases, and who is told.

use super::reject::Reject;

/// A phase of a build, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Reading and checking records, and sorting them in runs. Steps are bytes of input.
    Read,
    /// Finding duplicate ids, and bringing the last records into order.
    Sort,
    /// Merging the runs, taking texts apart and writing documents. Steps are records.
    Analyze,
    /// Writing sort orders, industries and places; a thread begins to bring hosts together.
    Columns,
    /// Merging the words of all blocks, and writing hosts. Steps are ranges of words.
    Merge,
    /// Writing the postings of every term and the words of every business. Steps are bytes of
    /// temporary files.
    Encode,
    /// Writing what is computed from the sections written so far: prefixes, pair counts, phrases,
    /// positions.
    Derive,
    /// Syncing, verifying and renaming.
    Publish,
}

impl Phase {
    /// What the phase does, for progress lines.
    pub fn describe(self) -> &'static str {
        match self {
            Phase::Read => "reading records",
            Phase::Sort => "sorting ids",
            Phase::Analyze => "analyzing texts",
            Phase::Columns => "writing orders",
            Phase::Merge => "merging words",
            Phase::Encode => "encoding terms",
            Phase::Derive => "deriving",
            Phase::Publish => "publishing",
        }
    }

    /// The phase in one word, for reports that programs read.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Read => "read",
            Phase::Sort => "sort",
            Phase::Analyze => "analyze",
            Phase::Columns => "columns",
            Phase::Merge => "merge",
            Phase::Encode => "encode",
            Phase::Derive => "derive",
            Phase::Publish => "publish",
        }
    }
}

/// Told how a build gets on. Called from one thread at a time.
pub trait Progress {
    /// A phase begins. `total` is its number of steps (see [`Phase`]), if known.
    fn begin(&self, _phase: Phase, _total: Option<u64>) {}
    /// `done` steps of the phase are behind; while reading and analyzing, so are `records` records.
    fn advance(&self, _done: u64, _records: u64) {}
    /// Something about an input that the operator should know.
    fn note(&self, _note: &str) {}
    /// `done` of `total` steps of `phase` are behind; it begins with the first of them.
    fn steps(&self, phase: Phase, done: u64, total: u64) {
        if done == 0 {
            self.begin(phase, Some(total));
        }
        self.advance(done, 0);
    }
    /// A record was rejected.
    fn rejected(&self, _reject: &Reject) {}
    /// The build is over, for good or bad.
    fn end(&self) {}
}

/// Keeps silent.
pub struct NoProgress;

impl Progress for NoProgress {}
