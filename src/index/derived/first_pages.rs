//! The documents that rank first for each term of many, wherever and within industries.

use super::ascending::Ascending;
use super::prefixes::remove;
use super::top_k_by_scope::{Best, BestByScope, Bounds, best_first};
use super::transpose::releasing;
use super::{DenseTerms, len_in_passing};
use crate::ids::TermOrd;
use crate::index::BuildError;
use crate::index::buffer_pool::{Lent, Reuse, Spares};
use crate::index::pipeline::{ahead_of_disk, in_order};
use crate::ranking::Level;
use crate::snapshot::answers::first_pages::{RankedListsWriter, Scope};
use crate::snapshot::encoding::packed_ints;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::writer::SnapshotWriter;
use crate::snapshot::terms::Terms;
use crate::snapshot::terms::block::{AliasList, TermLists};
use crate::snapshot::terms::dictionary::Dictionary;
use crate::snapshot::terms::prefixes::may_be_prefix;
use rayon::ThreadPool;
use rayon::prelude::*;

/// Scopes within which documents rank first, by number: everywhere, then the industries of many
/// documents.
pub struct Scopes {
    industries: Vec<u32>,
    /// Of each document, the number of its industry; 0 for none, or one of few.
    industry_of: Vec<u32>,
}

impl Scopes {
    /// Everywhere, and the industries of at least `docs_min` documents. `industry_of` tells the
    /// ordinal of the first industry of each document, as in their order.
    pub fn new(dictionary: &Dictionary, mut industry_of: Vec<u32>, docs_min: usize) -> Scopes {
        let all = 0..dictionary.len() as u32;
        let is_large = |ord: &u32| dictionary.postings(TermOrd(*ord)).len() >= docs_min;
        let industries: Vec<u32> = all.filter(is_large).collect();
        let number = |ord| industries.binary_search(&ord).map_or(0, |at| at as u32 + 1);
        let by_ord: Vec<u32> = (0..=dictionary.len() as u32).map(number).collect();
        industry_of.iter_mut().for_each(|ord| *ord = by_ord[*ord as usize]);
        Scopes { industries, industry_of }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.industries.len() + 1
    }

    /// The number of the industry of a document, or that of everywhere.
    #[inline]
    pub fn industry_of(&self, doc: u32) -> usize {
        self.industry_of[doc as usize] as usize
    }

    /// The scope with this number.
    pub fn get(&self, number: usize) -> Scope {
        let industry = number.checked_sub(1).map(|at| TermOrd(self.industries[at]));
        industry.map_or(Scope::Everywhere, Scope::Industry)
    }
}

/// The terms that at least `docs_min` documents hold, ascending.
pub fn frequent(terms: &Terms, docs_min: usize) -> Vec<TermOrd> {
    let is_frequent = |ord: &TermOrd| len_in_passing(terms, *ord) >= docs_min;
    (0..terms.len() as u32).into_par_iter().map(TermOrd).filter(is_frequent).collect()
}

/// Writes the first pages of the terms `frequent`, within industries of those that are `dense`.
/// Calls `release` now and then: the lists of terms looked at so far may be given back.
///
/// # Errors
/// The file cannot be written.
pub fn write(
    frequent: DenseTerms<'_>,
    dense: &[TermOrd],
    (scopes, bounds): (&Scopes, Bounds),
    release: impl Fn(),
    pool: &ThreadPool,
    writer: &mut SnapshotWriter,
) -> Result<(), BuildError> {
    let mut section = writer.begin(SectionKind::FirstPages);
    let mut lists = RankedListsWriter::default();
    let (workspaces, spares) = (Spares::<Workspace>::default(), Spares::<Best>::default());
    in_order(
        pool,
        ahead_of_disk(pool),
        releasing(frequent.ords, release).map(Ok),
        |&ord| {
            let (mut best, mut workspace) = (spares.lend(), workspaces.lend());
            workspace.find_longer(frequent, ord);
            let industries = dense.binary_search(&ord).is_ok().then_some(scopes);
            workspace.choose(
                &frequent.terms.lists(ord),
                scopes.count(),
                industries,
                bounds,
                &mut best,
            );
            (ord, best)
        },
        |(ord, best): (TermOrd, Lent<Best>)| {
            section.write(&packed_ints::encode(&best.docs, frequent.num_docs))?;
            for list in &best.lists {
                let row = [list.len, list.total, list.last_rank];
                lists.push(ord.0, scopes.get(list.scope), row);
            }
            Ok::<(), BuildError>(())
        },
    )?;
    Ok(section.end_with_table(&lists.into_table(), writer)?)
}

