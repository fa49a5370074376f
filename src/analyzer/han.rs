//! Simplified forms of Han characters, so that a name is found however its region writes it.
//!
//! Source: `han_simplified.txt`, which says where it is from. Characters are mapped one by one:
//! where a traditional character has several simplified ones, which only its word tells, the first
//! stands for all of them, in the index as in queries. A crate that converts words as well brings a
//! megabyte of dictionaries.

use rustc_hash::FxHashMap;
use std::sync::LazyLock;

static SIMPLIFIED: LazyLock<FxHashMap<char, char>> = LazyLock::new(|| {
    let rows = include_str!("han_simplified.txt").lines().filter(|line| !line.starts_with('#'));
    let pair = |row: &str| {
        let mut chars = row.chars();
        Some((chars.next()?, chars.next()?))
    };
    rows.filter_map(pair).collect()
});

/// The first and the last Han character of the table.
const HAN: std::ops::RangeInclusive<char> = '\u{3400}'..='\u{323af}';

/// The simplified form of a character; any other character itself.
#[inline]
pub fn simplified(c: char) -> char {
    if HAN.contains(&c) { SIMPLIFIED.get(&c).copied().unwrap_or(c) } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_a_folding() {
        assert_eq!(SIMPLIFIED.len(), 3222);
        for (traditional, simple) in SIMPLIFIED.iter() {
            assert!(HAN.contains(traditional), "{traditional}");
            assert_eq!(simplified(*simple), *simple, "{traditional}");
            let text = simple.to_string();
            assert_eq!(crate::analyzer::fold_text(&text), text, "{traditional}");
        }
        assert_eq!("臺灣證券".chars().map(simplified).collect::<String>(), "台湾证券");
    }
}
