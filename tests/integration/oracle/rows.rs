//! Examples of the contract as a table: small collections, requests, and the ids of the answer.
//!
//! Every row holds by the whole contract, not only by the part that is under test: where another
//! rule could add businesses or reorder them, the row avoids it (quotes against prefixes, sorting
//! by name against the text score). Rows by relevance have at most one business for each tier and
//! kind, or such as the text score orders beyond doubt.

mod aliases;
mod correction;
mod filters;
mod forms;
mod place_words;
mod ranking;
mod relaxation;
mod words;
mod writing;

use super::Oracle;
use firmament::analyzer::TextField;
use firmament::company::Company;
use firmament::query::request::{Query, SortKey, SortOrder};
use firmament::query::text::Clause;
use firmament::query::text::TextQuery;

/// A small collection and requests for it.
pub struct Group {
    /// The rules at work.
    pub about: &'static str,
    /// The value of `sort` where a request names none.
    pub sort: &'static str,
    /// `id | name | key=value …`, with keys w(ebsite), d(escription), i(ndustry), e(mployees),
    /// c(ity), s(tate), k for country, y(ear), a(lias), o(ther website); the last two several
    /// times.
    pub records: &'static [&'static str],
    /// A request, its parameters separated by ` ; `, and the answer: the ids in order; `corrected=`
    /// and the text if the answer says that `q` was corrected; `place=` and the place if it says
    /// that words of `q` name one; `relaxed` if it says that any word counted.
    pub rows: &'static [(&'static str, &'static str)],
}

/// The table.
pub fn groups() -> impl Iterator<Item = &'static Group> {
    let tables = [
        words::GROUPS,
        writing::GROUPS,
        forms::GROUPS,
        correction::GROUPS,
        place_words::GROUPS,
        relaxation::GROUPS,
        ranking::GROUPS,
        aliases::GROUPS,
        filters::GROUPS,
    ];
    tables.into_iter().flatten()
}

/// A record of the table.
pub fn company(row: &str) -> Company {
    let mut parts = row.split(" | ");
    let mut next = || parts.next().expect("id and name").to_owned();
    let (id, name) = (next(), next());
    let mut company = Company { id, name, ..Company::default() };
    for part in parts {
        let (key, value) = part.split_once('=').expect("key=value");
        let text = Some(value.to_owned());
        match key {
            "w" => company.website = text,
            "d" => company.description = text,
            "i" => company.industry = text,
            "e" => company.employee_count = Some(value.parse().expect("a count")),
            "y" => company.founded_year = Some(value.parse().expect("a year")),
            "c" => company.location.city = text,
            "s" => company.location.state = text,
            "k" => company.location.country = text,
            "a" => company.aliases.push(value),
            "o" => company.other_websites.push(value),
            _ => panic!("no key {key}"),
        }
    }
    company
}

/// The records of a group.
pub fn companies(group: &Group) -> Vec<Company> {
    group.records.iter().map(|row| company(row)).collect()
}

/// A request of the table.
pub fn query(request: &str, default_sort: &str) -> Query {
    let mut query = Query { limit: 100, ..Query::default() };
    let (mut sort, mut order) = (default_sort, None);
    for part in request.split(" ; ").filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once('=').expect("key=value");
        match key {
            "q" => query.text = TextQuery::parse(value).expect("a short q"),
            "industry" => query.industries.push(value.to_owned()),
            "location" => query.locations.push(value.to_owned()),
            "exclude_industry" => query.excluded_industries.push(value.to_owned()),
            "exclude_location" => query.excluded_locations.push(value.to_owned()),
            "min_year" => query.founded_year_min = Some(value.parse().expect("a year")),
            "max_year" => query.founded_year_max = Some(value.parse().expect("a year")),
            "min" => query.employee_count_min = Some(value.parse().expect("a bound")),
            "max" => query.employee_count_max = Some(value.parse().expect("a bound")),
            "sort" => sort = value,
            "order" => order = Some(if value == "asc" { SortOrder::Asc } else { SortOrder::Desc }),
            _ => panic!("no parameter {key}"),
        }
    }
    query.sort = match sort {
        "relevance" => SortKey::Relevance,
        "name" => SortKey::Name,
        "employee_count" => SortKey::EmployeeCount,
        "founded_year" => SortKey::FoundedYear,
        _ => panic!("no sort {sort}"),
    };
    query.order = order.unwrap_or(query.sort.default_order());
    query
}

/// An answer as the table shows it.
pub fn shown(
    ids: &[&str],
    corrected: Option<&str>,
    place: Option<&str>,
    is_relaxed: bool,
) -> String {
    let ids = (!ids.is_empty()).then(|| ids.join(" "));
    let corrected = corrected.map(|q| format!("corrected={q}"));
    let place = place.map(|place| format!("place={place}"));
    let relaxed = is_relaxed.then(|| "relaxed".to_owned());
    ids.into_iter().chain(corrected).chain(place).chain(relaxed).collect::<Vec<_>>().join(" ; ")
}

/// A text score that agrees with any in the rows above: how many of the words, legal forms at the
/// end included, are in each field, "name > alias > host > industry > description".
fn plain_score(oracle: &Oracle, q: &TextQuery, record: usize) -> u32 {
    let searched = &oracle.records()[record].searched;
    let has = |clause: &&Clause, field: TextField| {
        let mut fields = searched.fields.iter().filter(|words| words.field == field);
        fields.any(|words| words.has_term(&clause.term))
    };
    let score = |field| match field {
        TextField::Name => 1000,
        TextField::Alias => 500,
        TextField::Host => 100,
        TextField::Industry => 10,
        TextField::Description => 1,
    };
    let in_field = |field| q.clauses().iter().filter(|clause| has(clause, field)).count() as u32;
    TextField::ALL.into_iter().map(|field| score(field) * in_field(field)).sum()
}

#[test]
fn the_oracle_answers_as_the_contract_says() {
    let (mut rows, mut faults) = (0, Vec::new());
    for group in groups() {
        let oracle = Oracle::new(companies(group));
        for (request, expected) in group.rows {
            let query = query(request, group.sort);
            let answer = oracle.answer(&query);
            let ids = oracle.ids(&query, &|record| plain_score(&oracle, &query.text, record));
            let (corrected, place) = (answer.corrected.as_deref(), answer.place.as_deref());
            let answer = shown(&ids, corrected, place, answer.is_relaxed);
            if answer != *expected {
                faults.push(format!("{}: {request}: {answer}, not {expected}", group.about));
            }
            rows += 1;
        }
    }
    assert!(faults.is_empty(), "of {rows} rows:\n{}", faults.join("\n"));
    println!("{rows} rows");
}
