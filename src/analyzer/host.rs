//! Hosts of websites.
//!
//! In: a website as records give it, with or without scheme, path and port. Out: its [`Host`],
//! lower case and without `www.`, `xn--` labels as what they stand for, and the labels that are
//! searched: those before the public suffix.
//!
//! The suffix comes from the ICANN section of the public suffix list (publicsuffix.org), version
//! [`SUFFIX_LIST_VERSION`]; without a known suffix all labels are searched. So they are of a host
//! that is a suffix itself, as `nhs.uk` is: it has no others.

use super::fold::fold_text;
use std::borrow::Cow;

/// The version of the suffix list compiled in: that of the `psl` crate, which is released with each
/// change of the list.
pub const SUFFIX_LIST_VERSION: &str = "psl 2.1.247";

/// A host: labels separated by dots, folded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Host {
    name: String,
    /// Bytes of `name` that the suffix and the dot before it take, 0 if the suffix is all of the
    /// name; `None` if no suffix is known.
    suffix_len: Option<usize>,
}

impl Host {
    /// The host of a website; `None` if the text has none.
    pub fn of_website(website: &str) -> Option<Host> {
        let authority = split_authority(website).0;
        let host = authority.rsplit_once('@').map_or(authority, |(_user, host)| host);
        let host = match host.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
            _ => host,
        };
        let name = fold_text(host.trim().trim_end_matches('.'));
        let name = decoded(&name);
        let name = name.strip_prefix("www.").unwrap_or(&name);
        if name.is_empty() || name.contains(char::is_whitespace) {
            return None;
        }
        Some(Host { name: name.to_owned(), suffix_len: icann_suffix_len(name) })
    }

    /// The host's name, folded, without `www.`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Does the host end in a suffix of the list, with something before it, or is it one of several
    /// labels?
    pub fn has_known_suffix(&self) -> bool {
        self.suffix_len.is_some()
    }

    /// The labels before the public suffix; all labels if none is known, or there are no others.
    pub fn searchable_labels(&self) -> impl Iterator<Item = &str> {
        let searched = self.name.len() - self.suffix_len.unwrap_or(0);
        self.name[..searched].split('.').filter(|label| !label.is_empty())
    }
}

/// The path of a website, folded, without query, fragment and a `/` at its end; `None` if nothing
/// is left.
pub fn path_of_website(website: &str) -> Option<String> {
    let path = split_authority(website).1.split(['?', '#']).next().unwrap_or_default();
    let path = fold_text(path.trim_end().trim_end_matches('/'));
    (!path.is_empty()).then_some(path)
}

/// The part of a website with the host, and what follows it.
fn split_authority(website: &str) -> (&str, &str) {
    let rest = match website.split_once("://") {
        Some((scheme, rest)) if is_scheme(scheme) => rest,
        _ => website.strip_prefix("//").unwrap_or(website),
    };
    rest.split_at(rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len()))
}

/// A folded host with each `xn--` label as what it stands for (RFC 3492); a label that stands for
/// nothing stays.
fn decoded(name: &str) -> Cow<'_, str> {
    const MARK: &str = "xn--";
    if !name.contains(MARK) {
        return Cow::Borrowed(name);
    }
    let label = |label: &str| {
        let text = label.strip_prefix(MARK).and_then(idna::punycode::decode_to_string);
        // What would part labels or hosts, no label can stand for.
        let text = text
            .map(|text| fold_text(&text))
            .filter(|text| !text.is_empty() && !text.contains(is_no_label));
        text.unwrap_or_else(|| label.to_owned())
    };
    Cow::Owned(name.split('.').map(label).collect::<Vec<_>>().join("."))
}

fn is_no_label(c: char) -> bool {
    c.is_ascii() && !c.is_ascii_alphanumeric() && c != '-' || c.is_whitespace() || c.is_control()
}

fn is_scheme(text: &str) -> bool {
    let tail = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic()) && text.bytes().all(tail)
}

