//! What tables of text have in common: names of columns, and what they mean.

use crate::company::{FaultKind, Field};
use crate::index::mapping::{Binding, Mapping, Slot};
use crate::index::record::Fault;
use crate::limits::TABLE_COLUMNS_MAX;
use std::io;

/// How the columns of a table are told apart and named.
#[derive(Clone, Copy, Debug)]
pub struct TableOptions<'a> {
    /// What separates cells.
    pub delimiter: u8,
    /// Names of the columns, where the table has no header.
    pub columns: Option<&'a [String]>,
}

/// What the rows of one table mean.
pub struct Header {
    /// Names of the columns.
    pub names: Vec<String>,
    /// Which of them are read.
    pub binding: Binding,
    /// Cells of a row: as many as names, or one more or less where rows end otherwise than the
    /// header does.
    pub num_cells: usize,
    /// Cells are separated by semicolons, as where a comma stands before decimals.
    pub has_semicolons: bool,
}

impl TableOptions<'_> {
    /// The names of the columns, if the operator gave them; `first` is the first row.
    ///
    /// # Errors
    /// The first row has the same names.
    pub fn given_names(&self, first: &[String]) -> io::Result<Option<Vec<String>>> {
        match self.columns {
            Some(names) if names == first => Err(io::Error::other(
                "its first row has the names that --columns gives: leave out --columns",
            )),
            names => Ok(names.map(<[String]>::to_vec)),
        }
    }

    /// Binds the columns to fields; says what may mend it where that fails.
    ///
    /// # Errors
    /// As of [`Mapping::bind`].
    pub fn bind(&self, names: &[String], mapping: &Mapping) -> io::Result<Binding> {
        mapping.bind(names).map_err(|error| {
            let hint = match names {
                [name] => match other_delimiter(name, self.delimiter) {
                    Some(delimiter) => format!(
                        "; if {delimiter:?} separates the columns, name it with --delimiter {}",
                        shell_word(delimiter)
                    ),
                    None => {
                        "; if they are separated by another character, name it with --delimiter"
                            .to_owned()
                    }
                },
                _ if self.columns.is_none() && !names.iter().any(|name| mapping.knows(name)) => {
                    "; if its first row is a record, name the columns with --columns id,name,…"
                        .to_owned()
                }
                _ => String::new(),
            };
            io::Error::other(format!("{error}{hint}"))
        })
    }
}

/// What may separate columns, if it is not what was said.
fn other_delimiter(header: &str, said: u8) -> Option<char> {
    [';', '\t', '|', ','].into_iter().find(|&c| c != char::from(said) && header.contains(c))
}

/// The character as it is typed in a shell.
fn shell_word(delimiter: char) -> String {
    match delimiter {
        '\t' => "'\\t'".to_owned(),
        other => format!("'{other}'"),
    }
}

/// A header with too many columns.
pub fn too_many_columns() -> io::Error {
    io::Error::other(format!(
        "its header has more than {TABLE_COLUMNS_MAX} columns: leave out those that are not needed"
    ))
}

/// Is there no value in the cells of a row? Spreadsheets append such rows.
pub fn is_blank(cells: &[u8]) -> bool {
    cells.first().is_none_or(|byte| !byte.is_ascii_graphic())
        && std::str::from_utf8(cells).is_ok_and(|text| text.trim().is_empty())
}

/// The column that holds the ids.
pub fn id_column(binding: &Binding) -> Option<usize> {
    let is_id = |slot: &&(usize, Slot)| slot.1 == Slot::Field(Field::Id);
    binding.slots.iter().find(is_id).map(|&(column, _)| column)
}

/// What is wrong with a cell whose bytes are no UTF-8 from `at` on.
pub fn not_utf8(slot: Slot, at: usize, column: &str) -> Fault {
    let reason = format!(
        "is not UTF-8 at byte {} of the column {column:?}: mend the record, or name the encoding of the file, as in \
         --encoding windows-1252",
        at + 1
    );
    Fault { field: slot.field(), kind: FaultKind::NotUtf8, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_a_value_are_blank() {
        for cells in ["", " ", "\t \u{a0}\u{3000}", "\r\n"] {
            assert!(is_blank(cells.as_bytes()), "{cells:?}");
        }
        for cells in ["x", " x", "\u{a0}x", "\u{200b}", "0"] {
            assert!(!is_blank(cells.as_bytes()), "{cells:?}");
        }
        assert!(!is_blank(b"\xff"));
    }
}
