//! `firmament-tools keys`: creates, lists and revokes API keys.
//!
//! In: the path of a key file. Out: for `new`, the key alone on standard output, the only time it
//! is ever shown; for `list`, a table without key material. A running server picks changes up by
//! itself. Errors are those of [`KeyFile`], one sentence each.

use super::Failure;
use super::output::{tell, to_stdout};
use std::io::{self, Write};
use std::path::PathBuf;

use firmament::auth::{Expiry, KeyEntry, KeyFile, QuotaRule};

/// What to do with a key file.
#[derive(clap::Subcommand)]
#[command(after_help = "Examples:
  firmament-tools keys new acme --keys keys.json
  firmament-tools keys new trial --keys keys.json --rate 5 --burst 20 --expires 2027-12-31
  firmament-tools keys list --keys keys.json
  firmament-tools keys revoke trial --keys keys.json")]
pub enum KeysCommand {
    /// Create a key and print it, once; the file is created if it does not exist
    New {
        /// A name to recognise the key by, in lists and logs
        name: String,
        /// The key file
        #[arg(long, value_name = "FILE", env = "FIRMAMENT_KEYS")]
        keys: PathBuf,
        /// Requests per second; without it the key has no quota
        #[arg(long, value_name = "PER_SECOND", allow_negative_numbers = true)]
        rate: Option<f64>,
        /// Requests at once; one second's worth unless given
        #[arg(long, value_name = "N", requires = "rate")]
        burst: Option<u64>,
        /// Last day of validity, UTC (2027-12-31), or the exact end (2027-12-31T18:00:00Z)
        #[arg(long, value_name = "DATE")]
        expires: Option<String>,
    },
    /// List names, quotas and dates
    List {
        /// The key file
        #[arg(long, value_name = "FILE", env = "FIRMAMENT_KEYS")]
        keys: PathBuf,
    },
    /// Remove a key; running servers refuse it within two seconds
    Revoke {
        /// The name it was created with
        name: String,
        /// The key file
        #[arg(long, value_name = "FILE", env = "FIRMAMENT_KEYS")]
        keys: PathBuf,
    },
}

/// Runs one command.
///
/// # Errors
/// Those of reading and writing the key file, and values that are out of range.
pub fn run(command: KeysCommand) -> Result<(), Failure> {
    match command {
        KeysCommand::New { name, keys, rate, burst, expires } => {
            let quota = rate.map(|rate| QuotaRule::new(rate, burst)).transpose()?;
            let expires = expires.map(|text| Expiry::parse(&text)).transpose()?;
            let key = KeyFile::update(&keys, |file| file.add(&name, quota, expires))?;
            // Not even a reader who went away may miss it: nobody can show it again.
            writeln!(io::stdout(), "{}", key.expose()).map_err(|error| Failure {
                message: format!(
                    "the key {name:?} was created, but cannot be shown: {error}; revoke it with `firmament-tools \
                     keys revoke` and create another"
                ),
                exit_code: 1,
            })?;
            tell(&format!(
                "This is the only time the key is shown; the file {} holds its hash. \
                 Callers send it as the header X-API-Key.",
                keys.display()
            ));
        }
        KeysCommand::List { keys } => {
            let file = KeyFile::load(&keys)?;
            if firmament::auth::is_exposed(&keys) {
                tell(&format!("warning: others can read {}; run: chmod 600 {0}", keys.display()));
            }
            to_stdout(|out| list(file.entries(), out))?;
        }
        KeysCommand::Revoke { name, keys } => {
            KeyFile::update(&keys, |file| file.revoke(&name))?;
            tell(&format!(
                "The key {name:?} is revoked; running servers refuse it within two seconds."
            ));
        }
    }
    Ok(())
}

/// One line per key, columns aligned; nothing at all for an empty file.
fn list(entries: &[KeyEntry], out: &mut dyn Write) -> io::Result<()> {
    let Some(width) = entries.iter().map(|entry| entry.name().chars().count().max(4)).max() else {
        return Ok(());
    };
    let now = jiff::Timestamp::now();
    writeln!(
        out,
        "{:width$}  {:>10}  {:>8}  {:20}  EXPIRES",
        "NAME", "RATE/S", "BURST", "CREATED"
    )?;
    for entry in entries {
        let (rate, burst) = match entry.quota() {
            Some(rule) => (rule.rate().to_string(), rule.burst().to_string()),
            None => ("-".to_owned(), "-".to_owned()),
        };
        let created = entry.created().map_or_else(|| "-".to_owned(), |created| created.to_string());
        let expires = match entry.expires() {
            Some(expires) if expires.end() <= now => format!("{} (expired)", expires.as_str()),
            Some(expires) => expires.as_str().to_owned(),
            None => "never".to_owned(),
        };
        writeln!(out, "{:width$}  {rate:>10}  {burst:>8}  {created:20}  {expires}", entry.name())?;
    }
    Ok(())
}
