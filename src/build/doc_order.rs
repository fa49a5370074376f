//! Who is which `DocId`, and the other sort orders.
//!
//! The static order (contract, section 3): employee count descending with unknown last, then name, then id.
//! Names compare by the CLDR root collation at tertiary strength (Unicode Technical Standard 10), then by their
//! UTF-8 bytes; sort keys make that a comparison of bytes.

use crate::company::Company;
use icu_collator::options::{CollatorOptions, Strength};
use icu_collator::{Collator, CollatorBorrowed, CollatorPreferences};
use rayon::prelude::*;
use std::cmp::{Ordering, Reverse};

/// The CLDR version of the collation data compiled in.
pub const CLDR_VERSION: &str = "49.0.0";

/// Permutations of all `DocId`s.
#[derive(Debug)]
pub struct Orders {
    /// By name, ascending.
    pub name_ascending: Vec<u32>,
    /// By name, descending; equal names ascend by `DocId`.
    pub name_descending: Vec<u32>,
    /// By employee count, fewest first, unknown last.
    pub employee_count_ascending: Vec<u32>,
    /// By founding year, oldest first, unknown last.
    pub founded_year_ascending: Vec<u32>,
    /// By founding year, youngest first, unknown last.
    pub founded_year_descending: Vec<u32>,
}

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

/// Brings companies into the static order, and computes the other orders over their new places.
pub fn sort(companies: Vec<Company>) -> (Vec<Company>, Orders) {
    let collator = collator();
    let mut keyed: Vec<(Vec<u8>, Company)> = companies
        .into_par_iter()
        .map(|company| {
            let mut key = Vec::new();
            let Ok(()) = collator.write_sort_key_to(&company.name, &mut key);
            (key, company)
        })
        .collect();
    // `Option` orders none first, so the reverse has unknown counts last.
    let by_name = |(a_key, a): &(Vec<u8>, Company), (b_key, b): &(Vec<u8>, Company)| {
        (a_key, &a.name).cmp(&(b_key, &b.name))
    };
    keyed.par_sort_unstable_by(|a, b| {
        Reverse(a.1.employee_count)
            .cmp(&Reverse(b.1.employee_count))
            .then_with(|| by_name(a, b))
            .then_with(|| a.1.id.cmp(&b.1.id))
    });
    let all: Vec<u32> = (0..keyed.len() as u32).collect();
    // Sorting is stable, so ties keep the static order.
    let sorted = |compare: &(dyn Fn(u32, u32) -> Ordering + Sync)| {
        let mut docs = all.clone();
        docs.par_sort_by(|&a, &b| compare(a, b));
        docs
    };
    let doc = |doc: u32| &keyed[doc as usize];
    let year = |doc: u32| keyed[doc as usize].1.founded_year;
    let employees = |doc: u32| keyed[doc as usize].1.employee_count;
    let orders = Orders {
        name_ascending: sorted(&|a, b| by_name(doc(a), doc(b))),
        name_descending: sorted(&|a, b| by_name(doc(b), doc(a))),
        employee_count_ascending: sorted(&|a, b| {
            (employees(a).is_none(), employees(a)).cmp(&(employees(b).is_none(), employees(b)))
        }),
        founded_year_ascending: sorted(&|a, b| {
            (year(a).is_none(), year(a)).cmp(&(year(b).is_none(), year(b)))
        }),
        founded_year_descending: sorted(&|a, b| Reverse(year(a)).cmp(&Reverse(year(b)))),
    };
    (keyed.into_iter().map(|(_, company)| company).collect(), orders)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn company(id: &str, name: &str, employees: Option<u64>, year: Option<u16>) -> Company {
        Company {
            id: id.into(),
            name: name.into(),
            employee_count: employees,
            founded_year: year,
            ..Company::default()
        }
    }

    #[test]
    fn static_order_and_the_others() {
        let (companies, orders) = sort(vec![
            company("1", "zeta", None, Some(2000)),
            company("2", "Zebra", Some(5), None),
            company("4", "apple", Some(5), Some(1990)),
            company("3", "apple", Some(5), Some(2000)),
            company("5", "Äpfel", Some(0), Some(1990)),
            company("6", "apple", None, None),
        ]);
        let ids: String = companies.iter().map(|company| company.id.as_str()).collect();
        assert_eq!(ids, "342561");
        let show = |docs: &[u32]| -> String {
            docs.iter().map(|&doc| companies[doc as usize].id.as_str()).collect()
        };
        assert_eq!(show(&orders.name_ascending), "534621");
        assert_eq!(show(&orders.name_descending), "123465");
        assert_eq!(show(&orders.employee_count_ascending), "534261");
        assert_eq!(show(&orders.founded_year_ascending), "453126");
        assert_eq!(show(&orders.founded_year_descending), "314526");
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
            }
        }
    }
}
