//! Oddities met in real data, mixed in on request. Every record stays acceptable.
//!
//! Each kind hits about 1 to 2 % of the records: placeholders and digits as names, other scripts,
//! emoji, text not in NFC or wrongly decoded, soft hyphens, HTML, line breaks, empty and blank
//! values, nulls, white space around values, country and state spelt in several ways, year 970,
//! 2,100,000 employees, very long URLs and hosts without scheme.

use super::accents::{accent, decompose};
use super::places::City;
use super::random::SplitMix64;
use super::record::Record;
use super::words::push_word;
use std::borrow::Cow;

/// Share of the names for each of the kinds of odd names.
const NAME_SHARE: f64 = 0.012;
const NAME_KINDS: u64 = 15;
/// Share of the records for each other kind.
const SHARE: f64 = 0.015;
const ODD_YEAR: u64 = 970;
const ODD_EMPLOYEE_COUNT: u64 = 2_100_000;
/// Length in bytes of a very long URL.
const LONG_URL_LEN: usize = 310;

const HAN_PLACES: [&str; 8] = ["北京", "上海", "深圳", "广州", "杭州", "臺灣", "浙江", "江苏"];
const HAN: &str = "华中国大天金海新东方信安德龙光明远科创联合泰恒永盛宏达瑞丰源通益和正智云星河山";
const HAN_TRADES: [&str; 6] = ["科技", "实业", "生物技术", "投资", "電子", "化工"];
const HAN_FORMS: [&str; 3] = ["有限公司", "股份有限公司", "集团"];
const KATAKANA: &str =
    "アイウエオカキクケコサシスセソタチツテトナニネノハヒフヘホマミムメモラリルレロワンー";
const HANGUL: &str = "가나다라마바사아자차카타파하대한성신우진영현동서남북미래코리전자화학";
const CYRILLIC: [&str; 16] = [
    "ро",
    "сим",
    "мор",
    "тех",
    "газ",
    "пром",
    "строй",
    "вест",
    "нор",
    "дом",
    "ал",
    "ёл",
    "юг",
    "лес",
    "ком",
    "снаб",
];
const ARABIC: [&str; 12] = [
    "النور",
    "الخليج",
    "المدينة",
    "الشرق",
    "الأمل",
    "الاتحاد",
    "الوطنية",
    "للتجارة",
    "للصناعة",
    "العربية",
    "للنفط",
    "القابضة",
];
const EMOJI: [&str; 7] = ["🚀", "🌱", "❤️", "👩‍💻", "🇩🇪", "✨", "👍🏽"];
const SPACES: [&str; 6] = [" ", "  ", "\t", "\u{A0}", "\u{3000}", "\n"];

/// Changes about one name in six; returns whether it did.
pub fn change_name(name: &mut String, accents: &str, rng: &mut SplitMix64) -> bool {
    let kind = (rng.unit() / NAME_SHARE) as u64;
    if kind >= NAME_KINDS {
        return false;
    }
    match kind {
        0 => *name = "#NAME?".to_owned(),
        1 => *name = rng.below(100_000).to_string(),
        2 => {
            accent(name, 0, accents, rng);
            *name = decompose(name);
        }
        3 => (0..3).for_each(|_| accent(name, 0, accents, rng)),
        4 => {
            accent(name, 0, accents, rng);
            *name = misread(name);
        }
        5 => insert_inside(name, "\u{AD}", rng),
        6 => *name = chinese_name(rng),
        7 => *name = format!("株式会社{}", letters(KATAKANA, 3, rng)),
        8 => *name = format!("{}(주)", letters(HANGUL, 3, rng)),
        9 => *name = format!("ООО «{}»", syllables(&CYRILLIC, "", rng)),
        10 => *name = format!("شركة {}", syllables(&ARABIC, " ", rng)),
        11 => *name = format!("{name} {}", rng.pick(&EMOJI)),
        12 => surround(name, rng),
        13 => *name = name.to_uppercase(),
        _ => *name = format!("\"{name}\"™ \\ {name}®"),
    }
    true
}

/// Changes everything but the name and the id.
pub fn change_record(
    record: &mut Record<'_>,
    city: &City,
    codes: PlaceCodes,
    rng: &mut SplitMix64,
) {
    if let Some(description) = &mut record.description {
        change_description(description, rng);
    }
    if let Some(website) = &mut record.website {
        change_website(website, rng);
    }
    change_location(record, city, codes, rng);
    if record.founded_year.is_some() && rng.chance(SHARE) {
        record.founded_year = Some(ODD_YEAR);
    }
    if record.employee_count.is_some() && rng.chance(SHARE) {
        record.employee_count = Some(ODD_EMPLOYEE_COUNT);
    }
    record.missing_as_null = rng.chance(2.0 * SHARE);
    if rng.chance(2.0 * SHARE) {
        let value = rng.pick(&["", "", " ", " \t", "\u{3000}"]).to_owned();
        match rng.below(6) {
            0 => record.website = Some(value),
            1 => record.description = Some(value),
            2 => record.industry = Some(Cow::Owned(value)),
            3 => record.city = Some(Cow::Owned(value)),
            4 => record.state = Some(Cow::Owned(value)),
            _ => record.country = Some(Cow::Owned(value)),
        }
    }
}

