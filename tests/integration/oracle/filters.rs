//! Which records the filters admit: contract, section 4.

use super::Record;
use firmament::analyzer::fold_filter;
use firmament::company::Company;
use firmament::places;
use firmament::places::{PlaceFilter, PlaceKey, PlaceKind, PlacePart};
use firmament::query::request::Query;

/// The values of a record that filters compare.
pub struct Values {
    /// The folded forms of its industry: none, one or two.
    pub industry: Vec<String>,
    /// What its city, state and country are, literally and resolved.
    pub places: Vec<PlaceKey>,
}

impl Values {
    /// The values of a record.
    pub fn of(company: &Company) -> Values {
        let location = &company.location;
        Values {
            industry: company.industry.as_deref().map(fold_filter).unwrap_or_default(),
            places: places::stored_keys(
                location.city.as_deref(),
                location.state.as_deref(),
                location.country.as_deref(),
            ),
        }
    }
}

/// The filters of a request, clause_match.
pub struct Filters {
    /// Folded forms of the industries asked for; `None` without the filter.
    pub industries: Option<Vec<String>>,
    /// The places asked for; `None` without the filter.
    pub locations: Option<Vec<PlaceFilter>>,
    /// Folded forms of the industries that exclude.
    pub excluded_industries: Vec<String>,
    /// The places that exclude.
    pub excluded_locations: Vec<PlaceFilter>,
    /// Fewest employees.
    pub min: Option<u64>,
    /// Most employees.
    pub max: Option<u64>,
    /// The earliest and the latest founding year.
    pub years: [Option<u16>; 2],
}

impl Filters {
    /// Understands the filters of a request, given the records: they say which names and places are
    /// known.
    pub fn of(query: &Query, records: &[Record]) -> Filters {
        let known_industry =
            |form: &String| records.iter().any(|r| r.values.industry.contains(form));
        let industries = |values: &[String]| -> Vec<String> {
            values.iter().flat_map(|value| industries(value, &known_industry)).collect()
        };
        let locations = |values: &[String]| -> Vec<PlaceFilter> {
            values.iter().map(|value| place(value, records)).collect()
        };
        Filters {
            industries: (!query.industries.is_empty()).then(|| industries(&query.industries)),
            locations: (!query.locations.is_empty()).then(|| locations(&query.locations)),
            excluded_industries: industries(&query.excluded_industries),
            excluded_locations: locations(&query.excluded_locations),
            min: query.employee_count_min,
            max: query.employee_count_max,
            years: [query.founded_year_min, query.founded_year_max],
        }
    }

    /// Does a record pass all filters?
    pub fn admit(&self, record: &Record) -> bool {
        self.admit_industry(record)
            && self.admit_location(record)
            && self.admit_employees(record)
            && self.admit_years(record)
            && !self.exclude(record)
    }

    /// Is a record excluded by its industry or its place?
    pub fn exclude(&self, record: &Record) -> bool {
        // "a business that the same value as `industry` or `location` would match is left out; one
        // without the value stays"
        is_of_industry(record, &self.excluded_industries)
            || is_at_place(record, &self.excluded_locations)
    }

    /// Does a record pass the bounds of years?
    pub fn admit_years(&self, record: &Record) -> bool {
        // "bounds inclusive"; "a business without the value matches no bound"
        let [min, max] = self.years;
        if min.is_none() && max.is_none() {
            return true;
        }
        record.company.founded_year.is_some_and(|year| {
            min.is_none_or(|min| min <= year) && max.is_none_or(|max| year <= max)
        })
    }

    /// Does a record pass the filter by industry?
    pub fn admit_industry(&self, record: &Record) -> bool {
        // "whole names, folded (…); several are OR". "An unknown name matches nothing; if all are
        // unknown the answer is empty."
        self.industries.as_ref().is_none_or(|asked| is_of_industry(record, asked))
    }

    /// Does a record pass the filter by place?
    pub fn admit_location(&self, record: &Record) -> bool {
        // "may be repeated (OR)"
        self.locations.as_ref().is_none_or(|asked| is_at_place(record, asked))
    }

    /// Does a record pass the bounds of employees?
    pub fn admit_employees(&self, record: &Record) -> bool {
        // "bounds inclusive"; "a business without `employee_count` matches no bound,
        // `min_employees=0` included"
        if self.min.is_none() && self.max.is_none() {
            return true;
        }
        record.company.employee_count.is_some_and(|count| {
            self.min.is_none_or(|min| min <= count) && self.max.is_none_or(|max| count <= max)
        })
    }
}

fn is_of_industry(record: &Record, asked: &[String]) -> bool {
    record.values.industry.iter().any(|form| !form.is_empty() && asked.contains(form))
}

/// What a value of `location` asks for.
pub fn place(value: &str, records: &[Record]) -> PlaceFilter {
    places::parse(value, &|key: &PlaceKey| is_known(key, records))
}

/// Does a record have a place?
pub fn is_known(key: &PlaceKey, records: &[Record]) -> bool {
    records.iter().any(|record| record.values.places.contains(key))
}

/// Is a record at any of some places?
pub fn is_at_place(record: &Record, asked: &[PlaceFilter]) -> bool {
    asked.iter().any(|filter| match filter {
        PlaceFilter::Parts(query) => fits(&query.parts, &PlaceKind::ALL, &record.values.places),
        PlaceFilter::Unknown => false,
        PlaceFilter::Blank => unreachable!("a query holds no blank value"),
    })
}

/// "every part must equal a *different* one of city, state, country, in any order"
pub fn fits(parts: &[PlacePart], kinds: &[PlaceKind], stored: &[PlaceKey]) -> bool {
    let Some((part, other_parts)) = parts.split_first() else { return true };
    kinds.iter().any(|&kind| {
        let other_kinds: Vec<PlaceKind> = kinds.iter().copied().filter(|&k| k != kind).collect();
        part.of_kind(kind).any(|key| stored.contains(key))
            && fits(other_parts, &other_kinds, stored)
    })
}

/// The folded forms of the names in one value of `industry`.
fn industries(value: &str, is_known: &dyn Fn(&String) -> bool) -> Vec<String> {
    let mut names = Vec::new();
    for (number, text) in value.split('"').enumerate() {
        // "`"…"` is literal"
        if number % 2 == 1 {
            names.extend(fold_filter(text));
            continue;
        }
        // "split on commas; the longest run of pieces that is a known industry is one name"
        let pieces: Vec<&str> = text.split(',').filter(|piece| !piece.trim().is_empty()).collect();
        let mut first = 0;
        while first < pieces.len() {
            let runs = (first + 1..=pieces.len()).rev();
            let forms_of = |end: usize| fold_filter(&pieces[first..end].join(","));
            let longest =
                runs.map(|end| (end, forms_of(end))).find(|(_, forms)| forms.iter().any(is_known));
            match longest {
                Some((end, forms)) => {
                    names.extend(forms);
                    first = end;
                }
                // "An unknown name matches nothing"
                None => first += 1,
            }
        }
    }
    names
}
