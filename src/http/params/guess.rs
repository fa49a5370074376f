//! What a caller may have meant by a name that no parameter has.

use super::table::Param;
use crate::http::escaped::Excerpt;
use crate::http::operation::Operation;
use crate::http::respond::{Code, Refusal};

/// Most characters of a name that are looked at.
const NAME_CHARS_MAX: usize = 64;

/// Names that other services use, and what stands for them here, in the words of a message.
const KNOWN_ELSEWHERE: &[(&[&str], &str)] = &[
    (
        &[
            "page",
            "offset",
            "start",
            "skip",
            "from",
            "after",
            "before",
            "page_token",
            "next",
            "scroll",
            "next_cursor",
            "previous_cursor",
        ],
        "pages are walked by `cursor`: give `next_cursor` of the response",
    ),
    (
        &[
            "per_page",
            "page_size",
            "pagesize",
            "size",
            "count",
            "rows",
            "top",
            "first",
            "num",
            "max_results",
            "n",
            "take",
        ],
        "did you mean `limit`?",
    ),
    (
        &[
            "query",
            "search",
            "text",
            "term",
            "terms",
            "keyword",
            "keywords",
            "name",
            "company",
            "s",
            "website",
            "domain",
            "url",
            "host",
            "description",
        ],
        "did you mean `q`?",
    ),
    (
        &[
            "country",
            "city",
            "state",
            "region",
            "province",
            "place",
            "places",
            "address",
            "geo",
            "near",
            "where",
            "locale",
            "locations",
        ],
        "did you mean `location`?",
    ),
    (&["sector", "category", "vertical", "industries", "sic", "naics"], "did you mean `industry`?"),
    (
        &["employees", "employee_count", "headcount", "staff", "company_size", "size_range"],
        "did you mean `min_employees` and `max_employees`?",
    ),
    (
        &["founded_year", "founded", "year", "year_founded", "founding_year", "established"],
        "did you mean `min_founded_year` and `max_founded_year`?",
    ),
    (
        &["min_year", "founded_after", "founded_from", "year_from"],
        "did you mean `min_founded_year`?",
    ),
    (&["max_year", "founded_before", "founded_to", "year_to"], "did you mean `max_founded_year`?"),
    (&["order_by", "orderby", "sort_by", "sortby", "sort_field"], "did you mean `sort`?"),
    (&["direction", "dir", "sort_order", "sort_dir", "asc", "desc"], "did you mean `order`?"),
    (&["select", "include", "columns", "field", "_source", "fl"], "did you mean `fields`?"),
    (
        &["exclude_country", "exclude_city", "exclude_state", "not_location"],
        "did you mean `exclude_location`?",
    ),
    (&["exclude_sector", "exclude_category", "not_industry"], "did you mean `exclude_industry`?"),
    (&["facets", "aggs", "aggregations", "group_by"], "did you mean `facet`?"),
    (&["ids", "uuid"], "did you mean `id`?"),
    (
        &["api_key", "apikey", "key", "token", "access_token", "auth", "x-api-key"],
        "the key goes into the header `X-API-Key`",
    ),
    (&["format", "callback", "pretty", "output"], "answers are JSON, always"),
];

/// The refusal of a name that no parameter of a request has; says what may have been meant.
pub(super) fn unknown_parameter(name: &str, operation: Operation<'_>) -> Refusal {
    let accepted = operation.params();
    let guess =
        guess(name, operation).map_or_else(|| ". ".to_owned(), |guess| format!("; {guess} "));
    let names: Vec<&str> = accepted.iter().map(|param| param.name()).collect();
    let known = match names.as_slice() {
        [] => "No parameters are accepted here".to_owned(),
        names => format!("Accepted are {}; names are case-sensitive", names.join(", ")),
    };
    let message =
        format!("\"{}\" is not a parameter of {}{guess}{known}", Excerpt(name), operation.path());
    let param = name.chars().take(NAME_CHARS_MAX).collect();
    Refusal { code: Code::UnknownParameter, message, param: Some(param) }
}

