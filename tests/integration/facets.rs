//! Facets: every count is the total of the search that it promises.

use serde_json::Value;

use crate::support::Setup;

const FACETS: [&str; 6] =
    ["industry", "country", "state", "city", "employee_count", "founded_year"];

/// What is searched and filtered, each with every facet.
const REQUESTS: [&[(&str, &str)]; 14] = [
    &[],
    &[("q", "software")],
    &[("q", "a*")],
    &[("q", "group -bank")],
    &[("q", "nothing has all of these words")],
    &[("q", "zzzzzzz")],
    &[("industry", "Software")],
    &[("industry", "Banking"), ("industry", "Software"), ("location", "United States")],
    &[("location", "Texas")],
    &[("location", "California, USA"), ("min_employees", "1000")],
    &[("location", "Germany"), ("exclude_location", "Munich")],
    &[("exclude_industry", "Software"), ("max_employees", "100000")],
    &[("min_founded_year", "1950"), ("max_founded_year", "1995"), ("q", "co")],
    &[("location", "Nowhere"), ("q", "the")],
];

fn url(path: &str, parameters: &[(&str, &str)]) -> String {
    let mut query_string = form_urlencoded::Serializer::new(String::new());
    format!("{path}?{}", query_string.extend_pairs(parameters).finish())
}

/// The search that the count of a value promises.
fn promised(request: &[(&str, &str)], facet: &str, value: &Value) -> String {
    let text = |key: &str| value[key].as_str().expect("a text").to_owned();
    let (replaced, own): (&[&str], Vec<(&str, String)>) = match facet {
        "industry" => (&["industry"], vec![("industry", text("value"))]),
        "employee_count" => {
            (&["min_employees", "max_employees"], bounds(value, "min_employees", "max_employees"))
        }
        "founded_year" => (
            &["min_founded_year", "max_founded_year"],
            bounds(value, "min_founded_year", "max_founded_year"),
        ),
        _ => (&["location"], vec![("location", text("filter"))]),
    };
    let kept = request.iter().filter(|(name, _)| !replaced.contains(name)).copied();
    let own = own.iter().map(|(name, value)| (*name, value.as_str()));
    url("/v1/search", &kept.chain(own).collect::<Vec<_>>())
}

fn bounds<'n>(value: &Value, min: &'n str, max: &'n str) -> Vec<(&'n str, String)> {
    let bound = |key: &str| value[key].as_u64().map(|bound| bound.to_string());
    [(min, bound("min")), (max, bound("max"))]
        .into_iter()
        .filter_map(|(name, bound)| Some((name, bound?)))
        .collect()
}

#[test]
fn every_count_is_the_total_of_the_search_that_it_promises() {
    let server = Setup::of_sample().start();
    let mut num_values = 0;
    for request in REQUESTS {
        let total = server.get(&url("/v1/search", request)).total();
        for facet in FACETS {
            let with_facet = [request, &[("facet", facet), ("limit", "1000")]].concat();
            let answer = server.get(&url("/v1/facets", &with_facet)).json();
            assert_eq!(answer["total"].as_u64(), Some(total), "{request:?}");
            let counted = &answer["facets"][0];
            let values = counted["values"].as_array().expect("values");
            assert_eq!(counted["distinct"].as_u64(), Some(values.len() as u64), "{request:?}");
            let order = |value: &Value| {
                let text = value["value"].as_str().expect("a text").to_owned();
                (std::cmp::Reverse(value["count"].as_u64()), text)
            };
            assert!(values.is_sorted_by_key(order), "{request:?} {facet}");
            for value in values {
                let search = promised(request, facet, value);
                let total = server.get(&search).total();
                assert_eq!(value["count"].as_u64(), Some(total), "{facet} {value}: {search}");
                num_values += 1;
            }
        }
    }
    assert!(num_values > 1000, "{num_values} values");
}

#[test]
fn a_prefix_and_a_limit_choose_values() {
    let server = Setup::of_sample().start();
    let answer = |query_string: &str| server.get(&format!("/v1/facets?{query_string}")).json();
    let texts = |answer: &Value| -> Vec<String> {
        let values = answer["facets"][0]["values"].as_array().expect("values");
        values.iter().map(|it| it["value"].as_str().expect("a text").to_owned()).collect()
    };
    let all = texts(&answer("facet=country&limit=1000"));
    let three = answer("facet=country&limit=3");
    assert_eq!(texts(&three), all[..3]);
    assert_eq!(three["facets"][0]["distinct"].as_u64(), Some(all.len() as u64));
    let united = texts(&answer("facet=country&prefix=UNIT&limit=1000"));
    let expected: Vec<_> = all.iter().filter(|it| it.starts_with("United")).cloned().collect();
    assert!(!expected.is_empty());
    assert_eq!(united, expected);
    let kingdom = texts(&answer("facet=country&prefix=king&q=the*"));
    assert!(kingdom.iter().all(|it| it.contains("Kingdom")), "{kingdom:?}");
    for (query_string, param) in
        [("facet=contry", "facet"), ("limit=1001", "limit"), ("limit=0", "limit")]
    {
        let response = server.get(&format!("/v1/facets?{query_string}"));
        response.assert_error(400, "invalid_parameter", Some(param));
    }
    let alone = server.get("/v1/facets?q=software").json();
    assert_eq!(alone.as_object().map(|it| it.len()), Some(1), "the total alone");
}
