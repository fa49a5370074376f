//! Synthetic business records, as many as wanted, with the skew of real ones.
//!
//! Record `i` depends on nothing but the seed, the number of records, whether oddities are mixed
//! in, and `i`: any thread may write any record in any order, and the file is the same byte for
//! byte. With oddities the same records come out, changed here and there.
//!
//! What real collections of companies show, and this reproduces (shares are of all records):
//! - Filled: industry 90 %, employees 75 %, city 85 %, state 65 %, country 95 %, website 85 %,
//!   description 75 %, year 70 %; 5 % have an id and a name only.
//! - `employee_count`: log-normal (mean 2.8 and deviation 1.6 of the natural logarithm); above the
//!   95th percentile a Pareto tail of exponent 1.1, up to 2.5 million; 1.5 % zeros; a fifth of
//!   those over 100 are multiples of ten.
//! - `founded_year`: 2025 less one and a log-normal age in years (2.7, 0.95), from 1600 on.
//! - 3 % of the names are those of other records.
//! - A tenth have other names: one to four, a third of these records with a website for the first.
//! - [`places`], [`industries`], [`names`] and [`descriptions`] state their own.

mod accents;
mod descriptions;
mod industries;
mod names;
mod oddities;
mod places;
pub mod random;
mod record;
mod words;

use descriptions::Descriptions;
use industries::{INDUSTRY_EXPONENT, industry_names};
use names::{Name, Names};
use oddities::PlaceCodes;
use places::{City, Country, Places};
use random::{AliasTable, SplitMix64};
use rayon::prelude::*;
use record::Record;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Options of the generator.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  firmament-tools generate --records 100000 --output synthetic.jsonl
  firmament-tools generate -n 10000000 --seed 7 -o - | firmament-tools build - --output synthetic.firmament")]
pub struct GenerateArgs {
    /// Number of records
    #[arg(long, short = 'n')]
    pub records: u64,
    /// Other seeds give other records
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Mix in the oddities met in real data
    #[arg(long)]
    pub oddities: bool,
    /// Output file, `-` for standard output
    #[arg(long, short, default_value = "-")]
    pub output: PathBuf,
}

/// What each thread writes at a time, in records.
const CHUNK_RECORDS: u64 = 2048;
/// How many chunks per thread are written in one go.
const CHUNKS_PER_THREAD: u64 = 4;

/// Writes the records as JSON Lines. A reader that stops reading ends it without an error.
pub fn run(args: &GenerateArgs) -> Result<(), Box<dyn std::error::Error>> {
    let output: Box<dyn Write + Send> = if args.output == Path::new("-") {
        Box::new(io::stdout())
    } else {
        let describe = |error| format!("cannot create {}: {error}", args.output.display());
        Box::new(File::create(&args.output).map_err(describe)?)
    };
    let generator = Generator::new(args.seed, args.records, args.oddities);
    match write_all(&generator, output) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(format!("cannot write to {}: {error}", args.output.display()).into()),
        Ok(()) => Ok(()),
    }
}

/// Generates one batch while the one before is written.
fn write_all(generator: &Generator, mut output: impl Write + Send) -> io::Result<()> {
    let batch_records = CHUNK_RECORDS * CHUNKS_PER_THREAD * rayon::current_num_threads() as u64;
    let mut ready: Vec<Vec<u8>> = Vec::new();
    let mut next: Vec<Vec<u8>> = Vec::new();
    let mut start = 0;
    while start < generator.records || !ready.is_empty() {
        let end = generator.records.min(start.saturating_add(batch_records));
        let chunk_count = (end - start).div_ceil(CHUNK_RECORDS) as usize;
        next.resize_with(chunk_count, Vec::new);
        let generate = || {
            next.par_iter_mut().enumerate().for_each(|(ordinal, chunk)| {
                let chunk_start = start + ordinal as u64 * CHUNK_RECORDS;
                chunk.clear();
                for index in chunk_start..end.min(chunk_start + CHUNK_RECORDS) {
                    generator.write_record(index, chunk);
                }
            });
        };
        let write = || ready.iter().try_for_each(|chunk| output.write_all(chunk));
        rayon::join(generate, write).1?;
        std::mem::swap(&mut ready, &mut next);
        start = end;
    }
    output.flush()
}

