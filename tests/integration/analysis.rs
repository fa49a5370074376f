//! The analyzer on texts of every kind: what a name is indexed by is what a query for it asks for.
//!
//! 100,000 texts are put together from words of many scripts, umlauts, apostrophes, compounds, long
//! chains, CJK characters with marks, emoji, direction marks, combining marks, legal forms, hosts,
//! signs, and characters from anywhere. Each is a name, and each is a query: in quotes, as it is,
//! and unit by unit; everything that such a query asks for must stand in the name, form by form and
//! place by place. A failure shows the text.
//!
//! Long texts of shapes that nobody writes are analyzed too, and give as many entries as they
//! should.

use crate::collections::Rng;
use firmament::analyzer::{Analysis, Role, TextField, UnitKind, fold_filter, fold_text};
use firmament::limits::{FIELD_BYTES_MAX, QUERY_CHARS_MAX};
use firmament::places;
use firmament::places::{PlaceFilter, PlaceKey};
use firmament::query::QueryTooLong;
use firmament::query::text::TextQuery;
use firmament::query::text::{Phrase, QueryWord, Term};

const TEXTS: u64 = 100_000;
const SEED: u64 = 20_260_103;

/// Words and signs, by kind. Every kind is drawn equally often.
#[rustfmt::skip]
const PIECES: [&[&str]; 16] = [
    &["Apple", "foundry", "NORTH", "i", "x", "Ｆｕｌｌ", "ﬁnance", "Straße", "Ærø", "Łódź", "ſport"],
    &["Böhme", "MÜLLER", "u\u{308}ber", "ä", "Zu\u{308}\u{301}rich", "Ǖ", "Noël", "ö\u{323}l", "ÄÖÜ"],
    &["O'Reilly", "L’Oréal", "'n'", "d''or", "ʼa", "rock'", "Ma'at's", "о'б", "שלום'ס", "'"],
    &["AT&T", "U.K.", "Hewlett-Packard", "24/7", "e-müller", "S.p.A.", "a.b-c/d&e", "R&D", "and/or"],
    &["a-b-c-d-e-f-g-h", "a-b-c-d-e-f-g-h-i", "1.2.3.4.5.6.7.8.9.10", "ä/ö/ü/ä/ö/ü/ä/ö", "x--y", "a.-b"],
    &["東京", "株式会社", "ソニー", "々", "か\u{3099}", "ｶﾞｷﾞ", "カ\u{309a}ー", "삼성", "한", "ㄅㄆ", "가각"],
    &["👍🏽", "👩\u{200d}🚀", "🇩🇪", "1\u{fe0f}\u{20e3}", "☎\u{fe0f}", "🅰", "Ⓐ", "①", "Ⅷ", "½", "²"],
    &["\u{202e}abc\u{202c}", "a\u{200f}b", "\u{2067}אב\u{2069}", "soft\u{ad}ware", "\u{feff}x", "a\u{200d}b"],
    &["e\u{301}\u{302}\u{303}", "\u{301}", "ก\u{e34}", "हिन्दी", "a\u{20dd}", "&\u{308}", "\u{345}α", "=\u{338}"],
    &["Inc", "GmbH", "Co.", "Ltd.", "Co.Ltd", "S.A.", "A/S", "AB", "oyj", "Inc*", "(Pty)"],
    &["!", "&", "®", "Foo™", "+", "C++", "#", "_", "(", ")", ":", "*", "€", "™", "\0"],
    &["ikea.com", "http://www.a-b.co.uk/x?y", "x@b.de", "-a.com", "bücher.de.", "x@-.com", "_.com", "東京.jp", "🅰.com"],
    &["\"", "“", "”", "„", "-\"", "\"\"", "-“a", "‟", "＂", "«"],
    &["-foo", "--x", "- ", "foo*", "ab*", "-a-b", "-東", "NOT", "OR", "‑a"],
    &["Йогурт", "ёлка", "ΟΔΟΣ", "ΐ", "שָׁלוֹם", "مُحَمَّد", "\u{fdfa}", "ไทย", "தமிழ்", "ქართული", "İıIi", "ᾳ"],
    &[",", ";", "...", "/", "·", "—", "\u{2011}", "\u{2010}", "\t", "\u{3000}", "\u{a0}", "\u{2028}"],
];

