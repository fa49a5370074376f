//! Pronounceable words by number, without end and without repetition.
//!
//! A word is `initial vowel (medial vowel)* final`. Initials, medials and finals are runs of
//! consonants, so a word can be taken apart in one way only: different numbers give different
//! words.

const INITIALS: [&str; 36] = [
    "", "b", "c", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "z",
    "bl", "br", "ch", "cl", "cr", "dr", "fl", "gr", "kr", "pl", "pr", "sh", "sp", "st", "str",
    "th", "tr",
];
const VOWELS: [&str; 5] = ["a", "e", "i", "o", "u"];
const MEDIALS: [&str; 48] = [
    "b", "c", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "x", "z",
    "th", "nd", "nt", "st", "rt", "ll", "ss", "tt", "mm", "nn", "rr", "ct", "mp", "mb", "nk", "ng",
    "rd", "rk", "rm", "rn", "sk", "str", "ntr", "dr", "br", "ld", "lt", "lv", "ns",
];
const FINALS: [&str; 16] =
    ["", "l", "m", "n", "r", "s", "t", "d", "k", "x", "nd", "nt", "rd", "st", "ng", "ss"];

const PER_STEP: u64 = (MEDIALS.len() * VOWELS.len()) as u64;
const TWO_VOWEL_WORDS: u64 = (INITIALS.len() * VOWELS.len() * FINALS.len()) as u64 * PER_STEP;
const THREE_VOWEL_WORDS: u64 = TWO_VOWEL_WORDS * PER_STEP;
const FOUR_VOWEL_WORDS: u64 = THREE_VOWEL_WORDS * PER_STEP;

/// Numbers from here on are taken modulo this bound.
pub const WORDS: u64 = FOUR_VOWEL_WORDS;

/// Below this number three of four words are short, from there on every 64th: if all possible short
/// words existed, every misspelling of one would be another.
const OFTEN_SHORT: u64 = 1 << 17;

/// Spreads consecutive numbers over the alphabet; coprime to the counts above, whose only factors
/// are 2, 3 and 5.
const SPREAD: u64 = 0x9E37_79B1;

/// The number of a short word among the short ones.
fn short_ordinal(number: u64) -> Option<u64> {
    let ordinal = match number.checked_sub(OFTEN_SHORT) {
        None if !number.is_multiple_of(4) => number - number / 4 - 1,
        Some(above) if above.is_multiple_of(64) => OFTEN_SHORT / 4 * 3 + above / 64,
        _ => return None,
    };
    Some(ordinal).filter(|ordinal| *ordinal < TWO_VOWEL_WORDS)
}

/// Appends word `number` in lower case. Short ones have two vowels, the others three, those of very
/// large numbers four.
pub fn push_word(number: u64, out: &mut String) {
    let (vowels, within, count) = if let Some(ordinal) = short_ordinal(number) {
        (2, ordinal, TWO_VOWEL_WORDS)
    } else if number < THREE_VOWEL_WORDS {
        (3, number, THREE_VOWEL_WORDS)
    } else {
        (4, number % WORDS, FOUR_VOWEL_WORDS)
    };
    let mut rest = (u128::from(within) * u128::from(SPREAD) % u128::from(count)) as u64;
    let mut take = |choices: &[&'static str]| {
        let choice = choices[(rest % choices.len() as u64) as usize];
        rest /= choices.len() as u64;
        choice
    };
    out.push_str(take(&INITIALS));
    out.push_str(take(&VOWELS));
    for _ in 1..vowels {
        out.push_str(take(&MEDIALS));
        out.push_str(take(&VOWELS));
    }
    out.push_str(take(&FINALS));
}

/// Word `number` with a capital.
pub fn capitalised_word(number: u64) -> String {
    let mut word = String::with_capacity(12);
    push_word(number, &mut word);
    capitalise(&mut word, 0);
    word
}

/// Makes the ASCII letter at byte `start` a capital; anything else stays.
pub fn capitalise(text: &mut String, start: usize) {
    let Some(first) = text.as_bytes().get(start).copied().filter(u8::is_ascii_lowercase) else {
        return;
    };
    text.replace_range(
        start..=start,
        (first.to_ascii_uppercase() as char).encode_utf8(&mut [0; 4]),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn numbers_give_different_words() {
        let numbers = (0..300_000).chain(1 << 30..(1 << 30) + 1000).chain(WORDS - 1000..WORDS);
        let words: Vec<String> = numbers.map(capitalised_word).collect();
        assert_eq!(words.iter().collect::<HashSet<_>>().len(), words.len());
        assert!(words.iter().all(|word| word.chars().all(|letter| letter.is_ascii_alphabetic())));
    }

    #[test]
    fn capitalise_leaves_other_characters() {
        let mut text = "1 émile b".to_owned();
        capitalise(&mut text, 0);
        capitalise(&mut text, 2);
        capitalise(&mut text, 9);
        assert_eq!(text, "1 émile B");
        capitalise(&mut text, 99);
    }
}
