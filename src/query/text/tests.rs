//! What becomes of a `q`, as tables.

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
        Term::Host { name, labels } => {
            let labels: Vec<String> = labels.iter().map(show_term).collect();
            format!("{name}[{}]", labels.join(" "))
        }
    }
}

/// Required clauses; `[…]` trailing forms; `-` excluded; `*` starred; `…` a prefix; `"` quoted.
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
        } else if clause.is_prefix {
            text.push('…');
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
        ("Apple  Computer", "apple computer…"),
        ("apple inc", "apple [inc]"),
        ("china vanke co., ltd.", "china vanke [co] [ltd]"),
        ("enel S.p.A.", "enel [spa=<0:s 1:p 2:a>]"),
        ("foo co.ltd", "foo [coltd=<0:co 1:ltd>]"),
        ("enel spa", "enel spa…"),
        ("inc", "inc…"),
        ("inc. ltd", "inc ltd…"),
        ("apple \"inc\"", "apple \"inc\""),
        ("apple inc -pear", "apple [inc] -pear"),
        ("inc apple", "inc apple…"),
        ("AT&T", "att=<0:at 1:t>"),
        ("\"AT&T wireless\"", "\"<0:at 1:t 2:wireless>\""),
        ("Böhme", "bohme|boehme…"),
        ("\"new york\" pizza", "\"<0:new 1:york>\" pizza…"),
        ("“new york” pizza", "\"<0:new 1:york>\" pizza…"),
        ("pizza \"new york", "pizza \"<0:new 1:york>\""),
        ("pizza -\"new york\" -foo --bar", "pizza… -<0:new 1:york> -foo -bar"),
        ("a -b c-d - e", "a cd=<0:c 1:d> e -b"),
        ("-foo", "-foo"),
        ("東京都 大学", "<0:東 1:京 2:都> <0:大 1:学>"),
        ("\"東京 大学\"", "\"<0:東 1:京 3:大 4:学>\""),
        ("株式会社ECI", "<0:株 1:式 2:会 3:社> eci…"),
        ("johnson & johnson", "johnson and johnson…"),
        ("micro* in* ab*", "micro* in ab"),
        ("(a OR b) AND:not", "a or b and not…"),
        ("\"\" foo \"\"", "foo…"),
        ("procter &", "procter and"),
        ("ab", "ab"),
        ("ikea.com", "ikea.com[ikea]"),
        ("(https://www.IKEA.com/us/en/),", "ikea.com[ikea]"),
        ("\"ikea.com\"", "\"<0:ikea 1:com>\""),
        ("foo -univ-lyon1.fr", "foo… -univ-lyon1.fr[univlyon1=<0:univ 1:lyon1>]"),
        ("shop.ikea.co.uk chairs", "shop.ikea.co.uk[shop ikea] chairs…"),
        ("foo co.ltd", "foo [coltd=<0:co 1:ltd>]"),
        ("U.S. steel", "us=<0:u 1:s> steel…"),
        ("node.js", "nodejs=<0:node 1:js>"),
        ("info@ikea.com", "ikea.com[ikea]"),
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
