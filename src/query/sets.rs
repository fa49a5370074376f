//! Sets of documents: expressions over postings, evaluated a chunk of 65,536 documents at a time.
//!
//! In: postings and filters of one snapshot. Out: membership, iteration to either side, and sets
//! that are materialised where they are small. Knows no `q`; a leaf may be any
//! [`Predicate`](predicate::Predicate).

pub mod bit_sums;
pub mod chunk;
pub mod cost;
pub mod doc_set;
pub mod evaluate;
pub mod predicate;
pub mod select;
pub mod set_expr;
