//! Sort orders: from position to `DocId`, and from `DocId` to position, the rank.
//!
//! ```text
//! ORDER  := DOC^N (by position), RANK^N (by DocId), both packed
//! GROUPS := WORD^(N / 64, rounded up) (u64): bit b of word w is set if a new name begins at position 64 w + b
//! ```
//!
//! Two orders are stored: by name and by founding year, both ascending. Descending by employees is
//! the `DocId` order itself. Each of the other three is one of these with the *groups* of equal
//! values in reverse, those without a value still last, and every group as it is, since ties keep
//! the static order. Where groups begin is stored for names; for counts and years it is found while
//! opening, one bit a business each.

mod permutation;

pub use permutation::{Docs, Group, Permutation};

use super::employee_counts::EmployeeCounts;
use crate::bytes::cast;
use crate::snapshot::encoding::equal_runs::Groups;
use crate::snapshot::encoding::packed_ints;
use crate::snapshot::encoding::packed_ints::PackedInts;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::mapped::Section;
use crate::snapshot::file::writer::SnapshotWriter;

/// The sort orders of a snapshot.
pub struct SortOrders {
    num_docs: u32,
    employee_counts: EmployeeCounts,
    founded_years: Section,
    names: Section,
    name_groups: Groups,
    year_order: Section,
    year_groups: Groups,
    /// How many businesses have a year.
    with_year: usize,
    count_groups: Groups,
    /// How many businesses have an employee count.
    with_count: usize,
}

/// An order that is stored, by its number among the positions of filters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoredOrder {
    /// By name, ascending.
    Name,
    /// By founding year, oldest first, unknown last.
    FoundedYear,
}

impl SortOrders {
    /// Opens the orders, and the columns that they are by, and checks them completely.
    ///
    /// # Errors
    /// A column has not one value for each document, an order is no bijection with its inverse,
    /// years do not ascend, or the groups of names are of other names.
    pub fn open(
        [employee_counts, founded_years, names, name_groups, year_order]: [Section; 5],
        num_docs: u32,
    ) -> Result<SortOrders, SnapshotError> {
        let employee_counts = EmployeeCounts::open(employee_counts, num_docs)?;
        let years: &[u16] = founded_years.checked_slice()?;
        if years.len() != num_docs as usize {
            return Err(founded_years.damaged("one year per business is expected"));
        }
        check(&names, num_docs)?;
        let name_groups = Groups::open(name_groups, num_docs as usize)?;
        check(&year_order, num_docs)?;
        let (docs, _) = parts(&year_order, num_docs);
        // Less one, so that none (0) is last.
        let year = |doc: u32| years[doc as usize].wrapping_sub(1);
        if !docs.all_neighbours(|a, b| (year(a), a) < (year(b), b)) {
            return Err(year_order.damaged("years do not ascend"));
        }
        let with_year = docs.partition_point(|doc| years[doc as usize] != 0);
        let year_groups = Groups::from_values(docs.len(), |at| years[docs.get(at) as usize]);
        let with_count = employee_counts.len() as usize;
        let count_groups = Groups::from_ends(with_count, employee_counts.ends());
        Ok(SortOrders {
            num_docs,
            employee_counts,
            founded_years,
            names,
            name_groups,
            year_order,
            year_groups,
            with_year,
            count_groups,
            with_count,
        })
    }

    /// The column of employee counts.
    #[inline]
    pub fn employee_counts(&self) -> &EmployeeCounts {
        &self.employee_counts
    }

    /// The column of founding years; 0 where a year is not known.
    #[inline]
    pub fn founded_years(&self) -> &[u16] {
        cast(self.founded_years.as_ref())
    }

    /// By name, ascending.
    pub fn name_ascending(&self) -> Permutation<'_> {
        self.permutation(Some(&self.names), APART, None)
    }

    /// By name, descending.
    pub fn name_descending(&self) -> Permutation<'_> {
        self.permutation(
            Some(&self.names),
            APART,
            Some((&self.name_groups, self.num_docs as usize)),
        )
    }

    /// By employee count, fewest first, unknown last.
    pub fn employee_count_ascending(&self) -> Permutation<'_> {
        self.permutation(None, ASCENDING, Some((&self.count_groups, self.with_count)))
    }

    /// By founding year, oldest first, unknown last.
    pub fn founded_year_ascending(&self) -> Permutation<'_> {
        self.permutation(Some(&self.year_order), ASCENDING, None)
    }

    /// By founding year, youngest first, unknown last.
    pub fn founded_year_descending(&self) -> Permutation<'_> {
        let reversed = Some((&self.year_groups, self.with_year));
        self.permutation(Some(&self.year_order), ASCENDING, reversed)
    }

    fn permutation<'a>(
        &'a self,
        section: Option<&'a Section>,
        step_cost: u64,
        reversed: Option<(&'a Groups, usize)>,
    ) -> Permutation<'a> {
        let stored = section.map(|section| parts(section, self.num_docs));
        Permutation { stored, len: self.num_docs as usize, step_cost, reversed }
    }
}

/// What a [step](Permutation::step_cost) costs where businesses of one value stand in `DocId`
/// order, one after the other.
const ASCENDING: u64 = 1;

/// Cost of a step where neighbours stand anywhere: names.
const APART: u64 = 2;

/// Proves that the section is a bijection with its inverse.
fn check(section: &Section, num_docs: u32) -> Result<(), SnapshotError> {
    let numbers = section.checked_packed(num_docs)?;
    if numbers.len() != num_docs as usize * 2 {
        return Err(section.damaged("wrong number of positions"));
    }
    let (docs, ranks) = parts(section, num_docs);
    if !docs.all(|position, doc| ranks.get(doc as usize) as usize == position) {
        return Err(section.damaged("permutation and ranks do not fit"));
    }
    Ok(())
}

/// The businesses of an order by position, and their positions by `DocId`.
#[inline]
pub fn parts(section: &Section, num_docs: u32) -> (PackedInts<'_>, PackedInts<'_>) {
    PackedInts::read(section.as_ref(), num_docs).split_at(num_docs as usize)
}

/// Writes the order in which `docs` lists all documents.
///
/// # Errors
/// The file cannot be written.
pub fn write(
    kind: SectionKind,
    docs: &[u32],
    writer: &mut SnapshotWriter,
) -> Result<(), SnapshotError> {
    let mut ranks = vec![0u32; docs.len()];
    for (position, &doc) in docs.iter().enumerate() {
        ranks[doc as usize] = position as u32;
    }
    let mut section = writer.begin(kind);
    packed_ints::write(&mut section, docs, docs.len() as u32)?;
    packed_ints::write(&mut section, &ranks, docs.len() as u32)?;
    section.end(writer)
}
