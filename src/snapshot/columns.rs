//! Sections by `DocId`: stored documents, the forward index, employee counts, sort orders.

pub mod doc_store;
pub mod doc_tokens;
pub mod employee_counts;
pub mod facets;
pub mod forward_index;
pub mod sort_order;
pub mod string_codes;
