//! How values are read that their writers write in many ways: numbers, bands, years.
//!
//! In: a text, and what the operator said about numbers. Out: what its writer meant, or the fault
//! that names the option which would tell. A text that can mean two things is never guessed at.

pub mod bands;
pub mod numbers;
pub mod years;

pub use bands::Bands;
pub use numbers::NumberFormat;

use std::str::FromStr;

/// What becomes of a record whose optional value cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnBadValue {
    /// It is rejected.
    #[default]
    Reject,
    /// It is taken without the value.
    Null,
}

impl FromStr for OnBadValue {
    type Err = String;

    fn from_str(text: &str) -> Result<OnBadValue, String> {
        match text {
            "reject" => Ok(OnBadValue::Reject),
            "null" => Ok(OnBadValue::Null),
            _ => Err(format!(
                "{text:?} is neither reject (no record with a bad value) nor null (the record \
                                     without the value)"
            )),
        }
    }
}

/// What the operator said about values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ValueOptions {
    /// How numbers are written.
    pub number_format: NumberFormat,
    /// What stands for a band of employees; bands are faults if absent.
    pub bands: Option<Bands>,
    /// What becomes of a record with a bad value.
    pub on_bad_value: OnBadValue,
}

/// At most so many characters of a value, for messages.
pub fn shortened(text: &str) -> String {
    let mut shown: String = text.chars().take(32).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
