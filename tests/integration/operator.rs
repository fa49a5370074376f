//! What an operator does: files in a folder, `firmament-tools` as a process, builds in process.

use std::cell::RefCell;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use firmament::index;
use firmament::index::{
    BuildOptions, BuildReport, Format, Input, Mapping, MappingOptions, MaxRejects, Progress,
    ReadOptions, Reject,
};

/// A temporary folder.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Names of the files here, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// `firmament-tools` with arguments. What it builds, it builds at one time, so that files can be
/// compared.
pub fn tools(arguments: &[&dyn AsRef<std::ffi::OsStr>]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_firmament-tools"));
    command
        .args(arguments.iter().map(|argument| argument.as_ref()))
        .stdin(Stdio::null())
        .env("SOURCE_DATE_EPOCH", "0");
    command
}

/// `firmament-tools build`.
pub fn build(inputs: &[&Path], output: &Path, more: &[&str]) -> Output {
    let mut command = tools(&[&"build"]);
    command.args(inputs).arg("--output").arg(output).args(more).output().unwrap()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A line with a small record.
pub fn record(id: usize) -> String {
    format!("{{\"id\":\"id-{id}\",\"name\":\"Name {id}\"}}\n")
}

pub fn num_docs(snapshot: &Path) -> u32 {
    firmament::snapshot::Snapshot::open(snapshot).unwrap().num_docs()
}

pub fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes.as_ref()).unwrap();
    encoder.finish().unwrap()
}

/// With a checksum, as the command-line program writes it.
pub fn zstd(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(bytes.as_ref()).unwrap();
    encoder.finish().unwrap()
}

/// Pairs of field and column, or of field and value.
pub fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|&(field, value)| (field.to_owned(), value.to_owned())).collect()
}

/// Options that read a format with a mapping.
pub fn reading(format: Format, mapping: &MappingOptions) -> ReadOptions {
    let mapping = Mapping::new(mapping).unwrap();
    ReadOptions { format: Some(format), mapping, ..ReadOptions::default() }
}

/// What building in process came to.
pub struct Built {
    /// The report, or the error with its causes.
    pub result: Result<BuildReport, String>,
    /// Rejected records as operators see them.
    pub rejects: Vec<String>,
    pub notes: Vec<String>,
}

#[derive(Default)]
struct Collect {
    rejects: RefCell<Vec<String>>,
    notes: RefCell<Vec<String>>,
}

impl Progress for Collect {
    fn rejected(&self, reject: &Reject) {
        self.rejects.borrow_mut().push(reject.to_string());
    }

    fn note(&self, note: &str) {
        self.notes.borrow_mut().push(note.to_owned());
    }
}

/// Builds a snapshot, whatever is rejected.
pub fn build_in_process(inputs: &[Input], output: &Path, read: &ReadOptions) -> Built {
    let options = BuildOptions {
        read: read.clone(),
        max_rejects: MaxRejects::Percent(100.0),
        allow_empty: true,
        built_at: Some(0),
        ..BuildOptions::default()
    };
    let collect = Collect::default();
    let result = index::build(inputs, output, &options, &collect).map_err(|error| {
        let error: &dyn std::error::Error = &error;
        match error.source() {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        }
    });
    Built { result, rejects: collect.rejects.into_inner(), notes: collect.notes.into_inner() }
}
