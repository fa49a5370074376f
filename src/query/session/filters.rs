//! Filters: industries, places, and bounds on employees and years, as plans.
//!
//! Contract, section 4. Whole values only; several values of one filter are alternatives.

use super::Session;
use super::count::{are_disjoint, stored, without_parts};
use crate::ids::TermOrd;
use crate::industries;
use crate::places;
use crate::places::{PlaceFilter, PlaceKind, PlacePart, PlaceQuery};
use crate::query::request::{Query, Valued};
use crate::query::sets::set_expr::{List, SetExpr};
use crate::snapshot::Snapshot;
use crate::snapshot::answers::frequent_keys::DenseKey;

impl<'s> Session<'s> {
    /// One plan for each filter that the query has.
    pub(crate) fn plan_filters(&self, query: &Query) -> Vec<SetExpr<'s>> {
        let mut filters = Vec::new();
        if !query.industries.is_empty() {
            filters.push(self.industries(&query.industries));
        }
        if !query.locations.is_empty() {
            filters.push(self.locations(&query.locations));
        }
        filters.extend(
            query.place.as_ref().map(|place| self.location(place).unwrap_or(SetExpr::EMPTY)),
        );
        if query.employee_count_min.is_some() || query.employee_count_max.is_some() {
            filters.push(self.employees(query.employee_count_min, query.employee_count_max));
        }
        filters.extend(query.founded_years().map(|years| self.founded(years)));
        filters
    }

    /// Documents that any value excludes.
    pub(crate) fn plan_excluded_values(&self, query: &Query) -> SetExpr<'s> {
        let industries = self.industries(&query.excluded_industries);
        SetExpr::union([industries, self.locations(&query.excluded_locations)])
    }

    /// Businesses within bounds on employees.
    fn employees(&self, min: Option<u64>, max: Option<u64>) -> SetExpr<'s> {
        let counts = self.snapshot().employee_counts();
        let start = max.map_or(0, |max| counts.above(max));
        let end = min.map_or(counts.len(), |min| counts.at_least(min));
        SetExpr::Range(start..end.max(start))
    }

    /// Businesses of any of the industries that the values name.
    fn industries(&self, values: &[String]) -> SetExpr<'s> {
        let dictionary = self.snapshot().industries();
        let mut ords: Vec<TermOrd> = Vec::new();
        for value in values {
            let ord = |key: &str| dictionary.ord(key);
            let named = industries::parse(value, dictionary.key_pieces_max(), &ord);
            ords.extend(named.known);
            named.unknown.into_iter().for_each(|text| self.note_unknown(Valued::Industry, text));
        }
        ords.sort_unstable();
        ords.dedup();
        let lists: Vec<SetExpr<'s>> = ords.into_iter().map(|ord| self.industry(ord)).collect();
        // A business has one industry, but that may stand under two keys.
        if are_disjoint(self, &lists) {
            SetExpr::disjoint_union(lists)
        } else {
            SetExpr::union(lists)
        }
    }

    /// Businesses at any of the places that the values name.
    pub fn locations(&self, values: &[String]) -> SetExpr<'s> {
        SetExpr::union(values.iter().map(|value| {
            self.location(value).unwrap_or_else(|| {
                self.note_unknown(Valued::Location, value.clone());
                SetExpr::EMPTY
            })
        }))
    }

    /// Businesses at the place that a value names, if it names one.
    pub fn location(&self, value: &str) -> Option<SetExpr<'s>> {
        let parts = place_parts(self.snapshot(), value)?;
        let parts: Vec<ByKind> = parts.iter().map(|part| self.by_kind(part)).collect();
        Some(self.combination(&parts, &PlaceKind::ALL))
    }

    /// Businesses at the places of a kind that a value names.
    pub fn places_of_kind(&self, value: &str, kind: PlaceKind) -> SetExpr<'s> {
        let parts = place_parts(self.snapshot(), value).unwrap_or_default();
        SetExpr::union(parts.iter().map(|part| self.place(&self.by_kind(part)[kind as usize])))
    }

    fn industry(&self, ord: TermOrd) -> SetExpr<'s> {
        let postings = self.snapshot().industries().postings(ord);
        SetExpr::List(List { postings, key: Some(DenseKey::Industry(ord)) })
    }

    /// The keys that part of a location may mean, looked up once.
    fn by_kind(&self, part: &PlacePart) -> ByKind {
        let mut ords = ByKind::default();
        for key in &part.meanings {
            ords[key.kind() as usize].extend(self.snapshot().places().ord(key.as_str()));
        }
        ords
    }

    /// Businesses at a place of one kind. Of places that nobody asks for, not even the head of a
    /// list is read.
    fn place(&self, ords: &[TermOrd]) -> SetExpr<'s> {
        let list = |&ord: &TermOrd| {
            let postings = self.snapshot().places().postings(ord);
            SetExpr::List(List { postings, key: Some(DenseKey::Place(ord)) })
        };
        SetExpr::union(without_parts(self, ords.iter().map(list).collect()))
    }

    /// Businesses for which each part is a different one of `kinds`.
    fn combination(&self, parts: &[ByKind], kinds: &[PlaceKind]) -> SetExpr<'s> {
        let Some((part, others)) = parts.split_first() else {
            return SetExpr::Range(0..self.snapshot().num_docs());
        };
        let mut combined = Vec::new();
        for &kind in kinds {
            let here = self.place(&part[kind as usize]);
            if others.is_empty() || here.is_nothing() {
                combined.push(here);
                continue;
            }
            let left: Vec<PlaceKind> =
                kinds.iter().copied().filter(|&other| other != kind).collect();
            let there = self.sharing(&here, self.combination(others, &left));
            combined.push(SetExpr::intersection([here, there]));
        }
        SetExpr::union(combined)
    }

    /// Places among `places` that share any business with `place`, as far as stored counts tell:
    /// nobody is in Atlanta and in the country of Georgia, and of Atlanta and the state all is
    /// stored.
    fn sharing(&self, place: &SetExpr<'s>, places: SetExpr<'s>) -> SetExpr<'s> {
        let is_apart = |other: &SetExpr<'s>| stored(self, place, other) == Some(0);
        match places {
            SetExpr::Union(union) if union.parts.iter().any(is_apart) => {
                SetExpr::union(union.parts.into_iter().filter(|part| !is_apart(part)))
            }
            places if is_apart(&places) => SetExpr::EMPTY,
            places => places,
        }
    }
}

/// The parts of a value of `location`, if it names a place.
pub fn place_parts(snapshot: &Snapshot, value: &str) -> Option<Vec<PlacePart>> {
    match places::parse(value, snapshot) {
        PlaceFilter::Parts(PlaceQuery { parts }) => Some(parts),
        PlaceFilter::Unknown | PlaceFilter::Blank => None,
    }
}

/// What one part of a location may mean, by kind.
type ByKind = [Vec<TermOrd>; PlaceKind::ALL.len()];

#[cfg(all(test, feature = "builder"))]
mod tests;