/// Share of the records that have more than an id and a name; the other shares are of these.
const MORE_THAN_NAME: f64 = 0.95;
const INDUSTRY_FILLED: f64 = 0.90 / MORE_THAN_NAME;
const EMPLOYEES_FILLED: f64 = 0.75 / MORE_THAN_NAME;
const CITY_FILLED: f64 = 0.85 / MORE_THAN_NAME;
const STATE_FILLED: f64 = 0.65 / MORE_THAN_NAME;
const WEBSITE_FILLED: f64 = 0.85 / MORE_THAN_NAME;
const DESCRIPTION_FILLED: f64 = 0.75 / MORE_THAN_NAME;
const YEAR_FILLED: f64 = 0.70 / MORE_THAN_NAME;
const ALIASES_FILLED: f64 = 0.10 / MORE_THAN_NAME;
/// Share of the records with aliases that have one more, and of these another.
const FURTHER_ALIAS: f64 = 0.3;
const ALIASES_MAX: usize = 4;
/// Share of the aliases that are the initials of the name, where it has several words.
const INITIALS_SHARE: f64 = 0.2;
/// Share of the records with aliases that have a second website.
const OTHER_WEBSITE_SHARE: f64 = 0.33;

/// Share of the records named like another; some more agree by chance.
const REPEATED_NAMES: f64 = 0.015;
/// Shares of the names with an accent: where the language has accents, and elsewhere.
const ACCENTED_NAMES: f64 = 0.145;
const ACCENTED_ELSEWHERE: f64 = 0.012;

/// Normal quantile of 0.95, and where the tail of the employees begins.
const TAIL_QUANTILE: f64 = 1.644_854;
const EMPLOYEES_MU: f64 = 2.8;
const EMPLOYEES_SIGMA: f64 = 1.6;
const EMPLOYEES_TAIL_SHARE: f64 = 0.05;
const EMPLOYEES_TAIL_EXPONENT: f64 = 1.1;
const EMPLOYEES_MAX: f64 = 2_500_000.0;
const EMPLOYEES_ZERO_SHARE: f64 = 0.015;

/// Share of the counts above 100 that are rounded; with those that are so by chance a fifth end in
/// zero.
const ROUNDED_SHARE: f64 = 0.11;

const YEAR_OF_RECORDS: u64 = 2025;
const FIRST_YEAR: u64 = 1600;

/// What a stream of random numbers is for. A record's name can so be made without the rest of it.
#[derive(Clone, Copy)]
enum Purpose {
    Id = 1,
    Place,
    NameBlock,
    Name,
    NameOddity,
    Body,
    Oddity,
    Alias,
}

/// Makes records; holds only tables, so that it can be shared by threads.
pub struct Generator {
    seed: u64,
    records: u64,
    oddities: bool,
    industries: Vec<String>,
    industry_ranks: AliasTable,
    places: Places,
    names: Names,
    descriptions: Descriptions,
}

impl Generator {
    /// `records`: how many there are to be. The names depend on it: the more records, the more
    /// words they are made of.
    pub fn new(seed: u64, records: u64, oddities: bool) -> Self {
        let industries = industry_names();
        Self {
            seed,
            records,
            oddities,
            industry_ranks: AliasTable::zipf(industries.len(), INDUSTRY_EXPONENT),
            places: Places::new(),
            names: Names::new(records),
            descriptions: Descriptions::new(&industries),
            industries,
        }
    }

    /// Appends record `index` (below `records`) as one line of JSON, line feed included.
    pub fn write_record(&self, index: u64, out: &mut Vec<u8>) {
        let city = self.city(index);
        let name = self.name(index);
        let mut rng = self.stream(index, Purpose::Body);
        let mut record = if rng.chance(MORE_THAN_NAME) {
            self.filled_record(index, city, &name, &mut rng)
        } else {
            empty_record(self.id(index))
        };
        record.name = Cow::Borrowed(&name.text);
        if record.country.is_some() {
            self.add_aliases(index, city, &name, &mut record);
        }
        if self.oddities {
            let codes = PlaceCodes {
                country: self.places.country_of(city).code,
                state: self.places.state_code(city),
            };
            oddities::change_record(
                &mut record,
                city,
                codes,
                &mut self.stream(index, Purpose::Oddity),
            );
        }
        record.write_line(out);
    }

