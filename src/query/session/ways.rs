//! Which shortcuts an answer took.
//!
//! Every shortcut must give what looking at every business would give. Answers say which ones they took, so that
//! tests can prove that they compared each of them with the long way.

/// A way to answer without looking at everything that matches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum Shortcut {
    /// A total from the ranks of two bounds in one list.
    RankDifference,
    /// A total from the stored count of two keys.
    PairCount,
    /// Hits within an industry, found in the order by industry.
    WithinIndustry,
    /// A total as the sum of sets that share nothing.
    DisjointSum,
    /// A prefix whose reach is stored.
    StoredPrefix,
    /// A phrase whose businesses are stored.
    StoredPhrase,
    /// Businesses that do not hold a phrase, told off by what follows its words.
    Followers,
    /// The only hit: no order puts it elsewhere.
    OnlyHit,
    /// A page by score from the stored best businesses of a phrase.
    BestOfPhrase,
    /// The same within an industry.
    BestOfPhraseInIndustry,
    /// A page by score from the stored best businesses of a word.
    BestOfWord,
    /// A page by score from the stored best businesses of a word within an industry.
    BestInIndustry,
    /// A page by score without documents whose words cannot add up to it.
    ImpactWalk,
    /// A relaxed page that is full before all hits were looked at.
    RelaxedPortions,
    /// A relaxed page without names that weigh too much for the one word of them that it asks for.
    NameWeights,
    /// A page from a walk along a permutation.
    PermutationWalk,
    /// A page from the positions of an industry or place in an order.
    FilterPositions,
    /// A page from the ranks of all hits.
    RankGather,
    /// A page from a walk in the static order.
    StaticWalk,
    /// A tier that was not evaluated as a whole.
    OpenGroup,
}

impl Shortcut {
    /// All of them.
    pub const ALL: [Shortcut; 20] = [
        Shortcut::RankDifference,
        Shortcut::PairCount,
        Shortcut::WithinIndustry,
        Shortcut::DisjointSum,
        Shortcut::StoredPrefix,
        Shortcut::StoredPhrase,
        Shortcut::Followers,
        Shortcut::OnlyHit,
        Shortcut::BestOfPhrase,
        Shortcut::BestOfPhraseInIndustry,
        Shortcut::BestOfWord,
        Shortcut::BestInIndustry,
        Shortcut::ImpactWalk,
        Shortcut::RelaxedPortions,
        Shortcut::NameWeights,
        Shortcut::PermutationWalk,
        Shortcut::FilterPositions,
        Shortcut::RankGather,
        Shortcut::StaticWalk,
        Shortcut::OpenGroup,
    ];
}

/// From which size on shortcuts are taken. Tests take them wherever they can be taken, so that small collections
/// exercise them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tuning {
    /// Most hits that are kept from counting them, two bytes each.
    pub kept_max: u64,
    /// Hits, and groups of them, that are this many at most are evaluated before they are looked at; more stay plans, of
    /// which a page looks at the part that it shows.
    pub held_max: u64,
    /// `DocId`s of the first block of a walk by bounds of impacts: its members are all scored.
    pub walk_block: u32,
    /// Candidates for a phrase that are checked in one go.
    pub checked_first: usize,
    /// Of this many hits at most, the ranks are gathered, even if their positions are stored.
    pub gathered_max: u64,
    /// Names that hold a word of a relaxed `q` are told apart by what they weigh if they are so many, and whoever holds one
    /// elsewhere is scored without the name.
    pub common_names_min: usize,
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
            common_names_min: 4096,
            ranks_only_hit: false,
        }
    }
}

impl Tuning {
    /// Takes every shortcut that can be taken. Hits are ranked even if there is one, which is the most that some
    /// shortcuts ever meet in a small collection.
    pub const EVERYTHING: Tuning = Tuning {
        kept_max: 0,
        held_max: 0,
        walk_block: 2,
        checked_first: 2,
        gathered_max: 0,
        common_names_min: 3,
        ranks_only_hit: true,
    };
}

/// A set of shortcuts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Shortcuts(u64);

impl Shortcuts {
    /// The set with one more.
    #[must_use]
    pub fn with(self, shortcut: Shortcut) -> Shortcuts {
        Shortcuts(self.0 | 1 << shortcut as u32)
    }

    /// Is it among them?
    pub fn contains(self, shortcut: Shortcut) -> bool {
        self.0 >> shortcut as u32 & 1 == 1
    }
}
