//! English singular and plural.
//!
//! Two words match in industry and description if they share a form; [`forms`] lists the forms of a
//! word, [`candidates`] the words that may have a given form. Contract, section 3, "Plural".

/// One form of a word, without a text of its own: what the word begins with, maybe with a `y`
/// behind it.
#[derive(Clone, Copy, Debug)]
struct Form<'w> {
    stem: &'w str,
    has_y: bool,
}

impl Form<'_> {
    fn is(self, other: Form<'_>) -> bool {
        match (self.has_y, other.has_y) {
            (true, false) => other.stem.strip_suffix('y') == Some(self.stem),
            (false, true) => self.stem.strip_suffix('y') == Some(other.stem),
            _ => self.stem == other.stem,
        }
    }

    fn push_to(self, text: &mut String) {
        text.push_str(self.stem);
        if self.has_y {
            text.push('y');
        }
    }
}

fn forms_of(word: &str) -> impl Iterator<Item = Form<'_>> {
    let is_plural = is_plural_shaped(word);
    let without = |suffix: &str, has_y| {
        let stem = word.strip_suffix(suffix).filter(|_| is_plural)?;
        Some(Form { stem, has_y })
    };
    [
        Some(Form { stem: word, has_y: false }),
        without("s", false),
        without("es", false),
        without("ies", true),
    ]
    .into_iter()
    .flatten()
}

/// The forms of `word`: itself, and what it may be the plural of. At most four.
pub fn forms(word: &str) -> impl Iterator<Item = String> {
    forms_of(word).map(|form| {
        let mut text = String::with_capacity(word.len());
        form.push_to(&mut text);
        text
    })
}

/// May `word` have forms beside itself?
pub fn is_plural_shaped(word: &str) -> bool {
    word.ends_with('s')
        && !word.ends_with("us")
        && !word.ends_with("ss")
        && word != "news"
        && word.chars().nth(3).is_some()
}

/// What a word may have behind one of its forms; `ies` in place of a last `y`.
const ENDINGS: [&str; 4] = ["", "s", "es", "ies"];

/// Makes the word with this ending of a form; false if the form has no such word.
fn add_ending(form: &mut String, ending: &str) -> bool {
    if ending == "ies" && form.pop() != Some('y') {
        return false;
    }
    form.push_str(ending);
    true
}

/// The words that may have `form` among their forms, itself first. Some may not: check with
/// [`forms`].
pub fn candidates(form: &str) -> impl Iterator<Item = String> {
    ENDINGS.into_iter().filter_map(move |ending| {
        let mut word = form.to_owned();
        add_ending(&mut word, ending).then_some(word)
    })
}

/// Do two words share a form?
pub fn matches(a: &str, b: &str) -> bool {
    a == b || forms_of(a).any(|form| forms_of(b).any(|other| other.is(form)))
}

/// All words that share a form with `word`, itself among them, sorted.
pub fn related(word: &str) -> Vec<String> {
    let mut related: Vec<String> = Vec::new();
    let mut candidate = String::with_capacity(word.len() + 2);
    for form in forms_of(word) {
        for ending in ENDINGS {
            candidate.clear();
            form.push_to(&mut candidate);
            if add_ending(&mut candidate, ending)
                && matches(word, &candidate)
                && !related.contains(&candidate)
            {
                related.push(candidate.clone());
            }
        }
    }
    related.sort_unstable();
    related
}

/// Do all words that match `word` begin with it?
pub fn begins_related(word: &str) -> bool {
    !is_plural_shaped(word) && !word.ends_with('y')
}

/// What all words that match each other begin with: of two that [match](fn@matches) it is the same,
/// but it may be the same of others too.
pub fn common_start(word: &str) -> &str {
    word.trim_end_matches(['s', 'e', 'i', 'y'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn words_that_match_begin_alike(a in "[a-c]{0,3}[seiy]{0,5}", b in "[a-c]{0,3}[seiy]{0,5}") {
            prop_assert!(!matches(&a, &b) || common_start(&a) == common_start(&b));
            for form in forms(&a) {
                prop_assert_eq!(common_start(&form), common_start(&a));
            }
        }

        #[test]
        fn words_are_related_if_any_form_is_the_same(
            a in "[a-c]{0,3}[seiy]{0,5}|(new|bus|öl|compan)(s|y|ies|es)?",
            b in "[a-c]{0,3}[seiy]{0,5}",
        ) {
            let shares = |a: &str, b: &str| forms(a).any(|form| forms(b).any(|other| other == form));
            prop_assert_eq!(matches(&a, &b), shares(&a, &b));
            let candidates = forms(&a).flat_map(|form| candidates(&form).collect::<Vec<_>>());
            let expected: BTreeSet<String> = candidates.filter(|other| shares(&a, other)).collect();
            prop_assert!(!begins_related(&a) || expected.iter().all(|word| word.starts_with(&a)));
            prop_assert_eq!(related(&a), expected.into_iter().collect::<Vec<_>>());
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
