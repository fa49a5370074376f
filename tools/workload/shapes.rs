//! Shapes of requests, one class each: what a mixed load has seldom or never.
//!
//! Words are those of one description, of which the ranking of [`Draw`] makes keywords; filters are
//! those of the record that the words come from.

use super::super::derive::{long_word, misspelt};
use super::super::generate::random::SplitMix64;
use super::draw::{Draw, Record};
use super::filters::{
    Pairs, append_band, append_city, append_country, append_industry, behind, pairs,
};
use super::text::{MISSPELT_LETTERS_MIN, neighbours, q};
use super::{Class, DrawRequest, Load};
use firmament::limits::{PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX};

/// Words that a sentence has beside those that are searched for.
const STOP_WORDS: [&str; 12] =
    ["a", "and", "by", "for", "from", "in", "is", "of", "on", "the", "to", "with"];

/// Fewest letters of a word whose last one is not typed yet: the others are to be a prefix.
const UNFINISHED_LETTERS_MIN: usize = 4;

/// All shapes.
pub const SHAPES: Load = Load {
    is_paired: true,
    classes: &[
        shape("one-word", |draw, random| words(draw, 1, random).map(|text| q(&text))),
        shape("two-words", |draw, random| words(draw, 2, random).map(|text| q(&text))),
        shape("five-words", |draw, random| words(draw, 5, random).map(|text| q(&text))),
        shape("one-word-quoted", |draw, random| quoted(draw, 1, random)),
        shape("two-words-quoted", |draw, random| quoted(draw, 2, random)),
        shape("one-word-without", |draw, random| without(draw, 1, random)),
        shape("two-words-without", |draw, random| without(draw, 2, random)),
        shape("one-word-unfinished", |draw, random| unfinished(draw, 1, random)),
        shape("two-words-unfinished", |draw, random| unfinished(draw, 2, random)),
        shape("word-starred", |draw, random| Some(q(&format!("{}*", words(draw, 1, random)?)))),
        shape("word-and-frequent", word_and_frequent),
        shape("two-words-and", two_words_and),
        shape("word-two-industries", word_and_two_industries),
        shape("word-city", |draw, random| filtered(draw, &[append_city], random)),
        shape("word-country", |draw, random| filtered(draw, &[append_country], random)),
        shape("word-employees", |draw, random| filtered(draw, &[append_band], random)),
        shape("word-industry-city", |draw, random| {
            filtered(draw, &[append_industry, append_city], random)
        }),
        shape("word-industry-country", |draw, random| {
            filtered(draw, &[append_industry, append_country], random)
        }),
        shape("word-industry-employees", |draw, random| {
            filtered(draw, &[append_industry, append_band], random)
        }),
        shape("word-city-employees", |draw, random| {
            filtered(draw, &[append_city, append_band], random)
        }),
        shape("word-country-employees", |draw, random| {
            filtered(draw, &[append_country, append_band], random)
        }),
        shape("words-name-asc", |draw, random| {
            with(draw, &[("sort", "name"), ("order", "asc")], random)
        }),
        shape("words-name-desc", |draw, random| {
            with(draw, &[("sort", "name"), ("order", "desc")], random)
        }),
        shape("words-employees-asc", |draw, random| {
            with(draw, &[("sort", "employee_count"), ("order", "asc")], random)
        }),
        shape("words-employees-desc", |draw, random| {
            with(draw, &[("sort", "employee_count"), ("order", "desc")], random)
        }),
        shape("words-year-asc", |draw, random| {
            with(draw, &[("sort", "founded_year"), ("order", "asc")], random)
        }),
        shape("words-year-desc", |draw, random| {
            with(draw, &[("sort", "founded_year"), ("order", "desc")], random)
        }),
        shape("words-limit-100", |draw, random| {
            with(draw, &[("limit", &PAGE_SIZE_MAX.to_string())], random)
        }),
        shape("words-page-2", |draw, random| page(draw, 2, random)),
        shape("words-page-50", |draw, random| page(draw, 50, random)),
        shape("phrase-of-two", |draw, random| phrase(draw, 2, random)),
        shape("phrase-of-three", |draw, random| phrase(draw, 3, random)),
        shape("sentence", sentence),
        shape("name-misspelt", misspelt_name),
        shape("name-reversed", reversed_name),
        shape("name-city-country", name_city_and_country),
        shape("three-words-apart", |draw, random| apart(draw, &[1, 1, 1], random)),
        shape("eight-words-apart", |draw, random| apart(draw, &[4, 4], random)),
    ],
};

const fn shape(name: &'static str, draw: DrawRequest) -> Class {
    Class { name, share: 1, draw }
}

/// Words of one description, and the record that it is of.
fn words_of(
    draw: &Draw<'_>,
    count: usize,
    random: &mut SplitMix64,
) -> Option<(Vec<String>, Record)> {
    let record = draw.record(random);
    Some((draw.keywords_of(&record, count, random)?, record))
}

fn words(draw: &Draw<'_>, count: usize, random: &mut SplitMix64) -> Option<String> {
    Some(words_of(draw, count, random)?.0.join(" "))
}

/// Words in quotes, each in its own.
fn quoted(draw: &Draw<'_>, count: usize, random: &mut SplitMix64) -> Option<String> {
    let (words, _) = words_of(draw, count, random)?;
    Some(q(&format!("\"{}\"", words.join("\" \""))))
}

