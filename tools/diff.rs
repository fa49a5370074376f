//! `firmament-tools diff`: what a new snapshot changes.
//!
//! Both snapshots are walked in the order of ids, side by side; differences are written as they are
//! found, so memory does not grow with them. Human readers get lines, programs one JSON object.

use super::output::{plain, to_stdout};
use super::{Failure, inspect};
use firmament::snapshot::Snapshot;
use firmament::snapshot::columns::doc_store::escaped_id;
use serde::Serialize;
use serde_json::{Map, Value};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `diff`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  firmament-tools diff yesterday.firmament today.firmament
  firmament-tools diff yesterday.firmament today.firmament --top 0
  firmament-tools diff yesterday.firmament today.firmament --all --json | jq '.differences[].id'

Records are compared by id and by what is served. Differences are listed by id: + added, - removed,
~ changed. The exit code is 0 whether or not there are any.")]
pub struct DiffArguments {
    /// The old snapshot
    old: PathBuf,
    /// The new snapshot
    new: PathBuf,
    /// Most differences of each kind to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: u64,
    /// List all differences
    #[arg(long, conflicts_with = "top")]
    all: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What differs, in numbers.
#[derive(Serialize)]
struct Summary {
    old: Side,
    new: Side,
    added: u64,
    removed: u64,
    changed: u64,
    unchanged: u64,
    /// How often each field changed.
    changed_fields: BTreeMap<String, u64>,
    sections: Vec<SectionSizes>,
}

#[derive(Serialize)]
struct Side {
    version: String,
    records: u32,
    bytes: u64,
    analyzer_version: u32,
    unicode_version: String,
}

#[derive(Serialize)]
struct SectionSizes {
    name: String,
    old_bytes: u64,
    new_bytes: u64,
}

/// One difference. For what changed, each field with its old and its new value.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Difference {
    Added { id: String, name: String },
    Removed { id: String, name: String },
    Changed { id: String, name: String, fields: BTreeMap<String, [Value; 2]> },
}

/// Compares two snapshots.
pub fn run(arguments: &DiffArguments) -> Result<(), Failure> {
    let old = inspect::open(&arguments.old)?;
    let new = inspect::open(&arguments.new)?;
    let top = if arguments.all { u64::MAX } else { arguments.top };
    to_stdout(|out| {
        if arguments.json {
            out.write_all(b"{\"differences\":[")?;
            let mut separator = "";
            let summary = compare(&old, &new, top, &mut |difference| {
                out.write_all(separator.as_bytes())?;
                separator = ",";
                Ok(serde_json::to_writer(&mut *out, &difference)?)
            })?;
            out.write_all(b"],\"summary\":")?;
            serde_json::to_writer(&mut *out, &summary)?;
            return out.write_all(b"}\n");
        }
        let summary = compare(&old, &new, top, &mut |difference| show(&difference, out))?;
        out.write_all(describe(&summary, top).as_bytes())
    })
}

/// Walks both snapshots; gives up to `top` differences of each kind.
fn compare(
    old: &Snapshot,
    new: &Snapshot,
    top: u64,
    give: &mut dyn FnMut(Difference) -> io::Result<()>,
) -> io::Result<Summary> {
    let mut summary = Summary {
        old: side(old),
        new: side(new),
        added: 0,
        removed: 0,
        changed: 0,
        unchanged: 0,
        changed_fields: BTreeMap::new(),
        sections: sections(old, new),
    };
    let (mut olds, mut news) = (old.by_id().docs(), new.by_id().docs());
    let (mut next_old, mut next_new) = (olds.next(), news.next());
    loop {
        let old_json = next_old.map(|doc| old.document(doc));
        let new_json = next_new.map(|doc| new.document(doc));
        let order = match (&old_json, &new_json) {
            (None, None) => return Ok(summary),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old_json), Some(new_json)) => escaped_id(old_json).cmp(escaped_id(new_json)),
        };
        let (old_json, new_json) = (old_json.unwrap_or_default(), new_json.unwrap_or_default());
        match order {
            Ordering::Less => {
                summary.removed += 1;
                if summary.removed <= top {
                    let (id, name) = id_and_name(&parse(&old_json)?);
                    give(Difference::Removed { id, name })?;
                }
            }
            Ordering::Greater => {
                summary.added += 1;
                if summary.added <= top {
                    let (id, name) = id_and_name(&parse(&new_json)?);
                    give(Difference::Added { id, name })?;
                }
            }
            Ordering::Equal if old_json == new_json => summary.unchanged += 1,
            Ordering::Equal => {
                summary.changed += 1;
                let new_record = parse(&new_json)?;
                let fields = changed_fields(&parse(&old_json)?, &new_record);
                for field in fields.keys() {
                    *summary.changed_fields.entry(field.clone()).or_default() += 1;
                }
                if summary.changed <= top {
                    let (id, name) = id_and_name(&new_record);
                    give(Difference::Changed { id, name, fields })?;
                }
            }
        }
        if order.is_le() {
            next_old = olds.next();
        }
        if order.is_ge() {
            next_new = news.next();
        }
    }
}

