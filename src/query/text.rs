//! `q`: from a text to what it asks for.
//!
//! In: the decoded text of `q`. Out: a [`TextQuery`]: the clauses that must all match, the terms
//! that must not, and the words that ranking compares with names. No text is a syntax error; the
//! only failure is [`QueryTooLong`].

use crate::analyzer::fold::{Class, class_of, is_quote};
use crate::analyzer::host::Host;
use crate::analyzer::{Analysis, Unit, UnitKind, WordForms, legal_form};
use crate::limits::{QUERY_CHARS_MAX, QUERY_WORDS_MAX};
use crate::snapshot::terms::prefixes::may_be_prefix;
use std::ops::Range;
use std::sync::Arc;

/// Most starred words in one `q`: each may expand to very many terms.
pub const STARRED_WORDS_MAX: usize = 2;

/// One word, in all its forms (see [`crate::analyzer`]): one or two.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueryWord {
    /// The forms; the one without marks first. Shared by the copies of the word, of which a query
    /// makes a dozen.
    pub forms: Arc<[String]>,
}

impl QueryWord {
    /// A word of one form.
    pub fn of_form(form: String) -> QueryWord {
        QueryWord { forms: [form].into() }
    }

    /// Adds further forms.
    pub fn extend(&mut self, forms: impl IntoIterator<Item = String>) {
        self.forms = self.forms.iter().cloned().chain(forms).collect();
    }

    /// The only form, if it has no other.
    pub fn only_form(&self) -> Option<&str> {
        match &*self.forms {
            [form] => Some(form),
            _ => None,
        }
    }
}

/// Words at fixed places to each other, within one field.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Phrase {
    /// Each word and its offset from the first.
    pub words: Vec<(u32, QueryWord)>,
    /// Number of positions, the empty one behind a run of CJK characters included.
    pub width: u32,
}

impl Phrase {
    /// A phrase of one word.
    pub fn of_word(word: QueryWord) -> Phrase {
        Phrase { words: vec![(0, word)], width: 1 }
    }

    /// Appends another phrase right behind this one.
    pub fn append(&mut self, other: Phrase) {
        let start = self.width;
        self.words.extend(other.words.into_iter().map(|(at, word)| (start + at, word)));
        self.width += other.width;
    }

    /// Appends the words of a term.
    pub fn extend(&mut self, term: &Term) {
        match term {
            Term::Word(word) => {
                self.words.push((self.width, word.clone()));
                self.width += 1;
            }
            Term::Compound { parts: phrase, .. } | Term::Phrase(phrase) => {
                self.append(phrase.clone())
            }
            Term::Host { labels, .. } => labels.iter().for_each(|label| self.extend(label)),
        }
    }

    /// Appends the words of a unit.
    fn push(&mut self, analysis: &Analysis, unit: &Unit) {
        for word in analysis.words(unit) {
            self.words.push((self.width, query_word(word)));
            self.width += 1;
        }
        self.width += u32::from(unit.kind == UnitKind::Run);
    }
}

/// What must match, or must not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    /// A word, plain or alone in quotes.
    Word(QueryWord),
    /// A compound: its joined form, or its parts next to each other.
    Compound {
        /// The joined form.
        joined: QueryWord,
        /// The parts.
        parts: Phrase,
    },
    /// A quoted phrase of several words, or a run of CJK characters.
    Phrase(Phrase),
    /// A host or URL: the businesses on that host, or those in which all words of its labels match.
    Host {
        /// The host's name, as [`Host::name`] gives it.
        name: String,
        /// Its labels before the public suffix, each a word, a compound or a run.
        labels: Vec<Term>,
    },
}

/// One term that `q` requires, and how it stands there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clause {
    /// What must match.
    pub term: Term,
    /// Stood in quotes: matches as it is.
    pub is_quoted: bool,
    /// Ended in `*`.
    pub is_starred: bool,
    /// Matches as a prefix too: it is starred, or the last token of `q` and fit for it.
    pub is_prefix: bool,
    /// Is a legal form, as `Inc` or `S.p.A.`.
    pub is_legal_form: bool,
    /// Where it stands in the folded `q`, in bytes.
    pub span: Range<usize>,
}

/// What a `q` asks for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TextQuery {
    text: String,
    clauses: Vec<Clause>,
    required_len: usize,
    excluded: Vec<Term>,
}

/// `q` is longer than accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum QueryTooLong {
    /// Too many characters.
    #[error("q has {0} characters; at most {QUERY_CHARS_MAX} are accepted: shorten it")]
    Chars(usize),
    /// Too many words.
    #[error("q has {0} words; at most {QUERY_WORDS_MAX} are accepted: leave some out")]
    Words(usize),
    /// Too many words with a `*`.
    #[error("q has {0} words that end in *; at most {STARRED_WORDS_MAX} are accepted: remove a *")]
    Starred(usize),
}

