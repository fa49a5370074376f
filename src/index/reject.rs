//! Records that cannot be taken: where they stand, and what is wrong with them.

use super::source::Unit;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// Where in its input a record stands, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// The line on which it begins.
    Line(u64),
    /// The element of a JSON array.
    Element(u64),
    /// The row of a Parquet file.
    Row(u64),
}

impl Place {
    /// The place of record `number` of an input that counts by `unit`.
    pub fn new(unit: Unit, number: u64) -> Place {
        match unit {
            Unit::Line => Place::Line(number),
            Unit::Element => Place::Element(number),
            Unit::Row => Place::Row(number),
        }
    }
}

/// As it follows the name of a file: `:12`, as editors and compilers know it, or `, row 12`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, ":{line}"),
            Place::Element(element) => write!(f, ", element {element}"),
            Place::Row(row) => write!(f, ", row {row}"),
        }
    }
}

/// One rejected record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Reject {
    /// Name of the input.
    pub file: String,
    /// Where in the input: a key `line`, `element` or `row` in JSON.
    #[serde(flatten)]
    pub place: Place,
    /// Id of the record, if it could be read.
    pub id: Option<String>,
    /// The field at fault; none if the record as a whole is.
    pub field: Option<&'static str>,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for Reject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}: ", self.file, self.place)?;
        if let Some(id) = &self.id {
            write!(f, "record {id:?}: ")?;
        }
        if let Some(field) = self.field {
            write!(f, "{field} ")?;
        }
        f.write_str(&self.reason)
    }
}

/// How many records may be rejected before there is no snapshot.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum MaxRejects {
    /// So many.
    Count(u64),
    /// This share of all records, in percent.
    Percent(f64),
}

impl Default for MaxRejects {
    fn default() -> MaxRejects {
        MaxRejects::Count(0)
    }
}

impl MaxRejects {
    /// Are `rejects` of `records` too many?
    pub fn is_exceeded(self, rejects: u64, records: u64) -> bool {
        match self {
            MaxRejects::Count(count) => rejects > count,
            MaxRejects::Percent(percent) => rejects as f64 * 100.0 > percent * records as f64,
        }
    }
}

impl fmt::Display for MaxRejects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MaxRejects::Count(count) => write!(f, "{count}"),
            MaxRejects::Percent(percent) => write!(f, "{percent} %"),
        }
    }
}

impl FromStr for MaxRejects {
    type Err = String;

    fn from_str(text: &str) -> Result<MaxRejects, String> {
        let error =
            || format!("{text:?} is neither a number of records (100) nor a share of them (0.5%)");
        match text.strip_suffix('%') {
            Some(percent) => match percent.trim().parse::<f64>() {
                Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(MaxRejects::Percent(percent)),
                _ => Err(error()),
            },
            None => text.parse().map(MaxRejects::Count).map_err(|_| error()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowances() {
        assert_eq!("12".parse(), Ok(MaxRejects::Count(12)));
        assert_eq!("0.5%".parse(), Ok(MaxRejects::Percent(0.5)));
        for text in ["", "-1", "1.5", "101%", "NaN%", "x", "%"] {
            assert!(text.parse::<MaxRejects>().is_err(), "{text}");
        }
        assert!(!MaxRejects::Count(1).is_exceeded(1, 10));
        assert!(MaxRejects::Count(1).is_exceeded(2, 10));
        assert!(!MaxRejects::Percent(10.0).is_exceeded(1, 10));
        assert!(MaxRejects::Percent(10.0).is_exceeded(2, 10));
        assert!(!MaxRejects::default().is_exceeded(0, 0));
    }
}