/// Words, and one of another description that must not match.
fn without(draw: &Draw<'_>, count: usize, random: &mut SplitMix64) -> Option<String> {
    let (words, excluded) = (words(draw, count, random)?, self::words(draw, 1, random)?);
    let is_new = words.split(' ').all(|word| word != excluded);
    is_new.then(|| q(&format!("{words} -{excluded}")))
}

/// Words whose last one is not typed to its end.
fn unfinished(draw: &Draw<'_>, count: usize, random: &mut SplitMix64) -> Option<String> {
    let mut words = words_of(draw, count, random)?.0;
    let last = words.last_mut().filter(|word| word.chars().count() >= UNFINISHED_LETTERS_MIN)?;
    last.pop();
    Some(q(&words.join(" ")))
}

/// A word and one of the most frequent ones of its description.
fn word_and_frequent(draw: &Draw<'_>, random: &mut SplitMix64) -> Option<String> {
    let (words, record) = words_of(draw, 1, random)?;
    let frequent = draw.frequent_keyword_of(&record, random).filter(|word| *word != words[0])?;
    Some(q(&format!("{} {frequent}", words[0])))
}

fn two_words_and(draw: &Draw<'_>, random: &mut SplitMix64) -> Option<String> {
    Some(q(&words_of(draw, 2, random)?.0.join(" and ")))
}

/// A word, the industry of its record, and that of another.
fn word_and_two_industries(draw: &Draw<'_>, random: &mut SplitMix64) -> Option<String> {
    let (words, record) = words_of(draw, 1, random)?;
    let other = draw.record(random);
    let mut pairs = pairs();
    pairs.append_pair("q", &words[0]);
    append_industry(&mut pairs, &record)?;
    append_industry(&mut pairs, &other)?;
    (record.industry() != other.industry()).then(|| pairs.finish())
}

/// A word and filters of its record.
fn filtered(
    draw: &Draw<'_>,
    filters: &[fn(&mut Pairs, &Record) -> Option<()>],
    random: &mut SplitMix64,
) -> Option<String> {
    let (words, record) = words_of(draw, 1, random)?;
    let mut pairs = pairs();
    pairs.append_pair("q", &words[0]);
    filters.iter().try_for_each(|append| append(&mut pairs, &record))?;
    Some(pairs.finish())
}

/// One word or two, and other parameters.
fn with(draw: &Draw<'_>, parameters: &[(&str, &str)], random: &mut SplitMix64) -> Option<String> {
    let count = 1 + random.below(2) as usize;
    let text = words(draw, count, random)?;
    Some(pairs().append_pair("q", &text).extend_pairs(parameters).finish())
}

/// The page of this number, counted from 1, for one word or two.
fn page(draw: &Draw<'_>, number: u32, random: &mut SplitMix64) -> Option<String> {
    behind(draw, &with(draw, &[], random)?, (number - 1) * PAGE_SIZE_DEFAULT)
}

/// Neighbouring words of a description in quotes.
fn phrase(draw: &Draw<'_>, count: usize, random: &mut SplitMix64) -> Option<String> {
    let record = draw.record(random);
    let words = neighbours(&record.description_words(), count, random)?;
    (words.len() == count).then(|| q(&format!("\"{}\"", words.join(" "))))
}

/// Six to ten neighbouring words of a description, stop words among them.
fn sentence(draw: &Draw<'_>, random: &mut SplitMix64) -> Option<String> {
    let record = draw.record(random);
    let count = 6 + random.below(5) as usize;
    let words = neighbours(&record.description_words(), count, random)?;
    let is_sentence = words.iter().any(|word| STOP_WORDS.contains(&word.to_lowercase().as_str()));
    (words.len() == count && is_sentence).then(|| q(&words.join(" ")))
}

/// A name with a typing error in one of its words.
fn misspelt_name(draw: &Draw<'_>, random: &mut SplitMix64) -> Option<String> {
    let record = draw.record(random);
    let words = record.name_words().into_iter().flatten();
    let mut words: Vec<String> = words.map(str::to_lowercase).collect();
    let at = long_word(&words, MISSPELT_LETTERS_MIN, random)?;
    words[at] = misspelt(&words[at], random);
    Some(q(&words.join(" ")))
}

/// Two or three neighbouring words of a name, the last one first.
fn reversed_name(draw: &Draw<'_>, random: &mut SplitMix64) -> Option<String> {
    let record = draw.record(random);
    let count = 2 + random.below(2) as usize;
    let mut words = neighbours(&record.name_words(), count, random)?;
    words.reverse();
    (words.len() > 1).then(|| q(&words.join(" ")))
}

/// A line of an address: name, city and country.
fn name_city_and_country(draw: &Draw<'_>, random: &mut SplitMix64) -> Option<String> {
    let record = draw.record(random);
    Some(q(&format!("{} {} {}", record.name, record.city()?, record.country()?)))
}

/// Words of several descriptions, so many of each, that no record has together.
fn apart(draw: &Draw<'_>, counts: &[usize], random: &mut SplitMix64) -> Option<String> {
    let texts: Option<Vec<String>> =
        counts.iter().map(|&count| words(draw, count, random)).collect();
    let query_string = q(&texts?.join(" "));
    draw.answer(&query_string, 1)?.relaxed.then_some(query_string)
}
