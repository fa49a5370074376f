//! Folding: texts that a reader takes for the same become the same.
//!
//! In: any text. Out: NFKC with full case folding; combining marks dropped after Latin, Greek,
//! Cyrillic, Hebrew and Arabic letters; `æ œ ø ł đ ð ß þ ı` spelt out; `™ ℠ ® ©` a space; Arabic
//! and Persian letters that are written alike one letter; Han characters simplified (`han`). The
//! letters ä, ö and ü stay in the folded text, because a word with one has two forms ([`stripped`]
//! and [`expanded`]). Folding twice gives what folding once gives.
//!
//! Source: Unicode Standard Annex 15 (normalisation), Unicode section 3.13 (case folding).

use super::han;
use icu_casemap::CaseMapper;
use icu_normalizer::{ComposingNormalizer, DecomposingNormalizer};
use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, Script};

/// What a character of a folded text does in the making of words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// A letter or digit of a plain word.
    Letter,
    /// A mark; part of the word before it.
    Mark,
    /// A character of a script that is written without spaces between words; part of a run.
    Unspaced,
    /// An apostrophe; dropped inside a word, but where it ends an elided article.
    Apostrophe,
    /// `-`, `.` or `/`.
    Joiner,
    /// `&`.
    Ampersand,
    /// White space.
    Space,
    /// Any other sign; ends words.
    Sign,
}

/// The class of a character of a folded text.
#[inline]
pub fn class_of(c: char) -> Class {
    match c {
        c if c.is_ascii() => class_of_ascii(c as u8),
        '\u{2019}' | '\u{2bc}' => Class::Apostrophe,
        c if c.is_whitespace() => Class::Space,
        c => class_of_other(c),
    }
}

/// The class of an ASCII character of a folded text, and of any other byte that of a sign.
#[inline]
pub fn class_of_ascii(byte: u8) -> Class {
    static CLASSES: [Class; 256] = {
        let mut classes = [Class::Sign; 256];
        let mut byte = 0u8;
        while byte < 128 {
            classes[byte as usize] = match byte {
                b'a'..=b'z' | b'0'..=b'9' | b'A'..=b'Z' => Class::Letter,
                b'-' | b'.' | b'/' => Class::Joiner,
                b'&' => Class::Ampersand,
                b'\'' | b'`' => Class::Apostrophe,
                b'\t'..=b'\r' | b' ' => Class::Space,
                _ => Class::Sign,
            };
            byte += 1;
        }
        classes
    };
    CLASSES[usize::from(byte)]
}

/// Is `c` a quotation mark, straight or curly?
pub fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}')
}

/// Is `c` a letter (general category L)?
pub fn is_letter(c: char) -> bool {
    use GeneralCategory as G;
    c.is_ascii_alphabetic()
        || !c.is_ascii()
            && matches!(
                CodePointMapData::<GeneralCategory>::new().get(c),
                G::UppercaseLetter
                    | G::LowercaseLetter
                    | G::TitlecaseLetter
                    | G::ModifierLetter
                    | G::OtherLetter
            )
}

fn class_of_other(c: char) -> Class {
    use GeneralCategory as G;
    match CodePointMapData::<GeneralCategory>::new().get(c) {
        G::NonspacingMark | G::SpacingMark | G::EnclosingMark => Class::Mark,
        G::UppercaseLetter
        | G::LowercaseLetter
        | G::TitlecaseLetter
        | G::ModifierLetter
        | G::OtherLetter
        | G::DecimalNumber
        | G::LetterNumber
        | G::OtherNumber => {
            if matches!(c, 'ー' | '々') {
                return Class::Unspaced;
            }
            match CodePointMapData::<Script>::new().get(c) {
                Script::Han
                | Script::Hiragana
                | Script::Katakana
                | Script::Hangul
                | Script::Bopomofo
                | Script::Thai
                | Script::Lao
                | Script::Khmer
                | Script::Myanmar => Class::Unspaced,
                _ => Class::Letter,
            }
        }
        _ => Class::Sign,
    }
}

/// The character without its umlaut.
#[inline]
pub fn stripped(c: char) -> char {
    match c {
        'ä' => 'a',
        'ö' => 'o',
        'ü' => 'u',
        c => c,
    }
}

/// The two letters that stand for an umlaut.
#[inline]
pub fn expanded(c: char) -> Option<&'static str> {
    match c {
        'ä' => Some("ae"),
        'ö' => Some("oe"),
        'ü' => Some("ue"),
        _ => None,
    }
}

/// The folded text; see the module.
pub fn fold_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold_into(text, &mut out);
    out
}

