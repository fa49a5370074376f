//! Places: countries, their states and cities.
//!
//! Facts reproduced: one country holds 45 % of the records and the others follow Zipf's law with
//! exponent 1.25; cities follow Zipf's law with exponent 0.93 over the whole world, and a city all
//! but fixes its state and country. Both hold at once because cities are handed out in order of
//! size, each to the country that lacks most.

use super::random::{AliasTable, SplitMix64, mix, zipf_weights};
use super::words::capitalised_word;
use std::collections::{HashMap, HashSet};

/// By frequency: English name, ISO 3166-1 alpha-2 code, suffix of hosts, group of legal forms,
/// style of accents. A `-` means none of its own.
const COUNTRIES: &str = include_str!("countries.txt");
/// Per country code: cities by size with their state (`-`: a city that has none), and further
/// states.
const CITIES: &str = include_str!("cities.txt");
/// Codes of the subdivisions of the United States, Canada and Australia.
const STATE_CODES: &str = include_str!("state_codes.txt");

/// Share of the first country.
const FIRST_COUNTRY_SHARE: f64 = 0.45;
const COUNTRY_EXPONENT: f64 = 1.25;
const CITY_EXPONENT: f64 = 0.93;
const CITY_COUNT: usize = 4000;
/// One in so many invented cities is called like an earlier one of the same country.
const NAMESAKE_EVERY: u64 = 16;
/// Words with these numbers and above name places; descriptions seldom reach them.
const FIRST_PLACE_WORD: u64 = 1 << 24;
const INVENTED_STATES: usize = 6;

pub struct Country {
    pub name: &'static str,
    pub code: &'static str,
    /// Public suffix used by hosts, without the first dot.
    pub suffix: &'static str,
    pub legal_group: &'static str,
    pub accents: &'static str,
}

pub struct City {
    pub name: String,
    /// `None` for a city that is a state of its own.
    pub state: Option<String>,
    /// Index into [`Places::countries`].
    pub country: usize,
}

pub struct Places {
    pub countries: Vec<Country>,
    cities: Vec<City>,
    by_size: AliasTable,
    /// Share of the records whose city has a state.
    pub with_state_share: f64,
    state_codes: HashMap<(&'static str, &'static str), &'static str>,
}

impl Places {
    pub fn new() -> Self {
        let countries: Vec<Country> = COUNTRIES.lines().map(parse_country).collect();
        let weights = zipf_weights(CITY_COUNT, CITY_EXPONENT);
        let cities = hand_out(&countries, &weights);
        let total: f64 = weights.iter().sum();
        let with_state: f64 = cities
            .iter()
            .zip(&weights)
            .filter(|(city, _)| city.state.is_some())
            .map(|(_, weight)| weight)
            .sum();
        let state_codes = STATE_CODES
            .lines()
            .filter_map(|line| {
                let mut parts = line.split(';');
                Some(((parts.next()?, parts.next()?), parts.next()?))
            })
            .collect();
        let by_size = AliasTable::new(&weights);
        Self { countries, cities, by_size, with_state_share: with_state / total, state_codes }
    }

    pub fn draw(&self, rng: &mut SplitMix64) -> &City {
        &self.cities[self.by_size.sample(rng)]
    }

    pub fn country_of(&self, city: &City) -> &Country {
        &self.countries[city.country]
    }

    /// The postal code of the city's state, where one is in use.
    pub fn state_code(&self, city: &City) -> Option<&'static str> {
        self.state_codes.get(&(self.country_of(city).code, city.state.as_deref()?)).copied()
    }
}

fn parse_country(line: &'static str) -> Country {
    let mut parts = line.split(';');
    let mut next = || parts.next().unwrap_or("-");
    Country { name: next(), code: next(), suffix: next(), legal_group: next(), accents: next() }
}

/// The shares the countries are to have.
fn country_shares(count: usize) -> Vec<f64> {
    let others = zipf_weights(count - 1, COUNTRY_EXPONENT);
    let total: f64 = others.iter().sum();
    let others = others.iter().map(|weight| weight / total * (1.0 - FIRST_COUNTRY_SHARE));
    std::iter::once(FIRST_COUNTRY_SHARE).chain(others).collect()
}

/// A city for each weight, largest first, so that the countries come as near to their shares as
/// they can.
fn hand_out(countries: &[Country], weights: &[f64]) -> Vec<City> {
    let total: f64 = weights.iter().sum();
    let mut lacking: Vec<f64> =
        country_shares(countries.len()).iter().map(|share| share * total).collect();
    let mut sources: Vec<CitySource> = (0u64..)
        .zip(countries)
        .map(|(ordinal, country)| CitySource::new(ordinal, country.code))
        .collect();
    weights
        .iter()
        .map(|weight| {
            let neediest = (0..lacking.len())
                .max_by(|a, b| lacking[*a].total_cmp(&lacking[*b]))
                .unwrap_or_default();
            lacking[neediest] -= weight;
            let (name, state) = sources[neediest].next_city();
            City { name, state, country: neediest }
        })
        .collect()
}

/// The cities of one country in order of size: the known ones, then invented ones.
struct CitySource {
    code: &'static str,
    known: std::vec::IntoIter<(&'static str, Option<&'static str>)>,
    states: Vec<String>,
    given: Vec<(String, Option<String>)>,
    taken: HashSet<(String, Option<String>)>,
    /// Number of the next invented word.
    next_word: u64,
}

