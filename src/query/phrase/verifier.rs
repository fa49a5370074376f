//! Looking at the words of a business: what postings alone cannot tell.

use super::matcher::{NameMatch, PhraseMatcher};
use crate::analyzer::TextField;
use crate::ids::DocId;
use crate::query::sets::chunk::Lows;
use crate::query::sets::doc_set::HitSet;
use crate::query::sets::set_expr::Plan;
use crate::snapshot::Snapshot;
use crate::snapshot::terms::impacts::ChunkPlaces;
use crate::snapshot::terms::next_word::FollowerCursor;
use std::borrow::Cow;

/// What is looked for in the words of a business.
#[derive(Debug)]
pub struct Check<'s> {
    snapshot: &'s Snapshot,
    /// The words.
    pub matcher: PhraseMatcher<'s>,
    /// How they must stand.
    pub place: Place,
    /// What tells most businesses off without reading their words.
    followers: Vec<FollowerCursor<'s>>,
}

/// Businesses that are announced together.
pub const ANNOUNCED: usize = 32;

/// How words must stand in a business.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// As a phrase in one of these fields.
    Within(&'static [TextField]),
    /// At the start of the name.
    BeginName(NameMatch),
}

impl Place {
    /// The fields that are looked at.
    pub fn fields(self) -> &'static [TextField] {
        match self {
            Place::Within(fields) => fields,
            Place::BeginName(_) => &[TextField::Name],
        }
    }
}

impl<'s> Check<'s> {
    /// The check whether the words of `matcher` stand as `place` says. Where one of `followers` says that what it is
    /// of is not followed as the words are, they do not.
    pub fn new(
        snapshot: &'s Snapshot,
        matcher: PhraseMatcher<'s>,
        place: Place,
        followers: Vec<FollowerCursor<'s>>,
    ) -> Check<'s> {
        Check { snapshot, matcher, place, followers }
    }

    /// Calls `visit` with those of `candidates` in every chunk in which the words may stand so, as far as followers tell.
    pub fn for_each_chunk_left(
        &self,
        candidates: &Plan<'_>,
        mut visit: impl FnMut(u16, &Lows<'_>),
    ) {
        if let Plan::Ready(hits) = candidates {
            let left = self.may_pass_of_hits(hits);
            return left.chunks().for_each(|(key, at)| visit(key, &Lows::Slice(&left.lows()[at])));
        }
        for key in candidates.keys() {
            visit(key, &self.may_pass_of(key, &candidates.chunk(key)));
        }
    }

    /// Those of ascending lower halves in one chunk in which the words may stand so, as far as followers tell.
    pub fn may_pass_of(&self, key: u16, lows: &Lows<'_>) -> Lows<'static> {
        let mut left = lows.to_array();
        for followers in &self.followers {
            let mut passing = Vec::new();
            followers.among(&[(key, 0..left.len())], &left, |number| passing.push(left[number]));
            left = passing;
        }
        Lows::Array(left)
    }

    /// Those of `hits` in which the words may stand so, as far as followers tell. Of those whose chunks hold a few each,
    /// many bytes are read at a time.
    pub fn may_pass_of_hits<'h>(&self, hits: &'h HitSet) -> Cow<'h, HitSet> {
        self.followers.iter().fold(Cow::Borrowed(hits), |left, followers| {
            let chunks: Vec<ChunkPlaces> = left.chunks().collect();
            let (mut passing, mut docs) = (HitSet::default(), left.places());
            followers.among(&chunks, left.lows(), |number| passing.push(docs.doc(number).0));
            Cow::Owned(passing)
        })
    }

    /// Those of ascending lower halves in one chunk in which the words stand so.
    pub fn passing(&self, key: u16, lows: &Lows<'_>) -> Lows<'static> {
        let left = self.may_pass_of(key, lows).to_array();
        Lows::Array(self.passing_of(&left, |&low| DocId(u32::from(key) << 16 | u32::from(low))))
    }

    /// Those of `items` whose business passes.
    pub fn passing_of<T: Copy>(&self, items: &[T], doc: impl Fn(&T) -> DocId) -> Vec<T> {
        let mut passing = Vec::new();
        self.each_passing(items, doc, |&item| {
            passing.push(item);
            true
        });
        passing
    }

    /// Calls `visit` with those of `items` whose business passes, until it says that it wants no more.
    pub fn each_passing<T>(
        &self,
        items: &[T],
        doc: impl Fn(&T) -> DocId,
        mut visit: impl FnMut(&T) -> bool,
    ) {
        for announced in items.chunks(ANNOUNCED) {
            self.snapshot.touch_doc_tokens(announced.iter().map(&doc));
            for item in announced {
                if self.passes(doc(item)) && !visit(item) {
                    return;
                }
            }
        }
    }

    /// Do the words stand so in `doc`?
    pub fn passes(&self, doc: DocId) -> bool {
        let tokens = self.snapshot.doc_tokens(doc);
        match self.place {
            Place::Within(fields) => self.matcher.matches(&tokens, fields),
            Place::BeginName(wanted) => self.matcher.begins_name(&tokens) == Some(wanted),
        }
    }
}
