//! The orders beside the static one.
//!
//! The static order (contract, section 3): employee count descending with unknown last, then name,
//! then id; the keys of [`packed`](super::record_codec) compare like that. Names compare by the
//! CLDR root collation at tertiary strength (Unicode Technical Standard 10), then by their UTF-8
//! bytes; sort keys make that a comparison of bytes. Every other order keeps the static one where
//! its own values are equal; descending ones are derived from ascending ones, see [`sort_order`].

use super::external_sort::{Batch, Sorted};
use super::scratch::ScratchError;
use crate::snapshot::columns::sort_order;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::format::SectionKind;
use crate::snapshot::file::writer::SnapshotWriter;
use icu_collator::options::{CollatorOptions, Strength};
use icu_collator::{Collator, CollatorBorrowed, CollatorPreferences};

/// The CLDR version of the collation data compiled in.
pub const CLDR_VERSION: &str = "49.0.0";

/// The collation by which names are sorted.
///
/// # Panics
/// The collation data compiled in lack the root collation, which no build of the crate does.
pub fn collator() -> CollatorBorrowed<'static> {
    let mut options = CollatorOptions::default();
    options.strength = Some(Strength::Tertiary);
    Collator::try_new(CollatorPreferences::default(), options)
        .expect("root collation is compiled in")
}

/// Appends a name to a batch: the key is `name_key` (see
/// [`KeyParts`](super::record_codec::KeyParts)), a zero byte and the `DocId`.
pub fn push_name(name_key: &[u8], doc: u32, batch: &mut Batch) {
    batch.push_with(
        |key| {
            key.extend_from_slice(name_key);
            key.push(0);
            key.extend(doc.to_be_bytes());
        },
        |_| {},
    );
}

/// Writes the sections of all orders: `names` sorted, `years` by `DocId`, as their section holds
/// them.
///
/// # Errors
/// A file cannot be written or read.
pub fn write<E: From<ScratchError> + From<SnapshotError>>(
    mut names: Sorted,
    years: &[u16],
    writer: &mut SnapshotWriter,
) -> Result<(), E> {
    let mut docs: Vec<u32> = Vec::with_capacity(years.len());
    let mut groups = vec![0u64; years.len().div_ceil(64)];
    let mut name: Vec<u8> = Vec::new();
    while let Some((key, _)) = names.next()? {
        let (this_name, doc) = key.split_at(key.len() - 4);
        if this_name != name {
            name.clear();
            name.extend_from_slice(this_name);
            groups[docs.len() / 64] |= 1 << (docs.len() % 64);
        }
        docs.push(u32::from_be_bytes(doc.try_into().expect("4 bytes")));
    }
    drop(names);
    sort_order::write(SectionKind::NameAscending, &docs, writer)?;
    writer.section(SectionKind::NameGroups, bytemuck::cast_slice(&groups))?;
    drop(docs);
    sort_order::write(SectionKind::FoundedYearAscending, &by_year(years), writer)?;
    Ok(())
}

/// By founding year, oldest first, unknown last: a counting sort.
fn by_year(years: &[u16]) -> Vec<u32> {
    // Unknown is 0: the year before the first is the one behind the last.
    let slot = |year: u16| usize::from(year.wrapping_sub(1));
    let mut next = vec![0u32; usize::from(u16::MAX) + 2];
    years.iter().for_each(|&year| next[slot(year) + 1] += 1);
    for at in 1..next.len() {
        next[at] += next[at - 1];
    }
    let mut docs = vec![0; years.len()];
    for (doc, &year) in years.iter().enumerate() {
        let next = &mut next[slot(year)];
        docs[*next as usize] = doc as u32;
        *next += 1;
    }
    docs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_ascend_and_keep_the_static_order() {
        let years = [2000, 0, 1990, 2000, 0, 9999, 1];
        assert_eq!(by_year(&years), [6, 2, 0, 3, 5, 1, 4]);
        assert!(by_year(&[]).is_empty());
    }

    #[test]
    fn keys_order_as_comparing_does() {
        let collator = collator();
        let names = [
            "a", "A", "á", "ab", "a b", "a-b", "Ab", "ß", "ss", "zebra", "Öl", "ol", "東京", "1",
            "10", "2", "",
        ];
        for a in names {
            for b in names {
                let key = |text: &str| {
                    let mut key = Vec::new();
                    let Ok(()) = collator.write_sort_key_to(text, &mut key);
                    key
                };
                assert_eq!(key(a).cmp(&key(b)), collator.compare(a, b), "{a} {b}");
                assert!(!key(a).contains(&0), "{a}");
            }
        }
    }
}
