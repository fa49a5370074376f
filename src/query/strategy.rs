//! The ways from a query and its set of hits to the page: stored first pages, levels of relevance with a walk by bounds
//! of impacts, relaxed answers, and sort orders.

pub mod filter_positions;
pub mod first_pages;
pub mod impact_walk;
pub mod order;
pub mod relaxed;
pub mod relevance;
