//! `firmament-tools check`: what a build would understand of its inputs, without building.
//!
//! The report goes to standard output. Options that may mend faults are tried: the inputs are read
//! again with each, and the report tells what would be left. Exit code 0: a build would take all
//! records; 3: it would reject some.

use super::Failure;
use super::input::InputArguments;
use super::output::{plain, to_stdout};
use super::progress::Display;
use firmament::company::{Company, FaultKind, Field};
use firmament::index;
use firmament::index::check::Checked;
use firmament::index::document::Document;
use firmament::index::record_codec::Record;
use firmament::index::reject::FaultCount;
use firmament::index::source::InputColumns;
use firmament::index::{
    Bands, BuildOptions, Input, NoProgress, NumberFormat, ReadOptions, ValueOptions,
};
use indicatif::HumanCount;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::num::NonZeroUsize;

/// Options of `check`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  firmament-tools check companies.csv
  firmament-tools check export.txt --format sql-export --columns id,name,city
  firmament-tools check companies.csv --number-format de --json | jq .faults

All options of `build` that say how inputs are read are accepted and mean the same. Nothing is
written. Where numbers are at fault, the inputs are read again with each number format, and the one
that fits is named.")]
pub struct CheckArguments {
    #[command(flatten)]
    input: InputArguments,
    /// Threads that work, up to 256 [default: one for each core]
    #[arg(long, value_name = "N", value_parser = super::build::threads)]
    threads: Option<NonZeroUsize>,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// Reads and reports.
pub fn run(arguments: &CheckArguments) -> Result<(), Failure> {
    let inputs = arguments.input.inputs()?;
    let read = arguments.input.read_options()?;
    let options = BuildOptions { read, threads: arguments.threads, ..BuildOptions::default() };
    let display = Display::of_check();
    let checked = index::check::check(&inputs, &options, &display)?;
    let trials = trials(&checked, &inputs, &options);
    let report = Report { checked: &checked, trials };
    to_stdout(|out| match arguments.json {
        true => writeln!(out, "{}", report.json()),
        false => report.write(out),
    })?;
    match checked.rejects {
        0 => Ok(()),
        rejects => Err(Failure {
            message: format!(
                "a build would reject {rejects} of {} records; mend them, or allow some with --max-rejects",
                checked.records
            ),
            exit_code: 3,
        }),
    }
}

/// What an option would leave of the faults of a field.
#[derive(Serialize)]
struct Trial {
    field: &'static str,
    option: String,
    left: u64,
}

/// Tries the options that may mend faults of numbers. Standard input is read once.
fn trials(checked: &Checked, inputs: &[Input], options: &BuildOptions) -> Vec<Trial> {
    let mut trials = Vec::new();
    if inputs.iter().any(|input| matches!(input, Input::Stdin)) {
        return trials;
    }
    let counts =
        || checked.counts.rejected.as_slice().iter().chain(checked.counts.left_out.as_slice());
    let has = |kinds: &[FaultKind]| counts().any(|count| kinds.contains(&count.kind));
    let values = options.read.mapping.values();
    let mut candidates: Vec<(String, ValueOptions)> = Vec::new();
    if has(&[FaultKind::GroupedDigits, FaultKind::NoNumber, FaultKind::Fraction]) {
        for (name, number_format, _) in NumberFormat::ALL {
            if number_format != values.number_format {
                let option = format!("--number-format {name}");
                candidates.push((option, ValueOptions { number_format, ..values }));
            }
        }
    }
    if values.bands.is_none() && has(&[FaultKind::Band]) {
        let bands = Some(Bands::Lower);
        candidates.push(("--bands lower".to_owned(), ValueOptions { bands, ..values }));
    }
    let fields = [Field::EmployeeCount, Field::FoundedYear];
    let before = fields.map(|field| faults_of(checked, field));
    for (option, values) in candidates {
        let mapping = options.read.mapping.clone().with_values(values);
        let read = ReadOptions { mapping, ..options.read.clone() };
        let options = BuildOptions { read, ..options.clone() };
        let Ok(tried) = index::check::check(inputs, &options, &NoProgress) else { continue };
        for (field, before) in fields.into_iter().zip(before) {
            let left = faults_of(&tried, field);
            if left < before {
                trials.push(Trial { field: field.name(), option: option.clone(), left });
            }
        }
    }
    // Of several options the one that leaves least; equal ones are for people to choose from.
    let least =
        |field: &str| trials.iter().filter(|trial| trial.field == field).map(|t| t.left).min();
    let least = fields.map(|field| (field.name(), least(field.name())));
    trials.retain(|trial| least.contains(&(trial.field, Some(trial.left))));
    trials
}

fn faults_of(checked: &Checked, field: Field) -> u64 {
    let counts = [&checked.counts.rejected, &checked.counts.left_out];
    let counts = counts.into_iter().flat_map(|counts| counts.as_slice());
    counts.filter(|count| count.field == Some(field)).map(|count| count.count).sum()
}

struct Report<'a> {
    checked: &'a Checked,
    trials: Vec<Trial>,
}

/// A record as it will be served.
fn sample(company: &Company) -> Document<'_> {
    Document::from(&Record::from(company))
}

/// A share in percent, one decimal; never rounded up to all.
fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    format!("{}.{} %", part * 100 / whole, part * 1000 / whole % 10)
}

