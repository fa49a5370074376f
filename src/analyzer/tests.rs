//! What becomes of texts, as a table.

use super::*;
use proptest::prelude::*;

/// `position:form` of every entry, joined forms as `position+parts:form`.
fn entries(field: TextField, text: &str) -> String {
    let analysis = Analysis::of(text);
    let mut out = Vec::new();
    analysis.for_each_entry(field, |entry| {
        out.push(match entry.role {
            Role::Word | Role::Alternative => format!("{}:{}", entry.position, entry.text),
            Role::Joined { parts } => format!("{}+{parts}:{}", entry.position, entry.text),
        });
    });
    out.join(" ")
}

#[test]
fn names_become_words() {
    for (text, expected) in [
        ("Apple Inc.", "0:apple 1:inc"),
        ("O'Reilly Media", "0:oreilly 1:media"),
        ("O’Reilly", "0:oreilly"),
        ("rock 'n' roll", "0:rock 1:n 2:roll"),
        ("AT&T", "0:at 1:and 2:t 0+3:att"),
        ("U.K. Steel", "0:u 1:k 0+2:uk 2:steel"),
        ("Hewlett-Packard Co", "0:hewlett 1:packard 0+2:hewlettpackard 2:co"),
        ("Johnson & Johnson", "0:johnson 1:and 2:johnson"),
        ("& Sons &", "0:and 1:sons 2:and"),
        ("Fox& Hare &Co && (&)", "0:fox 1:and 2:hare 3:and 4:co 5:and 6:and"),
        ("Fox ＆ Hare", "0:fox 1:and 2:hare"),
        ("L’Orme", "0:l 1:orme 0+2:lorme"),
        ("Val d´Or-Sud", "0:val 1:d 2:or 3:sud 1+3:dorsud"),
        ("Bar dell`Olmo", "0:bar 1:dell 2:olmo 1+2:dellolmo"),
        ("Jusqu'ici D'", "0:jusqu 1:ici 0+2:jusquici 2:d"),
        ("A B C Roofing", "0:a 1:b 2:c 0+3:abc 3:roofing"),
        ("P. K. Hart", "0:p 1:k 0+2:pk 2:hart"),
        ("P.K. L Hart", "0:p 1:k 0+2:pk 2:l 0+3:pkl 3:hart"),
        ("A B C D E F", "0:a 1:b 2:c 3:d 4:e 5:f"),
        ("A, B", "0:a 1:b"),
        ("ดาวเหนือ", "0:ด 1:า 2:ว 3:เ 4:ห 5:นื 6:อ"),
        ("ບໍລິສັດ ABC", "0:ບໍ 1:ລິ 2:ສັ 3:ດ 5:abc"),
        ("ផ្កាយ", "0:ផ្ 1:កា 2:យ"),
        ("ကြယ်", "0:ကြ 1:ယ်"),
        ("شركة كريم", "0:شركه 1:كريم"),
        ("کارخانه‌ی ایران", "0:كارخانهي 1:ايران"),
        ("محـــمد على", "0:محمد 1:علي"),
        ("臺灣證券", "0:台 1:湾 2:证 3:券"),
        ("foo--bar", "0:foo 1:bar"),
        ("C++", "0:c"),
        ("24/7 Media", "0:24 1:7 0+2:247 2:media"),
        ("Böhme", "0:bohme 0:boehme"),
        (
            "Müller-Lüdenscheidt",
            "0:muller 0:mueller 1:ludenscheidt 1:luedenscheidt 0+2:mullerludenscheidt 0+2:muellerluedenscheidt",
        ),
        ("Straße Ærø Łódź Þór Đà", "0:strasse 1:aero 2:lodz 3:thor 4:da"),
        ("İstanbul ılık", "0:istanbul 1:ilik"),
        ("Foo™Bar®", "0:foo 1:bar"),
        ("ＦＵＬＬ ｗｉｄｔｈ", "0:full 1:width"),
        ("soft\u{ad}hyphen non\u{2011}breaking", "0:softhyphen 1:non 2:breaking 1+2:nonbreaking"),
        ("東京都 Tokyo", "0:东 1:京 2:都 4:tokyo"),
        ("株式会社ECI", "0:株 1:式 2:会 3:社 5:eci"),
        ("ソニー々ｶﾞ", "0:ソ 1:ニ 2:ー 3:々 4:ガ"),
        ("삼성전자", "0:삼 1:성 2:전 3:자"),
        ("Йогурт ёлка", "0:иогурт 1:елка"),
        ("हिन्दी", "0:हिन्दी"),
        ("¡¿!!!", ""),
        ("#NAME?", "0:name"),
        ("☎\u{fe0f} A\u{fe0f}B", "0:ab"),
    ] {
        assert_eq!(entries(TextField::Name, text), expected, "{text}");
    }
}

