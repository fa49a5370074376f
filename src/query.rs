//! From a validated request to the page it asks for.
//!
//! In: a [`Query`] and a [`Snapshot`](crate::snapshot::Snapshot). Out: a [`Page`]: the documents on
//! it, the exact total, and the cursors to its neighbours. This room knows no HTTP, no JSON and no
//! input files.
//!
//! Reading order, which is the road of a query: [`text`] (what `q` asks for), [`session`] (the
//! context of one query: looked-up terms, filters, counts), [`interpret`] (what `q` means to this
//! snapshot: prefixes, joined forms, corrections, relaxation), [`sets`] (set expressions over
//! postings, and how they are evaluated), [`phrase`] (words next to each other), [`score`] (levels
//! of relevance, text score, top-k), [`strategy`] (the ways to a page), [`page`] and [`cursor`]
//! (paging). [`explain`] tells why an answer is what it is, and nothing needs it.
//!
//! Each of these rooms names only those on lower floors, which a test holds: text, cursor and sets;
//! request and phrase; session; interpret; score; strategy; page; explain.

pub mod cursor;
pub mod explain;
pub mod interpret;
pub mod page;
pub mod phrase;
pub mod request;
pub mod score;
pub mod session;
pub mod sets;
pub mod strategy;
pub mod text;

pub use cursor::{Cursor, InvalidCursor};
pub use page::{Page, Scratch, search, search_within};
pub use request::{Query, SortKey, SortOrder, industry_is_blank};
pub use score::text_score::text_score;
pub use session::ways::{Tuning, Way, Ways};
pub use strategy::relaxed::{Shares, relaxed_shares};
pub use text::{QueryTooLong, TextQuery};
