//! Where records come from: files, folders of files, standard input, memory.
//!
//! Files are named, not found: a symbolic link, device, pipe or socket is refused, since what it
//! leads to may be another thing tomorrow, or endless. A folder stands for the files in it, sorted
//! by name; names that begin with `.` or `_` are the notes of other programs and are passed over,
//! everything else must be a file whose name tells its format. A file is read to the length that it
//! had when it was opened.

use super::compression::BUFFER_BYTES;
use super::format::Format;
use crate::snapshot::file::direct_io;
use std::ffi::OsStr;
use std::fs::{File, FileType};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where records come from.
#[derive(Clone, Debug)]
pub enum Input {
    /// A file, plain or compressed; or a folder of such files.
    File(PathBuf),
    /// Standard input, plain or compressed.
    Stdin,
    /// Bytes in memory.
    Memory(Vec<u8>),
}

impl Input {
    /// The input that a command-line argument names: `-` is standard input.
    pub fn from_argument(argument: PathBuf) -> Input {
        if argument.as_os_str() == "-" { Input::Stdin } else { Input::File(argument) }
    }

    /// What to call it in messages.
    pub fn name(&self) -> String {
        match self {
            Input::File(path) => path.display().to_string(),
            Input::Stdin => "standard input".to_owned(),
            Input::Memory(_) => "memory".to_owned(),
        }
    }

    /// The file itself, or the files of a folder. `is_forced`: any file will do, whatever its name.
    ///
    /// # Errors
    /// A folder cannot be read, or holds something that is no file of records.
    pub fn expand(&self, is_forced: bool) -> io::Result<Vec<Input>> {
        let Input::File(folder) = self else { return Ok(vec![self.clone()]) };
        if !check_type(folder)?.is_dir() {
            return Ok(vec![self.clone()]);
        }
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.as_encoded_bytes().first(), Some(b'.' | b'_')) {
                continue;
            }
            let refuse = |reason: &str| {
                let name = Path::new(&name).display();
                Err(io::Error::other(format!("it is a folder, and {name} in it {reason}")))
            };
            match check_type(&entry.path()) {
                Ok(kind) if kind.is_dir() => {
                    return refuse("is a folder again: name the folders one by one");
                }
                Ok(_) => {}
                Err(error) => return refuse(&format!("cannot be read: {error}")),
            }
            if !is_forced && Format::of_path(Path::new(&name)).is_none() {
                return refuse(
                    "has a name that tells no format (.jsonl, .json, .csv, .tsv, .sql, .parquet): remove it, rename \
                     it, or say --format",
                );
            }
            paths.push(entry.path());
        }
        paths.sort_unstable_by(|a, b| OsStr::cmp(a.as_os_str(), b.as_os_str()));
        if paths.is_empty() {
            return Err(io::Error::other("it is a folder without a file of records"));
        }
        Ok(paths.into_iter().map(Input::File).collect())
    }

    /// Bytes before unpacking, if known.
    ///
    /// # Errors
    /// The file is not there.
    pub fn len_bytes(&self) -> io::Result<Option<u64>> {
        match self {
            Input::File(path) => std::fs::metadata(path).map(|metadata| Some(metadata.len())),
            Input::Stdin => Ok(None),
            Input::Memory(bytes) => Ok(Some(bytes.len() as u64)),
        }
    }

    /// The format that the name promises.
    pub fn promised_format(&self) -> Option<Format> {
        match self {
            Input::File(path) => Format::of_path(path),
            Input::Stdin => None,
            // Only our own code hands over bytes.
            Input::Memory(_) => Some(Format::JsonLines),
        }
    }

    /// The bytes as they stand; what is read is added to `consumed`.
    ///
    /// # Errors
    /// The file cannot be opened, or is none.
    pub fn open(&self, consumed: Arc<AtomicU64>) -> io::Result<BufReader<Box<dyn Read + '_>>> {
        let raw: Box<dyn Read + '_> = match self {
            Input::File(path) => {
                let file = open_file(path)?;
                let len = file.metadata()?.len();
                Box::new(Counting {
                    inner: OfLength { inner: direct_io::Reader(file), left: len },
                    consumed,
                })
            }
            Input::Stdin => Box::new(Counting { inner: io::stdin().lock(), consumed }),
            Input::Memory(bytes) => Box::new(Counting { inner: bytes.as_slice(), consumed }),
        };
        Ok(BufReader::with_capacity(BUFFER_BYTES, raw))
    }
}

/// Opens a regular file for reading.
///
/// # Errors
/// It cannot be opened, or is something else.
pub fn open_file(path: &Path) -> io::Result<File> {
    if check_type(path)?.is_dir() {
        return Err(io::Error::other("it is a folder"));
    }
    let file = File::open(path)?;
    // It may have been replaced in between.
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    Ok(file)
}

/// A file or a folder, and nothing else.
fn check_type(path: &Path) -> io::Result<FileType> {
    let kind = std::fs::symlink_metadata(path)?.file_type();
    if kind.is_file() || kind.is_dir() {
        return Ok(kind);
    }
    // A link to a pipe is what a shell makes of `<(command)`.
    let leads_to = kind.is_symlink().then(|| std::fs::metadata(path).ok()).flatten();
    if kind.is_symlink() && leads_to.is_none_or(|target| target.is_file() || target.is_dir()) {
        let target = std::fs::read_link(path).unwrap_or_default();
        return Err(io::Error::other(format!(
            "it is a symbolic link: name the file it leads to ({}), or pass its contents on standard input (-)",
            target.display()
        )));
    }
    Err(io::Error::other(
        "it is a device, pipe or socket: pass what it gives on standard input (-)",
    ))
}

/// Counts the bytes that pass.
struct Counting<R> {
    inner: R,
    consumed: Arc<AtomicU64>,
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.consumed.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Reads so many bytes, neither more nor less: a file that grows or shrinks meanwhile is being
/// written.
struct OfLength<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for OfLength<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let count = self.inner.read(&mut buffer[..len])?;
        self.left -= count as u64;
        if count == 0 && len > 0 {
            let reason = "it became shorter while it was read: wait until it is written";
            return Err(io::Error::other(reason));
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(bytes: &[u8], left: u64) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        OfLength { inner: bytes, left }.read_to_end(&mut out).map(|_| out)
    }

    #[test]
    fn files_are_read_to_the_length_at_open() {
        assert_eq!(read_all(b"abcd", 4).unwrap(), b"abcd");
        assert_eq!(read_all(b"abcd and more", 4).unwrap(), b"abcd");
        assert!(read_all(b"abc", 4).unwrap_err().to_string().contains("shorter"));
        assert_eq!(read_all(b"", 0).unwrap(), b"");
    }
}
