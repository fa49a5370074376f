#![doc = include_str!("snapshot/FORMAT.md")]
//!
//! # This module
//!
//! In: a path or bytes. Out: a [`Snapshot`], completely verified, with typed views of its sections;
//! or the [`SnapshotError`] that names the section at fault. Reader and writer of a section share a
//! file. Opening costs one hash over all bytes and one structural pass; views cost nothing, since
//! they are slices of the mapping.
//!
//! This room knows no query, no input file and no HTTP.

pub mod answers;
pub mod columns;
mod components;
pub mod encoding;
pub mod file;
pub mod metadata;
mod open;
pub mod terms;

pub use columns::sort_order::{Permutation, StoredOrder};
use encoding::packed_ints::PackedInts;
pub use file::error::SnapshotError;

use crate::analyzer::NameCore;
use crate::analyzer::host::Host;
use crate::ids::{DocId, TermOrd};
use crate::places::{Gazetteer, PlaceKey};
use answers::first_pages::{FirstPage, Scope};
use answers::frequent_keys::DenseKey;
use answers::name_weights::NameWeights;
use answers::phrases::StoredPhrase;
use answers::positions::Positions;
use columns::doc_store::Documents;
use columns::doc_tokens::{DocTokens, Tokens};
use columns::employee_counts::EmployeeCounts;
use columns::facets::{FacetColumn, TextFacet};
use components::Components;
use encoding::postings::Postings;
use file::format::SectionEntry;
use file::mapped::Backing;
use file::sections::Sections;
pub use metadata::Metadata;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use terms::Terms;
use terms::dictionary::Dictionary;
use terms::hosts::HostHash;
use terms::name_words::NameWords;
use terms::prefixes::Prefixes;

/// Which snapshot this is: the first eight bytes of its content hash. Same input, same version.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SnapshotVersion(pub u64);

impl std::fmt::Display for SnapshotVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// An open snapshot. Immutable; shared by all threads.
pub struct Snapshot {
    version: SnapshotVersion,
    metadata: Metadata,
    sections: Sections,
    components: Components,
    /// Has any place a name that an operator gave it? In most snapshots none has, and none is
    /// looked up.
    has_place_names: bool,
}

impl Snapshot {
    /// Maps and verifies the snapshot at `path`.
    ///
    /// # Errors
    /// The file cannot be read, or is not a whole, undamaged snapshot of this version of the
    /// format.
    pub fn open(path: &Path) -> Result<Snapshot, SnapshotError> {
        Snapshot::verify(Arc::new(Backing::map(path)?))
    }

