//! Shapes that sections share: postings and their chunks, offsets, packed integers, runs of equal
//! values.

pub mod arrays;
pub mod container;
pub mod equal_runs;
pub mod interpolation;
pub mod offsets;
pub mod packed_ints;
pub mod postings;
pub mod postings_ref;
