//! Businesses by the hosts of their websites.
//!
//! ```text
//! HostBuckets := u32^(B + 1): how many hosts stand before each bucket; the last is their number
//! HostEntries := HOST for each host
//! HOST        := CHECK (u32), ENTRY
//! ```
//!
//! Of hosts, only whole ones are looked up, and nearly every business has one of its own: so they
//! are found by a hash, in 9 bytes a host, all but half a byte of it in one cache line, and no
//! host's name is stored again. The hash is BLAKE3 of the
//! [name](crate::analyzer::host::Host::name), hosts stand in its order. Its first bits are the
//! number of the bucket, of which there are B, the greatest power of two up to an eighth of the
//! businesses; the next 32 are CHECK. ENTRY is in
//! [`entries`](crate::snapshot::encoding::postings_ref).
//!
//! Hosts that agree in all these bits are rare, but neither those nor a host that nobody has may be
//! taken for another: the websites of the first business of the list tell.

use crate::bytes::cast;
use crate::snapshot::encoding::postings::Postings;
use crate::snapshot::encoding::postings_ref::{EntryLists, place_of};
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::mapped::Section;

/// Businesses for each bucket, at least.
const DOCS_TOGETHER: u32 = 8;

/// What hosts are told apart by while they are brought together: so many bits of a cryptographic
/// hash that no two hosts that anybody could find have the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct HostHash(u128);

impl HostHash {
    /// Of a host's name.
    pub fn of(name: &str) -> HostHash {
        let hash = blake3::hash(name.as_bytes());
        HostHash::from_bytes(*hash.as_bytes().first_chunk().expect("32 bytes"))
    }

    /// As bytes that order like hashes.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    /// What [`to_bytes`](Self::to_bytes) gave.
    pub fn from_bytes(bytes: [u8; 16]) -> HostHash {
        HostHash(u128::from_be_bytes(bytes))
    }

    /// Bucket and CHECK, where buckets are told apart by so many bits.
    fn place(self, bits: u32) -> (usize, u32) {
        let first = (self.0 >> 64) as u64;
        let bucket = first.checked_shr(u64::BITS - bits).unwrap_or_default();
        (bucket as usize, (first << bits >> 32) as u32)
    }
}

/// How many bits tell buckets apart.
fn bucket_bits(num_docs: u32) -> u32 {
    (num_docs / DOCS_TOGETHER).max(1).ilog2()
}

/// Counts hosts by buckets, as they are written.
pub struct Buckets {
    bits: u32,
    /// How many hosts are in the bucket before.
    counts: Vec<u32>,
}

impl Buckets {
    /// No hosts yet, of so many businesses.
    pub fn new(num_docs: u32) -> Buckets {
        let bits = bucket_bits(num_docs);
        Buckets { bits, counts: vec![0; (1 << bits) + 1] }
    }

    /// Counts the next host, and returns its CHECK.
    pub fn push(&mut self, hash: HostHash) -> u32 {
        let (bucket, check) = hash.place(self.bits);
        self.counts[bucket + 1] += 1;
        check
    }

    /// How many hosts stand before each bucket, and before the end.
    pub fn finish(mut self) -> Vec<u32> {
        let mut before = 0;
        for count in &mut self.counts {
            before += *count;
            *count = before;
        }
        self.counts
    }
}

/// The hosts of a snapshot.
pub struct Hosts {
    bits: u32,
    buckets: Section,
    entries: Section,
    lists: EntryLists,
}

impl Hosts {
    /// Opens the hosts and checks all but whether they are those of the businesses.
    ///
    /// # Errors
    /// Buckets do not join, hosts are out of order, or lists are not as
    /// [`entries`](crate::snapshot::encoding::postings_ref) has them.
    pub fn open(
        [buckets, entries, postings]: [Section; 3],
        num_docs: u32,
    ) -> Result<Hosts, SnapshotError> {
        let bits = bucket_bits(num_docs);
        let starts: &[u32] = buckets.checked_slice()?;
        let hosts: &[[u32; 2]] = entries.checked_slice()?;
        if starts.len() != (1 << bits) + 1 {
            return Err(buckets.damaged("wrong number of buckets"));
        }
        let ascend = starts.windows(2).fold(true, |ascend, pair| ascend & (pair[0] <= pair[1]));
        if !ascend || starts[0] != 0 || starts[1 << bits] as usize != hosts.len() {
            return Err(buckets.damaged("buckets do not join"));
        }
        let in_order = |bucket: &[u32]| {
            let hosts = &hosts[bucket[0] as usize..bucket[1] as usize];
            hosts.is_sorted_by_key(|[check, _]| check)
        };
        if !starts.windows(2).all(in_order) {
            return Err(entries.damaged("hosts are out of order"));
        }
        let all = hosts.iter().map(|[_, entry]| *entry);
        let lists = EntryLists::open(&entries, all, postings, num_docs)?;
        Ok(Hosts { bits, buckets, entries, lists })
    }

