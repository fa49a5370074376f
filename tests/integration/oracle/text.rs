//! Which records a `q` matches, and how well: contract, section 3.

use firmament::analyzer::fold::{Class, class_of};
use firmament::analyzer::{Analysis, Role, TextField, plural};
use firmament::company::Company;
use firmament::query::text::{Clause, Phrase, QueryWord, Term, TextQuery};

/// The searched fields of a record: "name, website host, industry, description".
pub struct Searched {
    /// The fields that the record has.
    pub fields: Vec<FieldWords>,
    /// Positions of the name without trailing legal forms; "a name of legal forms alone keeps them".
    name_len: u32,
}

/// The words of one field.
pub struct FieldWords {
    /// Which field.
    pub field: TextField,
    /// Every form of every word, and every joined form.
    pub entries: Vec<Entry>,
}

/// One form at a position of a field.
pub struct Entry {
    /// Where it stands, from 0; of a joined form, where its first part stands.
    pub position: u32,
    /// The form.
    pub text: String,
    /// Of a joined form: how many parts it joins.
    pub joins: Option<u32>,
}

/// "Tier, best first".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Tier {
    /// "the name is `q`"
    NameIsQ,
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

impl Searched {
    /// The searched fields of a record.
    pub fn of(company: &Company) -> Searched {
        let mut searched = Searched { fields: Vec::new(), name_len: 0 };
        let name = Analysis::of(&company.name);
        searched.name_len = name.core_len();
        searched.add(TextField::Name, &name);
        if let Some(website) = &company.website {
            let mut host = Analysis::default();
            host.analyze_host(website);
            searched.add(TextField::Host, &host);
        }
        if let Some(industry) = &company.industry {
            searched.add(TextField::Industry, &Analysis::of(industry));
        }
        if let Some(description) = &company.description {
            searched.add(TextField::Description, &Analysis::of(description));
        }
        searched
    }

    fn add(&mut self, field: TextField, analysis: &Analysis) {
        let mut entries = Vec::new();
        analysis.for_each_entry(field, |entry| {
            let joins = match entry.role {
                Role::Word | Role::Alternative => None,
                Role::Joined { parts } => Some(parts),
            };
            entries.push(Entry { position: entry.position, text: entry.text.to_owned(), joins });
        });
        self.fields.push(FieldWords { field, entries });
    }

    /// The words of the name.
    pub fn name(&self) -> &FieldWords {
        &self.fields[0]
    }
}

impl FieldWords {
    /// Does a word of `q` stand anywhere here? Joined forms are words beside the others.
    pub fn has_word(&self, word: &QueryWord) -> bool {
        self.entries.iter().any(|entry| self.is_same(entry, word))
    }

    /// Does a word of `q` stand at a position? Joined forms stand at none of their own.
    fn has_word_at(&self, position: u32, word: &QueryWord) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|e| e.joins.is_none() && e.position == position && self.is_same(e, word))
    }

    /// Are all words of a term here? "joined … hits count": the joined form of a compound stands for its parts.
    fn has_all_of(&self, term: &Term) -> bool {
        match term {
            Term::Word(word) => self.has_word(word),
            Term::Compound { joined, parts } => {
                self.has_word(joined) || parts.words.iter().all(|(_, word)| self.has_word(word))
            }
            Term::Phrase(phrase) => phrase.words.iter().all(|(_, word)| self.has_word(word)),
        }
    }

    /// Is any word of a term here?
    fn has_some_of(&self, term: &Term) -> bool {
        match term {
            Term::Word(word) => self.has_word(word),
            Term::Compound { joined, parts } => {
                self.has_word(joined) || parts.words.iter().any(|(_, word)| self.has_word(word))
            }
            Term::Phrase(phrase) => phrase.words.iter().any(|(_, word)| self.has_word(word)),
        }
    }

    /// Do the words stand here at their places to each other?
    pub fn has_phrase(&self, phrase: &Phrase) -> bool {
        // The joined form of a compound is indexed "outside phrases of two words and more".
        if let [(_, word)] = &phrase.words[..] {
            return self.has_word(word);
        }
        self.entries.iter().any(|first| {
            phrase.words.iter().all(|(at, word)| self.has_word_at(first.position + at, word))
        })
    }

    /// Is an indexed form one of a word's forms, or its singular or plural where those match?
    fn is_same(&self, entry: &Entry, word: &QueryWord) -> bool {
        word.forms.iter().any(|form| {
            // "in industry and description, English singular and plural match alike"; "Names and hosts match
            // as written". Two different words share a form only if one of them looks like a plural.
            entry.text == *form
                || self.field.has_plurals()
                    && (plural::is_plural_shaped(&entry.text) || plural::is_plural_shaped(form))
                    && plural::matches(&entry.text, form)
        })
    }
}

