//! Sorted keys to the fst that maps them to their ordinals.
//!
//! It is built in a temporary file: nobody has to know yet where its section lies, or to wait until
//! it ends.

use super::scratch::{Scratch, ScratchError, ScratchWriter};

/// Writes an fst of sorted, distinct keys, each mapped to its ordinal.
pub struct KeysWriter {
    keys: fst::MapBuilder<ScratchWriter>,
    scratch: Scratch,
    len: u64,
}

impl KeysWriter {
    /// No keys yet.
    ///
    /// # Errors
    /// The temporary file cannot be made or written.
    pub fn new(scratch: &Scratch) -> Result<KeysWriter, ScratchError> {
        let keys =
            fst::MapBuilder::new(scratch.writer()?).map_err(|error| failed(scratch, error))?;
        Ok(KeysWriter { keys, scratch: scratch.clone(), len: 0 })
    }

    /// Appends a key, which is greater than all before.
    ///
    /// # Errors
    /// The temporary file cannot be written.
    pub fn push(&mut self, key: &[u8]) -> Result<(), ScratchError> {
        self.keys.insert(key, self.len).map_err(|error| failed(&self.scratch, error))?;
        self.len += 1;
        Ok(())
    }

    /// The fst.
    ///
    /// # Errors
    /// The temporary file cannot be written.
    pub fn finish(self) -> Result<ScratchWriter, ScratchError> {
        self.keys.into_inner().map_err(|error| failed(&self.scratch, error))
    }
}

/// What went wrong with the file that an fst is written to.
///
/// # Panics
/// The keys were not sorted or not distinct.
fn failed(scratch: &Scratch, error: fst::Error) -> ScratchError {
    match error {
        fst::Error::Io(error) => match error.downcast::<ScratchError>() {
            Ok(error) => error,
            Err(error) => scratch.error("write")(error),
        },
        fst::Error::Fst(error) => panic!("keys are sorted and distinct: {error}"),
    }
}
