//! Bytes that pass once.
//!
//! An input is read once; what is sorted on disk is read long after it was written. For the page
//! cache the system has to find memory, which on virtual machines is much dearer than the copy, and
//! finds it where others lose it: other temporary files, the snapshot, other programs. So Linux is
//! asked to let go of such pages as soon as they are read, or on the disk (`RWF_DONTCACHE`,
//! [preadv2(2)](https://man7.org/linux/man-pages/man2/readv.2.html): Linux 6.14, where the file
//! system can); what is in the cache already stays. On a virtual machine, reading three gigabytes
//! so took 0.7 s of a core instead of 6.4, and writing them 0.9 instead of 3.9 to 9.0.
//!
//! Where that is refused, for whatever reason, bytes are read and written like any others: what is
//! wrong with the file is met again there, and told.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

/// Reads a file from where it stands.
pub struct Reader(pub File);

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        /// Where the file stands, which moves on.
        const HERE: u64 = u64::MAX;
        passing::read(&self.0, buffer, HERE).or_else(|_| self.0.read(buffer))
    }
}

/// Writes all of `bytes` at `offset`.
///
/// # Errors
/// As of [`FileExt::write_all_at`].
pub(crate) fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        match passing::write(file, &bytes[done..], offset + done as u64) {
            Ok(count) if count > 0 => done += count,
            _ => return file.write_all_at(&bytes[done..], offset + done as u64),
        }
    }
    Ok(())
}

#[cfg(target_os = "linux")]
mod passing {
    use rustix::io::{ReadWriteFlags, preadv2, pwritev2};
    use std::fs::File;
    use std::io::{IoSlice, IoSliceMut, Result};

    /// `RWF_DONTCACHE`, which rustix has no name for yet.
    const DONT_CACHE: ReadWriteFlags = ReadWriteFlags::from_bits_retain(0x80);

    pub fn read(file: &File, buffer: &mut [u8], offset: u64) -> Result<usize> {
        Ok(preadv2(file, &mut [IoSliceMut::new(buffer)], offset, DONT_CACHE)?)
    }

    pub fn write(file: &File, bytes: &[u8], offset: u64) -> Result<usize> {
        Ok(pwritev2(file, &[IoSlice::new(bytes)], offset, DONT_CACHE)?)
    }
}

#[cfg(not(target_os = "linux"))]
mod passing {
    use std::fs::File;
    use std::io::{ErrorKind, Result};

    pub fn read(_: &File, _: &mut [u8], _: u64) -> Result<usize> {
        Err(ErrorKind::Unsupported.into())
    }

    pub fn write(_: &File, _: &[u8], _: u64) -> Result<usize> {
        Err(ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;
    use std::path::Path;

    fn read_all(reader: &mut Reader, buffer_len: usize) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        BufReader::with_capacity(buffer_len, reader).read_to_end(&mut all).map(|_| all)
    }

    #[test]
    fn what_is_written_is_read() {
        let file = tempfile::tempfile().unwrap();
        let bytes: Vec<u8> = (0..1_000_003u32).map(|at| (at % 251) as u8).collect();
        for piece in bytes.chunks(300_001).rev() {
            let offset = piece.as_ptr() as usize - bytes.as_ptr() as usize;
            write_all_at(&file, piece, offset as u64).unwrap();
        }
        let mut reader = Reader(file);
        assert!(read_all(&mut reader, 4096).unwrap() == bytes);
        assert!(read_all(&mut reader, 4096).unwrap().is_empty(), "the file stands at its end");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_system_that_cannot_is_used_like_any_other() {
        let path = Path::new("/proc/version");
        let expected = std::fs::read(path).unwrap();
        let file = File::open(path).unwrap();
        assert!(passing::read(&file, &mut [0; 7], 0).is_err());
        assert_eq!(read_all(&mut Reader(file), 7).unwrap(), expected);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let mut reader = Reader(File::open(folder.path()).unwrap());
        assert_eq!(read_all(&mut reader, 10).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        let path = folder.path().join("file");
        std::fs::write(&path, "not to be written to").unwrap();
        assert!(write_all_at(&File::open(&path).unwrap(), b"bytes", 0).is_err());
    }
}
