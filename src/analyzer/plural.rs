//! English singular and plural.
//!
//! Two words match in industry and description if they share a form; [`forms`] lists the forms of a word,
//! [`candidates`] the words that may have a given form. Contract, section 3, "Plural".

/// The forms of `word`: itself, and what it may be the plural of. At most four.
pub fn forms(word: &str) -> impl Iterator<Item = String> {
    let plural = is_plural_shaped(word);
    let singular = plural.then(|| word[..word.len() - 1].to_owned());
    let without_es = (plural && word.ends_with("es")).then(|| word[..word.len() - 2].to_owned());
    let with_y = (plural && word.ends_with("ies")).then(|| format!("{}y", &word[..word.len() - 3]));
    std::iter::once(word.to_owned()).chain(singular).chain(without_es).chain(with_y)
}

/// May `word` have forms beside itself?
pub fn is_plural_shaped(word: &str) -> bool {
    word.ends_with('s')
        && !word.ends_with("us")
        && !word.ends_with("ss")
        && word != "news"
        && word.chars().nth(3).is_some()
}

/// The words that may have `form` among their forms, itself first. Some may not: check with [`forms`].
pub fn candidates(form: &str) -> impl Iterator<Item = String> {
    let y = form.strip_suffix('y').map(|stem| format!("{stem}ies"));
    [form.to_owned(), format!("{form}s"), format!("{form}es")].into_iter().chain(y)
}

/// Do two words share a form?
pub fn matches(a: &str, b: &str) -> bool {
    a == b || forms(a).any(|form| forms(b).any(|other| other == form))
}

/// All words that share a form with `word`, itself among them, sorted.
pub fn related(word: &str) -> Vec<String> {
    let mut related: Vec<String> = forms(word)
        .flat_map(|form| candidates(&form).collect::<Vec<_>>())
        .filter(|other| matches(word, other))
        .collect();
    related.sort_unstable();
    related.dedup();
    related
}

/// What all words that match each other begin with: of two that [match](fn@matches) it is the same, but it may be the same
/// of others too.
pub fn common_start(word: &str) -> &str {
    word.trim_end_matches(['s', 'e', 'i', 'y'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_that_match_begin_alike(a in "[a-c]{0,3}[seiy]{0,5}", b in "[a-c]{0,3}[seiy]{0,5}") {
            prop_assert!(!matches(&a, &b) || common_start(&a) == common_start(&b));
            for form in forms(&a) {
                prop_assert_eq!(common_start(&form), common_start(&a));
            }
        }
    }

    #[test]
    fn words_that_share_a_form_match() {
        for (a, b) in [
            ("size", "sizes"),
            ("box", "boxes"),
            ("company", "companies"),
            ("cats", "cat"),
            ("gases", "gas"),
            ("houses", "house"),
            ("cookie", "cookies"),
        ] {
            assert!(matches(a, b), "{a} {b}");
            assert!(matches(b, a), "{b} {a}");
        }
        for (a, b) in [
            ("bus", "bu"),
            ("glass", "glas"),
            ("news", "new"),
            ("gas", "ga"),
            ("its", "it"),
            ("box", "boxy"),
        ] {
            assert!(!matches(a, b), "{a} {b}");
        }
    }

    #[test]
    fn candidates_cover_every_word_with_the_form() {
        for word in ["companies", "boxes", "sizes", "cats", "news", "gas", "y", "ies", "cookies"] {
            for form in forms(word) {
                assert!(candidates(&form).any(|candidate| candidate == word), "{word} {form}");
            }
        }
    }
}
