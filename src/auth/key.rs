//! The format of an API key.
//!
//! A key is `fmt_`, 32 random base62 characters (190 bits) and 6 check characters, 42 in all. The
//! prefix lets secret scanners find keys that leaked; the check characters let the server refuse
//! a mistyped key before any look-up (GitHub's token format). They are the first eight bytes of a
//! BLAKE3 hash of what precedes them, modulo 62^6: a hash that the project has anyway, in place
//! of a CRC-32 it would need for this alone. They prove nothing about the key's origin.

use std::fmt;

/// What every key begins with.
pub const KEY_PREFIX: &str = "fmt_";

/// Random characters after the prefix.
const RANDOM_LEN: usize = 32;
/// Check characters at the end.
const CHECK_LEN: usize = 6;
/// Length of a whole key in bytes.
const KEY_LEN: usize = KEY_PREFIX.len() + RANDOM_LEN + CHECK_LEN;

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The BLAKE3 hash of a whole key: the only form in which a key is stored. A fast hash suffices
/// because keys are random; slow ones are for passwords. `==` runs in constant time.
pub type KeyHash = blake3::Hash;

/// An API key in plain text. It exists only between its creation and its one output.
pub struct ApiKey(String);

impl ApiKey {
    /// Creates a key from the operating system's random generator.
    ///
    /// # Errors
    /// The generator's own error, where it has no randomness to give.
    pub fn generate() -> Result<ApiKey, getrandom::Error> {
        let mut key = String::with_capacity(KEY_LEN);
        key.push_str(KEY_PREFIX);
        let mut random = [0u8; 64];
        while key.len() < KEY_PREFIX.len() + RANDOM_LEN {
            getrandom::fill(&mut random)?;
            // 248 is the largest multiple of 62 in a byte; above it the remainder is biased.
            let unbiased = random.iter().filter(|&&byte| byte < 248);
            let missing = KEY_PREFIX.len() + RANDOM_LEN - key.len();
            key.extend(
                unbiased.take(missing).map(|&byte| char::from(BASE62[usize::from(byte % 62)])),
            );
        }
        let check = check_characters(key.as_bytes());
        key.extend(check.map(char::from));
        Ok(ApiKey(key))
    }

    /// The key itself. Print it once, to the person who asked for it, and nowhere else.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The hash that the key file stores.
    #[must_use]
    pub fn hash(&self) -> KeyHash {
        blake3::hash(self.0.as_bytes())
    }

    /// The hash of `presented` if it has the format of a key, check characters included.
    #[must_use]
    pub fn hash_if_well_formed(presented: &[u8]) -> Option<KeyHash> {
        let body = presented.strip_prefix(KEY_PREFIX.as_bytes())?;
        if presented.len() != KEY_LEN || !body.iter().all(u8::is_ascii_alphanumeric) {
            return None;
        }
        let (checked, check) = presented.split_at(KEY_LEN - CHECK_LEN);
        (check_characters(checked) == check).then(|| blake3::hash(presented))
    }
}

/// Shows the format, never the key.
impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(fmt_…)")
    }
}

fn check_characters(checked: &[u8]) -> [u8; CHECK_LEN] {
    let hash = blake3::hash(checked);
    let mut number = hash.as_bytes().iter().take(8).fold(0u64, |n, &byte| n << 8 | u64::from(byte));
    std::array::from_fn(|_| {
        let digit = BASE62[(number % 62) as usize];
        number /= 62;
        digit
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_key_is_well_formed_and_hashes_to_what_is_stored() {
        for _ in 0..100 {
            let key = ApiKey::generate().expect("random bytes");
            let text = key.expose();
            assert_eq!(text.len(), 42, "{KEY_PREFIX} + 32 + 6");
            assert!(text.starts_with("fmt_"));
            assert!(text[4..].bytes().all(|byte| byte.is_ascii_alphanumeric()));
            assert_eq!(ApiKey::hash_if_well_formed(text.as_bytes()), Some(key.hash()));
        }
    }

    #[test]
    fn two_keys_differ() {
        let (one, other) = (ApiKey::generate().unwrap(), ApiKey::generate().unwrap());
        assert_ne!(one.expose(), other.expose());
    }

    #[test]
    fn every_single_typo_is_refused() {
        let key = ApiKey::generate().unwrap();
        for position in 0..key.expose().len() {
            for replacement in [b'0', b'z', b'Q', b'-', b' ', 0xFF] {
                let mut typo = key.expose().as_bytes().to_vec();
                if typo[position] != replacement {
                    typo[position] = replacement;
                    assert_eq!(ApiKey::hash_if_well_formed(&typo), None, "at {position}");
                }
            }
        }
    }

    #[test]
    fn other_lengths_and_prefixes_are_refused() {
        let key = ApiKey::generate().unwrap();
        let text = key.expose();
        for wrong in [
            "",
            "fmt_",
            "fmt",
            &text[..41],
            &text[4..],
            &format!("{text}0"),
            &format!(" {text}"),
            &format!("{text},{text}"),
            &text.to_uppercase(),
            &format!("prod{}", &text[4..]),
            &"0".repeat(129),
        ] {
            assert_eq!(ApiKey::hash_if_well_formed(wrong.as_bytes()), None, "{wrong:?}");
        }
    }

    #[test]
    fn swapped_neighbours_are_refused() {
        let key = ApiKey::generate().unwrap();
        for position in 4..41 {
            let mut typo = key.expose().as_bytes().to_vec();
            typo.swap(position, position + 1);
            if typo != key.expose().as_bytes() {
                assert_eq!(ApiKey::hash_if_well_formed(&typo), None, "at {position}");
            }
        }
    }

    #[test]
    fn debug_output_hides_the_key() {
        let key = ApiKey::generate().unwrap();
        assert!(!format!("{key:?}").contains(&key.expose()[4..]));
    }
}
