//! Values of the fields that hold numbers.
//!
//! In: a [`Value`]. Out: the number of employees or the year, or what is wrong with the value, said
//! the same way for every format. Texts are read as [`values`](crate::index::values) has it.

use super::{Value, wrong_type};
use crate::company::{FaultKind, Field, FieldError};
use crate::index::findings::{Dotted, Findings};
use crate::index::values::bands::{Band, Bands};
use crate::index::values::numbers::{Dots, NoNumber, Number, NumberRules};
use crate::index::values::years::NoYear;
use crate::index::values::{NumberFormat, numbers, shortened, years};

/// Numbers up to here are exact as floating-point numbers.
const EXACT_DOUBLE_MAX: f64 = (1u64 << 53) as f64;

/// Reads numbers, and notes what their dots were taken for.
pub(super) struct NumberReader<'f> {
    pub(super) rules: NumberRules,
    pub(super) findings: &'f mut Findings,
}

impl NumberReader<'_> {
    /// A number of employees.
    pub(super) fn count(
        &mut self,
        value: Value<'_>,
        bands: Option<Bands>,
    ) -> Result<Option<u64>, FieldError> {
        const FIELD: Field = Field::EmployeeCount;
        let Value::Text(text) = value else { return number(FIELD, value) };
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        if let Ok(number) = self.read(FIELD, text) {
            return whole(FIELD, number, text).map(Some);
        }
        let Some(band) = Band::parse(text) else { return Err(no_number(FIELD, text)) };
        if let Some(bands) = bands {
            return Ok(Some(band.value(bands)));
        }
        let [lower, middle, upper] =
            [Bands::Lower, Bands::Middle, Bands::Upper].map(|bands| band.value(bands));
        let reason = format!(
            "is the text {:?}, a band or rounded: --bands lower reads it as {lower}, middle as {middle}, upper as \
             {upper}",
            shortened(text)
        );
        Err(FieldError::new(FIELD, FaultKind::Band, reason))
    }

    /// A year, or that of a date.
    pub(super) fn year(&mut self, value: Value<'_>) -> Result<Option<u64>, FieldError> {
        const FIELD: Field = Field::FoundedYear;
        let number = match value {
            Value::Day(day) => {
                // Before the year 1 there is none; the number says where it was.
                return Ok(Some(years::of_day(day).unwrap_or(0)));
            }
            Value::Text(text) => {
                let text = text.trim();
                if text.is_empty() {
                    return Ok(None);
                }
                let read = self.read(FIELD, text);
                if !matches!(read, Ok(Number::Whole(_) | Number::Negative | Number::TooLarge)) {
                    match years::of_date(text) {
                        Ok(year) => return Ok(Some(year)),
                        Err(NoYear::TwoDigits) => {
                            let reason = format!(
                                "is the text {text:?}, a date whose year has two digits: write it with four"
                            );
                            return Err(FieldError::new(FIELD, FaultKind::TwoDigitYear, reason));
                        }
                        Err(NoYear::NoDate) => {}
                    }
                }
                match read {
                    Ok(number) => Some(whole(FIELD, number, text)?),
                    Err(NoNumber) => return Err(no_number(FIELD, text)),
                }
            }
            value => number(FIELD, value)?,
        };
        match number {
            Some(number @ 10_000..) => match years::of_digits(number) {
                Some(year) => Ok(Some(year)),
                None if number < 100_000 => {
                    let reason = format!(
                        "is {number}; years from 1 to 9999 are accepted: if it is a date as a spreadsheet keeps it, \
                         have the column shown as a date there, and save it again"
                    );
                    Err(FieldError::new(FIELD, FaultKind::DayNumber, reason))
                }
                None => Ok(Some(number)),
            },
            number => Ok(number),
        }
    }

    fn read(&mut self, field: Field, text: &str) -> Result<Number, NoNumber> {
        let (number, dots) = numbers::read(text, self.rules)?;
        if self.rules.dots_group && dots != Dots::Plain {
            let of = if field == Field::EmployeeCount { Dotted::Employees } else { Dotted::Year };
            self.findings.note_dots(of, dots, text);
        }
        Ok(number)
    }
}