    fn stream(&self, index: u64, purpose: Purpose) -> SplitMix64 {
        SplitMix64::new(self.seed, index, purpose as u64)
    }

    /// Like a UUID of version 4. The first random number is a bijection of the index, and all of
    /// its bits go in: ids of one seed differ.
    fn id(&self, index: u64) -> [u8; 36] {
        let mut rng = self.stream(index, Purpose::Id);
        let (unique, other) = (rng.next_u64(), rng.next_u64());
        let displaced = (unique >> 12) & 0xF;
        let high = (unique & !0xF000) | 0x4000;
        let low = 1 << 63 | (other & 0x3FFF_FFFF_FFFF_FFF0) | displaced;
        let mut id = [b'-'; 36];
        let mut digits = (0..16u32)
            .rev()
            .map(|place| high >> (4 * place))
            .chain((0..16u32).rev().map(|place| low >> (4 * place)));
        for (position, byte) in id.iter_mut().enumerate() {
            if !matches!(position, 8 | 13 | 18 | 23)
                && let Some(digit) = digits.next()
            {
                *byte = b"0123456789abcdef"[(digit & 0xF) as usize];
            }
        }
        id
    }

    fn city(&self, index: u64) -> &City {
        self.places.draw(&mut self.stream(index, Purpose::Place))
    }

    /// The record's own name, or that of another record that has its own.
    fn name(&self, index: u64) -> Name {
        let (repeats, mut rng) = self.repeats(index);
        if repeats {
            // A few attempts find another record; in a collection of one or two there may be none.
            for _ in 0..8 {
                let other = rng.below(self.records.max(1));
                let (other_repeats, other_rng) = self.repeats(other);
                if other != index && !other_repeats {
                    return self.own_name(other, other_rng);
                }
            }
        }
        self.own_name(index, rng)
    }

    /// Whether the record repeats a name, and the rest of its stream.
    fn repeats(&self, index: u64) -> (bool, SplitMix64) {
        let mut rng = self.stream(index, Purpose::Name);
        (rng.chance(REPEATED_NAMES), rng)
    }

    fn own_name(&self, index: u64, mut rng: SplitMix64) -> Name {
        let country = self.places.country_of(self.city(index));
        let accented_share = if accents::is_accented_style(country.accents) {
            ACCENTED_NAMES
        } else {
            ACCENTED_ELSEWHERE
        };
        let accented = rng.chance(accented_share);
        let block_random = self.stream(index / names::BLOCK, Purpose::NameBlock).next_u64();
        let mut name = self.names.write(index, block_random, country, accented, &mut rng);
        if self.oddities {
            let mut odd_rng = self.stream(index, Purpose::NameOddity);
            if oddities::change_name(&mut name.text, country.accents, &mut odd_rng) {
                name.core_len = name.text.len();
            }
        }
        name
    }

    /// Other names and websites: from a stream of their own, so that all else is as without.
    fn add_aliases(&self, index: u64, city: &City, name: &Name, record: &mut Record<'_>) {
        let mut rng = self.stream(index, Purpose::Alias);
        if !rng.chance(ALIASES_FILLED) {
            return;
        }
        let mut first = None;
        while record.aliases.len() < ALIASES_MAX {
            let other = self.own_name(index, rng.clone());
            // The name took numbers of a copy of the stream.
            rng = SplitMix64::new(rng.next_u64(), index, Purpose::Alias as u64);
            let initials: String = name
                .core()
                .split(' ')
                .filter_map(|word| word.chars().next().filter(|c| c.is_alphabetic()))
                .flat_map(char::to_uppercase)
                .collect();
            let is_short = initials.chars().count() > 2 && rng.chance(INITIALS_SHARE);
            record.aliases.push(if is_short { initials } else { other.text.clone() });
            first.get_or_insert(other);
            if !rng.chance(FURTHER_ALIAS) {
                break;
            }
        }
        if let Some(first) = first.filter(|_| rng.chance(OTHER_WEBSITE_SHARE)) {
            let country = self.places.country_of(city);
            record.other_websites.push(write_website(&first, country, &mut rng));
        }
    }

