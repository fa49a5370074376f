//! Query strings, what they mean, and the first fault of those that mean nothing.

use super::*;
use crate::http::escaped::Excerpt;
use std::borrow::Cow;

fn parse(query_string: Option<&str>) -> Result<SearchRequest, Refusal> {
    search(query_string)
}

/// The fault of a query string: code and parameter.
fn fault(query_string: &str) -> Option<(Code, Option<String>)> {
    parse(Some(query_string)).err().map(|refusal| (refusal.code, refusal.param))
}

fn parsed(query_string: &str) -> SearchRequest {
    match parse(Some(query_string)) {
        Ok(request) => request,
        Err(refusal) => panic!("{query_string}: {refusal:?}"),
    }
}

#[test]
fn faults() {
    use Code::{
        DuplicateParameter as Duplicate, InvalidCursor, InvalidEncoding as Encoding,
        InvalidParameter as Invalid, QueryTooLong, UnknownParameter as Unknown,
    };
    let long_q = format!("q={}", "x".repeat(513));
    let wordy_q = format!("q={}x", "x+".repeat(32));
    let long_encoded_q = format!("q={}", "%C3%A9".repeat(513));
    let long_name = "x".repeat(5_000);
    let long_name_cut = "x".repeat(64);
    let unknowns = (0..1_000).map(|n| format!("p{n}=1&")).collect::<String>();
    let long_cursor = format!("cursor={}", "A".repeat(5_000));
    let rows: &[(&str, Code, Option<&str>)] = &[
        // Encoding, in values and in names, also of unknown ones.
        ("q=%zz", Encoding, Some("q")),
        ("q=%", Encoding, Some("q")),
        ("q=%0", Encoding, Some("q")),
        ("q=%4", Encoding, Some("q")),
        ("q=a%2", Encoding, Some("q")),
        ("q=%+1", Encoding, Some("q")),
        ("q=%-1", Encoding, Some("q")),
        ("q=% 41", Encoding, Some("q")),
        ("q=%%41", Encoding, Some("q")),
        ("q=100%", Encoding, Some("q")),
        ("q=100%25%", Encoding, Some("q")),
        ("q=%00", Encoding, Some("q")),
        ("q=a%00b", Encoding, Some("q")),
        ("q=%c0%af", Encoding, Some("q")),
        ("q=%c0%80", Encoding, Some("q")),
        ("q=%ed%a0%80", Encoding, Some("q")),
        ("q=%ff", Encoding, Some("q")),
        ("q=%C3", Encoding, Some("q")),
        ("q=%C3%28", Encoding, Some("q")),
        ("q=%f4%90%80%80", Encoding, Some("q")),
        ("limit=%zz", Encoding, Some("limit")),
        ("industry=%E4", Encoding, Some("industry")),
        ("%zz=1", Encoding, None),
        ("q%=1", Encoding, None),
        ("%00=1", Encoding, None),
        ("%ff", Encoding, None),
        ("unknown=%zz", Encoding, None),
        // Unknown names.
        ("min_employee=100", Unknown, Some("min_employee")),
        ("Q=a", Unknown, Some("Q")),
        ("LIMIT=1", Unknown, Some("LIMIT")),
        ("q%20=a", Unknown, Some("q ")),
        ("+q=a", Unknown, Some(" q")),
        ("q[]=a", Unknown, Some("q[]")),
        ("a;b", Unknown, Some("a;b")),
        ("a;q=b", Unknown, Some("a;q")),
        ("=a", Unknown, Some("")),
        ("=", Unknown, Some("")),
        ("q=a&=", Unknown, Some("")),
        ("page=2", Unknown, Some("page")),
        ("offset=20", Unknown, Some("offset")),
        ("api_key=x", Unknown, Some("api_key")),
        ("x", Unknown, Some("x")),
        ("q=a?limit=1&y=2", Unknown, Some("y")),
        ("%D1%85=1", Unknown, Some("х")),
        (&long_name, Unknown, Some(&long_name_cut)),
        (&unknowns, Unknown, Some("p0")),
        // Repeated names, with and without values.
        ("q=a&q=b", Duplicate, Some("q")),
        ("q=a&q=a", Duplicate, Some("q")),
        ("q=&q=a", Duplicate, Some("q")),
        ("q&q", Duplicate, Some("q")),
        ("q=a&%71=b", Duplicate, Some("q")),
        ("limit=1&limit=1", Duplicate, Some("limit")),
        ("cursor=&cursor=", Duplicate, Some("cursor")),
        ("sort=name&sort=name", Duplicate, Some("sort")),
        ("order=asc&order=", Duplicate, Some("order")),
        ("min_employees=1&min_employees=2", Duplicate, Some("min_employees")),
        ("max_employees=1&max_employees=2", Duplicate, Some("max_employees")),
        // q.
        (&long_q, QueryTooLong, Some("q")),
        (&wordy_q, QueryTooLong, Some("q")),
        (&long_encoded_q, QueryTooLong, Some("q")),
        // limit.
        ("limit=0", Invalid, Some("limit")),
        ("limit=000", Invalid, Some("limit")),
        ("limit=101", Invalid, Some("limit")),
        ("limit=1001", Invalid, Some("limit")),
        ("limit=-1", Invalid, Some("limit")),
        ("limit=-0", Invalid, Some("limit")),
        ("limit=+5", Invalid, Some("limit")),
        ("limit=%2B5", Invalid, Some("limit")),
        ("limit=5+", Invalid, Some("limit")),
        ("limit=%205", Invalid, Some("limit")),
        ("limit=+", Invalid, Some("limit")),
        ("limit=1e3", Invalid, Some("limit")),
        ("limit=1e1", Invalid, Some("limit")),
        ("limit=5.0", Invalid, Some("limit")),
        ("limit=5,0", Invalid, Some("limit")),
        ("limit=0x10", Invalid, Some("limit")),
        ("limit=ten", Invalid, Some("limit")),
        ("limit=NaN", Invalid, Some("limit")),
        ("limit=inf", Invalid, Some("limit")),
        ("limit=null", Invalid, Some("limit")),
        ("limit=%EF%BC%90%EF%BC%95", Invalid, Some("limit")),
        ("limit=%D9%A5", Invalid, Some("limit")),
        ("limit=2147483648", Invalid, Some("limit")),
        ("limit=4294967297", Invalid, Some("limit")),
        ("limit=9223372036854775808", Invalid, Some("limit")),
        ("limit=18446744073709551617", Invalid, Some("limit")),
        ("limit=1;q=a", Invalid, Some("limit")),
        ("limit==5", Invalid, Some("limit")),
        // sort and order.
        ("sort=Name", Invalid, Some("sort")),
        ("sort=NAME", Invalid, Some("sort")),
        ("sort=id", Invalid, Some("sort")),
        ("sort=name,founded_year", Invalid, Some("sort")),
        ("sort=-name", Invalid, Some("sort")),
        ("sort=+name", Invalid, Some("sort")),
        ("sort=employees", Invalid, Some("sort")),
        ("order=ASC", Invalid, Some("order")),
        ("order=ascending", Invalid, Some("order")),
        ("order=1", Invalid, Some("order")),
        ("order=asc+", Invalid, Some("order")),
        // Employees.
        ("min_employees=-1", Invalid, Some("min_employees")),
        ("min_employees=1.5", Invalid, Some("min_employees")),
        ("min_employees=1e400", Invalid, Some("min_employees")),
        ("min_employees=9223372036854775808", Invalid, Some("min_employees")),
        ("min_employees=18446744073709551616", Invalid, Some("min_employees")),
        ("min_employees=1,000", Invalid, Some("min_employees")),
        ("min_employees=1_000", Invalid, Some("min_employees")),
        ("max_employees=many", Invalid, Some("max_employees")),
        ("max_employees=9223372036854775808", Invalid, Some("max_employees")),
        ("min_employees=11&max_employees=10", Invalid, Some("max_employees")),
        ("max_employees=0&min_employees=1", Invalid, Some("max_employees")),
        // Years.
        ("min_founded_year=0", Invalid, Some("min_founded_year")),
        ("min_founded_year=10000", Invalid, Some("min_founded_year")),
        ("max_founded_year=-1", Invalid, Some("max_founded_year")),
        ("max_founded_year=MM", Invalid, Some("max_founded_year")),
        ("min_founded_year=2001&max_founded_year=2000", Invalid, Some("max_founded_year")),
        ("min_founded_year=1&min_founded_year=1", Duplicate, Some("min_founded_year")),
        // Fields.
        ("fields=id,nme", Invalid, Some("fields")),
        ("fields=ID", Invalid, Some("fields")),
        ("fields=location.city", Invalid, Some("fields")),
        ("fields=id&fields=name", Duplicate, Some("fields")),
        // The cursor. Whether it fits is not known here.
        ("cursor=x", InvalidCursor, Some("cursor")),
        ("cursor=+", InvalidCursor, Some("cursor")),
        ("cursor=AAAA%2B%2F%3D%3D", InvalidCursor, Some("cursor")),
        (&long_cursor, InvalidCursor, Some("cursor")),
        // Several faults: the order of the contract, not that of the query string.
        ("limit=0&x=1&q=%zz", Encoding, Some("q")),
        ("q=a&q=b&x=1", Unknown, Some("x")),
        ("limit=0&q=a&q=b", Duplicate, Some("q")),
        ("y=1&x=1", Unknown, Some("y")),
        ("sort=a&sort=b&order=a&order=b", Duplicate, Some("sort")),
        ("cursor=x&max_employees=x&min_employees=x&order=x&sort=x&limit=x", Invalid, Some("limit")),
        ("cursor=x&max_employees=x&min_employees=x&order=x&sort=x", Invalid, Some("sort")),
        ("cursor=x&max_employees=x&min_employees=x&order=x", Invalid, Some("order")),
        ("cursor=x&max_employees=x&min_employees=x", Invalid, Some("min_employees")),
        ("cursor=x&max_employees=x", Invalid, Some("max_employees")),
        ("cursor=x&min_employees=2&max_employees=1", Invalid, Some("max_employees")),
        ("cursor=x&fields=x&max_founded_year=x&max_employees=x", Invalid, Some("max_employees")),
        ("cursor=x&fields=x&max_founded_year=x", Invalid, Some("max_founded_year")),
        ("cursor=x&fields=x", Invalid, Some("fields")),
    ];
    assert!(rows.len() >= 80);
    for &(query_string, code, param) in rows {
        let shown = Excerpt(query_string);
        assert_eq!(fault(query_string), Some((code, param.map(str::to_owned))), "{shown}");
    }
    for values in ["limit=0", "sort=x", "cursor=x", "max_employees=x"] {
        let both = format!("{values}&{long_q}");
        assert_eq!(fault(&both), Some((QueryTooLong, Some("q".to_owned()))), "{values}");
    }
}

