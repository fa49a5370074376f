//! Random collections.
//!
//! Vocabularies are small, so that values collide and rules fire. Everything follows from a seed.

use firmament::company::{Company, Location, TextList};
use std::fmt::Write;

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

    /// Puts the items into another order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// Words of names, descriptions and queries. Many fold, join or decline into each other.
#[rustfmt::skip]
pub const WORDS: [&str; 64] = [
    "Apple", "apples", "APPLE", "Orange", "Böhme", "Boehme", "Bohme", "Müller", "Muller", "Mueller",
    "AT&T", "ATT", "AT", "T", "e-commerce", "ecommerce", "commerce", "e", "U.K.", "UK", "Hewlett-Packard",
    "Packard", "O'Reilly", "OReilly", "O’Reilly", "box", "boxes", "size", "sizes", "company", "companies",
    "news", "new", "gas", "gases", "東京", "東京都", "京都", "東京大学", "大学", "株式会社ECI", "삼성전자",
    "ソニー", "東", "&", "and", "Johnson", "Straße", "Strasse", "pay", "pal", "PayPal", "pay-pal", "24/7",
    "C++", "İstanbul", "café", "Bücher-Müller", "wireless", "of", "the", "Łódź", "Inc", "Group™",
];

/// Longer words, a letter or two apart, and such that join.
#[rustfmt::skip]
pub const LONG_WORDS: [&str; 39] = [
    "Marlin", "Merlin", "Martin", "Marvin", "Marlins", "Solutions", "Solution", "Resolution", "Revolution",
    "Technologies", "Technology", "Biotechnology", "Газпром", "Газпрам", "Ελλάδα", "हिन्दी", "York", "New York",
    "Old York", "Newyorks", "Software", "Softwares", "PowerPoint", "Power", "Powers", "Point", "Facebook", "Face-Book",
    "Face", "Books", "RedFox", "FoxTail", "RedFox FoxTail", "Red FoxTail",
    "RedFox Tail", "Red", "Fox", "Grünewald", "Gruenewald",
];

/// More words a letter apart than a correction takes.
#[rustfmt::skip]
const ALIKE_WORDS: [&str; 22] = [
    "Novara", "Novarb", "Novarc", "Novard", "Novare", "Novarf", "Novarg", "Novarh", "Novari", "Novarj", "Novark",
    "Novarl", "Novarm", "Novarn", "Novaro", "Novarp", "Novarq", "Novarr", "Novars", "Novart", "Novaru", "Novar7",
];

/// What names end in.
#[rustfmt::skip]
pub const LEGAL_FORMS: [&str; 18] = [
    "Inc", "Inc.", ", Inc.", "Corp.", "Co., Ltd.", "S.p.A.", "SpA", "S.A.", "GmbH", "Co.Ltd", "A.B.", "AB",
    "Company", "L.L.C.", "GmbH & Co. KG", "plc", "AG", "Ltd",
];

/// What several descriptions speak of.
pub const STOCK_PHRASES: [&str; 4] =
    ["wireless commerce", "commerce wireless", "new gas", "pay Group™ of news"];

/// Industries, some equal after folding, some containing others.
#[rustfmt::skip]
pub const INDUSTRIES: [&str; 20] = [
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
pub const PLACES: [&str; 32] = [
    "US", "CA", "DE", "GA", "WA", "NL", "Georgia", "New York", "New York, New York", "NYC", "SF", "Holland",
    "austin texas", "San Jose CA, USA", "new york new york", "Berlin, DE", "Toronto, CA", "Perth, WA, AU",
    "WA, Germany", "Singapore, Singapore", "U.K.", "the Netherlands", "\"US\"", "\"CA\", San Jose",
    "Koeln", "St Johns", "D.C.", "Gotham", "Austin, Gotham", "York", "Deutschland", "!!!",
];

/// Websites of all kinds, and texts that are none.
#[rustfmt::skip]
pub const WEBSITES: [&str; 28] = [
    "https://www.apple.com", "apple.com", "http://shop.apple.co.uk/x", "https://att.com/?q=a", "AT-T.com",
    "boehme.de", "https://böhme.de", "user:pw@Apple.com:8080/path", "foo.github.io", "localhost",
    "see our page", "//paypal.org", "tima.bücher-müller.fr", "https://東京.jp", "box.new", "boxes.com.au",
    "https://", "pay.pal.com", "packard.unknownsuffix", "www.com", "https://powerpoint.com",
    "http://www.face-book.co.uk/", "redfox.org", "merlin.technology", "novara.it", "softwares.io", "inc.ltd",
    "https://paypal.com:443",
];

/// Employee counts; many equal, the ends of the range among them.
pub const EMPLOYEES: [u64; 11] = [0, 0, 1, 9, 10, 10, 10, 11, 1000, (1 << 63) - 2, (1 << 63) - 1];

/// Founding years; many equal.
pub const YEARS: [u16; 8] = [1, 1899, 1999, 2000, 2000, 2000, 2001, 9999];

/// Beginnings of ids that sort otherwise by letter than by byte; some other ids are words.
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
    let words = vocabulary(rng);
    // Of some collections, few industries have many businesses.
    let industries = if rng.chance(30) { rng.within(1, 3) } else { INDUSTRIES.len() };
    let mut of_all = INDUSTRIES;
    rng.shuffle(&mut of_all);
    let industries = &of_all[..industries];
    let mut records: Vec<Record> = Vec::new();
    for number in 0..len {
        let earlier = &records[records.len().saturating_sub(20)..];
        let company = company(rng, number, earlier, &words, industries);
        let line = line(rng, &company);
        records.push(Record { company, line });
    }
    rng.shuffle(&mut records);
    records
}

