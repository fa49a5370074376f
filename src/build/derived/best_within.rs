//! The best businesses of terms within sets: industries, or all.

use super::DenseTerms;
use super::ascending::Ascending;
use super::by_doc::releasing;
use super::by_set::{Best, BestBySet, Bounds, Key};
use super::prefixes::remove;
use crate::build::BuildError;
use crate::build::pipeline::{ahead_of_disk, in_order};
use crate::build::spares::{Lent, Reuse, Spares};
use crate::ids::TermOrd;
use crate::snapshot::best_within::{BestKinds, BestWithinWriter};
use crate::snapshot::dictionary::Dictionary;
use crate::snapshot::packed_ints;
use crate::snapshot::prefixes::may_be_prefix;
use crate::snapshot::terms::block::TermLists;
use crate::snapshot::writer::SnapshotWriter;
use rayon::ThreadPool;

/// Orders by group, then by impact, ties by `DocId`.
fn key(group: Group, impact: u8, doc: u32) -> Key {
    u64::from((group as u32) << 8 | u32::from(u8::MAX - impact)) << 32 | u64::from(doc)
}

/// How a business holds a term, best first, as a `q` of this term alone ranks it.
#[derive(Clone, Copy)]
enum Group {
    /// The name is the term.
    NameIs,
    /// The name starts with the term.
    NameStarts,
    /// The term is elsewhere in the name.
    NameHas,
    /// A longer word that begins with the term is in the name, and the term is not.
    LongerInName,
    /// The term is not in the name.
    Elsewhere,
    /// The term is nowhere; a longer word that begins with it is in the host.
    LongerInHost,
}

/// Sets of businesses.
pub trait Sets: Sync {
    /// Their numbers, ascending.
    fn numbers(&self) -> &[u32];
    /// The places of these numbers of the sets that a business is in.
    fn places_of(&self, doc: u32) -> impl Iterator<Item = usize>;
}

/// The place of the industry of a business that has none, or one of few businesses.
const NOWHERE: u32 = u32::MAX;

/// The industries of many businesses.
pub struct Industries {
    ords: Vec<u32>,
    /// Of each business.
    places: Vec<u32>,
}

impl Industries {
    /// Those of at least `docs_min` businesses. `industry_of` tells the ordinal of the first industry of each business, as
    /// in their order.
    pub fn new(industries: &Dictionary, industry_of: Vec<u32>, docs_min: usize) -> Industries {
        let all = 0..industries.len() as u32;
        let is_large = |ord: &u32| industries.postings(TermOrd(*ord)).len() >= docs_min;
        let ords: Vec<u32> = all.filter(is_large).collect();
        let place = |ord| ords.binary_search(&ord).map_or(NOWHERE, |at| at as u32);
        let by_ord: Vec<u32> = (0..=industries.len() as u32).map(place).collect();
        let mut places = industry_of;
        places.iter_mut().for_each(|ord| *ord = by_ord[*ord as usize]);
        Industries { ords, places }
    }
}

impl Sets for Industries {
    fn numbers(&self) -> &[u32] {
        &self.ords
    }

    #[inline]
    fn places_of(&self, doc: u32) -> impl Iterator<Item = usize> {
        let place = self.places[doc as usize];
        (place != NOWHERE).then_some(place as usize).into_iter()
    }
}

/// Writes the best businesses of the terms `dense` within `sets`, and gives how many there are of each term and set, in the
/// order of the lists. Calls `release` now and then: the lists of terms looked at so far may be given back.
///
/// # Errors
/// The file cannot be written.
pub fn write<S: Sets>(
    dense: DenseTerms<'_>,
    (sets, kinds): (&S, BestKinds),
    bounds: Bounds,
    release: impl Fn(),
    pool: &ThreadPool,
    writer: &mut SnapshotWriter,
) -> Result<Vec<u32>, BuildError> {
    let mut section = writer.begin(kinds.docs);
    let mut totals = Vec::new();
    let mut lists = BestWithinWriter::default();
    choose(dense, sets, bounds, release, pool, |_, best| {
        section.write(&packed_ints::encode(&best.docs, dense.num_docs))?;
        lists.push(best.lens.iter().map(|&(at, len)| (sets.numbers()[at], len)));
        totals.extend_from_slice(&best.totals);
        Ok(())
    })?;
    section.end(writer)?;
    let words = lists.into_words();
    writer.section(kinds.lists, bytemuck::cast_slice(&words))?;
    Ok(totals)
}