#[test]
fn well_formed() {
    let longest_q = format!("q={}", "é".repeat(512));
    for query_string in [
        "",
        "&",
        "&&&",
        "q",
        "q=",
        "q=a",
        "q=a&",
        "&q=a&&limit=5&",
        "q=a=b",
        "q=a;limit=0",
        "q=*",
        "q=%25",
        "q=%22unclosed",
        "q=</script>",
        "q=AND+OR+NOT+(:)",
        "q=%E2%80%AE%E2%80%8B",
        "q=%01%1f%7f",
        "q=%F0%9F%92%A9",
        longest_q.as_str(),
        "limit=1",
        "limit=100",
        "limit=0005",
        "limit=00000000000000000000000000000000000000000005",
        "limit=",
        "limit",
        "cursor=",
        "sort=",
        "order=",
        "min_employees=",
        "max_employees=",
        "min_employees=0",
        "min_employees=9223372036854775807",
        "max_employees=0000000000000000000000000000000009223372036854775807",
        "min_employees=10&max_employees=10",
        "%6cimit=5",
        "industry=a&industry=b&location=c&location=d",
        "industry=&industry=",
        "exclude_industry=a&exclude_industry=b&exclude_location=c&exclude_location=d",
        "min_founded_year=1&max_founded_year=9999",
        "fields=name,id,name",
        "fields=+id+,,name",
    ] {
        if let Err(refusal) = parse(Some(query_string)) {
            panic!("{query_string}: {refusal:?}");
        }
    }
    assert!(parse(None).is_ok());
}

