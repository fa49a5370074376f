//! Filters: industries, places, and bounds on employees and years, as plans.
//!
//! Contract, section 4. Whole values only; several values of one filter are alternatives.

use super::Session;
use super::count::{are_disjoint, stored, without_parts};
use crate::analyzer::fold::is_quote;
use crate::analyzer::fold_filter;
use crate::ids::TermOrd;
use crate::places;
use crate::places::{PlaceFilter, PlaceKey, PlaceKind, PlacePart};
use crate::query::request::Query;
use crate::query::sets::set_expr::{List, SetExpr};
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
            let pieces = split_values(value);
            let mut rest = pieces.as_slice();
            while let [first, ..] = rest {
                // The longest run of pieces that is a known name; a quoted piece stands alone.
                let runs = if first.is_quoted {
                    1
                } else {
                    let longest = dictionary.key_pieces_max().min(JOINED_PIECES_MAX);
                    rest.iter().take(longest).take_while(|piece| !piece.is_quoted).count()
                };
                let found = (1..=runs).rev().find_map(|len| {
                    let name =
                        rest[..len].iter().map(|piece| piece.text).collect::<Vec<_>>().join(",");
                    let keys = fold_filter(&name);
                    let ords: Vec<TermOrd> =
                        keys.iter().filter_map(|key| dictionary.ord(key)).collect();
                    (!ords.is_empty()).then_some((len, ords))
                });
                let len = found.as_ref().map_or(1, |(len, _)| *len);
                ords.extend(found.into_iter().flat_map(|(_, ords)| ords));
                rest = &rest[len..];
            }
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
    fn locations(&self, values: &[String]) -> SetExpr<'s> {
        let is_known = |key: &PlaceKey| self.snapshot().places().ord(key.as_str()).is_some();
        SetExpr::union(values.iter().map(|value| match places::parse(value, &is_known) {
            PlaceFilter::Parts(query) => {
                let parts: Vec<ByKind> =
                    query.parts.iter().map(|part| self.by_kind(part)).collect();
                self.combination(&parts, &PlaceKind::ALL)
            }
            PlaceFilter::Unknown | PlaceFilter::Blank => SetExpr::EMPTY,
        }))
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

/// Most pieces that are joined again to the name of an industry. Names of more commas, which no
/// list of industries has, but a record may, are found in quotation marks; one such record would
/// let a request of some thousand commas join them millions of times.
const JOINED_PIECES_MAX: usize = 16;

/// What one part of a location may mean, by kind.
type ByKind = [Vec<TermOrd>; PlaceKind::ALL.len()];

/// One of the pieces that commas separate.
struct Piece<'a> {
    text: &'a str,
    is_quoted: bool,
}

/// Splits a value at the commas outside quotation marks; blank pieces are left out.
fn split_values<'v>(value: &'v str) -> Vec<Piece<'v>> {
    let mut pieces = Vec::new();
    let mut push = |text: &'v str, is_quoted| {
        if !text.trim().is_empty() {
            pieces.push(Piece { text, is_quoted });
        }
    };
    let (mut start, mut in_quotes) = (0, false);
    for (at, c) in value.char_indices() {
        if is_quote(c) {
            push(&value[start..at], in_quotes);
            in_quotes = !in_quotes;
            start = at + c.len_utf8();
        } else if c == ',' && !in_quotes {
            push(&value[start..at], false);
            start = at + 1;
        }
    }
    push(&value[start..], in_quotes);
    pieces
}

#[cfg(all(test, feature = "builder"))]
mod tests;
