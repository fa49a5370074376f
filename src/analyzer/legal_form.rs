//! Legal forms of businesses: words that name no business by themselves.
//!
//! Contract, section 3, "AND": at the end of a query they are optional, and names are compared
//! without them; forms that stand in front of names, and those of scripts without spaces, are
//! looked for there too. A snapshot holds where names begin and end without them: other forms are
//! another format.
//!
//! Source: `legal_forms.tsv`, which says where it is from. Its forms are taken apart as names are.
//! A form without dots or slashes counts however it is dotted (`GmbH`, `G.m.b.H.`), one with them
//! only so (`S.p.A.` is a form, `spa` is not); of a form of characters, the run that it is, what a
//! run begins or ends with, and what stands in brackets if it is written so in the table.

use super::{Analysis, Unit, UnitKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;

/// One word of a form.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Key {
    text: String,
    /// Written with dots or slashes.
    is_signed: bool,
}

/// The forms.
#[derive(Default)]
struct Table {
    /// Forms by their last word, the longest first.
    by_last: FxHashMap<String, Vec<Vec<Key>>>,
    /// Forms that stand in front of names, by their first word, the longest first.
    by_first: FxHashMap<String, Vec<Vec<Key>>>,
    /// Forms of characters, the longest first.
    runs: Vec<String>,
    /// Forms of characters that count in brackets only.
    bracketed: FxHashSet<String>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    let rows = include_str!("legal_forms.tsv").lines().filter(|line| !line.starts_with('#'));
    for (form, place) in rows.filter_map(|row| row.split_once('\t')) {
        let analysis = Analysis::of(form);
        if let [Unit { kind: UnitKind::Run, .. }] = analysis.units() {
            let text = analysis.run_text(&analysis.units()[0]).to_owned();
            match form.starts_with('(') {
                true => drop(table.bracketed.insert(text)),
                false => table.runs.push(text),
            }
            continue;
        }
        let keys = analysis.units().iter().filter_map(|unit| analysis.key(unit));
        let keys: Vec<Key> =
            keys.map(|(text, is_signed)| Key { text: text.to_owned(), is_signed }).collect();
        let (Some(first), Some(last)) = (keys.first(), keys.last()) else { continue };
        if place == "either" {
            table.by_first.entry(first.text.clone()).or_default().push(keys.clone());
        }
        table.by_last.entry(last.text.clone()).or_default().push(keys);
    }
    let longest_first =
        |forms: &mut Vec<Vec<Key>>| forms.sort_by_key(|form| usize::MAX - form.len());
    table.by_last.values_mut().for_each(longest_first);
    table.by_first.values_mut().for_each(longest_first);
    table.runs.sort_by_key(|run| usize::MAX - run.len());
    table
});

/// Is `word` a legal form as it stands?
pub fn is_plain(word: &str) -> bool {
    let is_it = |form: &Vec<Key>| matches!(form.as_slice(), [key] if !key.is_signed);
    TABLE.by_last.get(word).is_some_and(|forms| forms.iter().any(is_it))
}

/// The legal forms at the ends of a row of units, as numbers of units; where the rest begins or
/// ends with a run of which characters are a form, how many of its words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ends {
    /// Units in front.
    pub front: usize,
    /// Words of the unit behind these.
    pub front_words: usize,
    /// Units at the end.
    pub back: usize,
    /// Words of the unit before these.
    pub back_words: usize,
}

/// A form at one end of some units.
enum Form {
    /// So many units.
    Units(usize),
    /// So many words of a run that has others.
    Words(usize),
}

impl Ends {
    /// The forms at the ends of `len` units; none where nothing else is left. A unit that is not
    /// given is no form.
    pub fn of<'u>(
        analysis: &Analysis,
        len: usize,
        unit: impl Fn(usize) -> Option<&'u Unit>,
    ) -> Ends {
        let mut ends = Ends::default();
        while ends.back_words == 0
            && let Some(form) = analysis.form_before(len - ends.back, &unit)
        {
            match form {
                Form::Units(units) => ends.back += units,
                Form::Words(words) => ends.back_words = words,
            }
        }
        while ends.front_words == 0
            && let Some(form) = analysis.form_from(ends.front, len - ends.back, &unit)
        {
            match form {
                Form::Units(units) => ends.front += units,
                Form::Words(words) => ends.front_words = words,
            }
        }
        let left = len - ends.front - ends.back;
        let is_used_up = left == 1
            && ends.front_words + ends.back_words > 0
            && unit(ends.front)
                .is_some_and(|run| run.words.len() <= ends.front_words + ends.back_words);
        if left == 0 || is_used_up { Ends::default() } else { ends }
    }
}