fn number(field: Field, value: Value<'_>) -> Result<Option<u64>, FieldError> {
    match value {
        Value::Null | Value::List(0) => Ok(None),
        Value::Unsigned(number) => Ok(Some(number)),
        Value::Signed(number) => match u64::try_from(number) {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(negative(field, &number.to_string())),
        },
        Value::Double(number) => number_of_double(field, number).map(Some),
        Value::Decimal(text) => {
            let format = NumberFormat::En;
            match numbers::read(text, NumberRules { format, ..NumberRules::default() }) {
                Ok((number, _)) => whole(field, number, text).map(Some),
                Err(NoNumber) => Err(no_number(field, text)),
            }
        }
        other => Err(wrong_type(field, other, "a whole number, or null")),
    }
}

/// The number that `text` was read as, if it is one that a field can have.
fn whole(field: Field, number: Number, text: &str) -> Result<u64, FieldError> {
    match number {
        Number::Whole(number) => Ok(number),
        Number::Negative => Err(negative(field, &shortened(text))),
        Number::TooLarge => {
            let reason = format!("is {}; that is more than any accepted number", shortened(text));
            Err(FieldError::new(field, FaultKind::OutOfRange, reason))
        }
        Number::Fraction => {
            let reason = format!("is {}; whole numbers are accepted", shortened(text));
            Err(FieldError::new(field, FaultKind::Fraction, reason))
        }
    }
}

fn negative(field: Field, number: &str) -> FieldError {
    let reason = format!("is {number}; negative numbers are not accepted");
    FieldError::new(field, FaultKind::Negative, reason)
}

/// What is wrong with a text that is no number in the format of the input.
fn no_number(field: Field, text: &str) -> FieldError {
    let shown = shortened(text);
    let readings = numbers::readings(text);
    if !readings.is_empty() {
        let readings: Vec<String> =
            readings.iter().map(|(format, number)| format!("{format} reads {number}")).collect();
        let reason = format!(
            "is the text {shown:?}, which can be read in more than one way: say which with --number-format ({})",
            readings.join(", ")
        );
        return FieldError::new(field, FaultKind::GroupedDigits, reason);
    }
    let is_exponent = |(digits, exponent): (&str, &str)| {
        let is_start = digits.starts_with(|c: char| c.is_ascii_digit());
        is_start
            && exponent.trim_start_matches(['+', '-']).bytes().all(|byte| byte.is_ascii_digit())
    };
    if text.split_once(['e', 'E']).is_some_and(is_exponent) {
        let reason = format!(
            "is the text {shown:?}, in scientific notation, which may have lost digits: write it out"
        );
        return FieldError::new(field, FaultKind::Exponent, reason);
    }
    let accepted = match field {
        Field::FoundedYear => "a year or a date whose year has four digits, or nothing",
        _ => "a whole number, or nothing",
    };
    let reason = format!(
        "is the text {shown:?}; accepted is {accepted}; --null TEXT names what means nothing"
    );
    FieldError::new(field, FaultKind::NoNumber, reason)
}

fn number_of_double(field: Field, number: f64) -> Result<u64, FieldError> {
    if !number.is_finite() || number.fract() != 0.0 || number.abs() > EXACT_DOUBLE_MAX {
        let is_fraction = number.is_finite() && number.fract() != 0.0;
        let kind = if is_fraction { FaultKind::Fraction } else { FaultKind::OutOfRange };
        let reason = format!("is {number}; accepted are whole numbers up to 2^53, or null");
        return Err(FieldError::new(field, kind, reason));
    }
    if number < 0.0 {
        return Err(negative(field, &number.to_string()));
    }
    Ok(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floating_point_columns_hold_whole_numbers() {
        let number = |number| number_of_double(Field::FoundedYear, number);
        assert_eq!(number(1911.0), Ok(1911));
        assert_eq!(number(-0.0), Ok(0));
        assert_eq!(number(EXACT_DOUBLE_MAX), Ok(1 << 53));
        for bad in [f64::NAN, f64::INFINITY, 0.5, f64::MIN_POSITIVE, 5e-324, 1e300, 2e16, -1.0] {
            assert!(number(bad).is_err(), "{bad}");
        }
    }
}
