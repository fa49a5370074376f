//! Texts by number, one after the other in memory.

use super::buffer_pool::Reuse;
use super::external_sort::prefix_of;

/// Texts, numbered from 0 as they come.
#[derive(Default)]
pub struct Texts {
    all: String,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Reuse for Texts {
    fn clear(&mut self) {
        self.all.clear();
        self.ends.clear();
    }
}

impl Texts {
    /// How many there are.
    #[allow(clippy::len_without_is_empty)] // nobody asks
    pub fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    /// Appends a text.
    #[inline]
    pub fn push(&mut self, text: &str) {
        self.all.push_str(text);
        self.ends.push(self.all.len());
    }

    /// The text with a number.
    #[inline]
    pub fn get(&self, number: u32) -> &str {
        let at = number as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[at]]
    }

    /// The numbers in the order of their texts, in place of what `sorted` holds: each behind the
    /// first eight bytes of its text, which tells nearly all apart.
    pub fn sort(&self, sorted: &mut Vec<(u64, u32)>) {
        sorted.clear();
        let prefix = |number| prefix_of(self.get(number).as_bytes());
        sorted.extend((0..self.len()).map(|number| (prefix(number), number)));
        sorted
            .sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| self.get(a.1).cmp(self.get(b.1))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn texts_are_found_by_number_and_in_order(all in prop::collection::vec("[ab]{0,12}|.{0,4}", 0..60)) {
            let mut texts = Texts::default();
            all.iter().for_each(|text| texts.push(text));
            prop_assert!((0..texts.len()).map(|number| texts.get(number)).eq(&all));
            let mut sorted = vec![(7, 7)];
            texts.sort(&mut sorted);
            let mut expected = all.clone();
            expected.sort_unstable();
            prop_assert!(sorted.iter().map(|&(_, number)| texts.get(number)).eq(&expected));
            let mut numbers: Vec<u32> = sorted.iter().map(|entry| entry.1).collect();
            numbers.sort_unstable();
            prop_assert!(numbers.into_iter().eq(0..texts.len()));
        }
    }
}
