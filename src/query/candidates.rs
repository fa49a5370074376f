//! Candidates of a check of words: who is left of them when followers have told.
//!
//! Two ways: to evaluate the candidates and ask the byte of each, or to search the bytes of one term for what must
//! follow it and ask of whom is found whether it is a candidate. Bytes that lie side by side are searched ten and
//! more in a nanosecond, so that the second costs less unless candidates are very few.

use super::check::Check;
use super::lows::Lows;
use super::plan::Plan;
use crate::snapshot::followers::FollowerCursor;
use std::borrow::Cow;

/// So many bytes of followers are searched in the time in which one candidate is looked at.
const SEARCHED: u64 = 32;

/// From one found for so many candidates on, those found are taken out first.
const FOUND_SHARE: usize = 2;

/// The followers that cost less to search through than `candidates` cost to look at.
pub fn searched<'a, 's>(
    check: &'a Check<'s>,
    candidates: &Plan<'_>,
) -> Option<&'a FollowerCursor<'s>> {
    let rarest = check.rarest_followers()?;
    (rarest.cardinality() as u64 <= candidates.cardinality_max() * SEARCHED).then_some(rarest)
}

/// Calls `visit` with those of `candidates` in every chunk that may pass, as far as followers tell.
pub fn for_each_chunk_left(
    check: &Check<'_>,
    candidates: &Plan<'_>,
    mut visit: impl FnMut(u16, &Lows<'_>),
) {
    let followers = searched(check, candidates);
    if let (None, Plan::Ready(hits)) = (followers, candidates) {
        let left = check.may_pass_of_hits(Cow::Borrowed(hits.as_ref()));
        return left.chunks().for_each(|(key, at)| visit(key, &Lows::Slice(&left.lows()[at])));
    }
    for key in candidates.keys() {
        visit(key, &left_of(check, candidates, followers, key));
    }
}

/// Those of `candidates` in chunk `key` that may pass, as far as followers tell.
pub fn left(check: &Check<'_>, candidates: &Plan<'_>, key: u16) -> Lows<'static> {
    left_of(check, candidates, searched(check, candidates), key)
}

/// Those that are not among `found`. Where these are many, they are taken from the smallest part of the candidates before
/// anything else is asked.
pub fn left_beside(
    check: &Check<'_>,
    candidates: &Plan<'_>,
    key: u16,
    found: &Lows<'_>,
) -> Lows<'static> {
    if let Plan::Intersection(parts) = candidates
        && let Some((first, others)) = parts.split_first()
    {
        let first = first.chunk(key);
        if found.len() * FOUND_SHARE >= first.len() {
            let rest = first.and_not(found);
            let rest = others.iter().fold(rest, |left, part| part.chunk_within(key, left));
            return check.may_pass_of(key, &rest);
        }
    }
    left(check, candidates, key).and_not(found)
}

fn left_of(
    check: &Check<'_>,
    candidates: &Plan<'_>,
    followers: Option<&FollowerCursor<'_>>,
    key: u16,
) -> Lows<'static> {
    let found = followers.and_then(|followers| Some((followers, followers.following(key)?)));
    let Some((followers, lows)) = found else {
        return check.may_pass_of(key, &candidates.chunk(key));
    };
    let lows = Lows::of_found(lows);
    let lows = match candidates {
        Plan::Intersection(parts) => {
            // Whoever was found is on the list of the term.
            let others = parts.iter().filter(
                |part| !matches!(part, Plan::List(list) if followers.is_of(&list.postings)),
            );
            others.fold(lows, |left, part| part.chunk_within(key, left))
        }
        candidates => candidates.chunk_within(key, lows),
    };
    check.may_pass_beside(key, &lows, Some(followers))
}
