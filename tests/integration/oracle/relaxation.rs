//! When any word will do: contract, section 3, "Relaxation".

use super::Oracle;
use super::meaning::Meaning;
use super::text::Searched;

/// Is a `q` relaxed?
pub fn is_needed(meaning: &Meaning<'_>, oracle: &Oracle) -> bool {
    // "if, filters and exclusions aside, nothing matches all words even so"; a `q` without words
    // that must match (blank, without any word, only exclusions) is not relaxed.
    let records = || oracle.records().iter().map(|record| &record.searched);
    !meaning.required.is_empty()
        && !records().any(|record| meaning.matches_all(record))
        // "If that matches anything, the header … says so."
        && records().any(|record| matches(meaning, record))
}

/// Does a record match a relaxed `q`, exclusions aside?
pub fn matches(meaning: &Meaning<'_>, record: &Searched) -> bool {
    // "the words of `q` that are not in quotes become optional, with their readings; one of them at
    // least, legal forms not counted, stays required (phrases stay required, exclusions excluded)"
    let (quoted, optional): (Vec<_>, Vec<_>) =
        meaning.required.iter().partition(|required| required.clause.is_quoted);
    let mut counted = optional.iter().filter(|required| !required.clause.is_legal_form);
    quoted.iter().all(|required| required.matches(record))
        && counted.any(|required| required.matches(record))
}
