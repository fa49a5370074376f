//! The key file: JSON, one entry per key, readable by its owner only.
//!
//! ```json
//! {"keys": [
//!   {"name": "acme", "hash": "9f…64 hex digits", "rate": 10, "burst": 20,
//!    "expires": "2027-12-31", "created": "2026-11-20T12:00:00Z"}
//! ]}
//! ```
//!
//! `rate`, `burst`, `expires` and `created` may be absent. `expires` is a date (valid through the
//! end of that day, UTC) or an RFC 3339 timestamp. Entries keep their order. An unknown field is
//! an error: a misspelt `rate` must not silently lift a quota. The file never holds a key itself,
//! and a file that does is refused.
//!
//! Written as a whole: temporary file in the same folder (mode 0600), write, fsync, rename, fsync
//! of the folder. Readers see the old or the new file, never a part.

mod error;

pub use error::KeyFileError;

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::key::{ApiKey, KEY_PREFIX, KeyHash};
use super::quota::QuotaRule;

/// The largest file read: about a million keys.
const FILE_BYTES_MAX: u64 = 256 << 20;
/// The longest name of a key, in characters.
const NAME_CHARS_MAX: usize = 64;

/// The moment at which a key stops to be valid, and how it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expiry {
    text: String,
    end: Timestamp,
}

impl Expiry {
    /// Reads a date or a timestamp.
    ///
    /// # Errors
    /// [`KeyFileError::BadExpiry`] for anything else.
    pub fn parse(text: &str) -> Result<Expiry, KeyFileError> {
        let bad = |_| KeyFileError::BadExpiry(text.chars().take(40).collect());
        // A date has ten characters; jiff would read one out of a longer text, too.
        let end = if text.len() == 10 {
            let date: Date = text.parse().map_err(bad)?;
            // The last days that jiff knows have no next one; they stand for "never".
            let next_day = date.tomorrow().and_then(|day| day.to_zoned(TimeZone::UTC));
            next_day.map_or(Timestamp::MAX, |day| day.timestamp())
        } else {
            text.parse().map_err(bad)?
        };
        Ok(Expiry { text: text.to_owned(), end })
    }

    /// The first moment at which the key is no longer valid.
    #[must_use]
    pub fn end(&self) -> Timestamp {
        self.end
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// One key of the file.
#[derive(Clone, Debug)]
pub struct KeyEntry {
    name: String,
    hash: KeyHash,
    quota: Option<QuotaRule>,
    expires: Option<Expiry>,
    created: Option<Timestamp>,
}

impl KeyEntry {
    /// The operator's name for the key.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The hash of the key.
    #[must_use]
    pub fn hash(&self) -> KeyHash {
        self.hash
    }

    /// Rate and burst; none means no quota.
    #[must_use]
    pub fn quota(&self) -> Option<QuotaRule> {
        self.quota
    }

    /// When the key ends, if ever.
    #[must_use]
    pub fn expires(&self) -> Option<&Expiry> {
        self.expires.as_ref()
    }

    /// When the key was made, if the file says so.
    #[must_use]
    pub fn created(&self) -> Option<Timestamp> {
        self.created
    }
}

/// The whole file as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredFile {
    keys: Vec<StoredEntry>,
}

/// One entry as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredEntry {
    name: String,
    hash: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rate: Option<serde_json::Number>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    burst: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    created: Option<String>,
}