fn parse(json: &[u8]) -> io::Result<Map<String, Value>> {
    Ok(serde_json::from_slice(json)?)
}

fn id_and_name(record: &Map<String, Value>) -> (String, String) {
    let text = |key: &str| record.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    (text("id"), text("name"))
}

/// Fields by their path, with both values; places one by one.
fn changed_fields(
    old: &Map<String, Value>,
    new: &Map<String, Value>,
) -> BTreeMap<String, [Value; 2]> {
    let mut fields = BTreeMap::new();
    let keys = old.keys().chain(new.keys().filter(|&key| !old.contains_key(key)));
    for key in keys {
        let value = |record: &Map<String, Value>| record.get(key).cloned().unwrap_or_default();
        match (value(old), value(new)) {
            (old, new) if old == new => {}
            (Value::Object(old), Value::Object(new)) => {
                let below = changed_fields(&old, &new).into_iter();
                fields.extend(below.map(|(below, values)| (format!("{key}.{below}"), values)));
            }
            (old, new) => {
                fields.insert(key.clone(), [old, new]);
            }
        }
    }
    fields
}

fn side(snapshot: &Snapshot) -> Side {
    let metadata = snapshot.metadata();
    Side {
        version: snapshot.version().to_string(),
        records: snapshot.num_docs(),
        bytes: snapshot.len_bytes(),
        analyzer_version: metadata.analyzer_version,
        unicode_version: metadata.unicode_version.clone(),
    }
}

fn sections(old: &Snapshot, new: &Snapshot) -> Vec<SectionSizes> {
    // Both were opened by this program, so both have the sections of its format.
    old.sections()
        .iter()
        .zip(new.sections())
        .map(|(old, new)| SectionSizes {
            name: new.kind.to_string(),
            old_bytes: old.len,
            new_bytes: new.len,
        })
        .collect()
}

/// Longest value shown in a line, in characters.
const SHOWN_CHARS_MAX: usize = 60;

fn show(difference: &Difference, out: &mut dyn Write) -> io::Result<()> {
    match difference {
        Difference::Added { id, name } => writeln!(out, "+ {}  {}", plain(id), plain(name)),
        Difference::Removed { id, name } => writeln!(out, "- {}  {}", plain(id), plain(name)),
        Difference::Changed { id, name, fields } => {
            writeln!(out, "~ {}  {}", plain(id), plain(name))?;
            for (field, [old, new]) in fields {
                writeln!(out, "    {field}: {} → {}", shortened(old), shortened(new))?;
            }
            Ok(())
        }
    }
}

fn shortened(value: &Value) -> String {
    let text = plain(&value.to_string());
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn describe(summary: &Summary, top: u64) -> String {
    let Summary { old, new, added, removed, changed, unchanged, changed_fields, sections } =
        summary;
    let mut text = String::new();
    let listed: u64 = [*added, *removed, *changed].iter().map(|&count| count.min(top)).sum();
    let all = added + removed + changed;
    if listed < all {
        text.push_str(&format!("{} more; --all lists them\n", all - listed));
    }
    if all > 0 {
        text.push('\n');
    }
    text.push_str(&format!(
        "old: snapshot {} of {} businesses, {} bytes\nnew: snapshot {} of {} businesses, {} bytes\n\
         {added} added, {removed} removed, {changed} changed, {unchanged} unchanged\n",
        old.version, old.records, old.bytes, new.version, new.records, new.bytes
    ));
    for (field, count) in changed_fields {
        text.push_str(&format!("{count:>10}  {field}\n"));
    }
    text.push_str(&format!(
        "\n{:24} {:>14} {:>14} {:>14}\n",
        "section", "old bytes", "new bytes", "difference"
    ));
    for SectionSizes { name, old_bytes, new_bytes } in sections {
        let difference = i128::from(*new_bytes) - i128::from(*old_bytes);
        text.push_str(&format!("{name:24} {old_bytes:>14} {new_bytes:>14} {difference:>+14}\n"));
    }
    text
}
