//! Words next to each other: checking a business against a phrase.
//!
//! Postings say which businesses hold all words; this reads the words of each candidate
//! ([`DocTokens`]) and looks whether they stand as the phrase asks, within one field.

pub mod codes;

use crate::analyzer::{NameCore, TextField};
use crate::query::text::Phrase;
use crate::snapshot::columns::doc_tokens::{DocTokens, Token, Tokens};
use crate::snapshot::terms::{BegunTerms, Terms};
pub use codes::related_terms;
use codes::{Codes, ProseWords};

/// Widest phrase that is matched with one word of bits.
const WIDTH_MAX: u32 = u64::BITS;

/// A phrase in the numbers of one snapshot.
#[derive(Debug)]
pub struct PhraseMatcher<'s> {
    /// What counts in name and host.
    exact: Codes,
    /// What counts in industry and description, if such a field may be looked at.
    prose: Option<ProseWords<'s>>,
    /// Place of each word relative to the first.
    offsets: Vec<u32>,
    /// Places between them that must be empty: the ends of runs.
    gaps: Vec<u32>,
}

impl<'s> PhraseMatcher<'s> {
    /// The matcher of `phrase`, to be asked about `fields` only. `begun_by` tells the terms that
    /// its own words begin.
    pub fn new(
        phrase: &Phrase,
        fields: &[TextField],
        terms: &'s Terms,
        begun_by: impl Fn(&str) -> BegunTerms,
    ) -> PhraseMatcher<'s> {
        let is_wanted = |plurals| fields.iter().any(|field| field.has_plurals() == plurals);
        let mut exact = Codes::default();
        if is_wanted(false) {
            for (number, (_, word)) in (0..).zip(&phrase.words) {
                let ords = word.forms.iter().filter_map(|form| begun_by(form).itself());
                exact.add(number, ords.map(|ord| terms.code(ord)));
            }
            exact.sort();
        }
        let rarest = exact.rarest(0..phrase.words.len() as u32).unwrap_or_default();
        let prose = is_wanted(true).then(|| ProseWords::new(phrase, rarest, terms, begun_by));
        let offsets: Vec<u32> = phrase.words.iter().map(|(offset, _)| *offset).collect();
        let width = offsets.last().map_or(0, |last| last + 1);
        let gaps = (0..width).filter(|at| offsets.binary_search(at).is_err()).collect();
        PhraseMatcher { exact, prose, offsets, gaps }
    }

    fn codes(&self, field: TextField) -> &Codes {
        self.prose_of(field).map_or(&self.exact, ProseWords::codes)
    }

    /// What counts in a field where plurals do.
    fn prose_of(&self, field: TextField) -> Option<&ProseWords<'s>> {
        self.prose.as_ref().filter(|_| field.has_plurals())
    }

    /// Lets further terms stand for a word of the phrase in name and host.
    pub fn add_codes(&mut self, number: usize, codes: &[u32]) {
        self.exact.add(number as u32, codes.iter().copied());
        self.exact.sort();
    }

    /// For each word of the phrase a code that counts for it, if any does.
    pub fn sample_codes(&self) -> Vec<Option<u32>> {
        let in_prose = |number| self.prose.as_ref()?.codes().least_of(number);
        let code_of = |number| self.exact.least_of(number).or_else(|| in_prose(number));
        (0..self.offsets.len() as u32).map(code_of).collect()
    }

    /// Does the phrase stand in one of `fields`?
    pub fn matches(&self, tokens: &DocTokens<'_>, fields: &[TextField]) -> bool {
        fields.iter().any(|&field| self.stands_in(tokens, field))
    }

    fn stands_in(&self, tokens: &DocTokens<'_>, field: TextField) -> bool {
        match self.offsets.last() {
            None => false,
            // Joined forms count for single words.
            Some(&last) if last > 0 && last < WIDTH_MAX => {
                let bytes = tokens.field_bytes(field as usize);
                let adjacent = || &self.codes(field).within_field(&self.offsets).adjacent;
                self.prose_of(field).is_none_or(|prose| prose.may_stand(bytes))
                    && adjacent().as_ref().is_none_or(|adjacent| adjacent.may_stand(bytes))
                    && self.stands_within(tokens, field, last)
            }
            Some(_) => self.stands_anywhere(tokens, field),
        }
    }

    /// Matches all places at once: bit i of the state says that the phrase up to place i ends here
    /// (Baeza-Yates, Gonnet: "A new approach to text searching", 1992).
    fn stands_within(&self, tokens: &DocTokens<'_>, field: TextField, last: u32) -> bool {
        let masks = &self.codes(field).within_field(&self.offsets).masks;
        let gaps = self.gaps.iter().fold(0, |mask, &at| mask | 1u64 << at);
        let (mut state, mut here) = (0u64, 0u64);
        for token in tokens.field(field as usize) {
            match token {
                Token::Word(code) => {
                    state = (state << 1 | 1) & here;
                    if state >> last & 1 == 1 {
                        return true;
                    }
                    here = masks.of(code);
                }
                Token::Alternative(code) => here |= masks.of(code),
                Token::Joined { .. } => {}
                Token::Gap => {
                    state = (state << 1 | 1) & here;
                    if state >> last & 1 == 1 {
                        return true;
                    }
                    here = gaps;
                }
            }
        }
        (state << 1 | 1) & here & 1 << last != 0
    }

    /// Matches phrases of any width.
    fn stands_anywhere(&self, tokens: &DocTokens<'_>, field: TextField) -> bool {
        let codes = &self.codes(field).all;
        let Some(last) = self.offsets.last() else { return false };
        let is_single = self.offsets.len() == 1;
        // Positions of the phrase's words in the field, ascending by position.
        let mut found: Vec<(u32, u32)> = Vec::new();
        let mut empty: Vec<u32> = Vec::new();
        let mut position = 0u32;
        for token in tokens.field(field as usize) {
            let code = match token {
                Token::Word(code) => {
                    position += 1;
                    code
                }
                Token::Alternative(code) => code,
                // Joined forms stand outside phrases of two words and more.
                Token::Joined { code, .. } if is_single => code,
                Token::Joined { .. } => continue,
                Token::Gap => {
                    position += 1;
                    empty.push(position);
                    continue;
                }
            };
            let from = codes.partition_point(|&(other, _)| other < code);
            for &(_, number) in codes[from..].iter().take_while(|&&(other, _)| other == code) {
                if is_single {
                    return true;
                }
                found.push((position, number));
            }
        }
        if found.len() < self.offsets.len() || position < *last {
            return false;
        }
        found.sort_unstable();
        found.iter().filter(|&&(_, number)| number == 0).any(|&(start, _)| {
            let mut words = (1u32..).zip(&self.offsets[1..]);
            words.all(|(number, offset)| found.binary_search(&(start + offset, number)).is_ok())
                && self.gaps.iter().all(|gap| empty.binary_search(&(start + gap)).is_ok())
        })
    }

    /// Does the name start with the phrase, and is it nothing else, legal forms at its ends and an
    /// article in front aside?
    pub fn begins_name(&self, tokens: &DocTokens<'_>) -> Option<NameMatch> {
        let core = tokens.name_core;
        let matches = core.starts().filter_map(|start| self.begins_name_at(tokens, start));
        matches.reduce(|a, b| if a == NameMatch::Whole { a } else { b })
    }

    /// How the phrase stands in the name from a position on.
    fn begins_name_at(&self, tokens: &DocTokens<'_>, start: u32) -> Option<NameMatch> {
        let len = start + self.offsets.last()? + 1;
        let is_whole = tokens.name_core.end == len;
        self.stands_at(tokens.field(TextField::Name as usize), start, len).then_some(if is_whole {
            NameMatch::Whole
        } else {
            NameMatch::Start
        })
    }

    /// Is an alias the phrase, legal forms at its ends and an article in front aside?
    pub fn is_alias(&self, tokens: &DocTokens<'_>) -> bool {
        let Some(last) = self.offsets.last() else { return false };
        let field = || tokens.field(TextField::Alias as usize);
        let is_it = |core: NameCore| {
            core.starts().any(|start| {
                start + last + 1 == core.end && self.stands_at(field(), start, core.end)
            })
        };
        tokens.alias_cores().any(is_it)
    }

    /// Does the phrase stand in a field of names from `start` to before `len`?
    fn stands_at(&self, field: Tokens<'_>, start: u32, len: u32) -> bool {
        let mut found = vec![false; self.offsets.len()];
        let mut gaps_found = 0;
        let mut position = 0u32;
        for token in field {
            let code = match token {
                Token::Word(code) => {
                    position += 1;
                    code
                }
                Token::Alternative(code) => code,
                Token::Joined { .. } => continue,
                Token::Gap => {
                    let gap = position.checked_sub(start);
                    let is_gap = gap.is_some_and(|gap| self.gaps.binary_search(&gap).is_ok());
                    gaps_found += usize::from(is_gap);
                    position += 1;
                    continue;
                }
            };
            if position > len {
                break;
            }
            let exact = &self.exact.all;
            let from = exact.partition_point(|&(other, _)| other < code);
            for &(_, number) in exact[from..].iter().take_while(|&&(other, _)| other == code) {
                found[number as usize] |= start + self.offsets[number as usize] + 1 == position;
            }
        }
        found.iter().all(|&found| found) && gaps_found >= self.gaps.len()
    }
}

