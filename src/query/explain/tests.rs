//! Explanations over a small collection, as text, and what must hold for each of them.

use super::*;
use crate::http::parse_query_string;
use crate::query::page::{Scratch, search};
use crate::query::text_score;
use std::sync::OnceLock;

const RECORDS: &str = r#"
{"id":"b-1","name":"PayPal Holdings, Inc.","website":"https://www.paypal.com","industry":"Payments","description":"Online payments.","employee_count":900,"location":{"city":"San Jose","state":"California","country":"United States"}}
{"id":"b-2","name":"AT&T Inc.","website":"https://www.att.com","industry":"Telecoms","description":"Wireless and internet services.","employee_count":800,"location":{"city":"Dallas","state":"Texas","country":"United States"}}
{"id":"b-3","name":"Böhme Wireless GmbH","website":"https://boehme.de","industry":"Telecoms","description":"Masts at sea.","employee_count":700,"location":{"city":"Berlin","country":"Germany"}}
{"id":"b-4","name":"Microsoft Corporation","website":"https://www.microsoft.com","industry":"Software","description":"Makes an operating system.","employee_count":600,"location":{"city":"Redmond","state":"Washington","country":"United States"}}
{"id":"b-5","name":"Micro Systems","website":"https://micro.example","industry":"Software","description":"Internet payments for small shops.","employee_count":500,"location":{"city":"Atlanta","state":"Georgia","country":"United States"}}
{"id":"b-6","name":"東京大学","industry":"Education","location":{"city":"Tokyo","country":"Japan"}}
"#;

fn snapshot() -> &'static Snapshot {
    static SNAPSHOT: OnceLock<Snapshot> = OnceLock::new();
    SNAPSHOT.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("explain.firmament");
        crate::index::from_jsonl(RECORDS.trim_start(), &path).unwrap();
        Snapshot::from_bytes(&std::fs::read(&path).unwrap()).unwrap()
    })
}

/// The explanation of a request, with everything checked that holds for all.
fn explained(query_string: &str) -> Explanation {
    let query = parse_query_string(query_string).unwrap();
    let page = search(snapshot(), &query, &mut Scratch::default());
    let explanation = explain(snapshot(), &query, &page);
    assert_eq!(explanation.total, page.total, "{query_string}");
    assert_eq!(explanation.plan.cardinality, Some(page.total), "{query_string}");
    assert_eq!(explanation.corrected, page.corrected, "{query_string}");
    assert_eq!(explanation.place, page.place, "{query_string}");
    assert_eq!(explanation.reading == Reading::AnyClause, page.relaxed, "{query_string}");
    assert_eq!(explanation.results.len(), page.docs.len(), "{query_string}");
    let mut session = Session::new(snapshot());
    let query = asked(&session, &query);
    let understood = page::understand(&mut session, query).expect("nothing costs more");
    let Understood { query, interpretation, .. } = understood;
    for (result, &doc) in explanation.results.iter().zip(&page.docs) {
        assert_eq!(result.score.sum(), text_score(snapshot(), &query, doc), "{query_string}");
        for (clause_match, held) in interpretation.clauses.iter().zip(&result.held) {
            let matches = clause_match.anywhere(&session).contains(doc);
            assert_eq!(!held.is_empty(), matches, "{query_string}: {}", result.id);
        }
    }
    for line in explanation.to_string().lines() {
        assert!(line.chars().count() <= 100 && line.trim_end() == line, "{line:?}");
    }
    explanation
}

/// The text of an explanation, each of its lines without the space before and behind it and between
/// columns.
fn text(query_string: &str) -> Vec<String> {
    let text = explained(query_string).to_string();
    let squeezed = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    squeezed.filter(|line| !line.is_empty()).collect()
}

#[test]
fn a_compound_with_a_legal_form_and_an_exclusion() {
    let expected = r#"q: at&t inc -systems
  all of these must match
  compound  at&t                1 business; looked up att, "at and t"
  optional  inc
  excluded  systems

plan                                                                             at most     exactly
  the first without the second                                                         2           1
    any of                                                                             2           1
      att in any field                                                                 1           1
      "at and t" in one field, checked among                                           1           1
        all of                                                                         1           1
          and in any field                                                             1           1
          t in any field                                                               1           1
          at in any field                                                              2           2
    systems in any field                                                               2           2

found by: OnlyHit

results: 1 of 1, by relevance
  1  b-2  AT&T Inc.
     the name is q; text score 736
     480  at&t                  name, host
     256  inc                   name
"#;
    assert_eq!(explained("q=at%26t+inc+-systems").to_string(), expected);
}

