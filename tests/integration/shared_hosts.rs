//! Websites as `q` on hosts that many businesses share, beside a naive scan over the records.

use crate::support::Setup;

/// Pages of a network that each of so many businesses has, in several spellings.
const PAGES: usize = 40;

/// One business: its id, name and website.
struct Record {
    id: String,
    name: String,
    website: String,
}

/// Three spellings of every page, which are its only websites, and a few other hosts.
fn records() -> Vec<Record> {
    let page = |n: usize, spelling: usize| match spelling {
        0 => format!("https://www.folknet.com/Company/Page-{n}/"),
        1 => format!("folknet.com/company/page-{n}?lang=en#about"),
        _ => format!("http://folknet.com/company/page-{n}/jobs"),
    };
    let pages = (0..PAGES * 3).map(|at| page(at / 3, at % 3));
    let others = ["folknet.com", "https://smallnet.org/a", "smallnet.org/b"].map(str::to_owned);
    (0..)
        .zip(pages.chain(others))
        .map(|(n, website)| Record { id: format!("id-{n}"), name: format!("Mill {n}"), website })
        .collect()
}

/// The website without scheme, `www.`, query, fragment and last `/`, in lower case.
fn plain(website: &str) -> String {
    let rest = website.split_once("://").map_or(website, |(_, rest)| rest);
    let rest = rest.strip_prefix("www.").unwrap_or(rest);
    let rest = rest.split(['?', '#']).next().expect("a first part");
    rest.trim_end_matches('/').to_lowercase()
}

#[test]
fn a_path_counts_where_many_share_the_host() {
    let records = records();
    let lines = records.iter().map(|Record { id, name, website }| {
        serde_json::json!({ "id": id, "name": name, "website": website }).to_string() + "\n"
    });
    let setup = Setup::new();
    firmament::index::from_jsonl(&lines.collect::<String>(), &setup.config.snapshot).unwrap();
    let server = setup.start();
    let ids = |parameters: &[(&str, &str)]| {
        let mut query_string = form_urlencoded::Serializer::new(String::new());
        query_string.extend_pairs(parameters).append_pair("limit", "100");
        let response = server.get(&format!("/v1/search?{}", query_string.finish()));
        let mut ids = response.ids();
        ids.sort();
        (response.total() as usize, ids)
    };
    let naive = |is_wanted: &dyn Fn(&Record) -> bool| {
        let wanted = records.iter().filter(|record| is_wanted(record));
        let mut ids: Vec<String> = wanted.map(|record| record.id.clone()).collect();
        ids.sort();
        (ids.len(), ids)
    };
    for n in [0, 7, PAGES - 1] {
        for spelling in 0..3 {
            let Record { name, website, .. } = &records[n * 3 + spelling];
            let expected = naive(&|record| plain(&record.website) == plain(website));
            assert!(!expected.1.is_empty());
            assert_eq!(ids(&[("q", website)]), expected, "{website}");
            assert_eq!(ids(&[("q", &website.to_uppercase())]), expected, "{website}");
            // Without the page, and with the name of one who has it.
            let mill = format!("mill -{website}");
            let others = records.len() - expected.0;
            assert_eq!(ids(&[("q", &mill)]).0, others, "{mill}");
            assert_eq!(ids(&[("q", &format!("{website} \"{name}\""))]).0, 1, "{website} {name}");
        }
    }
    // The host alone, a page that nobody has, and a host that few share.
    let on_host = naive(&|record| plain(&record.website).starts_with("folknet.com"));
    assert_eq!(ids(&[("q", "https://folknet.com/")]).0, on_host.0);
    assert_eq!(ids(&[("q", "folknet.com/company/page")]).0, 0);
    assert_eq!(ids(&[("q", "smallnet.org/c")]).0, 2);
}
