//! Input files to records.
//!
//! In: files of JSON Lines, plain, gzip (any number of members) or zstd, told apart by their first bytes, or
//! standard input. Out: the companies in the order of the input, given on in blocks, and what was rejected. Lines are
//! parsed on all cores; a line over the limit is rejected without being held in memory.

use super::record::{RecordError, RecordParser};
use super::reject::Reject;
use super::{BuildError, BuildOptions, Phase, Progress};
use crate::company::Company;
use crate::limits::RECORD_BYTES_MAX;
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where records come from.
#[derive(Clone, Debug)]
pub enum Input {
    /// A file, plain or compressed.
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

    fn name(&self) -> String {
        match self {
            Input::File(path) => path.display().to_string(),
            Input::Stdin => "standard input".to_owned(),
            Input::Memory(_) => "memory".to_owned(),
        }
    }

    /// Bytes before decompression, if known.
    fn len_bytes(&self) -> io::Result<Option<u64>> {
        match self {
            Input::File(path) => std::fs::metadata(path).map(|metadata| Some(metadata.len())),
            Input::Stdin => Ok(None),
            Input::Memory(bytes) => Ok(Some(bytes.len() as u64)),
        }
    }

    /// The decompressed bytes; what is read before decompression is added to `consumed`.
    fn open(&self, consumed: Arc<AtomicU64>) -> io::Result<Box<dyn BufRead + '_>> {
        let raw: Box<dyn Read + '_> = match self {
            Input::File(path) => {
                if std::fs::metadata(path)?.is_dir() {
                    return Err(io::Error::other("it is a folder: name the files in it"));
                }
                Box::new(File::open(path)?)
            }
            Input::Stdin => Box::new(io::stdin().lock()),
            Input::Memory(bytes) => Box::new(bytes.as_slice()),
        };
        let mut raw = BufReader::with_capacity(1 << 18, Counting { inner: raw, consumed });
        let start = raw.fill_buf()?;
        if start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]) {
            return Err(io::Error::other("it is UTF-16: convert it to UTF-8"));
        }
        if start.starts_with(&[0x1f, 0x8b]) {
            let decoder = flate2::bufread::MultiGzDecoder::new(raw);
            return Ok(Box::new(BufReader::with_capacity(1 << 18, decoder)));
        }
        if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(raw)?;
            // 128 MiB of window, the format's recommended limit: a larger one is an attack or a mistake.
            decoder.window_log_max(27)?;
            return Ok(Box::new(BufReader::with_capacity(1 << 18, decoder)));
        }
        Ok(Box::new(raw))
    }
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

/// What reading came to; the records themselves went to the sink.
pub struct ReadRecords<'a> {
    /// Names of the inputs, for messages.
    pub names: Vec<String>,
    /// Number of records, rejected ones included.
    pub records: u64,
    /// Bytes after decompression.
    pub input_bytes: u64,
    /// What was rejected so far.
    pub rejects: RejectSink<'a>,
}

/// Acceptable records that follow each other in an input.
pub struct ParsedBlock {
    /// Which input, from 0.
    pub input: usize,
    /// The records, each with its line.
    pub records: Vec<(u64, Company)>,
}

/// Bytes of lines that are parsed together.
const BLOCK_BYTES: usize = 4 << 20;

/// Blocks in memory at a time, for each thread.
const BLOCKS: usize = 4;

/// Whole lines.
struct Block {
    first_line: u64,
    bytes: Vec<u8>,
    /// Line at the end of the block that was too long; its bytes are not here.
    too_long: Option<u64>,
}

/// What became of a block: its records with their lines, and the bytes of its lines.
type Parsed = (Vec<(u64, Result<Company, RecordError>)>, u64);

/// Reads all records, and gives the acceptable ones to `sink`, some blocks at a time, in the order of the input.
///
/// # Errors
/// An input cannot be read, the reject file cannot be written, or `sink` fails.
pub fn read_all<'a>(
    inputs: &[Input],
    options: &BuildOptions,
    pool: &rayon::ThreadPool,
    progress: &'a dyn Progress,
    sink: &mut dyn FnMut(Vec<ParsedBlock>) -> Result<(), BuildError>,
) -> Result<ReadRecords<'a>, BuildError> {
    let names: Vec<String> = inputs.iter().map(Input::name).collect();
    let failed = |at: usize| {
        let input = names[at].clone();
        move |source| BuildError::Read { input, source }
    };
    let mut total = Some(0);
    for (at, input) in inputs.iter().enumerate() {
        let len = input.len_bytes().map_err(failed(at))?;
        total = total.zip(len).map(|(total, len)| total + len);
    }
    progress.begin(Phase::Read, total);
    let mut rejects = RejectSink::new(options, progress)?;
    let (mut records, mut input_bytes) = (0, 0);
    let consumed = Arc::new(AtomicU64::new(0));
    for (at, input) in inputs.iter().enumerate() {
        let reader = input.open(consumed.clone()).map_err(failed(at))?;
        let mut lines = Lines { reader, next_line: 1, is_done: false };
        while !lines.is_done {
            let blocks_max = BLOCKS * pool.current_num_threads();
            let mut blocks = Vec::with_capacity(blocks_max);
            while blocks.len() < blocks_max && !lines.is_done {
                blocks.push(lines.next_block().map_err(failed(at))?);
            }
            let parsed: Vec<Parsed> =
                pool.install(|| blocks.into_par_iter().map(parse_block).collect());
            let mut accepted = Vec::with_capacity(parsed.len());
            for (results, bytes) in parsed {
                input_bytes += bytes;
                let mut block =
                    ParsedBlock { input: at, records: Vec::with_capacity(results.len()) };
                for (line, result) in results {
                    records += 1;
                    match result {
                        Ok(company) => block.records.push((line, company)),
                        Err(error) => rejects.add(Reject {
                            file: names[at].clone(),
                            line,
                            id: error.id,
                            field: error.field.map(|field| field.name()),
                            reason: error.reason,
                        })?,
                    }
                }
                accepted.push(block);
            }
            sink(accepted)?;
            progress.advance(consumed.load(Ordering::Relaxed), records);
        }
    }
    Ok(ReadRecords { names, records, input_bytes, rejects })
}

