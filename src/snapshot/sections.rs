//! The one list of what a snapshot holds: its components, and the sections of each.
//!
//! A component is a type with `open(sections: [Section; N], num_docs: u32, needs…) -> Result<Self, SnapshotError>`, which
//! proves that all that it will read is there. A new section is a line here, the type that opens it, its writer, and a
//! row of `FORMAT.md`, which a test compares with this list.

use super::dense::PairCounts;
use super::dictionary::Dictionary;
use super::documents::Documents;
use super::error::SnapshotError;
use super::filter_pairs::FilterPairs;
use super::first_pages::{FirstPages, TierBest};
use super::format::SectionEntry;
use super::forward_index::ForwardIndex;
use super::hosts::Hosts;
use super::mapped::{Backing, Section};
use super::name_weights::NameWeights;
use super::phrases::StoredPhrases;
use super::positions::Positions;
use super::prefixes::Prefixes;
use super::sort_order::SortOrders;
use super::terms::Terms;
use std::sync::Arc;

/// Makes of a list of components
/// - [`SectionKind`], numbered in the order of the list, and [`SectionKind::ALL`];
/// - [`Components`], with a field for each, and [`Components::open`]. Components within one pair of braces are opened side
///   by side, before those within the next, which may name them in the arguments that follow their type;
/// - a method of [`Sections`] for each, which gives the sections that it is opened with.
///
/// The first section is none of a component: all are opened with what it says.
macro_rules! sections {
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

        /// What the sections of a snapshot are read by.
        pub(super) struct Components {
            $($( pub $component: $Type, )+)+
        }

        impl Components {
            /// Opens all components of `num_docs` documents.
            pub fn open(sections: &Sections, num_docs: u32) -> Result<Components, SnapshotError> {
                $(
                    $( let mut $component = None; )+
                    sections.backing.release_during(|| rayon::scope(|scope| { $(
                        scope.spawn(|_| {
                            let own = sections.$component();
                            $component = Some($Type::open(own, num_docs $($(, $argument)+)?));
                        });
                    )+ }));
                    $( let $component = $component.expect("all that was spawned has ended")?; )+
                )+
                Ok(Components { $($( $component, )+)+ })
            }
        }

        impl Sections {
            $($(
                pub(crate) fn $component(&self) -> [Section; [$(SectionKind::$Kind),+].len()] {
                    [$(SectionKind::$Kind),+].map(|kind| self.of(kind))
                }
            )+)+
        }
    };
}

sections! {
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
            /// Businesses in which two frequent words stand next to each other, where they are few.
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
    }
}

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

/// The bytes of the sections of a snapshot.
pub(crate) struct Sections {
    pub(super) backing: Arc<Backing>,
    pub(super) entries: Vec<SectionEntry>,
}

impl Sections {
    /// The section of this kind; an empty one while it is not written yet.
    pub(crate) fn of(&self, kind: SectionKind) -> Section {
        let range = self.entries.get(kind.index()).map_or(0..0, SectionEntry::range);
        Section::new(self.backing.clone(), kind, range)
    }

    /// Gives all pages back, if the snapshot is looked at in passing only.
    pub fn release(&self) {
        self.backing.release(0..self.backing.bytes().len());
    }
}
