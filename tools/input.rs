//! Options of `build` that say what the inputs are and how their columns become fields.

use super::Failure;
use clap::builder::PossibleValuesParser;
use firmament::index::mapping::preset::PRESETS;
use firmament::index::{
    Bands, Encoding, Format, Input, Mapping, MappingOptions, NumberFormat, OnBadValue, Preset,
    ReadOptions, ValueOptions,
};
use std::path::PathBuf;

/// Inputs, their format, and what their columns mean.
#[derive(clap::Args)]
pub struct InputArguments {
    /// Files or folders of records, plain, gzip or zstd; `-` is standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Format of all inputs: jsonl (an object a line), json (objects in an array or one after
    /// another), csv, tsv, sql-export (COPY of PostgreSQL, INTO OUTFILE of MySQL), parquet
    /// [default: told from content and name]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Encoding of text, as windows-1252 or utf-16le [default: by its byte order mark, else UTF-8]
    #[arg(long, value_name = "NAME")]
    encoding: Option<Encoding>,
    /// What separates the cells of CSV, one character [default: the one that a line such as sep=;
    /// names, else ,]
    #[arg(long, value_name = "C", value_parser = one_character)]
    delimiter: Option<u8>,
    /// Names of the columns of a table that has no header
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    columns: Option<Vec<String>>,
    /// The key of an object around JSON records that leads to them; dots lead further in [example:
    /// results]
    #[arg(long, value_name = "KEY")]
    at: Option<String>,
    /// A well-known layout, such as people-data-labs, gleif or companies-house
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(
        PRESETS.iter().map(|preset| clap::builder::PossibleValue::new(preset.name).help(preset.description))
    ))]
    preset: Option<String>,
    /// Read a field from another column, or from none (-); dots lead into nested values [example:
    /// location.city=locality]; aliases and other_websites from several [example:
    /// aliases=former_names,trading_names]
    #[arg(long, value_name = "FIELD=COLUMN", value_parser = pair)]
    map: Vec<(String, String)>,
    /// Split a text into the values of a field that has several [example: aliases=;]
    #[arg(long, value_name = "FIELD=SEPARATOR", value_parser = pair)]
    split: Vec<(String, String)>,
    /// Give all records the same value [example: country="United States"]
    #[arg(long, value_name = "FIELD=VALUE", value_parser = pair)]
    constant: Vec<(String, String)>,
    /// A text that means no value, as \N or NULL
    #[arg(long, value_name = "TEXT")]
    null: Vec<String>,
    /// Make ids of records without one from these fields or columns, a UUID of version 5
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    id_from: Vec<String>,
    /// How numbers are written: en (1,200.0), de (1.200,0), fr (1 200,0), ch (1'200.0) or in
    /// (1,20,000.0); auto reads plain digits, and in a file with semicolons dots that group
    #[arg(long, value_name = "NAME", default_value_t)]
    number_format: NumberFormat,
    /// What stands for a band of employees such as 51-200, 10,001+ or 1K-5K: its lower or upper
    /// bound, or the middle [default: bands are refused]
    #[arg(long, value_name = "lower|middle|upper")]
    bands: Option<Bands>,
    /// What becomes of a record whose optional value cannot be read: it is rejected, or (null)
    /// taken without the value, and the values are counted in the report
    #[arg(long, value_name = "reject|null", default_value = "reject")]
    on_bad_value: OnBadValue,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (field, value) = text.split_once('=').ok_or("there is no = in it")?;
    Ok((field.trim().to_owned(), value.to_owned()))
}

fn one_character(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"\\t" => Ok(b'\t'),
        &[byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(byte),
        _ => Err("one ASCII character is accepted, such as ; or | or \\t".to_owned()),
    }
}

impl InputArguments {
    /// The inputs.
    pub fn inputs(&self) -> Result<Vec<Input>, Failure> {
        if self.inputs.iter().filter(|input| input.as_os_str() == "-").count() > 1 {
            let message = "standard input (-) can be read only once: name it once".to_owned();
            return Err(Failure { message, exit_code: 2 });
        }
        Ok(self.inputs.iter().cloned().map(Input::from_argument).collect())
    }

    /// How to read them.
    pub fn read_options(&self) -> Result<ReadOptions, Failure> {
        let usage = |message: String| Failure { message, exit_code: 2 };
        let is_given = |option: bool, name: &'static str, formats: &[Format], what: &str| {
            let is_refused = option && self.format.is_some_and(|format| !formats.contains(&format));
            is_refused
                .then(|| format!("{name} is for {what}: leave out one of {name} and --format"))
        };
        use Format::{Csv, Json, JsonLines, SqlExport, Tsv};
        for fault in [
            is_given(self.delimiter.is_some(), "--delimiter", &[Csv, SqlExport], "CSV and exports"),
            is_given(self.columns.is_some(), "--columns", &[Csv, Tsv, SqlExport], "tables of text"),
            is_given(
                self.encoding.is_some(),
                "--encoding",
                &[Csv, Tsv, SqlExport, JsonLines, Json],
                "text",
            ),
        ] {
            fault.map_or(Ok(()), |fault| Err(usage(fault)))?;
        }
        let preset = self.preset.as_deref().map(Preset::by_name).transpose().map_err(usage)?;
        let mapping = Mapping::new(&MappingOptions {
            preset,
            columns: self.map.clone(),
            separators: self.split.clone(),
            constants: self.constant.clone(),
            nulls: self.null.clone(),
            id_from: self.id_from.clone(),
            values: ValueOptions {
                number_format: self.number_format,
                bands: self.bands,
                on_bad_value: self.on_bad_value,
            },
        });
        let mapping = mapping.map_err(|error| usage(error.to_string()))?;
        // Who names a delimiter means CSV, whatever the name of the file ends in.
        let format = self.format.or(self.delimiter.map(|_| Format::Csv));
        let at: Vec<String> =
            self.at.iter().flat_map(|path| path.split('.')).map(str::to_owned).collect();
        if at.iter().any(String::is_empty) {
            return Err(usage("--at: a key is empty; give it as in --at results".to_owned()));
        }
        Ok(ReadOptions {
            format,
            delimiter: self.delimiter,
            encoding: self.encoding,
            columns: self.columns.clone(),
            mapping,
            at,
        })
    }
}
