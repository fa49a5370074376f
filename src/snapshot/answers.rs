//! Answers that are known in advance: counts, phrases, first pages, positions in other orders.

pub mod filter_pairs;
pub mod first_pages;
pub mod frequent_keys;
pub mod industry_order;
pub mod name_weights;
pub mod phrases;
pub mod position_lists;
pub mod positions;
