//! When any word will do: contract, section 3, "Relaxation".

use super::meaning::Meaning;
use super::text::Searched;
use super::{Oracle, Record, filters, place_words, tier};
use firmament::places::{PlaceFilter, PlaceKind};
use firmament::query::text::{QueryWord, TextQuery};

/// Is a `q` relaxed?
pub fn is_needed(meaning: &Meaning<'_>, oracle: &Oracle) -> bool {
    // "if, filters and exclusions aside, nothing matches all words even so"; a `q` without words
    // that must match (blank, without any word, only exclusions) is not relaxed.
    let records = || oracle.records().iter().map(|record| &record.searched);
    !meaning.required.is_empty()
        && !records().any(|record| meaning.matches_all(record))
        // "If that matches anything, the header … says so."
        && records().any(|record| matches(meaning, record))
}

/// Does a record match a relaxed `q`, exclusions aside?
pub fn matches(meaning: &Meaning<'_>, record: &Searched) -> bool {
    // "the words of `q` that are not in quotes become optional, with their readings; one of them at
    // least, legal forms not counted, stays required (phrases stay required, exclusions excluded)"
    let (quoted, optional): (Vec<_>, Vec<_>) =
        meaning.required.iter().partition(|required| required.clause.is_quoted);
    let mut counted = optional.iter().filter(|required| !required.clause.is_legal_form);
    quoted.iter().all(|required| required.matches(record))
        && counted.any(|required| required.matches(record))
}

/// What of a relaxed `q` lifts records.
pub struct Boosts {
    /// The words of `q`, each at its place.
    words: Vec<(u32, QueryWord)>,
    /// The places that it names.
    places: Vec<PlaceFilter>,
}

impl Boosts {
    /// Those of a `q`.
    pub fn of(q: &TextQuery, oracle: &Oracle) -> Boosts {
        let meaning = Meaning::of(q, oracle);
        let words = tier::ranking_words(&meaning);
        let names = place_words::names(q, oracle);
        let place = |name: &String| filters::place(name, oracle.records());
        Boosts {
            words: words.iter().map(|word| (word.at, word.word.clone())).collect(),
            places: names.iter().map(place).collect(),
        }
    }

    /// "times (10 + 5 + 2 + 1) / 10: 5 if the name … stands whole and adjacent in `q`, 2 if the
    /// city of the record does, 1 if its country does (by the resolver, no codes), each for itself"
    pub fn tenths(&self, record: &Record) -> u32 {
        let is_at = |kind: PlaceKind| {
            self.places.iter().any(|place| match place {
                PlaceFilter::Parts(place) => {
                    let mut keys = place.parts.iter().flat_map(|part| part.of_kind(kind));
                    keys.any(|key| record.values.places.contains(key))
                }
                _ => false,
            })
        };
        let name = if self.hold_name(&record.searched) { 5 } else { 0 };
        let city = if is_at(PlaceKind::City) { 2 } else { 0 };
        10 + name + city + u32::from(is_at(PlaceKind::Country))
    }

    /// "the name …, of two words or more without forms and article, stands whole and adjacent in
    /// `q`"
    fn hold_name(&self, record: &Searched) -> bool {
        let (name, core) = (record.name(), record.name().core);
        let start = core.start + u32::from(core.has_article);
        let stands_at = |position: u32| {
            let mut entries = name.entries.iter();
            entries.any(|entry| entry.joins.is_none() && entry.position == position)
        };
        let words = (start..core.end).filter(|&position| stands_at(position)).count();
        let width = self.words.last().map_or(0, |(at, _)| at + 1);
        let is_here = |first: u32| {
            (start..core.end).all(|position| {
                let at = first + position - start;
                match self.words.iter().find(|(place, _)| *place == at) {
                    Some((_, word)) => name.has_word_at(position, word),
                    None => !stands_at(position) && at < width,
                }
            })
        };
        words >= 2 && (0..width).any(is_here)
    }
}
