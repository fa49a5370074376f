//! Formats of input files, and how they are told apart.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// What an input holds, after unpacking.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// One JSON object a line.
    JsonLines,
    /// JSON objects in any other layout: in an array, or one after another.
    Json,
    /// Comma-separated values (RFC 4180) under a header.
    Csv,
    /// Rows of cells, separated by tabs.
    Tsv,
    /// Rows as PostgreSQL (COPY) and MySQL (INTO OUTFILE) export them.
    SqlExport,
    /// Apache Parquet.
    Parquet,
}

/// What a record of an input is called, and counted by from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// The line on which it begins.
    Line,
    /// The element of the array.
    Element,
    /// The row.
    Row,
}

impl Unit {
    /// What a record is called.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Line => "line",
            Unit::Element => "element",
            Unit::Row => "row",
        }
    }
}

impl Format {
    const NAMES: [(&'static str, Format); 6] = [
        ("jsonl", Format::JsonLines),
        ("json", Format::Json),
        ("csv", Format::Csv),
        ("tsv", Format::Tsv),
        ("sql-export", Format::SqlExport),
        ("parquet", Format::Parquet),
    ];

    /// How records of this format are counted.
    pub fn unit(self) -> Unit {
        match self {
            Format::JsonLines | Format::Csv | Format::Tsv | Format::SqlExport => Unit::Line,
            Format::Json => Unit::Element,
            Format::Parquet => Unit::Row,
        }
    }

    /// The format that the name of a file promises; an ending for compression does not count.
    pub fn of_path(path: &Path) -> Option<Format> {
        let ending =
            |path: &Path| path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
        let mut ending_here = ending(path);
        if matches!(ending_here.as_deref(), Some("gz" | "gzip" | "zst" | "zstd")) {
            ending_here = ending(Path::new(path.file_stem()?));
        }
        match ending_here.as_deref()? {
            "jsonl" | "ndjson" => Some(Format::JsonLines),
            "json" => Some(Format::Json),
            "csv" => Some(Format::Csv),
            "tsv" | "tab" => Some(Format::Tsv),
            "sql" => Some(Format::SqlExport),
            "parquet" | "parq" => Some(Format::Parquet),
            _ => None,
        }
    }

    /// The format of a text that begins with `head`, white space removed, in a file whose name
    /// promises `promised`. JSON is known by its first character, whatever the file is called,
    /// except where a table is promised: a header may begin with anything. None if there is no
    /// telling.
    pub fn of_text(head: &[u8], promised: Option<Format>) -> Option<Format> {
        match (promised, head.trim_ascii_start().first()) {
            (Some(Format::Csv | Format::Tsv | Format::SqlExport), _) => promised,
            (_, Some(b'{')) => Some(Format::JsonLines),
            (_, Some(b'[')) => Some(Format::Json),
            // Nothing holds no record in any format.
            (_, None) => Some(Format::JsonLines),
            (Some(Format::JsonLines), _) => promised,
            _ => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Format::NAMES.iter().find(|(_, format)| format == self);
        f.write_str(name.map_or("", |(name, _)| name))
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Format, String> {
        let found = Format::NAMES.iter().find(|(name, _)| *name == text);
        found.map(|(_, format)| *format).ok_or_else(|| {
            let names = Format::NAMES.map(|(name, _)| name).join(", ");
            format!("{text:?} is no format; formats are {names}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_contents_tell_formats() {
        let of_path = |path: &str| Format::of_path(Path::new(path));
        assert_eq!(of_path("a/companies.jsonl"), Some(Format::JsonLines));
        assert_eq!(of_path("companies.CSV.gz"), Some(Format::Csv));
        assert_eq!(of_path("companies.tsv.zst"), Some(Format::Tsv));
        assert_eq!(of_path("dump.sql.gz"), Some(Format::SqlExport));
        assert_eq!(of_path("part-0.snappy.parquet"), Some(Format::Parquet));
        assert_eq!(of_path("companies.gz"), None);
        assert_eq!(of_path("companies.xlsx"), None);
        assert_eq!(of_path(".gz"), None);

        let of_text = |head: &str, promised| Format::of_text(head.as_bytes(), promised);
        assert_eq!(of_text(" \n{\"id\"", None), Some(Format::JsonLines));
        assert_eq!(of_text("[\n", Some(Format::JsonLines)), Some(Format::Json));
        assert_eq!(of_text("{\"id\"", Some(Format::Json)), Some(Format::JsonLines));
        assert_eq!(of_text("[id],name", Some(Format::Csv)), Some(Format::Csv));
        assert_eq!(of_text("id,name", None), None);
        assert_eq!(of_text("", None), Some(Format::JsonLines));
        for (name, format) in Format::NAMES {
            assert_eq!(name.parse(), Ok(format));
            assert_eq!(format.to_string(), name);
        }
        assert!("xml".parse::<Format>().is_err());
    }
}
