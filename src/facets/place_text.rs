//! The text by which a place is asked for beside the places of a query.
//!
//! A value alone is `city:Austin`. With one `location` in the query, the text asks for both:
//! `city:Austin, Texas`. Parts of a location are different kinds of place, so that a part that the
//! value stands for itself is left out; which one that is, is tried where it may be several.

use crate::places;
use crate::places::{PlaceFilter, PlaceKey, PlaceKind};
use crate::query::request::Query;
use crate::query::session::Session;
use crate::query::session::count::count;
use crate::query::sets::set_expr::SetExpr;
use crate::snapshot::Snapshot;

/// Makes the texts of places of one kind.
pub struct PlaceTexts<'s> {
    snapshot: &'s Snapshot,
    kind: PlaceKind,
    /// The location of the query, if it has one, and its parts.
    location: Option<(SetExpr<'s>, Vec<Part>)>,
}

/// A part of the query's location.
struct Part {
    text: String,
    /// May it stand for a place of the kind at hand, as far as any document is there?
    may_be_kind: bool,
}

impl<'s> PlaceTexts<'s> {
    /// Of places of `kind`, beside `locations`. With several of these, texts are of the values
    /// alone: each location is to be put behind them.
    pub fn new(snapshot: &'s Snapshot, kind: PlaceKind, locations: &[String]) -> PlaceTexts<'s> {
        let location = match locations {
            [location] => {
                parts(snapshot, kind, location).map(|parts| (at(snapshot, location.clone()), parts))
            }
            _ => None,
        };
        PlaceTexts { snapshot, kind, location }
    }

    /// The text for a value.
    pub fn of(&self, value: &str) -> Option<String> {
        let own = places::text_of(self.kind, value)?;
        let Some((location, parts)) = &self.location else { return Some(own) };
        let with = |left_out: Option<usize>| {
            let others = parts.iter().enumerate().filter(|(at, _)| Some(*at) != left_out);
            let texts = others.map(|(_, part)| part.text.as_str());
            std::iter::once(own.as_str()).chain(texts).collect::<Vec<_>>().join(", ")
        };
        let may_be_kind = (0..parts.len()).filter(|&at| parts[at].may_be_kind).collect::<Vec<_>>();
        if may_be_kind.is_empty() {
            return Some(with(None));
        }
        let both = SetExpr::intersection([at(self.snapshot, own.clone()), location.clone()]);
        let candidates = may_be_kind.into_iter().map(Some).chain([None]).map(with);
        let mut candidates = candidates.filter(|text| self.is_same(text, &both));
        candidates.next().or(Some(own))
    }

    /// Does a text ask for exactly these documents?
    fn is_same(&self, text: &str, documents: &SetExpr<'s>) -> bool {
        let session = Session::new(self.snapshot);
        let len = |set: SetExpr<'s>| count(&session, set, false).0;
        let asked = at(self.snapshot, text.to_owned());
        let (all, here) = (len(documents.clone()), len(asked.clone()));
        all == here && len(SetExpr::intersection([asked, documents.clone()])) == all
    }
}

/// Documents at a location.
fn at(snapshot: &Snapshot, location: String) -> SetExpr<'_> {
    let query = Query { locations: vec![location], ..Query::default() };
    let session = Session::new(snapshot);
    session.filters(&query).first().cloned().unwrap_or(SetExpr::EMPTY)
}

/// The parts of a location that is a known place.
fn parts(snapshot: &Snapshot, kind: PlaceKind, location: &str) -> Option<Vec<Part>> {
    let ord = |key: &PlaceKey| snapshot.places().ord(key.as_str());
    let parsed = places::parse(location, &|key| ord(key).is_some());
    let PlaceFilter::Parts(query) = parsed else { return None };
    let part = |part: places::PlacePart| {
        let may_be_kind = part.of_kind(kind).any(|key| ord(key).is_some());
        Part { text: part.text, may_be_kind }
    };
    Some(query.parts.into_iter().map(part).collect())
}
