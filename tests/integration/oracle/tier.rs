//! How well a record matches: contract, section 3, "Ranking", but for the text score.

use super::meaning::{Meaning, Required};
use super::text::{FieldWords, Searched, is_on_host};
use firmament::analyzer::fold::{Class, class_of};
use firmament::analyzer::{NameCore, TextField};
use firmament::query::text::{Phrase, QueryWord, Term};

/// "Tier, best first".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Tier {
    /// "whole id, or `q` is a host and the business is on it"
    WholeIdOrHost,
    /// "the name is `q`"
    NameIsQ,
    /// "an alias is `q` likewise"
    AliasIsQ,
    /// "the name starts with the words of `q`"
    NameStartsWithQ,
    /// "all words in the name"
    AllWordsInName,
    /// "the words of `q` as a phrase in another field"
    PhraseElsewhere,
    /// "some words in the name"
    SomeWordsInName,
    /// "none"
    NoWordsInName,
}

/// "Kind: by the matches that earned the tier".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// "all whole words"
    WholeWords,
    /// "some only by prefix"
    SomeByPrefix,
}

/// One of the words that ranking compares with names.
pub struct RankingWord<'m> {
    /// Its place, from 0.
    pub at: u32,
    /// The word as written.
    pub word: &'m QueryWord,
    /// The plain word of `q` that it is, if it is one.
    plain: Option<&'m Required<'m>>,
}

/// How a word is in the name; the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Presence {
    Absent,
    ByPrefix,
    Whole,
}

/// "The words of `q` are here its plain words and the parts of its compounds, hosts and phrases,
/// without trailing forms", each at its place. A run of characters leaves the position behind
/// it empty, in quotes as well: "a space, a sign or a change to other letters ends it, in the
/// indexed text too".
pub fn ranking_words<'m>(meaning: &'m Meaning<'_>) -> Vec<RankingWord<'m>> {
    let mut words = Vec::new();
    let mut next = 0;
    for required in &meaning.required {
        let plain = required.word().is_some().then_some(required);
        add_words(&required.clause.term, plain, &mut next, &mut words);
    }
    words
}

fn add_words<'m>(
    term: &'m Term,
    plain: Option<&'m Required<'m>>,
    next: &mut u32,
    words: &mut Vec<RankingWord<'m>>,
) {
    let first = *next;
    let mut add = |at: u32, word: &'m QueryWord| {
        words.push(RankingWord { at: first + at, word, plain });
        let is_of_run = word.forms[0].chars().next().map(class_of) == Some(Class::Unspaced);
        *next = first + at + 1 + u32::from(is_of_run);
    };
    match term {
        Term::Word(word) => add(0, word),
        Term::Compound { parts: phrase, .. } | Term::Phrase(phrase) => {
            phrase.words.iter().for_each(|(at, word)| add(*at, word));
        }
        Term::Host { labels, .. } => {
            labels.iter().for_each(|label| add_words(label, None, next, words));
        }
    }
}

/// How well a record that matches does so. Of a relaxed `q` this says nothing.
pub fn rank(meaning: &Meaning<'_>, record: &Searched) -> (Tier, Kind) {
    // "`q` is a host and the business is on it"; "exclusions do not" count.
    if let [clause] = meaning.q.clauses()
        && let Term::Host { name, .. } = &clause.term
        && is_on_host(name, record)
    {
        return (Tier::WholeIdOrHost, Kind::WholeWords);
    }
    let words = ranking_words(meaning);
    // Without words of `q` all records tie.
    if words.is_empty() {
        return (Tier::NoWordsInName, Kind::WholeWords);
    }
    let name = record.name();
    // "a compound or host by its parts": of a host, which has a suffix beside its words, all of
    // them are the name.
    let mut all_parts = Vec::new();
    if let [clause] = meaning.q.clauses()
        && let Term::Host { compound: Some(compound), .. } = &clause.term
    {
        add_words(compound, None, &mut 0, &mut all_parts);
    }
    let is_host = !all_parts.is_empty();
    // "The second and third ask for whole words; otherwise prefix, joined and corrected hits count"
    let whole = if is_host { &all_parts } else { &words };
    if name_is(name, whole) {
        return (Tier::NameIsQ, Kind::WholeWords);
    }
    if record.aliases().any(|alias| name_is(alias, whole)) {
        return (Tier::AliasIsQ, Kind::WholeWords);
    }
    if name_starts_with(record, &words) {
        return (Tier::NameStartsWithQ, Kind::WholeWords);
    }
    let in_name: Vec<Presence> =
        meaning.required.iter().flat_map(|required| presences(required, name)).collect();
    let by_prefix = match in_name.contains(&Presence::ByPrefix) {
        true => Kind::SomeByPrefix,
        false => Kind::WholeWords,
    };
    if in_name.iter().all(|&presence| presence != Presence::Absent) {
        return (Tier::AllWordsInName, by_prefix);
    }
    // "An alias earns no other tier than its own".
    let is_other = |field: TextField| !matches!(field, TextField::Name | TextField::Alias);
    let others = || record.fields.iter().filter(|field| is_other(field.field));
    if others().any(|field| stands_in(field, &words, Kind::WholeWords)) {
        return (Tier::PhraseElsewhere, Kind::WholeWords);
    }
    if others().any(|field| stands_in(field, &words, Kind::SomeByPrefix)) {
        return (Tier::PhraseElsewhere, Kind::SomeByPrefix);
    }
    if in_name.iter().any(|&presence| presence != Presence::Absent) {
        return (Tier::SomeWordsInName, by_prefix);
    }
    (Tier::NoWordsInName, Kind::WholeWords)
}

