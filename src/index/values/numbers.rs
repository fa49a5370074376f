//! Whole numbers as people, spreadsheets and other programs write them.
//!
//! Digits are read one by one: nothing goes through a floating-point number. Without a word from
//! the operator ([`NumberFormat::Auto`]) plain digits are read, with zeros behind a dot as programs
//! write whole numbers of a column with gaps. In a file with semicolons a dot before exactly three
//! digits groups them, as in the spreadsheets that separate cells so; there the dots of a column
//! must not mean two things ([`Dots`]). Whatever else has groups can mean two things and is a
//! fault.

use std::fmt;
use std::str::FromStr;

/// How digits are grouped, and what stands before decimals.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NumberFormat {
    /// Only what has one meaning.
    #[default]
    Auto,
    /// `1,200.0`.
    En,
    /// `1.200,0`.
    De,
    /// `1 200,0`.
    Fr,
    /// `1'200.0`.
    Ch,
    /// `1,20,000.0`.
    In,
}

/// The signs of one format.
struct Signs {
    groups: &'static [char],
    decimal: char,
    /// All groups but the last one have two digits.
    is_indian: bool,
}

/// Spaces that group digits: the plain one, no-break, narrow no-break, thin and figure space.
const SPACES: &[char] = &[' ', '\u{a0}', '\u{202f}', '\u{2009}', '\u{2007}'];

const APOSTROPHES: &[char] = &['\'', '’'];

impl NumberFormat {
    /// All formats that an operator can name, with an example each.
    pub const ALL: [(&'static str, NumberFormat, &'static str); 6] = [
        ("auto", NumberFormat::Auto, "1200.0"),
        ("en", NumberFormat::En, "1,200.0"),
        ("de", NumberFormat::De, "1.200,0"),
        ("fr", NumberFormat::Fr, "1 200,0"),
        ("ch", NumberFormat::Ch, "1'200.0"),
        ("in", NumberFormat::In, "1,20,000.0"),
    ];

    fn signs(self) -> Signs {
        let (groups, decimal): (&[char], char) = match self {
            NumberFormat::Auto => (&[], '.'),
            NumberFormat::En | NumberFormat::In => (&[','], '.'),
            NumberFormat::De => (&['.'], ','),
            NumberFormat::Fr => (SPACES, ','),
            NumberFormat::Ch => (APOSTROPHES, '.'),
        };
        Signs { groups, decimal, is_indian: self == NumberFormat::In }
    }
}

impl fmt::Display for NumberFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = NumberFormat::ALL.iter().find(|(_, format, _)| format == self);
        f.write_str(found.map_or("", |(name, ..)| name))
    }
}

impl FromStr for NumberFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<NumberFormat, String> {
        let found = NumberFormat::ALL.iter().find(|(name, ..)| *name == text);
        found.map(|(_, format, _)| *format).ok_or_else(|| {
            let names = NumberFormat::ALL.map(|(name, _, example)| format!("{name} ({example})"));
            format!("{text:?} is no number format; formats are {}", names.join(", "))
        })
    }
}

/// How the numbers of one input are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NumberRules {
    /// What the operator said.
    pub format: NumberFormat,
    /// Without a word from the operator, a dot before three digits groups them.
    pub dots_group: bool,
    /// Without a word from the operator, so does a comma; for bands, whose bounds are whole.
    pub commas_group: bool,
}

/// What a dot in a number was read as.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dots {
    /// There is none, or the operator said what it is.
    #[default]
    Plain,
    /// Grouping digits, as nothing else in the number tells.
    Group,
    /// Before decimals, without a doubt.
    Decimal,
}

/// A number that was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// Not below zero.
    Whole(u64),
    /// Whole, and more than any accepted number.
    TooLarge,
    /// Whole, and below zero.
    Negative,
    /// Not whole.
    Fraction,
}

/// What is no number, or none in this format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoNumber;

