//! Requests with `q`: names, keywords, phrases; and, beyond the mix, prefixes, typing errors, no
//! match.

use super::super::derive::{long_word, misspelt as misspelt_word};
use super::super::generate::random::SplitMix64;
use super::draw::Draw;
use form_urlencoded::Serializer;

/// Fewest letters of a word that is misspelt: shorter ones are not corrected.
pub(super) const MISSPELT_LETTERS_MIN: usize = 5;

/// One to three neighbouring words of a name.
pub fn name(draw: &Draw<'_>, random: &mut SplitMix64) -> Option<String> {
    let record = draw.record(random);
    let count = 1 + random.below(3) as usize;
    Some(q(&neighbours(&record.name_words(), count, random)?.join(" ")))
}

/// One keyword, or two of one description.
pub fn keyword(draw: &Draw<'_>, random: &mut SplitMix64) -> Option<String> {
    if random.chance(0.5) {
        return Some(q(draw.keyword(random)?));
    }
    let record = draw.record(random);
    Some(q(&draw.keywords_of(&record, 2, random)?.join(" ")))
}

/// One or two keywords of a description, and the industry of its record.
pub fn keyword_and_industry(draw: &Draw<'_>, random: &mut SplitMix64) -> Option<String> {
    let record = draw.record(random);
    let count = 1 + random.below(2) as usize;
    let text = draw.keywords_of(&record, count, random)?.join(" ");
    let mut pairs = Serializer::new(String::new());
    Some(pairs.append_pair("q", &text).append_pair("industry", record.industry()?).finish())
}

/// Two neighbouring words of a name in quotes.
pub fn phrase(draw: &Draw<'_>, random: &mut SplitMix64) -> Option<String> {
    let record = draw.record(random);
    let words = neighbours(&record.name_words(), 2, random).filter(|words| words.len() == 2)?;
    Some(q(&format!("\"{}\"", words.join(" "))))
}

/// The first three to five letters of a word of a name.
pub fn prefix(draw: &Draw<'_>, random: &mut SplitMix64) -> Option<String> {
    let record = draw.record(random);
    let words: Vec<&str> = record.name_words().into_iter().flatten().collect();
    let word = words.get(random.below(words.len().max(1) as u64) as usize)?;
    let letters = 3 + random.below(3) as usize;
    let starts: String = word.chars().take(letters).collect();
    // What is left of the word makes it a prefix.
    (word.chars().count() > letters && starts.chars().all(char::is_alphabetic)).then(|| q(&starts))
}

/// One or two neighbouring words of a name, one of them with a typing error.
pub fn misspelt(draw: &Draw<'_>, random: &mut SplitMix64) -> Option<String> {
    let record = draw.record(random);
    let count = 1 + random.below(2) as usize;
    let mut words: Vec<String> = neighbours(&record.name_words(), count, random)?
        .into_iter()
        .map(|word| word.to_lowercase())
        .collect();
    let at = long_word(&words, MISSPELT_LETTERS_MIN, random)?;
    words[at] = misspelt_word(&words[at], random);
    Some(q(&words.join(" ")))
}

/// Letters that are no word nor near to one; or an industry and a place that exist, but not
/// together.
pub fn no_match(draw: &Draw<'_>, random: &mut SplitMix64) -> Option<String> {
    let query_string = if random.chance(0.5) {
        let letters = 8 + random.below(5);
        let letter = |_| (b'a' + random.below(26) as u8) as char;
        q(&(0..letters).map(letter).collect::<String>())
    } else {
        let (one, other) = (draw.record(random), draw.record(random));
        let mut pairs = Serializer::new(String::new());
        pairs.append_pair("industry", one.industry()?);
        pairs.append_pair("location", &other.city_and_state()?).finish()
    };
    let page = draw.answer(&query_string, 1)?;
    (page.total == 0).then_some(query_string)
}

/// Up to `count` neighbouring words, fewer only if there are no more.
pub(super) fn neighbours<'r>(
    words: &[Option<&'r str>],
    count: usize,
    random: &mut SplitMix64,
) -> Option<Vec<&'r str>> {
    let count = count.min(words.len());
    let start = random.below((words.len() - count + 1) as u64) as usize;
    let chosen: Vec<&str> = words[start..start + count].iter().copied().collect::<Option<_>>()?;
    (!chosen.is_empty()).then_some(chosen)
}

/// A query string with `q` alone.
pub(super) fn q(text: &str) -> String {
    Serializer::new(String::new()).append_pair("q", text).finish()
}
