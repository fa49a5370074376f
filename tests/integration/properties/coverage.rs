//! Counts how often each rule decided something. A property test whose rules never fire proves
//! nothing.

mod reading;
mod text;

use crate::oracle::filters::{Filters, fits};
use crate::oracle::{Answer, Oracle, Record};
use firmament::places::{PlaceFilter, PlaceKind, PlacePart};
use firmament::query::request::{Query, SortKey, SortOrder};
use std::collections::{BTreeMap, HashSet};

/// Every rule of filters, orders and pages that a run must exercise; those of
/// `q` are listed in [`text`] and [`reading`].
const RULES: &[&str] = &[
    "filter: employees, both bounds",
    "filter: employees, max",
    "filter: employees, min",
    "filter: employees, missing count",
    "filter: excluded industry",
    "filter: excluded location",
    "filter: founded, both bounds",
    "filter: founded, max",
    "filter: founded, min",
    "filter: founded, missing year",
    "filter: industry",
    "filter: industry, several",
    "filter: industry, unknown",
    "filter: industry, with a comma",
    "filter: location, alias",
    "filter: location, cut",
    "filter: location, one part",
    "filter: location, quoted",
    "filter: location, several values",
    "filter: location, three parts",
    "filter: location, two parts",
    "filter: location, unknown",
    "order: EmployeeCount Asc",
    "order: EmployeeCount Desc",
    "order: FoundedYear Asc",
    "order: FoundedYear Desc",
    "order: Name Asc",
    "order: Name Desc",
    "order: Relevance Asc",
    "order: Relevance Desc",
    "order: missing count",
    "order: missing year",
    "order: same count, other name",
    "order: same name, other count",
    "order: same name and count",
    "pages: empty answer",
    "pages: one",
    "pages: several",
];

/// Most matches of one answer that are looked at.
const MATCHES_MAX: usize = 40;

fn rules() -> impl Iterator<Item = &'static str> {
    RULES.iter().chain(text::RULES).chain(reading::RULES).copied()
}

/// How often each rule decided something.
#[derive(Default)]
pub struct Coverage {
    counts: BTreeMap<&'static str, u64>,
}

impl Coverage {
    /// Looks at one request and its answer.
    pub fn observe(&mut self, oracle: &Oracle, query: &Query, answer: &Answer) {
        let of = answer.matches.iter().map(|found| &oracle.records()[found.record]);
        let rows: Vec<&Record> = of.collect();
        self.observe_order(query, &rows);
        self.observe_filters(query, oracle.records());
        self.observe_text(oracle, query, answer);
    }

    /// Shows the counts.
    pub fn print(&self) {
        for rule in rules() {
            println!("{:>10}  {rule}", self.counts.get(rule).copied().unwrap_or_default());
        }
    }

