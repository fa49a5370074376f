//! The words of a record, and which of them a word of `q` is: contract, section 3, "Searched
//! fields" to "Plural", "Phrase", and "Whole id, and hosts".

use firmament::analyzer::host::Host;
use firmament::analyzer::{Analysis, NameCore, Role, TextField, plural};
use firmament::company::Company;
use firmament::query::text::{Phrase, QueryWord, Term};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The searched fields of a record: "name, website host, industry, description"; "an alias is
/// searched as the name is, another website as the website".
pub struct Searched {
    /// The fields that the record has, the name first. Each alias and each website is one of its
    /// own.
    pub fields: Vec<FieldWords>,
    /// The hosts of its websites.
    pub hosts: Vec<String>,
    /// The path of its first website, and the host.
    page: Option<(String, String)>,
    /// Hosts "that more than 100 businesses share".
    shared_hosts: Rc<HashSet<String>>,
}

/// The words of one field.
pub struct FieldWords {
    /// Which field.
    pub field: TextField,
    /// Every form of every word, and every joined form.
    pub entries: Vec<Entry>,
    /// Of a name or an alias, its positions without legal forms at its ends; "a name … of these
    /// alone keeps them".
    pub core: NameCore,
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

impl Searched {
    /// The searched fields of a record.
    pub fn of(company: &Company) -> Searched {
        let websites =
            || company.website.as_deref().into_iter().chain(company.other_websites.iter());
        let hosts = websites().filter_map(Host::of_website);
        let mut searched = Searched {
            fields: Vec::new(),
            hosts: hosts.map(|host| host.name().to_owned()).collect(),
            page: company.website.as_deref().and_then(page),
            shared_hosts: Rc::default(),
        };
        searched.add(TextField::Name, &Analysis::of(&company.name));
        for website in websites() {
            let mut host = Analysis::default();
            host.analyze_host(website);
            searched.add(TextField::Host, &host);
        }
        for alias in company.aliases.iter() {
            searched.add(TextField::Alias, &Analysis::of(alias));
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
        let is_name = matches!(field, TextField::Name | TextField::Alias);
        let is_core = is_name && !analysis.units().is_empty();
        let core = if is_core { analysis.name_core() } else { NameCore::default() };
        self.fields.push(FieldWords { field, entries, core });
    }

    /// The words of the name.
    pub fn name(&self) -> &FieldWords {
        &self.fields[0]
    }

    /// The aliases.
    pub fn aliases(&self) -> impl Iterator<Item = &FieldWords> {
        self.fields.iter().filter(|field| field.field == TextField::Alias)
    }

    /// The fields where words match by their beginnings, and joined ones together: "in name and
    /// host", aliases as names.
    pub fn name_and_host(&self) -> impl Iterator<Item = &FieldWords> {
        self.fields.iter().filter(|field| !field.field.has_plurals())
    }

    /// "each in any searched field"
    pub fn has_word(&self, word: &QueryWord) -> bool {
        self.fields.iter().any(|field| field.has_word(word))
    }

    /// "its words adjacent and in order within one field"
    pub fn has_phrase(&self, phrase: &Phrase) -> bool {
        self.fields.iter().any(|field| field.has_phrase(phrase))
    }
}

impl FieldWords {
    /// Does a word of `q` stand anywhere here? Joined forms are words beside the others.
    pub fn has_word(&self, word: &QueryWord) -> bool {
        self.entries.iter().any(|entry| self.is_same(entry, word))
    }

    /// Does a word of `q` stand at a position? Joined forms stand at none of their own.
    pub fn has_word_at(&self, position: u32, word: &QueryWord) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|e| e.joins.is_none() && e.position == position && self.is_same(e, word))
    }

    /// Does any word here begin with a word of `q`? Joined forms are words beside the others.
    pub fn has_prefix(&self, word: &QueryWord) -> bool {
        self.entries.iter().any(|entry| begins(entry, word))
    }

