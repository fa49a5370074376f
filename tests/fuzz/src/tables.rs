//! Companies as tables of text, with all that a cell can hold: no aliases and no other websites.

use firmament::company::Company;

/// The columns of a table, and their values.
pub fn cells(company: &Company) -> [(&'static str, Option<String>); 10] {
    let place = &company.location;
    [
        ("id", Some(company.id.clone())),
        ("name", Some(company.name.clone())),
        ("website", company.website.clone()),
        ("description", company.description.clone()),
        ("industry", company.industry.clone()),
        ("employee_count", company.employee_count.map(|count| count.to_string())),
        ("location.city", place.city.clone()),
        ("location.state", place.state.clone()),
        ("location.country", place.country.clone()),
        ("founded_year", company.founded_year.map(|year| year.to_string())),
    ]
}

/// A table of companies, with a header; `cell` writes a value, or that there is none.
pub fn table(companies: &[Company], separator: &str, cell: fn(Option<&str>) -> String) -> String {
    let header = cells(&Company::default()).map(|(name, _)| name).join(separator) + "\n";
    let row = |company: &Company| {
        cells(company).map(|(_, value)| cell(value.as_deref())).join(separator) + "\n"
    };
    header + &companies.iter().map(row).collect::<String>()
}

/// A cell of CSV: in quotation marks, or empty.
pub fn quoted(text: Option<&str>) -> String {
    text.map_or(String::new(), |text| format!("\"{}\"", text.replace('"', "\"\"")))
}

/// A cell of an export of a database.
pub fn escaped(text: Option<&str>) -> String {
    let Some(text) = text else { return "\\N".to_owned() };
    let text = text.replace('\\', "\\\\").replace('\t', "\\t");
    text.replace('\n', "\\n").replace('\r', "\\r")
}
