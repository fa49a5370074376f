//! What values there are, and how many documents of an answer have each.
//!
//! In: a [`FacetQuery`] and a [`Snapshot`]. Out: [`FacetCounts`], exact: a count is the `total` of
//! the search with this value in place of what the query filters the facet by. For places
//! `location` stays in force, and the value counts besides. Normative: `docs/api.md`, "Facets".
//!
//! | counted | how | cost |
//! |---|---|---|
//! | texts, over all documents | as they are stored, most first | the values of the answer |
//! | texts, over the hits of a query | the set of values of each hit, then the values of each set | linear in hits |
//! | bands of employees | hits within a range of `DocId`s, which stand in the order by employees | as a total |
//! | decades, over all documents | where each begins in the order by year | a binary search each |
//! | decades, over the hits of a query | the column of years | linear in hits |
//!
//! Facets that the query filters by have hits of their own, counted without that filter; all others
//! share those of the query. [`nearest`] names the known value that an unknown one may have meant,
//! [`place_text`] the text by which a place is asked for.

pub mod bands;
pub mod nearest;
pub mod place_text;
mod tally;

use crate::ids::DocId;
use crate::places::PlaceKind;
use crate::query::interpret::{Interpretation, asked};
use crate::query::page::{self, Understood};
use crate::query::request::{Query, Valued};
use crate::query::session::Session;
use crate::query::session::cost::TooExpensive;
use crate::query::session::ways::Tuning;
use crate::query::sets::set_expr::SetExpr;
use crate::query::strategy::counted::Counted;
use crate::snapshot::Snapshot;
use crate::snapshot::columns::facets::{FacetColumn, TextFacet, words};
use place_text::PlaceTexts;
use std::borrow::Cow;
use tally::{Tally, largest};

/// What values are counted of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Facet {
    /// Industries.
    Industry,
    /// Countries.
    Country,
    /// States.
    State,
    /// Cities.
    City,
    /// Bands of employees.
    EmployeeCount,
    /// Decades.
    FoundedYear,
}

impl Facet {
    /// All facets.
    pub const ALL: [Facet; 6] = [
        Facet::Industry,
        Facet::Country,
        Facet::State,
        Facet::City,
        Facet::EmployeeCount,
        Facet::FoundedYear,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Facet::Industry => "industry",
            Facet::Country => "country",
            Facet::State => "state",
            Facet::City => "city",
            Facet::EmployeeCount => "employee_count",
            Facet::FoundedYear => "founded_year",
        }
    }

    /// The query without what it filters this facet by; none if it does not.
    fn freed(self, query: &Query) -> Option<Query> {
        let query = query.clone();
        match self {
            Facet::Industry if !query.industries.is_empty() => {
                Some(Query { industries: Vec::new(), ..query })
            }
            Facet::EmployeeCount
                if query.employee_count_min.is_some() || query.employee_count_max.is_some() =>
            {
                Some(Query { employee_count_min: None, employee_count_max: None, ..query })
            }
            Facet::FoundedYear if query.founded_years().is_some() => {
                Some(Query { founded_year_min: None, founded_year_max: None, ..query })
            }
            _ => None,
        }
    }

    /// The column that tells its values, if they are texts.
    fn text_facet(self) -> Option<(TextFacet, Option<PlaceKind>)> {
        match self {
            Facet::Industry => Some((TextFacet::Industry, None)),
            Facet::Country => Some((TextFacet::Country, Some(PlaceKind::Country))),
            Facet::State => Some((TextFacet::State, Some(PlaceKind::State))),
            Facet::City => Some((TextFacet::City, Some(PlaceKind::City))),
            Facet::EmployeeCount | Facet::FoundedYear => None,
        }
    }
}

