//! Documents that rank first for a word or a phrase, wherever or within an industry.
//!
//! Of a million documents with a word, some ten thousand are of an industry. Which of them rank
//! first is told neither by the word, whose best are mostly of other industries, nor by the
//! industry: all would have to be scored.
//!
//! ```text
//! FirstPages := TABLED of DOC^ (packed) of each list, joined, and
//!               KEY^LISTS (u64, ascending), END^LISTS, TOTAL^LISTS, LAST^LISTS (u32)
//! TierBest   := TABLED of the same, without TOTAL and LAST
//! KEY        := OWNER << 32 | SCOPE
//! ```
//!
//! SCOPE is 0 for everywhere, or the ordinal of an industry and 1; as in the [order by
//! industry](super::industry_order), a document is of one. Documents of a list stand best first,
//! and end at END.
//!
//! A first page is a whole answer: OWNER is a term, and its list begins what a `q` of this word
//! finds, which may stand for longer words that it begins. TOTAL documents match, and LAST is the
//! [relevance key](crate::ranking) of the last that is stored, behind which a second page begins.
//!
//! The best of a tier serve whatever else is asked for: OWNER is the place of a pair among
//! [`phrases`](super::phrases), and its list begins the documents that hold the phrase, by text
//! score, ties by `DocId`.

use crate::bytes::cast;
use crate::ids::TermOrd;
use crate::snapshot::encoding::packed_ints::PackedInts;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::mapped::Section;

/// The documents among which some rank first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// All.
    Everywhere,
    /// Documents of an industry.
    Industry(TermOrd),
}

fn key(owner: u32, scope: Scope) -> u64 {
    let scope = match scope {
        Scope::Everywhere => 0,
        Scope::Industry(ord) => ord.0 + 1,
    };
    u64::from(owner) << 32 | u64::from(scope)
}

/// The first pages of words.
pub struct FirstPages {
    lists: RankedLists<3>,
}

/// The first page of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FirstPage<'a> {
    /// Its documents, best first.
    pub docs: PackedInts<'a>,
    /// How many documents match.
    pub total: u64,
    /// The relevance key of the last of `docs`.
    pub last_key: u64,
}

impl FirstPages {
    /// Opens the pages and checks them completely.
    ///
    /// # Errors
    /// Lists do not join, are of what is not there, or hold more than match.
    pub fn open(
        [section]: [Section; 1],
        num_docs: u32,
        num_terms: usize,
        num_industries: usize,
    ) -> Result<FirstPages, SnapshotError> {
        let lists = RankedLists::open(&section, num_docs, num_terms, num_industries)?;
        let [ends, totals, _] = lists.table().columns;
        let mut start = 0;
        let fit = ends.iter().zip(totals).all(|(&end, &total)| {
            let len = end - start;
            start = end;
            len <= total && total <= num_docs
        });
        if fit { Ok(FirstPages { lists }) } else { Err(section.damaged("a total does not fit")) }
    }

    /// The page of a term.
    pub fn get(&self, term: TermOrd, scope: Scope) -> Option<FirstPage<'_>> {
        let (docs, [_, total, last_key]) = self.lists.get(term.0, scope)?;
        Some(FirstPage { docs, total: total.into(), last_key: last_key.into() })
    }
}

/// The best documents of phrases.
pub struct TierBest {
    lists: RankedLists<1>,
}

impl TierBest {
    /// Opens the lists and checks them completely.
    ///
    /// # Errors
    /// Lists do not join, or are of what is not there.
    pub fn open(
        [section]: [Section; 1],
        num_docs: u32,
        num_phrases: usize,
        num_industries: usize,
    ) -> Result<TierBest, SnapshotError> {
        let lists = RankedLists::open(&section, num_docs, num_phrases, num_industries)?;
        Ok(TierBest { lists })
    }

    /// The best of the phrase at `place`.
    pub fn get(&self, place: usize, scope: Scope) -> Option<PackedInts<'_>> {
        self.lists.get(place as u32, scope).map(|(docs, _)| docs)
    }
}