    /// As [`open`](Self::open), but takes little memory meanwhile: for who has verified is done
    /// with it.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_in_passing(path: &Path) -> Result<Snapshot, SnapshotError> {
        Snapshot::verify(Arc::new(Backing::map_in_passing(path)?))
    }

    /// Verifies a snapshot in memory.
    ///
    /// # Errors
    /// As [`Snapshot::open`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Snapshot, SnapshotError> {
        Snapshot::verify(Arc::new(Backing::copy(bytes)))
    }

    /// Which snapshot this is.
    pub fn version(&self) -> SnapshotVersion {
        self.version
    }

    /// What the snapshot says of itself.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Number of businesses; `DocId`s are below it.
    #[inline]
    pub fn num_docs(&self) -> u32 {
        self.metadata.num_docs
    }

    /// Size of the file, in bytes.
    pub fn len_bytes(&self) -> u64 {
        self.sections.backing.bytes().len() as u64
    }

    /// The sections, in the order of the file.
    pub fn sections(&self) -> &[SectionEntry] {
        &self.sections.entries
    }

    /// The JSON of a business, as it stands in responses.
    pub fn document(&self, doc: DocId) -> Vec<u8> {
        let mut json = Vec::new();
        self.components.documents.append(self.components.documents.codes(doc), &mut json);
        json
    }

    /// The JSON of businesses, as it stands in responses, and how to append it.
    #[inline]
    pub fn documents(&self) -> &Documents {
        &self.components.documents
    }

    /// The business with this id, compared byte for byte.
    pub fn doc_by_id(&self, id: &str) -> Option<DocId> {
        self.components.documents.by_id(id)
    }

    /// `DocId`s by the bytes of their ids as they stand in the JSON.
    pub fn by_id(&self) -> PackedInts<'_> {
        self.components.documents.by_id_order()
    }

    /// Who has how many employees.
    #[inline]
    pub fn employee_counts(&self) -> &EmployeeCounts {
        self.components.orders.employee_counts()
    }

    /// Founding years by `DocId`; 0 where it is not known.
    #[inline]
    pub fn founded_years(&self) -> &[u16] {
        self.components.orders.founded_years()
    }

    /// The order by name, collation ascending.
    pub fn by_name_ascending(&self) -> Permutation<'_> {
        self.components.orders.name_ascending()
    }

    /// The order by name, collation descending.
    pub fn by_name_descending(&self) -> Permutation<'_> {
        self.components.orders.name_descending()
    }

    /// The order by employees, fewest first, unknown last.
    pub fn by_employee_count_ascending(&self) -> Permutation<'_> {
        self.components.orders.employee_count_ascending()
    }

    /// The order by year, oldest first, unknown last.
    pub fn by_founded_year_ascending(&self) -> Permutation<'_> {
        self.components.orders.founded_year_ascending()
    }

    /// The order by year, youngest first, unknown last.
    pub fn by_founded_year_descending(&self) -> Permutation<'_> {
        self.components.orders.founded_year_descending()
    }

    /// Industries, by folded name (see [`fold_filter`](crate::analyzer::fold_filter)).
    pub fn industries(&self) -> &Dictionary {
        &self.components.industries
    }

    /// Places, by the keys of [`places`](crate::places).
    pub fn places(&self) -> &Dictionary {
        &self.components.places
    }

    /// The businesses one of whose websites is on a host, by its [name](Host::name).
    pub fn on_host(&self, name: &str) -> Option<Postings<'_>> {
        let is_on = |list: &Postings<'_>| self.hosts(list.first()).any(|host| host == name);
        self.components.hosts.candidates(HostHash::of(name)).find(is_on)
    }

    /// The host of the businesses of a list that [`on_host`](Self::on_host) gave; `None` for any
    /// other list.
    pub fn host_of(&self, list: &Postings<'_>) -> Option<String> {
        if !self.components.hosts.hold(list) {
            return None;
        }
        let is_it = |name: &String| self.on_host(name).is_some_and(|other| other.is_same(list));
        self.hosts(list.first()).find(is_it)
    }

    /// The names of the hosts of a business, by its document and, for those beside the first, its
    /// tokens.
    fn hosts(&self, doc: DocId) -> impl Iterator<Item = String> {
        let website = columns::doc_store::website(&self.document(doc));
        let first = website.as_deref().and_then(Host::of_website);
        let others = move || self.doc_tokens(doc).other_hosts().map(str::to_owned);
        let others = std::iter::once_with(others).flatten();
        first.map(|host| host.name().to_owned()).into_iter().chain(others)
    }

    /// Terms of the searched fields.
    pub fn terms(&self) -> &Terms {
        &self.components.terms
    }

    /// How much each name weighs.
    pub fn name_weights(&self) -> &NameWeights {
        &self.components.name_weights
    }

    /// The words of names.
    pub fn name_words(&self) -> &NameWords {
        &self.components.name_words
    }

    /// Values of industry and place, and who has which.
    pub fn facet(&self, facet: TextFacet) -> FacetColumn<'_> {
        self.components.facets.of(facet)
    }

    /// What frequent prefixes reach.
    pub fn prefixes(&self) -> &Prefixes {
        &self.components.prefixes
    }

    /// How many businesses have two keys, if it is stored: for frequent ones, and for two places or
    /// two industries.
    pub fn pair_count(&self, a: DenseKey, b: DenseKey) -> Option<u64> {
        self.components.pair_counts.get(a, b).or_else(|| self.components.filter_pairs.get(a, b))
    }

    /// Where businesses stand in other orders.
    pub fn positions(&self) -> &Positions {
        &self.components.positions
    }

    /// Where in the order by industry the businesses of an industry stand, if they stand side by
    /// side.
    pub fn industry_range(&self, industry: TermOrd) -> Option<Range<u32>> {
        self.components.positions.of_industry(&self.components.industries, industry)
    }

    /// The first page of a `q` of a term, if it is stored, and if a scope that is an industry
    /// [is a range](Self::industry_range).
    pub fn first_page(&self, term: TermOrd, scope: Scope) -> Option<FirstPage<'_>> {
        self.is_whole(scope).then(|| self.components.first_pages.get(term, scope))?
    }

    /// The best documents of those that hold a phrase, on the same condition.
    pub fn best_of_phrase(
        &self,
        phrase: &StoredPhrase<'_>,
        scope: Scope,
    ) -> Option<PackedInts<'_>> {
        self.is_whole(scope).then(|| self.components.tier_best.get(phrase.place?, scope))?
    }

    /// Are documents of the scope of no other industry, by which they would be known?
    fn is_whole(&self, scope: Scope) -> bool {
        match scope {
            Scope::Everywhere => true,
            Scope::Industry(ord) => self.industry_range(ord).is_some(),
        }
    }

    /// What is stored of two terms next to each other, in this order and in one field; it is for
    /// terms that very many businesses hold both.
    pub fn phrase(&self, first: TermOrd, second: TermOrd) -> Option<StoredPhrase<'_>> {
        let key = DenseKey::Term;
        let both = match first == second {
            true => self.components.terms.lists(first).any().len() as u64,
            false => self.components.pair_counts.get(key(first), key(second))?,
        };
        let number = |ord| self.components.pair_counts.number(key(ord));
        self.components.phrases.get(number(first)?, number(second)?, both)
    }

    /// The words of a business.
    #[inline]
    pub fn doc_tokens(&self, doc: DocId) -> DocTokens<'_> {
        self.components.forward_index.tokens(doc)
    }

    /// The words of a name, and how many of its positions stand before legal forms at its end.
    #[inline]
    pub fn name_tokens(&self, doc: DocId) -> (NameCore, Tokens<'_>) {
        self.components.forward_index.name_tokens(doc)
    }

    /// Reads a little of the names of some businesses, see `ForwardIndex::touch_names`.
    pub fn touch_names(&self, docs: impl Iterator<Item = DocId>) {
        self.components.forward_index.touch_names(docs);
    }

    /// Reads a little of the words of some businesses, see `ForwardIndex::touch_tokens`.
    pub fn touch_doc_tokens(&self, docs: impl Iterator<Item = DocId>) {
        self.components.forward_index.touch_tokens(docs);
    }
}

impl Gazetteer for Snapshot {
    fn has(&self, key: &PlaceKey) -> bool {
        self.places().ord(key.as_str()).is_some()
    }

    fn has_names(&self) -> bool {
        self.has_place_names
    }
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Snapshot({}, {} businesses)", self.version, self.num_docs())
    }
}
