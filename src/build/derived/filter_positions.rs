//! Where the businesses of an industry or place stand in the orders by name and by year.

use crate::build::BuildError;
use crate::build::pipeline::in_order;
use crate::bytes::cast;
use crate::ids::TermOrd;
use crate::snapshot::dense::DenseKey;
use crate::snapshot::dictionary::Dictionary;
use crate::snapshot::filter_positions::encode_lists;
use crate::snapshot::format::SectionKind;
use crate::snapshot::mapped::Section;
use crate::snapshot::postings::{self, Postings};
use crate::snapshot::writer::SnapshotWriter;
use rayon::ThreadPool;

/// Writes the sections of positions for industries and places of at least `docs_min` businesses. `by_name` and
/// `by_year` are the sections of the orders.
///
/// # Errors
/// The file cannot be written.
pub fn write(
    docs_min: usize,
    [industries, places]: [&Dictionary; 2],
    [by_name, by_year]: [&Section; 2],
    pool: &ThreadPool,
    writer: &mut SnapshotWriter,
) -> Result<(), BuildError> {
    let ords = |dictionary: &Dictionary| (0..dictionary.len() as u32).map(TermOrd);
    let of_industries =
        ords(industries).map(|ord| (DenseKey::Industry(ord), industries.postings(ord)));
    let of_places = ords(places).map(|ord| (DenseKey::Place(ord), places.postings(ord)));
    let is_long = |(_, list): &(DenseKey, Postings<'_>)| list.len() >= docs_min;
    let (keys, lists): (Vec<DenseKey>, Vec<Postings<'_>>) =
        of_industries.chain(of_places).filter(is_long).unzip();
    let mut section = writer.begin(SectionKind::FilterPositions);
    let mut starts: Vec<[u64; 2]> = Vec::with_capacity(keys.len());
    in_order(
        pool,
        pool.current_num_threads() + 1,
        lists.iter().map(Ok),
        |list| [by_name, by_year].map(|order| positions(list, order)),
        |lists| {
            let mut start = [0; 2];
            for (start, list) in start.iter_mut().zip(lists) {
                *start = section.len();
                section.write(&list)?;
            }
            starts.push(start);
            Ok::<(), BuildError>(())
        },
    )?;
    section.end(writer)?;
    Ok(writer.section(SectionKind::FilterPositionLists, &encode_lists(&keys, &starts)?)?)
}

/// The positions of a list's businesses in an order, as postings.
fn positions(list: &Postings<'_>, order: &Section) -> Vec<u8> {
    let numbers: &[u32] = cast(order.as_ref());
    let (_, ranks) = numbers.split_at(numbers.len() / 2);
    let mut positions = Vec::with_capacity(list.len());
    list.push_to(&mut positions);
    positions.iter_mut().for_each(|doc| *doc = ranks[*doc as usize]);
    positions.sort_unstable();
    let mut bytes = Vec::new();
    postings::encode(&positions, &mut bytes);
    bytes
}