/// Lists of documents by key, each with `COLUMNS` numbers, of which the first is its END.
struct RankedLists<const COLUMNS: usize> {
    docs: Section,
    table: Section,
    num_docs: u32,
}

/// The parts of the table.
struct Table<'a, const COLUMNS: usize> {
    keys: &'a [u64],
    columns: [&'a [u32]; COLUMNS],
}

impl<const COLUMNS: usize> RankedLists<COLUMNS> {
    /// Bytes of the table for each list.
    const ROW: usize = size_of::<u64>() + COLUMNS * size_of::<u32>();

    fn open(
        section: &Section,
        num_docs: u32,
        num_owners: usize,
        num_industries: usize,
    ) -> Result<RankedLists<COLUMNS>, SnapshotError> {
        let [docs, table] = section.split_table()?;
        let all = docs.checked_packed(num_docs)?.len();
        if !table.as_ref().len().is_multiple_of(Self::ROW) {
            return Err(section.damaged("a row of its table is cut off"));
        }
        let lists = RankedLists { docs, table, num_docs };
        let Table { keys, columns } = lists.table();
        let is_there = |&key: &u64| {
            key >> 32 < num_owners as u64 && key & u64::from(u32::MAX) <= num_industries as u64
        };
        if !keys.windows(2).all(|pair| pair[0] < pair[1]) || !keys.iter().all(is_there) {
            return Err(section.damaged("keys do not ascend, or are of what is not there"));
        }
        let ends = columns[0];
        let join = ends.windows(2).all(|pair| pair[0] < pair[1]) && ends.first() != Some(&0);
        if !join || ends.last().map_or(0, |&end| end as usize) != all {
            return Err(section.damaged("lists do not join"));
        }
        Ok(lists)
    }

    fn table(&self) -> Table<'_, COLUMNS> {
        let table = self.table.as_ref();
        let len = table.len() / Self::ROW;
        let (keys, columns) = table.split_at(len * size_of::<u64>());
        let columns: &[u32] = cast(columns);
        let column = |at: usize| &columns[at * len..(at + 1) * len];
        Table { keys: cast(keys), columns: std::array::from_fn(column) }
    }

    fn get(&self, owner: u32, scope: Scope) -> Option<(PackedInts<'_>, [u32; COLUMNS])> {
        let Table { keys, columns } = self.table();
        let at = keys.binary_search(&key(owner, scope)).ok()?;
        let start = at.checked_sub(1).map_or(0, |before| columns[0][before]);
        let row = columns.map(|column| column[at]);
        let all = PackedInts::read(self.docs.as_ref(), self.num_docs);
        Some((all.slice(start as usize, row[0] as usize), row))
    }
}

/// Collects the table of lists, as their documents are written.
#[derive(Debug)]
pub struct RankedListsWriter<const COLUMNS: usize> {
    keys: Vec<u64>,
    columns: [Vec<u32>; COLUMNS],
}

impl<const COLUMNS: usize> Default for RankedListsWriter<COLUMNS> {
    fn default() -> RankedListsWriter<COLUMNS> {
        RankedListsWriter { keys: Vec::new(), columns: [const { Vec::new() }; COLUMNS] }
    }
}

impl<const COLUMNS: usize> RankedListsWriter<COLUMNS> {
    /// The next list, behind the others by owner and scope: its row, with how many documents it has
    /// in place of END.
    pub fn push(&mut self, owner: u32, scope: Scope, mut row: [u32; COLUMNS]) {
        row[0] += self.columns[0].last().copied().unwrap_or_default();
        self.keys.push(key(owner, scope));
        self.columns.iter_mut().zip(row).for_each(|(column, number)| column.push(number));
    }

