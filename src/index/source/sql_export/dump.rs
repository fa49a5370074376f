//! Statements around the rows of a dump.

use std::io;

/// How statements and comments of dumps begin, in upper case.
const BEGINS: [&str; 16] = [
    "--",
    "/*",
    "\\RESTRICT",
    "\\CONNECT",
    "SET ",
    "SELECT PG_CATALOG.",
    "CREATE ",
    "ALTER ",
    "DROP ",
    "COPY ",
    "INSERT ",
    "REPLACE INTO ",
    "LOCK ",
    "USE ",
    "BEGIN",
    "START ",
];

fn begins(line: &[u8], with: &str) -> bool {
    line.get(..with.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(with.as_bytes()))
}

/// Does a dump begin with this line? A row with two cells or more has a separator.
pub fn is_begun_by(line: &[u8], delimiter: u8) -> bool {
    BEGINS.iter().any(|with| begins(line, with))
        && (BEGINS[..2].iter().any(|with| begins(line, with)) || !line.contains(&delimiter))
}

/// Do rows follow this line?
pub fn is_copy(line: &[u8]) -> bool {
    begins(line, "COPY ")
}

/// Refuses rows that are written as statements.
///
/// # Errors
/// The line begins an INSERT statement.
pub fn check(line: &[u8]) -> io::Result<()> {
    if begins(line, "INSERT ") || begins(line, "REPLACE ") {
        return Err(io::Error::other(
            "it holds INSERT statements, which are not read: export the rows, in PostgreSQL with `\\copy (SELECT …) TO \
             'FILE' WITH (HEADER)`, in MySQL with SELECT … INTO OUTFILE",
        ));
    }
    Ok(())
}

/// A dump in which no rows are.
pub fn without_rows() -> io::Error {
    io::Error::other(
        "it is a dump without rows (COPY … FROM stdin): export them, as in `pg_dump --data-only --table=companies`",
    )
}

/// A COPY that does not say which columns follow.
pub fn without_columns() -> io::Error {
    io::Error::other("its COPY statement names no columns: name them with --columns")
}

/// More than one table.
pub fn several_tables(one: &str, other: &str) -> io::Error {
    io::Error::other(format!(
        "it holds several tables, {one} and {other}: export one, as in `pg_dump --data-only --table={one}`"
    ))
}

/// The table of a COPY statement, and its columns if they are named.
///
/// # Errors
/// The statement is not one that dumps have.
pub fn copied(line: &[u8], number: u64) -> io::Result<(String, Option<Vec<String>>)> {
    let statement = String::from_utf8_lossy(line);
    let fault = || {
        io::Error::other(format!(
            "the COPY statement in line {number} is not of the form `COPY table (column, …) FROM stdin;`"
        ))
    };
    let mut rest = statement["COPY ".len()..].trim();
    let (table, after) = identifier(rest, &[' ', '(']).ok_or_else(fault)?;
    rest = after.trim_start();
    let mut columns = None;
    if let Some(mut list) = rest.strip_prefix('(') {
        let names = columns.insert(Vec::new());
        loop {
            let (name, after) =
                identifier(list.trim_start(), &[',', ')', ' ']).ok_or_else(fault)?;
            names.push(name);
            match after.trim_start().split_at_checked(1) {
                Some((",", after)) => list = after,
                Some((")", after)) => break rest = after.trim_start(),
                _ => return Err(fault()),
            }
        }
    }
    if !rest.eq_ignore_ascii_case("FROM stdin;") {
        return Err(fault());
    }
    Ok((table, columns))
}

/// A name, quoted or not, which may have others and dots before it, up to one of `ends`; and what
/// follows.
fn identifier<'a>(text: &'a str, ends: &[char]) -> Option<(String, &'a str)> {
    let (mut name, mut rest) = (String::new(), text);
    loop {
        if let Some(quoted) = rest.strip_prefix('"') {
            rest = quoted;
            loop {
                let (part, after) = rest.split_once('"')?;
                name.push_str(part);
                rest = after;
                match rest.strip_prefix('"') {
                    Some(after) => {
                        name.push('"');
                        rest = after;
                    }
                    None => break,
                }
            }
        } else {
            let end =
                rest.find(|c| c == '.' || c == '"' || ends.contains(&c)).unwrap_or(rest.len());
            name.push_str(&rest[..end]);
            rest = &rest[end..];
        }
        match rest.strip_prefix('.') {
            Some(after) => {
                name.push('.');
                rest = after;
            }
            None => break,
        }
    }
    (!name.is_empty()).then_some((name, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copy_statements_name_their_columns() {
        let read = |line: &str| copied(line.as_bytes(), 7).map_err(|error| error.to_string());
        let (table, columns) =
            read("COPY public.companies (id, \"Full \"\"Name\"\"\", city) FROM stdin;").unwrap();
        assert_eq!(table, "public.companies");
        assert_eq!(columns.unwrap(), ["id", "Full \"Name\"", "city"]);
        let (table, columns) = read("copy \"My.Schema\".t(a) from STDIN;").unwrap();
        assert_eq!((table.as_str(), columns.unwrap().len()), ("My.Schema.t", 1));
        assert_eq!(read("COPY t FROM stdin;").unwrap().1, None);
        for line in [
            "COPY t (a FROM stdin;",
            "COPY t (a) TO stdout;",
            "COPY t (a) FROM stdin WITH (FORMAT csv);",
            "COPY ",
            "COPY t (\"a) FROM stdin;",
            "COPY t () FROM stdin;",
        ] {
            assert!(read(line).unwrap_err().contains("line 7"), "{line}");
        }
    }

    #[test]
    fn statements_are_no_rows() {
        for line in [
            "-- PostgreSQL database dump",
            "SET x = 1;",
            "insert into t values (1);",
            "\\restrict abc",
        ] {
            assert!(is_begun_by(line.as_bytes(), b'\t'), "{line}");
        }
        for line in ["1\tCopy Shop", "Copy Shop\t1", "id\tname", "-1\tx", "\\N\tx"] {
            assert!(!is_begun_by(line.as_bytes(), b'\t'), "{line}");
        }
        assert!(
            check(b"INSERT INTO t VALUES (1);").unwrap_err().to_string().contains("INTO OUTFILE")
        );
    }
}