#[test]
fn nothing_given_means_the_defaults() {
    for query_string in [
        "",
        "q=&limit=&cursor=&sort=&order=&industry=&location=&min_employees=&max_employees=\
          &min_founded_year=&max_founded_year=&exclude_industry=,&exclude_location=&fields=,",
    ] {
        let SearchRequest { query, fields, cursor_text, has_text } = parsed(query_string);
        assert_eq!(fields, Fields::ALL);
        assert_eq!(query.limit, 20);
        assert!(matches!(query.sort, SortKey::Relevance));
        assert!(matches!(query.order, SortOrder::Desc));
        assert!(query.industries.is_empty() && query.locations.is_empty());
        assert!(query.employee_count_min.is_none() && query.employee_count_max.is_none());
        assert!(query.cursor.is_none() && cursor_text.is_none() && !has_text);
    }
}

#[test]
fn values_arrive_decoded() {
    let query = parsed(
        "industry=Oil%2C+Gas+%26+Mining&industry=caf%C3%A9&location=S%C3%A3o+Paulo%2C+BR&limit=%35",
    )
    .query;
    assert_eq!(query.industries, ["Oil, Gas & Mining", "café"]);
    assert_eq!(query.locations, ["São Paulo, BR"]);
    assert_eq!(query.limit, 5);
}

#[test]
fn blank_industries_and_locations_are_dropped() {
    let query = parsed("industry=,&industry=a&industry=&location=+,+&location=b&location").query;
    assert_eq!(query.industries, ["a"]);
    assert_eq!(query.locations, ["b"]);
}

