//! Folding of places: that of filters, and then what places are called in two ways.

use crate::analyzer::fold_filter;

/// Words in front of names of places, and what they are written as in short.
const SHORTENED: [(&str, &str); 4] =
    [("saint", "st"), ("sainte", "ste"), ("fort", "ft"), ("mount", "mt")];

/// The folded forms of a place: none if nothing is left, two of an umlaut word, else one.
pub fn fold(text: &str) -> Vec<String> {
    let mut forms = fold_filter(text);
    for form in forms.iter_mut() {
        if form.contains(',') {
            *form = form.replace(',', " ");
        }
        strip_article(form);
        shorten(form);
    }
    forms.retain(|form| !form.is_empty());
    forms.dedup();
    forms
}

/// Drops an article `the` in front or behind, in brackets or not, of what is more than that.
fn strip_article(form: &mut String) {
    if let Some(rest) = form.strip_prefix("the ") {
        *form = rest.to_owned();
    }
    for article in [" the", " (the)"] {
        if form.ends_with(article) {
            form.truncate(form.len() - article.len());
        }
    }
}

fn shorten(form: &mut String) {
    let Some((first, rest)) = form.split_once(' ') else { return };
    if let Some((_, short)) = SHORTENED.iter().find(|(long, _)| *long == first) {
        *form = format!("{short} {rest}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn two_ways_of_a_name_are_one() {
        for (text, folded) in [
            ("Washington, D.C.", "washington dc"),
            ("Bahamas, The", "bahamas"),
            ("The Bahamas", "bahamas"),
            ("Gambia (the)", "gambia"),
            ("The", "the"),
            ("Saint-Étienne", "st etienne"),
            ("St. Étienne", "st etienne"),
            ("Sainte-Foy", "ste foy"),
            ("Fort Worth", "ft worth"),
            ("Mt. Vernon", "mt vernon"),
            ("Mount Vernon", "mt vernon"),
            ("Le Fort", "le fort"),
            ("Saint", "saint"),
            ("’s-Hertogenbosch", "s hertogenbosch"),
        ] {
            assert_eq!(fold(text), [folded], "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_folded_place_stays_as_it_is(text in "((the|saint|fort|st)[ ,.-]|[abä]{1,2}[ ,]?|\\(the\\)){0,4}") {
            for form in fold(&text) {
                let again = fold(&form);
                prop_assert!(again.len() == 1 && again[0].len() <= form.len(), "{form} {again:?}");
            }
        }
    }
}
