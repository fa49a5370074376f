//! The hits of a query, counted: what a strategy is chosen by.

use crate::query::sets::set_expr::SetExpr;
use crate::snapshot::encoding::packed_ints::PackedInts;

/// What is known of the hits of a query when a strategy is chosen.
pub struct Counted<'s> {
    /// How many documents match.
    pub total: u64,
    /// The hits, materialised if they are few.
    pub hits: SetExpr<'s>,
    /// What was counted: a materialised set does not say what it was made of.
    pub expr: SetExpr<'s>,
    /// The best documents of the phrase that `q` is within one industry, if they fill the page.
    pub best_in_industry: Option<PackedInts<'s>>,
}
