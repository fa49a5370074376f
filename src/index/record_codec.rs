//! A business as compact bytes, as it lies in sorted runs, and the borrowed view of it.
//!
//! ```text
//! KEY     := EMPLOYEES COLLATION 0 NAME 0 ID 0 SEQ (u32, big-endian)
//! PAYLOAD := MASK (u8), FOUNDED_YEAR (u16) if bit 0, then for each of website, description,
//!            industry, city, state, country whose bit is set: LEN (varint), TEXT; if bit 7, LEN and
//!            TEXT of aliases and of other websites, LEN 0 if there are none
//! ```
//!
//! Keys compare as bytes in the static order: EMPLOYEES is the number of leading zero bytes of the
//! count and the complement of the others, or 255 if there is none; COLLATION is the sort key of
//! the name; neither that nor a text holds a zero byte. SEQ is the place of the record among the
//! accepted ones of the input: it tells equal keys apart, which only duplicates of an id can have.

use crate::bytes::{push_varint, read_varint};
use crate::company::{Company, Location};
use icu_collator::CollatorBorrowed;

/// A business whose texts lie elsewhere; see [`Company`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)] // as in `Company`
pub struct Record<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub website: Option<&'a str>,
    pub description: Option<&'a str>,
    pub industry: Option<&'a str>,
    pub employee_count: Option<u64>,
    pub city: Option<&'a str>,
    pub state: Option<&'a str>,
    pub country: Option<&'a str>,
    pub founded_year: Option<u16>,
    /// Joined; see [`texts_of`](crate::company::texts_of).
    pub aliases: Option<&'a str>,
    /// Likewise.
    pub other_websites: Option<&'a str>,
}

impl<'a> From<&'a Company> for Record<'a> {
    fn from(company: &'a Company) -> Record<'a> {
        Record {
            id: &company.id,
            name: &company.name,
            website: company.website.as_deref(),
            description: company.description.as_deref(),
            industry: company.industry.as_deref(),
            employee_count: company.employee_count,
            city: company.location.city.as_deref(),
            state: company.location.state.as_deref(),
            country: company.location.country.as_deref(),
            founded_year: company.founded_year,
            aliases: company.aliases.joined(),
            other_websites: company.other_websites.joined(),
        }
    }
}

/// What the key of a record holds beside its values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyParts<'a> {
    /// Sort key and name, with a zero byte between them: the key of the order by name.
    pub name_key: &'a [u8],
    /// Place among the accepted records of the input.
    pub seq: u32,
}

/// Appends the key of a company.
pub fn push_key(company: &Company, seq: u32, collator: &CollatorBorrowed<'_>, out: &mut Vec<u8>) {
    match company.employee_count {
        None => out.push(u8::MAX),
        Some(count) => {
            let zeros = count.leading_zeros() as usize / 8;
            out.push(zeros as u8);
            out.extend((!count).to_be_bytes()[zeros..].iter());
        }
    }
    let start = out.len();
    let Ok(()) = collator.write_sort_key_to(&company.name, out);
    debug_assert!(!out[start..].contains(&0));
    out.push(0);
    out.extend_from_slice(company.name.as_bytes());
    out.push(0);
    out.extend_from_slice(company.id.as_bytes());
    out.push(0);
    out.extend(seq.to_be_bytes());
}

/// The bit of MASK that says that aliases and other websites follow.
const HAS_LISTS: u8 = 1 << 7;

/// Appends the payload of a company.
pub fn push_payload(company: &Company, out: &mut Vec<u8>) {
    let Company { website, description, industry, location, founded_year, .. } = company;
    let Location { city, state, country } = location;
    let texts = [website, description, industry, city, state, country];
    let lists = [company.aliases.joined(), company.other_websites.joined()];
    let mut mask = u8::from(founded_year.is_some());
    for (at, text) in texts.iter().enumerate() {
        mask |= u8::from(text.is_some()) << (at + 1);
    }
    let has_lists = lists.iter().any(Option::is_some);
    mask |= if has_lists { HAS_LISTS } else { 0 };
    out.push(mask);
    out.extend(founded_year.iter().flat_map(|year| year.to_le_bytes()));
    let texts = texts.into_iter().flatten().map(String::as_str);
    let lists = lists.into_iter().filter(|_| has_lists).map(Option::unwrap_or_default);
    for text in texts.chain(lists) {
        push_varint(out, text.len() as u32);
        out.extend_from_slice(text.as_bytes());
    }
}

