//! The ways from a query to its page. [`choose`] decides which one is taken; each is a file of its own.

pub mod filter_positions;
pub mod first_pages;
pub mod impact_walk;
pub mod order;
pub mod relaxed;
pub mod relevance;
