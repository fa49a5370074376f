//! The rarest word first, over a small collection.

use crate::analyzer::TextField;
use crate::ids::DocId;
use crate::query::phrase::matcher::PhraseMatcher;
use crate::query::session::Session;
use crate::query::text::{Term, TextQuery};
use crate::snapshot::Snapshot;
use proptest::prelude::*;
use proptest::sample::select;
use std::sync::OnceLock;

const WORDS: [&str; 9] =
    ["global", "globals", "bus", "buses", "company", "companies", "zorn", "quist", "quists"];

/// Businesses whose names and descriptions are some of [`WORDS`]; `zorn` is in names only.
fn snapshot() -> &'static Snapshot {
    static SNAPSHOT: OnceLock<Snapshot> = OnceLock::new();
    SNAPSHOT.get_or_init(|| {
        let word = |at: usize| WORDS[at * at % 31 % WORDS.len()];
        let record = |at: usize| {
            let name = [word(at), "zorn", word(at + 3)];
            let prose: Vec<&str> = (at..at + 7).map(word).filter(|&it| it != "zorn").collect();
            let (name, prose) = (name.join(" "), prose.join(" "));
            format!(r#"{{"id":"b-{at}","name":"{name}","description":"{prose}"}}"#) + "\n"
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("phrases.firmament");
        crate::index::from_jsonl(&(0..80).map(record).collect::<String>(), &path).unwrap();
        Snapshot::from_bytes(&std::fs::read(&path).unwrap()).unwrap()
    })
}

fn matcher<'s>(session: &Session<'s>, words: &[&str]) -> PhraseMatcher<'s> {
    let text = TextQuery::parse(&format!("\"{}\"", words.join(" "))).unwrap();
    let Term::Phrase(phrase) = &text.clauses()[0].term else { panic!("{words:?}") };
    session.matcher(phrase, &TextField::ALL)
}

/// Who matches, as told by a matcher that looks for the rarest word of a phrase first, and by one
/// that does not.
fn matching(words: &[&str]) -> (Vec<u32>, Vec<u32>) {
    let session = Session::new(snapshot());
    let (asked, twin) = (matcher(&session, words), matcher(&session, words));
    let docs = 0..snapshot().num_docs();
    let tokens = |doc: &u32| snapshot().doc_tokens(DocId(*doc));
    let stands =
        |doc: &u32| TextField::ALL.iter().any(|&field| twin.stands_anywhere(&tokens(doc), field));
    let found = docs.clone().filter(|doc| asked.matches(&tokens(doc), &TextField::ALL));
    (found.collect(), docs.filter(stands).collect())
}

proptest! {
    #[test]
    fn looking_for_the_rarest_first_misses_nobody(
        words in proptest::collection::vec(select(&WORDS[..]), 2..4),
    ) {
        let (found, expected) = matching(&words);
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn what_stands_in_names_only_needs_no_look_up_of_others() {
    let session = Session::new(snapshot());
    let has_looked_up = |words: &[&str]| {
        let matcher = matcher(&session, words);
        for doc in 0..snapshot().num_docs() {
            matcher.matches(&snapshot().doc_tokens(DocId(doc)), &TextField::ALL);
        }
        matcher.prose.is_some_and(|prose| prose.all.get().is_some())
    };
    assert!(has_looked_up(&["global", "bus"]));
    assert!(!has_looked_up(&["absent", "zorn"]));
}
