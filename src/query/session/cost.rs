//! What a request costs, and the most that it may.
//!
//! Before each part of the work, counting the hits and finding the page, its cost is estimated from
//! lengths of lists and counts that are stored, and added up here. A request that comes to more
//! than it may cost ends there, so that the part is not begun. Estimates know neither times nor
//! threads: the same request over the same snapshot costs the same everywhere.

use super::Session;

/// What work of about a millisecond costs. One request in 270 of the mixed load costs more (10 M
/// documents), and of other shapes one in seven, which take five sixths of the time.
pub const EXPENSIVE: u64 = 1 << 20;

/// A request costs more than it may.
#[derive(Clone, PartialEq, Eq, Debug, Default, thiserror::Error)]
#[error("the request costs {cost} postings and tokens, more than it may")]
pub struct TooExpensive {
    /// What it costs, as far as that is known: postings and tokens to be read.
    pub cost: u64,
    /// The words of `q` that stand in most documents, folded; the most frequent first.
    pub words: Vec<String>,
}

impl<'s> Session<'s> {
    /// The session of a request that may cost `most`, and has cost something already.
    #[must_use]
    pub fn limited(mut self, most: u64, cost: u64) -> Session<'s> {
        self.cost_max = most;
        self.cost.set(cost);
        self
    }

    /// Adds what the next part of the work costs.
    ///
    /// # Errors
    /// That is more than the request may cost.
    pub fn spend(&self, cost: u64) -> Result<(), TooExpensive> {
        let cost = self.cost.get().saturating_add(cost);
        self.cost.set(cost);
        if cost <= self.cost_max {
            return Ok(());
        }
        Err(TooExpensive { cost, words: Vec::new() })
    }

    /// What the request has cost so far.
    pub fn cost(&self) -> u64 {
        self.cost.get()
    }
}
