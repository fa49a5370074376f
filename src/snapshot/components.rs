//! What an open snapshot reads its sections by, made of the one [list](super::file::section_kind)
//! of them.

use super::answers::filter_pairs::FilterPairs;
use super::answers::first_pages::{FirstPages, TierBest};
use super::answers::frequent_keys::PairCounts;
use super::answers::name_weights::NameWeights;
use super::answers::phrases::StoredPhrases;
use super::answers::positions::Positions;
use super::columns::doc_store::Documents;
use super::columns::facets::Facets;
use super::columns::forward_index::ForwardIndex;
use super::columns::sort_order::SortOrders;
use super::file::error::SnapshotError;
use super::file::mapped::Section;
use super::file::section_kind::{SectionKind, section_list};
use super::file::sections::Sections;
use super::terms::Terms;
use super::terms::dictionary::Dictionary;
use super::terms::hosts::Hosts;
use super::terms::name_words::NameWords;
use super::terms::prefixes::Prefixes;

/// Makes [`Components`] of the list, with a field for each, and [`Components::open`]; and for each
/// a method of [`Sections`], which gives the sections that it is opened with.
macro_rules! components {
    (
        $(#[$first_doc:meta])* $First:ident,
        $({ $(
            $component:ident: $Type:ident $(($($argument:expr),+))? [
                $( $(#[$doc:meta])* $Kind:ident, )+
            ]
        )+ })+
    ) => {
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

section_list!(components);
