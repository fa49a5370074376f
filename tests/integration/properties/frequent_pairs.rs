//! Words that many businesses hold: two within one industry and wherever, joined in hosts, and with
//! legal forms.
//!
//! Random texts seldom hold the same two words next to each other in the same industry, or in a
//! name; here, few words make all texts.

use super::subject::Subject;
use super::{Pair, companies, input_line, lines, requests::Request};
use crate::collections::{Record, Rng};
use crate::oracle::Oracle;
use firmament::company::{Company, TextList};
use firmament::query::page::Scratch;
use firmament::query::session::ways::Way;

const TEXT_WORDS: [&str; 5] = ["carbon", "delta", "ember", "falcon", "garnet"];
const TWO_INDUSTRIES: [&str; 2] = ["Mining", "Software"];

/// What most of them begin is only in hosts.
const LONGER: [&str; 3] = ["carbonate", "embers", "falconry"];

/// Two of the words written as one.
const JOINED: [&str; 4] = ["carbondelta", "deltaember", "emberfalcon", "garnetcarbon"];

/// Texts of words of [`TEXT_WORDS`].
#[derive(Clone, Copy)]
struct Texts {
    /// What stands between two of them.
    between: &'static [&'static str],
    /// One in so many has no name of such words, and a host of a longer one.
    unnamed: usize,
    /// One in so many has a host of two of them.
    joined: usize,
    /// What names end on, the one or the other.
    forms: &'static [&'static str],
    /// One in so many is of the second industry.
    second: usize,
    /// So many words more describe these, none of [`TEXT_WORDS`].
    longer: usize,
    /// One in so many has aliases of such words.
    aliased: usize,
    /// Most businesses of a collection.
    most: usize,
}

const TEXTS: Texts = Texts {
    between: &[""],
    unnamed: 50,
    joined: usize::MAX,
    forms: &[""],
    second: 2,
    longer: 0,
    aliased: usize::MAX,
    most: 121,
};

impl Texts {
    fn text(&self, rng: &mut Rng, words: usize) -> String {
        let words = (0..words).map(|_| [*rng.pick(self.between), *rng.pick(&TEXT_WORDS)].concat());
        words.collect::<Vec<_>>().join(" ")
    }
}

fn record(texts: Texts, rng: &mut Rng, number: usize) -> Record {
    // Now and then more than are stored pair by pair.
    let words = *rng.pick(&[1, 1, 1, 1, 1, 2, 2, 5, 5]);
    let mut name = [&texts.text(rng, words), *rng.pick(texts.forms)].concat();
    let mut website = None;
    if rng.below(texts.joined) == 0 {
        website = Some(format!("{}.com", rng.pick(&JOINED)));
    }
    if rng.below(texts.unnamed) == 0 {
        name = format!("Nr {number}");
        website = Some(format!("{}{number}.com", rng.pick(&LONGER)));
    }
    let mut aliases = TextList::default();
    if rng.below(texts.aliased) == 0 {
        for _ in 0..rng.within(1, 3) {
            let words = *rng.pick(&[1, 1, 2, 2, 3]);
            let joined = rng.chance(10).then(|| (*rng.pick(&JOINED)).to_owned());
            aliases.push(&joined.unwrap_or_else(|| texts.text(rng, words)));
        }
    }
    let is_second = rng.below(texts.second) == 0;
    let words = rng.within(1, 6);
    let more = " more".repeat(if is_second { texts.longer } else { 0 });
    let company = Company {
        id: format!("b{number}"),
        name,
        website,
        description: Some(texts.text(rng, words) + &more),
        industry: Some(TWO_INDUSTRIES[usize::from(is_second)].to_owned()),
        employee_count: Some(rng.below(9) as u64),
        aliases,
        ..Company::default()
    };
    Record { line: input_line(&company), company }
}

#[test]
fn frequent_pairs_are_ranked_as_the_oracle_does() {
    let least = [(Way::TierBest, 100)];
    compare(TEXTS, two_words, &least);
}

/// Where pages are not full of those who hold the words next to each other, nor of names with both.
#[test]
fn words_apart_are_ranked_as_the_oracle_does() {
    let between = &["", "north ", "south ", "north of ", "south of "];
    compare(Texts { between, unnamed: 2, ..TEXTS }, two_words, &[]);
}

/// Names hold the word, or one that it begins, or both: more of them than are stored, or fewer than
/// a page.
#[test]
fn words_wherever_and_in_an_industry_are_ranked_as_the_oracle_does() {
    let between = &["", "", "", "carbonate ", "embers ", "falconry "];
    let texts = Texts { between, unnamed: 2, ..TEXTS };
    let least = [(Way::StoredPage, 400)];
    compare(texts, one_word, &least);
}

/// All who are best by a word are of the first industry, and pages of the second are behind them.
#[test]
fn words_that_an_industry_shuns_are_ranked_as_the_oracle_does() {
    let texts = Texts { unnamed: 1, second: 3, longer: 40, most: 401, ..TEXTS };
    compare(texts, one_word, &[(Way::ImpactWalk, 200)]);
}