#[test]
fn prose_joins_only_unmistakable_compounds() {
    for (text, expected) in [
        ("e-commerce", "0:e 1:commerce 0+2:ecommerce"),
        ("R&D", "0:r 1:and 2:d 0+3:rd"),
        ("l'énergie", "0:l 1:energie"),
        ("A B testing", "0:a 1:b 2:testing"),
        ("U.S.A.", "0:u 1:s 2:a 0+3:usa"),
        ("and/or", "0:and 1:or"),
        ("end.Next", "0:end 1:next"),
        ("a.b-c.de", "0:a 1:b 2:c 3:de"),
    ] {
        assert_eq!(entries(TextField::Description, text), expected, "{text}");
    }
    assert_eq!(entries(TextField::Name, "and/or"), "0:and 1:or 0+2:andor");
}

#[test]
fn long_chains_are_plain_words() {
    let eight = "a-b-c-d-e-f-g-h";
    assert!(entries(TextField::Name, eight).ends_with("0+8:abcdefgh"));
    assert_eq!(
        entries(TextField::Name, &format!("{eight}-i")),
        "0:a 1:b 2:c 3:d 4:e 5:f 6:g 7:h 8:i"
    );
    let long = format!("{}-{}", "x".repeat(32), "y".repeat(32));
    assert!(entries(TextField::Name, &long).contains("0+2:"));
    assert!(!entries(TextField::Name, &format!("{long}y")).contains("0+2:"));
    assert_eq!(Analysis::of(&"a-".repeat(1000)).units().len(), 1000);
}

#[test]
fn hosts_become_words() {
    let words = |website: &str| {
        let mut analysis = Analysis::default();
        analysis.analyze_host(website);
        let mut out = Vec::new();
        analysis.for_each_entry(TextField::Host, |entry| out.push(entry.text.to_owned()));
        out.join(" ")
    };
    assert_eq!(words("https://www.ikeafoundation.org/x"), "ikeafoundation");
    assert_eq!(words("tima.univ-grenoble-alpes.fr"), "tima univ grenoble alpes univgrenoblealpes");
    assert_eq!(words("nothing here"), "");
}

#[test]
fn names_without_forms_and_articles() {
    for (text, core) in [
        ("Apple Inc.", "apple"),
        ("China Vanke Co., Ltd.", "china vanke"),
        ("Enel S.p.A.", "enel"),
        ("Enel SpA", "enel spa"),
        ("Foo Co.Ltd", "foo"),
        ("Volvo AB", "volvo ab"),
        ("Volvo A.B.", "volvo"),
        ("Volvo A/B", "volvo"),
        ("Inc Ltd", "inc ltd"),
        ("Company of Friends", "company of friends"),
        ("", ""),
        ("PT Sumber Air Tbk", "sumber air"),
        ("Sumber Air PT", "sumber air"),
        ("ООО Ромашка", "ромашка"),
        ("Brio Sp. z o.o.", "brio"),
        ("Brio Sp. z o. o.", "brio"),
        ("Brio s.r.o.", "brio"),
        ("Brio, S.A. de C.V.", "brio"),
        ("Brio GmbH & Co. KG", "brio"),
        ("Brio & Co. KG", "brio and"),
        ("Brio Sdn Bhd", "brio"),
        ("Brio Ltd. Şti.", "brio"),
        ("Brio UG (haftungsbeschränkt)", "brio"),
        ("株式会社青葉", "青 叶"),
        ("青葉有限責任公司", "青 叶"),
        ("青葉股份有限公司", "青 叶"),
        ("(주)새봄", "새 봄"),
        ("㈜새봄", "새 봄"),
        ("새봄 주식회사", "새 봄"),
        ("주새봄", "주 새 봄"),
        ("株式会社", "株 式 会 社"),
        ("有限公司 Ltd", "有 限 公 司 ltd"),
        ("บริษัทดาวจำกัด", "ด า ว"),
        ("The Quay Company", "+the quay"),
        ("The Company", "the"),
        ("The", "the"),
        ("L'Orme S.A.", "+l orme"),
        ("D'Orme-Sud", "+d orme sud"),
        ("PT The Quay", "+the quay"),
        ("Quay The", "quay the"),
    ] {
        let analysis = Analysis::of(text);
        let name = analysis.name_core();
        let mut words = Vec::new();
        analysis.for_each_entry(TextField::Name, |entry| {
            if entry.role == Role::Word && (name.start..name.end).contains(&entry.position) {
                words.push(entry.text.to_owned());
            }
        });
        let article = if name.has_article { "+" } else { "" };
        assert_eq!(article.to_owned() + &words.join(" "), core, "{text}");
    }
}