impl StoredEntry {
    /// The entry, or what is wrong with it.
    fn validated(self) -> Result<KeyEntry, String> {
        check_name(&self.name).map_err(|error| error.to_string())?;
        let hash = KeyHash::from_hex(&self.hash).map_err(|_| {
            "`hash` is not 64 hex digits; revoke the key and create a new one".to_owned()
        })?;
        let quota = match (self.rate, self.burst) {
            (None, None) => None,
            (None, Some(_)) => {
                return Err("`burst` without `rate`; add `rate` or remove `burst`".to_owned());
            }
            // A number that is no f64 (arbitrary precision is off) does not exist.
            (Some(rate), burst) => Some(
                QuotaRule::new(rate.as_f64().unwrap_or(f64::NAN), burst)
                    .map_err(|error| error.to_string())?,
            ),
        };
        let expires = self
            .expires
            .map(|text| Expiry::parse(&text))
            .transpose()
            .map_err(|error| format!("`expires`: {error}"))?;
        let created = self.created.map(|text| text.parse()).transpose().map_err(|_| {
            "`created` is not a timestamp (2026-11-20T12:00:00Z); mend or remove it".to_owned()
        })?;
        Ok(KeyEntry { name: self.name, hash, quota, expires, created })
    }
}

impl From<&KeyEntry> for StoredEntry {
    fn from(entry: &KeyEntry) -> StoredEntry {
        let rate = entry.quota.and_then(|rule| {
            let whole = rule.rate().fract() == 0.0;
            if whole {
                Some((rule.rate() as u64).into())
            } else {
                serde_json::Number::from_f64(rule.rate())
            }
        });
        StoredEntry {
            name: entry.name.clone(),
            hash: entry.hash.to_hex().to_string(),
            rate,
            burst: entry.quota.map(|rule| u64::from(rule.burst())),
            expires: entry.expires.as_ref().map(|expires| expires.text.clone()),
            created: entry.created.map(|created| created.to_string()),
        }
    }
}

/// The keys of one file, in its order.
#[derive(Clone, Debug, Default)]
pub struct KeyFile {
    entries: Vec<KeyEntry>,
}

impl KeyFile {
    /// Reads and validates a whole file.
    ///
    /// # Errors
    /// [`KeyFileError`], naming the line or the entry.
    pub fn load(path: &Path) -> Result<KeyFile, KeyFileError> {
        let read = |cause| KeyFileError::Read { path: path.to_owned(), cause };
        // Looked at before it is opened: opening a pipe would wait for its writer.
        if !fs::metadata(path).map_err(read)?.is_file() {
            return Err(KeyFileError::NotAFile(path.to_owned()));
        }
        let file = File::open(path).map_err(read)?;
        let mut bytes = Vec::new();
        file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(read)?;
        let is_too_large = bytes.len() as u64 > FILE_BYTES_MAX;
        let parsed = match std::str::from_utf8(&bytes) {
            _ if is_too_large => Err(KeyFileError::TooLarge { found: bytes.len() as u64 }),
            Err(error) => Err(KeyFileError::NotUtf8(error.valid_up_to())),
            Ok(text) => KeyFile::parse(text),
        };
        let named = |fault| KeyFileError::In { path: path.to_owned(), fault: Box::new(fault) };
        parsed.map_err(named)
    }

    /// Validates the text of a file. A byte order mark at its start is ignored.
    ///
    /// # Errors
    /// [`KeyFileError`], naming the line or the entry.
    pub fn parse(text: &str) -> Result<KeyFile, KeyFileError> {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        // First, so that no later message can quote a key.
        if let Some(line) = text.lines().position(holds_plain_key) {
            return Err(KeyFileError::PlainKey { line: line + 1 });
        }
        let stored: StoredFile = serde_json::from_str(text).map_err(|error| {
            KeyFileError::Syntax { line: error.line(), fault: error.to_string() }
        })?;

        let mut names = HashSet::new();
        let mut hashes = HashSet::new();
        let mut entries = Vec::with_capacity(stored.keys.len());
        for (index, stored) in stored.keys.into_iter().enumerate() {
            let name = check_name(&stored.name).is_ok().then(|| stored.name.clone());
            let wrong = |fault| KeyFileError::Entry { position: index + 1, name, fault };
            let entry = match stored.validated() {
                Ok(entry) => entry,
                Err(fault) => return Err(wrong(fault)),
            };
            if !names.insert(entry.name.clone()) {
                return Err(wrong(
                    "an earlier entry has the same name; rename or remove one".to_owned(),
                ));
            }
            if !hashes.insert(entry.hash) {
                return Err(wrong("an earlier entry has the same hash; remove one".to_owned()));
            }
            entries.push(entry);
        }
        Ok(KeyFile { entries })
    }