/// Appends the folded `text` to `out`.
pub fn fold_into(text: &str, out: &mut String) {
    if text.is_ascii() {
        let start = out.len();
        out.push_str(text);
        out[start..].make_ascii_lowercase();
        return;
    }
    let cleaned: String = text.chars().filter_map(clean).collect();
    let composed = ComposingNormalizer::new_nfkc();
    let folded = CaseMapper::new().fold_string(&composed.normalize(&cleaned)).into_owned();
    // Case folding may leave text that is no longer normalised, and that folds once more when it
    // is.
    let folded = CaseMapper::new().fold_string(&composed.normalize(&folded)).into_owned();
    let decomposed = DecomposingNormalizer::new_nfkd();
    let mut stripped = String::with_capacity(folded.len());
    let mut drops_marks = false;
    for c in decomposed.normalize(&folded).chars() {
        if c.is_ascii() {
            drops_marks = c.is_ascii_alphabetic();
            stripped.push(c);
            continue;
        }
        // The stroke that stretches Arabic words is none of their letters.
        if c == '\u{640}' {
            continue;
        }
        match c {
            '\u{308}' if drops_marks => match stripped.pop() {
                Some('a') => stripped.push('ä'),
                Some('o') => stripped.push('ö'),
                Some('u') => stripped.push('ü'),
                last => stripped.extend(last),
            },
            _ if class_of(c) == Class::Mark => {
                if !drops_marks {
                    stripped.push(c);
                }
            }
            'æ' => stripped.push_str("ae"),
            'œ' => stripped.push_str("oe"),
            'ø' => stripped.push('o'),
            'ł' => stripped.push('l'),
            'đ' | 'ð' => stripped.push('d'),
            'þ' => stripped.push_str("th"),
            'ı' => stripped.push('i'),
            'ß' => stripped.push_str("ss"),
            '\u{2010}' => stripped.push('-'),
            c => stripped.push(han::simplified(arabic(c))),
        }
        if class_of(c) != Class::Mark {
            drops_marks = class_of(c) == Class::Letter
                && matches!(
                    CodePointMapData::<Script>::new().get(c),
                    Script::Latin
                        | Script::Greek
                        | Script::Cyrillic
                        | Script::Hebrew
                        | Script::Arabic
                );
        }
    }
    out.push_str(&ComposingNormalizer::new_nfc().normalize(&stripped));
}

/// The Arabic letter that is written as this one is in other languages of the script: alef, kaf,
/// heh with teh marbuta, yeh.
fn arabic(c: char) -> char {
    match c {
        '\u{671}' => '\u{627}',
        '\u{6a9}' | '\u{6aa}' => '\u{643}',
        '\u{629}' | '\u{6be}' | '\u{6c1}' | '\u{6c3}' | '\u{6d5}' => '\u{647}',
        '\u{649}' | '\u{6cc}' => '\u{64a}',
        c => c,
    }
}

/// Prepares a character for normalisation: signs of ownership separate, invisible characters go, an
/// acute accent that stands alone, of which normalisation makes a space, is an apostrophe.
fn clean(c: char) -> Option<char> {
    match c {
        '™' | '℠' | '®' | '©' => Some(' '),
        '´' => Some('\''),
        // Variation selectors.
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => None,
        '\u{180b}'..='\u{180d}' | '\u{180f}' => None,
        // Invisible format characters: soft hyphen, grapheme joiner, zero-width space and
        // (non-)joiner, direction marks, word joiner, byte order mark.
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{200b}'..='\u{200f}' => None,
        '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => None,
        c => Some(c),
    }
}

/// The forms, one or two, under which a filter value is compared: folded, `&` as `and`, dots and
/// apostrophes dropped, hyphens and dashes as spaces, white space collapsed, no white space around
/// commas.
pub fn fold_filter(text: &str) -> Vec<String> {
    let folded = fold_text(text);
    let value = if is_spaced(folded.as_bytes()) { folded } else { spaced(&folded) };
    if value.is_ascii() || !value.chars().any(|c| expanded(c).is_some()) {
        return vec![value];
    }
    let stripped = value.chars().map(stripped).collect();
    let mut with_letters = String::with_capacity(value.len() + 4);
    for c in value.chars() {
        match expanded(c) {
            Some(letters) => with_letters.push_str(letters),
            None => with_letters.push(c),
        }
    }
    vec![stripped, with_letters]
}

/// Is this an ASCII text that [`spaced`] leaves as it is, as most are?
fn is_spaced(folded: &[u8]) -> bool {
    let mut was_space = true;
    for &byte in folded {
        let is_space = class_of_ascii(byte) == Class::Space;
        if !byte.is_ascii()
            || matches!(byte, b',' | b'&' | b'.' | b'\'' | b'`' | b'-')
            || is_space && (was_space || byte != b' ')
        {
            return false;
        }
        was_space = is_space;
    }
    !was_space || folded.is_empty()
}

/// A folded text with `&` as `and`, without dots and apostrophes, one space where there is white
/// space or a dash, none around commas, and no commas with nothing between or at the ends.
fn spaced(folded: &str) -> String {
    let mut value = String::with_capacity(folded.len() + 4);
    // What parts the next word from what is before it.
    let mut gap = "";
    let push = |word: &str, gap: &str, value: &mut String| {
        if !value.is_empty() {
            value.push_str(gap);
        }
        value.push_str(word);
    };
    for c in folded.chars() {
        match c {
            ',' => gap = ",",
            '&' => {
                push("and", if gap.is_empty() { " " } else { gap }, &mut value);
                gap = " ";
            }
            '.' | '\'' | '`' | '‘' | '’' | 'ʻ' | 'ʼ' => {}
            '-' | '\u{2010}'..='\u{2015}' | '−' => gap = if gap.is_empty() { " " } else { gap },
            c if c.is_whitespace() => gap = if gap.is_empty() { " " } else { gap },
            c => {
                push(c.encode_utf8(&mut [0; 4]), gap, &mut value);
                gap = "";
            }
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_spaced_stays_as_it_is(text in "[ab ]{0,6}|[ab ,&.'`\\-\\t\u{b}\u{1f}é]{0,6}") {
            let plain = text.is_ascii() && !text.contains([',', '&', '.', '\'', '`', '-']);
            prop_assert_eq!(is_spaced(text.as_bytes()), plain && spaced(&text) == text);
        }
    }
}
