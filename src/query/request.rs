//! A validated request.

use super::cursor::Cursor;
use super::text::TextQuery;
use std::ops::RangeInclusive;

/// The value by which results are ordered; ties follow the static order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum SortKey {
    /// By how well the text matches; the static order without `q`.
    #[default]
    Relevance,
    /// By name, in the CLDR root collation.
    Name,
    /// By employees; unknown counts last.
    EmployeeCount,
    /// By founding year; unknown years last.
    FoundedYear,
}

impl SortKey {
    /// The order used when a request names none: names ascend, everything else descends.
    pub fn default_order(self) -> SortOrder {
        match self {
            SortKey::Name => SortOrder::Asc,
            _ => SortOrder::Desc,
        }
    }
}

/// The direction of the sort value; ties and missing values keep their places.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SortOrder {
    /// Smallest value first.
    Asc,
    /// Largest value first.
    Desc,
}

/// A filter by values that records have, or have not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Valued {
    /// `industry` and `exclude_industry`.
    Industry,
    /// `location` and `exclude_location`.
    Location,
}

/// A validated request.
#[derive(Clone, Debug)]
pub struct Query {
    /// `q`.
    pub text: TextQuery,
    /// The values of `industry`, decoded, in the order given; none of them blank.
    pub industries: Vec<String>,
    /// The values of `location`, decoded, in the order given; none of them blank.
    pub locations: Vec<String>,
    /// The place that words of `q` name in the snapshot, which counts beside `locations`. Requests
    /// do not give it; see [`place_words`](super::interpret::place_words).
    pub place: Option<String>,
    /// Fewest employees.
    pub employee_count_min: Option<u64>,
    /// Most employees; not below the minimum.
    pub employee_count_max: Option<u64>,
    /// Earliest founding year.
    pub founded_year_min: Option<u16>,
    /// Latest founding year; not below the minimum.
    pub founded_year_max: Option<u16>,
    /// The values of `exclude_industry`, as those of `industry`.
    pub excluded_industries: Vec<String>,
    /// The values of `exclude_location`, as those of `location`.
    pub excluded_locations: Vec<String>,
    /// Value to sort by.
    pub sort: SortKey,
    /// Direction of that value.
    pub order: SortOrder,
    /// Most businesses on the page: 1 to [`PAGE_SIZE_MAX`](crate::limits::PAGE_SIZE_MAX).
    pub limit: u32,
    /// Where the page begins or ends; the first page if there is none.
    pub cursor: Option<Cursor>,
}

impl Default for Query {
    fn default() -> Query {
        Query {
            text: TextQuery::default(),
            industries: Vec::new(),
            locations: Vec::new(),
            place: None,
            employee_count_min: None,
            employee_count_max: None,
            founded_year_min: None,
            founded_year_max: None,
            excluded_industries: Vec::new(),
            excluded_locations: Vec::new(),
            sort: SortKey::default(),
            order: SortKey::default().default_order(),
            limit: crate::limits::PAGE_SIZE_DEFAULT,
            cursor: None,
        }
    }
}

impl Query {
    /// A fingerprint of everything that a request gives but `limit` and `cursor`: requests that
    /// share it walk one sequence. Bounds on years and exclusions add to it only where they are
    /// given.
    pub fn fingerprint(&self) -> u64 {
        // One buffer, hashed at once, takes half the instructions of a hasher that is fed.
        let mut bytes = Vec::with_capacity(FINGERPRINT_BYTES);
        push_text(&mut bytes, self.text.as_str());
        push_texts(&mut bytes, &self.industries);
        push_texts(&mut bytes, &self.locations);
        for bound in [self.employee_count_min, self.employee_count_max] {
            bytes.push(u8::from(bound.is_some()));
            bytes.extend_from_slice(&bound.unwrap_or_default().to_le_bytes());
        }
        bytes.extend_from_slice(&[self.sort as u8, self.order as u8]);
        if self.founded_years().is_some() {
            for bound in [self.founded_year_min, self.founded_year_max] {
                // No year is 0.
                bytes.extend_from_slice(&bound.unwrap_or_default().to_le_bytes());
            }
        }
        if self.has_excluded_values() {
            push_texts(&mut bytes, &self.excluded_industries);
            push_texts(&mut bytes, &self.excluded_locations);
        }
        let hash = blake3::hash(&bytes);
        u64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("eight bytes"))
    }

    /// The years that bounds admit, if there are any.
    pub fn founded_years(&self) -> Option<RangeInclusive<u16>> {
        let (min, max) = (self.founded_year_min, self.founded_year_max);
        (min.is_some() || max.is_some()).then(|| min.unwrap_or(1)..=max.unwrap_or(u16::MAX))
    }

    /// Does any value of industry or location exclude documents?
    pub fn has_excluded_values(&self) -> bool {
        !self.excluded_industries.is_empty() || !self.excluded_locations.is_empty()
    }
}

fn push_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
}

fn push_texts(bytes: &mut Vec<u8>, texts: &[String]) {
    push_text(bytes, &texts.len().to_string());
    texts.iter().for_each(|text| push_text(bytes, text));
}

/// Bytes that most queries come to, to be hashed.
const FINGERPRINT_BYTES: usize = 256;

/// Does a value of the `industry` filter name nothing (`industry=,`)?
pub fn industry_is_blank(value: &str) -> bool {
    let folded = crate::analyzer::fold_text(value);
    folded.chars().all(|c| c == ',' || c.is_whitespace())
}