/// Reads a trimmed text, and tells what a dot in it was taken for.
///
/// # Errors
/// It is no number in the format, or could be two.
pub fn read(text: &str, rules: NumberRules) -> Result<(Number, Dots), NoNumber> {
    let digits = text.as_bytes();
    if !digits.is_empty() && digits.len() < 19 && digits.iter().all(u8::is_ascii_digit) {
        let value = digits.iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0'));
        return Ok((Number::Whole(value), Dots::Plain));
    }
    let unsigned = text.strip_prefix(['-', '−']).unwrap_or(text);
    let is_negative = unsigned.len() < text.len();
    let (whole, decimals, dots) = if rules.format == NumberFormat::Auto {
        auto(unsigned, rules)?
    } else {
        let signs = rules.format.signs();
        let (whole, decimals) = unsigned.split_once(signs.decimal).unwrap_or((unsigned, "0"));
        (ungrouped(whole, &signs).ok_or(NoNumber)?, decimals, Dots::Plain)
    };
    if decimals.is_empty() || !is_digits(decimals) {
        return Err(NoNumber);
    }
    let is_zero = |digits: &str| digits.bytes().all(|digit| digit == b'0');
    let number = match whole.parse() {
        _ if !is_zero(decimals) => Number::Fraction,
        _ if is_negative && !is_zero(&whole) => Number::Negative,
        Ok(value) => Number::Whole(value),
        Err(_) => Number::TooLarge,
    };
    Ok((number, dots))
}

/// The digits before and behind the decimal sign of a number in no named format.
fn auto(text: &str, rules: NumberRules) -> Result<(String, &str, Dots), NoNumber> {
    let grouped_by = |sign: &'static [char]| {
        let signs = Signs { groups: sign, decimal: '.', is_indian: false };
        ungrouped(text, &signs).filter(|_| text.contains(sign))
    };
    if let Some(whole) = grouped_by(&['.']) {
        // `1.000`: one thousand, or one with three decimals.
        return if rules.dots_group { Ok((whole, "0", Dots::Group)) } else { Err(NoNumber) };
    }
    if rules.commas_group
        && let Some(whole) =
            grouped_by(&[',']).or_else(|| grouped_by(SPACES)).or_else(|| grouped_by(APOSTROPHES))
    {
        return Ok((whole, "0", Dots::Plain));
    }
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    if whole.is_empty() || !is_digits(whole) {
        return Err(NoNumber);
    }
    let dots = if whole.len() < text.len() { Dots::Decimal } else { Dots::Plain };
    Ok((whole.to_owned(), decimals, dots))
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The digits without what groups them; none if they are not grouped as the format has it.
fn ungrouped(text: &str, signs: &Signs) -> Option<String> {
    let sign = text.chars().find(|sign| signs.groups.contains(sign));
    let mut groups: Vec<&str> = match sign {
        Some(sign) => text.split(sign).collect(),
        None => vec![text],
    };
    if groups.iter().any(|group| group.is_empty() || !is_digits(group)) {
        return None;
    }
    if sign.is_some() {
        let others = if signs.is_indian { 2 } else { 3 };
        let last = groups.pop()?;
        let is_grouped = last.len() == 3
            && groups[1..].iter().all(|group| group.len() == others)
            && groups[0].len() <= if groups.len() == 1 { 3 } else { others }
            && !groups[0].starts_with('0');
        groups.push(last);
        return is_grouped.then(|| groups.concat());
    }
    Some(text.to_owned())
}

