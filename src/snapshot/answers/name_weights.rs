//! How much each name weighs: what share of it a word covers at most, without reading it.
//!
//! ```text
//! NameWeights := BYTE^N (u8, by DocId): 12 log2 WEIGHT, rounded down, at most 255
//! ```
//!
//! A word [weighs](sharpened) by how rare it is, and covers the positions of a name where it
//! stands, without legal forms at its end: mostly one, which weighs what the word does. WEIGHT is
//! the most by which the weight of any term of the name can be divided without coming to less than
//! the share of the name that it covers: what the positions weigh together, or less if some term
//! stands several times or is the joined form of several words. Nobody need guess which.

use crate::analyzer::NameCore;
use crate::ids::DocId;
use crate::snapshot::columns::doc_tokens::{Token, Tokens};
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::mapped::Section;
use std::ops::Range;
use std::sync::LazyLock;

/// How much more rare words weigh than their rarity says.
const SHARPNESS: f64 = 1.25;

/// Steps of a byte from a weight to twice that.
const STEPS: f64 = 12.0;

/// A [weight](crate::snapshot::terms::Terms::weight_of_code) as it counts for the share of a name
/// or query.
pub fn sharpened(weight: u32) -> f64 {
    let known = SHARPENED.get(weight as usize);
    known.copied().unwrap_or_else(|| f64::from(weight).powf(SHARPNESS))
}

/// [`sharpened`] weights of words, which are below 256 ln(2^32): every word of every name that is
/// read is looked up.
static SHARPENED: LazyLock<Vec<f64>> =
    LazyLock::new(|| (0..1u32 << 13).map(|weight| f64::from(weight).powf(SHARPNESS)).collect());

/// What a name of each byte weighs at least; 0 where nothing is known of it.
pub static LEAST: LazyLock<[f64; 256]> = LazyLock::new(|| {
    std::array::from_fn(|byte| match byte {
        0 => 0.0,
        // A little less, since logarithms and powers are rounded.
        byte => (byte as f64 / STEPS).exp2() * (1.0 - 1e-9),
    })
});

/// The byte for a weight.
fn encode(weight: f64) -> u8 {
    // Casts saturate; what is no number becomes 0.
    if weight > 1.0 { (weight.log2() * STEPS) as u8 } else { 0 }
}

/// How much the names of a snapshot weigh.
pub struct NameWeights {
    section: Section,
}

impl NameWeights {
    /// Opens the weights, and checks how many there are; whether they are those of the names is not
    /// looked at.
    ///
    /// # Errors
    /// There is not one for each business.
    pub fn open([section]: [Section; 1], num_docs: u32) -> Result<NameWeights, SnapshotError> {
        if section.as_ref().len() != num_docs as usize {
            let reason = "there is not one weight for each name";
            return Err(section.damaged(reason));
        }
        Ok(NameWeights { section })
    }

    /// The byte of a business; see [`LEAST`].
    #[inline]
    pub fn byte(&self, doc: DocId) -> u8 {
        self.section.as_ref()[doc.index()]
    }
}

/// Finds the bytes of names, one after the other.
#[derive(Default, Debug)]
pub struct NameWeigher {
    /// Of each position of the name at hand, its weight.
    positions: Vec<f64>,
    /// The terms of the name, and the positions that each stands for.
    terms: Vec<(u32, Range<usize>)>,
    /// By position, the last term that was seen to cover it.
    covered_by: Vec<u32>,
}

