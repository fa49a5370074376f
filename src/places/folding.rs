//! Folding of places: that of filters, and then what places are called in two ways.

use crate::analyzer::fold_filter;

/// Words in front of names of places, and what they are written as in short.
const SHORTENED: [(&str, &str); 4] =
    [("saint", "st"), ("sainte", "ste"), ("fort", "ft"), ("mount", "mt")];

/// The folded forms of a place: none if nothing is left, two of an umlaut word, else one.
pub fn fold(text: &str) -> Vec<String> {
    places_of(fold_filter(text))
}

/// The folded forms of a place, of its forms as a value of a filter.
pub fn places_of(mut forms: Vec<String>) -> Vec<String> {
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
        fn parts_between_commas_fold_alone(parts in prop::collection::vec("([a-cäßÄ'’&.\u{301}\u{2011} -]|the|st|İ|ﬀ|東|ا){0,6}", 0..4)) {
            let whole = parts.join(", ");
            let alone: Vec<Vec<String>> = parts.iter().map(|part| fold_filter(part)).collect();
            let num_forms = alone.iter().map(Vec::len).max().unwrap_or(1);
            let form = |number: usize| {
                let form = |forms: &Vec<String>| forms.get(number).unwrap_or(&forms[0]).clone();
                alone.iter().map(form).filter(|it| !it.is_empty()).collect::<Vec<_>>().join(",")
            };
            prop_assert_eq!(fold_filter(&whole), (0..num_forms).map(form).collect::<Vec<_>>());
        }

        #[test]
        fn a_folded_place_stays_as_it_is(text in "((the|saint|fort|st)[ ,.-]|[abä]{1,2}[ ,]?|\\(the\\)){0,4}") {
            for form in fold(&text) {
                let again = fold(&form);
                prop_assert!(again.len() == 1 && again[0].len() <= form.len(), "{form} {again:?}");
            }
        }
    }
}
