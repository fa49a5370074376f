//! Employee counts: the businesses with each, which stand side by side.
//!
//! ```text
//! EmployeeCounts := RUNS (u64), COUNT^RUNS (u64, descending), END^RUNS (u32, ascending)
//! ```
//!
//! The static order begins with the employee count, so that the businesses with one count are a run
//! of `DocId`s. END is where it ends, and the next one begins; behind the last stand those of
//! unknown count. Ten million generated businesses have 13,581 counts, 163 kB, which the processor
//! keeps near: a bound in a query is looked for there. A column of 8 bytes a business takes 370
//! times as much, and a dozen reads of memory for a bound.

use crate::bytes::cast;
use crate::ids::DocId;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::mapped::Section;

/// Bytes before the first count.
const HEAD: usize = size_of::<u64>();

/// Bytes of a count and of an end.
const RUN: usize = size_of::<u64>() + size_of::<u32>();

/// Who has how many employees.
#[derive(Debug)]
pub struct EmployeeCounts {
    section: Section,
    num_runs: usize,
}

impl EmployeeCounts {
    /// Opens the counts and checks them completely.
    ///
    /// # Errors
    /// Counts do not descend, or ends do not ascend up to the number of businesses.
    pub fn open(section: Section, num_docs: u32) -> Result<EmployeeCounts, SnapshotError> {
        let damaged = |section: &Section, reason| Err(section.damaged(reason));
        let bytes = section.as_ref();
        let num_runs = bytes.first_chunk().map(|head| u64::from_le_bytes(*head) as usize);
        let len = num_runs.and_then(|runs| runs.checked_mul(RUN)?.checked_add(HEAD));
        let (Some(num_runs), true) = (num_runs, len == Some(bytes.len())) else {
            return damaged(&section, "one count and one end for each run is expected");
        };
        let opened = EmployeeCounts { section, num_runs };
        if !opened.counts().windows(2).all(|pair| pair[0] > pair[1]) {
            return damaged(&opened.section, "counts do not descend");
        }
        let ends = opened.ends();
        let ascend = ends.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascend || ends.first() == Some(&0) || ends.last().is_some_and(|&end| end > num_docs) {
            return damaged(&opened.section, "ends do not ascend up to the number of businesses");
        }
        Ok(opened)
    }

    /// How many businesses have a count; those with the smallest `DocId`s.
    #[allow(clippy::len_without_is_empty)] // nobody asks
    pub fn len(&self) -> u32 {
        self.ends().last().copied().unwrap_or_default()
    }

    /// The count of a business, if it has one.
    pub fn get(&self, doc: DocId) -> Option<u64> {
        self.counts().get(self.ends().partition_point(|&end| end <= doc.0)).copied()
    }

    /// How many businesses have more employees than `count`.
    pub fn above(&self, count: u64) -> u32 {
        self.end_before(self.counts().partition_point(|&other| other > count))
    }

    /// How many businesses have `count` employees or more.
    pub fn at_least(&self, count: u64) -> u32 {
        self.end_before(self.counts().partition_point(|&other| other >= count))
    }

    /// Where the run of each count ends, descending by count.
    pub(crate) fn ends(&self) -> &[u32] {
        cast(&self.section.as_ref()[HEAD + self.num_runs * size_of::<u64>()..])
    }

    fn counts(&self) -> &[u64] {
        cast(&self.section.as_ref()[HEAD..HEAD + self.num_runs * size_of::<u64>()])
    }

    fn end_before(&self, run: usize) -> u32 {
        run.checked_sub(1).map_or(0, |last| self.ends()[last])
    }
}

/// The bytes of `EmployeeCounts`, of the counts of the businesses that have one, by `DocId`.
pub fn encode(counts: &[u64]) -> Vec<u8> {
    let runs: Vec<&[u64]> = counts.chunk_by(|a, b| a == b).collect();
    let mut bytes = (runs.len() as u64).to_le_bytes().to_vec();
    bytes.extend(runs.iter().flat_map(|run| run[0].to_le_bytes()));
    let mut end = 0u32;
    for run in runs {
        end += run.len() as u32;
        bytes.extend(end.to_le_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::file::section_kind::SectionKind;
    use proptest::prelude::*;

    fn open(bytes: &[u8], num_docs: u32) -> Result<EmployeeCounts, SnapshotError> {
        let section = Section::copy(SectionKind::EmployeeCounts, bytes);
        EmployeeCounts::open(section, num_docs)
    }

    proptest! {
        #[test]
        fn runs_tell_what_a_column_tells(
            mut counts in prop::collection::vec(prop_oneof![0u64..6, Just(u64::MAX)], 0..40),
            without in 0u32..3,
        ) {
            counts.sort_unstable_by_key(|&count| std::cmp::Reverse(count));
            let num_docs = counts.len() as u32 + without;
            let runs = open(&encode(&counts), num_docs).unwrap();
            prop_assert_eq!(runs.len() as usize, counts.len());
            for doc in 0..num_docs {
                prop_assert_eq!(runs.get(DocId(doc)), counts.get(doc as usize).copied());
            }
            for bound in (0..8).chain([u64::MAX]) {
                let having = |is: fn(u64, u64) -> bool| {
                    counts.iter().filter(|&&count| is(count, bound)).count()
                };
                prop_assert_eq!(runs.above(bound) as usize, having(|count, bound| count > bound));
                prop_assert_eq!(runs.at_least(bound) as usize, having(|count, bound| count >= bound));
            }
        }

        #[test]
        fn only_what_descends_within_the_businesses_is_opened(
            counts in prop::collection::vec(0u64..9, 0..5),
            ends in prop::collection::vec(0u32..9, 0..5),
            num_runs in 0u64..5,
            num_docs in 0u32..9,
        ) {
            let mut bytes = num_runs.to_le_bytes().to_vec();
            bytes.extend(counts.iter().flat_map(|count| count.to_le_bytes()));
            bytes.extend(ends.iter().flat_map(|end| end.to_le_bytes()));
            let bounds: Vec<u32> = [0].into_iter().chain(ends.iter().copied()).collect();
            let fits = counts.len() == ends.len()
                && counts.len() as u64 == num_runs
                && counts.windows(2).all(|pair| pair[0] > pair[1])
                && bounds.windows(2).all(|pair| pair[0] < pair[1])
                && bounds.last().is_some_and(|&end| end <= num_docs);
            // Two ends take the bytes of a count, so that numbers of both kinds may be read
            // otherwise than meant.
            if counts.len() as u64 == num_runs {
                prop_assert_eq!(open(&bytes, num_docs).is_ok(), fits);
            } else {
                let _ = open(&bytes, num_docs);
            }
        }
    }

    #[test]
    fn heads_that_promise_too_much_are_refused() {
        for head in [1, u64::MAX / RUN as u64, u64::MAX] {
            assert!(open(&head.to_le_bytes(), 9).is_err(), "{head}");
        }
        assert!(open(&[0; 7], 9).is_err());
    }
}
