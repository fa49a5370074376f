//! Counts how often each rule of words, prefixes, neighbours, hosts, ids and tiers decided
//! something.

use super::{Coverage, MATCHES_MAX};
use crate::oracle::meaning::{Meaning, Required};
use crate::oracle::text::{Entry, FieldWords, Searched, is_on_host, term_matches};
use crate::oracle::tier::{Kind, RankingWord, Tier, rank, ranking_words};
use crate::oracle::{Answer, Oracle};
use firmament::analyzer::TextField;
use firmament::query::request::Query;
use firmament::query::text::{QueryWord, Term, TextQuery};
use std::collections::HashSet;

/// Every rule that a run must exercise.
pub const RULES: &[&str] = &[
    "clause: compound by its joined form",
    "clause: compound by its parts",
    "clause: legal form left out",
    "clause: quoted phrase",
    "clause: quoted word",
    "clause: run",
    "clause: word",
    "clause: word by its plural",
    "clause: word by its umlaut",
    "excluded: compound",
    "excluded: host",
    "excluded: phrase",
    "excluded: word",
    "host: among other words",
    "host: by the words of its labels",
    "host: on it",
    "id: filtered out",
    "id: whole",
    "id: whole, and words of others",
    "kind: by prefix, all words in the name",
    "kind: by prefix, phrase elsewhere, one word",
    "kind: by prefix, phrase elsewhere, several words",
    "kind: by prefix, some words in the name",
    "kind: both in one answer",
    "neighbours: in a host",
    "neighbours: in a name",
    "neighbours: three words in two",
    "place: all of q",
    "place: beside locations",
    "place: beside text",
    "place: filtered to nothing",
    "place: several words",
    "prefix: by an alternative form",
    "prefix: by the joined form of a compound",
    "prefix: in a host",
    "prefix: in a name",
    "prefix: not in industry or description",
    "prefix: starred word before others",
    "q: blank",
    "q: only exclusions",
    "q: without words",
    "tier: alias is q",
    "tier: alias is q, by the joined form",
    "tier: all words in the name",
    "tier: all words in the name, by a reading",
    "tier: all words in the name, by a split",
    "tier: all words in the name, by neighbours",
    "tier: name is q",
    "tier: name is q, by the joined form",
    "tier: name starts with q",
    "tier: name starts with q, by the joined form",
    "tier: none",
    "tier: none, a phrase in an alias",
    "tier: phrase elsewhere, by a reading",
    "tier: phrase elsewhere, one word",
    "tier: phrase elsewhere, several words",
    "tier: several in one answer",
    "tier: some words in the name",
    "tier: some words in the name, by a reading",
    "tier: some words in the name, by a split",
    "tier: some words in the name, by neighbours",
    "tier: text score among equals",
    "tier: whole id or host",
];

impl Coverage {
    pub(super) fn observe_text(&mut self, oracle: &Oracle, query: &Query, answer: &Answer) {
        let q = &query.text;
        let (text, place) = oracle.understood(q);
        let meaning = Meaning::of(&text, oracle);
        let records: Vec<&Searched> = oracle.records().iter().map(|r| &r.searched).collect();
        if let Some(number) = oracle.whole_id(query) {
            self.see("id: whole");
            self.see_if(answer.matches.is_empty(), "id: filtered out");
            let mut others = (0..).zip(&records).filter(|(other, _)| *other != number);
            let is_word = others.any(|(_, record)| meaning.matches(record));
            self.see_if(is_word, "id: whole, and words of others");
            return;
        }
        if let Some(place) = &place {
            self.observe_place(query, place, &text, answer);
        }
        self.see_if(q.is_blank(), "q: blank");
        self.see_if(q.is_wordless(), "q: without words");
        let only_exclusions = q.clauses().is_empty() && !q.excluded().is_empty();
        self.see_if(only_exclusions && !answer.matches.is_empty(), "q: only exclusions");
        self.observe_correction(&meaning, &records, answer);
        self.observe_relaxation(&meaning, &records, answer);
        for record in records.iter().take(MATCHES_MAX) {
            self.observe_exclusions(&meaning, record);
            self.observe_other_prefixes(&meaning, record);
        }
        if answer.is_relaxed {
            return;
        }
        for found in answer.matches.iter().take(MATCHES_MAX) {
            self.observe_clauses(&meaning, records[found.record]);
        }
        self.observe_ranks(&meaning, &records, answer);
    }

    /// The words that name a place.
    fn observe_place(&mut self, query: &Query, place: &str, text: &TextQuery, answer: &Answer) {
        let is_all = text.required().is_empty();
        self.see(if is_all { "place: all of q" } else { "place: beside text" });
        self.see_if(!query.locations.is_empty(), "place: beside locations");
        self.see_if(answer.matches.is_empty(), "place: filtered to nothing");
        self.see_if(place.contains([' ', ',']), "place: several words");
    }

