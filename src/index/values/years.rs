//! The year of a date, where it is plain to see.
//!
//! Which of day and month comes first does not matter, so all common orders are read: ISO 8601 with
//! or without a time, `DD.MM.YYYY`, `MM/DD/YYYY`, `12 Mar 1998`, `March 1998`, `YYYYMMDD`. The year
//! is that of the text, whatever the time zone.

/// Why a text has no year.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoYear {
    /// It is a date whose year has two digits.
    TwoDigits,
    /// It is no date that is known here.
    NoDate,
}

/// The names of months, and what those of days begin with, in English.
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const MONTHS_WHOLE: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const WEEKDAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// A part of a date.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Year(u64),
    /// A number of one or two digits.
    Short(u64),
    Month,
}

/// The year of a date in a trimmed text.
///
/// # Errors
/// There is no telling it.
pub fn of_date(text: &str) -> Result<u64, NoYear> {
    let date = without_weekday(without_time(text).ok_or(NoYear::NoDate)?);
    if date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()) {
        return date.parse().ok().and_then(of_digits).ok_or(NoYear::NoDate);
    }
    let is_sign = |c: char| matches!(c, '-' | '/' | '.' | ',' | ' ');
    let mut parts = [Part::Month; 3];
    let mut count = 0;
    for part in date.split(is_sign) {
        if part.is_empty() {
            continue;
        }
        *parts.get_mut(count).ok_or(NoYear::NoDate)? = read_part(part).ok_or(NoYear::NoDate)?;
        count += 1;
    }
    let parts = &parts[..count];
    let has_name = parts.contains(&Part::Month);
    let mut signs = date.matches(is_sign);
    let sign = signs.next().unwrap_or_default();
    // Numbers stand between signs of one kind, one each.
    if !has_name && (signs.any(|other| other != sign) || date.matches(is_sign).count() + 1 != count)
    {
        return Err(NoYear::NoDate);
    }
    match *parts {
        [Part::Year(year), Part::Short(month)] if sign != "." && is_month(month) => Ok(year),
        [Part::Short(month), Part::Year(year)] if is_month(month) => Ok(year),
        [Part::Year(year), Part::Month] | [Part::Month, Part::Year(year)] => Ok(year),
        [Part::Year(year), Part::Short(one), Part::Short(other)]
        | [Part::Short(one), Part::Short(other), Part::Year(year)] => {
            let is_date = one.max(other) <= 31 && one.min(other) <= 12;
            if is_date { Ok(year) } else { Err(NoYear::NoDate) }
        }
        [Part::Short(day), Part::Month, Part::Year(year)]
        | [Part::Month, Part::Short(day), Part::Year(year)]
        | [Part::Year(year), Part::Month, Part::Short(day)] => {
            if day <= 31 {
                Ok(year)
            } else {
                Err(NoYear::NoDate)
            }
        }
        [Part::Short(_), Part::Short(_), Part::Short(_)]
        | [Part::Short(_), Part::Month, Part::Short(_)]
        | [Part::Month, Part::Short(_), Part::Short(_)]
        | [Part::Month, Part::Short(_)]
        | [Part::Short(_), Part::Month] => Err(NoYear::TwoDigits),
        _ => Err(NoYear::NoDate),
    }
}

/// The year of a date that is written as one number, `YYYYMMDD`.
pub fn of_digits(digits: u64) -> Option<u64> {
    let (year, month, day) = (digits / 10_000, digits / 100 % 100, digits % 100);
    let is_date = (1000..=9999).contains(&year) && month <= 12 && day <= 31;
    is_date.then_some(year)
}

/// The year in which the day so many days after 1 January 1970 lies.
pub fn of_day(days: i64) -> Option<u64> {
    let span = jiff::Span::new().try_days(days).ok()?;
    let date = jiff::civil::date(1970, 1, 1).checked_add(span).ok()?;
    u64::try_from(date.year()).ok()
}

/// Zero stands for a month that is not known.
fn is_month(number: u64) -> bool {
    number <= 12
}

fn read_part(part: &str) -> Option<Part> {
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if is_number(part) {
        let number = part.parse().ok()?;
        return match part.len() {
            4 => Some(Part::Year(number)),
            1 | 2 => Some(Part::Short(number)),
            _ => None,
        };
    }
    let word = part.to_ascii_lowercase();
    let is_month = MONTHS.contains(&word.as_str()) || MONTHS_WHOLE.contains(&word.as_str());
    if is_month || word == "sept" {
        return Some(Part::Month);
    }
    // The 12th of March.
    let day = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end))?;
    let is_day = !day.is_empty() && day.len() <= 2 && is_number(day);
    if is_day { day.parse().ok().map(Part::Short) } else { None }
}

