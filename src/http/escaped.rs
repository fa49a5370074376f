//! Text of a caller, made safe to show in messages and log lines.

use std::fmt::{self, Write};

/// Shows at most this many characters of what a caller sent.
const SHOWN_CHARS: usize = 64;

/// The beginning of a text. Control characters, invisible ones and those that change the writing
/// direction are escaped, so that a caller cannot forge log lines or disguise what it sent.
pub(super) struct Excerpt<'a>(pub(super) &'a str);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0.chars();
        for character in rest.by_ref().take(SHOWN_CHARS) {
            if character.is_control() || is_invisible(character) {
                write!(f, "{}", character.escape_unicode())?;
            } else {
                f.write_char(character)?;
            }
        }
        if rest.next().is_some() { f.write_char('…') } else { Ok(()) }
    }
}

fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_plain_text_is_unchanged() {
        for text in ["", "min_employee", "café 東京", "<script>\"'"] {
            assert_eq!(Excerpt(text).to_string(), text);
        }
    }

    #[test]
    fn long_text_is_cut_by_characters() {
        let shown = Excerpt(&"é".repeat(65)).to_string();
        assert_eq!(shown, format!("{}…", "é".repeat(64)));
        assert_eq!(Excerpt(&"é".repeat(64)).to_string(), "é".repeat(64));
    }

    #[test]
    fn control_and_invisible_characters_are_escaped() {
        assert_eq!(Excerpt("a\r\nb\u{1b}[0m").to_string(), "a\\u{d}\\u{a}b\\u{1b}[0m");
        assert_eq!(
            Excerpt("x\u{202e}y\u{200b}\u{feff}").to_string(),
            "x\\u{202e}y\\u{200b}\\u{feff}"
        );
        assert_eq!(Excerpt("\u{85}\u{7f}").to_string(), "\\u{85}\\u{7f}");
    }
}
