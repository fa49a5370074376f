//! Random requests for a collection.
//!
//! They are half made of what the collection holds, so that rules fire and answers are not empty;
//! the words of `q` come out of [`misspelling`](super::misspelling) now and then.

use super::misspelling;
use crate::collections::{
    EMPLOYEES, INDUSTRIES, LEGAL_FORMS, LONG_WORDS, PLACES, Record, Rng, STOCK_PHRASES, WEBSITES,
    WORDS, YEARS,
};
use firmament::analyzer::fold_filter;
use firmament::company::Company;
use firmament::query::request::{Query, SortKey, SortOrder};
use firmament::query::text::TextQuery;
use std::fmt;

/// A request as a caller gives it, so that parts of it can be left out.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The pieces of `q`, to be joined by spaces.
    pub q: Vec<String>,
    /// Values of `industry`.
    pub industries: Vec<String>,
    /// Values of `location`.
    pub locations: Vec<String>,
    /// `min_employees`.
    pub min: Option<u64>,
    /// `max_employees`.
    pub max: Option<u64>,
    /// `min_founded_year`.
    pub min_year: Option<u16>,
    /// `max_founded_year`.
    pub max_year: Option<u16>,
    /// Values of `exclude_industry`.
    pub excluded_industries: Vec<String>,
    /// Values of `exclude_location`.
    pub excluded_locations: Vec<String>,
    /// `sort`.
    pub sort: SortKey,
    /// `order`, if not the default.
    pub order: Option<SortOrder>,
    /// `limit`.
    pub limit: u32,
}

impl Request {
    /// The request as the engine takes it; `None` if `q` is too long.
    pub fn query(&self) -> Option<Query> {
        Some(Query {
            text: TextQuery::parse(&self.q.join(" ")).ok()?,
            industries: self.industries.clone(),
            locations: self.locations.clone(),
            place: None,
            employee_count_min: self.min,
            employee_count_max: self.max,
            founded_year_min: self.min_year,
            founded_year_max: self.max_year,
            excluded_industries: self.excluded_industries.clone(),
            excluded_locations: self.excluded_locations.clone(),
            sort: self.sort,
            order: self.order.unwrap_or(self.sort.default_order()),
            limit: self.limit,
            cursor: None,
        })
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "q={}", self.q.join(" "))?;
        self.industries.iter().try_for_each(|value| write!(f, " & industry={value}"))?;
        self.locations.iter().try_for_each(|value| write!(f, " & location={value}"))?;
        self.min.iter().try_for_each(|bound| write!(f, " & min_employees={bound}"))?;
        self.max.iter().try_for_each(|bound| write!(f, " & max_employees={bound}"))?;
        self.min_year.iter().try_for_each(|year| write!(f, " & min_founded_year={year}"))?;
        self.max_year.iter().try_for_each(|year| write!(f, " & max_founded_year={year}"))?;
        for value in &self.excluded_industries {
            write!(f, " & exclude_industry={value}")?;
        }
        for value in &self.excluded_locations {
            write!(f, " & exclude_location={value}")?;
        }
        write!(f, " & sort={:?} & order={:?} & limit={}", self.sort, self.order, self.limit)
    }
}

/// All values of `sort`.
pub const SORTS: [SortKey; 4] =
    [SortKey::Relevance, SortKey::Name, SortKey::EmployeeCount, SortKey::FoundedYear];

/// All values of `order`.
pub const ORDERS: [SortOrder; 2] = [SortOrder::Asc, SortOrder::Desc];

/// A request for a collection. Its parts are mostly about one and the same record, so that together
/// they match something.
pub fn request(rng: &mut Rng, records: &[Record]) -> Request {
    let target = std::slice::from_ref(rng.pick(records));
    let about = |rng: &mut Rng| if rng.chance(80) { target } else { records };
    let mut request = Request { limit: rng.within(1, 100) as u32, ..Request::default() };
    if rng.chance(8) {
        return few_of_an_industry(rng, &target[0].company);
    }
    if rng.chance(88) {
        request.q = q(rng, &target[0], records);
    }
    if rng.chance(20) {
        let values = rng.within(1, 2);
        request.industries = (0..values)
            .map(|_| {
                let of = about(rng);
                industry_filter(rng, of)
            })
            .collect();
    }
    if rng.chance(20) {
        let values = rng.within(1, 2);
        request.locations = (0..values)
            .map(|_| {
                let of = about(rng);
                location_filter(rng, of)
            })
            .collect();
    }
    if rng.chance(15) {
        request.min = Some(employee_bound(rng));
    }
    if rng.chance(15) {
        request.max = Some(employee_bound(rng).max(request.min.unwrap_or(0)));
    }
    if rng.chance(10) {
        request.min_year = Some(year_bound(rng));
    }
    if rng.chance(10) {
        request.max_year = Some(year_bound(rng).max(request.min_year.unwrap_or(0)));
    }
    if rng.chance(6) {
        request.excluded_industries = vec![industry_filter(rng, records)];
    }
    if rng.chance(6) {
        request.excluded_locations = vec![location_filter(rng, records)];
    }
    if rng.chance(50) {
        request.sort = *rng.pick(&SORTS);
    }
    if rng.chance(50) {
        request.order = Some(*rng.pick(&ORDERS));
    }
    request
}

