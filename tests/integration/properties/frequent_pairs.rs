//! Two words that many businesses hold, within one industry and wherever.
//!
//! Random texts seldom hold the same two words next to each other in the same industry, or in a name; here, few words make
//! all texts.

use super::subject::Subject;
use super::{Pair, companies, lines, rendered, requests::Request};
use crate::collections::{Record, Rng};
use crate::oracle::Oracle;
use firmament::company::Company;
use firmament::query::{Scratch, Shortcut};

const TEXT_WORDS: [&str; 5] = ["carbon", "delta", "ember", "falcon", "garnet"];
const TWO_INDUSTRIES: [&str; 2] = ["Mining", "Software"];

fn text(rng: &mut Rng, words: usize) -> String {
    let words: Vec<&str> = (0..words).map(|_| *rng.pick(&TEXT_WORDS)).collect();
    words.join(" ")
}

fn record(rng: &mut Rng, number: usize) -> Record {
    // Now and then more than are stored pair by pair.
    let words = *rng.pick(&[1, 1, 1, 1, 1, 2, 2, 5, 5]);
    let name = text(rng, words);
    let words = rng.within(1, 6);
    let company = Company {
        id: format!("b{number}"),
        name,
        description: Some(text(rng, words)),
        industry: Some((*rng.pick(&TWO_INDUSTRIES)).to_owned()),
        employee_count: Some(rng.below(9) as u64),
        ..Company::default()
    };
    Record { line: rendered(&company), company }
}

#[test]
fn frequent_pairs_are_ranked_as_the_oracle_does() {
    let mut scratch = Scratch::default();
    let shortcuts = [Shortcut::BestOfPhraseInIndustry, Shortcut::BestOfNames];
    let mut taken = [0; 2];
    for collection in 0..24 {
        let mut rng = Rng::new(7, collection);
        // Of odd length, so that all is stored, and all shortcuts are taken.
        let len = 2 * rng.within(5, 60) + 1;
        let records: Vec<Record> = (0..len).map(|number| record(&mut rng, number)).collect();
        let oracle = Oracle::new(companies(&records));
        let subject = Subject::publish(&companies(&records), &lines(&records));
        for number in 0..40 {
            let q = vec![(*rng.pick(&TEXT_WORDS)).to_owned(), (*rng.pick(&TEXT_WORDS)).to_owned()];
            let num_industries = rng.below(2);
            let industries = TWO_INDUSTRIES.map(str::to_owned);
            let industries =
                industries[rng.below(2)..].iter().take(num_industries).cloned().collect();
            let limit = rng.within(1, 2) as u32;
            let request = Request { q, industries, limit, ..Request::default() };
            let rng = Rng::new(collection, number);
            let checked =
                Pair::new(&oracle, &subject, &records, &request, rng, &mut scratch).check();
            assert_eq!(checked, Ok(()), "collection {collection}: {request}");
        }
        for (taken, shortcut) in taken.iter_mut().zip(shortcuts) {
            *taken += subject.shortcuts_taken()[shortcut as usize];
        }
    }
    for (taken, shortcut) in taken.into_iter().zip(shortcuts) {
        assert!(taken >= 50, "only {taken} answers by {shortcut:?}");
    }
}

#[test]
fn a_form_that_stands_nowhere_may_be_of_a_plural() {
    // Nobody holds `voegel`, which `vögel` is too, but some hold its plural, and `vogel` is no form of that.
    let record = |number: u64| {
        let bird = if number.is_multiple_of(3) { "voegels" } else { "vogel" };
        let company = Company {
            id: format!("b{number}"),
            name: format!("Nr {number}"),
            description: Some(format!("{bird} of carbon{}", " more".repeat(number as usize % 4))),
            employee_count: Some(number),
            ..Company::default()
        };
        Record { line: rendered(&company), company }
    };
    // Of odd length, so that all shortcuts are taken.
    let records: Vec<Record> = (0..41).map(record).collect();
    let oracle = Oracle::new(companies(&records));
    let subject = Subject::publish(&companies(&records), &lines(&records));
    let mut scratch = Scratch::default();
    for q in ["vögel carbon", "carbon vögel", "\"vögel\" carbon", "vögel"] {
        let q = q.split(' ').map(str::to_owned).collect();
        let request = Request { q, limit: 3, ..Request::default() };
        let checked =
            Pair::new(&oracle, &subject, &records, &request, Rng::new(1, 1), &mut scratch).check();
        assert_eq!(checked, Ok(()), "{request}");
    }
}
