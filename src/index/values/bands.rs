//! Bands of employees: `51-200`, `10,001+`, `1K-5K`.
//!
//! The bounds of a band are whole numbers, so what groups their digits by threes groups them in any
//! format.

use super::numbers::{Number, NumberRules, read};
use std::str::FromStr;

/// What stands for a band. An open band is its one bound in any case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bands {
    /// Its lower bound.
    Lower,
    /// What lies in the middle, rounded down.
    Middle,
    /// Its upper bound.
    Upper,
}

impl FromStr for Bands {
    type Err = String;

    fn from_str(text: &str) -> Result<Bands, String> {
        match text {
            "lower" => Ok(Bands::Lower),
            "middle" => Ok(Bands::Middle),
            "upper" => Ok(Bands::Upper),
            _ => Err(format!(
                "{text:?} is neither lower, middle nor upper: 51-200 is 51, 125 or 200"
            )),
        }
    }
}

/// A band with both bounds; they are equal if it is open, or a rounded number such as `5K`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Band {
    lower: u64,
    upper: u64,
}

/// Hyphens and dashes between two bounds.
const DASHES: &[char] = &['-', '\u{2010}', '\u{2011}', '–', '—', '−'];

impl Band {
    /// The band that a trimmed text names, if it does.
    pub fn parse(text: &str) -> Option<Band> {
        let text = without_unit(text);
        if let Some(bound) =
            text.strip_suffix('+').or_else(|| text.strip_prefix(['>', '<', '≥', '≤']))
        {
            let bound = bound.strip_prefix('=').unwrap_or(bound);
            let bound = read_bound(bound.trim())?.0;
            return Some(Band { lower: bound, upper: bound });
        }
        let Some((lower, upper)) = text.split_once(DASHES).or_else(|| text.split_once(" to "))
        else {
            let (bound, factor) = read_bound(text)?;
            return (factor > 1).then_some(Band { lower: bound, upper: bound });
        };
        let ((lower, small), (upper, large)) =
            (read_bound(lower.trim())?, read_bound(upper.trim())?);
        // `1-5K`: does it begin at one, or at a thousand?
        let is_clear = small == large || lower >= upper / large;
        (lower <= upper && is_clear).then_some(Band { lower, upper })
    }

    /// What stands for it.
    pub fn value(self, bands: Bands) -> u64 {
        match bands {
            Bands::Lower => self.lower,
            Bands::Middle => self.lower + (self.upper - self.lower) / 2,
            Bands::Upper => self.upper,
        }
    }
}

/// The text without `employees` behind it.
fn without_unit(text: &str) -> &str {
    const UNIT: &str = "employees";
    let at = text.len().saturating_sub(UNIT.len());
    let is_there = text.get(at..).is_some_and(|end| end.eq_ignore_ascii_case(UNIT));
    if is_there { text[..at].trim_end() } else { text }
}

/// A bound, and what its letter multiplies: `1K` is (1000, 1000).
fn read_bound(text: &str) -> Option<(u64, u64)> {
    let factor = match text.bytes().last()? {
        b'k' | b'K' => 1_000,
        b'm' | b'M' => 1_000_000,
        _ => 1,
    };
    if factor == 1 {
        let rules = NumberRules { dots_group: true, commas_group: true, ..NumberRules::default() };
        return match read(text, rules) {
            Ok((Number::Whole(bound), _)) if !text.starts_with('-') => Some((bound, 1)),
            _ => None,
        };
    }
    let digits = text[..text.len() - 1].trim_end();
    let (whole, decimals) = digits.split_once(['.', ',']).unwrap_or((digits, ""));
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    // With three decimals it may as well be grouped.
    let has_number =
        !whole.is_empty() && is_number(whole) && is_number(decimals) && decimals.len() < 3;
    let is_cut = digits.len() > whole.len() && decimals.is_empty();
    if !has_number || is_cut {
        return None;
    }
    let scaled: u64 = format!("{whole}{decimals:0<2}").parse().ok()?;
    Some((scaled.checked_mul(factor / 10)? / 10, factor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bands_are_read() {
        for (text, lower, upper) in [
            ("51-200", 51, 200),
            ("51 - 200", 51, 200),
            ("51–200 employees", 51, 200),
            ("51 to 200", 51, 200),
            ("1,001-5,000", 1001, 5000),
            ("1.001 – 5.000", 1001, 5000),
            ("1 001-5 000", 1001, 5000),
            ("10,001+", 10_001, 10_001),
            ("10001+ Employees", 10_001, 10_001),
            (">10000", 10_000, 10_000),
            ("≥ 250", 250, 250),
            (">= 250", 250, 250),
            ("<10", 10, 10),
            ("1K-5K", 1000, 5000),
            ("1.5k-10K", 1500, 10_000),
            ("500-1K", 500, 1000),
            ("5K", 5000, 5000),
            ("1,25M", 1_250_000, 1_250_000),
            ("10K+", 10_000, 10_000),
            ("0-1", 0, 1),
            ("7-7", 7, 7),
        ] {
            assert_eq!(Band::parse(text), Some(Band { lower, upper }), "{text}");
        }
        for text in [
            "",
            "-",
            "+",
            "120",
            "200-51",
            "1-5K",
            "51-",
            "-200",
            "a-b",
            "1-2-3",
            "5KK",
            "K",
            "1.234K",
            "1.K",
            "51-200 people",
            "2-Oct",
            "1,00-2,00",
            ">",
            "-5+",
            "99999999999999999999M",
        ] {
            assert_eq!(Band::parse(text), None, "{text}");
        }
        let band = Band { lower: 51, upper: 200 };
        assert_eq!(
            [Bands::Lower, Bands::Middle, Bands::Upper].map(|bands| band.value(bands)),
            [51, 125, 200]
        );
    }

    proptest! {
        #[test]
        fn a_value_lies_within_its_band(one: u64, other: u64) {
            let (lower, upper) = (one.min(other), one.max(other));
            let band = Band::parse(&format!("{lower}-{upper}")).unwrap();
            for bands in [Bands::Lower, Bands::Middle, Bands::Upper] {
                prop_assert!((lower..=upper).contains(&band.value(bands)));
            }
        }

        #[test]
        fn any_text_is_harmless(text in "[-0-9.,+<>KkM –]{0,10}|.{0,10}") {
            let _ = Band::parse(&text);
        }
    }
}
