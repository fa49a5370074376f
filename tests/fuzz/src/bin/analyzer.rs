//! Names, descriptions, hosts, filter values and `q` are any text: none may upset the analyzer or
//! what reads its words.
//!
//! The input is read as UTF-8, damaged bytes replaced. Checked is what every text has in common:
//! folding twice is folding once, units lie in order within the text, entries in the order of their
//! positions, and nothing grows beyond a small multiple of the text.

#![no_main]

use firmament::analyzer::host::Host;
use firmament::analyzer::{Analysis, Role, TextField, UnitKind, fold_filter, fold_text};
use firmament::limits::{COMPOUND_CHARS_MAX, COMPOUND_PARTS_MAX};
use firmament::places;
use firmament::places::{PlaceFilter, PlaceKey, PlaceKind};
use firmament::query::text::TextQuery;
use firmament::query::text::Term;
use libfuzzer_sys::fuzz_target;

/// Bytes of folded text that one byte of text can become: `U+FDFA`, of three bytes, is a sentence
/// of 33.
const FOLDING_GROWTH_MAX: usize = 11;

/// Entries that one character of folded text can become: both forms of a word, and half of a
/// compound's two.
const ENTRIES_PER_CHAR_MAX: usize = 3;

/// Longest text, in bytes, in which words are replaced.
const REPLACED_BYTES_MAX: usize = 32;

fuzz_target!(|data: &[u8]| {
    let text = &String::from_utf8_lossy(data);
    let analysis = check_text(text);
    check_host(text);
    check_query(text, analysis.folded());
    check_filter(text);
    check_places(text);
});

fn check_text(text: &str) -> Analysis {
    let analysis = Analysis::of(text);
    let folded = analysis.folded();
    assert!(folded.len() <= text.len() * FOLDING_GROWTH_MAX);
    let again = Analysis::of(folded);
    assert_eq!(again.folded(), folded, "folded twice");
    assert_eq!(entries(&again), entries(&analysis), "words of the folded text");
    check_units(&analysis);
    analysis
}

/// Units lie in order, not empty, within the folded text; so do their entries in every field.
fn check_units(analysis: &Analysis) {
    let mut end = 0;
    for unit in analysis.units() {
        assert!(unit.span.start >= end && unit.span.end > unit.span.start);
        assert!(analysis.folded().get(unit.span.clone()).is_some());
        end = unit.span.end;

        let parts = analysis.words(unit).len();
        assert_eq!(analysis.joined(unit).is_some(), unit.kind == UnitKind::Compound);
        match unit.kind {
            UnitKind::Word | UnitKind::And => assert_eq!(parts, 1),
            // An `&` between two parts is a word.
            UnitKind::Compound => assert!((2..2 * COMPOUND_PARTS_MAX).contains(&parts)),
            UnitKind::Run => assert!(parts > 0),
        }
        if let Some(joined) = analysis.joined(unit) {
            assert!(joined.stripped.chars().count() <= COMPOUND_CHARS_MAX);
        }
    }
    assert!(end <= analysis.folded().len());
    TextField::ALL.into_iter().for_each(|field| check_entries(analysis, field));
}

/// Positions never decrease, but for joined forms, which go back to the first of their parts.
fn check_entries(analysis: &Analysis, field: TextField) {
    let (mut count, mut bytes, mut last) = (0, 0, None);
    analysis.for_each_entry(field, |entry| {
        assert!(!entry.text.is_empty());
        count += 1;
        bytes += entry.text.len();
        match entry.role {
            Role::Word => assert!(last.is_none_or(|last| entry.position > last)),
            Role::Alternative => assert_eq!(last, Some(entry.position)),
            Role::Joined { parts } => {
                assert!((2..2 * COMPOUND_PARTS_MAX as u32).contains(&parts));
                assert_eq!(last, Some(entry.position + parts - 1));
                return;
            }
        }
        last = Some(entry.position);
    });
    assert!(count <= analysis.folded().chars().count() * ENTRIES_PER_CHAR_MAX);
    // Both forms, each once more in a joined form or two; an `&` is three letters.
    assert!(bytes <= analysis.folded().len() * 6);
    let core = analysis.name_core();
    assert!(core.start <= core.end && core.end <= last.map_or(0, |last| last + 1));
}