/// What pages are chosen in, of one term after the other.
#[derive(Default)]
struct Workspace {
    docs: Vec<u32>,
    /// Documents that rank for their name or an alias.
    named: Vec<(u32, Level)>,
    /// Documents with a longer word in their name that the term begins, ascending.
    longer: Vec<u32>,
    /// Documents with such a word in their host, and not in the name.
    on_host: Vec<u32>,
    /// Documents with such a word in an alias, and neither in name nor host.
    in_alias: Vec<u32>,
    /// Documents with the term in an alias, and in no field but the name besides.
    alias_only: Vec<u32>,
    /// Documents of either that do not hold the term.
    others: Vec<u32>,
    ascending: Ascending,
    by_scope: BestByScope,
}

impl Reuse for Workspace {
    fn clear(&mut self) {
        self.docs.clear();
        self.named.clear();
        self.longer.clear();
        self.on_host.clear();
        self.in_alias.clear();
        self.alias_only.clear();
        self.others.clear();
    }
}

impl Workspace {
    /// Finds the documents with a longer word in name or host that the term `ord` begins, if a
    /// query lets it stand for these.
    fn find_longer(&mut self, terms: DenseTerms<'_>, ord: TermOrd) {
        let words = terms.terms.terms_of(&[ord]);
        for word in words.iter().filter(|word| may_be_prefix(word)) {
            let longer = terms.terms.begun_by(word).all().filter(|&other| other != ord);
            for lists in longer.map(|longer| terms.terms.lists(longer)) {
                lists.in_name().for_each(|list| list.push_to(&mut self.longer));
                lists.host().iter().for_each(|list| list.push_to(&mut self.on_host));
                lists.in_alias().for_each(|list| list.push_to(&mut self.in_alias));
            }
        }
        let num_docs = terms.num_docs as usize;
        self.ascending.sort(&mut self.longer, num_docs);
        self.ascending.sort(&mut self.on_host, num_docs);
        remove(&mut self.on_host, &self.longer);
        if !self.in_alias.is_empty() {
            self.ascending.sort(&mut self.in_alias, num_docs);
            remove(&mut self.in_alias, &self.longer);
            remove(&mut self.in_alias, &self.on_host);
        }
    }

    /// Appends the first pages of a term, as a `q` of it alone ranks documents.
    fn choose(
        &mut self,
        lists: &TermLists<'_>,
        num_scopes: usize,
        industries: Option<&Scopes>,
        bounds: Bounds,
        best: &mut Best,
    ) {
        self.by_scope.make_room(num_scopes);
        lists.any().push_to(&mut self.docs);
        lists.aliases(AliasList::Only).iter().for_each(|list| list.push_to(&mut self.alias_only));
        // Of several levels of a document the first here that it is on is the best.
        let in_name = [
            (lists.name_is(), Level::NameIs),
            (lists.aliases(AliasList::Is), Level::AliasIs),
            (lists.name_starts(), Level::NameStarts),
            (lists.name_has(), Level::NameHasAll),
        ];
        let mut docs = Vec::new();
        for (list, level) in in_name {
            docs.clear();
            list.iter().for_each(|list| list.push_to(&mut docs));
            self.named.extend(docs.iter().map(|&doc| (doc, level)));
        }
        self.named.sort_unstable();
        self.named.dedup_by_key(|(doc, _)| *doc);
        let mut push = |level: Level, impact: u8, doc| {
            let industry = industries.map_or(0, |scopes| scopes.industry_of(doc));
            let rank = level.key(impact.into()) as u32;
            self.by_scope.push(best_first(rank, doc), industry, bounds.max);
        };
        // Documents that do not hold the term itself score nothing.
        let begun = [
            (&self.longer, Level::NameHasAllByPrefix),
            (&self.on_host, Level::PhraseInHostByPrefix),
            (&self.in_alias, Level::Elsewhere),
        ];
        for (docs, level) in begun {
            self.others.clone_from(docs);
            remove(&mut self.others, &self.docs);
            self.others.iter().for_each(|&doc| push(level, 0, doc));
        }
        let mut named = self.named.iter().peekable();
        let mut longer = self.longer.iter().peekable();
        let mut alias_only = self.alias_only.iter().peekable();
        for (&doc, &impact) in self.docs.iter().zip(lists.impacts()) {
            while longer.next_if(|&&other| other < doc).is_some() {}
            let is_longer = longer.next_if(|&&other| other == doc).is_some();
            let is_alias_only = alias_only.next_if(|&&other| other == doc).is_some();
            let otherwise = match (is_longer, is_alias_only) {
                (true, _) => Level::NameHasAllByPrefix,
                (false, false) => Level::PhraseElsewhere,
                (false, true) if self.on_host.binary_search(&doc).is_ok() => {
                    Level::PhraseInHostByPrefix
                }
                (false, true) => Level::Elsewhere,
            };
            let level = named.next_if(|named| named.0 == doc).map(|named| named.1);
            push(level.unwrap_or(otherwise), impact, doc);
        }
        self.by_scope.take_into(best, bounds);
    }
}
