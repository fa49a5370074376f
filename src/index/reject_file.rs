//! Rejected records: shown, counted, and listed in a file.
//!
//! The list is written beside its target and takes its place at the end, if it has any record: the
//! list of an earlier build stays whole until then, and none is left that says nothing.

use super::record::{Fault, RecordError};
use super::reject::{FaultCounts, Place, Reject};
use super::{BuildError, BuildOptions, Progress};
use crate::snapshot::file::staging::Unpublished;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Takes rejected records, and bad values that are left out.
pub struct RejectSink<'a> {
    list: Option<List>,
    progress: &'a dyn Progress,
    rejects: u64,
    counts: Counts,
}

/// Faults by field and kind.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Faults for which records were rejected.
    pub rejected: FaultCounts,
    /// Faults whose values were left out.
    pub left_out: FaultCounts,
}

/// Where rejected records are listed.
struct List {
    /// As the operator named it.
    path: PathBuf,
    writer: BufWriter<File>,
    /// What becomes the list; none if it is a device or a pipe, which is written as it is.
    unpublished: Option<Unpublished>,
}

impl List {
    fn create(path: &Path) -> io::Result<List> {
        let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let is_other = std::fs::metadata(&target).is_ok_and(|it| !it.is_file() && !it.is_dir());
        let (file, unpublished) = if is_other {
            (File::options().write(true).open(&target)?, None)
        } else {
            let unpublished = Unpublished::create(&target).map_err(io::Error::other)?;
            (unpublished.file().try_clone()?, Some(unpublished))
        };
        Ok(List { path: path.to_owned(), writer: BufWriter::new(file), unpublished })
    }

    fn add(&mut self, reject: &Reject) -> io::Result<()> {
        serde_json::to_writer(&mut self.writer, reject)?;
        self.writer.write_all(b"\n")
    }

    fn publish(mut self) -> io::Result<()> {
        self.writer.flush()?;
        match self.unpublished.take() {
            Some(unpublished) => unpublished.publish().map_err(io::Error::other),
            None => Ok(()),
        }
    }
}

impl<'a> RejectSink<'a> {
    /// A sink for the rejects of one build.
    ///
    /// # Errors
    /// The reject file cannot be written.
    pub fn new(
        options: &BuildOptions,
        progress: &'a dyn Progress,
    ) -> Result<RejectSink<'a>, BuildError> {
        let create = |path: &PathBuf| List::create(path).map_err(failed(path));
        let list = options.reject_file.as_ref().map(create).transpose()?;
        Ok(RejectSink { list, progress, rejects: 0, counts: Counts::default() })
    }

    /// Takes a record that is rejected.
    ///
    /// # Errors
    /// The reject file cannot be written.
    pub fn add(&mut self, file: &str, place: Place, error: RecordError) -> Result<(), BuildError> {
        self.rejects += 1;
        for fault in &error.faults {
            self.counts.rejected.add(fault, file, place);
        }
        let reject = Reject::new(file.to_owned(), place, error);
        self.progress.rejected(&reject);
        match &mut self.list {
            Some(list) => list.add(&reject).map_err(failed(&list.path)),
            None => Ok(()),
        }
    }

    /// Counts a value that is left out.
    pub fn leave_out(&mut self, file: &str, place: Place, fault: &Fault) {
        self.counts.left_out.add(fault, file, place);
    }

    /// How many records were rejected, and what was wrong.
    ///
    /// # Errors
    /// The reject file cannot be written.
    pub fn finish(mut self) -> Result<(u64, Counts), BuildError> {
        self.publish()?;
        Ok((self.rejects, std::mem::take(&mut self.counts)))
    }

    fn publish(&mut self) -> Result<(), BuildError> {
        match self.list.take().filter(|_| self.rejects > 0) {
            Some(list) => {
                let path = list.path.clone();
                list.publish().map_err(failed(&path))
            }
            None => Ok(()),
        }
    }
}

/// A build that fails has rejected what it has.
impl Drop for RejectSink<'_> {
    fn drop(&mut self) {
        // What made it fail is told; this could only be told besides.
        let _ = self.publish();
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> BuildError {
    let path = path.to_owned();
    move |source| BuildError::RejectFile { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::company::FaultKind;
    use crate::index::NoProgress;

    fn sink(path: &Path) -> RejectSink<'static> {
        let options =
            BuildOptions { reject_file: Some(path.to_owned()), ..BuildOptions::default() };
        RejectSink::new(&options, &NoProgress).unwrap()
    }

    fn reject(sink: &mut RejectSink<'_>, line: u64) {
        sink.add("a", Place::Line(line), RecordError::whole(FaultKind::NotJson, "is bad")).unwrap();
    }

    #[test]
    fn a_list_is_whole_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rejects");
        let lines = || std::fs::read_to_string(&path).map(|text| text.lines().count()).ok();
        assert_eq!(sink(&path).finish().unwrap().0, 0);
        assert_eq!(lines(), None);
        let mut first = sink(&path);
        reject(&mut first, 1);
        reject(&mut first, 2);
        assert_eq!(lines(), None);
        let (rejects, counts) = first.finish().unwrap();
        assert_eq!((rejects, counts.rejected.total(), lines()), (2, 2, Some(2)));
        // One without rejects leaves it, one that fails replaces it by what it has.
        drop(sink(&path));
        assert_eq!(lines(), Some(2));
        let mut failing = sink(&path);
        reject(&mut failing, 1);
        assert_eq!(lines(), Some(2));
        drop(failing);
        assert_eq!(lines(), Some(1));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_is_written_and_stays() {
        let mut sink = sink(Path::new("/dev/null"));
        reject(&mut sink, 1);
        assert_eq!(sink.finish().unwrap().0, 1);
        assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
    }
}
