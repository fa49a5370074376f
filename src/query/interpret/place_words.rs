//! Words of `q` that name a place, as in `software berlin` and `banks in switzerland`.
//!
//! In: a query of which nothing in the snapshot matches all words, corrected ones included. Out:
//! the [`Names`] in it, and the query that asks for a place in place of these words, if anything
//! matches it, filters and exclusions aside. Contract, section 3, "Place words".

use super::Interpretation;
use crate::places::{self, PIECE_WORDS_MAX, PlaceKind};
use crate::query::request::Query;
use crate::query::session::Session;
use crate::query::sets::set_expr::SetExpr;
use crate::query::text::{Clause, Term, TextQuery};
use std::ops::Range;

/// Most names of places one behind the other: one of each kind.
const NAMES_MAX: usize = PlaceKind::ALL.len();

/// The names of places among the clauses of a `q` that must match.
pub struct Names<'t> {
    text: &'t TextQuery,
    folded: String,
    /// By first clause: the numbers of clauses that are a name from there, ascending.
    lens: Vec<Vec<usize>>,
}

impl<'t> Names<'t> {
    /// Names of places in a `q`.
    pub fn of(session: &Session<'_>, text: &'t TextQuery) -> Names<'t> {
        let folded = crate::analyzer::fold_text(text.as_str());
        let mut names = Names { text, folded, lens: Vec::new() };
        let len = text.required().len();
        for start in 0..len {
            let ends = start + 1..=len.min(start + PIECE_WORDS_MAX);
            let ends = ends.take_while(|&end| names.may_go_on_to(start, end - 1));
            let is_name = |end: &usize| {
                let name = names.folded.get(names.span(&(start..*end)));
                name.is_some_and(|name| places::is_name(name, session.snapshot()))
            };
            let lens = ends.filter(is_name).map(|end| end - start).collect();
            names.lens.push(lens);
        }
        names
    }

    /// The query that asks for the place that the longest run of words names, if anything matches
    /// it, filters and exclusions aside.
    pub fn at_place(&self, session: &Session<'_>, query: &Query) -> Option<Query> {
        let run = self.longest_run()?;
        let place = self.text.written(self.span(&run)).to_owned();
        let text = self.text.without(self.with_preposition(run));
        let words = Interpretation::of_all_words(session, &text).plan(session);
        let is_matched = !SetExpr::intersection([words, session.location(&place)?]).is_empty();
        is_matched.then(|| Query { text, place: Some(place), ..query.clone() })
    }

    /// The names as they are written: from the left, the longest at each place.
    pub fn longest(&self) -> Vec<String> {
        let (mut found, mut start) = (Vec::new(), 0);
        while let Some(lens) = self.lens.get(start) {
            if let Some(len) = lens.last() {
                found.push(self.text.written(self.span(&(start..start + len))).to_owned());
            }
            start += lens.last().unwrap_or(&1);
        }
        found
    }

    /// May a run of words that begins with clause `start` go on to clause `at`? Words in quotes,
    /// hosts and exclusions end it.
    fn may_go_on_to(&self, start: usize, at: usize) -> bool {
        let Clause { term, is_quoted, is_starred, span, .. } = &self.clauses()[at];
        let is_word = !is_quoted && !is_starred && !matches!(term, Term::Host { .. });
        is_word && (at == start || self.is_behind(at - 1, span))
    }

    /// Is there no word between a clause and a span behind it?
    fn is_behind(&self, clause: usize, span: &Range<usize>) -> bool {
        let between = self.folded.get(self.clauses()[clause].span.end..span.start);
        between.is_some_and(|between| !between.contains(char::is_alphanumeric))
    }

    /// The longest run of words that is a name of a place, or up to three; of equal ones the last.
    fn longest_run(&self) -> Option<Range<usize>> {
        let runs =
            (0..self.clauses().len()).map(|start| start..self.end_of_names(start, NAMES_MAX));
        runs.filter(|run| !run.is_empty()).max_by_key(Range::len)
    }

    /// Where the longest row of up to `most` names ends that begins with a clause.
    fn end_of_names(&self, start: usize, most: usize) -> usize {
        let Some(lens) = self.lens.get(start).filter(|_| most > 0) else { return start };
        let ends = lens.iter().map(|len| start + len).map(|end| match self.clauses().get(end) {
            Some(next) if self.is_behind(end - 1, &next.span) => self.end_of_names(end, most - 1),
            _ => end,
        });
        ends.max().unwrap_or(start)
    }

    fn clauses(&self) -> &'t [Clause] {
        self.text.required()
    }

    fn span(&self, run: &Range<usize>) -> Range<usize> {
        self.clauses()[run.start].span.start..self.clauses()[run.end - 1].span.end
    }

    /// A run with the `in` before it, if there is one.
    fn with_preposition(&self, run: Range<usize>) -> Range<usize> {
        let before = run.start.checked_sub(1);
        let is_in = before.is_some_and(|at| {
            let Clause { term, is_quoted, .. } = &self.clauses()[at];
            let is_word = matches!(term, Term::Word(word) if word.only_form() == Some("in"));
            is_word && !is_quoted && self.is_behind(at, &self.clauses()[run.start].span)
        });
        run.start - usize::from(is_in)..run.end
    }
}
