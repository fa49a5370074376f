//! From the units of a `q` to its clauses.

use super::{Clause, Phrase, QueryTooLong, QueryWord, STARRED_WORDS_MAX, Term, TextQuery};
use crate::analyzer::fold::{Class, class_of, is_quote};
use crate::analyzer::host::{Host, path_of_website};
use crate::analyzer::legal_form::{self, Ends};
use crate::analyzer::{Analysis, Unit, UnitKind, WordForms};
use crate::limits::QUERY_WORDS_MAX;
use crate::snapshot::terms::prefixes::may_be_prefix;
use std::ops::Range;

/// The parts of `q` read so far.
pub struct Parser<'a> {
    analysis: &'a Analysis,
    /// Byte offsets of the quotation marks.
    quotes: Vec<usize>,
    clauses: Vec<Clause>,
    excluded: Vec<Term>,
    /// The open phrase: its number among the quoted stretches, whether it is excluded, its words,
    /// its span.
    phrase: Option<(usize, bool, Phrase, Range<usize>)>,
    words: usize,
    starred: usize,
    /// Is the last clause a plain word?
    last_is_word: bool,
    /// Of each clause, the unit that it is; of a phrase in quotes, a host and a starred word none.
    units: Vec<Option<usize>>,
    /// Which units are legal forms, or parts of one.
    forms: Vec<bool>,
}

impl<'a> Parser<'a> {
    pub fn new(analysis: &'a Analysis) -> Parser<'a> {
        let quotes =
            analysis.folded().char_indices().filter(|&(_, c)| is_quote(c)).map(|(at, _)| at);
        Parser {
            analysis,
            quotes: quotes.collect(),
            clauses: Vec::new(),
            excluded: Vec::new(),
            phrase: None,
            words: 0,
            starred: 0,
            last_is_word: false,
            units: Vec::new(),
            forms: analysis.legal_form_units(),
        }
    }

    /// Reads one unit, or the whole host that begins with it; returns where what was read ends.
    pub fn add(&mut self, number: usize, unit: &Unit) -> usize {
        let quotes_before = self.quotes.partition_point(|&quote| quote < unit.span.start);
        if quotes_before % 2 == 1 {
            self.add_quoted(unit, quotes_before);
            return unit.span.end;
        }
        self.close_phrase();
        self.words += 1;
        let (term, span) = match self.host_at(unit) {
            Some((host, span)) => (host, span),
            None => (term(self.analysis, unit), unit.span.clone()),
        };
        if self.is_excluded_at(span.start) {
            self.excluded.push(term);
            return span.end;
        }
        let star = self.analysis.folded()[span.end..].starts_with('*');
        let is_word = unit.kind == UnitKind::Word && matches!(term, Term::Word(_));
        let is_starred = star && is_word && may_be_prefix(&self.analysis.folded()[span.clone()]);
        self.starred += usize::from(is_starred);
        let is_host = matches!(term, Term::Host { .. });
        self.last_is_word = is_word;
        let end = span.end;
        self.units.push((!is_host && !is_starred).then_some(number));
        self.clauses.push(Clause {
            term,
            is_quoted: false,
            is_starred,
            is_prefix: is_starred,
            is_legal_form: !is_host && self.forms[number],
            is_elided: !is_host && unit.is_elided(),
            letters: if is_host { 0 } else { unit.letters() },
            span,
        });
        end
    }

    /// The host or URL that is the token around `unit`, punctuation around it aside, and its span.
    fn host_at(&self, unit: &Unit) -> Option<(Term, Range<usize>)> {
        let folded = self.analysis.folded();
        let is_end = |c: char| c.is_whitespace() || is_quote(c);
        let start = folded[..unit.span.start]
            .rfind(is_end)
            .map_or(0, |at| at + folded[at..].chars().next().map_or(0, char::len_utf8));
        let end =
            folded[unit.span.start..].find(is_end).map_or(folded.len(), |at| unit.span.start + at);
        let token = &folded[start..end];
        // The unit must be the token's first, or part of it was read as something else before.
        let before = &folded[start..unit.span.start];
        let is_letter = |c: char| matches!(class_of(c), Class::Letter | Class::Unspaced);
        let inner = token.trim_start_matches(|c: char| !is_letter(c));
        if before.chars().any(is_letter) || !inner.contains('.') {
            return None;
        }
        let is_part = |c: char| is_letter(c) || class_of(c) == Class::Mark;
        let inner = inner.trim_end_matches(|c: char| !is_part(c) && c != '/');
        let host = Host::of_website(inner)?;
        let is_host_char = |c: char| is_part(c) || matches!(c, '-' | '_' | '.');
        if !host.has_known_suffix() || !host.name().chars().all(is_host_char) {
            return None;
        }
        if host.name().split('.').all(legal_form::is_plain) {
            return None;
        }
        let labels: Vec<Term> = host
            .searchable_labels()
            .flat_map(|label| {
                let analysis = Analysis::of(label);
                let terms: Vec<Term> =
                    analysis.units().iter().map(|unit| term(&analysis, unit)).collect();
                terms
            })
            .collect();
        // Without a word, labels would match whatever there is.
        if labels.is_empty() {
            return None;
        }
        let start = unit.span.start;
        let analysis = Analysis::of(host.name());
        let compound = match analysis.units() {
            [unit] if unit.kind == UnitKind::Compound => Some(Box::new(term(&analysis, unit))),
            _ => None,
        };
        let (name, path) = (host.name().to_owned(), path_of_website(inner));
        let term = Term::Host { name, path, labels, compound };
        Some((term, start..end))
    }

    fn add_quoted(&mut self, unit: &Unit, number: usize) {
        if self.phrase.as_ref().is_none_or(|(open, ..)| *open != number) {
            self.close_phrase();
            let excluded = self.is_excluded_at(self.quotes[number - 1]);
            self.phrase = Some((number, excluded, Phrase::default(), unit.span.clone()));
        }
        let (_, _, phrase, span) = self.phrase.as_mut().expect("just opened");
        span.end = unit.span.end;
        self.words += if unit.kind == UnitKind::Run { 1 } else { self.analysis.words(unit).len() };
        phrase.push(self.analysis, unit);
    }

    fn close_phrase(&mut self) {
        if let Some((_, excluded, phrase, span)) = self.phrase.take() {
            // A word in quotes is that word without its other readings.
            let term = match phrase.words.as_slice() {
                [(_, word)] => Term::Word(word.clone()),
                _ => Term::Phrase(phrase),
            };
            if excluded {
                self.excluded.push(term);
            } else {
                self.last_is_word = false;
                self.units.push(None);
                self.clauses.push(Clause {
                    term,
                    is_quoted: true,
                    is_starred: false,
                    is_prefix: false,
                    is_legal_form: false,
                    is_elided: false,
                    letters: 0,
                    span,
                });
            }
        }
    }

    /// Does a `-` that begins a token stand right before `at`?
    fn is_excluded_at(&self, at: usize) -> bool {
        let before = &self.analysis.folded()[..at];
        let token = before.trim_end_matches('-');
        token.len() < before.len() && token.chars().next_back().is_none_or(char::is_whitespace)
    }

    pub fn finish(mut self, q: &str) -> Result<TextQuery, QueryTooLong> {
        self.close_phrase();
        if self.words > QUERY_WORDS_MAX {
            return Err(QueryTooLong::Words(self.words));
        }
        if self.starred > STARRED_WORDS_MAX {
            return Err(QueryTooLong::Starred(self.starred));
        }
        let ends = Ends::of(self.analysis, self.clauses.len(), |clause| {
            self.units[clause].map(|number| &self.analysis.units()[number])
        });
        if self.last_is_word
            && ends.back == 0
            && let Some(last) = self.clauses.last_mut()
            && let Term::Word(word) = &last.term
        {
            last.is_prefix |= may_be_prefix(&word.forms[0]);
        }
        let required_len = self.move_forms_behind(ends);
        Ok(TextQuery {
            text: q.to_owned(),
            is_wordless: !q.trim().is_empty()
                && self.clauses.is_empty()
                && self.excluded.is_empty(),
            clauses: self.clauses,
            required_len,
            excluded: self.excluded,
        })
    }
}

impl Parser<'_> {
    /// Moves the legal forms at the ends behind all other clauses; returns the number of these.
    fn move_forms_behind(&mut self, ends: Ends) -> usize {
        let Ends { front, front_words, back, back_words } = ends;
        let mut forms = self.clauses.split_off(self.clauses.len() - back);
        if back_words > 0 {
            let form = self.clauses.last_mut().and_then(|run| split_run(run, back_words, false));
            forms.splice(..0, form);
        }
        if front_words > 0 {
            forms.extend(split_run(&mut self.clauses[front], front_words, true));
        }
        forms.extend(self.clauses.drain(..front));
        let required_len = self.clauses.len();
        self.clauses.append(&mut forms);
        required_len
    }
}

