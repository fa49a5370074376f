//! SQLite FTS5: `bm25()` with the default tokenizer, unicode61, which splits at everything but
//! letters and digits, lower-cases, and removes diacritics from Latin letters.

use crate::Result;
use crate::engine::{Engine, Mode};
use crate::records::{FIELDS, Record};
use rusqlite::Connection;

/// A database in memory. Row numbers are record numbers.
pub struct Fts5 {
    connection: Connection,
}

impl Fts5 {
    /// Indexes the records.
    pub fn new(records: &[Record]) -> Result<Fts5> {
        let mut connection = Connection::open_in_memory()?;
        connection.pragma_update(None, "temp_store", "memory")?; // otherwise sorting writes files
        // Neither table needs its texts back. `query` is empty between queries: FTS5 lends its
        // tokenizer to C code only, so `words` indexes the query and reads the index.
        connection.execute_batch(&format!(
            "CREATE VIRTUAL TABLE records USING fts5({}, content='');
             CREATE VIRTUAL TABLE query USING fts5(text, content='');
             CREATE VIRTUAL TABLE query_words USING fts5vocab(query, instance);",
            FIELDS.join(", ")
        ))?;
        let transaction = connection.transaction()?;
        {
            let mut insert = transaction.prepare(&format!(
                "INSERT INTO records (rowid, {}) VALUES (?1, ?2, ?3, ?4, ?5)",
                FIELDS.join(", ")
            ))?;
            for (number, record) in records.iter().enumerate() {
                let [name, host, industry, description] = record.texts();
                insert.execute((number as i64, name, host, industry, description))?;
            }
        }
        transaction.commit()?;
        // One segment, as an index that is only read should have.
        connection.execute("INSERT INTO records (records) VALUES ('optimize')", ())?;
        Ok(Fts5 { connection })
    }
}

impl Engine for Fts5 {
    fn name(&self) -> String {
        format!("SQLite FTS5 v{}", rusqlite::version())
    }

    fn words(&mut self, text: &str) -> Result<Vec<String>> {
        let transaction = self.connection.transaction()?;
        transaction
            .prepare_cached("INSERT INTO query (rowid, text) VALUES (0, ?1)")?
            .execute([text])?;
        let words = transaction
            .prepare_cached("SELECT term FROM query_words ORDER BY offset")?
            .query_map((), |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        transaction.rollback()?;
        Ok(words)
    }

    fn search(&mut self, words: &[String], mode: Mode, limit: usize) -> Result<Vec<usize>> {
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let quoted: Vec<String> =
            words.iter().map(|word| format!("\"{}\"", word.replace('"', "\"\""))).collect();
        let query = quoted.join(match mode {
            Mode::AllWords => " AND ",
            Mode::AnyWord => " OR ",
        });
        // `rank` is `bm25()` and sorts without computing it again.
        let mut select = self.connection.prepare_cached(
            "SELECT rowid FROM records WHERE records MATCH ?1 ORDER BY rank LIMIT ?2",
        )?;
        let numbers = select.query_map((query, limit as i64), |row| row.get::<_, i64>(0))?;
        numbers.map(|number| Ok(number? as usize)).collect()
    }
}
