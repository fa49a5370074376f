//! Kinds of faults, so that many of them can be counted.

/// What is wrong with a value or a record, without the value itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FaultKind {
    /// A value that every record needs is not there.
    Missing,
    /// A key stands twice.
    Twice,
    /// An id that another record has.
    DuplicateId,
    /// A number, list or object where a text is expected, or the other way round.
    WrongType,
    /// Several values where one is expected.
    SeveralValues,
    /// More values than a list may have.
    TooManyValues,
    /// A text that is no number.
    NoNumber,
    /// A number whose digits are grouped in a way that was not named.
    GroupedDigits,
    /// A band such as `51-200`.
    Band,
    /// A number such as `1.2E+05`.
    Exponent,
    /// A number that is not whole.
    Fraction,
    /// A number below zero.
    Negative,
    /// A number that is too small or too large.
    OutOfRange,
    /// A date whose year has two digits.
    TwoDigitYear,
    /// The number of a day, as spreadsheets keep dates.
    DayNumber,
    /// A text or a record over its limit.
    TooLong,
    /// A text with a NUL character.
    Nul,
    /// Bytes that are no UTF-8.
    NotUtf8,
    /// A record that is not valid JSON.
    NotJson,
    /// A row with more or fewer cells than its header, or with misplaced quotation marks.
    Row,
    /// A record of too many keys.
    TooManyKeys,
}

impl FaultKind {
    /// The kind in a few words, for reports.
    pub fn phrase(self) -> &'static str {
        match self {
            FaultKind::Missing => "missing",
            FaultKind::Twice => "given twice",
            FaultKind::DuplicateId => "id of another record",
            FaultKind::WrongType => "value of a wrong type",
            FaultKind::SeveralValues => "several values",
            FaultKind::TooManyValues => "too many values",
            FaultKind::NoNumber => "no number",
            FaultKind::GroupedDigits => "grouped digits",
            FaultKind::Band => "band",
            FaultKind::Exponent => "scientific notation",
            FaultKind::Fraction => "not whole",
            FaultKind::Negative => "negative number",
            FaultKind::OutOfRange => "number out of range",
            FaultKind::TwoDigitYear => "year of two digits",
            FaultKind::DayNumber => "number of a day",
            FaultKind::TooLong => "too long",
            FaultKind::Nul => "NUL character",
            FaultKind::NotUtf8 => "not UTF-8",
            FaultKind::NotJson => "not valid JSON",
            FaultKind::Row => "cells do not fit the header",
            FaultKind::TooManyKeys => "too many keys",
        }
    }

    /// The option that may mend all faults of the kind.
    pub fn option(self) -> Option<&'static str> {
        match self {
            FaultKind::NoNumber => Some("--null TEXT"),
            FaultKind::GroupedDigits => Some("--number-format"),
            FaultKind::Band => Some("--bands"),
            FaultKind::TooManyValues => Some("--map aliases=-"),
            _ => None,
        }
    }
}