/// Takes the legal form of some words at an end of a run out of its clause.
fn split_run(clause: &mut Clause, words: usize, in_front: bool) -> Option<Clause> {
    let Term::Phrase(run) = &clause.term else { return None };
    let len = run.words.len();
    let at = if in_front { words } else { len - words };
    let chars = |range: Range<usize>| -> usize {
        run.words[range].iter().map(|(_, word)| word.forms[0].len()).sum()
    };
    let middle = clause.span.start + chars(0..at);
    let spans = [clause.span.start..middle, middle..clause.span.end];
    let parts = [run.part(0..at), run.part(at..len)];
    let (form, rest) = if in_front { (0, 1) } else { (1, 0) };
    let taken = Clause {
        term: Term::Phrase(parts[form].clone()),
        is_legal_form: true,
        span: spans[form].clone(),
        ..clause.clone()
    };
    clause.term = Term::Phrase(parts[rest].clone());
    clause.span = spans[rest].clone();
    Some(taken)
}

/// The term that a unit is.
fn term(analysis: &Analysis, unit: &Unit) -> Term {
    let phrase = || {
        let mut phrase = Phrase::default();
        phrase.push(analysis, unit);
        phrase
    };
    match (unit.kind, analysis.joined(unit)) {
        (UnitKind::Run, _) => Term::Phrase(phrase()),
        (_, Some(joined)) => Term::Compound { joined: query_word(joined), parts: phrase() },
        _ => Term::Word(query_word(analysis.words(unit).next().expect("a unit has words"))),
    }
}

/// The word of a text in all its forms.
pub fn query_word(word: WordForms<'_>) -> QueryWord {
    QueryWord { forms: word.iter().map(str::to_owned).collect() }
}