    /// Does the word at a position begin with a word of `q`?
    pub fn has_prefix_at(&self, position: u32, word: &QueryWord) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|e| e.joins.is_none() && e.position == position && begins(e, word))
    }

    /// Is any word here one of these?
    pub fn has_any_of(&self, texts: &[String]) -> bool {
        self.entries.iter().any(|entry| texts.contains(&entry.text))
    }

    /// Do the words stand here at their places to each other?
    pub fn has_phrase(&self, phrase: &Phrase) -> bool {
        // The joined form of a compound is indexed "outside phrases of two words and more".
        if let [(_, word)] = &phrase.words[..] {
            return self.has_word(word);
        }
        let places: Vec<u32> = phrase.words.iter().map(|(at, _)| *at).collect();
        self.entries.iter().any(|first| {
            let start = first.position;
            phrase.words.iter().all(|(at, word)| self.has_word_at(start + at, word))
                && self.is_empty_between(start, &places)
        })
    }

    /// Are the places that words leave empty between them empty here too? "a space, a sign or a
    /// change to other letters ends" a run of CJK characters, "in the indexed text too": 東 大学 does
    /// not stand in 東京大学.
    pub fn is_empty_between(&self, start: u32, places: &[u32]) -> bool {
        let last = places.last().copied().unwrap_or_default();
        let mut empty = (0..last).filter(|at| !places.contains(at));
        empty.all(|at| !self.entries.iter().any(|entry| entry.position == start + at))
    }

    /// Does a term stand here, of a host all its labels?
    pub fn has_term(&self, term: &Term) -> bool {
        match term {
            Term::Word(word) => self.has_word(word),
            // "it matches the joined form, or its parts adjacent in one field"
            Term::Compound { joined, parts } => self.has_word(joined) || self.has_phrase(parts),
            Term::Phrase(phrase) => self.has_phrase(phrase),
            Term::Host { labels, compound, .. } => {
                labels.iter().all(|label| self.has_term(label))
                    || compound.iter().any(|compound| self.has_term(compound))
            }
        }
    }

    /// Is an indexed form one of a word's forms, or its singular or plural where those match?
    pub fn is_same(&self, entry: &Entry, word: &QueryWord) -> bool {
        word.forms.iter().any(|form| {
            // "in industry and description, English singular and plural match alike"; "Names and
            // hosts match as written". Two different words share a form only if one of them looks
            // like a plural.
            entry.text == *form
                || self.field.has_plurals()
                    && (plural::is_plural_shaped(&entry.text) || plural::is_plural_shaped(form))
                    && plural::matches(&entry.text, form)
        })
    }
}

fn begins(entry: &Entry, word: &QueryWord) -> bool {
    word.forms.iter().any(|form| entry.text.starts_with(form))
}

/// Does a record match a term as it stands, by whole words?
pub fn term_matches(term: &Term, record: &Searched) -> bool {
    match term {
        // "matches (excluded: excludes) the businesses on that host, those in which all words of
        // its labels match, and those that it matches as a compound". A host whose labels hold no
        // word has only the former. "On a host that more than 100 businesses share, a URL with a
        // path means those whose website has the path too".
        Term::Host { name, path: Some(path), .. } if record.shared_hosts.contains(name) => {
            record.page.as_ref().is_some_and(|page| (&page.0, &page.1) == (name, path))
        }
        Term::Host { name, labels, compound, .. } => {
            is_on_host(name, record)
                || !labels.is_empty() && labels.iter().all(|label| term_matches(label, record))
                || compound.iter().any(|compound| term_matches(compound, record))
        }
        _ => record.fields.iter().any(|field| field.has_term(term)),
    }
}

/// Tells all records of a collection which hosts many of them share.
pub fn share_hosts<'r>(records: impl Iterator<Item = &'r mut Searched>) {
    let records: Vec<&mut Searched> = records.collect();
    let mut num_on: HashMap<String, usize> = HashMap::new();
    for record in &records {
        let hosts: HashSet<&String> = record.hosts.iter().collect();
        hosts.into_iter().for_each(|host| *num_on.entry(host.clone()).or_default() += 1);
    }
    let shared = num_on.into_iter().filter(|&(_, count)| count > 100).map(|(host, _)| host);
    let shared = Rc::new(shared.collect());
    records.into_iter().for_each(|record| record.shared_hosts = Rc::clone(&shared));
}

/// The host and the path of a website, "without query, fragment, last `/` and case".
fn page(website: &str) -> Option<(String, String)> {
    let host = Host::of_website(website)?.name().to_owned();
    let rest = website.split_once("://").map_or(website, |(_, rest)| rest);
    let rest = rest.trim_start_matches('/').split(['?', '#']).next()?;
    let path = &rest[rest.find('/')?..];
    Some((host, path.trim_end_matches('/').to_lowercase()))
}

/// Is a website of a record on a host?
pub fn is_on_host(name: &str, record: &Searched) -> bool {
    record.hosts.iter().any(|host| host == name)
}