    /// The text of the file.
    #[must_use]
    pub fn to_text(&self) -> String {
        let stored = StoredFile { keys: self.entries.iter().map(StoredEntry::from).collect() };
        let mut text = serde_json::to_string_pretty(&stored).expect("strings and numbers are JSON");
        text.push('\n');
        text
    }

    /// Replaces the file at `path`, or creates it, with mode 0600. A symbolic link is followed, so
    /// that the link stays one.
    ///
    /// # Errors
    /// [`KeyFileError::Write`]; the old file is then unchanged. [`KeyFileError::Sync`]; then it is
    /// replaced.
    pub fn save(&self, path: &Path) -> Result<(), KeyFileError> {
        let (target, path) = (followed(path), || path.to_owned());
        self.replace(&target).map_err(|cause| KeyFileError::Write { path: path(), cause })?;
        let synced = File::open(folder_of(&target)).and_then(|folder| folder.sync_all());
        synced.map_err(|cause| KeyFileError::Sync { path: path(), cause })
    }

    fn replace(&self, target: &Path) -> io::Result<()> {
        let file_name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let mut temporary_name = std::ffi::OsString::from(".");
        temporary_name.push(file_name);
        // Random: a leftover of a killed run (in a container the process id is always 1) must not
        // be in the way.
        let random = getrandom::u64().map_err(|error| io::Error::other(error.to_string()))?;
        temporary_name.push(format!(".{random:016x}.tmp"));
        let temporary = folder_of(target).join(temporary_name);

        let write = || -> io::Result<()> {
            let mut file =
                OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?;
            file.write_all(self.to_text().as_bytes())?;
            file.sync_all()?;
            fs::rename(&temporary, target)
        };
        write().inspect_err(|_| {
            // Best effort: the error that matters is the one returned.
            let _ = fs::remove_file(&temporary);
        })
    }

    /// Reads the file (an absent one counts as empty), lets `change` alter it and writes it back,
    /// under a lock on its folder, so that two commands at once lose nothing, whatever links they
    /// name it by.
    ///
    /// # Errors
    /// As of reading, of `change` and of writing.
    pub fn update<T>(
        path: &Path,
        change: impl FnOnce(&mut KeyFile) -> Result<T, KeyFileError>,
    ) -> Result<T, KeyFileError> {
        let write = |cause| KeyFileError::Write { path: path.to_owned(), cause };
        let folder = File::open(folder_of(&followed(path))).map_err(write)?;
        folder.lock().map_err(write)?;
        let mut file = match KeyFile::load(path) {
            Err(KeyFileError::Read { cause, .. }) if cause.kind() == io::ErrorKind::NotFound => {
                KeyFile::default()
            }
            loaded => loaded?,
        };
        let result = change(&mut file)?;
        file.save(path)?;
        Ok(result)
    }

    /// Adds a new random key and returns it: the only moment at which it can be read.
    ///
    /// # Errors
    /// A name that is taken or unusable.
    pub fn add(
        &mut self,
        name: &str,
        quota: Option<QuotaRule>,
        expires: Option<Expiry>,
    ) -> Result<ApiKey, KeyFileError> {
        let key = ApiKey::generate().map_err(|error| KeyFileError::Random(error.to_string()))?;
        self.add_hash(name, key.hash(), quota, expires)?;
        Ok(key)
    }