impl TextQuery {
    /// Understands `q`. A blank text is no query.
    ///
    /// # Errors
    /// The text is over one of the limits of [`QueryTooLong`].
    pub fn parse(q: &str) -> Result<TextQuery, QueryTooLong> {
        let chars = q.chars().count();
        if chars > QUERY_CHARS_MAX {
            return Err(QueryTooLong::Chars(chars));
        }
        let analysis = Analysis::of(q);
        let mut parser = Parser::new(&analysis);
        let mut host_end = 0;
        for unit in analysis.units() {
            // The units of a host are read with its first one.
            if unit.span.start >= host_end {
                host_end = parser.add(unit);
            }
        }
        parser.finish(q)
    }

    /// The text as it was given.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Is there no `q`? Then everything matches.
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Does `q` hold no word at all, though it is not blank? Then nothing matches.
    pub fn is_wordless(&self) -> bool {
        !self.is_blank() && self.clauses.is_empty() && self.excluded.is_empty()
    }

    /// All clauses in order, with the legal forms at the end.
    pub fn clauses(&self) -> &[Clause] {
        &self.clauses
    }

    /// The clauses that must match: all but legal forms at the end.
    pub fn required(&self) -> &[Clause] {
        &self.clauses[..self.required_len]
    }

    /// The legal forms at the end, which are optional.
    pub fn trailing_forms(&self) -> &[Clause] {
        &self.clauses[self.required_len..]
    }

    /// The terms that must not match.
    pub fn excluded(&self) -> &[Term] {
        &self.excluded
    }

    /// The text with what stands at some spans of the folded text replaced; `None` without
    /// replacements.
    pub fn replace(&self, replacements: &[(Range<usize>, String)]) -> Option<String> {
        if replacements.is_empty() {
            return None;
        }
        // Folding may change lengths, so a place of the folded text is looked up by folding what
        // precedes it.
        let place = |folded_len: usize| {
            let boundaries: Vec<usize> =
                self.text.char_indices().map(|(at, _)| at).chain([self.text.len()]).collect();
            let before =
                |&at: &usize| crate::analyzer::fold_text(&self.text[..at]).len() < folded_len;
            boundaries[boundaries.partition_point(before).min(boundaries.len() - 1)]
        };
        let mut text = String::new();
        let mut end = 0;
        for (span, replacement) in replacements {
            let (from, to) = (place(span.start).max(end), place(span.end));
            text.push_str(&self.text[end..from]);
            text.push_str(replacement);
            end = to.max(from);
        }
        text.push_str(&self.text[end..]);
        Some(text)
    }

    /// The words that ranking compares with names: plain words and the parts of everything else,
    /// without trailing forms, at their places to each other.
    pub fn ranking_words(&self) -> Phrase {
        let mut all = Phrase::default();
        for clause in self.required() {
            all.extend(&clause.term);
        }
        all
    }
}

/// The parts of `q` read so far.
struct Parser<'a> {
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
}

impl<'a> Parser<'a> {
    fn new(analysis: &'a Analysis) -> Parser<'a> {
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
        }
    }

    /// Reads one unit, or the whole host that begins with it; returns where what was read ends.
    fn add(&mut self, unit: &Unit) -> usize {
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
        let is_legal_form = !matches!(term, Term::Host { .. }) && self.analysis.is_legal_form(unit);
        self.last_is_word = is_word;
        let end = span.end;
        self.clauses.push(Clause {
            term,
            is_quoted: false,
            is_starred,
            is_prefix: is_starred,
            is_legal_form,
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
        let is_letter = |c: char| matches!(class_of(c), Class::Letter | Class::Cjk);
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
        let term = Term::Host { name: host.name().to_owned(), labels };
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
                self.clauses.push(Clause {
                    term,
                    is_quoted: true,
                    is_starred: false,
                    is_prefix: false,
                    is_legal_form: false,
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

    fn finish(mut self, q: &str) -> Result<TextQuery, QueryTooLong> {
        self.close_phrase();
        if self.words > QUERY_WORDS_MAX {
            return Err(QueryTooLong::Words(self.words));
        }
        if self.starred > STARRED_WORDS_MAX {
            return Err(QueryTooLong::Starred(self.starred));
        }
        let optional = |clause: &&Clause| clause.is_legal_form && !clause.is_starred;
        let forms = self.clauses.iter().rev().take_while(optional).count();
        let required_len =
            if forms == self.clauses.len() { forms } else { self.clauses.len() - forms };
        if self.last_is_word
            && required_len == self.clauses.len()
            && let Some(last) = self.clauses.last_mut()
            && let Term::Word(word) = &last.term
        {
            last.is_prefix |= may_be_prefix(&word.forms[0]);
        }
        Ok(TextQuery {
            text: q.to_owned(),
            clauses: self.clauses,
            required_len,
            excluded: self.excluded,
        })
    }
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

fn query_word(word: WordForms<'_>) -> QueryWord {
    QueryWord { forms: word.iter().map(str::to_owned).collect() }
}

#[cfg(test)]
mod tests;
