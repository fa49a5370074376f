//! Legal forms of businesses: words that name no business by themselves.
//!
//! Contract, section 3, "AND": at the end of a query they are optional, and names are compared
//! without them. A snapshot holds which names end on a form: other forms are another format.

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

/// Is `word` a legal form as it stands?
pub fn is_plain(word: &str) -> bool {
    PLAIN.contains(&word)
}

/// Is `joined`, the joined form of a dotted compound, a legal form?
pub fn is_dotted(joined: &str) -> bool {
    is_plain(joined) || DOTTED.contains(&joined)
}