/// The best few of an industry that hold two words next to each other.
fn few_of_an_industry(rng: &mut Rng, company: &Company) -> Request {
    let description = company.description.as_deref().filter(|_| rng.chance(20));
    let text = description.unwrap_or(*rng.pick(&STOCK_PHRASES));
    let mut q = some_words(rng, text);
    q.truncate(2);
    let industries = company.industry.iter().cloned().collect();
    Request { q, industries, limit: rng.within(1, 2) as u32, ..Request::default() }
}

/// A bound for employees: one of the counts that records have, or a neighbour.
pub fn employee_bound(rng: &mut Rng) -> u64 {
    let count = *rng.pick(&EMPLOYEES);
    let bound = match rng.below(4) {
        0 => count.saturating_sub(1),
        1 => count + 1,
        _ => count,
    };
    bound.min((1 << 63) - 1)
}

/// A bound for years: one that records have, or a neighbour.
pub fn year_bound(rng: &mut Rng) -> u16 {
    let year = *rng.pick(&YEARS);
    match rng.below(4) {
        0 => year.saturating_sub(1).max(1),
        1 => (year + 1).min(9999),
        _ => year,
    }
}

/// One value of `industry`.
pub fn industry_filter(rng: &mut Rng, records: &[Record]) -> String {
    let mut names = Vec::new();
    for _ in 0..*rng.pick(&[1, 1, 1, 2, 3]) {
        let known = rng.pick(records).company.industry.clone();
        let name = match known {
            Some(name) if rng.chance(70) => name,
            _ => (*rng.pick(&INDUSTRIES)).to_owned(),
        };
        names.push(match rng.below(12) {
            0 => name.to_uppercase(),
            1 => name.replace('&', "and").replace(' ', "  "),
            2 => format!(" {} ", name.replace(", ", " ,")),
            3 => format!("\"{name}\""),
            4 => fold_filter(&name).pop().unwrap_or_default(),
            5 => "Astrology".to_owned(),
            6 => format!(",{name},"),
            _ => name,
        });
    }
    names.join(*rng.pick(&[",", ", "]))
}

/// One value of `location`.
pub fn location_filter(rng: &mut Rng, records: &[Record]) -> String {
    let location = &rng.pick(records).company.location;
    let mut parts: Vec<String> = [&location.city, &location.state, &location.country]
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    if rng.chance(40) || parts.is_empty() {
        return (*rng.pick(&PLACES)).to_owned();
    }
    rng.shuffle(&mut parts);
    parts.truncate(rng.within(1, 3));
    for part in &mut parts {
        match rng.below(12) {
            0 => *part = part.to_uppercase(),
            1 => *part = part.replace('.', ""),
            2 => *part = format!("\"{part}\""),
            3 => *part = fold_filter(part).pop().unwrap_or_default(),
            4 => *part = (*rng.pick(&PLACES)).to_owned(),
            _ => {}
        }
    }
    parts.join(*rng.pick(&[",", ", ", " , ", " "]))
}

/// The pieces of a `q` about a record.
fn q(rng: &mut Rng, target: &Record, records: &[Record]) -> Vec<String> {
    if rng.chance(4) {
        return vec![(*rng.pick(&["", " ", "!!!", "\"\"", "-", "&", "*"])).to_owned()];
    }
    let mut company = target.company.clone();
    let [aliases, websites]: [Vec<&str>; 2] =
        [&target.company.aliases, &target.company.other_websites].map(|list| list.iter().collect());
    if !aliases.is_empty() && rng.chance(60) {
        company.name = (*rng.pick(&aliases)).to_owned();
    }
    if !websites.is_empty() && rng.chance(60) {
        company.website = Some((*rng.pick(&websites)).to_owned());
    }
    let company = &company;
    let mut pieces = pieces(rng, company);
    for piece in &mut pieces {
        if rng.chance(20) {
            *piece = respelt(rng, piece);
        }
    }
    if rng.chance(50) && !pieces.is_empty() {
        misspelling::disturb(rng, &mut pieces, records);
    }
    if rng.chance(15) {
        let at = if rng.chance(80) { pieces.len() } else { 0 };
        pieces.insert(at, (*rng.pick(&LEGAL_FORMS)).to_owned());
    }
    if rng.chance(20) || pieces.is_empty() {
        pieces.push(exclusion(rng, company));
    }
    if rng.chance(15) {
        let from = rng.below(pieces.len());
        let to = rng.within(from, pieces.len() - 1);
        let (open, close) = *rng.pick(&[("\"", "\""), ("“", "”"), ("\"", "\"")]);
        pieces[from].insert_str(0, open);
        pieces[to].push_str(close);
    }
    if rng.chance(5) {
        pieces.push((*rng.pick(&["*", "\"", "(", "OR", "NOT", ":", "-"])).to_owned());
    }
    pieces
}

