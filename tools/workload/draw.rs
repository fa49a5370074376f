//! What requests are drawn from: records, words of descriptions, and answers.

use super::super::generate::random::SplitMix64;
use firmament::analyzer::{Analysis, UnitKind};
use firmament::http::parse_query_string;
use firmament::ids::DocId;
use firmament::query::page::{Page, Scratch, search};
use firmament::query::request::Query;
use firmament::snapshot::Snapshot;
use serde::Deserialize;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

/// Bands of employees: from, and to if there is an end.
pub const BANDS: [(u64, Option<u64>); 8] = [
    (1, Some(10)),
    (11, Some(50)),
    (51, Some(200)),
    (201, Some(500)),
    (501, Some(1_000)),
    (1_001, Some(5_000)),
    (5_001, Some(10_000)),
    (10_001, None),
];

/// Ranks of the words of descriptions that are keywords, the most frequent word being 1: what is
/// above stands in every text, what is below is hardly asked for.
const KEYWORD_RANKS: RangeInclusive<usize> = 15..=3_000;

/// Number of keywords that count as frequent, from the most frequent one on.
const FREQUENT_KEYWORDS: usize = 70;

/// Most records whose descriptions are counted: enough to rank 3,000 words. They are taken at equal
/// distances, so that small businesses count as large ones.
pub const COUNTED_MAX: u32 = 100_000;

/// What requests are drawn from.
pub struct Draw<'s> {
    snapshot: &'s Snapshot,
    keywords: Vec<String>,
    is_keyword: HashSet<String>,
    scratch: RefCell<Scratch>,
}

/// The fields of a record that requests are made of. Missing ones are empty.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Record {
    pub name: String,
    description: Option<String>,
    industry: Option<String>,
    employee_count: Option<u64>,
    location: Place,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Place {
    city: Option<String>,
    state: Option<String>,
    country: Option<String>,
}

impl<'s> Draw<'s> {
    /// Counts the words of descriptions.
    pub fn new(snapshot: &'s Snapshot) -> Draw<'s> {
        let step = snapshot.num_docs().div_ceil(COUNTED_MAX).max(1) as usize;
        let mut counts: HashMap<String, u32> = HashMap::new();
        for doc in (0..snapshot.num_docs()).step_by(step) {
            let record = read(snapshot, DocId(doc));
            for word in distinct_words(record.description.as_deref().unwrap_or_default()) {
                *counts.entry(word).or_default() += 1;
            }
        }
        let mut ranked: Vec<(String, u32)> = counts.into_iter().collect();
        ranked.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let keywords: Vec<String> = ranked
            .into_iter()
            .take(*KEYWORD_RANKS.end())
            .skip(KEYWORD_RANKS.start() - 1)
            .map(|(word, _)| word)
            .collect();
        let is_keyword = keywords.iter().cloned().collect();
        Draw { snapshot, keywords, is_keyword, scratch: RefCell::default() }
    }

    /// Any record; an empty one if there is none.
    pub fn record(&self, random: &mut SplitMix64) -> Record {
        match self.snapshot.num_docs() {
            0 => Record::default(),
            docs => read(self.snapshot, DocId(random.below(u64::from(docs)) as u32)),
        }
    }

    /// Any keyword, the rare ones as often as the frequent ones.
    pub fn keyword(&self, random: &mut SplitMix64) -> Option<&str> {
        let at = random.below(self.keywords.len().max(1) as u64) as usize;
        self.keywords.get(at).map(String::as_str)
    }

    /// `count` different keywords of the record's description, in any order.
    pub fn keywords_of(
        &self,
        record: &Record,
        count: usize,
        random: &mut SplitMix64,
    ) -> Option<Vec<String>> {
        let mut words = distinct_words(record.description.as_deref()?);
        words.retain(|word| self.is_keyword.contains(word));
        let mut drawn = Vec::with_capacity(count);
        while drawn.len() < count {
            if words.is_empty() {
                return None;
            }
            drawn.push(words.swap_remove(random.below(words.len() as u64) as usize));
        }
        Some(drawn)
    }

    /// Any frequent keyword of the record's description.
    pub fn frequent_keyword_of(&self, record: &Record, random: &mut SplitMix64) -> Option<String> {
        let frequent = &self.keywords[..FREQUENT_KEYWORDS.min(self.keywords.len())];
        let mut words = distinct_words(record.description.as_deref()?);
        words.retain(|word| frequent.contains(word));
        (!words.is_empty()).then(|| words.swap_remove(random.below(words.len() as u64) as usize))
    }

    /// The answer to a request without a cursor, with `limit` businesses on its page, however many.
    pub fn answer(&self, query_string: &str, limit: u32) -> Option<Page> {
        let query = Query { limit, ..parse_query_string(query_string).ok()? };
        Some(search(self.snapshot, &query, &mut self.scratch.borrow_mut()))
    }
}

impl Record {
    /// The industry.
    pub fn industry(&self) -> Option<&str> {
        self.industry.as_deref()
    }

    /// The place as `City, State`.
    pub fn city_and_state(&self) -> Option<String> {
        let (city, state) = (self.location.city.as_deref()?, self.location.state.as_deref()?);
        // A comma or a quote within a value would be read as one between values.
        let is_plain = ![city, state].iter().any(|text| text.contains([',', '"']));
        is_plain.then(|| format!("{city}, {state}"))
    }

    /// The city.
    pub fn city(&self) -> Option<&str> {
        self.location.city.as_deref()
    }

    /// The country.
    pub fn country(&self) -> Option<&str> {
        self.location.country.as_deref().filter(|country| !country.contains([',', '"']))
    }

    /// The band that the number of employees is in.
    pub fn band(&self) -> Option<(u64, Option<u64>)> {
        let count = self.employee_count?;
        BANDS.into_iter().find(|(from, to)| count >= *from && to.is_none_or(|to| count <= to))
    }

    /// The words of the name between spaces, without punctuation around them; `None` where nothing
    /// else stands.
    pub fn name_words(&self) -> Vec<Option<&str>> {
        spaced_words(&self.name)
    }

    /// Words of the description, as those of the name.
    pub fn description_words(&self) -> Vec<Option<&str>> {
        spaced_words(self.description.as_deref().unwrap_or_default())
    }
}

fn spaced_words(text: &str) -> Vec<Option<&str>> {
    text.split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .map(|word| (!word.is_empty()).then_some(word))
        .collect()
}

fn read(snapshot: &Snapshot, doc: DocId) -> Record {
    serde_json::from_slice(&snapshot.document(doc)).unwrap_or_default()
}

/// The plain words of a text, each once, in order of their first place.
fn distinct_words(text: &str) -> Vec<String> {
    let analysis = Analysis::of(text);
    let plain = analysis.units().iter().filter(|unit| unit.kind == UnitKind::Word);
    let words = plain.flat_map(|unit| analysis.words(unit));
    let mut seen = HashSet::new();
    words.map(|word| word.stripped).filter(|word| seen.insert(*word)).map(str::to_owned).collect()
}