    /// What the clauses of `q` found in a record that matches them all.
    fn observe_clauses(&mut self, meaning: &Meaning<'_>, record: &Searched) {
        for (at, required) in meaning.required.iter().enumerate() {
            let is_word = matches!(required.clause.term, Term::Word(_));
            self.see_if(required.clause.is_quoted && is_word, "clause: quoted word");
            match &required.clause.term {
                Term::Word(word) if required.matches_as_written(record) => {
                    let entries = || record.fields.iter().flat_map(|field| &field.entries);
                    let as_written = entries().any(|entry| word.forms.contains(&entry.text));
                    let by_first_form = entries().any(|entry| word.forms[0] == entry.text);
                    self.see(match (as_written, by_first_form) {
                        (true, true) => "clause: word",
                        (true, false) => "clause: word by its umlaut",
                        _ => "clause: word by its plural",
                    });
                }
                Term::Word(word) if required.matches_by_prefix(record) => {
                    self.observe_prefix(word, record);
                    let is_last = at + 1 == meaning.required.len();
                    self.see_if(!is_last, "prefix: starred word before others");
                }
                Term::Word(_) => self.observe_neighbours(&meaning.required, at, record),
                Term::Compound { joined, parts } => {
                    let (joined, parts) = (record.has_word(joined), record.has_phrase(parts));
                    self.see_if(joined && !parts, "clause: compound by its joined form");
                    self.see_if(parts && !joined, "clause: compound by its parts");
                }
                Term::Phrase(_) if !required.clause.is_quoted => self.see("clause: run"),
                Term::Phrase(_) => self.see("clause: quoted phrase"),
                Term::Host { name, .. } => {
                    let on_host = is_on_host(name, record);
                    self.see(if on_host {
                        "host: on it"
                    } else {
                        "host: by the words of its labels"
                    });
                    self.see_if(meaning.required.len() > 1, "host: among other words");
                }
            }
        }
        let mut forms = meaning.q.trailing_forms().iter();
        let left_out = forms.any(|clause| !term_matches(&clause.term, record));
        self.see_if(left_out, "clause: legal form left out");
    }

    /// A word that a record holds only as the beginning of another.
    fn observe_prefix(&mut self, word: &QueryWord, record: &Searched) {
        for field in record.name_and_host().filter(|field| field.has_prefix(word)) {
            let is_name = field.field == TextField::Name;
            self.see(if is_name { "prefix: in a name" } else { "prefix: in a host" });
            let begins = |entry: &&Entry, forms: &[String]| {
                forms.iter().any(|form| entry.text.starts_with(form))
            };
            let mut by_first_form = field.entries.iter().filter(|e| begins(e, &word.forms[..1]));
            self.see_if(by_first_form.next().is_none(), "prefix: by an alternative form");
            let mut beginning = field.entries.iter().filter(|e| begins(e, &word.forms));
            let all_joined = beginning.all(|entry| entry.joins.is_some());
            self.see_if(all_joined, "prefix: by the joined form of a compound");
        }
    }

    /// A word that a record holds neither by itself nor as a beginning.
    fn observe_neighbours(&mut self, required: &[Required<'_>], at: usize, record: &Searched) {
        for field in record.name_and_host().filter(|field| field.has_any_of(&required[at].joined)) {
            let is_name = field.field == TextField::Name;
            self.see(if is_name { "neighbours: in a name" } else { "neighbours: in a host" });
        }
        let has_pair_with = |other: Option<&Required<'_>>| {
            let shared = |text: &String| other.is_some_and(|other| other.joined.contains(text));
            let joined = required[at].joined.iter().filter(|text| shared(text));
            let joined: Vec<String> = joined.cloned().collect();
            record.name_and_host().any(|field: &FieldWords| field.has_any_of(&joined))
        };
        let left = at.checked_sub(1).and_then(|left| required.get(left));
        let in_both = has_pair_with(left) && has_pair_with(required.get(at + 1));
        self.see_if(in_both, "neighbours: three words in two");
    }

    /// Words that begin a word of industry or description, which is no match.
    fn observe_other_prefixes(&mut self, meaning: &Meaning<'_>, record: &Searched) {
        for required in &meaning.required {
            let Some(word) = required.word().filter(|_| required.clause.is_prefix) else {
                continue;
            };
            let mut prose = record.fields.iter().filter(|field| field.field.has_plurals());
            let begins = prose.any(|field| field.has_prefix(word));
            let is_match = required.matches(record);
            self.see_if(begins && !is_match, "prefix: not in industry or description");
        }
    }

    fn observe_exclusions(&mut self, meaning: &Meaning<'_>, record: &Searched) {
        let excluding: Vec<&Term> =
            meaning.q.excluded().iter().filter(|term| term_matches(term, record)).collect();
        if let ([term], true) = (&excluding[..], meaning.matches(record)) {
            self.see(match term {
                Term::Word(_) => "excluded: word",
                Term::Compound { .. } => "excluded: compound",
                Term::Phrase(_) => "excluded: phrase",
                Term::Host { .. } => "excluded: host",
            });
        }
    }