/// Characters of a record that are shown.
const SAMPLE_CHARS: usize = 300;

/// Most names of columns that go nowhere.
const UNUSED_SHOWN: usize = 20;

impl Report<'_> {
    /// Each field, and how many of the records that a build would take have it.
    fn filled(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let required = [Field::Id, Field::Name].map(|it| (it.name(), self.checked.accepted()));
        let others = self.checked.filled.by_field().map(|(field, count)| (field, u64::from(count)));
        required.into_iter().chain(others)
    }

    fn json(&self) -> Value {
        let Checked { inputs, records, rejects, blank_rows, counts, notes, samples, .. } =
            self.checked;
        let fault = |count: &FaultCount| {
            let (file, place) = &count.first;
            json!({
                "field": count.field.map(Field::name), "kind": count.kind.phrase(), "count": count.count,
                "first": format!("{file}{place}"), "option": count.kind.option(),
            })
        };
        let faults = |counts: &[FaultCount]| counts.iter().map(fault).collect::<Vec<Value>>();
        let filled: serde_json::Map<String, Value> =
            self.filled().map(|(field, count)| (field.to_owned(), json!(count))).collect();
        json!({
            "inputs": inputs.iter().map(json_of).collect::<Vec<Value>>(),
            "records": records, "rejects": rejects, "blank_rows": blank_rows, "notes": notes,
            "filled": filled, "samples": samples.iter().map(sample).collect::<Vec<Document<'_>>>(),
            "faults": faults(counts.rejected.as_slice()),
            "left_out": faults(counts.left_out.as_slice()),
            "mends": self.trials,
        })
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_inputs(out)?;
        let Checked { records, rejects, blank_rows, samples, .. } = self.checked;
        let accepted = self.checked.accepted();
        write!(
            out,
            "{} records: a build would take {} and reject {}",
            HumanCount(*records),
            HumanCount(accepted),
            HumanCount(*rejects)
        )?;
        match blank_rows {
            0 => writeln!(out)?,
            rows => {
                writeln!(out, "; {} rows without any value are passed over", HumanCount(*rows))?
            }
        }
        writeln!(out, "\n  {:18}{:>12}", "field", "filled")?;
        for (field, count) in self.filled() {
            writeln!(out, "  {field:18}{:>12}", percent(count, accepted))?;
        }
        if !samples.is_empty() {
            writeln!(out, "\nFirst records:")?;
        }
        for company in samples {
            let json = serde_json::to_string(&sample(company)).map_err(io::Error::other)?;
            let cut = json.char_indices().nth(SAMPLE_CHARS).map(|(at, _)| at);
            let more = if cut.is_some() { "…" } else { "" };
            writeln!(out, "{}{more}", plain(&json[..cut.unwrap_or(json.len())]))?;
        }
        self.write_faults(out)
    }

    fn write_inputs(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut last: Option<&InputColumns> = None;
        for input in &self.checked.inputs {
            let InputColumns { name, format, delimiter, columns, .. } = input;
            let delimiter = delimiter.map_or(String::new(), |delimiter| {
                format!(", cells separated by {:?}", char::from(delimiter))
            });
            writeln!(out, "{name}: {format}{delimiter}")?;
            if last.is_some_and(|last| last.columns == *columns) {
                writeln!(out, "  columns as above\n")?;
                continue;
            }
            last = Some(input);
            let used = columns.iter().filter(|(_, fields)| !fields.is_empty());
            for (column, fields) in used {
                writeln!(out, "  {:40} {}", format!("{column:?}"), fields.join(", "))?;
            }
            let unused: Vec<String> = columns
                .iter()
                .filter(|(name, fields)| fields.is_empty() && !name.is_empty())
                .map(|(name, _)| format!("{name:?}"))
                .collect();
            if !unused.is_empty() {
                let more = match unused.len().saturating_sub(UNUSED_SHOWN) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                let shown = &unused[..unused.len().min(UNUSED_SHOWN)];
                writeln!(out, "  not used: {}{more}", shown.join(", "))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    fn write_faults(&self, out: &mut dyn Write) -> io::Result<()> {
        let counts = &self.checked.counts;
        for (title, counts) in [("Faults", &counts.rejected), ("Values left out", &counts.left_out)]
        {
            if counts.as_slice().is_empty() {
                continue;
            }
            writeln!(out, "\n{title}:")?;
            for count in counts.as_slice() {
                writeln!(out, "  {count}")?;
            }
        }
        if !self.trials.is_empty() {
            writeln!(out, "\nOptions that would mend some, tried on all records:")?;
        }
        for Trial { field, option, left } in &self.trials {
            let left = match left {
                0 => "fits all of them".to_owned(),
                left => format!("leaves {} faults", HumanCount(*left)),
            };
            writeln!(out, "  {option:24} {field}: {left}")?;
        }
        Ok(())
    }
}

fn json_of(input: &InputColumns) -> Value {
    let column =
        |(name, fields): &(String, Vec<&'static str>)| json!({"name": name, "fields": fields});
    json!({
        "name": input.name, "format": input.format.to_string(),
        "delimiter": input.delimiter.map(|delimiter| char::from(delimiter).to_string()),
        "columns": input.columns.iter().map(column).collect::<Vec<Value>>(),
    })
}