/// Aliases are the words, hold them next to each other or apart, or hold what they begin.
#[test]
fn words_of_aliases_are_ranked_as_the_oracle_does() {
    let between = &["", "", "", "carbonate ", "embers "];
    let texts = Texts { between, unnamed: 2, aliased: 2, ..TEXTS };
    compare(texts, one_word, &[(Way::StoredPage, 400)]);
    compare(texts, two_words, &[]);
    let texts = Texts { between, unnamed: 50, aliased: 4, ..TEXTS };
    compare(texts, |rng| vec![format!("\"{}\"", two_words(rng).join(" "))], &[]);
}

#[test]
fn words_joined_are_ranked_as_the_oracle_does() {
    let texts = Texts { joined: 6, ..TEXTS };
    compare(texts, two_words, &[]);
}

#[test]
fn legal_forms_are_ranked_as_the_oracle_does() {
    let texts = Texts { forms: &["", " Co", " Ltd", " Co Ltd", " Pvt Ltd", " Inc"], ..TEXTS };
    let word_and_form = |rng: &mut Rng| {
        let form = *rng.pick(&["Co", "Ltd", "ltd.", "Pvt"]);
        let word = *rng.pick(&["carbon", "delta", "ember", "Co", "Ltd"]);
        [word, form].map(str::to_owned).into()
    };
    compare(texts, word_and_form, &[]);
    let word_and_forms = |rng: &mut Rng| {
        let forms = *rng.pick(&[["Co", "Ltd"], ["Ltd", "Co"], ["Pvt", "Ltd"], ["Ltd", "Ltd"]]);
        [*rng.pick(&TEXT_WORDS), forms[0], forms[1]].map(str::to_owned).into()
    };
    compare(texts, word_and_forms, &[]);
    let words_and_forms = |rng: &mut Rng| {
        let forms = *rng.pick(&["Co", "Ltd", "Pvt Ltd", "Ltd Co"]);
        let forms = forms.split(' ').map(str::to_owned);
        two_words(rng).into_iter().chain(forms).collect()
    };
    compare(texts, words_and_forms, &[]);
}

/// Names end on compounds, on their parts, and on what these are joined.
#[test]
fn three_words_and_compounds_are_ranked_as_the_oracle_does() {
    let forms =
        &["", " S.r.l", " SRL", " S R L", " R. S. L.", " s-rl", " d.o.o.", " D O O", " del-ta"];
    let texts = Texts { between: &["", "", "", "s.r.l ", "srl "], forms, ..TEXTS };
    let compound = |rng: &mut Rng| {
        vec![(*rng.pick(&["s.r.l", "s/r/l", "s.rl", "d.o.o", "d/oo", "del.ta"])).to_owned()]
    };
    compare(texts, compound, &[]);
    let phrase = |rng: &mut Rng| {
        let words = ["carbon", "delta", "s.r", "r.l", "s", "r", "l", "srl", "d.o", "o"];
        let words: Vec<&str> = (0..rng.within(2, 3)).map(|_| *rng.pick(&words)).collect();
        vec![format!("\"{}\"", words.join(" "))]
    };
    compare(texts, phrase, &[]);
    // Plurals count in descriptions only.
    let texts = Texts { between: &["", "", "", "deltas ", "embers "], ..TEXTS };
    let phrase = |rng: &mut Rng| {
        let words = ["carbon", "delta", "deltas", "ember", "embers"];
        vec![format!("\"{}\"", [(); 3].map(|()| *rng.pick(&words)).join(" "))]
    };
    compare(texts, phrase, &[]);
}

/// Nothing matches all words, so that names are told apart by how much of them the others cover:
/// words that stand twice, stand joined, have several forms, or are akin to the one that is asked
/// for.
#[test]
fn words_beside_an_unknown_one_are_ranked_as_when_all_are_looked_at() {
    let between = &["", "", "", "north ", "del-ta ", "delta-", "deltaic ", "größe ", "groesse "];
    let texts = Texts { between, forms: &["", " Ltd", " S.R.L."], ..TEXTS };
    let words = |rng: &mut Rng| {
        let known = ["carbon", "delta", "deltaic", "größe", "north", "del-ta", "srl", "deltas"];
        let mut words: Vec<&str> = (0..rng.within(1, 2)).map(|_| *rng.pick(&known)).collect();
        words.insert(rng.below(words.len() + 1), *rng.pick(&["zzyzx", "qqqqq"]));
        words.into_iter().map(str::to_owned).collect()
    };
    compare(texts, words, &[(Way::Relaxed, 200)]);
}

fn one_word(rng: &mut Rng) -> Vec<String> {
    vec![(*rng.pick(&TEXT_WORDS)).to_owned()]
}

fn two_words(rng: &mut Rng) -> Vec<String> {
    [*rng.pick(&TEXT_WORDS), *rng.pick(&TEXT_WORDS)].map(str::to_owned).into()
}