impl NameWeigher {
    /// The byte of a name with this core.
    pub fn byte(
        &mut self,
        core: NameCore,
        tokens: Tokens<'_>,
        weight_of_code: impl Fn(u32) -> u32,
    ) -> u8 {
        let NameWeigher { positions, terms, covered_by } = self;
        positions.clear();
        terms.clear();
        tokens.of_core(core, |token, places| {
            match token {
                Token::Word(code) => positions.push(sharpened(weight_of_code(code))),
                Token::Gap => positions.push(0.0),
                Token::Alternative(_) | Token::Joined { .. } => {}
            }
            terms.extend(token.code().map(|code| (code, places)));
        });
        terms.sort_unstable_by_key(|&(code, _)| code);
        covered_by.clear();
        covered_by.resize(positions.len(), 0);
        let total: f64 = positions.iter().sum();
        let of_terms = terms.chunk_by(|a, b| a.0 == b.0).map(|term| {
            let code = term[0].0;
            let mut covered = 0.0;
            for place in term.iter().flat_map(|(_, places)| places.clone()) {
                // Words have codes above 0.
                if std::mem::replace(&mut covered_by[place], code) != code {
                    covered += positions[place];
                }
            }
            if covered > 0.0 { sharpened(weight_of_code(code)) * total / covered } else { total }
        });
        encode(of_terms.fold(total, f64::min))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::columns::doc_tokens::{CODE_MIN, push_token};
    use proptest::prelude::*;

    #[test]
    fn a_byte_says_no_more_than_the_weight() {
        for weight in (0..20_000).map(|at| f64::from(at) * 1.7).chain([1e9, f64::MAX, f64::NAN]) {
            let byte = encode(weight);
            assert!(byte == 0 || LEAST[usize::from(byte)] <= weight, "{weight} is {byte}");
            assert!(
                weight.is_nan() || byte == 255 || LEAST[usize::from(byte) + 1] > weight * 0.999_99
            );
        }
    }

    fn tokens() -> impl Strategy<Value = Vec<Token>> {
        let code = CODE_MIN..CODE_MIN + 5;
        let token = prop_oneof![
            6 => code.clone().prop_map(Token::Word),
            1 => code.clone().prop_map(Token::Alternative),
            1 => (1u32..4, code).prop_map(|(parts, code)| Token::Joined { parts, code }),
            1 => Just(Token::Gap),
        ];
        proptest::collection::vec(token, 0..9)
    }

    proptest! {
        #[test]
        fn no_term_covers_more_than_its_weight_says(
            tokens in tokens(),
            (start, end) in (0u32..3, 0u32..8),
            has_article: bool,
            weights in proptest::array::uniform5(1u32..4000),
        ) {
            let mut bytes = Vec::new();
            tokens.iter().for_each(|&token| push_token(&mut bytes, token));
            let weight = |code: u32| weights[(code - CODE_MIN) as usize];
            let core = NameCore { start, end, has_article };
            let byte = NameWeigher::default().byte(core, Tokens::of(&bytes), weight);
            // By position: its weight, and the terms that cover it.
            let mut positions: Vec<(f64, Vec<u32>)> = Vec::new();
            for &token in &tokens {
                match token {
                    Token::Word(_) | Token::Gap if positions.len() == core.end as usize => break,
                    Token::Word(code) => positions.push((sharpened(weight(code)), vec![code])),
                    Token::Gap => positions.push((0.0, Vec::new())),
                    Token::Alternative(code) => {
                        positions.last_mut().into_iter().for_each(|it| it.1.push(code));
                    }
                    Token::Joined { parts, code } => {
                        positions.iter_mut().rev().take(parts as usize).for_each(|it| it.1.push(code));
                    }
                }
            }
            positions.drain(..positions.len().min(core.behind_article() as usize));
            let total: f64 = positions.iter().map(|it| it.0).sum();
            let (mut closest, least) = (f64::MAX, LEAST[usize::from(byte)]);
            for code in CODE_MIN..CODE_MIN + 5 {
                let of_term = positions.iter().filter(|it| it.1.contains(&code));
                let covered: f64 = of_term.map(|it| it.0).sum();
                let share = sharpened(weight(code)) / least;
                prop_assert!(byte == 0 || share >= covered / total, "{} of {}", covered, total);
                closest = closest.min(if covered > 0.0 { share / (covered / total) } else { f64::MAX });
            }
            // Of one of the terms it says about as much as there is to say.
            prop_assert!(byte == 0 || closest < 1.07, "{closest}");
        }
    }
}
