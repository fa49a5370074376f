//! A block of records to the entries that are sorted, on any thread.

use super::buffer_pool::{Lent, Spares};
use super::external_sort::Batch;
use super::source::ParsedBlock;
use super::symbols;
use super::symbols::Candidate;
use super::{duplicate_ids, record_codec};
use icu_collator::CollatorBorrowed;

/// What becomes of a block of records.
pub struct BlockEntries {
    /// The records, by the static order.
    pub records: Lent<Batch>,
    /// Their ids.
    pub ids: Lent<Batch>,
    /// Records that may be in the sample.
    pub candidates: Vec<Candidate>,
}

impl BlockEntries {
    /// The entries of a block, of which the first accepted record is number `seq`, in batches of
    /// `records` and `ids`. Candidates are below `bound`, see
    /// [`Sample::bound`](symbols::Sample::bound).
    pub fn new(
        seq: u32,
        block: ParsedBlock,
        collator: &CollatorBorrowed<'_>,
        bound: symbols::Hash,
        [records, ids]: &[Spares<Batch>; 2],
    ) -> BlockEntries {
        let mut entries =
            BlockEntries { records: records.lend(), ids: ids.lend(), candidates: Vec::new() };
        for (seq, (line, company)) in (seq..).zip(&block.records) {
            entries.records.push_with(
                |out| record_codec::push_key(company, seq, collator, out),
                |out| record_codec::push_payload(company, out),
            );
            duplicate_ids::push(&company.id, seq, (block.input as u32, *line), &mut entries.ids);
            entries.candidates.extend(Candidate::new(&company.into(), bound));
        }
        entries
    }
}
