//! The skew of whole collections. Tolerances are several standard deviations wide; the seed is
//! fixed anyway.

use super::*;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

const RECORDS: u64 = 20_000;

fn lines(seed: u64, records: u64, oddities: bool) -> Vec<u8> {
    let generator = Generator::new(seed, records, oddities);
    let mut out = Vec::new();
    (0..records).for_each(|index| generator.write_record(index, &mut out));
    out
}

fn records(oddities: bool) -> Vec<Value> {
    let lines = lines(1, RECORDS, oddities);
    let records: Vec<Value> = lines
        .split_inclusive(|byte| *byte == b'\n')
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    assert_eq!(records.len() as u64, RECORDS);
    records
}

fn share(records: &[Value], holds: impl Fn(&Value) -> bool) -> f64 {
    records.iter().filter(|record| holds(record)).count() as f64 / records.len() as f64
}

/// The largest share of one value among those present.
fn top_share<'a>(values: impl Iterator<Item = &'a Value>) -> f64 {
    let mut counts: HashMap<&str, u32> = HashMap::new();
    let texts: Vec<&str> = values.filter_map(Value::as_str).collect();
    texts.iter().for_each(|text| *counts.entry(text).or_default() += 1);
    f64::from(*counts.values().max().unwrap()) / texts.len() as f64
}

fn assert_near(found: f64, wanted: f64, tolerance: f64, what: &str) {
    assert!((found - wanted).abs() <= tolerance, "{what}: {found}, wanted {wanted}");
}

#[test]
fn order_and_threads_do_not_matter() {
    let (seed, count) = (7, 9000);
    let expected = lines(seed, count, true);
    let generator = Generator::new(seed, count, true);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut written = Vec::new();
        pool.install(|| write_all(&generator, &mut written)).unwrap();
        assert!(written == expected, "{threads} threads");
    }
    let mut backwards: Vec<Vec<u8>> = Vec::new();
    for index in (0..count).rev() {
        let mut line = Vec::new();
        generator.write_record(index, &mut line);
        backwards.push(line);
    }
    backwards.reverse();
    assert!(backwards.concat() == expected);
}

#[test]
fn seeds_differ_and_oddities_change_only_some_records() {
    assert!(lines(1, 100, false) != lines(2, 100, false));
    let (plain, odd) = (lines(1, 2000, false), lines(1, 2000, true));
    let same = plain
        .split(|byte| *byte == b'\n')
        .zip(odd.split(|byte| *byte == b'\n'))
        .filter(|(a, b)| a == b)
        .count();
    assert!((800..1600).contains(&same), "{same}");
}

#[test]
fn collections_of_any_size_can_be_written() {
    for count in 0..6 {
        assert_eq!(
            lines(1, count, true).iter().filter(|byte| **byte == b'\n').count() as u64,
            count
        );
    }
    let last = u64::MAX - 1;
    Generator::new(u64::MAX, u64::MAX, true).write_record(last, &mut Vec::new());
}

#[test]
fn a_closed_pipe_is_no_error_of_the_records() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let error = write_all(&Generator::new(1, 100_000, false), Closed).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
}

