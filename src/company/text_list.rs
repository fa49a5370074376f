//! Texts of a field that holds any number of them.

/// Behind every text but the last: no text of a record holds it.
const SEPARATOR: char = '\0';

/// Any number of texts that are not empty, in one string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextList(String);

impl TextList {
    /// Appends a text; an empty one is none.
    pub fn push(&mut self, text: &str) {
        debug_assert!(!text.contains(SEPARATOR));
        if !text.is_empty() {
            if !self.0.is_empty() {
                self.0.push(SEPARATOR);
            }
            self.0.push_str(text);
        }
    }

    /// Takes all texts out.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The texts, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        texts_of(self.joined())
    }

    /// All texts in one, for [`texts_of`]; none if there are none.
    pub fn joined(&self) -> Option<&str> {
        (!self.0.is_empty()).then_some(self.0.as_str())
    }
}

impl<T: AsRef<str>> FromIterator<T> for TextList {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> TextList {
        let mut list = TextList::default();
        texts.into_iter().for_each(|text| list.push(text.as_ref()));
        list
    }
}

/// The texts of a list that was [joined](TextList::joined).
pub fn texts_of(joined: Option<&str>) -> impl Iterator<Item = &str> {
    joined.into_iter().flat_map(|texts| texts.split(SEPARATOR))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_kept_in_order_and_empty_ones_are_none() {
        let list: TextList = ["Harrow Mill", "", "HM"].into_iter().collect();
        assert_eq!(list.iter().collect::<Vec<_>>(), ["Harrow Mill", "HM"]);
        assert_eq!(TextList::default().joined(), None);
        assert_eq!(TextList::default().iter().count(), 0);
    }
}