fn change_description(text: &mut String, rng: &mut SplitMix64) {
    let kind = (rng.unit() / SHARE) as u64;
    match kind {
        0 => *text = format!("<p>{}</p>", text.replace(". ", ".<br/>\n")),
        1 => {
            *text = text
                .replace(" and ", " &amp; ")
                .replace(" the ", "&nbsp;the ")
                .replace('-', "&#8211;")
        }
        2 => *text = text.replace(". ", if rng.chance(0.5) { ".\n\n" } else { ".\r\n" }),
        3 => {
            *text = text.replacen(" is ", "â€™s ", 1);
            text.push_str(" Our cafÃ© serves SÃ£o Paulo.");
        }
        4 => insert_inside(text, "\u{AD}", rng),
        5 => insert_inside(text, "\u{200B}", rng),
        6 => *text = format!("{} {text} {}", rng.pick(&EMOJI), rng.pick(&EMOJI)),
        7 => *text = format!("{}。{text}", chinese_name(rng)),
        8 => *text = format!("“{text}” C:\\data \"{}\" \u{1}\t{}/7", rng.below(100), rng.below(24)),
        9 => surround(text, rng),
        _ => {}
    }
}

fn change_website(website: &mut String, rng: &mut SplitMix64) {
    let kind = (rng.unit() / SHARE) as u64;
    let (scheme_len, host) = match website.find("://") {
        Some(offset) => (offset + 3, website[offset + 3..].to_owned()),
        None => (0, website.clone()),
    };
    match kind {
        0 => *website = host,
        1 => *website = format!("{host}/"),
        2 => *website = website.to_uppercase(),
        3 => website.push_str(":8443/en/index.html?lang=en#top"),
        4 => {
            website.push_str("/?utm_source=");
            while website.len() < LONG_URL_LEN {
                push_word(rng.below(1 << 20), website);
                website.push_str("%20");
            }
        }
        5 => accent(website, scheme_len, "german", rng),
        6 => surround(website, rng),
        _ => {}
    }
}

/// Codes that stand for the country and the state of a city.
#[derive(Clone, Copy)]
pub struct PlaceCodes {
    pub country: &'static str,
    pub state: Option<&'static str>,
}

fn change_location(record: &mut Record<'_>, city: &City, codes: PlaceCodes, rng: &mut SplitMix64) {
    if let Some(code) = codes.state
        && record.state.is_some()
        && rng.chance(3.0 * SHARE)
    {
        record.state = Some(if rng.chance(0.8) { code.into() } else { code.to_lowercase().into() });
    }
    if record.country.is_some() {
        let spellings: &[&str] = match codes.country {
            "US" => &["USA", "US", "us", "United States of America", "U.S.A.", "usa"],
            "GB" => &["UK", "U.K.", "Great Britain", "GB", "uk"],
            code => &[code],
        };
        if rng.chance(if spellings.len() > 1 { 6.0 * SHARE } else { 2.0 * SHARE }) {
            record.country = Some(Cow::Owned(rng.pick(spellings).to_owned()));
        }
    }
    if record.city.is_some() && rng.chance(SHARE) {
        let mut name = city.name.clone();
        match rng.below(3) {
            0 => name.make_ascii_uppercase(),
            1 => name.make_ascii_lowercase(),
            _ => surround(&mut name, rng),
        }
        record.city = Some(Cow::Owned(name));
    }
    if let Some(industry) = &mut record.industry
        && rng.chance(SHARE)
    {
        match rng.below(3) {
            0 => *industry = industry.to_uppercase().into(),
            1 => *industry = industry.replace('&', "and").into(),
            _ => surround(industry.to_mut(), rng),
        }
    }
}

/// UTF-8 read as Windows-1252: "Café" becomes "CafÃ©".
fn misread(text: &str) -> String {
    const HIGH_CONTROLS: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž',
        '\u{8F}', '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}',
        'ž', 'Ÿ',
    ];
    text.bytes()
        .map(|byte| {
            if (0x80..0xA0).contains(&byte) {
                HIGH_CONTROLS[usize::from(byte - 0x80)]
            } else {
                char::from(byte)
            }
        })
        .collect()
}

/// Puts `insertion` between two letters somewhere.
fn insert_inside(text: &mut String, insertion: &str, rng: &mut SplitMix64) {
    let wanted = rng.below(text.len() as u64) as usize;
    let offset = (wanted.max(1)..text.len())
        .find(|offset| text.is_char_boundary(*offset))
        .unwrap_or(text.len());
    text.insert_str(offset, insertion);
}

fn surround(text: &mut String, rng: &mut SplitMix64) {
    text.insert_str(0, rng.pick(&SPACES));
    text.push_str(rng.pick(&SPACES));
}

fn chinese_name(rng: &mut SplitMix64) -> String {
    let own = letters(HAN, 2, rng);
    format!("{}{own}{}{}", rng.pick(&HAN_PLACES), rng.pick(&HAN_TRADES), rng.pick(&HAN_FORMS))
}

/// `min` letters and up to two more.
fn letters(choices: &str, min: u64, rng: &mut SplitMix64) -> String {
    let choices: Vec<char> = choices.chars().collect();
    (0..min + rng.below(3)).map(|_| rng.pick(&choices)).collect()
}

/// Two or three parts.
fn syllables(choices: &[&str], separator: &str, rng: &mut SplitMix64) -> String {
    (0..2 + rng.below(2)).map(|_| rng.pick(choices)).collect::<Vec<_>>().join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misread_text_looks_as_met() {
        assert_eq!(misread("Café"), "CafÃ©");
        assert_eq!(misread("’"), "â€™");
    }

    #[test]
    fn insertions_keep_characters_whole() {
        let mut rng = SplitMix64::new(1, 1, 1);
        for _ in 0..200 {
            let mut text = "é株🚀x".to_owned();
            insert_inside(&mut text, "\u{AD}", &mut rng);
            assert_eq!(text.chars().filter(|letter| *letter == '\u{AD}').count(), 1);
        }
    }
}