/// What stands between two pieces, mostly a space.
const GAPS: [&str; 12] = [" ", " ", " ", " ", " ", "", "", "-", "&", ".", " & ", "'"];

/// Letters from which words are made, from first to last.
///
/// The last two are letters to the analyzer alone, and to `char` alone.
const ALPHABETS: [(u32, u32); 14] = [
    (0x61, 0x7a),
    (0xc0, 0x17f),
    (0x300, 0x345),
    (0x370, 0x3ff),
    (0x400, 0x45f),
    (0x590, 0x6ff),
    (0x900, 0x97f),
    (0x1100, 0x11ff),
    (0x1e00, 0x1fff),
    (0x2000, 0x206f),
    (0x3040, 0x30ff),
    (0xf900, 0xffef),
    (0x3_d000, 0x3_fc3f),
    (0x1_f130, 0x1_f189),
];

/// Texts on which something has failed before.
const ONCE_FAILED: [&str; 4] = [
    // A letter that `char` does not know yet, before what looks like a host without it.
    "東\u{3f8fe}ڼ.aero",
    // Hosts whose labels have no word: they asked for nothing, and so matched everything.
    "x@-.com",
    "-x@-.com",
    "x@_.co.uk",
];

/// A text of up to eight pieces.
fn random_text(rng: &mut Rng) -> String {
    let mut text = String::new();
    for number in 0..rng.within(1, 8) {
        if number > 0 {
            text.push_str(rng.pick::<&str>(&GAPS));
        }
        match rng.below(20) {
            0 => text.extend((0..rng.within(1, 4)).map(|_| any_char(rng, 0, 0x10_ffff))),
            1..4 => {
                let (first, last) = *rng.pick(&ALPHABETS);
                text.extend((0..rng.within(1, 6)).map(|_| any_char(rng, first, last)));
            }
            4 => {
                let part = *rng.pick(&["a", "1", "ä", "東", "word", "é"]);
                let joiner = *rng.pick(&["-", ".", "/", "&"]);
                text.push_str(&vec![part; rng.within(2, 20)].join(joiner));
            }
            _ => {
                let kind = *rng.pick(&PIECES);
                text.push_str(rng.pick::<&str>(kind));
            }
        }
    }
    text
}

fn any_char(rng: &mut Rng, first: u32, last: u32) -> char {
    let offset = rng.below((last - first + 1) as usize) as u32;
    char::from_u32(first + offset).unwrap_or('\u{fffd}')
}

/// What a name is indexed by.
#[derive(Default)]
struct Name {
    /// The words: position and forms.
    words: Vec<(u32, QueryWord)>,
    /// The compounds: position of the first part, number of parts, and forms.
    joined: Vec<(u32, u32, QueryWord)>,
}

impl Name {
    fn new(analysis: &Analysis) -> Name {
        let mut name = Name::default();
        analysis.for_each_entry(TextField::Name, |entry| {
            let form = entry.text.to_owned();
            let new = QueryWord::of_form(form.clone());
            match entry.role {
                Role::Word => name.words.push((entry.position, new)),
                Role::Alternative => {
                    let (position, word) = name.words.last_mut().expect("a word before");
                    assert_eq!(*position, entry.position);
                    word.extend([form]);
                }
                Role::Joined { parts } => match name.joined.last_mut() {
                    Some((first, joins, joined)) if (*first, *joins) == (entry.position, parts) => {
                        joined.extend([form]);
                    }
                    _ => name.joined.push((entry.position, parts, new)),
                },
            }
        });
        name
    }

    /// Where the phrase stands, all forms equal: the positions of its first word.
    fn places(&self, phrase: &Phrase) -> impl Iterator<Item = u32> {
        let (at, first) = phrase.words.first().expect("a phrase has words");
        let is_there = move |start: u32| {
            phrase.words.iter().all(|(offset, word)| {
                let position = start + (offset - at);
                let found = self.words.binary_search_by_key(&position, |(position, _)| *position);
                found.is_ok_and(|found| self.words[found].1 == *word)
            })
        };
        let starts = self.words.iter().filter(move |(_, word)| word == first);
        starts.map(|(position, _)| *position).filter(move |&start| is_there(start))
    }

