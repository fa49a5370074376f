//! Counts how often each rule of corrections and relaxation decided something.

use super::{Coverage, MATCHES_MAX};
use crate::oracle::Answer;
use crate::oracle::correction::{Readings, is_candidate};
use crate::oracle::meaning::{Meaning, Required};
use crate::oracle::text::{Entry, Searched};
use firmament::query::text::Term;

/// Every rule that a run must exercise.
pub const RULES: &[&str] = &[
    "corrected: a split alone",
    "corrected: a split beside a word",
    "corrected: a word by a joined form",
    "corrected: a word by a plural of its reading",
    "corrected: a word by one edit",
    "corrected: a word by two edits",
    "corrected: a word with an umlaut",
    "corrected: filtered to nothing",
    "corrected: more readings than count",
    "corrected: not a frequent word",
    "corrected: not a word that begins another",
    "corrected: not a word with its neighbour",
    "corrected: not the third word",
    "corrected: one among other words",
    "corrected: rare words, and so something matches",
    "corrected: rare words, in vain",
    "corrected: two words",
    "corrected: unknown word without readings",
    "relaxed: a host",
    "relaxed: a legal form does not count",
    "relaxed: a phrase stays required",
    "relaxed: a prefix",
    "relaxed: a reading",
    "relaxed: excluded",
    "relaxed: filtered",
    "relaxed: filtered to nothing",
    "relaxed: neighbours",
    "relaxed: not for exclusions",
    "relaxed: not for filters",
    "relaxed: not, as only legal forms match",
    "relaxed: not, as the phrase stays required",
    "relaxed: several words match",
];

