//! Random collections and random requests for them.
//!
//! Vocabularies are small and the requests are half made of what the collection holds, so that values collide,
//! rules fire and answers are not empty. Everything follows from a seed.

use firmament::analyzer::fold_filter;
use firmament::company::{Company, Location};
use firmament::query::{Query, SortKey, SortOrder, TextQuery};
use std::fmt::{self, Write};

/// A small generator of pseudo-random numbers (SplitMix64): no statistics depend on it.
#[derive(Clone)]
pub struct Rng(u64);

impl Rng {
    /// The generator number `stream` of a seed.
    pub fn new(seed: u64, stream: u64) -> Rng {
        let mut rng = Rng(seed ^ stream.wrapping_mul(0xd6e8_feb8_6659_fd93));
        rng.next();
        rng
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// A number of a range, both ends included.
    pub fn within(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last - first + 1)
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// Words of names, descriptions and queries. Many fold, join or decline into each other.
#[rustfmt::skip]
const WORDS: [&str; 64] = [
    "Apple", "apples", "APPLE", "Orange", "Böhme", "Boehme", "Bohme", "Müller", "Muller", "Mueller",
    "AT&T", "ATT", "AT", "T", "e-commerce", "ecommerce", "commerce", "e", "U.K.", "UK", "Hewlett-Packard",
    "Packard", "O'Reilly", "OReilly", "O’Reilly", "box", "boxes", "size", "sizes", "company", "companies",
    "news", "new", "gas", "gases", "東京", "東京都", "京都", "東京大学", "大学", "株式会社ECI", "삼성전자",
    "ソニー", "東", "&", "and", "Johnson", "Straße", "Strasse", "pay", "pal", "PayPal", "pay-pal", "24/7",
    "C++", "İstanbul", "café", "Bücher-Müller", "wireless", "of", "the", "Łódź", "Inc", "Group™",
];

/// What names end in.
#[rustfmt::skip]
const LEGAL_FORMS: [&str; 18] = [
    "Inc", "Inc.", ", Inc.", "Corp.", "Co., Ltd.", "S.p.A.", "SpA", "S.A.", "GmbH", "Co.Ltd", "A.B.", "AB",
    "Company", "L.L.C.", "GmbH & Co. KG", "plc", "AG", "Ltd",
];

/// Industries, some equal after folding, some containing others.
#[rustfmt::skip]
const INDUSTRIES: [&str; 20] = [
    "Oil, Gas & Mining", "Oil", "Oil, Gas", "Gas & Mining", "Gas and Mining", "Mining", "Software",
    "software", "Software & IT", "E-commerce", "Cafés", "Cafes", "Möbel", "Moebel", "R&D", "Boxes",
    "Banks, Credit Unions", "Company   News", "Apple Boxes", "AT&T Resellers",
];

/// City, state, country that belong together; empty values are missing.
#[rustfmt::skip]
const LOCATIONS: [(&str, &str, &str); 34] = [
    ("New York", "New York", "United States"), ("New York", "NY", "US"), ("NYC", "NY", "USA"),
    ("Buffalo", "New York", "U.S."), ("Austin", "Texas", "United States"), ("Austin", "TX", "USA"),
    ("San José", "California", "US"), ("San Jose", "CA", "America"), ("San José", "", "Costa Rica"),
    ("Atlanta", "Georgia", "United States"), ("Atlanta", "GA", "US"), ("Tbilisi", "", "Georgia"),
    ("Libreville", "", "GA"), ("Perth", "WA", "Australia"), ("Perth", "Western Australia", "AU"),
    ("Seattle", "WA", "US"), ("Seattle", "WA", ""), ("Mannheim", "WA", "Germany"), ("Berlin", "", "DE"),
    ("Berlin", "Berlin", "Germany"), ("Wilmington", "DE", "US"), ("Toronto", "ON", "CA"),
    ("Toronto", "Ontario", "Canada"), ("Calgary", "AB", "Canada"), ("Holland", "MI", "US"),
    ("Amsterdam", "", "The Netherlands"), ("Utrecht", "Utrecht", "NL"), ("St. John’s", "NL", "Canada"),
    ("St. Louis", "MO", "US"), ("Washington", "D.C.", "US"), ("Köln", "NRW", "Germany"),
    ("Singapore", "", "Singapore"), ("London", "England", "UK"), ("東京", "", "Japan"),
];

/// Values of `location` beside those of the records.
#[rustfmt::skip]
const PLACES: [&str; 32] = [
    "US", "CA", "DE", "GA", "WA", "NL", "Georgia", "New York", "New York, New York", "NYC", "SF", "Holland",
    "austin texas", "San Jose CA, USA", "new york new york", "Berlin, DE", "Toronto, CA", "Perth, WA, AU",
    "WA, Germany", "Singapore, Singapore", "U.K.", "the Netherlands", "\"US\"", "\"CA\", San Jose",
    "Koeln", "St Johns", "D.C.", "Gotham", "Austin, Gotham", "York", "Deutschland", "!!!",
];

/// Websites of all kinds, and texts that are none.
#[rustfmt::skip]
const WEBSITES: [&str; 20] = [
    "https://www.apple.com", "apple.com", "http://shop.apple.co.uk/x", "https://att.com/?q=a", "AT-T.com",
    "boehme.de", "https://böhme.de", "user:pw@Apple.com:8080/path", "foo.github.io", "localhost",
    "see our page", "//paypal.org", "tima.bücher-müller.fr", "https://東京.jp", "box.new", "boxes.com.au",
    "https://", "pay.pal.com", "packard.unknownsuffix", "www.com",
];

/// Employee counts; many equal, the ends of the range among them.
const EMPLOYEES: [u64; 11] = [0, 0, 1, 9, 10, 10, 10, 11, 1000, (1 << 63) - 2, (1 << 63) - 1];

/// Founding years; many equal.
const YEARS: [u16; 8] = [1, 1899, 1999, 2000, 2000, 2000, 2001, 9999];

/// Beginnings of ids that sort otherwise by letter than by byte.
const IDS: [&str; 8] = ["a", "B", "b", "Ä", "10", "9", "a-", "🚀"];

/// A record: what a reader must make of it, and a line of JSON that says so.
#[derive(Clone, Debug)]
pub struct Record {
    /// The values, trimmed.
    pub company: Company,
    /// The line.
    pub line: String,
}

/// A collection of `len` records.
pub fn records(rng: &mut Rng, len: usize) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    for number in 0..len {
        let earlier = &records[records.len().saturating_sub(20)..];
        let company = company(rng, number, earlier);
        let line = line(rng, &company);
        records.push(Record { company, line });
    }
    rng.shuffle(&mut records);
    records
}

fn company(rng: &mut Rng, number: usize, earlier: &[Record]) -> Company {
    let name = match earlier {
        [_, ..] if rng.chance(20) => rng.pick(earlier).company.name.clone(),
        _ => name(rng),
    };
    let (city, state, country) = *rng.pick(&LOCATIONS);
    let mut location = [city, state, country];
    for (kind, value) in location.iter_mut().enumerate() {
        let (city, state, country) = *rng.pick(&LOCATIONS);
        match rng.below(10) {
            0 => *value = "",
            1 => *value = [city, state, country][kind],
            2 => *value = *rng.pick::<&str>(&[city, state, country]),
            _ => {}
        }
    }
    let [city, state, country] = location.map(|text| (!text.is_empty()).then(|| text.to_owned()));
    let text = |rng: &mut Rng, words: usize| -> String {
        (0..words).map(|_| *rng.pick(&WORDS)).collect::<Vec<_>>().join(*rng.pick(&[" ", " ", ", "]))
    };
    let words = rng.within(1, 6);
    Company {
        id: format!("{}{number}", rng.pick(&IDS)),
        name,
        website: rng.chance(60).then(|| (*rng.pick(&WEBSITES)).to_owned()),
        description: rng.chance(70).then(|| text(rng, words)),
        industry: rng.chance(80).then(|| (*rng.pick(&INDUSTRIES)).to_owned()),
        employee_count: rng.chance(80).then(|| *rng.pick(&EMPLOYEES)),
        location: Location { city, state, country },
        founded_year: rng.chance(70).then(|| *rng.pick(&YEARS)),
    }
}

fn name(rng: &mut Rng) -> String {
    let words = *rng.pick(&[0, 1, 1, 1, 1, 2, 2, 2, 3]);
    let forms = if words == 0 { rng.within(1, 2) } else { *rng.pick(&[0, 0, 1, 1, 2]) };
    let mut name = String::new();
    for number in 0..words + forms {
        let word = if number < words { rng.pick(&WORDS) } else { rng.pick(&LEGAL_FORMS) };
        let space = if number == 0 || word.starts_with(',') { "" } else { " " };
        let _ = write!(name, "{space}{word}");
    }
    name.trim().to_owned()
}

/// A record as a line of JSON, in one of the many ways to write it.
fn line(rng: &mut Rng, company: &Company) -> String {
    let location = &company.location;
    let mut places = vec![
        text_member(rng, "city", location.city.as_deref()),
        text_member(rng, "state", location.state.as_deref()),
        text_member(rng, "country", location.country.as_deref()),
    ];
    let location = match places.iter().all(Option::is_none) {
        true if rng.chance(50) => rng.chance(50).then(|| r#""location":null"#.to_owned()),
        _ => Some(format!(r#""location":{{{}}}"#, object(rng, &mut places))),
    };
    let mut members = vec![
        text_member(rng, "id", Some(&company.id)),
        text_member(rng, "name", Some(&company.name)),
        text_member(rng, "website", company.website.as_deref()),
        text_member(rng, "description", company.description.as_deref()),
        text_member(rng, "industry", company.industry.as_deref()),
        number_member(rng, "employee_count", company.employee_count),
        location,
        number_member(rng, "founded_year", company.founded_year.map(u64::from)),
        rng.chance(10).then(|| r#""unknown":{"name":["x",{}]}"#.to_owned()),
    ];
    format!("{{{}}}", object(rng, &mut members))
}

fn object(rng: &mut Rng, members: &mut [Option<String>]) -> String {
    if rng.chance(20) {
        rng.shuffle(members);
    }
    members.iter().flatten().map(String::as_str).collect::<Vec<_>>().join(",")
}

/// A member with a text, white space around it now and then; a missing one is absent, null or blank.
fn text_member(rng: &mut Rng, key: &str, value: Option<&str>) -> Option<String> {
    let value = match value {
        Some(text) if rng.chance(10) => json_text(&format!(" \u{3000}\t{text}\u{a0}\n")),
        Some(text) => json_text(text),
        None => (*rng.pick(&["", "", "null", r#""""#, r#"" \u2003 ""#])).to_owned(),
    };
    (!value.is_empty()).then(|| format!("\"{key}\":{value}"))
}

fn number_member(rng: &mut Rng, key: &str, value: Option<u64>) -> Option<String> {
    match value {
        Some(number) => Some(format!("\"{key}\":{number}")),
        None => rng.chance(30).then(|| format!("\"{key}\":null")),
    }
}

/// A text as JSON.
pub fn json_text(text: &str) -> String {
    serde_json::to_string(text).expect("texts are JSON")
}

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
            employee_count_min: self.min,
            employee_count_max: self.max,
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
        write!(f, " & sort={:?} & order={:?} & limit={}", self.sort, self.order, self.limit)
    }
}

/// All values of `sort`.
pub const SORTS: [SortKey; 4] =
    [SortKey::Relevance, SortKey::Name, SortKey::EmployeeCount, SortKey::FoundedYear];

/// All values of `order`.
pub const ORDERS: [SortOrder; 2] = [SortOrder::Asc, SortOrder::Desc];

/// A request for a collection. Its parts are mostly about one and the same record, so that together they match
/// something.
pub fn request(rng: &mut Rng, records: &[Record]) -> Request {
    let target = std::slice::from_ref(rng.pick(records));
    let about = |rng: &mut Rng| if rng.chance(80) { target } else { records };
    let mut request = Request { limit: rng.within(1, 100) as u32, ..Request::default() };
    if rng.chance(75) {
        request.q = q(rng, target);
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
    if rng.chance(50) {
        request.sort = *rng.pick(&SORTS);
    }
    if rng.chance(50) {
        request.order = Some(*rng.pick(&ORDERS));
    }
    request
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

/// The pieces of a `q`.
fn q(rng: &mut Rng, records: &[Record]) -> Vec<String> {
    if rng.chance(4) {
        return vec![(*rng.pick(&["", " ", "!!!", "\"\"", "-", "&", "*"])).to_owned()];
    }
    let mut pieces = Vec::new();
    let company = &rng.pick(records).company;
    match rng.below(10) {
        0 | 1 => pieces.push(company.name.clone()),
        2..5 => pieces.extend(some_words(rng, &company.name)),
        5 => pieces.extend(some_words(rng, company.description.as_deref().unwrap_or("box"))),
        6 => pieces.extend(some_words(rng, company.industry.as_deref().unwrap_or("Oil"))),
        7 => pieces.push((*rng.pick(&WEBSITES)).to_owned()),
        8 => pieces.extend((0..rng.within(1, 3)).map(|_| (*rng.pick(&WORDS)).to_owned())),
        _ => {}
    }
    for piece in &mut pieces {
        if rng.chance(25) {
            *piece = respelt(rng, piece);
        }
    }
    if rng.chance(15) {
        pieces.push((*rng.pick(&LEGAL_FORMS)).to_owned());
    }
    if rng.chance(20) || pieces.is_empty() {
        let from = if rng.chance(70) { company.name.clone() } else { rng.pick(&WORDS).to_string() };
        let excluded = some_words(rng, &from).join(" ");
        let quoted = rng.chance(40);
        pieces.push(if quoted { format!("-\"{excluded}\"") } else { format!("-{excluded}") });
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
