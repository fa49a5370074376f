//! `firmament-tools dump`: the records of a snapshot, one JSON object a line, in the static order.
//!
//! Records come out as they are served. Building from them gives the same snapshot, byte for byte.

use super::output::to_stdout;
use super::{Failure, inspect};
use firmament::ids::DocId;
use firmament::snapshot::Snapshot;
use firmament::snapshot::file::error::SnapshotError;
use firmament::snapshot::file::staging::Unpublished;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Options of `dump`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  firmament-tools dump companies.firmament | head -3
  firmament-tools dump companies.firmament | zstd --check > companies.jsonl.zst
  firmament-tools dump companies.firmament --output companies.jsonl

The lines are in the static order: most employees first, then by name. Building from them gives the
same snapshot, byte for byte.")]
pub struct DumpArguments {
    /// The snapshot file
    snapshot: PathBuf,
    /// The file to write instead of standard output; an old one is replaced at the end, in one step
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Writes the records.
pub fn run(arguments: &DumpArguments) -> Result<(), Failure> {
    if let Some(output) = &arguments.output
        && super::build::is_same(&arguments.snapshot, output)
    {
        let message =
            format!("{} is both snapshot and output: give another --output", output.display());
        return Err(Failure { message, exit_code: 2 });
    }
    let snapshot = inspect::open(&arguments.snapshot)?;
    match &arguments.output {
        None => to_stdout(|out| write(&snapshot, out)),
        Some(path) => Ok(write_file(&snapshot, path)?),
    }
}

fn write(snapshot: &Snapshot, out: &mut dyn Write) -> io::Result<()> {
    for doc in (0..snapshot.num_docs()).map(DocId) {
        out.write_all(&snapshot.document(doc))?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Whoever reads the file sees the old one or the whole new one.
fn write_file(snapshot: &Snapshot, path: &Path) -> Result<(), SnapshotError> {
    let unpublished = Unpublished::create(path)?;
    let mut out = BufWriter::with_capacity(1 << 20, unpublished.file());
    let written = write(snapshot, &mut out)
        .and_then(|()| out.flush())
        .and_then(|()| unpublished.file().sync_all());
    drop(out);
    written.map_err(|cause| {
        let path = unpublished.path().to_owned();
        SnapshotError::Io { action: "write", path, cause }
    })?;
    unpublished.publish()
}
