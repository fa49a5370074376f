//! Words next to each other: a phrase verifier over the forward index, and the pre-filters before
//! it.

pub mod adjacency;
pub mod matcher;
pub mod verifier;