/// A validated request for facets.
#[derive(Clone, Debug, Default)]
pub struct FacetQuery {
    /// What to search for. Sort, order, limit and cursor are of no account.
    pub query: Query,
    /// What to count, each once.
    pub facets: Vec<Facet>,
    /// Only values of which a word begins so.
    pub prefix: Option<String>,
    /// Most values of a facet.
    pub limit: usize,
}

/// The answer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FacetCounts {
    /// How many documents match the query.
    pub total: u64,
    /// The facets asked for, in their order.
    pub facets: Vec<FacetCount>,
    /// `q` as corrected, if it was.
    pub corrected: Option<String>,
    /// The place that words of `q` name, if they were read so.
    pub place: Option<String>,
    /// Did no document match all words, so that any word counts?
    pub relaxed: bool,
    /// Values of filters that name nothing.
    pub unknown: Vec<(Valued, String)>,
}

/// The values of one facet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FacetCount {
    /// The facet.
    pub facet: Facet,
    /// Values, most frequent first, ties by text.
    pub values: Vec<ValueCount>,
    /// How many values there are on all.
    pub distinct: u64,
    /// How many documents have no value.
    pub missing: u64,
}

/// One value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueCount {
    /// As most records write it; the name of a band.
    pub value: String,
    /// How many documents have it.
    pub count: u64,
    /// Of a place: the text that asks for it in place of the locations of the query, if one does.
    pub filter: Option<String>,
    /// Of a band: its bounds, the last of which has no upper one.
    pub bounds: Option<(u64, Option<u64>)>,
}

/// Documents to count values of.
struct Base<'s> {
    session: Session<'s>,
    /// The query as it is understood.
    query: Query,
    interpretation: Interpretation<'s>,
    hits: SetExpr<'s>,
    total: u64,
}

impl<'s> Base<'s> {
    fn new(mut session: Session<'s>, query: &Query) -> Result<Base<'s>, TooExpensive> {
        let query = asked(&session, query).into_owned();
        // No page is full with so many, so that the hits are kept if they are few.
        let query = Query { limit: u32::MAX, cursor: None, ..query };
        let understood = page::understand(&mut session, Cow::Owned(query))?;
        let Understood { query, interpretation, counted } = understood;
        let Counted { hits, total, .. } = counted;
        Ok(Base { session, query: query.into_owned(), interpretation, hits, total })
    }

    /// About how many postings and values are read to count the values of a facet.
    fn cost(&self, facet: Facet) -> u64 {
        if self.is_everything() {
            return 0;
        }
        let hits = self.hits.cost(self.snapshot().num_docs());
        match facet {
            Facet::EmployeeCount => hits,
            Facet::FoundedYear => hits + self.total,
            _ => hits + VALUES * self.total,
        }
    }

    fn snapshot(&self) -> &'s Snapshot {
        self.session.snapshot()
    }

    /// Is it all documents?
    fn is_everything(&self) -> bool {
        self.total == u64::from(self.snapshot().num_docs())
    }

    fn for_each(&self, visit: impl FnMut(DocId)) {
        self.hits.for_each(visit);
    }
}

/// What is read of each hit to count its values: the number of its set, and what counts that, far
/// from that of the next hit.
const VALUES: u64 = 8;

/// Counts values, whatever that costs. `tuning` says from which sizes on ways to hits are taken.
pub fn count(snapshot: &Snapshot, request: &FacetQuery, tuning: Tuning) -> FacetCounts {
    count_within(snapshot, request, tuning, u64::MAX).expect("nothing costs more")
}

