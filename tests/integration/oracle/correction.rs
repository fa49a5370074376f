//! What stands for words that nothing matches: contract, section 3, "Correction".

use super::meaning::{Meaning, Required};
use super::text::Searched;
use super::{Oracle, Record};
use firmament::analyzer::fold_text;
use firmament::query::text::{Phrase, QueryWord};
use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};

/// "only for a plain word of 5 to 32 letters"
const LETTERS: RangeInclusive<usize> = 5..=32;

/// "from 7 letters on 2"
const LETTERS_FOR_TWO: usize = 7;

/// "The first two such words of a `q` are corrected."
const WORDS_MAX: usize = 2;

/// "that one to ten businesses hold"
const RARE: RangeInclusive<usize> = 1..=10;

/// "at most the 16 that occur in most records"
const READINGS_MAX: usize = 16;

/// What may stand for a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Readings {
    /// "the indexed words …", best first.
    pub words: Vec<QueryWord>,
    /// Their edit distance from the word; 0 without any.
    pub distance: usize,
    /// Do more words than these have that distance?
    pub are_cut: bool,
    /// "and, as a phrase, its leftmost split into two words that stand adjacent in some name"
    pub split: Option<Phrase>,
}

impl Readings {
    /// "All of them count."
    pub fn match_in(&self, record: &Searched) -> bool {
        self.words.iter().any(|word| record.has_word(word))
            || self.split.iter().any(|split| record.has_phrase(split))
    }

    /// What the corrected `q` shows for the word: "its first reading".
    fn first(&self) -> Option<String> {
        let word = self.words.first().map(|word| word.forms[0].clone());
        let split = || {
            let split = self.split.as_ref()?;
            let words = split.words.iter().map(|(_, word)| word.forms[0].as_str());
            Some(words.collect::<Vec<_>>().join(" "))
        };
        word.or_else(split)
    }
}

/// Everything that is indexed, each text once.
pub struct Vocabulary {
    /// Those of letters only, as letters.
    words: Vec<Vec<char>>,
}

impl Vocabulary {
    /// The vocabulary of a collection.
    pub fn of(records: &[Record]) -> Vocabulary {
        // "the indexed words of letters only"; "Joined forms are candidates, words with vowel signs
        // are not"
        let fields = records.iter().flat_map(|record| &record.searched.fields);
        let texts: BTreeSet<&str> =
            fields.flat_map(|field| &field.entries).map(|entry| entry.text.as_str()).collect();
        let words = texts.into_iter().filter(|text| text.chars().all(is_letter));
        Vocabulary { words: words.map(|text| text.chars().collect()).collect() }
    }

    /// The words at an edit distance from another, with the same first letter.
    fn at_distance(&self, distance: usize, from: &[char]) -> Vec<QueryWord> {
        let is_close = |word: &&Vec<char>| {
            word[0] == from[0]
                && word.len().abs_diff(from.len()) <= distance
                && edit_distance(word, from) == distance
        };
        self.words.iter().filter(is_close).map(|word| query_word(word)).collect()
    }
}

/// Gives the words of a `q` their readings, where they need any.
pub fn correct(meaning: &mut Meaning<'_>, oracle: &Oracle) {
    let records = || oracle.records().iter().map(|record| &record.searched);
    let candidates: Vec<usize> =
        (0..meaning.required.len()).filter(|&at| is_candidate(&meaning.required[at])).collect();
    // "that matches in no searched field (and begins no name or host word, if it may be a prefix)";
    // "A word that matches together with its neighbour is not corrected"
    let is_unknown = |at: &usize| !records().any(|record| meaning.required[*at].matches(record));
    let unknown: Vec<usize> =
        candidates.iter().copied().filter(is_unknown).take(WORDS_MAX).collect();
    unknown.iter().for_each(|&at| meaning.required[at].correct(oracle));
    // "If then nothing in the snapshot matches all words, the first two plain words that one to ten
    // businesses hold (as whole words) are given the same readings beside their own."
    if !records().any(|record| meaning.matches_all(record)) {
        let is_rare = |at: &usize| {
            let required = &meaning.required[*at];
            RARE.contains(&records().filter(|record| required.matches_as_written(record)).count())
        };
        let rare: Vec<usize> = candidates.iter().copied().filter(is_rare).take(WORDS_MAX).collect();
        rare.iter().for_each(|&at| meaning.required[at].correct(oracle));
    }
}

/// "only for a plain word of 5 to 32 letters without digits, neither quoted, excluded nor starred";
/// "of an umlaut word the stripped form is measured"
pub fn is_candidate(required: &Required<'_>) -> bool {
    let Some(word) = required.word().filter(|_| !required.clause.is_starred) else { return false };
    let stripped = &word.forms[0];
    LETTERS.contains(&stripped.chars().count()) && stripped.chars().all(is_letter)
}

impl Required<'_> {
    /// Gives a plain word its readings.
    fn correct(&mut self, oracle: &Oracle) {
        let word = self.word().expect("a plain word");
        let letters: Vec<char> = word.forms[0].chars().collect();
        self.readings = Some(readings(&letters, oracle));
    }
}

