//! Words of `q` that names, aliases and hosts may write as one: two neighbouring plain words, and
//! runs of single letters, by themselves and with a neighbour.
//!
//! In: a [`TextQuery`]. Out: for each clause what it is written as one with the clauses before it,
//! and with those behind it. What several clauses are together stands behind the first of them, and
//! before the others: so it counts once in scores. Contract, section 3, "AND" and "Words".

use crate::query::session::Session;
use crate::query::text::{Clause, QueryWord, Term, TextQuery};
use std::ops::Range;

/// The joined forms of each clause that must match: those that begin before it, those that begin
/// with it. Only forms that names, aliases or hosts hold.
pub fn of(session: &Session<'_>, text: &TextQuery) -> Vec<[Option<QueryWord>; 2]> {
    let required = text.required();
    let mut neighbours: Vec<[Option<QueryWord>; 2]> = vec![[None, None]; required.len()];
    let mut add = |clauses: Range<usize>, word: &QueryWord| {
        let first = clauses.start;
        for at in clauses {
            add_forms(&mut neighbours[at][usize::from(at == first)], word);
        }
    };
    for at in 1..required.len() {
        if let (Some(left), Some(right)) =
            (plain_word(&required[at - 1]), plain_word(&required[at]))
        {
            held(session, left, right).iter().for_each(|word| add(at - 1..at + 1, word));
        }
    }
    for (letters, word) in text.initials() {
        if letters.len() > 1 && is_held(session, &word) {
            add(letters.clone(), &word);
        }
        let before = letters.start.checked_sub(1).and_then(|at| plain_word(&required[at]));
        if let Some(joined) = before.and_then(|before| held(session, before, &word)) {
            add(letters.start - 1..letters.end, &joined);
        }
        let behind = required.get(letters.end).and_then(plain_word);
        if let Some(joined) = behind.and_then(|behind| held(session, &word, behind)) {
            add(letters.start..letters.end + 1, &joined);
        }
    }
    neighbours
}

fn add_forms(joined: &mut Option<QueryWord>, word: &QueryWord) {
    match joined {
        None => *joined = Some(word.clone()),
        Some(joined) => {
            let new = word.forms.iter().filter(|form| !joined.forms.contains(form)).cloned();
            joined.extend(new.collect::<Vec<_>>());
        }
    }
}

/// Two words written as one, if names, aliases or hosts hold that.
fn held(session: &Session<'_>, left: &QueryWord, right: &QueryWord) -> Option<QueryWord> {
    // Where what begins with the first is known, a pair is looked up from there.
    if left.forms.iter().all(|left| session.begun_by(left).has_no_longer()) {
        return None;
    }
    let pairs = left
        .forms
        .iter()
        .flat_map(|left| right.forms.iter().map(move |right| [left.as_str(), right].concat()));
    let word = QueryWord { forms: pairs.collect() };
    is_held(session, &word).then_some(word)
}

/// Does a name, an alias or a host hold a word?
fn is_held(session: &Session<'_>, word: &QueryWord) -> bool {
    let is_held = |ord| {
        let lists = session.snapshot().terms().lists(ord);
        let is_named = lists.host().is_some() || lists.in_name().next().is_some();
        is_named || lists.in_alias().next().is_some()
    };
    session.ords(word).any(is_held)
}

/// The plain word that a clause is.
fn plain_word(clause: &Clause) -> Option<&QueryWord> {
    match &clause.term {
        Term::Word(word) if !clause.is_quoted => Some(word),
        _ => None,
    }
}