/// The text before the time of day; none if what follows a date is no time.
fn without_time(text: &str) -> Option<&str> {
    let Some(colon) = text.find(':') else {
        // `1998-03-12T00`, `19980312Z`: rare enough.
        return Some(text);
    };
    let begin = text[..colon].rfind(['T', ' '])?;
    let is_time = text[begin + 1..]
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, ':' | '.' | ',' | '+' | '-' | ' ' | '/'));
    is_time.then(|| text[..begin].trim_end())
}

fn without_weekday(date: &str) -> &str {
    let word = date.split([' ', ',']).next().unwrap_or_default();
    let is_weekday = word
        .get(..3)
        .is_some_and(|start| WEEKDAYS.iter().any(|day| start.eq_ignore_ascii_case(day)))
        && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    if is_weekday { date[word.len()..].trim_start_matches([' ', ',']) } else { date }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn years_of_dates() {
        for text in [
            "1998-03-12",
            "1998/03/12",
            "1998.03.12",
            "12.03.1998",
            "12/03/1998",
            "03/12/1998",
            "3/12/1998",
            "12-03-1998",
            "1998-3-1",
            "1998-31-12",
            "19980312",
            "1998-03",
            "03/1998",
            "03.1998",
            "1998/03",
            "1998-00-00",
            "1998-03-12T10:20:30Z",
            "1998-03-12T10:20:30.123+01:00",
            "1998-03-12 10:20:30",
            "12/03/1998 10:20",
            "3/12/1998 1:02:03 PM",
            "12 Mar 1998",
            "12-Mar-1998",
            "12 March 1998",
            "March 12, 1998",
            "Mar 12th, 1998",
            "Mar 1998",
            "march-1998",
            "1998 Mar",
            "1998-Mar-12",
            "Thu, 12 Mar 1998 00:00:00 GMT",
            "Thursday 12 March 1998",
            "1998-12-31 23:59:59 -0800",
            "1st Sept 1998",
        ] {
            assert_eq!(of_date(text), Ok(1998), "{text}");
        }
        for text in ["12/03/98", "98-03-12", "12.3.98", "12-Mar-98", "Mar-98", "Mar 12, 98"] {
            assert_eq!(of_date(text), Err(NoYear::TwoDigits), "{text}");
        }
        for text in [
            "",
            "1998",
            "98",
            "35866",
            "1998-2004",
            "51-200",
            "1998-13",
            "45/12/1998",
            "13/13/1998",
            "1998.5",
            "1998.12",
            "12 Foo 1998",
            "c. 1998",
            "19981312",
            "199803",
            "-500-01-01",
            "1998-03/12",
            "1998--03-12",
            "1998-03-12-04",
            "1998-03-12 about 10:00 ü",
            "12:30",
            "Mar",
            "x-03-1998",
            "1998-0312",
            "th 1998",
            "00000000",
        ] {
            assert_eq!(of_date(text), Err(NoYear::NoDate), "{text}");
        }
    }

    #[test]
    fn years_of_days() {
        for (day, year) in [
            (0, 1970),
            (-1, 1969),
            (364, 1970),
            (365, 1971),
            (11_016, 2000),
            (10_956, 1999),
            (10_957, 2000),
        ] {
            assert_eq!(of_day(day), Some(year), "{day}");
        }
        assert_eq!(of_day(i64::MAX), None);
        assert_eq!(of_day(i64::MIN), None);
        assert_eq!(of_day(-800_000), None);
    }

    proptest! {
        #[test]
        fn days_and_dates_agree_with_a_calendar(day in -600_000i64..2_000_000) {
            let date = jiff::civil::date(1970, 1, 1).checked_add(jiff::Span::new().days(day)).unwrap();
            let (year, month, of_month) = (date.year(), date.month(), date.day());
            prop_assume!(year >= 1000);
            let expected = year as u64;
            prop_assert_eq!(of_day(day), Some(expected));
            for text in [
                date.to_string(),
                format!("{of_month:02}.{month:02}.{year}"),
                format!("{month}/{of_month}/{year}"),
                format!("{year}{month:02}{of_month:02}"),
                format!("{of_month}-{}-{year}", MONTHS[month as usize - 1]),
            ] {
                prop_assert_eq!(of_date(&text), Ok(expected), "{}", text);
            }
        }

        #[test]
        fn any_text_is_harmless(text in "[0-9TZ:/., +-]{0,20}|.{0,20}") {
            let _ = of_date(&text);
        }
    }
}
