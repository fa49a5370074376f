//! `firmament-tools derive`: known items made from the records of a snapshot.
//!
//! In: a snapshot, a kind and a seed. Out: lines of query, tab, ids, as `evaluate` reads them. Each
//! query is the name (or host) of a record as somebody might type it; its answers are all records
//! of that name (or host).

use super::generate::random::SplitMix64;
use super::output::to_stdout;
use super::{Failure, inspect};
use firmament::analyzer::host::Host;
use firmament::analyzer::{Analysis, UnitKind};
use firmament::ids::DocId;
use firmament::snapshot::Snapshot;
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `derive`.
#[derive(clap::Args)]
#[command(after_help = "Example:
  firmament-tools derive companies.firmament --kind typo1 > typos.tsv
  firmament-tools evaluate companies.firmament typos.tsv")]
pub struct DeriveArguments {
    /// The snapshot file
    snapshot: PathBuf,
    /// What is made of the name
    #[arg(long, value_enum)]
    kind: Kind,
    /// Number of queries
    #[arg(long, short = 'n', default_value_t = 2000)]
    queries: usize,
    /// The same seed makes the same queries
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What is made of a name.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// The name as it is
    Name,
    /// Lower case, without accents and punctuation
    Plain,
    /// With another legal form at its end
    WrongForm,
    /// The host of the website
    Host,
    /// Two neighbouring words written as one
    Joined,
    /// One word written as two
    Split,
    /// One typing error
    Typo1,
    /// Two typing errors, in different words or far apart
    Typo2,
    /// The last word cut short
    Cut,
}

/// Writes the queries to standard output.
pub fn run(arguments: &DeriveArguments) -> Result<(), Failure> {
    let snapshot = inspect::open(&arguments.snapshot)?;
    to_stdout(|out| write_queries(&snapshot, arguments, out))
}

fn write_queries(
    snapshot: &Snapshot,
    arguments: &DeriveArguments,
    out: &mut dyn Write,
) -> io::Result<()> {
    let records: Vec<Record> =
        (0..snapshot.num_docs()).map(|doc| Record::of(snapshot, DocId(doc))).collect();
    let key = |record: &Record| match arguments.kind {
        Kind::Host => record.host.clone().unwrap_or_default(),
        _ => record.name.clone(),
    };
    let mut same: HashMap<String, Vec<&str>> = HashMap::new();
    for record in &records {
        same.entry(key(record)).or_default().push(&record.id);
    }
    let mut random = SplitMix64::new(arguments.seed, 0, 0);
    let (mut written, mut tried) = (0, 0);
    while written < arguments.queries && tried < arguments.queries * 100 && !records.is_empty() {
        tried += 1;
        let record = &records[random.below(records.len() as u64) as usize];
        let Some(q) = derive(record, arguments.kind, &mut random) else { continue };
        if q.contains(['\t', '\n', '\r']) || q.chars().count() > firmament::limits::QUERY_CHARS_MAX
        {
            continue;
        }
        let ids = same[&key(record)].join(",");
        writeln!(out, "{q}\t{ids}")?;
        written += 1;
    }
    Ok(())
}

struct Record {
    id: String,
    name: String,
    host: Option<String>,
}

impl Record {
    fn of(snapshot: &Snapshot, doc: DocId) -> Record {
        let json: serde_json::Value =
            serde_json::from_slice(&snapshot.document(doc)).unwrap_or_default();
        let text = |key: &str| json[key].as_str().map(str::to_owned);
        Record {
            id: text("id").unwrap_or_default(),
            name: text("name").unwrap_or_default(),
            host: text("website")
                .and_then(|website| Host::of_website(&website))
                .filter(Host::has_known_suffix)
                .map(|host| host.name().to_owned()),
        }
    }
}

fn derive(record: &Record, kind: Kind, random: &mut SplitMix64) -> Option<String> {
    let plain = || -> Vec<String> {
        let analysis = Analysis::of(&record.name);
        let forms = analysis.legal_forms();
        let units = &analysis.units()[forms.front..analysis.units().len() - forms.back];
        units
            .iter()
            .flat_map(|unit| analysis.words(unit))
            .map(|word| word.stripped.to_owned())
            .collect()
    };
    let is_latin = |word: &str| word.chars().all(|c| c.is_ascii_alphabetic());
    match kind {
        Kind::Name => Some(record.name.clone()),
        Kind::Plain => {
            let analysis = Analysis::of(&record.name);
            let units = analysis.units().iter();
            // A run of CJK characters is one word.
            let words: Vec<String> = units
                .map(|unit| {
                    let words: Vec<&str> = analysis.words(unit).map(|word| word.stripped).collect();
                    words.join(if unit.kind == UnitKind::Run { "" } else { " " })
                })
                .collect();
            (!words.is_empty()).then(|| words.join(" "))
        }
        Kind::WrongForm => {
            let forms = ["Inc", "Ltd", "LLC", "GmbH", "S.A.", "Co., Ltd.", "PLC", "AG", "B.V."];
            let words = plain();
            let form = forms[random.below(forms.len() as u64) as usize];
            (!words.is_empty()).then(|| format!("{} {form}", words.join(" ")))
        }
        Kind::Host => record.host.clone(),
        Kind::Joined => {
            let mut words = plain();
            let at = random.below(words.len().checked_sub(1)?.max(1) as u64) as usize;
            if words.len() < 2 || !is_latin(&words[at]) || !is_latin(&words[at + 1]) {
                return None;
            }
            let right = words.remove(at + 1);
            words[at].push_str(&right);
            Some(words.join(" "))
        }
        Kind::Split => {
            let mut words = plain();
            let at = long_word(&words, 6, random)?;
            let cut = 3 + random.below(words[at].len() as u64 - 5) as usize;
            words[at].insert(cut, ' ');
            Some(words.join(" "))
        }
        Kind::Typo1 | Kind::Typo2 => {
            let mut words = plain();
            for _ in 0..if kind == Kind::Typo1 { 1 } else { 2 } {
                let at = long_word(&words, if kind == Kind::Typo1 { 5 } else { 7 }, random)?;
                words[at] = misspelt(&words[at], random);
            }
            Some(words.join(" "))
        }
        Kind::Cut => {
            let mut words = plain();
            let last = words.last_mut()?;
            if last.len() < 5 || !is_latin(last) {
                return None;
            }
            let keep = 3 + random.below(last.len() as u64 - 3) as usize;
            last.truncate(keep);
            Some(words.join(" "))
        }
    }
}

/// Some word of ASCII letters of at least `len` letters.
pub(super) fn long_word(words: &[String], len: usize, random: &mut SplitMix64) -> Option<usize> {
    let fit: Vec<usize> = (0..words.len())
        .filter(|&at| words[at].len() >= len && words[at].bytes().all(|b| b.is_ascii_alphabetic()))
        .collect();
    if fit.is_empty() { None } else { Some(fit[random.below(fit.len() as u64) as usize]) }
}

/// The word with one letter dropped, added, replaced or swapped with its neighbour; never the
/// first.
pub(super) fn misspelt(word: &str, random: &mut SplitMix64) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let at = 1 + random.below(letters.len() as u64 - 2) as usize;
    let letter = (b'a' + random.below(26) as u8) as char;
    match random.below(4) {
        0 => {
            letters.remove(at);
        }
        1 => letters.insert(at, letter),
        2 => letters[at] = if letters[at] == letter { 'q' } else { letter },
        _ => {
            if letters[at] == letters[at + 1] {
                letters.remove(at);
            } else {
                letters.swap(at, at + 1);
            }
        }
    }
    letters.into_iter().collect()
}