/// The formats in which a text is a whole number, with the number: what a message offers.
pub fn readings(text: &str) -> Vec<(NumberFormat, u64)> {
    let named = NumberFormat::ALL[1..].iter().map(|(_, format, _)| *format);
    let mut readings: Vec<(NumberFormat, u64)> = Vec::new();
    for format in named {
        let rules = NumberRules { format, ..NumberRules::default() };
        if let Ok((Number::Whole(value), _)) = read(text, rules)
            && readings.iter().all(|(_, known)| *known != value)
        {
            readings.push((format, value));
        }
    }
    readings
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str, rules: NumberRules) -> String {
        match read(text, rules) {
            Ok((Number::Whole(value), Dots::Plain)) => value.to_string(),
            Ok((Number::Whole(value), dots)) => format!("{value} {dots:?}"),
            Ok((other, _)) => format!("{other:?}"),
            Err(NoNumber) => "no".to_owned(),
        }
    }

    #[test]
    fn texts_by_format() {
        // A text, and what it is without a word, in a file with semicolons, and in each format.
        let table = "\
            250 | 250 | 250 | 250 | 250 | 250 | 250 | 250
            007 | 7 | 7 | 7 | 7 | 7 | 7 | 7
            -0 | 0 | 0 | 0 | 0 | 0 | 0 | 0
            -7 | Negative | Negative | Negative | Negative | Negative | Negative | Negative
            120.0 | 120 Decimal | 120 Decimal | 120 | no | no | 120 | 120
            120,0 | no | no | no | 120 | 120 | no | no
            1.000 | no | 1000 Group | 1 | 1000 | no | 1 | 1
            0.000 | 0 Decimal | 0 Decimal | 0 | no | no | 0 | 0
            1200.000 | 1200 Decimal | 1200 Decimal | 1200 | no | no | 1200 | 1200
            12.345.678 | no | 12345678 Group | no | 12345678 | no | no | no
            1.20 | Fraction | Fraction | Fraction | no | no | Fraction | Fraction
            1200.5 | Fraction | Fraction | Fraction | no | no | Fraction | Fraction
            1,200 | no | no | 1200 | Fraction | Fraction | no | 1200
            12,34,567 | no | no | no | no | no | no | 1234567
            1,20 | no | no | no | Fraction | Fraction | no | no
            1,200.0 | no | no | 1200 | no | no | no | 1200
            1.200,0 | no | no | no | 1200 | no | no | no
            1 200 | no | no | no | no | 1200 | no | no
            1\u{202f}200 | no | no | no | no | 1200 | no | no
            1'200 | no | no | no | no | no | 1200 | no
            1’234’567 | no | no | no | no | no | 1234567 | no
            1,2,3 | no | no | no | no | no | no | no
            0,123 | no | no | no | Fraction | Fraction | no | no
            18446744073709551616 | TooLarge | TooLarge | TooLarge | TooLarge | TooLarge | TooLarge | TooLarge
            9007199254740993 | 9007199254740993 | 9007199254740993 | 9007199254740993 | 9007199254740993 | \
                9007199254740993 | 9007199254740993 | 9007199254740993";
        let rules = |format, dots_group| NumberRules { format, dots_group, commas_group: false };
        for row in table.replace("\\u{202f}", "\u{202f}").lines() {
            let mut cells = row.split('|').map(str::trim);
            let text = cells.next().unwrap();
            let mut columns =
                vec![rules(NumberFormat::Auto, false), rules(NumberFormat::Auto, true)];
            columns
                .extend(NumberFormat::ALL[1..].iter().map(|(_, format, _)| rules(*format, true)));
            for (rules, expected) in columns.into_iter().zip(cells.by_ref()) {
                assert_eq!(shown(text, rules), expected, "{text:?} {rules:?}");
            }
        }
        for text in
            ["", "-", ".", ".0", "1.", "1e3", "+5", "NaN", "１２", "0x10", "1 2", "--1", "1..2"]
        {
            for (_, format, _) in NumberFormat::ALL {
                for dots_group in [false, true] {
                    assert_eq!(shown(text, rules(format, dots_group)), "no", "{text:?} {format}");
                }
            }
        }
    }

    fn grouped(value: u64, sign: &str, sizes: usize) -> String {
        let digits = value.to_string();
        let (head, last) = digits.split_at(digits.len().saturating_sub(3));
        let mut groups: Vec<&str> = head
            .as_bytes()
            .rchunks(sizes)
            .map(|group| std::str::from_utf8(group).unwrap())
            .collect();
        groups.reverse();
        groups.push(last);
        groups.join(sign)
    }

    proptest! {
        #[test]
        fn what_a_format_writes_is_read_in_it(value: u64, zeros in 0..3usize) {
            for (format, sign, decimal, sizes) in [
                (NumberFormat::En, ",", ".", 3),
                (NumberFormat::De, ".", ",", 3),
                (NumberFormat::Fr, "\u{a0}", ",", 3),
                (NumberFormat::Ch, "'", ".", 3),
                (NumberFormat::In, ",", ".", 2),
            ] {
                let mut text = grouped(value, sign, sizes);
                if zeros > 0 {
                    text += decimal;
                    text += &"0".repeat(zeros);
                }
                let rules = NumberRules { format, ..NumberRules::default() };
                prop_assert_eq!(read(&text, rules), Ok((Number::Whole(value), Dots::Plain)), "{}", text);
            }
            let text = grouped(value, ".", 3);
            let semicolons = NumberRules { dots_group: true, ..NumberRules::default() };
            prop_assert_eq!(read(&text, semicolons).map(|(number, _)| number), Ok(Number::Whole(value)));
            let plain = read(&text, NumberRules::default());
            prop_assert_eq!(plain.is_ok(), value < 1000);
        }

        #[test]
        fn any_text_is_harmless(text in "[-0-9., '’\u{a0}eK+]{0,12}", dots_group: bool, commas_group: bool) {
            for (_, format, _) in NumberFormat::ALL {
                let _ = read(&text, NumberRules { format, dots_group, commas_group });
            }
            readings(&text);
        }
    }
}