    /// The lists of businesses of all hosts that may have this hash: nearly always the one that has
    /// it, or none.
    pub fn candidates(&self, hash: HostHash) -> impl Iterator<Item = Postings<'_>> {
        let (bucket, check) = hash.place(self.bits);
        let starts: &[u32] = cast(self.buckets.as_ref());
        let hosts: &[[u32; 2]] = cast(self.entries.as_ref());
        let hosts = &hosts[starts[bucket] as usize..starts[bucket + 1] as usize];
        let hosts = &hosts[hosts.partition_point(|[other, _]| *other < check)..];
        let same = hosts.iter().take_while(move |[other, _]| *other == check);
        same.map(|[_, entry]| self.lists.get(entry))
    }

    /// Is it a list of these?
    pub fn hold(&self, list: &Postings<'_>) -> bool {
        place_of(list, self.entries.as_ref()).or_else(|| self.lists.place_of(list)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::encoding::postings_ref::encode_entry;
    use crate::snapshot::file::section_kind::SectionKind;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// Buckets, entries and postings.
    type Sections = [Vec<u8>; 3];

    type Fault = fn(&mut Sections);

    /// The hosts of these hashes, each with its businesses.
    fn written(num_docs: u32, hosts: &BTreeMap<HostHash, Vec<u32>>) -> Sections {
        let (mut buckets, mut entries, mut lists) =
            (Buckets::new(num_docs), Vec::new(), Vec::new());
        for (hash, docs) in hosts {
            let check = buckets.push(*hash);
            let entry = encode_entry(SectionKind::HostPostings, docs, 0, &mut lists).unwrap();
            entries.extend([check, entry]);
        }
        [
            bytemuck::cast_slice(&buckets.finish()).to_vec(),
            bytemuck::cast_slice(&entries).to_vec(),
            lists,
        ]
    }

    fn open(num_docs: u32, sections: &Sections) -> Result<Hosts, SnapshotError> {
        let kinds = [SectionKind::HostBuckets, SectionKind::HostEntries, SectionKind::HostPostings];
        let section = |at: usize| Section::copy(kinds[at], &sections[at]);
        Hosts::open([0, 1, 2].map(section), num_docs)
    }

    /// Hashes that agree in many of their first bits now and then.
    fn hash() -> impl Strategy<Value = HostHash> {
        let first = prop_oneof![any::<u64>(), (0..3u64, 0..3u64).prop_map(|(a, b)| a << 62 | b)];
        (first, 0..4u64)
            .prop_map(|(first, rest)| HostHash(u128::from(first) << 64 | u128::from(rest)))
    }

    proptest! {
        #[test]
        fn hosts_are_found_among_few_candidates(
            num_docs in 1..2000u32,
            hosts in proptest::collection::btree_map(
                hash(),
                proptest::collection::btree_set(any::<u32>(), 1..9),
                0..200,
            ),
            absent in hash(),
        ) {
            let list = |docs: &BTreeSet<u32>| {
                let docs: BTreeSet<u32> = docs.iter().map(|doc| doc % num_docs).collect();
                docs.into_iter().collect::<Vec<u32>>()
            };
            let hosts: BTreeMap<HostHash, Vec<u32>> =
                hosts.iter().map(|(hash, docs)| (*hash, list(docs))).collect();
            let opened = open(num_docs, &written(num_docs, &hosts)).unwrap();
            let bits = bucket_bits(num_docs);
            for hash in hosts.keys().chain([&absent]) {
                let expected: Vec<&Vec<u32>> = hosts
                    .iter()
                    .filter(|(other, _)| other.place(bits) == hash.place(bits))
                    .map(|(_, docs)| docs)
                    .collect();
                let found: Vec<Vec<u32>> = opened
                    .candidates(*hash)
                    .map(|list| {
                        prop_assert!(opened.hold(&list));
                        let mut docs = Vec::new();
                        list.push_to(&mut docs);
                        prop_assert_eq!(list.first().0, docs[0]);
                        Ok(docs)
                    })
                    .collect::<Result<_, TestCaseError>>()?;
                prop_assert_eq!(found.iter().collect::<Vec<_>>(), expected);
            }
        }
    }

    #[test]
    fn what_does_not_join_is_refused() {
        let hosts = |numbers: &[u32]| -> BTreeMap<HostHash, Vec<u32>> {
            numbers
                .iter()
                .map(|&at| (HostHash::of(&format!("{at}.com")), vec![at, at + 1]))
                .collect()
        };
        let good = written(100, &hosts(&[1, 5, 7, 20, 31, 40, 55, 61, 90]));
        assert!(open(100, &good).is_ok());
        fn cut(bytes: &mut Vec<u8>, by: usize) {
            bytes.truncate(bytes.len() - by);
        }
        let faults: [(&str, &str, Fault); 9] = [
            ("HostBuckets", "wrong number", |sections| cut(&mut sections[0], 4)),
            ("HostBuckets", "wrong length", |sections| cut(&mut sections[0], 3)),
            ("HostBuckets", "do not join", |sections| sections[0][0] = 1),
            ("HostBuckets", "do not join", |sections| {
                *sections[0].iter_mut().nth_back(3).unwrap() += 1
            }),
            ("HostBuckets", "do not join", |sections| sections[0][7] = 0x80),
            ("HostEntries", "wrong length", |sections| cut(&mut sections[1], 4)),
            ("HostEntries", "do not join", |sections| sections[1][4] += 1),
            ("HostEntries", "out of order", |sections| {
                for (at, host) in (0..).zip(sections[1].chunks_mut(8)) {
                    host[3] = u8::MAX - at;
                }
            }),
            ("HostPostings", "bytes follow", |sections| sections[2].extend([0; 8])),
        ];
        for (section, reason, fault) in faults {
            let mut sections = good.clone();
            fault(&mut sections);
            let error = open(100, &sections).err().map(|error| error.to_string());
            let error = error.unwrap_or_else(|| panic!("{section}: {reason}"));
            assert!(error.contains(section) && error.contains(reason), "{section}: {error}");
        }
    }
}