/// The words that a collection is made of, frequent ones several times.
fn vocabulary(rng: &mut Rng) -> Vec<&'static str> {
    let mut words = WORDS.to_vec();
    match rng.below(20) {
        0..7 => {}
        7..12 => words.extend(LONG_WORDS),
        12..17 => (0..3).for_each(|_| words.extend(LONG_WORDS)),
        _ => (0..6).for_each(|_| words.extend(ALIKE_WORDS)),
    }
    words
}

fn company(
    rng: &mut Rng,
    number: usize,
    earlier: &[Record],
    vocabulary: &[&str],
    industries: &[&str],
) -> Company {
    let name = match earlier {
        [_, ..] if rng.chance(20) => rng.pick(earlier).company.name.clone(),
        _ => name(rng, vocabulary),
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
        (0..words)
            .map(|_| *rng.pick(vocabulary))
            .collect::<Vec<_>>()
            .join(*rng.pick(&[" ", " ", ", "]))
    };
    let words = rng.within(1, 6);
    // Some hosts and descriptions speak of another business.
    let other =
        if earlier.is_empty() { name.clone() } else { rng.pick(earlier).company.name.clone() };
    let website = match rng.below(100) {
        0..12 => Some(host(&other)),
        12..60 => Some((*rng.pick(&WEBSITES)).to_owned()),
        _ => None,
    };
    let description = match rng.below(100) {
        0..10 => Some(other),
        10..15 => Some(format!("{other} {}", text(rng, 1))),
        15..25 => Some(format!("{} {}", text(rng, 1), rng.pick(&STOCK_PHRASES))),
        25..70 => Some(text(rng, words)),
        _ => None,
    };
    let mut lists = [(); 2].map(|()| TextList::default());
    if rng.chance(35) {
        for list in 0..rng.within(1, 3) {
            let alias = match rng.below(10) {
                0..3 if !earlier.is_empty() => rng.pick(earlier).company.name.clone(),
                _ => self::name(rng, vocabulary),
            };
            lists[0].push(alias.trim());
            if rng.chance(30) && list < 2 {
                lists[1].push(
                    match rng.chance(50) {
                        true => host(&alias),
                        false => (*rng.pick(&WEBSITES)).to_owned(),
                    }
                    .trim(),
                );
            }
        }
    }
    let [aliases, other_websites] = lists;
    Company {
        id: match WORDS.get(number / 25) {
            Some(word) if number % 25 == 7 => (*word).to_owned(),
            _ => format!("{}{number}", rng.pick(&IDS)),
        },
        name,
        website,
        description,
        industry: rng.chance(80).then(|| (*rng.pick(industries)).to_owned()),
        employee_count: rng.chance(80).then(|| *rng.pick(&EMPLOYEES)),
        location: Location { city, state, country },
        founded_year: rng.chance(70).then(|| *rng.pick(&YEARS)),
        aliases,
        other_websites,
    }
}

/// A host that spells a name.
fn host(name: &str) -> String {
    let words: Vec<String> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    format!("{}.com", words.join("-"))
}

fn name(rng: &mut Rng, vocabulary: &[&str]) -> String {
    let words = *rng.pick(&[0, 1, 1, 1, 1, 2, 2, 2, 3]);
    let forms = if words == 0 { rng.within(1, 2) } else { *rng.pick(&[0, 0, 1, 1, 2]) };
    let mut name = String::new();
    for number in 0..words + forms {
        let word = if number < words { rng.pick(vocabulary) } else { rng.pick(&LEGAL_FORMS) };
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
        list_member(rng, "aliases", &company.aliases),
        list_member(rng, "other_websites", &company.other_websites),
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

/// A member with a text, white space around it now and then; a missing one is absent, null or
/// blank.
fn text_member(rng: &mut Rng, key: &str, value: Option<&str>) -> Option<String> {
    let value = match value {
        Some(text) if rng.chance(10) => json_text(&format!(" \u{3000}\t{text}\u{a0}\n")),
        Some(text) => json_text(text),
        None => (*rng.pick(&["", "", "null", r#""""#, r#"" \u2003 ""#])).to_owned(),
    };
    (!value.is_empty()).then(|| format!("\"{key}\":{value}"))
}

/// A member with any number of texts: a list, one text, or nothing.
fn list_member(rng: &mut Rng, key: &str, texts: &TextList) -> Option<String> {
    let mut texts: Vec<String> = texts.iter().map(json_text).collect();
    if texts.is_empty() {
        let value = rng.pick(&["", "", "null", "[]", r#"" ""#, "[null]"]);
        return (!value.is_empty()).then(|| format!("\"{key}\":{value}"));
    }
    if let [only] = texts.as_slice()
        && rng.chance(50)
    {
        return Some(format!("\"{key}\":{only}"));
    }
    if rng.chance(20) {
        texts.insert(rng.within(0, texts.len()), rng.pick(&["null", r#"" ""#]).to_string());
    }
    Some(format!("\"{key}\":[{}]", texts.join(",")))
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
