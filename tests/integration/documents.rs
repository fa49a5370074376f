//! The documents of the project: examples are asked, links lead somewhere, what is generated is up
//! to date.
//!
//! With `FIRMAMENT_BLESS=1` answers and generated files are written instead of compared.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Response, Setup, TestServer};
use firmament::http::PageOption;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn is_blessed() -> bool {
    std::env::var_os("FIRMAMENT_BLESS").is_some()
}

/// Compares a file with what it should be, or makes it so.
fn assert_file(path: &Path, expected: &str) {
    if is_blessed() {
        fs::write(path, expected).unwrap();
    }
    let found = fs::read_to_string(path).unwrap_or_default();
    let at = found.lines().zip(expected.lines()).position(|(found, expected)| found != expected);
    assert!(
        found == expected,
        "{} is out of date at line {:?}; write it anew with FIRMAMENT_BLESS=1",
        path.display(),
        at.map(|at| at + 1)
    );
}

/// A server of the sample collection, with the page.
fn sample_server() -> TestServer {
    let mut setup = Setup::of_sample();
    setup.config.page = PageOption::On;
    setup.start()
}

/// An example: a request, and what is said of its answer.
struct Example<'t> {
    method: &'t str,
    target: &'t str,
    request_headers: Vec<(&'t str, &'t str)>,
    /// Names of headers, and whether their values are told.
    headers: Vec<(&'t str, bool)>,
}

impl<'t> Example<'t> {
    fn parse(text: &'t str) -> Example<'t> {
        let mut parts = text.split("\n\n");
        let mut request = parts.next().expect("a request").lines();
        let (method, target) = request.next().and_then(|it| it.split_once(' ')).expect("a target");
        fn header(line: &str) -> (&str, &str) {
            let (name, value) = line.split_once(':').expect("a header");
            (name, value.trim())
        }
        let request_headers = request.map(header).collect();
        let answer = parts.next().expect("an answer").lines().skip(1).map(header);
        let headers = answer.map(|(name, value)| (name, value != "…")).collect();
        Example { method, target, request_headers, headers }
    }

    fn ask(&self, server: &TestServer) -> Response {
        let mut headers = vec![("X-Request-Id", "docs")];
        if !self.request_headers.iter().any(|(name, _)| *name == "X-API-Key") {
            headers.push(("X-API-Key", server.key.as_str()));
        }
        headers.extend(&self.request_headers);
        server.request(self.method, self.target, &headers)
    }

    /// The example with the answer that a server gives.
    fn answered(&self, server: &TestServer) -> String {
        let response = self.ask(server);
        let mut text = format!("{} {}\n", self.method, self.target);
        for (name, value) in &self.request_headers {
            text.push_str(format!("{name}: {value}").trim_end());
            text.push('\n');
        }
        text.push_str(&format!("\n{}\n", response.status));
        for (name, is_told) in &self.headers {
            let value = response
                .header(&name.to_lowercase())
                .unwrap_or_else(|| panic!("{} {}: no {name}", self.method, self.target));
            text.push_str(&format!("{name}: {}\n", if *is_told { value } else { "…" }));
        }
        text.push_str(&format!("\n{}\n", masked(&response.text())));
        text
    }
}

/// A body without what differs from build to build: cursors and versions.
fn masked(body: &str) -> String {
    let mut masked = String::new();
    let mut rest = body;
    for mark in ["_cursor\":\"", "\"version\":\""] {
        while let Some(at) = rest.find(mark) {
            let (before, behind) = rest.split_at(at + mark.len());
            masked.push_str(before);
            masked.push('…');
            rest = &behind[behind.find('"').expect("the end of a text")..];
        }
    }
    masked + rest
}

#[test]
fn examples_of_the_api_are_answered_as_it_says() {
    let server = sample_server();
    let path = root().join("docs/api.md");
    let text = fs::read_to_string(&path).unwrap();
    let (mut expected, mut examples) = (String::new(), 0);
    let mut pieces = text.split("```http\n");
    expected.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (example, behind) = piece.split_once("```").expect("a block ends");
        let answered = Example::parse(example).answered(&server);
        expected.push_str(&format!("```http\n{answered}```{behind}"));
        examples += 1;
    }
    assert!(examples > 20);
    assert_file(&path, &expected);
}

