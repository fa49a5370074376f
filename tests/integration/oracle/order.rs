//! In which order matches are answered: contract, sections 3 ("Ranking", "Static order") and 5.

use super::{Match, Record};
use firmament::company::Company;
use firmament::query::request::{SortKey, SortOrder};
use icu_collator::options::{CollatorOptions, Strength};
use icu_collator::{Collator, CollatorBorrowed, CollatorPreferences};
use std::cmp::{Ordering, Reverse};

/// Where a record stands in the orders that need no request.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// In the static order; no two records share a place.
    pub static_order: usize,
    /// Among the names; the same name has the same place.
    pub name: usize,
}

/// "CLDR root collation, tertiary".
fn collator() -> CollatorBorrowed<'static> {
    let mut options = CollatorOptions::default();
    options.strength = Some(Strength::Tertiary);
    Collator::try_new(CollatorPreferences::default(), options).expect("the root has compiled data")
}

/// The places of all records, in the order given.
pub fn places(companies: &[Company]) -> Vec<Places> {
    let collator = collator();
    // "CLDR root collation, tertiary, then UTF-8 bytes"
    let by_name = |a: &Company, b: &Company| {
        collator.compare(&a.name, &b.name).then(a.name.as_bytes().cmp(b.name.as_bytes()))
    };
    // "`employee_count` descending (null last), then name as under `sort=name`, then `id`
    // ascending"
    let by_static_order = |a: &Company, b: &Company| {
        null_last(a.employee_count, b.employee_count, SortOrder::Desc)
            .then_with(|| by_name(a, b))
            .then_with(|| a.id.as_bytes().cmp(b.id.as_bytes()))
    };
    let mut places = vec![Places { static_order: 0, name: 0 }; companies.len()];
    let mut numbers: Vec<usize> = (0..companies.len()).collect();
    numbers.sort_by(|&a, &b| by_static_order(&companies[a], &companies[b]));
    for (place, &number) in numbers.iter().enumerate() {
        places[number].static_order = place;
    }
    numbers.sort_by(|&a, &b| by_name(&companies[a], &companies[b]));
    for pair in numbers.windows(2) {
        let is_equal = companies[pair[0]].name == companies[pair[1]].name;
        places[pair[1]].name = places[pair[0]].name + usize::from(!is_equal);
    }
    places
}

/// "Businesses whose sort value is null come last for either `order`".
fn null_last<T: Ord>(a: Option<T>, b: Option<T>, order: SortOrder) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => directed(a.cmp(&b), order),
        (a, b) => Reverse(a.is_some()).cmp(&Reverse(b.is_some())),
    }
}

/// "`desc` reverses the value (for `name` the byte step too), never the ties".
fn directed(ascending: Ordering, order: SortOrder) -> Ordering {
    match order {
        SortOrder::Asc => ascending,
        SortOrder::Desc => ascending.reverse(),
    }
}

/// The better, the greater.
fn relevance((found, text_score): &(Match, u32)) -> impl Ord + use<> {
    (Reverse(found.tier), Reverse(found.kind), *text_score)
}

/// Which of two matches, each with its text score, comes first.
pub fn compare(
    records: &[Record],
    a: &(Match, u32),
    b: &(Match, u32),
    sort: SortKey,
    order: SortOrder,
) -> Ordering {
    let (record_a, record_b) = (&records[a.0.record], &records[b.0.record]);
    let by_value = match sort {
        // "by (tier, kind, text score, static order), compared in that order";
        // "`sort=relevance&order=asc` is the worst first". A better tier is the greater value.
        SortKey::Relevance => directed(relevance(a).cmp(&relevance(b)), order),
        SortKey::Name => directed(record_a.places.name.cmp(&record_b.places.name), order),
        SortKey::EmployeeCount => {
            null_last(record_a.company.employee_count, record_b.company.employee_count, order)
        }
        SortKey::FoundedYear => {
            null_last(record_a.company.founded_year, record_b.company.founded_year, order)
        }
    };
    // The static order "breaks every tie, for either `order`".
    by_value.then(record_a.places.static_order.cmp(&record_b.places.static_order))
}