    /// The table.
    pub fn into_table(self) -> Vec<u8> {
        let columns = self.columns.iter().map(|column| bytemuck::cast_slice(column));
        [bytemuck::cast_slice(&self.keys)].into_iter().chain(columns).collect::<Vec<_>>().concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::file::section_kind::SectionKind;

    const KIND: SectionKind = SectionKind::FirstPages;

    /// A section of these documents, of a hundred: a byte each.
    fn section(docs: &[u8], table: &[u8]) -> [Section; 1] {
        let padding = &[0; 8][..docs.len().next_multiple_of(8) - docs.len()];
        let len = (docs.len() as u64).to_le_bytes();
        [Section::copy(KIND, &[docs, padding, table, &len].concat())]
    }

    fn pages(docs: &[u8], rows: &[(u32, Scope, [u32; 3])]) -> Result<FirstPages, SnapshotError> {
        let mut writer = RankedListsWriter::default();
        rows.iter().for_each(|&(owner, scope, row)| writer.push(owner, scope, row));
        FirstPages::open(section(docs, &writer.into_table()), 100, 9, 5)
    }

    const DOCS: [u8; 6] = [50, 7, 99, 1, 2, 4];
    const GOOD: [(u32, Scope, [u32; 3]); 3] = [
        (2, Scope::Everywhere, [2, 2, 0]),
        (2, Scope::Industry(TermOrd(4)), [3, 70, 1 << 20]),
        (8, Scope::Industry(TermOrd(0)), [1, 100, 9]),
    ];

    #[test]
    fn what_was_written_is_found() {
        let opened = pages(&DOCS, &GOOD).map_err(|error| error.to_string()).unwrap();
        let page = |docs, total, last_key| {
            Some(FirstPage { docs: PackedInts::read(docs, 100), total, last_key })
        };
        let found = GOOD.map(|(owner, scope, _)| opened.get(TermOrd(owner), scope));
        let expected =
            [page(&DOCS[..2], 2, 0), page(&DOCS[2..5], 70, 1 << 20), page(&DOCS[5..], 100, 9)];
        assert_eq!(found, expected);
        assert_eq!(opened.get(TermOrd(8), Scope::Everywhere), None);
        assert_eq!(opened.get(TermOrd(2), Scope::Industry(TermOrd(3))), None);
        assert!(pages(&[], &[]).is_ok());
        let mut writer = RankedListsWriter::default();
        writer.push(1, Scope::Everywhere, [2]);
        let best = TierBest::open(section(&[3, 4], &writer.into_table()), 100, 2, 0);
        let best = best.map_err(|error| error.to_string()).unwrap();
        assert_eq!(best.get(1, Scope::Everywhere), Some(PackedInts::read(&[3, 4], 100)));
        assert_eq!(best.get(0, Scope::Everywhere), None);
    }

    #[test]
    fn what_no_build_writes_is_refused() {
        assert!(pages(&DOCS[..5], &GOOD).is_err());
        assert!(pages(&[50, 7, 99, 1, 2, 100], &GOOD).is_err());
        let [first, second, third] = GOOD;
        for rows in [
            [second, first, third],
            [first, first, third],
            [first, second, (9, third.1, third.2)],
            [first, second, (8, Scope::Industry(TermOrd(5)), third.2)],
            // None of a list; more than match; more than there are.
            [(2, first.1, [0, 2, 0]), (2, second.1, [5, 70, 0]), third],
            [(2, first.1, [2, 1, 0]), second, third],
            [first, second, (8, third.1, [1, 101, 9])],
        ] {
            assert!(pages(&DOCS, &rows).is_err(), "{rows:?}");
        }
        assert!(FirstPages::open(section(&[], &[0; 19]), 100, 9, 5).is_err());
        for bytes in [&[][..], &[0; 7], &[1, 0, 0, 0, 0, 0, 0, 0], &[9, 1, 0, 0, 0, 0, 0, 0, 1]] {
            let section = Section::copy(KIND, bytes);
            assert!(FirstPages::open([section], 100, 9, 5).is_err(), "{bytes:?}");
        }
    }
}
