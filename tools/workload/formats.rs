//! The forms that a load is written in.

use super::request_file::Request;

/// A form of a file of requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Format {
    /// Class, tab, query string: what `query --workload` reads
    Tsv,
    /// One URL a line
    Urls,
    /// A script for wrk, which takes the key from the environment variable KEY
    Wrk,
    /// One URL a line, for `oha --urls-from-file`
    Oha,
    /// A script for k6, which takes the key from `-e KEY=…`
    K6,
}

/// The text of a file.
pub fn text(format: Format, url: &str, requests: &[Request]) -> String {
    let url = url.trim_end_matches('/');
    let path = |request: &Request| format!("/v1/search?{}", request.query_string);
    // Query strings hold no quotation marks and no backslashes.
    let quoted: String = requests.iter().map(|it| format!("  \"{}\",\n", path(it))).collect();
    match format {
        Format::Tsv => {
            let line = |it: &Request| format!("{}\t{}\n", it.class, it.query_string);
            requests.iter().map(line).collect()
        }
        Format::Urls | Format::Oha => {
            requests.iter().map(|it| format!("{url}{}\n", path(it))).collect()
        }
        Format::Wrk => format!(
            "-- KEY=fmt_... wrk -t2 -c16 -d30s -s THIS_FILE {url}\n\
             local paths = {{\n{quoted}}}\n\
             local headers = {{ [\"X-API-Key\"] = os.getenv(\"KEY\") }}\n\
             local at = 0\n\
             function init() at = math.random(#paths) end\n\
             function request()\n  at = at % #paths + 1\n  \
             return wrk.format(\"GET\", paths[at], headers)\nend\n"
        ),
        Format::K6 => format!(
            "// k6 run -e KEY=fmt_... --vus 16 --duration 30s THIS_FILE\n\
             import http from \"k6/http\";\n\
             import {{ check }} from \"k6\";\n\
             const paths = [\n{quoted}];\n\
             export default function () {{\n  \
             const path = paths[Math.floor(Math.random() * paths.length)];\n  \
             const answer = http.get(\"{url}\" + path, {{ headers: {{ \"X-API-Key\": __ENV.KEY }} }});\n  \
             check(answer, {{ \"is 200\": (it) => it.status === 200 }});\n}}\n"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_holds_every_request() {
        let request =
            |q: &str| Request { class: "name".to_owned(), query_string: format!("q={q}") };
        let requests = [request("a"), request("b%22c")];
        for (format, part) in [
            (Format::Tsv, "name\tq=a\n"),
            (Format::Urls, "http://h:1/v1/search?q=a\n"),
            (Format::Oha, "http://h:1/v1/search?q=b%22c\n"),
            (Format::Wrk, "  \"/v1/search?q=b%22c\",\n"),
            (Format::K6, "http.get(\"http://h:1\" + path"),
        ] {
            let text = text(format, "http://h:1/", &requests);
            assert!(
                text.contains(part) && text.contains("q=a") && text.contains("q=b%22c"),
                "{text}"
            );
        }
    }
}
