//! The text by which a place is asked for in place of the locations of a query.
//!
//! A value alone is `city:Austin`. With one `location` in the query, the text asks for both:
//! `city:Austin, Texas`. Parts of a location are different kinds of place, and a part may mean more
//! beside another one than alone, so that there are several candidates: a part that the value
//! stands for itself is left out, or bound to a kind. Where it matters, documents tell which one is
//! right.

use crate::places::{self, Gazetteer, PlaceKind, PlacePart};
use crate::query::session::Session;
use crate::query::session::count::count;
use crate::query::session::filters::place_parts;
use crate::query::sets::set_expr::SetExpr;
use crate::snapshot::Snapshot;

/// Most locations of which candidates are made: they are looked at for each value.
const LOCATIONS_MAX: usize = 8;

/// Makes the texts of places of one kind.
pub struct PlaceTexts<'s> {
    snapshot: &'s Snapshot,
    kind: PlaceKind,
    /// The locations of the query, if it has any.
    asked: Option<Asked<'s>>,
}

/// The locations of a query.
struct Asked<'s> {
    /// The documents there.
    docs: SetExpr<'s>,
    /// The parts of each location that is a known place.
    locations: Vec<Vec<Part>>,
    /// Is it one location, whose text behind that of any value asks for both?
    is_plain: bool,
}

/// A part of a location.
struct Part {
    text: String,
    /// May it stand for a place of the kind at hand, as far as any document is there?
    may_be_kind: bool,
}

impl<'s> PlaceTexts<'s> {
    /// Of places of `kind`, for a query with `locations`.
    pub fn new(snapshot: &'s Snapshot, kind: PlaceKind, locations: &[String]) -> PlaceTexts<'s> {
        let asked = (!locations.is_empty()).then(|| Asked {
            docs: at(snapshot, locations.to_vec()),
            locations: locations
                .iter()
                .take(LOCATIONS_MAX)
                .filter_map(|location| parts(snapshot, kind, location))
                .collect(),
            is_plain: matches!(locations, [location] if is_plain(snapshot, kind, location)),
        });
        PlaceTexts { snapshot, kind, asked }
    }

    /// The text for a value: of the documents with it at the locations of the query. None if no
    /// text asks for exactly these, as for a city that lies at several locations.
    pub fn of(&self, value: &str) -> Option<String> {
        let own = places::text_of(self.kind, value)?;
        let Some(asked) = &self.asked else { return Some(own) };
        if let ([parts], true) = (&asked.locations[..], asked.is_plain) {
            return Some(joined(std::iter::once(own.as_str()).chain(texts(parts))));
        }
        let both = [at(self.snapshot, vec![own.clone()]), asked.docs.clone()];
        let both = SetExpr::intersection(both);
        let total = self.len(&both);
        let alone = std::iter::once(own.clone());
        let candidates = asked.locations.iter().flat_map(|parts| self.candidates(&own, parts));
        alone.chain(candidates).find(|text| self.is_same(text, &both, total))
    }

    /// Texts that may ask for a value at a location.
    fn candidates(&self, own: &str, parts: &[Part]) -> Vec<String> {
        let others = |left_out: usize| -> Vec<String> {
            let others = parts.iter().enumerate().filter(|(at, _)| *at != left_out);
            others.map(|(_, part)| part.text.clone()).collect()
        };
        let with = |first: Vec<String>, at: usize| [first, others(at)].concat().join(", ");
        let beside = |at: usize| with(vec![own.to_owned()], at);
        let with_kind = |(at, kind): (usize, PlaceKind)| {
            // The value and a part of one kind would ask for two of it.
            let own = (kind != self.kind).then(|| own.to_owned());
            with(own.into_iter().chain([places::bound(kind, &parts[at].text)]).collect(), at)
        };
        let stand_for_it = (0..parts.len()).filter(|&at| parts[at].may_be_kind);
        let all = joined(std::iter::once(own).chain(texts(parts)));
        let kinds = (0..parts.len()).flat_map(|at| PlaceKind::ALL.map(|kind| (at, kind)));
        stand_for_it.map(beside).chain([all]).chain(kinds.map(with_kind)).collect()
    }

    /// Does a text ask for exactly these documents, of which there are `total`?
    fn is_same(&self, text: &str, documents: &SetExpr<'s>, total: u64) -> bool {
        let asked = at(self.snapshot, vec![text.to_owned()]);
        self.len(&asked) == total
            && self.len(&SetExpr::intersection([asked, documents.clone()])) == total
    }

    fn len(&self, documents: &SetExpr<'s>) -> u64 {
        count(&Session::new(self.snapshot), documents.clone(), false).0
    }
}

fn texts(parts: &[Part]) -> impl Iterator<Item = &str> {
    parts.iter().map(|part| part.text.as_str())
}

fn joined<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    texts.collect::<Vec<_>>().join(", ")
}

/// Documents at one of some locations.
fn at(snapshot: &Snapshot, locations: Vec<String>) -> SetExpr<'_> {
    Session::new(snapshot).locations(&locations)
}

fn parts(snapshot: &Snapshot, kind: PlaceKind, location: &str) -> Option<Vec<Part>> {
    let part = |part: PlacePart| {
        let may_be_kind = part.of_kind(kind).any(|key| snapshot.has(key));
        Part { text: part.text, may_be_kind }
    };
    Some(place_parts(snapshot, location)?.into_iter().map(part).collect())
}

/// Do the parts of a location mean beside a place of `kind` what they mean in it, and none of them
/// such a place?
fn is_plain(snapshot: &Snapshot, kind: PlaceKind, location: &str) -> bool {
    let Some(parts) = parts(snapshot, kind, location) else { return false };
    // Alone, a code means less than beside another part.
    let means_more = match &parts[..] {
        [part] => {
            let alone = place_parts(snapshot, &part.text);
            let twice = place_parts(snapshot, &format!("{0}, {0}", part.text));
            alone.is_none()
                || alone.as_ref().map(|it| &it[..1]) != twice.as_ref().map(|it| &it[..1])
        }
        _ => false,
    };
    !means_more && parts.iter().all(|part| !part.may_be_kind)
}
