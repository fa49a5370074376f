//! `q`: from a text to what it asks for.
//!
//! In: the decoded text of `q`. Out: a [`TextQuery`]: the clauses that must all match, the terms
//! that must not, and the words that ranking compares with names. No text is a syntax error; the
//! only failure is [`QueryTooLong`].

mod parser;

use crate::analyzer::fold::{Class, class_of};
use crate::analyzer::{Analysis, INITIALS, Unit, UnitKind};
use crate::limits::{QUERY_CHARS_MAX, QUERY_WORDS_MAX};
use parser::{Parser, query_word};
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
    /// Number of positions, the empty one behind a run of characters included.
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
                // A run of characters in quotes ends as any does: nothing adjoins it.
                let is_run = word.forms[0].chars().next().map(class_of) == Some(Class::Unspaced);
                self.width += 1 + u32::from(is_run);
            }
            Term::Compound { parts: phrase, .. } | Term::Phrase(phrase) => {
                self.append(phrase.clone())
            }
            Term::Host { labels, .. } => labels.iter().for_each(|label| self.extend(label)),
        }
    }

    /// What the words are written as one, in all their forms.
    fn joined(&self) -> QueryWord {
        let all = |form: fn(&QueryWord) -> &String| -> String {
            self.words.iter().map(|(_, word)| form(word).as_str()).collect()
        };
        let stripped = all(|word| &word.forms[0]);
        let expanded = all(|word| &word.forms[word.forms.len() - 1]);
        let mut forms = vec![stripped, expanded];
        forms.dedup();
        QueryWord { forms: forms.into() }
    }

    /// The term that is left without the first word.
    fn without_first(&self) -> Term {
        match &self.words[1..] {
            [(_, word)] => Term::Word(word.clone()),
            rest => {
                let words = rest.iter().map(|(at, word)| (at - 1, word.clone())).collect();
                let parts = Phrase { words, width: self.width - 1 };
                Term::Compound { joined: parts.joined(), parts }
            }
        }
    }

    /// The words `range` of a phrase of words one behind the other; an empty position behind them
    /// stays if they are its last.
    fn part(&self, range: Range<usize>) -> Phrase {
        let is_end = range.end == self.words.len();
        let gap = if is_end { self.width - self.words.len() as u32 } else { 0 };
        let words = self.words[range].iter();
        let words: Vec<_> = (0..).zip(words).map(|(at, (_, word))| (at, word.clone())).collect();
        Phrase { width: words.len() as u32 + gap, words }
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
    /// A quoted phrase of several words, or a run of characters of a script without spaces.
    Phrase(Phrase),
    /// A host or URL: the businesses on that host, those in which all words of its labels match,
    /// and those that it matches as a compound; where many share the host, those with the path.
    Host {
        /// The host's name, as [`Host::name`](crate::analyzer::host::Host::name) gives it.
        name: String,
        /// Its [path](crate::analyzer::host::path_of_website), if there is one.
        path: Option<String>,
        /// Its labels before the public suffix, each a word, a compound or a run.
        labels: Vec<Term>,
        /// The name as a compound, as `Monday.com`, if it is one.
        compound: Option<Box<Term>>,
    },
}

impl Term {
    /// The joined form of a compound.
    pub fn joined(&self) -> Option<&QueryWord> {
        match self {
            Term::Compound { joined, .. } => Some(joined),
            _ => None,
        }
    }