/// A sentence that leads on, if there is a good one.
fn guess(name: &str, operation: Operation<'_>) -> Option<String> {
    let accepted = operation.params();
    // A bounded part suffices to find the nearest name, and bounds the cost.
    let name = name.trim().chars().take(NAME_CHARS_MAX).collect::<String>().to_lowercase();
    let is_accepted = |hint: &str| {
        let named = hint.split('`').skip(1).step_by(2);
        named.filter(|word| is_parameter(word)).all(|word| Param::named(word, accepted).is_some())
    };
    let elsewhere = KNOWN_ELSEWHERE.iter().find(|(names, _)| names.contains(&name.as_str()));
    if let Some((_, hint)) = elsewhere.filter(|(_, hint)| is_accepted(hint)) {
        return Some(format!("{hint}{}", if hint.ends_with('?') { "" } else { "." }));
    }
    let distance = |param: &Param| strsim::osa_distance(&name, param.name());
    let nearest = accepted.iter().min_by_key(|param| distance(param))?;
    if distance(nearest) <= edits_max(&name) {
        return Some(format!("did you mean `{}`?", nearest.name()));
    }
    let others = Operation::ALL.into_iter().filter(|other| *other != operation);
    let taken_by = others.map(|other| (other, other.params()));
    let (other, _) = taken_by.into_iter().find(|it| Param::named(&name, it.1).is_some())?;
    Some(format!("{} takes it.", other.path()))
}

/// How many edits away a name may be from what was meant: a third of it, three at most.
fn edits_max(name: &str) -> usize {
    (name.chars().count() / 3).min(3)
}

fn is_parameter(word: &str) -> bool {
    Param::ALL.into_iter().any(|param| param.name() == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(name: &str, operation: Operation<'_>) -> String {
        unknown_parameter(name, operation).message
    }

    #[test]
    fn unknown_names_are_answered_with_the_nearest_known_one() {
        for (given, nearest) in [
            ("min_employee", "min_employees"),
            ("max_employes", "max_employees"),
            ("minemployees", "min_employees"),
            ("Limit", "limit"),
            ("LOCATION", "location"),
            ("locaton", "location"),
            ("industries", "industry"),
            ("sortby", "sort"),
            ("orders", "order"),
            ("cursors", "cursor"),
            ("feilds", "fields"),
            ("min_found_year", "min_founded_year"),
            ("Q", "q"),
        ] {
            let message = message(given, Operation::Search);
            assert!(message.contains(&format!("did you mean `{nearest}`?")), "{given}: {message}");
        }
    }

    #[test]
    fn names_of_other_services_lead_to_the_right_one() {
        for (given, part) in [
            ("page", "`cursor`"),
            ("offset", "`cursor`"),
            ("per_page", "`limit`"),
            ("size", "`limit`"),
            ("country", "`location`"),
            ("city", "`location`"),
            ("query", "`q`"),
            ("founded_year", "`min_founded_year` and `max_founded_year`"),
            ("employees", "`min_employees` and `max_employees`"),
            ("api_key", "`X-API-Key`"),
            ("order_by", "`sort`"),
        ] {
            let message = message(given, Operation::Search);
            assert!(message.contains(part), "{given}: {message}");
        }
        assert!(message("cursor", Operation::Businesses).contains("/v1/search takes it"));
        assert!(message("sort", Operation::Facets).contains("/v1/search takes it"));
        assert!(message("q", Operation::About).contains("No parameters are accepted"));
    }

    #[test]
    fn nothing_is_guessed_where_nothing_is_near() {
        for given in ["x", "zzzzzzzzzz", "", "=", "a;b", "foo"] {
            let message = message(given, Operation::Search);
            assert!(!message.contains("did you mean"), "{given}: {message}");
        }
    }

    #[test]
    fn hints_name_parameters_that_there_are() {
        for (names, hint) in KNOWN_ELSEWHERE {
            let mut named = hint.split('`').skip(1).step_by(2);
            let is_known =
                |word| is_parameter(word) || ["next_cursor", "X-API-Key"].contains(&word);
            assert!(named.all(is_known), "{hint}");
            assert!(names.iter().all(|name| *name == name.to_lowercase()), "{hint}");
        }
    }
}