/// Bytes at the end of `name` that its ICANN suffix takes with the dot before it, 0 if it is all of
/// `name`; `None` if no suffix is known, or `name` is a single label, which is a word like any
/// other: `app`, `bank`.
fn icann_suffix_len(name: &str) -> Option<usize> {
    let mut rest = name;
    loop {
        let suffix = psl::suffix(rest.as_bytes())?;
        match suffix.typ() {
            Some(psl::Type::Icann) if suffix.as_bytes().len() < name.len() => {
                return Some(suffix.as_bytes().len() + 1);
            }
            Some(psl::Type::Icann) => return name.contains('.').then_some(0),
            // A suffix of the private section (`github.io`) hides the ICANN one inside it.
            Some(psl::Type::Private) => {
                let inner = &rest[rest.len() - suffix.as_bytes().len()..];
                rest = inner.split_once('.')?.1;
            }
            None => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_websites() {
        for (website, name, labels) in [
            ("https://www.vanke.com", "vanke.com", "vanke"),
            ("http://www.fountain.com.cn/a?b#c", "fountain.com.cn", "fountain"),
            ("//Example.ORG:8080", "example.org", "example"),
            ("user:pw@shop.example.co.uk", "shop.example.co.uk", "shop example"),
            ("foo.github.io", "foo.github.io", "foo github"),
            (
                "https://tima.univ-grenoble-alpes.fr",
                "tima.univ-grenoble-alpes.fr",
                "tima univ-grenoble-alpes",
            ),
            ("intranet.unknownsuffix", "intranet.unknownsuffix", "intranet unknownsuffix"),
            ("localhost", "localhost", "localhost"),
            ("www.example.com.", "example.com", "example"),
            ("https://BÜCHER.de", "bücher.de", "bücher"),
            ("https://www.nhs.uk/", "nhs.uk", "nhs uk"),
            ("http://.uk", ".uk", ""),
            ("https://www.xn--grn-wald-75a.at", "grün-wald.at", "grün-wald"),
            ("xn--e1afmkfd.xn--p1ai", "пример.рф", "пример"),
            ("xn--a.example.com", "xn--a.example.com", "xn--a example"),
        ] {
            let host = Host::of_website(website).unwrap();
            assert_eq!(host.name(), name, "{website}");
            assert_eq!(host.searchable_labels().collect::<Vec<_>>().join(" "), labels, "{website}");
        }
        for (website, has_known_suffix) in [
            ("example.com", true),
            ("foo.github.io", true),
            ("https://www.nhs.uk/", true),
            ("www.sa.gov.au", true),
            ("com", false),
            ("https://uk", false),
            ("intranet.unknownsuffix", false),
        ] {
            let host = Host::of_website(website).unwrap();
            assert_eq!(host.has_known_suffix(), has_known_suffix, "{website}");
        }
        assert_eq!(Host::of_website("https:///path"), None);
        assert_eq!(Host::of_website("see our page"), None);
        assert_eq!(Host::of_website("com").unwrap().searchable_labels().count(), 1);
    }

    #[test]
    fn paths_of_websites() {
        for (website, path) in [
            ("https://example.com/Company/Acme/?a=/b#c", Some("/company/acme")),
            ("example.com/a", Some("/a")),
            ("user@example.com:80/a/b//", Some("/a/b")),
            ("https://example.com/#/a", None),
            ("https://example.com?a=/b", None),
            ("example.com/", None),
            ("example.com", None),
            ("", None),
        ] {
            assert_eq!(path_of_website(website).as_deref(), path, "{website}");
        }
    }

    #[test]
    fn the_version_is_that_of_the_locked_crate() {
        let lock = include_str!("../../Cargo.lock");
        let version = SUFFIX_LIST_VERSION.strip_prefix("psl ").unwrap();
        assert!(lock.contains(&format!("name = \"psl\"\nversion = \"{version}\"")));
    }
}