/// Texts of a record, or about it.
fn pieces(rng: &mut Rng, company: &Company) -> Vec<String> {
    let mut pieces = Vec::new();
    match rng.below(25) {
        0..3 => pieces.push(company.name.clone()),
        3..10 => pieces.extend(some_words(rng, &company.name)),
        10..12 => {
            pieces.extend(some_words(rng, company.description.as_deref().unwrap_or("box")));
        }
        12 => pieces.extend(some_words(rng, company.industry.as_deref().unwrap_or("Oil"))),
        13..15 => {
            pieces.push(website(rng, company));
            if rng.chance(30) {
                pieces.extend(some_words(rng, &company.name));
            }
        }
        15 => pieces.extend((0..rng.within(1, 3)).map(|_| (*rng.pick(&WORDS)).to_owned())),
        16 => {
            pieces.extend(some_words(rng, &company.name));
            pieces.extend(some_words(rng, company.description.as_deref().unwrap_or("box")));
        }
        17 => {
            let id = &company.id;
            pieces.push(match rng.below(10) {
                0 => id.to_lowercase(),
                1 => format!("\u{2003}{id} "),
                2 => format!("\"{id}\""),
                _ => id.clone(),
            });
        }
        18 => {
            let website = company.website.as_deref().unwrap_or("boxes.com.au");
            let host = website.trim_start_matches("https://").trim_start_matches("www.");
            pieces.extend(host.split(['.', '-', '/']).take(2).map(str::to_owned));
            let last = pieces.last_mut().filter(|_| rng.chance(50));
            last.into_iter().for_each(|last| misspelling::cut(rng, last));
        }
        19 => {
            let texts = ["Red Fox Tail", "RedFoxTail", "Red FoxTail", "Newyork", "Newyork Fox"];
            pieces.extend(rng.pick(&texts).split(' ').map(str::to_owned));
        }
        20 => {
            let texts =
                ["Böh", "Boeh", "Mül", "Muell", "Grue", "Büch", "東 大学", "\"東 大学\"", "東 京"];
            pieces.push((*rng.pick(&texts)).to_owned());
        }
        21 => {
            pieces.push(some_words(rng, &company.name).concat());
            pieces.extend(some_words(rng, company.description.as_deref().unwrap_or("box")));
        }
        23 => {
            if rng.chance(80) {
                pieces.extend(some_words(rng, &company.name));
            }
            if rng.chance(30) {
                pieces.push("in".to_owned());
            }
            let location = &company.location;
            let places = [&location.city, &location.state, &location.country].into_iter().flatten();
            pieces.extend(places.filter(|_| rng.chance(50)).cloned());
        }
        22 => pieces.extend((0..4).map(|_| (*rng.pick(&LONG_WORDS)).to_owned())),
        _ => {}
    }
    pieces
}

/// A website as a caller may write it.
fn website(rng: &mut Rng, company: &Company) -> String {
    let website = match &company.website {
        Some(website) if rng.chance(80) => website.clone(),
        _ => (*rng.pick(&WEBSITES)).to_owned(),
    };
    match rng.below(8) {
        0 => format!("({website}),"),
        1 => website.to_uppercase(),
        2 => website.trim_start_matches("https://").trim_start_matches("www.").to_owned(),
        3 => format!("http://www.{}", website.trim_start_matches("https://")),
        4 => format!("{}/about.html", website.trim_end_matches('/')),
        _ => website,
    }
}

/// Something that must not match.
fn exclusion(rng: &mut Rng, company: &Company) -> String {
    if rng.chance(10) {
        return format!("-{}", website(rng, company));
    }
    let from = if rng.chance(70) { company.name.clone() } else { rng.pick(&WORDS).to_string() };
    let excluded = some_words(rng, &from).join(" ");
    if rng.chance(40) { format!("-\"{excluded}\"") } else { format!("-{excluded}") }
}

/// Some neighbouring words of a text.
fn some_words(rng: &mut Rng, text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let first = rng.below(words.len());
    let last = rng.within(first, (words.len() - 1).min(first + 3));
    let mut words: Vec<String> =
        words[first..=last].iter().map(|word| (*word).to_owned()).collect();
    if rng.chance(15) {
        rng.shuffle(&mut words);
    }
    words
}

/// The same or nearly the same word, written otherwise.
fn respelt(rng: &mut Rng, word: &str) -> String {
    let joiners = if word.contains(['&', '-', '.', '/']) { 6 } else { 0 };
    match rng.below(9 + joiners) {
        0 => word.to_uppercase(),
        1 | 9.. => word.replace(['&', '-', '.', '/'], ""),
        2 => word.replace(['&', '-', '.', '/'], " "),
        3 => word.replace(['ä', 'ö', 'ü'], "oe"),
        4 => word.replace("oe", "ö").replace("ue", "ü"),
        5 => format!("{word}s"),
        6 => word.trim_end_matches('s').to_owned(),
        7 => format!("{word}*"),
        _ => word.replace('&', " & "),
    }
}