    /// Adds a key that is known by its hash.
    ///
    /// # Errors
    /// A name that is taken or unusable, or a hash that is there already.
    pub fn add_hash(
        &mut self,
        name: &str,
        hash: KeyHash,
        quota: Option<QuotaRule>,
        expires: Option<Expiry>,
    ) -> Result<(), KeyFileError> {
        check_name(name)?;
        if self.entries.iter().any(|entry| entry.name == name || entry.hash == hash) {
            return Err(KeyFileError::NameTaken(name.to_owned()));
        }
        let (name, created) = (name.to_owned(), created());
        self.entries.push(KeyEntry { name, hash, quota, expires, created });
        Ok(())
    }

    /// Removes the key of this name.
    ///
    /// # Errors
    /// [`KeyFileError::NoSuchName`].
    pub fn revoke(&mut self, name: &str) -> Result<(), KeyFileError> {
        let position = self.entries.iter().position(|entry| entry.name == name);
        let position =
            position.ok_or_else(|| KeyFileError::NoSuchName(name.chars().take(64).collect()))?;
        self.entries.remove(position);
        Ok(())
    }

    /// Puts a new random key in the place of the one of this name, which keeps its quota and its
    /// date, and returns it.
    ///
    /// # Errors
    /// [`KeyFileError::NoSuchName`].
    pub fn rotate(&mut self, name: &str) -> Result<ApiKey, KeyFileError> {
        let key = ApiKey::generate().map_err(|error| KeyFileError::Random(error.to_string()))?;
        let entry = self.entry(name)?;
        entry.hash = key.hash();
        entry.created = created();
        Ok(key)
    }

    /// Changes quota and date of the key of this name, each where one is given: that there is none
    /// is given too.
    ///
    /// # Errors
    /// [`KeyFileError::NoSuchName`].
    pub fn set(
        &mut self,
        name: &str,
        quota: Option<Option<QuotaRule>>,
        expires: Option<Option<Expiry>>,
    ) -> Result<(), KeyFileError> {
        let entry = self.entry(name)?;
        entry.quota = quota.unwrap_or(entry.quota);
        if let Some(expires) = expires {
            entry.expires = expires;
        }
        Ok(())
    }

    fn entry(&mut self, name: &str) -> Result<&mut KeyEntry, KeyFileError> {
        let no_such = || KeyFileError::NoSuchName(name.chars().take(64).collect());
        self.entries.iter_mut().find(|entry| entry.name == name).ok_or_else(no_such)
    }

    /// All keys, in the file's order.
    #[must_use]
    pub fn entries(&self) -> &[KeyEntry] {
        &self.entries
    }
}

/// Now, in whole seconds: nobody needs to know more.
fn created() -> Option<Timestamp> {
    Timestamp::from_second(Timestamp::now().as_second()).ok()
}

/// Whether others than the owner may read the file: worth a warning.
#[must_use]
pub fn is_exposed(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.mode() & 0o077 != 0)
}

/// The file that links lead to.
fn followed(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn check_name(name: &str) -> Result<(), KeyFileError> {
    let bad = |fault: &str| Err(KeyFileError::BadName(fault.to_owned()));
    if name.trim().is_empty() || name.trim() != name {
        return bad(
            "the name of a key is empty or has spaces around it; give it a name like `acme`",
        );
    }
    if name.chars().count() > NAME_CHARS_MAX || name.chars().any(char::is_control) {
        return bad(
            "the name of a key has more than 64 characters or control characters; choose a \
                plain one",
        );
    }
    if name.starts_with(KEY_PREFIX) {
        return bad("the name of a key begins like a key (`fmt_`); choose another");
    }
    Ok(())
}

/// Whether a line contains what looks like a key: the prefix and at least 20 characters of base62.
fn holds_plain_key(line: &str) -> bool {
    line.match_indices(KEY_PREFIX).any(|(at, prefix)| {
        let rest = &line[at + prefix.len()..];
        rest.bytes().take_while(u8::is_ascii_alphanumeric).count() >= 20
    })
}

#[cfg(test)]
mod tests;
