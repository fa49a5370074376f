//! Ids: who has one twice, and the order by id.
//!
//! In: the id of every accepted record with the place where it stands. Out: the rank of every
//! record among the distinct ids, and the duplicates, in the order of the input. Sorting all ids on
//! disk serves both, so that nothing here grows with the input but the ranks: 4 bytes a record.

use super::external_sort::{Batch, Sorter};
use super::scratch::{Scratch, ScratchError};
use crate::snapshot::columns::doc_store::escape;
use rayon::ThreadPool;

/// The rank of a record whose id an earlier one has.
pub const DUPLICATE: u32 = u32::MAX;

/// Where a record stands: input, from 0, and line, from 1.
pub type Place = (u32, u64);

/// A record whose id an earlier one has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DuplicateId {
    /// The id.
    pub id: String,
    /// Where it stands.
    pub place: Place,
    /// Where the id stands first.
    pub first: Place,
}

/// Appends an id to a batch: the key is the id as it stands in JSON, a zero byte, and `seq`, the
/// place of the record among the accepted ones.
pub fn push(id: &str, seq: u32, (input, line): Place, batch: &mut Batch) {
    batch.push_with(
        |key| {
            key.extend_from_slice(escape(id).as_bytes());
            key.push(0);
            key.extend(seq.to_be_bytes());
        },
        |payload| {
            payload.extend(input.to_le_bytes());
            payload.extend(line.to_le_bytes());
        },
    );
}

/// The ranks of `num_records` records by `seq`, [`DUPLICATE`] for duplicates; and the number of
/// distinct ids.
///
/// # Errors
/// A temporary file cannot be used.
pub fn rank<E: From<ScratchError>>(
    ids: Sorter<'_>,
    num_records: usize,
    scratch: &Scratch,
    pool: &ThreadPool,
    memory: usize,
    mut reject: impl FnMut(DuplicateId) -> Result<(), E>,
) -> Result<(Vec<u32>, u32), E> {
    let mut ranks = vec![DUPLICATE; num_records];
    let mut duplicates = Sorter::new(scratch, pool, memory);
    let mut sorted = ids.finish()?;
    let (mut id, mut first): (Vec<u8>, [u8; PLACE_BYTES]) = (Vec::new(), [0; PLACE_BYTES]);
    let mut next_rank = 0;
    while let Some((key, place)) = sorted.next()? {
        let (this_id, seq) = key.split_at(key.len() - SEQ_BYTES);
        if this_id == id {
            let mut batch = duplicates.spares().lend();
            let payload = |out: &mut Vec<u8>| [place, &first, &id].map(|it| out.extend(it));
            batch.push_with(
                |key| key.extend_from_slice(seq),
                |out| {
                    payload(out);
                },
            );
            duplicates.add(batch)?;
        } else {
            id.clear();
            id.extend_from_slice(this_id);
            first.copy_from_slice(place);
            let seq = u32::from_be_bytes(seq.try_into().expect("4 bytes"));
            ranks[seq as usize] = next_rank;
            next_rank += 1;
        }
    }
    let mut duplicates = duplicates.finish()?;
    while let Some((_, payload)) = duplicates.next()? {
        let (place, rest) = payload.split_at(PLACE_BYTES);
        let (first, id) = rest.split_at(PLACE_BYTES);
        let id = String::from_utf8_lossy(&id[..id.len() - 1]).into_owned();
        let id = serde_json::from_str(&format!("\"{id}\"")).unwrap_or(id);
        reject(DuplicateId { id, place: read_place(place), first: read_place(first) })?;
    }
    Ok((ranks, next_rank))
}

const SEQ_BYTES: usize = 4;
const PLACE_BYTES: usize = 12;

fn read_place(bytes: &[u8]) -> Place {
    let (input, line) = bytes.split_at(4);
    (
        u32::from_le_bytes(input.try_into().expect("4 bytes")),
        u64::from_le_bytes(line.try_into().expect("8 bytes")),
    )
}
