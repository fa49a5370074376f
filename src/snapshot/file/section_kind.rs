//! The one list of what a snapshot holds: its components, and the sections of each.
//!
//! A component is a type with
//! `open(sections: [Section; N], num_docs: u32, needs…) -> Result<Self, SnapshotError>`, which
//! proves that all that it will read is there. A new section is a line here, the type that opens
//! it, its writer, and a row of `FORMAT.md`, which a test compares with this list.

/// Hands the list to a macro. Components within one pair of braces are opened side by side, before
/// those within the next, which may name them in the arguments that follow their type. The first
/// section is none of a component: all are opened with what it says.
macro_rules! section_list {
    ($callback:ident) => {
        $callback! {
            /// Counts and versions, as JSON.
            Metadata,
            {
                documents: Documents [
                    /// The texts that codes in `Documents` stand for.
                    DocumentSymbols,
                    /// Where each document begins in `Documents`.
                    DocumentOffsets,
                    /// The JSON of every business, as codes.
                    Documents,
                    /// `DocId`s by id.
                    IdOrder,
                ]
                orders: SortOrders [
                    /// Employee counts of the businesses that have one.
                    EmployeeCounts,
                    /// Founding years.
                    FoundedYears,
                    /// Permutation and ranks by name, ascending.
                    NameAscending,
                    /// Where names begin in that order.
                    NameGroups,
                    /// Permutation and ranks by founding year, ascending.
                    FoundedYearAscending,
                ]
                industries: Dictionary [
                    /// Names of industries.
                    IndustryKeys,
                    /// The business of each industry, or where its postings begin.
                    IndustryEntries,
                    /// Postings of industries.
                    IndustryPostings,
                ]
                places: Dictionary [
                    /// Keys of places.
                    PlaceKeys,
                    /// The business of each place, or where its postings begin.
                    PlaceEntries,
                    /// Postings of places.
                    PlacePostings,
                ]
                hosts: Hosts [
                    /// Where the hosts of each bucket begin.
                    HostBuckets,
                    /// Hosts by hash: the business of each, or where its postings begin.
                    HostEntries,
                    /// Postings of hosts.
                    HostPostings,
                ]
                terms: Terms [
                    /// Terms of all searched fields.
                    TermKeys,
                    /// Where the block of each term begins.
                    TermOffsets,
                    /// The code of each term in `DocTokens`.
                    TermCodes,
                    /// The weight of each term, by code.
                    TermWeights,
                    /// Postings of terms.
                    TermPostings,
                ]
                forward_index: ForwardIndex [
                    /// Where the tokens of each document begin.
                    DocTokenOffsets,
                    /// The words of every business, in order.
                    DocTokens,
                ]
                prefixes: Prefixes [
                    /// What each stored prefix reaches.
                    PrefixPostings,
                    /// Prefixes that many words begin with.
                    PrefixKeys,
                ]
            }
            {
                pair_counts: PairCounts([terms.len(), industries.len(), places.len()]) [
                    /// The terms, industries and places of most businesses.
                    DenseKeys,
                    /// How many businesses have two of them.
                    PairCounts,
                ]
                phrases: StoredPhrases [
                    /// Businesses in which two frequent words stand next to each other, where they
                    /// are few.
                    PhrasePostings,
                ]
            }
            {
                tier_best: TierBest(phrases.len(), industries.len()) [
                    /// The best documents of phrases, wherever and within industries.
                    TierBest,
                ]
                filter_pairs: FilterPairs([industries.len(), places.len()]) [
                    /// How many businesses have two places, or two industries.
                    FilterPairs,
                ]
                positions: Positions(terms.len(), [&industries, &places]) [
                    /// Where the businesses of each industry and place stand in the sort orders.
                    FilterPositions,
                    /// Businesses by industry.
                    IndustryOrder,
                    /// Where the businesses of terms and places stand in that order.
                    IndustryPositions,
                ]
                first_pages: FirstPages(terms.len(), industries.len()) [
                    /// The first pages of words, wherever and within industries.
                    FirstPages,
                ]
                name_weights: NameWeights [
                    /// How much each name weighs.
                    NameWeights,
                ]
                name_words: NameWords [
                    /// Terms that stand in names.
                    NameWords,
                ]
                facets: Facets [
                    /// The set of values that each document has, by facet.
                    FacetSets,
                    /// Values of facets, and sets of them.
                    FacetValues,
                ]
            }
        }
    };
}
pub(crate) use section_list;

/// Makes [`SectionKind`] of the list, numbered in its order.
macro_rules! kinds {
    (
        $(#[$first_doc:meta])* $First:ident,
        $({ $(
            $component:ident: $Type:ident $(($($argument:expr),+))? [
                $( $(#[$doc:meta])* $Kind:ident, )+
            ]
        )+ })+
    ) => {
        /// What a section holds. All are present in every snapshot, in this order.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u32)]
        pub enum SectionKind {
            $(#[$first_doc])*
            $First = 1,
            $($($( $(#[$doc])* $Kind, )+)+)+
        }

        const KINDS: &[SectionKind] = &[SectionKind::$First, $($($( SectionKind::$Kind, )+)+)+];
    };
}

section_list!(kinds);

impl SectionKind {
    /// All kinds, in the order of the file.
    pub const ALL: [SectionKind; KINDS.len()] = *KINDS.first_chunk().expect("as many");

    /// Place of the section in the file and in the table, from 0.
    pub fn index(self) -> usize {
        self as usize - 1
    }
}

impl std::fmt::Display for SectionKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}
