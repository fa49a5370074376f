//! Letters with marks: putting them into words, taking them apart, and writing them as hosts do.

use super::random::SplitMix64;

/// Per style of a language: the plain letters and what may stand for them.
const STYLES: &[(&str, &[(char, char)])] = &[
    ("en", &[('e', 'é'), ('o', 'ö'), ('i', 'ï'), ('a', 'à'), ('u', 'ü')]),
    ("german", &[('a', 'ä'), ('o', 'ö'), ('u', 'ü')]),
    ("french", &[('e', 'é'), ('a', 'â'), ('i', 'î'), ('o', 'ô'), ('c', 'ç'), ('e', 'è')]),
    ("spanish", &[('a', 'á'), ('e', 'é'), ('i', 'í'), ('o', 'ó'), ('u', 'ú'), ('n', 'ñ')]),
    ("portuguese", &[('a', 'ã'), ('e', 'é'), ('c', 'ç'), ('o', 'õ'), ('i', 'í')]),
    ("italian", &[('a', 'à'), ('e', 'è'), ('o', 'ò'), ('u', 'ù')]),
    ("nordic", &[('a', 'å'), ('a', 'ä'), ('o', 'ø'), ('o', 'ö'), ('e', 'æ')]),
    ("polish", &[('l', 'ł'), ('o', 'ó'), ('s', 'ś'), ('z', 'ż'), ('n', 'ń'), ('e', 'ę')]),
    ("turkish", &[('s', 'ş'), ('g', 'ğ'), ('i', 'ı'), ('o', 'ö'), ('u', 'ü'), ('c', 'ç')]),
    ("czech", &[('c', 'č'), ('s', 'š'), ('z', 'ž'), ('r', 'ř'), ('a', 'á'), ('i', 'í')]),
    ("hungarian", &[('a', 'á'), ('o', 'ő'), ('u', 'ű'), ('e', 'é')]),
    ("romanian", &[('a', 'ă'), ('i', 'î'), ('s', 'ș'), ('t', 'ț')]),
];

/// Letter, how hosts write it, and its base with the combining mark (no mark: it does not
/// decompose).
const LETTERS: &[(char, &str, Option<char>)] = &[
    ('à', "a", Some('\u{300}')),
    ('á', "a", Some('\u{301}')),
    ('â', "a", Some('\u{302}')),
    ('ã', "a", Some('\u{303}')),
    ('ä', "ae", Some('\u{308}')),
    ('å', "a", Some('\u{30A}')),
    ('æ', "ae", None),
    ('ă', "a", Some('\u{306}')),
    ('ç', "c", Some('\u{327}')),
    ('č', "c", Some('\u{30C}')),
    ('è', "e", Some('\u{300}')),
    ('é', "e", Some('\u{301}')),
    ('ę', "e", Some('\u{328}')),
    ('ğ', "g", Some('\u{306}')),
    ('ì', "i", Some('\u{300}')),
    ('í', "i", Some('\u{301}')),
    ('î', "i", Some('\u{302}')),
    ('ï', "i", Some('\u{308}')),
    ('ı', "i", None),
    ('ł', "l", None),
    ('ñ', "n", Some('\u{303}')),
    ('ń', "n", Some('\u{301}')),
    ('ò', "o", Some('\u{300}')),
    ('ó', "o", Some('\u{301}')),
    ('ô', "o", Some('\u{302}')),
    ('õ', "o", Some('\u{303}')),
    ('ö', "oe", Some('\u{308}')),
    ('ő', "o", Some('\u{30B}')),
    ('ø', "o", None),
    ('ř', "r", Some('\u{30C}')),
    ('ś', "s", Some('\u{301}')),
    ('ş', "s", Some('\u{327}')),
    ('š', "s", Some('\u{30C}')),
    ('ș', "s", Some('\u{326}')),
    ('ț', "t", Some('\u{326}')),
    ('ù', "u", Some('\u{300}')),
    ('ú', "u", Some('\u{301}')),
    ('ü', "ue", Some('\u{308}')),
    ('ű', "u", Some('\u{30B}')),
    ('ż', "z", Some('\u{307}')),
    ('ž', "z", Some('\u{30C}')),
];

/// Whether the language of this style has letters with marks beyond the odd loanword.
pub fn is_accented_style(style: &str) -> bool {
    style != "en" && STYLES.iter().any(|(name, _)| *name == style)
}

/// Replaces one letter of `text` behind byte `start`, but not the first, by one with a mark. Styles
/// unknown here count as English. Does nothing if no letter has a counterpart.
pub fn accent(text: &mut String, start: usize, style: &str, rng: &mut SplitMix64) {
    let pairs = STYLES.iter().find(|(name, _)| *name == style).unwrap_or(&STYLES[0]).1;
    let first = rng.below(pairs.len() as u64) as usize;
    for (plain, marked) in pairs[first..].iter().chain(&pairs[..first]) {
        let found = text[start..].char_indices().skip(1).find(|(_, letter)| letter == plain);
        if let Some((offset, _)) = found {
            let mut buffer = [0; 4];
            text.replace_range(
                start + offset..start + offset + plain.len_utf8(),
                marked.encode_utf8(&mut buffer),
            );
            return;
        }
    }
}

/// Appends what a host keeps of a word: lower-case ASCII letters and digits.
pub fn push_host_letters(word: &str, out: &mut String) {
    for letter in word.chars() {
        if letter.is_ascii_alphanumeric() {
            out.push(letter.to_ascii_lowercase());
        } else if let Some((_, ascii, _)) = LETTERS.iter().find(|(marked, ..)| *marked == letter) {
            out.push_str(ascii);
        }
    }
}

/// The text with every letter of the table that has a mark taken apart into base and mark (no
/// longer NFC).
pub fn decompose(text: &str) -> String {
    let mut decomposed = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match LETTERS.iter().find(|(marked, ..)| *marked == letter) {
            Some((_, ascii, Some(mark))) => {
                decomposed.push_str(&ascii[..1]);
                decomposed.push(*mark);
            }
            _ => decomposed.push(letter),
        }
    }
    decomposed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_accent_has_a_host_form() {
        for (style, pairs) in STYLES {
            for (_, marked) in *pairs {
                assert!(LETTERS.iter().any(|(letter, ..)| letter == marked), "{style} {marked}");
            }
        }
    }

    #[test]
    fn words_lose_their_marks_in_hosts_only() {
        let mut rng = SplitMix64::new(1, 1, 1);
        let mut text = "Bohme".to_owned();
        accent(&mut text, 0, "german", &mut rng);
        assert_eq!(text, "Böhme");
        let mut host = String::new();
        push_host_letters("O'Böhme-7", &mut host);
        assert_eq!(host, "oboehme7");
        assert_eq!(decompose("Böhme"), "Bo\u{308}hme");
    }
}