/// Takes rejects: shows them, counts them, and lists them in the reject file.
pub struct RejectSink<'a> {
    file: Option<(PathBuf, BufWriter<File>)>,
    progress: &'a dyn Progress,
    count: u64,
}

impl<'a> RejectSink<'a> {
    fn new(options: &BuildOptions, progress: &'a dyn Progress) -> Result<Self, BuildError> {
        let open = |path: &PathBuf| match File::create(path) {
            Ok(file) => Ok((path.clone(), BufWriter::new(file))),
            Err(source) => Err(BuildError::RejectFile { path: path.clone(), source }),
        };
        let file = options.reject_file.as_ref().map(open).transpose()?;
        Ok(RejectSink { file, progress, count: 0 })
    }

    /// Takes one.
    ///
    /// # Errors
    /// The reject file cannot be written.
    pub fn add(&mut self, reject: Reject) -> Result<(), BuildError> {
        self.count += 1;
        self.progress.rejected(&reject);
        if let Some((path, file)) = &mut self.file {
            let mut line = serde_json::to_vec(&reject).expect("a reject has a JSON form");
            line.push(b'\n');
            file.write_all(&line)
                .map_err(|source| BuildError::RejectFile { path: path.clone(), source })?;
        }
        Ok(())
    }

    /// How many there were.
    ///
    /// # Errors
    /// The reject file cannot be written.
    pub fn finish(self) -> Result<u64, BuildError> {
        if let Some((path, mut file)) = self.file {
            file.flush().map_err(|source| BuildError::RejectFile { path, source })?;
        }
        Ok(self.count)
    }
}

/// Cuts an input into blocks of whole lines.
struct Lines<'a> {
    reader: Box<dyn BufRead + 'a>,
    next_line: u64,
    is_done: bool,
}

impl Lines<'_> {
    fn next_block(&mut self) -> io::Result<Block> {
        let mut block = Block {
            first_line: self.next_line,
            bytes: Vec::with_capacity(BLOCK_BYTES + (64 << 10)),
            too_long: None,
        };
        while block.bytes.len() < BLOCK_BYTES {
            let start = block.bytes.len();
            // One byte more than allowed, so that a line of exactly the limit and its end fit.
            let mut limited = (&mut self.reader).take(RECORD_BYTES_MAX as u64 + 1);
            let read = limited.read_until(b'\n', &mut block.bytes)?;
            if read == 0 {
                self.is_done = true;
                break;
            }
            let line = self.next_line;
            self.next_line += 1;
            let is_whole = block.bytes.ends_with(b"\n");
            if !is_whole && read > RECORD_BYTES_MAX {
                block.bytes.truncate(start);
                block.too_long = Some(line);
                self.skip_line()?;
                break;
            }
        }
        Ok(block)
    }

    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok(());
            }
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let consumed = end.map_or(buffer.len(), |end| end + 1);
            self.reader.consume(consumed);
            if end.is_some() {
                return Ok(());
            }
        }
    }
}

fn parse_block(mut block: Block) -> Parsed {
    let mut parser = RecordParser::default();
    let mut results = Vec::new();
    let len = block.bytes.len() as u64;
    for (line, bytes) in (block.first_line..).zip(block.bytes.split_mut(|&byte| byte == b'\n')) {
        let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
            Some(_) if line == 1 => &mut bytes[3..],
            _ => bytes,
        };
        if !bytes.iter().all(|byte| byte.is_ascii_whitespace()) {
            results.push((line, parser.parse(bytes)));
        }
    }
    if let Some(line) = block.too_long {
        let reason =
            format!("is longer than {RECORD_BYTES_MAX} bytes: shorten or leave out the record");
        results.push((line, Err(RecordError { id: None, field: None, reason })));
    }
    (results, len)
}
