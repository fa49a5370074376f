//! Folding of places: that of filters, and then signs.

use crate::analyzer::fold_filter;

/// The folded forms of a place: none if nothing is left, two of an umlaut word, else one.
pub fn fold(text: &str) -> Vec<String> {
    let mut forms: Vec<String> = fold_filter(text).iter().map(|form| strip_signs(form)).collect();
    forms.retain(|form| !form.is_empty());
    forms.dedup();
    forms
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
