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
        Term::Host { name, labels, .. } => {
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
        ("AT&T", "att=<0:at 1:and 2:t>"),
        ("at & t", "at and t"),
        ("procter&gamble co", "proctergamble=<0:procter 1:and 2:gamble> [co]"),
        ("\"AT&T wireless\"", "\"<0:at 1:and 2:t 3:wireless>\""),
        ("Böhme", "bohme|boehme…"),
        ("\"new york\" pizza", "\"<0:new 1:york>\" pizza…"),
        ("“new york” pizza", "\"<0:new 1:york>\" pizza…"),
        ("pizza \"new york", "pizza \"<0:new 1:york>\""),
        ("pizza -\"new york\" -foo --bar", "pizza… -<0:new 1:york> -foo -bar"),
        ("a -b c-d - e", "a cd=<0:c 1:d> e -b"),
        ("-foo", "-foo"),
        ("東京都 大学", "<0:东 1:京 2:都> <0:大 1:学>"),
        ("\"東京 大学\"", "\"<0:东 1:京 3:大 4:学>\""),
        ("株式会社ECI", "eci… [<0:株 1:式 2:会 3:社>]"),
        ("株式会社青葉", "<0:青 1:叶> [<0:株 1:式 2:会 3:社>]"),
        ("青葉(株)", "<0:青 1:叶> [<0:株>]"),
        ("青葉株", "<0:青 1:叶 2:株>"),
        ("株式会社", "<0:株 1:式 2:会 3:社>"),
        ("青葉 株式会社 東京", "<0:青 1:叶> <0:株 1:式 2:会 3:社> <0:东 1:京>"),
        ("PT Sumber Air Tbk", "sumber air [tbk] [pt]"),
        ("sumber pt air", "sumber pt air…"),
        ("ACME sp. z o.o.", "acme [sp] [z] [oo=<0:o 1:o>]"),
        ("acme z o.o.", "acme z oo=<0:o 1:o>"),
        ("Brio Sdn. Bhd.", "brio [sdn] [bhd]"),
        ("Brio GmbH & Co. KG", "brio [gmbh] [and] [co] [kg]"),
        ("Brio A/S", "brio [as=<0:a 1:s>]"),
        ("\"brio\" inc", "\"brio\" [inc]"),
        ("l’énergie dell'olmo", "lenergie=<0:l 1:energie> dellolmo=<0:dell 1:olmo>"),
        ("rock'n'roll O´Neil", "rocknroll oneil…"),
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
fn articles_in_front_can_be_left_out() {
    let rest = |q| {
        let rest = TextQuery::parse(q).unwrap().without_article()?;
        let terms: Vec<String> = rest.required().iter().map(|it| show_term(&it.term)).collect();
        Some(terms.join(" "))
    };
    for (q, expected) in [
        ("the quay", Some("quay")),
        ("The Quay Ltd", Some("quay")),
        ("l'ondée bleue", Some("ondee bleue")),
        ("l'eau-vive", Some("eauvive=<0:eau 1:vive>")),
        ("the", None),
        ("the inc", None),
        ("\"the\" quay", None),
        ("quay the", None),
        ("the-quay", None),
    ] {
        assert_eq!(rest(q).as_deref(), expected, "{q}");
    }
}

#[test]
fn runs_of_single_letters_are_joined() {
    let runs = |q| {
        let runs = TextQuery::parse(q).unwrap().initials().into_iter();
        let shown = runs.map(|(at, word)| format!("{at:?} {}", word.forms.join("|")));
        shown.collect::<Vec<_>>().join(", ")
    };
    for (q, expected) in [
        ("P K Morton", "0..2 pk"),
        ("P.K. Morton", "0..1 pk"),
        ("old P.K. L Morton", "1..3 pkl"),
        ("a b, c d", "0..2 ab, 2..4 cd"),
        ("a b c d e f", ""),
        ("ü k mart", "0..2 uk|uek"),
        ("x 1 y", ""),
        ("a -b c", ""),
        ("a \"b\"", ""),
        ("a/b c", ""),
    ] {
        assert_eq!(runs(q), expected, "{q}");
    }
}

#[test]
fn ranking_words_keep_their_places() {
    let words = |q| show_phrase(&TextQuery::parse(q).unwrap().ranking_words());
    assert_eq!(words("AT&T wireless inc"), "<0:at 1:and 2:t 3:wireless>");
    assert_eq!(words("東京 大学"), "<0:东 1:京 3:大 4:学>");
    assert_eq!(words("\"東京 大学\" x"), "<0:东 1:京 3:大 4:学 6:x>");
    assert_eq!(words("“京” 都"), "<0:京 2:都>");
    assert_eq!(words("-foo"), "<>");
}
