//! Which legal forms the name of each business carries, and which two.

use super::best_within::Sets;
use super::by_doc::{CHUNK_DOCS, num_chunks};
use super::compound_names::CompoundNames;
use crate::analyzer::legal_form::{self, LegalForm, NUM_FORMS};
use crate::snapshot::best_within::{NUM_FORM_SETS, form_set};
use crate::snapshot::container::for_each_bit;
use crate::snapshot::terms::Terms;
use rustc_hash::FxHashMap;

/// Some of the forms: one bit for each, by number.
type Combination = u64;

const _: () = assert!(NUM_FORMS <= Combination::BITS as usize);

/// The legal forms in names. Takes four bytes a business.
pub struct LegalForms {
    numbers: Vec<u32>,
    /// Fewest businesses that hold a term and carry two forms.
    two_docs_min: usize,
    /// The sets of each combination that any name carries.
    combinations: Vec<Vec<u32>>,
    /// Which of these each business carries.
    of: Vec<u32>,
}

impl LegalForms {
    /// Those in the names of `num_docs` businesses, as a query tells them: a form that is written with dots is also
    /// carried by a name that holds its letters as words. Calls `release` after each chunk of businesses: the lists looked
    /// at so far may be given back.
    pub fn new(
        terms: &Terms,
        num_docs: u32,
        two_docs_min: usize,
        release: impl Fn(),
    ) -> LegalForms {
        let forms: Vec<CompoundNames> =
            legal_form::all().map(|form| carriers(terms, form)).collect();
        let mut combinations = vec![Vec::new()];
        let mut numbers = FxHashMap::from_iter([(0, 0)]);
        let mut of = Vec::with_capacity(num_docs as usize);
        let mut carried = vec![0; CHUNK_DOCS];
        for key in 0..num_chunks(num_docs) {
            carried.fill(0);
            for (number, form) in forms.iter().enumerate() {
                let bits = form.names_in(terms, key);
                for_each_bit(bits.iter().copied(), |low| carried[usize::from(low)] |= 1 << number);
            }
            let left = num_docs as usize - of.len();
            of.extend(carried[..left.min(CHUNK_DOCS)].iter().map(|&combination| {
                *numbers.entry(combination).or_insert_with(|| {
                    combinations.push(sets(combination));
                    combinations.len() as u32 - 1
                })
            }));
            release();
        }
        let numbers = (0..NUM_FORM_SETS as u32).collect();
        LegalForms { numbers, two_docs_min, combinations, of }
    }
}

impl Sets for LegalForms {
    const HAS_LONGER: bool = false;

    fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    fn docs_min(&self, at: usize, docs_min: usize) -> usize {
        if at < NUM_FORMS { docs_min } else { docs_min.max(self.two_docs_min) }
    }

    #[inline]
    fn places_of(&self, doc: u32) -> impl Iterator<Item = usize> {
        self.combinations[self.of[doc as usize] as usize].iter().map(|&set| set as usize)
    }
}

/// The sets that whoever carries a combination is in: one for each form, and for every two.
fn sets(combination: Combination) -> Vec<u32> {
    let carried: Vec<usize> =
        (0..NUM_FORMS).filter(|number| combination >> number & 1 == 1).collect();
    let pairs =
        (0..carried.len()).flat_map(|at| carried[at + 1..].iter().map(move |other| (at, *other)));
    let pairs = pairs.map(|(at, other)| form_set(&[carried[at], other]));
    carried.iter().map(|&form| form_set(&[form])).chain(pairs).flatten().collect()
}

/// The names that carry a form.
fn carriers(terms: &Terms, form: LegalForm) -> CompoundNames {
    let letters = || form.word.chars().map(|letter| terms.ord(letter.encode_utf8(&mut [0; 4])));
    CompoundNames {
        joined: terms.ord(form.word),
        // Those of its letters, if it is written with dots, and all stand somewhere.
        parts: if form.is_dotted { letters().collect() } else { None },
    }
}
