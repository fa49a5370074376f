//! Legal forms of businesses: words that name no business by themselves.
//!
//! Contract, section 3, "AND": at the end of a query they are optional, and names are compared without them.

/// Forms that count however they are written.
const PLAIN: [&str; 28] = [
    "ag",
    "aps",
    "asa",
    "bv",
    "co",
    "company",
    "corp",
    "corporation",
    "gmbh",
    "inc",
    "incorporated",
    "kg",
    "limited",
    "llc",
    "llp",
    "lp",
    "ltd",
    "nv",
    "oy",
    "oyj",
    "plc",
    "pte",
    "pty",
    "pvt",
    "sa",
    "sarl",
    "sas",
    "srl",
];

/// Forms that are words of other languages, and so count only when written with dots (`S.p.A.`).
const DOTTED: [&str; 4] = ["ab", "as", "se", "spa"];

/// A legal form as a query asks for it: as a word, or with dots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LegalForm {
    /// The word, or what the letters between dots are together.
    pub word: &'static str,
    /// Is it written with dots?
    pub is_dotted: bool,
}

/// How many there are.
pub const NUM_FORMS: usize = 2 * PLAIN.len() + DOTTED.len();

/// All of them, in the order of their [numbers](number). A snapshot holds these numbers, as it holds which names end on
/// a form: other forms are another format.
pub fn all() -> impl Iterator<Item = LegalForm> {
    let dotted = PLAIN.into_iter().chain(DOTTED);
    let plain = PLAIN.into_iter().map(|word| LegalForm { word, is_dotted: false });
    plain.chain(dotted.map(|word| LegalForm { word, is_dotted: true }))
}

/// The number of a form, if it is one.
pub fn number(word: &str, is_dotted: bool) -> Option<usize> {
    all().position(|form| form.word == word && form.is_dotted == is_dotted)
}

/// Is `word` a legal form as it stands?
pub fn is_plain(word: &str) -> bool {
    PLAIN.contains(&word)
}

/// Is `joined`, the joined form of a dotted compound, a legal form?
pub fn is_dotted(joined: &str) -> bool {
    is_plain(joined) || DOTTED.contains(&joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_numbered() {
        assert_eq!(all().count(), NUM_FORMS);
        for (at, form) in all().enumerate() {
            assert_eq!(number(form.word, form.is_dotted), Some(at), "{form:?}");
            assert!(if form.is_dotted { is_dotted(form.word) } else { is_plain(form.word) });
        }
        assert_eq!(number("spa", false), None);
    }
}
