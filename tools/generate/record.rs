//! One record and its line of JSON.

use std::borrow::Cow;

/// A record before it is written. `None` is a missing value; its key is left out unless
/// `missing_as_null` is set.
pub struct Record<'a> {
    pub id: [u8; 36],
    pub name: Cow<'a, str>,
    pub website: Option<String>,
    pub description: Option<String>,
    pub industry: Option<Cow<'a, str>>,
    pub employee_count: Option<u64>,
    pub city: Option<Cow<'a, str>>,
    pub state: Option<Cow<'a, str>>,
    pub country: Option<Cow<'a, str>>,
    pub founded_year: Option<u64>,
    pub aliases: Vec<String>,
    pub other_websites: Vec<String>,
    pub missing_as_null: bool,
}

impl Record<'_> {
    /// Appends the record and a line feed.
    pub fn write_line(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"id\":\"");
        out.extend_from_slice(&self.id);
        out.extend_from_slice(b"\",\"name\":");
        push_json_string(&self.name, out);
        self.push_text("website", self.website.as_deref(), out);
        self.push_text("description", self.description.as_deref(), out);
        self.push_text("industry", self.industry.as_deref(), out);
        self.push_integer("employee_count", self.employee_count, out);
        if self.city.is_some()
            || self.state.is_some()
            || self.country.is_some()
            || self.missing_as_null
        {
            out.extend_from_slice(b",\"location\":{");
            let inside = out.len();
            self.push_text("city", self.city.as_deref(), out);
            self.push_text("state", self.state.as_deref(), out);
            self.push_text("country", self.country.as_deref(), out);
            out.remove(inside); // the comma before the first key
            out.push(b'}');
        }
        self.push_integer("founded_year", self.founded_year, out);
        push_list("aliases", &self.aliases, out);
        push_list("other_websites", &self.other_websites, out);
        out.extend_from_slice(b"}\n");
    }

    fn push_text(&self, key: &str, value: Option<&str>, out: &mut Vec<u8>) {
        if let Some(value) = value {
            push_key(key, out);
            push_json_string(value, out);
        } else if self.missing_as_null {
            push_key(key, out);
            out.extend_from_slice(b"null");
        }
    }

    fn push_integer(&self, key: &str, value: Option<u64>, out: &mut Vec<u8>) {
        if let Some(value) = value {
            push_key(key, out);
            out.extend_from_slice(value.to_string().as_bytes());
        } else if self.missing_as_null {
            push_key(key, out);
            out.extend_from_slice(b"null");
        }
    }
}

/// Appends a list of texts, unless it is empty.
fn push_list(key: &str, texts: &[String], out: &mut Vec<u8>) {
    for (number, text) in texts.iter().enumerate() {
        match number {
            0 => {
                push_key(key, out);
                out.push(b'[');
            }
            _ => out.push(b','),
        }
        push_json_string(text, out);
    }
    if !texts.is_empty() {
        out.push(b']');
    }
}

fn push_key(key: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(b"\":");
}

/// Appends a JSON string; only quotes, backslashes and controls need escapes.
fn push_json_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(plain_len) =
        rest.iter().position(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\'))
    {
        out.extend_from_slice(&rest[..plain_len]);
        match rest[plain_len] {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            byte if byte < 0x20 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            byte => out.extend_from_slice(&[b'\\', byte]),
        }
        rest = &rest[plain_len + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped_as_serde_reads_them() {
        for text in
            ["", "plain", "a\"b\\c", "\n\r\t\u{1}\u{1f}\u{7f}", "株式会社 \u{2028} 🚀", "\"", "\\"]
        {
            let mut out = Vec::new();
            push_json_string(text, &mut out);
            assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }
    }

    #[test]
    fn missing_values_are_left_out_or_null() {
        let mut record = Record {
            id: [b'0'; 36],
            name: "A".into(),
            website: None,
            description: None,
            industry: None,
            employee_count: None,
            city: None,
            state: Some("".into()),
            country: None,
            founded_year: Some(970),
            aliases: Vec::new(),
            other_websites: Vec::new(),
            missing_as_null: false,
        };
        let line = |record: &Record<'_>| {
            let mut out = Vec::new();
            record.write_line(&mut out);
            String::from_utf8(out).unwrap()[44..].to_owned()
        };
        assert_eq!(
            line(&record),
            ",\"name\":\"A\",\"location\":{\"state\":\"\"},\"founded_year\":970}\n"
        );
        record.aliases = vec!["B".into(), "C \"D\"".into()];
        assert!(line(&record).ends_with(",\"aliases\":[\"B\",\"C \\\"D\\\"\"]}\n"));
        record.missing_as_null = true;
        record.state = None;
        assert!(line(&record).contains(
            "\"employee_count\":null,\"location\":{\"city\":null,\"state\":null,\"country\":null}"
        ));
    }
}