/// Compares answers to such a `q` over collections of `texts`, of which so many at least are to be
/// by these ways.
fn compare(texts: Texts, q: impl Fn(&mut Rng) -> Vec<String>, least: &[(Way, u64)]) {
    let mut scratch = Scratch::default();
    let mut taken = vec![0; least.len()];
    for collection in 0..24 {
        let mut rng = Rng::new(7, collection);
        // Of odd length, so that all is stored, and all ways are taken.
        let len = 2 * rng.within(5, texts.most / 2) + 1;
        let records: Vec<Record> = (0..len).map(|number| record(texts, &mut rng, number)).collect();
        let oracle = Oracle::new(companies(&records));
        let subject = Subject::publish(&companies(&records), &lines(&records));
        for number in 0..60 {
            let q = q(&mut rng);
            let num_industries = rng.below(2);
            let industries = TWO_INDUSTRIES.map(str::to_owned);
            let industries =
                industries[rng.below(2)..].iter().take(num_industries).cloned().collect();
            let limit = rng.within(1, 5) as u32;
            let request = Request { q, industries, limit, ..Request::default() };
            let rng = Rng::new(collection, number);
            let checked =
                Pair::new(&oracle, &subject, &records, &request, rng, &mut scratch).check();
            assert_eq!(checked, Ok(()), "collection {collection}: {request}");
        }
        for (taken, (way, _)) in taken.iter_mut().zip(least) {
            *taken += subject.ways_taken()[*way as usize];
        }
    }
    for (taken, (way, least)) in taken.into_iter().zip(least) {
        assert!(taken >= *least, "only {taken} answers by {way:?}");
    }
}

/// Checks what is answered to each `q` over a few companies; pages are of sizes that the number
/// beside it draws.
fn check_answers(
    all: impl Iterator<Item = Company>,
    asked: impl IntoIterator<Item = (&'static str, u64)>,
) {
    let record = |company| Record { line: input_line(&company), company };
    let records: Vec<Record> = all.map(record).collect();
    let oracle = Oracle::new(companies(&records));
    let subject = Subject::publish(&companies(&records), &lines(&records));
    let mut scratch = Scratch::default();
    for (q, sizes) in asked {
        let q = q.split(' ').map(str::to_owned).collect();
        let request = Request { q, limit: 3, ..Request::default() };
        let rng = Rng::new(sizes, 1);
        let checked = Pair::new(&oracle, &subject, &records, &request, rng, &mut scratch).check();
        assert_eq!(checked, Ok(()), "{request}, sizes {sizes}");
    }
}

#[test]
fn a_walk_back_from_a_phrase_meets_names_before_hosts() {
    let company = |number: u64| Company {
        id: format!("h{number}"),
        name: if number % 4 == 1 { "pay-pal.com Inc".to_owned() } else { format!("Nr {number}") },
        website: number.is_multiple_of(4).then(|| "pay-pal.com".to_owned()),
        description: (number % 4 >= 2).then(|| "formerly pay-pal.com".to_owned()),
        employee_count: Some(number),
        ..Company::default()
    };
    // Of many sizes, so that some pages begin at the first of those whose description holds it.
    check_answers((0..13).map(company), (0..20).map(|sizes| ("pay-pal.com", sizes)));
}

#[test]
fn a_form_that_stands_nowhere_may_be_of_a_plural() {
    // Nobody holds `voegel`, which `vögel` is too, but some hold its plural, and `vogel` is no form
    // of that.
    let company = |number: u64| {
        let bird = if number.is_multiple_of(3) { "voegels" } else { "vogel" };
        Company {
            id: format!("b{number}"),
            name: format!("Nr {number}"),
            description: Some(format!("{bird} of carbon{}", " more".repeat(number as usize % 4))),
            employee_count: Some(number),
            ..Company::default()
        }
    };
    // Of odd length, so that all ways are taken.
    check_answers(
        (0..41).map(company),
        ["vögel carbon", "carbon vögel", "\"vögel\" carbon", "vögel"].map(|q| (q, 1)),
    );
}

#[test]
fn words_held_as_one_count_where_impacts_tell_the_others() {
    // Nothing matches all words. Most hold `red` only, which impacts tell; some of these also hold
    // the next two as one, for which they are no hits, as they would be if their host held it, but
    // which counts for the order.
    let company = |number: u64| {
        let more = " more".repeat(number as usize % 5);
        let held = match number % 8 {
            0 => format!("red foxtail{more}"),
            1 => "fox".to_owned(),
            2 => "tail".to_owned(),
            3 => "blue".to_owned(),
            _ => format!("red{more}"),
        };
        Company {
            id: format!("f{number}"),
            name: format!("Nr {number}"),
            website: (number % 8 == 3).then(|| "foxtail.com".to_owned()),
            description: Some(held),
            employee_count: Some(number),
            ..Company::default()
        }
    };
    check_answers((0..41).map(company), (0..8).map(|sizes| ("red zzyzx fox tail", sizes)));
}