#[test]
fn a_prefix() {
    let expected = [
        "q: micro",
        "all of these must match",
        "word micro 2 businesses; as a prefix: words 2, names 2, hosts 2",
        "plan at most exactly",
        "any of 2 2",
        "micro in any field 1 1",
        "micro… begins a longer word of name, alias or host 1 1",
        "found by: StoredCount, ScoreAll",
        "results: 2 of 2, by relevance",
        "1 b-5 Micro Systems",
        "the name starts with q; text score 216",
        "216 micro name, host",
        "2 b-4 Microsoft Corporation",
        "all words in the name, by a prefix; text score 0",
        "0 micro name (begins a word), host (begins a word)",
    ];
    assert_eq!(text("q=micro"), expected);
}

#[test]
fn a_correction_and_a_relaxation() {
    let expected = [
        "q: wireles payments",
        "relaxed: nothing matches all of these, so any counts",
        "word wireles 2 businesses; read as wireless",
        "word payments 2 businesses; as a prefix: nothing",
        "corrected wireless payments",
        "plan at most exactly",
        "any of 4 4",
        "wireless in any field 2 2",
        "payments in any field 2 2",
        "found by: looking at every hit",
        "results: 2 of 4, by relevance",
        "1 b-3 Böhme Wireless GmbH",
        "43.8 % of q, 34.6 % of the name, times 1.0: 265904; text score 128",
        "128 wireles name (as wireless)",
        "0 payments not held",
        "2 b-1 PayPal Holdings, Inc.",
        "20.0 % of q, 0.0 % of the name, times 1.0: 80000; text score 99",
        "0 wireles not held",
        "99 payments industry, description",
    ];
    assert_eq!(text("q=wireles+payments&limit=2"), expected);
}

#[test]
fn a_split() {
    let text = text("q=microsystems");
    assert_eq!(
        text[2..4],
        [
            "word microsystems 1 business; as a prefix: nothing; read as \"micro systems\"",
            "corrected micro systems",
        ]
    );
    assert!(
        text.contains(&"\"micro systems\" in one field, checked among 1 1".to_owned()),
        "{text:?}"
    );
    assert_eq!(text.last().unwrap(), "354 microsystems name (as micro systems)");
}

#[test]
fn filters_and_neighbours() {
    let expected = [
        "q: pay pal",
        "all of these must match",
        "word pay 1 business; with a neighbour paypal",
        "word pal 1 business; as a prefix: nothing; with a neighbour paypal",
        "plan at most exactly",
        "all of 1 1",
        "industry payments 1 1",
        "state US-CA, by any of its names 1 1",
        "any of 2 1",
        "paypal starts the name 1 1",
        "paypal in the host 1 1",
        "country US, by any of its names 4 4",
        "from 500 to 900 employees 5 5",
        "found by: OnlyHit",
        "results: 1 of 1, by relevance",
        "1 b-1 PayPal Holdings, Inc.",
        "all words in the name; text score 209",
        "209 pay name (together: paypal), host (together: paypal)",
        "0 pal name (together: paypal), host (together: paypal)",
    ];
    let request = "q=pay+pal&location=CA,US&industry=payments&min_employees=10";
    assert_eq!(text(request), expected);
}

#[test]
fn every_kind_of_request_is_explained() {
    for (query_string, reading) in [
        ("", Reading::Blank),
        ("industry=Software,Telecoms&sort=name&limit=1", Reading::Blank),
        ("q=!!!", Reading::Wordless),
        ("q=b-4&location=Germany", Reading::WholeId),
        ("q=b-4", Reading::WholeId),
        ("q=-micro", Reading::OnlyExclusions),
        ("q=%E6%9D%B1%E4%BA%AC", Reading::AllClauses),
        ("q=https://www.paypal.com/us+payments", Reading::AllClauses),
        ("q=paypal.de", Reading::AllClauses),
        ("q=%22online+payment%22", Reading::AllClauses),
        ("q=pay+pal+inc", Reading::AllClauses),
        ("q=wire+less", Reading::AllClauses),
        ("q=b%C3%B6hme+gmbh", Reading::AllClauses),
        ("q=micr*+soft", Reading::AnyClause),
        ("q=microsystems", Reading::AllClauses),
        ("q=service&sort=founded_year&order=asc", Reading::AllClauses),
        ("q=paypal.com+zebra+at%26t+%22internet%22", Reading::AnyClause),
        ("q=inc&max_employees=850&location=Georgia&location=Dallas,TX", Reading::AllClauses),
    ] {
        assert_eq!(explained(query_string).reading, reading, "{query_string}");
    }
}