/// "the name is `q` (both without legal forms, a name without its article; a name or `q` of these
/// alone keeps them)"; "An article … in front of a name counts for no tier unless `q` begins with
/// it".
fn name_is(name: &FieldWords, words: &[RankingWord<'_>]) -> bool {
    let core = name.core;
    starts(core).any(|start| {
        let is_kept = |position: u32| (start..core.end).contains(&position);
        let mut positions: Vec<u32> = name.entries.iter().map(|entry| entry.position).collect();
        positions.retain(|&position| is_kept(position));
        positions.sort_unstable();
        positions.dedup();
        let is_word_for_word = positions.len() == words.len()
            && words.iter().all(|word| {
                is_kept(start + word.at) && name.has_word_at(start + word.at, word.word)
            });
        // A single word may be the joined form of the whole name: `att` is `AT&T`.
        is_word_for_word || joined_at(start, name, words).any(|parts| start + parts == core.end)
    })
}

/// "the name starts with the words of `q`"
fn name_starts_with(record: &Searched, words: &[RankingWord<'_>]) -> bool {
    let (name, core) = (record.name(), record.name().core);
    starts(core).any(|start| {
        let is_word_for_word =
            words.iter().all(|word| name.has_word_at(start + word.at, word.word))
                && name.is_empty_between(start, &places(words));
        is_word_for_word || joined_at(start, name, words).next().is_some()
    })
}

/// Where a name begins: with its article, and without it.
fn starts(core: NameCore) -> impl Iterator<Item = u32> {
    let behind = core.has_article.then_some(core.start + 1);
    std::iter::once(core.start).chain(behind)
}

/// Where a single word is a joined form that begins at a position of the name: how many words that
/// joins.
fn joined_at(
    start: u32,
    name: &FieldWords,
    words: &[RankingWord<'_>],
) -> impl Iterator<Item = u32> {
    let only = if let [word] = words { Some(word.word) } else { None };
    let entries = name.entries.iter().filter(move |entry| entry.position == start);
    entries.filter_map(move |entry| {
        let joins = entry.joins?;
        only.is_some_and(|word| name.is_same(entry, word)).then_some(joins)
    })
}

/// How the words of a clause are in the name.
fn presences(required: &Required<'_>, name: &FieldWords) -> Vec<Presence> {
    match required.word() {
        Some(word) => vec![presence(required, word, name)],
        // "has a joined form as well": letters with dots between, with others, or with a neighbour.
        None if name.has_any_of(&required.joined) => vec![Presence::Whole],
        None => presences_of_term(&required.clause.term, name),
    }
}

/// How a plain word is in the name.
fn presence(required: &Required<'_>, word: &QueryWord, name: &FieldWords) -> Presence {
    let by_reading = required.readings.as_ref().is_some_and(|readings| {
        readings.words.iter().any(|reading| name.has_word(reading))
            || readings.split.iter().any(|split| name.has_phrase(split))
    });
    if name.has_word(word) || name.has_any_of(&required.joined) || by_reading {
        Presence::Whole
    } else if required.clause.is_prefix && name.has_prefix(word) {
        Presence::ByPrefix
    } else {
        Presence::Absent
    }
}

/// How the words of a term are in the name, by whole words. "joined … hits count": the joined form
/// of a compound stands for its parts.
fn presences_of_term(term: &Term, name: &FieldWords) -> Vec<Presence> {
    let whole = |word: &QueryWord| match name.has_word(word) {
        true => Presence::Whole,
        false => Presence::Absent,
    };
    let all = |phrase: &Phrase| phrase.words.iter().map(|(_, word)| whole(word)).collect();
    match term {
        Term::Word(word) => vec![whole(word)],
        Term::Compound { joined, .. } if name.has_word(joined) => vec![Presence::Whole],
        Term::Compound { parts: phrase, .. } | Term::Phrase(phrase) => all(phrase),
        Term::Host { compound: Some(compound), .. }
            if compound.joined().is_some_and(|joined| name.has_word(joined)) =>
        {
            vec![Presence::Whole]
        }
        Term::Host { labels, .. } => {
            labels.iter().flat_map(|label| presences_of_term(label, name)).collect()
        }
    }
}

/// "the words of `q` as a phrase in another field", by whole words or by prefixes too.
fn stands_in(field: &FieldWords, words: &[RankingWord<'_>], kind: Kind) -> bool {
    // The joined form of a compound is indexed "outside phrases of two words and more".
    if let [word] = words {
        return word.forms().any(|form| field.has_word(form))
            || word.counts_as_prefix(field, kind) && field.has_prefix(word.word);
    }
    let stands_at = |position: u32, word: &RankingWord<'_>| {
        word.forms().any(|form| field.has_word_at(position, form))
            || word.counts_as_prefix(field, kind) && field.has_prefix_at(position, word.word)
    };
    let mut starts = field.entries.iter().map(|entry| entry.position);
    starts.any(|start| {
        words.iter().all(|word| stands_at(start + word.at, word))
            && field.is_empty_between(start, &places(words))
    })
}

fn places(words: &[RankingWord<'_>]) -> Vec<u32> {
    words.iter().map(|word| word.at).collect()
}

impl RankingWord<'_> {
    /// The word, and the single words that a correction has for it.
    fn forms(&self) -> impl Iterator<Item = &QueryWord> {
        let readings = self.plain.and_then(|required| required.readings.as_ref());
        let readings = readings.into_iter().flat_map(|readings| &readings.words);
        std::iter::once(self.word).chain(readings)
    }

    fn counts_as_prefix(&self, field: &FieldWords, kind: Kind) -> bool {
        // "as a prefix in name and host"
        kind == Kind::SomeByPrefix
            && field.field == TextField::Host
            && self.plain.is_some_and(|required| required.clause.is_prefix)
    }
}