    /// The words of a term at their places to each other.
    pub fn phrase(&self) -> Phrase {
        let mut phrase = Phrase::default();
        phrase.extend(self);
        phrase
    }
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
    /// Is a legal form, as `Inc` or `S.p.A.`, or part of one.
    pub is_legal_form: bool,
    /// Begins with an elided article, as `L'Oréal`.
    pub is_elided: bool,
    /// How many single letters it is, with dots between if there are several; 0 if it is not.
    pub letters: u32,
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
    /// There is no word at all, though the text is not blank.
    is_wordless: bool,
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
        for (number, unit) in analysis.units().iter().enumerate() {
            // The units of a host are read with its first one.
            if unit.span.start >= host_end {
                host_end = parser.add(number, unit);
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
        self.is_wordless
    }

    /// All clauses: those that must match in order, then the legal forms at the ends.
    pub fn clauses(&self) -> &[Clause] {
        &self.clauses
    }

    /// The clauses that must match: all but legal forms at the ends.
    pub fn required(&self) -> &[Clause] {
        &self.clauses[..self.required_len]
    }

    /// The legal forms at the ends, which are optional.
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
        let mut text = String::new();
        let mut end = 0;
        for (span, replacement) in replacements {
            let (from, to) = (self.unfolded(span.start).max(end), self.unfolded(span.end));
            text.push_str(&self.text[end..from]);
            text.push_str(replacement);
            end = to.max(from);
        }
        text.push_str(&self.text[end..]);
        Some(text)
    }

    /// What stands at a span of the folded text, as it was given.
    pub fn written(&self, span: Range<usize>) -> &str {
        let (from, to) = (self.unfolded(span.start), self.unfolded(span.end));
        &self.text[from..to.max(from)]
    }

    /// Where a place of the folded text is in the text. Folding may change lengths, so it is looked
    /// up by folding what precedes it.
    fn unfolded(&self, folded_len: usize) -> usize {
        let boundaries: Vec<usize> =
            self.text.char_indices().map(|(at, _)| at).chain([self.text.len()]).collect();
        let before = |&at: &usize| crate::analyzer::fold_text(&self.text[..at]).len() < folded_len;
        boundaries[boundaries.partition_point(before).min(boundaries.len() - 1)]
    }

    /// The text without some of the clauses that must match. Without any it matches everything.
    pub fn without(&self, clauses: Range<usize>) -> TextQuery {
        let mut text = self.clone();
        text.required_len -= clauses.len();
        text.clauses.drain(clauses);
        text
    }

    /// The text without an article in front: the word `the`, or an elided one. None if it begins
    /// with no article, or is nothing else.
    pub fn without_article(&self) -> Option<TextQuery> {
        let first = self.required().first().filter(|first| !first.is_quoted)?;
        let rest = match &first.term {
            Term::Word(word) if word.only_form() == Some("the") && self.required_len > 1 => None,
            Term::Compound { parts, .. } if first.is_elided => Some(parts.without_first()),
            _ => return None,
        };
        let Some(rest) = rest else { return Some(self.without(0..1)) };
        let mut text = self.clone();
        text.clauses[0].term = rest;
        text.clauses[0].is_elided = false;
        Some(text)
    }

    /// The runs of single letters among the clauses that must match, as `A B C` or `P.K.`: which
    /// clauses, and what they are written as one.
    pub fn initials(&self) -> Vec<(Range<usize>, QueryWord)> {
        let (mut runs, mut first) = (Vec::new(), 0);
        let required = self.required();
        while first < required.len() {
            let mut words = Phrase::default();
            let mut end = first;
            while let Some(clause) = required.get(end)
                && clause.letters > 0
                && (end == first || self.are_only_parted(&required[end - 1], clause))
            {
                words.extend(&clause.term);
                end += 1;
            }
            if INITIALS.contains(&(words.words.len() as u32)) {
                runs.push((first..end, words.joined()));
            }
            first = end.max(first + 1);
        }
        runs
    }

    /// Is there nothing but spaces and dots between two clauses?
    fn are_only_parted(&self, left: &Clause, right: &Clause) -> bool {
        let folded = crate::analyzer::fold_text(&self.text);
        let between = folded.get(left.span.end..right.span.start).unwrap_or("?");
        between.chars().all(|c| c == '.' || c.is_whitespace())
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

#[cfg(test)]
mod tests;