/// Calls `take` with each of `terms`, in order, and its best businesses within `sets`. Calls `release` now and then, as
/// [`write`] does.
///
/// # Errors
/// That of `take`.
pub fn choose<S: Sets>(
    terms: DenseTerms<'_>,
    sets: &S,
    bounds: Bounds,
    release: impl Fn(),
    pool: &ThreadPool,
    mut take: impl FnMut(TermOrd, &Best) -> Result<(), BuildError>,
) -> Result<(), BuildError> {
    let (workspaces, spares) = (Spares::<Workspace>::default(), Spares::<Best>::default());
    in_order(
        pool,
        ahead_of_disk(pool),
        releasing(terms.ords, release).map(Ok),
        |&ord| {
            let (mut best, mut workspace) = (spares.lend(), workspaces.lend());
            workspace.find_longer(terms, ord);
            workspace.choose(&terms.terms.lists(ord), sets, bounds, &mut best);
            (ord, best)
        },
        |(ord, best): (TermOrd, Lent<Best>)| take(ord, &best),
    )
}

/// What the best are chosen in, of one term after the other.
#[derive(Default)]
struct Workspace {
    docs: Vec<u32>,
    /// Businesses with the term in their name.
    named: Vec<(u32, Group)>,
    /// Businesses with a longer word in their name that the term begins, ascending.
    longer: Vec<u32>,
    /// The same of their host, and not in the name.
    on_host: Vec<u32>,
    /// Those of either that do not hold the term.
    others: Vec<u32>,
    ascending: Ascending,
    by_set: BestBySet,
}

impl Reuse for Workspace {
    fn clear(&mut self) {
        self.docs.clear();
        self.named.clear();
        self.longer.clear();
        self.on_host.clear();
        self.others.clear();
    }
}

impl Workspace {
    /// Finds the businesses with a longer word in name or host that the term `ord` begins, if a query lets it stand for
    /// these.
    fn find_longer(&mut self, dense: DenseTerms<'_>, ord: TermOrd) {
        let words = dense.terms.terms_of(&[ord]);
        for word in words.iter().filter(|word| may_be_prefix(word)) {
            let longer = dense.terms.begun_by(word).all().filter(|&other| other != ord);
            for lists in longer.map(|longer| dense.terms.lists(longer)) {
                lists.in_name().for_each(|list| list.push_to(&mut self.longer));
                lists.host().iter().for_each(|list| list.push_to(&mut self.on_host));
            }
        }
        let num_docs = dense.num_docs as usize;
        self.ascending.sort(&mut self.longer, num_docs);
        self.ascending.sort(&mut self.on_host, num_docs);
        remove(&mut self.on_host, &self.longer);
    }

    /// Appends the best businesses of a term within each set that has enough of them.
    fn choose<S: Sets>(
        &mut self,
        lists: &TermLists<'_>,
        sets: &S,
        bounds: Bounds,
        best: &mut Best,
    ) {
        self.by_set.make_room(sets.numbers().len());
        lists.any().push_to(&mut self.docs);
        let in_name = [
            (lists.name_is(), Group::NameIs),
            (lists.name_starts(), Group::NameStarts),
            (lists.name_has(), Group::NameHas),
        ];
        let mut docs = Vec::new();
        for (list, group) in in_name {
            docs.clear();
            list.iter().for_each(|list| list.push_to(&mut docs));
            self.named.extend(docs.iter().map(|&doc| (doc, group)));
        }
        self.named.sort_unstable_by_key(|(doc, _)| *doc);
        let mut push = |group, impact, doc| {
            let key = key(group, impact, doc);
            sets.places_of(doc).for_each(|at| self.by_set.push(at, key, bounds.max));
        };
        // Whoever does not hold the term itself scores nothing.
        let begun = [(&self.longer, Group::LongerInName), (&self.on_host, Group::LongerInHost)];
        for (docs, group) in begun {
            self.others.clone_from(docs);
            remove(&mut self.others, &self.docs);
            self.others.iter().for_each(|&doc| push(group, 0, doc));
        }
        let mut named = self.named.iter().peekable();
        let mut longer = self.longer.iter().peekable();
        for (&doc, &impact) in self.docs.iter().zip(lists.impacts()) {
            while longer.next_if(|&&other| other < doc).is_some() {}
            let is_longer = longer.next_if(|&&other| other == doc).is_some();
            let otherwise = if is_longer { Group::LongerInName } else { Group::Elsewhere };
            let group = named.next_if(|named| named.0 == doc).map(|named| named.1);
            push(group.unwrap_or(otherwise), impact, doc);
        }
        self.by_set.take_into(best, bounds);
    }
}