    /// How well records match a `q` that is not relaxed.
    fn observe_ranks(&mut self, meaning: &Meaning<'_>, records: &[&Searched], answer: &Answer) {
        let words = ranking_words(meaning);
        if words.is_empty() {
            return;
        }
        let without = |forget: &dyn Fn(&mut Required<'_>)| {
            let mut meaning = meaning.clone();
            meaning.required.iter_mut().for_each(forget);
            meaning
        };
        let without_neighbours = without(&|required| required.joined.clear());
        let without_words = without(&|required| {
            required.readings.iter_mut().for_each(|readings| readings.words.clear());
        });
        let without_split = without(&|required| {
            required.readings.iter_mut().for_each(|readings| readings.split = None);
        });
        for found in answer.matches.iter().take(MATCHES_MAX) {
            let record = records[found.record];
            self.observe_rank(record, &words, found.tier, found.kind);
            let tier_of = |meaning: &Meaning<'_>| rank(meaning, record).0;
            let by_neighbours = tier_of(&without_neighbours) != found.tier;
            let by_reading = tier_of(&without_words) != found.tier;
            let by_split = tier_of(&without_split) != found.tier;
            match found.tier {
                Tier::AllWordsInName => {
                    self.see_if(by_neighbours, "tier: all words in the name, by neighbours");
                    self.see_if(by_reading, "tier: all words in the name, by a reading");
                    self.see_if(by_split, "tier: all words in the name, by a split");
                }
                Tier::PhraseElsewhere => {
                    self.see_if(by_reading, "tier: phrase elsewhere, by a reading");
                }
                Tier::SomeWordsInName => {
                    self.see_if(by_neighbours, "tier: some words in the name, by neighbours");
                    self.see_if(by_reading, "tier: some words in the name, by a reading");
                    self.see_if(by_split, "tier: some words in the name, by a split");
                }
                _ => {}
            }
        }
        let ranks = || answer.matches.iter().map(|found| (found.tier, found.kind));
        let tiers: HashSet<Tier> = ranks().map(|(tier, _)| tier).collect();
        let kinds: HashSet<Kind> = ranks().map(|(_, kind)| kind).collect();
        let distinct: HashSet<(Tier, Kind)> = ranks().collect();
        self.see_if(tiers.len() > 1, "tier: several in one answer");
        self.see_if(kinds.len() > 1, "kind: both in one answer");
        self.see_if(distinct.len() < answer.matches.len(), "tier: text score among equals");
    }

    fn observe_rank(
        &mut self,
        record: &Searched,
        words: &[RankingWord<'_>],
        tier: Tier,
        kind: Kind,
    ) {
        let name = record.name();
        let stands_first = |word: &RankingWord<'_>| {
            let mut entries =
                name.entries.iter().filter(|e| e.joins.is_none() && e.position == word.at);
            entries.any(|entry| word.word.forms.contains(&entry.text))
        };
        let by_words = words.iter().all(stands_first);
        self.see(match tier {
            Tier::WholeIdOrHost => "tier: whole id or host",
            Tier::NameIsQ if by_words => "tier: name is q",
            Tier::NameIsQ => "tier: name is q, by the joined form",
            Tier::AliasIsQ if words.len() > 1 || is_alias_by_words(record, words) => {
                "tier: alias is q"
            }
            Tier::AliasIsQ => "tier: alias is q, by the joined form",
            Tier::NameStartsWithQ if by_words => "tier: name starts with q",
            Tier::NameStartsWithQ => "tier: name starts with q, by the joined form",
            Tier::AllWordsInName => "tier: all words in the name",
            Tier::PhraseElsewhere if words.len() > 1 => "tier: phrase elsewhere, several words",
            Tier::PhraseElsewhere => "tier: phrase elsewhere, one word",
            Tier::SomeWordsInName => "tier: some words in the name",
            Tier::NoWordsInName if record.aliases().any(|alias| has_all(alias, words)) => {
                "tier: none, a phrase in an alias"
            }
            Tier::NoWordsInName => "tier: none",
        });
        let by_prefix = match tier {
            Tier::AllWordsInName => "kind: by prefix, all words in the name",
            Tier::PhraseElsewhere if words.len() > 1 => {
                "kind: by prefix, phrase elsewhere, several words"
            }
            Tier::PhraseElsewhere => "kind: by prefix, phrase elsewhere, one word",
            _ => "kind: by prefix, some words in the name",
        };
        self.see_if(kind == Kind::SomeByPrefix, by_prefix);
    }
}

/// Does an alias hold the one word of `q` as a word of its own?
fn is_alias_by_words(record: &Searched, words: &[RankingWord<'_>]) -> bool {
    let is_it = |alias: &FieldWords| {
        let mut entries = alias.entries.iter().filter(|entry| entry.joins.is_none());
        entries.any(|entry| words.iter().all(|word| word.word.forms.contains(&entry.text)))
    };
    record.aliases().any(is_it)
}

/// Does an alias hold all words?
fn has_all(alias: &FieldWords, words: &[RankingWord<'_>]) -> bool {
    !words.is_empty() && words.iter().all(|word| alias.has_word(word.word))
}
