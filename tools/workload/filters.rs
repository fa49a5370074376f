//! Requests with filters and sort orders: industries, places, bands of employees, and pages deep in
//! a result.

use super::super::generate::random::SplitMix64;
use super::draw::{Draw, Record};
use firmament::limits::PAGE_SIZE_DEFAULT;
use form_urlencoded::Serializer;

pub(super) type Pairs = Serializer<'static, String>;

pub(super) fn pairs() -> Pairs {
    Serializer::new(String::new())
}

/// An industry; in four of ten requests two or three.
pub fn industry(draw: &Draw<'_>, random: &mut SplitMix64) -> Option<String> {
    let count = [1, 1, 1, 1, 1, 1, 2, 2, 2, 3][random.below(10) as usize];
    let mut names: Vec<String> = Vec::with_capacity(count);
    while names.len() < count {
        let name = draw.record(random).industry()?.to_owned();
        if names.contains(&name) {
            return None;
        }
        names.push(name);
    }
    // In any order they are the same request.
    names.sort_unstable();
    let mut pairs = pairs();
    names.iter().for_each(|name| {
        pairs.append_pair("industry", name);
    });
    Some(pairs.finish())
}

/// `City, State`.
pub fn place(draw: &Draw<'_>, random: &mut SplitMix64) -> Option<String> {
    Some(pairs().append_pair("location", &draw.record(random).city_and_state()?).finish())
}

/// Industry, `City, State` and band of employees of one record.
pub fn industry_place_and_employees(draw: &Draw<'_>, random: &mut SplitMix64) -> Option<String> {
    let record = draw.record(random);
    let mut pairs = pairs();
    append_industry(&mut pairs, &record)?;
    append_city(&mut pairs, &record)?;
    append_band(&mut pairs, &record)?;
    Some(pairs.finish())
}

/// `sort=employee_count` with a filter.
pub fn by_employees(draw: &Draw<'_>, random: &mut SplitMix64) -> Option<String> {
    let mut pairs = pairs();
    append_filter(&mut pairs, &draw.record(random), random)?;
    append_sort(&mut pairs, "employee_count", random);
    Some(pairs.finish())
}

/// `sort=name` with a filter.
pub fn by_name(draw: &Draw<'_>, random: &mut SplitMix64) -> Option<String> {
    let mut pairs = pairs();
    append_filter(&mut pairs, &draw.record(random), random)?;
    append_sort(&mut pairs, "name", random);
    Some(pairs.finish())
}

/// Industry, place and band of employees of one record by `sort=founded_year`.
pub fn by_year(draw: &Draw<'_>, random: &mut SplitMix64) -> Option<String> {
    let record = draw.record(random);
    let mut pairs = pairs();
    append_industry(&mut pairs, &record)?;
    append_place(&mut pairs, &record, random)?;
    append_band(&mut pairs, &record)?;
    append_sort(&mut pairs, "founded_year", random);
    Some(pairs.finish())
}

/// A page that begins anywhere in a result of three pages or more.
pub fn deep(draw: &Draw<'_>, random: &mut SplitMix64) -> Option<String> {
    let record = draw.record(random);
    let mut pairs = pairs();
    match random.below(10) {
        0 => {}
        1..=3 => {
            pairs.append_pair("q", draw.keyword(random)?);
        }
        _ => append_filter(&mut pairs, &record, random)?,
    }
    let sort = random.pick(&["relevance", "name", "employee_count", "founded_year"]);
    append_sort(&mut pairs, sort, random);
    let query_string = pairs.finish();
    let total = draw.answer(&query_string, 1)?.total;
    if total <= 2 * u64::from(PAGE_SIZE_DEFAULT) {
        return None;
    }
    behind(draw, &query_string, 1 + random.below(total - 1) as u32)
}

/// The request for the page that begins behind so many documents; `None` if there are no more.
///
/// The cursor is what a client has after walking there: the `next_cursor` of one page that reaches
/// as far. Only the parameter `limit` has a bound, not [`search`](firmament::query::page::search),
/// and the cursor does not depend on it.
pub(super) fn behind(draw: &Draw<'_>, query_string: &str, documents: u32) -> Option<String> {
    let cursor = draw.answer(query_string, documents)?.next_cursor?;
    Some(format!("{query_string}&cursor={}", cursor.encode()))
}

/// One filter of the record: its industry, its place or its band of employees, the last one often
/// with its industry or country, since there are few bands.
fn append_filter(pairs: &mut Pairs, record: &Record, random: &mut SplitMix64) -> Option<()> {
    match random.below(10) {
        0..4 => append_industry(pairs, record)?,
        4..7 => append_place(pairs, record, random)?,
        choice => {
            match choice {
                7 => {}
                8 => append_industry(pairs, record)?,
                _ => append_country(pairs, record)?,
            }
            append_band(pairs, record)?;
        }
    }
    Some(())
}

/// The place of the record, as city and state or as country.
fn append_place(pairs: &mut Pairs, record: &Record, random: &mut SplitMix64) -> Option<()> {
    let append = if random.chance(0.5) { append_city } else { append_country };
    append(pairs, record)
}

pub(super) fn append_industry(pairs: &mut Pairs, record: &Record) -> Option<()> {
    pairs.append_pair("industry", record.industry()?);
    Some(())
}

pub(super) fn append_city(pairs: &mut Pairs, record: &Record) -> Option<()> {
    pairs.append_pair("location", &record.city_and_state()?);
    Some(())
}

pub(super) fn append_country(pairs: &mut Pairs, record: &Record) -> Option<()> {
    pairs.append_pair("location", record.country()?);
    Some(())
}

pub(super) fn append_band(pairs: &mut Pairs, record: &Record) -> Option<()> {
    let (from, to) = record.band()?;
    pairs.append_pair("min_employees", &from.to_string());
    if let Some(to) = to {
        pairs.append_pair("max_employees", &to.to_string());
    }
    Some(())
}

/// The sort; in a third of the requests against its usual order.
fn append_sort(pairs: &mut Pairs, sort: &str, random: &mut SplitMix64) {
    pairs.append_pair("sort", sort);
    if random.chance(1.0 / 3.0) {
        pairs.append_pair("order", if sort == "name" { "desc" } else { "asc" });
    }
}
