//! Keys at the begin of JSON: which layout of a preset the records have.

use super::json_head::end_of_string;

/// The keys in the first bytes of a text, of objects at any depth, each once. A key that is cut off
/// is not one of them.
pub fn keys(head: &[u8]) -> Vec<String> {
    let mut keys = Vec::new();
    let mut rest = head;
    while let Some(open) = memchr::memchr(b'"', rest) {
        rest = &rest[open + 1..];
        let Some(close) = end_of_string(rest) else { break };
        let text = &rest[..close];
        rest = &rest[close + 1..];
        if rest.trim_ascii_start().first() == Some(&b':') {
            let name = String::from_utf8_lossy(text).into_owned();
            if !keys.contains(&name) {
                keys.push(name);
            }
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_from_values() {
        assert_eq!(
            keys(br#"[{"id":"name","a\"b" : {"city":"x:y"}, "id":1},{"website":"a","cut"#),
            ["id", "a\\\"b", "city", "website"]
        );
        assert!(keys(b"").is_empty() && keys(b"\"\\").is_empty());
    }
}
