//! Words of `q` that name a place, as in `software berlin` and `banks in switzerland`.
//!
//! In: a query of which nothing in the snapshot matches all words, corrected ones included. Out: the
//! query that asks for the place in place of these words, if anything matches it, filters and
//! exclusions aside. Contract, section 3, "Place words".

use super::Interpretation;
use crate::places::{self, PIECE_WORDS_MAX, PlaceKey, PlaceKind};
use crate::query::request::Query;
use crate::query::session::Session;
use crate::query::sets::set_expr::SetExpr;
use crate::query::text::{Clause, Term, TextQuery};
use std::ops::Range;

/// Most names of places one behind the other: one of each kind.
const NAMES_MAX: usize = PlaceKind::ALL.len();

/// The query with the place that some of its words name.
pub fn at_place(session: &Session<'_>, query: &Query) -> Option<Query> {
    if query.place.is_some() {
        return None;
    }
    let names = Names::of(session, &query.text);
    let run = names.longest_run()?;
    let place = query.text.written(names.span(&run)).to_owned();
    let text = query.text.without(names.with_preposition(run));
    let asked_for = Query { place: Some(place.clone()), ..Query::default() };
    let is_matched = !SetExpr::intersection([
        Interpretation::of_all_words(session, &text).plan(session),
        SetExpr::intersection(session.plan_filters(&asked_for)),
    ])
    .is_empty();
    is_matched.then(|| Query { text, place: Some(place), ..query.clone() })
}

/// The names of places in `q`, as they are written: from the left, the longest at each place.
pub fn names(session: &Session<'_>, text: &TextQuery) -> Vec<String> {
    let names = Names::of(session, text);
    let (mut found, mut start) = (Vec::new(), 0);
    while let Some(lens) = names.lens.get(start) {
        let Some(len) = lens.last() else {
            start += 1;
            continue;
        };
        found.push(text.written(names.span(&(start..start + len))).to_owned());
        start += len;
    }
    found
}

/// The names of places among the clauses that must match.
struct Names<'t> {
    clauses: &'t [Clause],
    folded: String,
    /// By first clause: the numbers of clauses that are a name from there, ascending.
    lens: Vec<Vec<usize>>,
}

impl<'t> Names<'t> {
    fn of(session: &Session<'_>, text: &'t TextQuery) -> Names<'t> {
        let dictionary = session.snapshot().places();
        let is_known = |key: &PlaceKey| dictionary.ord(key.as_str()).is_some();
        let folded = crate::analyzer::fold_text(text.as_str());
        let mut names = Names { clauses: text.required(), folded, lens: Vec::new() };
        for start in 0..names.clauses.len() {
            let ends = start + 1..=names.clauses.len().min(start + PIECE_WORDS_MAX);
            let ends = ends.take_while(|&end| names.may_go_on_to(start, end - 1));
            let is_name = |end: &usize| {
                names
                    .folded
                    .get(names.span(&(start..*end)))
                    .is_some_and(|it| places::is_name(it, &is_known))
            };
            let lens = ends.filter(is_name).map(|end| end - start).collect();
            names.lens.push(lens);
        }
        names
    }

    /// May a run of words that begins with clause `start` go on to clause `at`? Words in quotes,
    /// hosts and exclusions end it.
    fn may_go_on_to(&self, start: usize, at: usize) -> bool {
        let Clause { term, is_quoted, is_starred, span, .. } = &self.clauses[at];
        let is_word = !is_quoted && !is_starred && !matches!(term, Term::Host { .. });
        is_word && (at == start || self.is_behind(at - 1, span))
    }

    /// Is there no word between a clause and a span behind it?
    fn is_behind(&self, clause: usize, span: &Range<usize>) -> bool {
        let between = self.folded.get(self.clauses[clause].span.end..span.start);
        between.is_some_and(|between| !between.contains(char::is_alphanumeric))
    }

    /// The longest run of words that is a name of a place, or up to three; of equal ones the last.
    fn longest_run(&self) -> Option<Range<usize>> {
        let runs = (0..self.clauses.len()).map(|start| start..self.end_of_names(start, NAMES_MAX));
        runs.filter(|run| !run.is_empty()).max_by_key(Range::len)
    }

    /// Where the longest row of up to `most` names ends that begins with a clause.
    fn end_of_names(&self, start: usize, most: usize) -> usize {
        let Some(lens) = self.lens.get(start).filter(|_| most > 0) else { return start };
        let ends = lens.iter().map(|len| start + len).map(|end| match self.clauses.get(end) {
            Some(next) if self.is_behind(end - 1, &next.span) => self.end_of_names(end, most - 1),
            _ => end,
        });
        ends.max().unwrap_or(start)
    }

    fn span(&self, run: &Range<usize>) -> Range<usize> {
        self.clauses[run.start].span.start..self.clauses[run.end - 1].span.end
    }

    /// A run with the `in` before it, if there is one.
    fn with_preposition(&self, run: Range<usize>) -> Range<usize> {
        let before = run.start.checked_sub(1);
        let is_in = before.is_some_and(|at| {
            let Clause { term, is_quoted, .. } = &self.clauses[at];
            let is_word = matches!(term, Term::Word(word) if word.only_form() == Some("in"));
            is_word && !is_quoted && self.is_behind(at, &self.clauses[run.start].span)
        });
        run.start - usize::from(is_in)..run.end
    }
}
