//! `q`: from a text to what it asks for.
//!
//! In: the decoded text of `q`. Out: a [`TextQuery`]: the clauses that must all match, the terms that must not,
//! and the words that ranking compares with names. No text is a syntax error; the only failure is
//! [`QueryTooLong`].

use crate::analyzer::{Analysis, Unit, UnitKind, WordForms};
use crate::limits::{QUERY_CHARS_MAX, QUERY_WORDS_MAX};

/// Most starred words in one `q`: each may expand to very many terms.
pub const STARRED_WORDS_MAX: usize = 2;

/// Fewest characters of a word that may stand for all words it begins.
pub const PREFIX_CHARS_MIN: usize = 3;

/// One word, in all its forms (see [`crate::analyzer`]): one or two.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueryWord {
    /// The forms; the one without marks first.
    pub forms: Vec<String>,
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
    /// A plain word.
    Word(QueryWord),
    /// A compound: its joined form, or its parts next to each other.
    Compound {
        /// The joined form.
        joined: QueryWord,
        /// The parts.
        parts: Phrase,
    },
    /// A quoted phrase, or a run of CJK characters.
    Phrase(Phrase),
}

/// One term that `q` requires, and how it stands there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clause {
    /// What must match.
    pub term: Term,
    /// Stood in quotes: matches as it is.
    pub is_quoted: bool,
    /// Ended in `*`: matches as a prefix too.
    pub is_starred: bool,
    /// Is a legal form, as `Inc` or `S.p.A.`.
    pub is_legal_form: bool,
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
        for unit in analysis.units() {
            parser.add(unit);
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

    /// The words that ranking compares with names: plain words and the parts of everything else, without
    /// trailing forms, at their places to each other.
    pub fn ranking_words(&self) -> Phrase {
        let mut all = Phrase::default();
        for clause in self.required() {
            match &clause.term {
                Term::Word(word) => {
                    all.words.push((all.width, word.clone()));
                    all.width += 1;
                }
                Term::Compound { parts: phrase, .. } | Term::Phrase(phrase) => {
                    let start = all.width;
                    let words = phrase.words.iter().map(|(at, word)| (start + at, word.clone()));
                    all.words.extend(words);
                    all.width += phrase.width;
                }
            }
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
    /// The open phrase: its number among the quoted stretches, and whether it is excluded.
    phrase: Option<(usize, bool, Phrase)>,
    words: usize,
    starred: usize,
}

impl<'a> Parser<'a> {
    fn new(analysis: &'a Analysis) -> Parser<'a> {
        let is_quote = |c| matches!(c, '"' | '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}');
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
        }
    }

    fn add(&mut self, unit: &Unit) {
        let quotes_before = self.quotes.partition_point(|&quote| quote < unit.span.start);
        if quotes_before % 2 == 1 {
            self.add_quoted(unit, quotes_before);
            return;
        }
        self.close_phrase();
        self.words += 1;
        let term = self.term(unit);
        if self.is_excluded_at(unit.span.start) {
            self.excluded.push(term);
            return;
        }
        let star = self.analysis.folded()[unit.span.end..].starts_with('*');
        let is_starred = star
            && unit.kind == UnitKind::Word
            && self.analysis.folded()[unit.span.clone()].chars().count() >= PREFIX_CHARS_MIN;
        self.starred += usize::from(is_starred);
        let is_legal_form = self.analysis.is_legal_form(unit);
        self.clauses.push(Clause { term, is_quoted: false, is_starred, is_legal_form });
    }

    fn add_quoted(&mut self, unit: &Unit, number: usize) {
        if self.phrase.as_ref().is_none_or(|&(open, ..)| open != number) {
            self.close_phrase();
            let excluded = self.is_excluded_at(self.quotes[number - 1]);
            self.phrase = Some((number, excluded, Phrase::default()));
        }
        let (_, _, phrase) = self.phrase.as_mut().expect("just opened");
        self.words += if unit.kind == UnitKind::Run { 1 } else { self.analysis.words(unit).len() };
        phrase.push(self.analysis, unit);
    }

    fn close_phrase(&mut self) {
        if let Some((_, excluded, phrase)) = self.phrase.take() {
            let term = Term::Phrase(phrase);
            if excluded {
                self.excluded.push(term);
            } else {
                let (is_starred, is_legal_form) = (false, false);
                self.clauses.push(Clause { term, is_quoted: true, is_starred, is_legal_form });
            }
        }
    }

    /// Does a `-` that begins a token stand right before `at`?
    fn is_excluded_at(&self, at: usize) -> bool {
        let before = &self.analysis.folded()[..at];
        let token = before.trim_end_matches('-');
        token.len() < before.len() && token.chars().next_back().is_none_or(char::is_whitespace)
    }

    fn term(&self, unit: &Unit) -> Term {
        let phrase = || {
            let mut phrase = Phrase::default();
            phrase.push(self.analysis, unit);
            phrase
        };
        match (unit.kind, self.analysis.joined(unit)) {
            (UnitKind::Run, _) => Term::Phrase(phrase()),
            (_, Some(joined)) => Term::Compound { joined: query_word(joined), parts: phrase() },
            _ => {
                let word = self.analysis.words(unit).next().expect("a unit has words");
                Term::Word(query_word(word))
            }
        }
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
        Ok(TextQuery {
            text: q.to_owned(),
            clauses: self.clauses,
            required_len,
            excluded: self.excluded,
        })
    }
}

fn query_word(word: WordForms<'_>) -> QueryWord {
    QueryWord { forms: word.iter().map(str::to_owned).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show_phrase(phrase: &Phrase) -> String {
        let words = phrase.words.iter().map(|(at, word)| format!("{at}:{}", word.forms.join("|")));
        format!("<{}>", words.collect::<Vec<_>>().join(" "))
    }

    fn show_term(term: &Term) -> String {
        match term {
            Term::Word(word) => word.forms.join("|"),
            Term::Compound { joined, parts } => {
                format!("{}={}", joined.forms.join("|"), show_phrase(parts))
            }
            Term::Phrase(phrase) => show_phrase(phrase),
        }
    }

    /// Required clauses; `[…]` trailing forms; `-` excluded; `*` starred; `"` quoted.
    fn show(q: &str) -> String {
        let query = TextQuery::parse(q).unwrap();
        let mut out = Vec::new();
        for (at, clause) in query.clauses().iter().enumerate() {
            let mut text = show_term(&clause.term);
            if clause.is_quoted {
                text = format!("\"{text}\"");
            }
            if clause.is_starred {
                text.push('*');
            }
            if at >= query.required().len() {
                text = format!("[{text}]");
            }
            out.push(text);
        }
        out.extend(query.excluded().iter().map(|term| format!("-{}", show_term(term))));
        out.join(" ")
    }

    #[test]
    fn texts_become_clauses() {
        for (q, expected) in [
            ("Apple  Computer", "apple computer"),
            ("apple inc", "apple [inc]"),
            ("china vanke co., ltd.", "china vanke [co] [ltd]"),
            ("enel S.p.A.", "enel [spa=<0:s 1:p 2:a>]"),
            ("foo co.ltd", "foo [coltd=<0:co 1:ltd>]"),
            ("enel spa", "enel spa"),
            ("inc", "inc"),
            ("inc. ltd", "inc ltd"),
            ("apple \"inc\"", "apple \"<0:inc>\""),
            ("apple inc -pear", "apple [inc] -pear"),
            ("inc apple", "inc apple"),
            ("AT&T", "att=<0:at 1:t>"),
            ("\"AT&T wireless\"", "\"<0:at 1:t 2:wireless>\""),
            ("Böhme", "bohme|boehme"),
            ("\"new york\" pizza", "\"<0:new 1:york>\" pizza"),
            ("“new york” pizza", "\"<0:new 1:york>\" pizza"),
            ("pizza \"new york", "pizza \"<0:new 1:york>\""),
            ("pizza -\"new york\" -foo --bar", "pizza -<0:new 1:york> -foo -bar"),
            ("a -b c-d - e", "a cd=<0:c 1:d> e -b"),
            ("-foo", "-foo"),
            ("東京都 大学", "<0:東 1:京 2:都> <0:大 1:学>"),
            ("\"東京 大学\"", "\"<0:東 1:京 3:大 4:学>\""),
            ("株式会社ECI", "<0:株 1:式 2:会 3:社> eci"),
            ("johnson & johnson", "johnson and johnson"),
            ("micro* in* ab*", "micro* in ab"),
            ("(a OR b) AND:not", "a or b and not"),
            ("\"\" foo \"\"", "foo"),
            ("!!!", ""),
            ("", ""),
        ] {
            assert_eq!(show(q), expected, "{q}");
        }
    }

    #[test]
    fn blank_and_wordless() {
        assert!(TextQuery::parse(" \t\u{3000}").unwrap().is_blank());
        let query = TextQuery::parse("!!! - \"\"").unwrap();
        assert!(!query.is_blank() && query.is_wordless());
        assert!(!TextQuery::parse("-foo").unwrap().is_wordless());
    }

    #[test]
    fn limits() {
        assert!(TextQuery::parse(&"é".repeat(512)).is_ok());
        assert_eq!(TextQuery::parse(&"é".repeat(513)), Err(QueryTooLong::Chars(513)));
        assert!(TextQuery::parse(&"a ".repeat(32)).is_ok());
        assert_eq!(TextQuery::parse(&"a ".repeat(33)), Err(QueryTooLong::Words(33)));
        assert_eq!(TextQuery::parse(&"\"a-b\" ".repeat(17)), Err(QueryTooLong::Words(34)));
        assert!(TextQuery::parse(&"a-b ".repeat(32)).is_ok());
        assert!(TextQuery::parse(&"東京都".repeat(100)).is_ok());
        assert!(TextQuery::parse("foo* bar*").is_ok());
        assert_eq!(TextQuery::parse("foo* bar* baz*"), Err(QueryTooLong::Starred(3)));
    }

    #[test]
    fn ranking_words_keep_their_places() {
        let words = |q| show_phrase(&TextQuery::parse(q).unwrap().ranking_words());
        assert_eq!(words("AT&T wireless inc"), "<0:at 1:t 2:wireless>");
        assert_eq!(words("東京 大学"), "<0:東 1:京 3:大 4:学>");
        assert_eq!(words("\"東京 大学\" x"), "<0:東 1:京 3:大 4:学 6:x>");
        assert_eq!(words("-foo"), "<>");
    }
}
