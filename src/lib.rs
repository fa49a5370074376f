//! Firmament: a read-only search server over business records, tuned for throughput.
//!
//! An offline tool compiles records into one immutable [`snapshot`] file; a lean server maps it and answers
//! `GET /v1/search`: free text, filters by industry, place and employee count, four sort orders, exact totals,
//! cursor pages of any depth. The data never change, so work is done at build time: a query touches the page
//! it returns and the smaller side of each intersection.
//!
//! # Data flow
//!
//! ```text
//! records → build::source → build::assembly → Company → build::external_sort → DocId
//!                                                     ├ build::document, symbols → JSON of every business
//!                                                     ├ build::filters, hosts → industries, places, hosts
//!                                                     ├ build::analysis, vocabulary, invert → terms, tokens
//!                                                     └ build::derived  → prefixes, pairs, phrases, first pages
//!                                                                        ↓
//!                                                                    snapshot (one file)
//!                                                                        ↓
//! request → http::params → Query → query::plan → query::count → query::relevance, query::order → Page
//!                                                                        ↓
//!                                             response ← http::respond ← render
//! ```
//!
//! # Vocabulary
//!
//! | term | meaning |
//! |---|---|
//! | [`DocId`](ids::DocId) | row number of a business within one snapshot, in the static order; not a public id |
//! | static order | most employees first (unknown last), then name, then id: breaks every tie |
//! | term, [`TermOrd`](ids::TermOrd) | an indexed word; its place in the sorted dictionary |
//! | postings | the sorted `DocId`s under a term or a filter value |
//! | column | values by `DocId` |
//! | permutation, rank | position → `DocId`; `DocId` → position |
//! | cardinality | size of a set |
//! | [`Query`](query::Query), [`SetExpr`](query::plan::SetExpr), [`DocSet`](query::doc_set::DocSet) | validated request; chosen set operations; few businesses, held |
//! | [`Page`](query::Page), [`Cursor`](query::Cursor) | an ordered slice of the hits plus the total; the place to go on |
//!
//! # Invariants
//!
//! - Snapshots are immutable, and verified once, at open; later code relies on it.
//! - `DocId` order is the static order; every order is total and ends on it.
//! - [`query::search`] reads only the mapping, waits for nothing, and cannot fail on a valid query.
//! - Texts are taken apart by the same code at build and at query time: [`analyzer`].
//! - Equal input and options give equal snapshot bytes; an equal request and snapshot give equal response bytes.
//! - Arrows point one way: `{ids, limits, memory, company, analyzer, places, bytes, simd} ← snapshot ← {build, query}`,
//!   then `query ← render ← http`. [`build`] and [`query`] never meet; only [`http`] names hyper or tokio.
//!
//! # Reading order
//!
//! [`query`] and its [`search`](query::search), then [`snapshot`] (its page is the file format), [`analyzer`],
//! [`build`], and [`http`] last.

pub mod analyzer;
pub mod auth;
pub mod bytes;
pub mod company;
#[cfg(feature = "builder")]
pub mod demo;
pub mod http;
pub mod ids;
#[cfg(feature = "builder")]
pub mod index;
pub mod limits;
pub mod memory;
pub mod places;
pub mod query;
pub mod ranking;
pub mod render;
pub mod simd;
pub mod snapshot;
