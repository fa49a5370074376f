//! Texts as codes of symbols: what frequent pieces of text are stored once, and written as two
//! bytes.
//!
//! ```text
//! SYMBOLS := COUNT (u32), LEN^COUNT (u8), TEXT^COUNT
//! ```
//!
//! Code `i` stands for the `i`th text, of 1 to 16 bytes. A text is the texts of its codes, one
//! after the other, so that any part of it can be read without what stands before, and reading is
//! one copy of 16 bytes a code (Gargiulo, Venturini: "OnPair: short strings compression for fast
//! random access", 2025). Whoever writes chooses the symbols; each byte should be one, so that
//! every text can be written.
//!
//! Twenty documents, 11 KB, are read in 2.1 µs instead of copied in 0.3 where all is in the nearest
//! caches, and in as much time as they were copied in, some 5 µs, where they come from memory: they
//! are a third as long. (Written as [vectors](append_cut), a page of the bench `render/page` takes
//! another quarter less, 1.8 µs for 2.4.) Symbols of up to eight bytes and codes of one (Boncz,
//! Neumann, Leis: "FSST: fast random access string compression", 2020) leave half, and take 4.5 and
//! 13 µs.

use crate::simd::append_cut;

/// Most bytes that a code stands for.
pub const SYMBOL_BYTES_MAX: usize = 16;

/// How many codes there are.
pub const CODES: usize = 1 << 16;

/// What every code stands for. Codes without a symbol stand for nothing.
pub struct Symbols {
    /// Padded with zeros.
    texts: Box<[[u8; SYMBOL_BYTES_MAX]; CODES]>,
    lens: Box<[u8; CODES]>,
}

impl Symbols {
    /// Reads the symbols of a snapshot: some 1.1 MB, at addresses that follow from codes alone.
    ///
    /// # Errors
    /// They are not as [`encode`] writes them.
    pub fn read(section: &[u8]) -> Result<Symbols, &'static str> {
        let damaged = || "symbols do not join";
        let (count, rest) = section.split_first_chunk().ok_or_else(damaged)?;
        let count = u32::from_le_bytes(*count) as usize;
        let (lens, mut rest) = rest.split_at_checked(count).ok_or_else(damaged)?;
        let mut symbols = Symbols { texts: zeroed(), lens: zeroed() };
        if count > CODES {
            return Err(damaged());
        }
        for (code, &len) in lens.iter().enumerate() {
            let len = usize::from(len);
            let (text, behind) = rest.split_at_checked(len).ok_or_else(damaged)?;
            if len == 0 || len > SYMBOL_BYTES_MAX {
                return Err(damaged());
            }
            symbols.texts[code][..len].copy_from_slice(text);
            symbols.lens[code] = len as u8;
            rest = behind;
        }
        if rest.is_empty() { Ok(symbols) } else { Err(damaged()) }
    }

    /// Appends the text of `codes`.
    #[inline]
    pub fn append(&self, codes: &[u16], out: &mut Vec<u8>) {
        let text = |&code: &u16| {
            let code = usize::from(code);
            (&self.texts[code], self.lens[code])
        };
        append_cut(out, codes.iter().map(text));
    }
}

/// The section that holds these symbols, of which there are at most [`CODES`], each of 1 to
/// [`SYMBOL_BYTES_MAX`] bytes.
pub fn encode<'a>(symbols: impl ExactSizeIterator<Item = &'a [u8]> + Clone) -> Vec<u8> {
    let mut section = (symbols.len() as u32).to_le_bytes().to_vec();
    section.extend(symbols.clone().map(|symbol| symbol.len() as u8));
    section.extend(symbols.flatten());
    section
}

/// A large array, without a copy of it on the stack.
fn zeroed<T: bytemuck::Zeroable + Clone, const N: usize>() -> Box<[T; N]> {
    let zeros: Box<[T]> = vec![T::zeroed(); N].into();
    zeros.try_into().unwrap_or_else(|_| unreachable!("the length is N"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn codes_are_read_as_their_texts(
            symbols in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..17), 0..40),
            codes in proptest::collection::vec(0u16..50, 0..200),
        ) {
            let bytes = encode(symbols.iter().map(Vec::as_slice));
            let opened = Symbols::read(&bytes).unwrap();
            let text = |&code: &u16| symbols.get(usize::from(code)).cloned().unwrap_or_default();
            let expected: Vec<u8> = codes.iter().flat_map(text).collect();
            let mut read = Vec::new();
            opened.append(&codes, &mut read);
            prop_assert_eq!(&read, &expected);
            prop_assert!(Symbols::read(&bytes[..bytes.len() - 1]).is_err());
            prop_assert!(Symbols::read(&[&bytes[..], &[0]].concat()).is_err());
        }
    }

    #[test]
    fn symbols_too_many_too_long_or_empty_are_refused() {
        assert!(Symbols::read(&encode(std::iter::repeat_n(&[1][..], CODES))).is_ok());
        for bad in [
            encode(std::iter::repeat_n(&[1][..], CODES + 1)),
            encode(std::iter::once(&[1; 17][..])),
            encode(std::iter::once(&[][..])),
            u32::MAX.to_le_bytes().to_vec(),
            vec![0; 3],
        ] {
            assert!(Symbols::read(&bad).is_err());
        }
    }
}