/// How the words of `q` stand at the start of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameMatch {
    /// They are the name, legal forms at its ends and an article in front aside.
    Whole,
    /// The name goes on.
    Start,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::columns::doc_tokens::{DocParts, push_doc, push_token};
    use proptest::prelude::*;

    fn tokens() -> impl Strategy<Value = Vec<Token>> {
        // Of one byte and of two.
        let code = 126u32..130;
        let token = prop_oneof![
            4 => code.clone().prop_map(Token::Word),
            1 => Just(Token::Gap),
            1 => code.clone().prop_map(Token::Alternative),
            1 => (2u32..4, code).prop_map(|(parts, code)| Token::Joined { parts, code }),
        ];
        proptest::collection::vec(token, 0..14)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn bits_match_what_positions_match(
            tokens in tokens(),
            words in proptest::collection::vec((1u32..3, 126u32..130, 126u32..130), 2..5),
        ) {
            let mut matcher = PhraseMatcher {
                exact: Codes::default(),
                prose: None,
                offsets: Vec::new(),
                gaps: Vec::new(),
            };
            let mut offset = 0;
            for (number, &(step, code, other)) in (0..).zip(&words) {
                matcher.offsets.push(offset);
                offset += step;
                matcher.exact.add(number, [code, other].into_iter());
            }
            let last = *matcher.offsets.last().unwrap();
            matcher.gaps = (0..last).filter(|at| !matcher.offsets.contains(at)).collect();
            matcher.exact.sort();
            let mut parts = DocParts::default();
            tokens.iter().for_each(|&token| push_token(&mut parts.fields[0], token));
            let mut bytes = Vec::new();
            push_doc(&mut bytes, &parts);
            let doc = DocTokens::read(&bytes).unwrap();
            let stands = matcher.stands_anywhere(&doc, TextField::Name);
            prop_assert_eq!(matcher.stands_within(&doc, TextField::Name, last), stands);
            prop_assert_eq!(matcher.matches(&doc, &[TextField::Name]), stands);
        }
    }
}