#[test]
fn filter_values_fold() {
    assert_eq!(fold_filter("  Oil,  Gas &  Mining "), ["oil,gas and mining"]);
    assert_eq!(fold_filter("R&D"), ["r and d"]);
    assert_eq!(fold_filter("Zürich"), ["zurich", "zuerich"]);
    assert_eq!(fold_filter(", ,"), [""]);
    assert_eq!(fold_filter("Non-profit St. Women’s"), ["non profit st womens"]);
}

proptest! {
    #[test]
    fn filter_values_are_words_between_commas(text in "[abäß& ,.'\\-\t\u{3000}]{0,14}") {
        let folded = fold_text(&text).replace('&', " and ").replace('-', " ").replace(['.', '\''], "");
        let words = |piece: &str| piece.split_whitespace().collect::<Vec<_>>().join(" ");
        let pieces: Vec<String> = folded.split(',').map(words).filter(|it| !it.is_empty()).collect();
        let value = pieces.join(",");
        let mut expected = vec![value.replace('ä', "a"), value.replace('ä', "ae")];
        expected.dedup();
        prop_assert_eq!(fold_filter(&text), expected);
    }

    #[test]
    fn folding_is_idempotent(text in any::<String>()) {
        let once = fold_text(&text);
        prop_assert_eq!(&fold_text(&once), &once);
    }

    #[test]
    fn words_of_the_folded_text_are_the_words(text in any::<String>()) {
        let folded = fold_text(&text);
        prop_assert_eq!(entries(TextField::Name, &text), entries(TextField::Name, &folded));
    }

    #[test]
    fn spans_lie_in_order_within_the_folded_text(text in "[a-zA-Zäß東ー '&./*\"-]{0,80}") {
        let analysis = Analysis::of(&text);
        let mut end = 0;
        for unit in analysis.units() {
            prop_assert!(unit.span.start >= end && unit.span.end > unit.span.start);
            prop_assert!(analysis.folded().get(unit.span.clone()).is_some());
            end = unit.span.end;
        }
    }
}

proptest! {
    #[test]
    fn ascii_is_taken_apart_as_any_other_text(
        text in "([a-c]{0,2}[-./&' ,a\t]{0,2}){0,12}|[ -~]{0,40}|([a-z]{20}[-.]){3,9}",
    ) {
        let fast = Analysis::of(&text);
        let mut slow = Analysis::of(&text);
        slow.is_ascii = false;
        slow.scan_units();
        for field in TextField::ALL {
            let entries = |analysis: &Analysis| {
                let mut entries = Vec::new();
                analysis.for_each_entry(field, |entry| {
                    entries.push((entry.position, entry.text.to_owned(), entry.role));
                });
                entries
            };
            prop_assert_eq!(entries(&fast), entries(&slow));
        }
        let spans = |analysis: &Analysis| -> Vec<_> {
            analysis.units.iter().map(|unit| (unit.kind, unit.span.clone())).collect()
        };
        prop_assert_eq!(spans(&fast), spans(&slow));
    }
}

#[test]
fn classes_of_ascii_are_those_of_characters() {
    for byte in 0..128u8 {
        let expected = match char::from(byte) {
            c if c.is_ascii_alphanumeric() => Class::Letter,
            '-' | '.' | '/' => Class::Joiner,
            '&' => Class::Ampersand,
            '\'' | '`' => Class::Apostrophe,
            c if c.is_whitespace() => Class::Space,
            _ => Class::Sign,
        };
        assert_eq!(fold::class_of_ascii(byte), expected, "{byte}");
    }
}