impl Analysis {
    /// Which units are legal forms, or parts of one, wherever they stand.
    pub fn legal_form_units(&self) -> Vec<bool> {
        let mut are = vec![false; self.units.len()];
        for end in 1..=are.len() {
            let form = self.form_before(end, &|number| Some(&self.units[number]));
            if let Some(Form::Units(units)) = form {
                are[end - units..end].fill(true);
            }
        }
        are
    }

    /// Is the unit the word `the`?
    pub(super) fn is_the(&self, unit: &Unit) -> bool {
        unit.kind == UnitKind::Word
            && &self.arena[self.words[unit.words.start].stripped.clone()] == "the"
    }

    /// The form that ends before unit `end`.
    fn form_before<'u>(
        &self,
        end: usize,
        unit: &impl Fn(usize) -> Option<&'u Unit>,
    ) -> Option<Form> {
        let last = unit(end.checked_sub(1)?)?;
        if last.kind == UnitKind::Run {
            return self.form_of_run(last, false);
        }
        if let Some((key, _)) = self.key(last)
            && let Some(forms) = TABLE.by_last.get(key)
        {
            let stands = |form: &&Vec<Key>| {
                form.len() <= end
                    && form
                        .iter()
                        .zip(end - form.len()..)
                        .all(|(key, at)| self.is_key(unit(at), key))
            };
            if let Some(form) = forms.iter().find(stands) {
                return Some(Form::Units(form.len()));
            }
        }
        self.is_of_plain_forms(last).then_some(Form::Units(1))
    }

    /// The form that begins with unit `start`, and ends at `to` or before, if it stands in front of
    /// names.
    fn form_from<'u>(
        &self,
        start: usize,
        to: usize,
        unit: &impl Fn(usize) -> Option<&'u Unit>,
    ) -> Option<Form> {
        let first = if start < to { unit(start)? } else { return None };
        if first.kind == UnitKind::Run {
            return self.form_of_run(first, true);
        }
        let forms = TABLE.by_first.get(self.key(first)?.0)?;
        let stands = |form: &&Vec<Key>| {
            form.len() <= to - start
                && form.iter().zip(start..).all(|(key, at)| self.is_key(unit(at), key))
        };
        forms.iter().find(stands).map(|form| Form::Units(form.len()))
    }

    /// The form that a run is, begins with if `in_front`, or ends with.
    fn form_of_run(&self, unit: &Unit, in_front: bool) -> Option<Form> {
        let run = self.run_text(unit);
        let (before, behind) = (&self.folded[..unit.span.start], &self.folded[unit.span.end..]);
        if TABLE.bracketed.contains(run) && before.ends_with('(') && behind.starts_with(')') {
            return Some(Form::Units(1));
        }
        let is_there = |form: &&String| match in_front {
            true => run.starts_with(form.as_str()),
            false => run.ends_with(form.as_str()),
        };
        let form = TABLE.runs.iter().find(is_there)?;
        let words = &self.words[unit.words.clone()];
        let cut = if in_front { form.len() } else { run.len() - form.len() };
        let cut = words[0].stripped.start + cut;
        match words.iter().position(|word| word.stripped.start == cut) {
            Some(0) => Some(Form::Units(1)),
            Some(at) => Some(Form::Words(if in_front { at } else { words.len() - at })),
            None if form.len() == run.len() => Some(Form::Units(1)),
            // A mark behind the form belongs to its last character: it is another word.
            None => None,
        }
    }

    /// A compound of words that are forms by themselves, as `Co.Ltd`.
    fn is_of_plain_forms(&self, unit: &Unit) -> bool {
        unit.kind == UnitKind::Compound && self.words(unit).all(|word| is_plain(word.stripped))
    }

    /// The word by which a unit is looked up, and whether it is written with dots or slashes.
    fn key(&self, unit: &Unit) -> Option<(&str, bool)> {
        match (unit.kind, &unit.joined) {
            (UnitKind::Word | UnitKind::And, _) => {
                Some((&self.arena[self.words[unit.words.start].stripped.clone()], false))
            }
            (UnitKind::Compound, Some(joined)) if unit.signed => {
                Some((&self.arena[joined.stripped.clone()], true))
            }
            _ => None,
        }
    }

    fn is_key(&self, unit: Option<&Unit>, key: &Key) -> bool {
        let found = unit.and_then(|unit| self.key(unit));
        found.is_some_and(|(text, is_signed)| text == key.text && (is_signed || !key.is_signed))
    }

    /// The characters of a run.
    fn run_text(&self, unit: &Unit) -> &str {
        let words = &self.words[unit.words.clone()];
        let (first, last) = (&words[0], &words[words.len() - 1]);
        &self.arena[first.stripped.start..last.stripped.end]
    }
}