    /// Does the name hold a term: a word, a run, a compound with its joined form, a host by its
    /// labels?
    fn holds(&self, term: &Term) -> bool {
        match term {
            Term::Word(word) => self.words.iter().any(|(_, held)| held == word),
            Term::Phrase(phrase) => self.places(phrase).next().is_some(),
            Term::Compound { joined, parts } => self.places(parts).any(|start| {
                let compound = (start, parts.words.len() as u32, joined.clone());
                self.joined.contains(&compound)
            }),
            Term::Host { labels, .. } => {
                // In the name the whole host is the compound.
                let holds_label = |label: &Term| match label {
                    Term::Compound { parts, .. } => self.places(parts).next().is_some(),
                    label => self.holds(label),
                };
                !labels.is_empty() && labels.iter().all(holds_label)
            }
        }
    }
}

/// How often what was compared.
#[derive(Default, Debug)]
struct Seen {
    texts: u64,
    uncut: u64,
    words: u64,
    umlauts: u64,
    ands: u64,
    compounds: u64,
    runs: u64,
    hosts: u64,
    phrases: u64,
    excluded: u64,
}

/// Compares a text as a name with the same text as a query; a longer one in pieces that a query can
/// hold.
fn compare(text: &str, seen: &mut Seen) {
    let quoted = format!("\"{text}\"");
    let (Ok(as_it_is), Ok(quoted)) = (TextQuery::parse(text), TextQuery::parse(&quoted)) else {
        let middle = text.len() / 2;
        let gaps = text.char_indices().filter(|(_, c)| c.is_whitespace());
        match gaps.min_by_key(|(at, _)| at.abs_diff(middle)) {
            Some((at, gap)) => {
                compare(&text[..at], seen);
                compare(&text[at + gap.len_utf8()..], seen);
            }
            None => seen.uncut += 1,
        }
        return;
    };
    seen.texts += 1;
    let analysis = Analysis::of(text);
    let folded = analysis.folded();
    assert_eq!(fold_text(folded), folded, "folded twice: {text:?}");
    let name = Name::new(&analysis);
    let holds = |term: &Term| assert!(name.holds(term), "{text:?} does not hold {term:?}");

    for query in [&as_it_is, &quoted] {
        query.clauses().iter().for_each(|clause| holds(&clause.term));
        query.excluded().iter().for_each(holds);
        seen.excluded += query.excluded().len() as u64;
    }
    // Without further quotes all of it is one phrase.
    if !folded.contains(['"', '“', '”', '„', '‟']) {
        seen.phrases += 1;
        let phrases = quoted.clauses().iter().map(|clause| &clause.term);
        let first = name.words.first().map_or(0, |(position, _)| *position);
        let all: Vec<(u32, QueryWord)> =
            name.words.iter().map(|(position, word)| (position - first, word.clone())).collect();
        match phrases.collect::<Vec<_>>()[..] {
            [] => assert!(all.is_empty(), "{text:?}"),
            [Term::Phrase(phrase)] => assert_eq!(phrase.words, all, "{text:?}"),
            [Term::Word(word)] => assert_eq!([(0, word.clone())].as_slice(), all, "{text:?}"),
            ref other => panic!("{text:?} in quotes is {other:?}"),
        }
    }
    for unit in analysis.units() {
        let alone = &folded[unit.span.clone()];
        let query = TextQuery::parse(alone).expect("less than a text that fits");
        assert!(query.excluded().is_empty(), "{text:?} {alone:?}");
        // A run may have legal forms at its ends.
        let clause = match query.clauses() {
            [clause] => clause,
            [clause, forms @ ..] if unit.kind == UnitKind::Run => {
                assert!(forms.iter().all(|form| form.is_legal_form), "{text:?} {alone:?}");
                forms.iter().for_each(|form| holds(&form.term));
                clause
            }
            _ => panic!("{text:?} {alone:?} is {query:?}"),
        };
        holds(&clause.term);
        match (&clause.term, unit.kind) {
            (Term::Word(word), UnitKind::Word) => {
                seen.words += 1;
                seen.umlauts += u64::from(word.forms.len() > 1);
            }
            (Term::Word(_), UnitKind::And) => seen.ands += 1,
            (Term::Compound { .. }, UnitKind::Compound) => seen.compounds += 1,
            (Term::Phrase(_), UnitKind::Run) => seen.runs += 1,
            (Term::Host { .. }, UnitKind::Compound) => seen.hosts += 1,
            (term, kind) => panic!("{text:?} {alone:?} is a {kind:?} and asks for {term:?}"),
        }
    }
}

