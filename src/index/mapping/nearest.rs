//! Names that are meant for others: of keys, columns and fields.

use crate::company::Field;

/// How alike two names must be, from 0 to 1.
const LIKENESS_MIN: f64 = 0.85;

/// Other words for fields, as exports and interfaces have them.
const OTHER_NAMES: [(Field, &[&str]); 12] = [
    (Field::Id, &["uuid", "company id", "number", "identifier", "key"]),
    (
        Field::Name,
        &["company", "company name", "title", "organization", "organisation", "legal name"],
    ),
    (Field::Website, &["url", "domain", "homepage", "web", "site", "website url", "links"]),
    (Field::Description, &["about", "summary", "overview", "short description", "profile"]),
    (Field::Industry, &["sector", "category", "branch", "industries", "sic", "nace"]),
    (
        Field::EmployeeCount,
        &[
            "size",
            "employees",
            "headcount",
            "staff",
            "num employees",
            "number of employees",
            "company size",
            "team size",
            "employee range",
            "size range",
            "no of employees",
            "employees count",
        ],
    ),
    (Field::City, &["town", "locality", "municipality", "place"]),
    (Field::State, &["region", "province", "county", "subdivision"]),
    (Field::Country, &["country code", "land", "nation"]),
    (
        Field::FoundedYear,
        &[
            "founded",
            "year",
            "year founded",
            "founded on",
            "founded at",
            "established",
            "incorporated",
            "incorporation date",
            "established year",
            "founding date",
            "founding year",
            "date founded",
        ],
    ),
    (
        Field::Aliases,
        &["alias", "former names", "previous names", "trading names", "other names", "acronyms"],
    ),
    (Field::OtherWebsites, &["other website", "other domains", "domains", "urls"]),
];

/// The name most like `given`, if one is.
pub fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase();
    known
        .map(|name| (strsim::jaro_winkler(&given, &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness > LIKENESS_MIN)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// Words in lower case, one space between two: `yearFounded` and `YEAR_FOUNDED` are alike.
fn words(name: &str) -> String {
    let mut words = String::with_capacity(name.len());
    let mut was_lower = false;
    for c in name.chars() {
        let begins = c.is_uppercase() && was_lower;
        was_lower = c.is_lowercase();
        if (begins || !c.is_alphanumeric()) && !words.is_empty() && !words.ends_with(' ') {
            words.push(' ');
        }
        if c.is_alphanumeric() {
            words.extend(c.to_lowercase());
        }
    }
    words.truncate(words.trim_end().len());
    words
}

/// The field among `fields` that a key or column of this name may be meant for.
pub fn field_like(name: &str, fields: &[Field]) -> Option<Field> {
    // The last name of a path says what it is.
    let given = words(name.rsplit('.').next().unwrap_or(name));
    let of_field = |field: Field| words(field.name().rsplit('.').next().unwrap_or_default());
    let known_as = |field: Field| {
        let others = OTHER_NAMES.iter().find(|(other, _)| *other == field);
        of_field(field) == given || others.is_some_and(|(_, names)| names.contains(&given.as_str()))
    };
    fields.iter().copied().find(|&field| known_as(field)).or_else(|| {
        let names: Vec<(String, Field)> =
            fields.iter().map(|&field| (of_field(field), field)).collect();
        let near = nearest(&given, names.iter().map(|(name, _)| name.as_str()))?;
        names.iter().find(|(name, _)| name == near).map(|(_, field)| *field)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_under_other_names() {
        let all: Vec<Field> = OTHER_NAMES.iter().map(|(field, _)| *field).collect();
        for (name, expected) in [
            ("employees", Some(Field::EmployeeCount)),
            ("Employee Count", Some(Field::EmployeeCount)),
            ("employeeCount", Some(Field::EmployeeCount)),
            ("employes_count", Some(Field::EmployeeCount)),
            ("year_founded", Some(Field::FoundedYear)),
            ("YearFounded", Some(Field::FoundedYear)),
            ("Industry", Some(Field::Industry)),
            ("domain", Some(Field::Website)),
            ("address.region", Some(Field::State)),
            ("ZIP", None),
            ("phone", None),
            ("", None),
            ("__", None),
        ] {
            assert_eq!(field_like(name, &all), expected, "{name}");
        }
        assert_eq!(field_like("employees", &[Field::Website]), None);
    }
}
