//! Decimal numbers of Parquet files as digits.
//!
//! A DECIMAL is a whole number of units with a fixed number of decimals; warehouses write every
//! integer as one of up to 76 digits. All of them are kept, so nothing goes through a smaller
//! number.

/// Longest number in bytes: 76 digits need as many.
pub const BYTES_MAX: usize = 32;

/// Most decimals of a number.
pub const DECIMALS_MAX: usize = 76;

/// Digits that are made at a time.
const DIGITS: usize = 9;

/// The number of a big-endian two's complement, with a dot before so many decimals; without
/// decimals if it is whole. At most [`BYTES_MAX`] bytes count.
pub fn to_text(bytes: &[u8], decimals: usize) -> String {
    let bytes = &bytes[bytes.len().saturating_sub(BYTES_MAX)..];
    let is_negative = bytes.first().is_some_and(|&byte| byte >= 0x80);
    // Its magnitude, most significant byte first.
    let mut magnitude = bytes.to_vec();
    if is_negative {
        let mut carry = true;
        for byte in magnitude.iter_mut().rev() {
            let (negated, overflows) = (!*byte).overflowing_add(u8::from(carry));
            (*byte, carry) = (negated, overflows);
        }
    }
    let mut digits = String::new();
    while magnitude.iter().any(|&byte| byte != 0) {
        let mut rest = 0u64;
        for byte in &mut magnitude {
            let value = rest << 8 | u64::from(*byte);
            *byte = (value / 1_000_000_000) as u8;
            rest = value % 1_000_000_000;
        }
        digits.insert_str(0, &format!("{rest:0DIGITS$}"));
    }
    let digits = digits.trim_start_matches('0');
    let digits = format!("{digits:0>width$}", width = decimals + 1);
    let (whole, behind) = digits.split_at(digits.len() - decimals);
    let behind = behind.trim_end_matches('0');
    let sign = if is_negative { "-" } else { "" };
    let dot = if behind.is_empty() { "" } else { "." };
    format!("{sign}{whole}{dot}{behind}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_of_many_digits() {
        assert_eq!(to_text(&[], 0), "0");
        assert_eq!(to_text(&[0], 2), "0");
        assert_eq!(to_text(&[5], 2), "0.05");
        assert_eq!(to_text(&[0xff], 1), "-0.1");
        assert_eq!(to_text(&[0x2e, 0xe0], 2), "120");
        let most = "57896044618658097711785492504343953926634992332820282019728792003956564819967";
        let bytes = [&[0x7f][..], &[0xff; 31]].concat();
        assert_eq!(to_text(&bytes, 0), most);
        assert_eq!(to_text(&bytes, 38), format!("{}.{}", &most[..39], &most[39..]));
    }

    proptest! {
        #[test]
        fn digits_are_those_of_the_number(value: i128, decimals in 0..30usize, more in 0..16usize) {
            let fill = if value < 0 { 0xff } else { 0 };
            let bytes = [vec![fill; more], value.to_be_bytes().to_vec()].concat();
            prop_assert_eq!(to_text(&bytes, 0), value.to_string());
            let shifted: String = to_text(&bytes, decimals);
            let (whole, behind) = shifted.split_once('.').unwrap_or((&shifted, ""));
            let back = format!("{whole}{behind:0<decimals$}");
            let expected = value.to_string();
            let strip = |text: &str| text.trim_start_matches(['-', '0']).to_owned();
            prop_assert_eq!(strip(&back), strip(&expected));
            prop_assert_eq!(shifted.starts_with('-'), value < 0);
        }
    }
}
