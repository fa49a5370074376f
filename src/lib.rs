//! Firmament: a read-only search server over business records, tuned for throughput.
//!
//! An offline tool compiles records into one immutable [`snapshot`] file; a lean server maps it and
//! answers `GET /v1/search`: free text, filters by industry, place and employee count, four sort
//! orders, exact totals, cursor pages of any depth. The data never change, so work is done at build
//! time: a query touches the page it returns and the smaller side of each intersection.
//!
//! # Data flow
//!
//! ```text
//! records → index::source → index::company_builder → Company → index::external_sort → DocId
//!                                                     ├ index::document, symbols → stored documents
//!                                                     ├ index::filters, hosts → industries, places, hosts
//!                                                     ├ index::analysis, vocabulary, invert → terms, tokens
//!                                                     └ index::derived → prefixes, counts, phrases, first pages
//!                                                                        ↓
//!                                                                    snapshot (one file)
//!                                                                        ↓
//! request → http::params → Query → query::interpret → query::session (total) → query::strategy → Page
//!                                                                        ↓
//!                                             response ← http::respond ← render
//! ```
//!
//! # Vocabulary
//!
//! | term | meaning |
//! |---|---|
//! | [`DocId`](ids::DocId) | row number of a document within one snapshot, in the static order; not a public id |
//! | static order | most employees first (unknown last), then name, then id: breaks every tie |
//! | term, [`TermOrd`](ids::TermOrd) | an indexed word; its place in the sorted dictionary |
//! | postings | the sorted `DocId`s under a term or a filter value |
//! | column | values by `DocId` |
//! | permutation, rank | position → `DocId`; `DocId` → position |
//! | cardinality | size of a set |
//! | [`Query`](query::Query), [`SetExpr`](query::sets::set_expr::SetExpr), [`DocSet`](query::sets::doc_set::DocSet) | validated request; set operations over postings; a materialised set |
//! | [`Level`](ranking::Level) | tier and kind of match: what orders results by relevance before their text score |
//! | [`Page`](query::Page), [`Cursor`](query::Cursor) | an ordered slice of the hits plus the total; the place to go on |
//!
//! # Invariants
//!
//! - Snapshots are immutable, and verified once, at open; later code relies on it.
//! - `DocId` order is the static order; every order is total and ends on it.
//! - [`query::search`] reads only the mapping, waits for nothing, and cannot fail on a valid query.
//! - Texts are taken apart by the same code at build and at query time: [`analyzer`].
//! - Equal input and options give equal snapshot bytes; an equal request and snapshot give equal
//!   response bytes.
//! - Arrows point one way: `{ids, limits, memory, company, analyzer, places, industries, bytes,
//!   simd, ranking} ← snapshot ← {index, query}`, then `query ← facets ← render ← http`. [`index`]
//!   and [`query`] never meet; only [`http`] names hyper or tokio.
//!
//! # Reading order
//!
//! [`query`] and its [`search`](query::search), then [`snapshot`] (its page is the file format),
//! [`analyzer`], [`index`], and [`http`] last.

pub mod analyzer;
pub mod auth;
pub mod bytes;
pub mod company;
#[cfg(feature = "builder")]
pub mod demo;
pub mod facets;
pub mod http;
pub mod ids;
#[cfg(feature = "builder")]
pub mod index;
pub mod industries;
pub mod limits;
pub mod memory;
pub mod places;
pub mod query;
pub mod ranking;
pub mod render;
pub mod simd;
pub mod snapshot;
