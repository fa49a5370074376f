//! Bands of employees and decades.

use super::{Base, ValueCount};
use crate::query::session::count::count;
use crate::query::session::founded;
use crate::query::sets::set_expr::SetExpr;

/// The lower bounds of bands of employees; each ends before the next, and the last does not.
pub const EMPLOYEE_BANDS: [u64; 9] = [0, 1, 11, 51, 201, 501, 1_001, 5_001, 10_001];

/// Years of a decade.
const DECADE: u16 = 10;

/// The bands of employees that hits have, and how many hits have no count.
pub(super) fn employees(base: &Base<'_>) -> (Vec<ValueCount>, u64) {
    let counts = base.snapshot().employee_counts();
    let mut values = Vec::new();
    let mut missing = base.total;
    for (at, &min) in EMPLOYEE_BANDS.iter().enumerate() {
        let max = EMPLOYEE_BANDS.get(at + 1).map(|next| next - 1);
        let start = max.map_or(0, |max| counts.above(max));
        let band = SetExpr::Range(start..counts.at_least(min).max(start));
        let hits = SetExpr::intersection([base.hits.clone(), band]);
        let (count, _) = count(&base.session, hits, false);
        missing -= count;
        if count > 0 {
            let bounds = Some((min, max));
            values.push(ValueCount { value: name(min, max), count, filter: None, bounds });
        }
    }
    (values, missing)
}

/// The name of a band.
fn name(min: u64, max: Option<u64>) -> String {
    match max {
        None => format!("{}+", grouped(min)),
        Some(max) if max == min => grouped(min),
        Some(max) => format!("{}–{}", grouped(min), grouped(max)),
    }
}

/// A number with commas between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The decades that hits were founded in, and how many hits have no year.
pub(super) fn decades(base: &Base<'_>) -> (Vec<ValueCount>, u64) {
    let snapshot = base.snapshot();
    let years = snapshot.founded_years();
    let mut missing = 0;
    let mut counts: Vec<(u16, u64)> = Vec::new();
    if base.is_everything() {
        let order = snapshot.by_founded_year_ascending();
        let with_year = founded::positions(snapshot, &(1..=u16::MAX)).end;
        missing = (order.len() - with_year) as u64;
        let mut at = 0;
        while at < with_year {
            let decade = years[order.doc_at(at).index()] / DECADE;
            let (first, last) = bounds(decade);
            let positions = founded::positions(snapshot, &(first..=last));
            counts.push((decade, positions.len() as u64));
            at = positions.end;
        }
    } else {
        let mut by_decade = vec![0u64; usize::from(u16::MAX / DECADE) + 1];
        base.for_each(|doc| match years[doc.index()] {
            0 => missing += 1,
            year => by_decade[usize::from(year / DECADE)] += 1,
        });
        counts.extend((0..).zip(by_decade).filter(|(_, count)| *count > 0));
    }
    let value = |(decade, count): (u16, u64)| {
        let (min, max) = bounds(decade);
        let bounds = Some((u64::from(min), Some(u64::from(max))));
        ValueCount { value: format!("{}s", decade * DECADE), count, filter: None, bounds }
    };
    (counts.into_iter().map(value).collect(), missing)
}

/// The years of a decade; no year is 0.
fn bounds(decade: u16) -> (u16, u16) {
    let first = decade.saturating_mul(DECADE);
    (first.max(1), first.saturating_add(DECADE - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_have_names() {
        assert_eq!(name(0, Some(0)), "0");
        assert_eq!(name(1, Some(10)), "1–10");
        assert_eq!(name(1_001, Some(5_000)), "1,001–5,000");
        assert_eq!(name(10_001, None), "10,001+");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