    /// The rules that were never exercised.
    pub fn never_seen(&self) -> Vec<&'static str> {
        rules().filter(|rule| !self.counts.contains_key(rule)).collect()
    }

    fn see(&mut self, rule: &'static str) {
        self.see_if(true, rule);
    }

    fn see_if(&mut self, happened: bool, rule: &'static str) {
        if happened {
            debug_assert!(rules().any(|listed| listed == rule), "{rule} is not listed");
            *self.counts.entry(rule).or_default() += 1;
        }
    }

    fn observe_order(&mut self, query: &Query, rows: &[&Record]) {
        self.see(match rows.len() {
            0 => "pages: empty answer",
            len if len <= query.limit as usize => "pages: one",
            _ => "pages: several",
        });
        if rows.len() < 2 {
            return;
        }
        self.see(match (query.sort, query.order) {
            (SortKey::Relevance, SortOrder::Asc) => "order: Relevance Asc",
            (SortKey::Relevance, SortOrder::Desc) => "order: Relevance Desc",
            (SortKey::Name, SortOrder::Asc) => "order: Name Asc",
            (SortKey::Name, SortOrder::Desc) => "order: Name Desc",
            (SortKey::EmployeeCount, SortOrder::Asc) => "order: EmployeeCount Asc",
            (SortKey::EmployeeCount, SortOrder::Desc) => "order: EmployeeCount Desc",
            (SortKey::FoundedYear, SortOrder::Asc) => "order: FoundedYear Asc",
            (SortKey::FoundedYear, SortOrder::Desc) => "order: FoundedYear Desc",
        });
        let mut companies = rows.iter().map(|row| &row.company);
        self.see_if(companies.clone().any(|c| c.employee_count.is_none()), "order: missing count");
        self.see_if(companies.any(|c| c.founded_year.is_none()), "order: missing year");
        for pair in rows.windows(2).take(MATCHES_MAX) {
            let (a, b) = (&pair[0].company, &pair[1].company);
            let same_count = a.employee_count == b.employee_count;
            let rule = match (a.name == b.name, same_count) {
                (true, true) => "order: same name and count",
                (true, false) => "order: same name, other count",
                (false, true) => "order: same count, other name",
                (false, false) => continue,
            };
            self.see(rule);
        }
    }

    fn observe_filters(&mut self, query: &Query, records: &[Record]) {
        let filters = Filters::of(query, records);
        let decides = |admit: &dyn Fn(&Record) -> bool| {
            records.iter().any(admit) && !records.iter().all(admit)
        };
        if let Some(asked) = &filters.industries {
            let admits = |form: &&String| records.iter().any(|r| r.values.industry.contains(form));
            let known: HashSet<&String> = asked.iter().filter(admits).collect();
            self.see_if(decides(&|r| filters.admit_industry(r)), "filter: industry");
            self.see_if(known.len() > 1, "filter: industry, several");
            self.see_if(known.is_empty(), "filter: industry, unknown");
            self.see_if(
                known.iter().any(|name| name.contains(',')),
                "filter: industry, with a comma",
            );
        }
        for (value, asked) in query.locations.iter().zip(filters.locations.iter().flatten()) {
            self.observe_location(value, asked, records);
        }
        if let Some([first, second, ..]) = filters.locations.as_deref() {
            let parts = |filter: &PlaceFilter| matches!(filter, PlaceFilter::Parts(_));
            self.see_if(parts(first) && parts(second), "filter: location, several values");
        }
        if !query.excluded_industries.is_empty() || !query.excluded_locations.is_empty() {
            let without = Filters { excluded_locations: Vec::new(), ..Filters::of(query, records) };
            self.see_if(decides(&|r| without.exclude(r)), "filter: excluded industry");
            let without =
                Filters { excluded_industries: Vec::new(), ..Filters::of(query, records) };
            self.see_if(decides(&|r| without.exclude(r)), "filter: excluded location");
        }
        if let Some(rule) = match (query.founded_year_min, query.founded_year_max) {
            (None, None) => None,
            (Some(_), None) => Some("filter: founded, min"),
            (None, Some(_)) => Some("filter: founded, max"),
            (Some(_), Some(_)) => Some("filter: founded, both bounds"),
        } {
            self.see_if(decides(&|r| filters.admit_years(r)), rule);
            let is_missing = records.iter().any(|r| r.company.founded_year.is_none());
            self.see_if(is_missing, "filter: founded, missing year");
        }
        let rule = match (query.employee_count_min, query.employee_count_max) {
            (None, None) => return,
            (Some(_), None) => "filter: employees, min",
            (None, Some(_)) => "filter: employees, max",
            (Some(_), Some(_)) => "filter: employees, both bounds",
        };
        self.see_if(decides(&|r| filters.admit_employees(r)), rule);
        let is_missing = records.iter().any(|r| r.company.employee_count.is_none());
        self.see_if(is_missing, "filter: employees, missing count");
    }

    fn observe_location(&mut self, value: &str, asked: &PlaceFilter, records: &[Record]) {
        let PlaceFilter::Parts(asked) = asked else {
            self.see("filter: location, unknown");
            return;
        };
        let admits = |parts: &[PlacePart]| {
            records.iter().filter(|r| fits(parts, &PlaceKind::ALL, &r.values.places)).count()
        };
        let found = admits(&asked.parts);
        if found == 0 || found == records.len() {
            return;
        }
        self.see(match asked.parts.len() {
            1 => "filter: location, one part",
            2 => "filter: location, two parts",
            _ => "filter: location, three parts",
        });
        self.see_if(value.contains('"'), "filter: location, quoted");
        let is_cut = asked.parts.len() > 1 && !value.contains([',', '"']);
        self.see_if(is_cut, "filter: location, cut");
        let mut literal = asked.parts.clone();
        literal.iter_mut().for_each(|part| part.meanings.retain(|key| !key.as_str().contains('@')));
        self.see_if(admits(&literal) < found, "filter: location, alias");
    }
}