#[test]
fn a_name_holds_what_a_query_for_it_asks() {
    let mut seen = Seen::default();
    ONCE_FAILED.into_iter().for_each(|text| compare(text, &mut seen));
    for number in 0..TEXTS {
        let text = random_text(&mut Rng::new(SEED, number));
        compare(&text, &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.texts >= TEXTS - seen.uncut && seen.uncut < TEXTS / 20);
    let kinds = [seen.words, seen.umlauts, seen.ands, seen.compounds, seen.runs, seen.hosts];
    assert!(kinds.iter().chain([&seen.phrases, &seen.excluded]).all(|&count| count > TEXTS / 100));
}

/// `piece` as often as it fits into the longest field.
fn filled(piece: &str) -> String {
    piece.repeat(FIELD_BYTES_MAX / piece.len())
}

/// Number of entries and of positions with a word, and the longest entry in characters.
fn measure(text: &str) -> (usize, usize, usize) {
    let (mut entries, mut words, mut longest) = (0, 0, 0);
    Analysis::of(text).for_each_entry(TextField::Name, |entry| {
        entries += 1;
        words += usize::from(entry.role == Role::Word);
        longest = longest.max(entry.text.chars().count());
    });
    (entries, words, longest)
}

#[test]
fn long_texts_of_odd_shapes_give_the_entries_they_should() {
    let half = FIELD_BYTES_MAX / 2;
    let marks = 10_000;
    for (text, expected) in [
        (filled("-"), (0, 0, 0)),
        (filled("-./&"), (half / 2, half / 2, 3)),
        (filled("'"), (0, 0, 0)),
        (filled("\""), (0, 0, 0)),
        (filled("“"), (0, 0, 0)),
        (filled("\u{301}"), (0, 0, 0)),
        (filled("\u{200d}"), (0, 0, 0)),
        (filled("a"), (1, 1, 2 * half)),
        (filled("a'"), (1, 1, half)),
        (filled("ß"), (1, 1, 2 * half)),
        (filled("ä"), (2, 1, 2 * half)),
        (filled("a "), (half, half, 1)),
        (filled("& "), (half, half, 3)),
        (filled("a-"), (half, half, 1)),
        (filled("a.b/"), (half, half, 1)),
        (filled("a-b "), (half / 2 * 3, half, 2)),
        // Eight parts of two forms each, and both joined forms.
        (filled("ä-ä-ä-ä-ä-ä-ä-ä "), (half / 12 * 18, half / 12 * 8, 16)),
        (filled("東"), (2 * half / 3, 2 * half / 3, 1)),
        (filled("東a"), (half, half, 1)),
        (filled("東-"), (half / 2, half / 2, 1)),
        // A greeting of four words, the last and the next first of which meet.
        (filled("\u{fdfa}"), (2 * half / 3 * 3 + 1, 2 * half / 3 * 3 + 1, 7)),
        // Of a kilometre, six characters of kana: the most words that three bytes hold.
        (filled("㌖"), (2 * half / 3 * 6, 2 * half / 3 * 6, 1)),
        (format!("a{}", "\u{301}".repeat(marks)), (1, 1, 1)),
        (format!("a{}b", "\u{301}\u{323}".repeat(marks / 2)), (1, 1, 2)),
        (format!("क{}", "\u{93c}\u{951}".repeat(marks / 2)), (1, 1, marks + 1)),
        (format!("東{}", "\u{301}".repeat(marks)), (1, 1, marks + 1)),
    ] {
        let shape: String = text.chars().take(16).collect();
        assert_eq!(measure(&text), expected, "{shape:?}");
        let folded = fold_text(&text);
        assert_eq!(fold_text(&folded), folded, "{shape:?}");
        assert!((1..=2).contains(&fold_filter(&text).len()), "{shape:?}");
        assert!(places::parse(&text, &|_: &PlaceKey| false) != PlaceFilter::Blank, "{shape:?}");

        let chars = text.chars().count();
        assert_eq!(TextQuery::parse(&text), Err(QueryTooLong::Chars(chars)), "{shape:?}");
        let start: String = text.chars().take(QUERY_CHARS_MAX).collect();
        match TextQuery::parse(&start) {
            Ok(query) => assert_eq!(query.is_wordless(), expected.1 == 0, "{shape:?}"),
            Err(error) => assert!(matches!(error, QueryTooLong::Words(_)), "{shape:?} {error}"),
        }
    }
}