fn entries(analysis: &Analysis) -> Vec<(u32, String, Role)> {
    let mut entries = Vec::new();
    analysis.for_each_entry(TextField::Name, |entry| {
        entries.push((entry.position, entry.text.to_owned(), entry.role));
    });
    entries
}

fn check_host(text: &str) {
    let mut analysis = Analysis::of("what was here before");
    analysis.analyze_host(text);
    check_units(&analysis);
    let Some(host) = Host::of_website(text) else {
        assert!(analysis.units().is_empty());
        return;
    };
    assert!(!host.name().is_empty());
    assert_eq!(fold_text(host.name()), host.name(), "folded twice");
    assert!(host.searchable_labels().map(str::len).sum::<usize>() <= host.name().len());
}

fn check_query(q: &str, folded: &str) {
    let Ok(query) = TextQuery::parse(q) else { return };
    assert_eq!(query.as_str(), q);
    let mut end = 0;
    for clause in query.clauses() {
        assert!(clause.span.start >= end && clause.span.end > clause.span.start);
        assert!(folded.get(clause.span.clone()).is_some());
        end = clause.span.end;
    }
    query.clauses().iter().map(|clause| &clause.term).chain(query.excluded()).for_each(check_term);
    // Places are found by folding again and again: short texts will do.
    if q.len() <= REPLACED_BYTES_MAX {
        let all = query.clauses().iter().map(|clause| (clause.span.clone(), "x".to_owned()));
        let all: Vec<_> = all.collect();
        assert_eq!(query.replace(&all).is_some(), !all.is_empty());
    }
    assert_eq!(query.required().len() + query.trailing_forms().len(), query.clauses().len());
    assert!(!query.required().is_empty() || query.clauses().is_empty());
    let words = query.ranking_words();
    assert!(words.words.iter().is_sorted_by(|a, b| a.0 < b.0));
    assert!(words.words.last().is_none_or(|(last, _)| *last < words.width));
    assert!(!(query.is_blank() && query.is_wordless()));
}

/// Whatever must match, or must not, has words, and words have letters.
fn check_term(term: &Term) {
    let has_forms = |forms: &[String]| {
        (1..=2).contains(&forms.len()) && forms.iter().all(|form| !form.is_empty())
    };
    match term {
        Term::Word(word) => assert!(has_forms(&word.forms)),
        Term::Compound { joined, parts } => {
            assert!(has_forms(&joined.forms) && parts.words.len() > 1);
        }
        Term::Phrase(phrase) => {
            assert!(!phrase.words.is_empty());
            assert!(phrase.words.iter().all(|(_, word)| has_forms(&word.forms)));
        }
        Term::Host { name, labels, compound, .. } => {
            assert!(!name.is_empty() && !labels.is_empty());
            labels.iter().for_each(check_term);
            compound.iter().for_each(|compound| check_term(compound));
        }
    }
}

fn check_filter(text: &str) {
    let forms = fold_filter(text);
    assert!((1..=2).contains(&forms.len()));
    assert_eq!(fold_filter(&forms[0]), [forms[0].as_str()], "folded twice");
}

fn check_places(text: &str) {
    let is_known = |key: &PlaceKey| {
        assert!(PlaceKey::from_stored(key.as_str()).as_ref() == Some(key));
        key.as_str().bytes().fold(0, u8::wrapping_add) % 2 == 0
    };
    if let PlaceFilter::Parts(query) = places::parse(text, &is_known) {
        assert!((1..=PlaceKind::ALL.len()).contains(&query.parts.len()));
        assert!(query.parts.iter().all(|part| part.meanings.len() >= PlaceKind::ALL.len()));
    }

    // What is stored is found under its own text, unless that has commas or quotes, which part
    // values.
    let keys = places::stored_keys(Some(text), None, None);
    let parted = text.contains([',', '"', '＂', '“', '”', '„', '‟']);
    if !keys.is_empty() && !parted {
        match places::parse(text, &|key: &PlaceKey| keys.contains(key)) {
            PlaceFilter::Parts(query) => {
                assert!(query.parts[0].of_kind(PlaceKind::City).any(|key| keys.contains(key)));
            }
            other => panic!("a stored place is not found: {other:?}"),
        }
    }
}
