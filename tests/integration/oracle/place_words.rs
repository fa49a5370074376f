//! Words of `q` that name a place: contract, section 3, "Place words".

use super::meaning::Meaning;
use super::{Oracle, filters};
use firmament::analyzer::fold_text;
use firmament::places;
use firmament::query::text::{Clause, Term, TextQuery};
use std::ops::Range;

/// "Up to three names of places one behind the other are one such run."
const NAMES: std::ops::RangeInclusive<usize> = 1..=3;

/// The text that is left, and the place, if some words of `q` are read as one.
pub fn read(q: &TextQuery, oracle: &Oracle) -> Option<(TextQuery, String)> {
    let records = || oracle.records().iter();
    // "if, filters and exclusions aside, nothing matches all words even so"
    let meaning = Meaning::of(q, oracle);
    let is_matched = records().any(|record| meaning.matches_all(&record.searched));
    if is_matched || q.required().is_empty() {
        return None;
    }
    // "the longest run of words (of equal ones the last; not in quotes) that is a known place"
    let clauses = q.required().len();
    let runs = (0..clauses).flat_map(|start| (start + 1..=clauses).map(move |end| start..end));
    let mut runs: Vec<Range<usize>> =
        runs.filter(|run| NAMES.into_iter().any(|names| is_place(q, run, names, oracle))).collect();
    runs.sort_by_key(|run| (run.len(), run.start));
    let run = runs.pop()?;
    let place = in_text(q, &run);
    // "with the `in` before it if there is one"
    let has_in = run.start > 0
        && is_word(&q.required()[run.start - 1])
        && are_next(q, run.start - 1)
        && in_text(q, &(run.start - 1..run.start)).eq_ignore_ascii_case("in");
    let rest = q.without(run.start - usize::from(has_in)..run.end);
    // "in place of text, if anything matches then"
    let meaning = Meaning::of(&rest, oracle);
    let asked = [filters::place(&place, oracle.records())];
    let is_found = records().any(|record| {
        meaning.matches_all(&record.searched) && filters::is_at_place(record, &asked)
    });
    is_found.then_some((rest, place))
}

/// The names of places in `q`, none within a longer one to its left.
pub fn names(q: &TextQuery, oracle: &Oracle) -> Vec<String> {
    let clauses = q.required().len();
    let (mut names, mut start) = (Vec::new(), 0);
    while start < clauses {
        let longest =
            (start + 1..=clauses).rev().find(|&end| is_place(q, &(start..end), 1, oracle));
        names.extend(longest.map(|end| in_text(q, &(start..end))));
        start = longest.unwrap_or(start + 1);
    }
    names
}

/// Is a run of words a row of so many names of places?
fn is_place(q: &TextQuery, run: &Range<usize>, names: usize, oracle: &Oracle) -> bool {
    let is_run = q.required()[run.clone()].iter().all(is_word)
        && (run.start..run.end - 1).all(|at| are_next(q, at));
    let is_known = |key: &places::PlaceKey| filters::is_known(key, oracle.records());
    if names == 1 {
        return is_run
            && run.len() <= places::PIECE_WORDS_MAX
            && places::is_name(&in_text(q, run), &is_known);
    }
    (run.start + 1..run.end).any(|middle| {
        are_next(q, middle - 1)
            && is_place(q, &(run.start..middle), 1, oracle)
            && is_place(q, &(middle..run.end), names - 1, oracle)
    })
}

/// A word, compound or run of characters, not in quotes and without a star.
fn is_word(clause: &Clause) -> bool {
    !clause.is_quoted && !clause.is_starred && !matches!(clause.term, Term::Host { .. })
}

/// Is there nothing between a clause and the next but signs?
fn are_next(q: &TextQuery, at: usize) -> bool {
    let folded = fold_text(q.as_str());
    let between = &folded[q.required()[at].span.end..q.required()[at + 1].span.start];
    !between.contains(char::is_alphanumeric)
}

/// The words of a run as they stand in `q`.
fn in_text(q: &TextQuery, run: &Range<usize>) -> String {
    let clauses = &q.required()[run.clone()];
    q.written(clauses[0].span.start..clauses[clauses.len() - 1].span.end).to_owned()
}