impl Coverage {
    /// What was corrected, and what was not.
    pub(super) fn observe_correction(
        &mut self,
        meaning: &Meaning<'_>,
        records: &[&Searched],
        answer: &Answer,
    ) {
        let nothing = answer.matches.is_empty() && !answer.is_relaxed;
        self.see_if(answer.corrected.is_some() && nothing, "corrected: filtered to nothing");
        let holders = |required: &Required<'_>| {
            records.iter().filter(|record| required.matches_as_written(record)).count()
        };
        let mut unknown_only = meaning.clone();
        let (mut corrected, mut has_rare) = (0, false);
        for (required, unknown_only) in
            meaning.required.iter().zip(&mut unknown_only.required).filter(|(r, _)| is_candidate(r))
        {
            let is_rare = holders(required) > 0;
            match &required.readings {
                Some(readings) => {
                    self.observe_readings(readings, records);
                    let is_corrected = !readings.words.is_empty() || readings.split.is_some();
                    self.see_if(
                        !is_rare && !is_corrected,
                        "corrected: unknown word without readings",
                    );
                    let has_umlaut = required.word().is_some_and(|word| word.forms.len() > 1);
                    self.see_if(is_corrected && has_umlaut, "corrected: a word with an umlaut");
                    corrected += usize::from(is_corrected);
                    has_rare |= is_rare;
                }
                None if !is_rare => self.observe_uncorrected(required, records),
                None => {}
            }
            unknown_only.readings.take_if(|_| is_rare);
        }
        self.see_if(corrected > 1, "corrected: two words");
        let is_among_others = corrected > 0 && meaning.required.len() > corrected;
        self.see_if(is_among_others, "corrected: one among other words");
        if records.iter().any(|record| unknown_only.matches_all(record)) {
            return;
        }
        let is_frequent =
            |required: &Required<'_>| is_candidate(required) && holders(required) > 10;
        self.see_if(meaning.required.iter().any(is_frequent), "corrected: not a frequent word");
        let matches = records.iter().any(|record| meaning.matches_all(record));
        self.see_if(has_rare && matches, "corrected: rare words, and so something matches");
        self.see_if(has_rare && !matches, "corrected: rare words, in vain");
    }

    fn observe_readings(&mut self, readings: &Readings, records: &[&Searched]) {
        let (words, split) = (&readings.words, &readings.split);
        self.see_if(readings.distance == 1, "corrected: a word by one edit");
        self.see_if(readings.distance == 2, "corrected: a word by two edits");
        self.see_if(readings.are_cut, "corrected: more readings than count");
        self.see_if(words.is_empty() && split.is_some(), "corrected: a split alone");
        self.see_if(!words.is_empty() && split.is_some(), "corrected: a split beside a word");
        let is_reading = |entry: &Entry| words.iter().any(|word| word.forms[0] == entry.text);
        let entries_of = |record: &'_ &Searched| -> Vec<bool> {
            let entries = record.fields.iter().flat_map(|field| &field.entries);
            entries.filter(|entry| is_reading(entry)).map(|entry| entry.joins.is_some()).collect()
        };
        let mut by_joined = false;
        let mut by_plural = false;
        for record in records.iter().filter(|record| words.iter().any(|w| record.has_word(w))) {
            let found = entries_of(record);
            by_plural |= found.is_empty();
            by_joined |= !found.is_empty() && found.iter().all(|&is_joined| is_joined);
        }
        self.see_if(by_joined, "corrected: a word by a joined form");
        self.see_if(by_plural, "corrected: a word by a plural of its reading");
    }

    /// A word of the right shape that no record holds, and that was not corrected all the same.
    fn observe_uncorrected(&mut self, required: &Required<'_>, records: &[&Searched]) {
        let by_prefix = records.iter().any(|record| required.matches_by_prefix(record));
        let joined = records.iter().any(|record| required.matches_with_neighbour(record));
        self.see(match (by_prefix, joined) {
            (true, false) => "corrected: not a word that begins another",
            (false, true) => "corrected: not a word with its neighbour",
            (true, true) => return,
            (false, false) => "corrected: not the third word",
        });
    }

    /// What was relaxed, and what was not.
    pub(super) fn observe_relaxation(
        &mut self,
        meaning: &Meaning<'_>,
        records: &[&Searched],
        answer: &Answer,
    ) {
        if !meaning.is_relaxed {
            self.observe_unrelaxed(meaning, records, answer);
            return;
        }
        let found = || records.iter().filter(|record| meaning.matches(record));
        let excluded = found().filter(|record| meaning.excludes(record)).count();
        self.see_if(excluded > 0, "relaxed: excluded");
        self.see_if(found().count() - excluded > answer.matches.len(), "relaxed: filtered");
        self.see_if(answer.matches.is_empty(), "relaxed: filtered to nothing");
        let is_quoted = meaning.required.iter().any(|required| required.clause.is_quoted);
        self.see_if(is_quoted, "relaxed: a phrase stays required");
        for record in records.iter().take(MATCHES_MAX) {
            let matching: Vec<&Required<'_>> =
                meaning.required.iter().filter(|required| required.matches(record)).collect();
            if !meaning.matches(record) {
                let is_form = matching.iter().any(|required| required.clause.is_legal_form);
                self.see_if(!is_quoted && is_form, "relaxed: a legal form does not count");
                continue;
            }
            self.see_if(matching.len() > 1, "relaxed: several words match");
            for required in matching {
                let is_host = matches!(required.clause.term, Term::Host { .. });
                self.see_if(is_host, "relaxed: a host");
                if required.matches_as_written(record) {
                    continue;
                }
                let by_prefix = required.matches_by_prefix(record);
                let joined = required.matches_with_neighbour(record);
                self.see_if(by_prefix, "relaxed: a prefix");
                self.see_if(joined && !by_prefix, "relaxed: neighbours");
                self.see_if(!joined && !by_prefix, "relaxed: a reading");
            }
        }
    }

    fn observe_unrelaxed(&mut self, meaning: &Meaning<'_>, records: &[&Searched], answer: &Answer) {
        let found: Vec<&&Searched> =
            records.iter().filter(|record| meaning.matches(record)).collect();
        if !found.is_empty() && answer.matches.is_empty() {
            let all_excluded = found.iter().all(|record| meaning.excludes(record));
            self.see_if(all_excluded, "relaxed: not for exclusions");
            self.see_if(!all_excluded, "relaxed: not for filters");
        }
        if !found.is_empty() {
            return;
        }
        let matches = |required: &&Required<'_>| {
            !required.clause.is_quoted && records.iter().any(|record| required.matches(record))
        };
        let matching: Vec<&Required<'_>> = meaning.required.iter().filter(matches).collect();
        let all_forms = matching.iter().all(|required| required.clause.is_legal_form);
        let nothing_but_forms = !matching.is_empty() && all_forms;
        self.see_if(nothing_but_forms, "relaxed: not, as only legal forms match");
        self.see_if(!all_forms, "relaxed: not, as the phrase stays required");
    }
}