impl CitySource {
    fn new(ordinal: u64, code: &'static str) -> Self {
        let mut known = Vec::new();
        let mut states: Vec<String> = Vec::new();
        let mut next_word = FIRST_PLACE_WORD + (ordinal << 16);
        for line in CITIES.lines().filter_map(|line| line.strip_prefix(code)?.strip_prefix(':')) {
            for entry in line.split(';').map(str::trim).filter(|entry| !entry.is_empty()) {
                let (city, state) = entry.split_once(',').unwrap_or((entry, "-"));
                let state = Some(state.trim()).filter(|state| *state != "-");
                if !city.is_empty() {
                    known.push((city, state));
                }
                states.extend(state.map(str::to_owned).filter(|state| !states.contains(state)));
            }
        }
        while states.len() < INVENTED_STATES {
            let kind = ["Province", "Region", "District"][(mix(ordinal) % 3) as usize];
            states.push(format!("{} {kind}", capitalised_word(next_word)));
            next_word += 1;
        }
        Self {
            code,
            known: known.into_iter(),
            states,
            given: Vec::new(),
            taken: HashSet::new(),
            next_word,
        }
    }

    fn next_city(&mut self) -> (String, Option<String>) {
        let city = match self.known.next() {
            Some((name, state)) => (name.to_owned(), state.map(str::to_owned)),
            None => self.invent(),
        };
        self.given.push(city.clone());
        self.taken.insert(city.clone());
        city
    }

    fn invent(&mut self) -> (String, Option<String>) {
        loop {
            let random = mix(self.next_word);
            let word = capitalised_word(self.next_word);
            self.next_word += 1;
            let name = if random.is_multiple_of(NAMESAKE_EVERY) && !self.given.is_empty() {
                self.given[(random >> 32) as usize % self.given.len()].0.clone()
            } else {
                decorate(&word, self.code, random >> 8)
            };
            // Low ranks of the states are taken more often: the product of two uniform numbers.
            let (a, b) = ((random >> 16) & 0xFFFF, (random >> 40) & 0xFFFF);
            let state = self.states[((a * b * self.states.len() as u64) >> 32) as usize].clone();
            let city = (name, Some(state));
            if !self.taken.contains(&city) {
                return city;
            }
        }
    }
}

/// Makes a place name of a word, in the manner of the country.
fn decorate(word: &str, code: &str, random: u64) -> String {
    let choice = (random % 12) as usize;
    match code {
        "US" | "CA" | "GB" | "AU" | "NZ" | "IE" | "ZA" => match choice {
            0 => format!("{word} Springs"),
            1 => format!("Port {word}"),
            2 => format!("Lake {word}"),
            3 => format!("{word} Falls"),
            4..8 => format!("{word}{}", ["ton", "ville", "field", "burg"][choice - 4]),
            8 => format!("St. {word}"),
            _ => word.to_owned(),
        },
        "ES" | "MX" | "AR" | "CO" | "CL" | "PE" | "BR" | "PT" | "PH" => match choice {
            0..3 => format!("{} {word}", ["San", "Santa", "Villa"][choice]),
            _ => word.to_owned(),
        },
        "DE" | "AT" | "CH" | "NL" | "SE" | "DK" => match choice {
            0..4 => format!("{word}{}", ["berg", "stad", "hausen", "dorf"][choice]),
            _ => word.to_owned(),
        },
        "FR" | "BE" if choice < 3 => format!("{word}-sur-{}", ["Mer", "Loire", "Seine"][choice]),
        "IN" | "PK" | "BD" if choice < 4 => {
            format!("{word}{}", ["pur", "abad", "nagar", "garh"][choice])
        }
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_well_formed() {
        let places = Places::new();
        let codes: HashSet<_> = places.countries.iter().map(|country| country.code).collect();
        assert_eq!(codes.len(), places.countries.len());
        assert!(places.countries.len() >= 115);
        for line in COUNTRIES.lines() {
            assert_eq!(line.split(';').count(), 5, "{line}");
        }
        for line in CITIES.lines() {
            assert!(codes.contains(line.split(':').next().unwrap()), "{line}");
        }
        let us_states: HashSet<_> = CITIES
            .lines()
            .filter(|line| line.starts_with("US:"))
            .flat_map(|line| line[3..].split(';'))
            .collect();
        for entry in us_states.iter().filter_map(|entry| entry.split_once(',')) {
            assert!(places.state_codes.contains_key(&("US", entry.1.trim())), "{entry:?}");
        }
    }

    #[test]
    fn cities_are_distinct_and_some_share_a_name() {
        let places = Places::new();
        let distinct: HashSet<_> =
            places.cities.iter().map(|city| (&city.name, &city.state, city.country)).collect();
        assert_eq!(distinct.len(), CITY_COUNT);
        let names: HashSet<_> = places.cities.iter().map(|city| &city.name).collect();
        assert!(names.len() < CITY_COUNT * 98 / 100);
        assert!(names.len() > CITY_COUNT * 90 / 100);
        let known = CITIES.lines().map(|line| line.matches(',').count()).sum::<usize>();
        assert!(known >= 300, "{known}");
    }

    #[test]
    fn countries_get_their_shares() {
        let places = Places::new();
        let weights = zipf_weights(CITY_COUNT, CITY_EXPONENT);
        let total: f64 = weights.iter().sum();
        let mut shares = vec![0.0; places.countries.len()];
        for (city, weight) in places.cities.iter().zip(&weights) {
            shares[city.country] += weight / total;
        }
        for (share, wanted) in shares.iter().zip(country_shares(shares.len())) {
            assert!((share - wanted).abs() < 0.003, "{share} {wanted}");
        }
        assert!(places.with_state_share > 0.8);
    }
}