/// The readings of a word.
fn readings(letters: &[char], oracle: &Oracle) -> Readings {
    // "with the same first letter, at the smallest edit distance that has any: 1, and from 7
    // letters on 2"
    let distances = if letters.len() >= LETTERS_FOR_TWO { 1..=2 } else { 1..=1 };
    let found = distances
        .map(|distance| (distance, oracle.vocabulary().at_distance(distance, letters)))
        .find(|(_, words)| !words.is_empty());
    let (distance, mut words) = found.unwrap_or_default();
    // "at most the 16 that occur in most records (ties by word)"
    let records = |word: &QueryWord| {
        oracle.records().iter().filter(|record| record.searched.has_word(word)).count()
    };
    words.sort_by_cached_key(|word| (Reverse(records(word)), word.forms[0].clone()));
    let are_cut = words.len() > READINGS_MAX;
    words.truncate(READINGS_MAX);
    Readings { words, distance, are_cut, split: split(letters, oracle) }
}

/// "as a phrase, its leftmost split into two words that stand adjacent in some name"
fn split(letters: &[char], oracle: &Oracle) -> Option<Phrase> {
    let splits = (1..letters.len()).map(|at| Phrase {
        words: vec![(0, query_word(&letters[..at])), (1, query_word(&letters[at..]))],
        width: 2,
    });
    let mut records = splits.map(|split| {
        let is_name = oracle.records().iter().map(|record| &record.searched).any(|record| {
            let names = std::iter::once(record.name()).chain(record.aliases());
            names.into_iter().any(|name| name.has_phrase(&split))
        });
        (is_name, split)
    });
    records.find(|(is_name, _)| *is_name).map(|(_, split)| split)
}

/// "`q` with each corrected word replaced by its first reading …; a word that some business of the
/// answer holds as it was written is not replaced in it, nor is one of a relaxed answer that any
/// business holds."
pub fn corrected_text(meaning: &Meaning<'_>, oracle: &Oracle) -> Option<String> {
    let q = meaning.q.as_str();
    let is_held = |required: &Required<'_>| {
        // Filters and exclusions change nothing about how a `q` is read.
        let mut records = oracle.records().iter().map(|record| &record.searched);
        records.any(|record| {
            (meaning.is_relaxed || meaning.matches_all(record))
                && required.matches_as_written(record)
        })
    };
    let mut corrected = String::new();
    let mut copied = 0;
    for required in meaning.required.iter().filter(|required| !is_held(required)) {
        let first = required.readings.as_ref().and_then(Readings::first);
        if let Some(first) = first {
            let place = place_in(q, &required.clause.span);
            corrected.push_str(&q[copied..place.start]);
            corrected.push_str(&first);
            copied = place.end;
        }
    }
    let is_corrected = copied > 0;
    is_corrected.then(|| corrected + &q[copied..])
}

/// Where a stretch of the folded text stands in the text. Marks and invisible characters that
/// folding drops belong to the word before them.
fn place_in(text: &str, folded: &Range<usize>) -> Range<usize> {
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
    let lens: Vec<(usize, usize)> = std::iter::once((0, 0))
        .chain(ends.map(|end| (end, fold_text(&text[..end]).len())))
        .collect();
    let last_up_to = |len: usize| {
        let within = lens.iter().filter(|(_, folded_len)| *folded_len <= len);
        within.map(|(end, _)| *end).next_back().unwrap_or_default()
    };
    last_up_to(folded.start)..last_up_to(folded.end)
}

/// "optimal string alignment: a swap of neighbours counts one"
pub fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let differs = usize::from(a[i - 1] != b[j - 1]);
                let least = (table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                least.min(table[i - 1][j - 1] + differs)
            };
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                table[i][j] = table[i][j].min(table[i - 2][j - 2] + 1);
            }
        }
    }
    table[a.len()][b.len()]
}

/// "Letters … are the general categories L"
fn is_letter(c: char) -> bool {
    GeneralCategoryGroup::Letter.contains(CodePointMapData::<GeneralCategory>::new().get(c))
}

fn query_word(letters: &[char]) -> QueryWord {
    QueryWord::of_form(letters.iter().collect())
}

#[test]
fn edit_distances() {
    for (a, b, distance) in [
        ("apple", "apple", 0),
        ("apple", "aple", 1),
        ("apple", "applet", 1),
        ("apple", "apply", 1),
        ("apple", "appel", 1),
        ("apple", "aplpe", 1),
        ("apple", "ale", 2),
        ("ca", "abc", 3),
        ("abcd", "badc", 2),
        ("", "ab", 2),
    ] {
        let letters = |text: &str| text.chars().collect::<Vec<char>>();
        assert_eq!(edit_distance(&letters(a), &letters(b)), distance, "{a} {b}");
    }
}

#[test]
fn places_in_the_text() {
    for (text, folded_word, word) in [
        ("The Aple!", "aple", "Aple"),
        ("straße FOO-BAR", "foo", "FOO"),
        ("Aple\u{301} x", "aple", "Aple\u{301}"),
        ("Foo™Baar", "baar", "Baar"),
        ("x\u{ad} O’Rielly", "o’rielly", "O’Rielly"),
        ("Ｗｉｄｔｈ Boo\u{308}k", "boök", "Boo\u{308}k"),
    ] {
        let folded = fold_text(text);
        let start = folded.find(folded_word).expect("a word of the text");
        let place = place_in(text, &(start..start + folded_word.len()));
        assert_eq!(&text[place], word, "{text}");
    }
}