#[test]
fn every_record_is_acceptable() {
    for oddities in [false, true] {
        let mut ids = HashSet::new();
        for record in records(oddities) {
            let id = record["id"].as_str().unwrap();
            assert!(ids.insert(id.to_owned()));
            assert_eq!((id.len(), &id[14..15]), (36, "4"));
            assert!(matches!(&id[19..20], "8" | "9" | "a" | "b"));
            assert!(id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-')));
            assert!(!record["name"].as_str().unwrap().trim().is_empty());
            for (key, value) in record.as_object().unwrap() {
                match key.as_str() {
                    "employee_count" => {
                        assert!(value.is_null() || value.as_u64().unwrap() <= 2_500_000)
                    }
                    "founded_year" => {
                        assert!(value.is_null() || (1..=2025).contains(&value.as_u64().unwrap()))
                    }
                    "location" => assert!(value.is_object()),
                    "aliases" | "other_websites" => {
                        let texts = value.as_array().unwrap();
                        assert!((1..=ALIASES_MAX).contains(&texts.len()), "{texts:?}");
                        assert!(texts.iter().all(|text| !text.as_str().unwrap().is_empty()));
                    }
                    _ => assert!(value.is_null() || value.is_string(), "{key}"),
                }
            }
        }
    }
}

#[test]
fn fill_rates_are_the_real_ones() {
    let records = records(false);
    let at = |pointer: &'static str| share(&records, |record| record.pointer(pointer).is_some());
    for (pointer, wanted) in [
        ("/industry", 0.90),
        ("/employee_count", 0.75),
        ("/location/city", 0.85),
        ("/location/state", 0.65),
        ("/location/country", 0.95),
        ("/website", 0.85),
        ("/description", 0.75),
        ("/founded_year", 0.70),
        ("/aliases", 0.10),
        ("/aliases/1", 0.03),
        ("/other_websites", 0.033),
    ] {
        assert_near(at(pointer), wanted, 0.015, pointer);
    }
    assert_near(
        share(&records, |record| record.as_object().unwrap().len() == 2),
        0.05,
        0.01,
        "name only",
    );
}

#[test]
fn heads_are_as_heavy_as_real_ones() {
    let records = records(false);
    let industry = top_share(records.iter().map(|record| &record["industry"]));
    assert_near(industry, 0.114, 0.01, "first industry");
    let country = top_share(records.iter().map(|record| &record["location"]["country"]));
    assert_near(country, 0.45, 0.015, "first country");
    let city = top_share(records.iter().map(|record| &record["location"]["city"]));
    assert_near(city, 0.085, 0.01, "first city");
}

#[test]
fn names_have_the_real_lengths_and_repeat_a_little() {
    let records = records(false);
    let names: Vec<&str> = records.iter().map(|record| record["name"].as_str().unwrap()).collect();
    for (words, wanted) in [(1, 0.25), (2, 0.33), (3, 0.25), (4, 0.11), (5, 0.06)] {
        let found = names.iter().filter(|name| name.split(' ').count().min(5) == words).count();
        assert_near(found as f64 / names.len() as f64, wanted, 0.01, "names of so many words");
    }
    let distinct = names.iter().collect::<HashSet<_>>().len();
    assert_near(1.0 - distinct as f64 / names.len() as f64, 0.03, 0.01, "repeated names");
    assert_near(
        share(&records, |record| !record["name"].as_str().unwrap().is_ascii()),
        0.04,
        0.01,
        "accents",
    );
    let words: Vec<String> =
        names.iter().flat_map(|name| name.split(' ')).map(str::to_lowercase).collect();
    let wanted = 0.85 * (words.len() as f64).powf(0.88);
    let vocabulary = words.iter().collect::<HashSet<_>>().len() as f64;
    assert_near(vocabulary / wanted, 1.0, 0.15, "vocabulary of names");
}

#[test]
fn descriptions_have_the_real_vocabulary() {
    let records = records(false);
    let mut texts_with: HashMap<String, u32> = HashMap::new();
    let (mut texts, mut words) = (0, 0);
    for text in records.iter().filter_map(|record| record["description"].as_str()) {
        let all: Vec<String> = text
            .split(|letter: char| !letter.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        assert!(
            text.ends_with('.') && text.starts_with(|letter: char| !letter.is_lowercase()),
            "{text}"
        );
        texts += 1;
        words += all.len();
        all.into_iter()
            .collect::<HashSet<_>>()
            .into_iter()
            .for_each(|word| *texts_with.entry(word).or_default() += 1);
    }
    let in_over = |share: f64| {
        texts_with.values().filter(|count| f64::from(**count) > share * f64::from(texts)).count()
            as f64
    };
    assert_near(in_over(0.5), 16.0, 3.0, "words in over half of the texts");
    assert_near(in_over(0.1), 85.0, 9.0, "words in over 10 % of the texts");
    assert_near(in_over(0.01), 1000.0, 100.0, "words in over 1 % of the texts");
    let wanted = 4.0 * (words as f64).powf(0.67);
    assert_near(texts_with.len() as f64 / wanted, 1.0, 0.15, "vocabulary of descriptions");
}

#[test]
fn numbers_follow_their_distributions() {
    let records = records(false);
    let mut counts: Vec<u64> =
        records.iter().filter_map(|record| record["employee_count"].as_u64()).collect();
    counts.sort_unstable();
    let at = |share: f64| counts[(share * counts.len() as f64) as usize] as f64;
    assert_near(at(0.5), 16.0, 2.0, "median of employees");
    assert_near(at(0.95), 229.0, 30.0, "95th percentile of employees");
    assert!(counts[counts.len() - 1] > 10_000);
    let larger: Vec<_> = counts.iter().filter(|count| **count > 100).collect();
    let round = larger.iter().filter(|count| **count % 10 == 0).count();
    assert_near(round as f64 / larger.len() as f64, 0.2, 0.04, "multiples of ten");
    let mut years: Vec<u64> =
        records.iter().filter_map(|record| record["founded_year"].as_u64()).collect();
    years.sort_unstable();
    assert!(years[0] >= FIRST_YEAR && *years.last().unwrap() < YEAR_OF_RECORDS);
    assert_near(years[years.len() / 2] as f64, 2010.0, 2.0, "median year");
}

#[test]
fn oddities_are_there() {
    let text = String::from_utf8(lines(1, RECORDS, true)).unwrap();
    for odd in [
        "#NAME?",
        "Ã©",
        "\u{AD}",
        "e\u{301}",
        "<br/>",
        "&amp;",
        "\\n",
        "\"USA\"",
        "\"us\"",
        "\"CA\"",
        ":970}",
        ":2100000",
        "\"\"",
        ":null",
        "有限公司",
        "ООО",
        "شركة",
        "🚀",
        "株式会社",
        "(주)",
        "\"website\":\"www.",
        "\\\"",
    ] {
        assert!(text.contains(odd), "{odd}");
    }
    let records = records(true);
    assert!(
        share(&records, |record| record["website"].as_str().is_some_and(|url| url.len() >= 310))
            > 0.005
    );
    assert!(share(&records, |record| record["name"].as_str() == Some("#NAME?")) < 0.02);
}
