//! What a word begins: the last word of `q`, and words with a `*`.
//!
//! Where few words begin so, their lists are read; where many do, the snapshot holds the union
//! ([`prefixes`](crate::snapshot::terms::prefixes)).

use crate::ids::TermOrd;
use crate::query::session::Session;
use crate::query::session::ways::Way;
use crate::query::sets::doc_set::DocSet;
use crate::query::sets::set_expr::SetExpr;
use crate::query::text::{Clause, QueryWord, Term};
use crate::snapshot::terms::block::TermLists;
use crate::snapshot::terms::prefixes::PrefixLists;

/// What a word reaches as a prefix.
#[derive(Clone, Debug)]
pub struct PrefixMatches<'s> {
    /// Businesses with a longer word in name, alias or host that begins so, and that the word does
    /// not match as it is, in any field.
    pub beyond: SetExpr<'s>,
    /// Businesses with such a longer word in their name, and not the word as it is.
    pub names: SetExpr<'s>,
    /// Documents of `beyond`; among them all that have such longer words in aliases only.
    pub aliases: SetExpr<'s>,
}

impl<'s> PrefixMatches<'s> {
    /// What a clause reaches, if it may be a prefix.
    pub fn of_clause(session: &Session<'s>, clause: &Clause) -> Option<PrefixMatches<'s>> {
        match &clause.term {
            Term::Word(word) if clause.is_prefix => Some(PrefixMatches::of_word(session, word)),
            _ => None,
        }
    }

    /// What a word reaches.
    pub fn of_word(session: &Session<'s>, word: &QueryWord) -> PrefixMatches<'s> {
        if word.forms.iter().all(|form| session.begun_by(form).has_no_longer()) {
            let [beyond, names, aliases] = [SetExpr::EMPTY; 3];
            return PrefixMatches { beyond, names, aliases };
        }
        let list = |postings: Option<_>| postings.map_or(SetExpr::EMPTY, SetExpr::list);
        let prefixes = session.snapshot().prefixes();
        let (mut stored, mut read) = (Vec::new(), Vec::new());
        for form in word.forms.iter() {
            match prefixes.get(form) {
                Some(prefix) => {
                    let PrefixLists { beyond, names, aliases } = prefix;
                    stored.push([beyond, names, aliases].map(list));
                }
                None => read.push(form),
            }
        }
        if !stored.is_empty() {
            session.took(Way::StoredPrefix);
        }
        if let (Some(_), Some(lists)) = (word.only_form(), stored.first()) {
            let [beyond, names, aliases] = lists.clone();
            return PrefixMatches { beyond, names, aliases };
        }
        let own: Vec<TermOrd> = session.ords(word).collect();
        let (mut names, mut all, mut aliases) = (Vec::new(), Vec::new(), Vec::new());
        for_each_begun(session, read.into_iter(), |ord, lists| {
            if !own.contains(&ord) {
                lists.in_name().for_each(|postings| postings.push_to(&mut names));
                lists.host().iter().for_each(|postings| postings.push_to(&mut all));
                lists.in_alias().for_each(|postings| postings.push_to(&mut aliases));
            }
        });
        all.extend_from_slice(&names);
        all.extend_from_slice(&aliases);
        // What one form is, another one may begin: who holds any form is left out here.
        let without = |docs: Vec<u32>, own: SetExpr<'s>, stored: Vec<SetExpr<'s>>| {
            let longer = DocSet::of(docs);
            let docs = longer.iter().filter(|&doc| !own.contains(doc)).map(|doc| doc.0);
            let read = SetExpr::materialised(DocSet::of_sorted(docs));
            SetExpr::union([read, SetExpr::difference(SetExpr::union(stored), own)])
        };
        let of_all =
            |at: usize| stored.iter().map(|lists: &[SetExpr<'s>; 3]| lists[at].clone()).collect();
        PrefixMatches {
            beyond: without(all, session.word(word), of_all(0)),
            names: without(names, session.word_in_name(word), of_all(1)),
            aliases: without(aliases, session.word(word), of_all(2)),
        }
    }
}

/// The words of names, of hosts and of aliases that a word begins, and the businesses with such a
/// word in their host.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct BegunWords {
    /// Codes of words in names.
    pub name_codes: Vec<u32>,
    /// Codes of words in hosts.
    pub host_codes: Vec<u32>,
    /// Codes of words in aliases.
    pub alias_codes: Vec<u32>,
    /// Businesses with such a word in their host.
    pub hosts: DocSet,
    /// Businesses with such a word in their name.
    pub names: DocSet,
    /// Documents with such a word in an alias.
    pub aliases: DocSet,
}

impl BegunWords {
    /// What begins with a word, itself included. Reads the lists of all of these words: not for
    /// words that begin very many, unless there is no other way.
    pub fn of(session: &Session<'_>, word: &QueryWord) -> BegunWords {
        let mut begun = BegunWords::default();
        let (mut names, mut hosts, mut aliases) = (Vec::new(), Vec::new(), Vec::new());
        for_each_begun(session, word.forms.iter(), |ord, lists| {
            let code = session.snapshot().terms().code(ord);
            if lists.in_name().next().is_some() {
                begun.name_codes.push(code);
            }
            lists.in_name().for_each(|postings| postings.push_to(&mut names));
            if let Some(postings) = lists.host() {
                begun.host_codes.push(code);
                postings.push_to(&mut hosts);
            }
            if lists.in_alias().next().is_some() {
                begun.alias_codes.push(code);
                lists.in_alias().for_each(|postings| postings.push_to(&mut aliases));
            }
        });
        (begun.names, begun.hosts) = (DocSet::of(names), DocSet::of(hosts));
        begun.aliases = DocSet::of(aliases);
        begun
    }
}

/// Codes of all words that a word begins, itself included, wherever they stand.
pub fn begun_codes(session: &Session<'_>, word: &QueryWord) -> impl Iterator<Item = u32> {
    let terms = session.snapshot().terms();
    let ords = word.forms.iter().flat_map(|form| session.begun_by(form).all());
    ords.map(|ord| terms.code(ord))
}

/// Calls `visit` with every term that one of `forms` begins, itself included.
fn for_each_begun<'s, 'f>(
    session: &Session<'s>,
    forms: impl Iterator<Item = &'f String>,
    mut visit: impl FnMut(TermOrd, TermLists<'s>),
) {
    let terms = session.snapshot().terms();
    for form in forms {
        for ord in session.begun_by(form).all() {
            visit(ord, terms.lists(ord));
        }
    }
}
