//! Conditional requests (RFC 9110 sections 8.8.3 and 13.1.2): the entity tag of an answer, and
//! whether the caller has it already.
//!
//! The tag is a hash of everything the body depends on: the version of the snapshot that answers
//! (the one a cursor names) and all parameters. It is therefore known before any search, and the
//! same in every replica. Strong: the same tag means the same bytes.

use bytes::Bytes;
use hyper::HeaderMap;
use hyper::header::{HeaderValue, IF_NONE_MATCH};

use crate::render::fields::Fields;
use crate::snapshot::SnapshotVersion;

/// A strong entity tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EntityTag(HeaderValue);

impl EntityTag {
    /// The tag of a page. `fingerprint` covers all parameters but the others.
    pub(super) fn of_page(
        version: SnapshotVersion,
        fingerprint: u64,
        limit: u32,
        fields: Fields,
        cursor: Option<&str>,
    ) -> EntityTag {
        let cursor = cursor.unwrap_or_default().as_bytes();
        let mut ingredients = Vec::with_capacity(21 + cursor.len());
        ingredients.extend(version.0.to_le_bytes());
        ingredients.extend(fingerprint.to_le_bytes());
        ingredients.extend(limit.to_le_bytes());
        if fields != Fields::ALL {
            ingredients.push(fields.bits());
        }
        // Last, so that its length, which all cursors share, needs no mark; an absent cursor is an
        // empty one.
        ingredients.extend(cursor);
        EntityTag::hashed(&ingredients)
    }

    /// The tag of another answer: what was asked for, and all parameters.
    pub(super) fn of_answer<'p>(
        version: SnapshotVersion,
        path: &str,
        params: impl Iterator<Item = &'p [u8]>,
    ) -> EntityTag {
        let mut ingredients = path.as_bytes().to_vec();
        ingredients.extend(version.0.to_le_bytes());
        for param in params {
            ingredients.extend((param.len() as u64).to_le_bytes());
            ingredients.extend(param);
        }
        EntityTag::hashed(&ingredients)
    }

    fn hashed(ingredients: &[u8]) -> EntityTag {
        let hex = blake3::hash(ingredients).to_hex();
        let mut text = Vec::with_capacity(34);
        text.push(b'"');
        text.extend(&hex.as_bytes()[..32]);
        text.push(b'"');
        EntityTag(HeaderValue::from_maybe_shared(Bytes::from(text)).expect("quotes and hex digits"))
    }

    /// The `ETag` header.
    pub(super) fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

/// What `If-None-Match` says about a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Match {
    /// There is no such header, or it names other tags only: answer in full.
    None,
    /// It names the tag.
    Tag,
    /// It is `*`, which any existing answer matches.
    Any,
}

/// Compares a tag with the request's `If-None-Match` lines, weakly, as RFC 9110 section 13.1.2
/// demands: `W/"x"` names `"x"`. What does not parse matches nothing.
pub(super) fn if_none_match(headers: &HeaderMap, tag: &EntityTag) -> Match {
    let mut found = Match::None;
    for line in headers.get_all(IF_NONE_MATCH) {
        let line = line.as_bytes().trim_ascii();
        if line == b"*" {
            found = Match::Any;
        } else if names(line, tag.0.as_bytes()) {
            return Match::Tag;
        }
    }
    found
}

/// Whether a list of entity tags contains `tag` (with its quotes). Tags may contain commas.
fn names(mut list: &[u8], tag: &[u8]) -> bool {
    loop {
        // Empty list elements are allowed (RFC 9110 section 5.6.1).
        while let [b',' | b' ' | b'\t', rest @ ..] = list {
            list = rest;
        }
        let opaque = list.strip_prefix(b"W/").unwrap_or(list);
        let Some(inner) = opaque.strip_prefix(b"\"") else { return false };
        let Some(len) = inner.iter().position(|&byte| byte == b'"') else { return false };
        let (candidate, rest) = opaque.split_at(len + 2);
        let rest = rest.trim_ascii_start();
        if !(rest.is_empty() || rest.starts_with(b",")) {
            return false;
        }
        if candidate == tag {
            return true;
        }
        list = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag() -> EntityTag {
        EntityTag(HeaderValue::from_static("\"abc\""))
    }

    fn matched(lines: &[&str]) -> Match {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(IF_NONE_MATCH, HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        if_none_match(&headers, &tag())
    }

    #[test]
    fn lists_weak_tags_and_several_lines_name_the_tag() {
        for lines in [
            &["\"abc\""][..],
            &["W/\"abc\""],
            &["  \"abc\"  "],
            &["\"x\", \"abc\""],
            &["\"x\",W/\"y\",\"abc\",\"z\""],
            &[",, ,\"abc\",,"],
            &["\"a,b\", \"abc\""],
            &["\"\", \"abc\""],
            &["\"x\"\t,\t\"abc\""],
            &["\"x\"", "\"abc\""],
            &["nonsense", "\"abc\""],
            &["*", "\"abc\""],
            &["\"é\", \"abc\""],
        ] {
            assert_eq!(matched(lines), Match::Tag, "{lines:?}");
        }
    }

    #[test]
    fn a_star_matches_anything() {
        for lines in [&["*"][..], &[" * "], &["\"x\"", "*"]] {
            assert_eq!(matched(lines), Match::Any, "{lines:?}");
        }
    }

    #[test]
    fn anything_else_matches_nothing() {
        for lines in [
            &[][..],
            &[""],
            &["abc"],
            &["\"abd\""],
            &["\"ABC\""],
            &["\"abc"],
            &["abc\""],
            &["w/\"abc\""],
            &["W/ \"abc\""],
            &["W/abc"],
            &["\"x\" \"abc\""],
            &["\"x\"\"abc\""],
            &["*, \"x\""],
            &["**"],
            &["\"*\""],
            &["\"x\", nonsense, \"abc\""],
        ] {
            assert_eq!(matched(lines), Match::None, "{lines:?}");
        }
    }

    #[test]
    fn every_ingredient_changes_the_tag() {
        let all = Fields::ALL;
        let tag = |version, fingerprint, limit, fields, cursor| {
            EntityTag::of_page(SnapshotVersion(version), fingerprint, limit, fields, cursor)
        };
        let base = tag(1, 2, 3, all, None);
        assert_eq!(base, tag(1, 2, 3, all, None));
        assert_ne!(base, tag(9, 2, 3, all, None));
        assert_ne!(base, tag(1, 9, 3, all, None));
        assert_ne!(base, tag(1, 2, 9, all, None));
        assert_ne!(base, tag(1, 2, 3, Fields::of(["id"].into_iter()), None));
        assert_ne!(base, tag(1, 2, 3, all, Some("c")));
        let answer = |path: &str, params: &[&str]| {
            let params = params.iter().map(|param| param.as_bytes());
            EntityTag::of_answer(SnapshotVersion(1), path, params)
        };
        let tags = [answer("/a", &[]), answer("/b", &[]), answer("/a", &["b"])];
        assert!(tags.iter().all(|tag| tags.iter().filter(|other| tag == *other).count() == 1));
        assert_ne!(answer("/a", &["bc", "d"]), answer("/a", &["b", "cd"]));
        let text = base.header().to_str().unwrap().to_owned();
        assert_eq!(text.len(), 34);
        assert!(text.starts_with('"') && text.ends_with('"'));
    }
}
