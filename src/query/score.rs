//! What orders results by relevance: tiers, the text score within a tier, and top-k selection.

pub mod text_score;
pub mod tiers;
pub mod top_k;