    fn filled_record<'a>(
        &'a self,
        index: u64,
        city: &'a City,
        name: &Name,
        rng: &mut SplitMix64,
    ) -> Record<'a> {
        let country = self.places.country_of(city);
        let industry = self.industry_ranks.sample(rng);
        let mut record = empty_record(self.id(index));
        record.country = Some(Cow::Borrowed(country.name));
        record.industry =
            rng.chance(INDUSTRY_FILLED).then(|| Cow::Borrowed(self.industries[industry].as_str()));
        record.city = rng.chance(CITY_FILLED).then_some(Cow::Borrowed(city.name.as_str()));
        // Records in cities without a state make the others' share higher.
        let state = city
            .state
            .as_deref()
            .filter(|_| rng.chance(STATE_FILLED / self.places.with_state_share));
        record.state = state.map(Cow::Borrowed);
        record.employee_count = rng.chance(EMPLOYEES_FILLED).then(|| draw_employee_count(rng));
        record.founded_year = rng.chance(YEAR_FILLED).then(|| draw_founded_year(rng));
        record.website = rng.chance(WEBSITE_FILLED).then(|| write_website(name, country, rng));
        record.description = rng.chance(DESCRIPTION_FILLED).then(|| {
            let mut text = String::with_capacity(640);
            self.descriptions.write(rng, name.core(), industry, &mut text);
            text
        });
        record
    }
}

fn empty_record<'a>(id: [u8; 36]) -> Record<'a> {
    Record {
        id,
        name: Cow::Borrowed(""),
        website: None,
        description: None,
        industry: None,
        employee_count: None,
        city: None,
        state: None,
        country: None,
        founded_year: None,
        aliases: Vec::new(),
        other_websites: Vec::new(),
        missing_as_null: false,
    }
}

fn draw_employee_count(rng: &mut SplitMix64) -> u64 {
    let kind = rng.unit();
    if kind <= EMPLOYEES_ZERO_SHARE {
        return 0;
    }
    let tail_start = (EMPLOYEES_MU + EMPLOYEES_SIGMA * TAIL_QUANTILE).exp();
    let count = if kind > 1.0 - EMPLOYEES_TAIL_SHARE {
        // The inverse of a Pareto distribution cut off at the maximum.
        let cut_off = (tail_start / EMPLOYEES_MAX).powf(EMPLOYEES_TAIL_EXPONENT);
        tail_start * (cut_off + rng.unit() * (1.0 - cut_off)).powf(-1.0 / EMPLOYEES_TAIL_EXPONENT)
    } else {
        loop {
            let count = rng.log_normal(EMPLOYEES_MU, EMPLOYEES_SIGMA);
            if count <= tail_start {
                break count;
            }
        }
    };
    let count = count.round().clamp(1.0, EMPLOYEES_MAX) as u64;
    if count > 100 && rng.chance(ROUNDED_SHARE) { (count + 5) / 10 * 10 } else { count }
}

fn draw_founded_year(rng: &mut SplitMix64) -> u64 {
    let age = 1.0 + rng.log_normal(2.7, 0.95);
    YEAR_OF_RECORDS.saturating_sub(age as u64).max(FIRST_YEAR)
}

/// Suffixes of hosts beside the one of the country, with the share of each: in the first country,
/// and elsewhere.
const SUFFIXES: [(&str, f64, f64); 6] = [
    ("com", 0.80, 0.40),
    ("io", 0.05, 0.03),
    ("org", 0.05, 0.03),
    ("net", 0.04, 0.03),
    ("co", 0.03, 0.02),
    ("ai", 0.02, 0.01),
];

/// 80 % begin with `https://`, the others with `http://`; half of either go on with `www.`.
fn write_website(name: &Name, country: &Country, rng: &mut SplitMix64) -> String {
    let mut website = String::with_capacity(48);
    website.push_str(if rng.chance(0.8) { "https://" } else { "http://" });
    if rng.chance(0.5) {
        website.push_str("www.");
    }
    name.push_host(rng, &mut website);
    website.push('.');
    let mut kind = rng.unit();
    let suffix = SUFFIXES.iter().find(|(_, first_country, elsewhere)| {
        kind -= if country.code == "US" { first_country } else { elsewhere };
        kind <= 0.0
    });
    website.push_str(suffix.map_or(country.suffix, |(suffix, ..)| suffix));
    website
}

#[cfg(test)]
mod tests;
