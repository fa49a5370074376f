//! How much memory a build may take.

use std::fmt;
use std::str::FromStr;

/// A limit of memory, in bytes.
///
/// It bounds what grows with the work in hand: sort buffers and blocks under way. On top come
/// arrays that grow with the number of records, see [`build`](super).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryLimit(usize);

impl MemoryLimit {
    /// The limit in bytes.
    pub fn bytes(self) -> usize {
        self.0
    }

    /// So many bytes, however few: small limits are for tests.
    pub fn from_bytes(bytes: usize) -> MemoryLimit {
        MemoryLimit(bytes)
    }
}

impl Default for MemoryLimit {
    fn default() -> MemoryLimit {
        MemoryLimit(2 << 30)
    }
}

/// Smallest limit accepted: below it, a build spends its time on moving small runs.
const BYTES_MIN: u64 = 64 << 20;

impl FromStr for MemoryLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<MemoryLimit, String> {
        let error = |what: &str| {
            format!("{text:?} is {what}: give a number with a unit, as in 512MiB or 2GiB")
        };
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let number: u64 = number.parse().map_err(|_| error("no size"))?;
        let shift = match unit.trim().to_ascii_lowercase().as_str() {
            "" | "b" => 0,
            "k" | "kb" | "kib" => 10,
            "m" | "mb" | "mib" => 20,
            "g" | "gb" | "gib" => 30,
            "t" | "tb" | "tib" => 40,
            _ => return Err(error("no size")),
        };
        let bytes = number
            .checked_mul(1 << shift)
            .filter(|&bytes| bytes <= 1 << 50)
            .ok_or_else(|| error("too much"))?;
        if bytes < BYTES_MIN {
            return Err(error("too little: a build needs at least 64MiB"));
        }
        usize::try_from(bytes).map(MemoryLimit).map_err(|_| error("too much"))
    }
}

impl fmt::Display for MemoryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes >= 1 << 30 && bytes.is_multiple_of(1 << 30) => {
                write!(f, "{}GiB", bytes >> 30)
            }
            bytes => write!(f, "{}MiB", bytes >> 20),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, mebibytes) in [
            ("512MiB", 512),
            ("2GiB", 2048),
            ("2G", 2048),
            ("2g", 2048),
            (" 1 gb ", 1024),
            ("65536k", 64),
            ("67108864", 64),
            ("67108864B", 64),
        ] {
            assert_eq!(text.parse(), Ok(MemoryLimit(mebibytes << 20)), "{text}");
        }
        for text in ["", "G", "-1G", "1.5G", "1Gi B", "2 GiBs", "1M", "0", "99999999999G", "9999T"]
        {
            let error = text.parse::<MemoryLimit>().unwrap_err();
            assert!(error.contains("as in 512MiB or 2GiB"), "{error}");
        }
        assert_eq!(MemoryLimit::default().to_string(), "2GiB");
        assert_eq!("1536M".parse::<MemoryLimit>().unwrap().to_string(), "1536MiB");
        assert_eq!(MemoryLimit::default().to_string().parse(), Ok(MemoryLimit::default()));
    }
}
