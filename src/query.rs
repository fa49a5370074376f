//! From a validated request to the page it asks for.
//!
//! In: a [`Query`] and a [`Snapshot`](crate::snapshot::Snapshot). Out: a [`Page`]: the businesses on it, the
//! exact total, and the cursors to its neighbours. This room knows no HTTP, no JSON and no input files.
//!
//! Reading order: [`text`] (what `q` asks for), [`understand`] (what it means to this snapshot; [`prefix`] says what a
//! word begins, [`correct`] reads misspelt words), [`planner`] with [`plan`], [`filters`] and [`known_terms`] (which
//! postings answer it), [`evaluate`] with [`lows`], [`hit_set`] and [`select`] (asking a plan for businesses), [`phrase`],
//! [`adjacent`] and [`check`] (words next to each other), [`count`] (the total),
//! [`order`] (sort orders), [`relevance`] with [`impact_walk`], [`rank`], [`score`],
//! [`nearest`] and [`relax`] (the order by relevance), [`page`] (paging), [`cursor`].
//! [`shortcut`] names the ways around looking at everything; [`explain`] tells why an answer is what it is, and nothing
//! needs it.

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
pub use page::{Page, Scratch, search};
pub use request::{Query, SortKey, SortOrder, industry_is_blank};
pub use score::text_score::text_score;
pub use session::ways::{Shortcut, Shortcuts, Tuning};
pub use text::{QueryTooLong, TextQuery};
