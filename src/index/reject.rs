//! Records that cannot be taken: where they stand, and what is wrong with them.

use super::record::{Fault, RecordError};
use super::source::Unit;
use crate::company::{FaultKind, Field};
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
    /// What is wrong besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherFault>,
}

/// A fault of a rejected record that is not its first one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct OtherFault {
    /// The field at fault; none if the record as a whole is.
    pub field: Option<&'static str>,
    /// What is wrong.
    pub reason: String,
}

impl Reject {
    /// A record of `file` that cannot be taken.
    pub fn new(file: String, place: Place, error: RecordError) -> Reject {
        let RecordError { id, faults } = error;
        let told =
            |fault: Fault| OtherFault { field: fault.field.map(Field::name), reason: fault.reason };
        let mut faults = faults.into_iter().map(told);
        let OtherFault { field, reason } =
            faults.next().unwrap_or(OtherFault { field: None, reason: String::new() });
        Reject { file, place, id, field, reason, others: faults.collect() }
    }
}

impl fmt::Display for Reject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}: ", self.file, self.place)?;
        if let Some(id) = &self.id {
            write!(f, "record {id:?}: ")?;
        }
        let first = (self.field, &self.reason);
        let others = self.others.iter().map(|other| (other.field, &other.reason));
        for (number, (field, reason)) in std::iter::once(first).chain(others).enumerate() {
            f.write_str(if number > 0 { "; " } else { "" })?;
            if let Some(field) = field {
                write!(f, "{field} ")?;
            }
            f.write_str(reason)?;
        }
        Ok(())
    }
}

/// Faults of one kind in one field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FaultCount {
    /// The field; none if records as a whole are at fault.
    pub field: Option<Field>,
    /// The kind.
    pub kind: FaultKind,
    /// How many there were.
    pub count: u64,
    /// The first of them: name of the input and place in it.
    pub first: (String, Place),
}

/// As in `employee_count: band 12 times, first at companies.csv:7 (see --bands)`.
impl fmt::Display for FaultCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FaultCount { field, kind, count, first: (file, place) } = self;
        let field = field.map_or("record", Field::name);
        let times = if *count == 1 { "once".to_owned() } else { format!("{count} times") };
        write!(f, "{field}: {} {times}, first at {file}{place}", kind.phrase())?;
        kind.option().map_or(Ok(()), |option| write!(f, " (see {option})"))
    }
}

/// Faults counted by field and kind, in the order in which they were met first.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct FaultCounts(Vec<FaultCount>);

impl FaultCounts {
    /// Counts a fault of the record at `place`.
    pub fn add(&mut self, fault: &Fault, file: &str, place: Place) {
        let is_alike =
            |known: &&mut FaultCount| known.field == fault.field && known.kind == fault.kind;
        match self.0.iter_mut().find(is_alike) {
            Some(known) => known.count += 1,
            None => self.0.push(FaultCount {
                field: fault.field,
                kind: fault.kind,
                count: 1,
                first: (file.to_owned(), place),
            }),
        }
    }

    /// The counts.
    pub fn as_slice(&self) -> &[FaultCount] {
        &self.0
    }

    /// How many faults there are in all.
    pub fn total(&self) -> u64 {
        self.0.iter().map(|count| count.count).sum()
    }
}

impl fmt::Display for FaultCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts: Vec<String> = self.0.iter().map(FaultCount::to_string).collect();
        f.write_str(&counts.join("; "))
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