#[test]
fn the_api_names_every_parameter_and_code() {
    let text = fs::read_to_string(root().join("docs/api.md")).unwrap();
    let openapi: serde_json::Value = serde_json::from_str(&firmament::http::openapi()).unwrap();
    let mut names = Vec::new();
    for (path, operations) in openapi["paths"].as_object().unwrap() {
        names.push(path.clone());
        let parameters = operations["get"]["parameters"].as_array().unwrap();
        names.extend(parameters.iter().map(|it| it["name"].as_str().unwrap().to_owned()));
    }
    for response in openapi["components"]["responses"].as_object().unwrap().values() {
        names.extend(response["description"].as_str().unwrap().split(", ").map(str::to_owned));
    }
    names.extend(openapi["components"]["headers"].as_object().unwrap().keys().cloned());
    assert!(names.len() > 40);
    for name in names {
        assert!(text.contains(&name), "docs/api.md does not name {name}");
    }
}

#[test]
fn the_openapi_document_is_up_to_date() {
    assert_file(&root().join("docs/openapi.json"), &firmament::http::openapi());
}

#[test]
fn links_lead_to_files_and_headings() {
    let documents =
        ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"].map(PathBuf::from);
    let folder = fs::read_dir(root().join("docs")).unwrap();
    let in_docs = folder.map(|entry| Path::new("docs").join(entry.unwrap().file_name()));
    for document in documents.into_iter().chain(in_docs) {
        if document.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = fs::read_to_string(root().join(&document)).unwrap();
        for link in text.split("](").skip(1).filter_map(|behind| behind.split(')').next()) {
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            if link.contains("://") {
                continue;
            }
            let folder = document.parent().unwrap();
            let file = if path.is_empty() { document.clone() } else { folder.join(path) };
            let file = root().join(file);
            assert!(file.exists(), "{}: {link}", document.display());
            let has_heading = || {
                let text = fs::read_to_string(&file).unwrap();
                text.lines()
                    .filter(|line| line.starts_with('#'))
                    .any(|line| anchor(line) == heading)
            };
            assert!(heading.is_empty() || has_heading(), "{}: {link}", document.display());
        }
    }
}

/// The anchor of a heading.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|&c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn browsers_get_a_page_and_programs_an_error() {
    let server = sample_server();
    let html = [("Accept", "text/html,application/xhtml+xml;q=0.9")];
    let page = server.request("GET", "/?q=apple", &html);
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    let policy = page.header("content-security-policy").expect("a policy").to_owned();
    let nonce =
        policy.split("'nonce-").nth(1).and_then(|it| it.split('\'').next()).expect("a nonce");
    assert!(policy.starts_with("default-src 'none';") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(page.text().matches(&format!("nonce=\"{nonce}\"")).count(), 2);
    assert!(!page.text().contains("{{") && !page.text().contains(&server.key));
    let again = server.request("GET", "/", &html);
    assert_ne!(again.header("content-security-policy"), Some(policy.as_str()));
    let document = server.request("GET", "/openapi.json", &[]);
    assert_eq!((document.status, document.text()), (200, firmament::http::openapi()));
    assert_eq!(server.admin("GET", "/openapi.json").text(), document.text());
    let icon = server.request("GET", "/favicon.ico", &[]);
    assert_eq!((icon.status, icon.header("content-type")), (200, Some("image/svg+xml")));
    let nothing = server.request("GET", "/nowhere", &html);
    assert_eq!(
        (nothing.status, nothing.header("content-type")),
        (404, Some("text/html; charset=utf-8"))
    );
    for (method, path, headers) in [
        ("GET", "/v1/nowhere", &html[..]),
        ("GET", "/v1", &html),
        ("GET", "/nowhere", &[]),
        ("POST", "/", &html),
        ("GET", "/v1/search", &html),
    ] {
        server.request(method, path, headers).assert_error(401, "missing_api_key", None);
    }
    let plain = Setup::new().start();
    for path in ["/", "/openapi.json", "/favicon.ico", "/nowhere"] {
        plain.request("GET", path, &html).assert_error(401, "missing_api_key", None);
    }
}