#[test]
fn names_sort_upwards_and_all_else_downwards() {
    for (query_string, ascends) in [
        ("sort=name", true),
        ("sort=relevance", false),
        ("sort=employee_count", false),
        ("sort=founded_year", false),
        ("sort=name&order=desc", false),
        ("sort=name&order=", true),
        ("sort=founded_year&order=asc", true),
        ("order=asc", true),
    ] {
        let order = parsed(query_string).query.order;
        assert_eq!(matches!(order, SortOrder::Asc), ascends, "{query_string}");
    }
}

#[test]
fn employee_bounds_are_read() {
    let query = parsed("min_employees=007&max_employees=9223372036854775807").query;
    assert_eq!(query.employee_count_min, Some(7));
    assert_eq!(query.employee_count_max, Some(9_223_372_036_854_775_807));
}

#[test]
fn years_and_exclusions_are_read() {
    let query = parsed(
        "min_founded_year=0019&max_founded_year=2000&exclude_industry=a,b&exclude_location=c",
    )
    .query;
    assert_eq!(query.founded_years(), Some(19..=2000));
    assert_eq!(
        (query.excluded_industries, query.excluded_locations),
        (vec!["a,b".to_owned()], vec!["c".to_owned()])
    );
}

#[test]
fn ids_are_read_from_paths_and_query_strings() {
    let ids = |request: Result<IdsRequest, Refusal>| request.ok().map(|request| request.ids);
    let one = |id: &str| Some(vec![id.to_owned()]);
    assert_eq!(ids(business("a+b%2Fc", None)), one("a+b/c"));
    assert_eq!(ids(businesses(Some("id=a+b&id=&id=c"))), Some(vec!["a b".into(), "c".into()]));
    assert_eq!(ids(businesses(Some(&"id=a&".repeat(100)))).map(|ids| ids.len()), Some(100));
    for (query_string, code) in [
        ("", Code::InvalidParameter),
        ("id=", Code::InvalidParameter),
        (&*"id=a&".repeat(101), Code::InvalidParameter),
        ("id=%", Code::InvalidEncoding),
        ("ids=a", Code::UnknownParameter),
    ] {
        assert_eq!(businesses(Some(query_string)).err().map(|it| it.code), Some(code));
    }
    for id in ["%", "%ff", "%00"] {
        assert_eq!(business(id, None).err().map(|it| it.code), Some(Code::InvalidEncoding), "{id}");
    }
}

#[test]
fn blank_text_is_no_text() {
    assert!(!parsed("q=+%20").has_text);
    assert!(parsed("q=a").has_text);
}

#[test]
fn messages_say_what_was_given_what_is_accepted_and_how_to_mend_it() {
    for (query_string, parts) in [
        ("limit=500", &["500", "1 to 100", "limit"][..]),
        ("sort=Name", &["Name", "employee_count", "lower case"]),
        ("order=up", &["up", "`asc` or `desc`"]),
        ("min_employees=x", &["\"x\"", "9223372036854775807", "leave it out"]),
        ("min_employees=9&max_employees=3", &["9", "3", "swap"]),
        ("q=a&q=b", &["`q`", "once"]),
        ("q=50%", &["50%", "%25"]),
        ("cursor=zzz", &["zzz", "next_cursor"]),
    ] {
        let message = parse(Some(query_string)).err().expect(query_string).message;
        for part in parts {
            assert!(message.contains(part), "{query_string}: {part:?} is not in {message:?}");
        }
    }
}

#[test]
fn messages_are_bounded_and_carry_no_control_characters() {
    let long = "%0A%1B%E2%80%AE".repeat(500);
    for query_string in [
        format!("limit={long}"),
        format!("sort={long}"),
        format!("cursor={long}"),
        format!("{long}=1"),
        format!("q={long}%zz"),
    ] {
        let refusal = parse(Some(&query_string)).err().expect("a fault");
        assert!(refusal.message.len() < 1_024, "{}", refusal.message);
        assert!(
            !refusal.message.chars().any(|c| c.is_control() || c == '\u{202e}'),
            "{:?}",
            refusal.message
        );
        assert!(refusal.param.is_none_or(|param| param.chars().count() <= 64));
    }
}

proptest::proptest! {
    /// Whatever arrives, the answer is a request or a refusal with a known code.
    #[test]
    fn no_query_string_panics(query_string in "[ -~]{0,80}") {
        if let Err(refusal) = parse(Some(&query_string)) {
            proptest::prop_assert_eq!(refusal.code.status().as_u16(), 400);
        }
    }

    /// Encoding any text and reading it back is the identity.
    #[test]
    fn decoding_reverses_encoding(text in "[^\u{0}]{0,40}") {
        let encoded: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
        let decoded = decode(&encoded, true).map(Cow::into_owned);
        proptest::prop_assert_eq!(decoded, Ok(text));
    }
}
