//! Where three frequent words stand next to each other.
//!
//! [Stored phrases](super::phrases) tell where the first two do, and the last two: of `Technologies S.A` these are two long
//! lists that share many businesses, each of which would have to be read, and of `S.r.l` too. For the triples of words
//! that many names hold, the businesses in which they are a phrase in some field are stored.
//!
//! ```text
//! PhraseTriples        := { FIRST << 32 | SECOND << 16 | THIRD (u64, ascending), START (u64) }
//! PhraseTriplePostings := POSTINGS of each, joined
//! ```
//!
//! FIRST, SECOND and THIRD are numbers of [dense terms](super::dense), START is the byte at which the list begins.

use super::error::SnapshotError;
use super::mapped::Section;
use super::postings::Postings;
use crate::bytes::cast;

/// One entry of `PhraseTriples`.
type Entry = [u64; 2];

/// The stored triples of a snapshot.
pub struct StoredTriples {
    triples: Section,
    postings: Section,
}

impl StoredTriples {
    /// Opens the triples of `num_terms` dense terms and checks them completely.
    ///
    /// # Errors
    /// They do not ascend, are of other terms, or their lists do not join.
    pub fn open(
        [postings, triples]: [Section; 2],
        num_docs: u32,
        num_terms: usize,
    ) -> Result<StoredTriples, SnapshotError> {
        let damaged = |reason| Err(triples.damaged(reason));
        let entries: &[Entry] = triples.checked_slice()?;
        if !entries.windows(2).all(|pair| pair[0][0] < pair[1][0]) {
            return damaged("triples do not ascend");
        }
        let are_terms = entries.iter().all(|[key, _]| {
            key >> 48 == 0
                && [32, 16, 0].iter().all(|shift| (key >> shift & 0xffff) < num_terms as u64)
        });
        if !are_terms {
            return damaged("a triple has a word that is not there");
        }
        let bytes = postings.as_ref();
        let mut end = 0;
        for &[_, start] in entries {
            let Some(rest) = bytes.get(end..).filter(|_| start == end as u64) else {
                return damaged("lists of triples do not join");
            };
            end += Postings::check(rest, num_docs, postings.kind())?;
        }
        if end != bytes.len() {
            return damaged("bytes follow the last list of a triple");
        }
        Ok(StoredTriples { triples, postings })
    }

    /// The businesses in which the dense terms with these numbers are a phrase, if they are stored.
    pub fn get(&self, numbers: [usize; 3]) -> Option<Postings<'_>> {
        let entries: &[Entry] = cast(self.triples.as_ref());
        let at = entries.binary_search_by_key(&key(numbers), |&[key, _]| key).ok()?;
        Some(Postings::front(&self.postings.as_ref()[entries[at][1] as usize..]))
    }
}

/// Three numbers as one.
fn key([first, second, third]: [usize; 3]) -> u64 {
    (first as u64) << 32 | (second as u64) << 16 | third as u64
}

/// The entry of a triple whose list begins at `start`.
pub fn entry(numbers: [usize; 3], start: u64) -> Entry {
    [key(numbers), start]
}

#[cfg(test)]
mod tests {
    use super::super::sections::SectionKind;
    use super::*;
    use crate::snapshot::postings;

    fn opened(entries: &[Entry], lists: &[u8]) -> Result<StoredTriples, SnapshotError> {
        let sections = [
            Section::copy(SectionKind::PhraseTriplePostings, lists),
            Section::copy(SectionKind::PhraseTriples, bytemuck::cast_slice(entries)),
        ];
        StoredTriples::open(sections, 100, 9)
    }

    #[test]
    fn what_was_written_is_found_and_nothing_else_is_opened() {
        let (mut lists, mut starts) = (Vec::new(), Vec::new());
        for docs in [&[3u32, 50, 99][..], &[7]] {
            starts.push(lists.len() as u64);
            postings::encode(docs, &mut lists);
        }
        let good = [entry([1, 8, 0], starts[0]), entry([2, 2, 1], starts[1])];
        let triples = opened(&good, &lists).unwrap_or_else(|error| panic!("{error}"));
        let docs = |numbers| {
            triples.get(numbers).map(|list| {
                let mut docs = Vec::new();
                list.push_to(&mut docs);
                docs
            })
        };
        assert_eq!(docs([1, 8, 0]), Some(vec![3, 50, 99]));
        assert_eq!(docs([2, 2, 1]), Some(vec![7]));
        assert_eq!((docs([2, 2, 2]), docs([8, 1, 0])), (None, None));
        assert!(opened(&[], &[]).is_ok());
        let [first, second] = good;
        for bad in [
            vec![second, first],
            vec![first, first],
            vec![first, [second[0], starts[1] + 8]],
            vec![first],
            vec![first, entry([2, 9, 1], starts[1])],
            vec![first, [1 << 48 | second[0], starts[1]]],
        ] {
            assert!(opened(&bad, &lists).is_err(), "{bad:?}");
        }
        assert!(opened(&good, &lists[..lists.len() - 8]).is_err());
    }
}
