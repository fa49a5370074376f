//! Reading as a build does, without building: what was understood, and what is wrong.
//!
//! In: inputs and how to read them. Out: a [`Checked`]. Nothing is written. Memory: what reading
//! takes, and some 30 bytes a record for the ids, of which each may stand once.

use super::collect::filled_by;
use super::duplicate_ids::Place;
use super::record_codec::Record;
use super::reject_file::Counts;
use super::source::{self, InputColumns, ParsedBlock};
use super::{BuildError, BuildOptions, Input, Progress, duplicate_id, place_of};
use crate::company::Company;
use crate::snapshot::metadata::Filled;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// Records that are shown.
const SAMPLES: usize = 10;

/// What inputs hold.
#[derive(Debug)]
pub struct Checked {
    /// The inputs, and what their columns or keys mean.
    pub inputs: Vec<InputColumns>,
    /// Records read, those at fault included.
    pub records: u64,
    /// Records that a build would reject.
    pub rejects: u64,
    /// Rows without any value.
    pub blank_rows: u64,
    /// What is wrong, by field and kind.
    pub counts: Counts,
    /// What there is to say of columns and keys.
    pub notes: Vec<String>,
    /// How many acceptable records have each field that may be missing.
    pub filled: Filled,
    /// The first acceptable records.
    pub samples: Vec<Company>,
}

impl Checked {
    /// Records that a build would take.
    pub fn accepted(&self) -> u64 {
        self.records - self.rejects
    }
}

/// Reads all records of `inputs`.
///
/// # Errors
/// An input cannot be read, or threads cannot be started.
pub fn check(
    inputs: &[Input],
    options: &BuildOptions,
    progress: &dyn Progress,
) -> Result<Checked, BuildError> {
    let pool = super::threads(options.threads)?;
    let mut seen = Seen::default();
    let mut take = |blocks: Vec<ParsedBlock>| {
        blocks.into_iter().for_each(|block| seen.add(block));
        Ok(())
    };
    let result = source::read_all(inputs, options, &pool, progress, &mut take);
    progress.end();
    let mut read = result?;
    for Duplicate { place, first, id } in seen.duplicates {
        let (name, place) = place_of(&read.inputs, place);
        read.rejects.add(name, place, duplicate_id(id, place_of(&read.inputs, first)))?;
    }
    let (rejects, counts) = read.rejects.finish()?;
    Ok(Checked {
        inputs: read.inputs,
        records: read.records,
        rejects,
        blank_rows: read.blank_rows,
        counts,
        notes: read.notes,
        filled: seen.filled,
        samples: seen.samples,
    })
}

/// An id that another record had before.
struct Duplicate {
    place: Place,
    first: Place,
    id: String,
}

/// What acceptable records had.
#[derive(Default)]
struct Seen {
    /// The first record with an id, by a hash of it: of ten million ids two differ from each other
    /// and not in it with a chance of one in 300,000.
    ids: FxHashMap<u64, Place>,
    duplicates: Vec<Duplicate>,
    filled: Filled,
    samples: Vec<Company>,
}

impl Seen {
    fn add(&mut self, block: ParsedBlock) {
        for (number, company) in block.records {
            let place = (block.input as u32, number);
            match self.ids.entry(hash(&company.id)) {
                Entry::Occupied(first) => {
                    let (first, id) = (*first.get(), company.id);
                    self.duplicates.push(Duplicate { place, first, id });
                    continue;
                }
                Entry::Vacant(entry) => entry.insert(place),
            };
            self.filled.add(&filled_by(&Record::from(&company)));
            if self.samples.len() < SAMPLES {
                self.samples.push(company);
            }
        }
    }
}

fn hash(id: &str) -> u64 {
    let hash = blake3::hash(id.as_bytes());
    let (start, _) = hash.as_bytes().split_first_chunk().expect("32 bytes");
    u64::from_le_bytes(*start)
}