/// What [`count`] tells, if it costs `most` postings and tokens at most, by an estimate.
///
/// # Errors
/// It costs more. The dearest part of the work has not begun.
pub fn count_within(
    snapshot: &Snapshot,
    request: &FacetQuery,
    tuning: Tuning,
    most: u64,
) -> Result<FacetCounts, TooExpensive> {
    let base = |query: &Query, cost| {
        Base::new(Session::tuned(snapshot, tuning).limited(most, cost), query)
    };
    let shared = base(&request.query, 0)?;
    let session = &shared.session;
    let mut facets = Vec::with_capacity(request.facets.len());
    for &facet in &request.facets {
        let freed = facet.freed(&request.query);
        let freed = freed.map(|query| base(&query, session.cost())).transpose()?;
        let own = freed.as_ref().unwrap_or(&shared);
        session.spend(own.session.cost() - session.cost() + own.cost(facet)).map_err(
            |refused| page::with_words(refused, session, &own.query, &own.interpretation),
        )?;
        facets.push(count_one(own, facet, request));
    }
    Ok(FacetCounts {
        total: shared.total,
        facets,
        unknown: shared.session.unknown(),
        relaxed: shared.interpretation.is_relaxed,
        corrected: shared.interpretation.corrected(session, &shared.query.text),
        place: shared.query.place.clone(),
    })
}

fn count_one(base: &Base<'_>, facet: Facet, request: &FacetQuery) -> FacetCount {
    let (mut values, missing) = match (facet, facet.text_facet()) {
        (_, Some((column, kind))) => {
            let column = base.snapshot().facet(column);
            return count_texts(base, facet, (column, kind), request);
        }
        (Facet::EmployeeCount, _) => bands::employees(base),
        _ => bands::decades(base),
    };
    if let Some(prefix) = &request.prefix {
        let beginnings = words(prefix);
        let begins = |value: &ValueCount| {
            let of_value = words(&value.value);
            beginnings.iter().any(|start| of_value.iter().any(|words| words.contains(start)))
        };
        values.retain(begins);
    }
    let distinct = values.len() as u64;
    values.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
    values.truncate(request.limit);
    FacetCount { facet, values, distinct, missing }
}

fn count_texts(
    base: &Base<'_>,
    facet: Facet,
    (column, kind): (FacetColumn<'_>, Option<PlaceKind>),
    request: &FacetQuery,
) -> FacetCount {
    let wanted = request.prefix.as_ref().map(|prefix| column.beginning(&words(prefix)));
    let (counted, distinct, missing) = if base.is_everything() {
        let stored = |value: u32| (value, u64::from(column.count(value)));
        let (values, distinct): (Vec<u32>, usize) = match wanted {
            None => {
                let all = column.num_values();
                ((0..all).take(request.limit).collect(), all as usize)
            }
            Some(mut wanted) => {
                let distinct = wanted.len();
                wanted.truncate(request.limit);
                (wanted, distinct)
            }
        };
        (values.into_iter().map(stored).collect(), distinct, u64::from(column.missing()))
    } else {
        let (tally, missing) = tallied(base, column);
        let mut counted = tally.counted();
        if let Some(wanted) = wanted {
            counted.retain(|(value, _)| wanted.binary_search(value).is_ok());
        }
        let distinct = counted.len();
        let text = |value: u32| column.text(value);
        (largest(counted, request.limit, text), distinct, missing)
    };
    let texts = kind.map(|kind| PlaceTexts::new(base.snapshot(), kind, &request.query.locations));
    let value = |(value, count): (u32, u64)| {
        let value = column.text(value).to_owned();
        let filter = texts.as_ref().and_then(|texts| texts.of(&value));
        ValueCount { value, count, filter, bounds: None }
    };
    let values = counted.into_iter().map(value).collect();
    FacetCount { facet, values, distinct: distinct as u64, missing }
}

/// How many hits have each value, and how many have none.
fn tallied(base: &Base<'_>, column: FacetColumn<'_>) -> (Tally, u64) {
    let mut sets = Tally::new(column.num_sets(), base.total);
    base.for_each(|doc| sets.add(column.set_of(doc), 1));
    let mut values = Tally::new(column.num_values(), base.total);
    let mut missing = 0;
    for (set, count) in sets.counted() {
        match set {
            0 => missing = count,
            set => column.members(set).iter().for_each(|&value| values.add(value, count)),
        }
    }
    (values, missing)
}
