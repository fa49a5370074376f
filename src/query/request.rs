//! A validated request.

use super::cursor::Cursor;
use super::text::TextQuery;

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

/// A validated request.
#[derive(Clone, Debug)]
pub struct Query {
    /// `q`.
    pub text: TextQuery,
    /// The values of `industry`, decoded, in the order given; none of them blank.
    pub industries: Vec<String>,
    /// The values of `location`, decoded, in the order given; none of them blank.
    pub locations: Vec<String>,
    /// Fewest employees.
    pub employee_count_min: Option<u64>,
    /// Most employees; not below the minimum.
    pub employee_count_max: Option<u64>,
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
            employee_count_min: None,
            employee_count_max: None,
            sort: SortKey::default(),
            order: SortKey::default().default_order(),
            limit: crate::limits::PAGE_SIZE_DEFAULT,
            cursor: None,
        }
    }
}

impl Query {
    /// A fingerprint of everything but `limit` and `cursor`: requests that share it walk one
    /// sequence.
    pub fn fingerprint(&self) -> u64 {
        // One buffer, hashed at once, takes half the instructions of a hasher that is fed.
        let mut bytes = Vec::with_capacity(FINGERPRINT_BYTES);
        let mut text = |text: &str| {
            bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
        };
        text(self.text.as_str());
        for values in [&self.industries, &self.locations] {
            text(&values.len().to_string());
            values.iter().for_each(|value| text(value));
        }
        for bound in [self.employee_count_min, self.employee_count_max] {
            bytes.push(u8::from(bound.is_some()));
            bytes.extend_from_slice(&bound.unwrap_or_default().to_le_bytes());
        }
        bytes.extend_from_slice(&[self.sort as u8, self.order as u8]);
        let hash = blake3::hash(&bytes);
        u64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("eight bytes"))
    }
}

/// Bytes that most queries come to, to be hashed.
const FINGERPRINT_BYTES: usize = 256;

/// Does a value of the `industry` filter name nothing (`industry=,`)?
pub fn industry_is_blank(value: &str) -> bool {
    crate::analyzer::fold_filter(value)[0].is_empty()
}
