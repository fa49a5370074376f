//! `firmament-tools keys`: creates, changes, lists and revokes API keys.
//!
//! In: the path of a key file. Out: for `new` and `rotate`, the key alone on standard output, the
//! only time it is ever shown; for `list`, a table without key material. A running server picks
//! changes up by itself. Errors are those of [`KeyFile`], one sentence each.

use super::Failure;
use super::output::{tell, to_stdout};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use firmament::auth::{ApiKey, Expiry, KeyEntry, KeyFile, QuotaRule};

/// What to do with a key file.
#[derive(clap::Subcommand)]
#[command(after_help = "Examples:
  firmament-tools keys new acme --keys keys.json
  firmament-tools keys new trial --keys keys.json --rate 5 --burst 20 --expires 2027-12-31
  firmament-tools keys set trial --keys keys.json --rate 50 --expires never
  firmament-tools keys rotate acme --keys keys.json
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
    /// Change the quota or the date of a key
    Set {
        /// The name it was created with
        name: String,
        /// The key file
        #[arg(long, value_name = "FILE", env = "FIRMAMENT_KEYS")]
        keys: PathBuf,
        /// Requests per second, or `none` for no quota
        #[arg(long, value_name = "PER_SECOND", allow_negative_numbers = true)]
        rate: Option<String>,
        /// Requests at once; one second's worth unless given
        #[arg(long, value_name = "N", requires = "rate")]
        burst: Option<u64>,
        /// Last day of validity, UTC (2027-12-31), the exact end (2027-12-31T18:00:00Z), or `never`
        #[arg(long, value_name = "DATE")]
        expires: Option<String>,
    },
    /// Put a new key in the place of one and print it, once; quota and date stay
    Rotate {
        /// The name it was created with
        name: String,
        /// The key file
        #[arg(long, value_name = "FILE", env = "FIRMAMENT_KEYS")]
        keys: PathBuf,
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
            warn_of_past(expires.as_ref());
            let key = KeyFile::update(&keys, |file| file.add(&name, quota, expires))?;
            show(&key, &name, "created", &keys)?;
        }
        KeysCommand::Set { name, keys, rate, burst, expires } => {
            let quota = rate.map(|rate| quota(&rate, burst)).transpose()?;
            let expires = match expires.as_deref() {
                Some("never") => Some(None),
                Some(text) => Some(Some(Expiry::parse(text)?)),
                None => None,
            };
            if quota.is_none() && expires.is_none() {
                let message = "nothing to change: give --rate, --expires or both".to_owned();
                return Err(Failure { message, exit_code: 2 });
            }
            warn_of_past(expires.as_ref().and_then(Option::as_ref));
            KeyFile::update(&keys, |file| file.set(&name, quota, expires))?;
            tell(&format!("The key {name:?} is changed; running servers know within two seconds."));
        }
        KeysCommand::Rotate { name, keys } => {
            let key = KeyFile::update(&keys, |file| file.rotate(&name))?;
            show(&key, &name, "rotated", &keys)?;
            tell("Running servers refuse the old one within two seconds.");
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

/// A quota, or that there is none.
fn quota(rate: &str, burst: Option<u64>) -> Result<Option<QuotaRule>, Failure> {
    if rate == "none" {
        return Ok(None);
    }
    let number = rate.parse().map_err(|_| Failure {
        message: format!(
            "--rate is {rate:?}; accepted is a number of requests per second, or none for no quota"
        ),
        exit_code: 2,
    })?;
    Ok(Some(QuotaRule::new(number, burst)?))
}

/// A key that is past its date from the start is most likely a mistake.
fn warn_of_past(expires: Option<&Expiry>) {
    if let Some(expires) = expires.filter(|expires| expires.end() <= jiff::Timestamp::now()) {
        tell(&format!(
            "warning: {} is in the past, so that the key is refused from now on; mend it with \
             `firmament-tools keys set`",
            expires.as_str()
        ));
    }
}

/// Prints a key, the only time that it can be.
fn show(key: &ApiKey, name: &str, done: &str, keys: &Path) -> Result<(), Failure> {
    // Not even a reader who went away may miss it: nobody can show it again.
    writeln!(io::stdout(), "{}", key.expose()).map_err(|error| Failure {
        message: format!(
            "the key {name:?} was {done}, but cannot be shown: {error}; revoke it with `firmament-tools \
             keys revoke` and create another"
        ),
        exit_code: 1,
    })?;
    tell(&format!(
        "This is the only time the key is shown; the file {} holds its hash. \
         Callers send it as the header X-API-Key.",
        keys.display()
    ));
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
