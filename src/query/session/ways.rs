//! The ways that an answer was found in, and from which sizes on they are taken.
//!
//! Every way must give what looking at every document would give. Answers say which ones they took,
//! so that tests can prove that they compared each of them with the long way.

/// A way to answer without looking at everything that matches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum Way {
    /// A total from a stored count, from ranks, or as a sum of sets that share nothing.
    StoredCount,
    /// A prefix whose documents are stored.
    StoredPrefix,
    /// A phrase whose documents, or their number, are stored.
    StoredPhrase,
    /// Phrase candidates rejected by the next-word filter, without reading their tokens.
    NextWord,
    /// The only hit: no order puts it elsewhere.
    OnlyHit,
    /// A first page that is stored.
    StoredPage,
    /// A page from the stored best documents of a phrase.
    TierBest,
    /// Members of a level, all of them scored.
    ScoreAll,
    /// Members of a level without documents whose words cannot add up to the page.
    ImpactWalk,
    /// A walk in the static order.
    StaticWalk,
    /// A walk along a sort order.
    PermutationWalk,
    /// The ranks of all hits.
    RankGather,
    /// Positions within an industry, or of filters in a sort order.
    Reordered,
    /// A relaxed page that is full before all hits were looked at.
    Relaxed,
}

impl Way {
    /// All of them.
    pub const ALL: [Way; 14] = [
        Way::StoredCount,
        Way::StoredPrefix,
        Way::StoredPhrase,
        Way::NextWord,
        Way::OnlyHit,
        Way::StoredPage,
        Way::TierBest,
        Way::ScoreAll,
        Way::ImpactWalk,
        Way::StaticWalk,
        Way::PermutationWalk,
        Way::RankGather,
        Way::Reordered,
        Way::Relaxed,
    ];
}

/// From which size on ways are taken. Tests take them wherever they can be taken, so that small
/// collections exercise them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tuning {
    /// Most hits that are kept from counting them, two bytes each.
    pub kept_max: u64,
    /// Hits, and groups of them, that are this many at most are evaluated before they are looked
    /// at; more stay plans, of which a page looks at the part that it shows.
    pub held_max: u64,
    /// `DocId`s of the first block of a walk by bounds of impacts: its members are all scored.
    pub walk_block: u32,
    /// Candidates for a phrase that are checked in one go.
    pub checked_first: usize,
    /// Of this many hits at most, the ranks are gathered, even if their positions are stored.
    pub gathered_max: u64,
    /// Hits of a relaxed `q` in one chunk that are looked up in the sets of its words; for more, what
    /// they count is added up over all of the chunk.
    pub relaxed_few_max: usize,
    /// Names in which a word of a relaxed `q`, or one like it, stands at most if it is rare: of more,
    /// what the word covers of them is added up.
    pub relaxed_rare_max: usize,
    /// Documents of one chunk that may be on a relaxed page and are looked at one by one; of more,
    /// those with one word alone are told apart first.
    pub relaxed_single_max: usize,
    /// Is an only hit ranked too, though nobody asks where it stands?
    pub ranks_only_hit: bool,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning {
            kept_max: 1 << 16,
            held_max: 1024,
            walk_block: 1 << 12,
            checked_first: 128,
            gathered_max: 1024,
            relaxed_few_max: 1024,
            relaxed_rare_max: 64,
            relaxed_single_max: 256,
            ranks_only_hit: false,
        }
    }
}

impl Tuning {
    /// Takes every way that can be taken. Hits are ranked even if there is one, which is the most
    /// that some ways ever meet in a small collection.
    pub const EVERYTHING: Tuning = Tuning {
        kept_max: 0,
        held_max: 0,
        walk_block: 2,
        checked_first: 2,
        gathered_max: 0,
        relaxed_few_max: 0,
        relaxed_rare_max: 0,
        relaxed_single_max: 0,
        ranks_only_hit: true,
    };
}

/// A set of ways.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Ways(u64);

impl Ways {
    /// The set with one more.
    #[must_use]
    pub fn with(self, way: Way) -> Ways {
        Ways(self.0 | 1 << way as u32)
    }

    /// Is it among them?
    pub fn contains(self, way: Way) -> bool {
        self.0 >> way as u32 & 1 == 1
    }
}

impl std::fmt::Display for Ways {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let taken = Way::ALL.into_iter().filter(|&way| self.contains(way));
        let names: Vec<String> = taken.map(|way| format!("{way:?}")).collect();
        f.write_str(if names.is_empty() { "looking at every hit" } else { "" })?;
        f.write_str(&names.join(", "))
    }
}