/// Does a record match `q`?
pub fn matches(q: &TextQuery, record: &Searched) -> bool {
    // "Blank `q` is no `q`: everything matches."
    if q.is_blank() {
        return true;
    }
    // "`q` without any word (`!!!`) matches nothing."
    if q.is_wordless() {
        return false;
    }
    // "every word must match"; "Optional are legal forms at the end of `q`".
    let all_required = q.required().iter().all(|clause| clause_matches(clause, record));
    // "Only exclusions: everything except them."
    all_required && !q.excluded().iter().any(|term| term_matches(term, record))
}

/// Does a record match one clause of `q`?
pub fn clause_matches(clause: &Clause, record: &Searched) -> bool {
    term_matches(&clause.term, record)
}

/// "each in any searched field"
pub fn term_matches(term: &Term, record: &Searched) -> bool {
    record.fields.iter().any(|field| match term {
        Term::Word(word) => field.has_word(word),
        // "it matches the joined form, or its parts adjacent in one field"
        Term::Compound { joined, parts } => field.has_word(joined) || field.has_phrase(parts),
        // "its words adjacent in order within one field"
        Term::Phrase(phrase) => field.has_phrase(phrase),
    })
}

/// "The words of `q` are here its plain words and the parts of its compounds, hosts and phrases, without
/// trailing forms", each at its place. A run of CJK characters leaves the position behind it empty, in quotes
/// as well: "a space, a sign or a change to other letters ends it, in the indexed text too".
pub fn ranking_words(q: &TextQuery) -> Phrase {
    let mut words = Vec::new();
    let mut next = 0;
    for clause in q.required() {
        let first = next;
        let mut add = |at: u32, word: &QueryWord| {
            words.push((first + at, word.clone()));
            let is_of_run = word.forms[0].chars().next().map(class_of) == Some(Class::Cjk);
            next = first + at + 1 + u32::from(is_of_run);
        };
        match &clause.term {
            Term::Word(word) => add(0, word),
            Term::Compound { parts: phrase, .. } | Term::Phrase(phrase) => {
                phrase.words.iter().for_each(|(at, word)| add(*at, word));
            }
        }
    }
    Phrase { words, width: next }
}

/// How well a record that matches `q` does so.
pub fn tier(q: &TextQuery, record: &Searched) -> Tier {
    let phrase = ranking_words(q);
    let words = &phrase.words;
    // "exclusions do not" count: without words of `q` all records tie.
    if words.is_empty() {
        return Tier::NoWordsInName;
    }
    let name = record.name();
    let mut others = record.fields.iter().filter(|field| field.field != TextField::Name);
    if name_is(record, words) {
        Tier::NameIsQ
    } else if name_starts_with(name, words) {
        Tier::NameStartsWithQ
    } else if q.required().iter().all(|clause| name.has_all_of(&clause.term)) {
        Tier::AllWordsInName
    } else if others.any(|field| field.has_phrase(&phrase)) {
        Tier::PhraseElsewhere
    } else if q.required().iter().any(|clause| name.has_some_of(&clause.term)) {
        Tier::SomeWordsInName
    } else {
        Tier::NoWordsInName
    }
}

/// "the name is `q` (both without trailing legal forms; a name or `q` of legal forms alone keeps them)"
fn name_is(record: &Searched, words: &[(u32, QueryWord)]) -> bool {
    let name = record.name();
    let is_kept = |position: u32| position < record.name_len;
    let mut positions: Vec<u32> = name.entries.iter().map(|entry| entry.position).collect();
    positions.retain(|&position| is_kept(position));
    positions.sort_unstable();
    positions.dedup();
    let is_word_for_word = positions.len() == words.len()
        && words.iter().all(|(at, word)| is_kept(*at) && name.has_word_at(*at, word));
    // A single word may be the joined form of the whole name: `att` is `AT&T`.
    is_word_for_word || joined_at_start(name, words) == Some(record.name_len)
}

/// "the name starts with the words of `q`"
fn name_starts_with(name: &FieldWords, words: &[(u32, QueryWord)]) -> bool {
    words.iter().all(|(at, word)| name.has_word_at(*at, word))
        || joined_at_start(name, words).is_some()
}

/// If a single word is the joined form of a compound that begins the name: the number of its parts.
fn joined_at_start(name: &FieldWords, words: &[(u32, QueryWord)]) -> Option<u32> {
    let [(_, word)] = words else { return None };
    let first = name.entries.iter().filter(|entry| entry.position == 0 && entry.joins.is_some());
    first.filter(|entry| name.is_same(entry, word)).find_map(|entry| entry.joins)
}
