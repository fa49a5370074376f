//! Folding of places: that of filters, and then signs.

use crate::analyzer::fold_filter;

/// The folded forms of a place: none if nothing is left, two of an umlaut word, else one.
pub fn fold(text: &str) -> Vec<String> {
    let mut forms = fold_filter(text);
    for form in forms.iter_mut().filter(|form| has_signs(form)) {
        *form = strip_signs(form);
    }
    forms.retain(|form| !form.is_empty());
    forms.dedup();
    forms
}

/// May the folded text have anything that [`strip_signs`] changes? Most have not.
fn has_signs(form: &str) -> bool {
    !form.is_ascii() || form.bytes().any(|byte| matches!(byte, b'.' | b'\'' | b'-'))
}

/// Drops dots and apostrophes; hyphens and dashes part words as spaces do, and one space is enough.
fn strip_signs(text: &str) -> String {
    let is_gap = |c: char| c.is_whitespace() || matches!(c, '-' | '\u{2010}'..='\u{2015}' | '−');
    let is_dropped = |c: char| matches!(c, '.' | '\'' | '‘' | '’' | 'ʻ' | 'ʼ');
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.chars().filter(|&c| !is_dropped(c)) {
        if is_gap(c) {
            gap = true;
            continue;
        }
        // Around commas there is no space, as in `fold_filter`.
        if gap && c != ',' && !out.is_empty() && !out.ends_with(',') {
            out.push(' ');
        }
        gap = false;
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_has_no_signs_stays_as_it_is(text in "[a-c.'–\\- ,&é]{0,10}") {
            for form in fold_filter(&text) {
                prop_assert!(has_signs(&form) || strip_signs(&form) == form);
            }
        }
    }
}
