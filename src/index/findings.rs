//! What the records of a block tell besides themselves.
//!
//! Records are read on all cores, so each block keeps its own findings, and they are brought
//! together in the order of the input.

use super::record::Fault;
use super::values::numbers::Dots;
use super::values::shortened;
use crate::company::Field;
use rustc_hash::FxHashMap;

/// A column of numbers whose dots are watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dotted {
    /// That of employee counts.
    Employees,
    /// That of years.
    Year,
}

/// Number of a record, and a text of it.
pub type Found = (u64, String);

/// Where the dots of one column were first taken for something.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
struct DotsOfColumn {
    group: Option<Found>,
    decimal: Option<Found>,
}

/// Most different unknown keys that are noted: keys that are data have no end.
const UNKNOWN_MAX: usize = 1_000;

/// Which keys JSON records had.
#[derive(Default)]
pub struct KeysFound {
    /// A bit for every key of the mapping that any record had.
    pub seen: u128,
    /// Keys that go nowhere, with their number by first appearance.
    unknown: FxHashMap<String, usize>,
}

impl KeysFound {
    /// Notes a key of an object under the keys of `path`.
    pub fn add_unknown(&mut self, path: &[&str], name: &str) {
        if path.is_empty() {
            if !self.unknown.contains_key(name) {
                self.insert(name.to_owned());
            }
        } else {
            self.insert(format!("{}.{name}", path.join(".")));
        }
    }

    fn insert(&mut self, name: String) {
        let number = self.unknown.len();
        if number < UNKNOWN_MAX {
            self.unknown.entry(name).or_insert(number);
        }
    }

    /// The unknown keys by first appearance.
    pub fn unknown(&self) -> Vec<&str> {
        let mut names: Vec<(&str, usize)> =
            self.unknown.iter().map(|(name, &number)| (name.as_str(), number)).collect();
        names.sort_unstable_by_key(|(_, number)| *number);
        names.into_iter().map(|(name, _)| name).collect()
    }
}

/// What was found in some records.
#[derive(Default)]
pub struct Findings {
    /// Number of the record at hand.
    pub number: u64,
    /// The keys of JSON records.
    pub keys: KeysFound,
    /// Places in one text of which no part is known, and the first: record and text.
    pub unknown_places: u64,
    /// See [`unknown_places`](Self::unknown_places).
    pub first_unknown_place: Option<Found>,
    /// Where a place stood under `location` and otherwise beside it: the first record, and which.
    pub other_place: Option<(u64, Field)>,
    /// Values that were left out, each with the number of its record.
    pub left_out: Vec<(u64, Fault)>,
    dots: [DotsOfColumn; 2],
}

impl Findings {
    /// Leaves out a bad value of the record at hand.
    pub fn leave_out(&mut self, fault: Fault) {
        self.left_out.push((self.number, fault));
    }

    /// Notes what a dot in a number of the record at hand was taken for.
    pub fn note_dots(&mut self, of: Dotted, dots: Dots, text: &str) {
        let column = &mut self.dots[of as usize];
        let first = match dots {
            Dots::Plain => return,
            Dots::Group => &mut column.group,
            Dots::Decimal => &mut column.decimal,
        };
        if first.is_none() {
            *first = Some((self.number, shortened(text)));
        }
    }

    /// Notes that the record at hand has another place beside `location` than under it.
    pub fn other_place(&mut self, field: Field) {
        self.other_place = self.other_place.or(Some((self.number, field)));
    }

    /// Notes a place in one text of the record at hand that ends with no known place.
    pub fn note_unknown_place(&mut self, text: &str) {
        self.unknown_places += 1;
        self.first_unknown_place.get_or_insert_with(|| (self.number, shortened(text)));
    }

    /// Takes what later records of the input told, but for the values that were left out.
    pub fn add(&mut self, later: Findings) {
        self.keys.seen |= later.keys.seen;
        for name in later.keys.unknown() {
            self.keys.add_unknown(&[], name);
        }
        self.other_place = self.other_place.or(later.other_place);
        self.unknown_places += later.unknown_places;
        self.first_unknown_place = self.first_unknown_place.take().or(later.first_unknown_place);
        for (column, later) in self.dots.iter_mut().zip(later.dots) {
            column.group = column.group.take().or(later.group);
            column.decimal = column.decimal.take().or(later.decimal);
        }
    }

    /// Columns whose dots mean two things: which, and the first number of each meaning.
    pub fn two_meanings(&self) -> Option<(Dotted, &Found, &Found)> {
        let columns = [Dotted::Employees, Dotted::Year].into_iter().zip(&self.dots);
        columns
            .into_iter()
            .find_map(|(of, column)| Some((of, column.group.as_ref()?, column.decimal.as_ref()?)))
    }
}