/// Reads what [`push_key`] and [`push_payload`] wrote; `None` if the bytes are not such.
pub fn read<'a>(key: &'a [u8], payload: &'a [u8]) -> Option<(Record<'a>, KeyParts<'a>)> {
    let (&zeros, rest) = key.split_first()?;
    let (employee_count, rest) = match zeros {
        u8::MAX => (None, rest),
        _ => {
            let (bytes, rest) = rest.split_at_checked(8usize.checked_sub(zeros.into())?)?;
            let count = bytes.iter().fold(0u64, |count, &byte| count << 8 | u64::from(!byte));
            (Some(count), rest)
        }
    };
    let until_zero = |bytes: &'a [u8]| {
        let end = memchr::memchr(0, bytes)?;
        Some((&bytes[..end], &bytes[end + 1..]))
    };
    let sort_keys = rest;
    let (collation, names) = until_zero(sort_keys)?;
    let (name, ids) = until_zero(names)?;
    let (id, seq) = until_zero(ids)?;
    let text = |bytes: &'a [u8]| std::str::from_utf8(bytes).ok();
    let (&mask, mut rest) = payload.split_first()?;
    let mut founded_year = None;
    if mask & 1 != 0 {
        let (bytes, behind) = rest.split_at_checked(2)?;
        founded_year = Some(u16::from_le_bytes(bytes.try_into().ok()?));
        rest = behind;
    }
    let mut texts = [None; 8];
    for (at, slot) in texts.iter_mut().enumerate() {
        let is_there = match at {
            0..6 => mask >> (at + 1) & 1 != 0,
            _ => mask & HAS_LISTS != 0,
        };
        if is_there {
            let len = read_varint(&mut rest)? as usize;
            let (bytes, behind) = rest.split_at_checked(len)?;
            *slot = Some(text(bytes)?).filter(|text| !text.is_empty());
            rest = behind;
        }
    }
    let [website, description, industry, city, state, country, aliases, other_websites] = texts;
    let record = Record {
        id: text(id)?,
        name: text(name)?,
        website,
        description,
        industry,
        employee_count,
        city,
        state,
        country,
        founded_year,
        aliases,
        other_websites,
    };
    let name_key = &sort_keys[..collation.len() + 1 + name.len()];
    Some((record, KeyParts { name_key, seq: u32::from_be_bytes(seq.try_into().ok()?) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::doc_order::collator;
    use proptest::prelude::*;
    use std::cmp::Reverse;

    fn company() -> impl Strategy<Value = Company> {
        let text = || proptest::option::of("[a-cÄß東 ]{1,6}");
        let count = prop_oneof![Just(0), 1u64..400, Just(crate::limits::EMPLOYEE_COUNT_MAX)];
        let texts = (text(), text(), text(), text(), text(), text());
        let list = || proptest::collection::vec("[a-cÄß東 ]{1,6}", 0..3);
        (
            "[a-c]{1,3}",
            "[a-cÄ]{1,3}",
            texts,
            proptest::option::of(count),
            proptest::option::of(1u16..),
            (list(), list()),
        )
            .prop_map(|(id, name, texts, employee_count, founded_year, lists)| {
                let (website, description, industry, city, state, country) = texts;
                let location = Location { city, state, country };
                Company {
                    id,
                    name,
                    website,
                    description,
                    industry,
                    employee_count,
                    location,
                    founded_year,
                    aliases: lists.0.iter().collect(),
                    other_websites: lists.1.iter().collect(),
                }
            })
    }

    proptest! {
        #[test]
        fn what_is_packed_is_read_and_keys_order_statically(a in company(), b in company()) {
            let collator = collator();
            let pack = |company: &Company, seq| {
                let (mut key, mut payload) = (Vec::new(), Vec::new());
                push_key(company, seq, &collator, &mut key);
                push_payload(company, &mut payload);
                (key, payload)
            };
            let ((key, payload), (other_key, _)) = (pack(&a, 7), pack(&b, 8));
            let (record, parts) = read(&key, &payload).unwrap();
            prop_assert_eq!(record, Record::from(&a));
            prop_assert_eq!(parts.seq, 7);
            prop_assert!(parts.name_key.ends_with(a.name.as_bytes()));
            // None is less than any count, so the reverse has it last.
            let order = Reverse(a.employee_count)
                .cmp(&Reverse(b.employee_count))
                .then_with(|| collator.compare(&a.name, &b.name))
                .then_with(|| (&a.name, &a.id).cmp(&(&b.name, &b.id)))
                .then(7.cmp(&8));
            prop_assert_eq!(key.cmp(&other_key), order);
        }
    }
}
